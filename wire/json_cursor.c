#include "wire/json.h"

#include <string.h>

/*
 * The walk trusts that a scan has accepted the value, for its answers but not
 * for its safety: every step looks at `end`, and a level past the bit stack
 * ends the walk.
 */

void
wire_json_cursor_init(struct wire_json_cursor *cursor, struct wire_span value)
{
	*cursor = (struct wire_json_cursor){
	    .p = value.p,
	    .end = wire_span_end(value),
	};
}

static bool
in_object(const struct wire_json_cursor *cursor)
{
	unsigned level = cursor->depth - 1;

	return cursor->depth != 0 &&
	    (cursor->in_object[level / 64] >> level % 64 & 1) != 0;
}

/* Over white space, commas and colons. */
static void
skip(struct wire_json_cursor *cursor)
{
	while (cursor->p < cursor->end) {
		switch (*cursor->p) {
		case ',':
			cursor->expect_key = in_object(cursor);
			break;
		case ':':
		case ' ':
		case '\t':
		case '\n':
		case '\r':
			break;
		default:
			return;
		}
		cursor->p++;
	}
}

/* The end of the string whose text begins at p: its closing quote, or end. */
static const uint8_t *
string_end(const uint8_t *p, const uint8_t *end)
{
	const uint8_t *quote, *back;

	while (p < end) {
		quote = memchr(p, '"', (size_t)(end - p));
		if (quote == NULL)
			return end;
		/* An odd number of backslashes before it makes it text. */
		for (back = quote; back > p && back[-1] == '\\'; back--)
			;
		if ((quote - back) % 2 == 0)
			return quote;
		p = quote + 1;
	}
	return end;
}

static enum wire_json_token
take_string(struct wire_json_cursor *cursor, struct wire_span *ret_text)
{
	const uint8_t *begin = cursor->p + 1;
	const uint8_t *stop = string_end(begin, cursor->end);

	*ret_text = (struct wire_span){begin, (size_t)(stop - begin)};
	cursor->p = stop < cursor->end ? stop + 1 : stop;
	if (!cursor->expect_key)
		return WIRE_TOK_STRING;
	cursor->expect_key = false;
	return WIRE_TOK_KEY;
}

static enum wire_json_token
take_begin(struct wire_json_cursor *cursor, bool object)
{
	unsigned level = cursor->depth;
	uint64_t bit = 1ULL << level % 64;

	if (level == WIRE_MAX_DEPTH) {
		cursor->p = cursor->end;
		return WIRE_TOK_END;
	}
	if (object)
		cursor->in_object[level / 64] |= bit;
	else
		cursor->in_object[level / 64] &= ~bit;
	cursor->depth++;
	cursor->expect_key = object;
	cursor->p++;
	return object ? WIRE_TOK_OBJECT_BEGIN : WIRE_TOK_ARRAY_BEGIN;
}

static enum wire_json_token
take_end(struct wire_json_cursor *cursor, enum wire_json_token token)
{
	if (cursor->depth != 0)
		cursor->depth--;
	cursor->expect_key = false;
	cursor->p++;
	return token;
}

static enum wire_json_token
take_literal(
    struct wire_json_cursor *cursor, size_t len, enum wire_json_token token)
{
	size_t left = (size_t)(cursor->end - cursor->p);

	cursor->p += len < left ? len : left;
	return token;
}

static enum wire_json_token
take_number(struct wire_json_cursor *cursor, struct wire_span *ret_text)
{
	const uint8_t *begin = cursor->p;
	const uint8_t *p = begin + 1;

	while (p < cursor->end &&
	    ((*p >= '0' && *p <= '9') || *p == '.' || *p == 'e' || *p == 'E' ||
		*p == '+' || *p == '-'))
		p++;
	*ret_text = (struct wire_span){begin, (size_t)(p - begin)};
	cursor->p = p;
	return WIRE_TOK_NUMBER;
}

enum wire_json_token
wire_json_cursor_next(
    struct wire_json_cursor *cursor, struct wire_span *ret_text)
{
	skip(cursor);
	if (cursor->p == cursor->end)
		return WIRE_TOK_END;
	switch (*cursor->p) {
	case '"':
		return take_string(cursor, ret_text);
	case '{':
		return take_begin(cursor, true);
	case '[':
		return take_begin(cursor, false);
	case '}':
		return take_end(cursor, WIRE_TOK_OBJECT_END);
	case ']':
		return take_end(cursor, WIRE_TOK_ARRAY_END);
	case 't':
		return take_literal(cursor, 4, WIRE_TOK_TRUE);
	case 'f':
		return take_literal(cursor, 5, WIRE_TOK_FALSE);
	case 'n':
		return take_literal(cursor, 4, WIRE_TOK_NULL);
	default:
		return take_number(cursor, ret_text);
	}
}
