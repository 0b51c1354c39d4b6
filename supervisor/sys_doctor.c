#include "supervisor/sys_doctor.h"

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

long
sup_sys_raw(long number, const long arguments[6])
{
	long r = syscall(number, arguments[0], arguments[1], arguments[2],
	    arguments[3], arguments[4], arguments[5]);

	return r == -1 ? -errno : r;
}

pid_t
sup_sys_fork(void)
{
	pid_t pid = fork();

	return pid < 0 ? -errno : pid;
}

pid_t
sup_sys_wait(pid_t pid, int *ret_status, int options)
{
	pid_t r;

	do
		r = waitpid(pid, ret_status, options);
	while (r < 0 && errno == EINTR);
	return r < 0 ? -errno : r;
}

int
sup_sys_kill(pid_t pid, int signal)
{
	return kill(pid, signal) < 0 ? -errno : 0;
}

int
sup_sys_setrlimit(int resource, uint64_t soft, uint64_t hard)
{
	const struct rlimit limit = {soft, hard};

	return setrlimit(resource, &limit) < 0 ? -errno : 0;
}
