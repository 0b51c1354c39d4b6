/*
 * A walk over the members of an object that a scan has accepted
 * (wire/json.h), whatever their number, without memory of its own.
 *
 * Pure. Stays inside the bytes also of what no scan has seen.
 */
#ifndef BIND_JSON_MEMBERS_H
#define BIND_JSON_MEMBERS_H

#include "wire/json.h"

struct bind_json_members {
	struct wire_json_cursor cursor;
};

/* False for what does not begin as an object. */
bool bind_json_members_init(
    struct bind_json_members *members, struct wire_span object);

/* The next one; false behind the last. */
bool bind_json_members_next(
    struct bind_json_members *members, struct wire_json_member *ret_member);

#endif
