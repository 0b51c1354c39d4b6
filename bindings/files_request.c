#include "bindings/files_request.h"

#include <string.h>

#include "bindings/base64.h"
#include "wire/limits.h"

enum member {
	PATH,
	AFTER,
	LIMIT,
	OFFSET,
	LENGTH,
	TEXT,
	BASE64,
	CREATE,
	APPEND,
	MEMBERS
};

#define BIT(op) (1U << (op))

/* The names, and which operations take them. */
static const struct {
	const char *name;
	unsigned ops;
	enum wire_json_type type;
	uint64_t least, most;
} members_of[MEMBERS] = {
    [PATH] = {"path", ~0U, WIRE_JSON_STRING, 0, 0},
    [AFTER] = {"after", BIT(BIND_FILES_LIST), WIRE_JSON_STRING, 0, 0},
    [LIMIT] = {"limit", BIT(BIND_FILES_LIST), WIRE_JSON_NUMBER, 1,
	BIND_FILES_LIMIT_MAX},
    [OFFSET] = {"offset", BIT(BIND_FILES_READ), WIRE_JSON_NUMBER, 0,
	WIRE_MAX_ID},
    [LENGTH] = {"length", BIT(BIND_FILES_READ), WIRE_JSON_NUMBER, 1,
	WIRE_MAX_ID},
    [TEXT] = {"text", BIT(BIND_FILES_WRITE), WIRE_JSON_STRING, 0, 0},
    /* Of write it is a string, of read a choice. */
    [BASE64] = {"base64", BIT(BIND_FILES_READ) | BIT(BIND_FILES_WRITE),
	WIRE_JSON_STRING, 0, 0},
    [CREATE] = {"create", BIT(BIND_FILES_WRITE), WIRE_JSON_TRUE, 0, 0},
    [APPEND] = {"append", BIT(BIND_FILES_WRITE), WIRE_JSON_TRUE, 0, 0},
};

struct taken {
	const struct wire_json_member *member[MEMBERS];
};

static struct wire_span
inside(const struct wire_json_member *member)
{
	return (struct wire_span){member->value.p + 1, member->value.len - 2};
}

static enum wire_tool_kind
refuse(struct bind_text *why, const char *name, const char *words)
{
	bind_text_add(why, name);
	bind_text_add(why, words);
	return WIRE_TOOL_FAILED;
}

static enum member
member_named(enum bind_files_op op, struct wire_span key)
{
	for (size_t m = 0; m < MEMBERS; m++) {
		struct wire_span name = {(const uint8_t *)members_of[m].name,
		    strlen(members_of[m].name)};

		if ((members_of[m].ops & BIT(op)) != 0 &&
		    wire_json_text_equal(key, name))
			return (enum member)m;
	}
	return MEMBERS;
}

static enum wire_json_type
type_of(enum bind_files_op op, enum member m)
{
	if (m == BASE64 && op == BIND_FILES_READ)
		return WIRE_JSON_TRUE;
	return members_of[m].type;
}

/* Sorts the members by name. */
static enum wire_tool_kind
sort(enum bind_files_op op, const struct wire_json_member *members,
    size_t count, struct taken *taken, struct bind_text *why)
{
	for (size_t i = 0; i < count; i++) {
		enum member m = member_named(op, members[i].key);
		enum wire_json_type type = members[i].type;

		if (m == MEMBERS) {
			bind_text_add(why, "there is no argument ");
			bind_text_add_escaped(why, members[i].key);
			return WIRE_TOOL_FAILED;
		}
		if (type == WIRE_JSON_NULL)
			continue;
		if (type == WIRE_JSON_FALSE)
			type = WIRE_JSON_TRUE;
		if (type != type_of(op, m))
			return refuse(why, members_of[m].name,
			    type_of(op, m) == WIRE_JSON_TRUE
				? " is true or false"
				: type_of(op, m) == WIRE_JSON_STRING
				? " is a string"
				: " is an integer");
		taken->member[m] = &members[i];
	}
	return WIRE_TOOL_NONE;
}

/* --- one by one; each leaves its field as it is where there is no member ---
 */

static enum wire_tool_kind
take_path(const struct taken *taken, struct bind_files_request *request,
    struct bind_text *why)
{
	uint8_t buf[8 * (BIND_FILES_PATH_MAX + 1)];
	struct wire_span path = WIRE_LIT("/");
	const char *words = "";
	enum wire_tool_kind kind;
	size_t len = 0;

	if (taken->member[PATH] == NULL && request->op != BIND_FILES_LIST)
		return refuse(why, "path", " is missing");
	if (taken->member[PATH] != NULL) {
		if (wire_json_unescape(inside(taken->member[PATH]), buf,
			sizeof(buf), &len) != WIRE_OK)
			return refuse(why, "path", " is longer than a path is");
		path = (struct wire_span){buf, len};
	}
	kind = bind_files_path_take(path, &request->path, &words);
	if (kind != WIRE_TOOL_NONE)
		bind_text_add(why, words);
	return kind;
}

static enum wire_tool_kind
take_number(const struct taken *taken, enum member m, uint64_t *number,
    struct bind_text *why)
{
	uint64_t value;

	if (taken->member[m] == NULL)
		return WIRE_TOOL_NONE;
	if (wire_json_plain_uint(
		taken->member[m]->value, members_of[m].most, &value) &&
	    value >= members_of[m].least) {
		*number = value;
		return WIRE_TOOL_NONE;
	}
	bind_text_add(why, members_of[m].name);
	bind_text_add(why, " is an integer from ");
	bind_text_add_uint(why, members_of[m].least);
	bind_text_add(why, " to ");
	bind_text_add_uint(why, members_of[m].most);
	return WIRE_TOOL_FAILED;
}

static bool
is_true(const struct taken *taken, enum member m)
{
	return taken->member[m] != NULL &&
	    taken->member[m]->type == WIRE_JSON_TRUE;
}

/* What an answer of list gave: the name that was its last, in base64. */
static enum wire_tool_kind
take_after(const struct taken *taken, struct bind_files_request *request,
    struct bind_text *why)
{
	uint8_t buf[sizeof(request->after) / 3 * 4];
	size_t len = 0;

	if (taken->member[AFTER] == NULL)
		return WIRE_TOOL_NONE;
	request->has_after = true;
	if (wire_json_unescape(inside(taken->member[AFTER]), buf, sizeof(buf),
		&len) == WIRE_OK &&
	    bind_base64_decode((struct wire_span){buf, len}, request->after,
		&request->after_len))
		return WIRE_TOOL_NONE;
	return refuse(why, "after", " is none that an answer had as next");
}

static enum wire_tool_kind
take_content(const struct taken *taken, struct bind_files_request *request,
    struct bind_text *why)
{
	enum member m = taken->member[BASE64] != NULL ? BASE64 : TEXT;

	if (taken->member[TEXT] != NULL && taken->member[BASE64] != NULL)
		return refuse(why, "base64", " does not go with text");
	if (taken->member[m] == NULL)
		return refuse(why, "text", " is missing");
	request->content = inside(taken->member[m]);
	request->is_base64 = m == BASE64;
	request->create = is_true(taken, CREATE);
	request->append = is_true(taken, APPEND);
	if (request->create && request->append)
		return refuse(why, "create", " does not go with append");
	return WIRE_TOOL_NONE;
}

const char *
bind_files_op_word(enum bind_files_op op)
{
	static const char *const words[BIND_FILES_OPS] = {
	    [BIND_FILES_LIST] = "list",
	    [BIND_FILES_STAT] = "stat",
	    [BIND_FILES_READ] = "read",
	    [BIND_FILES_WRITE] = "write",
	};

	return words[op];
}

enum wire_tool_kind
bind_files_request_take(enum bind_files_op op,
    const struct wire_json_member *members, size_t count,
    struct bind_files_request *request, struct bind_text *why)
{
	struct taken taken = {{NULL}};
	enum wire_tool_kind kind;

	memset(request, 0, offsetof(struct bind_files_request, path));
	request->op = op;
	request->length = UINT64_MAX;
	request->limit = BIND_FILES_LIMIT;
	kind = sort(op, members, count, &taken, why);
	if (kind == WIRE_TOOL_NONE)
		kind = take_path(&taken, request, why);
	if (kind == WIRE_TOOL_NONE)
		kind = take_number(&taken, LIMIT, &request->limit, why);
	if (kind == WIRE_TOOL_NONE)
		kind = take_number(&taken, OFFSET, &request->offset, why);
	if (kind == WIRE_TOOL_NONE)
		kind = take_number(&taken, LENGTH, &request->length, why);
	if (kind == WIRE_TOOL_NONE)
		kind = take_after(&taken, request, why);
	if (kind == WIRE_TOOL_NONE && op == BIND_FILES_WRITE)
		kind = take_content(&taken, request, why);
	request->as_bytes = op == BIND_FILES_READ && is_true(&taken, BASE64);
	return kind;
}
