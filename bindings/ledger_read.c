#include "bindings/ledger_read.h"

#include <string.h>

#include "bindings/crc32c.h"

const char *
bind_ledger_fault_text(enum bind_ledger_fault fault)
{
	static const char *const texts[BIND_LEDGER_FAULT_COUNT] = {"",
#define X(name, text) text,
	    BIND_LEDGER_FAULTS(X)
#undef X
	};

	WIRE_BUG_IF((unsigned)fault >= BIND_LEDGER_FAULT_COUNT);
	return texts[fault];
}

void
bind_ledger_reader_init(struct bind_ledger_reader *reader)
{
	memset(reader, 0, sizeof(*reader));
	bind_ledger_first_hash(reader->hash);
}

static enum bind_ledger_read
stop(struct bind_ledger_reader *reader, enum bind_ledger_fault fault)
{
	reader->fault = fault;
	return BIND_LEDGER_ALTERED;
}

static uint32_t
le32(const uint8_t *from)
{
	return (uint32_t)from[0] | (uint32_t)from[1] << 8 |
	    (uint32_t)from[2] << 16 | (uint32_t)from[3] << 24;
}

static bool
is_zero(struct wire_span bytes)
{
	return bytes.len > 0 && bytes.p[0] == 0 &&
	    memcmp(bytes.p, bytes.p + 1, bytes.len - 1) == 0;
}

static enum bind_ledger_read
read_magic(struct bind_ledger_reader *reader, struct wire_span *bytes)
{
	size_t len = bytes->len < BIND_LEDGER_MAGIC_LEN ? bytes->len
							: BIND_LEDGER_MAGIC_LEN;

	/* The machine may have stopped before the first bytes were there. */
	if (bytes->len < BIND_LEDGER_FRAME_MAX && is_zero(*bytes))
		return BIND_LEDGER_MORE;
	if (len > 0 && memcmp(bytes->p, BIND_LEDGER_MAGIC, len) != 0)
		return stop(reader, BIND_LEDGER_FAULT_MAGIC);
	if (len < BIND_LEDGER_MAGIC_LEN)
		return BIND_LEDGER_MORE;
	reader->offset = len;
	bytes->p += len;
	bytes->len -= len;
	return BIND_LEDGER_RECORD;
}

enum bind_ledger_read
bind_ledger_read(struct bind_ledger_reader *reader, struct wire_span bytes,
    struct bind_ledger_item *ret_item)
{
	uint8_t hash[BIND_SHA256_LEN];
	struct wire_span payload;
	uint32_t length;

	if (reader->fault != BIND_LEDGER_NO_FAULT)
		return BIND_LEDGER_ALTERED;
	if (reader->offset == 0) {
		enum bind_ledger_read r = read_magic(reader, &bytes);

		if (r != BIND_LEDGER_RECORD)
			return r;
	}
	if (bytes.len < 8)
		return BIND_LEDGER_MORE;
	/* SECURITY: the length stands there twice, so a byte of it that was
	 * changed cannot make a record look like one that was not finished. */
	length = le32(bytes.p);
	if ((length ^ le32(bytes.p + 4)) != UINT32_MAX || length == 0 ||
	    length > BIND_LEDGER_PAYLOAD_MAX) {
		if (bytes.len < BIND_LEDGER_FRAME_MAX && is_zero(bytes))
			return BIND_LEDGER_MORE;
		return stop(reader, BIND_LEDGER_FAULT_LENGTH);
	}
	if (bytes.len < BIND_LEDGER_HEAD + (size_t)length)
		return BIND_LEDGER_MORE;
	payload = (struct wire_span){bytes.p + BIND_LEDGER_HEAD, length};
	if (bind_crc32c(0,
		(struct wire_span){bytes.p + 12,
		    BIND_SHA256_LEN + (size_t)length}) != le32(bytes.p + 8))
		return stop(reader, BIND_LEDGER_FAULT_CHECKSUM);
	memcpy(hash, reader->hash, sizeof(hash));
	bind_ledger_next_hash(hash, payload);
	if (memcmp(hash, bytes.p + 12, sizeof(hash)) != 0)
		return stop(reader, BIND_LEDGER_FAULT_CHAIN);
	if (bind_ledger_decode(payload, &ret_item->record, NULL) != WIRE_OK)
		return stop(reader, BIND_LEDGER_FAULT_CONTENT);
	ret_item->offset = reader->offset;
	ret_item->len = BIND_LEDGER_HEAD + (size_t)length;
	ret_item->payload = payload;
	reader->offset += ret_item->len;
	reader->records++;
	memcpy(reader->hash, hash, sizeof(hash));
	return BIND_LEDGER_RECORD;
}
