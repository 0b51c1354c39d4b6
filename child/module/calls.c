#include <stdlib.h>

#include "child/module/channel_inside.h"

/* How often an owner is told of a reply, at most. */
#define TELL_TRIES 8

/* Calls of stub_channel_pump that this thread is inside of. */
static __thread unsigned pumps;

/* Why a wait came back. */
enum turn { TURN_READY, TURN_TELL, TURN_SIGNAL };

/* Room for a call's frame beside its arguments. */
static bool
frame_room(struct wire_span name, struct wire_span arguments, size_t *ret_max)
{
	return wire_mul(name.len, 6, ret_max) &&
	    wire_add(*ret_max, 128, ret_max) &&
	    wire_add(*ret_max, arguments.len, ret_max);
}

/* Enters the next id in the table. NULL without memory. */
static struct stub_pending *
enter(PyObject *notify)
{
	struct stub_pending *pending;

	stub_channel_lock(stub_channel.state);
	pending = stub_pending_add(&stub_channel.table, stub_channel.next_id);
	if (pending != NULL) {
		pending->notify = notify;
		pending->async = notify != NULL;
		stub_channel.claimed = stub_channel.next_id + 1;
	}
	stub_channel_unlock(stub_channel.state);
	return pending;
}

/*
 * Claims the next id, writes the frame, advances. Without the interpreter's
 * lock. NULL: there was no memory, and nothing was claimed. What is returned
 * for an asynchronous call may be gone already; its id is not.
 */
static struct stub_pending *
claim(struct wire_span name, struct wire_span arguments, PyObject *notify,
    uint64_t *ret_id)
{
	struct stub_pending *pending;
	struct wire_out out;
	size_t max, len;
	uint8_t *buf = NULL;

	if (frame_room(name, arguments, &max))
		buf = malloc(max);
	if (buf == NULL)
		return NULL;
	stub_channel_lock(stub_channel.writing);
	wire_out_init(&out, buf, max);
	wire_msg_encode_call(&out, stub_channel.next_id, name, arguments);
	/* The name and the arguments were checked when they were encoded. */
	WIRE_BUG_IF(wire_out_finish(&out, &len) != WIRE_OK);
	/* Known before it is written: the reply may be that fast. */
	pending = enter(notify);
	if (pending != NULL) {
		*ret_id = stub_channel.next_id;
		stub_channel_write((struct wire_span){buf, len});
		stub_channel.next_id++;
	}
	stub_channel_unlock(stub_channel.writing);
	free(buf);
	return pending;
}

/* Sleeps until woken or interrupted. The state lock is held around it. */
static bool
sleep_for(struct stub_pending *pending)
{
	PyLockStatus status;

	stub_pending_sleep(&stub_channel.table, pending);
	stub_channel_unlock(stub_channel.state);
	status = PyThread_acquire_lock_timed(pending->wake, -1, 1);
	stub_channel_lock(stub_channel.state);
	if (status == PY_LOCK_ACQUIRED)
		return true;
	if (pending->sleeping)
		stub_pending_wake(&stub_channel.table, pending);
	/* Taken back, so that the next sleep sleeps. */
	(void)PyThread_acquire_lock(pending->wake, NOWAIT_LOCK);
	return false;
}

/* Waits for the reply or for something that needs the interpreter's lock,
 * which is not held here. The state lock is held. */
static enum turn
wait_turn(struct stub_pending *pending)
{
	for (;;) {
		if (pending->ready)
			return TURN_READY;
		if (stub_channel.table.first_listed != NULL)
			return TURN_TELL;
		if (!stub_channel.reading) {
			if (stub_channel_read_once(true) ==
			    STUB_LINK_INTERRUPTED)
				return TURN_SIGNAL;
			continue;
		}
		if (pending->wake == NULL) {
			pending->wake = PyThread_allocate_lock();
			if (pending->wake == NULL)
				stub_link_die(
				    "channel", "no memory", (long)pending->id);
			stub_channel_lock(pending->wake);
		}
		if (!sleep_for(pending))
			return TURN_SIGNAL;
	}
}

/* Whether an owner that could not be told will be tried again; if so, the
 * reference is stolen. */
static bool
try_again(uint64_t id, PyObject *notify)
{
	struct stub_pending *pending;
	bool again = false;

	stub_channel_lock(stub_channel.state);
	pending = stub_pending_find(&stub_channel.table, id);
	if (pending != NULL && pending->ready && !pending->listed &&
	    ++pending->failures < TELL_TRIES) {
		pending->notify = notify;
		again = true;
		stub_pending_list(&stub_channel.table, pending);
	}
	stub_channel_unlock(stub_channel.state);
	return again;
}

/* Tells one owner; its reference is stolen. */
static void
tell_one(uint64_t id, PyObject *notify)
{
	PyObject *result;

	result = PyObject_CallFunction(notify, "K", (unsigned long long)id);
	if (result == NULL && try_again(id, notify))
		return;
	if (result == NULL)
		PyErr_WriteUnraisable(notify);
	Py_XDECREF(result);
	Py_DECREF(notify);
}

/*
 * Tells the owners of asynchronous calls whose replies are in, all of them:
 * nobody else may come by. Their code may raise, and so may the handler of a
 * signal that comes while it runs. They are tried again then, else a reply
 * would be lost, and the first exception is the caller's; likewise one that
 * is set already.
 */
static int
tell(void)
{
	PyObject *type, *error, *trace, *notify;
	struct stub_pending *pending;
	uint64_t id = 0;

	PyErr_Fetch(&type, &error, &trace);
	for (;;) {
		notify = NULL;
		stub_channel_lock(stub_channel.state);
		pending = stub_pending_unlist(&stub_channel.table);
		if (pending != NULL) {
			id = pending->id;
			notify = pending->notify;
			pending->notify = NULL;
			if (pending->abandoned)
				stub_pending_remove(
				    &stub_channel.table, pending);
		}
		stub_channel_unlock(stub_channel.state);
		if (pending == NULL)
			break;
		if (notify != NULL)
			tell_one(id, notify);
		if (type == NULL)
			PyErr_Fetch(&type, &error, &trace);
		PyErr_Clear();
	}
	PyErr_Restore(type, error, trace);
	return type == NULL ? 0 : -1;
}

/* Takes a ready reply out of the table. */
static void
collect(struct stub_pending *pending, struct stub_reply *ret_reply)
{
	*ret_reply = pending->reply;
	pending->reply.text = NULL;
	stub_pending_remove(&stub_channel.table, pending);
}

/* Lets go of a record. The state lock is held; a reference that is returned
 * is to be dropped once it is not. */
static PyObject *
abandon(struct stub_pending *pending)
{
	PyObject *notify = pending->notify;

	pending->notify = NULL;
	if (pending->ready && !pending->listed)
		stub_pending_remove(&stub_channel.table, pending);
	else
		pending->abandoned = true;
	return notify;
}

/* One turn of waiting, without the interpreter's lock. */
static enum turn
take_turn(struct stub_pending *pending, struct stub_reply *ret_reply)
{
	enum turn turn;

	Py_BEGIN_ALLOW_THREADS stub_channel_lock(stub_channel.state);
	turn = wait_turn(pending);
	if (turn == TURN_READY)
		collect(pending, ret_reply);
	stub_channel_pass_on();
	stub_channel_unlock(stub_channel.state);
	Py_END_ALLOW_THREADS return turn;
}

int
stub_channel_call(struct wire_span name, struct wire_span arguments,
    struct stub_reply *ret_reply)
{
	struct stub_pending *pending;
	enum turn turn;
	uint64_t id;
	bool failed;

	Py_BEGIN_ALLOW_THREADS pending = claim(name, arguments, NULL, &id);
	Py_END_ALLOW_THREADS if (pending == NULL)
	{
		PyErr_NoMemory();
		return -1;
	}
	do {
		turn = take_turn(pending, ret_reply);
		/* Handlers run here sooner than in an owner's code. */
		(void)PyErr_CheckSignals();
		failed = tell() < 0;
	} while (turn != TURN_READY && !failed);
	if (!failed)
		return 0;
	if (turn == TURN_READY) {
		free(ret_reply->text);
		return -1;
	}
	stub_channel_lock(stub_channel.state);
	(void)abandon(pending);
	stub_channel_unlock(stub_channel.state);
	return -1;
}

int
stub_channel_start(struct wire_span name, struct wire_span arguments,
    PyObject *notify, uint64_t *ret_id)
{
	struct stub_pending *pending;

	Py_INCREF(notify);
	Py_BEGIN_ALLOW_THREADS pending = claim(name, arguments, notify, ret_id);
	Py_END_ALLOW_THREADS if (pending == NULL)
	{
		Py_DECREF(notify);
		PyErr_NoMemory();
		return -1;
	}
	return 0;
}

int
stub_channel_take(uint64_t id, struct stub_reply *ret_reply)
{
	struct stub_pending *pending;
	PyObject *notify = NULL;
	bool taken = false;

	stub_channel_lock(stub_channel.state);
	pending = stub_pending_find(&stub_channel.table, id);
	/* Who is to be told again may have heard it the first time. */
	if (pending != NULL && pending->async && pending->ready &&
	    !pending->abandoned &&
	    (!pending->listed || pending->failures != 0)) {
		*ret_reply = pending->reply;
		pending->reply.text = NULL;
		notify = abandon(pending);
		taken = true;
	}
	stub_channel_unlock(stub_channel.state);
	Py_XDECREF(notify);
	if (taken)
		return 0;
	PyErr_SetString(PyExc_ValueError, "no reply is in for this call");
	return -1;
}

void
stub_channel_drop(uint64_t id)
{
	struct stub_pending *pending;
	PyObject *notify = NULL;

	stub_channel_lock(stub_channel.state);
	pending = stub_pending_find(&stub_channel.table, id);
	if (pending != NULL && pending->async)
		notify = abandon(pending);
	stub_channel_unlock(stub_channel.state);
	Py_XDECREF(notify);
}

int
stub_channel_pump(void)
{
	int result;

	Py_BEGIN_ALLOW_THREADS stub_channel_lock(stub_channel.state);
	if (!stub_channel.reading)
		(void)stub_channel_read_once(false);
	stub_channel_pass_on();
	stub_channel_unlock(stub_channel.state);
	Py_END_ALLOW_THREADS(void) PyErr_CheckSignals();
	pumps++;
	result = tell();
	pumps--;
	return result;
}

bool
stub_channel_is_pumping(void)
{
	return pumps != 0;
}
