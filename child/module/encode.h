/*
 * Python values to JSON text (W10).
 *
 * Takes exactly None, bool, int, float, str, list, tuple and dict; their
 * subclasses and everything else are refused, so nothing of the program's
 * runs in here but, for an unwelcome type, the look-up of its name.
 * Conversions: tuples become arrays; int, float, bool and None keys become
 * text as json.dumps spells it (1 1.5 true null), and are refused when two
 * keys of one dict become the same. Refuses with a path: NaN, infinities,
 * lone surrogates, integers of more than WIRE_MAX_INT_DIGITS digits, cycles,
 * nesting over the frame's.
 *
 * The value may change under the walk (other threads, finalizers): every
 * object in use is held by a reference, and a container that shrinks ends
 * early.
 *
 * Needs the interpreter's lock.
 */
#ifndef STUB_ENCODE_H
#define STUB_ENCODE_H

#include "child/module/python.h"
#include "wire/span.h"

/* A value stands one level below the frame's own object. */
#define STUB_MAX_VALUE_DEPTH (WIRE_MAX_DEPTH - 1)

struct stub_text {
	uint8_t *p; /* owned: free(3) */
	size_t len;
};

/*
 * Encodes value; root names it in paths. *ret_size is the length of the
 * text; where it is over max, the text was measured only and ret_text->p is
 * NULL. Returns 0, or -1 with an exception set: stub_invalid's or
 * MemoryError.
 */
int stub_encode(PyObject *value, const char *root, size_t max,
    struct stub_text *ret_text, uint64_t *ret_size);

#endif
