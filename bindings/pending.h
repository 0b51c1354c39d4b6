/*
 * One call on its way through a session, and the session's inside.
 *
 * For bindings/session.c, which keeps the lists and the window,
 * bindings/pending.c, which takes a call through its table,
 * bindings/result.c, which judges what it gave, and bindings/builtin.c, whose
 * tools are the session's own. Nobody else includes this.
 */
#ifndef BIND_PENDING_H
#define BIND_PENDING_H

#include <bsd/sys/queue.h>

#include "bindings/builtin.h"
#include "bindings/json_check.h"
#include "bindings/session.h"
#include "bindings/store.h"

struct bind_pending {
	TAILQ_ENTRY(bind_pending) link;
	struct bind_session *session;
	const struct bind_tool *tool; /* NULL until admitted */
	const char *words;	      /* of its provider, who refused it */
	enum bind_call_state state;
	enum wire_tool_kind kind;
	struct wire_span name;
	uint64_t argument_bytes;
	uint64_t result_bytes;
	size_t held; /* claimed of what can be kept, while it arrives */
	const struct bind_kept *kept; /* instead of a value */
	uint64_t started_ns;
	uint64_t ns;			    /* from there to its end */
	bool is_ending;			    /* on that list */
	const struct bind_outcome *outcome; /* while it is being finished */
	struct bind_job job;
	uint8_t arguments[]; /* of calls on a list */
};

TAILQ_HEAD(bind_pending_list, bind_pending);

struct bind_session {
	struct bind_session_config config;
	struct bind_budget budget;
	enum bind_gate_state gate;
	enum wire_tool_kind shut; /* what a shut gate answers */
	size_t offered;
	bool *chosen; /* by a tool's index; NULL: all are */
	struct bind_pending_list waiting, recorded, running, ending;
	uint32_t in_flight; /* length of the last three */
	/* Calls that were started and have no outcome: how many, and the sum
	 * of their starts as ns since the session began. */
	uint64_t live, live_sum, began_ns;
	bool paused;
	bool pumping;
	bool muted; /* being freed */
	struct bind_json_check check;
	struct bind_store store;
	uint64_t held; /* of what can be kept: claimed by calls */
	struct bind_builtin builtin;
};

/*
 * Takes a call through its table until it waits for something outside (false:
 * it may be gone already) or has come to its end (true: it is the caller's).
 */
bool bind_pending_advance(
    struct bind_pending *call, enum bind_call_event event);

/* A meter has been found spent. */
void bind_session_spend(struct bind_session *session);

#endif
