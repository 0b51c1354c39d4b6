/*
 * The tools of one MCP server, page by page from the results of tools/list.
 *
 * Owns: a list with its bounds. Leaves out, and counts: entries without a
 * usable name (bindings/catalogue.h), names that stand twice (the first one
 * stays), and what is over BIND_MCP_TOOLS. Past BIND_MCP_ENTRIES entries the
 * list ends, whatever they are. A description or schema that is
 * over its bound is left out of its tool. Refuses: a page without an array of
 * tools. A cursor that was seen before ends the list, as does the last page
 * that is taken.
 *
 * A tool is shared by counting: the list has it, and every catalogue that
 * offers it. Threads: one at a time.
 */
#ifndef BIND_MCP_LIST_H
#define BIND_MCP_LIST_H

#include "bindings/catalogue.h"
#include "bindings/json_check.h"

#define BIND_MCP_TOOLS 2000
/* Entries that are looked at, tools or not. */
#define BIND_MCP_ENTRIES (2 * BIND_MCP_TOOLS)
#define BIND_MCP_PAGES	 100
#define BIND_MCP_CURSOR	 4096 /* bytes of a cursor */
/* Bytes of JSON for one tool, and for all of a list. */
#define BIND_MCP_DESCRIPTION (16 * WIRE_KIB)
#define BIND_MCP_SCHEMA	     (64 * WIRE_KIB)
#define BIND_MCP_ABOUT	     (4 * WIRE_MIB)

#define BIND_MCP_SLOTS 4096 /* a power of two, over twice the tools */

struct bind_mcp_server;

struct bind_mcp_tool {
	unsigned references;
	struct bind_mcp_server *server;
	bool has_output; /* it declares the shape of its results */
	bool suspends;	 /* it only runs as a task, which may wait for ever */
	struct bind_tool_about about;
	size_t name_len;
	uint8_t name[WIRE_MAX_TOOL_NAME];
	uint8_t text[]; /* what about points into */
};

struct bind_mcp_list {
	struct bind_mcp_tool **tools;
	size_t count, room;
	size_t bytes; /* of descriptions and schemas */
	uint16_t *slots;
	uint64_t seed; /* of their order; that of the check */
	size_t entries;
	/* What was left out. */
	unsigned unusable, repeated, over;
	bool is_cut; /* pages were not asked for */
	size_t page_count;
	uint64_t seen[BIND_MCP_PAGES]; /* sums of the cursors */
	size_t cursor_len;	       /* of the next page; 0: there is none */
	uint8_t cursor[BIND_MCP_CURSOR]; /* raw text */
	uint64_t ttl_ms;		 /* of the first page */
};

void bind_mcp_list_init(struct bind_mcp_list *list);
void bind_mcp_list_release(struct bind_mcp_list *list);

/*
 * Adds a page: the result of tools/list, which a scan has accepted.
 * cursor_len says afterwards whether there is another one. BAD_FIELD when it
 * is no page, or NO_MEMORY.
 */
WIRE_MUST_USE enum wire_err bind_mcp_list_add(struct bind_mcp_list *list,
    struct bind_mcp_server *server, struct bind_json_check *check,
    struct wire_span page);

/* Whether a tool of this name is in it. */
bool bind_mcp_list_has(const struct bind_mcp_list *list, struct wire_span name);

/* One reference less. */
void bind_mcp_tool_drop(struct bind_mcp_tool *tool);

#endif
