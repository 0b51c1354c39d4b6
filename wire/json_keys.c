#include "wire/json_keys.h"

#include <string.h>

#include "wire/json_text.h"

/*
 * The hash is a polynomial modulo the prime 2^61 - 1, taken at a secret point.
 * Its coefficients are the name's bytes, seven at a time; the last one holds
 * what is left, possibly nothing, and its length, so that different names are
 * different polynomials. Two of them with up to n coefficients agree at no
 * more than n of the 2^61 points. A secret odd factor picks 32 of the bits.
 *
 * SECURITY: linear cost rests on the peer not knowing the seed. The point and
 * the factor come from it alone; no constant can be met by prepared bytes.
 */
#define PRIME	   ((1ULL << 61) - 1)
#define BLOCK	   7
#define BLOCK_MASK ((1ULL << 56) - 1)

#define LIST_MAX 16 /* names of an object before it goes to the table */

/* One draw from a 64-bit state (a bijection of it, well mixed). */
static uint64_t
draw(uint64_t *state)
{
	uint64_t x = *state += 0x9e3779b97f4a7c15ULL;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ x >> 27) * 0x94d049bb133111ebULL;
	return x ^ x >> 31;
}

size_t
wire_json_scratch_size(size_t keys_max)
{
	return keys_max * (sizeof(struct wire_json_key) + 2 * sizeof(uint32_t));
}

void
wire_json_scratch_init(struct wire_json_scratch *scratch, void *mem,
    size_t keys_max, uint64_t seed)
{
	WIRE_BUG_IF(keys_max < 16 || keys_max > WIRE_MAX_OPEN_MEMBERS);
	WIRE_BUG_IF((keys_max & (keys_max - 1)) != 0);
	*scratch = (struct wire_json_scratch){
	    .keys = mem,
	    .slots = (uint32_t *)((struct wire_json_key *)mem + keys_max),
	    .keys_max = keys_max,
	    .slot_count = 2 * keys_max,
	    .seed = seed,
	};
	memset(scratch->slots, 0, scratch->slot_count * sizeof(uint32_t));
}

void
wire_json_keys_init(
    struct wire_json_keys *keys, const struct wire_json_scratch *scratch)
{
	uint64_t state = scratch->seed;

	keys->scratch = scratch;
	keys->count = 0;
	keys->point = (draw(&state) & PRIME) % PRIME;
	keys->factor = draw(&state) | 1;
}

/* (hash + block) * point modulo the prime, up to a multiple: below 2^61 + 8 */
static inline uint64_t
absorb(uint64_t hash, uint64_t block, uint64_t point)
{
	unsigned __int128 product;

	product = (unsigned __int128)(hash + block) * point;
	hash = ((uint64_t)product & PRIME) + (uint64_t)(product >> 61);
	return (hash & PRIME) + (hash >> 61);
}

/* The last coefficient and what is made of the whole. */
static inline uint32_t
finish(const struct wire_json_keys *keys, uint64_t hash, uint64_t tail,
    size_t tail_len)
{
	hash = absorb(hash, tail | (uint64_t)tail_len << 56, keys->point);
	if (hash >= PRIME)
		hash -= PRIME;
	/* Rows of similar names would else fall on rows of slots. */
	hash ^= hash >> 29;
	return (uint32_t)(hash * keys->factor >> 32);
}

static inline uint64_t
load64(const uint8_t *p)
{
	uint64_t word;

	memcpy(&word, p, sizeof(word));
	return word;
}

/* Up to seven bytes, as load64 would give them. */
static uint64_t
load_tail(const uint8_t *p, size_t len)
{
	uint8_t bytes[8] = {0};

	memcpy(bytes, p, len);
	return load64(bytes);
}

static uint32_t
hash_plain(
    const struct wire_json_keys *keys, struct wire_span raw, const uint8_t *end)
{
	const uint8_t *p = raw.p;
	size_t left = raw.len;
	uint64_t hash = 1, tail = 0;

	for (; left > BLOCK; left -= BLOCK, p += BLOCK)
		hash = absorb(hash, load64(p) & BLOCK_MASK, keys->point);
	/* Bytes past the name may be read where the text goes on. */
	if (end - p < 8)
		tail = load_tail(p, left);
	else if (left != 0)
		tail = load64(p) & ~0ULL >> (64 - 8 * left);
	return finish(keys, hash, tail, left);
}

/* The same value as the unescaped text would give. */
static uint32_t
hash_escaped(const struct wire_json_keys *keys, struct wire_span raw)
{
	const uint8_t *p = raw.p, *end = wire_span_end(raw);
	uint8_t block[BLOCK + 4] = {0};
	uint64_t hash = 1;
	size_t used = 0;

	while (p < end) {
		/* A full block is not the last one while there is more. */
		if (used >= BLOCK) {
			hash = absorb(
			    hash, load64(block) & BLOCK_MASK, keys->point);
			used -= BLOCK;
			memmove(block, block + BLOCK, used);
		}
		used += wire_json_unescape_unit(&p, end, block + used);
	}
	if (used > BLOCK) {
		hash = absorb(hash, load64(block) & BLOCK_MASK, keys->point);
		used -= BLOCK;
		memmove(block, block + BLOCK, used);
	}
	return finish(keys, hash, load_tail(block, used), used);
}

/*
 * Where a name begins to look for its slot. The same name in another open
 * object begins elsewhere, and where that is cannot be chosen: else 256
 * objects could be laid so that each of their common names fills a run.
 */
static size_t
home(const struct wire_json_keys *keys, uint32_t hash, uint32_t base)
{
	return (hash ^ base * (uint32_t)keys->factor) &
	    (keys->scratch->slot_count - 1);
}

static bool
same_name(const struct wire_json_key *key, uint32_t hash, struct wire_span raw)
{
	return key->hash == hash &&
	    wire_json_same_text((struct wire_span){key->p, key->len}, raw);
}

/* Looks through the object's list. */
static bool
list_has(const struct wire_json_keys *keys, const struct wire_json_names *names,
    uint32_t hash, struct wire_span raw)
{
	const struct wire_json_key *list = keys->scratch->keys;
	size_t i;

	for (i = names->base; i < keys->count; i++) {
		if (same_name(&list[i], hash, raw))
			return true;
	}
	return false;
}

/*
 * Looks through the table: true when the object has the name, else the free
 * slot in *ret_slot. At most half of the slots are taken.
 */
static bool
table_has(const struct wire_json_keys *keys,
    const struct wire_json_names *names, uint32_t hash, struct wire_span raw,
    size_t *ret_slot)
{
	const struct wire_json_scratch *scratch = keys->scratch;
	size_t slot = home(keys, hash, names->base);
	uint32_t entry;

	while ((entry = scratch->slots[slot]) != 0) {
		if (entry > names->base &&
		    same_name(&scratch->keys[entry - 1], hash, raw))
			return true;
		slot = (slot + 1) & (scratch->slot_count - 1);
	}
	*ret_slot = slot;
	return false;
}

/* Puts the names of a list that has grown long into the table. */
static void
list_to_table(const struct wire_json_keys *keys, struct wire_json_names *names)
{
	const struct wire_json_scratch *scratch = keys->scratch;
	size_t i, slot;

	for (i = names->base; i < keys->count; i++) {
		slot = home(keys, scratch->keys[i].hash, names->base);
		while (scratch->slots[slot] != 0)
			slot = (slot + 1) & (scratch->slot_count - 1);
		scratch->slots[slot] = (uint32_t)(i + 1);
	}
	names->in_table = true;
}

enum wire_err
wire_json_keys_add(struct wire_json_keys *keys, struct wire_json_names *names,
    struct wire_span raw, bool escaped, const uint8_t *end)
{
	const struct wire_json_scratch *scratch = keys->scratch;
	uint32_t hash;
	uint64_t bit;
	size_t slot = 0;

	hash = escaped ? hash_escaped(keys, raw) : hash_plain(keys, raw, end);
	bit = 1ULL << (hash & 63);
	if (!names->in_table && keys->count - names->base >= LIST_MAX)
		list_to_table(keys, names);
	if (names->in_table) {
		if (table_has(keys, names, hash, raw, &slot))
			return WIRE_ERR_DUPLICATE_MEMBER;
	} else if ((names->summary & bit) != 0 &&
	    list_has(keys, names, hash, raw)) {
		return WIRE_ERR_DUPLICATE_MEMBER;
	}
	if (keys->count == scratch->keys_max)
		return scratch->keys_max < WIRE_MAX_OPEN_MEMBERS
		    ? WIRE_ERR_NEED_SCRATCH
		    : WIRE_ERR_TOO_MANY_MEMBERS;
	names->summary |= bit;
	scratch->keys[keys->count] =
	    (struct wire_json_key){raw.p, (uint32_t)raw.len, hash};
	keys->count++;
	if (names->in_table)
		scratch->slots[slot] = (uint32_t)keys->count;
	return WIRE_OK;
}

void
wire_json_keys_clear(
    struct wire_json_keys *keys, const struct wire_json_names *names)
{
	const struct wire_json_scratch *scratch = keys->scratch;
	size_t i, slot;

	for (i = keys->count; i > names->base; i--) {
		slot = home(keys, scratch->keys[i - 1].hash, names->base);
		while (scratch->slots[slot] != i)
			slot = (slot + 1) & (scratch->slot_count - 1);
		scratch->slots[slot] = 0;
	}
}
