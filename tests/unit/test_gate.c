#include "bindings/gate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* cmocka wants the headers above it first */
#include <cmocka.h>

static void
t_the_gate_only_goes_down(void **state)
{
	(void)state;
	assert_int_equal(bind_gate_next(BIND_GATE_RUNNING, BIND_GATE_SPEND),
	    BIND_GATE_HALTED);
	for (int s = 0; s < BIND_GATE_STATES; s++) {
		assert_int_equal(
		    bind_gate_next((enum bind_gate_state)s, BIND_GATE_END),
		    BIND_GATE_CLOSED);
		for (int e = 0; e < BIND_GATE_EVENTS; e++)
			assert_true(bind_gate_next((enum bind_gate_state)s,
					(enum bind_gate_event)e) >=
			    (enum bind_gate_state)s);
	}
	/* Halted is absorbing for all but the end. */
	assert_int_equal(bind_gate_next(BIND_GATE_HALTED, BIND_GATE_SPEND),
	    BIND_GATE_HALTED);
	assert_int_equal(bind_gate_next(BIND_GATE_CLOSED, BIND_GATE_SPEND),
	    BIND_GATE_CLOSED);
}

#define END (BIND_DO_RECORD_END | BIND_DO_REPLY)

/* The pipeline, written down once more: every step there is, with the gates
 * in which it is taken as it stands. */
static const struct {
	enum bind_call_state from;
	enum bind_call_event event;
	enum bind_call_state to;
	unsigned actions;
	bool in_halted, in_closed; /* else it becomes a refusal there */
} steps[] = {
    {BIND_CALL_NEW, BIND_CALL_ACCEPT, BIND_CALL_CHARGING, BIND_DO_CHARGE, false,
	false},
    {BIND_CALL_NEW, BIND_CALL_REFUSE, BIND_CALL_REFUSED, END, true, true},
    {BIND_CALL_CHARGING, BIND_CALL_PASS, BIND_CALL_ADMITTING, BIND_DO_ADMIT,
	true, true},
    {BIND_CALL_CHARGING, BIND_CALL_REFUSE, BIND_CALL_REFUSED, END, true, true},
    {BIND_CALL_ADMITTING, BIND_CALL_PASS, BIND_CALL_WAITING, BIND_DO_KEEP, true,
	true},
    {BIND_CALL_ADMITTING, BIND_CALL_REFUSE, BIND_CALL_REFUSED, END, true, true},
    {BIND_CALL_WAITING, BIND_CALL_TURN, BIND_CALL_RECORDING,
	BIND_DO_RECORD_STARTED, true, false},
    {BIND_CALL_WAITING, BIND_CALL_REFUSE, BIND_CALL_REFUSED, END, true, true},
    {BIND_CALL_RECORDING, BIND_CALL_PASS, BIND_CALL_STARTED, BIND_DO_DISPATCH,
	true, true},
    {BIND_CALL_RECORDING, BIND_CALL_REFUSE, BIND_CALL_REFUSED, END, true, true},
    {BIND_CALL_RECORDING, BIND_CALL_ERROR, BIND_CALL_FAILED, END, true, true},
    {BIND_CALL_STARTED, BIND_CALL_VALUE, BIND_CALL_COMPLETED, END, true, true},
    {BIND_CALL_STARTED, BIND_CALL_ERROR, BIND_CALL_FAILED, END, true, true},
    {BIND_CALL_STARTED, BIND_CALL_LOSE, BIND_CALL_UNKNOWN, END, true, true},
};

#define STEPS (sizeof(steps) / sizeof(steps[0]))

static size_t
find(int from, int event)
{
	size_t i = 0;

	while (i < STEPS &&
	    ((int)steps[i].from != from || (int)steps[i].event != event))
		i++;
	return i;
}

static void
check_step(size_t i, enum bind_gate_state gate, bool as_it_stands)
{
	struct bind_call_step got =
	    bind_call_next(gate, steps[i].from, steps[i].event);

	if (as_it_stands) {
		assert_int_equal(got.next, steps[i].to);
		assert_int_equal(got.actions, steps[i].actions);
	} else {
		assert_int_equal(got.next, BIND_CALL_REFUSED);
		assert_int_equal(got.actions, END);
	}
}

static void
t_every_cell_of_the_table(void **state)
{
	(void)state;
	for (int s = 0; s < BIND_CALL_STATES; s++) {
		for (int e = 0; e < BIND_CALL_EVENTS; e++) {
			size_t i = find(s, e);

			for (int g = 0; g < BIND_GATE_STATES; g++)
				assert_int_equal(
				    bind_call_allows((enum bind_gate_state)g,
					(enum bind_call_state)s,
					(enum bind_call_event)e),
				    i < STEPS);
			if (i == STEPS)
				continue;
			check_step(i, BIND_GATE_RUNNING, true);
			check_step(i, BIND_GATE_HALTED, steps[i].in_halted);
			check_step(i, BIND_GATE_CLOSED, steps[i].in_closed);
		}
	}
}

static void
t_final_states_know_no_event(void **state)
{
	int finals = 0;

	(void)state;
	for (int s = 0; s < BIND_CALL_STATES; s++) {
		bool any = false;

		for (int e = 0; e < BIND_CALL_EVENTS; e++)
			any = any ||
			    bind_call_allows(BIND_GATE_RUNNING,
				(enum bind_call_state)s,
				(enum bind_call_event)e);
		assert_int_equal(
		    bind_call_is_final((enum bind_call_state)s), !any);
		finals += !any;
	}
	assert_int_equal(finals, 4);
}

/* Walks every path from NEW in one gate and notes what was done on it. */
static void
walk(enum bind_gate_state gate, enum bind_call_state at, unsigned done,
    unsigned *paths)
{
	if (bind_call_is_final(at)) {
		/* Every call is recorded and answered, once, at its end. */
		assert_int_equal(done & END, END);
		if (at == BIND_CALL_REFUSED)
			assert_int_equal(done & BIND_DO_DISPATCH, 0);
		else if (at != BIND_CALL_FAILED)
			assert_int_equal(
			    done & BIND_DO_DISPATCH, BIND_DO_DISPATCH);
		(*paths)++;
		return;
	}
	for (int e = 0; e < BIND_CALL_EVENTS; e++) {
		struct bind_call_step step;

		if (!bind_call_allows(gate, at, (enum bind_call_event)e))
			continue;
		step = bind_call_next(gate, at, (enum bind_call_event)e);
		assert_int_equal(done & step.actions, 0);
		/* Each effect only after the one before it. */
		if ((step.actions & BIND_DO_ADMIT) != 0)
			assert_true((done & BIND_DO_CHARGE) != 0);
		if ((step.actions & BIND_DO_RECORD_STARTED) != 0)
			assert_true((done & BIND_DO_ADMIT) != 0);
		if ((step.actions & BIND_DO_DISPATCH) != 0)
			assert_true((done & BIND_DO_RECORD_STARTED) != 0);
		if ((step.actions & BIND_DO_REPLY) != 0)
			assert_true((step.actions & BIND_DO_RECORD_END) != 0);
		walk(gate, step.next, done | step.actions, paths);
	}
}

static void
t_no_path_changes_the_order_of_effects(void **state)
{
	unsigned paths = 0;

	(void)state;
	walk(BIND_GATE_RUNNING, BIND_CALL_NEW, 0, &paths);
	assert_int_equal(paths, 9); /* five refusals and four ends */
	paths = 0;
	walk(BIND_GATE_HALTED, BIND_CALL_NEW, 0, &paths);
	assert_int_equal(paths, 2); /* ACCEPT and REFUSE are one */
	paths = 0;
	walk(BIND_GATE_CLOSED, BIND_CALL_WAITING, 0, &paths);
	assert_int_equal(paths, 2);
}

static void
t_every_state_has_a_word_of_its_own(void **state)
{
	(void)state;
	for (int s = 0; s < BIND_CALL_STATES; s++) {
		const char *word =
		    bind_call_state_word((enum bind_call_state)s);

		assert_true(strlen(word) > 2);
		for (int k = 0; k < s; k++)
			assert_string_not_equal(word,
			    bind_call_state_word((enum bind_call_state)k));
	}
	assert_string_equal(bind_gate_state_word(BIND_GATE_RUNNING), "running");
	assert_string_equal(bind_gate_state_word(BIND_GATE_HALTED), "halted");
	assert_string_equal(bind_gate_state_word(BIND_GATE_CLOSED), "closed");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(t_the_gate_only_goes_down),
	    cmocka_unit_test(t_every_cell_of_the_table),
	    cmocka_unit_test(t_final_states_know_no_event),
	    cmocka_unit_test(t_no_path_changes_the_order_of_effects),
	    cmocka_unit_test(t_every_state_has_a_word_of_its_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
