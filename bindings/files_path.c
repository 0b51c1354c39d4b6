#include "bindings/files_path.h"

#include <string.h>

/* The segment at *at, which then stands on its end: a '/', or the path's. */
static struct wire_span
next_segment(struct wire_span path, size_t *at)
{
	size_t begin = *at;

	while (*at < path.len && path.p[*at] != '/')
		++*at;
	return (struct wire_span){path.p + begin, *at - begin};
}

static bool
is_traversal(struct wire_span path)
{
	for (size_t at = 0; at < path.len; at++)
		if (wire_span_equal(next_segment(path, &at), WIRE_LIT("..")))
			return true;
	return false;
}

enum wire_tool_kind
bind_files_path_take(struct wire_span given, struct bind_files_path *path,
    const char **ret_words)
{
	path->len = 0;
	path->directory = false;
	/* SECURITY: a segment ".." is seen on the text as it came, since no
	 * later form of it has one (B12). */
	if (is_traversal(given)) {
		*ret_words = "the path has a part that is '..'";
		return WIRE_TOOL_PATH_TRAVERSAL;
	}
	*ret_words = "the path is empty; '/' is all that there is";
	if (given.len == 0)
		return WIRE_TOOL_FAILED;
	*ret_words = "the path has a NUL in it";
	if (memchr(given.p, '\0', given.len) != NULL)
		return WIRE_TOOL_FAILED;
	*ret_words = "the path is longer than 4095 bytes";
	for (size_t at = 0; at <= given.len; at++) {
		struct wire_span segment = next_segment(given, &at);

		path->directory =
		    segment.len == 0 || wire_span_equal(segment, WIRE_LIT("."));
		if (path->directory)
			continue;
		if (segment.len >= BIND_FILES_PATH_MAX - path->len)
			return WIRE_TOOL_FAILED;
		if (path->len > 0)
			path->text[path->len++] = '/';
		memcpy(path->text + path->len, segment.p, segment.len);
		path->len += segment.len;
	}
	path->text[path->len] = '\0';
	return WIRE_TOOL_NONE;
}

bool
bind_files_path_is_beneath(struct wire_span path, struct wire_span top)
{
	if (top.len == 0)
		return true;
	/* SECURITY: "out" does not allow "outside": what follows is the end,
	 * or another segment (B12). */
	return path.len >= top.len && memcmp(path.p, top.p, top.len) == 0 &&
	    (path.len == top.len || path.p[top.len] == '/');
}

struct wire_span
bind_files_path_span(const struct bind_files_path *path)
{
	return (struct wire_span){(const uint8_t *)path->text, path->len};
}

const char *
bind_files_path_name(const struct bind_files_path *path, size_t *ret_parent_len)
{
	const char *slash = strrchr(path->text, '/');

	*ret_parent_len = slash == NULL ? 0 : (size_t)(slash - path->text);
	return slash == NULL ? path->text : slash + 1;
}
