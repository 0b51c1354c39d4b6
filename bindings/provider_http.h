/*
 * The provider `http`: one request for each call, by libcurl (B8).
 *
 * The arguments go into named places of the URL and, for a method with a body,
 * into a JSON object (bindings/http_url.h); the response is the result
 * (bindings/http_response.h). Only http and https, no redirects, no proxy, no
 * cookies, no files of libcurl's; a connection serves one request, over
 * HTTP/1.1. Of the environment OPENSSL_CONF counts, OpenSSL's settings for the
 * process; with SSLKEYLOGFILE no call is made.
 *
 * SECURITY: the address that is connected to has to be public or listed
 * (bindings/address.h), whatever the name in the URL is and whatever it
 * resolved to before.
 *
 * Ends: a value (status 2xx), FAILED (another status, with the beginning of
 * its body; a response that is no value; a connection that broke),
 * UNREACHABLE (no connection, no TLS, no libcurl), EGRESS_DENIED,
 * PATH_TRAVERSAL, ARGUMENTS_TOO_LARGE, TIMED_OUT, what `over` says, or what
 * cancel() said. Once the request may have gone out, only a whole response is
 * an end that was seen: everything else makes the call `unknown`.
 */
#ifndef BIND_PROVIDER_HTTP_H
#define BIND_PROVIDER_HTTP_H

#include "bindings/catalogue.h"
#include "bindings/http_client.h"
#include "bindings/http_header.h"
#include "bindings/http_url.h"

#define BIND_HTTP_LINES_MAX 32 /* header lines of a tool */

struct bind_http_tool {
	struct bind_http_client *client; /* held */
	const char *method;		 /* "GET", ...: static */
	bool has_body;
	uint64_t timeout_ns; /* of a request; 0: the call's alone */
	struct bind_http_template template;
	char *url; /* what the template points into */
	size_t line_count;
	char *lines[BIND_HTTP_LINES_MAX]; /* "NAME: VALUE" */
	struct bind_http_secrets secrets;
	struct bind_tool_about about; /* for the catalogue */
	uint8_t *words;		      /* what it points into; or NULL */
};

/* The offset of an error that is about the method, and not about the URL. */
#define BIND_HTTP_TOOL_METHOD 1

/* With nothing but client, method and URL; further lines are added by
 * bind_http_tool_header. Errors of bind_http_template_parse, BAD_ARGUMENT for
 * a method that is none, and for a URL that no entry of the client's policy
 * could ever allow; NO_MEMORY. */
WIRE_MUST_USE enum wire_err bind_http_tool_new(struct bind_http_client *client,
    struct wire_span method, struct wire_span url,
    struct bind_http_tool **ret_tool, struct wire_errinfo *info);

/* Notes what it says of itself, for bind_catalogue_describe: a text and the
 * JSON of a schema that a scan has accepted, each with p NULL where there is
 * none. Copied. At most once. BAD_ARGUMENT for what is not UTF-8; NO_MEMORY. */
WIRE_MUST_USE enum wire_err bind_http_tool_describe(struct bind_http_tool *tool,
    struct wire_span description, struct wire_span schema);

/* Errors of bind_http_header_line. */
WIRE_MUST_USE enum wire_err bind_http_tool_header(struct bind_http_tool *tool,
    struct wire_span name, struct wire_span value,
    const char *const *environment, struct wire_span *ret_variable,
    struct wire_errinfo *info);

/* NULL is fine. */
void bind_http_tool_free(struct bind_http_tool *tool);

/* The tool's data is a struct bind_http_tool, which the catalogue takes
 * over. */
extern const struct bind_provider bind_provider_http;

#endif
