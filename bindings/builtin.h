/*
 * The tools that every execution has, beside those of the catalogue: to read
 * what was too large to deliver, and to look at the catalogue.
 *
 *	read_tool_output	a window of a kept result, or a search in one
 *	list_tools		the names that are offered
 *	get_tool_info		what is known of one
 *
 * They are called by name like any other and pass the same gate. Their names
 * are in no list of offered tools, and no tool of the catalogue may have one.
 *
 * Owns: the searches under way, one descriptor while there are any. They take
 * turns of the loop, one turn of all searches of a session for one of the
 * loop's (bindings/effort.h), so that others have theirs.
 *
 * Part of the session, which includes it; nobody else but the catalogue does.
 */
#ifndef BIND_BUILTIN_H
#define BIND_BUILTIN_H

#include <bsd/sys/queue.h>

#include "bindings/catalogue.h"

struct bind_session;
struct bind_builtin_search;

enum bind_builtin_tool {
	BIND_BUILTIN_READ,
	BIND_BUILTIN_LIST,
	BIND_BUILTIN_INFO,
	BIND_BUILTINS
};

struct bind_builtin {
	struct bind_session *session;
	struct bind_tool tools[BIND_BUILTINS];
	TAILQ_HEAD(, bind_builtin_search) searches;
	struct bind_watch watch; /* while there are any */
};

void bind_builtin_init(
    struct bind_builtin *builtin, struct bind_session *session);

/* NULL for any other name. */
const struct bind_tool *bind_builtin_find(
    const struct bind_builtin *builtin, struct wire_span name);

/* Whether a tool is one of these. */
bool bind_builtin_is(const struct bind_tool *tool);

bool bind_builtin_has_name(struct wire_span name);

#endif
