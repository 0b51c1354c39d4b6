#include "child/module/pending.h"

#include <stdlib.h>
#include <string.h>

#define BUCKETS_MIN 64

static struct stub_pending **
bucket(const struct stub_pending_table *table, uint64_t id)
{
	/* Ids are consecutive: the low bits spread them evenly. */
	return &table->buckets[id & (table->bucket_count - 1)];
}

static bool
grow(struct stub_pending_table *table)
{
	struct stub_pending_table wider = *table;
	struct stub_pending *pending, *next;
	size_t i;

	wider.bucket_count =
	    table->bucket_count == 0 ? BUCKETS_MIN : table->bucket_count * 2;
	wider.buckets =
	    calloc(wider.bucket_count, sizeof(struct stub_pending *));
	if (wider.buckets == NULL)
		return false;
	for (i = 0; i < table->bucket_count; i++) {
		for (pending = table->buckets[i]; pending != NULL;
		     pending = next) {
			struct stub_pending **to = bucket(&wider, pending->id);

			next = pending->next;
			pending->next = *to;
			*to = pending;
		}
	}
	free(table->buckets);
	*table = wider;
	return true;
}

struct stub_pending *
stub_pending_add(struct stub_pending_table *table, uint64_t id)
{
	struct stub_pending *pending, **at;

	if (table->count >= table->bucket_count && !grow(table) &&
	    table->bucket_count == 0)
		return NULL;
	pending = calloc(1, sizeof(*pending));
	if (pending == NULL)
		return NULL;
	pending->id = id;
	at = bucket(table, id);
	pending->next = *at;
	*at = pending;
	table->count++;
	return pending;
}

struct stub_pending *
stub_pending_find(const struct stub_pending_table *table, uint64_t id)
{
	struct stub_pending *pending = NULL;

	if (table->bucket_count != 0)
		pending = *bucket(table, id);
	while (pending != NULL && pending->id != id)
		pending = pending->next;
	return pending;
}

void
stub_pending_remove(
    struct stub_pending_table *table, struct stub_pending *pending)
{
	struct stub_pending **at = bucket(table, pending->id);

	while (*at != pending)
		at = &(*at)->next;
	*at = pending->next;
	table->count--;
	if (pending->wake != NULL)
		PyThread_free_lock(pending->wake);
	free(pending->reply.text);
	free(pending);
}

void
stub_reply_copy(struct stub_reply *reply, const struct wire_reply *from)
{
	struct wire_span text = from->value, preview = {NULL, 0};

	if (from->kind == WIRE_REPLY_HANDLE) {
		text = from->handle;
		preview = from->preview;
	}
	if (from->kind == WIRE_REPLY_ERROR)
		text = from->message;
	*reply = (struct stub_reply){
	    .kind = from->kind,
	    .error = from->error,
	    .hard = from->hard,
	    .size = from->handle_size,
	    .text = malloc(text.len + preview.len + 1),
	    .len = text.len,
	    .preview_len = preview.len,
	};
	reply->lost = reply->text == NULL;
	if (!reply->lost && text.len != 0)
		memcpy(reply->text, text.p, text.len);
	if (!reply->lost && preview.len != 0)
		memcpy(reply->text + text.len, preview.p, preview.len);
}

void
stub_pending_list(
    struct stub_pending_table *table, struct stub_pending *pending)
{
	pending->listed = true;
	if (table->last_listed != NULL)
		table->last_listed->next_listed = pending;
	else
		table->first_listed = pending;
	table->last_listed = pending;
}

bool
stub_pending_settle(
    struct stub_pending_table *table, uint64_t id, struct stub_reply *reply)
{
	struct stub_pending *pending = stub_pending_find(table, id);

	if (pending == NULL || pending->ready)
		return false;
	pending->reply = *reply;
	pending->ready = true;
	if (pending->abandoned) {
		stub_pending_remove(table, pending);
	} else if (pending->async) {
		stub_pending_list(table, pending);
	} else if (pending->sleeping) {
		stub_pending_wake(table, pending);
	}
	return true;
}

struct stub_pending *
stub_pending_unlist(struct stub_pending_table *table)
{
	struct stub_pending *pending = table->first_listed;

	if (pending == NULL)
		return NULL;
	table->first_listed = pending->next_listed;
	if (table->first_listed == NULL)
		table->last_listed = NULL;
	pending->next_listed = NULL;
	pending->listed = false;
	return pending;
}

void
stub_pending_sleep(
    struct stub_pending_table *table, struct stub_pending *pending)
{
	pending->sleeping = true;
	pending->prev_sleeper = NULL;
	pending->next_sleeper = table->sleepers;
	if (table->sleepers != NULL)
		table->sleepers->prev_sleeper = pending;
	table->sleepers = pending;
}

void
stub_pending_wake(
    struct stub_pending_table *table, struct stub_pending *pending)
{
	if (pending->prev_sleeper != NULL)
		pending->prev_sleeper->next_sleeper = pending->next_sleeper;
	else
		table->sleepers = pending->next_sleeper;
	if (pending->next_sleeper != NULL)
		pending->next_sleeper->prev_sleeper = pending->prev_sleeper;
	pending->sleeping = false;
	PyThread_release_lock(pending->wake);
}
