/*
 * Captured streams and what a terminal is shown.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "supervisor/output.h"
#include "supervisor/printer.h"
#include "supervisor/sys.h"

struct stream {
	struct sup_loop loop;
	struct sup_output output;
	int write_fd;
};

static void
open_stream(struct stream *s, size_t cap, size_t preview)
{
	int fds[2];

	assert_int_equal(sup_loop_init(&s->loop, NULL), WIRE_OK);
	assert_int_equal(sup_sys_pipe(fds), 0);
	assert_int_equal(sup_sys_set_nonblocking(fds[0]), 0);
	s->write_fd = fds[1];
	assert_int_equal(sup_output_open(&s->output, &s->loop, fds[0], cap,
			     preview, NULL, NULL, NULL),
	    WIRE_OK);
}

static void
put(struct stream *s, const char *text, size_t len)
{
	while (len > 0) {
		size_t part = len < 4096 ? len : 4096;

		assert_int_equal(write(s->write_fd, text, part), part);
		assert_int_equal(sup_loop_step(&s->loop, 1000), WIRE_OK);
		text += part;
		len -= part;
	}
}

static void
close_stream(struct stream *s)
{
	sup_sys_close(&s->write_fd);
	sup_output_drain(&s->output);
}

/* The preview as JSON text, quotes included. */
static char *
preview(struct stream *s)
{
	size_t max = sup_output_preview_max(&s->output), len;
	char *text = malloc(max + 1);
	struct wire_out out;

	assert_non_null(text);
	wire_out_init(&out, (uint8_t *)text, max);
	sup_output_preview(&s->output, &out);
	assert_int_equal(wire_out_finish(&out, &len), WIRE_OK);
	text[len] = '\0';
	return text;
}

static void
release(struct stream *s)
{
	sup_output_release(&s->output);
	sup_loop_release(&s->loop);
}

static void
t_cap_is_exact(void **state)
{
	struct stream s;

	(void)state;
	open_stream(&s, 10, 10);
	put(&s, "0123456789", 10);
	close_stream(&s);
	assert_int_equal(s.output.captured_len, 10);
	assert_int_equal(sup_output_omitted(&s.output), 0);
	release(&s);
	open_stream(&s, 10, 10);
	put(&s, "0123456789a", 11);
	close_stream(&s);
	assert_int_equal(s.output.bytes, 11);
	assert_int_equal(s.output.captured_len, 10);
	assert_memory_equal(s.output.captured, "0123456789", 10);
	assert_int_equal(sup_output_omitted(&s.output), 1);
	release(&s);
}

/* For each piece that is taken, puts another one in. */
static bool
write_more(void *arg, const uint8_t *bytes, size_t len)
{
	struct stream *s = arg;

	assert_int_equal(write(s->write_fd, bytes, len), len);
	return true;
}

/* A full pipe is drained to its last byte; who writes on is not waited for. */
static void
t_drain_takes_what_a_pipe_holds(void **state)
{
	static char full[1 << 20];
	struct stream s;
	int size;

	(void)state;
	open_stream(&s, sizeof(full), 10);
	size = sup_sys_pipe_size(s.write_fd);
	assert_true(size > 0);
	assert_true((size_t)size <= sizeof(full));
	assert_int_equal(write(s.write_fd, full, (size_t)size), size);
	sup_output_drain(&s.output);
	assert_int_equal(s.output.bytes, size);
	assert_int_equal(s.output.watch.fd, -1);
	sup_sys_close(&s.write_fd);
	release(&s);

	open_stream(&s, sizeof(full), 10);
	s.output.sink = write_more;
	s.output.sink_arg = &s;
	assert_int_equal(write(s.write_fd, full, 4096), 4096);
	sup_output_drain(&s.output);
	assert_int_equal(s.output.bytes, size);
	sup_sys_close(&s.write_fd);
	release(&s);
}

static void
t_preview_is_whole_or_head_and_tail(void **state)
{
	struct stream s;
	char *text;

	(void)state;
	open_stream(&s, 1000, 10);
	put(&s, "abcdefghij", 10);
	text = preview(&s);
	assert_string_equal(text, "\"abcdefghij\"");
	free(text);
	/* One byte more: six from the start, four from the end. */
	put(&s, "k", 1);
	close_stream(&s);
	text = preview(&s);
	assert_string_equal(
	    text, "\"abcdef\\n[... 1 bytes omitted ...]\\nhijk\"");
	free(text);
	release(&s);
}

/* The tail is the true end, also far beyond what is captured. */
static void
t_tail_is_the_end_of_the_stream(void **state)
{
	struct stream s;
	char *text;

	(void)state;
	open_stream(&s, 20, 10);
	for (int i = 0; i < 5000; i++)
		put(&s, "0123456789", 10);
	put(&s, "END!", 4);
	close_stream(&s);
	assert_int_equal(s.output.bytes, 50004);
	assert_int_equal(s.output.captured_len, 20);
	text = preview(&s);
	assert_string_equal(
	    text, "\"012345\\n[... 49994 bytes omitted ...]\\nEND!\"");
	free(text);
	release(&s);
}

/* U+20AC is three bytes; a cut never falls inside it, on either side. */
static void
t_cuts_fall_between_characters(void **state)
{
	static const char euro[] = "\xe2\x82\xac";
	struct stream s;
	char *text;

	(void)state;
	for (size_t budget = 4; budget < 40; budget++) {
		open_stream(&s, 1000, budget);
		for (int i = 0; i < 30; i++)
			put(&s, euro, 3);
		close_stream(&s);
		text = preview(&s);
		assert_null(strstr(text, "\xef\xbf\xbd")); /* U+FFFD */
		free(text);
		release(&s);
	}
}

static void
t_bytes_that_are_not_text_are_replaced(void **state)
{
	struct stream s;
	char *text;

	(void)state;
	open_stream(&s, 100, 100);
	put(&s, "a\xff\0b", 4);
	close_stream(&s);
	text = preview(&s);
	assert_string_equal(text, "\"a\xef\xbf\xbd\\u0000b\"");
	free(text);
	release(&s);
}

/* --- the printer ---------------------------------------------------------- */

static void
escaped(const char *text, size_t len, const char *want)
{
	uint8_t out[256];
	size_t n = sup_printer_escape((const uint8_t *)text, len, out);

	assert_int_equal(n, strlen(want));
	assert_memory_equal(out, want, n);
}

static void
t_terminal_escapes(void **state)
{
	(void)state;
	escaped("plain\ttext\n", 11, "plain\ttext\n");
	escaped("\x1b]0;title\x07", 10, "\\x1b]0;title\\x07");
	escaped("a\rb\x7f", 4, "a\\x0db\\x7f");
	escaped("\xc2\x9b"
		"31m",
	    5, "\\xc2\\x9b31m"); /* CSI as C1 */
	escaped("\xe2\x82\xac", 3, "\xe2\x82\xac");
	escaped("\xff\xe2\x82", 3, "\\xff\\xe2\\x82");
	escaped("\0", 1, "\\x00");
}

/* A character that is cut between two reads is not shown as two errors. */
static void
t_printer_joins_cut_characters(void **state)
{
	static const char text[] = "x\xf0\x9f\x98\x80y\xe2\x82\xacz";
	char got[64];
	int fds[2];

	(void)state;
	for (size_t cut = 1; cut < sizeof(text) - 1; cut++) {
		static struct sup_printer p;
		ssize_t n;

		assert_int_equal(sup_sys_pipe(fds), 0);
		sup_printer_init(&p, fds[1], true);
		(void)sup_printer_put(&p, text, cut);
		(void)sup_printer_put(&p, text + cut, sizeof(text) - 1 - cut);
		sup_printer_flush_held(&p);
		while (!sup_printer_is_empty(&p))
			(void)sup_printer_step(&p);
		n = read(fds[0], got, sizeof(got));
		assert_int_equal(n, sizeof(text) - 1);
		assert_memory_equal(got, text, sizeof(text) - 1);
		sup_printer_release(&p);
		sup_sys_close(&fds[0]);
		sup_sys_close(&fds[1]);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(t_cap_is_exact),
	    cmocka_unit_test(t_drain_takes_what_a_pipe_holds),
	    cmocka_unit_test(t_preview_is_whole_or_head_and_tail),
	    cmocka_unit_test(t_tail_is_the_end_of_the_stream),
	    cmocka_unit_test(t_cuts_fall_between_characters),
	    cmocka_unit_test(t_bytes_that_are_not_text_are_replaced),
	    cmocka_unit_test(t_terminal_escapes),
	    cmocka_unit_test(t_printer_joins_cut_characters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
