#include "supervisor/mcp_read.h"

#include <bsd/string.h>
#include <string.h>

#include "bindings/catalogue.h"
#include "supervisor/profile_token.h"

/* Deeper than the form goes, for members that are passed over. */
#define DEPTH_MAX 16

struct reader {
	struct sup_tokens tokens;
	struct sup_mcp_file *file;
	struct sup_mcp_server *server; /* that is looked at */
};

/* --- values ----------------------------------------------------------------
 */

static enum wire_err
read_word(struct reader *r, struct sup_mcp_word *word)
{
	if (r->tokens.token != WIRE_TOK_STRING)
		return sup_tokens_mistyped(&r->tokens, "a string");
	word->offset = r->tokens.offset;
	return sup_tokens_string(&r->tokens, &word->text);
}

static enum wire_err
add_word(struct reader *r, struct sup_mcp_words *words)
{
	struct sup_mcp_file *file = r->file;
	struct sup_mcp_word *word = &file->words[file->word_count];

	if (file->word_count == SUP_MCP_WORDS)
		return sup_tokens_refuse(&r->tokens, r->tokens.offset,
		    "more than 8192 words and names in the text; give fewer");
	word->offset = r->tokens.offset;
	if (words->count++ == 0)
		words->first = file->word_count;
	file->word_count++;
	return sup_tokens_string(&r->tokens, &word->text);
}

static enum wire_err
read_words(struct reader *r, struct sup_mcp_words *words, size_t max)
{
	struct sup_tokens *tokens = &r->tokens;
	enum wire_err err = WIRE_OK;

	if (tokens->token != WIRE_TOK_ARRAY_BEGIN)
		return sup_tokens_mistyped(tokens, "an array of strings");
	for (sup_tokens_next(tokens);
	     err == WIRE_OK && tokens->token != WIRE_TOK_ARRAY_END;
	     sup_tokens_next(tokens)) {
		if (tokens->token != WIRE_TOK_STRING)
			return sup_tokens_mistyped(tokens, "a string");
		if (words->count == max)
			return sup_tokens_refuse(tokens, tokens->offset,
			    "more than %zu of them; give fewer", max);
		err = add_word(r, words);
	}
	return err;
}

static enum wire_err
read_bool(struct reader *r, bool *ret_value)
{
	if (r->tokens.token != WIRE_TOK_TRUE &&
	    r->tokens.token != WIRE_TOK_FALSE)
		return sup_tokens_mistyped(&r->tokens, "true or false");
	*ret_value = r->tokens.token == WIRE_TOK_TRUE;
	return WIRE_OK;
}

static enum wire_err
read_time(struct reader *r, uint64_t *ret_ms)
{
	if (r->tokens.token != WIRE_TOK_NUMBER)
		return sup_tokens_mistyped(
		    &r->tokens, "a number of milliseconds");
	if (!wire_json_plain_uint(r->tokens.raw, SUP_MCP_TIME_MAX, ret_ms) ||
	    *ret_ms == 0)
		return sup_tokens_refuse(&r->tokens, r->tokens.offset,
		    "not a time that can be kept; write milliseconds, from 1 "
		    "to 86400000");
	return WIRE_OK;
}

/* --- members of a server ---------------------------------------------------
 */

static enum wire_err
read_command(struct reader *r)
{
	enum wire_err err = read_word(r, &r->server->command);

	if (err == WIRE_OK && r->server->command.text[0] == '\0')
		err = sup_tokens_refuse(&r->tokens, r->tokens.offset,
		    "is empty; name an executable file");
	return err;
}

static enum wire_err
read_args(struct reader *r)
{
	return read_words(r, &r->server->args, BIND_COMMAND_WORDS - 1);
}

/* What setenv(3) takes as a name. */
static bool
is_variable(const char *name)
{
	return name[0] != '\0' && strchr(name, '=') == NULL;
}

static enum wire_err
read_env(struct reader *r)
{
	struct sup_tokens *tokens = &r->tokens;
	struct sup_mcp_words *env = &r->server->env;
	enum wire_err err = WIRE_OK;

	if (tokens->token != WIRE_TOK_OBJECT_BEGIN)
		return sup_tokens_mistyped(tokens, "an object of strings");
	for (sup_tokens_next(tokens);
	     err == WIRE_OK && tokens->token == WIRE_TOK_KEY;
	     sup_tokens_next(tokens)) {
		if (env->count == 2 * SUP_PROFILE_ENV)
			return sup_tokens_refuse(tokens, tokens->offset,
			    "more than 64 variables; give fewer");
		err = add_word(r, env);
		if (err == WIRE_OK &&
		    !is_variable(
			r->file->words[env->first + env->count - 1].text))
			err = sup_tokens_refuse(tokens, tokens->offset,
			    "cannot be the name of a variable");
		if (err != WIRE_OK)
			return err;
		sup_tokens_next(tokens);
		if (tokens->token != WIRE_TOK_STRING)
			return sup_tokens_mistyped(tokens, "a string");
		err = add_word(r, env);
	}
	return err;
}

static enum wire_err
read_cwd(struct reader *r)
{
	return read_word(r, &r->server->cwd);
}

static enum wire_err
read_type(struct reader *r)
{
	if (r->tokens.token != WIRE_TOK_STRING)
		return sup_tokens_mistyped(&r->tokens, "\"stdio\"");
	if (!sup_tokens_is_key(&r->tokens, "stdio"))
		return sup_tokens_refuse(&r->tokens, r->tokens.offset,
		    "only servers on standard input and output can be used in "
		    "this version; write \"stdio\", or leave the server out");
	return WIRE_OK;
}

static enum wire_err
read_era(struct reader *r)
{
	static const char *const words[] = {
	    [BIND_MCP_ERA_LEGACY] = "legacy",
	    [BIND_MCP_ERA_MODERN] = "modern",
	    [BIND_MCP_ERA_AUTO] = "auto",
	};

	for (unsigned i = 0; i < 3 && r->tokens.token == WIRE_TOK_STRING; i++) {
		if (!sup_tokens_is_key(&r->tokens, words[i]))
			continue;
		r->server->era = (enum bind_mcp_era)i;
		return WIRE_OK;
	}
	return sup_tokens_refuse(&r->tokens, r->tokens.offset,
	    "no such era; write \"legacy\" (the default), \"modern\" or "
	    "\"auto\"");
}

static enum wire_err
read_timeout(struct reader *r)
{
	return read_time(r, &r->server->call_ms);
}

static enum wire_err
read_start(struct reader *r)
{
	return read_time(r, &r->server->start_ms);
}

static enum wire_err
read_required(struct reader *r)
{
	return read_bool(r, &r->server->required);
}

static enum wire_err
read_disabled(struct reader *r)
{
	return read_bool(r, &r->server->disabled);
}

static enum wire_err
read_include(struct reader *r)
{
	r->server->has_include = true;
	return read_words(r, &r->server->include, BIND_MCP_SERVERS * 16);
}

static enum wire_err
read_exclude(struct reader *r)
{
	return read_words(r, &r->server->exclude, BIND_MCP_SERVERS * 16);
}

static enum wire_err
refuse_remote(struct reader *r)
{
	return sup_tokens_refuse(&r->tokens, r->tokens.offset,
	    "belongs to a server that is reached over the network, which this "
	    "version cannot use; leave the server out");
}

/* Whom another program trusts: nothing of it holds here. */
static enum wire_err
pass_over(struct reader *r)
{
	unsigned depth = 0;

	for (;;) {
		enum wire_json_token token = r->tokens.token;

		if (token == WIRE_TOK_OBJECT_BEGIN ||
		    token == WIRE_TOK_ARRAY_BEGIN)
			depth++;
		if (token == WIRE_TOK_OBJECT_END || token == WIRE_TOK_ARRAY_END)
			depth--;
		if (depth == 0 || token == WIRE_TOK_END)
			return WIRE_OK;
		sup_tokens_next(&r->tokens);
	}
}

static const struct member {
	const char *word;
	enum wire_err (*read)(struct reader *r);
	bool is_told; /* as one that can be written */
} members[] = {
    {"command", read_command, true},
    {"args", read_args, true},
    {"env", read_env, true},
    {"cwd", read_cwd, true},
    {"type", read_type, true},
    {"timeout", read_timeout, true},
    {"startupTimeout", read_start, true},
    {"protocolEra", read_era, true},
    {"required", read_required, true},
    {"disabled", read_disabled, true},
    {"includeTools", read_include, true},
    {"excludeTools", read_exclude, true},
    {"url", refuse_remote, false},
    {"serverUrl", refuse_remote, false},
    {"httpUrl", refuse_remote, false},
    {"headers", refuse_remote, false},
    {"description", pass_over, false},
    {"autoApprove", pass_over, false},
    {"alwaysAllow", pass_over, false},
    {"alwaysLoad", pass_over, false},
    {"trust", pass_over, false},
};

#define MEMBERS (sizeof(members) / sizeof(members[0]))

static enum wire_err
unknown_member(struct reader *r)
{
	char list[256] = "";

	for (size_t i = 0; i < MEMBERS; i++) {
		if (!members[i].is_told)
			continue;
		(void)strlcat(list, " ", sizeof(list));
		(void)strlcat(list, members[i].word, sizeof(list));
	}
	return sup_tokens_refuse(&r->tokens, r->tokens.offset,
	    "no such member here; the members are%s", list);
}

static enum wire_err
read_members(struct reader *r)
{
	struct sup_tokens *tokens = &r->tokens;
	size_t begin = tokens->offset;
	enum wire_err err;

	if (tokens->token != WIRE_TOK_OBJECT_BEGIN)
		return sup_tokens_mistyped(tokens, "an object");
	for (sup_tokens_next(tokens); tokens->token == WIRE_TOK_KEY;
	     sup_tokens_next(tokens)) {
		size_t i = 0;

		while (
		    i < MEMBERS && !sup_tokens_is_key(tokens, members[i].word))
			i++;
		if (i == MEMBERS)
			return unknown_member(r);
		if (members[i].read != refuse_remote)
			sup_tokens_next(tokens);
		err = members[i].read(r);
		if (err != WIRE_OK)
			return err;
	}
	if (r->server->command.text == NULL)
		return sup_tokens_refuse(tokens, begin,
		    "the member \"command\" is missing; name the program that "
		    "is the server");
	return WIRE_OK;
}

/* --- the servers -----------------------------------------------------------
 */

static enum wire_err
read_server(struct reader *r)
{
	struct sup_mcp_file *file = r->file;
	struct sup_mcp_server *server = &file->servers[file->count];
	struct wire_span name;
	enum wire_err err;

	if (file->count == BIND_MCP_SERVERS)
		return sup_tokens_refuse(&r->tokens, r->tokens.offset,
		    "more than 64 servers; give fewer");
	memset(server, 0, sizeof(*server));
	server->start_ms = SUP_MCP_START_MS;
	server->name.offset = r->tokens.offset;
	err = sup_tokens_string(&r->tokens, &server->name.text);
	if (err != WIRE_OK)
		return err;
	name = (struct wire_span){
	    (const uint8_t *)server->name.text, strlen(server->name.text)};
	if (name.len > BIND_MCP_SERVER_NAME || !bind_catalogue_is_name(name))
		return sup_tokens_refuse(&r->tokens, r->tokens.offset,
		    "cannot be the name of a server; use 1 to 64 bytes without "
		    "control characters");
	/* SECURITY: what stands before the first dot of a tool's name says
	 * whose it is: `git` cannot list a tool that is one of `git.internal`.
	 */
	if (strchr(server->name.text, '.') != NULL)
		return sup_tokens_refuse(&r->tokens, r->tokens.offset,
		    "cannot be the name of a server; a dot ends that name in "
		    "the names of its tools, use another character");
	r->server = server;
	file->count++;
	sup_tokens_next(&r->tokens);
	return read_members(r);
}

static enum wire_err
read_servers(struct reader *r)
{
	struct sup_tokens *tokens = &r->tokens;
	enum wire_err err = WIRE_OK;

	if (tokens->token != WIRE_TOK_OBJECT_BEGIN)
		return sup_tokens_mistyped(tokens, "an object of servers");
	for (sup_tokens_next(tokens);
	     err == WIRE_OK && tokens->token == WIRE_TOK_KEY;
	     sup_tokens_next(tokens))
		err = read_server(r);
	return err;
}

static enum wire_err
read_file(struct reader *r)
{
	struct sup_tokens *tokens = &r->tokens;
	enum wire_err err = WIRE_OK;
	bool seen = false;

	if (tokens->token != WIRE_TOK_OBJECT_BEGIN)
		return sup_tokens_mistyped(tokens, "an object");
	for (sup_tokens_next(tokens);
	     err == WIRE_OK && tokens->token == WIRE_TOK_KEY;
	     sup_tokens_next(tokens)) {
		if (!sup_tokens_is_key(tokens, "mcpServers") &&
		    !sup_tokens_is_key(tokens, "servers"))
			return sup_tokens_refuse(tokens, tokens->offset,
			    "no such member here; the servers stand in "
			    "\"mcpServers\"");
		if (seen)
			return sup_tokens_refuse(tokens, tokens->offset,
			    "servers were given before; give them once");
		seen = true;
		sup_tokens_next(tokens);
		err = read_servers(r);
	}
	if (err == WIRE_OK && !seen)
		err = sup_tokens_refuse(tokens, 0,
		    "the member \"mcpServers\" is missing; write one that "
		    "holds the servers by name");
	return err;
}

enum wire_err
sup_mcp_read(struct wire_span text, struct wire_json_scratch *scratch,
    char *arena, struct sup_mcp_file *ret_file,
    struct sup_profile_problem *problem)
{
	struct reader r = {
	    .tokens = {.text = text, .arena = arena, .problem = problem},
	    .file = ret_file,
	};
	enum wire_err err = sup_tokens_scan(&r.tokens, DEPTH_MAX, scratch);

	if (err != WIRE_OK)
		return err;
	ret_file->count = ret_file->word_count = 0;
	wire_json_cursor_init(&r.tokens.cursor, text);
	sup_tokens_next(&r.tokens);
	return read_file(&r);
}
