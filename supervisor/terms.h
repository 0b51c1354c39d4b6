/*
 * The terms of one execution: what it may use, fixed before it starts (C19).
 *
 * Pure. Owns nothing. Every stage only narrows: the limits of two terms
 * combine to the smaller ones, in any order. A combination that could not
 * work is refused here, when it is loaded, and not by the first program that
 * meets it (W13).
 */
#ifndef SUP_TERMS_H
#define SUP_TERMS_H

#include "supervisor/levels.h"
#include "supervisor/limits_table.h"
#include "wire/err.h"
#include "wire/msg.h"
#include "wire/report.h"

/*
 * Beside the stages in `layers`: a program whose confinement is less than
 * asked for does not run. Only a test build may clear it, to see what each
 * layer stops when it stands alone (C18).
 */
#define SUP_LAYERS_STRICT (UINT32_C(1) << 31)
_Static_assert(WIRE_STAGE_COUNT <= 31, "stages and SUP_LAYERS_STRICT");

struct sup_terms {
	uint64_t limits[SUP_LIMITS];
	/* Bit 1 << WIRE_STAGE_x, and SUP_LAYERS_STRICT; all but in a test
	 * build. */
	uint32_t layers;
	enum sup_level level; /* the least that the program may run at */
	bool unconfined;      /* --unconfined; level is NONE then */
	bool network;	      /* granted; not looked at if unconfined */
	/* Which way alone is tried, where one was named. */
	bool only_isolated, only_process; /* ways; and of the latter: */
	bool only_spaces, only_plain;
	/* Derived, never set: bytes of one frame and of the whole stream. */
	uint64_t child_frame_max;
	uint64_t child_bytes_max;
	uint64_t cpu_seconds; /* what RLIMIT_CPU can say: rounded up */
	bool cpu_rounded;
	uint32_t require;     /* of enum sup_require */
	bool halt_on_exhaust; /* a spent budget ends the execution */
	bool core_is_pipe;    /* of the host: core(5), core_pattern */
};

/*
 * The built-in profile narrowed by limits (complete, SUP_LIMITS of them).
 * WIRE_ERR_BAD_ARGUMENT with info->site naming what cannot work together.
 */
WIRE_MUST_USE enum wire_err sup_terms_make(const uint64_t limits[SUP_LIMITS],
    uint32_t layers, struct sup_terms *ret_terms, struct wire_errinfo *info);

/* Whether a program may not run with less than was asked for. */
static inline bool
sup_terms_are_strict(const struct sup_terms *terms)
{
#ifdef WEIR_TEST_LAYERS
	return (terms->layers & SUP_LAYERS_STRICT) != 0;
#else
	(void)terms;
	return true;
#endif
}

/* The resource limits that the terms ask for; WIRE_PLAN_UNSET where none. */
void sup_terms_rlimits(const struct sup_terms *terms,
    uint64_t soft[WIRE_LIMITS], uint64_t hard[WIRE_LIMITS]);

#endif
