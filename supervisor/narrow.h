/*
 * The terms of an execution as an intersection (C19): backend, deployment
 * profile, tenant policy, request.
 *
 * Pure. What each stage says becomes bounds of one form; two bounds meet
 * member by member, to the smaller number, the higher least level, the common
 * tools. So the order of the stages does not matter, a stage that says a thing
 * twice says it once, and nothing that meets is wider than either.
 *
 * Wishes that have to be met rather than clamped (a level, the network) are
 * collected the same way; sup_narrow_refusal says whether the bounds grant
 * them.
 */
#ifndef SUP_NARROW_H
#define SUP_NARROW_H

#include "supervisor/kinds.h"
#include "supervisor/profile_read.h"

/* A set of tools, by name. */
struct sup_names {
	bool all;
	const struct wire_span *names; /* in any order */
	size_t count;
};

struct sup_bounds {
	uint64_t limits[SUP_LIMITS];
	bool halt_on_exhaust;	   /* somebody says so */
	bool network;		   /* granted by everybody so far */
	bool network_wanted;	   /* by somebody */
	enum sup_level level;	   /* the least that will do */
	enum sup_level level_most; /* the most that can be had */
	uint32_t require;	   /* of enum sup_require */
	struct sup_names tools;
};

/* What meets everything without a change. */
void sup_bounds_widest(struct sup_bounds *ret_bounds);

/* What can be done at all: ceilings, mechanisms of this version, and the level
 * that the way of confining can reach. */
void sup_bounds_backend(enum sup_level most, struct sup_bounds *ret_bounds);

/*
 * The deployment: the profile (NULL: none), with the defaults where it is
 * silent. limits of which `given` has the bit, level unless it is NULL, and
 * network where it is true, stand in place of the profile's: they are the
 * command line's, which speaks for the deployment too.
 */
void sup_bounds_deployment(const struct sup_profile *profile,
    const uint64_t limits[SUP_LIMITS], uint32_t given,
    const enum sup_level *level, bool network, struct sup_bounds *ret_bounds);

/* A policy or a request; it borrows the policy's tools. */
void sup_bounds_narrower(
    const struct sup_profile *profile, struct sup_bounds *ret_bounds);

/*
 * Where both list tools, room takes the common ones: it has as many places as
 * the shorter list, and outlives *ret_bounds, which may be a or b.
 */
void sup_narrow(const struct sup_bounds *a, const struct sup_bounds *b,
    struct wire_span *room, struct sup_bounds *ret_bounds);

/* The most of the level when these bounds are used in full. */
enum sup_level sup_narrow_level_most(const struct sup_bounds *bounds);

/* NONE, or how what these bounds want and do not grant is refused. */
enum sup_kind sup_narrow_refusal(const struct sup_bounds *bounds);

bool sup_names_has(const struct sup_names *names, struct wire_span name);

/* Whether a grants nothing that b does not, and insists on no less. */
bool sup_bounds_within(const struct sup_bounds *a, const struct sup_bounds *b);

#endif
