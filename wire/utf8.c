#include "wire/utf8.h"

/*
 * How a lead byte continues: the number of continuation bytes, and the range
 * of the first of them. The range is what rules out overlong forms (E0, F0),
 * surrogates (ED) and what lies above U+10FFFF (F4).
 */
struct lead {
	uint8_t more;
	uint8_t low, high;
};

static bool
lead_of(uint8_t byte, struct lead *ret_lead)
{
	struct lead lead = {0, 0x80, 0xbf};

	if (byte < 0xc2 || byte > 0xf4)
		return false;
	if (byte < 0xe0) {
		lead.more = 1;
	} else if (byte < 0xf0) {
		lead.more = 2;
		if (byte == 0xe0)
			lead.low = 0xa0;
		else if (byte == 0xed)
			lead.high = 0x9f;
	} else {
		lead.more = 3;
		if (byte == 0xf0)
			lead.low = 0x90;
		else if (byte == 0xf4)
			lead.high = 0x8f;
	}
	*ret_lead = lead;
	return true;
}

size_t
wire_utf8_step(struct wire_span text, bool *ret_ok)
{
	struct lead lead;
	size_t n;

	*ret_ok = text.p[0] < 0x80;
	if (*ret_ok || !lead_of(text.p[0], &lead))
		return 1;
	for (n = 1; n <= lead.more; n++) {
		if (n == text.len || text.p[n] < lead.low ||
		    text.p[n] > lead.high)
			return n;
		lead.low = 0x80;
		lead.high = 0xbf;
	}
	*ret_ok = true;
	return n;
}

size_t
wire_utf8_valid_prefix(struct wire_span text)
{
	size_t at = 0, step;
	bool ok;

	while (at < text.len) {
		if (text.p[at] < 0x80) {
			at++;
			continue;
		}
		step = wire_utf8_step(
		    (struct wire_span){text.p + at, text.len - at}, &ok);
		if (!ok)
			break;
		at += step;
	}
	return at;
}

/*
 * The character that covers the cut at `at`: true, with its bounds, when a
 * well-formed one begins before the cut and ends after it.
 */
static bool
straddles(struct wire_span text, size_t at, size_t *ret_begin, size_t *ret_end)
{
	size_t back, begin, step;
	bool ok;

	if (at >= text.len)
		return false;
	for (back = 1; back <= 3 && back <= at; back++) {
		begin = at - back;
		if ((text.p[begin] & 0xc0) == 0x80)
			continue;
		step = wire_utf8_step(
		    (struct wire_span){text.p + begin, text.len - begin}, &ok);
		if (!ok || step <= back)
			return false;
		*ret_begin = begin;
		*ret_end = begin + step;
		return true;
	}
	return false;
}

size_t
wire_utf8_floor(struct wire_span text, size_t at)
{
	size_t begin, end;

	if (at > text.len)
		return text.len;
	return straddles(text, at, &begin, &end) ? begin : at;
}

size_t
wire_utf8_ceil(struct wire_span text, size_t at)
{
	size_t begin, end;

	if (at > text.len)
		return text.len;
	return straddles(text, at, &begin, &end) ? end : at;
}
