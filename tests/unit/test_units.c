#include "supervisor/units.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* cmocka wants the headers above it first */
#include <cmocka.h>

#define TIME  SUP_UNIT_TIME
#define SIZE  SUP_UNIT_SIZE
#define COUNT SUP_UNIT_COUNT

static enum wire_err
parse(enum sup_unit unit, const char *text, uint64_t *ret_value,
    struct wire_errinfo *info)
{
	/* A block of the exact size: reading past the end would be seen. */
	const size_t len = strlen(text);
	uint8_t *block = malloc(len + (len == 0));
	enum wire_err err;

	assert_non_null(block);
	memcpy(block, text, len);
	err = sup_units_parse(
	    unit, (struct wire_span){block, len}, ret_value, info);
	free(block);
	return err;
}

static void
t_good_values(void **state)
{
	static const struct {
		enum sup_unit unit;
		const char *text;
		uint64_t value;
	} rows[] = {
	    {TIME, "0", 0},
	    {TIME, "1", 1000000000},
	    {TIME, "007", 7000000000},
	    {TIME, "1s", 1000000000},
	    {TIME, "1.5", 1500000000},
	    {TIME, "0.000000001", 1},
	    {TIME, "0.0000000010000", 1},
	    {TIME, "1.000000000000s", 1000000000},
	    {TIME, "1ms", 1000000},
	    {TIME, "0.000001ms", 1},
	    {TIME, "250.25ms", 250250000},
	    {TIME, "2m", 120000000000},
	    {TIME, "0.5m", 30000000000},
	    {TIME, "0.1h", 360000000000},
	    {TIME, "24h", 86400000000000},
	    {TIME, "18446744073.709551615", UINT64_MAX},
	    {SIZE, "0", 0},
	    {SIZE, "4096", 4096},
	    {SIZE, "64K", 65536},
	    {SIZE, "64M", 67108864},
	    {SIZE, "4G", 4294967296},
	    {SIZE, "18446744073709551615", UINT64_MAX},
	    {SIZE, "17179869183G", 17179869183ULL << 30},
	    {COUNT, "0", 0},
	    {COUNT, "1000", 1000},
	    {COUNT, "18446744073709551615", UINT64_MAX},
	};
	uint64_t value;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		value = 42;
		if (parse(rows[i].unit, rows[i].text, &value, NULL) !=
			WIRE_OK ||
		    value != rows[i].value)
			fail_msg("%s: %llu", rows[i].text,
			    (unsigned long long)value);
	}
}

static void
t_bad_values_name_the_place(void **state)
{
	static const struct {
		enum sup_unit unit;
		const char *text;
		const char *site;
		size_t offset;
	} rows[] = {
	    {TIME, "", "does not start with a digit", 0},
	    {TIME, " 1", "does not start with a digit", 0},
	    {TIME, "-1", "does not start with a digit", 0},
	    {TIME, "+1", "does not start with a digit", 0},
	    {TIME, ".5", "does not start with a digit", 0},
	    {TIME, "s", "does not start with a digit", 0},
	    {TIME, "inf", "does not start with a digit", 0},
	    {TIME, "1.", "no digit after the point", 2},
	    {TIME, "1.s", "no digit after the point", 2},
	    {TIME, "1.5.5", "unknown unit of time (ms, s, m or h)", 3},
	    {TIME, "1 s", "unknown unit of time (ms, s, m or h)", 1},
	    {TIME, "1s ", "unknown unit of time (ms, s, m or h)", 1},
	    {TIME, "10d", "unknown unit of time (ms, s, m or h)", 2},
	    {TIME, "1S", "unknown unit of time (ms, s, m or h)", 1},
	    {TIME, "1us", "unknown unit of time (ms, s, m or h)", 1},
	    {TIME, "1e3", "unknown unit of time (ms, s, m or h)", 1},
	    {TIME, "0x10", "unknown unit of time (ms, s, m or h)", 1},
	    {TIME, "0.0000000001", "finer than a nanosecond", 11},
	    {TIME, "0.0000001ms", "finer than a nanosecond", 8},
	    {TIME, "18446744073.709551616", "too large a number", 0},
	    {TIME, "18446744074", "too large a number", 0},
	    {TIME, "99999999999999999999h", "too large a number", 0},
	    {SIZE, "", "does not start with a digit", 0},
	    {SIZE, "-1", "does not start with a digit", 0},
	    {SIZE, "K", "does not start with a digit", 0},
	    {SIZE, "1.5G", "not a whole number", 1},
	    {SIZE, "1k", "unknown unit of size (K, M or G)", 1},
	    {SIZE, "1KB", "unknown unit of size (K, M or G)", 1},
	    {SIZE, "1KiB", "unknown unit of size (K, M or G)", 1},
	    {SIZE, "64 M", "unknown unit of size (K, M or G)", 2},
	    {SIZE, "18446744073709551616", "too large a number", 0},
	    {SIZE, "17179869184G", "too large a number", 0},
	    {COUNT, "", "does not start with a digit", 0},
	    {COUNT, "1K", "not a digit (a count has no unit)", 1},
	    {COUNT, "1.0", "not a whole number", 1},
	    {COUNT, "1,000", "not a digit (a count has no unit)", 1},
	    {COUNT, "18446744073709551616", "too large a number", 0},
	};
	struct wire_errinfo info;
	uint64_t value = 42;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (parse(rows[i].unit, rows[i].text, &value, &info) !=
		    WIRE_ERR_BAD_ARGUMENT)
			fail_msg("accepted: %s", rows[i].text);
		assert_string_equal(info.site, rows[i].site);
		if (info.offset != rows[i].offset)
			fail_msg("%s: %zu", rows[i].text, info.offset);
		assert_int_equal(value, 42);
		assert_int_equal(
		    parse(rows[i].unit, rows[i].text, &value, NULL),
		    WIRE_ERR_BAD_ARGUMENT);
	}
}

static void
t_a_zero_byte_is_not_an_end(void **state)
{
	uint64_t value = 42;

	(void)state;
	assert_int_equal(
	    sup_units_parse(TIME,
		(struct wire_span){(const uint8_t *)"1\0s", 3}, &value, NULL),
	    WIRE_ERR_BAD_ARGUMENT);
	assert_int_equal(
	    sup_units_parse(TIME, (struct wire_span){(const uint8_t *)"1\0", 2},
		&value, NULL),
	    WIRE_ERR_BAD_ARGUMENT);
}

static void
t_formatted_values_read_back(void **state)
{
	static const struct {
		enum sup_unit unit;
		uint64_t value;
		const char *text;
	} rows[] = {
	    {TIME, 0, "0"},
	    {TIME, 1, "0.000000001s"},
	    {TIME, 1000000, "1ms"},
	    {TIME, 1500000000, "1500ms"},
	    {TIME, 1500000001, "1.500000001s"},
	    {TIME, 30000000000, "30s"},
	    {TIME, 120000000000, "120s"},
	    {TIME, 86400000000000, "24h"},
	    {TIME, UINT64_MAX, "18446744073.709551615s"},
	    {SIZE, 0, "0"},
	    {SIZE, 4000, "4000"},
	    {SIZE, 65536, "64K"},
	    {SIZE, 67108864, "64M"},
	    {SIZE, 4294967296, "4G"},
	    {SIZE, UINT64_MAX, "18446744073709551615"},
	    {COUNT, 0, "0"},
	    {COUNT, 1024, "1024"},
	    {COUNT, UINT64_MAX, "18446744073709551615"},
	};
	char text[SUP_UNITS_TEXT];
	uint64_t value;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_string_equal(
		    sup_units_format(rows[i].unit, rows[i].value, text),
		    rows[i].text);
		assert_int_equal(
		    parse(rows[i].unit, text, &value, NULL), WIRE_OK);
		assert_true(value == rows[i].value);
	}
}

/* What an error tells people to write is what the parser takes. */
static void
t_examples_are_accepted(void **state)
{
	static const enum sup_unit units[] = {TIME, SIZE, COUNT};
	char text[128], *word, *rest;
	unsigned numbers;
	uint64_t value;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		numbers = 0;
		(void)snprintf(
		    text, sizeof(text), "%s", sup_units_example(units[i]));
		for (word = strtok_r(text, " ,", &rest); word != NULL;
		     word = strtok_r(NULL, " ,", &rest)) {
			if (word[0] < '0' || word[0] > '9')
				continue;
			numbers++;
			assert_int_equal(
			    parse(units[i], word, &value, NULL), WIRE_OK);
		}
		assert_true(numbers > 0);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(t_good_values),
	    cmocka_unit_test(t_bad_values_name_the_place),
	    cmocka_unit_test(t_a_zero_byte_is_not_an_end),
	    cmocka_unit_test(t_formatted_values_read_back),
	    cmocka_unit_test(t_examples_are_accepted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
