/*
 * Bytes that wait to be written to a child (S12).
 *
 * Owns: frames, and what of them stands in a file. In memory are at most the
 * frame that is being written and SUP_QUEUE_MEMORY bytes behind it; what comes
 * after those goes to an unlinked file and is read back piece by piece, so a
 * child that never reads costs disk and no memory. The file is made when it
 * is first needed, has no name, and is gone with its descriptor.
 *
 * One thread. Writing to the file may wait for the disk, never for the child.
 */
#ifndef SUP_QUEUE_H
#define SUP_QUEUE_H

#include <stddef.h>
#include <stdint.h>

#include "wire/err.h"

#define SUP_QUEUE_MEMORY (1024UL * 1024)
/* What has been read back is given back to the disk in parts of this. */
#define SUP_QUEUE_GIVE_BACK (4UL * 1024 * 1024)
/* Of the file, in memory at one time. */
#define SUP_QUEUE_PIECE (64UL * 1024)

struct sup_queue_frame;

struct sup_queue {
	struct sup_queue_frame *head, *tail; /* in memory, written first */
	size_t in_memory;		     /* bytes of those not taken yet */
	int fd;				     /* the file; -1: none */
	uint64_t from, to;		     /* what of it is still to come */
	uint64_t given_back;		     /* of what has been read back */
	uint8_t *piece;			     /* SUP_QUEUE_PIECE, owned */
	size_t piece_at, piece_len;
};

void sup_queue_init(struct sup_queue *queue);

/* Forgets everything that waits; the queue is as new. */
void sup_queue_release(struct sup_queue *queue);

/* Room for a frame of at most max bytes, to be filled and put, or freed with
 * sup_queue_discard. NULL when memory is short. */
struct sup_queue_frame *sup_queue_frame(size_t max, uint8_t **ret_bytes);
void sup_queue_discard(struct sup_queue_frame *frame);

/*
 * Takes over the frame, len bytes long, whatever comes of it. Fails with
 * SYSTEM or NO_MEMORY when it would have to go to a file and cannot (info:
 * which step, and errno): then the stream of frames has a hole and must not go
 * on.
 */
WIRE_MUST_USE enum wire_err sup_queue_put(struct sup_queue *queue,
    struct sup_queue_frame *frame, size_t len, struct wire_errinfo *info);

/* The next bytes in order; *ret_len 0: nothing waits. They are good until
 * sup_queue_took. Fails with SYSTEM when the file cannot be read back. */
WIRE_MUST_USE enum wire_err sup_queue_next(struct sup_queue *queue,
    const uint8_t **ret_bytes, size_t *ret_len, struct wire_errinfo *info);

/* len of those have been written. */
void sup_queue_took(struct sup_queue *queue, size_t len);

/* All that waits, in memory or not. */
uint64_t sup_queue_waiting(const struct sup_queue *queue);

#endif
