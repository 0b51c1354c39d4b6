#include "supervisor/cgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "supervisor/sys.h"
#include "supervisor/sys_cgroup.h"
#include "supervisor/sys_dir.h"

#define DIR_FLAGS (O_RDONLY | O_DIRECTORY | O_NOFOLLOW)

/* Ids of one group that are looked at in one go. */
#define PROCS_TEXT 16384

/* How long the kernel may take to empty a group whose members are dead. */
#define EMPTY_TRIES 100
#define EMPTY_MS    2

uint64_t
sup_cgroup_rounded(uint64_t bytes)
{
	return bytes & ~(uint64_t)(sysconf(_SC_PAGESIZE) - 1);
}

static int
put_number(int fd, const char *name, uint64_t number)
{
	char text[24];

	(void)snprintf(text, sizeof(text), "%" PRIu64, number);
	return sup_sys_put_at(fd, name, text);
}

static uint64_t
read_number(int fd, const char *name, uint64_t otherwise)
{
	char text[64];
	uint64_t number;

	if (sup_sys_read_text_at(fd, name, text, sizeof(text)) <= 0 ||
	    !sup_cgroup_number(text, &number))
		return otherwise;
	return number;
}

static uint64_t
read_count(int fd, const char *name, const char *word, uint64_t otherwise)
{
	char text[4096];
	uint64_t count;

	if (sup_sys_read_text_at(fd, name, text, sizeof(text)) <= 0 ||
	    !sup_cgroup_count(text, word, &count))
		return otherwise;
	return count;
}

/* --- what is in it -------------------------------------------------------- */

/* Whole lines only: a number that was cut off is another's. */
static void
read_members(const struct sup_cgroup *group, char text[PROCS_TEXT])
{
	char *last;

	text[0] = '\0';
	if (group->version != SUP_CGROUP_NONE)
		(void)sup_sys_read_text_at(
		    group->fd, "cgroup.procs", text, PROCS_TEXT);
	last = strrchr(text, '\n');
	if (last != NULL)
		last[1] = '\0';
	else
		text[0] = '\0';
}

bool
sup_cgroup_holds(const struct sup_cgroup *group, pid_t pid)
{
	char text[PROCS_TEXT], word[16];

	(void)snprintf(word, sizeof(word), "%d", (int)pid);
	read_members(group, text);
	return sup_cgroup_has(text, word);
}

int
sup_cgroup_enter(const struct sup_cgroup *group, pid_t pid)
{
	return put_number(group->fd, "cgroup.procs", (uint64_t)pid);
}

/* By a descriptor, and only when it is still in there: the number may be
 * another's by now. */
static void
kill_one(const struct sup_cgroup *group, pid_t pid)
{
	int fd = sup_sys_pidfd_open(pid);

	if (fd >= 0 && sup_cgroup_holds(group, pid))
		(void)sup_sys_signal(fd, pid, SIGKILL);
	sup_sys_close(&fd);
}

void
sup_cgroup_kill(const struct sup_cgroup *group)
{
	char text[PROCS_TEXT];
	char *p = text, *end;

	/* Since Linux 5.14, version 2 only. */
	if (group->version == SUP_CGROUP_V2 &&
	    sup_sys_put_at(group->fd, "cgroup.kill", "1") == 0)
		return;
	read_members(group, text);
	for (;; p = end) {
		long pid = strtol(p, &end, 10);

		if (end == p)
			break;
		/* 0: one of another PID namespace, which is none of ours. */
		if (pid > 0)
			kill_one(group, (pid_t)pid);
	}
}

static bool
is_empty(const struct sup_cgroup *group)
{
	char text[16];

	if (group->version == SUP_CGROUP_V2)
		return read_count(group->fd, "cgroup.events", "populated", 1) ==
		    0;
	return sup_sys_read_text_at(
		   group->fd, "cgroup.procs", text, sizeof(text)) == 0;
}

/* Takes the group at fd, beneath base_fd, away. */
static bool
take_away(int base_fd, struct sup_cgroup *group)
{
	int r = -EBUSY;

	for (int i = 0; i < EMPTY_TRIES && r == -EBUSY; i++) {
		if (i > 0)
			(void)sup_sys_poll(NULL, 0, EMPTY_MS);
		if (is_empty(group))
			r = sup_sys_rmdirat(base_fd, group->name);
		else
			sup_cgroup_kill(group);
	}
	sup_sys_close(&group->fd);
	group->version = SUP_CGROUP_NONE;
	return r == 0 || r == -ENOENT;
}

bool
sup_cgroup_remove(const struct sup_cgroups *groups, struct sup_cgroup *group)
{
	return group->version == SUP_CGROUP_NONE ||
	    take_away(groups->fd, group);
}

/* --- limits --------------------------------------------------------------- */

/* A file that this kernel may be without is no failure. */
static int
put_if_there(int fd, const char *name, uint64_t number)
{
	int r = put_number(fd, name, number);

	return r == -ENOENT ? 0 : r;
}

static int
limit_v2(int fd, uint64_t bytes, uint64_t tasks, const char **ret_call)
{
	int r;

	*ret_call = "memory.max";
	r = put_number(fd, "memory.max", bytes);
	if (r < 0)
		return r;
	*ret_call = "memory.swap.max";
	r = put_if_there(fd, "memory.swap.max", 0);
	if (r < 0)
		return r;
	/* All of the tree or nothing of it: what is left of half a tree could
	 * go on. */
	*ret_call = "memory.oom.group";
	r = put_if_there(fd, "memory.oom.group", 1);
	if (r < 0)
		return r;
	*ret_call = "pids.max";
	return put_if_there(fd, "pids.max", tasks);
}

static int
limit_v1(int fd, uint64_t bytes, const char **ret_call)
{
	int r;

	*ret_call = "memory.limit_in_bytes";
	r = put_number(fd, "memory.limit_in_bytes", bytes);
	if (r < 0)
		return r;
	/* Memory and swap together; after the other, which it may not be
	 * below. */
	*ret_call = "memory.memsw.limit_in_bytes";
	return put_if_there(fd, "memory.memsw.limit_in_bytes", bytes);
}

/* Whether the host has anything to swap to: a line beneath the heading. */
static bool
host_swaps(void)
{
	char text[4096];
	const char *line;

	(void)sup_sys_read_text("/proc/swaps", text, sizeof(text));
	line = strchr(text, '\n');
	return line != NULL && line[1] != '\0';
}

void
sup_cgroup_read(
    const struct sup_cgroup *group, struct sup_cgroup_state *ret_state)
{
	struct sup_cgroup_state *s = ret_state;
	bool v2 = group->version == SUP_CGROUP_V2;
	uint64_t swap;
	int fd = group->fd;

	*s = (struct sup_cgroup_state){0};
	if (group->version == SUP_CGROUP_NONE)
		return;
	s->limit =
	    read_number(fd, v2 ? "memory.max" : "memory.limit_in_bytes", 0);
	s->peak = read_number(
	    fd, v2 ? "memory.peak" : "memory.max_usage_in_bytes", 0);
	s->kills = read_count(
	    fd, v2 ? "memory.events" : "memory.oom_control", "oom_kill", 0);
	s->hits = v2 ? read_count(fd, "memory.events", "max", 0)
		     : read_number(fd, "memory.failcnt", 0);
	swap = read_number(fd,
	    v2 ? "memory.swap.max" : "memory.memsw.limit_in_bytes", UINT64_MAX);
	s->swap_held = swap <= (v2 ? 0 : s->limit) || !host_swaps();
}

int
sup_cgroup_make(const struct sup_cgroups *groups, const char *id,
    uint64_t bytes, uint64_t tasks, bool write_limit,
    struct sup_cgroup *ret_group, const char **ret_call)
{
	struct sup_cgroup group = {groups->version, -1, ""};
	int n = snprintf(
	    group.name, sizeof(group.name), "weir.%s.%s", groups->owner, id);
	int r;

	*ret_call = "mkdir";
	if (n < 0 || (size_t)n >= sizeof(group.name))
		return -ENAMETOOLONG;
	r = sup_sys_mkdirat(groups->fd, group.name, 0755);
	if (r < 0)
		return r;
	*ret_call = "open";
	group.fd = sup_sys_openat(groups->fd, group.name, DIR_FLAGS);
	r = group.fd;
	if (r >= 0 && write_limit && group.version == SUP_CGROUP_V2)
		r = limit_v2(group.fd, bytes, tasks, ret_call);
	else if (r >= 0 && write_limit)
		r = limit_v1(group.fd, bytes, ret_call);
	if (r >= 0) {
		*ret_group = group;
		return 0;
	}
	sup_sys_close(&group.fd);
	(void)sup_sys_rmdirat(groups->fd, group.name);
	return r;
}
