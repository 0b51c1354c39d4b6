#include "supervisor/grant_check.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static bool
has_control(const char *text)
{
	for (; *text != '\0'; text++)
		if ((unsigned char)*text < 0x20 || *text == 0x7f)
			return true;
	return false;
}

const char *
sup_grant_path_problem(const char *path)
{
	const char *p = path;

	if (path[0] != '/')
		return "is not an absolute path; begin it with '/'";
	if (strlen(path) > SUP_GRANT_PATH_MAX)
		return "is longer than 4095 bytes; use a shorter path";
	if (has_control(path))
		return "holds a control character; use another path";
	while (*p == '/') {
		size_t len = strcspn(++p, "/");

		if (len == 2 && memcmp(p, "..", 2) == 0)
			return "has a '..' in it; write the path it leads to";
		if ((len == 1 && *p == '.') || (len == 0 && path[1] != '\0'))
			return "has an empty part or a '.' in it; leave it out";
		p += len;
	}
	return NULL;
}

/* SECURITY: what a loader, a C library or an interpreter acts on before the
 * program does, or that leads it to files (C9). */
static const char *const families[] = {
    "LD_", "PYTHON", "MALLOC_", "GLIBC_", "WEIR_"};

static const char *const names[] = {
    "BASH_ENV",
    "ENV",
    "GCONV_PATH",
    "GETCONF_DIR",
    "HOSTALIASES",
    "IFS",
    "LOCALDOMAIN",
    "LOCPATH",
    "NLSPATH",
    "OPENSSL_CONF",
    "OPENSSL_ENGINES",
    "OPENSSL_MODULES",
    "RESOLV_HOST_CONF",
    "RES_OPTIONS",
    "SHELLOPTS",
    "TZDIR",
};

/* Of each execution's own. */
static const char *const fixed[] = {"HOME", "TMPDIR", "TZ"};

static bool
is_word(const char *name)
{
	static const char first[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "abcdefghijklmnopqrstuvwxyz_";
	static const char later[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "abcdefghijklmnopqrstuvwxyz_0123456789";

	return strspn(name, first) > 0 && name[strspn(name, later)] == '\0';
}

const char *
sup_grant_variable_problem(const char *name)
{
	size_t i;

	if (strlen(name) > SUP_GRANT_NAME_MAX)
		return "is longer than 128 bytes; use a shorter name";
	if (!is_word(name))
		return "is no name of a variable; use letters, digits and '_'";
	for (i = 0; i < COUNT(families); i++)
		if (strncmp(name, families[i], strlen(families[i])) == 0)
			return "is read by the loader or the interpreter and "
			       "is never granted; leave it out";
	for (i = 0; i < COUNT(names); i++)
		if (strcmp(name, names[i]) == 0)
			return "is read by the loader or the interpreter and "
			       "is never granted; leave it out";
	for (i = 0; i < COUNT(fixed); i++)
		if (strcmp(name, fixed[i]) == 0)
			return "is set for each execution; leave it out";
	return NULL;
}

const char *
sup_grant_value_problem(const char *value)
{
	return strlen(value) > SUP_GRANT_VALUE_MAX
	    ? "is longer than 4096 bytes; use a shorter value"
	    : NULL;
}
