/*
 * A ledger as a whole: every prefix of it, every byte changed, records taken
 * out, swapped and doubled.
 */
#include "bindings/ledger_read.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* cmocka wants the headers above it first */
#include <cmocka.h>

#include "bindings/crc32c.h"
#include "ledger_help.h"

#define RECORDS 17

static uint8_t file[32768], copy[32768];
static size_t ends[RECORDS], file_len;

static int
set_up(void **state)
{
	(void)state;
	file_len = help_ledger(file, RECORDS, ends);
	return 0;
}

static size_t
start_of(size_t record)
{
	return record == 0 ? BIND_LEDGER_MAGIC_LEN : ends[record - 1];
}

/* Reads all there is, from a heap block of exactly that size. */
static enum bind_ledger_read
read_all(const uint8_t *bytes, size_t len, struct bind_ledger_reader *reader)
{
	struct bind_ledger_item item;
	enum bind_ledger_read r;
	uint8_t *exact = malloc(len == 0 ? 1 : len);

	assert_non_null(exact);
	memcpy(exact, bytes, len);
	bind_ledger_reader_init(reader);
	do {
		r = bind_ledger_read(reader,
		    (struct wire_span){
			exact + reader->offset, len - reader->offset},
		    &item);
	} while (r == BIND_LEDGER_RECORD);
	/* It stays where it is. */
	assert_int_equal(bind_ledger_read(reader,
			     (struct wire_span){
				 exact + reader->offset, len - reader->offset},
			     &item),
	    r);
	free(exact);
	return r;
}

static void
t_all_of_it(void **state)
{
	struct bind_ledger_reader reader;

	(void)state;
	assert_int_equal(read_all(file, file_len, &reader), BIND_LEDGER_MORE);
	assert_int_equal(reader.records, RECORDS);
	assert_int_equal(reader.offset, file_len);
	assert_memory_equal(
	    reader.hash, file + ends[RECORDS - 2] + 12, BIND_SHA256_LEN);
}

static void
t_every_prefix_is_readable(void **state)
{
	struct bind_ledger_reader reader;

	(void)state;
	for (size_t len = 0; len <= file_len; len++) {
		size_t whole = 0,
		       end = len < BIND_LEDGER_MAGIC_LEN
		    ? 0
		    : BIND_LEDGER_MAGIC_LEN;

		while (whole < RECORDS && ends[whole] <= len)
			end = ends[whole++];
		assert_int_equal(
		    read_all(file, len, &reader), BIND_LEDGER_MORE);
		assert_int_equal(reader.records, whole);
		assert_int_equal(reader.offset, end);
	}
}

/* However the file is cut in pieces, the records are the same. */
static void
t_pieces(void **state)
{
	(void)state;
	for (size_t piece = 1; piece < 700; piece += 13) {
		struct bind_ledger_reader reader;
		struct bind_ledger_item item;
		size_t have = 0;

		bind_ledger_reader_init(&reader);
		while (have < file_len) {
			have =
			    have + piece < file_len ? have + piece : file_len;
			while (bind_ledger_read(&reader,
				   (struct wire_span){file + reader.offset,
				       have - reader.offset},
				   &item) == BIND_LEDGER_RECORD)
				assert_int_equal(item.offset + item.len,
				    ends[reader.records - 1]);
			assert_int_equal(reader.fault, BIND_LEDGER_NO_FAULT);
		}
		assert_int_equal(reader.records, RECORDS);
	}
}

/* Every byte to every other value that a single bit makes, and to 0 and 255:
 * found, in the record where it is. */
static void
t_every_changed_byte_is_found(void **state)
{
	struct bind_ledger_reader reader;

	(void)state;
	for (size_t at = 0; at < file_len; at++) {
		size_t record = 0;

		while (ends[record] <= at)
			record++;
		for (unsigned change = 0; change < 10; change++) {
			uint8_t byte = change < 8 ? file[at] ^ (1U << change)
			    : change == 8	  ? 0
						  : 255;

			if (byte == file[at])
				continue;
			memcpy(copy, file, file_len);
			copy[at] = byte;
			if (read_all(copy, file_len, &reader) !=
			    BIND_LEDGER_ALTERED)
				fail_msg("byte %zu, now %u", at, byte);
			if (at < BIND_LEDGER_MAGIC_LEN) {
				assert_int_equal(
				    reader.fault, BIND_LEDGER_FAULT_MAGIC);
				continue;
			}
			assert_int_equal(reader.records, record);
			assert_int_equal(reader.offset, start_of(record));
		}
	}
}

static size_t
put_record(uint8_t *to, size_t record)
{
	size_t len = ends[record] - start_of(record);

	memcpy(to, file + start_of(record), len);
	return len;
}

static void
expect_chain(size_t len, size_t record)
{
	struct bind_ledger_reader reader;

	assert_int_equal(read_all(copy, len, &reader), BIND_LEDGER_ALTERED);
	assert_int_equal(reader.fault, BIND_LEDGER_FAULT_CHAIN);
	assert_int_equal(reader.records, record);
}

static void
t_every_swap_is_found(void **state)
{
	(void)state;
	for (size_t a = 0; a < RECORDS; a++) {
		for (size_t b = a + 1; b < RECORDS; b++) {
			size_t len = BIND_LEDGER_MAGIC_LEN;

			memcpy(copy, file, len);
			for (size_t i = 0; i < RECORDS; i++)
				len += put_record(copy + len,
				    i == a	 ? b
					: i == b ? a
						 : i);
			assert_int_equal(len, file_len);
			expect_chain(len, a);
		}
	}
}

static void
t_a_lost_or_doubled_record_is_found(void **state)
{
	(void)state;
	/* The last one can be cut off unseen: the chain ends earlier. */
	for (size_t lost = 0; lost + 1 < RECORDS; lost++) {
		size_t len = BIND_LEDGER_MAGIC_LEN;

		memcpy(copy, file, len);
		for (size_t i = 0; i < RECORDS; i++)
			if (i != lost)
				len += put_record(copy + len, i);
		expect_chain(len, lost);
	}
	for (size_t twice = 0; twice < RECORDS; twice++) {
		size_t len = BIND_LEDGER_MAGIC_LEN;

		memcpy(copy, file, len);
		for (size_t i = 0; i < RECORDS; i++) {
			len += put_record(copy + len, i);
			if (i == twice)
				len += put_record(copy + len, i);
		}
		expect_chain(len, twice + 1);
	}
}

/* A tail of zeros is an end that was not finished; anything behind it, and
 * more zeros than a frame could be, is not. */
static void
t_zeros_at_the_end(void **state)
{
	static uint8_t long_file[sizeof(file) + BIND_LEDGER_FRAME_MAX + 1];
	struct bind_ledger_reader reader;

	(void)state;
	memcpy(long_file, file, file_len);
	for (size_t zeros = 1; zeros < 200; zeros++) {
		assert_int_equal(read_all(long_file, file_len + zeros, &reader),
		    BIND_LEDGER_MORE);
		assert_int_equal(reader.records, RECORDS);
		if (zeros < 8)
			continue;
		long_file[file_len + zeros - 1] = 1;
		assert_int_equal(read_all(long_file, file_len + zeros, &reader),
		    BIND_LEDGER_ALTERED);
		long_file[file_len + zeros - 1] = 0;
	}
	assert_int_equal(
	    read_all(long_file, file_len + BIND_LEDGER_FRAME_MAX - 1, &reader),
	    BIND_LEDGER_MORE);
	assert_int_equal(
	    read_all(long_file, file_len + BIND_LEDGER_FRAME_MAX, &reader),
	    BIND_LEDGER_ALTERED);
	assert_int_equal(reader.fault, BIND_LEDGER_FAULT_LENGTH);
	/* Not even the first bytes came. */
	memset(long_file, 0, sizeof(long_file));
	for (size_t zeros = 1; zeros < 200; zeros++) {
		assert_int_equal(
		    read_all(long_file, zeros, &reader), BIND_LEDGER_MORE);
		assert_int_equal(reader.offset, 0);
		long_file[zeros - 1] = 1;
		assert_int_equal(
		    read_all(long_file, zeros, &reader), BIND_LEDGER_ALTERED);
		long_file[zeros - 1] = 0;
	}
	assert_int_equal(
	    read_all(long_file, BIND_LEDGER_FRAME_MAX - 1, &reader),
	    BIND_LEDGER_MORE);
	assert_int_equal(read_all(long_file, BIND_LEDGER_FRAME_MAX, &reader),
	    BIND_LEDGER_ALTERED);
}

/* A frame whose checksum and chain are right, and that holds no record. */
static void
t_content(void **state)
{
	static const uint8_t payload[] = {0x91, 0xc0};
	struct bind_ledger_reader reader;
	struct bind_ledger_record record;
	uint8_t hash[BIND_SHA256_LEN];
	size_t len = 0;

	(void)state;
	memcpy(copy, BIND_LEDGER_MAGIC, BIND_LEDGER_MAGIC_LEN);
	bind_ledger_first_hash(hash);
	help_record(&record, BIND_LEDGER_REPAIRED, 1, false);
	assert_int_equal(bind_ledger_encode(&record, hash,
			     copy + BIND_LEDGER_MAGIC_LEN, &len, NULL),
	    WIRE_OK);
	assert_int_equal(read_all(copy, BIND_LEDGER_MAGIC_LEN + len, &reader),
	    BIND_LEDGER_MORE);
	/* The same with another payload, hashed and summed anew. */
	bind_ledger_first_hash(hash);
	bind_ledger_next_hash(
	    hash, (struct wire_span){payload, sizeof(payload)});
	memcpy(copy + 16, "\x02\0\0\0\xfd\xff\xff\xff", 8);
	memcpy(copy + 16 + 12, hash, sizeof(hash));
	memcpy(copy + 16 + 44, payload, sizeof(payload));
	{
		uint32_t crc = bind_crc32c(0,
		    (struct wire_span){copy + 16 + 12, 32 + sizeof(payload)});

		for (unsigned i = 0; i < 4; i++)
			copy[16 + 8 + i] = (uint8_t)(crc >> 8 * i);
	}
	assert_int_equal(read_all(copy, 16 + 44 + sizeof(payload), &reader),
	    BIND_LEDGER_ALTERED);
	assert_int_equal(reader.fault, BIND_LEDGER_FAULT_CONTENT);
}

/* A length of 0 and one over the limit are none. */
static void
t_lengths(void **state)
{
	struct bind_ledger_reader reader;
	uint32_t lengths[] = {0, BIND_LEDGER_PAYLOAD_MAX,
	    BIND_LEDGER_PAYLOAD_MAX + 1, UINT32_MAX};

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		memcpy(copy, file, BIND_LEDGER_MAGIC_LEN);
		for (unsigned k = 0; k < 4; k++) {
			copy[16 + k] = (uint8_t)(lengths[i] >> 8 * k);
			copy[20 + k] = (uint8_t)(~lengths[i] >> 8 * k);
		}
		assert_int_equal(read_all(copy, 24, &reader),
		    i == 1 ? BIND_LEDGER_MORE : BIND_LEDGER_ALTERED);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(t_all_of_it),
	    cmocka_unit_test(t_every_prefix_is_readable),
	    cmocka_unit_test(t_pieces),
	    cmocka_unit_test(t_every_changed_byte_is_found),
	    cmocka_unit_test(t_every_swap_is_found),
	    cmocka_unit_test(t_a_lost_or_doubled_record_is_found),
	    cmocka_unit_test(t_zeros_at_the_end),
	    cmocka_unit_test(t_content),
	    cmocka_unit_test(t_lengths),
	};

	return cmocka_run_group_tests(tests, set_up, NULL);
}
