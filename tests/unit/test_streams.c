/*
 * Whole byte streams of a hostile child through splitter, decoder and session
 * as the host runs them: each has exactly one outcome, however it is cut, and
 * a second copy behind it changes nothing that was decided before.
 */
#include "wire_stream.h"

#define CALL_WITH(id, arguments)                                               \
	"{\"type\":\"call\",\"id\":" id                                        \
	",\"name\":\"add\",\"arguments\":" arguments "}\n"
#define CALL(id) CALL_WITH(id, "{\"a\":1}")
#define DONE	 "{\"type\":\"done\",\"value\":42}\n"

/* --- streams made here --------------------------------------------------- */

#define STREAM(text, word, twice, calls)                                       \
	{                                                                      \
#text,                                                         \
		    {(const uint8_t *)(text), sizeof(text) - 1 }, word, twice, \
			calls                                                  \
	}

static const struct {
	const char *name;
	struct wire_span bytes;
	const char *word, *twice;
	uint64_t calls;
} streams[] = {
    /* controls */
    STREAM(READY CALL("0") CALL("1") DONE, "done", "done", 2),
    STREAM(READY CALL_WITH("0", "{\"s\":\"\\u00fc\\ud83c\\udf0d\\/\\b\"}") DONE,
	"done", "done", 1),
    STREAM(READY "\r\n \t\n" DONE, "done", "done", 0),
    STREAM(READY "\t{\"value\":[],\"type\":\"done\"} \r\n", "done", "done", 0),
    /* ends that are no answer */
    STREAM("", "open", "open", 0),
    STREAM("\n", "open", "open", 0),
    STREAM(READY, "open", "out_of_turn", 0),
    STREAM(READY CALL("0"), "open", "out_of_turn", 1),
    STREAM(READY CALL("0") "{\"type\":\"do", "partial_frame", "bad_syntax", 1),
    STREAM(READY "{\"type\":\"done\",\"value\":1}", "partial_frame",
	"trailing_bytes", 0),
    STREAM(READY "{\"type\":\"done\",\"value\":\"\xe2\x82", "partial_frame",
	"bad_utf8", 0),
    /* lines */
    STREAM(READY "{\"type\":\"done\",\"value\":1}{\"type\":\"done\","
		 "\"value\":2}\n",
	"trailing_bytes", "trailing_bytes", 0),
    STREAM(READY "{\"type\":\"done\",\"value\":1}\r{\"type\":\"done\"}\r\n",
	"trailing_bytes", "trailing_bytes", 0),
    STREAM(READY "{\"type\":\"done\",\"value\":\"a\n" CALL("0") "\"}\n",
	"truncated", "truncated", 0),
    /* bytes */
    STREAM(READY "\x8f\x02{}]\n" DONE, "bad_utf8", "bad_utf8", 0),
    STREAM("\xef\xbb\xbf" READY DONE, "bad_syntax", "bad_syntax", 0),
    STREAM(READY "{\0\"\0t\0y\0p\0e\0\n", "nul_byte", "nul_byte", 0),
    STREAM(READY "\0\n" DONE, "nul_byte", "nul_byte", 0),
    STREAM(
	READY "{\"type\":\"done\",\"value\":1}\0\n", "nul_byte", "nul_byte", 0),
    STREAM(
	READY "{\"type\":\"done\0\",\"value\":1}\n", "nul_byte", "nul_byte", 0),
    STREAM(READY "{\"type\":\"call\",\"id\":0,\"name\":\"\xc0\xa2\","
		 "\"arguments\":{}}\n",
	"bad_utf8", "bad_utf8", 0),
    STREAM(READY "{\"type\":\"done\",\"value\":\"\xff\"}\n", "bad_utf8",
	"bad_utf8", 0),
    STREAM(READY "{\"type\":\"done\",\"value\":\"\xf5\x80\x80\x80\"}\n",
	"bad_utf8", "bad_utf8", 0),
    STREAM(READY "{\"type\":\"done\",\"value\":\"a\tb\"}\n",
	"control_character", "control_character", 0),
    STREAM(READY "{\"type\":\"done\",\"value\":\"\x1b[2J\"}\n",
	"control_character", "control_character", 0),
    STREAM(READY CALL_WITH("0", "{\"a\":\"\\ud800\"}"), "lone_surrogate",
	"lone_surrogate", 0),
    STREAM(READY CALL_WITH("0", "{\"\\udfff\":1}"), "lone_surrogate",
	"lone_surrogate", 0),
    /* ids */
    STREAM(READY CALL("0") CALL("0"), "wrong_id", "wrong_id", 1),
    STREAM(READY CALL("0") CALL("1") CALL("0"), "wrong_id", "wrong_id", 2),
    STREAM(READY CALL("1"), "wrong_id", "wrong_id", 0),
    STREAM(READY CALL("0") CALL("2"), "wrong_id", "wrong_id", 1),
    STREAM(READY CALL("-1"), "bad_id", "bad_id", 0),
    STREAM(READY CALL("-0"), "bad_id", "bad_id", 0),
    STREAM(READY CALL("0.0"), "bad_id", "bad_id", 0),
    STREAM(READY CALL("0e0"), "bad_id", "bad_id", 0),
    STREAM(READY CALL("1e999"), "bad_id", "bad_id", 0),
    STREAM(READY CALL("\"0\""), "bad_id", "bad_id", 0),
    STREAM(READY CALL("null"), "bad_id", "bad_id", 0),
    STREAM(READY CALL("18446744073709551616"), "bad_id", "bad_id", 0),
    STREAM(READY CALL("4294967296"), "wrong_id", "wrong_id", 0),
    STREAM(READY CALL("00"), "bad_number", "bad_number", 0),
    STREAM(READY CALL("+0"), "bad_number", "bad_number", 0),
    STREAM(READY CALL("0x0"), "bad_number", "bad_number", 0),
    STREAM(READY CALL("NaN"), "bad_syntax", "bad_syntax", 0),
    STREAM(READY CALL("-Infinity"), "bad_number", "bad_number", 0),
    STREAM(READY "{\"type\":\"call\",\"name\":\"add\",\"arguments\":{}}\n",
	"missing_field", "missing_field", 0),
    /* escapes */
    STREAM(READY CALL_WITH("0", "{\"a\":\"\\x41\"}"), "bad_escape",
	"bad_escape", 0),
    STREAM(READY CALL_WITH("0", "{\"a\":\"\\u12g4\"}"), "bad_escape",
	"bad_escape", 0),
    STREAM(READY CALL_WITH("0", "{\"a\":\"\\u0000\",\"\\u0000\":0}"), "open",
	"out_of_turn", 1),
    /* members */
    STREAM(READY "{\"type\":\"log\",\"type\":\"done\",\"value\":1}\n",
	"duplicate_member", "duplicate_member", 0),
    STREAM(READY "{\"type\":\"call\",\"id\":0,\"name\":\"add\","
		 "\"n\\u0061me\":\"rm\",\"arguments\":{}}\n",
	"duplicate_member", "duplicate_member", 0),
    STREAM(READY CALL_WITH("0", "{\"k\":[{\"x\":1,\"x\":2}]}"),
	"duplicate_member", "duplicate_member", 0),
    STREAM(READY "{\"type\":\"call\",\"Type\":\"done\",\"ID\":7,\"id\":0,"
		 "\"name\":\"add\",\"NAME\":\"rm\",\"arguments\":{}}\n" DONE,
	"done", "done", 1),
    STREAM(READY "{\"type\":\"done\",\"value\":1,\"status\":\"ok\","
		 "\"cpu_ms\":0,\"calls\":0,\"limits\":null}\n",
	"done", "done", 0),
    /* shapes */
    STREAM(READY "{\"type\":\"exec\",\"cmd\":\"id\"}\n", "unknown_type",
	"unknown_type", 0),
    STREAM(READY "{\"type\":\"error\",\"value\":1}\n", "unknown_type",
	"unknown_type", 0),
    STREAM(READY "[{\"type\":\"done\",\"value\":1}]\n", "not_object",
	"not_object", 0),
    STREAM(READY "\"done\"\n", "not_object", "not_object", 0),
    STREAM(READY "1\n", "not_object", "not_object", 0),
    STREAM(READY CALL_WITH("0", "\"text\""), "bad_field", "bad_field", 0),
    STREAM(READY CALL_WITH("0", "[]"), "bad_field", "bad_field", 0),
    STREAM(READY CALL_WITH("0", "null"), "bad_field", "bad_field", 0),
    /* turns */
    STREAM(DONE, "out_of_turn", "out_of_turn", 0),
    STREAM(CALL("0") READY, "out_of_turn", "out_of_turn", 0),
    STREAM("{\"type\":\"ready\"}\n", "missing_field", "missing_field", 0),
    STREAM(READY READY, "out_of_turn", "out_of_turn", 0),
    STREAM(READY CALL("0") READY, "out_of_turn", "out_of_turn", 1),
    STREAM(READY "{\"type\":\"reply\",\"id\":0,\"value\":{}}\n", "out_of_turn",
	"out_of_turn", 0),
    STREAM(READY CALL("0") "{\"type\":\"reply\",\"id\":0,\"value\":{}}\n",
	"out_of_turn", "out_of_turn", 1),
    STREAM(READY "{\"type\":\"abort\",\"reason\":\"\"}\n", "out_of_turn",
	"out_of_turn", 0),
    STREAM(READY "{\"type\":\"run\",\"program\":\"\",\"tools\":[],\"limits\":"
		 "{\"frame\":1,\"value\":1,\"arguments\":1}}\n",
	"out_of_turn", "out_of_turn", 0),
    STREAM(READY DONE "{\"type\":\"done\",\"value\":\"other\"}\n", "done",
	"done", 0),
    STREAM(READY DONE "\xff\xff", "done", "done", 0),
};

/* The words that some stream of this file has led to. */
static bool reached[WIRE_ERR_COUNT];

static void
expect_own(const char *name, struct wire_span stream, const char *word,
    const char *twice, uint64_t calls)
{
	unsigned err;

	for (err = 1; err < WIRE_ERR_COUNT; err++) {
		if (strcmp(wire_err_word((enum wire_err)err), word) == 0)
			reached[err] = true;
	}
	expect(name, stream, word, twice, calls);
}

static void
t_each_stream_has_one_outcome(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(streams) / sizeof(streams[0]); i++)
		expect_own(streams[i].name, streams[i].bytes, streams[i].word,
		    streams[i].twice, streams[i].calls);
}

/* A frame whose middle is repeated: {READY}{head}{n times middle}{tail}. */
static void
expect_long(const char *name, const char *head, const char *middle, size_t n,
    const char *tail, const char *word, uint64_t calls)
{
	struct growing g = {NULL, 0, 0};

	grow(&g, "%s%s", READY, head);
	grow_repeat(&g, middle, n);
	grow(&g, "%s", tail);
	expect_own(name, grown(&g), word, word, calls);
	free(g.p);
}

static void
t_large_streams(void **state)
{
	static const char head[] =
	    "{\"type\":\"call\",\"id\":0,\"name\":\"add\",\"arguments\":";
	struct growing g = {NULL, 0, 0};
	unsigned i, bit;

	(void)state;
	expect_long(
	    "blank lines", "", "\n", 200000, "", "stream_blank_lines", 0);
	expect_long("no newline", "{\"type\":\"done\",\"value\":\"", "a",
	    FRAME_MAX, "", "frame_too_long", 0);
	expect_long("open arrays", head, "[", 1000000, "\n", "too_deep", 0);
	expect_long(
	    "open objects", head, "{\"a\":", 200000, "\n", "too_deep", 0);
	expect_long("escapes", "{\"type\":\"done\",\"value\":\"", "\\u0041",
	    150000, "\"}\n", "done", 0);
	expect_long("white space", "{\"type\":\"done\",\"value\":", " ", 900000,
	    "1}\n", "done", 0);
	expect_long("long name", "{\"type\":\"done\",\"value\":{\"", "n",
	    900000, "\":1}}\n", "done", 0);

	grow(&g, "%s%s{", READY, head);
	for (i = 0; i < 60000; i++)
		grow(&g, "%s\"k%u\":%u", i == 0 ? "" : ",", i, i);
	grow(&g, "}}\n%s", DONE);
	expect_own("60,000 members", grown(&g), "done", "done", 1);
	g.len = 0;
	grow(&g, "%s%s{", READY, head);
	for (i = 0; i < 1u << 14; i++) {
		grow(&g, "%s\"", i == 0 ? "" : ",");
		for (bit = 0; bit < 14; bit++)
			grow(&g, (i >> bit & 1) != 0 ? "Ba" : "CB");
		grow(&g, "\":0");
	}
	grow(&g, "}}\n%s", DONE);
	expect_own("prepared names", grown(&g), "done", "done", 1);
	g.len = 0;
	grow(&g, "%s", READY);
	for (i = 0; i < 10000; i++)
		grow(&g,
		    "{\"type\":\"call\",\"id\":%u,\"name\":\"add\","
		    "\"arguments\":{}}\n",
		    i);
	expect_own("a burst of calls", grown(&g), "open", "out_of_turn", 10000);
	free(g.p);
}

/* A frame of exactly the ceiling, and one byte more. */
static void
t_frames_at_and_past_the_ceiling(void **state)
{
	static const char head[] = "{\"type\":\"done\",\"value\":\"";
	size_t over;

	(void)state;
	for (over = 0; over < 2; over++)
		expect_long("ceiling", head, "a",
		    FRAME_MAX - strlen(head) - 2 + over, "\"}\n",
		    over != 0 ? "frame_too_long" : "done", 0);
}

/*
 * Each ceiling alone at what the stream takes and one less: bytes, lines,
 * blank lines, a frame. Several at once are test_frame.c's.
 */
static void
t_ceilings_at_and_below(void **state)
{
	static const char text[] = READY "\n \r\n" CALL("0") DONE;
	static const size_t longest = sizeof(READY) - 2;
	struct wire_span stream = WIRE_LIT(text);

	(void)state;
	ceilings = (struct wire_frame_limits){longest, stream.len, 5, 2};
	expect_own("all at", stream, "done", "done", 1);
	ceilings.frame_max--;
	expect_own("frame", stream, "frame_too_long", "frame_too_long", 0);
	ceilings.frame_max++;
	ceilings.bytes_max--;
	expect_own("bytes", stream, "stream_bytes", "stream_bytes", 1);
	ceilings.bytes_max++;
	ceilings.lines_max--;
	expect_own("lines", stream, "stream_lines", "stream_lines", 1);
	ceilings.lines_max++;
	ceilings.blanks_max--;
	expect_own(
	    "blanks", stream, "stream_blank_lines", "stream_blank_lines", 0);
	ceilings = usual;
}

/* Members of one frame's object at the limit and past it, and of all open
 * objects likewise, which takes a larger frame than there is usually. */
static void
t_members_at_and_past_the_limits(void **state)
{
	struct growing g = {NULL, 0, 0};
	size_t over, i;

	(void)state;
	for (over = 0; over < 2; over++) {
		g.len = 0;
		grow(&g, "%s{\"type\":\"done\",\"value\":1", READY);
		for (i = 2; i < WIRE_MAX_FRAME_MEMBERS + over; i++)
			grow(&g, ",\"m%zu\":0", i);
		grow(&g, "}\n");
		expect_own("frame members", grown(&g),
		    over != 0 ? "too_many_members" : "done",
		    over != 0 ? "too_many_members" : "done", 0);
	}
	ceilings.frame_max = WIRE_MAX_FRAME;
	for (over = 0; over < 2; over++) {
		g.len = 0;
		grow(&g, "%s{\"type\":\"done\",\"value\":{", READY);
		for (i = 2; i < WIRE_MAX_OPEN_MEMBERS + over; i++)
			grow(&g, "%s\"%zx\":0", i == 2 ? "" : ",", i);
		grow(&g, "}}\n");
		assert_string_equal(run(grown(&g), cut_anywhere).word,
		    over != 0 ? "too_many_members" : "done");
	}
	ceilings = usual;
	free(g.p);
}

/*
 * Runs after the streams: what they took. A buffer holds one line and its
 * newline; the table of names 24 bytes for each member that is open, a
 * constant of section 7 of PROTOCOL.md.
 */
static void
t_memory_is_the_ceiling_and_a_constant(void **state)
{
	(void)state;
	assert_in_range(most_buffer, FRAME_MAX + 1, WIRE_MAX_FRAME + 1);
	assert_int_equal(most_keys, WIRE_MAX_OPEN_MEMBERS);
	assert_int_equal(wire_json_scratch_size(1), 24);
	assert_int_equal(
	    wire_json_scratch_size(WIRE_MAX_OPEN_MEMBERS), 24 * WIRE_MIB);
}

/* Runs last: no word of section 8 is without a stream. */
static void
t_every_word_has_a_stream(void **state)
{
	static const enum wire_err words[] = {
#define X(name, word, meaning) WIRE_ERR_##name,
	    WIRE_ERR_STREAM(X) WIRE_ERR_JSON(X) WIRE_ERR_FRAME(X)
#undef X
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (!reached[words[i]])
			fail_msg("no stream of %s", wire_err_word(words[i]));
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(t_each_stream_has_one_outcome),
	    cmocka_unit_test(t_large_streams),
	    cmocka_unit_test(t_frames_at_and_past_the_ceiling),
	    cmocka_unit_test(t_ceilings_at_and_below),
	    cmocka_unit_test(t_members_at_and_past_the_limits),
	    cmocka_unit_test(t_memory_is_the_ceiling_and_a_constant),
	    cmocka_unit_test(t_every_word_has_a_stream),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
