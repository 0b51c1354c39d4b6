/*
 * Random histories of a tool session against a plain model: whatever comes in
 * whatever order, each call is recorded and answered exactly once, the window
 * is never exceeded, and the sums add up.
 */
#include "tests/unit/session_rig.h"

#define HISTORIES 400
#define STEPS	  300

struct model {
	struct rig *rig;
	uint64_t seed;
	unsigned replies[RIG_JOBS];
	bool answered[RIG_JOBS]; /* done() was called */
	uint64_t bytes;		 /* what the budget should say */
};

static struct model model;

static uint64_t
draw(uint64_t below)
{
	/* xorshift64* */
	model.seed ^= model.seed >> 12;
	model.seed ^= model.seed << 25;
	model.seed ^= model.seed >> 27;
	return (model.seed * 0x2545f4914f6cdd1dULL >> 33) % below;
}

static void
count_reply(struct rig *rig, uint64_t id)
{
	model.replies[id]++;
	assert_int_equal(model.replies[id], 1);
	/* Now and then the host is in a hurry. */
	if (draw(40) == 0)
		bind_session_pause(rig->session);
	if (draw(4000) == 0)
		bind_session_halt(rig->session, WIRE_TOOL_CANCELLED);
	if (draw(4000) == 0)
		bind_session_close(rig->session);
}

static void
make_call(struct rig *rig)
{
	static const char *const names[] = {
	    "tool", "tool", "tool", "now", "nobody", "gated", "doomed"};
	static const uint8_t text[64] = "{}";
	size_t len = draw(20) == 0 ? 2 + draw(62) : 2;
	const struct bind_budget *budget = bind_session_budget(rig->session);
	uint64_t calls = budget->calls;

	if (rig->next_id == RIG_JOBS)
		return;
	rig_call_with(rig, names[draw(7)], (struct wire_span){text, len});
	if (budget->calls > calls)
		model.bytes += len;
}

/* A dispatched job, or NULL. */
static struct bind_job *
pick(struct rig *rig)
{
	size_t skip;

	if (rig->running == 0)
		return NULL;
	skip = draw(rig->running);
	for (size_t i = 0; i < RIG_JOBS; i++) {
		if (rig->jobs[i] != NULL && skip-- == 0)
			return rig->jobs[i];
	}
	return NULL;
}

static void
answer_one(struct rig *rig)
{
	static const char *const values[] = {
	    "1", "[1,2,3]", " \"x\" ", "{\"a\":", "", "\"a longer one\""};
	struct bind_job *job = pick(rig);
	uint64_t id;

	if (job == NULL)
		return;
	id = job->id;
	if (!model.answered[id]) {
		model.answered[id] = true;
		if (draw(3) > 0)
			rig_done(
			    rig, id, WIRE_TOOL_NONE, values[draw(6)], true);
		else
			rig_done(rig, id, WIRE_TOOL_FAILED, "no", draw(2) == 0);
		assert_int_equal(model.replies[id], 1);
	}
	if (draw(2) == 0)
		rig_gone(rig, id);
}

static void
one_step(struct rig *rig)
{
	switch (draw(12)) {
	case 0:
		bind_session_pause(rig->session);
		break;
	case 1:
		bind_session_resume(rig->session);
		break;
	case 2:
		rig->loop.now += draw(300);
		bind_session_tick(rig->session, rig->loop.now);
		assert_true(
		    bind_session_deadline(rig->session) > rig->loop.now);
		break;
	case 3:
		if (draw(20) == 0)
			(void)bind_catalogue_withdraw(
			    rig->catalogue, WIRE_LIT("doomed"));
		break;
	case 4:
	case 5:
	case 6:
	case 7:
		make_call(rig);
		break;
	default:
		answer_one(rig);
		break;
	}
	assert_in_range(rig->running, 0, rig->limits.in_flight);
}

/* Lets what runs come to an end. */
static void
run_dry(struct rig *rig)
{
	bind_session_resume(rig->session);
	while (!bind_session_is_empty(rig->session)) {
		answer_one(rig);
		bind_session_resume(rig->session);
	}
}

static uint64_t
kept_bytes(struct rig *rig)
{
	const struct bind_record_entry *entry;
	uint64_t sum = 0;
	size_t cursor = 0;

	while ((entry = bind_record_list_next(&rig->list, &cursor)) != NULL) {
		assert_true(bind_call_is_final(entry->state));
		assert_int_equal(entry->kind == WIRE_TOOL_NONE,
		    entry->state == BIND_CALL_COMPLETED);
		if (entry->kind == WIRE_TOOL_NONE ||
		    entry->kind == WIRE_TOOL_FAILED)
			sum += entry->result_bytes;
	}
	return sum;
}

static void
check_sums(struct rig *rig)
{
	const struct bind_budget *budget = bind_session_budget(rig->session);

	for (uint64_t id = 0; id < rig->next_id; id++)
		assert_int_equal(model.replies[id], 1);
	assert_int_equal(bind_record_total(&rig->list.totals), rig->next_id);
	assert_int_equal(rig->list.totals.started, 0);
	assert_in_range(budget->bytes, 0, rig->limits.total_bytes);
	assert_in_range(budget->calls, 0, rig->limits.calls);
	/* While the list is whole, the bytes can be counted from it. */
	if (rig->next_id <= BIND_RECORD_HEAD + BIND_RECORD_TAIL)
		assert_int_equal(budget->bytes, model.bytes + kept_bytes(rig));
}

static void
one_history(uint64_t seed)
{
	struct rig *rig = rig_new();

	memset(&model, 0, sizeof(model));
	model.rig = rig;
	model.seed = seed * 0x9e3779b97f4a7c15ULL + 1;
	rig->log_off = true;
	rig->on_reply = count_reply;
	rig_add(rig, "gated", &rig_provider, BIND_TOOL_NEEDS_APPROVAL);
	rig_add(rig, "doomed", &rig_provider, 0);
	rig->limits = (struct bind_limits){
	    .calls = 20 + draw(200),
	    .argument_bytes = 40,
	    .result_bytes = 10,
	    .total_bytes = 50 + draw(2000),
	    .produced_bytes = 50 + draw(2000),
	    .tool_time_ns = 500,
	    .total_time_ns = 500 + draw(20000),
	    .in_flight = (uint32_t)(1 + draw(8)),
	};
	rig_open(rig);
	for (int i = 0; i < STEPS; i++)
		one_step(rig);
	if (draw(3) == 0)
		bind_session_close(rig->session);
	run_dry(rig);
	check_sums(rig);
	rig_free(rig);
}

static void
t_random_histories(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= HISTORIES; seed++)
		one_history(seed);
}

/* As above, but the session is freed in the middle of things. */
static void
t_random_ends(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= HISTORIES; seed++) {
		struct rig *rig = rig_new();

		memset(&model, 0, sizeof(model));
		model.seed = seed;
		rig->log_off = true;
		rig->on_reply = count_reply;
		rig_add(rig, "gated", &rig_provider, 0);
		rig_add(rig, "doomed", &rig_provider, 0);
		rig->limits.in_flight = (uint32_t)(1 + draw(8));
		rig_open(rig);
		for (uint64_t i = draw(60); i > 0; i--)
			one_step(rig);
		rig_free(rig); /* which checks that every call is recorded */
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(t_random_histories),
	    cmocka_unit_test(t_random_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
