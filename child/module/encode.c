#include "child/module/encode.h"

#include <stdio.h>
#include <stdlib.h>

#include "child/module/invalid.h"
#include "child/module/sink.h"
#include "child/module/spell.h"

enum shape { SHAPE_LIST, SHAPE_TUPLE, SHAPE_DICT };

/* One container that is being walked. References are owned. */
struct level {
	enum shape shape;
	PyObject *container;
	PyObject *items; /* DICT: itself, or a copy whose keys are all text */
	PyObject *key;	 /* DICT: of the element at hand */
	Py_ssize_t next; /* index of the next element, or dict position */
};

struct encoder {
	struct stub_sink sink;
	const char *root;
	unsigned depth;
	struct level levels[STUB_MAX_VALUE_DEPTH];
};

/* --- refusals ------------------------------------------------------------ */

static int
refuse(const struct encoder *enc, const char *reason)
{
	PyObject *path = stub_path_root(enc->root);
	unsigned i;

	for (i = 0; i < enc->depth; i++)
		path = stub_path_step(
		    path, enc->levels[i].key, enc->levels[i].next - 1);
	stub_invalid_raise(path, reason);
	return -1;
}

static int
refuse_type(const struct encoder *enc, PyObject *value)
{
	const char *base = NULL;
	char name[100], reason[300];

	if (PyUnicode_Check(value))
		base = "str";
	else if (PyLong_Check(value))
		base = "int";
	else if (PyFloat_Check(value))
		base = "float";
	else if (PyDict_Check(value))
		base = "dict";
	else if (PyList_Check(value) || PyTuple_Check(value) ||
	    PyAnySet_Check(value))
		base = "list";
	stub_type_name(value, name, sizeof(name));
	if (base != NULL)
		snprintf(reason, sizeof(reason),
		    "%s does not cross; convert it with %s(...)", name, base);
	else if (PyObject_HasAttrString(
		     (PyObject *)Py_TYPE(value), "__await__"))
		snprintf(reason, sizeof(reason),
		    "%s has no value until it is awaited", name);
	else
		snprintf(reason, sizeof(reason),
		    "%s does not cross; only None, bool, int, float, str, "
		    "list, tuple and dict do",
		    name);
	return refuse(enc, reason);
}

static int
no_memory(void)
{
	PyErr_NoMemory();
	return -1;
}

/* The UTF-8 of a str; the refusal names what it is and the character. */
static int
take_text(const struct encoder *enc, PyObject *text, const char *what,
    struct wire_span *ret_span)
{
	PyObject *type, *error, *trace;
	Py_ssize_t len, start = -1;
	char reason[100];
	const char *p = PyUnicode_AsUTF8AndSize(text, &len);

	if (p != NULL) {
		*ret_span = (struct wire_span){(const uint8_t *)p, (size_t)len};
		return 0;
	}
	if (!PyErr_ExceptionMatches(PyExc_UnicodeEncodeError))
		return -1;
	PyErr_Fetch(&type, &error, &trace);
	PyErr_NormalizeException(&type, &error, &trace);
	if (PyUnicodeEncodeError_GetStart(error, &start) < 0)
		PyErr_Clear();
	Py_XDECREF(type);
	Py_XDECREF(error);
	Py_XDECREF(trace);
	snprintf(reason, sizeof(reason),
	    "%s with a lone surrogate at character %zd", what, start);
	return refuse(enc, reason);
}

/* --- member names -------------------------------------------------------- */

/* A number or word that is a key, as text. NULL with an exception. */
static PyObject *
key_text(const struct encoder *enc, PyObject *key)
{
	char text[STUB_SPELL_MAX];
	const char *reason;
	char name[100], refusal[200];
	size_t len = 0;

	if (PyUnicode_CheckExact(key)) {
		Py_INCREF(key);
		return key;
	}
	if (key == Py_None)
		return PyUnicode_FromString("null");
	if (PyBool_Check(key))
		return PyUnicode_FromString(key == Py_True ? "true" : "false");
	if (PyLong_CheckExact(key)) {
		reason = stub_spell_int(key, text, &len);
	} else if (PyFloat_CheckExact(key)) {
		reason = stub_spell_float(key, text, &len);
	} else {
		stub_type_name(key, name, sizeof(name));
		snprintf(refusal, sizeof(refusal),
		    "a key of type %s; only str, int, float, bool and None "
		    "can be keys",
		    name);
		(void)refuse(enc, refusal);
		return NULL;
	}
	if (reason == NULL)
		return PyUnicode_DecodeASCII(text, (Py_ssize_t)len, NULL);
	if (reason[0] != '\0') {
		snprintf(refusal, sizeof(refusal), "a key is %s", reason);
		(void)refuse(enc, refusal);
	}
	return NULL;
}

static int
refuse_collision(const struct encoder *enc, PyObject *text)
{
	const char *p = PyUnicode_AsUTF8AndSize(text, NULL);
	char reason[120];

	PyErr_Clear();
	snprintf(reason, sizeof(reason),
	    "two keys become the same text '%.60s'", p == NULL ? "" : p);
	return refuse(enc, reason);
}

/* The dict again with text keys, in the same order. */
static PyObject *
with_text_keys(const struct encoder *enc, PyObject *dict)
{
	PyObject *copy = PyDict_New();
	PyObject *key, *value, *text;
	Py_ssize_t at = 0;
	int found, failed = copy == NULL;

	while (!failed && PyDict_Next(dict, &at, &key, &value)) {
		Py_INCREF(key);
		Py_INCREF(value);
		text = key_text(enc, key);
		found = text == NULL ? -1 : PyDict_Contains(copy, text);
		if (found == 1)
			(void)refuse_collision(enc, text);
		failed = found != 0 || PyDict_SetItem(copy, text, value) < 0;
		Py_XDECREF(text);
		Py_DECREF(value);
		Py_DECREF(key);
	}
	if (failed)
		Py_CLEAR(copy);
	return copy;
}

/* What is walked of a dict: a new reference. */
static PyObject *
dict_items(const struct encoder *enc, PyObject *dict)
{
	PyObject *key, *value;
	Py_ssize_t at = 0;

	while (PyDict_Next(dict, &at, &key, &value)) {
		if (!PyUnicode_CheckExact(key))
			return with_text_keys(enc, dict);
	}
	Py_INCREF(dict);
	return dict;
}

/* --- the walk ------------------------------------------------------------ */

static int
enter(struct encoder *enc, PyObject *value, enum shape shape)
{
	struct level *level;
	PyObject *items = NULL;
	unsigned i;

	for (i = 0; i < enc->depth; i++) {
		if (enc->levels[i].container == value)
			return refuse(enc, "a cycle: it contains itself");
	}
	if (enc->depth == STUB_MAX_VALUE_DEPTH)
		return refuse(enc, "nested deeper than 255 levels");
	if (shape == SHAPE_DICT) {
		items = dict_items(enc, value);
		if (items == NULL)
			return -1;
	}
	if (!stub_sink_token(&enc->sink)) {
		Py_XDECREF(items);
		return no_memory();
	}
	if (shape == SHAPE_DICT)
		wire_out_begin_object(&enc->sink.out);
	else
		wire_out_begin_array(&enc->sink.out);
	Py_INCREF(value);
	level = &enc->levels[enc->depth++];
	*level = (struct level){shape, value, items, NULL, 0};
	return 0;
}

/* Drops a level; its references last, since that may run finalizers. */
static void
pop(struct encoder *enc)
{
	struct level level = enc->levels[--enc->depth];

	Py_XDECREF(level.key);
	Py_XDECREF(level.items);
	Py_DECREF(level.container);
}

static int
leave(struct encoder *enc)
{
	if (!stub_sink_token(&enc->sink))
		return no_memory();
	if (enc->levels[enc->depth - 1].shape == SHAPE_DICT)
		wire_out_end_object(&enc->sink.out);
	else
		wire_out_end_array(&enc->sink.out);
	pop(enc);
	return 0;
}

/* The next element, a new reference; NULL at the end. A dict's key stays in
 * the level. */
static PyObject *
next_element(struct level *level)
{
	PyObject *key, *old = level->key, *value = NULL;

	switch (level->shape) {
	case SHAPE_LIST:
		if (level->next < PyList_Size(level->container))
			value = PyList_GetItem(level->container, level->next++);
		break;
	case SHAPE_TUPLE:
		if (level->next < PyTuple_Size(level->container))
			value =
			    PyTuple_GetItem(level->container, level->next++);
		break;
	case SHAPE_DICT:
		if (PyDict_Next(level->items, &level->next, &key, &value)) {
			Py_INCREF(key);
			level->key = key;
		} else {
			level->key = NULL;
		}
		Py_XINCREF(value);
		Py_XDECREF(old);
		return value;
	}
	Py_XINCREF(value);
	return value;
}

static int
put_number(struct encoder *enc, PyObject *value)
{
	char text[STUB_SPELL_MAX];
	const char *reason;
	size_t len = 0;

	if (PyLong_CheckExact(value))
		reason = stub_spell_int(value, text, &len);
	else
		reason = stub_spell_float(value, text, &len);
	if (reason != NULL)
		return reason[0] == '\0' ? -1 : refuse(enc, reason);
	if (!stub_sink_number(
		&enc->sink, (struct wire_span){(const uint8_t *)text, len}))
		return no_memory();
	return 0;
}

static int
put_text(struct encoder *enc, PyObject *text, const char *what, bool is_key)
{
	struct wire_span span;

	if (take_text(enc, text, what, &span) < 0)
		return -1;
	return stub_sink_text(&enc->sink, span, is_key) ? 0 : no_memory();
}

/* Writes a scalar, or enters a container. */
static int
put(struct encoder *enc, PyObject *value)
{
	if (PyUnicode_CheckExact(value))
		return put_text(enc, value, "text", false);
	if (PyLong_CheckExact(value) || PyFloat_CheckExact(value))
		return put_number(enc, value);
	if (PyDict_CheckExact(value))
		return enter(enc, value, SHAPE_DICT);
	if (PyList_CheckExact(value))
		return enter(enc, value, SHAPE_LIST);
	if (PyTuple_CheckExact(value))
		return enter(enc, value, SHAPE_TUPLE);
	if (value != Py_None && !PyBool_Check(value))
		return refuse_type(enc, value);
	if (!stub_sink_token(&enc->sink))
		return no_memory();
	if (value == Py_None)
		wire_out_null(&enc->sink.out);
	else
		wire_out_bool(&enc->sink.out, value == Py_True);
	return 0;
}

static int
walk(struct encoder *enc, PyObject *root)
{
	PyObject *value = root;
	int failed;

	Py_INCREF(value);
	for (;;) {
		failed = put(enc, value);
		Py_DECREF(value);
		if (failed)
			return -1;
		do {
			if (enc->depth == 0)
				return 0;
			value = next_element(&enc->levels[enc->depth - 1]);
			if (value == NULL && leave(enc) < 0)
				return -1;
		} while (value == NULL);
		if (enc->levels[enc->depth - 1].shape == SHAPE_DICT &&
		    put_text(enc, enc->levels[enc->depth - 1].key, "a key",
			true) < 0) {
			Py_DECREF(value);
			return -1;
		}
	}
}

int
stub_encode(PyObject *value, const char *root, size_t max,
    struct stub_text *ret_text, uint64_t *ret_size)
{
	struct encoder *enc = malloc(sizeof(*enc));
	int result = -1;

	if (enc == NULL)
		return no_memory();
	enc->root = root;
	enc->depth = 0;
	if (!stub_sink_init(&enc->sink, max)) {
		(void)no_memory();
		goto out;
	}
	result = walk(enc, value);
	while (enc->depth != 0)
		pop(enc);
	if (result != 0)
		goto out;
	WIRE_BUG_IF(wire_out_finish(&enc->sink.out, &ret_text->len) != WIRE_OK);
	*ret_size = stub_sink_size(&enc->sink);
	ret_text->p = NULL;
	if (*ret_size <= max) {
		ret_text->p = enc->sink.out.buf;
		enc->sink.out.buf = NULL;
	}
out:
	stub_sink_release(&enc->sink);
	free(enc);
	return result;
}
