/*
 * The result object of an execution, weir.result/1 (S9).
 *
 * One schema for every outcome; the manual describes every field and field
 * names do not change.
 */
#ifndef SUP_RESULT_H
#define SUP_RESULT_H

#include "supervisor/exec.h"

#define SUP_RESULT_SCHEMA "weir.result/1"

/* Writes execution->result from verdict, record, grades and streams. When
 * memory is short even for that, a minimal object stands in its place. */
void sup_result_build(struct weir_execution *execution);

#endif
