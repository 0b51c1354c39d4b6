/*
 * The closed sets of error kinds that travel in frames.
 *
 * wire_tool_kind: why a tool call failed or was refused (W9, B11); travels in
 * `reply`. wire_claim_kind: what a child may say of its own program (S10);
 * travels in `done`. Pure.
 */
#ifndef WIRE_KINDS_H
#define WIRE_KINDS_H

#include "wire/span.h"

/* X(constant, word) */
#define WIRE_TOOL_KINDS(X)                                                     \
	X(POLICY_REFUSED, "policy_refused")                                    \
	X(NOT_OFFERED, "not_offered")                                          \
	X(FAILED, "failed")                                                    \
	X(UNREACHABLE, "unreachable")                                          \
	X(TIMED_OUT, "timed_out")                                              \
	X(CANCELLED, "cancelled")                                              \
	X(BUDGET_SPENT, "budget_spent")                                        \
	X(NOT_RECORDED, "not_recorded")                                        \
	X(APPROVAL_REQUIRED, "approval_required")                              \
	X(INPUT_REQUIRED, "input_required")                                    \
	X(ARGUMENTS_TOO_LARGE, "arguments_too_large")                          \
	X(RESULT_TOO_LARGE, "result_too_large")                                \
	X(RESULT_NOT_PAGED, "binding_result_not_paged")                        \
	X(HANDLE_NOT_YOURS, "handle_not_yours")                                \
	X(PATH_TRAVERSAL, "path_traversal")                                    \
	X(FS_READ_DENIED, "fs_read_denied")                                    \
	X(FS_WRITE_DENIED, "fs_write_denied")                                  \
	X(NOT_FOUND, "not_found")                                              \
	X(EGRESS_DENIED, "egress_denied")

enum wire_tool_kind {
	WIRE_TOOL_NONE = 0,
#define X(name, word) WIRE_TOOL_##name,
	WIRE_TOOL_KINDS(X)
#undef X
	    WIRE_TOOL_KIND_COUNT
};

#define WIRE_CLAIM_KINDS(X)                                                    \
	X(EXCEPTION, "exception")                                              \
	X(INVALID_VALUE, "invalid_value")                                      \
	X(WORKER_EXIT, "worker_exit")                                          \
	X(STEP_BUDGET, "step_budget")

enum wire_claim_kind {
	WIRE_CLAIM_NONE = 0,
#define X(name, word) WIRE_CLAIM_##name,
	WIRE_CLAIM_KINDS(X)
#undef X
	    WIRE_CLAIM_KIND_COUNT
};

/* The word of a kind; "" for NONE. Static strings. */
const char *wire_tool_kind_word(enum wire_tool_kind kind);
const char *wire_claim_kind_word(enum wire_claim_kind kind);

/* The kind of a word; NONE when there is none. */
enum wire_tool_kind wire_tool_kind_from(struct wire_span word);
enum wire_claim_kind wire_claim_kind_from(struct wire_span word);

#endif
