/*
 * What answers a tool call, as an interface.
 *
 * A session starts a call, a provider ends it: `done` exactly once with the
 * outcome, then `gone` exactly once, when the provider holds nothing of the
 * call any more (no process, descriptor, watch or memory) and will not touch
 * its bind_job again. Both may come from inside start() and cancel(), or later
 * from the loop. `gone` may come right after `done`, or long after it: a
 * command has answered before its guardian has swept up.
 *
 * A provider never judges what it delivers: whether a result is JSON, and
 * whether it fits the budgets, is decided in one place, the session.
 */
#ifndef BIND_PROVIDER_H
#define BIND_PROVIDER_H

#include "bindings/loop.h"
#include "wire/kinds.h"
#include "wire/span.h"

/* Largest message of an outcome; longer ones are cut. */
#define BIND_MESSAGE_MAX 2048

/*
 * Bytes beyond result_max that a provider may read before it gives up, so
 * that white space around a value costs nothing. The session, which trims it,
 * holds the value itself to the exact limit.
 */
#define BIND_RESULT_SLACK (64 * WIRE_KIB)

/* Spans are good until done() returns. */
struct bind_outcome {
	enum wire_tool_kind kind; /* NONE: value holds what came back */
	struct wire_span value;	  /* else what had come of it, to be metered */
	size_t dropped; /* bytes that came besides, of another kind than NONE */
	struct wire_span message; /* any bytes; about this call, no guidance */
	/* The end of the work was seen, so nothing of it can happen later.
	 * False makes the call `unknown`, whatever its kind (B5). */
	bool end_seen;
};

/* One started call. The session owns it and fills all but `state`. */
struct bind_job {
	uint64_t id;
	struct wire_span tool;	    /* its name */
	struct wire_span arguments; /* a JSON object; good until gone() */
	uint64_t deadline_ns;	    /* for information: cancel() comes anyway */
	uint64_t abandon_ns;	    /* until when abandon() may wait */
	size_t result_max;
	/*
	 * What a provider asks that holds more than `held` bytes of a result:
	 * up to how many it may hold, 0 when it has to stop (with the kind
	 * `over`). SECURITY: so what all results together take is bounded
	 * while they arrive, and not only when they have.
	 */
	size_t (*more)(struct bind_job *job, size_t held);
	enum wire_tool_kind over;
	const struct bind_loop *loop;
	void (*done)(struct bind_job *job, const struct bind_outcome *outcome);
	void (*gone)(struct bind_job *job);
	void *state; /* the provider's */
};

struct bind_provider {
	const char *name; /* for messages: "command", "callback" */
	/*
	 * Whether a call may be made at all, by its arguments alone: NONE, or
	 * the kind of the refusal and in *ret_words why, a static text. It is
	 * asked before the call is recorded as started, and has no effect: what
	 * it refuses was never dispatched, and is recorded so. May be NULL.
	 */
	enum wire_tool_kind (*admit)(void *tool_data,
	    struct wire_span arguments, const char **ret_words);
	/* tool_data is the tool's, from the catalogue. A start that fails is a
	 * done() of kind UNREACHABLE followed by gone(). */
	void (*start)(void *tool_data, struct bind_job *job);
	/*
	 * The session has no more use for the call. At most once, and only
	 * before done(). Done follows as soon as the provider knows the work
	 * to be over, normally with this kind (TIMED_OUT, CANCELLED, or
	 * BUDGET_SPENT: the time of all calls is over); a provider that cannot
	 * know says so at once with end_seen false.
	 */
	void (*cancel)(struct bind_job *job, enum wire_tool_kind kind);
	/*
	 * Last resort at teardown: release everything, without calling done or
	 * gone, and waiting until abandon_ns at most, which is one time for all
	 * calls that are abandoned together.
	 */
	void (*abandon)(struct bind_job *job);
	/* Frees the data of one tool; no job of it is left. May be NULL. */
	void (*release)(void *tool_data);
};

#endif
