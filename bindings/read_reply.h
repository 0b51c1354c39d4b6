/*
 * What read_tool_output answers, as JSON (B7).
 *
 *	bytes	{"text": T, "offset": O, "next": N or null, "size": S}
 *	lines	{"lines": [...], "start": L, "next": L or null, "total": L,
 *		"cut": [L, ...]}	cut: lines that are not shown whole
 *	search	{"matches": [{"line": L, "offset": O, "length": N,
 *		"match": T, "text": T}, ...], "next": O or null}
 *
 * `next` is where to go on, null at the end. Pure.
 */
#ifndef BIND_READ_REPLY_H
#define BIND_READ_REPLY_H

#include "bindings/read_request.h"
#include "bindings/search.h"
#include "wire/json_out.h"

struct bind_read_window {
	const struct bind_kept *kept;
	const struct bind_read_request *request;
};

/* arg: a bind_read_window. */
void bind_read_fill_bytes(struct wire_out *out, const void *arg);
void bind_read_fill_lines(struct wire_out *out, const void *arg);
/* arg: a bind_search that is WHOLE or at its LIMIT. */
void bind_read_fill_search(struct wire_out *out, const void *arg);

/* Why a search was stopped that is STUCK or SPENT. */
void bind_read_explain(
    struct bind_text *text, const struct bind_search *search);

#endif
