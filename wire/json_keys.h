/*
 * Inside of wire/: finding a name that stands twice, in linear time.
 *
 * The names of all open objects stand on one stack, in the caller's scratch
 * memory. An object begins as a plain list with a 64-bit summary; past 16
 * names its names also go to an open-addressing table. Objects close in the
 * reverse order of their opening, and names leave the table in the reverse
 * order of their arrival, so clearing a slot restores what was there before.
 *
 * Owns: nothing but the order. Pure.
 */
#ifndef WIRE_JSON_KEYS_H
#define WIRE_JSON_KEYS_H

#include "wire/json.h"

struct wire_json_keys {
	const struct wire_json_scratch *scratch;
	size_t count;	/* names on the stack */
	uint64_t point; /* secrets drawn from the seed */
	uint64_t factor;
};

/* One open object. */
struct wire_json_names {
	uint64_t summary; /* a bit for each hash that is there */
	uint32_t base;	  /* of its names on the stack */
	bool in_table;
};

void wire_json_keys_init(
    struct wire_json_keys *keys, const struct wire_json_scratch *scratch);

/* Opens an object. */
static inline void
wire_json_keys_open(
    const struct wire_json_keys *keys, struct wire_json_names *names)
{
	*names = (struct wire_json_names){0, (uint32_t)keys->count, false};
}

/*
 * Adds a raw name to the object opened last. end is the end of the text it
 * stands in. WIRE_ERR_DUPLICATE_MEMBER, WIRE_ERR_NEED_SCRATCH or
 * WIRE_ERR_TOO_MANY_MEMBERS; nothing is added then.
 */
WIRE_MUST_USE enum wire_err wire_json_keys_add(struct wire_json_keys *keys,
    struct wire_json_names *names, struct wire_span raw, bool escaped,
    const uint8_t *end);

/* Takes the names out of the table; the slow part of closing. */
void wire_json_keys_clear(
    struct wire_json_keys *keys, const struct wire_json_names *names);

/* Closes the object opened last. */
static inline void
wire_json_keys_close(
    struct wire_json_keys *keys, const struct wire_json_names *names)
{
	if (names->in_table)
		wire_json_keys_clear(keys, names);
	keys->count = names->base;
}

#endif
