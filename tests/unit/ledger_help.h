/*
 * Records and whole ledgers for tests: of each event one that has every field
 * it may have.
 */
#ifndef TESTS_LEDGER_HELP_H
#define TESTS_LEDGER_HELP_H

#include <string.h>

#include "bindings/ledger_format.h"

static const uint8_t help_execution[BIND_LEDGER_EXECUTION] = "an execution id";
static const uint8_t help_hash[BIND_SHA256_LEN] =
    "thirty-two bytes that are a hash";

#define HELP_BYTES(array) ((struct wire_span){(array), sizeof(array)})

static inline struct wire_span
help_pairs(enum bind_ledger_type type)
{
	static uint8_t room[2][256];
	static const struct bind_ledger_pair numbers[] = {
	    {WIRE_LIT("wall"), 120000000000, {NULL, 0}},
	    {WIRE_LIT("calls"), 1000, {NULL, 0}},
	};
	static const struct bind_ledger_pair words[] = {
	    {WIRE_LIT("network"), 0, WIRE_LIT("enforced")},
	    {WIRE_LIT("memory"), 0, WIRE_LIT("unverified")},
	};
	bool is_words = type == BIND_LEDGER_WORDS;
	struct wire_span span = {NULL, 0};

	if (bind_ledger_pack_pairs(type, is_words ? words : numbers, 2,
		room[is_words], sizeof(room[0]), &span) != WIRE_OK)
		__builtin_trap();
	return span;
}

/* Every field that the event must have; with `all`, also what it may have. */
static inline void
help_record(struct bind_ledger_record *record, enum bind_ledger_event event,
    uint64_t call, bool all)
{
	bind_ledger_record_init(record, event);
	bind_ledger_set_number(
	    record, BIND_LEDGER_F_TIME, 1700000000000000000 + call);
	if (event != BIND_LEDGER_REPAIRED || all)
		bind_ledger_set_bytes(record, BIND_LEDGER_F_EXECUTION,
		    HELP_BYTES(help_execution));
	if (event == BIND_LEDGER_REPAIRED) {
		bind_ledger_set_number(record, BIND_LEDGER_F_OFFSET, 16);
		bind_ledger_set_number(record, BIND_LEDGER_F_LENGTH, 5);
		return;
	}
	if (event == BIND_LEDGER_OPENED) {
		static const struct {
			enum bind_ledger_field field;
			struct wire_span text;
		} rows[] = {
		    {BIND_LEDGER_F_LEVEL, WIRE_LIT("isolated")},
		    {BIND_LEDGER_F_KERNEL, WIRE_LIT("6.1.0")},
		    {BIND_LEDGER_F_INTERPRETER, WIRE_LIT("/usr/bin/\xff")},
		    {BIND_LEDGER_F_VERSION, WIRE_LIT("3.11.2")},
		};

		for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
			bind_ledger_set_bytes(
			    record, rows[i].field, rows[i].text);
		bind_ledger_set_bytes(record, BIND_LEDGER_F_GRADES,
		    help_pairs(BIND_LEDGER_WORDS));
		bind_ledger_set_bytes(record, BIND_LEDGER_F_TERMS,
		    help_pairs(BIND_LEDGER_NUMBERS));
		bind_ledger_set_bytes(
		    record, BIND_LEDGER_F_TERMS_HASH, HELP_BYTES(help_hash));
		bind_ledger_set_bytes(
		    record, BIND_LEDGER_F_PROGRAM_HASH, HELP_BYTES(help_hash));
		bind_ledger_set_number(record, BIND_LEDGER_F_PROGRAM_BYTES, 9);
		bind_ledger_set_number(record, BIND_LEDGER_F_LANDLOCK, 6);
		if (all)
			bind_ledger_set_bytes(
			    record, BIND_LEDGER_F_RUN, WIRE_LIT("a-run"));
		return;
	}
	if (event == BIND_LEDGER_CLOSED) {
		bind_ledger_set_bytes(
		    record, BIND_LEDGER_F_OUTCOME, WIRE_LIT("timeout"));
		bind_ledger_set_bytes(record, BIND_LEDGER_F_USAGE,
		    help_pairs(BIND_LEDGER_NUMBERS));
		if (all) {
			bind_ledger_set_number(record, BIND_LEDGER_F_EXIT, 1);
			bind_ledger_set_number(record, BIND_LEDGER_F_SIGNAL, 9);
		}
		return;
	}
	bind_ledger_set_number(record, BIND_LEDGER_F_CALL, call);
	bind_ledger_set_bytes(record, BIND_LEDGER_F_TOOL, WIRE_LIT("look_up"));
	if (event == BIND_LEDGER_REFUSED || event == BIND_LEDGER_FAILED ||
	    event == BIND_LEDGER_UNKNOWN)
		bind_ledger_set_bytes(
		    record, BIND_LEDGER_F_KIND, WIRE_LIT("timed_out"));
	if (event == BIND_LEDGER_STARTED || event == BIND_LEDGER_REFUSED) {
		bind_ledger_set_number(
		    record, BIND_LEDGER_F_ARGUMENT_BYTES, 100);
		if (all) {
			bind_ledger_set_bytes(record,
			    BIND_LEDGER_F_ARGUMENT_HASH, HELP_BYTES(help_hash));
			bind_ledger_set_bytes(record, BIND_LEDGER_F_ARGUMENTS,
			    WIRE_LIT("{\"a\":1}"));
		}
		return;
	}
	bind_ledger_set_number(record, BIND_LEDGER_F_RESULT_BYTES, 20);
	bind_ledger_set_number(record, BIND_LEDGER_F_TOOL_NS, 3000);
	if (event == BIND_LEDGER_COMPLETED && all) {
		bind_ledger_set_bytes(
		    record, BIND_LEDGER_F_RESULT_HASH, HELP_BYTES(help_hash));
		bind_ledger_set_bytes(
		    record, BIND_LEDGER_F_RESULT, WIRE_LIT("[1,2]"));
	}
}

/*
 * A ledger of count records, events in turn from OPENED on, into buf; ends[i]
 * is where record i ends. The length.
 */
static inline size_t
help_ledger(uint8_t *buf, size_t count, size_t *ends)
{
	static uint8_t frame[BIND_LEDGER_FRAME_MAX];
	uint8_t hash[BIND_SHA256_LEN];
	size_t len = BIND_LEDGER_MAGIC_LEN;

	memcpy(buf, BIND_LEDGER_MAGIC, BIND_LEDGER_MAGIC_LEN);
	bind_ledger_first_hash(hash);
	for (size_t i = 0; i < count; i++) {
		struct bind_ledger_record record;
		size_t size = 0;

		help_record(&record,
		    (enum bind_ledger_event)(
			1 + i % (BIND_LEDGER_EVENT_COUNT - 1)),
		    i, i % 3 == 0);
		if (bind_ledger_encode(&record, hash, frame, &size, NULL) !=
		    WIRE_OK)
			__builtin_trap();
		memcpy(buf + len, frame, size);
		len += size;
		ends[i] = len;
	}
	return len;
}

#endif
