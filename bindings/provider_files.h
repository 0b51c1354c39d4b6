/*
 * The provider `files`: one directory of the host as four tools (B12).
 *
 *	NAME.list	the names in a directory
 *	NAME.stat	what a name is
 *	NAME.read	the bytes of a regular file, or a window of them
 *	NAME.write	a regular file, whole or appended to
 *
 * TOOLS.md has their arguments and values. They run in this process: there is
 * no other that would have rights of its own.
 *
 * What they may: beneath the root, and there beneath the paths of two lists. A
 * path is judged as text, before the call is recorded as started
 * (bindings/files_path.h), and then resolved by the kernel beneath the root
 * without following a link and without leaving its file system. Only regular
 * files are opened. The root is opened once, here; what takes its place later
 * is not seen.
 *
 * Nothing waits: a call does at most BIND_TURN_MAX bytes of its work, and
 * what is left of it takes turns of the loop with the others. A file system
 * that is slow itself makes everything wait; that is for whoever names the
 * root to know.
 *
 * Owns: the root, and one descriptor while there is more to do. One thread,
 * the loop's; all sessions that call it have the same loop.
 */
#ifndef BIND_PROVIDER_FILES_H
#define BIND_PROVIDER_FILES_H

#include "bindings/catalogue.h"

/* Paths of one list. */
#define BIND_FILES_PATHS 64

struct bind_files_config {
	const char *root; /* absolute; no part of it is a link */
	/* Beneath the root, "/" is all of it. Without any list, all can be
	 * read and nothing written; otherwise what is in none is refused. */
	const char *const *read;
	size_t read_count;
	const char *const *write;
	size_t write_count;
};

/*
 * Adds the four tools; nothing of the configuration is kept. What
 * bind_catalogue_add says, "name" also for one that is too long with its
 * ending; BAD_ARGUMENT with info->site "read" or "write" and in info->offset
 * which of the list is no path, "lists" where one is longer than
 * BIND_FILES_PATHS; SYSTEM with the site "root" and the errno; NO_MEMORY.
 */
WIRE_MUST_USE enum wire_err bind_files_add(struct bind_catalogue *catalogue,
    struct wire_span name, const struct bind_files_config *config,
    struct wire_errinfo *info);

#endif
