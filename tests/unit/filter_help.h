/*
 * What the tests of the system-call filter share: cmocka, a compiled program,
 * its verdict on one call, and libseccomp's numbers.
 */
#ifndef TESTS_UNIT_FILTER_HELP_H
#define TESTS_UNIT_FILTER_HELP_H

#include <errno.h>
#include <linux/audit.h>
#include <seccomp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* cmocka wants four of the headers above before it */
#include <cmocka.h>

#include "supervisor/filter.h"
#include "supervisor/filter_table.h"
#include "tests/unit/bpf.h"

#define ALLOW  SECCOMP_RET_ALLOW
#define DENY   (SECCOMP_RET_ERRNO | EPERM)
#define ABSENT (SECCOMP_RET_ERRNO | ENOSYS)
#define KILL   SECCOMP_RET_KILL_PROCESS

#define OWN 2
#define HI  0x100000000ULL
#define PTR 0x7f0000001000ULL
/* What glibc asks for when it makes a thread; musl adds 0x400000. */
#define THREAD 0x3d0f00ULL

static const uint32_t audit_arches[SUP_FILTER_ARCHES] = {
    [SUP_FILTER_X86_64] = AUDIT_ARCH_X86_64,
    [SUP_FILTER_AARCH64] = AUDIT_ARCH_AARCH64,
};

struct program {
	struct wire_plan_insn insns[SUP_FILTER_MAX];
	size_t len;
};

static inline struct program
compile_for(enum sup_filter_arch arch, bool processes)
{
	const struct sup_filter_params params = {
	    .arch = arch, .own_pid = OWN, .processes = processes};
	struct program program;

	assert_int_equal(sup_filter_compile(&params, program.insns,
			     SUP_FILTER_MAX, &program.len),
	    WIRE_OK);
	assert_true(bpf_check(program.insns, program.len));
	return program;
}

static inline struct program
compile(enum sup_filter_arch arch)
{
	return compile_for(arch, false);
}

/* Whether a group counts, with processes or without. */
static inline bool
counts(const struct sup_filter_group *group, bool processes)
{
	return group->when == SUP_FILTER_ALWAYS ||
	    group->when == SUP_FILTER_WITH_WRITES ||
	    group->when ==
	    (processes ? SUP_FILTER_WITH_PROCESSES
		       : SUP_FILTER_WITHOUT_PROCESSES);
}

static inline uint32_t
verdict(const struct program *program, enum sup_filter_arch arch, uint32_t nr,
    const uint64_t args[6])
{
	struct seccomp_data data = {.nr = (int)nr, .arch = audit_arches[arch]};

	if (args != NULL)
		memcpy(data.args, args, sizeof(data.args));
	return bpf_run(program->insns, &data, NULL);
}

/* libseccomp's number: negative where the architecture lacks the call. */
static inline int
number(enum sup_filter_arch arch, const char *name)
{
	const int nr =
	    seccomp_syscall_resolve_name_arch(audit_arches[arch], name);

	if (nr == __NR_SCMP_ERROR)
		fail_msg("libseccomp does not know %s", name);
	return nr;
}

static const char *const names[SUP_SYSCALL_COUNT] = {
#define X(name, x86_64, aarch64) #name,
    SUP_SYSCALLS(X)
#undef X
};

#endif
