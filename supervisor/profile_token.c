#include "supervisor/profile_token.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "supervisor/profile_where.h"

enum wire_err
sup_tokens_scan(struct sup_tokens *tokens, unsigned depth_max,
    struct wire_json_scratch *scratch)
{
	enum wire_json_type type;
	struct wire_errinfo info = {"", 0, 0};
	enum wire_err err;

	if (tokens->text.len > SUP_PROFILE_TEXT)
		return sup_tokens_refuse(tokens, SUP_PROFILE_TEXT,
		    "the text is longer than 1 MiB; make it shorter");
	err = wire_json_scan(tokens->text, depth_max, scratch, &type, &info);
	if (err == WIRE_ERR_NEED_SCRATCH)
		err = WIRE_ERR_TOO_MANY_MEMBERS;
	if (err != WIRE_OK)
		return sup_tokens_refuse(tokens, info.offset, "%s (%s)",
		    wire_err_meaning(err), wire_err_word(err));
	return WIRE_OK;
}

void
sup_tokens_next(struct sup_tokens *tokens)
{
	tokens->raw = (struct wire_span){NULL, 0};
	tokens->token = wire_json_cursor_next(&tokens->cursor, &tokens->raw);
	tokens->offset = sup_where_token(
	    tokens->text, &tokens->cursor, (int)tokens->token, tokens->raw);
}

enum wire_err
sup_tokens_refuse(
    struct sup_tokens *tokens, size_t offset, const char *format, ...)
{
	va_list args;

	tokens->problem->offset = offset;
	va_start(args, format);
	(void)vsnprintf(
	    tokens->problem->text, sizeof(tokens->problem->text), format, args);
	va_end(args);
	return WIRE_ERR_BAD_ARGUMENT;
}

enum wire_err
sup_tokens_mistyped(struct sup_tokens *tokens, const char *wanted)
{
	static const char *const words[] = {
	    [WIRE_TOK_END] = "nothing",
	    [WIRE_TOK_NULL] = "null",
	    [WIRE_TOK_FALSE] = "false",
	    [WIRE_TOK_TRUE] = "true",
	    [WIRE_TOK_NUMBER] = "a number",
	    [WIRE_TOK_STRING] = "a string",
	    [WIRE_TOK_KEY] = "a member",
	    [WIRE_TOK_ARRAY_BEGIN] = "an array",
	    [WIRE_TOK_ARRAY_END] = "nothing",
	    [WIRE_TOK_OBJECT_BEGIN] = "an object",
	    [WIRE_TOK_OBJECT_END] = "nothing",
	};

	return sup_tokens_refuse(tokens, tokens->offset, "is %s; write %s",
	    words[tokens->token], wanted);
}

bool
sup_tokens_is_key(const struct sup_tokens *tokens, const char *word)
{
	return wire_json_text_equal(tokens->raw,
	    (struct wire_span){(const uint8_t *)word, strlen(word)});
}

enum wire_err
sup_tokens_string(struct sup_tokens *tokens, const char **ret_text)
{
	char *text = tokens->arena + tokens->arena_len;
	size_t room = tokens->text.len - tokens->arena_len, len = 0;

	/* The quotes that are left out make room for the NUL. */
	WIRE_BUG_IF(room <= tokens->raw.len);
	if (wire_json_unescape(tokens->raw, (uint8_t *)text, room - 1, &len) !=
		WIRE_OK ||
	    memchr(text, '\0', len) != NULL)
		return sup_tokens_refuse(
		    tokens, tokens->offset, "holds a NUL; leave it out");
	text[len] = '\0';
	tokens->arena_len += len + 1;
	*ret_text = text;
	return WIRE_OK;
}
