#include "supervisor/sys_notify.h"

#include <errno.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* KERNEL: a newer one may write more than these headers know; it says how
 * much (seccomp(2), SECCOMP_GET_NOTIF_SIZES). */
#define ROOM 1024

/* Not by ioctl(3), whose commands are an int in musl. */
static long
command(int listener_fd, unsigned long what, void *arg)
{
	return syscall(SYS_ioctl, listener_fd, what, arg);
}

int
sup_sys_notify_check(void)
{
	struct seccomp_notif_sizes sizes;

	if (syscall(SYS_seccomp, SECCOMP_GET_NOTIF_SIZES, 0, &sizes) < 0)
		return -errno;
	if (sizes.seccomp_notif > ROOM || sizes.seccomp_notif_resp > ROOM ||
	    sizes.seccomp_data < sizeof(struct seccomp_data))
		return -EOVERFLOW;
	return 0;
}

bool
sup_sys_notify_waits(int listener_fd)
{
	struct pollfd polled = {listener_fd, POLLIN, 0};

	return poll(&polled, 1, 0) == 1 && (polled.revents & POLLIN) != 0;
}

int
sup_sys_notify_take(int listener_fd, struct sup_sys_asked *ret_asked)
{
	union {
		struct seccomp_notif notice;
		char room[ROOM];
	} in;
	long r;

	/* KERNEL: it wants zeros, so also when it is asked again. */
	do {
		memset(&in, 0, sizeof(in));
		r = command(listener_fd, SECCOMP_IOCTL_NOTIF_RECV, &in);
	} while (r < 0 && errno == EINTR);
	if (r < 0)
		return -errno;
	ret_asked->id = in.notice.id;
	ret_asked->number = (uint32_t)in.notice.data.nr;
	for (size_t i = 0; i < 6; i++)
		ret_asked->args[i] = in.notice.data.args[i];
	return 0;
}

int
sup_sys_notify_refuse(int listener_fd, uint64_t id, int error)
{
	union {
		struct seccomp_notif_resp answer;
		char room[ROOM];
	} out;
	long r;

	memset(&out, 0, sizeof(out));
	out.answer.id = id;
	/*
	 * SECURITY: no flags, so never SECCOMP_USER_NOTIF_FLAG_CONTINUE: the
	 * call would be carried out, with arguments that may have changed
	 * since they were looked at. An error is all that is ever answered.
	 */
	out.answer.flags = 0;
	out.answer.error = error > 0 ? -error : -EPERM;
	do
		r = command(listener_fd, SECCOMP_IOCTL_NOTIF_SEND, &out);
	while (r < 0 && errno == EINTR);
	return r < 0 ? -errno : 0;
}
