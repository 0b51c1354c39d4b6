/*
 * System calls on control groups and for watching memory, as values: as in
 * sys.h.
 */
#ifndef SUP_SYS_CGROUP_H
#define SUP_SYS_CGROUP_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * clone3(2) like fork(2), into a cgroup of version 2, with exit_signal 0: the
 * child's id, 0 in the child, or -errno. The caller's memory is copied: the
 * child may still only make system calls.
 */
int sup_sys_clone_into(uint64_t flags, int cgroup_fd, int *ret_pidfd);
int sup_sys_pidfd_open(pid_t pid);

/* Writes text to a file in a directory in one call. 0 or -errno. */
int sup_sys_put_at(int dir_fd, const char *name, const char *text);
/* The first bytes of a file in a directory, terminated: their number, or
 * -errno with *text empty. size is at least 1. */
ssize_t sup_sys_read_text_at(
    int dir_fd, const char *name, char *text, size_t size);

/* Bytes and files that are in use on the filesystem behind fd. 0 or -errno. */
int sup_sys_usage(int fd, uint64_t *ret_bytes, uint64_t *ret_files);

#endif
