#include "supervisor/verdict.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "supervisor/refusal.h"

/* Exit status of the interpreter when a stage failed inside it. */
#define MODULE_FAILED 125

__attribute__((format(printf, 3, 4))) static void
say(struct sup_verdict *v, enum sup_kind kind, const char *format, ...)
{
	va_list args;

	v->kind = kind;
	va_start(args, format);
	(void)vsnprintf(v->message, sizeof(v->message), format, args);
	va_end(args);
}

static bool
cpu_spent(const struct sup_facts *f)
{
	uint64_t used = f->cpu_ns;

	/* KERNEL: ticks are what the kernel counts, run time what it reports;
	 * on a virtual machine whose host takes its share they differ. Where
	 * nothing but SIGKILL tells, a quarter of the limit is allowed for:
	 * who kills itself that late has used it up. */
	if (f->cpu_at_hard)
		used += f->cpu_limit_ns / 4;
	return f->cpu_limit_ns > 0 &&
	    (f->cpu_raised || used >= f->cpu_limit_ns);
}

static void
cpu_timeout(const struct sup_facts *f, struct sup_verdict *v)
{
	say(v, SUP_KIND_TIMEOUT,
	    "the program used %" PRIu64 " ms of CPU time; the limit is "
	    "%" PRIu64 " ms",
	    (uint64_t)(f->cpu_ns / SUP_NS_PER_MS),
	    (uint64_t)(f->cpu_limit_ns / SUP_NS_PER_MS));
	v->limit_hit = SUP_LIMIT_CPU;
	v->by_program = false;
}

/* A well-formed `done`: the program's own answer. */
static void
answered(const struct sup_facts *f, struct sup_verdict *v)
{
	const struct wire_done *done = f->done;
	static const enum sup_kind kinds[WIRE_CLAIM_KIND_COUNT] = {
	    [WIRE_CLAIM_EXCEPTION] = SUP_KIND_EXCEPTION,
	    [WIRE_CLAIM_INVALID_VALUE] = SUP_KIND_INVALID_VALUE,
	    [WIRE_CLAIM_WORKER_EXIT] = SUP_KIND_WORKER_EXIT,
	    [WIRE_CLAIM_STEP_BUDGET] = SUP_KIND_STEP_BUDGET,
	};
	uint64_t size = done->has_value ? done->value.len : done->oversize;

	v->by_program = true;
	v->code = 0;
	if (!done->has_value && done->kind != WIRE_CLAIM_NONE) {
		v->kind = kinds[done->kind];
		v->code = v->kind == SUP_KIND_WORKER_EXIT
		    ? (int)(done->status & 0xff)
		    : 1;
		return;
	}
	if (size > f->value_max) {
		say(v, SUP_KIND_OUTPUT_LIMIT,
		    "the value is %" PRIu64
		    " bytes as JSON; the limit is %" PRIu64,
		    size, f->value_max);
		v->limit_hit = SUP_LIMIT_VALUE;
		v->code = 1;
		return;
	}
	if (!done->has_value) {
		/* It says that the value did not fit, and it would have. */
		say(v, SUP_KIND_PROTOCOL_VIOLATION,
		    "bad_field: oversize is below the limit of the value");
		v->code = 1;
		return;
	}
	v->has_value = true;
	v->returned = done->returned;
}

/* What the wait status says, for ends that the host decided. */
static void
note_exit(const struct sup_facts *f, struct sup_verdict *v)
{
	if (!f->exited)
		return;
	if (WIFSIGNALED(f->wait_status))
		v->signal = WTERMSIG(f->wait_status);
	else
		v->code = WEXITSTATUS(f->wait_status);
}

/* CPU time beyond the limit counts whatever the program answered: it may have
 * trapped the signal (C4). */
static bool
answer_late(const struct sup_facts *f)
{
	return f->cpu_limit_ns > 0 &&
	    (f->cpu_raised || f->cpu_ns > f->cpu_limit_ns);
}

/*
 * Whether it was this limit, and not the host's memory or a limit further up.
 * KERNEL: version 1 has a counter that newer kernels leave at 0. The killer
 * comes when the next page does not fit, or the next huge one.
 */
static bool
met_limit(const struct sup_memory_end *m)
{
	return m->hits > 0 || m->peak >= m->limit - m->limit / 16;
}

/*
 * Whose word it is: the kernel's count of kills, or the host's own look. What
 * the program says, a MemoryError for one, is never a part of this (C15).
 */
static void
out_of_memory(const struct sup_facts *f, struct sup_verdict *v)
{
	const struct sup_memory_end *m = &f->memory;
	const char *early = f->ran ? "" : ", before the program was sent";
	uint64_t peak = m->peak / 1024, limit = m->limit / 1024;

	v->limit_hit = SUP_LIMIT_MEMORY;
	if (m->over) {
		say(v, SUP_KIND_MEMORY,
		    "more memory was in use than the limit%s: %" PRIu64
		    " KiB were seen, the limit is %" PRIu64 " KiB",
		    early, peak, limit);
		return;
	}
	if (!met_limit(m)) {
		/* The killer came for the host, or for a group above. */
		say(v, SUP_KIND_MEMORY,
		    "the kernel ended the program since the host is short of "
		    "memory%s; its own limit was not met: at most %" PRIu64
		    " KiB were in use, the limit is %" PRIu64 " KiB",
		    early, peak, limit);
		v->limit_hit = SUP_LIMITS;
		return;
	}
	say(v, SUP_KIND_MEMORY,
	    "the kernel ended the program at its memory limit%s: at most "
	    "%" PRIu64 " KiB were in use, the limit is %" PRIu64 " KiB",
	    early, peak, limit);
}

/* Process 2 ended without an answer. */
static void
ended(const struct sup_facts *f, struct sup_verdict *v)
{
	int status = f->wait_status;

	v->by_program = true;
	/* Beyond the limit, however it went: it may have trapped the signal
	 * and then left by itself (C4). */
	if (answer_late(f)) {
		note_exit(f, v);
		cpu_timeout(f, v);
		return;
	}
	if (WIFSIGNALED(status)) {
		int sig = WTERMSIG(status);

		v->signal = sig;
		v->detail = SUP_EXIT_BY_SIGNAL;
		if ((sig == SIGXCPU || sig == SIGKILL) && cpu_spent(f)) {
			cpu_timeout(f, v);
			return;
		}
		say(v, SUP_KIND_WORKER_EXIT,
		    "the program's process was ended by signal %d (%s)", sig,
		    strsignal(sig));
		return;
	}
	v->code = WEXITSTATUS(status);
	say(v, SUP_KIND_WORKER_EXIT,
	    "the program's process exited with status %d and without an "
	    "answer",
	    v->code);
}

/* Where a failure is known to come from an earlier stage. */
static const char *
start_hint(enum wire_stage stage, int error)
{
	/* KERNEL: files cannot be made by an id that the namespace does not
	 * map; a map that was never written shows itself only here. */
	if (stage == WIRE_STAGE_ROOT && error == EOVERFLOW)
		return "the ids are not the mapped ones: look at stage maps "
		       "and stage ids, and at whether /proc can be written";
	if (stage == WIRE_STAGE_IDS && error == EINVAL)
		return "the ids are not mapped: look at stage maps, and at "
		       "whether /proc can be written";
	return sup_refusal_advice(wire_stage_word(stage), error);
}

static void
start_failed(const struct sup_facts *f, struct sup_verdict *v)
{
	const struct wire_report *r = &f->failed;
	enum wire_stage stage = (enum wire_stage)r->stage;

	if (f->setup_site != NULL) {
		say(v, SUP_KIND_SETUP, "%s: %s", f->setup_site,
		    strerror(f->setup_errno));
		return;
	}
	if (stage == WIRE_STAGE_EXEC) {
		say(v, SUP_KIND_SETUP,
		    "stage exec: the interpreter could not be executed: %s",
		    strerror(r->sys));
		v->detail = r->sys == ENOENT ? SUP_EXIT_NOT_FOUND
					     : SUP_EXIT_NOT_EXECUTABLE;
		return;
	}
	say(v, SUP_KIND_ISOLATION_UNAVAILABLE,
	    "stage %s: %s failed: %s (item %" PRIu32 "); %s",
	    wire_stage_word(stage), wire_stage_what(stage), strerror(r->sys),
	    r->detail, start_hint(stage, r->sys));
}

/* A stage that failed in the interpreter, which can only exit and say so. */
static void
module_failed(const struct sup_facts *f, struct sup_verdict *v)
{
	enum wire_stage stage;
	int error;

	if (!sup_refusal_parse(f->early_text, &stage, &error)) {
		say(v, SUP_KIND_ISOLATION_UNAVAILABLE, "%s", f->early_text);
		return;
	}
	say(v, SUP_KIND_ISOLATION_UNAVAILABLE, "stage %s: %s failed: %s; %s",
	    wire_stage_word(stage), wire_stage_what(stage), strerror(error),
	    sup_refusal_advice(wire_stage_word(stage), error));
}

/* A system-call filter that this host has, and not ours, which is not in
 * force before the child is ready. */
static void
killed_by_filter(struct sup_verdict *v, const char *who)
{
	say(v, SUP_KIND_ISOLATION_UNAVAILABLE,
	    "%s was ended by signal %d (%s) while it was being confined: a "
	    "system-call filter of the host kills a call that is needed; weir "
	    "doctor names it, and the container's seccomp profile is where to "
	    "allow it",
	    who, SIGSYS, strsignal(SIGSYS));
}

/* The end came while the child was being prepared, without a report. */
static void
died_early(const struct sup_facts *f, struct sup_verdict *v)
{
	if (f->setup_site != NULL) {
		say(v, SUP_KIND_SETUP, "%s: %s", f->setup_site,
		    strerror(f->setup_errno));
		return;
	}
	if (f->ran)
		say(v, SUP_KIND_SETUP,
		    "process 1 of the child was ended from outside");
	else if (f->gone_signal == SIGSYS)
		killed_by_filter(v, "process 1 of the child");
	else if (f->exited && WIFSIGNALED(f->wait_status) &&
	    WTERMSIG(f->wait_status) == SIGSYS)
		killed_by_filter(v, "the interpreter");
	else if (f->exited && WIFSIGNALED(f->wait_status))
		say(v, SUP_KIND_SETUP,
		    "the interpreter was ended by signal %d before it was "
		    "ready; a limit may be too low for it to start",
		    WTERMSIG(f->wait_status));
	else if (f->exited && WEXITSTATUS(f->wait_status) == MODULE_FAILED)
		module_failed(f, v);
	else if (f->exited)
		say(v, SUP_KIND_SETUP,
		    "the interpreter exited with status %d before it was "
		    "ready: %s",
		    WEXITSTATUS(f->wait_status), f->early_text);
	else
		say(v, SUP_KIND_SETUP,
		    "the child ended before it was ready and without a "
		    "report");
}

static void
violated(const struct sup_facts *f, struct sup_verdict *v)
{
	say(v, SUP_KIND_PROTOCOL_VIOLATION,
	    "%s: %s (%s) at byte %" PRIu64 " of the channel",
	    wire_err_word(f->violation), wire_err_meaning(f->violation),
	    f->violation_site, f->violation_offset);
}

static void
by_host(const struct sup_facts *f, struct sup_verdict *v)
{
	v->signal = f->killed ? SIGKILL : 0;
	note_exit(f, v);
}

static void
exceeded(const struct sup_facts *f, struct sup_verdict *v)
{
	static const struct {
		enum sup_kind kind;
		enum sup_limit limit;
		const char *text;
	} rows[WIRE_EXCEEDED_COUNT] = {
	    [WIRE_EXCEEDED_BYTES] = {SUP_KIND_DISK, SUP_LIMIT_WORKSPACE,
		"the files in the workspace were larger than its limit"},
	    [WIRE_EXCEEDED_INODES] = {SUP_KIND_DISK, SUP_LIMIT_INODES,
		"there were more files and directories in the workspace than "
		"its limit"},
	    [WIRE_EXCEEDED_HIDDEN] = {SUP_KIND_DISK, SUP_LIMIT_WORKSPACE,
		"a directory in the workspace was too deep to be measured, or "
		"closed to a look"},
	    [WIRE_EXCEEDED_THREADS] = {SUP_KIND_POLICY_REFUSED,
		SUP_LIMIT_THREADS,
		"the program had more threads than its limit"},
	    [WIRE_EXCEEDED_PROCESSES] = {SUP_KIND_POLICY_REFUSED,
		SUP_LIMIT_PROCESSES,
		"the program had more processes than its limit"},
	    [WIRE_EXCEEDED_CPU] = {SUP_KIND_TIMEOUT, SUP_LIMIT_CPU, ""},
	};

	say(v, rows[f->exceeded].kind, "%s", rows[f->exceeded].text);
	v->limit_hit = rows[f->exceeded].limit;
	if (f->exceeded == WIRE_EXCEEDED_CPU)
		cpu_timeout(f, v);
	by_host(f, v);
}

/* The kernel has killed for memory, and no earlier decision of the host's
 * stands. */
static bool
was_out_of_memory(const struct sup_facts *f)
{
	switch (f->cause) {
	case SUP_EVENT_MEMORY_OVER:
		return true;
	case SUP_EVENT_WALL_OVER:
	case SUP_EVENT_CANCEL:
	case SUP_EVENT_EXHAUSTED:
	case SUP_EVENT_EXCEEDED:
	case SUP_EVENT_REFUSED:
		return false;
	case SUP_EVENT_NONE:
	case SUP_EVENT_GATHERED:
	case SUP_EVENT_READY:
	case SUP_EVENT_FAILED:
	case SUP_EVENT_READY_LATE:
	case SUP_EVENT_DONE:
	case SUP_EVENT_EXITED:
	case SUP_EVENT_VIOLATION:
	case SUP_EVENT_GRACE_OVER:
	case SUP_EVENT_GONE:
	case SUP_EVENT_SETTLED:
	case SUP_EVENT_SETTLE_OVER:
	case SUP_EXEC_EVENTS:
		break;
	}
	return f->memory.kills > 0 && f->setup_site == NULL;
}

static void
by_cause(const struct sup_facts *f, struct sup_verdict *v)
{
	switch (f->cause) {
	case SUP_EVENT_DONE:
		if (answer_late(f)) {
			cpu_timeout(f, v);
			by_host(f, v);
		} else {
			answered(f, v);
		}
		break;
	case SUP_EVENT_EXITED:
		if (f->ran)
			ended(f, v);
		else
			died_early(f, v);
		break;
	case SUP_EVENT_VIOLATION:
		/* The time was over before that, whatever was sent (C4). */
		if (answer_late(f))
			cpu_timeout(f, v);
		else
			violated(f, v);
		by_host(f, v);
		break;
	case SUP_EVENT_WALL_OVER:
		say(v, SUP_KIND_TIMEOUT,
		    "the program ran for longer than the "
		    "wall limit");
		v->limit_hit = SUP_LIMIT_WALL;
		by_host(f, v);
		break;
	case SUP_EVENT_CANCEL:
		say(v, SUP_KIND_CANCELLED, "cancelled from outside");
		by_host(f, v);
		break;
	case SUP_EVENT_EXHAUSTED:
		say(v, SUP_KIND_BUDGET_EXHAUSTED,
		    "the budget of tool calls is spent (%s), which ends this "
		    "execution",
		    sup_limit_spec(f->exhausted)->word);
		v->limit_hit = f->exhausted;
		by_host(f, v);
		break;
	case SUP_EVENT_EXCEEDED:
		exceeded(f, v);
		break;
	case SUP_EVENT_MEMORY_OVER:
		break; /* out_of_memory */
	case SUP_EVENT_REFUSED:
		say(v,
		    f->refusal_kind != SUP_KIND_NONE
			? f->refusal_kind
			: SUP_KIND_ISOLATION_UNAVAILABLE,
		    "%s", f->refusal != NULL ? f->refusal : "refused");
		break;
	case SUP_EVENT_FAILED:
		start_failed(f, v);
		break;
	case SUP_EVENT_READY_LATE:
		say(v, SUP_KIND_BACKEND_NOT_READY,
		    "the child did not report within the time for it");
		v->limit_hit = SUP_LIMIT_READY;
		break;
	case SUP_EVENT_NONE:
	case SUP_EVENT_GATHERED:
	case SUP_EVENT_READY:
	case SUP_EVENT_GRACE_OVER:
	case SUP_EVENT_GONE:
	case SUP_EVENT_SETTLED:
	case SUP_EVENT_SETTLE_OVER:
	case SUP_EXEC_EVENTS:
		died_early(f, v);
		break;
	}
}

void
sup_verdict_reach(const struct sup_facts *f, struct sup_verdict *ret_verdict)
{
	struct sup_verdict *v = ret_verdict;

	memset(v, 0, sizeof(*v));
	v->limit_hit = SUP_LIMITS;
	v->code = -1;
	if (was_out_of_memory(f)) {
		out_of_memory(f, v);
		by_host(f, v);
	} else {
		by_cause(f, v);
	}
	/* SECURITY: what ran under weaker terms than promised is withheld. */
	if (f->evidence_broken) {
		say(v, SUP_KIND_ISOLATION_UNAVAILABLE,
		    "the evidence at the end contradicts what was promised "
		    "at the start: %s",
		    f->refusal != NULL ? f->refusal : "");
		v->has_value = v->returned = false;
	}
}
