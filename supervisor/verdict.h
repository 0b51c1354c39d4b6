/*
 * What an execution came to: from the facts the host has to one kind (S9,
 * S10). Pure.
 *
 * The child's `done` is the program's own answer; it cannot turn an end that
 * the host has seen into another, and nothing in it changes a count.
 */
#ifndef SUP_VERDICT_H
#define SUP_VERDICT_H

#include <stdbool.h>

#include "supervisor/exec_next.h"
#include "supervisor/exitcodes.h"
#include "supervisor/kinds.h"
#include "supervisor/limits_table.h"
#include "supervisor/memory.h"
#include "wire/msg.h"
#include "wire/report.h"

#define SUP_MESSAGE_MAX 1024

struct sup_facts {
	enum sup_exec_event cause; /* the event that decided the end */
	bool ran;		   /* `run` was sent */
	bool traced;		   /* the filter needs a listener */
	/* What the interpreter wrote to stderr before that; trusted code. */
	const char *early_text;
	/* VIOLATION, and where. */
	enum wire_err violation;
	const char *violation_site;
	uint64_t violation_offset;
	/* FAILED: the stub's record; or a failure before there was a stub. */
	struct wire_report failed;
	const char *setup_site; /* NULL, or what of our own failed */
	int setup_errno;
	/* REFUSED, and evidence that no longer holds at the end. */
	const char *refusal;
	enum sup_kind refusal_kind; /* NONE: the confinement is lacking */
	bool evidence_broken;
	enum wire_exceeded exceeded; /* EXCEEDED */
	enum sup_limit exhausted;    /* EXHAUSTED */
	/* How process 2 ended, when that was seen; did we send a signal? */
	bool exited;
	int wait_status;
	int gone_signal; /* what ended process 1, which was not us; or 0 */
	bool termed, killed;
	uint64_t cpu_ns, cpu_limit_ns;
	bool cpu_raised;  /* the kernel has sent SIGXCPU for the limit */
	bool cpu_at_hard; /* the limit is the hard one: no SIGXCPU, no raise */
	struct sup_memory_end memory;
	/* The answer; NULL without one. Spans as decoded. */
	const struct wire_done *done;
	uint64_t value_max;
};

struct sup_verdict {
	enum sup_kind kind;	       /* NONE: it went well */
	char message[SUP_MESSAGE_MAX]; /* "" when the child's is the message */
	enum sup_limit limit_hit;      /* SUP_LIMITS: none */
	bool has_value;
	bool returned;
	bool by_program; /* else the host ended it */
	int code;	 /* exit status; -1: none */
	int signal;	 /* 0: none */
	enum sup_exit_detail detail;
};

void sup_verdict_reach(
    const struct sup_facts *facts, struct sup_verdict *ret_verdict);

#endif
