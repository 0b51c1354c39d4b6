/*
 * The wording of tool errors, as the program reads it in ToolError.
 *
 * Every message is `NAME: what happened. Guidance`. NAME is what the program
 * called, escaped. Pure.
 */
#ifndef BIND_MESSAGE_H
#define BIND_MESSAGE_H

#include "bindings/budget.h"
#include "bindings/provider.h"
#include "bindings/text.h"

/* Room for a whole message: an escaped name, what happened, guidance. */
#define BIND_MESSAGE_WHOLE (4 * WIRE_MAX_TOOL_NAME + BIND_MESSAGE_MAX + 512)

/* The whole message. what: any bytes, cut at BIND_MESSAGE_MAX; its final full
 * stop, if any, is not doubled. */
void bind_message_whole(struct bind_text *text, struct wire_span name,
    enum wire_tool_kind kind, struct wire_span what);

/* What happened, for the kinds that are decided here and not by a provider;
 * numbers come from the budget. */
void bind_message_refused(struct bind_text *text, enum wire_tool_kind kind,
    const struct bind_budget *budget, uint64_t argument_bytes);

/* What happened, for a result that is too large to be delivered or kept. */
void bind_message_not_kept(
    struct bind_text *text, enum wire_err err, uint64_t size, uint64_t max);

/* What happened, for a result that is not JSON. */
void bind_message_not_json(
    struct bind_text *text, enum wire_err err, size_t offset);

#endif
