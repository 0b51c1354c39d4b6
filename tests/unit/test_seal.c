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
	int answer = -1;

	if (pthread_barrier_init(&barrier, NULL, 2) != 0 ||
	    pthread_create(&thread, NULL, ask_later, &answer) != 0)
		return 100;
	(void)pthread_barrier_wait(&barrier);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		return 101;
	if (stub_seccomp_apply(&plan) != 0)
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
	    cmocka_unit_test(t_a_plan_cannot_be_changed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
