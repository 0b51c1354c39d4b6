/*
 * What each kind of tool error means for the program: whether it is hard, and
 * one sentence of advice (B3, B11).
 *
 * Soft: this call failed, others may succeed. Hard: no further call of this
 * execution can succeed. The table covers the closed set of wire/kinds.h, which
 * the compiler checks. Pure; static strings.
 */
#ifndef BIND_KINDS_H
#define BIND_KINDS_H

#include "wire/kinds.h"

/* A sentence with its full stop; "" for WIRE_TOOL_NONE. */
const char *bind_kind_guidance(enum wire_tool_kind kind);

bool bind_kind_is_hard(enum wire_tool_kind kind);

#endif
