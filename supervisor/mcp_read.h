/*
 * The `mcpServers` form of a JSON text, from bytes to a struct (weir(1), MCP
 * SERVERS).
 *
 * Owns: the form. Refuses: everything that wire/json.h refuses, members it
 * does not know, values of another type or outside their range, servers that
 * are not on standard input and output. Members by which other programs say
 * whom they trust are taken and mean nothing here. Strings are as written:
 * nothing is expanded or looked up. Linear in the bytes, no recursion, every
 * list has its maximum.
 *
 * Memory: strings stand in the caller's arena. Threads: pure.
 */
#ifndef SUP_MCP_READ_H
#define SUP_MCP_READ_H

#include "bindings/mcp_config.h"
#include "supervisor/profile_read.h"

#define SUP_MCP_WORDS	 8192 /* strings of all lists together */
#define SUP_MCP_TIME_MAX (24UL * 60 * 60 * 1000) /* ms */
#define SUP_MCP_START_MS 30000

/* A string, and where it begins in the text. */
struct sup_mcp_word {
	const char *text; /* NULL: not given */
	size_t offset;
};

/* Of `words`, from first on. */
struct sup_mcp_words {
	size_t first, count;
};

struct sup_mcp_server {
	struct sup_mcp_word name, command, cwd;
	struct sup_mcp_words args;
	struct sup_mcp_words env; /* name and value, in turn */
	bool has_include;
	struct sup_mcp_words include, exclude;
	enum bind_mcp_era era;
	uint64_t start_ms;
	uint64_t call_ms; /* 0: no limit of its own */
	bool required, disabled;
};

struct sup_mcp_file {
	size_t count;
	struct sup_mcp_server servers[BIND_MCP_SERVERS];
	size_t word_count;
	struct sup_mcp_word words[SUP_MCP_WORDS];
};

/* arena has as many bytes as the text. On WIRE_ERR_BAD_ARGUMENT *problem says
 * why. */
WIRE_MUST_USE enum wire_err sup_mcp_read(struct wire_span text,
    struct wire_json_scratch *scratch, char *arena,
    struct sup_mcp_file *ret_file, struct sup_profile_problem *problem);

#endif
