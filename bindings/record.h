/*
 * The record of calls: what can be proved of each (B1, B5).
 *
 * struct bind_record is the step itself, an interface: `started` is written
 * before a call is dispatched, `ended` before it is answered. The one who
 * writes may refuse: a call whose `started` was not recorded is not dispatched,
 * and an outcome that was not recorded is not delivered.
 *
 * struct bind_record_list is the implementation that becomes `calls.list` of a
 * result: totals, and the entries with the first and last ids; bounded memory
 * whatever the number of calls. No allocation; not thread-safe. What is
 * written to a file is bindings/record_ledger.h.
 */
#ifndef BIND_RECORD_H
#define BIND_RECORD_H

#include "bindings/budget.h"
#include "bindings/gate.h"
#include "wire/err.h"
#include "wire/kinds.h"
#include "wire/limits.h"
#include "wire/span.h"

struct bind_record_entry {
	uint64_t id;
	struct wire_span tool; /* the name as called, offered or not */
	enum bind_call_state state;
	enum wire_tool_kind kind; /* NONE when completed, or only started */
	uint64_t argument_bytes;
	uint64_t result_bytes; /* that arrived whole; 0 otherwise */
	uint64_t ns;	       /* from dispatch to outcome; 0 when refused */
	/* What the call was given and gave, good until the callback returns;
	 * the result only of a completed one. */
	struct wire_span arguments, result;
};

struct bind_record {
	void *arg;
	/* entry->state is STARTED. NONE when it stands; NOT_RECORDED; or
	 * BUDGET_SPENT, when what is recorded leaves no room for it. */
	enum wire_tool_kind (*started)(
	    void *arg, const struct bind_record_entry *entry);
	/* entry->state is final. Once for each call, started or not. */
	enum wire_err (*ended)(
	    void *arg, const struct bind_record_entry *entry);
	/* How the Run stands by what is recorded, as of the last record; false:
	 * the execution is its own Run. NULL says so too. */
	bool (*run)(void *arg, struct bind_run *ret_run);
	/* The same as of now, with what others have recorded in between; NULL
	 * where nobody else records. */
	bool (*look)(void *arg, struct bind_run *ret_run);
};

struct bind_record_totals {
	uint64_t completed, failed, refused, unknown;
	uint64_t started; /* not final yet; 0 once a session is over */
};

#define BIND_RECORD_HEAD 50
#define BIND_RECORD_TAIL 50

/* An entry with its name stored. */
struct bind_record_slot {
	struct bind_record_entry entry; /* entry.tool points to `name` */
	uint8_t name[WIRE_MAX_TOOL_NAME];
};

struct bind_record_list {
	struct bind_record_totals totals;
	/* Which slots hold an entry; apart, so that a start touches no slot. */
	bool head_used[BIND_RECORD_HEAD], tail_used[BIND_RECORD_TAIL];
	struct bind_record_slot head[BIND_RECORD_HEAD]; /* at its id */
	struct bind_record_slot tail[BIND_RECORD_TAIL]; /* at its id modulo */
};

/* The list must not move afterwards: entries point into it. */
void bind_record_list_init(struct bind_record_list *list);

/* The interface to *list. It never refuses. */
struct bind_record bind_record_list_record(struct bind_record_list *list);

/* Sum of the four final totals: `calls.total` of a result. */
uint64_t bind_record_total(const struct bind_record_totals *totals);

/*
 * Walks the kept entries in the order of their ids: *cursor starts at 0;
 * NULL at the end. What is not among them is counted only.
 */
const struct bind_record_entry *bind_record_list_next(
    const struct bind_record_list *list, size_t *cursor);

#endif
