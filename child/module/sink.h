/*
 * Where encoded text goes: a buffer that grows up to a maximum, and beyond
 * it a count, so that an overlong value costs no memory and still gets its
 * exact size.
 *
 * Owns: the buffer. Knows nothing of Python.
 *
 * Errors: false means that there was no memory; the sink is then only good
 * for stub_sink_release.
 */
#ifndef STUB_SINK_H
#define STUB_SINK_H

#include "wire/json_out.h"

struct stub_sink {
	/* Written to directly, for brackets and words, after _token. */
	struct wire_out out;
	size_t max;	 /* of the text that is wanted */
	uint64_t passed; /* bytes that were counted and let go */
	bool counting;
};

bool stub_sink_init(struct stub_sink *sink, size_t max);
void stub_sink_release(struct stub_sink *sink);

/* Room for a bracket, a word or a machine number, and what separates it. */
bool stub_sink_token(struct stub_sink *sink);

/* A string or a member name; text is UTF-8. */
bool stub_sink_text(struct stub_sink *sink, struct wire_span text, bool is_key);

/* A number that is longer than a token. */
bool stub_sink_number(struct stub_sink *sink, struct wire_span text);

/* Bytes written in all. Over max, the buffer does not hold them. */
uint64_t stub_sink_size(const struct stub_sink *sink);

#endif
