/*
 * The command line: what is accepted means what it says, and everything else
 * is refused with a line that names the option, the place and the next step.
 */
#include "supervisor/options.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* cmocka wants the headers above it first */
#include <cmocka.h>

#include "supervisor/help.h"
#include "supervisor/terms.h"
#include "wire/limits.h"
#include "wire/report.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define ARGS_MAX 10

/* A command line after "weir", up to the first NULL. */
struct line {
	const char *words[ARGS_MAX];
};

#define LINE(...) ((struct line){{__VA_ARGS__}})

static struct sup_options options;
static char usage[SUP_USAGE_TEXT];

/* The options borrow from the strings, which the next call overwrites. */
static enum wire_err
parse(struct line line)
{
	static char strings[ARGS_MAX][512], name[] = "weir";
	char *argv[ARGS_MAX + 2] = {name};
	int i;

	for (i = 0; i < ARGS_MAX && line.words[i] != NULL; i++) {
		assert_true(strlen(line.words[i]) < sizeof(strings[i]));
		memcpy(strings[i], line.words[i], strlen(line.words[i]) + 1);
		argv[i + 1] = strings[i];
	}
	return sup_options_parse(i + 1, argv, &options, usage);
}

static void
accept(struct line line)
{
	if (parse(line) != WIRE_OK)
		fail_msg("refused: %s", usage);
	assert_string_equal(usage, "");
}

static void
refuse(struct line line, const char *text)
{
	assert_int_equal(parse(line), WIRE_ERR_BAD_ARGUMENT);
	assert_string_equal(usage, text);
}

/* The default and the ceiling of each limit, as the promises have them. */
static const struct {
	const char *word;
	uint64_t initial, ceiling;
} promised[] = {
    {"cpu", 30000000000, 86400000000000},
    {"wall", 120000000000, 86400000000000},
    {"memory", 1099511627776, 1099511627776},
    {"address_space", 4294967296, 1099511627776},
    {"file_size", 16777216, 17179869184},
    {"threads", 256, 16384},
    {"processes", 0, 1024},
    {"open_files", 256, 65536},
    {"workspace", 67108864, 17179869184},
    {"inodes", 65536, 10000000},
    {"stdout", 1048576, 67108864},
    {"stderr", 1048576, 67108864},
    {"preview", 4000, 1048576},
    {"value", 262144, 16777216},
    {"calls", 1000, 1000000},
    {"in_flight", 64, 256},
    {"argument_bytes", 1048576, 8388608},
    {"result_bytes", 8388608, 67108864},
    {"total_bytes", 67108864, 4294967296},
    {"produced_bytes", 134217728, 8589934592},
    {"kept_bytes", 67108864, 1073741824},
    {"tool_time", 60000000000, 86400000000000},
    {"total_tool_time", 86400000000000, 22118400000000000},
    {"run_calls", 10000, 100000000},
    {"run_bytes", 68719476736, 1099511627776},
    {"grace", 1000000000, 60000000000},
    {"program", 1048576, 1048576},
    {"ready", 10000000000, 10000000000},
};

static void
t_limits_are_the_promised_ones(void **state)
{
	unsigned limit;

	(void)state;
	assert_int_equal(COUNT(promised), SUP_LIMITS);
	for (limit = 0; limit < SUP_LIMITS; limit++) {
		const struct sup_limit_spec *spec = sup_limit_spec(limit);

		assert_string_equal(spec->word, promised[limit].word);
		assert_true(spec->initial == promised[limit].initial);
		assert_true(spec->ceiling == promised[limit].ceiling);
		assert_true(spec->minimum <= spec->initial);
		assert_true(spec->initial <= spec->ceiling);
		assert_int_equal(spec->settable,
		    limit != SUP_LIMIT_PROGRAM && limit != SUP_LIMIT_READY);
		assert_true(strlen(spec->help) > 5);
	}
}

static void
t_defaults(void **state)
{
	unsigned limit;

	(void)state;
	accept(LINE("run", "prog.py"));
	assert_int_equal(options.action, SUP_ACTION_RUN);
	assert_false(options.json);
	assert_false(options.value);
	assert_false(options.raw);
	assert_string_equal(options.python, "python3");
	assert_int_equal(options.source, SUP_SOURCE_FILE);
	assert_string_equal(options.program, "prog.py");
	assert_int_equal(options.tool_count, 0);
	assert_int_equal(options.limits_given, 0);
	assert_int_equal(
	    options.layers, ((1u << WIRE_STAGE_COUNT) - 1) | SUP_LAYERS_STRICT);
	for (limit = 0; limit < SUP_LIMITS; limit++)
		assert_true(options.limits[limit] == promised[limit].initial);
}

static void
t_everything_at_once(void **state)
{
	(void)state;
	accept(LINE("run", "--json", "--value", "--raw", "--python=/usr/bin/py",
	    "--tool", "a=cat -n", "-c", "print(1)"));
	assert_true(options.json);
	assert_true(options.value);
	assert_true(options.raw);
	assert_string_equal(options.python, "/usr/bin/py");
	assert_int_equal(options.source, SUP_SOURCE_TEXT);
	assert_string_equal(options.program, "print(1)");
	assert_int_equal(options.tool_count, 1);
	assert_int_equal(options.tools[0].name.len, 1);
	assert_memory_equal(options.tools[0].name.p, "a", 1);
	assert_string_equal(options.tools[0].command, "cat -n");
	/* options may follow FILE; both ways of giving a value */
	accept(LINE("run", "f", "--level=isolated", "--limit=wall=1.5s",
	    "--limit", "calls=0"));
	assert_string_equal(options.program, "f");
	assert_true(options.limits[SUP_LIMIT_WALL] == 1500000000);
	assert_true(options.limits[SUP_LIMIT_CALLS] == 0);
	assert_int_equal(
	    options.limits_given, 1u << SUP_LIMIT_WALL | 1u << SUP_LIMIT_CALLS);
}

static void
t_sources(void **state)
{
	(void)state;
	accept(LINE("run", "-"));
	assert_int_equal(options.source, SUP_SOURCE_STDIN);
	assert_null(options.program);
	accept(LINE("run", "-c", ""));
	assert_int_equal(options.source, SUP_SOURCE_TEXT);
	assert_string_equal(options.program, "");
	accept(LINE("run", "-cprint(1)"));
	assert_string_equal(options.program, "print(1)");
	accept(LINE("run", "-c", "--json"));
	assert_string_equal(options.program, "--json");
	assert_false(options.json);
	accept(LINE("run", "--", "--json"));
	assert_int_equal(options.source, SUP_SOURCE_FILE);
	assert_string_equal(options.program, "--json");
	/* after the end of the options a dash is a file like others */
	accept(LINE("run", "--", "-"));
	assert_int_equal(options.source, SUP_SOURCE_FILE);

	refuse(LINE("run"),
	    "weir: run: the program is missing; give one of FILE, -c TEXT and "
	    "- (standard input)");
	refuse(LINE("run", "--"),
	    "weir: run: the program is missing; give one of FILE, -c TEXT and "
	    "- (standard input)");
	refuse(LINE("run", "f", "-c", "1"),
	    "weir: -c TEXT '1': a program was given before (FILE); give one "
	    "of FILE, -c TEXT and -");
	refuse(LINE("run", "-c", "1", "f"),
	    "weir: FILE 'f': a program was given before (-c TEXT); give one of "
	    "FILE, -c TEXT and -");
	refuse(LINE("run", "f", "g"),
	    "weir: FILE 'g': a program was given before (FILE); give one of "
	    "FILE, -c TEXT and -");
	refuse(LINE("run", "-", "-"),
	    "weir: - '-': a program was given before (-); give one of FILE, "
	    "-c TEXT and -");
	refuse(LINE("run", ""), "weir: FILE: the path is empty; name a file");
	refuse(
	    LINE("run", "-c"), "weir: -c: its value is missing; write -c TEXT");
}

static void
t_every_limit_from_minimum_to_ceiling(void **state)
{
	char at[64], beyond[64], least[SUP_UNITS_TEXT], most[SUP_UNITS_TEXT],
	    text[256];
	unsigned limit;

	(void)state;
	for (limit = 0; limit < SUP_LIMITS; limit++) {
		const struct sup_limit_spec *spec = sup_limit_spec(limit);
		char number[SUP_UNITS_TEXT];

		if (!spec->settable)
			continue;
		(void)sup_units_format(spec->unit, spec->minimum, least);
		(void)sup_units_format(spec->unit, spec->ceiling, most);
		(void)snprintf(at, sizeof(at), "%s=%s", spec->word, least);
		accept(LINE("run", "f", "--limit", at));
		assert_true(options.limits[limit] == spec->minimum);
		(void)snprintf(at, sizeof(at), "%s=%s", spec->word, most);
		accept(LINE("run", "f", "--limit", at));
		assert_true(options.limits[limit] == spec->ceiling);

		(void)snprintf(beyond, sizeof(beyond), "%s=%s", spec->word,
		    sup_units_format(spec->unit, spec->ceiling + 1, number));
		(void)snprintf(text, sizeof(text),
		    "weir: --limit '%s': over the ceiling; use a value from %s "
		    "to %s",
		    beyond, least, most);
		refuse(LINE("run", "f", "--limit", beyond), text);
		if (spec->minimum == 0)
			continue;
		(void)snprintf(beyond, sizeof(beyond), "%s=%s", spec->word,
		    sup_units_format(spec->unit, spec->minimum - 1, number));
		(void)snprintf(text, sizeof(text),
		    "weir: --limit '%s': under the minimum; use a value from "
		    "%s to %s",
		    beyond, least, most);
		refuse(LINE("run", "f", "--limit", beyond), text);
	}
}

static void
t_bad_limits(void **state)
{
	(void)state;
	refuse(LINE("run", "f", "--limit", "wall"),
	    "weir: --limit 'wall': no '=' in it; write --limit NAME=VALUE");
	refuse(LINE("run", "f", "--limit", "wall=1x"),
	    "weir: --limit 'wall=1x': unknown unit of time (ms, s, m or h) (at "
	    "byte 2 of VALUE); write a time such as 1.5, 1.5s, 200ms, 2m or "
	    "1h");
	refuse(LINE("run", "f", "--limit", "wall=-1"),
	    "weir: --limit 'wall=-1': does not start with a digit (at byte 1 "
	    "of VALUE); write a time such as 1.5, 1.5s, 200ms, 2m or 1h");
	refuse(LINE("run", "f", "--limit", "value="),
	    "weir: --limit 'value=': does not start with a digit (at byte 1 of "
	    "VALUE); write a whole size such as 4096, 64K, 64M or 4G");
	refuse(LINE("run", "f", "--limit", "calls=1K"),
	    "weir: --limit 'calls=1K': not a digit (a count has no unit) (at "
	    "byte 2 of VALUE); write a whole number such as 100");
	refuse(LINE("run", "f", "--limit", "walls=1"),
	    "weir: --limit 'walls=1': no such limit; the limits are cpu wall "
	    "memory address_space file_size threads processes open_files "
	    "workspace "
	    "inodes stdout stderr preview value calls in_flight argument_bytes "
	    "result_bytes total_bytes produced_bytes kept_bytes tool_time "
	    "total_tool_time run_calls run_bytes grace");
	refuse(LINE("run", "f", "--limit", "=1"),
	    "weir: --limit '=1': no such limit; the limits are cpu wall "
	    "memory address_space file_size threads processes open_files "
	    "workspace "
	    "inodes stdout stderr preview value calls in_flight argument_bytes "
	    "result_bytes total_bytes produced_bytes kept_bytes tool_time "
	    "total_tool_time run_calls run_bytes grace");
	refuse(LINE("run", "f", "--limit", "ready=1s"),
	    "weir: --limit 'ready=1s': this limit is fixed and cannot be set; "
	    "leave it out");
	refuse(LINE("run", "f", "--limit", "disk=1G"),
	    "weir: --limit 'disk=1G': this limit is not available in this "
	    "version; leave it out");
	refuse(LINE("run", "f", "--limit", "cpu=1", "--limit", "cpu=1"),
	    "weir: --limit 'cpu=1': this limit was set before; set it once");
	refuse(LINE("run", "f", "--limit"),
	    "weir: --limit: its value is missing; write --limit NAME=VALUE");
}

static void
t_tools(void **state)
{
	char name[256] = "";

	(void)state;
	/* only the first '=' separates; any UTF-8 is a name, reserved or not */
	accept(LINE("run", "f", "--tool", "x=a=b", "--tool", "call_tool=c",
	    "--tool=r\xc3\xa4t-1=d"));
	assert_int_equal(options.tool_count, 3);
	assert_string_equal(options.tools[0].command, "a=b");
	assert_int_equal(options.tools[1].name.len, 9);
	assert_int_equal(options.tools[2].name.len, 6);
	assert_string_equal(options.tools[2].command, "d");

	memset(name, 'n', WIRE_MAX_TOOL_NAME);
	memcpy(name + WIRE_MAX_TOOL_NAME, "=c", 3);
	accept(LINE("run", "f", "--tool", name));
	assert_int_equal(options.tools[0].name.len, WIRE_MAX_TOOL_NAME);
	memset(name, 'n', WIRE_MAX_TOOL_NAME + 1);
	memcpy(name + WIRE_MAX_TOOL_NAME + 1, "=c", 3);
	assert_int_equal(
	    parse(LINE("run", "f", "--tool", name)), WIRE_ERR_BAD_ARGUMENT);
	assert_non_null(
	    strstr(usage, "the name is longer than 128 bytes; shorten it"));

	refuse(LINE("run", "f", "--tool", "cat"),
	    "weir: --tool 'cat': no '=' in it; write --tool NAME=COMMAND");
	refuse(LINE("run", "f", "--tool", "=cat"),
	    "weir: --tool '=cat': the name before '=' is empty; write --tool "
	    "NAME=COMMAND");
	refuse(LINE("run", "f", "--tool", "cat="),
	    "weir: --tool 'cat=': the command after '=' is empty; write --tool "
	    "NAME=COMMAND");
	refuse(LINE("run", "f", "--tool", "\xff=cat"),
	    "weir: --tool '\\xff=cat': the name is not UTF-8; choose another");
	refuse(LINE("run", "f", "--tool", "a=1", "--tool", "a=2"),
	    "weir: --tool 'a=2': a tool of this name was given before; rename "
	    "one");
}

static void
t_marks(void **state)
{
	static char words[SUP_OPTIONS_MARKS + 1][32];
	static char *argv[2 * (SUP_OPTIONS_MARKS + 1) + 4];
	static char name[] = "weir", run[] = "run", file[] = "f",
		    mark[] = "--mark";
	int argc = 0, i;

	(void)state;
	accept(LINE("run", "f", "--mark", "a=may_suspend",
	    "--mark=b.c=requires_approval"));
	assert_int_equal(options.mark_count, 2);
	assert_int_equal(options.marks[0].mark, WEIR_TOOL_MAY_SUSPEND);
	assert_int_equal(options.marks[0].name.len, 1);
	assert_int_equal(options.marks[1].mark, WEIR_TOOL_REQUIRES_APPROVAL);
	assert_int_equal(options.marks[1].name.len, 3);
	refuse(LINE("run", "f", "--mark", "a"),
	    "weir: --mark 'a': no name of a tool before '='; write --mark "
	    "NAME=requires_approval or NAME=may_suspend");
	refuse(LINE("run", "f", "--mark", "a=b=may_suspend"),
	    "weir: --mark 'a=b=may_suspend': no such mark; use "
	    "requires_approval or may_suspend");
	argv[argc++] = name;
	argv[argc++] = run;
	argv[argc++] = file;
	for (i = 0; i <= SUP_OPTIONS_MARKS; i++) {
		argv[argc++] = mark;
		argv[argc++] = words[i];
		snprintf(words[i], sizeof(words[i]), "t%d=may_suspend", i);
		assert_int_equal(sup_options_parse(argc, argv, &options, usage),
		    i < SUP_OPTIONS_MARKS ? WIRE_OK : WIRE_ERR_BAD_ARGUMENT);
	}
	assert_non_null(strstr(usage, "more than 128 marks"));
}

static void
t_files_of_terms(void **state)
{
	(void)state;
	accept(LINE("run", "f"));
	assert_null(options.profile_file);
	assert_null(options.profile);
	assert_null(options.policy_file);
	assert_null(options.request_file);
	assert_false(options.python_given);
	accept(LINE("run", "f", "--profile-file", "p", "--profile=a.B-c_9",
	    "--policy-file", "t", "--request-file=r", "--python", "python3"));
	assert_string_equal(options.profile_file, "p");
	assert_string_equal(options.profile, "a.B-c_9");
	assert_string_equal(options.policy_file, "t");
	assert_string_equal(options.request_file, "r");
	assert_true(options.python_given);
	/* in any order */
	accept(LINE("run", "f", "--profile", "a", "--profile-file", "p"));

	refuse(LINE("run", "f", "--profile", "a"),
	    "weir: --profile: there are no profiles; say where they are with "
	    "--profile-file FILE, which is missing; or leave it out");
	refuse(LINE("run", "f", "--profile-file", "p", "--profile", "a/b"),
	    "weir: --profile 'a/b': not the name of a profile; it has 1 to 64 "
	    "letters, digits, '_', '.' and '-'");
	refuse(LINE("run", "f", "--profile-file", "p", "--profile="),
	    "weir: --profile: the name is empty; give one or leave the option "
	    "out");
	refuse(LINE("run", "f", "--policy-file", ""),
	    "weir: --policy-file: the name is empty; give one or leave the "
	    "option out");
	refuse(LINE("run", "f", "--request-file", "a", "--request-file", "b"),
	    "weir: --request-file 'b': the option was given before; give it "
	    "once");
	refuse(LINE("run", "f", "--profile-file"),
	    "weir: --profile-file: its value is missing; write --profile-file "
	    "FILE");
}

static void
t_the_number_of_tools_is_bounded(void **state)
{
	static char words[SUP_OPTIONS_TOOLS + 1][32];
	static char *argv[2 * (SUP_OPTIONS_TOOLS + 1) + 4];
	static char name[] = "weir", run[] = "run", file[] = "f",
		    tool[] = "--tool";
	int argc = 0, i;

	(void)state;
	argv[argc++] = name;
	argv[argc++] = run;
	argv[argc++] = file;
	for (i = 0; i < SUP_OPTIONS_TOOLS + 1; i++) {
		(void)snprintf(words[i], sizeof(words[i]), "t%d=c", i);
		argv[argc++] = tool;
		argv[argc++] = words[i];
	}
	assert_int_equal(
	    sup_options_parse(argc - 2, argv, &options, usage), WIRE_OK);
	assert_int_equal(options.tool_count, SUP_OPTIONS_TOOLS);
	assert_int_equal(sup_options_parse(argc, argv, &options, usage),
	    WIRE_ERR_BAD_ARGUMENT);
	assert_string_equal(
	    usage, "weir: --tool 't1024=c': more than 1024 tools; offer fewer");
}

static void
t_options_that_are_not_there(void **state)
{
	static const char *const absent[] = {
	    "--package", "--memory", "--tenant"};
	char text[128];
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(absent); i++) {
		(void)snprintf(text, sizeof(text),
		    "weir: '%s': this option is not available in this version; "
		    "leave it out",
		    absent[i]);
		refuse(LINE("run", absent[i], "f"), text);
	}
	refuse(LINE("run", "--package=x", "f"),
	    "weir: '--package=x': this option is not available in this "
	    "version; leave it out");
	accept(LINE("run", "f"));
	assert_false(options.network);
	accept(LINE("run", "--network", "f"));
	assert_true(options.network);
	refuse(LINE("run", "--network=x", "f"),
	    "weir: --network 'x': the option takes no value; leave it out");
	accept(LINE("run", "f"));
	assert_false(options.halt_on_exhaust);
	accept(LINE("run", "--halt-on-exhaust", "f"));
	assert_true(options.halt_on_exhaust);
	accept(LINE("run", "--read=/a", "--write", "/b", "--packages", "/c",
	    "--env=A=b", "--exec", "/d", "f"));
	assert_int_equal(options.grant_count, 5);
	assert_int_equal(options.grants[4].kind, WEIR_GRANT_EXEC);
	assert_string_equal(options.grants[4].text, "/d");
	assert_int_equal(options.grants[0].kind, WEIR_GRANT_READ);
	assert_int_equal(options.grants[1].kind, WEIR_GRANT_WRITE);
	assert_int_equal(options.grants[2].kind, WEIR_GRANT_PACKAGES);
	assert_int_equal(options.grants[3].kind, WEIR_GRANT_ENV);
	assert_string_equal(options.grants[3].text, "A=b");
	refuse(LINE("run", "--level", "none", "f"),
	    "weir: --level 'none': without confinement a program runs only "
	    "with --unconfined");
	refuse(LINE("run", "--level", "paranoid", "f"),
	    "weir: --level 'paranoid': no such level; use isolated or process");
	refuse(LINE("run", "--backend", "none", "f"),
	    "weir: --backend 'none': no such backend; use isolated or process");
	refuse(LINE("run", "--backend=process", "--backend=process", "f"),
	    "weir: --backend 'process': a backend was given before; give one");
	refuse(LINE("run", "--unconfined=1", "f"),
	    "weir: --unconfined '1': the option takes no value; leave it out");
	accept(LINE("run", "--level", "process", "--backend=process", "f"));
	assert_int_equal(options.level, WEIR_LEVEL_PROCESS);
	assert_int_equal(options.backend, WEIR_BACKEND_PROCESS);
	assert_false(options.unconfined);
	accept(LINE("run", "--unconfined", "f"));
	assert_true(options.unconfined);
	assert_null(options.mcp_config);
	accept(LINE("run", "--mcp-config", "m", "f"));
	assert_string_equal(options.mcp_config, "m");
	refuse(LINE("run", "--mcp-config=a", "--mcp-config=a", "f"),
	    "weir: --mcp-config 'a': the option was given before; give it "
	    "once");
	assert_null(options.trace);
	accept(LINE("run", "--trace", "t", "f"));
	assert_string_equal(options.trace, "t");
	refuse(LINE("run", "--trace=a", "--trace=a", "f"),
	    "weir: --trace 'a': the option was given before; give it once");
	refuse(LINE("run", "--trace=", "f"),
	    "weir: --trace: the name is empty; give one or leave the option "
	    "out");
	refuse(LINE("run", "--trace=t", "--unconfined", "f"),
	    "weir: --trace: with --unconfined no system call is refused, and "
	    "there is nothing to trace; leave one of the two out");
	refuse(LINE("run", "--unconfined", "f", "--trace", "t"),
	    "weir: --trace: with --unconfined no system call is refused, and "
	    "there is nothing to trace; leave one of the two out");
	refuse(LINE("run", "--level=isolated", "--level=isolated", "f"),
	    "weir: --level 'isolated': a level was given before; give one");
	refuse(LINE("run", "--jsn", "f"),
	    "weir: '--jsn': no such option; 'weir run --help' lists the "
	    "options, and '--' stands before a FILE that begins with '-'");
	/* no abbreviations: a later option would change what they mean */
	refuse(LINE("run", "--js", "f"),
	    "weir: '--js': no such option; 'weir run --help' lists the "
	    "options, and '--' stands before a FILE that begins with '-'");
	refuse(LINE("run", "-x", "f"),
	    "weir: '-x': no such option; 'weir run --help' lists the options, "
	    "and '--' stands before a FILE that begins with '-'");
	refuse(LINE("run", "--json=1", "f"),
	    "weir: --json '1': the option takes no value; leave it out");
	refuse(LINE("run", "--python=", "f"),
	    "weir: --python: the path is empty; name an interpreter or leave "
	    "the option out");
	refuse(LINE("run", "--python=a", "--python=b", "f"),
	    "weir: --python 'b': an interpreter was named before; name one");
#ifndef WEIR_TEST_LAYERS
	refuse(LINE("run", "--test-skip=seccomp", "f"),
	    "weir: '--test-skip=seccomp': no such option; 'weir run --help' "
	    "lists the options, and '--' stands before a FILE that begins with "
	    "'-'");
	refuse(LINE("run", "--test-run-anyway", "f"),
	    "weir: '--test-run-anyway': no such option; 'weir run --help' "
	    "lists the options, and '--' stands before a FILE that begins with "
	    "'-'");
#endif
}

static void
t_state(void **state)
{
	(void)state;
	accept(LINE("run", "f"));
	assert_null(options.state.dir);
	assert_null(options.state.run);
	assert_false(options.state.disk);
	accept(LINE("run", "--state", "d/e", "--run=a.B-c_9", "f",
	    "--durability", "disk"));
	assert_string_equal(options.state.dir, "d/e");
	assert_string_equal(options.state.run, "a.B-c_9");
	assert_true(options.state.disk);
	assert_false(options.state.values);
	accept(LINE("run", "--state=d", "--record-values", "f"));
	assert_true(options.state.values);
	accept(LINE("run", "--state=d", "--durability=process", "f"));
	assert_null(options.state.run);
	assert_false(options.state.disk);
	refuse(LINE("run", "--run", "a", "f"),
	    "weir: --run a: a Run is kept in a state directory; add --state "
	    "DIR");
	refuse(LINE("run", "--durability=disk", "f"),
	    "weir: --durability: it is that of a ledger; add --state DIR");
	refuse(LINE("run", "--record-values", "f"),
	    "weir: --record-values: they are kept in a ledger; add --state "
	    "DIR");
	refuse(LINE("run", "--durability=ram", "--state=d", "f"),
	    "weir: --durability 'ram': no such durability; use process or "
	    "disk");
	refuse(LINE("run", "--state", "", "f"),
	    "weir: --state '': the path is empty; name a directory");
	refuse(LINE("run", "--state=a", "--state=b", "f"),
	    "weir: --state 'b': a state directory was given before; give one");
	refuse(LINE("run", "--state=a", "--run=b", "--run=b", "f"),
	    "weir: --run 'b': a Run was given before; give one");
}

/* 1 to 64 of a few characters, and no dot at the beginning. */
static void
t_names_of_runs(void **state)
{
	static const char *const bad[] = {"", ".", "..", ".a", "a/b", "a b",
	    "a\nb", "\xc3\xa9", "a:b", "a~", "a@", "a[", "a`", "a{"};
	char name[66];

	(void)state;
	for (size_t i = 0; i < COUNT(bad); i++)
		assert_int_equal(
		    parse(LINE("run", "--state=d", "--run", bad[i], "f")),
		    WIRE_ERR_BAD_ARGUMENT);
	accept(LINE("run", "--state=d", "--run", "-.", "f"));
	accept(LINE("run", "--state=d", "--run", "azAZ09_", "f"));
	memset(name, 'x', sizeof(name));
	name[64] = '\0';
	accept(LINE("run", "--state=d", "--run", name, "f"));
	name[64] = 'x';
	name[65] = '\0';
	assert_int_equal(parse(LINE("run", "--state=d", "--run", name, "f")),
	    WIRE_ERR_BAD_ARGUMENT);
}

static void
t_commands(void **state)
{
	(void)state;
	refuse((struct line){{NULL}},
	    "weir: the command is missing; 'weir run --help' shows how to "
	    "start");
	refuse(LINE("runs", "f"),
	    "weir: 'runs': no such command; there are 'weir run', 'weir "
	    "doctor' and 'weir log'");
	refuse(LINE("mcp"),
	    "weir: mcp: this command is not available in this version; there "
	    "are 'weir run', 'weir doctor' and 'weir log'");
	/* Its line is read elsewhere. */
	accept(LINE("log", "--nonsense"));
	assert_int_equal(options.action, SUP_ACTION_LOG);
	accept(LINE("--help"));
	assert_int_equal(options.action, SUP_ACTION_HELP);
	accept(LINE("--version"));
	assert_int_equal(options.action, SUP_ACTION_VERSION);
	/* what follows help is not looked at */
	accept(LINE("run", "--help", "--nonsense"));
	assert_int_equal(options.action, SUP_ACTION_HELP);
	accept(LINE("run", "--version"));
	assert_int_equal(options.action, SUP_ACTION_VERSION);
	/* what precedes it is */
	assert_int_equal(
	    parse(LINE("run", "--nonsense", "--help")), WIRE_ERR_BAD_ARGUMENT);
}

static void
t_doctor(void **state)
{
	(void)state;
	accept(LINE("doctor"));
	assert_int_equal(options.action, SUP_ACTION_DOCTOR);
	assert_false(options.json);
	assert_string_equal(options.python, "python3");
	accept(LINE("doctor", "--python", "/p", "--json"));
	assert_int_equal(options.action, SUP_ACTION_DOCTOR);
	assert_true(options.json);
	assert_string_equal(options.python, "/p");
	assert_null(options.trace);
	accept(LINE("doctor", "--trace", "/p"));
	assert_int_equal(options.action, SUP_ACTION_DOCTOR);
	assert_string_equal(options.trace, "/p");
	refuse(LINE("doctor", "--trace="),
	    "weir: --trace: the name is empty; give one or leave the option "
	    "out");
	refuse(LINE("doctor", "--trace=a", "--trace=b"),
	    "weir: --trace 'b': the option was given before; give it once");
	accept(LINE("doctor", "--help", "--nonsense"));
	assert_int_equal(options.action, SUP_ACTION_DOCTOR_HELP);

	refuse(LINE("doctor", "--limit", "cpu=1"),
	    "weir: '--limit': no such option; 'weir doctor --help' lists the "
	    "options");
	refuse(LINE("doctor", "-c"),
	    "weir: '-c': no such option; 'weir doctor --help' lists the "
	    "options");
	refuse(LINE("doctor", "file"),
	    "weir: doctor 'file': it takes no operand; leave it out");
	refuse(LINE("doctor", "-"),
	    "weir: doctor '-': it takes no operand; leave it out");
	refuse(LINE("doctor", "--json=1"),
	    "weir: --json '1': the option takes no value; leave it out");
	refuse(LINE("doctor", "--python"),
	    "weir: --python: its value is missing; write --python PATH");
}

static void
t_errors_cannot_speak_to_the_terminal(void **state)
{
	char long_word[400];

	(void)state;
	refuse(LINE("run", "f", "--level", "\x1b[2J\n\\'"),
	    "weir: --level '\\x1b[2J\\x0a\\x5c'': no such level; use isolated "
	    "or process");
	memset(long_word, '\x01', sizeof(long_word) - 1);
	long_word[sizeof(long_word) - 1] = '\0';
	assert_int_equal(parse(LINE("run", "f", "--level", long_word)),
	    WIRE_ERR_BAD_ARGUMENT);
	assert_null(strchr(usage, '\x01'));
	assert_non_null(strstr(usage, "\\x01...': no such level"));
}

#ifdef WEIR_TEST_LAYERS
static void
t_stages_can_be_skipped(void **state)
{
	const uint32_t all = ((1u << WIRE_STAGE_COUNT) - 1) | SUP_LAYERS_STRICT;

	(void)state;
	accept(LINE("run", "f"));
	assert_int_equal(options.layers, all);
	accept(LINE("run", "f", "--test-run-anyway"));
	assert_int_equal(options.layers, all & ~SUP_LAYERS_STRICT);
	accept(LINE("run", "f", "--test-skip", "seccomp", "--test-skip=root"));
	assert_int_equal(options.layers,
	    all & ~(1u << WIRE_STAGE_SECCOMP) & ~(1u << WIRE_STAGE_ROOT));
	refuse(LINE("run", "f", "--test-skip", "roof"),
	    "weir: --test-skip 'roof': no such stage; wire/report.h lists the "
	    "stages");
}
#endif

/* What a printing function prints, as one string. */
static char *
printed(void (*print)(FILE *stream))
{
	char *text = NULL;
	size_t len = 0;
	FILE *stream = open_memstream(&text, &len);

	assert_non_null(stream);
	print(stream);
	assert_int_equal(fclose(stream), 0);
	assert_non_null(text);
	return text;
}

static void
t_help_names_every_option_and_limit(void **state)
{
	char *text = printed(sup_help_print), word[64], *line, *rest;
	unsigned limit;
	size_t i;

	(void)state;
	for (i = 0; sup_options_text(i) != NULL; i++) {
		(void)snprintf(
		    word, sizeof(word), "\n  %s ", sup_options_text(i)->word);
		if (strstr(text, word) == NULL)
			fail_msg("no line for %s", word);
	}
	assert_true(i >= 10);
	for (limit = 0; limit < SUP_LIMITS; limit++) {
		(void)snprintf(
		    word, sizeof(word), "\n  %s ", sup_limit_spec(limit)->word);
		assert_int_equal(strstr(text, word) != NULL,
		    sup_limit_spec(limit)->settable);
	}
	for (line = strtok_r(text, "\n", &rest); line != NULL;
	     line = strtok_r(NULL, "\n", &rest))
		assert_true(strlen(line) <= 80);
	free(text);
}

static void
t_the_version_tells_a_test_build(void **state)
{
	char *text = printed(sup_help_print_version);

	(void)state;
#ifdef WEIR_TEST_LAYERS
	assert_string_equal(
	    text, "weir " WEIR_VERSION "\nWEIR_TEST_LAYERS build\n");
#else
	assert_string_equal(text, "weir " WEIR_VERSION "\n");
#endif
	free(text);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(t_limits_are_the_promised_ones),
	    cmocka_unit_test(t_defaults),
	    cmocka_unit_test(t_everything_at_once),
	    cmocka_unit_test(t_sources),
	    cmocka_unit_test(t_every_limit_from_minimum_to_ceiling),
	    cmocka_unit_test(t_bad_limits),
	    cmocka_unit_test(t_tools),
	    cmocka_unit_test(t_marks),
	    cmocka_unit_test(t_files_of_terms),
	    cmocka_unit_test(t_the_number_of_tools_is_bounded),
	    cmocka_unit_test(t_options_that_are_not_there),
	    cmocka_unit_test(t_state),
	    cmocka_unit_test(t_names_of_runs),
	    cmocka_unit_test(t_commands),
	    cmocka_unit_test(t_doctor),
	    cmocka_unit_test(t_errors_cannot_speak_to_the_terminal),
#ifdef WEIR_TEST_LAYERS
	    cmocka_unit_test(t_stages_can_be_skipped),
#endif
	    cmocka_unit_test(t_help_names_every_option_and_limit),
	    cmocka_unit_test(t_the_version_tells_a_test_build),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
