/*
 * Target: which frame is allowed when (wire/session.h).
 *
 * The input is a sequence of steps, two bytes each and eight more for an id of
 * any value: what is received or sent, and which id it has. Properties,
 * against the table of PROTOCOL.md 6 written down a second time:
 *  - a step is taken or refused as there, with the word as there: a type of
 *    the wrong side, then the turn, then the id;
 *  - ids have no gap: the n-th accepted call has id n, and a reply goes to an
 *    id that was called;
 *  - a refused step leaves the session as it was, and nothing follows `done`
 *    or `abort`.
 */
#include "fuzz.h"

#include <string.h>

#include "wire/session.h"

struct model {
	const char *state;
	uint64_t calls;
	uint64_t replies;
};

/* --- the model ------------------------------------------------------------ */

static const char *
follows(const char *state, enum wire_msg_type type)
{
	static const char *const rows[][3] = {
	    {"new", "ready", "ready"},
	    {"ready", "run", "running"},
	    {"ready", "abort", "aborted"},
	    {"running", "call", "running"},
	    {"running", "done", "done"},
	    {"running", "reply", "running"},
	};
	const char *word = wire_msg_type_word(type);
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (strcmp(rows[i][0], state) == 0 &&
		    strcmp(rows[i][1], word) == 0)
			return rows[i][2];
	return NULL;
}

static enum wire_err
model_step(struct model *m, const struct wire_msg *msg)
{
	const char *next = follows(m->state, msg->type);

	if (next == NULL)
		return WIRE_ERR_OUT_OF_TURN;
	if (msg->type == WIRE_MSG_CALL && msg->u.call.id != m->calls)
		return WIRE_ERR_WRONG_ID;
	if (msg->type == WIRE_MSG_REPLY && msg->u.reply.id >= m->calls)
		return WIRE_ERR_BAD_FIELD;
	m->calls += msg->type == WIRE_MSG_CALL;
	m->replies += msg->type == WIRE_MSG_REPLY;
	m->state = next;
	return WIRE_OK;
}

static bool
is_childs(enum wire_msg_type type)
{
	const char *word = wire_msg_type_word(type);

	return strcmp(word, "ready") == 0 || strcmp(word, "call") == 0 ||
	    strcmp(word, "done") == 0;
}

/* --- the input ------------------------------------------------------------ */

static uint64_t
choose_id(struct wire_span *in, uint64_t next)
{
	switch (fuzz_byte(in) % 8) {
	case 0:
	case 1:
	case 2:
		return next;
	case 3:
		return next + 1;
	case 4:
		return next - 1; /* may be UINT64_MAX */
	case 5:
		return 0;
	case 6:
		return WIRE_MAX_ID;
	default:
		return fuzz_uint(in, 8);
	}
}

/* One step: what it is, and whether it is received and from whom. */
static void
step(struct wire_session *session, struct model *m, struct wire_span *in)
{
	const struct wire_session before = *session;
	uint8_t op = fuzz_byte(in);
	/* One more than there are, for a type that nobody knows. */
	struct wire_msg msg = {
	    .type = (enum wire_msg_type)(op % (WIRE_MSG_TYPES + 1))};
	bool received = op & 0x40, from_child = op & 0x80;
	enum wire_err err, want;
	uint64_t id = choose_id(in, m->calls);

	if (msg.type == WIRE_MSG_CALL)
		msg.u.call.id = id;
	else if (msg.type == WIRE_MSG_REPLY)
		msg.u.reply.id = id;
	if (received && is_childs(msg.type) != from_child)
		want = WIRE_ERR_OUT_OF_TURN;
	else
		want = model_step(m, &msg);
	err = received ? wire_session_receive(session, &msg, from_child)
		       : wire_session_step(session, &msg);
	FUZZ_REQUIRE(err == want);
	if (err != WIRE_OK)
		FUZZ_REQUIRE(session->state == before.state &&
		    session->next_id == before.next_id &&
		    session->replied == before.replied);
	FUZZ_REQUIRE(
	    strcmp(wire_session_state_word(session->state), m->state) == 0);
	FUZZ_REQUIRE(session->next_id == m->calls);
	FUZZ_REQUIRE(session->replied == m->replies);
}

/* The table itself, in the state that the session is in. */
static void
check_row(const struct wire_session *session, const struct model *m)
{
	unsigned type;

	for (type = 0; type <= WIRE_MSG_TYPES; type++) {
		enum wire_session_state next =
		    wire_session_next(session->state, (enum wire_msg_type)type);
		const char *want = follows(m->state, (enum wire_msg_type)type);

		FUZZ_REQUIRE((next == WIRE_SESSION_STATES) == (want == NULL));
		FUZZ_REQUIRE(want == NULL ||
		    strcmp(wire_session_state_word(next), want) == 0);
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wire_span in = {data, size};
	struct model m = {"new", 0, 0};
	struct wire_session session;

	wire_session_init(&session);
	check_row(&session, &m);
	while (in.len != 0) {
		step(&session, &m, &in);
		check_row(&session, &m);
	}
	return 0;
}
