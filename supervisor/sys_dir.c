#include "supervisor/sys_dir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int
sup_sys_mkdirat(int dir_fd, const char *name, unsigned mode)
{
	return mkdirat(dir_fd, name, (mode_t)mode) < 0 ? -errno : 0;
}

int
sup_sys_rmdirat(int dir_fd, const char *name)
{
	return unlinkat(dir_fd, name, AT_REMOVEDIR) < 0 ? -errno : 0;
}

int
sup_sys_chownat(int dir_fd, const char *name, uint32_t uid, uint32_t gid)
{
	return fchownat(dir_fd, name, uid, gid, AT_SYMLINK_NOFOLLOW) < 0
	    ? -errno
	    : 0;
}

int
sup_sys_chmodat(int dir_fd, const char *name, unsigned mode)
{
	return fchmodat(dir_fd, name, (mode_t)mode, 0) < 0 ? -errno : 0;
}

void
sup_sys_list(int dir_fd, void (*each)(void *arg, const char *name), void *arg)
{
	/* A description of its own: the position is shared otherwise. */
	int fd = openat(dir_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
	const struct dirent *entry;

	if (dir == NULL) {
		if (fd >= 0)
			(void)close(fd);
		return;
	}
	while ((entry = readdir(dir)) != NULL)
		if (strcmp(entry->d_name, ".") != 0 &&
		    strcmp(entry->d_name, "..") != 0)
			each(arg, entry->d_name);
	(void)closedir(dir);
}
