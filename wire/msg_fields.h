/*
 * Inside of wire/: taking a frame's fields by name.
 *
 * Every taker looks a member up, checks it and returns it. The first error
 * latches in the reader with the name of the field and its offset; after it
 * the takers return 0, false, NULL or an empty span and do nothing. Required
 * members that are missing are WIRE_ERR_MISSING_FIELD at their object's first
 * byte; wrong types and ranges are WIRE_ERR_BAD_FIELD at the value.
 *
 * Owns: nothing; what it returns points into the line. Pure.
 */
#ifndef WIRE_MSG_FIELDS_H
#define WIRE_MSG_FIELDS_H

#include "wire/json.h"

struct wire_reader {
	const uint8_t *begin; /* of the line, for offsets */
	struct wire_json_scratch *scratch;
	enum wire_err err;
	const char *site;
	size_t offset;
};

/* An object whose members are looked up. */
struct wire_object {
	const uint8_t *begin;
	size_t count;
	struct wire_json_member members[WIRE_MAX_FRAME_MEMBERS];
};

/* Latches an error, unless there is one. */
void wire_fields_fail(struct wire_reader *r, enum wire_err err,
    const char *site, const uint8_t *at);

/* WIRE_ERR_BAD_FIELD at a member's value. */
void wire_fields_bad(
    struct wire_reader *r, const char *site, const struct wire_json_member *m);

/* Splits the text of an object into its members; false after an error. */
bool wire_fields_scan(struct wire_reader *r, struct wire_span text,
    const char *site, struct wire_object *ret_object);

/* A member by its name, or NULL. Looks whatever has gone before. */
const struct wire_json_member *wire_fields_find(
    const struct wire_object *object, const char *name);

/* A member that must be there, of the given type; else NULL. */
const struct wire_json_member *wire_fields_need(struct wire_reader *r,
    const struct wire_object *object, const char *name,
    enum wire_json_type type);

/* A plain integer of 0..max. */
uint64_t wire_take_uint(struct wire_reader *r, const struct wire_object *object,
    const char *name, uint64_t max);
uint32_t wire_take_uint32(
    struct wire_reader *r, const struct wire_object *object, const char *name);

bool wire_take_bool(
    struct wire_reader *r, const struct wire_object *object, const char *name);

/* A string's raw text, of at most max wire bytes. */
struct wire_span wire_take_string(struct wire_reader *r,
    const struct wire_object *object, const char *name, size_t max);

bool wire_take_object(struct wire_reader *r, const struct wire_object *object,
    const char *name, struct wire_object *ret_object);

/*
 * Goes through an array of scalars: wire_take_array, then wire_take_next
 * until it gives WIRE_TOK_ARRAY_END. A container inside gives WIRE_TOK_END.
 */
bool wire_take_array(struct wire_reader *r, const struct wire_object *object,
    const char *name, struct wire_json_cursor *ret_cursor);
enum wire_json_token wire_take_next(
    struct wire_json_cursor *cursor, struct wire_span *ret_text);

/* Arrays of up to max plain integers, or strings of up to text_max bytes;
 * the number of them. */
size_t wire_take_uints(struct wire_reader *r, const struct wire_object *object,
    const char *name, uint32_t *list, size_t max);
size_t wire_take_strings(struct wire_reader *r,
    const struct wire_object *object, const char *name, struct wire_span *list,
    size_t max, size_t text_max);

/*
 * Exactly one of several members: the index of its name, or count after an
 * error. A second one is refused where it stands.
 */
size_t wire_take_one_of(struct wire_reader *r, const struct wire_object *object,
    const char *const *names, size_t count);

#endif
