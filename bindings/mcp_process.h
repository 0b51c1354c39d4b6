/*
 * The process of an MCP server and what goes through its pipes (B14).
 *
 * It runs under a guardian, as a command does (bindings/provider_command.h),
 * but lives on between calls. Its standard output is read in lines, its
 * standard error drained and the last of it remembered; what is said to it
 * waits in a queue while it does not read. One turn of the loop reads at most
 * BIND_TURN_MAX bytes of each stream and hands out BIND_MCP_TURN_LINES lines,
 * so no server holds up another.
 *
 * Handlers may say() and end(); none of them may release the process.
 *
 * Owns: the descriptors and the queue. Threads: the loop's.
 */
#ifndef BIND_MCP_PROCESS_H
#define BIND_MCP_PROCESS_H

#include <sys/types.h>

#include "bindings/command.h"
#include "bindings/intake.h"
#include "bindings/loop.h"
#include "bindings/mcp_lines.h"
#include "bindings/mcp_queue.h"
#include "wire/report.h"

#define BIND_MCP_TURN_LINES 256

/* A line that is read whatever for; more is asked for (S12). */
#define BIND_MCP_LINE_FREE (16 * WIRE_MIB)

struct bind_mcp_handler {
	void *arg;
	void (*line)(void *arg, struct wire_span line);
	/* A line over `held` bytes: how many it may have, or 0. */
	size_t (*more)(
	    void *arg, const struct bind_mcp_sight *sight, size_t held);
	/* One that had to be thrown away, at its end. */
	void (*dropped)(void *arg, const struct bind_mcp_sight *sight);
	/* It says nothing more, in the words of `how`. Once, and not after
	 * end(). */
	void (*ended)(void *arg, const char *how);
	/* The guardian has been reaped: nothing is left. Once. */
	void (*gone)(void *arg);
	/* Something is to be done later: see bind_mcp_process_next(). */
	void (*again)(void *arg);
};

struct bind_mcp_end {
	struct bind_watch watch; /* fd -1: closed */
	bool watched;
};

struct bind_mcp_process {
	const struct bind_loop *loop;
	const struct bind_mcp_handler *handler;
	struct bind_mcp_end in, out, err, report, guardian;
	pid_t pid;
	struct bind_mcp_lines lines;
	struct bind_mcp_queue queue;
	struct bind_tail tail;
	bool behind;	    /* lines are there that have not been handed out */
	bool stopped;	    /* end() was called, or ended() */
	bool is_tail;	    /* the tail has lost its beginning */
	const char *broken; /* how writing failed; told in the next turn */
	uint64_t closed_ns; /* its output is closed: until then it may end */
	bool reported;
	struct wire_report record;
	bool clean;
};

void bind_mcp_process_init(struct bind_mcp_process *process,
    const struct bind_loop *loop, const struct bind_mcp_handler *handler);

/* NO_MEMORY, or SYSTEM with info->sys; nothing is left then. */
WIRE_MUST_USE enum wire_err bind_mcp_process_start(
    struct bind_mcp_process *process, const struct bind_command *command,
    struct wire_errinfo *info);

/* Takes the line over; NULL stands for one that memory was short for. False:
 * it is not sent, and nothing of it was. */
WIRE_MUST_USE bool bind_mcp_process_say(
    struct bind_mcp_process *process, struct bind_mcp_line *line);
/* Takes the request of this id back; false: it has been begun. */
bool bind_mcp_process_unsay(struct bind_mcp_process *process, uint64_t id);

/* When turn() is to be called; UINT64_MAX: not at all. */
uint64_t bind_mcp_process_next(const struct bind_mcp_process *process);
void bind_mcp_process_turn(struct bind_mcp_process *process);

/* Closes everything but the guardian's own end, which gone() tells. */
void bind_mcp_process_end(struct bind_mcp_process *process);

/* Closes its standard input, so that it may end by itself. */
void bind_mcp_process_hang_up(struct bind_mcp_process *process);
/* Waits for its end for so long; true: it has ended, or there is none. */
bool bind_mcp_process_wait(struct bind_mcp_process *process, int timeout_ms);
/* The last resort: as end(), and waits for the guardian for so long. */
void bind_mcp_process_abandon(struct bind_mcp_process *process, int timeout_ms);

/* Whether there is a process, or what is left of one. */
bool bind_mcp_process_is_there(const struct bind_mcp_process *process);

#endif
