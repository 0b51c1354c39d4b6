#include "supervisor/exec.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "supervisor/exec_begin.h"
#include "supervisor/exec_io.h"
#include "supervisor/exec_ledger.h"
#include "supervisor/exec_mcp.h"
#include "supervisor/exec_memory.h"
#include "supervisor/exec_tools.h"
#include "supervisor/exec_trace.h"
#include "supervisor/exec_tree.h"
#include "supervisor/result.h"
#include "supervisor/sys.h"

/* How long tools may take to end after their execution; what is left then is
 * abandoned, and its calls are recorded as unknown (S2: the result arrives
 * within limit + grace + 1 s). */
#define SETTLE_NS (SUP_NS_PER_S / 2)
/* How long process 1 may take for the end of a tree that does not end with
 * it. */
#define TREE_NS (SUP_NS_PER_S / 2)

/* Within so many warnings and so many bytes of them. */
static __attribute__((format(printf, 4, 0))) void
add_warning(struct weir_execution *e, size_t count_max, size_t text_max,
    const char *format, va_list args)
{
	size_t room =
	    e->warning_text_len < text_max ? text_max - e->warning_text_len : 0;
	char *at = e->warning_text + e->warning_text_len;
	int n = vsnprintf(at, room, format, args);

	if (n < 0 || (size_t)n >= room || e->warning_count >= count_max) {
		e->warnings_left_out++;
		return;
	}
	e->warnings[e->warning_count++] = at;
	e->warning_text_len += (size_t)n + 1;
}

void
sup_exec_warn(struct weir_execution *execution, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	add_warning(execution, SUP_WARNINGS, SUP_WARNING_TEXT, format, args);
	va_end(args);
}

void
sup_exec_warn_of(struct weir_execution *execution, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	add_warning(
	    execution, SUP_WARNINGS / 2, SUP_WARNING_TEXT / 2, format, args);
	va_end(args);
}

/* In the room that is kept for this. */
static void
warn_of_warnings(struct weir_execution *e)
{
	char *at = e->warning_text + e->warning_text_len;

	if (e->warnings_left_out == 0)
		return;
	(void)snprintf(at, sizeof(e->warning_text) - e->warning_text_len,
	    "%u more warnings were left out", e->warnings_left_out);
	e->warnings[e->warning_count++] = at;
}

/* A raw string or value with what quotes it, into the copy's text. */
static struct wire_span
keep_span(struct weir_execution *execution, struct wire_span span)
{
	uint8_t *at = execution->done_text + execution->done_text_len;

	if (span.p == NULL)
		return span;
	memcpy(at, span.p, span.len);
	execution->done_text_len += span.len;
	return (struct wire_span){at, span.len};
}

bool
sup_exec_keep_done(
    struct weir_execution *execution, const struct wire_done *done)
{
	size_t len = done->value.len + done->message.len + done->traceback.len;

	for (size_t i = 0; i < done->warning_count; i++)
		len += done->warnings[i].len;
	execution->done_text = malloc(len + 1);
	if (execution->done_text == NULL)
		return false;
	execution->done = *done;
	execution->done.value = keep_span(execution, done->value);
	execution->done.message = keep_span(execution, done->message);
	execution->done.traceback = keep_span(execution, done->traceback);
	for (size_t i = 0; i < done->warning_count; i++)
		execution->done.warnings[i] =
		    keep_span(execution, done->warnings[i]);
	execution->facts.done = &execution->done;
	return true;
}

void
sup_exec_arm(struct weir_execution *execution)
{
	uint64_t at = execution->deadline_ns;
	uint64_t look = sup_exec_memory_next(execution);
	uint64_t tree = sup_exec_tree_next(execution);

	if (look < at)
		at = look;
	if (tree < at)
		at = tree;
	if (execution->tools != NULL) {
		uint64_t tool = bind_session_deadline(execution->tools);

		if (tool < at)
			at = tool;
	}
	if (at == UINT64_MAX)
		at = 0;
	if (execution->timer_watch.fd < 0 || at == execution->armed_ns)
		return;
	if (sup_sys_timerfd_set(execution->timer_watch.fd, at) == 0)
		execution->armed_ns = at;
}

struct run_frame {
	struct weir_execution *execution;
	const struct wire_span *names;
	size_t count;
	uint64_t left[WIRE_LEFTS];
};

static void
fill_run(struct wire_out *out, const void *arg)
{
	const struct run_frame *f = arg;
	const struct weir_execution *e = f->execution;

	wire_msg_encode_run(out,
	    (struct wire_span){(const uint8_t *)e->program, e->program_len},
	    f->names, f->count, e->terms.child_frame_max,
	    e->terms.limits[SUP_LIMIT_VALUE],
	    e->terms.limits[SUP_LIMIT_ARGUMENT_BYTES], f->left);
}

void
sup_exec_note_setup(struct weir_execution *e, const struct wire_errinfo *info)
{
	e->facts.setup_site = info->site;
	e->facts.setup_errno = info->sys != 0 ? info->sys : ENOMEM;
}

const struct bind_catalogue *
sup_exec_catalogue(const struct weir_execution *e)
{
	return e->catalogue != NULL ? e->catalogue : e->weir->catalogue;
}

size_t
sup_exec_run_max(const struct weir_execution *e)
{
	const struct bind_catalogue *catalogue = sup_exec_catalogue(e);
	/* What JSON makes of a byte at most: six, as in \u0000. */
	size_t max = e->program_len * 6 + WIRE_FRAME_SLACK;
	size_t count = bind_catalogue_count(catalogue);

	for (size_t i = 0; i < count; i++)
		max += bind_catalogue_at(catalogue, i)->name_len * 6 + 4;
	return max;
}

static void
send_run(struct weir_execution *e)
{
	size_t count = bind_session_offered(e->tools);
	struct wire_span *names = calloc(count + 1, sizeof(*names));
	struct run_frame frame = {e, names, 0, {0}};
	struct wire_msg msg = {.type = WIRE_MSG_RUN};
	struct wire_errinfo info = {"sending the program", 0, 0};
	size_t max = sup_exec_run_max(e);

	for (size_t i = 0; names != NULL && i < count; i++) {
		const struct bind_tool *tool =
		    bind_catalogue_at(sup_exec_catalogue(e), i);

		if (bind_session_offers(e->tools, tool))
			names[frame.count++] =
			    (struct wire_span){tool->name, tool->name_len};
	}
	bind_budget_left(bind_session_budget(e->tools), frame.left);
	e->run_ns = sup_sys_now();
	if (names == NULL || sup_exec_ledger_opened(e, &info) != WIRE_OK ||
	    sup_chan_send(&e->chan, max, fill_run, &frame, &info) != WIRE_OK ||
	    wire_session_step(&e->chan.session, &msg) != WIRE_OK) {
		sup_exec_note_setup(e, &info);
		(void)sup_sys_signal(e->child.pidfd, e->child.pid, SIGKILL);
	} else {
		e->facts.ran = true;
	}
	free(names);
}

static void
fill_abort(struct wire_out *out, const void *arg)
{
	const struct weir_execution *e = arg;

	wire_msg_encode_abort(out,
	    (struct wire_span){
		(const uint8_t *)e->refusal, strlen(e->refusal)});
}

static void
collect(struct weir_execution *e)
{
	e->ended_ns = sup_sys_now();
	/* It may have waited for servers only. */
	if (e->started_ns == 0)
		e->started_ns = e->ended_ns;
	sup_output_drain(&e->out);
	sup_output_drain(&e->err);
	if (e->tools != NULL)
		bind_session_close(e->tools);
	e->deadline_ns = e->ended_ns + SETTLE_NS;
	/* Where nothing was begun there is nothing that would wake us. */
	if (e->timer_watch.fd < 0)
		sup_loop_again(&e->weir->loop, &e->wake);
}

static void
stop_gently(struct weir_execution *e)
{
	uint64_t grace = e->terms.limits[SUP_LIMIT_GRACE];

	e->deadline_ns = sup_sys_now() + grace;
	if (e->pidfd2 >= 0 && sup_sys_signal(e->pidfd2, 0, SIGTERM) == 0)
		e->facts.termed = true;
	/* The program may be waiting for its stopped output to be read. */
	sup_output_resume(&e->out);
	sup_output_resume(&e->err);
}

/* What a program used that would not end by itself, before it is killed. */
static void
note_usage(struct weir_execution *e)
{
	uint64_t cpu_ns = e->pid2 > 0 ? sup_sys_cpu_time(e->pid2) : 0;

	if (!e->facts.exited && cpu_ns > e->facts.cpu_ns &&
	    !sup_sys_is_readable(e->pidfd2))
		e->facts.cpu_ns = cpu_ns;
}

/*
 * SECURITY: process 1 is the handle on all of it. The kernel ends every
 * process of a PID namespace whose process 1 ends, before that one can be
 * reaped (pid_namespaces(7)).
 */
static void
kill_now(struct weir_execution *e)
{
	e->deadline_ns = UINT64_MAX;
	if (sup_sys_signal(e->child.pidfd, e->child.pid, SIGKILL) == 0)
		e->facts.killed = true;
	/* It would follow anyway; so the two end side by side. */
	if (e->pidfd2 >= 0)
		(void)sup_sys_signal(e->pidfd2, 0, SIGKILL);
	sup_exec_memory_kill(e);
}

/* On the host's root process 1 ends the tree itself and clears the workspace;
 * it is only killed when it does not. */
static void
kill_tree(struct weir_execution *e)
{
	if (e->launch->stub.backend == WIRE_BACKEND_ISOLATED) {
		kill_now(e);
		return;
	}
	e->facts.killed = true;
	e->deadline_ns = sup_sys_now() + TREE_NS;
	sup_sys_shutdown(e->child.report_fd);
	/* An unconfined program may have stopped it. */
	(void)sup_sys_signal(e->child.pidfd, e->child.pid, SIGCONT);
	if (e->pidfd2 >= 0)
		(void)sup_sys_signal(e->pidfd2, 0, SIGKILL);
}

/* The first line of what trusted code said before anything was run. */
static void
note_early_text(struct weir_execution *e)
{
	size_t len = e->err.captured_len;
	const uint8_t *newline;

	if (len >= sizeof(e->early_text))
		len = sizeof(e->early_text) - 1;
	if (len > 0)
		memcpy(e->early_text, e->err.captured, len);
	newline = memchr(e->early_text, '\n', len);
	if (newline != NULL)
		len = (size_t)(newline - (const uint8_t *)e->early_text);
	e->early_text[len] = '\0';
	e->facts.early_text = e->early_text;
}

/* What of a stream could not be had is never lost in silence. */
static void
note_stream(
    struct weir_execution *e, const struct sup_output *output, const char *name)
{
	if (output->is_short)
		sup_exec_warn(e,
		    "%s: memory is short on the host; less was captured than "
		    "the limit allows",
		    name);
	if (output->error == 0)
		return;
	sup_exec_warn(e,
	    "%s: reading it failed on the host: %s; the rest is "
	    "lost",
	    name, strerror(output->error));
	/* The program may have failed for it. */
	if (e->facts.setup_site == NULL) {
		e->facts.cause = SUP_EVENT_FAILED;
		sup_exec_note_setup(e,
		    &(struct wire_errinfo){
			"reading the program's output", output->error, 0});
	}
}

static void
finish(struct weir_execution *e)
{
	if (!e->facts.ran)
		note_early_text(e);
	sup_exec_close_tools(e);
	e->deadline_ns = UINT64_MAX;
	sup_exec_close_io(e);
	sup_exec_memory_end(e);
	sup_exec_remove_workspace(e);
	if (sup_exec_may_go_on(e)) {
		sup_exec_go_on(e);
		return;
	}
	sup_exec_warn_refused(e);
	if (!e->evidence.ready)
		sup_grades_derive(&e->evidence, &e->grades);
	note_stream(e, &e->out, "stdout");
	note_stream(e, &e->err, "stderr");
	if (e->chan.fds_closed > 0)
		sup_exec_warn(e,
		    "the program sent %u descriptors along with its frames; "
		    "they were closed",
		    e->chan.fds_closed);
	sup_exec_mcp_end(e);
	sup_verdict_reach(&e->facts, &e->verdict);
	sup_exec_trace_finish(e);
	sup_exec_ledger_closed(e);
	warn_of_warnings(e);
	sup_result_build(e);
	if (e->events.finished != NULL)
		e->events.finished(e->events.arg, e);
}

/*
 * What was promised at the start must still hold at the end (S10), whatever
 * the end is; and what was used is read while there is something to read.
 */
static void
observe_end(struct weir_execution *e)
{
	struct sup_evidence now = e->evidence;
	struct sup_grades promised;
	uint64_t cpu_ns;

	/* An unconfined program may change what it likes: nothing was
	 * promised. */
	if (!e->facts.ran || e->facts.exited || e->pid2 <= 0 ||
	    e->terms.unconfined || !sup_terms_are_strict(&e->terms))
		return;
	sup_evidence_observe(&now, e->pid2);
	sup_exec_memory_observe(e, &now.memory);
	cpu_ns = sup_sys_cpu_time(e->pid2);
	/* Nothing contradicts when it has ended in between, or its number
	 * might be another's by now. */
	if (!now.status.read || !now.limits_read ||
	    sup_sys_is_readable(e->pidfd2))
		return;
	if (cpu_ns > e->facts.cpu_ns)
		e->facts.cpu_ns = cpu_ns;
	e->facts.cpu_raised =
	    sup_evidence_cpu_raised(&now, now.soft[WIRE_LIMIT_CPU]);
	if (now.status.peak_kb > e->peak_kb)
		e->peak_kb = now.status.peak_kb;
	/* That is no contradiction; the hard one never moves. */
	if (e->facts.cpu_raised)
		now.want_soft[WIRE_LIMIT_CPU] = now.soft[WIRE_LIMIT_CPU];
	if (sup_evidence_is_same(&e->evidence, &now))
		return;
	promised = e->grades;
	sup_grades_derive(&now, &e->grades);
	if (sup_grades_refuse(&e->grades, &now, e->terms.level, e->refusal,
		sizeof(e->refusal)) ||
	    sup_grades_fell(
		&promised, &e->grades, e->refusal, sizeof(e->refusal))) {
		e->facts.refusal = e->refusal;
		e->facts.evidence_broken = true;
	}
}

static void
perform(struct weir_execution *e, unsigned actions)
{
	if ((actions & SUP_DO_SEND_RUN) != 0)
		send_run(e);
	if ((actions & SUP_DO_SEND_ABORT) != 0)
		(void)!sup_chan_send(&e->chan,
		    sizeof(e->refusal) * 6 + WIRE_KIB, fill_abort, e, NULL);
	if ((actions & SUP_DO_HALT) != 0) {
		sup_exec_memory_note(e);
		observe_end(e);
		sup_exec_tree_note(e);
		sup_chan_stop(&e->chan);
		if (e->tools != NULL)
			bind_session_halt(e->tools, WIRE_TOOL_CANCELLED);
	}
	if ((actions & SUP_DO_TERM) != 0)
		stop_gently(e);
	if ((actions & SUP_DO_KILL) != 0) {
		note_usage(e);
		kill_tree(e);
	}
	if ((actions & SUP_DO_KILL_NOW) != 0)
		kill_now(e);
	if ((actions & SUP_DO_COLLECT) != 0)
		collect(e);
	if ((actions & SUP_DO_BEGIN) != 0)
		sup_exec_mcp_go(e);
	sup_exec_arm(e);
	if ((actions & SUP_DO_FINISH) != 0)
		finish(e); /* may free e */
}

/* Whether this state still decides how the execution ends. */
static bool
is_open(enum sup_exec_state state)
{
	return state == SUP_EXEC_GATHERING || state == SUP_EXEC_STARTING ||
	    state == SUP_EXEC_RUNNING;
}

void
sup_exec_event(struct weir_execution *e, enum sup_exec_event event)
{
	struct sup_exec_step step = sup_exec_next(e->state, event);

	if (step.next == e->state && step.actions == 0)
		return;
	/* The first decision stands, whatever comes after it. */
	if (is_open(e->state) && !is_open(step.next))
		e->facts.cause = event;
	e->state = step.next;
	perform(e, step.actions);
}

void
sup_exec_reset(struct weir_execution *e)
{
	e->child = SUP_CHILD_NONE;
	e->memory = SUP_EXEC_MEMORY_NONE;
	e->pid2 = 0;
	e->pidfd2 = -1;
	e->chan.watch.fd = e->out.watch.fd = e->err.watch.fd = -1;
	e->pid_watch.fd = e->timer_watch.fd = e->wake.fd = -1;
	e->report_watch.fd = e->sync.fd = -1;
	e->launched = e->is_clearing = false;
	e->deadline_ns = UINT64_MAX;
	e->armed_ns = 0;
	e->state = SUP_EXEC_STARTING;
	memset(&e->evidence, 0, sizeof(e->evidence));
	memset(&e->facts, 0, sizeof(e->facts));
	e->evidence.host = e->weir->namespaces;
	e->evidence.host_uid = geteuid();
	e->evidence.foreign_fd = -1;
	bind_record_list_init(&e->record);
}

void
sup_exec_destroy(struct weir_execution *e)
{
	sup_exec_reap(e);
	bind_session_free(e->tools);
	sup_exec_mcp_end(e);
	sup_exec_close_io(e);
	sup_exec_trace_free(e);
	sup_exec_memory_end(e);
	sup_exec_remove_workspace(e);
	sup_output_release(&e->out);
	sup_output_release(&e->err);
	if (e->launch != NULL)
		sup_launch_release(e->launch);
	bind_ledger_free(e->to_ledger.ledger);
	free(e->launch);
	free(e->program);
	free(e->done_text);
	free(e->result);
	free(e->traceback);
	free(e->message);
	free(e);
}
