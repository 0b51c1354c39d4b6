/*
 * Installing the system-call filter (C7) that the supervisor compiled.
 */
#ifndef STUB_SECCOMP_H
#define STUB_SECCOMP_H

#include "wire/plan.h"

/* Installs the plan's filter on every thread. no_new_privs must be set.
 * Returns 0 or an errno. *ret_listener is the descriptor on which the filter
 * asks where the plan says trace, and else -1. */
int stub_seccomp_apply(const struct wire_plan *plan, int *ret_listener);

/* Sends the listener to the host, with a blank line, and closes it. At once:
 * whatever the filter refuses waits for the host from now on. 0 or an
 * errno. */
int stub_seccomp_hand_over(int channel_fd, int listener);

#endif
