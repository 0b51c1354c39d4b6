/*
 * The JSON format weir.http-tools/1, from bytes to a struct: HTTP endpoints as
 * tools. weir(1), HTTP TOOLS, describes it.
 *
 * Owns: the format. Refuses, as supervisor/profile_read.h does, everything
 * that wire/json.h refuses, members it does not know, values of another type
 * or outside their range. What is in the URLs, headers and addresses is judged
 * where it is used (bindings/provider_http.h), with the place that is kept
 * here.
 *
 * Memory: none of its own; strings stand in the caller's arena, and spans in
 * the text. Threads: pure.
 */
#ifndef SUP_HTTP_READ_H
#define SUP_HTTP_READ_H

#include "supervisor/profile_read.h"

#define SUP_HTTP_SCHEMA	 "weir.http-tools/1"
#define SUP_HTTP_TOOLS	 256
#define SUP_HTTP_LIST	 64 /* entries of `allow`, and of `private` */
#define SUP_HTTP_HEADERS 32 /* of a tool */
#define SUP_HTTP_DEPTH	 64 /* an input_schema may be deep */

struct sup_http_text {
	const char *text; /* NULL: not given */
	size_t offset;	  /* of the file */
};

struct sup_http_tool {
	struct sup_http_text name, method, url;
	size_t header_count;
	struct sup_http_text names[SUP_HTTP_HEADERS];
	struct sup_http_text values[SUP_HTTP_HEADERS];
	uint64_t timeout_ns; /* 0: not given */
	/* For those who ask what the tool is; p NULL: not given. The second is
	 * an object, as it stands in the file. */
	struct wire_span description, input_schema;
};

struct sup_http_file {
	size_t allow_count, private_count, tool_count;
	struct sup_http_text allow[SUP_HTTP_LIST];
	struct sup_http_text private[SUP_HTTP_LIST];
	struct sup_http_text ca_file;
	struct sup_http_tool tools[SUP_HTTP_TOOLS];
};

/* arena: as many bytes as the text. On WIRE_ERR_BAD_ARGUMENT *problem says
 * why, and *ret_file holds nothing of use. */
WIRE_MUST_USE enum wire_err sup_http_read(struct wire_span text,
    struct wire_json_scratch *scratch, char *arena,
    struct sup_http_file *ret_file, struct sup_profile_problem *problem);

#endif
