/*
 * aarch64's system-call numbers against the kernel's own header, on whatever
 * machine: they are the generic ones (arch/arm64, uapi/asm/unistd.h), which
 * every machine's headers hold. The numbers of the machine itself are checked
 * in test_filter_oracle.c.
 */
#define __ARCH_WANT_RENAMEAT
#define __ARCH_WANT_NEW_STAT
#define __ARCH_WANT_SET_GET_RLIMIT
#define __ARCH_WANT_TIME32_SYSCALLS
#define __ARCH_WANT_SYS_CLONE3
#include <asm-generic/unistd.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "supervisor/filter_numbers.h"

/* A name that the header lacks stays a name. */
#define TEXT(token)  TEXT_(token)
#define TEXT_(token) #token

static void
t_numbers_are_the_generic_ones(void **state)
{
	static const struct {
		const char *name, *header;
		long number;
	} calls[] = {
#define X(name, x86_64, aarch64) {#name, TEXT(__NR_##name), aarch64},
	    SUP_SYSCALLS(X)
#undef X
	};
	size_t i, known = 0;

	(void)state;
	for (i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		const bool has = calls[i].header[0] != '_';
		const long nr =
		    has ? strtol(calls[i].header, NULL, 10) : SUP_NO_SYSCALL;

		if (nr != calls[i].number)
			fail_msg("%s: %ld, and the header has %s",
			    calls[i].name, calls[i].number, calls[i].header);
		known += has;
	}
	assert_true(known > 100);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(t_numbers_are_the_generic_ones),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
