/*
 * What the kernel says of control groups, as text: where the caller's own are,
 * where they are mounted, what one of them has counted. Pure.
 *
 * Formats: cgroups(7), "/proc/[pid]/cgroup"; proc(5), "mountinfo"; the files
 * of Documentation/admin-guide/cgroup-v2.rst and cgroup-v1/memory.rst.
 */
#ifndef SUP_CGROUP_TEXT_H
#define SUP_CGROUP_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum sup_cgroup_version { SUP_CGROUP_NONE, SUP_CGROUP_V1, SUP_CGROUP_V2 };

/*
 * The path that a text of /proc/PID/cgroup gives for a controller of version
 * 1, or for version 2 when controller is "". False when there is none, or it
 * does not fit.
 */
bool sup_cgroup_own(
    const char *text, const char *controller, char *ret_path, size_t size);

/* One line of mountinfo, as far as it matters. */
struct sup_cgroup_mount {
	char root[4096]; /* what of the hierarchy is mounted */
	char point[4096];
};

/*
 * Whether the line is a mount of version 2 (controller "") or of a version 1
 * hierarchy with that controller. The line is changed.
 */
bool sup_cgroup_is_mount(
    char *line, const char *controller, struct sup_cgroup_mount *ret_mount);

/*
 * The directory of the group at path, where the mount shows it. False when it
 * is outside of what is mounted, or of the caller's cgroup namespace: a path
 * with `..` in front (cgroup_namespaces(7)).
 */
bool sup_cgroup_locate(const struct sup_cgroup_mount *mount, const char *path,
    char *ret_dir, size_t size);

/* The number behind a word at the start of a line; false when the word or the
 * number is missing. */
bool sup_cgroup_count(const char *text, const char *word, uint64_t *ret_count);

/* A number alone, or `max`, which is UINT64_MAX. */
bool sup_cgroup_number(const char *text, uint64_t *ret_number);

/* Whether a list of words separated by blanks or newlines has this one. */
bool sup_cgroup_has(const char *text, const char *word);

/*
 * Which version holds memory on a host: own is /proc/self/cgroup, controllers
 * the text of cgroup.controllers in the caller's own group of version 2 ("":
 * there is none). A controller is in one hierarchy at a time.
 */
enum sup_cgroup_version sup_cgroup_choose(
    const char *own, const char *controllers);

#endif
