/*
 * Which ids a child gets, and writing its maps (user_namespaces(7)).
 *
 * SECURITY: a child is never mapped to real root. A privileged supervisor
 * gives each child an id of its own, so that two executions, and anything
 * else on the host, have none in common; a plain user can map only itself.
 */
#ifndef SUP_IDMAP_H
#define SUP_IDMAP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "wire/err.h"

/* The ids that a child sees itself as. */
#define SUP_IDMAP_INSIDE 1000u
/* In the initial user namespace: above every range that /etc/subuid of the
 * usual tools hands out; the process id is added, so that ids do not meet. */
#define SUP_IDMAP_BASE 1879048192u

struct sup_idmap {
	bool own;  /* each child has its own outer id */
	bool full; /* own: base + pid; else: `uid`, the highest mapped */
	uint32_t uid, gid;
};

/* Looks at the caller's ids and maps once. Cannot fail: the plain map is
 * always possible. proc_uid_map: the text of /proc/self/uid_map. */
void sup_idmap_choose(uint32_t euid, uint32_t egid, const char *proc_uid_map,
    const char *proc_gid_map, struct sup_idmap *ret_map);

/* The outer ids of the child pid. */
uint32_t sup_idmap_uid(const struct sup_idmap *map, pid_t pid);
uint32_t sup_idmap_gid(const struct sup_idmap *map, pid_t pid);

/* Writes setgroups, gid_map and uid_map of pid. On failure info->site is the
 * file and info->sys the errno. */
WIRE_MUST_USE enum wire_err sup_idmap_write(
    const struct sup_idmap *map, pid_t pid, struct wire_errinfo *info);

#endif
