/*
 * Strict UTF-8 (RFC 3629; Unicode 15 table 3-7): no overlong forms, no
 * surrogates, nothing above U+10FFFF. Pure.
 */
#ifndef WIRE_UTF8_H
#define WIRE_UTF8_H

#include "wire/span.h"

/* Length of the longest valid prefix; text.len when all of it is valid. */
size_t wire_utf8_valid_prefix(struct wire_span text);

/*
 * One step of a lossy walk: at text (not empty), the length of the
 * well-formed character, with *ret_ok true, or of the maximal ill-formed
 * subpart (1 to 3), with *ret_ok false.
 */
size_t wire_utf8_step(struct wire_span text, bool *ret_ok);

/*
 * The largest n <= at such that cutting text at n does not split a
 * well-formed character; and the smallest n >= at likewise.
 */
size_t wire_utf8_floor(struct wire_span text, size_t at);
size_t wire_utf8_ceil(struct wire_span text, size_t at);

#endif
