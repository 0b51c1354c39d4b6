/*
 * The guardian of a provider's process (B14).
 *
 *   weir-child guard FD COMMAND [ARGUMENT...]
 *
 * Providers run outside the sandbox with the caller's rights, and may fork,
 * change their session and ignore signals. The guardian is their subreaper:
 * whatever they leave comes back to it, and it ends all of it when the
 * command is over, or when the host closes FD, the lifeline, by will or by
 * dying. FD is a SOCK_SEQPACKET socket; one record comes back on it: FAILED
 * when the command could not be executed, else EXITED.
 *
 * COMMAND is an absolute path; the environment and the directory are passed on
 * as they are.
 */
#include <asm/fcntl.h>
#include <asm/poll.h>
#include <asm/resource.h>
#include <linux/errno.h>
#include <linux/fcntl.h>
#include <linux/resource.h>
#include <linux/signalfd.h>

#include "child/stub.h"
#include "child/sys.h"

#define SIGCHLD_ 17
#define WNOHANG_ 1
#define WALL_	 0x40000000

static int
parse_fd(const char *text)
{
	int fd = 0;

	if (*text == '\0')
		return -1;
	for (; *text != '\0'; text++) {
		if (*text < '0' || *text > '9' || fd > 100000)
			return -1;
		fd = fd * 10 + (*text - '0');
	}
	return fd;
}

__attribute__((noreturn)) static void
become_command(int fd, char **argv, char **envp)
{
	long r;

	(void)STUB_SYS(__NR_setsid);
	(void)STUB_SYS(__NR_close_range, 3, fd - 1, 0);
	(void)STUB_SYS(__NR_close_range, fd + 1, ~0U, 0);
	(void)STUB_SYS(__NR_fcntl, fd, F_SETFD, 1 /* FD_CLOEXEC */);
	stub_signals_reset();
	r = STUB_SYS(__NR_execve, argv[0], argv, envp);
	stub_fail(fd, WIRE_STAGE_EXEC, (int)-r, 0);
}

/* Whether the command has ended; fills *report then. Reaps strays too. */
static bool
command_ended(long command, struct wire_report *report)
{
	struct rusage usage;
	bool ended = false;
	int status = 0;
	long pid;

	__builtin_memset(&usage, 0, sizeof(usage));
	while ((pid = STUB_SYS(
		    __NR_wait4, -1, &status, WNOHANG_ | WALL_, &usage)) > 0) {
		if (pid != command)
			continue;
		ended = true;
		report->wait_status = status;
		report->user_us = (uint64_t)usage.ru_utime.tv_sec * 1000000u +
		    (uint64_t)usage.ru_utime.tv_usec;
		report->system_us = (uint64_t)usage.ru_stime.tv_sec * 1000000u +
		    (uint64_t)usage.ru_stime.tv_usec;
	}
	return ended;
}

__attribute__((noreturn)) static void
watch(int fd, long command, int signal_fd)
{
	struct wire_report report = {.code = WIRE_REPORT_EXITED};
	struct pollfd polled[2] = {{fd, POLLIN, 0}, {signal_fd, POLLIN, 0}};
	struct signalfd_siginfo info;

	for (;;) {
		long n = STUB_SYS(__NR_ppoll, polled, 2, 0, 0, 8);

		if (n < 0 && n != -EINTR)
			break;
		if (polled[0].revents != 0)
			break;
		if (polled[1].revents == 0)
			continue;
		(void)STUB_SYS(__NR_read, signal_fd, &info, sizeof(info));
		if (!command_ended(command, &report))
			continue;
		stub_tree_end(0, false);
		(void)stub_report(fd, &report, -1);
		stub_exit(0);
	}
	stub_tree_end(command, false);
	stub_exit(0);
}

void
stub_guard(int argc, char **argv, char **envp)
{
	uint64_t mask = 1ULL << (SIGCHLD_ - 1);
	int fd = argc > 3 ? parse_fd(argv[2]) : -1;
	long signal_fd, pid;

	if (fd < 3 || argv[3][0] != '/')
		stub_exit(STUB_EXIT_FAILED);
	/* SECURITY: the host's shell must not be able to stop or end the
	 * guardian through the terminal while its tree lives. */
	(void)STUB_SYS(__NR_setsid);
	if (stub_subreaper_become() != 0)
		stub_fail(fd, WIRE_STAGE_FORK, EINVAL, 0);
	stub_signals_reset();
	stub_signals_block_child();
	signal_fd = STUB_SYS(__NR_signalfd4, -1, &mask, 8, SFD_CLOEXEC);
	if (signal_fd < 0)
		stub_fail(fd, WIRE_STAGE_FORK, (int)-signal_fd, 0);
	pid = STUB_SYS(__NR_clone, SIGCHLD_, 0, 0, 0, 0);
	if (pid < 0)
		stub_fail(fd, WIRE_STAGE_FORK, (int)-pid, 0);
	if (pid == 0)
		become_command(fd, argv + 3, envp);
	/* The command's streams are its own: end of file must be its end. */
	(void)STUB_SYS(__NR_close_range, 0, 2, 0);
	watch(fd, pid, (int)signal_fd);
}
