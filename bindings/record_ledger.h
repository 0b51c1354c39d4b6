/*
 * The record of calls that is kept in a Run's ledger (B1, B5).
 *
 * `started` is in the file before a call is dispatched, its end before it is
 * answered. What cannot be written is refused: NOT_RECORDED, and why stands in
 * `failure`; a call for which the Run has no budget left is BUDGET_SPENT. Every
 * entry that stands goes into a list as well, from which the result is made.
 *
 * Arguments and results go into the file as hashes with the ledger's key, and
 * themselves only where `values` says so and they are not too long.
 *
 * Owns: nothing. One thread.
 */
#ifndef BIND_RECORD_LEDGER_H
#define BIND_RECORD_LEDGER_H

#include "bindings/ledger_file.h"
#include "bindings/record.h"

struct bind_record_ledger {
	struct bind_record_list *list;
	struct bind_ledger *ledger;
	uint8_t execution[BIND_LEDGER_EXECUTION];
	struct bind_ledger_bounds bounds;
	bool in_run; /* the bounds are a Run's, of which others are a part */
	bool values;
	/* The first that could not be recorded; site NULL: none. */
	struct wire_errinfo failure;
	uint64_t failures;
};

/* The interface to it; *record must not move and outlives the session. */
struct bind_record bind_record_ledger_record(struct bind_record_ledger *record);

#endif
