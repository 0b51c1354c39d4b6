#include "bindings/http_verdict.h"

/* Of a code that libcurl ends with, what it means before and after the request
 * has gone out. */
static const struct {
	CURLcode code;
	enum wire_tool_kind kind;
	const char *words;
} rows[] = {
    {CURLE_COULDNT_RESOLVE_HOST, WIRE_TOOL_UNREACHABLE,
	"its host's name has no address"},
    {CURLE_COULDNT_CONNECT, WIRE_TOOL_UNREACHABLE,
	"its host takes no connection"},
    {CURLE_PEER_FAILED_VERIFICATION, WIRE_TOOL_UNREACHABLE,
	"its host's certificate is not valid for it, or is not trusted"},
    {CURLE_SSL_CONNECT_ERROR, WIRE_TOOL_UNREACHABLE,
	"its host does not speak TLS as it should"},
    {CURLE_SSL_CACERT_BADFILE, WIRE_TOOL_UNREACHABLE,
	"the certificates to trust cannot be used"},
    {CURLE_OPERATION_TIMEDOUT, WIRE_TOOL_TIMED_OUT,
	"it took longer than its timeout"},
    {CURLE_OUT_OF_MEMORY, WIRE_TOOL_FAILED, "the host has no memory"},
    {CURLE_GOT_NOTHING, WIRE_TOOL_FAILED,
	"the connection ended without a response"},
    {CURLE_PARTIAL_FILE, WIRE_TOOL_FAILED,
	"the connection ended before the response did"},
    {CURLE_UNSUPPORTED_PROTOCOL, WIRE_TOOL_FAILED,
	"its response is not HTTP/1"},
    {CURLE_WEIRD_SERVER_REPLY, WIRE_TOOL_FAILED, "its response is not HTTP/1"},
};

enum wire_tool_kind
bind_http_verdict(const struct bind_http_facts *facts, struct bind_text *text)
{
	if (facts->stop != WIRE_TOOL_NONE) {
		bind_text_add(text, facts->stop_words);
		return facts->stop;
	}
	if (facts->code == CURLE_OK)
		return WIRE_TOOL_NONE;
	if (facts->denied && !facts->tried) {
		bind_text_add(text, "its host has ");
		bind_text_add(
		    text, bind_address_class_words(facts->denied_class));
		return WIRE_TOOL_EGRESS_DENIED;
	}
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (rows[i].code != facts->code)
			continue;
		bind_text_add(text, rows[i].words);
		return rows[i].kind;
	}
	bind_text_add(text,
	    facts->sent ? "the connection broke, or what came is not HTTP/1"
			: "its host cannot be talked to");
	return facts->sent ? WIRE_TOOL_FAILED : WIRE_TOOL_UNREACHABLE;
}
