/*
 * The pipeline of a tool call (B1), as two pure state machines.
 *
 *	halt gate -> charge -> admit -> [wait] -> record started -> dispatch
 *	    -> record the outcome -> reply
 *
 * The execution's gate is RUNNING, then HALTED when a budget is spent, then
 * CLOSED when the end of the execution is decided; it never goes back. HALTED
 * accepts no call any more, but calls that were accepted before, and are paid
 * for, still get their turn; CLOSED dispatches nothing.
 *
 * Each call walks its own table. A step names the next state and what is to be
 * done, so the order of effects is this table and nothing else: a dispatch
 * follows a record that stands, a reply follows the record of the outcome, and
 * a call that is refused reaches neither.
 *
 * Pure. An event that a state does not know is a programmer's error and ends
 * the process; bind_call_allows asks without that.
 */
#ifndef BIND_GATE_H
#define BIND_GATE_H

#include <stdbool.h>

enum bind_gate_state {
	BIND_GATE_RUNNING,
	BIND_GATE_HALTED,
	BIND_GATE_CLOSED,
	BIND_GATE_STATES
};

enum bind_gate_event {
	BIND_GATE_SPEND, /* a meter of the execution is spent */
	BIND_GATE_END,	 /* deadline, cancel, violation, kill, done: decided */
	BIND_GATE_EVENTS
};

/* Total: every state knows every event. */
enum bind_gate_state bind_gate_next(
    enum bind_gate_state state, enum bind_gate_event event);

const char *bind_gate_state_word(enum bind_gate_state state);

enum bind_call_state {
	BIND_CALL_NEW,
	BIND_CALL_CHARGING,
	BIND_CALL_ADMITTING,
	BIND_CALL_WAITING,   /* for its turn in the window */
	BIND_CALL_RECORDING, /* `started` is being written, or made safe */
	BIND_CALL_STARTED,
	BIND_CALL_COMPLETED, /* these four are final */
	BIND_CALL_FAILED,
	BIND_CALL_REFUSED, /* never dispatched */
	BIND_CALL_UNKNOWN, /* dispatched, and its end never seen */
	BIND_CALL_STATES
};

enum bind_call_event {
	BIND_CALL_ACCEPT, /* a call frame came in */
	BIND_CALL_PASS,	  /* what the state was waiting for succeeded */
	BIND_CALL_REFUSE, /* it did not, or the gate has shut */
	BIND_CALL_TURN,	  /* there is room in the window */
	BIND_CALL_VALUE,  /* a result that may be delivered */
	BIND_CALL_ERROR,  /* an end without one */
	BIND_CALL_LOSE,	  /* no end will be seen any more */
	BIND_CALL_EVENTS
};

/* What a step asks for; at most one of the first five, each of which is
 * answered by PASS or REFUSE (KEEP and DISPATCH by nothing). Of the last two,
 * the record comes first. */
enum bind_call_action {
	BIND_DO_CHARGE = 1 << 0,
	BIND_DO_ADMIT = 1 << 1,
	BIND_DO_KEEP = 1 << 2, /* put it in line */
	BIND_DO_RECORD_STARTED = 1 << 3,
	BIND_DO_DISPATCH = 1 << 4,
	BIND_DO_RECORD_END = 1 << 5,
	BIND_DO_REPLY = 1 << 6,
};

struct bind_call_step {
	enum bind_call_state next;
	unsigned actions; /* of enum bind_call_action; never 0 in a real step */
};

/* The gate comes first: where it is shut for an event, the event becomes
 * REFUSE. */
struct bind_call_step bind_call_next(enum bind_gate_state gate,
    enum bind_call_state state, enum bind_call_event event);

bool bind_call_allows(enum bind_gate_state gate, enum bind_call_state state,
    enum bind_call_event event);

bool bind_call_is_final(enum bind_call_state state);

/* "completed", "failed", "refused", "unknown", "started", ... */
const char *bind_call_state_word(enum bind_call_state state);

#endif
