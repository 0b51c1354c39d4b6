/*
 * What the host has seen of a child, and what the child says of itself.
 *
 * Collected by observation: the kernel's answers about the child (process
 * status, limits, namespaces), the stub's records, the probes in `ready`.
 * Grades are derived from this and from nothing else (C17). Taken at `ready`
 * and again at the end (S10).
 */
#ifndef SUP_EVIDENCE_H
#define SUP_EVIDENCE_H

#include <sys/types.h>

#include "supervisor/launch.h"
#include "supervisor/memory.h"
#include "wire/msg.h"

/* Those that a grade rests on; the clone makes the others with them. */
enum sup_namespace {
	SUP_NS_USER,
	SUP_NS_PID,
	SUP_NS_MNT,
	SUP_NS_NET,
	SUP_NAMESPACES
};

/* Inode numbers of a process's namespaces; 0: cannot be read. */
struct sup_namespaces {
	ino_t inode[SUP_NAMESPACES];
};

/* /proc/PID/status, the lines that matter. */
struct sup_status {
	bool read;
	uint32_t uid[4], gid[4]; /* as the host sees them */
	uint64_t caps[5];	 /* inheritable permitted effective bounding
				    ambient */
	uint32_t no_new_privs, seccomp;
	uint32_t groups; /* number of supplementary groups */
	uint32_t threads;
	uint64_t peak_kb; /* VmHWM */
};

struct sup_evidence {
	struct sup_namespaces host, child;
	struct sup_status status;
	/* Limits read by the host with prlimit(2), and what was to be read:
	 * the plan, clamped by what this supervisor itself has. */
	bool limits_read;
	enum wire_backend backend; /* of the plan */
	bool network;		   /* granted by it */
	uint64_t soft[WIRE_LIMITS], hard[WIRE_LIMITS];
	uint64_t want_soft[WIRE_LIMITS], want_hard[WIRE_LIMITS];
	bool planned[WIRE_LIMITS]; /* else only what was inherited */
	/* The stub's record. */
	uint32_t mounts;	 /* 0: not proved */
	uint32_t mounts_planned; /* so many must stand */
	uint32_t links, links_up;
	bool subreaper; /* process 1 is that of the tree */
	/* The child's report; claims, but made before anything untrusted. */
	bool ready;
	uint32_t pid_inside;
	uint32_t inet_errno, inet6_errno, fork_errno;
	uint32_t landlock_abi, landlock_errno;
	/* The root and canary_proved others opened before and not after, and
	 * what is granted opened after. */
	bool landlock_proved;
	uint32_t canary_proved;
	uint32_t dumpable;
	uint32_t canary_count;
	const char *canary_open; /* one that opened after the seal, or NULL */
	int foreign_fd;		 /* a descriptor nobody gave it, or -1 */
	bool environment_equal;
	bool timer_armed;
	struct sup_memory_seen memory;
	uint32_t processes; /* granted; fork is not refused then */
	bool own_number;    /* nobody else has the child's uid */
	bool tree_watched;  /* all of them are looked at, and seen */
	uint32_t host_uid;  /* the supervisor's own */
};

/* The caller's own namespaces. */
void sup_evidence_namespaces(pid_t pid, struct sup_namespaces *ret_namespaces);

/* Parses the text of a status file; pure. */
void sup_evidence_parse_status(
    struct wire_span text, struct sup_status *ret_status);

/* A limit in the text of a limits file; false when it is not there. Pure. */
bool sup_evidence_parse_limits(const char *text, enum wire_limit limit,
    uint64_t *ret_soft, uint64_t *ret_hard);

/* Reads status and limits of process 2 as the host sees them. */
void sup_evidence_observe(struct sup_evidence *evidence, pid_t pid2);

/* Sets want_* from the terms and the supervisor's own limits. */
void sup_evidence_expect(
    struct sup_evidence *evidence, const struct sup_launch *launch);

/* Takes over what a `ready` says. False, with *ret_problem a static text,
 * when it does not fit the plan at all (number of canaries, ...). */
bool sup_evidence_ready(struct sup_evidence *evidence,
    const struct sup_launch *launch, const struct wire_ready *ready,
    const char **ret_problem);

/*
 * KERNEL: with each SIGXCPU for the soft CPU limit the kernel raises it by a
 * second (kernel/time/posix-cpu-timers.c), and the filter lets nobody inside
 * set it. soft: what it is now, in seconds. Whether that is such a raise.
 */
bool sup_evidence_cpu_raised(
    const struct sup_evidence *evidence, uint64_t soft);

/* Whether two observations of one child show the same confinement: ids,
 * capabilities, modes and limits. */
bool sup_evidence_is_same(
    const struct sup_evidence *a, const struct sup_evidence *b);

#endif
