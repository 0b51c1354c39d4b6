#include "wire/json_string.h"

#include "wire/json_text.h"
#include "wire/utf8.h"

const uint8_t *
wire_json_fail(
    struct wire_json_text *text, enum wire_err err, const uint8_t *at)
{
	text->err = err;
	text->err_offset = (size_t)(at - text->begin);
	return NULL;
}

const uint8_t *
wire_json_unexpected(
    struct wire_json_text *text, enum wire_err err, const uint8_t *p)
{
	bool ok;

	if (p == text->end)
		return wire_json_fail(text, WIRE_ERR_TRUNCATED, p);
	if (*p == 0)
		return wire_json_fail(text, WIRE_ERR_NUL_BYTE, p);
	(void)wire_utf8_step(
	    (struct wire_span){p, (size_t)(text->end - p)}, &ok);
	return wire_json_fail(text, ok ? err : WIRE_ERR_BAD_UTF8, p);
}

/*
 * Length of the well-formed character of two or three bytes at p, which has
 * four bytes to look at; 0 when it is neither. E0 and ED, whose second byte
 * has a narrower range, are left to the full check, and so are four bytes.
 */
static inline size_t
short_character(const uint8_t *p)
{
	if ((p[1] & 0xc0) != 0x80)
		return 0;
	if (p[0] >= 0xc2 && p[0] < 0xe0)
		return 2;
	if ((p[2] & 0xc0) == 0x80 && (p[0] & 0xf0) == 0xe0 && p[0] != 0xe0 &&
	    p[0] != 0xed)
		return 3;
	return 0;
}

/* Characters of more than one byte, as many as there are in a row. */
static const uint8_t *
scan_wide(struct wire_json_text *text, const uint8_t *p)
{
	size_t step;
	bool ok;

	while (p < text->end && *p >= 0x80) {
		step = text->end - p >= 4 ? short_character(p) : 0;
		if (step == 0) {
			step = wire_utf8_step(
			    (struct wire_span){p, (size_t)(text->end - p)},
			    &ok);
			if (!ok)
				return wire_json_fail(
				    text, WIRE_ERR_BAD_UTF8, p);
		}
		p += step;
	}
	return p;
}

/* A byte that may not stand in an escape sequence. */
static const uint8_t *
bad_escape(struct wire_json_text *text, const uint8_t *p)
{
	return wire_json_unexpected(text,
	    p < text->end && *p < 0x20 ? WIRE_ERR_CONTROL_CHARACTER
				       : WIRE_ERR_BAD_ESCAPE,
	    p);
}

/* The four digits at p. */
static const uint8_t *
scan_hex4(struct wire_json_text *text, const uint8_t *p, int *ret_code)
{
	int i;

	if (text->end - p >= 4 && (*ret_code = wire_json_hex4(p)) >= 0)
		return p + 4;
	for (i = 0; i < 4 && p < text->end; i++, p++) {
		if (!((*p >= '0' && *p <= '9') ||
			((*p | 0x20) >= 'a' && (*p | 0x20) <= 'f')))
			break;
	}
	return bad_escape(text, p);
}

/* From the `u` of an escape that begins at `escape`. */
static const uint8_t *
scan_unicode(struct wire_json_text *text, const uint8_t *escape)
{
	const uint8_t *p;
	int code, low;

	p = scan_hex4(text, escape + 2, &code);
	if (p == NULL || code < 0xd800 || code > 0xdfff)
		return p;
	if (code > 0xdbff)
		return wire_json_fail(text, WIRE_ERR_LONE_SURROGATE, escape);
	if (p == text->end || (*p == '\\' && p + 1 == text->end))
		return wire_json_fail(text, WIRE_ERR_TRUNCATED, text->end);
	if (p[0] != '\\' || p[1] != 'u')
		return wire_json_fail(text, WIRE_ERR_LONE_SURROGATE, escape);
	p = scan_hex4(text, p + 2, &low);
	if (p != NULL && (low < 0xdc00 || low > 0xdfff))
		return wire_json_fail(text, WIRE_ERR_LONE_SURROGATE, escape);
	return p;
}

/* Escape sequences, as many as there are in a row. */
static const uint8_t *
scan_escapes(struct wire_json_text *text, const uint8_t *p)
{
	text->escaped = true;
	while (p != NULL && p < text->end && *p == '\\') {
		if (p + 1 == text->end)
			return wire_json_fail(
			    text, WIRE_ERR_TRUNCATED, text->end);
		switch (p[1]) {
		case '"':
		case '\\':
		case '/':
		case 'b':
		case 'f':
		case 'n':
		case 'r':
		case 't':
			p += 2;
			break;
		case 'u':
			p = scan_unicode(text, p);
			break;
		default:
			return bad_escape(text, p + 1);
		}
	}
	return p;
}

const uint8_t *
wire_json_scan_string(struct wire_json_text *text, const uint8_t *p)
{
	for (;;) {
		p = wire_json_plain_run(p, text->end);
		if (p == text->end)
			return wire_json_fail(text, WIRE_ERR_TRUNCATED, p);
		if (*p == '"')
			return p + 1;
		if (*p == '\\')
			p = scan_escapes(text, p);
		else if (*p >= 0x80)
			p = scan_wide(text, p);
		else
			return wire_json_unexpected(
			    text, WIRE_ERR_CONTROL_CHARACTER, p);
		if (p == NULL)
			return NULL;
	}
}
