/*
 * What a traced program was refused, counted (weir run --trace).
 *
 * One row for each call, its arguments that decided (filter_why.h) and the
 * answer, in the order of their first appearance. A program chooses what it
 * calls, so there are no more rows than SUP_TRACE_ROWS: what has no row is
 * counted together.
 *
 * Pure. Owns nothing.
 */
#ifndef SUP_TRACE_H
#define SUP_TRACE_H

#include "supervisor/filter_why.h"
#include "wire/json_out.h"

#define SUP_TRACE_ROWS 256
/* A line of text at most, and all of them. */
#define SUP_TRACE_LINE 640
#define SUP_TRACE_TEXT ((SUP_TRACE_ROWS + 1) * SUP_TRACE_LINE)

struct sup_trace_row {
	uint64_t count;
	uint32_t number;
	struct sup_filter_why why;
};

/* Begins as all zero. */
struct sup_trace {
	uint64_t refused;  /* calls, all of them */
	uint64_t left_out; /* of them those without a row */
	size_t row_count;
	struct sup_trace_row rows[SUP_TRACE_ROWS];
};

/* One refused call, and what the policy says of it. */
void sup_trace_note(
    struct sup_trace *trace, uint32_t number, const struct sup_filter_why *why);

/* A row as one object. */
void sup_trace_put_row(struct wire_out *out, const struct sup_trace_row *row);

/* All of it as lines of JSON (weir(1), TRACE); SUP_TRACE_TEXT is enough. */
WIRE_MUST_USE enum wire_err sup_trace_format(
    const struct sup_trace *trace, uint8_t *buf, size_t max, size_t *ret_len);

#endif
