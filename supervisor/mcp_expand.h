/*
 * Variables in the strings of a configuration of MCP servers.
 *
 *	${NAME}  ${env:NAME}	the variable's value; unset: refused
 *	${NAME:-TEXT}		or TEXT where it is unset or empty
 *
 * NAME is [A-Za-z_][A-Za-z0-9_]*; anything else stays as it is. TEXT goes to
 * the next `}` and is not expanded. What a value holds is not looked at again.
 *
 * Memory: the caller's buffer. Threads: pure.
 */
#ifndef SUP_MCP_EXPAND_H
#define SUP_MCP_EXPAND_H

#include "wire/err.h"
#include "wire/span.h"

#define SUP_MCP_EXPANDED (64UL * 1024) /* bytes, NUL counted */
#define SUP_MCP_VARIABLE 128	       /* of a name that is shown */

struct sup_mcp_expansion {
	char text[SUP_MCP_EXPANDED];
	size_t len;
	/* Of a variable that is unset, the name, cut. */
	char missing[SUP_MCP_VARIABLE];
};

/* NO_SPACE: it does not fit. MISSING_FIELD: a variable is unset. environment
 * is NULL-terminated NAME=VALUE, or NULL. piece is called with each value that
 * was put in, since such are to be hidden. */
WIRE_MUST_USE enum wire_err sup_mcp_expand(const char *text,
    const char *const *environment,
    void (*piece)(void *arg, const char *text, size_t len), void *arg,
    struct sup_mcp_expansion *ret);

#endif
