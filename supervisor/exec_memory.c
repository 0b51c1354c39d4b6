#include "supervisor/exec_memory.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "supervisor/sys.h"

/* Tasks of the child's own beside the program's threads and processes: the
 * program's first one, process 1, and one spare (terms.c has RLIMIT_NPROC). */
#define TASKS_OF_THE_START 3

/* How often the kills of a group are counted where half a tree could go on. */
#define COUNT_NS (100 * SUP_NS_PER_MS)

/* At its ceiling the limit is none: that is its default. */
static bool
is_asked(const struct weir_execution *e)
{
	return e->terms.limits[SUP_LIMIT_MEMORY] <
	    sup_limit_spec(SUP_LIMIT_MEMORY)->ceiling;
}

static bool
has_stage(const struct weir_execution *e)
{
	return (e->terms.layers >> WIRE_STAGE_MEMORY & 1) != 0;
}

static bool
has_group(const struct weir_execution *e)
{
	return e->memory.group.version != SUP_CGROUP_NONE;
}

void
sup_exec_memory_prepare(struct weir_execution *e)
{
	struct sup_cgroups *groups = &e->weir->cgroups;
	struct sup_exec_memory *m = &e->memory;
	uint64_t limit = e->terms.limits[SUP_LIMIT_MEMORY];
	const char *call = "";
	int r;

	*m = SUP_EXEC_MEMORY_NONE;
	if (!is_asked(e))
		return;
	sup_cgroups_open(groups);
	r = groups->version != SUP_CGROUP_NONE
	    ? sup_cgroup_make(groups, e->id, limit,
		  e->terms.limits[SUP_LIMIT_THREADS] +
		      e->terms.limits[SUP_LIMIT_PROCESSES] + TASKS_OF_THE_START,
		  has_stage(e), &m->group, &call)
	    : 0;
	if (r < 0)
		(void)snprintf(m->why, sizeof(m->why),
		    "no cgroup beneath the one that weir was started in: %s: "
		    "%s",
		    call, strerror(-r));
	else if (!has_group(e))
		(void)snprintf(m->why, sizeof(m->why), "%s", groups->why);
	e->evidence.memory = (struct sup_memory_seen){
	    .by = m->group.version == SUP_CGROUP_V2 ? SUP_MEMORY_CGROUP2
		: has_group(e)			    ? SUP_MEMORY_CGROUP1
						    : SUP_MEMORY_WATCHDOG,
	    .want = has_group(e) ? sup_cgroup_rounded(limit) : limit,
	    .why = m->why,
	};
	e->facts.memory.by = e->evidence.memory.by;
	e->facts.memory.limit = e->evidence.memory.want;
}

int
sup_exec_memory_clone_fd(const struct weir_execution *e)
{
	return e->memory.group.version == SUP_CGROUP_V2 ? e->memory.group.fd
							: -1;
}

enum wire_err
sup_exec_memory_enter(struct weir_execution *e, struct wire_errinfo *info)
{
	int r;

	/* Where clone3 is refused or unknown, the child stands outside. */
	if (!has_group(e) || e->child.in_cgroup)
		return WIRE_OK;
	r = sup_cgroup_enter(&e->memory.group, e->child.pid);
	if (r == 0)
		return WIRE_OK;
	if (info != NULL)
		*info = (struct wire_errinfo){
		    "stage memory: putting the child into its cgroup", -r, 0};
	return WIRE_ERR_SYSTEM;
}

void
sup_exec_memory_observe(
    const struct weir_execution *e, struct sup_memory_seen *seen)
{
	struct sup_cgroup_state state;

	if (!has_group(e))
		return;
	sup_cgroup_read(&e->memory.group, &state);
	seen->limit = state.limit;
	seen->swap_held = state.swap_held;
	seen->inside = sup_cgroup_holds(&e->memory.group, e->pid2);
}

void
sup_exec_memory_ready(struct weir_execution *e)
{
	struct sup_memory_watch *watch = &e->memory.watch;
	struct sup_memory_seen *seen = &e->evidence.memory;

	if (seen->by == SUP_MEMORY_NONE)
		return;
	/* One process needs no walk through a tree. */
	seen->by_tree =
	    e->evidence.processes > 0 || e->evidence.fork_errno != EPERM;
	if (seen->by != SUP_MEMORY_WATCHDOG) {
		sup_exec_memory_observe(e, seen);
		/* KERNEL: version 1 kills one process, and tells nobody. */
		if (seen->by == SUP_MEMORY_CGROUP1 && seen->by_tree)
			watch->next_ns = sup_sys_now() + COUNT_NS;
		sup_exec_arm(e);
		return;
	}
	seen->quota_seen = watch->quota_fd >= 0;
	seen->watched = has_stage(e) && e->pid2 > 0 &&
	    sup_memory_watch_start(watch, seen->by_tree ? e->child.pid : 0,
		e->pid2, seen->want, sup_sys_now());
	sup_exec_arm(e);
	sup_exec_warn(
	    e, "limit memory: watched, not enforced: %s", e->memory.why);
}

uint64_t
sup_exec_memory_next(const struct weir_execution *e)
{
	return e->memory.watch.next_ns;
}

static void
read_group(struct weir_execution *e)
{
	struct sup_memory_end *end = &e->facts.memory;
	struct sup_cgroup_state state;

	sup_cgroup_read(&e->memory.group, &state);
	end->kills = state.kills;
	end->hits = state.hits;
	if (state.peak > end->peak)
		end->peak = state.peak;
}

bool
sup_exec_memory_look(struct weir_execution *e, uint64_t now_ns)
{
	struct sup_memory_watch *watch = &e->memory.watch;

	if (now_ns < watch->next_ns)
		return false;
	if (has_group(e)) {
		read_group(e);
		watch->next_ns = now_ns + COUNT_NS;
		if (e->facts.memory.kills == 0)
			return false;
	} else {
		if (!sup_memory_watch_look(watch, now_ns))
			return false;
		e->facts.memory.over = true;
	}
	watch->next_ns = UINT64_MAX;
	return true;
}

void
sup_exec_memory_note(struct weir_execution *e)
{
	if (has_group(e))
		read_group(e);
	else
		e->facts.memory.peak = e->memory.watch.peak;
}

void
sup_exec_memory_kill(const struct weir_execution *e)
{
	if (has_group(e))
		sup_cgroup_kill(&e->memory.group);
}

void
sup_exec_memory_end(struct weir_execution *e)
{
	struct sup_cgroup_state state;

	sup_memory_watch_stop(&e->memory.watch);
	if (!has_group(e))
		return;
	/* The decision has been taken: only the peak may still be news. */
	sup_cgroup_read(&e->memory.group, &state);
	if (state.peak > e->facts.memory.peak)
		e->facts.memory.peak = state.peak;
	if (!sup_cgroup_remove(&e->weir->cgroups, &e->memory.group))
		sup_exec_warn(e,
		    "the cgroup of the execution could not be removed; the "
		    "next start with a memory limit tries again");
}
