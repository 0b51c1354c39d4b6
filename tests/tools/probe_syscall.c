/*
 * Makes system calls that a sealed program may not make, each with arguments
 * that the kernel itself would answer with EFAULT, EBADF or EINVAL, and prints
 * a line `NAME ERRNO` for each. EPERM or ENOSYS then prove that the filter
 * has answered and not the kernel; where there is no filter the calls do no
 * harm. Calls that an unprivileged process is refused with EPERM before the
 * kernel looks at arguments would prove nothing and are not here.
 *
 *   probe_syscall            makes the calls itself
 *   probe_syscall --python   prints a Python program that makes them, for
 *                            where nothing can be executed:
 *                            probe_syscall --python | weir run -
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/prctl.h>
#include <linux/sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define BAD    1L /* no pointer */
#define NO_FD  (-1L)
#define NO_SIG 99L
#define HI     (1L << 32)

struct probe {
	const char *name;
	long nr;
	long args[6]; /* missing ones are 0 */
};

#define P(call, ...)                                                           \
	{                                                                      \
#call, SYS_##call,                                             \
		{                                                              \
			__VA_ARGS__                                            \
		}                                                              \
	}
/* The same call again, for another argument. */
#define Q(call, word, ...)                                                     \
	{                                                                      \
#call "/" word, SYS_##call,                                    \
		{                                                              \
			__VA_ARGS__                                            \
		}                                                              \
	}

static const struct probe probes[] = {
    /* processes and what they run */
    P(execve, BAD, BAD, BAD),
    P(execveat, NO_FD, BAD, BAD, BAD, 0),
    Q(clone, "no-thread", CLONE_SIGHAND),
    Q(clone, "newuser", CLONE_NEWUSER | CLONE_FS),
    Q(clone, "newuser-high", HI | CLONE_NEWUSER | CLONE_FS),
    Q(clone, "newns", CLONE_NEWNS | CLONE_FS),
    Q(clone, "newpid", CLONE_NEWPID | CLONE_THREAD),
    P(clone3, BAD, 88),
    P(unshare, 1),
    P(setns, NO_FD, 0),
    P(waitid, 99, 0, BAD, 0),
    P(setpgid, -1, 0),
    P(ptrace, 99, -1, BAD, BAD),
    P(process_vm_readv, -1, BAD, 1, BAD, 1),
    P(process_vm_writev, -1, BAD, 1, BAD, 1),
    P(kcmp, -1, -1, 0, 0, 0),
    P(memfd_create, BAD, 0),
    P(process_madvise, NO_FD, BAD, 1, 0, 0),
    P(process_mrelease, NO_FD, 1),

    /* signals */
    P(kill, 1, NO_SIG),
    Q(kill, "group", 0, NO_SIG),
    Q(kill, "all", -1, NO_SIG),
    P(tkill, 1, NO_SIG),
    P(tgkill, 1, 1, NO_SIG),
    P(rt_sigqueueinfo, 1, NO_SIG, BAD),
    P(rt_tgsigqueueinfo, 1, 1, NO_SIG, BAD),
    P(pidfd_send_signal, NO_FD, 0, 0, 0),
    P(pidfd_open, -1, 0),
    P(pidfd_getfd, NO_FD, 0, 0),
    Q(fcntl, "F_SETOWN", NO_FD, F_SETOWN, 1),
    Q(fcntl, "F_SETOWN_EX", NO_FD, F_SETOWN_EX, BAD),
    Q(fcntl, "F_SETSIG", NO_FD, F_SETSIG, 9),
    Q(fcntl, "O_ASYNC", NO_FD, F_SETFL, O_ASYNC),
    Q(fcntl, "F_SETLEASE", NO_FD, F_SETLEASE, 0),
    Q(fcntl, "F_NOTIFY", NO_FD, F_NOTIFY, 1),

    /* descriptors */
    Q(ioctl, "TIOCSTI", NO_FD, TIOCSTI, BAD),
    Q(ioctl, "TIOCSTI-high", NO_FD, HI | TIOCSTI, BAD),
    Q(ioctl, "TIOCLINUX", NO_FD, TIOCLINUX, BAD),
    Q(ioctl, "FIOASYNC", NO_FD, FIOASYNC, BAD),
    P(vmsplice, NO_FD, BAD, 1, 0),
    P(tee, NO_FD, NO_FD, 1, 0),
    P(inotify_init1, -1),
    P(inotify_add_watch, NO_FD, BAD, 0),
    P(name_to_handle_at, NO_FD, BAD, BAD, BAD, 0),
    P(syncfs, NO_FD),
    P(io_setup, 1, BAD),
    P(io_uring_setup, 1, BAD),
    P(io_uring_enter, NO_FD, 0, 0, 0, 0),
    P(io_uring_register, NO_FD, 0, 0, 0),
    P(openat2, NO_FD, BAD, BAD, 24),
    P(futex_waitv, BAD, 1, 0, BAD, 0),

    /* sockets */
    P(socket, AF_INET, 0xffff, 0),
    Q(socket, "inet6", AF_INET6, 0xffff, 0),
    Q(socket, "unix", AF_UNIX, 0xffff, 0),
    Q(socket, "netlink", AF_NETLINK, 0xffff, 0),
    Q(socket, "vsock", AF_VSOCK, 0xffff, 0),
    Q(socketpair, "datagram", AF_UNIX, SOCK_DGRAM, 0, BAD),
    Q(socketpair, "seqpacket", AF_UNIX, SOCK_SEQPACKET, 0, BAD),
    P(bind, NO_FD, BAD, 16),
    P(connect, NO_FD, BAD, 16),
    P(listen, NO_FD, 1),
    P(accept, NO_FD, BAD, BAD),
    P(accept4, NO_FD, BAD, BAD, 0),
    Q(sendto, "address", NO_FD, BAD, 1, 0, BAD),
    P(sendmmsg, NO_FD, BAD, 1, 0),
    P(recvmmsg, NO_FD, BAD, 1, 0, 0),
    Q(getsockopt, "SO_PEERCRED", NO_FD, SOL_SOCKET, SO_PEERCRED, BAD, BAD),
    Q(setsockopt, "SO_PASSCRED", NO_FD, SOL_SOCKET, SO_PASSCRED, BAD, 4),

    /* itself */
    Q(prctl, "PR_SET_DUMPABLE", PR_SET_DUMPABLE, 99, 0, 0, 0),
    Q(prctl, "PR_SET_SECCOMP", PR_SET_SECCOMP, 2, BAD, 0, 0),
    Q(prctl, "PR_SET_PDEATHSIG", PR_SET_PDEATHSIG, NO_SIG, 0, 0, 0),
    P(seccomp, 99, 0, BAD),
    P(landlock_create_ruleset, BAD, 8, 0),
    P(landlock_add_rule, NO_FD, 0, BAD, 0),
    Q(prlimit64, "set", 0, 7, BAD, 0),
    P(setrlimit, 7, BAD),
    P(sched_setaffinity, 0, 8, BAD),
    P(sched_setscheduler, 0, 0, BAD),
    P(sched_setattr, 0, 0, 0),
    P(setpriority, 99, 0, 0),
    P(ioprio_set, 99, 0, 0),
    P(mlock2, 0, 1, -1),
    P(mlockall, 0),
    P(mbind, BAD, 1, 99, 0, 0),

    /* paths */
    P(fchown, NO_FD, 0, 0),
    P(fchownat, NO_FD, BAD, 0, 0, 0),
    P(setxattr, BAD, BAD, BAD, 0, 0),
    P(fsetxattr, NO_FD, BAD, BAD, 0, 0),
    Q(mknodat, "device", NO_FD, BAD, S_IFCHR | 0600, 0),
    Q(mknodat, "socket", NO_FD, BAD, S_IFSOCK | 0600, 0),

    /* the kernel's own */
    P(keyctl, 2, 0, BAD, 1), /* KEYCTL_UPDATE */
    P(add_key, BAD, BAD, BAD, 1, 0),
    P(request_key, BAD, BAD, BAD, 0),
    P(perf_event_open, BAD, 0, -1, -1, 0),
    P(shmat, -1, 0, 0),
    P(semop, -1, BAD, 1),
    P(msgrcv, -1, BAD, 1, 0, 0),
    P(mq_open, BAD, 0, 0, 0),
#ifdef __x86_64__
    P(chown, BAD, 0, 0),
    Q(mknod, "device", BAD, S_IFCHR | 0600, 0),
    P(signalfd, NO_FD, BAD, 8),
    P(arch_prctl, 0xffff, BAD),
#endif
};

#define PROBES (sizeof(probes) / sizeof(probes[0]))

static void
make_calls(void)
{
	const char *word;
	const long *a;
	size_t i;
	long got;

	for (i = 0; i < PROBES; i++) {
		a = probes[i].args;
		got = syscall(probes[i].nr, a[0], a[1], a[2], a[3], a[4], a[5]);
		word = got == -1 ? strerrorname_np(errno) : "OK";
		(void)printf("%s %s\n", probes[i].name, word);
	}
}

static void
print_python(void)
{
	const long *a;
	size_t i;

	(void)puts("import ctypes, errno");
	(void)puts("libc = ctypes.CDLL(None, use_errno=True)");
	(void)puts("for name, *words in (");
	for (i = 0; i < PROBES; i++) {
		a = probes[i].args;
		(void)printf("    ('%s', %ld, %ld, %ld, %ld, %ld, %ld, %ld),\n",
		    probes[i].name, probes[i].nr, a[0], a[1], a[2], a[3], a[4],
		    a[5]);
	}
	(void)puts("):");
	(void)puts("    got = libc.syscall(*map(ctypes.c_long, words))");
	(void)puts("    word = errno.errorcode.get(ctypes.get_errno(), '?')");
	(void)puts("    print(name, word if got == -1 else 'OK')");
}

int
main(int argc, char **argv)
{
	if (argc == 1) {
		make_calls();
	} else if (argc == 2 && strcmp(argv[1], "--python") == 0) {
		print_python();
	} else {
		(void)fprintf(stderr, "usage: probe_syscall [--python]\n");
		return 2;
	}
	return fflush(stdout) == 0 ? 0 : 1;
}
