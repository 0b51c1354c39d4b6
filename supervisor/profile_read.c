#include "supervisor/profile_read.h"

#include <bsd/string.h>
#include <stdio.h>
#include <string.h>

#include "supervisor/profile_member.h"

/* Deeper than each of the formats goes. */
#define DEPTH_MAX 8

const char *
sup_format_schema(enum sup_format format)
{
	static const char *const schemas[SUP_FORMATS] = {
	    [SUP_FORMAT_PROFILES] = "weir.profiles/1",
	    [SUP_FORMAT_POLICY] = "weir.policy/1",
	    [SUP_FORMAT_REQUEST] = "weir.request/1",
	};

	return schemas[format];
}

bool
sup_profile_is_name(const char *text)
{
	size_t len = strspn(text,
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	    "_.-");

	return len >= 1 && len <= SUP_PROFILE_NAME && text[len] == '\0';
}

/* --- one profile, policy or request --------------------------------------- */

/* Where its members stand; SIZE_MAX: it has none of this name. */
struct places {
	size_t at[SUP_MEMBERS];
};

/* What only the members together show. */
static enum wire_err
check_together(struct sup_tokens *tokens, const struct places *places,
    const struct sup_profile *profile)
{
	if (tokens->format != SUP_FORMAT_PROFILES ||
	    profile->network != SUP_SAY_YES)
		return WIRE_OK;
	/* C13: the host's network reaches what is inside of the host. */
	if (!profile->level_given || profile->level > SUP_LEVEL_PROCESS)
		return sup_tokens_refuse(tokens, places->at[SUP_MEMBER_NETWORK],
		    "with the network the level is \"process\" at most; "
		    "say so in \"level\", or leave the network out");
	return WIRE_OK;
}

static enum wire_err
unknown_member(struct sup_tokens *tokens)
{
	char list[256] = "";

	for (unsigned i = 0; i < SUP_MEMBERS; i++) {
		if (!sup_member_is_in((enum sup_member)i, tokens->format))
			continue;
		(void)strlcat(list, " ", sizeof(list));
		(void)strlcat(
		    list, sup_member_word((enum sup_member)i), sizeof(list));
	}
	return sup_tokens_refuse(tokens, tokens->offset,
	    "no such member here; the members are%s", list);
}

static enum wire_err
missing_schema(struct sup_tokens *tokens, size_t offset)
{
	return sup_tokens_refuse(tokens, offset,
	    "the member \"schema\" is missing; write \"schema\": \"%s\"",
	    sup_format_schema(tokens->format));
}

static enum wire_err
read_members(struct sup_tokens *tokens, struct sup_profile *profile)
{
	struct places places;
	size_t begin = tokens->offset;
	enum wire_err err;

	memset(&places, 0xff, sizeof(places));
	memset(profile, 0, sizeof(*profile));
	if (tokens->token != WIRE_TOK_OBJECT_BEGIN)
		return sup_tokens_mistyped(tokens, "an object");
	for (sup_tokens_next(tokens); tokens->token == WIRE_TOK_KEY;
	     sup_tokens_next(tokens)) {
		unsigned member;

		for (member = 0; member < SUP_MEMBERS; member++)
			if (sup_member_is_in(
				(enum sup_member)member, tokens->format) &&
			    sup_tokens_is_key(tokens,
				sup_member_word((enum sup_member)member)))
				break;
		if (member == SUP_MEMBERS)
			return unknown_member(tokens);
		places.at[member] = tokens->offset;
		sup_tokens_next(tokens);
		err = sup_member_read((enum sup_member)member, tokens, profile);
		if (err != WIRE_OK)
			return err;
	}
	if (sup_member_is_in(SUP_MEMBER_SCHEMA, tokens->format) &&
	    places.at[SUP_MEMBER_SCHEMA] == SIZE_MAX)
		return missing_schema(tokens, begin);
	return check_together(tokens, &places, profile);
}

/* --- the profiles of a file ----------------------------------------------- */

struct set {
	const char *wanted;
	bool found;
	char names[256]; /* of all, as far as they fit; for the message */
	struct sup_profile *spare, *chosen;
};

static enum wire_err
read_one_profile(struct sup_tokens *tokens, struct set *set)
{
	const char *name;
	enum wire_err err = sup_tokens_string(tokens, &name);

	if (err != WIRE_OK)
		return err;
	if (!sup_profile_is_name(name))
		return sup_tokens_refuse(tokens, tokens->offset,
		    "cannot be the name of a profile; use 1 to 64 letters, "
		    "digits, '_', '.' and '-'");
	sup_tokens_next(tokens);
	err = read_members(tokens, set->spare);
	if (err != WIRE_OK)
		return err;
	(void)strlcat(set->names, " ", sizeof(set->names));
	(void)strlcat(set->names, name, sizeof(set->names));
	if (strcmp(name, set->wanted) == 0) {
		*set->chosen = *set->spare;
		set->found = true;
	}
	return WIRE_OK;
}

static enum wire_err
read_profiles(struct sup_tokens *tokens, struct set *set)
{
	size_t begin = tokens->offset;
	enum wire_err err;

	if (tokens->token != WIRE_TOK_OBJECT_BEGIN)
		return sup_tokens_mistyped(tokens, "an object of profiles");
	for (sup_tokens_next(tokens); tokens->token == WIRE_TOK_KEY;
	     sup_tokens_next(tokens)) {
		err = read_one_profile(tokens, set);
		if (err != WIRE_OK)
			return err;
	}
	if (set->names[0] == '\0')
		return sup_tokens_refuse(
		    tokens, begin, "no profile in it; write one");
	if (!set->found)
		return sup_tokens_refuse(tokens, begin,
		    "no profile \"%s\" in it; the profiles are%s", set->wanted,
		    set->names);
	return WIRE_OK;
}

static enum wire_err
read_set(struct sup_tokens *tokens, struct set *set)
{
	size_t begin = tokens->offset;
	bool schema = false, profiles = false;
	enum wire_err err = WIRE_OK;

	if (tokens->token != WIRE_TOK_OBJECT_BEGIN)
		return sup_tokens_mistyped(tokens, "an object");
	for (sup_tokens_next(tokens);
	     err == WIRE_OK && tokens->token == WIRE_TOK_KEY;
	     sup_tokens_next(tokens)) {
		if (sup_tokens_is_key(tokens, "schema")) {
			sup_tokens_next(tokens);
			err = sup_member_read(
			    SUP_MEMBER_SCHEMA, tokens, set->spare);
			schema = true;
		} else if (sup_tokens_is_key(tokens, "profiles")) {
			sup_tokens_next(tokens);
			err = read_profiles(tokens, set);
			profiles = true;
		} else {
			return sup_tokens_refuse(tokens, tokens->offset,
			    "no such member here; the members are schema "
			    "profiles");
		}
	}
	if (err == WIRE_OK && !schema)
		err = missing_schema(tokens, begin);
	if (err == WIRE_OK && !profiles)
		err = sup_tokens_refuse(tokens, begin,
		    "the member \"profiles\" is missing; write one that "
		    "holds them by name");
	return err;
}

/* --- a text --------------------------------------------------------------- */

enum wire_err
sup_profile_read(enum sup_format format, struct wire_span text,
    const char *name, const struct sup_profile_memory *memory,
    struct sup_profile *ret_profile, struct sup_profile_problem *problem)
{
	struct sup_tokens tokens = {
	    .format = format,
	    .text = text,
	    .arena = memory->arena,
	    .problem = problem,
	};
	struct set set = {
	    .wanted = name != NULL ? name : SUP_PROFILE_FALLBACK,
	    .spare = &memory->spare[0],
	    .chosen = &memory->spare[1],
	};
	enum wire_err err =
	    sup_tokens_scan(&tokens, DEPTH_MAX, memory->scratch);

	if (err != WIRE_OK)
		return err;
	wire_json_cursor_init(&tokens.cursor, text);
	sup_tokens_next(&tokens);
	if (format == SUP_FORMAT_PROFILES)
		err = read_set(&tokens, &set);
	else
		err = read_members(&tokens, set.chosen);
	if (err == WIRE_OK)
		*ret_profile = *set.chosen;
	return err;
}
