/*
 * Reading a pyvenv.cfg, the file that makes a directory a virtual environment
 * (PEP 405): lines of `key = value`, both trimmed.
 *
 * SECURITY: the file may be anybody's. It only proposes paths; what they name
 * is looked at before it is used.
 *
 * Pure.
 */
#ifndef SUP_PYVENV_H
#define SUP_PYVENV_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Copies the value of the first line that has the key. False when there is no
 * such line, or its value is empty or takes len bytes or more; buf is then not
 * to be read. text is NUL-terminated; lines end at a newline, and a carriage
 * return ends a value.
 */
bool sup_pyvenv_value(const char *text, const char *key, char *buf, size_t len);

#endif
