/*
 * Whose an execution's directory is: removed only when its owner is known to be
 * gone, and then always.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* cmocka wants four of the headers above before it */
#include <cmocka.h>

#include "supervisor/owner.h"

static pid_t
reaped(void)
{
	int status;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0)
		_exit(0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return pid;
}

static void
t_who_runs_is_not_gone(void **state)
{
	struct sup_owner self, parent;

	(void)state;
	sup_owner_find(&self);
	assert_true(self.started > 0);
	assert_false(sup_owner_is_gone(&self, &self));
	/* Another one has the id now. */
	parent = self;
	parent.started++;
	assert_true(sup_owner_is_gone(&parent, &self));
}

static void
t_who_has_ended_is_gone(void **state)
{
	struct sup_owner self, other;

	(void)state;
	sup_owner_find(&self);
	other = self;
	other.pid = reaped();
	assert_true(sup_owner_is_gone(&other, &self));
	/* Who could not read when it was started has ended as well. */
	other.started = 0;
	assert_true(sup_owner_is_gone(&other, &self));
}

static void
t_no_start_time_is_no_proof(void **state)
{
	struct sup_owner self, other;
	pid_t pid;
	int status;

	(void)state;
	sup_owner_find(&self);
	other = self;
	other.started = 0;
	assert_false(sup_owner_is_gone(&other, &self));
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		/* Nothing can be opened: /proc says nothing of anybody. */
		const struct rlimit none = {0, 0};

		_exit(setrlimit(RLIMIT_NOFILE, &none) != 0
			? 9
			: sup_owner_is_gone(&self, &self));
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static void
t_other_places_say_nothing(void **state)
{
	struct sup_owner self, other;

	(void)state;
	sup_owner_find(&self);
	other = self;
	other.pid = reaped();
	other.host++;
	assert_false(sup_owner_is_gone(&other, &self));
	other.host = self.host;
	other.namespaces++;
	assert_false(sup_owner_is_gone(&other, &self));
	/* But of an earlier boot nobody is left, wherever. */
	other.boot++;
	assert_true(sup_owner_is_gone(&other, &self));
}

static void
t_names(void **state)
{
	char text[SUP_OWNER_TEXT], name[SUP_OWNER_TEXT + 8];
	struct sup_owner self, again;

	(void)state;
	sup_owner_find(&self);
	sup_owner_write(&self, text);
	assert_false(sup_owner_read(text, &again));
	(void)snprintf(name, sizeof(name), "%s.id", text);
	assert_true(sup_owner_read(name, &again));
	assert_memory_equal(&self, &again, sizeof(self));
	name[0] = 'x';
	assert_false(sup_owner_read(name, &again));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(t_who_runs_is_not_gone),
	    cmocka_unit_test(t_who_has_ended_is_gone),
	    cmocka_unit_test(t_no_start_time_is_no_proof),
	    cmocka_unit_test(t_other_places_say_nothing),
	    cmocka_unit_test(t_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
