#include "wire/json_out.h"

#include <string.h>

#include "wire/json_text.h"
#include "wire/utf8.h"

/* Room for one character of a string, whatever it is: an escape. */
#define UNIT_MAX 6

void
wire_out_init(struct wire_out *out, uint8_t *buf, size_t max)
{
	*out = (struct wire_out){.buf = buf, .max = max};
}

static void
latch(struct wire_out *out, enum wire_err err)
{
	if (out->err == WIRE_OK)
		out->err = err;
}

static void
put(struct wire_out *out, const void *p, size_t len)
{
	if (out->err != WIRE_OK)
		return;
	if (len > out->max - out->len) {
		latch(out, WIRE_ERR_NO_SPACE);
		return;
	}
	if (len != 0)
		memcpy(out->buf + out->len, p, len);
	out->len += len;
}

/* The comma before a value or a name, where one is due. */
static void
separate(struct wire_out *out)
{
	if (out->need_comma) {
		/* Two values on the top level are no frame. */
		if (out->depth == 0)
			latch(out, WIRE_ERR_BAD_ARGUMENT);
		put(out, ",", 1);
	}
	out->need_comma = true;
}

static void
begin(struct wire_out *out, const char *bracket)
{
	separate(out);
	if (out->depth == WIRE_MAX_DEPTH)
		latch(out, WIRE_ERR_TOO_DEEP);
	put(out, bracket, 1);
	out->depth++;
	out->need_comma = false;
}

static void
end(struct wire_out *out, const char *bracket)
{
	if (out->err == WIRE_OK && out->depth == 0)
		latch(out, WIRE_ERR_BAD_ARGUMENT);
	put(out, bracket, 1);
	if (out->depth != 0)
		out->depth--;
	out->need_comma = true;
}

void
wire_out_begin_object(struct wire_out *out)
{
	begin(out, "{");
}

void
wire_out_end_object(struct wire_out *out)
{
	end(out, "}");
}

void
wire_out_begin_array(struct wire_out *out)
{
	begin(out, "[");
}

void
wire_out_end_array(struct wire_out *out)
{
	end(out, "]");
}

void
wire_out_null(struct wire_out *out)
{
	separate(out);
	put(out, "null", 4);
}

void
wire_out_bool(struct wire_out *out, bool value)
{
	separate(out);
	put(out, value ? "true" : "false", value ? 4 : 5);
}

static void
put_digits(struct wire_out *out, uint64_t value)
{
	char digits[20];
	size_t at = sizeof(digits);

	do {
		digits[--at] = (char)('0' + value % 10);
		value /= 10;
	} while (value != 0);
	put(out, digits + at, sizeof(digits) - at);
}

void
wire_out_uint(struct wire_out *out, uint64_t value)
{
	separate(out);
	put_digits(out, value);
}

void
wire_out_int(struct wire_out *out, int64_t value)
{
	separate(out);
	if (value < 0)
		put(out, "-", 1);
	put_digits(out, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

/* --- strings ------------------------------------------------------------- */

/* The escape of an ASCII byte that is not plain; its length. */
static size_t
escape(uint8_t byte, char ret_text[UNIT_MAX])
{
	static const char from[] = "\"\\\b\f\n\r\t";
	static const char to[] = "\"\\bfnrt";
	static const char hex[] = "0123456789abcdef";
	size_t i;

	ret_text[0] = '\\';
	for (i = 0; i < sizeof(from) - 1; i++) {
		if (byte == (uint8_t)from[i]) {
			ret_text[1] = to[i];
			return 2;
		}
	}
	memcpy(ret_text + 1, "u00", 3);
	ret_text[4] = hex[byte >> 4];
	ret_text[5] = hex[byte & 15];
	return 6;
}

/*
 * One unit that is no plain run: an escape, a character, or the substitute of
 * an ill-formed part. Its bytes go to ret_text; *ret_taken is what it stands
 * for. Returns its length, 0 for an ill-formed part that must not be there.
 */
static size_t
unit(struct wire_span rest, bool lossy, char ret_text[UNIT_MAX],
    size_t *ret_taken)
{
	bool ok;

	*ret_taken = wire_utf8_step(rest, &ok);
	if (!ok) {
		memcpy(ret_text, "\xef\xbf\xbd", 3);
		return lossy ? 3 : 0;
	}
	if (*ret_taken == 1)
		return escape(rest.p[0], ret_text);
	memcpy(ret_text, rest.p, *ret_taken);
	return *ret_taken;
}

/* A string whose text takes at most text_max bytes between its quotes. */
static void
put_string(
    struct wire_out *out, struct wire_span text, bool lossy, size_t text_max)
{
	const uint8_t *p = text.p, *stop = wire_span_end(text);
	char buf[UNIT_MAX];
	size_t len, taken;

	separate(out);
	put(out, "\"", 1);
	while (p < stop && out->err == WIRE_OK) {
		len = (size_t)(wire_json_plain_run(p, stop) - p);
		if (len > text_max)
			len = text_max;
		put(out, p, len);
		p += len;
		text_max -= len;
		if (p == stop || text_max == 0)
			break;
		len = unit((struct wire_span){p, (size_t)(stop - p)}, lossy,
		    buf, &taken);
		if (len == 0)
			latch(out, WIRE_ERR_BAD_UTF8);
		if (len > text_max)
			break;
		put(out, buf, len);
		p += taken;
		text_max -= len;
	}
	put(out, "\"", 1);
}

void
wire_out_string(struct wire_out *out, struct wire_span text)
{
	put_string(out, text, false, SIZE_MAX);
}

void
wire_out_lossy_string(struct wire_out *out, struct wire_span bytes)
{
	put_string(out, bytes, true, SIZE_MAX);
}

void
wire_out_cut_string(
    struct wire_out *out, struct wire_span bytes, size_t text_max)
{
	put_string(out, bytes, true, text_max);
}

void
wire_out_text(struct wire_out *out, const char *text)
{
	wire_out_string(
	    out, (struct wire_span){(const uint8_t *)text, strlen(text)});
}

void
wire_out_key_span(struct wire_out *out, struct wire_span name)
{
	wire_out_string(out, name);
	put(out, ":", 1);
	out->need_comma = false;
}

void
wire_out_key(struct wire_out *out, const char *name)
{
	wire_out_key_span(
	    out, (struct wire_span){(const uint8_t *)name, strlen(name)});
}

void
wire_out_raw_string(struct wire_out *out, struct wire_span raw)
{
	separate(out);
	if (raw.len != 0 && memchr(raw.p, '\n', raw.len) != NULL)
		latch(out, WIRE_ERR_BAD_ARGUMENT);
	put(out, "\"", 1);
	put(out, raw.p, raw.len);
	put(out, "\"", 1);
}

void
wire_out_raw(struct wire_out *out, struct wire_span value)
{
	uint8_t *p, *stop;

	separate(out);
	if (value.len == 0)
		latch(out, WIRE_ERR_BAD_ARGUMENT);
	put(out, value.p, value.len);
	if (out->err != WIRE_OK)
		return;
	/*
	 * SECURITY: no newline leaves inside a frame. In an accepted value
	 * they stand between tokens only, where a blank means the same.
	 */
	stop = out->buf + out->len;
	p = stop - value.len;
	while ((p = memchr(p, '\n', (size_t)(stop - p))) != NULL)
		*p++ = ' ';
}

void
wire_out_newline(struct wire_out *out)
{
	if (out->depth != 0)
		latch(out, WIRE_ERR_BAD_ARGUMENT);
	put(out, "\n", 1);
	out->need_comma = false;
}

enum wire_err
wire_out_finish(struct wire_out *out, size_t *ret_len)
{
	if (out->depth != 0)
		latch(out, WIRE_ERR_BAD_ARGUMENT);
	if (out->err == WIRE_OK)
		*ret_len = out->len;
	return out->err;
}
