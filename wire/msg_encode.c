#include "wire/msg.h"

static void
begin(struct wire_out *out, enum wire_msg_type type)
{
	wire_out_begin_object(out);
	wire_out_key(out, "type");
	wire_out_text(out, wire_msg_type_word(type));
}

static void
end(struct wire_out *out)
{
	wire_out_end_object(out);
	wire_out_newline(out);
}

static void
member_uint(struct wire_out *out, const char *name, uint64_t value)
{
	wire_out_key(out, name);
	wire_out_uint(out, value);
}

static void
member_text(struct wire_out *out, const char *name, const char *text)
{
	wire_out_key(out, name);
	wire_out_text(out, text);
}

static void
member_raw_string(struct wire_out *out, const char *name, struct wire_span raw)
{
	wire_out_key(out, name);
	wire_out_raw_string(out, raw);
}

static void
member_uints(
    struct wire_out *out, const char *name, const uint32_t *list, size_t count)
{
	size_t i;

	wire_out_key(out, name);
	wire_out_begin_array(out);
	for (i = 0; i < count; i++)
		wire_out_uint(out, list[i]);
	wire_out_end_array(out);
}

static void
member_raw_strings(struct wire_out *out, const char *name,
    const struct wire_span *list, size_t count)
{
	size_t i;

	wire_out_key(out, name);
	wire_out_begin_array(out);
	for (i = 0; i < count; i++)
		wire_out_raw_string(out, list[i]);
	wire_out_end_array(out);
}

static void
member_left(struct wire_out *out, const uint64_t *left)
{
	unsigned i;

	if (left == NULL)
		return;
	wire_out_key(out, "left");
	wire_out_begin_array(out);
	for (i = 0; i < WIRE_LEFTS; i++)
		wire_out_uint(out, left[i]);
	wire_out_end_array(out);
}

static void
limit_value(struct wire_out *out, uint64_t value)
{
	if (value == WIRE_LIMIT_INFINITY)
		wire_out_null(out);
	else
		wire_out_uint(out, value);
}

static void
ready_limits(struct wire_out *out, const struct wire_ready *ready)
{
	unsigned i;

	wire_out_key(out, "limits");
	wire_out_begin_object(out);
	for (i = 0; i < WIRE_LIMITS; i++) {
		wire_out_key(out, wire_limit_word((enum wire_limit)i));
		wire_out_begin_array(out);
		limit_value(out, ready->soft[i]);
		limit_value(out, ready->hard[i]);
		wire_out_end_array(out);
	}
	wire_out_end_object(out);
}

void
wire_msg_encode_ready(struct wire_out *out, const struct wire_ready *ready)
{
	begin(out, WIRE_MSG_READY);
	member_uint(out, "protocol", ready->protocol);
	member_raw_string(out, "python", ready->python);
	member_uint(out, "pid", ready->pid);
	member_uint(out, "uid", ready->uid);
	member_uint(out, "gid", ready->gid);
	member_uint(out, "no_new_privs", ready->no_new_privs);
	member_uint(out, "dumpable", ready->dumpable);
	member_uint(out, "seccomp", ready->seccomp);
	wire_out_key(out, "landlock");
	wire_out_begin_object(out);
	member_uint(out, "abi", ready->landlock_abi);
	member_uint(out, "errno", ready->landlock_errno);
	wire_out_end_object(out);
	wire_out_key(out, "network");
	wire_out_begin_object(out);
	member_uint(out, "inet", ready->inet_errno);
	member_uint(out, "inet6", ready->inet6_errno);
	wire_out_end_object(out);
	member_uint(out, "fork", ready->fork_errno);
	member_uints(out, "descriptors", ready->fds, ready->fd_count);
	wire_out_key(out, "canaries");
	wire_out_begin_object(out);
	member_uints(out, "before", ready->canary_before, ready->canary_count);
	member_uints(out, "after", ready->canary_after, ready->canary_count);
	wire_out_end_object(out);
	member_raw_strings(
	    out, "environment", ready->environment, ready->environment_count);
	ready_limits(out, ready);
	end(out);
}

void
wire_msg_encode_call(struct wire_out *out, uint64_t id,
    struct wire_span name_text, struct wire_span arguments)
{
	begin(out, WIRE_MSG_CALL);
	member_uint(out, "id", id);
	wire_out_key(out, "name");
	wire_out_string(out, name_text);
	wire_out_key(out, "arguments");
	wire_out_raw(out, arguments);
	end(out);
}

static void
done_error(struct wire_out *out, const struct wire_done *done)
{
	wire_out_key(out, "error");
	wire_out_begin_object(out);
	member_text(out, "kind", wire_claim_kind_word(done->kind));
	member_raw_string(out, "message", done->message);
	if (done->traceback.len != 0)
		member_raw_string(out, "traceback", done->traceback);
	if (done->line != 0)
		member_uint(out, "line", done->line);
	if (done->kind == WIRE_CLAIM_WORKER_EXIT)
		member_uint(out, "status", done->status);
	wire_out_end_object(out);
}

void
wire_msg_encode_done(struct wire_out *out, const struct wire_done *done)
{
	begin(out, WIRE_MSG_DONE);
	if (done->has_value) {
		wire_out_key(out, "value");
		wire_out_raw(out, done->value);
	} else if (done->kind != WIRE_CLAIM_NONE) {
		done_error(out, done);
	} else {
		member_uint(out, "oversize", done->oversize);
	}
	/* An error is no answer, so nothing is said about its return. */
	if ((done->has_value || done->kind == WIRE_CLAIM_NONE) &&
	    !done->returned) {
		wire_out_key(out, "returned");
		wire_out_bool(out, false);
	}
	if (done->warning_count != 0)
		member_raw_strings(
		    out, "warnings", done->warnings, done->warning_count);
	end(out);
}

void
wire_msg_encode_run(struct wire_out *out, struct wire_span program_text,
    const struct wire_span *name_texts, size_t name_count, uint64_t frame_max,
    uint64_t value_max, uint64_t arguments_max, const uint64_t *left)
{
	size_t i;

	begin(out, WIRE_MSG_RUN);
	wire_out_key(out, "program");
	wire_out_string(out, program_text);
	wire_out_key(out, "tools");
	wire_out_begin_array(out);
	for (i = 0; i < name_count; i++)
		wire_out_string(out, name_texts[i]);
	wire_out_end_array(out);
	wire_out_key(out, "limits");
	wire_out_begin_object(out);
	member_uint(out, "frame", frame_max);
	member_uint(out, "value", value_max);
	member_uint(out, "arguments", arguments_max);
	wire_out_end_object(out);
	member_left(out, left);
	end(out);
}

void
wire_msg_encode_abort(struct wire_out *out, struct wire_span reason_text)
{
	begin(out, WIRE_MSG_ABORT);
	wire_out_key(out, "reason");
	wire_out_cut_string(out, reason_text, WIRE_MAX_MESSAGE);
	end(out);
}

void
wire_msg_encode_reply_value(struct wire_out *out, uint64_t id,
    struct wire_span value, const uint64_t *left)
{
	begin(out, WIRE_MSG_REPLY);
	member_uint(out, "id", id);
	wire_out_key(out, "value");
	wire_out_raw(out, value);
	member_left(out, left);
	end(out);
}

void
wire_msg_encode_reply_handle(struct wire_out *out, uint64_t id,
    struct wire_span handle_text, uint64_t size, struct wire_span preview_text,
    const uint64_t *left)
{
	begin(out, WIRE_MSG_REPLY);
	member_uint(out, "id", id);
	wire_out_key(out, "handle");
	wire_out_begin_object(out);
	wire_out_key(out, "token");
	wire_out_string(out, handle_text);
	member_uint(out, "size", size);
	if (preview_text.len > 0) {
		wire_out_key(out, "preview");
		wire_out_cut_string(out, preview_text, WIRE_MAX_PREVIEW);
	}
	wire_out_end_object(out);
	member_left(out, left);
	end(out);
}

void
wire_msg_encode_reply_error(struct wire_out *out, uint64_t id,
    enum wire_tool_kind kind, struct wire_span message_text, bool hard,
    const uint64_t *left)
{
	begin(out, WIRE_MSG_REPLY);
	member_uint(out, "id", id);
	wire_out_key(out, "error");
	wire_out_begin_object(out);
	member_text(out, "kind", wire_tool_kind_word(kind));
	wire_out_key(out, "message");
	wire_out_cut_string(out, message_text, WIRE_MAX_MESSAGE);
	wire_out_key(out, "hard");
	wire_out_bool(out, hard);
	wire_out_end_object(out);
	member_left(out, left);
	end(out);
}
