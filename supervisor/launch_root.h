/*
 * What of the host's filesystem a child gets to see (C5): the list of mounts,
 * which on the host's root are the paths that Landlock grants.
 *
 * Looks at the filesystem, changes nothing. Inside of the launch plan
 * (launch.h); what does not fit is latched in launch->err.
 */
#ifndef SUP_LAUNCH_ROOT_H
#define SUP_LAUNCH_ROOT_H

#include "supervisor/launch.h"

/* Copies text into the launch; "" when there is no room. */
const char *sup_launch_keep(struct sup_launch *launch, const char *text);

/* Whether path lies in a directory that is listed. */
bool sup_launch_is_covered(const struct sup_launch *launch, const char *path);

/* Whether path is dir or lies beneath it. */
bool sup_path_is_beneath(const char *path, const char *dir);

/* Lists everything, and what of the host is mounted below it. */
void sup_launch_list_root(
    struct sup_launch *launch, const struct sup_launch_request *request);

#endif
