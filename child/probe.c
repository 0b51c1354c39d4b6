#include "child/probe.h"

#include <asm/fcntl.h>
#include <asm/poll.h>
#include <linux/errno.h>
#include <linux/fcntl.h>
#include <linux/prctl.h>
#include <linux/sched.h>

#include "child/limits.h"
#include "child/sys.h"

#define AF_INET_      2
#define AF_INET6_     10
#define SOCK_STREAM_  1
#define SOCK_CLOEXEC_ 02000000
/* Descriptors are looked for up to here, so many at a time. */
#define FDS_SCANNED 1024
#define FDS_AT_ONCE 256

static uint32_t
errno_of(long r)
{
	return r < 0 ? (uint32_t)-r : 0;
}

static uint32_t
try_open(const char *path)
{
	long fd = STUB_SYS(
	    __NR_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0);

	if (fd >= 0)
		STUB_SYS(__NR_close, fd);
	return errno_of(fd);
}

static uint32_t
try_socket(int family)
{
	long fd =
	    STUB_SYS(__NR_socket, family, SOCK_STREAM_ | SOCK_CLOEXEC_, 0);

	if (fd >= 0)
		STUB_SYS(__NR_close, fd);
	return errno_of(fd);
}

/*
 * A fork that the kernel refuses with EINVAL whoever asks (CLONE_SIGHAND
 * needs CLONE_VM, clone(2)): EPERM proves that the filter answered.
 */
static uint32_t
try_fork(void)
{
	return errno_of(STUB_SYS(__NR_clone, CLONE_SIGHAND | 17, 0, 0, 0, 0));
}

void
stub_probe_before(const struct wire_plan *plan, struct wire_ready *ready)
{
	ready->canary_count = plan->canary_count;
	for (size_t i = 0; i < plan->canary_count; i++)
		ready->canary_before[i] = try_open(plan->canaries[i]);
}

/*
 * poll(2) tells which descriptors are open: POLLNVAL marks the others. It
 * takes no more of them at once than RLIMIT_NOFILE, but of any number, so
 * that one above the limit is found as well.
 */
static int
scan_fds(struct wire_ready *ready)
{
	struct pollfd fds[FDS_AT_ONCE];
	uint64_t step = ready->soft[WIRE_LIMIT_NOFILE];

	if (step > FDS_AT_ONCE)
		step = FDS_AT_ONCE;
	ready->fd_count = 0;
	for (uint32_t first = 0; step > 0 && first < FDS_SCANNED;
	     first += (uint32_t)step) {
		/* struct timespec of zero; what is left is written back */
		uint64_t at_once[2] = {0, 0};
		long r;

		for (uint32_t i = 0; i < step; i++)
			fds[i] = (struct pollfd){(int)(first + i), 0, 0};
		r = STUB_SYS(__NR_ppoll, fds, step, at_once, 0, 0);
		if (r < 0)
			return (int)-r;
		for (uint32_t i = 0; i < step; i++)
			if ((fds[i].revents & POLLNVAL) == 0 &&
			    ready->fd_count < WIRE_READY_MAX_FDS)
				ready->fds[ready->fd_count++] = first + i;
	}
	return 0;
}

static uint32_t
query(int option)
{
	long r = STUB_SYS(__NR_prctl, option, 0, 0, 0, 0);

	return r < 0 ? 0 : (uint32_t)r;
}

int
stub_probe_after(const struct wire_plan *plan, struct wire_ready *ready)
{
	int error = stub_limits_read(ready->soft, ready->hard);

	if (error != 0)
		return error;
	for (size_t i = 0; i < plan->canary_count; i++)
		ready->canary_after[i] = try_open(plan->canaries[i]);
	ready->inet_errno = try_socket(AF_INET_);
	ready->inet6_errno = try_socket(AF_INET6_);
	ready->fork_errno = try_fork();
	ready->pid = (uint32_t)STUB_SYS(__NR_getpid);
	ready->uid = (uint32_t)STUB_SYS(__NR_getuid);
	ready->gid = (uint32_t)STUB_SYS(__NR_getgid);
	ready->no_new_privs = query(PR_GET_NO_NEW_PRIVS);
	ready->dumpable = query(PR_GET_DUMPABLE);
	ready->seccomp = query(PR_GET_SECCOMP);
	return scan_fds(ready);
}
