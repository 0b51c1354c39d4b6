#include "fuzz/child_json.h"

#include <string.h>

/* A fuzzer is to explore the host, not what holds it to its word. */
#ifdef __clang__
#pragma clang attribute push(                                                  \
    __attribute__((no_sanitize("coverage"))), apply_to = function)
#endif

#define TEXT_MAX 1024 /* raw bytes of a string worth decoding */

static bool
is_space(uint8_t byte)
{
	return byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n';
}

struct wire_span
naive_trim(struct wire_span text)
{
	while (text.len > 0 && is_space(text.p[0])) {
		text.p++;
		text.len--;
	}
	while (text.len > 0 && is_space(text.p[text.len - 1]))
		text.len--;
	return text;
}

/* One past the string whose opening quote stands at `at`. */
static size_t
string_end(struct wire_span text, size_t at)
{
	for (at++; at < text.len && text.p[at] != '"'; at++)
		if (text.p[at] == '\\')
			at++;
	return at + 1;
}

/* Where the comma, colon or bracket behind the value at `at` stands. */
static size_t
value_end(struct wire_span text, size_t at)
{
	size_t depth = 0;

	while (at < text.len) {
		uint8_t byte = text.p[at];

		if (byte == '"') {
			at = string_end(text, at);
			continue;
		}
		if (depth == 0 &&
		    (byte == ',' || byte == ':' || byte == '}' || byte == ']'))
			break;
		if (byte == '{' || byte == '[')
			depth++;
		if (byte == '}' || byte == ']')
			depth--;
		at++;
	}
	return at;
}

bool
naive_next(struct wire_span outer, size_t *at, struct wire_span *ret_key,
    struct wire_span *ret_value)
{
	/* At the opening bracket, or at what stood behind a value. */
	size_t begin = *at + 1, end = value_end(outer, begin);
	struct wire_span part;

	if (begin >= outer.len)
		return false;
	part = naive_trim((struct wire_span){outer.p + begin, end - begin});
	if (part.len == 0)
		return false;
	*ret_key = (struct wire_span){part.p, 0};
	if (outer.p[0] == '{') {
		*ret_key = part;
		begin = end + 1;
		end = value_end(outer, begin);
		part = naive_trim(
		    (struct wire_span){outer.p + begin, end - begin});
	}
	*ret_value = part;
	*at = end;
	return true;
}

bool
naive_find(
    struct wire_span object, const char *name, struct wire_span *ret_value)
{
	struct wire_span key, found;
	size_t at = 0;

	while (naive_next(object, &at, &key, &found))
		if (naive_is(key, name)) {
			*ret_value = found;
			return true;
		}
	return false;
}

size_t
naive_count(struct wire_span outer)
{
	struct wire_span key, found;
	size_t at = 0, count = 0;

	while (naive_next(outer, &at, &key, &found))
		count++;
	return count;
}

bool
naive_text(struct wire_span string, uint8_t *text, size_t max, size_t *ret_len)
{
	uint8_t plain[TEXT_MAX];
	size_t len;

	if (string.len < 2 || string.p[0] != '"' || string.len > TEXT_MAX)
		return false;
	len = model_unescape(
	    (struct wire_span){string.p + 1, string.len - 2}, plain);
	if (len > max)
		return false;
	memcpy(text, plain, len);
	*ret_len = len;
	return true;
}

bool
naive_is(struct wire_span string, const char *plain)
{
	uint8_t text[64];
	size_t len;

	return naive_text(string, text, sizeof(text), &len) &&
	    len == strlen(plain) && memcmp(text, plain, len) == 0;
}

bool
naive_uint(struct wire_span number, uint64_t max, uint64_t *ret_value)
{
	unsigned __int128 sum = 0;

	if (number.len == 0 || number.len > 20 ||
	    (number.len > 1 && number.p[0] == '0'))
		return false;
	for (size_t i = 0; i < number.len; i++) {
		if (number.p[i] < '0' || number.p[i] > '9')
			return false;
		sum = sum * 10 + (unsigned)(number.p[i] - '0');
	}
	if (sum > max)
		return false;
	*ret_value = (uint64_t)sum;
	return true;
}

#ifdef __clang__
#pragma clang attribute pop
#endif
