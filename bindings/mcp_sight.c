#include "bindings/mcp_sight.h"

#include <string.h>

#include "wire/limits.h"

void
bind_mcp_sight_init(struct bind_mcp_sight *sight)
{
	*sight = (struct bind_mcp_sight){.state = BIND_MCP_SIGHT_OPEN};
}

static bool
is_key(const struct bind_mcp_sight *sight, const char *word)
{
	return sight->key_len == strlen(word) &&
	    memcmp(sight->key, word, sight->key_len) == 0;
}

static bool
is_space(uint8_t byte)
{
	return byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n';
}

static void
feed_string(struct bind_mcp_sight *sight, uint8_t byte)
{
	bool ends = byte == '"' && !sight->in_escape;

	sight->in_escape = byte == '\\' && !sight->in_escape;
	if (ends)
		sight->in_string = false;
	else if (sight->depth == 1 && sight->key_len < BIND_MCP_SIGHT_KEY)
		sight->key[sight->key_len++] = byte;
	else if (sight->depth == 1)
		sight->key_len = BIND_MCP_SIGHT_KEY + 1;
}

/* The first byte of a value of the message itself. */
static void
begin_value(struct bind_mcp_sight *sight, uint8_t byte)
{
	bool digit = byte >= '0' && byte <= '9';

	if (is_key(sight, "method"))
		sight->has_method = true;
	if (is_key(sight, "id") && digit) {
		sight->state = BIND_MCP_SIGHT_NUMBER;
		sight->id = byte - (uint64_t)'0';
	} else {
		sight->state = BIND_MCP_SIGHT_KEYS;
	}
}

/* False: the number has ended before this byte. */
static bool
feed_number(struct bind_mcp_sight *sight, uint8_t byte)
{
	if (byte >= '0' && byte <= '9' && sight->id <= WIRE_MAX_ID / 10) {
		sight->id = sight->id * 10 + (byte - (uint64_t)'0');
		return true;
	}
	sight->has_id = byte == ',' || byte == '}' || is_space(byte);
	sight->state = BIND_MCP_SIGHT_KEYS;
	return false;
}

static void
feed_plain(struct bind_mcp_sight *sight, uint8_t byte)
{
	if (byte == '"') {
		sight->in_string = true;
		sight->in_escape = false;
		if (sight->depth == 1)
			sight->key_len = 0;
	} else if (byte == '{' || byte == '[') {
		sight->depth++;
	} else if ((byte == '}' || byte == ']') && sight->depth > 0) {
		sight->depth--;
	} else if (byte == ':' && sight->depth == 1) {
		sight->state = BIND_MCP_SIGHT_VALUE;
	}
}

static void
feed_one(struct bind_mcp_sight *sight, uint8_t byte)
{
	if (sight->in_string) {
		feed_string(sight, byte);
		return;
	}
	switch (sight->state) {
	case BIND_MCP_SIGHT_OPEN:
		if (is_space(byte))
			return;
		sight->state =
		    byte == '{' ? BIND_MCP_SIGHT_KEYS : BIND_MCP_SIGHT_LOST;
		break;
	case BIND_MCP_SIGHT_VALUE:
		if (is_space(byte))
			return;
		begin_value(sight, byte);
		break;
	case BIND_MCP_SIGHT_NUMBER:
		if (feed_number(sight, byte))
			return;
		break;
	case BIND_MCP_SIGHT_KEYS:
		break;
	case BIND_MCP_SIGHT_LOST:
		return;
	}
	feed_plain(sight, byte);
}

void
bind_mcp_sight_feed(struct bind_mcp_sight *sight, struct wire_span bytes)
{
	for (size_t i = 0; i < bytes.len; i++)
		feed_one(sight, bytes.p[i]);
}

bool
bind_mcp_sight_id(const struct bind_mcp_sight *sight, uint64_t *ret_id)
{
	if (!sight->has_id || sight->has_method ||
	    sight->state == BIND_MCP_SIGHT_LOST)
		return false;
	*ret_id = sight->id;
	return true;
}
