#include "wire/msg.h"

static const char *const type_words[WIRE_MSG_TYPES] = {
    [WIRE_MSG_READY] = "ready",
    [WIRE_MSG_CALL] = "call",
    [WIRE_MSG_DONE] = "done",
    [WIRE_MSG_RUN] = "run",
    [WIRE_MSG_ABORT] = "abort",
    [WIRE_MSG_REPLY] = "reply",
};

static const char *const limit_words[WIRE_LIMITS] = {
    [WIRE_LIMIT_CORE] = "core",
    [WIRE_LIMIT_CPU] = "cpu",
    [WIRE_LIMIT_AS] = "address_space",
    [WIRE_LIMIT_FSIZE] = "file_size",
    [WIRE_LIMIT_NPROC] = "processes",
    [WIRE_LIMIT_NOFILE] = "open_files",
};

const char *
wire_msg_type_word(enum wire_msg_type type)
{
	return (unsigned)type < WIRE_MSG_TYPES ? type_words[type] : "unknown";
}

const char *
wire_left_word(enum wire_left left)
{
	static const char *const words[WIRE_LEFTS] = {
	    [WIRE_LEFT_CALLS] = "calls",
	    [WIRE_LEFT_BYTES] = "total_bytes",
	    [WIRE_LEFT_PRODUCED] = "produced_bytes",
	    [WIRE_LEFT_KEPT] = "kept_bytes",
	    [WIRE_LEFT_TIME] = "total_tool_time",
	};

	WIRE_BUG_IF((unsigned)left >= WIRE_LEFTS);
	return words[left];
}

const char *
wire_limit_word(enum wire_limit limit)
{
	return (unsigned)limit < WIRE_LIMITS ? limit_words[limit] : "unknown";
}
