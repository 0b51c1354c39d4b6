/*
 * What holds `--limit memory=`: a control group with a limit that is read
 * back, and, beside it, whether a child's memory can be watched.
 */
#include "supervisor/doctor_steps.h"

#include <errno.h>
#include <unistd.h>

#include "supervisor/cgroup.h"
#include "supervisor/doctor_try.h"
#include "supervisor/memory_watch.h"
#include "supervisor/sys.h"

#define LIMIT (UINT64_C(64) << 20)

static int
try_group(struct sup_doctor_try *attempt, const struct sup_cgroups *groups)
{
	struct sup_cgroup_state state;
	struct sup_cgroup group;
	const char *call = "";
	int r;

	r = sup_cgroup_make(groups, "doctor", LIMIT, 8, true, &group, &call);
	if (r < 0) {
		sup_doctor_note(attempt,
		    "%s, in a cgroup beneath the one that this runs in", call);
		return r;
	}
	sup_cgroup_read(&group, &state);
	if (!sup_cgroup_remove(groups, &group))
		return -EBUSY;
	sup_doctor_see(attempt, "cgroup v%d%s",
	    groups->version == SUP_CGROUP_V2 ? 2 : 1,
	    state.swap_held ? "" : ", without a limit of swap");
	return state.limit == LIMIT ? 0 : SUP_DOCTOR_NO_EFFECT;
}

int
sup_step_memory_cgroup(struct sup_doctor_try *attempt)
{
	struct sup_cgroups groups = SUP_CGROUPS_NONE;
	int r = -ENOTSUP;

	/* The command waits for this child in the same group. */
	groups.with = getppid();
	sup_cgroups_open(&groups);
	if (groups.version == SUP_CGROUP_NONE)
		sup_doctor_note(attempt, "%s", groups.why);
	else
		r = try_group(attempt, &groups);
	sup_cgroups_close(&groups);
	return r;
}

/* As the watchdog would see one of another id. */
int
sup_step_memory_watch(struct sup_doctor_try *attempt)
{
	struct sup_memory_watch watch = SUP_MEMORY_WATCH_NONE;
	bool seen;

	sup_doctor_note(attempt, "/proc/PID/status of the parent");
	seen =
	    sup_memory_watch_start(&watch, 0, getppid(), LIMIT, sup_sys_now());
	sup_memory_watch_stop(&watch);
	return seen ? 0 : SUP_DOCTOR_NO_EFFECT;
}
