#include "bindings/record.h"

#include <stddef.h>
#include <string.h>

void
bind_record_list_init(struct bind_record_list *list)
{
	memset(list, 0, offsetof(struct bind_record_list, head));
}

uint64_t
bind_record_total(const struct bind_record_totals *totals)
{
	return totals->completed + totals->failed + totals->refused +
	    totals->unknown;
}

static void
fill(struct bind_record_slot *slot, const struct bind_record_entry *entry)
{
	size_t len = entry->tool.len;

	if (len > sizeof(slot->name))
		len = sizeof(slot->name);
	if (len > 0)
		memcpy(slot->name, entry->tool.p, len);
	slot->entry = *entry;
	slot->entry.tool = (struct wire_span){slot->name, len};
	slot->entry.arguments = slot->entry.result =
	    (struct wire_span){NULL, 0};
}

/*
 * Each id has one place. Calls end in any order, so an id of the tail may come
 * after a later one that shares its place; the later one stays.
 */
static void
keep(struct bind_record_list *list, const struct bind_record_entry *entry)
{
	size_t place = entry->id % BIND_RECORD_TAIL;

	if (entry->id < BIND_RECORD_HEAD) {
		list->head_used[entry->id] = true;
		fill(&list->head[entry->id], entry);
	} else if (!list->tail_used[place] ||
	    list->tail[place].entry.id <= entry->id) {
		list->tail_used[place] = true;
		fill(&list->tail[place], entry);
	}
}

static enum wire_tool_kind
started(void *arg, const struct bind_record_entry *entry)
{
	struct bind_record_list *list = arg;

	list->totals.started++;
	keep(list, entry);
	return WIRE_TOOL_NONE;
}

static enum wire_err
ended(void *arg, const struct bind_record_entry *entry)
{
	struct bind_record_list *list = arg;
	struct bind_record_totals *totals = &list->totals;

	WIRE_BUG_IF(!bind_call_is_final(entry->state));
	if (entry->state == BIND_CALL_REFUSED) {
		totals->refused++;
	} else {
		WIRE_BUG_IF(totals->started == 0);
		totals->started--;
		if (entry->state == BIND_CALL_COMPLETED)
			totals->completed++;
		else if (entry->state == BIND_CALL_FAILED)
			totals->failed++;
		else
			totals->unknown++;
	}
	keep(list, entry);
	return WIRE_OK;
}

struct bind_record
bind_record_list_record(struct bind_record_list *list)
{
	return (struct bind_record){list, started, ended, NULL, NULL};
}

/* The slot with the lowest id of the tail that is at least `from`. */
static const struct bind_record_slot *
tail_from(const struct bind_record_list *list, uint64_t from)
{
	const struct bind_record_slot *best = NULL;

	for (size_t i = 0; i < BIND_RECORD_TAIL; i++) {
		const struct bind_record_slot *slot = &list->tail[i];

		if (list->tail_used[i] && slot->entry.id >= from &&
		    (best == NULL || slot->entry.id < best->entry.id))
			best = slot;
	}
	return best;
}

const struct bind_record_entry *
bind_record_list_next(const struct bind_record_list *list, size_t *cursor)
{
	const struct bind_record_slot *slot;

	while (*cursor < BIND_RECORD_HEAD) {
		size_t i = (*cursor)++;

		if (list->head_used[i])
			return &list->head[i].entry;
	}
	slot = tail_from(list, *cursor);
	if (slot == NULL)
		return NULL;
	*cursor = slot->entry.id + 1;
	return &slot->entry;
}
