#include "supervisor/exec_next.h"

#include <stdbool.h>

struct cell {
	bool known;
	struct sup_exec_step step;
};

#define GO(next, actions)                                                      \
	{                                                                      \
		true,                                                          \
		{                                                              \
			SUP_EXEC_##next, (actions)                             \
		}                                                              \
	}

#define END (SUP_DO_HALT | SUP_DO_KILL)

static const struct cell table[SUP_EXEC_STATES][SUP_EXEC_EVENTS] =
    {
	[SUP_EXEC_GATHERING] =
	    {
		[SUP_EVENT_GATHERED] = GO(STARTING, SUP_DO_BEGIN),
		/* There is no child that could end. */
		[SUP_EVENT_CANCEL] = GO(SETTLING, SUP_DO_COLLECT),
	    },
	[SUP_EXEC_STARTING] =
	    {
		[SUP_EVENT_READY] = GO(RUNNING, SUP_DO_SEND_RUN),
		[SUP_EVENT_REFUSED] = GO(KILLING, SUP_DO_SEND_ABORT | END),
		[SUP_EVENT_FAILED] = GO(KILLING, END),
		[SUP_EVENT_READY_LATE] = GO(KILLING, END),
		[SUP_EVENT_EXITED] = GO(KILLING, END),
		[SUP_EVENT_VIOLATION] = GO(KILLING, END),
		[SUP_EVENT_CANCEL] = GO(KILLING, END),
		[SUP_EVENT_GONE] = GO(SETTLING, SUP_DO_HALT | SUP_DO_COLLECT),
	    },
	[SUP_EXEC_RUNNING] =
	    {
		/* After `done` the child only waits to be killed (S3). */
		[SUP_EVENT_DONE] = GO(KILLING, END),
		[SUP_EVENT_EXITED] = GO(KILLING, END),
		[SUP_EVENT_VIOLATION] = GO(KILLING, END),
		[SUP_EVENT_FAILED] = GO(KILLING, END),
		[SUP_EVENT_WALL_OVER] = GO(STOPPING, SUP_DO_HALT | SUP_DO_TERM),
		[SUP_EVENT_CANCEL] = GO(STOPPING, SUP_DO_HALT | SUP_DO_TERM),
		[SUP_EVENT_EXHAUSTED] = GO(STOPPING, SUP_DO_HALT | SUP_DO_TERM),
		[SUP_EVENT_EXCEEDED] = GO(KILLING, END),
		[SUP_EVENT_MEMORY_OVER] = GO(KILLING, END),
		[SUP_EVENT_GONE] = GO(SETTLING, SUP_DO_HALT | SUP_DO_COLLECT),
	    },
	[SUP_EXEC_STOPPING] =
	    {
		[SUP_EVENT_EXITED] = GO(KILLING, SUP_DO_KILL),
		[SUP_EVENT_MEMORY_OVER] = GO(KILLING, SUP_DO_KILL),
		[SUP_EVENT_GRACE_OVER] = GO(KILLING, SUP_DO_KILL),
		[SUP_EVENT_GONE] = GO(SETTLING, SUP_DO_COLLECT),
	    },
	[SUP_EXEC_KILLING] =
	    {
		/* Process 1 did not end the tree in time. */
		[SUP_EVENT_GRACE_OVER] = GO(KILLING, SUP_DO_KILL_NOW),
		[SUP_EVENT_GONE] = GO(SETTLING, SUP_DO_COLLECT),
	    },
	[SUP_EXEC_SETTLING] =
	    {
		[SUP_EVENT_SETTLED] = GO(FINISHED, SUP_DO_FINISH),
		[SUP_EVENT_SETTLE_OVER] = GO(FINISHED, SUP_DO_FINISH),
	    },
};

struct sup_exec_step
sup_exec_next(enum sup_exec_state state, enum sup_exec_event event)
{
	const struct cell *cell = &table[state][event];

	if (!cell->known)
		return (struct sup_exec_step){state, 0};
	return cell->step;
}

const char *
sup_exec_state_word(enum sup_exec_state state)
{
	static const char *const words[SUP_EXEC_STATES] = {
	    [SUP_EXEC_GATHERING] = "gathering",
	    [SUP_EXEC_STARTING] = "starting",
	    [SUP_EXEC_RUNNING] = "running",
	    [SUP_EXEC_STOPPING] = "stopping",
	    [SUP_EXEC_KILLING] = "killing",
	    [SUP_EXEC_SETTLING] = "settling",
	    [SUP_EXEC_FINISHED] = "finished",
	};

	return words[state];
}
