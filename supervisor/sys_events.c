/*
 * Of sys.h: what an event loop waits for, clocks, and other processes.
 */
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "supervisor/sys.h"
#include "supervisor/sys_call.h"

int
sup_sys_epoll(void)
{
	return (int)SUP_CALL(epoll_create1(EPOLL_CLOEXEC));
}

int
sup_sys_epoll_ctl(int epoll_fd, int op, int fd, uint32_t events, void *data)
{
	struct epoll_event event = {.events = events, .data.ptr = data};

	return (int)SUP_CALL(epoll_ctl(epoll_fd, op, fd, &event));
}

int
sup_sys_epoll_wait(
    int epoll_fd, struct epoll_event *events, int max, int timeout_ms)
{
	return (int)SUP_CALL(epoll_wait(epoll_fd, events, max, timeout_ms));
}

int
sup_sys_eventfd(void)
{
	return (int)SUP_CALL(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
}

int
sup_sys_poll(struct pollfd *polled, size_t count, int timeout_ms)
{
	return (int)SUP_CALL(poll(polled, count, timeout_ms));
}

bool
sup_sys_is_readable(int fd)
{
	struct pollfd polled = {fd, POLLIN, 0};

	return SUP_CALL(poll(&polled, 1, 0)) > 0;
}

void
sup_sys_wait_readable(int fd, int timeout_ms)
{
	struct pollfd polled = {fd, POLLIN, 0};

	(void)sup_sys_poll(&polled, 1, timeout_ms);
}

void
sup_sys_shutdown(int fd)
{
	(void)shutdown(fd, SHUT_WR);
}

int
sup_sys_signalfd(const sigset_t *set)
{
	return (int)SUP_CALL(signalfd(-1, set, SFD_CLOEXEC | SFD_NONBLOCK));
}

int
sup_sys_timerfd(void)
{
	return (int)SUP_CALL(
	    timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK));
}

int
sup_sys_timerfd_set(int fd, uint64_t at_ns)
{
	struct itimerspec spec = {.it_value = {(time_t)(at_ns / 1000000000u),
				      (long)(at_ns % 1000000000u)}};

	return (int)SUP_CALL(
	    timerfd_settime(fd, TFD_TIMER_ABSTIME, &spec, NULL));
}

bool
sup_sys_timerfd_armed(int fd)
{
	struct itimerspec spec;

	if (SUP_CALL(timerfd_gettime(fd, &spec)) < 0)
		return false;
	return spec.it_value.tv_sec != 0 || spec.it_value.tv_nsec != 0;
}

uint64_t
sup_sys_now(void)
{
	struct timespec now = {0, 0};

	/* Cannot fail for this clock on any kernel that weir runs on. */
	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t
sup_sys_own_time(void)
{
	struct timespec used = {0, 0};

	(void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
	return (uint64_t)used.tv_sec * 1000000000u + (uint64_t)used.tv_nsec;
}

uint64_t
sup_sys_cpu_time(pid_t pid)
{
	struct timespec used = {0, 0};
	clockid_t clock;

	if (clock_getcpuclockid(pid, &clock) != 0 ||
	    clock_gettime(clock, &used) != 0)
		return 0;
	return (uint64_t)used.tv_sec * 1000000000u + (uint64_t)used.tv_nsec;
}

int
sup_sys_signal(int pidfd, pid_t pid, int signal)
{
	long r =
	    SUP_CALL(syscall(SYS_pidfd_send_signal, pidfd, signal, NULL, 0));

	if (r == -ENOSYS && pid > 0)
		r = SUP_CALL(kill(pid, signal));
	return (int)r;
}

/* P_PIDFD is an enumerator where the libc knows it: glibc 2.36. */
bool
sup_sys_is_process(pid_t pid)
{
	return kill(pid, 0) == 0 || errno != ESRCH;
}

int
sup_sys_reap(int pidfd, siginfo_t *ret_info)
{
	long r;

	memset(ret_info, 0, sizeof(*ret_info));
	r = SUP_CALL(
	    waitid(P_PIDFD, (id_t)pidfd, ret_info, WEXITED | WNOHANG | __WALL));
	if (r < 0)
		return (int)r;
	return ret_info->si_pid != 0 ? 1 : 0;
}

int
sup_sys_prlimit(pid_t pid, int resource, uint64_t *ret_soft, uint64_t *ret_hard)
{
	struct rlimit is;
	long r = SUP_CALL(prlimit(pid, resource, NULL, &is));

	if (r < 0)
		return (int)r;
	*ret_soft = is.rlim_cur;
	*ret_hard = is.rlim_max;
	return 0;
}

int
sup_sys_clone(
    int (*run)(void *), void *stack_top, int flags, void *arg, int *ret_pidfd)
{
	int pid = clone(run, stack_top, flags, arg, ret_pidfd);

	return pid < 0 ? -errno : pid;
}
