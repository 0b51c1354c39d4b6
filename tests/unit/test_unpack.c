/*
 * The MessagePack cursor against what msgpack-c packs, and against bytes that
 * promise more than they hold.
 */
#include "bindings/unpack.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* cmocka wants the headers above it first */
#include <cmocka.h>
#include <msgpack/pack.h>
#include <msgpack/sbuffer.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* The bytes in a heap block of exactly their size. */
static struct wire_span
exact(const void *bytes, size_t len)
{
	uint8_t *copy = malloc(len == 0 ? 1 : len);

	assert_non_null(copy);
	memcpy(copy, bytes, len);
	return (struct wire_span){copy, len};
}

static void
drop(struct wire_span span)
{
	free((void *)(uintptr_t)span.p);
}

static void
t_every_width_of_an_integer(void **state)
{
	static const uint64_t values[] = {0, 1, 127, 128, 255, 256, 65535,
	    65536, UINT32_MAX, 1ULL << 32, INT64_MAX, UINT64_MAX};

	(void)state;
	for (size_t i = 0; i < COUNT(values); i++) {
		msgpack_sbuffer buffer;
		msgpack_packer packer;
		struct bind_unpack unpack;
		struct wire_span span;
		uint64_t got = 7;

		msgpack_sbuffer_init(&buffer);
		msgpack_packer_init(&packer, &buffer, msgpack_sbuffer_write);
		assert_int_equal(msgpack_pack_uint64(&packer, values[i]), 0);
		span = exact(buffer.data, buffer.size);
		bind_unpack_init(&unpack, span);
		assert_true(bind_unpack_uint(&unpack, &got));
		assert_true(got == values[i]);
		assert_true(bind_unpack_is_empty(&unpack));
		for (size_t cut = 0; cut < span.len; cut++) {
			struct wire_span part = exact(span.p, cut);

			bind_unpack_init(&unpack, part);
			assert_false(bind_unpack_uint(&unpack, &got));
			assert_true(unpack.p == part.p);
			drop(part);
		}
		drop(span);
		msgpack_sbuffer_destroy(&buffer);
	}
}

static void
t_signed_forms(void **state)
{
	static const struct {
		const char *bytes;
		size_t len;
		bool good;
		uint64_t value;
	} rows[] = {
	    {"\xd0\x7f", 2, true, 127},
	    {"\xd0\x80", 2, false, 0},
	    {"\xd1\x7f\xff", 3, true, 0x7fff},
	    {"\xd1\x80\x00", 3, false, 0},
	    {"\xd2\x00\x00\x00\x05", 5, true, 5},
	    {"\xd2\xff\xff\xff\xff", 5, false, 0},
	    {"\xd3\x7f\xff\xff\xff\xff\xff\xff\xff", 9, true, INT64_MAX},
	    {"\xd3\x80\x00\x00\x00\x00\x00\x00\x00", 9, false, 0},
	    {"\xe0", 1, false, 0},
	    {"\xff", 1, false, 0},
	    {"\xc0", 1, false, 0},
	    {"\xc1", 1, false, 0},
	    {"\xca\x00\x00\x00\x00", 5, false, 0},
	    {"\xa1x", 2, false, 0},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct bind_unpack unpack;
		uint64_t got = 0;

		bind_unpack_init(&unpack,
		    (struct wire_span){
			(const uint8_t *)rows[i].bytes, rows[i].len});
		assert_int_equal(bind_unpack_uint(&unpack, &got), rows[i].good);
		assert_true(got == rows[i].value);
	}
}

/* Strings and byte strings of every kind of head, at its limits. */
static void
t_every_width_of_a_string(void **state)
{
	static const size_t lens[] = {0, 1, 31, 32, 255, 256, 65535, 65536};
	static char body[65537];

	(void)state;
	memset(body, 'x', sizeof(body));
	for (size_t i = 0; i < 2 * COUNT(lens); i++) {
		bool text = i % 2 == 0;
		size_t len = lens[i / 2];
		msgpack_sbuffer buffer;
		msgpack_packer packer;
		struct bind_unpack unpack;
		struct wire_span span, got = {NULL, 0};

		msgpack_sbuffer_init(&buffer);
		msgpack_packer_init(&packer, &buffer, msgpack_sbuffer_write);
		if (text)
			assert_int_equal(msgpack_pack_str(&packer, len), 0);
		else
			assert_int_equal(msgpack_pack_bin(&packer, len), 0);
		assert_int_equal(msgpack_sbuffer_write(&buffer, body, len), 0);
		span = exact(buffer.data, buffer.size);
		bind_unpack_init(&unpack, span);
		assert_false(text ? bind_unpack_bytes(&unpack, &got)
				  : bind_unpack_text(&unpack, &got));
		assert_true(text ? bind_unpack_text(&unpack, &got)
				 : bind_unpack_bytes(&unpack, &got));
		assert_int_equal(got.len, len);
		assert_memory_equal(got.p, body, len);
		assert_true(bind_unpack_is_empty(&unpack));
		/* One byte short. */
		bind_unpack_init(
		    &unpack, (struct wire_span){span.p, span.len - 1});
		assert_false(text ? bind_unpack_text(&unpack, &got)
				  : bind_unpack_bytes(&unpack, &got));
		drop(span);
		msgpack_sbuffer_destroy(&buffer);
	}
}

static void
t_text_is_utf8(void **state)
{
	struct bind_unpack unpack;
	struct wire_span got;

	(void)state;
	bind_unpack_init(&unpack, WIRE_LIT("\xa2\xc3\xa9"));
	assert_true(bind_unpack_text(&unpack, &got));
	bind_unpack_init(&unpack, WIRE_LIT("\xa2\xc3("));
	assert_false(bind_unpack_text(&unpack, &got));
	assert_int_equal(unpack.end - unpack.p, 3);
}

static void
t_any_value_is_skipped_whole(void **state)
{
	/* Each is one value. */
	static const struct wire_span rows[] = {
	    WIRE_LIT("\xc0"),
	    WIRE_LIT("\xc3"),
	    WIRE_LIT("\xe1"),
	    WIRE_LIT("\xca\x01\x02\x03\x04"),
	    WIRE_LIT("\xcb\x01\x02\x03\x04\x05\x06\x07\x08"),
	    WIRE_LIT("\xd4\x01x"),
	    WIRE_LIT("\xd5\x01xy"),
	    WIRE_LIT("\xd6\x01xyzw"),
	    WIRE_LIT("\xd7\x01xyzwxyzw"),
	    WIRE_LIT("\xd8\x01xyzwxyzwxyzwxyzw"),
	    WIRE_LIT("\xc7\x02\x01xy"),
	    WIRE_LIT("\xc8\x00\x02\x01xy"),
	    WIRE_LIT("\xc9\x00\x00\x00\x02\x01xy"),
	    WIRE_LIT("\x93\x01\x81\xa1x\xc4\x01y\x90"),
	    WIRE_LIT("\xdc\x00\x01\xdd\x00\x00\x00\x01\x80"),
	    WIRE_LIT("\xde\x00\x01\x01\xdf\x00\x00\x00\x00"),
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct bind_unpack unpack;
		struct wire_span got;

		bind_unpack_init(&unpack, rows[i]);
		assert_true(bind_unpack_any(&unpack, &got));
		assert_true(bind_unpack_is_empty(&unpack));
		assert_true(wire_span_equal(got, rows[i]));
		for (size_t cut = 0; cut < rows[i].len; cut++) {
			struct wire_span part = exact(rows[i].p, cut);

			bind_unpack_init(&unpack, part);
			assert_false(bind_unpack_any(&unpack, &got));
			drop(part);
		}
	}
}

/* Heads that promise gigabytes, and nesting of a million. */
static void
t_promises_cost_nothing(void **state)
{
	static const struct wire_span rows[] = {
	    WIRE_LIT("\xdd\x05\xf5\xe1\x00"),
	    WIRE_LIT("\xdf\xff\xff\xff\xff"),
	    WIRE_LIT("\xdb\xff\xff\xff\xffx"),
	    WIRE_LIT("\xc6\xff\xff\xff\xffx"),
	    WIRE_LIT("\xc9\xff\xff\xff\xff\x01x"),
	    WIRE_LIT("\xdf\xff\xff\xff\xff\xdf\xff\xff\xff\xff"),
	    WIRE_LIT("\xc1"),
	    {NULL, 0},
	};
	struct bind_unpack unpack;
	struct wire_span got;
	uint64_t pairs;
	uint8_t *deep;

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		bind_unpack_init(&unpack, rows[i]);
		assert_false(bind_unpack_any(&unpack, &got));
		assert_false(bind_unpack_map(&unpack, &pairs));
		assert_false(bind_unpack_text(&unpack, &got));
		assert_false(bind_unpack_bytes(&unpack, &got));
	}
	deep = malloc(1000001);
	assert_non_null(deep);
	memset(deep, 0x91, 1000000);
	deep[1000000] = 0xc0;
	bind_unpack_init(&unpack, (struct wire_span){deep, 1000001});
	assert_true(bind_unpack_any(&unpack, &got));
	assert_int_equal(got.len, 1000001);
	bind_unpack_init(&unpack, (struct wire_span){deep, 1000000});
	assert_false(bind_unpack_any(&unpack, &got));
	free(deep);
}

static void
t_a_map_has_room_for_its_pairs(void **state)
{
	struct bind_unpack unpack;
	uint64_t pairs = 9;

	(void)state;
	bind_unpack_init(&unpack, WIRE_LIT("\x82\x01\x02\x03\x04"));
	assert_true(bind_unpack_map(&unpack, &pairs));
	assert_int_equal(pairs, 2);
	bind_unpack_init(&unpack, WIRE_LIT("\x82\x01\x02\x03"));
	assert_false(bind_unpack_map(&unpack, &pairs));
	bind_unpack_init(&unpack, WIRE_LIT("\x92\x01\x02"));
	assert_false(bind_unpack_map(&unpack, &pairs));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(t_every_width_of_an_integer),
	    cmocka_unit_test(t_signed_forms),
	    cmocka_unit_test(t_every_width_of_a_string),
	    cmocka_unit_test(t_text_is_utf8),
	    cmocka_unit_test(t_any_value_is_skipped_whole),
	    cmocka_unit_test(t_promises_cost_nothing),
	    cmocka_unit_test(t_a_map_has_room_for_its_pairs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
