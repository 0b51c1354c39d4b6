/*
 * Inside of wire/: the bytes of a launch plan.
 *
 * The format is canonical: records stand in the order of their tags, padding
 * is zero, and what is absent has no record. So whatever is accepted encodes
 * to the same bytes again, and a test can say so.
 */
#ifndef WIRE_PLAN_FORMAT_H
#define WIRE_PLAN_FORMAT_H

#include "wire/plan.h"

#define WIRE_PLAN_MAGIC	  0x6e6c7077u
#define WIRE_PLAN_VERSION 3u

enum wire_plan_tag {
	WIRE_PLAN_TAG_FIXED = 1, /* struct wire_plan_fixed, once */
	WIRE_PLAN_TAG_WORKSPACE, /* a string, once */
	WIRE_PLAN_TAG_MOUNT, /* struct wire_plan_mount_head, source, target */
	WIRE_PLAN_TAG_LINK,  /* path, target */
	WIRE_PLAN_TAG_ARG,
	WIRE_PLAN_TAG_ENV,
	WIRE_PLAN_TAG_RULE, /* access (8 bytes), path */
	WIRE_PLAN_TAG_CANARY,
	WIRE_PLAN_TAG_FILTER, /* instructions of 8 bytes, at most once */
	WIRE_PLAN_TAGS
};

struct wire_plan_header {
	uint32_t magic;
	uint32_t version;
	uint64_t len; /* of everything, this header included */
};

struct wire_plan_record {
	uint32_t tag;
	uint32_t len; /* of the payload, without its padding */
};

struct wire_plan_fixed {
	uint64_t workspace_bytes, workspace_inodes;
	uint64_t soft[WIRE_LIMITS], hard[WIRE_LIMITS];
	uint64_t landlock_handled, landlock_net, landlock_scoped;
	uint32_t layers, channel_fd, backend, namespaces, uid, gid, by_pid,
	    threads, send_workspace, processes, trace, zero;
};

struct wire_plan_mount_head {
	uint32_t kind, flags;
	int32_t fd;
	uint32_t zero;
};

_Static_assert(sizeof(struct wire_plan_header) == 16, "no padding");
_Static_assert(sizeof(struct wire_plan_fixed) == 8 * (5 + 2 * WIRE_LIMITS) + 48,
    "no padding");
_Static_assert(sizeof(struct wire_plan_mount_head) == 16, "no padding");
_Static_assert(sizeof(struct wire_plan_insn) == 8, "as struct sock_filter");
_Static_assert(WIRE_PLAN_FILTER * 8 <= WIRE_PLAN_MAX, "a filter fits");
_Static_assert(WIRE_STAGE_COUNT < 32, "a bit for each stage");

/* What a plan must be, whichever way it goes: counts, strings, values. */
bool wire_plan_is_good(const struct wire_plan *plan);

#endif
