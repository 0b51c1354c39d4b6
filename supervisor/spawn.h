/*
 * Starting the stub: one clone into the namespaces, one exec.
 *
 * Between clone and exec run only functions named child_*, on memory that was
 * prepared before; then the stub is a program of its own. The child is made
 * with exit_signal 0 and waited for through its pidfd, so that a host that
 * ignores or reaps SIGCHLD does not disturb.
 */
#ifndef SUP_SPAWN_H
#define SUP_SPAWN_H

#include <stdbool.h>
#include <sys/types.h>

#include "wire/err.h"
#include "wire/plan.h"

/* How a child is made, from the strongest to the weakest. */
enum sup_attempt {
	SUP_ATTEMPT_ISOLATED, /* all namespaces */
	SUP_ATTEMPT_SPACES,   /* all but one for mounts */
	SUP_ATTEMPT_PLAIN,    /* none */
	SUP_ATTEMPTS
};

struct sup_spawn_request {
	enum sup_attempt attempt;
	bool network; /* granted: the host's network namespace is kept */
	int stub_fd;  /* the stub's executable */
	int plan_fd, seal_fd;
	int null_fd;   /* /dev/null */
	int cgroup_fd; /* of version 2, to be made in; -1: none */
	int mount_fds[WIRE_PLAN_MOUNTS];
	size_t mount_count;
};

/* What the parent holds of a child. Descriptors are -1 when there is none. */
struct sup_child {
	pid_t pid;
	int pidfd;
	int channel_fd;
	int report_fd; /* closing it is the end: the child's lifeline */
	int stdout_fd, stderr_fd;
	bool in_cgroup; /* it was made in there */
};

/* A struct sup_child that holds nothing. */
#define SUP_CHILD_NONE ((struct sup_child){-1, -1, -1, -1, -1, -1, false})

/*
 * Makes pipes, sockets and the child. On failure nothing is left, info->site
 * is the call and info->sys its errno; for clone that is the reason why this
 * host gives no namespaces.
 */
WIRE_MUST_USE enum wire_err sup_spawn(const struct sup_spawn_request *request,
    struct sup_child *ret_child, struct wire_errinfo *info);

/* Tells the waiting stub that its id maps stand. */
WIRE_MUST_USE enum wire_err sup_spawn_go(
    const struct sup_child *child, struct wire_errinfo *info);

/* Closes every descriptor; the child itself must have been reaped. */
void sup_child_close(struct sup_child *child);

#endif
