/*
 * A tool session with real commands, as the supervisor puts them together.
 */
#include <fcntl.h>
#include <sys/stat.h>

#include "bindings/provider_command.h"
#include "tests/unit/guard_role.h"
#include "tests/unit/session_rig.h"

#define PATIENCE_MS 60000

static char guardian[4096];

static void
add_command(struct rig *rig, const char *name, const char *line)
{
	static const char *const environment[] = {"PATH=/usr/bin:/bin", NULL};
	struct wire_span span = {(const uint8_t *)line, strlen(line)};
	struct bind_command *command;

	assert_int_equal(
	    bind_command_new(span, guardian, environment, &command, NULL),
	    WIRE_OK);
	span = (struct wire_span){(const uint8_t *)name, strlen(name)};
	assert_int_equal(bind_catalogue_add(rig->catalogue, span,
			     &bind_provider_command, command, 0, NULL),
	    WIRE_OK);
}

static int
set_up(void **state)
{
	*state = rig_new();
	return 0;
}

static int
tear_down(void **state)
{
	struct rig *rig = *state;

	rig_free(rig);
	/* A guardian that is late is left its work, and ends all the same. */
	while (waitpid(-1, NULL, __WALL) > 0)
		;
	return 0;
}

static void
turn(struct rig *rig)
{
	assert_true(poll_loop_turn(&rig->loop, PATIENCE_MS));
}

static void
run_dry(struct rig *rig)
{
	while (!bind_session_is_empty(rig->session))
		turn(rig);
	assert_int_equal(rig->loop.count, 0);
}

static void
t_values_and_errors(void **state)
{
	struct rig *rig = *state;

	rig->limits.in_flight = 1;
	add_command(rig, "echo", "cat");
	add_command(rig, "fail", "sh -c 'echo why >&2; exit 5'");
	add_command(rig, "text", "echo plain text");
	rig_open(rig);
	rig_call_with(rig, "echo", WIRE_LIT("{\"a\": [1]}"));
	run_dry(rig);
	rig_expect(rig, "started:0 ended:0:completed reply:0:{\"a\": [1]}");
	rig_call(rig, "fail");
	run_dry(rig);
	rig_expect(rig, "started:1 ended:1:failed:failed reply:1:failed");
	assert_memory_equal(
	    rig->message, "fail: exit status 5; stderr: why. ", 34);
	rig_call(rig, "text");
	run_dry(rig);
	rig_expect(rig, "started:2 ended:2:failed:failed reply:2:failed");
	assert_memory_equal(rig->message,
	    "text: the result is not acceptable JSON (bad_syntax at byte 0). ",
	    64);
}

static void
t_result_bytes_are_exact_through_a_command(void **state)
{
	struct rig *rig = *state;

	rig->limits.result_bytes = 100000;
	add_command(rig, "fits", "sh -c 'printf \"%099999d \" 0 | tr 0 1'");
	add_command(rig, "not", "sh -c 'printf \"%0100001d\" 0 | tr 0 1'");
	add_command(rig, "white",
	    "sh -c 'printf \"%099999d%60000s\" 0 x |"
	    " tr 0 1 | tr x \" \"'");
	rig_open(rig);
	rig_call(rig, "fits");
	run_dry(rig);
	assert_non_null(strstr(rig->log, "ended:0:completed"));
	rig_call(rig, "not");
	run_dry(rig);
	assert_non_null(strstr(rig->log, "reply:1:result_too_large"));
	rig_call(rig, "white");
	run_dry(rig);
	assert_non_null(strstr(rig->log, "ended:2:completed"));
	assert_int_equal(
	    bind_session_budget(rig->session)->bytes, 2 * 99999 + 6);
}

static void
t_a_slow_tool_does_not_hold_up_a_fast_one(void **state)
{
	struct rig *rig = *state;
	char dir[] = "/tmp/weir-test-XXXXXX", fifo[64], line[128];
	int fd;

	assert_non_null(mkdtemp(dir));
	snprintf(fifo, sizeof(fifo), "%s/fifo", dir);
	assert_int_equal(mkfifo(fifo, 0600), 0);
	/* Both ways open, so that neither side waits in open(). */
	fd = open(fifo, O_RDWR | O_CLOEXEC);
	assert_true(fd >= 0);
	snprintf(line, sizeof(line), "head -n 1 %s", fifo);
	add_command(rig, "slow", line);
	add_command(rig, "fast", "echo 2");
	rig_open(rig);
	rig_calls(rig, "slow", 2);
	rig_call(rig, "fast");
	while (strstr(rig->log, "reply:2:2") == NULL)
		turn(rig);
	assert_null(strstr(rig->log, "reply:0"));
	assert_null(strstr(rig->log, "reply:1"));
	assert_int_equal(write(fd, "7\n", 2), 2);
	assert_int_equal(write(fd, "7\n", 2), 2);
	(void)close(fd);
	bind_session_close(rig->session);
	run_dry(rig);
	(void)unlink(fifo);
	(void)rmdir(dir);
}

static void
t_tool_time_ends_a_command(void **state)
{
	struct rig *rig = *state;

	add_command(rig, "sleep", "sleep 1000");
	rig_open(rig);
	rig_call(rig, "sleep");
	bind_session_tick(rig->session, bind_session_deadline(rig->session));
	run_dry(rig);
	rig_expect(rig, "started:0 ended:0:failed:timed_out reply:0:timed_out");
	assert_memory_equal(
	    rig->message, "sleep: it ran for longer than tool_time. ", 41);
}

static void
t_close_ends_commands_and_sees_it(void **state)
{
	struct rig *rig = *state;

	rig->limits.in_flight = 3;
	add_command(rig, "sleep", "sh -c 'trap \"\" TERM; sleep 99; sleep 99'");
	rig_open(rig);
	rig_calls(rig, "sleep", 5);
	bind_session_close(rig->session);
	run_dry(rig);
	assert_int_equal(rig->list.totals.failed, 3);
	assert_int_equal(rig->list.totals.refused, 2);
	assert_int_equal(rig->list.totals.unknown, 0);
}

static void
t_free_leaves_no_process(void **state)
{
	struct rig *rig = *state;

	add_command(rig, "sleep", "sleep 1000");
	rig_open(rig);
	rig_calls(rig, "sleep", 5);
	bind_session_free(rig->session);
	rig->session = NULL;
	assert_int_equal(rig->list.totals.unknown, 5);
	assert_int_equal(rig->loop.count, 0);
}

static void
t_many_calls_through_a_small_window(void **state)
{
	struct rig *rig = *state;

	rig->limits.in_flight = 4;
	add_command(rig, "echo", "cat");
	rig_open(rig);
	for (int i = 0; i < 100; i++) {
		char text[32];

		snprintf(text, sizeof(text), "{\"n\":%d}", i);
		rig_call_with(rig, "echo",
		    (struct wire_span){(uint8_t *)text, strlen(text)});
	}
	run_dry(rig);
	for (int i = 0; i < 100; i++) {
		char text[64];

		snprintf(text, sizeof(text), "reply:%d:{\"n\":%d} ", i, i);
		assert_non_null(strstr(rig->log, text));
	}
	assert_int_equal(rig->list.totals.completed, 100);
}

int
main(int argc, char **argv)
{
#define TEST(t) cmocka_unit_test_setup_teardown(t, set_up, tear_down)
	const struct CMUnitTest tests[] = {
	    TEST(t_values_and_errors),
	    TEST(t_result_bytes_are_exact_through_a_command),
	    TEST(t_a_slow_tool_does_not_hold_up_a_fast_one),
	    TEST(t_tool_time_ends_a_command),
	    TEST(t_close_ends_commands_and_sees_it),
	    TEST(t_free_leaves_no_process),
	    TEST(t_many_calls_through_a_small_window),
	};

	if (argc > 3 && strcmp(argv[1], "guard") == 0)
		return guard_main(argv);
	return guard_path(guardian, sizeof(guardian))
	    ? cmocka_run_group_tests(tests, NULL, NULL)
	    : 1;
}
