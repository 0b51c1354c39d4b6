#include "bindings/text.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* cmocka wants the headers above it first */
#include <cmocka.h>

#include "bindings/intake.h"
#include "bindings/loop.h"
#include "bindings/message.h"
#include "wire/utf8.h"

static uint8_t buf[8192];
static struct bind_text text;

static int
set_up(void **state)
{
	(void)state;
	bind_text_init(&text, buf, sizeof(buf));
	return 0;
}

static void
check(const char *expected)
{
	assert_int_equal(text.len, strlen(expected));
	assert_memory_equal(text.buf, expected, text.len);
}

static void
t_numbers(void **state)
{
	(void)state;
	bind_text_add_uint(&text, 0);
	bind_text_add(&text, " ");
	bind_text_add_uint(&text, 10);
	bind_text_add(&text, " ");
	bind_text_add_uint(&text, UINT64_MAX);
	check("0 10 18446744073709551615");
}

static void
t_what_does_not_fit_is_cut_on_a_character(void **state)
{
	(void)state;
	bind_text_init(&text, buf, 4);
	bind_text_add(&text, "ab");
	bind_text_add(&text, "c\xc3\xa9");
	assert_true(text.full);
	check("abc");
	bind_text_add(&text, "x");
	bind_text_add_escaped(&text, WIRE_LIT("x"));
	check("abc");

	bind_text_init(&text, buf, 5);
	bind_text_add(&text, "abc\xc3\xa9");
	assert_false(text.full);
	check("abc\xc3\xa9");

	/* An escape is whole or not there. */
	bind_text_init(&text, buf, 4);
	bind_text_add_escaped(&text, WIRE_LIT("a\x01"));
	check("a");
	bind_text_init(&text, buf, 5);
	bind_text_add_escaped(&text, WIRE_LIT("a\x01"));
	check("a\\x01");
}

static void
t_controls_and_bad_bytes_are_escaped(void **state)
{
	(void)state;
	bind_text_add_escaped(&text,
	    WIRE_LIT("\x00\x1f\x20~\x7f\n\r\t\xc2\x80\xc2\x9f\xc2\xa0\xff"
		     "\xed\xa0\x80\xf0\x9f\x98\x80\xf0\x9f"));
	check("\\x00\\x1f ~\\x7f\\n\\r\\t\\xc2\\x80\\xc2\\x9f\xc2\xa0\\xff"
	      "\\xed\\xa0\\x80\xf0\x9f\x98\x80\\xf0\\x9f");
}

static void
t_escaped_text_is_printable_whatever_it_was(void **state)
{
	uint64_t seed = 3;

	(void)state;
	for (int round = 0; round < 20000; round++) {
		uint8_t bytes[8];

		seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
		memcpy(bytes, &seed, sizeof(bytes));
		bind_text_init(&text, buf, sizeof(buf));
		bind_text_add_escaped(&text, (struct wire_span){bytes, 8});
		assert_int_equal(
		    wire_utf8_valid_prefix(bind_text_span(&text)), text.len);
		for (size_t i = 0; i < text.len; i++) {
			assert_true(buf[i] >= 0x20 && buf[i] != 0x7f);
			assert_false(buf[i] == 0xc2 && buf[i + 1] < 0xa0);
		}
	}
}

static void
t_a_tail_up_to_its_escaped_length(void **state)
{
	(void)state;
	bind_text_add_escaped_tail(&text,
	    WIRE_LIT("abc\x01"
		     "d"),
	    5);
	check("\\x01d");
	bind_text_init(&text, buf, sizeof(buf));
	bind_text_add_escaped_tail(&text,
	    WIRE_LIT("abc\x01"
		     "d"),
	    4);
	check("d");
	bind_text_init(&text, buf, sizeof(buf));
	bind_text_add_escaped_tail(&text,
	    WIRE_LIT("abc\x01"
		     "d"),
	    8);
	check("abc\\x01d");
	bind_text_init(&text, buf, sizeof(buf));
	bind_text_add_escaped_tail(&text, WIRE_LIT("ab\xc3\xa9z"), 2);
	check("z");
	bind_text_init(&text, buf, sizeof(buf));
	bind_text_add_escaped_tail(&text, WIRE_LIT("ab"), 0);
	check("");
}

static void
t_messages(void **state)
{
	(void)state;
	bind_message_whole(
	    &text, WIRE_LIT("t"), WIRE_TOOL_NOT_FOUND, WIRE_LIT("gone"));
	check("t: gone. Check the name: list what exists before using it.");
	bind_text_init(&text, buf, sizeof(buf));
	bind_message_whole(
	    &text, WIRE_LIT("t"), WIRE_TOOL_NOT_FOUND, WIRE_LIT("gone."));
	check("t: gone. Check the name: list what exists before using it.");
	bind_text_init(&text, buf, sizeof(buf));
	bind_message_whole(
	    &text, WIRE_LIT("t"), WIRE_TOOL_NOT_FOUND, WIRE_LIT(""));
	check("t: Check the name: list what exists before using it.");
}

static void
t_the_longest_message_fits(void **state)
{
	uint8_t name[WIRE_MAX_TOOL_NAME], what[BIND_MESSAGE_MAX];

	(void)state;
	memset(name, 1, sizeof(name));
	memset(what, 'w', sizeof(what));
	for (int kind = 1; kind < WIRE_TOOL_KIND_COUNT; kind++) {
		bind_text_init(&text, buf, BIND_MESSAGE_WHOLE);
		bind_message_whole(&text,
		    (struct wire_span){name, sizeof(name)},
		    (enum wire_tool_kind)kind,
		    (struct wire_span){what, sizeof(what)});
		assert_false(text.full);
	}
}

/* --- intake ------------------------------------------------------------- */

static void
t_a_tail_remembers_the_last(void **state)
{
	static uint8_t all[5000];
	struct bind_tail tail;
	static const size_t pieces[] = {1, 7, 1000, 1023, 1024, 1025, 5000};

	(void)state;
	for (size_t i = 0; i < sizeof(all); i++)
		all[i] = (uint8_t)(i * 7 + i / 256);
	for (size_t k = 0; k < sizeof(pieces) / sizeof(pieces[0]); k++) {
		size_t at = 0;

		tail.len = 0;
		while (at < sizeof(all)) {
			size_t n = pieces[k] < sizeof(all) - at
			    ? pieces[k]
			    : sizeof(all) - at;
			size_t kept;

			bind_tail_add(&tail, (struct wire_span){all + at, n});
			at += n;
			kept = at < BIND_TAIL_MAX ? at : BIND_TAIL_MAX;
			assert_int_equal(tail.len, kept);
			assert_memory_equal(tail.bytes, all + at - kept, kept);
		}
	}
	bind_tail_add(&tail, (struct wire_span){NULL, 0});
	assert_int_equal(tail.len, BIND_TAIL_MAX);
}

/* What a turn of intake makes of a file of so many bytes. */
static enum bind_intake_result
read_file(struct bind_intake *intake, size_t max, size_t bytes)
{
	enum bind_intake_result r;
	int fd = memfd_create("test", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, (off_t)bytes), 0);
	bind_intake_init(intake, max);
	while ((r = bind_intake_read(intake, fd)) == BIND_INTAKE_MORE)
		;
	(void)close(fd);
	return r;
}

static void
t_intake_at_its_maximum_and_over(void **state)
{
	static const size_t maxima[] = {
	    0, 1, 4095, 4096, 4097, 65535, 65536, 65537, 1000000};
	struct bind_intake intake;

	(void)state;
	for (size_t i = 0; i < sizeof(maxima) / sizeof(maxima[0]); i++) {
		size_t max = maxima[i];

		assert_int_equal(read_file(&intake, max, max), BIND_INTAKE_END);
		assert_int_equal(intake.len, max);
		bind_intake_release(&intake);
		assert_int_equal(
		    read_file(&intake, max, max + 1), BIND_INTAKE_OVER);
		assert_in_range(intake.size, 0, max + 1);
		bind_intake_release(&intake);
		assert_int_equal(
		    read_file(&intake, max, 3000000), BIND_INTAKE_OVER);
		assert_int_equal(intake.len, max + 1);
		bind_intake_release(&intake);
	}
}

static void
t_a_turn_reads_no_more_than_its_share(void **state)
{
	struct bind_intake intake;
	struct bind_tail tail = {.len = 0};
	int fd = open("/dev/zero", O_RDONLY | O_CLOEXEC);

	(void)state;
	assert_true(fd >= 0);
	bind_intake_init(&intake, 10000000);
	for (size_t turn = 1; turn < 5; turn++) {
		assert_int_equal(
		    bind_intake_read(&intake, fd), BIND_INTAKE_MORE);
		assert_int_equal(intake.len, turn * BIND_TURN_MAX);
	}
	bind_intake_release(&intake);
	assert_int_equal(bind_tail_read(&tail, fd), BIND_INTAKE_MORE);
	(void)close(fd);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup(t_numbers, set_up),
	    cmocka_unit_test_setup(
		t_what_does_not_fit_is_cut_on_a_character, set_up),
	    cmocka_unit_test_setup(
		t_controls_and_bad_bytes_are_escaped, set_up),
	    cmocka_unit_test_setup(
		t_escaped_text_is_printable_whatever_it_was, set_up),
	    cmocka_unit_test_setup(t_a_tail_up_to_its_escaped_length, set_up),
	    cmocka_unit_test_setup(t_messages, set_up),
	    cmocka_unit_test_setup(t_the_longest_message_fits, set_up),
	    cmocka_unit_test(t_a_tail_remembers_the_last),
	    cmocka_unit_test(t_intake_at_its_maximum_and_over),
	    cmocka_unit_test(t_a_turn_reads_no_more_than_its_share),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
