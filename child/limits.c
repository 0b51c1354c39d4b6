#include "child/limits.h"

#include <asm/resource.h>
#include <linux/errno.h>
#include <linux/resource.h>

#include "child/sys.h"

static const struct {
	int resource;
	enum wire_stage stage;
} limits[WIRE_LIMITS] = {
    [WIRE_LIMIT_CORE] = {RLIMIT_CORE, WIRE_STAGE_CORE},
    [WIRE_LIMIT_CPU] = {RLIMIT_CPU, WIRE_STAGE_CPU},
    [WIRE_LIMIT_AS] = {RLIMIT_AS, WIRE_STAGE_ADDRESS_SPACE},
    [WIRE_LIMIT_FSIZE] = {RLIMIT_FSIZE, WIRE_STAGE_FILE_SIZE},
    [WIRE_LIMIT_NPROC] = {RLIMIT_NPROC, WIRE_STAGE_PROCESSES},
    [WIRE_LIMIT_NOFILE] = {RLIMIT_NOFILE, WIRE_STAGE_OPEN_FILES},
};

/* prlimit(2) speaks of 64 bits on every architecture: RLIM64_INFINITY. */
struct limit64 {
	uint64_t soft, hard;
};

static uint64_t
stricter(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/*
 * SECURITY: the stricter of what is asked and what was inherited, on each
 * side apart. A soft limit above the inherited one would widen, and a hard
 * one above it needs a privilege that is gone.
 */
static int
apply_one(int resource, uint64_t soft, uint64_t hard)
{
	struct limit64 old, want;
	long r = STUB_SYS(__NR_prlimit64, 0, resource, 0, &old);

	if (r < 0)
		return (int)-r;
	want.hard = stricter(hard, old.hard);
	/* KERNEL: where cores go to a pipe, 1 is asked for, and 0, which a
	 * caller often has, limits nothing (core(5)). */
	if (resource == RLIMIT_CORE && soft == 1)
		old.soft = soft;
	want.soft = stricter(stricter(soft, old.soft), want.hard);
	r = STUB_SYS(__NR_prlimit64, 0, resource, &want, 0);
	return r < 0 ? (int)-r : 0;
}

int
stub_limits_apply(const struct wire_plan *plan, enum wire_stage *ret_stage)
{
	/* The order of enum wire_limit is the order of C3: core first, so
	 * that no later limit's signal can still dump one. */
	for (size_t i = 0; i < WIRE_LIMITS; i++) {
		int error;

		if (plan->soft[i] == WIRE_PLAN_UNSET ||
		    !wire_plan_has(plan, limits[i].stage))
			continue;
		error =
		    apply_one(limits[i].resource, plan->soft[i], plan->hard[i]);
		if (error != 0) {
			*ret_stage = limits[i].stage;
			return error;
		}
	}
	return 0;
}

int
stub_limits_read(uint64_t soft[WIRE_LIMITS], uint64_t hard[WIRE_LIMITS])
{
	for (size_t i = 0; i < WIRE_LIMITS; i++) {
		struct limit64 is;
		long r =
		    STUB_SYS(__NR_prlimit64, 0, limits[i].resource, 0, &is);

		if (r < 0)
			return (int)-r;
		soft[i] = is.soft;
		hard[i] = is.hard;
	}
	return 0;
}
