#include "supervisor/sys_files.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#define PRIVATE_FILE (S_IRUSR | S_IWUSR)

int
sup_sys_mkdir(int dir_fd, const char *path)
{
	return mkdirat(dir_fd, path, S_IRWXU) < 0 ? -errno : 0;
}

int
sup_sys_open_beneath(int dir_fd, const char *name, int flags)
{
	struct open_how how = {
	    .flags = (uint64_t)(flags | O_CLOEXEC | O_NOFOLLOW),
	    .mode = (flags & O_CREAT) != 0 ? PRIVATE_FILE : 0,
	    .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS |
		RESOLVE_NO_MAGICLINKS | RESOLVE_NO_XDEV,
	};
	long fd;

	do
		fd = syscall(SYS_openat2, dir_fd, name, &how, sizeof(how));
	while (fd < 0 && (errno == EINTR || errno == EAGAIN));
	/* KERNEL: valgrind 3.19 has no openat2. For a single name O_NOFOLLOW
	 * says nearly the same. */
	if (fd < 0 && errno == ENOSYS)
		fd = openat(dir_fd, name, (int)how.flags, PRIVATE_FILE);
	return fd < 0 ? -errno : (int)fd;
}

int
sup_sys_sync(int fd)
{
	int r;

	do
		r = fsync(fd);
	while (r < 0 && errno == EINTR);
	return r < 0 ? -errno : 0;
}

int
sup_sys_mount_flags(int fd)
{
	struct statvfs is;

	return fstatvfs(fd, &is) < 0 ? -errno : (int)is.f_flag;
}

int
sup_sys_has_attribute(int fd, const char *name)
{
	/* A filesystem without attributes has none of this one. */
	if (fgetxattr(fd, name, NULL, 0) >= 0)
		return 1;
	return errno == ENODATA || errno == EOPNOTSUPP ? 0 : -errno;
}

int
sup_sys_watch_file(int fd)
{
	char path[32];
	int watch = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);

	if (watch < 0)
		return -errno;
	/* By the open file, whatever its name is now. */
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (inotify_add_watch(watch, path, IN_MODIFY | IN_ATTRIB) < 0) {
		int error = errno;

		(void)close(watch);
		return -error;
	}
	return watch;
}
