#include "child/seccomp.h"

#include <linux/errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "child/sys.h"

_Static_assert(sizeof(struct sock_filter) == sizeof(struct wire_plan_insn),
    "the plan carries instructions as the kernel takes them");

/*
 * The program with its own process id in the place that was kept for it; the
 * plan is mapped read-only, so a copy.
 */
static const struct wire_plan_insn *
with_own_pid(const struct wire_plan *plan)
{
	static struct wire_plan_insn copy[WIRE_PLAN_FILTER];
	uint32_t pid = (uint32_t)STUB_SYS(__NR_getpid);

	for (size_t i = 0; i < plan->insn_count; i++) {
		copy[i] = plan->insns[i];
		if (copy[i].code == (BPF_JMP | BPF_JEQ | BPF_K) &&
		    copy[i].k == WIRE_PLAN_OWN_PID)
			copy[i].k = pid;
	}
	return copy;
}

/*
 * SECURITY: on every thread (TSYNC), although there should be only one: a
 * thread that an interpreter's start-up had left would otherwise stay free.
 */
int
stub_seccomp_apply(const struct wire_plan *plan, int *ret_listener)
{
	struct {
		unsigned short len;
		const struct wire_plan_insn *filter;
	} program = {(unsigned short)plan->insn_count,
	    plan->namespaces ? plan->insns : with_own_pid(plan)};
	unsigned long flags = SECCOMP_FILTER_FLAG_TSYNC;
	long r;

	*ret_listener = -1;
	if (plan->insn_count == 0)
		return 0;
	/* KERNEL: the two go together only from 5.7 on, with an error for a
	 * thread that cannot be synchronized (seccomp(2)). */
	if (plan->trace)
		flags |= SECCOMP_FILTER_FLAG_NEW_LISTENER |
		    SECCOMP_FILTER_FLAG_TSYNC_ESRCH;
	r = STUB_SYS(__NR_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program);
	if (r < 0)
		return (int)-r;
	if (plan->trace) {
		*ret_listener = (int)r;
		return 0;
	}
	/* A positive answer is a thread that could not be synchronized. */
	return r == 0 ? 0 : ESRCH;
}

static int
send_fd(int channel_fd, int fd)
{
	char line[] = {'\n'}; /* blank: no part of the conversation */
	struct iovec iov = {line, sizeof(line)};
	union {
		struct cmsghdr head;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control = {0};
	struct msghdr msg = {
	    .msg_iov = &iov,
	    .msg_iovlen = 1,
	    .msg_control = &control,
	    .msg_controllen = sizeof(control),
	};
	long n;

	control.head.cmsg_level = SOL_SOCKET;
	control.head.cmsg_type = SCM_RIGHTS;
	control.head.cmsg_len = CMSG_LEN(sizeof(int));
	__builtin_memcpy(CMSG_DATA(&control.head), &fd, sizeof(fd));
	do
		n = STUB_SYS(__NR_sendmsg, channel_fd, &msg, MSG_NOSIGNAL);
	while (n == -EINTR);
	return n < 0 ? (int)-n : 0;
}

int
stub_seccomp_hand_over(int channel_fd, int listener)
{
	int error = send_fd(channel_fd, listener);
	long r;

	/*
	 * SECURITY: who holds the listener answers its own calls, and could
	 * let them all go on. The host has the only one; the probe looks for
	 * what is left open, and the filter refuses the ioctl as well.
	 */
	r = STUB_SYS(__NR_close, listener);
	return error == 0 && r < 0 ? (int)-r : error;
}
