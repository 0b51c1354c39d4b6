/*
 * What is traced: the filter that asks, what the policy says of a refused
 * call, and how refusals are counted and written.
 */
#include "tests/unit/filter_help.h"

#include <stdlib.h>

#include "supervisor/trace.h"
#include "tests/unit/filter_rows.h"

#define ASKS SECCOMP_RET_USER_NOTIF

/* By which both sides of a comparison go. */
static struct {
	bool network, processes, shared_uid;
} granted;

static struct program
compile_one(enum sup_filter_arch arch, bool shared_uid, bool trace)
{
	const struct sup_filter_params params = {.arch = arch,
	    .own_pid = OWN,
	    .shared_uid = shared_uid,
	    .network = granted.network,
	    .processes = granted.processes};
	struct program program;

	assert_int_equal(sup_filter_compile(&params, program.insns,
			     SUP_FILTER_MAX, &program.len),
	    WIRE_OK);
	if (trace)
		sup_filter_ask(program.insns, program.len);
	assert_true(bpf_check(program.insns, program.len));
	return program;
}

/* What the policy says of it, for an own id that is never met. */
static void
ask(enum sup_filter_arch arch, uint32_t nr, const uint64_t args[6],
    struct sup_filter_why *why)
{
	const struct sup_filter_params params = {.arch = arch,
	    .own_pid = WIRE_PLAN_OWN_PID,
	    .shared_uid = granted.shared_uid,
	    .network = granted.network,
	    .processes = granted.processes};

	sup_filter_why(&params, nr, args, why);
}

/* --- the filter that asks ------------------------------------------------- */

/* One call by both filters; and what the policy says of it. */
static void
compare(const struct program *plain, const struct program *traced,
    enum sup_filter_arch arch, uint32_t nr, const uint64_t args[6])
{
	const uint32_t is = verdict(plain, arch, nr, args);
	const uint32_t got = verdict(traced, arch, nr, args);
	struct sup_filter_why why;

	if ((is & SECCOMP_RET_ACTION_FULL) != SECCOMP_RET_ERRNO) {
		if (got != is)
			fail_msg(
			    "arch %u, %u: %#x, not %#x", arch, nr, got, is);
		return;
	}
	if (got != ASKS)
		fail_msg("arch %u, %u: %#x, and it should ask", arch, nr, got);
	ask(arch, nr, args, &why);
	if ((uint32_t)why.error != (is & SECCOMP_RET_DATA))
		fail_msg("arch %u, %u: errno %d, not %u", arch, nr, why.error,
		    is & SECCOMP_RET_DATA);
}

static void
compare_all(void)
{
	static const uint64_t none[6];

	for (unsigned both = 0; both < 2 * SUP_FILTER_ARCHES; both++) {
		const enum sup_filter_arch arch = both / 2;
		struct program plain = compile_one(arch, both % 2, false);
		struct program traced = compile_one(arch, both % 2, true);

		assert_int_equal(plain.len, traced.len);
		for (uint32_t nr = 0; nr < 1000; nr++)
			compare(&plain, &traced, arch, nr, none);
		for (uint32_t nr = 0x3ffffff0; nr < 0x40000200; nr++)
			compare(&plain, &traced, arch, nr, none);
		compare(&plain, &traced, arch, UINT32_MAX, none);
		for (size_t i = 0; i < ROWS; i++) {
			int nr = number(arch, rows[i].name);

			if (nr >= 0)
				compare(&plain, &traced, arch, (uint32_t)nr,
				    rows[i].args);
		}
	}
}

static void
t_what_is_refused_asks(void **state)
{
	(void)state;
	for (unsigned grants = 0; grants < 4; grants++) {
		granted.network = grants % 2;
		granted.processes = grants / 2;
		compare_all();
	}
	granted.network = granted.processes = false;
}

static void
t_foreign_calls_are_killed_and_do_not_ask(void **state)
{
	struct program traced = compile_one(SUP_FILTER_X86_64, false, true);
	struct seccomp_data data = {.nr = 1, .arch = AUDIT_ARCH_I386};

	(void)state;
	assert_int_equal(bpf_run(traced.insns, &data, NULL), KILL);
	assert_int_equal(
	    verdict(&traced, SUP_FILTER_X86_64, 0x40000000u, NULL), KILL);
}

/* --- what the policy says ------------------------------------------------- */

static void
t_names_are_libseccomps(void **state)
{
	static const uint64_t none[6];
	struct sup_filter_why why;
	size_t named = 0;

	(void)state;
	for (unsigned arch = 0; arch < SUP_FILTER_ARCHES; arch++) {
		for (uint32_t nr = 0; nr < 700; nr++) {
			char *theirs = seccomp_syscall_resolve_num_arch(
			    audit_arches[arch], (int)nr);

			ask(arch, nr, none, &why);
			named += why.name != NULL;
			/* Calls that are newer than this libseccomp. */
			if (theirs == NULL && nr > 450)
				continue;
			if (theirs == NULL ? why.name != NULL
					   : why.name == NULL ||
				    strcmp(why.name, theirs) != 0)
				fail_msg("arch %u, %u: %s, not %s", arch, nr,
				    why.name != NULL ? why.name : "(none)",
				    theirs != NULL ? theirs : "(none)");
			free(theirs);
		}
		ask(arch, 0x3fffffff, none, &why);
		assert_null(why.name);
		ask(arch, 469, none, &why);
		assert_non_null(why.name);
	}
	assert_true(named > 600);
}

#define NO UINT64_MAX /* an argument that is not looked at */

/* By name, the arguments as they are and as they are seen. */
static void
sees(const char *name, const char *group, const uint64_t args[6],
    const uint64_t seen[6])
{
	struct sup_filter_why why;

	for (unsigned arch = 0; arch < SUP_FILTER_ARCHES; arch++) {
		int nr = number(arch, name);

		if (nr < 0)
			continue;
		ask(arch, (uint32_t)nr, args, &why);
		assert_string_equal(why.name, name);
		if (group == NULL)
			assert_null(why.group);
		else
			assert_string_equal(why.group->word, group);
		for (size_t i = 0; i < 6; i++) {
			if (why.seen[i].seen != (seen[i] != NO))
				fail_msg("%s: argument %zu", name, i);
			if (why.seen[i].seen && why.seen[i].value != seen[i])
				fail_msg("%s: argument %zu: %#llx", name, i,
				    (unsigned long long)why.seen[i].value);
		}
	}
}

#define SEES(name, group, a, b, c, d, e, is_a, is_b, is_c, is_d, is_e)         \
	sees(name, group, (const uint64_t[6]){a, b, c, d, e, 0},               \
	    (const uint64_t[6]){is_a, is_b, is_c, is_d, is_e, NO})

static void
t_the_arguments_that_decided(void **state)
{
	(void)state;
	SEES("socket", "network", AF_INET, 1, 0, 0, 0, NO, NO, NO, NO, NO);
	SEES("execve", "processes", PTR, 0, 0, 0, 0, NO, NO, NO, NO, NO);
	SEES("execveat", NULL, PTR, 0, 0, 0, 0, NO, NO, NO, NO, NO);
	SEES("chmod", "modes beside the host's", PTR, 04777, 0, 0, 0, NO,
	    S_ISUID, NO, NO, NO);
	SEES("openat", "files beside the host's", 3, PTR, O_CREAT | O_RDWR,
	    02755, 0, NO, NO, O_CREAT, S_ISGID, NO);
	granted.shared_uid = true;
	SEES("chmod", "modes beside the host's", PTR, 04777, 0, 0, 0, NO, NO,
	    NO, NO, NO);
	granted.shared_uid = false;
	SEES("clone3", "absent", PTR, 88, 0, 0, 0, NO, NO, NO, NO, NO);
	SEES("kill", "own signals", 1, 9, 0, 0, 0, 1, NO, NO, NO, NO);
	SEES("kill", "own signals", OWN | HI, 9, 0, 0, 0, OWN | HI, NO, NO, NO,
	    NO);
	/* what may be there is not shown, the high half is */
	SEES("clone", "threads", SIGCHLD | CLONE_SETTLS, 0, 0, 0, 0, SIGCHLD,
	    NO, NO, NO, NO);
	SEES("clone", "threads", HI | SIGCHLD, 0, 0, 0, 0, HI | SIGCHLD, NO, NO,
	    NO, NO);
	/* the first test that does not hold is the last that is looked at */
	SEES("fcntl", "descriptors", 3, F_SETOWN | HI, O_ASYNC, 0, 0, NO,
	    F_SETOWN, NO, NO, NO);
	SEES("fcntl", "descriptors", 3, F_SETFL, O_ASYNC | O_NONBLOCK, 0, 0, NO,
	    F_SETFL, O_ASYNC, NO, NO);
	SEES("prctl", "self", PR_SET_DUMPABLE, 1, 0, 0, 0, PR_SET_DUMPABLE, NO,
	    NO, NO, NO);
	SEES("prctl", "self", PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, 1, 0, 0,
	    PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, NO, NO, NO);
	SEES("socketpair", "socket pairs", AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC,
	    7, 0, 0, AF_UNIX, SOCK_DGRAM, NO, NO, NO);
	SEES("mknodat", "files beside the host's", 3, PTR, S_IFSOCK | 0600, 0,
	    0, NO, NO, S_IFSOCK, NO, NO);
	/* a pointer is there or it is not */
	SEES("prlimit64", "self", 0, 7, PTR, 0, 0, 0, NO, 1, NO, NO);
	SEES("prlimit64", "self", 5, 7, PTR, 0, 0, 5, NO, NO, NO, NO);
	SEES("sendto", "socket pairs", 3, PTR, 1, 0, PTR, NO, NO, NO, NO, 1);
}

/* --- counting ------------------------------------------------------------- */

static struct sup_trace trace;

static void
note(uint32_t nr, uint64_t first, size_t times)
{
	const uint64_t args[6] = {first};
	struct sup_filter_why why;

	ask(SUP_FILTER_X86_64, nr, args, &why);
	while (times-- > 0)
		sup_trace_note(&trace, nr, &why);
}

static const char *
text_of_trace(void)
{
	static char text[SUP_TRACE_TEXT + 1];
	size_t len;

	assert_int_equal(
	    sup_trace_format(&trace, (uint8_t *)text, SUP_TRACE_TEXT, &len),
	    WIRE_OK);
	text[len] = '\0';
	return text;
}

static void
t_nothing_is_a_line_too(void **state)
{
	(void)state;
	memset(&trace, 0, sizeof(trace));
	assert_string_equal(text_of_trace(),
	    "{\"event\":\"end\",\"refused\":0,\"rows\":0,\"left_out\":0}\n");
}

static void
t_rows_are_in_order_and_counted(void **state)
{
	(void)state;
	memset(&trace, 0, sizeof(trace));
	note(62, 1, 2);	    /* kill */
	note(41, 2, 1);	    /* socket */
	note(62, 3, 1);	    /* of another process */
	note(41, 10, 1);    /* the same to the policy */
	note(62, 1, 1);	    /* again */
	note(435, PTR, 1);  /* clone3 */
	note(999, 0, 1);    /* no name */
	note(183, 0, 1000); /* afs_syscall, named and never there */
	assert_string_equal(text_of_trace(),
	    "{\"event\":\"refused\",\"count\":3,\"call\":\"kill\","
	    "\"number\":62,\"arguments\":{\"0\":1},\"error\":\"EPERM\","
	    "\"group\":\"own signals\",\"reason\":\"the process's own "
	    "handlers, "
	    "and signals to itself\"}\n"
	    "{\"event\":\"refused\",\"count\":2,\"call\":\"socket\","
	    "\"number\":41,\"arguments\":{},\"error\":\"EPERM\","
	    "\"group\":\"network\",\"reason\":\"only where it is granted: "
	    "the host's, by TCP and UDP, both ways\"}\n"
	    "{\"event\":\"refused\",\"count\":1,\"call\":\"kill\","
	    "\"number\":62,\"arguments\":{\"0\":3},\"error\":\"EPERM\","
	    "\"group\":\"own signals\",\"reason\":\"the process's own "
	    "handlers, "
	    "and signals to itself\"}\n"
	    "{\"event\":\"refused\",\"count\":1,\"call\":\"clone3\","
	    "\"number\":435,\"arguments\":{},\"error\":\"ENOSYS\","
	    "\"group\":\"absent\",\"reason\":\"libraries fall back when the "
	    "kernel lacks these; EPERM would make them fail\"}\n"
	    "{\"event\":\"refused\",\"count\":1,\"call\":null,"
	    "\"number\":999,\"arguments\":{},\"error\":\"ENOSYS\","
	    "\"group\":null,\"reason\":null}\n"
	    "{\"event\":\"refused\",\"count\":1000,\"call\":\"afs_syscall\","
	    "\"number\":183,\"arguments\":{},\"error\":\"EPERM\","
	    "\"group\":null,\"reason\":null}\n"
	    "{\"event\":\"end\",\"refused\":1008,\"rows\":6,"
	    "\"left_out\":0}\n");
}

static void
t_a_pointer_is_no_row_of_its_own(void **state)
{
	struct sup_filter_why why;

	(void)state;
	memset(&trace, 0, sizeof(trace));
	for (uint64_t p = 1; p < 1000; p++) {
		const uint64_t args[6] = {0, 7, p << 12};

		ask(SUP_FILTER_X86_64, 302, args, &why);
		sup_trace_note(&trace, 302, &why);
	}
	assert_string_equal(text_of_trace(),
	    "{\"event\":\"refused\",\"count\":999,\"call\":\"prlimit64\","
	    "\"number\":302,\"arguments\":{\"0\":0,\"2\":\"not 0\"},"
	    "\"error\":\"EPERM\",\"group\":\"self\",\"reason\":\"questions "
	    "about itself; what it may set is its name, umask and "
	    "directory\"}\n"
	    "{\"event\":\"end\",\"refused\":999,\"rows\":1,\"left_out\":0}\n");
}

/* At the most rows, one past it, and far beyond; what has a row counts on. */
static void
t_rows_are_bounded(void **state)
{
	(void)state;
	memset(&trace, 0, sizeof(trace));
	for (uint64_t pid = 0; pid < SUP_TRACE_ROWS; pid++)
		note(62, 100 + pid, 1);
	assert_int_equal(trace.row_count, SUP_TRACE_ROWS);
	assert_int_equal(trace.left_out, 0);
	note(62, 1, 1);
	assert_int_equal(trace.row_count, SUP_TRACE_ROWS);
	assert_int_equal(trace.left_out, 1);
	for (uint64_t pid = 0; pid < 10000; pid++)
		note(62, 1000 + pid, 1);
	note(62, 100, 1);
	note(62, 99 + SUP_TRACE_ROWS, 2);
	assert_int_equal(trace.left_out, 10001);
	assert_int_equal(trace.refused, SUP_TRACE_ROWS + 10001 + 3);
	assert_int_equal(trace.rows[0].count, 2);
	assert_int_equal(trace.rows[SUP_TRACE_ROWS - 1].count, 3);
	assert_non_null(strstr(text_of_trace(),
	    "{\"event\":\"end\",\"refused\":10260,\"rows\":256,"
	    "\"left_out\":10001}\n"));
}

/* The longest name of all with the longest reason and all arguments: as many
 * of them as there can be fit, and the text is refused where they do not. */
static void
t_the_longest_text_fits(void **state)
{
	static uint8_t text[SUP_TRACE_TEXT];
	static const uint64_t none[6];
	const struct sup_filter_group *groups;
	struct sup_trace_row row = {.count = UINT64_MAX, .number = UINT32_MAX};
	size_t count, len;

	(void)state;
	groups = sup_filter_groups(&count);
	row.why.name = "x";
	for (unsigned nr = 0; nr < 700; nr++) {
		struct sup_filter_why why;

		ask(SUP_FILTER_X86_64, nr, none, &why);
		if (why.name != NULL && strlen(why.name) > strlen(row.why.name))
			row.why.name = why.name;
	}
	row.why.error = ENOSYS;
	row.why.group = &groups[0];
	for (size_t g = 0; g < count; g++)
		if (strlen(groups[g].word) + strlen(groups[g].reason) >
		    strlen(row.why.group->word) + strlen(row.why.group->reason))
			row.why.group = &groups[g];
	for (size_t i = 0; i < 6; i++)
		row.why.seen[i] =
		    (struct sup_filter_seen){true, false, UINT64_MAX};
	memset(&trace, 0, sizeof(trace));
	trace.refused = trace.left_out = UINT64_MAX;
	trace.row_count = SUP_TRACE_ROWS;
	for (size_t i = 0; i < SUP_TRACE_ROWS; i++)
		trace.rows[i] = row;
	assert_int_equal(
	    sup_trace_format(&trace, text, sizeof(text), &len), WIRE_OK);
	assert_true(len > SUP_TRACE_TEXT / 2);
	assert_int_equal(sup_trace_format(&trace, text, len, &len), WIRE_OK);
	assert_int_equal(
	    sup_trace_format(&trace, text, len - 1, &len), WIRE_ERR_NO_SPACE);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(t_what_is_refused_asks),
	    cmocka_unit_test(t_foreign_calls_are_killed_and_do_not_ask),
	    cmocka_unit_test(t_names_are_libseccomps),
	    cmocka_unit_test(t_the_arguments_that_decided),
	    cmocka_unit_test(t_nothing_is_a_line_too),
	    cmocka_unit_test(t_rows_are_in_order_and_counted),
	    cmocka_unit_test(t_a_pointer_is_no_row_of_its_own),
	    cmocka_unit_test(t_rows_are_bounded),
	    cmocka_unit_test(t_the_longest_text_fits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
