#include "supervisor/terms.h"

#include <stddef.h>

#include "wire/limits.h"

/* Process 1 and process 2, since RLIMIT_NPROC counts tasks: the sum of threads,
 * processes and these (C3). */
#define TASKS_OF_THE_START 2

static uint64_t
larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static enum wire_err
refuse(struct wire_errinfo *info, const char *site)
{
	return wire_fail(info, WIRE_ERR_BAD_ARGUMENT, site, 0);
}

/* What the ranges of the single limits cannot see. */
static enum wire_err
check(const struct sup_terms *terms, struct wire_errinfo *info)
{
	const uint64_t *limits = terms->limits;

	if (terms->child_frame_max > WIRE_MAX_FRAME)
		return refuse(info,
		    "value and argument_bytes: no frame could carry them");
	if (limits[SUP_LIMIT_RESULT_BYTES] + WIRE_FRAME_SLACK > WIRE_MAX_FRAME)
		return refuse(info, "result_bytes: no frame could carry it");
	if (limits[SUP_LIMIT_PROCESSES] > 0 &&
	    limits[SUP_LIMIT_MEMORY] ==
		sup_limit_spec(SUP_LIMIT_MEMORY)->ceiling)
		return refuse(info,
		    "processes: what they use together needs a limit; set "
		    "memory, or address_space, below its ceiling");
	return WIRE_OK;
}

enum wire_err
sup_terms_make(const uint64_t limits[SUP_LIMITS], uint32_t layers,
    struct sup_terms *ret_terms, struct wire_errinfo *info)
{
	struct sup_terms terms = {.layers = layers};
	uint64_t cpu;
	enum wire_err err;

	for (size_t i = 0; i < SUP_LIMITS; i++) {
		const struct sup_limit_spec *spec =
		    sup_limit_spec((enum sup_limit)i);

		if (limits[i] < spec->minimum || limits[i] > spec->ceiling)
			return refuse(info, spec->word);
		terms.limits[i] = limits[i];
	}
	/*
	 * SECURITY: the address space is each process's own. What all of them
	 * have is bounded by the limit of memory, which is the same number
	 * unless another was asked for (C14).
	 */
	if (limits[SUP_LIMIT_PROCESSES] > 0 &&
	    limits[SUP_LIMIT_MEMORY] ==
		sup_limit_spec(SUP_LIMIT_MEMORY)->ceiling)
		terms.limits[SUP_LIMIT_MEMORY] =
		    limits[SUP_LIMIT_ADDRESS_SPACE];
	terms.child_frame_max =
	    larger(limits[SUP_LIMIT_VALUE], limits[SUP_LIMIT_ARGUMENT_BYTES]) +
	    WIRE_FRAME_SLACK;
	terms.child_bytes_max =
	    limits[SUP_LIMIT_TOTAL_BYTES] + WIRE_STREAM_SLACK;
	cpu = limits[SUP_LIMIT_CPU];
	terms.cpu_seconds = cpu / SUP_NS_PER_S + (cpu % SUP_NS_PER_S != 0);
	terms.cpu_rounded = cpu % SUP_NS_PER_S != 0;
	err = check(&terms, info);
	if (err == WIRE_OK)
		*ret_terms = terms;
	return err;
}

void
sup_terms_rlimits(const struct sup_terms *terms, uint64_t soft[WIRE_LIMITS],
    uint64_t hard[WIRE_LIMITS])
{
	const uint64_t *limits = terms->limits;
	/* KERNEL: a core_pattern that is a pipe ignores a limit of 0, and
	 * heeds 1 (core(5)). */
	const uint64_t both[WIRE_LIMITS] = {
	    [WIRE_LIMIT_CORE] = terms->core_is_pipe ? 1 : 0,
	    [WIRE_LIMIT_CPU] = terms->cpu_seconds,
	    [WIRE_LIMIT_AS] = limits[SUP_LIMIT_ADDRESS_SPACE],
	    [WIRE_LIMIT_FSIZE] = limits[SUP_LIMIT_FILE_SIZE],
	    [WIRE_LIMIT_NPROC] = limits[SUP_LIMIT_THREADS] +
		limits[SUP_LIMIT_PROCESSES] + TASKS_OF_THE_START,
	    [WIRE_LIMIT_NOFILE] = limits[SUP_LIMIT_OPEN_FILES],
	};

	for (size_t i = 0; i < WIRE_LIMITS; i++)
		soft[i] = hard[i] = both[i];
	/* One second in which a program that traps the signal is ended. */
	hard[WIRE_LIMIT_CPU] = both[WIRE_LIMIT_CPU] + 1;
}
