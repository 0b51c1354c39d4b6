/*
 * A call that was accepted lives on one of three lists:
 *	waiting	accepted, copied, not started; in id order
 *	recorded	`started` is written, and not safe yet; in id order
 *	running	dispatched, no end yet, not cancelled; in order of deadlines,
 *		since the tool time is the same for all
 *	ending	cancelled or answered; the provider still holds something
 * recorded, running and ending together are the window.
 *
 * Providers and the reply callback may come back into this file from inside
 * any call to them. Hence: a call is on the list of its new state before
 * anything foreign is called, loops take the head of a list each time round,
 * and nothing is touched after a call that may have freed it.
 */
#include "bindings/session.h"

#include <stdlib.h>

#include "bindings/pending.h"
#include "bindings/result.h"

/* How long what is told to end may take, all of it together, before it is let
 * go. It takes a few milliseconds, on a machine that has time for it. */
#define ABANDON_NS UINT64_C(1000000000)

static struct bind_pending *
call_of(struct bind_job *job)
{
	return (struct bind_pending *)(void *)((char *)job -
	    offsetof(struct bind_pending, job));
}

/* --- the line and the window -------------------------------------------- */

static void
refuse(struct bind_pending *call, enum wire_tool_kind kind)
{
	call->kind = kind;
	/* A refusal is an end from every state. */
	(void)bind_pending_advance(call, BIND_CALL_REFUSE);
	free(call);
}

static void
refuse_waiting(struct bind_session *session)
{
	struct bind_pending *call;

	while ((call = TAILQ_FIRST(&session->waiting)) != NULL) {
		TAILQ_REMOVE(&session->waiting, call, link);
		refuse(call, session->shut);
	}
}

static bool
has_room(const struct bind_session *session)
{
	return !session->paused &&
	    session->in_flight < session->config.limits.in_flight &&
	    !TAILQ_EMPTY(&session->waiting);
}

/* Gives the next ones their turn. Calls that end at once come back here
 * through gone(): the flag makes that a loop instead of a recursion. */
static void
pump(struct bind_session *session)
{
	bool any = false;

	if (session->pumping)
		return;
	session->pumping = true;
	while (has_room(session)) {
		struct bind_pending *call = TAILQ_FIRST(&session->waiting);
		enum wire_tool_kind kind;

		TAILQ_REMOVE(&session->waiting, call, link);
		/* Withdrawn since it was admitted? */
		kind = bind_builtin_is(call->tool)
		    ? WIRE_TOOL_NONE
		    : bind_tool_admit(call->tool, session->offered);
		if (kind != WIRE_TOOL_NONE)
			refuse(call, kind);
		else if (bind_pending_advance(call, BIND_CALL_TURN))
			free(call);
		any = true;
	}
	session->pumping = false;
	if (any && !session->muted && session->config.dispatched != NULL)
		session->config.dispatched(session->config.reply_arg);
}

/*
 * After a call has ended: when no byte and no time is left, what waits could
 * not be answered, and is refused rather than run for nothing.
 */
static void
settle(struct bind_session *session)
{
	struct bind_budget *budget = &session->budget;

	/* SECURITY: a call that has ended may have used up what there was:
	 * none is begun only to be cancelled. */
	if (!budget->is_dry && !TAILQ_EMPTY(&session->waiting) &&
	    bind_budget_time_left(budget) == 0) {
		bind_budget_spend_time(budget);
		bind_session_spend(session);
	}
	if (budget->is_dry)
		refuse_waiting(session);
	pump(session);
}

/* --- what providers call ------------------------------------------------ */

static void
move_to_ending(struct bind_pending *call)
{
	TAILQ_REMOVE(&call->session->running, call, link);
	TAILQ_INSERT_TAIL(&call->session->ending, call, link);
	call->is_ending = true;
}

/*
 * Room for a result that arrives and is over the limit of what is delivered;
 * see struct bind_job. It is claimed as it grows, and given back when the call
 * ends, or turned into what is kept.
 */
static size_t
job_more(struct bind_job *job, size_t held)
{
	struct bind_pending *call = call_of(job);
	struct bind_session *session = call->session;
	uint64_t left = bind_store_left(&session->store);
	uint64_t max = BIND_MAX_RESULT + BIND_RESULT_SLACK;

	if (bind_builtin_is(call->tool) || session->held > left)
		return 0;
	left -= session->held;
	if (call->held + left < max)
		max = call->held + left;
	if (max > 2 * (uint64_t)held)
		max = 2 * (uint64_t)held;
	if (max <= held)
		return 0;
	session->held += max - call->held;
	call->held = (size_t)max;
	return (size_t)max;
}

static void
give_back(struct bind_pending *call)
{
	call->session->held -= call->held;
	call->held = 0;
}

static void
job_done(struct bind_job *job, const struct bind_outcome *given)
{
	struct bind_pending *call = call_of(job);
	struct bind_session *session = call->session;
	struct bind_outcome outcome = *given;
	enum bind_call_event event = BIND_CALL_VALUE;
	uint8_t buf[256];
	struct bind_text text;

	if (!call->is_ending)
		move_to_ending(call);
	give_back(call);
	if (outcome.kind == WIRE_TOOL_NONE) {
		bind_text_init(&text, buf, sizeof(buf));
		bind_result_judge(call, &outcome, &text);
		outcome.message = bind_text_span(&text);
		outcome.end_seen = true;
	} else if (bind_result_charge(
		       call, (uint64_t)outcome.value.len + outcome.dropped) !=
	    WIRE_TOOL_NONE) {
		bind_session_spend(session);
	}
	if (outcome.kind != WIRE_TOOL_NONE)
		event = outcome.end_seen ? BIND_CALL_ERROR : BIND_CALL_LOSE;
	call->kind = outcome.kind;
	call->outcome = &outcome;
	(void)bind_pending_advance(call, event); /* final; freed in gone() */
	call->outcome = NULL;
	settle(session);
}

static void
job_gone(struct bind_job *job)
{
	struct bind_pending *call = call_of(job);
	struct bind_session *session = call->session;

	WIRE_BUG_IF(!bind_call_is_final(call->state));
	TAILQ_REMOVE(&session->ending, call, link);
	session->in_flight--;
	free(call);
	pump(session);
}

/* --- the public side ---------------------------------------------------- */

/* Marks the tools that are named. */
static bool
choose(struct bind_session *session, const struct bind_session_config *config)
{
	session->chosen = calloc(session->offered + 1, sizeof(bool));
	if (session->chosen == NULL)
		return false;
	for (size_t i = 0; i < config->only_count; i++) {
		const struct bind_tool *tool =
		    bind_catalogue_find(config->catalogue, config->only[i]);

		if (tool != NULL && tool->index < session->offered)
			session->chosen[tool->index] = true;
	}
	return true;
}

enum wire_err
bind_session_new(const struct bind_session_config *config,
    struct bind_session **ret_session, struct wire_errinfo *info)
{
	struct bind_session *session;
	enum wire_err err;

	err = bind_limits_check(&config->limits, info);
	if (err != WIRE_OK)
		return err;
	session = calloc(1, sizeof(*session));
	if (session == NULL)
		return wire_fail(info, WIRE_ERR_NO_MEMORY, "session", 0);
	session->config = *config;
	session->gate = BIND_GATE_RUNNING;
	session->config.only = NULL; /* it is not kept */
	session->offered = bind_catalogue_count(config->catalogue);
	if (config->only != NULL && !choose(session, config)) {
		free(session);
		return wire_fail(info, WIRE_ERR_NO_MEMORY, "session", 0);
	}
	session->began_ns = config->loop->now_ns(config->loop->arg);
	bind_budget_init(&session->budget, &config->limits);
	if (config->record.run != NULL)
		session->budget.has_run = config->record.run(
		    config->record.arg, &session->budget.run);
	bind_json_check_init(&session->check, config->seed);
	bind_store_init(&session->store, config->limits.kept_bytes);
	bind_builtin_init(&session->builtin, session);
	TAILQ_INIT(&session->waiting);
	TAILQ_INIT(&session->recorded);
	TAILQ_INIT(&session->running);
	TAILQ_INIT(&session->ending);
	*ret_session = session;
	return WIRE_OK;
}

void
bind_session_call(struct bind_session *session, const struct wire_call *frame)
{
	struct bind_pending call = {
	    .session = session,
	    .state = BIND_CALL_NEW,
	    .name = {frame->name, frame->name_len},
	    .argument_bytes = frame->arguments.len,
	    .job =
		{
		    .id = frame->id,
		    .arguments = frame->arguments,
		    .result_max = session->config.limits.result_bytes,
		    .more = job_more,
		    .over = session->store.max > 0 ? WIRE_TOOL_RESULT_NOT_PAGED
						   : WIRE_TOOL_RESULT_TOO_LARGE,
		    .loop = session->config.loop,
		    .done = job_done,
		    .gone = job_gone,
		},
	};

	/* Afterwards it is over, or kept as a copy. */
	(void)bind_pending_advance(&call, BIND_CALL_ACCEPT);
	settle(session);
}

void
bind_session_halt(struct bind_session *session, enum wire_tool_kind kind)
{
	WIRE_BUG_IF(kind == WIRE_TOOL_NONE);
	if (session->gate == BIND_GATE_CLOSED)
		return;
	session->gate = bind_gate_next(session->gate, BIND_GATE_END);
	session->shut = kind;
	refuse_waiting(session);
}

static void
cancel_first(struct bind_session *session, enum wire_tool_kind kind)
{
	struct bind_pending *call = TAILQ_FIRST(&session->running);

	move_to_ending(call);
	call->tool->provider->cancel(&call->job, kind);
}

void
bind_session_close(struct bind_session *session)
{
	bind_session_halt(session, WIRE_TOOL_CANCELLED);
	while (!TAILQ_EMPTY(&session->running))
		cancel_first(session, WIRE_TOOL_CANCELLED);
}

/* A call that was recorded, and will not be dispatched. */
static void
give_up(struct bind_pending *call, enum wire_tool_kind kind)
{
	struct bind_outcome outcome = {.kind = kind};

	call->session->in_flight--;
	call->kind = kind;
	call->outcome = &outcome;
	(void)bind_pending_advance(call, BIND_CALL_ERROR); /* final */
	free(call);
}

/* Why a call whose record is safe is not dispatched all the same. */
static enum wire_tool_kind
changed_meanwhile(const struct bind_pending *call)
{
	const struct bind_session *session = call->session;

	if (session->gate == BIND_GATE_CLOSED)
		return session->shut;
	if (session->budget.is_dry)
		return WIRE_TOOL_BUDGET_SPENT;
	return bind_builtin_is(call->tool)
	    ? WIRE_TOOL_NONE
	    : bind_tool_admit(call->tool, session->offered);
}

/*
 * SECURITY: what waits here has an effect only after its record is safe, and
 * none when the end was decided, a budget was spent or the tool withdrawn
 * meanwhile (B1). What is recorded while these are dispatched stands behind
 * them in the list.
 */
void
bind_session_safe(struct bind_session *session, size_t count, bool is_safe)
{
	for (; count > 0; count--) {
		struct bind_pending *call = TAILQ_FIRST(&session->recorded);
		enum wire_tool_kind kind =
		    is_safe ? changed_meanwhile(call) : WIRE_TOOL_NOT_RECORDED;

		TAILQ_REMOVE(&session->recorded, call, link);
		if (kind != WIRE_TOOL_NONE)
			give_up(call, kind);
		else
			(void)bind_pending_advance(call, BIND_CALL_PASS);
	}
	settle(session);
	if (!session->muted && session->config.dispatched != NULL)
		session->config.dispatched(session->config.reply_arg);
}

static void
abandon_all(struct bind_pending_list *list, uint64_t until_ns)
{
	struct bind_pending *call;

	while ((call = TAILQ_FIRST(list)) != NULL) {
		TAILQ_REMOVE(list, call, link);
		call->job.abandon_ns = until_ns;
		call->tool->provider->abandon(&call->job);
		if (!bind_call_is_final(call->state)) {
			call->kind = WIRE_TOOL_CANCELLED;
			(void)bind_pending_advance(call, BIND_CALL_LOSE);
		}
		free(call);
	}
}

void
bind_session_abandon(struct bind_session *session)
{
	const struct bind_loop *loop = session->config.loop;
	uint64_t until_ns = loop->now_ns(loop->arg) + ABANDON_NS;

	session->muted = true;
	/* All are told first, so that they end at the same time. */
	bind_session_close(session);
	bind_session_safe(session, bind_session_recorded(session), true);
	abandon_all(&session->running, until_ns);
	abandon_all(&session->ending, until_ns);
	session->in_flight = 0;
}

void
bind_session_free(struct bind_session *session)
{
	if (session == NULL)
		return;
	bind_session_abandon(session);
	bind_json_check_release(&session->check);
	bind_store_release(&session->store);
	free(session->chosen);
	free(session);
}

void
bind_session_pause(struct bind_session *session)
{
	session->paused = true;
}

void
bind_session_resume(struct bind_session *session)
{
	session->paused = false;
	pump(session);
}

/*
 * SECURITY: calls at the same time use it at the same time, also while they
 * still run; a program gains nothing by making many.
 *
 * When the time of all calls is over, if none ends before: that of those which
 * have ended is charged, and n of them, begun at s, have used n * t - sum(s) of
 * it at a time t.
 */
static uint64_t
time_over(const struct bind_session *session)
{
	uint64_t left = bind_budget_time_left(&session->budget);
	uint64_t n = session->live;

	if (n == 0)
		return UINT64_MAX;
	return session->began_ns + (left + session->live_sum + n - 1) / n;
}

uint64_t
bind_session_deadline(const struct bind_session *session)
{
	const struct bind_pending *call = TAILQ_FIRST(&session->running);
	uint64_t over = time_over(session);

	if (call == NULL)
		return UINT64_MAX;
	return over < call->job.deadline_ns ? over : call->job.deadline_ns;
}

void
bind_session_tick(struct bind_session *session, uint64_t now)
{
	const struct bind_pending *call;

	/* In the order in which it was due, however late this comes. */
	while ((call = TAILQ_FIRST(&session->running)) != NULL &&
	    call->job.deadline_ns <= now &&
	    call->job.deadline_ns <= time_over(session))
		cancel_first(session, WIRE_TOOL_TIMED_OUT);
	if (bind_session_deadline(session) > now)
		return;
	bind_budget_spend_time(&session->budget);
	bind_session_spend(session);
	refuse_waiting(session);
	while (!TAILQ_EMPTY(&session->running))
		cancel_first(session, WIRE_TOOL_BUDGET_SPENT);
}

size_t
bind_session_recorded(const struct bind_session *session)
{
	const struct bind_pending *call;
	size_t count = 0;

	TAILQ_FOREACH(call, &session->recorded, link)
	count++;
	return count;
}

bool
bind_session_is_empty(const struct bind_session *session)
{
	return session->in_flight == 0 && TAILQ_EMPTY(&session->waiting);
}

enum bind_gate_state
bind_session_gate(const struct bind_session *session)
{
	return session->gate;
}

const struct bind_budget *
bind_session_budget(const struct bind_session *session)
{
	return &session->budget;
}

size_t
bind_session_offered(const struct bind_session *session)
{
	return session->offered;
}

bool
bind_session_offers(
    const struct bind_session *session, const struct bind_tool *tool)
{
	return !tool->withdrawn && tool->index < session->offered &&
	    (session->chosen == NULL || session->chosen[tool->index]);
}
