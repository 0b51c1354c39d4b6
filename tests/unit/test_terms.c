/*
 * Terms, id maps and the parsing of what the kernel says.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "supervisor/evidence.h"
#include "supervisor/idmap.h"
#include "supervisor/terms.h"

static void
defaults(uint64_t limits[SUP_LIMITS])
{
	for (size_t i = 0; i < SUP_LIMITS; i++)
		limits[i] = sup_limit_spec((enum sup_limit)i)->initial;
}

static void
t_defaults_work_together(void **state)
{
	uint64_t limits[SUP_LIMITS];
	struct sup_terms terms;

	(void)state;
	defaults(limits);
	assert_int_equal(sup_terms_make(limits, ~0u, &terms, NULL), WIRE_OK);
	/* max(value, arguments) + 64 KiB; total + 16 MiB. */
	assert_int_equal(terms.child_frame_max, (1024 + 64) * 1024);
	assert_int_equal(terms.child_bytes_max, (64 + 16) * 1024 * 1024);
	assert_int_equal(terms.cpu_seconds, 30);
	assert_false(terms.cpu_rounded);
}

static void
t_every_limit_keeps_its_range(void **state)
{
	(void)state;
	for (size_t i = 0; i < SUP_LIMITS; i++) {
		const struct sup_limit_spec *spec =
		    sup_limit_spec((enum sup_limit)i);
		uint64_t limits[SUP_LIMITS];
		struct wire_errinfo info = {"", 0, 0};
		struct sup_terms terms;

		defaults(limits);
		limits[i] = spec->ceiling;
		assert_int_equal(
		    sup_terms_make(limits, ~0u, &terms, &info), WIRE_OK);
		limits[i] = spec->ceiling + 1;
		assert_int_equal(sup_terms_make(limits, ~0u, &terms, &info),
		    WIRE_ERR_BAD_ARGUMENT);
		assert_string_equal(info.site, spec->word);
		if (spec->minimum == 0)
			continue;
		limits[i] = spec->minimum;
		assert_int_equal(
		    sup_terms_make(limits, ~0u, &terms, &info), WIRE_OK);
		limits[i] = spec->minimum - 1;
		assert_int_equal(sup_terms_make(limits, ~0u, &terms, &info),
		    WIRE_ERR_BAD_ARGUMENT);
	}
}

static void
t_cpu_fractions_round_up(void **state)
{
	uint64_t limits[SUP_LIMITS], soft[WIRE_LIMITS], hard[WIRE_LIMITS];
	struct sup_terms terms;

	(void)state;
	defaults(limits);
	limits[SUP_LIMIT_CPU] = 1500000000;
	assert_int_equal(sup_terms_make(limits, ~0u, &terms, NULL), WIRE_OK);
	assert_int_equal(terms.cpu_seconds, 2);
	assert_true(terms.cpu_rounded);
	sup_terms_rlimits(&terms, soft, hard);
	assert_int_equal(soft[WIRE_LIMIT_CPU], 2);
	assert_int_equal(hard[WIRE_LIMIT_CPU], 3);
	/* Tasks: threads and processes and two (C3). */
	assert_int_equal(soft[WIRE_LIMIT_NPROC], 258);
	limits[SUP_LIMIT_PROCESSES] = 3;
	assert_int_equal(sup_terms_make(limits, ~0u, &terms, NULL), WIRE_OK);
	sup_terms_rlimits(&terms, soft, hard);
	assert_int_equal(soft[WIRE_LIMIT_NPROC], 261);
	assert_int_equal(hard[WIRE_LIMIT_CORE], 0);
	terms.core_is_pipe = true;
	sup_terms_rlimits(&terms, soft, hard);
	assert_int_equal(soft[WIRE_LIMIT_CORE], 1);
	assert_int_equal(hard[WIRE_LIMIT_CORE], 1);
}

/* What several processes have is bounded together, or not granted (C14). */
static void
t_processes_share_their_memory(void **state)
{
	const uint64_t none = sup_limit_spec(SUP_LIMIT_MEMORY)->ceiling;
	struct wire_errinfo info = {"", 0, 0};
	uint64_t limits[SUP_LIMITS];
	struct sup_terms terms;

	(void)state;
	defaults(limits);
	assert_int_equal(sup_terms_make(limits, ~0u, &terms, NULL), WIRE_OK);
	assert_true(terms.limits[SUP_LIMIT_MEMORY] == none);
	limits[SUP_LIMIT_PROCESSES] = 1;
	assert_int_equal(sup_terms_make(limits, ~0u, &terms, NULL), WIRE_OK);
	assert_true(
	    terms.limits[SUP_LIMIT_MEMORY] == limits[SUP_LIMIT_ADDRESS_SPACE]);
	limits[SUP_LIMIT_MEMORY] = none - 1;
	assert_int_equal(sup_terms_make(limits, ~0u, &terms, NULL), WIRE_OK);
	assert_true(terms.limits[SUP_LIMIT_MEMORY] == none - 1);
	limits[SUP_LIMIT_MEMORY] = none;
	limits[SUP_LIMIT_ADDRESS_SPACE] =
	    sup_limit_spec(SUP_LIMIT_ADDRESS_SPACE)->ceiling;
	assert_int_equal(
	    sup_terms_make(limits, ~0u, &terms, &info), WIRE_ERR_BAD_ARGUMENT);
	assert_non_null(strstr(info.site, "processes: "));
	limits[SUP_LIMIT_PROCESSES] = 0;
	assert_int_equal(sup_terms_make(limits, ~0u, &terms, NULL), WIRE_OK);
}

static void
t_ids_are_never_real_root(void **state)
{
	static const char full[] = "         0          0 4294967295\n";
	static const char part[] = "         0     100000      65536\n";
	static const char one[] = "         0       1000          1\n";
	struct sup_idmap map;

	(void)state;
	/* Root of the host: every child its own. */
	sup_idmap_choose(0, 0, full, full, &map);
	assert_true(map.own);
	assert_int_equal(sup_idmap_uid(&map, 7), SUP_IDMAP_BASE + 7);
	assert_int_not_equal(sup_idmap_uid(&map, 7), sup_idmap_uid(&map, 8));
	/* Root of a container: its last id. */
	sup_idmap_choose(0, 0, part, part, &map);
	assert_true(map.own);
	assert_int_equal(sup_idmap_uid(&map, 7), 65535);
	/* Root of a namespace that has only root, and a plain user: oneself;
	 * what that is worth, the grades say. */
	sup_idmap_choose(0, 0, one, one, &map);
	assert_false(map.own);
	sup_idmap_choose(1000, 1001, full, full, &map);
	assert_false(map.own);
	assert_int_equal(sup_idmap_uid(&map, 7), 1000);
	assert_int_equal(sup_idmap_gid(&map, 7), 1001);
	/* Nothing readable: no privilege is assumed. */
	sup_idmap_choose(0, 0, "", "", &map);
	assert_false(map.own);
}

static void
t_status_is_read_line_by_line(void **state)
{
	static const char text[] = "Name:\tpython3\n"
				   "Uid:\t1\t2\t3\t4\n"
				   "Gid:\t5\t6\t7\t8\n"
				   "Groups:\t4 24 1000 \n"
				   "VmHWM:\t    8704 kB\n"
				   "Threads:\t3\n"
				   "CapInh:\t0000000000000001\n"
				   "CapPrm:\t0000000000000002\n"
				   "CapEff:\t0000000000000003\n"
				   "CapBnd:\t000001ffffffffff\n"
				   "CapAmb:\t0000000000000005\n"
				   "NoNewPrivs:\t1\n"
				   "Seccomp:\t2\n"
				   "Seccomp_filters:\t9\n";
	struct sup_status s;

	(void)state;
	sup_evidence_parse_status(
	    (struct wire_span){(const uint8_t *)text, sizeof(text) - 1}, &s);
	assert_true(s.read);
	for (uint32_t i = 0; i < 4; i++) {
		assert_int_equal(s.uid[i], i + 1);
		assert_int_equal(s.gid[i], i + 5);
	}
	assert_int_equal(s.groups, 3);
	assert_int_equal(s.peak_kb, 8704);
	assert_int_equal(s.threads, 3);
	assert_int_equal(s.caps[0], 1);
	assert_int_equal(s.caps[3], 0x1ffffffffffULL);
	assert_int_equal(s.caps[4], 5);
	assert_int_equal(s.no_new_privs, 1);
	assert_int_equal(s.seccomp, 2);
	sup_evidence_parse_status((struct wire_span){NULL, 0}, &s);
	assert_false(s.read);
}

/* Evidence at the end against that of the start (S10): a change of anything
 * that the confinement rests on shows, and usage is no change. */
static void
t_changes_of_the_confinement_show(void **state)
{
	struct sup_evidence at_start, at_end;

	(void)state;
	memset(&at_start, 0, sizeof(at_start));
	at_start.status.read = at_start.limits_read = true;
	at_end = at_start;
	at_end.status.peak_kb = 5000;
	at_end.status.threads = 9;
	assert_true(sup_evidence_is_same(&at_start, &at_end));
#define CHANGED(member)                                                        \
	do {                                                                   \
		at_end = at_start;                                             \
		at_end.member = !at_end.member;                                \
		assert_false(sup_evidence_is_same(&at_start, &at_end));        \
	} while (0)
	CHANGED(status.uid[3]);
	CHANGED(status.gid[3]);
	CHANGED(status.caps[4]);
	CHANGED(status.groups);
	CHANGED(status.no_new_privs);
	CHANGED(status.seccomp);
	CHANGED(status.read);
	CHANGED(limits_read);
	CHANGED(soft[WIRE_LIMIT_NOFILE]);
	CHANGED(hard[WIRE_LIMIT_NOFILE]);
#undef CHANGED
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(t_defaults_work_together),
	    cmocka_unit_test(t_every_limit_keeps_its_range),
	    cmocka_unit_test(t_cpu_fractions_round_up),
	    cmocka_unit_test(t_processes_share_their_memory),
	    cmocka_unit_test(t_ids_are_never_real_root),
	    cmocka_unit_test(t_status_is_read_line_by_line),
	    cmocka_unit_test(t_changes_of_the_confinement_show),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
