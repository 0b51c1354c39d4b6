/*
 * A small guardian for tests, so that they need no other program: the test
 * binary runs itself as `TEST guard FD COMMAND...` (bindings/provider_command.h
 * has the contract). USER=malformed and USER=silent in the environment make it
 * break the contract.
 */
#ifndef TEST_GUARD_ROLE_H
#define TEST_GUARD_ROLE_H

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "wire/report.h"

static inline void
guard_send(int fd, enum wire_report_code code, int sys, int status)
{
	struct wire_report report = {
	    .magic = WIRE_REPORT_MAGIC,
	    .code = (uint16_t)code,
	    .stage = WIRE_STAGE_EXEC,
	    .sys = sys,
	    .wait_status = status,
	};

	(void)!send(fd, &report, sizeof(report), MSG_NOSIGNAL);
}

/* Kills until there is no child left; strays come back to the subreaper. */
static inline void
guard_end_tree(void)
{
	int pid;

	do {
		FILE *file = fopen("/proc/thread-self/children", "re");

		if (file == NULL)
			_exit(1);
		while (fscanf(file, "%d", &pid) == 1)
			(void)kill(pid, SIGKILL);
		(void)fclose(file);
	} while (waitpid(-1, NULL, __WALL) > 0);
}

static inline void
guard_run(int fd, char **argv)
{
	sigset_t none;

	sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
	(void)setsid();
	(void)fcntl(fd, F_SETFD, FD_CLOEXEC);
	(void)execv(argv[0], argv);
	guard_send(fd, WIRE_REPORT_FAILED, errno, 0);
	_exit(127);
}

static inline int
guard_main(char **argv)
{
	int fd = argv[2][0] - '0', signal_fd, status = 0;
	const char *user = getenv("USER");
	struct pollfd polled[2];
	sigset_t set;
	pid_t command;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	(void)sigprocmask(SIG_BLOCK, &set, NULL);
	signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	(void)prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	command = fork();
	if (command == 0)
		guard_run(fd, argv + 3);
	for (int i = 0; i < 3; i++)
		(void)close(i);
	polled[0] = (struct pollfd){fd, POLLIN, 0};
	polled[1] = (struct pollfd){signal_fd, POLLIN, 0};
	for (;;) {
		struct signalfd_siginfo info;

		(void)poll(polled, 2, -1);
		if (polled[0].revents != 0)
			break;
		(void)!read(signal_fd, &info, sizeof(info));
		if (waitpid(command, &status, WNOHANG) != command)
			continue;
		guard_end_tree();
		if (user != NULL && strcmp(user, "malformed") == 0)
			(void)!send(fd, "short", 5, MSG_NOSIGNAL);
		else if (user == NULL || strcmp(user, "silent") != 0)
			guard_send(fd, WIRE_REPORT_EXITED, 0, status);
		return user != NULL && strcmp(user, "silent") == 0;
	}
	guard_end_tree();
	return 0;
}

/* Which guardian to use: this program, or WEIR_GUARDIAN. */
static inline int
guard_path(char *path, size_t size)
{
	const char *given = getenv("WEIR_GUARDIAN");
	ssize_t len;

	if (given != NULL)
		return snprintf(path, size, "%s", given) > 0;
	len = readlink("/proc/self/exe", path, size - 1);
	if (len < 0)
		return 0;
	path[len] = '\0';
	return 1;
}

#endif
