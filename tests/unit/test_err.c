#include "wire_help.h"

#include "wire/err.h"
#include "wire/kinds.h"

static bool
is_word(const char *word)
{
	return word[0] >= 'a' && word[0] <= 'z' &&
	    strspn(word, "abcdefghijklmnopqrstuvwxyz0123456789_") ==
	    strlen(word);
}

static void
t_every_error_has_its_own_word(void **state)
{
	unsigned a, b;

	(void)state;
	for (a = 0; a < WIRE_ERR_COUNT; a++) {
		assert_true(is_word(wire_err_word((enum wire_err)a)));
		assert_true(strlen(wire_err_meaning((enum wire_err)a)) > 0);
		for (b = 0; b < a; b++)
			assert_string_not_equal(wire_err_word((enum wire_err)a),
			    wire_err_word((enum wire_err)b));
	}
	assert_string_equal(wire_err_word(WIRE_OK), "ok");
	assert_string_equal(
	    wire_err_word(WIRE_ERR_DUPLICATE_MEMBER), "duplicate_member");
	assert_string_equal(wire_err_word(WIRE_ERR_CLOSED), "closed");
}

static void
t_numbers_outside_the_set_are_harmless(void **state)
{
	(void)state;
	assert_string_equal(wire_err_word(WIRE_ERR_COUNT), "unknown");
	assert_string_equal(wire_err_word((enum wire_err) - 1), "unknown");
	assert_true(strlen(wire_err_meaning((enum wire_err)12345)) > 0);
}

static void
t_fail_fills_info_when_there_is_one(void **state)
{
	struct wire_errinfo info = {"before", 9, 9};

	(void)state;
	assert_int_equal(
	    wire_fail(&info, WIRE_ERR_BAD_ID, "id", 7), WIRE_ERR_BAD_ID);
	assert_string_equal(info.site, "id");
	assert_int_equal(info.sys, 0);
	assert_int_equal(info.offset, 7);
	assert_int_equal(
	    wire_fail(NULL, WIRE_ERR_BAD_ID, "id", 7), WIRE_ERR_BAD_ID);
}

static void
t_tool_kinds_go_both_ways(void **state)
{
	unsigned kind;

	(void)state;
	for (kind = 1; kind < WIRE_TOOL_KIND_COUNT; kind++) {
		const char *word =
		    wire_tool_kind_word((enum wire_tool_kind)kind);

		assert_true(is_word(word));
		assert_int_equal(wire_tool_kind_from(span_of(word)), kind);
	}
	assert_string_equal(wire_tool_kind_word(WIRE_TOOL_NONE), "");
	assert_string_equal(wire_tool_kind_word(WIRE_TOOL_KIND_COUNT), "");
	assert_int_equal(wire_tool_kind_from(WIRE_LIT("")), WIRE_TOOL_NONE);
	assert_int_equal(
	    wire_tool_kind_from(WIRE_LIT("Failed")), WIRE_TOOL_NONE);
	assert_int_equal(
	    wire_tool_kind_from(WIRE_LIT("failed\0")), WIRE_TOOL_NONE);
	assert_int_equal(
	    wire_tool_kind_from(WIRE_LIT("exception")), WIRE_TOOL_NONE);
}

static void
t_claim_kinds_go_both_ways(void **state)
{
	unsigned kind;

	(void)state;
	for (kind = 1; kind < WIRE_CLAIM_KIND_COUNT; kind++) {
		const char *word =
		    wire_claim_kind_word((enum wire_claim_kind)kind);

		assert_true(is_word(word));
		assert_int_equal(wire_claim_kind_from(span_of(word)), kind);
	}
	assert_string_equal(wire_claim_kind_word(WIRE_CLAIM_NONE), "");
	assert_string_equal(wire_claim_kind_word(WIRE_CLAIM_KIND_COUNT), "");
	/* What only the host may say is no claim of the child's (S10). */
	assert_int_equal(
	    wire_claim_kind_from(WIRE_LIT("timeout")), WIRE_CLAIM_NONE);
	assert_int_equal(
	    wire_claim_kind_from(WIRE_LIT("memory")), WIRE_CLAIM_NONE);
	assert_int_equal(wire_claim_kind_from(WIRE_LIT("protocol_violation")),
	    WIRE_CLAIM_NONE);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(t_every_error_has_its_own_word),
	    cmocka_unit_test(t_numbers_outside_the_set_are_harmless),
	    cmocka_unit_test(t_fail_fills_info_when_there_is_one),
	    cmocka_unit_test(t_tool_kinds_go_both_ways),
	    cmocka_unit_test(t_claim_kinds_go_both_ways),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
