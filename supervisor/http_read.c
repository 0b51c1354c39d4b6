#include "supervisor/http_read.h"

#include <string.h>

#include "supervisor/profile_token.h"
#include "supervisor/units.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

#define TIMEOUT_MIN SUP_NS_PER_MS
#define TIMEOUT_MAX (24 * SUP_NS_PER_H)

struct reader {
	struct sup_tokens tokens;
	struct sup_http_file *file;
	struct sup_http_tool *tool; /* the one that is read */
};

/* --- values --------------------------------------------------------------- */

static enum wire_err
read_text(struct reader *r, struct sup_http_text *text, const char *wanted)
{
	if (r->tokens.token != WIRE_TOK_STRING)
		return sup_tokens_mistyped(&r->tokens, wanted);
	text->offset = r->tokens.offset;
	return sup_tokens_string(&r->tokens, &text->text);
}

static enum wire_err
read_list(struct reader *r, struct sup_http_text list[SUP_HTTP_LIST],
    size_t *count, const char *wanted)
{
	enum wire_err err;

	if (r->tokens.token != WIRE_TOK_ARRAY_BEGIN)
		return sup_tokens_mistyped(&r->tokens, "an array of strings");
	for (;;) {
		sup_tokens_next(&r->tokens);
		if (r->tokens.token == WIRE_TOK_ARRAY_END)
			return WIRE_OK;
		if (*count == SUP_HTTP_LIST)
			return sup_tokens_refuse(&r->tokens, r->tokens.offset,
			    "more than %d elements; leave some out",
			    SUP_HTTP_LIST);
		err = read_text(r, &list[*count], wanted);
		if (err != WIRE_OK)
			return err;
		(*count)++;
	}
}

static enum wire_err
read_schema(struct reader *r)
{
	if (r->tokens.token == WIRE_TOK_STRING &&
	    sup_tokens_is_key(&r->tokens, SUP_HTTP_SCHEMA))
		return WIRE_OK;
	return sup_tokens_refuse(&r->tokens, r->tokens.offset,
	    "is another format; a file that is used so has \"%s\"",
	    SUP_HTTP_SCHEMA);
}

static enum wire_err
read_allow(struct reader *r)
{
	return read_list(r, r->file->allow, &r->file->allow_count,
	    "a string, such as \"https://api.example.com/v1\"");
}

static enum wire_err
read_private(struct reader *r)
{
	return read_list(r, r->file->private, &r->file->private_count,
	    "a string, an address or a network");
}

static enum wire_err
read_ca_file(struct reader *r)
{
	enum wire_err err = read_text(r, &r->file->ca_file, "a string, a path");

	if (err == WIRE_OK && r->file->ca_file.text[0] != '/')
		err = sup_tokens_refuse(&r->tokens, r->tokens.offset,
		    "is no absolute path; begin it with a slash");
	return err;
}

static enum wire_err
read_method(struct reader *r)
{
	return read_text(r, &r->tool->method, "a string, such as \"GET\"");
}

static enum wire_err
read_url(struct reader *r)
{
	return read_text(r, &r->tool->url, "a string, a URL");
}

static enum wire_err
read_headers(struct reader *r)
{
	struct sup_http_tool *tool = r->tool;
	enum wire_err err;

	if (r->tokens.token != WIRE_TOK_OBJECT_BEGIN)
		return sup_tokens_mistyped(&r->tokens, "an object of headers");
	for (;;) {
		sup_tokens_next(&r->tokens);
		if (r->tokens.token == WIRE_TOK_OBJECT_END)
			return WIRE_OK;
		if (tool->header_count == SUP_HTTP_HEADERS)
			return sup_tokens_refuse(&r->tokens, r->tokens.offset,
			    "more than %d headers; leave some out",
			    SUP_HTTP_HEADERS);
		tool->names[tool->header_count].offset = r->tokens.offset;
		err = sup_tokens_string(
		    &r->tokens, &tool->names[tool->header_count].text);
		if (err != WIRE_OK)
			return err;
		sup_tokens_next(&r->tokens);
		err = read_text(r, &tool->values[tool->header_count],
		    "a string, its value");
		if (err != WIRE_OK)
			return err;
		tool->header_count++;
	}
}

static enum wire_err
read_timeout(struct reader *r)
{
	struct wire_span text = r->tokens.raw;
	struct wire_errinfo info = {"", 0, 0};
	uint64_t ns = 0;

	if (r->tokens.token != WIRE_TOK_STRING &&
	    r->tokens.token != WIRE_TOK_NUMBER)
		return sup_tokens_mistyped(&r->tokens,
		    "a number of seconds, or a string such as \"200ms\"");
	if (sup_units_parse(SUP_UNIT_TIME, text, &ns, &info) != WIRE_OK)
		return sup_tokens_refuse(&r->tokens, r->tokens.offset,
		    "%s; write %s", info.site,
		    sup_units_example(SUP_UNIT_TIME));
	if (ns < TIMEOUT_MIN || ns > TIMEOUT_MAX)
		return sup_tokens_refuse(&r->tokens, r->tokens.offset,
		    "%s; use a value from 1ms to 24h",
		    ns < TIMEOUT_MIN ? "under the minimum"
				     : "over the ceiling");
	r->tool->timeout_ns = ns;
	return WIRE_OK;
}

static enum wire_err
read_description(struct reader *r)
{
	struct sup_http_text text;
	enum wire_err err = read_text(r, &text, "a string, a description");

	if (err == WIRE_OK)
		r->tool->description = (struct wire_span){
		    (const uint8_t *)text.text, strlen(text.text)};
	return err;
}

static enum wire_err
read_input_schema(struct reader *r)
{
	size_t begin = r->tokens.offset, depth = 1;

	if (r->tokens.token != WIRE_TOK_OBJECT_BEGIN)
		return sup_tokens_mistyped(
		    &r->tokens, "an object, a JSON schema");
	while (depth > 0) {
		sup_tokens_next(&r->tokens);
		if (r->tokens.token == WIRE_TOK_OBJECT_BEGIN ||
		    r->tokens.token == WIRE_TOK_ARRAY_BEGIN)
			depth++;
		else if (r->tokens.token == WIRE_TOK_OBJECT_END ||
		    r->tokens.token == WIRE_TOK_ARRAY_END)
			depth--;
	}
	r->tool->input_schema = (struct wire_span){
	    r->tokens.text.p + begin, r->tokens.offset + 1 - begin};
	return WIRE_OK;
}

/* --- objects -------------------------------------------------------------- */

struct member {
	const char *word;
	bool needed;
	enum wire_err (*read)(struct reader *r);
};

static enum wire_err
unknown(struct reader *r, const struct member *members, size_t count)
{
	char list[256] = "";
	size_t len = 0;

	for (size_t i = 0; i < count; i++) {
		size_t more = strlen(members[i].word) + 1;

		WIRE_BUG_IF(len + more >= sizeof(list));
		list[len] = ' ';
		memcpy(list + len + 1, members[i].word, more);
		len += more;
	}
	return sup_tokens_refuse(&r->tokens, r->tokens.offset,
	    "no such member here; the members are%s", list);
}

/* An object of these members; count is at most 32. */
static enum wire_err
read_object(struct reader *r, const struct member *members, size_t count)
{
	size_t begin = r->tokens.offset;
	uint32_t seen = 0;

	if (r->tokens.token != WIRE_TOK_OBJECT_BEGIN)
		return sup_tokens_mistyped(&r->tokens, "an object");
	for (sup_tokens_next(&r->tokens); r->tokens.token == WIRE_TOK_KEY;
	     sup_tokens_next(&r->tokens)) {
		enum wire_err err;
		size_t i;

		for (i = 0; i < count; i++)
			if (sup_tokens_is_key(&r->tokens, members[i].word))
				break;
		if (i == count)
			return unknown(r, members, count);
		seen |= UINT32_C(1) << i;
		sup_tokens_next(&r->tokens);
		err = members[i].read(r);
		if (err != WIRE_OK)
			return err;
	}
	for (size_t i = 0; i < count; i++)
		if (members[i].needed && (seen >> i & 1) == 0)
			return sup_tokens_refuse(&r->tokens, begin,
			    "the member \"%s\" is missing", members[i].word);
	return WIRE_OK;
}

static const struct member tool_members[] = {
    {"method", true, read_method},
    {"url", true, read_url},
    {"headers", false, read_headers},
    {"timeout", false, read_timeout},
    {"description", false, read_description},
    {"input_schema", false, read_input_schema},
};

static enum wire_err
read_tools(struct reader *r)
{
	struct sup_http_file *file = r->file;
	size_t begin = r->tokens.offset;
	enum wire_err err;

	if (r->tokens.token != WIRE_TOK_OBJECT_BEGIN)
		return sup_tokens_mistyped(&r->tokens, "an object of tools");
	for (sup_tokens_next(&r->tokens); r->tokens.token == WIRE_TOK_KEY;
	     sup_tokens_next(&r->tokens)) {
		if (file->tool_count == SUP_HTTP_TOOLS)
			return sup_tokens_refuse(&r->tokens, r->tokens.offset,
			    "more than %d tools; leave some out",
			    SUP_HTTP_TOOLS);
		r->tool = &file->tools[file->tool_count];
		r->tool->name.offset = r->tokens.offset;
		err = sup_tokens_string(&r->tokens, &r->tool->name.text);
		if (err != WIRE_OK)
			return err;
		sup_tokens_next(&r->tokens);
		err = read_object(r, tool_members, COUNT(tool_members));
		if (err != WIRE_OK)
			return err;
		file->tool_count++;
	}
	return file->tool_count > 0
	    ? WIRE_OK
	    : sup_tokens_refuse(&r->tokens, begin, "no tool in it; write one");
}

static const struct member file_members[] = {
    {"schema", true, read_schema},
    {"allow", true, read_allow},
    {"private", false, read_private},
    {"ca_file", false, read_ca_file},
    {"tools", true, read_tools},
};

/* --- a text --------------------------------------------------------------- */

enum wire_err
sup_http_read(struct wire_span text, struct wire_json_scratch *scratch,
    char *arena, struct sup_http_file *ret_file,
    struct sup_profile_problem *problem)
{
	struct reader r = {
	    .tokens = {.text = text, .arena = arena, .problem = problem},
	    .file = ret_file,
	};
	enum wire_err err = sup_tokens_scan(&r.tokens, SUP_HTTP_DEPTH, scratch);

	if (err != WIRE_OK)
		return err;
	memset(ret_file, 0, sizeof(*ret_file));
	wire_json_cursor_init(&r.tokens.cursor, text);
	sup_tokens_next(&r.tokens);
	return read_object(&r, file_members, COUNT(file_members));
}
