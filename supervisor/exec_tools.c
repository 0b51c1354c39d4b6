#include "supervisor/exec_tools.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "supervisor/exec_ledger.h"
#include "supervisor/narrow.h"
#include "supervisor/sys.h"

/* Room for what is left, in words. */
#define LEFT_MAX 160

struct reply_frame {
	const struct bind_reply *reply;
	uint64_t left[WIRE_LEFTS];
};

static void
fill_reply(struct wire_out *out, const void *arg)
{
	const struct reply_frame *f = arg;
	const struct bind_reply *r = f->reply;

	if (r->handle != NULL)
		wire_msg_encode_reply_handle(out, r->id, r->handle->token,
		    r->handle->size, r->handle->preview, f->left);
	else if (r->kind == WIRE_TOOL_NONE)
		wire_msg_encode_reply_value(out, r->id, r->value, f->left);
	else
		wire_msg_encode_reply_error(
		    out, r->id, r->kind, r->message, r->hard, f->left);
}

static void
on_reply(void *arg, const struct bind_reply *reply)
{
	struct weir_execution *e = arg;
	size_t max = reply->kind == WIRE_TOOL_NONE ? reply->value.len
						   : reply->message.len * 6;
	struct wire_errinfo info = {"a reply", 0, 0};
	struct reply_frame frame = {reply, {0}};

	if (reply->handle != NULL)
		max = WIRE_MAX_PREVIEW;

	/* Nobody waits for it when the end is decided; the record has it. */
	if (e->state != SUP_EXEC_RUNNING)
		return;
	if (sup_exec_ledger_due(e))
		sup_chan_hold(&e->chan);
	bind_budget_left(bind_session_budget(e->tools), frame.left);
	if (sup_chan_send(&e->chan, max + LEFT_MAX + WIRE_KIB, fill_reply,
		&frame, &info) != WIRE_OK) {
		sup_exec_note_setup(e, &info);
		sup_exec_event(e, SUP_EVENT_FAILED);
	}
	sup_exec_arm(e);
}

static void
on_dispatched(void *arg)
{
	sup_exec_arm(arg);
}

static void
on_recorded(void *arg)
{
	(void)sup_exec_ledger_due(arg);
}

static enum sup_limit
limit_of(enum bind_meter meter)
{
	const char *word = bind_meter_word(meter);

	return sup_limit_from(
	    (struct wire_span){(const uint8_t *)word, strlen(word)});
}

static void
on_exhausted(void *arg, enum bind_meter meter)
{
	struct weir_execution *e = arg;

	if (!e->terms.halt_on_exhaust)
		return;
	e->facts.exhausted = limit_of(meter);
	sup_exec_event(e, SUP_EVENT_EXHAUSTED);
}

enum wire_err
sup_exec_open_tools(struct weir_execution *e, struct wire_errinfo *info)
{
	const uint64_t *limits = e->terms.limits;
	struct bind_session_config config = {
	    .limits =
		{
		    .calls = limits[SUP_LIMIT_CALLS],
		    .argument_bytes = limits[SUP_LIMIT_ARGUMENT_BYTES],
		    .result_bytes = limits[SUP_LIMIT_RESULT_BYTES],
		    .total_bytes = limits[SUP_LIMIT_TOTAL_BYTES],
		    .produced_bytes = limits[SUP_LIMIT_PRODUCED_BYTES],
		    .kept_bytes = limits[SUP_LIMIT_KEPT_BYTES],
		    .tool_time_ns = limits[SUP_LIMIT_TOOL_TIME],
		    .total_time_ns = limits[SUP_LIMIT_TOTAL_TOOL_TIME],
		    .in_flight = (uint32_t)limits[SUP_LIMIT_IN_FLIGHT],
		},
	    .catalogue = sup_exec_catalogue(e),
	    .only = e->only != NULL ? e->only->names : NULL,
	    .only_count = e->only != NULL ? e->only->count : 0,
	    .loop = &e->weir->bind_loop,
	    .reply = on_reply,
	    .dispatched = on_dispatched,
	    .exhausted = on_exhausted,
	    .reply_arg = e,
	};

	int r = sup_sys_random(&config.seed, sizeof(config.seed));

	if (r < 0) {
		*info = (struct wire_errinfo){"getrandom", -r, 0};
		return WIRE_ERR_SYSTEM;
	}
	config.record = sup_exec_ledger_record(e);
	if (e->to_ledger.ledger != NULL && e->weir->disk)
		config.recorded = on_recorded;
	return bind_session_new(&config, &e->tools, info);
}

void
sup_exec_close_tools(struct weir_execution *e)
{
	if (e->tools == NULL)
		return;
	/* What is given up only now has used time as well. */
	bind_session_abandon(e->tools);
	e->budget = *bind_session_budget(e->tools);
	bind_session_free(e->tools);
	e->tools = NULL;
}
