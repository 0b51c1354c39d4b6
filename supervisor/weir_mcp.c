/*
 * weir_mcp_servers of weir.h.
 */
#include <limits.h>
#include <stdio.h>

#include "supervisor/exec.h"
#include "supervisor/explain.h"
#include "supervisor/mcp_load.h"
#include "supervisor/weir.h"

bool
weir_mcp_servers(struct weir *weir, const struct weir_source *source,
    char error[WEIR_ERROR_MAX])
{
	char guardian[PATH_MAX];

	weir->fault = WEIR_FAULT_REQUEST;
	if (weir->mcp != NULL) {
		sup_explain(error,
		    "MCP servers were given before; give them in one text");
		return false;
	}
	(void)snprintf(guardian, sizeof(guardian), "%.*s/weir-child",
	    PATH_MAX - 16, weir->libexec);
	weir->mcp = sup_mcp_load(source, guardian,
	    (const char *const *)weir->environment, &weir->fault, error);
	return weir->mcp != NULL;
}
