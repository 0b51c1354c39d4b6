/*
 * What the program gets for the result of tools/call.
 *
 *  1. isError: the call has failed, with the text of the result.
 *  2. structuredContent that is not null: that value. Where content holds more
 *     than text beside it, an object of both, so that nothing is lost.
 *  3. Text alone: one block is its text, or the JSON that it spells when the
 *     tool declares the shape of its results or it begins with `{` or `[` and
 *     is JSON; several are an array of these; none is null.
 *  4. Anything else: the array of blocks, as they are but for `_meta`,
 *     `annotations` and `icons`.
 *
 * A result that asks for input, or of a type that is not known, is no value.
 * Numbers and strings keep their spelling, so nothing is rounded.
 *
 * Memory: what had to be built is the answer's; spans may point into it, or
 * into what was read. Pure but for that.
 */
#ifndef BIND_MCP_RESULT_H
#define BIND_MCP_RESULT_H

#include "bindings/json_check.h"
#include "bindings/text.h"
#include "wire/kinds.h"

struct bind_mcp_answer {
	enum wire_tool_kind kind; /* NONE: value; else words were added */
	struct wire_span value;
	uint8_t *made; /* or NULL; for free() */
};

/* result is the member of a message that a scan has accepted. said takes the
 * server's own words of an error, raw. NO_MEMORY, or WIRE_OK. */
WIRE_MUST_USE enum wire_err bind_mcp_result(struct bind_json_check *check,
    struct wire_span result, bool has_output,
    struct bind_mcp_answer *ret_answer, struct bind_text *said);

#endif
