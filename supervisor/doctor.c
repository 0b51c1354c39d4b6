#include "supervisor/doctor.h"

#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "supervisor/doctor_steps.h"
#include "supervisor/sys.h"
#include "supervisor/sys_doctor.h"

/* A step takes milliseconds; more is a host on which something hangs. */
#define ANSWER_NS (10ULL * 1000000000)
#define END_NS	  (1ULL * 1000000000)

/* --- the table ------------------------------------------------------------ */

#define BIT(name) SUP_DOCTOR_BIT(SUP_DOCTOR_##name)
#define IN_USER	  BIT(USER_NAMESPACE)
#define MAPPED	  (IN_USER | BIT(ID_MAPS))
#define MOUNTING  (MAPPED | BIT(MOUNT_NAMESPACE))

static const char *const words[] = {
#define X(name, word) [SUP_DOCTOR_##name] = word,
    SUP_DOCTOR_STEPS(X)
#undef X
};

static const struct sup_doctor_spec specs[SUP_DOCTOR_COUNT] = {
    [SUP_DOCTOR_PROC] = {"/proc is mounted and shows this process",
	{"isolated", "process", "filesystem", "identity", "file_size"}, 0,
	sup_step_proc},
    [SUP_DOCTOR_INTERPRETER] = {"a Python interpreter is installed",
	{"isolated", "process"}, 0, sup_step_interpreter},
    [SUP_DOCTOR_USER_NAMESPACE] = {"a user namespace can be made",
	{"isolated", "filesystem", "network", "process_tree", "identity"}, 0,
	sup_step_user_namespace},
    [SUP_DOCTOR_ID_MAPS] = {"ids that are not root's can be mapped into it",
	{"isolated", "identity", "process_count"}, BIT(PROC) | IN_USER,
	sup_step_id_maps},
    [SUP_DOCTOR_PID_NAMESPACE] = {"in it, a PID namespace",
	{"isolated", "process_tree"}, IN_USER, sup_step_pid_namespace},
    [SUP_DOCTOR_MOUNT_NAMESPACE] = {"in it, a mount namespace",
	{"isolated", "filesystem"}, IN_USER, sup_step_mount_namespace},
    [SUP_DOCTOR_NETWORK_NAMESPACE] = {"in it, a network namespace",
	{"isolated", "network"}, IN_USER, sup_step_network_namespace},
    [SUP_DOCTOR_NETWORK_LINKS] = {"in it, that nothing is connected is seen",
	{"isolated", "network"}, IN_USER | BIT(NETWORK_NAMESPACE),
	sup_step_network_links},
    [SUP_DOCTOR_IPC_NAMESPACE] = {"in it, an IPC namespace", {"isolated"},
	IN_USER, sup_step_ipc_namespace},
    [SUP_DOCTOR_UTS_NAMESPACE] = {"in it, a UTS namespace", {"isolated"},
	IN_USER, sup_step_uts_namespace},
    [SUP_DOCTOR_CGROUP_NAMESPACE] = {"in it, a cgroup namespace", {"isolated"},
	IN_USER, sup_step_cgroup_namespace},
    [SUP_DOCTOR_PROPAGATION] = {"mounts can be cut off from the host's",
	{"isolated", "filesystem"}, MOUNTING, sup_step_propagation},
    [SUP_DOCTOR_TMPFS] = {"a sized filesystem in memory",
	{"isolated", "filesystem", "memory"}, MOUNTING, sup_step_tmpfs},
    [SUP_DOCTOR_BIND_MOUNT] = {"the host's /usr can be shown read-only",
	{"isolated", "filesystem"}, MOUNTING, sup_step_bind_mount},
    [SUP_DOCTOR_PIVOT_ROOT] = {"the host's root can be let go",
	{"isolated", "filesystem"}, MOUNTING, sup_step_pivot_root},
    [SUP_DOCTOR_CAPABILITIES] = {"all capabilities can be given up",
	{"isolated", "identity"}, MAPPED, sup_step_capabilities},
    [SUP_DOCTOR_NO_NEW_PRIVS] = {"new privileges can be refused",
	{"isolated", "process", "identity"}, 0, sup_step_no_new_privs},
    [SUP_DOCTOR_SECCOMP] = {"a system-call filter holds",
	{"isolated", "process", "network", "process_count", "cpu", "memory"},
	BIT(NO_NEW_PRIVS), sup_step_seccomp},
    [SUP_DOCTOR_LANDLOCK] = {"Landlock holds", {"process", "filesystem"},
	BIT(NO_NEW_PRIVS), sup_step_landlock},
    [SUP_DOCTOR_LANDLOCK_ABI] = {"Landlock alone can be the boundary",
	{"process"}, BIT(NO_NEW_PRIVS) | BIT(LANDLOCK), sup_step_landlock_abi},
    [SUP_DOCTOR_SUBREAPER] = {"orphans can be taken in",
	{"process", "process_tree"}, 0, sup_step_subreaper},
    [SUP_DOCTOR_WORKSPACE_BASE] = {"workspaces find room on disk", {"process"},
	0, sup_step_workspace_base},
    [SUP_DOCTOR_PIDFD] = {"processes can be held by descriptors",
	{"isolated", "process", "process_tree"}, 0, sup_step_pidfd},
    [SUP_DOCTOR_CLOSE_RANGE] = {"descriptors can be closed by range",
	{"isolated", "process"}, 0, sup_step_close_range},
    [SUP_DOCTOR_MEMFD] = {"files in memory can be sealed",
	{"isolated", "process"}, 0, sup_step_memfd},
    [SUP_DOCTOR_RLIMITS] = {"resource limits can be lowered",
	{"isolated", "process", "cpu", "memory", "file_size", "process_count"},
	0, sup_step_rlimits},
    [SUP_DOCTOR_TIMERFD] = {"a timer can be armed",
	{"isolated", "process", "wall_clock"}, 0, sup_step_timerfd},
    [SUP_DOCTOR_EPOLL] = {"events can be waited for", {"isolated", "process"},
	0, sup_step_epoll},
    [SUP_DOCTOR_SOCKETPAIR] = {"connected sockets can be made",
	{"isolated", "process"}, 0, sup_step_socketpair},
    [SUP_DOCTOR_UNLINKED_FILE] = {"large tool results find room on disk",
	{"tools"}, 0, sup_step_unlinked_file},
    [SUP_DOCTOR_MEMORY_CGROUP] = {"a cgroup can be made that limits memory",
	{"memory"}, 0, sup_step_memory_cgroup},
    [SUP_DOCTOR_MEMORY_WATCH] = {"a process's memory can be watched",
	{"memory"}, BIT(PROC), sup_step_memory_watch},
    [SUP_DOCTOR_EXECUTION] = {"a program was run, and graded", {"isolated"},
	BIT(PROC) | BIT(INTERPRETER), NULL},
};

const char *
sup_doctor_word(enum sup_doctor_step step)
{
	return words[step];
}

const struct sup_doctor_spec *
sup_doctor_spec(enum sup_doctor_step step)
{
	return &specs[step];
}

bool
sup_doctor_is_required(enum sup_doctor_step step)
{
	return strcmp(specs[step].needed_for[0], "isolated") == 0;
}

enum sup_doctor_step
sup_doctor_missing(enum sup_doctor_step step, uint64_t failed)
{
	uint64_t missing = specs[step].needs & failed;

	for (unsigned i = 0; i < SUP_DOCTOR_COUNT; i++)
		if ((missing & SUP_DOCTOR_BIT(i)) != 0)
			return (enum sup_doctor_step)i;
	return SUP_DOCTOR_COUNT;
}

/* --- in the child --------------------------------------------------------- */

void
sup_doctor_note(struct sup_doctor_try *attempt, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	(void)vsnprintf(attempt->answer.detail, sizeof(attempt->answer.detail),
	    format, args);
	va_end(args);
}

void
sup_doctor_see(struct sup_doctor_try *attempt, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	(void)vsnprintf(attempt->answer.detail, sizeof(attempt->answer.detail),
	    format, args);
	va_end(args);
	attempt->seen = true;
}

void
sup_doctor_reply(struct sup_doctor_try *attempt, int result)
{
	struct sup_doctor_answer *answer = &attempt->answer;

	answer->error = result < 0 ? -result : result;
	if (result == 0 && !attempt->seen)
		answer->detail[0] = '\0';
	/* In one piece, since it is shorter than PIPE_BUF (pipe(7)). */
	(void)sup_sys_write(attempt->answer_fd, answer, sizeof(*answer));
	_exit(0);
}

void
sup_doctor_die_with(pid_t parent)
{
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	/* It may have died before, and then no signal comes. */
	if (getppid() != parent)
		_exit(1);
}

__attribute__((noreturn)) static void
child(enum sup_doctor_step step, struct sup_doctor_try *attempt, pid_t parent)
{
	/* Nothing outlives the command, whatever a step hangs in. */
	sup_doctor_die_with(parent);
	sup_doctor_reply(attempt, specs[step].attempt(attempt));
}

/* --- in the command ------------------------------------------------------- */

/*
 * Reads until all who could answer are gone, or the deadline. False: late.
 * Not by a pidfd: whether there are such is one of the questions.
 */
static bool
hear(int fd, uint64_t deadline, struct sup_doctor_answer *answer)
{
	struct sup_doctor_answer got;
	ssize_t n;

	for (;;) {
		struct pollfd polled = {fd, POLLIN, 0};
		uint64_t now = sup_sys_now();

		if (now >= deadline ||
		    sup_sys_poll(
			&polled, 1, (int)((deadline - now) / 1000000) + 1) <= 0)
			return false;
		n = sup_sys_read(fd, &got, sizeof(got));
		if (n <= 0)
			return true;
		if ((size_t)n == sizeof(got))
			*answer = got;
	}
}

static void
watch(pid_t pid, int fd, struct sup_doctor_answer *answer)
{
	int status = 0;
	bool over = hear(fd, sup_sys_now() + ANSWER_NS, answer);

	if (!over) {
		*answer = (struct sup_doctor_answer){.error = SUP_DOCTOR_LATE};
		(void)sup_sys_kill(pid, SIGKILL);
		over = hear(
		    fd, sup_sys_now() + END_NS, &(struct sup_doctor_answer){0});
	}
	/* One that even SIGKILL does not end now is left to init. */
	if (sup_sys_wait(pid, &status, over ? 0 : WNOHANG) == pid &&
	    WIFSIGNALED(status) && answer->error == SUP_DOCTOR_KILLED)
		answer->signal = WTERMSIG(status);
}

int
sup_doctor_attempt(enum sup_doctor_step step, struct sup_doctor_try *attempt,
    struct sup_doctor_answer *ret_answer)
{
	struct sup_doctor_answer answer = {.error = SUP_DOCTOR_KILLED};
	int ends[2], r;
	pid_t self = getpid(), pid;

	r = sup_sys_pipe(ends);
	if (r < 0)
		return r;
	attempt->seen = false;
	memset(&attempt->answer, 0, sizeof(attempt->answer));
	attempt->answer_fd = ends[1];
	pid = sup_sys_fork();
	if (pid == 0)
		child(step, attempt, self);
	sup_sys_close(&ends[1]);
	attempt->answer_fd = -1;
	if (pid > 0)
		watch(pid, ends[0], &answer);
	sup_sys_close(&ends[0]);
	if (pid < 0)
		return pid;
	answer.detail[SUP_DOCTOR_DETAIL - 1] = '\0';
	*ret_answer = answer;
	return 0;
}
