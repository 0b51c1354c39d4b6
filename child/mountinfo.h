/*
 * Holding what is mounted against the plan.
 */
#ifndef STUB_MOUNTINFO_H
#define STUB_MOUNTINFO_H

#include "wire/plan.h"

/*
 * Reads /proc/PID/mountinfo (proc(5)) from fd and checks that each mount
 * point is the root, the workspace, /dev/shm, or at or beneath a target of
 * the plan. 0 with the number of mounts, or an errno: EXDEV for a mount that
 * nobody planned.
 */
int stub_mountinfo_check(
    const struct wire_plan *plan, int fd, uint32_t *ret_mounts);

/* One line's check, without its newline; for tests. */
bool stub_mountinfo_planned(
    const struct wire_plan *plan, struct wire_span line);

#endif
