#include "supervisor/cmd_tools.h"

#include <limits.h>
#include <string.h>

#include "supervisor/cmd_terms.h"
#include "supervisor/exitcodes.h"
#include "supervisor/explain.h"
#include "supervisor/files_option.h"
#include "wire/limits.h"

/* A name as the library takes it. */
static const char *
name_of(struct wire_span name, char text[WIRE_MAX_TOOL_NAME + 1])
{
	memcpy(text, name.p, name.len);
	text[name.len] = '\0';
	return text;
}

/* What is said of an option begins with its word. */
static int
refuse(const char *option, int code, char error[WEIR_ERROR_MAX])
{
	char copy[WEIR_ERROR_MAX];

	memcpy(copy, error, strlen(error) + 1);
	sup_explain(error, "%s: %s", option, copy);
	return code;
}

/* What was asked for, or what the host could not give. */
static int
code_of(const struct weir *weir, bool good)
{
	if (good)
		return 0;
	return weir_last_fault(weir) == WEIR_FAULT_REQUEST ? SUP_EXIT_USAGE
							   : SUP_EXIT_OTHER;
}

static int
add_files(struct weir *weir, const struct sup_options *options,
    const char *name, const char *text, char error[WEIR_ERROR_MAX])
{
	char dirs[SUP_CMD_OWN][PATH_MAX], shown[SUP_EXPLAIN_NAME];
	char quoted[SUP_USAGE_QUOTED];
	const char *own[SUP_CMD_OWN + 1];
	struct sup_files_option option;
	const char *problem = sup_files_option_parse(text, &option);
	bool good;

	if (problem != NULL && problem[0] == '\0') {
		sup_explain(error, "out of memory");
		return SUP_EXIT_OTHER;
	}
	if (problem != NULL) {
		sup_explain(error, "tool %s: files:ROOT: %s %s",
		    sup_explain_name(name, shown),
		    sup_usage_quote(text, quoted), problem);
		return SUP_EXIT_USAGE;
	}
	sup_cmd_own(options, dirs, own);
	option.files.keep_off = own;
	good = weir_tool_files(weir, name, &option.files, error);
	sup_files_option_release(&option);
	return code_of(weir, good);
}

int
sup_cmd_tools(struct weir *weir, const struct sup_options *options,
    char error[WEIR_ERROR_MAX])
{
	char name[WIRE_MAX_TOOL_NAME + 1];
	int code;

	for (size_t i = 0; i < options->tool_count; i++) {
		const struct sup_option_tool *tool = &options->tools[i];
		const char *files = sup_files_option_text(tool->command);

		name_of(tool->name, name);
		code = files != NULL
		    ? add_files(weir, options, name, files, error)
		    : code_of(weir,
			  weir_tool_command(weir, name, tool->command, error));
		if (code != 0)
			return refuse("--tool", code, error);
	}
	return 0;
}

int
sup_cmd_marks(struct weir *weir, const struct sup_options *options,
    char error[WEIR_ERROR_MAX])
{
	char name[WIRE_MAX_TOOL_NAME + 1];
	int code;

	for (size_t i = 0; i < options->mark_count; i++) {
		const struct sup_option_mark *mark = &options->marks[i];

		code = code_of(weir,
		    weir_tool_mark(
			weir, name_of(mark->name, name), mark->mark, error));
		if (code != 0)
			return refuse("--mark", code, error);
	}
	return 0;
}
