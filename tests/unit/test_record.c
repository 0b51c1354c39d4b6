#include "bindings/record.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* cmocka wants the headers above it first */
#include <cmocka.h>

static struct bind_record_list list;
static struct bind_record record;

static int
set_up(void **state)
{
	(void)state;
	bind_record_list_init(&list);
	record = bind_record_list_record(&list);
	return 0;
}

static struct bind_record_entry
entry_of(uint64_t id, enum bind_call_state state)
{
	return (struct bind_record_entry){
	    .id = id,
	    .tool = WIRE_LIT("tool"),
	    .state = state,
	    .argument_bytes = id,
	};
}

static void
put(uint64_t id, enum bind_call_state state)
{
	struct bind_record_entry entry = entry_of(id, BIND_CALL_STARTED);

	if (state != BIND_CALL_REFUSED)
		assert_int_equal(
		    record.started(record.arg, &entry), WIRE_TOOL_NONE);
	if (state != BIND_CALL_STARTED) {
		entry.state = state;
		assert_int_equal(record.ended(record.arg, &entry), WIRE_OK);
	}
}

/* The kept ids must be exactly the first and last of `total`. */
static void
check_ids(uint64_t total)
{
	const struct bind_record_entry *entry;
	size_t cursor = 0, seen = 0;
	uint64_t expected = 0;

	while ((entry = bind_record_list_next(&list, &cursor)) != NULL) {
		if (expected == BIND_RECORD_HEAD &&
		    total > BIND_RECORD_HEAD + BIND_RECORD_TAIL)
			expected = total - BIND_RECORD_TAIL;
		assert_int_equal(entry->id, expected);
		assert_int_equal(entry->argument_bytes, expected);
		expected++;
		seen++;
	}
	assert_int_equal(expected, total);
	assert_int_equal(seen, total < 100 ? total : 100);
	assert_int_equal(bind_record_total(&list.totals), total);
}

static void
t_first_and_last_fifty(void **state)
{
	static const uint64_t totals[] = {
	    0, 1, 49, 50, 51, 99, 100, 101, 149, 150, 151, 1000, 1000000};

	(void)state;
	for (size_t i = 0; i < sizeof(totals) / sizeof(totals[0]); i++) {
		bind_record_list_init(&list);
		for (uint64_t id = 0; id < totals[i]; id++)
			put(id, BIND_CALL_COMPLETED);
		check_ids(totals[i]);
	}
}

static void
t_ends_in_any_order_keep_the_last(void **state)
{
	(void)state;
	for (uint64_t id = 0; id < 400; id++)
		put(id, BIND_CALL_STARTED);
	assert_int_equal(list.totals.started, 400);
	for (uint64_t id = 400; id-- > 0;) {
		struct bind_record_entry entry = entry_of(id, BIND_CALL_FAILED);

		assert_int_equal(record.ended(record.arg, &entry), WIRE_OK);
	}
	check_ids(400);
	assert_int_equal(list.totals.failed, 400);
	assert_int_equal(list.totals.started, 0);
}

static void
t_totals_tell_the_states_apart(void **state)
{
	(void)state;
	put(0, BIND_CALL_COMPLETED);
	for (uint64_t id = 1; id < 3; id++)
		put(id, BIND_CALL_FAILED);
	for (uint64_t id = 3; id < 6; id++)
		put(id, BIND_CALL_REFUSED);
	for (uint64_t id = 6; id < 10; id++)
		put(id, BIND_CALL_UNKNOWN);
	put(10, BIND_CALL_STARTED);
	assert_int_equal(list.totals.completed, 1);
	assert_int_equal(list.totals.failed, 2);
	assert_int_equal(list.totals.refused, 3);
	assert_int_equal(list.totals.unknown, 4);
	assert_int_equal(list.totals.started, 1);
	assert_int_equal(bind_record_total(&list.totals), 10);
}

static void
t_an_end_replaces_its_start(void **state)
{
	struct bind_record_entry entry = entry_of(7, BIND_CALL_STARTED);
	const struct bind_record_entry *kept;
	size_t cursor = 0;

	(void)state;
	assert_int_equal(record.started(record.arg, &entry), WIRE_TOOL_NONE);
	kept = bind_record_list_next(&list, &cursor);
	assert_int_equal(kept->state, BIND_CALL_STARTED);
	entry.state = BIND_CALL_FAILED;
	entry.kind = WIRE_TOOL_TIMED_OUT;
	entry.result_bytes = 12;
	entry.ns = 34;
	assert_int_equal(record.ended(record.arg, &entry), WIRE_OK);
	cursor = 0;
	kept = bind_record_list_next(&list, &cursor);
	assert_int_equal(kept->id, 7);
	assert_int_equal(kept->state, BIND_CALL_FAILED);
	assert_int_equal(kept->kind, WIRE_TOOL_TIMED_OUT);
	assert_int_equal(kept->result_bytes, 12);
	assert_int_equal(kept->ns, 34);
	assert_null(bind_record_list_next(&list, &cursor));
}

static void
t_names_are_copied_up_to_their_limit(void **state)
{
	uint8_t name[WIRE_MAX_TOOL_NAME + 1];
	struct bind_record_entry entry = entry_of(0, BIND_CALL_REFUSED);
	const struct bind_record_entry *kept;
	size_t cursor = 0;

	(void)state;
	memset(name, 'n', sizeof(name));
	for (size_t len = WIRE_MAX_TOOL_NAME; len <= sizeof(name); len++) {
		entry.tool = (struct wire_span){name, len};
		assert_int_equal(record.ended(record.arg, &entry), WIRE_OK);
	}
	memset(name, 'x', sizeof(name));
	kept = bind_record_list_next(&list, &cursor);
	assert_int_equal(kept->tool.len, WIRE_MAX_TOOL_NAME);
	for (size_t i = 0; i < kept->tool.len; i++)
		assert_int_equal(kept->tool.p[i], 'n');
	entry.tool = (struct wire_span){NULL, 0};
	assert_int_equal(record.ended(record.arg, &entry), WIRE_OK);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup(t_first_and_last_fifty, set_up),
	    cmocka_unit_test_setup(t_ends_in_any_order_keep_the_last, set_up),
	    cmocka_unit_test_setup(t_totals_tell_the_states_apart, set_up),
	    cmocka_unit_test_setup(t_an_end_replaces_its_start, set_up),
	    cmocka_unit_test_setup(
		t_names_are_copied_up_to_their_limit, set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
