/*
 * A host whose kernel knows another Landlock: executes the command under a
 * filter that asks this process what Landlock's calls are to answer.
 *
 *   abi N -- COMMAND [ARGUMENT...]
 *
 * The version that the command and all that it starts are told is N. Rights,
 * attributes and flags that version N does not know are refused as that
 * kernel would refuse them (EINVAL, E2BIG); everything else goes on to the
 * kernel that is really there. See landlock(7), "VERSIONS", and
 * seccomp_unotify(2).
 *
 * Exits as the command does. 2: the arguments are wrong; 126: there are no
 * such filters; 127: the command cannot be executed.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

/* The same on all machines; headers may be older than the kernel. */
#define NR_CREATE_RULESET 444
#define NR_RESTRICT_SELF  446
#define CREATE_VERSION	  1u

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* What each version knows; later ones know what the last does. */
static const struct {
	uint64_t rights[3];		/* files, network, scopes */
	size_t size;			/* of the attributes */
	uint32_t create, restrict_self; /* flags, beside the version's */
} versions[] = {
    {{0, 0, 0}, 0, 0, 0},
    {{0x1fff, 0, 0}, 8, 0, 0},
    {{0x3fff, 0, 0}, 8, 0, 0},
    {{0x7fff, 0, 0}, 8, 0, 0},
    {{0x7fff, 3, 0}, 16, 0, 0},
    {{0xffff, 3, 0}, 16, 0, 0},
    {{0xffff, 3, 3}, 24, 0, 0},
    {{0xffff, 3, 3}, 24, 2, 7},
};

static void
fail(const char *what)
{
	(void)fprintf(stderr, "abi: %s: %s\n", what, strerror(errno));
	exit(126);
}

/* --- the command ---------------------------------------------------------- */

/* Every call of the two asks; the descriptor on which it is asked. */
static int
install(void)
{
	struct sock_filter filter[] = {
	    BPF_STMT(
		BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
	    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, NR_CREATE_RULESET, 1, 0),
	    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, NR_RESTRICT_SELF, 0, 1),
	    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
	    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {COUNT(filter), filter};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		return -1;
	return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
	    SECCOMP_FILTER_FLAG_NEW_LISTENER, &program);
}

/* One descriptor, along with one byte (unix(7), SCM_RIGHTS). */
union control {
	struct cmsghdr header;
	char bytes[CMSG_SPACE(sizeof(int))];
};

static bool
pass(int socket_fd, int *fd, bool send)
{
	union control control;
	char byte = 0;
	struct iovec iov = {&byte, 1};
	struct msghdr message = {
	    .msg_iov = &iov,
	    .msg_iovlen = 1,
	    .msg_control = &control,
	    .msg_controllen = sizeof(control),
	};

	memset(&control, 0, sizeof(control));
	control.header.cmsg_level = SOL_SOCKET;
	control.header.cmsg_type = SCM_RIGHTS;
	control.header.cmsg_len = CMSG_LEN(sizeof(int));
	if (send) {
		memcpy(CMSG_DATA(&control.header), fd, sizeof(*fd));
		return sendmsg(socket_fd, &message, 0) == 1;
	}
	if (recvmsg(socket_fd, &message, MSG_CMSG_CLOEXEC) != 1 ||
	    message.msg_controllen < CMSG_LEN(sizeof(int)))
		return false;
	memcpy(fd, CMSG_DATA(&control.header), sizeof(*fd));
	return true;
}

static void
command(int socket_fd, char **words)
{
	int listener = install();

	if (listener < 0)
		fail("the filter");
	if (!pass(socket_fd, &listener, true))
		fail("passing the descriptor");
	(void)close(listener);
	(void)close(socket_fd);
	(void)execvp(words[0], words);
	(void)fprintf(stderr, "abi: %s: %s\n", words[0], strerror(errno));
	_exit(127);
}

/* --- the answers ---------------------------------------------------------- */

/* Of landlock_create_ruleset(attributes, size, flags): 0 to let it go on. */
static int
check_ruleset(uint32_t pid, const uint64_t *args, size_t known)
{
	uint64_t attributes[COUNT(versions[0].rights)] = {0};
	struct iovec to = {attributes, sizeof(attributes)};
	struct iovec from = {NULL, args[1]};
	bool beyond = false;

	memcpy(&from.iov_base, &args[0], sizeof(from.iov_base));
	if (args[1] > sizeof(attributes))
		return 0; /* the kernel that is there knows no more either */
	if (process_vm_readv((pid_t)pid, &to, 1, &from, 1, 0) !=
	    (ssize_t)args[1])
		return EFAULT;
	for (size_t i = 0; i < COUNT(attributes); i++)
		beyond = beyond ||
		    (i * 8 >= versions[known].size && attributes[i] != 0);
	if (beyond)
		return E2BIG;
	for (size_t i = 0; i < COUNT(attributes); i++)
		if ((attributes[i] & ~versions[known].rights[i]) != 0)
			return EINVAL;
	return 0;
}

static void
answer(const struct seccomp_notif *asked, unsigned long version,
    struct seccomp_notif_resp *ret)
{
	size_t known =
	    version < COUNT(versions) ? version : COUNT(versions) - 1;
	const uint64_t *args = (const uint64_t *)asked->data.args;
	int error = 0;

	*ret = (struct seccomp_notif_resp){.id = asked->id};
	if (asked->data.nr == NR_RESTRICT_SELF) {
		error = (args[1] & ~versions[known].restrict_self) != 0 ? EINVAL
									: 0;
	} else if (args[2] == CREATE_VERSION && args[0] == 0 && args[1] == 0) {
		ret->val = (int64_t)version;
		return;
	} else if (args[2] != 0) {
		error = (args[2] & ~(uint64_t)versions[known].create) != 0
		    ? EINVAL
		    : 0;
	} else {
		error = check_ruleset(asked->pid, args, known);
	}
	ret->error = -error;
	ret->flags = error == 0 ? SECCOMP_USER_NOTIF_FLAG_CONTINUE : 0;
}

/* Until the last process under the filter is gone, or the command is. */
static void
serve(int listener, unsigned long version, pid_t pid)
{
	int pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	struct pollfd polled[] = {{listener, POLLIN, 0}, {pidfd, POLLIN, 0}};

	if (pidfd < 0)
		fail("pidfd_open");
	for (;;) {
		struct seccomp_notif asked;
		struct seccomp_notif_resp response;

		if (poll(polled, 2, -1) < 0 && errno != EINTR)
			fail("poll");
		if ((polled[1].revents & POLLIN) != 0 ||
		    (polled[0].revents & (POLLIN | POLLHUP)) == POLLHUP)
			break;
		if ((polled[0].revents & POLLIN) == 0)
			continue;
		memset(&asked, 0, sizeof(asked));
		/* Who asked may be gone by now, and then there is nothing. */
		if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &asked) < 0)
			continue;
		answer(&asked, version, &response);
		(void)ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &response);
	}
	(void)close(pidfd);
}

int
main(int argc, char **argv)
{
	int ends[2], listener = -1, status;
	unsigned long version = 0;
	char *end = NULL;
	pid_t pid;

	if (argc > 1)
		version = strtoul(argv[1], &end, 10);
	if (argc < 4 || *end != '\0' || version < 1 || version > 1000 ||
	    strcmp(argv[2], "--") != 0) {
		(void)fprintf(
		    stderr, "usage: abi N -- COMMAND [ARGUMENT...]\n");
		return 2;
	}
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
		fail("socketpair");
	pid = fork();
	if (pid < 0)
		fail("fork");
	if (pid == 0) {
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
		command(ends[1], argv + 3);
	}
	(void)close(ends[1]);
	if (pass(ends[0], &listener, false))
		serve(listener, version, pid);
	if (waitpid(pid, &status, 0) != pid)
		fail("waitpid");
	if (WIFSIGNALED(status)) {
		(void)signal(WTERMSIG(status), SIG_DFL);
		(void)raise(WTERMSIG(status));
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 126;
}
