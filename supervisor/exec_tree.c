#include "supervisor/exec_tree.h"

#include "supervisor/sys.h"
#include "supervisor/tree.h"

#define LOOK_NS (50 * SUP_NS_PER_MS)
/* A look takes a tenth of one processor at most. */
#define SHARE 10

/* Process 1, and process 2, which is the program's first. */
#define OF_THE_START 2

static uint64_t
granted(const struct weir_execution *e)
{
	return e->launch->stub.processes;
}

static void
look(struct weir_execution *e, struct sup_tree_use *ret_use)
{
	uint64_t begin = sup_sys_own_time(), pause;

	sup_tree_look(e->child.pid, e->pid2, ret_use);
	if (ret_use->cpu_ns > e->facts.cpu_ns)
		e->facts.cpu_ns = ret_use->cpu_ns;
	/* Its own time: a tree that keeps the processors from it does not
	 * make it look less often. */
	pause = (sup_sys_own_time() - begin) * SHARE;
	e->tree_next_ns = sup_sys_now() + (pause > LOOK_NS ? pause : LOOK_NS);
}

void
sup_exec_tree_ready(struct weir_execution *e)
{
	struct sup_tree_use use;

	if (granted(e) == 0 || e->pid2 <= 0)
		return;
	look(e, &use);
	e->evidence.tree_watched = use.seen;
}

uint64_t
sup_exec_tree_next(const struct weir_execution *e)
{
	return e->state == SUP_EXEC_RUNNING && granted(e) > 0 ? e->tree_next_ns
							      : UINT64_MAX;
}

bool
sup_exec_tree_look(struct weir_execution *e, uint64_t now_ns)
{
	struct sup_tree_use use;

	if (now_ns < sup_exec_tree_next(e))
		return false;
	look(e, &use);
	if (e->facts.cpu_ns > e->facts.cpu_limit_ns)
		e->facts.exceeded = WIRE_EXCEEDED_CPU;
	else if (use.living > granted(e) + OF_THE_START)
		e->facts.exceeded = WIRE_EXCEEDED_PROCESSES;
	else
		return false;
	return true;
}

void
sup_exec_tree_note(struct weir_execution *e)
{
	struct sup_tree_use use;

	if (granted(e) > 0 && e->pid2 > 0 && e->child.pidfd >= 0)
		look(e, &use);
}
