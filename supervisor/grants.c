#include "supervisor/grants.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "supervisor/explain.h"
#include "supervisor/grant_check.h"
#include "supervisor/grant_exec.h"
#include "supervisor/sys.h"
#include "wire/utf8.h"

/* Where the kernel has its interfaces, and then where the child its own. */
static const char *const reserved[] = {
    "/dev", "/proc", "/sys", "/weir", "/workspace"};

#define RESERVED  (sizeof(reserved) / sizeof(reserved[0]))
#define OF_KERNEL 3

__attribute__((format(printf, 3, 4))) static enum wire_err
refuse(char text[SUP_GRANT_TEXT], const char *subject, const char *format, ...)
{
	char shown[SUP_EXPLAIN_NAME];
	va_list args;
	int n = snprintf(
	    text, SUP_GRANT_TEXT, "%s ", sup_explain_name(subject, shown));

	va_start(args, format);
	if (n > 0 && n < SUP_GRANT_TEXT)
		(void)vsnprintf(
		    text + n, SUP_GRANT_TEXT - (size_t)n, format, args);
	va_end(args);
	return WIRE_ERR_BAD_ARGUMENT;
}

/* Whether path is dir or lies beneath it. */
static bool
is_beneath(const char *path, const char *dir)
{
	size_t len = strlen(dir);

	return strcmp(dir, "/") == 0 ||
	    (strncmp(path, dir, len) == 0 &&
		(path[len] == '\0' || path[len] == '/'));
}

/* That it exists and is what it says, as a sentence; the type in *ret_dir. */
static enum wire_err
look_at(enum sup_grant_kind kind, const char *path, bool *ret_directory,
    char text[SUP_GRANT_TEXT])
{
	const char *problem = sup_grant_path_problem(path);
	char real[PATH_MAX];
	struct stat st;
	int r;

	if (problem != NULL)
		return refuse(text, path, "%s", problem);
	for (size_t i = 0; i < (kind == SUP_GRANT_ROOT ? OF_KERNEL : RESERVED);
	     i++)
		if (is_beneath(path, reserved[i]))
			return refuse(text, path,
			    "stands where a program has its own directories "
			    "or the kernel its interfaces; it cannot be "
			    "granted");
	r = sup_sys_realpath(path, real, sizeof(real));
	if (r < 0)
		return refuse(text, path,
		    "cannot be granted: %s; grant a path that exists",
		    strerror(-r));
	if (strcmp(real, path) != 0) {
		char shown[SUP_EXPLAIN_NAME];

		return refuse(text, path,
		    "leads through a symbolic link to %s; grant that",
		    sup_explain_name(real, shown));
	}
	if (sup_sys_stat(path, &st) < 0 ||
	    (!S_ISDIR(st.st_mode) && !S_ISREG(st.st_mode)))
		return refuse(text, path, "is neither a file nor a directory");
	if (strcmp(path, "/") == 0)
		return refuse(
		    text, path, "is everything; grant what is needed");
	if (kind == SUP_GRANT_PACKAGES && !S_ISDIR(st.st_mode))
		return refuse(text, path,
		    "is not a directory; name the one that packages stand in");
	if (kind == SUP_GRANT_EXEC) {
		problem = sup_exec_problem(path);
		if (problem != NULL)
			return refuse(text, path, "%s", problem);
	}
	*ret_directory = S_ISDIR(st.st_mode);
	return WIRE_OK;
}

/* The place for path: where it is already, or where it belongs, so that a
 * directory comes before what lies in it. NULL when there is no room. */
static struct sup_grant *
place_for(struct sup_grants *grants, const char *path)
{
	size_t at = 0;

	while (
	    at < grants->path_count && strcmp(grants->paths[at].path, path) < 0)
		at++;
	if (at < grants->path_count &&
	    strcmp(grants->paths[at].path, path) == 0)
		return &grants->paths[at];
	if (grants->path_count == SUP_GRANTS)
		return NULL;
	memmove(&grants->paths[at + 1], &grants->paths[at],
	    (grants->path_count - at) * sizeof(grants->paths[0]));
	grants->path_count++;
	grants->paths[at] =
	    (struct sup_grant){NULL, false, false, false, false};
	return &grants->paths[at];
}

/* The place is given back. */
static void
give_up(struct sup_grants *grants, struct sup_grant *grant)
{
	size_t at = (size_t)(grant - grants->paths);

	grants->path_count--;
	memmove(grant, grant + 1,
	    (grants->path_count - at) * sizeof(grants->paths[0]));
}

enum wire_err
sup_grants_add_path(struct sup_grants *grants, enum sup_grant_kind kind,
    const char *path, char text[SUP_GRANT_TEXT])
{
	struct sup_grant *grant;
	bool directory = false;
	enum wire_err err = look_at(kind, path, &directory, text);

	if (err != WIRE_OK)
		return err;
	if (kind == SUP_GRANT_PACKAGES && grants->package_count == SUP_GRANTS)
		return refuse(text, path, "is one path too many; at most 40");
	grant = place_for(grants, path);
	if (grant == NULL)
		return refuse(text, path,
		    "is one path too many; at most 40 can be granted");
	if (grant->path == NULL) {
		grant->path = strdup(path);
		grant->directory = directory;
	}
	if (grant->path == NULL) {
		give_up(grants, grant);
		return WIRE_ERR_NO_MEMORY;
	}
	grant->write |= kind == SUP_GRANT_WRITE;
	grant->execute |= kind == SUP_GRANT_EXEC;
	grant->read |= kind == SUP_GRANT_READ || kind == SUP_GRANT_PACKAGES;
	if (kind == SUP_GRANT_PACKAGES) {
		char *copy = strdup(path);

		if (copy == NULL)
			return WIRE_ERR_NO_MEMORY;
		grants->packages[grants->package_count++] = copy;
	}
	return WIRE_OK;
}

void
sup_grants_keep_exec(
    struct sup_grants *grants, const char *const *paths, size_t count)
{
	for (size_t i = 0; i < grants->path_count; i++) {
		bool kept = false;

		for (size_t n = 0; n < count && !kept; n++)
			kept = strcmp(grants->paths[i].path, paths[n]) == 0;
		grants->paths[i].execute &= kept;
	}
}

enum wire_err
sup_grants_add_variable(struct sup_grants *grants, const char *name,
    const char *value, char text[SUP_GRANT_TEXT])
{
	const char *problem = sup_grant_variable_problem(name);
	struct wire_span span = {(const uint8_t *)value, strlen(value)};
	size_t len = strlen(name), i;
	char *variable;

	if (problem != NULL)
		return refuse(text, name, "%s", problem);
	problem = sup_grant_value_problem(value);
	if (problem != NULL)
		return refuse(text, name, "has a value that %s", problem);
	if (wire_utf8_valid_prefix(span) != span.len)
		return refuse(text, name, "has a value that is not UTF-8");
	for (i = 0; i < grants->variable_count; i++)
		if (strncmp(grants->variables[i], name, len) == 0 &&
		    grants->variables[i][len] == '=')
			break;
	if (i == SUP_GRANT_VARIABLES)
		return refuse(text, name,
		    "is one variable too many; at most 48 can be granted");
	variable = malloc(len + span.len + 2);
	if (variable == NULL)
		return WIRE_ERR_NO_MEMORY;
	memcpy(variable, name, len);
	variable[len] = '=';
	memcpy(variable + len + 1, value, span.len + 1);
	if (i == grants->variable_count)
		grants->variable_count++;
	free(grants->variables[i]);
	grants->variables[i] = variable;
	return WIRE_OK;
}

bool
sup_grants_keep_off(
    const struct sup_grants *grants, const char *dir, char text[SUP_GRANT_TEXT])
{
	char real[PATH_MAX];

	/* One that is not there yet has no links in it. */
	if (sup_sys_realpath(dir, real, sizeof(real)) == 0)
		dir = real;
	for (size_t i = 0; i < grants->path_count; i++) {
		const char *path = grants->paths[i].path;
		char shown[SUP_EXPLAIN_NAME];

		if (!is_beneath(path, dir) && !is_beneath(dir, path))
			continue;
		(void)refuse(text, path,
		    "holds or lies in %s, which is weir's own; grant "
		    "something else",
		    sup_explain_name(dir, shown));
		return false;
	}
	return true;
}

void
sup_grants_release(struct sup_grants *grants)
{
	for (size_t i = 0; i < grants->path_count; i++)
		free(grants->paths[i].path);
	for (size_t i = 0; i < grants->package_count; i++)
		free(grants->packages[i]);
	for (size_t i = 0; i < grants->variable_count; i++)
		free(grants->variables[i]);
	memset(grants, 0, sizeof(*grants));
}
