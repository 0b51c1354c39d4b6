#include "bindings/provider_command.h"

#include <stdlib.h>
#include <string.h>

#include "bindings/command_next.h"
#include "bindings/command_verdict.h"
#include "bindings/intake.h"
#include "bindings/spawn.h"
#include "bindings/sys.h"
#include "bindings/text.h"
#include "wire/report.h"

/* Our end of something that the loop watches once it stands. */
struct end {
	struct bind_watch watch; /* fd -1: closed */
	bool watched;
};

struct job {
	struct bind_job *job;
	enum bind_command_state state;
	struct end in, out, err, report, guardian;
	pid_t pid;
	size_t sent;		  /* of the arguments and their newline */
	struct bind_intake value; /* stdout */
	struct bind_tail tail;	  /* stderr */
	struct bind_command_facts facts;
	bool clean; /* the guardian saw the tree empty */
};

static void step(struct job *j, enum bind_command_event event);

/* --- descriptors and watches -------------------------------------------- */

static void
close_end(struct job *j, struct end *end)
{
	const struct bind_loop *loop = j->job->loop;

	if (end->watched)
		loop->unwatch(loop->arg, &end->watch);
	end->watched = false;
	bind_sys_close(&end->watch.fd);
}

static enum wire_err
watch_end(struct job *j, struct end *end, unsigned events)
{
	const struct bind_loop *loop = j->job->loop;
	enum wire_err err = loop->watch(loop->arg, &end->watch, events);

	end->watched = err == WIRE_OK;
	return err;
}

/* All but the guardian's pidfd. */
static void
close_streams(struct job *j)
{
	close_end(j, &j->in);
	close_end(j, &j->out);
	close_end(j, &j->err);
	close_end(j, &j->report);
}

static void
free_job(struct job *j)
{
	close_streams(j);
	close_end(j, &j->guardian);
	bind_intake_release(&j->value);
	free(j);
}

/* --- the answer --------------------------------------------------------- */

static void
stop(struct job *j, enum wire_tool_kind kind, const char *words)
{
	if (j->facts.stop == WIRE_TOOL_NONE) {
		j->facts.stop = kind;
		j->facts.stop_words = words;
	}
	step(j, BIND_COMMAND_STOP);
}

static void
answer(struct job *j)
{
	uint8_t buf[BIND_COMMAND_WORDS_LEN];
	struct bind_outcome outcome = {0};
	struct bind_text text;

	j->facts.has_output = j->value.len > 0;
	j->facts.stderr_tail = (struct wire_span){j->tail.bytes, j->tail.len};
	bind_text_init(&text, buf, sizeof(buf));
	outcome.kind = bind_command_verdict(&j->facts, &text);
	outcome.message = bind_text_span(&text);
	outcome.value = (struct wire_span){j->value.p, j->value.len};
	outcome.end_seen = j->facts.reported || j->clean;
	close_streams(j);
	j->job->done(j->job, &outcome);
}

/* --- the three streams -------------------------------------------------- */

/* Writes what the pipe takes: -EAGAIN when there is more, 0 when there is
 * nothing more to do, or why it cannot be done. */
static ssize_t
write_arguments(struct job *j)
{
	struct wire_span arguments = j->job->arguments;
	size_t left = BIND_TURN_MAX;

	while (left > 0 && j->sent <= arguments.len) {
		const uint8_t *p = (const uint8_t *)"\n";
		size_t len = 1;
		ssize_t n;

		if (j->sent < arguments.len) {
			p = arguments.p + j->sent;
			len = arguments.len - j->sent;
		}
		n = bind_sys_write_pipe(
		    j->in.watch.fd, p, len < left ? len : left);
		/* A command need not read its stdin. */
		if (n < 0)
			return n == -EPIPE ? 0 : n;
		j->sent += (size_t)n;
		left -= (size_t)n;
	}
	return j->sent > arguments.len ? 0 : -EAGAIN;
}

static void
in_ready(void *arg, unsigned events)
{
	struct job *j = arg;
	ssize_t n = write_arguments(j);

	(void)events;
	if (n == -EAGAIN)
		return;
	close_end(j, &j->in);
	if (n < 0)
		stop(
		    j, WIRE_TOOL_FAILED, "the host cannot write its arguments");
}

static bool
may_hold_more(struct job *j)
{
	size_t more = 0;

	if (j->job->more != NULL)
		more = j->job->more(j->job, j->value.max);
	if (more <= j->value.max)
		return false;
	j->value.max = more;
	return true;
}

static void
out_ready(void *arg, unsigned events)
{
	struct job *j = arg;
	enum bind_intake_result r =
	    bind_intake_read(&j->value, j->out.watch.fd);

	(void)events;
	if (r == BIND_INTAKE_OVER && may_hold_more(j))
		return;
	if (r == BIND_INTAKE_OVER) {
		stop(j, j->job->over,
		    j->job->over == WIRE_TOOL_RESULT_TOO_LARGE
			? "stopped while it wrote more than result_bytes"
			: "stopped while it wrote more than can be kept "
			  "(kept_bytes)");
	} else if (r == BIND_INTAKE_NO_MEMORY) {
		stop(j, WIRE_TOOL_FAILED, "the host has no memory");
	} else if (r == BIND_INTAKE_FAILED) {
		stop(j, WIRE_TOOL_FAILED, "the host cannot read its output");
	} else if (r != BIND_INTAKE_MORE) {
		if (r == BIND_INTAKE_END)
			close_end(j, &j->out);
		if (j->state != BIND_COMMAND_RUNNING)
			step(j, BIND_COMMAND_QUIET);
	}
}

static void
err_ready(void *arg, unsigned events)
{
	struct job *j = arg;

	(void)events;
	if (bind_tail_read(&j->tail, j->err.watch.fd) == BIND_INTAKE_END)
		close_end(j, &j->err);
}

/* --- the guardian ------------------------------------------------------- */

/* A report that one can go by. */
static bool
is_report(struct wire_span bytes, struct wire_report *ret_report)
{
	struct wire_report report;

	if (wire_report_check(bytes, &report) != WIRE_OK)
		return false;
	if (report.code != WIRE_REPORT_EXITED &&
	    report.code != WIRE_REPORT_FAILED)
		return false;
	*ret_report = report;
	return true;
}

static void
report_ready(void *arg, unsigned events)
{
	struct job *j = arg;
	uint8_t buf[sizeof(struct wire_report) + 1];
	ssize_t n = bind_sys_recv(j->report.watch.fd, buf, sizeof(buf));

	(void)events;
	if (n == -EAGAIN)
		return;
	/* One record is all there is. Without it, the closed lifeline brings
	 * about the guardian's end, and that tells the rest. */
	close_end(j, &j->report);
	if (n <= 0 || (size_t)n > sizeof(buf))
		return;
	if (!is_report((struct wire_span){buf, (size_t)n}, &j->facts.report))
		return;
	j->facts.reported = true;
	step(j,
	    j->facts.report.code == WIRE_REPORT_EXITED ? BIND_COMMAND_EXITED
						       : BIND_COMMAND_FAILED);
}

static void
guardian_ready(void *arg, unsigned events)
{
	struct job *j = arg;

	(void)events;
	/* Its report may be read in the same turn, but after this. */
	if (j->state == BIND_COMMAND_RUNNING && j->report.watch.fd >= 0)
		report_ready(j, BIND_EVENT_READ);
	if (bind_sys_reap(j->guardian.watch.fd, false, &j->clean) == 0)
		return;
	close_end(j, &j->guardian);
	step(j, BIND_COMMAND_REAPED);
}

/* Reads on where an end of stdout was met before. */
static void
drain(struct job *j)
{
	if (j->err.watch.fd >= 0)
		err_ready(j, BIND_EVENT_READ);
	if (j->out.watch.fd >= 0)
		out_ready(j, BIND_EVENT_READ);
	else
		step(j, BIND_COMMAND_QUIET);
}

static void
step(struct job *j, enum bind_command_event event)
{
	struct bind_command_step s = bind_command_next(j->state, event);
	struct bind_job *job = j->job;

	WIRE_BUG_IF(s.actions == 0);
	j->state = s.next;
	if ((s.actions & BIND_COMMAND_DO_KILL) != 0)
		close_streams(j);
	if ((s.actions & BIND_COMMAND_DO_DRAIN) != 0) {
		drain(j);
		return; /* which has taken further steps */
	}
	if ((s.actions & BIND_COMMAND_DO_ANSWER) != 0)
		answer(j);
	if ((s.actions & BIND_COMMAND_DO_FREE) != 0) {
		free_job(j);
		job->gone(job);
	}
}

/* --- starting ----------------------------------------------------------- */

static int
open_streams(struct job *j, int theirs[BIND_SPAWN_FDS])
{
	int report[2];
	int r;

	r = bind_sys_pipe(&theirs[0], &j->in.watch.fd);
	if (r == 0)
		r = bind_sys_pipe(&j->out.watch.fd, &theirs[1]);
	if (r == 0)
		r = bind_sys_pipe(&j->err.watch.fd, &theirs[2]);
	if (r == 0)
		r = bind_sys_seqpacket_pair(report);
	if (r < 0)
		return r;
	j->report.watch.fd = report[0];
	theirs[3] = report[1];
	r = bind_sys_set_nonblock(j->in.watch.fd);
	if (r == 0)
		r = bind_sys_set_nonblock(j->out.watch.fd);
	if (r == 0)
		r = bind_sys_set_nonblock(j->err.watch.fd);
	return r;
}

static enum wire_err
watch_streams(struct job *j)
{
	enum wire_err err = WIRE_OK;

	/* What fits the pipe is written already, and needs no watch; what
	 * fails will fail once more, where the call can be ended. */
	if (write_arguments(j) == 0)
		close_end(j, &j->in);
	else
		err = watch_end(j, &j->in, BIND_EVENT_WRITE);
	if (err == WIRE_OK)
		err = watch_end(j, &j->out, BIND_EVENT_READ);
	if (err == WIRE_OK)
		err = watch_end(j, &j->err, BIND_EVENT_READ);
	if (err == WIRE_OK)
		err = watch_end(j, &j->report, BIND_EVENT_READ);
	return err;
}

static enum wire_err
spawn(struct job *j, const struct bind_command *command,
    const int theirs[BIND_SPAWN_FDS], struct wire_errinfo *info)
{
	struct bind_spawn spawn = {
	    .path = command->guardian,
	    .argv = command->argv,
	    .environment = command->environment,
	};
	enum wire_err err;

	memcpy(spawn.fds, theirs, sizeof(spawn.fds));
	err = bind_spawn_start(&spawn, &j->pid, &j->guardian.watch.fd, info);
	if (err != WIRE_OK)
		return err;
	err = watch_end(j, &j->guardian, BIND_EVENT_READ);
	if (err == WIRE_OK)
		return err;
	/* Not to be followed, so not to be: the closed lifeline makes the
	 * guardian end at once what it has hardly begun. */
	close_streams(j);
	(void)bind_sys_reap(j->guardian.watch.fd, true, &j->clean);
	j->facts.stop = WIRE_TOOL_FAILED;
	j->facts.stop_words = "the host cannot follow the process";
	return err;
}

static void
init_end(struct end *end, struct job *j, void (*ready)(void *, unsigned))
{
	end->watch.fd = -1;
	end->watch.ready = ready;
	end->watch.arg = j;
}

static struct job *
new_job(struct bind_job *job)
{
	struct job *j = calloc(1, sizeof(*j));

	if (j == NULL)
		return NULL;
	j->job = job;
	j->state = BIND_COMMAND_RUNNING;
	bind_intake_init(&j->value, job->result_max + BIND_RESULT_SLACK);
	init_end(&j->in, j, in_ready);
	init_end(&j->out, j, out_ready);
	init_end(&j->err, j, err_ready);
	init_end(&j->report, j, report_ready);
	init_end(&j->guardian, j, guardian_ready);
	return j;
}

static void
not_started(struct bind_job *job, const struct wire_errinfo *info)
{
	struct bind_outcome outcome = {
	    .kind = WIRE_TOOL_UNREACHABLE, .end_seen = true};
	uint8_t buf[256];
	struct bind_text text;

	bind_text_init(&text, buf, sizeof(buf));
	bind_text_add(&text, "the host cannot start a process");
	if (info->sys != 0) {
		bind_text_add(&text, ": ");
		bind_text_add(&text, bind_sys_error_text(info->sys));
	}
	outcome.message = bind_text_span(&text);
	job->done(job, &outcome);
	job->gone(job);
}

static void
start(void *tool_data, struct bind_job *job)
{
	struct wire_errinfo info = {"start", 0, 0};
	int theirs[BIND_SPAWN_FDS] = {-1, -1, -1, -1};
	struct job *j = new_job(job);
	enum wire_err err = WIRE_ERR_NO_MEMORY;

	if (j != NULL) {
		job->state = j;
		info.sys = -open_streams(j, theirs);
		err = info.sys != 0 ? WIRE_ERR_SYSTEM : watch_streams(j);
	}
	if (err == WIRE_OK)
		err = spawn(j, tool_data, theirs, &info);
	for (int i = 0; i < BIND_SPAWN_FDS; i++)
		bind_sys_close(&theirs[i]);
	if (err == WIRE_OK)
		return;
	if (j != NULL && j->facts.stop != WIRE_TOOL_NONE) {
		answer(j);
		free_job(j);
		job->gone(job);
		return;
	}
	if (j != NULL)
		free_job(j);
	not_started(job, &info);
}

static void
cancel(struct bind_job *job, enum wire_tool_kind kind)
{
	stop(job->state, kind,
	    kind == WIRE_TOOL_TIMED_OUT ? "it ran for longer than tool_time"
		: kind == WIRE_TOOL_BUDGET_SPENT
		? "it ran when the time of all calls (total_tool_time) was over"
		: "cancelled while it ran");
}

static int
ms_to_abandon(const struct bind_job *job)
{
	uint64_t now = job->loop->now_ns(job->loop->arg);

	return now < job->abandon_ns ? (int)((job->abandon_ns - now) / 1000000)
				     : 0;
}

/*
 * The closed lifeline makes the guardian kill the tree and end. One that takes
 * longer than the wait is left to it: killed, it could not finish, and its
 * tree would outlive us. A zombie stays then until this process ends.
 */
static void
abandon(struct bind_job *job)
{
	struct job *j = job->state;

	close_streams(j);
	if (j->guardian.watch.fd >= 0) {
		bind_sys_wait_end(j->guardian.watch.fd, ms_to_abandon(job));
		(void)bind_sys_reap(j->guardian.watch.fd, false, &j->clean);
	}
	free_job(j);
}

static void
release(void *tool_data)
{
	bind_command_free(tool_data);
}

const struct bind_provider bind_provider_command = {
    .name = "command",
    .start = start,
    .cancel = cancel,
    .abandon = abandon,
    .release = release,
};
