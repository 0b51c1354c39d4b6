/*
 * Lines of the protocol from a recipe, for targets whose inputs would hardly
 * get past the JSON by themselves: a good frame of each kind, and parts of it
 * exchanged for what is at the edges of PROTOCOL.md's tables.
 *
 * Owns: nothing; free() the line. Threads: pure, but for malloc.
 */
#ifndef FUZZ_MAKE_LINE_H
#define FUZZ_MAKE_LINE_H

#include "wire/span.h"

/* Takes the recipe off *in: the frame, then up to 8 changes of a token, how,
 * and how much of it. The line is JSON unless a change broke it. */
struct wire_span make_line(struct wire_span *in);

#endif
