#include "supervisor/tool_marks.h"

#include <stdlib.h>
#include <string.h>

#include "supervisor/mcp_load.h"

struct sup_tool_mark {
	struct sup_tool_mark *next;
	unsigned marks;
	bool withdrawn;
	size_t name_len;
	uint8_t name[WIRE_MAX_TOOL_NAME];
};

static struct wire_span
name_of(const struct sup_tool_mark *mark)
{
	return (struct wire_span){mark->name, mark->name_len};
}

bool
sup_tool_marks_may_come(const struct weir *weir, struct wire_span name)
{
	const struct bind_mcp_config *config;

	if (weir->mcp == NULL || !bind_catalogue_is_name(name))
		return false;
	config = sup_mcp_config(weir->mcp);
	for (size_t i = 0; i < config->count; i++) {
		struct wire_span server = config->entries[i].name;

		if (name.len > server.len + 1 && name.p[server.len] == '.' &&
		    memcmp(name.p, server.p, server.len) == 0)
			return true;
	}
	return false;
}

/* False: there is no such tool. */
static bool
set(struct bind_catalogue *catalogue, const struct sup_tool_mark *mark)
{
	bool found = bind_catalogue_find(catalogue, name_of(mark)) != NULL;

	if (found && mark->marks != 0)
		(void)bind_catalogue_mark(
		    catalogue, name_of(mark), mark->marks);
	if (found && mark->withdrawn)
		(void)bind_catalogue_withdraw(catalogue, name_of(mark));
	return found;
}

static struct sup_tool_mark *
find(struct weir *weir, struct wire_span name)
{
	struct sup_tool_mark *mark = weir->marks;

	while (mark != NULL && !wire_span_equal(name_of(mark), name))
		mark = mark->next;
	return mark;
}

bool
sup_tool_marks_note(
    struct weir *weir, struct wire_span name, unsigned marks, bool withdrawn)
{
	struct sup_tool_mark *mark = find(weir, name);

	if (mark == NULL) {
		mark = calloc(1, sizeof(*mark));
		if (mark == NULL)
			return false;
		mark->name_len = name.len;
		memcpy(mark->name, name.p, name.len);
		mark->next = weir->marks;
		weir->marks = mark;
	}
	mark->marks |= marks;
	mark->withdrawn |= withdrawn;
	for (struct weir_execution *e = weir->executions; e != NULL;
	     e = e->next)
		if (e->catalogue != NULL)
			(void)set(e->catalogue, mark);
	return true;
}

/* SECURITY: before anything is offered, so that no call of a tool that needs
 * somebody is ever made (B9). */
void
sup_tool_marks_apply(struct weir_execution *e)
{
	for (const struct sup_tool_mark *mark = e->weir->marks; mark != NULL;
	     mark = mark->next)
		if (!set(e->catalogue, mark) && e->only == NULL)
			sup_exec_warn(e,
			    "tool %.*s is marked or withdrawn, and its server "
			    "offers none of this name",
			    (int)mark->name_len, (const char *)mark->name);
}

void
sup_tool_marks_free(struct weir *weir)
{
	while (weir->marks != NULL) {
		struct sup_tool_mark *next = weir->marks->next;

		free(weir->marks);
		weir->marks = next;
	}
}
