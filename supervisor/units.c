#include "supervisor/units.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct suffix {
	const char *word;
	uint64_t factor;
};

static const struct suffix time_suffixes[] = {{"", SUP_NS_PER_S},
    {"ms", SUP_NS_PER_MS}, {"s", SUP_NS_PER_S}, {"m", SUP_NS_PER_M},
    {"h", SUP_NS_PER_H}};

static const struct suffix size_suffixes[] = {
    {"", 1}, {"K", 1ULL << 10}, {"M", 1ULL << 20}, {"G", 1ULL << 30}};

static const struct suffix count_suffixes[] = {{"", 1}};

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const struct {
	const char *example;
	const char *bad_suffix;
	const struct suffix *suffixes;
	size_t suffix_count;
	bool decimals;
} units[] = {
    [SUP_UNIT_TIME] = {"a time such as 1.5, 1.5s, 200ms, 2m or 1h",
	"unknown unit of time (ms, s, m or h)", time_suffixes,
	COUNT(time_suffixes), true},
    [SUP_UNIT_SIZE] = {"a whole size such as 4096, 64K, 64M or 4G",
	"unknown unit of size (K, M or G)", size_suffixes, COUNT(size_suffixes),
	false},
    [SUP_UNIT_COUNT] = {"a whole number such as 100",
	"not a digit (a count has no unit)", count_suffixes,
	COUNT(count_suffixes), false},
};

const char *
sup_units_example(enum sup_unit unit)
{
	return units[unit].example;
}

/* The number of digits at text[at]. */
static size_t
digits(struct wire_span text, size_t at)
{
	size_t n = 0;

	while (
	    at + n < text.len && text.p[at + n] >= '0' && text.p[at + n] <= '9')
		n++;
	return n;
}

static const struct suffix *
find_suffix(enum sup_unit unit, struct wire_span text, size_t at)
{
	const size_t len = text.len - at;
	size_t i;

	for (i = 0; i < units[unit].suffix_count; i++) {
		const struct suffix *suffix = &units[unit].suffixes[i];

		if (strlen(suffix->word) == len &&
		    memcmp(suffix->word, text.p + at, len) == 0)
			return suffix;
	}
	return NULL;
}

/* Adds digit * factor to *sum. */
static bool
add_product(uint64_t *sum, uint64_t digit, uint64_t factor)
{
	uint64_t product;

	return !__builtin_mul_overflow(digit, factor, &product) &&
	    !__builtin_add_overflow(*sum, product, sum);
}

static enum wire_err
add_whole(struct wire_span whole, uint64_t factor, uint64_t *sum,
    struct wire_errinfo *info)
{
	uint64_t value = 0, shifted;
	size_t i;

	for (i = 0; i < whole.len; i++) {
		shifted = 0;
		if (!add_product(&shifted, value, 10) ||
		    !add_product(&shifted, whole.p[i] - '0', 1))
			break;
		value = shifted;
	}
	if (i < whole.len || !add_product(sum, value, factor))
		return wire_fail(
		    info, WIRE_ERR_BAD_ARGUMENT, "too large a number", 0);
	return WIRE_OK;
}

/* Each decimal is a tenth of the one before it, as long as that is exact. */
static enum wire_err
add_decimals(struct wire_span text, size_t at, size_t count, uint64_t factor,
    uint64_t *sum, struct wire_errinfo *info)
{
	size_t i;

	for (i = at; i < at + count; i++) {
		if (text.p[i] == '0') {
			factor /= 10;
			continue;
		}
		if (factor % 10 != 0 || factor == 0)
			return wire_fail(info, WIRE_ERR_BAD_ARGUMENT,
			    "finer than a nanosecond", i);
		factor /= 10;
		if (!add_product(sum, text.p[i] - '0', factor))
			return wire_fail(info, WIRE_ERR_BAD_ARGUMENT,
			    "too large a number", 0);
	}
	return WIRE_OK;
}

enum wire_err
sup_units_parse(enum sup_unit unit, struct wire_span text, uint64_t *ret_value,
    struct wire_errinfo *info)
{
	const size_t whole = digits(text, 0);
	const struct suffix *suffix;
	size_t decimals = 0, at = whole;
	uint64_t sum = 0;
	enum wire_err err;

	if (whole == 0)
		return wire_fail(info, WIRE_ERR_BAD_ARGUMENT,
		    "does not start with a digit", 0);
	if (at < text.len && text.p[at] == '.') {
		if (!units[unit].decimals)
			return wire_fail(info, WIRE_ERR_BAD_ARGUMENT,
			    "not a whole number", at);
		decimals = digits(text, at + 1);
		if (decimals == 0)
			return wire_fail(info, WIRE_ERR_BAD_ARGUMENT,
			    "no digit after the point", at + 1);
		at += 1 + decimals;
	}
	suffix = find_suffix(unit, text, at);
	if (suffix == NULL)
		return wire_fail(
		    info, WIRE_ERR_BAD_ARGUMENT, units[unit].bad_suffix, at);
	err = add_whole(
	    (struct wire_span){text.p, whole}, suffix->factor, &sum, info);
	if (err == WIRE_OK)
		err = add_decimals(
		    text, whole + 1, decimals, suffix->factor, &sum, info);
	if (err == WIRE_OK)
		*ret_value = sum;
	return err;
}

/* Nanoseconds that no unit divides are written as decimals of a second. */
static void
format_seconds(uint64_t ns, char text[SUP_UNITS_TEXT])
{
	size_t len;

	(void)snprintf(text, SUP_UNITS_TEXT, "%" PRIu64 ".%09" PRIu64,
	    ns / (uint64_t)SUP_NS_PER_S, ns % (uint64_t)SUP_NS_PER_S);
	len = strlen(text);
	while (text[len - 1] == '0')
		len--;
	text[len] = 's';
	text[len + 1] = '\0';
}

const char *
sup_units_format(enum sup_unit unit, uint64_t value, char text[SUP_UNITS_TEXT])
{
	/* 120s reads better than 2m, and 1500ms than 1.5s. */
	static const struct suffix time_forms[] = {
	    {"h", SUP_NS_PER_H}, {"s", SUP_NS_PER_S}, {"ms", SUP_NS_PER_MS}};
	static const struct suffix size_forms[] = {
	    {"G", 1ULL << 30}, {"M", 1ULL << 20}, {"K", 1ULL << 10}, {"", 1}};
	const struct suffix *forms = size_forms;
	size_t count = unit == SUP_UNIT_SIZE ? COUNT(size_forms) : 0, i;

	if (unit == SUP_UNIT_TIME) {
		forms = time_forms;
		count = COUNT(time_forms);
	}
	for (i = 0; i < count && value != 0; i++) {
		if (value % forms[i].factor != 0)
			continue;
		(void)snprintf(text, SUP_UNITS_TEXT, "%" PRIu64 "%s",
		    value / forms[i].factor, forms[i].word);
		return text;
	}
	if (unit == SUP_UNIT_TIME && value != 0)
		format_seconds(value, text);
	else
		(void)snprintf(text, SUP_UNITS_TEXT, "%" PRIu64, value);
	return text;
}
