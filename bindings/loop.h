/*
 * The event loop, as bindings see it: what they need of it and nothing else.
 *
 * The supervisor (or a test) fills in a struct bind_loop and lends it; it
 * outlives every session that was given it. Bindings never block and own no
 * thread; all calls in both directions happen on the loop's thread.
 *
 * What an implementation must keep:
 *  - Level-triggered: ready() is called again while the condition lasts.
 *  - A hang-up or error on the descriptor counts as every event watched for;
 *    the read or write that follows tells what it was.
 *  - After unwatch() has returned, ready() of that watch is not called again,
 *    not even for an event that was collected earlier in the same turn: the
 *    watch's memory may be freed and its descriptor closed at once.
 *  - ready() may call watch, modify and unwatch for any watch, its own too.
 *
 * One call of ready() reads at most BIND_TURN_MAX bytes (S12).
 */
#ifndef BIND_LOOP_H
#define BIND_LOOP_H

#include <stdint.h>

#include "wire/err.h"
#include "wire/limits.h"

#define BIND_TURN_MAX (64 * WIRE_KIB)

enum bind_event {
	BIND_EVENT_READ = 1 << 0,
	BIND_EVENT_WRITE = 1 << 1,
};

/* One watched descriptor. Embedded in its owner, who initialises the first
 * three; `slot` and `entry` are the loop's. */
struct bind_watch {
	int fd;
	void (*ready)(void *arg, unsigned events);
	void *arg;
	size_t slot;
	void *entry;
};

struct bind_loop {
	void *arg;
	/* events is never 0. Fails with NO_MEMORY or SYSTEM, nothing kept. */
	enum wire_err (*watch)(
	    void *arg, struct bind_watch *watch, unsigned events);
	/* events is never 0; cannot fail for a watch that stands. */
	void (*modify)(void *arg, struct bind_watch *watch, unsigned events);
	void (*unwatch)(void *arg, struct bind_watch *watch);
	/* CLOCK_MONOTONIC; one reading a turn is enough. */
	uint64_t (*now_ns)(void *arg);
};

#endif
