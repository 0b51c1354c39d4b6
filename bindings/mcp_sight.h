/*
 * What can be seen of a message without taking it apart: which id it answers.
 *
 * For lines that are too long to be kept, and for those that are no JSON by
 * our rules (a lone surrogate, a member twice): the call that waits for them
 * must not wait for its time to be over. Bytes are fed in pieces of any size;
 * the state is a few words. It judges nothing: of a broken line the id may be
 * a wrong one, and then a call of the same server fails that was answered
 * wrongly by that server. Pure.
 */
#ifndef BIND_MCP_SIGHT_H
#define BIND_MCP_SIGHT_H

#include "wire/span.h"

#define BIND_MCP_SIGHT_KEY 8

enum bind_mcp_sight_state {
	BIND_MCP_SIGHT_OPEN,   /* before the first bracket */
	BIND_MCP_SIGHT_KEYS,   /* before a key of the message, or after a value
				*/
	BIND_MCP_SIGHT_VALUE,  /* after a colon of the message */
	BIND_MCP_SIGHT_NUMBER, /* inside of the id */
	BIND_MCP_SIGHT_LOST    /* this is no object */
};

struct bind_mcp_sight {
	enum bind_mcp_sight_state state;
	uint64_t depth; /* of brackets */
	bool in_string; /* and whether the last byte was a backslash */
	bool in_escape;
	size_t key_len; /* of the last string at depth 1, cut at the room + 1 */
	uint8_t key[BIND_MCP_SIGHT_KEY];
	bool has_id;	 /* a plain integer */
	bool has_method; /* so it answers nothing */
	uint64_t id;
};

void bind_mcp_sight_init(struct bind_mcp_sight *sight);
void bind_mcp_sight_feed(struct bind_mcp_sight *sight, struct wire_span bytes);

/* Whether an id was seen that this answers. */
bool bind_mcp_sight_id(const struct bind_mcp_sight *sight, uint64_t *ret_id);

#endif
