#include "supervisor/chan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

#include "supervisor/sys.h"

#define BUF_FIRST     (16UL * 1024)
#define SCRATCH_FIRST 64

static enum wire_err
grow_scratch(struct sup_chan *chan, size_t keys_max)
{
	/* What is in it is not needed any more: the line is read anew. */
	free(chan->scratch_mem);
	chan->scratch_mem = malloc(wire_json_scratch_size(keys_max));
	if (chan->scratch_mem == NULL)
		return WIRE_ERR_NO_MEMORY;
	wire_json_scratch_init(
	    &chan->scratch, chan->scratch_mem, keys_max, chan->seed);
	return WIRE_OK;
}

static void
finish(
    struct sup_chan *chan, enum wire_err err, const struct wire_errinfo *info)
{
	if (chan->ended)
		return;
	sup_chan_stop(chan);
	chan->handler.ended(chan->handler.arg, err, info);
}

static enum wire_err
decode(struct sup_chan *chan, struct wire_span line, struct wire_msg *msg,
    struct wire_errinfo *info)
{
	enum wire_err err;

	do {
		err = wire_msg_decode(line, &chan->scratch, msg, info);
		if (err != WIRE_ERR_NEED_SCRATCH)
			break;
		err = grow_scratch(chan, chan->scratch.keys_max * 4);
	} while (err == WIRE_OK);
	return err;
}

/* One line: decoded, in turn, handed on. False when the channel has ended. */
static bool
take_line(struct sup_chan *chan, struct wire_span line, uint64_t offset)
{
	struct wire_errinfo info = {"frame", 0, 0};
	struct wire_msg msg;
	enum wire_err err = decode(chan, line, &msg, &info);

	/* SECURITY: the host's own frames are never taken from the other end,
	 * whatever the state. */
	if (err == WIRE_OK) {
		err = wire_session_receive(&chan->session, &msg, true);
		if (err != WIRE_OK)
			info = (struct wire_errinfo){
			    wire_msg_type_word(msg.type), 0, 0};
	}
	if (err != WIRE_OK) {
		info.offset += offset;
		finish(chan, err, &info);
		return false;
	}
	chan->busy = true;
	chan->handler.message(chan->handler.arg, &msg);
	chan->busy = false;
	return !chan->ended;
}

/* Lines that are complete, at most a turn's share. */
static void
take_lines(struct sup_chan *chan, size_t lines_max)
{
	/* SECURITY: who does not read its replies is not read either, so that
	 * what waits for it stays bounded (S12). */
	for (size_t lines = 0; !chan->ended && !chan->is_full; lines++) {
		struct wire_span line;
		enum wire_err err = WIRE_OK;
		uint64_t offset;

		if (lines == lines_max) {
			sup_loop_again(chan->loop, &chan->watch);
			return;
		}
		if (wire_frame_next(&chan->frame, &line, &offset, &err)) {
			if (!take_line(chan, line, offset))
				return;
			continue;
		}
		if (err != WIRE_OK) {
			struct wire_errinfo info = {
			    "stream", 0, (size_t)chan->frame.err_offset};

			finish(chan, err, &info);
		}
		return;
	}
}

/* Makes room for the next read; false when memory is short. */
static bool
make_room(struct sup_chan *chan, uint8_t **ret_p, size_t *ret_len)
{
	size_t larger, most;
	uint8_t *buf;

	wire_frame_space(&chan->frame, ret_p, ret_len);
	if (*ret_len > 0)
		return true;
	/* One unfinished line fills the buffer. Doubling keeps the copying
	 * linear; the frame ceiling bounds it. */
	most = chan->frame.limits.frame_max + 1;
	larger = chan->buf_len * 2 < most ? chan->buf_len * 2 : most;
	if (larger <= chan->buf_len)
		return false;
	/* A large one grows by moving its pages, so there are never two
	 * (mremap(2)). */
	buf = realloc(chan->buf, larger);
	if (buf == NULL)
		return false;
	wire_frame_grown(&chan->frame, buf, larger);
	chan->buf = buf;
	chan->buf_len = larger;
	wire_frame_space(&chan->frame, ret_p, ret_len);
	return *ret_len > 0;
}

static void
end_of_stream(struct sup_chan *chan)
{
	struct wire_errinfo info = {"stream", 0, 0};
	enum wire_err err = wire_frame_end(&chan->frame);

	if (err != WIRE_OK)
		info.offset = (size_t)(chan->frame.base + chan->frame.start);
	finish(chan, err != WIRE_OK ? err : WIRE_ERR_CLOSED, &info);
}

/* One read. False when there is nothing (more) to read. */
static bool
read_some(struct sup_chan *chan, size_t *budget)
{
	/*
	 * SECURITY: one descriptor, with the first byte of the stream, and
	 * only where one is waited for: that byte is written by our own code,
	 * before a program is there.
	 */
	const bool takes_fd = chan->handler.descriptor != NULL &&
	    chan->frame.base + chan->frame.end == 0;
	uint8_t *p;
	size_t len;
	ssize_t n;
	int fd = -1;

	if (!make_room(chan, &p, &len)) {
		struct wire_errinfo info = {"read buffer", 0, 0};

		finish(chan, WIRE_ERR_NO_MEMORY, &info);
		return false;
	}
	if (len > *budget)
		len = *budget;
	n = sup_sys_recv(
	    chan->watch.fd, p, len, takes_fd ? &fd : NULL, &chan->fds_closed);
	if (fd >= 0)
		chan->handler.descriptor(chan->handler.arg, fd);
	if (n == -EAGAIN)
		return false;
	/* -ECONNRESET: the other end was closed with bytes of ours unread. */
	if (n == 0 || n == -ECONNRESET) {
		end_of_stream(chan);
		return false;
	}
	if (n < 0) {
		struct wire_errinfo info = {"reading the channel", (int)-n, 0};

		finish(chan, WIRE_ERR_SYSTEM, &info);
		return false;
	}
	wire_frame_commit(&chan->frame, (size_t)n);
	*budget -= (size_t)n;
	/* Less than was asked for is no end: a message with descriptors is
	 * never read together with what follows it (unix(7)). */
	return true;
}

static void update_events(struct sup_chan *chan);

/* Writes what waits, until the socket is full. */
static enum wire_err
write_some(struct sup_chan *chan, struct wire_errinfo *info)
{
	for (;;) {
		const uint8_t *bytes;
		size_t len;
		enum wire_err err =
		    sup_queue_next(&chan->queue, &bytes, &len, info);
		ssize_t n;

		if (err != WIRE_OK || len == 0)
			return err;
		n = sup_sys_send(chan->watch.fd, bytes, len);
		if (n == -EAGAIN)
			return WIRE_OK;
		if (n == -EPIPE || n == -ECONNRESET) {
			/* How that came, the reading side will tell. */
			chan->broken = true;
			sup_queue_release(&chan->queue);
			return WIRE_OK;
		}
		if (n < 0) {
			*info = (struct wire_errinfo){
			    "writing to the channel", (int)-n, 0};
			return WIRE_ERR_SYSTEM;
		}
		sup_queue_took(&chan->queue, (size_t)n);
	}
}

static void
flush(struct sup_chan *chan)
{
	struct wire_errinfo info = {"frames", 0, 0};
	enum wire_err err;

	if (chan->held)
		return;
	err = write_some(chan, &info);
	if (err != WIRE_OK) {
		chan->broken = true;
		sup_queue_release(&chan->queue);
		finish(chan, err, &info);
	}
	if (chan->is_full &&
	    sup_queue_waiting(&chan->queue) < SUP_CHAN_QUEUE_HIGH) {
		chan->is_full = false;
		/* Lines that were left in the buffer. */
		if (!chan->ended)
			sup_loop_again(chan->loop, &chan->watch);
		chan->handler.full(chan->handler.arg, false);
	}
	update_events(chan);
}

static void
update_events(struct sup_chan *chan)
{
	uint32_t events = chan->ended ? 0 : EPOLLIN;

	/* KERNEL: a peer that shuts its reading half wakes us and makes
	 * nothing ready but what it has written (unix(7)). So while we do not
	 * read, each change is worth one write. */
	if (!chan->ended && chan->is_full)
		events |= EPOLLET;

	if (!chan->held && sup_queue_waiting(&chan->queue) > 0)
		events |= EPOLLOUT;
	if (chan->watch.fd >= 0)
		(void)!sup_loop_change(chan->loop, &chan->watch, events);
}

static void
ready(struct sup_watch *watch, uint32_t events)
{
	struct sup_chan *chan = watch->owner;
	size_t budget = SUP_CHAN_TURN_BYTES;
	const uint32_t hang_up = EPOLLERR | EPOLLHUP;

	/* KERNEL: a socket whose peer has shut both directions, with bytes of
	 * ours unread, is hung up and not writable (unix(7)); that the bytes
	 * are for nobody only a write tells. */
	if ((events & (EPOLLOUT | hang_up)) != 0 || chan->is_full)
		flush(chan);
	if (chan->ended) {
		/* Hang-up of a child that is ending: its exit is news, this
		 * is not, and it would be reported for ever. Who has only
		 * stopped writing still gets its replies. */
		if ((events & hang_up) != 0)
			sup_loop_remove(chan->loop, watch);
		return;
	}
	if ((events & ~(uint32_t)EPOLLOUT) == 0)
		return;
	take_lines(chan, SUP_CHAN_TURN_LINES);
	/* Lines that wait for their turn come before new bytes. */
	if (chan->ended || chan->is_full || chan->watch.is_again)
		return;
	(void)read_some(chan, &budget);
	if (!chan->ended)
		take_lines(chan, SUP_CHAN_TURN_LINES);
}

enum wire_err
sup_chan_open(struct sup_chan *chan, struct sup_loop *loop, int fd,
    const struct wire_frame_limits *limits,
    const struct sup_chan_handler *handler, struct wire_errinfo *info)
{
	enum wire_err err;
	int r;

	memset(chan, 0, sizeof(*chan));
	sup_queue_init(&chan->queue);
	chan->loop = loop;
	chan->handler = *handler;
	chan->watch = (struct sup_watch){
	    .fd = -1, .events = EPOLLIN, .ready = ready, .owner = chan};
	/* SECURITY: the key of the duplicate table must not be guessable, or
	 * member names could be prepared that all collide. */
	r = sup_sys_random(&chan->seed, sizeof(chan->seed));
	if (r < 0) {
		if (info != NULL)
			*info = (struct wire_errinfo){"getrandom", -r, 0};
		return WIRE_ERR_SYSTEM;
	}
	chan->buf_len = BUF_FIRST;
	chan->buf = malloc(chan->buf_len);
	err = grow_scratch(chan, SCRATCH_FIRST);
	if (chan->buf == NULL || err != WIRE_OK) {
		sup_chan_close(chan);
		return wire_fail(info, WIRE_ERR_NO_MEMORY, "channel", 0);
	}
	wire_frame_init(&chan->frame, limits, chan->buf, chan->buf_len);
	wire_session_init(&chan->session);
	chan->watch.fd = fd;
	err = sup_loop_add(loop, &chan->watch, info);
	if (err != WIRE_OK) {
		chan->watch.fd = -1;
		sup_chan_close(chan);
	}
	return err;
}

void
sup_chan_close(struct sup_chan *chan)
{
	chan->ended = true;
	if (chan->loop == NULL)
		return;
	sup_loop_remove(chan->loop, &chan->watch);
	sup_sys_close(&chan->watch.fd);
	free(chan->buf);
	free(chan->scratch_mem);
	chan->buf = NULL;
	chan->scratch_mem = NULL;
	sup_queue_release(&chan->queue);
}

void
sup_chan_drain(struct sup_chan *chan)
{
	bool more = true;

	/* Who is dead reads nothing any more, though its end may be held open
	 * by a message on its way. */
	if (chan->is_full && !chan->busy) {
		chan->broken = true;
		chan->held = false;
		sup_queue_release(&chan->queue);
		flush(chan);
	}
	/* Inside a message its spans would be moved away under its handler. */
	while (!chan->ended && !chan->busy && !chan->is_full && more) {
		size_t budget = SUP_CHAN_TURN_BYTES;

		/* Lines that wait for their turn come before the end. */
		take_lines(chan, SIZE_MAX);
		more =
		    !chan->ended && !chan->is_full && read_some(chan, &budget);
	}
	if (!chan->ended && !chan->busy)
		take_lines(chan, SIZE_MAX);
}

void
sup_chan_stop(struct sup_chan *chan)
{
	chan->ended = true;
	update_events(chan);
}

void
sup_chan_hold(struct sup_chan *chan)
{
	chan->held = true;
	update_events(chan);
}

void
sup_chan_release(struct sup_chan *chan)
{
	chan->held = false;
	flush(chan);
}

enum wire_err
sup_chan_send(struct sup_chan *chan, size_t max,
    void (*fill)(struct wire_out *out, const void *arg), const void *arg,
    struct wire_errinfo *info)
{
	struct sup_queue_frame *frame;
	struct wire_out out;
	enum wire_err err;
	uint8_t *bytes;
	size_t len;

	if (chan->broken)
		return WIRE_OK;
	frame = sup_queue_frame(max, &bytes);
	if (frame == NULL)
		return wire_fail(info, WIRE_ERR_NO_MEMORY, "a frame", 0);
	wire_out_init(&out, bytes, max);
	fill(&out, arg);
	err = wire_out_finish(&out, &len);
	if (err != WIRE_OK) {
		sup_queue_discard(frame);
		return wire_fail(info, err, "a frame", 0);
	}
	err = sup_queue_put(&chan->queue, frame, len, info);
	if (err != WIRE_OK)
		return err;
	flush(chan);
	if (!chan->is_full &&
	    sup_queue_waiting(&chan->queue) >= SUP_CHAN_QUEUE_HIGH) {
		chan->is_full = true;
		update_events(chan);
		chan->handler.full(chan->handler.arg, true);
	}
	return WIRE_OK;
}
