/*
 * The processes of one execution as one budget (C14): how many there are, and
 * what CPU time they have used together, where the limit `processes` is not 0.
 * Without it every function here does nothing.
 *
 * The kernel bounds the tasks of all, and the CPU time of each one. The sums
 * are looked at from outside, so that a little more may be had between two
 * looks: half of LOOK_NS on each processor on average.
 */
#ifndef SUP_EXEC_TREE_H
#define SUP_EXEC_TREE_H

#include "supervisor/exec.h"

/* Process 2 is known: the first look, and the evidence that there is one. */
void sup_exec_tree_ready(struct weir_execution *execution);

/* When the next look is due; UINT64_MAX: none. */
uint64_t sup_exec_tree_next(const struct weir_execution *execution);

/* Looks, when it is time: true when something is beyond its limit, and
 * facts.exceeded says what. */
bool sup_exec_tree_look(struct weir_execution *execution, uint64_t now_ns);

/* The end is being decided: what has been used until now? */
void sup_exec_tree_note(struct weir_execution *execution);

#endif
