/*
 * One execution: the state of it, and what performs the table's actions.
 *
 * Private to the supervisor; the public face is weir.h. Everything of an
 * execution hangs on struct weir_execution, and nothing of it elsewhere.
 */
#ifndef SUP_EXEC_H
#define SUP_EXEC_H

#include "bindings/record_ledger.h"
#include "bindings/session.h"
#include "supervisor/cgroup.h"
#include "supervisor/chan.h"
#include "supervisor/evidence.h"
#include "supervisor/exec_next.h"
#include "supervisor/grades.h"
#include "supervisor/idmap.h"
#include "supervisor/launch.h"
#include "supervisor/memory_watch.h"
#include "supervisor/output.h"
#include "supervisor/scratch.h"
#include "supervisor/spawn.h"
#include "supervisor/terms.h"
#include "supervisor/verdict.h"
#include "supervisor/weir.h"

#define SUP_EXECUTION_ID 33 /* 128 bits as hexadecimal, and NUL */
#define SUP_WARNINGS	 64
#define SUP_WARNING_TEXT (16 * 1024)

struct sup_tool_mark;

/* The context behind weir.h's struct weir. */
struct weir {
	struct sup_loop loop;
	struct bind_loop bind_loop; /* the same, as bindings see it */
	struct sup_interp interp;
	struct sup_idmap idmap;
	struct sup_namespaces namespaces; /* the host's own */
	struct bind_catalogue *catalogue;
	struct sup_tool_mark *marks; /* of tools that come later */
	char *libexec;
	char **environment; /* NULL-terminated, or NULL */
	int stub_fd, null_fd;
	int runs_fd;	  /* of the state directory; -1: none */
	char *state;	  /* its path without links, or NULL */
	bool disk;	  /* the ledgers' durability */
	bool disk_failed; /* one could not be made safe */
	bool record_values;
	uint8_t key[BIND_LEDGER_KEY];
	uint32_t layers;
	enum weir_fault fault; /* of the last call that failed */
	bool open_mounts;      /* the supervisor opens what the root holds */
	bool can_change_ids;   /* without a namespace too */
	struct sup_scratch scratch;
	struct sup_cgroups cgroups;
	/* The first way to make a child that has not been refused yet, and why
	 * the ones before were. */
	unsigned first_attempt;
	char refused[SUP_ATTEMPTS][SUP_MESSAGE_MAX];
	bool core_is_pipe;
	struct weir_execution *executions; /* all that are not freed */
	struct weir_execution
	    *settled_next;	    /* of those, while they are settled */
	struct sup_mcp *mcp;	    /* NULL: no servers */
	struct sup_mcp_pool *pools; /* of them, by owner */
};

struct sup_names;
struct sup_exec_trace;
struct sup_mcp;
struct sup_mcp_pool;

/* What holds the memory limit, where one was asked for. */
struct sup_exec_memory {
	struct sup_cgroup group;
	struct sup_memory_watch watch; /* where there is no group */
	char why[SUP_CGROUP_WHY];      /* there is none */
};

#define SUP_EXEC_MEMORY_NONE                                                   \
	((struct sup_exec_memory){SUP_CGROUP_EMPTY, SUP_MEMORY_WATCH_NONE, ""})

struct weir_execution {
	struct weir *weir;
	struct weir_execution *next;
	struct weir_events events;
	char id[SUP_EXECUTION_ID];
	enum sup_exec_state state;
	struct sup_terms terms;
	const struct sup_grants *grants; /* of the terms, or NULL */
	enum sup_attempt first_attempt, attempt, last_attempt;
	const struct sup_names *only; /* the tools of its terms; NULL: all */
	const uint8_t *owner;	      /* of its terms, or NULL */
	struct sup_mcp_pool *pool;    /* NULL: it has no servers */
	struct bind_catalogue *catalogue; /* its own; NULL: the context's */
	struct sup_launch *launch;
	char scratch_name[SUP_SCRATCH_NAME]; /* "": no workspace of the host */
	char workspace[PATH_MAX];
	struct sup_exec_memory memory;
	uint64_t tree_next_ns; /* when its processes are looked at again */
	struct sup_exec_trace *trace; /* NULL: it is not traced */
	struct sup_child child;
	pid_t pid2; /* of the interpreter, as the host sees it; 0: none yet */
	int pidfd2;
	bool launched;	  /* process 1 has said so */
	bool is_clearing; /* all has ended, and it has more time for that */
	struct sup_chan chan;
	struct sup_output out, err;
	struct sup_watch pid_watch, timer_watch;
	struct sup_watch report_watch; /* while the stub's records matter */
	struct sup_watch wake;	       /* without a descriptor: a turn is due */
	struct sup_watch sync;	       /* likewise: the ledger's sync is */
	uint64_t started_ns, run_ns, ended_ns;
	uint64_t deadline_ns; /* of the state; UINT64_MAX: none */
	uint64_t armed_ns;    /* what the timer is set to; 0: not set */
	char *program;
	size_t program_len;
	struct bind_session *tools;
	struct bind_budget budget; /* when they are closed */
	struct bind_record_list record;
	struct bind_record_ledger to_ledger; /* ledger NULL: there is none */
	bool is_recorded;		     /* opened, and not closed */
	char run[65];
	char python[WIRE_MAX_VERSION + 1]; /* what the child says it is */
	struct sup_evidence evidence;
	struct sup_grades grades;
	struct sup_facts facts;
	struct sup_verdict verdict;
	struct wire_done done; /* spans point into done_text */
	uint8_t *done_text;
	size_t done_text_len;
	uint64_t peak_kb;
	char refusal[SUP_MESSAGE_MAX];
	char early_text[SUP_MESSAGE_MAX];
	const char *warnings[SUP_WARNINGS + 1];
	size_t warning_count;
	unsigned warnings_left_out; /* which the last one then says */
	char warning_text[SUP_WARNING_TEXT + 64];
	size_t warning_text_len;
	/* The result, when finished. */
	char *result;
	size_t result_len;
	char *traceback, *message;
	size_t traceback_len, message_len;
};

/* Feeds one event to the table and performs what it says. */
void sup_exec_event(
    struct weir_execution *execution, enum sup_exec_event event);

/* All that an attempt sets is as at the birth of the execution. */
void sup_exec_reset(struct weir_execution *execution);

/* What an execution chooses its tools from. */
const struct bind_catalogue *sup_exec_catalogue(
    const struct weir_execution *execution);

/* Bytes that a `run` frame with its program and the tools that are offered now
 * takes at most. */
size_t sup_exec_run_max(const struct weir_execution *execution);

/* Notes what of our own failed: its site, which is a constant, and errno, or
 * that memory is short where that is 0. */
void sup_exec_note_setup(
    struct weir_execution *execution, const struct wire_errinfo *info);

/* Ends everything at once, without a result; for freeing early. */
void sup_exec_destroy(struct weir_execution *execution);

/* Adds a line to `warnings`; texts beyond the room are dropped. */
__attribute__((format(printf, 2, 3))) void sup_exec_warn(
    struct weir_execution *execution, const char *format, ...);
/* Likewise, of what somebody else says: it leaves half of the room to the
 * host's own. */
__attribute__((format(printf, 2, 3))) void sup_exec_warn_of(
    struct weir_execution *execution, const char *format, ...);

/* Keeps a copy of an accepted `done`. False when memory is short. */
WIRE_MUST_USE bool sup_exec_keep_done(
    struct weir_execution *execution, const struct wire_done *done);

/* Sets the timer to the earliest of what waits for a time. */
void sup_exec_arm(struct weir_execution *execution);

#endif
