/*
 * From terms to the two plans of a child: what its root holds, its limits,
 * its environment, its filter and its Landlock rules (C5, C6, C9, C10).
 *
 * Owns: the text that the plans point to. Looks at the host's filesystem to
 * see what is there, changes nothing.
 */
#ifndef SUP_LAUNCH_H
#define SUP_LAUNCH_H

#include "supervisor/filter.h"
#include "supervisor/grants.h"
#include "supervisor/interp.h"
#include "supervisor/terms.h"
#include "wire/plan.h"

#define SUP_WORKSPACE "/workspace"
#define SUP_RUNTIME   "/weir" /* module and bootstrap, inside */

/* Makes the interpreter's start faster and then takes itself out of the
 * environment (child/preload/prefault.c). */
#define SUP_PREFAULT "/prefault.so"

/* Of the runtime directory: a file that a child can always open. */
#define SUP_GRANTED_FILE "_weir.abi3.so"

#define SUP_LAUNCH_TEXT (64 * 1024)

/* What the plans are made from. All is borrowed while building, and the grants
 * as long as the launch. */
struct sup_launch_request {
	const struct sup_terms *terms;
	const struct sup_interp *interp;
	const char *libexec; /* the directory of module and bootstrap */
	enum wire_backend backend;
	bool namespaces; /* of its own: user, PID, network, ... */
	/* Whether the supervisor opens the sources itself, being privileged
	 * (C10: where only it may enter the directories above). */
	bool open_mounts;
	uint32_t uid, gid;     /* to become; WIRE_PLAN_KEEP: none */
	bool by_pid;	       /* process 1 adds its own id to them */
	bool other_ids;	       /* not the supervisor's, as the host sees them */
	bool trace;	       /* the filter asks where it refuses */
	bool send_workspace;   /* process 1 hands a descriptor on it out */
	const char *workspace; /* as the child sees it */
	const struct sup_grants *grants; /* or NULL */
};

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
	bool network;			 /* granted */
	struct sup_filter_params filter; /* what insns were compiled for */
	struct wire_plan_insn insns[SUP_FILTER_MAX];
	size_t grants_from;    /* the first mount of a grant */
	size_t variables_from; /* the first variable of a grant */
	const char *runtime;   /* where the child finds module and bootstrap */
	const char *preload;   /* one of stub.env, or NULL */
	char *text;	       /* SUP_LAUNCH_TEXT bytes, owned */
	size_t text_len;
	enum wire_err err; /* latched while building */
};

/*
 * launch is all zero (calloc). BAD_ARGUMENT with info->site a sentence when
 * the request cannot work; else NO_SPACE, SYSTEM or what the filter and the
 * plan's encoder say. sup_launch_release in any case.
 */
WIRE_MUST_USE enum wire_err sup_launch_build(struct sup_launch *launch,
    const struct sup_launch_request *request, struct wire_errinfo *info);

void sup_launch_release(struct sup_launch *launch);

#endif
