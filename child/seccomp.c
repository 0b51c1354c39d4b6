#include "child/seccomp.h"

#include <linux/errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>

#include "child/sys.h"

_Static_assert(sizeof(struct sock_filter) == sizeof(struct wire_plan_insn),
    "the plan carries instructions as the kernel takes them");

/*
 * The program with its own process id in the place that was kept for it; the
 * plan is mapped read-only, so a copy.
 */
static const struct wire_plan_insn *
with_own_pid(const struct wire_plan *plan)
{
	static struct wire_plan_insn copy[WIRE_PLAN_FILTER];
	uint32_t pid = (uint32_t)STUB_SYS(__NR_getpid);

	for (size_t i = 0; i < plan->insn_count; i++) {
		copy[i] = plan->insns[i];
		if (copy[i].code == (BPF_JMP | BPF_JEQ | BPF_K) &&
		    copy[i].k == WIRE_PLAN_OWN_PID)
			copy[i].k = pid;
	}
	return copy;
}

/*
 * SECURITY: on every thread (TSYNC), although there should be only one: a
 * thread that an interpreter's start-up had left would otherwise stay free.
 */
int
stub_seccomp_apply(const struct wire_plan *plan)
{
	struct {
		unsigned short len;
		const struct wire_plan_insn *filter;
	} program = {(unsigned short)plan->insn_count,
	    plan->namespaces ? plan->insns : with_own_pid(plan)};
	long r;

	if (plan->insn_count == 0)
		return 0;
	r = STUB_SYS(__NR_seccomp, SECCOMP_SET_MODE_FILTER,
	    SECCOMP_FILTER_FLAG_TSYNC, &program);
	/* A positive answer is a thread that could not be synchronized. */
	return r == 0 ? 0 : r < 0 ? (int)-r : EBUSY;
}
