#include "bindings/provider_command.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* cmocka wants the headers above it first */
#include <cmocka.h>

#include "bindings/command_next.h"
#include "bindings/command_verdict.h"
#include "tests/unit/guard_role.h"
#include "tests/unit/poll_loop.h"

/* Nothing here takes longer unless it hangs. */
#define PATIENCE_MS 60000

static char guardian[4096];
static const char *environment[] = {"HOME=/home/x", "PATH=/usr/bin:/bin",
    "LANG=C", "SECRET=1", "PATHOLOGICAL=2", NULL};

struct probe {
	struct bind_job job;
	struct poll_loop loop;
	struct bind_command *command;
	int done, gone;
	enum wire_tool_kind kind;
	bool end_seen;
	uint8_t *value;
	size_t value_len;
	char message[BIND_MESSAGE_MAX + 1];
};

static void
on_done(struct bind_job *job, const struct bind_outcome *outcome)
{
	struct probe *p = (struct probe *)(void *)job;

	assert_int_equal(p->done++, 0);
	assert_int_equal(p->gone, 0);
	p->kind = outcome->kind;
	p->end_seen = outcome->end_seen;
	p->value_len = outcome->value.len;
	p->value = malloc(p->value_len + 1);
	assert_non_null(p->value);
	if (p->value_len > 0)
		memcpy(p->value, outcome->value.p, p->value_len);
	p->value[p->value_len] = '\0';
	assert_in_range(outcome->message.len, 0, BIND_MESSAGE_MAX);
	if (outcome->message.len > 0)
		memcpy(p->message, outcome->message.p, outcome->message.len);
	p->message[outcome->message.len] = '\0';
}

static void
on_gone(struct bind_job *job)
{
	struct probe *p = (struct probe *)(void *)job;

	assert_int_equal(p->done, 1);
	assert_int_equal(p->gone++, 0);
	assert_int_equal(p->loop.count, 0);
}

static size_t
count_fds(void)
{
	DIR *dir = opendir("/proc/self/fd");
	size_t n = 0;

	assert_non_null(dir);
	while (readdir(dir) != NULL)
		n++;
	(void)closedir(dir);
	return n;
}

static size_t fds_before;

static int
set_up(void **state)
{
	struct probe *p = calloc(1, sizeof(*p));

	if (p == NULL)
		return -1;
	poll_loop_init(&p->loop);
	p->job.id = 1;
	p->job.tool = WIRE_LIT("tool");
	p->job.arguments = WIRE_LIT("{\"a\":1}");
	p->job.result_max = 1000;
	p->job.over = WIRE_TOOL_RESULT_TOO_LARGE;
	p->job.loop = &p->loop.loop;
	p->job.done = on_done;
	p->job.gone = on_gone;
	fds_before = count_fds();
	*state = p;
	return 0;
}

/* Every test ends with everything closed, and with no child. */
static int
tear_down(void **state)
{
	struct probe *p = *state;

	assert_int_equal(count_fds(), fds_before);
	assert_int_equal(waitpid(-1, NULL, __WALL | WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
	bind_command_free(p->command);
	free(p->value);
	free(p);
	return 0;
}

static void
make(struct probe *p, const char *line)
{
	struct wire_errinfo info = {"", 0, 0};
	struct wire_span span = {(const uint8_t *)line, strlen(line)};

	assert_int_equal(
	    bind_command_new(span, guardian, environment, &p->command, &info),
	    WIRE_OK);
}

static void
begin(struct probe *p, const char *line)
{
	make(p, line);
	bind_provider_command.start(p->command, &p->job);
}

static void
finish(struct probe *p)
{
	while (p->gone == 0)
		assert_true(poll_loop_turn(&p->loop, PATIENCE_MS));
}

static void
run(struct probe *p, const char *line)
{
	begin(p, line);
	finish(p);
}

static void
check_value(struct probe *p, const char *expected)
{
	assert_string_equal(p->message, "");
	assert_int_equal(p->kind, WIRE_TOOL_NONE);
	assert_true(p->end_seen);
	assert_string_equal((char *)p->value, expected);
}

static void
check_error(struct probe *p, enum wire_tool_kind kind, const char *message)
{
	assert_string_equal(p->message, message);
	assert_int_equal(p->kind, kind);
}

/* --- a fifo that tells when a tree is there and when it is gone --------- */

static char fifo_dir[64], fifo[96];

static int
open_fifo(void)
{
	int fd;

	snprintf(fifo_dir, sizeof(fifo_dir), "/tmp/weir-test-XXXXXX");
	assert_non_null(mkdtemp(fifo_dir));
	snprintf(fifo, sizeof(fifo), "%s/fifo", fifo_dir);
	assert_int_equal(mkfifo(fifo, 0600), 0);
	fd = open(fifo, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	assert_true(fd >= 0);
	return fd;
}

/* Turns the loop until something was written into the fifo. */
static void
wait_for_tree(struct probe *p, int fd)
{
	char c;

	while (read(fd, &c, 1) != 1)
		(void)poll_loop_turn(&p->loop, 1);
}

/* Nobody holds the fifo any more. */
static void
check_tree_is_gone(int fd)
{
	char buf[64];
	ssize_t n;

	do {
		n = read(fd, buf, sizeof(buf));
	} while (n > 0);
	assert_int_equal(n, 0);
	(void)close(fd);
	(void)unlink(fifo);
	(void)rmdir(fifo_dir);
}

/* --- values ------------------------------------------------------------- */

static void
t_arguments_in_and_value_out(void **state)
{
	struct probe *p = *state;

	run(p, "cat");
	check_value(p, "{\"a\":1}\n");
}

static void
t_words_reach_the_command_as_they_were_quoted(void **state)
{
	struct probe *p = *state;

	run(p, "printf '%s|' 'a b' \"c\\\"d\" e\\ f '' $HOME *");
	check_value(p, "a b|c\"d|e f||$HOME|*|");
}

static void
t_megabytes_both_ways(void **state)
{
	struct probe *p = *state;
	size_t len = 8 * WIRE_MIB;
	uint8_t *text = malloc(len);

	assert_non_null(text);
	for (size_t i = 0; i < len; i++)
		text[i] = (uint8_t)('a' + i % 23);
	p->job.arguments = (struct wire_span){text, len};
	p->job.result_max = len;
	run(p, "cat");
	assert_int_equal(p->kind, WIRE_TOOL_NONE);
	assert_int_equal(p->value_len, len + 1);
	assert_memory_equal(p->value, text, len);
	assert_int_equal(p->value[len], '\n');
	free(text);
}

static void
t_a_command_need_not_read_its_stdin(void **state)
{
	struct probe *p = *state;
	size_t len = 1 * WIRE_MIB;
	uint8_t *text = calloc(1, len);

	assert_non_null(text);
	p->job.arguments = (struct wire_span){text, len};
	/* Closes stdin first, so that the pipe breaks while we write. */
	run(p, "sh -c 'exec <&-; echo 12'");
	check_value(p, "12\n");
	free(text);
}

static void
t_arguments_that_just_fit_the_pipe(void **state)
{
	struct probe *p = *state;
	size_t len = (size_t)64 * 1024 - 1;
	uint8_t *text = malloc(len + 1);

	assert_non_null(text);
	memset(text, 'x', len + 1);
	p->job.arguments = (struct wire_span){text, len};
	run(p, "wc -c");
	check_value(p, "65536\n");
	free(text);
}

/* --- failures ----------------------------------------------------------- */

static void
t_exit_status_and_stderr(void **state)
{
	struct probe *p = *state;

	run(p, "sh -c 'echo ignored; echo boom >&2; exit 3'");
	check_error(p, WIRE_TOOL_FAILED, "exit status 3; stderr: boom");
	assert_true(p->end_seen);
}

static void
t_stderr_is_escaped(void **state)
{
	struct probe *p = *state;

	run(p,
	    "sh -c 'printf \"a\\033[2Jb\\nc\\011d\\377e\\302\\233f\\n\\n\" >&2;"
	    " exit 1'");
	check_error(p, WIRE_TOOL_FAILED,
	    "exit status 1; stderr: a\\x1b[2Jb\\nc\\td\\xffe\\xc2\\x9bf");
}

static void
t_stderr_is_cut_to_its_tail(void **state)
{
	struct probe *p = *state;
	const char *tail;

	run(p,
	    "sh -c 'head -c 300000 /dev/zero | tr \"\\000\" x >&2;"
	    " printf END >&2; exit 1'");
	tail = strstr(p->message, "stderr: ");
	assert_non_null(tail);
	tail += strlen("stderr: ");
	assert_int_equal(strlen(tail), BIND_COMMAND_STDERR);
	assert_string_equal(tail + BIND_COMMAND_STDERR - 4, "xEND");
}

static void
t_escapes_count_for_the_tail(void **state)
{
	struct probe *p = *state;
	const char *tail;

	/* 1,024 bytes that take four each when escaped. */
	run(p,
	    "sh -c 'head -c 1024 /dev/zero | tr \"\\000\" \"\\001\" >&2;"
	    " exit 1'");
	tail = strstr(p->message, "stderr: ");
	assert_non_null(tail);
	assert_int_equal(
	    strlen(tail + strlen("stderr: ")), BIND_COMMAND_STDERR);
}

static void
t_a_signal_is_named(void **state)
{
	struct probe *p = *state;

	run(p, "sh -c 'kill -9 $$'");
	check_error(p, WIRE_TOOL_FAILED, "ended by signal 9");
	assert_true(p->end_seen);
}

static void
t_success_without_output_is_a_failure(void **state)
{
	struct probe *p = *state;

	run(p, "true");
	check_error(
	    p, WIRE_TOOL_FAILED, "exit status 0, but nothing on stdout");
}

static void
t_a_command_that_vanished_is_unreachable(void **state)
{
	struct probe *p = *state;
	char path[] = "/tmp/weir-test-XXXXXX";
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(fchmod(fd, 0700), 0);
	(void)close(fd);
	make(p, path);
	assert_int_equal(unlink(path), 0);
	bind_provider_command.start(p->command, &p->job);
	finish(p);
	check_error(p, WIRE_TOOL_UNREACHABLE,
	    "the command cannot be run: No such file or directory");
	assert_true(p->end_seen);
}

/* --- the ceiling -------------------------------------------------------- */

#define CEILING (1000 + 64 * 1024)

static void
t_stdout_up_to_the_ceiling(void **state)
{
	struct probe *p = *state;

	run(p, "head -c 66536 /dev/zero");
	assert_int_equal(p->kind, WIRE_TOOL_NONE);
	assert_int_equal(p->value_len, CEILING);
}

static void
t_one_byte_more_is_too_large(void **state)
{
	struct probe *p = *state;

	run(p, "head -c 66537 /dev/zero");
	check_error(p, WIRE_TOOL_RESULT_TOO_LARGE,
	    "stopped while it wrote more than result_bytes");
	assert_true(p->end_seen);
}

static void
t_endless_output_is_stopped(void **state)
{
	struct probe *p = *state;

	run(p, "yes");
	assert_int_equal(p->kind, WIRE_TOOL_RESULT_TOO_LARGE);
	assert_true(p->end_seen);
}

/* --- ends from outside -------------------------------------------------- */

static void
t_cancel_ends_the_whole_tree(void **state)
{
	struct probe *p = *state;
	int fd = open_fifo();
	char line[512];

	snprintf(line, sizeof(line),
	    "sh -c 'exec 9>%s; trap \"\" TERM HUP INT;"
	    " setsid sleep 1000 & (setsid sleep 1000 & echo x >&9) &"
	    " sleep 1000; sleep 1000'",
	    fifo);
	begin(p, line);
	wait_for_tree(p, fd);
	bind_provider_command.cancel(&p->job, WIRE_TOOL_TIMED_OUT);
	finish(p);
	check_error(p, WIRE_TOOL_TIMED_OUT, "it ran for longer than tool_time");
	assert_true(p->end_seen);
	check_tree_is_gone(fd);
}

static void
t_cancel_says_why(void **state)
{
	struct probe *p = *state;

	begin(p, "sleep 1000");
	bind_provider_command.cancel(&p->job, WIRE_TOOL_CANCELLED);
	finish(p);
	check_error(p, WIRE_TOOL_CANCELLED, "cancelled while it ran");
}

static void
t_cancel_after_a_stop_keeps_the_first_reason(void **state)
{
	struct probe *p = *state;

	begin(p, "yes");
	/* Until the ceiling has closed the streams: the pidfd alone is left. */
	while (p->loop.count > 1)
		assert_true(poll_loop_turn(&p->loop, PATIENCE_MS));
	if (p->done == 0)
		bind_provider_command.cancel(&p->job, WIRE_TOOL_CANCELLED);
	finish(p);
	assert_int_equal(p->kind, WIRE_TOOL_RESULT_TOO_LARGE);
}

static void
t_strays_do_not_delay_the_answer(void **state)
{
	struct probe *p = *state;
	int fd = open_fifo();
	char line[512];

	snprintf(line, sizeof(line),
	    "sh -c 'exec 9>%s; setsid sleep 1000 & echo x >&9; echo 7'", fifo);
	run(p, line);
	check_value(p, "7\n");
	check_tree_is_gone(fd);
}

static void
t_abandon_leaves_nothing(void **state)
{
	struct probe *p = *state;
	int fd = open_fifo();
	char line[512];

	snprintf(line, sizeof(line), "sh -c 'exec 9>%s; echo x >&9; sleep 99'",
	    fifo);
	begin(p, line);
	wait_for_tree(p, fd);
	p->job.abandon_ns =
	    p->job.loop->now_ns(p->job.loop->arg) + UINT64_C(60000000000);
	bind_provider_command.abandon(&p->job);
	assert_int_equal(p->done, 0);
	assert_int_equal(p->gone, 0);
	assert_int_equal(p->loop.count, 0);
	/* A guardian that is late is left its work, and ends all the same. */
	while (waitpid(-1, NULL, __WALL) > 0)
		;
	check_tree_is_gone(fd);
}

/* --- guardians that fail ------------------------------------------------ */

static void
use_guardian(struct probe *p, const char *path, const char *user)
{
	const char *const with_user[] = {"PATH=/usr/bin:/bin", user, NULL};

	assert_int_equal(bind_command_new(WIRE_LIT("echo 1"), path, with_user,
			     &p->command, NULL),
	    WIRE_OK);
	bind_provider_command.start(p->command, &p->job);
	finish(p);
}

static void
t_no_guardian(void **state)
{
	struct probe *p = *state;

	use_guardian(p, "/nonexistent/guardian", NULL);
	check_error(p, WIRE_TOOL_UNREACHABLE,
	    "the command cannot be run: No such file or directory");
}

static void
t_a_guardian_that_dies_leaves_the_end_unknown(void **state)
{
	struct probe *p = *state;

	use_guardian(p, "/bin/false", NULL);
	check_error(p, WIRE_TOOL_FAILED, "its guardian ended without a report");
	assert_false(p->end_seen);
}

static void
t_a_silent_guardian_leaves_the_end_unknown(void **state)
{
	struct probe *p = *state;

	if (getenv("WEIR_GUARDIAN") != NULL)
		skip();
	use_guardian(p, guardian, "USER=silent");
	check_error(p, WIRE_TOOL_FAILED, "its guardian ended without a report");
	assert_false(p->end_seen);
}

static void
t_a_malformed_report_is_none(void **state)
{
	struct probe *p = *state;

	if (getenv("WEIR_GUARDIAN") != NULL)
		skip();
	use_guardian(p, guardian, "USER=malformed");
	check_error(p, WIRE_TOOL_FAILED, "its guardian ended without a report");
}

static void
t_nothing_is_left_when_the_loop_is_full(void **state)
{
	struct probe *p = *state;

	/* stdout, stderr and the report, and then the guardian itself. */
	for (int room = 0; room < 4; room++) {
		p->loop.watches_left = room;
		p->done = p->gone = 0;
		free(p->value);
		p->value = NULL;
		bind_command_free(p->command);
		run(p, "sleep 1000");
		if (room < 3)
			check_error(p, WIRE_TOOL_UNREACHABLE,
			    "the host cannot start a process");
		else
			check_error(p, WIRE_TOOL_FAILED,
			    "the host cannot follow the process");
		assert_true(p->end_seen);
		assert_int_equal(count_fds(), fds_before);
	}
}

static void
t_nothing_is_left_when_descriptors_run_out(void **state)
{
	struct probe *p = *state;
	struct rlimit old, few;
	int next = dup(0);

	(void)close(next);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &old), 0);
	make(p, "echo 1");
	/* Eight for the streams, one for the guardian, and in the new process
	 * numbers from 16 up: none of these is enough. */
	for (int room = 0; room < 10; room++) {
		few = old;
		few.rlim_cur = (rlim_t)(next + room);
		p->done = p->gone = 0;
		free(p->value);
		p->value = NULL;
		assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
		bind_provider_command.start(p->command, &p->job);
		assert_int_equal(setrlimit(RLIMIT_NOFILE, &old), 0);
		finish(p);
		/* UNREACHABLE; an emulator may get a little further. */
		assert_int_not_equal(p->kind, WIRE_TOOL_NONE);
		assert_int_equal(count_fds(), fds_before);
	}
}

/* --- what the command gets ---------------------------------------------- */

static void
t_environment_is_the_listed_names_only(void **state)
{
	struct probe *p = *state;

	run(p, "env");
	check_value(p, "HOME=/home/x\nPATH=/usr/bin:/bin\nLANG=C\n");
}

static void
t_directory_is_the_root(void **state)
{
	struct probe *p = *state;

	run(p, "pwd -P");
	check_value(p, "/\n");
}

static void
t_only_three_descriptors(void **state)
{
	struct probe *p = *state;
	int leaked = dup2(0, 77); /* not close-on-exec, by purpose */

	assert_int_equal(leaked, 77);
	run(p,
	    "sh -c 'i=0; while test $i -lt 99; do"
	    " test ! -e /proc/$$/fd/$i || echo $i; i=$((i+1)); done'");
	(void)close(leaked);
	check_value(p, "0\n1\n2\n");
}

static void
t_a_session_of_its_own(void **state)
{
	struct probe *p = *state;
	int pid, pgrp, session;

	run(p, "sh -c 'cat /proc/$$/stat'");
	assert_int_equal(sscanf((char *)p->value, "%d (sh) %*c %*d %d %d", &pid,
			     &pgrp, &session),
	    3);
	assert_int_equal(session, pid);
	assert_int_equal(pgrp, pid);
	assert_int_not_equal(session, getsid(0));
}

static void
t_signals_are_as_at_the_start_of_a_login(void **state)
{
	struct probe *p = *state;
	sigset_t set, old;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGTERM);
	assert_int_equal(sigprocmask(SIG_BLOCK, &set, &old), 0);
	assert_ptr_not_equal(signal(SIGHUP, SIG_IGN), SIG_ERR);
	assert_ptr_not_equal(signal(SIGPIPE, SIG_IGN), SIG_ERR);
	run(p, "grep -E '^Sig(Blk|Ign)' /proc/self/status");
	assert_ptr_equal(signal(SIGPIPE, SIG_DFL), SIG_IGN);
	assert_ptr_equal(signal(SIGHUP, SIG_DFL), SIG_IGN);
	assert_int_equal(sigprocmask(SIG_SETMASK, &old, NULL), 0);
	check_value(
	    p, "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n");
}

static void
t_our_own_signal_state_is_left_alone(void **state)
{
	struct probe *p = *state;
	sigset_t before, after, pending;
	struct sigaction action;

	assert_int_equal(sigprocmask(SIG_SETMASK, NULL, &before), 0);
	t_a_command_need_not_read_its_stdin(state);
	(void)p;
	assert_int_equal(sigprocmask(SIG_SETMASK, NULL, &after), 0);
	for (int sig = 1; sig < 32; sig++)
		assert_int_equal(
		    sigismember(&before, sig), sigismember(&after, sig));
	assert_int_equal(sigpending(&pending), 0);
	assert_int_equal(sigismember(&pending, SIGPIPE), 0);
	assert_int_equal(sigaction(SIGPIPE, NULL, &action), 0);
	assert_ptr_equal(action.sa_handler, SIG_DFL);
}

/* --- making a command --------------------------------------------------- */

static void
check_bad(const char *line, const char *guard, enum wire_err err,
    const char *site, int sys, size_t offset)
{
	struct wire_span span = {(const uint8_t *)line, strlen(line)};
	struct wire_errinfo info = {"", 0, 0};
	struct bind_command *command = NULL;

	assert_int_equal(
	    bind_command_new(span, guard, environment, &command, &info), err);
	assert_null(command);
	assert_string_equal(info.site, site);
	assert_int_equal(info.sys, sys);
	assert_int_equal(info.offset, offset);
}

static void
t_bad_commands_fail_when_they_are_made(void **state)
{
	(void)state;
	check_bad("", "/g", WIRE_ERR_BAD_ARGUMENT, "empty", 0, 0);
	check_bad("  ", "/g", WIRE_ERR_BAD_ARGUMENT, "empty", 0, 0);
	check_bad("cat 'x", "/g", WIRE_ERR_BAD_SYNTAX, "quoting", 0, 4);
	check_bad("cat", "g", WIRE_ERR_BAD_ARGUMENT, "guardian", 0, 0);
	check_bad(
	    "no-such-command-x", "/g", WIRE_ERR_SYSTEM, "command", ENOENT, 0);
	check_bad("''", "/g", WIRE_ERR_SYSTEM, "command", ENOENT, 0);
	check_bad("/nonexistent", "/g", WIRE_ERR_SYSTEM, "command", ENOENT, 0);
	check_bad("/tmp", "/g", WIRE_ERR_SYSTEM, "command", EACCES, 0);
	check_bad("/etc/passwd", "/g", WIRE_ERR_SYSTEM, "command", EACCES, 0);
}

static void
t_a_line_up_to_its_maximum(void **state)
{
	static char line[BIND_COMMAND_LINE + 2];
	struct bind_command *command;

	(void)state;
	memset(line, 'x', sizeof(line) - 1);
	memcpy(line, "cat ", 4);
	check_bad(line, "/g", WIRE_ERR_BAD_ARGUMENT, "length", 0, 0);
	assert_int_equal(bind_command_new((struct wire_span){(uint8_t *)line,
					      BIND_COMMAND_LINE},
			     "/g", environment, &command, NULL),
	    WIRE_OK);
	bind_command_free(command);
}

static void
t_words_up_to_their_maximum(void **state)
{
	static char line[2 * BIND_COMMAND_WORDS + 8];
	struct bind_command *command;
	size_t len = 0;

	(void)state;
	len = (size_t)snprintf(line, sizeof(line), "cat");
	for (int i = 1; i < BIND_COMMAND_WORDS; i++) {
		memcpy(line + len, " x", 3);
		len += 2;
	}
	assert_int_equal(
	    bind_command_new((struct wire_span){(uint8_t *)line, len}, "/g",
		environment, &command, NULL),
	    WIRE_OK);
	bind_command_free(command);
	memcpy(line + len, " x", 3);
	check_bad(line, "/g", WIRE_ERR_NO_SPACE, "quoting", 0, len + 2);
}

static void
check_path(const char *line, const char *path_variable, const char *expected)
{
	const char *const env[] = {path_variable, NULL};
	struct wire_span span = {(const uint8_t *)line, strlen(line)};
	struct bind_command *command;

	assert_int_equal(
	    bind_command_new(span, "/g", env, &command, NULL), WIRE_OK);
	assert_string_equal(command->path, expected);
	assert_ptr_equal(command->argv[3], command->path);
	bind_command_free(command);
}

static void
t_where_commands_are_found(void **state)
{
	char cwd[4096];

	(void)state;
	check_path("env", "PATH=/nonexistent:/usr/bin:/bin", "/usr/bin/env");
	check_path("env", "PATH=::.:bin:/usr/bin", "/usr/bin/env");
	check_path("env", "PATHS=/nonexistent", "/usr/bin/env");
	check_path("env", NULL, "/usr/bin/env");
	check_path("/usr/bin/../bin/env", NULL, "/usr/bin/../bin/env");
	/* A path without a leading slash means from here, not from `/`. */
	assert_non_null(getcwd(cwd, sizeof(cwd)));
	assert_int_equal(chdir("/usr"), 0);
	check_path("bin/env x", NULL, "/usr/bin/env");
	check_path("./bin/env", NULL, "/usr/./bin/env");
	check_path("env", "PATH=bin:/bin", "/bin/env");
	check_path("env", "PATH=:/bin", "/bin/env");
	assert_int_equal(chdir(cwd), 0);
	check_bad("env2", "/g", WIRE_ERR_SYSTEM, "command", ENOENT, 0);
}

/* --- the table ---------------------------------------------------------- */

struct walk {
	unsigned answers, frees, paths;
};

static void
walk(struct walk *w, enum bind_command_state at, unsigned answers, int depth)
{
	if (at == BIND_COMMAND_GONE) {
		assert_int_equal(answers, 1);
		w->paths++;
		return;
	}
	assert_true(depth < 8);
	for (int e = 0; e < BIND_COMMAND_EVENTS; e++) {
		struct bind_command_step s =
		    bind_command_next(at, (enum bind_command_event)e);
		bool answer = (s.actions & BIND_COMMAND_DO_ANSWER) != 0;

		if (s.actions == 0 || s.next == at)
			continue;
		/* Freed exactly on the way into GONE. */
		assert_int_equal((s.actions & BIND_COMMAND_DO_FREE) != 0,
		    s.next == BIND_COMMAND_GONE);
		walk(w, s.next, answers + answer, depth + 1);
	}
}

static void
t_every_path_answers_once_and_frees_at_its_end(void **state)
{
	struct walk w = {0, 0, 0};

	(void)state;
	walk(&w, BIND_COMMAND_RUNNING, 0, 0);
	assert_int_equal(w.paths, 7);
	for (int e = 0; e < BIND_COMMAND_EVENTS; e++)
		assert_int_equal(bind_command_next(BIND_COMMAND_GONE,
				     (enum bind_command_event)e)
				     .actions,
		    0);
	/* A stop is known wherever the call is not answered yet. */
	assert_int_not_equal(
	    bind_command_next(BIND_COMMAND_KILLING, BIND_COMMAND_STOP).actions,
	    0);
}

int
main(int argc, char **argv)
{
#define TEST(t) cmocka_unit_test_setup_teardown(t, set_up, tear_down)
	const struct CMUnitTest tests[] = {
	    TEST(t_arguments_in_and_value_out),
	    TEST(t_words_reach_the_command_as_they_were_quoted),
	    TEST(t_megabytes_both_ways),
	    TEST(t_a_command_need_not_read_its_stdin),
	    TEST(t_arguments_that_just_fit_the_pipe),
	    TEST(t_exit_status_and_stderr),
	    TEST(t_stderr_is_escaped),
	    TEST(t_stderr_is_cut_to_its_tail),
	    TEST(t_escapes_count_for_the_tail),
	    TEST(t_a_signal_is_named),
	    TEST(t_success_without_output_is_a_failure),
	    TEST(t_a_command_that_vanished_is_unreachable),
	    TEST(t_stdout_up_to_the_ceiling),
	    TEST(t_one_byte_more_is_too_large),
	    TEST(t_endless_output_is_stopped),
	    TEST(t_cancel_ends_the_whole_tree),
	    TEST(t_cancel_says_why),
	    TEST(t_cancel_after_a_stop_keeps_the_first_reason),
	    TEST(t_strays_do_not_delay_the_answer),
	    TEST(t_abandon_leaves_nothing),
	    TEST(t_no_guardian),
	    TEST(t_a_guardian_that_dies_leaves_the_end_unknown),
	    TEST(t_a_silent_guardian_leaves_the_end_unknown),
	    TEST(t_a_malformed_report_is_none),
	    TEST(t_nothing_is_left_when_the_loop_is_full),
	    TEST(t_nothing_is_left_when_descriptors_run_out),
	    TEST(t_environment_is_the_listed_names_only),
	    TEST(t_directory_is_the_root),
	    TEST(t_only_three_descriptors),
	    TEST(t_a_session_of_its_own),
	    TEST(t_signals_are_as_at_the_start_of_a_login),
	    TEST(t_our_own_signal_state_is_left_alone),
	    cmocka_unit_test(t_bad_commands_fail_when_they_are_made),
	    cmocka_unit_test(t_a_line_up_to_its_maximum),
	    cmocka_unit_test(t_words_up_to_their_maximum),
	    cmocka_unit_test(t_where_commands_are_found),
	    cmocka_unit_test(t_every_path_answers_once_and_frees_at_its_end),
	};

	if (argc > 3 && strcmp(argv[1], "guard") == 0)
		return guard_main(argv);
	return guard_path(guardian, sizeof(guardian))
	    ? cmocka_run_group_tests(tests, NULL, NULL)
	    : 1;
}
