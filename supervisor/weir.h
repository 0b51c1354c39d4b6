/*
 * libweir: run untrusted programs, confined, with metered tool calls.
 *
 * One context is one event loop behind one descriptor: add weir_fd() to your
 * own loop, call weir_dispatch() when it is readable. Nothing here blocks,
 * installs a signal handler, changes a signal mask for longer than a call, or
 * keeps a global. A context and everything made from it belong to one thread
 * at a time; different contexts are independent.
 *
 * Errors come back as false or NULL with a sentence in the caller's buffer,
 * which names the place and the next step. An execution that could be started
 * never fails: whatever happens is a result (weir.result/1, see weir(1)).
 */
#ifndef WEIR_H
#define WEIR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct weir;
struct weir_execution;
struct weir_terms;
struct weir_source;

#define WEIR_ERROR_MAX 1024

struct weir_config {
	const char *python;  /* a name or a path; NULL: python3 */
	const char *path;    /* where a name is looked up; NULL: nowhere */
	const char *libexec; /* directory of weir-child and its companions */
	/* From which tools get HOME LOGNAME PATH SHELL TERM USER LANG, and
	 * configurations of MCP servers their variables. NULL: an empty
	 * environment. */
	const char *const *environment;
	uint32_t layers; /* ~0u; other values only in a test build */
	/* Where the ledgers of Runs are kept; NULL: there are none. */
	const char *state;
	/* Ledgers survive the machine's death, too: weir_dispatch waits for the
	 * disk, once for all that was recorded in a turn of an execution. Once
	 * the disk has failed, nothing more is started: what it says later is
	 * not to be relied on (fsync(2)). */
	bool disk;
	/* Ledgers hold what calls were given and gave, up to 48 KiB of each,
	 * and not only its size and hash. */
	bool record_values;
};

/* Whose fault a failed call is: 126 and 127, 2, or 125 of the command. */
enum weir_fault {
	WEIR_FAULT_NONE,
	WEIR_FAULT_OTHER,   /* the host's: memory, descriptors, ... */
	WEIR_FAULT_REQUEST, /* the caller's: what was asked for cannot be */
	WEIR_FAULT_NO_INTERPRETER,
	WEIR_FAULT_BAD_INTERPRETER
};

/*
 * A context that is asked for a limit `memory` makes control groups beneath
 * the one of the calling process. With version 2, and only where the process
 * is alone in its group, it moves the process into a group of its own beneath,
 * and back when the last context is freed (weir(1), LIMITS).
 */

/* Loads the configuration: what cannot work fails here. Strings are copied. */
struct weir *weir_new(const struct weir_config *config,
    enum weir_fault *ret_fault, char error[WEIR_ERROR_MAX]);

/* Why the last call that failed did so, weir_new apart. */
enum weir_fault weir_last_fault(const struct weir *weir);

/* NULL is fine. Kills and reaps what still runs; may take a moment then. */
void weir_free(struct weir *weir);

/* Readable when weir_dispatch has something to do. */
int weir_fd(const struct weir *weir);

/* Handles what is ready, waiting at most timeout_ms for it (0: not at all,
 * -1: until something happens). False only when the loop itself is broken. */
bool weir_dispatch(struct weir *weir, int timeout_ms);

/*
 * Offers a local command as a tool to executions that start later. The line
 * is split by the quoting rules of the shell and nothing is expanded.
 */
bool weir_tool_command(struct weir *weir, const char *name, const char *line,
    char error[WEIR_ERROR_MAX]);

/* A directory of the host as tools. */
struct weir_files {
	const char *root; /* an absolute path without links in it */
	/* What can be read and written, as paths beneath the root: "/" is all
	 * of it. Without either list all can be read and nothing written. */
	const char *const *read;
	size_t read_count;
	const char *const *write;
	size_t write_count;
	/* As in weir_terms_config. */
	const char *const *keep_off;
};

/*
 * Offers NAME.list, NAME.stat, NAME.read and NAME.write to executions that
 * start later (weir(1), "Directories as tools"). The root is opened now, and
 * stays the one that is meant. Nothing of *files is kept.
 */
bool weir_tool_files(struct weir *weir, const char *name,
    const struct weir_files *files, char error[WEIR_ERROR_MAX]);

/* Why a tool is not for programs: each call is refused before it runs, with the
 * advice to call it directly. */
enum weir_tool_mark {
	WEIR_TOOL_REQUIRES_APPROVAL, /* refused as approval_required */
	WEIR_TOOL_MAY_SUSPEND	     /* refused as input_required */
};

/* Marks a tool, for calls from now on in every execution. False when there is
 * no tool of this name. One of an MCP server is known when the server is asked:
 * SERVER.ANYTHING can be marked, and withdrawn, before. */
bool weir_tool_mark(struct weir *weir, const char *name,
    enum weir_tool_mark mark, char error[WEIR_ERROR_MAX]);

/*
 * Takes a tool back: calls from now on are refused in every execution, also
 * those that wait, in the words for a name that is not offered. What runs goes
 * on. The name stays taken. False when there is no tool of this name.
 */
bool weir_tool_withdraw(
    struct weir *weir, const char *name, char error[WEIR_ERROR_MAX]);

/*
 * Offers the tools of MCP servers to executions that start later, as
 * SERVER.TOOL: an `mcpServers` text (weir(1), MCP SERVERS). Once in the life of
 * a context. Servers run with the caller's rights. They are started for the
 * first execution that may use them and live across executions; those of one
 * tenant and profile (struct weir_terms) are never another's.
 */
bool weir_mcp_servers(struct weir *weir, const struct weir_source *source,
    char error[WEIR_ERROR_MAX]);

/*
 * Offers the HTTP endpoints of a file (weir(1), HTTP TOOLS) as tools. Variables
 * in it are looked up in the environment of weir_config. False with a sentence
 * that names file, line and member; tools that stand before it are offered
 * then all the same.
 */
bool weir_tools_http(struct weir *weir, const struct weir_source *file,
    char error[WEIR_ERROR_MAX]);

enum weir_stream { WEIR_STDOUT, WEIR_STDERR };

/* A limit by the name that weir(1) gives it: bytes, counts, nanoseconds. */
struct weir_limit {
	const char *name;
	uint64_t value;
};

/* The least that an execution may run at. */
enum weir_level {
	WEIR_LEVEL_ISOLATED, /* the default: fail closed */
	WEIR_LEVEL_PROCESS
};

/* How the child is made; ANY tries the strongest first, down to the level. */
enum weir_backend {
	WEIR_BACKEND_ANY,
	WEIR_BACKEND_ISOLATED,
	WEIR_BACKEND_PROCESS, /* for tests: also where more could be had */
	/* One of the two ways of PROCESS alone, for finding out. */
	WEIR_BACKEND_NAMESPACES, /* its own ones, but for mounts */
	WEIR_BACKEND_PLAIN	 /* none */
};

/* One of the three JSON texts of weir(1), PROFILES. */
struct weir_source {
	const char *name; /* what messages call it: a file, a tenant */
	const char *text; /* NULL: there is none */
	size_t len;
};

/* What a program is given beside the interpreter and its workspace. */
enum weir_grant_kind {
	WEIR_GRANT_READ,     /* text: an absolute path */
	WEIR_GRANT_WRITE,    /* does not imply to read */
	WEIR_GRANT_PACKAGES, /* to read, and to import from */
	WEIR_GRANT_ENV,	     /* text: NAME=VALUE */
	WEIR_GRANT_EXEC	     /* a file to execute; only with processes */
};

struct weir_grant {
	enum weir_grant_kind kind;
	const char *text;
};

struct weir_terms_config {
	struct weir_source profiles; /* without: the built-in profile */
	/* Which of them; NULL: the request's, or else "default". */
	const char *profile;
	/* In place of the profile's, up to the ceilings. */
	const struct weir_limit *limits;
	size_t limit_count;
	/* A spent budget ends the execution, as where one of the texts says. */
	bool halt_on_exhaust;
	bool level_given; /* level stands in place of the profile's */
	enum weir_level level;
	enum weir_backend backend;
	bool unconfined; /* as in weir_request */
	/* Beside those of the profile; paths are resolved once, here. */
	const struct weir_grant *grants;
	size_t grant_count;
	/* A grant beside that of the profile: IPv4 and IPv6 sockets in the
	 * caller's network namespace. The level is process at most then. */
	bool network;
	/* Directories that no grant may hold or lie in, beside weir's own;
	 * NULL-terminated, or NULL. */
	const char *const *keep_off;
	/* Whose programs these are; NULL: nobody's in particular. Beside the
	 * policy and the profile it decides who shares MCP servers. */
	const char *tenant;
	struct weir_source policy;  /* of a tenant: it only narrows */
	struct weir_source request; /* data that nobody trusts */
};

/*
 * What executions may have: the intersection of the above. It belongs to no
 * context, does not change, and serves any number of executions, in any
 * threads, until it is freed: make one for each tenant and profile. Nothing of
 * the configuration is kept. NULL with a sentence for a text that is wrong; a
 * wish that is not granted is no error here, and the result of each execution
 * under these terms.
 */
struct weir_terms *weir_terms_new(const struct weir_terms_config *config,
    enum weir_fault *ret_fault, char error[WEIR_ERROR_MAX]);

/* The interpreter that the profile names, for weir_config; NULL: none. */
const char *weir_terms_python(const struct weir_terms *terms);

/* NULL is fine. No execution under these terms may be left. */
void weir_terms_free(struct weir_terms *terms);

struct weir_request {
	const char *program; /* UTF-8 text */
	size_t program_len;
	const struct weir_limit *limits; /* the others have their defaults */
	size_t limit_count;
	bool halt_on_exhaust; /* or where the terms say so */
	/* NULL: the execution is a Run of its own. weir_start reads all of the
	 * Run's ledger, which takes milliseconds for ten thousand calls. */
	const char *run;
	enum weir_level level;
	enum weir_backend backend;
	/* No confinement at all: the program has the caller's rights. The
	 * result is of level none and says so. Not with the two above. */
	bool unconfined;
	/* NULL: the built-in profile. With terms, limits only narrow them, and
	 * level, backend and unconfined are theirs: not looked at here. */
	const struct weir_terms *terms;
	/* Counts the system calls that the program is refused, for
	 * WEIR_TEXT_TRACE. Each of them waits for weir_dispatch, so it is slow.
	 * Not with unconfined, which refuses none. */
	bool trace;
};

struct weir_events {
	void *arg;
	/*
	 * The program's output as it comes, beside the capture; may be NULL.
	 * All bytes count as taken. False pauses the stream until
	 * weir_resume_output: the program then waits, and its time runs.
	 */
	bool (*output)(
	    void *arg, enum weir_stream stream, const void *bytes, size_t len);
	/* The result is there. weir_execution_free may be called, for this
	 * one and for others. */
	void (*finished)(void *arg, struct weir_execution *execution);
};

/* NULL with a sentence when the request could not work. `finished` comes
 * later, from weir_dispatch, even when the start fails on this host. */
struct weir_execution *weir_start(struct weir *weir,
    const struct weir_request *request, const struct weir_events *events,
    char error[WEIR_ERROR_MAX]);

void weir_resume_output(
    struct weir_execution *execution, enum weir_stream stream);

/* Ends it, before the start, while it runs or inside a tool call; fine when
 * it is over. The result says cancelled unless it was over. */
void weir_cancel(struct weir_execution *execution);

bool weir_is_finished(const struct weir_execution *execution);

/* Texts of a finished execution; NULL where there is none. Good until it is
 * freed. RESULT and KIND end with a NUL, and ret_len may be NULL for them; the
 * others may hold one and end with none. */
enum weir_text {
	WEIR_TEXT_RESULT, /* the result object, one line of JSON */
	WEIR_TEXT_KIND,	  /* of the error */
	WEIR_TEXT_MESSAGE,
	WEIR_TEXT_TRACEBACK, /* UTF-8 text, as Python prints it */
	WEIR_TEXT_VALUE,     /* JSON, as the program gave it */
	WEIR_TEXT_TRACE,     /* lines of JSON, where a traced program ran */
};

const char *weir_text(const struct weir_execution *execution,
    enum weir_text text, size_t *ret_len);

/* The command's exit code for this outcome (weir(1), EXIT STATUS). */
int weir_exit_code(const struct weir_execution *execution);

/* NULL is fine; one that is not finished is killed and reaped first. */
void weir_execution_free(struct weir_execution *execution);

#endif
