#include "bindings/ledger_fold.h"

#include <string.h>

#include "wire/kinds.h"

static uint64_t
number(const struct bind_ledger_record *record, enum bind_ledger_field field)
{
	return (record->has >> field & 1) != 0 ? record->value[field].number
					       : 0;
}

/* A file may hold any numbers. */
static void
add(uint64_t *sum, uint64_t more)
{
	if (__builtin_add_overflow(*sum, more, sum))
		*sum = UINT64_MAX;
}

static bool
is_uncharged(const struct bind_ledger_record *record)
{
	return wire_tool_kind_from(record->value[BIND_LEDGER_F_KIND].bytes) ==
	    WIRE_TOOL_BUDGET_SPENT;
}

void
bind_ledger_fold_add(
    struct bind_ledger_fold *fold, const struct bind_ledger_record *record)
{
	switch (record->event) {
	case BIND_LEDGER_OPENED:
		fold->opened++;
		break;
	case BIND_LEDGER_STARTED:
		fold->started++;
		add(&fold->argument_bytes,
		    number(record, BIND_LEDGER_F_ARGUMENT_BYTES));
		break;
	case BIND_LEDGER_REFUSED:
		fold->refused++;
		if (is_uncharged(record))
			fold->uncharged++;
		else
			add(&fold->argument_bytes,
			    number(record, BIND_LEDGER_F_ARGUMENT_BYTES));
		break;
	case BIND_LEDGER_COMPLETED:
		fold->completed++;
		break;
	case BIND_LEDGER_FAILED:
		fold->failed++;
		break;
	case BIND_LEDGER_UNKNOWN:
		fold->unknown++;
		break;
	case BIND_LEDGER_CLOSED:
		fold->closed++;
		break;
	case BIND_LEDGER_REPAIRED:
		fold->repaired++;
		break;
	case BIND_LEDGER_NO_EVENT:
	case BIND_LEDGER_EVENT_COUNT:
		WIRE_BUG_IF(true);
	}
	add(&fold->result_bytes, number(record, BIND_LEDGER_F_RESULT_BYTES));
	add(&fold->tool_ns, number(record, BIND_LEDGER_F_TOOL_NS));
}

uint64_t
bind_ledger_fold_calls(const struct bind_ledger_fold *fold)
{
	return fold->started + fold->refused - fold->uncharged;
}

uint64_t
bind_ledger_fold_bytes(const struct bind_ledger_fold *fold)
{
	uint64_t sum = fold->argument_bytes;

	add(&sum, fold->result_bytes);
	return sum;
}

uint64_t
bind_ledger_fold_dangling(const struct bind_ledger_fold *fold)
{
	uint64_t ended = fold->completed + fold->failed + fold->unknown;

	return ended > fold->started ? 0 : fold->started - ended;
}

/* --- the calls that are open: open addressing ----------------------------- */

static uint64_t
mix(uint64_t x)
{
	x ^= x >> 32;
	x *= 0xd6e8feb86659fd93;
	x ^= x >> 32;
	x *= 0xd6e8feb86659fd93;
	return x ^ x >> 32;
}

static size_t
home_of(const struct bind_ledger_calls *calls, const uint8_t *execution,
    uint64_t call)
{
	uint64_t half[2];

	memcpy(half, execution, sizeof(half));
	return (size_t)(mix(mix(mix(half[0] ^ calls->seed) ^ half[1]) ^ call) %
	    calls->max);
}

/* The slot that holds the call, or the free one where it would go. */
static size_t
find(const struct bind_ledger_calls *calls, const uint8_t *execution,
    uint64_t call)
{
	size_t at = home_of(calls, execution, call);

	while (calls->slots[at].used &&
	    (calls->slots[at].call != call ||
		memcmp(calls->slots[at].execution, execution,
		    BIND_LEDGER_EXECUTION) != 0))
		at = (at + 1) % calls->max;
	return at;
}

void
bind_ledger_calls_init(struct bind_ledger_calls *calls, uint64_t seed,
    struct bind_ledger_call *memory, size_t slots)
{
	*calls = (struct bind_ledger_calls){memory, slots, 0, seed};
	for (size_t i = 0; i < slots; i++)
		memory[i].used = false;
}

void
bind_ledger_calls_grow(struct bind_ledger_calls *calls,
    struct bind_ledger_call *memory, size_t slots)
{
	const struct bind_ledger_calls old = *calls;
	size_t cursor = 0;
	const struct bind_ledger_call *call;

	WIRE_BUG_IF(slots < old.max);
	bind_ledger_calls_init(calls, old.seed, memory, slots);
	while ((call = bind_ledger_calls_next(&old, &cursor)) != NULL) {
		memory[find(calls, call->execution, call->call)] = *call;
		calls->count++;
	}
}

/* Frees a slot, and moves up what stands behind it for want of this place. */
static void
take_out(struct bind_ledger_calls *calls, size_t hole)
{
	size_t at = hole;

	calls->slots[hole].used = false;
	calls->count--;
	for (;;) {
		const struct bind_ledger_call *call;
		size_t home;

		at = (at + 1) % calls->max;
		call = &calls->slots[at];
		if (!call->used)
			return;
		home = home_of(calls, call->execution, call->call);
		/* Does it belong at or before the hole, going round? */
		if ((at + calls->max - home) % calls->max >=
		    (at + calls->max - hole) % calls->max) {
			calls->slots[hole] = *call;
			calls->slots[at].used = false;
			hole = at;
		}
	}
}

enum wire_err
bind_ledger_calls_add(struct bind_ledger_calls *calls,
    const struct bind_ledger_record *record, uint64_t offset)
{
	bool starts = record->event == BIND_LEDGER_STARTED;
	const uint8_t *execution;
	uint64_t id;
	size_t at;

	if (!starts && record->event != BIND_LEDGER_COMPLETED &&
	    record->event != BIND_LEDGER_FAILED &&
	    record->event != BIND_LEDGER_UNKNOWN)
		return WIRE_OK;
	/* A quarter stays free, for short ways. */
	if (starts && calls->count >= calls->max / 4 * 3)
		return WIRE_ERR_NEED_SCRATCH;
	if (calls->max == 0)
		return WIRE_ERR_BAD_FIELD;
	execution = record->value[BIND_LEDGER_F_EXECUTION].bytes.p;
	id = record->value[BIND_LEDGER_F_CALL].number;
	at = find(calls, execution, id);
	if (calls->slots[at].used == starts)
		return WIRE_ERR_BAD_FIELD;
	if (!starts) {
		take_out(calls, at);
		return WIRE_OK;
	}
	memcpy(calls->slots[at].execution, execution, BIND_LEDGER_EXECUTION);
	calls->slots[at].call = id;
	calls->slots[at].offset = offset;
	calls->slots[at].used = true;
	calls->count++;
	return WIRE_OK;
}

const struct bind_ledger_call *
bind_ledger_calls_next(const struct bind_ledger_calls *calls, size_t *cursor)
{
	while (*cursor < calls->max) {
		const struct bind_ledger_call *call =
		    &calls->slots[(*cursor)++];

		if (call->used)
			return call;
	}
	return NULL;
}
