/*
 * The verdict rests on what the host has seen (S10), and the state table.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "supervisor/verdict.h"

#define SECOND 1000000000ULL

static struct wire_done
value_of(const char *json)
{
	return (struct wire_done){
	    .has_value = true,
	    .returned = true,
	    .value = {(const uint8_t *)json, strlen(json)},
	};
}

static struct sup_facts
facts(enum sup_exec_event cause)
{
	return (struct sup_facts){
	    .cause = cause,
	    .ran = true,
	    .cpu_limit_ns = 2 * SECOND,
	    .value_max = 10,
	    .early_text = "",
	};
}

static struct sup_verdict
reach(const struct sup_facts *f)
{
	struct sup_verdict v;

	sup_verdict_reach(f, &v);
	return v;
}

static void
t_value_is_the_answer(void **state)
{
	struct wire_done done = value_of("1");
	struct sup_facts f = facts(SUP_EVENT_DONE);
	struct sup_verdict v;

	(void)state;
	f.done = &done;
	v = reach(&f);
	assert_int_equal(v.kind, SUP_KIND_NONE);
	assert_true(v.has_value && v.returned && v.by_program);
	assert_int_equal(v.code, 0);
}

static void
t_value_cap_is_exact(void **state)
{
	struct wire_done done = value_of("\"12345678\""); /* 10 bytes */
	struct sup_facts f = facts(SUP_EVENT_DONE);

	(void)state;
	f.done = &done;
	assert_int_equal(reach(&f).kind, SUP_KIND_NONE);
	f.value_max = 9;
	assert_int_equal(reach(&f).kind, SUP_KIND_OUTPUT_LIMIT);
	assert_int_equal(reach(&f).limit_hit, SUP_LIMIT_VALUE);
	assert_false(reach(&f).has_value);
	/* The same when the child did not even send it. */
	done = (struct wire_done){.oversize = 11};
	f.value_max = 10;
	assert_int_equal(reach(&f).kind, SUP_KIND_OUTPUT_LIMIT);
	/* A size that would have fitted is a lie. */
	done.oversize = 10;
	assert_int_equal(reach(&f).kind, SUP_KIND_PROTOCOL_VIOLATION);
}

static void
t_claims_map_to_four_kinds(void **state)
{
	static const struct {
		enum wire_claim_kind claim;
		enum sup_kind kind;
		int code;
	} rows[] = {
	    {WIRE_CLAIM_EXCEPTION, SUP_KIND_EXCEPTION, 1},
	    {WIRE_CLAIM_INVALID_VALUE, SUP_KIND_INVALID_VALUE, 1},
	    {WIRE_CLAIM_WORKER_EXIT, SUP_KIND_WORKER_EXIT, 3},
	    {WIRE_CLAIM_STEP_BUDGET, SUP_KIND_STEP_BUDGET, 1},
	};

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		struct wire_done done = {.kind = rows[i].claim, .status = 3};
		struct sup_facts f = facts(SUP_EVENT_DONE);

		f.done = &done;
		assert_int_equal(reach(&f).kind, rows[i].kind);
		assert_int_equal(reach(&f).code, rows[i].code);
	}
}

static void
t_refusals_have_their_kind(void **state)
{
	struct sup_facts f = facts(SUP_EVENT_REFUSED);

	(void)state;
	f.ran = false;
	f.refusal = "why";
	assert_int_equal(reach(&f).kind, SUP_KIND_ISOLATION_UNAVAILABLE);
	assert_string_equal(reach(&f).message, "why");
	f.refusal_kind = SUP_KIND_POLICY_REFUSED;
	assert_int_equal(reach(&f).kind, SUP_KIND_POLICY_REFUSED);
	f.refusal_kind = SUP_KIND_NETWORK_NOT_ALLOWED;
	assert_int_equal(reach(&f).kind, SUP_KIND_NETWORK_NOT_ALLOWED);
	assert_string_equal(reach(&f).message, "why");
}

/* What the host has seen stands, whatever was answered. */
static void
t_answer_cannot_turn_the_end(void **state)
{
	struct wire_done done = value_of("1");
	struct sup_facts f = facts(SUP_EVENT_WALL_OVER);

	(void)state;
	f.done = &done;
	assert_int_equal(reach(&f).kind, SUP_KIND_TIMEOUT);
	assert_int_equal(reach(&f).limit_hit, SUP_LIMIT_WALL);
	assert_false(reach(&f).has_value);
	f.cause = SUP_EVENT_CANCEL;
	assert_int_equal(reach(&f).kind, SUP_KIND_CANCELLED);
	f.cause = SUP_EVENT_EXHAUSTED;
	f.exhausted = SUP_LIMIT_RUN_CALLS;
	assert_int_equal(reach(&f).kind, SUP_KIND_BUDGET_EXHAUSTED);
	assert_int_equal(reach(&f).limit_hit, SUP_LIMIT_RUN_CALLS);
	assert_non_null(strstr(reach(&f).message, "run_calls"));
	assert_false(reach(&f).by_program || reach(&f).has_value);
	f.cause = SUP_EVENT_VIOLATION;
	f.violation = WIRE_ERR_WRONG_ID;
	f.violation_site = "call";
	f.violation_offset = 77;
	assert_int_equal(reach(&f).kind, SUP_KIND_PROTOCOL_VIOLATION);
	assert_non_null(strstr(reach(&f).message, "wrong_id"));
	assert_non_null(strstr(reach(&f).message, "77"));
	/* CPU time beyond the limit, although the signal was trapped. */
	f.cpu_ns = 2 * SECOND;
	assert_int_equal(reach(&f).kind, SUP_KIND_PROTOCOL_VIOLATION);
	f.cpu_ns = 2 * SECOND + 1;
	assert_int_equal(reach(&f).kind, SUP_KIND_TIMEOUT);
	assert_int_equal(reach(&f).limit_hit, SUP_LIMIT_CPU);
	f.cause = SUP_EVENT_DONE;
	assert_int_equal(reach(&f).kind, SUP_KIND_TIMEOUT);
	assert_int_equal(reach(&f).limit_hit, SUP_LIMIT_CPU);
	f.cpu_ns = 2 * SECOND;
	assert_int_equal(reach(&f).kind, SUP_KIND_NONE);
	/* Measured as less, and yet the kernel has sent the signal. */
	f.cpu_raised = true;
	assert_int_equal(reach(&f).kind, SUP_KIND_TIMEOUT);
}

static void
t_evidence_broken_withholds(void **state)
{
	struct wire_done done = value_of("1");
	struct sup_facts f = facts(SUP_EVENT_DONE);

	(void)state;
	f.done = &done;
	f.evidence_broken = true;
	assert_int_equal(reach(&f).kind, SUP_KIND_ISOLATION_UNAVAILABLE);
	assert_false(reach(&f).has_value);
}

/* Exit statuses that look like ours, and signals, are the program's own. */
static void
t_exits_without_answer(void **state)
{
	static const int codes[] = {0, 1, 3, 124, 125, 137};
	struct sup_facts f = facts(SUP_EVENT_EXITED);

	(void)state;
	f.exited = true;
	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
		f.wait_status = codes[i] << 8;
		assert_int_equal(reach(&f).kind, SUP_KIND_WORKER_EXIT);
		assert_int_equal(reach(&f).code, codes[i]);
		assert_int_equal(reach(&f).detail, SUP_EXIT_PLAIN);
	}
	f.wait_status = SIGKILL;
	assert_int_equal(reach(&f).kind, SUP_KIND_WORKER_EXIT);
	assert_int_equal(reach(&f).signal, SIGKILL);
	assert_int_equal(reach(&f).detail, SUP_EXIT_BY_SIGNAL);
	/* A SIGXCPU it sent itself is no timeout; one at the limit is, and so
	 * is the kernel's SIGKILL at the hard limit. */
	f.wait_status = SIGXCPU;
	f.cpu_ns = SECOND;
	assert_int_equal(reach(&f).kind, SUP_KIND_WORKER_EXIT);
	f.cpu_ns = 2 * SECOND - 1;
	assert_int_equal(reach(&f).kind, SUP_KIND_WORKER_EXIT);
	f.cpu_raised = true;
	assert_int_equal(reach(&f).kind, SUP_KIND_TIMEOUT);
	f.cpu_raised = false;
	/* Nothing is ever raised where the host's own hard limit is as low. */
	f.cpu_ns = SECOND * 3 / 2 - 1;
	f.cpu_at_hard = true;
	assert_int_equal(reach(&f).kind, SUP_KIND_WORKER_EXIT);
	f.cpu_ns = SECOND * 3 / 2;
	assert_int_equal(reach(&f).kind, SUP_KIND_TIMEOUT);
	f.cpu_at_hard = false;
	f.cpu_ns = 2 * SECOND;
	assert_int_equal(reach(&f).kind, SUP_KIND_TIMEOUT);
	f.wait_status = SIGKILL;
	assert_int_equal(reach(&f).kind, SUP_KIND_TIMEOUT);
	assert_false(reach(&f).by_program);
	f.wait_status = SIGSEGV;
	assert_int_equal(reach(&f).kind, SUP_KIND_WORKER_EXIT);
}

static void
t_failures_before_the_program(void **state)
{
	struct sup_facts f = facts(SUP_EVENT_FAILED);

	(void)state;
	f.ran = false;
	f.failed.stage = WIRE_STAGE_ROOT;
	f.failed.sys = 1;
	assert_int_equal(reach(&f).kind, SUP_KIND_ISOLATION_UNAVAILABLE);
	assert_non_null(strstr(reach(&f).message, "stage root"));
	f.failed.stage = WIRE_STAGE_EXEC;
	f.failed.sys = 2;
	assert_int_equal(reach(&f).kind, SUP_KIND_SETUP);
	assert_int_equal(reach(&f).detail, SUP_EXIT_NOT_FOUND);
	f.failed.sys = 13;
	assert_int_equal(reach(&f).detail, SUP_EXIT_NOT_EXECUTABLE);
	f.cause = SUP_EVENT_READY_LATE;
	assert_int_equal(reach(&f).kind, SUP_KIND_BACKEND_NOT_READY);
	f.cause = SUP_EVENT_EXITED;
	f.exited = true;
	f.wait_status = 125 << 8;
	f.early_text = "weir: stage seccomp failed: errno 22";
	assert_int_equal(reach(&f).kind, SUP_KIND_ISOLATION_UNAVAILABLE);
	assert_non_null(strstr(reach(&f).message, "stage seccomp"));
	f.wait_status = 1 << 8;
	assert_int_equal(reach(&f).kind, SUP_KIND_SETUP);
	f.cause = SUP_EVENT_GONE;
	f.exited = false;
	assert_int_equal(reach(&f).kind, SUP_KIND_SETUP);
}

/* The walk of an ordinary execution, and of one that must be stopped. */
static void
t_table_walks(void **state)
{
	static const struct {
		enum sup_exec_event event;
		enum sup_exec_state next;
		unsigned actions;
	} ordinary[] =
	    {
		{SUP_EVENT_READY, SUP_EXEC_RUNNING, SUP_DO_SEND_RUN},
		{SUP_EVENT_DONE, SUP_EXEC_KILLING, SUP_DO_HALT | SUP_DO_KILL},
		{SUP_EVENT_GONE, SUP_EXEC_SETTLING, SUP_DO_COLLECT},
		{SUP_EVENT_SETTLED, SUP_EXEC_FINISHED, SUP_DO_FINISH},
	    },
	  stopped[] = {
	      {SUP_EVENT_READY, SUP_EXEC_RUNNING, SUP_DO_SEND_RUN},
	      {SUP_EVENT_WALL_OVER, SUP_EXEC_STOPPING,
		  SUP_DO_HALT | SUP_DO_TERM},
	      {SUP_EVENT_DONE, SUP_EXEC_STOPPING, 0},
	      {SUP_EVENT_CANCEL, SUP_EXEC_STOPPING, 0},
	      {SUP_EVENT_EXHAUSTED, SUP_EXEC_STOPPING, 0},
	      {SUP_EVENT_GRACE_OVER, SUP_EXEC_KILLING, SUP_DO_KILL},
	      {SUP_EVENT_EXITED, SUP_EXEC_KILLING, 0},
	      {SUP_EVENT_GONE, SUP_EXEC_SETTLING, SUP_DO_COLLECT},
	      {SUP_EVENT_SETTLE_OVER, SUP_EXEC_FINISHED, SUP_DO_FINISH},
	  };
	enum sup_exec_state at = SUP_EXEC_STARTING;

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		struct sup_exec_step s = sup_exec_next(at, ordinary[i].event);

		assert_int_equal(s.next, ordinary[i].next);
		assert_int_equal(s.actions, ordinary[i].actions);
		at = s.next;
	}
	at = SUP_EXEC_STARTING;
	for (size_t i = 0; i < 9; i++) {
		struct sup_exec_step s = sup_exec_next(at, stopped[i].event);

		assert_int_equal(s.next, stopped[i].next);
		assert_int_equal(s.actions, stopped[i].actions);
		at = s.next;
	}
}

/* From every state every way ends, `run` is sent once and only after an
 * accepted report, and nothing leaves FINISHED. */
static void
t_table_properties(void **state)
{
	(void)state;
	for (size_t s = 0; s < SUP_EXEC_STATES; s++) {
		bool leaves = false;

		for (size_t e = 0; e < SUP_EXEC_EVENTS; e++) {
			struct sup_exec_step step = sup_exec_next(
			    (enum sup_exec_state)s, (enum sup_exec_event)e);

			assert_true(step.next >= (enum sup_exec_state)s);
			leaves = leaves || step.next != (enum sup_exec_state)s;
			if ((step.actions & SUP_DO_SEND_RUN) != 0)
				assert_true(s == SUP_EXEC_STARTING &&
				    e == SUP_EVENT_READY);
			/* Before there is a child, nothing is to be ended. */
			if (s == SUP_EXEC_GATHERING)
				continue;
			if (s < SUP_EXEC_STOPPING &&
			    step.next >= SUP_EXEC_STOPPING)
				assert_true((step.actions & SUP_DO_HALT) != 0);
			if (step.next == SUP_EXEC_SETTLING &&
			    s != SUP_EXEC_SETTLING)
				assert_true(e == SUP_EVENT_GONE);
		}
		assert_int_equal(leaves, s != SUP_EXEC_FINISHED);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(t_value_is_the_answer),
	    cmocka_unit_test(t_value_cap_is_exact),
	    cmocka_unit_test(t_claims_map_to_four_kinds),
	    cmocka_unit_test(t_refusals_have_their_kind),
	    cmocka_unit_test(t_answer_cannot_turn_the_end),
	    cmocka_unit_test(t_evidence_broken_withholds),
	    cmocka_unit_test(t_exits_without_answer),
	    cmocka_unit_test(t_failures_before_the_program),
	    cmocka_unit_test(t_table_walks),
	    cmocka_unit_test(t_table_properties),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
