/*
 * `weir log`: its command line, and records as lines.
 */
#include "supervisor/log_line.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* cmocka wants the headers above it first */
#include <cmocka.h>

#include "ledger_help.h"
#include "supervisor/log_options.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define HASH	 "00112233445566778899aabbccddeeff00112233445566778899AABBCCDDEEFF"

/* --- the command line ----------------------------------------------------- */

static struct sup_log_options options;
static char usage[SUP_USAGE_TEXT];

struct line {
	const char *words[8];
};

#define LINE(...) ((struct line){{__VA_ARGS__}})

static enum wire_err
parse(struct line line)
{
	static char strings[8][256];
	char *argv[8];
	int i;

	for (i = 0; i < 8 && line.words[i] != NULL; i++) {
		assert_true(strlen(line.words[i]) < sizeof(strings[i]));
		memcpy(strings[i], line.words[i], strlen(line.words[i]) + 1);
		argv[i] = strings[i];
	}
	return sup_log_options_parse(i, argv, &options, usage);
}

static void
t_options(void **state)
{
	(void)state;
	assert_int_equal(parse(LINE("file")), WIRE_OK);
	assert_string_equal(options.operand, "file");
	assert_false(options.is_run || options.json || options.verify ||
	    options.follow || options.head_given || options.help);
	assert_int_equal(
	    parse(LINE("--state", "d", "a-run", "--json", "--follow")),
	    WIRE_OK);
	assert_true(options.is_run && options.json && options.follow);
	assert_string_equal(options.state, "d");
	assert_int_equal(
	    parse(LINE("--state=d", "./a-run", "--verify", "--head=" HASH)),
	    WIRE_OK);
	assert_true(options.verify && options.head_given && !options.is_run);
	assert_int_equal(options.head[1], 0x11);
	assert_int_equal(options.head[31], 0xff);
	assert_int_equal(parse(LINE("--help", "--nonsense")), WIRE_OK);
	assert_true(options.help);
}

static void
t_bad_options(void **state)
{
	static const struct {
		struct line line;
		const char *text;
	} rows[] = {
	    {{{NULL}},
		"weir: log: the ledger is missing; give --state DIR RUN, or a "
		"FILE"},
	    {{{""}}, "weir: log '': the name is empty; name a Run or a file"},
	    {{{"a", "b"}},
		"weir: log 'b': a ledger was given before; give one"},
	    {{{"--state=d", ".x"}},
		"weir: log '.x': not the name of a Run, which is 1 to 64 of "
		"A-Z a-z 0-9 . _ - and does not begin with a dot; write a FILE "
		"with a '/'"},
	    {{{"--state", ""}},
		"weir: --state '': the path is empty; name a directory"},
	    {{{"a", "--state"}},
		"weir: --state: its value is missing; write --state DIR"},
	    {{{"--json=1", "a"}},
		"weir: --json '1': the option takes no value; leave it out"},
	    {{{"--head=00", "a"}},
		"weir: --head '00': it is not 64 hexadecimal digits; give a "
		"hash that weir log has printed"},
	    {{{"--nonsense", "a"}},
		"weir: '--nonsense': no such option; 'weir log --help' lists "
		"the options, and './' stands before a FILE that begins with "
		"'-'"},
	};
	char head[] = "--head=" HASH;

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		assert_int_equal(parse(rows[i].line), WIRE_ERR_BAD_ARGUMENT);
		assert_string_equal(usage, rows[i].text);
	}
	for (size_t i = 7; i < 7 + 64; i++) {
		char digit = head[i];

		head[i] = 'g';
		assert_int_equal(parse(LINE(head, "a")), WIRE_ERR_BAD_ARGUMENT);
		head[i] = digit;
	}
	assert_int_equal(parse(LINE(head, "a")), WIRE_OK);
}

/* --- lines ---------------------------------------------------------------- */

/* What `date -u` says, leap days and the last second that fits. */
static void
t_times(void **state)
{
	static const struct {
		uint64_t ns;
		const char *text;
	} rows[] = {
	    {0, "1970-01-01T00:00:00.000000000Z"},
	    {951782399999999999, "2000-02-28T23:59:59.999999999Z"},
	    {951782400000000000, "2000-02-29T00:00:00.000000000Z"},
	    {951868800000000001, "2000-03-01T00:00:00.000000001Z"},
	    {1709251199000000000, "2024-02-29T23:59:59.000000000Z"},
	    {1735689599000000000, "2024-12-31T23:59:59.000000000Z"},
	    {1735689600000000000, "2025-01-01T00:00:00.000000000Z"},
	    {4107542400000000000, "2100-03-01T00:00:00.000000000Z"},
	    {4107542399000000000, "2100-02-28T23:59:59.000000000Z"},
	    {UINT64_MAX, "2554-07-21T23:34:33.709551615Z"},
	};
	char text[SUP_LOG_TIME];

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		sup_log_time(rows[i].ns, text);
		assert_string_equal(text, rows[i].text);
	}
}

static struct bind_ledger_item item;
static struct bind_json_check check;
static uint8_t line[SUP_LOG_JSON_MAX];

static const char *
json_of(void)
{
	size_t len = 0;

	assert_int_equal(sup_log_json(&item, help_hash, &check, line,
			     sizeof(line) - 1, &len),
	    WIRE_OK);
	line[len] = '\0';
	return (const char *)line;
}

static void
t_json(void **state)
{
	(void)state;
	item.offset = 140;
	help_record(&item.record, BIND_LEDGER_COMPLETED, 2, true);
	assert_string_equal(json_of(),
	    "{\"at\":140,\"event\":\"completed\","
	    "\"time\":\"2023-11-14T22:13:20.000000002Z\","
	    "\"execution\":\"616e20657865637574696f6e20696400\",\"call\":2,"
	    "\"tool\":\"look_up\",\"result_bytes\":20,\"result_hash\":"
	    "\"7468697274792d74776f206279746573207468617420617265206120"
	    "68617368\",\"result\":[1,2],\"tool_ns\":3000,\"hash\":"
	    "\"7468697274792d74776f206279746573207468617420617265206120"
	    "68617368\"}\n");
	/* What only says that it is JSON. */
	item.record.value[BIND_LEDGER_F_RESULT].bytes = WIRE_LIT("[1,2],\n");
	assert_non_null(strstr(json_of(), "\"result\":\"[1,2],\\n\""));
	help_record(&item.record, BIND_LEDGER_OPENED, 2, true);
	assert_non_null(strstr(json_of(),
	    "\"grades\":{\"network\":\"enforced\",\"memory\":\"unverified\"}"));
	assert_non_null(strstr((const char *)line,
	    "\"terms\":{\"wall\":120000000000,\"calls\":1000}"));
	assert_non_null(
	    strstr((const char *)line, "\"interpreter\":\"/usr/bin/\xef\xbf"));
}

/* Each event's line has one `event`, and is one line. */
static void
t_one_line_one_event(void **state)
{
	(void)state;
	for (unsigned event = 1; event < BIND_LEDGER_EVENT_COUNT; event++) {
		const char *text, *found;

		help_record(
		    &item.record, (enum bind_ledger_event)event, 3, true);
		text = json_of();
		found = strstr(text, "\"event\":");
		assert_non_null(found);
		assert_null(strstr(found + 1, "\"event\":"));
		assert_ptr_equal(strchr(text, '\n'), text + strlen(text) - 1);
	}
}

/* The largest values, of bytes that take the most room. */
static void
t_the_longest_line(void **state)
{
	static uint8_t bytes[BIND_LEDGER_VALUE_MAX];

	(void)state;
	memset(bytes, 1, sizeof(bytes));
	help_record(&item.record, BIND_LEDGER_STARTED, 3, true);
	item.record.value[BIND_LEDGER_F_ARGUMENTS].bytes = HELP_BYTES(bytes);
	item.record.value[BIND_LEDGER_F_TOOL].bytes =
	    (struct wire_span){bytes, WIRE_MAX_TOOL_NAME};
	assert_true(strlen(json_of()) > 6 * sizeof(bytes));
}

static void
t_rows(void **state)
{
	static const char *const rows[BIND_LEDGER_EVENT_COUNT] = {"",
	    "616e2065  opened     level isolated, python 3.11.2, program of 9 "
	    "bytes\n",
	    "616e2065  started        2  look_up  100 bytes\n",
	    "616e2065  refused        2  look_up  timed_out\n",
	    "616e2065  completed      2  look_up  20 bytes after 0.003 ms\n",
	    "616e2065  failed         2  look_up  timed_out after 0.003 ms\n",
	    "616e2065  unknown        2  look_up  timed_out after 0.003 ms\n",
	    "616e2065  closed     timeout\n",
	    "          repaired   5 bytes of an unfinished record cut off at "
	    "16\n"};
	char expected[256];
	struct bind_text text;

	(void)state;
	for (unsigned event = 1; event < BIND_LEDGER_EVENT_COUNT; event++) {
		(void)snprintf(expected, sizeof(expected),
		    "2023-11-14 22:13:20.000  %s", rows[event]);
		help_record(
		    &item.record, (enum bind_ledger_event)event, 2, false);
		bind_text_init(&text, line, SUP_LOG_ROW_MAX);
		sup_log_row(&item, &text);
		line[text.len] = '\0';
		assert_string_equal((char *)line, expected);
	}
}

static void
t_a_row_cannot_speak_to_the_terminal(void **state)
{
	struct bind_text text;

	(void)state;
	help_record(&item.record, BIND_LEDGER_REFUSED, 2, false);
	item.record.value[BIND_LEDGER_F_TOOL].bytes = WIRE_LIT("\x1b[2J\n");
	bind_text_init(&text, line, SUP_LOG_ROW_MAX);
	sup_log_row(&item, &text);
	line[text.len] = '\0';
	assert_null(strchr((char *)line, 0x1b));
	assert_non_null(strstr((char *)line, "\\x1b[2J\\n  timed_out\n"));
}

static int
set_up(void **state)
{
	(void)state;
	bind_json_check_init(&check, 1);
	return 0;
}

static int
tear_down(void **state)
{
	(void)state;
	bind_json_check_release(&check);
	return 0;
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(t_options),
	    cmocka_unit_test(t_bad_options),
	    cmocka_unit_test(t_times),
	    cmocka_unit_test(t_json),
	    cmocka_unit_test(t_one_line_one_event),
	    cmocka_unit_test(t_the_longest_line),
	    cmocka_unit_test(t_rows),
	    cmocka_unit_test(t_a_row_cannot_speak_to_the_terminal),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
