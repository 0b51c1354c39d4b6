/*
 * One record to bytes and back: every field of every event, and each of its
 * limits.
 */
#include "bindings/ledger_format.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* cmocka wants the headers above it first */
#include <cmocka.h>

#include "ledger_help.h"

static uint8_t frame[BIND_LEDGER_FRAME_MAX], other[BIND_LEDGER_FRAME_MAX];
static uint8_t filler[128 * 1024];

static enum wire_err
encode(const struct bind_ledger_record *record, struct wire_span *ret_payload,
    const char **ret_site)
{
	uint8_t hash[BIND_SHA256_LEN];
	struct wire_errinfo info = {"", 0, 0};
	size_t len = 0;
	enum wire_err err;

	bind_ledger_first_hash(hash);
	err = bind_ledger_encode(record, hash, frame, &len, &info);
	*ret_site = info.site;
	if (err == WIRE_OK)
		*ret_payload = (struct wire_span){
		    frame + BIND_LEDGER_HEAD, len - BIND_LEDGER_HEAD};
	return err;
}

static bool
is_number(unsigned field)
{
	enum bind_ledger_type type =
	    bind_ledger_field_spec((enum bind_ledger_field)field)->type;

	return type == BIND_LEDGER_NUMBER || type == BIND_LEDGER_TIME;
}

static void
check_same(
    const struct bind_ledger_record *a, const struct bind_ledger_record *b)
{
	assert_int_equal(a->event, b->event);
	assert_int_equal(a->has, b->has);
	for (unsigned i = 0; i < BIND_LEDGER_FIELD_COUNT; i++) {
		if ((a->has >> i & 1) == 0)
			continue;
		if (is_number(i))
			assert_true(a->value[i].number == b->value[i].number);
		else
			assert_true(wire_span_equal(
			    a->value[i].bytes, b->value[i].bytes));
	}
}

static void
t_every_event_comes_back(void **state)
{
	(void)state;
	for (unsigned event = 1; event < BIND_LEDGER_EVENT_COUNT; event++) {
		for (int all = 0; all < 2; all++) {
			struct bind_ledger_record record, back;
			struct wire_span payload = {NULL, 0};
			const char *site;

			help_record(&record, (enum bind_ledger_event)event,
			    UINT64_MAX, all != 0);
			assert_int_equal(
			    encode(&record, &payload, &site), WIRE_OK);
			assert_int_equal(
			    bind_ledger_decode(payload, &back, NULL), WIRE_OK);
			check_same(&record, &back);
		}
	}
}

/* Of what an event must have nothing may be missing, and what it cannot have
 * may not be there; in writing and in reading. */
static void
t_an_event_has_its_fields(void **state)
{
	(void)state;
	for (unsigned event = 1; event < BIND_LEDGER_EVENT_COUNT; event++) {
		struct bind_ledger_record least, most, record;
		struct wire_span payload = {NULL, 0};
		const char *site = "";

		help_record(&least, (enum bind_ledger_event)event, 1, false);
		help_record(&most, (enum bind_ledger_event)event, 1, true);
		for (unsigned i = 1; i < BIND_LEDGER_FIELD_COUNT; i++) {
			record = most;
			record.has ^= UINT32_C(1) << i;
			if ((least.has >> i & 1) == 0 &&
			    (most.has >> i & 1) != 0) {
				assert_int_equal(
				    encode(&record, &payload, &site), WIRE_OK);
				continue;
			}
			if (is_number(i))
				record.value[i].number = 1;
			else if ((most.has >> i & 1) == 0)
				record.value[i].bytes =
				    (struct wire_span){filler, 1};
			assert_int_equal(encode(&record, &payload, &site),
			    WIRE_ERR_BAD_ARGUMENT);
			assert_string_equal(site,
			    bind_ledger_field_spec((enum bind_ledger_field)i)
				->word);
		}
	}
}

/* A text or path at its limit, and one more; a hash of exactly its length. */
static void
t_limits_of_fields(void **state)
{
	(void)state;
	memset(filler, 'x', sizeof(filler));
	for (unsigned event = 1; event < BIND_LEDGER_EVENT_COUNT; event++) {
		struct bind_ledger_record most, record, back;
		struct wire_span payload = {NULL, 0};
		const char *site = "";

		help_record(&most, (enum bind_ledger_event)event, 1, true);
		for (unsigned i = 1; i < BIND_LEDGER_FIELD_COUNT; i++) {
			const struct bind_ledger_field_spec *spec =
			    bind_ledger_field_spec((enum bind_ledger_field)i);

			if ((most.has >> i & 1) == 0 || is_number(i) ||
			    spec->max == 0)
				continue;
			record = most;
			record.value[i].bytes =
			    (struct wire_span){filler, spec->max};
			assert_int_equal(
			    encode(&record, &payload, &site), WIRE_OK);
			assert_int_equal(
			    bind_ledger_decode(payload, &back, NULL), WIRE_OK);
			record.value[i].bytes.len++;
			assert_int_equal(encode(&record, &payload, &site),
			    WIRE_ERR_BAD_ARGUMENT);
			assert_string_equal(site, spec->word);
			record.value[i].bytes.len = spec->max - 1;
			assert_int_equal(encode(&record, &payload, &site),
			    spec->type == BIND_LEDGER_HASH
				? WIRE_ERR_BAD_ARGUMENT
				: WIRE_OK);
		}
	}
}

static void
t_text_is_utf8(void **state)
{
	struct bind_ledger_record record;
	struct wire_span payload;
	const char *site = "";

	(void)state;
	help_record(&record, BIND_LEDGER_STARTED, 1, false);
	record.value[BIND_LEDGER_F_TOOL].bytes = WIRE_LIT("\xff");
	assert_int_equal(
	    encode(&record, &payload, &site), WIRE_ERR_BAD_ARGUMENT);
	assert_string_equal(site, "tool");
}

/* All values at their limits together are a payload still. */
static void
t_the_largest_record_fits(void **state)
{
	static uint8_t room[2][BIND_LEDGER_PAIRS_MAX];
	struct bind_ledger_pair pairs[BIND_LEDGER_PAIRS + 1];
	struct bind_ledger_record record, back;
	struct wire_span payload = {NULL, 0}, span;
	struct wire_span *bytes;
	const char *site;

	(void)state;
	memset(filler, 'x', sizeof(filler));
	for (size_t i = 0; i <= BIND_LEDGER_PAIRS; i++) {
		uint8_t *name = filler + 1024 * i;

		name[0] = (uint8_t)('0' + i);
		pairs[i] =
		    (struct bind_ledger_pair){{name, BIND_LEDGER_NAME_MAX},
			UINT64_MAX, {filler, BIND_LEDGER_WORD_MAX}};
	}
	for (unsigned event = 1; event < BIND_LEDGER_EVENT_COUNT; event++) {
		help_record(
		    &record, (enum bind_ledger_event)event, UINT64_MAX, true);
		for (unsigned i = 1; i < BIND_LEDGER_FIELD_COUNT; i++) {
			const struct bind_ledger_field_spec *spec =
			    bind_ledger_field_spec((enum bind_ledger_field)i);
			bool words = spec->type == BIND_LEDGER_WORDS;

			if ((record.has >> i & 1) == 0)
				continue;
			bytes = &record.value[i].bytes;
			record.value[i].number = UINT64_MAX;
			*bytes = (struct wire_span){filler, spec->max};
			if (words || spec->type == BIND_LEDGER_NUMBERS)
				assert_int_equal(
				    bind_ledger_pack_pairs(spec->type, pairs,
					BIND_LEDGER_PAIRS, room[words],
					sizeof(room[0]), bytes),
				    WIRE_OK);
		}
		assert_int_equal(encode(&record, &payload, &site), WIRE_OK);
		assert_int_equal(
		    bind_ledger_decode(payload, &back, NULL), WIRE_OK);
		check_same(&record, &back);
	}
	assert_int_equal(
	    bind_ledger_pack_pairs(BIND_LEDGER_NUMBERS, pairs,
		BIND_LEDGER_PAIRS + 1, room[0], sizeof(room[0]), &span),
	    WIRE_ERR_BAD_ARGUMENT);
	assert_int_equal(bind_ledger_pack_pairs(BIND_LEDGER_NUMBERS, pairs, 2,
			     room[0], 100, &span),
	    WIRE_ERR_NO_SPACE);
	pairs[0].name.len++;
	assert_int_equal(bind_ledger_pack_pairs(BIND_LEDGER_NUMBERS, pairs, 1,
			     room[0], sizeof(room[0]), &span),
	    WIRE_ERR_BAD_ARGUMENT);
	pairs[0].name.len--;
	pairs[0].word.len++;
	assert_int_equal(bind_ledger_pack_pairs(BIND_LEDGER_WORDS, pairs, 1,
			     room[0], sizeof(room[0]), &span),
	    WIRE_ERR_BAD_ARGUMENT);
}

static void
t_pairs_are_walked(void **state)
{
	struct wire_span pairs = help_pairs(BIND_LEDGER_WORDS);
	struct bind_ledger_pair pair;
	size_t cursor = 0;

	(void)state;
	assert_true(
	    bind_ledger_next_pair(BIND_LEDGER_WORDS, pairs, &cursor, &pair));
	assert_true(wire_span_equal(pair.name, WIRE_LIT("network")));
	assert_true(wire_span_equal(pair.word, WIRE_LIT("enforced")));
	assert_true(
	    bind_ledger_next_pair(BIND_LEDGER_WORDS, pairs, &cursor, &pair));
	assert_true(wire_span_equal(pair.name, WIRE_LIT("memory")));
	assert_false(
	    bind_ledger_next_pair(BIND_LEDGER_WORDS, pairs, &cursor, &pair));
}

static void
t_a_name_stands_once_in_a_map(void **state)
{
	struct bind_ledger_pair pairs[] = {
	    {WIRE_LIT("a"), 1, {NULL, 0}},
	    {WIRE_LIT("b"), 2, {NULL, 0}},
	    {WIRE_LIT("b"), 3, {NULL, 0}},
	};
	struct bind_ledger_record record;
	struct wire_span payload, span;
	const char *site = "";
	uint8_t room[64];

	(void)state;
	for (size_t count = 2; count < 4; count++) {
		help_record(&record, BIND_LEDGER_CLOSED, 1, false);
		assert_int_equal(bind_ledger_pack_pairs(BIND_LEDGER_NUMBERS,
				     pairs, count, room, sizeof(room), &span),
		    WIRE_OK);
		bind_ledger_set_bytes(&record, BIND_LEDGER_F_USAGE, span);
		assert_int_equal(encode(&record, &payload, &site),
		    count == 2 ? WIRE_OK : WIRE_ERR_BAD_ARGUMENT);
	}
	assert_string_equal(site, "usage");
}

/* A repaired record by hand: event 8, time 1, offset 2, length 3. */
static void
t_payloads_by_hand(void **state)
{
	static const struct {
		struct wire_span payload;
		enum wire_err err;
	} rows[] = {
	    {WIRE_LIT("\x84\x00\x08\x01\x01\x1c\x02\x1d\x03"), WIRE_OK},
	    /* Integers in wider forms than need be. */
	    {WIRE_LIT("\x84\x00\xcc\x08\x01\xcd\x00\x01\x1c\xd0\x02\x1d\x03"),
		WIRE_OK},
	    /* A field of a later version, of any shape. */
	    {WIRE_LIT("\x85\x00\x08\x01\x01\x1c\x02\x1d\x03\x64\x92\x80\xc0"),
		WIRE_OK},
	    {WIRE_LIT("\x85\x00\x08\x01\x01\x1c\x02\x1d\x03\x64\x92\x80"),
		WIRE_ERR_BAD_SYNTAX},
	    /* The event first, and a known one. */
	    {WIRE_LIT("\x84\x01\x01\x00\x08\x1c\x02\x1d\x03"),
		WIRE_ERR_BAD_FIELD},
	    {WIRE_LIT("\x84\x00\x00\x01\x01\x1c\x02\x1d\x03"),
		WIRE_ERR_BAD_FIELD},
	    {WIRE_LIT("\x84\x00\x09\x01\x01\x1c\x02\x1d\x03"),
		WIRE_ERR_BAD_FIELD},
	    /* Ascending, each once. */
	    {WIRE_LIT("\x84\x00\x08\x01\x01\x1d\x03\x1c\x02"),
		WIRE_ERR_BAD_SYNTAX},
	    {WIRE_LIT("\x85\x00\x08\x01\x01\x01\x01\x1c\x02\x1d\x03"),
		WIRE_ERR_BAD_SYNTAX},
	    /* Missing, foreign, of another type, too much, too little. */
	    {WIRE_LIT("\x83\x00\x08\x01\x01\x1c\x02"), WIRE_ERR_BAD_FIELD},
	    {WIRE_LIT("\x85\x00\x08\x01\x01\x03\x01\x1c\x02\x1d\x03"),
		WIRE_ERR_BAD_FIELD},
	    {WIRE_LIT("\x84\x00\x08\x01\xa1x\x1c\x02\x1d\x03"),
		WIRE_ERR_BAD_FIELD},
	    {WIRE_LIT("\x84\x00\x08\x01\x01\x1c\x02\x1d\x03\x00"),
		WIRE_ERR_BAD_SYNTAX},
	    {WIRE_LIT("\x84\x00\x08\x01\x01\x1c\x02\x1d"), WIRE_ERR_BAD_FIELD},
	    {WIRE_LIT("\x80"), WIRE_ERR_BAD_FIELD},
	    {WIRE_LIT("\x90"), WIRE_ERR_BAD_FIELD},
	    {WIRE_LIT("\xdf\xff\xff\xff\xff\x00\x08"), WIRE_ERR_BAD_FIELD},
	    {{NULL, 0}, WIRE_ERR_BAD_FIELD},
	};
	struct bind_ledger_record record;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		enum wire_err err =
		    bind_ledger_decode(rows[i].payload, &record, NULL);

		if (err != rows[i].err)
			fail_msg("row %zu: %s", i, wire_err_word(err));
	}
}

/* The bytes of a frame, put together by other means. */
static void
t_a_frame_by_hand(void **state)
{
	static const uint8_t payload[] = {
	    0x84, 0x00, 0x08, 0x01, 0x01, 0x1c, 0x02, 0x1d, 0x03};
	struct bind_ledger_record record;
	uint8_t hash[BIND_SHA256_LEN], expected[BIND_SHA256_LEN];
	struct bind_sha256 sha;
	size_t len = 0;

	(void)state;
	bind_ledger_record_init(&record, BIND_LEDGER_REPAIRED);
	bind_ledger_set_number(&record, BIND_LEDGER_F_TIME, 1);
	bind_ledger_set_number(&record, BIND_LEDGER_F_OFFSET, 2);
	bind_ledger_set_number(&record, BIND_LEDGER_F_LENGTH, 3);
	memset(hash, 7, sizeof(hash));
	bind_sha256_init(&sha);
	bind_sha256_add(&sha, (struct wire_span){hash, sizeof(hash)});
	bind_sha256_add(&sha, (struct wire_span){payload, sizeof(payload)});
	bind_sha256_finish(&sha, expected);
	assert_int_equal(
	    bind_ledger_encode(&record, hash, other, &len, NULL), WIRE_OK);
	assert_int_equal(len, 44 + 9);
	assert_memory_equal(other, "\x09\0\0\0\xf6\xff\xff\xff", 8);
	assert_memory_equal(other + 12, expected, 32);
	assert_memory_equal(hash, expected, 32);
	assert_memory_equal(other + 44, payload, 9);
}

static void
t_words(void **state)
{
	(void)state;
	assert_string_equal(bind_ledger_event_word(BIND_LEDGER_NO_EVENT), "");
	assert_string_equal(
	    bind_ledger_event_word(BIND_LEDGER_OPENED), "opened");
	assert_string_equal(
	    bind_ledger_event_word(BIND_LEDGER_REPAIRED), "repaired");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(t_every_event_comes_back),
	    cmocka_unit_test(t_an_event_has_its_fields),
	    cmocka_unit_test(t_limits_of_fields),
	    cmocka_unit_test(t_text_is_utf8),
	    cmocka_unit_test(t_the_largest_record_fits),
	    cmocka_unit_test(t_pairs_are_walked),
	    cmocka_unit_test(t_a_name_stands_once_in_a_map),
	    cmocka_unit_test(t_payloads_by_hand),
	    cmocka_unit_test(t_a_frame_by_hand),
	    cmocka_unit_test(t_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
