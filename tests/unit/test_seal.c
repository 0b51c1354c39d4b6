/*
 * The seal's own parts, on this process and on forked ones.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf_common.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "child/seccomp.h"
#include "supervisor/sys.h"
#include "supervisor/sys_notify.h"

/* getppid is EDOM, everything else works. */
static const struct wire_plan_insn only_getppid[] = {
    {BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(struct seccomp_data, nr)},
    {BPF_JMP | BPF_JEQ | BPF_K, 0, 1, SYS_getppid},
    {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ERRNO | EDOM},
    {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW},
};

static const struct wire_plan plan = {
    .namespaces = 1,
    .insns = only_getppid,
    .insn_count = sizeof(only_getppid) / sizeof(only_getppid[0]),
};

/* getppid asks. */
static const struct wire_plan_insn getppid_asks[] = {
    {BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(struct seccomp_data, nr)},
    {BPF_JMP | BPF_JEQ | BPF_K, 0, 1, SYS_getppid},
    {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_USER_NOTIF},
    {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW},
};

static const struct wire_plan traced = {
    .namespaces = 1,
    .trace = 1,
    .insns = getppid_asks,
    .insn_count = sizeof(getppid_asks) / sizeof(getppid_asks[0]),
};

static pthread_barrier_t barrier;

static void *
ask_later(void *arg)
{
	int *answer = arg;

	(void)pthread_barrier_wait(&barrier);
	(void)pthread_barrier_wait(&barrier);
	*answer = syscall(SYS_getppid) < 0 ? errno : 0;
	return NULL;
}

/* In a forked process: the filter is for good. Exit status: what a thread is
 * told that was there before. */
static int
answer_of_an_older_thread(void)
{
	pthread_t thread;
	int answer = -1, listener;

	if (pthread_barrier_init(&barrier, NULL, 2) != 0 ||
	    pthread_create(&thread, NULL, ask_later, &answer) != 0)
		return 100;
	(void)pthread_barrier_wait(&barrier);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		return 101;
	if (stub_seccomp_apply(&plan, &listener) != 0)
		return 102;
	(void)pthread_barrier_wait(&barrier);
	(void)pthread_join(thread, NULL);
	return answer;
}

static void
t_the_filter_reaches_every_thread(void **state)
{
	int status;
	pid_t pid = fork();

	(void)state;
	assert_true(pid >= 0);
	if (pid == 0)
		_exit(answer_of_an_older_thread());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), EDOM);
}

/* Exit status: what the host answers, when all is as it should be. */
static int
ask(int channel_fd)
{
	int listener;

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		return 101;
	if (stub_seccomp_apply(&traced, &listener) != 0 || listener < 0)
		return 102;
	if ((fcntl(listener, F_GETFD) & FD_CLOEXEC) == 0)
		return 103;
	if (stub_seccomp_hand_over(channel_fd, listener) != 0)
		return 104;
	/* The host has the only one. */
	if (fcntl(listener, F_GETFD) != -1)
		return 105;
	return syscall(SYS_getppid, 1L, 2L, 3L, 4L, 5L, 6L) < 0 ? errno : 0;
}

/* Answers the next call; when nobody has made one, there is nothing. */
static void
answer(int listener, int error)
{
	struct sup_sys_asked asked;

	sup_sys_wait_readable(listener, -1);
	assert_true(sup_sys_notify_waits(listener));
	assert_int_equal(sup_sys_notify_take(listener, &asked), 0);
	assert_int_equal(asked.number, SYS_getppid);
	for (uint64_t i = 0; i < 6; i++)
		assert_int_equal(asked.args[i], i + 1);
	assert_false(sup_sys_notify_waits(listener));
	assert_int_equal(
	    sup_sys_notify_refuse(listener, asked.id + 1, error), -ENOENT);
	assert_int_equal(sup_sys_notify_refuse(listener, asked.id, error), 0);
	/* There is one answer. */
	assert_true(sup_sys_notify_refuse(listener, asked.id, error) < 0);
}

static void
t_the_listener_goes_to_the_host(void **state)
{
	/* An error of 0 would be no refusal: it is never said. */
	static const int errors[][2] = {{ENOSYS, ENOSYS}, {0, EPERM}};

	(void)state;
	assert_int_equal(sup_sys_notify_check(), 0);
	for (size_t i = 0; i < 2; i++) {
		int ends[2], listener, status;
		unsigned closed = 0;
		char line[16];
		pid_t pid;

		assert_int_equal(sup_sys_socketpair(SOCK_STREAM, ends), 0);
		pid = fork();
		assert_true(pid >= 0);
		if (pid == 0)
			_exit(ask(ends[1]));
		sup_sys_close(&ends[1]);
		sup_sys_wait_readable(ends[0], -1);
		assert_int_equal(sup_sys_recv(ends[0], line, sizeof(line),
				     &listener, &closed),
		    1);
		assert_int_equal(line[0], '\n');
		assert_true(listener >= 0);
		answer(listener, errors[i][0]);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_int_equal(status, errors[i][1] << 8);
		assert_false(sup_sys_notify_waits(listener));
		sup_sys_close(&listener);
		sup_sys_close(&ends[0]);
	}
}

static void
t_a_plan_cannot_be_changed(void **state)
{
	int fd = sup_sys_sealed("test", WIRE_LIT("abc"));

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, "x", 1, 0), -1);
	assert_int_equal(errno, EPERM);
	assert_int_equal(ftruncate(fd, 0), -1);
	assert_int_equal(ftruncate(fd, 100), -1);
	assert_int_equal(fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE), -1);
	sup_sys_close(&fd);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(t_the_filter_reaches_every_thread),
	    cmocka_unit_test(t_the_listener_goes_to_the_host),
	    cmocka_unit_test(t_a_plan_cannot_be_changed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
