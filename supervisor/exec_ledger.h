/*
 * What of an execution goes into its Run's ledger (B4, B5).
 *
 * An execution whose context has a state directory opens its Run's ledger
 * before anything is started, writes `opened` before the program is sent, every
 * call, and `closed` with the result. Without a state directory it has none,
 * and all of this does nothing: an execution is then its own Run, and what is
 * known of it is in the result.
 *
 * Private to the supervisor, like exec.h.
 */
#ifndef SUP_EXEC_LEDGER_H
#define SUP_EXEC_LEDGER_H

#include "supervisor/exec.h"

/* Opens the ledger of the Run, or of a Run with the execution's own id where
 * that is NULL. False with a sentence in error, and weir->fault set. */
WIRE_MUST_USE bool sup_exec_ledger_open(struct weir_execution *execution,
    const char *run, char error[WEIR_ERROR_MAX]);

/* Where the session records its calls. */
struct bind_record sup_exec_ledger_record(struct weir_execution *execution);

/* Whether something is recorded that the disk does not have yet and has to
 * have; that is seen to at the end of the turn. Until then nothing that rests
 * on it is done, and no answer to the program is written. */
bool sup_exec_ledger_due(struct weir_execution *execution);

/* When the report of the child has been accepted. Not WIRE_OK: the program
 * must not be sent, and *info says why, as for sup_exec_note_setup. */
WIRE_MUST_USE enum wire_err sup_exec_ledger_opened(
    struct weir_execution *execution, struct wire_errinfo *info);

/* When the verdict is reached; what could not be recorded is a warning. */
void sup_exec_ledger_closed(struct weir_execution *execution);

#endif
