/*
 * The states of an execution, as one table. Pure: exec.c performs.
 *
 *   GATHERING ──tools are listed──> STARTING
 *
 *   STARTING ──ready, accepted──> RUNNING ──end decided──> STOPPING
 *       │                            │ done, exit,             │ exit, grace
 *       │ refused, failed, late      │ violation               │ over
 *       └──────────> KILLING <───────┴─────────────────────────┘
 *                       │ process 1 is gone: everything of the child is
 *                    SETTLING (tools end) ──> FINISHED
 *
 * An event that a state has no cell for is late news and changes nothing.
 */
#ifndef SUP_EXEC_NEXT_H
#define SUP_EXEC_NEXT_H

enum sup_exec_state {
	SUP_EXEC_GATHERING, /* servers are asked for their tools */
	SUP_EXEC_STARTING,
	SUP_EXEC_RUNNING,
	SUP_EXEC_STOPPING, /* asked to end; grace */
	SUP_EXEC_KILLING,  /* SIGKILL is out; not yet seen dead */
	SUP_EXEC_SETTLING, /* the child is gone; tools may still end */
	SUP_EXEC_FINISHED,
	SUP_EXEC_STATES
};

enum sup_exec_event {
	SUP_EVENT_NONE,
	SUP_EVENT_GATHERED,   /* there is nothing more to wait for */
	SUP_EVENT_READY,      /* the report was accepted */
	SUP_EVENT_REFUSED,    /* the report does not meet the terms */
	SUP_EVENT_FAILED,     /* a stage of the start, or we ourselves */
	SUP_EVENT_READY_LATE, /* no report by the deadline */
	SUP_EVENT_DONE,	      /* the program's answer was accepted */
	SUP_EVENT_EXITED,     /* process 2 ended */
	SUP_EVENT_VIOLATION,  /* the channel broke its rules */
	SUP_EVENT_WALL_OVER,
	SUP_EVENT_CANCEL,
	SUP_EVENT_EXHAUSTED,   /* a budget of tool calls, where that ends it */
	SUP_EVENT_MEMORY_OVER, /* what the supervisor watches */
	SUP_EVENT_EXCEEDED,    /* what process 1 watches, and ended */
	SUP_EVENT_GRACE_OVER,
	SUP_EVENT_GONE,	       /* process 1 has been reaped */
	SUP_EVENT_SETTLED,     /* no tool holds anything any more */
	SUP_EVENT_SETTLE_OVER, /* patience with the tools is over */
	SUP_EXEC_EVENTS
};

enum sup_exec_action {
	SUP_DO_SEND_RUN = 1 << 0,
	SUP_DO_SEND_ABORT = 1 << 1,
	SUP_DO_HALT = 1 << 2, /* the halt gate closes, the channel is deaf */
	SUP_DO_TERM = 1 << 3, /* SIGTERM to process 2, and the grace period */
	SUP_DO_KILL = 1 << 4, /* the end of the tree */
	SUP_DO_COLLECT = 1 << 5, /* the rest of the output; tools are closed */
	SUP_DO_FINISH = 1 << 6,
	SUP_DO_KILL_NOW = 1 << 7, /* where KILL left it to process 1 */
	SUP_DO_BEGIN = 1 << 8,	  /* the child */
};

struct sup_exec_step {
	enum sup_exec_state next;
	unsigned actions; /* of enum sup_exec_action, in that order */
};

struct sup_exec_step sup_exec_next(
    enum sup_exec_state state, enum sup_exec_event event);

const char *sup_exec_state_word(enum sup_exec_state state);

#endif
