/*
 * Inside of profile_read, mcp_read and http_read: the tokens of a text that a
 * scan has accepted, with their places, and how a problem is noted.
 *
 * Pure. Nobody but these and profile_member.c includes this.
 */
#ifndef SUP_PROFILE_TOKEN_H
#define SUP_PROFILE_TOKEN_H

#include "supervisor/profile_read.h"

struct sup_tokens {
	enum sup_format format;
	struct wire_span text;
	struct wire_json_cursor cursor;
	/* The token that is looked at, its raw text, and where it begins. */
	enum wire_json_token token;
	struct wire_span raw;
	size_t offset;
	char *arena;
	size_t arena_len; /* never over text.len */
	struct sup_profile_problem *problem;
};

/* Scans the text, which is to be read then; notes what is wrong. */
WIRE_MUST_USE enum wire_err sup_tokens_scan(struct sup_tokens *tokens,
    unsigned depth_max, struct wire_json_scratch *scratch);

void sup_tokens_next(struct sup_tokens *tokens);

/* Notes a problem at a place. Always WIRE_ERR_BAD_ARGUMENT. */
__attribute__((format(printf, 3, 4))) enum wire_err sup_tokens_refuse(
    struct sup_tokens *tokens, size_t offset, const char *format, ...);

/* The problem of a value of another type: it has to be `wanted`. */
enum wire_err sup_tokens_mistyped(
    struct sup_tokens *tokens, const char *wanted);

/* Whether the key that is looked at spells word. */
bool sup_tokens_is_key(const struct sup_tokens *tokens, const char *word);

/* Copies the string or key that is looked at; one with a NUL is refused. */
WIRE_MUST_USE enum wire_err sup_tokens_string(
    struct sup_tokens *tokens, const char **ret_text);

#endif
