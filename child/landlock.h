/*
 * Landlock, the second filesystem layer (C6): allow-list from the plan's
 * rules; the calling thread must be the only one (Landlock has no TSYNC).
 */
#ifndef STUB_LANDLOCK_H
#define STUB_LANDLOCK_H

#include "wire/plan.h"

/*
 * Restricts the caller. Rights that the running kernel's ABI does not know
 * are left out. Returns 0 with *ret_abi set; or, where the host has no
 * Landlock for us, 0 with *ret_abi 0 and *ret_errno the reason; or an errno
 * when a step failed (*ret_detail: index of the rule).
 */
int stub_landlock_apply(const struct wire_plan *plan, uint32_t *ret_abi,
    uint32_t *ret_errno, uint32_t *ret_detail);

#endif
