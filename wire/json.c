#include "wire/json.h"

#include "wire/json_keys.h"
#include "wire/json_string.h"
#include "wire/json_text.h"

/*
 * One pass, one pointer. The functions take the place to go on from and
 * return the place after what they took, or NULL when they have noted an
 * error; keeping the pointer out of the structure keeps it in a register.
 */
struct scan {
	struct wire_json_text text;
	unsigned depth, depth_max;
	struct wire_json_keys keys;
	/* The members to hand out, or NULL; `member` is the one whose value
	 * is being scanned. */
	struct wire_json_member *members, *member;
	size_t members_max, member_count;
	bool is_object[WIRE_MAX_DEPTH];
	struct wire_json_names names[WIRE_MAX_DEPTH];
};

/* Most often there is none, or one blank. */
static inline const uint8_t *
skip_space(const uint8_t *p, const uint8_t *end)
{
	if (p<end && * p> ' ')
		return p;
	if (end - p >= 2 && *p == ' ' && p[1] > ' ')
		return p + 1;
	return wire_json_space_run(p, end);
}

/* --- numbers and words --------------------------------------------------- */

static inline bool
is_digit(uint8_t byte)
{
	return (uint8_t)(byte - '0') < 10;
}

/* At least one digit. */
static inline const uint8_t *
scan_digits(struct scan *s, const uint8_t *p)
{
	if (p == s->text.end || !is_digit(*p))
		return wire_json_unexpected(&s->text, WIRE_ERR_BAD_NUMBER, p);
	do
		p++;
	while (p < s->text.end && is_digit(*p));
	return p;
}

/* A byte that makes a number before it a malformed one, as in 01 or 0x1. */
static inline bool
runs_on(uint8_t byte)
{
	return is_digit(byte) || byte == '.' || byte == '+' || byte == '-' ||
	    byte == '_' || (uint8_t)((byte | 0x20) - 'a') < 26;
}

static inline const uint8_t *
scan_number(struct scan *s, const uint8_t *p)
{
	if (*p == '-')
		p++;
	if (p < s->text.end && *p == '0')
		p++;
	else if ((p = scan_digits(s, p)) == NULL)
		return NULL;
	if (p < s->text.end && *p == '.') {
		if ((p = scan_digits(s, p + 1)) == NULL)
			return NULL;
	}
	if (p < s->text.end && (*p | 0x20) == 'e') {
		p++;
		if (p < s->text.end && (*p == '+' || *p == '-'))
			p++;
		if ((p = scan_digits(s, p)) == NULL)
			return NULL;
	}
	if (p < s->text.end && runs_on(*p))
		return wire_json_fail(&s->text, WIRE_ERR_BAD_NUMBER, p);
	return p;
}

static const uint8_t *
scan_word(struct scan *s, const uint8_t *p, const char *word)
{
	for (; *word != '\0'; word++, p++) {
		if (p == s->text.end || *p != (uint8_t)*word)
			return wire_json_unexpected(
			    &s->text, WIRE_ERR_BAD_SYNTAX, p);
	}
	return p;
}

/* --- structure ----------------------------------------------------------- */

/*
 * Takes a member's name at p, which must be its opening quote, and its colon;
 * returns the first byte of the value.
 */
static const uint8_t *
scan_key(struct scan *s, const uint8_t *p)
{
	const uint8_t *quote = p;
	struct wire_span key;
	enum wire_err err;

	if (p == s->text.end || *p != '"')
		return wire_json_unexpected(&s->text, WIRE_ERR_BAD_SYNTAX, p);
	s->text.escaped = false;
	p = wire_json_scan_string(&s->text, p + 1);
	if (p == NULL)
		return NULL;
	key = (struct wire_span){quote + 1, (size_t)(p - quote - 2)};
	err = wire_json_keys_add(&s->keys, &s->names[s->depth - 1], key,
	    s->text.escaped, s->text.end);
	if (err != WIRE_OK)
		return wire_json_fail(&s->text, err, quote);
	if (s->depth == 1 && s->members != NULL) {
		if (s->member_count == s->members_max)
			return wire_json_fail(
			    &s->text, WIRE_ERR_TOO_MANY_MEMBERS, quote);
		s->member = &s->members[s->member_count++];
		s->member->key = key;
		s->member->key_escaped = s->text.escaped;
	}
	p = skip_space(p, s->text.end);
	if (p == s->text.end || *p != ':')
		return wire_json_unexpected(&s->text, WIRE_ERR_BAD_SYNTAX, p);
	return skip_space(p + 1, s->text.end);
}

/* Opens a container at p. *ret_whole when it is empty and so closed again. */
static inline const uint8_t *
open_container(struct scan *s, const uint8_t *p, bool *ret_whole)
{
	bool object = *p == '{';

	if (s->depth == s->depth_max)
		return wire_json_fail(&s->text, WIRE_ERR_TOO_DEEP, p);
	p = skip_space(p + 1, s->text.end);
	if (p < s->text.end && *p == (object ? '}' : ']')) {
		*ret_whole = true;
		return p + 1;
	}
	*ret_whole = false;
	s->is_object[s->depth] = object;
	if (object)
		wire_json_keys_open(&s->keys, &s->names[s->depth]);
	s->depth++;
	return object ? scan_key(s, p) : p;
}

/* Takes a scalar, an empty container, or the opening of another one. */
static inline const uint8_t *
scan_value(struct scan *s, const uint8_t *p, bool *ret_whole)
{
	*ret_whole = true;
	if (p == s->text.end)
		return wire_json_unexpected(&s->text, WIRE_ERR_TRUNCATED, p);
	switch (*p) {
	case '"':
		return wire_json_scan_string(&s->text, p + 1);
	case '{':
	case '[':
		return open_container(s, p, ret_whole);
	case 't':
		return scan_word(s, p, "true");
	case 'f':
		return scan_word(s, p, "false");
	case 'n':
		return scan_word(s, p, "null");
	case '-':
	case '0' ... '9':
		return scan_number(s, p);
	case '+':
	case '.':
		return wire_json_fail(&s->text, WIRE_ERR_BAD_NUMBER, p);
	default:
		return wire_json_unexpected(&s->text, WIRE_ERR_BAD_SYNTAX, p);
	}
}

static inline void
close_container(struct scan *s)
{
	s->depth--;
	if (s->is_object[s->depth])
		wire_json_keys_close(&s->keys, &s->names[s->depth]);
}

/*
 * A value ends at p: closes what ends with it and goes on to the next value's
 * first byte; with depth 0 reached, returns the end of the outermost value.
 */
static inline const uint8_t *
after_value(struct scan *s, const uint8_t *p)
{
	bool object;

	while (s->depth != 0) {
		if (s->depth == 1 && s->member != NULL)
			s->member->value.len = (size_t)(p - s->member->value.p);
		object = s->is_object[s->depth - 1];
		p = skip_space(p, s->text.end);
		if (p == s->text.end)
			return wire_json_fail(&s->text, WIRE_ERR_TRUNCATED, p);
		if (*p == ',') {
			p = skip_space(p + 1, s->text.end);
			return object ? scan_key(s, p) : p;
		}
		if (*p != (object ? '}' : ']'))
			return wire_json_unexpected(
			    &s->text, WIRE_ERR_BAD_SYNTAX, p);
		close_container(s);
		p++;
	}
	return p;
}

static enum wire_json_type
type_at(const uint8_t *p)
{
	switch (*p) {
	case '"':
		return WIRE_JSON_STRING;
	case '{':
		return WIRE_JSON_OBJECT;
	case '[':
		return WIRE_JSON_ARRAY;
	case 't':
		return WIRE_JSON_TRUE;
	case 'f':
		return WIRE_JSON_FALSE;
	case 'n':
		return WIRE_JSON_NULL;
	default:
		return WIRE_JSON_NUMBER;
	}
}

/* From the first byte of the outermost value to the end of the text. */
static const uint8_t *
scan_document(struct scan *s, const uint8_t *p)
{
	bool whole;

	do {
		if (s->depth == 1 && s->member != NULL && p < s->text.end) {
			s->member->value.p = p;
			s->member->type = type_at(p);
		}
		p = scan_value(s, p, &whole);
		if (p != NULL && whole)
			p = after_value(s, p);
	} while (p != NULL && s->depth != 0);
	if (p == NULL)
		return NULL;
	p = skip_space(p, s->text.end);
	return p == s->text.end
	    ? p
	    : wire_json_unexpected(&s->text, WIRE_ERR_TRAILING_BYTES, p);
}

static enum wire_err
scan(struct scan *s, struct wire_span text, unsigned depth_max,
    const struct wire_json_scratch *scratch, enum wire_json_type *ret_type,
    struct wire_errinfo *info)
{
	const uint8_t *p;

	if (text.len > UINT32_MAX || depth_max > WIRE_MAX_DEPTH)
		return wire_fail(info, WIRE_ERR_BAD_ARGUMENT, "text", 0);
	s->text.begin = text.p;
	s->text.end = wire_span_end(text);
	s->depth = 0;
	s->depth_max = depth_max;
	s->text.err = WIRE_OK;
	wire_json_keys_init(&s->keys, scratch);
	p = skip_space(s->text.begin, s->text.end);
	if (s->members != NULL && p < s->text.end && *p != '{' &&
	    (*p == '"' || *p == '[' || *p == 't' || *p == 'f' || *p == 'n' ||
		*p == '-' || is_digit(*p)))
		(void)wire_json_fail(&s->text, WIRE_ERR_NOT_OBJECT, p);
	else if (scan_document(s, p) != NULL)
		*ret_type = type_at(p);
	/* The scratch is left clear, and that costs what was put in. */
	while (s->depth != 0)
		close_container(s);
	if (s->text.err != WIRE_OK)
		return wire_fail(
		    info, s->text.err, "frame", s->text.err_offset);
	return WIRE_OK;
}

enum wire_err
wire_json_scan(struct wire_span text, unsigned depth_max,
    struct wire_json_scratch *scratch, enum wire_json_type *ret_type,
    struct wire_errinfo *info)
{
	struct scan s;

	s.members = s.member = NULL;
	return scan(&s, text, depth_max, scratch, ret_type, info);
}

enum wire_err
wire_json_scan_object(struct wire_span text, unsigned depth_max,
    struct wire_json_scratch *scratch, struct wire_json_member *members,
    size_t members_max, size_t *ret_count, struct wire_errinfo *info)
{
	enum wire_json_type type;
	enum wire_err err;
	struct scan s;

	s.members = members;
	s.member = NULL;
	s.members_max = members_max;
	s.member_count = 0;
	err = scan(&s, text, depth_max, scratch, &type, info);
	if (err == WIRE_OK)
		*ret_count = s.member_count;
	return err;
}
