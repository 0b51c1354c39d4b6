/*
 * One call of a path tool, and its inside.
 *
 * For bindings/files_config.c, which makes the tools, for
 * bindings/provider_files.c, which starts and ends calls and gives them their
 * turns, and for the operations. Nobody else includes this.
 */
#ifndef BIND_FILES_JOB_H
#define BIND_FILES_JOB_H

#include <bsd/sys/queue.h>

#include "bindings/files_request.h"
#include "bindings/json_check.h"
#include "bindings/provider_files.h"
#include "bindings/sys_files.h"
#include "wire/json_out.h"

struct bind_files_job;
struct bind_files_name;

struct bind_files_paths {
	size_t count;
	struct wire_span paths[BIND_FILES_PATHS]; /* each allocated */
};

/* What the tools of one root share. */
struct bind_files {
	size_t users; /* tools that stand for it */
	int root_fd;
	struct bind_files_paths read, write;
	struct bind_json_check check;
	/* Calls with more to do, and the loop that gives them their turns. */
	TAILQ_HEAD(, bind_files_job) waiting;
	const struct bind_loop *loop;
	struct bind_watch watch; /* while there are any */
};

/* The data of a tool. */
struct bind_files_tool {
	struct bind_files *files;
	enum bind_files_op op;
};

extern const struct bind_provider bind_provider_files;

/* For the last of its users. */
void bind_files_free(struct bind_files *files);

/* Of a directory: the names that will be shown, the largest first. */
struct bind_files_list {
	struct bind_files_name *names;
	uint32_t *order; /* a heap of places in names */
	size_t count;
	bool more;   /* one did not fit */
	void *chunk; /* of entries, as they come */
};

struct bind_files_job {
	TAILQ_ENTRY(bind_files_job) link;
	bool is_waiting; /* for its next turn, on the list */
	struct bind_files *files;
	struct bind_job *job;
	/* How it ended, when a step has said so. */
	struct bind_outcome outcome;
	struct bind_text why;
	uint8_t why_text[320];
	uint8_t *answer; /* the outcome's value */
	/* The file or directory. */
	int fd;
	/* read: what came so far. write: what is to be written. */
	uint8_t *bytes;
	size_t len, room, done;
	struct bind_files_list list;
	/* write: where, and the file that takes its place at the end: its
	 * name is made, or it has none yet. */
	int parent_fd;
	bool is_begun, is_made, is_unnamed;
	unsigned directories; /* that it has made */
	char temporary[32];
	struct bind_files_request request; /* last: its path is long */
};

/* One turn of work. True: it is over, and the outcome says how. */
bool bind_files_stat(struct bind_files_job *j);
bool bind_files_read(struct bind_files_job *j);
bool bind_files_list(struct bind_files_job *j);
bool bind_files_write(struct bind_files_job *j);

/* A write that will not be finished: what it has made is removed. */
void bind_files_write_undo(struct bind_files_job *j);

/* Whether a path may be written to; of directories, whether they may be
 * made. */
bool bind_files_may_write(
    const struct bind_files *files, struct wire_span path);
int bind_files_root(const struct bind_files *files);

/* --- ends; each returns true --------------------------------------------- */

bool bind_files_fail(
    struct bind_files_job *j, enum wire_tool_kind kind, const char *words);
/* By an error of a system call, as -errno. */
bool bind_files_fail_by(struct bind_files_job *j, int error);
/* With a value that fill writes, held to the limit of a result. */
bool bind_files_answer(struct bind_files_job *j,
    void (*fill)(struct wire_out *out, const void *arg), const void *arg);

/* "file", "directory", "link", "other". */
const char *bind_files_type_word(enum bind_sys_type type);

#endif
