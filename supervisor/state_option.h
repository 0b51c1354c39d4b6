/*
 * The options --state, --run, --durability and --record-values of `weir run`.
 * Pure.
 */
#ifndef SUP_STATE_OPTION_H
#define SUP_STATE_OPTION_H

#include <stdbool.h>

#include "supervisor/usage.h"

struct sup_state_options {
	const char *dir; /* NULL: no state is kept */
	const char *run; /* NULL: each execution is a Run of its own */
	bool disk;	 /* what was recorded survives the machine's death */
	bool durability_given;
	bool values; /* what calls were given and gave is recorded as well */
};

/* As sup_limit_option_apply; option is the word as the table has it. */
WIRE_MUST_USE enum wire_err sup_state_option_apply(struct sup_usage *usage,
    const char *option, const char *value, struct sup_state_options *options);

/* What does not go together. */
WIRE_MUST_USE enum wire_err sup_state_option_check(
    struct sup_usage *usage, const struct sup_state_options *options);

#endif
