/*
 * Target: what MCP servers say (bindings/mcp_lines.h, mcp_sight.h, mcp_read.h,
 * mcp_list.h, mcp_result.h, redact.h).
 *
 * A byte for the longest line, one for the pieces, and the bytes of a server.
 * Properties:
 *  - lines, and the ids of those that are dropped, are those of a walk over
 *    every byte, whatever the pieces, and the buffer stays within its maximum;
 *  - of a message every part stands in its line, and is JSON where it has to
 *    be; where the id can be seen without taking the line apart, it is the one;
 *  - a list holds usable names, each once, and no more than its bounds;
 *  - what becomes of a result is JSON, or an error;
 *  - what is hidden is not shown.
 */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "bindings/mcp_lines.h"
#include "bindings/mcp_list.h"
#include "bindings/mcp_read.h"
#include "bindings/mcp_result.h"
#include "bindings/redact.h"

/* --- messages ------------------------------------------------------------- */

static void
check_within(struct wire_span line, struct wire_span part)
{
	FUZZ_REQUIRE(part.len == 0 ||
	    (part.p >= line.p && part.p + part.len <= line.p + line.len));
}

static void
check_json(struct bind_json_check *check, struct wire_span value)
{
	FUZZ_REQUIRE(bind_json_check_value(check, value, NULL) == WIRE_OK);
}

static void
check_elements(struct bind_json_check *check, struct wire_span value)
{
	struct bind_mcp_elements elements;
	struct wire_span element;
	enum wire_json_token first;
	const uint8_t *at = value.p;

	if (value.len == 0 || value.p[0] != '[')
		return;
	bind_mcp_elements_init(&elements, value);
	while (bind_mcp_elements_next(&elements, &element, &first)) {
		check_within(value, element);
		FUZZ_REQUIRE(element.p > at);
		check_json(check, element);
		at = element.p;
	}
}

static void
check_list(struct bind_json_check *check, struct wire_span page)
{
	struct bind_mcp_list list;
	size_t bytes = 0;

	bind_mcp_list_init(&list);
	/* Twice: then every name stands there twice, and a cursor as well. */
	if (bind_mcp_list_add(&list, NULL, check, page) == WIRE_OK)
		FUZZ_REQUIRE(
		    bind_mcp_list_add(&list, NULL, check, page) == WIRE_OK);
	FUZZ_REQUIRE(
	    list.entries > BIND_MCP_ENTRIES || list.repeated >= list.count);
	FUZZ_REQUIRE(list.cursor_len == 0 || !list.is_cut);
	for (size_t i = 0; i < list.count; i++) {
		const struct bind_mcp_tool *tool = list.tools[i];
		struct wire_span name = {tool->name, tool->name_len};

		FUZZ_REQUIRE(bind_catalogue_is_name(name));
		for (size_t j = 0; j < i; j++)
			FUZZ_REQUIRE(!wire_span_equal(name,
			    (struct wire_span){
				list.tools[j]->name, list.tools[j]->name_len}));
		if (tool->about.description.p != NULL)
			check_json(check, tool->about.description);
		if (tool->about.schema.p != NULL)
			check_json(check, tool->about.schema);
		FUZZ_REQUIRE(
		    tool->about.description.len <= BIND_MCP_DESCRIPTION);
		FUZZ_REQUIRE(tool->about.schema.len <= BIND_MCP_SCHEMA);
		bytes += tool->about.description.len + tool->about.schema.len;
	}
	FUZZ_REQUIRE(bytes <= list.bytes && list.bytes <= BIND_MCP_ABOUT);
	bind_mcp_list_release(&list);
}

static void
check_result(
    struct bind_json_check *check, struct wire_span result, bool has_output)
{
	struct bind_mcp_answer answer;
	uint8_t buf[256];
	struct bind_text said;

	bind_text_init(&said, buf, sizeof(buf));
	FUZZ_REQUIRE(bind_mcp_result(
			 check, result, has_output, &answer, &said) == WIRE_OK);
	/* One bracket more may be the one that is too deep. */
	if (answer.kind == WIRE_TOOL_NONE)
		FUZZ_REQUIRE(bind_json_check_value(check, answer.value, NULL) ==
			WIRE_OK ||
		    result.len > 200);
	free(answer.made);
}

/* Whether a name of the message itself is spelled with escapes. */
static bool
has_odd_names(struct bind_json_check *check, struct wire_span line)
{
	struct wire_json_member members[BIND_MCP_MEMBERS];
	size_t count = 0;
	bool odd = false;

	FUZZ_REQUIRE(bind_json_check_object(check, bind_json_trim(line),
			 members, BIND_MCP_MEMBERS, &count, NULL) == WIRE_OK);
	for (size_t i = 0; i < count; i++)
		odd = odd || members[i].key_escaped;
	return odd;
}

static void
check_message(struct bind_json_check *check, struct wire_span line)
{
	struct bind_mcp_message m;
	struct bind_mcp_sight sight;
	uint64_t id = 0;
	bool seen;

	FUZZ_REQUIRE(bind_mcp_read(check, line, &m) == WIRE_OK);
	bind_mcp_sight_init(&sight);
	bind_mcp_sight_feed(&sight, line);
	seen = bind_mcp_sight_id(&sight, &id);
	check_within(line, m.id_text);
	check_within(line, m.method);
	check_within(line, m.result);
	check_within(line, m.message);
	FUZZ_REQUIRE(m.kind != BIND_MCP_REQUEST || m.id_text.len > 0);
	FUZZ_REQUIRE(m.kind != BIND_MCP_RESULT || m.result.len > 0);
	FUZZ_REQUIRE((m.kind == BIND_MCP_BROKEN) == (m.broken != WIRE_OK));
	if (m.kind != BIND_MCP_RESULT && m.kind != BIND_MCP_ERROR)
		return;
	FUZZ_REQUIRE(seen || has_odd_names(check, line));
	FUZZ_REQUIRE(!seen || id == m.id);
	if (m.kind == BIND_MCP_ERROR)
		return;
	check_json(check, m.result);
	check_elements(check, m.result);
	check_list(check, m.result);
	check_result(check, m.result, false);
	check_result(check, m.result, true);
}

/* --- lines ---------------------------------------------------------------- */

/* One byte after another: where the next line ends. */
static struct wire_span
model_line(struct wire_span *rest, bool *ended)
{
	struct wire_span line = {rest->p, 0};

	while (line.len < rest->len && rest->p[line.len] != '\n')
		line.len++;
	*ended = line.len < rest->len;
	rest->p += line.len + *ended;
	rest->len -= line.len + *ended;
	return line;
}

static void
check_dropped(const struct bind_mcp_sight *sight, struct wire_span line)
{
	struct bind_mcp_sight whole;
	uint64_t a = 0, b = 0;
	bool seen;

	bind_mcp_sight_init(&whole);
	bind_mcp_sight_feed(&whole, line);
	seen = bind_mcp_sight_id(&whole, &a);
	FUZZ_REQUIRE(bind_mcp_sight_id(sight, &b) == seen && a == b);
}

/* What the reader has against what the model has. */
static bool
check_next(struct bind_mcp_lines *lines, size_t max, struct wire_span *rest,
    struct bind_json_check *check)
{
	struct wire_span got = {NULL, 0}, want;
	enum bind_mcp_lines_next next = bind_mcp_lines_next(lines, &got);
	bool ended;

	FUZZ_REQUIRE(lines->size <= max + 2 || lines->size <= 4096);
	if (next == BIND_MCP_LINES_MORE)
		return false;
	if (next == BIND_MCP_LINES_FULL) {
		bind_mcp_lines_drop(lines);
		return true;
	}
	want = model_line(rest, &ended);
	FUZZ_REQUIRE(ended);
	if (next == BIND_MCP_LINES_DROPPED) {
		FUZZ_REQUIRE(want.len > max);
		check_dropped(&lines->sight, want);
		return true;
	}
	FUZZ_REQUIRE(want.len <= max);
	if (want.len > 0 && want.p[want.len - 1] == '\r')
		want.len--;
	FUZZ_REQUIRE(wire_span_equal(got, want));
	check_message(check, got);
	return true;
}

static void
check_lines(struct wire_span in, size_t max, size_t piece)
{
	struct bind_json_check check;
	struct bind_mcp_lines lines;
	struct wire_span rest = in;

	bind_json_check_init(&check, 1);
	bind_mcp_lines_init(&lines, max);
	while (in.len > 0) {
		uint8_t *room = NULL;
		size_t len = bind_mcp_lines_room(&lines, &room);
		struct wire_span some;

		FUZZ_REQUIRE(len > 0);
		some = fuzz_bytes(&in, len < piece ? len : piece);
		memcpy(room, some.p, some.len);
		bind_mcp_lines_filled(&lines, some.len);
		while (check_next(&lines, max, &rest, &check))
			;
	}
	/* What is left has no end. */
	FUZZ_REQUIRE(rest.len == 0 || memchr(rest.p, '\n', rest.len) == NULL);
	bind_mcp_lines_release(&lines);
	bind_json_check_release(&check);
}

/* --- what is hidden ------------------------------------------------------- */

static bool
holds(struct wire_span text, struct wire_span part)
{
	return text.len > 0 &&
	    memmem(text.p, text.len, part.p, part.len) != NULL;
}

/* The first line is hidden in all of it. */
static void
check_hidden(struct wire_span in)
{
	struct wire_span rest = in;
	bool ended;
	struct wire_span hidden = model_line(&rest, &ended);
	struct bind_redact redact = {&hidden, 1};
	uint8_t buf[4096];
	struct bind_text text;

	/* With a letter of the word it could come about anew. */
	for (size_t i = 0; i < hidden.len; i++)
		if (memchr(BIND_REDACT_WORD, hidden.p[i],
			sizeof(BIND_REDACT_WORD)) != NULL)
			return;
	if (hidden.len < BIND_REDACT_LEAST)
		return;
	bind_text_init(&text, buf, sizeof(buf));
	bind_redact_add(&text, &redact, in, false);
	FUZZ_REQUIRE(!holds(bind_text_span(&text), hidden));
	bind_text_init(&text, buf, sizeof(buf));
	bind_redact_add(
	    &text, &redact, (struct wire_span){in.p + 1, in.len - 1}, true);
	FUZZ_REQUIRE(text.len < hidden.len - 1 ||
	    memcmp(text.buf, hidden.p + 1, hidden.len - 1) != 0);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wire_span in = {data, size};
	size_t max = (size_t)fuzz_byte(&in) * 8;
	size_t piece = (size_t)fuzz_byte(&in) + 1;

	check_lines(in, max, piece);
	check_hidden(in);
	return 0;
}
