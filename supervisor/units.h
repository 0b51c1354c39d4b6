/*
 * Times, sizes and counts as people write them.
 *
 *   time   DIGITS [. DIGITS] [ms | s | m | h]    no suffix: seconds
 *   size   DIGITS [K | M | G]                    powers of 1024
 *   count  DIGITS
 *
 * Exact or refused: no rounding, no sign, no blanks, no other base, nothing
 * after the suffix, no overflow. On failure the error is
 * WIRE_ERR_BAD_ARGUMENT, info->site says what is wrong (it completes "VALUE:
 * ...") and info->offset is the byte of text that it is about.
 *
 * Threads: pure.
 */
#ifndef SUP_UNITS_H
#define SUP_UNITS_H

#include "wire/err.h"
#include "wire/span.h"

#define SUP_NS_PER_MS 1000000ULL
#define SUP_NS_PER_S  1000000000ULL
#define SUP_NS_PER_M  (60 * SUP_NS_PER_S)
#define SUP_NS_PER_H  (60 * SUP_NS_PER_M)

enum sup_unit {
	SUP_UNIT_TIME, /* nanoseconds */
	SUP_UNIT_SIZE, /* bytes */
	SUP_UNIT_COUNT,
};

WIRE_MUST_USE enum wire_err sup_units_parse(enum sup_unit unit,
    struct wire_span text, uint64_t *ret_value, struct wire_errinfo *info);

/* "a time such as 1.5, 1.5s, 200ms, 2m or 1h", ... Static strings. */
const char *sup_units_example(enum sup_unit unit);

/* Enough for every value and its NUL. */
#define SUP_UNITS_TEXT 32

/*
 * Writes value in the shortest exact form with one suffix, in a form that
 * sup_units_parse reads back: "120s", "64M", "1000". Returns text.
 */
const char *sup_units_format(
    enum sup_unit unit, uint64_t value, char text[SUP_UNITS_TEXT]);

#endif
