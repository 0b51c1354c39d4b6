/*
 * The arguments of read_tool_output, as numbers: what part of a kept text is
 * asked for.
 *
 *	{"handle": H}					lines
 *	{"handle": H, "start": LINE, "count": N}	lines
 *	{"handle": H, "offset": BYTE, "length": N}	bytes
 *	{"handle": H, "pattern": P, "offset": BYTE, "length": N, "limit": N,
 *	    "ignore_case": BOOL}			a search
 *
 * A member that is null is one that is not there. Refuses, in words for the
 * program: members of other names, and numbers out of their range. Whether
 * there is such a handle is no question of this. Pure.
 */
#ifndef BIND_READ_REQUEST_H
#define BIND_READ_REQUEST_H

#include "bindings/regex.h"
#include "bindings/store.h"
#include "bindings/text.h"
#include "wire/json.h"

enum bind_read_kind { BIND_READ_LINES, BIND_READ_BYTES, BIND_READ_SEARCH };

struct bind_read_request {
	enum bind_read_kind kind;
	/* What cannot be a token is the empty one. */
	size_t token_len;
	uint8_t token[BIND_TOKEN_LEN];
	uint64_t start, count;	 /* lines */
	uint64_t offset, length; /* bytes */
	uint64_t limit;		 /* matches */
	bool ignore_case;
	size_t pattern_len;
	uint8_t pattern[BIND_REGEX_PATTERN_MAX];
};

/* The members of a scanned object. False: *why is the reason. */
WIRE_MUST_USE bool bind_read_request_take(
    const struct wire_json_member *members, size_t count,
    struct bind_read_request *ret_request, struct bind_text *why);

#endif
