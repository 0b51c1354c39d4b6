/*
 * Target: the scanner, the walk, the writer. Properties: the size of the key
 * table and the seed do not show; the scratch is left clear; what is accepted,
 * walked and written again is accepted, has no newline, and comes out the same
 * when that is done twice.
 */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "wire/json.h"
#include "wire/json_out.h"

static enum wire_err
scan(struct wire_span text, size_t keys_max, uint64_t seed, size_t *ret_offset)
{
	struct wire_json_scratch scratch;
	struct wire_errinfo info = {NULL, 0, 0};
	void *mem = malloc(wire_json_scratch_size(keys_max));
	enum wire_json_type type;
	enum wire_err err;
	size_t i;

	FUZZ_REQUIRE(mem != NULL);
	wire_json_scratch_init(&scratch, mem, keys_max, seed);
	err = wire_json_scan(text, 64, &scratch, &type, &info);
	for (i = 0; i < scratch.slot_count; i++)
		FUZZ_REQUIRE(scratch.slots[i] == 0);
	free(mem);
	*ret_offset = info.offset;
	return err;
}

static void
write_token(struct wire_out *out, enum wire_json_token token,
    struct wire_span text, uint8_t *plain)
{
	size_t len = 0;

	if (token == WIRE_TOK_KEY || token == WIRE_TOK_STRING)
		FUZZ_REQUIRE(
		    wire_json_unescape(text, plain, text.len, &len) == WIRE_OK);
	if (token == WIRE_TOK_KEY)
		wire_out_key_span(out, (struct wire_span){plain, len});
	else if (token == WIRE_TOK_STRING)
		wire_out_string(out, (struct wire_span){plain, len});
	else if (token == WIRE_TOK_ARRAY_BEGIN)
		wire_out_begin_array(out);
	else if (token == WIRE_TOK_ARRAY_END)
		wire_out_end_array(out);
	else if (token == WIRE_TOK_OBJECT_BEGIN)
		wire_out_begin_object(out);
	else if (token == WIRE_TOK_OBJECT_END)
		wire_out_end_object(out);
	else if (token == WIRE_TOK_NUMBER)
		wire_out_raw(out, text);
	else if (token == WIRE_TOK_NULL)
		wire_out_null(out);
	else
		wire_out_bool(out, token == WIRE_TOK_TRUE);
}

/* Walks the text and writes it again; free() the result. */
static struct wire_span
rewrite(struct wire_span text)
{
	size_t max = text.len + 1, len;
	uint8_t *buf = malloc(max), *plain = malloc(max);
	struct wire_json_cursor cursor;
	enum wire_json_token token;
	struct wire_span part;
	struct wire_out out;

	FUZZ_REQUIRE(buf != NULL && plain != NULL);
	wire_out_init(&out, buf, max);
	wire_json_cursor_init(&cursor, text);
	while ((token = wire_json_cursor_next(&cursor, &part)) != WIRE_TOK_END)
		write_token(&out, token, part, plain);
	FUZZ_REQUIRE(wire_out_finish(&out, &len) == WIRE_OK);
	free(plain);
	return (struct wire_span){buf, len};
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wire_span text = {data, size}, once, twice;
	size_t offset, other, small;
	enum wire_err err, again;

	err = scan(text, 256, 1, &offset);
	again = scan(text, 256, 0x9d2c5680u, &other);
	FUZZ_REQUIRE(err == again && offset == other);
	for (small = 16; small < 256; small *= 2) {
		again = scan(text, small, 7, &other);
		if (again != WIRE_ERR_NEED_SCRATCH)
			FUZZ_REQUIRE(err == again && offset == other);
	}
	if (err != WIRE_OK)
		return 0;
	once = rewrite(text);
	FUZZ_REQUIRE(memchr(once.p, '\n', once.len) == NULL);
	FUZZ_REQUIRE(scan(once, 256, 2, &other) == WIRE_OK);
	twice = rewrite(once);
	FUZZ_REQUIRE(wire_span_equal(once, twice));
	free((void *)(uintptr_t)once.p);
	free((void *)(uintptr_t)twice.p);
	return 0;
}
