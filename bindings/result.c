#include "bindings/result.h"

#include "bindings/message.h"

/* A result that is too large to deliver, and JSON: kept whole, or refused. */
static void
keep_value(struct bind_pending *call, struct wire_span value,
    struct bind_outcome *outcome, struct bind_text *text)
{
	struct bind_session *session = call->session;
	struct wire_errinfo info = {"", 0, 0};
	enum wire_err err = WIRE_ERR_NO_SPACE;

	/* What other calls hold on their way is spoken for. */
	if (value.len <= BIND_MAX_RESULT &&
	    value.len + session->held <= bind_store_left(&session->store))
		err =
		    bind_store_put(&session->store, value, &call->kept, &info);
	if (err == WIRE_OK)
		return;
	outcome->kind = WIRE_TOOL_RESULT_NOT_PAGED;
	bind_message_not_kept(text, err, value.len, session->store.max);
}

/* B6: whole, or a handle. A window of what is kept is not kept again. */
static bool
is_kept(const struct bind_pending *call, size_t len)
{
	return len > call->session->config.limits.result_bytes &&
	    call->session->store.max > 0 && !bind_builtin_is(call->tool);
}

/*
 * SECURITY: what has arrived is charged before anybody looks at what it is, so
 * that results which are refused cost as much as others. What the session's own
 * tools give is a part of what others gave.
 */
enum wire_tool_kind
bind_result_charge(const struct bind_pending *call, uint64_t bytes)
{
	struct bind_session *session = call->session;
	const struct bind_record *record = &session->config.record;

	if (bind_builtin_is(call->tool))
		return WIRE_TOOL_NONE;
	/* While the tool ran others of the Run may have spent it. */
	if (session->budget.has_run && record->look != NULL)
		session->budget.has_run =
		    record->look(record->arg, &session->budget.run);
	return bind_budget_charge_produced(&session->budget, bytes);
}

void
bind_result_judge(struct bind_pending *call, struct bind_outcome *outcome,
    struct bind_text *text)
{
	struct bind_session *session = call->session;
	struct wire_span value = bind_json_trim(outcome->value);
	struct wire_errinfo info = {"", 0, 0};
	enum wire_err err;

	call->result_bytes = value.len;
	outcome->kind = bind_result_charge(call, value.len);
	if (outcome->kind == WIRE_TOOL_NONE && !is_kept(call, value.len))
		outcome->kind =
		    bind_budget_charge_result(&session->budget, value.len);
	if (outcome->kind != WIRE_TOOL_NONE) {
		if (outcome->kind == WIRE_TOOL_BUDGET_SPENT)
			bind_session_spend(session);
		bind_message_refused(text, outcome->kind, &session->budget, 0);
		return;
	}
	err = bind_json_check_value(&session->check, value, &info);
	if (err != WIRE_OK) {
		outcome->kind = WIRE_TOOL_FAILED;
		bind_message_not_json(text, err,
		    info.offset + (size_t)(value.p - outcome->value.p));
		return;
	}
	outcome->value = value;
	if (is_kept(call, value.len))
		keep_value(call, value, outcome, text);
}
