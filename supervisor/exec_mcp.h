/*
 * MCP servers of an execution: whose they are, waiting for them, and their
 * tools in its catalogue (B8, B10).
 *
 * Servers belong to an owner, a tenant with its policy and profile: each has a
 * pool of its own, which lives on when an execution is over. Of the pools that
 * nobody uses the last SUP_MCP_IDLE are kept.
 *
 * Private to the supervisor, like exec.h. A context without servers has no
 * pools, and all of this does nothing.
 */
#ifndef SUP_EXEC_MCP_H
#define SUP_EXEC_MCP_H

#include "supervisor/exec.h"

#define SUP_MCP_IDLE 16

/* Starts what the execution may need and waits for it, or goes on at once. Its
 * end comes as a result in any case. */
void sup_exec_mcp_begin(struct weir_execution *execution);

/* After a turn of the loop: goes on when there is nothing to wait for. */
void sup_exec_mcp_look(struct weir_execution *execution);

/* What the table calls BEGIN: the tools into the catalogue, then the child. */
void sup_exec_mcp_go(struct weir_execution *execution);

/* It has no more use for them. Its tools are gone. Fine twice. */
void sup_exec_mcp_end(struct weir_execution *execution);

/* After a turn of the loop: frees pools whose servers have ended. */
void sup_exec_mcp_sweep(struct weir *weir);

/* Ends all servers. No execution is left. */
void sup_exec_mcp_free(struct weir *weir);

#endif
