/*
 * One call of an HTTP tool: what the request and the answer share.
 *
 * For bindings/provider_http.c, which starts and ends calls, and
 * bindings/http_request.c, which hands them to libcurl.
 */
#ifndef BIND_HTTP_JOB_H
#define BIND_HTTP_JOB_H

#include "bindings/http_response.h"
#include "bindings/http_verdict.h"
#include "bindings/intake.h"
#include "bindings/provider_http.h"

struct bind_http_job {
	struct bind_http_transfer transfer;
	struct bind_job *job;
	struct bind_http_tool *tool;
	const struct bind_curl *curl;
	struct curl_slist *headers;
	struct bind_http_built built;
	struct bind_http_response response;
	struct bind_http_facts facts;
	struct bind_intake value;
	size_t dropped; /* bytes of the body that came and are not in it */
};

/* Notes why it cannot go on; the first reason stays. words: static. */
void bind_http_job_stop(
    struct bind_http_job *j, enum wire_tool_kind kind, const char *words);

/* Whether its value may have so many bytes; stopped if not. */
bool bind_http_job_may_hold(struct bind_http_job *j, size_t needed);

/* Sets up transfer.easy for what was built, with callbacks that fill response,
 * facts and value. False: libcurl has no memory for it, or is not one that
 * knows an option. Release with bind_http_job_free. */
WIRE_MUST_USE bool bind_http_job_request(struct bind_http_job *j);

void bind_http_job_free(struct bind_http_job *j);

#endif
