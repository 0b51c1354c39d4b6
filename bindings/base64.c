#include "bindings/base64.h"

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
			     "abcdefghijklmnopqrstuvwxyz"
			     "0123456789+/";

#define NONE 64

static unsigned
value_of(uint8_t digit)
{
	if (digit >= 'A' && digit <= 'Z')
		return digit - 'A';
	if (digit >= 'a' && digit <= 'z')
		return digit - 'a' + 26u;
	if (digit >= '0' && digit <= '9')
		return digit - '0' + 52u;
	if (digit == '+')
		return 62;
	return digit == '/' ? 63 : NONE;
}

bool
bind_base64_len(size_t len, size_t *ret_len)
{
	size_t groups;

	return wire_add(len, 2, &groups) && wire_mul(groups / 3, 4, ret_len);
}

size_t
bind_base64_encode(struct wire_span bytes, uint8_t *out)
{
	size_t n = 0;

	for (size_t i = 0; i < bytes.len; i += 3) {
		size_t left = bytes.len - i;
		uint32_t group = (uint32_t)bytes.p[i] << 16;

		if (left > 1)
			group |= (uint32_t)bytes.p[i + 1] << 8;
		if (left > 2)
			group |= bytes.p[i + 2];
		out[n++] = (uint8_t)digits[group >> 18];
		out[n++] = (uint8_t)digits[group >> 12 & 63];
		out[n++] = left > 1 ? (uint8_t)digits[group >> 6 & 63] : '=';
		out[n++] = left > 2 ? (uint8_t)digits[group & 63] : '=';
	}
	return n;
}

/* Four digits, of which `count` are not padding: 2, 3 or 4. */
static bool
decode_group(const uint8_t *p, size_t count, uint8_t out[3])
{
	uint32_t group = 0;

	for (size_t i = 0; i < 4; i++) {
		unsigned value = i < count ? value_of(p[i]) : 0;

		if (value == NONE)
			return false;
		group = group << 6 | value;
	}
	out[0] = (uint8_t)(group >> 16);
	out[1] = (uint8_t)(group >> 8);
	out[2] = (uint8_t)group;
	return (count > 3 || out[2] == 0) && (count > 2 || out[1] == 0);
}

bool
bind_base64_decode(struct wire_span text, uint8_t *out, size_t *ret_len)
{
	size_t len = 0, count = 4;

	if (text.len % 4 != 0)
		return false;
	for (size_t i = 0; i < text.len; i += 4) {
		uint8_t three[3];

		if (i + 4 == text.len && text.p[i + 3] == '=')
			count = text.p[i + 2] == '=' ? 2 : 3;
		if (!decode_group(text.p + i, count, three))
			return false;
		for (size_t k = 0; k + 1 < count; k++)
			out[len++] = three[k];
	}
	*ret_len = len;
	return true;
}
