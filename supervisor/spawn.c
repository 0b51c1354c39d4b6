#include "supervisor/spawn.h"

#include <errno.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "supervisor/sys.h"
#include "supervisor/sys_cgroup.h"

#define CHILD_STACK (32 * 1024)
#define SPACES                                                                 \
	(CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC |          \
	    CLONE_NEWUTS | CLONE_NEWCGROUP)

static const int namespaces[SUP_ATTEMPTS] = {
    [SUP_ATTEMPT_ISOLATED] = SPACES | CLONE_NEWNS,
    [SUP_ATTEMPT_SPACES] = SPACES,
    [SUP_ATTEMPT_PLAIN] = 0,
};

/* SECURITY: without the grant the network is always a new one (C13). */
static int
namespaces_of(const struct sup_spawn_request *request)
{
	int flags = namespaces[request->attempt];

	return request->network ? flags & ~CLONE_NEWNET : flags;
}

/* What the child finds; written by the parent before the clone. */
struct child_args {
	const struct sup_spawn_request *request;
	int ends[WIRE_FD_MOUNTS]; /* source of each fixed number */
};

/* Says which step failed, as the stub would, and ends. */
__attribute__((noreturn)) static void
child_fail(const struct child_args *args, enum wire_stage stage, int error)
{
	const struct wire_report report = {
	    .magic = WIRE_REPORT_MAGIC,
	    .code = WIRE_REPORT_FAILED,
	    .stage = (uint16_t)stage,
	    .sys = error,
	};

	(void)sup_sys_send(args->ends[WIRE_FD_REPORT], &report, sizeof(report));
	_exit(125);
}

/*
 * The stub is executed by an id that the new user namespace does not map, so
 * the exec would take the capabilities that the clone gave. Ambient ones stay
 * (capabilities(7), "Ambient capability set").
 */
static int
child_keep_capabilities(void)
{
	static const int kept[] = {
	    CAP_SYS_ADMIN, CAP_SETUID, CAP_SETGID, CAP_SETPCAP};

	return sup_sys_keep_capabilities(kept, sizeof(kept) / sizeof(kept[0]));
}

static int
child_place_fds(const struct child_args *args)
{
	const struct sup_spawn_request *request = args->request;
	int aside[WIRE_FD_MOUNTS + WIRE_PLAN_MOUNTS];
	int count = WIRE_FD_MOUNTS + (int)request->mount_count;

	/* First moved out of the way, so that putting one in its place cannot
	 * overwrite another that is still needed. */
	for (int i = 0; i < count; i++) {
		int from = i < WIRE_FD_MOUNTS
		    ? args->ends[i]
		    : request->mount_fds[i - WIRE_FD_MOUNTS];

		aside[i] = sup_sys_dup_above(from, count);
		if (aside[i] < 0)
			return aside[i];
	}
	for (int i = 0; i < count; i++) {
		int r = sup_sys_dup_to(aside[i], i);

		if (r < 0)
			return r;
	}
	return 0;
}

/* Runs in the parent's memory on its own stack; ends in exec or _exit. */
__attribute__((no_sanitize("address", "undefined"))) static int
child_main(void *arg)
{
	struct child_args *args = arg;
	int count = WIRE_FD_MOUNTS + (int)args->request->mount_count;
	int stub_fd, r;

	stub_fd = sup_sys_dup_above(args->request->stub_fd, count);
	if (stub_fd < 0)
		child_fail(args, WIRE_STAGE_DESCRIPTORS, -stub_fd);
	if (args->request->attempt != SUP_ATTEMPT_PLAIN)
		r = child_keep_capabilities();
	else
		r = 0;
	if (r < 0)
		child_fail(args, WIRE_STAGE_CAPABILITIES, -r);
	r = child_place_fds(args);
	if (r < 0)
		child_fail(args, WIRE_STAGE_DESCRIPTORS, -r);
	/* SECURITY: an empty environment and a fresh image: nothing of the
	 * supervisor's memory is in process 1 for the program to read. */
	r = sup_sys_exec_stub(stub_fd);
	args->ends[WIRE_FD_REPORT] = WIRE_FD_REPORT;
	child_fail(args, WIRE_STAGE_PLAN, -r);
}

/*
 * Made in its cgroup, so that nothing of it was ever outside. Only clone3(2)
 * can; where that is unknown or refused, the child is made as always, and put
 * in before it goes on.
 */
static int
clone_into(struct child_args *args, int *ret_pidfd)
{
	int pid = sup_sys_clone_into(
	    (uint64_t)namespaces_of(args->request) | CLONE_VFORK | CLONE_PIDFD,
	    args->request->cgroup_fd, ret_pidfd);

	if (pid == 0)
		_exit(child_main(args));
	return pid;
}

/* The clone itself, with all signals blocked: a handler of the host must not
 * run in the child, which shares its memory. */
static enum wire_err
clone_child(
    struct child_args *args, struct sup_child *child, struct wire_errinfo *info)
{
	sigset_t all, old;
	void *stack;
	int pidfd = -1;
	int r = -ENOSYS;

	stack = malloc(CHILD_STACK);
	if (stack == NULL)
		return wire_fail(info, WIRE_ERR_NO_MEMORY, "stack", 0);
	(void)sigfillset(&all);
	(void)pthread_sigmask(SIG_SETMASK, &all, &old);
	if (args->request->cgroup_fd >= 0)
		r = clone_into(args, &pidfd);
	child->in_cgroup = r > 0;
	if (r < 0)
		r = sup_sys_clone(child_main, (char *)stack + CHILD_STACK,
		    namespaces_of(args->request) | CLONE_VM | CLONE_VFORK |
			CLONE_PIDFD,
		    args, &pidfd);
	(void)pthread_sigmask(SIG_SETMASK, &old, NULL);
	free(stack);
	if (r < 0) {
		if (info != NULL)
			*info = (struct wire_errinfo){"clone", -r, 0};
		return WIRE_ERR_SYSTEM;
	}
	child->pid = r;
	child->pidfd = pidfd;
	return WIRE_OK;
}

/* Ends of the four connections that the child gets. */
struct ends {
	int out[2], err[2], channel[2], report[2];
};

static enum wire_err
make_ends(struct ends *ends, struct wire_errinfo *info)
{
	int r = sup_sys_pipe(ends->out);

	if (r >= 0)
		r = sup_sys_pipe(ends->err);
	if (r >= 0)
		r = sup_sys_socketpair(SOCK_STREAM, ends->channel);
	if (r >= 0)
		r = sup_sys_socketpair(SOCK_SEQPACKET, ends->report);
	if (r >= 0)
		r = sup_sys_set_nonblocking(ends->out[0]);
	if (r >= 0)
		r = sup_sys_set_nonblocking(ends->err[0]);
	if (r >= 0)
		return WIRE_OK;
	if (info != NULL)
		*info = (struct wire_errinfo){"pipes and sockets", -r, 0};
	return WIRE_ERR_SYSTEM;
}

static void
close_pair(int pair[2])
{
	sup_sys_close(&pair[0]);
	sup_sys_close(&pair[1]);
}

enum wire_err
sup_spawn(const struct sup_spawn_request *request, struct sup_child *ret_child,
    struct wire_errinfo *info)
{
	struct ends ends = {{-1, -1}, {-1, -1}, {-1, -1}, {-1, -1}};
	struct child_args args = {.request = request};
	struct sup_child child = SUP_CHILD_NONE;
	enum wire_err err;

	err = make_ends(&ends, info);
	if (err != WIRE_OK)
		goto out;
	args.ends[0] = request->null_fd;
	args.ends[1] = ends.out[1];
	args.ends[2] = ends.err[1];
	args.ends[WIRE_FD_CHANNEL] = ends.channel[1];
	args.ends[WIRE_FD_REPORT] = ends.report[1];
	args.ends[WIRE_FD_PLAN] = request->plan_fd;
	args.ends[WIRE_FD_SEAL] = request->seal_fd;
	err = clone_child(&args, &child, info);
	if (err != WIRE_OK)
		goto out;
	child.channel_fd = ends.channel[0];
	child.report_fd = ends.report[0];
	child.stdout_fd = ends.out[0];
	child.stderr_fd = ends.err[0];
	ends.channel[0] = ends.report[0] = ends.out[0] = ends.err[0] = -1;
	*ret_child = child;
out:
	close_pair(ends.out);
	close_pair(ends.err);
	close_pair(ends.channel);
	close_pair(ends.report);
	return err;
}

enum wire_err
sup_spawn_go(const struct sup_child *child, struct wire_errinfo *info)
{
	const char go = WIRE_REPORT_GO;
	ssize_t n = sup_sys_send(child->report_fd, &go, 1);

	if (n == 1)
		return WIRE_OK;
	if (info != NULL)
		*info = (struct wire_errinfo){"go", n < 0 ? (int)-n : 0, 0};
	return WIRE_ERR_SYSTEM;
}

void
sup_child_close(struct sup_child *child)
{
	sup_sys_close(&child->pidfd);
	sup_sys_close(&child->channel_fd);
	sup_sys_close(&child->report_fd);
	sup_sys_close(&child->stdout_fd);
	sup_sys_close(&child->stderr_fd);
	child->pid = -1;
}
