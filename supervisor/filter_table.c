/*
 * The policy: which system calls a sealed program may make, and why.
 *
 * Read it as an allow-list. A group's first list is allowed with any
 * arguments, since the calls reach only what the process has already; its
 * second list is allowed for the arguments that it states. What is missing
 * here is refused, above all: socket, bind, connect, listen, accept (network),
 * but for the last group where the network is granted;
 * execveat (a program without a name); memfd_create (executable memory from
 * nowhere); setuid and its family, chown, chroot,
 * mount and the mount calls, unshare, setns, ptrace, process_vm_*, pidfd_*,
 * kcmp, keyctl, bpf, perf_event_open, userfaultfd, io_uring_*, seccomp,
 * landlock_*; sched_setaffinity, sched_setscheduler, setpriority, ioprio_set,
 * mlock; System V and POSIX message queues, shared memory and semaphores,
 * inotify and fanotify; clocks, modules, swap, reboot.
 *
 * Constants come from the headers of the building machine: they are the same
 * on x86_64 and aarch64, which a test asserts where that is not evident.
 */
#include "supervisor/filter_table.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <linux/prctl.h>
#include <linux/sched.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>

#define S(name)	 ((uint16_t)SUP_SYS_##name)
#define FULL	 UINT32_MAX
#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* Tests. The kernel takes the argument as 32 bits: ... */
#define IS(arg, ...) IS_MASKED(arg, FULL, __VA_ARGS__)
#define IS_MASKED(arg, mask, ...)                                              \
	{                                                                      \
		(arg), false, false, COUNT(((uint32_t[]){__VA_ARGS__})),       \
		    (mask),                                                    \
		{                                                              \
			__VA_ARGS__                                            \
		}                                                              \
	}
/* ... or as 64 bits. */
#define IS_WIDE(arg, mask, value)                                              \
	{                                                                      \
		(arg), true, false, 1, (mask),                                 \
		{                                                              \
			(value)                                                \
		}                                                              \
	}
#define IS_NULL(arg) IS_WIDE(arg, FULL, 0)
/*
 * SECURITY: an id is 32 bits to the kernel, but libc passes it zero-extended,
 * and anything else is somebody's trick: the high half must be zero.
 */
#define IS_SELF(arg)                                                           \
	{                                                                      \
		(arg), true, true, 1, FULL,                                    \
		{                                                              \
			0                                                      \
		}                                                              \
	}

#define ALLOW_IF(name, ...)                                                    \
	{                                                                      \
		SUP_SYS_##name,                                                \
		    COUNT(((struct sup_filter_test[]){__VA_ARGS__})),          \
		{                                                              \
			__VA_ARGS__                                            \
		}                                                              \
	}

static const uint16_t memory[] = {S(mmap), S(munmap), S(mprotect), S(mremap),
    S(madvise), S(brk), S(msync), S(mincore), S(membarrier)};

static const uint16_t threads[] = {S(futex), S(set_robust_list), S(rseq),
    S(gettid), S(exit), S(exit_group), S(sched_yield), S(sched_getaffinity),
    S(sched_getparam), S(sched_getscheduler), S(sched_get_priority_max),
    S(sched_get_priority_min), S(getcpu), S(restart_syscall)};

/*
 * SECURITY: clone makes threads of this process and nothing else, unless the
 * group `processes` counts. The flags
 * that make a thread are required, those that libcs add are optional, and all
 * others, the exit signal and the high half included, must be zero. CLONE_FS
 * and CLONE_FILES are required so that the limit on open files is one for the
 * whole process.
 */
#define THREAD_FLAGS                                                           \
	(CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD)
#define THREAD_OPTIONAL                                                        \
	(CLONE_SYSVSEM | CLONE_SETTLS | CLONE_PARENT_SETTID |                  \
	    CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID | CLONE_DETACHED)

static const struct sup_filter_rule thread_rules[] = {
    ALLOW_IF(clone, IS_WIDE(0, ~(uint32_t)THREAD_OPTIONAL, THREAD_FLAGS)),
};

static const uint16_t signals[] = {S(rt_sigprocmask), S(rt_sigreturn),
    S(rt_sigpending), S(rt_sigtimedwait), S(rt_sigsuspend), S(sigaltstack),
    S(pause), S(signalfd4)};

static const uint16_t alone[] = {S(rt_sigaction)};

/*
 * SECURITY: comparing with the own id also refuses 0 and negative ids, which
 * mean groups and everybody. tgkill names the process first and the kernel
 * checks that the thread belongs to it. tkill names a thread only: it reaches
 * the main thread, whose id is the process's; musl's pthread_kill for other
 * threads is refused.
 */
static const struct sup_filter_rule alone_rules[] = {
    ALLOW_IF(kill, IS_SELF(0)),
    ALLOW_IF(tkill, IS_SELF(0)),
    ALLOW_IF(tgkill, IS_SELF(0)),
    ALLOW_IF(rt_sigqueueinfo, IS_SELF(0)),
    ALLOW_IF(rt_tgsigqueueinfo, IS_SELF(0)),
};

/*
 * With `processes`: what starts, waits for and groups processes, and what an
 * interpreter's own start needs. Which file may be executed is Landlock's to
 * say, which paths are in sight the root's.
 */
static const uint16_t processes[] = {S(fork), S(vfork), S(execve), S(wait4),
    S(waitid), S(setpgid), S(setsid), S(set_tid_address), S(kill), S(tkill),
    S(tgkill), S(rt_sigqueueinfo), S(rt_tgsigqueueinfo)};

#define FORK_OPTIONAL                                                          \
	(CLONE_PARENT_SETTID | CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID)
#define ARCH_SET_FS_ 0x1002 /* asm/prctl.h of x86_64 */

/* SIGCHLD is bits 0 and 4: every other signal lacks one or has another. */
#define HAS_BIT(arg, bit) IS_MASKED(arg, 1U << (bit), 1U << (bit))
_Static_assert(SIGCHLD == (1 << 0 | 1 << 4), "by its bits, below");

/*
 * SECURITY: a copy (fork), or one that borrows the memory until it executes
 * (vfork, posix_spawn), each with SIGCHLD as its end: no namespace, no thread
 * of another kind, no sibling, no tracer. And SIGCHLD is nobody's to ignore: a
 * child that the kernel reaps itself leaves its CPU time in no sum (wait(2),
 * "CPU times" of getrusage(2)). Signals go anywhere: the PID namespace is the
 * boundary, or where there is none Landlock's scope, without which nothing
 * runs (grades.c).
 */
static const struct sup_filter_rule process_rules[] = {
    ALLOW_IF(clone, IS_WIDE(0, ~(uint32_t)FORK_OPTIONAL, SIGCHLD)),
    ALLOW_IF(clone, IS_WIDE(0, FULL, CLONE_VM | CLONE_VFORK | SIGCHLD)),
    ALLOW_IF(rt_sigaction, IS_NULL(1)),
    ALLOW_IF(rt_sigaction, HAS_BIT(0, 1)),
    ALLOW_IF(rt_sigaction, HAS_BIT(0, 2)),
    ALLOW_IF(rt_sigaction, HAS_BIT(0, 3)),
    ALLOW_IF(rt_sigaction, HAS_BIT(0, 5)),
    ALLOW_IF(rt_sigaction, HAS_BIT(0, 6)),
    ALLOW_IF(rt_sigaction, IS_MASKED(0, 1U << 0, 0)),
    ALLOW_IF(rt_sigaction, IS_MASKED(0, 1U << 4, 0)),
    ALLOW_IF(arch_prctl, IS(0, ARCH_SET_FS_)),
};

static const uint16_t clocks[] = {S(clock_gettime), S(clock_getres),
    S(clock_nanosleep), S(nanosleep), S(gettimeofday), S(time), S(setitimer),
    S(getitimer), S(alarm), S(times), S(timerfd_create), S(timerfd_settime),
    S(timerfd_gettime), S(timer_create), S(timer_settime), S(timer_gettime),
    S(timer_getoverrun), S(timer_delete)};

static const uint16_t self[] = {S(getpid), S(getppid), S(getuid), S(geteuid),
    S(getgid), S(getegid), S(getresuid), S(getresgid), S(getgroups), S(getpgid),
    S(getpgrp), S(getsid), S(getrusage), S(getrlimit), S(getpriority), S(uname),
    S(sysinfo), S(getrandom), S(umask), S(getcwd), S(chdir), S(fchdir),
    S(capget)};

/*
 * SECURITY: no prctl that changes more than a name. PR_SET_DUMPABLE would
 * open the process to its neighbours, PR_SET_SECCOMP could gag the child's
 * own code, PR_SET_MM and PR_SET_PTRACER undo what was hidden. prlimit64 only
 * reads, and only the own limits.
 */
static const struct sup_filter_rule self_rules[] = {
    ALLOW_IF(prctl,
	IS(0, PR_GET_DUMPABLE, PR_GET_KEEPCAPS, PR_SET_NAME, PR_GET_NAME,
	    PR_GET_SECCOMP, PR_CAPBSET_READ, PR_GET_SECUREBITS,
	    PR_GET_TIMERSLACK, PR_GET_NO_NEW_PRIVS)),
    ALLOW_IF(
	prctl, IS(0, PR_CAP_AMBIENT), IS_WIDE(1, FULL, PR_CAP_AMBIENT_IS_SET)),
    ALLOW_IF(prctl, IS(0, PR_SET_VMA), IS_WIDE(1, FULL, PR_SET_VMA_ANON_NAME)),
    ALLOW_IF(prlimit64, IS(0, 0), IS_NULL(2)),
    ALLOW_IF(personality, IS(0, 0xffffffff)), /* the query */
};

static const uint16_t descriptors[] = {S(read), S(write), S(readv), S(writev),
    S(pread64), S(pwrite64), S(preadv), S(pwritev), S(preadv2), S(pwritev2),
    S(close), S(dup), S(dup2), S(dup3), S(lseek), S(pipe), S(pipe2),
    S(eventfd2), S(sendfile), S(copy_file_range), S(splice), S(fsync),
    S(fdatasync), S(sync_file_range), S(fadvise64), S(readahead), S(ftruncate),
    S(fallocate), S(fstat), S(getdents64)};

/*
 * SECURITY: fcntl without F_SETOWN, F_SETSIG and O_ASYNC, which send signals
 * without kill; without leases and F_NOTIFY, which block or watch others.
 * flock is missing above: it locks whatever can be read, so also files of the
 * host, for the host. F_SETLK needs a writable descriptor for a write lock.
 * ioctl commands are 32 bits to the kernel; TIOCSTI, TIOCLINUX and every
 * device's own are refused. close_range without CLOSE_RANGE_UNSHARE, which
 * would give each thread a table, and so a limit, of its own.
 */
static const struct sup_filter_rule descriptor_rules[] = {
    ALLOW_IF(fcntl,
	IS(1, F_DUPFD, F_DUPFD_CLOEXEC, F_GETFD, F_SETFD, F_GETFL, F_GETLK,
	    F_SETLK, F_SETLKW, F_OFD_GETLK, F_OFD_SETLK, F_OFD_SETLKW,
	    F_GETPIPE_SZ)),
    ALLOW_IF(fcntl, IS(1, F_SETFL), IS_MASKED(2, O_ASYNC, 0)),
    ALLOW_IF(close_range, IS(2, 0, CLOSE_RANGE_CLOEXEC)),
    ALLOW_IF(
	ioctl, IS(1, FIONREAD, FIONBIO, FIOCLEX, FIONCLEX, TCGETS, TIOCGWINSZ)),
};

static const uint16_t waiting[] = {S(poll), S(ppoll), S(select), S(pselect6),
    S(epoll_create), S(epoll_create1), S(epoll_ctl), S(epoll_wait),
    S(epoll_pwait), S(epoll_pwait2)};

static const uint16_t paths[] = {S(stat), S(lstat), S(newfstatat), S(statx),
    S(access), S(faccessat), S(faccessat2), S(readlink), S(readlinkat),
    S(rename), S(renameat), S(renameat2), S(link), S(linkat), S(symlink),
    S(symlinkat), S(unlink), S(unlinkat), S(mkdir), S(mkdirat), S(rmdir),
    S(truncate), S(statfs), S(fstatfs), S(getxattr), S(lgetxattr), S(fgetxattr),
    S(listxattr), S(llistxattr), S(flistxattr)};

/*
 * SECURITY: Landlock does not govern these. With the host's root in sight and
 * the caller's uid they would change the mode of whatever the caller owns.
 */
static const uint16_t attributes[] = {
    S(utime), S(utimes), S(futimesat), S(utimensat)};

#define SET_ID ((uint32_t)(S_ISUID | S_ISGID))
/* __O_TMPFILE; O_DIRECTORY, which differs, is in O_TMPFILE as well. */
#define MAKES_FILE ((uint32_t)(O_CREAT | (O_TMPFILE & ~O_DIRECTORY)))

/*
 * SECURITY: no file is made set-user-id or set-group-id where the program can
 * write to files of the host. In such a place it would be the caller's, and
 * whoever executes it on the host would have the caller's rights: there are no
 * mounts of ours and no no_new_privs then. mkdir(2) drops these bits by itself;
 * chmod of a directory cannot be told from that of a file.
 */
static const struct sup_filter_rule mode_rules[] = {
    ALLOW_IF(chmod, IS_MASKED(1, SET_ID, 0)),
    ALLOW_IF(fchmod, IS_MASKED(1, SET_ID, 0)),
    ALLOW_IF(fchmodat, IS_MASKED(2, SET_ID, 0)),
};

/* Files that are there, whatever stands in the place of a mode; new ones as
 * above. By mknod regular files (a type of 0 means the same) and FIFOs; no
 * devices and no socket inodes. */
static const struct sup_filter_rule file_rules[] = {
    ALLOW_IF(open, IS_MASKED(1, MAKES_FILE, 0)),
    ALLOW_IF(open, IS_MASKED(2, SET_ID, 0)),
    ALLOW_IF(openat, IS_MASKED(2, MAKES_FILE, 0)),
    ALLOW_IF(openat, IS_MASKED(3, SET_ID, 0)),
    ALLOW_IF(creat, IS_MASKED(1, SET_ID, 0)),
    ALLOW_IF(mknod, IS_MASKED(1, S_IFMT | SET_ID, 0, S_IFREG, S_IFIFO)),
    ALLOW_IF(mknodat, IS_MASKED(2, S_IFMT | SET_ID, 0, S_IFREG, S_IFIFO)),
};

/* Where nothing was granted for writing: all files are the workspace's, which
 * goes with the program. Archives and installers set such modes. */
static const uint16_t private_files[] = {S(open), S(openat), S(creat)};
static const struct sup_filter_rule private_rules[] = {
    ALLOW_IF(mknod, IS_MASKED(1, S_IFMT, 0, S_IFREG, S_IFIFO)),
    ALLOW_IF(mknodat, IS_MASKED(2, S_IFMT, 0, S_IFREG, S_IFIFO)),
};
static const uint16_t private_modes[] = {S(chmod), S(fchmod), S(fchmodat)};

static const uint16_t socket_pairs[] = {S(recvfrom), S(recvmsg), S(sendmsg),
    S(shutdown), S(getsockname), S(getpeername)};

/*
 * SECURITY: stream pairs only. A socket of a pair could be bound to a name
 * and found by others, and a datagram pair redirected: bind and connect are
 * missing above, other types here. sendmsg carries an address that a filter
 * cannot see; a connected stream socket, the only kind there is, refuses one
 * with EISCONN. It can also carry descriptors, but only along channels that
 * the program has anyway, and the supervisor never receives any.
 * setsockopt without buffer sizes: at their maximum, descriptors in flight
 * hold gigabytes of kernel memory that no limit of the process counts.
 * getsockopt without SO_PEERCRED and SO_PEERPIDFD, which would name the
 * supervisor at the other end of the channel.
 */
static const struct sup_filter_rule socket_rules[] = {
    ALLOW_IF(socketpair, IS(0, AF_UNIX),
	IS_MASKED(1, ~(uint32_t)(SOCK_CLOEXEC | SOCK_NONBLOCK), SOCK_STREAM),
	IS(2, 0)),
    ALLOW_IF(sendto, IS_NULL(4)),
    ALLOW_IF(getsockopt, IS(1, SOL_SOCKET),
	IS(2, SO_REUSEADDR, SO_TYPE, SO_ERROR, SO_SNDBUF, SO_RCVBUF,
	    SO_KEEPALIVE, SO_LINGER, SO_RCVTIMEO, SO_SNDTIMEO, SO_ACCEPTCONN,
	    SO_PROTOCOL, SO_DOMAIN)),
    ALLOW_IF(setsockopt, IS(1, SOL_SOCKET),
	IS(2, SO_REUSEADDR, SO_KEEPALIVE, SO_RCVTIMEO, SO_SNDTIMEO)),
};

/* sendmmsg: glibc's resolver asks for both kinds of address with it. */
static const uint16_t networking[] = {
    S(listen), S(accept), S(accept4), S(sendmmsg), S(recvmmsg)};

#define SOCKET_FLAGS ((uint32_t)(SOCK_CLOEXEC | SOCK_NONBLOCK))
/* IPv4's and IPv6's; AF_UNSPEC, which disconnects, has one of the two. */
#define AN_ADDRESS(arg)                                                        \
	IS(arg, sizeof(struct sockaddr_in), sizeof(struct sockaddr_in6))

/*
 * SECURITY: streams and datagrams of the two families, and no raw or ping
 * socket, no MPTCP, SCTP or other protocol of theirs, no other family: Unix
 * sockets are doors to the host's services, netlink and packet sockets show
 * and change the network itself. Options are those that libraries cannot do
 * without: no buffer sizes (see above), no SO_REUSEPORT, which shares the port
 * of another process with the same uid, no SO_BINDTODEVICE, multicast or IP
 * options, and no TCP_ULP, which is other code behind a stream.
 */
static const struct sup_filter_rule network_rules[] = {
    ALLOW_IF(socket, IS(0, AF_INET, AF_INET6),
	IS_MASKED(1, ~SOCKET_FLAGS, SOCK_STREAM), IS(2, 0, IPPROTO_TCP)),
    ALLOW_IF(socket, IS(0, AF_INET, AF_INET6),
	IS_MASKED(1, ~SOCKET_FLAGS, SOCK_DGRAM),
	IS(2, 0, IPPROTO_UDP, IPPROTO_UDPLITE)),
    /*
     * SECURITY: a filter sees neither the family of a socket nor an address.
     * A Unix stream that is connected, the only kind there is, takes none
     * with connect and sendto (EISCONN), but could be bound to a name of the
     * host's network namespace, which a service may want. What is left are
     * abstract names of 13 and of 25 bytes; Landlock refuses paths.
     */
    ALLOW_IF(bind, AN_ADDRESS(2)),
    ALLOW_IF(connect, AN_ADDRESS(2)),
    ALLOW_IF(sendto, AN_ADDRESS(5)),
    ALLOW_IF(getsockopt, IS(1, IPPROTO_TCP),
	IS(2, TCP_NODELAY, TCP_KEEPIDLE, TCP_KEEPINTVL, TCP_KEEPCNT,
	    TCP_USER_TIMEOUT)),
    ALLOW_IF(getsockopt, IS(1, IPPROTO_IPV6), IS(2, IPV6_V6ONLY)),
    ALLOW_IF(setsockopt, IS(1, SOL_SOCKET), IS(2, SO_LINGER)),
    ALLOW_IF(setsockopt, IS(1, IPPROTO_TCP),
	IS(2, TCP_NODELAY, TCP_KEEPIDLE, TCP_KEEPINTVL, TCP_KEEPCNT,
	    TCP_USER_TIMEOUT)),
    /* glibc's resolver cannot do without either of RECVERR. */
    ALLOW_IF(setsockopt, IS(1, IPPROTO_IP), IS(2, IP_RECVERR)),
    ALLOW_IF(setsockopt, IS(1, IPPROTO_IPV6), IS(2, IPV6_V6ONLY, IPV6_RECVERR)),
};

/* clone3 and openat2 take a structure in memory, which no filter can see. */
static const uint16_t absent[] = {
    S(clone3), S(openat2), S(futex_waitv), S(io_uring_setup)};

#define GROUP(word, verdict, calls, rules, reason)                             \
	{                                                                      \
		(word), (reason), SUP_FILTER_##verdict, (calls), COUNT(calls), \
		    (rules), COUNT(rules), false, SUP_FILTER_ALWAYS            \
	}
#define ALLOW_WHEN(word, when, calls, rules, reason)                           \
	{                                                                      \
		(word), (reason), SUP_FILTER_ALLOW, (calls), COUNT(calls),     \
		    (rules), COUNT(rules), false, SUP_FILTER_##when            \
	}
#define PLAIN(word, verdict, calls, reason)                                    \
	{                                                                      \
		(word), (reason), SUP_FILTER_##verdict, (calls), COUNT(calls), \
		    NULL, 0, false, SUP_FILTER_ALWAYS                          \
	}
#define OWN_FILES(word, when, calls, count, rules, rule_count, reason)         \
	{                                                                      \
		(word), (reason), SUP_FILTER_ALLOW, (calls), (count), (rules), \
		    (rule_count), true, SUP_FILTER_##when                      \
	}

static const struct sup_filter_group groups[] = {
    PLAIN("memory", ALLOW, memory,
	"the process's own address space; executable pages are what every "
	"extension module needs"),
    GROUP("threads", ALLOW, threads, thread_rules,
	"threads of the one process; refusing rseq aborts glibc's"),
    PLAIN("signals", ALLOW, signals, "masks, stacks and waiting for signals"),
    ALLOW_WHEN("own signals", WITHOUT_PROCESSES, alone, alone_rules,
	"the process's own handlers, and signals to itself"),
    ALLOW_WHEN("processes", WITH_PROCESSES, processes, process_rules,
	"only where they are granted: processes of the interpreter, and "
	"signals among them"),
    PLAIN("clocks", ALLOW, clocks,
	"reading clocks and own timers; their signals reach only their owner"),
    GROUP("self", ALLOW, self, self_rules,
	"questions about itself; what it may set is its name, umask and "
	"directory"),
    GROUP("descriptors", ALLOW, descriptors, descriptor_rules,
	"work on descriptors that it already holds"),
    PLAIN("waiting", ALLOW, waiting,
	"waiting for descriptors that it already holds"),
    PLAIN("paths", ALLOW, paths,
	"names in the private root; the mounts and Landlock decide which"),
    ALLOW_WHEN("files", WITHOUT_WRITES, private_files, private_rules,
	"likewise, new ones of any mode and no devices"),
    {"files beside the host's",
	"where some of the host's can be written: none is made set-user-id or "
	"set-group-id",
	SUP_FILTER_ALLOW, NULL, 0, file_rules, COUNT(file_rules), false,
	SUP_FILTER_WITH_WRITES},
    OWN_FILES("attributes", ALWAYS, attributes, COUNT(attributes), NULL, 0,
	"times of its own files; refused where the host's files are in sight "
	"and belong to the same uid"),
    OWN_FILES("modes", WITHOUT_WRITES, private_modes, COUNT(private_modes),
	NULL, 0, "likewise of modes"),
    OWN_FILES("modes beside the host's", WITH_WRITES, NULL, 0, mode_rules,
	COUNT(mode_rules),
	"likewise where some of the host's can be written: no set-user-id and "
	"no set-group-id"),
    GROUP("socket pairs", ALLOW, socket_pairs, socket_rules,
	"asyncio wakes itself through a pair; no other socket exists"),
    ALLOW_WHEN("network", WITH_NETWORK, networking, network_rules,
	"only where it is granted: the host's, by TCP and UDP, both ways"),
    PLAIN("absent", ENOSYS, absent,
	"libraries fall back when the kernel lacks these; EPERM would make "
	"them fail"),
};

const struct sup_filter_group *
sup_filter_groups(size_t *ret_count)
{
	*ret_count = COUNT(groups);
	return groups;
}
