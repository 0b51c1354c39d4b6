/*
 * Base64 (RFC 4648, 4) for bytes that are no text.
 *
 * Strict: what decodes is what encoding gives, with its padding, without white
 * space, and with unused bits zero. Pure.
 */
#ifndef BIND_BASE64_H
#define BIND_BASE64_H

#include "wire/err.h"
#include "wire/span.h"

/* Length of len bytes when encoded; false when that wraps. */
WIRE_MUST_USE bool bind_base64_len(size_t len, size_t *ret_len);

/* out has room for bind_base64_len bytes; their number. */
size_t bind_base64_encode(struct wire_span bytes, uint8_t *out);

/* out has room for text.len / 4 * 3 bytes. False: it is not base64. */
WIRE_MUST_USE bool bind_base64_decode(
    struct wire_span text, uint8_t *out, size_t *ret_len);

#endif
