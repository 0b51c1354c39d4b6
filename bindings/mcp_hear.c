#include <string.h>

#include "bindings/mcp_server.h"

/* Lists that are asked for, one after another, while it says that they change.
 */
#define LISTS_MAX 3

/* What a server says in a member, cut. */
static void
add_said(struct bind_mcp_server *s, struct wire_span raw)
{
	uint8_t buf[256];
	size_t len = 0;

	if (raw.len > sizeof(buf))
		raw.len = 0;
	if (wire_json_unescape(raw, buf, sizeof(buf), &len) == WIRE_OK)
		bind_mcp_server_quote(s, &s->why, (struct wire_span){buf, len},
		    false, sizeof(buf));
}

/* --- what the server answers -----------------------------------------------
 */

static bool
is_legacy_version(struct wire_span raw)
{
	static const char *const versions[] = {
	    "2024-11-05", "2025-03-26", "2025-06-18", BIND_MCP_LEGACY_VERSION};

	for (size_t i = 0; i < sizeof(versions) / sizeof(versions[0]); i++) {
		if (wire_json_text_equal(raw,
			(struct wire_span){
			    (const uint8_t *)versions[i], strlen(versions[i])}))
			return true;
	}
	return false;
}

static bool
speaks_legacy(struct bind_mcp_server *s, struct wire_span result)
{
	struct wire_json_member version;

	if (!bind_mcp_member(s->check, result, "protocolVersion", &version)) {
		bind_mcp_server_say_why(
		    s, "its answer to the handshake names no version");
		return false;
	}
	if (is_legacy_version(bind_mcp_raw_text(&version)))
		return true;
	bind_mcp_server_say_why(
	    s, "it speaks a version of the protocol that weir does not: ");
	add_said(s, bind_mcp_raw_text(&version));
	return false;
}

static bool
speaks_modern(struct bind_mcp_server *s, struct wire_span result)
{
	struct bind_mcp_elements elements;
	struct wire_json_member versions;
	struct wire_span version;
	enum wire_json_token first;

	bind_mcp_server_say_why(s,
	    "it does not speak " BIND_MCP_MODERN_VERSION
	    "; leave protocolEra out");
	if (!bind_mcp_member(
		s->check, result, "supportedVersions", &versions) ||
	    versions.type != WIRE_JSON_ARRAY)
		return false;
	bind_mcp_elements_init(&elements, versions.value);
	while (bind_mcp_elements_next(&elements, &version, &first)) {
		if (first == WIRE_TOK_STRING &&
		    wire_span_equal(
			version, WIRE_LIT("\"" BIND_MCP_MODERN_VERSION "\"")))
			return true;
	}
	return false;
}

static void
say_error(struct bind_mcp_server *s, const char *words,
    const struct bind_mcp_message *message)
{
	bind_mcp_server_say_why(s, words);
	bind_text_add(&s->why, message->code < 0 ? "-" : "");
	bind_text_add_uint(&s->why,
	    message->code < 0 ? (uint64_t)-message->code
			      : (uint64_t)message->code);
	bind_text_add(&s->why, " ");
	add_said(s, message->message);
}

static void
take_hello(struct bind_mcp_server *s, const struct bind_mcp_message *message)
{
	bool probing = s->state == BIND_MCP_PROBING;
	bool modern = probing || s->era == BIND_MCP_ERA_MODERN;
	bool good = false;

	if (message->kind == BIND_MCP_ERROR)
		say_error(s, "it refused the handshake: ", message);
	else if (modern)
		good = speaks_modern(s, message->result);
	else
		good = speaks_legacy(s, message->result);
	if (probing && good)
		s->era = BIND_MCP_ERA_MODERN;
	bind_mcp_server_event(
	    s, good || probing ? BIND_MCP_WELCOME : BIND_MCP_FAIL);
}

static void
take_page(struct bind_mcp_server *s, const struct bind_mcp_message *message)
{
	struct bind_mcp_list *list = &s->coming;
	enum wire_err err = WIRE_OK;

	/* It has no tools, and does not know the word. */
	if (message->kind == BIND_MCP_ERROR && message->code != -32601) {
		say_error(s, "it does not list its tools: ", message);
		bind_mcp_server_event(s, BIND_MCP_UNLISTED);
		return;
	}
	if (message->kind == BIND_MCP_RESULT)
		err = bind_mcp_list_add(list, s, s->check, message->result);
	if (err != WIRE_OK) {
		bind_mcp_server_say_why(s,
		    err == WIRE_ERR_NO_MEMORY
			? "the host has no memory for its list of tools"
			: "its list of tools is none");
		bind_mcp_server_event(s, BIND_MCP_UNLISTED);
	} else if (list->cursor_len > 0) {
		bind_mcp_server_event(s, BIND_MCP_PAGE);
	} else if (s->stale && s->lists < LISTS_MAX) {
		/* It changed while it came. */
		bind_mcp_list_release(list);
		bind_mcp_server_event(s, BIND_MCP_PAGE);
	} else {
		bind_mcp_server_event(s, BIND_MCP_LISTED);
	}
}

static void
take_reply(struct bind_mcp_server *s, const struct bind_mcp_message *message,
    struct wire_span line)
{
	struct bind_mcp_call *call;

	if (s->awaited != 0 && message->id == s->awaited) {
		s->awaited = 0;
		if (s->state == BIND_MCP_PROBING || s->state == BIND_MCP_HELLO)
			take_hello(s, message);
		else
			take_page(s, message);
		return;
	}
	call = bind_mcp_call_find(s, message->id);
	/* Of none: it comes after a cancel. */
	if (call != NULL)
		bind_mcp_call_reply(call, message, line);
}

/* --- what the server asks --------------------------------------------------
 */

static const char *
wish_of(struct wire_span method)
{
	static const char *const wishes[] = {
	    "elicitation/create", "sampling/createMessage", "roots/list"};

	for (size_t i = 0; i < sizeof(wishes) / sizeof(wishes[0]); i++) {
		if (wire_json_text_equal(method,
			(struct wire_span){
			    (const uint8_t *)wishes[i], strlen(wishes[i])}))
			return wishes[i];
	}
	return NULL;
}

/*
 * SECURITY: nothing of this reaches a person or a model. Which call it was for
 * the protocol does not say, so each that is under way is marked; a call that
 * succeeds all the same is not affected (B9).
 */
static void
take_request(struct bind_mcp_server *s, const struct bind_mcp_message *message)
{
	bool ping = wire_json_text_equal(message->method, WIRE_LIT("ping"));
	const char *wish = wish_of(message->method);
	struct bind_mcp_call *call;

	TAILQ_FOREACH(call, &s->calls, link)
	{
		if (wish != NULL)
			call->asked = wish;
	}
	/* Calls that wait do not count: it may ask before it reads them. */
	if (s->process.queue.answers > BIND_MCP_ANSWERS) {
		bind_mcp_server_say_why(
		    s, "it asks, and does not read the answers");
		bind_mcp_server_event(s, BIND_MCP_FAIL);
		return;
	}
	(void)!bind_mcp_process_say(&s->process,
	    ping ? bind_mcp_write_pong(message->id_text)
		 : bind_mcp_write_refusal(message->id_text));
}

/* --- lines -----------------------------------------------------------------
 */

/* SECURITY: a server that only makes noise does not keep the host busy for
 * ever, and one that mixes it with messages is understood. */
static void
hear_noise(struct bind_mcp_server *s)
{
	s->noise_total++;
	if (++s->noise < BIND_MCP_NOISE_MAX)
		return;
	bind_mcp_server_say_why(
	    s, "100 lines of its standard output in a row are no messages");
	bind_mcp_server_add_stderr(s);
	bind_mcp_server_event(s, BIND_MCP_FAIL);
}

static void
hear_broken(struct bind_mcp_server *s, struct wire_span line,
    const struct bind_mcp_message *message)
{
	struct bind_mcp_sight sight;
	struct bind_mcp_call *call = NULL;
	uint64_t id;

	bind_mcp_sight_init(&sight);
	bind_mcp_sight_feed(&sight, line);
	if (bind_mcp_sight_id(&sight, &id))
		call = bind_mcp_call_find(s, id);
	if (call != NULL)
		bind_mcp_call_broken(call, message, line);
	else
		hear_noise(s);
}

void
bind_mcp_hear_line(void *arg, struct wire_span line)
{
	struct bind_mcp_server *s = arg;
	struct bind_mcp_message message;

	if (bind_mcp_read(s->check, line, &message) != WIRE_OK) {
		bind_mcp_server_say_why(
		    s, "the host has no memory for what it says");
		bind_mcp_server_event(s, BIND_MCP_FAIL);
		return;
	}
	if (message.kind > BIND_MCP_BROKEN)
		s->noise = 0;
	switch (message.kind) {
	case BIND_MCP_BLANK:
		break;
	case BIND_MCP_NOISE:
		hear_noise(s);
		break;
	case BIND_MCP_BROKEN:
		hear_broken(s, line, &message);
		break;
	case BIND_MCP_REQUEST:
		take_request(s, &message);
		break;
	case BIND_MCP_NOTIFICATION:
		if (wire_json_text_equal(message.method,
			WIRE_LIT("notifications/tools/list_changed")))
			s->stale = true;
		break;
	case BIND_MCP_RESULT:
	case BIND_MCP_ERROR:
		take_reply(s, &message, line);
		break;
	}
}

/* Whose line it is that grows: the one that it answers as far as that can be
 * seen, or else that of the oldest call. */
size_t
bind_mcp_hear_more(void *arg, const struct bind_mcp_sight *sight, size_t held)
{
	struct bind_mcp_server *s = arg;
	struct bind_mcp_call *call = NULL;
	uint64_t id;

	if (bind_mcp_sight_id(sight, &id))
		call = bind_mcp_call_find(s, id);
	if (call == NULL)
		call = TAILQ_FIRST(&s->calls);
	if (call == NULL || call->job->more == NULL)
		return 0;
	return call->job->more(call->job, held);
}

void
bind_mcp_hear_dropped(void *arg, const struct bind_mcp_sight *sight)
{
	struct bind_mcp_server *s = arg;
	struct bind_mcp_call *call = NULL;
	uint64_t id;

	if (bind_mcp_sight_id(sight, &id))
		call = bind_mcp_call_find(s, id);
	if (call != NULL)
		bind_mcp_call_over(call);
	else
		hear_noise(s);
}
