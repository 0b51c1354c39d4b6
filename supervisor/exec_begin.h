/*
 * How an execution begins, and begins again (exec_begin.c). Private to the
 * supervisor.
 */
#ifndef SUP_EXEC_BEGIN_H
#define SUP_EXEC_BEGIN_H

#include "supervisor/exec.h"

/* Everything that the attempt at hand needs beside its child: workspace,
 * plans, tools. BAD_ARGUMENT with info->site a sentence when the request
 * itself cannot work; else the host could not give it. */
WIRE_MUST_USE enum wire_err sup_exec_prepare(
    struct weir_execution *execution, struct wire_errinfo *info);

/* Starts what was prepared; a failure becomes an event. */
void sup_exec_begin(struct weir_execution *execution);

/* The other beginning: something of our own cannot be had. */
void sup_exec_fail(
    struct weir_execution *execution, const struct wire_errinfo *info);

/* And the third: its terms do not grant what it asks for (C19). */
void sup_exec_refuse(
    struct weir_execution *execution, enum sup_kind kind, const char *refusal);

/* Whether an attempt that is over may be followed by a weaker one. */
bool sup_exec_may_go_on(const struct weir_execution *execution);
/* Begins that one. All of the child before it is closed and reaped. */
void sup_exec_go_on(struct weir_execution *execution);

/* Warns of the stronger attempts that the host refused. */
void sup_exec_warn_refused(struct weir_execution *execution);

/* Ends and reaps the child at once, if there is one; blocks. */
void sup_exec_reap(struct weir_execution *execution);
/* Removes a workspace of the host, if there is one. */
void sup_exec_remove_workspace(struct weir_execution *execution);

#endif
