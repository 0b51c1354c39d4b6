/*
 * The system-call filter: its verdicts, one by one, for both architectures.
 */
#include "tests/unit/filter_help.h"

#include "tests/unit/filter_private.h"
#include "tests/unit/filter_rows.h"

static void
t_every_row_has_its_verdict(void **state)
{
	struct program program;
	unsigned arch, skipped;
	uint32_t got;
	size_t i;
	int nr;

	(void)state;
	for (arch = 0; arch < SUP_FILTER_ARCHES; arch++) {
		program = compile(arch);
		skipped = 0;
		for (i = 0; i < ROWS; i++) {
			nr = number(arch, rows[i].name);
			if (nr < 0) {
				skipped++;
				continue;
			}
			got =
			    verdict(&program, arch, (uint32_t)nr, rows[i].args);
			if (got != rows[i].expect)
				fail_msg("arch %u, row %zu: %s(%#llx, %#llx, "
					 "%#llx, ...): %#x, not %#x",
				    arch, i, rows[i].name,
				    (unsigned long long)rows[i].args[0],
				    (unsigned long long)rows[i].args[1],
				    (unsigned long long)rows[i].args[2], got,
				    rows[i].expect);
		}
		/* calls that only x86_64 has, and no others */
		assert_true(arch == SUP_FILTER_X86_64 ? skipped == 0
						      : skipped < ROWS / 8);
	}
}

/* Those that are about processes, and all others as they are without. */
static void
t_every_row_with_processes(void **state)
{
	struct program program;
	unsigned arch;
	size_t i;
	int nr;

	(void)state;
	for (arch = 0; arch < SUP_FILTER_ARCHES; arch++) {
		program = compile_for(arch, true);
		for (i = 0; i < ROWS + PROCESS_ROWS; i++) {
			const struct row *row =
			    i < ROWS ? &rows[i] : &process_rows[i - ROWS];

			nr = number(arch, row->name);
			if (nr < 0 ||
			    (i < ROWS && is_other_with_processes(row)))
				continue;
			if (verdict(&program, arch, (uint32_t)nr, row->args) !=
			    row->expect)
				fail_msg("arch %u, row %zu: %s(%#llx, %#llx)",
				    arch, i, row->name,
				    (unsigned long long)row->args[0],
				    (unsigned long long)row->args[1]);
		}
	}
}

/* A row that the architecture has the call of. */
static bool
has_row(enum sup_filter_arch arch, unsigned call, uint32_t expect,
    enum sup_filter_when when)
{
	bool with = when == SUP_FILTER_WITH_PROCESSES;
	const struct row *row = with ? process_rows : rows;
	size_t i;

	if (number(arch, names[call]) < 0)
		return false;
	for (i = 0; i < (with ? PROCESS_ROWS : ROWS); i++) {
		if (row[i].expect == expect &&
		    strcmp(row[i].name, names[call]) == 0)
			return true;
	}
	return false;
}

static void
check_group(enum sup_filter_arch arch, const struct sup_filter_group *group)
{
	const uint32_t expect =
	    group->verdict == SUP_FILTER_ALLOW ? ALLOW : ABSENT;
	bool found = group->call_count == 0;
	unsigned call;
	size_t i;

	for (i = 0; i < group->call_count; i++)
		found |= has_row(arch, group->calls[i], expect, group->when);
	if (!found)
		fail_msg("arch %u: no row for group %s", arch, group->word);
	for (i = 0; i < group->rule_count; i++) {
		call = group->rules[i].call;
		if (number(arch, names[call]) >= 0 &&
		    (!has_row(arch, call, ALLOW, group->when) ||
			!has_row(arch, call, DENY, group->when)))
			fail_msg(
			    "arch %u: rows missing for %s", arch, names[call]);
	}
}

static void
t_every_bit_counts(void **state)
{
	struct program program;
	unsigned arch, bit;
	size_t i;

	(void)state;
	for (arch = 0; arch < SUP_FILTER_ARCHES; arch++) {
		program = compile(arch);
		for (i = 0; i < sizeof(bits) / sizeof(bits[0]); i++)
			if (!bits_hold(&program, arch, &bits[i], &bit))
				fail_msg("arch %u, bits %zu: %s, argument %u, "
					 "bit %u",
				    arch, i, bits[i].name, bits[i].arg, bit);
		program = compile_for(arch, true);
		for (i = 0; i < sizeof(process_bits) / sizeof(*process_bits);
		     i++)
			if (!bits_hold(&program, arch, &process_bits[i], &bit))
				fail_msg("arch %u, with processes: %s, "
					 "argument %u, bit %u",
				    arch, process_bits[i].name,
				    process_bits[i].arg, bit);
	}
}

/* On both architectures, each conditional call has a row that is allowed and
 * one that is not; each group has one with its verdict. */
static void
t_every_group_has_rows(void **state)
{
	const struct sup_filter_group *groups;
	size_t count, g;
	unsigned arch;

	(void)state;
	groups = sup_filter_groups(&count);
	for (g = 0; g < count; g++) {
		assert_true(strlen(groups[g].reason) > 10);
		if (groups[g].when == SUP_FILTER_WITH_NETWORK)
			continue; /* test_filter_network.c */
		if (groups[g].when == SUP_FILTER_WITHOUT_WRITES)
			continue; /* filter_private.h */
		for (arch = 0; arch < SUP_FILTER_ARCHES; arch++)
			check_group(arch, &groups[g]);
	}
}

static void
t_every_call_is_in_one_place(void **state)
{
	bool named[SUP_SYSCALL_COUNT] = {false};

	(void)state;
	for (int processes = 0; processes < 2; processes++) {
		const struct sup_filter_group *groups;
		unsigned seen[SUP_SYSCALL_COUNT] = {0};
		size_t count, g, i;
		unsigned call;

		groups = sup_filter_groups(&count);
		for (g = 0; g < count; g++) {
			/* test_filter_network.c has the others */
			for (i = 0; groups[g].when == SUP_FILTER_WITH_NETWORK &&
			     i < groups[g].call_count;
			     i++)
				seen[groups[g].calls[i]]++;
			for (i = 0; groups[g].when == SUP_FILTER_WITH_NETWORK &&
			     i < groups[g].rule_count;
			     i++)
				named[groups[g].rules[i].call] = true;
			if (!counts(&groups[g], processes == 1))
				continue;
			for (i = 0; i < groups[g].call_count; i++)
				seen[groups[g].calls[i]]++;
			for (i = 0; i < groups[g].rule_count; i++) {
				call = groups[g].rules[i].call;
				/* that of threads has more with processes */
				if (processes == 1 && call == SUP_SYS_clone)
					seen[call] = 1;
				else if (i == 0 ||
				    groups[g].rules[i - 1].call != call)
					seen[call]++;
			}
		}
		for (call = 0; call < SUP_SYSCALL_COUNT; call++) {
			named[call] = named[call] || seen[call] > 0;
			if (seen[call] > 1)
				fail_msg("%s is named %u times", names[call],
				    seen[call]);
		}
	}
	for (size_t i = 0; i < SUP_SYSCALL_COUNT; i++)
		if (!named[i])
			fail_msg("%s is named nowhere", names[i]);
}

/* The ends of every range, and what lies beyond the table. */
static void
t_numbers_beyond_the_table(void **state)
{
	struct program program;
	unsigned arch;

	(void)state;
	for (arch = 0; arch < SUP_FILTER_ARCHES; arch++) {
		program = compile(arch);
		/* set_mempolicy_home_node, then what no kernel has yet */
		assert_int_equal(verdict(&program, arch, 448, NULL), DENY);
		assert_int_equal(verdict(&program, arch, 450, NULL), ABSENT);
		assert_int_equal(verdict(&program, arch, 470, NULL), ABSENT);
		assert_int_equal(verdict(&program, arch, 471, NULL), ABSENT);
		assert_int_equal(
		    verdict(&program, arch, 0x3fffffff, NULL), ABSENT);
	}
}

static void
t_x32_is_killed(void **state)
{
	struct program program = compile(SUP_FILTER_X86_64);
	uint32_t nr;

	(void)state;
	for (nr = 0; nr < 600; nr++)
		assert_int_equal(verdict(&program, SUP_FILTER_X86_64,
				     0x40000000u | nr, NULL),
		    KILL);
	assert_int_equal(
	    verdict(&program, SUP_FILTER_X86_64, UINT32_MAX, NULL), KILL);
	/* aarch64 has no second interface: just numbers nobody knows */
	program = compile(SUP_FILTER_AARCH64);
	assert_int_equal(
	    verdict(&program, SUP_FILTER_AARCH64, 0x40000000u, NULL), ABSENT);
}

static void
t_foreign_architectures_are_killed(void **state)
{
	static const uint32_t foreign[] = {AUDIT_ARCH_I386, AUDIT_ARCH_ARM,
	    AUDIT_ARCH_X86_64, AUDIT_ARCH_AARCH64, AUDIT_ARCH_RISCV64, 0,
	    UINT32_MAX};
	struct seccomp_data data = {0};
	struct program program;
	unsigned arch;
	size_t i;

	(void)state;
	for (arch = 0; arch < SUP_FILTER_ARCHES; arch++) {
		program = compile(arch);
		for (i = 0; i < sizeof(foreign) / sizeof(foreign[0]); i++) {
			if (foreign[i] == audit_arches[arch])
				continue;
			data.arch = foreign[i];
			for (data.nr = 0; data.nr < 500; data.nr++)
				assert_int_equal(
				    bpf_run(program.insns, &data, NULL), KILL);
		}
	}
}

/* --- parameters and size ------------------------------------------------- */

static void
t_parameters_out_of_range_are_refused(void **state)
{
	static const struct sup_filter_params bad[] = {
	    {SUP_FILTER_X86_64, 0, false, false, false, false},
	    {SUP_FILTER_X86_64, (uint32_t)INT32_MAX + 1, false, false, false,
		false},
	    {SUP_FILTER_X86_64, UINT32_MAX, false, false, false, false},
	    {SUP_FILTER_ARCHES, OWN, false, false, false, false},
	};
	const struct sup_filter_params last = {
	    SUP_FILTER_X86_64, INT32_MAX, false, false, false, false};
	struct program program = {.len = 77};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(sup_filter_compile(&bad[i], program.insns,
				     SUP_FILTER_MAX, &program.len),
		    WIRE_ERR_BAD_ARGUMENT);
		assert_int_equal(program.len, 77);
	}
	assert_int_equal(sup_filter_compile(&last, program.insns,
			     SUP_FILTER_MAX, &program.len),
	    WIRE_OK);
}

static void
t_own_pid_is_a_parameter(void **state)
{
	const struct sup_filter_params params = {
	    .arch = SUP_FILTER_NATIVE, .own_pid = 4711};
	const uint64_t self[6] = {4711, 9}, two[6] = {OWN, 9};
	const uint32_t nr = (uint32_t)number(SUP_FILTER_NATIVE, "kill");
	struct program program;

	(void)state;
	assert_int_equal(sup_filter_compile(&params, program.insns,
			     SUP_FILTER_MAX, &program.len),
	    WIRE_OK);
	assert_int_equal(verdict(&program, SUP_FILTER_NATIVE, nr, self), ALLOW);
	assert_int_equal(verdict(&program, SUP_FILTER_NATIVE, nr, two), DENY);
}

/* Modes that make a file set-user-id: where nothing of the host's can be
 * written, and then only of files that the program may change at all. */
static void
t_modes_are_free_in_a_private_place(void **state)
{
	(void)state;
	for (unsigned arch = 0; arch < SUP_FILTER_ARCHES; arch++) {
		assert_true(private_files_hold(arch, false));
		assert_true(private_files_hold(arch, true));
	}
}

/* Modes and times of files: Landlock has no right for them. Nothing else
 * changes with the parameter. */
static void
t_a_shared_uid_changes_no_attributes(void **state)
{
	static const char *const refused[] = {"chmod", "fchmod", "fchmodat",
	    "utime", "utimes", "futimesat", "utimensat"};

	(void)state;
	for (size_t arch = 0; arch < SUP_FILTER_ARCHES; arch++) {
		const struct sup_filter_params params = {
		    .arch = (enum sup_filter_arch)arch,
		    .own_pid = OWN,
		    .shared_uid = true,
		};
		struct program own = compile(params.arch), shared;
		size_t differ = 0, there = 0;

		assert_int_equal(sup_filter_compile(&params, shared.insns,
				     SUP_FILTER_MAX, &shared.len),
		    WIRE_OK);
		for (uint32_t nr = 0; nr < 600; nr++)
			differ += verdict(&own, params.arch, nr, NULL) !=
			    verdict(&shared, params.arch, nr, NULL);
		for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]);
		     i++) {
			int nr = number(params.arch, refused[i]);

			if (nr < 0)
				continue;
			there++;
			assert_int_equal(
			    verdict(&own, params.arch, (uint32_t)nr, NULL),
			    ALLOW);
			assert_int_equal(
			    verdict(&shared, params.arch, (uint32_t)nr, NULL),
			    DENY);
		}
		assert_true(there >= 3);
		assert_int_equal(differ, there);
	}
}

static void
t_exact_space_is_enough_and_one_less_is_not(void **state)
{
	const struct sup_filter_params params = {
	    .arch = SUP_FILTER_NATIVE, .own_pid = OWN};
	struct program program = compile(SUP_FILTER_NATIVE), again;
	const size_t len = program.len;

	(void)state;
	memset(&again, 0x5a, sizeof(again));
	assert_int_equal(
	    sup_filter_compile(&params, again.insns, len, &again.len), WIRE_OK);
	assert_int_equal(again.len, len);
	assert_memory_equal(
	    again.insns, program.insns, len * sizeof(program.insns[0]));
	memset(&again, 0x5a, sizeof(again));
	assert_int_equal(
	    sup_filter_compile(&params, again.insns, len - 1, &again.len),
	    WIRE_ERR_NO_SPACE);
	assert_int_equal(again.insns[len - 1].k, 0x5a5a5a5a);
	assert_int_equal(
	    sup_filter_compile(&params, again.insns, 0, &again.len),
	    WIRE_ERR_NO_SPACE);
}

static bool
has_rules(enum sup_filter_arch arch, int nr)
{
	const struct sup_filter_group *groups;
	size_t count, g, i;

	groups = sup_filter_groups(&count);
	for (g = 0; g < count; g++) {
		for (i = 0; i < groups[g].rule_count; i++) {
			if (number(arch, names[groups[g].rules[i].call]) == nr)
				return true;
		}
	}
	return false;
}

/* A plain verdict takes a handful of jumps, whatever the number: two loads,
 * the architecture, the logarithm of less than 256 segments, a return. */
static void
t_the_tree_is_shallow(void **state)
{
	struct program program;
	struct seccomp_data data = {0};
	size_t steps;
	unsigned arch;

	(void)state;
	for (arch = 0; arch < SUP_FILTER_ARCHES; arch++) {
		program = compile(arch);
		data.arch = audit_arches[arch];
		for (data.nr = 0; data.nr < 600; data.nr++) {
			(void)bpf_run(program.insns, &data, &steps);
			assert_true(
			    steps <= (has_rules(arch, data.nr) ? 48 : 12));
		}
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(t_every_row_has_its_verdict),
	    cmocka_unit_test(t_every_row_with_processes),
	    cmocka_unit_test(t_every_bit_counts),
	    cmocka_unit_test(t_every_group_has_rows),
	    cmocka_unit_test(t_every_call_is_in_one_place),
	    cmocka_unit_test(t_numbers_beyond_the_table),
	    cmocka_unit_test(t_x32_is_killed),
	    cmocka_unit_test(t_foreign_architectures_are_killed),
	    cmocka_unit_test(t_parameters_out_of_range_are_refused),
	    cmocka_unit_test(t_own_pid_is_a_parameter),
	    cmocka_unit_test(t_modes_are_free_in_a_private_place),
	    cmocka_unit_test(t_a_shared_uid_changes_no_attributes),
	    cmocka_unit_test(t_exact_space_is_enough_and_one_less_is_not),
	    cmocka_unit_test(t_the_tree_is_shallow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
