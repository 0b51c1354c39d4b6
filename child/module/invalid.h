/*
 * The exception for a value that cannot cross (W10): weir.InvalidValue, a
 * ValueError with the attributes `path` and `reason`.
 *
 * Needs the interpreter's lock.
 */
#ifndef STUB_INVALID_H
#define STUB_INVALID_H

#include "child/module/python.h"

/* Makes the class, once. NULL with an exception set. Borrowed afterwards. */
PyObject *stub_invalid_class(void);

/*
 * A path is built from its root: a step for each level, `index` where key is
 * NULL. Steals nothing. NULL (with no exception) stands for lack of memory
 * all the way: stub_invalid_raise then raises MemoryError.
 */
PyObject *stub_path_root(const char *root);
PyObject *stub_path_step(PyObject *path, PyObject *key, Py_ssize_t index);

/* Raises; consumes path. reason is UTF-8. */
void stub_invalid_raise(PyObject *path, const char *reason);

/* The name of an object's type, for messages, at most size - 1 bytes. */
void stub_type_name(PyObject *object, char *name, size_t size);

#endif
