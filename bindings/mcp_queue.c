#include "bindings/mcp_queue.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/types.h>

#include "bindings/loop.h"
#include "bindings/sys.h"

void
bind_mcp_queue_init(struct bind_mcp_queue *queue)
{
	TAILQ_INIT(&queue->lines);
	queue->len = queue->answers = 0;
}

void
bind_mcp_queue_empty(struct bind_mcp_queue *queue)
{
	struct bind_mcp_line *line;

	while ((line = TAILQ_FIRST(&queue->lines)) != NULL) {
		TAILQ_REMOVE(&queue->lines, line, link);
		free(line);
	}
	queue->len = queue->answers = 0;
}

bool
bind_mcp_queue_is_empty(const struct bind_mcp_queue *queue)
{
	return TAILQ_EMPTY(&queue->lines);
}

bool
bind_mcp_queue_add(struct bind_mcp_queue *queue, struct bind_mcp_line *line)
{
	/* SECURITY: a server that does not read makes the host keep no more
	 * than this for it. */
	if (line == NULL || line->len > BIND_MCP_QUEUE_MAX - queue->len) {
		free(line);
		return false;
	}
	TAILQ_INSERT_TAIL(&queue->lines, line, link);
	queue->len += line->len;
	if (line->is_answer)
		queue->answers += line->len;
	return true;
}

bool
bind_mcp_queue_remove(struct bind_mcp_queue *queue, uint64_t id)
{
	struct bind_mcp_line *found;

	TAILQ_FOREACH(found, &queue->lines, link)
	{
		if (found->id == id)
			break;
	}
	if (found == NULL || found->sent > 0)
		return false;
	TAILQ_REMOVE(&queue->lines, found, link);
	queue->len -= found->len;
	free(found);
	return true;
}

int
bind_mcp_queue_write(struct bind_mcp_queue *queue, int fd)
{
	size_t left = BIND_TURN_MAX;
	struct bind_mcp_line *line;

	while (left > 0 && (line = TAILQ_FIRST(&queue->lines)) != NULL) {
		size_t len = line->len - line->sent;
		ssize_t n = bind_sys_write_pipe(
		    fd, line->bytes + line->sent, len < left ? len : left);

		if (n == -EAGAIN)
			return 0;
		if (n < 0)
			return (int)n;
		line->sent += (size_t)n;
		queue->len -= (size_t)n;
		left -= (size_t)n;
		if (line->sent < line->len)
			continue;
		if (line->is_answer)
			queue->answers -= line->len;
		TAILQ_REMOVE(&queue->lines, line, link);
		free(line);
	}
	return 0;
}
