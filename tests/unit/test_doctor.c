/*
 * What doctor says: a reason and a cure for every refusal, the verdict, and a
 * report that is JSON whatever stands in it. Beside one step that no host can
 * refuse, nothing here looks at a host.
 */
#include "supervisor/doctor_report.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "wire/json.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const int words[] = {SUP_DOCTOR_KILLED, SUP_DOCTOR_LATE,
    SUP_DOCTOR_NOT_TRIED, SUP_DOCTOR_NO_EFFECT, SUP_DOCTOR_NOT_ISOLATED,
    SUP_DOCTOR_TOO_OLD};

/* A host of which nothing is known but that it is new enough. */
static struct sup_doctor_host
plain_host(void)
{
	struct sup_doctor_host host = {
	    .kernel = "6.1.0", .machine = "x86_64", .major = 6, .minor = 1};

	for (size_t i = 0; i < SUP_SETTING_COUNT; i++)
		host.setting[i] = SUP_SETTING_UNKNOWN;
	return host;
}

static struct sup_doctor_reason
explain(enum sup_doctor_step step, int error, struct sup_doctor_host host)
{
	struct sup_doctor_answer answer = {.error = error};
	struct sup_doctor_reason reason;

	memset(&reason, 0, sizeof(reason));
	sup_doctor_explain(step, &answer, &host, 0, &reason);
	return reason;
}

static void
put(char *to, const char *text)
{
	memcpy(to, text, strlen(text) + 1);
}

/* --- the tables ----------------------------------------------------------- */

static void
t_each_step_is_described(void **state)
{
	(void)state;
	for (unsigned i = 0; i < SUP_DOCTOR_COUNT; i++) {
		const struct sup_doctor_spec *spec =
		    sup_doctor_spec((enum sup_doctor_step)i);

		assert_non_null(spec->what);
		assert_true(strlen(spec->what) > 5 && strlen(spec->what) < 48);
		assert_non_null(spec->needed_for[0]);
		assert_int_equal(
		    spec->attempt == NULL, i == SUP_DOCTOR_EXECUTION);
		/* only what comes before can be missing */
		assert_int_equal(spec->needs >> i, 0);
		assert_true(
		    strlen(sup_doctor_word((enum sup_doctor_step)i)) < 18);
	}
}

static void
t_each_step_has_a_fallback(void **state)
{
	(void)state;
	for (unsigned i = 0; i < SUP_DOCTOR_COUNT; i++)
		assert_true(sup_doctor_has_fallback((enum sup_doctor_step)i));
}

/* Any step, any error, any host. */
static void
t_nothing_is_left_unexplained(void **state)
{
	(void)state;
	for (unsigned i = 0; i < SUP_DOCTOR_COUNT; i++) {
		for (int error = 1; error < 134 + (int)COUNT(words); error++) {
			int is = error < 134 ? error : words[error - 134];
			struct sup_doctor_host host = plain_host();
			struct sup_doctor_reason reason;

			for (int bits = 0; bits < 8; bits++) {
				host.filtered = (bits & 1) != 0;
				host.chroot = (bits & 2) != 0;
				host.only_root = (bits & 4) != 0;
				host.major = (unsigned)(4 + bits % 3);
				reason =
				    explain((enum sup_doctor_step)i, is, host);
				assert_true(strlen(reason.error) > 5);
				assert_true(strlen(reason.reason) > 10);
				assert_true(strlen(reason.cure) > 10);
				assert_null(strchr(reason.cure, '\n'));
			}
		}
	}
}

/* --- which row ------------------------------------------------------------ */

static void
says(struct sup_doctor_reason reason, const char *error, const char *why,
    const char *cure)
{
	if (strstr(reason.error, error) == NULL ||
	    strstr(reason.reason, why) == NULL ||
	    strstr(reason.cure, cure) == NULL)
		fail_msg(
		    "%s / %s / %s", reason.error, reason.reason, reason.cure);
}

static void
t_settings_of_namespaces(void **state)
{
	static const struct {
		enum sup_doctor_step step;
		enum sup_doctor_setting setting;
	} rows[] = {
	    {SUP_DOCTOR_USER_NAMESPACE, SUP_SETTING_MAX_USER},
	    {SUP_DOCTOR_PID_NAMESPACE, SUP_SETTING_MAX_PID},
	    {SUP_DOCTOR_MOUNT_NAMESPACE, SUP_SETTING_MAX_MNT},
	    {SUP_DOCTOR_NETWORK_NAMESPACE, SUP_SETTING_MAX_NET},
	    {SUP_DOCTOR_IPC_NAMESPACE, SUP_SETTING_MAX_IPC},
	    {SUP_DOCTOR_UTS_NAMESPACE, SUP_SETTING_MAX_UTS},
	    {SUP_DOCTOR_CGROUP_NAMESPACE, SUP_SETTING_MAX_CGROUP},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		const char *name = sup_doctor_setting_name(rows[i].setting);
		struct sup_doctor_host host = plain_host();
		char value[64];

		says(explain(rows[i].step, ENOSPC, host),
		    "ENOSPC: ", "is reached", name);
		host.setting[rows[i].setting] = 0;
		(void)snprintf(value, sizeof(value), "(%s is 0)", name);
		says(explain(rows[i].step, ENOSPC, host), "ENOSPC: ", value,
		    name);
		host.setting[rows[i].setting] = 7;
		(void)snprintf(value, sizeof(value), "(%s is 7)", name);
		says(explain(rows[i].step, ENOSPC, host), "ENOSPC: ", value,
		    name);
	}
}

static void
t_who_refuses_user_namespaces(void **state)
{
	const enum sup_doctor_step step = SUP_DOCTOR_USER_NAMESPACE;
	struct sup_doctor_host host = plain_host();

	(void)state;
	says(explain(step, EPERM, host), "EPERM: ", "security module", "dmesg");
	host.setting[SUP_SETTING_APPARMOR] = 1;
	says(explain(step, EPERM, host), "EPERM: ", "AppArmor",
	    "apparmor_restrict_unprivileged_userns=0");
	says(explain(SUP_DOCTOR_TMPFS, EACCES, host), "EACCES: ", "AppArmor",
	    "apparmor_restrict_unprivileged_userns=0");
	host.filtered = true;
	says(explain(step, EPERM, host), "EPERM: ", "filter", "seccomp");
	says(explain(step, ENOSYS, host), "ENOSYS: ", "filter", "seccomp");
	host.chroot = true;
	says(explain(step, EPERM, host), "EPERM: ", "in a chroot", "outside");
	host.setting[SUP_SETTING_USERNS_CLONE] = 0;
	says(explain(step, EPERM, host),
	    "EPERM: ", "(kernel.unprivileged_userns_clone is 0)",
	    "kernel.unprivileged_userns_clone=1");
	says(explain(step, EINVAL, host), "EINVAL: ", "built without",
	    "CONFIG_NAMESPACES");
}

static void
t_who_refuses_other_steps(void **state)
{
	struct sup_doctor_host host = plain_host();

	(void)state;
	says(explain(SUP_DOCTOR_PROC, ENOENT, host), "ENOENT", "not mounted",
	    "mount -t proc");
	says(explain(SUP_DOCTOR_ID_MAPS, EROFS, host), "EROFS", "read-only",
	    "read-write");
	says(explain(SUP_DOCTOR_LANDLOCK, ENOSYS, host), "ENOSYS",
	    "without Landlock", "CONFIG_SECURITY_LANDLOCK");
	says(explain(SUP_DOCTOR_LANDLOCK, EOPNOTSUPP, host), "EOPNOTSUPP",
	    "switched off at boot", "lsm=");
	says(explain(SUP_DOCTOR_LANDLOCK, E2BIG, host), "E2BIG", "(16)",
	    "outside");
	says(explain(SUP_DOCTOR_LANDLOCK_ABI, SUP_DOCTOR_TOO_OLD, host),
	    "too old", "truncate", "Linux 6.2");
	says(explain(SUP_DOCTOR_WORKSPACE_BASE, EPERM, host), "EPERM",
	    "not a private directory", "remove");
	(void)snprintf(host.lsm, sizeof(host.lsm), "%s", "capability,yama");
	says(explain(SUP_DOCTOR_LANDLOCK, EOPNOTSUPP, host), "EOPNOTSUPP",
	    "/sys/kernel/security/lsm", "lsm=");
	says(explain(SUP_DOCTOR_SECCOMP, EINVAL, host), "EINVAL",
	    "without system-call filters", "CONFIG_SECCOMP_FILTER");
	says(explain(SUP_DOCTOR_EPOLL, EMFILE, host), "EMFILE",
	    "no more descriptors", "ulimit -n");
	host.status.read = true;
	says(explain(SUP_DOCTOR_ID_MAPS, EPERM, host), "EPERM", "no right",
	    "CAP_SETUID");
	host.status.caps[2] = UINT64_MAX;
	says(explain(SUP_DOCTOR_ID_MAPS, EPERM, host), "EPERM",
	    "does not take the map", "whose id is mapped");
	host.only_root = true;
	says(explain(SUP_DOCTOR_ID_MAPS, EPERM, host), "EPERM", "only id",
	    "second uid");
	host.filtered = true;
	says(explain(SUP_DOCTOR_SECCOMP, EINVAL, host), "EINVAL", "filter",
	    "container");
	says(explain(SUP_DOCTOR_LANDLOCK_ABI, SUP_DOCTOR_TOO_OLD, host),
	    "too old", "truncate", "Linux 6.2");
	says(explain(SUP_DOCTOR_WORKSPACE_BASE, EPERM, host), "EPERM",
	    "not a private directory", "remove");
	says(explain(SUP_DOCTOR_NETWORK_LINKS, EPERM, host), "EPERM", "filter",
	    "socket(AF_INET");
	says(explain(SUP_DOCTOR_PIDFD, SUP_DOCTOR_KILLED, host),
	    "without an answer", "filter", "container");
	host.filtered = false;
	host.major = 5;
	host.minor = 13;
	says(explain(SUP_DOCTOR_BIND_MOUNT, EINVAL, host), "EINVAL", "too old",
	    "5.14");
	host.minor = 14;
	says(explain(SUP_DOCTOR_BIND_MOUNT, EINVAL, host), "EINVAL",
	    "does not allow this mount", "dmesg");
}

static void
t_what_was_not_tried(void **state)
{
	struct sup_doctor_answer answer = {.error = SUP_DOCTOR_NOT_TRIED};
	struct sup_doctor_host host = plain_host();
	struct sup_doctor_reason reason;

	(void)state;
	sup_doctor_explain(SUP_DOCTOR_TMPFS, &answer, &host,
	    SUP_DOCTOR_BIT(SUP_DOCTOR_MOUNT_NAMESPACE) |
		SUP_DOCTOR_BIT(SUP_DOCTOR_EPOLL),
	    &reason);
	says(reason, "not tried", "it needs mount_namespace",
	    "see mount_namespace");
	assert_int_equal(sup_doctor_missing(SUP_DOCTOR_TMPFS,
			     SUP_DOCTOR_BIT(SUP_DOCTOR_EPOLL)),
	    SUP_DOCTOR_COUNT);
}

static void
t_chroots_are_seen(void **state)
{
	(void)state;
	assert_false(sup_doctor_is_chroot(""));
	assert_false(
	    sup_doctor_is_chroot("30 1 8:1 / /proc rw - proc proc rw\n"
				 "29 1 8:1 / / rw - ext4 /dev/a rw\n"));
	assert_true(
	    sup_doctor_is_chroot("30 1 8:1 / /proc rw - proc proc rw\n"
				 "31 1 8:1 / /usr rw - ext4 /dev/a rw\n"));
	assert_true(sup_doctor_is_chroot("x"));
}

/* --- report and verdict --------------------------------------------------- */

#define ISOLATION                                                              \
	"{\"level\":\"isolated\",\"guarantees\":{\"filesystem\":{\"grade\":"   \
	"\"enforced\",\"evidence\":\"own \\\"mounts\\\"\"}}}"

static struct sup_doctor_report *
new_report(void)
{
	struct sup_doctor_report *report = calloc(1, sizeof(*report));

	assert_non_null(report);
	report->host = plain_host();
	report->isolation = WIRE_LIT(ISOLATION);
	report->python = WIRE_LIT("\"3.11.2\"");
	return report;
}

static void
t_verdicts(void **state)
{
	struct sup_doctor_report *report = new_report();

	(void)state;
	sup_doctor_conclude(report);
	assert_true(report->available);
	assert_string_equal(report->level, "isolated");
	assert_string_equal(report->verdict, "isolated: available");
	report->answers[SUP_DOCTOR_LANDLOCK].error = ENOSYS;
	report->answers[SUP_DOCTOR_PROPAGATION].error = EPERM;
	sup_doctor_conclude(report);
	assert_true(report->available);
	assert_string_equal(report->verdict,
	    "isolated: available; without propagation, landlock");
	/* the first step that the level needs, not the first of all */
	report->answers[SUP_DOCTOR_PROPAGATION].error = 0;
	report->answers[SUP_DOCTOR_RLIMITS].error = EPERM;
	report->answers[SUP_DOCTOR_EXECUTION].error = SUP_DOCTOR_NOT_ISOLATED;
	report->isolation.len = 0;
	sup_doctor_conclude(report);
	assert_false(report->available);
	assert_string_equal(report->level, "none");
	assert_string_equal(report->verdict,
	    "isolated: not available: rlimits: this process may not lower its "
	    "own limits; look for a security module or a filter that forbids "
	    "prlimit64");
	/* when no step says why, the execution does */
	report->answers[SUP_DOCTOR_RLIMITS].error = 0;
	put(report->reasons[SUP_DOCTOR_EXECUTION].reason, "because");
	put(report->reasons[SUP_DOCTOR_EXECUTION].cure, "change");
	sup_doctor_conclude(report);
	assert_string_equal(report->verdict,
	    "isolated: not available: execution: because; change");
	free(report);
}

/* The report, which has to be one line of strict JSON. */
static size_t
to_json(const struct sup_doctor_report *report, char *text, size_t max)
{
	struct wire_json_member members[16];
	struct wire_json_scratch scratch;
	void *memory = malloc(wire_json_scratch_size(1024));
	struct wire_out out;
	size_t len = 0, count = 0;

	wire_out_init(&out, (uint8_t *)text, max - 1);
	sup_doctor_put_json(report, &out);
	assert_int_equal(wire_out_finish(&out, &len), WIRE_OK);
	text[len] = '\0';
	assert_int_equal(text[len - 1], '\n');
	assert_ptr_equal(strchr(text, '\n'), text + len - 1);
	wire_json_scratch_init(&scratch, memory, 1024, 1);
	assert_int_equal(
	    wire_json_scan_object(
		(struct wire_span){(const uint8_t *)text, len}, WIRE_MAX_DEPTH,
		&scratch, members, 16, &count, NULL),
	    WIRE_OK);
	assert_int_equal(count, 10);
	free(memory);
	return len;
}

static void
t_json(void **state)
{
	static char text[256 * 1024];
	struct sup_doctor_report *report = new_report();

	(void)state;
	sup_doctor_conclude(report);
	(void)to_json(report, text, sizeof(text));
	assert_non_null(
	    strstr(text, "\"schema\":\"weir.doctor/1\",\"ok\":true"));
	assert_non_null(strstr(text, "\"isolation\":" ISOLATION));
	assert_non_null(strstr(text, "\"python\":\"3.11.2\""));
	assert_non_null(strstr(text, "\"capabilities\":null"));
	assert_non_null(strstr(text,
	    "{\"name\":\"proc\",\"ok\":true,\"errno\":null,\"error\":null,"
	    "\"reason\":null,\"cure\":null,\"needed_for\":[\"isolated\","));

	/* bytes that are no text, and as long as they can be */
	for (unsigned i = 0; i < SUP_DOCTOR_COUNT; i++) {
		report->answers[i].error = i % 2 == 0 ? EPERM : words[i % 5];
		memset(report->answers[i].detail, i % 2 == 0 ? 0xff : '\n',
		    SUP_DOCTOR_DETAIL - 1);
		memset(report->reasons[i].reason, 0x80, SUP_DOCTOR_TEXT - 1);
		memset(report->reasons[i].cure, '\\', SUP_DOCTOR_TEXT - 1);
	}
	report->isolation.len = report->python.len = 0;
	sup_doctor_conclude(report);
	(void)to_json(report, text, sizeof(text));
	assert_non_null(strstr(text, "\"isolation\":null"));
	assert_non_null(strstr(text, "\"errno\":1,"));
	free(report);
}

static void
t_each_required_step_is_of_a_way(void **state)
{
	(void)state;
	for (unsigned i = 0; i < SUP_DOCTOR_COUNT; i++) {
		uint64_t bit = SUP_DOCTOR_BIT(i);
		const char *const *needed =
		    sup_doctor_spec((enum sup_doctor_step)i)->needed_for;
		bool isolated = strcmp(needed[0], "isolated") == 0;
		bool process = strcmp(needed[0], "process") == 0 ||
		    (needed[1] != NULL && strcmp(needed[1], "process") == 0);

		/* A run has its way around what it lacks of pidfds. */
		if (i == SUP_DOCTOR_EXECUTION || i == SUP_DOCTOR_PIDFD)
			continue;
		assert_int_equal(
		    sup_doctor_way_missing(SUP_WAY_ISOLATED, bit) != 0,
		    isolated);
		assert_int_equal(
		    sup_doctor_way_missing(SUP_WAY_PLAIN, bit) != 0, process);
		if (process)
			assert_int_not_equal(
			    sup_doctor_way_missing(SUP_WAY_NAMESPACES, bit), 0);
	}
	assert_int_equal(sup_doctor_way_missing(SUP_WAY_NAMESPACES,
			     SUP_DOCTOR_BIT(SUP_DOCTOR_PIVOT_ROOT)),
	    0);
	assert_int_not_equal(sup_doctor_way_missing(SUP_WAY_NAMESPACES,
				 SUP_DOCTOR_BIT(SUP_DOCTOR_USER_NAMESPACE)),
	    0);
}

/* The whole report as text; the caller frees it. */
static char *
to_text(const struct sup_doctor_report *report)
{
	char *text = NULL;
	size_t len = 0;
	FILE *stream = open_memstream(&text, &len);

	sup_doctor_put_text(report, stream);
	assert_int_equal(fclose(stream), 0);
	return text;
}

static void
t_ways(void **state)
{
	static char json[256 * 1024];
	struct sup_doctor_report *report = new_report();
	char *text;

	(void)state;
	report->answers[SUP_DOCTOR_USER_NAMESPACE].error = EPERM;
	report->answers[SUP_DOCTOR_EXECUTION].error = SUP_DOCTOR_NOT_ISOLATED;
	put(report->answers[SUP_DOCTOR_WORKSPACE_BASE].detail, "/tmp/weir-7");
	put(report->ways[SUP_WAY_ISOLATED].error, "clone");
	put(report->ways[SUP_WAY_NAMESPACES].error, "clone");
	report->ways[SUP_WAY_PLAIN].available = true;
	report->ways[SUP_WAY_PLAIN].guarantees =
	    WIRE_LIT("{\"network\":{\"grade\":\"unverified\",\"evidence\":"
		     "\"e\"},\"cpu\":{\"grade\":\"enforced\","
		     "\"evidence\":\"unverified\"},\"identity\":{"
		     "\"grade\":\"unavailable\",\"evidence\":\"\"}}");
	sup_doctor_conclude(report);
	(void)to_json(report, json, sizeof(json));
	assert_non_null(strstr(json,
	    "{\"way\":\"isolated\",\"level\":\"isolated\",\"available\":"
	    "false,\"missing\":[\"user_namespace\"],\"error\":\"clone\","
	    "\"reason\":\"a security module"));
	assert_non_null(strstr(json,
	    "{\"way\":\"plain\",\"level\":\"process\",\"available\":true,"
	    "\"missing\":[],\"error\":null,\"reason\":null,\"cure\":null,"
	    "\"guarantees\":{\"network\""));
	assert_non_null(strstr(json,
	    "\"workspace\":{\"base\":\"/tmp/weir-7\",\"bytes\":67108864,"));
	text = to_text(report);
	assert_non_null(strstr(text,
	    "\nprocess, in namespaces  not available: user_namespace: a "
	    "security module"));
	assert_non_null(strstr(text,
	    "\nprocess, without any    available; unavailable: identity; "
	    "unverified: network\n"));
	assert_non_null(strstr(text, " is a directory in /tmp/weir-7 that "));
	free(text);
	free(report);
}

/* Where no step says why, the execution does; where there was none, the step
 * that it needed. */
static void
t_ways_without_a_step(void **state)
{
	struct sup_doctor_report *report = new_report();
	char *text;

	(void)state;
	put(report->ways[SUP_WAY_PLAIN].error, "the reason");
	put(report->ways[SUP_WAY_PLAIN].cure, "the change");
	report->answers[SUP_DOCTOR_PROC].error = ENOENT;
	report->answers[SUP_DOCTOR_EXECUTION].error = SUP_DOCTOR_NOT_TRIED;
	sup_doctor_conclude(report);
	assert_string_equal(report->ways[SUP_WAY_ISOLATED].error,
	    "it needs proc, which was refused");
	report->failed = 0;
	text = to_text(report);
	assert_non_null(strstr(text,
	    "\nprocess, without any    not available: the reason\n"
	    "      cure: the change\n"));
	free(text);
	free(report);
}

static void
t_text(void **state)
{
	struct sup_doctor_report *report = new_report();
	char *text = NULL;
	size_t len = 0;
	FILE *stream = open_memstream(&text, &len);

	(void)state;
	report->answers[SUP_DOCTOR_LANDLOCK].error = ENOSYS;
	put(report->answers[SUP_DOCTOR_LANDLOCK].detail, "the call");
	put(report->answers[SUP_DOCTOR_INTERPRETER].detail, "/p");
	sup_doctor_conclude(report);
	sup_doctor_put_text(report, stream);
	assert_int_equal(fclose(stream), 0);
	assert_non_null(strstr(text, "\nok  epoll             "));
	assert_non_null(strstr(text, "is installed               /p\n"));
	assert_non_null(strstr(text,
	    "ENOSYS: Function not implemented\n      at: the call\n"
	    "      reason: the kernel was built without Landlock"));
	assert_non_null(strstr(
	    text, "\nfilesystem            enforced    own \"mounts\"\n"));
	assert_non_null(
	    strstr(text, "\nisolated: available; without landlock\n"));
	free(text);
	free(report);
}

/* --- trying --------------------------------------------------------------- */

static void
t_answers_come_out_of_the_child(void **state)
{
	struct sup_doctor_try attempt = {.python = "/nowhere/python3"};
	struct sup_doctor_answer answer;

	(void)state;
	assert_int_equal(
	    sup_doctor_attempt(SUP_DOCTOR_INTERPRETER, &attempt, &answer), 0);
	assert_int_equal(answer.error, ENOENT);
	assert_non_null(strstr(answer.detail, "/nowhere/python3"));
	/* what the one said is not in the next */
	assert_int_equal(
	    sup_doctor_attempt(SUP_DOCTOR_EPOLL, &attempt, &answer), 0);
	assert_int_equal(answer.error, 0);
	assert_string_equal(answer.detail, "");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(t_each_step_is_described),
	    cmocka_unit_test(t_each_step_has_a_fallback),
	    cmocka_unit_test(t_nothing_is_left_unexplained),
	    cmocka_unit_test(t_settings_of_namespaces),
	    cmocka_unit_test(t_who_refuses_user_namespaces),
	    cmocka_unit_test(t_who_refuses_other_steps),
	    cmocka_unit_test(t_what_was_not_tried),
	    cmocka_unit_test(t_chroots_are_seen),
	    cmocka_unit_test(t_verdicts),
	    cmocka_unit_test(t_json),
	    cmocka_unit_test(t_each_required_step_is_of_a_way),
	    cmocka_unit_test(t_ways),
	    cmocka_unit_test(t_ways_without_a_step),
	    cmocka_unit_test(t_text),
	    cmocka_unit_test(t_answers_come_out_of_the_child),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
