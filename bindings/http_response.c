#include "bindings/http_response.h"

#include <string.h>

#include "wire/json_out.h"
#include "wire/utf8.h"

/* --- lines ---------------------------------------------------------------- */

static uint8_t
lower(uint8_t byte)
{
	return byte >= 'A' && byte <= 'Z' ? (uint8_t)(byte | 0x20) : byte;
}

static bool
same(struct wire_span a, const char *b)
{
	if (a.len != strlen(b))
		return false;
	for (size_t i = 0; i < a.len; i++)
		if (lower(a.p[i]) != (uint8_t)b[i])
			return false;
	return true;
}

static bool
ends_with(struct wire_span a, const char *end)
{
	size_t len = strlen(end);

	return a.len >= len &&
	    same((struct wire_span){a.p + a.len - len, len}, end);
}

static bool
is_blank(uint8_t c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static struct wire_span
trim(struct wire_span text)
{
	while (text.len > 0 && is_blank(text.p[text.len - 1]))
		text.len--;
	while (text.len > 0 && is_blank(text.p[0])) {
		text.p++;
		text.len--;
	}
	return text;
}

/* Cuts off what stands before `byte`, or all of it. */
static struct wire_span
cut(struct wire_span *rest, char byte)
{
	struct wire_span front = *rest;
	const uint8_t *at =
	    rest->len > 0 ? memchr(rest->p, byte, rest->len) : NULL;

	if (at == NULL) {
		rest->len = 0;
		return front;
	}
	front.len = (size_t)(at - front.p);
	rest->len -= front.len + 1;
	rest->p = at + 1;
	return front;
}

/* "HTTP/1.1 200 OK": the number. */
static unsigned
status_of(struct wire_span line)
{
	unsigned status = 0;
	struct wire_span rest = line, number;

	(void)cut(&rest, ' ');
	number = trim(cut(&rest, ' '));
	if (number.len != 3)
		return 0;
	for (size_t i = 0; i < 3; i++) {
		if (number.p[i] < '0' || number.p[i] > '9')
			return 0;
		status = status * 10 + (unsigned)(number.p[i] - '0');
	}
	return status;
}

static bool
is_utf8_charset(struct wire_span name)
{
	if (name.len >= 2 && name.p[0] == '"' && name.p[name.len - 1] == '"')
		name = (struct wire_span){name.p + 1, name.len - 2};
	return same(name, "utf-8") || same(name, "utf8") ||
	    same(name, "us-ascii") || same(name, "ascii");
}

static void
take_type(struct bind_http_response *response, struct wire_span value)
{
	struct wire_span rest = value, name = trim(cut(&rest, ';'));

	response->has_type = true;
	response->foreign_charset = false;
	response->type_len =
	    name.len < BIND_HTTP_TYPE_MAX ? name.len : BIND_HTTP_TYPE_MAX;
	if (name.len > 0)
		memcpy(response->type_text, name.p, response->type_len);
	if (same(name, "application/json") || ends_with(name, "+json"))
		response->type = BIND_HTTP_TYPE_JSON;
	else if (name.len > 5 && same((struct wire_span){name.p, 5}, "text/"))
		response->type = BIND_HTTP_TYPE_TEXT;
	else
		response->type = BIND_HTTP_TYPE_OTHER;
	while (rest.len > 0) {
		struct wire_span parameter = cut(&rest, ';');
		struct wire_span key = trim(cut(&parameter, '='));

		if (same(key, "charset") && !is_utf8_charset(trim(parameter)))
			response->foreign_charset = true;
	}
}

static bool
stop(struct bind_http_response *response, const char *problem)
{
	response->problem = problem;
	return false;
}

static bool
take_field(struct bind_http_response *response, struct wire_span line)
{
	struct wire_span value = line, name = trim(cut(&value, ':'));

	value = trim(value);
	if (same(name, "content-type"))
		take_type(response, value);
	/* SECURITY: a coding is a small text for a large one. */
	if (same(name, "content-encoding") && value.len > 0 &&
	    !same(value, "identity"))
		return stop(response,
		    "its response is compressed, which was not asked for");
	if (same(name, "transfer-encoding") && !same(value, "chunked"))
		return stop(response,
		    "its response has a transfer coding that was not asked "
		    "for");
	return true;
}

bool
bind_http_response_line(
    struct bind_http_response *response, struct wire_span line)
{
	/* SECURITY: 1xx answers and trailers have no other end. */
	if (line.len > BIND_HTTP_HEADERS_MAX - response->header_bytes)
		return stop(response, "its headers are over 65536 bytes");
	response->header_bytes += line.len;
	/* What stands behind the body changes nothing. */
	if (response->head_done)
		return true;
	if (line.len >= 5 && memcmp(line.p, "HTTP/", 5) == 0) {
		response->status = status_of(line);
		response->type = BIND_HTTP_TYPE_JSON;
		response->has_type = response->foreign_charset = false;
		if (response->status < 100)
			return stop(response, "its status is no number");
		return true;
	}
	if (trim(line).len == 0) {
		response->head_done = response->status >= 200;
		return true;
	}
	return response->status < 200 || take_field(response, line);
}

/* --- the outcome ---------------------------------------------------------- */

static void
add_excerpt(struct wire_span body, bool withheld, struct bind_text *text)
{
	uint8_t buf[BIND_HTTP_EXCERPT];
	struct bind_text excerpt;

	if (withheld) {
		bind_text_add(
		    text, "; its body holds a secret and is withheld");
		return;
	}
	/* SECURITY: before blanks are left out: of what stands far behind, only
	 * the beginning of a secret may have been kept and looked at. */
	if (body.len > BIND_HTTP_EXCERPT)
		body.len = wire_utf8_floor(body, BIND_HTTP_EXCERPT);
	body = trim(body);
	if (body.len == 0)
		return;
	bind_text_init(&excerpt, buf, sizeof(buf));
	bind_text_add_escaped(&excerpt, body);
	bind_text_add(text, "; body: ");
	bind_text_add_span(text, bind_text_span(&excerpt));
}

static enum wire_tool_kind
judge_type(const struct bind_http_response *response, struct wire_span body,
    struct bind_text *text)
{
	if (response->type == BIND_HTTP_TYPE_OTHER) {
		bind_text_add(text, "its response is neither JSON nor text");
		if (response->type_len > 0)
			bind_text_add(text, ", but of type ");
		bind_text_add_escaped(text,
		    (struct wire_span){
			response->type_text, response->type_len});
		return WIRE_TOOL_FAILED;
	}
	if (response->type != BIND_HTTP_TYPE_TEXT)
		return WIRE_TOOL_NONE;
	if (response->foreign_charset ||
	    wire_utf8_valid_prefix(body) != body.len) {
		bind_text_add(text, "its response is text, but not UTF-8");
		return WIRE_TOOL_FAILED;
	}
	return WIRE_TOOL_NONE;
}

enum wire_tool_kind
bind_http_response_judge(const struct bind_http_response *response,
    struct wire_span body, bool withheld, struct bind_text *text)
{
	if (!bind_http_is_success(response)) {
		bind_text_add(text, "HTTP status ");
		bind_text_add_uint(text, response->status);
		if (response->status >= 300 && response->status < 400)
			bind_text_add(text, "; redirects are not followed");
		add_excerpt(body, withheld, text);
		return WIRE_TOOL_FAILED;
	}
	if (withheld) {
		bind_text_add(
		    text, "its response holds a secret and is withheld");
		return WIRE_TOOL_FAILED;
	}
	return body.len > 0 ? judge_type(response, body, text) : WIRE_TOOL_NONE;
}

/* --- text ----------------------------------------------------------------- */

size_t
bind_http_text_size(struct wire_span text)
{
	size_t size = 2;

	for (size_t i = 0; i < text.len; i++) {
		uint8_t c = text.p[i];

		if (c == '"' || c == '\\' || c == '\b' || c == '\f' ||
		    c == '\n' || c == '\r' || c == '\t')
			size += 2;
		else
			size += c < 0x20 ? 6 : 1;
	}
	return size;
}

void
bind_http_text_write(struct wire_span text, uint8_t *buf)
{
	size_t size = bind_http_text_size(text), len = 0;
	struct wire_out out;

	wire_out_init(&out, buf, size);
	wire_out_string(&out, text);
	WIRE_BUG_IF(wire_out_finish(&out, &len) != WIRE_OK || len != size);
}
