/*
 * The arguments of the path tools, as what is asked for.
 *
 *	list	{"path": P, "after": TOKEN, "limit": N}
 *	stat	{"path": P}
 *	read	{"path": P, "offset": BYTE, "length": N, "base64": BOOL}
 *	write	{"path": P, "text": T, "create": BOOL, "append": BOOL}
 *	write	{"path": P, "base64": T, "create": BOOL, "append": BOOL}
 *
 * A member that is null is one that is not there. `path` is the root where
 * list has none. Refuses, in words for the program: members of other names or
 * types, numbers out of their range, and what bindings/files_path.h does.
 *
 * Pure. Spans point into the arguments.
 */
#ifndef BIND_FILES_REQUEST_H
#define BIND_FILES_REQUEST_H

#include "bindings/files_path.h"
#include "bindings/text.h"
#include "wire/json.h"

enum bind_files_op {
	BIND_FILES_LIST,
	BIND_FILES_STAT,
	BIND_FILES_READ,
	BIND_FILES_WRITE,
	BIND_FILES_OPS
};

/* Entries of a directory in one answer: unless asked, and at most. */
#define BIND_FILES_LIMIT     1000
#define BIND_FILES_LIMIT_MAX 4096

/* Missing directories that one write makes, at most. */
#define BIND_FILES_MAKE_MAX 32

/* The longest name in a directory of Linux. */
#define BIND_FILES_NAME_MAX 255

struct bind_files_request {
	enum bind_files_op op;
	/* read: from where; how much, UINT64_MAX is all; as bytes, or as text
	 * where it is one. */
	uint64_t offset, length;
	bool as_bytes;
	/* list: names after this one; how many. */
	bool has_after;
	size_t after_len;
	uint8_t after[BIND_FILES_NAME_MAX + 3];
	uint64_t limit;
	/* write: raw, between its quotes. */
	struct wire_span content;
	bool is_base64;
	bool create, append;
	struct bind_files_path path;
};

/* "list", ...; static. */
const char *bind_files_op_word(enum bind_files_op op);

/* The members of a scanned object. NONE, or a kind and why in *why. */
WIRE_MUST_USE enum wire_tool_kind bind_files_request_take(enum bind_files_op op,
    const struct wire_json_member *members, size_t count,
    struct bind_files_request *ret_request, struct bind_text *why);

#endif
