#include "supervisor/mcp_expand.h"

#include <bsd/string.h>
#include <stdio.h>
#include <string.h>

static const char *
look_up(const char *const *environment, const char *name, size_t len)
{
	for (; environment != NULL && *environment != NULL; environment++) {
		if (strncmp(*environment, name, len) == 0 &&
		    (*environment)[len] == '=')
			return *environment + len + 1;
	}
	return NULL;
}

static bool
is_first(char c)
{
	return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
}

/* Bytes of the name that begins here. */
static size_t
name_len(const char *text)
{
	size_t len = 0;

	if (!is_first(text[0]))
		return 0;
	while (is_first(text[len]) || (text[len] >= '0' && text[len] <= '9'))
		len++;
	return len;
}

/* A reference that begins at a `$`. */
struct reference {
	const char *name;
	size_t name_len;
	const char *other; /* the text after :-; NULL: none */
	size_t other_len;
	size_t len; /* of all of it; 0: this is none */
};

static struct reference
parse(const char *text)
{
	struct reference r = {text + 2, 0, NULL, 0, 0};
	const char *at;

	if (text[1] != '{')
		return r;
	if (strncmp(r.name, "env:", 4) == 0)
		r.name += 4;
	r.name_len = name_len(r.name);
	at = r.name + r.name_len;
	if (r.name_len > 0 && strncmp(at, ":-", 2) == 0) {
		r.other = at + 2;
		r.other_len = strcspn(r.other, "}");
		at = r.other + r.other_len;
	}
	if (r.name_len > 0 && *at == '}')
		r.len = (size_t)(at - text) + 1;
	return r;
}

static bool
add(struct sup_mcp_expansion *e, const char *text, size_t len)
{
	if (len >= sizeof(e->text) - e->len)
		return false;
	memcpy(e->text + e->len, text, len);
	e->len += len;
	e->text[e->len] = '\0';
	return true;
}

enum wire_err
sup_mcp_expand(const char *text, const char *const *environment,
    void (*piece)(void *arg, const char *text, size_t len), void *arg,
    struct sup_mcp_expansion *e)
{
	e->len = 0;
	e->text[0] = e->missing[0] = '\0';
	while (*text != '\0') {
		size_t plain = strcspn(text, "$");
		struct reference r = {NULL, 0, NULL, 0, 0};
		const char *value;

		if (plain == 0)
			r = parse(text);
		if (r.len == 0) {
			plain += plain == 0;
			if (!add(e, text, plain))
				return WIRE_ERR_NO_SPACE;
			text += plain;
			continue;
		}
		value = look_up(environment, r.name, r.name_len);
		if (r.other != NULL && (value == NULL || value[0] == '\0')) {
			if (!add(e, r.other, r.other_len))
				return WIRE_ERR_NO_SPACE;
		} else if (value == NULL) {
			(void)snprintf(e->missing, sizeof(e->missing), "%.*s",
			    (int)(r.name_len < SUP_MCP_VARIABLE
				    ? r.name_len
				    : SUP_MCP_VARIABLE),
			    r.name);
			return WIRE_ERR_MISSING_FIELD;
		} else {
			if (!add(e, value, strlen(value)))
				return WIRE_ERR_NO_SPACE;
			piece(arg, value, strlen(value));
		}
		text += r.len;
	}
	return WIRE_OK;
}
