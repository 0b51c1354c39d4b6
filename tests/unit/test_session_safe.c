/*
 * A session whose records are not safe when they are written: nothing is
 * dispatched before somebody says so, and what was recorded together is
 * dispatched together.
 */
#include "tests/unit/session_rig.h"

static int recorded;

static void
on_recorded(void *arg)
{
	(void)arg;
	recorded++;
}

static struct rig *
open_with(struct rig *rig)
{
	struct bind_session_config config;

	rig_config(rig, &config);
	config.recorded = on_recorded;
	recorded = 0;
	assert_int_equal(
	    bind_session_new(&config, &rig->session, NULL), WIRE_OK);
	return rig;
}

static struct rig *
open_rig(uint32_t in_flight)
{
	struct rig *rig = rig_new();

	rig->limits.in_flight = in_flight;
	return open_with(rig);
}

static void
safe(struct rig *rig, bool is_safe)
{
	bind_session_safe(
	    rig->session, bind_session_recorded(rig->session), is_safe);
}

static void
t_together_and_in_order(void **state)
{
	struct rig *rig = open_rig(8);

	(void)state;
	for (int i = 0; i < 3; i++)
		rig_call(rig, "tool");
	rig_expect(rig, "started:0 started:1 started:2");
	assert_int_equal(recorded, 3);
	assert_int_equal(bind_session_recorded(rig->session), 3);
	assert_false(bind_session_is_empty(rig->session));
	assert_true(bind_session_deadline(rig->session) == UINT64_MAX);
	safe(rig, true);
	rig_expect(rig, "start:0 start:1 start:2");
	assert_true(bind_session_deadline(rig->session) < UINT64_MAX);
	assert_int_equal(bind_session_recorded(rig->session), 0);
	for (uint64_t id = 0; id < 3; id++)
		rig_value(rig, id, "1");
	assert_true(bind_session_is_empty(rig->session));
	rig_free(rig);
}

/* What is recorded takes its place in the window. */
static void
t_the_window(void **state)
{
	struct rig *rig = open_rig(2);

	(void)state;
	for (int i = 0; i < 4; i++)
		rig_call(rig, "tool");
	rig_expect(rig, "started:0 started:1");
	safe(rig, true);
	rig_expect(rig, "start:0 start:1");
	rig_value(rig, 1, "1");
	rig_expect(rig, "ended:1:completed reply:1:1 started:2");
	rig_value(rig, 0, "1");
	rig_expect(rig, "ended:0:completed reply:0:1 started:3");
	/* A third was recorded after the sync began: it waits. */
	bind_session_safe(rig->session, 1, true);
	rig_expect(rig, "start:2");
	safe(rig, true);
	rig_expect(rig, "start:3");
	rig_value(rig, 2, "1");
	rig_value(rig, 3, "1");
	assert_true(bind_session_is_empty(rig->session));
	rig_free(rig);
}

/* Dispatching some brings others into the window: those are not safe yet. */
static void
t_recorded_meanwhile(void **state)
{
	struct rig *rig = open_rig(2);

	(void)state;
	for (int i = 0; i < 4; i++)
		rig_call(rig, "now");
	rig_expect(rig, "started:0 started:1");
	safe(rig, true);
	rig_expect(rig,
	    "start:0 ended:0:completed reply:0:{} started:2 "
	    "start:1 ended:1:completed reply:1:{} started:3");
	safe(rig, true);
	rig_expect(rig,
	    "start:2 ended:2:completed reply:2:{} "
	    "start:3 ended:3:completed reply:3:{}");
	assert_true(bind_session_is_empty(rig->session));
	rig_free(rig);
}

static void
t_what_cannot_be_made_safe(void **state)
{
	struct rig *rig = open_rig(1);

	(void)state;
	rig_call(rig, "tool");
	rig_call(rig, "tool");
	rig_expect(rig, "started:0");
	safe(rig, false);
	rig_expect(
	    rig, "ended:0:failed:not_recorded reply:0:not_recorded started:1");
	safe(rig, false);
	rig_expect(rig, "ended:1:failed:not_recorded reply:1:not_recorded");
	assert_true(bind_session_is_empty(rig->session));
	rig_free(rig);
}

/* The end is decided while a record is on its way to the disk (B1). */
static void
t_the_end_comes_between(void **state)
{
	for (int close = 0; close < 2; close++) {
		struct rig *rig = open_rig(8);

		(void)state;
		rig_call(rig, "tool");
		rig_expect(rig, "started:0");
		if (close)
			bind_session_close(rig->session);
		else
			bind_session_halt(rig->session, WIRE_TOOL_CANCELLED);
		rig_expect(rig, "");
		assert_false(bind_session_is_empty(rig->session));
		safe(rig, true);
		rig_expect(rig, "ended:0:failed:cancelled reply:0:cancelled");
		assert_true(bind_session_is_empty(rig->session));
		rig_free(rig);
	}
}

/* What is spent or withdrawn while a record is on its way counts as well. */
static void
t_a_budget_is_spent_between(void **state)
{
	struct rig *rig = rig_new();

	(void)state;
	rig->limits.total_bytes = 8;
	open_with(rig);
	rig_call(rig, "tool");
	safe(rig, true);
	rig_call(rig, "tool");
	rig_expect(rig, "started:0 start:0 started:1");
	rig_value(rig, 0, "123456789");
	rig_expect(rig, "ended:0:failed:budget_spent reply:0:budget_spent");
	safe(rig, true);
	rig_expect(rig, "ended:1:failed:budget_spent reply:1:budget_spent");
	assert_true(bind_session_is_empty(rig->session));
	rig_free(rig);
}

static void
t_it_is_withdrawn_between(void **state)
{
	struct rig *rig = open_rig(8);

	(void)state;
	rig_call(rig, "tool");
	rig_expect(rig, "started:0");
	assert_true(bind_catalogue_withdraw(rig->catalogue, WIRE_LIT("tool")));
	safe(rig, true);
	rig_expect(rig, "ended:0:failed:not_offered reply:0:not_offered");
	rig_free(rig);
}

/* However long the disk takes: the tool has its own time. */
static void
t_its_time_begins_when_it_is_dispatched(void **state)
{
	struct rig *rig = rig_new();

	(void)state;
	rig->limits.tool_time_ns = 400;
	rig->limits.total_time_ns = 1000;
	open_with(rig);
	rig_call(rig, "tool");
	rig->loop.now += 5000;
	safe(rig, true);
	assert_int_equal(
	    bind_session_deadline(rig->session), rig->loop.now + 400);
	rig->loop.now += 300;
	rig_value(rig, 0, "1");
	assert_int_equal(bind_session_budget(rig->session)->time_ns, 300);
	rig_free(rig);
}

static void
close_first(struct rig *rig, uint64_t id)
{
	if (id == 0)
		bind_session_close(rig->session);
}

/* The first that is dispatched decides the end: the others have no effect. */
static void
t_the_end_comes_from_inside(void **state)
{
	struct rig *rig = open_rig(8);

	(void)state;
	rig_call(rig, "now");
	rig_call(rig, "tool");
	rig->on_reply = close_first;
	rig_expect(rig, "started:0 started:1");
	safe(rig, true);
	rig_expect(rig,
	    "start:0 ended:0:completed reply:0:{} "
	    "ended:1:failed:cancelled reply:1:cancelled");
	rig_free(rig);
}

static void
t_freed_before_it_is_safe(void **state)
{
	struct rig *rig = open_rig(8);

	(void)state;
	rig_call(rig, "tool");
	rig_expect(rig, "started:0");
	bind_session_free(rig->session);
	rig->session = NULL;
	rig_expect(rig, "ended:0:failed:cancelled");
	rig_free(rig);
}

/* Backpressure holds what is not recorded, not what is. */
static void
t_paused(void **state)
{
	struct rig *rig = open_rig(8);

	(void)state;
	rig_call(rig, "tool");
	bind_session_pause(rig->session);
	rig_call(rig, "tool");
	rig_expect(rig, "started:0");
	safe(rig, true);
	rig_expect(rig, "start:0");
	bind_session_resume(rig->session);
	rig_expect(rig, "started:1");
	safe(rig, true);
	rig_value(rig, 0, "1");
	rig_value(rig, 1, "1");
	rig_free(rig);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(t_together_and_in_order),
	    cmocka_unit_test(t_the_window),
	    cmocka_unit_test(t_recorded_meanwhile),
	    cmocka_unit_test(t_what_cannot_be_made_safe),
	    cmocka_unit_test(t_the_end_comes_between),
	    cmocka_unit_test(t_the_end_comes_from_inside),
	    cmocka_unit_test(t_a_budget_is_spent_between),
	    cmocka_unit_test(t_it_is_withdrawn_between),
	    cmocka_unit_test(t_its_time_begins_when_it_is_dispatched),
	    cmocka_unit_test(t_freed_before_it_is_safe),
	    cmocka_unit_test(t_paused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
