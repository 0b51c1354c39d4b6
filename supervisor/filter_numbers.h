/*
 * The system calls that the policy names, with their numbers. X(name, x86_64,
 * aarch64); SUP_NO_SYSCALL where an architecture lacks the call.
 *
 * Numbers and not a library's look-up: building the same filter with
 * libseccomp costs more than a millisecond at each start, a fifth of a bare
 * interpreter's. A test compares every number with libseccomp's tables and
 * with the kernel's header.
 */
#ifndef SUP_FILTER_NUMBERS_H
#define SUP_FILTER_NUMBERS_H

#define SUP_NO_SYSCALL (-1)

// clang-format off
#define SUP_SYSCALLS(X) \
	X(mmap, 9, 222) \
	X(munmap, 11, 215) \
	X(mprotect, 10, 226) \
	X(mremap, 25, 216) \
	X(madvise, 28, 233) \
	X(brk, 12, 214) \
	X(msync, 26, 227) \
	X(mincore, 27, 232) \
	X(membarrier, 324, 283) \
	X(futex, 202, 98) \
	X(set_robust_list, 273, 99) \
	X(rseq, 334, 293) \
	X(gettid, 186, 178) \
	X(exit, 60, 93) \
	X(exit_group, 231, 94) \
	X(sched_yield, 24, 124) \
	X(sched_getaffinity, 204, 123) \
	X(sched_getparam, 143, 121) \
	X(sched_getscheduler, 145, 120) \
	X(sched_get_priority_max, 146, 125) \
	X(sched_get_priority_min, 147, 126) \
	X(getcpu, 309, 168) \
	X(restart_syscall, 219, 128) \
	X(rt_sigaction, 13, 134) \
	X(rt_sigprocmask, 14, 135) \
	X(rt_sigreturn, 15, 139) \
	X(rt_sigpending, 127, 136) \
	X(rt_sigtimedwait, 128, 137) \
	X(rt_sigsuspend, 130, 133) \
	X(sigaltstack, 131, 132) \
	X(pause, 34, SUP_NO_SYSCALL) \
	X(signalfd4, 289, 74) \
	X(clock_gettime, 228, 113) \
	X(clock_getres, 229, 114) \
	X(clock_nanosleep, 230, 115) \
	X(nanosleep, 35, 101) \
	X(gettimeofday, 96, 169) \
	X(time, 201, SUP_NO_SYSCALL) \
	X(setitimer, 38, 103) \
	X(getitimer, 36, 102) \
	X(alarm, 37, SUP_NO_SYSCALL) \
	X(times, 100, 153) \
	X(timerfd_create, 283, 85) \
	X(timerfd_settime, 286, 86) \
	X(timerfd_gettime, 287, 87) \
	X(timer_create, 222, 107) \
	X(timer_settime, 223, 110) \
	X(timer_gettime, 224, 108) \
	X(timer_getoverrun, 225, 109) \
	X(timer_delete, 226, 111) \
	X(getpid, 39, 172) \
	X(getppid, 110, 173) \
	X(getuid, 102, 174) \
	X(geteuid, 107, 175) \
	X(getgid, 104, 176) \
	X(getegid, 108, 177) \
	X(getresuid, 118, 148) \
	X(getresgid, 120, 150) \
	X(getgroups, 115, 158) \
	X(getpgid, 121, 155) \
	X(getpgrp, 111, SUP_NO_SYSCALL) \
	X(getsid, 124, 156) \
	X(getrusage, 98, 165) \
	X(getrlimit, 97, 163) \
	X(getpriority, 140, 141) \
	X(uname, 63, 160) \
	X(sysinfo, 99, 179) \
	X(getrandom, 318, 278) \
	X(umask, 95, 166) \
	X(getcwd, 79, 17) \
	X(chdir, 80, 49) \
	X(fchdir, 81, 50) \
	X(capget, 125, 90) \
	X(read, 0, 63) \
	X(write, 1, 64) \
	X(readv, 19, 65) \
	X(writev, 20, 66) \
	X(pread64, 17, 67) \
	X(pwrite64, 18, 68) \
	X(preadv, 295, 69) \
	X(pwritev, 296, 70) \
	X(preadv2, 327, 286) \
	X(pwritev2, 328, 287) \
	X(close, 3, 57) \
	X(close_range, 436, 436) \
	X(dup, 32, 23) \
	X(dup2, 33, SUP_NO_SYSCALL) \
	X(dup3, 292, 24) \
	X(lseek, 8, 62) \
	X(pipe, 22, SUP_NO_SYSCALL) \
	X(pipe2, 293, 59) \
	X(eventfd2, 290, 19) \
	X(sendfile, 40, 71) \
	X(copy_file_range, 326, 285) \
	X(splice, 275, 76) \
	X(fsync, 74, 82) \
	X(fdatasync, 75, 83) \
	X(sync_file_range, 277, 84) \
	X(fadvise64, 221, 223) \
	X(readahead, 187, 213) \
	X(ftruncate, 77, 46) \
	X(fallocate, 285, 47) \
	X(fstat, 5, 80) \
	X(fchmod, 91, 52) \
	X(getdents64, 217, 61) \
	X(poll, 7, SUP_NO_SYSCALL) \
	X(ppoll, 271, 73) \
	X(select, 23, SUP_NO_SYSCALL) \
	X(pselect6, 270, 72) \
	X(epoll_create, 213, SUP_NO_SYSCALL) \
	X(epoll_create1, 291, 20) \
	X(epoll_ctl, 233, 21) \
	X(epoll_wait, 232, SUP_NO_SYSCALL) \
	X(epoll_pwait, 281, 22) \
	X(epoll_pwait2, 441, 441) \
	X(open, 2, SUP_NO_SYSCALL) \
	X(openat, 257, 56) \
	X(creat, 85, SUP_NO_SYSCALL) \
	X(stat, 4, SUP_NO_SYSCALL) \
	X(lstat, 6, SUP_NO_SYSCALL) \
	X(newfstatat, 262, 79) \
	X(statx, 332, 291) \
	X(access, 21, SUP_NO_SYSCALL) \
	X(faccessat, 269, 48) \
	X(faccessat2, 439, 439) \
	X(readlink, 89, SUP_NO_SYSCALL) \
	X(readlinkat, 267, 78) \
	X(rename, 82, SUP_NO_SYSCALL) \
	X(renameat, 264, 38) \
	X(renameat2, 316, 276) \
	X(link, 86, SUP_NO_SYSCALL) \
	X(linkat, 265, 37) \
	X(symlink, 88, SUP_NO_SYSCALL) \
	X(symlinkat, 266, 36) \
	X(unlink, 87, SUP_NO_SYSCALL) \
	X(unlinkat, 263, 35) \
	X(mkdir, 83, SUP_NO_SYSCALL) \
	X(mkdirat, 258, 34) \
	X(rmdir, 84, SUP_NO_SYSCALL) \
	X(chmod, 90, SUP_NO_SYSCALL) \
	X(fchmodat, 268, 53) \
	X(truncate, 76, 45) \
	X(utime, 132, SUP_NO_SYSCALL) \
	X(utimes, 235, SUP_NO_SYSCALL) \
	X(futimesat, 261, SUP_NO_SYSCALL) \
	X(utimensat, 280, 88) \
	X(statfs, 137, 43) \
	X(fstatfs, 138, 44) \
	X(getxattr, 191, 8) \
	X(lgetxattr, 192, 9) \
	X(fgetxattr, 193, 10) \
	X(listxattr, 194, 11) \
	X(llistxattr, 195, 12) \
	X(flistxattr, 196, 13) \
	X(recvfrom, 45, 207) \
	X(recvmsg, 47, 212) \
	X(sendmsg, 46, 211) \
	X(sendto, 44, 206) \
	X(shutdown, 48, 210) \
	X(getsockname, 51, 204) \
	X(getpeername, 52, 205) \
	X(getsockopt, 55, 209) \
	X(setsockopt, 54, 208) \
	X(socketpair, 53, 199) \
	X(socket, 41, 198) \
	X(connect, 42, 203) \
	X(bind, 49, 200) \
	X(listen, 50, 201) \
	X(accept, 43, 202) \
	X(accept4, 288, 242) \
	X(sendmmsg, 307, 269) \
	X(recvmmsg, 299, 243) \
	X(clone, 56, 220) \
	X(kill, 62, 129) \
	X(tkill, 200, 130) \
	X(tgkill, 234, 131) \
	X(rt_sigqueueinfo, 129, 138) \
	X(rt_tgsigqueueinfo, 297, 240) \
	X(fcntl, 72, 25) \
	X(ioctl, 16, 29) \
	X(prctl, 157, 167) \
	X(personality, 135, 92) \
	X(prlimit64, 302, 261) \
	X(mknod, 133, SUP_NO_SYSCALL) \
	X(mknodat, 259, 33) \
	X(fork, 57, SUP_NO_SYSCALL) \
	X(vfork, 58, SUP_NO_SYSCALL) \
	X(execve, 59, 221) \
	X(wait4, 61, 260) \
	X(waitid, 247, 95) \
	X(setpgid, 109, 154) \
	X(setsid, 112, 157) \
	X(set_tid_address, 218, 96) \
	X(arch_prctl, 158, SUP_NO_SYSCALL) \
	X(clone3, 435, 435) \
	X(openat2, 437, 437) \
	X(futex_waitv, 449, 449) \
	X(io_uring_setup, 425, 425)
// clang-format on

enum sup_syscall {
#define X(name, x86_64, aarch64) SUP_SYS_##name,
	SUP_SYSCALLS(X)
#undef X
	    SUP_SYSCALL_COUNT
};

#endif
