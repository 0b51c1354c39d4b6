/*
 * The policy with one thing changed: a group taken away, a condition dropped,
 * a value less, a half of a register ignored. The list is made from the table
 * itself, so a new group or rule is in it; the rows of filter_rows.h must
 * notice each.
 */
#include <stdio.h>

#include "tests/unit/filter_help.h"

#include "tests/unit/filter_network.h"
#include "tests/unit/filter_private.h"

/* The table as it is; what the compiler is given stands below. */
const struct sup_filter_group *real_filter_groups(size_t *ret_count);
#define sup_filter_groups real_filter_groups
#include "supervisor/filter_table.c"
#undef sup_filter_groups

#define GROUPS_MAX 24
#define RULES_MAX  16

static struct sup_filter_group changed[GROUPS_MAX];
static struct sup_filter_rule rules[GROUPS_MAX][RULES_MAX];
static size_t changed_count;
static unsigned mutants;

const struct sup_filter_group *
sup_filter_groups(size_t *ret_count)
{
	*ret_count = changed_count;
	return changed;
}

/* A fresh copy that may be changed. */
static void
copy_table(void)
{
	const struct sup_filter_group *real =
	    real_filter_groups(&changed_count);
	size_t g, r;

	assert_true(changed_count <= GROUPS_MAX);
	for (g = 0; g < changed_count; g++) {
		changed[g] = real[g];
		assert_true(real[g].rule_count <= RULES_MAX);
		for (r = 0; r < real[g].rule_count; r++)
			rules[g][r] = real[g].rules[r];
		changed[g].rules = rules[g];
	}
}

static bool
row_holds(const struct program *program, enum sup_filter_arch arch,
    const struct row *row)
{
	int nr = number(arch, row->name);

	return nr < 0 ||
	    verdict(program, arch, (uint32_t)nr, row->args) == row->expect;
}

static bool
rows_hold(enum sup_filter_arch arch)
{
	struct program program = compile(arch);
	unsigned bit;
	size_t i;

	for (i = 0; i < ROWS; i++)
		if (!row_holds(&program, arch, &rows[i]))
			return false;
	for (i = 0; i < sizeof(bits) / sizeof(bits[0]); i++)
		if (!bits_hold(&program, arch, &bits[i], &bit))
			return false;
	if (!private_files_hold(arch, false) || !private_files_hold(arch, true))
		return false;
	program = compile_for(arch, true);
	for (i = 0; i < PROCESS_ROWS; i++)
		if (!row_holds(&program, arch, &process_rows[i]))
			return false;
	for (i = 0; i < sizeof(process_bits) / sizeof(process_bits[0]); i++)
		if (!bits_hold(&program, arch, &process_bits[i], &bit))
			return false;
	program = compile_with_network(arch);
	return wrong_network_row(&program, arch) == NULL &&
	    wrong_network_bits(&program, arch, &bit) == NULL;
}

__attribute__((format(printf, 1, 2))) static void
is_noticed(const char *format, ...)
{
	char what[120];
	va_list args;

	va_start(args, format);
	(void)vsnprintf(what, sizeof(what), format, args);
	va_end(args);
	mutants++;
	/* Where a call is missing nothing can change: either will do. */
	if (rows_hold(SUP_FILTER_X86_64) && rows_hold(SUP_FILTER_AARCH64))
		fail_msg("no row of filter_rows.h notices: %s", what);
	copy_table();
}

static void
take_rule_away(size_t g, size_t rule)
{
	size_t r;

	for (r = rule; r + 1 < changed[g].rule_count; r++)
		rules[g][r] = rules[g][r + 1];
	changed[g].rule_count--;
}

static void
drop_test(struct sup_filter_rule *rule, size_t test)
{
	size_t t;

	for (t = test; t + 1 < rule->count; t++)
		rule->tests[t] = rule->tests[t + 1];
	rule->count--;
}

static void
drop_value(struct sup_filter_test *test, size_t value)
{
	size_t v;

	for (v = value; v + 1 < test->count; v++)
		test->values[v] = test->values[v + 1];
	test->count--;
}

static void
t_the_table_itself_holds(void **state)
{
	(void)state;
	copy_table();
	assert_true(rows_hold(SUP_FILTER_X86_64));
	assert_true(rows_hold(SUP_FILTER_AARCH64));
}

static void
t_groups(void **state)
{
	size_t g;

	(void)state;
	copy_table();
	for (g = 0; g < changed_count; g++) {
		if (changed[g].call_count == 0)
			continue; /* rules alone */
		changed[g].call_count = 0;
		is_noticed("group %s without its calls", changed[g].word);
		changed[g].verdict = SUP_FILTER_EPERM;
		is_noticed("group %s refused", changed[g].word);
		/* Those for and against processes exclude each other. */
		if (changed[g].when == SUP_FILTER_ALWAYS)
			changed[g].when = SUP_FILTER_WITH_NETWORK;
		else if (changed[g].when == SUP_FILTER_WITH_NETWORK)
			changed[g].when = SUP_FILTER_ALWAYS;
		else
			changed[g].call_count = 0;
		is_noticed("group %s at other times", changed[g].word);
		if (changed[g].verdict == SUP_FILTER_ALLOW)
			continue;
		changed[g].verdict = SUP_FILTER_ALLOW;
		is_noticed("group %s allowed", changed[g].word);
	}
}

static void
t_rules(void **state)
{
	const char *name;
	size_t g, r, t;

	(void)state;
	copy_table();
	for (g = 0; g < changed_count; g++) {
		for (r = 0; r < changed[g].rule_count; r++) {
			name = names[rules[g][r].call];
			take_rule_away(g, r);
			is_noticed("%s, rule %zu taken away", name, r);
			rules[g][r].count = 0;
			is_noticed("%s let through", name);
			for (t = 0; t < rules[g][r].count; t++) {
				drop_test(&rules[g][r], t);
				is_noticed("%s, rule %zu without test %zu",
				    name, r, t);
			}
		}
	}
}

/* Whether rows allow the call with any of its values and the bit changed: then
 * nothing hangs on that bit. */
static bool
is_free_anyway(const char *name, const struct sup_filter_test *test,
    uint32_t bit, bool with)
{
	size_t count = with ? PROCESS_ROWS : ROWS + NETWORK_ROWS;
	size_t i, v;
	bool found = !test->own_pid;

	for (v = 0; found && v < test->count; v++) {
		found = false;
		for (i = 0; i < count; i++) {
			const struct row *row =
			    with ? &process_rows[i] : network_row(i);

			found |= row != NULL && row->expect == ALLOW &&
			    strcmp(row->name, name) == 0 &&
			    (uint32_t)row->args[test->arg] ==
				(test->values[v] ^ bit);
		}
	}
	return found;
}

static void
change_test(size_t g, size_t r, size_t t)
{
	struct sup_filter_test *test = &rules[g][r].tests[t];
	const char *name = names[rules[g][r].call];
	uint32_t value;
	size_t v;

	for (v = 0; test->count > 1 && v < test->count; v++) {
		value = test->values[v];
		drop_value(test, v);
		is_noticed("%s, test %zu without %#x", name, t, value);
	}
	if (test->wide) {
		test->wide = false;
		is_noticed("%s, test %zu of the low half alone", name, t);
	} else {
		test->wide = true;
		is_noticed("%s, test %zu of both halves", name, t);
	}
	if (test->own_pid) {
		test->own_pid = false;
		is_noticed("%s, test %zu for 0 and not the own id", name, t);
	}
	if (test->mask != UINT32_MAX) {
		test->mask = UINT32_MAX;
		is_noticed("%s, test %zu without its mask", name, t);
	}
	for (v = 0; v < 32; v++) {
		const uint32_t bit = UINT32_C(1) << v;

		if ((test->mask & bit) == 0 ||
		    is_free_anyway(name, test, bit,
			changed[g].when == SUP_FILTER_WITH_PROCESSES))
			continue;
		test->mask &= ~bit;
		is_noticed("%s, test %zu blind for bit %zu", name, t, v);
	}
}

static void
t_tests(void **state)
{
	size_t g, r, t;

	(void)state;
	copy_table();
	for (g = 0; g < changed_count; g++)
		for (r = 0; r < changed[g].rule_count; r++)
			for (t = 0; t < rules[g][r].count; t++)
				change_test(g, r, t);
	print_message("%u mutants\n", mutants);
	assert_true(mutants > 100);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(t_the_table_itself_holds),
	    cmocka_unit_test(t_groups),
	    cmocka_unit_test(t_rules),
	    cmocka_unit_test(t_tests),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
