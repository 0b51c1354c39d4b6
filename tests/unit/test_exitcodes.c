/*
 * Kinds (S9) and the exit codes by kind (I1): both are promises, so they
 * stand here once more.
 */
#include "supervisor/exitcodes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* cmocka wants the headers above it first */
#include <cmocka.h>

static const struct {
	const char *kind;
	enum sup_exit_detail detail;
	int signal;
	int code;
} promised[] = {
    {"", SUP_EXIT_PLAIN, 0, 0},
    {"exception", SUP_EXIT_PLAIN, 0, 1},
    {"invalid_value", SUP_EXIT_PLAIN, 0, 1},
    {"output_limit", SUP_EXIT_PLAIN, 0, 1},
    {"protocol_violation", SUP_EXIT_PLAIN, 0, 1},
    {"budget_exhausted", SUP_EXIT_PLAIN, 0, 1},
    {"step_budget", SUP_EXIT_PLAIN, 0, 1},
    {"disk", SUP_EXIT_PLAIN, 0, 1},
    {"worker_exit", SUP_EXIT_PLAIN, 0, 1},
    {"worker_exit", SUP_EXIT_BY_SIGNAL, 1, 129},
    {"worker_exit", SUP_EXIT_BY_SIGNAL, 9, 137},
    {"worker_exit", SUP_EXIT_BY_SIGNAL, 64, 192},
    {"timeout", SUP_EXIT_PLAIN, 0, 124},
    {"memory", SUP_EXIT_PLAIN, 0, 137},
    {"cancelled", SUP_EXIT_PLAIN, 0, 130},
    {"setup", SUP_EXIT_NOT_EXECUTABLE, 0, 126},
    {"setup", SUP_EXIT_NOT_FOUND, 0, 127},
    {"setup", SUP_EXIT_PLAIN, 0, 125},
    {"policy_refused", SUP_EXIT_PLAIN, 0, 125},
    {"isolation_unavailable", SUP_EXIT_PLAIN, 0, 125},
    {"network_not_allowed", SUP_EXIT_PLAIN, 0, 125},
    {"backend_not_ready", SUP_EXIT_PLAIN, 0, 125},
    {"provider_error", SUP_EXIT_PLAIN, 0, 125},
    {"artifacts_unavailable", SUP_EXIT_PLAIN, 0, 125},
};

#define PROMISED (sizeof(promised) / sizeof(promised[0]))

static struct wire_span
span(const char *text)
{
	return (struct wire_span){(const uint8_t *)text, strlen(text)};
}

static void
t_every_promised_code(void **state)
{
	enum sup_kind kind;
	size_t i;

	(void)state;
	for (i = 0; i < PROMISED; i++) {
		kind = sup_kind_from(span(promised[i].kind));
		assert_string_equal(sup_kind_word(kind), promised[i].kind);
		if (sup_exit_code(kind, promised[i].detail,
			promised[i].signal) != promised[i].code)
			fail_msg("row %zu: %s", i, promised[i].kind);
	}
	assert_int_equal(SUP_EXIT_USAGE, 2);
}

/* Every kind has exactly one plain row, and no row is there twice. */
static void
t_the_table_is_complete(void **state)
{
	const struct sup_exit_row *rows;
	unsigned plain[SUP_KIND_COUNT] = {0};
	size_t count, i, j;
	unsigned kind;

	(void)state;
	rows = sup_exit_rows(&count);
	for (i = 0; i < count; i++) {
		assert_true(rows[i].manual[0] != '\0');
		if (rows[i].detail == SUP_EXIT_PLAIN)
			plain[rows[i].kind]++;
		for (j = 0; j < i; j++)
			assert_false(rows[i].kind == rows[j].kind &&
			    rows[i].detail == rows[j].detail);
	}
	for (kind = 0; kind < SUP_KIND_COUNT; kind++)
		assert_int_equal(plain[kind], 1);
}

static void
t_a_foreign_detail_counts_as_plain(void **state)
{
	(void)state;
	assert_int_equal(
	    sup_exit_code(SUP_KIND_TIMEOUT, SUP_EXIT_BY_SIGNAL, 9), 124);
	assert_int_equal(
	    sup_exit_code(SUP_KIND_NONE, SUP_EXIT_NOT_FOUND, 0), 0);
}

static void
t_kinds_are_the_closed_set(void **state)
{
	static const char *const words[] = {"exception", "timeout",
	    "step_budget", "memory", "disk", "worker_exit", "invalid_value",
	    "output_limit", "protocol_violation", "budget_exhausted",
	    "cancelled", "policy_refused", "isolation_unavailable",
	    "network_not_allowed", "backend_not_ready", "provider_error",
	    "artifacts_unavailable", "setup"};
	unsigned kind;
	size_t len;

	(void)state;
	assert_int_equal(sizeof(words) / sizeof(words[0]), SUP_KIND_COUNT - 1);
	for (kind = 1; kind < SUP_KIND_COUNT; kind++) {
		assert_string_equal(sup_kind_word(kind), words[kind - 1]);
		assert_int_equal(sup_kind_from(span(words[kind - 1])), kind);
		/* one sentence at least, ended */
		len = strlen(sup_kind_guidance(kind));
		assert_true(len > 20);
		assert_int_equal(sup_kind_guidance(kind)[len - 1], '.');
	}
	assert_string_equal(sup_kind_word(SUP_KIND_NONE), "");
	assert_string_equal(sup_kind_guidance(SUP_KIND_NONE), "");
	assert_int_equal(sup_kind_from(span("time")), SUP_KIND_NONE);
	assert_int_equal(sup_kind_from(span("timeouts")), SUP_KIND_NONE);
	assert_int_equal(sup_kind_from(span("")), SUP_KIND_NONE);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(t_every_promised_code),
	    cmocka_unit_test(t_the_table_is_complete),
	    cmocka_unit_test(t_a_foreign_detail_counts_as_plain),
	    cmocka_unit_test(t_kinds_are_the_closed_set),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
