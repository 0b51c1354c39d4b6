/*
 * The launch plan: one sealed record from the supervisor to the child.
 *
 * Two plans use the format: the stub's (mounts, ids, limits, argv) and the
 * module's (filter, Landlock rules, probes). They are separate records, so
 * that nothing the stub needed is ever mapped in the interpreter.
 *
 * Format: a header, then records of {tag, length} and payload padded to 8
 * bytes, in host byte order: both ends are one build on one machine. The
 * reader checks everything (lengths, counts, terminating NULs) since the
 * record is input; it allocates nothing and points into the bytes.
 *
 * Layers: the plan has one enable bit a stage. A stub or module built without
 * WEIR_TEST_LAYERS takes every bit as set.
 *
 * Threads: pure.
 */
#ifndef WIRE_PLAN_H
#define WIRE_PLAN_H

#include "wire/err.h"
#include "wire/msg.h"
#include "wire/report.h"
#include "wire/span.h"

#define WIRE_PLAN_MAX	   (256 * WIRE_KIB)
#define WIRE_PLAN_MOUNTS   96
#define WIRE_PLAN_LINKS	   16
#define WIRE_PLAN_ARGS	   16
#define WIRE_PLAN_ENV	   64
#define WIRE_PLAN_RULES	   96
#define WIRE_PLAN_CANARIES WIRE_READY_MAX_CANARIES
#define WIRE_PLAN_FILTER   4096 /* BPF_MAXINSNS of Linux */

/* Descriptors that the stub finds at its start. */
#define WIRE_FD_CHANNEL 3
#define WIRE_FD_REPORT	4
#define WIRE_FD_PLAN	5
#define WIRE_FD_SEAL	6
#define WIRE_FD_MOUNTS	7 /* and up: detached mounts */

enum wire_mount_kind {
	WIRE_MOUNT_FILE, /* bind of something that is not a directory */
	WIRE_MOUNT_DIR,	 /* bind of a directory, with what is mounted below */
};

enum wire_mount_flag {
	WIRE_MOUNT_WRITE = 1 << 0,  /* else read-only */
	WIRE_MOUNT_DEVICE = 1 << 1, /* else nodev */
};

struct wire_plan_mount {
	enum wire_mount_kind kind;
	unsigned flags;
	int fd;		    /* a detached mount, or -1: source is bound */
	const char *source; /* host path; "" with a descriptor */
	const char *target; /* absolute, beneath the new root */
};

struct wire_plan_link {
	const char *path; /* absolute, beneath the new root */
	const char *target;
};

/*
 * How a child is held. ISOLATED: all namespaces and a root of its own.
 * PROCESS: Landlock and seccomp on the host's root, in whatever namespaces
 * the host gives; process 1 is the subreaper. NONE: neither (C1).
 */
enum wire_backend {
	WIRE_BACKEND_ISOLATED,
	WIRE_BACKEND_PROCESS,
	WIRE_BACKEND_NONE,
	WIRE_BACKENDS
};

/* A Landlock rule; access bits as in <linux/landlock.h>. */
struct wire_plan_rule {
	const char *path;
	uint64_t access;
};

struct wire_plan_insn { /* struct sock_filter */
	uint16_t code;
	uint8_t jt, jf;
	uint32_t k;
};

/* Sentinel of a limit that is not to be set. */
#define WIRE_PLAN_UNSET UINT64_MAX
/* Sentinel of ids that are not to be changed; both then are. */
#define WIRE_PLAN_KEEP UINT32_MAX
/*
 * Stands in the filter for the program's own process id, where that is not
 * known before it runs: the module puts the number in its place. Above any
 * process id (PID_MAX_LIMIT of Linux is 2^22).
 */
#define WIRE_PLAN_OWN_PID 0x4f574e50u

struct wire_plan {
	uint32_t layers; /* bit (1 << WIRE_STAGE_x) for each stage */
	uint32_t channel_fd;
	enum wire_backend backend;
	/* Bool: in a user and a PID namespace of its own. ISOLATED always is,
	 * NONE never. */
	uint32_t namespaces;
	uint32_t uid, gid; /* to become, inside; WIRE_PLAN_KEEP: as it is */
	uint32_t by_pid;   /* bool: process 1 adds its own id to uid and gid */
	/* Bool: process 1 hands out a descriptor on the workspace. */
	uint32_t send_workspace;
	/* Bool: the filter asks where it refuses, and the module hands its
	 * listener to the host (seccomp_unotify(2)). */
	uint32_t trace;
	uint32_t threads; /* of the program, watched by process 1; 0: not */
	/* That the program may have beside its first one. With any, what it
	 * can write to holds nothing that can be executed. */
	uint32_t processes;
	uint64_t workspace_bytes, workspace_inodes;
	uint64_t soft[WIRE_LIMITS], hard[WIRE_LIMITS];
	uint64_t landlock_handled; /* access bits the ruleset handles, fs */
	uint64_t landlock_net;	   /* likewise network */
	uint64_t landlock_scoped;
	const char *workspace; /* absolute path inside; "" for none */
	size_t mount_count, link_count, arg_count, env_count, rule_count,
	    canary_count, insn_count;
	struct wire_plan_mount mounts[WIRE_PLAN_MOUNTS];
	struct wire_plan_link links[WIRE_PLAN_LINKS];
	const char *args[WIRE_PLAN_ARGS + 1]; /* NULL-terminated */
	const char *env[WIRE_PLAN_ENV + 1];
	struct wire_plan_rule rules[WIRE_PLAN_RULES];
	const char *canaries[WIRE_PLAN_CANARIES];
	const struct wire_plan_insn *insns; /* aligned, in the bytes */
};

/* Whether a stage is to run. */
static inline bool
wire_plan_has(const struct wire_plan *plan, enum wire_stage stage)
{
#ifdef WEIR_TEST_LAYERS
	return (plan->layers >> stage & 1) != 0;
#else
	(void)plan;
	(void)stage;
	return true;
#endif
}

/* Writes *plan at buf. WIRE_ERR_NO_SPACE, or WIRE_ERR_BAD_PLAN for counts
 * over the maxima, NULL strings (a NULL workspace is "") and whatever else
 * the reader would refuse. Lengths are multiples of 8. */
WIRE_MUST_USE enum wire_err wire_plan_encode(
    const struct wire_plan *plan, uint8_t *buf, size_t max, size_t *ret_len);

/*
 * Reads bytes, which must be aligned to 8 (else WIRE_ERR_BAD_ARGUMENT) and
 * outlive *ret_plan. WIRE_ERR_BAD_PLAN for anything malformed: lengths,
 * counts, order, padding, unknown tags and bits, strings without an end,
 * targets that are not absolute or have a `..` segment, a mount with neither
 * or both of a descriptor (WIRE_FD_MOUNTS and up) and an absolute source.
 */
WIRE_MUST_USE enum wire_err wire_plan_decode(
    struct wire_span bytes, struct wire_plan *ret_plan);

#endif
