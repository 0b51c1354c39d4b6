/*
 * The system-call filter against others who should know: its numbers and its
 * verdicts against libseccomp's, the same table compiled by two compilers;
 * and, where the kernel lets us, the real thing in a forked process.
 */
#include "tests/unit/filter_help.h"

#include "tests/unit/filter_network.h"

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/prctl.h>
#include <linux/sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* --- numbers ------------------------------------------------------------- */

static void
t_numbers_are_libseccomps(void **state)
{
	static const int32_t numbers[][SUP_FILTER_ARCHES] = {
#define X(name, x86_64, aarch64) {x86_64, aarch64},
	    SUP_SYSCALLS(X)
#undef X
	};
	unsigned call, arch;
	int nr;

	(void)state;
	for (call = 0; call < SUP_SYSCALL_COUNT; call++) {
		for (arch = 0; arch < SUP_FILTER_ARCHES; arch++) {
			nr = number(arch, names[call]);
			if (nr < 0)
				nr = SUP_NO_SYSCALL;
			if (numbers[call][arch] != nr)
				fail_msg("%s on %u: %d, not %d", names[call],
				    arch, numbers[call][arch], nr);
		}
	}
}

/* A name that the header lacks stays a name. */
#define TEXT(token)  TEXT_(token)
#define TEXT_(token) #token

static void
t_numbers_are_the_headers(void **state)
{
	static const char *const headers[] = {
#define X(name, x86_64, aarch64) TEXT(__NR_##name),
	    SUP_SYSCALLS(X)
#undef X
	};
	unsigned call;
	int nr;

	(void)state;
	for (call = 0; call < SUP_SYSCALL_COUNT; call++) {
		nr = number(SUP_FILTER_NATIVE, names[call]);
		if (nr < 0 ? headers[call][0] != '_'
			   : strtol(headers[call], NULL, 10) != nr ||
			    headers[call][0] == '_')
			fail_msg("%s: %d, and the header has %s", names[call],
			    nr, headers[call]);
	}
}

/* --- the same table through libseccomp ----------------------------------- */

static struct scmp_arg_cmp
comparison(const struct sup_filter_test *test, size_t value)
{
	const uint64_t high = test->wide ? 0xffffffff00000000ULL : 0;

	return (struct scmp_arg_cmp){test->arg, SCMP_CMP_MASKED_EQ,
	    high | test->mask, test->own_pid ? OWN : test->values[value]};
}

/* libseccomp has no "one of": a rule for each combination of values. */
static void
add_rule(scmp_filter_ctx ctx, int nr, const struct sup_filter_rule *rule)
{
	struct scmp_arg_cmp cmps[SUP_FILTER_TESTS];
	size_t total = 1, i, t, rest;

	for (t = 0; t < rule->count; t++)
		total *= rule->tests[t].count;
	for (i = 0; i < total; i++) {
		rest = i;
		for (t = 0; t < rule->count; t++) {
			cmps[t] = comparison(
			    &rule->tests[t], rest % rule->tests[t].count);
			rest /= rule->tests[t].count;
		}
		assert_int_equal(
		    seccomp_rule_add_exact_array(
			ctx, SCMP_ACT_ALLOW, nr, (unsigned)rule->count, cmps),
		    0);
	}
}

static size_t
compile_by_libseccomp(enum sup_filter_arch arch, bool processes, bool network,
    struct wire_plan_insn *insns, size_t max)
{
	const struct sup_filter_group *groups;
	const uint32_t token =
	    arch == SUP_FILTER_X86_64 ? SCMP_ARCH_X86_64 : SCMP_ARCH_AARCH64;
	scmp_filter_ctx ctx = seccomp_init(SCMP_ACT_ERRNO(EPERM));
	const char *name;
	size_t count, g, i;
	ssize_t got;
	int nr, fd;

	assert_non_null(ctx);
	if (token != seccomp_arch_native()) {
		assert_int_equal(seccomp_arch_remove(ctx, SCMP_ARCH_NATIVE), 0);
		assert_int_equal(seccomp_arch_add(ctx, token), 0);
	}
	assert_int_equal(seccomp_attr_set(ctx, SCMP_FLTATR_ACT_BADARCH,
			     SCMP_ACT_KILL_PROCESS),
	    0);
	/* Rules are given by native numbers, whatever the architecture. */
	groups = sup_filter_groups(&count);
	for (g = 0; g < count; g++) {
		if (groups[g].when == SUP_FILTER_WITH_NETWORK
			? !network
			: !counts(&groups[g], processes))
			continue;
		for (i = 0; i < groups[g].call_count; i++) {
			name = names[groups[g].calls[i]];
			if (number(arch, name) < 0)
				continue;
			nr = number(SUP_FILTER_NATIVE, name);
			assert_int_equal(
			    seccomp_rule_add_exact(ctx,
				groups[g].verdict == SUP_FILTER_ALLOW
				    ? SCMP_ACT_ALLOW
				    : SCMP_ACT_ERRNO(ENOSYS),
				nr, 0),
			    0);
		}
		for (i = 0; i < groups[g].rule_count; i++) {
			name = names[groups[g].rules[i].call];
			if (number(arch, name) < 0)
				continue;
			nr = number(SUP_FILTER_NATIVE, name);
			add_rule(ctx, nr, &groups[g].rules[i]);
		}
	}
	fd = memfd_create("filter", MFD_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(seccomp_export_bpf(ctx, fd), 0);
	got = pread(fd, insns, max * sizeof(insns[0]), 0);
	assert_true(got > 0);
	(void)close(fd);
	seccomp_release(ctx);
	return (size_t)got / sizeof(insns[0]);
}

/* Values that the policy compares with, their neighbours, and junk. */
static uint64_t
draw(uint64_t *seed)
{
	static const uint64_t pool[] = {0, 1, OWN, 3, 4, 7, 16, 20, 30, 36, 39,
	    47, 0x400, 0x406, 0x408, O_ASYNC, SOCK_STREAM, FIONREAD, FIONBIO, 2,
	    6, 10, 17, 18, 28, 41, 136, TCGETS, SIGCHLD,
	    SIGCHLD | CLONE_VM | CLONE_VFORK, PR_SET_VMA, S_IFIFO, S_IFREG,
	    S_IFSOCK, S_ISUID, S_ISGID, O_CREAT, THREAD, 0x10f00, 0xffffffff,
	    PTR};
	static const uint64_t high[] = {
	    0, 0, 0, HI, 0xffffffff00000000ULL, 1ULL << 63};
	uint64_t value;

	*seed = *seed * 6364136223846793005ULL + 1442695040888963407ULL;
	value = pool[(*seed >> 33) % (sizeof(pool) / sizeof(pool[0]))];
	if ((*seed >> 20) % 8 == 0)
		value ^= 1ULL << (*seed >> 40) % 32;
	return value | high[(*seed >> 50) % 6];
}

static void
compare(bool processes, bool network)
{
	static struct wire_plan_insn theirs[4096];
	struct seccomp_data data;
	struct program ours;
	uint64_t seed = 1;
	unsigned arch, round, arg;
	size_t allowed = 0;
	uint32_t got;

	for (arch = 0; arch < SUP_FILTER_ARCHES; arch++) {
		const struct sup_filter_params params = {.arch = arch,
		    .own_pid = OWN,
		    .processes = processes,
		    .network = network};

		assert_int_equal(sup_filter_compile(&params, ours.insns,
				     SUP_FILTER_MAX, &ours.len),
		    WIRE_OK);
		assert_true(bpf_check(theirs,
		    compile_by_libseccomp(
			arch, processes, network, theirs, 4096)));
		data = (struct seccomp_data){.arch = audit_arches[arch]};
		for (round = 0; round < 400 * 450; round++) {
			data.nr = (int)(round % 450);
			for (arg = 0; arg < 6; arg++)
				data.args[arg] = draw(&seed);
			got = bpf_run(ours.insns, &data, NULL);
			allowed += got == ALLOW;
			if (got != bpf_run(theirs, &data, NULL))
				fail_msg("arch %u, call %d: %#x", arch, data.nr,
				    got);
		}
	}
	assert_true(allowed > 1000);
}

static void
t_verdicts_are_libseccomps(void **state)
{
	(void)state;
	compare(false, false);
}

static void
t_and_with_grants(void **state)
{
	(void)state;
	compare(true, false);
	compare(false, true);
	compare(true, true);
}

/* --- in a real kernel ---------------------------------------------------- */

#define SKIPPED 77

/* Exit status of the child: 0, the number of the step that failed, or
 * SKIPPED where filters cannot be installed at all. */
static void
run_sealed(const struct program *program)
{
	struct sock_filter filter[SUP_FILTER_MAX];
	struct sock_fprog fprog = {
	    .len = (unsigned short)program->len, .filter = filter};
	int pair[2];
	size_t i;

	for (i = 0; i < program->len; i++)
		filter[i] = (struct sock_filter){program->insns[i].code,
		    program->insns[i].jt, program->insns[i].jf,
		    program->insns[i].k};
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		_exit(SKIPPED);
	if (syscall(SYS_seccomp, 1 /* SECCOMP_SET_MODE_FILTER */, 0, &fprog) !=
	    0)
		_exit(errno == ENOSYS ? SKIPPED : 1);
	if (prctl(PR_GET_SECCOMP) != 2)
		_exit(2);
	if (syscall(SYS_socket, AF_INET, SOCK_STREAM, 0) != -1 ||
	    errno != EPERM)
		_exit(3);
	if (syscall(SYS_execve, 1, 1, 1) != -1 || errno != EPERM)
		_exit(4);
	if (syscall(SYS_clone3, 1, 1) != -1 || errno != ENOSYS)
		_exit(5);
	if (syscall(500, 0) != -1 || errno != ENOSYS)
		_exit(6);
	if (kill(1, 0) != -1 || errno != EPERM || kill(getpid(), 0) != 0)
		_exit(7);
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0 ||
	    send(pair[0], "x", 1, 0) != 1)
		_exit(8);
	if (socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) != -1 || errno != EPERM)
		_exit(9);
	_exit(0);
}

static void
t_the_kernel_takes_it(void **state)
{
	struct sup_filter_params params = {.arch = SUP_FILTER_NATIVE};
	struct program program;
	int status;
	pid_t pid;

	(void)state;
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		params.own_pid = (uint32_t)getpid();
		if (sup_filter_compile(&params, program.insns, SUP_FILTER_MAX,
			&program.len) != WIRE_OK)
			_exit(99);
		run_sealed(&program);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == SKIPPED) {
		if (getenv("MUST_SANDBOX") != NULL)
			fail_msg("seccomp filters cannot be installed here");
		print_message("no seccomp filters here\n");
		skip();
	}
	assert_int_equal(WEXITSTATUS(status), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(t_numbers_are_libseccomps),
	    cmocka_unit_test(t_numbers_are_the_headers),
	    cmocka_unit_test(t_verdicts_are_libseccomps),
	    cmocka_unit_test(t_and_with_grants),
	    cmocka_unit_test(t_the_kernel_takes_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
