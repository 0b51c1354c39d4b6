/*
 * Where control groups are made: finding the own group, making room beneath
 * it, sweeping, and leaving it as it was (cgroup.h).
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "supervisor/cgroup.h"
#include "supervisor/sys.h"
#include "supervisor/sys_cgroup.h"
#include "supervisor/sys_dir.h"

#define DIR_FLAGS (O_RDONLY | O_DIRECTORY)

/* The group that the supervisor itself stands in, where it had to move. */
#define SELF "self"

__attribute__((format(printf, 2, 3))) static void
explain(struct sup_cgroups *groups, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	(void)vsnprintf(groups->why, sizeof(groups->why), format, args);
	va_end(args);
	groups->version = SUP_CGROUP_NONE;
	sup_sys_close(&groups->fd);
}

static void
self_name(const struct sup_cgroups *groups, char name[SUP_CGROUP_NAME])
{
	(void)snprintf(name, SUP_CGROUP_NAME, "weir.%s." SELF, groups->owner);
}

/* --- finding it ----------------------------------------------------------- */

/* The mounted directory of the caller's group; false when there is none. */
static bool
find_dir(const char *own, const char *controller, char dir[PATH_MAX])
{
	FILE *stream = fopen("/proc/self/mountinfo", "re");
	struct sup_cgroup_mount mount;
	char line[2 * PATH_MAX], path[PATH_MAX];
	bool found = false;

	if (!sup_cgroup_own(own, controller, path, sizeof(path))) {
		if (stream != NULL)
			(void)fclose(stream);
		return false;
	}
	while (stream != NULL && !found &&
	    fgets(line, sizeof(line), stream) != NULL)
		found = sup_cgroup_is_mount(line, controller, &mount) &&
		    sup_cgroup_locate(&mount, path, dir, PATH_MAX);
	if (stream != NULL)
		(void)fclose(stream);
	return found;
}

/* Whether dir is the group that this very process has moved to before; then
 * its parent is the one that it was started in. */
static bool
was_moved(const struct sup_cgroups *groups, char dir[PATH_MAX])
{
	char name[SUP_CGROUP_NAME];
	char *last = strrchr(dir, '/');

	self_name(groups, name);
	if (last == NULL || strcmp(last + 1, name) != 0)
		return false;
	*last = '\0';
	return true;
}

static void
find(struct sup_cgroups *groups)
{
	char own[8192], controllers[1024] = "", dir[PATH_MAX];
	bool v2;

	(void)sup_sys_read_text("/proc/self/cgroup", own, sizeof(own));
	v2 = find_dir(own, "", dir);
	if (v2) {
		groups->moved = was_moved(groups, dir);
		groups->fd = sup_sys_open(dir, DIR_FLAGS);
		if (groups->fd >= 0)
			(void)sup_sys_read_text_at(groups->fd,
			    "cgroup.controllers", controllers,
			    sizeof(controllers));
	}
	groups->version = sup_cgroup_choose(own, controllers);
	if (groups->version == SUP_CGROUP_V2)
		return;
	sup_sys_close(&groups->fd);
	groups->moved = false;
	if (groups->version == SUP_CGROUP_NONE) {
		explain(groups,
		    "the memory controller is not given to the cgroup that "
		    "weir was started in");
		return;
	}
	if (!find_dir(own, "memory", dir)) {
		explain(groups,
		    "the cgroup that weir was started in is not mounted here");
		return;
	}
	groups->fd = sup_sys_open(dir, DIR_FLAGS);
	if (groups->fd < 0)
		explain(groups, "%.120s: %s", dir, strerror(-groups->fd));
}

/* --- room beneath it ------------------------------------------------------ */

static bool
is_alone(const struct sup_cgroups *groups)
{
	char text[1024];
	char *p = text, *end;

	(void)sup_sys_read_text_at(
	    groups->fd, "cgroup.procs", text, sizeof(text));
	for (;; p = end) {
		long pid = strtol(p, &end, 10);

		if (end == p)
			return p != text;
		if (pid != getpid() && (pid != groups->with || pid == 0))
			return false;
	}
}

/* This process, and the one that goes with it, into a group. 0 or -errno. */
static int
move_to(const struct sup_cgroups *groups, const char *procs)
{
	char pid[16];
	int r = sup_sys_put_at(groups->fd, procs, "0");

	if (r < 0 || groups->with == 0)
		return r;
	(void)snprintf(pid, sizeof(pid), "%d", (int)groups->with);
	return sup_sys_put_at(groups->fd, procs, pid);
}

static void
move_back(struct sup_cgroups *groups)
{
	char name[SUP_CGROUP_NAME];

	self_name(groups, name);
	(void)sup_sys_put_at(groups->fd, "cgroup.subtree_control", "-memory");
	(void)sup_sys_put_at(groups->fd, "cgroup.subtree_control", "-pids");
	(void)move_to(groups, "cgroup.procs");
	(void)sup_sys_rmdirat(groups->fd, name);
	groups->moved = false;
}

/* Into a group of its own, so that the one it was started in can hand its
 * controllers on. 0 or -errno. */
static int
move_down(struct sup_cgroups *groups)
{
	char name[SUP_CGROUP_NAME], procs[SUP_CGROUP_NAME + 16];
	int r;

	self_name(groups, name);
	(void)snprintf(procs, sizeof(procs), "%s/cgroup.procs", name);
	r = sup_sys_mkdirat(groups->fd, name, 0755);
	if (r < 0 && r != -EEXIST)
		return r;
	r = move_to(groups, procs);
	groups->moved = true;
	if (r == 0)
		r = sup_sys_put_at(
		    groups->fd, "cgroup.subtree_control", "+memory");
	if (r < 0) {
		move_back(groups);
		return r;
	}
	/* Not everywhere; RLIMIT_NPROC and the filter stand beside it. */
	(void)sup_sys_put_at(groups->fd, "cgroup.subtree_control", "+pids");
	return 0;
}

static void
make_room(struct sup_cgroups *groups)
{
	char given[1024];
	int r;

	(void)sup_sys_read_text_at(
	    groups->fd, "cgroup.subtree_control", given, sizeof(given));
	if (sup_cgroup_has(given, "memory"))
		return;
	/* With others in it it cannot hand anything on (EBUSY, "no internal
	 * processes" in cgroups(7)), and they are not weir's to move. */
	if (!is_alone(groups)) {
		explain(groups,
		    "weir is not alone in the cgroup that it was started in; "
		    "start it in one of its own: systemd-run --user --scope "
		    "-p Delegate=yes weir ...");
		return;
	}
	r = move_down(groups);
	if (r < 0)
		explain(groups,
		    "the cgroup that weir was started in is not delegated to "
		    "it: %s; systemd-run --user --scope -p Delegate=yes weir "
		    "...",
		    strerror(-r));
}

/* --- sweeping, leaving ---------------------------------------------------- */

struct sweep {
	struct sup_cgroups *groups;
	struct sup_owner self;
	unsigned own; /* groups of this process that are there, SELF apart */
};

static bool
read_name(const char *name, struct sup_owner *owner)
{
	return strncmp(name, "weir.", 5) == 0 &&
	    sup_owner_read(name + 5, owner);
}

static void
sweep_one(void *arg, const char *name)
{
	struct sweep *s = arg;
	struct sup_cgroup group = {s->groups->version, -1, ""};
	struct sup_owner owner;

	if (!read_name(name, &owner) || !sup_owner_is_gone(&owner, &s->self))
		return;
	group.fd = sup_sys_openat(s->groups->fd, name, DIR_FLAGS | O_NOFOLLOW);
	if (group.fd < 0)
		return;
	(void)snprintf(group.name, sizeof(group.name), "%s", name);
	(void)sup_cgroup_remove(s->groups, &group);
}

static void
count_one(void *arg, const char *name)
{
	struct sweep *s = arg;
	char self[SUP_CGROUP_NAME];
	size_t len = strlen(s->groups->owner);

	self_name(s->groups, self);
	if (strncmp(name, "weir.", 5) == 0 &&
	    strncmp(name + 5, s->groups->owner, len) == 0 &&
	    strcmp(name, self) != 0)
		s->own++;
}

void
sup_cgroups_open(struct sup_cgroups *groups)
{
	struct sweep s = {.groups = groups};

	if (groups->looked)
		return;
	groups->looked = true;
	sup_owner_find(&s.self);
	sup_owner_write(&s.self, groups->owner);
	find(groups);
	if (groups->version == SUP_CGROUP_NONE)
		return;
	sup_sys_list(groups->fd, sweep_one, &s);
	if (groups->version == SUP_CGROUP_V2)
		make_room(groups);
}

void
sup_cgroups_close(struct sup_cgroups *groups)
{
	struct sweep s = {.groups = groups};

	/* Another context of this process may have groups in there. */
	if (groups->moved && groups->fd >= 0) {
		sup_sys_list(groups->fd, count_one, &s);
		if (s.own == 0)
			move_back(groups);
	}
	sup_sys_close(&groups->fd);
	*groups = SUP_CGROUPS_NONE;
}
