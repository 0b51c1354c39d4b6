/*
 * Strict JSON (RFC 8259) over bytes that somebody else holds.
 *
 * Owns: nothing. Single pass, no recursion, no allocation, no copy: values
 * stay byte ranges of the text. Refuses: bytes that are not UTF-8 (RFC 3629),
 * a byte order mark, raw control characters in strings, raw NUL anywhere,
 * lone surrogates in escapes, duplicate members in any object (compared after
 * unescaping), nesting over the caller's limit. Numbers are checked against
 * the grammar and kept as text, of any length.
 *
 * Cost is linear in the bytes, whatever they are: members are hashed with the
 * caller's seed, so colliding names cannot be prepared.
 *
 * Threads: pure. Errors: the WIRE_ERR_JSON group with the byte offset of the
 * first offence, and WIRE_ERR_NEED_SCRATCH.
 */
#ifndef WIRE_JSON_H
#define WIRE_JSON_H

#include "wire/err.h"
#include "wire/limits.h"
#include "wire/span.h"

enum wire_json_type {
	WIRE_JSON_NULL,
	WIRE_JSON_FALSE,
	WIRE_JSON_TRUE,
	WIRE_JSON_NUMBER,
	WIRE_JSON_STRING,
	WIRE_JSON_ARRAY,
	WIRE_JSON_OBJECT,
};

/* One member of an open object. */
struct wire_json_key {
	const uint8_t *p; /* raw text between the quotes */
	uint32_t len;
	uint32_t hash; /* keyed, over the unescaped bytes */
};

/*
 * Working memory for finding duplicates: the members of the objects that are
 * open at the point where the scanner stands. `keys` has room for keys_max
 * entries, `slots` for slot_count (a power of two, at least 2 * keys_max).
 */
struct wire_json_scratch {
	struct wire_json_key *keys;
	uint32_t *slots;
	size_t keys_max;
	size_t slot_count;
	uint64_t seed; /* unpredictable to the peer */
};

/* Bytes of memory that keys_max members need; keys_max is a power of two of
 * 16 to WIRE_MAX_OPEN_MEMBERS. */
size_t wire_json_scratch_size(size_t keys_max);

/*
 * Lays the tables out in mem, which must be aligned for a pointer, of
 * wire_json_scratch_size(keys_max) bytes, and outlive *scratch. The memory is
 * cleared here once; every scan leaves it clear again.
 */
void wire_json_scratch_init(struct wire_json_scratch *scratch, void *mem,
    size_t keys_max, uint64_t seed);

/*
 * Checks one whole document: optional white space, one value, optional white
 * space. depth_max is at most WIRE_MAX_DEPTH; a scalar has depth 0, `[]` 1.
 *
 * WIRE_ERR_NEED_SCRATCH: the table is too small; give a larger one and call
 * again. At keys_max == WIRE_MAX_OPEN_MEMBERS it is WIRE_ERR_TOO_MANY_MEMBERS
 * instead.
 */
WIRE_MUST_USE enum wire_err wire_json_scan(struct wire_span text,
    unsigned depth_max, struct wire_json_scratch *scratch,
    enum wire_json_type *ret_type, struct wire_errinfo *info);

/* A member of a scanned object. All spans point into the text. */
struct wire_json_member {
	struct wire_span key; /* raw, without the quotes */
	bool key_escaped;     /* the raw key holds a backslash */
	enum wire_json_type type;
	struct wire_span value; /* with quotes or brackets, no white space */
};

/*
 * As wire_json_scan for a document that must be an object (else
 * WIRE_ERR_NOT_OBJECT), and hands out its members in order, in the same pass.
 * More than members_max members: WIRE_ERR_TOO_MANY_MEMBERS.
 */
WIRE_MUST_USE enum wire_err wire_json_scan_object(struct wire_span text,
    unsigned depth_max, struct wire_json_scratch *scratch,
    struct wire_json_member *members, size_t members_max, size_t *ret_count,
    struct wire_errinfo *info);

/*
 * Decodes a string's raw text (between its quotes, already accepted by a
 * scan) into UTF-8 at out. Unescaping never grows text, so out needs at most
 * raw.len bytes; *ret_len is what was written. NUL bytes may occur.
 * WIRE_ERR_NO_SPACE when out_max is too small.
 */
WIRE_MUST_USE enum wire_err wire_json_unescape(
    struct wire_span raw, uint8_t *out, size_t out_max, size_t *ret_len);

/* Whether a raw key or string equals plain (unescaped) bytes. */
bool wire_json_text_equal(struct wire_span raw, struct wire_span plain);

/*
 * A walk over a value that a scan has accepted, token by token. For those who
 * build something from it; it checks nothing again, and stays inside the
 * bytes even so.
 */
enum wire_json_token {
	WIRE_TOK_END, /* after the last token */
	WIRE_TOK_NULL,
	WIRE_TOK_FALSE,
	WIRE_TOK_TRUE,
	WIRE_TOK_NUMBER, /* text: the number */
	WIRE_TOK_STRING, /* text: raw, between the quotes */
	WIRE_TOK_KEY,	 /* likewise */
	WIRE_TOK_ARRAY_BEGIN,
	WIRE_TOK_ARRAY_END,
	WIRE_TOK_OBJECT_BEGIN,
	WIRE_TOK_OBJECT_END,
};

struct wire_json_cursor {
	const uint8_t *p;
	const uint8_t *end;
	unsigned depth;
	bool expect_key;
	uint64_t in_object[WIRE_MAX_DEPTH / 64]; /* a bit for each open level */
};

void wire_json_cursor_init(
    struct wire_json_cursor *cursor, struct wire_span value);
enum wire_json_token wire_json_cursor_next(
    struct wire_json_cursor *cursor, struct wire_span *ret_text);

/*
 * A number as an integer of 0..max in plain form: digits only, no sign,
 * fraction, exponent or leading zero (W6). False for anything else.
 */
bool wire_json_plain_uint(
    struct wire_span number, uint64_t max, uint64_t *ret_value);

#endif
