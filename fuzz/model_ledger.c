#include "model_ledger.h"

#include <string.h>

#include "wire/utf8.h"

/* --- the model: MessagePack ----------------------------------------------- */

static uint64_t
big_endian(const uint8_t *p, unsigned bytes)
{
	uint64_t n = 0;

	while (bytes-- > 0)
		n = n * 256 + *p++;
	return n;
}

/* The bytes that a value takes at the front of in; 0: there is none. */
static size_t
model_value(struct wire_span in, struct model_value *v)
{
	size_t head = 1, body = 0, at, n;
	uint64_t items = 0;
	unsigned b, width = 0;

	memset(v, 0, sizeof(*v));
	if (in.len == 0)
		return 0;
	b = in.p[0];
	v->type = MODEL_OTHER;
	if (b <= 0x7f) {
		v->type = MODEL_UINT;
		v->n = b;
	} else if (b <= 0x8f) {
		v->type = MODEL_MAP;
		items = 2 * (b - 0x80);
	} else if (b <= 0x9f) {
		items = b - 0x90;
	} else if (b <= 0xbf) {
		v->type = MODEL_TEXT;
		body = b - 0xa0;
	} else if (b == 0xc1) {
		return 0;
	} else if (b >= 0xcc && b <= 0xd3) {
		width = 1U << ((b - 0xcc) % 4);
		if (in.len < 1 + width)
			return 0;
		v->n = big_endian(in.p + 1, width);
		head += width;
		if (b <= 0xcf || in.p[1] < 0x80)
			v->type = MODEL_UINT;
	} else if (b == 0xca || b == 0xcb) {
		body = b == 0xca ? 4 : 8;
	} else if (b >= 0xd4 && b <= 0xd8) {
		body = 1 + (1U << (b - 0xd4));
	} else if ((b >= 0xc4 && b <= 0xc9) || (b >= 0xd9 && b <= 0xdf)) {
		width = b <= 0xc6 ? 1U << (b - 0xc4)
		    : b <= 0xc9	  ? 1U << (b - 0xc7)
		    : b <= 0xdb	  ? 1U << (b - 0xd9)
				  : 2U << (b & 1);
		if (in.len < 1 + width)
			return 0;
		n = (size_t)big_endian(in.p + 1, width);
		head += width;
		if (b >= 0xdc)
			items = b >= 0xde ? 2 * (uint64_t)n : n;
		else
			body = n + (b >= 0xc7 && b <= 0xc9);
		v->type = b <= 0xc6	     ? MODEL_BYTES
		    : b >= 0xde		     ? MODEL_MAP
		    : b >= 0xd9 && b <= 0xdb ? MODEL_TEXT
					     : MODEL_OTHER;
	}
	if (head > in.len || body > in.len - head || items > in.len)
		return 0;
	for (at = head + body; items > 0; items--) {
		struct model_value inner;

		n = model_value(
		    (struct wire_span){in.p + at, in.len - at}, &inner);
		if (n == 0)
			return 0;
		at += n;
	}
	v->bytes = v->type == MODEL_MAP ? (struct wire_span){in.p, at}
					: (struct wire_span){in.p + head, body};
	return at;
}

/* --- the model: records --------------------------------------------------- */

#define MODEL_FIELDS 30

/* By field: what it is, and its limit ('=': exactly). */
static const struct {
	char type; /* n number, t text, b bytes, = hash, N numbers, W words */
	size_t max;
} model_fields[MODEL_FIELDS] = {{'n', 0}, {'n', 0}, {'=', 16}, {'n', 0},
    {'t', 128}, {'t', 64}, {'n', 0}, {'=', 32}, {'t', 49152}, {'n', 0},
    {'=', 32}, {'t', 49152}, {'n', 0}, {'t', 64}, {'t', 32}, {'W', 0},
    {'t', 128}, {'n', 0}, {'b', 4096}, {'t', 128}, {'n', 0}, {'=', 32},
    {'N', 0}, {'=', 32}, {'t', 64}, {'n', 0}, {'n', 0}, {'N', 0}, {'n', 0},
    {'n', 0}};

/* By event, the letters of fields: a is 0, A is 26. */
static const char *const model_must[9] = {NULL, "bcopqrstuvwx", "bcdeg",
    "bcdegf", "bcdejm", "bcdejmf", "bcdejmf", "bcyB", "bCD"};
static const char *const model_may[9] = {
    NULL, "n", "hi", "hi", "kl", "", "", "zA", "c"};

static bool
is_among(unsigned field, const char *letters)
{
	char letter = (char)(field < 26 ? 'a' + field : 'A' + field - 26);

	return strchr(letters, letter) != NULL;
}

static bool
model_pairs(struct wire_span all, bool words)
{
	struct wire_span names[64];
	size_t at, count = 0, n;
	struct model_value v;
	/* The head of a map, whatever its width. */
	size_t head = all.p[0] == 0xde ? 3 : all.p[0] == 0xdf ? 5 : 1;

	for (at = head; at < all.len; count++) {
		if (count == 64)
			return false;
		n = model_value(
		    (struct wire_span){all.p + at, all.len - at}, &v);
		if (v.type != MODEL_TEXT || v.bytes.len > 48 ||
		    wire_utf8_valid_prefix(v.bytes) != v.bytes.len)
			return false;
		for (size_t i = 0; i < count; i++)
			if (wire_span_equal(names[i], v.bytes))
				return false;
		names[count] = v.bytes;
		at += n;
		n = model_value(
		    (struct wire_span){all.p + at, all.len - at}, &v);
		if (words ? v.type != MODEL_TEXT || v.bytes.len > 64 ||
			    wire_utf8_valid_prefix(v.bytes) != v.bytes.len
			  : v.type != MODEL_UINT)
			return false;
		at += n;
	}
	return true;
}

static bool
model_fits(unsigned field, const struct model_value *v)
{
	size_t max = model_fields[field].max;

	switch (model_fields[field].type) {
	case 'n':
		return v->type == MODEL_UINT;
	case 't':
		return v->type == MODEL_TEXT && v->bytes.len <= max &&
		    wire_utf8_valid_prefix(v->bytes) == v->bytes.len;
	case 'b':
		return v->type == MODEL_BYTES && v->bytes.len <= max;
	case '=':
		return v->type == MODEL_BYTES && v->bytes.len == max;
	default:
		return v->type == MODEL_MAP &&
		    model_pairs(v->bytes, model_fields[field].type == 'W');
	}
}

/* Whether a payload is a record; its fields by number, type MODEL_NONE where
 * there is none. */
bool
model_record(struct wire_span in, struct model_value fields[MODEL_FIELDS])
{
	struct model_value all, key, v;
	uint64_t next = 0;
	size_t at, n;

	memset(fields, 0, MODEL_FIELDS * sizeof(fields[0]));
	if (model_value(in, &all) != in.len || all.type != MODEL_MAP)
		return false;
	at = in.p[0] == 0xde ? 3 : in.p[0] == 0xdf ? 5 : 1;
	while (at < in.len) {
		n = model_value(
		    (struct wire_span){in.p + at, in.len - at}, &key);
		if (key.type != MODEL_UINT || key.n < next)
			return false;
		next = key.n == UINT64_MAX ? key.n : key.n + 1;
		at += n;
		at +=
		    model_value((struct wire_span){in.p + at, in.len - at}, &v);
		if (key.n >= MODEL_FIELDS)
			continue;
		if (!model_fits((unsigned)key.n, &v))
			return false;
		fields[key.n] = v;
	}
	if (fields[0].type == MODEL_NONE || fields[0].n == 0 || fields[0].n > 8)
		return false;
	for (unsigned i = 1; i < MODEL_FIELDS; i++) {
		bool must = is_among(i, model_must[fields[0].n]);
		bool has = fields[i].type != MODEL_NONE;

		if (has ? !must && !is_among(i, model_may[fields[0].n]) : must)
			return false;
	}
	return true;
}
