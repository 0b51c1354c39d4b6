/*
 * What a host refused while a child was being confined: the setting behind
 * it, whether a weaker way may be tried then, and whether the refusal will
 * last. Pure tables; what a host can do is tried, never looked up here.
 */
#ifndef SUP_REFUSAL_H
#define SUP_REFUSAL_H

#include <stdbool.h>

#include "supervisor/verdict.h"

/* The stage that stands in the command and not in the child. */
#define SUP_STAGE_NAMESPACES "namespaces"

/* What the operator can do about errno in a stage; never empty. */
const char *sup_refusal_advice(const char *stage, int error);

/*
 * Whether an execution that ended like this was refused by the host before
 * anything of the program was sent, so that another way to make a child may
 * be tried. Not what is our own failure, and not what would be the same in
 * any child: an interpreter that cannot be executed, a limit that is too low.
 */
bool sup_refusal_is(const struct sup_facts *facts);

/*
 * Whether the host will refuse it again: so for what its settings forbid, not
 * for what it was short of, nor for what has no errno at all.
 */
bool sup_refusal_lasts(const struct sup_facts *facts);

/* Takes "weir: stage WORD failed: errno N" apart, as the module says it;
 * false when the text is another. */
bool sup_refusal_parse(
    const char *text, enum wire_stage *ret_stage, int *ret_error);

#endif
