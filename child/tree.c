/*
 * Ending a tree of processes whose subreaper, or process 1, is the caller.
 */
#include <asm/fcntl.h>
#include <linux/errno.h>
#include <linux/fcntl.h>
#include <linux/prctl.h>

#include "child/stub.h"
#include "child/sys.h"

#define SIGKILL_ 9
#define WNOHANG_ 1
#define WALL_	 0x40000000

/*
 * SECURITY: whatever outlives its parent comes to the caller, and is met by
 * stub_tree_end. prctl(2), PR_SET_CHILD_SUBREAPER.
 */
int
stub_subreaper_become(void)
{
	long r = STUB_SYS(__NR_prctl, PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);

	return r < 0 ? (int)-r : 0;
}

bool
stub_subreaper_is(void)
{
	int is = 0;

	return STUB_SYS(__NR_prctl, PR_GET_CHILD_SUBREAPER, &is, 0, 0, 0) ==
	    0 &&
	    is == 1;
}

/*
 * SIGKILL to every child. Grandchildren follow: as their parents die they
 * become children of this subreaper, and the next round meets them.
 * proc(5), /proc/PID/task/TID/children.
 */
static bool
kill_children(bool alone)
{
	char buf[4096];
	long pid = 0, n, fd;
	bool any = false;

	/*
	 * In a PID namespace of its own the numbers in the host's /proc are
	 * others; there is nobody else in it. With a uid of its own likewise,
	 * and all at once: a tree may fork faster than its members are found.
	 */
	if (alone || STUB_SYS(__NR_getpid) == 1)
		return STUB_SYS(__NR_kill, -1, SIGKILL_) == 0;
	fd = STUB_SYS(__NR_openat, AT_FDCWD, "/proc/thread-self/children",
	    O_RDONLY | O_CLOEXEC, 0);
	if (fd < 0)
		return false;
	while ((n = STUB_SYS(__NR_read, fd, buf, sizeof(buf))) > 0) {
		for (long i = 0; i < n; i++) {
			if (buf[i] >= '0' && buf[i] <= '9') {
				pid = pid * 10 + (buf[i] - '0');
				continue;
			}
			if (pid > 1) {
				(void)STUB_SYS(__NR_kill, pid, SIGKILL_);
				any = true;
			}
			pid = 0;
		}
	}
	STUB_SYS(__NR_close, fd);
	return any;
}

void
stub_tree_end(long first, bool alone)
{
	for (;;) {
		/* Without /proc at least the first one's own group goes. */
		if (!kill_children(alone) && first > 1) {
			(void)STUB_SYS(__NR_kill, -first, SIGKILL_);
			(void)STUB_SYS(__NR_kill, first, SIGKILL_);
		}
		if (STUB_SYS(__NR_wait4, -1, 0, WALL_, 0) == -ECHILD)
			return;
		while (STUB_SYS(__NR_wait4, -1, 0, WALL_ | WNOHANG_, 0) > 0)
			;
	}
}
