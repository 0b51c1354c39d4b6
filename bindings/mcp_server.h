/*
 * One MCP server: its process, its list of tools, and the calls under way.
 *
 * Inside of the provider `mcp`; see bindings/provider_mcp.h for what it
 * promises. mcp_server.c performs the table of mcp_next.h, mcp_hear.c takes
 * what the server says, mcp_call.c is about the calls.
 *
 * Owns: the process, the lists, what it keeps of a call. Threads: the loop's.
 */
#ifndef BIND_MCP_SERVER_H
#define BIND_MCP_SERVER_H

#include <bsd/sys/queue.h>

#include "bindings/mcp_config.h"
#include "bindings/mcp_list.h"
#include "bindings/mcp_next.h"
#include "bindings/mcp_process.h"
#include "bindings/mcp_read.h"
#include "bindings/provider.h"
#include "bindings/text.h"

/* Lines in a row that are no messages, before the server is given up. */
#define BIND_MCP_NOISE_MAX 100
/* Calls under way at one server, of all executions. */
#define BIND_MCP_CALLS 1024
/* Bytes of answers that wait for a server that asks and does not read. */
#define BIND_MCP_ANSWERS (1 * WIRE_MIB)
#define BIND_MCP_WHY	 1536

struct bind_mcp_call {
	TAILQ_ENTRY(bind_mcp_call) link;
	struct bind_mcp_server *server;
	const struct bind_mcp_tool *tool;
	struct bind_job *job;
	uint64_t id;
	uint64_t deadline_ns; /* of the server's own limit */
	/* The line that answers it; nothing before that. */
	struct wire_span arrived;
	/* The server has asked for input meanwhile; its word for it. */
	const char *asked;
};

struct bind_mcp_server {
	const struct bind_mcp_entry *entry;
	const struct bind_loop *loop;
	struct bind_json_check *check; /* shared */
	/* The time of something has changed. */
	void (*again)(void *arg);
	void *again_arg;

	struct bind_mcp_handler handler;
	struct bind_mcp_process process;
	enum bind_mcp_state state;
	enum bind_mcp_era era;
	bool busy;	 /* somebody waits for it to settle */
	bool restart;	 /* when nothing is left of this process */
	bool stale;	 /* the list has changed */
	bool asked_anew; /* for that, and the new one has not come */
	unsigned lists;	 /* begun since it was asked to settle */
	uint64_t next_id;
	uint64_t awaited;     /* id of the handshake or list; 0: none */
	uint64_t deadline_ns; /* for it; UINT64_MAX: none */
	uint64_t failed_ns;   /* a start failed, and is not repeated at once */
	unsigned failures;    /* such starts in a row */
	uint64_t listed_ns;
	struct bind_mcp_list list, coming;
	unsigned noise;	      /* lines in a row */
	uint64_t noise_total; /* since it was last told */
	TAILQ_HEAD(, bind_mcp_call) calls;
	unsigned call_count;
	struct bind_text why; /* it is not there */
	uint8_t why_buf[BIND_MCP_WHY];
};

void bind_mcp_server_init(struct bind_mcp_server *server,
    const struct bind_mcp_entry *entry, const struct bind_loop *loop,
    struct bind_json_check *check, void (*again)(void *arg), void *again_arg);
/* It has no process and no call. */
void bind_mcp_server_release(struct bind_mcp_server *server);

void bind_mcp_server_event(
    struct bind_mcp_server *server, enum bind_mcp_event event);

/* Begins what an execution needs of it: a process, a new list. `busy` says
 * whether it is to be waited for. */
void bind_mcp_server_prepare(struct bind_mcp_server *server);

/* How long it is not started again, since its last starts failed. */
uint64_t bind_mcp_server_rest_ns(const struct bind_mcp_server *server);

/* Whether its tools can be called. */
bool bind_mcp_server_is_ready(const struct bind_mcp_server *server);

/* When tick() is to be called; UINT64_MAX: not at all. */
uint64_t bind_mcp_server_next(const struct bind_mcp_server *server);
void bind_mcp_server_tick(struct bind_mcp_server *server);

/* A new reason why it is not there; and more of it. */
void bind_mcp_server_say_why(struct bind_mcp_server *server, const char *words);
void bind_mcp_server_add_stderr(struct bind_mcp_server *server);

/* Adds what a server says, without what is hidden, escaped; of a long text the
 * end. */
void bind_mcp_server_quote(const struct bind_mcp_server *server,
    struct bind_text *text, struct wire_span said, bool is_tail, size_t max);

/* What its process tells (mcp_hear.c); arg is the server. */
void bind_mcp_hear_line(void *arg, struct wire_span line);
size_t bind_mcp_hear_more(
    void *arg, const struct bind_mcp_sight *sight, size_t held);
void bind_mcp_hear_dropped(void *arg, const struct bind_mcp_sight *sight);

/* --- calls (mcp_call.c) --------------------------------------------------- */

void bind_mcp_call_start(
    const struct bind_mcp_tool *tool, struct bind_job *job);
/* The session has no more use for it. */
void bind_mcp_call_cancel(struct bind_mcp_call *call, enum wire_tool_kind kind);
void bind_mcp_call_abandon(struct bind_mcp_call *call);

struct bind_mcp_call *bind_mcp_call_find(
    const struct bind_mcp_server *server, uint64_t id);
/* A reply of a kind RESULT or ERROR, and the line that it came in. */
void bind_mcp_call_reply(struct bind_mcp_call *call,
    const struct bind_mcp_message *message, struct wire_span line);
/* A reply that cannot be read, or held. */
void bind_mcp_call_broken(struct bind_mcp_call *call,
    const struct bind_mcp_message *message, struct wire_span line);
void bind_mcp_call_over(struct bind_mcp_call *call);
/* The server has ended: all of them have failed, and nobody knows what came
 * of them. */
void bind_mcp_call_lose_all(struct bind_mcp_server *server);
/* Cancels what is over the server's own limit. */
void bind_mcp_call_tick(struct bind_mcp_server *server, uint64_t now);

#endif
