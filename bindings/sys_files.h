/*
 * System calls on the files beneath a directory, as values: see bindings/sys.h,
 * whose rules hold here too.
 *
 * Paths are relative to a directory that is held open. None follows a link in
 * any part of them, leaves the directory, or reaches another mount.
 */
#ifndef BIND_SYS_FILES_H
#define BIND_SYS_FILES_H

#include <errno.h> /* the names of the values, for those who compare */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum bind_sys_type {
	BIND_SYS_FILE,
	BIND_SYS_DIRECTORY,
	BIND_SYS_LINK,
	BIND_SYS_OTHER,	 /* a FIFO, a socket, a device */
	BIND_SYS_UNKNOWN /* only of an entry: the file system does not say */
};

struct bind_sys_info {
	enum bind_sys_type type;
	unsigned mode; /* permissions: 0 to 0777 */
	uint64_t size;
	int64_t mtime; /* seconds since 1970 */
};

/* A directory by its path from the host's root, for what comes beneath it. No
 * part of it may be a link. -ENOSYS: the kernel cannot keep to it. */
int bind_sys_open_root(const char *path);

enum bind_sys_open {
	BIND_SYS_OPEN_PATH,	 /* whatever it is, untouched */
	BIND_SYS_OPEN_DIRECTORY, /* for what comes beneath it */
	BIND_SYS_OPEN_LIST,	 /* a directory, to read its entries */
	BIND_SYS_OPEN_NEW,	 /* a regular file that is not there yet */
	BIND_SYS_OPEN_UNNAMED,	 /* one in a directory, without a name */
};
/* path: "" is the directory itself. openat2(2), and nothing else: there is no
 * way of doing without. Of BIND_SYS_OPEN_PATH the last part may be a link. */
int bind_sys_open_beneath(int dir_fd, const char *path, enum bind_sys_open how);

/* The file behind a descriptor of BIND_SYS_OPEN_PATH, which has to be a regular
 * one, for reading or for appending. -EAGAIN instead of waiting for a lease. */
int bind_sys_reopen(int path_fd, bool append);

int bind_sys_info(int fd, struct bind_sys_info *ret_info);
/* Of one name in a directory; a link itself. */
int bind_sys_info_at(
    int dir_fd, const char *name, struct bind_sys_info *ret_info);
/* 0 when this process may write to what the name is. */
int bind_sys_may_write_at(int dir_fd, const char *name);

/* In the place of what had the name before, or only where nothing had. */
int bind_sys_rename_at(
    int dir_fd, const char *from, const char *to, bool replace);
/* Gives a file of BIND_SYS_OPEN_UNNAMED a name that is not there yet. */
int bind_sys_link_at(int fd, int dir_fd, const char *name);
int bind_sys_unlink_at(int dir_fd, const char *name);
int bind_sys_mkdir_at(int dir_fd, const char *name);
int bind_sys_chmod(int fd, unsigned mode);

/* The next entries of a directory, as bytes: their number, 0 at the end. buf is
 * aligned for 64 bits. */
ssize_t bind_sys_list(int fd, void *buf, size_t len);

struct bind_sys_entry {
	enum bind_sys_type type;
	const char *name;
};
/* Walks them; *at is 0 at the beginning. False at their end. `.` and `..` are
 * among them. */
bool bind_sys_next_entry(
    const void *buf, size_t len, size_t *at, struct bind_sys_entry *ret_entry);

#endif
