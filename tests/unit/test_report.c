#include "wire_help.h"

#include "wire/report.h"

static void
t_stages_go_both_ways(void **state)
{
	unsigned i;

	(void)state;
	for (i = 0; i < WIRE_STAGE_COUNT; i++) {
		enum wire_stage stage = (enum wire_stage)i;
		struct wire_span word = exact(span_of(wire_stage_word(stage)));

		assert_true(word.len > 0);
		assert_true(strlen(wire_stage_what(stage)) > 0);
		assert_int_equal(wire_stage_from(word), stage);
		/* Neither a beginning of a word nor more than one. */
		word.len--;
		assert_int_equal(wire_stage_from(word), WIRE_STAGE_COUNT);
		drop(word);
	}
	assert_string_equal(wire_stage_word(WIRE_STAGE_SECCOMP), "seccomp");
	assert_string_equal(wire_stage_word(WIRE_STAGE_COUNT), "unknown");
	assert_true(strlen(wire_stage_what(WIRE_STAGE_COUNT)) > 0);
	assert_int_equal(wire_stage_from(WIRE_LIT("")), WIRE_STAGE_COUNT);
	assert_int_equal(wire_stage_from(WIRE_LIT("roots")), WIRE_STAGE_COUNT);
	assert_int_equal(wire_stage_from(WIRE_LIT("root\0")), WIRE_STAGE_COUNT);
	assert_int_equal(wire_stage_from(WIRE_LIT("address_space_and_more")),
	    WIRE_STAGE_COUNT);
}

static enum wire_err
check(const struct wire_report *report, struct wire_report *ret)
{
	return wire_report_check(
	    (struct wire_span){(const uint8_t *)report, sizeof(*report)}, ret);
}

static void
t_records_are_checked(void **state)
{
	struct wire_report good, report, got;
	uint8_t shifted[sizeof(struct wire_report) + 1];

	(void)state;
	memset(&good, 0x5a, sizeof(good));
	good.magic = WIRE_REPORT_MAGIC;
	good.code = WIRE_REPORT_FAILED;
	good.stage = WIRE_STAGE_COUNT - 1;
	assert_int_equal(check(&good, &got), WIRE_OK);
	assert_memory_equal(&got, &good, sizeof(got));

	report = good;
	report.magic ^= 1;
	assert_int_equal(check(&report, &got), WIRE_ERR_BAD_ARGUMENT);
	report = good;
	report.code = 0;
	assert_int_equal(check(&report, &got), WIRE_ERR_BAD_ARGUMENT);
	report.code = WIRE_REPORT_CODES - 1;
	assert_int_equal(check(&report, &got), WIRE_OK);
	report.code = WIRE_REPORT_CODES;
	assert_int_equal(check(&report, &got), WIRE_ERR_BAD_ARGUMENT);
	report = good;
	report.stage = WIRE_STAGE_COUNT;
	assert_int_equal(check(&report, &got), WIRE_ERR_BAD_ARGUMENT);

	/* Exact length, any alignment; nothing is written on failure. */
	memcpy(shifted + 1, &good, sizeof(good));
	memset(&got, 0, sizeof(got));
	assert_int_equal(
	    wire_report_check(
		(struct wire_span){shifted + 1, sizeof(good) - 1}, &got),
	    WIRE_ERR_BAD_ARGUMENT);
	assert_int_equal(
	    wire_report_check((struct wire_span){shifted, 0}, &got),
	    WIRE_ERR_BAD_ARGUMENT);
	assert_int_equal(
	    wire_report_check(
		(struct wire_span){shifted, sizeof(shifted)}, &got),
	    WIRE_ERR_BAD_ARGUMENT);
	assert_int_equal(got.magic, 0);
	assert_int_equal(
	    wire_report_check(
		(struct wire_span){shifted + 1, sizeof(good)}, &got),
	    WIRE_OK);
	assert_memory_equal(&got, &good, sizeof(got));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(t_stages_go_both_ways),
	    cmocka_unit_test(t_records_are_checked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
