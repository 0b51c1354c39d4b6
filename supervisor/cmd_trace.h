/*
 * The file of `weir run --trace`.
 *
 * It is made before the program runs, so that a path that cannot be used is
 * said then, and is removed again when there is nothing to write.
 */
#ifndef SUP_CMD_TRACE_H
#define SUP_CMD_TRACE_H

#include <stdbool.h>

#include "supervisor/weir.h"

struct sup_cmd_trace {
	const char *path; /* NULL: no trace was asked for */
	int fd;		  /* -1: not open */
	bool is_written;
};

/* Makes the file, unless path is NULL. 0, or the exit code with a message
 * printed. */
int sup_cmd_trace_open(struct sup_cmd_trace *trace, const char *path);

/* Writes what was traced, if a program ran; false with a message printed when
 * it cannot be written. */
bool sup_cmd_trace_write(
    struct sup_cmd_trace *trace, const struct weir_execution *execution);

/* Closes the file, and removes one that was never written. */
void sup_cmd_trace_close(struct sup_cmd_trace *trace);

#endif
