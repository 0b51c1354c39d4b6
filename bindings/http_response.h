/*
 * What an HTTP server has answered, from its header lines to the outcome of a
 * call.
 *
 * The last status line counts, since 1xx answers come before it. A value is
 *	JSON		of application/json and what ends with +json, and of
 *none a JSON string	of text types whose bytes are UTF-8: all of them null
 *of an empty body and any other type is refused, as are codings that would have
 *to be undone: none was asked for, and a small one can stand for an endless
 *one.
 *
 * Pure.
 */
#ifndef BIND_HTTP_RESPONSE_H
#define BIND_HTTP_RESPONSE_H

#include "bindings/text.h"
#include "wire/err.h"
#include "wire/kinds.h"
#include "wire/limits.h"

/* Bytes of all header lines of a call, 1xx answers and trailers included. */
#define BIND_HTTP_HEADERS_MAX (64 * WIRE_KIB)
#define BIND_HTTP_TYPE_MAX    64

/* Bytes of a body that a message shows, and room for the whole of it. */
#define BIND_HTTP_EXCERPT   1024
#define BIND_HTTP_WORDS_LEN (BIND_HTTP_EXCERPT + 256)

enum bind_http_type {
	BIND_HTTP_TYPE_JSON, /* or none at all */
	BIND_HTTP_TYPE_TEXT,
	BIND_HTTP_TYPE_OTHER
};

struct bind_http_response {
	unsigned status; /* 0: none has come */
	size_t header_bytes;
	bool head_done; /* of an answer that is not 1xx */
	enum bind_http_type type;
	bool has_type;
	bool foreign_charset;
	size_t type_len;
	uint8_t type_text[BIND_HTTP_TYPE_MAX]; /* for messages; cut */
	const char *problem; /* why it is not taken; NULL: it is */
};

/* Takes a line with its end. False, and `problem` says why, when nothing more
 * is wanted of this server. */
bool bind_http_response_line(
    struct bind_http_response *response, struct wire_span line);

static inline bool
bind_http_is_success(const struct bind_http_response *response)
{
	return response->status >= 200 && response->status < 300;
}

/* Why a complete answer is not a value, in words; body is its beginning, p
 * NULL where it may not be shown. NONE: it is one. */
enum wire_tool_kind bind_http_response_judge(
    const struct bind_http_response *response, struct wire_span body,
    bool withheld, struct bind_text *text);

/* UTF-8 text as a JSON string: its length, and the string itself in a buffer
 * of that length. */
size_t bind_http_text_size(struct wire_span text);
void bind_http_text_write(struct wire_span text, uint8_t *buf);

#endif
