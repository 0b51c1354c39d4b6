/*
 * What every fuzz target shares: the entry point's prototype, a check that
 * ends the process so that a fuzzer or the replay driver sees it, and taking
 * numbers off the front of an input.
 *
 * A target is a property: it takes any bytes, and ends the process only when
 * the code under test breaks what the comment at the head of the target's file
 * says. It keeps nothing from one input to the next.
 *
 * Owns: nothing. Threads: one.
 */
#ifndef FUZZ_FUZZ_H
#define FUZZ_FUZZ_H

#include <stdio.h>

#include "wire/span.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define FUZZ_REQUIRE(condition)                                                \
	do {                                                                   \
		if (!(condition)) {                                            \
			fprintf(stderr, "%s:%d: broken: %s\n", __FILE__,       \
			    __LINE__, #condition);                             \
			__builtin_trap();                                      \
		}                                                              \
	} while (0)

/* The next byte, taken off; 0 when there is none. */
static inline uint8_t
fuzz_byte(struct wire_span *in)
{
	if (in->len == 0)
		return 0;
	in->len--;
	return *in->p++;
}

/* Up to eight bytes, little end first. */
static inline uint64_t
fuzz_uint(struct wire_span *in, unsigned bytes)
{
	uint64_t value = 0;
	unsigned i;

	for (i = 0; i < bytes; i++)
		value |= (uint64_t)fuzz_byte(in) << 8 * i;
	return value;
}

/* The next len bytes, or what there is. */
static inline struct wire_span
fuzz_bytes(struct wire_span *in, size_t len)
{
	struct wire_span part = {in->p, len < in->len ? len : in->len};

	in->p = wire_span_end(part);
	in->len -= part.len;
	return part;
}

/* Whether all bytes are 0; in one comparison, which costs a fuzzer less than a
 * loop that it watches. */
static inline bool
fuzz_is_zero(const void *p, size_t len)
{
	const uint8_t *bytes = p;

	return len == 0 ||
	    (bytes[0] == 0 && __builtin_memcmp(bytes, bytes + 1, len - 1) == 0);
}

/* A step of a cheap generator, for what an input need not spell out. */
static inline uint32_t
fuzz_random(uint32_t *state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state >> 8;
}

#endif
