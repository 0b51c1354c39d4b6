#include <stdlib.h>
#include <string.h>

#include "bindings/mcp_result.h"
#include "bindings/mcp_server.h"
#include "bindings/redact.h"

/* Room for what is said beside the server's own words. */
#define OWN_WORDS 512

/* Errors of JSON-RPC by which servers ask for a person, or for a capability
 * that only a client with one has (MCP 2025-11-25, 2026-07-28). */
#define CODE_URL_ELICITATION (-32042)
#define CODE_NO_CAPABILITY   (-32021)

/* --- the end of a call -----------------------------------------------------
 */

static void
leave(struct bind_mcp_call *call)
{
	TAILQ_REMOVE(&call->server->calls, call, link);
	call->server->call_count--;
	free(call);
}

static void
finish(struct bind_mcp_call *call, const struct bind_outcome *outcome)
{
	struct bind_job *job = call->job;

	leave(call);
	job->state = NULL;
	job->done(job, outcome);
	job->gone(job);
}

static void
fail_job(struct bind_job *job, enum wire_tool_kind kind, struct wire_span words)
{
	job->done(job,
	    &(struct bind_outcome){
		.kind = kind, .message = words, .end_seen = true});
	job->gone(job);
}

static void
fail(struct bind_mcp_call *call, enum wire_tool_kind kind,
    const struct bind_text *words, bool end_seen)
{
	finish(call,
	    &(struct bind_outcome){.kind = kind,
		.value = call->arrived,
		.message = bind_text_span(words),
		.end_seen = end_seen});
}

/* --- starting --------------------------------------------------------------
 */

static void
refuse(struct bind_job *job, const struct bind_mcp_server *server,
    const char *words)
{
	uint8_t buf[BIND_MESSAGE_MAX];
	struct bind_text text;

	bind_text_init(&text, buf, sizeof(buf));
	bind_text_add(&text, words);
	if (!bind_mcp_server_is_ready(server) && server->why.len > 0) {
		bind_text_add(&text, ": ");
		bind_text_add_span(&text, bind_text_span(&server->why));
	}
	fail_job(job, WIRE_TOOL_UNREACHABLE, bind_text_span(&text));
}

static uint64_t
deadline_of(const struct bind_mcp_server *server)
{
	uint64_t now = server->loop->now_ns(server->loop->arg);
	uint64_t limit = server->entry->call_ns;

	return limit > UINT64_MAX - now ? UINT64_MAX : now + limit;
}

void
bind_mcp_call_start(const struct bind_mcp_tool *tool, struct bind_job *job)
{
	struct bind_mcp_server *server = tool->server;
	struct bind_mcp_call *call;
	struct bind_mcp_line *line;

	if (!bind_mcp_server_is_ready(server)) {
		refuse(job, server,
		    "the server is not there any more; it is started again "
		    "for the next execution");
		return;
	}
	if (server->call_count == BIND_MCP_CALLS) {
		refuse(job, server, "too many calls are under way there");
		return;
	}
	call = calloc(1, sizeof(*call));
	if (call == NULL) {
		refuse(job, server, "the host has no memory for this");
		return;
	}
	call->server = server;
	call->tool = tool;
	call->job = job;
	call->id = server->next_id++;
	call->deadline_ns = deadline_of(server);
	line = bind_mcp_write_call(server->era, call->id,
	    (struct wire_span){tool->name, tool->name_len}, job->arguments);
	if (!bind_mcp_process_say(&server->process, line)) {
		free(call);
		refuse(job, server,
		    "the server does not read what it was sent, or the host "
		    "has no memory for more");
		return;
	}
	job->state = call;
	TAILQ_INSERT_TAIL(&server->calls, call, link);
	server->call_count++;
	if (call->deadline_ns != UINT64_MAX)
		server->again(server->again_arg);
}

struct bind_mcp_call *
bind_mcp_call_find(const struct bind_mcp_server *server, uint64_t id)
{
	struct bind_mcp_call *call;

	TAILQ_FOREACH(call, &server->calls, link)
	{
		if (call->id == id)
			return call;
	}
	return NULL;
}

/* --- stopping --------------------------------------------------------------
 */

/* Tells the server; whether it had heard of the call at all. */
static bool
withdraw(struct bind_mcp_call *call, const char *reason)
{
	struct bind_mcp_process *process = &call->server->process;

	if (bind_mcp_process_unsay(process, call->id))
		return false;
	/* It matters little when it does not get through. */
	(void)!bind_mcp_process_say(
	    process, bind_mcp_write_cancelled(call->id, reason));
	return true;
}

static void
stop(struct bind_mcp_call *call, enum wire_tool_kind kind, const char *words)
{
	uint8_t buf[256];
	struct bind_text text;
	bool heard;

	bind_text_init(&text, buf, sizeof(buf));
	bind_text_add(&text, words);
	heard = withdraw(
	    call, kind == WIRE_TOOL_TIMED_OUT ? "timed out" : "cancelled");
	if (heard)
		bind_text_add(&text,
		    "; the server was told, and may have done it all the same");
	/* SECURITY: a server need not stop, and says nothing when it does: so
	 * what came of the call is unknown (B5). */
	fail(call, kind, &text, !heard);
}

void
bind_mcp_call_cancel(struct bind_mcp_call *call, enum wire_tool_kind kind)
{
	stop(call, kind,
	    kind == WIRE_TOOL_TIMED_OUT ? "it ran for longer than tool_time"
					: "cancelled while it ran");
}

void
bind_mcp_call_abandon(struct bind_mcp_call *call)
{
	(void)withdraw(call, "cancelled");
	call->job->state = NULL;
	leave(call);
}

void
bind_mcp_call_tick(struct bind_mcp_server *server, uint64_t now)
{
	struct bind_mcp_call *call = TAILQ_FIRST(&server->calls);

	/* All have the same limit, so the first one ends first. */
	while (call != NULL && call->deadline_ns <= now) {
		stop(call, WIRE_TOOL_TIMED_OUT,
		    "it ran for longer than the server's timeout");
		call = TAILQ_FIRST(&server->calls);
	}
}

void
bind_mcp_call_lose_all(struct bind_mcp_server *server)
{
	uint8_t buf[BIND_MESSAGE_MAX];
	struct bind_text text;
	struct bind_mcp_call *call;

	bind_text_init(&text, buf, sizeof(buf));
	bind_text_add(&text, "the server is gone before it answered: ");
	bind_text_add_span(&text, bind_text_span(&server->why));
	while ((call = TAILQ_FIRST(&server->calls)) != NULL)
		fail(call, WIRE_TOOL_FAILED, &text, false);
}

/* --- replies ---------------------------------------------------------------
 */

static enum wire_tool_kind
kind_of_code(int64_t code)
{
	if (code == CODE_URL_ELICITATION || code == CODE_NO_CAPABILITY)
		return WIRE_TOOL_INPUT_REQUIRED;
	return WIRE_TOOL_FAILED;
}

/* The server's words, after who said them and why. */
static void
fail_saying(struct bind_mcp_call *call, enum wire_tool_kind kind,
    const char *words, struct wire_span said)
{
	const struct bind_mcp_names *hidden = &call->server->entry->hidden;
	struct bind_redact redact = {hidden->names, hidden->count};
	uint8_t buf[BIND_MESSAGE_MAX];
	struct bind_text text;

	bind_text_init(&text, buf, sizeof(buf));
	if (call->asked != NULL) {
		kind = WIRE_TOOL_INPUT_REQUIRED;
		bind_text_add(&text, "the server asked for input (");
		bind_text_add(&text, call->asked);
		bind_text_add(&text, "), which was refused; then: ");
	}
	bind_text_add(&text, words);
	/* SECURITY: all that was said is looked at, and only then cut, or else
	 * the beginning of what is hidden would stand at the cut. */
	bind_redact_add(&text, &redact, said, false);
	fail(call, kind, &text, true);
}

static void
take_error(struct bind_mcp_call *call, const struct bind_mcp_message *message)
{
	uint8_t words[64];
	struct bind_text text;
	uint8_t *plain = malloc(message->message.len + 1);
	size_t len = 0;

	bind_text_init(&text, words, sizeof(words) - 1);
	bind_text_add(&text, "MCP error ");
	if (message->code < 0)
		bind_text_add(&text, "-");
	bind_text_add_uint(&text,
	    message->code < 0 ? (uint64_t)-message->code
			      : (uint64_t)message->code);
	bind_text_add(&text, ": ");
	words[text.len] = '\0';
	if (plain == NULL ||
	    wire_json_unescape(
		message->message, plain, message->message.len, &len) != WIRE_OK)
		len = 0;
	fail_saying(call, kind_of_code(message->code), (const char *)words,
	    (struct wire_span){plain, len});
	free(plain);
}

static void
take_result(struct bind_mcp_call *call, struct wire_span result)
{
	struct bind_mcp_answer answer = {.kind = WIRE_TOOL_FAILED};
	/* Of an error not more than that is said, which has room here. */
	size_t max = result.len + OWN_WORDS;
	uint8_t *buf = malloc(max);
	struct bind_text said;
	enum wire_err err = WIRE_ERR_NO_MEMORY;

	if (buf != NULL) {
		bind_text_init(&said, buf, max);
		err = bind_mcp_result(call->server->check, result,
		    call->tool->has_output, &answer, &said);
	}
	if (err != WIRE_OK)
		fail_saying(call, WIRE_TOOL_FAILED,
		    "the host has no memory for its result",
		    (struct wire_span){NULL, 0});
	else if (answer.kind == WIRE_TOOL_NONE)
		finish(call,
		    &(struct bind_outcome){
			.value = answer.value, .end_seen = true});
	else
		fail_saying(call, answer.kind,
		    said.len > 0 ? ""
				 : "the tool says that it failed, and not why",
		    bind_text_span(&said));
	free(answer.made);
	free(buf);
}

void
bind_mcp_call_reply(struct bind_mcp_call *call,
    const struct bind_mcp_message *message, struct wire_span line)
{
	/* SECURITY: an error costs what arrived for it, as a value does. */
	call->arrived = line;
	if (message->kind == BIND_MCP_ERROR)
		take_error(call, message);
	else
		take_result(call, message->result);
}

void
bind_mcp_call_broken(struct bind_mcp_call *call,
    const struct bind_mcp_message *message, struct wire_span line)
{
	uint8_t buf[256];
	struct bind_text text;

	call->arrived = line;
	bind_text_init(&text, buf, sizeof(buf));
	bind_text_add(
	    &text, "the server's reply is no JSON that can be taken: ");
	bind_text_add(&text, wire_err_meaning(message->broken));
	bind_text_add(&text, " (byte ");
	bind_text_add_uint(&text, message->offset);
	bind_text_add(&text, ")");
	fail(call, WIRE_TOOL_FAILED, &text, true);
}

void
bind_mcp_call_over(struct bind_mcp_call *call)
{
	enum wire_tool_kind kind = call->job->over;
	uint8_t buf[256];
	struct bind_text text;

	bind_text_init(&text, buf, sizeof(buf));
	bind_text_add(&text,
	    kind == WIRE_TOOL_RESULT_TOO_LARGE
		? "the server's reply is over what is read of one (16 MiB), "
		  "and nothing is kept (kept_bytes)"
		: "the server's reply is over what can be kept (kept_bytes)");
	fail(call, kind, &text, true);
}
