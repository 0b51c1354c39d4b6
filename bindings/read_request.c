#include "bindings/read_request.h"

#include <string.h>

#include "bindings/search.h"
#include "bindings/window.h"

enum member {
	HANDLE,
	START,
	COUNT,
	OFFSET,
	LENGTH,
	PATTERN,
	LIMIT,
	IGNORE_CASE,
	MEMBERS
};

#define BIT(member) (1U << (member))

/* The names, and which of the three kinds take them. */
static const struct {
	const char *name;
	enum wire_json_type type;
	unsigned kinds;
	uint64_t least, most;
} members_of[MEMBERS] = {
    [HANDLE] = {"handle", WIRE_JSON_STRING, 7, 0, 0},
    [START] = {"start", WIRE_JSON_NUMBER, BIT(BIND_READ_LINES), 0, WIRE_MAX_ID},
    [COUNT] = {"count", WIRE_JSON_NUMBER, BIT(BIND_READ_LINES), 1,
	BIND_WINDOW_LINES_MAX},
    [OFFSET] = {"offset", WIRE_JSON_NUMBER,
	BIT(BIND_READ_BYTES) | BIT(BIND_READ_SEARCH), 0, WIRE_MAX_ID},
    /* Of a window, which is the smaller; of a search any. */
    [LENGTH] = {"length", WIRE_JSON_NUMBER,
	BIT(BIND_READ_BYTES) | BIT(BIND_READ_SEARCH), 1, WIRE_MAX_ID},
    [PATTERN] = {"pattern", WIRE_JSON_STRING, BIT(BIND_READ_SEARCH), 0, 0},
    [LIMIT] = {"limit", WIRE_JSON_NUMBER, BIT(BIND_READ_SEARCH), 1,
	BIND_SEARCH_MATCHES_MAX},
    [IGNORE_CASE] = {"ignore_case", WIRE_JSON_TRUE, BIT(BIND_READ_SEARCH), 0,
	0},
};

struct taken {
	const struct wire_json_member *member[MEMBERS];
};

static struct wire_span
inside(const struct wire_json_member *member)
{
	return (struct wire_span){member->value.p + 1, member->value.len - 2};
}

static bool
is_type(const struct wire_json_member *member, enum wire_json_type type)
{
	if (type == WIRE_JSON_TRUE && member->type == WIRE_JSON_FALSE)
		return true;
	return member->type == type;
}

static bool
refuse(struct bind_text *why, const char *name, const char *words)
{
	bind_text_add(why, name);
	bind_text_add(why, words);
	return false;
}

/* Sorts the members by name. */
static bool
sort(const struct wire_json_member *members, size_t count, struct taken *taken,
    struct bind_text *why)
{
	for (size_t i = 0; i < count; i++) {
		const struct wire_json_member *member = &members[i];
		size_t m = 0;

		while (m < MEMBERS &&
		    !wire_json_text_equal(member->key,
			(struct wire_span){(const uint8_t *)members_of[m].name,
			    strlen(members_of[m].name)}))
			m++;
		if (m == MEMBERS) {
			bind_text_add(why, "there is no argument ");
			bind_text_add_escaped(why, member->key);
			return false;
		}
		if (member->type == WIRE_JSON_NULL)
			continue;
		if (!is_type(member, members_of[m].type))
			return refuse(why, members_of[m].name,
			    m == IGNORE_CASE ? " is true or false"
				: members_of[m].type == WIRE_JSON_STRING
				? " is a string"
				: " is an integer");
		taken->member[m] = member;
	}
	return true;
}

static enum bind_read_kind
kind_of(const struct taken *taken)
{
	if (taken->member[PATTERN] != NULL)
		return BIND_READ_SEARCH;
	if (taken->member[OFFSET] != NULL || taken->member[LENGTH] != NULL)
		return BIND_READ_BYTES;
	return BIND_READ_LINES;
}

static bool
check_kind(
    const struct taken *taken, enum bind_read_kind kind, struct bind_text *why)
{
	static const char *const words[] = {
	    [BIND_READ_LINES] = " does not go with lines",
	    [BIND_READ_BYTES] = " does not go with offset and length",
	    [BIND_READ_SEARCH] = " does not go with pattern",
	};

	for (size_t m = 0; m < MEMBERS; m++) {
		if (taken->member[m] != NULL &&
		    (members_of[m].kinds & BIT(kind)) == 0)
			return refuse(why, members_of[m].name, words[kind]);
	}
	return true;
}

/* Leaves *number as it is when the member is not there. */
static bool
take_number(const struct taken *taken, enum member m, uint64_t most,
    uint64_t *number, struct bind_text *why)
{
	uint64_t value;

	if (taken->member[m] == NULL)
		return true;
	if (wire_json_plain_uint(taken->member[m]->value, most, &value) &&
	    value >= members_of[m].least) {
		*number = value;
		return true;
	}
	bind_text_add(why, members_of[m].name);
	bind_text_add(why, " is an integer from ");
	bind_text_add_uint(why, members_of[m].least);
	bind_text_add(why, " to ");
	bind_text_add_uint(why, most);
	return false;
}

static bool
take_numbers(const struct taken *taken, struct bind_read_request *request,
    struct bind_text *why)
{
	uint64_t length_most = request->kind == BIND_READ_BYTES
	    ? BIND_WINDOW_BYTES_MAX
	    : members_of[LENGTH].most;

	request->count = BIND_WINDOW_LINES;
	request->length =
	    request->kind == BIND_READ_BYTES ? BIND_WINDOW_BYTES : WIRE_MAX_ID;
	request->limit = BIND_SEARCH_MATCHES;
	return take_number(taken, START, members_of[START].most,
		   &request->start, why) &&
	    take_number(
		taken, COUNT, members_of[COUNT].most, &request->count, why) &&
	    take_number(taken, OFFSET, members_of[OFFSET].most,
		&request->offset, why) &&
	    take_number(taken, LENGTH, length_most, &request->length, why) &&
	    take_number(
		taken, LIMIT, members_of[LIMIT].most, &request->limit, why);
}

static void
take_token(const struct taken *taken, struct bind_read_request *request)
{
	struct wire_span raw = inside(taken->member[HANDLE]);

	/* One that does not fit is none. */
	if (wire_json_unescape(raw, request->token, sizeof(request->token),
		&request->token_len) != WIRE_OK)
		request->token_len = 0;
}

static bool
take_pattern(const struct taken *taken, struct bind_read_request *request,
    struct bind_text *why)
{
	if (taken->member[PATTERN] == NULL)
		return true;
	/* SECURITY: a pattern's length is capped before anything is made of
	 * it: what compiling takes is a matter of its length. */
	if (wire_json_unescape(inside(taken->member[PATTERN]), request->pattern,
		sizeof(request->pattern), &request->pattern_len) == WIRE_OK)
		return true;
	bind_text_add(why, "pattern is over the limit of ");
	bind_text_add_uint(why, BIND_REGEX_PATTERN_MAX);
	bind_text_add(why, " bytes");
	return false;
}

bool
bind_read_request_take(const struct wire_json_member *members, size_t count,
    struct bind_read_request *request, struct bind_text *why)
{
	struct taken taken = {{NULL}};

	memset(request, 0, sizeof(*request));
	if (!sort(members, count, &taken, why))
		return false;
	if (taken.member[HANDLE] == NULL)
		return refuse(why, "handle", " is missing");
	request->kind = kind_of(&taken);
	if (!check_kind(&taken, request->kind, why) ||
	    !take_numbers(&taken, request, why) ||
	    !take_pattern(&taken, request, why))
		return false;
	take_token(&taken, request);
	if (taken.member[IGNORE_CASE] != NULL)
		request->ignore_case =
		    taken.member[IGNORE_CASE]->type == WIRE_JSON_TRUE;
	return true;
}
