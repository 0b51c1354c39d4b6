/*
 * Python numbers and JSON numbers, one at a time, both ways.
 *
 * Integers never change and do not depend on the limit that a program sets
 * with sys.set_int_max_str_digits; they end at WIRE_MAX_INT_DIGITS digits.
 * Floats are written in their shortest form that reads back the same.
 * `-0` is the integer 0; -0.0 keeps its sign.
 *
 * Needs the interpreter's lock.
 */
#ifndef STUB_SPELL_H
#define STUB_SPELL_H

#include "child/module/python.h"
#include "wire/span.h"

/* Bytes of the longest number that is written. */
#define STUB_SPELL_MAX (WIRE_MAX_INT_DIGITS + 1)

/*
 * Exactly an int or a float. Writes at text, of STUB_SPELL_MAX bytes, and
 * returns NULL; or the reason, a static string, for which it has no JSON.
 * An empty reason: a Python exception is set.
 */
const char *stub_spell_int(PyObject *value, char *text, size_t *ret_len);
const char *stub_spell_float(PyObject *value, char *text, size_t *ret_len);

/* A number that a scan has accepted. NULL with *ret_reason as above. */
PyObject *stub_spell_parse(struct wire_span number, const char **ret_reason);

#endif
