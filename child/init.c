/*
 * Process 1: reaps, watches the host, reports how process 2 ended.
 *
 * It holds nothing that the program could want: no capability, no memory of
 * the host, not dumpable, only the report socket. When it ends the kernel
 * ends everything else in the namespace (pid_namespaces(7)).
 */
#include <asm/poll.h>
#include <asm/resource.h>
#include <linux/errno.h>
#include <linux/resource.h>
#include <linux/signalfd.h>
#include <linux/time_types.h>

#include "child/stub.h"
#include "child/sys.h"

#define SIGCHLD_ 17
#define WNOHANG_ 1
#define WALL_	 0x40000000

static uint64_t
microseconds(long sec, long usec)
{
	return (uint64_t)sec * 1000000u + (uint64_t)usec;
}

/*
 * KERNEL: when the soft CPU limit is reached, the kernel raises it by a second
 * with the signal that it sends (kernel/time/posix-cpu-timers.c). The filter
 * lets nobody inside set a limit, so a raised one proves whose signal it was;
 * the measured time does not, since it leaves out what a virtual machine's
 * host took.
 */
static uint32_t
soft_cpu_limit(int pid)
{
	struct rlimit64 now = {0, 0};

	/* Good for one that has ended, too, until it is waited for. */
	(void)STUB_SYS(__NR_prlimit64, pid, RLIMIT_CPU, 0, &now);
	return now.rlim_cur > UINT32_MAX ? UINT32_MAX : (uint32_t)now.rlim_cur;
}

/*
 * Collects every child that has ended. Process 2's end is the end of the
 * execution (S3): it is reported, and then process 1 ends too, which takes
 * whatever else lives in the namespace along.
 */
static void
reap(int report_fd, int pid2)
{
	int status = 0;
	struct rusage usage;

	for (;;) {
		struct wire_report report = {.code = WIRE_REPORT_EXITED};
		long pid;

		__builtin_memset(&usage, 0, sizeof(usage));
		report.detail = soft_cpu_limit(pid2);
		pid =
		    STUB_SYS(__NR_wait4, -1, &status, WNOHANG_ | WALL_, &usage);
		if (pid <= 0)
			return;
		if (pid != pid2)
			continue;
		report.wait_status = status;
		report.user_us =
		    microseconds(usage.ru_utime.tv_sec, usage.ru_utime.tv_usec);
		report.system_us =
		    microseconds(usage.ru_stime.tv_sec, usage.ru_stime.tv_usec);
		report.max_rss_kb = (uint64_t)usage.ru_maxrss;
		stub_exit(stub_report(report_fd, &report, -1) == 0
			? 0
			: STUB_EXIT_FAILED);
	}
}

void
stub_init_loop(int report_fd, int pid2)
{
	uint64_t mask = 1ULL << (SIGCHLD_ - 1);
	struct signalfd_siginfo info;
	struct pollfd polled[2];
	long signal_fd;

	signal_fd =
	    STUB_SYS(__NR_signalfd4, -1, &mask, 8, SFD_CLOEXEC | SFD_NONBLOCK);
	if (signal_fd < 0)
		stub_fail(report_fd, WIRE_STAGE_FORK, (int)-signal_fd, 0);
	polled[0] = (struct pollfd){report_fd, POLLIN, 0};
	polled[1] = (struct pollfd){(int)signal_fd, POLLIN, 0};
	for (;;) {
		long n = STUB_SYS(__NR_ppoll, polled, 2, 0, 0, 8);

		if (n < 0 && n != -EINTR)
			stub_exit(STUB_EXIT_FAILED);
		/*
		 * SECURITY: the lifeline. Nothing is ever sent to us after
		 * the go, so any event means that the host is gone or wants
		 * the end.
		 */
		if (polled[0].revents != 0)
			stub_exit(0);
		if (polled[1].revents == 0)
			continue;
		(void)STUB_SYS(__NR_read, signal_fd, &info, sizeof(info));
		reap(report_fd, pid2);
	}
}
