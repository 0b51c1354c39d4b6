/*
 * The channel's inside, for channel.c, which moves frames, and calls.c, which
 * makes and ends calls. Nobody else includes this.
 */
#ifndef STUB_CHANNEL_INSIDE_H
#define STUB_CHANNEL_INSIDE_H

#include "child/module/channel.h"
#include "child/module/link.h"

/* One channel in a process; the descriptor is the process's own. */
struct stub_channel {
	struct stub_link link;
	PyThread_type_lock writing; /* next_id, and the descriptor's end */
	PyThread_type_lock state;   /* what stands below it */
	uint64_t next_id;
	bool reading; /* somebody is the reader */
	bool over;    /* the last frame is on its way, or written */
	struct stub_pending_table table;
	bool has_left;
	uint64_t left[WIRE_LEFTS]; /* as the last frame with it says */
	uint64_t calls_max;	   /* what `run` left of them */
	uint64_t claimed;	   /* calls that were made */
};

extern struct stub_channel stub_channel;

static inline void
stub_channel_lock(PyThread_type_lock which)
{
	(void)PyThread_acquire_lock(which, WAIT_LOCK);
}

static inline void
stub_channel_unlock(PyThread_type_lock which)
{
	PyThread_release_lock(which);
}

/* One read as the reader; nobody else is it. The state lock is held before
 * and after. */
enum stub_link_event stub_channel_read_once(bool wait);

/* The reader steps down: somebody who sleeps has to read on. The state lock
 * is held. */
void stub_channel_pass_on(void);

/* Writes a frame, all of it. The writing lock is held, or nothing else is
 * going on; the state lock is not. */
void stub_channel_write(struct wire_span frame);

#endif
