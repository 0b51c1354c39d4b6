/*
 * Tracing one execution (weir run --trace): its filter asks where it would
 * refuse, and is answered what it would have said (exec_trace.c). Private to
 * the supervisor.
 */
#ifndef SUP_EXEC_TRACE_H
#define SUP_EXEC_TRACE_H

#include "supervisor/exec.h"
#include "supervisor/trace.h"

struct sup_exec_trace {
	struct sup_watch watch; /* the listener; fd -1: none */
	struct sup_trace rows;
	size_t text_len; /* 0: no program ran */
	uint8_t text[SUP_TRACE_TEXT];
};

/* For an execution that is to be traced, once; false without memory. */
WIRE_MUST_USE bool sup_exec_trace_new(struct weir_execution *execution);
void sup_exec_trace_free(struct weir_execution *execution);

/* The listener is there: takes over fd. arg is the execution. */
void sup_exec_trace_adopt(void *arg, int fd);

/* Whether the execution may go on after `ready`: it is not traced, or it
 * is. */
bool sup_exec_trace_is_on(const struct weir_execution *execution);

/* Closes the listener, after the child: until then each refused call waits
 * for an answer. */
void sup_exec_trace_close(struct weir_execution *execution);

/* Writes the text, when the execution is over. */
void sup_exec_trace_finish(struct weir_execution *execution);

#endif
