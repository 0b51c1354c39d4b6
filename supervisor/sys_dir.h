/*
 * System calls on directories, as values: as in sys.h.
 */
#ifndef SUP_SYS_DIR_H
#define SUP_SYS_DIR_H

#include <stdint.h>

/* 0 or -errno. None follows a link in the last part of the name. */
int sup_sys_mkdirat(int dir_fd, const char *name, unsigned mode);
int sup_sys_rmdirat(int dir_fd, const char *name);
int sup_sys_chownat(int dir_fd, const char *name, uint32_t uid, uint32_t gid);
/* Of something that is known not to be a link: chmod(2) follows them. */
int sup_sys_chmodat(int dir_fd, const char *name, unsigned mode);

/* Calls each with every name in the directory but `.` and `..`; entries may be
 * removed meanwhile. What cannot be read is passed over. */
void sup_sys_list(
    int dir_fd, void (*each)(void *arg, const char *name), void *arg);

#endif
