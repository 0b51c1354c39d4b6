#include "child/module/decimal.h"

/* One limb more than the largest number needs, so that a carry always fits
 * before the length is checked. */
#define DECIMAL_BASE  1000000000u
#define DECIMAL_LIMBS (WIRE_MAX_INT_DIGITS / 9 + 2)
#define BINARY_LIMBS  (STUB_MAX_HEX_DIGITS / 8 + 2)

/* limbs = limbs * factor + add, little end first. */
static bool
scale(uint32_t *limbs, size_t *count, size_t max, uint64_t base,
    uint32_t factor, uint32_t add)
{
	uint64_t carry = add;
	size_t i;

	for (i = 0; i < *count; i++) {
		carry += (uint64_t)limbs[i] * factor;
		limbs[i] = (uint32_t)(carry % base);
		carry /= base;
	}
	if (carry == 0)
		return true;
	if (*count == max)
		return false;
	limbs[(*count)++] = (uint32_t)carry;
	return true;
}

static int
digit_value(uint8_t c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return -1;
}

/* Reads digits of a radix in groups whose product stays below 2^30. */
static bool
gather(struct wire_span text, unsigned radix, size_t group, uint64_t base,
    uint32_t *limbs, size_t max, size_t *ret_count)
{
	size_t i = 0, count = 0;

	while (i < text.len) {
		uint32_t factor = 1, add = 0;
		size_t n;

		for (n = 0; n < group && i < text.len; n++, i++) {
			int digit = digit_value(text.p[i]);

			if (digit < 0 || (unsigned)digit >= radix)
				return false;
			factor *= radix;
			add = add * radix + (uint32_t)digit;
		}
		if (!scale(limbs, &count, max, base, factor, add))
			return false;
	}
	*ret_count = count;
	return true;
}

/* Writes limbs with `width` digits each, without leading zeros. */
static bool
spell(const uint32_t *limbs, size_t count, unsigned radix, unsigned width,
    uint8_t *out, size_t max, size_t *ret_len)
{
	static const char digits[] = "0123456789abcdef";
	size_t len = 0, i, w;

	for (i = count; i-- > 0;) {
		uint32_t limb = limbs[i];
		uint8_t group[9];

		for (w = width; w-- > 0; limb /= radix)
			group[w] = (uint8_t)digits[limb % radix];
		for (w = 0; w < width; w++) {
			if (len == 0 && group[w] == '0')
				continue;
			if (len == max)
				return false;
			out[len++] = group[w];
		}
	}
	if (len == 0)
		out[len++] = '0';
	*ret_len = len;
	return true;
}

bool
stub_decimal_from_hex(struct wire_span hex, uint8_t *out, size_t *ret_len)
{
	uint32_t limbs[DECIMAL_LIMBS];
	size_t count;

	if (hex.len > STUB_MAX_HEX_DIGITS)
		return false;
	if (!gather(hex, 16, 7, DECIMAL_BASE, limbs, DECIMAL_LIMBS, &count))
		return false;
	return spell(limbs, count, 10, 9, out, WIRE_MAX_INT_DIGITS, ret_len);
}

bool
stub_hex_from_decimal(struct wire_span decimal, uint8_t *out, size_t *ret_len)
{
	uint32_t limbs[BINARY_LIMBS];
	size_t count;

	if (decimal.len > WIRE_MAX_INT_DIGITS)
		return false;
	if (!gather(decimal, 10, 9, 1ULL << 32, limbs, BINARY_LIMBS, &count))
		return false;
	return spell(limbs, count, 16, 8, out, STUB_MAX_HEX_DIGITS, ret_len);
}
