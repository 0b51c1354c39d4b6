/*
 * Results that a session keeps instead of delivering them, and the tools of
 * its own that read them.
 */
#include "bindings/effort.h"
#include "bindings/store.h"
#include "tests/unit/session_rig.h"

#define TURN_MS 60000

static int
set_up(void **state)
{
	struct rig *rig = rig_new();

	rig->limits.result_bytes = 300;
	rig->limits.kept_bytes = 10000;
	*state = rig;
	return 0;
}

static int
tear_down(void **state)
{
	struct rig *rig = *state;

	rig_free(rig);
	return 0;
}

/* A string of so many bytes with its quotes, lines of ten. */
static char *
string_of(size_t len)
{
	char *text = malloc(len + 1);

	assert_non_null(text);
	text[0] = text[len - 1] = '"';
	for (size_t i = 1; i < len - 1; i++)
		text[i] = (char)('a' + i % 26);
	text[len] = '\0';
	return text;
}

static void
value_of(struct rig *rig, uint64_t id, size_t len)
{
	char *text = string_of(len);

	rig_value(rig, id, text);
	free(text);
}

/* A call of "tool" that gives so much. */
static void
give(struct rig *rig, size_t len)
{
	rig_call(rig, "tool");
	rig->log_len = 0;
	value_of(rig, rig->next_id - 1, len);
}

__attribute__((format(printf, 3, 4))) static void
call(struct rig *rig, const char *name, const char *format, ...)
{
	char text[4096];
	va_list args;
	int len;

	va_start(args, format);
	len = vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	assert_in_range(len, 0, sizeof(text) - 1);
	rig->log_len = 0;
	rig_call_with(
	    rig, name, (struct wire_span){(const uint8_t *)text, (size_t)len});
}

static void
run_dry(struct rig *rig)
{
	while (!bind_session_is_empty(rig->session))
		assert_true(poll_loop_turn(&rig->loop, TURN_MS));
	assert_int_equal(rig->loop.count, 0);
}

static void
t_whole_or_a_handle(void **state)
{
	struct rig *rig = *state;

	rig_open(rig);
	give(rig, 300);
	rig_expect(rig, "ended:0:completed reply:0:\"bcdefghijklmnopqrst");
	give(rig, 301);
	rig_expect(rig, "ended:1:completed reply:1:handle=299");
	assert_int_equal(strlen(rig->token), BIND_TOKEN_LEN);
	assert_int_equal(rig->preview_len, 299);
	/* What was not delivered is not charged as if it were. */
	assert_int_equal(bind_session_budget(rig->session)->bytes, 300 + 4);
	call(rig, "read_tool_output", "{\"handle\":\"%s\",\"length\":4}",
	    rig->token);
	assert_string_equal(rig->value,
	    "{\"text\":\"bcde\",\"offset\":0,\"next\":4,\"size\":299}");
}

static void
t_room_for_what_is_kept(void **state)
{
	struct rig *rig = *state;

	rig->limits.kept_bytes = 1000;
	rig_open(rig);
	give(rig, 1001);
	rig_expect(rig,
	    "ended:0:failed:binding_result_not_paged "
	    "reply:0:binding_result_not_paged");
	assert_non_null(strstr(rig->message,
	    "the result is 1001 bytes, and there is no room for it beside "
	    "what is kept of 1000 (kept_bytes)"));
	assert_false(rig->last_hard);
	give(rig, 1000);
	rig_expect(rig, "ended:1:completed reply:1:handle=998");
	give(rig, 301);
	rig_expect(rig,
	    "ended:2:failed:binding_result_not_paged "
	    "reply:2:binding_result_not_paged");
}

static void
t_nothing_is_kept_where_that_is_off(void **state)
{
	struct rig *rig = *state;

	rig->limits.kept_bytes = 0;
	rig_open(rig);
	give(rig, 301);
	rig_expect(
	    rig, "ended:0:failed:result_too_large reply:0:result_too_large");
}

static void
t_what_is_no_json_is_not_kept(void **state)
{
	struct rig *rig = *state;
	char *text = string_of(400);

	rig_open(rig);
	rig_call(rig, "tool");
	text[200] = '\n';
	rig->log_len = 0;
	rig_value(rig, 0, text);
	rig_expect(rig, "ended:0:failed:failed reply:0:failed");
	free(text);
	/* And takes no room: all of it is there still. */
	give(rig, 10000);
	rig_expect(rig, "ended:1:completed reply:1:handle=9998");
}

/* The handle of a call whose end was not recorded is never told, and what it
 * stands for is not kept. */
static void
t_without_a_record_there_is_no_handle(void **state)
{
	struct rig *rig = *state;

	rig_open(rig);
	rig->refuse_ended = true;
	give(rig, 10000);
	rig_expect(rig, "ended:0:completed reply:0:not_recorded");
	assert_string_equal(rig->token, "");
	rig->refuse_ended = false;
	give(rig, 10000);
	rig_expect(rig, "ended:1:completed reply:1:handle=9998");
	rig->refuse_ended = true; /* for the sum at the end */
}

/* --- while they arrive ------------------------------------------------------
 */

static size_t
more(struct rig *rig, uint64_t id, size_t held)
{
	struct bind_job *job = rig->jobs[id % RIG_JOBS];

	return job->more(job, held);
}

static void
t_what_arrives_claims_room(void **state)
{
	struct rig *rig = *state;

	rig_open(rig);
	rig_calls(rig, "tool", 3);
	assert_int_equal(rig->jobs[0]->over, WIRE_TOOL_RESULT_NOT_PAGED);
	/* At most twice as much as is held already, */
	assert_int_equal(more(rig, 0, 4000), 8000);
	/* and what others hold is taken, */
	assert_int_equal(more(rig, 1, 1500), 2000);
	assert_int_equal(more(rig, 1, 2000), 0);
	assert_int_equal(more(rig, 2, 300), 0);
	assert_int_equal(more(rig, 0, 8000), 0);
	/* also for those whose result comes in one piece. */
	rig->log_len = 0;
	value_of(rig, 2, 301);
	rig_expect(rig,
	    "ended:2:failed:binding_result_not_paged "
	    "reply:2:binding_result_not_paged");
	/* The end of a call gives back what it did not keep. */
	rig_done(rig, 0, WIRE_TOOL_FAILED, "no", true);
	rig_gone(rig, 0);
	assert_int_equal(more(rig, 1, 2000), 4000);
	assert_int_equal(more(rig, 1, 4000), 8000);
	assert_int_equal(more(rig, 1, 8000), 10000);
	rig->log_len = 0;
	value_of(rig, 1, 10000);
	rig_expect(rig, "ended:1:completed reply:1:handle=9998");
}

static void
t_nothing_is_claimed_where_nothing_is_kept(void **state)
{
	struct rig *rig = *state;

	rig->limits.kept_bytes = 0;
	rig_open(rig);
	rig_call(rig, "tool");
	assert_int_equal(rig->jobs[0]->over, WIRE_TOOL_RESULT_TOO_LARGE);
	assert_int_equal(more(rig, 0, 300), 0);
	rig_value(rig, 0, "1");
}

static void
t_one_result_is_bounded(void **state)
{
	struct rig *rig = *state;
	const size_t most = BIND_MAX_RESULT + BIND_RESULT_SLACK;

	rig->limits.kept_bytes = BIND_MAX_KEPT;
	rig_open(rig);
	rig_call(rig, "tool");
	assert_int_equal(more(rig, 0, most / 2 + 1), most);
	assert_int_equal(more(rig, 0, most), 0);
	rig_value(rig, 0, "1");
}

/* --- reading ----------------------------------------------------------------
 */

static void
t_every_other_handle_is_refused_alike(void **state)
{
	static const char *const others[] = {
	    "h-00000000000000000000000000000000", "", "h", "\\u0000",
	    "h-000000000000000000000000000000000"};
	struct rig *rig = *state, *other = rig_new();
	char first[sizeof(rig->message)];

	rig_open(rig);
	give(rig, 301);
	other->limits = rig->limits;
	rig_open(other);
	call(other, "read_tool_output", "{\"handle\":\"%s\"}", rig->token);
	rig_expect(other,
	    "started:0 ended:0:failed:handle_not_yours "
	    "reply:0:handle_not_yours");
	memcpy(first, other->message, sizeof(first));
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		call(other, "read_tool_output", "{\"handle\":\"%s\"}",
		    others[i]);
		assert_string_equal(other->message, first);
	}
	rig_free(other);
}

static void
t_answers_are_held_to_the_limit_and_not_kept(void **state)
{
	struct rig *rig = *state;

	rig_open(rig);
	give(rig, 2000);
	call(rig, "read_tool_output",
	    "{\"handle\":\"%s\",\"offset\":0,\"length\":%d}", rig->token,
	    300 -
		(int)strlen("{\"text\":\"\",\"offset\":0,\"next\":250,"
			    "\"size\":1998}"));
	assert_int_equal(strlen(rig->value), 300);
	call(rig, "read_tool_output",
	    "{\"handle\":\"%s\",\"offset\":0,\"length\":%d}", rig->token,
	    301 -
		(int)strlen("{\"text\":\"\",\"offset\":0,\"next\":250,"
			    "\"size\":1998}"));
	rig_expect(rig,
	    "started:2 ended:2:failed:result_too_large "
	    "reply:2:result_too_large");
}

static void
t_the_tools_of_a_session(void **state)
{
	struct rig *rig = *state;

	rig_open(rig);
	call(rig, "list_tools", "{}");
	assert_string_equal(rig->value, "[\"tool\",\"now\"]");
	rig_expect(
	    rig, "started:0 ended:0:completed reply:0:[\"tool\",\"now\"]");
	assert_true(bind_catalogue_withdraw(rig->catalogue, WIRE_LIT("now")));
	call(rig, "list_tools", "{}");
	assert_string_equal(rig->value, "[\"tool\"]");
	call(rig, "get_tool_info", "{\"name\":\"t\\u006fol\"}");
	assert_string_equal(
	    rig->value, "{\"name\":\"tool\",\"provider\":\"rig\"}");
	call(rig, "get_tool_info", "{\"name\":\"now\"}");
	rig_expect(rig, "started:3 ended:3:failed:not_found reply:3:not_found");
	call(rig, "get_tool_info", "{\"nam\":\"tool\"}");
	rig_expect(rig, "started:4 ended:4:failed:failed reply:4:failed");
	call(rig, "get_tool_info", "{\"name\":\"list_tools\"}");
	assert_non_null(strstr(rig->value, "\"provider\":\"weir\""));
	call(rig, "list_tools", "{\"a\":1}");
	rig_expect(rig, "started:6 ended:6:failed:failed reply:6:failed");
}

static void
t_their_names_are_taken(void **state)
{
	static const char *const names[] = {
	    "read_tool_output", "list_tools", "get_tool_info"};
	struct rig *rig = *state;
	struct wire_errinfo info;

	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(
		    bind_catalogue_add(rig->catalogue,
			(struct wire_span){
			    (const uint8_t *)names[i], strlen(names[i])},
			&rig_provider, rig, 0, &info),
		    WIRE_ERR_BAD_ARGUMENT);
		assert_string_equal(info.site, "reserved");
	}
}

/* They pass the gate: halted, paused, spent, or without a record. */
static void
t_they_pass_the_gate(void **state)
{
	struct rig *rig = *state;

	rig->limits.calls = 3;
	rig_open(rig);
	rig->refuse_started = true;
	call(rig, "list_tools", "{}");
	rig_expect(rig, "ended:0:refused:not_recorded reply:0:not_recorded");
	rig->refuse_started = false;
	bind_session_pause(rig->session);
	call(rig, "list_tools", "{}");
	rig_expect(rig, "");
	bind_session_resume(rig->session);
	assert_non_null(strstr(rig->log, "ended:1:completed"));
	call(rig, "get_tool_info", "{}");
	call(rig, "list_tools", "{}");
	rig_expect(rig, "ended:3:refused:budget_spent reply:3:budget_spent");
	assert_true(rig->last_hard);
}

/* --- searches ----------------------------------------------------------------
 */

static void
search(struct rig *rig, const char *pattern)
{
	call(rig, "read_tool_output", "{\"handle\":\"%s\",\"pattern\":\"%s\"}",
	    rig->token, pattern);
}

static void
t_a_search_waits_for_its_turn(void **state)
{
	struct rig *rig = *state;

	rig_open(rig);
	give(rig, 400);
	search(rig, "yzac?x");
	rig_expect(rig, "started:1");
	assert_int_equal(rig->loop.count, 1);
	run_dry(rig);
	rig_expect(rig, "ended:1:completed reply:1:{\"matches\":[],\"next\"");
	search(rig, "(");
	run_dry(rig);
	rig_expect(rig, "started:2 ended:2:failed:failed reply:2:failed");
	assert_non_null(strstr(rig->message, "the pattern is not one"));
}

static void
t_a_search_may_be_cancelled_and_abandoned(void **state)
{
	struct rig *rig = *state;

	rig->limits.tool_time_ns = 500;
	rig_open(rig);
	give(rig, 400);
	search(rig, "a");
	search(rig, "b");
	assert_int_equal(rig->loop.count, 1);
	bind_session_tick(rig->session, rig->loop.now + 500);
	assert_non_null(strstr(rig->log, "ended:1:failed:timed_out"));
	assert_non_null(strstr(rig->log, "ended:2:failed:timed_out"));
	assert_int_equal(rig->loop.count, 0);
	search(rig, "a");
	bind_session_close(rig->session);
	assert_non_null(strstr(rig->log, "ended:3:failed:cancelled"));
	assert_int_equal(rig->loop.count, 0);
}

static void
t_a_search_ends_with_its_session(void **state)
{
	struct rig *rig = *state;

	rig_open(rig);
	give(rig, 400);
	search(rig, "a");
	bind_session_free(rig->session);
	rig->session = NULL;
	assert_int_equal(rig->loop.count, 0);
}

static void
t_a_search_that_cannot_be_watched_fails(void **state)
{
	struct rig *rig = *state;

	rig_open(rig);
	give(rig, 400);
	rig->loop.watches_left = 0;
	search(rig, "a");
	rig_expect(
	    rig, "started:1 ended:1:failed:unreachable reply:1:unreachable");
}

/*
 * One turn of the loop is one of all searches together: of many that are long
 * none is over after it, and a call that is made then is answered at once.
 */
static void
t_searches_share_one_turn(void **state)
{
	struct rig *rig = *state;
	const size_t len = 1 << 20;
	char *text = string_of(len);

	rig->limits.kept_bytes = len;
	rig->limits.result_bytes = 1000;
	rig->limits.argument_bytes = 100000;
	rig_open(rig);
	memset(text + 1, 'a', len - 2);
	rig_call(rig, "tool");
	rig_value(rig, 0, text);
	free(text);
	for (int i = 0; i < 8; i++)
		search(rig, "(?:a{9}){9}a*+[bc]");
	assert_int_equal(rig->loop.count, 1);
	assert_true(poll_loop_turn(&rig->loop, TURN_MS));
	rig_expect(rig, "started:8");
	call(rig, "list_tools", "{}");
	assert_non_null(strstr(rig->log, "reply:9:"));
	assert_false(bind_session_is_empty(rig->session));
	bind_session_close(rig->session);
}

#define TEST(function)                                                         \
	cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(t_whole_or_a_handle),
	    TEST(t_room_for_what_is_kept),
	    TEST(t_nothing_is_kept_where_that_is_off),
	    TEST(t_what_is_no_json_is_not_kept),
	    TEST(t_without_a_record_there_is_no_handle),
	    TEST(t_what_arrives_claims_room),
	    TEST(t_nothing_is_claimed_where_nothing_is_kept),
	    TEST(t_one_result_is_bounded),
	    TEST(t_every_other_handle_is_refused_alike),
	    TEST(t_answers_are_held_to_the_limit_and_not_kept),
	    TEST(t_the_tools_of_a_session),
	    TEST(t_their_names_are_taken),
	    TEST(t_they_pass_the_gate),
	    TEST(t_a_search_waits_for_its_turn),
	    TEST(t_a_search_may_be_cancelled_and_abandoned),
	    TEST(t_a_search_ends_with_its_session),
	    TEST(t_a_search_that_cannot_be_watched_fails),
	    TEST(t_searches_share_one_turn),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
