#include "bindings/spawn.h"

#include <stdlib.h>

#include "bindings/sys.h"
#include "wire/report.h"

/* Deep enough for the functions below and what libc does in them. */
#define STACK_LEN ((size_t)32 * 1024)

/* Above every number that the new process keeps. */
#define CHILD_ASIDE_FD 16

#define CHILD_FAILED 127

__attribute__((noreturn)) static void
child_fail(int report_fd, int error)
{
	struct wire_report report = {
	    .magic = WIRE_REPORT_MAGIC,
	    .code = WIRE_REPORT_FAILED,
	    .stage = WIRE_STAGE_EXEC,
	    .sys = -error,
	};

	bind_child_send(report_fd, &report, sizeof(report));
	bind_child_exit(CHILD_FAILED);
}

/* First all out of the way, then each to its place: the numbers that were
 * given may be the places of others. */
static int
child_place_fds(const int fds[BIND_SPAWN_FDS])
{
	int aside[BIND_SPAWN_FDS];

	for (int i = 0; i < BIND_SPAWN_FDS; i++) {
		aside[i] = bind_child_dup_above(fds[i], CHILD_ASIDE_FD);
		if (aside[i] < 0)
			return aside[i];
	}
	for (int i = 0; i < BIND_SPAWN_FDS; i++) {
		int r = bind_child_dup_to(aside[i], i);

		if (r < 0)
			return r;
	}
	return 0;
}

static int
child_main(void *arg)
{
	const struct bind_spawn *spawn = arg;
	int r;

	r = child_place_fds(spawn->fds);
	if (r < 0)
		child_fail(spawn->fds[BIND_SPAWN_REPORT_FD], r);
	/* SECURITY: whatever the host has open, and forgot to mark
	 * close-on-exec, stays out of programs that weir starts. */
	r = bind_child_close_from(BIND_SPAWN_FDS);
	if (r == 0)
		r = bind_child_settle(
		    spawn->directory != NULL ? spawn->directory : "/");
	if (r == 0) {
		bind_child_reset_signals();
		r = bind_child_exec(
		    spawn->path, spawn->argv, spawn->environment);
	}
	child_fail(BIND_SPAWN_REPORT_FD, r);
}

enum wire_err
bind_spawn_start(const struct bind_spawn *spawn, pid_t *ret_pid, int *ret_pidfd,
    struct wire_errinfo *info)
{
	struct bind_spawn copy = *spawn;
	void *stack;
	pid_t pid;

	stack = aligned_alloc(16, STACK_LEN);
	if (stack == NULL)
		return wire_fail(info, WIRE_ERR_NO_MEMORY, "spawn", 0);
	pid = bind_sys_clone_vfork(
	    child_main, &copy, stack, STACK_LEN, ret_pidfd);
	free(stack);
	if (pid < 0) {
		(void)wire_fail(info, WIRE_ERR_SYSTEM, "spawn", 0);
		if (info != NULL)
			info->sys = -pid;
		return WIRE_ERR_SYSTEM;
	}
	*ret_pid = pid;
	return WIRE_OK;
}
