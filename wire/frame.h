/*
 * Bytes to lines, metered before anything is parsed (W3).
 *
 * Owns: positions and meters. The buffer is the caller's; a line that never
 * ends costs at most frame_max + 1 bytes of it. How the bytes were cut into
 * reads never shows: any split of a stream gives the same lines and the same
 * error at the same offset.
 *
 * Use: get space, read into it, commit, take lines until there is none.
 * A returned line points into the buffer and is good until the next call of
 * wire_frame_space, wire_frame_move or wire_frame_grown.
 */
#ifndef WIRE_FRAME_H
#define WIRE_FRAME_H

#include "wire/err.h"
#include "wire/span.h"

struct wire_frame_limits {
	size_t frame_max;    /* bytes of a line, its newline not counted */
	uint64_t bytes_max;  /* bytes of the whole stream */
	uint64_t lines_max;  /* lines, blank ones included */
	uint64_t blanks_max; /* blank lines: empty or JSON white space only */
};

struct wire_frame {
	struct wire_frame_limits limits;
	uint8_t *buf;
	size_t buf_len; /* size of buf */
	size_t start;	/* first byte that no line has taken yet */
	size_t scanned; /* no newline in [start, scanned) */
	size_t end;	/* first free byte */
	uint64_t base;	/* stream offset of buf[0] */
	uint64_t lines;
	uint64_t blanks;
	enum wire_err err; /* latched */
	uint64_t err_offset;
};

/* buf_len is at least 1; the buffer may later be moved to a larger one. */
void wire_frame_init(struct wire_frame *frame,
    const struct wire_frame_limits *limits, uint8_t *buf, size_t buf_len);

/*
 * Room for the next read, moving pending bytes to the front when that helps.
 * *ret_len 0: the buffer is full of one unfinished line; move to a larger one
 * (never needed beyond frame_max + 1); or an error is latched. Take the lines
 * that are there before the next read, or pending bytes are moved each time.
 */
void wire_frame_space(
    struct wire_frame *frame, uint8_t **ret_p, size_t *ret_len);

/* Carries pending bytes over into a larger buffer; the old one is free. */
void wire_frame_move(struct wire_frame *frame, uint8_t *buf, size_t buf_len);

/* The buffer itself has grown, as realloc does it: its bytes are at buf now,
 * in their places. */
void wire_frame_grown(struct wire_frame *frame, uint8_t *buf, size_t buf_len);

/* len bytes of the space have been filled. */
void wire_frame_commit(struct wire_frame *frame, size_t len);

/*
 * The next line that is not blank, without its newline. *ret_offset is the
 * stream offset of its first byte. False: none yet (*ret_err is WIRE_OK), or
 * a ceiling was passed (the error, at frame->err_offset; latched).
 */
bool wire_frame_next(struct wire_frame *frame, struct wire_span *ret_line,
    uint64_t *ret_offset, enum wire_err *ret_err);

/* At end of stream: WIRE_ERR_PARTIAL_FRAME when bytes are pending; they begin
 * at offset base + start. A latched error stays. */
WIRE_MUST_USE enum wire_err wire_frame_end(const struct wire_frame *frame);

#endif
