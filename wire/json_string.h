/*
 * Inside of wire/: the strings of a text that is being scanned, and how a
 * scan notes what it refuses.
 *
 * Functions take the place to go on from and return the place after what they
 * took, or NULL when they have noted an error. Pure.
 */
#ifndef WIRE_JSON_STRING_H
#define WIRE_JSON_STRING_H

#include "wire/err.h"
#include "wire/span.h"

struct wire_json_text {
	const uint8_t *begin, *end;
	bool escaped; /* a string scanned since this was cleared had escapes */
	enum wire_err err;
	size_t err_offset;
};

/* Notes an error; NULL. */
__attribute__((cold)) const uint8_t *wire_json_fail(
    struct wire_json_text *text, enum wire_err err, const uint8_t *at);

/*
 * Notes an unexpected byte as err, unless it is one that may stand nowhere,
 * or the text is at its end; NULL.
 */
__attribute__((cold)) const uint8_t *wire_json_unexpected(
    struct wire_json_text *text, enum wire_err err, const uint8_t *p);

/* From after the opening quote to after the closing one. */
const uint8_t *wire_json_scan_string(
    struct wire_json_text *text, const uint8_t *p);

#endif
