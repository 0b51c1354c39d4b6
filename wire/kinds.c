#include "wire/kinds.h"

#include <string.h>

static const char *const tool_words[WIRE_TOOL_KIND_COUNT] = {
    [WIRE_TOOL_NONE] = "",
#define X(name, word) [WIRE_TOOL_##name] = word,
    WIRE_TOOL_KINDS(X)
#undef X
};

static const char *const claim_words[WIRE_CLAIM_KIND_COUNT] = {
    [WIRE_CLAIM_NONE] = "",
#define X(name, word) [WIRE_CLAIM_##name] = word,
    WIRE_CLAIM_KINDS(X)
#undef X
};

/* Index of the word; 0, which is NONE in both sets, when it is not there. */
static unsigned
find(const char *const *words, unsigned count, struct wire_span word)
{
	unsigned i;

	for (i = 1; i < count; i++) {
		if (strlen(words[i]) == word.len &&
		    memcmp(words[i], word.p, word.len) == 0)
			return i;
	}
	return 0;
}

const char *
wire_tool_kind_word(enum wire_tool_kind kind)
{
	return (unsigned)kind < WIRE_TOOL_KIND_COUNT ? tool_words[kind] : "";
}

const char *
wire_claim_kind_word(enum wire_claim_kind kind)
{
	return (unsigned)kind < WIRE_CLAIM_KIND_COUNT ? claim_words[kind] : "";
}

enum wire_tool_kind
wire_tool_kind_from(struct wire_span word)
{
	return (enum wire_tool_kind)find(
	    tool_words, WIRE_TOOL_KIND_COUNT, word);
}

enum wire_claim_kind
wire_claim_kind_from(struct wire_span word)
{
	return (enum wire_claim_kind)find(
	    claim_words, WIRE_CLAIM_KIND_COUNT, word);
}
