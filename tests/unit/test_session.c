#include "wire_help.h"

#include "wire/session.h"

static const char *const states[] = {
    "new", "ready", "running", "done", "aborted"};

/* The whole table again, in words, so that a slip in either shows. */
static const struct {
	const char *state, *type, *next;
} allowed[] = {
    {"new", "ready", "ready"},
    {"ready", "run", "running"},
    {"ready", "abort", "aborted"},
    {"running", "call", "running"},
    {"running", "reply", "running"},
    {"running", "done", "done"},
};

static void
t_the_table(void **state)
{
	unsigned s, t;
	size_t i;

	(void)state;
	for (s = 0; s < WIRE_SESSION_STATES; s++) {
		const char *from =
		    wire_session_state_word((enum wire_session_state)s);

		assert_string_equal(from, states[s]);
		for (t = 0; t < WIRE_MSG_TYPES; t++) {
			const char *want = "unknown";

			for (i = 0; i < sizeof(allowed) / sizeof(allowed[0]);
			     i++) {
				if (strcmp(allowed[i].state, from) == 0 &&
				    strcmp(allowed[i].type,
					wire_msg_type_word(
					    (enum wire_msg_type)t)) == 0)
					want = allowed[i].next;
			}
			assert_string_equal(
			    wire_session_state_word(
				wire_session_next((enum wire_session_state)s,
				    (enum wire_msg_type)t)),
			    want);
		}
	}
	assert_int_equal(wire_session_next(WIRE_SESSION_STATES, WIRE_MSG_READY),
	    WIRE_SESSION_STATES);
	assert_int_equal(wire_session_next(WIRE_SESSION_NEW, WIRE_MSG_TYPES),
	    WIRE_SESSION_STATES);
}

static enum wire_err
step(struct wire_session *session, enum wire_msg_type type, uint64_t id)
{
	static struct wire_msg msg;

	memset(&msg, 0, sizeof(msg));
	msg.type = type;
	if (type == WIRE_MSG_CALL)
		msg.u.call.id = id;
	if (type == WIRE_MSG_REPLY)
		msg.u.reply.id = id;
	return wire_session_step(session, &msg);
}

static void
start(struct wire_session *session)
{
	wire_session_init(session);
	assert_int_equal(step(session, WIRE_MSG_READY, 0), WIRE_OK);
	assert_int_equal(step(session, WIRE_MSG_RUN, 0), WIRE_OK);
}

static void
t_ids_are_gapless(void **state)
{
	struct wire_session session, before;
	uint64_t id;

	(void)state;
	start(&session);
	for (id = 0; id < 5; id++) {
		before = session;
		assert_int_equal(
		    step(&session, WIRE_MSG_CALL, id + 1), WIRE_ERR_WRONG_ID);
		assert_int_equal(
		    step(&session, WIRE_MSG_CALL, id - 1), WIRE_ERR_WRONG_ID);
		assert_memory_equal(&session, &before, sizeof(session));
		assert_int_equal(step(&session, WIRE_MSG_CALL, id), WIRE_OK);
		assert_int_equal(session.next_id, id + 1);
	}
	assert_int_equal(step(&session, WIRE_MSG_CALL, 4), WIRE_ERR_WRONG_ID);
}

static void
t_replies_answer_calls_that_were_made(void **state)
{
	struct wire_session session;

	(void)state;
	start(&session);
	assert_int_equal(step(&session, WIRE_MSG_REPLY, 0), WIRE_ERR_BAD_FIELD);
	assert_int_equal(step(&session, WIRE_MSG_CALL, 0), WIRE_OK);
	assert_int_equal(step(&session, WIRE_MSG_CALL, 1), WIRE_OK);
	assert_int_equal(step(&session, WIRE_MSG_REPLY, 2), WIRE_ERR_BAD_FIELD);
	assert_int_equal(step(&session, WIRE_MSG_REPLY, 1), WIRE_OK);
	assert_int_equal(step(&session, WIRE_MSG_REPLY, 0), WIRE_OK);
	assert_int_equal(session.replied, 2);
}

static void
t_the_end_is_the_end(void **state)
{
	struct wire_session session;
	unsigned type;

	(void)state;
	start(&session);
	assert_int_equal(step(&session, WIRE_MSG_DONE, 0), WIRE_OK);
	for (type = 0; type < WIRE_MSG_TYPES; type++)
		assert_int_equal(step(&session, (enum wire_msg_type)type, 0),
		    WIRE_ERR_OUT_OF_TURN);
	assert_int_equal(session.state, WIRE_SESSION_DONE);

	wire_session_init(&session);
	assert_int_equal(step(&session, WIRE_MSG_READY, 0), WIRE_OK);
	assert_int_equal(step(&session, WIRE_MSG_ABORT, 0), WIRE_OK);
	for (type = 0; type < WIRE_MSG_TYPES; type++)
		assert_int_equal(step(&session, (enum wire_msg_type)type, 0),
		    WIRE_ERR_OUT_OF_TURN);
	assert_int_equal(session.state, WIRE_SESSION_ABORTED);
}

/* A child that sends what only the host may send is refused in any state. */
static void
t_nobody_speaks_for_the_other_side(void **state)
{
	struct wire_session session, before;
	struct wire_msg msg = {.type = WIRE_MSG_RUN};
	unsigned type;

	(void)state;
	wire_session_init(&session);
	assert_int_equal(step(&session, WIRE_MSG_READY, 0), WIRE_OK);
	before = session;
	assert_int_equal(
	    wire_session_receive(&session, &msg, true), WIRE_ERR_OUT_OF_TURN);
	assert_memory_equal(&session, &before, sizeof(session));
	assert_int_equal(wire_session_receive(&session, &msg, false), WIRE_OK);
	assert_int_equal(step(&session, WIRE_MSG_CALL, 0), WIRE_OK);
	msg.type = WIRE_MSG_REPLY;
	assert_int_equal(
	    wire_session_receive(&session, &msg, true), WIRE_ERR_OUT_OF_TURN);
	msg.type = WIRE_MSG_DONE;
	assert_int_equal(
	    wire_session_receive(&session, &msg, false), WIRE_ERR_OUT_OF_TURN);
	assert_int_equal(wire_session_receive(&session, &msg, true), WIRE_OK);
	for (type = 0; type < WIRE_MSG_TYPES; type++)
		assert_int_equal(wire_msg_is_childs((enum wire_msg_type)type),
		    type == WIRE_MSG_READY || type == WIRE_MSG_CALL ||
			type == WIRE_MSG_DONE);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(t_the_table),
	    cmocka_unit_test(t_ids_are_gapless),
	    cmocka_unit_test(t_replies_answer_calls_that_were_made),
	    cmocka_unit_test(t_the_end_is_the_end),
	    cmocka_unit_test(t_nobody_speaks_for_the_other_side),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
