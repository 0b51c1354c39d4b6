/*
 * The catalogue: tool names and what answers them (B10).
 *
 * Owns: its tools and, through the provider's release, their data. Refuses:
 * names that are not 1..WIRE_MAX_TOOL_NAME bytes of UTF-8 without control
 * characters, a name that is already there, and those of the tools that every
 * execution has. A tool is never removed while
 * the catalogue lives; it is withdrawn, and then refused to every execution
 * from that moment on. An execution is offered the tools that stood in the
 * catalogue when it started: later ones have a higher index.
 *
 * Outlives every session that uses it. Lookup is constant time on average.
 * Not thread-safe.
 */
#ifndef BIND_CATALOGUE_H
#define BIND_CATALOGUE_H

#include "bindings/provider.h"
#include "wire/err.h"
#include "wire/limits.h"

/* More tools than any host offers; bounds the table. */
#define BIND_MAX_TOOLS 65536

enum bind_tool_mark {
	BIND_TOOL_NEEDS_APPROVAL = 1 << 0, /* refused before it runs (B9) */
	BIND_TOOL_NEEDS_INPUT = 1 << 1,	   /* may suspend; likewise */
};

/* What a tool says of itself: JSON that a scan has accepted, a string and any
 * value; p NULL where there is none. Untrusted, and bounded by who gives it. */
struct bind_tool_about {
	struct wire_span description;
	struct wire_span schema; /* of its arguments */
};

struct bind_tool {
	const struct bind_provider *provider;
	void *data;
	size_t index;	/* place in the catalogue, from 0 */
	unsigned marks; /* of enum bind_tool_mark */
	bool withdrawn;
	const struct bind_tool_about *about; /* NULL: nothing is known */
	size_t name_len;
	uint8_t name[WIRE_MAX_TOOL_NAME];
};

struct bind_catalogue;

WIRE_MUST_USE enum wire_err bind_catalogue_new(
    struct bind_catalogue **ret_catalogue);
/*
 * A catalogue that begins with the tools that base has now, and goes on with
 * its own. Those of base are shared: one that is withdrawn there is withdrawn
 * here. base outlives it. NO_MEMORY.
 */
WIRE_MUST_USE enum wire_err bind_catalogue_extend(
    const struct bind_catalogue *base, struct bind_catalogue **ret_catalogue);

/* NULL is fine. No session may be left. */
void bind_catalogue_free(struct bind_catalogue *catalogue);

/*
 * Adds a tool and takes over data, on success only. BAD_ARGUMENT with
 * info->site: "name" (not usable), "duplicate", "reserved", "count"; or
 * NO_MEMORY.
 */
WIRE_MUST_USE enum wire_err bind_catalogue_add(struct bind_catalogue *catalogue,
    struct wire_span name, const struct bind_provider *provider, void *data,
    unsigned marks, struct wire_errinfo *info);

/* Whether a tool of this name could be added: what bind_catalogue_add would
 * say of it, but for memory. */
WIRE_MUST_USE enum wire_err bind_catalogue_check(
    const struct bind_catalogue *catalogue, struct wire_span name,
    struct wire_errinfo *info);

/* Notes what the tool says of itself; it outlives the catalogue, or goes with
 * the tool's data. The tool is there. */
void bind_catalogue_describe(struct bind_catalogue *catalogue,
    struct wire_span name, const struct bind_tool_about *about);

/* Whether a tool can have this name, reserved ones apart. */
bool bind_catalogue_is_name(struct wire_span name);

/* NULL when there is none; withdrawn tools are found. */
const struct bind_tool *bind_catalogue_find(
    const struct bind_catalogue *catalogue, struct wire_span name);

/* False when there is no such tool. */
bool bind_catalogue_withdraw(
    struct bind_catalogue *catalogue, struct wire_span name);

/* Adds marks of enum bind_tool_mark, from that moment on for every execution.
 * False when there is no such tool. */
bool bind_catalogue_mark(
    struct bind_catalogue *catalogue, struct wire_span name, unsigned marks);

/* All tools ever added, in that order, for the list of offered names. */
size_t bind_catalogue_count(const struct bind_catalogue *catalogue);
const struct bind_tool *bind_catalogue_at(
    const struct bind_catalogue *catalogue, size_t index);

/*
 * Whether a call of this name may go on (B3, B9, B10), as the admission step
 * of the gate: NONE and *ret_tool, else the kind of the refusal. `offered` is
 * the catalogue's count when the execution started.
 */
WIRE_MUST_USE enum wire_tool_kind bind_catalogue_admit(
    const struct bind_catalogue *catalogue, size_t offered,
    struct wire_span name, const struct bind_tool **ret_tool);

/* The same question for a tool that was admitted before. */
WIRE_MUST_USE enum wire_tool_kind bind_tool_admit(
    const struct bind_tool *tool, size_t offered);

#endif
