/*
 * The child's half of the protocol: calls out, replies in, from any thread.
 *
 * Owns: the link, the id of the next call, the table of calls in flight.
 *
 * Ids: claim, write and advance are one critical section; an id counts only
 * once its whole frame is written (W6).
 *
 * Reading: there is no reader thread. Whoever waits for a reply and finds
 * nobody reading becomes the reader and hands out what arrives, by id; when
 * it has its own reply it wakes another waiter to read on. An event loop
 * watches the descriptor and reads with stub_channel_pump instead.
 *
 * Locks, in this order: the interpreter's, then `writing`, then `state`.
 * Nobody asks for the interpreter's lock while holding one of the others.
 * The role of the reader is a flag, not a lock.
 *
 * Errors: functions that return int give 0, or -1 with a Python exception
 * set. A frame that the host may not send, a reply to a call that was never
 * made or is answered included, ends the process as link.h says. Frames are
 * judged when they are read, which happens while something waits.
 */
#ifndef STUB_CHANNEL_H
#define STUB_CHANNEL_H

#include "child/module/pending.h"

/* Before anything else, once. Ends the process without memory. */
void stub_channel_open(int fd);

/* Writes a frame, all of it. For `ready`: nothing else is going on. */
void stub_channel_send(struct wire_span frame);

/* Blocks for the host's decision. Spans are good until the next call here.
 * The process ends when the host is gone or decides against it. */
void stub_channel_decision(struct wire_run *ret_run);

/* What the host has said last of what may still be spent, and of the calls no
 * more than those that were not made yet. False when it has said nothing. */
bool stub_channel_left(uint64_t ret_left[WIRE_LEFTS]);

/* -1 when it was forgotten. */
int stub_channel_fd(void);
/* In a process that was forked: closes the descriptor of this one. */
void stub_channel_forget(void);

/* A call and its reply; waits. *ret_reply owns its text. */
int stub_channel_call(struct wire_span name, struct wire_span arguments,
    struct stub_reply *ret_reply);

/* A call whose reply is told to notify(id), in some thread, and then taken.
 * It is told again when that raises; what it raised first comes out of the
 * call or the pump that told. */
int stub_channel_start(struct wire_span name, struct wire_span arguments,
    PyObject *notify, uint64_t *ret_id);
int stub_channel_take(uint64_t id, struct stub_reply *ret_reply);
/* Nobody wants the reply any more. Unknown ids are fine. */
void stub_channel_drop(uint64_t id);

/* Reads what is there without waiting, and tells owners. */
int stub_channel_pump(void);

/* Whether the calling thread is inside of it, telling. */
bool stub_channel_is_pumping(void);

/*
 * Writes the last frame and never returns. The interpreter's lock stays
 * held, so no Python runs after it, and no other frame can follow.
 */
void stub_channel_finish(struct wire_span frame) __attribute__((noreturn));

#endif
