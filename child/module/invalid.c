#include "child/module/invalid.h"

#include <stdio.h>
#include <string.h>

/* Characters of a key that a path shows. */
#define KEY_SHOWN 60

static PyObject *invalid_class;

PyObject *
stub_invalid_class(void)
{
	if (invalid_class == NULL)
		invalid_class = PyErr_NewException(
		    "weir.InvalidValue", PyExc_ValueError, NULL);
	return invalid_class;
}

PyObject *
stub_path_root(const char *root)
{
	PyObject *path = PyUnicode_FromString(root);

	PyErr_Clear();
	return path;
}

static PyObject *
shown(PyObject *key)
{
	PyObject *head, *text;

	if (PyUnicode_GetLength(key) <= KEY_SHOWN)
		return PyObject_Repr(key);
	head = PyUnicode_Substring(key, 0, KEY_SHOWN);
	text = head == NULL ? NULL : PyUnicode_FromFormat("%R...", head);
	Py_XDECREF(head);
	return text;
}

PyObject *
stub_path_step(PyObject *path, PyObject *key, Py_ssize_t index)
{
	PyObject *longer = NULL, *text;

	if (path == NULL)
		return NULL;
	if (key == NULL) {
		longer = PyUnicode_FromFormat("%U[%zd]", path, index);
	} else {
		text = shown(key);
		if (text != NULL)
			longer = PyUnicode_FromFormat("%U[%U]", path, text);
		Py_XDECREF(text);
	}
	PyErr_Clear();
	Py_DECREF(path);
	return longer;
}

void
stub_invalid_raise(PyObject *path, const char *reason)
{
	PyObject *text = NULL, *error = NULL, *why;

	why =
	    PyUnicode_DecodeUTF8(reason, (Py_ssize_t)strlen(reason), "replace");
	if (path == NULL || why == NULL) {
		PyErr_NoMemory();
		goto out;
	}
	text = PyUnicode_FromFormat("%U: %U", path, why);
	if (text == NULL)
		goto out;
	error = PyObject_CallFunctionObjArgs(invalid_class, text, NULL);
	if (error == NULL)
		goto out;
	if (PyObject_SetAttrString(error, "path", path) < 0 ||
	    PyObject_SetAttrString(error, "reason", why) < 0)
		goto out;
	PyErr_SetObject(invalid_class, error);
out:
	Py_XDECREF(error);
	Py_XDECREF(text);
	Py_XDECREF(why);
	Py_XDECREF(path);
}

void
stub_type_name(PyObject *object, char *name, size_t size)
{
	PyObject *text =
	    PyObject_GetAttrString((PyObject *)Py_TYPE(object), "__name__");
	const char *utf8 = NULL;

	if (text != NULL && PyUnicode_CheckExact(text))
		utf8 = PyUnicode_AsUTF8AndSize(text, NULL);
	snprintf(name, size, "%s", utf8 != NULL ? utf8 : "object");
	PyErr_Clear();
	Py_XDECREF(text);
}
