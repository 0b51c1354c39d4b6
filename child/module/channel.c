#include "child/module/channel.h"

#include <asm/unistd.h>
#include <fcntl.h>
#include <string.h>

#include "child/module/channel_inside.h"
#include "child/sys.h"
#include "wire/session.h"

struct stub_channel stub_channel;

void
stub_channel_open(int fd)
{
	stub_channel.writing = PyThread_allocate_lock();
	stub_channel.state = PyThread_allocate_lock();
	/* What is executed later starts without it. */
	(void)STUB_SYS(__NR_fcntl, fd, F_SETFD, FD_CLOEXEC);
	if (stub_channel.writing == NULL || stub_channel.state == NULL ||
	    !stub_link_init(&stub_channel.link, fd))
		stub_link_die("channel", "no memory", fd);
}

void
stub_channel_forget(void)
{
	if (stub_channel.link.fd >= 0)
		(void)STUB_SYS(__NR_close, stub_channel.link.fd);
	stub_channel.link.fd = -1;
}

int
stub_channel_fd(void)
{
	return stub_channel.link.fd;
}

/* The state lock is held, or nothing else is going on. */
static void
note_left(bool has_left, const uint64_t left[WIRE_LEFTS])
{
	if (!has_left)
		return;
	stub_channel.has_left = true;
	memcpy(stub_channel.left, left, sizeof(stub_channel.left));
}

bool
stub_channel_left(uint64_t ret_left[WIRE_LEFTS])
{
	uint64_t calls;
	bool has_left;

	stub_channel_lock(stub_channel.state);
	has_left = stub_channel.has_left;
	memcpy(ret_left, stub_channel.left, sizeof(stub_channel.left));
	/* Ids have no gap, and the host charges each: those on their way are
	 * spent as well. */
	calls = stub_channel.claimed < stub_channel.calls_max
	    ? stub_channel.calls_max - stub_channel.claimed
	    : 0;
	stub_channel_unlock(stub_channel.state);
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

	for (; stub_link_next(&stub_channel.link, &msg, &offset); any = true) {
		if (wire_session_next(WIRE_SESSION_RUNNING, msg.type) ==
			WIRE_SESSION_STATES ||
		    msg.type != WIRE_MSG_REPLY)
			stub_link_refuse(WIRE_ERR_OUT_OF_TURN, offset);
		stub_reply_copy(&reply, &msg.u.reply);
		stub_channel_lock(stub_channel.state);
		note_left(msg.u.reply.has_left, msg.u.reply.left);
		wanted = stub_pending_settle(
		    &stub_channel.table, msg.u.reply.id, &reply);
		stub_channel_unlock(stub_channel.state);
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
		stub_link_check_end(&stub_channel.link);
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

	stub_channel_lock(stub_channel.state);
	over = stub_channel.over;
	if (over)
		stub_channel.reading = false;
	stub_channel_unlock(stub_channel.state);
	if (over)
		wait_for_the_end();
}

enum stub_link_event
stub_channel_read_once(bool wait)
{
	enum stub_link_event event;

	stub_channel.reading = true;
	stub_channel_unlock(stub_channel.state);
	/* Before anything is looked at: whoever read until it was over has
	 * left bytes of what came then. */
	if (wait)
		leave_when_over();
	/* What came in one piece with the decision has been read already. */
	event = hand_out() ? STUB_LINK_MOVED
			   : stub_link_read(&stub_channel.link, wait);
	if (wait)
		leave_when_over();
	if (event == STUB_LINK_MOVED)
		(void)hand_out();
	else if (event == STUB_LINK_CLOSED)
		host_is_gone(0);
	stub_channel_lock(stub_channel.state);
	stub_channel.reading = false;
	return event;
}

void
stub_channel_pass_on(void)
{
	if (!stub_channel.reading && stub_channel.table.sleepers != NULL)
		stub_pending_wake(
		    &stub_channel.table, stub_channel.table.sleepers);
}

void
stub_channel_write(struct wire_span frame)
{
	size_t done = 0;
	bool readable;

	for (;;) {
		switch (stub_link_write(&stub_channel.link, frame, &done)) {
		case STUB_LINK_MOVED:
			return;
		case STUB_LINK_CLOSED:
			host_is_gone(1);
		case STUB_LINK_INTERRUPTED:
		case STUB_LINK_WOULD_BLOCK:
			break;
		}
		stub_link_wait(&stub_channel.link, &readable);
		if (!readable)
			continue;
		/* The host may be waiting for us to read before it reads. */
		stub_channel_lock(stub_channel.state);
		if (!stub_channel.reading)
			(void)stub_channel_read_once(false);
		stub_channel_pass_on();
		stub_channel_unlock(stub_channel.state);
	}
}

void
stub_channel_send(struct wire_span frame)
{
	stub_channel_write(frame);
}

void
stub_channel_decision(struct wire_run *ret_run)
{
	struct wire_msg msg;
	uint64_t offset;

	while (!stub_link_next(&stub_channel.link, &msg, &offset)) {
		if (stub_link_read(&stub_channel.link, true) ==
		    STUB_LINK_CLOSED) {
			stub_link_check_end(&stub_channel.link);
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
	stub_channel.calls_max = stub_channel.left[WIRE_LEFT_CALLS];
}

void
stub_channel_finish(struct wire_span frame)
{
	/* Not released again: a call that another thread wants to write would
	 * come after the last frame. */
	stub_channel_lock(stub_channel.writing);
	stub_channel_lock(stub_channel.state);
	stub_channel.over = true;
	stub_channel_unlock(stub_channel.state);
	stub_channel_write(frame);
	/* The host may read nothing while much waits for us: replies to calls
	 * that were given up would keep the answer from it. */
	stub_link_drop_rest(&stub_channel.link);
	wait_for_the_end();
}
