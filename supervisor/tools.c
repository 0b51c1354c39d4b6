/*
 * The tools of a context, as weir.h has them, but for commands: directories,
 * marks, and tools that are taken back.
 */
#include <errno.h>
#include <string.h>

#include "bindings/marks.h"
#include "bindings/provider_files.h"
#include "supervisor/exec.h"
#include "supervisor/explain.h"
#include "supervisor/own.h"
#include "supervisor/sys.h"
#include "supervisor/tool_marks.h"

static bool
out_of_memory(struct weir *weir, char error[WEIR_ERROR_MAX])
{
	weir->fault = WEIR_FAULT_OTHER;
	sup_explain(error, "out of memory");
	return false;
}

static struct wire_span
span_of(const char *text)
{
	return (struct wire_span){(const uint8_t *)text, strlen(text)};
}

/* --- directories ---------------------------------------------------------- */

/* That the root is there, spelled without links, and no directory of ours: as
 * a grant is. */
static bool
check_root(struct weir *weir, const char *name, const struct weir_files *files,
    char error[WEIR_ERROR_MAX])
{
	char shown[SUP_EXPLAIN_NAME], text[SUP_GRANT_TEXT] = "";
	struct sup_grants grants = {0};
	bool good, is_directory = false;
	enum wire_err err =
	    sup_grants_add_path(&grants, SUP_GRANT_ROOT, files->root, text);

	good = err == WIRE_OK && sup_own_keep_off(weir, &grants, text);
	for (size_t i = 0;
	     good && files->keep_off != NULL && files->keep_off[i] != NULL; i++)
		good = sup_grants_keep_off(&grants, files->keep_off[i], text);
	if (err == WIRE_OK)
		is_directory = grants.paths[0].directory;
	sup_grants_release(&grants);
	if (err == WIRE_ERR_NO_MEMORY)
		return out_of_memory(weir, error);
	if (!good)
		sup_explain(error, "tool %s: files: %s",
		    sup_explain_name(name, shown), text);
	else if (!is_directory)
		sup_explain(error,
		    "tool %s: files: the root is a file; name the directory "
		    "that it stands in, and the file in read= or write=",
		    sup_explain_name(name, shown));
	return good && is_directory;
}

static bool
refuse_files(struct weir *weir, const char *name,
    const struct weir_files *files, const struct wire_errinfo *info,
    char error[WEIR_ERROR_MAX])
{
	char tool[SUP_EXPLAIN_NAME], path[SUP_EXPLAIN_NAME];
	bool is_read = strcmp(info->site, "read") == 0;

	sup_explain_name(name, tool);
	if (info->sys != 0) {
		weir->fault = WEIR_FAULT_OTHER;
		sup_explain(error, "tool %s: files: %s: %s%s", tool,
		    sup_explain_name(files->root, path), strerror(info->sys),
		    info->sys == ENOSYS
			? "; the kernel, or a filter, has no openat2 (Linux "
			  "5.6), and without it no path is safe"
			: "");
	} else if (is_read || strcmp(info->site, "write") == 0) {
		sup_explain(error,
		    "tool %s: files: %s=: %s is no path beneath the root; "
		    "write it without '..'",
		    tool, info->site,
		    sup_explain_name(is_read ? files->read[info->offset]
					     : files->write[info->offset],
			path));
	} else if (strcmp(info->site, "lists") == 0) {
		sup_explain(error,
		    "tool %s: files: a list has more than %d paths; name "
		    "fewer",
		    tool, BIND_FILES_PATHS);
	} else if (strcmp(info->site, "duplicate") == 0) {
		sup_explain(error,
		    "tool %s: one of %s.list, %s.stat, %s.read and %s.write "
		    "is there already; choose another name",
		    tool, tool, tool, tool, tool);
	} else {
		sup_explain(error,
		    "tool %s: this cannot be the name of a tool (%s); choose "
		    "one of at most %d bytes of UTF-8 without control "
		    "characters",
		    tool, info->site, WIRE_MAX_TOOL_NAME - 6);
	}
	return false;
}

bool
weir_tool_files(struct weir *weir, const char *name,
    const struct weir_files *files, char error[WEIR_ERROR_MAX])
{
	const struct bind_files_config config = {
	    .root = files->root,
	    .read = files->read,
	    .read_count = files->read_count,
	    .write = files->write,
	    .write_count = files->write_count,
	};
	struct wire_errinfo info = {"", 0, 0};
	enum wire_err err;

	weir->fault = WEIR_FAULT_REQUEST;
	if (!check_root(weir, name, files, error))
		return false;
	err = bind_files_add(weir->catalogue, span_of(name), &config, &info);
	if (err == WIRE_ERR_NO_MEMORY)
		return out_of_memory(weir, error);
	return err == WIRE_OK || refuse_files(weir, name, files, &info, error);
}

/* --- marks, and tools that are taken back --------------------------------- */

static bool
refuse_name(struct weir *weir, const char *name, char error[WEIR_ERROR_MAX])
{
	char shown[SUP_EXPLAIN_NAME];

	weir->fault = WEIR_FAULT_REQUEST;
	sup_explain(error,
	    "tool %s: there is no tool of this name; name one as the program "
	    "calls it",
	    sup_explain_name(name, shown));
	return false;
}

/* Of a tool that is not there: whether one may come, and then that it is
 * noted. */
static bool
note(struct weir *weir, const char *name, unsigned marks, bool withdrawn,
    char error[WEIR_ERROR_MAX])
{
	if (!sup_tool_marks_may_come(weir, span_of(name)))
		return refuse_name(weir, name, error);
	return sup_tool_marks_note(weir, span_of(name), marks, withdrawn) ||
	    out_of_memory(weir, error);
}

bool
weir_tool_mark(struct weir *weir, const char *name, enum weir_tool_mark mark,
    char error[WEIR_ERROR_MAX])
{
	enum bind_tool_mark bit = mark == WEIR_TOOL_REQUIRES_APPROVAL
	    ? BIND_TOOL_NEEDS_APPROVAL
	    : BIND_TOOL_NEEDS_INPUT;

	return bind_catalogue_mark(weir->catalogue, span_of(name), bit) ||
	    note(weir, name, bit, false, error);
}

bool
weir_tool_withdraw(
    struct weir *weir, const char *name, char error[WEIR_ERROR_MAX])
{
	return bind_catalogue_withdraw(weir->catalogue, span_of(name)) ||
	    note(weir, name, 0, true, error);
}
