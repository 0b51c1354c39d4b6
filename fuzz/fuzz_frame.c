/*
 * Target: the splitter (wire/frame.h).
 *
 * Eight bytes choose ceilings, a first buffer and a seed for cutting; the rest
 * is the stream. Properties, against a loop over single bytes:
 *  - the lines, their offsets, the meters, the error and its offset are those
 *    that PROTOCOL.md 3 and 7 give for the stream;
 *  - whether it comes at once, byte by byte or cut at random, into a buffer
 *    that has its full size or grows;
 *  - no buffer is asked for beyond frame_max + 1, and there is always room for
 *    another byte as long as no error is latched.
 */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "wire/frame.h"

struct line {
	uint64_t offset;
	size_t len;
};

struct result {
	struct line *line; /* one for each byte and one more */
	size_t count;
	uint64_t lines, blanks, err_offset;
	enum wire_err err;
};

enum cut { AT_ONCE, SINGLY, RANDOM };

static void
result_init(struct result *r, size_t bytes)
{
	*r = (struct result){.line = calloc(bytes + 1, sizeof(*r->line))};
	FUZZ_REQUIRE(r->line != NULL);
}

/* What byte i does to the model, which stands in a line since `start`. */
static enum wire_err
model_byte(const struct wire_frame_limits *limits, struct wire_span in,
    size_t i, size_t *start, struct result *r)
{
	bool blank = true;
	size_t k;

	if (i >= limits->bytes_max)
		return WIRE_ERR_STREAM_BYTES;
	if (in.p[i] != '\n')
		return i - *start >= limits->frame_max ? WIRE_ERR_FRAME_TOO_LONG
						       : WIRE_OK;
	if (r->lines == limits->lines_max)
		return WIRE_ERR_STREAM_LINES;
	for (k = *start; k < i; k++)
		blank = blank && strchr(" \t\r", in.p[k]) != NULL && in.p[k];
	if (blank && r->blanks == limits->blanks_max)
		return WIRE_ERR_STREAM_BLANKS;
	r->lines++;
	r->blanks += blank;
	if (!blank)
		r->line[r->count++] = (struct line){*start, i - *start};
	*start = i + 1;
	return WIRE_OK;
}

static void
model(const struct wire_frame_limits *limits, struct wire_span in,
    struct result *r)
{
	size_t start = 0, i;

	for (i = 0; i < in.len && r->err == WIRE_OK; i++) {
		r->err = model_byte(limits, in, i, &start, r);
		r->err_offset = i;
	}
	if (r->err != WIRE_OK)
		return;
	r->err_offset = start;
	if (start < in.len)
		r->err = WIRE_ERR_PARTIAL_FRAME;
}

static void
take_lines(struct wire_frame *frame, struct wire_span in, struct result *r)
{
	struct wire_span line;
	uint64_t offset;

	while (wire_frame_next(frame, &line, &offset, &r->err)) {
		FUZZ_REQUIRE(offset <= in.len && line.len <= in.len - offset);
		FUZZ_REQUIRE(memcmp(line.p, in.p + offset, line.len) == 0);
		r->line[r->count++] = (struct line){offset, line.len};
	}
}

/* The space for the next read; a full buffer is changed for a larger one. */
static size_t
space(struct wire_frame *frame, uint8_t **buf, uint8_t **ret_p)
{
	size_t room, len = frame->buf_len, max = frame->limits.frame_max + 1;
	uint8_t *larger;

	wire_frame_space(frame, ret_p, &room);
	if (room != 0)
		return room;
	FUZZ_REQUIRE(len < max);
	len = len < max / 2 ? len * 2 : max;
	larger = malloc(len);
	FUZZ_REQUIRE(larger != NULL);
	wire_frame_move(frame, larger, len);
	free(*buf);
	*buf = larger;
	wire_frame_space(frame, ret_p, &room);
	FUZZ_REQUIRE(room != 0);
	return room;
}

static void
run(const struct wire_frame_limits *limits, struct wire_span in, size_t buf_len,
    enum cut cut, uint32_t seed, struct result *r)
{
	size_t max = limits->frame_max + 1, fed = 0, n;
	struct wire_frame frame;
	uint8_t *buf, *p;

	buf_len = buf_len != 0 && buf_len < max ? buf_len : max;
	buf = malloc(buf_len);
	FUZZ_REQUIRE(buf != NULL);
	wire_frame_init(&frame, limits, buf, buf_len);
	while (r->err == WIRE_OK && fed < in.len) {
		n = space(&frame, &buf, &p);
		if (cut != AT_ONCE)
			n = cut == SINGLY ? 1 : 1 + fuzz_random(&seed) % n;
		n = n < in.len - fed ? n : in.len - fed;
		memcpy(p, in.p + fed, n);
		wire_frame_commit(&frame, n);
		fed += n;
		take_lines(&frame, in, r);
	}
	r->lines = frame.lines;
	r->blanks = frame.blanks;
	r->err_offset =
	    r->err != WIRE_OK ? frame.err_offset : frame.base + frame.start;
	FUZZ_REQUIRE(r->err == WIRE_OK || wire_frame_end(&frame) == r->err);
	r->err = wire_frame_end(&frame);
	free(buf);
}

static void
compare(const struct wire_frame_limits *limits, struct wire_span in,
    size_t buf_len, enum cut cut, uint32_t seed, const struct result *want)
{
	struct result r;
	size_t i;

	result_init(&r, in.len);
	run(limits, in, buf_len, cut, seed, &r);
	FUZZ_REQUIRE(r.err == want->err);
	FUZZ_REQUIRE(r.err_offset == want->err_offset);
	FUZZ_REQUIRE(r.lines == want->lines && r.blanks == want->blanks);
	FUZZ_REQUIRE(r.count == want->count);
	for (i = 0; i < r.count; i++)
		FUZZ_REQUIRE(r.line[i].offset == want->line[i].offset &&
		    r.line[i].len == want->line[i].len);
	free(r.line);
}

/* A ceiling of 255 is none. */
static uint64_t
ceiling(uint64_t value, uint64_t none)
{
	return value == none ? UINT64_MAX : value;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wire_span in = {data, size};
	struct wire_frame_limits limits;
	struct result want;
	size_t buf_len;
	uint32_t seed;

	if (size < 8)
		return 0;
	limits.frame_max = fuzz_byte(&in);
	limits.bytes_max = ceiling(fuzz_uint(&in, 2), 65535);
	limits.lines_max = ceiling(fuzz_byte(&in), 255);
	limits.blanks_max = ceiling(fuzz_byte(&in), 255);
	buf_len = fuzz_byte(&in);
	seed = (uint32_t)fuzz_uint(&in, 2);
	/* Frames beyond a byte's range, too. */
	if (limits.frame_max > 200)
		limits.frame_max = (limits.frame_max - 200) * 64;
	result_init(&want, in.len);
	model(&limits, in, &want);
	compare(&limits, in, 0, AT_ONCE, 0, &want);
	compare(&limits, in, buf_len, SINGLY, 0, &want);
	compare(&limits, in, buf_len, RANDOM, seed, &want);
	free(want.line);
	return 0;
}
