/*
 * The limits of an execution (S13): word, unit, default, range, meaning.
 *
 * Owns: one constant table. The command line, --help, the terms and the
 * manual are held against it. The command line may set a limit anywhere from
 * its minimum to its ceiling, which is the built-in profile's; limits that
 * are not settable are fixed at their default.
 *
 * Threads: pure.
 */
#ifndef SUP_LIMITS_TABLE_H
#define SUP_LIMITS_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "supervisor/units.h"
#include "wire/span.h"

enum sup_limit {
	SUP_LIMIT_CPU, /* ns; the kernel counts seconds: rounded up to them */
	SUP_LIMIT_WALL,
	SUP_LIMIT_MEMORY, /* of all of it; at its ceiling: none */
	SUP_LIMIT_ADDRESS_SPACE,
	SUP_LIMIT_FILE_SIZE,
	SUP_LIMIT_THREADS,
	SUP_LIMIT_PROCESSES, /* beside the first; 0: none, and no exec */
	SUP_LIMIT_OPEN_FILES,
	SUP_LIMIT_WORKSPACE,
	SUP_LIMIT_INODES,
	SUP_LIMIT_STDOUT, /* captured bytes */
	SUP_LIMIT_STDERR,
	SUP_LIMIT_PREVIEW,
	SUP_LIMIT_VALUE,
	SUP_LIMIT_CALLS,
	SUP_LIMIT_IN_FLIGHT,
	SUP_LIMIT_ARGUMENT_BYTES, /* of one call */
	SUP_LIMIT_RESULT_BYTES,	  /* of one call */
	SUP_LIMIT_TOTAL_BYTES,	  /* arguments and results of all calls */
	SUP_LIMIT_PRODUCED_BYTES, /* results of all calls, delivered or not */
	SUP_LIMIT_KEPT_BYTES,	  /* results that are read by handle */
	SUP_LIMIT_TOOL_TIME,	  /* of one call */
	SUP_LIMIT_TOTAL_TOOL_TIME,
	SUP_LIMIT_RUN_CALLS, /* with a ledger: of all its executions */
	SUP_LIMIT_RUN_BYTES,
	SUP_LIMIT_GRACE,
	SUP_LIMIT_PROGRAM, /* fixed */
	SUP_LIMIT_READY,   /* fixed */
	SUP_LIMITS
};

struct sup_limit_spec {
	const char *word;
	enum sup_unit unit;
	uint64_t initial; /* where nothing is asked */
	uint64_t ceiling;
	uint64_t minimum;
	bool settable;
	const char *help; /* one line */
};

const struct sup_limit_spec *sup_limit_spec(enum sup_limit limit);

/* SUP_LIMITS when there is no such word. */
enum sup_limit sup_limit_from(struct wire_span word);

#endif
