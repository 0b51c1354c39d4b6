#include "bindings/ledger_format.h"

#include <string.h>

#include <msgpack/pack.h>

#include "bindings/crc32c.h"
#include "bindings/unpack.h"
#include "wire/utf8.h"

static const struct bind_ledger_field_spec fields[] = {
#define X(name, word, type, max)                                               \
	[BIND_LEDGER_F_##name] = {word, BIND_LEDGER_##type, max},
    BIND_LEDGER_FIELDS(X)
#undef X
};

_Static_assert(BIND_LEDGER_FIELD_COUNT <= 32, "a set of fields is 32 bits");

/* What each event must have, and what it may have. */
#define B(field)     BIND_LEDGER_BIT(field)
#define OF_EXECUTION (B(TIME) | B(EXECUTION))
#define OF_CALL	     (OF_EXECUTION | B(CALL) | B(TOOL))
#define OF_END	     (OF_CALL | B(RESULT_BYTES) | B(TOOL_NS))

static const struct event_spec {
	uint32_t must, may;
} events[BIND_LEDGER_EVENT_COUNT] = {
    [BIND_LEDGER_NO_EVENT] = {0, 0},
    [BIND_LEDGER_OPENED] = {OF_EXECUTION | B(LEVEL) | B(GRADES) | B(KERNEL) |
	    B(LANDLOCK) | B(INTERPRETER) | B(VERSION) | B(PROGRAM_BYTES) |
	    B(PROGRAM_HASH) | B(TERMS) | B(TERMS_HASH),
	B(RUN)},
    [BIND_LEDGER_STARTED] = {OF_CALL | B(ARGUMENT_BYTES),
	B(ARGUMENT_HASH) | B(ARGUMENTS)},
    [BIND_LEDGER_REFUSED] = {OF_CALL | B(ARGUMENT_BYTES) | B(KIND),
	B(ARGUMENT_HASH) | B(ARGUMENTS)},
    [BIND_LEDGER_COMPLETED] = {OF_END, B(RESULT_HASH) | B(RESULT)},
    [BIND_LEDGER_FAILED] = {OF_END | B(KIND), 0},
    [BIND_LEDGER_UNKNOWN] = {OF_END | B(KIND), 0},
    [BIND_LEDGER_CLOSED] = {OF_EXECUTION | B(OUTCOME) | B(USAGE),
	B(EXIT) | B(SIGNAL)},
    [BIND_LEDGER_REPAIRED] = {B(TIME) | B(OFFSET) | B(LENGTH), B(EXECUTION)},
};

const char *
bind_ledger_event_word(enum bind_ledger_event event)
{
	static const char *const words[BIND_LEDGER_EVENT_COUNT] = {"",
#define X(name, word) word,
	    BIND_LEDGER_EVENTS(X)
#undef X
	};

	WIRE_BUG_IF((unsigned)event >= BIND_LEDGER_EVENT_COUNT);
	return words[event];
}

const struct bind_ledger_field_spec *
bind_ledger_field_spec(enum bind_ledger_field field)
{
	WIRE_BUG_IF((unsigned)field >= BIND_LEDGER_FIELD_COUNT);
	return &fields[field];
}

static bool
is_number(enum bind_ledger_type type)
{
	return type == BIND_LEDGER_NUMBER || type == BIND_LEDGER_TIME;
}

/* --- making a record ------------------------------------------------------ */

void
bind_ledger_record_init(
    struct bind_ledger_record *record, enum bind_ledger_event event)
{
	record->event = event;
	record->has = 0;
}

void
bind_ledger_set_number(struct bind_ledger_record *record,
    enum bind_ledger_field field, uint64_t number)
{
	WIRE_BUG_IF(!is_number(bind_ledger_field_spec(field)->type));
	record->value[field].number = number;
	record->has |= UINT32_C(1) << field;
}

void
bind_ledger_set_bytes(struct bind_ledger_record *record,
    enum bind_ledger_field field, struct wire_span bytes)
{
	WIRE_BUG_IF(is_number(bind_ledger_field_spec(field)->type));
	record->value[field].bytes = bytes;
	record->has |= UINT32_C(1) << field;
}

/* --- packing -------------------------------------------------------------- */

struct sink {
	uint8_t *buf;
	size_t max, len;
};

/* msgpack-c hands over what it has packed. Anything but 0 makes it stop. */
static int
take(void *arg, const char *bytes, size_t len)
{
	struct sink *sink = arg;

	if (len > sink->max - sink->len)
		return -1;
	if (len > 0)
		memcpy(sink->buf + sink->len, bytes, len);
	sink->len += len;
	return 0;
}

static int
put_text(msgpack_packer *packer, struct wire_span text)
{
	int r = msgpack_pack_str(packer, text.len);

	return r != 0 ? r : msgpack_pack_str_body(packer, text.p, text.len);
}

static int
put_bytes(msgpack_packer *packer, struct wire_span bytes)
{
	int r = msgpack_pack_bin(packer, bytes.len);

	return r != 0 ? r : msgpack_pack_bin_body(packer, bytes.p, bytes.len);
}

enum wire_err
bind_ledger_pack_pairs(enum bind_ledger_type type,
    const struct bind_ledger_pair *pairs, size_t count, uint8_t *buf,
    size_t buf_max, struct wire_span *ret_bytes)
{
	struct sink sink = {buf, buf_max, 0};
	msgpack_packer packer;
	int r;

	if (count > BIND_LEDGER_PAIRS)
		return WIRE_ERR_BAD_ARGUMENT;
	msgpack_packer_init(&packer, &sink, take);
	r = msgpack_pack_map(&packer, count);
	for (size_t i = 0; r == 0 && i < count; i++) {
		if (pairs[i].name.len > BIND_LEDGER_NAME_MAX ||
		    (type == BIND_LEDGER_WORDS &&
			pairs[i].word.len > BIND_LEDGER_WORD_MAX))
			return WIRE_ERR_BAD_ARGUMENT;
		r = put_text(&packer, pairs[i].name);
		if (r == 0)
			r = type == BIND_LEDGER_WORDS
			    ? put_text(&packer, pairs[i].word)
			    : msgpack_pack_uint64(&packer, pairs[i].number);
	}
	if (r != 0)
		return WIRE_ERR_NO_SPACE;
	*ret_bytes = (struct wire_span){buf, sink.len};
	return WIRE_OK;
}

static int
put_value(msgpack_packer *packer, struct sink *sink, enum bind_ledger_type type,
    const struct bind_ledger_value *value)
{
	switch (type) {
	case BIND_LEDGER_NUMBER:
	case BIND_LEDGER_TIME:
		return msgpack_pack_uint64(packer, value->number);
	case BIND_LEDGER_TEXT:
	case BIND_LEDGER_JSON:
		return put_text(packer, value->bytes);
	case BIND_LEDGER_PATH:
	case BIND_LEDGER_HASH:
		return put_bytes(packer, value->bytes);
	case BIND_LEDGER_NUMBERS:
	case BIND_LEDGER_WORDS:
		break;
	}
	/* Packed already. */
	return take(sink, (const char *)value->bytes.p, value->bytes.len);
}

static bool check_value(const struct bind_ledger_field_spec *spec,
    const struct bind_ledger_value *value);

static enum wire_err
check_record(const struct bind_ledger_record *record, enum wire_err err,
    struct wire_errinfo *info)
{
	const struct event_spec *spec = &events[record->event];
	uint32_t wrong = (spec->must & ~record->has) |
	    (record->has & ~(spec->must | spec->may));

	for (unsigned i = 0; i < BIND_LEDGER_FIELD_COUNT; i++) {
		bool has = (record->has >> i & 1) != 0;

		if ((wrong >> i & 1) != 0 ||
		    (has && !check_value(&fields[i], &record->value[i])))
			return wire_fail(info, err, fields[i].word, 0);
	}
	return WIRE_OK;
}

static void
put_le32(uint8_t *to, uint32_t value)
{
	for (unsigned i = 0; i < 4; i++)
		to[i] = (uint8_t)(value >> 8 * i);
}

enum wire_err
bind_ledger_encode(const struct bind_ledger_record *record,
    uint8_t hash[BIND_SHA256_LEN], uint8_t *buf, size_t *ret_len,
    struct wire_errinfo *info)
{
	struct sink sink = {buf + BIND_LEDGER_HEAD, BIND_LEDGER_PAYLOAD_MAX, 0};
	msgpack_packer packer;
	enum wire_err err;
	int r;

	WIRE_BUG_IF(record->event == BIND_LEDGER_NO_EVENT);
	err = check_record(record, WIRE_ERR_BAD_ARGUMENT, info);
	if (err != WIRE_OK)
		return err;
	msgpack_packer_init(&packer, &sink, take);
	r = msgpack_pack_map(
	    &packer, (size_t)__builtin_popcount(record->has) + 1);
	if (r == 0)
		r = msgpack_pack_uint64(&packer, BIND_LEDGER_F_EVENT);
	if (r == 0)
		r = msgpack_pack_uint64(&packer, (unsigned)record->event);
	for (unsigned i = 0; r == 0 && i < BIND_LEDGER_FIELD_COUNT; i++) {
		if ((record->has >> i & 1) == 0)
			continue;
		r = msgpack_pack_uint64(&packer, i);
		if (r == 0)
			r = put_value(
			    &packer, &sink, fields[i].type, &record->value[i]);
	}
	if (r != 0)
		return wire_fail(info, WIRE_ERR_NO_SPACE, "payload", 0);
	bind_ledger_next_hash(
	    hash, (struct wire_span){buf + BIND_LEDGER_HEAD, sink.len});
	put_le32(buf, (uint32_t)sink.len);
	put_le32(buf + 4, ~(uint32_t)sink.len);
	memcpy(buf + 12, hash, BIND_SHA256_LEN);
	put_le32(buf + 8,
	    bind_crc32c(
		0, (struct wire_span){buf + 12, BIND_SHA256_LEN + sink.len}));
	*ret_len = BIND_LEDGER_HEAD + sink.len;
	return WIRE_OK;
}

/* --- unpacking ------------------------------------------------------------ */

static bool
take_pair(struct bind_unpack *unpack, enum bind_ledger_type type,
    struct bind_ledger_pair *ret_pair)
{
	struct bind_ledger_pair pair = {{NULL, 0}, 0, {NULL, 0}};

	if (!bind_unpack_text(unpack, &pair.name) ||
	    pair.name.len > BIND_LEDGER_NAME_MAX)
		return false;
	if (type == BIND_LEDGER_NUMBERS) {
		if (!bind_unpack_uint(unpack, &pair.number))
			return false;
	} else if (!bind_unpack_text(unpack, &pair.word) ||
	    pair.word.len > BIND_LEDGER_WORD_MAX) {
		return false;
	}
	*ret_pair = pair;
	return true;
}

bool
bind_ledger_next_pair(enum bind_ledger_type type, struct wire_span pairs,
    size_t *cursor, struct bind_ledger_pair *ret_pair)
{
	struct bind_unpack unpack;
	uint64_t count;

	bind_unpack_init(&unpack, pairs);
	if (*cursor > 0)
		unpack.p += *cursor;
	else if (!bind_unpack_map(&unpack, &count))
		return false;
	if (!take_pair(&unpack, type, ret_pair))
		return false;
	*cursor = (size_t)(unpack.p - pairs.p);
	return true;
}

/* Whether a name stands among the first pairs already: there are few. */
static bool
is_repeated(enum bind_ledger_type type, struct wire_span pairs, uint64_t before,
    struct wire_span name)
{
	struct bind_ledger_pair pair;
	size_t cursor = 0;

	for (; before > 0; before--)
		if (bind_ledger_next_pair(type, pairs, &cursor, &pair) &&
		    wire_span_equal(pair.name, name))
			return true;
	return false;
}

static bool
check_pairs(enum bind_ledger_type type, struct wire_span bytes)
{
	struct bind_ledger_pair pair;
	struct bind_unpack unpack;
	uint64_t count;

	bind_unpack_init(&unpack, bytes);
	if (!bind_unpack_map(&unpack, &count) || count > BIND_LEDGER_PAIRS)
		return false;
	for (uint64_t i = 0; i < count; i++)
		if (!take_pair(&unpack, type, &pair) ||
		    is_repeated(type, bytes, i, pair.name))
			return false;
	return bind_unpack_is_empty(&unpack);
}

static bool
check_value(const struct bind_ledger_field_spec *spec,
    const struct bind_ledger_value *value)
{
	struct wire_span bytes = value->bytes;

	switch (spec->type) {
	case BIND_LEDGER_NUMBER:
	case BIND_LEDGER_TIME:
		return true;
	case BIND_LEDGER_TEXT:
	case BIND_LEDGER_JSON:
		return bytes.len <= spec->max &&
		    wire_utf8_valid_prefix(bytes) == bytes.len;
	case BIND_LEDGER_PATH:
		return bytes.len <= spec->max;
	case BIND_LEDGER_HASH:
		return bytes.len == spec->max;
	case BIND_LEDGER_NUMBERS:
	case BIND_LEDGER_WORDS:
		return check_pairs(spec->type, bytes);
	}
	return false;
}

static bool
take_value(struct bind_unpack *unpack, enum bind_ledger_type type,
    struct bind_ledger_value *ret_value)
{
	switch (type) {
	case BIND_LEDGER_NUMBER:
	case BIND_LEDGER_TIME:
		return bind_unpack_uint(unpack, &ret_value->number);
	case BIND_LEDGER_TEXT:
	case BIND_LEDGER_JSON:
		return bind_unpack_text(unpack, &ret_value->bytes);
	case BIND_LEDGER_PATH:
	case BIND_LEDGER_HASH:
		return bind_unpack_bytes(unpack, &ret_value->bytes);
	case BIND_LEDGER_NUMBERS:
	case BIND_LEDGER_WORDS:
		break;
	}
	return bind_unpack_any(unpack, &ret_value->bytes);
}

enum wire_err
bind_ledger_decode(struct wire_span payload,
    struct bind_ledger_record *ret_record, struct wire_errinfo *info)
{
	struct bind_unpack unpack;
	struct wire_span skipped;
	uint64_t pairs, key, event, next = 1;

	bind_unpack_init(&unpack, payload);
	if (!bind_unpack_map(&unpack, &pairs) || pairs == 0 ||
	    !bind_unpack_uint(&unpack, &key) || key != BIND_LEDGER_F_EVENT ||
	    !bind_unpack_uint(&unpack, &event) || event == 0 ||
	    event >= BIND_LEDGER_EVENT_COUNT)
		return wire_fail(info, WIRE_ERR_BAD_FIELD, "event", 0);
	bind_ledger_record_init(ret_record, (enum bind_ledger_event)event);
	for (; pairs > 1; pairs--) {
		/* Ascending: none comes twice. */
		if (!bind_unpack_uint(&unpack, &key) || key < next)
			return wire_fail(info, WIRE_ERR_BAD_SYNTAX, "key", 0);
		if (key >= BIND_LEDGER_FIELD_COUNT) {
			/* A later version's; there are 2^64 - 1 at most. */
			next = key == UINT64_MAX ? key : key + 1;
			if (!bind_unpack_any(&unpack, &skipped))
				return wire_fail(
				    info, WIRE_ERR_BAD_SYNTAX, "value", 0);
			continue;
		}
		next = key + 1;
		if (!take_value(
			&unpack, fields[key].type, &ret_record->value[key]))
			return wire_fail(
			    info, WIRE_ERR_BAD_FIELD, fields[key].word, 0);
		ret_record->has |= UINT32_C(1) << key;
	}
	if (!bind_unpack_is_empty(&unpack))
		return wire_fail(info, WIRE_ERR_BAD_SYNTAX, "end", 0);
	return check_record(ret_record, WIRE_ERR_BAD_FIELD, info);
}

/* --- the chain ------------------------------------------------------------ */

void
bind_ledger_first_hash(uint8_t ret_hash[BIND_SHA256_LEN])
{
	struct bind_sha256 sha;

	bind_sha256_init(&sha);
	bind_sha256_add(&sha,
	    (struct wire_span){
		(const uint8_t *)BIND_LEDGER_MAGIC, BIND_LEDGER_MAGIC_LEN});
	bind_sha256_finish(&sha, ret_hash);
}

void
bind_ledger_next_hash(uint8_t hash[BIND_SHA256_LEN], struct wire_span payload)
{
	struct bind_sha256 sha;

	bind_sha256_init(&sha);
	bind_sha256_add(&sha, (struct wire_span){hash, BIND_SHA256_LEN});
	bind_sha256_add(&sha, payload);
	bind_sha256_finish(&sha, hash);
}
