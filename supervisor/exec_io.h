/*
 * The descriptors of one execution and what their news means.
 */
#ifndef SUP_EXEC_IO_H
#define SUP_EXEC_IO_H

#include "supervisor/exec.h"

/* Puts the child's descriptors and a timer into the loop. */
WIRE_MUST_USE enum wire_err sup_exec_open_io(
    struct weir_execution *execution, struct wire_errinfo *info);

/* Takes them out and closes them; the child has been reaped. */
void sup_exec_close_io(struct weir_execution *execution);

/* Does nothing: being called makes the turn in which a finished start is
 * settled. */
void sup_exec_woken(struct sup_watch *watch, uint32_t events);

/* Takes the records that the stub has sent so far; false when it sends no
 * more. */
bool sup_exec_take_reports(struct weir_execution *execution);

#endif
