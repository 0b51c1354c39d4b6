/*
 * The module's own part of a start: the seal, and what it saw (C2, C6, C7).
 *
 * Reads the plan, applies Landlock, clears dumpable, installs the filter,
 * probes from inside, and writes the `ready` frame. Nothing untrusted has run
 * yet and there is one thread. The plan is unmapped before `ready`.
 *
 * Errors: a step that fails ends the process with status 125 and the line
 * "weir: stage NAME failed: errno N" on stderr; nothing is sent.
 */
#ifndef STUB_SEAL_H
#define STUB_SEAL_H

#include "wire/plan.h"

/* Takes the plan behind plan_fd and closes it. Opens the channel, and has
 * sent `ready` when it returns. */
void stub_seal(int plan_fd);

#endif
