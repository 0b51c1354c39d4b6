#include "supervisor/own.h"

#include "supervisor/scratch.h"

bool
sup_own_keep_off(const struct weir *weir, const struct sup_grants *grants,
    char text[SUP_GRANT_TEXT])
{
	char base[SUP_SCRATCH_BASE];

	/* SECURITY: what weir runs, where workspaces of others stand, and the
	 * ledgers with their key are not given to a program (C12). */
	sup_scratch_place(base);
	return sup_grants_keep_off(grants, weir->libexec, text) &&
	    sup_grants_keep_off(grants, base, text) &&
	    (weir->state == NULL ||
		sup_grants_keep_off(grants, weir->state, text));
}
