/*
 * The tool side of one execution: every call goes through here (B1).
 *
 * Owns: the gate, the budget, the calls that wait and those that run. Takes
 * calls whose ids the protocol's session has checked; answers each exactly
 * once through `reply`, in any order, until the session is freed. Dispatches
 * in id order, at most limits.in_flight at a time; a slot is taken until the
 * provider has nothing left of the call. Waiting calls are copied; the byte and
 * call budgets bound them. A result that is over limits.result_bytes is kept in
 * the session's store and answered with a handle, while limits.kept_bytes has
 * room for it.
 *
 * How an execution ends: bind_session_halt when the end is decided (nothing
 * more is dispatched, waiting calls are refused), bind_session_close to cancel
 * what runs, then turns of the loop until bind_session_is_empty, or until
 * patience ends; bind_session_free records what is left as unknown. Read the
 * record's list after that.
 *
 * One thread, the loop's. reply() may call pause, resume, halt and close, and
 * nothing else of this header that is not a query.
 */
#ifndef BIND_SESSION_H
#define BIND_SESSION_H

#include "bindings/budget.h"
#include "bindings/catalogue.h"
#include "bindings/gate.h"
#include "bindings/loop.h"
#include "bindings/record.h"
#include "wire/msg.h"

/* A result that is kept (bindings/store.h). */
struct bind_reply_handle {
	struct wire_span token;
	uint64_t size;
	struct wire_span preview; /* text */
};

/* An answer. Spans are good until the callback returns. */
struct bind_reply {
	uint64_t id;
	enum wire_tool_kind kind; /* NONE: handle, or else value */
	const struct bind_reply_handle *handle; /* NULL: there is none */
	struct wire_span value;	  /* scanned JSON without outer white space */
	struct wire_span message; /* any bytes; ends with the kind's guidance */
	bool hard;
};

struct bind_session_config {
	struct bind_limits limits;
	const struct bind_catalogue *catalogue; /* outlives the session */
	const struct bind_loop *loop;		/* likewise */
	/* Names: of the catalogue's tools only these are offered. NULL: all.
	 * Read by bind_session_new, and not kept. */
	const struct wire_span *only;
	size_t only_count;
	struct bind_record record; /* its arg likewise */
	uint64_t seed; /* unpredictable: keys the table that finds duplicates */
	void (*reply)(void *arg, const struct bind_reply *reply);
	/* Calls have begun to run, from whatever caller: the deadline may be
	 * another. NULL: nobody wants to know. */
	void (*dispatched)(void *arg);
	/* NULL: a record is safe when it is written. Otherwise one has been
	 * written, and bind_session_safe is due, later and not from inside:
	 * once for all calls that were recorded until then. */
	void (*recorded)(void *arg);
	/* A meter has been found spent, for the first time; before the call
	 * that met it is recorded and answered. NULL: nobody wants to know. */
	void (*exhausted)(void *arg, enum bind_meter meter);
	void *reply_arg; /* of all three */
};

struct bind_session;

/* BAD_ARGUMENT as bind_limits_check, or NO_MEMORY. Offers what the catalogue
 * holds now. */
WIRE_MUST_USE enum wire_err bind_session_new(
    const struct bind_session_config *config, struct bind_session **ret_session,
    struct wire_errinfo *info);

/* As close; what the providers cannot end at once is abandoned and recorded as
 * unknown. No reply is made any more, and the meters are final. */
void bind_session_abandon(struct bind_session *session);

/* NULL is fine. As abandon, before. */
void bind_session_free(struct bind_session *session);

/* A call frame. The reply may come from inside. *call is not kept. */
void bind_session_call(
    struct bind_session *session, const struct wire_call *call);

/*
 * The end is decided, and why: waiting and later calls are refused with this
 * kind (normally CANCELLED). The first kind stays. What runs goes on.
 */
void bind_session_halt(struct bind_session *session, enum wire_tool_kind kind);

/* As halt with CANCELLED, and cancels what runs. */
void bind_session_close(struct bind_session *session);

/* Calls that are recorded, and are not dispatched because nobody has said that
 * their records are safe. */
size_t bind_session_recorded(const struct bind_session *session);
/* The records of the first so many of them are safe, and they are dispatched;
 * or cannot be made safe, and they are answered NOT_RECORDED. */
void bind_session_safe(
    struct bind_session *session, size_t count, bool is_safe);

/* Backpressure (S12): while paused nothing new is dispatched. */
void bind_session_pause(struct bind_session *session);
void bind_session_resume(struct bind_session *session);

/* CLOCK_MONOTONIC ns of the next timeout; UINT64_MAX when there is none. */
uint64_t bind_session_deadline(const struct bind_session *session);
/* Cancels what has run for longer than its tool time, and everything when the
 * time of all calls is over. */
void bind_session_tick(struct bind_session *session, uint64_t now_ns);

/* Nothing waits and no provider holds anything: no process, no descriptor. */
bool bind_session_is_empty(const struct bind_session *session);

enum bind_gate_state bind_session_gate(const struct bind_session *session);
/* Meters, limits and, when HALTED, the meter that was spent. */
const struct bind_budget *bind_session_budget(
    const struct bind_session *session);
/* Tools that may be offered: those of the catalogue with a lower index. */
size_t bind_session_offered(const struct bind_session *session);
/* Whether this tool of the catalogue is offered, at this moment. */
bool bind_session_offers(
    const struct bind_session *session, const struct bind_tool *tool);

#endif
