#include "wire_help.h"

#include "wire/frame.h"

/* Everything that a stream gave: its lines, then how it ended. */
struct outcome {
	struct growing log; /* "offset:text\n" for each line */
	enum wire_err err;
	uint64_t err_offset;
	uint64_t lines, blanks;
};

static void
note_line(struct outcome *o, struct wire_span line, uint64_t offset)
{
	grow(&o->log, "%llu:", (unsigned long long)offset);
	grow_bytes(&o->log, line.p, line.len);
	grow(&o->log, "\n");
}

/*
 * Runs a stream in pieces whose sizes come from *random (0: all at once,
 * 1 state: any sizes), through a buffer that starts small and grows.
 */
static void
run(const struct wire_frame_limits *limits, struct wire_span stream,
    size_t piece_max, uint64_t *random, struct outcome *ret)
{
	size_t buf_len = 1 + (random != NULL ? random_below(random, 20) : 0);
	uint8_t *buf = must_alloc(buf_len), *space, *larger;
	struct wire_frame frame;
	struct wire_span line;
	uint64_t offset;
	size_t at = 0, room, n;
	unsigned grown = 0;

	memset(ret, 0, sizeof(*ret));
	wire_frame_init(&frame, limits, buf, buf_len);
	while (ret->err == WIRE_OK) {
		while (wire_frame_next(&frame, &line, &offset, &ret->err))
			note_line(ret, line, offset);
		if (ret->err != WIRE_OK || at == stream.len)
			break;
		wire_frame_space(&frame, &space, &room);
		if (room == 0) {
			/* Never asked beyond what the contract says. */
			assert_true(buf_len < limits->frame_max + 1);
			buf_len = buf_len * 2 < limits->frame_max + 1
			    ? buf_len * 2
			    : limits->frame_max + 1;
			/* Both ways of growing, in turns. */
			if ((grown++ & 1) != 0) {
				buf = realloc(buf, buf_len);
				assert_non_null(buf);
				wire_frame_grown(&frame, buf, buf_len);
				continue;
			}
			larger = must_alloc(buf_len);
			wire_frame_move(&frame, larger, buf_len);
			free(buf);
			buf = larger;
			continue;
		}
		n = stream.len - at < room ? stream.len - at : room;
		if (n > piece_max)
			n = piece_max;
		if (random != NULL)
			n = 1 + random_below(random, n);
		memcpy(space, stream.p + at, n);
		wire_frame_commit(&frame, n);
		at += n;
	}
	if (ret->err == WIRE_OK)
		ret->err = wire_frame_end(&frame);
	else
		assert_int_equal(wire_frame_end(&frame), ret->err);
	ret->err_offset = frame.err_offset;
	ret->lines = frame.lines;
	ret->blanks = frame.blanks;
	free(buf);
}

static void
release(struct outcome *o)
{
	free(o->log.p);
}

static void
expect(const struct wire_frame_limits *limits, struct wire_span stream,
    const char *log, enum wire_err err, uint64_t err_offset)
{
	struct outcome got;

	run(limits, stream, SIZE_MAX, NULL, &got);
	assert_int_equal(got.err, err);
	assert_int_equal(got.err_offset, err_offset);
	assert_int_equal(got.log.len, strlen(log));
	assert_memory_equal(got.log.p, log, got.log.len);
	release(&got);
}

static const struct wire_frame_limits wide = {1000, 1000000, 1000, 1000};

static void
t_lines_and_offsets(void **state)
{
	(void)state;
	expect(&wide, WIRE_LIT(""), "", WIRE_OK, 0);
	expect(&wide, WIRE_LIT("a\n"), "0:a\n", WIRE_OK, 0);
	expect(&wide, WIRE_LIT("ab\nc\r\n d\n"), "0:ab\n3:c\r\n6: d\n", WIRE_OK,
	    0);
	expect(&wide, WIRE_LIT("\n \t\r\n\r\na\n\n"), "7:a\n", WIRE_OK, 0);
	expect(&wide, WIRE_LIT("a\rb\rc\n"), "0:a\rb\rc\n", WIRE_OK, 0);
	expect(&wide, WIRE_LIT("\v\n\f\n"), "0:\v\n2:\f\n", WIRE_OK, 0);
}

static void
t_a_line_without_an_end_is_partial(void **state)
{
	(void)state;
	expect(&wide, WIRE_LIT("a"), "", WIRE_ERR_PARTIAL_FRAME, 0);
	expect(&wide, WIRE_LIT("a\nb"), "0:a\n", WIRE_ERR_PARTIAL_FRAME, 0);
	expect(&wide, WIRE_LIT("a\n "), "0:a\n", WIRE_ERR_PARTIAL_FRAME, 0);
}

static void
t_frame_ceiling(void **state)
{
	static const struct wire_frame_limits limits = {4, 1000, 100, 100};

	(void)state;
	expect(&limits, WIRE_LIT("1234\n"), "0:1234\n", WIRE_OK, 0);
	expect(&limits, WIRE_LIT("12345\n"), "", WIRE_ERR_FRAME_TOO_LONG, 4);
	expect(&limits, WIRE_LIT("12345"), "", WIRE_ERR_FRAME_TOO_LONG, 4);
	expect(&limits, WIRE_LIT("1234"), "", WIRE_ERR_PARTIAL_FRAME, 0);
	expect(
	    &limits, WIRE_LIT("1234\n5678\n"), "0:1234\n5:5678\n", WIRE_OK, 0);
	expect(&limits, WIRE_LIT("a\n12345678901234567890\n"), "0:a\n",
	    WIRE_ERR_FRAME_TOO_LONG, 6);
	/* Blank lines are lines: the ceiling holds for them too. */
	expect(
	    &limits, WIRE_LIT("    \n     \n"), "", WIRE_ERR_FRAME_TOO_LONG, 9);
}

static void
t_stream_bytes(void **state)
{
	static const struct wire_frame_limits limits = {100, 6, 100, 100};

	(void)state;
	expect(&limits, WIRE_LIT("ab\ncd\n"), "0:ab\n3:cd\n", WIRE_OK, 0);
	expect(&limits, WIRE_LIT("ab\ncd\n\n"), "0:ab\n3:cd\n",
	    WIRE_ERR_STREAM_BYTES, 6);
	expect(&limits, WIRE_LIT("ab\ncdef\n"), "0:ab\n", WIRE_ERR_STREAM_BYTES,
	    6);
	expect(&limits, WIRE_LIT("abcdefg"), "", WIRE_ERR_STREAM_BYTES, 6);
	expect(&limits, WIRE_LIT("abcdef"), "", WIRE_ERR_PARTIAL_FRAME, 0);
}

static void
t_stream_lines(void **state)
{
	static const struct wire_frame_limits limits = {100, 1000, 3, 100};

	(void)state;
	expect(&limits, WIRE_LIT("a\n\nb\n"), "0:a\n3:b\n", WIRE_OK, 0);
	expect(&limits, WIRE_LIT("a\n\nb\nc\n"), "0:a\n3:b\n",
	    WIRE_ERR_STREAM_LINES, 6);
	expect(&limits, WIRE_LIT("a\nb\nc\n\n"), "0:a\n2:b\n4:c\n",
	    WIRE_ERR_STREAM_LINES, 6);
	expect(&limits, WIRE_LIT("a\nb\nc\nd"), "0:a\n2:b\n4:c\n",
	    WIRE_ERR_PARTIAL_FRAME, 0);
}

static void
t_stream_blanks(void **state)
{
	static const struct wire_frame_limits limits = {100, 1000, 100, 2};

	(void)state;
	expect(&limits, WIRE_LIT("\n\na\n"), "2:a\n", WIRE_OK, 0);
	expect(&limits, WIRE_LIT("\n \na\n\r\nb\n"), "3:a\n",
	    WIRE_ERR_STREAM_BLANKS, 6);
}

/* Two ceilings passed by one byte: the order that frame.c states. */
static void
t_ties(void **state)
{
	static const struct wire_frame_limits bytes_frame = {4, 4, 100, 100};
	static const struct wire_frame_limits bytes_lines = {100, 2, 1, 100};
	static const struct wire_frame_limits lines_blanks = {100, 100, 1, 0};

	(void)state;
	expect(&bytes_frame, WIRE_LIT("12345"), "", WIRE_ERR_STREAM_BYTES, 4);
	expect(
	    &bytes_lines, WIRE_LIT("a\n\n"), "0:a\n", WIRE_ERR_STREAM_BYTES, 2);
	expect(&lines_blanks, WIRE_LIT("a\n\n"), "0:a\n", WIRE_ERR_STREAM_LINES,
	    2);
}

/* An error stays, whatever else is done. */
static void
t_errors_latch(void **state)
{
	static const struct wire_frame_limits limits = {4, 1000, 100, 100};
	uint8_t buf[64], *space;
	struct wire_frame frame;
	struct wire_span line;
	enum wire_err err;
	uint64_t offset;
	size_t room;

	(void)state;
	wire_frame_init(&frame, &limits, buf, sizeof(buf));
	wire_frame_space(&frame, &space, &room);
	assert_int_equal(room, sizeof(buf));
	memcpy(space, "123456\na\n", 9);
	wire_frame_commit(&frame, 9);
	assert_false(wire_frame_next(&frame, &line, &offset, &err));
	assert_int_equal(err, WIRE_ERR_FRAME_TOO_LONG);
	wire_frame_space(&frame, &space, &room);
	assert_int_equal(room, 0);
	assert_false(wire_frame_next(&frame, &line, &offset, &err));
	assert_int_equal(err, WIRE_ERR_FRAME_TOO_LONG);
	assert_int_equal(frame.err_offset, 4);
}

/* The largest ceilings that can be written do not wrap. */
static void
t_no_ceiling_wraps(void **state)
{
	static const struct wire_frame_limits limits = {
	    SIZE_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX};
	uint8_t buf[16], *space;
	struct wire_frame frame;
	struct wire_span line;
	enum wire_err err;
	uint64_t offset;
	size_t room;

	(void)state;
	wire_frame_init(&frame, &limits, buf, sizeof(buf));
	wire_frame_space(&frame, &space, &room);
	memcpy(space, "ab\n\ncd\n", 7);
	wire_frame_commit(&frame, 7);
	assert_true(wire_frame_next(&frame, &line, &offset, &err));
	assert_true(wire_frame_next(&frame, &line, &offset, &err));
	assert_int_equal(offset, 4);
	assert_false(wire_frame_next(&frame, &line, &offset, &err));
	assert_int_equal(err, WIRE_OK);
}

/*
 * The property: any split of any stream, under any ceilings, gives the same
 * lines, the same meters, and the same error at the same offset.
 */
static void
t_splits_do_not_show(void **state)
{
	static const char alphabet[] = "\n\n\n \t\rabc";
	uint64_t random = 11;
	unsigned round, again;

	(void)state;
	for (round = 0; round < 4000; round++) {
		struct wire_frame_limits limits = {
		    .frame_max = 1 + random_below(&random, 12),
		    .bytes_max = random_below(&random, 120),
		    .lines_max = random_below(&random, 30),
		    .blanks_max = random_below(&random, 20),
		};
		size_t len = random_below(&random, 100), i;
		struct outcome whole, split;
		uint8_t stream[100];
		struct wire_span span = {stream, len};

		for (i = 0; i < len; i++)
			stream[i] = (uint8_t)alphabet[random_below(
			    &random, sizeof(alphabet) - 1)];
		run(&limits, span, SIZE_MAX, NULL, &whole);
		for (again = 0; again < 6; again++) {
			/* Byte by byte, then at random. */
			run(&limits, span, again == 0 ? 1 : len + 1, &random,
			    &split);
			assert_int_equal(split.err, whole.err);
			assert_int_equal(split.err_offset, whole.err_offset);
			assert_int_equal(split.lines, whole.lines);
			assert_int_equal(split.blanks, whole.blanks);
			assert_int_equal(split.log.len, whole.log.len);
			if (whole.log.len != 0)
				assert_memory_equal(
				    split.log.p, whole.log.p, whole.log.len);
			release(&split);
		}
		release(&whole);
	}
}

/*
 * A long line that comes in small pieces after a short one: the bytes are
 * moved once, not once a piece, which shows in where they stand.
 */
static void
t_pending_bytes_move_once(void **state)
{
	static uint8_t buf[8192];
	struct wire_frame_limits limits = {8191, 100000, 10, 10};
	struct wire_frame frame;
	struct wire_span line;
	enum wire_err err;
	uint64_t offset;
	uint8_t *space;
	size_t room, moves = 0, start;

	(void)state;
	wire_frame_init(&frame, &limits, buf, sizeof(buf));
	wire_frame_space(&frame, &space, &room);
	memcpy(space, "a\nbbbbbb", 8);
	wire_frame_commit(&frame, 8);
	do {
		while (wire_frame_next(&frame, &line, &offset, &err))
			assert_int_equal(line.len, 1);
		start = frame.start;
		wire_frame_space(&frame, &space, &room);
		moves += frame.start != start;
		if (room > 3)
			room = 3;
		memset(space, 'b', room);
		wire_frame_commit(&frame, room);
	} while (frame.end != sizeof(buf) || frame.start != 0);
	assert_int_equal(moves, 1);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(t_lines_and_offsets),
	    cmocka_unit_test(t_a_line_without_an_end_is_partial),
	    cmocka_unit_test(t_frame_ceiling),
	    cmocka_unit_test(t_stream_bytes),
	    cmocka_unit_test(t_stream_lines),
	    cmocka_unit_test(t_stream_blanks),
	    cmocka_unit_test(t_ties),
	    cmocka_unit_test(t_errors_latch),
	    cmocka_unit_test(t_no_ceiling_wraps),
	    cmocka_unit_test(t_splits_do_not_show),
	    cmocka_unit_test(t_pending_bytes_move_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
