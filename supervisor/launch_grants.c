#include "supervisor/launch_grants.h"

#include <string.h>

#include "supervisor/grant_exec.h"
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

static bool
is_executed(const struct sup_launch *launch, const struct sup_grant *grant)
{
	return grant->execute && launch->stub.processes > 0;
}

bool
sup_launch_has_grant(
    const struct sup_launch *launch, const struct sup_grant *grant)
{
	return grant->read || grant->write || is_executed(launch, grant);
}

/* What the kernel opens to execute a file: NULL when that is nothing else. */
static const char *
keep_needed(struct sup_launch *launch, const char *path, bool *ret_loader)
{
	char needs[PATH_MAX];
	enum sup_exec_kind kind = sup_exec_look(path, needs);

	*ret_loader = kind == SUP_EXEC_PROGRAM;
	if (kind == SUP_EXEC_BAD)
		launch->err = WIRE_ERR_BAD_ARGUMENT; /* it was good just now */
	return needs[0] != '\0' ? sup_launch_keep(launch, needs) : NULL;
}

void
sup_launch_list_grants(
    struct sup_launch *launch, const struct sup_grants *grants)
{
	for (size_t i = 0; i < grants->path_count; i++) {
		const struct sup_grant *g = &grants->paths[i];
		const struct wire_plan_mount *there = nearest(launch, g->path);
		unsigned flags = g->write ? WIRE_MOUNT_WRITE : 0;

		if (!sup_launch_has_grant(launch, g))
			continue;
		/* The system's directories and wider grants hold it as it
		 * is, but for a write grant on something read-only. */
		if (there == NULL ||
		    (g->write && (there->flags & WIRE_MOUNT_WRITE) == 0))
			sup_launch_put_mount(
			    launch, g->path, g->path, g->directory, flags);
	}
	/* At the places where the files themselves say that it is. */
	for (size_t i = 0; i < grants->path_count; i++) {
		const char *needed;
		bool loader;

		if (!is_executed(launch, &grants->paths[i]))
			continue;
		needed = keep_needed(launch, grants->paths[i].path, &loader);
		if (needed != NULL)
			sup_launch_list_file(launch, needed);
	}
}

/* The loader of a file that may be executed, unless it has its rule. */
static void
add_loader(struct sup_launch *launch, const char *path)
{
	bool loader;
	const char *needed = keep_needed(launch, path, &loader);

	if (needed == NULL || !loader)
		return;
	for (size_t i = 0; i < launch->seal.rule_count; i++)
		if (launch->seal.rules[i].access == SUP_LANDLOCK_PROGRAM &&
		    strcmp(launch->seal.rules[i].path, needed) == 0)
			return;
	sup_launch_add_rule(launch, needed, SUP_LANDLOCK_PROGRAM);
}

void
sup_launch_program_rules(struct sup_launch *launch, const char *interpreter,
    const struct sup_grants *grants)
{
	sup_launch_add_rule(launch, interpreter, SUP_LANDLOCK_PROGRAM);
	add_loader(launch, interpreter);
	for (size_t i = 0; grants != NULL && i < grants->path_count; i++) {
		const struct sup_grant *g = &grants->paths[i];

		if (is_executed(launch, g))
			add_loader(launch, g->path);
	}
}

void
sup_launch_grant_rules(
    struct sup_launch *launch, const struct sup_grants *grants)
{
	for (size_t i = 0; i < grants->path_count; i++) {
		const struct sup_grant *g = &grants->paths[i];

		if (sup_launch_has_grant(launch, g))
			sup_launch_add_rule(launch, g->path,
			    (g->read ? SUP_LANDLOCK_READ : 0) |
				(g->write ? SUP_LANDLOCK_WRITE : 0) |
				(is_executed(launch, g) ? SUP_LANDLOCK_PROGRAM
							: 0));
	}
}
