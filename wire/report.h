/*
 * What the stub tells the supervisor over the report socket: fixed records,
 * one datagram each (SOCK_SEQPACKET), so that nothing is parsed.
 *
 * Process 1 sends them; nothing untrusted has the descriptor. The host still
 * checks length, magic and ranges: the record crosses a process boundary.
 * Pure.
 */
#ifndef WIRE_REPORT_H
#define WIRE_REPORT_H

#include <stdint.h>

#include "wire/err.h"
#include "wire/span.h"

/*
 * The stages of a start in their order. X(constant, word, what failed).
 * The words appear in results, in `--test-skip` of the test build, and in
 * the manual.
 */
#define WIRE_STAGES(X)                                                         \
	X(PLAN, "plan", "reading the launch plan")                             \
	X(DESCRIPTORS, "descriptors", "closing foreign descriptors")           \
	X(MAPS, "maps", "waiting for the id maps")                             \
	X(MEMORY, "memory", "limiting memory")                                 \
	X(IDS, "ids", "changing ids")                                          \
	X(ROOT, "root", "building the root")                                   \
	X(WORKSPACE, "workspace", "making the workspace")                      \
	X(CAPABILITIES, "capabilities", "dropping capabilities")               \
	X(NO_NEW_PRIVS, "no_new_privs", "setting no_new_privs")                \
	X(DUMPABLE, "dumpable", "clearing dumpable")                           \
	X(SUBREAPER, "subreaper", "becoming the subreaper")                    \
	X(FORK, "fork", "forking process 2")                                   \
	X(CORE, "core", "limiting core files")                                 \
	X(CPU, "cpu", "limiting CPU time")                                     \
	X(ADDRESS_SPACE, "address_space", "limiting address space")            \
	X(FILE_SIZE, "file_size", "limiting file size")                        \
	X(PROCESSES, "processes", "limiting processes")                        \
	X(OPEN_FILES, "open_files", "limiting open files")                     \
	X(EXEC, "exec", "executing the interpreter")                           \
	X(LANDLOCK, "landlock", "applying Landlock")                           \
	X(SECCOMP, "seccomp", "installing the system-call filter")             \
	X(PROBE, "probe", "probing the confinement")

enum wire_stage {
#define X(name, word, what) WIRE_STAGE_##name,
	WIRE_STAGES(X)
#undef X
	    WIRE_STAGE_COUNT
};

const char *wire_stage_word(enum wire_stage stage);
const char *wire_stage_what(enum wire_stage stage);
/* WIRE_STAGE_COUNT when there is no such stage. */
enum wire_stage wire_stage_from(struct wire_span word);

enum wire_report_code {
	WIRE_REPORT_FAILED = 1, /* stage, sys; the sender exits */
	WIRE_REPORT_LAUNCHED,	/* process 2 forked; a pidfd comes along */
	WIRE_REPORT_EXITED,	/* process 2 is gone: status and usage */
	WIRE_REPORT_EXCEEDED,	/* what is only watched was: an end */
	WIRE_REPORT_WORKSPACE,	/* a descriptor on it comes along */
	WIRE_REPORT_CODES
};

/* What process 1 watches where the kernel keeps no limit of it. */
enum wire_exceeded {
	WIRE_EXCEEDED_BYTES, /* of the workspace */
	WIRE_EXCEEDED_INODES,
	WIRE_EXCEEDED_HIDDEN, /* it is too deep, or closed to a look */
	WIRE_EXCEEDED_THREADS,
	WIRE_EXCEEDED_PROCESSES, /* these two: seen by the host */
	WIRE_EXCEEDED_CPU,	 /* of all processes together */
	WIRE_EXCEEDED_COUNT
};

#define WIRE_REPORT_MAGIC 0x77726570u

struct wire_report {
	uint32_t magic;
	uint16_t code;
	uint16_t stage;
	int32_t sys;	     /* FAILED: errno */
	int32_t wait_status; /* EXITED: as wait4(2) gives it */
	uint64_t user_us;    /* EXITED: CPU time of process 2 */
	uint64_t system_us;
	uint64_t max_rss_kb; /* EXITED: its own peak, not its parent's */
	uint32_t mounts;     /* LAUNCHED: mounts visible beneath the new root */
	uint32_t links;	     /* LAUNCHED: network interfaces seen */
	uint32_t links_up;   /* LAUNCHED: of them up */
	uint32_t detail;     /* FAILED: which item of the stage, from 0;
			      * LAUNCHED: 1 when process 1 is the subreaper;
			      * EXITED: its soft CPU limit at the end, in
			      * seconds; EXCEEDED: enum wire_exceeded */
};

/* The supervisor's one byte back: the id maps stand. */
#define WIRE_REPORT_GO 'g'

/* Checks a datagram: exact length, magic, code and stage in range. */
WIRE_MUST_USE enum wire_err wire_report_check(
    struct wire_span bytes, struct wire_report *ret_report);

#endif
