#include "bindings/mcp_write.h"

#include <stdlib.h>

#include "wire/json_out.h"

/* All that is in a message beside what is given. */
#define SLACK 1024

#define META_ "io.modelcontextprotocol/"

static struct bind_mcp_line *
begin(struct wire_out *out, size_t more)
{
	struct bind_mcp_line *line;
	size_t max, size;

	if (!wire_add(more, SLACK, &max) ||
	    !wire_add(max, sizeof(*line), &size))
		return NULL;
	line = malloc(size);
	if (line == NULL)
		return NULL;
	line->id = 0;
	line->is_answer = false;
	wire_out_init(out, line->bytes, max);
	wire_out_begin_object(out);
	wire_out_key(out, "jsonrpc");
	wire_out_text(out, "2.0");
	return line;
}

static struct bind_mcp_line *
end(struct wire_out *out, struct bind_mcp_line *line)
{
	enum wire_err err;

	wire_out_end_object(out);
	wire_out_newline(out);
	line->sent = 0;
	err = wire_out_finish(out, &line->len);
	/* What is given was checked, and the room is enough for it. */
	WIRE_BUG_IF(err != WIRE_OK);
	return line;
}

static void
put_client(struct wire_out *out, const char *key)
{
	wire_out_key(out, key);
	wire_out_begin_object(out);
	wire_out_key(out, "name");
	wire_out_text(out, "weir");
	wire_out_key(out, "version");
	wire_out_text(out, WEIR_VERSION);
	wire_out_end_object(out);
}

/* SECURITY: no capability is declared in either era, so a server that keeps
 * the rules asks neither a person nor a model for anything (B9). */
static void
put_no_capabilities(struct wire_out *out, const char *key)
{
	wire_out_key(out, key);
	wire_out_begin_object(out);
	wire_out_end_object(out);
}

/* What every request of the modern era says of who asks. */
static void
put_meta(struct wire_out *out, enum bind_mcp_era era)
{
	if (era != BIND_MCP_ERA_MODERN)
		return;
	wire_out_key(out, "_meta");
	wire_out_begin_object(out);
	wire_out_key(out, META_ "protocolVersion");
	wire_out_text(out, BIND_MCP_MODERN_VERSION);
	put_no_capabilities(out, META_ "clientCapabilities");
	put_client(out, META_ "clientInfo");
	wire_out_end_object(out);
}

static void
put_request(struct wire_out *out, struct bind_mcp_line *line, uint64_t id,
    const char *method)
{
	line->id = id;
	wire_out_key(out, "id");
	wire_out_uint(out, id);
	wire_out_key(out, "method");
	wire_out_text(out, method);
	wire_out_key(out, "params");
	wire_out_begin_object(out);
}

struct bind_mcp_line *
bind_mcp_write_hello(enum bind_mcp_era era, uint64_t id)
{
	bool modern = era == BIND_MCP_ERA_MODERN;
	struct wire_out out;
	struct bind_mcp_line *line = begin(&out, 0);

	if (line == NULL)
		return NULL;
	put_request(&out, line, id, modern ? "server/discover" : "initialize");
	put_meta(&out, era);
	if (!modern) {
		wire_out_key(&out, "protocolVersion");
		wire_out_text(&out, BIND_MCP_LEGACY_VERSION);
		put_no_capabilities(&out, "capabilities");
		put_client(&out, "clientInfo");
	}
	wire_out_end_object(&out);
	return end(&out, line);
}

struct bind_mcp_line *
bind_mcp_write_initialized(void)
{
	struct wire_out out;
	struct bind_mcp_line *line = begin(&out, 0);

	if (line == NULL)
		return NULL;
	wire_out_key(&out, "method");
	wire_out_text(&out, "notifications/initialized");
	return end(&out, line);
}

struct bind_mcp_line *
bind_mcp_write_list(enum bind_mcp_era era, uint64_t id, struct wire_span cursor)
{
	struct wire_out out;
	struct bind_mcp_line *line = begin(&out, cursor.len);

	if (line == NULL)
		return NULL;
	put_request(&out, line, id, "tools/list");
	put_meta(&out, era);
	if (cursor.len > 0) {
		wire_out_key(&out, "cursor");
		wire_out_raw_string(&out, cursor);
	}
	wire_out_end_object(&out);
	return end(&out, line);
}

struct bind_mcp_line *
bind_mcp_write_call(enum bind_mcp_era era, uint64_t id, struct wire_span tool,
    struct wire_span arguments)
{
	struct wire_out out;
	struct bind_mcp_line *line;
	size_t more;

	/* Six bytes are the most that a byte of text takes. */
	if (!wire_mul(tool.len, 6, &more) ||
	    !wire_add(more, arguments.len, &more))
		return NULL;
	line = begin(&out, more);
	if (line == NULL)
		return NULL;
	put_request(&out, line, id, "tools/call");
	put_meta(&out, era);
	wire_out_key(&out, "name");
	wire_out_string(&out, tool);
	wire_out_key(&out, "arguments");
	wire_out_raw(&out, arguments);
	wire_out_end_object(&out);
	return end(&out, line);
}

struct bind_mcp_line *
bind_mcp_write_cancelled(uint64_t id, const char *reason)
{
	struct wire_out out;
	struct bind_mcp_line *line = begin(&out, 0);

	if (line == NULL)
		return NULL;
	wire_out_key(&out, "method");
	wire_out_text(&out, "notifications/cancelled");
	wire_out_key(&out, "params");
	wire_out_begin_object(&out);
	wire_out_key(&out, "requestId");
	wire_out_uint(&out, id);
	wire_out_key(&out, "reason");
	wire_out_text(&out, reason);
	wire_out_end_object(&out);
	return end(&out, line);
}

/* The answer to a request of the server's, up to what it says. */
static struct bind_mcp_line *
begin_answer(struct wire_out *out, struct wire_span id, const char *key)
{
	struct bind_mcp_line *line = begin(out, id.len);

	if (line == NULL)
		return NULL;
	line->is_answer = true;
	wire_out_key(out, "id");
	wire_out_raw(out, id);
	wire_out_key(out, key);
	wire_out_begin_object(out);
	return line;
}

struct bind_mcp_line *
bind_mcp_write_pong(struct wire_span id)
{
	struct wire_out out;
	struct bind_mcp_line *line = begin_answer(&out, id, "result");

	if (line == NULL)
		return NULL;
	wire_out_end_object(&out);
	return end(&out, line);
}

struct bind_mcp_line *
bind_mcp_write_refusal(struct wire_span id)
{
	struct wire_out out;
	struct bind_mcp_line *line = begin_answer(&out, id, "error");

	if (line == NULL)
		return NULL;
	wire_out_key(&out, "code");
	wire_out_int(&out, -32601);
	wire_out_key(&out, "message");
	wire_out_text(&out, "this client answers nothing but ping");
	wire_out_end_object(&out);
	return end(&out, line);
}
