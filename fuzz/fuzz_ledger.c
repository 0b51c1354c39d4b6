/*
 * Ledgers: files, frames and records (bindings/ledger_read.h, ledger_format.h,
 * ledger_fold.h, unpack.h), and how they are shown (supervisor/log_line.h).
 *
 * The first byte of an input chooses:
 *  f  the rest is a file. It reads as a second reader reads it, which sums and
 *     hashes by other means; any cut into pieces gives the same.
 *  p  the rest is a payload. It is a record exactly when the model says so;
 *     what was read is written and read again as the same; shown as JSON it is
 *     one line that is JSON, as a row one line without control characters.
 *  r  the rest, in pieces, are payloads: those that are records are framed and
 *     make a file. All of it reads; every prefix reads, and is never altered; a
 *     byte that is changed is found in the frame where it is; the open calls
 *     are those of a plain list.
 *
 * The model of a record is the tables of LEDGER.md and recursive descent.
 */
#include "fuzz.h"

#include <sha2.h>
#include <stdlib.h>
#include <string.h>

#include "bindings/ledger_fold.h"
#include "bindings/ledger_read.h"
#include "model_ledger.h"
#include "supervisor/log_line.h"

#define HEAD	    44
#define PAYLOAD_MAX 65536
#define MAGIC	    "weir ledger 1\r\n\0"

static void
check_record(struct wire_span payload, const struct bind_ledger_record *record,
    const struct model_value fields[MODEL_FIELDS])
{
	FUZZ_REQUIRE((uint64_t)record->event == fields[0].n);
	for (unsigned i = 1; i < MODEL_FIELDS; i++) {
		FUZZ_REQUIRE(
		    (record->has >> i & 1) == (fields[i].type != MODEL_NONE));
		if (fields[i].type == MODEL_UINT)
			FUZZ_REQUIRE(record->value[i].number == fields[i].n);
		else if (fields[i].type != MODEL_NONE)
			FUZZ_REQUIRE(wire_span_equal(
			    record->value[i].bytes, fields[i].bytes));
	}
	(void)payload;
}

/* --- one payload ---------------------------------------------------------- */

static void
check_shown(const struct bind_ledger_record *record)
{
	static uint8_t line[SUP_LOG_JSON_MAX], row[SUP_LOG_ROW_MAX];
	struct bind_ledger_item item = {.record = *record};
	struct bind_json_check check;
	struct bind_text text;
	size_t len = 0;

	bind_json_check_init(&check, 1);
	FUZZ_REQUIRE(sup_log_json(&item, (const uint8_t *)MAGIC MAGIC, &check,
			 line, sizeof(line), &len) == WIRE_OK);
	FUZZ_REQUIRE(memchr(line, '\n', len) == line + len - 1);
	FUZZ_REQUIRE(bind_json_check_value(&check,
			 (struct wire_span){line, len - 1}, NULL) == WIRE_OK);
	bind_json_check_release(&check);
	bind_text_init(&text, row, sizeof(row));
	sup_log_row(&item, &text);
	FUZZ_REQUIRE(text.len > 0 && row[text.len - 1] == '\n');
	for (size_t i = 0; i + 1 < text.len; i++)
		FUZZ_REQUIRE(row[i] >= 0x20 && row[i] != 0x7f);
}

static void
check_payload(struct wire_span payload)
{
	static uint8_t frame[BIND_LEDGER_FRAME_MAX];
	uint8_t hash[BIND_SHA256_LEN] = {0};
	struct bind_ledger_record record;
	struct model_value fields[MODEL_FIELDS], again[MODEL_FIELDS];
	struct wire_errinfo info = {NULL, 0, 0};
	enum wire_err err = bind_ledger_decode(payload, &record, &info);
	size_t len = 0;

	FUZZ_REQUIRE((err == WIRE_OK) == model_record(payload, fields));
	if (err != WIRE_OK) {
		FUZZ_REQUIRE(info.site != NULL);
		return;
	}
	check_record(payload, &record, fields);
	FUZZ_REQUIRE(
	    bind_ledger_encode(&record, hash, frame, &len, NULL) == WIRE_OK);
	/* What it does not know is gone, the rest is there. */
	FUZZ_REQUIRE(len - HEAD <= payload.len);
	FUZZ_REQUIRE(
	    model_record((struct wire_span){frame + HEAD, len - HEAD}, again));
	for (unsigned i = 0; i < MODEL_FIELDS; i++)
		FUZZ_REQUIRE(again[i].type == fields[i].type &&
		    again[i].n == fields[i].n &&
		    wire_span_equal(again[i].bytes, fields[i].bytes));
	check_shown(&record);
}

/* --- files ---------------------------------------------------------------- */

static uint32_t
slow_crc(struct wire_span bytes)
{
	uint32_t crc = UINT32_MAX;

	for (size_t i = 0; i < bytes.len; i++) {
		crc ^= bytes.p[i];
		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78 : 0);
	}
	return ~crc;
}

static void
slow_hash(uint8_t hash[32], const void *bytes, size_t len, bool first)
{
	SHA2_CTX sha;

	SHA256Init(&sha);
	if (!first)
		SHA256Update(&sha, hash, 32);
	SHA256Update(&sha, bytes, len);
	SHA256Final(hash, &sha);
}

static uint32_t
little_endian(const uint8_t *p)
{
	return (uint32_t)p[0] + 256u * p[1] + 65536u * p[2] + 16777216u * p[3];
}

/* Where the file ends, after how many records, and whether it is altered. */
struct ending {
	size_t offset, records;
	bool altered;
	uint8_t hash[32];
};

static void
model_file(struct wire_span file, struct ending *end)
{
	struct model_value fields[MODEL_FIELDS];
	size_t part = file.len < 16 ? file.len : 16;

	memset(end, 0, sizeof(*end));
	slow_hash(end->hash, MAGIC, 16, true);
	if (fuzz_is_zero(file.p, file.len) && file.len < HEAD + PAYLOAD_MAX)
		return;
	end->altered = part > 0 && memcmp(file.p, MAGIC, part) != 0;
	if (end->altered || part < 16)
		return;
	end->offset = 16;
	while (!end->altered && file.len - end->offset >= 8) {
		const uint8_t *at = file.p + end->offset;
		size_t left = file.len - end->offset;
		uint32_t len = little_endian(at);
		uint8_t hash[32];

		if (fuzz_is_zero(at, left) && left < HEAD + PAYLOAD_MAX)
			return;
		end->altered = len == 0 || len > PAYLOAD_MAX ||
		    little_endian(at + 4) != ~len;
		if (end->altered || left < HEAD + len)
			return;
		memcpy(hash, end->hash, 32);
		slow_hash(hash, at + HEAD, len, false);
		end->altered = memcmp(hash, at + 12, 32) != 0 ||
		    slow_crc((struct wire_span){at + 12, 32 + len}) !=
			little_endian(at + 8) ||
		    !model_record((struct wire_span){at + HEAD, len}, fields);
		if (end->altered)
			return;
		memcpy(end->hash, hash, 32);
		end->offset += HEAD + len;
		end->records++;
	}
}

/* Reads a file as far as it goes, `piece` more bytes at a time; 0: at once. */
static void
read_file(struct wire_span file, size_t piece, struct ending *end)
{
	struct bind_ledger_reader reader;
	struct bind_ledger_item item;
	enum bind_ledger_read r = BIND_LEDGER_MORE;
	size_t have = piece == 0 ? file.len : 0;

	bind_ledger_reader_init(&reader);
	for (;;) {
		do {
			r = bind_ledger_read(&reader,
			    (struct wire_span){file.p + reader.offset,
				have - (size_t)reader.offset},
			    &item);
			FUZZ_REQUIRE(reader.offset <= have);
		} while (r == BIND_LEDGER_RECORD);
		if (r == BIND_LEDGER_ALTERED || have == file.len)
			break;
		have += file.len - have < piece ? file.len - have : piece;
	}
	FUZZ_REQUIRE((reader.fault != BIND_LEDGER_NO_FAULT) ==
	    (r == BIND_LEDGER_ALTERED));
	end->offset = (size_t)reader.offset;
	end->records = (size_t)reader.records;
	end->altered = r == BIND_LEDGER_ALTERED;
	memcpy(end->hash, reader.hash, 32);
}

static void
check_same(const struct ending *a, const struct ending *b)
{
	FUZZ_REQUIRE(a->altered == b->altered);
	FUZZ_REQUIRE(a->records == b->records);
	FUZZ_REQUIRE(a->offset == b->offset);
	FUZZ_REQUIRE(memcmp(a->hash, b->hash, 32) == 0);
}

static void
check_file(struct wire_span file)
{
	static const size_t pieces[] = {0, 1, 7, 50};
	struct ending expected, got;

	model_file(file, &expected);
	for (size_t i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
		read_file(file, pieces[i], &got);
		check_same(&got, &expected);
	}
}

/* --- a file of records ---------------------------------------------------- */

#define FILE_MAX  16384
#define CALLS_MAX 64

struct built {
	uint8_t bytes[FILE_MAX];
	size_t len;
	size_t ends[CALLS_MAX];
	size_t count;
};

static void
put_le(uint8_t *to, uint32_t n)
{
	for (int i = 0; i < 4; i++, n /= 256)
		to[i] = (uint8_t)n;
}

/* Pieces: two bytes of length, and a payload. */
static void
build(struct wire_span in, struct built *file)
{
	struct model_value fields[MODEL_FIELDS];
	uint8_t hash[32];

	memcpy(file->bytes, MAGIC, 16);
	file->len = 16;
	file->count = 0;
	slow_hash(hash, MAGIC, 16, true);
	while (in.len > 0 && file->count < CALLS_MAX) {
		struct wire_span payload =
		    fuzz_bytes(&in, (size_t)fuzz_uint(&in, 2));
		uint8_t *at = file->bytes + file->len;

		if (payload.len + HEAD > FILE_MAX - file->len)
			return;
		if (!model_record(payload, fields))
			continue;
		slow_hash(hash, payload.p, payload.len, false);
		put_le(at, (uint32_t)payload.len);
		put_le(at + 4, ~(uint32_t)payload.len);
		memcpy(at + 12, hash, 32);
		memcpy(at + HEAD, payload.p, payload.len);
		put_le(at + 8,
		    slow_crc((struct wire_span){at + 12, 32 + payload.len}));
		file->len += HEAD + payload.len;
		file->ends[file->count++] = file->len;
	}
}

/* What calls are open, by a list. */
static void
check_calls(const struct built *file)
{
	struct bind_ledger_call memory[4 * CALLS_MAX];
	struct bind_ledger_calls calls;
	struct wire_span open[CALLS_MAX];
	uint64_t ids[CALLS_MAX];
	size_t count = 0, cursor = 0, seen = 0;

	bind_ledger_calls_init(&calls, 7, memory, 4 * CALLS_MAX);
	for (size_t i = 0; i < file->count; i++) {
		size_t start = i == 0 ? 16 : file->ends[i - 1];
		struct wire_span payload = {
		    file->bytes + start + HEAD, file->ends[i] - start - HEAD};
		struct bind_ledger_record record;
		struct model_value fields[MODEL_FIELDS];
		enum wire_err err;
		size_t at = 0;

		FUZZ_REQUIRE(model_record(payload, fields));
		FUZZ_REQUIRE(
		    bind_ledger_decode(payload, &record, NULL) == WIRE_OK);
		err = bind_ledger_calls_add(&calls, &record, start);
		while (at < count &&
		    (ids[at] != fields[3].n ||
			!wire_span_equal(open[at], fields[2].bytes)))
			at++;
		if (fields[0].n == 2) {
			FUZZ_REQUIRE((err == WIRE_OK) == (at == count));
			if (at == count) {
				open[count] = fields[2].bytes;
				ids[count++] = fields[3].n;
			}
		} else if (fields[0].n >= 4 && fields[0].n <= 6) {
			FUZZ_REQUIRE((err == WIRE_OK) == (at < count));
			if (at < count) {
				count--;
				open[at] = open[count];
				ids[at] = ids[count];
			}
		} else {
			FUZZ_REQUIRE(err == WIRE_OK);
		}
	}
	while (bind_ledger_calls_next(&calls, &cursor) != NULL)
		seen++;
	FUZZ_REQUIRE(seen == count);
}

static void
check_built(struct wire_span in)
{
	static struct built file;
	uint64_t choice = fuzz_uint(&in, 4);
	uint8_t change = fuzz_byte(&in);
	struct ending end;
	size_t at, whole = 0;

	build(in, &file);
	read_file((struct wire_span){file.bytes, file.len}, 0, &end);
	FUZZ_REQUIRE(!end.altered && end.offset == file.len);
	FUZZ_REQUIRE(end.records == file.count);
	check_calls(&file);
	at = (size_t)(choice % file.len);
	read_file((struct wire_span){file.bytes, at}, 0, &end);
	while (whole < file.count && file.ends[whole] <= at)
		whole++;
	FUZZ_REQUIRE(!end.altered && end.records == whole);
	if (change == 0)
		return;
	file.bytes[at] ^= change;
	read_file((struct wire_span){file.bytes, file.len}, 0, &end);
	FUZZ_REQUIRE(end.altered && end.records == whole);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wire_span in = {data, size};

	switch (fuzz_byte(&in)) {
	case 'f':
		check_file(in);
		break;
	case 'p':
		check_payload(in);
		break;
	case 'r':
		check_built(in);
		break;
	default:
		break;
	}
	return 0;
}
