/*
 * The ways to make a child (spawn.h), each with what became of a program that
 * was run that way and no other, and what of the host it lacks. Pure, but for
 * the stream.
 */
#ifndef SUP_DOCTOR_WAYS_H
#define SUP_DOCTOR_WAYS_H

#include <stdio.h>

#include "supervisor/doctor_reason.h"
#include "wire/json_out.h"

/* X(constant, word, level, for people); the strongest first. */
#define SUP_DOCTOR_WAYS(X)                                                     \
	X(ISOLATED, "isolated", "isolated", "isolated")                        \
	X(NAMESPACES, "namespaces", "process", "process, in namespaces")       \
	X(PLAIN, "plain", "process", "process, without any")

enum sup_doctor_way {
#define X(name, word, level, text) SUP_WAY_##name,
	SUP_DOCTOR_WAYS(X)
#undef X
	    SUP_WAY_COUNT
};

struct sup_doctor_way_is {
	bool tried;	/* a result came of it */
	bool available; /* and the program ran */
	/* What kept it from running, as `weir run` says it; or why it was not
	 * tried. "": it ran. */
	char error[SUP_DOCTOR_TEXT];
	char cure[SUP_DOCTOR_TEXT]; /* when no step has one */
	/* Of the result: an object, as it stands there; or empty. */
	struct wire_span guarantees;
};

/* Steps that were refused and that this way needs, as a set of
 * SUP_DOCTOR_BIT. */
uint64_t sup_doctor_way_missing(enum sup_doctor_way way, uint64_t failed);

/* "namespaces", for the way of that name. */
const char *sup_doctor_way_word(enum sup_doctor_way way);

/* One object. reasons: of all steps. */
void sup_doctor_way_put_json(enum sup_doctor_way way,
    const struct sup_doctor_way_is *is, uint64_t failed,
    const struct sup_doctor_reason *reasons, struct wire_out *out);

/* One line, and beneath a refusal the cure. */
void sup_doctor_way_put_text(enum sup_doctor_way way,
    const struct sup_doctor_way_is *is, uint64_t failed,
    const struct sup_doctor_reason *reasons, FILE *stream);

/* How much the workspace of level process is, and how much more a program can
 * have on disk before it is ended (C16). base: "" when there is none. */
void sup_doctor_workspace_put_json(const char *base, struct wire_out *out);
void sup_doctor_workspace_put_text(const char *base, FILE *stream);

#endif
