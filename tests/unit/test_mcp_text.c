/*
 * What is read from MCP servers and said to them, and the table of their life:
 * bindings/mcp_list.h, mcp_result.h, mcp_write.h, mcp_next.h, redact.h.
 */
#include "bindings/mcp_list.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* cmocka wants the headers above it first */
#include <cmocka.h>

#include "bindings/mcp_next.h"
#include "bindings/mcp_result.h"
#include "bindings/mcp_write.h"
#include "bindings/redact.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static struct bind_json_check check;

static int
set_up(void **state)
{
	(void)state;
	bind_json_check_init(&check, 7);
	return 0;
}

static int
tear_down(void **state)
{
	(void)state;
	bind_json_check_release(&check);
	return 0;
}

static struct wire_span
span_of(const char *text)
{
	return (struct wire_span){(const uint8_t *)text, strlen(text)};
}

/* --- lists -----------------------------------------------------------------
 */

static enum wire_err
add_page(struct bind_mcp_list *list, const char *text)
{
	return bind_mcp_list_add(list, NULL, &check, span_of(text));
}

static void
t_a_page(void **state)
{
	struct bind_mcp_list list;
	const struct bind_mcp_tool *tool;

	(void)state;
	bind_mcp_list_init(&list);
	assert_int_equal(
	    add_page(&list,
		"{\"ttlMs\":5,\"tools\":[{\"name\":\"a\",\"description\":"
		"\"d\\n\",\"inputSchema\":{\"x\":1},\"outputSchema\":{}},"
		"{\"name\":\"\\u00e9\"}],\"nextCursor\":\"c\\\"\"}"),
	    WIRE_OK);
	assert_int_equal(list.count, 2);
	assert_int_equal(list.ttl_ms, 5);
	assert_int_equal(list.cursor_len, 3);
	assert_memory_equal(list.cursor, "c\\\"", 3);
	tool = list.tools[0];
	assert_true(tool->has_output);
	assert_true(
	    wire_span_equal(tool->about.description, WIRE_LIT("\"d\\n\"")));
	assert_true(wire_span_equal(tool->about.schema, WIRE_LIT("{\"x\":1}")));
	tool = list.tools[1];
	assert_false(tool->has_output);
	assert_null(tool->about.schema.p);
	assert_memory_equal(tool->name, "\xc3\xa9", 2);
	assert_int_equal(add_page(&list, "{\"tools\":[]}"), WIRE_OK);
	assert_int_equal(list.cursor_len, 0);
	assert_false(list.is_cut);
	bind_mcp_list_release(&list);
}

static void
t_pages_that_are_none(void **state)
{
	static const char *const pages[] = {
	    "7", "[]", "{}", "{\"tools\":{}}", "{\"tools\":null}"};
	struct bind_mcp_list list;

	(void)state;
	bind_mcp_list_init(&list);
	for (size_t i = 0; i < COUNT(pages); i++)
		assert_int_equal(add_page(&list, pages[i]), WIRE_ERR_BAD_FIELD);
	bind_mcp_list_release(&list);
}

static void
t_what_is_left_out(void **state)
{
	struct bind_mcp_list list;

	(void)state;
	bind_mcp_list_init(&list);
	assert_int_equal(
	    add_page(&list,
		"{\"tools\":[{\"name\":\"a\"},{\"name\":\"a\"},7,[],{},"
		"{\"name\":7},{\"name\":\"\"},{\"name\":\"\\u0001\"},"
		"{\"name\":\"b\",\"description\":7,\"inputSchema\":[]}]}"),
	    WIRE_OK);
	assert_int_equal(list.count, 2);
	assert_int_equal(list.repeated, 1);
	assert_int_equal(list.unusable, 6);
	assert_null(list.tools[1]->about.description.p);
	bind_mcp_list_release(&list);
}

static void
t_pages_and_tools_have_their_maximum(void **state)
{
	struct bind_mcp_list list;
	char page[128];
	size_t count = 0;

	(void)state;
	bind_mcp_list_init(&list);
	do {
		(void)snprintf(page, sizeof(page),
		    "{\"tools\":[{\"name\":\"t%zu\"}],\"nextCursor\":\"%zu\"}",
		    count, count);
		assert_int_equal(add_page(&list, page), WIRE_OK);
		count++;
	} while (list.cursor_len > 0);
	assert_int_equal(count, BIND_MCP_PAGES);
	assert_true(list.is_cut);
	bind_mcp_list_release(&list);
	for (size_t i = 0; i < BIND_MCP_TOOLS + 1; i++) {
		(void)snprintf(
		    page, sizeof(page), "{\"tools\":[{\"name\":\"t%zu\"}]}", i);
		assert_int_equal(list.over, 0);
		assert_int_equal(add_page(&list, page), WIRE_OK);
	}
	assert_int_equal(list.count, BIND_MCP_TOOLS);
	assert_int_equal(list.over, 1);
	bind_mcp_list_release(&list);
}

/* Entries count, whatever they are, over all pages. */
static void
t_entries_have_their_maximum(void **state)
{
	static const char head[] = "{\"nextCursor\":\"c\",\"tools\":[7";
	char page[sizeof(head) + 2 * BIND_MCP_ENTRIES + 2];
	struct bind_mcp_list list;
	size_t len = sizeof(head) - 1;

	(void)state;
	memcpy(page, head, len);
	for (size_t i = 1; i < BIND_MCP_ENTRIES; i++, len += 2)
		memcpy(page + len, ",7", 2);
	memcpy(page + len, "]}", 3);
	bind_mcp_list_init(&list);
	assert_int_equal(add_page(&list, page), WIRE_OK);
	assert_int_equal(list.unusable, BIND_MCP_ENTRIES);
	assert_false(list.is_cut);
	assert_int_equal(list.cursor_len, 1);
	assert_int_equal(
	    add_page(
		&list, "{\"tools\":[{\"name\":\"a\"}],\"nextCursor\":\"d\"}"),
	    WIRE_OK);
	assert_true(list.is_cut);
	assert_int_equal(list.count, 0);
	assert_int_equal(list.cursor_len, 0);
	bind_mcp_list_release(&list);
}

static void
t_cursors(void **state)
{
	static const char *const same[] = {
	    "{\"tools\":[],\"nextCursor\":\"a\"}",
	    "{\"tools\":[],\"nextCursor\":\"b\"}",
	    "{\"tools\":[],\"nextCursor\":\"a\"}"};
	static const char *const ends[] = {"{\"tools\":[],\"nextCursor\":null}",
	    "{\"tools\":[],\"nextCursor\":\"\"}",
	    "{\"tools\":[],\"nextCursor\":7}"};
	struct bind_mcp_list list;

	(void)state;
	bind_mcp_list_init(&list);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(add_page(&list, same[i]), WIRE_OK);
	assert_true(list.is_cut);
	assert_int_equal(list.cursor_len, 0);
	bind_mcp_list_release(&list);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(add_page(&list, ends[i]), WIRE_OK);
		assert_int_equal(list.cursor_len, 0);
		assert_false(list.is_cut);
	}
	bind_mcp_list_release(&list);
}

/* At its limit and one past it, and all of a list together. */
static void
t_schemas_have_their_maximum(void **state)
{
	size_t room = BIND_MCP_SCHEMA + 200;
	char *page = malloc(room);
	struct bind_mcp_list list;

	(void)state;
	assert_non_null(page);
	bind_mcp_list_init(&list);
	for (size_t more = 0; more < 2; more++) {
		int n = snprintf(page, room,
		    "{\"tools\":[{\"name\":\"t%zu\",\"inputSchema\":\"", more);
		size_t len = BIND_MCP_SCHEMA - 2 + more;

		memset(page + n, 'x', len);
		(void)snprintf(page + n + len, room - (size_t)n - len, "\"}]}");
		assert_int_equal(add_page(&list, page), WIRE_OK);
		assert_int_equal(list.tools[more]->about.schema.len,
		    more == 0 ? BIND_MCP_SCHEMA : 0);
	}
	for (size_t i = 2; i < 100; i++) {
		int n = snprintf(page, room,
		    "{\"tools\":[{\"name\":\"t%zu\",\"inputSchema\":\"", i);

		memset(page + n, 'x', BIND_MCP_SCHEMA - 2);
		(void)snprintf(page + n + BIND_MCP_SCHEMA - 2, 8, "\"}]}");
		assert_int_equal(add_page(&list, page), WIRE_OK);
	}
	assert_int_equal(list.bytes, BIND_MCP_ABOUT);
	free(page);
	bind_mcp_list_release(&list);
}

/* --- results ---------------------------------------------------------------
 */

static void
t_results(void **state)
{
	static const struct {
		const char *result;
		bool has_output;
		enum wire_tool_kind kind;
		const char *value; /* or what is said */
	} rows[] = {
#define LONG                                                                   \
	"0123456789012345678901234567890123456789"                             \
	"0123456789012345678901234567890123456789"
#define T(text) "{\"type\":\"text\",\"text\":\"" text "\"}"
	    {"{\"structuredContent\":{\"a\":1.50}}", false, WIRE_TOOL_NONE,
		"{\"a\":1.50}"},
	    {"{\"content\":[" T("x") "],\"structuredContent\":0}", false,
		WIRE_TOOL_NONE, "0"},
	    {"{\"content\":[" T("a\\u0000\\n") "]}", false, WIRE_TOOL_NONE,
		"\"a\\u0000\\n\""},
	    {"{\"content\":[" T("{\\\"a\\\": [1e400]}") "]}", false,
		WIRE_TOOL_NONE, "{\"a\": [1e400]}"},
	    {"{\"content\":[" T("[1,\\n2]") "]}", false, WIRE_TOOL_NONE,
		"[1, 2]"},
	    {"{\"content\":[" T("[1,") "]}", false, WIRE_TOOL_NONE, "\"[1,\""},
	    {"{\"content\":[" T("{\\\"a\\\":1,\\\"a\\\":2}") "]}", false,
		WIRE_TOOL_NONE, "\"{\\\"a\\\":1,\\\"a\\\":2}\""},
	    {"{\"content\":[" T("42") "]}", false, WIRE_TOOL_NONE, "\"42\""},
	    {"{\"content\":[" T("42") "]}", true, WIRE_TOOL_NONE, "42"},
	    {"{\"content\":[" T("nope") "]}", true, WIRE_TOOL_NONE, "\"nope\""},
	    {"{\"content\":[" T("a") "," T("7") "]}", true, WIRE_TOOL_NONE,
		"[\"a\",7]"},
	    {"{\"content\":[]}", false, WIRE_TOOL_NONE, "null"},
	    {"{\"content\":7}", false, WIRE_TOOL_NONE, "null"},
	    {"{\"content\":[{\"_meta\":1,\"type\":\"image\",\"icons\":[],"
	     "\"data\":\"eA==\",\"annotations\":{}}]}",
		false, WIRE_TOOL_NONE,
		"[{\"type\":\"image\",\"data\":\"eA==\"}]"},
	    {"{\"content\":[" T("a") ",null],\"structuredContent\":1}", false,
		WIRE_TOOL_NONE,
		"{\"structuredContent\":1,\"content\":[" T("a") ",null]}"},
	    {"{\"isError\":true,\"content\":[" T("a") "," T("b\\t") "]}", false,
		WIRE_TOOL_FAILED, "a\nb\t"},
	    {"{\"isError\":true,\"structuredContent\":{\"w\":1}}", false,
		WIRE_TOOL_FAILED, "{\"w\":1}"},
	    {"{\"isError\":true}", false, WIRE_TOOL_FAILED, ""},
	    {"{\"isError\":\"true\",\"content\":[]}", false, WIRE_TOOL_NONE,
		"null"},
	    {"{\"resultType\":\"complete\"}", false, WIRE_TOOL_NONE, "null"},
	    {"{\"resultType\":\"input_required\"}", false,
		WIRE_TOOL_INPUT_REQUIRED, "the tool asks for input"},
	    {"{\"resultType\":7}", false, WIRE_TOOL_FAILED,
		"the server gave a result of an unknown type: ?"},
	    /* Whole: what hides secrets comes after this. */
	    {"{\"resultType\":\"" LONG "\"}", false, WIRE_TOOL_FAILED,
		"the server gave a result of an unknown type: " LONG},
	    {"[]", false, WIRE_TOOL_FAILED, "the server's result is no object"},
#undef LONG
#undef T
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct bind_mcp_answer answer;
		uint8_t buf[256];
		struct bind_text said;
		struct wire_span got;

		bind_text_init(&said, buf, sizeof(buf));
		assert_int_equal(
		    bind_mcp_result(&check, span_of(rows[i].result),
			rows[i].has_output, &answer, &said),
		    WIRE_OK);
		assert_int_equal(answer.kind, rows[i].kind);
		got = answer.kind == WIRE_TOOL_NONE ? answer.value
						    : bind_text_span(&said);
		if (!wire_span_equal(got, span_of(rows[i].value)))
			print_message("row %zu: %.*s\n", i, (int)got.len,
			    (const char *)got.p);
		assert_true(wire_span_equal(got, span_of(rows[i].value)));
		free(answer.made);
	}
}

/* --- what is said ----------------------------------------------------------
 */

static void
check_line(struct bind_mcp_line *line, uint64_t id, const char *text)
{
	assert_non_null(line);
	assert_int_equal(line->id, id);
	assert_int_equal(line->sent, 0);
	if (line->len != strlen(text) + 1)
		print_message("%.*s", (int)line->len, (char *)line->bytes);
	assert_int_equal(line->len, strlen(text) + 1);
	assert_memory_equal(line->bytes, text, line->len - 1);
	assert_int_equal(line->bytes[line->len - 1], '\n');
	free(line);
}

#define CLIENT "{\"name\":\"weir\",\"version\":\"" WEIR_VERSION "\"}"
#define META                                                                   \
	"\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":"              \
	"\"2026-07-28\",\"io.modelcontextprotocol/clientCapabilities\":{},"    \
	"\"io.modelcontextprotocol/clientInfo\":" CLIENT "}"

static void
t_what_is_said(void **state)
{
	(void)state;
	check_line(bind_mcp_write_hello(BIND_MCP_ERA_LEGACY, 1), 1,
	    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\","
	    "\"params\":{\"protocolVersion\":\"2025-11-25\","
	    "\"capabilities\":{},\"clientInfo\":" CLIENT "}}");
	check_line(bind_mcp_write_hello(BIND_MCP_ERA_MODERN, 1), 1,
	    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"server/discover\","
	    "\"params\":{" META "}}");
	check_line(bind_mcp_write_initialized(), 0,
	    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
	check_line(bind_mcp_write_list(BIND_MCP_ERA_LEGACY, 2, WIRE_LIT("")), 2,
	    "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/list\","
	    "\"params\":{}}");
	check_line(
	    bind_mcp_write_list(BIND_MCP_ERA_LEGACY, 2, WIRE_LIT("\\u00e9")), 2,
	    "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/list\","
	    "\"params\":{\"cursor\":\"\\u00e9\"}}");
	check_line(bind_mcp_write_call(BIND_MCP_ERA_MODERN, 3,
		       WIRE_LIT("a\"\x01"), WIRE_LIT("{\"n\":1}")),
	    3,
	    "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"tools/call\","
	    "\"params\":{" META ",\"name\":\"a\\\"\\u0001\","
	    "\"arguments\":{\"n\":1}}}");
	check_line(bind_mcp_write_cancelled(3, "timed out"), 0,
	    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\","
	    "\"params\":{\"requestId\":3,\"reason\":\"timed out\"}}");
	check_line(bind_mcp_write_pong(WIRE_LIT("\"x\"")), 0,
	    "{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"result\":{}}");
	check_line(bind_mcp_write_refusal(WIRE_LIT("-1.5")), 0,
	    "{\"jsonrpc\":\"2.0\",\"id\":-1.5,\"error\":{\"code\":-32601,"
	    "\"message\":\"this client answers nothing but ping\"}}");
}

/* --- what is hidden --------------------------------------------------------
 */

static void
t_hidden(void **state)
{
	static const struct wire_span texts[] = {
	    {(const uint8_t *)"secret", 6},
	    {(const uint8_t *)"secret-long", 11},
	    {(const uint8_t *)"abc", 3}, /* too short to be looked for */
	    {(const uint8_t *)"1234", 4},
	    {(const uint8_t *)"a\"\n\xc3\xa9\xf0\x9f\x98\x80/", 10},
	};
	static const struct bind_redact redact = {texts, COUNT(texts)};
	static const struct {
		const char *said;
		bool is_tail;
		const char *shown;
	} rows[] = {
	    {"nothing", false, "nothing"},
	    {"secret", false, "[hidden]"},
	    {"a secret b", false, "a [hidden] b"},
	    {"secret-long", false, "[hidden]"},
	    {"secret-lon", false, "[hidden]-lon"},
	    {"secretsecret1234", false, "[hidden][hidden][hidden]"},
	    {"abc123 secre", false, "abc123 secre"},
	    {"cret x", true, "[hidden] x"},
	    {"cret x", false, "cret x"},
	    {"t", true, "[hidden]"},
	    {"x cret", true, "x cret"},
	    {"", true, ""},
	    {"x a\"\n\xc3\xa9\xf0\x9f\x98\x80/ y", false, "x [hidden] y"},
	    {"x a\\\"\\n\xc3\xa9\xf0\x9f\x98\x80\\/ y", false, "x [hidden] y"},
	    {"a\\u0022\\u000A\\u00e9\\ud83D\\ude00/", false, "[hidden]"},
	    {"\\u0061\\\"\\n\\u00e9\\ud83d\\ude00/", false, "[hidden]"},
	    {"a\\\"\\n\\u00e9\\ud83d", false, "a\\\"\\n\\u00e9\\ud83d"},
	    {"a\\", false, "a\\"},
	    {"\\n\\u00e9\\ud83d\\ude00/ y", true, "[hidden] y"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		uint8_t buf[64];
		struct bind_text text;

		bind_text_init(&text, buf, sizeof(buf));
		bind_redact_add(
		    &text, &redact, span_of(rows[i].said), rows[i].is_tail);
		assert_true(wire_span_equal(
		    bind_text_span(&text), span_of(rows[i].shown)));
	}
}

/* --- the table -------------------------------------------------------------
 */

/* Everything that has a process ends, by whatever way, and then nothing is
 * left; nobody waits for what has ended. */
static void
t_the_table(void **state)
{
	static const enum bind_mcp_event ends[] = {
	    BIND_MCP_FAIL, BIND_MCP_ENDED, BIND_MCP_STOP};

	(void)state;
	for (unsigned s = BIND_MCP_PROBING; s < BIND_MCP_STATES; s++) {
		for (size_t i = 0; i < COUNT(ends); i++) {
			struct bind_mcp_step step =
			    bind_mcp_next((enum bind_mcp_state)s, ends[i]);

			assert_int_equal(step.next, BIND_MCP_ENDING);
			assert_int_equal((step.actions & BIND_MCP_DO_KILL) != 0,
			    s != BIND_MCP_ENDING);
			if (s != BIND_MCP_ENDING &&
			    (s != BIND_MCP_PROBING || ends[i] == BIND_MCP_STOP))
				assert_true(
				    (step.actions & BIND_MCP_DO_SETTLE) != 0);
		}
		assert_int_equal(
		    bind_mcp_next((enum bind_mcp_state)s, BIND_MCP_REAPED).next,
		    BIND_MCP_DOWN);
		assert_true(
		    (bind_mcp_next((enum bind_mcp_state)s, BIND_MCP_REAPED)
			    .actions &
			BIND_MCP_DO_FORGET) != 0);
	}
	for (unsigned s = 0; s < BIND_MCP_STATES; s++) {
		for (unsigned e = 0; e < BIND_MCP_EVENTS; e++) {
			struct bind_mcp_step step = bind_mcp_next(
			    (enum bind_mcp_state)s, (enum bind_mcp_event)e);

			/* Tools are there only after a whole list. */
			if (step.next == BIND_MCP_READY && s < BIND_MCP_READY)
				assert_true(
				    (step.actions & BIND_MCP_DO_ADOPT) != 0 &&
				    e == BIND_MCP_LISTED);
			if ((step.actions & BIND_MCP_DO_SPAWN) != 0)
				assert_int_equal(s, BIND_MCP_DOWN);
		}
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(t_a_page),
	    cmocka_unit_test(t_pages_that_are_none),
	    cmocka_unit_test(t_what_is_left_out),
	    cmocka_unit_test(t_pages_and_tools_have_their_maximum),
	    cmocka_unit_test(t_entries_have_their_maximum),
	    cmocka_unit_test(t_cursors),
	    cmocka_unit_test(t_schemas_have_their_maximum),
	    cmocka_unit_test(t_results),
	    cmocka_unit_test(t_what_is_said),
	    cmocka_unit_test(t_hidden),
	    cmocka_unit_test(t_the_table),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
