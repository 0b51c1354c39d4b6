#include "wire/frame.h"

#include <string.h>

/*
 * Each offence belongs to one byte: the first byte past a ceiling of bytes,
 * or the newline that ends one line too many. Offences are found in the order
 * of those bytes, so a chunk that holds several gives the same answer as the
 * same bytes one by one. Where two fall on one byte the order is: stream
 * bytes, frame, lines, blank lines.
 */

void
wire_frame_init(struct wire_frame *frame,
    const struct wire_frame_limits *limits, uint8_t *buf, size_t buf_len)
{
	WIRE_BUG_IF(buf_len == 0);
	*frame = (struct wire_frame){
	    .limits = *limits,
	    .buf = buf,
	    .buf_len = buf_len,
	};
}

/* Puts the pending bytes at the front of buf, which may be frame->buf. */
static void
settle(struct wire_frame *frame, uint8_t *buf)
{
	size_t pending = frame->end - frame->start;

	if (pending != 0)
		memmove(buf, frame->buf + frame->start, pending);
	frame->base += frame->start;
	frame->scanned -= frame->start;
	frame->end = pending;
	frame->start = 0;
	frame->buf = buf;
}

void
wire_frame_space(struct wire_frame *frame, uint8_t **ret_p, size_t *ret_len)
{
	size_t pending = frame->end - frame->start;

	/*
	 * Moving costs the pending bytes. It is paid by as many bytes that
	 * lines have taken, or by the line that goes on: once moved it begins
	 * at 0 and does not move again.
	 */
	if (frame->start != 0 &&
	    (frame->start >= pending || frame->end == frame->buf_len))
		settle(frame, frame->buf);
	*ret_p = frame->buf + frame->end;
	*ret_len = frame->err == WIRE_OK ? frame->buf_len - frame->end : 0;
}

void
wire_frame_move(struct wire_frame *frame, uint8_t *buf, size_t buf_len)
{
	WIRE_BUG_IF(buf_len < frame->end - frame->start);
	settle(frame, buf);
	frame->buf_len = buf_len;
}

void
wire_frame_grown(struct wire_frame *frame, uint8_t *buf, size_t buf_len)
{
	WIRE_BUG_IF(buf_len < frame->buf_len);
	frame->buf = buf;
	frame->buf_len = buf_len;
}

void
wire_frame_commit(struct wire_frame *frame, size_t len)
{
	WIRE_BUG_IF(len > frame->buf_len - frame->end);
	frame->end += len;
}

static bool
is_blank(struct wire_span line)
{
	size_t i;

	for (i = 0; i < line.len; i++) {
		if (line.p[i] != ' ' && line.p[i] != '\t' && line.p[i] != '\r')
			return false;
	}
	return true;
}

/* Latches an error at buf[at]. */
static enum wire_err
latch(struct wire_frame *frame, enum wire_err err, size_t at)
{
	frame->err = err;
	frame->err_offset = frame->base + at;
	return err;
}

/*
 * Finds the newline of the pending line: its index in *ret_at, or frame->end
 * when it has not come yet; or the ceiling that is passed before it comes.
 */
static enum wire_err
find_newline(struct wire_frame *frame, size_t *ret_at)
{
	const struct wire_frame_limits *limits = &frame->limits;
	uint64_t metered = limits->bytes_max - frame->base;
	size_t stop = frame->end;
	const uint8_t *found = NULL;
	bool too_many = false, too_long = false;

	if (stop > metered) {
		stop = (size_t)metered;
		too_many = true;
	}
	if (stop - frame->start > limits->frame_max) {
		/* The newline itself may stand at this distance. */
		stop = frame->start + limits->frame_max + 1;
		too_long = true;
	}
	if (frame->scanned < stop) {
		found = memchr(
		    frame->buf + frame->scanned, '\n', stop - frame->scanned);
		frame->scanned = stop;
	}
	if (found != NULL) {
		*ret_at = (size_t)(found - frame->buf);
		frame->scanned = *ret_at + 1;
		return WIRE_OK;
	}
	if (too_long)
		return latch(frame, WIRE_ERR_FRAME_TOO_LONG, stop - 1);
	if (too_many)
		return latch(frame, WIRE_ERR_STREAM_BYTES, stop);
	*ret_at = frame->end;
	return WIRE_OK;
}

bool
wire_frame_next(struct wire_frame *frame, struct wire_span *ret_line,
    uint64_t *ret_offset, enum wire_err *ret_err)
{
	struct wire_span line;
	size_t at, start;

	*ret_err = frame->err;
	while (*ret_err == WIRE_OK) {
		*ret_err = find_newline(frame, &at);
		if (*ret_err != WIRE_OK || at == frame->end)
			return false;
		if (frame->lines == frame->limits.lines_max) {
			*ret_err = latch(frame, WIRE_ERR_STREAM_LINES, at);
			return false;
		}
		start = frame->start;
		line = (struct wire_span){frame->buf + start, at - start};
		if (!is_blank(line)) {
			frame->lines++;
			frame->start = at + 1;
			*ret_line = line;
			*ret_offset = frame->base + start;
			return true;
		}
		if (frame->blanks == frame->limits.blanks_max) {
			*ret_err = latch(frame, WIRE_ERR_STREAM_BLANKS, at);
			return false;
		}
		frame->lines++;
		frame->blanks++;
		frame->start = at + 1;
	}
	return false;
}

enum wire_err
wire_frame_end(const struct wire_frame *frame)
{
	if (frame->err != WIRE_OK)
		return frame->err;
	return frame->start == frame->end ? WIRE_OK : WIRE_ERR_PARTIAL_FRAME;
}
