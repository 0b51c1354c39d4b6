/*
 * Grades on the host's root: what Landlock, a subreaper and an own uid are
 * worth, and that nothing there is ever called isolated.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "supervisor/grades.h"

#define CALLER	 1000
#define BOUNDING 3

/* A plain user on a host that gives no namespaces. */
static struct sup_evidence
plain(void)
{
	struct sup_evidence e;

	memset(&e, 0, sizeof(e));
	e.backend = WIRE_BACKEND_PROCESS;
	for (size_t i = 0; i < SUP_NAMESPACES; i++)
		e.host.inode[i] = e.child.inode[i] = 100 + i;
	e.status.read = true;
	for (size_t i = 0; i < 4; i++)
		e.status.uid[i] = e.status.gid[i] = CALLER;
	e.host_uid = CALLER;
	e.status.caps[BOUNDING] = ~0ULL;
	e.status.no_new_privs = 1;
	e.limits_read = true;
	for (size_t i = 0; i < WIRE_LIMITS; i++) {
		e.soft[i] = e.hard[i] = e.want_soft[i] = e.want_hard[i] = 30;
		e.planned[i] = i != WIRE_LIMIT_NPROC;
	}
	e.ready = true;
	e.pid_inside = 4711;
	e.subreaper = true;
	e.inet_errno = e.inet6_errno = e.fork_errno = 1;
	e.landlock_abi = 7;
	e.landlock_proved = true;
	e.canary_count = e.canary_proved = 3;
	e.foreign_fd = -1;
	e.environment_equal = true;
	e.timer_armed = true;
	return e;
}

static struct sup_grades
grades_of(const struct sup_evidence *e)
{
	struct sup_grades g;

	sup_grades_derive(e, &g);
	return g;
}

static void
t_a_plain_user_reaches_process(void **state)
{
	struct sup_evidence e = plain();
	struct sup_grades g = grades_of(&e);
	char text[256];

	(void)state;
	assert_int_equal(g.level, SUP_LEVEL_PROCESS);
	assert_int_equal(g.grade[SUP_FILESYSTEM], SUP_ENFORCED);
	assert_int_equal(g.grade[SUP_NETWORK], SUP_UNVERIFIED);
	assert_int_equal(g.grade[SUP_PROCESS_TREE], SUP_UNVERIFIED);
	assert_int_equal(g.grade[SUP_IDENTITY], SUP_UNVERIFIED);
	assert_int_equal(g.grade[SUP_PROCESS_COUNT], SUP_UNVERIFIED);
	assert_int_equal(g.grade[SUP_CPU], SUP_ENFORCED);
	assert_false(
	    sup_grades_refuse(&g, &e, SUP_LEVEL_PROCESS, text, sizeof(text)));
	assert_true(
	    sup_grades_refuse(&g, &e, SUP_LEVEL_ISOLATED, text, sizeof(text)));
}

/* Granted: what the probes found is the same open door, and no level falls for
 * it as long as the filter keeps the others closed. */
static void
t_a_granted_network_is_unavailable_and_process_at_most(void **state)
{
	struct sup_evidence e = plain();
	struct sup_grades g;
	char text[SUP_EVIDENCE_TEXT + 200];

	(void)state;
	e.network = true;
	e.inet_errno = 0;
	e.inet6_errno = 97;
	g = grades_of(&e);
	assert_int_equal(g.grade[SUP_NETWORK], SUP_UNAVAILABLE);
	assert_non_null(strstr(g.evidence[SUP_NETWORK], "granted: "));
	assert_non_null(strstr(g.evidence[SUP_NETWORK], "IPv6: errno 97"));
	assert_int_equal(g.level, SUP_LEVEL_PROCESS);
	assert_false(
	    sup_grades_refuse(&g, &e, SUP_LEVEL_PROCESS, text, sizeof(text)));
	/* whatever else keeps the level down is to blame */
	e.subreaper = false;
	g = grades_of(&e);
	assert_int_equal(g.level, SUP_LEVEL_NONE);
	assert_true(
	    sup_grades_refuse(&g, &e, SUP_LEVEL_PROCESS, text, sizeof(text)));
	assert_non_null(strstr(text, "stage subreaper"));
	/* a network that seems closed does not make the grant another one */
	e = plain();
	e.network = true;
	g = grades_of(&e);
	assert_int_equal(g.grade[SUP_NETWORK], SUP_UNAVAILABLE);
	assert_int_equal(g.level, SUP_LEVEL_PROCESS);
}

static void
t_a_granted_network_wants_the_filter(void **state)
{
	struct sup_evidence e = plain();
	struct sup_grades g;
	char text[SUP_EVIDENCE_TEXT + 200];

	(void)state;
	e.network = true;
	e.inet_errno = e.inet6_errno = 0;
	e.fork_errno = 22;
	/* so that the count of processes does not fall with it */
	e.host_uid = 0;
	e.planned[WIRE_LIMIT_NPROC] = true;
	e.status.caps[BOUNDING] = 0;
	g = grades_of(&e);
	assert_int_equal(g.grade[SUP_PROCESS_COUNT], SUP_UNVERIFIED);
	assert_int_equal(g.level, SUP_LEVEL_NONE);
	assert_true(
	    sup_grades_refuse(&g, &e, SUP_LEVEL_PROCESS, text, sizeof(text)));
	assert_non_null(strstr(text, "network"));
	assert_non_null(strstr(text, "stage seccomp"));
}

static void
t_an_own_uid_counts_tasks_and_keeps_no_capability(void **state)
{
	struct sup_evidence e = plain();
	struct sup_grades g;

	(void)state;
	e.host_uid = 0;
	e.planned[WIRE_LIMIT_NPROC] = true;
	g = grades_of(&e);
	/* Who could have emptied the bounding set has to. */
	assert_int_equal(g.grade[SUP_IDENTITY], SUP_UNAVAILABLE);
	e.status.caps[BOUNDING] = 0;
	g = grades_of(&e);
	assert_int_equal(g.grade[SUP_IDENTITY], SUP_ENFORCED);
	assert_int_equal(g.grade[SUP_PROCESS_COUNT], SUP_ENFORCED);
	assert_int_equal(g.level, SUP_LEVEL_PROCESS);
}

static void
t_other_capabilities_are_never_forgiven(void **state)
{
	(void)state;
	for (size_t i = 0; i < 5; i++) {
		struct sup_evidence e = plain();

		e.status.caps[i] = 1;
		assert_int_equal(grades_of(&e).grade[SUP_IDENTITY],
		    i == BOUNDING ? SUP_UNVERIFIED : SUP_UNAVAILABLE);
	}
}

/* In namespaces of its own all ten can be enforced, and the names of the
 * host's files still be seen. */
static void
t_never_isolated_on_the_hosts_root(void **state)
{
	struct sup_evidence e = plain();
	struct sup_grades g;

	(void)state;
	for (size_t i = 0; i < SUP_NAMESPACES; i++)
		if (i != SUP_NS_MNT)
			e.child.inode[i] = 200 + i;
	e.pid_inside = 2;
	e.links = 1;
	e.planned[WIRE_LIMIT_NPROC] = true;
	e.status.caps[BOUNDING] = 0;
	g = grades_of(&e);
	for (size_t i = 0; i < SUP_GUARANTEE_COUNT; i++)
		assert_int_equal(g.grade[i], SUP_ENFORCED);
	assert_int_equal(g.level, SUP_LEVEL_PROCESS);
}

static void
no_landlock(struct sup_evidence *e)
{
	e->landlock_abi = 0;
	e->landlock_errno = 38;
	e->landlock_proved = false;
}

static void
old_landlock(struct sup_evidence *e)
{
	e->landlock_abi = 2;
}

static void
unproved(struct sup_evidence *e)
{
	e->landlock_proved = false;
}

static void
no_canary(struct sup_evidence *e)
{
	e->canary_proved = 0;
}

static void
open_canary(struct sup_evidence *e)
{
	e->canary_open = "/etc/passwd";
}

static void
no_filter(struct sup_evidence *e)
{
	e->inet_errno = 0;
}

static void
no_subreaper(struct sup_evidence *e)
{
	e->subreaper = false;
}

static void
forks(struct sup_evidence *e)
{
	e->fork_errno = 22;
}

static void
other_environment(struct sup_evidence *e)
{
	e->environment_equal = false;
}

/* Each alone costs the level: nothing runs then. */
static const struct {
	void (*spoil)(struct sup_evidence *e);
	enum sup_guarantee guarantee;
	enum sup_grade grade;
	const char *names;
} falls[] = {
    {no_landlock, SUP_FILESYSTEM, SUP_UNAVAILABLE, "errno 38"},
    {old_landlock, SUP_FILESYSTEM, SUP_UNVERIFIED, "ABI 3"},
    {unproved, SUP_FILESYSTEM, SUP_UNAVAILABLE, "stage landlock"},
    {no_canary, SUP_FILESYSTEM, SUP_UNAVAILABLE, "stage landlock"},
    {open_canary, SUP_FILESYSTEM, SUP_UNAVAILABLE, "/etc/passwd"},
    {no_filter, SUP_NETWORK, SUP_UNAVAILABLE, "seccomp"},
    {no_subreaper, SUP_PROCESS_TREE, SUP_UNAVAILABLE, "stage subreaper"},
    {forks, SUP_PROCESS_COUNT, SUP_UNAVAILABLE, "seccomp"},
    {other_environment, SUP_ENVIRONMENT, SUP_UNAVAILABLE, "differs"},
};

static void
t_each_mechanism_carries_the_level(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(falls) / sizeof(falls[0]); i++) {
		struct sup_evidence e = plain();
		struct sup_grades g;
		char text[SUP_EVIDENCE_TEXT + 200];

		falls[i].spoil(&e);
		g = grades_of(&e);
		print_message("%s\n", sup_guarantee_word(falls[i].guarantee));
		assert_int_equal(g.grade[falls[i].guarantee], falls[i].grade);
		assert_non_null(
		    strstr(g.evidence[falls[i].guarantee], falls[i].names));
		assert_int_equal(g.level, SUP_LEVEL_NONE);
		assert_true(sup_grades_refuse(
		    &g, &e, SUP_LEVEL_PROCESS, text, sizeof(text)));
	}
}

static void
t_unconfined_is_none_and_refuses_nothing(void **state)
{
	struct sup_evidence e = plain();
	struct sup_grades g;
	char text[256];

	(void)state;
	e.backend = WIRE_BACKEND_NONE;
	e.dumpable = 1;
	g = grades_of(&e);
	assert_int_equal(g.grade[SUP_FILESYSTEM], SUP_UNAVAILABLE);
	assert_int_equal(g.grade[SUP_IDENTITY], SUP_UNAVAILABLE);
	assert_int_equal(g.grade[SUP_PROCESS_TREE], SUP_UNAVAILABLE);
	assert_int_equal(g.level, SUP_LEVEL_NONE);
	assert_false(
	    sup_grades_refuse(&g, &e, SUP_LEVEL_NONE, text, sizeof(text)));
	e.backend = WIRE_BACKEND_PROCESS;
	assert_true(
	    sup_grades_refuse(&g, &e, SUP_LEVEL_NONE, text, sizeof(text)));
}

/* The text of proc(5) stands in where prlimit(2) does not answer. */
static void
t_limits_from_text(void **state)
{
	static const char text[] =
	    "Limit                     Soft Limit           Hard Limit     "
	    "      Units     \n"
	    "Max cpu time              30                   31             "
	    "      seconds   \n"
	    "Max address space         4294967296           unlimited      "
	    "      bytes     \n"
	    "Max open files            x                    1              "
	    "      files     \n"
	    "Max processes             7";
	uint64_t soft = 1, hard = 2;

	(void)state;
	assert_true(
	    sup_evidence_parse_limits(text, WIRE_LIMIT_CPU, &soft, &hard));
	assert_true(soft == 30 && hard == 31);
	assert_true(
	    sup_evidence_parse_limits(text, WIRE_LIMIT_AS, &soft, &hard));
	assert_true(soft == 4294967296 && hard == UINT64_MAX);
	assert_false(
	    sup_evidence_parse_limits(text, WIRE_LIMIT_NOFILE, &soft, &hard));
	assert_false(
	    sup_evidence_parse_limits(text, WIRE_LIMIT_NPROC, &soft, &hard));
	assert_false(
	    sup_evidence_parse_limits(text, WIRE_LIMIT_CORE, &soft, &hard));
	assert_false(
	    sup_evidence_parse_limits("", WIRE_LIMIT_CPU, &soft, &hard));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(t_a_plain_user_reaches_process),
	    cmocka_unit_test(
		t_a_granted_network_is_unavailable_and_process_at_most),
	    cmocka_unit_test(t_a_granted_network_wants_the_filter),
	    cmocka_unit_test(t_an_own_uid_counts_tasks_and_keeps_no_capability),
	    cmocka_unit_test(t_other_capabilities_are_never_forgiven),
	    cmocka_unit_test(t_never_isolated_on_the_hosts_root),
	    cmocka_unit_test(t_each_mechanism_carries_the_level),
	    cmocka_unit_test(t_unconfined_is_none_and_refuses_nothing),
	    cmocka_unit_test(t_limits_from_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
