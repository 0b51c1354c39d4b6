#include "bindings/window.h"

#include "wire/utf8.h"

struct bind_window
bind_window_bytes(struct wire_span text, uint64_t offset, uint64_t length)
{
	size_t begin, end;

	if (offset >= text.len)
		return (struct bind_window){text.len, text.len};
	/* SECURITY: both ends are the beginnings of characters; half of one
	 * would be no JSON, and the reply a frame that ends the execution. */
	begin = wire_utf8_floor(text, (size_t)offset);
	end = text.len;
	if (length < end - begin)
		end = wire_utf8_floor(text, begin + (size_t)length);
	if (end == begin)
		end = wire_utf8_ceil(text, begin + 1);
	return (struct bind_window){begin, end};
}

static bool
continues(uint8_t byte)
{
	return (byte & 0xc0) == 0x80;
}

struct bind_window
bind_window_chars(struct wire_span text, size_t begin, size_t end, size_t chars)
{
	size_t at = begin;

	/* No character has more than four bytes. */
	while (at < end && (chars > 0 || continues(text.p[at]))) {
		if (!continues(text.p[at]))
			chars--;
		at++;
	}
	return (struct bind_window){begin, at};
}

struct bind_window
bind_window_match(struct wire_span text, size_t begin, size_t end, size_t match)
{
	struct bind_window whole =
	    bind_window_chars(text, begin, end, BIND_WINDOW_LINE_CHARS);

	if (whole.end == end || match - begin <= BIND_WINDOW_SIGHT)
		return whole;
	begin = wire_utf8_floor(text, match - BIND_WINDOW_SIGHT);
	return bind_window_chars(text, begin, end, BIND_WINDOW_LINE_CHARS);
}
