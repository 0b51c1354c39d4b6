/*
 * Grades and level: each guarantee falls, and alone, when its mechanism is
 * missing from the evidence.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "supervisor/grades.h"

/* Evidence of an execution in which everything is as it should be. */
static struct sup_evidence
perfect(void)
{
	struct sup_evidence e;

	memset(&e, 0, sizeof(e));
	for (size_t i = 0; i < SUP_NAMESPACES; i++) {
		e.host.inode[i] = 100 + i;
		e.child.inode[i] = 200 + i;
	}
	e.status.read = true;
	for (size_t i = 0; i < 4; i++)
		e.status.uid[i] = e.status.gid[i] = 70001;
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
	e.inet_errno = e.inet6_errno = e.fork_errno = 1;
	e.landlock_abi = 5;
	e.landlock_proved = true;
	e.canary_count = 3;
	e.foreign_fd = -1;
	e.environment_equal = true;
	e.timer_armed = true;
	return e;
}

static void
t_perfect_evidence_is_isolated(void **state)
{
	struct sup_evidence e = perfect();
	struct sup_grades g;
	char text[256];

	(void)state;
	sup_grades_derive(&e, &g);
	for (size_t i = 0; i < SUP_GUARANTEE_COUNT; i++)
		assert_int_equal(g.grade[i], SUP_ENFORCED);
	assert_int_equal(g.level, SUP_LEVEL_ISOLATED);
	assert_false(
	    sup_grades_refuse(&g, &e, SUP_LEVEL_ISOLATED, text, sizeof(text)));
}

struct fall {
	const char *what;
	void (*spoil)(struct sup_evidence *e);
	enum sup_guarantee guarantee;
	enum sup_grade grade;
	enum sup_level level;
	const char *names; /* a word of the evidence */
};

#define SPOIL(name, statement)                                                 \
	static void name(struct sup_evidence *e)                               \
	{                                                                      \
		statement;                                                     \
	}

SPOIL(canary, e->canary_open = "/etc/passwd")
SPOIL(no_report, e->canary_count = 0; e->ready = false)
SPOIL(mounts, e->mounts = e->mounts_planned - 1)
SPOIL(mount_ns, e->child.inode[SUP_NS_MNT] = e->host.inode[SUP_NS_MNT])
SPOIL(inet, e->inet_errno = 0)
SPOIL(inet6, e->inet6_errno = 0)
SPOIL(link_up, e->links_up = 1)
SPOIL(net_ns, e->child.inode[SUP_NS_NET] = 0)
SPOIL(pid_ns, e->child.inode[SUP_NS_PID] = e->host.inode[SUP_NS_PID])
SPOIL(pid, e->pid_inside = 3)
SPOIL(root, e->status.uid[3] = 0)
SPOIL(capability, e->status.caps[3] = 1)
SPOIL(privs, e->status.no_new_privs = 0)
SPOIL(status, e->status.read = false)
SPOIL(cpu, e->hard[WIRE_LIMIT_CPU]++)
SPOIL(memory, e->soft[WIRE_LIMIT_AS]++)
SPOIL(fsize, e->soft[WIRE_LIMIT_FSIZE]++)
SPOIL(nproc, e->soft[WIRE_LIMIT_NPROC]++)
SPOIL(forks, e->fork_errno = 22)
SPOIL(timer, e->timer_armed = false)
SPOIL(environment, e->environment_equal = false)

static const struct fall falls[] = {
    {"canary", canary, SUP_FILESYSTEM, SUP_UNAVAILABLE, SUP_LEVEL_NONE,
	"/etc/passwd"},
    {"mounts", mounts, SUP_FILESYSTEM, SUP_UNVERIFIED, SUP_LEVEL_NONE,
	"stage root"},
    {"mount namespace", mount_ns, SUP_FILESYSTEM, SUP_UNVERIFIED,
	SUP_LEVEL_NONE, "stage root"},
    {"IPv4", inet, SUP_NETWORK, SUP_UNVERIFIED, SUP_LEVEL_PROCESS,
	"stage seccomp"},
    {"IPv6", inet6, SUP_NETWORK, SUP_UNVERIFIED, SUP_LEVEL_PROCESS,
	"stage seccomp"},
    {"link up", link_up, SUP_NETWORK, SUP_UNVERIFIED, SUP_LEVEL_PROCESS,
	"links up"},
    {"network namespace", net_ns, SUP_NETWORK, SUP_UNVERIFIED,
	SUP_LEVEL_PROCESS, "namespace"},
    {"PID namespace", pid_ns, SUP_PROCESS_TREE, SUP_UNAVAILABLE, SUP_LEVEL_NONE,
	"PID namespace"},
    {"process 2", pid, SUP_PROCESS_TREE, SUP_UNAVAILABLE, SUP_LEVEL_NONE,
	"PID namespace"},
    {"root outside", root, SUP_IDENTITY, SUP_UNAVAILABLE, SUP_LEVEL_PROCESS,
	"stage ids"},
    {"capabilities", capability, SUP_IDENTITY, SUP_UNAVAILABLE,
	SUP_LEVEL_PROCESS, "stage capabilities"},
    {"no_new_privs", privs, SUP_IDENTITY, SUP_UNAVAILABLE, SUP_LEVEL_PROCESS,
	"stage no_new_privs"},
    {"status", status, SUP_IDENTITY, SUP_UNAVAILABLE, SUP_LEVEL_PROCESS,
	"status"},
    {"cpu", cpu, SUP_CPU, SUP_UNAVAILABLE, SUP_LEVEL_PROCESS, "stage cpu"},
    {"memory", memory, SUP_MEMORY, SUP_UNAVAILABLE, SUP_LEVEL_PROCESS,
	"stage address_space"},
    {"file size", fsize, SUP_FILE_SIZE, SUP_UNAVAILABLE, SUP_LEVEL_PROCESS,
	"stage file_size"},
    {"process limit", nproc, SUP_PROCESS_COUNT, SUP_UNVERIFIED,
	SUP_LEVEL_ISOLATED, "stage processes"},
    {"timer", timer, SUP_WALL_CLOCK, SUP_UNAVAILABLE, SUP_LEVEL_PROCESS,
	"timer"},
    {"environment", environment, SUP_ENVIRONMENT, SUP_UNAVAILABLE,
	SUP_LEVEL_NONE, "differs"},
};

static void
t_each_mechanism_missing_lowers_its_grade_alone(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(falls) / sizeof(falls[0]); i++) {
		struct sup_evidence e = perfect();
		struct sup_grades g;

		falls[i].spoil(&e);
		sup_grades_derive(&e, &g);
		print_message("%s\n", falls[i].what);
		assert_int_equal(g.grade[falls[i].guarantee], falls[i].grade);
		assert_int_equal(g.level, falls[i].level);
		assert_non_null(
		    strstr(g.evidence[falls[i].guarantee], falls[i].names));
		for (size_t j = 0; j < SUP_GUARANTEE_COUNT; j++)
			if (j != (size_t)falls[i].guarantee)
				assert_int_equal(g.grade[j], SUP_ENFORCED);
	}
}

/* A filter that lets fork through weakens all that counts on one process. */
static void
t_fork_possible_weakens_four(void **state)
{
	struct sup_evidence e = perfect();
	struct sup_grades g;

	(void)state;
	forks(&e);
	sup_grades_derive(&e, &g);
	assert_int_equal(g.grade[SUP_CPU], SUP_UNVERIFIED);
	assert_int_equal(g.grade[SUP_MEMORY], SUP_UNVERIFIED);
	assert_int_equal(g.grade[SUP_PROCESS_COUNT], SUP_UNVERIFIED);
	nproc(&e);
	sup_grades_derive(&e, &g);
	assert_int_equal(g.grade[SUP_PROCESS_COUNT], SUP_UNAVAILABLE);
}

static void
t_no_report_proves_nothing(void **state)
{
	struct sup_evidence e = perfect();
	struct sup_grades g;

	(void)state;
	no_report(&e);
	sup_grades_derive(&e, &g);
	assert_int_equal(g.level, SUP_LEVEL_NONE);
	assert_int_equal(g.grade[SUP_FILESYSTEM], SUP_UNAVAILABLE);
	assert_int_equal(g.grade[SUP_ENVIRONMENT], SUP_UNAVAILABLE);
}

static void
t_landlock_is_a_second_layer_at_isolated(void **state)
{
	struct sup_evidence e = perfect();
	struct sup_grades g;

	(void)state;
	e.landlock_abi = 0;
	e.landlock_errno = 38;
	e.landlock_proved = false;
	sup_grades_derive(&e, &g);
	assert_int_equal(g.level, SUP_LEVEL_ISOLATED);
	assert_non_null(
	    strstr(g.evidence[SUP_FILESYSTEM], "second layer: none"));
	assert_non_null(strstr(g.evidence[SUP_FILESYSTEM], "38"));
}

/* A grade that is lower at the end is told, whatever the level says; one that
 * is higher is no loss. */
static void
t_each_fall_is_told(void **state)
{
	struct sup_evidence e = perfect();
	struct sup_grades before, now;
	char text[512];

	(void)state;
	sup_grades_derive(&e, &before);
	assert_false(sup_grades_fell(&before, &before, text, sizeof(text)));
	for (size_t i = 0; i < sizeof(falls) / sizeof(falls[0]); i++) {
		e = perfect();
		falls[i].spoil(&e);
		sup_grades_derive(&e, &now);
		text[0] = '\0';
		assert_true(sup_grades_fell(&before, &now, text, sizeof(text)));
		assert_non_null(
		    strstr(text, sup_guarantee_word(falls[i].guarantee)));
		assert_non_null(strstr(text, falls[i].names));
		assert_false(
		    sup_grades_fell(&now, &before, text, sizeof(text)));
	}
}

/* What no grade covers stops a start all the same. */
static void
t_refusals_beside_the_grades(void **state)
{
	struct sup_grades g;
	struct sup_evidence e = perfect();
	char text[256];

	(void)state;
	sup_grades_derive(&e, &g);
	e.foreign_fd = 9;
	assert_true(
	    sup_grades_refuse(&g, &e, SUP_LEVEL_ISOLATED, text, sizeof(text)));
	assert_non_null(strstr(text, "stage descriptors: descriptor 9"));
	e = perfect();
	e.dumpable = 1;
	assert_true(
	    sup_grades_refuse(&g, &e, SUP_LEVEL_ISOLATED, text, sizeof(text)));
	assert_non_null(strstr(text, "stage dumpable"));
	e = perfect();
	e.hard[WIRE_LIMIT_CORE] = 0;
	assert_true(
	    sup_grades_refuse(&g, &e, SUP_LEVEL_ISOLATED, text, sizeof(text)));
	assert_non_null(strstr(text, "stage core"));
	e = perfect();
	e.soft[WIRE_LIMIT_NOFILE] = 31;
	assert_true(
	    sup_grades_refuse(&g, &e, SUP_LEVEL_ISOLATED, text, sizeof(text)));
	assert_non_null(strstr(text, "stage open_files"));
}

/* All 3^10 combinations: the level never rises when a grade falls; a grant of
 * the network excuses its grade from level process, and nothing else. */
static void
t_level_is_monotonic(void **state)
{
	(void)state;
	for (unsigned code = 0; code < 2 * 59049; code++) {
		enum sup_grade grade[SUP_GUARANTEE_COUNT];
		bool network = code >= 59049;
		unsigned rest = code % 59049;
		enum sup_level level;

		for (size_t i = 0; i < SUP_GUARANTEE_COUNT; i++) {
			grade[i] = (enum sup_grade)(rest % 3);
			rest /= 3;
		}
		level = sup_level_of(grade, network);
		if (network && level != sup_level_of(grade, false)) {
			assert_int_equal(level, SUP_LEVEL_PROCESS);
			assert_int_equal(grade[SUP_NETWORK], SUP_UNAVAILABLE);
		}
		for (size_t i = 0; i < SUP_GUARANTEE_COUNT; i++) {
			enum sup_grade was = grade[i];

			if (was == SUP_UNAVAILABLE)
				continue;
			grade[i] = (enum sup_grade)(was - 1);
			assert_true(sup_level_of(grade, network) <= level);
			grade[i] = was;
		}
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(t_perfect_evidence_is_isolated),
	    cmocka_unit_test(t_each_mechanism_missing_lowers_its_grade_alone),
	    cmocka_unit_test(t_fork_possible_weakens_four),
	    cmocka_unit_test(t_no_report_proves_nothing),
	    cmocka_unit_test(t_landlock_is_a_second_layer_at_isolated),
	    cmocka_unit_test(t_each_fall_is_told),
	    cmocka_unit_test(t_refusals_beside_the_grades),
	    cmocka_unit_test(t_level_is_monotonic),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
