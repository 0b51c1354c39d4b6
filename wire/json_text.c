#include "wire/json_text.h"

#include <string.h>

#include "wire/json.h"

static size_t
put_utf8(uint32_t code, uint8_t out[4])
{
	if (code < 0x80) {
		out[0] = (uint8_t)code;
		return 1;
	}
	if (code < 0x800) {
		out[0] = (uint8_t)(0xc0 | code >> 6);
		out[1] = (uint8_t)(0x80 | (code & 0x3f));
		return 2;
	}
	if (code < 0x10000) {
		out[0] = (uint8_t)(0xe0 | code >> 12);
		out[1] = (uint8_t)(0x80 | (code >> 6 & 0x3f));
		out[2] = (uint8_t)(0x80 | (code & 0x3f));
		return 3;
	}
	out[0] = (uint8_t)(0xf0 | code >> 18);
	out[1] = (uint8_t)(0x80 | (code >> 12 & 0x3f));
	out[2] = (uint8_t)(0x80 | (code >> 6 & 0x3f));
	out[3] = (uint8_t)(0x80 | (code & 0x3f));
	return 4;
}

/* The \uXXXX at p (its backslash), or a pair of them: length taken, 0 if
 * malformed. */
static size_t
unicode_escape(const uint8_t *p, const uint8_t *end, uint32_t *ret_code)
{
	int high, low;

	if (end - p < 6 || (high = wire_json_hex4(p + 2)) < 0)
		return 0;
	*ret_code = (uint32_t)high;
	if (high < 0xd800 || high > 0xdfff)
		return 6;
	if (high > 0xdbff || end - p < 12 || p[6] != '\\' || p[7] != 'u')
		return 0;
	low = wire_json_hex4(p + 8);
	if (low < 0xdc00 || low > 0xdfff)
		return 0;
	*ret_code = 0x10000 + ((uint32_t)(high & 0x3ff) << 10) +
	    (uint32_t)(low & 0x3ff);
	return 12;
}

size_t
wire_json_unescape_unit(const uint8_t **p, const uint8_t *end, uint8_t out[4])
{
	static const char from[] = "\"\\/bfnrt";
	static const char to[] = "\"\\/\b\f\n\r\t";
	const uint8_t *at = *p;
	uint32_t code;
	size_t taken, i;

	if (*at == '\\' && end - at >= 2) {
		if (at[1] == 'u') {
			taken = unicode_escape(at, end, &code);
			if (taken != 0) {
				*p = at + taken;
				return put_utf8(code, out);
			}
		}
		for (i = 0; i < sizeof(from) - 1; i++) {
			if (at[1] == (uint8_t)from[i]) {
				*p = at + 2;
				out[0] = (uint8_t)to[i];
				return 1;
			}
		}
	}
	*p = at + 1;
	out[0] = *at;
	return 1;
}

/* A string's bytes one by one, unescaped on the way. */
struct walk {
	const uint8_t *p, *end;
	uint8_t unit[4];
	size_t at, len;
};

/* The next byte, or -1 after the last. */
static int
walk_next(struct walk *walk)
{
	if (walk->at == walk->len) {
		if (walk->p == walk->end)
			return -1;
		walk->len =
		    wire_json_unescape_unit(&walk->p, walk->end, walk->unit);
		walk->at = 0;
	}
	return walk->unit[walk->at++];
}

bool
wire_json_same_text(struct wire_span a, struct wire_span b)
{
	struct walk left = {.p = a.p, .end = wire_span_end(a)};
	struct walk right = {.p = b.p, .end = wire_span_end(b)};
	int byte;

	if (wire_span_equal(a, b))
		return true;
	do {
		byte = walk_next(&left);
		if (byte != walk_next(&right))
			return false;
	} while (byte >= 0);
	return true;
}

bool
wire_json_text_equal(struct wire_span raw, struct wire_span plain)
{
	struct walk walk = {.p = raw.p, .end = wire_span_end(raw)};
	size_t i;

	/* Unescaping never grows a text. */
	if (raw.len < plain.len)
		return false;
	for (i = 0; i < plain.len; i++) {
		if (walk_next(&walk) != plain.p[i])
			return false;
	}
	return walk_next(&walk) < 0;
}

enum wire_err
wire_json_unescape(
    struct wire_span raw, uint8_t *out, size_t out_max, size_t *ret_len)
{
	const uint8_t *p = raw.p, *end = wire_span_end(raw);
	const uint8_t *stop;
	uint8_t unit[4];
	size_t len = 0, step;

	while (p < end) {
		stop = memchr(p, '\\', (size_t)(end - p));
		step = (size_t)((stop == NULL ? end : stop) - p);
		if (step > out_max - len)
			return WIRE_ERR_NO_SPACE;
		if (step != 0) {
			memcpy(out + len, p, step);
			len += step;
			p += step;
		}
		/* Escapes often come in a row. */
		while (p < end && *p == '\\') {
			step = wire_json_unescape_unit(&p, end, unit);
			if (step > out_max - len)
				return WIRE_ERR_NO_SPACE;
			memcpy(out + len, unit, step);
			len += step;
		}
	}
	*ret_len = len;
	return WIRE_OK;
}

bool
wire_json_plain_uint(struct wire_span number, uint64_t max, uint64_t *ret_value)
{
	uint64_t value = 0;
	unsigned digit;
	size_t i;

	if (number.len == 0 || (number.p[0] == '0' && number.len > 1))
		return false;
	for (i = 0; i < number.len; i++) {
		if (number.p[i] < '0' || number.p[i] > '9')
			return false;
		digit = number.p[i] - '0';
		if (__builtin_mul_overflow(value, (uint64_t)10, &value) ||
		    __builtin_add_overflow(value, (uint64_t)digit, &value))
			return false;
	}
	if (value > max)
		return false;
	*ret_value = value;
	return true;
}
