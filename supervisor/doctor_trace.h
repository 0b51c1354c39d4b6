/*
 * The program of `weir doctor --trace`: run once, with nothing granted, the
 * strongest way that the host has, to see which system calls it is refused.
 *
 * Owns: the execution. What it prints and returns is nobody's; what it says of
 * its end is untrusted text.
 */
#ifndef SUP_DOCTOR_TRACE_H
#define SUP_DOCTOR_TRACE_H

#include <stdio.h>

#include "supervisor/doctor_ways.h"
#include "supervisor/trace.h"
#include "supervisor/weir.h"
#include "wire/json_out.h"

struct sup_doctor_trace {
	const char *path; /* of the program; NULL: none was asked for */
	char *program;	  /* its text, owned */
	size_t program_len;
	struct weir_execution *execution; /* NULL: there was none */
	enum sup_doctor_way way;	  /* that it was run */
	const struct sup_trace *rows;	  /* NULL: the program did not run */
	/* Why there was no execution; else "". */
	char error[WEIR_ERROR_MAX];
};

/* Reads the program; false with a message printed. *trace is all zero but for
 * path; sup_doctor_trace_release in any case. */
bool sup_doctor_trace_load(struct sup_doctor_trace *trace);

/* Runs it. weir: NULL when no execution could be started; ways: which of them
 * can be had. */
void sup_doctor_trace_run(struct sup_doctor_trace *trace, struct weir *weir,
    const struct sup_doctor_way_is ways[SUP_WAY_COUNT]);

/* One object, or null. */
void sup_doctor_trace_put_json(
    const struct sup_doctor_trace *trace, struct wire_out *out);

/* A line for the program, and one for each row. */
void sup_doctor_trace_put_text(
    const struct sup_doctor_trace *trace, FILE *stream);

/* Before the context that it ran in. */
void sup_doctor_trace_release(struct sup_doctor_trace *trace);

#endif
