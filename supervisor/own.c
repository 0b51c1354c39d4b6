#include "supervisor/own.h"

#include <sys/stat.h>

#include "supervisor/scratch.h"
#include "supervisor/sys.h"

/* Everybody may put links into /tmp. One in the place of a base is none, and
 * what it leads to is not to be kept from anybody. */
static bool
is_link(const char *path)
{
	struct stat st;

	return sup_sys_lstat(path, &st) == 0 && S_ISLNK(st.st_mode);
}

bool
sup_own_keep_off(const struct weir *weir, const struct sup_grants *grants,
    char text[SUP_GRANT_TEXT])
{
	char base[SUP_SCRATCH_BASE];

	if (grants->path_count == 0)
		return true;
	/* SECURITY: what weir runs, where workspaces of others stand, and the
	 * ledgers with their key are not given to a program (C12). */
	for (unsigned i = 0; i < SUP_SCRATCH_PLACES; i++) {
		sup_scratch_place(i, base);
		if (!is_link(base) && !sup_grants_keep_off(grants, base, text))
			return false;
	}
	return sup_grants_keep_off(grants, weir->libexec, text) &&
	    (weir->state == NULL ||
		sup_grants_keep_off(grants, weir->state, text));
}
