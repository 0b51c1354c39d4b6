/*
 * What records add up to, and the table of open calls against a plain list.
 */
#include "bindings/ledger_fold.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* cmocka wants the headers above it first */
#include <cmocka.h>

#include "ledger_help.h"

static void
add(struct bind_ledger_fold *fold, enum bind_ledger_event event,
    const char *kind)
{
	struct bind_ledger_record record;

	help_record(&record, event, 1, true);
	if (kind != NULL)
		record.value[BIND_LEDGER_F_KIND].bytes =
		    (struct wire_span){(const uint8_t *)kind, strlen(kind)};
	bind_ledger_fold_add(fold, &record);
}

/* Failed, refused, unknown and dangling calls all count; what a spent budget
 * refused is free. */
static void
t_every_call_counts(void **state)
{
	struct bind_ledger_fold fold = {.opened = 0};

	(void)state;
	add(&fold, BIND_LEDGER_OPENED, NULL);
	for (int i = 0; i < 4; i++)
		add(&fold, BIND_LEDGER_STARTED, NULL);
	add(&fold, BIND_LEDGER_COMPLETED, NULL);
	add(&fold, BIND_LEDGER_FAILED, NULL);
	add(&fold, BIND_LEDGER_UNKNOWN, NULL);
	add(&fold, BIND_LEDGER_REFUSED, "not_offered");
	add(&fold, BIND_LEDGER_REFUSED, "cancelled");
	add(&fold, BIND_LEDGER_REFUSED, "budget_spent");
	add(&fold, BIND_LEDGER_CLOSED, NULL);
	add(&fold, BIND_LEDGER_REPAIRED, NULL);
	assert_int_equal(bind_ledger_fold_calls(&fold), 6);
	assert_int_equal(bind_ledger_fold_dangling(&fold), 1);
	/* 100 bytes of arguments each, 20 of results, 3000 ns. */
	assert_int_equal(bind_ledger_fold_bytes(&fold), 6 * 100 + 3 * 20);
	assert_int_equal(fold.tool_ns, 3 * 3000);
	assert_int_equal(fold.opened, 1);
	assert_int_equal(fold.closed, 1);
	assert_int_equal(fold.repaired, 1);
	assert_int_equal(fold.uncharged, 1);
}

static void
t_sums_do_not_wrap(void **state)
{
	struct bind_ledger_fold fold = {.opened = 0};
	struct bind_ledger_record record;

	(void)state;
	help_record(&record, BIND_LEDGER_STARTED, 1, false);
	record.value[BIND_LEDGER_F_ARGUMENT_BYTES].number = UINT64_MAX - 1;
	bind_ledger_fold_add(&fold, &record);
	bind_ledger_fold_add(&fold, &record);
	assert_true(fold.argument_bytes == UINT64_MAX);
	add(&fold, BIND_LEDGER_COMPLETED, NULL);
	assert_true(bind_ledger_fold_bytes(&fold) == UINT64_MAX);
}

static enum wire_err
step(struct bind_ledger_calls *calls, enum bind_ledger_event event,
    uint64_t call, uint8_t execution)
{
	uint8_t id[BIND_LEDGER_EXECUTION] = {execution};
	struct bind_ledger_record record;

	help_record(&record, event, call, false);
	record.value[BIND_LEDGER_F_EXECUTION].bytes = HELP_BYTES(id);
	return bind_ledger_calls_add(calls, &record, call);
}

static void
t_open_calls(void **state)
{
	struct bind_ledger_call memory[8];
	const struct bind_ledger_call *call;
	struct bind_ledger_calls calls;
	size_t cursor = 0;

	(void)state;
	bind_ledger_calls_init(&calls, 1, memory, 8);
	assert_int_equal(step(&calls, BIND_LEDGER_OPENED, 0, 1), WIRE_OK);
	assert_int_equal(step(&calls, BIND_LEDGER_STARTED, 5, 1), WIRE_OK);
	assert_int_equal(
	    step(&calls, BIND_LEDGER_STARTED, 5, 1), WIRE_ERR_BAD_FIELD);
	assert_int_equal(step(&calls, BIND_LEDGER_STARTED, 5, 2), WIRE_OK);
	assert_int_equal(step(&calls, BIND_LEDGER_REFUSED, 6, 1), WIRE_OK);
	assert_int_equal(
	    step(&calls, BIND_LEDGER_COMPLETED, 6, 1), WIRE_ERR_BAD_FIELD);
	assert_int_equal(step(&calls, BIND_LEDGER_FAILED, 5, 1), WIRE_OK);
	assert_int_equal(
	    step(&calls, BIND_LEDGER_UNKNOWN, 5, 1), WIRE_ERR_BAD_FIELD);
	call = bind_ledger_calls_next(&calls, &cursor);
	assert_non_null(call);
	assert_int_equal(call->execution[0], 2);
	assert_int_equal(call->offset, 5);
	assert_null(bind_ledger_calls_next(&calls, &cursor));
	/* Six of eight slots are taken, then it must grow. */
	for (uint64_t i = 10; i < 15; i++)
		assert_int_equal(
		    step(&calls, BIND_LEDGER_STARTED, i, 1), WIRE_OK);
	assert_int_equal(
	    step(&calls, BIND_LEDGER_STARTED, 15, 1), WIRE_ERR_NEED_SCRATCH);
	assert_int_equal(step(&calls, BIND_LEDGER_COMPLETED, 10, 1), WIRE_OK);
	assert_int_equal(step(&calls, BIND_LEDGER_STARTED, 15, 1), WIRE_OK);
}

static void
t_an_empty_table_must_grow_first(void **state)
{
	struct bind_ledger_call memory[4];
	struct bind_ledger_calls calls;

	(void)state;
	bind_ledger_calls_init(&calls, 1, NULL, 0);
	assert_int_equal(
	    step(&calls, BIND_LEDGER_COMPLETED, 1, 1), WIRE_ERR_BAD_FIELD);
	assert_int_equal(
	    step(&calls, BIND_LEDGER_STARTED, 1, 1), WIRE_ERR_NEED_SCRATCH);
	bind_ledger_calls_grow(&calls, memory, 4);
	assert_int_equal(step(&calls, BIND_LEDGER_STARTED, 1, 1), WIRE_OK);
}

/* At random, against an array with a place for each call there could be. */
static void
t_the_table_against_a_list(void **state)
{
	static bool open[4][64];
	static struct bind_ledger_call first[16], second[512];
	struct bind_ledger_calls calls;
	unsigned seed = 3;
	size_t count = 0, cursor = 0, seen = 0;

	(void)state;
	bind_ledger_calls_init(&calls, 0x1234567, first, 16);
	for (int i = 0; i < 200000; i++) {
		unsigned execution, call;
		enum wire_err err;
		bool start;

		seed = seed * 1664525u + 1013904223u;
		execution = seed >> 20 & 3;
		call = seed >> 10 & 63;
		start = (seed >> 24 & 1) != 0;
		err = step(&calls,
		    start ? BIND_LEDGER_STARTED : BIND_LEDGER_COMPLETED, call,
		    (uint8_t)execution);
		if (err == WIRE_ERR_NEED_SCRATCH) {
			assert_true(start && calls.max == 16);
			assert_int_equal(count, 12);
			bind_ledger_calls_grow(&calls, second, 512);
			continue;
		}
		assert_int_equal(err,
		    open[execution][call] == start ? WIRE_ERR_BAD_FIELD
						   : WIRE_OK);
		if (err == WIRE_OK)
			count += start ? 1 : (size_t)-1;
		open[execution][call] = start;
		assert_int_equal(calls.count, count);
	}
	while (bind_ledger_calls_next(&calls, &cursor) != NULL)
		seen++;
	assert_int_equal(seen, count);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(t_every_call_counts),
	    cmocka_unit_test(t_sums_do_not_wrap),
	    cmocka_unit_test(t_open_calls),
	    cmocka_unit_test(t_an_empty_table_must_grow_first),
	    cmocka_unit_test(t_the_table_against_a_list),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
