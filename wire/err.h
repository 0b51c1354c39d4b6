/*
 * The one error type of weir.
 *
 * Owns: a closed list of errors, each with the word that a peer, a result or
 * a log line shows. 0 is success. Functions that can fail return
 * `enum wire_err`; details go into an optional last argument
 * `struct wire_errinfo *`, which may be NULL and is written only on failure.
 *
 * Threads: everything here is pure or constant.
 */
#ifndef WIRE_ERR_H
#define WIRE_ERR_H

#include <stddef.h>

/*
 * X(constant, word, meaning). The words of the first three groups are the
 * `reason` of a protocol violation and stand in PROTOCOL.md; a test holds the
 * two lists against each other.
 */
#define WIRE_ERR_STREAM(X)                                                     \
	X(FRAME_TOO_LONG, "frame_too_long",                                    \
	    "a line is over the frame ceiling")                                \
	X(STREAM_BYTES, "stream_bytes", "the stream is over its byte ceiling") \
	X(STREAM_LINES, "stream_lines", "the stream has too many lines")       \
	X(STREAM_BLANKS, "stream_blank_lines",                                 \
	    "the stream has too many blank lines")                             \
	X(PARTIAL_FRAME, "partial_frame", "the stream ended inside a line")

#define WIRE_ERR_JSON(X)                                                       \
	X(BAD_UTF8, "bad_utf8", "the bytes are not UTF-8")                     \
	X(NUL_BYTE, "nul_byte", "a raw NUL byte")                              \
	X(CONTROL_CHARACTER, "control_character",                              \
	    "an unescaped control character inside a string")                  \
	X(BAD_SYNTAX, "bad_syntax", "not JSON")                                \
	X(BAD_NUMBER, "bad_number", "not a JSON number")                       \
	X(BAD_ESCAPE, "bad_escape", "not a JSON escape sequence")              \
	X(LONE_SURROGATE, "lone_surrogate", "half of a surrogate pair")        \
	X(TRUNCATED, "truncated", "the text ends before its value does")       \
	X(TRAILING_BYTES, "trailing_bytes", "bytes after the value")           \
	X(TOO_DEEP, "too_deep", "nested deeper than the limit")                \
	X(DUPLICATE_MEMBER, "duplicate_member",                                \
	    "an object names one member twice")                                \
	X(TOO_MANY_MEMBERS, "too_many_members",                                \
	    "more members are open at one time than the limit")

#define WIRE_ERR_FRAME(X)                                                      \
	X(NOT_OBJECT, "not_object", "a frame is not a JSON object")            \
	X(UNKNOWN_TYPE, "unknown_type", "a frame type that does not exist")    \
	X(MISSING_FIELD, "missing_field", "a required field is missing")       \
	X(BAD_FIELD, "bad_field", "a field has the wrong type or range")       \
	X(BAD_ID, "bad_id", "a call id that is not a plain integer token")     \
	X(WRONG_ID, "wrong_id", "a call id that is not the next one")          \
	X(OUT_OF_TURN, "out_of_turn", "a frame that this state does not allow")

/* Causes on this side; never the peer's fault, never shown to it. */
#define WIRE_ERR_LOCAL(X)                                                      \
	X(NO_SPACE, "no_space", "the output buffer is too small")              \
	X(NEED_SCRATCH, "need_scratch", "the key table must grow")             \
	X(BAD_PLAN, "bad_plan", "the launch plan is malformed")                \
	X(BAD_ARGUMENT, "bad_argument",                                        \
	    "a value outside its documented range")                            \
	X(NO_MEMORY, "no_memory", "an allocation failed")                      \
	X(SYSTEM, "system", "a system call failed")                            \
	X(CLOSED, "closed", "the other end is gone")                           \
	X(DAMAGED, "damaged", "a ledger is not as it was written")

#define WIRE_ERRORS(X)                                                         \
	WIRE_ERR_STREAM(X)                                                     \
	WIRE_ERR_JSON(X)                                                       \
	WIRE_ERR_FRAME(X)                                                      \
	WIRE_ERR_LOCAL(X)

enum wire_err {
	WIRE_OK = 0,
#define X(name, word, meaning) WIRE_ERR_##name,
	WIRE_ERRORS(X)
#undef X
	    WIRE_ERR_COUNT
};

/* Detail of a failure. `site` is a static string; `sys` an errno or 0. */
struct wire_errinfo {
	const char *site; /* what was looked at: a field, a step; never NULL */
	int sys;
	size_t offset; /* byte offset into what was given */
};

#define WIRE_MUST_USE __attribute__((warn_unused_result))

/* The word and the meaning of an error. Static strings, never NULL. */
const char *wire_err_word(enum wire_err err);
const char *wire_err_meaning(enum wire_err err);

/* Fills *info when it is not NULL, and returns err: for `return` lines. */
static inline enum wire_err
wire_fail(struct wire_errinfo *info, enum wire_err err, const char *site,
    size_t offset)
{
	if (info != NULL)
		*info = (struct wire_errinfo){site, 0, offset};
	return err;
}

/*
 * A programmer's error: always on, one condition each, never on data that a
 * peer controls. Ends the process by a trap.
 */
#define WIRE_BUG_IF(condition)                                                 \
	do {                                                                   \
		if (__builtin_expect(!!(condition), 0))                        \
			__builtin_trap();                                      \
	} while (0)

#endif
