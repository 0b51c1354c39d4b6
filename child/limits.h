/*
 * Resource limits (C3): setting them, and reading them back.
 *
 * Runs in process 2 between fork and exec. Order: core first, then CPU,
 * address space, file size, processes, open files. Each is clamped against
 * what was inherited, soft and hard apart, never raised; then soft <= hard.
 * Functions return 0 or an errno.
 */
#ifndef STUB_LIMITS_H
#define STUB_LIMITS_H

#include "wire/plan.h"

/* On failure *ret_stage names the limit. */
int stub_limits_apply(const struct wire_plan *plan, enum wire_stage *ret_stage);

/* What is in force in this process, WIRE_LIMIT_INFINITY for no limit. */
int stub_limits_read(uint64_t soft[WIRE_LIMITS], uint64_t hard[WIRE_LIMITS]);

#endif
