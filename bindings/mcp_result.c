#include "bindings/mcp_result.h"

#include <stdlib.h>
#include <string.h>

#include "bindings/mcp_read.h"
#include "wire/json_out.h"

/* The members of a result that say anything. */
struct result {
	struct wire_span structured, content; /* p NULL: not there */
	struct wire_span type;		      /* raw text; p NULL: none */
	bool is_error;
	size_t blocks, others; /* of content; those that are no text */
};

/* --- blocks ----------------------------------------------------------------
 */

struct block {
	struct wire_json_member members[BIND_MCP_MEMBERS];
	size_t count;
	bool is_text;
	struct wire_span text; /* raw, of a text */
};

/* False: it is no object that can be taken apart, and stays as it is. */
static bool
take_block(
    struct bind_json_check *check, struct wire_span value, struct block *block)
{
	bool says_text = false;

	block->count = 0;
	block->is_text = false;
	block->text = (struct wire_span){NULL, 0};
	if (bind_json_check_object(check, value, block->members,
		BIND_MCP_MEMBERS, &block->count, NULL) != WIRE_OK)
		return false;
	for (size_t i = 0; i < block->count; i++) {
		const struct wire_json_member *m = &block->members[i];

		if (wire_json_text_equal(m->key, WIRE_LIT("type")))
			says_text = wire_json_text_equal(
			    bind_mcp_raw_text(m), WIRE_LIT("text"));
		else if (wire_json_text_equal(m->key, WIRE_LIT("text")))
			block->text = bind_mcp_raw_text(m);
	}
	block->is_text = says_text && block->text.p != NULL;
	return true;
}

static bool
is_dropped(const struct wire_json_member *m)
{
	return wire_json_text_equal(m->key, WIRE_LIT("_meta")) ||
	    wire_json_text_equal(m->key, WIRE_LIT("annotations")) ||
	    wire_json_text_equal(m->key, WIRE_LIT("icons"));
}

static void
put_block(struct wire_out *out, struct bind_json_check *check,
    struct wire_span value, struct block *block)
{
	if (!take_block(check, value, block)) {
		wire_out_raw(out, value);
		return;
	}
	wire_out_begin_object(out);
	for (size_t i = 0; i < block->count; i++) {
		const struct wire_json_member *m = &block->members[i];
		uint8_t key[64];
		size_t len = 0;

		/* A longer name is none that anybody knows. */
		if (is_dropped(m) ||
		    wire_json_unescape(m->key, key, sizeof(key), &len) !=
			WIRE_OK)
			continue;
		wire_out_key_span(out, (struct wire_span){key, len});
		wire_out_raw(out, m->value);
	}
	wire_out_end_object(out);
}

static void
put_blocks(struct wire_out *out, struct bind_json_check *check,
    struct wire_span content)
{
	struct bind_mcp_elements elements;
	struct wire_span element;
	enum wire_json_token first;
	struct block block;

	bind_mcp_elements_init(&elements, content);
	wire_out_begin_array(out);
	while (bind_mcp_elements_next(&elements, &element, &first))
		put_block(out, check, element, &block);
	wire_out_end_array(out);
}

/* --- texts -----------------------------------------------------------------
 */

/*
 * The JSON that a raw text spells, in room of as many bytes as the text has.
 * BAD_SYNTAX: it spells none, or is not asked to.
 */
static enum wire_err
spelled(struct bind_json_check *check, struct wire_span raw, bool has_output,
    uint8_t *room, struct wire_span *ret_value)
{
	struct wire_span value;
	size_t len = 0;
	enum wire_err err = wire_json_unescape(raw, room, raw.len, &len);

	WIRE_BUG_IF(err != WIRE_OK);
	value = bind_json_trim((struct wire_span){room, len});
	if (value.len == 0 ||
	    (!has_output && value.p[0] != '{' && value.p[0] != '['))
		return WIRE_ERR_BAD_SYNTAX;
	err = bind_json_check_value(check, value, NULL);
	if (err != WIRE_OK)
		return err == WIRE_ERR_NO_MEMORY ? err : WIRE_ERR_BAD_SYNTAX;
	*ret_value = value;
	return WIRE_OK;
}

static enum wire_err
put_text(struct wire_out *out, struct bind_json_check *check,
    struct wire_span raw, bool has_output, uint8_t *room)
{
	struct wire_span value;
	enum wire_err err = spelled(check, raw, has_output, room, &value);

	if (err == WIRE_OK)
		wire_out_raw(out, value);
	else if (err == WIRE_ERR_BAD_SYNTAX)
		wire_out_raw_string(out, raw);
	return err == WIRE_ERR_NO_MEMORY ? err : WIRE_OK;
}

static enum wire_err
put_texts(struct wire_out *out, struct bind_json_check *check,
    const struct result *result, bool has_output, uint8_t *room)
{
	struct bind_mcp_elements elements;
	struct wire_span element;
	enum wire_json_token first;
	struct block block;
	enum wire_err err = WIRE_OK;

	bind_mcp_elements_init(&elements, result->content);
	if (result->blocks > 1)
		wire_out_begin_array(out);
	while (err == WIRE_OK &&
	    bind_mcp_elements_next(&elements, &element, &first)) {
		(void)take_block(check, element, &block);
		err = put_text(out, check, block.text, has_output, room);
	}
	if (result->blocks > 1)
		wire_out_end_array(out);
	return err;
}

/* --- the value -------------------------------------------------------------
 */

static void
put_both(struct wire_out *out, struct bind_json_check *check,
    const struct result *result)
{
	wire_out_begin_object(out);
	wire_out_key(out, "structuredContent");
	wire_out_raw(out, result->structured);
	wire_out_key(out, "content");
	put_blocks(out, check, result->content);
	wire_out_end_object(out);
}

/* Nothing of what is built is longer than what it is built from, but for a
 * few brackets; behind it is the room for one text. */
static enum wire_err
build(struct bind_json_check *check, const struct result *result,
    bool has_output, size_t len, struct bind_mcp_answer *answer)
{
	struct wire_out out;
	size_t size, max;
	enum wire_err err;

	if (!wire_add(len, 64, &max) || !wire_mul(max, 2, &size))
		return WIRE_ERR_NO_MEMORY;
	answer->made = malloc(size);
	if (answer->made == NULL)
		return WIRE_ERR_NO_MEMORY;
	wire_out_init(&out, answer->made, max);
	if (result->structured.p != NULL) {
		put_both(&out, check, result);
	} else if (result->others > 0) {
		put_blocks(&out, check, result->content);
	} else if (result->blocks == 0) {
		wire_out_null(&out);
	} else {
		err = put_texts(
		    &out, check, result, has_output, answer->made + max);
		if (err != WIRE_OK)
			return err;
	}
	answer->value.p = answer->made;
	return wire_out_finish(&out, &answer->value.len);
}

/* --- errors ----------------------------------------------------------------
 */

/* All texts, one after another; or else what is structured. */
static enum wire_err
say_error(struct bind_json_check *check, const struct result *result,
    struct bind_text *said)
{
	struct bind_mcp_elements elements;
	struct wire_span element;
	enum wire_json_token first;
	struct block block;
	uint8_t *text = malloc(result->content.len + 1);

	if (text == NULL)
		return WIRE_ERR_NO_MEMORY;
	bind_mcp_elements_init(&elements, result->content);
	while (result->content.p != NULL && !said->full &&
	    bind_mcp_elements_next(&elements, &element, &first)) {
		size_t len = 0;

		if (!take_block(check, element, &block) || !block.is_text ||
		    wire_json_unescape(
			block.text, text, result->content.len, &len) != WIRE_OK)
			continue;
		if (said->len > 0)
			bind_text_add(said, "\n");
		bind_text_add_span(said, (struct wire_span){text, len});
	}
	free(text);
	if (said->len == 0 && result->structured.p != NULL)
		bind_text_add_span(said, result->structured);
	return WIRE_OK;
}

/* --- reading it ------------------------------------------------------------
 */

static void
count_blocks(struct bind_json_check *check, struct result *result)
{
	struct bind_mcp_elements elements;
	struct wire_span element;
	enum wire_json_token first;
	struct block block;

	bind_mcp_elements_init(&elements, result->content);
	while (bind_mcp_elements_next(&elements, &element, &first)) {
		result->blocks++;
		if (!take_block(check, element, &block) || !block.is_text)
			result->others++;
	}
}

static void
take_member(const struct wire_json_member *m, struct result *result)
{
	if (wire_json_text_equal(m->key, WIRE_LIT("structuredContent"))) {
		if (m->type != WIRE_JSON_NULL)
			result->structured = m->value;
	} else if (wire_json_text_equal(m->key, WIRE_LIT("content"))) {
		if (m->type == WIRE_JSON_ARRAY)
			result->content = m->value;
	} else if (wire_json_text_equal(m->key, WIRE_LIT("isError"))) {
		result->is_error = m->type == WIRE_JSON_TRUE;
	} else if (wire_json_text_equal(m->key, WIRE_LIT("resultType"))) {
		result->type = bind_mcp_raw_text(m);
		if (result->type.p == NULL)
			result->type = WIRE_LIT("?");
	}
}

/* NONE: the result is complete, which it also is when it does not say. */
static enum wire_tool_kind
judge_type(struct wire_span type, struct bind_text *said)
{
	if (type.p == NULL || wire_json_text_equal(type, WIRE_LIT("complete")))
		return WIRE_TOOL_NONE;
	if (wire_json_text_equal(type, WIRE_LIT("input_required"))) {
		bind_text_add(said, "the tool asks for input");
		return WIRE_TOOL_INPUT_REQUIRED;
	}
	bind_text_add(said, "the server gave a result of an unknown type: ");
	/* SECURITY: whole: what hides secrets has to see all of one, and what
	 * is shown is cut after that. */
	bind_text_add_escaped(said, type);
	return WIRE_TOOL_FAILED;
}

enum wire_err
bind_mcp_result(struct bind_json_check *check, struct wire_span value,
    bool has_output, struct bind_mcp_answer *ret_answer, struct bind_text *said)
{
	struct wire_json_member members[BIND_MCP_MEMBERS];
	struct result result = {.is_error = false};
	size_t count = 0;
	enum wire_err err;

	*ret_answer = (struct bind_mcp_answer){.kind = WIRE_TOOL_FAILED};
	err = bind_json_check_object(
	    check, value, members, BIND_MCP_MEMBERS, &count, NULL);
	if (err == WIRE_ERR_NO_MEMORY)
		return err;
	if (err != WIRE_OK) {
		bind_text_add(said, "the server's result is no object");
		return WIRE_OK;
	}
	for (size_t i = 0; i < count; i++)
		take_member(&members[i], &result);
	ret_answer->kind = judge_type(result.type, said);
	if (ret_answer->kind != WIRE_TOOL_NONE)
		return WIRE_OK;
	if (result.is_error) {
		ret_answer->kind = WIRE_TOOL_FAILED;
		return say_error(check, &result, said);
	}
	if (result.content.p != NULL)
		count_blocks(check, &result);
	ret_answer->value = result.structured;
	if (result.structured.p != NULL && result.others == 0)
		return WIRE_OK;
	return build(check, &result, has_output, value.len, ret_answer);
}
