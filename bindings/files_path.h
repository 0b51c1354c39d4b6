/*
 * Paths that a program names, before anybody looks at the host (B12).
 *
 * A path is taken beneath a root that is not part of it: "/a/b" and "a/b" are
 * the same, and "/" is the root. Empty segments and "." mean nothing, as in
 * the kernel; a segment ".." is refused whatever it would lead to, before
 * anything else is looked at. What comes out has segments of 1 byte or more,
 * parted by one '/', none of them "." or "..".
 *
 * SECURITY: this is the half that judges what was asked for. Where it leads is
 * judged by the kernel, beneath the root and without following links.
 *
 * Pure.
 */
#ifndef BIND_FILES_PATH_H
#define BIND_FILES_PATH_H

#include "wire/err.h"
#include "wire/kinds.h"
#include "wire/span.h"

#define BIND_FILES_PATH_MAX 4095

struct bind_files_path {
	size_t len;
	/* It ends with '/' or "/.", so it can only be a directory. */
	bool directory;
	char text[BIND_FILES_PATH_MAX + 1]; /* NUL-terminated; "": the root */
};

/* NONE, or a kind and in *ret_words what is wrong, a static text. */
WIRE_MUST_USE enum wire_tool_kind bind_files_path_take(struct wire_span given,
    struct bind_files_path *ret_path, const char **ret_words);

/* Whether a path is `top` or lies beneath it, both as they come out of
 * bind_files_path_take. */
bool bind_files_path_is_beneath(struct wire_span path, struct wire_span top);

struct wire_span bind_files_path_span(const struct bind_files_path *path);

/* The path's last segment, and the length of what stands before it. */
const char *bind_files_path_name(
    const struct bind_files_path *path, size_t *ret_parent_len);

#endif
