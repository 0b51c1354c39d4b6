/*
 * How grants of paths come into a launch: as mounts of a root of its own, and
 * as rules of Landlock. Inside of the launch plan (launch.h).
 */
#ifndef SUP_LAUNCH_GRANTS_H
#define SUP_LAUNCH_GRANTS_H

#include "supervisor/launch.h"

/* Adds a mount for each path that what is listed already does not give. After
 * everything else, so that a narrower right lies on top of a wider place. */
void sup_launch_list_grants(
    struct sup_launch *launch, const struct sup_grants *grants);

/* Landlock's rights: to read, to write, or both. */
void sup_launch_grant_rules(
    struct sup_launch *launch, const struct sup_grants *grants);

#endif
