/*
 * Grades where processes are granted: what their number, their CPU time and
 * their end rest on, and what is refused whatever the level (C14).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* cmocka wants four of the headers above before it */
#include <cmocka.h>

#include "supervisor/grades.h"
#include "supervisor/verdict.h"

/* In namespaces of its own, everything in force. */
static struct sup_evidence
granted(void)
{
	struct sup_evidence e;

	memset(&e, 0, sizeof(e));
	for (size_t i = 0; i < SUP_NAMESPACES; i++) {
		e.host.inode[i] = 10 + i;
		e.child.inode[i] = 20 + i;
	}
	for (size_t i = 0; i < 4; i++)
		e.status.uid[i] = e.status.gid[i] = 70007;
	e.status.read = true;
	e.status.no_new_privs = 1;
	e.status.seccomp = 2;
	e.limits_read = true;
	for (size_t i = 0; i < WIRE_LIMITS; i++) {
		e.soft[i] = e.hard[i] = e.want_soft[i] = e.want_hard[i] = 30;
		e.planned[i] = true;
	}
	e.mounts = e.mounts_planned = 12;
	e.links = 1;
	e.ready = true;
	e.pid_inside = 2;
	/* The harmless fork is refused all the same: it is of no kind that is
	 * granted. */
	e.inet_errno = e.inet6_errno = e.fork_errno = 1;
	e.landlock_abi = 7;
	e.landlock_proved = true;
	e.canary_count = e.canary_proved = 3;
	e.foreign_fd = -1;
	e.environment_equal = true;
	e.timer_armed = true;
	e.processes = 4;
	e.tree_watched = true;
	e.memory = (struct sup_memory_seen){.by = SUP_MEMORY_WATCHDOG,
	    .want = 4096,
	    .watched = true,
	    .by_tree = true,
	    .quota_seen = true};
	return e;
}

/* The same on the host's root and in no namespace, as root starts it. */
static struct sup_evidence
granted_plain(void)
{
	struct sup_evidence e = granted();

	e.backend = WIRE_BACKEND_PROCESS;
	e.child = e.host;
	e.subreaper = true;
	e.own_number = true;
	e.pid_inside = 4711;
	return e;
}

static bool
refused(const struct sup_evidence *e, enum sup_level wanted, const char *word)
{
	struct sup_grades g;
	char text[512] = "";
	bool is;

	sup_grades_derive(e, &g);
	is = sup_grades_refuse(&g, e, wanted, text, sizeof(text));
	if (is && strstr(text, word) == NULL)
		fail_msg("%s is not in: %s", word, text);
	return is;
}

static void
t_what_is_summed_up_is_unverified(void **state)
{
	struct sup_evidence e = granted();
	struct sup_grades g;

	(void)state;
	sup_grades_derive(&e, &g);
	assert_int_equal(g.level, SUP_LEVEL_ISOLATED);
	for (size_t i = 0; i < SUP_GUARANTEE_COUNT; i++)
		assert_int_equal(g.grade[i],
		    i == SUP_CPU || i == SUP_MEMORY || i == SUP_PROCESS_COUNT
			? SUP_UNVERIFIED
			: SUP_ENFORCED);
	assert_non_null(strstr(g.evidence[SUP_CPU], "sum of all processes"));
	assert_non_null(
	    strstr(g.evidence[SUP_PROCESS_COUNT], "4 processes are granted"));
	assert_false(refused(&e, SUP_LEVEL_ISOLATED, ""));
	/* nor is it one process to RLIMIT_AS */
	e.memory = (struct sup_memory_seen){.by = SUP_MEMORY_NONE};
	sup_grades_derive(&e, &g);
	assert_int_equal(g.grade[SUP_MEMORY], SUP_UNVERIFIED);
}

static void
t_nothing_runs_without_its_parts(void **state)
{
	struct sup_evidence e = granted();

	(void)state;
	e.landlock_proved = false;
	assert_true(refused(&e, SUP_LEVEL_ISOLATED, "stage landlock"));
	assert_true(refused(&e, SUP_LEVEL_NONE, "stage landlock"));
	e = granted();
	e.tree_watched = false;
	assert_true(refused(&e, SUP_LEVEL_NONE, "cannot be seen"));
	e = granted();
	e.soft[WIRE_LIMIT_NPROC]++;
	assert_true(refused(&e, SUP_LEVEL_NONE, "stage processes"));
	e = granted();
	e.child.inode[SUP_NS_USER] = e.host.inode[SUP_NS_USER];
	e.host_uid = e.status.uid[0];
	assert_true(refused(&e, SUP_LEVEL_NONE, "RLIMIT_NPROC"));
	/* all of that is nothing to who has no processes */
	e = granted();
	e.processes = 0;
	e.landlock_proved = e.tree_watched = false;
	assert_false(refused(&e, SUP_LEVEL_ISOLATED, ""));
}

static void
t_on_the_hosts_root_the_tree_must_be_held(void **state)
{
	struct sup_evidence e = granted_plain();
	struct sup_grades g;

	(void)state;
	sup_grades_derive(&e, &g);
	assert_int_equal(g.grade[SUP_PROCESS_TREE], SUP_UNVERIFIED);
	assert_int_equal(g.level, SUP_LEVEL_PROCESS);
	assert_false(refused(&e, SUP_LEVEL_PROCESS, ""));
	/* from the first version of Landlock that keeps signals in */
	e.landlock_abi = 6;
	assert_false(refused(&e, SUP_LEVEL_PROCESS, ""));
	e.landlock_abi = 5;
	assert_true(refused(&e, SUP_LEVEL_PROCESS, "Landlock ABI 6"));
	e = granted_plain();
	e.own_number = false;
	assert_true(refused(&e, SUP_LEVEL_PROCESS, "uid of the child's own"));
	/* in a PID namespace neither matters */
	e.child.inode[SUP_NS_PID]++;
	e.pid_inside = 2;
	e.landlock_abi = 3;
	assert_false(refused(&e, SUP_LEVEL_PROCESS, ""));
	/* nor where there is one process */
	e = granted_plain();
	e.processes = 0;
	e.own_number = false;
	e.landlock_abi = 3;
	assert_false(refused(&e, SUP_LEVEL_PROCESS, ""));
}

static void
t_how_it_ends(void **state)
{
	struct sup_facts f = {
	    .cause = SUP_EVENT_EXCEEDED,
	    .ran = true,
	    .killed = true,
	    .cpu_ns = 2500000000,
	    .cpu_limit_ns = 2000000000,
	    .exceeded = WIRE_EXCEEDED_CPU,
	};
	struct sup_verdict v;

	(void)state;
	sup_verdict_reach(&f, &v);
	assert_int_equal(v.kind, SUP_KIND_TIMEOUT);
	assert_int_equal(v.limit_hit, SUP_LIMIT_CPU);
	assert_non_null(strstr(v.message, "2500 ms of CPU time"));
	assert_false(v.by_program);
	f.exceeded = WIRE_EXCEEDED_PROCESSES;
	sup_verdict_reach(&f, &v);
	assert_int_equal(v.kind, SUP_KIND_POLICY_REFUSED);
	assert_int_equal(v.limit_hit, SUP_LIMIT_PROCESSES);
	assert_non_null(strstr(v.message, "more processes"));
	assert_false(v.by_program);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(t_what_is_summed_up_is_unverified),
	    cmocka_unit_test(t_nothing_runs_without_its_parts),
	    cmocka_unit_test(t_on_the_hosts_root_the_tree_must_be_held),
	    cmocka_unit_test(t_how_it_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
