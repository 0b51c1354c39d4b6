/*
 * The system-call policy as data (C7): what filter_table.c says, in the form
 * that filter.c compiles.
 *
 * A call that no group names is refused with EPERM; a number above the
 * highest that a group names is answered with ENOSYS, so that newer libraries
 * fall back as on an older kernel.
 *
 * Owns: constant tables. Threads: pure.
 */
#ifndef SUP_FILTER_TABLE_H
#define SUP_FILTER_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "supervisor/filter_numbers.h"

#define SUP_FILTER_VALUES 12
#define SUP_FILTER_TESTS  3

/*
 * An argument, masked, is one of values.
 *
 * SECURITY: a filter sees 64-bit registers. What the kernel takes as 32 bits
 * is compared on the low half alone, so that junk above it changes nothing;
 * what it takes as 64 bits (pointers, clone's flags) is `wide`: the high half
 * must be zero as well, so that junk there cannot hide a difference.
 */
struct sup_filter_test {
	uint8_t arg; /* 0 to 5 */
	bool wide;
	bool own_pid; /* values[0] stands for the program's own id */
	uint8_t count;
	uint32_t mask;
	uint32_t values[SUP_FILTER_VALUES];
};

/* The call is allowed when every test holds. Several rules: any of them. */
struct sup_filter_rule {
	enum sup_syscall call;
	size_t count;
	struct sup_filter_test tests[SUP_FILTER_TESTS];
};

enum sup_filter_verdict {
	SUP_FILTER_ALLOW,
	SUP_FILTER_EPERM,
	SUP_FILTER_ENOSYS,
	SUP_FILTER_KILL,
};

/* Whether a group counts, by what is granted. */
enum sup_filter_when {
	SUP_FILTER_ALWAYS,
	SUP_FILTER_WITH_PROCESSES,
	SUP_FILTER_WITHOUT_PROCESSES,
	SUP_FILTER_WITH_NETWORK,
	SUP_FILTER_WITH_WRITES, /* of files of the host */
	SUP_FILTER_WITHOUT_WRITES,
};

struct sup_filter_group {
	const char *word;
	const char *reason;
	enum sup_filter_verdict verdict; /* of calls, whatever arguments */
	const uint16_t *calls;		 /* enum sup_syscall */
	size_t call_count;
	const struct sup_filter_rule *rules;
	size_t rule_count;
	bool own_files; /* refused where the program shares a uid with files
			 * that are not its own; one rule for each call */
	enum sup_filter_when when; /* one that counts by a grant may add rules
				    * to those of another group's call */
};

const struct sup_filter_group *sup_filter_groups(size_t *ret_count);

#endif
