/*
 * What becomes of a result that has arrived: charged, checked, and then
 * delivered whole, kept for a handle, or refused (B2, B6).
 *
 * For bindings/session.c; nobody else includes this. Threads: the loop's.
 */
#ifndef BIND_RESULT_H
#define BIND_RESULT_H

#include "bindings/pending.h"
#include "bindings/text.h"

/* Charges what a tool gave, delivered or not. BUDGET_SPENT. */
enum wire_tool_kind bind_result_charge(
    const struct bind_pending *call, uint64_t bytes);

/*
 * Charges and checks a value. *outcome becomes an error, worded in *text, when
 * it cannot be delivered, and call->kept is set where it is kept instead.
 */
void bind_result_judge(struct bind_pending *call, struct bind_outcome *outcome,
    struct bind_text *text);

#endif
