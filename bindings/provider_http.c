#include "bindings/provider_http.h"

#include <stdlib.h>

#include "bindings/http_job.h"

/* --- the answer ----------------------------------------------------------- */

/* SECURITY: what came of a call that has no value is metered too (B2), or a
 * server could send without end what is refused. */
static void
end(struct bind_http_job *j, struct bind_outcome *outcome)
{
	struct bind_job *job = j->job;

	if (outcome->kind != WIRE_TOOL_NONE) {
		outcome->value = (struct wire_span){j->value.p, j->value.len};
		outcome->dropped = j->dropped;
	}
	job->done(job, outcome);
	bind_http_job_free(j);
	job->gone(job);
}

/* A text as a JSON string, in a new buffer; NULL where there is none. */
static uint8_t *
spell_text(struct bind_http_job *j, struct wire_span body,
    struct bind_outcome *outcome, struct bind_text *text)
{
	size_t size = bind_http_text_size(body);
	uint8_t *string = NULL;

	if (bind_http_job_may_hold(j, size)) {
		string = malloc(size);
		if (string == NULL)
			bind_http_job_stop(
			    j, WIRE_TOOL_FAILED, "the host has no memory");
	}
	if (string == NULL) {
		outcome->kind = bind_http_verdict(&j->facts, text);
		return NULL;
	}
	bind_http_text_write(body, string);
	outcome->value = (struct wire_span){string, size};
	return string;
}

static void
finished(struct bind_http_transfer *transfer, CURLcode code)
{
	struct bind_http_job *j = (struct bind_http_job *)(void *)transfer;
	struct wire_span body = {j->value.p, j->value.len};
	uint8_t buf[BIND_HTTP_WORDS_LEN], *string = NULL;
	struct bind_outcome outcome = {0};
	struct bind_text text;

	/* libcurl takes the end of a connection for that of the headers. */
	if (code == CURLE_OK && !j->response.head_done)
		code = CURLE_PARTIAL_FILE;
	/* SECURITY: a type is told as it came, and cut; so not where it could
	 * be what was sent. */
	if (j->tool->secrets.count > 0)
		j->response.type_len = 0;
	j->facts.code = code;
	bind_text_init(&text, buf, sizeof(buf));
	outcome.kind = bind_http_verdict(&j->facts, &text);
	outcome.end_seen = bind_http_end_seen(&j->facts);
	if (outcome.kind == WIRE_TOOL_NONE)
		outcome.kind = bind_http_response_judge(&j->response, body,
		    bind_http_secrets_in(&j->tool->secrets, body), &text);
	if (outcome.kind == WIRE_TOOL_NONE) {
		outcome.value = body.len > 0 ? body : WIRE_LIT("null");
		if (body.len > 0 && j->response.type == BIND_HTTP_TYPE_TEXT)
			string = spell_text(j, body, &outcome, &text);
	}
	outcome.message = bind_text_span(&text);
	end(j, &outcome);
	free(string);
}

static void
cancel(struct bind_job *job, enum wire_tool_kind kind)
{
	struct bind_http_job *j = job->state;
	struct bind_outcome outcome = {
	    .kind = kind,
	    .message = kind == WIRE_TOOL_TIMED_OUT
		? WIRE_LIT("it ran for longer than tool_time")
		: WIRE_LIT("cancelled while it ran"),
	};

	bind_http_client_remove(j->tool->client, &j->transfer);
	outcome.end_seen = !j->facts.sent;
	end(j, &outcome);
}

static void
abandon(struct bind_job *job)
{
	struct bind_http_job *j = job->state;

	bind_http_client_remove(j->tool->client, &j->transfer);
	bind_http_job_free(j);
}

/* --- the call ------------------------------------------------------------- */

/* Why the request cannot be made, as a kind with *why; NONE: it can. */
static enum wire_tool_kind
build(struct bind_http_job *j, struct bind_text *why)
{
	const struct bind_http_policy *policy =
	    bind_http_client_policy(j->tool->client);
	enum wire_tool_kind kind;

	if (j->tool->has_body) {
		j->built.body = malloc(j->job->arguments.len);
		if (j->built.body == NULL) {
			bind_text_add(why, "the host has no memory");
			return WIRE_TOOL_UNREACHABLE;
		}
	}
	kind = bind_http_build(&j->tool->template, policy->entries,
	    policy->entry_count, j->job->arguments, &j->built, why);
	if (kind != WIRE_TOOL_NONE)
		return kind;
	/* SECURITY: whoever can read the file can read what is sent. It is
	 * asked each time, since a library's caller may change it. */
	if (bind_curl_logs_keys()) {
		bind_text_add(why,
		    "the variable SSLKEYLOGFILE is set in weir's environment");
		return WIRE_TOOL_UNREACHABLE;
	}
	j->curl = bind_http_client_curl(j->tool->client);
	if (j->curl == NULL) {
		bind_text_add(why,
		    "the host has no libcurl.so.4 of version 7.87.0 or newer, "
		    "with TLS and threads");
		return WIRE_TOOL_UNREACHABLE;
	}
	if (!bind_http_job_request(j) ||
	    bind_http_client_add(j->tool->client, j->job->loop, &j->transfer) !=
		WIRE_OK) {
		bind_text_add(why, "the host cannot make the request");
		return WIRE_TOOL_UNREACHABLE;
	}
	return WIRE_TOOL_NONE;
}

/*
 * Before it is recorded as started: what the list refuses has no effect, and
 * the record says so. Where a name leads to is known later, and what else is
 * wrong is for start() to say.
 */
static enum wire_tool_kind
admit(void *tool_data, struct wire_span arguments, const char **ret_words)
{
	const struct bind_http_tool *tool = tool_data;
	const struct bind_http_policy *policy =
	    bind_http_client_policy(tool->client);
	enum wire_tool_kind kind = bind_http_check(
	    &tool->template, policy->entries, policy->entry_count, arguments);

	if (kind == WIRE_TOOL_PATH_TRAVERSAL)
		*ret_words = "its path would have a segment '.' or '..'";
	else if (kind == WIRE_TOOL_EGRESS_DENIED)
		*ret_words = "its path would not be one of those allowed";
	return kind;
}

static void
start(void *tool_data, struct bind_job *job)
{
	struct bind_http_job *j = calloc(1, sizeof(*j));
	struct bind_outcome outcome = {
	    .kind = WIRE_TOOL_UNREACHABLE,
	    .message = WIRE_LIT("the host has no memory"),
	    .end_seen = true,
	};
	uint8_t buf[256];
	struct bind_text why;

	if (j == NULL) {
		job->done(job, &outcome);
		job->gone(job);
		return;
	}
	job->state = j;
	j->job = job;
	j->tool = tool_data;
	j->transfer.finished = finished;
	bind_intake_init(&j->value, job->result_max + BIND_RESULT_SLACK);
	bind_text_init(&why, buf, sizeof(buf));
	outcome.kind = build(j, &why);
	if (outcome.kind == WIRE_TOOL_NONE)
		return;
	outcome.message = bind_text_span(&why);
	end(j, &outcome);
}

static void
release(void *tool_data)
{
	bind_http_tool_free(tool_data);
}

const struct bind_provider bind_provider_http = {
    .name = "http",
    .admit = admit,
    .start = start,
    .cancel = cancel,
    .abandon = abandon,
    .release = release,
};
