#include "supervisor/profile_member.h"

#include <bsd/string.h>
#include <string.h>

#include "supervisor/grant_check.h"
#include "supervisor/limit_option.h"
#include "wire/limits.h"

/* --- limits --------------------------------------------------------------- */

static enum wire_err
unknown_limit(struct sup_tokens *tokens)
{
	char list[512] = "";
	const char *absent;

	for (size_t i = 0; (absent = sup_limit_absent(i)) != NULL; i++)
		if (sup_tokens_is_key(tokens, absent))
			return sup_tokens_refuse(tokens, tokens->offset,
			    "is not available in this version; leave it out");
	for (unsigned i = 0; i < SUP_LIMITS; i++) {
		if (!sup_limit_spec((enum sup_limit)i)->settable)
			continue;
		(void)strlcat(list, " ", sizeof(list));
		(void)strlcat(list, sup_limit_spec((enum sup_limit)i)->word,
		    sizeof(list));
	}
	return sup_tokens_refuse(
	    tokens, tokens->offset, "no such limit; the limits are%s", list);
}

/* A number, or a string in the spelling of --limit. */
static enum wire_err
read_amount(struct sup_tokens *tokens, const struct sup_limit_spec *spec,
    uint64_t *ret_amount)
{
	char least[SUP_UNITS_TEXT], most[SUP_UNITS_TEXT];
	struct wire_span amount_text = tokens->raw;
	struct wire_errinfo info = {"", 0, 0};
	const char *text;
	uint64_t amount = 0;
	enum wire_err err;

	if (tokens->token == WIRE_TOK_STRING) {
		err = sup_tokens_string(tokens, &text);
		if (err != WIRE_OK)
			return err;
		amount_text =
		    (struct wire_span){(const uint8_t *)text, strlen(text)};
	} else if (tokens->token != WIRE_TOK_NUMBER) {
		return sup_tokens_mistyped(
		    tokens, "a number, or a string as --limit has it");
	}
	if (sup_units_parse(spec->unit, amount_text, &amount, &info) != WIRE_OK)
		return sup_tokens_refuse(tokens, tokens->offset, "%s; write %s",
		    info.site, sup_units_example(spec->unit));
	/* A request may wish for more than there is: it is clamped. */
	if (amount < spec->minimum ||
	    (amount > spec->ceiling && tokens->format != SUP_FORMAT_REQUEST)) {
		(void)sup_units_format(spec->unit, spec->minimum, least);
		(void)sup_units_format(spec->unit, spec->ceiling, most);
		return sup_tokens_refuse(tokens, tokens->offset,
		    "%s; use a value from %s to %s",
		    amount < spec->minimum ? "under the minimum"
					   : "over the ceiling",
		    least, most);
	}
	*ret_amount = amount;
	return WIRE_OK;
}

/* The value of a limit that is said once: `processes` has two places. */
static enum wire_err
take_limit(struct sup_tokens *tokens, enum sup_limit limit,
    struct sup_profile *profile)
{
	enum wire_err err;

	if ((profile->limits_given >> limit & 1) != 0)
		return sup_tokens_refuse(tokens, tokens->offset,
		    "is said as a member and among the limits; say it once");
	err =
	    read_amount(tokens, sup_limit_spec(limit), &profile->limits[limit]);
	if (err == WIRE_OK)
		profile->limits_given |= UINT32_C(1) << limit;
	return err;
}

static enum wire_err
read_limits(struct sup_tokens *tokens, struct sup_profile *profile)
{
	if (tokens->token != WIRE_TOK_OBJECT_BEGIN)
		return sup_tokens_mistyped(tokens, "an object of limits");
	for (;;) {
		const struct sup_limit_spec *spec = NULL;
		unsigned limit;
		enum wire_err err;

		sup_tokens_next(tokens);
		if (tokens->token == WIRE_TOK_OBJECT_END)
			return WIRE_OK;
		for (limit = 0; limit < SUP_LIMITS; limit++) {
			spec = sup_limit_spec((enum sup_limit)limit);
			if (sup_tokens_is_key(tokens, spec->word))
				break;
		}
		if (limit == SUP_LIMITS)
			return unknown_limit(tokens);
		if (!spec->settable)
			return sup_tokens_refuse(tokens, tokens->offset,
			    "is fixed and cannot be set; leave it out");
		sup_tokens_next(tokens);
		err = take_limit(tokens, (enum sup_limit)limit, profile);
		if (err != WIRE_OK)
			return err;
	}
}

/* The limit of that name, where a profile has its grants. */
static enum wire_err
read_processes(struct sup_tokens *tokens, struct sup_profile *profile)
{
	return take_limit(tokens, SUP_LIMIT_PROCESSES, profile);
}

/* --- single values -------------------------------------------------------- */

static enum wire_err
read_schema(struct sup_tokens *tokens, struct sup_profile *profile)
{
	(void)profile;
	if (tokens->token == WIRE_TOK_STRING &&
	    sup_tokens_is_key(tokens, sup_format_schema(tokens->format)))
		return WIRE_OK;
	return sup_tokens_refuse(tokens, tokens->offset,
	    "is another format; a file that is used so has \"%s\"",
	    sup_format_schema(tokens->format));
}

static enum wire_err
read_profile(struct sup_tokens *tokens, struct sup_profile *profile)
{
	enum wire_err err;

	if (tokens->token != WIRE_TOK_STRING)
		return sup_tokens_mistyped(
		    tokens, "a string, the name of a profile");
	err = sup_tokens_string(tokens, &profile->profile);
	if (err == WIRE_OK && !sup_profile_is_name(profile->profile))
		err = sup_tokens_refuse(tokens, tokens->offset,
		    "cannot be the name of a profile; use 1 to 64 letters, "
		    "digits, '_', '.' and '-'");
	return err;
}

static enum wire_err
read_level(struct sup_tokens *tokens, struct sup_profile *profile)
{
	static const enum sup_level levels[] = {
	    SUP_LEVEL_PROCESS, SUP_LEVEL_ISOLATED};

	for (size_t i = 0; tokens->token == WIRE_TOK_STRING && i < 2; i++) {
		if (!sup_tokens_is_key(tokens, sup_level_word(levels[i])))
			continue;
		profile->level = levels[i];
		profile->level_given = true;
		return WIRE_OK;
	}
	return sup_tokens_refuse(tokens, tokens->offset,
	    "no such level; write \"isolated\" or \"process\"");
}

static enum wire_err
read_network(struct sup_tokens *tokens, struct sup_profile *profile)
{
	if (tokens->token == WIRE_TOK_FALSE)
		profile->network = SUP_SAY_NO;
	else if (tokens->token != WIRE_TOK_TRUE)
		return sup_tokens_mistyped(tokens, "true or false");
	else if (tokens->format == SUP_FORMAT_POLICY)
		return sup_tokens_refuse(tokens, tokens->offset,
		    "a policy only narrows and grants no network; write "
		    "false, or leave it out");
	else
		profile->network = SUP_SAY_YES;
	return WIRE_OK;
}

static enum wire_err
read_halt(struct sup_tokens *tokens, struct sup_profile *profile)
{
	profile->halt_on_exhaust = tokens->token == WIRE_TOK_TRUE;
	if (!profile->halt_on_exhaust && tokens->token != WIRE_TOK_FALSE)
		return sup_tokens_mistyped(tokens, "true or false");
	return WIRE_OK;
}

static enum wire_err
check_path(struct sup_tokens *tokens, const char *path)
{
	const char *problem = sup_grant_path_problem(path);

	return problem == NULL
	    ? WIRE_OK
	    : sup_tokens_refuse(tokens, tokens->offset, "%s", problem);
}

static enum wire_err
read_python(struct sup_tokens *tokens, struct sup_profile *profile)
{
	enum wire_err err;

	if (tokens->token != WIRE_TOK_STRING)
		return sup_tokens_mistyped(
		    tokens, "a string, the path of an interpreter");
	err = sup_tokens_string(tokens, &profile->python);
	return err == WIRE_OK ? check_path(tokens, profile->python) : err;
}

/* --- lists ---------------------------------------------------------------- */

/* To the next element, which has to be a string; *ret_end at the end. */
static enum wire_err
next_element(struct sup_tokens *tokens, size_t count, size_t max,
    const char *wanted, bool *ret_end)
{
	sup_tokens_next(tokens);
	*ret_end = tokens->token == WIRE_TOK_ARRAY_END;
	if (*ret_end)
		return WIRE_OK;
	if (count == max)
		return sup_tokens_refuse(tokens, tokens->offset,
		    "more than %zu elements; leave some out", max);
	if (tokens->token != WIRE_TOK_STRING)
		return sup_tokens_mistyped(tokens, wanted);
	return WIRE_OK;
}

static enum wire_err
read_paths(struct sup_tokens *tokens, struct sup_profile_list *list)
{
	bool end;
	enum wire_err err;

	if (tokens->token != WIRE_TOK_ARRAY_BEGIN)
		return sup_tokens_mistyped(tokens, "an array of paths");
	for (;;) {
		err = next_element(tokens, list->count, SUP_PROFILE_PATHS,
		    "a string, a path", &end);
		if (err != WIRE_OK || end)
			return err;
		err = sup_tokens_string(tokens, &list->text[list->count]);
		if (err == WIRE_OK)
			err = check_path(tokens, list->text[list->count]);
		if (err != WIRE_OK)
			return err;
		list->count++;
	}
}

static enum wire_err
read_read(struct sup_tokens *tokens, struct sup_profile *profile)
{
	return read_paths(tokens, &profile->read);
}

static enum wire_err
read_write(struct sup_tokens *tokens, struct sup_profile *profile)
{
	return read_paths(tokens, &profile->write);
}

static enum wire_err
read_packages(struct sup_tokens *tokens, struct sup_profile *profile)
{
	return read_paths(tokens, &profile->packages);
}

static enum wire_err
read_exec(struct sup_tokens *tokens, struct sup_profile *profile)
{
	profile->exec_given = true;
	return read_paths(tokens, &profile->exec);
}

static enum wire_err
read_tools(struct sup_tokens *tokens, struct sup_profile *profile)
{
	const char *name;
	bool end;
	enum wire_err err;

	if (tokens->token != WIRE_TOK_ARRAY_BEGIN)
		return sup_tokens_mistyped(tokens, "an array of names");
	profile->tools_given = true;
	for (;;) {
		size_t len;

		err = next_element(tokens, profile->tool_count,
		    SUP_PROFILE_TOOLS, "a string, the name of a tool", &end);
		if (err != WIRE_OK || end)
			return err;
		err = sup_tokens_string(tokens, &name);
		if (err != WIRE_OK)
			return err;
		len = strlen(name);
		if (len < 1 || len > WIRE_MAX_TOOL_NAME)
			return sup_tokens_refuse(tokens, tokens->offset,
			    "cannot be the name of a tool; it has 1 to %d "
			    "bytes",
			    WIRE_MAX_TOOL_NAME);
		profile->tools[profile->tool_count++] =
		    (struct wire_span){(const uint8_t *)name, len};
	}
}

static enum wire_err
read_require(struct sup_tokens *tokens, struct sup_profile *profile)
{
	bool end;
	enum wire_err err;

	if (tokens->token != WIRE_TOK_ARRAY_BEGIN)
		return sup_tokens_mistyped(tokens, "an array of names");
	for (size_t count = 0;; count++) {
		err = next_element(tokens, count, 1, "\"landlock\"", &end);
		if (err != WIRE_OK || end)
			return err;
		if (!sup_tokens_is_key(tokens, "landlock"))
			return sup_tokens_refuse(tokens, tokens->offset,
			    "nothing that can be required; write "
			    "\"landlock\"");
		profile->require |= SUP_REQUIRE_LANDLOCK;
	}
}

static enum wire_err
read_variable(struct sup_tokens *tokens, struct sup_profile *profile)
{
	size_t i = profile->env_count;
	const char *problem;
	enum wire_err err = sup_tokens_string(tokens, &profile->env_names[i]);

	if (err != WIRE_OK)
		return err;
	problem = sup_grant_variable_problem(profile->env_names[i]);
	if (problem != NULL)
		return sup_tokens_refuse(tokens, tokens->offset, "%s", problem);
	sup_tokens_next(tokens);
	if (tokens->token != WIRE_TOK_STRING)
		return sup_tokens_mistyped(tokens, "a string, its value");
	err = sup_tokens_string(tokens, &profile->env_values[i]);
	if (err != WIRE_OK)
		return err;
	problem = sup_grant_value_problem(profile->env_values[i]);
	if (problem != NULL)
		return sup_tokens_refuse(tokens, tokens->offset, "%s", problem);
	profile->env_count++;
	return WIRE_OK;
}

static enum wire_err
read_env(struct sup_tokens *tokens, struct sup_profile *profile)
{
	enum wire_err err;

	if (tokens->token != WIRE_TOK_OBJECT_BEGIN)
		return sup_tokens_mistyped(tokens, "an object of variables");
	for (;;) {
		sup_tokens_next(tokens);
		if (tokens->token == WIRE_TOK_OBJECT_END)
			return WIRE_OK;
		if (profile->env_count == SUP_PROFILE_ENV)
			return sup_tokens_refuse(tokens, tokens->offset,
			    "more than %d variables; leave some out",
			    SUP_PROFILE_ENV);
		err = read_variable(tokens, profile);
		if (err != WIRE_OK)
			return err;
	}
}

/* --- the table ------------------------------------------------------------ */

#define IN_PROFILE (1 << SUP_FORMAT_PROFILES)
#define IN_POLICY  (1 << SUP_FORMAT_POLICY)
#define IN_REQUEST (1 << SUP_FORMAT_REQUEST)

/*
 * SECURITY: a request is pure data: it has no path of the host, no credential
 * and nothing that could be called (C19); a policy has nothing that grants.
 */
static const struct {
	const char *word;
	unsigned formats;
	enum wire_err (*read)(
	    struct sup_tokens *tokens, struct sup_profile *profile);
} members[SUP_MEMBERS] = {
    [SUP_MEMBER_SCHEMA] = {"schema", IN_POLICY | IN_REQUEST, read_schema},
    [SUP_MEMBER_PROFILE] = {"profile", IN_REQUEST, read_profile},
    [SUP_MEMBER_LIMITS] = {"limits", IN_PROFILE | IN_POLICY | IN_REQUEST,
	read_limits},
    [SUP_MEMBER_HALT] = {"halt_on_exhaust", IN_PROFILE | IN_POLICY | IN_REQUEST,
	read_halt},
    [SUP_MEMBER_LEVEL] = {"level", IN_PROFILE | IN_POLICY | IN_REQUEST,
	read_level},
    [SUP_MEMBER_NETWORK] = {"network", IN_PROFILE | IN_POLICY | IN_REQUEST,
	read_network},
    [SUP_MEMBER_TOOLS] = {"tools", IN_POLICY, read_tools},
    [SUP_MEMBER_REQUIRE] = {"require", IN_PROFILE, read_require},
    [SUP_MEMBER_PYTHON] = {"python", IN_PROFILE, read_python},
    [SUP_MEMBER_PROCESSES] = {"processes", IN_PROFILE, read_processes},
    [SUP_MEMBER_READ] = {"read", IN_PROFILE, read_read},
    [SUP_MEMBER_WRITE] = {"write", IN_PROFILE, read_write},
    [SUP_MEMBER_PACKAGES] = {"packages", IN_PROFILE, read_packages},
    [SUP_MEMBER_EXEC] = {"exec", IN_PROFILE | IN_POLICY, read_exec},
    [SUP_MEMBER_ENV] = {"env", IN_PROFILE, read_env},
};

const char *
sup_member_word(enum sup_member member)
{
	return members[member].word;
}

bool
sup_member_is_in(enum sup_member member, enum sup_format format)
{
	return (members[member].formats >> format & 1) != 0;
}

enum wire_err
sup_member_read(enum sup_member member, struct sup_tokens *tokens,
    struct sup_profile *profile)
{
	return members[member].read(tokens, profile);
}
