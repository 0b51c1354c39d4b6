/*
 * The last frame: a value or an error (S3, S10), and then nothing more.
 *
 * Owns: the memory for an error's frame, static, so that a program that used
 * up its memory can still say so. Texts that are too long for their field
 * lose their middle, with the number of bytes in its place; cuts fall
 * between characters.
 *
 * Needs the interpreter's lock, and keeps it.
 */
#ifndef STUB_DONE_H
#define STUB_DONE_H

#include "child/module/python.h"
#include "wire/msg.h"

/* Texts are str; anything else counts as absent. */
struct stub_done_error {
	enum wire_claim_kind kind;
	PyObject *message;
	PyObject *traceback;
	uint32_t line;
	uint32_t status;
};

/*
 * A value over value_max is not sent, only its size. One that cannot cross
 * becomes the error invalid_value. warnings is a list of str.
 */
void stub_done_value(PyObject *value, bool returned, uint64_t value_max,
    PyObject *warnings) __attribute__((noreturn));

void stub_done_error(const struct stub_done_error *error, PyObject *warnings)
    __attribute__((noreturn));

#endif
