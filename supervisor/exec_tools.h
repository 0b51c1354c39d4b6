/*
 * The tool side of one execution: its session, and the replies that go to the
 * program.
 */
#ifndef SUP_EXEC_TOOLS_H
#define SUP_EXEC_TOOLS_H

#include "supervisor/exec.h"

/* Makes the tool side of the execution. */
WIRE_MUST_USE enum wire_err sup_exec_open_tools(
    struct weir_execution *execution, struct wire_errinfo *info);

/* Ends it, what still runs included, and keeps the meters as they stand. */
void sup_exec_close_tools(struct weir_execution *execution);

#endif
