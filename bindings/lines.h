/*
 * The lines of a text: where each begins, found without reading all of it.
 *
 * Lines are what stands between newlines and are counted from 0: a text has
 * one more of them than newlines, so joining them with newlines gives the text
 * again, and a text that ends in one has an empty last line.
 *
 * Owns: an index of one offset for BIND_LINES_STRIDE lines. The text is the
 * caller's, and the same in every call. Pure but for the allocation.
 */
#ifndef BIND_LINES_H
#define BIND_LINES_H

#include "wire/err.h"
#include "wire/span.h"

#define BIND_LINES_STRIDE 256

struct bind_lines {
	size_t count;  /* at least 1 */
	size_t *marks; /* of the lines 0, STRIDE, 2 * STRIDE, ... */
};

/* Or NO_MEMORY. */
WIRE_MUST_USE enum wire_err bind_lines_init(
    struct bind_lines *lines, struct wire_span text);
void bind_lines_release(struct bind_lines *lines);

/* Where a line begins; for `count`, one past what would be its newline. */
size_t bind_lines_begin(
    const struct bind_lines *lines, struct wire_span text, size_t line);

/* The line that the byte at this offset is in; a newline ends its own line. */
size_t bind_lines_of(
    const struct bind_lines *lines, struct wire_span text, size_t offset);

/* The end of the line that begins, or goes on, at this offset. */
size_t bind_lines_end(struct wire_span text, size_t offset);

#endif
