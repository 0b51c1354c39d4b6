/*
 * The executions of `weir doctor`: one small program, run through the library
 * as `weir run` would, once for each way to make a child.
 *
 * Owns: the context and the executions, to whose results the ways point.
 */
#ifndef SUP_DOCTOR_TRIAL_H
#define SUP_DOCTOR_TRIAL_H

#include "supervisor/doctor_ways.h"
#include "supervisor/weir.h"

struct sup_doctor_trial {
	struct weir *weir;
	struct weir_execution *executions[SUP_WAY_COUNT];
	/* Out of the results, as they stand there; empty where there is none:
	 * what became of the confinement at isolated, and the version that an
	 * interpreter told of itself. */
	struct wire_span isolation; /* an object */
	struct wire_span python;    /* a string, with its quotes */
};

/* The level and the backend that stand for a way. */
void sup_doctor_way_request(
    enum sup_doctor_way way, struct weir_request *request);

/* Runs one to its end; NULL with a sentence in error. */
struct weir_execution *sup_doctor_execute(struct weir *weir,
    const struct weir_request *request, char error[WEIR_ERROR_MAX]);

/*
 * Runs them all and fills ret_ways. python: name or path; path: PATH, may be
 * NULL. *trial is all zero; sup_doctor_trial_release in any case.
 */
void sup_doctor_trial_run(struct sup_doctor_trial *trial, const char *python,
    const char *path, struct sup_doctor_way_is ret_ways[SUP_WAY_COUNT]);

void sup_doctor_trial_release(struct sup_doctor_trial *trial);

#endif
