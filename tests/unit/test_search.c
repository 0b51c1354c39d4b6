/*
 * Searches in kept texts: the effort that they may take, the pieces that they
 * look at, the patterns that they take, and the arguments of a reading call.
 */
#include "wire_help.h"

#include "bindings/json_check.h"
#include "bindings/read_reply.h"
#include "bindings/read_request.h"
#include "bindings/search.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static struct wire_span
span(const char *text)
{
	return (struct wire_span){(const uint8_t *)text, strlen(text)};
}

/* --- effort --------------------------------------------------------------- */

/* A clock that the test sets, or that goes on with every look. */
struct clock {
	uint64_t now, step;
	unsigned looks;
};

static uint64_t
look_at(void *arg)
{
	struct clock *clock = arg;

	clock->looks++;
	return clock->now += clock->step;
}

static void
t_steps_of_a_place_at_the_limit_and_over(void **state)
{
	struct clock clock = {0, 0, 0};
	struct bind_effort effort;

	(void)state;
	bind_effort_init(&effort, look_at, &clock);
	bind_effort_begin_turn(&effort);
	for (size_t place = 0; place < 3; place++) {
		assert_int_equal(
		    bind_effort_begin_match(&effort, 0), BIND_EFFORT_ON);
		for (size_t i = 0; i <= BIND_EFFORT_PLACE; i++)
			assert_int_equal(
			    bind_effort_step(&effort, place, place),
			    i < BIND_EFFORT_PLACE ? BIND_EFFORT_ON
						  : BIND_EFFORT_STUCK);
	}
}

static void
t_steps_of_a_search_at_the_limit_and_over(void **state)
{
	struct clock clock = {0, 0, 0};
	struct bind_effort effort;

	(void)state;
	bind_effort_init(&effort, look_at, &clock);
	bind_effort_begin_turn(&effort);
	assert_int_equal(
	    bind_effort_begin_match(&effort, BIND_EFFORT_STEPS - 1),
	    BIND_EFFORT_ON);
	assert_int_equal(bind_effort_step(&effort, 0, 0), BIND_EFFORT_ON);
	assert_int_equal(bind_effort_step(&effort, 1, 1), BIND_EFFORT_SPENT);
	assert_int_equal(
	    bind_effort_begin_match(&effort, 0), BIND_EFFORT_SPENT);
}

static void
t_bytes_that_an_item_ran_over_are_steps(void **state)
{
	struct clock clock = {0, 0, 0};
	struct bind_effort effort;

	(void)state;
	bind_effort_init(&effort, look_at, &clock);
	bind_effort_begin_turn(&effort);
	(void)!bind_effort_begin_match(&effort, 0);
	(void)bind_effort_step(&effort, 7, 1000);
	assert_int_equal(effort.steps, 1); /* where it begins is no run */
	(void)bind_effort_step(&effort, 7, 1031);
	assert_int_equal(effort.steps, 2);
	(void)bind_effort_step(&effort, 7, 1063);
	assert_int_equal(effort.steps, 4);
	(void)bind_effort_step(&effort, 7, 1063 - 64);
	assert_int_equal(effort.steps, 7); /* nor is the way back for nothing */
}

/* A turn ends between two places, and only after it has done one. */
static void
t_turns(void **state)
{
	struct clock clock = {0, 0, 0};
	struct bind_effort effort;
	size_t place = 0;

	(void)state;
	bind_effort_init(&effort, look_at, &clock);
	bind_effort_begin_turn(&effort);
	(void)!bind_effort_begin_match(&effort, 0);
	clock.now = BIND_EFFORT_TURN_NS;
	for (size_t i = 0; i < BIND_EFFORT_LOOK; i++)
		assert_int_equal(
		    bind_effort_step(&effort, place, 0), BIND_EFFORT_ON);
	assert_true(bind_effort_turn_is_over(&effort));
	assert_int_equal(bind_effort_step(&effort, place, 1), BIND_EFFORT_ON);
	assert_int_equal(
	    bind_effort_step(&effort, place + 1, 1), BIND_EFFORT_YIELD);
	bind_effort_end_turn(&effort);
	assert_int_equal(effort.ns, BIND_EFFORT_TURN_NS);
	/* The next turn does that place, however long it takes... */
	bind_effort_begin_turn(&effort);
	assert_false(bind_effort_turn_is_over(&effort));
	(void)!bind_effort_begin_match(&effort, 0);
	assert_int_equal(
	    bind_effort_step(&effort, place + 1, 1), BIND_EFFORT_ON);
	/* ...but not for ever. */
	clock.now += BIND_EFFORT_PLACE_NS + 1;
	for (size_t i = 0; i < BIND_EFFORT_LOOK - 1; i++)
		(void)bind_effort_step(&effort, place + 1, 1);
	assert_int_equal(
	    bind_effort_step(&effort, place + 1, 1), BIND_EFFORT_STUCK);
}

static void
t_time_of_a_search_at_the_limit(void **state)
{
	struct clock clock = {0, 0, 0};
	struct bind_effort effort;

	(void)state;
	bind_effort_init(&effort, look_at, &clock);
	bind_effort_begin_turn(&effort);
	clock.now = BIND_EFFORT_NS - 1;
	bind_effort_end_turn(&effort);
	bind_effort_begin_turn(&effort);
	effort.until_look = 1;
	assert_int_equal(bind_effort_begin_match(&effort, 0), BIND_EFFORT_ON);
	clock.now++;
	effort.until_look = 1;
	assert_int_equal(
	    bind_effort_begin_match(&effort, 0), BIND_EFFORT_SPENT);
}

static void
t_the_clock_is_looked_at_now_and_then(void **state)
{
	struct clock clock = {0, 0, 0};
	struct bind_effort effort;

	(void)state;
	bind_effort_init(&effort, look_at, &clock);
	bind_effort_begin_turn(&effort);
	for (size_t i = 0; i < 10 * BIND_EFFORT_LOOK; i++)
		(void)bind_effort_step(&effort, i, i);
	assert_int_equal(clock.looks, 1 + 10);
}

/* --- a search with a matcher of our own ------------------------------------
 */

/* Finds one byte; or the empty match in front of it, when that is a dot. */
struct finder {
	uint8_t byte;
	bool is_empty;
	bool yields; /* after every byte */
	size_t longest, calls;
	enum bind_match fails;
};

static enum bind_match
find_byte(void *arg, const struct bind_subject *subject,
    struct bind_effort *effort, struct bind_match_at *ret_at)
{
	struct finder *finder = arg;

	(void)effort;
	finder->calls++;
	if (subject->text.len > finder->longest)
		finder->longest = subject->text.len;
	assert_in_range(subject->start, 0, subject->text.len);
	for (size_t i = 0; i < subject->text.len; i++)
		assert_int_not_equal(subject->text.p[i], '\n');
	for (size_t i = subject->start; i < subject->text.len; i++) {
		*ret_at = (struct bind_match_at){i, i + !finder->is_empty};
		if (subject->text.p[i] == finder->byte)
			return BIND_MATCH_FOUND;
		ret_at->begin++;
		if (finder->yields)
			return BIND_MATCH_YIELD;
	}
	return finder->fails != BIND_MATCH_FOUND ? finder->fails
						 : BIND_MATCH_NONE;
}

struct searching {
	struct bind_lines lines;
	struct bind_search search;
	struct clock clock;
};

static void
search_new(struct searching *s, struct wire_span text, uint64_t offset,
    uint64_t length, size_t limit)
{
	memset(s, 0, sizeof(*s));
	assert_int_equal(bind_lines_init(&s->lines, text), WIRE_OK);
	assert_int_equal(bind_search_init(&s->search, text, &s->lines, offset,
			     length, limit),
	    WIRE_OK);
	bind_effort_init(&s->search.effort, look_at, &s->clock);
}

static void
search_free(struct searching *s)
{
	bind_search_release(&s->search);
	bind_lines_release(&s->lines);
}

static enum bind_search_state
search_with(struct searching *s, struct finder *finder)
{
	enum bind_search_state state;

	s->search.match = find_byte;
	s->search.regex = finder;
	do {
		state = bind_search_turn(&s->search);
	} while (state == BIND_SEARCH_ON);
	return state;
}

/* "LINE:OFFSET ..." of what was found. */
static void
expect_found(const struct searching *s, const char *expected)
{
	char text[1000];
	size_t len = 0;

	text[0] = '\0';
	for (size_t i = 0; i < s->search.count; i++)
		len += (size_t)snprintf(text + len, sizeof(text) - len,
		    "%s%zu:%zu", i == 0 ? "" : " ", s->search.found[i].line,
		    s->search.found[i].begin);
	assert_string_equal(text, expected);
}

static void
check_search(const char *text, uint64_t offset, uint64_t length, size_t limit,
    enum bind_search_state state, const char *expected)
{
	for (int yields = 0; yields < 2; yields++) {
		struct finder finder = {.byte = 'x', .yields = yields};
		struct searching s;

		search_new(&s, span(text), offset, length, limit);
		assert_int_equal(search_with(&s, &finder), state);
		expect_found(&s, expected);
		search_free(&s);
	}
}

static void
t_matches_and_their_lines(void **state)
{
	(void)state;
	check_search("", 0, 100, 9, BIND_SEARCH_WHOLE, "");
	check_search("\n", 0, 100, 9, BIND_SEARCH_WHOLE, "");
	check_search("x", 0, 100, 9, BIND_SEARCH_WHOLE, "0:0");
	check_search("a\nx", 0, 100, 9, BIND_SEARCH_WHOLE, "1:2");
	check_search("ax\n\nxx\n", 0, 100, 9, BIND_SEARCH_WHOLE, "0:1 2:4 2:5");
	check_search("ax\n\nxx\n", 0, 100, 2, BIND_SEARCH_LIMIT, "0:1 2:4");
	check_search("ax\n\nxx\n", 2, 100, 9, BIND_SEARCH_WHOLE, "2:4 2:5");
	check_search("ax\n\nxx\n", 5, 100, 9, BIND_SEARCH_WHOLE, "2:5");
	check_search("ax\n\nxx\n", 0, 4, 9, BIND_SEARCH_WHOLE, "0:1");
	check_search("ax\n\nxx\n", 0, 5, 9, BIND_SEARCH_WHOLE, "0:1 2:4");
	check_search("ax\n\nxx\n", 1, 4, 9, BIND_SEARCH_WHOLE, "0:1 2:4");
	check_search("x", 1, 1, 9, BIND_SEARCH_WHOLE, "");
	check_search("x", 2, 1, 9, BIND_SEARCH_WHOLE, "");
	check_search("x", UINT64_MAX, UINT64_MAX, 9, BIND_SEARCH_WHOLE, "");
	/* In the middle of a character: from its beginning. */
	check_search("\xc3\xa9x", 1, 2, 9, BIND_SEARCH_WHOLE, "");
	check_search("\xc3\xa9x", 1, 3, 9, BIND_SEARCH_WHOLE, "0:2");
}

static void
t_empty_matches_come_to_an_end(void **state)
{
	struct finder finder = {.byte = 'x', .is_empty = true};
	struct searching s;

	(void)state;
	search_new(&s, span("xx\nx"), 0, 100, 100);
	assert_int_equal(search_with(&s, &finder), BIND_SEARCH_WHOLE);
	expect_found(&s, "0:0 0:1 1:3");
	search_free(&s);
}

/* Of a long line every match is found once, and no piece is longer than it
 * may be. */
static void
t_long_lines_are_looked_at_in_pieces(void **state)
{
	static const size_t lens[] = {BIND_SEARCH_PIECE - 1, BIND_SEARCH_PIECE,
	    BIND_SEARCH_PIECE + 1, 10 * BIND_SEARCH_PIECE + 7};

	(void)state;
	for (size_t i = 0; i < COUNT(lens); i++) {
		uint8_t *text = must_alloc(lens[i]);
		struct finder finder = {.byte = 'x'};
		struct searching s;
		size_t expected = 0;

		memset(text, 'a', lens[i]);
		for (size_t at = 3; at < lens[i]; at += 997, expected++)
			text[at] = 'x';
		search_new(
		    &s, (struct wire_span){text, lens[i]}, 0, lens[i], 1000);
		assert_int_equal(search_with(&s, &finder), BIND_SEARCH_WHOLE);
		assert_int_equal(s.search.count, expected);
		for (size_t n = 0; n < expected; n++)
			assert_int_equal(s.search.found[n].begin, 3 + 997 * n);
		assert_in_range(
		    finder.longest, 1, BIND_SEARCH_PIECE + BIND_SEARCH_BEHIND);
		search_free(&s);
		free(text);
	}
}

static void
t_where_it_goes_on_and_where_it_stopped(void **state)
{
	struct finder finder = {.byte = 'x'};
	struct searching s;

	(void)state;
	search_new(&s, span("axbx"), 0, 100, 1);
	assert_int_equal(search_with(&s, &finder), BIND_SEARCH_LIMIT);
	assert_int_equal(s.search.at, 2);
	search_free(&s);
	finder.fails = BIND_MATCH_STUCK;
	search_new(&s, span("axbb"), 0, 100, 9);
	assert_int_equal(search_with(&s, &finder), BIND_SEARCH_STUCK);
	assert_int_equal(s.search.at, 4);
	search_free(&s);
	finder.fails = BIND_MATCH_SPENT;
	search_new(&s, span("axbb"), 0, 100, 9);
	assert_int_equal(search_with(&s, &finder), BIND_SEARCH_SPENT);
	search_free(&s);
	finder.fails = BIND_MATCH_FAILED;
	search_new(&s, span("axbb"), 0, 100, 9);
	assert_int_equal(search_with(&s, &finder), BIND_SEARCH_FAILED);
	search_free(&s);
}

/* A turn looks at the clock between lines as well, and the next goes on. */
static void
t_lines_without_a_match_take_turns_too(void **state)
{
	uint8_t *text = must_alloc(100000);
	struct finder finder = {.byte = 'x'};
	struct searching s;
	unsigned turns = 0;

	(void)state;
	memset(text, '\n', 100000);
	text[99999] = 'x';
	search_new(&s, (struct wire_span){text, 100000}, 0, 100000, 9);
	s.clock.step = BIND_EFFORT_TURN_NS;
	s.search.match = find_byte;
	s.search.regex = &finder;
	while (bind_search_turn(&s.search) == BIND_SEARCH_ON) {
		turns++;
		assert_in_range(finder.calls, 1, turns * BIND_EFFORT_LOOK);
	}
	/* The time of the whole is bounded, too. */
	assert_int_equal(s.search.state, BIND_SEARCH_SPENT);
	assert_in_range(turns, 1, BIND_EFFORT_NS / BIND_EFFORT_TURN_NS);
	search_free(&s);
	free(text);
}

/* --- patterns ------------------------------------------------------------- */

/* "BEGIN-END ..." of the matches of a pattern. */
static void
check_pattern(const char *pattern, bool ignore_case, const char *text,
    const char *expected)
{
	struct bind_regex *regex = NULL;
	struct bind_text why;
	struct searching s;
	uint8_t buf[300];
	char found[1000];
	size_t len = 0;

	bind_text_init(&why, buf, sizeof(buf));
	if (bind_regex_new(span(pattern), ignore_case, &regex, &why) != WIRE_OK)
		fail_msg("%s: %.*s", pattern, (int)why.len, (char *)buf);
	search_new(&s, span(text), 0, strlen(text), 100);
	s.search.match = bind_regex_match;
	s.search.regex = regex;
	while (bind_search_turn(&s.search) == BIND_SEARCH_ON)
		continue;
	assert_int_equal(s.search.state, BIND_SEARCH_WHOLE);
	found[0] = '\0';
	for (size_t i = 0; i < s.search.count; i++)
		len += (size_t)snprintf(found + len, sizeof(found) - len,
		    "%s%zu-%zu", i == 0 ? "" : " ", s.search.found[i].begin,
		    s.search.found[i].end);
	assert_string_equal(found, expected);
	search_free(&s);
	bind_regex_free(regex);
}

static void
t_what_patterns_mean(void **state)
{
	(void)state;
	check_pattern("b+", false, "abbb\nab", "1-4 6-7");
	check_pattern("B", false, "abB", "2-3");
	check_pattern("B", true, "abB", "1-2 2-3");
	check_pattern("^", false, "a\nb\n", "0-0 2-2 4-4");
	check_pattern("$", false, "a\nb", "1-1 3-3");
	check_pattern("^b$", false, "ab\nb\r\nb", "6-7");
	/* A match lies within one line. */
	check_pattern("a\\sb", false, "a\nb a b", "4-7");
	check_pattern("[^x]+", false, "ab\ncd", "0-2 3-5");
	check_pattern("(?s).+", false, "ab\ncd", "0-2 3-5");
	check_pattern("a*", false, "baa", "0-0 1-3 3-3");
	/* Characters, and not bytes; their classes are Unicode's. */
	check_pattern("^.$", false, "\xf0\x9f\x98\x80", "0-4");
	check_pattern("\\w+", false, "\xc3\xa9t\xc3\xa9 9", "0-5 6-7");
	check_pattern("\xc3\x89", true, "\xc3\xa9", "0-2");
	check_pattern("a\\Kb", false, "ab", "1-2");
	check_pattern("(\\w)\\1", false, "abbc", "1-3");
}

static void
t_patterns_that_are_refused(void **state)
{
	static const struct {
		const char *pattern, *why;
	} refused[] = {
	    {"(", "missing closing parenthesis at byte 1"},
	    {"a**", "at byte 2"},
	    {"[z-a]", "range out of order"},
	    {"\\C", "using \\C is disabled"},
	    {"(?<=a*)b", "lookbehind assertion"},
	    {"a{1,99999}", "number too big in {} quantifier"},
	    {"(?:(?:(?:a{999}){999}){99})", "too large"},
	};
	struct bind_regex *regex = NULL;
	uint8_t buf[300];
	struct bind_text why;

	(void)state;
	for (size_t i = 0; i < COUNT(refused); i++) {
		bind_text_init(&why, buf, sizeof(buf) - 1);
		assert_int_equal(bind_regex_new(span(refused[i].pattern), false,
				     &regex, &why),
		    WIRE_ERR_BAD_ARGUMENT);
		buf[why.len] = '\0';
		if (strstr((char *)buf, refused[i].why) == NULL)
			fail_msg("%s: %s", refused[i].pattern, (char *)buf);
	}
	assert_null(regex);
}

static void
t_patterns_at_their_limits_and_over(void **state)
{
	char pattern[BIND_REGEX_PATTERN_MAX + 2];
	struct bind_regex *regex = NULL;
	uint8_t buf[300];
	struct bind_text why;

	(void)state;
	bind_text_init(&why, buf, sizeof(buf));
	memset(pattern, 'a', sizeof(pattern));
	pattern[BIND_REGEX_PATTERN_MAX] = '\0';
	check_pattern(pattern, false, "a", "");
	pattern[BIND_REGEX_PATTERN_MAX] = 'a';
	pattern[BIND_REGEX_PATTERN_MAX + 1] = '\0';
	assert_int_equal(bind_regex_new(span(pattern), false, &regex, &why),
	    WIRE_ERR_BAD_ARGUMENT);
	for (size_t n = BIND_REGEX_NESTING; n <= BIND_REGEX_NESTING + 1; n++) {
		memset(pattern, '(', n);
		memset(pattern + n, ')', n);
		pattern[2 * n] = '\0';
		assert_int_equal(
		    bind_regex_new(span(pattern), false, &regex, &why),
		    n == BIND_REGEX_NESTING ? WIRE_OK : WIRE_ERR_BAD_ARGUMENT);
		if (n == BIND_REGEX_NESTING)
			bind_regex_free(regex);
	}
}

/* --- published patterns that exhaust other engines --------------------------
 */

#include <jansson.h>

#define SUBJECT (4UL << 20)

static const char *
member(const json_t *entry, const char *name)
{
	const char *text = json_string_value(json_object_get(entry, name));

	assert_non_null(text);
	return text;
}

/* Prefix, as many pumps as 4 MiB hold, suffix. */
static struct wire_span
make_subject(const json_t *entry)
{
	const char *prefix = member(entry, "prefix");
	const char *pump = member(entry, "pump");
	const char *suffix = member(entry, "suffix");
	size_t len = strlen(prefix);
	uint8_t *text =
	    must_alloc(SUBJECT + len + strlen(pump) + strlen(suffix));

	memcpy(text, prefix, len);
	while (len < SUBJECT) {
		memcpy(text + len, pump, strlen(pump));
		len += strlen(pump);
	}
	memcpy(text + len, suffix, strlen(suffix));
	return (struct wire_span){text, len + strlen(suffix)};
}

/*
 * Each is searched for in the 4 MiB that are its worst, in one line: it ends,
 * and within the steps that a search may take, by their count alone, since
 * this clock stands.
 */
static void
t_published_patterns_are_bounded(void **state)
{
	static const char *const places[] = {
	    "tests/regex/patterns.json", "../tests/regex/patterns.json"};
	json_t *all = json_load_file(places[0], 0, NULL);
	const json_t *entry;
	size_t i;

	(void)state;
	if (all == NULL)
		all = json_load_file(places[1], 0, NULL);
	assert_true(json_array_size(all) >= 40);
	json_array_foreach(all, i, entry)
	{
		struct wire_span text = make_subject(entry);
		struct bind_regex *regex = NULL;
		struct bind_text why;
		struct searching s;
		uint8_t buf[300];

		bind_text_init(&why, buf, sizeof(buf));
		assert_int_equal(bind_regex_new(span(member(entry, "pattern")),
				     false, &regex, &why),
		    WIRE_OK);
		search_new(&s, text, 0, text.len, 1000);
		s.search.match = bind_regex_match;
		s.search.regex = regex;
		while (bind_search_turn(&s.search) == BIND_SEARCH_ON)
			continue;
		if (s.search.effort.steps > BIND_EFFORT_STEPS + SUBJECT / 32 ||
		    s.search.state == BIND_SEARCH_FAILED)
			fail_msg("%s: state %d after %llu steps",
			    member(entry, "name"), (int)s.search.state,
			    (unsigned long long)s.search.effort.steps);
		search_free(&s);
		bind_regex_free(regex);
		free((void *)(uintptr_t)text.p);
	}
	json_decref(all);
}

/* --- arguments --------------------------------------------------------------
 */

static bool
take(const char *text, struct bind_read_request *request, char why[200])
{
	struct wire_json_member members[16];
	struct bind_json_check check;
	struct bind_text words;
	size_t count = 0;
	bool taken;

	bind_json_check_init(&check, 1);
	assert_int_equal(bind_json_check_object(
			     &check, span(text), members, 16, &count, NULL),
	    WIRE_OK);
	bind_text_init(&words, (uint8_t *)why, 199);
	taken = bind_read_request_take(members, count, request, &words);
	why[words.len] = '\0';
	bind_json_check_release(&check);
	return taken;
}

static void
t_arguments_and_what_they_mean(void **state)
{
	struct bind_read_request r;
	char why[200];

	(void)state;
	assert_true(take("{\"handle\":\"h\\u002d1\"}", &r, why));
	assert_int_equal(r.kind, BIND_READ_LINES);
	assert_int_equal(r.token_len, 3);
	assert_memory_equal(r.token, "h-1", 3);
	assert_int_equal(r.start, 0);
	assert_int_equal(r.count, 200);
	assert_true(
	    take("{\"handle\":\"h\",\"start\":7,\"count\":1000}", &r, why));
	assert_int_equal(r.kind, BIND_READ_LINES);
	assert_int_equal(r.start, 7);
	assert_int_equal(r.count, 1000);
	assert_true(take("{\"length\":5,\"handle\":\"h\"}", &r, why));
	assert_int_equal(r.kind, BIND_READ_BYTES);
	assert_int_equal(r.offset, 0);
	assert_int_equal(r.length, 5);
	assert_true(take("{\"offset\":9007199254740991,\"handle\":\"h\","
			 "\"pattern\":null,\"count\":null}",
	    &r, why));
	assert_int_equal(r.kind, BIND_READ_BYTES);
	assert_int_equal(r.offset, WIRE_MAX_ID);
	assert_int_equal(r.length, 65536);
	assert_true(take("{\"handle\":\"h\",\"pattern\":\"\\\\d\\u0000\","
			 "\"length\":2000000,\"ignore_case\":true}",
	    &r, why));
	assert_int_equal(r.kind, BIND_READ_SEARCH);
	assert_int_equal(r.pattern_len, 3);
	assert_memory_equal(r.pattern, "\\d\0", 3);
	assert_int_equal(r.length, 2000000);
	assert_int_equal(r.limit, 100);
	assert_true(r.ignore_case);
	/* What is too long to be a token is none. */
	assert_true(take(
	    "{\"handle\":\"h-000000000000000000000000000000000\"}", &r, why));
	assert_int_equal(r.token_len, 0);
}

static void
t_arguments_that_are_refused(void **state)
{
	static const struct {
		const char *text, *why;
	} refused[] = {
	    {"{}", "handle is missing"},
	    {"{\"handle\":null}", "handle is missing"},
	    {"{\"handle\":1}", "handle is a string"},
	    {"{\"handle\":\"h\",\"Start\":1}", "there is no argument Start"},
	    {"{\"handle\":\"h\",\"\\u0000\":1}",
		"there is no argument \\u0000"},
	    {"{\"handle\":\"h\",\"start\":-1}",
		"start is an integer from 0 to 9007199254740991"},
	    {"{\"handle\":\"h\",\"start\":9007199254740992}",
		"start is an integer from 0 to 9007199254740991"},
	    {"{\"handle\":\"h\",\"start\":1e2}",
		"start is an integer from 0 to 9007199254740991"},
	    {"{\"handle\":\"h\",\"count\":0}",
		"count is an integer from 1 to 1000"},
	    {"{\"handle\":\"h\",\"count\":1001}",
		"count is an integer from 1 to 1000"},
	    {"{\"handle\":\"h\",\"count\":\"1\"}", "count is an integer"},
	    {"{\"handle\":\"h\",\"length\":0}",
		"length is an integer from 1 to 1048576"},
	    {"{\"handle\":\"h\",\"length\":1048577}",
		"length is an integer from 1 to 1048576"},
	    {"{\"handle\":\"h\",\"offset\":0,\"start\":0}",
		"start does not go with offset and length"},
	    {"{\"handle\":\"h\",\"limit\":1}", "limit does not go with lines"},
	    {"{\"handle\":\"h\",\"pattern\":\"x\",\"limit\":1001}",
		"limit is an integer from 1 to 1000"},
	    {"{\"handle\":\"h\",\"pattern\":\"x\",\"count\":1}",
		"count does not go with pattern"},
	    {"{\"handle\":\"h\",\"pattern\":\"x\",\"ignore_case\":0}",
		"ignore_case is true or false"},
	    {"{\"handle\":\"h\",\"pattern\":1}", "pattern is a string"},
	};
	struct bind_read_request r;
	char why[200];

	(void)state;
	for (size_t i = 0; i < COUNT(refused); i++) {
		assert_false(take(refused[i].text, &r, why));
		assert_string_equal(why, refused[i].why);
	}
}

#define TEST(function) cmocka_unit_test(function)

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(t_steps_of_a_place_at_the_limit_and_over),
	    TEST(t_steps_of_a_search_at_the_limit_and_over),
	    TEST(t_bytes_that_an_item_ran_over_are_steps),
	    TEST(t_turns),
	    TEST(t_time_of_a_search_at_the_limit),
	    TEST(t_the_clock_is_looked_at_now_and_then),
	    TEST(t_matches_and_their_lines),
	    TEST(t_empty_matches_come_to_an_end),
	    TEST(t_long_lines_are_looked_at_in_pieces),
	    TEST(t_where_it_goes_on_and_where_it_stopped),
	    TEST(t_lines_without_a_match_take_turns_too),
	    TEST(t_what_patterns_mean),
	    TEST(t_patterns_that_are_refused),
	    TEST(t_patterns_at_their_limits_and_over),
	    TEST(t_published_patterns_are_bounded),
	    TEST(t_arguments_and_what_they_mean),
	    TEST(t_arguments_that_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
