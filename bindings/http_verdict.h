/*
 * What became of a transfer, in a kind and words, and whether the end of the
 * request was seen.
 *
 * Pure. None of libcurl's own words is told: they may hold what a server sent,
 * or what was sent to it.
 */
#ifndef BIND_HTTP_VERDICT_H
#define BIND_HTTP_VERDICT_H

#include "bindings/address.h"
#include "bindings/curl.h"
#include "bindings/text.h"
#include "wire/kinds.h"

struct bind_http_facts {
	/* Why it was stopped from here, and that in words; or NONE. */
	enum wire_tool_kind stop;
	const char *stop_words;
	CURLcode code;
	bool denied; /* an address was refused, */
	enum bind_address_class denied_class;
	bool tried; /* another one was not */
	bool sent;  /* the request may have gone out */
};

/* NONE: the response is whole. */
enum wire_tool_kind bind_http_verdict(
    const struct bind_http_facts *facts, struct bind_text *text);

/* B5: a request that has not gone out, or whose response is whole, is over. */
static inline bool
bind_http_end_seen(const struct bind_http_facts *facts)
{
	return !facts->sent ||
	    (facts->stop == WIRE_TOOL_NONE && facts->code == CURLE_OK);
}

#endif
