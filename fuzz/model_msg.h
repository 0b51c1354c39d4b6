/*
 * The field tables of wire/PROTOCOL.md 4, written down a second time as
 * tables, over the tokens of fuzz/model_json.h: whether a line is one of the
 * six frames, and if not, the word and the offset.
 *
 * Threads: pure, but for malloc.
 */
#ifndef FUZZ_MODEL_MSG_H
#define FUZZ_MODEL_MSG_H

#include "wire/err.h"
#include "wire/span.h"

enum wire_err model_msg(struct wire_span line, size_t *ret_offset);

#endif
