#include "bindings/lines.h"

#include <stdlib.h>
#include <string.h>

static size_t
count_newlines(const uint8_t *p, size_t len)
{
	size_t count = 0;

	for (size_t i = 0; i < len; i++)
		count += p[i] == '\n';
	return count;
}

size_t
bind_lines_end(struct wire_span text, size_t offset)
{
	const uint8_t *newline;

	if (offset >= text.len)
		return text.len;
	newline = memchr(text.p + offset, '\n', text.len - offset);
	return newline != NULL ? (size_t)(newline - text.p) : text.len;
}

enum wire_err
bind_lines_init(struct bind_lines *lines, struct wire_span text)
{
	size_t count = count_newlines(text.p, text.len) + 1;
	size_t at = 0;
	size_t *marks;

	marks = calloc((count - 1) / BIND_LINES_STRIDE + 1, sizeof(marks[0]));
	if (marks == NULL)
		return WIRE_ERR_NO_MEMORY;
	for (size_t line = 0; line < count; line++) {
		if (line % BIND_LINES_STRIDE == 0)
			marks[line / BIND_LINES_STRIDE] = at;
		at = bind_lines_end(text, at) + 1;
	}
	*lines = (struct bind_lines){count, marks};
	return WIRE_OK;
}

void
bind_lines_release(struct bind_lines *lines)
{
	free(lines->marks);
	*lines = (struct bind_lines){0, NULL};
}

size_t
bind_lines_begin(
    const struct bind_lines *lines, struct wire_span text, size_t line)
{
	size_t at;

	if (line >= lines->count)
		return text.len + 1;
	at = lines->marks[line / BIND_LINES_STRIDE];
	for (size_t n = line % BIND_LINES_STRIDE; n > 0; n--)
		at = bind_lines_end(text, at) + 1;
	return at;
}

size_t
bind_lines_of(
    const struct bind_lines *lines, struct wire_span text, size_t offset)
{
	size_t low = 0, high = (lines->count - 1) / BIND_LINES_STRIDE;
	size_t from;

	if (offset > text.len)
		offset = text.len;
	/* The last mark that is not behind the offset. */
	while (low < high) {
		size_t middle = high - (high - low) / 2;

		if (lines->marks[middle] <= offset)
			low = middle;
		else
			high = middle - 1;
	}
	from = lines->marks[low];
	return low * BIND_LINES_STRIDE +
	    count_newlines(text.p + from, offset - from);
}
