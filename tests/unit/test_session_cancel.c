/*
 * Cancelling a tool session at every point of a history, by every way that a
 * provider may take to end (S5, B1): each accepted call has one end and one
 * reply, what was not started is refused, and nothing is started afterwards.
 *
 * And what is refused before it is started: marks, tools that were taken back,
 * and what a provider says of arguments (B9, B10, B12).
 */
#include "tests/unit/session_rig.h"

#define CALLS  96 /* of which the window has */
#define WINDOW 8

enum ending {
	ENDS_AT_ONCE,	   /* as cancelled, from inside cancel() */
	ENDS_LATER,	   /* as cancelled, and is gone later still */
	ENDS_WITH_A_VALUE, /* that had been on its way */
	IS_LOST,	   /* nobody can say what it did */
	NEVER_ENDS,	   /* and is abandoned */
	ENDINGS
};

enum way { CLOSE, HALT_THEN_CLOSE, SPEND_THEN_CLOSE, TIMEOUT, FREE, WAYS };

struct history {
	struct rig *rig;
	enum ending ending;
	bool over; /* the end is decided */
	unsigned ended[CALLS + 1], started[CALLS + 1], replied[CALLS + 1];
};

static struct history now;

static enum wire_tool_kind
on_started(void *arg, const struct bind_record_entry *entry)
{
	struct bind_record record = bind_record_list_record(&now.rig->list);

	(void)arg;
	assert_false(now.over);
	assert_int_equal(now.started[entry->id]++, 0);
	return record.started(record.arg, entry);
}

static enum wire_err
on_ended(void *arg, const struct bind_record_entry *entry)
{
	struct bind_record record = bind_record_list_record(&now.rig->list);

	(void)arg;
	assert_int_equal(now.ended[entry->id]++, 0);
	assert_int_equal(
	    now.started[entry->id], entry->state != BIND_CALL_REFUSED);
	return record.ended(record.arg, entry);
}

static void
on_reply(void *arg, const struct bind_reply *reply)
{
	(void)arg;
	/* The record comes first. */
	assert_int_equal(now.ended[reply->id], 1);
	assert_int_equal(now.replied[reply->id]++, 0);
}

static void
start(void *data, struct bind_job *job)
{
	struct rig *rig = data;

	assert_false(now.over);
	assert_int_equal(now.started[job->id], 1);
	rig->jobs[job->id] = job;
	rig->running++;
}

static void
cancel(struct bind_job *job, enum wire_tool_kind kind)
{
	uint64_t id = job->id;

	assert_int_equal(now.ended[id], 0);
	switch (now.ending) {
	case ENDS_AT_ONCE:
		rig_done(now.rig, id, kind, "", true);
		rig_gone(now.rig, id);
		break;
	case ENDS_LATER:
		rig_done(now.rig, id, kind, "", true);
		break;
	case ENDS_WITH_A_VALUE:
		rig_value(now.rig, id, "[1]");
		break;
	case IS_LOST:
		rig_done(now.rig, id, kind, "", false);
		rig_gone(now.rig, id);
		break;
	case NEVER_ENDS:
	case ENDINGS:
		break;
	}
}

static void
abandon(struct bind_job *job)
{
	now.rig->jobs[job->id] = NULL;
	now.rig->running--;
}

static const struct bind_provider provider = {
    .name = "slow", .start = start, .cancel = cancel, .abandon = abandon};

/* --- one history ---------------------------------------------------------- */

/* Calls come, and every third time one that runs has its result. */
static void
step(struct rig *rig, unsigned number)
{
	if (number % 3 != 2) {
		if (rig->next_id < CALLS)
			rig_call(rig, "slow");
		return;
	}
	for (uint64_t id = 0; id < rig->next_id; id++) {
		if (rig->jobs[id] == NULL || now.ended[id] != 0)
			continue;
		rig_value(rig, id, "1");
		return;
	}
}

static void
end(struct rig *rig, enum way way)
{
	now.over = way != SPEND_THEN_CLOSE && way != TIMEOUT;
	if (way == HALT_THEN_CLOSE)
		bind_session_halt(rig->session, WIRE_TOOL_CANCELLED);
	if (way == SPEND_THEN_CLOSE) {
		/* One call more than there may be. */
		while (rig->next_id < CALLS)
			rig_call(rig, "slow");
		rig_call(rig, "slow");
		now.over = true;
	}
	if (way == TIMEOUT) {
		/* Its time is over for all that run, and the next are begun:
		 * those are cancelled. */
		rig->loop.now += rig->limits.tool_time_ns;
		bind_session_tick(rig->session, rig->loop.now);
		now.over = true;
	}
	if (way != FREE)
		bind_session_close(rig->session);
	/* Results that arrive now. */
	for (uint64_t id = 0; way != FREE && id < CALLS; id++) {
		if (rig->jobs[id] == NULL)
			continue;
		if (now.ended[id] == 0 && id % 2 == 0)
			rig_done(rig, id, WIRE_TOOL_NONE, "[2]", true);
		if (now.ended[id] != 0)
			rig_gone(rig, id);
	}
	bind_session_free(rig->session);
	rig->session = NULL;
}

static void
live(unsigned steps, enum ending ending, enum way way)
{
	struct rig *rig = rig_new();
	struct bind_session_config config;
	struct bind_record_totals *totals = &rig->list.totals;

	memset(&now, 0, sizeof(now));
	now.rig = rig;
	now.ending = ending;
	rig->log_off = true;
	rig->limits.in_flight = WINDOW;
	rig->limits.calls = CALLS - 1;
	rig_add(rig, "slow", &provider, 0);
	rig_config(rig, &config);
	config.record =
	    (struct bind_record){rig, on_started, on_ended, NULL, NULL};
	config.reply = on_reply;
	assert_int_equal(
	    bind_session_new(&config, &rig->session, NULL), WIRE_OK);
	for (unsigned i = 0; i < steps; i++)
		step(rig, i);
	end(rig, way);
	for (uint64_t id = 0; id < rig->next_id; id++) {
		assert_int_equal(now.ended[id], 1);
		/* A session that is freed answers nobody any more. */
		assert_true(now.replied[id] == 1 || way == FREE ||
		    ending == NEVER_ENDS);
	}
	assert_int_equal(totals->started, 0);
	assert_int_equal(bind_record_total(totals), rig->next_id);
	if (ending != IS_LOST && ending != NEVER_ENDS)
		assert_int_equal(totals->unknown, 0);
	rig_free(rig);
}

static void
t_at_every_point(void **state)
{
	(void)state;
	for (int ending = 0; ending < ENDINGS; ending++)
		for (int way = 0; way < WAYS; way++)
			for (unsigned steps = 0; steps < 2 * CALLS; steps++)
				live(steps, (enum ending)ending, (enum way)way);
}

/* --- refused before it is started ------------------------------------------
 */

static void
t_a_mark_refuses_from_that_moment_on(void **state)
{
	struct rig *rig = rig_new();

	(void)state;
	rig->limits.in_flight = 1;
	rig_open(rig);
	rig_call(rig, "tool");
	rig_call(rig, "tool");
	rig_expect(rig, "started:0 start:0");
	assert_false(bind_catalogue_mark(
	    rig->catalogue, WIRE_LIT("no"), BIND_TOOL_NEEDS_INPUT));
	assert_true(bind_catalogue_mark(
	    rig->catalogue, WIRE_LIT("tool"), BIND_TOOL_NEEDS_INPUT));
	/* Also one that waits; what runs goes on. */
	rig_value(rig, 0, "1");
	rig_expect(rig,
	    "ended:0:completed reply:0:1 "
	    "ended:1:refused:input_required reply:1:input_required");
	assert_true(bind_catalogue_mark(
	    rig->catalogue, WIRE_LIT("tool"), BIND_TOOL_NEEDS_APPROVAL));
	rig_call(rig, "tool");
	rig_expect(
	    rig, "ended:2:refused:approval_required reply:2:approval_required");
	assert_false(rig->last_hard);
	assert_string_equal(rig->message,
	    "tool: refused before it ran. This tool needs an approval: call it "
	    "directly, not from a program.");
	/* Charged like any. */
	assert_int_equal(bind_session_budget(rig->session)->calls, 3);
	rig_free(rig);
}

static void
t_taken_back_is_as_if_it_had_never_been(void **state)
{
	struct rig *rig = rig_new();
	char words[4096];

	(void)state;
	rig_open(rig);
	rig_call(rig, "never");
	rig_expect(rig, "ended:0:refused:not_offered reply:0:not_offered");
	snprintf(words, sizeof(words), "%s", strchr(rig->message, ':'));
	assert_true(bind_catalogue_withdraw(rig->catalogue, WIRE_LIT("tool")));
	rig_call(rig, "tool");
	rig_expect(rig, "ended:1:refused:not_offered reply:1:not_offered");
	assert_string_equal(strchr(rig->message, ':'), words);
	assert_false(rig->last_hard);
	assert_int_equal(bind_session_budget(rig->session)->calls, 2);
	/* A mark on what is taken back says no more. */
	assert_true(bind_catalogue_mark(
	    rig->catalogue, WIRE_LIT("tool"), BIND_TOOL_NEEDS_APPROVAL));
	rig_call(rig, "tool");
	rig_expect(rig, "ended:2:refused:not_offered reply:2:not_offered");
	/* What comes after the start is not offered, either. */
	rig_add(rig, "late", &rig_provider, 0);
	rig_call(rig, "late");
	rig_expect(rig, "ended:3:refused:not_offered reply:3:not_offered");
	rig_free(rig);
}

static unsigned asked;

static enum wire_tool_kind
admit(void *data, struct wire_span arguments, const char **ret_words)
{
	(void)data;
	asked++;
	if (arguments.len == 2)
		return WIRE_TOOL_NONE;
	*ret_words = "not to there";
	return WIRE_TOOL_EGRESS_DENIED;
}

static void
t_a_provider_may_refuse_by_arguments(void **state)
{
	struct rig *rig = rig_new();
	static const struct bind_provider choosy = {.name = "choosy",
	    .admit = admit,
	    .start = rig_start,
	    .cancel = rig_cancel,
	    .abandon = rig_abandon};

	(void)state;
	asked = 0;
	rig->limits.calls = 3;
	rig->limits.argument_bytes = 20;
	rig_add(rig, "choosy", &choosy, 0);
	rig_open(rig);
	rig_call(rig, "choosy");
	rig_expect(rig, "started:0 start:0");
	rig_value(rig, 0, "1");
	rig->log_len = 0;
	rig_call_with(rig, "choosy", WIRE_LIT("{\"a\":1}"));
	rig_expect(rig, "ended:1:refused:egress_denied reply:1:egress_denied");
	assert_string_equal(rig->message,
	    "choosy: not to there. Only addresses on the host's allow-list can "
	    "be reached.");
	assert_int_equal(asked, 2);
	/* It is not asked about what is refused anyway. */
	rig_call_with(rig, "choosy", WIRE_LIT("{\"a\":\"0123456789abcdef\"}"));
	rig_expect(rig,
	    "ended:2:refused:arguments_too_large "
	    "reply:2:arguments_too_large");
	rig_call(rig, "choosy");
	rig_expect(rig, "ended:3:refused:budget_spent reply:3:budget_spent");
	assert_int_equal(asked, 2);
	rig_free(rig);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(t_at_every_point),
	    cmocka_unit_test(t_a_mark_refuses_from_that_moment_on),
	    cmocka_unit_test(t_taken_back_is_as_if_it_had_never_been),
	    cmocka_unit_test(t_a_provider_may_refuse_by_arguments),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
