#include "bindings/marks.h"

#include <string.h>

static const struct {
	const char *word;
	enum bind_tool_mark mark;
} marks[] = {
    {"requires_approval", BIND_TOOL_NEEDS_APPROVAL},
    {"may_suspend", BIND_TOOL_NEEDS_INPUT},
};

#define MARKS (sizeof(marks) / sizeof(marks[0]))

bool
bind_mark_from(struct wire_span word, enum bind_tool_mark *ret_mark)
{
	for (size_t i = 0; i < MARKS; i++) {
		struct wire_span known = {
		    (const uint8_t *)marks[i].word, strlen(marks[i].word)};

		if (!wire_span_equal(known, word))
			continue;
		*ret_mark = marks[i].mark;
		return true;
	}
	return false;
}

const char *
bind_mark_word(size_t index)
{
	return index < MARKS ? marks[index].word : NULL;
}
