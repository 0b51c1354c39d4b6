/*
 * A bounded JSON writer into a caller's buffer.
 *
 * Owns: nothing. It cannot emit a raw newline, a raw control character, or
 * invalid UTF-8: strings given as text are checked and escaped, values given
 * raw are taken only from a scan. Overflow and bad text latch: every later
 * call does nothing and wire_out_finish reports the first error, so callers
 * need not check each call.
 *
 * Separators are the writer's work: write keys and values in order, the
 * commas and colons appear by themselves.
 */
#ifndef WIRE_JSON_OUT_H
#define WIRE_JSON_OUT_H

#include "wire/err.h"
#include "wire/limits.h"
#include "wire/span.h"

struct wire_out {
	uint8_t *buf;
	size_t max;
	size_t len;
	enum wire_err err;
	unsigned depth;
	bool need_comma;
};

void wire_out_init(struct wire_out *out, uint8_t *buf, size_t max);

void wire_out_begin_object(struct wire_out *out);
void wire_out_end_object(struct wire_out *out);
void wire_out_begin_array(struct wire_out *out);
void wire_out_end_array(struct wire_out *out);
void wire_out_null(struct wire_out *out);
void wire_out_bool(struct wire_out *out, bool value);
void wire_out_uint(struct wire_out *out, uint64_t value);
void wire_out_int(struct wire_out *out, int64_t value);
/* UTF-8 text, escaped as needed. WIRE_ERR_BAD_UTF8 latches for other bytes. */
void wire_out_string(struct wire_out *out, struct wire_span text);
/*
 * Arbitrary bytes as a string: each maximal ill-formed part becomes U+FFFD
 * (Unicode 15, 3.9 "U+FFFD substitution of maximal subparts").
 */
void wire_out_lossy_string(struct wire_out *out, struct wire_span bytes);
/*
 * The same, cut before the first character with which the text would take
 * more than text_max bytes between its quotes.
 */
void wire_out_cut_string(
    struct wire_out *out, struct wire_span bytes, size_t text_max);
/* A C string literal; must be UTF-8. */
void wire_out_text(struct wire_out *out, const char *text);
/* A member name: a C string, written as a string and a colon. */
void wire_out_key(struct wire_out *out, const char *name);
/* The same for a name of any UTF-8 text. */
void wire_out_key_span(struct wire_out *out, struct wire_span name);
/* Raw string text that a scan has accepted, between new quotes. */
void wire_out_raw_string(struct wire_out *out, struct wire_span raw);
/*
 * A value that a scan has accepted, as it stands; a newline between tokens
 * (JSON white space) is written as a blank.
 */
void wire_out_raw(struct wire_out *out, struct wire_span value);
/* One newline, only at depth 0: ends a frame. */
void wire_out_newline(struct wire_out *out);

/* The first error, or WIRE_OK; *ret_len is then the length written. */
WIRE_MUST_USE enum wire_err wire_out_finish(
    struct wire_out *out, size_t *ret_len);

#endif
