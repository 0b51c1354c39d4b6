/*
 * Header lines of an HTTP tool, and the secrets in them.
 *
 * A value may hold ${NAME}, a variable of the caller's environment, and $$ for
 * a dollar. Refused: names that are not tokens (RFC 9110 5.6.2), those that
 * say how a message is framed or coded, which are libcurl's and ours, and
 * values with anything but printable ASCII and blanks.
 *
 * SECURITY: what a variable held is a secret, and is remembered as one: no
 * result and no message may have it. One of fewer than BIND_HTTP_SECRET_MIN
 * bytes would stand in many a text by chance and is refused.
 */
#ifndef BIND_HTTP_HEADER_H
#define BIND_HTTP_HEADER_H

#include "wire/err.h"
#include "wire/span.h"

#define BIND_HTTP_HEADER_MAX  8192 /* bytes of a line */
#define BIND_HTTP_SECRETS_MAX 32   /* of a tool */
#define BIND_HTTP_SECRET_MIN  8
#define BIND_HTTP_SECRET_MAX  8000

#define BIND_HTTP_SPELLINGS_MAX 4 /* one in the other */

/* Owns its values, which are wiped when they are released. */
struct bind_http_secrets {
	size_t count;
	char *values[BIND_HTTP_SECRETS_MAX];
};

void bind_http_secrets_release(struct bind_http_secrets *secrets);

/* What is wrong with a name, completing "NAME: ..."; NULL: nothing. Static. */
const char *bind_http_header_problem(struct wire_span name);

/*
 * "NAME: VALUE", for the caller to wipe and free; the secrets in it are added.
 * environment: NAME=VALUE, NULL-terminated. BAD_ARGUMENT with a site that says
 * what is wrong, completing "VALUE: ...", and the variable's name in
 * *ret_variable where it is about one (p NULL: it is not); NO_MEMORY.
 */
WIRE_MUST_USE enum wire_err bind_http_header_line(struct wire_span name,
    struct wire_span value, const char *const *environment, char **ret_line,
    struct bind_http_secrets *secrets, struct wire_span *ret_variable,
    struct wire_errinfo *info);

/*
 * Whether one of the secrets stands in a text: as it is, or as a JSON string,
 * a URL or HTML would spell it, up to four times over and in any mixture.
 * NO_MEMORY counts as yes. Linear in the text for each secret.
 */
bool bind_http_secrets_in(
    const struct bind_http_secrets *secrets, struct wire_span text);

#endif
