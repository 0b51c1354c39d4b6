/*
 * Where HTTP tools may go: the fixed beginning of a URL, and the list of what
 * is allowed (B12).
 *
 * An entry is SCHEME://HOST[:PORT][/PREFIX]. It allows the same scheme, host
 * and port, with a path that is the prefix or goes on behind it with a new
 * segment: /v1 allows /v1 and /v1/x, and not /v10. Letters of the host are
 * compared without case, all else byte by byte, so that nothing is allowed
 * that is only spelled like something else.
 *
 * Refused: schemes but http and https, a user or password, hosts that are not
 * letters, digits, '.' and '-' or an IPv6 address in brackets, ports that are
 * not 1 to 65535, and paths with '.' or '..' segments, however they are
 * written.
 *
 * Pure. Spans point into the text.
 */
#ifndef BIND_HTTP_ALLOW_H
#define BIND_HTTP_ALLOW_H

#include "wire/err.h"
#include "wire/span.h"

#define BIND_HTTP_HOST_MAX 253 /* bytes (RFC 1035 2.3.4, as text) */

struct bind_http_origin {
	bool tls;
	struct wire_span host; /* with its brackets */
	unsigned port;
};

struct bind_http_entry {
	struct bind_http_origin origin;
	struct wire_span prefix; /* without slashes at its end; may be empty */
};

/* Takes the origin off the front of a URL; *ret_path is the rest, which is
 * empty or begins with '/' or '?'. BAD_ARGUMENT with a site that says what is
 * wrong, completing "URL: ...". */
WIRE_MUST_USE enum wire_err bind_http_origin_parse(struct wire_span url,
    struct bind_http_origin *ret_origin, struct wire_span *ret_path,
    struct wire_errinfo *info);

/* Characters that stand for themselves in a path, and percent-encoded ones. */
WIRE_MUST_USE enum wire_err bind_http_path_check(
    struct wire_span path, struct wire_errinfo *info);

/*
 * Whether a path has a segment that is '.' or '..' for somebody: for those who
 * take '\' for '/', and for those who decode it, once or any number of times.
 * Paths of more than BIND_HTTP_DOTS_MAX bytes count as if they had.
 */
#define BIND_HTTP_DOTS_MAX 8192
bool bind_http_has_dots(struct wire_span path);

WIRE_MUST_USE enum wire_err bind_http_entry_parse(struct wire_span text,
    struct bind_http_entry *ret_entry, struct wire_errinfo *info);

bool bind_http_same_origin(
    const struct bind_http_origin *a, const struct bind_http_origin *b);

/* path: of a URL, without its query. */
bool bind_http_entry_allows(const struct bind_http_entry *entry,
    const struct bind_http_origin *origin, struct wire_span path);

#endif
