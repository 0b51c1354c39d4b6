/*
 * The memory limit of one execution: which mechanism holds it, and what the
 * host knows of it at the start, while it runs and at the end (C15).
 *
 * Where no limit was asked for, every function here does nothing, and nothing
 * is asked of the host. A cgroup is tried first, then the watchdog: it says
 * why in the evidence.
 */
#ifndef SUP_EXEC_MEMORY_H
#define SUP_EXEC_MEMORY_H

#include "supervisor/exec.h"

/* Before the plans: chooses the mechanism, and makes the group. */
void sup_exec_memory_prepare(struct weir_execution *execution);

/* The group that the child is to be made in; -1: none, or it is put in. */
int sup_exec_memory_clone_fd(const struct weir_execution *execution);

/* The child waits for its `go`: puts it in, if it is not in there. */
WIRE_MUST_USE enum wire_err sup_exec_memory_enter(
    struct weir_execution *execution, struct wire_errinfo *info);

/* Process 2 is known: the first look, and the evidence. */
void sup_exec_memory_ready(struct weir_execution *execution);

/* Reads again what can have changed since. */
void sup_exec_memory_observe(
    const struct weir_execution *execution, struct sup_memory_seen *seen);

/* When the watchdog looks next; and looks, when it is time: true when the
 * limit is exceeded. */
uint64_t sup_exec_memory_next(const struct weir_execution *execution);
bool sup_exec_memory_look(struct weir_execution *execution, uint64_t now_ns);

/* The end is being decided: what has the kernel counted until now? */
void sup_exec_memory_note(struct weir_execution *execution);

/* SIGKILL to all of the group, beside what else is killed. */
void sup_exec_memory_kill(const struct weir_execution *execution);

/* All is dead: the last figures, and the group goes. */
void sup_exec_memory_end(struct weir_execution *execution);

#endif
