/*
 * Verdicts of the system-call filter, call by call: an allowed and a refused
 * row for each condition, and each call that must never be allowed.
 */
#ifndef TESTS_UNIT_FILTER_ROWS_H
#define TESTS_UNIT_FILTER_ROWS_H

#include <fcntl.h>
#include <linux/close_range.h>
#include <linux/prctl.h>
#include <linux/sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <termios.h>

#include "tests/unit/filter_help.h"

struct row {
	const char *name;
	uint64_t args[6];
	uint32_t expect;
};

static const struct row rows[] = {
    /* one allowed call of each plain list, with junk in every argument */
    {"mmap", {~0ULL, ~0ULL, ~0ULL, ~0ULL, ~0ULL, ~0ULL}, ALLOW},
    {"futex", {~0ULL, ~0ULL}, ALLOW},
    {"restart_syscall", {0}, ALLOW},
    {"rseq", {PTR}, ALLOW},
    {"rt_sigaction", {SIGCHLD, PTR}, ALLOW},
    {"rt_sigprocmask", {0, PTR}, ALLOW},
    {"clock_gettime", {0, PTR}, ALLOW},
    {"getpid", {0}, ALLOW},
    {"getrandom", {PTR, 16}, ALLOW},
    {"read", {~0ULL}, ALLOW},
    {"fdatasync", {1}, ALLOW},
    {"fchmod", {1, 0777}, ALLOW},
    {"utimensat", {AT_FDCWD, PTR}, ALLOW},
    {"ppoll", {PTR}, ALLOW},
    {"poll", {PTR}, ALLOW},
    {"epoll_pwait2", {3}, ALLOW},
    {"openat", {AT_FDCWD, PTR, O_RDWR}, ALLOW},
    {"listxattr", {PTR}, ALLOW},
    {"statx", {0}, ALLOW},
    {"recvmsg", {3, PTR}, ALLOW},
    {"sendmsg", {3, PTR}, ALLOW},
    {"shutdown", {3, 1}, ALLOW},

    /* threads, and no processes */
    {"clone", {THREAD}, ALLOW},
    {"clone", {THREAD | 0x400000}, ALLOW},
    {"clone", {THREAD | CLONE_CHILD_SETTID}, ALLOW},
    {"clone", {0x10f00}, ALLOW},
    {"clone", {THREAD | HI}, DENY},
    {"clone", {THREAD | 1ULL << 63}, DENY},
    {"clone", {THREAD & ~(uint64_t)CLONE_THREAD}, DENY},
    {"clone", {THREAD & ~(uint64_t)CLONE_VM}, DENY},
    {"clone", {THREAD & ~(uint64_t)CLONE_FS}, DENY},
    {"clone", {THREAD & ~(uint64_t)CLONE_FILES}, DENY},
    {"clone", {THREAD & ~(uint64_t)CLONE_SIGHAND}, DENY},
    {"clone", {THREAD | SIGCHLD}, DENY},
    {"clone", {SIGCHLD}, DENY},
    {"clone", {0}, DENY},
    {"clone", {CLONE_VM | CLONE_VFORK | SIGCHLD}, DENY},
    {"clone", {THREAD | CLONE_NEWUSER}, DENY},
    {"clone", {THREAD | CLONE_NEWNS}, DENY},
    {"clone", {THREAD | CLONE_NEWNET}, DENY},
    {"clone", {THREAD | CLONE_NEWPID}, DENY},
    {"clone", {THREAD | CLONE_NEWIPC}, DENY},
    {"clone", {THREAD | CLONE_NEWUTS}, DENY},
    {"clone", {THREAD | CLONE_NEWCGROUP}, DENY},
    {"clone", {THREAD | 0x80 /* CLONE_NEWTIME */}, DENY},
    {"clone", {THREAD | CLONE_PIDFD}, DENY},
    {"clone", {THREAD | CLONE_PTRACE}, DENY},
    {"clone", {THREAD | CLONE_PARENT}, DENY},
    {"clone", {THREAD | CLONE_VFORK}, DENY},
    {"clone", {THREAD | CLONE_UNTRACED}, DENY},
    {"clone", {THREAD | CLONE_IO}, DENY},
    {"fork", {0}, DENY},
    {"vfork", {0}, DENY},
    {"execve", {PTR}, DENY},
    {"execveat", {3, PTR}, DENY},
    {"wait4", {0}, DENY},
    {"waitid", {0}, DENY},
    {"set_tid_address", {PTR}, DENY},
    {"sched_setaffinity", {0}, DENY},
    {"sched_setscheduler", {0}, DENY},
    {"sched_setattr", {0}, DENY},
    {"sched_setparam", {0}, DENY},
    {"setpriority", {0}, DENY},
    {"ioprio_set", {0}, DENY},
    {"mlock", {0}, DENY},
    {"mlock2", {0}, DENY},
    {"mlockall", {0}, DENY},
    {"munlock", {0}, DENY},
    {"mbind", {0}, DENY},
    {"memfd_create", {PTR}, DENY},
    {"memfd_secret", {0}, DENY},
    {"remap_file_pages", {0}, DENY},
    {"process_madvise", {0}, DENY},

    /* signals to itself only */
    {"kill", {OWN, 9}, ALLOW},
    {"kill", {1, 9}, DENY},
    {"kill", {OWN + 1, 9}, DENY},
    {"kill", {0, 9}, DENY},
    {"kill", {~0ULL, 9}, DENY},
    {"kill", {0xffffffff, 9}, DENY},
    {"kill", {(uint64_t)-OWN, 9}, DENY},
    {"kill", {OWN | HI, 9}, DENY},
    {"kill", {1 | HI, 9}, DENY},
    {"tkill", {OWN, 9}, ALLOW},
    {"tkill", {1, 9}, DENY},
    {"tkill", {OWN + 1, 9}, DENY},
    {"tkill", {OWN | HI, 9}, DENY},
    {"tgkill", {OWN, 7, 9}, ALLOW},
    {"tgkill", {OWN, 1, 9}, ALLOW}, /* the kernel: not of that process */
    {"tgkill", {1, OWN, 9}, DENY},
    {"tgkill", {OWN | HI, 7, 9}, DENY},
    {"rt_sigqueueinfo", {OWN, 9, PTR}, ALLOW},
    {"rt_sigqueueinfo", {1, 9, PTR}, DENY},
    {"rt_sigqueueinfo", {OWN | HI, 9, PTR}, DENY},
    {"rt_tgsigqueueinfo", {OWN, 7, 9, PTR}, ALLOW},
    {"rt_tgsigqueueinfo", {1, OWN, 9, PTR}, DENY},
    {"rt_tgsigqueueinfo", {OWN | HI, 7, 9, PTR}, DENY},
    {"pidfd_send_signal", {3, 9}, DENY},
    {"pidfd_open", {OWN}, DENY},
    {"pidfd_getfd", {3, 0}, DENY},
    {"signalfd", {0}, DENY},

    /* itself */
    {"prctl", {PR_SET_NAME, PTR}, ALLOW},
    {"prctl", {PR_SET_NAME | HI, PTR}, ALLOW}, /* the kernel drops HI */
    {"prctl", {PR_GET_NAME, PTR}, ALLOW},
    {"prctl", {PR_GET_DUMPABLE}, ALLOW},
    {"prctl", {PR_GET_SECCOMP}, ALLOW},
    {"prctl", {PR_GET_NO_NEW_PRIVS}, ALLOW},
    {"prctl", {PR_CAPBSET_READ, 1}, ALLOW},
    {"prctl", {PR_GET_KEEPCAPS}, ALLOW},
    {"prctl", {PR_GET_SECUREBITS}, ALLOW},
    {"prctl", {PR_GET_TIMERSLACK}, ALLOW},
    {"prctl", {PR_CAP_AMBIENT, PR_CAP_AMBIENT_IS_SET, 1}, ALLOW},
    {"prctl", {PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, 1}, DENY},
    {"prctl", {PR_CAP_AMBIENT, PR_CAP_AMBIENT_IS_SET | HI, 1}, DENY},
    {"prctl", {PR_SET_VMA, 0, PTR, 4096, PTR}, ALLOW},
    {"prctl", {PR_SET_VMA, 1, PTR, 4096, PTR}, DENY},
    {"prctl", {PR_SET_VMA, HI, PTR, 4096, PTR}, DENY},
    {"prctl", {PR_SET_DUMPABLE, 1}, DENY},
    {"prctl", {PR_SET_DUMPABLE | HI, 1}, DENY},
    {"prctl", {PR_SET_SECCOMP, 2, PTR}, DENY},
    {"prctl", {PR_SET_MM}, DENY},
    {"prctl", {PR_SET_PTRACER}, DENY},
    {"prctl", {PR_SET_PDEATHSIG, 9}, DENY},
    {"prctl", {PR_SET_CHILD_SUBREAPER, 1}, DENY},
    {"prctl", {PR_SET_NO_NEW_PRIVS, 1}, DENY},
    {"prctl", {PR_CAPBSET_DROP, 1}, DENY},
    {"prctl", {PR_SET_SECUREBITS}, DENY},
    {"prctl", {PR_SET_SYSCALL_USER_DISPATCH}, DENY},
    {"prctl", {0}, DENY},
    {"prlimit64", {0, 7, 0, PTR}, ALLOW},
    {"prlimit64", {HI, 7, 0, PTR}, ALLOW}, /* a 32-bit id of 0 */
    {"prlimit64", {1, 7, 0, PTR}, DENY},
    {"prlimit64", {0, 7, PTR, 0}, DENY},
    {"prlimit64", {0, 7, HI, 0}, DENY},
    {"prlimit64", {0, 7, 1, 0}, DENY},
    {"setrlimit", {7, PTR}, DENY},
    {"personality", {0xffffffff}, ALLOW},
    {"personality", {~0ULL}, ALLOW},
    {"personality", {0}, DENY},
    {"personality", {0x40000}, DENY},
    {"setsid", {0}, DENY},
    {"setpgid", {0, 0}, DENY},
    {"setuid", {0}, DENY},
    {"setgid", {0}, DENY},
    {"setreuid", {0}, DENY},
    {"setresuid", {0}, DENY},
    {"setresgid", {0}, DENY},
    {"setgroups", {0}, DENY},
    {"setfsuid", {0}, DENY},
    {"capset", {PTR}, DENY},
    {"sethostname", {PTR}, DENY},
    {"arch_prctl", {0x1002}, DENY},
    {"iopl", {3}, DENY},
    {"modify_ldt", {0}, DENY},

    /* descriptors */
    {"fcntl", {3, F_GETFD}, ALLOW},
    {"fcntl", {3, F_DUPFD}, ALLOW},
    {"fcntl", {3, F_SETFD, 1}, ALLOW},
    {"fcntl", {3, F_GETFL}, ALLOW},
    {"fcntl", {3, F_GETLK, PTR}, ALLOW},
    {"fcntl", {3, F_SETLK, PTR}, ALLOW},
    {"fcntl", {3, F_SETLKW, PTR}, ALLOW},
    {"fcntl", {3, F_OFD_GETLK, PTR}, ALLOW},
    {"fcntl", {3, F_OFD_SETLKW, PTR}, ALLOW},
    {"fcntl", {3, F_DUPFD_CLOEXEC, 3}, ALLOW},
    {"fcntl", {3, F_OFD_SETLK, PTR}, ALLOW},
    {"fcntl", {3, F_GETPIPE_SZ}, ALLOW},
    {"fcntl", {3, F_SETFL, O_NONBLOCK}, ALLOW},
    {"fcntl", {3, F_SETFL, O_ASYNC}, DENY},
    {"fcntl", {3, F_SETFL, O_ASYNC | O_NONBLOCK | HI}, DENY},
    {"fcntl", {3, F_SETFL | HI, O_ASYNC}, DENY},
    {"fcntl", {3, F_SETFL | HI, O_NONBLOCK}, ALLOW},
    {"fcntl", {3, F_SETOWN, 1}, DENY},
    {"fcntl", {3, F_SETOWN | HI, 1}, DENY},
    {"fcntl", {3, F_SETOWN_EX, PTR}, DENY},
    {"fcntl", {3, F_SETSIG, 9}, DENY},
    {"fcntl", {3, F_SETLEASE, 0}, DENY},
    {"fcntl", {3, F_NOTIFY, 1}, DENY},
    {"fcntl", {3, F_SETPIPE_SZ, 1 << 20}, DENY},
    {"fcntl", {3, F_ADD_SEALS, 1}, DENY},
    {"close_range", {3, ~0ULL}, ALLOW},
    {"close_range", {3, ~0ULL, CLOSE_RANGE_CLOEXEC}, ALLOW},
    {"close_range", {3, ~0ULL, CLOSE_RANGE_UNSHARE}, DENY},
    {"close_range", {3, ~0ULL, 6}, DENY},
    {"ioctl", {3, FIONREAD, PTR}, ALLOW},
    {"ioctl", {3, FIONBIO | HI, PTR}, ALLOW}, /* the kernel drops HI */
    {"ioctl", {3, FIOCLEX}, ALLOW},
    {"ioctl", {3, FIONCLEX}, ALLOW},
    {"ioctl", {0, TCGETS, PTR}, ALLOW},
    {"ioctl", {0, TIOCGWINSZ, PTR}, ALLOW},
    {"ioctl", {0, TIOCSTI, PTR}, DENY},
    {"ioctl", {0, TIOCSTI | HI, PTR}, DENY},
    {"ioctl", {0, TIOCLINUX, PTR}, DENY},
    {"ioctl", {0, TIOCSCTTY, 0}, DENY},
    {"ioctl", {0, TCSETS, PTR}, DENY},
    {"ioctl", {0, TCSBRK, 0}, DENY},
    {"ioctl", {3, FIOASYNC, PTR}, DENY},
    {"ioctl", {3, FIOSETOWN, PTR}, DENY},
    {"ioctl", {3, SIOCSPGRP, PTR}, DENY},
    {"vmsplice", {3}, DENY},
    {"tee", {3}, DENY},
    {"inotify_init1", {0}, DENY},
    {"fanotify_init", {0}, DENY},
    {"name_to_handle_at", {0}, DENY},
    {"open_by_handle_at", {0}, DENY},

    /* paths */
    {"mknod", {PTR, S_IFIFO | 0600}, ALLOW},
    {"mknod", {PTR, S_IFREG | 0600}, ALLOW},
    {"mknod", {PTR, 0600}, ALLOW},
    {"mknod", {PTR, S_IFSOCK | 0600}, DENY},
    {"mknod", {PTR, S_IFCHR | 0600}, DENY},
    {"mknod", {PTR, S_IFBLK | 0600}, DENY},
    {"mknod", {PTR, S_IFIFO | S_ISUID}, DENY},
    {"mknod", {PTR, S_IFREG | S_ISUID | 0755}, DENY},
    {"mknod", {PTR, S_ISGID | HI}, DENY},
    {"mknodat", {AT_FDCWD, PTR, S_IFREG | S_ISUID | 0755}, DENY},
    {"mknodat", {AT_FDCWD, PTR, S_ISGID | HI}, DENY},
    /* no file that is set-user-id; a mode is none where no file is made */
    {"chmod", {PTR, 01777}, ALLOW},
    {"chmod", {PTR, 0777 | HI}, ALLOW},
    {"chmod", {PTR, S_ISUID | 0755}, DENY},
    {"chmod", {PTR, S_ISGID | 0755 | HI}, DENY},
    {"fchmod", {1, S_ISUID | 0755}, DENY},
    {"fchmod", {1, S_ISGID | 0755}, DENY},
    {"fchmodat", {AT_FDCWD, PTR, 0777}, ALLOW},
    {"fchmodat", {AT_FDCWD, PTR, S_ISUID | 0755}, DENY},
    {"fchmodat", {AT_FDCWD, PTR, S_ISGID | HI}, DENY},
    {"fchmodat2", {AT_FDCWD, PTR, S_ISUID | 0755}, ABSENT},
    {"creat", {PTR, 0600}, ALLOW},
    {"creat", {PTR, S_ISUID | 0755}, DENY},
    {"open", {PTR, O_RDONLY, ~0ULL}, ALLOW},
    {"open", {PTR, O_RDWR | O_DIRECTORY | HI, S_ISUID}, ALLOW},
    {"open", {PTR, O_CREAT | O_RDWR, 01777}, ALLOW},
    {"open", {PTR, O_CREAT | O_RDWR, S_ISUID | 0755}, DENY},
    {"open", {PTR, O_CREAT | O_RDWR | HI, S_ISGID | HI}, DENY},
    {"open", {PTR, O_TMPFILE | O_RDWR, S_ISUID | 0755}, DENY},
    {"openat", {AT_FDCWD, PTR, O_RDONLY, ~0ULL}, ALLOW},
    {"openat", {AT_FDCWD, PTR, O_RDWR | O_DIRECTORY | HI, S_ISUID}, ALLOW},
    {"openat", {AT_FDCWD, PTR, O_CREAT | O_RDWR, 01777}, ALLOW},
    {"openat", {AT_FDCWD, PTR, O_CREAT | O_RDWR, S_ISUID | 0755}, DENY},
    {"openat", {AT_FDCWD, PTR, O_CREAT | O_RDWR | HI, S_ISGID | HI}, DENY},
    {"openat", {AT_FDCWD, PTR, O_TMPFILE | O_RDWR, S_ISUID | 0755}, DENY},
    {"mknodat", {AT_FDCWD, PTR, S_IFIFO | 0600}, ALLOW},
    {"mknodat", {AT_FDCWD, PTR, S_IFREG | 0600}, ALLOW},
    {"mknodat", {AT_FDCWD, PTR, 0600}, ALLOW},
    {"mknodat", {AT_FDCWD, PTR, S_IFSOCK | 0600}, DENY},
    {"mknodat", {AT_FDCWD, PTR, S_IFCHR | 0600}, DENY},
    {"mknodat", {AT_FDCWD, PTR, S_IFBLK | HI}, DENY},
    {"chown", {PTR}, DENY},
    {"lchown", {PTR}, DENY},
    {"fchown", {3}, DENY},
    {"fchownat", {3, PTR}, DENY},
    {"setxattr", {PTR}, DENY},
    {"removexattr", {PTR}, DENY},
    {"chroot", {PTR}, DENY},
    {"pivot_root", {PTR}, DENY},
    {"mount", {PTR}, DENY},
    {"umount2", {PTR}, DENY},
    {"open_tree", {0}, DENY},
    {"move_mount", {0}, DENY},
    {"fsopen", {0}, DENY},
    {"fsmount", {0}, DENY},
    {"fsconfig", {0}, DENY},
    {"fspick", {0}, DENY},
    {"mount_setattr", {0}, DENY},
    {"sync", {0}, DENY},
    {"syncfs", {3}, DENY},

    /* sockets */
    {"socketpair", {AF_UNIX, SOCK_STREAM, 0}, ALLOW},
    {"socketpair",
	{AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, PTR}, ALLOW},
    {"socketpair", {AF_UNIX, SOCK_DGRAM, 0}, DENY},
    {"socketpair", {AF_UNIX, SOCK_SEQPACKET, 0}, DENY},
    {"socketpair", {AF_UNIX, SOCK_STREAM | 0x10, 0}, DENY},
    {"socketpair", {AF_UNIX, SOCK_STREAM, 1}, DENY},
    {"socketpair", {AF_INET, SOCK_STREAM, 0}, DENY},
    {"socketpair", {AF_TIPC, SOCK_STREAM, 0}, DENY},
    {"socketpair", {AF_INET | HI, SOCK_STREAM, 0}, DENY},
    {"socketpair", {AF_UNIX, SOCK_DGRAM | HI, 0}, DENY},
    {"sendto", {3, PTR, 1, 0, 0, 0}, ALLOW},
    {"sendto", {3, PTR, 1, 0, 0, 16}, ALLOW},
    {"sendto", {3, PTR, 1, 0, PTR, 16}, DENY},
    {"sendto", {3, PTR, 1, 0, HI, 16}, DENY},
    {"sendto", {3, PTR, 1, 0, 1, 16}, DENY},
    {"getsockopt", {3, SOL_SOCKET, SO_TYPE, PTR}, ALLOW},
    {"getsockopt", {3, SOL_SOCKET, SO_ERROR, PTR}, ALLOW},
    {"getsockopt", {3, SOL_SOCKET, SO_DOMAIN, PTR}, ALLOW},
    {"getsockopt", {3, SOL_SOCKET, SO_REUSEADDR, PTR}, ALLOW},
    {"getsockopt", {3, SOL_SOCKET, SO_SNDBUF, PTR}, ALLOW},
    {"getsockopt", {3, SOL_SOCKET, SO_RCVBUF, PTR}, ALLOW},
    {"getsockopt", {3, SOL_SOCKET, SO_KEEPALIVE, PTR}, ALLOW},
    {"getsockopt", {3, SOL_SOCKET, SO_LINGER, PTR}, ALLOW},
    {"getsockopt", {3, SOL_SOCKET, SO_RCVTIMEO, PTR}, ALLOW},
    {"getsockopt", {3, SOL_SOCKET, SO_SNDTIMEO, PTR}, ALLOW},
    {"getsockopt", {3, SOL_SOCKET, SO_ACCEPTCONN, PTR}, ALLOW},
    {"getsockopt", {3, SOL_SOCKET, SO_PROTOCOL, PTR}, ALLOW},
    {"getsockopt", {3, SOL_SOCKET, SO_PEERCRED, PTR}, DENY},
    {"getsockopt", {3, SOL_SOCKET, 77 /* SO_PEERPIDFD */, PTR}, DENY},
    {"getsockopt", {3, SOL_SOCKET, SO_PEERSEC, PTR}, DENY},
    {"getsockopt", {3, 6, SO_TYPE, PTR}, DENY},
    {"setsockopt", {3, SOL_SOCKET, SO_SNDBUF, PTR}, DENY},
    {"setsockopt", {3, SOL_SOCKET, SO_RCVBUF, PTR}, DENY},
    {"setsockopt", {3, SOL_SOCKET, SO_RCVTIMEO, PTR}, ALLOW},
    {"setsockopt", {3, SOL_SOCKET, SO_SNDTIMEO, PTR}, ALLOW},
    {"setsockopt", {3, SOL_SOCKET, SO_REUSEADDR, PTR}, ALLOW},
    {"setsockopt", {3, SOL_SOCKET, SO_KEEPALIVE, PTR}, ALLOW},
    {"setsockopt", {3, 6, SO_REUSEADDR, PTR}, DENY},
    {"setsockopt", {3, SOL_SOCKET, SO_PASSCRED, PTR}, DENY},
    {"setsockopt", {3, SOL_SOCKET, SO_ATTACH_FILTER, PTR}, DENY},
    {"setsockopt", {3, SOL_SOCKET, SO_SNDBUFFORCE, PTR}, DENY},
    {"setsockopt", {3, 6, SO_SNDBUF, PTR}, DENY},
    {"socket", {AF_INET, SOCK_STREAM}, DENY},
    {"socket", {AF_UNIX, SOCK_STREAM}, DENY},
    {"socket", {AF_NETLINK, SOCK_RAW}, DENY},
    {"bind", {3, PTR}, DENY},
    {"connect", {3, PTR}, DENY},
    {"listen", {3}, DENY},
    {"accept", {3}, DENY},
    {"accept4", {3}, DENY},
    {"sendmmsg", {3, PTR}, DENY},
    {"recvmmsg", {3, PTR}, DENY},

    /* the kernel's own and other people's */
    {"ptrace", {0}, DENY},
    {"process_vm_readv", {1}, DENY},
    {"process_vm_writev", {1}, DENY},
    {"kcmp", {1, 2}, DENY},
    {"keyctl", {0}, DENY},
    {"add_key", {PTR}, DENY},
    {"request_key", {PTR}, DENY},
    {"bpf", {0}, DENY},
    {"perf_event_open", {PTR}, DENY},
    {"userfaultfd", {0}, DENY},
    {"io_uring_enter", {0}, DENY},
    {"io_uring_register", {0}, DENY},
    {"io_setup", {1, PTR}, DENY},
    {"seccomp", {1, 0, PTR}, DENY},
    {"landlock_create_ruleset", {0}, DENY},
    {"landlock_restrict_self", {0}, DENY},
    {"unshare", {CLONE_NEWUSER}, DENY},
    {"setns", {3}, DENY},
    {"shmget", {0}, DENY},
    {"semget", {0}, DENY},
    {"msgget", {0}, DENY},
    {"shmat", {0}, DENY},
    {"mq_open", {PTR}, DENY},
    {"quotactl", {0}, DENY},
    {"syslog", {3}, DENY},
    {"acct", {PTR}, DENY},
    {"reboot", {0}, DENY},
    {"kexec_load", {0}, DENY},
    {"init_module", {PTR}, DENY},
    {"finit_module", {3}, DENY},
    {"swapon", {PTR}, DENY},
    {"settimeofday", {PTR}, DENY},
    {"clock_settime", {0}, DENY},
    {"clock_adjtime", {0}, DENY},
    {"adjtimex", {PTR}, DENY},
    {"vhangup", {0}, DENY},
    {"lookup_dcookie", {0}, DENY},

    /* absent, so that callers fall back */
    {"clone3", {PTR, 88}, ABSENT},
    {"openat2", {AT_FDCWD, PTR, PTR, 24}, ABSENT},
    {"futex_waitv", {PTR}, ABSENT},
    {"io_uring_setup", {1, PTR}, ABSENT},
};

#define ROWS (sizeof(rows) / sizeof(rows[0]))

/* With processes: what is other than above, and what is more. */
#define FORK  ((uint64_t)SIGCHLD)
#define SPAWN ((uint64_t)(CLONE_VM | CLONE_VFORK | SIGCHLD))

static const struct row process_rows[] = {
    {"fork", {0}, ALLOW},
    {"vfork", {0}, ALLOW},
    {"execve", {PTR}, ALLOW},
    {"execveat", {3, PTR, 0, 0, 0x1000 /* AT_EMPTY_PATH */}, DENY},
    {"wait4", {0}, ALLOW},
    {"waitid", {0}, ALLOW},
    {"setsid", {0}, ALLOW},
    {"setpgid", {0, 0}, ALLOW},
    {"set_tid_address", {PTR}, ALLOW},
    {"arch_prctl", {0x1002}, ALLOW},
    {"arch_prctl", {0x1002 | HI}, ALLOW}, /* the kernel drops HI */
    {"arch_prctl", {0x1001}, DENY},
    {"arch_prctl", {0}, DENY},

    {"clone", {FORK}, ALLOW},
    {"clone", {FORK | CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID}, ALLOW},
    {"clone", {FORK | CLONE_PARENT_SETTID}, ALLOW},
    {"clone", {SPAWN}, ALLOW},
    {"clone", {FORK | HI}, DENY},
    {"clone", {SPAWN | HI}, DENY},
    {"clone", {FORK | CLONE_VM}, DENY},
    {"clone", {FORK | CLONE_VFORK}, DENY},
    {"clone", {FORK | CLONE_PARENT}, DENY},
    {"clone", {FORK | CLONE_PIDFD}, DENY},
    {"clone", {FORK | CLONE_FILES}, DENY},
    {"clone", {FORK | CLONE_NEWUSER}, DENY},
    {"clone", {FORK | CLONE_NEWPID}, DENY},
    {"clone", {FORK | CLONE_NEWNS}, DENY},
    {"clone", {SPAWN | CLONE_NEWUSER}, DENY},
    {"clone", {SIGUSR1}, DENY},
    {"clone", {0}, DENY},
    {"unshare", {CLONE_NEWUSER}, DENY},

    {"kill", {1, 9}, ALLOW},
    {"kill", {OWN + 1, 9}, ALLOW},
    {"kill", {0, 9}, ALLOW},
    {"kill", {~0ULL, 9}, ALLOW},
    {"kill", {0xffffffff, 9}, ALLOW},
    {"kill", {(uint64_t)-OWN, 9}, ALLOW},
    {"kill", {OWN | HI, 9}, ALLOW},
    {"kill", {1 | HI, 9}, ALLOW},
    {"tkill", {1, 9}, ALLOW},
    {"tkill", {OWN + 1, 9}, ALLOW},
    {"tkill", {OWN | HI, 9}, ALLOW},
    {"tgkill", {1, OWN, 9}, ALLOW},
    {"tgkill", {OWN | HI, 7, 9}, ALLOW},
    {"rt_sigqueueinfo", {1, 9, PTR}, ALLOW},
    {"rt_sigqueueinfo", {OWN | HI, 9, PTR}, ALLOW},
    {"rt_tgsigqueueinfo", {1, OWN, 9, PTR}, ALLOW},
    {"rt_tgsigqueueinfo", {OWN | HI, 7, 9, PTR}, ALLOW},

    /* every signal's handler but SIGCHLD's, which can be asked for */
    {"rt_sigaction", {SIGCHLD, PTR}, DENY},
    {"rt_sigaction", {SIGCHLD, PTR, PTR}, DENY},
    {"rt_sigaction", {SIGCHLD | HI, PTR, PTR}, DENY},
    {"rt_sigaction", {SIGCHLD, HI, PTR}, DENY},
    {"rt_sigaction", {SIGCHLD, 0, PTR}, ALLOW},
    {"rt_sigaction", {SIGCHLD | HI, 0, PTR}, ALLOW},
    {"rt_sigaction", {1, PTR}, ALLOW},
    {"rt_sigaction", {1 | HI, PTR}, ALLOW},
    {"rt_sigaction", {16, PTR}, ALLOW},
    {"rt_sigaction", {16 | HI, PTR}, ALLOW},
    {"rt_sigaction", {17 ^ 2, PTR}, ALLOW},
    {"rt_sigaction", {(17 ^ 2) | HI, PTR}, ALLOW},
    {"rt_sigaction", {17 ^ 4, PTR}, ALLOW},
    {"rt_sigaction", {(17 ^ 4) | HI, PTR}, ALLOW},
    {"rt_sigaction", {17 ^ 8, PTR}, ALLOW},
    {"rt_sigaction", {(17 ^ 8) | HI, PTR}, ALLOW},
    {"rt_sigaction", {17 ^ 32, PTR}, ALLOW},
    {"rt_sigaction", {(17 ^ 32) | HI, PTR}, ALLOW},
    {"rt_sigaction", {64, PTR}, ALLOW},
    {"rt_sigaction", {17 ^ 64, PTR}, ALLOW},
    {"rt_sigaction", {(17 ^ 64) | HI, PTR}, ALLOW},
    {"rt_sigaction", {17 ^ 2 ^ 4, PTR}, ALLOW},
    {"rt_sigaction", {17 ^ 2 ^ 8, PTR}, ALLOW},
};

#define PROCESS_ROWS (sizeof(process_rows) / sizeof(process_rows[0]))

/* Whether the call and its arguments have a row of their own there. */
static inline bool
is_other_with_processes(const struct row *row)
{
	size_t i;

	for (i = 0; i < PROCESS_ROWS; i++)
		if (strcmp(row->name, process_rows[i].name) == 0 &&
		    memcmp(row->args, process_rows[i].args,
			sizeof(row->args)) == 0)
			return true;
	return false;
}

/*
 * An allowed call, one argument of it, and the bits of that argument that may
 * be anything. Each other bit matters: with it changed the call is refused,
 * unless a row above allows what it has become.
 */
struct bits {
	const char *name;
	uint64_t args[6];
	unsigned arg;
	uint64_t free;
};

/* The kernel takes 32 bits of it. */
#define HALF	0xffffffff00000000ULL
#define ID_BITS (S_ISUID | S_ISGID)
#define MAKES	(O_CREAT | (O_TMPFILE & ~O_DIRECTORY))

static const struct bits bits[] = {
    {"clone", {0x10f00}, 0, 0x17c0000},
    {"kill", {OWN, 9}, 0, 0},
    {"tkill", {OWN, 9}, 0, 0},
    {"tgkill", {OWN, 7, 9}, 0, 0},
    {"rt_sigqueueinfo", {OWN, 9, PTR}, 0, 0},
    {"rt_tgsigqueueinfo", {OWN, 7, 9, PTR}, 0, 0},
    {"prctl", {PR_SET_NAME, PTR}, 0, HALF},
    {"prctl", {PR_CAP_AMBIENT, PR_CAP_AMBIENT_IS_SET, 1}, 0, HALF},
    {"prctl", {PR_CAP_AMBIENT, PR_CAP_AMBIENT_IS_SET, 1}, 1, 0},
    {"prctl", {PR_SET_VMA, 0, PTR, 4096, PTR}, 0, HALF},
    {"prctl", {PR_SET_VMA, 0, PTR, 4096, PTR}, 1, 0},
    {"prlimit64", {0, 7, 0, PTR}, 0, HALF},
    {"prlimit64", {0, 7, 0, PTR}, 2, 0},
    {"personality", {0xffffffff}, 0, HALF},
    {"fcntl", {3, F_OFD_SETLK, PTR}, 1, HALF},
    {"fcntl", {3, F_SETFL, 0}, 1, HALF},
    {"fcntl", {3, F_SETFL, 0}, 2, ~(uint64_t)O_ASYNC},
    {"ioctl", {3, FIONREAD, PTR}, 1, HALF},
    {"close_range", {3, ~0ULL, 0}, 2, HALF},
    {"mknod", {PTR, S_IFREG}, 1, ~(uint64_t)(S_IFMT | ID_BITS)},
    {"mknodat", {AT_FDCWD, PTR, S_IFREG}, 2, ~(uint64_t)(S_IFMT | ID_BITS)},
    {"chmod", {PTR, 0}, 1, ~(uint64_t)ID_BITS},
    {"fchmod", {1, 0}, 1, ~(uint64_t)ID_BITS},
    {"fchmodat", {AT_FDCWD, PTR, 0}, 2, ~(uint64_t)ID_BITS},
    {"creat", {PTR, 0}, 1, ~(uint64_t)ID_BITS},
    {"open", {PTR, O_CREAT, 0}, 2, ~(uint64_t)ID_BITS},
    {"open", {PTR, 0, S_ISUID}, 1, ~(uint64_t)MAKES},
    {"openat", {AT_FDCWD, PTR, O_CREAT, 0}, 3, ~(uint64_t)ID_BITS},
    {"openat", {AT_FDCWD, PTR, 0, S_ISUID}, 2, ~(uint64_t)MAKES},
    {"socketpair", {AF_UNIX, SOCK_STREAM, 0}, 0, HALF},
    {"socketpair", {AF_UNIX, SOCK_STREAM, 0}, 1,
	HALF | SOCK_CLOEXEC | SOCK_NONBLOCK},
    {"socketpair", {AF_UNIX, SOCK_STREAM, 0}, 2, HALF},
    {"sendto", {3, PTR, 1, 0, 0, 0}, 4, 0},
    {"getsockopt", {3, SOL_SOCKET, SO_TYPE, PTR}, 1, HALF},
    {"getsockopt", {3, SOL_SOCKET, SO_TYPE, PTR}, 2, HALF},
    {"setsockopt", {3, SOL_SOCKET, SO_RCVTIMEO, PTR}, 1, HALF},
    {"setsockopt", {3, SOL_SOCKET, SO_RCVTIMEO, PTR}, 2, HALF},
};

static const struct bits process_bits[] = {
    {"clone", {SIGCHLD}, 0,
	CLONE_PARENT_SETTID | CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID},
    {"clone", {CLONE_VM | CLONE_VFORK | SIGCHLD}, 0, 0},
    {"rt_sigaction", {SIGCHLD, 0, PTR}, 1, 0},
    {"arch_prctl", {0x1002}, 0, HALF},
};

static inline bool
is_allowed_in(
    const struct row *row, const struct bits *b, const uint64_t args[6])
{
	return row->expect == ALLOW && strcmp(row->name, b->name) == 0 &&
	    ((row->args[b->arg] ^ args[b->arg]) & ~b->free) == 0;
}

static inline bool
is_allowed_row(const struct bits *b, const uint64_t args[6])
{
	size_t i;

	for (i = 0; i < ROWS; i++)
		if (is_allowed_in(&rows[i], b, args))
			return true;
	for (i = 0; b >= process_bits &&
	     b < process_bits + sizeof(process_bits) / sizeof(*b) &&
	     i < PROCESS_ROWS;
	     i++)
		if (is_allowed_in(&process_rows[i], b, args))
			return true;
	return false;
}

/* Whether every bit of *b counts as it has to; else *ret_bit is one that does
 * not. */
static inline bool
bits_hold(const struct program *program, enum sup_filter_arch arch,
    const struct bits *b, unsigned *ret_bit)
{
	const int nr = number(arch, b->name);
	uint64_t args[6];
	uint32_t got;
	unsigned bit;

	for (bit = 0; nr >= 0 && bit < 64; bit++) {
		memcpy(args, b->args, sizeof(args));
		args[b->arg] ^= UINT64_C(1) << bit;
		*ret_bit = bit;
		got = verdict(program, arch, (uint32_t)nr, args);
		if ((b->free >> bit & 1) != 0
			? got != ALLOW
			: got != DENY && !is_allowed_row(b, args))
			return false;
	}
	return true;
}

#endif
