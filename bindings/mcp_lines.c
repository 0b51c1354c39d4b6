#include "bindings/mcp_lines.h"

#include <stdlib.h>
#include <string.h>

#include "wire/limits.h"

#define FIRST_SIZE 4096
/* A buffer that has grown beyond is not kept. */
#define KEPT_SIZE (256 * WIRE_KIB)

void
bind_mcp_lines_init(struct bind_mcp_lines *lines, size_t max)
{
	*lines = (struct bind_mcp_lines){.max = max};
}

void
bind_mcp_lines_release(struct bind_mcp_lines *lines)
{
	free(lines->p);
	*lines = (struct bind_mcp_lines){.max = lines->max};
}

static void
tidy_up(struct bind_mcp_lines *lines)
{
	size_t len = lines->end - lines->begin;

	if (lines->begin > 0 && len > 0)
		memmove(lines->p, lines->p + lines->begin, len);
	lines->scanned -= lines->begin;
	lines->begin = 0;
	lines->end = len;
	if (len == 0 && lines->size > KEPT_SIZE) {
		free(lines->p);
		lines->p = NULL;
		lines->size = 0;
	}
}

/* SECURITY: the buffer never holds more than a line's maximum, its end, and
 * the one byte that shows that it is over. */
static bool
grow(struct bind_mcp_lines *lines)
{
	size_t most = lines->max + 2;
	size_t size = lines->size < FIRST_SIZE ? FIRST_SIZE : lines->size * 2;
	uint8_t *bigger;

	if (size > most)
		size = most;
	if (size <= lines->size)
		return false;
	bigger = realloc(lines->p, size);
	if (bigger == NULL)
		return false;
	lines->p = bigger;
	lines->size = size;
	return true;
}

size_t
bind_mcp_lines_room(struct bind_mcp_lines *lines, uint8_t **ret_room)
{
	tidy_up(lines);
	if (lines->end == lines->size && !grow(lines))
		return 0;
	*ret_room = lines->p + lines->end;
	return lines->size - lines->end;
}

void
bind_mcp_lines_filled(struct bind_mcp_lines *lines, size_t len)
{
	WIRE_BUG_IF(len > lines->size - lines->end);
	lines->end += len;
}

/* Feeds what is dropped to the sight; whether its end has come. */
static bool
throw_away(struct bind_mcp_lines *lines, size_t until)
{
	bool ended = until < lines->end;

	bind_mcp_sight_feed(&lines->sight,
	    (struct wire_span){lines->p + lines->begin, until - lines->begin});
	lines->begin = lines->scanned = ended ? until + 1 : until;
	return ended;
}

enum bind_mcp_lines_next
bind_mcp_lines_next(struct bind_mcp_lines *lines, struct wire_span *ret_line)
{
	const uint8_t *newline = NULL;
	size_t at = lines->end, len;

	if (lines->scanned < lines->end)
		newline = memchr(lines->p + lines->scanned, '\n',
		    lines->end - lines->scanned);
	if (newline != NULL)
		at = (size_t)(newline - lines->p);
	lines->scanned = at;
	if (lines->dropping) {
		if (!throw_away(lines, at))
			return BIND_MCP_LINES_MORE;
		lines->dropping = false;
		return BIND_MCP_LINES_DROPPED;
	}
	len = at - lines->begin;
	if (len > lines->max)
		return BIND_MCP_LINES_FULL;
	if (newline == NULL)
		return BIND_MCP_LINES_MORE;
	*ret_line = (struct wire_span){lines->p + lines->begin, len};
	if (len > 0 && ret_line->p[len - 1] == '\r')
		ret_line->len--;
	lines->begin = lines->scanned = at + 1;
	return BIND_MCP_LINES_LINE;
}

void
bind_mcp_lines_drop(struct bind_mcp_lines *lines)
{
	bind_mcp_sight_init(&lines->sight);
	lines->dropping = true;
	lines->scanned = lines->begin;
}
