/*
 * A bounded text builder for messages, and the escaping of foreign bytes in
 * them.
 *
 * Owns: nothing; the caller's buffer has its maximum at init. What does not fit
 * is left out, on a character boundary, and every later addition with it: a
 * message is cut, never an error. What was added as escaped is printable UTF-8
 * whatever it was before. Pure.
 */
#ifndef BIND_TEXT_H
#define BIND_TEXT_H

#include "wire/span.h"

struct bind_text {
	uint8_t *buf;
	size_t max;
	size_t len;
	bool full;
};

void bind_text_init(struct bind_text *text, uint8_t *buf, size_t max);

/* A C string, or a span as it stands: any bytes. */
void bind_text_add(struct bind_text *text, const char *words);
void bind_text_add_span(struct bind_text *text, struct wire_span span);
void bind_text_add_uint(struct bind_text *text, uint64_t value);

/*
 * Control characters (C0, DEL, C1) and bytes that are not UTF-8 become \n, \r,
 * \t or \xNN; the rest stays as it is.
 */
void bind_text_add_escaped(struct bind_text *text, struct wire_span span);

/* As add_escaped, but of the span only the longest tail that takes at most
 * escaped_max bytes when escaped. */
void bind_text_add_escaped_tail(
    struct bind_text *text, struct wire_span span, size_t escaped_max);

struct wire_span bind_text_span(const struct bind_text *text);

#endif
