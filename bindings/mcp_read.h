/*
 * One line of an MCP server as a message of JSON-RPC 2.0.
 *
 * Owns: the shape. Refuses: what is no JSON object, or neither request,
 * notification nor reply; such a line is NOISE and says nothing, whatever it
 * is. Order of members is free, others are ignored, and `jsonrpc` need not be
 * there: what matters is never left out by real servers, and this may be.
 * `method` decides first, since ids of the two directions are separate.
 *
 * Spans point into the line. Pure, but for the memory of the check.
 */
#ifndef BIND_MCP_READ_H
#define BIND_MCP_READ_H

#include "bindings/json_check.h"

/* Members of a message, unknown ones included. */
#define BIND_MCP_MEMBERS 64

enum bind_mcp_kind {
	BIND_MCP_NOISE,
	BIND_MCP_BLANK,	 /* white space only */
	BIND_MCP_BROKEN, /* begins like a message, and is no JSON */
	BIND_MCP_REQUEST,
	BIND_MCP_NOTIFICATION,
	BIND_MCP_RESULT,
	BIND_MCP_ERROR,
};

struct bind_mcp_message {
	enum bind_mcp_kind kind;
	/* Of RESULT and ERROR: ours are plain integers, so another answers
	 * nothing, and is NOISE. */
	uint64_t id;
	struct wire_span id_text; /* of a REQUEST: JSON, to be echoed */
	struct wire_span method;  /* of REQUEST, NOTIFICATION: raw text */
	struct wire_span result;  /* of RESULT: any JSON */
	int64_t code;		  /* of ERROR; 0 where it is no integer */
	struct wire_span message; /* of ERROR: raw text, maybe empty */
	enum wire_err broken;	  /* of BROKEN: why, and where */
	size_t offset;
};

/* NO_MEMORY, or WIRE_OK. */
WIRE_MUST_USE enum wire_err bind_mcp_read(struct bind_json_check *check,
    struct wire_span line, struct bind_mcp_message *ret_message);

/*
 * The member of this name of an object that was checked, in *ret_member.
 * False: there is none, or the value is no object of at most BIND_MCP_MEMBERS.
 */
bool bind_mcp_member(struct bind_json_check *check, struct wire_span object,
    const char *name, struct wire_json_member *ret_member);

/* Without its quotes; a member of another type is empty. */
struct wire_span bind_mcp_raw_text(const struct wire_json_member *member);

/* One after another, the elements of an array that was checked. */
struct bind_mcp_elements {
	struct wire_json_cursor cursor;
};

void bind_mcp_elements_init(
    struct bind_mcp_elements *elements, struct wire_span array);
/* False at the end. *ret_first is the token that the element begins with. */
bool bind_mcp_elements_next(struct bind_mcp_elements *elements,
    struct wire_span *ret_element, enum wire_json_token *ret_first);

#endif
