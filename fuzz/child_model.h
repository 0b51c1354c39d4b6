/*
 * What a host must make of the bytes of a child, said a second time.
 *
 * An independent reader of one stream, child to host: it splits lines byte by
 * byte, reads them with fuzz/model_json.h, and keeps turns and ids. It knows
 * the ceilings, the calls that are accepted, and what ends the stream. For a
 * frame whose fields are wrong it gives all words that may stand for that; the
 * exact one is held by other tests.
 *
 * Owns: nothing; the bytes are the caller's and must not move.
 */
#ifndef FUZZ_CHILD_MODEL_H
#define FUZZ_CHILD_MODEL_H

#include "fuzz/child_json.h"
#include "wire/err.h"
#include "wire/frame.h"

#define MODEL_CALLS 4096

struct model_call {
	uint8_t name[128];
	size_t name_len;
	struct wire_span arguments;
};

enum model_end {
	MODEL_OPEN,
	MODEL_DONE,
	MODEL_VIOLATION,
	MODEL_REFUSED, /* the host refused the report */
};

/* What became of a `ready` that is not the one the harness knows. */
enum model_fate {
	MODEL_LATER,
	MODEL_ACCEPTED,
	MODEL_TAKEN, /* it is good, and the host cannot decide yet */
	MODEL_DENIED,
	MODEL_WRONG
};

struct model {
	struct wire_frame_limits limits;
	const uint8_t *bytes;
	struct wire_span known;
	size_t len;
	bool eof;    /* the child writes nothing after len */
	bool unsure; /* the harness cannot know what arrived */
	enum model_fate (*ready)(void *arg, struct wire_span line);
	void *arg;
	size_t at, line; /* next byte; begin of its line */
	uint64_t lines, blanks;
	bool running;  /* `run` was earned */
	bool reported; /* a report was taken, and no program sent */
	bool stalled;  /* at a `ready` that the host has not looked at */
	enum model_end end;
	uint64_t words; /* VIOLATION: a bit for each word that may be */
	size_t offset_min, offset_max;
	bool done_value, done_oversize;
	struct wire_span value;
	uint64_t oversize;
	size_t call_count;
	uint64_t argument_bytes; /* of all calls */
	struct model_call calls[MODEL_CALLS];
};

#define MODEL_WORD(name) (1ULL << WIRE_ERR_##name)

/* bytes stay the caller's. known: a `ready` that is taken for one without
 * being read. model->ready may be asked again about the same line. */
void model_init(struct model *model, const struct wire_frame_limits *limits,
    const uint8_t *bytes, const char *known);

/* Goes as far as the bytes go. */
void model_step(struct model *model);

#endif
