/*
 * Which part of a kept text is shown (B7): windows by bytes, and what is
 * shown of a line.
 *
 * No window cuts a character: texts are UTF-8, and so is every part of them
 * that is shown. Pure.
 */
#ifndef BIND_WINDOW_H
#define BIND_WINDOW_H

#include "wire/limits.h"
#include "wire/span.h"

#define BIND_WINDOW_BYTES      (64 * WIRE_KIB) /* by default */
#define BIND_WINDOW_BYTES_MAX  (1 * WIRE_MIB)
#define BIND_WINDOW_LINES      200
#define BIND_WINDOW_LINES_MAX  1000
#define BIND_WINDOW_LINE_CHARS 2000 /* shown of one line */
#define BIND_WINDOW_SIGHT      500  /* bytes before a match, in a long line */

/* [begin, end) of a text. */
struct bind_window {
	size_t begin, end;
};

/*
 * `length` bytes from `offset` on: from the beginning of the character that
 * the offset is in, to the end of the last one that fits whole; at least one
 * character, where there is one, so that a reader who goes on at `end` gets to
 * the end. Offsets past the end give an empty window there.
 */
struct bind_window bind_window_bytes(
    struct wire_span text, uint64_t offset, uint64_t length);

/* Of [begin, end), the first `chars` characters. */
struct bind_window bind_window_chars(
    struct wire_span text, size_t begin, size_t end, size_t chars);

/* What is shown of the line [begin, end) for a match at this offset in it. */
struct bind_window bind_window_match(
    struct wire_span text, size_t begin, size_t end, size_t match);

#endif
