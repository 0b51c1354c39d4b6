/*
 * Three opinions on one document: the scanner's, the model's (json_model.h),
 * and jansson's. The first two have to agree to the byte; jansson on whether
 * it is accepted, but for the differences in the table here, and no others.
 */
#ifndef JSON_OPINIONS_H
#define JSON_OPINIONS_H

#include "json_model.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>

/* What one document got. */
struct opinions {
	struct wire_span text;
	enum wire_err ours;
	struct wire_errinfo info;
	struct model model;
	bool it_accepts;
	enum json_error_code its;
};

static struct wire_json_scratch scratch;

/* Whether a predicate holds for a number of an accepted document. */
HELP bool
any_number(struct wire_span text, bool (*holds)(const char *number))
{
	struct wire_json_cursor cursor;
	enum wire_json_token token;
	struct wire_span part;
	bool found = false;
	char *copy;

	wire_json_cursor_init(&cursor, text);
	while (!found &&
	    (token = wire_json_cursor_next(&cursor, &part)) != WIRE_TOK_END) {
		if (token != WIRE_TOK_NUMBER)
			continue;
		copy = must_alloc(part.len + 1);
		memcpy(copy, part.p, part.len);
		copy[part.len] = '\0';
		found = holds(copy);
		free(copy);
	}
	return found;
}

HELP bool
is_beyond_its_range(const char *number)
{
	errno = 0;
	if (strpbrk(number, ".eE") != NULL)
		return isinf(strtod(number, NULL));
	(void)strtoll(number, NULL, 10);
	return errno == ERANGE;
}

HELP bool
beyond_its_range(const struct opinions *of)
{
	return of->ours == WIRE_OK && of->its == json_error_numeric_overflow &&
	    any_number(of->text, is_beyond_its_range);
}

HELP bool
nul_in_a_name(const struct opinions *of)
{
	struct wire_json_cursor cursor;
	enum wire_json_token token;
	struct wire_span part;
	uint8_t *plain;
	size_t len;
	bool found = false;

	if (of->ours != WIRE_OK || of->its != json_error_null_byte_in_key)
		return false;
	plain = must_alloc(of->text.len);
	wire_json_cursor_init(&cursor, of->text);
	while (
	    (token = wire_json_cursor_next(&cursor, &part)) != WIRE_TOK_END) {
		if (token != WIRE_TOK_KEY)
			continue;
		assert_int_equal(
		    wire_json_unescape(part, plain, of->text.len, &len),
		    WIRE_OK);
		found = found || memchr(plain, 0, len) != NULL;
	}
	free(plain);
	return found;
}

HELP bool
deeper_than_256(const struct opinions *of)
{
	struct model without_limit;

	return of->it_accepts && of->ours == WIRE_ERR_TOO_DEEP &&
	    model_scan(&without_limit, of->text, 4096) == WIRE_OK;
}

HELP bool
nul_behind_a_token(const struct opinions *of)
{
	struct growing without = {NULL, 0, 0};
	const uint8_t *p = of->text.p;
	struct model model;
	size_t i;

	if (!of->it_accepts || of->ours != WIRE_ERR_NUL_BYTE)
		return false;
	for (i = 0; i < of->text.len; i++) {
		if (p[i] != 0 || i == 0 ||
		    !((p[i - 1] >= '0' && p[i - 1] <= '9') ||
			(p[i - 1] >= 'a' && p[i - 1] <= 'z')))
			grow_bytes(&without, p + i, 1);
	}
	(void)model_scan(&model, grown(&without), WIRE_MAX_DEPTH);
	free(without.p);
	return model.err == WIRE_OK;
}

/* Everything in which jansson may differ; each example is such a document. */
static const struct {
	const char *what;
	bool (*holds)(const struct opinions *of);
	const char *why;
	struct wire_span example;
} differences[] = {
    {"an integer beyond 64 bits, a real beyond double", beyond_its_range,
	"numbers stay text here, of any size; jansson converts them",
	WIRE_LIT("[9223372036854775808,1e400]")},
    {"NUL in a member's name", nul_in_a_name,
	"\\u0000 is a character like others; jansson's names end at it",
	WIRE_LIT("{\"a\\u0000b\":1}")},
    {"nesting over 256", deeper_than_256,
	"the protocol's limit is lower than jansson's 2,048",
	WIRE_LIT(
	    "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["
	    "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["
	    "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["
	    "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["
	    "[]"
	    "]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]"
	    "]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]"
	    "]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]"
	    "]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]"
	    "]")},
    {"a raw NUL right behind a number or a word", nul_behind_a_token,
	"jansson puts it back to read it again, and loses it",
	WIRE_LIT("[1\0,true\0]")},
};

#define DIFFERENCES (sizeof(differences) / sizeof(differences[0]))

/* How often each difference came up. */
static unsigned long differed[DIFFERENCES];

HELP void
ask(struct wire_span text, struct opinions *of)
{
	enum wire_json_type type;
	json_error_t error;
	json_t *json;

	*of = (struct opinions){.text = text};
	of->ours =
	    wire_json_scan(text, WIRE_MAX_DEPTH, &scratch, &type, &of->info);
	(void)model_scan(&of->model, text, WIRE_MAX_DEPTH);
	json = json_loadb((const char *)text.p, text.len,
	    JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL | JSON_DECODE_ANY, &error);
	of->it_accepts = json != NULL;
	of->its = json != NULL ? json_error_unknown : json_error_code(&error);
	json_decref(json);
}

/* The only difference that it is; DIFFERENCES when none or several. */
HELP size_t
which_difference(const struct opinions *of)
{
	size_t i, found = DIFFERENCES;

	for (i = 0; i < DIFFERENCES; i++) {
		if (!differences[i].holds(of))
			continue;
		if (found != DIFFERENCES)
			return DIFFERENCES;
		found = i;
	}
	return found;
}

/* Fails the test when the three do not go together. */
HELP void
compare(const char *name, const struct opinions *of)
{
	size_t i;

	if (of->ours != of->model.err ||
	    (of->ours != WIRE_OK && of->info.offset != of->model.offset))
		fail_msg("%s: %s at %zu, and the model says %s at %zu: %.*s",
		    name, wire_err_word(of->ours), of->info.offset,
		    wire_err_word(of->model.err), of->model.offset,
		    (int)of->text.len, (const char *)of->text.p);
	if (of->it_accepts == (of->ours == WIRE_OK))
		return;
	i = which_difference(of);
	if (i == DIFFERENCES)
		fail_msg("%s: %s at %zu, and jansson says otherwise (%d), "
			 "which is no difference that is known: %.*s",
		    name, wire_err_word(of->ours), of->info.offset,
		    (int)of->its, (int)of->text.len, (const char *)of->text.p);
	differed[i]++;
}

HELP int
opinions_setup(void **state)
{
	(void)state;
	scratch_new(&scratch, 65536);
	return 0;
}

HELP int
opinions_teardown(void **state)
{
	(void)state;
	assert_true(scratch_is_clear(&scratch));
	scratch_free(&scratch);
	return 0;
}

#endif
