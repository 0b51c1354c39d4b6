/*
 * A traced execution has the same filter, but for what it answers with: where
 * another refuses, this one asks, by the listener that the module hands over
 * right after it has installed the filter. The answer is the errno of the
 * table (filter_why.h), so that nothing is allowed that was not, and when the
 * supervisor is gone the kernel refuses by itself (ENOSYS, seccomp_unotify(2)).
 */
#include "supervisor/exec_trace.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>

#include "supervisor/sys.h"
#include "supervisor/sys_notify.h"

/* Calls answered in one turn of the loop, so that a flood of them does not
 * keep others waiting (S12). */
#define TURN 64

bool
sup_exec_trace_new(struct weir_execution *e)
{
	e->trace = calloc(1, sizeof(*e->trace));
	if (e->trace != NULL)
		e->trace->watch.fd = -1;
	return e->trace != NULL;
}

void
sup_exec_trace_free(struct weir_execution *e)
{
	sup_exec_trace_close(e);
	free(e->trace);
	e->trace = NULL;
}

bool
sup_exec_trace_is_on(const struct weir_execution *e)
{
	return e->trace == NULL || e->trace->watch.fd >= 0;
}

void
sup_exec_trace_close(struct weir_execution *e)
{
	if (e->trace == NULL)
		return;
	sup_loop_remove(&e->weir->loop, &e->trace->watch);
	sup_sys_close(&e->trace->watch.fd);
}

/* Without answers there is no trace, and no run. Closing the listener lets
 * the kernel refuse whatever waits. */
static void
give_up(struct weir_execution *e, const char *site, int error)
{
	sup_exec_trace_close(e);
	sup_exec_note_setup(e, &(struct wire_errinfo){site, error, 0});
	sup_exec_event(e, SUP_EVENT_FAILED);
}

/* One call; false when the listener is of no more use. */
static bool
answer(struct weir_execution *e)
{
	struct sup_exec_trace *trace = e->trace;
	struct sup_sys_asked asked;
	struct sup_filter_why why;
	int r = sup_sys_notify_take(trace->watch.fd, &asked);

	/* It was killed, or a signal has come: then it asks again. */
	if (r == -ENOENT)
		return true;
	if (r == 0) {
		sup_filter_why(
		    &e->launch->filter, asked.number, asked.args, &why);
		r = sup_sys_notify_refuse(trace->watch.fd, asked.id, why.error);
	}
	if (r == -ENOENT)
		return true;
	if (r < 0) {
		give_up(e, "answering a refused system call", -r);
		return false;
	}
	/* Before, it is the probes of the confinement that were refused. */
	if (e->facts.ran)
		sup_trace_note(&trace->rows, asked.number, &why);
	return true;
}

static void
ready(struct sup_watch *watch, uint32_t events)
{
	struct weir_execution *e = watch->owner;

	/* The last process under the filter is gone; it would be said for
	 * ever. */
	if ((events & EPOLLIN) == 0) {
		sup_loop_remove(&e->weir->loop, watch);
		return;
	}
	/* KERNEL: reading the listener blocks when nobody asks. After poll(2)
	 * has seen somebody it does not, also when that one has gone. */
	for (size_t i = 0; i < TURN; i++)
		if (!answer(e) || !sup_sys_notify_waits(watch->fd))
			return;
}

void
sup_exec_trace_adopt(void *arg, int fd)
{
	struct weir_execution *e = arg;
	struct wire_errinfo info = {"listening to refused system calls", 0, 0};
	struct sup_watch *watch = &e->trace->watch;
	int r = sup_sys_notify_check();

	*watch = (struct sup_watch){
	    .fd = fd, .events = EPOLLIN, .ready = ready, .owner = e};
	if (r == 0 && sup_loop_add(&e->weir->loop, watch, &info) == WIRE_OK)
		return;
	give_up(e, info.site, r < 0 ? -r : info.sys);
}

void
sup_exec_trace_finish(struct weir_execution *e)
{
	struct sup_exec_trace *trace = e->trace;

	if (trace == NULL || !e->facts.ran)
		return;
	if (sup_trace_format(&trace->rows, trace->text, sizeof(trace->text),
		&trace->text_len) != WIRE_OK)
		trace->text_len = 0;
}
