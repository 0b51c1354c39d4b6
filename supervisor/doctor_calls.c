/*
 * Steps that need no namespace: made in the child itself.
 */
#include "supervisor/doctor_steps.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "supervisor/doctor_try.h"
#include "supervisor/interp.h"
#include "supervisor/scratch.h"
#include "supervisor/sys.h"
#include "supervisor/sys_doctor.h"
#include "supervisor/unlinked.h"

/* What a run reads there: its own place, ids, maps and namespaces. */
int
sup_step_proc(struct sup_doctor_try *attempt)
{
	static const char *const files[] = {
	    "/proc/self/status", "/proc/self/uid_map", "/proc/self/gid_map"};
	char text[PATH_MAX];
	struct stat st;

	TRY(attempt, "/proc/self/exe",
	    sup_sys_readlink("/proc/self/exe", text, sizeof(text)));
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		int fd;

		sup_doctor_note(attempt, "%s", files[i]);
		fd = sup_sys_open(files[i], O_RDONLY);
		if (fd < 0)
			return fd;
		TRY(attempt, files[i], sup_sys_read(fd, text, sizeof(text)));
	}
	TRY(attempt, "/proc/self/ns/user",
	    sup_sys_stat("/proc/self/ns/user", &st));
	return 0;
}

int
sup_step_interpreter(struct sup_doctor_try *attempt)
{
	static struct sup_interp interp;

	if (sup_interp_resolve(attempt->python, attempt->path, &interp) ==
	    WIRE_OK) {
		sup_doctor_see(
		    attempt, "%s, Python %s", interp.path, interp.version);
		return 0;
	}
	sup_doctor_note(attempt, "%s", interp.text);
	return interp.fault == SUP_INTERP_MISSING ? -ENOENT : -EACCES;
}

int
sup_step_no_new_privs(struct sup_doctor_try *attempt)
{
	TRY(attempt, "prctl(PR_SET_NO_NEW_PRIVS)",
	    RAW(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
	return RAW(SYS_prctl, PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1
	    ? 0
	    : SUP_DOCTOR_NO_EFFECT;
}

/* A filter that gives one harmless call an answer it never has. */
int
sup_step_seccomp(struct sup_doctor_try *attempt)
{
	struct sock_filter filter[] = {
	    BPF_STMT(
		BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
	    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getpgid, 0, 1),
	    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EXDEV),
	    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {
	    sizeof(filter) / sizeof(filter[0]), filter};
	long r = sup_step_no_new_privs(attempt);

	if (r != 0)
		return (int)r;
	sup_doctor_note(attempt, "seccomp");
	r = RAW(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC,
	    &program, 0, 0);
	if (r != 0)
		return r < 0 ? (int)r : -EBUSY;
	return RAW(SYS_getpgid, 0, 0, 0, 0, 0) == -EXDEV ? 0
							 : SUP_DOCTOR_NO_EFFECT;
}

/* landlock(7): the numbers are the same on all machines, and headers may be
 * older than the kernel. */
#define NR_CREATE_RULESET 444
#define NR_RESTRICT_SELF  446
#define CREATE_VERSION	  1
#define FS_READ_DIR	  (1ULL << 3)

int
sup_step_landlock(struct sup_doctor_try *attempt)
{
	const uint64_t handled = FS_READ_DIR;
	long abi, fd, r = sup_step_no_new_privs(attempt);

	if (r != 0)
		return (int)r;
	sup_doctor_note(attempt, "landlock_create_ruleset");
	abi = RAW(NR_CREATE_RULESET, 0, 0, CREATE_VERSION, 0, 0);
	if (abi < 0)
		return (int)abi;
	fd = RAW(NR_CREATE_RULESET, &handled, sizeof(handled), 0, 0, 0);
	if (fd < 0)
		return (int)fd;
	TRY(attempt, "landlock_restrict_self",
	    RAW(NR_RESTRICT_SELF, fd, 0, 0, 0, 0));
	sup_doctor_see(attempt, "ABI %ld", abi);
	return sup_sys_open("/", O_RDONLY | O_DIRECTORY) == -EACCES
	    ? 0
	    : SUP_DOCTOR_NO_EFFECT;
}

/* Before it a file that may only be read could be emptied (truncate(2)). */
#define ABI_LEAST 3

int
sup_step_landlock_abi(struct sup_doctor_try *attempt)
{
	long abi;

	sup_doctor_note(attempt, "landlock_create_ruleset");
	abi = RAW(NR_CREATE_RULESET, 0, 0, CREATE_VERSION, 0, 0);
	if (abi < 0)
		return (int)abi;
	sup_doctor_see(
	    attempt, "ABI %ld; %d is the least for that", abi, ABI_LEAST);
	return abi < ABI_LEAST ? SUP_DOCTOR_TOO_OLD : 0;
}

int
sup_step_subreaper(struct sup_doctor_try *attempt)
{
	int is = 0;

	TRY(attempt, "prctl(PR_SET_CHILD_SUBREAPER)",
	    RAW(SYS_prctl, PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0));
	TRY(attempt, "prctl(PR_GET_CHILD_SUBREAPER)",
	    RAW(SYS_prctl, PR_GET_CHILD_SUBREAPER, &is, 0, 0, 0));
	return is == 1 ? 0 : SUP_DOCTOR_NO_EFFECT;
}

/* Made and, when nothing else stands in it, removed again. */
int
sup_step_workspace_base(struct sup_doctor_try *attempt)
{
	static const char name[] = "doctor";
	struct sup_scratch scratch = SUP_SCRATCH_NONE;
	char made[SUP_SCRATCH_NAME] = "", path[PATH_MAX];
	struct wire_errinfo info = {"", 0, 0};
	enum wire_err err;

	err = sup_scratch_open(&scratch, &info);
	if (err == WIRE_OK)
		err = sup_scratch_make(&scratch, name, made, path, &info);
	if (made[0] != '\0')
		(void)sup_scratch_remove(&scratch, made, "", 0);
	sup_scratch_close(&scratch);
	if (err != WIRE_OK) {
		sup_doctor_note(attempt, "%s", scratch.base);
		return info.sys != 0 ? -info.sys : -EINVAL;
	}
	sup_doctor_see(attempt, "%s", scratch.base);
	return 0;
}

int
sup_step_pidfd(struct sup_doctor_try *attempt)
{
	int fd = -1, again, r;
	siginfo_t info;
	pid_t self = getpid();
	long pid;

	sup_doctor_note(attempt, "clone(CLONE_PIDFD)");
	pid = RAW(SYS_clone, CLONE_PIDFD | SIGCHLD, 0, &fd, 0, 0);
	if (pid < 0)
		return (int)pid;
	if (pid == 0) {
		/* Whoever holds the answer's pipe counts as at work. */
		sup_sys_close(&attempt->answer_fd);
		sup_doctor_die_with(self);
		for (;;)
			(void)RAW(SYS_ppoll, 0, 0, 0, 0, 0);
	}
	sup_doctor_note(attempt, "pidfd_open");
	again = (int)RAW(SYS_pidfd_open, pid, 0, 0, 0, 0);
	r = again < 0 ? again : 0;
	if (r == 0) {
		sup_doctor_note(attempt, "pidfd_send_signal");
		r = (int)RAW(SYS_pidfd_send_signal, fd, SIGKILL, 0, 0, 0);
	}
	if (r < 0)
		(void)sup_sys_kill((pid_t)pid, SIGKILL);
	if (r == 0) {
		struct pollfd polled = {again, POLLIN, 0};

		sup_doctor_note(attempt, "waitid(P_PIDFD)");
		(void)sup_sys_poll(&polled, 1, -1);
		r = sup_sys_reap(fd, &info);
		r = r < 0 ? r : r == 1 ? 0 : SUP_DOCTOR_NO_EFFECT;
	}
	(void)sup_sys_wait((pid_t)pid, NULL, __WALL);
	return r;
}

int
sup_step_close_range(struct sup_doctor_try *attempt)
{
	int fd;

	sup_doctor_note(attempt, "fcntl(F_DUPFD_CLOEXEC)");
	fd = sup_sys_dup_above(attempt->answer_fd, 100);
	if (fd < 0)
		return fd;
	TRY(attempt, "close_range", RAW(SYS_close_range, fd, ~0U, 0, 0, 0));
	return RAW(SYS_fcntl, fd, F_GETFD, 0, 0, 0) == -EBADF
	    ? 0
	    : SUP_DOCTOR_NO_EFFECT;
}

int
sup_step_memfd(struct sup_doctor_try *attempt)
{
	int fd;

	sup_doctor_note(attempt, "memfd_create and F_ADD_SEALS");
	fd = sup_sys_sealed("weir-doctor", WIRE_LIT("sealed"));
	if (fd < 0)
		return fd;
	return sup_sys_write(fd, "x", 1) == -EPERM ? 0 : SUP_DOCTOR_NO_EFFECT;
}

/* In the stub's order, each to its default or to what is inherited. */
int
sup_step_rlimits(struct sup_doctor_try *attempt)
{
	static const struct {
		const char *name;
		int resource;
		uint64_t value;
	} limits[] = {
	    {"RLIMIT_CORE", RLIMIT_CORE, 0},
	    {"RLIMIT_CPU", RLIMIT_CPU, 30},
	    {"RLIMIT_AS", RLIMIT_AS, 4ULL << 30},
	    {"RLIMIT_FSIZE", RLIMIT_FSIZE, 16ULL << 20},
	    {"RLIMIT_NPROC", RLIMIT_NPROC, 258},
	    {"RLIMIT_NOFILE", RLIMIT_NOFILE, 256},
	};

	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
		uint64_t value = limits[i].value, soft, hard;

		TRY(attempt, limits[i].name,
		    sup_sys_prlimit(0, limits[i].resource, &soft, &hard));
		value = value < hard ? value : hard;
		TRY(attempt, limits[i].name,
		    sup_sys_setrlimit(limits[i].resource, value, value));
		TRY(attempt, limits[i].name,
		    sup_sys_prlimit(0, limits[i].resource, &soft, &hard));
		if (soft != value || hard != value)
			return SUP_DOCTOR_NO_EFFECT;
	}
	return 0;
}

int
sup_step_timerfd(struct sup_doctor_try *attempt)
{
	int fd;

	sup_doctor_note(attempt, "timerfd_create");
	fd = sup_sys_timerfd();
	if (fd < 0)
		return fd;
	TRY(attempt, "timerfd_settime",
	    sup_sys_timerfd_set(fd, sup_sys_now() + 3600ULL * 1000000000));
	return sup_sys_timerfd_armed(fd) ? 0 : SUP_DOCTOR_NO_EFFECT;
}

int
sup_step_epoll(struct sup_doctor_try *attempt)
{
	const uint64_t one = 1;
	struct epoll_event event;
	int epoll_fd, event_fd;

	sup_doctor_note(attempt, "epoll_create1");
	epoll_fd = sup_sys_epoll();
	if (epoll_fd < 0)
		return epoll_fd;
	sup_doctor_note(attempt, "eventfd2");
	event_fd = sup_sys_eventfd();
	if (event_fd < 0)
		return event_fd;
	TRY(attempt, "epoll_ctl",
	    sup_sys_epoll_ctl(
		epoll_fd, EPOLL_CTL_ADD, event_fd, EPOLLIN, NULL));
	TRY(attempt, "write", sup_sys_write(event_fd, &one, sizeof(one)));
	TRY(attempt, "epoll_wait", sup_sys_epoll_wait(epoll_fd, &event, 1, 0));
	return sup_sys_epoll_wait(epoll_fd, &event, 1, 0) == 1
	    ? 0
	    : SUP_DOCTOR_NO_EFFECT;
}

int
sup_step_socketpair(struct sup_doctor_try *attempt)
{
	unsigned closed = 0;
	char byte;
	int ends[2];

	TRY(attempt, "socketpair(SOCK_STREAM)",
	    sup_sys_socketpair(SOCK_STREAM, ends));
	TRY(attempt, "socketpair(SOCK_SEQPACKET)",
	    sup_sys_socketpair(SOCK_SEQPACKET, ends));
	TRY(attempt, "sendto", sup_sys_send(ends[0], "x", 1));
	TRY(attempt, "recvmsg", sup_sys_recv(ends[1], &byte, 1, NULL, &closed));
	return 0;
}

int
sup_step_unlinked_file(struct sup_doctor_try *attempt)
{
	char byte;
	int fd;

	sup_doctor_note(attempt, "a file in /var/tmp or /tmp");
	fd = sup_unlinked_open();
	if (fd < 0)
		return fd;
	TRY(attempt, "writing to it", sup_unlinked_write(fd, "x", 1, 0));
	TRY(attempt, "reading it", sup_unlinked_read(fd, &byte, 1, 0));
	return 0;
}
