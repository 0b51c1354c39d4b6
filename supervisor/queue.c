#include "supervisor/queue.h"

#include <stdlib.h>

#include "supervisor/sys.h"
#include "supervisor/unlinked.h"
#include "wire/span.h"

struct sup_queue_frame {
	struct sup_queue_frame *next;
	size_t len, taken;
	uint8_t bytes[];
};

void
sup_queue_init(struct sup_queue *queue)
{
	*queue = (struct sup_queue){.fd = -1};
}

void
sup_queue_release(struct sup_queue *queue)
{
	while (queue->head != NULL) {
		struct sup_queue_frame *frame = queue->head;

		queue->head = frame->next;
		free(frame);
	}
	sup_sys_close(&queue->fd);
	free(queue->piece);
	sup_queue_init(queue);
}

struct sup_queue_frame *
sup_queue_frame(size_t max, uint8_t **ret_bytes)
{
	struct sup_queue_frame *frame = NULL;
	size_t size;

	if (wire_add(sizeof(*frame), max, &size))
		frame = malloc(size);
	if (frame == NULL)
		return NULL;
	frame->next = NULL;
	frame->taken = 0;
	*ret_bytes = frame->bytes;
	return frame;
}

void
sup_queue_discard(struct sup_queue_frame *frame)
{
	free(frame);
}

/* --- the file --------------------------------------------------------------
 */

static enum wire_err
fail(struct wire_errinfo *info, const char *site, int error)
{
	if (info != NULL)
		*info = (struct wire_errinfo){site, error, 0};
	return WIRE_ERR_SYSTEM;
}

static enum wire_err
open_file(struct sup_queue *queue, struct wire_errinfo *info)
{
	int fd;

	if (queue->piece == NULL)
		queue->piece = malloc(SUP_QUEUE_PIECE);
	if (queue->piece == NULL)
		return wire_fail(info, WIRE_ERR_NO_MEMORY, "replies", 0);
	fd = sup_unlinked_open();
	if (fd < 0)
		return fail(info, "a file in /var/tmp for replies", -fd);
	queue->fd = fd;
	return WIRE_OK;
}

static enum wire_err
put_to_file(struct sup_queue *queue, const struct sup_queue_frame *frame,
    struct wire_errinfo *info)
{
	enum wire_err err = WIRE_OK;
	int r;

	if (queue->fd < 0)
		err = open_file(queue, info);
	if (err != WIRE_OK)
		return err;
	r = sup_unlinked_write(queue->fd, frame->bytes, frame->len, queue->to);
	if (r < 0)
		return fail(info, "writing replies to a file in /var/tmp", -r);
	queue->to += frame->len;
	return WIRE_OK;
}

/* The next piece; what has been read back is given back to the disk once
 * nothing is left. */
static enum wire_err
read_piece(struct sup_queue *queue, struct wire_errinfo *info)
{
	uint64_t left = queue->to - queue->from;
	size_t len = left < SUP_QUEUE_PIECE ? (size_t)left : SUP_QUEUE_PIECE;
	int r = sup_unlinked_read(queue->fd, queue->piece, len, queue->from);

	if (r < 0)
		return fail(
		    info, "reading replies from a file in /var/tmp", -r);
	queue->from += len;
	queue->piece_at = 0;
	queue->piece_len = len;
	if (queue->from == queue->to) {
		queue->from = queue->to = queue->given_back = 0;
		sup_sys_close(&queue->fd);
	} else if (queue->from - queue->given_back >= SUP_QUEUE_GIVE_BACK) {
		sup_unlinked_forget(queue->fd, queue->from);
		queue->given_back = queue->from;
	}
	return WIRE_OK;
}

/* --- the queue -------------------------------------------------------------
 */

static bool
has_bytes_on_file(const struct sup_queue *queue)
{
	return queue->from < queue->to || queue->piece_at < queue->piece_len;
}

enum wire_err
sup_queue_put(struct sup_queue *queue, struct sup_queue_frame *frame,
    size_t len, struct wire_errinfo *info)
{
	struct sup_queue_frame *smaller;
	size_t ahead =
	    queue->head != NULL ? queue->head->len - queue->head->taken : 0;
	enum wire_err err;

	frame->len = len;
	/* Order: what is on file comes before anything new. */
	if (has_bytes_on_file(queue) ||
	    (queue->head != NULL &&
		queue->in_memory - ahead + len > SUP_QUEUE_MEMORY)) {
		err = put_to_file(queue, frame, info);
		free(frame);
		return err;
	}
	/* What waits is as large as it is, not as it might have been. */
	smaller = realloc(frame, sizeof(*frame) + len);
	if (smaller != NULL)
		frame = smaller;
	if (queue->tail != NULL)
		queue->tail->next = frame;
	else
		queue->head = frame;
	queue->tail = frame;
	queue->in_memory += len;
	return WIRE_OK;
}

enum wire_err
sup_queue_next(struct sup_queue *queue, const uint8_t **ret_bytes,
    size_t *ret_len, struct wire_errinfo *info)
{
	*ret_len = 0;
	if (queue->head != NULL) {
		*ret_bytes = queue->head->bytes + queue->head->taken;
		*ret_len = queue->head->len - queue->head->taken;
		return WIRE_OK;
	}
	if (queue->piece_at == queue->piece_len && queue->from < queue->to) {
		enum wire_err err = read_piece(queue, info);

		if (err != WIRE_OK)
			return err;
	}
	/* Before the first piece there is no memory to point into. */
	*ret_len = queue->piece_len - queue->piece_at;
	*ret_bytes = *ret_len > 0 ? queue->piece + queue->piece_at : NULL;
	return WIRE_OK;
}

void
sup_queue_took(struct sup_queue *queue, size_t len)
{
	struct sup_queue_frame *frame = queue->head;

	if (frame == NULL) {
		queue->piece_at += len;
		return;
	}
	frame->taken += len;
	queue->in_memory -= len;
	if (frame->taken < frame->len)
		return;
	queue->head = frame->next;
	if (queue->head == NULL)
		queue->tail = NULL;
	free(frame);
}

uint64_t
sup_queue_waiting(const struct sup_queue *queue)
{
	return queue->in_memory + (queue->to - queue->from) +
	    (queue->piece_len - queue->piece_at);
}
