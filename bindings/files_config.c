#include "bindings/provider_files.h"

#include <stdlib.h>
#include <string.h>

#include "bindings/files_job.h"
#include "bindings/files_path.h"
#include "bindings/sys.h"

static void
free_allowed(struct bind_files_paths *allowed)
{
	for (size_t i = 0; i < allowed->count; i++)
		free((void *)(uintptr_t)allowed->paths[i].p);
}

void
bind_files_free(struct bind_files *files)
{
	bind_sys_close(&files->root_fd);
	free_allowed(&files->read);
	free_allowed(&files->write);
	bind_json_check_release(&files->check);
	free(files);
}

static enum wire_err
take_list(struct bind_files_paths *allowed, const char *site,
    const char *const *paths, size_t count, struct wire_errinfo *info)
{
	if (count > BIND_FILES_PATHS)
		return wire_fail(info, WIRE_ERR_BAD_ARGUMENT, "lists", 0);
	for (size_t i = 0; i < count; i++) {
		struct wire_span given = {
		    (const uint8_t *)paths[i], strlen(paths[i])};
		struct bind_files_path path;
		const char *words;
		uint8_t *copy;

		if (bind_files_path_take(given, &path, &words) !=
		    WIRE_TOOL_NONE)
			return wire_fail(info, WIRE_ERR_BAD_ARGUMENT, site, i);
		copy = malloc(path.len + 1);
		if (copy == NULL)
			return wire_fail(info, WIRE_ERR_NO_MEMORY, site, i);
		memcpy(copy, path.text, path.len + 1);
		allowed->paths[allowed->count++] =
		    (struct wire_span){copy, path.len};
	}
	return WIRE_OK;
}

static enum wire_err
configure(struct bind_files *files, const struct bind_files_config *config,
    struct wire_errinfo *info)
{
	static const char *const all[] = {"/"};
	bool no_list = config->read_count == 0 && config->write_count == 0;
	uint64_t seed;
	enum wire_err err;
	int r;

	err = take_list(&files->read, "read", no_list ? all : config->read,
	    no_list ? 1 : config->read_count, info);
	if (err == WIRE_OK)
		err = take_list(&files->write, "write", config->write,
		    config->write_count, info);
	if (err != WIRE_OK)
		return err;
	r = bind_sys_random(&seed, sizeof(seed));
	if (r == 0)
		r = files->root_fd = bind_sys_open_root(config->root);
	if (r < 0) {
		(void)wire_fail(info, WIRE_ERR_SYSTEM, "root", 0);
		if (info != NULL)
			info->sys = -r;
		return WIRE_ERR_SYSTEM;
	}
	bind_json_check_init(&files->check, seed);
	return WIRE_OK;
}

/* "NAME.op" in the room of one name more than a name has. */
static struct wire_span
name_of(struct wire_span name, enum bind_files_op op,
    uint8_t buf[WIRE_MAX_TOOL_NAME + 1])
{
	struct bind_text text;

	bind_text_init(&text, buf, WIRE_MAX_TOOL_NAME + 1);
	bind_text_add_span(&text, name);
	bind_text_add(&text, ".");
	bind_text_add(&text, bind_files_op_word(op));
	/* One that did not fit is too long for a name, too. */
	return text.full ? (struct wire_span){buf, WIRE_MAX_TOOL_NAME + 1}
			 : bind_text_span(&text);
}

static enum wire_err
add_tool(struct bind_catalogue *catalogue, struct wire_span name,
    struct bind_files *files, enum bind_files_op op, struct wire_errinfo *info)
{
	struct bind_files_tool *tool = calloc(1, sizeof(*tool));
	enum wire_err err;

	if (tool == NULL)
		return wire_fail(info, WIRE_ERR_NO_MEMORY, "tool", 0);
	*tool = (struct bind_files_tool){files, op};
	err = bind_catalogue_add(
	    catalogue, name, &bind_provider_files, tool, 0, info);
	if (err == WIRE_OK)
		files->users++;
	else
		free(tool);
	return err;
}

static enum wire_err
add_tools(struct bind_catalogue *catalogue, struct wire_span name,
    struct bind_files *files, struct wire_errinfo *info)
{
	uint8_t buf[WIRE_MAX_TOOL_NAME + 1];
	enum wire_err err = WIRE_OK;
	size_t op;

	/* All of them or none: where one is refused, nothing was added. */
	for (op = 0; err == WIRE_OK && op < BIND_FILES_OPS; op++)
		err = bind_catalogue_check(catalogue,
		    name_of(name, (enum bind_files_op)op, buf), info);
	for (op = 0; err == WIRE_OK && op < BIND_FILES_OPS; op++)
		err = add_tool(catalogue,
		    name_of(name, (enum bind_files_op)op, buf), files,
		    (enum bind_files_op)op, info);
	/* Without memory for one, the others are taken back. */
	for (size_t i = 0; err != WIRE_OK && i < files->users; i++)
		(void)bind_catalogue_withdraw(
		    catalogue, name_of(name, (enum bind_files_op)i, buf));
	return err;
}

enum wire_err
bind_files_add(struct bind_catalogue *catalogue, struct wire_span name,
    const struct bind_files_config *config, struct wire_errinfo *info)
{
	struct bind_files *files = calloc(1, sizeof(*files));
	enum wire_err err;

	if (files == NULL)
		return wire_fail(info, WIRE_ERR_NO_MEMORY, "files", 0);
	files->root_fd = files->watch.fd = -1;
	TAILQ_INIT(&files->waiting);
	err = configure(files, config, info);
	if (err == WIRE_OK)
		err = add_tools(catalogue, name, files, info);
	if (files->users == 0)
		bind_files_free(files);
	return err;
}
