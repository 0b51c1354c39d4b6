/*
 * Control groups that hold the memory of an execution (C15).
 *
 * A group is only ever made beneath the one that the supervisor was started
 * in, never elsewhere. Its name is the record of its owner, so that the next
 * start that asks for one sweeps what a killed supervisor left (S4).
 *
 * Version 2 gives controllers only to groups whose parent holds no process
 * (Documentation/admin-guide/cgroup-v2.rst, "No Internal Process Constraint").
 * Where the supervisor is alone in its group, as under `systemd-run --scope
 * -p Delegate=yes`, it therefore moves into a group of its own beneath it, and
 * back when the last context is freed; where others are in there with it, it
 * leaves everything as it is and there is no group. Version 1 has no such
 * rule.
 *
 * Owns: the descriptors. Nothing is asked of the host until sup_cgroups_open.
 * Threads: one at a time for each struct.
 */
#ifndef SUP_CGROUP_H
#define SUP_CGROUP_H

#include <sys/types.h>

#include "supervisor/cgroup_text.h"
#include "supervisor/owner.h"
#include "wire/err.h"

#define SUP_CGROUP_NAME 160
#define SUP_CGROUP_WHY	256

/* Where groups are made. */
struct sup_cgroups {
	bool looked; /* opened, whether with success or not */
	enum sup_cgroup_version version; /* NONE: none can be made */
	int fd;
	pid_t with; /* to be moved along, for doctor; 0: none */
	bool moved; /* the supervisor stands in a group of its own beneath */
	char owner[SUP_OWNER_TEXT];
	char why[SUP_CGROUP_WHY]; /* there is none, and what to do about it */
};

#define SUP_CGROUPS_NONE                                                       \
	((struct sup_cgroups){false, SUP_CGROUP_NONE, -1, 0, false, "", ""})

/* Looks once, and sweeps. Never fails: version and why say what was had. */
void sup_cgroups_open(struct sup_cgroups *groups);
void sup_cgroups_close(struct sup_cgroups *groups);

/* The group of one execution. */
struct sup_cgroup {
	enum sup_cgroup_version version; /* NONE: there is none */
	int fd;
	char name[SUP_CGROUP_NAME];
};

#define SUP_CGROUP_EMPTY ((struct sup_cgroup){SUP_CGROUP_NONE, -1, ""})

/*
 * Makes the group `id` with a limit of so many bytes and tasks (as far as
 * there is a controller for those). write_limit is unset only by a test build.
 * 0, or -errno with *ret_call the file or call that failed and nothing left.
 */
int sup_cgroup_make(const struct sup_cgroups *groups, const char *id,
    uint64_t bytes, uint64_t tasks, bool write_limit,
    struct sup_cgroup *ret_group, const char **ret_call);

/* Puts a process in. 0 or -errno. */
int sup_cgroup_enter(const struct sup_cgroup *group, pid_t pid);
bool sup_cgroup_holds(const struct sup_cgroup *group, pid_t pid);

/* What a limit of so many bytes is after the kernel's rounding to pages. */
uint64_t sup_cgroup_rounded(uint64_t bytes);

struct sup_cgroup_state {
	uint64_t limit; /* 0: cannot be read; UINT64_MAX: none */
	bool swap_held;
	uint64_t peak; /* 0: the kernel does not count it */
	uint64_t kills, hits;
};

void sup_cgroup_read(
    const struct sup_cgroup *group, struct sup_cgroup_state *ret_state);

/* SIGKILL to all that is in it. */
void sup_cgroup_kill(const struct sup_cgroup *group);

/* Kills what is left, waits until the group is seen empty, removes it. False
 * when it stays; then a later start sweeps it. */
bool sup_cgroup_remove(
    const struct sup_cgroups *groups, struct sup_cgroup *group);

#endif
