#include "wire/session.h"

/*
 * A cell that is not named is 0, which is NEW: no frame ever leads back
 * there, so 0 stands for "not allowed".
 */
_Static_assert(WIRE_SESSION_NEW == 0, "the empty cell");

static const enum wire_session_state
    table[WIRE_SESSION_STATES][WIRE_MSG_TYPES] = {
	[WIRE_SESSION_NEW] = {[WIRE_MSG_READY] = WIRE_SESSION_READY},
	[WIRE_SESSION_READY] =
	    {
		[WIRE_MSG_RUN] = WIRE_SESSION_RUNNING,
		[WIRE_MSG_ABORT] = WIRE_SESSION_ABORTED,
	    },
	[WIRE_SESSION_RUNNING] =
	    {
		[WIRE_MSG_CALL] = WIRE_SESSION_RUNNING,
		[WIRE_MSG_REPLY] = WIRE_SESSION_RUNNING,
		[WIRE_MSG_DONE] = WIRE_SESSION_DONE,
	    },
};

static const char *const words[WIRE_SESSION_STATES] = {
    [WIRE_SESSION_NEW] = "new",
    [WIRE_SESSION_READY] = "ready",
    [WIRE_SESSION_RUNNING] = "running",
    [WIRE_SESSION_DONE] = "done",
    [WIRE_SESSION_ABORTED] = "aborted",
};

const char *
wire_session_state_word(enum wire_session_state state)
{
	return (unsigned)state < WIRE_SESSION_STATES ? words[state] : "unknown";
}

void
wire_session_init(struct wire_session *session)
{
	*session = (struct wire_session){.state = WIRE_SESSION_NEW};
}

enum wire_session_state
wire_session_next(enum wire_session_state state, enum wire_msg_type type)
{
	enum wire_session_state next = WIRE_SESSION_NEW;

	if ((unsigned)state < WIRE_SESSION_STATES &&
	    (unsigned)type < WIRE_MSG_TYPES)
		next = table[state][type];
	return next == WIRE_SESSION_NEW ? WIRE_SESSION_STATES : next;
}

enum wire_err
wire_session_step(struct wire_session *session, const struct wire_msg *msg)
{
	enum wire_session_state next;

	next = wire_session_next(session->state, msg->type);
	if (next == WIRE_SESSION_STATES)
		return WIRE_ERR_OUT_OF_TURN;
	if (msg->type == WIRE_MSG_CALL) {
		if (msg->u.call.id != session->next_id)
			return WIRE_ERR_WRONG_ID;
		session->next_id++;
	} else if (msg->type == WIRE_MSG_REPLY) {
		/* Which calls still wait is known to whoever made them. */
		if (msg->u.reply.id >= session->next_id)
			return WIRE_ERR_BAD_FIELD;
		session->replied++;
	}
	session->state = next;
	return WIRE_OK;
}

enum wire_err
wire_session_receive(
    struct wire_session *session, const struct wire_msg *msg, bool from_child)
{
	if (wire_msg_is_childs(msg->type) != from_child)
		return WIRE_ERR_OUT_OF_TURN;
	return wire_session_step(session, msg);
}
