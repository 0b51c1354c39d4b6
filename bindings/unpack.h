/*
 * Reading MessagePack, from bytes that may have been made to do harm.
 *
 * A cursor over a span, with a function for each thing that the caller may be
 * waiting for: false, and the cursor where it was, when something else stands
 * there or the bytes end before it does. Nothing is allocated, lengths are
 * compared with the bytes that there are before anything is done with them,
 * and nesting costs nothing: what is skipped is counted, not descended into.
 *
 * Spans point into the bytes. Integers are taken in any of their widths. Pure.
 */
#ifndef BIND_UNPACK_H
#define BIND_UNPACK_H

#include "wire/span.h"

struct bind_unpack {
	const uint8_t *p, *end;
};

void bind_unpack_init(struct bind_unpack *unpack, struct wire_span bytes);
bool bind_unpack_is_empty(const struct bind_unpack *unpack);

/* The head of a map: that many pairs follow, and as many could. */
bool bind_unpack_map(struct bind_unpack *unpack, uint64_t *ret_pairs);
/* An integer that is not negative. */
bool bind_unpack_uint(struct bind_unpack *unpack, uint64_t *ret_value);
/* A string that is UTF-8; and one of any bytes. */
bool bind_unpack_text(struct bind_unpack *unpack, struct wire_span *ret_text);
bool bind_unpack_bytes(struct bind_unpack *unpack, struct wire_span *ret_bytes);
/* Any value, with all that is in it. */
bool bind_unpack_any(struct bind_unpack *unpack, struct wire_span *ret_value);

#endif
