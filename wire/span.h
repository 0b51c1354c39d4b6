/*
 * A range of bytes that somebody else owns, and arithmetic on sizes that
 * cannot wrap.
 *
 * A span borrows: it is good as long as the buffer it points into, and it is
 * never NUL-terminated.
 */
#ifndef WIRE_SPAN_H
#define WIRE_SPAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wire_span {
	const uint8_t *p;
	size_t len;
};

/* The span of a string literal. */
#define WIRE_LIT(text)                                                         \
	((struct wire_span){(const uint8_t *)(text), sizeof(text) - 1})

/* Sum and product of sizes; false, and *ret untouched, when they wrap. */
static inline bool
wire_add(size_t a, size_t b, size_t *ret)
{
	size_t sum;

	if (__builtin_add_overflow(a, b, &sum))
		return false;
	*ret = sum;
	return true;
}

static inline bool
wire_mul(size_t a, size_t b, size_t *ret)
{
	size_t product;

	if (__builtin_mul_overflow(a, b, &product))
		return false;
	*ret = product;
	return true;
}

/* One past the last byte. An empty span may have no bytes to point at. */
static inline const uint8_t *
wire_span_end(struct wire_span span)
{
	return span.len == 0 ? span.p : span.p + span.len;
}

/* Byte equality. Not constant-time: nothing secret is compared with it. */
static inline bool
wire_span_equal(struct wire_span a, struct wire_span b)
{
	if (a.len != b.len)
		return false;
	return a.len == 0 || __builtin_memcmp(a.p, b.p, a.len) == 0;
}

#endif
