/*
 * System calls on the files of a state directory, and on those that are looked
 * at before they are granted, as values: see supervisor/sys.h, whose rules hold
 * here too.
 */
#ifndef SUP_SYS_FILES_H
#define SUP_SYS_FILES_H

/* mkdirat(2) with mode 0700; -EEXIST when something is there. */
int sup_sys_mkdir(int dir_fd, const char *path);

/*
 * Opens one name in a directory: no link is followed, nothing above the
 * directory and no other mount is reached (openat2(2)). name has no '/'. The
 * mode of what flags make is 0600.
 */
int sup_sys_open_beneath(int dir_fd, const char *name, int flags);

/* fsync(2): for a directory, that the names in it are on the disk. */
int sup_sys_sync(int fd);

/* ST_* flags of the mount that fd stands on (statvfs(3)), or -errno. */
int sup_sys_mount_flags(int fd);

/* Whether the file has an extended attribute of that name; -errno where it is
 * not known. */
int sup_sys_has_attribute(int fd, const char *name);

/* A descriptor that is readable when the file was written to, or removed. */
int sup_sys_watch_file(int fd);

#endif
