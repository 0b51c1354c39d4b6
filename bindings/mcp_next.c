#include "bindings/mcp_next.h"

#include "wire/err.h"

#define NOTHING BIND_MCP_DO_NOTHING
#define SPAWN	BIND_MCP_DO_SPAWN
#define GREET	BIND_MCP_DO_GREET
#define ASK	BIND_MCP_DO_ASK
#define ADOPT	BIND_MCP_DO_ADOPT
#define SETTLE	BIND_MCP_DO_SETTLE
#define KILL	BIND_MCP_DO_KILL
#define FORGET	BIND_MCP_DO_FORGET

/* What ends it in every state that has a process. */
#define ENDS                                                                   \
	[BIND_MCP_FAIL] = {BIND_MCP_ENDING, SETTLE | KILL},                    \
	[BIND_MCP_ENDED] = {BIND_MCP_ENDING, SETTLE | KILL},                   \
	[BIND_MCP_STOP] = {BIND_MCP_ENDING, SETTLE | KILL},                    \
	[BIND_MCP_REAPED] = {BIND_MCP_DOWN, SETTLE | KILL | FORGET}

static const struct bind_mcp_step table[BIND_MCP_STATES][BIND_MCP_EVENTS] =
    {
	[BIND_MCP_DOWN] =
	    {
		[BIND_MCP_START] = {BIND_MCP_HELLO, SPAWN},
		[BIND_MCP_PROBE] = {BIND_MCP_PROBING, SPAWN},
		[BIND_MCP_STOP] = {BIND_MCP_DOWN, NOTHING},
	    },
	[BIND_MCP_PROBING] =
	    {
		/* Whatever it says or does not say: the next one is the real
		 * one, and somebody waits for that. */
		[BIND_MCP_WELCOME] = {BIND_MCP_ENDING, KILL},
		[BIND_MCP_LATE] = {BIND_MCP_ENDING, KILL},
		[BIND_MCP_FAIL] = {BIND_MCP_ENDING, KILL},
		[BIND_MCP_ENDED] = {BIND_MCP_ENDING, KILL},
		[BIND_MCP_STOP] = {BIND_MCP_ENDING, SETTLE | KILL},
		[BIND_MCP_REAPED] = {BIND_MCP_DOWN, KILL | FORGET},
	    },
	[BIND_MCP_HELLO] =
	    {
		[BIND_MCP_WELCOME] = {BIND_MCP_LISTING, GREET | ASK},
		[BIND_MCP_LATE] = {BIND_MCP_ENDING, SETTLE | KILL},
		ENDS,
	    },
	[BIND_MCP_LISTING] =
	    {
		[BIND_MCP_PAGE] = {BIND_MCP_LISTING, ASK},
		[BIND_MCP_LISTED] = {BIND_MCP_READY, ADOPT | SETTLE},
		[BIND_MCP_UNLISTED] = {BIND_MCP_ENDING, SETTLE | KILL},
		[BIND_MCP_LATE] = {BIND_MCP_ENDING, SETTLE | KILL},
		ENDS,
	    },
	[BIND_MCP_READY] =
	    {
		[BIND_MCP_STALE] = {BIND_MCP_REFRESHING, ASK},
		ENDS,
	    },
	[BIND_MCP_REFRESHING] =
	    {
		[BIND_MCP_PAGE] = {BIND_MCP_REFRESHING, ASK},
		[BIND_MCP_LISTED] = {BIND_MCP_READY, ADOPT | SETTLE},
		/* The list that was there is better than none. */
		[BIND_MCP_UNLISTED] = {BIND_MCP_READY, SETTLE},
		[BIND_MCP_LATE] = {BIND_MCP_READY, SETTLE},
		ENDS,
	    },
	[BIND_MCP_ENDING] =
	    {
		[BIND_MCP_LATE] = {BIND_MCP_ENDING, SETTLE},
		[BIND_MCP_FAIL] = {BIND_MCP_ENDING, NOTHING},
		[BIND_MCP_ENDED] = {BIND_MCP_ENDING, NOTHING},
		[BIND_MCP_STOP] = {BIND_MCP_ENDING, SETTLE},
		[BIND_MCP_REAPED] = {BIND_MCP_DOWN, FORGET},
	    },
};

struct bind_mcp_step
bind_mcp_next(enum bind_mcp_state state, enum bind_mcp_event event)
{
	WIRE_BUG_IF((unsigned)state >= BIND_MCP_STATES);
	WIRE_BUG_IF((unsigned)event >= BIND_MCP_EVENTS);
	return table[state][event];
}
