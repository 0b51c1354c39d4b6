#include "wire/msg.h"

#include <string.h>

#include "wire/json_keys.h"
#include "wire/msg_fields.h"

/*
 * What is not asked for by name is dropped (W5). The first error latches in
 * the reader and the takers do nothing after it, so a decoder reads as the
 * list of its fields, in the order of PROTOCOL.md.
 */

#define WORD_MAX 64 /* longer than any word of a closed set */

/* --- frames, child to host ----------------------------------------------- */

/* [soft, hard], null for no limit. */
static void
take_limit(struct wire_reader *r, const struct wire_object *limits,
    enum wire_limit limit, struct wire_ready *ready)
{
	const char *name = wire_limit_word(limit);
	struct wire_json_cursor cursor;
	enum wire_json_token token;
	struct wire_span text;
	uint64_t pair[2];
	size_t i;

	if (!wire_take_array(r, limits, name, &cursor))
		return;
	for (i = 0; i < 2; i++) {
		token = wire_take_next(&cursor, &text);
		pair[i] = WIRE_LIMIT_INFINITY;
		if (token != WIRE_TOK_NULL &&
		    (token != WIRE_TOK_NUMBER ||
			!wire_json_plain_uint(
			    text, WIRE_LIMIT_INFINITY - 1, &pair[i])))
			wire_fields_bad(
			    r, name, wire_fields_find(limits, name));
	}
	if (wire_take_next(&cursor, &text) != WIRE_TOK_ARRAY_END)
		wire_fields_bad(r, name, wire_fields_find(limits, name));
	ready->soft[limit] = pair[0];
	ready->hard[limit] = pair[1];
}

static void
ready_descriptors(struct wire_reader *r, const struct wire_object *frame,
    struct wire_ready *ready)
{
	size_t i;

	ready->fd_count = wire_take_uints(
	    r, frame, "descriptors", ready->fds, WIRE_READY_MAX_FDS);
	for (i = 1; i < ready->fd_count; i++) {
		if (ready->fds[i] <= ready->fds[i - 1])
			wire_fields_bad(r, "descriptors",
			    wire_fields_find(frame, "descriptors"));
	}
}

static void
ready_canaries(struct wire_reader *r, const struct wire_object *frame,
    struct wire_ready *ready)
{
	struct wire_object canaries;
	size_t after;

	if (!wire_take_object(r, frame, "canaries", &canaries))
		return;
	ready->canary_count = wire_take_uints(r, &canaries, "before",
	    ready->canary_before, WIRE_READY_MAX_CANARIES);
	after = wire_take_uints(r, &canaries, "after", ready->canary_after,
	    WIRE_READY_MAX_CANARIES);
	if (after != ready->canary_count)
		wire_fields_bad(
		    r, "canaries", wire_fields_find(frame, "canaries"));
}

static void
decode_ready(struct wire_reader *r, const struct wire_object *frame,
    struct wire_ready *ready)
{
	struct wire_object part;
	unsigned i;

	ready->protocol = wire_take_uint32(r, frame, "protocol");
	if (r->err == WIRE_OK && ready->protocol != WIRE_PROTOCOL_VERSION)
		wire_fields_bad(
		    r, "protocol", wire_fields_find(frame, "protocol"));
	ready->python = wire_take_string(r, frame, "python", WIRE_MAX_VERSION);
	ready->pid = wire_take_uint32(r, frame, "pid");
	ready->uid = wire_take_uint32(r, frame, "uid");
	ready->gid = wire_take_uint32(r, frame, "gid");
	ready->no_new_privs = wire_take_uint32(r, frame, "no_new_privs");
	ready->dumpable = wire_take_uint32(r, frame, "dumpable");
	ready->seccomp = wire_take_uint32(r, frame, "seccomp");
	if (wire_take_object(r, frame, "landlock", &part)) {
		ready->landlock_abi = wire_take_uint32(r, &part, "abi");
		ready->landlock_errno = wire_take_uint32(r, &part, "errno");
	}
	if (wire_take_object(r, frame, "network", &part)) {
		ready->inet_errno = wire_take_uint32(r, &part, "inet");
		ready->inet6_errno = wire_take_uint32(r, &part, "inet6");
	}
	ready->fork_errno = wire_take_uint32(r, frame, "fork");
	ready_descriptors(r, frame, ready);
	ready_canaries(r, frame, ready);
	ready->environment_count = wire_take_strings(r, frame, "environment",
	    ready->environment, WIRE_READY_MAX_ENV, WIRE_MAX_MESSAGE);
	if (wire_take_object(r, frame, "limits", &part)) {
		for (i = 0; i < WIRE_LIMITS; i++)
			take_limit(r, &part, (enum wire_limit)i, ready);
	}
}

/* The one field with an error of its own, since calls are counted by it. */
static uint64_t
take_id(struct wire_reader *r, const struct wire_object *frame)
{
	const struct wire_json_member *m = wire_fields_find(frame, "id");
	uint64_t id = 0;

	if (r->err != WIRE_OK)
		return 0;
	if (m == NULL)
		wire_fields_fail(r, WIRE_ERR_MISSING_FIELD, "id", frame->begin);
	else if (m->type != WIRE_JSON_NUMBER ||
	    !wire_json_plain_uint(m->value, WIRE_MAX_ID, &id))
		wire_fields_fail(r, WIRE_ERR_BAD_ID, "id", m->value.p);
	return id;
}

static void
decode_call(struct wire_reader *r, const struct wire_object *frame,
    struct wire_call *call)
{
	const struct wire_json_member *m;
	struct wire_span raw;

	call->id = take_id(r, frame);
	raw = wire_take_string(r, frame, "name", 6 * WIRE_MAX_TOOL_NAME);
	if (r->err != WIRE_OK)
		return;
	if (wire_json_unescape(raw, call->name, WIRE_MAX_TOOL_NAME,
		&call->name_len) != WIRE_OK ||
	    call->name_len == 0)
		wire_fields_bad(r, "name", wire_fields_find(frame, "name"));
	m = wire_fields_need(r, frame, "arguments", WIRE_JSON_OBJECT);
	if (m != NULL)
		call->arguments = m->value;
}

/* A word of a closed set, unescaped at text. */
static struct wire_span
take_word(struct wire_reader *r, const struct wire_object *object,
    const char *name, uint8_t text[WORD_MAX])
{
	struct wire_span raw = wire_take_string(r, object, name, 6 * WORD_MAX);
	struct wire_span word = {text, 0};

	/* What does not fit is none of the words, like the empty one. */
	if (wire_json_unescape(raw, text, WORD_MAX, &word.len) != WIRE_OK)
		word.len = 0;
	return word;
}

static void
done_error(struct wire_reader *r, const struct wire_object *frame,
    struct wire_done *done)
{
	struct wire_object error;
	uint8_t word[WORD_MAX];
	struct wire_span kind;

	if (!wire_take_object(r, frame, "error", &error))
		return;
	done->returned = false;
	kind = take_word(r, &error, "kind", word);
	if (r->err == WIRE_OK) {
		done->kind = wire_claim_kind_from(kind);
		if (done->kind == WIRE_CLAIM_NONE)
			wire_fields_bad(
			    r, "kind", wire_fields_find(&error, "kind"));
	}
	done->message =
	    wire_take_string(r, &error, "message", WIRE_MAX_MESSAGE);
	if (wire_fields_find(&error, "traceback") != NULL)
		done->traceback = wire_take_string(
		    r, &error, "traceback", WIRE_MAX_TRACEBACK);
	if (wire_fields_find(&error, "line") != NULL) {
		done->line = wire_take_uint32(r, &error, "line");
		if (r->err == WIRE_OK && done->line == 0)
			wire_fields_bad(
			    r, "line", wire_fields_find(&error, "line"));
	}
	if (wire_fields_find(&error, "status") != NULL)
		done->status = wire_take_uint32(r, &error, "status");
}

static void
decode_done(struct wire_reader *r, const struct wire_object *frame,
    struct wire_done *done)
{
	static const char *const answers[] = {"value", "oversize", "error"};

	done->returned = true;
	switch (wire_take_one_of(r, frame, answers, 3)) {
	case 0:
		done->has_value = true;
		done->value = wire_fields_find(frame, "value")->value;
		break;
	case 1:
		done->oversize =
		    wire_take_uint(r, frame, "oversize", WIRE_MAX_ID);
		break;
	case 2:
		done_error(r, frame, done);
		break;
	default:
		return;
	}
	if (wire_fields_find(frame, "returned") != NULL) {
		bool returned = wire_take_bool(r, frame, "returned");

		if (done->kind == WIRE_CLAIM_NONE)
			done->returned = returned;
	}
	if (wire_fields_find(frame, "warnings") != NULL)
		done->warning_count = wire_take_strings(r, frame, "warnings",
		    done->warnings, WIRE_MAX_WARNINGS, WIRE_MAX_WARNING);
}

/* --- frames, host to child ----------------------------------------------- */

/* The decoded length of a raw name, or 0 when it is over the limit. */
static bool
is_tool_name(struct wire_span raw)
{
	uint8_t name[WIRE_MAX_TOOL_NAME];
	size_t len;

	return wire_json_unescape(raw, name, sizeof(name), &len) == WIRE_OK &&
	    len != 0;
}

/*
 * Distinct names, in linear time: they go through the table that finds
 * duplicate members.
 */
static void
run_tools(struct wire_reader *r, const struct wire_object *frame,
    struct wire_run *run)
{
	const struct wire_json_member *m;
	struct wire_json_names names;
	struct wire_json_keys keys;
	struct wire_json_cursor cursor;
	enum wire_json_token token;
	struct wire_span text;
	enum wire_err err = WIRE_OK;

	if (!wire_take_array(r, frame, "tools", &cursor))
		return;
	m = wire_fields_find(frame, "tools");
	run->tools = m->value;
	wire_json_keys_init(&keys, r->scratch);
	wire_json_keys_open(&keys, &names);
	while ((token = wire_take_next(&cursor, &text)) != WIRE_TOK_ARRAY_END) {
		if (token != WIRE_TOK_STRING || !is_tool_name(text)) {
			err = WIRE_ERR_BAD_FIELD;
			break;
		}
		err = wire_json_keys_add(&keys, &names, text,
		    memchr(text.p, '\\', text.len) != NULL, text.p + text.len);
		if (err != WIRE_OK)
			break;
	}
	run->tool_count = keys.count;
	wire_json_keys_close(&keys, &names);
	if (err == WIRE_ERR_DUPLICATE_MEMBER)
		err = WIRE_ERR_BAD_FIELD;
	if (err != WIRE_OK)
		wire_fields_fail(r, err, "tools", m->value.p);
}

/* Exactly as many as there are meters. False: none are there. */
static bool
take_left(struct wire_reader *r, const struct wire_object *frame,
    uint64_t left[WIRE_LEFTS])
{
	struct wire_json_cursor cursor;
	enum wire_json_token token;
	struct wire_span text;
	size_t count = 0;

	if (wire_fields_find(frame, "left") == NULL ||
	    !wire_take_array(r, frame, "left", &cursor))
		return false;
	while ((token = wire_take_next(&cursor, &text)) != WIRE_TOK_ARRAY_END) {
		if (token != WIRE_TOK_NUMBER || count == WIRE_LEFTS ||
		    !wire_json_plain_uint(text, WIRE_MAX_ID, &left[count++]))
			break;
	}
	if (token != WIRE_TOK_ARRAY_END || count != WIRE_LEFTS)
		wire_fields_bad(r, "left", wire_fields_find(frame, "left"));
	return true;
}

static void
decode_run(struct wire_reader *r, const struct wire_object *frame,
    struct wire_run *run)
{
	struct wire_object limits;

	run->program = wire_take_string(r, frame, "program", WIRE_MAX_FRAME);
	run_tools(r, frame, run);
	if (wire_take_object(r, frame, "limits", &limits)) {
		run->frame_max =
		    wire_take_uint(r, &limits, "frame", WIRE_MAX_FRAME);
		run->value_max =
		    wire_take_uint(r, &limits, "value", WIRE_MAX_FRAME);
		run->arguments_max =
		    wire_take_uint(r, &limits, "arguments", WIRE_MAX_FRAME);
	}
	run->has_left = take_left(r, frame, run->left);
}

static void
reply_error(struct wire_reader *r, const struct wire_object *frame,
    struct wire_reply *reply)
{
	struct wire_object error;
	uint8_t word[WORD_MAX];
	struct wire_span kind;

	if (!wire_take_object(r, frame, "error", &error))
		return;
	kind = take_word(r, &error, "kind", word);
	if (r->err == WIRE_OK) {
		reply->error = wire_tool_kind_from(kind);
		if (reply->error == WIRE_TOOL_NONE)
			wire_fields_bad(
			    r, "kind", wire_fields_find(&error, "kind"));
	}
	reply->message =
	    wire_take_string(r, &error, "message", WIRE_MAX_MESSAGE);
	reply->hard = wire_take_bool(r, &error, "hard");
}

static void
decode_reply(struct wire_reader *r, const struct wire_object *frame,
    struct wire_reply *reply)
{
	static const char *const answers[] = {"value", "handle", "error"};
	struct wire_object handle;

	reply->id = take_id(r, frame);
	switch (wire_take_one_of(r, frame, answers, 3)) {
	case 0:
		reply->kind = WIRE_REPLY_VALUE;
		reply->value = wire_fields_find(frame, "value")->value;
		break;
	case 1:
		reply->kind = WIRE_REPLY_HANDLE;
		if (!wire_take_object(r, frame, "handle", &handle))
			break;
		reply->handle =
		    wire_take_string(r, &handle, "token", WIRE_MAX_HANDLE);
		if (r->err == WIRE_OK && reply->handle.len == 0)
			wire_fields_bad(
			    r, "token", wire_fields_find(&handle, "token"));
		reply->handle_size =
		    wire_take_uint(r, &handle, "size", WIRE_MAX_ID);
		if (wire_fields_find(&handle, "preview") != NULL)
			reply->preview = wire_take_string(
			    r, &handle, "preview", WIRE_MAX_PREVIEW);
		break;
	case 2:
		reply->kind = WIRE_REPLY_ERROR;
		reply_error(r, frame, reply);
		break;
	default:
		break;
	}
	reply->has_left = take_left(r, frame, reply->left);
}

/* --- any frame ----------------------------------------------------------- */

static enum wire_msg_type
take_type(struct wire_reader *r, const struct wire_object *frame)
{
	const struct wire_json_member *m;
	struct wire_span raw;
	unsigned i;

	m = wire_fields_need(r, frame, "type", WIRE_JSON_STRING);
	if (m == NULL)
		return WIRE_MSG_TYPES;
	raw = (struct wire_span){m->value.p + 1, m->value.len - 2};
	for (i = 0; i < WIRE_MSG_TYPES; i++) {
		const char *word = wire_msg_type_word((enum wire_msg_type)i);

		if (wire_json_text_equal(raw,
			(struct wire_span){
			    (const uint8_t *)word, strlen(word)}))
			return (enum wire_msg_type)i;
	}
	wire_fields_fail(r, WIRE_ERR_UNKNOWN_TYPE, "type", m->value.p);
	return WIRE_MSG_TYPES;
}

static void
decode_fields(struct wire_reader *r, const struct wire_object *frame,
    struct wire_msg *msg)
{
	switch (msg->type) {
	case WIRE_MSG_READY:
		decode_ready(r, frame, &msg->u.ready);
		break;
	case WIRE_MSG_CALL:
		decode_call(r, frame, &msg->u.call);
		break;
	case WIRE_MSG_DONE:
		decode_done(r, frame, &msg->u.done);
		break;
	case WIRE_MSG_RUN:
		decode_run(r, frame, &msg->u.run);
		break;
	case WIRE_MSG_ABORT:
		msg->u.abort.reason =
		    wire_take_string(r, frame, "reason", WIRE_MAX_MESSAGE);
		break;
	case WIRE_MSG_REPLY:
		decode_reply(r, frame, &msg->u.reply);
		break;
	case WIRE_MSG_TYPES:
		break;
	}
}

enum wire_err
wire_msg_decode(struct wire_span line, struct wire_json_scratch *scratch,
    struct wire_msg *ret_msg, struct wire_errinfo *info)
{
	struct wire_reader r = {.begin = line.p, .scratch = scratch};
	struct wire_object frame;
	struct wire_msg msg;

	memset(&msg, 0, sizeof(msg));
	if (wire_fields_scan(&r, line, "frame", &frame)) {
		msg.type = take_type(&r, &frame);
		if (r.err == WIRE_OK)
			decode_fields(&r, &frame, &msg);
	}
	if (r.err != WIRE_OK)
		return wire_fail(info, r.err, r.site, r.offset);
	*ret_msg = msg;
	return WIRE_OK;
}
