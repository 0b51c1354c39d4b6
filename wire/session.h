/*
 * Which frame is allowed when: one state-by-event table for each side.
 *
 * Owns: the state and the id of the next call; nothing else is kept, since
 * ids are gapless (W6). A message that the state does not allow is
 * WIRE_ERR_OUT_OF_TURN; a call whose id is not the exact successor is
 * WIRE_ERR_WRONG_ID. Pure.
 */
#ifndef WIRE_SESSION_H
#define WIRE_SESSION_H

#include "wire/err.h"
#include "wire/msg.h"

enum wire_session_state {
	WIRE_SESSION_NEW,     /* nothing seen: `ready` is next */
	WIRE_SESSION_READY,   /* the host decides: `run` or `abort` is next */
	WIRE_SESSION_RUNNING, /* `call`, `reply`, `done` */
	WIRE_SESSION_DONE,    /* the answer is in; nothing more is read */
	WIRE_SESSION_ABORTED,
	WIRE_SESSION_STATES
};

struct wire_session {
	enum wire_session_state state;
	uint64_t next_id; /* of the next call */
	uint64_t replied; /* number of replies */
};

const char *wire_session_state_word(enum wire_session_state state);

void wire_session_init(struct wire_session *session);

/* The table itself, for tests and documentation: the next state, or
 * WIRE_SESSION_STATES where the frame is not allowed. The same table serves
 * both sides: who may send a type is part of the type. */
enum wire_session_state wire_session_next(
    enum wire_session_state state, enum wire_msg_type type);

/* Moves on by one message that was received or is being sent; for calls also
 * checks and advances the id. Unchanged on failure. */
WIRE_MUST_USE enum wire_err wire_session_step(
    struct wire_session *session, const struct wire_msg *msg);

/*
 * The same for a message that was received: a type that only this side may
 * send is WIRE_ERR_OUT_OF_TURN whatever the state. from_child: the peer is
 * the child.
 */
WIRE_MUST_USE enum wire_err wire_session_receive(
    struct wire_session *session, const struct wire_msg *msg, bool from_child);

#endif
