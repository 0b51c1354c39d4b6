#include "supervisor/sys_cgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "supervisor/sys.h"

int
sup_sys_clone_into(uint64_t flags, int cgroup_fd, int *ret_pidfd)
{
	struct clone_args args = {
	    .flags = flags | CLONE_INTO_CGROUP,
	    .pidfd = (uintptr_t)ret_pidfd,
	    .cgroup = (uint64_t)cgroup_fd,
	};
	long pid = syscall(SYS_clone3, &args, sizeof(args));

	return pid < 0 ? -errno : (int)pid;
}

int
sup_sys_pidfd_open(pid_t pid)
{
	long fd = syscall(SYS_pidfd_open, pid, 0);

	return fd < 0 ? -errno : (int)fd;
}

int
sup_sys_put_at(int dir_fd, const char *name, const char *text)
{
	int fd = sup_sys_openat(dir_fd, name, O_WRONLY | O_NOFOLLOW);
	size_t len = strlen(text);
	ssize_t n;

	if (fd < 0)
		return fd;
	n = sup_sys_write(fd, text, len);
	sup_sys_close(&fd);
	if (n < 0)
		return (int)n;
	return (size_t)n == len ? 0 : -EIO;
}

ssize_t
sup_sys_read_text_at(int dir_fd, const char *name, char *text, size_t size)
{
	int fd = sup_sys_openat(dir_fd, name, O_RDONLY | O_NOFOLLOW);
	ssize_t n = fd < 0 ? fd : sup_sys_read_whole(fd, text, size - 1);

	sup_sys_close(&fd);
	text[n > 0 ? n : 0] = '\0';
	return n;
}

int
sup_sys_usage(int fd, uint64_t *ret_bytes, uint64_t *ret_files)
{
	struct statvfs is;

	if (fstatvfs(fd, &is) < 0)
		return -errno;
	*ret_bytes = (uint64_t)(is.f_blocks - is.f_bfree) * is.f_frsize;
	*ret_files = (uint64_t)(is.f_files - is.f_ffree);
	return 0;
}
