#include "supervisor/limits_table.h"

#include <string.h>

#include "wire/limits.h"

#define KIB (1ULL << 10)
#define MIB (1ULL << 20)
#define GIB (1ULL << 30)
#define MS  SUP_NS_PER_MS
#define S   SUP_NS_PER_S
#define H   SUP_NS_PER_H

#define TIME(word, initial, ceiling, minimum, help)                            \
	{                                                                      \
		(word), SUP_UNIT_TIME, (initial), (ceiling), (minimum), true,  \
		    (help)                                                     \
	}
#define SIZE(word, initial, ceiling, minimum, help)                            \
	{                                                                      \
		(word), SUP_UNIT_SIZE, (initial), (ceiling), (minimum), true,  \
		    (help)                                                     \
	}
#define NUMBER(word, initial, ceiling, minimum, help)                          \
	{                                                                      \
		(word), SUP_UNIT_COUNT, (initial), (ceiling), (minimum), true, \
		    (help)                                                     \
	}

#define VALUE_CEILING	  (16 * MIB)
#define ARGUMENTS_CEILING (8 * MIB)
#define RESULT_CEILING	  (64 * MIB)
#define PROGRAM_FIXED	  (1 * MIB)

/* W13: frame ceilings are derived from these and must stay possible. */
_Static_assert(VALUE_CEILING + WIRE_FRAME_SLACK <= WIRE_MAX_FRAME,
    "a value must fit a frame");
_Static_assert(ARGUMENTS_CEILING + WIRE_FRAME_SLACK <= WIRE_MAX_FRAME,
    "arguments must fit a frame");
_Static_assert(RESULT_CEILING + WIRE_FRAME_SLACK <= WIRE_MAX_FRAME,
    "a result must fit a frame");

/*
 * Defaults, and the ceilings of cpu, wall, value, calls and the byte budgets,
 * are promises (S13). The other ranges: below a minimum nothing useful can
 * run (the interpreter maps tens of megabytes and needs a dozen descriptors;
 * "null" is four bytes, "{}" two), and above a ceiling one execution could
 * exhaust the host: the workspace is memory, each call in flight is a process
 * of the host with descriptors, captured output is kept in memory.
 */
static const struct sup_limit_spec specs[SUP_LIMITS] = {
    [SUP_LIMIT_CPU] = TIME(
	"cpu", 30 * S, 24 * H, 1 * MS, "CPU time, rounded up to whole seconds"),
    [SUP_LIMIT_WALL] =
	TIME("wall", 120 * S, 24 * H, 1 * MS, "elapsed time until the answer"),
    [SUP_LIMIT_MEMORY] = SIZE("memory", 1024 * GIB, 1024 * GIB, 16 * MIB,
	"memory of everything; at the ceiling none"),
    [SUP_LIMIT_ADDRESS_SPACE] = SIZE("address_space", 4 * GIB, 1024 * GIB,
	64 * MIB, "address space of the program"),
    [SUP_LIMIT_FILE_SIZE] =
	SIZE("file_size", 16 * MIB, 16 * GIB, 0, "size of any one file"),
    [SUP_LIMIT_THREADS] =
	NUMBER("threads", 256, 16384, 0, "threads beside the first one"),
    [SUP_LIMIT_PROCESSES] = NUMBER(
	"processes", 0, 1024, 0, "processes of Python beside the first one"),
    [SUP_LIMIT_OPEN_FILES] =
	NUMBER("open_files", 256, 65536, 16, "open descriptors"),
    [SUP_LIMIT_WORKSPACE] = SIZE("workspace", 64 * MIB, 16 * GIB, 64 * KIB,
	"bytes in the workspace, which are memory"),
    [SUP_LIMIT_INODES] = NUMBER("inodes", 65536, 10000000, 16,
	"files and directories in the workspace"),
    [SUP_LIMIT_STDOUT] =
	SIZE("stdout", 1 * MIB, 64 * MIB, 0, "bytes captured of stdout"),
    [SUP_LIMIT_STDERR] =
	SIZE("stderr", 1 * MIB, 64 * MIB, 0, "bytes captured of stderr"),
    [SUP_LIMIT_PREVIEW] = SIZE(
	"preview", 4000, 1 * MIB, 0, "bytes of a stream shown in the result"),
    [SUP_LIMIT_VALUE] =
	SIZE("value", 256 * KIB, VALUE_CEILING, 4, "bytes of the value"),
    [SUP_LIMIT_CALLS] = NUMBER("calls", 1000, 1000000, 0, "tool calls"),
    [SUP_LIMIT_IN_FLIGHT] = NUMBER(
	"in_flight", 64, 256, 1, "calls at work at one time; others wait"),
    [SUP_LIMIT_ARGUMENT_BYTES] = SIZE("argument_bytes", 1 * MIB,
	ARGUMENTS_CEILING, 2, "bytes of one call's arguments"),
    [SUP_LIMIT_RESULT_BYTES] = SIZE("result_bytes", 8 * MIB, RESULT_CEILING, 1,
	"bytes of one call's result"),
    [SUP_LIMIT_TOTAL_BYTES] = SIZE("total_bytes", 64 * MIB, 4 * GIB, 0,
	"bytes of all arguments and results"),
    [SUP_LIMIT_PRODUCED_BYTES] = SIZE("produced_bytes", 128 * MIB, 8 * GIB, 0,
	"bytes of results, delivered or not"),
    [SUP_LIMIT_KEPT_BYTES] = SIZE("kept_bytes", 64 * MIB, 1 * GIB, 0,
	"bytes of larger results that are kept"),
    [SUP_LIMIT_TOOL_TIME] =
	TIME("tool_time", 60 * S, 24 * H, 1 * MS, "time of one tool call"),
    [SUP_LIMIT_TOTAL_TOOL_TIME] = TIME("total_tool_time", 24 * H, 6144 * H,
	1 * MS, "time of all tool calls together"),
    [SUP_LIMIT_RUN_CALLS] = NUMBER("run_calls", 10000, 100000000, 0,
	"tool calls of a Run, in all its executions"),
    [SUP_LIMIT_RUN_BYTES] = SIZE("run_bytes", 64 * GIB, 1024 * GIB, 0,
	"arguments and results of a Run's tool calls"),
    [SUP_LIMIT_GRACE] = TIME(
	"grace", 1 * S, 60 * S, 0, "time from SIGTERM to SIGKILL at the end"),
    [SUP_LIMIT_PROGRAM] = {"program", SUP_UNIT_SIZE, PROGRAM_FIXED,
	PROGRAM_FIXED, PROGRAM_FIXED, false, "bytes of the program's text"},
    [SUP_LIMIT_READY] = {"ready", SUP_UNIT_TIME, 10 * S, 10 * S, 10 * S, false,
	"time until the confined child reports"},
};

const struct sup_limit_spec *
sup_limit_spec(enum sup_limit limit)
{
	WIRE_BUG_IF((unsigned)limit >= SUP_LIMITS);
	return &specs[limit];
}

enum sup_limit
sup_limit_from(struct wire_span word)
{
	unsigned limit;

	for (limit = 0; limit < SUP_LIMITS; limit++) {
		if (strlen(specs[limit].word) == word.len &&
		    memcmp(specs[limit].word, word.p, word.len) == 0)
			break;
	}
	return (enum sup_limit)limit;
}
