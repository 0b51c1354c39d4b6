/*
 * The meters of a session, each at its limit and one past it: what tools
 * produce, the time of all of them, what a Run has; what a program is told is
 * left; and what happens where a spent meter ends the execution.
 */
#include "tests/unit/session_rig.h"

static int
set_up(void **state)
{
	*state = rig_new();
	return 0;
}

static int
tear_down(void **state)
{
	rig_free(*state);
	return 0;
}

static const struct bind_budget *
budget(const struct rig *rig)
{
	return bind_session_budget(rig->session);
}

static void
expect_left(const struct rig *rig, uint64_t calls, uint64_t bytes,
    uint64_t produced, uint64_t kept, uint64_t ms)
{
	uint64_t left[WIRE_LEFTS];

	bind_budget_left(budget(rig), left);
	assert_int_equal(left[WIRE_LEFT_CALLS], calls);
	assert_int_equal(left[WIRE_LEFT_BYTES], bytes);
	assert_int_equal(left[WIRE_LEFT_PRODUCED], produced);
	assert_int_equal(left[WIRE_LEFT_KEPT], kept);
	assert_int_equal(left[WIRE_LEFT_TIME], ms);
}

/* --- produced ------------------------------------------------------------ */

static void
t_produced_at_the_limit_and_one_past_it(void **state)
{
	struct rig *rig = *state;

	rig->limits.produced_bytes = 10;
	rig->limits.in_flight = 2;
	rig_open(rig);
	rig_calls(rig, "tool", 2);
	rig_value(rig, 0, "1234567");
	rig_value(rig, 1, "123");
	assert_int_equal(budget(rig)->produced, 10);
	assert_int_equal(bind_session_gate(rig->session), BIND_GATE_RUNNING);
	rig_calls(rig, "tool", 3);
	rig->log_len = 0;
	/* It has run, and its result is over: nothing of it is delivered, and
	 * what waits is not run for nothing. */
	rig_value(rig, 2, "1");
	rig_expect(rig,
	    "ended:2:failed:budget_spent reply:2:budget_spent "
	    "ended:4:refused:budget_spent reply:4:budget_spent");
	assert_true(rig->last_hard);
	assert_non_null(
	    strstr(rig->message, "10 bytes of results (produced_bytes)"));
	assert_int_equal(budget(rig)->spent, BIND_METER_PRODUCED);
	assert_int_equal(budget(rig)->produced, 10);
	assert_int_equal(budget(rig)->bytes, 5 * 2 + 10);
	rig_done(rig, 3, WIRE_TOOL_FAILED, "", true);
	rig_gone(rig, 3);
	rig->log_len = 0;
	rig_call(rig, "tool");
	rig_expect(rig, "ended:5:refused:budget_spent reply:5:budget_spent");
	assert_int_equal(budget(rig)->calls, 5);
}

static void
t_what_is_not_delivered_was_produced(void **state)
{
	struct rig *rig = *state;
	struct bind_outcome partial = {.kind = WIRE_TOOL_TIMED_OUT,
	    .value = WIRE_LIT("123456"),
	    .end_seen = true};

	rig->limits.produced_bytes = 40;
	rig->limits.result_bytes = 10;
	rig_open(rig);
	/* too large; no JSON; the beginning of one that was stopped */
	rig_call(rig, "tool");
	rig_value(rig, 0, "12345678901");
	assert_int_equal(budget(rig)->produced, 11);
	rig_call(rig, "tool");
	rig_value(rig, 1, " {{{ ");
	assert_int_equal(budget(rig)->produced, 14);
	rig_call(rig, "tool");
	rig->jobs[2]->done(rig->jobs[2], &partial);
	rig_gone(rig, 2);
	assert_int_equal(budget(rig)->produced, 20);
	assert_int_equal(budget(rig)->spent, BIND_METER_NONE);
	/* A failure that brings more than is left keeps its own kind, and is
	 * the last call. */
	rig->log_len = 0;
	rig_call(rig, "tool");
	partial.value = WIRE_LIT("123456789012345678901");
	rig->jobs[3]->done(rig->jobs[3], &partial);
	rig_gone(rig, 3);
	rig_expect(rig,
	    "started:3 start:3 ended:3:failed:timed_out reply:3:timed_out");
	rig_call(rig, "tool");
	rig_expect(rig, "ended:4:refused:budget_spent reply:4:budget_spent");
	assert_int_equal(budget(rig)->spent, BIND_METER_PRODUCED);
}

static void
t_what_is_kept_is_produced_and_preserved_and_not_transferred(void **state)
{
	struct rig *rig = *state;
	char arguments[128];

	rig->limits.kept_bytes = 100;
	rig->limits.produced_bytes = 60;
	rig->limits.result_bytes = 45;
	rig->limits.total_bytes = 1000;
	rig_open(rig);
	rig_call(rig, "tool");
	rig_value(rig, 0, "[1,2,3,4,5,6,7,8,9,0,1,2,3,4,5,6,7,8,9,0,1,2,3,4]");
	assert_int_equal(budget(rig)->produced, 49);
	assert_int_equal(budget(rig)->kept, 49);
	assert_int_equal(budget(rig)->bytes, 2);
	/* What is read of it was produced before. */
	(void)snprintf(arguments, sizeof(arguments),
	    "{\"handle\":\"%s\",\"length\":1}", rig->token);
	rig_call_with(rig, "read_tool_output",
	    (struct wire_span){(uint8_t *)arguments, strlen(arguments)});
	assert_int_equal(budget(rig)->produced, 49);
	assert_true(budget(rig)->bytes > 2 + strlen(arguments));
	rig_call(rig, "tool");
	rig->log_len = 0;
	rig_value(rig, 2, "[1,2,3,4,5,6,7,8,9,0,1,2,3,4,5,6,7,8,9,0,1,2,3,4]");
	rig_expect(rig, "ended:2:failed:budget_spent reply:2:budget_spent");
	assert_int_equal(budget(rig)->kept, 49);
}

/* --- time ---------------------------------------------------------------- */

static void
t_the_time_of_all_calls_is_exact(void **state)
{
	struct rig *rig = *state;

	rig->limits.total_time_ns = 1000;
	rig->limits.tool_time_ns = 5000;
	rig->limits.in_flight = 2;
	rig_open(rig);
	rig_call(rig, "tool");
	assert_int_equal(
	    bind_session_deadline(rig->session), rig->loop.now + 1000);
	rig->loop.now += 400;
	rig_call(rig, "tool");
	/* 400 are used; of what is left two use 600 in 300. */
	assert_int_equal(
	    bind_session_deadline(rig->session), rig->loop.now + 300);
	rig->loop.now += 100;
	rig_value(rig, 0, "1");
	assert_int_equal(budget(rig)->time_ns, 500);
	/* The other one has had 100. */
	assert_int_equal(
	    bind_session_deadline(rig->session), rig->loop.now + 400);
	rig->loop.now += 399;
	bind_session_tick(rig->session, rig->loop.now);
	rig_calls(rig, "tool", 2);
	rig->log_len = 0;
	rig->loop.now += 1;
	bind_session_tick(rig->session, rig->loop.now);
	/* 2 was started a moment ago: they all go, and what waits as well. */
	rig_expect(rig,
	    "ended:3:refused:budget_spent reply:3:budget_spent "
	    "cancel:1:budget_spent cancel:2:budget_spent");
	assert_int_equal(budget(rig)->spent, BIND_METER_TIME);
	assert_int_equal(bind_session_deadline(rig->session), UINT64_MAX);
	rig_done(rig, 1, WIRE_TOOL_BUDGET_SPENT, "out of time", true);
	rig_expect(rig, "ended:1:failed:budget_spent reply:1:budget_spent");
	assert_true(rig->last_hard);
	rig_done(rig, 2, WIRE_TOOL_BUDGET_SPENT, "", false);
	rig_gone(rig, 1);
	rig_gone(rig, 2);
	rig->log_len = 0;
	rig_call(rig, "now");
	rig_expect(rig, "ended:4:refused:budget_spent reply:4:budget_spent");
	assert_non_null(strstr(rig->message, "total_tool_time"));
}

static void
t_time_used_up_without_anybody_looking(void **state)
{
	struct rig *rig = *state;

	rig->limits.total_time_ns = 1000;
	rig->limits.in_flight = 1;
	rig_open(rig);
	rig_calls(rig, "tool", 2);
	rig->log_len = 0;
	rig->loop.now += 1000;
	/* It has answered in time, and the time is used up. */
	rig_value(rig, 0, "1");
	rig_expect(rig,
	    "ended:0:completed reply:0:1 "
	    "ended:1:refused:budget_spent reply:1:budget_spent");
	assert_int_equal(bind_session_deadline(rig->session), UINT64_MAX);
	rig_call(rig, "tool");
	rig_expect(rig, "ended:2:refused:budget_spent reply:2:budget_spent");
}

static void
t_the_time_of_one_call_comes_first(void **state)
{
	struct rig *rig = *state;

	rig->limits.total_time_ns = 1000;
	rig->limits.tool_time_ns = 400;
	rig_open(rig);
	rig_call(rig, "tool");
	rig->log_len = 0;
	rig->loop.now += 400;
	bind_session_tick(rig->session, rig->loop.now);
	rig_expect(rig, "cancel:0:timed_out");
	/* Nobody waits for it any more; it still uses time until it is over. */
	rig->loop.now += 300;
	rig_done(rig, 0, WIRE_TOOL_TIMED_OUT, "", true);
	rig_gone(rig, 0);
	assert_int_equal(budget(rig)->time_ns, 700);
	assert_int_equal(bind_session_gate(rig->session), BIND_GATE_RUNNING);
}

static void
t_abandoned_calls_have_used_time(void **state)
{
	struct rig *rig = *state;

	rig_open(rig);
	rig_call(rig, "tool");
	rig->loop.now += 77;
	bind_session_abandon(rig->session);
	assert_int_equal(budget(rig)->time_ns, 77);
	assert_true(bind_session_is_empty(rig->session));
}

/* --- a Run --------------------------------------------------------------- */

static void
t_a_run_that_others_spend(void **state)
{
	struct rig *rig = *state;

	rig->run = (struct bind_run){98, 100, 950, 1000};
	rig_open(rig);
	expect_left(rig, 2, 50, 50, 0, 86400000);
	rig->run.calls = 99;
	rig_call(rig, "tool");
	expect_left(rig, 1, 50, 50, 0, 86400000);
	rig->log_len = 0;
	rig_value(
	    rig, 0, "[1,2,3,4,5,6,7,8,9,0,1,2,3,4,5,6,7,8,9,0,1,2,3,4,5]");
	rig_expect(rig, "ended:0:failed:budget_spent reply:0:budget_spent");
	assert_int_equal(budget(rig)->spent, BIND_METER_RUN_BYTES);
	assert_non_null(
	    strstr(rig->message, "1000 bytes of the Run (run_bytes)"));
	expect_left(rig, 0, 50, 50, 0, 86400000);
}

static void
t_a_run_without_calls(void **state)
{
	struct rig *rig = *state;

	rig->run = (struct bind_run){100, 100, 0, 1000};
	rig->spent_started = true;
	rig_open(rig);
	expect_left(rig, 0, 1000, 1000, 0, 86400000);
	rig_call(rig, "tool");
	rig_expect(rig, "ended:0:refused:budget_spent reply:0:budget_spent");
	assert_int_equal(budget(rig)->spent, BIND_METER_RUN_CALLS);
	assert_non_null(
	    strstr(rig->message, "100 calls of the Run (run_calls)"));
	rig->spent_started = false;
}

/* --- what is left -------------------------------------------------------- */

static void
t_what_is_left(void **state)
{
	struct rig *rig = *state;

	rig->limits = (struct bind_limits){
	    .calls = 3,
	    .argument_bytes = 10,
	    .result_bytes = 20,
	    .total_bytes = 100,
	    .produced_bytes = 200,
	    .kept_bytes = 300,
	    .tool_time_ns = 5000000,
	    .total_time_ns = 9000000,
	    .in_flight = 1,
	};
	rig_open(rig);
	expect_left(rig, 3, 100, 200, 300, 9);
	rig_call(rig, "tool");
	expect_left(rig, 2, 98, 200, 300, 9);
	rig->loop.now += 1000001;
	rig_value(rig, 0, "12345");
	expect_left(rig, 2, 93, 195, 300, 7);
	rig_call(rig, "nobody");
	expect_left(rig, 1, 91, 195, 300, 7);
	rig_call(rig, "now");
	expect_left(rig, 0, 87, 193, 300, 7);
	rig_call(rig, "now");
	expect_left(rig, 0, 87, 193, 300, 7);
}

/* --- where a spent meter is the end -------------------------------------- */

static void
t_the_end_comes_before_the_answer(void **state)
{
	struct rig *rig = *state;

	rig->halts = true;
	rig->limits.calls = 2;
	rig->limits.in_flight = 1;
	rig_open(rig);
	rig_calls(rig, "tool", 2);
	rig->log_len = 0;
	rig_call(rig, "tool");
	rig_expect(rig,
	    "exhausted:calls ended:1:refused:cancelled reply:1:cancelled "
	    "ended:2:refused:budget_spent reply:2:budget_spent");
	assert_int_equal(bind_session_gate(rig->session), BIND_GATE_CLOSED);
	rig_call(rig, "tool");
	rig_expect(rig, "ended:3:refused:cancelled reply:3:cancelled");
	rig_value(rig, 0, "1");
	rig_expect(rig, "ended:0:completed reply:0:1");
}

static void
t_the_end_by_each_meter(void **state)
{
	struct rig *rig = *state;

	rig->halts = true;
	rig->limits.produced_bytes = 1;
	rig_open(rig);
	rig_calls(rig, "tool", 2);
	rig->log_len = 0;
	rig_value(rig, 0, "12");
	rig_expect(rig,
	    "exhausted:produced_bytes ended:0:failed:budget_spent "
	    "reply:0:budget_spent");
	/* It is told once. */
	rig_value(rig, 1, "12");
	rig_expect(rig, "ended:1:failed:budget_spent reply:1:budget_spent");
}

static void
t_the_end_by_time(void **state)
{
	struct rig *rig = *state;

	rig->halts = true;
	rig->limits.total_time_ns = 10;
	rig_open(rig);
	rig_call(rig, "tool");
	rig->log_len = 0;
	rig->loop.now += 10;
	bind_session_tick(rig->session, rig->loop.now);
	rig_expect(rig, "exhausted:total_tool_time cancel:0:budget_spent");
	rig_done(rig, 0, WIRE_TOOL_BUDGET_SPENT, "", true);
	rig_gone(rig, 0);
}

int
main(void)
{
#define TEST(t) cmocka_unit_test_setup_teardown(t, set_up, tear_down)
	const struct CMUnitTest tests[] = {
	    TEST(t_produced_at_the_limit_and_one_past_it),
	    TEST(t_what_is_not_delivered_was_produced),
	    TEST(t_what_is_kept_is_produced_and_preserved_and_not_transferred),
	    TEST(t_the_time_of_all_calls_is_exact),
	    TEST(t_time_used_up_without_anybody_looking),
	    TEST(t_the_time_of_one_call_comes_first),
	    TEST(t_abandoned_calls_have_used_time),
	    TEST(t_a_run_that_others_spend),
	    TEST(t_a_run_without_calls),
	    TEST(t_what_is_left),
	    TEST(t_the_end_comes_before_the_answer),
	    TEST(t_the_end_by_each_meter),
	    TEST(t_the_end_by_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
