/*
 * What a ledger's records add up to (B4): the counts of a Run, and which calls
 * have begun and not ended.
 *
 * The counts need no memory. The open calls stand in a table of the caller's,
 * which has to grow with the number that are open at one time, never with the
 * number of records. Pure; no allocation.
 */
#ifndef BIND_LEDGER_FOLD_H
#define BIND_LEDGER_FOLD_H

#include "bindings/ledger_format.h"

struct bind_ledger_fold {
	uint64_t opened, closed; /* executions */
	uint64_t started, refused, completed, failed, unknown;
	uint64_t uncharged; /* of the refused: the budget was spent already */
	uint64_t argument_bytes, result_bytes;
	uint64_t tool_ns; /* of calls that have ended */
	uint64_t repaired;
};

/* All zero is a fold of nothing. */
void bind_ledger_fold_add(
    struct bind_ledger_fold *fold, const struct bind_ledger_record *record);

/*
 * What a Run has spent: every call that was started or refused counts, however
 * it ended, or whether its end was ever seen. Only what a spent budget refuses
 * is free (B3).
 */
uint64_t bind_ledger_fold_calls(const struct bind_ledger_fold *fold);
uint64_t bind_ledger_fold_bytes(const struct bind_ledger_fold *fold);
/* Started, and no end in the ledger: running now, or never to be known. */
uint64_t bind_ledger_fold_dangling(const struct bind_ledger_fold *fold);

/* --- the calls that are open ---------------------------------------------- */

struct bind_ledger_call {
	uint8_t execution[BIND_LEDGER_EXECUTION];
	uint64_t call;
	uint64_t offset; /* of the record that started it */
	bool used;	 /* the table's own */
};

struct bind_ledger_calls {
	struct bind_ledger_call *slots;
	size_t max, count;
	uint64_t seed;
};

/* memory for so many slots; 0 and NULL are a table that must grow first. seed
 * is unpredictable: the ids are the file's. */
void bind_ledger_calls_init(struct bind_ledger_calls *calls, uint64_t seed,
    struct bind_ledger_call *memory, size_t slots);

/* Moves everything to a larger memory; the old one is the caller's again. */
void bind_ledger_calls_grow(struct bind_ledger_calls *calls,
    struct bind_ledger_call *memory, size_t slots);

/*
 * Follows one record. NEED_SCRATCH: the table is full; grow it and come again.
 * BAD_FIELD: a call starts that is open, or one ends that is not: no weir has
 * written that.
 */
WIRE_MUST_USE enum wire_err bind_ledger_calls_add(
    struct bind_ledger_calls *calls, const struct bind_ledger_record *record,
    uint64_t offset);

/* The open calls, in no order: start with *cursor 0; NULL at the end. */
const struct bind_ledger_call *bind_ledger_calls_next(
    const struct bind_ledger_calls *calls, size_t *cursor);

#endif
