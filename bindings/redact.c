#include "bindings/redact.h"

#include <string.h>

static const char escapes[] = "\"\\/bfnrt", escaped[] = "\"\\/\b\f\n\r\t";

/* The four digits of \uXXXX; false: there are none. */
static bool
read_unit(struct wire_span said, uint32_t *ret_unit)
{
	uint32_t unit = 0;

	if (said.len < 6 || said.p[0] != '\\' || said.p[1] != 'u')
		return false;
	for (size_t i = 2; i < 6; i++) {
		uint8_t c = said.p[i];

		if (c >= '0' && c <= '9')
			unit = unit << 4 | (uint32_t)(c - '0');
		else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f')
			unit = unit << 4 | (uint32_t)((c | 0x20) - 'a' + 10);
		else
			return false;
	}
	*ret_unit = unit;
	return true;
}

static size_t
put_utf8(uint32_t point, uint8_t out[4])
{
	static const uint8_t first[] = {0, 0, 0xc0, 0xe0, 0xf0};
	size_t len = point < 0x80 ? 1 : point < 0x800 ? 2 : 3;

	if (point >= 0x10000)
		len = 4;
	for (size_t i = len - 1; i > 0; i--, point >>= 6)
		out[i] = (uint8_t)(0x80 | (point & 0x3f));
	out[0] = (uint8_t)(first[len] | point);
	return len;
}

/* The character that is escaped here, as in JSON. Returns how many bytes stand
 * for it; 0: none is. */
static size_t
unescape(struct wire_span said, uint8_t out[4], size_t *ret_len)
{
	const char *which;
	uint32_t unit, low;
	size_t used = 6;

	if (said.len < 2 || said.p[0] != '\\' || said.p[1] == '\0')
		return 0;
	which = strchr(escapes, said.p[1]);
	if (which != NULL) {
		out[0] = (uint8_t)escaped[which - escapes];
		*ret_len = 1;
		return 2;
	}
	if (!read_unit(said, &unit))
		return 0;
	if (unit >> 10 == 0x36 &&
	    read_unit((struct wire_span){said.p + 6, said.len - 6}, &low) &&
	    low >> 10 == 0x37) {
		unit = 0x10000 + ((unit & 0x3ff) << 10 | (low & 0x3ff));
		used = 12;
	}
	*ret_len = put_utf8(unit, out);
	return used;
}

/* Bytes of what was said that are the text with some of it escaped; 0: they
 * are not. */
static size_t
escaped_at(struct wire_span said, const uint8_t *p, size_t len)
{
	size_t at = 0;

	while (len > 0) {
		struct wire_span rest = {said.p + at, said.len - at};
		uint8_t out[4];
		size_t used, made = 0;

		used = unescape(rest, out, &made);
		if (used == 0 && rest.len > 0) {
			out[0] = rest.p[0];
			used = made = 1;
		}
		if (used == 0 || made > len || memcmp(out, p, made) != 0)
			return 0;
		at += used;
		p += made;
		len -= made;
	}
	return at;
}

/* Bytes that stand for the text here, at which what was said begins. */
static size_t
begins_with(struct wire_span said, const uint8_t *p, size_t len)
{
	if (said.len >= len && memcmp(said.p, p, len) == 0)
		return len;
	return escaped_at(said, p, len);
}

/* Bytes of the longest text that stands here; 0: none does. */
static size_t
text_at(const struct bind_redact *redact, struct wire_span said)
{
	size_t longest = 0;

	for (size_t i = 0; i < redact->count; i++) {
		struct wire_span hidden = redact->texts[i];
		size_t len = 0;

		if (hidden.len >= BIND_REDACT_LEAST)
			len = begins_with(said, hidden.p, hidden.len);
		if (len > longest)
			longest = len;
	}
	return longest;
}

/* Likewise for the end of a text whose beginning is missing. */
static size_t
rest_at(const struct bind_redact *redact, struct wire_span said)
{
	size_t longest = 0;

	for (size_t i = 0; i < redact->count; i++) {
		struct wire_span hidden = redact->texts[i];

		if (hidden.len < BIND_REDACT_LEAST)
			continue;
		for (size_t cut = 1; hidden.len - cut > longest; cut++) {
			size_t len =
			    begins_with(said, hidden.p + cut, hidden.len - cut);

			if (len > 0) {
				longest = len > longest ? len : longest;
				break;
			}
		}
	}
	return longest;
}

void
bind_redact_add(struct bind_text *text, const struct bind_redact *redact,
    struct wire_span said, bool is_tail)
{
	size_t plain = 0;

	while (plain < said.len && !text->full) {
		struct wire_span rest = {said.p + plain, said.len - plain};
		size_t len = text_at(redact, rest);

		if (len == 0 && is_tail && plain == 0)
			len = rest_at(redact, said);
		/* No more than there is room for is looked at. */
		if (len == 0 && plain < text->max) {
			plain++;
			continue;
		}
		bind_text_add_span(text, (struct wire_span){said.p, plain});
		if (len > 0)
			bind_text_add(text, BIND_REDACT_WORD);
		said.p += plain + len;
		said.len -= plain + len;
		plain = 0;
		is_tail = false;
	}
	if (plain > 0)
		bind_text_add_span(text, (struct wire_span){said.p, plain});
}
