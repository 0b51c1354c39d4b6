/*
 * JSON text to Python values: None, bool, int, float, str, list, dict.
 *
 * The text has been accepted by a scan, so what can still go wrong is that
 * Python cannot hold a part: an integer of more than WIRE_MAX_INT_DIGITS
 * digits, or a number beyond the range of float. The order of members is
 * kept.
 *
 * Needs the interpreter's lock.
 */
#ifndef STUB_DECODE_H
#define STUB_DECODE_H

#include "child/module/python.h"
#include "wire/span.h"

/* A new reference; NULL with stub_invalid's exception, whose path begins
 * with root, or MemoryError. */
PyObject *stub_decode(struct wire_span value, const char *root);

/* A string's raw text (between its quotes), likewise accepted. */
PyObject *stub_decode_string(struct wire_span raw);

#endif
