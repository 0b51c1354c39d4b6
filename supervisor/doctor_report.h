/*
 * What `weir doctor` says: all that was tried and seen, as text for people
 * and as one JSON object (weir.doctor/1, see weir(1)). Pure, but for the
 * stream.
 */
#ifndef SUP_DOCTOR_REPORT_H
#define SUP_DOCTOR_REPORT_H

#include <stdio.h>

#include "supervisor/doctor_trace.h"
#include "supervisor/doctor_ways.h"
#include "wire/json_out.h"

struct sup_doctor_report {
	struct sup_doctor_host host;
	struct sup_doctor_answer answers[SUP_DOCTOR_COUNT];
	/* For those that are not ok. */
	struct sup_doctor_reason reasons[SUP_DOCTOR_COUNT];
	struct sup_doctor_way_is ways[SUP_WAY_COUNT];
	/* Out of the results of real executions, as they stand there; empty
	 * when there was none. isolation: of the way `isolated`. */
	struct wire_span isolation; /* an object */
	struct wire_span python;    /* a string, with its quotes */
	struct sup_doctor_trace trace;
	char level[16];	 /* that the way `isolated` had */
	uint64_t failed; /* steps, as a set */
	bool available;	 /* level isolated was had */
	char verdict[4 * SUP_DOCTOR_TEXT];
};

/* Sets reasons, and then level, available and verdict, from what was tried.
 * The reason of the execution, when it has one already, is kept. */
void sup_doctor_conclude(struct sup_doctor_report *report);

void sup_doctor_put_json(
    const struct sup_doctor_report *report, struct wire_out *out);
void sup_doctor_put_text(const struct sup_doctor_report *report, FILE *stream);

#endif
