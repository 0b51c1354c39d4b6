#include "supervisor/profile_where.h"

#include <bsd/string.h>
#include <stdio.h>
#include <string.h>

#include "wire/json.h"

/* Deeper than any format goes; what is beyond is not named. */
#define LEVELS	  16
#define KEY_SHOWN 64 /* bytes */

struct level {
	bool is_array;
	struct wire_span key; /* of the member looked at; p NULL: none yet */
	size_t count;	      /* elements seen */
};

size_t
sup_where_token(struct wire_span text, const struct wire_json_cursor *cursor,
    int token, struct wire_span raw)
{
	size_t at = (size_t)(cursor->p - text.p);

	switch ((enum wire_json_token)token) {
	case WIRE_TOK_KEY:
	case WIRE_TOK_STRING:
		return (size_t)(raw.p - text.p) - 1;
	case WIRE_TOK_NUMBER:
		return (size_t)(raw.p - text.p);
	case WIRE_TOK_NULL:
	case WIRE_TOK_TRUE:
		return at < 4 ? 0 : at - 4;
	case WIRE_TOK_FALSE:
		return at < 5 ? 0 : at - 5;
	case WIRE_TOK_ARRAY_BEGIN:
	case WIRE_TOK_ARRAY_END:
	case WIRE_TOK_OBJECT_BEGIN:
	case WIRE_TOK_OBJECT_END:
		return at - 1;
	case WIRE_TOK_END:
		break;
	}
	return at;
}

static void
count_lines(struct wire_span text, size_t offset, struct sup_where *where)
{
	where->line = where->column = 1;
	for (size_t i = 0; i < offset; i++) {
		if (text.p[i] == '\n') {
			where->line++;
			where->column = 1;
		} else if ((text.p[i] & 0xc0) != 0x80) {
			where->column++;
		}
	}
}

static bool
is_plain(struct wire_span key)
{
	for (size_t i = 0; i < key.len; i++) {
		uint8_t lower = key.p[i] | 0x20;

		if (!(lower >= 'a' && lower <= 'z') &&
		    !(key.p[i] >= '0' && key.p[i] <= '9') && key.p[i] != '_' &&
		    key.p[i] != '-')
			return false;
	}
	return key.len > 0;
}

/* As it stands when it is a plain word, else in quotes; cut when it is long. */
static void
add_key(char path[SUP_WHERE_PATH], struct wire_span key)
{
	bool plain = is_plain(key);

	if (path[0] != '\0')
		(void)strlcat(path, ".", SUP_WHERE_PATH);
	if (!plain)
		(void)strlcat(path, "\"", SUP_WHERE_PATH);
	for (size_t i = 0; i < key.len && i < KEY_SHOWN; i++) {
		char part[8];

		(void)snprintf(part, sizeof(part),
		    key.p[i] >= 0x20 && key.p[i] < 0x7f ? "%c" : "\\x%02x",
		    key.p[i]);
		(void)strlcat(path, part, SUP_WHERE_PATH);
	}
	if (key.len > KEY_SHOWN)
		(void)strlcat(path, "...", SUP_WHERE_PATH);
	if (!plain)
		(void)strlcat(path, "\"", SUP_WHERE_PATH);
}

static void
print_path(const struct level *levels, size_t depth, char path[SUP_WHERE_PATH])
{
	path[0] = '\0';
	for (size_t i = 0; i < depth && i < LEVELS; i++) {
		char index[32];

		if (levels[i].is_array && levels[i].count > 0) {
			(void)snprintf(
			    index, sizeof(index), "[%zu]", levels[i].count - 1);
			(void)strlcat(path, index, SUP_WHERE_PATH);
		} else if (!levels[i].is_array && levels[i].key.p != NULL) {
			add_key(path, levels[i].key);
		}
	}
}

void
sup_where_find(
    struct wire_span text, size_t offset, struct sup_where *ret_where)
{
	struct level levels[LEVELS] = {{false, {NULL, 0}, 0}};
	struct wire_json_cursor cursor;
	size_t depth = 0;

	count_lines(text, offset < text.len ? offset : text.len, ret_where);
	wire_json_cursor_init(&cursor, text);
	for (;;) {
		struct wire_span raw = {NULL, 0};
		enum wire_json_token token =
		    wire_json_cursor_next(&cursor, &raw);
		struct level *level =
		    depth > 0 && depth <= LEVELS ? &levels[depth - 1] : NULL;

		if (token == WIRE_TOK_END ||
		    sup_where_token(text, &cursor, (int)token, raw) > offset)
			break;
		if (token == WIRE_TOK_ARRAY_END ||
		    token == WIRE_TOK_OBJECT_END) {
			depth -= depth > 0;
			continue;
		}
		if (level != NULL && token == WIRE_TOK_KEY)
			level->key = raw;
		else if (level != NULL)
			level->count++;
		if (token != WIRE_TOK_ARRAY_BEGIN &&
		    token != WIRE_TOK_OBJECT_BEGIN)
			continue;
		if (depth < LEVELS)
			levels[depth] = (struct level){
			    token == WIRE_TOK_ARRAY_BEGIN, {NULL, 0}, 0};
		depth++;
	}
	print_path(levels, depth, ret_where->path);
}
