/*
 * Reading from a process that may write anything, without end: a buffer that
 * grows as bytes arrive up to its maximum, and a memory of the last few.
 *
 * Owns: the buffer of a bind_intake. The descriptor is the caller's and does
 * not block. One call reads at most BIND_TURN_MAX bytes.
 */
#ifndef BIND_INTAKE_H
#define BIND_INTAKE_H

#include "wire/span.h"

enum bind_intake_result {
	BIND_INTAKE_MORE,  /* the turn is over; there may be more */
	BIND_INTAKE_QUIET, /* nothing more for now */
	BIND_INTAKE_END,   /* end of file */
	BIND_INTAKE_OVER,  /* more than the maximum has come */
	BIND_INTAKE_NO_MEMORY,
	BIND_INTAKE_FAILED, /* reading failed; what has come is not all */
};

struct bind_intake {
	uint8_t *p;
	size_t len;
	size_t size;
	size_t max;
};

/* max is below SIZE_MAX. */
void bind_intake_init(struct bind_intake *intake, size_t max);
void bind_intake_release(struct bind_intake *intake);

/* SECURITY: metered as it arrives. Of what is over the maximum one byte is in
 * memory, the one that shows it. */
enum bind_intake_result bind_intake_read(struct bind_intake *intake, int fd);

/* The same for bytes that somebody else has read: MORE, OVER (nothing of them
 * is kept then) or NO_MEMORY. */
enum bind_intake_result bind_intake_add(
    struct bind_intake *intake, struct wire_span more);

#define BIND_TAIL_MAX 1024

struct bind_tail {
	uint8_t bytes[BIND_TAIL_MAX];
	size_t len;
};

/* Remembers the last of what was there and what has come. Pure. */
void bind_tail_add(struct bind_tail *tail, struct wire_span more);

/* MORE, QUIET or END, which is an error's as well: it is only a hint. */
enum bind_intake_result bind_tail_read(struct bind_tail *tail, int fd);

#endif
