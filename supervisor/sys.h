/*
 * System calls of the supervisor, as values.
 *
 * Each wrapper returns the result, or -errno captured in the statement after
 * the call; errno appears nowhere else in this directory. Descriptors are
 * close-on-exec from birth. Calls that a signal may interrupt are repeated.
 * Nothing here keeps state; any thread may call.
 */
#ifndef SUP_SYS_H
#define SUP_SYS_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>

#include "wire/span.h"

/* open(2) with O_CLOEXEC added. */
int sup_sys_open(const char *path, int flags);
int sup_sys_openat(int dir_fd, const char *path, int flags);
/* For what flags make; the mode is 0600. */
int sup_sys_create(const char *path, int flags);
int sup_sys_unlink(const char *path);
/* Closes *fd when it is open, and sets it to -1. */
void sup_sys_close(int *fd);
/* One read or write; -EAGAIN where it would block. */
ssize_t sup_sys_read(int fd, void *buf, size_t len);
ssize_t sup_sys_write(int fd, const void *buf, size_t len);
/* The same at an offset: pread(2), pwrite(2). */
ssize_t sup_sys_read_at(int fd, void *buf, size_t len, uint64_t offset);
ssize_t sup_sys_write_at(int fd, const void *buf, size_t len, uint64_t offset);
/* fallocate(2): a hole of len bytes. 0 or -errno. */
int sup_sys_punch(int fd, uint64_t offset, uint64_t len);
/* Reads at most len bytes until end of file. */
ssize_t sup_sys_read_whole(int fd, void *buf, size_t len);
/* The first bytes of a file, terminated; "" when it is unreadable. Their
 * number. size is at least 1. */
size_t sup_sys_read_text(const char *path, char *text, size_t size);
/* Writes text to a file under /proc in one call. 0 or -errno. */
int sup_sys_put(const char *path, const char *text);

int sup_sys_pipe(int ret_fds[2]);
int sup_sys_socketpair(int type, int ret_fds[2]);
int sup_sys_set_nonblocking(int fd);
/* Never raises SIGPIPE, never blocks. */
ssize_t sup_sys_send(int fd, const void *buf, size_t len);
/* One datagram or part of a stream; a descriptor that came along is returned
 * in *ret_fd (else -1), further ones are closed and counted. */
ssize_t sup_sys_recv(
    int fd, void *buf, size_t len, int *ret_fd, unsigned *ret_closed);
/* How many bytes a pipe holds at most; -errno. */
int sup_sys_pipe_size(int fd);

/* A sealed memfd with these bytes. */
int sup_sys_sealed(const char *name, struct wire_span bytes);
/* A detached copy of the mount tree at path (open_tree(2)). */
int sup_sys_open_tree(const char *path);

int sup_sys_fstat(int fd, struct stat *ret_stat);
int sup_sys_stat(const char *path, struct stat *ret_stat);
int sup_sys_lstat(const char *path, struct stat *ret_stat);
bool sup_sys_readable(const char *path);
/* Terminated; -ENAMETOOLONG when it does not fit. */
int sup_sys_readlink(const char *path, char *buf, size_t len);
/* Of an O_PATH descriptor of a link with the path "". */
int sup_sys_readlinkat(int dir_fd, const char *path, char *buf, size_t len);
int sup_sys_realpath(const char *path, char *buf, size_t len);
int sup_sys_getcwd(char *buf, size_t len);

int sup_sys_epoll(void);
int sup_sys_epoll_ctl(
    int epoll_fd, int op, int fd, uint32_t events, void *data);
struct epoll_event;
int sup_sys_epoll_wait(
    int epoll_fd, struct epoll_event *events, int max, int timeout_ms);
int sup_sys_eventfd(void);
/* Not blocking; the signals must be blocked already. */
int sup_sys_signalfd(const sigset_t *set);
int sup_sys_timerfd(void);
/* poll(2); -1: no timeout. For the command's own loop. */
struct pollfd;
int sup_sys_poll(struct pollfd *polled, size_t count, int timeout_ms);
/* Whether fd is readable now; for a pidfd, whether the process has ended. */
bool sup_sys_is_readable(int fd);
/* Blocks until fd is readable, or for so long; for teardown only. */
void sup_sys_wait_readable(int fd, int timeout_ms);
/* shutdown(2) of the sending half: the peer sees the end of it. */
void sup_sys_shutdown(int fd);
/* Absolute CLOCK_MONOTONIC; 0 disarms. */
int sup_sys_timerfd_set(int fd, uint64_t at_ns);
bool sup_sys_timerfd_armed(int fd);
uint64_t sup_sys_now(void);
/* CPU time of the calling thread, in ns. */
uint64_t sup_sys_own_time(void);
/* CPU time of a process in ns; 0 when it cannot be had. */
uint64_t sup_sys_cpu_time(pid_t pid);

/* Sends a signal through the pidfd; where the kernel lacks that (or a tool
 * hides it), kill(2) on pid, which is an unreaped child of ours. */
int sup_sys_signal(int pidfd, pid_t pid, int signal);
/* Whether there is a process of that id, anybody's and a zombie included. */
bool sup_sys_is_process(pid_t pid);
/* 1 when the child has ended and is reaped, 0 when it runs, or -errno. */
int sup_sys_reap(int pidfd, siginfo_t *ret_info);
int sup_sys_prlimit(
    pid_t pid, int resource, uint64_t *ret_soft, uint64_t *ret_hard);
/* clone(2) with exit_signal 0: the child's id, or -errno. */
int sup_sys_clone(
    int (*run)(void *), void *stack_top, int flags, void *arg, int *ret_pidfd);
/* For the child between clone and exec: no memory, no locks. */
int sup_sys_dup_above(int fd, int lowest);
/* Not close-on-exec, unlike all others: the stub finds it there. */
int sup_sys_dup_to(int fd, int number);
/* Keeps capabilities over the exec (ambient). 0 or -errno. */
int sup_sys_keep_capabilities(const int *capabilities, size_t count);
/* Executes fd with an empty environment; returns only on failure. */
int sup_sys_exec_stub(int fd);
int sup_sys_random(void *buf, size_t len);

#endif
