/*
 * System calls of the bindings, as values: each returns 0 (or a count) or
 * -errno, and nothing else here or above looks at errno. Interrupted calls are
 * repeated. Descriptors are close-on-exec from birth.
 *
 * The bind_child_ functions are for the short life between clone and exec, in
 * memory that is shared with a parent that sleeps: no allocation, no lock.
 */
#ifndef BIND_SYS_H
#define BIND_SYS_H

#include <errno.h> /* the names of the values, for those who compare */
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* "No such file or directory"; for a positive errno. Static string. */
const char *bind_sys_error_text(int error);

int bind_sys_pipe(int *ret_read_fd, int *ret_write_fd);
/* A connected pair of SOCK_SEQPACKET sockets. */
int bind_sys_seqpacket_pair(int ret_fds[2]);
int bind_sys_set_nonblock(int fd);
/* Closes *fd when it is one (>= 0) and leaves -1. */
void bind_sys_close(int *fd);

ssize_t bind_sys_read(int fd, void *buf, size_t len);
/* To a pipe. A pipe that nobody reads is -EPIPE, without a SIGPIPE and without
 * a change to how the process or its other threads take that signal. */
ssize_t bind_sys_write_pipe(int fd, const void *buf, size_t len);
/* One datagram, without blocking. Its full length, even when over len. */
ssize_t bind_sys_recv(int fd, void *buf, size_t len);

/* A stream socket, close-on-exec and non-blocking. */
int bind_sys_stream_socket(int family);

/*
 * All signals of this thread are blocked from hold to release, and a SIGPIPE
 * that came meanwhile is gone: for calls of a library that may raise one, and
 * may start a thread, which then never runs a handler of the host's.
 */
struct bind_sys_signals {
	sigset_t old;
	bool was_pending;
};
void bind_sys_hold_signals(struct bind_sys_signals *held);
void bind_sys_release_signals(const struct bind_sys_signals *held);

/* Random bits of the kernel's. */
int bind_sys_random(void *buf, size_t len);
/* A descriptor that can always be read: a turn of the loop is due. */
int bind_sys_ready_fd(void);
/* A timer of CLOCK_MONOTONIC, and when it can be read; 0: never. */
int bind_sys_timer(void);
int bind_sys_timer_set(int fd, uint64_t at_ns);
/* Likewise, so many nanoseconds from now. */
int bind_sys_timer_after(int fd, uint64_t ns);
/* Nanoseconds of the processor that this thread has used. */
uint64_t bind_sys_cpu_time(void);

/* --- a file that others write to as well --------------------------------- */

/* Nanoseconds since 1970, and of a clock that is never set. */
uint64_t bind_sys_time(void);
uint64_t bind_sys_monotonic(void);
void bind_sys_sleep(uint64_t ns);

ssize_t bind_sys_read_at(int fd, void *buf, size_t len, uint64_t offset);
/* All of it to the end of a file of this size; -EFBIG, without a signal, where
 * that is over the limit of this process. */
int bind_sys_append(int fd, const void *buf, size_t len, uint64_t size);
/* -ENOENT for a file that was removed: it has no name any more. */
int bind_sys_file_size(int fd, uint64_t *ret_size);
int bind_sys_truncate(int fd, uint64_t size);
/* The file's bytes and size are on the disk. */
int bind_sys_sync(int fd);

/*
 * A lock on the whole file, without waiting: -EAGAIN while another open file
 * has one that forbids it. It belongs to the open file (fcntl(2), F_OFD_SETLK):
 * another descriptor of this process that was opened on its own does not have
 * it, and closing one does not drop it.
 */
enum bind_sys_lock { BIND_SYS_SHARED, BIND_SYS_EXCLUSIVE, BIND_SYS_UNLOCK };
int bind_sys_lock(int fd, enum bind_sys_lock lock);

/* --- programs ------------------------------------------------------------- */

/* 0 for a regular file that this process may execute. */
int bind_sys_is_executable(const char *path);
/* The current directory: 0, or -ERANGE when it does not fit. */
int bind_sys_getcwd(char *buf, size_t len);

/*
 * Runs child(arg) in a new process that shares this memory, and returns when
 * it has executed or exited: its pid, and *ret_pidfd. No signal is sent when it
 * ends. child must not return. All signals are blocked in it; the stack is the
 * caller's, stack_len bytes, aligned to 16.
 *
 * KERNEL: an emulator may copy the memory instead (valgrind does); child may
 * not rely on writing to it.
 */
pid_t bind_sys_clone_vfork(int (*child)(void *arg), void *arg, void *stack,
    size_t stack_len, int *ret_pidfd);

/* Waits until a process has ended, or for so long. */
void bind_sys_wait_end(int pidfd, int timeout_ms);
/* SIGKILL to a child that has not been reaped. */
void bind_sys_kill(int pidfd, pid_t pid);
/* 1: reaped, and *ret_clean says whether it exited with status 0. 0: it still
 * runs (never when `wait` is set). */
int bind_sys_reap(int pidfd, bool wait, bool *ret_clean);

/* A close-on-exec copy of fd, at `least` or above. */
int bind_child_dup_above(int fd, int least);
/* Makes `to` a copy of fd that survives exec. */
int bind_child_dup_to(int fd, int to);
int bind_child_close_from(int least);
/* New session, and the directory. */
int bind_child_settle(const char *directory);
/* Every signal to its default action, then all unblocked. */
void bind_child_reset_signals(void);
/* Returns only on failure. */
int bind_child_exec(
    const char *path, char *const *argv, char *const *environment);
void bind_child_send(int fd, const void *buf, size_t len);
void bind_child_exit(int status) __attribute__((noreturn));

#endif
