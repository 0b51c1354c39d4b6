#include "supervisor/files_option.h"

#include <stdlib.h>
#include <string.h>

#define WORD "files:"

const char *
sup_files_option_text(const char *value)
{
	return strncmp(value, WORD, strlen(WORD)) == 0 ? value + strlen(WORD)
						       : NULL;
}

/* One list of paths; text is cut at its commas. */
static const char *
take_list(char *text, const char *list[SUP_FILES_PATHS], size_t *count)
{
	char *path;

	if (*count > 0)
		return "names a list twice; put all its paths into one, "
		       "parted by ','";
	while ((path = strsep(&text, ",")) != NULL) {
		if (path[0] == '\0')
			return "has an empty path in a list; '/' is all that "
			       "is beneath the root";
		if (*count == SUP_FILES_PATHS)
			return "has a list of more than 64 paths; name fewer, "
			       "or wider ones";
		list[(*count)++] = path;
	}
	return NULL;
}

static const char *
take_parts(struct sup_files_option *option)
{
	struct weir_files *files = &option->files;
	char *rest = option->text, *part;
	const char *problem = NULL;

	files->root = strsep(&rest, ":");
	files->read = option->read;
	files->write = option->write;
	if (files->root[0] == '\0')
		return "names no root; write files:/DIRECTORY";
	while (problem == NULL && (part = strsep(&rest, ":")) != NULL) {
		if (strncmp(part, "read=", 5) == 0)
			problem = take_list(
			    part + 5, option->read, &files->read_count);
		else if (strncmp(part, "write=", 6) == 0)
			problem = take_list(
			    part + 6, option->write, &files->write_count);
		else
			problem = "has something else than read=PATH,... and "
				  "write=PATH,... after ':'; a path with ':' "
				  "in it cannot be given here";
	}
	return problem;
}

const char *
sup_files_option_parse(const char *text, struct sup_files_option *ret_option)
{
	const char *problem;

	memset(ret_option, 0, sizeof(*ret_option));
	ret_option->text = strdup(text);
	if (ret_option->text == NULL)
		return "";
	problem = take_parts(ret_option);
	if (problem != NULL)
		sup_files_option_release(ret_option);
	return problem;
}

void
sup_files_option_release(struct sup_files_option *option)
{
	free(option->text);
	option->text = NULL;
}
