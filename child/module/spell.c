#include "child/module/spell.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "child/module/decimal.h"

/* No integer of WIRE_MAX_INT_DIGITS digits has more bits. */
#define INT_BITS_MAX (STUB_MAX_HEX_DIGITS * 4)
/* Digits that always fit a long long. */
#define WORD_DIGITS 18
/* No float needs more to be exact; longer texts are legal and take a heap
 * copy. */
#define FLOAT_TEXT 400

static const char python_error[] = "";
static const char too_long[] = "an integer of more than 4300 digits";
_Static_assert(WIRE_MAX_INT_DIGITS == 4300, "the message says so");

static bool
short_enough(PyObject *value)
{
	PyObject *bits = PyObject_CallMethod(value, "bit_length", NULL);
	long count = bits == NULL ? -1 : PyLong_AsLong(bits);

	Py_XDECREF(bits);
	PyErr_Clear();
	return count >= 0 && (unsigned long)count <= INT_BITS_MAX;
}

/* Longer than a machine word: by way of base 16, see decimal.h. */
static const char *
spell_long(PyObject *value, char *text, size_t *ret_len)
{
	const char *reason = too_long;
	struct wire_span digits;
	PyObject *hex;
	const char *p;
	Py_ssize_t len;
	size_t sign, count;

	/* Looked at first: the text of a huge one would be huge. */
	if (!short_enough(value))
		return too_long;
	hex = PyNumber_ToBase(value, 16);
	p = hex == NULL ? NULL : PyUnicode_AsUTF8AndSize(hex, &len);
	if (p == NULL) {
		Py_XDECREF(hex);
		return python_error;
	}
	sign = p[0] == '-';
	if (sign != 0)
		text[0] = '-';
	/* Behind the sign and 0x. */
	digits.p = (const uint8_t *)p + sign + 2;
	digits.len = (size_t)len - sign - 2;
	if (stub_decimal_from_hex(digits, (uint8_t *)text + sign, &count)) {
		*ret_len = sign + count;
		reason = NULL;
	}
	Py_DECREF(hex);
	return reason;
}

const char *
stub_spell_int(PyObject *value, char *text, size_t *ret_len)
{
	int overflow;
	long long word = PyLong_AsLongLongAndOverflow(value, &overflow);

	if (overflow != 0)
		return spell_long(value, text, ret_len);
	*ret_len = (size_t)snprintf(text, STUB_SPELL_MAX, "%lld", word);
	return NULL;
}

const char *
stub_spell_float(PyObject *value, char *text, size_t *ret_len)
{
	double number = PyFloat_AsDouble(value);
	char *digits;

	if (isnan(number))
		return "NaN, which JSON does not have";
	if (isinf(number))
		return "an infinite number, which JSON does not have";
	digits = PyOS_double_to_string(number, 'r', 0, Py_DTSF_ADD_DOT_0, NULL);
	if (digits == NULL)
		return python_error;
	*ret_len = strlen(digits);
	memcpy(text, digits, *ret_len);
	PyMem_Free(digits);
	return NULL;
}

static PyObject *
parse_float(struct wire_span number, const char **ret_reason)
{
	char small[FLOAT_TEXT], *text = small;
	double value;

	if (number.len >= sizeof(small)) {
		text = PyMem_Malloc(number.len + 1);
		if (text == NULL)
			return PyErr_NoMemory();
	}
	memcpy(text, number.p, number.len);
	text[number.len] = '\0';
	value = PyOS_string_to_double(text, NULL, NULL);
	if (text != small)
		PyMem_Free(text);
	if (isinf(value)) {
		*ret_reason = "a number beyond the range of float";
		return NULL;
	}
	if (value == -1.0 && PyErr_Occurred() != NULL)
		return NULL;
	return PyFloat_FromDouble(value);
}

static PyObject *
parse_word(struct wire_span digits, bool negative)
{
	long long word = 0;
	size_t i;

	for (i = 0; i < digits.len; i++)
		word = word * 10 + (digits.p[i] - '0');
	return PyLong_FromLongLong(negative ? -word : word);
}

static PyObject *
parse_long(struct wire_span digits, bool negative, const char **ret_reason)
{
	char hex[STUB_MAX_HEX_DIGITS + 2];
	size_t len;

	hex[0] = '-';
	if (!stub_hex_from_decimal(digits, (uint8_t *)hex + 1, &len)) {
		*ret_reason = too_long;
		return NULL;
	}
	hex[len + 1] = '\0';
	return PyLong_FromString(negative ? hex : hex + 1, NULL, 16);
}

PyObject *
stub_spell_parse(struct wire_span number, const char **ret_reason)
{
	struct wire_span digits = number;
	bool negative = number.len != 0 && number.p[0] == '-';
	size_t i;

	*ret_reason = python_error;
	for (i = 0; i < number.len; i++) {
		uint8_t c = number.p[i];

		if (c == '.' || c == 'e' || c == 'E')
			return parse_float(number, ret_reason);
	}
	if (negative) {
		digits.p++;
		digits.len--;
	}
	if (digits.len <= WORD_DIGITS)
		return parse_word(digits, negative);
	return parse_long(digits, negative, ret_reason);
}
