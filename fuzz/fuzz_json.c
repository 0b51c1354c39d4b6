/*
 * Target: the scanner, the walk, the writer (wire/json.h, wire/json_out.h).
 *
 * The input is a document. Properties, against fuzz/model_json.h:
 *  - both accept it, or both refuse it with the same word at the same offset;
 *    as a value and as a frame, whose members are the model's, byte for byte;
 *  - the key table is too small exactly when more members are open at one time
 *    than it holds, and is left clear; neither its size nor the seed shows;
 *  - the walk gives the model's tokens with their texts, strings unescape to
 *    the model's bytes, and a plain integer is what its digits say;
 *  - the walk over any bytes stays inside them and ends;
 *  - what is walked and written again is accepted, has no newline, and comes
 *    out the same when that is done twice.
 */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "fuzz/model_json.h"
#include "wire/json.h"
#include "wire/json_out.h"

#define DEPTH	    64
#define MEMBERS_MAX 16

/* What a scan gave; members only of a frame. */
struct answer {
	enum wire_err err;
	size_t offset;
	struct wire_json_member members[MEMBERS_MAX];
	size_t count;
};

static void
scan(struct wire_span text, bool is_frame, size_t keys_max, uint64_t seed,
    struct answer *ret_answer)
{
	struct wire_json_scratch scratch;
	struct wire_errinfo info = {NULL, 0, 0};
	void *mem = malloc(wire_json_scratch_size(keys_max));
	enum wire_json_type type;

	FUZZ_REQUIRE(mem != NULL);
	wire_json_scratch_init(&scratch, mem, keys_max, seed);
	if (is_frame)
		ret_answer->err = wire_json_scan_object(text, DEPTH, &scratch,
		    ret_answer->members, MEMBERS_MAX, &ret_answer->count,
		    &info);
	else
		ret_answer->err =
		    wire_json_scan(text, DEPTH, &scratch, &type, &info);
	FUZZ_REQUIRE(
	    fuzz_is_zero(scratch.slots, scratch.slot_count * sizeof(uint32_t)));
	free(mem);
	FUZZ_REQUIRE(ret_answer->err == WIRE_OK || info.site != NULL);
	ret_answer->offset = info.offset;
}

/* --- against the model ---------------------------------------------------- */

static enum wire_json_type
type_of(enum wire_json_token token)
{
	switch (token) {
	case WIRE_TOK_NULL:
		return WIRE_JSON_NULL;
	case WIRE_TOK_FALSE:
		return WIRE_JSON_FALSE;
	case WIRE_TOK_TRUE:
		return WIRE_JSON_TRUE;
	case WIRE_TOK_NUMBER:
		return WIRE_JSON_NUMBER;
	case WIRE_TOK_STRING:
		return WIRE_JSON_STRING;
	case WIRE_TOK_ARRAY_BEGIN:
		return WIRE_JSON_ARRAY;
	case WIRE_TOK_OBJECT_BEGIN:
		return WIRE_JSON_OBJECT;
	case WIRE_TOK_END:
	case WIRE_TOK_KEY:
	case WIRE_TOK_ARRAY_END:
	case WIRE_TOK_OBJECT_END:
		break;
	}
	FUZZ_REQUIRE(!"a value begins with such a token");
	return WIRE_JSON_NULL;
}

/* The members of a frame: a key on level 1, and the token behind it. */
static void
check_members(struct wire_span text, const struct model_json *model,
    const struct answer *answer)
{
	size_t i, k = 0;

	for (i = 0; i < model->count; i++) {
		const struct model_token *key = &model->tokens[i];
		const struct model_token *value = key + 1;
		const struct wire_json_member *m = &answer->members[k];

		if (key->token != WIRE_TOK_KEY || key->depth != 1)
			continue;
		FUZZ_REQUIRE(k < answer->count);
		FUZZ_REQUIRE(m->key.p == text.p + key->begin);
		FUZZ_REQUIRE(m->key.len == key->len);
		FUZZ_REQUIRE(m->key_escaped ==
		    (memchr(m->key.p, '\\', m->key.len) != NULL));
		FUZZ_REQUIRE(m->value.p == text.p + value->whole_begin);
		FUZZ_REQUIRE(m->value.len == value->whole_len);
		FUZZ_REQUIRE(m->type == type_of(value->token));
		k++;
	}
	FUZZ_REQUIRE(k == answer->count);
}

/* A table that holds every name of the text: none takes less than 5 bytes. */
static size_t
enough(struct wire_span text)
{
	size_t keys_max = 16;

	while (keys_max < text.len / 5 + 1)
		keys_max *= 2;
	return keys_max;
}

static void
compare(struct wire_span text, bool is_frame)
{
	size_t max = enough(text), size;
	struct model_json model;
	struct answer answer;

	model_json(text, DEPTH, is_frame, MEMBERS_MAX, &model);
	FUZZ_REQUIRE(model.names_peak <= max);
	for (size = 16; size <= max; size *= 2) {
		scan(text, is_frame, size, size * 0x9d2c5680u, &answer);
		if (model.names_peak > size) {
			FUZZ_REQUIRE(answer.err == WIRE_ERR_NEED_SCRATCH);
			continue;
		}
		FUZZ_REQUIRE(answer.err == model.err);
		if (answer.err != WIRE_OK)
			FUZZ_REQUIRE(answer.offset == model.err_offset);
		else if (is_frame)
			check_members(text, &model, &answer);
	}
	model_json_release(&model);
}

/* --- the walk ------------------------------------------------------------- */

static void
check_number(struct wire_span number)
{
	uint64_t max = 1000000 + number.len, got = 0, want = 0;
	bool is_plain = number.len == 1 || number.p[0] != '0';
	size_t i;

	for (i = 0; i < number.len; i++) {
		is_plain = is_plain && strchr("0123456789", number.p[i]);
		if (want <= max)
			want = want * 10 + (uint64_t)(number.p[i] - '0');
	}
	is_plain = is_plain && want <= max;
	FUZZ_REQUIRE(wire_json_plain_uint(number, max, &got) == is_plain);
	FUZZ_REQUIRE(!is_plain || got == want);
	/* Without a ceiling of its own: as the library reads it. */
	if (is_plain && want > 0) {
		FUZZ_REQUIRE(!wire_json_plain_uint(number, want - 1, &got));
		FUZZ_REQUIRE(wire_json_plain_uint(number, UINT64_MAX, &got));
	}
}

static void
check_string(struct wire_span raw)
{
	uint8_t *want = malloc(raw.len + 1), *got = malloc(raw.len + 1);
	size_t want_len, len = SIZE_MAX;

	FUZZ_REQUIRE(want != NULL && got != NULL);
	want_len = model_unescape(raw, want);
	FUZZ_REQUIRE(wire_json_unescape(raw, got, want_len, &len) == WIRE_OK);
	FUZZ_REQUIRE(len == want_len && memcmp(want, got, len) == 0);
	if (want_len != 0)
		FUZZ_REQUIRE(wire_json_unescape(raw, got, want_len - 1, &len) ==
		    WIRE_ERR_NO_SPACE);
	FUZZ_REQUIRE(
	    wire_json_text_equal(raw, (struct wire_span){want, want_len}));
	want[want_len] = 'x';
	FUZZ_REQUIRE(
	    !wire_json_text_equal(raw, (struct wire_span){want, want_len + 1}));
	if (want_len != 0) {
		want[want_len / 2] ^= 1;
		FUZZ_REQUIRE(!wire_json_text_equal(
		    raw, (struct wire_span){want, want_len}));
	}
	free(want);
	free(got);
}

static void
check_walk(struct wire_span text)
{
	struct wire_json_cursor cursor;
	struct model_json model;
	struct wire_span part;
	enum wire_json_token token;
	size_t i;

	model_json(text, DEPTH, false, 0, &model);
	wire_json_cursor_init(&cursor, text);
	for (i = 0; i < model.count; i++) {
		const struct model_token *want = &model.tokens[i];

		token = wire_json_cursor_next(&cursor, &part);
		FUZZ_REQUIRE(token == want->token);
		if (token != WIRE_TOK_NUMBER && token != WIRE_TOK_STRING &&
		    token != WIRE_TOK_KEY)
			continue;
		FUZZ_REQUIRE(part.p == text.p + want->begin);
		FUZZ_REQUIRE(part.len == want->len);
		if (token == WIRE_TOK_NUMBER)
			check_number(part);
		else
			check_string(part);
	}
	FUZZ_REQUIRE(wire_json_cursor_next(&cursor, &part) == WIRE_TOK_END);
	model_json_release(&model);
}

/* It trusts a scan for its answers, not for its safety. Texts are whatever
 * they are, and unescaping never makes them longer. */
static void
check_any_walk(struct wire_span text)
{
	uint8_t *plain = malloc(text.len + 1);
	struct wire_json_cursor cursor;
	struct wire_span part;
	enum wire_json_token token;
	size_t steps = 0, len;

	FUZZ_REQUIRE(plain != NULL);
	wire_json_cursor_init(&cursor, text);
	while (
	    (token = wire_json_cursor_next(&cursor, &part)) != WIRE_TOK_END) {
		FUZZ_REQUIRE(++steps <= text.len);
		if (token != WIRE_TOK_NUMBER && token != WIRE_TOK_STRING &&
		    token != WIRE_TOK_KEY)
			continue;
		FUZZ_REQUIRE(part.p >= text.p && part.len <= text.len &&
		    part.p - text.p <= (ptrdiff_t)(text.len - part.len));
		FUZZ_REQUIRE(
		    wire_json_unescape(part, plain, part.len, &len) == WIRE_OK);
		FUZZ_REQUIRE(
		    wire_json_text_equal(part, (struct wire_span){plain, len}));
	}
	free(plain);
}

/* --- the writer ----------------------------------------------------------- */

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

/* Walks the text and writes it again at buf; *ret_text is what stands there.
 * Writing never grows a text. */
static void
rewrite(struct wire_span text, uint8_t *buf, struct wire_span *ret_text)
{
	uint8_t *plain = malloc(text.len + 1);
	struct wire_json_cursor cursor;
	enum wire_json_token token;
	struct wire_span part;
	struct wire_out out;

	FUZZ_REQUIRE(plain != NULL);
	wire_out_init(&out, buf, text.len);
	wire_json_cursor_init(&cursor, text);
	while ((token = wire_json_cursor_next(&cursor, &part)) != WIRE_TOK_END)
		write_token(&out, token, part, plain);
	ret_text->p = buf;
	FUZZ_REQUIRE(wire_out_finish(&out, &ret_text->len) == WIRE_OK);
	free(plain);
}

static void
check_rewriting(struct wire_span text)
{
	uint8_t *first = malloc(text.len), *second = malloc(text.len);
	struct wire_span once, twice;
	struct answer answer;

	FUZZ_REQUIRE(first != NULL && second != NULL);
	rewrite(text, first, &once);
	FUZZ_REQUIRE(memchr(once.p, '\n', once.len) == NULL);
	scan(once, false, enough(once), 2, &answer);
	FUZZ_REQUIRE(answer.err == WIRE_OK);
	rewrite(once, second, &twice);
	FUZZ_REQUIRE(wire_span_equal(once, twice));
	free(first);
	free(second);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wire_span text = {data, size};
	struct answer answer;

	compare(text, false);
	compare(text, true);
	check_any_walk(text);
	scan(text, false, enough(text), 7, &answer);
	if (answer.err == WIRE_OK) {
		check_walk(text);
		check_rewriting(text);
	}
	return 0;
}
