/*
 * Target: characters and the bounded writer (wire/utf8.h, wire/json_out.h).
 *
 * The first byte chooses. Properties, against fuzz/model_json.h:
 *  - of any bytes, the well-formed prefix, each step over a character or the
 *    maximal part of one, and where a cut falls between characters;
 *  - any bytes as a string come out as JSON text that reads back as the same
 *    characters, U+FFFD for each ill-formed part, cut before what would pass
 *    the maximum; UTF-8 comes back as it was, and anything else latches;
 *  - whatever is written in whatever order: either the document is accepted by
 *    the model and holds no newline but the last byte, or an error has latched,
 *    and it has latched where the order was wrong;
 *  - a buffer one byte too small is no_space, and nothing is written past it.
 */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "fuzz/model_json.h"
#include "wire/json_out.h"
#include "wire/utf8.h"

/* --- characters ----------------------------------------------------------- */

/* Whether the first k bytes at `at` begin some well-formed character: a
 * continuation that fits all of them ends it. */
static bool
begins_character(struct wire_span text, size_t at, size_t k)
{
	static const uint8_t fills[] = {0x80, 0xbf};
	uint8_t whole[4];
	size_t i;

	for (i = 0; i < 2; i++) {
		memset(whole, fills[i], sizeof(whole));
		memcpy(whole, text.p + at, k);
		if (model_utf8((struct wire_span){whole, 4}, 0) > k)
			return true;
	}
	return false;
}

/* Bytes of the character, or of the maximal part of one (Unicode 15, 3.9). */
static size_t
model_step(struct wire_span text, size_t at, bool *ret_ok)
{
	size_t len = model_utf8(text, at), k, left = text.len - at;

	*ret_ok = len != 0;
	if (len != 0)
		return len;
	for (k = left < 3 ? left : 3; k > 1; k--)
		if (begins_character(text, at, k))
			return k;
	return 1;
}

static void
check_characters(struct wire_span text)
{
	size_t at, step, cut, valid = 0;
	bool ok, want, prefix = true;

	for (at = 0; at < text.len; at += step) {
		struct wire_span rest = {text.p + at, text.len - at};

		step = model_step(text, at, &want);
		FUZZ_REQUIRE(wire_utf8_step(rest, &ok) == step && ok == want);
		prefix = prefix && want;
		valid += prefix ? step : 0;
		for (cut = at; cut < at + step; cut++) {
			bool inside = want && cut > at;

			FUZZ_REQUIRE(
			    wire_utf8_floor(text, cut) == (inside ? at : cut));
			FUZZ_REQUIRE(wire_utf8_ceil(text, cut) ==
			    (inside ? at + step : cut));
		}
	}
	FUZZ_REQUIRE(wire_utf8_valid_prefix(text) == valid);
	for (cut = text.len; cut < text.len + 2; cut++)
		FUZZ_REQUIRE(wire_utf8_floor(text, cut) == text.len &&
		    wire_utf8_ceil(text, cut) == text.len);
}

/* --- strings -------------------------------------------------------------- */

/* One character as it stands in JSON text; its length. */
static size_t
spell(const uint8_t *p, size_t len, bool ok, char out[8])
{
	static const char from[] = "\"\\\b\f\n\r\t", to[] = "\"\\bfnrt";
	const char *found;

	if (!ok)
		return (size_t)snprintf(out, 8, "\xef\xbf\xbd");
	found = *p != 0 ? strchr(from, *p) : NULL;
	if (found != NULL)
		return (size_t)snprintf(out, 8, "\\%c", to[found - from]);
	if (*p < 0x20)
		return (size_t)snprintf(out, 8, "\\u%04x", *p);
	memcpy(out, p, len);
	return len;
}

/* What a string of the bytes is, quotes and all; free() it. */
static uint8_t *
model_string(struct wire_span text, size_t max, size_t *ret_len)
{
	uint8_t *want = malloc(6 * text.len + 2);
	size_t at, step, len = 1, spelled;
	char unit[8];
	bool ok;

	FUZZ_REQUIRE(want != NULL);
	want[0] = '"';
	for (at = 0; at < text.len; at += step) {
		step = model_step(text, at, &ok);
		spelled = spell(text.p + at, step, ok, unit);
		if (spelled > max)
			break;
		memcpy(want + len, unit, spelled);
		len += spelled;
		max -= spelled;
	}
	want[len++] = '"';
	*ret_len = len;
	return want;
}

static void
write_string(struct wire_out *out, struct wire_span text, size_t max)
{
	if (max != SIZE_MAX)
		wire_out_cut_string(out, text, max);
	else
		wire_out_lossy_string(out, text);
}

/* The string in a block of exactly its size, and in one a byte smaller. */
static void
check_written(struct wire_span text, size_t max, bool is_utf8)
{
	size_t want_len, len = SIZE_MAX, size;
	uint8_t *want = model_string(text, max, &want_len), *buf;
	struct wire_out out;
	enum wire_err err;

	for (size = want_len - 1; size <= want_len; size++) {
		buf = malloc(size);
		FUZZ_REQUIRE(buf != NULL);
		wire_out_init(&out, buf, size);
		write_string(&out, text, max);
		err = wire_out_finish(&out, &len);
		FUZZ_REQUIRE(
		    err == (size < want_len ? WIRE_ERR_NO_SPACE : WIRE_OK));
		FUZZ_REQUIRE(size < want_len ||
		    (len == want_len && memcmp(buf, want, len) == 0));
		wire_out_init(&out, buf, size);
		wire_out_string(&out, text);
		err = wire_out_finish(&out, &len);
		if (size == want_len && max == SIZE_MAX)
			FUZZ_REQUIRE(
			    err == (is_utf8 ? WIRE_OK : WIRE_ERR_BAD_UTF8));
		free(buf);
	}
	free(want);
}

/* --- whatever in whatever order ------------------------------------------- */

#define DOCUMENT_MAX 4096
#define DEPTH_MAX    (WIRE_MAX_DEPTH + 8)

struct writer {
	struct wire_out out;
	bool in_object[DEPTH_MAX];
	size_t depth;
	bool key_due, value_due; /* in an object */
	unsigned members;	 /* so that every name is another */
	unsigned values;	 /* on the top level */
	bool wrong;		 /* the order has been broken */
	bool newline;		 /* was the last thing written */
};

/* Takes note of a value; false where the writer cannot know that none may
 * stand here: an object's names are its caller's work. */
static bool
may_write_value(struct writer *w)
{
	if (w->depth == 0)
		w->wrong = w->wrong || w->values++ > 0;
	else if (w->in_object[w->depth - 1] && !w->value_due)
		return false;
	w->value_due = false;
	return true;
}

static void
write_scalar(struct writer *w, uint8_t op, struct wire_span *in)
{
	static const char *const raws[] = {
	    "[ 1,\n2 ]", "1e5", "{\"a\":\n\n{}}", "\"x\""};

	if (!may_write_value(w))
		return;
	switch (op % 7) {
	case 0:
		wire_out_null(&w->out);
		break;
	case 1:
		wire_out_bool(&w->out, fuzz_byte(in) & 1);
		break;
	case 2:
		wire_out_uint(&w->out, fuzz_uint(in, 8));
		break;
	case 3:
		wire_out_int(&w->out, (int64_t)fuzz_uint(in, 8));
		break;
	case 4:
		wire_out_text(&w->out, "text\n");
		break;
	case 5: {
		const char *raw = raws[fuzz_byte(in) % 4];

		wire_out_raw(&w->out,
		    (struct wire_span){(const uint8_t *)raw, strlen(raw)});
		break;
	}
	default:
		wire_out_raw_string(&w->out, WIRE_LIT("r\\u0041w"));
		break;
	}
}

static void
begin(struct writer *w, bool object)
{
	if (w->depth == DEPTH_MAX || !may_write_value(w))
		return;
	w->wrong = w->wrong || w->depth == WIRE_MAX_DEPTH;
	if (object)
		wire_out_begin_object(&w->out);
	else
		wire_out_begin_array(&w->out);
	w->in_object[w->depth++] = object;
}

static void
end(struct writer *w)
{
	if (w->value_due)
		return;
	if (w->depth == 0) {
		w->wrong = true;
		wire_out_end_array(&w->out);
		return;
	}
	if (w->in_object[--w->depth])
		wire_out_end_object(&w->out);
	else
		wire_out_end_array(&w->out);
}

static void
key(struct writer *w)
{
	char name[16];

	if (w->depth == 0 || !w->in_object[w->depth - 1] || w->value_due)
		return;
	(void)snprintf(name, sizeof(name), "k\n%u", w->members++);
	wire_out_key(&w->out, name);
	w->value_due = true;
}

static void
write_wrong(struct writer *w, uint8_t op)
{
	if (!may_write_value(w))
		return;
	w->wrong = true;
	if (op & 1)
		wire_out_raw(&w->out, (struct wire_span){NULL, 0});
	else
		wire_out_raw_string(&w->out, WIRE_LIT("a\nb"));
}

static void
write_op(struct writer *w, struct wire_span *in)
{
	uint8_t op = fuzz_byte(in);
	bool newline = false;

	if (op < 96) {
		write_scalar(w, op, in);
	} else if (op < 160) {
		begin(w, op & 1);
	} else if (op < 200) {
		end(w);
	} else if (op < 250) {
		key(w);
	} else if (op < 254) {
		if (w->value_due)
			return;
		newline = true;
		w->wrong = w->wrong || w->depth != 0;
		wire_out_newline(&w->out);
	} else {
		write_wrong(w, op);
	}
	w->newline = newline;
}

static void
check_document(struct wire_span in)
{
	size_t max = fuzz_uint(&in, 2) % DOCUMENT_MAX + 1, len;
	uint8_t *buf = malloc(max);
	struct writer w = {.values = 0};
	struct model_json model;
	enum wire_err err;

	FUZZ_REQUIRE(buf != NULL);
	wire_out_init(&w.out, buf, max);
	/* One document and the newline that ends it. */
	while (in.len != 0 && !w.newline)
		write_op(&w, &in);
	w.wrong = w.wrong || w.depth != 0;
	err = wire_out_finish(&w.out, &len);
	FUZZ_REQUIRE(err != WIRE_OK || !w.wrong);
	FUZZ_REQUIRE(err == WIRE_OK || w.wrong || err == WIRE_ERR_NO_SPACE);
	if (err == WIRE_OK && w.values != 0) {
		if (w.newline)
			FUZZ_REQUIRE(buf[--len] == '\n');
		model_json((struct wire_span){buf, len}, WIRE_MAX_DEPTH, false,
		    0, &model);
		FUZZ_REQUIRE(model.err == WIRE_OK);
		FUZZ_REQUIRE(memchr(buf, '\n', len) == NULL);
		model_json_release(&model);
	}
	free(buf);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wire_span in = {data, size};
	uint8_t choice = fuzz_byte(&in);
	uint8_t cut = fuzz_byte(&in);

	if (size < 2)
		return 0;
	if (choice & 1) {
		check_document(in);
		return 0;
	}
	check_characters(in);
	check_written(in, SIZE_MAX, wire_utf8_valid_prefix(in) == in.len);
	check_written(in, cut, false);
	return 0;
}
