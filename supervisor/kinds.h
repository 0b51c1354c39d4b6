/*
 * The kinds of an outcome (S9): a closed set, each with its word and the
 * guidance that a result carries beside it.
 *
 * Owns: constant tables. The words appear in results and in the manual and do
 * not change. NONE is the kind of an execution that ended well; it has no
 * word, since `error` is null then.
 *
 * Threads: pure.
 */
#ifndef SUP_KINDS_H
#define SUP_KINDS_H

#include "wire/span.h"

/* X(constant, word, guidance: what to do next) */
#define SUP_KINDS(X)                                                           \
	X(EXCEPTION, "exception",                                              \
	    "The program raised. Read the traceback, correct the program and " \
	    "run it again; calls already made are not undone.")                \
	X(TIMEOUT, "timeout",                                                  \
	    "The program used up its time. Do less in one execution, wait "    \
	    "for nothing, or ask the operator for a higher cpu or wall "       \
	    "limit.")                                                          \
	X(STEP_BUDGET, "step_budget",                                          \
	    "The program executed too many instructions. Look for a loop "     \
	    "that does not end, or let library code do the work.")             \
	X(MEMORY, "memory",                                                    \
	    "The program used too much memory. Work on smaller pieces or "     \
	    "stream them instead of keeping everything.")                      \
	X(DISK, "disk",                                                        \
	    "The program wrote too much to its workspace. Remove files that "  \
	    "are no longer needed, or write less.")                            \
	X(WORKER_EXIT, "worker_exit",                                          \
	    "The program's process ended without an answer. Return a value "   \
	    "or raise instead of exiting; a signal points to a crash.")        \
	X(INVALID_VALUE, "invalid_value",                                      \
	    "JSON cannot carry the value. Convert the part that the message "  \
	    "names, for example to text, a list or a dict with text keys.")    \
	X(OUTPUT_LIMIT, "output_limit",                                        \
	    "The value is larger than its limit. Return a summary or a part "  \
	    "of it.")                                                          \
	X(PROTOCOL_VIOLATION, "protocol_violation",                            \
	    "The program wrote to the channel that carries tool calls. Leave " \
	    "descriptor 3 alone and call tools by their functions.")           \
	X(BUDGET_EXHAUSTED, "budget_exhausted",                                \
	    "The budget for tool calls is spent. Make fewer or smaller "       \
	    "calls.")                                                          \
	X(CANCELLED, "cancelled",                                              \
	    "The execution was cancelled from outside. Run it again if the "   \
	    "answer is still wanted.")                                         \
	X(POLICY_REFUSED, "policy_refused",                                    \
	    "The operator's policy does not permit this. Ask for less, or "    \
	    "ask the operator.")                                               \
	X(ISOLATION_UNAVAILABLE, "isolation_unavailable",                      \
	    "The confinement that was asked for cannot be had, so nothing "    \
	    "was run or its answer is withheld. The operator has to look at "  \
	    "the step that the message names.")                                \
	X(NETWORK_NOT_ALLOWED, "network_not_allowed",                          \
	    "The network is not granted. Get the data through a tool.")        \
	X(BACKEND_NOT_READY, "backend_not_ready",                              \
	    "The child did not report in time. Try once more; the operator "   \
	    "should look at the load of the host.")                            \
	X(PROVIDER_ERROR, "provider_error",                                    \
	    "A provider of tools cannot be used. The operator has to look at " \
	    "its configuration.")                                              \
	X(ARTIFACTS_UNAVAILABLE, "artifacts_unavailable",                      \
	    "Files of the program could not be collected. Return the data as " \
	    "the value instead.")                                              \
	X(SETUP, "setup",                                                      \
	    "The execution could not be prepared on this host. The operator "  \
	    "has to look at what the message names.")

enum sup_kind {
	SUP_KIND_NONE = 0,
#define X(name, word, guidance) SUP_KIND_##name,
	SUP_KINDS(X)
#undef X
	    SUP_KIND_COUNT
};

/* Static strings; "" for NONE. */
const char *sup_kind_word(enum sup_kind kind);
const char *sup_kind_guidance(enum sup_kind kind);

/* NONE when there is no such kind. */
enum sup_kind sup_kind_from(struct wire_span word);

#endif
