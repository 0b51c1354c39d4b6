/*
 * What is configured of MCP servers: settled once, by who reads the
 * configuration, and only read here. It outlives everything that uses it.
 */
#ifndef BIND_MCP_CONFIG_H
#define BIND_MCP_CONFIG_H

#include "bindings/command.h"
#include "bindings/mcp_write.h"

/* Servers of one configuration, and bytes of the name of one. */
#define BIND_MCP_SERVERS     64
#define BIND_MCP_SERVER_NAME 64

struct bind_mcp_names {
	const struct wire_span *names;
	size_t count;
};

struct bind_mcp_entry {
	struct wire_span
	    name; /* 1 to BIND_MCP_SERVER_NAME bytes, as a tool's */
	const struct bind_command *command;
	enum bind_mcp_era era;
	uint64_t start_ns; /* from the start to the list of tools */
	uint64_t call_ns;  /* of a call; UINT64_MAX: no limit of its own */
	bool required;	   /* without it nothing runs */
	bool has_include;
	struct bind_mcp_names include, exclude; /* names of its tools */
	/* Values that are shown to nobody; from LEAST bytes on. */
	struct bind_mcp_names hidden;
};

struct bind_mcp_config {
	const struct bind_mcp_entry *entries;
	size_t count;
};

#endif
