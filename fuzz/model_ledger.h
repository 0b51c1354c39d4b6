/*
 * A second reading of a ledger's payload: the tables of LEDGER.md, and
 * recursive descent through MessagePack. Shares no code with bindings/. Pure.
 */
#ifndef FUZZ_MODEL_LEDGER_H
#define FUZZ_MODEL_LEDGER_H

#include "wire/span.h"

#define MODEL_FIELDS 30

enum model_type {
	MODEL_NONE,
	MODEL_UINT,
	MODEL_TEXT,
	MODEL_BYTES,
	MODEL_MAP,
	MODEL_OTHER
};

struct model_value {
	int type;
	uint64_t n;
	struct wire_span bytes; /* its content, or of a map all of it */
};

/* Whether a payload is a record; its fields by number, MODEL_NONE where there
 * is none. */
bool model_record(
    struct wire_span payload, struct model_value fields[MODEL_FIELDS]);

#endif
