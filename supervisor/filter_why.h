/*
 * A filter that asks where it would refuse (seccomp_unotify(2)), and what the
 * policy says of a call that it asks about: its name, its answer, the group
 * that names it, and which of its arguments were looked at.
 *
 * Pure. Owns a table of names.
 */
#ifndef SUP_FILTER_WHY_H
#define SUP_FILTER_WHY_H

#include "supervisor/filter.h"
#include "supervisor/filter_table.h"

#define SUP_CALL_ARGS 6

/* An argument that decided, as the policy compares it. */
struct sup_filter_seen {
	bool seen;
	/* It is compared with nothing but 0, as pointers are; value is then
	 * 1 for all that is not. */
	bool only_zero;
	uint64_t value; /* masked as the policy masks it */
};

struct sup_filter_why {
	const char *name; /* NULL: a number without one */
	int error;	  /* EPERM or ENOSYS, which the filter answers with */
	const struct sup_filter_group *group; /* that names it, or NULL */
	struct sup_filter_seen seen[SUP_CALL_ARGS];
};

/* Makes a compiled filter ask wherever it answers with an errno. What is
 * allowed still is, and what ends the process still does. */
void sup_filter_ask(struct wire_plan_insn *insns, size_t count);

/*
 * Of a call that a filter with these parameters has refused; for one that it
 * allows, or kills for, the answer means nothing. The own id does not matter:
 * a call that was refused did not have it.
 */
void sup_filter_why(const struct sup_filter_params *params, uint32_t number,
    const uint64_t args[SUP_CALL_ARGS], struct sup_filter_why *ret_why);

#endif
