#include "wire_help.h"

#include "wire/json.h"

static struct wire_json_scratch scratch;

static int
setup(void **state)
{
	(void)state;
	scratch_new(&scratch, 1024);
	return 0;
}

static int
teardown(void **state)
{
	(void)state;
	scratch_free(&scratch);
	return 0;
}

/* Scans an exact copy, so that no byte outside can be read unnoticed. */
static enum wire_err
scan(struct wire_span text, unsigned depth, size_t *ret_offset)
{
	struct wire_errinfo info = {NULL, 0, 0};
	struct wire_span copy = exact(text);
	enum wire_json_type type = (enum wire_json_type)99;
	enum wire_err err;

	err = wire_json_scan(copy, depth, &scratch, &type, &info);
	if (err == WIRE_OK)
		assert_in_range(type, WIRE_JSON_NULL, WIRE_JSON_OBJECT);
	else
		assert_int_equal(type, 99);
	*ret_offset = info.offset;
	drop(copy);
	assert_true(scratch_is_clear(&scratch));
	return err;
}

#define CASE(text, err, offset)                                                \
	{                                                                      \
		{(const uint8_t *)(text), sizeof(text) - 1}, WIRE_##err,       \
		    offset                                                     \
	}

struct verdict {
	struct wire_span text;
	enum wire_err err;
	size_t offset;
};

static const struct verdict verdicts[] = {
    /* accepted */
    CASE("null", OK, 0),
    CASE(" \t\r\n true \t\r\n ", OK, 0),
    CASE("-0.5e+10", OK, 0),
    CASE("0", OK, 0),
    CASE("1E400", OK, 0),
    CASE("\"\"", OK, 0),
    CASE("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u0000\\ud83d\\ude00\"", OK, 0),
    CASE("\"\x7f\"", OK, 0),
    CASE("\"\xc2\x80\xdf\xbf\xe0\xa0\x80\xed\x9f\xbf\xee\x80\x80\"", OK, 0),
    CASE("\"\xf0\x90\x80\x80\xf4\x8f\xbf\xbf\xef\xbf\xbf\"", OK, 0),
    CASE("[]", OK, 0),
    CASE("{}", OK, 0),
    CASE("[ ]", OK, 0),
    CASE("[{},[],\"\",0,{\"a\":[1,{\"a\":2}]}]", OK, 0),
    CASE("{\"\":0,\"a\":1,\"A\":2,\"\\u0000\":3,\"a\\u0000\":4}", OK, 0),
    /* ends too early: at the end */
    CASE("", ERR_TRUNCATED, 0),
    CASE("  ", ERR_TRUNCATED, 2),
    CASE("tru", ERR_TRUNCATED, 3),
    CASE("-", ERR_TRUNCATED, 1),
    CASE("1.", ERR_TRUNCATED, 2),
    CASE("1e", ERR_TRUNCATED, 2),
    CASE("1e+", ERR_TRUNCATED, 3),
    CASE("\"", ERR_TRUNCATED, 1),
    CASE("\"a\\", ERR_TRUNCATED, 3),
    CASE("\"\\u12", ERR_TRUNCATED, 5),
    CASE("\"\\ud800", ERR_TRUNCATED, 7),
    CASE("\"\\ud800\\", ERR_TRUNCATED, 8),
    CASE("\"\\ud800\\u", ERR_TRUNCATED, 9),
    CASE("[", ERR_TRUNCATED, 1),
    CASE("[1", ERR_TRUNCATED, 2),
    CASE("[1,", ERR_TRUNCATED, 3),
    CASE("{", ERR_TRUNCATED, 1),
    CASE("{\"a\"", ERR_TRUNCATED, 4),
    CASE("{\"a\":", ERR_TRUNCATED, 5),
    CASE("{\"a\":1", ERR_TRUNCATED, 6),
    CASE("{\"a\":1,", ERR_TRUNCATED, 7),
    /* after the end */
    CASE("1 2", ERR_TRAILING_BYTES, 2),
    CASE("{}{}", ERR_TRAILING_BYTES, 2),
    CASE("[] ]", ERR_TRAILING_BYTES, 3),
    CASE("null\xc3\xa9", ERR_TRAILING_BYTES, 4),
    CASE("nullx", ERR_TRAILING_BYTES, 4),
    /* grammar */
    CASE("nul1", ERR_BAD_SYNTAX, 3),
    CASE("True", ERR_BAD_SYNTAX, 0),
    CASE("NaN", ERR_BAD_SYNTAX, 0),
    CASE("Infinity", ERR_BAD_SYNTAX, 0),
    CASE("'a'", ERR_BAD_SYNTAX, 0),
    CASE("/**/1", ERR_BAD_SYNTAX, 0),
    CASE("\xef\xbb\xbf{}", ERR_BAD_SYNTAX, 0),
    CASE("[\xc2\xa0]", ERR_BAD_SYNTAX, 1),
    CASE("[1\x0b]", ERR_BAD_SYNTAX, 2),
    CASE("[,]", ERR_BAD_SYNTAX, 1),
    CASE("[1,]", ERR_BAD_SYNTAX, 3),
    CASE("[1 1]", ERR_BAD_SYNTAX, 3),
    CASE("[1}", ERR_BAD_SYNTAX, 2),
    CASE("[}", ERR_BAD_SYNTAX, 1),
    CASE("{]", ERR_BAD_SYNTAX, 1),
    CASE("{\"a\":1]", ERR_BAD_SYNTAX, 6),
    CASE("{\"a\",1}", ERR_BAD_SYNTAX, 4),
    CASE("{\"a\" 1}", ERR_BAD_SYNTAX, 5),
    CASE("{\"a\":}", ERR_BAD_SYNTAX, 5),
    CASE("{\"a\":1,}", ERR_BAD_SYNTAX, 7),
    CASE("{a:1}", ERR_BAD_SYNTAX, 1),
    CASE("{1:1}", ERR_BAD_SYNTAX, 1),
    CASE("{,}", ERR_BAD_SYNTAX, 1),
    CASE("]", ERR_BAD_SYNTAX, 0),
    CASE(":", ERR_BAD_SYNTAX, 0),
    /* numbers */
    CASE("+1", ERR_BAD_NUMBER, 0),
    CASE(".5", ERR_BAD_NUMBER, 0),
    CASE("01", ERR_BAD_NUMBER, 1),
    CASE("-01", ERR_BAD_NUMBER, 2),
    CASE("00", ERR_BAD_NUMBER, 1),
    CASE("0x1F", ERR_BAD_NUMBER, 1),
    CASE("1_000", ERR_BAD_NUMBER, 1),
    CASE("1.e5", ERR_BAD_NUMBER, 2),
    CASE("1.5.5", ERR_BAD_NUMBER, 3),
    CASE("1e5.5", ERR_BAD_NUMBER, 3),
    CASE("1e++5", ERR_BAD_NUMBER, 3),
    CASE("--1", ERR_BAD_NUMBER, 1),
    CASE("-Infinity", ERR_BAD_NUMBER, 1),
    CASE("[1a]", ERR_BAD_NUMBER, 2),
    CASE("[-\xef\xbc\x91]", ERR_BAD_NUMBER, 2),
    CASE("[1-1]", ERR_BAD_NUMBER, 2),
    /* escapes */
    CASE("\"\\x41\"", ERR_BAD_ESCAPE, 2),
    CASE("\"\\a\"", ERR_BAD_ESCAPE, 2),
    CASE("\"\\'\"", ERR_BAD_ESCAPE, 2),
    CASE("\"\\U0041\"", ERR_BAD_ESCAPE, 2),
    CASE("\"\\u12g4\"", ERR_BAD_ESCAPE, 5),
    CASE("\"\\u12\"", ERR_BAD_ESCAPE, 5),
    CASE("\"\\u123\xc3\xa9\"", ERR_BAD_ESCAPE, 6),
    CASE("\"\\ud800\\u12 \"", ERR_BAD_ESCAPE, 11),
    /* surrogates */
    CASE("\"\\ud800\"", ERR_LONE_SURROGATE, 1),
    CASE("\"x\\udc00\"", ERR_LONE_SURROGATE, 2),
    CASE("\"\\udbff\\n\"", ERR_LONE_SURROGATE, 1),
    CASE("\"\\ud800\\ud800\\udc00\"", ERR_LONE_SURROGATE, 1),
    CASE("\"\\ud800\\u0041\"", ERR_LONE_SURROGATE, 1),
    CASE("\"\\uDFFF\\uD800\"", ERR_LONE_SURROGATE, 1),
    CASE("\"\\ud800 \\udc00\"", ERR_LONE_SURROGATE, 1),
    /* bytes that are nowhere allowed */
    CASE("\0", ERR_NUL_BYTE, 0),
    CASE("[1\0]", ERR_NUL_BYTE, 2),
    CASE("{}\0", ERR_NUL_BYTE, 2),
    CASE("\"a\0b\"", ERR_NUL_BYTE, 2),
    CASE("\"\\\0\"", ERR_NUL_BYTE, 2),
    CASE("\"\\u0\0\"", ERR_NUL_BYTE, 4),
    CASE("tr\0e", ERR_NUL_BYTE, 2),
    CASE("1\0", ERR_NUL_BYTE, 1),
    CASE("-\0", ERR_NUL_BYTE, 1),
    CASE("{\"a\"\0:1}", ERR_NUL_BYTE, 4),
    CASE("\"\x1f\"", ERR_CONTROL_CHARACTER, 1),
    CASE("\"a\nb\"", ERR_CONTROL_CHARACTER, 2),
    CASE("\"\t\"", ERR_CONTROL_CHARACTER, 1),
    CASE("\"\\\n\"", ERR_CONTROL_CHARACTER, 2),
    CASE("\"\\u00\r0\"", ERR_CONTROL_CHARACTER, 5),
    CASE("\xff", ERR_BAD_UTF8, 0),
    CASE("[\x80]", ERR_BAD_UTF8, 1),
    CASE("1\xfe", ERR_BAD_UTF8, 1),
    CASE("{}\xc3", ERR_BAD_UTF8, 2),
    CASE("\"\xc0\xaf\"", ERR_BAD_UTF8, 1),
    CASE("\"\xc1\xbf\"", ERR_BAD_UTF8, 1),
    CASE("\"a\xe0\x9f\xbf\"", ERR_BAD_UTF8, 2),
    CASE("\"\xed\xa0\x80\"", ERR_BAD_UTF8, 1),
    CASE("\"\xf0\x8f\xbf\xbf\"", ERR_BAD_UTF8, 1),
    CASE("\"\xf4\x90\x80\x80\"", ERR_BAD_UTF8, 1),
    CASE("\"\xf5\x80\x80\x80\"", ERR_BAD_UTF8, 1),
    CASE("\"\xe2\x82\"", ERR_BAD_UTF8, 1),
    CASE("\"\xc3\xa9\xe2\x82", ERR_BAD_UTF8, 3),
    CASE("\"\xe2(\xa1\"", ERR_BAD_UTF8, 1),
    CASE("\"\\\xff\"", ERR_BAD_UTF8, 2),
    /* members */
    CASE("{\"a\":1,\"a\":2}", ERR_DUPLICATE_MEMBER, 7),
    CASE("{\"a\":1,\"\\u0061\":2}", ERR_DUPLICATE_MEMBER, 7),
    CASE("{\"\":1,\"\":2}", ERR_DUPLICATE_MEMBER, 6),
    CASE("{\"/\":1,\"\\/\":2}", ERR_DUPLICATE_MEMBER, 7),
    CASE("{\"\xc3\xa9\":1,\"\\u00e9\":2}", ERR_DUPLICATE_MEMBER, 8),
    CASE("{\"\\ud83d\\ude00\":1,\"\xf0\x9f\x98\x80\":2}", ERR_DUPLICATE_MEMBER,
	18),
    CASE("[{\"x\":{\"b\":1,\"c\":{},\"b\":2}}]", ERR_DUPLICATE_MEMBER, 20),
    CASE("{\"a\":{\"a\":1},\"a\":2}", ERR_DUPLICATE_MEMBER, 13),
};

static void
t_each_text_has_one_verdict(void **state)
{
	size_t i, offset;
	enum wire_err err;

	(void)state;
	for (i = 0; i < sizeof(verdicts) / sizeof(verdicts[0]); i++) {
		const struct verdict *v = &verdicts[i];

		err = scan(v->text, WIRE_MAX_DEPTH, &offset);
		if (err != v->err || (err != WIRE_OK && offset != v->offset))
			fail_msg("%.*s: %s at %zu, not %s at %zu",
			    (int)v->text.len, (const char *)v->text.p,
			    wire_err_word(err), offset, wire_err_word(v->err),
			    v->offset);
	}
}

/* A special byte must be seen wherever it falls in a block of sixteen. */
static void
t_strings_at_every_alignment(void **state)
{
	static const struct {
		const char *piece;
		enum wire_err err;
		size_t offset;
	} pieces[] = {
	    {"\\n", WIRE_OK, 0},
	    {"\xc3\xa9", WIRE_OK, 0},
	    {"\x01", WIRE_ERR_CONTROL_CHARACTER, 0},
	    {"\\q", WIRE_ERR_BAD_ESCAPE, 1},
	    {"\xc3(", WIRE_ERR_BAD_UTF8, 0},
	    {"\xf0\x9f\x98", WIRE_ERR_BAD_UTF8, 0},
	};
	size_t before, after, i, offset;
	enum wire_err err;

	(void)state;
	for (i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
		for (before = 0; before < 40; before++) {
			for (after = 0; after < 20; after++) {
				struct growing g = {NULL, 0, 0};

				grow(&g, "\"");
				grow_repeat(&g, "x", before);
				grow(&g, "%s", pieces[i].piece);
				grow_repeat(&g, "y", after);
				grow(&g, "\"");
				err = scan(grown(&g), 0, &offset);
				assert_int_equal(err, pieces[i].err);
				if (err != WIRE_OK)
					assert_int_equal(offset,
					    1 + before + pieces[i].offset);
				free(g.p);
			}
		}
	}
}

static void
t_space_of_every_length(void **state)
{
	size_t len, offset;

	(void)state;
	for (len = 0; len < 40; len++) {
		struct growing g = {NULL, 0, 0};

		grow_repeat(&g, "\n", len);
		grow(&g, "[");
		grow_repeat(&g, "\t", len);
		grow(&g, "1");
		grow_repeat(&g, "\r", len);
		grow(&g, "]");
		grow_repeat(&g, " ", len);
		assert_int_equal(scan(grown(&g), 1, &offset), WIRE_OK);
		grow(&g, "\v");
		assert_int_equal(
		    scan(grown(&g), 1, &offset), WIRE_ERR_TRAILING_BYTES);
		assert_int_equal(offset, 4 * len + 3);
		free(g.p);
	}
}

static void
t_depth_at_and_past_the_limit(void **state)
{
	static const unsigned limits[] = {0, 1, 2, 63, 64, 65, 128, 255, 256};
	size_t i, offset;

	(void)state;
	for (i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
		struct growing g = {NULL, 0, 0}, over = {NULL, 0, 0};
		unsigned d, n = limits[i];

		for (d = 0; d < n; d++)
			grow(&g, d % 2 != 0 ? "[" : "{\"k\":");
		grow(&g, "1");
		for (d = n; d > 0; d--)
			grow(&g, d % 2 != 0 ? "}" : "]");
		assert_int_equal(scan(grown(&g), n, &offset), WIRE_OK);
		grow(&over, "[%.*s]", (int)g.len, g.p);
		assert_int_equal(
		    scan(grown(&over), n, &offset), WIRE_ERR_TOO_DEEP);
		free(g.p);
		free(over.p);
	}
	/* An empty container counts too. */
	assert_int_equal(scan(WIRE_LIT("[[]]"), 2, &offset), WIRE_OK);
	assert_int_equal(scan(WIRE_LIT("[{}]"), 1, &offset), WIRE_ERR_TOO_DEEP);
	assert_int_equal(offset, 1);
	assert_int_equal(
	    scan(WIRE_LIT("[]"), 257, &offset), WIRE_ERR_BAD_ARGUMENT);
}

static void
t_a_million_brackets_are_no_burden(void **state)
{
	struct growing g = {NULL, 0, 0};
	size_t offset;

	(void)state;
	grow_repeat(&g, "[", 1000000);
	assert_int_equal(
	    scan(grown(&g), WIRE_MAX_DEPTH, &offset), WIRE_ERR_TOO_DEEP);
	assert_int_equal(offset, WIRE_MAX_DEPTH);
	free(g.p);
}

/* Each cut of a good document is truncated at the cut, or good itself. */
static void
t_every_prefix_is_truncated(void **state)
{
	static const char text[] = "{\"k\\u00e9y\":[true,null,{\"a\":-1.5e+3,"
				   "\"b\":\"\\ud83d\\ude00\"}],\"z\":false}";
	size_t len, offset;
	enum wire_err err;

	(void)state;
	for (len = 0; len < sizeof(text) - 1; len++) {
		err = scan((struct wire_span){(const uint8_t *)text, len},
		    WIRE_MAX_DEPTH, &offset);
		assert_int_equal(err, WIRE_ERR_TRUNCATED);
		assert_int_equal(offset, len);
	}
	assert_int_equal(scan(span_of(text), 8, &offset), WIRE_OK);
}

/* --- members ------------------------------------------------------------- */

static void
members(struct growing *g, size_t count, const char *format)
{
	size_t i;

	grow(g, "{");
	for (i = 0; i < count; i++) {
		grow(g, i == 0 ? "\"" : ",\"");
/* The formats are literals of this file, each with one %zu. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
		grow(g, format, i);
#pragma GCC diagnostic pop
		grow(g, "\":%zu", i);
	}
}

/* Around the change from the list to the table, and well into the table. */
static void
t_duplicates_at_every_count(void **state)
{
	size_t count, twin, offset, at;

	(void)state;
	for (count = 1; count < 40; count++) {
		struct growing g = {NULL, 0, 0};

		members(&g, count, "member-%zu");
		grow(&g, "}");
		assert_int_equal(scan(grown(&g), 1, &offset), WIRE_OK);
		for (twin = 0; twin < count; twin++) {
			g.len--;
			at = g.len;
			grow(&g, ",\"m\\u0065mber-%zu\":0}", twin);
			assert_int_equal(scan(grown(&g), 1, &offset),
			    WIRE_ERR_DUPLICATE_MEMBER);
			assert_int_equal(offset, at + 1);
			g.len = at;
			grow(&g, "}");
		}
		free(g.p);
	}
}

/*
 * The same names in objects inside one another, each object past the list,
 * then again after the inner one has closed: nothing may be mixed up.
 */
static void
t_nested_tables_do_not_mix(void **state)
{
	struct growing g = {NULL, 0, 0};
	size_t d, offset;

	(void)state;
	for (d = 0; d < 8; d++) {
		members(&g, 20, "name%zu");
		grow(&g, ",\"inner\":");
	}
	grow(&g, "{}");
	for (d = 0; d < 8; d++)
		grow(&g, ",\"later\":1}");
	assert_int_equal(scan(grown(&g), 9, &offset), WIRE_OK);
	/* In the outermost, after all the others have gone. */
	g.len--;
	grow(&g, ",\"name7\":1}");
	assert_int_equal(
	    scan(grown(&g), 9, &offset), WIRE_ERR_DUPLICATE_MEMBER);
	assert_int_equal(offset, g.len - strlen("\"name7\":1}"));
	free(g.p);
}

/*
 * The same names twice in a table that is half full, under many seeds: the
 * search for one object's name comes across the other's.
 */
static void
t_crowded_tables_do_not_mix(void **state)
{
	struct growing g = {NULL, 0, 0};
	struct wire_json_scratch own;
	enum wire_json_type type;
	uint64_t seed;

	(void)state;
	members(&g, 30, "n%zu");
	grow(&g, ",\"inner\":");
	members(&g, 30, "n%zu");
	grow(&g, "}}");
	for (seed = 0; seed < 500; seed++) {
		scratch_new(&own, 64);
		own.seed = seed;
		assert_int_equal(
		    wire_json_scan(grown(&g), 2, &own, &type, NULL), WIRE_OK);
		assert_true(scratch_is_clear(&own));
		scratch_free(&own);
	}
	free(g.p);
}

/* Names of every length, apart in their last byte only, and their prefixes. */
static void
t_names_of_every_length(void **state)
{
	struct growing g = {NULL, 0, 0};
	size_t len, offset;

	(void)state;
	grow(&g, "{\"\":0");
	for (len = 0; len < 64; len++) {
		grow(&g, ",\"");
		grow_repeat(&g, "n", len);
		grow(&g, "a\":1,\"");
		grow_repeat(&g, "n", len);
		grow(&g, "b\":2,\"");
		grow_repeat(&g, "n", len + 1);
		grow(&g, "\":3");
	}
	grow(&g, "}");
	assert_int_equal(scan(grown(&g), 1, &offset), WIRE_OK);
	free(g.p);
	/* The same name plain and all in escapes. */
	for (len = 0; len < 40; len++) {
		struct growing twin = {NULL, 0, 0};

		grow(&twin, "{\"");
		grow_repeat(&twin, "n", len);
		grow(&twin, "\":1,\"");
		grow_repeat(&twin, "\\u006e", len);
		grow(&twin, "\":2}");
		assert_int_equal(
		    scan(grown(&twin), 1, &offset), WIRE_ERR_DUPLICATE_MEMBER);
		free(twin.p);
	}
}

static enum wire_err
scan_with(struct wire_span text, size_t keys_max)
{
	struct wire_json_scratch own;
	struct wire_errinfo info;
	enum wire_json_type type;
	enum wire_err err;

	scratch_new(&own, keys_max);
	err = wire_json_scan(text, WIRE_MAX_DEPTH, &own, &type, &info);
	assert_true(scratch_is_clear(&own));
	scratch_free(&own);
	return err;
}

static void
t_a_small_table_asks_for_more(void **state)
{
	struct growing g = {NULL, 0, 0};

	(void)state;
	members(&g, 16, "k%zu");
	grow(&g, "}");
	assert_int_equal(scan_with(grown(&g), 16), WIRE_OK);
	g.len--;
	grow(&g, ",\"one more\":1}");
	assert_int_equal(scan_with(grown(&g), 16), WIRE_ERR_NEED_SCRATCH);
	assert_int_equal(scan_with(grown(&g), 32), WIRE_OK);
	/* Open at one time is what counts, not the sum. */
	g.len = 0;
	grow(&g, "[{\"a\":1,\"b\":2}");
	grow_repeat(&g, ",{\"a\":1,\"b\":2}", 100);
	grow(&g, "]");
	assert_int_equal(scan_with(grown(&g), 16), WIRE_OK);
	free(g.p);
}

static void
t_open_members_at_and_past_the_limit(void **state)
{
	struct growing g = {NULL, 0, 0};

	(void)state;
	members(&g, WIRE_MAX_OPEN_MEMBERS, "%zx");
	grow(&g, "}");
	assert_int_equal(scan_with(grown(&g), WIRE_MAX_OPEN_MEMBERS), WIRE_OK);
	g.len--;
	grow(&g, ",\"z\":1}");
	assert_int_equal(scan_with(grown(&g), WIRE_MAX_OPEN_MEMBERS),
	    WIRE_ERR_TOO_MANY_MEMBERS);
	free(g.p);
}

/*
 * 2^14 names that a polynomial hash with factor 31 cannot tell apart: fourteen
 * choices between two pieces of equal value.
 */
static void
t_prepared_collisions_are_no_burden(void **state)
{
	struct growing g = {NULL, 0, 0};
	unsigned i, bit;

	(void)state;
	grow(&g, "{");
	for (i = 0; i < 1u << 14; i++) {
		grow(&g, i == 0 ? "\"" : ",\"");
		for (bit = 0; bit < 14; bit++)
			grow(&g, (i >> bit & 1) != 0 ? "Aa" : "BB");
		grow(&g, "\":0");
	}
	grow(&g, "}");
	assert_int_equal(scan_with(grown(&g), 1u << 14), WIRE_OK);
	free(g.p);
}

/* Another seed must give another order, and the same verdicts. */
static void
t_the_seed_does_not_show(void **state)
{
	struct growing g = {NULL, 0, 0};
	struct wire_json_scratch own;
	enum wire_json_type type;
	struct wire_errinfo info;
	uint64_t seed;

	(void)state;
	members(&g, 600, "seed %zu");
	grow(&g, ",\"seed 399\":1}");
	for (seed = 0; seed < 50; seed++) {
		scratch_new(&own, 1024);
		own.seed = seed;
		assert_int_equal(
		    wire_json_scan(grown(&g), 1, &own, &type, &info),
		    WIRE_ERR_DUPLICATE_MEMBER);
		assert_int_equal(info.offset, g.len - 13);
		assert_true(scratch_is_clear(&own));
		scratch_free(&own);
	}
	free(g.p);
}

/* --- handing out the members --------------------------------------------- */

static void
t_members_come_in_order(void **state)
{
	static const char text[] =
	    " { \"a\" : [1, 2] , \"b\\n\":\"x\",\"c\":{\"d\":{}},\"e\":-1 ,"
	    "\"f\":true,\"g\":false,\"h\":null, \"i\": [] }";
	static const struct {
		const char *key, *value;
		enum wire_json_type type;
	} want[] = {
	    {"a", "[1, 2]", WIRE_JSON_ARRAY},
	    {"b\\n", "\"x\"", WIRE_JSON_STRING},
	    {"c", "{\"d\":{}}", WIRE_JSON_OBJECT},
	    {"e", "-1", WIRE_JSON_NUMBER},
	    {"f", "true", WIRE_JSON_TRUE},
	    {"g", "false", WIRE_JSON_FALSE},
	    {"h", "null", WIRE_JSON_NULL},
	    {"i", "[]", WIRE_JSON_ARRAY},
	};
	struct wire_json_member got[8];
	size_t count, i;

	(void)state;
	assert_int_equal(wire_json_scan_object(
			     span_of(text), 8, &scratch, got, 8, &count, NULL),
	    WIRE_OK);
	assert_int_equal(count, 8);
	for (i = 0; i < 8; i++) {
		assert_true(wire_span_equal(got[i].key, span_of(want[i].key)));
		assert_true(
		    wire_span_equal(got[i].value, span_of(want[i].value)));
		assert_int_equal(got[i].type, want[i].type);
		assert_int_equal(got[i].key_escaped, i == 1);
	}
	assert_int_equal(wire_json_scan_object(
			     WIRE_LIT("{}"), 8, &scratch, got, 8, &count, NULL),
	    WIRE_OK);
	assert_int_equal(count, 0);
}

static void
t_members_at_and_past_the_limit(void **state)
{
	struct wire_json_member got[3];
	struct wire_errinfo info;
	size_t count = 77;

	(void)state;
	assert_int_equal(
	    wire_json_scan_object(WIRE_LIT("{\"a\":{\"x\":1,\"y\":1,\"z\":1,"
					   "\"w\":1},\"b\":2,\"c\":3}"),
		8, &scratch, got, 3, &count, NULL),
	    WIRE_OK);
	assert_int_equal(count, 3);
	count = 77;
	assert_int_equal(
	    wire_json_scan_object(WIRE_LIT("{\"a\":1,\"b\":2,\"c\":3,\"d\":4}"),
		8, &scratch, got, 3, &count, &info),
	    WIRE_ERR_TOO_MANY_MEMBERS);
	assert_int_equal(info.offset, 19);
	assert_int_equal(count, 77);
}

static void
t_only_objects_have_members(void **state)
{
	static const char *const others[] = {
	    "[1", "\"a", "12", "-", "true", "false", "null"};
	struct wire_json_member got[3];
	struct wire_errinfo info;
	size_t count, i;

	(void)state;
	for (i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		struct growing g = {NULL, 0, 0};

		grow(&g, "  %s", others[i]);
		assert_int_equal(wire_json_scan_object(grown(&g), 8, &scratch,
				     got, 3, &count, &info),
		    WIRE_ERR_NOT_OBJECT);
		assert_int_equal(info.offset, 2);
		free(g.p);
	}
	assert_int_equal(wire_json_scan_object(
			     WIRE_LIT("x"), 8, &scratch, got, 3, &count, &info),
	    WIRE_ERR_BAD_SYNTAX);
}

/* --- strings and numbers of accepted texts ------------------------------- */

static void
t_unescape(void **state)
{
	static const char raw[] =
	    "a\\\"\\\\\\/"
	    "\\b\\f\\n\\r\\tz\\u0000\\u00e9\\u20AC\\ud83d\\ude00\xc3\xa9";
	static const char want[] =
	    "a\"\\/\b\f\n\r\tz\0\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\xc3\xa9";
	uint8_t out[64];
	size_t len, max;

	(void)state;
	assert_int_equal(
	    wire_json_unescape(WIRE_LIT(raw), out, sizeof(out), &len), WIRE_OK);
	assert_int_equal(len, sizeof(want) - 1);
	assert_memory_equal(out, want, len);
	for (max = 0; max < sizeof(want) - 1; max++)
		assert_int_equal(
		    wire_json_unescape(WIRE_LIT(raw), out, max, &len),
		    WIRE_ERR_NO_SPACE);
	assert_int_equal(
	    wire_json_unescape(WIRE_LIT(raw), out, sizeof(want) - 1, &len),
	    WIRE_OK);
	assert_int_equal(
	    wire_json_unescape(WIRE_LIT(""), out, 0, &len), WIRE_OK);
	assert_int_equal(len, 0);
}

static void
t_text_equal(void **state)
{
	(void)state;
	assert_true(wire_json_text_equal(WIRE_LIT(""), WIRE_LIT("")));
	assert_true(wire_json_text_equal(WIRE_LIT("type"), WIRE_LIT("type")));
	assert_true(
	    wire_json_text_equal(WIRE_LIT("t\\u0079pe"), WIRE_LIT("type")));
	assert_true(
	    wire_json_text_equal(WIRE_LIT("\\u00e9"), WIRE_LIT("\xc3\xa9")));
	assert_true(
	    wire_json_text_equal(WIRE_LIT("a\\u0000"), WIRE_LIT("a\0")));
	assert_false(wire_json_text_equal(WIRE_LIT("type"), WIRE_LIT("typ")));
	assert_false(wire_json_text_equal(WIRE_LIT("typ"), WIRE_LIT("type")));
	assert_false(wire_json_text_equal(WIRE_LIT("Type"), WIRE_LIT("type")));
	assert_false(wire_json_text_equal(WIRE_LIT("a\\u0000"), WIRE_LIT("a")));
	assert_false(wire_json_text_equal(WIRE_LIT("\\\\n"), WIRE_LIT("\n")));
}

static void
t_plain_uint(void **state)
{
	static const char *const bad[] = {"", "-1", "-0", "+1", "01", "00",
	    "1.0", "1e2", " 1", "1 ", "18446744073709551616",
	    "99999999999999999999", "0x1"};
	uint64_t value = 5;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_false(
		    wire_json_plain_uint(span_of(bad[i]), UINT64_MAX, &value));
		assert_int_equal(value, 5);
	}
	assert_true(wire_json_plain_uint(
	    WIRE_LIT("18446744073709551615"), UINT64_MAX, &value));
	assert_true(value == UINT64_MAX);
	assert_true(wire_json_plain_uint(WIRE_LIT("0"), 0, &value));
	assert_int_equal(value, 0);
	assert_false(wire_json_plain_uint(WIRE_LIT("1"), 0, &value));
	assert_true(wire_json_plain_uint(
	    WIRE_LIT("9007199254740991"), WIRE_MAX_ID, &value));
	assert_false(wire_json_plain_uint(
	    WIRE_LIT("9007199254740992"), WIRE_MAX_ID, &value));
}

/* --- the walk ------------------------------------------------------------ */

static void
t_cursor_gives_every_token(void **state)
{
	static const char text[] =
	    "{\"a\\\"\\\\\":[1,-2.5e3,\"x\\\\\",true],\"b\":{\"\":{}},"
	    "\"c\" : null , \"d\":[[],false]}";
	static const struct {
		enum wire_json_token token;
		const char *text;
	} want[] = {
	    {WIRE_TOK_OBJECT_BEGIN, NULL},
	    {WIRE_TOK_KEY, "a\\\"\\\\"},
	    {WIRE_TOK_ARRAY_BEGIN, NULL},
	    {WIRE_TOK_NUMBER, "1"},
	    {WIRE_TOK_NUMBER, "-2.5e3"},
	    {WIRE_TOK_STRING, "x\\\\"},
	    {WIRE_TOK_TRUE, NULL},
	    {WIRE_TOK_ARRAY_END, NULL},
	    {WIRE_TOK_KEY, "b"},
	    {WIRE_TOK_OBJECT_BEGIN, NULL},
	    {WIRE_TOK_KEY, ""},
	    {WIRE_TOK_OBJECT_BEGIN, NULL},
	    {WIRE_TOK_OBJECT_END, NULL},
	    {WIRE_TOK_OBJECT_END, NULL},
	    {WIRE_TOK_KEY, "c"},
	    {WIRE_TOK_NULL, NULL},
	    {WIRE_TOK_KEY, "d"},
	    {WIRE_TOK_ARRAY_BEGIN, NULL},
	    {WIRE_TOK_ARRAY_BEGIN, NULL},
	    {WIRE_TOK_ARRAY_END, NULL},
	    {WIRE_TOK_FALSE, NULL},
	    {WIRE_TOK_ARRAY_END, NULL},
	    {WIRE_TOK_OBJECT_END, NULL},
	    {WIRE_TOK_END, NULL},
	    {WIRE_TOK_END, NULL},
	};
	struct wire_json_cursor cursor;
	struct wire_span got;
	size_t i;

	(void)state;
	wire_json_cursor_init(&cursor, span_of(text));
	for (i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		assert_int_equal(
		    wire_json_cursor_next(&cursor, &got), want[i].token);
		if (want[i].text != NULL)
			assert_true(
			    wire_span_equal(got, span_of(want[i].text)));
	}
}

/* Bytes that no scan has accepted: it ends, and inside the bytes. */
static void
t_cursor_survives_anything(void **state)
{
	static const char alphabet[] = "{}[]:,\"\\ntf0-e \xff\x01";
	uint64_t random = 7;
	unsigned round;

	(void)state;
	for (round = 0; round < 20000; round++) {
		struct wire_json_cursor cursor;
		struct wire_span copy, got;
		uint8_t text[40];
		size_t len = random_below(&random, sizeof(text)), i;

		for (i = 0; i < len; i++)
			text[i] = (uint8_t)alphabet[random_below(
			    &random, sizeof(alphabet) - 1)];
		copy = exact((struct wire_span){text, len});
		wire_json_cursor_init(&cursor, copy);
		for (i = 0;
		     wire_json_cursor_next(&cursor, &got) != WIRE_TOK_END; i++)
			assert_true(i < len);
		drop(copy);
	}
}

static void
t_cursor_stops_at_its_depth(void **state)
{
	struct wire_json_cursor cursor;
	struct growing g = {NULL, 0, 0};
	struct wire_span got;
	size_t i;

	(void)state;
	grow_repeat(&g, "[", WIRE_MAX_DEPTH + 1);
	wire_json_cursor_init(&cursor, grown(&g));
	for (i = 0; i < WIRE_MAX_DEPTH; i++)
		assert_int_equal(
		    wire_json_cursor_next(&cursor, &got), WIRE_TOK_ARRAY_BEGIN);
	assert_int_equal(wire_json_cursor_next(&cursor, &got), WIRE_TOK_END);
	assert_int_equal(wire_json_cursor_next(&cursor, &got), WIRE_TOK_END);
	free(g.p);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(t_each_text_has_one_verdict),
	    cmocka_unit_test(t_strings_at_every_alignment),
	    cmocka_unit_test(t_space_of_every_length),
	    cmocka_unit_test(t_depth_at_and_past_the_limit),
	    cmocka_unit_test(t_a_million_brackets_are_no_burden),
	    cmocka_unit_test(t_every_prefix_is_truncated),
	    cmocka_unit_test(t_duplicates_at_every_count),
	    cmocka_unit_test(t_nested_tables_do_not_mix),
	    cmocka_unit_test(t_crowded_tables_do_not_mix),
	    cmocka_unit_test(t_names_of_every_length),
	    cmocka_unit_test(t_a_small_table_asks_for_more),
	    cmocka_unit_test(t_open_members_at_and_past_the_limit),
	    cmocka_unit_test(t_prepared_collisions_are_no_burden),
	    cmocka_unit_test(t_the_seed_does_not_show),
	    cmocka_unit_test(t_members_come_in_order),
	    cmocka_unit_test(t_members_at_and_past_the_limit),
	    cmocka_unit_test(t_only_objects_have_members),
	    cmocka_unit_test(t_unescape),
	    cmocka_unit_test(t_text_equal),
	    cmocka_unit_test(t_plain_uint),
	    cmocka_unit_test(t_cursor_gives_every_token),
	    cmocka_unit_test(t_cursor_survives_anything),
	    cmocka_unit_test(t_cursor_stops_at_its_depth),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
