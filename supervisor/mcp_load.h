/*
 * MCP servers from the text of a configuration to what the provider takes:
 * variables expanded, commands found, values that are to be hidden noted.
 *
 * What cannot work fails here (W13): a variable that is unset, a command or a
 * directory that is not there. Sentences name file, line, column and member,
 * and never a value. Servers that are disabled are checked like others, but
 * for what they need of the host, and left out.
 *
 * Memory: the result owns copies of everything. Threads: any.
 */
#ifndef SUP_MCP_LOAD_H
#define SUP_MCP_LOAD_H

#include "bindings/mcp_config.h"
#include "supervisor/weir.h"

struct sup_mcp;

/* guardian is an absolute path; environment is NULL-terminated or NULL. NULL
 * with a sentence; *fault says whose. */
struct sup_mcp *sup_mcp_load(const struct weir_source *source,
    const char *guardian, const char *const *environment,
    enum weir_fault *ret_fault, char error[WEIR_ERROR_MAX]);

/* NULL is fine. */
void sup_mcp_free(struct sup_mcp *mcp);

const struct bind_mcp_config *sup_mcp_config(const struct sup_mcp *mcp);

#endif
