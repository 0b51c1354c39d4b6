#include "bindings/json_members.h"

#include <string.h>

bool
bind_json_members_init(
    struct bind_json_members *members, struct wire_span object)
{
	struct wire_span raw;

	wire_json_cursor_init(&members->cursor, object);
	return wire_json_cursor_next(&members->cursor, &raw) ==
	    WIRE_TOK_OBJECT_BEGIN;
}

/* Where a token that has just been given began: its raw text, or so many
 * bytes before the cursor. */
static const uint8_t *
begin_of(const struct wire_json_cursor *cursor, enum wire_json_token token,
    struct wire_span raw)
{
	switch (token) {
	case WIRE_TOK_STRING:
		return raw.p - 1;
	case WIRE_TOK_NUMBER:
		return raw.p;
	case WIRE_TOK_NULL:
	case WIRE_TOK_TRUE:
		return cursor->p - 4;
	case WIRE_TOK_FALSE:
		return cursor->p - 5;
	case WIRE_TOK_ARRAY_BEGIN:
	case WIRE_TOK_OBJECT_BEGIN:
		return cursor->p - 1;
	case WIRE_TOK_KEY:
	case WIRE_TOK_ARRAY_END:
	case WIRE_TOK_OBJECT_END:
	case WIRE_TOK_END:
		break;
	}
	return NULL;
}

/* To the end of what was opened. */
static bool
skip(struct wire_json_cursor *cursor)
{
	size_t depth = 1;

	while (depth > 0) {
		struct wire_span raw;
		enum wire_json_token token =
		    wire_json_cursor_next(cursor, &raw);

		if (token == WIRE_TOK_END)
			return false;
		if (token == WIRE_TOK_ARRAY_BEGIN ||
		    token == WIRE_TOK_OBJECT_BEGIN)
			depth++;
		else if (token == WIRE_TOK_ARRAY_END ||
		    token == WIRE_TOK_OBJECT_END)
			depth--;
	}
	return true;
}

bool
bind_json_members_next(
    struct bind_json_members *members, struct wire_json_member *ret_member)
{
	static const enum wire_json_type types[] = {
	    [WIRE_TOK_NULL] = WIRE_JSON_NULL,
	    [WIRE_TOK_FALSE] = WIRE_JSON_FALSE,
	    [WIRE_TOK_TRUE] = WIRE_JSON_TRUE,
	    [WIRE_TOK_NUMBER] = WIRE_JSON_NUMBER,
	    [WIRE_TOK_STRING] = WIRE_JSON_STRING,
	    [WIRE_TOK_ARRAY_BEGIN] = WIRE_JSON_ARRAY,
	    [WIRE_TOK_OBJECT_BEGIN] = WIRE_JSON_OBJECT,
	};
	struct wire_json_cursor *cursor = &members->cursor;
	struct wire_json_member member = {.type = WIRE_JSON_NULL};
	struct wire_span raw = {NULL, 0};
	enum wire_json_token token;
	const uint8_t *begin;

	if (wire_json_cursor_next(cursor, &member.key) != WIRE_TOK_KEY)
		return false;
	member.key_escaped = member.key.len > 0 &&
	    memchr(member.key.p, '\\', member.key.len) != NULL;
	token = wire_json_cursor_next(cursor, &raw);
	begin = begin_of(cursor, token, raw);
	if (begin == NULL)
		return false;
	member.type = types[token];
	if ((token == WIRE_TOK_ARRAY_BEGIN || token == WIRE_TOK_OBJECT_BEGIN) &&
	    !skip(cursor))
		return false;
	member.value = (struct wire_span){begin, (size_t)(cursor->p - begin)};
	*ret_member = member;
	return true;
}
