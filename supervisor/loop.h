/*
 * The event loop of one context: an epoll set behind one pollable
 * descriptor.
 *
 * Owns the epoll descriptor; sources belong to who adds them. No thread, no
 * signal, no blocking unless the caller asks for it. One thread at a time.
 */
#ifndef SUP_LOOP_H
#define SUP_LOOP_H

#include <stdbool.h>
#include <stdint.h>

#include "wire/err.h"

struct sup_watch {
	int fd;
	uint32_t events; /* EPOLLIN ... */
	/* Called with what is ready. May remove this or any other watch. */
	void (*ready)(struct sup_watch *watch, uint32_t events);
	void *owner;
	struct sup_watch *next_again; /* the loop's, as all below */
	bool is_again;
	bool is_added;
};

#define SUP_LOOP_BATCH 32

struct sup_loop {
	int epoll_fd;
	/* Of the batch that is being handled, so that a watch removed by an
	 * earlier callback is not called. */
	struct sup_watch *batch[SUP_LOOP_BATCH];
	int batch_len;
	/* Watches to be called though their descriptor has nothing new; the
	 * eventfd makes the set readable while there are any. */
	struct sup_watch *again;
	struct sup_watch *running; /* of `again`, still to be called */
	struct sup_watch waker;
};

WIRE_MUST_USE enum wire_err sup_loop_init(
    struct sup_loop *loop, struct wire_errinfo *info);
void sup_loop_release(struct sup_loop *loop);

WIRE_MUST_USE enum wire_err sup_loop_add(
    struct sup_loop *loop, struct sup_watch *watch, struct wire_errinfo *info);
/* Changes what is waited for; 0 waits for errors and hang-up only. */
WIRE_MUST_USE enum wire_err sup_loop_change(
    struct sup_loop *loop, struct sup_watch *watch, uint32_t events);
/* Fine for a watch that is not in the set, whatever its descriptor's number
 * means by now. Before its descriptor is closed for one that is. */
void sup_loop_remove(struct sup_loop *loop, struct sup_watch *watch);

/*
 * Calls the watch again in the next turn, with EPOLLIN: for a source that has
 * read more than one turn may handle (S12).
 */
void sup_loop_again(struct sup_loop *loop, struct sup_watch *watch);

/* Handles what is ready, waiting at most timeout_ms (-1: for ever). */
WIRE_MUST_USE enum wire_err sup_loop_step(
    struct sup_loop *loop, int timeout_ms);

#endif
