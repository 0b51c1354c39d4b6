#include "wire_help.h"

#include "wire/utf8.h"

/* A second, slow opinion: decode, then compare with the shortest form. */
static size_t
slow_char(const uint8_t *p, size_t len)
{
	uint32_t code;
	size_t n, i;

	if (p[0] < 0x80)
		return 1;
	if (p[0] >= 0xc0 && p[0] < 0xe0) {
		n = 2;
		code = p[0] & 0x1f;
	} else if (p[0] >= 0xe0 && p[0] < 0xf0) {
		n = 3;
		code = p[0] & 0x0f;
	} else if (p[0] >= 0xf0 && p[0] < 0xf8) {
		n = 4;
		code = p[0] & 0x07;
	} else {
		return 0;
	}
	if (n > len)
		return 0;
	for (i = 1; i < n; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (p[i] & 0x3f);
	}
	if (code < (n == 2 ? 0x80u : n == 3 ? 0x800u : 0x10000u))
		return 0;
	if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
		return 0;
	return n;
}

/* All sequences of up to three bytes, and of four with chosen ends. */
static void
t_agrees_with_the_definition(void **state)
{
	static const uint8_t last[] = {
	    0x00, 0x41, 0x7f, 0x80, 0xbf, 0xc0, 0xff};
	uint8_t text[4];
	size_t len, i, n, step;
	unsigned a, b, c;
	bool ok;

	(void)state;
	for (a = 0; a < 256; a++) {
		for (b = 0; b < 256; b++) {
			for (c = 0; c < sizeof(last) * sizeof(last); c++) {
				text[0] = (uint8_t)a;
				text[1] = (uint8_t)b;
				text[2] = last[c % sizeof(last)];
				text[3] = last[c / sizeof(last)];
				for (len = 1; len <= 4; len++) {
					n = slow_char(text, len);
					step = wire_utf8_step(
					    (struct wire_span){text, len}, &ok);
					assert_int_equal(ok, n != 0);
					if (ok)
						assert_int_equal(step, n);
					assert_in_range(step, 1, 4);
					assert_true(step <= len);
					for (i = 0; !ok && i < step - 1; i++)
						assert_true(text[i] >= 0x80);
				}
			}
		}
	}
}

static void
t_ill_formed_parts_are_maximal(void **state)
{
	static const struct {
		const char *text;
		size_t step;
	} parts[] = {
	    {"\x80", 1},
	    {"\xc0\xaf", 1},
	    {"\xc2", 1},
	    {"\xc2"
	     "A",
		1},
	    {"\xe0\x80\x80", 1},
	    {"\xe0\xa0", 2},
	    {"\xe2\x82"
	     "A",
		2},
	    {"\xed\xa0\x80", 1},
	    {"\xf0\x80\x80\x80", 1},
	    {"\xf0\x9f\x98", 3},
	    {"\xf0\x9f\x98"
	     "A",
		3},
	    {"\xf0\x9f\xf0", 2},
	    {"\xf4\x90\x80\x80", 1},
	    {"\xf5", 1},
	    {"\xff", 1},
	};
	size_t i;
	bool ok;

	(void)state;
	for (i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		struct wire_span copy = exact(span_of(parts[i].text));

		assert_int_equal(wire_utf8_step(copy, &ok), parts[i].step);
		assert_false(ok);
		drop(copy);
	}
}

static void
t_valid_prefix(void **state)
{
	(void)state;
	assert_int_equal(wire_utf8_valid_prefix(WIRE_LIT("")), 0);
	assert_int_equal(wire_utf8_valid_prefix(WIRE_LIT("plain")), 5);
	assert_int_equal(
	    wire_utf8_valid_prefix(WIRE_LIT("\0\xc3\xa9\xf0\x9f\x98\x80")), 7);
	assert_int_equal(wire_utf8_valid_prefix(WIRE_LIT("ab\xc3")), 2);
	assert_int_equal(wire_utf8_valid_prefix(WIRE_LIT("ab\xed\xa0\x80")), 2);
}

/* By the definition: a cut is bad when a good character covers it. */
static bool
splits(struct wire_span text, size_t at)
{
	size_t begin, n;

	for (begin = at < 3 ? 0 : at - 3; begin < at && at < text.len;
	     begin++) {
		n = slow_char(text.p + begin, text.len - begin);
		if (n > 1 && begin + n > at)
			return true;
	}
	return false;
}

static void
t_cuts_do_not_split(void **state)
{
	static const uint8_t bytes[] = {'a', 0xc3, 0xa9, 0xe2, 0x82, 0xac, 0xf0,
	    0x9f, 0x98, 0x80, 0x80, 0xff};
	uint8_t text[12];
	uint64_t random = 3;
	size_t i, len, at, n;
	unsigned round;

	(void)state;
	for (round = 0; round < 50000; round++) {
		struct wire_span span = {text, 0};

		len = random_below(&random, sizeof(text) + 1);
		span.len = len;
		/* Runs of the list give whole characters often enough. */
		at = random_below(&random, sizeof(bytes));
		for (i = 0; i < len; i++) {
			text[i] = bytes[at];
			at = random_below(&random, 5) == 0
			    ? random_below(&random, sizeof(bytes))
			    : (at + 1) % sizeof(bytes);
		}
		for (at = 0; at <= len + 2; at++) {
			for (n = at < len ? at : len; splits(span, n); n--)
				;
			assert_int_equal(wire_utf8_floor(span, at), n);
			for (n = at < len ? at : len; splits(span, n); n++)
				;
			assert_int_equal(wire_utf8_ceil(span, at), n);
		}
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(t_agrees_with_the_definition),
	    cmocka_unit_test(t_ill_formed_parts_are_maximal),
	    cmocka_unit_test(t_valid_prefix),
	    cmocka_unit_test(t_cuts_do_not_split),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
