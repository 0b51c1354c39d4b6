#include "bindings/mcp_list.h"

#include <stdlib.h>
#include <string.h>

#include "bindings/mcp_read.h"

#define FIRST_ROOM 16

void
bind_mcp_list_init(struct bind_mcp_list *list)
{
	memset(list, 0, sizeof(*list));
}

void
bind_mcp_tool_drop(struct bind_mcp_tool *tool)
{
	if (--tool->references == 0)
		free(tool);
}

void
bind_mcp_list_release(struct bind_mcp_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		bind_mcp_tool_drop(list->tools[i]);
	free(list->tools);
	free(list->slots);
	bind_mcp_list_init(list);
}

/* FNV-1a, 64 bits, from a start that no server knows. */
static uint64_t
sum_of(const struct bind_mcp_list *list, struct wire_span text)
{
	uint64_t hash = 0xcbf29ce484222325ULL ^ list->seed;

	for (size_t i = 0; i < text.len; i++) {
		hash ^= text.p[i];
		hash *= 0x100000001b3ULL;
	}
	return hash;
}

/* The slot of the name: free, or that of a tool of this name. */
static uint16_t *
find_slot(const struct bind_mcp_list *list, struct wire_span name)
{
	/* The upper bits, where all of the start has come to count. */
	size_t at = sum_of(list, name) >> 32 & (BIND_MCP_SLOTS - 1);

	while (list->slots[at] != 0) {
		const struct bind_mcp_tool *tool =
		    list->tools[list->slots[at] - 1];

		if (wire_span_equal(
			(struct wire_span){tool->name, tool->name_len}, name))
			break;
		at = (at + 1) & (BIND_MCP_SLOTS - 1);
	}
	return &list->slots[at];
}

bool
bind_mcp_list_has(const struct bind_mcp_list *list, struct wire_span name)
{
	return list->slots != NULL && *find_slot(list, name) != 0;
}

static bool
make_room(struct bind_mcp_list *list)
{
	size_t room = list->room == 0 ? FIRST_ROOM : list->room * 2;
	struct bind_mcp_tool **tools;

	if (list->slots == NULL)
		list->slots = calloc(BIND_MCP_SLOTS, sizeof(*list->slots));
	if (list->slots == NULL)
		return false;
	if (list->count < list->room)
		return true;
	tools = realloc(list->tools, room * sizeof(*tools));
	if (tools == NULL)
		return false;
	list->tools = tools;
	list->room = room;
	return true;
}

/* --- one tool --------------------------------------------------------------
 */

struct entry {
	size_t name_len;
	uint8_t name[WIRE_MAX_TOOL_NAME];
	struct wire_span description, schema; /* JSON; p NULL: none */
	bool has_output, suspends;
};

/* Revision 2025-11-25: a tool whose `execution` has `taskSupport` "required"
 * answers no plain call. */
static bool
only_as_a_task(
    struct bind_json_check *check, const struct wire_json_member *execution)
{
	struct wire_json_member support;

	return bind_mcp_member(
		   check, execution->value, "taskSupport", &support) &&
	    wire_json_text_equal(
		bind_mcp_raw_text(&support), WIRE_LIT("required"));
}

static void
take_member(struct bind_json_check *check,
    const struct wire_json_member *member, struct entry *entry)
{
	struct wire_span raw = bind_mcp_raw_text(member);

	if (wire_json_text_equal(member->key, WIRE_LIT("name"))) {
		if (raw.p == NULL ||
		    wire_json_unescape(raw, entry->name, sizeof(entry->name),
			&entry->name_len) != WIRE_OK)
			entry->name_len = 0;
	} else if (wire_json_text_equal(member->key, WIRE_LIT("description"))) {
		if (raw.p != NULL)
			entry->description = member->value;
	} else if (wire_json_text_equal(member->key, WIRE_LIT("inputSchema"))) {
		entry->schema = member->value;
	} else if (wire_json_text_equal(
		       member->key, WIRE_LIT("outputSchema"))) {
		entry->has_output = member->type == WIRE_JSON_OBJECT;
	} else if (wire_json_text_equal(member->key, WIRE_LIT("execution"))) {
		entry->suspends = only_as_a_task(check, member);
	}
}

static struct wire_span
within(struct bind_mcp_list *list, struct wire_span text, size_t max)
{
	if (text.len > max || text.len > BIND_MCP_ABOUT - list->bytes)
		return (struct wire_span){NULL, 0};
	list->bytes += text.len;
	return text;
}

static struct wire_span
keep(uint8_t **at, struct wire_span text)
{
	struct wire_span kept = {*at, text.len};

	if (text.p == NULL)
		return text;
	memcpy(*at, text.p, text.len);
	*at += text.len;
	return kept;
}

static enum wire_err
add_tool(struct bind_mcp_list *list, struct bind_mcp_server *server,
    struct entry *entry)
{
	struct wire_span name = {entry->name, entry->name_len};
	struct bind_mcp_tool *tool;
	uint16_t *slot;
	uint8_t *at;

	if (!bind_catalogue_is_name(name)) {
		list->unusable++;
		return WIRE_OK;
	}
	if (!make_room(list))
		return WIRE_ERR_NO_MEMORY;
	slot = find_slot(list, name);
	if (*slot != 0) {
		list->repeated++;
		return WIRE_OK;
	}
	/* SECURITY: neither tools nor what they say of themselves take more
	 * than was said, however much a server has to tell. */
	if (list->count == BIND_MCP_TOOLS) {
		list->over++;
		return WIRE_OK;
	}
	entry->description =
	    within(list, entry->description, BIND_MCP_DESCRIPTION);
	entry->schema = within(list, entry->schema, BIND_MCP_SCHEMA);
	tool = calloc(
	    1, sizeof(*tool) + entry->description.len + entry->schema.len);
	if (tool == NULL)
		return WIRE_ERR_NO_MEMORY;
	at = tool->text;
	tool->references = 1;
	tool->server = server;
	tool->has_output = entry->has_output;
	tool->suspends = entry->suspends;
	tool->about.description = keep(&at, entry->description);
	tool->about.schema = keep(&at, entry->schema);
	tool->name_len = name.len;
	memcpy(tool->name, name.p, name.len);
	list->tools[list->count++] = tool;
	*slot = (uint16_t)list->count;
	return WIRE_OK;
}

static enum wire_err
add_entry(struct bind_mcp_list *list, struct bind_mcp_server *server,
    struct bind_json_check *check, struct wire_span value)
{
	struct wire_json_member members[BIND_MCP_MEMBERS];
	struct entry entry = {.name_len = 0};
	size_t count = 0;
	enum wire_err err;

	err = bind_json_check_object(
	    check, value, members, BIND_MCP_MEMBERS, &count, NULL);
	if (err == WIRE_ERR_NO_MEMORY)
		return err;
	if (err != WIRE_OK)
		count = 0;
	for (size_t i = 0; i < count; i++)
		take_member(check, &members[i], &entry);
	return add_tool(list, server, &entry);
}

/* --- one page --------------------------------------------------------------
 */

/* Notes where to go on, unless it has been there. */
static void
take_cursor(struct bind_mcp_list *list, const struct wire_json_member *member)
{
	struct wire_span raw = bind_mcp_raw_text(member);
	uint64_t sum = sum_of(list, raw);

	if (raw.len == 0)
		return;
	/* SECURITY: a list without an end is cut. */
	list->is_cut =
	    raw.len > BIND_MCP_CURSOR || list->page_count + 1 >= BIND_MCP_PAGES;
	for (size_t i = 0; i < list->page_count && !list->is_cut; i++)
		list->is_cut = list->seen[i] == sum;
	if (list->is_cut)
		return;
	list->seen[list->page_count] = sum;
	memcpy(list->cursor, raw.p, raw.len);
	list->cursor_len = raw.len;
}

enum wire_err
bind_mcp_list_add(struct bind_mcp_list *list, struct bind_mcp_server *server,
    struct bind_json_check *check, struct wire_span page)
{
	struct wire_json_member members[BIND_MCP_MEMBERS];
	const struct wire_json_member *tools = NULL, *cursor = NULL;
	struct bind_mcp_elements elements;
	struct wire_span element;
	enum wire_json_token first;
	size_t count = 0;
	enum wire_err err;

	err = bind_json_check_object(
	    check, page, members, BIND_MCP_MEMBERS, &count, NULL);
	if (err != WIRE_OK)
		return err == WIRE_ERR_NO_MEMORY ? err : WIRE_ERR_BAD_FIELD;
	for (size_t i = 0; i < count; i++) {
		struct wire_span key = members[i].key;

		if (wire_json_text_equal(key, WIRE_LIT("tools")))
			tools = &members[i];
		else if (wire_json_text_equal(key, WIRE_LIT("nextCursor")))
			cursor = &members[i];
		else if (wire_json_text_equal(key, WIRE_LIT("ttlMs")) &&
		    list->page_count == 0)
			(void)wire_json_plain_uint(
			    members[i].value, UINT64_C(1) << 40, &list->ttl_ms);
	}
	if (tools == NULL || tools->type != WIRE_JSON_ARRAY)
		return WIRE_ERR_BAD_FIELD;
	list->seed = check->seed;
	list->cursor_len = 0;
	if (cursor != NULL)
		take_cursor(list, cursor);
	list->page_count++;
	bind_mcp_elements_init(&elements, tools->value);
	while (err == WIRE_OK &&
	    bind_mcp_elements_next(&elements, &element, &first)) {
		/* SECURITY: nor does looking for a name cost more than this
		 * many of them, though all be the same or meet in one slot. */
		if (++list->entries > BIND_MCP_ENTRIES) {
			list->is_cut = true;
			list->cursor_len = 0;
			break;
		}
		err = add_entry(list, server, check, element);
	}
	return err;
}
