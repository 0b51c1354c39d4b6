/*
 * Lines of MCP servers and what is seen in them: bindings/mcp_lines.h,
 * mcp_sight.h, mcp_read.h.
 */
#include "bindings/mcp_lines.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* cmocka wants the headers above it first */
#include <cmocka.h>

#include "bindings/mcp_read.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static struct wire_span
span_of(const char *text)
{
	return (struct wire_span){(const uint8_t *)text, strlen(text)};
}

/* --- lines -----------------------------------------------------------------
 */

static void
feed(struct bind_mcp_lines *lines, const char *text, size_t len)
{
	while (len > 0) {
		uint8_t *room = NULL;
		size_t n = bind_mcp_lines_room(lines, &room);

		assert_true(n > 0);
		n = n < len ? n : len;
		memcpy(room, text, n);
		bind_mcp_lines_filled(lines, n);
		text += n;
		len -= n;
	}
}

static void
expect_line(struct bind_mcp_lines *lines, const char *text)
{
	struct wire_span line;

	assert_int_equal(
	    bind_mcp_lines_next(lines, &line), BIND_MCP_LINES_LINE);
	assert_int_equal(line.len, strlen(text));
	assert_memory_equal(line.p, text, line.len);
}

static void
expect(struct bind_mcp_lines *lines, enum bind_mcp_lines_next what)
{
	struct wire_span line;

	assert_int_equal(bind_mcp_lines_next(lines, &line), what);
}

static void
t_lines_whatever_the_pieces(void **state)
{
	static const char text[] = "one\n\ntwo\r\n\r\nth\rree\nx";

	(void)state;
	for (size_t piece = 1; piece <= sizeof(text); piece++) {
		static const char *const wanted[] = {
		    "one", "", "two", "", "th\rree"};
		struct bind_mcp_lines lines;
		size_t count = 0;

		bind_mcp_lines_init(&lines, 100);
		for (size_t at = 0; at < sizeof(text) - 1; at += piece) {
			size_t left = sizeof(text) - 1 - at;
			struct wire_span line;

			feed(&lines, text + at, left < piece ? left : piece);
			while (bind_mcp_lines_next(&lines, &line) ==
			    BIND_MCP_LINES_LINE) {
				assert_true(count < COUNT(wanted));
				assert_true(wire_span_equal(
				    line, span_of(wanted[count])));
				count++;
			}
		}
		assert_int_equal(count, COUNT(wanted));
		bind_mcp_lines_release(&lines);
	}
}

static void
t_a_line_of_the_maximum_and_one_more(void **state)
{
	struct bind_mcp_lines lines;

	(void)state;
	bind_mcp_lines_init(&lines, 5);
	feed(&lines, "12345\n", 6);
	expect_line(&lines, "12345");
	feed(&lines, "123456", 6);
	expect(&lines, BIND_MCP_LINES_FULL);
	lines.max = 6;
	expect(&lines, BIND_MCP_LINES_MORE);
	feed(&lines, "\n", 1);
	expect_line(&lines, "123456");
	feed(&lines, "x\n", 2);
	expect_line(&lines, "x");
	bind_mcp_lines_release(&lines);
}

static void
t_a_line_that_is_dropped_is_known_by_its_id(void **state)
{
	struct bind_mcp_lines lines;
	uint64_t id = 0;

	(void)state;
	bind_mcp_lines_init(&lines, 20);
	feed(&lines, "{\"result\":\"xxxxxxxxxxx", 22);
	expect(&lines, BIND_MCP_LINES_FULL);
	bind_mcp_lines_drop(&lines);
	expect(&lines, BIND_MCP_LINES_MORE);
	for (int i = 0; i < 1000; i++) {
		feed(&lines, "id\\\":1,", 7);
		expect(&lines, BIND_MCP_LINES_MORE);
		assert_in_range(lines.size, 0, 4096);
	}
	feed(&lines, "\",\"id\":42}\nnext\n", 16);
	expect(&lines, BIND_MCP_LINES_DROPPED);
	assert_true(bind_mcp_sight_id(&lines.sight, &id));
	assert_int_equal(id, 42);
	expect_line(&lines, "next");
	expect(&lines, BIND_MCP_LINES_MORE);
	bind_mcp_lines_release(&lines);
}

/* A buffer that was large is given back. */
static void
t_memory_of_a_long_line(void **state)
{
	struct bind_mcp_lines lines;
	size_t len = 1 << 20;
	char *text = malloc(len + 1);
	struct wire_span line;
	uint8_t *room;

	(void)state;
	assert_non_null(text);
	memset(text, 'x', len);
	text[len] = '\n';
	bind_mcp_lines_init(&lines, len);
	feed(&lines, text, len + 1);
	assert_int_equal(
	    bind_mcp_lines_next(&lines, &line), BIND_MCP_LINES_LINE);
	assert_int_equal(line.len, len);
	assert_true(lines.size <= len + 2);
	assert_true(bind_mcp_lines_room(&lines, &room) > 0);
	assert_true(lines.size < 10000);
	free(text);
	bind_mcp_lines_release(&lines);
}

/* --- ids that can be seen --------------------------------------------------
 */

static void
t_sight(void **state)
{
	static const struct {
		const char *text;
		uint64_t id; /* 0: none */
	} rows[] = {
	    {"{\"id\":7}", 7},
	    {" { \"result\" : {\"id\":8}, \"id\" : 9 , \"x\":1", 9},
	    {"{\"result\":[{\"id\":1},\"\\\"id\\\":3\"],\"id\":5}", 5},
	    {"{\"id\":9007199254740991}", 9007199254740991},
	    {"{\"id\":123456789012345678901}", 0},
	    {"{\"id\":\"7\"}", 0},
	    {"{\"id\":7.5}", 0},
	    {"{\"id\":7e1}", 0},
	    {"{\"id\":-7}", 0},
	    {"{\"id\":null}", 0},
	    {"{\"id\":7", 0},
	    {"{\"idx\":7,\"xid\":8}", 0},
	    {"{\"id\":7,\"method\":\"x\"}", 0},
	    {"[{\"id\":7}]", 0},
	    {"x{\"id\":7}", 0},
	    {"{\"a\":\"id\",\"b\":7}", 0},
	    {"{\"result\":\"\\\\\",\"id\":6}", 6},
	    {"", 0},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct wire_span text = span_of(rows[i].text);
		uint64_t id = 0;

		/* In every two pieces. */
		for (size_t cut = 0; cut <= text.len; cut++) {
			struct bind_mcp_sight sight;

			bind_mcp_sight_init(&sight);
			bind_mcp_sight_feed(
			    &sight, (struct wire_span){text.p, cut});
			bind_mcp_sight_feed(&sight,
			    (struct wire_span){text.p + cut, text.len - cut});
			id = 0;
			assert_int_equal(
			    bind_mcp_sight_id(&sight, &id), rows[i].id != 0);
			assert_int_equal(id, rows[i].id);
		}
	}
}

/* --- messages --------------------------------------------------------------
 */

static void
t_kinds(void **state)
{
	static const struct {
		const char *line;
		enum bind_mcp_kind kind;
	} rows[] = {
	    {"", BIND_MCP_BLANK},
	    {" \t", BIND_MCP_BLANK},
	    {"hello", BIND_MCP_NOISE},
	    {"[]", BIND_MCP_NOISE},
	    {"7", BIND_MCP_NOISE},
	    {"{}", BIND_MCP_NOISE},
	    {"{", BIND_MCP_BROKEN},
	    {"{\"a\":1,\"a\":2}", BIND_MCP_BROKEN},
	    {"{\"id\":1,\"result\":{}}", BIND_MCP_RESULT},
	    {"{\"result\":7,\"x\":[],\"id\":1}", BIND_MCP_RESULT},
	    {"{\"id\":\"1\",\"result\":{}}", BIND_MCP_NOISE},
	    {"{\"id\":null,\"result\":{}}", BIND_MCP_NOISE},
	    {"{\"id\":01,\"result\":{}}", BIND_MCP_BROKEN},
	    {"{\"id\":1}", BIND_MCP_NOISE},
	    {"{\"id\":1,\"result\":{},\"error\":{}}", BIND_MCP_ERROR},
	    {"{\"id\":1,\"error\":{\"code\":-32601,\"message\":\"no\"}}",
		BIND_MCP_ERROR},
	    {"{\"id\":1,\"error\":\"no\"}", BIND_MCP_NOISE},
	    {"{\"method\":\"ping\",\"id\":1}", BIND_MCP_REQUEST},
	    {"{\"method\":\"ping\",\"id\":\"a\",\"result\":1}",
		BIND_MCP_REQUEST},
	    {"{\"method\":\"ping\",\"id\":{}}", BIND_MCP_NOISE},
	    {"{\"method\":\"ping\"}", BIND_MCP_NOTIFICATION},
	    {"{\"method\":7,\"id\":1,\"result\":{}}", BIND_MCP_NOISE},
	};
	struct bind_json_check check;

	(void)state;
	bind_json_check_init(&check, 7);
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct bind_mcp_message message;

		assert_int_equal(
		    bind_mcp_read(&check, span_of(rows[i].line), &message),
		    WIRE_OK);
		if (message.kind != rows[i].kind)
			print_message("row %zu: %s\n", i, rows[i].line);
		assert_int_equal(message.kind, rows[i].kind);
	}
	bind_json_check_release(&check);
}

static void
t_what_messages_hold(void **state)
{
	struct bind_mcp_message m;
	struct bind_json_check check;

	(void)state;
	bind_json_check_init(&check, 7);
	assert_int_equal(bind_mcp_read(&check,
			     span_of("{\"error\":{\"message\":\"n\\u00f6\","
				     "\"code\":-32601},\"id\":12}"),
			     &m),
	    WIRE_OK);
	assert_int_equal(m.id, 12);
	assert_int_equal(m.code, -32601);
	assert_true(wire_span_equal(m.message, WIRE_LIT("n\\u00f6")));
	assert_int_equal(
	    bind_mcp_read(
		&check, span_of("{\"id\": \"q\" ,\"method\":\"a/b\"}"), &m),
	    WIRE_OK);
	assert_true(wire_span_equal(m.id_text, WIRE_LIT("\"q\"")));
	assert_true(wire_span_equal(m.method, WIRE_LIT("a/b")));
	assert_int_equal(
	    bind_mcp_read(&check, span_of("{\"a\":nope}"), &m), WIRE_OK);
	assert_int_equal(m.broken, WIRE_ERR_BAD_SYNTAX);
	assert_int_equal(m.offset, 6);
	bind_json_check_release(&check);
}

static void
t_elements(void **state)
{
	static const char *const wanted[] = {"1", "\"a]\"", "[2,[3]]",
	    "{\"b\":[{}]}", "null", "false", "-1.5e3", "[]", "{}", "true"};
	struct bind_mcp_elements elements;
	struct wire_span element;
	enum wire_json_token first;

	(void)state;
	bind_mcp_elements_init(&elements,
	    span_of("[1 , \"a]\",[2,[3]],\n{\"b\":[{}]},null,false,-1.5e3 ,[],"
		    "{},true ]"));
	for (size_t i = 0; i < COUNT(wanted); i++) {
		assert_true(
		    bind_mcp_elements_next(&elements, &element, &first));
		assert_true(wire_span_equal(element, span_of(wanted[i])));
	}
	assert_false(bind_mcp_elements_next(&elements, &element, &first));
	bind_mcp_elements_init(&elements, span_of("[]"));
	assert_false(bind_mcp_elements_next(&elements, &element, &first));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(t_lines_whatever_the_pieces),
	    cmocka_unit_test(t_a_line_of_the_maximum_and_one_more),
	    cmocka_unit_test(t_a_line_that_is_dropped_is_known_by_its_id),
	    cmocka_unit_test(t_memory_of_a_long_line),
	    cmocka_unit_test(t_sight),
	    cmocka_unit_test(t_kinds),
	    cmocka_unit_test(t_what_messages_hold),
	    cmocka_unit_test(t_elements),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
