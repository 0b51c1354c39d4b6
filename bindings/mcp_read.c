#include "bindings/mcp_read.h"

#include <string.h>

static struct wire_span
span_of(const char *text)
{
	return (struct wire_span){(const uint8_t *)text, strlen(text)};
}

struct wire_span
bind_mcp_raw_text(const struct wire_json_member *member)
{
	if (member->type != WIRE_JSON_STRING)
		return (struct wire_span){NULL, 0};
	return (struct wire_span){member->value.p + 1, member->value.len - 2};
}

static const struct wire_json_member *
find(const struct wire_json_member *members, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++) {
		if (wire_json_text_equal(members[i].key, span_of(name)))
			return &members[i];
	}
	return NULL;
}

bool
bind_mcp_member(struct bind_json_check *check, struct wire_span object,
    const char *name, struct wire_json_member *ret_member)
{
	struct wire_json_member members[BIND_MCP_MEMBERS];
	const struct wire_json_member *found;
	size_t count = 0;

	if (bind_json_check_object(check, object, members, BIND_MCP_MEMBERS,
		&count, NULL) != WIRE_OK)
		return false;
	found = find(members, count, name);
	if (found == NULL)
		return false;
	*ret_member = *found;
	return true;
}

/* --- elements --------------------------------------------------------------
 */

void
bind_mcp_elements_init(
    struct bind_mcp_elements *elements, struct wire_span array)
{
	struct wire_span text;

	wire_json_cursor_init(&elements->cursor, array);
	(void)wire_json_cursor_next(&elements->cursor, &text);
}

static bool
opens(enum wire_json_token token)
{
	return token == WIRE_TOK_ARRAY_BEGIN || token == WIRE_TOK_OBJECT_BEGIN;
}

static bool
closes(enum wire_json_token token)
{
	return token == WIRE_TOK_ARRAY_END || token == WIRE_TOK_OBJECT_END;
}

/* Where a token begins that the cursor has just given. */
static const uint8_t *
token_begin(const struct wire_json_cursor *cursor, enum wire_json_token token,
    struct wire_span text)
{
	if (token == WIRE_TOK_STRING)
		return text.p - 1;
	if (token == WIRE_TOK_NUMBER)
		return text.p;
	if (opens(token))
		return cursor->p - 1;
	return cursor->p - (token == WIRE_TOK_FALSE ? 5 : 4);
}

bool
bind_mcp_elements_next(struct bind_mcp_elements *elements,
    struct wire_span *ret_element, enum wire_json_token *ret_first)
{
	struct wire_json_cursor *cursor = &elements->cursor;
	struct wire_span text = {NULL, 0};
	enum wire_json_token token = wire_json_cursor_next(cursor, &text);
	const uint8_t *begin;
	unsigned depth = cursor->depth;

	if (token == WIRE_TOK_END || closes(token))
		return false;
	begin = token_begin(cursor, token, text);
	*ret_first = token;
	/* A bracket has made the cursor one level deeper. */
	while (opens(*ret_first) && cursor->depth >= depth &&
	    token != WIRE_TOK_END)
		token = wire_json_cursor_next(cursor, &text);
	*ret_element = (struct wire_span){begin, (size_t)(cursor->p - begin)};
	return true;
}

/* --- messages --------------------------------------------------------------
 */

static bool
plain_integer(struct wire_span text, int64_t *ret_value)
{
	bool negative = text.len > 0 && text.p[0] == '-';
	uint64_t value;

	if (negative) {
		text.p++;
		text.len--;
	}
	if (!wire_json_plain_uint(text, WIRE_MAX_ID, &value))
		return false;
	*ret_value = negative ? -(int64_t)value : (int64_t)value;
	return true;
}

static void
take_error(struct bind_json_check *check, const struct wire_json_member *error,
    struct bind_mcp_message *message)
{
	struct wire_json_member member;

	message->kind = BIND_MCP_ERROR;
	if (bind_mcp_member(check, error->value, "code", &member) &&
	    member.type == WIRE_JSON_NUMBER)
		(void)plain_integer(member.value, &message->code);
	if (bind_mcp_member(check, error->value, "message", &member))
		message->message = bind_mcp_raw_text(&member);
}

static void
take_members(struct bind_json_check *check,
    const struct wire_json_member *members, size_t count,
    struct bind_mcp_message *message)
{
	const struct wire_json_member *method = find(members, count, "method");
	const struct wire_json_member *id = find(members, count, "id");
	const struct wire_json_member *result = find(members, count, "result");
	const struct wire_json_member *error = find(members, count, "error");

	if (method != NULL && method->type != WIRE_JSON_STRING)
		return;
	if (method != NULL) {
		message->method = bind_mcp_raw_text(method);
		message->kind = BIND_MCP_NOTIFICATION;
		if (id == NULL)
			return;
		/* SECURITY: what is echoed has no size of the server's choice
		 * but that of a line, and no other shape than an id has. */
		message->kind =
		    id->type == WIRE_JSON_STRING || id->type == WIRE_JSON_NUMBER
		    ? BIND_MCP_REQUEST
		    : BIND_MCP_NOISE;
		message->id_text = id->value;
		return;
	}
	if (id == NULL || id->type != WIRE_JSON_NUMBER ||
	    !wire_json_plain_uint(id->value, WIRE_MAX_ID, &message->id))
		return;
	if (result != NULL && error == NULL) {
		message->kind = BIND_MCP_RESULT;
		message->result = result->value;
	} else if (error != NULL && error->type == WIRE_JSON_OBJECT) {
		take_error(check, error, message);
	}
}

enum wire_err
bind_mcp_read(struct bind_json_check *check, struct wire_span line,
    struct bind_mcp_message *ret_message)
{
	struct wire_json_member members[BIND_MCP_MEMBERS];
	struct wire_errinfo info = {"", 0, 0};
	struct wire_span text = bind_json_trim(line);
	size_t count = 0;
	enum wire_err err;

	*ret_message = (struct bind_mcp_message){.kind = BIND_MCP_NOISE};
	if (text.len == 0) {
		ret_message->kind = BIND_MCP_BLANK;
		return WIRE_OK;
	}
	if (text.p[0] != '{')
		return WIRE_OK;
	err = bind_json_check_object(
	    check, text, members, BIND_MCP_MEMBERS, &count, &info);
	if (err == WIRE_ERR_NO_MEMORY)
		return err;
	if (err != WIRE_OK) {
		ret_message->kind = BIND_MCP_BROKEN;
		ret_message->broken = err;
		ret_message->offset = info.offset;
		return WIRE_OK;
	}
	take_members(check, members, count, ret_message);
	return WIRE_OK;
}
