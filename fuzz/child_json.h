/*
 * Looking into JSON that is known to be that: members, elements, texts. As
 * plain as fuzz/model_json.h, and like it without anything of wire/.
 */
#ifndef FUZZ_CHILD_JSON_H
#define FUZZ_CHILD_JSON_H

#include "fuzz/model_json.h"
#include "wire/span.h"

/* The text without white space around it. */
struct wire_span naive_trim(struct wire_span text);

/*
 * Of an object or array: the next member or element. *at starts at 0;
 * *ret_key is its string with the quotes, empty in an array. False at the end.
 */
bool naive_next(struct wire_span container, size_t *at,
    struct wire_span *ret_key, struct wire_span *ret_value);

/* A member by its plain name. */
bool naive_find(
    struct wire_span object, const char *name, struct wire_span *ret_value);

/* Number of members or elements. */
size_t naive_count(struct wire_span container);

/* Decodes a string with its quotes; false when it is longer than max. */
bool naive_text(
    struct wire_span string, uint8_t *text, size_t max, size_t *ret_len);

bool naive_is(struct wire_span string, const char *plain);

/* Digits alone, without a leading zero, of 0..max. */
bool naive_uint(struct wire_span number, uint64_t max, uint64_t *ret_value);

#endif
