/*
 * Results that were too large to deliver, kept for the execution whose call
 * gave them (B6).
 *
 * What is kept is the *text*: of a string result its characters, of any other
 * its JSON as it came. It is UTF-8, because a scan has accepted the result.
 *
 * Owns: the texts, in memory, at most as many bytes and handles as were said
 * at init. A handle is a token of 128 random bits. Nothing leaves before the
 * store is released, except by bind_store_drop.
 *
 * Errors: NO_SPACE over the maximum, NO_MEMORY, SYSTEM when the kernel gives
 * no random bits. Threads: one at a time.
 */
#ifndef BIND_STORE_H
#define BIND_STORE_H

#include "bindings/lines.h"
#include "wire/err.h"
#include "wire/limits.h"
#include "wire/span.h"

#define BIND_TOKEN_LEN	 34 /* "h-" and 32 hexadecimal digits */
#define BIND_PREVIEW_MAX 1000
#define BIND_STORE_MAX	 4096 /* handles of one execution */

struct bind_kept {
	char token[BIND_TOKEN_LEN];
	size_t size; /* of the text */
	struct bind_lines lines;
	uint8_t text[];
};

struct bind_store {
	uint64_t max, used; /* bytes of text */
	struct bind_kept **kept;
	size_t count, room;
	/* Fills a token's bits; 0 or -errno. Tests have their own. */
	int (*random)(void *buf, size_t len);
};

/* No allocation. */
void bind_store_init(struct bind_store *store, uint64_t max);
void bind_store_release(struct bind_store *store);

uint64_t bind_store_left(const struct bind_store *store);

/* Keeps a value that a scan has accepted, without white space around it. */
WIRE_MUST_USE enum wire_err bind_store_put(struct bind_store *store,
    struct wire_span value, const struct bind_kept **ret_kept,
    struct wire_errinfo *info);

/* Takes back the last put. */
void bind_store_drop(struct bind_store *store, const struct bind_kept *kept);

/* NULL for anything that is no token of this store, whatever it is. */
const struct bind_kept *bind_store_find(
    const struct bind_store *store, struct wire_span token);

static inline struct wire_span
bind_kept_text(const struct bind_kept *kept)
{
	return (struct wire_span){kept->text, kept->size};
}

/* The beginning of the text, whole characters. */
struct wire_span bind_kept_preview(const struct bind_kept *kept);

#endif
