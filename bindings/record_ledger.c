#include "bindings/record_ledger.h"

#include <string.h>

static void
set_word(struct bind_ledger_record *record, enum bind_ledger_field field,
    const char *word)
{
	bind_ledger_set_bytes(record, field,
	    (struct wire_span){(const uint8_t *)word, strlen(word)});
}

/* Hash and, where they are wanted, bytes. hash is room that outlives it. */
static void
set_value(const struct bind_record_ledger *self,
    struct bind_ledger_record *record, enum bind_ledger_field hash_field,
    enum bind_ledger_field field, struct wire_span value,
    uint8_t hash[BIND_SHA256_LEN])
{
	bind_ledger_hash(self->ledger, value, hash);
	bind_ledger_set_bytes(
	    record, hash_field, (struct wire_span){hash, BIND_SHA256_LEN});
	if (self->values && value.len <= BIND_LEDGER_VALUE_MAX)
		bind_ledger_set_bytes(record, field, value);
}

static enum bind_ledger_event
event_of(enum bind_call_state state)
{
	switch (state) {
	case BIND_CALL_STARTED:
		return BIND_LEDGER_STARTED;
	case BIND_CALL_REFUSED:
		return BIND_LEDGER_REFUSED;
	case BIND_CALL_COMPLETED:
		return BIND_LEDGER_COMPLETED;
	case BIND_CALL_FAILED:
		return BIND_LEDGER_FAILED;
	case BIND_CALL_UNKNOWN:
		return BIND_LEDGER_UNKNOWN;
	case BIND_CALL_NEW:
	case BIND_CALL_CHARGING:
	case BIND_CALL_ADMITTING:
	case BIND_CALL_WAITING:
	case BIND_CALL_RECORDING:
	case BIND_CALL_STATES:
		break;
	}
	return BIND_LEDGER_NO_EVENT;
}

static void
describe(const struct bind_record_ledger *self,
    const struct bind_record_entry *entry, struct bind_ledger_record *record,
    uint8_t hash[BIND_SHA256_LEN])
{
	const enum bind_ledger_event event = event_of(entry->state);

	WIRE_BUG_IF(event == BIND_LEDGER_NO_EVENT);
	bind_ledger_record_init(record, event);
	bind_ledger_set_bytes(record, BIND_LEDGER_F_EXECUTION,
	    (struct wire_span){self->execution, sizeof(self->execution)});
	bind_ledger_set_number(record, BIND_LEDGER_F_CALL, entry->id);
	bind_ledger_set_bytes(record, BIND_LEDGER_F_TOOL, entry->tool);
	if (entry->kind != WIRE_TOOL_NONE)
		set_word(record, BIND_LEDGER_F_KIND,
		    wire_tool_kind_word(entry->kind));
	if (event == BIND_LEDGER_STARTED || event == BIND_LEDGER_REFUSED) {
		bind_ledger_set_number(record, BIND_LEDGER_F_ARGUMENT_BYTES,
		    entry->argument_bytes);
		set_value(self, record, BIND_LEDGER_F_ARGUMENT_HASH,
		    BIND_LEDGER_F_ARGUMENTS, entry->arguments, hash);
		return;
	}
	bind_ledger_set_number(
	    record, BIND_LEDGER_F_RESULT_BYTES, entry->result_bytes);
	bind_ledger_set_number(record, BIND_LEDGER_F_TOOL_NS, entry->ns);
	if (event == BIND_LEDGER_COMPLETED)
		set_value(self, record, BIND_LEDGER_F_RESULT_HASH,
		    BIND_LEDGER_F_RESULT, entry->result, hash);
}

static enum wire_err
append(struct bind_record_ledger *self, const struct bind_record_entry *entry,
    enum bind_meter *ret_spent)
{
	bool starts = entry->state == BIND_CALL_STARTED;
	struct wire_errinfo info = {"", 0, 0};
	struct bind_ledger_record record;
	uint8_t hash[BIND_SHA256_LEN];
	enum wire_err err;

	describe(self, entry, &record, hash);
	err = bind_ledger_append(self->ledger, &record,
	    starts ? &self->bounds : NULL, ret_spent, &info);
	if (err != WIRE_OK && self->failures++ == 0)
		self->failure = info;
	return err;
}

static enum wire_tool_kind
started(void *arg, const struct bind_record_entry *entry)
{
	struct bind_record_ledger *self = arg;
	struct bind_record list = bind_record_list_record(self->list);
	enum bind_meter spent;

	if (append(self, entry, &spent) != WIRE_OK)
		return WIRE_TOOL_NOT_RECORDED;
	if (spent != BIND_METER_NONE)
		return WIRE_TOOL_BUDGET_SPENT;
	return list.started(list.arg, entry);
}

static enum wire_err
ended(void *arg, const struct bind_record_entry *entry)
{
	struct bind_record_ledger *self = arg;
	struct bind_record list = bind_record_list_record(self->list);
	enum bind_meter spent;
	enum wire_err err = append(self, entry, &spent);
	/* The result tells what happened, recorded or not. */
	enum wire_err list_err = list.ended(list.arg, entry);

	return err != WIRE_OK ? err : list_err;
}

/* SECURITY: what a Run has spent is what its ledger says, never what a process
 * remembers (B4). */
static bool
run(void *arg, struct bind_run *ret_run)
{
	const struct bind_record_ledger *self = arg;
	const struct bind_ledger_fold *fold = bind_ledger_fold(self->ledger);

	if (!self->in_run)
		return false;
	*ret_run = (struct bind_run){
	    .calls = bind_ledger_fold_calls(fold),
	    .calls_max = self->bounds.calls,
	    .bytes = bind_ledger_fold_bytes(fold),
	    .bytes_max = self->bounds.bytes,
	};
	return true;
}

static bool
look(void *arg, struct bind_run *ret_run)
{
	struct bind_record_ledger *self = arg;
	struct wire_errinfo info;

	/* What keeps it from being read keeps the next record from being
	 * written, and that is told. */
	if (self->in_run)
		(void)!bind_ledger_look(self->ledger, &info);
	return run(arg, ret_run);
}

struct bind_record
bind_record_ledger_record(struct bind_record_ledger *record)
{
	return (struct bind_record){record, started, ended, run, look};
}
