#include "wire/report.h"

/*
 * The words stand in arrays, not behind pointers: the stub is linked from
 * this file too, and a table without pointers needs no relocation there.
 */
static const struct {
	char word[16];
	char what[48];
} stages[WIRE_STAGE_COUNT] = {
#define X(name, text, explanation) [WIRE_STAGE_##name] = {text, explanation},
    WIRE_STAGES(X)
#undef X
};

/* A text that fills its array would lack its NUL. */
#define X(name, text, explanation)                                             \
	_Static_assert(sizeof(text) <= 16, "stage word");                      \
	_Static_assert(sizeof(explanation) <= 48, "stage text");
WIRE_STAGES(X)
#undef X

_Static_assert(offsetof(struct wire_report, detail) + sizeof(uint32_t) ==
	sizeof(struct wire_report),
    "no padding behind the last field");

const char *
wire_stage_word(enum wire_stage stage)
{
	if ((unsigned)stage >= WIRE_STAGE_COUNT)
		return "unknown";
	return stages[stage].word;
}

const char *
wire_stage_what(enum wire_stage stage)
{
	if ((unsigned)stage >= WIRE_STAGE_COUNT)
		return "a stage that does not exist";
	return stages[stage].what;
}

enum wire_stage
wire_stage_from(struct wire_span word)
{
	unsigned i;
	size_t k;

	for (i = 0; i < WIRE_STAGE_COUNT; i++) {
		for (k = 0; k < word.len; k++) {
			/* Ends at the table's NUL at the latest. */
			if (stages[i].word[k] == '\0' ||
			    (uint8_t)stages[i].word[k] != word.p[k])
				break;
		}
		if (k == word.len && stages[i].word[k] == '\0')
			return (enum wire_stage)i;
	}
	return WIRE_STAGE_COUNT;
}

enum wire_err
wire_report_check(struct wire_span bytes, struct wire_report *ret_report)
{
	struct wire_report report;

	if (bytes.len != sizeof(report))
		return WIRE_ERR_BAD_ARGUMENT;
	__builtin_memcpy(&report, bytes.p, sizeof(report));
	if (report.magic != WIRE_REPORT_MAGIC)
		return WIRE_ERR_BAD_ARGUMENT;
	if (report.code < WIRE_REPORT_FAILED ||
	    report.code >= WIRE_REPORT_CODES)
		return WIRE_ERR_BAD_ARGUMENT;
	if (report.stage >= WIRE_STAGE_COUNT)
		return WIRE_ERR_BAD_ARGUMENT;
	*ret_report = report;
	return WIRE_OK;
}
