#include "bindings/http_allow.h"

#include <string.h>

#include "bindings/address.h"

static enum wire_err
refuse(struct wire_errinfo *info, const char *why)
{
	return wire_fail(info, WIRE_ERR_BAD_ARGUMENT, why, 0);
}

static uint8_t
lower(uint8_t byte)
{
	return byte >= 'A' && byte <= 'Z' ? (uint8_t)(byte | 0x20) : byte;
}

static bool
same_text(struct wire_span a, struct wire_span b)
{
	if (a.len != b.len)
		return false;
	for (size_t i = 0; i < a.len; i++)
		if (lower(a.p[i]) != lower(b.p[i]))
			return false;
	return true;
}

static struct wire_span
after(struct wire_span text, size_t len)
{
	return (struct wire_span){text.p + len, text.len - len};
}

static bool
starts_with(struct wire_span text, struct wire_span start)
{
	return text.len >= start.len &&
	    same_text((struct wire_span){text.p, start.len}, start);
}

/* --- the origin ----------------------------------------------------------- */

static bool
is_name(struct wire_span host)
{
	uint8_t before = '.';

	if (host.len == 0 || host.len > BIND_HTTP_HOST_MAX)
		return false;
	for (size_t i = 0; i < host.len; i++) {
		uint8_t c = lower(host.p[i]);

		/* An empty label is no name, but for one dot at the end. */
		if (c == '.' ? before == '.'
			     : !(c >= 'a' && c <= 'z') &&
			    !(c >= '0' && c <= '9') && c != '-' && c != '_')
			return false;
		before = c;
	}
	return true;
}

static enum wire_err
take_host(struct wire_span *rest, struct wire_span *ret_host,
    struct wire_errinfo *info)
{
	struct bind_address address;
	struct wire_span host = {rest->p, 0};

	if (rest->len > 0 && rest->p[0] == '[') {
		while (host.len < rest->len && rest->p[host.len] != ']')
			host.len++;
		if (host.len == rest->len ||
		    memchr(rest->p, ':', host.len) == NULL ||
		    !bind_address_parse(
			(struct wire_span){host.p + 1, host.len - 1}, &address))
			return refuse(info,
			    "no IPv6 address in the brackets; write one such "
			    "as [2001:db8::1]");
		host.len++;
	} else {
		while (host.len < rest->len &&
		    memchr(":/?#@\\", rest->p[host.len], 6) == NULL)
			host.len++;
		if (!is_name(host))
			return refuse(info,
			    "no host of letters, digits, '.' and '-'; write a "
			    "name or an address");
	}
	*ret_host = host;
	*rest = after(*rest, host.len);
	return WIRE_OK;
}

static enum wire_err
take_port(struct wire_span *rest, unsigned *port, struct wire_errinfo *info)
{
	unsigned value = 0;
	size_t i = 1;

	if (rest->len == 0 || rest->p[0] != ':')
		return WIRE_OK;
	while (i < rest->len && i < 7 && rest->p[i] >= '0' && rest->p[i] <= '9')
		value = value * 10 + (unsigned)(rest->p[i++] - '0');
	if (i < 2 || rest->p[1] == '0' || value < 1 || value > 65535)
		return refuse(
		    info, "no port behind the colon; it is 1 to 65535");
	*port = value;
	*rest = after(*rest, i);
	return WIRE_OK;
}

enum wire_err
bind_http_origin_parse(struct wire_span url,
    struct bind_http_origin *ret_origin, struct wire_span *ret_path,
    struct wire_errinfo *info)
{
	struct bind_http_origin origin = {.tls = true, .port = 443};
	struct wire_span rest;
	enum wire_err err;

	if (starts_with(url, WIRE_LIT("https://"))) {
		rest = after(url, 8);
	} else if (starts_with(url, WIRE_LIT("http://"))) {
		rest = after(url, 7);
		origin.tls = false;
		origin.port = 80;
	} else {
		return refuse(
		    info, "begins with another scheme than http and https");
	}
	err = take_host(&rest, &origin.host, info);
	if (err == WIRE_OK)
		err = take_port(&rest, &origin.port, info);
	if (err != WIRE_OK)
		return err;
	if (rest.len > 0 && rest.p[0] == '@')
		return refuse(
		    info, "holds a user; write a header for credentials");
	if (rest.len > 0 && rest.p[0] != '/' && rest.p[0] != '?')
		return refuse(info,
		    "goes on with something else than a port, a path or a "
		    "query behind the host");
	*ret_origin = origin;
	*ret_path = rest;
	return WIRE_OK;
}

bool
bind_http_same_origin(
    const struct bind_http_origin *a, const struct bind_http_origin *b)
{
	return a->tls == b->tls && a->port == b->port &&
	    same_text(a->host, b->host);
}

/* --- paths ---------------------------------------------------------------- */

static int
hex(uint8_t byte)
{
	if (byte >= '0' && byte <= '9')
		return byte - '0';
	byte = lower(byte);
	return byte >= 'a' && byte <= 'f' ? byte - 'a' + 10 : -1;
}

enum wire_err
bind_http_path_check(struct wire_span path, struct wire_errinfo *info)
{
	for (size_t i = 0; i < path.len; i++) {
		uint8_t c = path.p[i];

		if (c <= 0x20 || c >= 0x7f || memchr("\"#<>\\^`{|}", c, 10))
			return refuse(info,
			    "holds a character that has to be "
			    "percent-encoded");
		if (c == '%' &&
		    (path.len - i < 3 || hex(path.p[i + 1]) < 0 ||
			hex(path.p[i + 2]) < 0))
			return refuse(info,
			    "holds a '%' without two digits behind it; write "
			    "%25");
	}
	if (bind_http_has_dots(path))
		return refuse(
		    info, "has a segment '.' or '..'; write the path without");
	return WIRE_OK;
}

/* Decodes in place; whether there was anything to decode. */
static bool
decode(uint8_t *text, size_t *len)
{
	size_t to = 0;
	bool any = false;

	for (size_t i = 0; i < *len; i++) {
		uint8_t c = text[i];

		if (c == '%' && *len - i >= 3 && hex(text[i + 1]) >= 0 &&
		    hex(text[i + 2]) >= 0) {
			c = (uint8_t)(hex(text[i + 1]) * 16 + hex(text[i + 2]));
			any = true;
			i += 2;
		}
		text[to++] = c;
	}
	*len = to;
	return any;
}

static bool
is_dots(const uint8_t *p, size_t len)
{
	/* Parameters behind ';' are none of the name for some. */
	const uint8_t *end = len > 0 ? memchr(p, ';', len) : NULL;

	if (end != NULL)
		len = (size_t)(end - p);
	return (len == 1 || len == 2) && p[0] == '.' && p[len - 1] == '.';
}

static bool
has_plain_dots(const uint8_t *text, size_t len)
{
	size_t begin = 0;

	for (size_t i = 0; i <= len; i++) {
		if (i < len && text[i] != '/' && text[i] != '\\')
			continue;
		if (is_dots(text + begin, i - begin))
			return true;
		begin = i + 1;
	}
	return false;
}

bool
bind_http_has_dots(struct wire_span path)
{
	uint8_t text[BIND_HTTP_DOTS_MAX];
	size_t len = path.len;

	if (len == 0)
		return false;
	if (len > sizeof(text))
		return true;
	memcpy(text, path.p, len);
	/* Each time round it is shorter by two bytes at least. What decodes
	 * more than a few times is meant to deceive. */
	for (unsigned times = 0; times < 16; times++) {
		if (has_plain_dots(text, len))
			return true;
		if (!decode(text, &len))
			return false;
	}
	return true;
}

/* --- entries -------------------------------------------------------------- */

enum wire_err
bind_http_entry_parse(struct wire_span text, struct bind_http_entry *ret_entry,
    struct wire_errinfo *info)
{
	struct bind_http_entry entry;
	enum wire_err err =
	    bind_http_origin_parse(text, &entry.origin, &entry.prefix, info);

	if (err == WIRE_OK)
		err = bind_http_path_check(entry.prefix, info);
	if (err != WIRE_OK)
		return err;
	if (entry.prefix.len > 0 &&
	    memchr(entry.prefix.p, '?', entry.prefix.len) != NULL)
		return refuse(
		    info, "holds a query; an entry ends with a path at most");
	while (
	    entry.prefix.len > 0 && entry.prefix.p[entry.prefix.len - 1] == '/')
		entry.prefix.len--;
	*ret_entry = entry;
	return WIRE_OK;
}

bool
bind_http_entry_allows(const struct bind_http_entry *entry,
    const struct bind_http_origin *origin, struct wire_span path)
{
	size_t len = entry->prefix.len;

	if (!bind_http_same_origin(&entry->origin, origin))
		return false;
	if (path.len < len ||
	    (len > 0 && memcmp(path.p, entry->prefix.p, len) != 0))
		return false;
	/* SECURITY: a prefix ends where a segment does: /v1 is not /v10. */
	return path.len == len || path.p[len] == '/';
}
