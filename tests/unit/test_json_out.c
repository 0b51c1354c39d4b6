#include "wire_help.h"

#include "wire/json_out.h"

static uint8_t buf[4096];

static void
expect(struct wire_out *out, const char *want)
{
	size_t len = 0;

	assert_int_equal(wire_out_finish(out, &len), WIRE_OK);
	assert_int_equal(len, strlen(want));
	assert_memory_equal(buf, want, len);
}

static void
expect_error(struct wire_out *out, enum wire_err err)
{
	size_t len = 4711;

	assert_int_equal(wire_out_finish(out, &len), err);
	assert_int_equal(len, 4711);
}

static void
everything(struct wire_out *out)
{
	wire_out_begin_object(out);
	wire_out_key(out, "a");
	wire_out_uint(out, 0);
	wire_out_key(out, "b\n");
	wire_out_begin_array(out);
	wire_out_null(out);
	wire_out_bool(out, true);
	wire_out_bool(out, false);
	wire_out_int(out, -5);
	wire_out_begin_object(out);
	wire_out_end_object(out);
	wire_out_begin_array(out);
	wire_out_end_array(out);
	wire_out_text(out, "x");
	wire_out_end_array(out);
	wire_out_key_span(out, WIRE_LIT("c\0"));
	wire_out_raw(out, WIRE_LIT("[1,\n 2\n]"));
	wire_out_key(out, "d");
	wire_out_raw_string(out, WIRE_LIT("\\n"));
	wire_out_end_object(out);
	wire_out_newline(out);
}

static const char everything_text[] =
    "{\"a\":0,\"b\\n\":[null,true,false,-5,{},[],\"x\"],"
    "\"c\\u0000\":[1,  2 ],\"d\":\"\\n\"}\n";

static void
t_separators_appear_by_themselves(void **state)
{
	struct wire_out out;

	(void)state;
	wire_out_init(&out, buf, sizeof(buf));
	everything(&out);
	expect(&out, everything_text);
	everything(&out);
	wire_out_init(&out, buf, sizeof(buf));
	everything(&out);
	everything(&out);
	assert_int_equal(out.err, WIRE_OK);
	assert_int_equal(out.len, 2 * strlen(everything_text));
}

/* Each size too small says so, and nothing is written past it. */
static void
t_every_size_of_buffer(void **state)
{
	size_t max, len;

	(void)state;
	for (max = 0; max <= strlen(everything_text); max++) {
		uint8_t *own = must_alloc(max);
		struct wire_out out;

		wire_out_init(&out, own, max);
		everything(&out);
		assert_int_equal(wire_out_finish(&out, &len),
		    max < strlen(everything_text) ? WIRE_ERR_NO_SPACE
						  : WIRE_OK);
		free(own);
	}
}

static void
t_integers(void **state)
{
	struct wire_out out;

	(void)state;
	wire_out_init(&out, buf, sizeof(buf));
	wire_out_begin_array(&out);
	wire_out_uint(&out, UINT64_MAX);
	wire_out_int(&out, INT64_MIN);
	wire_out_int(&out, INT64_MAX);
	wire_out_int(&out, 0);
	wire_out_end_array(&out);
	expect(&out,
	    "[18446744073709551615,-9223372036854775808,"
	    "9223372036854775807,0]");
}

/* Every byte, as text and as bytes: what comes out is a JSON string. */
static void
t_every_byte_is_escaped_as_needed(void **state)
{
	struct wire_json_scratch scratch;
	enum wire_json_type type;
	struct wire_out out;
	unsigned byte;
	size_t len;

	(void)state;
	scratch_new(&scratch, 16);
	for (byte = 0; byte < 256; byte++) {
		uint8_t text[3] = {'a', (uint8_t)byte, 'b'};
		uint8_t back[8];

		wire_out_init(&out, buf, sizeof(buf));
		wire_out_lossy_string(&out, (struct wire_span){text, 3});
		assert_int_equal(wire_out_finish(&out, &len), WIRE_OK);
		assert_int_equal(wire_json_scan((struct wire_span){buf, len}, 0,
				     &scratch, &type, NULL),
		    WIRE_OK);
		assert_int_equal(
		    wire_json_unescape((struct wire_span){buf + 1, len - 2},
			back, sizeof(back), &len),
		    WIRE_OK);
		if (byte < 0x80) {
			assert_int_equal(len, 3);
			assert_memory_equal(back, text, 3);
		} else {
			assert_int_equal(len, 5);
			assert_memory_equal(back,
			    "a\xef\xbf\xbd"
			    "b",
			    5);
		}
		wire_out_init(&out, buf, sizeof(buf));
		wire_out_string(&out, (struct wire_span){text, 3});
		assert_int_equal(wire_out_finish(&out, &len),
		    byte < 0x80 ? WIRE_OK : WIRE_ERR_BAD_UTF8);
	}
	scratch_free(&scratch);
}

static void
t_escapes_are_the_short_ones(void **state)
{
	struct wire_out out;

	(void)state;
	wire_out_init(&out, buf, sizeof(buf));
	wire_out_string(&out, WIRE_LIT("\"\\/\b\f\n\r\t\x01\x1f\x7f\xc3\xa9"));
	expect(&out, "\"\\\"\\\\/\\b\\f\\n\\r\\t\\u0001\\u001f\x7f\xc3\xa9\"");
}

static void
t_lossy_replaces_maximal_parts(void **state)
{
	struct wire_out out;

	(void)state;
	wire_out_init(&out, buf, sizeof(buf));
	wire_out_lossy_string(&out,
	    WIRE_LIT("\xf0\x9f\x98"
		     "A\xed\xa0\x80\xc3\xa9\xff"));
	expect(&out,
	    "\"\xef\xbf\xbd"
	    "A\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"
	    "\xc3\xa9\xef\xbf\xbd\"");
}

static void
t_cut_strings_end_between_characters(void **state)
{
	static const char text[] = "ab\n\xe2\x82\xac\x01z";
	static const char *const want[] = {"\"\"", "\"a\"", "\"ab\"", "\"ab\"",
	    "\"ab\\n\"", "\"ab\\n\"", "\"ab\\n\"", "\"ab\\n\xe2\x82\xac\"",
	    "\"ab\\n\xe2\x82\xac\"", "\"ab\\n\xe2\x82\xac\"",
	    "\"ab\\n\xe2\x82\xac\"", "\"ab\\n\xe2\x82\xac\"",
	    "\"ab\\n\xe2\x82\xac\"", "\"ab\\n\xe2\x82\xac\\u0001\"",
	    "\"ab\\n\xe2\x82\xac\\u0001z\"", "\"ab\\n\xe2\x82\xac\\u0001z\""};
	struct wire_out out;
	size_t max;

	(void)state;
	for (max = 0; max < sizeof(want) / sizeof(want[0]); max++) {
		wire_out_init(&out, buf, sizeof(buf));
		wire_out_cut_string(&out, WIRE_LIT(text), max);
		expect(&out, want[max]);
	}
}

/* The first error stays, and nothing is written after it. */
static void
t_errors_latch(void **state)
{
	struct wire_out out;
	size_t len;

	(void)state;
	wire_out_init(&out, buf, sizeof(buf));
	wire_out_string(&out, WIRE_LIT("\xff"));
	len = out.len;
	wire_out_end_array(&out);
	wire_out_text(&out, "x");
	assert_int_equal(out.len, len);
	expect_error(&out, WIRE_ERR_BAD_UTF8);
}

static void
t_no_newline_inside_a_frame(void **state)
{
	struct wire_out out;

	(void)state;
	wire_out_init(&out, buf, sizeof(buf));
	wire_out_begin_array(&out);
	wire_out_newline(&out);
	expect_error(&out, WIRE_ERR_BAD_ARGUMENT);

	wire_out_init(&out, buf, sizeof(buf));
	wire_out_raw_string(&out, WIRE_LIT("a\nb"));
	expect_error(&out, WIRE_ERR_BAD_ARGUMENT);

	wire_out_init(&out, buf, sizeof(buf));
	wire_out_raw(&out, WIRE_LIT("[\n\n]"));
	expect(&out, "[  ]");
}

static void
t_misuse_is_an_error(void **state)
{
	struct wire_out out;
	unsigned i;

	(void)state;
	wire_out_init(&out, buf, sizeof(buf));
	wire_out_end_object(&out);
	expect_error(&out, WIRE_ERR_BAD_ARGUMENT);

	wire_out_init(&out, buf, sizeof(buf));
	wire_out_begin_object(&out);
	expect_error(&out, WIRE_ERR_BAD_ARGUMENT);

	wire_out_init(&out, buf, sizeof(buf));
	wire_out_null(&out);
	wire_out_null(&out);
	expect_error(&out, WIRE_ERR_BAD_ARGUMENT);

	wire_out_init(&out, buf, sizeof(buf));
	wire_out_raw(&out, WIRE_LIT(""));
	expect_error(&out, WIRE_ERR_BAD_ARGUMENT);

	for (i = WIRE_MAX_DEPTH; i <= WIRE_MAX_DEPTH + 1; i++) {
		unsigned k;

		wire_out_init(&out, buf, sizeof(buf));
		for (k = 0; k < i; k++)
			wire_out_begin_array(&out);
		assert_int_equal(
		    out.err, i > WIRE_MAX_DEPTH ? WIRE_ERR_TOO_DEEP : WIRE_OK);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(t_separators_appear_by_themselves),
	    cmocka_unit_test(t_every_size_of_buffer),
	    cmocka_unit_test(t_integers),
	    cmocka_unit_test(t_every_byte_is_escaped_as_needed),
	    cmocka_unit_test(t_escapes_are_the_short_ones),
	    cmocka_unit_test(t_lossy_replaces_maximal_parts),
	    cmocka_unit_test(t_cut_strings_end_between_characters),
	    cmocka_unit_test(t_errors_latch),
	    cmocka_unit_test(t_no_newline_inside_a_frame),
	    cmocka_unit_test(t_misuse_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
