/*
 * Profiles, policies and requests: what each member means, and that everything
 * else is refused at the place where it stands.
 */
#include "supervisor/profile_read.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* cmocka wants the headers above it first */
#include <cmocka.h>

#include "supervisor/grant_check.h"
#include "supervisor/limit_option.h"
#include "supervisor/profile_where.h"
#include "wire/limits.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static struct sup_profile got, untouched;
static struct sup_profile_problem problem;
static struct sup_where where;
static char *arena;

/* The text in a heap block of its size, so that a read past it shows. */
static enum wire_err
read_bytes(
    enum sup_format format, const char *bytes, size_t len, const char *name)
{
	static struct sup_profile spare[2];
	void *mem = malloc(wire_json_scratch_size(SUP_PROFILE_KEYS));
	uint8_t *text = malloc(len);
	struct wire_json_scratch scratch;
	struct sup_profile_memory memory = {&scratch, NULL, spare};
	enum wire_err err;

	free(arena);
	memory.arena = arena = malloc(len);
	assert_true(mem != NULL && (text != NULL || len == 0));
	if (len != 0)
		memcpy(text, bytes, len);
	wire_json_scratch_init(&scratch, mem, SUP_PROFILE_KEYS, 7);
	memset(&got, 0x55, sizeof(got));
	memset(&untouched, 0x55, sizeof(untouched));
	memset(&problem, 0, sizeof(problem));
	err = sup_profile_read(format, (struct wire_span){text, len}, name,
	    &memory, &got, &problem);
	if (err != WIRE_OK) {
		assert_int_equal(err, WIRE_ERR_BAD_ARGUMENT);
		assert_memory_equal(&got, &untouched, sizeof(got));
		sup_where_find(
		    (struct wire_span){text, len}, problem.offset, &where);
	}
	free(mem);
	free(text);
	return err;
}

static void
accept_text(enum sup_format format, const char *text, const char *name)
{
	if (read_bytes(format, text, strlen(text), name) != WIRE_OK)
		fail_msg("refused: %zu:%zu: %s: %s", where.line, where.column,
		    where.path, problem.text);
}

static void
refuse_text(enum sup_format format, const char *text, const char *wanted)
{
	char line[1024];

	if (read_bytes(format, text, strlen(text), NULL) == WIRE_OK)
		fail_msg("accepted: %s", text);
	(void)snprintf(line, sizeof(line), "%zu:%zu: %s: %s", where.line,
	    where.column, where.path, problem.text);
	assert_string_equal(line, wanted);
}

/* The member of one profile, as a whole text; and a policy's, a request's. */
static const char *
wrap(enum sup_format format, const char *member)
{
	static char text[8192];
	int n;

	if (format == SUP_FORMAT_PROFILES)
		n = snprintf(text, sizeof(text),
		    "{\"schema\":\"weir.profiles/1\",\"profiles\":{\"default\":"
		    "{\n%s}}}",
		    member);
	else
		n = snprintf(text, sizeof(text), "{\"schema\":\"%s\",\n%s}",
		    sup_format_schema(format), member);
	assert_true(n > 0 && (size_t)n < sizeof(text));
	return text;
}

#define PROFILES SUP_FORMAT_PROFILES
#define POLICY	 SUP_FORMAT_POLICY
#define REQUEST	 SUP_FORMAT_REQUEST

/* --- what is accepted ----------------------------------------------------- */

/* With the level that it leaves. */
static void
t_halt_on_exhaust_in_each(void **state)
{
	static const enum sup_format formats[] = {PROFILES, POLICY, REQUEST};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		accept_text(
		    formats[i], wrap(formats[i], "\"limits\":{}"), NULL);
		assert_false(got.halt_on_exhaust);
		accept_text(formats[i],
		    wrap(formats[i], "\"halt_on_exhaust\":true"), NULL);
		assert_true(got.halt_on_exhaust);
		accept_text(formats[i],
		    wrap(formats[i], "\"halt_on_exhaust\":false"), NULL);
		assert_false(got.halt_on_exhaust);
	}
}

static void
t_a_profile_grants_the_network(void **state)
{
	(void)state;
	accept_text(PROFILES,
	    wrap(PROFILES, "\"level\":\"process\",\"network\":true"), NULL);
	assert_int_equal(got.network, SUP_SAY_YES);
	assert_int_equal(got.level, SUP_LEVEL_PROCESS);
}

static void
t_empty_ones_say_nothing(void **state)
{
	(void)state;
	accept_text(POLICY, "{\"schema\":\"weir.policy/1\"}", NULL);
	assert_int_equal(got.limits_given, 0);
	assert_false(got.level_given || got.tools_given);
	assert_int_equal(got.network, SUP_SAY_NOTHING);
	accept_text(REQUEST, " {\"schema\":\"weir.request\\u002f1\"}\n", NULL);
	assert_null(got.profile);
	accept_text(PROFILES, wrap(PROFILES, ""), NULL);
	assert_null(got.python);
	assert_int_equal(got.require, 0);
}

static void
t_every_member_of_a_profile(void **state)
{
	(void)state;
	accept_text(PROFILES,
	    wrap(PROFILES,
		"\"limits\":{\"wall\":\"1.5s\",\"calls\":7,\"value\":\"64K\"},"
		"\"level\":\"isolated\",\"network\":false,\"processes\":9,"
		"\"require\":[\"landlock\"],\"python\":\"/usr/bin/python3\","
		"\"read\":[],\"write\":[],\"packages\":[],\"env\":{},"
		"\"exec\":[\"/bin/a\",\"/b\"]"),
	    NULL);
	assert_int_equal(got.limits_given,
	    1u << SUP_LIMIT_WALL | 1u << SUP_LIMIT_CALLS |
		1u << SUP_LIMIT_VALUE | 1u << SUP_LIMIT_PROCESSES);
	assert_true(got.limits[SUP_LIMIT_PROCESSES] == 9);
	assert_true(got.limits[SUP_LIMIT_WALL] == 1500000000);
	assert_true(got.limits[SUP_LIMIT_CALLS] == 7);
	assert_true(got.limits[SUP_LIMIT_VALUE] == 65536);
	assert_true(got.level_given);
	assert_int_equal(got.level, SUP_LEVEL_ISOLATED);
	assert_int_equal(got.network, SUP_SAY_NO);
	assert_int_equal(got.require, SUP_REQUIRE_LANDLOCK);
	assert_string_equal(got.python, "/usr/bin/python3");
	assert_int_equal(got.exec.count, 2);
	assert_string_equal(got.exec.text[1], "/b");
	accept_text(PROFILES, wrap(PROFILES, "\"level\":\"process\""), NULL);
	assert_true(got.level_given);
	assert_int_equal(got.level, SUP_LEVEL_PROCESS);
}

static void
t_every_member_of_a_policy(void **state)
{
	(void)state;
	accept_text(POLICY,
	    wrap(POLICY,
		"\"limits\":{\"cpu\":0.5},\"level\":\"process\","
		"\"network\":false,\"tools\":[\"a\",\"r\\u00e4t\",\"a b\"]"),
	    NULL);
	assert_true(got.limits[SUP_LIMIT_CPU] == 500000000);
	assert_int_equal(got.level, SUP_LEVEL_PROCESS);
	assert_int_equal(got.network, SUP_SAY_NO);
	assert_true(got.tools_given);
	assert_int_equal(got.tool_count, 3);
	assert_int_equal(got.tools[1].len, 4);
	assert_memory_equal(got.tools[1].p, "r\xc3\xa4t", 4);
	assert_false(got.exec_given);
	accept_text(POLICY, wrap(POLICY, "\"exec\":[]"), NULL);
	assert_true(got.exec_given);
	assert_int_equal(got.exec.count, 0);
	accept_text(POLICY, wrap(POLICY, "\"tools\":[]"), NULL);
	assert_true(got.tools_given);
	assert_int_equal(got.tool_count, 0);
}

static void
t_every_member_of_a_request(void **state)
{
	(void)state;
	accept_text(REQUEST,
	    wrap(REQUEST,
		"\"profile\":\"a.B-c_9\",\"limits\":{\"wall\":\"48h\"},"
		"\"level\":\"isolated\",\"network\":true"),
	    NULL);
	assert_string_equal(got.profile, "a.B-c_9");
	/* over the ceiling: a wish, that is clamped later */
	assert_true(got.limits[SUP_LIMIT_WALL] == 48 * SUP_NS_PER_H);
	assert_int_equal(got.level, SUP_LEVEL_ISOLATED);
	assert_int_equal(got.network, SUP_SAY_YES);
}

static void
t_every_limit_from_minimum_to_ceiling(void **state)
{
	char member[128], amount[SUP_UNITS_TEXT], least[SUP_UNITS_TEXT],
	    most[SUP_UNITS_TEXT], text[256];

	(void)state;
	for (unsigned i = 0; i < SUP_LIMITS; i++) {
		const struct sup_limit_spec *spec =
		    sup_limit_spec((enum sup_limit)i);

		if (!spec->settable) {
			(void)snprintf(member, sizeof(member),
			    "\"limits\":{\"%s\":1}", spec->word);
			(void)snprintf(text, sizeof(text),
			    "2:11: limits.%s: is fixed and cannot be set; "
			    "leave it out",
			    spec->word);
			refuse_text(POLICY, wrap(POLICY, member), text);
			continue;
		}
		(void)sup_units_format(spec->unit, spec->minimum, least);
		(void)sup_units_format(spec->unit, spec->ceiling, most);
		for (unsigned format = 0; format < SUP_FORMATS; format++) {
			(void)snprintf(member, sizeof(member),
			    "\"limits\":{\"%s\":\"%s\"}", spec->word, least);
			accept_text(format, wrap(format, member), NULL);
			assert_true(got.limits[i] == spec->minimum);
			assert_int_equal(got.limits_given, 1u << i);
			(void)snprintf(member, sizeof(member),
			    "\"limits\":{\"%s\":\"%s\"}", spec->word, most);
			accept_text(format, wrap(format, member), NULL);
			assert_true(got.limits[i] == spec->ceiling);
			(void)snprintf(member, sizeof(member),
			    "\"limits\":{\"%s\":\"%s\"}", spec->word,
			    sup_units_format(
				spec->unit, spec->ceiling + 1, amount));
			if (format == REQUEST) {
				accept_text(format, wrap(format, member), NULL);
				assert_true(got.limits[i] == spec->ceiling + 1);
				continue;
			}
			assert_int_equal(
			    read_bytes(format, wrap(format, member),
				strlen(wrap(format, member)), NULL),
			    WIRE_ERR_BAD_ARGUMENT);
			(void)snprintf(text, sizeof(text),
			    "over the ceiling; use a value from %s to %s",
			    least, most);
			assert_string_equal(problem.text, text);
		}
		if (spec->minimum == 0)
			continue;
		(void)snprintf(member, sizeof(member),
		    "\"limits\":{\"%s\":\"%s\"}", spec->word,
		    sup_units_format(spec->unit, spec->minimum - 1, amount));
		assert_int_equal(read_bytes(REQUEST, wrap(REQUEST, member),
				     strlen(wrap(REQUEST, member)), NULL),
		    WIRE_ERR_BAD_ARGUMENT);
		(void)snprintf(text, sizeof(text),
		    "under the minimum; use a value from %s to %s", least,
		    most);
		assert_string_equal(problem.text, text);
	}
}

static void
t_a_profile_is_chosen_by_name(void **state)
{
	static const char text[] =
	    "{\"profiles\":{\"a\":{\"limits\":{\"calls\":1}},"
	    "\"default\":{\"limits\":{\"calls\":2}},"
	    "\"b\":{\"python\":\"/p\"}},\"schema\":\"weir.profiles/1\"}";

	(void)state;
	accept_text(PROFILES, text, "a");
	assert_true(got.limits[SUP_LIMIT_CALLS] == 1);
	accept_text(PROFILES, text, NULL);
	assert_true(got.limits[SUP_LIMIT_CALLS] == 2);
	accept_text(PROFILES, text, "b");
	assert_int_equal(got.limits_given, 0);
	assert_string_equal(got.python, "/p");
	assert_int_equal(read_bytes(PROFILES, text, strlen(text), "c"),
	    WIRE_ERR_BAD_ARGUMENT);
	assert_string_equal(problem.text,
	    "no profile \"c\" in it; the profiles are a default b");
	assert_string_equal(where.path, "profiles");
}

/* --- what is refused ------------------------------------------------------ */

static const struct {
	enum sup_format format;
	const char *member, *problem;
} refused[] = {
    {POLICY, "\"x\":1",
	"2:1: x: no such member here; the members are schema limits "
	"halt_on_exhaust level network tools exec"},
    {POLICY, "\"profile\":\"a\"",
	"2:1: profile: no such member here; the members are schema limits "
	"halt_on_exhaust level network tools exec"},
    {POLICY, "\"read\":[\"/a\"]",
	"2:1: read: no such member here; the members are schema limits "
	"halt_on_exhaust level network tools exec"},
    {POLICY, "\"network\":true",
	"2:11: network: a policy only narrows and grants no network; write "
	"false, or leave it out"},
    {POLICY, "\"halt_on_exhaust\":1",
	"2:19: halt_on_exhaust: is a number; write true or false"},
    {REQUEST, "\"halt_on_exhaust\":null",
	"2:19: halt_on_exhaust: is null; write true or false"},
    {POLICY, "\"network\":null", "2:11: network: is null; write true or false"},
    {POLICY, "\"level\":\"none\"",
	"2:9: level: no such level; write \"isolated\" or \"process\""},
    {POLICY, "\"level\":1",
	"2:9: level: no such level; write \"isolated\" or \"process\""},
    {POLICY, "\"level\":\"process\",\n\"level\":\"process\"",
	"3:1: level: an object names one member twice (duplicate_member)"},
    {POLICY, "\"l\\u0065vel\":\"process\",\"level\":\"process\"",
	"2:24: level: an object names one member twice (duplicate_member)"},
    {POLICY, "\"limits\":[]",
	"2:10: limits: is an array; write an object of limits"},
    {POLICY, "\"limits\":{\"walls\":1}",
	"2:11: limits.walls: no such limit; the limits are cpu wall "
	"memory address_space file_size threads processes open_files "
	"workspace inodes stdout stderr preview value calls in_flight "
	"argument_bytes "
	"result_bytes "
	"total_bytes produced_bytes kept_bytes tool_time total_tool_time "
	"run_calls run_bytes grace"},
    {POLICY, "\"limits\":{\"wall\":true}",
	"2:18: limits.wall: is true; write a number, or a string as --limit "
	"has it"},
    {POLICY, "\"limits\":{\"wall\":1e3}",
	"2:18: limits.wall: unknown unit of time (ms, s, m or h); write a "
	"time such as 1.5, 1.5s, 200ms, 2m or 1h"},
    {POLICY, "\"limits\":{\"calls\":-1}",
	"2:19: limits.calls: does not start with a digit; write a whole "
	"number such as 100"},
    {POLICY, "\"limits\":{\"calls\":99999999999999999999}",
	"2:19: limits.calls: too large a number; write a whole number such "
	"as 100"},
    {POLICY, "\"limits\":{\"calls\":\"1\\u0000\"}",
	"2:19: limits.calls: holds a NUL; leave it out"},
    {POLICY, "\"tools\":\"a\"",
	"2:9: tools: is a string; write an array of names"},
    {POLICY, "\"tools\":[\"a\",{}]",
	"2:14: tools[1]: is an object; write a string, the name of a tool"},
    {POLICY, "\"tools\":[\"\"]",
	"2:10: tools[0]: cannot be the name of a tool; it has 1 to 128 "
	"bytes"},
    {REQUEST, "\"python\":\"/bin/sh\"",
	"2:1: python: no such member here; the members are schema profile "
	"limits halt_on_exhaust level network"},
    {REQUEST, "\"exec\":[]",
	"2:1: exec: no such member here; the members are schema profile "
	"limits halt_on_exhaust level network"},
    {PROFILES, "\"exec\":[\"git\"]",
	"2:9: profiles.default.exec[0]: is not an absolute path; begin it "
	"with '/'"},
    {REQUEST, "\"env\":{}",
	"2:1: env: no such member here; the members are schema profile "
	"limits halt_on_exhaust level network"},
    {REQUEST, "\"tools\":[]",
	"2:1: tools: no such member here; the members are schema profile "
	"limits halt_on_exhaust level network"},
    {REQUEST, "\"profile\":3",
	"2:11: profile: is a number; write a string, the name of a profile"},
    {REQUEST, "\"profile\":\"a/b\"",
	"2:11: profile: cannot be the name of a profile; use 1 to 64 "
	"letters, digits, '_', '.' and '-'"},
    {PROFILES, "\"schema\":\"weir.profiles/1\"",
	"2:1: profiles.default.schema: no such member here; the members are "
	"limits halt_on_exhaust level network require python processes read "
	"write packages exec env"},
    {PROFILES, "\"require\":[\"selinux\"]",
	"2:12: profiles.default.require[0]: nothing that can be required; "
	"write \"landlock\""},
    {PROFILES, "\"require\":[\"landlock\",\"landlock\"]",
	"2:23: profiles.default.require[1]: more than 1 elements; leave some "
	"out"},
    {PROFILES, "\"require\":{}",
	"2:11: profiles.default.require: is an object; write an array of "
	"names"},
    {PROFILES, "\"python\":7",
	"2:10: profiles.default.python: is a number; write a string, the "
	"path of an interpreter"},
    {PROFILES, "\"python\":\"python3\"",
	"2:10: profiles.default.python: is not an absolute path; begin it "
	"with '/'"},
    {PROFILES, "\"processes\":1.5",
	"2:13: profiles.default.processes: not a whole number; write a "
	"whole number such as 100"},
    {PROFILES, "\"processes\":1025",
	"2:13: profiles.default.processes: over the ceiling; use a value "
	"from 0 to 1024"},
    {PROFILES, "\"processes\":1,\"limits\":{\"processes\":1}",
	"2:37: profiles.default.limits.processes: is said as a member and "
	"among the limits; say it once"},
    {PROFILES, "\"limits\":{\"processes\":1},\"processes\":1",
	"2:38: profiles.default.processes: is said as a member and among "
	"the limits; say it once"},
    {PROFILES, "\"read\":{}",
	"2:8: profiles.default.read: is an object; write an array of paths"},
    {PROFILES, "\"read\":[\"/a\",\"/a/../b\"]",
	"2:14: profiles.default.read[1]: has a '..' in it; write the path it "
	"leads to"},
    {PROFILES, "\"read\":[1]",
	"2:9: profiles.default.read[0]: is a number; write a string, a path"},
    {PROFILES, "\"network\":true",
	"2:1: profiles.default.network: with the network the level is "
	"\"process\" at most; say so in \"level\", or leave the network "
	"out"},
    {PROFILES, "\"network\":true,\"level\":\"isolated\"",
	"2:1: profiles.default.network: with the network the level is "
	"\"process\" at most; say so in \"level\", or leave the network "
	"out"},
    {PROFILES, "\"env\":{\"LD_PRELOAD\":\"x\"}",
	"2:8: profiles.default.env.LD_PRELOAD: is read by the loader or the "
	"interpreter and is never granted; leave it out"},
    {PROFILES, "\"env\":{\"A\":1}",
	"2:12: profiles.default.env.A: is a number; write a string, its "
	"value"},
    {PROFILES, "\"env\":[]",
	"2:7: profiles.default.env: is an array; write an object of "
	"variables"},
};

static void
t_each_problem_says_where_it_is(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(refused); i++)
		refuse_text(refused[i].format,
		    wrap(refused[i].format, refused[i].member),
		    refused[i].problem);
}

static void
t_what_is_no_text_of_the_format(void **state)
{
	(void)state;
	refuse_text(POLICY, "",
	    "1:1: : the text ends before its value does (truncated)");
	refuse_text(POLICY, "[]", "1:1: : is an array; write an object");
	refuse_text(POLICY, "{}",
	    "1:1: : the member \"schema\" is missing; write \"schema\": "
	    "\"weir.policy/1\"");
	refuse_text(POLICY, "{\"schema\":\"weir.request/1\"}",
	    "1:11: schema: is another format; a file that is used so has "
	    "\"weir.policy/1\"");
	refuse_text(POLICY, "{\"schema\":7}",
	    "1:11: schema: is another format; a file that is used so has "
	    "\"weir.policy/1\"");
	refuse_text(PROFILES, "{\"schema\":\"weir.profiles/1\"}",
	    "1:1: : the member \"profiles\" is missing; write one that holds "
	    "them by name");
	refuse_text(PROFILES, "{\"profiles\":{\"default\":{}}}",
	    "1:1: : the member \"schema\" is missing; write \"schema\": "
	    "\"weir.profiles/1\"");
	refuse_text(PROFILES, "{\"profiles\":[]}",
	    "1:13: profiles: is an array; write an object of profiles");
	refuse_text(PROFILES, "{\"profiles\":{}}",
	    "1:13: profiles: no profile in it; write one");
	refuse_text(PROFILES, "{\"limits\":{}}",
	    "1:2: limits: no such member here; the members are schema "
	    "profiles");
	refuse_text(PROFILES, "{\"profiles\":{\"a\":[]}}",
	    "1:18: profiles.a: is an array; write an object");
	refuse_text(PROFILES, "{\"profiles\":{\"a b\":{}}}",
	    "1:14: profiles.\"a b\": cannot be the name of a profile; use 1 "
	    "to 64 letters, digits, '_', '.' and '-'");
	refuse_text(POLICY, "{\"schema\":\"weir.policy/1\"}x",
	    "1:27: : bytes after the value (trailing_bytes)");
	refuse_text(POLICY, "{\n \"a\":[[[[[[[[1]]]]]]]]}",
	    "2:13: a[0][0][0][0][0][0][0]: nested deeper than the limit "
	    "(too_deep)");
	refuse_text(POLICY, "{\"\xc3\xa4\xff\":1}",
	    "1:4: \"\\xc3\\xa4\\xff\": the bytes are not UTF-8 (bad_utf8)");
	refuse_text(POLICY, "{\"a\\u001b\":1}",
	    "1:2: \"a\\u001b\": no such member here; the members are schema "
	    "limits halt_on_exhaust level network tools exec");
}

/* A profile that is not asked for is judged like the others. */
static void
t_the_whole_text_is_judged(void **state)
{
	(void)state;
	refuse_text(PROFILES,
	    "{\"schema\":\"weir.profiles/1\",\n\"profiles\":{\"default\":{},\n"
	    "\"b\":{\"limits\":{\"wall\":0}}}}",
	    "3:23: profiles.b.limits.wall: under the minimum; use a value "
	    "from 1ms to 24h");
}

static void
t_limits_of_later_versions(void **state)
{
	char member[128], text[256];
	const char *word;

	(void)state;
	assert_non_null(sup_limit_absent(0));
	for (size_t i = 0; (word = sup_limit_absent(i)) != NULL; i++) {
		(void)snprintf(
		    member, sizeof(member), "\"limits\":{\"%s\":1}", word);
		(void)snprintf(text, sizeof(text),
		    "2:11: limits.%s: is not available in this version; leave "
		    "it out",
		    word);
		refuse_text(POLICY, wrap(POLICY, member), text);
	}
}

/* --- the bounds of lists and texts ---------------------------------------- */

/* `before`, count times what print makes of a number, `after`. */
static char *
repeat(const char *before, size_t count, const char *format, const char *after)
{
	char *text = NULL;
	size_t len = 0;
	FILE *stream = open_memstream(&text, &len);

	assert_non_null(stream);
	(void)fputs(before, stream);
	for (size_t i = 0; i < count; i++) {
		char number[24], *at = number;

		(void)snprintf(number, sizeof(number), "%zu", i);
		if (i > 0)
			(void)fputc(',', stream);
		for (const char *p = format; *p != '\0'; p++) {
			if (*p == '#')
				(void)fputs(at, stream);
			else
				(void)fputc(*p, stream);
		}
	}
	(void)fputs(after, stream);
	assert_int_equal(fclose(stream), 0);
	return text;
}

static void
check_count(enum sup_format format, const char *before, const char *element,
    const char *after, size_t max, const char *complaint)
{
	char *text = repeat(before, max, element, after);

	assert_int_equal(read_bytes(format, text, strlen(text), NULL), WIRE_OK);
	free(text);
	text = repeat(before, max + 1, element, after);
	assert_int_equal(read_bytes(format, text, strlen(text), NULL),
	    WIRE_ERR_BAD_ARGUMENT);
	assert_string_equal(problem.text, complaint);
	free(text);
}

static void
t_lists_have_their_maximum(void **state)
{
	static const char profile[] =
	    "{\"schema\":\"weir.profiles/1\",\"profiles\":{\"default\":{";
	char before[128];

	(void)state;
	check_count(POLICY, "{\"schema\":\"weir.policy/1\",\"tools\":[",
	    "\"t#\"", "]}", SUP_PROFILE_TOOLS,
	    "more than 1024 elements; leave some out");
	(void)snprintf(before, sizeof(before), "%s\"packages\":[", profile);
	check_count(PROFILES, before, "\"/p#\"", "]}}}", SUP_PROFILE_PATHS,
	    "more than 64 elements; leave some out");
	(void)snprintf(before, sizeof(before), "%s\"env\":{", profile);
	check_count(PROFILES, before, "\"V#\":\"\"", "}}}}", SUP_PROFILE_ENV,
	    "more than 64 variables; leave some out");
	/* top, two of it, and the profiles */
	check_count(PROFILES,
	    "{\"schema\":\"weir.profiles/1\",\"profiles\":{\"default\":{},",
	    "\"p#\":{}", "}}", SUP_PROFILE_KEYS - 3,
	    "more members are open at one time than the limit "
	    "(too_many_members)");
}

static void
t_texts_have_their_maximum(void **state)
{
	static const char text[] = "{\"schema\":\"weir.policy/1\"}";
	char *large = malloc(SUP_PROFILE_TEXT + 1);

	(void)state;
	assert_non_null(large);
	memset(large, ' ', SUP_PROFILE_TEXT + 1);
	memcpy(large, text, strlen(text));
	assert_int_equal(
	    read_bytes(POLICY, large, SUP_PROFILE_TEXT, NULL), WIRE_OK);
	assert_int_equal(read_bytes(POLICY, large, SUP_PROFILE_TEXT + 1, NULL),
	    WIRE_ERR_BAD_ARGUMENT);
	assert_string_equal(
	    problem.text, "the text is longer than 1 MiB; make it shorter");
	free(large);
}

static void
t_names_have_their_maximum(void **state)
{
	char name[SUP_PROFILE_NAME + 2], *text;

	(void)state;
	memset(name, 'a', sizeof(name));
	name[SUP_PROFILE_NAME] = '\0';
	assert_true(sup_profile_is_name(name));
	name[SUP_PROFILE_NAME] = 'a';
	name[SUP_PROFILE_NAME + 1] = '\0';
	assert_false(sup_profile_is_name(name));
	assert_false(sup_profile_is_name(""));
	assert_false(sup_profile_is_name("a\n"));

	/* of tools: what the protocol carries */
	assert_true(
	    asprintf(&text, "\"tools\":[\"%0*d\"]", WIRE_MAX_TOOL_NAME, 0) > 0);
	accept_text(POLICY, wrap(POLICY, text), NULL);
	assert_int_equal(got.tools[0].len, WIRE_MAX_TOOL_NAME);
	free(text);
	assert_true(asprintf(&text, "\"tools\":[\"%0*d\"]",
			WIRE_MAX_TOOL_NAME + 1, 0) > 0);
	refuse_text(POLICY, wrap(POLICY, text),
	    "2:10: tools[0]: cannot be the name of a tool; it has 1 to 128 "
	    "bytes");
	free(text);
}

/* --- grants --------------------------------------------------------------- */

static void
t_paths_of_grants(void **state)
{
	static const char *const good[] = {
	    "/", "/a", "/a/b", "/..a", "/a..", "/...", "/a/.b", "/\xc3\xa4 b"};
	static const char *const bad[] = {"", "a", "a/b", "./a", "//", "/a/",
	    "/a//b", "/.", "/a/.", "/./a", "/..", "/a/..", "/../a", "/a\nb",
	    "/\x7f"};
	char path[SUP_GRANT_PATH_MAX + 2];

	(void)state;
	for (size_t i = 0; i < COUNT(good); i++)
		if (sup_grant_path_problem(good[i]) != NULL)
			fail_msg(
			    "%s %s", good[i], sup_grant_path_problem(good[i]));
	for (size_t i = 0; i < COUNT(bad); i++)
		if (sup_grant_path_problem(bad[i]) == NULL)
			fail_msg("%s is accepted", bad[i]);
	memset(path, 'a', sizeof(path));
	path[0] = '/';
	path[SUP_GRANT_PATH_MAX + 1] = '\0';
	assert_non_null(sup_grant_path_problem(path));
	path[SUP_GRANT_PATH_MAX] = '\0';
	assert_null(sup_grant_path_problem(path));
}

static void
t_variables_of_grants(void **state)
{
	static const char *const good[] = {"A", "_", "a9", "OMP_NUM_THREADS",
	    "MY_LD_PRELOAD", "LDX", "LANG", "TZX", "SSL_CERT_FILE"};
	static const char *const bad[] = {"", "9", "A=B", "A B", "\xc3\xa4",
	    "LD_", "LD_PRELOAD", "LD_AUDIT", "PYTHON", "PYTHONPATH",
	    "PYTHONHOME", "GLIBC_TUNABLES", "MALLOC_ARENA_MAX", "GCONV_PATH",
	    "OPENSSL_CONF", "BASH_ENV", "HOME", "TMPDIR", "TZ", "TZDIR",
	    "WEIR_X"};
	char text[SUP_GRANT_VALUE_MAX + 2];

	(void)state;
	for (size_t i = 0; i < COUNT(good); i++)
		if (sup_grant_variable_problem(good[i]) != NULL)
			fail_msg("%s %s", good[i],
			    sup_grant_variable_problem(good[i]));
	for (size_t i = 0; i < COUNT(bad); i++)
		if (sup_grant_variable_problem(bad[i]) == NULL)
			fail_msg("%s is accepted", bad[i]);
	memset(text, 'a', sizeof(text));
	text[SUP_GRANT_NAME_MAX + 1] = '\0';
	assert_non_null(sup_grant_variable_problem(text));
	text[SUP_GRANT_NAME_MAX] = '\0';
	assert_null(sup_grant_variable_problem(text));
	text[SUP_GRANT_NAME_MAX] = text[SUP_GRANT_NAME_MAX + 1] = 'a';
	text[SUP_GRANT_VALUE_MAX + 1] = '\0';
	assert_non_null(sup_grant_value_problem(text));
	text[SUP_GRANT_VALUE_MAX] = '\0';
	assert_null(sup_grant_value_problem(text));
}

/* --- places --------------------------------------------------------------- */

static void
t_long_paths_are_cut(void **state)
{
	char *text = repeat("{\"", 300, "\\u001b#", "\":1}");

	(void)state;
	sup_where_find(
	    (struct wire_span){(uint8_t *)text, strlen(text)}, 1, &where);
	assert_true(strlen(where.path) < SUP_WHERE_PATH);
	assert_non_null(strstr(where.path, "...\""));
	/* past the end is the end */
	sup_where_find(
	    (struct wire_span){(const uint8_t *)"{\n\n", 3}, SIZE_MAX, &where);
	assert_int_equal(where.line, 3);
	assert_int_equal(where.column, 1);
	free(text);
}

static int
free_arena(void **state)
{
	(void)state;
	free(arena);
	return 0;
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(t_empty_ones_say_nothing),
	    cmocka_unit_test(t_halt_on_exhaust_in_each),
	    cmocka_unit_test(t_a_profile_grants_the_network),
	    cmocka_unit_test(t_every_member_of_a_profile),
	    cmocka_unit_test(t_every_member_of_a_policy),
	    cmocka_unit_test(t_every_member_of_a_request),
	    cmocka_unit_test(t_every_limit_from_minimum_to_ceiling),
	    cmocka_unit_test(t_a_profile_is_chosen_by_name),
	    cmocka_unit_test(t_each_problem_says_where_it_is),
	    cmocka_unit_test(t_what_is_no_text_of_the_format),
	    cmocka_unit_test(t_the_whole_text_is_judged),
	    cmocka_unit_test(t_limits_of_later_versions),
	    cmocka_unit_test(t_lists_have_their_maximum),
	    cmocka_unit_test(t_texts_have_their_maximum),
	    cmocka_unit_test(t_names_have_their_maximum),
	    cmocka_unit_test(t_paths_of_grants),
	    cmocka_unit_test(t_variables_of_grants),
	    cmocka_unit_test(t_long_paths_are_cut),
	};

	return cmocka_run_group_tests(tests, NULL, free_arena);
}
