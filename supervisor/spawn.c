#include "supervisor/spawn.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "supervisor/sys.h"

#define CHILD_STACK (64 * 1024)
#define NAMESPACES                                                             \
	(CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWNET |           \
	    CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP)

/* Descriptors are first moved above this, so that putting them in their
 * places cannot overwrite one that is still needed. */
#define ASIDE 64

/* What the child finds; written by the parent before the clone. */
struct child_args {
	const struct sup_spawn_request *request;
	int ends[WIRE_FD_MOUNTS]; /* source of each fixed number */
};

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
	struct __user_cap_header_struct head = {_LINUX_CAPABILITY_VERSION_3, 0};
	struct __user_cap_data_struct data[2];

	if (syscall(SYS_capget, &head, data) < 0)
		return -1;
	for (int i = 0; i < 2; i++)
		data[i].inheritable = data[i].permitted;
	if (syscall(SYS_capset, &head, data) < 0)
		return -1;
	for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++)
		if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, kept[i], 0, 0) <
		    0)
			return -1;
	return 0;
}

static int
child_place_fds(const struct child_args *args)
{
	const struct sup_spawn_request *request = args->request;
	int aside[WIRE_FD_MOUNTS + WIRE_PLAN_MOUNTS];
	int count = WIRE_FD_MOUNTS + (int)request->mount_count;

	for (int i = 0; i < count; i++) {
		int from = i < WIRE_FD_MOUNTS
		    ? args->ends[i]
		    : request->mount_fds[i - WIRE_FD_MOUNTS];

		aside[i] = fcntl(from, F_DUPFD_CLOEXEC, ASIDE + count);
		if (aside[i] < 0)
			return -1;
	}
	for (int i = 0; i < count; i++)
		if (dup2(aside[i], i) < 0)
			return -1;
	return 0;
}

/* Runs in the parent's memory on its own stack; ends in exec or _exit. */
__attribute__((no_sanitize("address", "undefined"))) static int
child_main(void *arg)
{
	struct child_args *args = arg;
	static char name[] = "weir-child";
	char *argv[] = {name, NULL};
	char *envp[] = {NULL};
	int stub_fd;

	/* SECURITY: an empty environment and a fresh image: nothing of the
	 * supervisor's memory is in process 1 for the program to read. */
	stub_fd = fcntl(args->request->stub_fd, F_DUPFD_CLOEXEC,
	    ASIDE + WIRE_FD_MOUNTS + WIRE_PLAN_MOUNTS);
	if (stub_fd >= 0 && child_place_fds(args) == 0 &&
	    child_keep_capabilities() == 0)
		(void)syscall(
		    SYS_execveat, stub_fd, "", argv, envp, AT_EMPTY_PATH);
	_exit(125);
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
	int r;

	stack = mmap(NULL, CHILD_STACK, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
	if (stack == MAP_FAILED)
		return wire_fail(info, WIRE_ERR_NO_MEMORY, "stack", 0);
	(void)sigfillset(&all);
	(void)pthread_sigmask(SIG_SETMASK, &all, &old);
	r = sup_sys_clone(child_main, (char *)stack + CHILD_STACK,
	    NAMESPACES | CLONE_VM | CLONE_VFORK | CLONE_PIDFD, args, &pidfd);
	(void)pthread_sigmask(SIG_SETMASK, &old, NULL);
	(void)munmap(stack, CHILD_STACK);
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
