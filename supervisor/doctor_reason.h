/*
 * Why a step was refused, and the one thing that changes it: a table by step,
 * error and what is known of the host. Pure.
 */
#ifndef SUP_DOCTOR_REASON_H
#define SUP_DOCTOR_REASON_H

#include "supervisor/doctor.h"
#include "supervisor/doctor_host.h"

#define SUP_DOCTOR_TEXT 1024

struct sup_doctor_reason {
	char error[SUP_DOCTOR_TEXT]; /* "EPERM: Operation not permitted" */
	char reason[SUP_DOCTOR_TEXT];
	char cure[SUP_DOCTOR_TEXT]; /* one sentence */
};

/*
 * For an answer that is not 0. Never empty: each step has a row for every
 * error. failed: the set of steps that were refused, for NOT_TRIED.
 */
void sup_doctor_explain(enum sup_doctor_step step,
    const struct sup_doctor_answer *answer, const struct sup_doctor_host *host,
    uint64_t failed, struct sup_doctor_reason *ret_reason);

/* The row that serves any error of this step, for tests. */
bool sup_doctor_has_fallback(enum sup_doctor_step step);

#endif
