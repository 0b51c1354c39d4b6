#include "supervisor/launch_grants.h"

#include <string.h>

#include "supervisor/launch_root.h"

/* The listed directory that path lies in and that is nearest to it. */
static const struct wire_plan_mount *
nearest(const struct sup_launch *launch, const char *path)
{
	const struct wire_plan_mount *found = NULL;
	size_t found_len = 0;

	for (size_t i = 0; i < launch->stub.mount_count; i++) {
		const struct wire_plan_mount *m = &launch->stub.mounts[i];
		size_t len = strlen(m->target);

		if (!sup_path_is_beneath(path, m->target) || len < found_len)
			continue;
		found = m;
		found_len = len;
	}
	return found;
}

void
sup_launch_list_grants(
    struct sup_launch *launch, const struct sup_grants *grants)
{
	for (size_t i = 0; i < grants->path_count; i++) {
		const struct sup_grant *g = &grants->paths[i];
		const struct wire_plan_mount *there = nearest(launch, g->path);
		unsigned flags = g->write ? WIRE_MOUNT_WRITE : 0;

		/* The system's directories and wider grants hold it as it
		 * is, but for a write grant on something read-only. */
		if (there == NULL ||
		    (g->write && (there->flags & WIRE_MOUNT_WRITE) == 0))
			sup_launch_put_mount(
			    launch, g->path, g->path, g->directory, flags);
	}
}

void
sup_launch_grant_rules(
    struct sup_launch *launch, const struct sup_grants *grants)
{
	for (size_t i = 0; i < grants->path_count; i++) {
		const struct sup_grant *g = &grants->paths[i];

		sup_launch_add_rule(launch, g->path,
		    (g->read ? SUP_LANDLOCK_READ : 0) |
			(g->write ? SUP_LANDLOCK_WRITE : 0));
	}
}
