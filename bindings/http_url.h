/*
 * The URL of an HTTP tool: a template that the deployment writes, and the
 * arguments of a call that are put into it.
 *
 *	https://api.example.com/v1/items/{id}/parts?lang=en&q={query}
 *
 * {NAME} stands for the argument of that name: anywhere in the path, or as the
 * whole value of a member of the query, which is left out where the argument
 * is missing or null. Scheme, host, port and the names in the query are the
 * template's. The other arguments are a JSON object, the body; for a method
 * without a body there may be none.
 *
 * SECURITY: what comes from arguments is percent-encoded but for letters,
 * digits and "-._~" (RFC 3986 2.3), so it ends no segment and begins no query.
 * A path with a segment '.' or '..' for anybody (bindings/http_allow.h), or
 * with an empty argument, is refused, and so is what the list of what is
 * allowed does not have.
 *
 * Pure. Spans point into the texts.
 */
#ifndef BIND_HTTP_URL_H
#define BIND_HTTP_URL_H

#include "bindings/http_allow.h"
#include "bindings/text.h"
#include "wire/kinds.h"

#define BIND_HTTP_URL_MAX   8192 /* bytes of a URL, template or built */
#define BIND_HTTP_PARTS_MAX 64	 /* of a template */
#define BIND_HTTP_NAME_MAX  64	 /* bytes of an argument's name in it */

enum bind_http_part_kind {
	BIND_HTTP_TEXT,	 /* of the path: as it stands */
	BIND_HTTP_VALUE, /* of the path: an argument */
	BIND_HTTP_FIXED, /* of the query: a member as it stands */
	BIND_HTTP_MEMBER /* of the query: text is its name, with the '=' */
};

struct bind_http_part {
	enum bind_http_part_kind kind;
	struct wire_span text;
	struct wire_span name; /* of the argument */
};

struct bind_http_template {
	struct bind_http_origin origin;
	struct wire_span head; /* scheme, host and port, as written */
	size_t count;
	struct bind_http_part parts[BIND_HTTP_PARTS_MAX];
};

/* BAD_ARGUMENT with a site that says what is wrong, completing "URL: ...". */
WIRE_MUST_USE enum wire_err bind_http_template_parse(struct wire_span url,
    struct bind_http_template *ret_template, struct wire_errinfo *info);

/* Whether some arguments lead to what an entry allows; true may be wrong
 * where an argument stands in the part that is compared. */
bool bind_http_template_can(const struct bind_http_template *template,
    const struct bind_http_entry *entry);

struct bind_http_built {
	size_t url_len;
	char url[BIND_HTTP_URL_MAX + 1]; /* ends with a NUL */
	/* The caller's, for as many bytes as the arguments have. NULL: the
	 * method has no body. */
	uint8_t *body;
	size_t body_len;
};

/*
 * arguments: an object that a scan has accepted. NONE, or the kind of the
 * refusal with the reason in *why: FAILED (an argument that is missing, too
 * many or no text), ARGUMENTS_TOO_LARGE (a URL that is too long),
 * PATH_TRAVERSAL, EGRESS_DENIED. *built holds nothing of use then.
 */
enum wire_tool_kind bind_http_build(const struct bind_http_template *template,
    const struct bind_http_entry *entries, size_t entry_count,
    struct wire_span arguments, struct bind_http_built *built,
    struct bind_text *why);

/* The same for the path alone: PATH_TRAVERSAL and EGRESS_DENIED, or else NONE,
 * whatever is wrong besides. Nothing is kept of it. */
enum wire_tool_kind bind_http_check(const struct bind_http_template *template,
    const struct bind_http_entry *entries, size_t entry_count,
    struct wire_span arguments);

#endif
