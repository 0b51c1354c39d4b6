/*
 * Process 1: reaps, watches the host, reports how process 2 ended.
 *
 * It holds nothing that the program could want: no capability, no memory of
 * the host, not dumpable, only the report socket and, on the host's root, the
 * workspace. In a PID namespace of its own its end is the end of everything
 * else in there (pid_namespaces(7)); without one it is the subreaper and ends
 * the others itself.
 */
#include <asm/fcntl.h>
#include <asm/poll.h>
#include <asm/resource.h>
#include <asm/stat.h>
#include <linux/errno.h>
#include <linux/fcntl.h>
#include <linux/resource.h>
#include <linux/signalfd.h>
#include <linux/time_types.h>

#include "child/stub.h"
#include "child/sys.h"

#define SIGCHLD_ 17
#define SIGKILL_ 9
#define WNOHANG_ 1
#define WALL_	 0x40000000

#define CLOCK_MONOTONIC_ 1
/* How often what is only watched is looked at. */
#define LOOK_EVERY_MS 100

static uint64_t
microseconds(long sec, long usec)
{
	return (uint64_t)sec * 1000000u + (uint64_t)usec;
}

static uint64_t
monotonic_ms(void)
{
	struct __kernel_timespec now = {0, 0};

	(void)STUB_SYS(__NR_clock_gettime, CLOCK_MONOTONIC_, &now);
	return (uint64_t)now.tv_sec * 1000u + (uint64_t)now.tv_nsec / 1000000u;
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

/* What process 1 watches over. */
struct watch {
	const struct wire_plan *plan;
	int report_fd;
	int pid2;
	struct wire_report ended; /* code is set when process 2 has ended */
};

/* Waits for process 2, or for whatever has ended; false when nothing has. */
static bool
wait_one(struct watch *w, int pid, int flags)
{
	uint32_t soft = soft_cpu_limit(w->pid2);
	struct rusage usage;
	int status = 0;
	long r;

	__builtin_memset(&usage, 0, sizeof(usage));
	r = STUB_SYS(__NR_wait4, pid, &status, flags | WALL_, &usage);
	/* Of a tree all that has been waited for, orphans included. */
	if (r == w->pid2 && w->plan->processes > 0)
		(void)STUB_SYS(__NR_getrusage, RUSAGE_CHILDREN, &usage);
	if (r == w->pid2)
		w->ended = (struct wire_report){
		    .code = WIRE_REPORT_EXITED,
		    .wait_status = status,
		    .user_us = microseconds(
			usage.ru_utime.tv_sec, usage.ru_utime.tv_usec),
		    .system_us = microseconds(
			usage.ru_stime.tv_sec, usage.ru_stime.tv_usec),
		    .max_rss_kb = (uint64_t)usage.ru_maxrss,
		    .detail = soft,
		};
	return r > 0;
}

/*
 * The end of everything. In a root of its own the kernel does it: with process
 * 1 its namespaces go, and the workspace with them. On the host's root process
 * 1 has to see the tree empty itself, and to clear what was written.
 */
__attribute__((noreturn)) static void
end(struct watch *w)
{
	const struct wire_plan *plan = w->plan;
	int status = 0;

	if (plan->backend == WIRE_BACKEND_ISOLATED) {
		if (w->ended.code != 0)
			status = stub_report(w->report_fd, &w->ended, -1);
		stub_exit(status == 0 ? 0 : STUB_EXIT_FAILED);
	}
	if (w->ended.code == 0) {
		(void)STUB_SYS(__NR_kill, w->pid2, SIGKILL_);
		while (w->ended.code == 0 && wait_one(w, w->pid2, 0))
			;
	}
	stub_tree_end(w->pid2,
	    plan->processes > 0 && plan->by_pid &&
		stub_ids_are_alone(
		    plan->uid + (uint32_t)STUB_SYS(__NR_getpid)));
	/* A host that is gone needs no report. */
	(void)stub_report(w->report_fd, &w->ended, -1);
	stub_workspace_clear(STUB_FD_WORKSPACE);
	stub_workspace_remove(plan);
	stub_exit(0);
}

/* Collects every child that has ended. Process 2's end is the end of the
 * execution (S3), whatever else lives. */
static void
reap(struct watch *w)
{
	while (wait_one(w, -1, WNOHANG_))
		if (w->ended.code != 0)
			end(w);
}

/* The tasks of process 2: proc(5) gives its task directory one link for each,
 * and two of its own. */
static bool
has_too_many_threads(const struct watch *w)
{
	char path[40] = "/proc/";
	struct stat st;

	if (w->plan->threads == 0)
		return false;
	stub_put_decimal(path + 6, (uint64_t)w->pid2);
	__builtin_memcpy(path + stub_strlen(path), "/task", 6);
	return STUB_SYS(__NR_newfstatat, AT_FDCWD, path, &st, 0) >= 0 &&
	    (uint64_t)st.st_nlink > (uint64_t)w->plan->threads + 2;
}

/* Whether something is beyond its limit, and what. */
static bool
is_exceeded(const struct watch *w, uint32_t *ret_what)
{
	const struct wire_plan *plan = w->plan;
	struct stub_usage usage;

	*ret_what = WIRE_EXCEEDED_THREADS;
	if (has_too_many_threads(w))
		return true;
	stub_workspace_measure(plan, w->report_fd, &usage);
	*ret_what = WIRE_EXCEEDED_BYTES;
	if (usage.bytes > plan->workspace_bytes)
		return true;
	*ret_what = WIRE_EXCEEDED_INODES;
	if (usage.inodes > plan->workspace_inodes)
		return true;
	*ret_what = WIRE_EXCEEDED_HIDDEN;
	return usage.hidden;
}

/*
 * On the host's root the kernel limits each file and not their sum, and not
 * the threads of one who shares a uid with others: these are watched (C3,
 * C16). Returns when the next look is due.
 */
static uint64_t
look(struct watch *w)
{
	struct wire_report report = {.code = WIRE_REPORT_EXCEEDED};
	uint64_t before = monotonic_ms(), after, took;

	if (is_exceeded(w, &report.detail)) {
		(void)stub_report(w->report_fd, &report, -1);
		end(w);
	}
	after = monotonic_ms();
	/* A tenth of one CPU at most. */
	took = (after - before) * 10;
	return after + (took > LOOK_EVERY_MS ? took : LOOK_EVERY_MS);
}

static void
wait_for_event(struct pollfd *polled, uint64_t until_ms, bool forever)
{
	uint64_t now = forever ? 0 : monotonic_ms();
	uint64_t ms = until_ms > now ? until_ms - now : 0;
	struct __kernel_timespec timeout = {
	    (long long)(ms / 1000), (long long)(ms % 1000) * 1000000};
	long n = STUB_SYS(
	    __NR_ppoll, polled, 2, forever ? (void *)0 : &timeout, 0, 8);

	if (n < 0 && n != -EINTR)
		stub_exit(STUB_EXIT_FAILED);
	if (n <= 0)
		polled[0].revents = polled[1].revents = 0;
}

void
stub_init_loop(int report_fd, int pid2, const struct wire_plan *plan)
{
	struct watch w = {.plan = plan, .report_fd = report_fd, .pid2 = pid2};
	bool watched = plan->backend == WIRE_BACKEND_PROCESS;
	uint64_t mask = 1ULL << (SIGCHLD_ - 1);
	uint64_t look_ms = watched ? monotonic_ms() + LOOK_EVERY_MS : 0;
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
		wait_for_event(polled, look_ms, !watched);
		/*
		 * SECURITY: the lifeline. Nothing is ever sent to us after
		 * the go, so any event means that the host is gone or wants
		 * the end.
		 */
		if (polled[0].revents != 0)
			end(&w);
		if (polled[1].revents != 0) {
			(void)STUB_SYS(
			    __NR_read, signal_fd, &info, sizeof(info));
			reap(&w);
		}
		/* SECURITY: at its time, whatever else there is: a program
		 * that stops and goes on, or whose children end, makes events
		 * as often as it likes. */
		if (watched && monotonic_ms() >= look_ms)
			look_ms = look(&w);
	}
}
