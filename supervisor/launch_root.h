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

/* One more mount, on top of what is listed; the strings are borrowed. */
void sup_launch_put_mount(struct sup_launch *launch, const char *source,
    const char *target, bool directory, unsigned flags);

/* The file at path, which may be a link to it, at that place, where what is
 * listed does not give it already. Path is borrowed. */
void sup_launch_list_file(struct sup_launch *launch, const char *path);

/* A rule of Landlock, its path borrowed. */
void sup_launch_add_rule(
    struct sup_launch *launch, const char *path, uint64_t access);

/* Rights of Landlock by name; the running kernel masks what it lacks. */
#define SUP_LANDLOCK_READ (1ULL << 2 | 1ULL << 3)
/* Of single files only, with `processes`: the interpreter and its like. */
#define SUP_LANDLOCK_EXECUTE (1ULL << 0)
#define SUP_LANDLOCK_PROGRAM (SUP_LANDLOCK_READ | SUP_LANDLOCK_EXECUTE)
/* SECURITY: no right to execute and none to make devices or sockets, anywhere:
 * to write, to truncate, to remove, to make directories, files, FIFOs and
 * links, and to move across directories. */
#define SUP_LANDLOCK_WRITE                                                     \
	(1ULL << 1 | 1ULL << 4 | 1ULL << 5 | 1ULL << 7 | 1ULL << 8 |           \
	    1ULL << 10 | 1ULL << 12 | 1ULL << 13 | 1ULL << 14)

/* Lists everything, and what of the host is mounted below it. */
void sup_launch_list_root(
    struct sup_launch *launch, const struct sup_launch_request *request);

#endif
