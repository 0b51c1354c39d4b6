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

/* --- the order of effects (B1) ------------------------------------------ */

static void
t_record_dispatch_record_reply(void **state)
{
	struct rig *rig = *state;

	rig_open(rig);
	rig_call(rig, "tool");
	rig_expect(rig, "started:0 start:0");
	rig_done(rig, 0, WIRE_TOOL_NONE, "[1]", true);
	rig_expect(rig, "ended:0:completed reply:0:[1]");
	assert_false(bind_session_is_empty(rig->session));
	rig_gone(rig, 0);
	assert_true(bind_session_is_empty(rig->session));
	assert_false(rig->last_hard);
}

static void
t_an_answer_from_inside_start(void **state)
{
	struct rig *rig = *state;

	rig_open(rig);
	rig_call(rig, "now");
	rig_expect(rig, "started:0 start:0 ended:0:completed reply:0:{}");
	assert_true(bind_session_is_empty(rig->session));
}

static void
t_a_tool_error_is_failed(void **state)
{
	struct rig *rig = *state;

	rig_open(rig);
	rig_call(rig, "tool");
	rig_done(rig, 0, WIRE_TOOL_FAILED, "boom", true);
	rig_gone(rig, 0);
	rig_expect(
	    rig, "started:0 start:0 ended:0:failed:failed reply:0:failed");
	assert_string_equal(rig->message,
	    "tool: boom. The tool ran and reported an error: read the message, "
	    "change the arguments, or go on without it.");
}

static void
t_an_end_that_was_not_seen_is_unknown(void **state)
{
	struct rig *rig = *state;

	rig_open(rig);
	rig_call(rig, "tool");
	rig_done(rig, 0, WIRE_TOOL_UNREACHABLE, "lost", false);
	rig_gone(rig, 0);
	rig_expect(rig,
	    "started:0 start:0 ended:0:unknown:unreachable "
	    "reply:0:unreachable");
}

static void
t_unrecorded_is_not_dispatched(void **state)
{
	struct rig *rig = *state;

	rig_open(rig);
	rig->refuse_started = true;
	rig_call(rig, "tool");
	rig_expect(rig, "ended:0:refused:not_recorded reply:0:not_recorded");
	assert_false(rig->last_hard);
	rig->refuse_started = false;
	rig_call(rig, "now");
	rig_expect(rig, "started:1 start:1 ended:1:completed reply:1:{}");
}

/* What others have recorded leaves no room: as a spent budget of its own. */
static void
t_the_record_may_say_that_the_budget_is_spent(void **state)
{
	struct rig *rig = *state;

	rig_open(rig);
	rig->spent_started = true;
	rig_call(rig, "tool");
	rig_expect(rig, "ended:0:refused:budget_spent reply:0:budget_spent");
	assert_true(rig->last_hard);
	assert_int_equal(
	    bind_session_budget(rig->session)->spent, BIND_METER_RUN_CALLS);
	rig->spent_started = false;
	rig_call(rig, "now");
	rig_expect(rig, "ended:1:refused:budget_spent reply:1:budget_spent");
}

static void
t_an_unrecorded_outcome_is_not_delivered(void **state)
{
	struct rig *rig = *state;

	rig_open(rig);
	rig->refuse_ended = true;
	rig_call(rig, "now");
	rig_expect(
	    rig, "started:0 start:0 ended:0:completed reply:0:not_recorded");
	/* A refusal stands, recorded or not. */
	rig_call(rig, "no");
	rig_expect(rig, "ended:1:refused:not_offered reply:1:not_offered");
}

static void
t_arguments_are_copied(void **state)
{
	struct rig *rig = *state;
	struct bind_job *job;

	rig_open(rig);
	rig_call_with(rig, "tool", WIRE_LIT("{\"key\":\"value\"}"));
	job = rig->jobs[0];
	assert_int_equal(job->arguments.len, 15);
	assert_memory_equal(job->arguments.p, "{\"key\":\"value\"}", 15);
	assert_int_equal(job->tool.len, 4);
	assert_memory_equal(job->tool.p, "tool", 4);
	assert_int_equal(job->result_max, rig->limits.result_bytes);
	assert_ptr_equal(job->loop, &rig->loop.loop);
	rig_value(rig, 0, "1");
}

/* --- admission (B3, B9, B10) -------------------------------------------- */

static void
t_refused_names_are_charged_and_recorded(void **state)
{
	struct rig *rig = *state;

	rig_add(rig, "approve", &rig_provider, BIND_TOOL_NEEDS_APPROVAL);
	rig_add(rig, "ask", &rig_provider, BIND_TOOL_NEEDS_INPUT);
	rig_open(rig);
	rig_add(rig, "late", &rig_provider, 0);
	assert_int_equal(bind_session_offered(rig->session), 4);
	rig_call(rig, "nobody");
	rig_call(rig, "approve");
	rig_call(rig, "ask");
	rig_call(rig, "late");
	rig_call(rig, "");
	rig_expect(rig,
	    "ended:0:refused:not_offered reply:0:not_offered "
	    "ended:1:refused:approval_required reply:1:approval_required "
	    "ended:2:refused:input_required reply:2:input_required "
	    "ended:3:refused:not_offered reply:3:not_offered "
	    "ended:4:refused:not_offered reply:4:not_offered");
	assert_false(rig->last_hard);
	assert_int_equal(bind_session_budget(rig->session)->calls, 5);
	assert_int_equal(bind_session_budget(rig->session)->bytes, 10);
}

static void
t_a_withdrawn_tool_is_refused_even_while_waiting(void **state)
{
	struct rig *rig = *state;

	rig->limits.in_flight = 1;
	rig_open(rig);
	rig_calls(rig, "tool", 2);
	assert_true(bind_catalogue_withdraw(rig->catalogue, WIRE_LIT("tool")));
	rig_call(rig, "tool");
	rig_expect(rig,
	    "started:0 start:0 ended:2:refused:not_offered "
	    "reply:2:not_offered");
	rig_value(rig, 0, "1");
	rig_expect(rig,
	    "ended:0:completed reply:0:1 "
	    "ended:1:refused:not_offered reply:1:not_offered");
}

/* Tools that the terms leave out are refused in the words for a name that does
 * not exist, whatever their marks. */
static void
t_of_chosen_tools_only_they_are_offered(void **state)
{
	static const uint8_t names[] = "tool no such gone";
	const struct wire_span chosen[] = {
	    {names, 4}, {names + 5, 7}, {names + 13, 4}};
	struct rig *rig = *state;
	struct bind_session_config config;

	rig_add(rig, "other", &rig_provider, 0);
	rig_add(rig, "marked", &rig_provider, BIND_TOOL_NEEDS_APPROVAL);
	rig_add(rig, "gone", &rig_provider, 0);
	rig_config(rig, &config);
	config.only = chosen;
	config.only_count = 3;
	assert_int_equal(
	    bind_session_new(&config, &rig->session, NULL), WIRE_OK);
	rig_call(rig, "tool");
	rig_expect(rig, "started:0 start:0");
	rig_value(rig, 0, "1");
	rig_expect(rig, "ended:0:completed reply:0:1");
	rig_call(rig, "other");
	rig_expect(rig, "ended:1:refused:not_offered reply:1:not_offered");
	rig_call(rig, "marked");
	rig_expect(rig, "ended:2:refused:not_offered reply:2:not_offered");
	assert_true(bind_session_offers(rig->session,
	    bind_catalogue_find(rig->catalogue, WIRE_LIT("gone"))));
	assert_true(bind_catalogue_withdraw(rig->catalogue, WIRE_LIT("gone")));
	assert_false(bind_session_offers(rig->session,
	    bind_catalogue_find(rig->catalogue, WIRE_LIT("gone"))));
	/* later ones are not offered either */
	rig_add(rig, "no such", &rig_provider, 0);
	rig_call(rig, "no such");
	rig_expect(rig, "ended:3:refused:not_offered reply:3:not_offered");
}

static void
t_an_empty_choice_offers_nothing(void **state)
{
	const struct wire_span none[] = {{NULL, 0}};
	struct rig *rig = *state;
	struct bind_session_config config;

	rig_config(rig, &config);
	config.only = none;
	config.only_count = 0;
	assert_int_equal(
	    bind_session_new(&config, &rig->session, NULL), WIRE_OK);
	rig_call(rig, "tool");
	rig_expect(rig, "ended:0:refused:not_offered reply:0:not_offered");
}

static void
t_names_in_messages_are_escaped(void **state)
{
	struct rig *rig = *state;

	rig_open(rig);
	rig_call(rig, "a\x1b[2J\n");
	assert_string_equal(rig->message,
	    "a\\x1b[2J\\n: no such tool is offered. Call only names that are "
	    "listed in TOOLS.");
}

static void
t_a_long_message_keeps_its_guidance(void **state)
{
	struct rig *rig = *state;
	char name[WIRE_MAX_TOOL_NAME + 1], text[2 * BIND_MESSAGE_MAX];

	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	memset(text, 't', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	rig_add(rig, name, &rig_provider, 0);
	rig_open(rig);
	rig_call(rig, name);
	rig_done(rig, 0, WIRE_TOOL_FAILED, text, true);
	rig_gone(rig, 0);
	assert_non_null(strstr(rig->message, ". The tool ran"));
	assert_in_range(strlen(rig->message),
	    BIND_MESSAGE_MAX + WIRE_MAX_TOOL_NAME,
	    BIND_MESSAGE_MAX + WIRE_MAX_TOOL_NAME + 200);
}

/* --- budgets (B2, B3) --------------------------------------------------- */

static void
t_calls_run_out_and_the_latch_holds(void **state)
{
	struct rig *rig = *state;

	rig->limits.calls = 2;
	rig_open(rig);
	rig_calls(rig, "now", 2);
	assert_int_equal(bind_session_gate(rig->session), BIND_GATE_RUNNING);
	rig->log_len = 0;
	rig_call(rig, "now");
	rig_expect(rig, "ended:2:refused:budget_spent reply:2:budget_spent");
	assert_true(rig->last_hard);
	assert_string_equal(rig->message,
	    "now: the budget of 2 calls (calls) is spent. No further call will "
	    "be accepted: finish with what you have.");
	assert_int_equal(bind_session_gate(rig->session), BIND_GATE_HALTED);
	/* Without charge, and before any other check. */
	rig_call(rig, "nobody");
	rig_call_with(rig, "now", (struct wire_span){NULL, 0});
	rig_expect(rig,
	    "ended:3:refused:budget_spent reply:3:budget_spent "
	    "ended:4:refused:budget_spent reply:4:budget_spent");
	assert_int_equal(bind_session_budget(rig->session)->calls, 2);
	assert_int_equal(bind_session_budget(rig->session)->bytes, 8);
}

static void
t_a_fan_out_over_the_cap_runs_what_fits(void **state)
{
	struct rig *rig = *state;

	rig->limits.calls = 4;
	rig->limits.in_flight = 2;
	rig_open(rig);
	rig_calls(rig, "tool", 6);
	rig_expect(rig,
	    "started:0 start:0 started:1 start:1 "
	    "ended:4:refused:budget_spent reply:4:budget_spent "
	    "ended:5:refused:budget_spent reply:5:budget_spent");
	rig_value(rig, 1, "1");
	rig_value(rig, 0, "0");
	rig_value(rig, 2, "2");
	rig_value(rig, 3, "3");
	rig_expect(rig,
	    "ended:1:completed reply:1:1 started:2 start:2 "
	    "ended:0:completed reply:0:0 started:3 start:3 "
	    "ended:2:completed reply:2:2 ended:3:completed reply:3:3");
}

static void
t_arguments_at_the_limit_and_over(void **state)
{
	struct rig *rig = *state;

	rig->limits.argument_bytes = 7;
	rig_open(rig);
	rig_call_with(rig, "now", WIRE_LIT("{\"a\":1}"));
	rig_call_with(rig, "now", WIRE_LIT("{\"a\":12}"));
	rig_expect(rig,
	    "started:0 start:0 ended:0:completed reply:0:{\"a\":1} "
	    "ended:1:refused:arguments_too_large "
	    "reply:1:arguments_too_large");
	assert_false(rig->last_hard);
	assert_non_null(strstr(
	    rig->message, "the arguments are 8 bytes, over the limit of 7 "));
	/* Charged: 7 in, 7 out, 8 in vain. */
	assert_int_equal(bind_session_budget(rig->session)->bytes, 22);
	assert_int_equal(bind_session_budget(rig->session)->calls, 2);
}

static void
t_results_at_the_limit_and_over(void **state)
{
	struct rig *rig = *state;

	rig->limits.result_bytes = 5;
	rig_open(rig);
	rig_calls(rig, "tool", 2);
	rig->log_len = 0;
	/* White space around a value is not part of it. */
	rig_value(rig, 0, " \n12345\r\t ");
	rig_value(rig, 1, "123456");
	rig_expect(rig,
	    "ended:0:completed reply:0:12345 "
	    "ended:1:failed:result_too_large reply:1:result_too_large");
	assert_false(rig->last_hard);
	assert_int_equal(bind_session_budget(rig->session)->bytes, 9);
}

static void
t_total_at_the_limit(void **state)
{
	struct rig *rig = *state;

	rig->limits.total_bytes = 10;
	rig_open(rig);
	rig_call(rig, "tool");
	rig_value(rig, 0, "12345678");
	assert_int_equal(bind_session_gate(rig->session), BIND_GATE_RUNNING);
	rig->log_len = 0;
	rig_call(rig, "tool");
	rig_expect(rig, "ended:1:refused:budget_spent reply:1:budget_spent");
	assert_non_null(strstr(rig->message, "10 bytes (total_bytes)"));
	assert_int_equal(bind_session_gate(rig->session), BIND_GATE_HALTED);
}

static void
t_a_result_over_the_total_halts_and_is_not_delivered(void **state)
{
	struct rig *rig = *state;

	rig->limits.total_bytes = 16;
	rig->limits.in_flight = 2;
	rig_open(rig);
	rig_calls(rig, "tool", 4);
	rig->log_len = 0;
	/* 8 of 16 are spent: 9 more do not fit. What waits is refused, what
	 * runs may still bring something small. */
	rig_value(rig, 0, "123456789");
	rig_expect(rig,
	    "ended:0:failed:budget_spent reply:0:budget_spent "
	    "ended:2:refused:budget_spent reply:2:budget_spent "
	    "ended:3:refused:budget_spent reply:3:budget_spent");
	assert_true(rig->last_hard);
	assert_int_equal(
	    bind_session_budget(rig->session)->spent, BIND_METER_BYTES);
	rig_value(rig, 1, "12345678");
	rig_expect(rig, "ended:1:completed reply:1:12345678");
	rig_call(rig, "now");
	rig_expect(rig, "ended:4:refused:budget_spent reply:4:budget_spent");
}

static void
t_bytes_run_out_after_calls_did(void **state)
{
	struct rig *rig = *state;

	rig->limits.total_bytes = 16;
	rig->limits.calls = 3;
	rig->limits.in_flight = 1;
	rig_open(rig);
	rig_calls(rig, "tool", 4);
	rig->log_len = 0;
	rig_value(rig, 0, "12345678901");
	rig_expect(rig,
	    "ended:0:failed:budget_spent reply:0:budget_spent "
	    "ended:1:refused:budget_spent reply:1:budget_spent "
	    "ended:2:refused:budget_spent reply:2:budget_spent");
}

/* --- results are JSON --------------------------------------------------- */

static void
check_not_json(struct rig *rig, const char *text, const char *part)
{
	uint64_t id = rig->next_id;

	rig_call(rig, "tool");
	rig->log_len = 0;
	rig_value(rig, id, text);
	assert_non_null(strstr(rig->message, part));
	assert_memory_equal(rig->message, "tool: ", 6);
	assert_non_null(strstr(rig->log, "failed:failed"));
}

static void
t_a_result_that_is_not_json(void **state)
{
	struct rig *rig = *state;

	rig_open(rig);
	check_not_json(rig, "", "(truncated at byte 0)");
	check_not_json(rig, " \n ", "at byte 3)");
	check_not_json(rig, "[1,]", "at byte 3)");
	check_not_json(rig, "  [1,]", "at byte 5)");
	check_not_json(rig, "hello", "at byte 0)");
	check_not_json(rig, "1 2", "(trailing_bytes at byte 2)");
	check_not_json(rig, "{\"a\":1,\"a\":2}", "(duplicate_member at byte ");
	check_not_json(rig, "\"\xff\"", "(bad_utf8 at byte 1)");
	check_not_json(rig, "NaN", "at byte 0)");
}

static void
t_nesting_up_to_what_a_frame_holds(void **state)
{
	struct rig *rig = *state;
	char text[2 * WIRE_MAX_DEPTH + 1];
	size_t depth = WIRE_MAX_DEPTH - 1;

	rig_open(rig);
	rig_call(rig, "tool");
	rig->log_len = 0;
	memset(text, '[', depth);
	memset(text + depth, ']', depth);
	text[2 * depth] = '\0';
	rig_value(rig, 0, text);
	assert_non_null(strstr(rig->log, "completed"));
	depth++;
	memset(text, '[', depth);
	memset(text + depth, ']', depth);
	text[2 * depth] = '\0';
	check_not_json(rig, text, "too_deep");
}

static void
t_objects_of_any_size(void **state)
{
	struct rig *rig = *state;
	size_t len = 1, size = 20000 * 16;
	char *text = malloc(size);

	assert_non_null(text);
	rig_open(rig);
	text[0] = '{';
	for (int i = 0; i < 20000; i++)
		len += (size_t)snprintf(text + len, size - len, "%s\"m%d\":0",
		    i == 0 ? "" : ",", i);
	snprintf(text + len, size - len, "}");
	rig_call(rig, "tool");
	rig->log_len = 0;
	rig_value(rig, 0, text);
	assert_non_null(strstr(rig->log, "completed"));
	/* And with one member twice. */
	snprintf(text + len, size - len, ",\"m777\":0}");
	check_not_json(rig, text, "duplicate_member");
	free(text);
}

/* --- the window --------------------------------------------------------- */

static void
t_calls_beyond_the_window_wait_in_order(void **state)
{
	struct rig *rig = *state;

	rig->limits.in_flight = 2;
	rig_open(rig);
	rig_calls(rig, "tool", 5);
	rig_expect(rig, "started:0 start:0 started:1 start:1");
	/* An answer frees no place; being gone does. */
	rig_done(rig, 1, WIRE_TOOL_NONE, "1", true);
	rig_expect(rig, "ended:1:completed reply:1:1");
	rig_gone(rig, 1);
	rig_expect(rig, "started:2 start:2");
	rig_value(rig, 2, "2");
	rig_expect(rig, "ended:2:completed reply:2:2 started:3 start:3");
	rig_value(rig, 0, "0");
	rig_value(rig, 4, "4");
	rig_value(rig, 3, "3");
	rig_expect(rig,
	    "ended:0:completed reply:0:0 started:4 start:4 "
	    "ended:4:completed reply:4:4 ended:3:completed reply:3:3");
	assert_int_equal(rig->running_max, 2);
	assert_true(bind_session_is_empty(rig->session));
}

static void
t_nothing_is_dispatched_while_paused(void **state)
{
	struct rig *rig = *state;

	rig_open(rig);
	rig_call(rig, "tool");
	bind_session_pause(rig->session);
	rig_calls(rig, "now", 2);
	rig_call(rig, "nobody");
	rig_expect(rig,
	    "started:0 start:0 ended:3:refused:not_offered "
	    "reply:3:not_offered");
	rig_value(rig, 0, "0");
	rig_expect(rig, "ended:0:completed reply:0:0");
	bind_session_resume(rig->session);
	rig_expect(rig,
	    "started:1 start:1 ended:1:completed reply:1:{} "
	    "started:2 start:2 ended:2:completed reply:2:{}");
}

static void
t_many_that_answer_at_once_do_not_nest(void **state)
{
	struct rig *rig = *state;

	rig->log_off = true;
	rig->limits.calls = 200000;
	rig->limits.in_flight = 1;
	rig_open(rig);
	bind_session_pause(rig->session);
	rig_calls(rig, "now", 200000);
	assert_int_equal(rig->list.totals.completed, 0);
	bind_session_resume(rig->session);
	assert_int_equal(rig->list.totals.completed, 200000);
}

static void
pause_now(struct rig *rig, uint64_t id)
{
	(void)id;
	bind_session_pause(rig->session);
}

static void
t_a_reply_may_pause(void **state)
{
	struct rig *rig = *state;

	rig_open(rig);
	bind_session_pause(rig->session);
	rig_calls(rig, "now", 3);
	rig->on_reply = pause_now;
	bind_session_resume(rig->session);
	rig_expect(rig, "started:0 start:0 ended:0:completed reply:0:{}");
	bind_session_resume(rig->session);
	rig_expect(rig, "started:1 start:1 ended:1:completed reply:1:{}");
}

/* --- time --------------------------------------------------------------- */

static void
t_tool_time_is_exact(void **state)
{
	struct rig *rig = *state;

	rig->limits.tool_time_ns = 500;
	rig_open(rig);
	assert_true(bind_session_deadline(rig->session) == UINT64_MAX);
	rig_call(rig, "tool");
	rig->loop.now += 100;
	rig_call(rig, "tool");
	rig->log_len = 0;
	assert_int_equal(bind_session_deadline(rig->session), 1500);
	bind_session_tick(rig->session, 1499);
	rig_expect(rig, "");
	bind_session_tick(rig->session, 1500);
	rig_expect(rig, "cancel:0:timed_out");
	/* Once; and the next one's time is the one to come. */
	assert_int_equal(bind_session_deadline(rig->session), 1600);
	bind_session_tick(rig->session, 1599);
	rig_expect(rig, "");
	bind_session_tick(rig->session, 5000);
	rig_expect(rig, "cancel:1:timed_out");
	assert_true(bind_session_deadline(rig->session) == UINT64_MAX);
	rig_done(rig, 0, WIRE_TOOL_TIMED_OUT, "slow", true);
	rig_gone(rig, 0);
	/* One that made it after all is not robbed of its result. */
	rig_value(rig, 1, "1");
	rig_expect(rig,
	    "ended:0:failed:timed_out reply:0:timed_out "
	    "ended:1:completed reply:1:1");
}

static void
t_waiting_does_not_count_as_tool_time(void **state)
{
	struct rig *rig = *state;

	rig->limits.tool_time_ns = 500;
	rig->limits.in_flight = 1;
	rig_open(rig);
	rig_calls(rig, "tool", 2);
	rig->loop.now = 1400;
	rig_value(rig, 0, "0");
	assert_int_equal(bind_session_deadline(rig->session), 1900);
	rig_value(rig, 1, "1");
}

static void
t_milliseconds_from_dispatch_to_outcome(void **state)
{
	struct rig *rig = *state;
	const struct bind_record_entry *entry;
	size_t cursor = 0;

	rig->limits.in_flight = 1;
	rig_open(rig);
	rig_calls(rig, "tool", 2);
	rig->loop.now += 7999999;
	rig_value(rig, 0, "[0]");
	rig->loop.now += 3000000;
	rig_value(rig, 1, "1");
	entry = bind_record_list_next(&rig->list, &cursor);
	assert_int_equal(entry->ns / 1000000, 7);
	assert_int_equal(entry->argument_bytes, 2);
	assert_int_equal(entry->result_bytes, 3);
	assert_int_equal(entry->tool.len, 4);
	entry = bind_record_list_next(&rig->list, &cursor);
	assert_int_equal(entry->ns / 1000000, 3);
}

/* --- ends (B1, S5) ------------------------------------------------------ */

static void
t_halt_refuses_what_waits_and_what_comes(void **state)
{
	struct rig *rig = *state;

	rig->limits.in_flight = 1;
	rig_open(rig);
	rig_calls(rig, "tool", 3);
	rig->log_len = 0;
	bind_session_halt(rig->session, WIRE_TOOL_CANCELLED);
	rig_expect(rig,
	    "ended:1:refused:cancelled reply:1:cancelled "
	    "ended:2:refused:cancelled reply:2:cancelled");
	bind_session_halt(rig->session, WIRE_TOOL_FAILED);
	rig_call(rig, "tool");
	rig_expect(rig, "ended:3:refused:cancelled reply:3:cancelled");
	/* What runs is not touched. */
	rig_value(rig, 0, "0");
	rig_expect(rig, "ended:0:completed reply:0:0");
	assert_int_equal(bind_session_gate(rig->session), BIND_GATE_CLOSED);
	/* Not charged: 3 accepted calls. */
	assert_int_equal(bind_session_budget(rig->session)->calls, 3);
}

static void
t_close_cancels_what_runs(void **state)
{
	struct rig *rig = *state;

	rig->limits.in_flight = 2;
	rig_open(rig);
	rig_calls(rig, "tool", 3);
	rig->log_len = 0;
	bind_session_close(rig->session);
	bind_session_close(rig->session);
	rig_expect(rig,
	    "ended:2:refused:cancelled reply:2:cancelled "
	    "cancel:0:cancelled cancel:1:cancelled");
	assert_false(bind_session_is_empty(rig->session));
	rig_done(rig, 1, WIRE_TOOL_CANCELLED, "", true);
	rig_gone(rig, 1);
	rig_done(rig, 0, WIRE_TOOL_CANCELLED, "", false);
	rig_gone(rig, 0);
	rig_expect(rig,
	    "ended:1:failed:cancelled reply:1:cancelled "
	    "ended:0:unknown:cancelled reply:0:cancelled");
	assert_true(bind_session_is_empty(rig->session));
}

static void
t_a_call_that_timed_out_is_not_cancelled_again(void **state)
{
	struct rig *rig = *state;

	rig_open(rig);
	rig_call(rig, "tool");
	rig->log_len = 0;
	bind_session_tick(rig->session, UINT64_MAX);
	bind_session_close(rig->session);
	rig_expect(rig, "cancel:0:timed_out");
	rig_done(rig, 0, WIRE_TOOL_TIMED_OUT, "", true);
	rig_gone(rig, 0);
}

static void
t_free_accounts_for_everything(void **state)
{
	struct rig *rig = *state;

	rig->limits.in_flight = 3;
	rig_open(rig);
	rig_calls(rig, "tool", 4);
	rig_done(rig, 1, WIRE_TOOL_NONE, "1", true); /* and not gone */
	rig->log_len = 0;
	bind_session_free(rig->session);
	rig->session = NULL;
	rig_expect(rig,
	    "ended:3:refused:cancelled cancel:0:cancelled cancel:2:cancelled "
	    "abandon:1 abandon:0 ended:0:unknown:cancelled "
	    "abandon:2 ended:2:unknown:cancelled");
}

static void
halt_now(struct rig *rig, uint64_t id)
{
	(void)id;
	bind_session_halt(rig->session, WIRE_TOOL_CANCELLED);
}

static void
close_now(struct rig *rig, uint64_t id)
{
	(void)id;
	bind_session_close(rig->session);
}

static void
t_a_reply_may_halt(void **state)
{
	struct rig *rig = *state;

	rig_open(rig);
	bind_session_pause(rig->session);
	rig_calls(rig, "now", 4);
	rig->on_reply = halt_now;
	bind_session_resume(rig->session);
	rig_expect(rig,
	    "started:0 start:0 ended:0:completed reply:0:{} "
	    "ended:1:refused:cancelled reply:1:cancelled "
	    "ended:2:refused:cancelled reply:2:cancelled "
	    "ended:3:refused:cancelled reply:3:cancelled");
}

static void
t_a_reply_may_close(void **state)
{
	struct rig *rig = *state;

	rig_open(rig);
	rig_calls(rig, "tool", 3);
	rig->log_len = 0;
	rig->on_reply = close_now;
	rig_value(rig, 1, "1");
	rig_expect(rig,
	    "ended:1:completed reply:1:1 cancel:0:cancelled "
	    "cancel:2:cancelled");
	rig_done(rig, 0, WIRE_TOOL_CANCELLED, "", true);
	rig_done(rig, 2, WIRE_TOOL_CANCELLED, "", true);
	rig_gone(rig, 0);
	rig_gone(rig, 2);
}

static void
t_bad_limits_make_no_session(void **state)
{
	struct rig *rig = *state;
	struct bind_session_config config = {
	    .limits = rig->limits, .catalogue = rig->catalogue};
	struct wire_errinfo info = {"", 0, 0};
	struct bind_session *session = NULL;

	config.limits.in_flight = 0;
	assert_int_equal(
	    bind_session_new(&config, &session, &info), WIRE_ERR_BAD_ARGUMENT);
	assert_string_equal(info.site, "in_flight");
	assert_null(session);
}

int
main(void)
{
#define TEST(t) cmocka_unit_test_setup_teardown(t, set_up, tear_down)
	const struct CMUnitTest tests[] = {
	    TEST(t_record_dispatch_record_reply),
	    TEST(t_an_answer_from_inside_start),
	    TEST(t_a_tool_error_is_failed),
	    TEST(t_an_end_that_was_not_seen_is_unknown),
	    TEST(t_unrecorded_is_not_dispatched),
	    TEST(t_the_record_may_say_that_the_budget_is_spent),
	    TEST(t_an_unrecorded_outcome_is_not_delivered),
	    TEST(t_arguments_are_copied),
	    TEST(t_refused_names_are_charged_and_recorded),
	    TEST(t_a_withdrawn_tool_is_refused_even_while_waiting),
	    TEST(t_of_chosen_tools_only_they_are_offered),
	    TEST(t_an_empty_choice_offers_nothing),
	    TEST(t_names_in_messages_are_escaped),
	    TEST(t_a_long_message_keeps_its_guidance),
	    TEST(t_calls_run_out_and_the_latch_holds),
	    TEST(t_a_fan_out_over_the_cap_runs_what_fits),
	    TEST(t_arguments_at_the_limit_and_over),
	    TEST(t_results_at_the_limit_and_over),
	    TEST(t_total_at_the_limit),
	    TEST(t_a_result_over_the_total_halts_and_is_not_delivered),
	    TEST(t_bytes_run_out_after_calls_did),
	    TEST(t_a_result_that_is_not_json),
	    TEST(t_nesting_up_to_what_a_frame_holds),
	    TEST(t_objects_of_any_size),
	    TEST(t_calls_beyond_the_window_wait_in_order),
	    TEST(t_nothing_is_dispatched_while_paused),
	    TEST(t_many_that_answer_at_once_do_not_nest),
	    TEST(t_a_reply_may_pause),
	    TEST(t_tool_time_is_exact),
	    TEST(t_waiting_does_not_count_as_tool_time),
	    TEST(t_milliseconds_from_dispatch_to_outcome),
	    TEST(t_halt_refuses_what_waits_and_what_comes),
	    TEST(t_close_cancels_what_runs),
	    TEST(t_a_call_that_timed_out_is_not_cancelled_again),
	    TEST(t_free_accounts_for_everything),
	    TEST(t_a_reply_may_halt),
	    TEST(t_a_reply_may_close),
	    TEST(t_bad_limits_make_no_session),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
