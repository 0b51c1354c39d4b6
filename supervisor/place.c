#include "supervisor/place.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "supervisor/sys.h"

#define LIBEXEC "../libexec/weir"

int
sup_place_libexec(char path[PATH_MAX])
{
	char self[PATH_MAX];
	char *slash;
	int n = sup_sys_readlink("/proc/self/exe", self, sizeof(self));

	if (n < 0)
		return n;
	slash = strrchr(self, '/');
	if (slash != NULL)
		*slash = '\0';
	n = snprintf(path, PATH_MAX, "%s/" LIBEXEC, self);
	return n > 0 && n < PATH_MAX ? 0 : -ENAMETOOLONG;
}

const char *
sup_place_env(char **environment, const char *name)
{
	size_t len = strlen(name);

	for (; *environment != NULL; environment++)
		if (strncmp(*environment, name, len) == 0 &&
		    (*environment)[len] == '=')
			return *environment + len + 1;
	return NULL;
}
