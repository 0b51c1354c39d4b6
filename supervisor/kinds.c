#include "supervisor/kinds.h"

#include <string.h>

#include "wire/err.h"

static const char *const words[SUP_KIND_COUNT] = {[SUP_KIND_NONE] = "",
#define X(name, word, guidance) [SUP_KIND_##name] = (word),
    SUP_KINDS(X)
#undef X
};

static const char *const guidances[SUP_KIND_COUNT] = {[SUP_KIND_NONE] = "",
#define X(name, word, guidance) [SUP_KIND_##name] = (guidance),
    SUP_KINDS(X)
#undef X
};

const char *
sup_kind_word(enum sup_kind kind)
{
	WIRE_BUG_IF((unsigned)kind >= SUP_KIND_COUNT);
	return words[kind];
}

const char *
sup_kind_guidance(enum sup_kind kind)
{
	WIRE_BUG_IF((unsigned)kind >= SUP_KIND_COUNT);
	return guidances[kind];
}

enum sup_kind
sup_kind_from(struct wire_span word)
{
	unsigned kind;

	for (kind = SUP_KIND_NONE + 1; kind < SUP_KIND_COUNT; kind++) {
		if (strlen(words[kind]) == word.len &&
		    memcmp(words[kind], word.p, word.len) == 0)
			return (enum sup_kind)kind;
	}
	return SUP_KIND_NONE;
}
