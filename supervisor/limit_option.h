/*
 * One `--limit NAME=VALUE` applied to an execution's limits.
 *
 * Refuses: unknown and fixed limits, limits that this version has no
 * mechanism for, values that are not of the limit's unit or outside its range,
 * and a second value for one limit. Threads: pure.
 */
#ifndef SUP_LIMIT_OPTION_H
#define SUP_LIMIT_OPTION_H

#include <stddef.h>
#include <stdint.h>

#include "supervisor/limits_table.h"
#include "supervisor/usage.h"
#include "wire/err.h"

/* *given has a bit 1 << SUP_LIMIT_x for what was set so far. On
 * WIRE_ERR_BAD_ARGUMENT nothing but the usage text has changed. */
WIRE_MUST_USE enum wire_err sup_limit_option_apply(struct sup_usage *usage,
    const char *value, uint64_t limits[SUP_LIMITS], uint32_t *given);

/* The names of limits that later versions have. NULL past the end. */
const char *sup_limit_absent(size_t index);

#endif
