/*
 * The system-call filter where the network is granted, for both architectures:
 * what is allowed then, and that nothing else is.
 */
#include "tests/unit/filter_help.h"

#include "tests/unit/filter_network.h"

static void
t_every_row_has_its_verdict(void **state)
{
	unsigned arch;

	(void)state;
	for (arch = 0; arch < SUP_FILTER_ARCHES; arch++) {
		struct program program = compile_with_network(arch);
		const struct row *row = wrong_network_row(&program, arch);

		if (row != NULL)
			fail_msg("arch %u: %s(%#llx, %#llx, %#llx, ...): not "
				 "%#x",
			    arch, row->name, (unsigned long long)row->args[0],
			    (unsigned long long)row->args[1],
			    (unsigned long long)row->args[2], row->expect);
	}
}

static void
t_every_bit_counts(void **state)
{
	unsigned arch, bit;

	(void)state;
	for (arch = 0; arch < SUP_FILTER_ARCHES; arch++) {
		struct program program = compile_with_network(arch);
		const struct bits *b = wrong_network_bits(&program, arch, &bit);

		if (b != NULL)
			fail_msg("arch %u: %s, argument %u, bit %u", arch,
			    b->name, b->arg, bit);
	}
}

static bool
has_row(unsigned call, uint32_t expect)
{
	size_t i;

	for (i = 0; i < NETWORK_ROWS; i++)
		if (network_rows[i].expect == expect &&
		    strcmp(network_rows[i].name, names[call]) == 0)
			return true;
	return false;
}

/* The calls of the group, by number; each has its rows. */
static size_t
take_group(enum sup_filter_arch arch, bool taken[600])
{
	const struct sup_filter_group *groups;
	size_t count, g, i, found = 0;

	groups = sup_filter_groups(&count);
	for (g = 0; g < count; g++) {
		if (groups[g].when != SUP_FILTER_WITH_NETWORK)
			continue;
		found++;
		for (i = 0; i < groups[g].call_count; i++) {
			assert_true(has_row(groups[g].calls[i], ALLOW));
			taken[number(arch, names[groups[g].calls[i]])] = true;
		}
		for (i = 0; i < groups[g].rule_count; i++) {
			const unsigned call = groups[g].rules[i].call;

			assert_true(has_row(call, ALLOW));
			assert_true(has_row(call, DENY));
			taken[number(arch, names[call])] = true;
		}
	}
	return found;
}

/* The parameter changes what the group says, and nothing beside it. */
static void
t_no_other_call_changes(void **state)
{
	unsigned arch;
	uint32_t nr;
	size_t i;

	(void)state;
	for (arch = 0; arch < SUP_FILTER_ARCHES; arch++) {
		struct program without = compile(arch);
		struct program with = compile_with_network(arch);
		bool taken[600] = {false};
		size_t changed = 0;

		assert_int_equal(take_group(arch, taken), 1);
		for (nr = 0; nr < 600; nr++) {
			for (i = 0; i < NETWORK_ROWS; i++)
				if (verdict(&without, arch, nr,
					network_rows[i].args) !=
				    verdict(
					&with, arch, nr, network_rows[i].args))
					break;
			changed += i < NETWORK_ROWS;
			if (i < NETWORK_ROWS && !taken[nr])
				fail_msg("arch %u: call %u changes", arch, nr);
		}
		assert_true(changed >= 10);
	}
}

/* A plain verdict as without the grant; one with rules runs through all. */
static void
t_the_tree_is_shallow(void **state)
{
	unsigned arch;
	size_t steps;

	(void)state;
	for (arch = 0; arch < SUP_FILTER_ARCHES; arch++) {
		struct program program = compile_with_network(arch);
		struct seccomp_data data = {.arch = audit_arches[arch]};

		for (data.nr = 0; data.nr < 600; data.nr++) {
			(void)bpf_run(program.insns, &data, &steps);
			assert_true(steps <= 48);
		}
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(t_every_row_has_its_verdict),
	    cmocka_unit_test(t_every_bit_counts),
	    cmocka_unit_test(t_no_other_call_changes),
	    cmocka_unit_test(t_the_tree_is_shallow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
