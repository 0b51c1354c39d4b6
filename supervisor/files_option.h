/*
 * The value of --tool NAME=files:ROOT[:read=PATH,...][:write=PATH,...], after
 * the word `files:`.
 *
 * ROOT and the paths stand as they are: there is no quoting, so none of them
 * has a ':' or a ',' in it; weir_tool_files in weir.h takes any. Whether they
 * are good paths is for others to say. Pure.
 */
#ifndef SUP_FILES_OPTION_H
#define SUP_FILES_OPTION_H

#include <stdbool.h>

#include "supervisor/weir.h"

#define SUP_FILES_PATHS 64 /* of one list */

struct sup_files_option {
	struct weir_files files; /* keep_off is left NULL */
	const char *read[SUP_FILES_PATHS], *write[SUP_FILES_PATHS];
	char *text; /* what they point into */
};

/* What stands behind the word when a --tool is a directory; NULL when it is a
 * command. */
const char *sup_files_option_text(const char *value);

/*
 * NULL, and *ret_option to be released; or what is wrong and what to do, as a
 * static sentence without its subject. "" when memory is short.
 */
const char *sup_files_option_parse(
    const char *text, struct sup_files_option *ret_option);
void sup_files_option_release(struct sup_files_option *option);

#endif
