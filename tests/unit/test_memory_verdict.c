/*
 * Memory as a grade and as an outcome: each from what the kernel or the host
 * has seen, and never from what the program says.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "supervisor/grades.h"
#include "supervisor/verdict.h"

#define MIB (UINT64_C(1) << 20)

/* --- the grade ------------------------------------------------------------ */

static struct sup_evidence
seen(enum sup_memory_by by)
{
	struct sup_evidence e;

	memset(&e, 0, sizeof(e));
	e.limits_read = e.ready = true;
	e.fork_errno = 1;
	e.planned[WIRE_LIMIT_AS] = true;
	e.soft[WIRE_LIMIT_AS] = e.hard[WIRE_LIMIT_AS] =
	    e.want_soft[WIRE_LIMIT_AS] = e.want_hard[WIRE_LIMIT_AS] = 4096;
	e.memory = (struct sup_memory_seen){
	    .by = by,
	    .want = 64 * MIB,
	    .limit = by == SUP_MEMORY_WATCHDOG ? 0 : 64 * MIB,
	    .inside = by != SUP_MEMORY_WATCHDOG,
	    .swap_held = by != SUP_MEMORY_WATCHDOG,
	    .watched = by == SUP_MEMORY_WATCHDOG,
	    .why = "",
	};
	return e;
}

static enum sup_grade
grade(const struct sup_evidence *e, const char *says)
{
	struct sup_grades g;

	sup_grades_derive(e, &g);
	assert_non_null(strstr(g.evidence[SUP_MEMORY], says));
	return g.grade[SUP_MEMORY];
}

static void
t_a_group_read_back_is_enforced(void **state)
{
	struct sup_evidence e = seen(SUP_MEMORY_CGROUP2);

	(void)state;
	assert_int_equal(grade(&e, "cgroup v2"), SUP_ENFORCED);
	/* Whatever number of processes there may be. */
	e.fork_errno = 22;
	assert_int_equal(grade(&e, "67108864"), SUP_ENFORCED);
	e.memory.swap_held = false;
	assert_int_equal(grade(&e, "swap"), SUP_UNVERIFIED);
	e = seen(SUP_MEMORY_CGROUP1);
	assert_int_equal(grade(&e, "cgroup v1"), SUP_ENFORCED);
}

static void
t_a_group_that_does_not_hold_is_nothing(void **state)
{
	struct sup_evidence e = seen(SUP_MEMORY_CGROUP1);

	(void)state;
	e.memory.limit = UINT64_MAX;
	assert_int_equal(grade(&e, "stage memory"), SUP_UNAVAILABLE);
	e.memory.limit = 64 * MIB + 4096;
	assert_int_equal(grade(&e, "stage memory"), SUP_UNAVAILABLE);
	e = seen(SUP_MEMORY_CGROUP1);
	e.memory.inside = false;
	assert_int_equal(grade(&e, "not in the cgroup"), SUP_UNAVAILABLE);
}

/* At every level. */
static void
t_a_limit_that_nothing_holds_is_refused(void **state)
{
	struct sup_evidence e = seen(SUP_MEMORY_WATCHDOG);
	struct sup_grades g;
	char text[256] = "";

	(void)state;
	e.foreign_fd = -1;
	e.planned[WIRE_LIMIT_CORE] = e.planned[WIRE_LIMIT_NOFILE] = true;
	sup_grades_derive(&e, &g);
	assert_false(
	    sup_grades_refuse(&g, &e, SUP_LEVEL_NONE, text, sizeof(text)));
	e.memory.watched = false;
	sup_grades_derive(&e, &g);
	assert_true(
	    sup_grades_refuse(&g, &e, SUP_LEVEL_NONE, text, sizeof(text)));
	assert_non_null(strstr(text, "stage memory"));
}

static void
t_a_watchdog_is_unverified(void **state)
{
	struct sup_evidence e = seen(SUP_MEMORY_WATCHDOG);

	(void)state;
	assert_int_equal(grade(&e, "watchdog"), SUP_UNVERIFIED);
	e.memory.watched = false;
	assert_int_equal(grade(&e, "stage memory"), SUP_UNAVAILABLE);
	/* The other limit stands beside each of them. */
	e = seen(SUP_MEMORY_WATCHDOG);
	e.soft[WIRE_LIMIT_AS]++;
	assert_int_equal(grade(&e, "stage address_space"), SUP_UNAVAILABLE);
}

static void
t_without_a_limit_as_before(void **state)
{
	struct sup_evidence e = seen(SUP_MEMORY_NONE);

	(void)state;
	e.memory = (struct sup_memory_seen){.by = SUP_MEMORY_NONE};
	assert_int_equal(grade(&e, "RLIMIT_AS"), SUP_ENFORCED);
	e.fork_errno = 22;
	assert_int_equal(grade(&e, "RLIMIT_AS"), SUP_UNVERIFIED);
}

/* The end against the start: each of these is a contradiction. */
static void
t_changes_are_noticed(void **state)
{
	struct sup_evidence e = seen(SUP_MEMORY_CGROUP2), now = e;

	(void)state;
	assert_true(sup_evidence_is_same(&e, &now));
	now.memory.limit++;
	assert_false(sup_evidence_is_same(&e, &now));
	now = e;
	now.memory.inside = false;
	assert_false(sup_evidence_is_same(&e, &now));
	now = e;
	now.memory.swap_held = false;
	assert_false(sup_evidence_is_same(&e, &now));
}

/* --- the outcome ---------------------------------------------------------- */

static const struct wire_done answer = {
    .has_value = true,
    .returned = true,
    .value = {(const uint8_t *)"1", 1},
};

static struct sup_facts
ended_by(enum sup_exec_event cause)
{
	struct sup_facts f;

	memset(&f, 0, sizeof(f));
	f.cause = cause;
	f.ran = f.exited = true;
	f.wait_status = 9; /* SIGKILL */
	f.value_max = 1000;
	f.early_text = "";
	f.violation_site = "x";
	f.done = &answer;
	f.memory = (struct sup_memory_end){
	    .by = SUP_MEMORY_CGROUP2,
	    .limit = 64 * MIB,
	    .peak = 64 * MIB,
	    .kills = 1,
	    .hits = 1,
	};
	return f;
}

static struct sup_verdict
reach(const struct sup_facts *f)
{
	struct sup_verdict v;

	sup_verdict_reach(f, &v);
	return v;
}

static void
t_kills_of_the_kernel_decide(void **state)
{
	static const enum sup_exec_event causes[] = {SUP_EVENT_EXITED,
	    SUP_EVENT_GONE, SUP_EVENT_NONE, SUP_EVENT_DONE, SUP_EVENT_VIOLATION,
	    SUP_EVENT_FAILED};

	(void)state;
	for (size_t i = 0; i < sizeof(causes) / sizeof(causes[0]); i++) {
		struct sup_facts f = ended_by(causes[i]);
		struct sup_verdict v = reach(&f);

		assert_int_equal(v.kind, SUP_KIND_MEMORY);
		assert_int_equal(v.limit_hit, SUP_LIMIT_MEMORY);
		assert_false(v.has_value || v.by_program);
		assert_non_null(strstr(v.message, "65536 KiB"));
		assert_int_equal(
		    sup_exit_code(v.kind, v.detail, v.signal), 137);
	}
}

/* The first decision of the host's stands. */
static void
t_earlier_decisions_stand(void **state)
{
	static const struct {
		enum sup_exec_event cause;
		enum sup_kind kind;
	} rows[] = {
	    {SUP_EVENT_WALL_OVER, SUP_KIND_TIMEOUT},
	    {SUP_EVENT_CANCEL, SUP_KIND_CANCELLED},
	    {SUP_EVENT_EXHAUSTED, SUP_KIND_BUDGET_EXHAUSTED},
	    {SUP_EVENT_REFUSED, SUP_KIND_ISOLATION_UNAVAILABLE},
	    {SUP_EVENT_EXCEEDED, SUP_KIND_DISK},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct sup_facts f = ended_by(rows[i].cause);

		assert_int_equal(reach(&f).kind, rows[i].kind);
	}
}

static void
t_without_a_kill_it_is_something_else(void **state)
{
	struct sup_facts f = ended_by(SUP_EVENT_EXITED);

	(void)state;
	f.memory.kills = 0;
	assert_int_equal(reach(&f).kind, SUP_KIND_WORKER_EXIT);
	f.cause = SUP_EVENT_DONE;
	assert_int_equal(reach(&f).kind, SUP_KIND_NONE);
}

static void
t_our_own_failure_is_no_kill(void **state)
{
	struct sup_facts f = ended_by(SUP_EVENT_FAILED);

	(void)state;
	f.setup_site = "x";
	f.setup_errno = 12;
	assert_int_equal(reach(&f).kind, SUP_KIND_SETUP);
}

static void
t_a_host_that_is_short_is_not_the_limit(void **state)
{
	struct sup_facts f = ended_by(SUP_EVENT_EXITED);

	(void)state;
	f.memory.hits = 0;
	f.memory.peak = 60 * MIB;
	assert_int_equal(reach(&f).limit_hit, SUP_LIMIT_MEMORY);
	f.memory.peak--;
	assert_int_equal(reach(&f).kind, SUP_KIND_MEMORY);
	assert_int_equal(reach(&f).limit_hit, SUP_LIMITS);
	assert_non_null(strstr(reach(&f).message, "host is short"));
}

static void
t_the_watchdog_decides(void **state)
{
	struct sup_facts f = ended_by(SUP_EVENT_MEMORY_OVER);
	struct sup_verdict v;

	(void)state;
	f.memory = (struct sup_memory_end){
	    .by = SUP_MEMORY_WATCHDOG,
	    .limit = 64 * MIB,
	    .peak = 65 * MIB,
	    .over = true,
	};
	v = reach(&f);
	assert_int_equal(v.kind, SUP_KIND_MEMORY);
	assert_int_equal(v.limit_hit, SUP_LIMIT_MEMORY);
	assert_non_null(strstr(v.message, "66560 KiB were seen"));
}

static void
t_before_the_program_it_is_said(void **state)
{
	struct sup_facts f = ended_by(SUP_EVENT_EXITED);

	(void)state;
	assert_null(strstr(reach(&f).message, "before"));
	f.ran = false;
	assert_int_equal(reach(&f).kind, SUP_KIND_MEMORY);
	assert_non_null(strstr(reach(&f).message, "before the program"));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(t_a_group_read_back_is_enforced),
	    cmocka_unit_test(t_a_group_that_does_not_hold_is_nothing),
	    cmocka_unit_test(t_a_limit_that_nothing_holds_is_refused),
	    cmocka_unit_test(t_a_watchdog_is_unverified),
	    cmocka_unit_test(t_without_a_limit_as_before),
	    cmocka_unit_test(t_changes_are_noticed),
	    cmocka_unit_test(t_kills_of_the_kernel_decide),
	    cmocka_unit_test(t_earlier_decisions_stand),
	    cmocka_unit_test(t_without_a_kill_it_is_something_else),
	    cmocka_unit_test(t_our_own_failure_is_no_kill),
	    cmocka_unit_test(t_a_host_that_is_short_is_not_the_limit),
	    cmocka_unit_test(t_the_watchdog_decides),
	    cmocka_unit_test(t_before_the_program_it_is_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
