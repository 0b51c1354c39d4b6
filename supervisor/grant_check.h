/*
 * Whether the text of a grant can be one at all: paths and variables (C9,
 * C12), before anybody looks at the host.
 *
 * Pure. Owns: the list of variables that are never granted. Each function
 * answers NULL when the text is good, and otherwise what is wrong with it and
 * what to do, as a static sentence without its subject.
 */
#ifndef SUP_GRANT_CHECK_H
#define SUP_GRANT_CHECK_H

#define SUP_GRANT_PATH_MAX  4095
#define SUP_GRANT_NAME_MAX  128
#define SUP_GRANT_VALUE_MAX 4096

/* Absolute and in its shortest spelling: what is granted is what is read. */
const char *sup_grant_path_problem(const char *path);

const char *sup_grant_variable_problem(const char *name);
const char *sup_grant_value_problem(const char *value);

#endif
