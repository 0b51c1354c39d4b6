/*
 * Lines of an MCP server's standard output, from bytes that may be anything.
 *
 * A line ends with 0x0A; a 0x0D before it is left out. Lines are handed out
 * as they stand in the buffer. What would take more than `max` bytes is given
 * up by bind_mcp_lines_drop: its rest is read and thrown away, and of such a
 * line only the id that it answers is known (struct bind_mcp_sight), so that
 * the call that waits for it can be told.
 *
 * Owns: the buffer, which grows by doubling as bytes arrive. It is given back
 * when it is empty again and was large. No descriptor: the caller reads into
 * the room that is given. Threads: one at a time.
 */
#ifndef BIND_MCP_LINES_H
#define BIND_MCP_LINES_H

#include "bindings/mcp_sight.h"
#include "wire/err.h"
#include "wire/span.h"

struct bind_mcp_lines {
	uint8_t *p;
	size_t size;
	size_t begin;	/* of the line that is looked at */
	size_t scanned; /* no newline stands before */
	size_t end;
	size_t max; /* bytes of a line without its newline */
	bool dropping;
	struct bind_mcp_sight sight; /* while dropping */
};

enum bind_mcp_lines_next {
	BIND_MCP_LINES_MORE, /* bytes are needed */
	BIND_MCP_LINES_LINE, /* here is one */
	BIND_MCP_LINES_FULL, /* one that is over max; drop it or allow more */
	BIND_MCP_LINES_DROPPED, /* the end of one that was dropped: see sight */
};

/* max is below SIZE_MAX / 4. No allocation. */
void bind_mcp_lines_init(struct bind_mcp_lines *lines, size_t max);
void bind_mcp_lines_release(struct bind_mcp_lines *lines);

/*
 * Room for at least one byte, at *ret_room; 0 when memory is short. Lines that
 * were handed out before are gone. To be called when next() has said MORE.
 */
size_t bind_mcp_lines_room(struct bind_mcp_lines *lines, uint8_t **ret_room);
/* So many bytes have been written there. */
void bind_mcp_lines_filled(struct bind_mcp_lines *lines, size_t len);

/* The next line, good until room() is called. */
enum bind_mcp_lines_next bind_mcp_lines_next(
    struct bind_mcp_lines *lines, struct wire_span *ret_line);

/* Gives up the line that is over max. */
void bind_mcp_lines_drop(struct bind_mcp_lines *lines);

#endif
