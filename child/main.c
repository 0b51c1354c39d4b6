/*
 * weir-child: what stands between the supervisor and an untrusted program.
 *
 * Theory of operation
 *
 *   supervisor ──clone──> process 1 (this program, executed afresh with an
 *                         empty environment, so that no memory of the
 *                         supervisor comes along)
 *                           │ confines itself, step by step, privilege only
 *                           │ falls
 *                           └──fork──> process 2: limits, then exec of the
 *                                      Python interpreter
 *
 * Descriptors at the start: 0 /dev/null, 1 and 2 pipes, 3 the channel,
 * 4 the report socket, 5 the plan, 6 the module's plan, 7 and up mounts that
 * the supervisor had to open. Process 1 keeps only 4, which is the lifeline
 * too: when the supervisor's end closes, process 1 exits and the kernel ends
 * the rest. Process 2 keeps 0 to 3 and 6; the interpreter's module closes 6
 * before anything untrusted is compiled.
 *
 * Privileges: at the start all capabilities of the new user namespace and
 * none of the host's; none at all from `capabilities` on.
 *
 * Where the host gives no namespaces, process 1 stays on the host's root and
 * is the subreaper of what follows: it ends the tree and clears the workspace.
 *
 * Every stage is one line below, in order, with its name in wire/report.h.
 * A stage that fails is reported with its errno, and nothing runs. The stub
 * allocates nothing and needs no library.
 *
 * `weir-child guard ...` and `weir-child sweep` are other roles of the same
 * program: see guard.c and workspace.c.
 */
#include <asm/fcntl.h>
#include <linux/errno.h>
#include <linux/fcntl.h>
#include <linux/prctl.h>
#include <linux/sched.h>

#include "child/limits.h"
#include "child/stub.h"
#include "child/sys.h"

#define SIGKILL_ 9
#define SIGCHLD_ 17

static struct wire_plan plan;
static struct stub_root root = {.old_fd = -1};
static long self_pid;

/* Runs one stage unless the test build's plan leaves it out. */
#define STAGE(name, call)                                                      \
	do {                                                                   \
		int error_ = 0;                                                \
		if (wire_plan_has(&plan, WIRE_STAGE_##name))                   \
			error_ = (call);                                       \
		if (error_ != 0)                                               \
			stub_fail(WIRE_FD_REPORT, WIRE_STAGE_##name, error_,   \
			    root.detail);                                      \
	} while (0)

static unsigned
mount_fd_count(void)
{
	unsigned count = 0;

	for (size_t i = 0; i < plan.mount_count; i++)
		if (plan.mounts[i].fd >= 0)
			count++;
	return count;
}

/*
 * SECURITY: without a PID namespace nothing but process 1 ends process 2; if
 * that one is killed, process 2 must not outlive it. After every change of
 * ids, which would clear it, and checked against a parent that was faster.
 * prctl(2), PR_SET_PDEATHSIG.
 */
static void
die_with_parent(void)
{
	(void)STUB_SYS(__NR_prctl, PR_SET_PDEATHSIG, SIGKILL_, 0, 0, 0);
	if (STUB_SYS(__NR_getppid) != self_pid)
		stub_exit(STUB_EXIT_FAILED);
}

/* Process 2: from here to the interpreter. */
__attribute__((noreturn)) static void
become_interpreter(void)
{
	enum wire_stage stage = WIRE_STAGE_CORE;
	int error = stub_limits_apply(&plan, &stage);
	long r;

	if (error != 0)
		stub_fail(WIRE_FD_REPORT, stage, error, 0);
	if (plan.backend != WIRE_BACKEND_ISOLATED) {
		die_with_parent();
		/* Its number stays taken while anyone of the group lives. */
		(void)STUB_SYS(__NR_setpgid, 0, 0);
	}
	stub_signals_reset();
	(void)STUB_SYS(__NR_umask, 077);
	/* The report socket goes at the exec, so that a failure of the exec
	 * itself can still be told. */
	(void)STUB_SYS(__NR_fcntl, WIRE_FD_REPORT, 2 /* F_SETFD */, 1);
	r = STUB_SYS(__NR_execve, plan.args[0], plan.args, plan.env);
	stub_fail(WIRE_FD_REPORT, WIRE_STAGE_EXEC, (int)-r, 0);
}

/* Process 1 lets go of what only process 2 needs. */
static void
close_child_ends(void)
{
	(void)STUB_SYS(__NR_close_range, 0, WIRE_FD_CHANNEL, 0);
	if (plan.backend == WIRE_BACKEND_ISOLATED)
		(void)STUB_SYS(__NR_close_range, WIRE_FD_REPORT + 1, ~0U, 0);
	else
		(void)STUB_SYS(__NR_close_range, STUB_FD_WORKSPACE + 1, ~0U, 0);
}

/*
 * Forks process 2 on this very memory and stack (CLONE_VM | CLONE_VFORK),
 * which saves copying them: process 1 sleeps until the exec. Safe since
 * become_interpreter never returns and only reads what is shared; the result
 * is kept in a register of each, so neither sees the other's.
 */
__attribute__((noinline)) static long
fork_interpreter(int *ret_pidfd)
{
	long pid = STUB_SYS(__NR_clone,
	    CLONE_VM | CLONE_VFORK | CLONE_PIDFD | SIGCHLD_, 0, ret_pidfd, 0,
	    0);

	if (pid == 0)
		become_interpreter();
	return pid;
}

/* Only its usage is looked at out there (statfs(2)). */
static void
send_workspace(void)
{
	const struct wire_report report = {.code = WIRE_REPORT_WORKSPACE};
	long fd = STUB_SYS(__NR_openat, AT_FDCWD, plan.workspace,
	    O_PATH | O_DIRECTORY | O_CLOEXEC, 0);

	if (fd < 0 || stub_report(WIRE_FD_REPORT, &report, (int)fd) != 0)
		stub_fail(WIRE_FD_REPORT, WIRE_STAGE_WORKSPACE,
		    fd < 0 ? (int)-fd : EIO, 0);
	(void)STUB_SYS(__NR_close, fd);
}

__attribute__((noreturn)) static void
launch(void)
{
	struct wire_report report = {.code = WIRE_REPORT_LAUNCHED};
	int pidfd = -1;
	long pid;

	report.mounts = root.mounts;
	report.detail = stub_subreaper_is();
	if (plan.namespaces)
		stub_links_count(&report.links, &report.links_up);
	if (plan.send_workspace)
		send_workspace();
	(void)STUB_SYS(__NR_setsid);
	self_pid = STUB_SYS(__NR_getpid);
	pid = fork_interpreter(&pidfd);
	if (pid < 0)
		stub_fail(WIRE_FD_REPORT, WIRE_STAGE_FORK, (int)-pid, 0);
	if (stub_report(WIRE_FD_REPORT, &report, pidfd) != 0)
		stub_exit(STUB_EXIT_FAILED);
	close_child_ends();
	stub_init_loop(WIRE_FD_REPORT, (int)pid, &plan);
}

/* A root of its own, in namespaces of its own. */
static void
confine_isolated(void)
{
	STAGE(ROOT, stub_root_sources(&plan, &root));
	root.detail = 0;
	STAGE(MAPS, stub_maps_wait(WIRE_FD_REPORT));
	STAGE(IDS, stub_ids_become(plan.uid, plan.gid));
	STAGE(ROOT, stub_root_build(&plan, &root));
	/* SECURITY: whatever the plan says, nothing goes on in the host's
	 * root. */
	if (!root.stands)
		stub_fail(WIRE_FD_REPORT, WIRE_STAGE_ROOT, ENOENT, 0);
	STAGE(WORKSPACE, stub_root_workspace(&plan, &root));
	STAGE(CAPABILITIES, stub_capabilities_drop(true));
	STAGE(NO_NEW_PRIVS, stub_no_new_privs());
	STAGE(DUMPABLE, stub_not_dumpable());
}

/*
 * The host's root, in whatever namespaces the host gives. Landlock and seccomp
 * are the boundary, and both come with the module's plan. The bounding set
 * goes while its owner may still drop it, before the ids.
 */
static void
confine_process(void)
{
	uint32_t by_pid = plan.by_pid ? (uint32_t)STUB_SYS(__NR_getpid) : 0;

	STAGE(MAPS, stub_maps_wait(WIRE_FD_REPORT));
	if (!plan.namespaces && wire_plan_has(&plan, WIRE_STAGE_CAPABILITIES))
		stub_bounding_drop();
	if (plan.uid != WIRE_PLAN_KEEP)
		STAGE(
		    IDS, stub_ids_become(plan.uid + by_pid, plan.gid + by_pid));
	STAGE(WORKSPACE, stub_workspace_enter(&plan));
	STAGE(CAPABILITIES, stub_capabilities_drop(plan.namespaces != 0));
	STAGE(NO_NEW_PRIVS, stub_no_new_privs());
	STAGE(DUMPABLE, stub_not_dumpable());
	STAGE(SUBREAPER, stub_subreaper_become());
}

/* --unconfined: the caller's own rights (C1). Process 1 stays what it is. */
static void
confine_not_at_all(void)
{
	STAGE(MAPS, stub_maps_wait(WIRE_FD_REPORT));
	STAGE(WORKSPACE, stub_workspace_enter(&plan));
	STAGE(DUMPABLE, stub_not_dumpable());
	STAGE(SUBREAPER, stub_subreaper_become());
}

void
stub_main(int argc, char **argv, char **envp)
{
	int error;

	if (argc > 1 && stub_str_equal(argv[1], "guard"))
		stub_guard(argc, argv, envp);
	if (argc == 2 && stub_str_equal(argv[1], "sweep"))
		stub_sweep();
	if (argc != 1)
		stub_exit(STUB_EXIT_FAILED);

	/* KERNEL: a host that ignores SIGCHLD hands that on, and process 2's
	 * status would be lost (wait(2)). */
	stub_signals_block_child();
	/* The layers that may be left out stand in the plan itself. */
	error = stub_input_plan(WIRE_FD_PLAN, &plan);
	if (error != 0)
		stub_fail(WIRE_FD_REPORT, WIRE_STAGE_PLAN, error, 0);
	STAGE(DESCRIPTORS, stub_fds_close(mount_fd_count()));
	switch (plan.backend) {
	case WIRE_BACKEND_ISOLATED:
		confine_isolated();
		break;
	case WIRE_BACKEND_PROCESS:
		confine_process();
		break;
	case WIRE_BACKEND_NONE:
		confine_not_at_all();
		break;
	case WIRE_BACKENDS:
		stub_exit(STUB_EXIT_FAILED); /* the plan's reader refused it */
	}
	launch();
}
