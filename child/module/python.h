/*
 * The Python headers as the module sees them: the limited API of 3.8, so
 * that one _weir.abi3.so loads into every CPython from there on.
 *
 * Include this before anything else: Python.h sets feature macros.
 */
#ifndef STUB_PYTHON_H
#define STUB_PYTHON_H

#define PY_SSIZE_T_CLEAN
/* Inline functions of Python.h are not ours to warn about. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wcast-qual"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wundef"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include <Python.h>
#include <pythread.h>
#pragma GCC diagnostic pop

/*
 * Part of the stable ABI from 3.10, exported unchanged since 3.3. The text
 * belongs to the string object and lives as long as it does.
 */
extern const char *PyUnicode_AsUTF8AndSize(PyObject *text, Py_ssize_t *size);

#endif
