/*
 * A tool session with everything around it faked and logged: the record, the
 * provider, the replies. Used by the tests of bindings/session.h.
 *
 * The log is one line of words, in the order in which things happened:
 *	started:ID ended:ID:STATE[:KIND] start:ID cancel:ID:KIND abandon:ID
 *	reply:ID:(KIND, handle=SIZE or the value)
 */
#ifndef TEST_SESSION_RIG_H
#define TEST_SESSION_RIG_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bindings/session.h"
#include "tests/unit/poll_loop.h"

#define RIG_JOBS 4096

struct rig {
	struct poll_loop loop;
	struct bind_catalogue *catalogue;
	struct bind_record_list list;
	struct bind_session *session;
	struct bind_limits limits;
	uint64_t next_id;
	struct bind_job *jobs[RIG_JOBS]; /* dispatched, by id; NULL: gone */
	size_t running;			 /* jobs that are not gone */
	size_t running_max;
	bool log_off;
	bool refuse_started, spent_started, refuse_ended;
	bool last_hard;
	struct bind_run run; /* calls_max 0: there is none */
	bool halts;	     /* when a meter is spent */
	char message[4096];  /* of the last reply */
	char token[64];	     /* of the last handle */
	size_t preview_len;
	char *value; /* of the last reply with one, and all of it */
	size_t log_len;
	char log[1 << 16];
	/* Called from the reply callback, after it has logged. */
	void (*on_reply)(struct rig *rig, uint64_t id);
};

#define RIG __attribute__((unused)) static

RIG void rig_log(struct rig *rig, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

RIG void
rig_log(struct rig *rig, const char *format, ...)
{
	size_t left = sizeof(rig->log) - rig->log_len;
	va_list args;
	int n;

	if (rig->log_off)
		return;
	va_start(args, format);
	n = vsnprintf(rig->log + rig->log_len, left, format, args);
	va_end(args);
	assert_in_range(n, 0, left - 1);
	rig->log_len += (size_t)n;
}

/* What was logged since the last look. */
RIG void
rig_expect(struct rig *rig, const char *expected)
{
	if (rig->log_len > 0 && rig->log[rig->log_len - 1] == ' ')
		rig->log_len--;
	rig->log[rig->log_len] = '\0';
	assert_string_equal(rig->log, expected);
	rig->log_len = 0;
}

RIG enum wire_tool_kind
rig_started(void *arg, const struct bind_record_entry *entry)
{
	struct rig *rig = arg;
	struct bind_record record = bind_record_list_record(&rig->list);

	if (rig->refuse_started)
		return WIRE_TOOL_NOT_RECORDED;
	if (rig->spent_started)
		return WIRE_TOOL_BUDGET_SPENT;
	rig_log(rig, "started:%d ", (int)entry->id);
	assert_int_equal(entry->state, BIND_CALL_STARTED);
	return record.started(record.arg, entry);
}

RIG enum wire_err
rig_ended(void *arg, const struct bind_record_entry *entry)
{
	struct rig *rig = arg;
	struct bind_record record = bind_record_list_record(&rig->list);

	rig_log(rig, "ended:%d:%s", (int)entry->id,
	    bind_call_state_word(entry->state));
	if (entry->kind != WIRE_TOOL_NONE)
		rig_log(rig, ":%s", wire_tool_kind_word(entry->kind));
	rig_log(rig, " ");
	assert_int_equal(record.ended(record.arg, entry), WIRE_OK);
	return rig->refuse_ended ? WIRE_ERR_SYSTEM : WIRE_OK;
}

RIG bool
rig_run(void *arg, struct bind_run *ret_run)
{
	*ret_run = ((struct rig *)arg)->run;
	return true;
}

RIG void
rig_exhausted(void *arg, enum bind_meter meter)
{
	struct rig *rig = arg;

	if (!rig->halts)
		return;
	rig_log(rig, "exhausted:%s ", bind_meter_word(meter));
	bind_session_halt(rig->session, WIRE_TOOL_CANCELLED);
}

RIG void
rig_handle(struct rig *rig, const struct bind_reply *reply)
{
	const struct bind_reply_handle *handle = reply->handle;

	rig_log(
	    rig, "reply:%d:handle=%zu ", (int)reply->id, (size_t)handle->size);
	snprintf(rig->token, sizeof(rig->token), "%.*s", (int)handle->token.len,
	    (const char *)handle->token.p);
	rig->preview_len = handle->preview.len;
}

RIG void
rig_reply(void *arg, const struct bind_reply *reply)
{
	struct rig *rig = arg;

	if (reply->kind != WIRE_TOOL_NONE)
		rig_log(rig, "reply:%d:%s ", (int)reply->id,
		    wire_tool_kind_word(reply->kind));
	else if (reply->handle != NULL)
		rig_handle(rig, reply);
	else
		rig_log(rig, "reply:%d:%.*s ", (int)reply->id,
		    (int)(reply->value.len < 20 ? reply->value.len : 20),
		    (const char *)reply->value.p);
	rig->last_hard = reply->hard;
	if (reply->kind == WIRE_TOOL_NONE && reply->handle == NULL) {
		free(rig->value);
		rig->value =
		    strndup((const char *)reply->value.p, reply->value.len);
	}
	snprintf(rig->message, sizeof(rig->message), "%.*s",
	    (int)reply->message.len, (const char *)reply->message.p);
	if (rig->on_reply != NULL)
		rig->on_reply(rig, reply->id);
}

/* --- the provider: jobs are answered by the test ------------------------ */

RIG void
rig_start(void *data, struct bind_job *job)
{
	struct rig *rig = data;

	rig_log(rig, "start:%d ", (int)job->id);
	assert_null(rig->jobs[job->id % RIG_JOBS]);
	rig->jobs[job->id % RIG_JOBS] = job;
	job->state = rig;
	rig->running++;
	if (rig->running > rig->running_max)
		rig->running_max = rig->running;
}

RIG void
rig_cancel(struct bind_job *job, enum wire_tool_kind kind)
{
	rig_log(job->state, "cancel:%d:%s ", (int)job->id,
	    wire_tool_kind_word(kind));
}

RIG void
rig_abandon(struct bind_job *job)
{
	struct rig *rig = job->state;

	rig_log(rig, "abandon:%d ", (int)job->id);
	rig->jobs[job->id % RIG_JOBS] = NULL;
	rig->running--;
}

static const struct bind_provider rig_provider = {.name = "rig",
    .start = rig_start,
    .cancel = rig_cancel,
    .abandon = rig_abandon};

/* Answers from inside start. */
RIG void
rig_start_now(void *data, struct bind_job *job)
{
	struct rig *rig = data;
	struct bind_outcome outcome = {.value = job->arguments};

	rig_log(rig, "start:%d ", (int)job->id);
	job->done(job, &outcome);
	job->gone(job);
}

static const struct bind_provider rig_provider_now = {.name = "now",
    .start = rig_start_now,
    .cancel = rig_cancel,
    .abandon = rig_abandon};

RIG void
rig_done(struct rig *rig, uint64_t id, enum wire_tool_kind kind,
    const char *text, bool end_seen)
{
	struct bind_job *job = rig->jobs[id % RIG_JOBS];
	struct wire_span span = {(const uint8_t *)text, strlen(text)};
	struct bind_outcome outcome = {.kind = kind, .end_seen = end_seen};

	assert_non_null(job);
	if (kind == WIRE_TOOL_NONE)
		outcome.value = span;
	else
		outcome.message = span;
	job->done(job, &outcome);
}

RIG void
rig_gone(struct rig *rig, uint64_t id)
{
	struct bind_job *job = rig->jobs[id % RIG_JOBS];

	assert_non_null(job);
	rig->jobs[id % RIG_JOBS] = NULL;
	rig->running--;
	job->gone(job);
}

RIG void
rig_value(struct rig *rig, uint64_t id, const char *text)
{
	rig_done(rig, id, WIRE_TOOL_NONE, text, true);
	rig_gone(rig, id);
}

/* --- building ----------------------------------------------------------- */

RIG void
rig_add(struct rig *rig, const char *name, const struct bind_provider *provider,
    unsigned marks)
{
	struct wire_span span = {(const uint8_t *)name, strlen(name)};

	assert_int_equal(bind_catalogue_add(
			     rig->catalogue, span, provider, rig, marks, NULL),
	    WIRE_OK);
}

RIG void
rig_config(struct rig *rig, struct bind_session_config *ret_config)
{
	*ret_config = (struct bind_session_config){
	    .limits = rig->limits,
	    .catalogue = rig->catalogue,
	    .loop = &rig->loop.loop,
	    .record = {rig, rig_started, rig_ended,
		rig->run.calls_max > 0 ? rig_run : NULL, NULL},
	    .seed = 42,
	    .reply = rig_reply,
	    .exhausted = rig_exhausted,
	    .reply_arg = rig,
	};
}

RIG void
rig_open(struct rig *rig)
{
	struct bind_session_config config;

	rig_config(rig, &config);
	assert_int_equal(
	    bind_session_new(&config, &rig->session, NULL), WIRE_OK);
}

RIG struct rig *
rig_new(void)
{
	struct rig *rig = calloc(1, sizeof(*rig));

	assert_non_null(rig);
	poll_loop_init(&rig->loop);
	bind_record_list_init(&rig->list);
	rig->limits = bind_limits_default;
	rig->limits.kept_bytes = 0; /* unless a test has it */
	assert_int_equal(bind_catalogue_new(&rig->catalogue), WIRE_OK);
	rig_add(rig, "tool", &rig_provider, 0);
	rig_add(rig, "now", &rig_provider_now, 0);
	return rig;
}

RIG void
rig_free(struct rig *rig)
{
	bind_session_free(rig->session);
	assert_int_equal(rig->running, 0);
	assert_int_equal(rig->list.totals.started, 0);
	if (!rig->refuse_ended)
		assert_int_equal(
		    bind_record_total(&rig->list.totals), rig->next_id);
	bind_catalogue_free(rig->catalogue);
	free(rig->value);
	free(rig);
}

/* Calls with arguments in a block that is gone afterwards. */
RIG void
rig_call_with(struct rig *rig, const char *name, struct wire_span arguments)
{
	uint8_t *copy = malloc(arguments.len + 1);
	struct wire_call call = {.id = rig->next_id++,
	    .name_len = strlen(name),
	    .arguments = {copy, arguments.len}};

	assert_non_null(copy);
	assert_in_range(call.name_len, 0, sizeof(call.name));
	memcpy(call.name, name, call.name_len);
	if (arguments.len > 0)
		memcpy(copy, arguments.p, arguments.len);
	bind_session_call(rig->session, &call);
	memset(copy, 'z', arguments.len);
	free(copy);
}

RIG void
rig_call(struct rig *rig, const char *name)
{
	rig_call_with(rig, name, WIRE_LIT("{}"));
}

RIG void
rig_calls(struct rig *rig, const char *name, unsigned count)
{
	while (count-- > 0)
		rig_call(rig, name);
}

#endif
