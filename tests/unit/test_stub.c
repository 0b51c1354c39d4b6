/*
 * The stub's pure and shared parts.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "child/limits.h"
#include "child/mountinfo.h"
#include "child/probe.h"

static struct wire_plan
plan_with(const char *target)
{
	struct wire_plan plan;

	memset(&plan, 0, sizeof(plan));
	plan.workspace = "/workspace";
	plan.mount_count = 1;
	plan.mounts[0].target = target;
	plan.layers = ~0u;
	for (size_t i = 0; i < WIRE_LIMITS; i++)
		plan.soft[i] = plan.hard[i] = WIRE_PLAN_UNSET;
	return plan;
}

static bool
planned(const char *target, const char *point)
{
	struct wire_plan plan = plan_with(target);
	char line[256];
	int n = snprintf(line, sizeof(line),
	    "36 35 98:0 /mnt1 %s rw,noatime - ext3 /dev/root rw", point);

	return stub_mountinfo_planned(
	    &plan, (struct wire_span){(const uint8_t *)line, (size_t)n});
}

static void
t_mounts_are_at_or_beneath_the_plan(void **state)
{
	struct wire_plan plan = plan_with("/usr/lib");

	(void)state;
	assert_true(planned("/usr/lib", "/usr/lib"));
	assert_true(planned("/usr/lib", "/usr/lib/sub"));
	assert_true(planned("/usr/lib", "/"));
	assert_true(planned("/usr/lib", "/workspace"));
	assert_true(planned("/usr/lib", "/dev/shm"));
	assert_true(planned("/a b", "/a\\040b"));
	assert_false(planned("/usr/lib", "/usr"));
	assert_false(planned("/usr/lib", "/usr/lib64"));
	assert_false(planned("/usr/lib", "/proc"));
	assert_false(planned("", "/proc")); /* no path: none beneath it */
	assert_false(planned("/usr/lib", "/home/a"));
	/* A line without a fifth field is not what the kernel writes. */
	assert_false(stub_mountinfo_planned(&plan, WIRE_LIT("36 35 98:0 /")));
	assert_false(stub_mountinfo_planned(&plan, WIRE_LIT("")));
}

static void
t_mountinfo_counts_and_refuses(void **state)
{
	static const char good[] = "1 0 0:1 / / rw - tmpfs none rw\n"
				   "2 1 0:2 / /usr/lib ro - ext4 x rw\n";
	static const char bad[] = "1 0 0:1 / / rw - tmpfs none rw\n"
				  "2 1 0:2 / /proc rw - proc proc rw\n";
	struct wire_plan plan = plan_with("/usr/lib");
	uint32_t mounts = 0;
	int fds[2];

	(void)state;
	assert_int_equal(pipe(fds), 0);
	assert_int_equal(
	    write(fds[1], good, sizeof(good) - 1), sizeof(good) - 1);
	close(fds[1]);
	assert_int_equal(stub_mountinfo_check(&plan, fds[0], &mounts), 0);
	assert_int_equal(mounts, 2);
	close(fds[0]);
	assert_int_equal(pipe(fds), 0);
	assert_int_equal(write(fds[1], bad, sizeof(bad) - 1), sizeof(bad) - 1);
	close(fds[1]);
	assert_int_equal(stub_mountinfo_check(&plan, fds[0], &mounts), 18);
	close(fds[0]);
}

/* Runs check in a child process; its assertions become an exit status. */
static void
in_child(bool (*check)(void))
{
	int status;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0)
		_exit(check() ? 0 : 1);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

/* Clamped against what was inherited, soft and hard apart, never raised. */
static bool
clamps(void)
{
	struct wire_plan plan = plan_with("/x");
	struct rlimit inherited = {100, 200}, is;
	enum wire_stage stage;

	if (setrlimit(RLIMIT_NOFILE, &inherited) != 0)
		return false;
	plan.soft[WIRE_LIMIT_NOFILE] = 150;
	plan.hard[WIRE_LIMIT_NOFILE] = 150;
	if (stub_limits_apply(&plan, &stage) != 0 ||
	    getrlimit(RLIMIT_NOFILE, &is) != 0)
		return false;
	if (is.rlim_cur != 100 || is.rlim_max != 150)
		return false;
	/* Softer than before: not raised. */
	plan.soft[WIRE_LIMIT_NOFILE] = 140;
	plan.hard[WIRE_LIMIT_NOFILE] = 5000;
	if (stub_limits_apply(&plan, &stage) != 0 ||
	    getrlimit(RLIMIT_NOFILE, &is) != 0)
		return false;
	if (is.rlim_cur != 100 || is.rlim_max != 150)
		return false;
	/* Soft above hard is reconciled downwards. */
	plan.soft[WIRE_LIMIT_NOFILE] = 90;
	plan.hard[WIRE_LIMIT_NOFILE] = 60;
	if (stub_limits_apply(&plan, &stage) != 0 ||
	    getrlimit(RLIMIT_NOFILE, &is) != 0)
		return false;
	return is.rlim_cur == 60 && is.rlim_max == 60;
}

static bool
sets_all_six_and_reads_them(void)
{
	struct wire_plan plan = plan_with("/x");
	uint64_t soft[WIRE_LIMITS], hard[WIRE_LIMITS];
	enum wire_stage stage;

	plan.soft[WIRE_LIMIT_CORE] = plan.hard[WIRE_LIMIT_CORE] = 0;
	plan.soft[WIRE_LIMIT_CPU] = 5;
	plan.hard[WIRE_LIMIT_CPU] = 6;
	plan.soft[WIRE_LIMIT_AS] = plan.hard[WIRE_LIMIT_AS] = 1ULL << 40;
	plan.soft[WIRE_LIMIT_FSIZE] = plan.hard[WIRE_LIMIT_FSIZE] = 4096;
	plan.soft[WIRE_LIMIT_NPROC] = plan.hard[WIRE_LIMIT_NPROC] = 50;
	plan.soft[WIRE_LIMIT_NOFILE] = plan.hard[WIRE_LIMIT_NOFILE] = 64;
	if (stub_limits_apply(&plan, &stage) != 0 ||
	    stub_limits_read(soft, hard) != 0)
		return false;
	for (size_t i = 0; i < WIRE_LIMITS; i++)
		if (soft[i] != plan.soft[i] || hard[i] != plan.hard[i])
			return false;
	return true;
}

static void
t_limits_only_fall(void **state)
{
	(void)state;
	in_child(clamps);
}

static void
t_all_limits_are_set(void **state)
{
	(void)state;
	in_child(sets_all_six_and_reads_them);
}

/* Unconfined, the probes must report exposure: they can tell the difference. */
static void
t_probes_see_an_open_host(void **state)
{
	struct wire_plan plan = plan_with("/x");
	struct wire_ready ready;

	(void)state;
	memset(&ready, 0, sizeof(ready));
	plan.canary_count = 2;
	plan.canaries[0] = "/dev/null";
	plan.canaries[1] = "/nowhere/at/all";
	stub_probe_before(&plan, &ready);
	assert_int_equal(stub_probe_after(&plan, &ready), 0);
	assert_int_equal(ready.canary_before[0], 0);
	assert_int_equal(ready.canary_after[0], 0);
	assert_int_equal(ready.canary_after[1], 2);
	assert_int_equal(ready.inet_errno, 0);
	assert_int_equal(ready.fork_errno, 22); /* the kernel, not a filter */
	assert_int_equal(ready.seccomp, 0);
	assert_int_equal(ready.pid, getpid());
	assert_true(ready.fd_count >= 3);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(t_mounts_are_at_or_beneath_the_plan),
	    cmocka_unit_test(t_mountinfo_counts_and_refuses),
	    cmocka_unit_test(t_limits_only_fall),
	    cmocka_unit_test(t_all_limits_are_set),
	    cmocka_unit_test(t_probes_see_an_open_host),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
