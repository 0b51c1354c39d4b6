#include "supervisor/exec_io.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

#include "supervisor/exec_ledger.h"
#include "supervisor/exec_memory.h"
#include "supervisor/exec_tools.h"
#include "supervisor/exec_trace.h"
#include "supervisor/exec_tree.h"
#include "supervisor/narrow.h"
#include "supervisor/sys.h"

/*
 * --- the stub's records --------------------------------------------------
 *
 * They are read when they are needed: at `ready`, and when process 1 has
 * ended, which it does right after its last record. So a start is not woken
 * for each. Where process 1 has to clear the workspace after that, its records
 * are read as they come.
 */

/* How long it may take to clear the workspace; the rest is left to a guardian
 * and to the next start. */
#define CLEAR_NS (10 * SUP_NS_PER_S)

/* proc(5), /proc/PID/fdinfo: "Pid:" of a pidfd, in our PID namespace. */
static pid_t
pid_behind(int pidfd)
{
	char path[64], text[1024];
	const char *line;

	(void)snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", pidfd);
	(void)sup_sys_read_text(path, text, sizeof(text));
	line = strstr(text, "\nPid:");
	return line != NULL ? (pid_t)strtol(line + 5, NULL, 10) : 0;
}

static void
take_report(struct weir_execution *e, const struct wire_report *report, int *fd)
{
	uint64_t used_ns;

	switch ((enum wire_report_code)report->code) {
	case WIRE_REPORT_FAILED:
		e->facts.failed = *report;
		sup_exec_event(e, SUP_EVENT_FAILED);
		break;
	case WIRE_REPORT_LAUNCHED:
		e->launched = true;
		e->evidence.mounts = report->mounts;
		e->evidence.links = report->links;
		e->evidence.links_up = report->links_up;
		e->evidence.subreaper = report->detail == 1;
		e->pidfd2 = *fd;
		*fd = -1;
		e->pid2 = pid_behind(e->pidfd2);
		break;
	case WIRE_REPORT_WORKSPACE:
		sup_sys_close(&e->memory.watch.quota_fd);
		e->memory.watch.quota_fd = *fd;
		*fd = -1;
		break;
	case WIRE_REPORT_EXITED:
		e->facts.exited = true;
		e->facts.wait_status = report->wait_status;
		used_ns = (report->user_us + report->system_us) * 1000;
		/* Of a tree more may have been seen than it says. */
		if (e->evidence.processes == 0 || used_ns > e->facts.cpu_ns)
			e->facts.cpu_ns = used_ns;
		/* An unconfined program may raise it itself. */
		e->facts.cpu_raised = !e->terms.unconfined &&
		    sup_evidence_cpu_raised(&e->evidence, report->detail);
		if (report->max_rss_kb > e->peak_kb)
			e->peak_kb = report->max_rss_kb;
		/* An answer that was written before the exit came first. */
		sup_chan_drain(&e->chan);
		sup_exec_event(e, SUP_EVENT_EXITED);
		break;
	case WIRE_REPORT_EXCEEDED:
		if (report->detail < WIRE_EXCEEDED_COUNT) {
			e->facts.exceeded = (enum wire_exceeded)report->detail;
			sup_exec_event(e, SUP_EVENT_EXCEEDED);
		}
		break;
	case WIRE_REPORT_CODES:
		break;
	}
}

bool
sup_exec_take_reports(struct weir_execution *e)
{
	for (;;) {
		uint8_t bytes[sizeof(struct wire_report) + 1];
		struct wire_report report;
		unsigned closed = 0;
		int fd = -1;
		ssize_t n = sup_sys_recv(
		    e->child.report_fd, bytes, sizeof(bytes), &fd, &closed);

		if (n > 0 &&
		    wire_report_check((struct wire_span){bytes, (size_t)n},
			&report) == WIRE_OK)
			take_report(e, &report, &fd);
		sup_sys_close(&fd);
		/* KERNEL: a stub that failed before it read its `go` leaves
		 * ECONNRESET in front of its last record (unix(7)). */
		if (n <= 0 && n != -ECONNRESET)
			return n == -EAGAIN;
	}
}

/* --- the end of process 1, and time -------------------------------------- */

static void
pid_ready(struct sup_watch *watch, uint32_t events)
{
	struct weir_execution *e = watch->owner;
	siginfo_t info;

	(void)events;
	/* What it reported before it ended, while its id is still ours. */
	(void)sup_exec_take_reports(e);
	if (sup_sys_reap(e->child.pidfd, &info) == 0)
		return;
	sup_loop_remove(&e->weir->loop, watch);
	/* Before anything was sent to it, so that it was not us. */
	if (e->state == SUP_EXEC_STARTING && info.si_code != CLD_EXITED)
		e->facts.gone_signal = info.si_status;
	sup_chan_drain(&e->chan);
	sup_sys_close(&e->child.pidfd);
	sup_exec_event(e, SUP_EVENT_GONE);
}

/* On the host's root process 1 clears the workspace after its last record. All
 * that could run has ended by then, and the host need not wait for it. */
static bool
is_clearing(struct weir_execution *e, uint64_t now)
{
	if (e->state != SUP_EXEC_KILLING || e->is_clearing)
		return false;
	(void)sup_exec_take_reports(e);
	if (!e->facts.exited)
		return false;
	e->is_clearing = true;
	e->deadline_ns = now + CLEAR_NS;
	return true;
}

static void
timer_ready(struct sup_watch *watch, uint32_t events)
{
	static const enum sup_exec_event over[SUP_EXEC_STATES] = {
	    [SUP_EXEC_STARTING] = SUP_EVENT_READY_LATE,
	    [SUP_EXEC_RUNNING] = SUP_EVENT_WALL_OVER,
	    [SUP_EXEC_STOPPING] = SUP_EVENT_GRACE_OVER,
	    [SUP_EXEC_KILLING] = SUP_EVENT_GRACE_OVER,
	};
	struct weir_execution *e = watch->owner;
	uint64_t now = sup_sys_now(), count;

	(void)events;
	(void)sup_sys_read(watch->fd, &count, sizeof(count));
	e->armed_ns = 0;
	if (e->tools != NULL)
		bind_session_tick(e->tools, now);
	if (sup_exec_memory_look(e, now))
		sup_exec_event(e, SUP_EVENT_MEMORY_OVER);
	else if (sup_exec_tree_look(e, now))
		sup_exec_event(e, SUP_EVENT_EXCEEDED);
	else if (now >= e->deadline_ns && over[e->state] != SUP_EVENT_NONE &&
	    !is_clearing(e, now))
		sup_exec_event(e, over[e->state]);
	/* Also after what no longer matters: the deadline stands. */
	if (e->state != SUP_EXEC_SETTLING)
		sup_exec_arm(e);
}

void
sup_exec_woken(struct sup_watch *watch, uint32_t events)
{
	(void)watch;
	(void)events;
}

static enum wire_err
watch(struct weir_execution *e, struct sup_watch *w, int fd,
    void (*ready)(struct sup_watch *, uint32_t), struct wire_errinfo *info)
{
	w->fd = fd;
	w->events = EPOLLIN;
	w->ready = ready;
	w->owner = e;
	return sup_loop_add(&e->weir->loop, w, info);
}

/* --- frames --------------------------------------------------------------- */

static void
report_came(struct sup_watch *watch, uint32_t events)
{
	struct weir_execution *e = watch->owner;

	(void)events;
	if (!sup_exec_take_reports(e))
		sup_loop_remove(&e->weir->loop, watch);
}

/* The end of the program is decided when it is, and not when what it left has
 * been cleared: another limit could be over by then (S3). */
static void
watch_reports(struct weir_execution *e)
{
	struct wire_errinfo info = {"", 0, 0};

	if (e->launch->stub.backend == WIRE_BACKEND_ISOLATED ||
	    watch(e, &e->report_watch, e->child.report_fd, report_came,
		&info) == WIRE_OK)
		return;
	sup_exec_note_setup(e, &info);
	sup_exec_event(e, SUP_EVENT_FAILED);
}

/* What the child says and what the host sees is in: the host decides (C2). */
static void
decide(struct weir_execution *e)
{
	/* Armed before `run`, and read back: that is the guarantee. */
	e->deadline_ns = sup_sys_now() + e->terms.limits[SUP_LIMIT_WALL];
	sup_exec_arm(e);
	e->evidence.timer_armed = sup_sys_timerfd_armed(e->timer_watch.fd);
	if (e->pid2 > 0)
		sup_evidence_observe(&e->evidence, e->pid2);
	sup_exec_memory_ready(e);
	sup_exec_tree_ready(e);
	sup_grades_derive(&e->evidence, &e->grades);
	if (sup_terms_are_strict(&e->terms) &&
	    sup_grades_refuse(&e->grades, &e->evidence, e->terms.level,
		e->refusal, sizeof(e->refusal))) {
		e->facts.refusal = e->refusal;
		sup_exec_event(e, SUP_EVENT_REFUSED);
		return;
	}
	if ((e->terms.require & SUP_REQUIRE_LANDLOCK) != 0 &&
	    (e->evidence.landlock_abi == 0 || !e->evidence.landlock_proved)) {
		(void)snprintf(e->refusal, sizeof(e->refusal),
		    "stage landlock: the profile requires Landlock as second "
		    "layer, and it is not in force (errno %u); add landlock "
		    "to lsm= on the kernel's command line, or require nothing",
		    e->evidence.landlock_errno);
		e->facts.refusal = e->refusal;
		sup_exec_event(e, SUP_EVENT_REFUSED);
		return;
	}
	if (!e->evidence.landlock_proved &&
	    e->evidence.backend == WIRE_BACKEND_ISOLATED)
		sup_exec_warn(e,
		    "second layer: none; Landlock is not in force (errno %u)",
		    e->evidence.landlock_errno);
	sup_exec_event(e, SUP_EVENT_READY);
	if (e->state == SUP_EXEC_RUNNING)
		watch_reports(e);
}

/* Once, when the stub's record was late; without one it has ended, and that
 * is told by its pidfd. */
static void
report_ready(struct sup_watch *watch, uint32_t events)
{
	struct weir_execution *e = watch->owner;

	(void)events;
	sup_loop_remove(&e->weir->loop, watch);
	(void)sup_exec_take_reports(e);
	if (e->state == SUP_EXEC_STARTING && e->launched)
		decide(e);
}

static void
on_ready(struct weir_execution *e, const struct wire_ready *ready)
{
	struct wire_errinfo info = {"", 0, 0};
	const char *problem = NULL;

	(void)sup_exec_take_reports(e);
	(void)snprintf(e->python, sizeof(e->python), "%.*s",
	    (int)ready->python.len, (const char *)ready->python.p);
	if (!sup_evidence_ready(&e->evidence, e->launch, ready, &problem)) {
		(void)snprintf(e->refusal, sizeof(e->refusal), "%s", problem);
		e->facts.refusal = e->refusal;
		sup_exec_event(e, SUP_EVENT_REFUSED);
	} else if (!sup_exec_trace_is_on(e)) {
		(void)snprintf(e->refusal, sizeof(e->refusal),
		    "stage seccomp: the filter has no listener, and what it "
		    "refuses cannot be traced");
		e->facts.refusal = e->refusal;
		sup_exec_event(e, SUP_EVENT_REFUSED);
	} else if (e->state == SUP_EXEC_STARTING && e->launched) {
		decide(e);
	} else if (e->state == SUP_EXEC_STARTING &&
	    watch(e, &e->report_watch, e->child.report_fd, report_ready,
		&info) != WIRE_OK) {
		/* On a host under load process 1 may get no time between the
		 * interpreter's start and all that it does until here. */
		sup_exec_note_setup(e, &info);
		sup_exec_event(e, SUP_EVENT_FAILED);
	}
}

static void
on_message(void *arg, const struct wire_msg *msg)
{
	struct weir_execution *e = arg;

	switch (msg->type) {
	case WIRE_MSG_READY:
		on_ready(e, &msg->u.ready);
		break;
	case WIRE_MSG_CALL:
		bind_session_call(e->tools, &msg->u.call);
		sup_exec_arm(e);
		break;
	case WIRE_MSG_DONE:
		if (!sup_exec_keep_done(e, &msg->u.done)) {
			sup_exec_note_setup(e,
			    &(struct wire_errinfo){"keeping the answer", 0, 0});
			sup_exec_event(e, SUP_EVENT_FAILED);
			break;
		}
		sup_exec_event(e, SUP_EVENT_DONE);
		break;
	case WIRE_MSG_RUN:
	case WIRE_MSG_ABORT:
	case WIRE_MSG_REPLY:
	case WIRE_MSG_TYPES:
		break; /* the channel takes none of these from a child */
	}
}

static void
on_channel_end(void *arg, enum wire_err err, const struct wire_errinfo *info)
{
	struct weir_execution *e = arg;

	/* A closed channel decides nothing: the program may go on without
	 * one, and its exit is what ends it. */
	if (err == WIRE_ERR_CLOSED)
		return;
	/* The program is not to blame for what is ours. */
	if (err == WIRE_ERR_NO_MEMORY || err == WIRE_ERR_SYSTEM) {
		sup_exec_note_setup(e, info);
		sup_exec_event(e, SUP_EVENT_FAILED);
		return;
	}
	e->facts.violation = err;
	e->facts.violation_site = info->site;
	e->facts.violation_offset = info->offset;
	sup_exec_event(e, SUP_EVENT_VIOLATION);
}

static void
on_full(void *arg, bool is_full)
{
	struct weir_execution *e = arg;

	if (e->tools == NULL)
		return;
	if (is_full)
		bind_session_pause(e->tools);
	else
		bind_session_resume(e->tools);
}

/* --- streams -------------------------------------------------------------- */

static bool
to_stdout(void *arg, const uint8_t *bytes, size_t len)
{
	struct weir_execution *e = arg;

	return e->events.output(e->events.arg, WEIR_STDOUT, bytes, len);
}

static bool
to_stderr(void *arg, const uint8_t *bytes, size_t len)
{
	struct weir_execution *e = arg;

	return e->events.output(e->events.arg, WEIR_STDERR, bytes, len);
}

static enum wire_err
open_streams(struct weir_execution *e, struct wire_errinfo *info)
{
	const uint64_t *limits = e->terms.limits;
	bool sink = e->events.output != NULL;
	enum wire_err err;

	err = sup_output_open(&e->out, &e->weir->loop, e->child.stdout_fd,
	    limits[SUP_LIMIT_STDOUT], limits[SUP_LIMIT_PREVIEW],
	    sink ? to_stdout : NULL, e, info);
	if (err != WIRE_OK)
		return err;
	e->child.stdout_fd = -1; /* the stream's now */
	err = sup_output_open(&e->err, &e->weir->loop, e->child.stderr_fd,
	    limits[SUP_LIMIT_STDERR], limits[SUP_LIMIT_PREVIEW],
	    sink ? to_stderr : NULL, e, info);
	if (err == WIRE_OK)
		e->child.stderr_fd = -1;
	return err;
}

enum wire_err
sup_exec_open_io(struct weir_execution *e, struct wire_errinfo *info)
{
	const struct wire_frame_limits limits = {
	    .frame_max = e->terms.child_frame_max,
	    .bytes_max = e->terms.child_bytes_max,
	    .lines_max = WIRE_MAX_LINES,
	    .blanks_max = WIRE_MAX_BLANKS,
	};
	const struct sup_chan_handler handler = {
	    .arg = e,
	    .message = on_message,
	    .ended = on_channel_end,
	    .full = on_full,
	    .descriptor = e->trace != NULL ? sup_exec_trace_adopt : NULL,
	};
	enum wire_err err;
	int timer = sup_sys_timerfd();

	if (timer < 0) {
		*info = (struct wire_errinfo){"timerfd_create", -timer, 0};
		return WIRE_ERR_SYSTEM;
	}
	err = watch(e, &e->timer_watch, timer, timer_ready, info);
	if (err == WIRE_OK)
		err = watch(e, &e->pid_watch, e->child.pidfd, pid_ready, info);
	if (err == WIRE_OK)
		err = open_streams(e, info);
	if (err == WIRE_OK)
		err = sup_chan_open(&e->chan, &e->weir->loop,
		    e->child.channel_fd, &limits, &handler, info);
	if (err == WIRE_OK)
		e->child.channel_fd = -1; /* the channel's now */
	return err;
}

void
sup_exec_close_io(struct weir_execution *e)
{
	struct sup_loop *loop = &e->weir->loop;

	sup_loop_remove(loop, &e->pid_watch);
	sup_loop_remove(loop, &e->timer_watch);
	sup_loop_remove(loop, &e->report_watch);
	sup_loop_remove(loop, &e->sync);
	sup_loop_remove(loop, &e->wake);
	sup_sys_close(&e->timer_watch.fd);
	sup_chan_close(&e->chan);
	sup_exec_trace_close(e);
	sup_output_stop(&e->out);
	sup_output_stop(&e->err);
	sup_sys_close(&e->pidfd2);
	sup_child_close(&e->child);
	e->pid_watch.fd = -1;
}
