/*
 * Target: the splitter. The first eight bytes choose ceilings and a seed for
 * cutting; the rest is the stream. Property: a stream taken byte by byte or
 * cut at random gives the lines, meters and error it gives at once.
 */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "wire/frame.h"

struct result {
	uint64_t hash, lines, blanks, err_offset;
	enum wire_err err;
};

/* The next read: everything left, or 1 to 16 bytes from the state. */
static size_t
next_cut(uint32_t *state, size_t left)
{
	size_t n;

	if (*state == 0)
		return left;
	*state = *state * 1664525u + 1013904223u;
	n = 1 + (*state >> 28);
	return n < left ? n : left;
}

static struct result
run(const struct wire_frame_limits *limits, struct wire_span in, uint32_t cut)
{
	struct result r = {0, 0, 0, 0, WIRE_OK};
	size_t max = limits->frame_max + 1, n, room, i;
	uint8_t *buf = malloc(max), *space;
	struct wire_frame frame;
	struct wire_span line;
	uint64_t offset;

	FUZZ_REQUIRE(buf != NULL);
	wire_frame_init(&frame, limits, buf, max);
	for (;;) {
		while (wire_frame_next(&frame, &line, &offset, &r.err)) {
			r.hash = r.hash * 31 + offset;
			for (i = 0; i < line.len; i++)
				r.hash = r.hash * 31 + line.p[i];
		}
		if (r.err != WIRE_OK || in.len == 0)
			break;
		wire_frame_space(&frame, &space, &room);
		FUZZ_REQUIRE(room > 0);
		n = next_cut(&cut, in.len < room ? in.len : room);
		memcpy(space, in.p, n);
		wire_frame_commit(&frame, n);
		in.p += n;
		in.len -= n;
	}
	r.lines = frame.lines;
	r.blanks = frame.blanks;
	r.err_offset = frame.err_offset;
	r.err = wire_frame_end(&frame);
	free(buf);
	return r;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wire_frame_limits limits;
	struct result whole, cut;
	struct wire_span in;

	if (size < 8)
		return 0;
	limits = (struct wire_frame_limits){
	    1 + data[0], (uint64_t)data[1] << 4, data[2], data[3]};
	in = (struct wire_span){data + 8, size - 8};
	whole = run(&limits, in, 0);
	cut =
	    run(&limits, in, 1 + ((uint32_t)data[4] | (uint32_t)data[5] << 8));
	FUZZ_REQUIRE(whole.hash == cut.hash && whole.lines == cut.lines &&
	    whole.blanks == cut.blanks && whole.err == cut.err &&
	    whole.err_offset == cut.err_offset);
	return 0;
}
