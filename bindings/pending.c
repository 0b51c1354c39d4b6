/*
 * The pipeline of B1, performed: bindings/gate.h says what comes next, the
 * functions here do it. Nothing but bind_pending_advance decides an order.
 */
#include "bindings/pending.h"

#include <stdlib.h>
#include <string.h>

#include "bindings/kinds.h"
#include "bindings/message.h"

static uint64_t
now_ns(const struct bind_session *session)
{
	return session->config.loop->now_ns(session->config.loop->arg);
}

/* --- recording ---------------------------------------------------------- */

static struct bind_record_entry
describe(const struct bind_pending *call)
{
	struct bind_record_entry entry = {
	    .id = call->job.id,
	    .tool = call->name,
	    .state = call->state,
	    .kind = call->kind,
	    .argument_bytes = call->argument_bytes,
	    .result_bytes = call->result_bytes,
	    .arguments = call->job.arguments,
	};

	entry.ns = call->ns;
	if (call->state == BIND_CALL_COMPLETED)
		entry.result = call->outcome->value;
	return entry;
}

static enum wire_err
record_end(struct bind_pending *call)
{
	const struct bind_record *record = &call->session->config.record;
	struct bind_record_entry entry = describe(call);

	return record->ended(record->arg, &entry);
}

/* The records of others are seen whenever one is written. */
static void
look_at_run(struct bind_session *session)
{
	const struct bind_record *record = &session->config.record;

	if (record->run != NULL)
		session->budget.has_run =
		    record->run(record->arg, &session->budget.run);
}

/* --- replying ----------------------------------------------------------- */

static void
reply_error(
    struct bind_pending *call, enum wire_tool_kind kind, struct wire_span what)
{
	const struct bind_session_config *config = &call->session->config;
	uint8_t whole[BIND_MESSAGE_WHOLE];
	struct bind_text text;

	bind_text_init(&text, whole, sizeof(whole));
	bind_message_whole(&text, call->name, kind, what);
	config->reply(config->reply_arg,
	    &(struct bind_reply){
		.id = call->job.id,
		.kind = kind,
		.message = bind_text_span(&text),
		.hard = bind_kind_is_hard(kind),
	    });
}

/* An error that the session itself decided on. */
static void
reply_refusal(struct bind_pending *call, enum wire_tool_kind kind)
{
	uint8_t buf[256];
	struct bind_text text;

	bind_text_init(&text, buf, sizeof(buf));
	bind_message_refused(
	    &text, kind, &call->session->budget, call->argument_bytes);
	reply_error(call, kind, bind_text_span(&text));
}

static void
reply_handle(struct bind_pending *call)
{
	const struct bind_session_config *config = &call->session->config;
	const struct bind_kept *kept = call->kept;
	struct bind_reply_handle handle = {
	    .token = {(const uint8_t *)kept->token, BIND_TOKEN_LEN},
	    .size = kept->size,
	    .preview = bind_kept_preview(kept),
	};

	config->reply(config->reply_arg,
	    &(struct bind_reply){.id = call->job.id, .handle = &handle});
}

static void
start_clock(struct bind_pending *call)
{
	struct bind_session *session = call->session;

	session->live++;
	session->live_sum += call->started_ns - session->began_ns;
}

static void
stop_clock(struct bind_pending *call)
{
	struct bind_session *session = call->session;

	call->ns = now_ns(session) - call->started_ns;
	session->live--;
	session->live_sum -= call->started_ns - session->began_ns;
	bind_budget_charge_time(&session->budget, call->ns);
}

/*
 * The last step of every call: the record of its end, then the reply.
 * SECURITY: a result whose end could not be recorded is not delivered, so the
 * program never acts on something that the record cannot account for.
 */
static void
finish(struct bind_pending *call)
{
	const struct bind_session_config *config = &call->session->config;
	enum wire_err err;

	if (call->state == BIND_CALL_REFUSED && call->kind == WIRE_TOOL_NONE)
		call->kind = call->session->shut;
	if (call->state != BIND_CALL_REFUSED)
		stop_clock(call);
	err = record_end(call);
	look_at_run(call->session);
	if (err != WIRE_OK && call->kept != NULL)
		bind_store_drop(&call->session->store, call->kept);
	call->session->budget.kept = call->session->store.used;
	if (call->session->muted)
		return;
	if (call->state == BIND_CALL_REFUSED && call->words != NULL)
		reply_error(call, call->kind,
		    (struct wire_span){
			(const uint8_t *)call->words, strlen(call->words)});
	else if (call->state == BIND_CALL_REFUSED)
		reply_refusal(call, call->kind);
	else if (err != WIRE_OK)
		reply_refusal(call, WIRE_TOOL_NOT_RECORDED);
	else if (call->state != BIND_CALL_COMPLETED)
		reply_error(call, call->kind, call->outcome->message);
	else if (call->kept != NULL)
		reply_handle(call);
	else
		config->reply(config->reply_arg,
		    &(struct bind_reply){
			.id = call->job.id, .value = call->outcome->value});
}

/* --- the other actions; each answers with the event that follows -------- */

void
bind_session_spend(struct bind_session *session)
{
	const struct bind_session_config *config = &session->config;

	if (session->gate != BIND_GATE_RUNNING)
		return;
	session->shut = WIRE_TOOL_BUDGET_SPENT;
	session->gate = bind_gate_next(session->gate, BIND_GATE_SPEND);
	/* SECURITY: where this is the end, it is decided before the call is
	 * answered: the program does nothing on the strength of it. */
	if (config->exhausted != NULL && !session->muted)
		config->exhausted(config->reply_arg, session->budget.spent);
}

static enum bind_call_event
pass_if_none(const struct bind_pending *call)
{
	return call->kind == WIRE_TOOL_NONE ? BIND_CALL_PASS : BIND_CALL_REFUSE;
}

static enum bind_call_event
charge(struct bind_pending *call)
{
	call->kind = bind_budget_charge_call(
	    &call->session->budget, call->argument_bytes);
	if (call->kind == WIRE_TOOL_BUDGET_SPENT)
		bind_session_spend(call->session);
	return pass_if_none(call);
}

static enum bind_call_event
admit(struct bind_pending *call)
{
	const struct bind_session *session = call->session;
	const struct bind_tool *tool =
	    bind_builtin_find(&session->builtin, call->name);

	if (tool != NULL) {
		call->tool = tool;
		return BIND_CALL_PASS;
	}
	if (session->chosen != NULL)
		tool =
		    bind_catalogue_find(session->config.catalogue, call->name);
	/* In the words for a name that does not exist. */
	if (tool != NULL && !bind_session_offers(session, tool)) {
		call->kind = WIRE_TOOL_NOT_OFFERED;
		return BIND_CALL_REFUSE;
	}
	call->kind = bind_catalogue_admit(session->config.catalogue,
	    session->offered, call->name, &call->tool);
	if (call->kind == WIRE_TOOL_NONE && call->tool->provider->admit != NULL)
		call->kind = call->tool->provider->admit(
		    call->tool->data, call->job.arguments, &call->words);
	return pass_if_none(call);
}

/* Moves a call from the stack, with its arguments, into the line. */
static bool
keep(struct bind_pending *call)
{
	struct wire_span arguments = call->job.arguments;
	struct bind_pending *kept;
	size_t size;

	kept =
	    wire_add(sizeof(*kept), arguments.len, &size) ? malloc(size) : NULL;
	if (kept == NULL) {
		call->kind = WIRE_TOOL_UNREACHABLE;
		return false;
	}
	*kept = *call;
	if (arguments.len > 0)
		memcpy(kept->arguments, arguments.p, arguments.len);
	kept->job.arguments.p = kept->arguments;
	kept->name = (struct wire_span){call->tool->name, call->tool->name_len};
	kept->job.tool = kept->name;
	TAILQ_INSERT_TAIL(&call->session->waiting, kept, link);
	return true;
}

static enum bind_call_event
record_started(struct bind_pending *call)
{
	const struct bind_record *record = &call->session->config.record;
	struct bind_record_entry entry = describe(call);

	call->started_ns = now_ns(call->session);
	entry.state = BIND_CALL_STARTED;
	call->kind = record->started(record->arg, &entry);
	look_at_run(call->session);
	if (call->kind == WIRE_TOOL_NONE)
		start_clock(call);
	if (call->kind == WIRE_TOOL_BUDGET_SPENT) {
		bind_budget_spend_run(&call->session->budget);
		bind_session_spend(call->session);
	}
	return pass_if_none(call);
}

/* Until somebody says that the record is safe. */
static bool
must_wait(struct bind_pending *call)
{
	const struct bind_session_config *config = &call->session->config;

	if (config->recorded == NULL)
		return false;
	TAILQ_INSERT_TAIL(&call->session->recorded, call, link);
	call->session->in_flight++;
	config->recorded(config->reply_arg);
	return true;
}

/* Its time begins now, and not when its record began to be made safe. */
static void
restart_clock(struct bind_pending *call)
{
	struct bind_session *session = call->session;
	uint64_t now = now_ns(session);

	session->live_sum += now - call->started_ns;
	call->started_ns = now;
}

static void
dispatch(struct bind_pending *call)
{
	struct bind_session *session = call->session;

	if (session->config.recorded != NULL)
		restart_clock(call);
	call->job.deadline_ns =
	    call->started_ns + session->config.limits.tool_time_ns;
	TAILQ_INSERT_TAIL(&session->running, call, link);
	if (session->config.recorded == NULL)
		session->in_flight++;
	/* The call may be over and freed when this returns. */
	call->tool->provider->start(call->tool->data, &call->job);
}

bool
bind_pending_advance(struct bind_pending *call, enum bind_call_event event)
{
	for (;;) {
		struct bind_call_step step =
		    bind_call_next(call->session->gate, call->state, event);

		call->state = step.next;
		if (step.actions == BIND_DO_CHARGE) {
			event = charge(call);
		} else if (step.actions == BIND_DO_ADMIT) {
			event = admit(call);
		} else if (step.actions == BIND_DO_RECORD_STARTED) {
			event = record_started(call);
			if (event == BIND_CALL_PASS && must_wait(call))
				return false;
		} else if (step.actions == BIND_DO_KEEP) {
			if (keep(call))
				return false;
			event = BIND_CALL_REFUSE;
		} else if (step.actions == BIND_DO_DISPATCH) {
			dispatch(call);
			return false;
		} else {
			finish(call);
			return true;
		}
	}
}
