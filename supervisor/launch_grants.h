/*
 * How grants of paths come into a launch: as mounts of a root of its own, and
 * as rules of Landlock. What may be executed counts with processes only. Inside
 * of the launch plan (launch.h).
 */
#ifndef SUP_LAUNCH_GRANTS_H
#define SUP_LAUNCH_GRANTS_H

#include "supervisor/launch.h"

/* Adds a mount for each path that what is listed already does not give. After
 * everything else, so that a narrower right lies on top of a wider place. */
void sup_launch_list_grants(
    struct sup_launch *launch, const struct sup_grants *grants);

/* Whether the program has anything of it. */
bool sup_launch_has_grant(
    const struct sup_launch *launch, const struct sup_grant *grant);

/* Landlock's rights: to read, to write, to execute. */
void sup_launch_grant_rules(
    struct sup_launch *launch, const struct sup_grants *grants);

/*
 * SECURITY: with `processes` these files alone may be executed, in all of what
 * can be read or written (C14): the interpreter, what was granted for it
 * (by the rules above; grants may be NULL), and the loaders of all these, which
 * the kernel opens as programs too. A script's interpreter is one of them
 * already, or was refused.
 */
void sup_launch_program_rules(struct sup_launch *launch,
    const char *interpreter, const struct sup_grants *grants);

#endif
