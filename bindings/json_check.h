/*
 * The one place where a tool's result is held to be JSON.
 *
 * Owns: the working memory of the scanner, which grows by doubling to the
 * protocol's maximum, never to a size that a result names. Not thread-safe.
 */
#ifndef BIND_JSON_CHECK_H
#define BIND_JSON_CHECK_H

#include "wire/json.h"

struct bind_json_check {
	uint64_t seed;
	void *mem; /* NULL before the first use */
	struct wire_json_scratch scratch;
};

/* No allocation. seed: unpredictable to whoever writes results. */
void bind_json_check_init(struct bind_json_check *check, uint64_t seed);
void bind_json_check_release(struct bind_json_check *check);

/* The text without JSON white space around it. */
struct wire_span bind_json_trim(struct wire_span text);

/*
 * Scans a trimmed value so deep that a reply frame can hold it. Errors of
 * wire_json_scan, or NO_MEMORY; info->offset counts from the value's start.
 */
WIRE_MUST_USE enum wire_err bind_json_check_value(struct bind_json_check *check,
    struct wire_span value, struct wire_errinfo *info);

/* As wire_json_scan_object, in a value that was checked before. */
WIRE_MUST_USE enum wire_err bind_json_check_object(
    struct bind_json_check *check, struct wire_span value,
    struct wire_json_member *members, size_t members_max, size_t *ret_count,
    struct wire_errinfo *info);

#endif
