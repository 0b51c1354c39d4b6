/*
 * A struct bind_loop on poll(2) for tests, with a clock that the test sets.
 */
#ifndef TEST_POLL_LOOP_H
#define TEST_POLL_LOOP_H

#include <poll.h>
#include <string.h>

#include "bindings/loop.h"

#define POLL_LOOP_MAX 1024

struct poll_loop {
	struct bind_loop loop;
	struct bind_watch *watches[POLL_LOOP_MAX];
	unsigned events[POLL_LOOP_MAX];
	size_t count;
	uint64_t now;
	int watches_left; /* watch() fails when it reaches 0; -1: never */
};

static inline size_t
poll_loop_find(struct poll_loop *loop, const struct bind_watch *watch)
{
	size_t i = 0;

	while (i < loop->count && loop->watches[i] != watch)
		i++;
	return i;
}

static inline enum wire_err
poll_loop_watch(void *arg, struct bind_watch *watch, unsigned events)
{
	struct poll_loop *loop = arg;

	WIRE_BUG_IF(poll_loop_find(loop, watch) < loop->count);
	WIRE_BUG_IF(events == 0);
	WIRE_BUG_IF(watch->fd < 0);
	if (loop->watches_left == 0 || loop->count == POLL_LOOP_MAX)
		return WIRE_ERR_NO_MEMORY;
	if (loop->watches_left > 0)
		loop->watches_left--;
	loop->watches[loop->count] = watch;
	loop->events[loop->count++] = events;
	return WIRE_OK;
}

static inline void
poll_loop_modify(void *arg, struct bind_watch *watch, unsigned events)
{
	struct poll_loop *loop = arg;
	size_t i = poll_loop_find(loop, watch);

	WIRE_BUG_IF(i == loop->count);
	loop->events[i] = events;
}

static inline void
poll_loop_unwatch(void *arg, struct bind_watch *watch)
{
	struct poll_loop *loop = arg;
	size_t i = poll_loop_find(loop, watch);

	WIRE_BUG_IF(i == loop->count);
	loop->count--;
	loop->watches[i] = loop->watches[loop->count];
	loop->events[i] = loop->events[loop->count];
}

static inline uint64_t
poll_loop_now(void *arg)
{
	struct poll_loop *loop = arg;

	return loop->now;
}

static inline void
poll_loop_init(struct poll_loop *loop)
{
	memset(loop, 0, sizeof(*loop));
	loop->now = 1000;
	loop->watches_left = -1;
	loop->loop = (struct bind_loop){
	    .arg = loop,
	    .watch = poll_loop_watch,
	    .modify = poll_loop_modify,
	    .unwatch = poll_loop_unwatch,
	    .now_ns = poll_loop_now,
	};
}

/* One turn: waits for something at most timeout_ms. False: nothing came. */
static inline bool
poll_loop_turn(struct poll_loop *loop, int timeout_ms)
{
	static struct pollfd fds[POLL_LOOP_MAX];
	static struct bind_watch *watches[POLL_LOOP_MAX];
	size_t count = loop->count;

	for (size_t i = 0; i < count; i++) {
		unsigned events = loop->events[i];

		watches[i] = loop->watches[i];
		fds[i].fd = watches[i]->fd;
		fds[i].events =
		    (short)(((events & BIND_EVENT_READ) ? POLLIN : 0) |
			((events & BIND_EVENT_WRITE) ? POLLOUT : 0));
	}
	if (poll(fds, count, timeout_ms) <= 0)
		return false;
	for (size_t i = 0; i < count; i++) {
		size_t at = poll_loop_find(loop, watches[i]);

		/* Unwatched by an earlier one of this turn: not called. */
		if (fds[i].revents == 0 || at == loop->count)
			continue;
		watches[i]->ready(watches[i]->arg, loop->events[at]);
	}
	return true;
}

#endif
