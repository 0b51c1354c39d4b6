/*
 * What is said to an MCP server: one line of JSON for each message.
 *
 * Owns: the lines it makes; free() ends one. Pure, but for the allocation. A
 * line is NULL when memory is short.
 */
#ifndef BIND_MCP_WRITE_H
#define BIND_MCP_WRITE_H

#include <bsd/sys/queue.h>

#include "wire/span.h"

/* The revision of each era that is asked for. */
#define BIND_MCP_LEGACY_VERSION "2025-11-25"
#define BIND_MCP_MODERN_VERSION "2026-07-28"

enum bind_mcp_era {
	BIND_MCP_ERA_LEGACY, /* with a handshake */
	BIND_MCP_ERA_MODERN, /* every message says its version */
	BIND_MCP_ERA_AUTO    /* to be found out; never on a line */
};

struct bind_mcp_line {
	TAILQ_ENTRY(bind_mcp_line) link;
	uint64_t id;	/* of a request of ours; 0: none */
	bool is_answer; /* to a request of the server's */
	size_t len;
	size_t sent; /* a line that has been begun is finished */
	uint8_t bytes[];
};

/* Ids of requests are not 0. initialize, or server/discover: */
struct bind_mcp_line *bind_mcp_write_hello(enum bind_mcp_era era, uint64_t id);
/* notifications/initialized */
struct bind_mcp_line *bind_mcp_write_initialized(void);
/* tools/list; cursor is raw text, empty for the first page. */
struct bind_mcp_line *bind_mcp_write_list(
    enum bind_mcp_era era, uint64_t id, struct wire_span cursor);
/* tools/call; arguments is JSON that a scan has accepted, an object. */
struct bind_mcp_line *bind_mcp_write_call(enum bind_mcp_era era, uint64_t id,
    struct wire_span tool, struct wire_span arguments);
/* notifications/cancelled */
struct bind_mcp_line *bind_mcp_write_cancelled(uint64_t id, const char *reason);
/* To a request of the server's: an empty result, or that there is no such
 * method. id is JSON. */
struct bind_mcp_line *bind_mcp_write_pong(struct wire_span id);
struct bind_mcp_line *bind_mcp_write_refusal(struct wire_span id);

#endif
