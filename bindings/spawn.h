/*
 * Starting a guardian with four descriptors and nothing else.
 *
 * The new process has descriptors 0 to 3 as given and no other, default
 * signals, none blocked, a session of its own, the given directory and exactly
 * the given environment. What fails after the clone is reported like the
 * guardian's own failures: a struct wire_report FAILED on descriptor 3.
 */
#ifndef BIND_SPAWN_H
#define BIND_SPAWN_H

#include <sys/types.h>

#include "wire/err.h"

/* Where the guardian finds its report socket. */
#define BIND_SPAWN_REPORT_FD 3
#define BIND_SPAWN_FDS	     4

struct bind_spawn {
	const char *path;
	char *const *argv; /* argv[0] is the program's own name */
	char *const *environment;
	const char *directory;	 /* NULL: `/` */
	int fds[BIND_SPAWN_FDS]; /* any numbers; stay open here */
};

/* NO_MEMORY, or SYSTEM with info->sys. No signal comes when it ends: reap it
 * through *ret_pidfd. */
WIRE_MUST_USE enum wire_err bind_spawn_start(const struct bind_spawn *spawn,
    pid_t *ret_pid, int *ret_pidfd, struct wire_errinfo *info);

#endif
