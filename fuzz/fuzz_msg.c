/*
 * Target: one line to one message and back (wire/msg.h).
 *
 * The input is a line; or, after the four bytes "make", a recipe for one (see
 * fuzz/make_line.h). Properties:
 *  - it is taken or refused with the word and at the offset that the tables in
 *    fuzz/model_msg.c give;
 *  - what is decoded and encoded is decoded again and is the same message,
 *    field by field, texts compared as what they spell;
 *  - that encodes to the same bytes; a frame is one line and one newline;
 *  - a member that PROTOCOL.md does not name, put in front, does not show;
 *  - the size of the key table does not show.
 */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "fuzz/make_line.h"
#include "fuzz/model_msg.h"
#include "wire/msg.h"

#define KEYS_MAX 65536
#define UNKNOWN	 "{\"\\u0000 unknown\":[{\"type\":1}],"

static struct wire_span
plain(struct wire_span raw, uint8_t **at)
{
	struct wire_span text = {*at, 0};

	FUZZ_REQUIRE(
	    wire_json_unescape(raw, *at, raw.len, &text.len) == WIRE_OK);
	*at += text.len;
	return text;
}

/* --- encoding ------------------------------------------------------------- */

static void
encode_run(struct wire_out *out, const struct wire_run *run, uint8_t *texts)
{
	struct wire_span *names = calloc(run->tool_count + 1, sizeof(*names));
	struct wire_json_cursor cursor;
	struct wire_span program, raw;
	size_t count = 0;

	FUZZ_REQUIRE(names != NULL);
	program = plain(run->program, &texts);
	wire_json_cursor_init(&cursor, run->tools);
	(void)wire_json_cursor_next(&cursor, &raw);
	while (wire_json_cursor_next(&cursor, &raw) == WIRE_TOK_STRING) {
		FUZZ_REQUIRE(count < run->tool_count);
		names[count++] = plain(raw, &texts);
	}
	FUZZ_REQUIRE(count == run->tool_count);
	wire_msg_encode_run(out, program, names, count, run->frame_max,
	    run->value_max, run->arguments_max,
	    run->has_left ? run->left : NULL);
	free(names);
}

static void
encode_reply(
    struct wire_out *out, const struct wire_reply *reply, uint8_t *texts)
{
	const uint64_t *left = reply->has_left ? reply->left : NULL;

	if (reply->kind == WIRE_REPLY_VALUE)
		wire_msg_encode_reply_value(out, reply->id, reply->value, left);
	else if (reply->kind == WIRE_REPLY_HANDLE)
		wire_msg_encode_reply_handle(out, reply->id,
		    plain(reply->handle, &texts), reply->handle_size,
		    plain(reply->preview, &texts), left);
	else
		wire_msg_encode_reply_error(out, reply->id, reply->error,
		    plain(reply->message, &texts), reply->hard, left);
}

static void
encode_into(struct wire_out *out, const struct wire_msg *msg, uint8_t *texts)
{
	switch (msg->type) {
	case WIRE_MSG_READY:
		wire_msg_encode_ready(out, &msg->u.ready);
		break;
	case WIRE_MSG_CALL:
		wire_msg_encode_call(out, msg->u.call.id,
		    (struct wire_span){msg->u.call.name, msg->u.call.name_len},
		    msg->u.call.arguments);
		break;
	case WIRE_MSG_DONE:
		wire_msg_encode_done(out, &msg->u.done);
		break;
	case WIRE_MSG_RUN:
		encode_run(out, &msg->u.run, texts);
		break;
	case WIRE_MSG_ABORT:
		wire_msg_encode_abort(out, plain(msg->u.abort.reason, &texts));
		break;
	case WIRE_MSG_REPLY:
		encode_reply(out, &msg->u.reply, texts);
		break;
	case WIRE_MSG_TYPES:
		FUZZ_REQUIRE(!"a message has a type");
	}
}

/* The frame without its newline; free() it. Words and numbers that were left
 * out may be written, so it may be longer than what was read. */
static struct wire_span
encode(const struct wire_msg *msg, size_t size)
{
	size_t max = size + 4096, len;
	uint8_t *buf = malloc(max), *texts = malloc(max);
	struct wire_out out;

	FUZZ_REQUIRE(buf != NULL && texts != NULL);
	wire_out_init(&out, buf, max);
	encode_into(&out, msg, texts);
	FUZZ_REQUIRE(wire_out_finish(&out, &len) == WIRE_OK);
	FUZZ_REQUIRE(memchr(buf, '\n', len) == buf + len - 1);
	free(texts);
	return (struct wire_span){buf, len - 1};
}

/* --- comparing ------------------------------------------------------------ */

static void
same_text(struct wire_span a, struct wire_span b)
{
	uint8_t *text = malloc(a.len + 1);
	size_t len;

	FUZZ_REQUIRE(text != NULL);
	FUZZ_REQUIRE(wire_json_unescape(a, text, a.len, &len) == WIRE_OK);
	FUZZ_REQUIRE(wire_json_text_equal(b, (struct wire_span){text, len}));
	free(text);
}

static void
same_texts(const struct wire_span *a, const struct wire_span *b, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		same_text(a[i], b[i]);
}

/* A value crosses unchanged; only its line ends become blanks, where it is
 * written anew. */
static void
same_value(struct wire_span a, struct wire_span b)
{
	size_t i;

	FUZZ_REQUIRE(a.len == b.len);
	for (i = 0; i < a.len; i++)
		FUZZ_REQUIRE(
		    b.p[i] == a.p[i] || (a.p[i] == '\n' && b.p[i] == ' '));
}

static void
same_ready(const struct wire_ready *a, const struct wire_ready *b)
{
	FUZZ_REQUIRE(a->protocol == b->protocol);
	same_text(a->python, b->python);
	FUZZ_REQUIRE(a->pid == b->pid && a->uid == b->uid && a->gid == b->gid);
	FUZZ_REQUIRE(a->no_new_privs == b->no_new_privs);
	FUZZ_REQUIRE(a->dumpable == b->dumpable && a->seccomp == b->seccomp);
	FUZZ_REQUIRE(a->landlock_abi == b->landlock_abi);
	FUZZ_REQUIRE(a->landlock_errno == b->landlock_errno);
	FUZZ_REQUIRE(a->inet_errno == b->inet_errno);
	FUZZ_REQUIRE(a->inet6_errno == b->inet6_errno);
	FUZZ_REQUIRE(a->fork_errno == b->fork_errno);
	FUZZ_REQUIRE(a->fd_count == b->fd_count);
	FUZZ_REQUIRE(memcmp(a->fds, b->fds, sizeof(a->fds)) == 0);
	FUZZ_REQUIRE(a->canary_count == b->canary_count);
	FUZZ_REQUIRE(memcmp(a->canary_before, b->canary_before,
			 sizeof(a->canary_before)) == 0);
	FUZZ_REQUIRE(memcmp(a->canary_after, b->canary_after,
			 sizeof(a->canary_after)) == 0);
	FUZZ_REQUIRE(a->environment_count == b->environment_count);
	same_texts(a->environment, b->environment, a->environment_count);
	FUZZ_REQUIRE(memcmp(a->soft, b->soft, sizeof(a->soft)) == 0);
	FUZZ_REQUIRE(memcmp(a->hard, b->hard, sizeof(a->hard)) == 0);
}

static void
same_call(const struct wire_call *a, const struct wire_call *b)
{
	FUZZ_REQUIRE(a->id == b->id && a->id <= WIRE_MAX_ID);
	FUZZ_REQUIRE(a->name_len == b->name_len && a->name_len > 0);
	FUZZ_REQUIRE(memcmp(a->name, b->name, a->name_len) == 0);
	same_value(a->arguments, b->arguments);
}

/* A status belongs to worker_exit, and only there it is sent on. */
static void
same_done(const struct wire_done *a, const struct wire_done *b)
{
	FUZZ_REQUIRE(a->has_value == b->has_value);
	FUZZ_REQUIRE(a->returned == b->returned);
	FUZZ_REQUIRE(a->oversize == b->oversize && a->kind == b->kind);
	FUZZ_REQUIRE(!a->has_value || a->kind == WIRE_CLAIM_NONE);
	same_value(a->value, b->value);
	same_text(a->message, b->message);
	same_text(a->traceback, b->traceback);
	FUZZ_REQUIRE(a->line == b->line);
	FUZZ_REQUIRE(
	    a->kind != WIRE_CLAIM_WORKER_EXIT || a->status == b->status);
	FUZZ_REQUIRE(a->warning_count == b->warning_count);
	same_texts(a->warnings, b->warnings, a->warning_count);
}

static void
same_run(const struct wire_run *a, const struct wire_run *b)
{
	struct wire_json_cursor x, y;
	enum wire_json_token token;
	struct wire_span s, t;

	same_text(a->program, b->program);
	FUZZ_REQUIRE(a->tool_count == b->tool_count);
	wire_json_cursor_init(&x, a->tools);
	wire_json_cursor_init(&y, b->tools);
	while ((token = wire_json_cursor_next(&x, &s)) != WIRE_TOK_END) {
		FUZZ_REQUIRE(wire_json_cursor_next(&y, &t) == token);
		if (token == WIRE_TOK_STRING)
			same_text(s, t);
	}
	FUZZ_REQUIRE(wire_json_cursor_next(&y, &t) == WIRE_TOK_END);
	FUZZ_REQUIRE(a->frame_max == b->frame_max);
	FUZZ_REQUIRE(a->value_max == b->value_max);
	FUZZ_REQUIRE(a->arguments_max == b->arguments_max);
}

static void
same_reply(const struct wire_reply *a, const struct wire_reply *b)
{
	FUZZ_REQUIRE(a->id == b->id && a->kind == b->kind);
	same_value(a->value, b->value);
	same_text(a->handle, b->handle);
	FUZZ_REQUIRE(a->handle_size == b->handle_size);
	same_text(a->preview, b->preview);
	FUZZ_REQUIRE(a->error == b->error && a->hard == b->hard);
	same_text(a->message, b->message);
}

static void
same_message(const struct wire_msg *a, const struct wire_msg *b)
{
	FUZZ_REQUIRE(a->type == b->type);
	if (a->type == WIRE_MSG_READY)
		same_ready(&a->u.ready, &b->u.ready);
	else if (a->type == WIRE_MSG_CALL)
		same_call(&a->u.call, &b->u.call);
	else if (a->type == WIRE_MSG_DONE)
		same_done(&a->u.done, &b->u.done);
	else if (a->type == WIRE_MSG_RUN)
		same_run(&a->u.run, &b->u.run);
	else if (a->type == WIRE_MSG_ABORT)
		same_text(a->u.abort.reason, b->u.abort.reason);
	else
		same_reply(&a->u.reply, &b->u.reply);
}

/* --- decoding ------------------------------------------------------------- */

/* With the smallest key table that holds what the line needs. */
static enum wire_err
decode(struct wire_span line, uint64_t seed, size_t keys_max,
    struct wire_msg *ret_msg, struct wire_errinfo *info)
{
	struct wire_json_scratch scratch;
	enum wire_err err;
	void *mem;

	for (; keys_max <= KEYS_MAX; keys_max *= 2) {
		mem = malloc(wire_json_scratch_size(keys_max));
		FUZZ_REQUIRE(mem != NULL);
		wire_json_scratch_init(&scratch, mem, keys_max, seed);
		err = wire_msg_decode(line, &scratch, ret_msg, info);
		FUZZ_REQUIRE(fuzz_is_zero(
		    scratch.slots, scratch.slot_count * sizeof(uint32_t)));
		free(mem);
		if (err != WIRE_ERR_NEED_SCRATCH)
			return err;
	}
	FUZZ_REQUIRE(!"a line of this length has so many names");
	return err;
}

static void
check_error(
    struct wire_span line, enum wire_err err, const struct wire_errinfo *info)
{
	size_t offset;

	FUZZ_REQUIRE(err == model_msg(line, &offset));
	FUZZ_REQUIRE(
	    err == WIRE_OK || (info->site != NULL && info->offset == offset));
}

/* The same line with a member in front that nobody knows. */
static void
check_unknown(struct wire_span line, const struct wire_msg *msg)
{
	const uint8_t *brace = memchr(line.p, '{', line.len);
	size_t before = (size_t)(brace + 1 - line.p);
	struct wire_span more = {NULL, line.len + sizeof(UNKNOWN) - 2};
	struct wire_errinfo info;
	struct wire_msg again;
	enum wire_err err;
	uint8_t *buf = malloc(more.len);

	FUZZ_REQUIRE(buf != NULL);
	memcpy(buf, UNKNOWN, sizeof(UNKNOWN) - 1);
	memcpy(buf + sizeof(UNKNOWN) - 1, line.p + before, line.len - before);
	more.p = buf;
	more.len = sizeof(UNKNOWN) - 1 + line.len - before;
	err = decode(more, 5, 64, &again, &info);
	/* There may be one of that name, or as many members as may be. */
	FUZZ_REQUIRE(err == WIRE_OK || err == WIRE_ERR_DUPLICATE_MEMBER ||
	    err == WIRE_ERR_TOO_MANY_MEMBERS);
	if (err == WIRE_OK)
		same_message(msg, &again);
	free(buf);
}

static void
check_line(struct wire_span line)
{
	struct wire_span once, twice;
	struct wire_errinfo info = {NULL, 0, 0}, other = {NULL, 0, 0};
	struct wire_msg msg, again;
	enum wire_err err;

	err = decode(line, 3, 16, &msg, &info);
	FUZZ_REQUIRE(decode(line, 0x6c078965u, 256, &again, &other) == err);
	FUZZ_REQUIRE(err == WIRE_OK || info.offset == other.offset);
	check_error(line, err, &info);
	if (err != WIRE_OK)
		return;
	once = encode(&msg, line.len);
	FUZZ_REQUIRE(decode(once, 3, 16, &again, NULL) == WIRE_OK);
	same_message(&msg, &again);
	twice = encode(&again, line.len);
	FUZZ_REQUIRE(wire_span_equal(once, twice));
	check_unknown(line, &msg);
	free((void *)(uintptr_t)once.p);
	free((void *)(uintptr_t)twice.p);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wire_span in = {data, size}, line;

	if (size < 4 || memcmp(data, "make", 4) != 0) {
		check_line(in);
		return 0;
	}
	(void)fuzz_bytes(&in, 4);
	line = make_line(&in);
	check_line(line);
	free((void *)(uintptr_t)line.p);
	return 0;
}
