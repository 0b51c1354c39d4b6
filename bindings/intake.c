#include "bindings/intake.h"

#include <stdlib.h>
#include <string.h>

#include "bindings/loop.h"
#include "bindings/sys.h"

#define FIRST_SIZE 4096

void
bind_intake_init(struct bind_intake *intake, size_t max)
{
	*intake = (struct bind_intake){.max = max};
}

void
bind_intake_release(struct bind_intake *intake)
{
	free(intake->p);
	intake->p = NULL;
	intake->len = intake->size = 0;
}

static bool
grow(struct bind_intake *intake)
{
	size_t most = intake->max + 1;
	size_t size = intake->size < FIRST_SIZE ? FIRST_SIZE : intake->size * 2;
	uint8_t *bigger;

	if (size > most)
		size = most;
	bigger = realloc(intake->p, size);
	if (bigger == NULL)
		return false;
	intake->p = bigger;
	intake->size = size;
	return true;
}

enum bind_intake_result
bind_intake_read(struct bind_intake *intake, int fd)
{
	size_t left = BIND_TURN_MAX;

	while (left > 0) {
		size_t room;
		ssize_t n;

		if (intake->len > intake->max)
			return BIND_INTAKE_OVER;
		if (intake->len == intake->size && !grow(intake))
			return BIND_INTAKE_NO_MEMORY;
		room = intake->size - intake->len;
		n = bind_sys_read(
		    fd, intake->p + intake->len, room < left ? room : left);
		if (n == -EAGAIN)
			return BIND_INTAKE_QUIET;
		if (n <= 0)
			return n == 0 ? BIND_INTAKE_END : BIND_INTAKE_FAILED;
		intake->len += (size_t)n;
		left -= (size_t)n;
	}
	return intake->len > intake->max ? BIND_INTAKE_OVER : BIND_INTAKE_MORE;
}

enum bind_intake_result
bind_intake_add(struct bind_intake *intake, struct wire_span more)
{
	if (more.len > intake->max - intake->len)
		return BIND_INTAKE_OVER;
	while (more.len > intake->size - intake->len)
		if (!grow(intake))
			return BIND_INTAKE_NO_MEMORY;
	if (more.len > 0)
		memcpy(intake->p + intake->len, more.p, more.len);
	intake->len += more.len;
	return BIND_INTAKE_MORE;
}

void
bind_tail_add(struct bind_tail *tail, struct wire_span more)
{
	size_t keep;

	if (more.len > BIND_TAIL_MAX) {
		more.p += more.len - BIND_TAIL_MAX;
		more.len = BIND_TAIL_MAX;
	}
	keep = BIND_TAIL_MAX - more.len;
	if (keep > tail->len)
		keep = tail->len;
	memmove(tail->bytes, tail->bytes + (tail->len - keep), keep);
	if (more.len > 0)
		memcpy(tail->bytes + keep, more.p, more.len);
	tail->len = keep + more.len;
}

enum bind_intake_result
bind_tail_read(struct bind_tail *tail, int fd)
{
	uint8_t buf[8192];
	size_t left = BIND_TURN_MAX;

	while (left > 0) {
		ssize_t n = bind_sys_read(
		    fd, buf, left < sizeof(buf) ? left : sizeof(buf));

		if (n == -EAGAIN)
			return BIND_INTAKE_QUIET;
		if (n <= 0)
			return BIND_INTAKE_END;
		bind_tail_add(tail, (struct wire_span){buf, (size_t)n});
		left -= (size_t)n;
	}
	return BIND_INTAKE_MORE;
}
