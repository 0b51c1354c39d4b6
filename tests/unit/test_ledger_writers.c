/*
 * Many writers of one ledger, as processes: the budget is exact, the chain is
 * whole, and of a writer that is killed nothing is lost that it had done.
 */
#include "bindings/ledger_file.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/wait.h>

/* cmocka wants the headers above it first */
#include <cmocka.h>

#include "ledger_rig.h"

#define WRITERS_MAX 8
#define EACH	    100

/* Each tries EACH calls; its exit status is how many were admitted. */
static int
spend(uint8_t me, uint64_t budget, int go_fd)
{
	const struct bind_ledger_bounds bounds = {budget, UINT64_MAX};
	struct bind_ledger *ledger = rig_ledger();
	uint8_t execution[BIND_LEDGER_EXECUTION] = {me};
	int admitted = 0;
	char byte;

	if (read(go_fd, &byte, 1) != 0)
		return 255;
	for (uint64_t call = 0; call < EACH; call++) {
		struct bind_ledger_record record;
		enum bind_meter spent;

		help_record(&record, BIND_LEDGER_STARTED, call, false);
		record.value[BIND_LEDGER_F_EXECUTION].bytes =
		    HELP_BYTES(execution);
		if (bind_ledger_append(
			ledger, &record, &bounds, &spent, NULL) != WIRE_OK)
			return 255;
		if (spent != BIND_METER_NONE)
			continue;
		admitted++;
		help_record(&record, BIND_LEDGER_COMPLETED, call, false);
		record.value[BIND_LEDGER_F_EXECUTION].bytes =
		    HELP_BYTES(execution);
		if (bind_ledger_append(ledger, &record, NULL, &spent, NULL) !=
		    WIRE_OK)
			return 255;
	}
	return admitted;
}

static void
check_writers(unsigned writers, uint64_t budget)
{
	struct bind_ledger_reader reader;
	struct bind_ledger_fold fold;
	pid_t pids[WRITERS_MAX];
	uint64_t admitted = 0;
	int go[2];

	assert_int_equal(pipe(go), 0);
	for (unsigned i = 0; i < writers; i++) {
		pids[i] = fork();
		assert_true(pids[i] >= 0);
		if (pids[i] == 0) {
			close(go[1]);
			_exit(spend((uint8_t)i, budget, go[0]));
		}
	}
	/* All at once. */
	close(go[1]);
	close(go[0]);
	for (unsigned i = 0; i < writers; i++) {
		int status;

		assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
		assert_true(WIFEXITED(status));
		assert_int_not_equal(WEXITSTATUS(status), 255);
		admitted += (uint64_t)WEXITSTATUS(status);
	}
	fold = rig_read(&reader, NULL, 0);
	assert_int_equal(
	    admitted, budget < writers * EACH ? budget : writers * EACH);
	assert_int_equal(fold.started, admitted);
	assert_int_equal(fold.completed, admitted);
	assert_int_equal(reader.offset, rig_size());
}

static void
t_two_writers(void **state)
{
	(void)state;
	check_writers(2, 150);
}

static void
t_eight_writers(void **state)
{
	(void)state;
	check_writers(8, 300);
}

static void
t_eight_writers_with_enough(void **state)
{
	(void)state;
	check_writers(8, 10000);
}

/* Says on a pipe what it has done, a byte for each append that returned. */
static void
write_and_say(int fd)
{
	struct bind_ledger *ledger = rig_ledger();

	for (uint64_t call = 0;; call++) {
		rig_append(ledger, BIND_LEDGER_STARTED, call);
		if (write(fd, "s", 1) != 1)
			_exit(1);
		rig_append(ledger, BIND_LEDGER_COMPLETED, call);
		if (write(fd, "c", 1) != 1)
			_exit(1);
	}
}

/*
 * Killed 200 times after a random number of appends, with another writer at
 * work on the same Run. What was said to be done is in the ledger; beyond it
 * there is at most the one append that was being made.
 */
static void
t_killed_at_any_moment(void **state)
{
	uint64_t started = 0, completed = 0;
	struct bind_ledger_reader reader;
	struct bind_ledger_fold fold;
	unsigned seed = 5;

	(void)state;
	for (int round = 0; round < 200; round++) {
		struct bind_ledger *other = rig_ledger();
		unsigned count;
		int fds[2], status;
		char byte;
		pid_t pid;

		/* A new file now and then: the check reads all of it. */
		if (round % 20 == 0) {
			bind_ledger_free(other);
			assert_int_equal(unlink(rig_path), 0);
			other = rig_ledger();
			started = completed = 0;
		}
		assert_int_equal(pipe(fds), 0);
		seed = seed * 1664525u + 1013904223u;
		count = seed >> 16 & 15;
		pid = fork();
		assert_true(pid >= 0);
		if (pid == 0) {
			close(fds[0]);
			write_and_say(fds[1]);
		}
		close(fds[1]);
		for (unsigned i = 0; i < count; i++) {
			assert_int_equal(read(fds[0], &byte, 1), 1);
			started += byte == 's';
			completed += byte == 'c';
			if (i % 4 == 0) {
				rig_append(other, BIND_LEDGER_STARTED, i);
				rig_append(other, BIND_LEDGER_COMPLETED, i);
				started++;
				completed++;
			}
		}
		assert_int_equal(kill(pid, SIGKILL), 0);
		while (read(fds[0], &byte, 1) == 1) {
			started += byte == 's';
			completed += byte == 'c';
		}
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_true(WIFSIGNALED(status));
		close(fds[0]);
		bind_ledger_free(other);
		fold = rig_read(&reader, NULL, 0);
		assert_in_range(
		    fold.started + fold.completed - started - completed, 0, 1);
		/* The one that was being made is known now. */
		started = fold.started;
		completed = fold.completed;
	}
	assert_int_equal(bind_ledger_fold_calls(&fold), started);
}

#define TEST(name)                                                             \
	cmocka_unit_test_setup_teardown(name, rig_set_up, rig_tear_down)

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(t_two_writers),
	    TEST(t_eight_writers),
	    TEST(t_eight_writers_with_enough),
	    TEST(t_killed_at_any_moment),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
