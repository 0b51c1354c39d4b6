#include "bindings/text.h"

#include <string.h>

#include "wire/utf8.h"

/* Longest escape of one character: a C1 control, two bytes of \xNN. */
#define ESCAPE_MAX 8

void
bind_text_init(struct bind_text *text, uint8_t *buf, size_t max)
{
	*text = (struct bind_text){buf, max, 0, false};
}

static void
append(struct bind_text *text, const void *p, size_t len)
{
	if (len > 0)
		memcpy(text->buf + text->len, p, len);
	text->len += len;
}

void
bind_text_add_span(struct bind_text *text, struct wire_span span)
{
	size_t left = text->max - text->len;

	if (text->full)
		return;
	if (span.len > left) {
		text->full = true;
		span.len = wire_utf8_floor(span, left);
	}
	append(text, span.p, span.len);
}

void
bind_text_add(struct bind_text *text, const char *words)
{
	bind_text_add_span(
	    text, (struct wire_span){(const uint8_t *)words, strlen(words)});
}

void
bind_text_add_uint(struct bind_text *text, uint64_t value)
{
	uint8_t digits[20];
	size_t at = sizeof(digits);

	do {
		digits[--at] = (uint8_t)('0' + value % 10);
		value /= 10;
	} while (value > 0);
	bind_text_add_span(
	    text, (struct wire_span){digits + at, sizeof(digits) - at});
}

static size_t
escape_byte(uint8_t byte, uint8_t *out)
{
	static const char hex[] = "0123456789abcdef";

	out[0] = '\\';
	if (byte == '\n' || byte == '\r' || byte == '\t') {
		out[1] = byte == '\n' ? 'n' : byte == '\r' ? 'r' : 't';
		return 2;
	}
	out[1] = 'x';
	out[2] = (uint8_t)hex[byte >> 4];
	out[3] = (uint8_t)hex[byte & 15];
	return 4;
}

/*
 * Escapes the first character of the span into out; returns the bytes taken
 * from the span.
 */
static size_t
escape_one(struct wire_span span, uint8_t out[ESCAPE_MAX], size_t *ret_len)
{
	bool ok;
	size_t taken = wire_utf8_step(span, &ok);
	uint8_t first = span.p[0];

	if (ok && taken == 1 && first >= 0x20 && first != 0x7f) {
		out[0] = first;
		*ret_len = 1;
		return 1;
	}
	if (ok && taken == 2 && first == 0xc2 && span.p[1] < 0xa0) {
		*ret_len = escape_byte(first, out);
		*ret_len += escape_byte(span.p[1], out + *ret_len);
		return 2;
	}
	if (ok && taken > 1) {
		memcpy(out, span.p, taken);
		*ret_len = taken;
		return taken;
	}
	*ret_len = escape_byte(first, out);
	return 1;
}

void
bind_text_add_escaped(struct bind_text *text, struct wire_span span)
{
	uint8_t out[ESCAPE_MAX];

	while (span.len > 0 && !text->full) {
		size_t len, taken = escape_one(span, out, &len);

		if (len > text->max - text->len)
			text->full = true;
		else
			append(text, out, len);
		span.p += taken;
		span.len -= taken;
	}
}

void
bind_text_add_escaped_tail(
    struct bind_text *text, struct wire_span span, size_t escaped_max)
{
	struct wire_span rest = span;
	uint8_t out[ESCAPE_MAX];
	size_t total = 0, len;

	while (rest.len > 0) {
		size_t taken = escape_one(rest, out, &len);

		total += len;
		rest.p += taken;
		rest.len -= taken;
	}
	while (total > escaped_max) {
		size_t taken = escape_one(span, out, &len);

		total -= len;
		span.p += taken;
		span.len -= taken;
	}
	bind_text_add_escaped(text, span);
}

struct wire_span
bind_text_span(const struct bind_text *text)
{
	return (struct wire_span){text->buf, text->len};
}
