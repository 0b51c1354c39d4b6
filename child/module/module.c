/*
 * The module `_weir`: what bootstrap.py, and nobody else, is meant to use.
 *
 * The program can reach every function here all the same, so each checks its
 * arguments as if it came from there, and none can do more than the program
 * can do with the channel's descriptor anyway.
 *
 *   boot(fd) -> (program, tools)      seal, report, wait for the decision
 *   call(name, arguments) -> reply    a tool call; waits
 *   start(name, arguments, notify) -> id, or reply
 *                                     the same without waiting: notify(id) is
 *                                     called in some thread, then take(id)
 *   take(id) -> reply
 *   drop(id)                          nobody wants that reply any more
 *   pump()                            read what is there, notify
 *   is_pumping() -> bool              this thread is inside of pump
 *   left(which) -> int, or None       what may still be spent, as the host has
 *                                     said last; in the order of wire_left
 *   descriptor() -> int               what an event loop watches
 *   forget()                          in a process that was forked: closes the
 *                                     channel
 *   open_files() -> bool              files are open for writing
 *   finish(value, returned, warnings) the last frame; does not return
 *   fail(kind, message, traceback, line, status, warnings)  likewise
 *
 * A reply is a tuple: (0, value), (1, handle, size, preview), or
 * (2, kind, message, hard).
 */
#include "child/module/python.h"

#include <asm/fcntl.h>
#include <asm/unistd.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "child/module/channel.h"
#include "child/module/decode.h"
#include "child/module/done.h"
#include "child/module/encode.h"
#include "child/module/invalid.h"
#include "child/module/link.h"
#include "child/module/seal.h"
#include "child/sys.h"

/* A call's frame beside its arguments: the name and the fields. */
#define CALL_FIELDS (WIRE_MAX_TOOL_NAME * 6 + 128UL)
/* Descriptors that are looked at for open files, and how many at a time: no
 * more than the least number of descriptors that poll(2) may be given. */
#define FILES_SCANNED 1024
#define FILES_AT_ONCE 200

static struct {
	bool booted;
	long process; /* that was booted */
	uint64_t frame_max;
	uint64_t value_max;
} terms;

static bool
is_booted(void)
{
	if (!terms.booted)
		PyErr_SetString(PyExc_RuntimeError, "not booted");
	return terms.booted;
}

/*
 * Whether this is the process that was booted. One that it forked has the
 * channel's descriptor and a copy of all that stands here: a call of its own
 * would use an id twice, and take a reply that is not its own.
 */
static bool
is_own_process(void)
{
	return STUB_SYS(__NR_getpid) == terms.process;
}

static bool
may_call(void)
{
	if (!is_booted())
		return false;
	if (is_own_process())
		return true;
	PyErr_SetString(
	    PyExc_RuntimeError, "a process that was forked cannot call tools");
	return false;
}

/* --- boot ---------------------------------------------------------------- */

static PyObject *
boot(PyObject *self, PyObject *args)
{
	PyObject *program, *list, *tools = NULL;
	struct wire_run run;
	int fd;

	(void)self;
	if (!PyArg_ParseTuple(args, "i:boot", &fd))
		return NULL;
	if (terms.booted) {
		PyErr_SetString(PyExc_RuntimeError, "booted already");
		return NULL;
	}
	terms.booted = true;
	terms.process = STUB_SYS(__NR_getpid);
	stub_seal(fd);
	stub_channel_decision(&run);
	terms.frame_max = run.frame_max;
	terms.value_max = run.value_max;
	if (terms.frame_max > WIRE_MAX_FRAME)
		terms.frame_max = WIRE_MAX_FRAME;
	program = stub_decode_string(run.program);
	list = stub_decode(run.tools, "tools");
	if (program != NULL && list != NULL)
		tools = PyList_AsTuple(list);
	Py_XDECREF(list);
	if (tools == NULL) {
		Py_XDECREF(program);
		return NULL;
	}
	return Py_BuildValue("(NN)", program, tools);
}

/* --- calls --------------------------------------------------------------- */

static PyObject *
error_reply(enum wire_tool_kind kind, PyObject *message, bool hard)
{
	if (message == NULL)
		return NULL;
	return Py_BuildValue("(isNO)", WIRE_REPLY_ERROR,
	    wire_tool_kind_word(kind), message, hard ? Py_True : Py_False);
}

/* Consumes the reply. */
static PyObject *
reply_object(struct stub_reply *reply)
{
	struct wire_span text = {reply->text, reply->len};
	struct wire_span preview = {
	    reply->text + reply->len, reply->preview_len};
	PyObject *object = NULL, *shown = NULL, *result = NULL;

	if (reply->lost)
		return PyErr_NoMemory();
	if (reply->kind == WIRE_REPLY_VALUE)
		object = stub_decode(text, "result");
	else
		object = stub_decode_string(text);
	if (object != NULL && reply->kind == WIRE_REPLY_HANDLE) {
		shown = stub_decode_string(preview);
		if (shown == NULL)
			Py_CLEAR(object);
	}
	free(reply->text);
	if (object == NULL)
		return NULL;
	switch (reply->kind) {
	case WIRE_REPLY_VALUE:
		result = Py_BuildValue("(iN)", WIRE_REPLY_VALUE, object);
		break;
	case WIRE_REPLY_HANDLE:
		result = Py_BuildValue("(iNKN)", WIRE_REPLY_HANDLE, object,
		    (unsigned long long)reply->size, shown);
		break;
	case WIRE_REPLY_ERROR:
		result = error_reply(reply->error, object, reply->hard);
		break;
	}
	return result;
}

/* The UTF-8 of a name that a frame can carry. Else *ret_reply is the answer
 * that the host would give: no such tool can be offered. */
static int
take_name(PyObject *name, struct wire_span *ret_span, PyObject **ret_reply)
{
	Py_ssize_t len = 0;
	const char *p;

	if (!PyUnicode_CheckExact(name)) {
		PyErr_SetString(PyExc_TypeError, "a tool's name is a str");
		return -1;
	}
	p = PyUnicode_AsUTF8AndSize(name, &len);
	PyErr_Clear();
	*ret_span = (struct wire_span){(const uint8_t *)p, (size_t)len};
	if (p == NULL || len == 0 || len > WIRE_MAX_TOOL_NAME)
		*ret_reply = error_reply(WIRE_TOOL_NOT_OFFERED,
		    PyUnicode_FromString("no tool can have this name"), false);
	return *ret_reply == NULL && PyErr_Occurred() ? -1 : 0;
}

/*
 * Encodes the arguments. Ones that no frame can carry are refused here, in
 * the host's words; all others are sent, so that the host charges for them,
 * also those it will refuse.
 */
static int
take_arguments(
    PyObject *arguments, struct stub_text *ret_text, PyObject **ret_reply)
{
	uint64_t max = 0, size;

	if (!PyDict_CheckExact(arguments)) {
		PyErr_SetString(
		    PyExc_TypeError, "a tool's arguments are a dict");
		return -1;
	}
	if (terms.frame_max > CALL_FIELDS)
		max = terms.frame_max - CALL_FIELDS;
	if (stub_encode(arguments, "arguments", max, ret_text, &size) < 0)
		return -1;
	if (ret_text->p == NULL)
		*ret_reply = error_reply(WIRE_TOOL_ARGUMENTS_TOO_LARGE,
		    PyUnicode_FromFormat("the arguments take %llu bytes",
			(unsigned long long)size),
		    false);
	return *ret_reply == NULL && ret_text->p == NULL ? -1 : 0;
}

/* A call with or without waiting: an id, a reply, or NULL. */
static PyObject *
perform(PyObject *name, PyObject *arguments, PyObject *notify)
{
	struct wire_span name_span, arguments_span;
	struct stub_text text = {NULL, 0};
	struct stub_reply reply;
	PyObject *result = NULL;
	uint64_t id;
	int failed;

	if (!may_call() || take_name(name, &name_span, &result) < 0 ||
	    result != NULL)
		return result;
	if (take_arguments(arguments, &text, &result) < 0 || result != NULL)
		return result;
	arguments_span = (struct wire_span){text.p, text.len};
	if (notify != NULL)
		failed =
		    stub_channel_start(name_span, arguments_span, notify, &id);
	else
		failed = stub_channel_call(name_span, arguments_span, &reply);
	free(text.p);
	if (failed)
		return NULL;
	if (notify != NULL)
		return PyLong_FromUnsignedLongLong(id);
	return reply_object(&reply);
}

static PyObject *
call(PyObject *self, PyObject *args)
{
	PyObject *name, *arguments;

	(void)self;
	if (!PyArg_ParseTuple(args, "OO:call", &name, &arguments))
		return NULL;
	return perform(name, arguments, NULL);
}

static PyObject *
start(PyObject *self, PyObject *args)
{
	PyObject *name, *arguments, *notify;

	(void)self;
	if (!PyArg_ParseTuple(args, "OOO:start", &name, &arguments, &notify))
		return NULL;
	return perform(name, arguments, notify);
}

static PyObject *
take(PyObject *self, PyObject *id)
{
	struct stub_reply reply;
	uint64_t number = PyLong_AsUnsignedLongLong(id);

	(void)self;
	if (PyErr_Occurred() != NULL || !may_call() ||
	    stub_channel_take(number, &reply) < 0)
		return NULL;
	return reply_object(&reply);
}

static PyObject *
drop(PyObject *self, PyObject *id)
{
	uint64_t number = PyLong_AsUnsignedLongLong(id);

	(void)self;
	if (PyErr_Occurred() != NULL || !is_booted())
		return NULL;
	if (is_own_process())
		stub_channel_drop(number);
	Py_RETURN_NONE;
}

static PyObject *
pump(PyObject *self, PyObject *unused)
{
	(void)self;
	(void)unused;
	if (!may_call() || stub_channel_pump() < 0)
		return NULL;
	Py_RETURN_NONE;
}

static PyObject *
is_pumping(PyObject *self, PyObject *unused)
{
	(void)self;
	(void)unused;
	return PyBool_FromLong(stub_channel_is_pumping());
}

static PyObject *
left(PyObject *self, PyObject *which)
{
	uint64_t amounts[WIRE_LEFTS];
	unsigned long index = PyLong_AsUnsignedLong(which);

	(void)self;
	if (PyErr_Occurred() != NULL || !is_booted())
		return NULL;
	if (index >= WIRE_LEFTS) {
		PyErr_SetString(PyExc_ValueError, "no such meter");
		return NULL;
	}
	if (!stub_channel_left(amounts))
		Py_RETURN_NONE;
	return PyLong_FromUnsignedLongLong(amounts[index]);
}

static PyObject *
descriptor(PyObject *self, PyObject *unused)
{
	(void)self;
	(void)unused;
	return may_call() ? PyLong_FromLong(stub_channel_fd()) : NULL;
}

/*
 * A forked process has no business with the channel, and what would write to
 * descriptor 3 by mistake would end the execution.
 */
static PyObject *
forget(PyObject *self, PyObject *unused)
{
	(void)self;
	(void)unused;
	if (terms.booted && !is_own_process())
		stub_channel_forget();
	Py_RETURN_NONE;
}

/* --- the end ------------------------------------------------------------- */

/* Whether one of FILES_AT_ONCE descriptors from first on is a file that can
 * be written to. One poll(2) tells which are open at all. */
static bool
can_write(long first)
{
	static const struct timespec at_once = {0, 0};
	struct pollfd fds[FILES_AT_ONCE];
	long flags, r;
	size_t i;

	for (i = 0; i < FILES_AT_ONCE; i++)
		fds[i] = (struct pollfd){(int)first + (int)i, 0, 0};
	r = STUB_SYS(__NR_ppoll, fds, FILES_AT_ONCE, &at_once, 0, 0);
	if (r < 0)
		return true; /* nobody knows */
	for (i = 0; i < FILES_AT_ONCE; i++) {
		if ((fds[i].revents & POLLNVAL) != 0 ||
		    fds[i].fd == stub_channel_fd())
			continue;
		flags = STUB_SYS(__NR_fcntl, fds[i].fd, F_GETFL, 0);
		if (flags >= 0 && (flags & O_ACCMODE) != O_RDONLY)
			return true;
	}
	return false;
}

static PyObject *
open_files(PyObject *self, PyObject *unused)
{
	long fd;

	(void)self;
	(void)unused;
	if (!is_booted())
		return NULL;
	for (fd = 3; fd < FILES_SCANNED; fd += FILES_AT_ONCE) {
		if (can_write(fd))
			Py_RETURN_TRUE;
	}
	Py_RETURN_FALSE;
}

/*
 * The compiler without the syntax tree's Python types, which the builtin of
 * that name makes on its first use (a millisecond). No flags are inherited.
 */
static PyObject *
compile_text(PyObject *self, PyObject *args)
{
	const char *text;
	int is_expression;

	(void)self;
	if (!PyArg_ParseTuple(args, "sp:compile", &text, &is_expression))
		return NULL;
	return Py_CompileString(
	    text, "<program>", is_expression ? Py_eval_input : Py_file_input);
}

/* A forked process ends as one does that nobody waits for an answer of. */
static void __attribute__((noreturn)) end_of_fork(PyObject *said, int status)
{
	PyObject *stream = PySys_GetObject("stderr"), *flushed = NULL;

	if (said != NULL && stream != NULL &&
	    PyFile_WriteObject(said, stream, Py_PRINT_RAW) == 0)
		flushed = PyObject_CallMethod(stream, "flush", NULL);
	Py_XDECREF(flushed);
	stub_link_exit(status);
}

static PyObject *
finish(PyObject *self, PyObject *args)
{
	PyObject *value, *warnings;
	int returned;

	(void)self;
	if (!is_booted() ||
	    !PyArg_ParseTuple(args, "OpO:finish", &value, &returned, &warnings))
		return NULL;
	if (!is_own_process())
		end_of_fork(NULL, 0);
	stub_done_value(value, returned != 0, terms.value_max, warnings);
}

static PyObject *
fail(PyObject *self, PyObject *args)
{
	struct stub_done_error error = {0};
	unsigned line, status;
	PyObject *warnings;
	const char *kind;

	(void)self;
	if (!is_booted() ||
	    !PyArg_ParseTuple(args, "sOOIIO:fail", &kind, &error.message,
		&error.traceback, &line, &status, &warnings))
		return NULL;
	error.kind = wire_claim_kind_from(
	    (struct wire_span){(const uint8_t *)kind, strlen(kind)});
	if (error.kind == WIRE_CLAIM_NONE) {
		PyErr_SetString(PyExc_ValueError, "no such kind");
		return NULL;
	}
	error.line = line;
	error.status = status & 0xff;
	if (!is_own_process())
		end_of_fork(error.traceback,
		    error.kind == WIRE_CLAIM_WORKER_EXIT ? (int)error.status
							 : 1);
	stub_done_error(&error, warnings);
}

/* --- the module ---------------------------------------------------------- */

static PyMethodDef methods[] = {
    {"boot", boot, METH_VARARGS, NULL},
    {"call", call, METH_VARARGS, NULL},
    {"start", start, METH_VARARGS, NULL},
    {"take", take, METH_O, NULL},
    {"drop", drop, METH_O, NULL},
    {"pump", pump, METH_NOARGS, NULL},
    {"is_pumping", is_pumping, METH_NOARGS, NULL},
    {"left", left, METH_O, NULL},
    {"descriptor", descriptor, METH_NOARGS, NULL},
    {"forget", forget, METH_NOARGS, NULL},
    {"open_files", open_files, METH_NOARGS, NULL},
    {"compile", compile_text, METH_VARARGS, NULL},
    {"finish", finish, METH_VARARGS, NULL},
    {"fail", fail, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {
    .m_base = PyModuleDef_HEAD_INIT,
    .m_name = "_weir",
    .m_size = -1,
    .m_methods = methods,
};

/* The interpreter looks it up by name. */
PyMODINIT_FUNC PyInit__weir(void);

PyMODINIT_FUNC
PyInit__weir(void)
{
	/* The exceptions' class is there before anything can raise it. */
	if (stub_invalid_class() == NULL)
		return NULL;
	return PyModule_Create(&definition);
}
