#include "bindings/budget.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* cmocka wants the headers above it first */
#include <cmocka.h>

static const struct bind_limits small = {
    .calls = 3,
    .argument_bytes = 10,
    .result_bytes = 20,
    .total_bytes = 100,
    .produced_bytes = 1000,
    .kept_bytes = 0,
    .tool_time_ns = 1,
    .total_time_ns = 1000,
    .in_flight = 1,
};

static void
t_defaults_are_acceptable(void **state)
{
	(void)state;
	assert_int_equal(bind_limits_check(&bind_limits_default, NULL), 0);
	assert_int_equal(bind_limits_default.calls, 1000);
	assert_int_equal(bind_limits_default.argument_bytes, 1 << 20);
	assert_int_equal(bind_limits_default.result_bytes, 8 << 20);
	assert_int_equal(bind_limits_default.total_bytes, 64 << 20);
	assert_int_equal(bind_limits_default.produced_bytes, 128 << 20);
	assert_int_equal(bind_limits_default.kept_bytes, 64 << 20);
	assert_int_equal(bind_limits_default.tool_time_ns, 60000000000);
	assert_int_equal(bind_limits_default.total_time_ns, 86400000000000);
	assert_int_equal(bind_limits_default.in_flight, 64);
}

static void
check_ceiling(struct bind_limits limits, const char *site)
{
	struct wire_errinfo info = {"", 0, 0};

	assert_int_equal(
	    bind_limits_check(&limits, &info), WIRE_ERR_BAD_ARGUMENT);
	assert_string_equal(info.site, site);
}

static void
t_each_limit_holds_at_its_ceiling_and_not_above(void **state)
{
	const struct bind_limits most = {
	    .calls = BIND_MAX_CALLS,
	    .argument_bytes = BIND_MAX_ARGUMENTS,
	    .result_bytes = BIND_MAX_RESULT,
	    .total_bytes = BIND_MAX_TOTAL,
	    .produced_bytes = BIND_MAX_PRODUCED,
	    .kept_bytes = BIND_MAX_KEPT,
	    .tool_time_ns = BIND_MAX_TOOL_TIME,
	    .total_time_ns = BIND_MAX_TOTAL_TIME,
	    .in_flight = BIND_MAX_IN_FLIGHT,
	};
	struct bind_limits l;

	(void)state;
	assert_int_equal(bind_limits_check(&most, NULL), 0);
	l = most, l.calls++, check_ceiling(l, "calls");
	l = most, l.argument_bytes++, check_ceiling(l, "argument_bytes");
	l = most, l.result_bytes++, check_ceiling(l, "result_bytes");
	l = most, l.total_bytes++, check_ceiling(l, "total_bytes");
	l = most, l.produced_bytes++, check_ceiling(l, "produced_bytes");
	l = most, l.total_time_ns++, check_ceiling(l, "total_tool_time");
	l = most, l.total_time_ns = 0, check_ceiling(l, "total_tool_time");
	l = most, l.kept_bytes++, check_ceiling(l, "kept_bytes");
	l = most, l.tool_time_ns++, check_ceiling(l, "tool_time");
	l = most, l.in_flight++, check_ceiling(l, "in_flight");
	l = most, l.tool_time_ns = 0, check_ceiling(l, "tool_time");
	l = most, l.in_flight = 0, check_ceiling(l, "in_flight");
	/* What forbids all calls is a choice, not a mistake. */
	l = most, l.calls = l.total_bytes = l.result_bytes = 0;
	assert_int_equal(bind_limits_check(&l, NULL), 0);
}

static void
t_calls_are_exact_and_spent_afterwards(void **state)
{
	struct bind_budget b;

	(void)state;
	bind_budget_init(&b, &small);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(bind_budget_calls_left(&b), 3 - i);
		assert_int_equal(bind_budget_charge_call(&b, 1), 0);
	}
	assert_int_equal(b.spent, BIND_METER_NONE);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(
		    bind_budget_charge_call(&b, 1), WIRE_TOOL_BUDGET_SPENT);
		assert_int_equal(b.spent, BIND_METER_CALLS);
		assert_false(b.is_dry);
		assert_int_equal(b.calls, 3);
		assert_int_equal(b.bytes, 3);
	}
}

static void
t_no_calls_at_all(void **state)
{
	struct bind_limits none = small;
	struct bind_budget b;

	(void)state;
	none.calls = 0;
	bind_budget_init(&b, &none);
	assert_int_equal(
	    bind_budget_charge_call(&b, 0), WIRE_TOOL_BUDGET_SPENT);
}

static void
t_arguments_are_exact_and_charged_even_when_too_large(void **state)
{
	struct bind_budget b;

	(void)state;
	bind_budget_init(&b, &small);
	assert_int_equal(bind_budget_charge_call(&b, 10), 0);
	assert_int_equal(b.bytes, 10);
	assert_int_equal(
	    bind_budget_charge_call(&b, 11), WIRE_TOOL_ARGUMENTS_TOO_LARGE);
	assert_int_equal(b.bytes, 21);
	assert_int_equal(b.calls, 2);
	assert_int_equal(b.spent, BIND_METER_NONE);
}

static void
t_total_is_exact_for_arguments(void **state)
{
	struct bind_limits l = small;
	struct bind_budget b;

	(void)state;
	l.argument_bytes = 1000;
	bind_budget_init(&b, &l);
	assert_int_equal(bind_budget_charge_call(&b, 100), 0);
	assert_int_equal(bind_budget_bytes_left(&b), 0);
	assert_int_equal(bind_budget_charge_call(&b, 0), 0);
	assert_int_equal(
	    bind_budget_charge_call(&b, 1), WIRE_TOOL_BUDGET_SPENT);
	assert_int_equal(b.spent, BIND_METER_BYTES);
	assert_true(b.is_dry);
	assert_int_equal(b.calls, 2);

	bind_budget_init(&b, &l);
	assert_int_equal(
	    bind_budget_charge_call(&b, 101), WIRE_TOOL_BUDGET_SPENT);
	assert_int_equal(b.bytes, 0);
}

static void
t_results_are_exact(void **state)
{
	struct bind_budget b;

	(void)state;
	bind_budget_init(&b, &small);
	assert_int_equal(bind_budget_charge_result(&b, 20), 0);
	assert_int_equal(
	    bind_budget_charge_result(&b, 21), WIRE_TOOL_RESULT_TOO_LARGE);
	assert_int_equal(b.bytes, 20);
	assert_int_equal(b.spent, BIND_METER_NONE);
	for (int i = 0; i < 4; i++)
		assert_int_equal(bind_budget_charge_result(&b, 20), 0);
	assert_int_equal(bind_budget_charge_result(&b, 0), 0);
	assert_int_equal(
	    bind_budget_charge_result(&b, 1), WIRE_TOOL_BUDGET_SPENT);
	assert_int_equal(b.bytes, 100);
	assert_true(b.is_dry);
	assert_int_equal(bind_budget_bytes_left(&b), 0);
}

static void
t_what_does_not_fit_leaves_room_for_what_does(void **state)
{
	struct bind_budget b;

	(void)state;
	bind_budget_init(&b, &small);
	for (int i = 0; i < 4; i++)
		assert_int_equal(bind_budget_charge_result(&b, 20), 0);
	assert_int_equal(bind_budget_charge_result(&b, 15), 0);
	assert_int_equal(
	    bind_budget_charge_result(&b, 6), WIRE_TOOL_BUDGET_SPENT);
	assert_int_equal(bind_budget_charge_result(&b, 5), 0);
}

static void
t_the_first_meter_stays(void **state)
{
	struct bind_budget b;

	(void)state;
	bind_budget_init(&b, &small);
	for (int i = 0; i < 3; i++)
		assert_int_equal(bind_budget_charge_call(&b, 0), 0);
	assert_int_equal(
	    bind_budget_charge_call(&b, 0), WIRE_TOOL_BUDGET_SPENT);
	for (int i = 0; i < 5; i++)
		assert_int_equal(bind_budget_charge_result(&b, 20), 0);
	assert_int_equal(
	    bind_budget_charge_result(&b, 1), WIRE_TOOL_BUDGET_SPENT);
	assert_int_equal(b.spent, BIND_METER_CALLS);
	assert_true(b.is_dry);
}

static void
t_sizes_cannot_wrap(void **state)
{
	struct bind_limits l = small;
	struct bind_budget b;

	(void)state;
	l.argument_bytes = l.result_bytes = UINT64_MAX;
	l.total_bytes = UINT64_MAX;
	bind_budget_init(&b, &l);
	assert_int_equal(bind_budget_charge_call(&b, UINT64_MAX), 0);
	assert_int_equal(
	    bind_budget_charge_result(&b, UINT64_MAX), WIRE_TOOL_BUDGET_SPENT);
	assert_int_equal(
	    bind_budget_charge_call(&b, 1), WIRE_TOOL_BUDGET_SPENT);
	assert_int_equal(b.bytes, UINT64_MAX);
}

static void
t_what_is_produced_is_exact(void **state)
{
	struct bind_limits l = small;
	struct bind_budget b;

	(void)state;
	l.produced_bytes = 10;
	bind_budget_init(&b, &l);
	assert_int_equal(bind_budget_charge_produced(&b, 7), 0);
	assert_int_equal(
	    bind_budget_charge_produced(&b, 4), WIRE_TOOL_BUDGET_SPENT);
	assert_int_equal(b.spent, BIND_METER_PRODUCED);
	assert_true(b.is_dry);
	assert_int_equal(b.produced, 7);
	assert_int_equal(bind_budget_charge_produced(&b, 3), 0);
	assert_int_equal(bind_budget_charge_produced(&b, 0), 0);
	assert_int_equal(
	    bind_budget_charge_produced(&b, 1), WIRE_TOOL_BUDGET_SPENT);
	assert_int_equal(b.produced, 10);
	assert_int_equal(b.bytes, 0);
}

static void
t_time_is_what_was_measured(void **state)
{
	struct bind_budget b;

	(void)state;
	bind_budget_init(&b, &small);
	bind_budget_charge_time(&b, 999);
	assert_int_equal(bind_budget_time_left(&b), 1);
	assert_int_equal(bind_budget_charge_call(&b, 1), 0);
	assert_int_equal(b.spent, BIND_METER_NONE);
	bind_budget_charge_time(&b, 1);
	assert_int_equal(
	    bind_budget_charge_call(&b, 1), WIRE_TOOL_BUDGET_SPENT);
	assert_int_equal(b.spent, BIND_METER_TIME);
	assert_int_equal(b.calls, 1);
	assert_true(b.is_dry);
	/* A call is not over when its time is. */
	bind_budget_charge_time(&b, 5000);
	assert_int_equal(b.time_ns, 6000);
	assert_int_equal(bind_budget_time_left(&b), 0);
	bind_budget_charge_time(&b, UINT64_MAX);
	assert_int_equal(b.time_ns, UINT64_MAX);
}

static void
t_a_run_has_less_or_more_left(void **state)
{
	uint64_t left[WIRE_LEFTS];
	struct bind_budget b;

	(void)state;
	bind_budget_init(&b, &small);
	b.limits.kept_bytes = 50;
	b.limits.total_time_ns = 5999999;
	assert_int_equal(bind_budget_charge_call(&b, 10), 0);
	assert_int_equal(bind_budget_charge_produced(&b, 20), 0);
	b.kept = 1;
	bind_budget_left(&b, left);
	assert_int_equal(left[WIRE_LEFT_CALLS], 2);
	assert_int_equal(left[WIRE_LEFT_BYTES], 90);
	assert_int_equal(left[WIRE_LEFT_PRODUCED], 980);
	assert_int_equal(left[WIRE_LEFT_KEPT], 49);
	assert_int_equal(left[WIRE_LEFT_TIME], 5);
	b.has_run = true;
	b.run = (struct bind_run){9, 10, 60, 100};
	bind_budget_left(&b, left);
	assert_int_equal(left[WIRE_LEFT_CALLS], 1);
	assert_int_equal(left[WIRE_LEFT_BYTES], 40);
	assert_int_equal(left[WIRE_LEFT_PRODUCED], 40);
	assert_int_equal(left[WIRE_LEFT_KEPT], 40);
	/* Others may have recorded more than there was. */
	b.run = (struct bind_run){12, 10, 101, 100};
	bind_budget_left(&b, left);
	assert_int_equal(left[WIRE_LEFT_CALLS], 0);
	assert_int_equal(left[WIRE_LEFT_BYTES], 0);
	b.has_run = false;
	/* No call is accepted after this. */
	bind_budget_spend_time(&b);
	bind_budget_left(&b, left);
	assert_int_equal(left[WIRE_LEFT_CALLS], 0);
	assert_int_equal(left[WIRE_LEFT_BYTES], 90);
}

static void
t_a_run_is_spent_by_what_arrives(void **state)
{
	struct bind_budget b;

	(void)state;
	bind_budget_init(&b, &small);
	b.has_run = true;
	b.run = (struct bind_run){1, 10, 90, 100};
	assert_int_equal(bind_budget_charge_produced(&b, 10), 0);
	assert_int_equal(
	    bind_budget_charge_produced(&b, 11), WIRE_TOOL_BUDGET_SPENT);
	assert_int_equal(b.spent, BIND_METER_RUN_BYTES);
	bind_budget_init(&b, &small);
	b.has_run = true;
	b.run = (struct bind_run){9, 10, 90, 100};
	bind_budget_spend_run(&b);
	assert_int_equal(b.spent, BIND_METER_RUN_BYTES);
	bind_budget_init(&b, &small);
	b.has_run = true;
	b.run = (struct bind_run){10, 10, 100, 100};
	bind_budget_spend_run(&b);
	assert_int_equal(b.spent, BIND_METER_RUN_CALLS);
}

static void
t_meters_are_named_like_their_limits(void **state)
{
	(void)state;
	assert_string_equal(bind_meter_word(BIND_METER_NONE), "");
	assert_string_equal(bind_meter_word(BIND_METER_CALLS), "calls");
	assert_string_equal(bind_meter_word(BIND_METER_BYTES), "total_bytes");
	assert_string_equal(
	    bind_meter_word(BIND_METER_PRODUCED), "produced_bytes");
	assert_string_equal(
	    bind_meter_word(BIND_METER_TIME), "total_tool_time");
	assert_string_equal(bind_meter_word(BIND_METER_RUN_CALLS), "run_calls");
	assert_string_equal(bind_meter_word(BIND_METER_RUN_BYTES), "run_bytes");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(t_defaults_are_acceptable),
	    cmocka_unit_test(t_each_limit_holds_at_its_ceiling_and_not_above),
	    cmocka_unit_test(t_calls_are_exact_and_spent_afterwards),
	    cmocka_unit_test(t_no_calls_at_all),
	    cmocka_unit_test(
		t_arguments_are_exact_and_charged_even_when_too_large),
	    cmocka_unit_test(t_total_is_exact_for_arguments),
	    cmocka_unit_test(t_results_are_exact),
	    cmocka_unit_test(t_what_does_not_fit_leaves_room_for_what_does),
	    cmocka_unit_test(t_the_first_meter_stays),
	    cmocka_unit_test(t_sizes_cannot_wrap),
	    cmocka_unit_test(t_what_is_produced_is_exact),
	    cmocka_unit_test(t_time_is_what_was_measured),
	    cmocka_unit_test(t_a_run_has_less_or_more_left),
	    cmocka_unit_test(t_a_run_is_spent_by_what_arrives),
	    cmocka_unit_test(t_meters_are_named_like_their_limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
