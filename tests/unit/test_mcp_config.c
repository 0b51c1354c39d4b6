/*
 * Configurations of MCP servers: what each member means, what is expanded, and
 * that everything else is refused at its place. tests/e2e/test_830_mcp.py has
 * the sentences.
 */
#include "supervisor/mcp_read.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* cmocka wants the headers above it first */
#include <cmocka.h>

#include "supervisor/mcp_expand.h"
#include "supervisor/mcp_load.h"
#include "supervisor/profile_where.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static struct sup_mcp_file file;
static struct sup_profile_problem problem;
static char *arena;

/* The text in a heap block of its size, so that a read past it shows. */
static enum wire_err
read_text(const char *given)
{
	size_t len = strlen(given);
	void *mem = malloc(wire_json_scratch_size(SUP_PROFILE_KEYS));
	uint8_t *text = malloc(len + 1);
	struct wire_json_scratch scratch;
	enum wire_err err;

	free(arena);
	arena = malloc(len + 1);
	assert_true(mem != NULL && text != NULL && arena != NULL);
	memcpy(text, given, len);
	wire_json_scratch_init(&scratch, mem, SUP_PROFILE_KEYS, 7);
	err = sup_mcp_read(
	    (struct wire_span){text, len}, &scratch, arena, &file, &problem);
	free(mem);
	free(text);
	return err;
}

static int
tear_down(void **state)
{
	(void)state;
	free(arena);
	arena = NULL;
	return 0;
}

static const char *
word(const struct sup_mcp_words *words, size_t i)
{
	assert_true(i < words->count);
	return file.words[words->first + i].text;
}

static void
t_every_member(void **state)
{
	const struct sup_mcp_server *s = &file.servers[0];

	(void)state;
	assert_int_equal(
	    read_text(
		"{\"mcpServers\":{\"a\\u00e9\":{\"type\":\"stdio\","
		"\"command\":\"c\",\"args\":[\"x\",\"\"],\"env\":{\"A\":\"1\","
		"\"B\":\"\"},\"cwd\":\"/d\",\"timeout\":5,\"startupTimeout\":"
		"86400000,\"protocolEra\":\"auto\",\"required\":true,"
		"\"disabled\":true,\"includeTools\":[\"t\"],\"excludeTools\":"
		"[],\"trust\":{\"a\":[[]]},\"description\":\"d\"},"
		"\"b\":{\"command\":\"d\"}}}"),
	    WIRE_OK);
	assert_int_equal(file.count, 2);
	assert_string_equal(s->name.text, "a\xc3\xa9");
	assert_string_equal(s->command.text, "c");
	assert_int_equal(s->args.count, 2);
	assert_string_equal(word(&s->args, 0), "x");
	assert_string_equal(word(&s->args, 1), "");
	assert_int_equal(s->env.count, 4);
	assert_string_equal(word(&s->env, 2), "B");
	assert_string_equal(word(&s->env, 3), "");
	assert_string_equal(s->cwd.text, "/d");
	assert_int_equal(s->call_ms, 5);
	assert_int_equal(s->start_ms, 86400000);
	assert_int_equal(s->era, BIND_MCP_ERA_AUTO);
	assert_true(s->required && s->disabled && s->has_include);
	assert_string_equal(word(&s->include, 0), "t");
	assert_int_equal(s->exclude.count, 0);
	s++;
	assert_null(s->cwd.text);
	assert_int_equal(s->call_ms, 0);
	assert_int_equal(s->start_ms, SUP_MCP_START_MS);
	assert_int_equal(s->era, BIND_MCP_ERA_LEGACY);
	assert_false(s->required || s->disabled || s->has_include);
}

/* Each list at its maximum, and one more. */
static void
check_maximum(
    const char *begin, const char *after_name, const char *end, size_t max)
{
	const size_t room = 1 << 20;
	char *text = malloc(room);

	assert_non_null(text);
	for (size_t more = 0; more < 2; more++) {
		size_t at = (size_t)snprintf(text, room, "%s", begin);

		for (size_t n = 0; n < max + more; n++)
			at += (size_t)snprintf(text + at, room - at,
			    "%s\"%zu\"%s", n > 0 ? "," : "", n, after_name);
		(void)snprintf(text + at, room - at, "%s", end);
		assert_int_equal(read_text(text),
		    more == 0 ? WIRE_OK : WIRE_ERR_BAD_ARGUMENT);
	}
	free(text);
}

static void
t_maxima(void **state)
{
	(void)state;
	check_maximum("{\"mcpServers\":{\"s\":{\"command\":\"c\",\"args\":[",
	    "", "]}}}", BIND_COMMAND_WORDS - 1);
	check_maximum("{\"mcpServers\":{\"s\":{\"command\":\"c\",\"env\":{",
	    ":\"\"", "}}}}", SUP_PROFILE_ENV);
	check_maximum("{\"mcpServers\":{", ":{\"command\":\"c\"}", "}}",
	    BIND_MCP_SERVERS);
	check_maximum(
	    "{\"mcpServers\":{\"s\":{\"command\":\"c\",\"includeTools\":[", "",
	    "]}}}", 1024);
	/* All lists of a text together. */
	for (size_t more = 0; more < 2; more++) {
		const size_t room = 1 << 20;
		char *text = malloc(room);
		size_t at, left = SUP_MCP_WORDS + more;

		assert_non_null(text);
		at = (size_t)snprintf(text, room, "{\"mcpServers\":{");
		for (size_t s = 0; left > 0; s++) {
			size_t count = left < 1024 ? left : 1024;

			at += (size_t)snprintf(text + at, room - at,
			    "%s\"%zu\":{\"command\":\"c\",\"excludeTools\":[",
			    s > 0 ? "," : "", s);
			for (size_t n = 0; n < count; n++)
				at += (size_t)snprintf(text + at, room - at,
				    "%s\"\"", n > 0 ? "," : "");
			at += (size_t)snprintf(text + at, room - at, "]}");
			left -= count;
		}
		(void)snprintf(text + at, room - at, "}}");
		assert_int_equal(read_text(text),
		    more == 0 ? WIRE_OK : WIRE_ERR_BAD_ARGUMENT);
		free(text);
	}
}

/* --- variables -------------------------------------------------------------
 */

static char pieces[256];

static void
take_piece(void *arg, const char *text, size_t len)
{
	size_t at = strlen(pieces);

	(void)arg;
	(void)snprintf(
	    pieces + at, sizeof(pieces) - at, "%.*s;", (int)len, text);
}

static void
t_variables(void **state)
{
	static const char *const environment[] = {
	    "A=one", "EMPTY=", "_x9=${A}", "AB=two", NULL};
	static const struct {
		const char *text;
		enum wire_err err;
		const char *expanded, *pieces; /* or what is missing */
	} rows[] = {
	    {"", WIRE_OK, "", ""},
	    {"plain", WIRE_OK, "plain", ""},
	    {"${A}", WIRE_OK, "one", "one;"},
	    {"${env:A}", WIRE_OK, "one", "one;"},
	    {"x${A}y${AB}", WIRE_OK, "xoneytwo", "one;two;"},
	    {"${EMPTY}", WIRE_OK, "", ";"},
	    {"${_x9}", WIRE_OK, "${A}", "${A};"},
	    {"${A:-z}", WIRE_OK, "one", "one;"},
	    {"${EMPTY:-z}", WIRE_OK, "z", ""},
	    {"${C:-}", WIRE_OK, "", ""},
	    {"${C:-a$b{c}", WIRE_OK, "a$b{c", ""},
	    {"${env:C:-d}", WIRE_OK, "d", ""},
	    {"$A $", WIRE_OK, "$A $", ""},
	    {"${", WIRE_OK, "${", ""},
	    {"${A", WIRE_OK, "${A", ""},
	    {"${A:-x", WIRE_OK, "${A:-x", ""},
	    {"${}", WIRE_OK, "${}", ""},
	    {"${1}", WIRE_OK, "${1}", ""},
	    {"${A-b}", WIRE_OK, "${A-b}", ""},
	    {"${input:A}", WIRE_OK, "${input:A}", ""},
	    {"$${A}", WIRE_OK, "$one", "one;"},
	    {"${C}", WIRE_ERR_MISSING_FIELD, "C", ""},
	    {"a${env:LONGER_NAME}", WIRE_ERR_MISSING_FIELD, "LONGER_NAME", ""},
	};
	struct sup_mcp_expansion *e = malloc(sizeof(*e));

	(void)state;
	assert_non_null(e);
	for (size_t i = 0; i < COUNT(rows); i++) {
		pieces[0] = '\0';
		assert_int_equal(sup_mcp_expand(rows[i].text, environment,
				     take_piece, NULL, e),
		    rows[i].err);
		assert_string_equal(
		    rows[i].err == WIRE_OK ? e->text : e->missing,
		    rows[i].expanded);
		assert_string_equal(pieces, rows[i].pieces);
	}
	assert_int_equal(sup_mcp_expand("${A}", NULL, take_piece, NULL, e),
	    WIRE_ERR_MISSING_FIELD);
	free(e);
}

static void
t_as_long_as_it_may_be(void **state)
{
	struct sup_mcp_expansion *e = malloc(sizeof(*e));
	char *text = malloc(SUP_MCP_EXPANDED + 1);

	(void)state;
	assert_true(e != NULL && text != NULL);
	memset(text, 'x', SUP_MCP_EXPANDED);
	text[SUP_MCP_EXPANDED] = '\0';
	assert_int_equal(
	    sup_mcp_expand(text, NULL, take_piece, NULL, e), WIRE_ERR_NO_SPACE);
	text[SUP_MCP_EXPANDED - 1] = '\0';
	assert_int_equal(
	    sup_mcp_expand(text, NULL, take_piece, NULL, e), WIRE_OK);
	assert_int_equal(e->len, SUP_MCP_EXPANDED - 1);
	free(text);
	free(e);
}

/* --- what the provider takes -----------------------------------------------
 */

/* What may not be shown is known as such, whole and in parts. */
static void
t_what_is_hidden(void **state)
{
	static const char text[] =
	    "{\"mcpServers\":{\"off\":{\"command\":\"/no\",\"disabled\":true},"
	    "\"s\":{\"command\":\"/bin/sh\",\"args\":[\"k=${KEY}\",\"abc\"],"
	    "\"env\":{\"T\":\"Bearer ${TOKEN}\",\"N\":\"7\"}}}}";
	static const char *const environment[] = {"KEY=key-1", "TOKEN=tok-2",
	    "PATH=/bin", "LANG=C", "HOME=/h", "USER=() {", NULL};
	static const char *const hidden[] = {"key-1", "tok-2", "Bearer tok-2"};
	static const char *const given[] = {
	    "T=Bearer tok-2", "N=7", "HOME=/h", "PATH=/bin"};
	struct weir_source source = {"f", text, sizeof(text) - 1};
	char error[WEIR_ERROR_MAX];
	enum weir_fault fault;
	struct sup_mcp *mcp =
	    sup_mcp_load(&source, "/guardian", environment, &fault, error);
	const struct bind_mcp_entry *entry;

	(void)state;
	assert_non_null(mcp);
	assert_int_equal(sup_mcp_config(mcp)->count, 1);
	entry = &sup_mcp_config(mcp)->entries[0];
	assert_int_equal(entry->hidden.count, COUNT(hidden));
	for (size_t i = 0; i < COUNT(hidden); i++) {
		assert_int_equal(entry->hidden.names[i].len, strlen(hidden[i]));
		assert_memory_equal(
		    entry->hidden.names[i].p, hidden[i], strlen(hidden[i]));
	}
	assert_string_equal(entry->command->argv[4], "k=key-1");
	assert_null(entry->command->directory);
	for (size_t i = 0; i < COUNT(given); i++)
		assert_string_equal(entry->command->environment[i], given[i]);
	assert_null(entry->command->environment[COUNT(given)]);
	sup_mcp_free(mcp);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_teardown(t_every_member, tear_down),
	    cmocka_unit_test_teardown(t_maxima, tear_down),
	    cmocka_unit_test(t_variables),
	    cmocka_unit_test(t_as_long_as_it_may_be),
	    cmocka_unit_test(t_what_is_hidden),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
