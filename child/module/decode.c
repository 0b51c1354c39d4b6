#include "child/module/decode.h"

#include <string.h>

#include "child/module/invalid.h"
#include "child/module/spell.h"
#include "wire/json.h"

/* An open container; key is the name of the member that comes next. */
struct level {
	PyObject *container;
	PyObject *key; /* NULL in a list */
};

struct decoder {
	const char *root;
	unsigned depth;
	struct level levels[WIRE_MAX_DEPTH];
};

PyObject *
stub_decode_string(struct wire_span raw)
{
	PyObject *text = NULL;
	uint8_t *plain;
	size_t len;

	if (raw.len == 0 || memchr(raw.p, '\\', raw.len) == NULL)
		return PyUnicode_DecodeUTF8(
		    (const char *)raw.p, (Py_ssize_t)raw.len, NULL);
	plain = PyMem_Malloc(raw.len);
	if (plain == NULL)
		return PyErr_NoMemory();
	/* Unescaping never grows text. */
	WIRE_BUG_IF(wire_json_unescape(raw, plain, raw.len, &len) != WIRE_OK);
	text = PyUnicode_DecodeUTF8((const char *)plain, (Py_ssize_t)len, NULL);
	PyMem_Free(plain);
	return text;
}

static PyObject *
refuse(const struct decoder *dec, const char *reason)
{
	PyObject *path = stub_path_root(dec->root);
	unsigned i;

	for (i = 0; i < dec->depth; i++) {
		const struct level *level = &dec->levels[i];

		path = stub_path_step(path, level->key,
		    level->key != NULL ? 0 : PyList_Size(level->container));
	}
	stub_invalid_raise(path, reason);
	return NULL;
}

static PyObject *
make_number(const struct decoder *dec, struct wire_span text)
{
	const char *reason;
	PyObject *number = stub_spell_parse(text, &reason);

	if (number == NULL && reason[0] != '\0')
		return refuse(dec, reason);
	return number;
}

/* Puts a value, whose reference is stolen, where the walk stands. */
static int
place(struct decoder *dec, PyObject *value, PyObject **ret_root)
{
	struct level *level;
	int result;

	if (dec->depth == 0) {
		*ret_root = value;
		return 0;
	}
	level = &dec->levels[dec->depth - 1];
	if (level->key != NULL) {
		result = PyDict_SetItem(level->container, level->key, value);
		Py_CLEAR(level->key);
	} else {
		result = PyList_Append(level->container, value);
	}
	Py_DECREF(value);
	return result;
}

static int
open_level(struct decoder *dec, PyObject *container)
{
	if (container == NULL)
		return -1;
	/* A scan allows no deeper nesting. */
	WIRE_BUG_IF(dec->depth == WIRE_MAX_DEPTH);
	dec->levels[dec->depth++] = (struct level){container, NULL};
	return 0;
}

static int
close_level(struct decoder *dec, PyObject **ret_root)
{
	return place(dec, dec->levels[--dec->depth].container, ret_root);
}

static PyObject *
constant(PyObject *object)
{
	Py_INCREF(object);
	return object;
}

/* One token. 0, or -1 with an exception. */
static int
step(struct decoder *dec, enum wire_json_token token, struct wire_span text,
    PyObject **ret_root)
{
	PyObject *value = NULL;

	switch (token) {
	case WIRE_TOK_END:
		return 0;
	case WIRE_TOK_ARRAY_BEGIN:
		return open_level(dec, PyList_New(0));
	case WIRE_TOK_OBJECT_BEGIN:
		return open_level(dec, PyDict_New());
	case WIRE_TOK_ARRAY_END:
	case WIRE_TOK_OBJECT_END:
		return close_level(dec, ret_root);
	case WIRE_TOK_KEY:
		value = stub_decode_string(text);
		dec->levels[dec->depth - 1].key = value;
		return value == NULL ? -1 : 0;
	case WIRE_TOK_NULL:
		value = constant(Py_None);
		break;
	case WIRE_TOK_FALSE:
		value = constant(Py_False);
		break;
	case WIRE_TOK_TRUE:
		value = constant(Py_True);
		break;
	case WIRE_TOK_NUMBER:
		value = make_number(dec, text);
		break;
	case WIRE_TOK_STRING:
		value = stub_decode_string(text);
		break;
	}
	return value == NULL ? -1 : place(dec, value, ret_root);
}

PyObject *
stub_decode(struct wire_span value, const char *root)
{
	struct decoder *dec = PyMem_Malloc(sizeof(*dec));
	struct wire_json_cursor cursor;
	enum wire_json_token token;
	struct wire_span text;
	PyObject *result = NULL;

	if (dec == NULL)
		return PyErr_NoMemory();
	dec->root = root;
	dec->depth = 0;
	wire_json_cursor_init(&cursor, value);
	do {
		token = wire_json_cursor_next(&cursor, &text);
		if (step(dec, token, text, &result) < 0) {
			Py_CLEAR(result);
			break;
		}
	} while (token != WIRE_TOK_END);
	while (dec->depth != 0) {
		struct level level = dec->levels[--dec->depth];

		Py_XDECREF(level.key);
		Py_DECREF(level.container);
	}
	PyMem_Free(dec);
	return result;
}
