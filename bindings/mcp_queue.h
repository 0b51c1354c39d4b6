/*
 * What waits to be written to an MCP server, in the order in which it was said.
 *
 * Owns: its lines. Threads: one at a time.
 */
#ifndef BIND_MCP_QUEUE_H
#define BIND_MCP_QUEUE_H

#include "bindings/mcp_write.h"
#include "wire/err.h"
#include "wire/limits.h"

/* What may wait for a server that does not read. */
#define BIND_MCP_QUEUE_MAX (64 * WIRE_MIB)

struct bind_mcp_queue {
	TAILQ_HEAD(, bind_mcp_line) lines;
	size_t len;	/* bytes that have not been written */
	size_t answers; /* bytes of lines that are answers, written or not */
};

void bind_mcp_queue_init(struct bind_mcp_queue *queue);

/* Frees what waits. */
void bind_mcp_queue_empty(struct bind_mcp_queue *queue);

bool bind_mcp_queue_is_empty(const struct bind_mcp_queue *queue);

/* Takes the line over; NULL stands for one that memory was short for. False:
 * it is not taken, for want of memory or of room, and is gone. */
WIRE_MUST_USE bool bind_mcp_queue_add(
    struct bind_mcp_queue *queue, struct bind_mcp_line *line);

/* Takes the request of this id out; false: it has been begun, or is not
 * there. */
bool bind_mcp_queue_remove(struct bind_mcp_queue *queue, uint64_t id);

/* Writes at most BIND_TURN_MAX bytes to a pipe that does not block. 0, also
 * where it takes no more for now, or -errno of write(2). */
WIRE_MUST_USE int bind_mcp_queue_write(struct bind_mcp_queue *queue, int fd);

#endif
