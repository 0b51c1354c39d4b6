/*
 * Integers between decimal and hexadecimal text.
 *
 * Python refuses decimal text over a limit that a program may set
 * (sys.set_int_max_str_digits), but never hexadecimal text, so integers cross
 * by way of base 16 and are converted here (W10). Quadratic, hence bounded:
 * WIRE_MAX_INT_DIGITS decimal digits.
 *
 * Pure; no allocation; no Python.
 */
#ifndef STUB_DECIMAL_H
#define STUB_DECIMAL_H

#include "wire/limits.h"
#include "wire/span.h"

/* Hexadecimal digits that WIRE_MAX_INT_DIGITS decimal ones may take:
 * log(10) / log(16) is below 0.8305. */
#define STUB_MAX_HEX_DIGITS (WIRE_MAX_INT_DIGITS * 8305UL / 10000 + 1)

/*
 * Digits only, no sign, no prefix. False when the number has more than
 * WIRE_MAX_INT_DIGITS decimal digits, or a byte that is no digit.
 * out has room for WIRE_MAX_INT_DIGITS bytes.
 */
bool stub_decimal_from_hex(struct wire_span hex, uint8_t *out, size_t *ret_len);

/*
 * Digits only, no sign; at most WIRE_MAX_INT_DIGITS (else false).
 * out has room for STUB_MAX_HEX_DIGITS bytes; lower-case digits, no prefix.
 */
bool stub_hex_from_decimal(
    struct wire_span decimal, uint8_t *out, size_t *ret_len);

#endif
