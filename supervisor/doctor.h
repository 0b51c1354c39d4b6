/*
 * The steps that the levels are made of, each tried for itself.
 *
 * A step is tried in a child that ends with it, so that nothing stays: no
 * mount, no file, no limit, no filter, no process. What it did is an answer;
 * why it was refused, and what to do, is doctor_reason.h's business.
 *
 * Owns: the table of steps. For the command, which has one thread and its
 * SIGCHLD at the default. Memory: none. Nothing of `weir run` comes here.
 */
#ifndef SUP_DOCTOR_H
#define SUP_DOCTOR_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* X(constant, word); in the order in which they are tried and printed. */
#define SUP_DOCTOR_STEPS(X)                                                    \
	X(PROC, "proc")                                                        \
	X(INTERPRETER, "interpreter")                                          \
	X(USER_NAMESPACE, "user_namespace")                                    \
	X(ID_MAPS, "id_maps")                                                  \
	X(PID_NAMESPACE, "pid_namespace")                                      \
	X(MOUNT_NAMESPACE, "mount_namespace")                                  \
	X(NETWORK_NAMESPACE, "network_namespace")                              \
	X(NETWORK_LINKS, "network_links")                                      \
	X(IPC_NAMESPACE, "ipc_namespace")                                      \
	X(UTS_NAMESPACE, "uts_namespace")                                      \
	X(CGROUP_NAMESPACE, "cgroup_namespace")                                \
	X(PROPAGATION, "propagation")                                          \
	X(TMPFS, "tmpfs")                                                      \
	X(BIND_MOUNT, "bind_mount")                                            \
	X(PIVOT_ROOT, "pivot_root")                                            \
	X(CAPABILITIES, "capabilities")                                        \
	X(NO_NEW_PRIVS, "no_new_privs")                                        \
	X(SECCOMP, "seccomp")                                                  \
	X(LANDLOCK, "landlock")                                                \
	X(LANDLOCK_ABI, "landlock_abi")                                        \
	X(SUBREAPER, "subreaper")                                              \
	X(WORKSPACE_BASE, "workspace_base")                                    \
	X(PIDFD, "pidfd")                                                      \
	X(CLOSE_RANGE, "close_range")                                          \
	X(MEMFD, "memfd")                                                      \
	X(RLIMITS, "rlimits")                                                  \
	X(TIMERFD, "timerfd")                                                  \
	X(EPOLL, "epoll")                                                      \
	X(SOCKETPAIR, "socketpair")                                            \
	X(UNLINKED_FILE, "unlinked_file")                                      \
	X(MEMORY_CGROUP, "memory_cgroup")                                      \
	X(MEMORY_WATCH, "memory_watch")                                        \
	X(EXECUTION, "execution")

enum sup_doctor_step {
#define X(name, word) SUP_DOCTOR_##name,
	SUP_DOCTOR_STEPS(X)
#undef X
	    SUP_DOCTOR_COUNT
};

#define SUP_DOCTOR_BIT(step) (UINT64_C(1) << (step))
_Static_assert(SUP_DOCTOR_COUNT <= 64, "sets of steps are 64 bits");

/* What stands in the place of an errno when there is none: above them all. */
enum {
	SUP_DOCTOR_KILLED = 10000, /* the child was ended by a signal */
	SUP_DOCTOR_LATE,	   /* no answer in time; it was killed */
	SUP_DOCTOR_NOT_TRIED,	   /* a step that it needs was refused */
	SUP_DOCTOR_NO_EFFECT,	   /* accepted, and then it did not hold */
	SUP_DOCTOR_NOT_ISOLATED,   /* the execution was less than that */
	SUP_DOCTOR_TOO_OLD,	   /* there, and without what is needed */
};

#define SUP_DOCTOR_DETAIL 512

struct sup_doctor_answer {
	int error;  /* 0, an errno, or one of the above */
	int signal; /* KILLED: by which, 0 when it is not known */
	/* What was seen, or which call was refused; "" when there is nothing
	 * to say. */
	char detail[SUP_DOCTOR_DETAIL];
};

/* What the step function gets. */
struct sup_doctor_try {
	const char *python; /* name or path of the interpreter */
	const char *path;   /* PATH; may be NULL */
	int answer_fd;
	bool seen; /* answer.detail holds for success too */
	struct sup_doctor_answer answer;
};

#define SUP_DOCTOR_NEEDED_FOR 6

struct sup_doctor_spec {
	const char *what; /* for people, a few words */
	/* Levels, and guarantees; "isolated" is the first where that level
	 * needs it. Ended by NULL. */
	const char *needed_for[SUP_DOCTOR_NEEDED_FOR + 1];
	uint64_t needs; /* steps without which this one cannot be tried */
	/* Runs in the child: 0, -errno, or a word from above. NULL: not tried
	 * in a child, but by who asks. */
	int (*attempt)(struct sup_doctor_try *attempt);
};

const char *sup_doctor_word(enum sup_doctor_step step);
const struct sup_doctor_spec *sup_doctor_spec(enum sup_doctor_step step);
bool sup_doctor_is_required(enum sup_doctor_step step);

/*
 * Tries the step in a child of its own and waits for its end. 0, or -errno
 * when no child could be had to try it in. *attempt is used as scratch.
 */
int sup_doctor_attempt(enum sup_doctor_step step,
    struct sup_doctor_try *attempt, struct sup_doctor_answer *ret_answer);

/*
 * A step of those that this one needs and that has failed, or
 * SUP_DOCTOR_COUNT. failed: a set of SUP_DOCTOR_BIT.
 */
enum sup_doctor_step sup_doctor_missing(
    enum sup_doctor_step step, uint64_t failed);

/* In a child: ends with parent, which is gone already when it is not
 * getppid() any more. */
void sup_doctor_die_with(pid_t parent);
/* In the child: which call comes next, for when it is refused. */
void sup_doctor_note(struct sup_doctor_try *attempt, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* In the child: what was seen, for success too. */
void sup_doctor_see(struct sup_doctor_try *attempt, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* In the child or one of its own: sends the answer and ends. */
__attribute__((noreturn)) void sup_doctor_reply(
    struct sup_doctor_try *attempt, int result);

#endif
