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
 * Every stage is one line below, in order, with its name in wire/report.h.
 * A stage that fails is reported with its errno, and nothing runs. The stub
 * allocates nothing, needs no library, and never cleans up.
 *
 * `weir-child guard ...` is another role of the same program: see guard.c.
 */
#include <linux/errno.h>
#include <linux/sched.h>

#include "child/limits.h"
#include "child/stub.h"
#include "child/sys.h"

#define SIGCHLD_ 17

static struct wire_plan plan;
static struct stub_root root = {.old_fd = -1};

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

/* Process 2: from here to the interpreter. */
__attribute__((noreturn)) static void
become_interpreter(void)
{
	enum wire_stage stage = WIRE_STAGE_CORE;
	int error = stub_limits_apply(&plan, &stage);
	long r;

	if (error != 0)
		stub_fail(WIRE_FD_REPORT, stage, error, 0);
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
	(void)STUB_SYS(__NR_close_range, WIRE_FD_REPORT + 1, ~0U, 0);
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

__attribute__((noreturn)) static void
launch(void)
{
	struct wire_report report = {.code = WIRE_REPORT_LAUNCHED};
	int pidfd = -1;
	long pid;

	report.mounts = root.mounts;
	stub_links_count(&report.links, &report.links_up);
	(void)STUB_SYS(__NR_setsid);
	pid = fork_interpreter(&pidfd);
	if (pid < 0)
		stub_fail(WIRE_FD_REPORT, WIRE_STAGE_FORK, (int)-pid, 0);
	if (stub_report(WIRE_FD_REPORT, &report, pidfd) != 0)
		stub_exit(STUB_EXIT_FAILED);
	close_child_ends();
	stub_init_loop(WIRE_FD_REPORT, (int)pid);
}

void
stub_main(int argc, char **argv, char **envp)
{
	int error;

	if (argc > 1 && stub_str_equal(argv[1], "guard"))
		stub_guard(argc, argv, envp);
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
	STAGE(CAPABILITIES, stub_capabilities_drop());
	STAGE(NO_NEW_PRIVS, stub_no_new_privs());
	STAGE(DUMPABLE, stub_not_dumpable());
	launch();
}
