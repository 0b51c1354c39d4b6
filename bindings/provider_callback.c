#include "bindings/provider_callback.h"

static void
start(void *tool_data, struct bind_job *job)
{
	struct bind_callback *callback = tool_data;

	job->state = callback;
	callback->call(callback->arg, job);
}

static void
cancel(struct bind_job *job, enum wire_tool_kind kind)
{
	struct bind_callback *callback = job->state;

	if (callback->cancel != NULL) {
		callback->cancel(callback->arg, job, kind);
		return;
	}
	/* Nobody can say what the host's function still does. */
	bind_callback_answer(job,
	    &(struct bind_outcome){.kind = kind,
		.message = WIRE_LIT("the call was given up"),
		.end_seen = false});
}

static void
abandon(struct bind_job *job)
{
	struct bind_callback *callback = job->state;

	if (callback->abandon != NULL)
		callback->abandon(callback->arg, job);
}

const struct bind_provider bind_provider_callback = {
    .name = "callback",
    .start = start,
    .cancel = cancel,
    .abandon = abandon,
    .release = NULL,
};

void
bind_callback_answer(struct bind_job *job, const struct bind_outcome *outcome)
{
	job->done(job, outcome);
	job->gone(job);
}
