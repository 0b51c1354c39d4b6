/*
 * The ledger's records and frames, as bytes (B5; LEDGER.md is the contract).
 *
 * A file is the magic and then frames. A frame is a head of BIND_LEDGER_HEAD
 * bytes and a payload:
 *
 *	length, its complement, CRC-32C	four bytes each, little end first
 *	hash				SHA-256(hash before, payload)
 *	payload				one MessagePack map: a record
 *
 * The checksum is over hash and payload. The hash before the first frame is
 * that of the magic. A record has one event and the fields that belong to it;
 * its map has the field's number as key, ascending. Fields that this version
 * does not know are skipped.
 *
 * Everything that a record is made of stands in the two tables below: writer,
 * reader and `weir log` walk them. Records borrow: spans point to what the
 * caller gave, or into the payload. Pure; no allocation.
 */
#ifndef BIND_LEDGER_FORMAT_H
#define BIND_LEDGER_FORMAT_H

#include "bindings/sha256.h"
#include "wire/err.h"
#include "wire/limits.h"
#include "wire/span.h"

/* What no text file and no damaged copy begins with. */
#define BIND_LEDGER_MAGIC     "weir ledger 1\r\n\0"
#define BIND_LEDGER_MAGIC_LEN 16

#define BIND_LEDGER_HEAD	44
#define BIND_LEDGER_PAYLOAD_MAX (64 * WIRE_KIB)
#define BIND_LEDGER_FRAME_MAX	(BIND_LEDGER_HEAD + BIND_LEDGER_PAYLOAD_MAX)

#define BIND_LEDGER_EXECUTION 16
/* The arguments or the result of a call, when they are asked for. */
#define BIND_LEDGER_VALUE_MAX (48 * WIRE_KIB)

/* X(constant, word); the numbers in the file count from 1. */
#define BIND_LEDGER_EVENTS(X)                                                  \
	X(OPENED, "opened")                                                    \
	X(STARTED, "started")                                                  \
	X(REFUSED, "refused")                                                  \
	X(COMPLETED, "completed")                                              \
	X(FAILED, "failed")                                                    \
	X(UNKNOWN, "unknown")                                                  \
	X(CLOSED, "closed")                                                    \
	X(REPAIRED, "repaired")

enum bind_ledger_event {
	BIND_LEDGER_NO_EVENT,
#define X(name, word) BIND_LEDGER_##name,
	BIND_LEDGER_EVENTS(X)
#undef X
	    BIND_LEDGER_EVENT_COUNT
};

/* What a field holds, and how it is shown. */
enum bind_ledger_type {
	BIND_LEDGER_NUMBER,
	BIND_LEDGER_TIME,    /* ns since 1970, UTC */
	BIND_LEDGER_TEXT,    /* UTF-8, at most `max` bytes */
	BIND_LEDGER_PATH,    /* any bytes, at most `max` */
	BIND_LEDGER_HASH,    /* exactly `max` bytes; also an execution's id */
	BIND_LEDGER_JSON,    /* a JSON value, at most `max` bytes; as given */
	BIND_LEDGER_NUMBERS, /* names and numbers: a map */
	BIND_LEDGER_WORDS,   /* names and words: a map */
};

/* X(constant, word, type, max). Numbers in the file: from 0, in this order;
 * new ones come last. */
#define BIND_LEDGER_FIELDS(X)                                                  \
	X(EVENT, "event", NUMBER, 0)                                           \
	X(TIME, "time", TIME, 0)                                               \
	X(EXECUTION, "execution", HASH, BIND_LEDGER_EXECUTION)                 \
	X(CALL, "call", NUMBER, 0)                                             \
	X(TOOL, "tool", TEXT, WIRE_MAX_TOOL_NAME)                              \
	X(KIND, "kind", TEXT, 64)                                              \
	X(ARGUMENT_BYTES, "argument_bytes", NUMBER, 0)                         \
	X(ARGUMENT_HASH, "argument_hash", HASH, BIND_SHA256_LEN)               \
	X(ARGUMENTS, "arguments", JSON, BIND_LEDGER_VALUE_MAX)                 \
	X(RESULT_BYTES, "result_bytes", NUMBER, 0)                             \
	X(RESULT_HASH, "result_hash", HASH, BIND_SHA256_LEN)                   \
	X(RESULT, "result", JSON, BIND_LEDGER_VALUE_MAX)                       \
	X(TOOL_NS, "tool_ns", NUMBER, 0)                                       \
	X(RUN, "run", TEXT, 64)                                                \
	X(LEVEL, "level", TEXT, 32)                                            \
	X(GRADES, "grades", WORDS, 0)                                          \
	X(KERNEL, "kernel", TEXT, 128)                                         \
	X(LANDLOCK, "landlock_abi", NUMBER, 0)                                 \
	X(INTERPRETER, "interpreter", PATH, 4096)                              \
	X(VERSION, "interpreter_version", TEXT, WIRE_MAX_VERSION)              \
	X(PROGRAM_BYTES, "program_bytes", NUMBER, 0)                           \
	X(PROGRAM_HASH, "program_hash", HASH, BIND_SHA256_LEN)                 \
	X(TERMS, "terms", NUMBERS, 0)                                          \
	X(TERMS_HASH, "terms_hash", HASH, BIND_SHA256_LEN)                     \
	X(OUTCOME, "outcome", TEXT, 64)                                        \
	X(EXIT, "exit_status", NUMBER, 0)                                      \
	X(SIGNAL, "signal", NUMBER, 0)                                         \
	X(USAGE, "usage", NUMBERS, 0)                                          \
	X(OFFSET, "offset", NUMBER, 0)                                         \
	X(LENGTH, "length", NUMBER, 0)

enum bind_ledger_field {
#define X(name, word, type, max) BIND_LEDGER_F_##name,
	BIND_LEDGER_FIELDS(X)
#undef X
	    BIND_LEDGER_FIELD_COUNT
};

#define BIND_LEDGER_BIT(field) (UINT32_C(1) << BIND_LEDGER_F_##field)

struct bind_ledger_value {
	uint64_t number;
	struct wire_span bytes; /* text, hash, or a whole map */
};

struct bind_ledger_record {
	enum bind_ledger_event event;
	uint32_t has; /* 1 << field; EVENT is never among them */
	struct bind_ledger_value value[BIND_LEDGER_FIELD_COUNT];
};

struct bind_ledger_field_spec {
	const char *word;
	enum bind_ledger_type type;
	size_t max;
};

const char *bind_ledger_event_word(enum bind_ledger_event event);
const struct bind_ledger_field_spec *bind_ledger_field_spec(
    enum bind_ledger_field field);

/* --- making a record ------------------------------------------------------ */

void bind_ledger_record_init(
    struct bind_ledger_record *record, enum bind_ledger_event event);
void bind_ledger_set_number(struct bind_ledger_record *record,
    enum bind_ledger_field field, uint64_t number);
void bind_ledger_set_bytes(struct bind_ledger_record *record,
    enum bind_ledger_field field, struct wire_span bytes);

/* At most these in one map. */
#define BIND_LEDGER_PAIRS     64
#define BIND_LEDGER_NAME_MAX  48
#define BIND_LEDGER_WORD_MAX  64
#define BIND_LEDGER_PAIRS_MAX 8192

struct bind_ledger_pair {
	struct wire_span name;
	uint64_t number;       /* of NUMBERS */
	struct wire_span word; /* of WORDS */
};

/* Packs pairs into buf, for bind_ledger_set_bytes; a span of it. NO_SPACE;
 * BAD_ARGUMENT: too many pairs, or a name or word that is too long. */
WIRE_MUST_USE enum wire_err bind_ledger_pack_pairs(enum bind_ledger_type type,
    const struct bind_ledger_pair *pairs, size_t count, uint8_t *buf,
    size_t buf_max, struct wire_span *ret_bytes);

/* The next pair of such a span, taken off: start with *pairs as it stands in
 * a record and *cursor 0. False at the end. */
bool bind_ledger_next_pair(enum bind_ledger_type type, struct wire_span pairs,
    size_t *cursor, struct bind_ledger_pair *ret_pair);

/* --- bytes ---------------------------------------------------------------- */

/*
 * The whole frame into buf, at least BIND_LEDGER_FRAME_MAX bytes. hash is that
 * before it and becomes that of this frame. BAD_ARGUMENT, info->site naming the
 * field: one that the event must have is missing, one it cannot have is there,
 * or one is over its limit; NO_SPACE: over the maximum of a payload.
 */
WIRE_MUST_USE enum wire_err bind_ledger_encode(
    const struct bind_ledger_record *record, uint8_t hash[BIND_SHA256_LEN],
    uint8_t *buf, size_t *ret_len, struct wire_errinfo *info);

/* A payload. BAD_FIELD, info->site naming it, or BAD_SYNTAX. */
WIRE_MUST_USE enum wire_err bind_ledger_decode(struct wire_span payload,
    struct bind_ledger_record *ret_record, struct wire_errinfo *info);

/* The hash before the first frame. */
void bind_ledger_first_hash(uint8_t ret_hash[BIND_SHA256_LEN]);
/* hash becomes that of the frame with this payload. */
void bind_ledger_next_hash(
    uint8_t hash[BIND_SHA256_LEN], struct wire_span payload);

#endif
