/*
 * The marks that a tool's configuration may have, as words (B9):
 *
 *	requires_approval	somebody has to agree to each call
 *	may_suspend		a call may stop and ask a person for something
 *
 * A tool with either is offered, and each call of it is refused before it
 * runs, with the advice to call it directly. For whatever reads configuration:
 * the command line, and files that name tools. Pure.
 */
#ifndef BIND_MARKS_H
#define BIND_MARKS_H

#include "bindings/catalogue.h"

/* False when the word is none of them. */
WIRE_MUST_USE bool bind_mark_from(
    struct wire_span word, enum bind_tool_mark *ret_mark);

/* The words in turn, from 0; NULL past the end. */
const char *bind_mark_word(size_t index);

#endif
