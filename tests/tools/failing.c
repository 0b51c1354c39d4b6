/*
 * failing.so: makes one call of one function of the C library fail.
 *
 * Preloaded into the command (LD_PRELOAD), so that what is tested is what is
 * installed. FAIL_CALL names a function, FAIL_AT which of its calls fails, from
 * 1; when that has happened, the file FAIL_MARK is there. Children do not get
 * it: the stub is static and has an empty environment.
 *
 * Every function that the command takes from the C library stands in one of
 * the two lists below, or tests/e2e/test_505_failing.py complains.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* FAILS(function, result, errno) */
#define FUNCTIONS                                                              \
	FAILS(open_memstream, 0, ENOMEM)                                       \
	FAILS(waitpid, -1, ECHILD)                                             \
	FAILS(uname, -1, EFAULT)                                               \
	FAILS(setrlimit, -1, EPERM)                                            \
	FAILS(fstatvfs, -1, EIO)                                               \
	FAILS(fgetxattr, -1, EIO)                                              \
	FAILS(fork, -1, EAGAIN)                                                \
	FAILS(fallocate, -1, EOPNOTSUPP)                                       \
	FAILS(aligned_alloc, 0, ENOMEM)                                        \
	FAILS(calloc, 0, ENOMEM)                                               \
	FAILS(chdir, -1, EACCES)                                               \
	FAILS(clock_getcpuclockid, ESRCH, 0)                                   \
	FAILS(dlopen, 0, 0)                                                    \
	FAILS(clone, -1, EAGAIN)                                               \
	FAILS(dup2, -1, EMFILE)                                                \
	FAILS(epoll_create1, -1, EMFILE)                                       \
	FAILS(epoll_ctl, -1, ENOSPC)                                           \
	FAILS(epoll_wait, -1, EBADF)                                           \
	FAILS(eventfd, -1, EMFILE)                                             \
	FAILS(execve, -1, ENOMEM)                                              \
	FAILS(faccessat, -1, EACCES)                                           \
	FAILS(fcntl, -1, EMFILE)                                               \
	FAILS(fgets, 0, EIO)                                                   \
	FAILS(fopen, 0, EMFILE)                                                \
	FAILS(fstat, -1, EIO)                                                  \
	FAILS(fstatat, -1, EIO)                                                \
	FAILS(fchmod, -1, EPERM)                                               \
	FAILS(fwrite, 0, ENOSPC)                                               \
	FAILS(getcwd, 0, ENOENT)                                               \
	FAILS(getrlimit, -1, EPERM)                                            \
	FAILS(getrandom, -1, ENOSYS)                                           \
	FAILS(kill, -1, EPERM)                                                 \
	FAILS(lstat, -1, EIO)                                                  \
	FAILS(malloc, 0, ENOMEM)                                               \
	FAILS(memfd_create, -1, EMFILE)                                        \
	FAILS(open, -1, EMFILE)                                                \
	FAILS(__open_2, -1, EMFILE)                                            \
	FAILS(openat, -1, EMFILE)                                              \
	FAILS(__openat_2, -1, EMFILE)                                          \
	FAILS(opendir, 0, EMFILE)                                              \
	FAILS(pipe2, -1, EMFILE)                                               \
	FAILS(poll, -1, ENOMEM)                                                \
	FAILS(prctl, -1, EINVAL)                                               \
	FAILS(pread, -1, EIO)                                                  \
	FAILS(prlimit, -1, EPERM)                                              \
	FAILS(pwrite, -1, ENOSPC)                                              \
	FAILS(read, -1, EIO)                                                   \
	FAILS(readdir, 0, EIO)                                                 \
	FAILS(readlink, -1, EIO)                                               \
	FAILS(readlinkat, -1, EIO)                                             \
	FAILS(realloc, 0, ENOMEM)                                              \
	FAILS(realpath, 0, EACCES)                                             \
	FAILS(recv, -1, EIO)                                                   \
	FAILS(recvmsg, -1, ENOMEM)                                             \
	FAILS(send, -1, ENOBUFS)                                               \
	FAILS(setsid, -1, EPERM)                                               \
	FAILS(signalfd, -1, EMFILE)                                            \
	FAILS(sigtimedwait, -1, EAGAIN)                                        \
	FAILS(socket, -1, EMFILE)                                              \
	FAILS(socketpair, -1, EMFILE)                                          \
	FAILS(stat, -1, EIO)                                                   \
	FAILS(strdup, 0, ENOMEM)                                               \
	FAILS(syscall, -1, ENOSYS)                                             \
	FAILS(timerfd_create, -1, EMFILE)                                      \
	FAILS(timerfd_gettime, -1, EBADF)                                      \
	FAILS(timerfd_settime, -1, EINVAL)                                     \
	FAILS(unlink, -1, EACCES)                                              \
	FAILS(unlinkat, -1, EBUSY)                                             \
	FAILS(mkdirat, -1, EROFS)                                              \
	FAILS(linkat, -1, ENOENT)                                              \
	FAILS(fchmodat, -1, EPERM)                                             \
	FAILS(fchownat, -1, EPERM)                                             \
	FAILS(fdopendir, 0, ENOMEM)                                            \
	FAILS(shutdown, -1, ENOTCONN)                                          \
	FAILS(fdatasync, -1, EIO)                                              \
	FAILS(fsync, -1, EIO)                                                  \
	FAILS(ftruncate, -1, EIO)                                              \
	FAILS(inotify_init1, -1, EMFILE)                                       \
	FAILS(inotify_add_watch, -1, ENOSPC)                                   \
	FAILS(waitid, -1, ECHILD)                                              \
	FAILS(write, -1, ENOSPC)

/*
 * Not made to fail: what has no failure, or none that the command could meet
 * (a clock that exists, a signal set, text in memory), and what only gives
 * back.
 *
 * NEVER: clock_gettime close closedir environ fclose fprintf free getegid
 * geteuid getpid isatty memchr memcmp memcpy memmove memset pthread_sigmask
 * sigaddset sigemptyset sigfillset sigismember signal sigpending sigprocmask
 * snprintf stderr stdout strchr strcmp strcspn strerror strerrordesc_np strlen
 * strncmp strnlen strrchr strsignal strspn strstr strtol strtoull vsnprintf
 * _exit exit qsort abort getppid getuid fputc fflush strerrorname_np sscanf
 * strpbrk explicit_bzero nanosleep sysconf dlsym dlclose strsep inet_pton
 * getenv strncasecmp memmem
 */

#define EXPORTED __attribute__((visibility("default")))

static const char *wanted;
static long at, count;

/* Whether this call is the one. */
static int
fails(const char *name)
{
	const char *mark;

	if (wanted == NULL || strcmp(wanted, name) != 0 ||
	    __atomic_add_fetch(&count, 1, __ATOMIC_SEQ_CST) != at)
		return 0;
	mark = getenv("FAIL_MARK");
	if (mark != NULL) {
		long fd = syscall(SYS_openat, AT_FDCWD, mark,
		    O_WRONLY | O_CREAT | O_CLOEXEC, 0666);

		if (fd >= 0)
			(void)syscall(SYS_close, fd);
	}
	return 1;
}

/* The eight first integer arguments are handed on, whatever they mean: none
 * of these functions has more, and what is too many is not looked at. */
typedef long (*any)(long, long, long, long, long, long, long, long);

#define FAILS(name, result, error)                                             \
	extern long fail_##name(long, long, long, long, long, long, long,      \
	    long) __asm__(#name) EXPORTED;                                     \
	long fail_##name(                                                      \
	    long a, long b, long c, long d, long e, long f, long g, long h)    \
	{                                                                      \
		static any real;                                               \
                                                                               \
		if (real == NULL)                                              \
			real = (any)dlsym(RTLD_NEXT, #name);                   \
		if (fails(#name)) {                                            \
			if ((error) != 0)                                      \
				errno = (error);                               \
			return (result);                                       \
		}                                                              \
		return real(a, b, c, d, e, f, g, h);                           \
	}
FUNCTIONS

__attribute__((constructor)) static void
prepare(void)
{
	const char *number = getenv("FAIL_AT");

	at = number != NULL ? strtol(number, NULL, 10) : 0;
	wanted = getenv("FAIL_CALL");
}
