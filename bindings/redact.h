/*
 * Texts that must not be shown (B14): values that came from a configuration's
 * environment or from the host's, taken out of what others say.
 *
 * Owns: nothing; the list is the caller's. Texts of less than
 * BIND_REDACT_LEAST bytes are not looked for: they hide nothing, and would be
 * found everywhere. A text is also found where some of it is escaped as in a
 * string of JSON. Steps are linear in the bytes shown, times those of the
 * texts. Pure.
 */
#ifndef BIND_REDACT_H
#define BIND_REDACT_H

#include "bindings/text.h"

#define BIND_REDACT_LEAST 4

struct bind_redact {
	const struct wire_span *texts;
	size_t count;
};

/* Adds what was said with BIND_REDACT_WORD in place of every text. is_tail:
 * the beginning is missing, so the end of a text at the front is one, too. */
#define BIND_REDACT_WORD "[hidden]"
void bind_redact_add(struct bind_text *text, const struct bind_redact *redact,
    struct wire_span said, bool is_tail);

#endif
