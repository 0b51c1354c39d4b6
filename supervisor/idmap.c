#include "supervisor/idmap.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "supervisor/sys.h"

/* The highest id that a map (lines of inside, outside, count) holds; 0 when
 * it is empty or unreadable. *ret_full: all ids are mapped to themselves. */
static uint32_t
highest(const char *text, bool *ret_full)
{
	uint64_t top = 0;

	*ret_full = false;
	while (*text != '\0') {
		char *end;
		uint64_t inside = strtoull(text, &end, 10);
		uint64_t outside = strtoull(end, &end, 10);
		uint64_t count = strtoull(end, &end, 10);

		if (end == text || count == 0)
			break;
		if (inside == 0 && outside == 0 && count >= UINT32_MAX)
			*ret_full = true;
		if (inside + count - 1 > top)
			top = inside + count - 1;
		text = end;
		while (*text == '\n')
			text++;
	}
	return top < UINT32_MAX ? (uint32_t)top : 0;
}

void
sup_idmap_choose(uint32_t euid, uint32_t egid, const char *proc_uid_map,
    const char *proc_gid_map, struct sup_idmap *ret_map)
{
	bool full_uid, full_gid;
	uint32_t top_uid = highest(proc_uid_map, &full_uid);
	uint32_t top_gid = highest(proc_gid_map, &full_gid);

	*ret_map = (struct sup_idmap){.uid = euid, .gid = egid};
	if (euid != 0)
		return;
	if (full_uid && full_gid) {
		ret_map->own = ret_map->full = true;
	} else if (top_uid > 0 && top_gid > 0) {
		/* Root of a container: the last id it owns is nobody's. */
		ret_map->own = true;
		ret_map->uid = top_uid;
		ret_map->gid = top_gid;
	}
}

uint32_t
sup_idmap_uid(const struct sup_idmap *map, pid_t pid)
{
	return map->full ? SUP_IDMAP_BASE + (uint32_t)pid : map->uid;
}

uint32_t
sup_idmap_gid(const struct sup_idmap *map, pid_t pid)
{
	return map->full ? SUP_IDMAP_BASE + (uint32_t)pid : map->gid;
}

static enum wire_err
put(pid_t pid, const char *file, const char *text, struct wire_errinfo *info)
{
	char path[64];
	int r;

	(void)snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, file);
	r = sup_sys_put(path, text);
	if (r == 0)
		return WIRE_OK;
	if (info != NULL)
		*info = (struct wire_errinfo){file, -r, 0};
	return WIRE_ERR_SYSTEM;
}

enum wire_err
sup_idmap_write(
    const struct sup_idmap *map, pid_t pid, struct wire_errinfo *info)
{
	char text[64];
	enum wire_err err = WIRE_OK;

	/* Without privilege a group map needs setgroups denied first. */
	if (!map->own)
		err = put(pid, "setgroups", "deny", info);
	if (err != WIRE_OK)
		return err;
	(void)snprintf(text, sizeof(text), "%u %" PRIu32 " 1", SUP_IDMAP_INSIDE,
	    sup_idmap_gid(map, pid));
	err = put(pid, "gid_map", text, info);
	if (err != WIRE_OK)
		return err;
	(void)snprintf(text, sizeof(text), "%u %" PRIu32 " 1", SUP_IDMAP_INSIDE,
	    sup_idmap_uid(map, pid));
	return put(pid, "uid_map", text, info);
}
