#include "wire/msg_fields.h"

#include <string.h>

#include "wire/json_text.h"

void
wire_fields_fail(struct wire_reader *r, enum wire_err err, const char *site,
    const uint8_t *at)
{
	if (r->err != WIRE_OK)
		return;
	r->err = err;
	r->site = site;
	r->offset = (size_t)(at - r->begin);
}

void
wire_fields_bad(
    struct wire_reader *r, const char *site, const struct wire_json_member *m)
{
	wire_fields_fail(r, WIRE_ERR_BAD_FIELD, site, m->value.p);
}

bool
wire_fields_scan(struct wire_reader *r, struct wire_span text, const char *site,
    struct wire_object *ret_object)
{
	struct wire_errinfo info;
	enum wire_err err;

	if (r->err != WIRE_OK)
		return false;
	err = wire_json_scan_object(text, WIRE_MAX_DEPTH, r->scratch,
	    ret_object->members, WIRE_MAX_FRAME_MEMBERS, &ret_object->count,
	    &info);
	if (err != WIRE_OK) {
		wire_fields_fail(r, err, site, text.p + info.offset);
		return false;
	}
	ret_object->begin = text.p;
	return true;
}

const struct wire_json_member *
wire_fields_find(const struct wire_object *object, const char *name)
{
	struct wire_span plain = {(const uint8_t *)name, strlen(name)};
	size_t i;

	for (i = 0; i < object->count; i++) {
		const struct wire_json_member *m = &object->members[i];

		if (m->key_escaped ? wire_json_text_equal(m->key, plain)
				   : wire_span_equal(m->key, plain))
			return m;
	}
	return NULL;
}

const struct wire_json_member *
wire_fields_need(struct wire_reader *r, const struct wire_object *object,
    const char *name, enum wire_json_type type)
{
	const struct wire_json_member *m;

	if (r->err != WIRE_OK)
		return NULL;
	m = wire_fields_find(object, name);
	if (m == NULL) {
		wire_fields_fail(
		    r, WIRE_ERR_MISSING_FIELD, name, object->begin);
		return NULL;
	}
	if (m->type != type) {
		wire_fields_bad(r, name, m);
		return NULL;
	}
	return m;
}

uint64_t
wire_take_uint(struct wire_reader *r, const struct wire_object *object,
    const char *name, uint64_t max)
{
	const struct wire_json_member *m;
	uint64_t value = 0;

	m = wire_fields_need(r, object, name, WIRE_JSON_NUMBER);
	if (m != NULL && !wire_json_plain_uint(m->value, max, &value))
		wire_fields_bad(r, name, m);
	return value;
}

uint32_t
wire_take_uint32(
    struct wire_reader *r, const struct wire_object *object, const char *name)
{
	return (uint32_t)wire_take_uint(r, object, name, UINT32_MAX);
}

bool
wire_take_bool(
    struct wire_reader *r, const struct wire_object *object, const char *name)
{
	const struct wire_json_member *m;

	m = wire_fields_find(object, name);
	if (m != NULL && m->type == WIRE_JSON_FALSE)
		return false;
	return wire_fields_need(r, object, name, WIRE_JSON_TRUE) != NULL;
}

struct wire_span
wire_take_string(struct wire_reader *r, const struct wire_object *object,
    const char *name, size_t max)
{
	const struct wire_json_member *m;

	m = wire_fields_need(r, object, name, WIRE_JSON_STRING);
	if (m == NULL)
		return (struct wire_span){NULL, 0};
	if (m->value.len - 2 > max)
		wire_fields_bad(r, name, m);
	return (struct wire_span){m->value.p + 1, m->value.len - 2};
}

bool
wire_take_object(struct wire_reader *r, const struct wire_object *object,
    const char *name, struct wire_object *ret_object)
{
	const struct wire_json_member *m;

	m = wire_fields_need(r, object, name, WIRE_JSON_OBJECT);
	return m != NULL && wire_fields_scan(r, m->value, name, ret_object);
}

bool
wire_take_array(struct wire_reader *r, const struct wire_object *object,
    const char *name, struct wire_json_cursor *ret_cursor)
{
	const struct wire_json_member *m;
	struct wire_span text;

	m = wire_fields_need(r, object, name, WIRE_JSON_ARRAY);
	if (m == NULL)
		return false;
	wire_json_cursor_init(ret_cursor, m->value);
	(void)wire_json_cursor_next(ret_cursor, &text);
	return true;
}

enum wire_json_token
wire_take_next(struct wire_json_cursor *cursor, struct wire_span *ret_text)
{
	enum wire_json_token token = wire_json_cursor_next(cursor, ret_text);

	if (token == WIRE_TOK_ARRAY_BEGIN || token == WIRE_TOK_OBJECT_BEGIN)
		return WIRE_TOK_END;
	return token;
}

size_t
wire_take_uints(struct wire_reader *r, const struct wire_object *object,
    const char *name, uint32_t *list, size_t max)
{
	struct wire_json_cursor cursor;
	enum wire_json_token token;
	struct wire_span text;
	uint64_t value;
	size_t count = 0;

	if (!wire_take_array(r, object, name, &cursor))
		return 0;
	while ((token = wire_take_next(&cursor, &text)) != WIRE_TOK_ARRAY_END) {
		if (token != WIRE_TOK_NUMBER || count == max ||
		    !wire_json_plain_uint(text, UINT32_MAX, &value)) {
			wire_fields_bad(
			    r, name, wire_fields_find(object, name));
			return 0;
		}
		list[count++] = (uint32_t)value;
	}
	return count;
}

size_t
wire_take_strings(struct wire_reader *r, const struct wire_object *object,
    const char *name, struct wire_span *list, size_t max, size_t text_max)
{
	struct wire_json_cursor cursor;
	enum wire_json_token token;
	struct wire_span text;
	size_t count = 0;

	if (!wire_take_array(r, object, name, &cursor))
		return 0;
	while ((token = wire_take_next(&cursor, &text)) != WIRE_TOK_ARRAY_END) {
		if (token != WIRE_TOK_STRING || count == max ||
		    text.len > text_max) {
			wire_fields_bad(
			    r, name, wire_fields_find(object, name));
			return 0;
		}
		list[count++] = text;
	}
	return count;
}

size_t
wire_take_one_of(struct wire_reader *r, const struct wire_object *object,
    const char *const *names, size_t count)
{
	const struct wire_json_member *m, *first = NULL;
	size_t i, found = count;

	for (i = 0; i < count; i++) {
		m = wire_fields_find(object, names[i]);
		if (m == NULL)
			continue;
		if (first != NULL) {
			wire_fields_bad(r, m > first ? names[i] : names[found],
			    m > first ? m : first);
			return count;
		}
		first = m;
		found = i;
	}
	if (first == NULL)
		wire_fields_fail(
		    r, WIRE_ERR_MISSING_FIELD, names[0], object->begin);
	return found;
}
