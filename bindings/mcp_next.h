/*
 * The life of one MCP server, as a pure table.
 *
 *	DOWN	    no process
 *	PROBING     a process that only tells its era, and is ended then
 *	HELLO	    the first message is sent, its answer is awaited
 *	LISTING     the first list of tools is on its way
 *	READY	    tools can be called
 *	REFRESHING  likewise; a new list is on its way
 *	ENDING	    the lifeline is closed; the guardian ends the tree
 *
 * A process is begun for an execution that may use the server, and lives
 * across executions. What was under way when it ends has failed, and what is
 * called afterwards cannot be reached; it is started again for a later
 * execution, never inside of one.
 */
#ifndef BIND_MCP_NEXT_H
#define BIND_MCP_NEXT_H

enum bind_mcp_state {
	BIND_MCP_DOWN,
	BIND_MCP_PROBING,
	BIND_MCP_HELLO,
	BIND_MCP_LISTING,
	BIND_MCP_READY,
	BIND_MCP_REFRESHING,
	BIND_MCP_ENDING,
	BIND_MCP_STATES
};

enum bind_mcp_event {
	BIND_MCP_START,
	BIND_MCP_PROBE,
	BIND_MCP_WELCOME,  /* the answer to the first message */
	BIND_MCP_PAGE,	   /* of the list, and there are more */
	BIND_MCP_LISTED,   /* its last page */
	BIND_MCP_UNLISTED, /* the new list cannot be had */
	BIND_MCP_STALE,	   /* a new list is wanted */
	BIND_MCP_LATE,	   /* the time for what is awaited is over */
	BIND_MCP_FAIL,	   /* it broke a rule, or we cannot go on with it */
	BIND_MCP_ENDED,	   /* its output, or its process, is at its end */
	BIND_MCP_STOP,	   /* nobody wants it any more */
	BIND_MCP_REAPED,   /* the guardian has ended */
	BIND_MCP_EVENTS
};

/* In this order. */
enum bind_mcp_action {
	BIND_MCP_DO_NOTHING = 1 << 0, /* a step that only changes state */
	BIND_MCP_DO_SPAWN = 1 << 1,   /* and say the first word */
	BIND_MCP_DO_GREET = 1 << 2,
	BIND_MCP_DO_ASK = 1 << 3,    /* for a page of the list */
	BIND_MCP_DO_ADOPT = 1 << 4,  /* the list is the one that is offered */
	BIND_MCP_DO_SETTLE = 1 << 5, /* nobody need wait for it any more */
	BIND_MCP_DO_KILL = 1 << 6,   /* close the lifeline; calls have failed */
	BIND_MCP_DO_FORGET = 1 << 7, /* nothing of the process is left */
};

struct bind_mcp_step {
	enum bind_mcp_state next;
	unsigned actions; /* 0: the event cannot happen in this state */
};

/* Pure. The caller traps on a step without actions. */
struct bind_mcp_step bind_mcp_next(
    enum bind_mcp_state state, enum bind_mcp_event event);

#endif
