/*
 * JSON as RFC 8259 and wire/PROTOCOL.md 3 have it, written down a second time
 * and as plainly as possible: recursive descent, one byte after another, every
 * name compared with every other. Shares nothing with wire/ but the numbers of
 * its errors.
 *
 * Owns: the list of tokens; free it with model_json_release. Recursion is as
 * deep as depth_max. Threads: pure, but for malloc.
 */
#ifndef FUZZ_MODEL_JSON_H
#define FUZZ_MODEL_JSON_H

#include "wire/json.h"

struct model_token {
	enum wire_json_token token;
	size_t begin, len; /* as wire_json_cursor_next gives its text */
	/* Of what stands on the level of the outermost container: */
	size_t whole_begin, whole_len; /* the value with quotes or brackets */
	unsigned depth;		       /* of open containers around it */
};

struct model_json {
	enum wire_err err;
	size_t err_offset;
	struct model_token *tokens;
	size_t count;
	size_t names_peak; /* members that were open at one time */
};

/*
 * is_frame: the document must be an object, of at most members_max members,
 * as wire_json_scan_object wants it. After an error the tokens are those
 * before it.
 */
void model_json(struct wire_span text, unsigned depth_max, bool is_frame,
    size_t members_max, struct model_json *ret_model);
void model_json_release(struct model_json *model);

/* Bytes of the well-formed character at text.p[at], or 0. */
size_t model_utf8(struct wire_span text, size_t at);

/* A string's text, accepted before, unescaped; out has room for raw.len. */
size_t model_unescape(struct wire_span raw, uint8_t *out);

#endif
