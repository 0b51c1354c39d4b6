/*
 * The directories that are weir's own: what it runs, where workspaces stand,
 * and where ledgers do.
 */
#ifndef SUP_OWN_H
#define SUP_OWN_H

#include "supervisor/exec.h"
#include "supervisor/grants.h"

/* False with a sentence when a grant holds one of them or lies in
 * it (C12). */
bool sup_own_keep_off(const struct weir *weir, const struct sup_grants *grants,
    char text[SUP_GRANT_TEXT]);

#endif
