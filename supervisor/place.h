/*
 * What a command finds out about itself: where its companions stand, and its
 * environment. Threads: any.
 */
#ifndef SUP_PLACE_H
#define SUP_PLACE_H

#include <limits.h>
#include <stdbool.h>

/*
 * The directory of stub, module and bootstrap: beside the command's own
 * executable, so that moved trees work; no variable can name another place
 * (C19). 0, or -errno when /proc/self/exe or the length is the trouble.
 */
int sup_place_libexec(char path[PATH_MAX]);

/* The value of a variable, or NULL. */
const char *sup_place_env(char **environment, const char *name);

#endif
