#include "bindings/gate.h"

#include <stddef.h>

#include "wire/err.h"

/* The gate. It only ever moves down the list. */
static const enum bind_gate_state
    gate_table[BIND_GATE_STATES][BIND_GATE_EVENTS] = {
	[BIND_GATE_RUNNING] =
	    {
		[BIND_GATE_SPEND] = BIND_GATE_HALTED,
		[BIND_GATE_END] = BIND_GATE_CLOSED,
	    },
	[BIND_GATE_HALTED] =
	    {
		[BIND_GATE_SPEND] = BIND_GATE_HALTED,
		[BIND_GATE_END] = BIND_GATE_CLOSED,
	    },
	[BIND_GATE_CLOSED] =
	    {
		[BIND_GATE_SPEND] = BIND_GATE_CLOSED,
		[BIND_GATE_END] = BIND_GATE_CLOSED,
	    },
};

/*
 * What the gate holds back. SECURITY: these two rows are B1's halt gate; an
 * event that is not named here passes, because it only brings a call that was
 * dispatched already to its end.
 */
static const bool gate_shut[BIND_GATE_STATES][BIND_CALL_EVENTS] = {
    [BIND_GATE_HALTED] = {[BIND_CALL_ACCEPT] = true},
    [BIND_GATE_CLOSED] = {[BIND_CALL_ACCEPT] = true, [BIND_CALL_TURN] = true},
};

#define END (BIND_DO_RECORD_END | BIND_DO_REPLY)

/* A cell that is not filled in has no action and is not a step. */
static const struct bind_call_step
    call_table[BIND_CALL_STATES][BIND_CALL_EVENTS] = {
	[BIND_CALL_NEW] =
	    {
		[BIND_CALL_ACCEPT] = {BIND_CALL_CHARGING, BIND_DO_CHARGE},
		[BIND_CALL_REFUSE] = {BIND_CALL_REFUSED, END},
	    },
	[BIND_CALL_CHARGING] =
	    {
		[BIND_CALL_PASS] = {BIND_CALL_ADMITTING, BIND_DO_ADMIT},
		[BIND_CALL_REFUSE] = {BIND_CALL_REFUSED, END},
	    },
	[BIND_CALL_ADMITTING] =
	    {
		[BIND_CALL_PASS] = {BIND_CALL_WAITING, BIND_DO_KEEP},
		[BIND_CALL_REFUSE] = {BIND_CALL_REFUSED, END},
	    },
	[BIND_CALL_WAITING] =
	    {
		[BIND_CALL_TURN] = {BIND_CALL_RECORDING,
		    BIND_DO_RECORD_STARTED},
		[BIND_CALL_REFUSE] = {BIND_CALL_REFUSED, END},
	    },
	[BIND_CALL_RECORDING] =
	    {
		[BIND_CALL_PASS] = {BIND_CALL_STARTED, BIND_DO_DISPATCH},
		[BIND_CALL_REFUSE] = {BIND_CALL_REFUSED, END},
		[BIND_CALL_ERROR] = {BIND_CALL_FAILED, END},
	    },
	[BIND_CALL_STARTED] =
	    {
		[BIND_CALL_VALUE] = {BIND_CALL_COMPLETED, END},
		[BIND_CALL_ERROR] = {BIND_CALL_FAILED, END},
		[BIND_CALL_LOSE] = {BIND_CALL_UNKNOWN, END},
	    },
};

enum bind_gate_state
bind_gate_next(enum bind_gate_state state, enum bind_gate_event event)
{
	WIRE_BUG_IF((unsigned)state >= BIND_GATE_STATES);
	WIRE_BUG_IF((unsigned)event >= BIND_GATE_EVENTS);
	return gate_table[state][event];
}

const char *
bind_gate_state_word(enum bind_gate_state state)
{
	static const char *const words[BIND_GATE_STATES] = {
	    [BIND_GATE_RUNNING] = "running",
	    [BIND_GATE_HALTED] = "halted",
	    [BIND_GATE_CLOSED] = "closed",
	};

	WIRE_BUG_IF((unsigned)state >= BIND_GATE_STATES);
	return words[state];
}

static const struct bind_call_step *
look_up(enum bind_gate_state gate, enum bind_call_state state,
    enum bind_call_event event)
{
	WIRE_BUG_IF((unsigned)gate >= BIND_GATE_STATES);
	WIRE_BUG_IF((unsigned)state >= BIND_CALL_STATES);
	WIRE_BUG_IF((unsigned)event >= BIND_CALL_EVENTS);
	/* Only an event that the state knows can be held back. */
	if (call_table[state][event].actions != 0 && gate_shut[gate][event])
		event = BIND_CALL_REFUSE;
	return &call_table[state][event];
}

struct bind_call_step
bind_call_next(enum bind_gate_state gate, enum bind_call_state state,
    enum bind_call_event event)
{
	const struct bind_call_step *step = look_up(gate, state, event);

	WIRE_BUG_IF(step->actions == 0);
	return *step;
}

bool
bind_call_allows(enum bind_gate_state gate, enum bind_call_state state,
    enum bind_call_event event)
{
	return look_up(gate, state, event)->actions != 0;
}

bool
bind_call_is_final(enum bind_call_state state)
{
	return state == BIND_CALL_COMPLETED || state == BIND_CALL_FAILED ||
	    state == BIND_CALL_REFUSED || state == BIND_CALL_UNKNOWN;
}

const char *
bind_call_state_word(enum bind_call_state state)
{
	static const char *const words[BIND_CALL_STATES] = {
	    [BIND_CALL_NEW] = "new",
	    [BIND_CALL_CHARGING] = "charging",
	    [BIND_CALL_ADMITTING] = "admitting",
	    [BIND_CALL_WAITING] = "waiting",
	    [BIND_CALL_RECORDING] = "recording",
	    [BIND_CALL_STARTED] = "started",
	    [BIND_CALL_COMPLETED] = "completed",
	    [BIND_CALL_FAILED] = "failed",
	    [BIND_CALL_REFUSED] = "refused",
	    [BIND_CALL_UNKNOWN] = "unknown",
	};

	WIRE_BUG_IF((unsigned)state >= BIND_CALL_STATES);
	return words[state];
}
