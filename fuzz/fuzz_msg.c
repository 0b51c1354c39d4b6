/*
 * Target: one line to one message. Property: what is decoded and encoded is
 * decoded again, and encodes to the same bytes; a frame holds one newline.
 */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "wire/msg.h"

#define TOOLS_MAX 1024

static struct wire_span
plain(struct wire_span raw, uint8_t **at)
{
	struct wire_span text = {*at, 0};

	FUZZ_REQUIRE(
	    wire_json_unescape(raw, *at, raw.len, &text.len) == WIRE_OK);
	*at += text.len;
	return text;
}

static void
encode_run(struct wire_out *out, const struct wire_run *run, uint8_t *texts)
{
	static struct wire_span names[TOOLS_MAX];
	struct wire_json_cursor cursor;
	struct wire_span program, raw;
	size_t count = 0;

	program = plain(run->program, &texts);
	wire_json_cursor_init(&cursor, run->tools);
	(void)wire_json_cursor_next(&cursor, &raw);
	while (count < TOOLS_MAX &&
	    wire_json_cursor_next(&cursor, &raw) == WIRE_TOK_STRING)
		names[count++] = plain(raw, &texts);
	FUZZ_REQUIRE(count == TOOLS_MAX || count == run->tool_count);
	wire_msg_encode_run(out, program, names, count, run->frame_max,
	    run->value_max, run->arguments_max);
}

static void
encode_reply(
    struct wire_out *out, const struct wire_reply *reply, uint8_t *texts)
{
	if (reply->kind == WIRE_REPLY_VALUE)
		wire_msg_encode_reply_value(out, reply->id, reply->value);
	else if (reply->kind == WIRE_REPLY_HANDLE)
		wire_msg_encode_reply_handle(out, reply->id,
		    plain(reply->handle, &texts), reply->handle_size);
	else
		wire_msg_encode_reply_error(out, reply->id, reply->error,
		    plain(reply->message, &texts), reply->hard);
}

/* Encodes into buf; the frame without its newline. */
static struct wire_span
encode(const struct wire_msg *msg, uint8_t *buf, size_t max, uint8_t *texts)
{
	struct wire_out out;
	size_t len;

	wire_out_init(&out, buf, max);
	if (msg->type == WIRE_MSG_READY)
		wire_msg_encode_ready(&out, &msg->u.ready);
	else if (msg->type == WIRE_MSG_CALL)
		wire_msg_encode_call(&out, msg->u.call.id,
		    (struct wire_span){msg->u.call.name, msg->u.call.name_len},
		    msg->u.call.arguments);
	else if (msg->type == WIRE_MSG_DONE)
		wire_msg_encode_done(&out, &msg->u.done);
	else if (msg->type == WIRE_MSG_RUN)
		encode_run(&out, &msg->u.run, texts);
	else if (msg->type == WIRE_MSG_ABORT)
		wire_msg_encode_abort(&out, plain(msg->u.abort.reason, &texts));
	else
		encode_reply(&out, &msg->u.reply, texts);
	FUZZ_REQUIRE(wire_out_finish(&out, &len) == WIRE_OK);
	FUZZ_REQUIRE(memchr(buf, '\n', len) == buf + len - 1);
	return (struct wire_span){buf, len - 1};
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t max = size + 4096;
	uint8_t *mem = malloc(3 * max + wire_json_scratch_size(4096));
	struct wire_json_scratch scratch;
	struct wire_msg msg, again;
	struct wire_span once, twice;

	FUZZ_REQUIRE(mem != NULL);
	wire_json_scratch_init(&scratch, mem, 4096, 3);
	data = size != 0 ? data : mem;
	mem += wire_json_scratch_size(4096);
	if (wire_msg_decode((struct wire_span){data, size}, &scratch, &msg,
		NULL) == WIRE_OK) {
		once = encode(&msg, mem, max, mem + 2 * max);
		FUZZ_REQUIRE(
		    wire_msg_decode(once, &scratch, &again, NULL) == WIRE_OK);
		FUZZ_REQUIRE(again.type == msg.type);
		twice = encode(&again, mem + max, max, mem + 2 * max);
		FUZZ_REQUIRE(wire_span_equal(once, twice));
	}
	free(scratch.keys);
	return 0;
}
