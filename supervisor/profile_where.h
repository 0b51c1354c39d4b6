/*
 * Where in a JSON text a byte stands, as people look for it: line, column and
 * the path of the member.
 *
 * Pure. The text may be broken behind the byte, and at it: the walk only uses
 * what stands before. Members are named as they are spelled, with everything
 * but printable ASCII escaped, so that a hostile text cannot speak to the
 * terminal.
 */
#ifndef SUP_PROFILE_WHERE_H
#define SUP_PROFILE_WHERE_H

#include "wire/span.h"

#define SUP_WHERE_PATH 256

struct sup_where {
	size_t line;		   /* from 1 */
	size_t column;		   /* from 1, in characters */
	char path[SUP_WHERE_PATH]; /* "profiles.batch.limits.wall", "tools[3]";
				    * "" for the whole */
};

void sup_where_find(
    struct wire_span text, size_t offset, struct sup_where *ret_where);

/* The beginning of a token that the cursor has just given; raw is its text. */
struct wire_json_cursor;
size_t sup_where_token(struct wire_span text,
    const struct wire_json_cursor *cursor, int token, struct wire_span raw);

#endif
