/*
 * What the child sees of itself, for `ready` (C2, C17). Every probe is
 * harmless where the layer it tests is missing.
 */
#ifndef STUB_PROBE_H
#define STUB_PROBE_H

#include "wire/plan.h"

/* Before the seal: opens each canary and notes the errno (0: it opened). */
void stub_probe_before(const struct wire_plan *plan, struct wire_ready *ready);

/* After the seal: canaries again, sockets in both families, a fork that could
 * do no harm, descriptors, ids, read-backs, limits. Fills everything in
 * *ready but python, environment and the Landlock fields. 0 or an errno. */
int stub_probe_after(const struct wire_plan *plan, struct wire_ready *ready);

#endif
