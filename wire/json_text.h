/*
 * Inside of wire/: how the bytes of a JSON string are walked.
 *
 * Shared by the scanner, the key table and the writer; nobody else includes
 * it. Everything stays between p and end whatever the bytes are. Pure.
 */
#ifndef WIRE_JSON_TEXT_H
#define WIRE_JSON_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/span.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* A byte that stands for itself in a string: ASCII, and nothing special. */
static inline bool
wire_json_is_plain(uint8_t byte)
{
	return byte >= 0x20 && byte < 0x80 && byte != '"' && byte != '\\';
}

/* The first byte from p on that is not plain, or end. */
static inline const uint8_t *
wire_json_plain_run(const uint8_t *p, const uint8_t *end)
{
#ifdef __SSE2__
	const __m128i quote = _mm_set1_epi8('"');
	const __m128i backslash = _mm_set1_epi8('\\');
	const __m128i space = _mm_set1_epi8(' ');

	while (end - p >= 16) {
		__m128i v = _mm_loadu_si128((const __m128i *)(const void *)p);
		/* Signed: below a blank are controls and all from 0x80 on. */
		__m128i special = _mm_or_si128(_mm_cmplt_epi8(v, space),
		    _mm_or_si128(_mm_cmpeq_epi8(v, quote),
			_mm_cmpeq_epi8(v, backslash)));
		unsigned mask = (unsigned)_mm_movemask_epi8(special);

		if (mask != 0)
			return p + __builtin_ctz(mask);
		p += 16;
	}
#endif
	while (p < end && wire_json_is_plain(*p))
		p++;
	return p;
}

static inline bool
wire_json_is_space(uint8_t byte)
{
	return byte == ' ' || byte == '\n' || byte == '\r' || byte == '\t';
}

/* The first byte from p on that is no JSON white space, or end. */
static inline const uint8_t *
wire_json_space_run(const uint8_t *p, const uint8_t *end)
{
#ifdef __SSE2__
	while (end - p >= 16) {
		__m128i v = _mm_loadu_si128((const __m128i *)(const void *)p);
		__m128i space = _mm_or_si128(
		    _mm_or_si128(_mm_cmpeq_epi8(v, _mm_set1_epi8(' ')),
			_mm_cmpeq_epi8(v, _mm_set1_epi8('\n'))),
		    _mm_or_si128(_mm_cmpeq_epi8(v, _mm_set1_epi8('\r')),
			_mm_cmpeq_epi8(v, _mm_set1_epi8('\t'))));
		unsigned other = ~(unsigned)_mm_movemask_epi8(space) & 0xffff;

		if (other != 0)
			return p + __builtin_ctz(other);
		p += 16;
	}
#endif
	while (p < end && wire_json_is_space(*p))
		p++;
	return p;
}

/* The value of four hex digits; -1 when one is none. */
static inline int
wire_json_hex4(const uint8_t *p)
{
	int value = 0;
	int i;

	for (i = 0; i < 4; i++) {
		int digit;

		if (p[i] >= '0' && p[i] <= '9')
			digit = p[i] - '0';
		else if ((p[i] | 0x20) >= 'a' && (p[i] | 0x20) <= 'f')
			digit = (p[i] | 0x20) - 'a' + 10;
		else
			return -1;
		value = value << 4 | digit;
	}
	return value;
}

/*
 * One unit of a string's raw text that a scan has accepted: a byte that
 * stands for itself, or an escape with both halves of a surrogate pair.
 * Writes 1 to 4 bytes of UTF-8 at out, moves *p on and returns their number.
 * *p must be before end. A malformed escape gives its bytes as they stand.
 */
size_t wire_json_unescape_unit(
    const uint8_t **p, const uint8_t *end, uint8_t out[4]);

/* Whether two raw texts that scans have accepted spell the same string. */
bool wire_json_same_text(struct wire_span a, struct wire_span b);

#endif
