/*
 * What a program is given beside a root, an interpreter and a workspace:
 * paths to read, to write, to import from and to execute, and variables (C9,
 * C12, C14).
 *
 * A grant is resolved once, when it is loaded: it exists, it is spelled
 * without links, and it neither holds nor lies in a directory that is weir's
 * own. Nothing is opened; what stands there later is what is granted.
 *
 * Owns its strings. Threads: any, one struct for each.
 */
#ifndef SUP_GRANTS_H
#define SUP_GRANTS_H

#include <stdbool.h>
#include <stddef.h>

#include "wire/err.h"

#define SUP_GRANTS	    40
#define SUP_GRANT_VARIABLES 48
#define SUP_GRANT_TEXT	    1024

struct sup_grant {
	char *path;
	bool directory;
	bool read, write; /* one does not imply the other */
	bool execute;	  /* and read; a file. Where processes are granted */
};

struct sup_grants {
	struct sup_grant paths[SUP_GRANTS]; /* parents first */
	size_t path_count;
	char *packages[SUP_GRANTS]; /* also among the paths; in their order */
	size_t package_count;
	char *variables[SUP_GRANT_VARIABLES]; /* NAME=VALUE */
	size_t variable_count;
};

enum sup_grant_kind {
	SUP_GRANT_READ,
	SUP_GRANT_WRITE,
	SUP_GRANT_PACKAGES,
	SUP_GRANT_EXEC,
	SUP_GRANT_ROOT, /* of a tool: outside of what a program sees */
	SUP_GRANT_KINDS
};

/* Adds one. BAD_ARGUMENT with a sentence that names it, or NO_MEMORY. A path
 * that is granted already gets both rights. */
WIRE_MUST_USE enum wire_err sup_grants_add_path(struct sup_grants *grants,
    enum sup_grant_kind kind, const char *path, char text[SUP_GRANT_TEXT]);
/* Takes the right to be executed from all but these paths. */
void sup_grants_keep_exec(
    struct sup_grants *grants, const char *const *paths, size_t count);
/* Of one name the last value stands. value is UTF-8. */
WIRE_MUST_USE enum wire_err sup_grants_add_variable(struct sup_grants *grants,
    const char *name, const char *value, char text[SUP_GRANT_TEXT]);

/*
 * SECURITY: false with a sentence when a grant holds dir or lies in it. dir is
 * weir's own: what it runs, what it is configured by, where it keeps what is
 * not the program's.
 */
bool sup_grants_keep_off(const struct sup_grants *grants, const char *dir,
    char text[SUP_GRANT_TEXT]);

void sup_grants_release(struct sup_grants *grants);

#endif
