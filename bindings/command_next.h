/*
 * The life of one command call, as a pure table.
 *
 *	RUNNING   the command runs
 *	DRAINING  it has ended; what it wrote before is still being read
 *	LAST      likewise, and the guardian has been reaped
 *	KILLING   the lifeline is closed; the guardian ends the tree
 *	SWEEPING  the call is answered; the guardian is about to exit
 *	GONE      nothing is left
 *
 * The call is answered exactly once, on the way into SWEEPING or GONE: after
 * the report that the command has ended, or after the guardian's own end,
 * which follows that of the tree. A pipe that a stray holds open delays
 * neither: QUIET means that for now there is nothing more to read.
 */
#ifndef BIND_COMMAND_NEXT_H
#define BIND_COMMAND_NEXT_H

enum bind_command_state {
	BIND_COMMAND_RUNNING,
	BIND_COMMAND_DRAINING,
	BIND_COMMAND_LAST,
	BIND_COMMAND_KILLING,
	BIND_COMMAND_SWEEPING,
	BIND_COMMAND_GONE,
	BIND_COMMAND_STATES
};

enum bind_command_event {
	BIND_COMMAND_EXITED, /* report: the command has ended */
	BIND_COMMAND_FAILED, /* report: it could not be run */
	BIND_COMMAND_QUIET,  /* stdout is at its end, or empty for now */
	BIND_COMMAND_STOP,   /* cancelled, or over a ceiling */
	BIND_COMMAND_REAPED, /* the guardian has ended */
	BIND_COMMAND_EVENTS
};

/* In this order. */
enum bind_command_action {
	BIND_COMMAND_DO_NOTHING = 1 << 0, /* a step that only changes state */
	BIND_COMMAND_DO_DRAIN = 1 << 1,
	BIND_COMMAND_DO_KILL = 1 << 2, /* close the lifeline */
	BIND_COMMAND_DO_ANSWER = 1 << 3,
	BIND_COMMAND_DO_FREE = 1 << 4,
};

struct bind_command_step {
	enum bind_command_state next;
	unsigned actions; /* 0: the event cannot happen in this state */
};

/* Pure. The caller traps on a step without actions. */
struct bind_command_step bind_command_next(
    enum bind_command_state state, enum bind_command_event event);

#endif
