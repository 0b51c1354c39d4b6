#include "bindings/http_header.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Without the host's own words about a message, the server would read another
 * one than was written. */
static const char *const ours[] = {"host", "content-length", "content-type",
    "content-encoding", "transfer-encoding", "accept-encoding", "connection",
    "keep-alive", "upgrade", "trailer", "te", "expect", "range",
    "proxy-authorization", "proxy-connection", "http2-settings"};

#define OURS (sizeof(ours) / sizeof(ours[0]))

static bool
is_token(uint8_t c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	    (c >= '0' && c <= '9') ||
	    (c != 0 && strchr("!#$%&'*+-.^_`|~", c) != NULL);
}

const char *
bind_http_header_problem(struct wire_span name)
{
	if (name.len < 1 || name.len > 128)
		return "no name of a header; it has 1 to 128 characters";
	for (size_t i = 0; i < name.len; i++)
		if (!is_token(name.p[i]))
			return "no name of a header; it has letters, digits "
			       "and '-'";
	for (size_t i = 0; i < OURS; i++)
		if (strlen(ours[i]) == name.len &&
		    strncasecmp(ours[i], (const char *)name.p, name.len) == 0)
			return "is a header that weir writes; leave it out";
	return NULL;
}

/* --- lines ---------------------------------------------------------------- */

struct line {
	size_t len;
	char text[BIND_HTTP_HEADER_MAX + 1];
};

static bool
put(struct line *line, const void *bytes, size_t len)
{
	if (len > BIND_HTTP_HEADER_MAX - line->len)
		return false;
	if (len > 0)
		memcpy(line->text + line->len, bytes, len);
	line->len += len;
	line->text[line->len] = '\0';
	return true;
}

static const char *
look_up(const char *const *environment, struct wire_span name)
{
	for (; environment != NULL && *environment != NULL; environment++)
		if (strncmp(*environment, (const char *)name.p, name.len) ==
			0 &&
		    (*environment)[name.len] == '=')
			return *environment + name.len + 1;
	return NULL;
}

static bool
is_variable(struct wire_span name)
{
	for (size_t i = 0; i < name.len; i++) {
		uint8_t c = name.p[i];

		if (!(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') &&
		    !(c >= '0' && c <= '9') && c != '_')
			return false;
	}
	return name.len > 0;
}

static bool
is_printable(const char *text)
{
	for (; *text != '\0'; text++)
		if ((*text < 0x20 && *text != '\t') || *text == 0x7f ||
		    (unsigned char)*text > 0x7f)
			return false;
	return true;
}

static enum wire_err
refuse(struct wire_errinfo *info, const char *why)
{
	return wire_fail(info, WIRE_ERR_BAD_ARGUMENT, why, 0);
}

static enum wire_err
add_secret(struct bind_http_secrets *secrets, const char *value,
    struct wire_errinfo *info)
{
	char *copy;

	for (size_t i = 0; i < secrets->count; i++)
		if (strcmp(secrets->values[i], value) == 0)
			return WIRE_OK;
	if (secrets->count == BIND_HTTP_SECRETS_MAX)
		return refuse(info, "more than 32 variables in one tool");
	copy = strdup(value);
	if (copy == NULL)
		return wire_fail(info, WIRE_ERR_NO_MEMORY, "secret", 0);
	secrets->values[secrets->count++] = copy;
	return WIRE_OK;
}

/* A variable, whose name stands in front of the '}'. */
static enum wire_err
put_variable(struct line *line, struct wire_span name,
    const char *const *environment, struct bind_http_secrets *secrets,
    struct wire_errinfo *info)
{
	const char *value = look_up(environment, name);
	size_t len;

	if (value == NULL)
		return refuse(info,
		    "is not set; set it where weir is started, or leave the "
		    "header out");
	len = strlen(value);
	/* The value is in no message. */
	if (len < BIND_HTTP_SECRET_MIN)
		return refuse(info,
		    "is shorter than 8 bytes, and cannot be kept out of "
		    "results; write what is no secret as it is");
	if (len > BIND_HTTP_SECRET_MAX)
		return refuse(info, "is longer than 8000 bytes");
	if (!is_printable(value))
		return refuse(info,
		    "holds a character that a header may not have, such as a "
		    "newline");
	if (!put(line, value, len))
		return refuse(info, "makes the line longer than 8192 bytes");
	return add_secret(secrets, value, info);
}

/* One piece behind a dollar; *ret_len is what it took of the value. */
static enum wire_err
put_dollar(struct line *line, struct wire_span rest,
    const char *const *environment, struct bind_http_secrets *secrets,
    struct wire_span *ret_variable, size_t *ret_len, struct wire_errinfo *info)
{
	struct wire_span name = {rest.p + 2, 0};

	if (rest.len > 1 && rest.p[1] == '$') {
		*ret_len = 2;
		return put(line, "$", 1)
		    ? WIRE_OK
		    : refuse(info, "is longer than 8192 bytes");
	}
	if (rest.len < 2 || rest.p[1] != '{')
		return refuse(info,
		    "holds a '$' that begins no ${NAME}; write $$ for a "
		    "dollar");
	while (2 + name.len < rest.len && name.p[name.len] != '}')
		name.len++;
	if (2 + name.len == rest.len || !is_variable(name))
		return refuse(info,
		    "holds a '${' that is not closed, or names no variable");
	*ret_variable = name;
	*ret_len = name.len + 3;
	return put_variable(line, name, environment, secrets, info);
}

static enum wire_err
expand(struct line *line, struct wire_span value,
    const char *const *environment, struct bind_http_secrets *secrets,
    struct wire_span *ret_variable, struct wire_errinfo *info)
{
	size_t i = 0;

	while (i < value.len) {
		struct wire_span rest = {value.p + i, value.len - i};
		size_t len = 1;
		enum wire_err err = WIRE_OK;

		if (rest.p[0] == '$')
			err = put_dollar(line, rest, environment, secrets,
			    ret_variable, &len, info);
		else if ((rest.p[0] < 0x20 && rest.p[0] != '\t') ||
		    rest.p[0] >= 0x7f)
			err = refuse(info,
			    "holds a character that is not printable ASCII");
		else if (!put(line, rest.p, 1))
			err = refuse(info, "is longer than 8192 bytes");
		if (err != WIRE_OK)
			return err;
		i += len;
	}
	return WIRE_OK;
}

enum wire_err
bind_http_header_line(struct wire_span name, struct wire_span value,
    const char *const *environment, char **ret_line,
    struct bind_http_secrets *secrets, struct wire_span *ret_variable,
    struct wire_errinfo *info)
{
	struct line line = {.len = 0};
	const char *problem = bind_http_header_problem(name);
	enum wire_err err = WIRE_OK;
	size_t begin;

	*ret_variable = (struct wire_span){NULL, 0};
	if (problem != NULL)
		return refuse(info, problem);
	(void)put(&line, name.p, name.len);
	(void)put(&line, ": ", 2);
	begin = line.len;
	err = expand(&line, value, environment, secrets, ret_variable, info);
	if (err == WIRE_OK &&
	    strspn(line.text + begin, " \t") == line.len - begin)
		err = refuse(info, "is empty; leave the header out");
	if (err == WIRE_OK) {
		*ret_line = strdup(line.text);
		if (*ret_line == NULL)
			err = wire_fail(info, WIRE_ERR_NO_MEMORY, "header", 0);
	}
	explicit_bzero(&line, sizeof(line));
	return err;
}

void
bind_http_secrets_release(struct bind_http_secrets *secrets)
{
	for (size_t i = 0; i < secrets->count; i++) {
		explicit_bzero(secrets->values[i], strlen(secrets->values[i]));
		free(secrets->values[i]);
	}
	secrets->count = 0;
}

/* --- looking for secrets -------------------------------------------------- */

static bool
has_any(const struct bind_http_secrets *secrets, const uint8_t *p, size_t len)
{
	for (size_t i = 0; i < secrets->count; i++)
		if (memmem(p, len, secrets->values[i],
			strlen(secrets->values[i])) != NULL)
			return true;
	return false;
}

static int
hex(const uint8_t *p, unsigned digits)
{
	int value = 0;

	for (unsigned i = 0; i < digits; i++) {
		uint8_t c = p[i] | 0x20;

		if (p[i] >= '0' && p[i] <= '9')
			value = value * 16 + p[i] - '0';
		else if (c >= 'a' && c <= 'f')
			value = value * 16 + c - 'a' + 10;
		else
			return -1;
	}
	return value;
}

/* Ways to spell a character, by what begins it. */
#define JSON '\\'
#define URL  '%'
#define HTML '&'

static size_t
decode_json(const uint8_t *p, size_t left, uint8_t *ret_byte)
{
	int code = -1;

	if (left < 2)
		return 1;
	if (p[1] == 'u' && left >= 6)
		code = hex(p + 2, 4);
	if (code >= 0) {
		*ret_byte = code < 0x80 ? (uint8_t)code : 0xff;
		return 6;
	}
	*ret_byte = p[1] == 't' ? '\t' : p[1];
	return 2;
}

/* "&#65;" or "&#x41;". */
static size_t
decode_number(const uint8_t *p, size_t left, uint8_t *ret_byte)
{
	bool is_hex = left > 2 && (p[2] | 0x20) == 'x';
	size_t begin = is_hex ? 3 : 2, i = begin;
	unsigned code = 0;

	for (; i < left && i < begin + 8; i++) {
		int digit = hex(p + i, 1);

		if (digit < 0 || (!is_hex && digit > 9))
			break;
		code = code * (is_hex ? 16 : 10) + (unsigned)digit;
	}
	if (i == begin || i == left || p[i] != ';')
		return 1;
	*ret_byte = code < 0x80 ? (uint8_t)code : 0xff;
	return i + 1;
}

static size_t
decode_html(const uint8_t *p, size_t left, uint8_t *ret_byte)
{
	static const struct {
		char name[8];
		char byte;
	} entities[] = {{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'},
	    {"&quot;", '"'}, {"&apos;", '\''}};

	if (left > 1 && p[1] == '#')
		return decode_number(p, left, ret_byte);
	for (size_t i = 0; i < sizeof(entities) / sizeof(entities[0]); i++) {
		size_t len = strlen(entities[i].name);

		if (left < len || memcmp(p, entities[i].name, len) != 0)
			continue;
		*ret_byte = (uint8_t)entities[i].byte;
		return len;
	}
	return 1;
}

/* One character of a secret, in one spelling or (0) in any; what it took. */
static size_t
decode_one(const uint8_t *p, size_t left, uint8_t spelling, uint8_t *ret_byte)
{
	int code = -1;

	*ret_byte = p[0];
	if (spelling != 0 && p[0] != spelling)
		return 1;
	if (p[0] == JSON)
		return decode_json(p, left, ret_byte);
	if (p[0] == HTML)
		return decode_html(p, left, ret_byte);
	if (p[0] == URL && left >= 3)
		code = hex(p + 1, 2);
	if (code < 0)
		return 1;
	*ret_byte = (uint8_t)code;
	return 3;
}

/* In place; the new length. */
static size_t
decode(uint8_t *text, size_t len, uint8_t spelling)
{
	size_t to = 0;

	for (size_t i = 0; i < len; to++) {
		uint8_t byte;

		i += decode_one(text + i, len - i, spelling, &byte);
		text[to] = byte;
	}
	return to;
}

static bool
has_spelled(const struct bind_http_secrets *secrets, struct wire_span text,
    uint8_t *plain, uint8_t spelling)
{
	size_t len = text.len;

	memcpy(plain, text.p, len);
	for (int round = 0; round < BIND_HTTP_SPELLINGS_MAX; round++) {
		size_t before = len;

		/* What is spelled is shorter than how. */
		len = decode(plain, len, spelling);
		if (len == before)
			return false;
		if (has_any(secrets, plain, len))
			return true;
	}
	return false;
}

/* SECURITY: a server may send back what it was sent, and a JSON string, a URL
 * or a page may spell it another way, or one in the other. */
bool
bind_http_secrets_in(
    const struct bind_http_secrets *secrets, struct wire_span text)
{
	static const uint8_t leads[] = {JSON, URL, HTML};
	uint8_t *plain;
	bool some = false, found = false;

	if (secrets->count == 0 || text.len == 0)
		return false;
	if (has_any(secrets, text.p, text.len))
		return true;
	for (size_t i = 0; i < sizeof(leads); i++)
		some = some || memchr(text.p, leads[i], text.len) != NULL;
	if (!some)
		return false;
	plain = malloc(text.len);
	if (plain == NULL)
		return true;
	/* By themselves too: what is a spelling in one is plain in another. */
	for (size_t i = 0; !found && i < sizeof(leads); i++)
		if (memchr(text.p, leads[i], text.len) != NULL)
			found = has_spelled(secrets, text, plain, leads[i]);
	found = found || has_spelled(secrets, text, plain, 0);
	explicit_bzero(plain, text.len);
	free(plain);
	return found;
}
