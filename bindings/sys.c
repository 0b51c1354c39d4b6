#include "bindings/sys.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifndef P_PIDFD
#define P_PIDFD 3
#endif

/* KERNEL: the kernel's signal set, 64 signals on the machines weir runs on. */
#define KERNEL_SIGSET  8
#define KERNEL_SIGNALS 64

/* rt_sigaction(2) as the kernel takes it; all zero is the default action. */
struct kernel_sigaction {
	void *handler;
	unsigned long flags;
	void *restorer;
	unsigned long mask;
};

const char *
bind_sys_error_text(int error)
{
#ifdef __GLIBC__
	const char *text = strerrordesc_np(error);

	return text == NULL ? "unknown error" : text;
#else
	return strerror(error); /* musl: a constant string */
#endif
}

int
bind_sys_pipe(int *ret_read_fd, int *ret_write_fd)
{
	int fds[2];

	if (pipe2(fds, O_CLOEXEC) < 0)
		return -errno;
	*ret_read_fd = fds[0];
	*ret_write_fd = fds[1];
	return 0;
}

int
bind_sys_seqpacket_pair(int ret_fds[2])
{
	int fds[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds) < 0)
		return -errno;
	ret_fds[0] = fds[0];
	ret_fds[1] = fds[1];
	return 0;
}

int
bind_sys_set_nonblock(int fd)
{
	int flags = fcntl(fd, F_GETFL);

	if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0)
		return -errno;
	return 0;
}

void
bind_sys_close(int *fd)
{
	/* Linux frees the descriptor even when close reports an error, and
	 * nothing here is a file whose write could fail late. */
	if (*fd >= 0)
		(void)close(*fd);
	*fd = -1;
}

ssize_t
bind_sys_read(int fd, void *buf, size_t len)
{
	ssize_t n;

	do {
		n = read(fd, buf, len);
	} while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : n;
}

/*
 * SIGPIPE goes to the thread that wrote (signal(7)). It is blocked around the
 * write and, when this write raised it, taken off the pending set again; one
 * that was pending before is left for whoever waits for it.
 */
static void
hold(const sigset_t *set, struct bind_sys_signals *held)
{
	sigset_t pending;

	sigpending(&pending);
	held->was_pending = sigismember(&pending, SIGPIPE) == 1;
	(void)pthread_sigmask(SIG_BLOCK, set, &held->old);
}

static void
take_sigpipe(void)
{
	const struct timespec now = {0, 0};
	sigset_t pipe_set;

	sigemptyset(&pipe_set);
	sigaddset(&pipe_set, SIGPIPE);
	while (sigtimedwait(&pipe_set, NULL, &now) < 0 && errno == EINTR)
		;
}

ssize_t
bind_sys_write_pipe(int fd, const void *buf, size_t len)
{
	struct bind_sys_signals held;
	sigset_t pipe_set;
	ssize_t n;

	sigemptyset(&pipe_set);
	sigaddset(&pipe_set, SIGPIPE);
	hold(&pipe_set, &held);
	do {
		n = write(fd, buf, len);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		n = -errno;
	if (n == -EPIPE && !held.was_pending)
		take_sigpipe();
	(void)pthread_sigmask(SIG_SETMASK, &held.old, NULL);
	return n;
}

void
bind_sys_hold_signals(struct bind_sys_signals *held)
{
	sigset_t all;

	sigfillset(&all);
	hold(&all, held);
}

void
bind_sys_release_signals(const struct bind_sys_signals *held)
{
	sigset_t pending;

	sigpending(&pending);
	if (!held->was_pending && sigismember(&pending, SIGPIPE) == 1)
		take_sigpipe();
	(void)pthread_sigmask(SIG_SETMASK, &held->old, NULL);
}

int
bind_sys_stream_socket(int family)
{
	int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	return fd < 0 ? -errno : fd;
}

int
bind_sys_timer_after(int fd, uint64_t ns)
{
	const struct itimerspec when = {
	    .it_value = {.tv_sec = (time_t)(ns / 1000000000),
		.tv_nsec = (long)(ns % 1000000000)},
	};

	return timerfd_settime(fd, 0, &when, NULL) < 0 ? -errno : 0;
}

ssize_t
bind_sys_recv(int fd, void *buf, size_t len)
{
	ssize_t n;

	do {
		n = recv(fd, buf, len, MSG_DONTWAIT | MSG_TRUNC);
	} while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : n;
}

int
bind_sys_random(void *buf, size_t len)
{
	ssize_t n;

	do {
		n = getrandom(buf, len, 0);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	return (size_t)n == len ? 0 : -EIO;
}

int
bind_sys_ready_fd(void)
{
	int fd = eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK);

	return fd < 0 ? -errno : fd;
}

int
bind_sys_timer(void)
{
	int fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);

	return fd < 0 ? -errno : fd;
}

int
bind_sys_timer_set(int fd, uint64_t at_ns)
{
	struct itimerspec spec = {
	    .it_value = {(time_t)(at_ns / 1000000000), at_ns % 1000000000}};

	return timerfd_settime(fd, TFD_TIMER_ABSTIME, &spec, NULL) < 0 ? -errno
								       : 0;
}

/* --- a file that others write to as well --------------------------------- */

static uint64_t
clock_ns(clockid_t clock)
{
	struct timespec now = {0, 0};

	/* These clocks are there on every Linux. */
	(void)clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

uint64_t
bind_sys_time(void)
{
	return clock_ns(CLOCK_REALTIME);
}

uint64_t
bind_sys_cpu_time(void)
{
	return clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

uint64_t
bind_sys_monotonic(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

void
bind_sys_sleep(uint64_t ns)
{
	struct timespec time = {
	    (time_t)(ns / 1000000000), (long)(ns % 1000000000)};

	/* Woken early: the caller looks at the clock. */
	(void)nanosleep(&time, NULL);
}

ssize_t
bind_sys_read_at(int fd, void *buf, size_t len, uint64_t offset)
{
	ssize_t n;

	do {
		n = pread(fd, buf, len, (off_t)offset);
	} while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : n;
}

int
bind_sys_append(int fd, const void *buf, size_t len, uint64_t size)
{
	const char *from = buf;
	struct rlimit limit;

	/* Past it the kernel would send SIGXFSZ (setrlimit(2)), and signals
	 * are the host's. */
	if (getrlimit(RLIMIT_FSIZE, &limit) < 0)
		return -errno;
	if (len > limit.rlim_cur || size > limit.rlim_cur - len)
		return -EFBIG;
	while (len > 0) {
		ssize_t n = write(fd, from, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -EIO;
		from += n;
		len -= (size_t)n;
	}
	return 0;
}

int
bind_sys_file_size(int fd, uint64_t *ret_size)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return -errno;
	if (st.st_nlink == 0)
		return -ENOENT;
	*ret_size = (uint64_t)st.st_size;
	return 0;
}

int
bind_sys_truncate(int fd, uint64_t size)
{
	int r;

	do {
		r = ftruncate(fd, (off_t)size);
	} while (r < 0 && errno == EINTR);
	return r < 0 ? -errno : 0;
}

int
bind_sys_sync(int fd)
{
	int r;

	do {
		r = fdatasync(fd);
	} while (r < 0 && errno == EINTR);
	return r < 0 ? -errno : 0;
}

int
bind_sys_lock(int fd, enum bind_sys_lock lock)
{
	static const short types[] = {
	    [BIND_SYS_SHARED] = F_RDLCK,
	    [BIND_SYS_EXCLUSIVE] = F_WRLCK,
	    [BIND_SYS_UNLOCK] = F_UNLCK,
	};
	struct flock whole = {
	    .l_type = types[lock], .l_whence = SEEK_SET, .l_start = 0};

	if (fcntl(fd, F_OFD_SETLK, &whole) < 0)
		return errno == EACCES ? -EAGAIN : -errno;
	return 0;
}

/* --- programs ------------------------------------------------------------- */

int
bind_sys_is_executable(const char *path)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EACCES;
	if (faccessat(AT_FDCWD, path, X_OK, AT_EACCESS) < 0)
		return -errno;
	return 0;
}

int
bind_sys_getcwd(char *buf, size_t len)
{
	return getcwd(buf, len) == NULL ? -errno : 0;
}

pid_t
bind_sys_clone_vfork(int (*child)(void *arg), void *arg, void *stack,
    size_t stack_len, int *ret_pidfd)
{
	sigset_t all, old;
	int pidfd = -1;
	pid_t pid;

	/* SECURITY: no handler of the host may run in the child, which shares
	 * its memory. */
	sigfillset(&all);
	(void)pthread_sigmask(SIG_SETMASK, &all, &old);
	pid = clone(child, (char *)stack + stack_len,
	    CLONE_VM | CLONE_VFORK | CLONE_PIDFD, arg, &pidfd);
	if (pid < 0)
		pid = -errno;
	(void)pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (pid >= 0)
		*ret_pidfd = pidfd;
	return pid;
}

void
bind_sys_wait_end(int pidfd, int timeout_ms)
{
	struct pollfd polled = {pidfd, POLLIN, 0};

	/* Interrupted early: the caller looks for itself. */
	(void)poll(&polled, 1, timeout_ms);
}

void
bind_sys_kill(int pidfd, pid_t pid)
{
	/* KERNEL: valgrind 3.19 has no pidfd_send_signal. The pid is safe: it
	 * is a child that only we reap, and have not. */
	if (syscall(SYS_pidfd_send_signal, pidfd, SIGKILL, NULL, 0) < 0 &&
	    errno == ENOSYS)
		(void)kill(pid, SIGKILL);
}

int
bind_sys_reap(int pidfd, bool wait, bool *ret_clean)
{
	siginfo_t info;
	int r;

	do {
		/* waitid(2): si_pid tells "none yet" from "reaped". */
		info.si_pid = 0;
		r = waitid((idtype_t)P_PIDFD, (id_t)pidfd, &info,
		    WEXITED | __WALL | (wait ? 0 : WNOHANG));
	} while (r < 0 && errno == EINTR);
	if (r < 0)
		return -errno;
	if (info.si_pid == 0)
		return 0;
	*ret_clean = info.si_code == CLD_EXITED && info.si_status == 0;
	return 1;
}

/* --- between clone and exec --------------------------------------------- */

int
bind_child_dup_above(int fd, int least)
{
	int copy = fcntl(fd, F_DUPFD_CLOEXEC, least);

	return copy < 0 ? -errno : copy;
}

int
bind_child_dup_to(int fd, int to)
{
	return dup2(fd, to) < 0 ? -errno : 0;
}

int
bind_child_close_from(int least)
{
	return syscall(SYS_close_range, least, ~0U, 0) < 0 ? -errno : 0;
}

int
bind_child_settle(const char *directory)
{
	if (setsid() < 0 || chdir(directory) < 0)
		return -errno;
	return 0;
}

void
bind_child_reset_signals(void)
{
	struct kernel_sigaction action = {NULL, 0, NULL, 0};
	unsigned long none = 0;

	/* The raw call: libc keeps two signals to itself, but a program that
	 * inherits them ignored would not get them back. */
	for (int sig = 1; sig <= KERNEL_SIGNALS; sig++)
		(void)syscall(
		    SYS_rt_sigaction, sig, &action, NULL, KERNEL_SIGSET);
	(void)syscall(
	    SYS_rt_sigprocmask, SIG_SETMASK, &none, NULL, KERNEL_SIGSET);
}

int
bind_child_exec(const char *path, char *const *argv, char *const *environment)
{
	(void)execve(path, argv, environment);
	return -errno;
}

void
bind_child_send(int fd, const void *buf, size_t len)
{
	/* If it fails, the exit status without a record says as much. */
	(void)send(fd, buf, len, MSG_NOSIGNAL);
}

void
bind_child_exit(int status)
{
	_exit(status);
}
