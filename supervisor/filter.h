/*
 * The system-call filter (C7), compiled from the policy in filter_table.c to
 * a program of classic BPF that the launch plan carries.
 *
 * Shape: architecture first (a foreign one ends the process), then a binary
 * tree over ranges of system-call numbers whose leaves are verdicts or checks
 * of arguments. Compiling takes microseconds and touches no kernel interface;
 * callers still compile once for all executions with equal parameters.
 *
 * Memory: the caller's. Threads: pure.
 */
#ifndef SUP_FILTER_H
#define SUP_FILTER_H

#include <stdbool.h>
#include <stdint.h>

#include "wire/err.h"
#include "wire/plan.h"

/* AUDIT_ARCH_* of <linux/audit.h>, in the order of the number table. */
enum sup_filter_arch {
	SUP_FILTER_X86_64,
	SUP_FILTER_AARCH64,
	SUP_FILTER_ARCHES
};

#if defined(__x86_64__)
#define SUP_FILTER_NATIVE SUP_FILTER_X86_64
#elif defined(__aarch64__)
#define SUP_FILTER_NATIVE SUP_FILTER_AARCH64
#else
#error "weir runs on x86_64 and aarch64"
#endif

/* The program's id where process 1 of its PID namespace is ours. */
#define SUP_FILTER_OWN_PID 2

struct sup_filter_params {
	enum sup_filter_arch arch;
	uint32_t own_pid; /* the only process that signals may go to */
	bool processes;	  /* granted: signals then go to any */
	bool network;	  /* granted: IPv4 and IPv6 sockets */
	bool no_writes;	  /* nothing of the host's is granted for writing */
	/* The host's root is in sight, and files there have the program's uid.
	 */
	bool shared_uid;
};

/* No program is longer; tested for every set of parameters. */
#define SUP_FILTER_MAX 768

/*
 * WIRE_ERR_BAD_ARGUMENT for parameters outside their range,
 * WIRE_ERR_NO_SPACE when max is too small (SUP_FILTER_MAX is always enough).
 */
WIRE_MUST_USE enum wire_err sup_filter_compile(
    const struct sup_filter_params *params, struct wire_plan_insn *insns,
    size_t max, size_t *ret_count);

struct sup_filter_group; /* supervisor/filter_table.h */

/* Whether the group is in force with these parameters. */
bool sup_filter_counts(const struct sup_filter_params *params,
    const struct sup_filter_group *group);

#endif
