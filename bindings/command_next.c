#include "bindings/command_next.h"

#include "wire/err.h"

#define NOTHING BIND_COMMAND_DO_NOTHING
#define DRAIN	BIND_COMMAND_DO_DRAIN
#define KILL	BIND_COMMAND_DO_KILL
#define ANSWER	BIND_COMMAND_DO_ANSWER
#define FREE	BIND_COMMAND_DO_FREE

static const struct bind_command_step
    table[BIND_COMMAND_STATES][BIND_COMMAND_EVENTS] = {
	[BIND_COMMAND_RUNNING] =
	    {
		[BIND_COMMAND_EXITED] = {BIND_COMMAND_DRAINING, DRAIN},
		[BIND_COMMAND_FAILED] = {BIND_COMMAND_SWEEPING, ANSWER},
		[BIND_COMMAND_STOP] = {BIND_COMMAND_KILLING, KILL},
		/* Without a report: what became of the command is unknown. */
		[BIND_COMMAND_REAPED] = {BIND_COMMAND_GONE, ANSWER | FREE},
	    },
	[BIND_COMMAND_DRAINING] =
	    {
		[BIND_COMMAND_QUIET] = {BIND_COMMAND_SWEEPING, ANSWER},
		[BIND_COMMAND_STOP] = {BIND_COMMAND_SWEEPING, ANSWER},
		[BIND_COMMAND_REAPED] = {BIND_COMMAND_LAST, NOTHING},
	    },
	[BIND_COMMAND_LAST] =
	    {
		[BIND_COMMAND_QUIET] = {BIND_COMMAND_GONE, ANSWER | FREE},
		[BIND_COMMAND_STOP] = {BIND_COMMAND_GONE, ANSWER | FREE},
	    },
	[BIND_COMMAND_KILLING] =
	    {
		/* The first reason stays. */
		[BIND_COMMAND_STOP] = {BIND_COMMAND_KILLING, NOTHING},
		[BIND_COMMAND_REAPED] = {BIND_COMMAND_GONE, ANSWER | FREE},
	    },
	[BIND_COMMAND_SWEEPING] =
	    {
		[BIND_COMMAND_REAPED] = {BIND_COMMAND_GONE, FREE},
	    },
};

struct bind_command_step
bind_command_next(enum bind_command_state state, enum bind_command_event event)
{
	WIRE_BUG_IF((unsigned)state >= BIND_COMMAND_STATES);
	WIRE_BUG_IF((unsigned)event >= BIND_COMMAND_EVENTS);
	return table[state][event];
}
