/*
 * The calls that have been sent and whose replies nobody has taken yet.
 *
 * Owns: one record a call, found by id; and the list of those whose owner is
 * to be told. Kept by whoever holds the channel's state lock; nothing here
 * locks, blocks or runs Python, so no function needs the interpreter's lock.
 *
 * A record is in one of these states:
 *   sent       in the table, no reply yet
 *   abandoned  likewise, and nobody wants the reply: freed when it comes
 *   ready      the reply is in; in the table until it is taken
 */
#ifndef STUB_PENDING_H
#define STUB_PENDING_H

#include "child/module/python.h"
#include "wire/msg.h"

/* A reply that outlives the frame it came in. */
struct stub_reply {
	enum wire_reply_kind kind;
	enum wire_tool_kind error;
	bool hard;
	bool lost;     /* there was no memory to keep it */
	uint64_t size; /* HANDLE: of the stored result */
	uint8_t *text; /* value, raw handle or raw message; owned */
	size_t len;
	size_t preview_len; /* HANDLE: raw text that stands behind it */
};

struct stub_pending {
	struct stub_pending *next; /* in its bucket */
	uint64_t id;
	struct stub_reply reply;
	bool ready;
	bool abandoned;
	/* Asynchronous calls: who is told; a reference, NULL once told. */
	PyObject *notify;
	bool async;
	bool listed;	   /* in the list of those to tell */
	unsigned failures; /* of telling */
	struct stub_pending *next_listed;
	/* Blocking calls: a thread sleeps on `wake`, which it allocated. */
	PyThread_type_lock wake;
	bool sleeping;
	struct stub_pending *next_sleeper, *prev_sleeper;
};

struct stub_pending_table {
	struct stub_pending **buckets;
	size_t bucket_count; /* a power of two, or 0 */
	size_t count;
	struct stub_pending *first_listed, *last_listed;
	struct stub_pending *sleepers;
};

/* A new record in state sent, or NULL without memory. Steals no reference. */
struct stub_pending *stub_pending_add(
    struct stub_pending_table *table, uint64_t id);

struct stub_pending *stub_pending_find(
    const struct stub_pending_table *table, uint64_t id);

/* Takes the record out and frees it, its reply text with it. The caller has
 * taken the reference and is not on the sleepers' list. */
void stub_pending_remove(
    struct stub_pending_table *table, struct stub_pending *pending);

/* Copies what the frame holds; reply->lost when there is no memory. */
void stub_reply_copy(struct stub_reply *reply, const struct wire_reply *from);

/*
 * The reply for reply->id is in; *reply is consumed. Returns false when no
 * call waits for it. Sleepers are woken, asynchronous ones listed.
 */
bool stub_pending_settle(
    struct stub_pending_table *table, uint64_t id, struct stub_reply *reply);

/* Puts a record with a reply last on the list of those to tell. */
void stub_pending_list(
    struct stub_pending_table *table, struct stub_pending *pending);

/* The next record to tell, taken off the list. NULL: none. */
struct stub_pending *stub_pending_unlist(struct stub_pending_table *table);

/* Puts the record among the sleepers, or takes it off and wakes it. */
void stub_pending_sleep(
    struct stub_pending_table *table, struct stub_pending *pending);
void stub_pending_wake(
    struct stub_pending_table *table, struct stub_pending *pending);

#endif
