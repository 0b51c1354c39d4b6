#include "child/module/done.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "child/module/channel.h"
#include "child/module/encode.h"
#include "wire/utf8.h"

#define WARNINGS_MAX (WIRE_MAX_WARNINGS * (WIRE_MAX_WARNING + 8UL))
#define TEXTS_MAX    (WIRE_MAX_MESSAGE + WIRE_MAX_TRACEBACK + WARNINGS_MAX)
#define FIELDS_MAX   (4 * WIRE_KIB)
#define MARK_MAX     64

static uint8_t texts[TEXTS_MAX]; /* raw strings of the frame */
static uint8_t error_frame[TEXTS_MAX + FIELDS_MAX];

/* The most that a byte takes inside a JSON string. */
static size_t
cost(uint8_t byte)
{
	if (byte < 0x20)
		return 6;
	return byte == '"' || byte == '\\' ? 2 : 1;
}

static bool
within(struct wire_span text, size_t max)
{
	size_t i;

	for (i = 0; i < text.len && max >= cost(text.p[i]); i++)
		max -= cost(text.p[i]);
	return i == text.len;
}

/* Lengths of the head and the tail that fit their shares of max. */
static void
shares(struct wire_span text, size_t max, size_t *ret_head, size_t *ret_tail)
{
	size_t room = max * 6 / 10, head = 0, tail = 0;

	while (head < text.len && room >= cost(text.p[head]))
		room -= cost(text.p[head++]);
	head = wire_utf8_floor(text, head);
	room = max - max * 6 / 10;
	while (
	    tail < text.len - head && room >= cost(text.p[text.len - tail - 1]))
		room -= cost(text.p[text.len - ++tail]);
	*ret_head = head;
	*ret_tail = text.len - wire_utf8_ceil(text, text.len - tail);
}

/* text as a raw string of at most max bytes, behind what out holds. */
static struct wire_span
clip(struct wire_out *out, struct wire_span text, size_t max)
{
	static uint8_t cut[WIRE_MAX_TRACEBACK];
	size_t head, tail, start = out->len;
	int mark;

	WIRE_BUG_IF(max > sizeof(cut));
	if (!within(text, max)) {
		shares(text, max - MARK_MAX, &head, &tail);
		memcpy(cut, text.p, head);
		mark = snprintf((char *)cut + head, MARK_MAX,
		    " [... %zu bytes left out ...] ", text.len - head - tail);
		memcpy(cut + head + mark, text.p + text.len - tail, tail);
		text = (struct wire_span){cut, head + (size_t)mark + tail};
	}
	out->need_comma = false;
	wire_out_lossy_string(out, text);
	WIRE_BUG_IF(out->err != WIRE_OK);
	return (struct wire_span){out->buf + start + 1, out->len - start - 2};
}

/* The same for a Python str; lone surrogates appear as escapes. */
static struct wire_span
clip_object(struct wire_out *out, PyObject *text, size_t max)
{
	struct wire_span bytes = WIRE_LIT("(no memory for this text)");
	struct wire_span raw;
	PyObject *utf8;
	Py_ssize_t len;
	char *p;

	if (text == NULL || !PyUnicode_Check(text))
		return (struct wire_span){out->buf, 0};
	utf8 = PyUnicode_AsEncodedString(text, "utf-8", "backslashreplace");
	if (utf8 != NULL && PyBytes_AsStringAndSize(utf8, &p, &len) == 0)
		bytes = (struct wire_span){(uint8_t *)p, (size_t)len};
	PyErr_Clear();
	raw = clip(out, bytes, max);
	Py_XDECREF(utf8);
	return raw;
}

static void
add_warnings(struct wire_done *done, struct wire_out *out, PyObject *warnings)
{
	Py_ssize_t i;

	if (warnings == NULL || !PyList_Check(warnings))
		return;
	for (i = 0; i < PyList_Size(warnings) && i < WIRE_MAX_WARNINGS; i++) {
		PyObject *text = PyList_GetItem(warnings, i);

		Py_XINCREF(text);
		done->warnings[done->warning_count++] =
		    clip_object(out, text, WIRE_MAX_WARNING);
		Py_XDECREF(text);
	}
}

static void __attribute__((noreturn))
send_frame(const struct wire_done *done, uint8_t *buf, size_t max)
{
	struct wire_out out;
	size_t len;

	wire_out_init(&out, buf, max);
	wire_msg_encode_done(&out, done);
	WIRE_BUG_IF(wire_out_finish(&out, &len) != WIRE_OK);
	stub_channel_finish((struct wire_span){buf, len});
}

void
stub_done_error(const struct stub_done_error *error, PyObject *warnings)
{
	struct wire_done done = {0};
	struct wire_out out;

	wire_out_init(&out, texts, sizeof(texts));
	done.kind = error->kind;
	done.line = error->line;
	done.status = error->status;
	done.message = clip_object(&out, error->message, WIRE_MAX_MESSAGE);
	done.traceback =
	    clip_object(&out, error->traceback, WIRE_MAX_TRACEBACK);
	add_warnings(&done, &out, warnings);
	send_frame(&done, error_frame, sizeof(error_frame));
}

/* The exception that is set becomes the error. */
static void __attribute__((noreturn)) fail_value(PyObject *warnings)
{
	struct stub_done_error error = {.kind = WIRE_CLAIM_INVALID_VALUE};
	PyObject *type, *value, *trace;

	if (!PyErr_ExceptionMatches(PyExc_ValueError))
		error.kind = WIRE_CLAIM_EXCEPTION;
	PyErr_Fetch(&type, &value, &trace);
	PyErr_NormalizeException(&type, &value, &trace);
	error.message = value == NULL ? NULL : PyObject_Str(value);
	if (error.kind == WIRE_CLAIM_EXCEPTION)
		error.message = PyUnicode_FromString(
		    "MemoryError: no memory to send the value");
	PyErr_Clear();
	stub_done_error(&error, warnings);
}

void
stub_done_value(
    PyObject *value, bool returned, uint64_t value_max, PyObject *warnings)
{
	struct wire_done done = {0};
	struct stub_text text;
	struct wire_out out;
	uint64_t size;
	uint8_t *frame = error_frame;
	size_t max = sizeof(error_frame);

	if (value_max > WIRE_MAX_FRAME)
		value_max = WIRE_MAX_FRAME;
	if (stub_encode(value, "value", value_max, &text, &size) < 0)
		fail_value(warnings);
	wire_out_init(&out, texts, sizeof(texts));
	add_warnings(&done, &out, warnings);
	done.returned = returned;
	if (text.p == NULL) {
		done.oversize = size;
		send_frame(&done, frame, max);
	}
	done.has_value = true;
	done.value = (struct wire_span){text.p, text.len};
	if (text.len > TEXTS_MAX - WARNINGS_MAX) {
		max = text.len + WARNINGS_MAX + FIELDS_MAX;
		frame = malloc(max);
	}
	if (frame == NULL) {
		PyErr_NoMemory();
		fail_value(warnings);
	}
	send_frame(&done, frame, max);
}
