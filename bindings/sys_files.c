#include "bindings/sys_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef RENAME_NOREPLACE
#define RENAME_NOREPLACE 1
#endif

/*
 * SECURITY: what a program names stays beneath the directory that is held, and
 * is reached by no link, whoever changes names in the meantime: the kernel
 * resolves the path in one go under these rules (openat2(2), Linux 5.6).
 */
#define BENEATH                                                                \
	(RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS |       \
	    RESOLVE_NO_XDEV)

static int
open_how(int dir_fd, const char *path, const struct open_how *how)
{
	long fd;

	do {
		fd = syscall(SYS_openat2, dir_fd, path, how, sizeof(*how));
	} while (fd < 0 && errno == EINTR);
	return fd < 0 ? -errno : (int)fd;
}

int
bind_sys_open_root(const char *path)
{
	const struct open_how how = {
	    .flags = O_PATH | O_DIRECTORY | O_CLOEXEC,
	    .resolve = RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS,
	};

	return open_how(AT_FDCWD, path, &how);
}

int
bind_sys_open_beneath(int dir_fd, const char *path, enum bind_sys_open open)
{
	static const uint64_t flags[] = {
	    [BIND_SYS_OPEN_PATH] = O_PATH | O_NOFOLLOW,
	    /* KERNEL: a link in the place of a directory is ELOOP without
	     * O_NOFOLLOW, and ENOTDIR with it. */
	    [BIND_SYS_OPEN_DIRECTORY] = O_PATH | O_DIRECTORY,
	    [BIND_SYS_OPEN_LIST] = O_RDONLY | O_DIRECTORY | O_NONBLOCK,
	    [BIND_SYS_OPEN_NEW] =
		O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_NONBLOCK,
	    [BIND_SYS_OPEN_UNNAMED] = O_WRONLY | O_TMPFILE | O_APPEND,
	};
	const struct open_how how = {
	    .flags = flags[open] | O_CLOEXEC,
	    .mode = open >= BIND_SYS_OPEN_NEW ? 0666 : 0,
	    .resolve = BENEATH,
	};

	return open_how(dir_fd, path[0] == '\0' ? "." : path, &how);
}

/*
 * By the descriptor, not by the name once more: it is the file that was looked
 * at. SECURITY: what is no regular file is never opened: a FIFO would have a
 * reader, and a device might do something.
 */
int
bind_sys_reopen(int path_fd, bool append)
{
	char path[40];
	struct stat st;
	int fd;

	if (fstat(path_fd, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", path_fd);
	do {
		fd = open(path,
		    (append ? O_WRONLY | O_APPEND : O_RDONLY) | O_NONBLOCK |
			O_NOCTTY | O_CLOEXEC);
	} while (fd < 0 && errno == EINTR);
	return fd < 0 ? -errno : fd;
}

static void
describe(const struct stat *st, struct bind_sys_info *info)
{
	info->type = S_ISREG(st->st_mode) ? BIND_SYS_FILE
	    : S_ISDIR(st->st_mode)	  ? BIND_SYS_DIRECTORY
	    : S_ISLNK(st->st_mode)	  ? BIND_SYS_LINK
					  : BIND_SYS_OTHER;
	info->mode = st->st_mode & 0777;
	info->size = (uint64_t)st->st_size;
	info->mtime = st->st_mtim.tv_sec;
}

int
bind_sys_info(int fd, struct bind_sys_info *info)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return -errno;
	describe(&st, info);
	return 0;
}

int
bind_sys_info_at(int dir_fd, const char *name, struct bind_sys_info *info)
{
	struct stat st;

	if (fstatat(dir_fd, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return -errno;
	describe(&st, info);
	return 0;
}

int
bind_sys_may_write_at(int dir_fd, const char *name)
{
	return faccessat(dir_fd, name, W_OK, AT_EACCESS) < 0 ? -errno : 0;
}

int
bind_sys_rename_at(int dir_fd, const char *from, const char *to, bool replace)
{
	if (syscall(SYS_renameat2, dir_fd, from, dir_fd, to,
		replace ? 0 : RENAME_NOREPLACE) < 0)
		return -errno;
	return 0;
}

/* KERNEL: by the descriptor itself (AT_EMPTY_PATH) it takes a privilege. */
int
bind_sys_link_at(int fd, int dir_fd, const char *name)
{
	char path[40];

	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (linkat(AT_FDCWD, path, dir_fd, name, AT_SYMLINK_FOLLOW) < 0)
		return -errno;
	return 0;
}

int
bind_sys_unlink_at(int dir_fd, const char *name)
{
	return unlinkat(dir_fd, name, 0) < 0 ? -errno : 0;
}

int
bind_sys_mkdir_at(int dir_fd, const char *name)
{
	return mkdirat(dir_fd, name, 0777) < 0 ? -errno : 0;
}

int
bind_sys_chmod(int fd, unsigned mode)
{
	return fchmod(fd, mode) < 0 ? -errno : 0;
}

/* --- the entries of a directory ------------------------------------------- */

/* getdents64(2). */
struct entry {
	uint64_t ino;
	int64_t off;
	uint16_t len;
	uint8_t type;
	char name[];
};

ssize_t
bind_sys_list(int fd, void *buf, size_t len)
{
	long n = syscall(SYS_getdents64, fd, buf, len);

	return n < 0 ? -errno : n;
}

bool
bind_sys_next_entry(
    const void *buf, size_t len, size_t *at, struct bind_sys_entry *ret_entry)
{
	const struct entry *entry;

	if (len - *at <= offsetof(struct entry, name))
		return false;
	entry = (const void *)((const char *)buf + *at);
	if (entry->len <= offsetof(struct entry, name) ||
	    entry->len > len - *at)
		return false;
	*at += entry->len;
	ret_entry->name = entry->name;
	ret_entry->type = entry->type == DT_REG ? BIND_SYS_FILE
	    : entry->type == DT_DIR		? BIND_SYS_DIRECTORY
	    : entry->type == DT_LNK		? BIND_SYS_LINK
	    : entry->type == DT_UNKNOWN		? BIND_SYS_UNKNOWN
						: BIND_SYS_OTHER;
	return true;
}
