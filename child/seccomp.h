/*
 * Installing the system-call filter (C7) that the supervisor compiled.
 */
#ifndef STUB_SECCOMP_H
#define STUB_SECCOMP_H

#include "wire/plan.h"

/* Installs the plan's filter on every thread. no_new_privs must be set.
 * Returns 0 or an errno. */
int stub_seccomp_apply(const struct wire_plan *plan);

#endif
