#include "child/module/channel.h"

#include <asm/unistd.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "child/module/link.h"
#include "child/sys.h"
#include "wire/session.h"

/* One channel in a process; the descriptor is the process's own. */
static struct {
	struct stub_link link;
	PyThread_type_lock writing; /* next_id, and the descriptor's end */
	PyThread_type_lock state;   /* what stands below it */
	uint64_t next_id;
	bool reading; /* somebody is the reader */
	bool over;    /* the last frame is on its way, or written */
	struct stub_pending_table table;
	bool has_left;
	uint64_t left[WIRE_LEFTS]; /* as the last frame with it says */
	uint64_t calls_max;	   /* what `run` left of them */
	uint64_t claimed;	   /* calls that were made */
} channel;

/* How often an owner is told of a reply, at most. */
#define TELL_TRIES 8

/* Calls of stub_channel_pump that this thread is inside of. */
static __thread unsigned pumps;

/* Why a wait came back. */
enum turn { TURN_READY, TURN_TELL, TURN_SIGNAL };

static void
lock(PyThread_type_lock which)
{
	(void)PyThread_acquire_lock(which, WAIT_LOCK);
}

static void
unlock(PyThread_type_lock which)
{
	PyThread_release_lock(which);
}

void
stub_channel_open(int fd)
{
	channel.writing = PyThread_allocate_lock();
	channel.state = PyThread_allocate_lock();
	/* What is executed later starts without it. */
	(void)STUB_SYS(__NR_fcntl, fd, F_SETFD, FD_CLOEXEC);
	if (channel.writing == NULL || channel.state == NULL ||
	    !stub_link_init(&channel.link, fd))
		stub_link_die("channel", "no memory", fd);
}

void
stub_channel_forget(void)
{
	if (channel.link.fd >= 0)
		(void)STUB_SYS(__NR_close, channel.link.fd);
	channel.link.fd = -1;
}

int
stub_channel_fd(void)
{
	return channel.link.fd;
}

/* The state lock is held, or nothing else is going on. */
static void
note_left(bool has_left, const uint64_t left[WIRE_LEFTS])
{
	if (!has_left)
		return;
	channel.has_left = true;
	memcpy(channel.left, left, sizeof(channel.left));
}

bool
stub_channel_left(uint64_t ret_left[WIRE_LEFTS])
{
	uint64_t calls;
	bool has_left;

	lock(channel.state);
	has_left = channel.has_left;
	memcpy(ret_left, channel.left, sizeof(channel.left));
	/* Ids have no gap, and the host charges each: those on their way are
	 * spent as well. */
	calls = channel.claimed < channel.calls_max
	    ? channel.calls_max - channel.claimed
	    : 0;
	unlock(channel.state);
	if (calls < ret_left[WIRE_LEFT_CALLS])
		ret_left[WIRE_LEFT_CALLS] = calls;
	return has_left;
}

/* Hands out the frames that have been read; false when there is none. Only
 * the reader may. */
static bool
hand_out(void)
{
	struct wire_msg msg;
	struct stub_reply reply;
	uint64_t offset;
	bool wanted, any = false;

	for (; stub_link_next(&channel.link, &msg, &offset); any = true) {
		if (wire_session_next(WIRE_SESSION_RUNNING, msg.type) ==
			WIRE_SESSION_STATES ||
		    msg.type != WIRE_MSG_REPLY)
			stub_link_refuse(WIRE_ERR_OUT_OF_TURN, offset);
		stub_reply_copy(&reply, &msg.u.reply);
		lock(channel.state);
		note_left(msg.u.reply.has_left, msg.u.reply.left);
		wanted =
		    stub_pending_settle(&channel.table, msg.u.reply.id, &reply);
		unlock(channel.state);
		/* Never made, or answered already. */
		if (!wanted)
			stub_link_refuse(WIRE_ERR_BAD_FIELD, offset);
	}
	return any;
}

/* number tells a reader's end (0) from a writer's (1). */
static void __attribute__((noreturn)) host_is_gone(long number)
{
	if (number == 0)
		stub_link_check_end(&channel.link);
	stub_link_die("channel", wire_err_word(WIRE_ERR_CLOSED), number);
}

/* There is nothing left to do. The host kills; exiting here would only delay
 * its answer. */
static void __attribute__((noreturn)) wait_for_the_end(void)
{
	for (;;)
		(void)STUB_SYS(__NR_ppoll, 0, 0, 0, 0, 0);
}

/*
 * Who waited for bytes until the last frame was on its way leaves them to its
 * writer, and what the host does after that alone: closing its end is no
 * failure then.
 */
static void
leave_when_over(void)
{
	bool over;

	lock(channel.state);
	over = channel.over;
	if (over)
		channel.reading = false;
	unlock(channel.state);
	if (over)
		wait_for_the_end();
}

/* One read as the reader. The state lock is held before and after. */
static enum stub_link_event
read_once(bool wait)
{
	enum stub_link_event event;

	channel.reading = true;
	unlock(channel.state);
	/* Before anything is looked at: whoever read until it was over has
	 * left bytes of what came then. */
	if (wait)
		leave_when_over();
	/* What came in one piece with the decision has been read already. */
	event =
	    hand_out() ? STUB_LINK_MOVED : stub_link_read(&channel.link, wait);
	if (wait)
		leave_when_over();
	if (event == STUB_LINK_MOVED)
		(void)hand_out();
	else if (event == STUB_LINK_CLOSED)
		host_is_gone(0);
	lock(channel.state);
	channel.reading = false;
	return event;
}

/* The reader steps down: somebody who sleeps has to read on. */
static void
pass_on(void)
{
	if (!channel.reading && channel.table.sleepers != NULL)
		stub_pending_wake(&channel.table, channel.table.sleepers);
}

static void
write_whole(struct wire_span frame)
{
	size_t done = 0;
	bool readable;

	for (;;) {
		switch (stub_link_write(&channel.link, frame, &done)) {
		case STUB_LINK_MOVED:
			return;
		case STUB_LINK_CLOSED:
			host_is_gone(1);
		case STUB_LINK_INTERRUPTED:
		case STUB_LINK_WOULD_BLOCK:
			break;
		}
		stub_link_wait(&channel.link, &readable);
		if (!readable)
			continue;
		/* The host may be waiting for us to read before it reads. */
		lock(channel.state);
		if (!channel.reading)
			(void)read_once(false);
		pass_on();
		unlock(channel.state);
	}
}

void
stub_channel_send(struct wire_span frame)
{
	write_whole(frame);
}

void
stub_channel_decision(struct wire_run *ret_run)
{
	struct wire_msg msg;
	uint64_t offset;

	while (!stub_link_next(&channel.link, &msg, &offset)) {
		if (stub_link_read(&channel.link, true) == STUB_LINK_CLOSED) {
			stub_link_check_end(&channel.link);
			stub_link_exit(0);
		}
	}
	if (wire_session_next(WIRE_SESSION_READY, msg.type) ==
	    WIRE_SESSION_STATES)
		stub_link_refuse(WIRE_ERR_OUT_OF_TURN, offset);
	if (msg.type != WIRE_MSG_RUN)
		stub_link_exit(0);
	*ret_run = msg.u.run;
	note_left(msg.u.run.has_left, msg.u.run.left);
	channel.calls_max = channel.left[WIRE_LEFT_CALLS];
}

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

	lock(channel.state);
	pending = stub_pending_add(&channel.table, channel.next_id);
	if (pending != NULL) {
		pending->notify = notify;
		pending->async = notify != NULL;
		channel.claimed = channel.next_id + 1;
	}
	unlock(channel.state);
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
	lock(channel.writing);
	wire_out_init(&out, buf, max);
	wire_msg_encode_call(&out, channel.next_id, name, arguments);
	/* The name and the arguments were checked when they were encoded. */
	WIRE_BUG_IF(wire_out_finish(&out, &len) != WIRE_OK);
	/* Known before it is written: the reply may be that fast. */
	pending = enter(notify);
	if (pending != NULL) {
		*ret_id = channel.next_id;
		write_whole((struct wire_span){buf, len});
		channel.next_id++;
	}
	unlock(channel.writing);
	free(buf);
	return pending;
}

/* Sleeps until woken or interrupted. The state lock is held around it. */
static bool
sleep_for(struct stub_pending *pending)
{
	PyLockStatus status;

	stub_pending_sleep(&channel.table, pending);
	unlock(channel.state);
	status = PyThread_acquire_lock_timed(pending->wake, -1, 1);
	lock(channel.state);
	if (status == PY_LOCK_ACQUIRED)
		return true;
	if (pending->sleeping)
		stub_pending_wake(&channel.table, pending);
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
		if (channel.table.first_listed != NULL)
			return TURN_TELL;
		if (!channel.reading) {
			if (read_once(true) == STUB_LINK_INTERRUPTED)
				return TURN_SIGNAL;
			continue;
		}
		if (pending->wake == NULL) {
			pending->wake = PyThread_allocate_lock();
			if (pending->wake == NULL)
				stub_link_die(
				    "channel", "no memory", (long)pending->id);
			lock(pending->wake);
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

	lock(channel.state);
	pending = stub_pending_find(&channel.table, id);
	if (pending != NULL && pending->ready && !pending->listed &&
	    ++pending->failures < TELL_TRIES) {
		pending->notify = notify;
		again = true;
		stub_pending_list(&channel.table, pending);
	}
	unlock(channel.state);
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
		lock(channel.state);
		pending = stub_pending_unlist(&channel.table);
		if (pending != NULL) {
			id = pending->id;
			notify = pending->notify;
			pending->notify = NULL;
			if (pending->abandoned)
				stub_pending_remove(&channel.table, pending);
		}
		unlock(channel.state);
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
	stub_pending_remove(&channel.table, pending);
}

/* Lets go of a record. The state lock is held; a reference that is returned
 * is to be dropped once it is not. */
static PyObject *
abandon(struct stub_pending *pending)
{
	PyObject *notify = pending->notify;

	pending->notify = NULL;
	if (pending->ready && !pending->listed)
		stub_pending_remove(&channel.table, pending);
	else
		pending->abandoned = true;
	return notify;
}

/* One turn of waiting, without the interpreter's lock. */
static enum turn
take_turn(struct stub_pending *pending, struct stub_reply *ret_reply)
{
	enum turn turn;

	Py_BEGIN_ALLOW_THREADS lock(channel.state);
	turn = wait_turn(pending);
	if (turn == TURN_READY)
		collect(pending, ret_reply);
	pass_on();
	unlock(channel.state);
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
	lock(channel.state);
	(void)abandon(pending);
	unlock(channel.state);
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

	lock(channel.state);
	pending = stub_pending_find(&channel.table, id);
	/* Who is to be told again may have heard it the first time. */
	if (pending != NULL && pending->async && pending->ready &&
	    !pending->abandoned &&
	    (!pending->listed || pending->failures != 0)) {
		*ret_reply = pending->reply;
		pending->reply.text = NULL;
		notify = abandon(pending);
		taken = true;
	}
	unlock(channel.state);
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

	lock(channel.state);
	pending = stub_pending_find(&channel.table, id);
	if (pending != NULL && pending->async)
		notify = abandon(pending);
	unlock(channel.state);
	Py_XDECREF(notify);
}

int
stub_channel_pump(void)
{
	int result;

	Py_BEGIN_ALLOW_THREADS lock(channel.state);
	if (!channel.reading)
		(void)read_once(false);
	pass_on();
	unlock(channel.state);
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

void
stub_channel_finish(struct wire_span frame)
{
	/* Not released again: a call that another thread wants to write would
	 * come after the last frame. */
	lock(channel.writing);
	lock(channel.state);
	channel.over = true;
	unlock(channel.state);
	write_whole(frame);
	/* The host may read nothing while much waits for us: replies to calls
	 * that were given up would keep the answer from it. */
	stub_link_drop_rest(&channel.link);
	wait_for_the_end();
}
