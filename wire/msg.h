/*
 * The six frames of the protocol, decoded field by field and encoded (W2, W5).
 *
 * Owns: nothing; decoded messages point into the line. Refuses: everything
 * PROTOCOL.md calls a violation except turns and call order, which are
 * wire/session.h's. Unknown extra members are dropped.
 *
 * Threads: pure.
 */
#ifndef WIRE_MSG_H
#define WIRE_MSG_H

#include "wire/err.h"
#include "wire/json.h"
#include "wire/json_out.h"
#include "wire/kinds.h"
#include "wire/limits.h"
#include "wire/span.h"

enum wire_msg_type {
	WIRE_MSG_READY, /* child to host */
	WIRE_MSG_CALL,
	WIRE_MSG_DONE,
	WIRE_MSG_RUN, /* host to child */
	WIRE_MSG_ABORT,
	WIRE_MSG_REPLY,
	WIRE_MSG_TYPES
};

/* "ready", "call", ... */
const char *wire_msg_type_word(enum wire_msg_type type);

/* Whether it is the child that sends this type. */
static inline bool
wire_msg_is_childs(enum wire_msg_type type)
{
	return type == WIRE_MSG_READY || type == WIRE_MSG_CALL ||
	    type == WIRE_MSG_DONE;
}

/* Resource limits that travel in `ready`, in this order. */
enum wire_limit {
	WIRE_LIMIT_CORE,
	WIRE_LIMIT_CPU,
	WIRE_LIMIT_AS,
	WIRE_LIMIT_FSIZE,
	WIRE_LIMIT_NPROC,
	WIRE_LIMIT_NOFILE,
	WIRE_LIMITS
};

#define WIRE_LIMIT_INFINITY UINT64_MAX

/* "core", "cpu", "address_space", "file_size", "processes", "open_files" */
const char *wire_limit_word(enum wire_limit limit);

#define WIRE_READY_MAX_FDS	32
#define WIRE_READY_MAX_CANARIES 16
#define WIRE_READY_MAX_ENV	64

/* What the child saw of itself. Claims: the host compares, never trusts. */
struct wire_ready {
	uint32_t protocol;
	struct wire_span python; /* raw string, e.g. 3.11.2 */
	uint32_t pid;		 /* in its own namespace */
	uint32_t uid, gid;
	uint32_t no_new_privs;
	uint32_t dumpable;
	uint32_t seccomp;	 /* mode: 0, 1, 2 */
	uint32_t landlock_abi;	 /* 0: none */
	uint32_t landlock_errno; /* why none, or 0 */
	uint32_t inet_errno;	 /* of socket(AF_INET); 0: it opened */
	uint32_t inet6_errno;
	uint32_t fork_errno; /* of a fork that could do no harm; 0: forked */
	uint32_t fds[WIRE_READY_MAX_FDS]; /* open descriptors, ascending */
	size_t fd_count;
	/* errno of opening each canary before and after the seal, 0: opened */
	uint32_t canary_before[WIRE_READY_MAX_CANARIES];
	uint32_t canary_after[WIRE_READY_MAX_CANARIES];
	size_t canary_count;
	struct wire_span environment[WIRE_READY_MAX_ENV]; /* raw NAME=VALUE */
	size_t environment_count;
	uint64_t soft[WIRE_LIMITS], hard[WIRE_LIMITS];
};

struct wire_call {
	uint64_t id;
	uint8_t name[WIRE_MAX_TOOL_NAME]; /* unescaped UTF-8 */
	size_t name_len;
	struct wire_span arguments; /* an object, as received */
};

struct wire_done {
	bool has_value;
	bool returned; /* by a top-level return or a last expression */
	struct wire_span value;
	/* has_value false, kind NONE: the value was not sent, being so large */
	uint64_t oversize;
	enum wire_claim_kind kind;
	struct wire_span message;   /* raw string */
	struct wire_span traceback; /* raw string; len 0 when absent */
	uint32_t line;		    /* of the program, from 1; 0 when absent */
	uint32_t status;	    /* of worker_exit */
	struct wire_span warnings[WIRE_MAX_WARNINGS]; /* raw strings */
	size_t warning_count;
};

/* What the program may still spend, as `run` and each `reply` tell it. */
enum wire_left {
	WIRE_LEFT_CALLS,
	WIRE_LEFT_BYTES,    /* arguments, and results that are delivered */
	WIRE_LEFT_PRODUCED, /* results, delivered or not */
	WIRE_LEFT_KEPT,	    /* results that are kept */
	WIRE_LEFT_TIME,	    /* ms of all tool calls together */
	WIRE_LEFTS
};

/* "calls", "total_bytes", "produced_bytes", "kept_bytes", "total_tool_time" */
const char *wire_left_word(enum wire_left left);

struct wire_run {
	struct wire_span program; /* raw string */
	struct wire_span tools;	  /* an array of distinct strings, raw */
	size_t tool_count;
	uint64_t frame_max; /* ceiling of a frame child to host */
	uint64_t value_max;
	uint64_t arguments_max;
	bool has_left;
	uint64_t left[WIRE_LEFTS];
};

struct wire_abort {
	struct wire_span reason; /* raw string */
};

enum wire_reply_kind { WIRE_REPLY_VALUE, WIRE_REPLY_HANDLE, WIRE_REPLY_ERROR };

struct wire_reply {
	uint64_t id;
	enum wire_reply_kind kind;
	struct wire_span value;	  /* VALUE: any JSON value */
	struct wire_span handle;  /* HANDLE: raw string, opaque */
	uint64_t handle_size;	  /* HANDLE: bytes of the stored result */
	struct wire_span preview; /* HANDLE: raw string; len 0 when absent */
	enum wire_tool_kind error;
	struct wire_span message; /* ERROR: raw string */
	bool hard;
	bool has_left;
	uint64_t left[WIRE_LEFTS];
};

struct wire_msg {
	enum wire_msg_type type;
	union {
		struct wire_ready ready;
		struct wire_call call;
		struct wire_done done;
		struct wire_run run;
		struct wire_abort abort;
		struct wire_reply reply;
	} u;
};

/*
 * One line to one message. On failure info->site names the field or "frame"
 * and info->offset counts from the start of the line: a missing field has the
 * offset of its object, a bad one that of its value.
 * WIRE_ERR_NEED_SCRATCH as in wire_json_scan; the names of a `run` need room
 * too. Who may send the type is not looked at: see wire_session_receive.
 */
WIRE_MUST_USE enum wire_err wire_msg_decode(struct wire_span line,
    struct wire_json_scratch *scratch, struct wire_msg *ret_msg,
    struct wire_errinfo *info);

/*
 * Encoders: each writes one frame and its newline. Spans documented as raw
 * above are raw here too, except where a parameter says text. Errors latch in
 * *out; take them with wire_out_finish.
 */
void wire_msg_encode_ready(
    struct wire_out *out, const struct wire_ready *ready);
void wire_msg_encode_call(struct wire_out *out, uint64_t id,
    struct wire_span name_text, struct wire_span arguments);
void wire_msg_encode_done(struct wire_out *out, const struct wire_done *done);
/* program_text and the names are UTF-8 text and are escaped here. left is of
 * WIRE_LEFTS, each at most WIRE_MAX_ID, or NULL for none; so it is below. */
void wire_msg_encode_run(struct wire_out *out, struct wire_span program_text,
    const struct wire_span *name_texts, size_t name_count, uint64_t frame_max,
    uint64_t value_max, uint64_t arguments_max, const uint64_t *left);
void wire_msg_encode_abort(struct wire_out *out, struct wire_span reason_text);
void wire_msg_encode_reply_value(struct wire_out *out, uint64_t id,
    struct wire_span value, const uint64_t *left);
void wire_msg_encode_reply_handle(struct wire_out *out, uint64_t id,
    struct wire_span handle_text, uint64_t size, struct wire_span preview_text,
    const uint64_t *left);
/* message_text may be any bytes; ill-formed parts become U+FFFD, and what is
 * over WIRE_MAX_MESSAGE is cut, as in the reason of an abort. */
void wire_msg_encode_reply_error(struct wire_out *out, uint64_t id,
    enum wire_tool_kind kind, struct wire_span message_text, bool hard,
    const uint64_t *left);

#endif
