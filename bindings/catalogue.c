#include "bindings/catalogue.h"

#include <stdlib.h>
#include <string.h>

#include "bindings/builtin.h"
#include "wire/utf8.h"

/*
 * Tools stand in the order in which they were added; beside them an open
 * hash table of indices + 1 (0: free), a power of two, at most half full.
 * Names come from the deployment, so the hash needs no key: a program can only
 * look up, and a long run of collisions is for the deployment to make.
 */
struct bind_catalogue {
	struct bind_tool **tools;
	size_t count;
	size_t shared; /* how many of the first ones are another's */
	uint32_t *slots;
	size_t slot_count;
};

#define FIRST_SLOTS 32

/* FNV-1a, 64 bits. */
static uint64_t
hash_name(struct wire_span name)
{
	uint64_t hash = 0xcbf29ce484222325ULL;

	for (size_t i = 0; i < name.len; i++) {
		hash ^= name.p[i];
		hash *= 0x100000001b3ULL;
	}
	return hash;
}

static struct wire_span
name_of(const struct bind_tool *tool)
{
	return (struct wire_span){tool->name, tool->name_len};
}

/* The slot that holds the name, or the free one where it belongs. */
static size_t
find_slot(const struct bind_catalogue *catalogue, struct wire_span name)
{
	size_t mask = catalogue->slot_count - 1;
	size_t at = hash_name(name) & mask;

	while (catalogue->slots[at] != 0) {
		const struct bind_tool *tool =
		    catalogue->tools[catalogue->slots[at] - 1];

		if (wire_span_equal(name_of(tool), name))
			break;
		at = (at + 1) & mask;
	}
	return at;
}

/* Makes room for one more tool: both tables double together. */
static enum wire_err
grow(struct bind_catalogue *catalogue)
{
	struct bind_tool **tools;
	uint32_t *slots;
	size_t slot_count = catalogue->slot_count * 2;

	if (catalogue->count < catalogue->slot_count / 2)
		return WIRE_OK;
	tools = realloc(catalogue->tools, slot_count / 2 * sizeof(tools[0]));
	if (tools == NULL)
		return WIRE_ERR_NO_MEMORY;
	catalogue->tools = tools;
	slots = calloc(slot_count, sizeof(slots[0]));
	if (slots == NULL)
		return WIRE_ERR_NO_MEMORY;
	free(catalogue->slots);
	catalogue->slots = slots;
	catalogue->slot_count = slot_count;
	for (size_t i = 0; i < catalogue->count; i++)
		slots[find_slot(catalogue, name_of(tools[i]))] =
		    (uint32_t)(i + 1);
	return WIRE_OK;
}

enum wire_err
bind_catalogue_new(struct bind_catalogue **ret_catalogue)
{
	struct bind_catalogue *catalogue = calloc(1, sizeof(*catalogue));

	if (catalogue == NULL)
		return WIRE_ERR_NO_MEMORY;
	catalogue->slot_count = FIRST_SLOTS;
	catalogue->slots = calloc(FIRST_SLOTS, sizeof(catalogue->slots[0]));
	catalogue->tools =
	    malloc(FIRST_SLOTS / 2 * sizeof(catalogue->tools[0]));
	if (catalogue->slots == NULL || catalogue->tools == NULL) {
		bind_catalogue_free(catalogue);
		return WIRE_ERR_NO_MEMORY;
	}
	*ret_catalogue = catalogue;
	return WIRE_OK;
}

void
bind_catalogue_free(struct bind_catalogue *catalogue)
{
	if (catalogue == NULL)
		return;
	for (size_t i = catalogue->shared; i < catalogue->count; i++) {
		struct bind_tool *tool = catalogue->tools[i];

		if (tool->provider->release != NULL)
			tool->provider->release(tool->data);
		free(tool);
	}
	free(catalogue->tools);
	free(catalogue->slots);
	free(catalogue);
}

enum wire_err
bind_catalogue_extend(
    const struct bind_catalogue *base, struct bind_catalogue **ret_catalogue)
{
	struct bind_catalogue *catalogue = calloc(1, sizeof(*catalogue));
	size_t slots = base->slot_count;

	if (catalogue == NULL)
		return WIRE_ERR_NO_MEMORY;
	catalogue->slot_count = slots;
	catalogue->slots = malloc(slots * sizeof(catalogue->slots[0]));
	catalogue->tools = malloc(slots / 2 * sizeof(catalogue->tools[0]));
	if (catalogue->slots == NULL || catalogue->tools == NULL) {
		bind_catalogue_free(catalogue);
		return WIRE_ERR_NO_MEMORY;
	}
	memcpy(
	    catalogue->slots, base->slots, slots * sizeof(catalogue->slots[0]));
	if (base->count > 0)
		memcpy(catalogue->tools, base->tools,
		    base->count * sizeof(catalogue->tools[0]));
	catalogue->count = catalogue->shared = base->count;
	*ret_catalogue = catalogue;
	return WIRE_OK;
}

/* Control characters would reach terminals and logs through messages. */
bool
bind_catalogue_is_name(struct wire_span name)
{
	if (name.len == 0 || name.len > WIRE_MAX_TOOL_NAME)
		return false;
	if (wire_utf8_valid_prefix(name) != name.len)
		return false;
	for (size_t i = 0; i < name.len; i++) {
		if (name.p[i] < 0x20 || name.p[i] == 0x7f)
			return false;
	}
	return true;
}

enum wire_err
bind_catalogue_check(const struct bind_catalogue *catalogue,
    struct wire_span name, struct wire_errinfo *info)
{
	if (!bind_catalogue_is_name(name))
		return wire_fail(info, WIRE_ERR_BAD_ARGUMENT, "name", 0);
	if (bind_builtin_has_name(name))
		return wire_fail(info, WIRE_ERR_BAD_ARGUMENT, "reserved", 0);
	if (bind_catalogue_find(catalogue, name) != NULL)
		return wire_fail(info, WIRE_ERR_BAD_ARGUMENT, "duplicate", 0);
	if (catalogue->count >= BIND_MAX_TOOLS)
		return wire_fail(info, WIRE_ERR_BAD_ARGUMENT, "count", 0);
	return WIRE_OK;
}

enum wire_err
bind_catalogue_add(struct bind_catalogue *catalogue, struct wire_span name,
    const struct bind_provider *provider, void *data, unsigned marks,
    struct wire_errinfo *info)
{
	struct bind_tool *tool;
	enum wire_err err = bind_catalogue_check(catalogue, name, info);

	if (err != WIRE_OK)
		return err;
	err = grow(catalogue);
	if (err != WIRE_OK)
		return wire_fail(info, err, "catalogue", 0);
	tool = calloc(1, sizeof(*tool));
	if (tool == NULL)
		return wire_fail(info, WIRE_ERR_NO_MEMORY, "catalogue", 0);
	tool->provider = provider;
	tool->data = data;
	tool->marks = marks;
	tool->index = catalogue->count;
	tool->name_len = name.len;
	memcpy(tool->name, name.p, name.len);
	catalogue->slots[find_slot(catalogue, name)] =
	    (uint32_t)(catalogue->count + 1);
	catalogue->tools[catalogue->count++] = tool;
	return WIRE_OK;
}

static struct bind_tool *
find(const struct bind_catalogue *catalogue, struct wire_span name)
{
	uint32_t place = catalogue->slots[find_slot(catalogue, name)];

	return place == 0 ? NULL : catalogue->tools[place - 1];
}

void
bind_catalogue_describe(struct bind_catalogue *catalogue, struct wire_span name,
    const struct bind_tool_about *about)
{
	struct bind_tool *tool = find(catalogue, name);

	WIRE_BUG_IF(tool == NULL);
	tool->about = about;
}

const struct bind_tool *
bind_catalogue_find(
    const struct bind_catalogue *catalogue, struct wire_span name)
{
	return find(catalogue, name);
}

bool
bind_catalogue_withdraw(struct bind_catalogue *catalogue, struct wire_span name)
{
	struct bind_tool *tool = find(catalogue, name);

	if (tool == NULL)
		return false;
	tool->withdrawn = true;
	return true;
}

bool
bind_catalogue_mark(
    struct bind_catalogue *catalogue, struct wire_span name, unsigned marks)
{
	struct bind_tool *tool = find(catalogue, name);

	if (tool == NULL)
		return false;
	tool->marks |= marks;
	return true;
}

size_t
bind_catalogue_count(const struct bind_catalogue *catalogue)
{
	return catalogue->count;
}

const struct bind_tool *
bind_catalogue_at(const struct bind_catalogue *catalogue, size_t index)
{
	WIRE_BUG_IF(index >= catalogue->count);
	return catalogue->tools[index];
}

enum wire_tool_kind
bind_tool_admit(const struct bind_tool *tool, size_t offered)
{
	if (tool->withdrawn || tool->index >= offered)
		return WIRE_TOOL_NOT_OFFERED;
	if ((tool->marks & BIND_TOOL_NEEDS_APPROVAL) != 0)
		return WIRE_TOOL_APPROVAL_REQUIRED;
	if ((tool->marks & BIND_TOOL_NEEDS_INPUT) != 0)
		return WIRE_TOOL_INPUT_REQUIRED;
	return WIRE_TOOL_NONE;
}

enum wire_tool_kind
bind_catalogue_admit(const struct bind_catalogue *catalogue, size_t offered,
    struct wire_span name, const struct bind_tool **ret_tool)
{
	const struct bind_tool *tool = find(catalogue, name);
	enum wire_tool_kind kind;

	if (tool == NULL)
		return WIRE_TOOL_NOT_OFFERED;
	kind = bind_tool_admit(tool, offered);
	if (kind == WIRE_TOOL_NONE)
		*ret_tool = tool;
	return kind;
}
