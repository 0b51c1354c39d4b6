#include "bindings/store.h"

#include <stdlib.h>
#include <string.h>

#include "bindings/sys.h"
#include "wire/json.h"
#include "wire/utf8.h"

#define FIRST_ROOM 8

void
bind_store_init(struct bind_store *store, uint64_t max)
{
	*store = (struct bind_store){.max = max, .random = bind_sys_random};
}

static void
free_kept(struct bind_kept *kept)
{
	bind_lines_release(&kept->lines);
	free(kept);
}

void
bind_store_release(struct bind_store *store)
{
	for (size_t i = 0; i < store->count; i++)
		free_kept(store->kept[i]);
	free(store->kept);
	store->kept = NULL;
	store->count = store->room = 0;
	store->used = 0;
}

uint64_t
bind_store_left(const struct bind_store *store)
{
	return store->count < BIND_STORE_MAX ? store->max - store->used : 0;
}

static enum wire_err
make_room(struct bind_store *store)
{
	size_t room = store->room == 0 ? FIRST_ROOM : store->room * 2;
	struct bind_kept **kept;

	if (store->count < store->room)
		return WIRE_OK;
	kept = realloc(store->kept, room * sizeof(kept[0]));
	if (kept == NULL)
		return WIRE_ERR_NO_MEMORY;
	store->kept = kept;
	store->room = room;
	return WIRE_OK;
}

/* SECURITY: a token is the right to read, so it is 128 bits of the kernel's:
 * neither counted nor derived from anything that the program knows. */
static int
make_token(const struct bind_store *store, char token[BIND_TOKEN_LEN])
{
	static const char digits[] = "0123456789abcdef";
	uint8_t bits[16];
	int r = store->random(bits, sizeof(bits));

	if (r < 0)
		return r;
	token[0] = 'h';
	token[1] = '-';
	for (size_t i = 0; i < sizeof(bits); i++) {
		token[2 + 2 * i] = digits[bits[i] >> 4];
		token[3 + 2 * i] = digits[bits[i] & 15];
	}
	return 0;
}

/* The text of a value, at out, which has room for all of the value. */
static size_t
copy_text(struct wire_span value, uint8_t *out)
{
	struct wire_span raw = {value.p + 1, value.len - 2};
	size_t len = 0;

	if (value.p[0] != '"') {
		memcpy(out, value.p, value.len);
		return value.len;
	}
	/* Text never grows by unescaping, so there is room. */
	WIRE_BUG_IF(wire_json_unescape(raw, out, value.len, &len) != WIRE_OK);
	return len;
}

static struct bind_kept *
new_kept(struct wire_span value)
{
	struct bind_kept *kept, *fitting;
	size_t size;

	if (!wire_add(sizeof(*kept), value.len, &size))
		return NULL;
	kept = malloc(size);
	if (kept == NULL)
		return NULL;
	*kept = (struct bind_kept){.size = copy_text(value, kept->text)};
	fitting = realloc(kept, sizeof(*kept) + kept->size);
	if (fitting != NULL)
		kept = fitting;
	if (bind_lines_init(&kept->lines, bind_kept_text(kept)) == WIRE_OK)
		return kept;
	free(kept);
	return NULL;
}

enum wire_err
bind_store_put(struct bind_store *store, struct wire_span value,
    const struct bind_kept **ret_kept, struct wire_errinfo *info)
{
	struct bind_kept *kept;
	int r;

	WIRE_BUG_IF(value.len == 0);
	/* By the bytes that came, which the text never exceeds. */
	if (value.len > bind_store_left(store))
		return wire_fail(info, WIRE_ERR_NO_SPACE, "store", 0);
	if (make_room(store) != WIRE_OK)
		return wire_fail(info, WIRE_ERR_NO_MEMORY, "store", 0);
	kept = new_kept(value);
	if (kept == NULL)
		return wire_fail(info, WIRE_ERR_NO_MEMORY, "store", 0);
	r = make_token(store, kept->token);
	if (r < 0) {
		free_kept(kept);
		*info = (struct wire_errinfo){"getrandom", -r, 0};
		return WIRE_ERR_SYSTEM;
	}
	store->kept[store->count++] = kept;
	store->used += kept->size;
	*ret_kept = kept;
	return WIRE_OK;
}

void
bind_store_drop(struct bind_store *store, const struct bind_kept *kept)
{
	WIRE_BUG_IF(store->count == 0);
	WIRE_BUG_IF(store->kept[store->count - 1] != kept);
	store->used -= kept->size;
	free_kept(store->kept[--store->count]);
}

/*
 * SECURITY: every token is compared to its end, so that the time tells
 * nothing of how much of a guess was right. Another execution's tokens are in
 * another store: there is nothing here that could tell them from words that
 * never were a token.
 */
const struct bind_kept *
bind_store_find(const struct bind_store *store, struct wire_span token)
{
	const struct bind_kept *found = NULL;

	if (token.len != BIND_TOKEN_LEN)
		return NULL;
	for (size_t i = 0; i < store->count; i++) {
		const struct bind_kept *kept = store->kept[i];
		unsigned differs = 0;

		for (size_t k = 0; k < BIND_TOKEN_LEN; k++)
			differs |= token.p[k] ^ (uint8_t)kept->token[k];
		if (differs == 0)
			found = kept;
	}
	return found;
}

struct wire_span
bind_kept_preview(const struct bind_kept *kept)
{
	struct wire_span text = bind_kept_text(kept);

	if (text.len > BIND_PREVIEW_MAX)
		text.len = wire_utf8_floor(text, BIND_PREVIEW_MAX);
	return text;
}
