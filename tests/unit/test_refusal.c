/*
 * What a refusal of the host means: its advice, whether a weaker way may be
 * tried, and whether it is remembered.
 */
#include "supervisor/refusal.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define EXITED(code) ((code) << 8)

static void
t_every_stage_and_errno_has_advice(void **state)
{
	(void)state;
	for (unsigned i = 0; i <= WIRE_STAGE_COUNT; i++) {
		const char *word = i < WIRE_STAGE_COUNT
		    ? wire_stage_word((enum wire_stage)i)
		    : SUP_STAGE_NAMESPACES;

		for (int error = 0; error < 140; error++)
			assert_true(
			    strlen(sup_refusal_advice(word, error)) > 10);
	}
}

static void
advises(const char *stage, int error, const char *word)
{
	const char *advice = sup_refusal_advice(stage, error);

	if (strstr(advice, word) == NULL)
		fail_msg("%s, %d: %s", stage, error, advice);
}

static void
t_advice_names_the_setting(void **state)
{
	(void)state;
	advises("namespaces", ENOSPC, "user.max_user_namespaces");
	advises("namespaces", EPERM, "kernel.unprivileged_userns_clone");
	advises("namespaces", EPERM,
	    "kernel.apparmor_restrict_unprivileged_userns");
	advises("namespaces", EPERM, "seccomp profile");
	advises("namespaces", EPERM, "chroot");
	advises("namespaces", EAGAIN, "out of processes");
	advises("maps", EROFS, "read-write");
	advises("maps", EPERM, "CAP_SETUID");
	advises("root", EPERM, "pivot_root");
	advises("root", EACCES, "kernel.apparmor_restrict_unprivileged_userns");
	advises("root", ENOSYS, "seccomp profile");
	advises("capabilities", EPERM, "seccomp profile");
	advises("ids", EINVAL, "weir doctor");
	advises("seccomp", EBUSY, "--trace");
	advises("seccomp", EINVAL, "5.7");
}

static struct sup_facts
facts(enum sup_exec_event cause)
{
	return (struct sup_facts){.cause = cause, .early_text = ""};
}

/* Each event that ends an attempt, as it is when nothing else is known. */
static void
t_which_ends_are_refusals(void **state)
{
	(void)state;
	for (int i = 0; i < SUP_EXEC_EVENTS; i++) {
		struct sup_facts f = facts((enum sup_exec_event)i);

		f.failed.stage = WIRE_STAGE_ROOT;
		assert_int_equal(sup_refusal_is(&f),
		    i == SUP_EVENT_REFUSED || i == SUP_EVENT_FAILED);
		/* the module's own status */
		f.exited = true;
		f.wait_status = EXITED(125);
		assert_int_equal(sup_refusal_is(&f),
		    i == SUP_EVENT_REFUSED || i == SUP_EVENT_FAILED ||
			i == SUP_EVENT_EXITED);
		/* never once something of the program was sent */
		f.ran = true;
		assert_false(sup_refusal_is(&f));
		f.ran = false;
		f.setup_site = "memory";
		assert_false(sup_refusal_is(&f));
	}
}

static void
t_stages_that_no_other_way_changes(void **state)
{
	(void)state;
	for (unsigned i = 0; i < WIRE_STAGE_COUNT; i++) {
		struct sup_facts f = facts(SUP_EVENT_FAILED);

		f.failed.stage = (uint16_t)i;
		assert_int_equal(sup_refusal_is(&f),
		    i != WIRE_STAGE_EXEC && i != WIRE_STAGE_PLAN);
	}
}

static void
t_statuses_of_the_interpreter(void **state)
{
	struct sup_facts f = facts(SUP_EVENT_EXITED);

	(void)state;
	f.exited = true;
	f.wait_status = EXITED(124);
	assert_false(sup_refusal_is(&f));
	f.wait_status = EXITED(125);
	assert_true(sup_refusal_is(&f));
	f.wait_status = EXITED(126);
	assert_false(sup_refusal_is(&f));
	for (int sig = 1; sig < 32; sig++) {
		f.wait_status = sig;
		assert_int_equal(sup_refusal_is(&f), sig == SIGSYS);
	}
}

/* Without its listener a traced program runs nowhere. */
static void
t_a_refused_listener_is_refused_everywhere(void **state)
{
	struct sup_facts f = facts(SUP_EVENT_EXITED);

	(void)state;
	f.exited = true;
	f.wait_status = EXITED(125);
	f.early_text = "weir: stage seccomp failed: errno 16";
	assert_true(sup_refusal_is(&f));
	f.traced = true;
	assert_false(sup_refusal_is(&f));
	f.early_text = "weir: stage landlock failed: errno 1";
	assert_true(sup_refusal_is(&f));
	f.early_text = "";
	assert_true(sup_refusal_is(&f));
}

static void
t_end_of_process_1(void **state)
{
	struct sup_facts f = facts(SUP_EVENT_GONE);

	(void)state;
	for (int sig = 0; sig < 32; sig++) {
		f.gone_signal = sig;
		assert_int_equal(sup_refusal_is(&f), sig == SIGSYS);
		assert_int_equal(sup_refusal_lasts(&f), sig == SIGSYS);
	}
}

/* A profile, a tenant or a network wish is not the host's refusal. */
static void
t_refusals_of_policy(void **state)
{
	struct sup_facts f = facts(SUP_EVENT_REFUSED);

	(void)state;
	f.refusal_kind = SUP_KIND_POLICY_REFUSED;
	assert_false(sup_refusal_is(&f));
}

static void
t_only_what_lasts_is_remembered(void **state)
{
	static const int lasting[] = {
	    EPERM, EACCES, ENOSYS, EINVAL, EOPNOTSUPP, EROFS};
	static const enum sup_exec_event causes[] = {
	    SUP_EVENT_REFUSED, SUP_EVENT_FAILED};

	(void)state;
	for (size_t c = 0; c < 2; c++) {
		for (int error = 0; error < 140; error++) {
			struct sup_facts f = facts(causes[c]);
			bool wanted = false;

			for (size_t i = 0; i < 6; i++)
				wanted = wanted || lasting[i] == error;
			f.failed.sys = error;
			assert_int_equal(sup_refusal_lasts(&f), wanted);
		}
	}
}

static void
t_what_the_module_says(void **state)
{
	struct sup_facts f = facts(SUP_EVENT_EXITED);
	enum wire_stage stage = WIRE_STAGE_PLAN;
	int error = 0;

	(void)state;
	f.exited = true;
	f.wait_status = EXITED(125);
	assert_false(sup_refusal_lasts(&f));
	f.early_text = "weir: stage seccomp failed: errno 1";
	assert_true(sup_refusal_lasts(&f));
	assert_true(sup_refusal_parse(f.early_text, &stage, &error));
	assert_int_equal(stage, WIRE_STAGE_SECCOMP);
	assert_int_equal(error, EPERM);
	f.early_text = "weir: stage seccomp failed: errno 12";
	assert_false(sup_refusal_lasts(&f));
	error = 7;
	assert_false(sup_refusal_parse(
	    "weir: stage walls failed: errno 1", &stage, &error));
	assert_false(sup_refusal_parse("", &stage, &error));
	assert_false(sup_refusal_parse(NULL, &stage, &error));
	assert_int_equal(error, 7);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(t_every_stage_and_errno_has_advice),
	    cmocka_unit_test(t_advice_names_the_setting),
	    cmocka_unit_test(t_which_ends_are_refusals),
	    cmocka_unit_test(t_stages_that_no_other_way_changes),
	    cmocka_unit_test(t_statuses_of_the_interpreter),
	    cmocka_unit_test(t_a_refused_listener_is_refused_everywhere),
	    cmocka_unit_test(t_end_of_process_1),
	    cmocka_unit_test(t_refusals_of_policy),
	    cmocka_unit_test(t_only_what_lasts_is_remembered),
	    cmocka_unit_test(t_what_the_module_says),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
