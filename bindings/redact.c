#include "bindings/redact.h"

#include <string.h>

static bool
begins_with(struct wire_span said, const uint8_t *p, size_t len)
{
	return said.len >= len && memcmp(said.p, p, len) == 0;
}

/* Bytes of the longest text that stands here; 0: none does. */
static size_t
text_at(const struct bind_redact *redact, struct wire_span said)
{
	size_t longest = 0;

	for (size_t i = 0; i < redact->count; i++) {
		struct wire_span hidden = redact->texts[i];

		if (hidden.len >= BIND_REDACT_LEAST && hidden.len > longest &&
		    begins_with(said, hidden.p, hidden.len))
			longest = hidden.len;
	}
	return longest;
}

/* Likewise for the end of a text whose beginning is missing. */
static size_t
rest_at(const struct bind_redact *redact, struct wire_span said)
{
	size_t longest = 0;

	for (size_t i = 0; i < redact->count; i++) {
		struct wire_span hidden = redact->texts[i];

		if (hidden.len < BIND_REDACT_LEAST)
			continue;
		for (size_t cut = 1; hidden.len - cut > longest; cut++) {
			if (begins_with(
				said, hidden.p + cut, hidden.len - cut)) {
				longest = hidden.len - cut;
				break;
			}
		}
	}
	return longest;
}

void
bind_redact_add(struct bind_text *text, const struct bind_redact *redact,
    struct wire_span said, bool is_tail)
{
	size_t plain = 0;

	while (plain < said.len && !text->full) {
		struct wire_span rest = {said.p + plain, said.len - plain};
		size_t len = text_at(redact, rest);

		if (len == 0 && is_tail && plain == 0)
			len = rest_at(redact, said);
		/* No more than there is room for is looked at. */
		if (len == 0 && plain < text->max) {
			plain++;
			continue;
		}
		bind_text_add_span(text, (struct wire_span){said.p, plain});
		if (len > 0)
			bind_text_add(text, BIND_REDACT_WORD);
		said.p += plain + len;
		said.len -= plain + len;
		plain = 0;
		is_tail = false;
	}
	if (plain > 0)
		bind_text_add_span(text, (struct wire_span){said.p, plain});
}
