#include "bindings/kinds.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* cmocka wants the headers above it first */
#include <cmocka.h>

/* In the order of B11, spelled out: a kind that is added must be added here. */
static const struct {
	enum wire_tool_kind kind;
	const char *word;
	bool hard;
} rows[] = {
    {WIRE_TOOL_POLICY_REFUSED, "policy_refused", false},
    {WIRE_TOOL_NOT_OFFERED, "not_offered", false},
    {WIRE_TOOL_FAILED, "failed", false},
    {WIRE_TOOL_UNREACHABLE, "unreachable", false},
    {WIRE_TOOL_TIMED_OUT, "timed_out", false},
    {WIRE_TOOL_CANCELLED, "cancelled", false},
    {WIRE_TOOL_BUDGET_SPENT, "budget_spent", true},
    {WIRE_TOOL_NOT_RECORDED, "not_recorded", false},
    {WIRE_TOOL_APPROVAL_REQUIRED, "approval_required", false},
    {WIRE_TOOL_INPUT_REQUIRED, "input_required", false},
    {WIRE_TOOL_ARGUMENTS_TOO_LARGE, "arguments_too_large", false},
    {WIRE_TOOL_RESULT_TOO_LARGE, "result_too_large", false},
    {WIRE_TOOL_RESULT_NOT_PAGED, "binding_result_not_paged", false},
    {WIRE_TOOL_HANDLE_NOT_YOURS, "handle_not_yours", false},
    {WIRE_TOOL_PATH_TRAVERSAL, "path_traversal", false},
    {WIRE_TOOL_FS_READ_DENIED, "fs_read_denied", false},
    {WIRE_TOOL_FS_WRITE_DENIED, "fs_write_denied", false},
    {WIRE_TOOL_NOT_FOUND, "not_found", false},
    {WIRE_TOOL_EGRESS_DENIED, "egress_denied", false},
};

#define ROWS (sizeof(rows) / sizeof(rows[0]))

_Static_assert(ROWS == WIRE_TOOL_KIND_COUNT - 1, "each kind has a row");

static void
t_every_kind_has_its_word_and_hardness(void **state)
{
	(void)state;
	for (size_t i = 0; i < ROWS; i++) {
		assert_string_equal(
		    wire_tool_kind_word(rows[i].kind), rows[i].word);
		assert_int_equal(bind_kind_is_hard(rows[i].kind), rows[i].hard);
	}
}

static void
t_every_kind_has_one_sentence_of_its_own(void **state)
{
	(void)state;
	for (size_t i = 0; i < ROWS; i++) {
		const char *text = bind_kind_guidance(rows[i].kind);
		size_t len = strlen(text);

		assert_in_range(len, 20, 120);
		assert_int_equal(text[len - 1], '.');
		assert_null(strchr(text, '\n'));
		for (size_t k = 0; k < i; k++)
			assert_string_not_equal(
			    text, bind_kind_guidance(rows[k].kind));
	}
}

static void
t_none_has_no_guidance(void **state)
{
	(void)state;
	assert_string_equal(bind_kind_guidance(WIRE_TOOL_NONE), "");
	assert_false(bind_kind_is_hard(WIRE_TOOL_NONE));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(t_every_kind_has_its_word_and_hardness),
	    cmocka_unit_test(t_every_kind_has_one_sentence_of_its_own),
	    cmocka_unit_test(t_none_has_no_guidance),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
