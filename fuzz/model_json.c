#include "fuzz/model_json.h"

#include <stdlib.h>
#include <string.h>

#include "fuzz/fuzz.h"

struct model {
	struct wire_span text;
	size_t at;
	unsigned depth, depth_max;
	size_t members_max, names_open;
	struct model_json *out;
};

/* --- bytes ---------------------------------------------------------------- */

/* The code point that bytes 10xxxxxx after a lead byte spell, or -1. */
static long
code_point(struct wire_span text, size_t at, size_t len)
{
	static const uint8_t lead[] = {0, 0, 0x1f, 0x0f, 0x07};
	long code = text.p[at] & lead[len];
	size_t i;

	if (len > text.len - at)
		return -1;
	for (i = 1; i < len; i++) {
		if (text.p[at + i] >> 6 != 2)
			return -1;
		code = code << 6 | (text.p[at + i] & 0x3f);
	}
	return code;
}

size_t
model_utf8(struct wire_span text, size_t at)
{
	static const long least[] = {0, 0, 0x80, 0x800, 0x10000};
	uint8_t first = text.p[at];
	size_t len = first >> 5 == 6 ? 2 : first >> 4 == 14 ? 3 : 4;
	long code;

	if (first < 0x80)
		return 1;
	if (first >> 6 != 3 || first >> 3 == 31)
		return 0;
	code = code_point(text, at, len);
	if (code < least[len] || code > 0x10ffff ||
	    (code >= 0xd800 && code <= 0xdfff))
		return 0;
	return len;
}

static int
hex(uint8_t byte)
{
	const char *digits = "0123456789abcdefABCDEF", *found;

	if (byte == 0 || (found = strchr(digits, byte)) == NULL)
		return -1;
	return (int)(found - digits < 16 ? found - digits : found - digits - 6);
}

static bool
is_one_of(uint8_t byte, const char *set)
{
	return byte != 0 && strchr(set, byte) != NULL;
}

/* --- errors --------------------------------------------------------------- */

static bool
fail(struct model *m, enum wire_err err, size_t at)
{
	m->out->err = err;
	m->out->err_offset = at;
	return false;
}

/* The byte where the model stands may not stand there. */
static bool
unexpected(struct model *m, enum wire_err err)
{
	if (m->at == m->text.len)
		return fail(m, WIRE_ERR_TRUNCATED, m->at);
	if (m->text.p[m->at] == 0)
		return fail(m, WIRE_ERR_NUL_BYTE, m->at);
	if (model_utf8(m->text, m->at) == 0)
		return fail(m, WIRE_ERR_BAD_UTF8, m->at);
	return fail(m, err, m->at);
}

/* The byte ahead, or -1 at the end. */
static int
ahead(const struct model *m)
{
	return m->at < m->text.len ? m->text.p[m->at] : -1;
}

static void
space(struct model *m)
{
	while (ahead(m) > 0 && is_one_of((uint8_t)ahead(m), " \t\r\n"))
		m->at++;
}

static struct model_token *
note(struct model *m, enum wire_json_token token, size_t begin, size_t len)
{
	struct model_json *out = m->out;
	struct model_token *t;

	/* A power of two has just been filled. */
	if ((out->count & (out->count - 1)) == 0) {
		out->tokens =
		    reallocarray(out->tokens, 2 * out->count + 1, sizeof(*t));
		FUZZ_REQUIRE(out->tokens != NULL);
	}
	t = &out->tokens[out->count++];
	*t = (struct model_token){token, begin, len, begin, len, m->depth};
	return t;
}

/* --- scalars -------------------------------------------------------------- */

static bool
bad_escape(struct model *m)
{
	int c = ahead(m);

	return unexpected(m,
	    c >= 0 && c < 0x20 ? WIRE_ERR_CONTROL_CHARACTER
			       : WIRE_ERR_BAD_ESCAPE);
}

static bool
four_digits(struct model *m, unsigned *ret_code)
{
	unsigned code = 0;
	int i, digit;

	for (i = 0; i < 4; i++) {
		digit = m->at < m->text.len ? hex(m->text.p[m->at]) : -1;
		if (digit < 0)
			return bad_escape(m);
		code = code * 16 + (unsigned)digit;
		m->at++;
	}
	*ret_code = code;
	return true;
}

/* After \u; `escape` is where the backslash stands. */
static bool
unicode(struct model *m, size_t escape)
{
	unsigned code, low;

	if (!four_digits(m, &code))
		return false;
	if (code < 0xd800 || code > 0xdfff)
		return true;
	if (code >= 0xdc00)
		return fail(m, WIRE_ERR_LONE_SURROGATE, escape);
	if (ahead(m) == -1)
		return fail(m, WIRE_ERR_TRUNCATED, m->at);
	if (ahead(m) != '\\')
		return fail(m, WIRE_ERR_LONE_SURROGATE, escape);
	m->at++;
	if (ahead(m) == -1)
		return fail(m, WIRE_ERR_TRUNCATED, m->at);
	if (ahead(m) != 'u')
		return fail(m, WIRE_ERR_LONE_SURROGATE, escape);
	m->at++;
	if (!four_digits(m, &low))
		return false;
	if (low < 0xdc00 || low > 0xdfff)
		return fail(m, WIRE_ERR_LONE_SURROGATE, escape);
	return true;
}

/* From the opening quote; the text between the quotes is noted as token. */
static bool
string(struct model *m, enum wire_json_token token)
{
	size_t quote = m->at++, escape, len;
	struct model_token *t;
	int c;

	for (;;) {
		c = ahead(m);
		if (c == -1 || (c < 0x20 && c != '"'))
			return unexpected(m, WIRE_ERR_CONTROL_CHARACTER);
		if (c == '"')
			break;
		if (c == '\\') {
			escape = m->at++;
			c = ahead(m);
			if (c <= 0 || !is_one_of((uint8_t)c, "\"\\/bfnrtu"))
				return bad_escape(m);
			m->at++;
			if (c == 'u' && !unicode(m, escape))
				return false;
			continue;
		}
		len = model_utf8(m->text, m->at);
		if (len == 0)
			return fail(m, WIRE_ERR_BAD_UTF8, m->at);
		m->at += len;
	}
	m->at++;
	t = note(m, token, quote + 1, m->at - quote - 2);
	t->whole_begin = quote;
	t->whole_len = m->at - quote;
	return true;
}

static bool
digits(struct model *m)
{
	if (ahead(m) < '0' || ahead(m) > '9')
		return unexpected(m, WIRE_ERR_BAD_NUMBER);
	while (ahead(m) >= '0' && ahead(m) <= '9')
		m->at++;
	return true;
}

static bool
number(struct model *m)
{
	static const char runs_on[] = "0123456789.+-_abcdefghijklmnopqrstuvwxyz"
				      "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	size_t begin = m->at;

	if (ahead(m) == '-')
		m->at++;
	if (ahead(m) == '0')
		m->at++;
	else if (!digits(m))
		return false;
	if (ahead(m) == '.') {
		m->at++;
		if (!digits(m))
			return false;
	}
	if (ahead(m) == 'e' || ahead(m) == 'E') {
		m->at++;
		if (ahead(m) == '+' || ahead(m) == '-')
			m->at++;
		if (!digits(m))
			return false;
	}
	if (ahead(m) > 0 && is_one_of((uint8_t)ahead(m), runs_on))
		return fail(m, WIRE_ERR_BAD_NUMBER, m->at);
	(void)note(m, WIRE_TOK_NUMBER, begin, m->at - begin);
	return true;
}

static bool
word(struct model *m, const char *text, enum wire_json_token token)
{
	size_t begin = m->at;

	for (; *text != '\0'; text++, m->at++)
		if (ahead(m) != *text)
			return unexpected(m, WIRE_ERR_BAD_SYNTAX);
	note(m, token, begin, 0)->whole_len = m->at - begin;
	return true;
}

/* --- containers ----------------------------------------------------------- */

static bool value(struct model *m);

/* Whether the object that began with token `first` has the last key before. */
static bool
is_repeated(const struct model *m, size_t first)
{
	const struct model_token *last = &m->out->tokens[m->out->count - 1];
	uint8_t *a = malloc(last->len + 1), *b = malloc(m->text.len + 1);
	size_t a_len, b_len, i;
	bool found = false;

	FUZZ_REQUIRE(a != NULL && b != NULL);
	a_len = model_unescape(
	    (struct wire_span){m->text.p + last->begin, last->len}, a);
	for (i = first; i < m->out->count - 1 && !found; i++) {
		const struct model_token *t = &m->out->tokens[i];

		if (t->token != WIRE_TOK_KEY || t->depth != last->depth)
			continue;
		b_len = model_unescape(
		    (struct wire_span){m->text.p + t->begin, t->len}, b);
		found = a_len == b_len && memcmp(a, b, a_len) == 0;
	}
	free(a);
	free(b);
	return found;
}

/* A member's name and its colon. */
static bool
name(struct model *m, size_t first, size_t before)
{
	size_t quote = m->at;

	if (ahead(m) != '"')
		return unexpected(m, WIRE_ERR_BAD_SYNTAX);
	if (!string(m, WIRE_TOK_KEY))
		return false;
	if (is_repeated(m, first))
		return fail(m, WIRE_ERR_DUPLICATE_MEMBER, quote);
	if (++m->names_open > m->out->names_peak)
		m->out->names_peak = m->names_open;
	if (m->depth == 1 && before == m->members_max)
		return fail(m, WIRE_ERR_TOO_MANY_MEMBERS, quote);
	space(m);
	if (ahead(m) != ':')
		return unexpected(m, WIRE_ERR_BAD_SYNTAX);
	m->at++;
	space(m);
	return true;
}

static bool
container(struct model *m, bool object)
{
	size_t first = m->out->count, begin = m->at, names = 0;
	char end = object ? '}' : ']';

	if (m->depth == m->depth_max)
		return fail(m, WIRE_ERR_TOO_DEEP, m->at);
	(void)note(m, object ? WIRE_TOK_OBJECT_BEGIN : WIRE_TOK_ARRAY_BEGIN,
	    m->at++, 0);
	m->depth++;
	space(m);
	if (ahead(m) != end) {
		for (;;) {
			if (object && !name(m, first, names))
				return false;
			names++;
			if (!value(m))
				return false;
			space(m);
			if (ahead(m) != ',')
				break;
			m->at++;
			space(m);
		}
		if (ahead(m) != end)
			return unexpected(m, WIRE_ERR_BAD_SYNTAX);
	}
	m->at++;
	if (object)
		m->names_open -= names;
	m->depth--;
	m->out->tokens[first].whole_len = m->at - begin;
	(void)note(
	    m, object ? WIRE_TOK_OBJECT_END : WIRE_TOK_ARRAY_END, m->at, 0);
	return true;
}

static bool
value(struct model *m)
{
	switch (ahead(m)) {
	case '{':
		return container(m, true);
	case '[':
		return container(m, false);
	case '"':
		return string(m, WIRE_TOK_STRING);
	case 't':
		return word(m, "true", WIRE_TOK_TRUE);
	case 'f':
		return word(m, "false", WIRE_TOK_FALSE);
	case 'n':
		return word(m, "null", WIRE_TOK_NULL);
	case '+':
	case '.':
		return fail(m, WIRE_ERR_BAD_NUMBER, m->at);
	case '-':
	case '0' ... '9':
		return number(m);
	default:
		return unexpected(m, WIRE_ERR_BAD_SYNTAX);
	}
}

static void
document(struct model *m, bool is_frame)
{
	space(m);
	/* What begins like another value is none, whatever follows. */
	if (is_frame && ahead(m) > 0 &&
	    is_one_of((uint8_t)ahead(m), "\"[tfn-0123456789")) {
		(void)fail(m, WIRE_ERR_NOT_OBJECT, m->at);
		return;
	}
	if (!value(m))
		return;
	space(m);
	if (m->at < m->text.len)
		(void)unexpected(m, WIRE_ERR_TRAILING_BYTES);
}

void
model_json(struct wire_span text, unsigned depth_max, bool is_frame,
    size_t members_max, struct model_json *ret_model)
{
	struct model m = {
	    .text = text,
	    .depth_max = depth_max,
	    .members_max = is_frame ? members_max : SIZE_MAX,
	    .out = ret_model,
	};

	*ret_model = (struct model_json){.tokens = NULL};
	document(&m, is_frame);
}

void
model_json_release(struct model_json *model)
{
	free(model->tokens);
	model->tokens = NULL;
}

/* --- text ----------------------------------------------------------------- */

static size_t
put_utf8(unsigned long code, uint8_t *out)
{
	size_t len = code < 0x80 ? 1
	    : code < 0x800	 ? 2
	    : code < 0x10000	 ? 3
				 : 4;
	static const uint8_t lead[] = {0, 0, 0xc0, 0xe0, 0xf0};
	size_t i;

	for (i = len; i-- > 1; code >>= 6)
		out[i] = (uint8_t)(0x80 | (code & 0x3f));
	out[0] = (uint8_t)(lead[len] | code);
	return len;
}

static unsigned long
code_unit(const uint8_t *p)
{
	return (unsigned long)(hex(p[0]) << 12 | hex(p[1]) << 8 |
	    hex(p[2]) << 4 | hex(p[3]));
}

size_t
model_unescape(struct wire_span raw, uint8_t *out)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	size_t len = 0, i = 0;
	unsigned long code;

	while (i < raw.len) {
		if (raw.p[i] != '\\') {
			out[len++] = raw.p[i++];
			continue;
		}
		if (raw.p[i + 1] != 'u') {
			out[len++] =
			    (uint8_t)to[strchr(from, raw.p[i + 1]) - from];
			i += 2;
			continue;
		}
		code = code_unit(raw.p + i + 2);
		i += 6;
		if (code >= 0xd800 && code < 0xdc00) {
			code = 0x10000 + ((code - 0xd800) << 10) +
			    (code_unit(raw.p + i + 2) - 0xdc00);
			i += 6;
		}
		len += put_utf8(code, out + len);
	}
	return len;
}
