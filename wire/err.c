#include "wire/err.h"

static const struct {
	const char *word;
	const char *meaning;
} errors[WIRE_ERR_COUNT] = {[WIRE_OK] = {"ok", "no error"},
#define X(name, word, meaning) [WIRE_ERR_##name] = {word, meaning},
    WIRE_ERRORS(X)
#undef X
};

const char *
wire_err_word(enum wire_err err)
{
	if ((unsigned)err >= WIRE_ERR_COUNT)
		return "unknown";
	return errors[err].word;
}

const char *
wire_err_meaning(enum wire_err err)
{
	if ((unsigned)err >= WIRE_ERR_COUNT)
		return "an error that does not exist";
	return errors[err].meaning;
}
