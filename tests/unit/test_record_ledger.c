/*
 * A session's record in a ledger: what stands in the file for each way a call
 * can go, and that what cannot be written is refused.
 */
#include "bindings/record_ledger.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>

/* cmocka wants the headers above it first */
#include <cmocka.h>

#include "ledger_rig.h"

static struct bind_record_list list;
static struct bind_record_ledger self;
static struct bind_record record;

static int
set_up(void **state)
{
	rig_set_up(state);
	bind_record_list_init(&list);
	self = (struct bind_record_ledger){
	    .list = &list,
	    .ledger = rig_ledger(),
	    .execution = "an execution id",
	    .bounds = {UINT64_MAX, UINT64_MAX},
	};
	record = bind_record_ledger_record(&self);
	return 0;
}

static int
tear_down(void **state)
{
	bind_ledger_free(self.ledger);
	return rig_tear_down(state);
}

static struct bind_record_entry
entry_of(uint64_t id, enum bind_call_state state, enum wire_tool_kind kind)
{
	return (struct bind_record_entry){
	    .id = id,
	    .tool = WIRE_LIT("tool"),
	    .state = state,
	    .kind = kind,
	    .argument_bytes = 7,
	    .result_bytes = 4,
	    .ns = 55,
	    .arguments = WIRE_LIT("{\"a\":1}"),
	    .result = state == BIND_CALL_COMPLETED
		? WIRE_LIT("true")
		: (struct wire_span){NULL, 0},
	};
}

static enum wire_tool_kind
start(uint64_t id)
{
	struct bind_record_entry entry =
	    entry_of(id, BIND_CALL_STARTED, WIRE_TOOL_NONE);

	return record.started(record.arg, &entry);
}

static enum wire_err
end(uint64_t id, enum bind_call_state state, enum wire_tool_kind kind)
{
	struct bind_record_entry entry = entry_of(id, state, kind);

	return record.ended(record.arg, &entry);
}

/* The n-th record of the file; spans point into a buffer that stays. */
static struct bind_ledger_record
nth(size_t n)
{
	static uint8_t bytes[16384];
	struct bind_ledger_reader reader;
	static struct bind_ledger_item item;
	int fd = rig_open();
	ssize_t len = pread(fd, bytes, sizeof(bytes), 0);

	close(fd);
	assert_true(len > 0);
	bind_ledger_reader_init(&reader);
	while (reader.records <= n)
		assert_int_equal(bind_ledger_read(&reader,
				     (struct wire_span){bytes + reader.offset,
					 (size_t)len - reader.offset},
				     &item),
		    BIND_LEDGER_RECORD);
	return item.record;
}

static void
check_bytes(const struct bind_ledger_record *got, enum bind_ledger_field field,
    struct wire_span expected)
{
	assert_true((got->has >> field & 1) != 0);
	assert_true(wire_span_equal(got->value[field].bytes, expected));
}

static void
t_each_way_a_call_goes(void **state)
{
	struct bind_ledger_record got;
	uint8_t hash[BIND_SHA256_LEN];

	(void)state;
	assert_int_equal(start(0), WIRE_TOOL_NONE);
	assert_int_equal(
	    end(1, BIND_CALL_REFUSED, WIRE_TOOL_NOT_OFFERED), WIRE_OK);
	assert_int_equal(end(0, BIND_CALL_COMPLETED, WIRE_TOOL_NONE), WIRE_OK);
	assert_int_equal(start(2), WIRE_TOOL_NONE);
	assert_int_equal(
	    end(2, BIND_CALL_UNKNOWN, WIRE_TOOL_CANCELLED), WIRE_OK);
	assert_int_equal(start(3), WIRE_TOOL_NONE);
	assert_int_equal(end(3, BIND_CALL_FAILED, WIRE_TOOL_FAILED), WIRE_OK);
	assert_int_equal(self.failures, 0);
	assert_int_equal(bind_record_total(&list.totals), 4);

	got = nth(0);
	assert_int_equal(got.event, BIND_LEDGER_STARTED);
	check_bytes(&got, BIND_LEDGER_F_EXECUTION, HELP_BYTES(self.execution));
	check_bytes(&got, BIND_LEDGER_F_TOOL, WIRE_LIT("tool"));
	assert_int_equal(got.value[BIND_LEDGER_F_ARGUMENT_BYTES].number, 7);
	bind_ledger_hash(self.ledger, WIRE_LIT("{\"a\":1}"), hash);
	check_bytes(&got, BIND_LEDGER_F_ARGUMENT_HASH, HELP_BYTES(hash));
	assert_int_equal(got.has & BIND_LEDGER_BIT(ARGUMENTS), 0);
	got = nth(1);
	assert_int_equal(got.event, BIND_LEDGER_REFUSED);
	check_bytes(&got, BIND_LEDGER_F_KIND, WIRE_LIT("not_offered"));
	got = nth(2);
	assert_int_equal(got.event, BIND_LEDGER_COMPLETED);
	assert_int_equal(got.value[BIND_LEDGER_F_TOOL_NS].number, 55);
	bind_ledger_hash(self.ledger, WIRE_LIT("true"), hash);
	check_bytes(&got, BIND_LEDGER_F_RESULT_HASH, HELP_BYTES(hash));
	assert_int_equal(got.has & BIND_LEDGER_BIT(RESULT), 0);
	assert_int_equal(nth(4).event, BIND_LEDGER_UNKNOWN);
	got = nth(6);
	assert_int_equal(got.event, BIND_LEDGER_FAILED);
	check_bytes(&got, BIND_LEDGER_F_KIND, WIRE_LIT("failed"));
}

/* Only on request, and only as long as a record can hold them. */
static void
t_values(void **state)
{
	static uint8_t bytes[BIND_LEDGER_VALUE_MAX + 1];
	struct bind_record_entry entry =
	    entry_of(0, BIND_CALL_STARTED, WIRE_TOOL_NONE);
	struct bind_ledger_record got;

	(void)state;
	memset(bytes, ' ', sizeof(bytes));
	self.values = true;
	assert_int_equal(record.started(record.arg, &entry), WIRE_TOOL_NONE);
	assert_int_equal(end(0, BIND_CALL_COMPLETED, WIRE_TOOL_NONE), WIRE_OK);
	got = nth(0);
	check_bytes(&got, BIND_LEDGER_F_ARGUMENTS, WIRE_LIT("{\"a\":1}"));
	got = nth(1);
	check_bytes(&got, BIND_LEDGER_F_RESULT, WIRE_LIT("true"));
	rig_write(bytes, 0);
	bind_ledger_free(self.ledger);
	self.ledger = rig_ledger();
	for (size_t more = 0; more < 2; more++) {
		entry.id++;
		entry.arguments =
		    (struct wire_span){bytes, BIND_LEDGER_VALUE_MAX + more};
		assert_int_equal(
		    record.started(record.arg, &entry), WIRE_TOOL_NONE);
		bind_ledger_free(self.ledger);
		self.ledger = rig_ledger();
		assert_int_equal(rig_size() > BIND_LEDGER_VALUE_MAX, true);
	}
	assert_in_range(
	    rig_size(), BIND_LEDGER_VALUE_MAX, BIND_LEDGER_VALUE_MAX + 1000);
}

static void
t_a_spent_run(void **state)
{
	(void)state;
	self.bounds.calls = 2;
	assert_int_equal(start(0), WIRE_TOOL_NONE);
	assert_int_equal(start(1), WIRE_TOOL_NONE);
	assert_int_equal(start(2), WIRE_TOOL_BUDGET_SPENT);
	assert_int_equal(list.totals.started, 2);
	assert_int_equal(
	    end(2, BIND_CALL_REFUSED, WIRE_TOOL_BUDGET_SPENT), WIRE_OK);
	assert_int_equal(
	    bind_ledger_fold_calls(bind_ledger_fold(self.ledger)), 2);
}

/* What others have recorded is known with the next record. */
static void
t_how_the_run_stands(void **state)
{
	struct bind_run run;

	(void)state;
	assert_false(record.run(record.arg, &run));
	self.in_run = true;
	self.bounds = (struct bind_ledger_bounds){9, 1000};
	assert_true(record.run(record.arg, &run));
	assert_int_equal(run.calls, 0);
	assert_int_equal(start(0), WIRE_TOOL_NONE);
	assert_int_equal(end(0, BIND_CALL_COMPLETED, WIRE_TOOL_NONE), WIRE_OK);
	assert_int_equal(start(1), WIRE_TOOL_NONE);
	assert_int_equal(
	    end(2, BIND_CALL_REFUSED, WIRE_TOOL_NOT_OFFERED), WIRE_OK);
	assert_true(record.run(record.arg, &run));
	assert_int_equal(run.calls, 3);
	assert_int_equal(run.calls_max, 9);
	assert_int_equal(run.bytes, 3 * 7 + 4);
	assert_int_equal(run.bytes_max, 1000);
	/* Another process, after this one has died. */
	bind_ledger_free(self.ledger);
	self.ledger = rig_ledger();
	bind_record_list_init(&list);
	assert_true(record.run(record.arg, &run));
	assert_int_equal(run.calls, 3);
	assert_int_equal(run.bytes, 3 * 7 + 4);
}

static void
t_a_run_without_bytes(void **state)
{
	(void)state;
	self.bounds.bytes = 7 + 4 + 7;
	assert_int_equal(start(0), WIRE_TOOL_NONE);
	assert_int_equal(end(0, BIND_CALL_COMPLETED, WIRE_TOOL_NONE), WIRE_OK);
	assert_int_equal(start(1), WIRE_TOOL_NONE);
	assert_int_equal(start(2), WIRE_TOOL_BUDGET_SPENT);
}

/* No room: no call, and no outcome that counts as recorded. */
static void
t_what_cannot_be_written(void **state)
{
	struct rlimit old, limit;

	(void)state;
	assert_int_equal(start(0), WIRE_TOOL_NONE);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	limit = (struct rlimit){rig_size(), old.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	assert_int_equal(start(1), WIRE_TOOL_NOT_RECORDED);
	assert_int_equal(
	    end(1, BIND_CALL_REFUSED, WIRE_TOOL_NOT_RECORDED), WIRE_ERR_SYSTEM);
	assert_int_equal(
	    end(0, BIND_CALL_COMPLETED, WIRE_TOOL_NONE), WIRE_ERR_SYSTEM);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
	assert_int_equal(self.failures, 3);
	assert_int_equal(self.failure.sys, EFBIG);
	/* The list tells what happened all the same. */
	assert_int_equal(list.totals.refused, 1);
	assert_int_equal(list.totals.completed, 1);
	assert_int_equal(
	    bind_ledger_fold_dangling(bind_ledger_fold(self.ledger)), 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(t_each_way_a_call_goes),
	    TEST(t_values),
	    TEST(t_a_spent_run),
	    TEST(t_how_the_run_stands),
	    TEST(t_a_run_without_bytes),
	    TEST(t_what_cannot_be_written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
