/*
 * Records to the host, and how a failed stage ends the stub.
 */
#include <linux/socket.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "child/stub.h"
#include "child/sys.h"

int
stub_report(int report_fd, const struct wire_report *report, int pass_fd)
{
	struct wire_report copy = *report;
	struct iovec iov = {&copy, sizeof(copy)};
	union {
		struct cmsghdr head;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control = {0};
	struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1};
	long n;

	copy.magic = WIRE_REPORT_MAGIC;
	if (pass_fd >= 0) {
		msg.msg_control = &control;
		msg.msg_controllen = sizeof(control);
		control.head.cmsg_level = SOL_SOCKET;
		control.head.cmsg_type = SCM_RIGHTS;
		control.head.cmsg_len = CMSG_LEN(sizeof(int));
		__builtin_memcpy(
		    CMSG_DATA(&control.head), &pass_fd, sizeof(pass_fd));
	}
	do
		n = STUB_SYS(__NR_sendmsg, report_fd, &msg, MSG_NOSIGNAL);
	while (n == -4 /* EINTR */);
	return n < 0 ? (int)-n : 0;
}

void
stub_fail(int report_fd, enum wire_stage stage, int error, unsigned detail)
{
	struct wire_report report = {
	    .code = WIRE_REPORT_FAILED,
	    .stage = (uint16_t)stage,
	    .sys = error,
	    .detail = detail,
	};

	/* A host that is gone needs no report. */
	(void)stub_report(report_fd, &report, -1);
	stub_exit(STUB_EXIT_FAILED);
}
