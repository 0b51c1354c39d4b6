#include "bindings/unpack.h"

#include "wire/utf8.h"

enum type {
	NEVER, /* a byte that MessagePack does not use */
	UINT,
	INT,
	PLAIN, /* nil, true, false, a float: nothing to ask of it */
	STR,
	BIN,
	ARRAY,
	MAP,
	EXT,
};

/* How a value begins: the number in it, and where its own bytes start. */
struct head {
	enum type type;
	uint64_t n;   /* value, or count of bytes, elements or pairs */
	size_t extra; /* bytes to skip that n does not count */
};

/* What 0xc0 to 0xdf mean: the bytes of the number that follows, and of what
 * stands behind that. */
static const struct wide {
	enum type type;
	uint8_t width, extra;
} wide[32] = {
    [0x00] = {PLAIN, 0, 0},
    [0x02] = {PLAIN, 0, 0},
    [0x03] = {PLAIN, 0, 0},
    [0x04] = {BIN, 1, 0},
    [0x05] = {BIN, 2, 0},
    [0x06] = {BIN, 4, 0},
    [0x07] = {EXT, 1, 1},
    [0x08] = {EXT, 2, 1},
    [0x09] = {EXT, 4, 1},
    [0x0a] = {PLAIN, 0, 4},
    [0x0b] = {PLAIN, 0, 8},
    [0x0c] = {UINT, 1, 0},
    [0x0d] = {UINT, 2, 0},
    [0x0e] = {UINT, 4, 0},
    [0x0f] = {UINT, 8, 0},
    [0x10] = {INT, 1, 0},
    [0x11] = {INT, 2, 0},
    [0x12] = {INT, 4, 0},
    [0x13] = {INT, 8, 0},
    [0x14] = {PLAIN, 0, 2},
    [0x15] = {PLAIN, 0, 3},
    [0x16] = {PLAIN, 0, 5},
    [0x17] = {PLAIN, 0, 9},
    [0x18] = {PLAIN, 0, 17},
    [0x19] = {STR, 1, 0},
    [0x1a] = {STR, 2, 0},
    [0x1b] = {STR, 4, 0},
    [0x1c] = {ARRAY, 2, 0},
    [0x1d] = {ARRAY, 4, 0},
    [0x1e] = {MAP, 2, 0},
    [0x1f] = {MAP, 4, 0},
};

void
bind_unpack_init(struct bind_unpack *unpack, struct wire_span bytes)
{
	unpack->p = bytes.p;
	unpack->end = wire_span_end(bytes);
}

bool
bind_unpack_is_empty(const struct bind_unpack *unpack)
{
	return unpack->p == unpack->end;
}

static size_t
left(const struct bind_unpack *unpack)
{
	return unpack->p == unpack->end ? 0 : (size_t)(unpack->end - unpack->p);
}

/* Takes a head. False leaves the cursor anywhere. */
static bool
take_head(struct bind_unpack *unpack, struct head *ret)
{
	const struct wide *more;
	uint8_t first;

	if (left(unpack) == 0)
		return false;
	first = *unpack->p++;
	ret->extra = 0;
	if (first < 0x80) {
		ret->type = UINT;
		ret->n = first;
	} else if (first < 0x90) {
		ret->type = MAP;
		ret->n = first & 0x0f;
	} else if (first < 0xa0) {
		ret->type = ARRAY;
		ret->n = first & 0x0f;
	} else if (first < 0xc0) {
		ret->type = STR;
		ret->n = first & 0x1f;
	} else if (first >= 0xe0) {
		ret->type = PLAIN; /* -32 to -1 */
		ret->n = 0;
	} else {
		more = &wide[first - 0xc0];
		if (left(unpack) < more->width)
			return false;
		ret->type = more->type;
		ret->extra = more->extra;
		ret->n = 0;
		for (unsigned i = 0; i < more->width; i++)
			ret->n = ret->n << 8 | *unpack->p++;
	}
	return ret->type != NEVER;
}

bool
bind_unpack_map(struct bind_unpack *unpack, uint64_t *ret_pairs)
{
	struct bind_unpack at = *unpack;
	struct head head;

	/* A key and a value take a byte each at least. */
	if (!take_head(&at, &head) || head.type != MAP ||
	    head.n > left(&at) / 2)
		return false;
	*ret_pairs = head.n;
	*unpack = at;
	return true;
}

bool
bind_unpack_uint(struct bind_unpack *unpack, uint64_t *ret_value)
{
	struct bind_unpack at = *unpack;
	struct head head;
	size_t width;

	if (!take_head(&at, &head))
		return false;
	if (head.type == INT) {
		width = (size_t)(at.p - unpack->p) - 1;
		if ((head.n >> (8 * width - 1) & 1) != 0)
			return false; /* negative */
	} else if (head.type != UINT) {
		return false;
	}
	*ret_value = head.n;
	*unpack = at;
	return true;
}

static bool
take_string(
    struct bind_unpack *unpack, enum type type, struct wire_span *ret_bytes)
{
	struct bind_unpack at = *unpack;
	struct head head;

	if (!take_head(&at, &head) || head.type != type || head.n > left(&at))
		return false;
	*ret_bytes = (struct wire_span){at.p, (size_t)head.n};
	unpack->p = at.p + head.n;
	return true;
}

bool
bind_unpack_text(struct bind_unpack *unpack, struct wire_span *ret_text)
{
	const struct bind_unpack before = *unpack;
	struct wire_span text;

	if (!take_string(unpack, STR, &text))
		return false;
	if (wire_utf8_valid_prefix(text) != text.len) {
		*unpack = before;
		return false;
	}
	*ret_text = text;
	return true;
}

bool
bind_unpack_bytes(struct bind_unpack *unpack, struct wire_span *ret_bytes)
{
	return take_string(unpack, BIN, ret_bytes);
}

bool
bind_unpack_any(struct bind_unpack *unpack, struct wire_span *ret_value)
{
	struct bind_unpack at = *unpack;
	uint64_t due = 1; /* values that must still come */
	struct head head;

	while (due > 0) {
		/* Each of them takes a byte at least: this also keeps `due`
		 * from growing past what there is. */
		if (due > left(&at) || !take_head(&at, &head))
			return false;
		due--;
		if (head.type == ARRAY) {
			due += head.n;
		} else if (head.type == MAP) {
			due += 2 * head.n;
		} else {
			uint64_t body = head.extra;

			if (head.type == STR || head.type == BIN ||
			    head.type == EXT)
				body += head.n;
			if (body > left(&at))
				return false;
			at.p += body;
		}
	}
	*ret_value = (struct wire_span){unpack->p, (size_t)(at.p - unpack->p)};
	unpack->p = at.p;
	return true;
}
