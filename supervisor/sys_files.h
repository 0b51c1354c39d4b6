/*
 * System calls on the files of a state directory, as values: see
 * supervisor/sys.h, whose rules hold here too.
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

/* A descriptor that is readable when the file at path was written to. */
int sup_sys_watch_file(int fd);

#endif
