/*
 * From terms to the two plans of a child: what its root holds, its limits,
 * its environment, its filter and its Landlock rules (C5, C6, C9, C10).
 *
 * Owns: the text that the plans point to. Looks at the host's filesystem to
 * see what is there, changes nothing. One launch serves any number of
 * executions with equal terms.
 */
#ifndef SUP_LAUNCH_H
#define SUP_LAUNCH_H

#include "supervisor/filter.h"
#include "supervisor/interp.h"
#include "supervisor/terms.h"
#include "wire/plan.h"

#define SUP_WORKSPACE "/workspace"
#define SUP_RUNTIME   "/weir" /* module and bootstrap, inside */

/* Makes the interpreter's start faster and then takes itself out of the
 * environment (child/preload/prefault.c). */
#define SUP_PREFAULT "/prefault.so"
#define SUP_PRELOAD  "LD_PRELOAD=" SUP_RUNTIME SUP_PREFAULT

#define SUP_LAUNCH_TEXT (64 * 1024)

struct sup_launch {
	struct wire_plan stub, seal;
	int stub_plan_fd, seal_plan_fd; /* sealed memfds */
	/* Host paths of mounts that the supervisor opens itself for each
	 * start, in the order of their descriptors. */
	const char *opened[WIRE_PLAN_MOUNTS];
	size_t opened_count;
	/* Mounts of the host beneath what is bound: they come along, are
	 * counted in the proof and listed among the grants. */
	const char *below[WIRE_PLAN_MOUNTS];
	size_t below_count;
	struct wire_plan_insn insns[SUP_FILTER_MAX];
	char *text; /* SUP_LAUNCH_TEXT bytes, owned */
	size_t text_len;
	enum wire_err err; /* latched while building */
};

/*
 * launch is all zero (calloc). libexec: the directory of module and bootstrap.
 * open_mounts: whether the supervisor opens the sources itself, being
 * privileged (C10: where only it may enter the directories above). Fails with
 * NO_SPACE, SYSTEM or what the filter and the plan's encoder say; nothing is
 * left then.
 */
WIRE_MUST_USE enum wire_err sup_launch_build(struct sup_launch *launch,
    const struct sup_terms *terms, const struct sup_interp *interp,
    const char *libexec, bool open_mounts, struct wire_errinfo *info);

void sup_launch_release(struct sup_launch *launch);

#endif
