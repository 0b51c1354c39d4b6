/*
 * A second scanner, to hold the real one against: slow, recursive, one byte
 * at a time, written from PROTOCOL.md section 3 and sharing no code with it.
 *
 * It also says where in the grammar it stood when it refused, and what kinds
 * of things it met, so that tests can ask whether one set of documents covers
 * all that another one does.
 */
#ifndef JSON_MODEL_H
#define JSON_MODEL_H

#include "wire_help.h"

#include "wire/json.h"

enum model_site {
	SITE_VALUE,
	SITE_LIST_ITEM,
	SITE_AFTER_ITEM,
	SITE_NAME,
	SITE_COLON,
	SITE_MEMBER,
	SITE_AFTER_MEMBER,
	SITE_TAIL,
	SITE_WORD,
	SITE_INTEGER,
	SITE_FRACTION,
	SITE_EXPONENT,
	SITE_STRING,
	SITE_ESCAPE,
	SITE_HEX,
	SITE_PAIR,
	SITES
};

/* What an accepted document may hold. */
enum model_feature {
	HAS_NULL,
	HAS_TRUE,
	HAS_FALSE,
	HAS_ZERO,
	HAS_INTEGER,
	HAS_LONG_INTEGER, /* beyond 64 bits */
	HAS_MINUS,
	HAS_FRACTION,
	HAS_EXPONENT,
	HAS_EXPONENT_SIGN,
	HAS_EXPONENT_UPPER,
	HAS_EMPTY_STRING,
	HAS_PLAIN,
	HAS_DELETE,
	HAS_SHORT_ESCAPE,
	HAS_HEX_ESCAPE,
	HAS_NUL_ESCAPE,
	HAS_PAIR,
	HAS_TWO_BYTES,
	HAS_THREE_BYTES,
	HAS_FOUR_BYTES,
	HAS_EMPTY_NAME,
	HAS_ESCAPED_NAME,
	HAS_EMPTY_LIST,
	HAS_EMPTY_OBJECT,
	HAS_LIST,
	HAS_OBJECT,
	HAS_SPACE_BEFORE,
	HAS_SPACE_INSIDE,
	HAS_SPACE_BEHIND,
	HAS_TAB,
	HAS_RETURN,
	HAS_NEWLINE,
	HAS_SCALAR_ALONE,
	HAS_DEPTH_OVER_16,
	FEATURES
};

struct model {
	const uint8_t *p;
	size_t len, at;
	unsigned depth, depth_max;
	enum wire_err err;
	size_t offset;
	enum model_site site, last_site;
	uint64_t features;
};

HELP void
model_has(struct model *m, enum model_feature feature)
{
	m->features |= 1ULL << feature;
}

HELP bool
model_fail(struct model *m, enum wire_err err, size_t at)
{
	m->err = err;
	m->offset = at;
	m->site = m->last_site;
	return false;
}

/* Length of the well-formed character at `at`, or 0: by the numbers. */
HELP size_t
model_character(const struct model *m, size_t at)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	uint8_t first = m->p[at];
	uint32_t code;
	size_t len, i;

	if (first < 0x80)
		return 1;
	if (first >= 0xc0 && first < 0xe0)
		len = 2;
	else if (first >= 0xe0 && first < 0xf0)
		len = 3;
	else if (first >= 0xf0 && first < 0xf8)
		len = 4;
	else
		return 0;
	if (len > m->len - at)
		return 0;
	code = first & (0x7fu >> len);
	for (i = 1; i < len; i++) {
		if (m->p[at + i] < 0x80 || m->p[at + i] > 0xbf)
			return 0;
		code = code * 64 + (m->p[at + i] - 0x80u);
	}
	if (code < least[len] || code > 0x10ffff ||
	    (code >= 0xd800 && code <= 0xdfff))
		return 0;
	return len;
}

/* The byte at m->at cannot stand there: why? */
HELP bool
model_unexpected(struct model *m, enum wire_err err)
{
	if (m->at == m->len)
		err = WIRE_ERR_TRUNCATED;
	else if (m->p[m->at] == 0)
		err = WIRE_ERR_NUL_BYTE;
	else if (model_character(m, m->at) == 0)
		err = WIRE_ERR_BAD_UTF8;
	return model_fail(m, err, m->at);
}

HELP int
model_peek(const struct model *m)
{
	return m->at < m->len ? m->p[m->at] : -1;
}

HELP void
model_space(struct model *m, enum model_feature where)
{
	int c;

	for (;
	     c = model_peek(m), c == ' ' || c == '\t' || c == '\r' || c == '\n';
	     m->at++) {
		model_has(m, where);
		if (c == '\t')
			model_has(m, HAS_TAB);
		else if (c == '\r')
			model_has(m, HAS_RETURN);
		else if (c == '\n')
			model_has(m, HAS_NEWLINE);
	}
}

HELP bool
model_word(struct model *m, const char *word, enum model_feature feature)
{
	m->last_site = SITE_WORD;
	for (; *word != '\0'; word++, m->at++) {
		if (model_peek(m) != *word)
			return model_unexpected(m, WIRE_ERR_BAD_SYNTAX);
	}
	model_has(m, feature);
	return true;
}

HELP bool
model_digits(struct model *m, size_t *ret_count)
{
	size_t from = m->at;

	while (model_peek(m) >= '0' && model_peek(m) <= '9')
		m->at++;
	*ret_count = m->at - from;
	return m->at != from || model_unexpected(m, WIRE_ERR_BAD_NUMBER);
}

HELP bool
model_number(struct model *m)
{
	size_t count = 1;
	int c;

	m->last_site = SITE_INTEGER;
	if (model_peek(m) == '-') {
		model_has(m, HAS_MINUS);
		m->at++;
	}
	if (model_peek(m) == '0') {
		model_has(m, HAS_ZERO);
		m->at++;
	} else if (!model_digits(m, &count)) {
		return false;
	}
	model_has(m, count > 19 ? HAS_LONG_INTEGER : HAS_INTEGER);
	if (model_peek(m) == '.') {
		m->last_site = SITE_FRACTION;
		m->at++;
		if (!model_digits(m, &count))
			return false;
		model_has(m, HAS_FRACTION);
	}
	c = model_peek(m);
	if (c == 'e' || c == 'E') {
		m->last_site = SITE_EXPONENT;
		model_has(m, c == 'E' ? HAS_EXPONENT_UPPER : HAS_EXPONENT);
		m->at++;
		c = model_peek(m);
		if (c == '+' || c == '-') {
			model_has(m, HAS_EXPONENT_SIGN);
			m->at++;
		}
		if (!model_digits(m, &count))
			return false;
	}
	c = model_peek(m);
	if ((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
	    (c >= 'A' && c <= 'Z') || c == '.' || c == '+' || c == '-' ||
	    c == '_')
		return model_fail(m, WIRE_ERR_BAD_NUMBER, m->at);
	return true;
}

HELP bool
model_hex(struct model *m, unsigned *ret_code)
{
	unsigned i, digit;
	int c;

	m->last_site = SITE_HEX;
	*ret_code = 0;
	for (i = 0; i < 4; i++, m->at++) {
		c = model_peek(m);
		if (c >= '0' && c <= '9')
			digit = (unsigned)c - '0';
		else if (c >= 'a' && c <= 'f')
			digit = (unsigned)c - 'a' + 10;
		else if (c >= 'A' && c <= 'F')
			digit = (unsigned)c - 'A' + 10;
		else
			return model_unexpected(m,
			    c < 0x20 ? WIRE_ERR_CONTROL_CHARACTER
				     : WIRE_ERR_BAD_ESCAPE);
		*ret_code = *ret_code * 16 + digit;
	}
	return true;
}

/* One code as UTF-8. */
HELP void
model_put(struct growing *text, unsigned code)
{
	char out[4];
	size_t n = 0;

	if (code < 0x80) {
		out[n++] = (char)code;
	} else if (code < 0x800) {
		out[n++] = (char)(0xc0 + code / 64);
		out[n++] = (char)(0x80 + code % 64);
	} else if (code < 0x10000) {
		out[n++] = (char)(0xe0 + code / 4096);
		out[n++] = (char)(0x80 + code / 64 % 64);
		out[n++] = (char)(0x80 + code % 64);
	} else {
		out[n++] = (char)(0xf0 + code / 262144);
		out[n++] = (char)(0x80 + code / 4096 % 64);
		out[n++] = (char)(0x80 + code / 64 % 64);
		out[n++] = (char)(0x80 + code % 64);
	}
	grow_bytes(text, out, n);
}

HELP bool
model_unicode(struct model *m, size_t backslash, struct growing *text)
{
	unsigned code, low;

	if (!model_hex(m, &code))
		return false;
	model_has(m, HAS_HEX_ESCAPE);
	if (code == 0)
		model_has(m, HAS_NUL_ESCAPE);
	if (code < 0xd800 || code > 0xdfff) {
		model_put(text, code);
		return true;
	}
	m->last_site = SITE_PAIR;
	if (code >= 0xdc00)
		return model_fail(m, WIRE_ERR_LONE_SURROGATE, backslash);
	/* Whether the text ends before the other half could be there. */
	if (m->at == m->len || (m->at + 1 == m->len && m->p[m->at] == '\\'))
		return model_fail(m, WIRE_ERR_TRUNCATED, m->len);
	if (m->p[m->at] != '\\' || m->p[m->at + 1] != 'u')
		return model_fail(m, WIRE_ERR_LONE_SURROGATE, backslash);
	m->at += 2;
	if (!model_hex(m, &low))
		return false;
	m->last_site = SITE_PAIR;
	if (low < 0xdc00 || low > 0xdfff)
		return model_fail(m, WIRE_ERR_LONE_SURROGATE, backslash);
	model_has(m, HAS_PAIR);
	model_put(text, 0x10000 + (code - 0xd800) * 1024 + (low - 0xdc00));
	return true;
}

/* From the opening quote on; the text unescaped goes to *text. */
HELP bool
model_string(struct model *m, struct growing *text)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	static const enum model_feature by_length[] = {HAS_PLAIN, HAS_PLAIN,
	    HAS_TWO_BYTES, HAS_THREE_BYTES, HAS_FOUR_BYTES};
	size_t backslash, len;
	const char *found;
	int c;

	text->len = 0;
	if (m->at + 1 < m->len && m->p[m->at + 1] == '"')
		model_has(m, HAS_EMPTY_STRING);
	for (m->at++;;) {
		m->last_site = SITE_STRING;
		c = model_peek(m);
		if (c == -1 || c < 0x20)
			return model_unexpected(m, WIRE_ERR_CONTROL_CHARACTER);
		if (c == '"') {
			m->at++;
			return true;
		}
		if (c != '\\') {
			len = model_character(m, m->at);
			if (len == 0)
				return model_unexpected(m, WIRE_ERR_BAD_UTF8);
			model_has(m, c == 0x7f ? HAS_DELETE : by_length[len]);
			grow_bytes(text, m->p + m->at, len);
			m->at += len;
			continue;
		}
		backslash = m->at++;
		m->last_site = SITE_ESCAPE;
		c = model_peek(m);
		found = c <= 0 ? NULL : strchr(from, c);
		if (c == 'u') {
			m->at++;
			if (!model_unicode(m, backslash, text))
				return false;
		} else if (found != NULL) {
			model_has(m, HAS_SHORT_ESCAPE);
			grow_bytes(text, to + (found - from), 1);
			m->at++;
		} else {
			return model_unexpected(m,
			    c < 0x20 ? WIRE_ERR_CONTROL_CHARACTER
				     : WIRE_ERR_BAD_ESCAPE);
		}
	}
}

HELP bool model_value(struct model *m);

/* The names of one object: unescaped, with lengths. */
struct model_names {
	struct growing *list;
	size_t count;
};

HELP bool
model_known(struct model_names *names, const struct growing *text)
{
	size_t i;

	for (i = 0; i < names->count; i++) {
		if (names->list[i].len == text->len &&
		    (text->len == 0 ||
			memcmp(names->list[i].p, text->p, text->len) == 0))
			return true;
	}
	names->list =
	    realloc(names->list, (names->count + 1) * sizeof(names->list[0]));
	if (names->list == NULL)
		abort();
	names->list[names->count] = (struct growing){NULL, 0, 0};
	grow_bytes(&names->list[names->count], text->p, text->len);
	names->count++;
	return false;
}

HELP bool
model_member(struct model *m, struct model_names *names)
{
	struct growing text = {NULL, 0, 0};
	size_t quote = m->at;
	bool ok = false;

	m->last_site = SITE_NAME;
	if (model_peek(m) != '"') {
		(void)model_unexpected(m, WIRE_ERR_BAD_SYNTAX);
	} else if (model_string(m, &text)) {
		m->last_site = SITE_NAME;
		if (text.len == 0)
			model_has(m, HAS_EMPTY_NAME);
		if (memchr(m->p + quote, '\\', m->at - quote) != NULL)
			model_has(m, HAS_ESCAPED_NAME);
		if (model_known(names, &text))
			(void)model_fail(m, WIRE_ERR_DUPLICATE_MEMBER, quote);
		else
			ok = true;
	}
	free(text.p);
	if (!ok)
		return false;
	model_space(m, HAS_SPACE_INSIDE);
	m->last_site = SITE_COLON;
	if (model_peek(m) != ':')
		return model_unexpected(m, WIRE_ERR_BAD_SYNTAX);
	m->at++;
	model_space(m, HAS_SPACE_INSIDE);
	m->last_site = SITE_MEMBER;
	return model_value(m);
}

/* The items of a container, from behind its opening bracket on. */
HELP bool
model_items(struct model *m, bool object, struct model_names *names)
{
	uint8_t closer = object ? '}' : ']';

	model_space(m, HAS_SPACE_INSIDE);
	if (model_peek(m) == closer) {
		model_has(m, object ? HAS_EMPTY_OBJECT : HAS_EMPTY_LIST);
		m->at++;
		return true;
	}
	for (;;) {
		m->last_site = SITE_LIST_ITEM;
		if (!(object ? model_member(m, names) : model_value(m)))
			return false;
		model_space(m, HAS_SPACE_INSIDE);
		m->last_site = object ? SITE_AFTER_MEMBER : SITE_AFTER_ITEM;
		if (model_peek(m) == closer) {
			model_has(m, object ? HAS_OBJECT : HAS_LIST);
			m->at++;
			return true;
		}
		if (model_peek(m) != ',')
			return model_unexpected(m, WIRE_ERR_BAD_SYNTAX);
		m->at++;
		model_space(m, HAS_SPACE_INSIDE);
	}
}

HELP bool
model_container(struct model *m)
{
	struct model_names names = {NULL, 0};
	bool ok, object = m->p[m->at] == '{';

	if (m->depth == m->depth_max)
		return model_fail(m, WIRE_ERR_TOO_DEEP, m->at);
	m->depth++;
	if (m->depth > 16)
		model_has(m, HAS_DEPTH_OVER_16);
	m->at++;
	ok = model_items(m, object, &names);
	m->depth--;
	while (names.count != 0)
		free(names.list[--names.count].p);
	free(names.list);
	return ok;
}

HELP bool
model_value(struct model *m)
{
	struct growing text = {NULL, 0, 0};
	bool ok;
	int c = model_peek(m);

	if (c == '"') {
		ok = model_string(m, &text);
		free(text.p);
		return ok;
	}
	if (c == '{' || c == '[')
		return model_container(m);
	if (c == '-' || (c >= '0' && c <= '9'))
		return model_number(m);
	if (c == '+' || c == '.')
		return model_fail(m, WIRE_ERR_BAD_NUMBER, m->at);
	if (c == 'n')
		return model_word(m, "null", HAS_NULL);
	if (c == 't')
		return model_word(m, "true", HAS_TRUE);
	if (c == 'f')
		return model_word(m, "false", HAS_FALSE);
	return model_unexpected(m, WIRE_ERR_BAD_SYNTAX);
}

/* A whole document: m->err, m->offset, m->site, m->features. */
HELP enum wire_err
model_scan(struct model *m, struct wire_span text, unsigned depth_max)
{
	*m = (struct model){
	    .p = text.p, .len = text.len, .depth_max = depth_max};
	model_space(m, HAS_SPACE_BEFORE);
	m->last_site = SITE_VALUE;
	if (model_peek(m) != '{' && model_peek(m) != '[')
		model_has(m, HAS_SCALAR_ALONE);
	if (!model_value(m))
		return m->err;
	model_space(m, HAS_SPACE_BEHIND);
	m->last_site = SITE_TAIL;
	if (m->at != m->len)
		(void)model_unexpected(m, WIRE_ERR_TRAILING_BYTES);
	return m->err;
}

#endif
