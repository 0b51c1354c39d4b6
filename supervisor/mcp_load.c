#include "supervisor/mcp_load.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bindings/redact.h"
#include "supervisor/explain.h"
#include "supervisor/mcp_expand.h"
#include "supervisor/mcp_read.h"
#include "supervisor/sys.h"

struct sup_mcp {
	struct bind_mcp_config config;
	struct bind_mcp_entry entries[BIND_MCP_SERVERS];
	struct bind_command *commands[BIND_MCP_SERVERS];
	struct wire_span *names[BIND_MCP_SERVERS]; /* include, then exclude */
	struct wire_span *hidden[BIND_MCP_SERVERS];
	size_t hidden_room[BIND_MCP_SERVERS];
	char *arena;  /* of the file */
	size_t count; /* entries that hold anything */
};

struct loader {
	struct sup_mcp *mcp;
	const struct weir_source *source;
	const char *guardian;
	const char *const *environment;
	struct sup_mcp_file *file;
	struct sup_mcp_expansion *expansion;
	size_t at; /* the entry that is being made */
	bool no_memory;
	enum weir_fault fault;
	char *error;
};

/* --- sentences -------------------------------------------------------------
 */

static bool
out_of_memory(struct loader *l)
{
	l->fault = WEIR_FAULT_OTHER;
	sup_explain(l->error, "out of memory");
	return false;
}

__attribute__((format(printf, 3, 4))) static bool
refuse(struct loader *l, size_t offset, const char *format, ...)
{
	char reason[SUP_PROFILE_PROBLEM];
	va_list args;

	va_start(args, format);
	(void)vsnprintf(reason, sizeof(reason), format, args);
	va_end(args);
	sup_explain_place(l->error, l->source, offset, reason);
	return false;
}

/* --- what is hidden --------------------------------------------------------
 */

/* SECURITY: remembered for as long as anything of the server may be shown
 * (B14); a copy, since the environment is the caller's. */
static void
hide(void *arg, const char *text, size_t len)
{
	struct loader *l = arg;
	struct bind_mcp_names *hidden = &l->mcp->entries[l->at].hidden;
	struct wire_span **list = &l->mcp->hidden[l->at];
	size_t *room = &l->mcp->hidden_room[l->at];
	uint8_t *copy;

	if (len < BIND_REDACT_LEAST)
		return;
	if (hidden->count == *room) {
		size_t more = *room == 0 ? 8 : *room * 2;
		struct wire_span *bigger =
		    realloc(*list, more * sizeof(*bigger));

		if (bigger == NULL) {
			l->no_memory = true;
			return;
		}
		*list = bigger;
		*room = more;
	}
	copy = malloc(len);
	if (copy == NULL) {
		l->no_memory = true;
		return;
	}
	memcpy(copy, text, len);
	(*list)[hidden->count++] = (struct wire_span){copy, len};
	hidden->names = *list;
}

/* --- strings ---------------------------------------------------------------
 */

/* The word with its variables, malloced; NULL with a sentence. */
static char *
expanded(struct loader *l, const struct sup_mcp_word *word)
{
	struct sup_mcp_expansion *e = l->expansion;
	char *copy = NULL;
	enum wire_err err;

	err = sup_mcp_expand(word->text, l->environment, hide, l, e);
	if (err == WIRE_ERR_MISSING_FIELD)
		(void)refuse(l, word->offset,
		    "the variable %s is unset; set it, or write ${%s:-TEXT}",
		    e->missing, e->missing);
	else if (err != WIRE_OK)
		(void)refuse(l, word->offset,
		    "is longer than 64 KiB with its variables; make it "
		    "shorter");
	else
		copy = strdup(e->text);
	if (err == WIRE_OK && (copy == NULL || l->no_memory)) {
		free(copy);
		(void)out_of_memory(l);
		return NULL;
	}
	return copy;
}

/* What one server is run with; every string is malloced. */
struct words {
	char *words[BIND_COMMAND_WORDS + 1];
	size_t count;
	char *own[SUP_PROFILE_ENV + 1];
	size_t own_count;
	char *directory;
};

static void
free_words(struct words *w)
{
	for (size_t i = 0; i < w->count; i++)
		free(w->words[i]);
	for (size_t i = 0; i < w->own_count; i++)
		free(w->own[i]);
	free(w->directory);
	free(w);
}

static bool
add_word(struct loader *l, struct words *w, const struct sup_mcp_word *word)
{
	char *text = expanded(l, word);

	if (text != NULL)
		w->words[w->count++] = text;
	return text != NULL;
}

static bool
add_variable(struct loader *l, struct words *w, const struct sup_mcp_word *name,
    const struct sup_mcp_word *value)
{
	char *text = expanded(l, value), *both;
	size_t size;

	if (text == NULL)
		return false;
	hide(l, text, strlen(text));
	size = strlen(name->text) + strlen(text) + 2;
	both = l->no_memory ? NULL : malloc(size);
	if (both != NULL) {
		(void)snprintf(both, size, "%s=%s", name->text, text);
		w->own[w->own_count++] = both;
	}
	free(text);
	return both != NULL || out_of_memory(l);
}

static bool
take_directory(
    struct loader *l, struct words *w, const struct sup_mcp_word *word)
{
	int fd;

	if (word->text == NULL)
		return true;
	w->directory = expanded(l, word);
	if (w->directory == NULL)
		return false;
	if (w->directory[0] != '/')
		return refuse(l, word->offset,
		    "is no absolute path; write one that begins with /");
	fd = sup_sys_open(w->directory, O_PATH | O_DIRECTORY);
	if (fd < 0)
		return refuse(l, word->offset,
		    "the directory: %s; name one that is there", strerror(-fd));
	sup_sys_close(&fd);
	return true;
}

static bool
take_words(
    struct loader *l, const struct sup_mcp_server *server, struct words *w)
{
	const struct sup_mcp_word *words = l->file->words;

	if (!add_word(l, w, &server->command))
		return false;
	for (size_t i = 0; i < server->args.count; i++) {
		if (!add_word(l, w, &words[server->args.first + i]))
			return false;
	}
	for (size_t i = 0; i < server->env.count; i += 2) {
		size_t at = server->env.first + i;

		if (!add_variable(l, w, &words[at], &words[at + 1]))
			return false;
	}
	return take_directory(l, w, &server->cwd);
}

/* --- a server --------------------------------------------------------------
 */

static bool
find_command(
    struct loader *l, const struct sup_mcp_server *server, struct words *w)
{
	struct bind_command_words given = {
	    .words = (const char *const *)w->words,
	    .count = w->count,
	    .guardian = l->guardian,
	    .environment = l->environment,
	    .own = (const char *const *)w->own,
	    .directory = w->directory,
	};
	static const char *const none[] = {NULL};
	struct wire_errinfo info = {"", 0, 0};
	enum wire_err err;

	if (given.environment == NULL)
		given.environment = none;
	err = bind_command_from_words(&given, &l->mcp->commands[l->at], &info);
	if (err == WIRE_OK)
		return true;
	if (err == WIRE_ERR_NO_MEMORY)
		return out_of_memory(l);
	if (info.sys != 0)
		return refuse(l, server->command.offset,
		    "the command: %s; name an executable file, with a path or "
		    "on PATH",
		    strerror(info.sys));
	return refuse(l, server->command.offset,
	    "the command with its arguments is empty or longer than 64 KiB; "
	    "write another");
}

static bool
run_with(struct loader *l, const struct sup_mcp_server *server)
{
	struct words *w = calloc(1, sizeof(*w));
	bool good;

	if (w == NULL)
		return out_of_memory(l);
	good = take_words(l, server, w) && find_command(l, server, w);
	free_words(w);
	return good;
}

static struct bind_mcp_names
list_of(const struct loader *l, const struct sup_mcp_words *words,
    struct wire_span *at)
{
	for (size_t i = 0; i < words->count; i++) {
		const char *text = l->file->words[words->first + i].text;

		at[i] = (struct wire_span){(const uint8_t *)text, strlen(text)};
	}
	return (struct bind_mcp_names){at, words->count};
}

static bool
add_server(struct loader *l, const struct sup_mcp_server *server)
{
	struct sup_mcp *mcp = l->mcp;
	struct bind_mcp_entry *entry = &mcp->entries[l->at];
	size_t listed = server->include.count + server->exclude.count;

	mcp->count = l->at + 1;
	entry->name = (struct wire_span){
	    (const uint8_t *)server->name.text, strlen(server->name.text)};
	entry->era = server->era;
	entry->start_ns = server->start_ms * 1000000;
	entry->call_ns =
	    server->call_ms == 0 ? UINT64_MAX : server->call_ms * 1000000;
	entry->required = server->required;
	entry->has_include = server->has_include;
	mcp->names[l->at] = calloc(listed + 1, sizeof(struct wire_span));
	if (mcp->names[l->at] == NULL)
		return out_of_memory(l);
	entry->include = list_of(l, &server->include, mcp->names[l->at]);
	entry->exclude = list_of(
	    l, &server->exclude, mcp->names[l->at] + server->include.count);
	if (!run_with(l, server))
		return false;
	entry->command = mcp->commands[l->at];
	l->at++;
	return true;
}

/* --- the text --------------------------------------------------------------
 */

static bool
read_file(struct loader *l)
{
	struct sup_profile_problem *problem = calloc(1, sizeof(*problem));
	void *memory = malloc(wire_json_scratch_size(SUP_PROFILE_KEYS));
	struct wire_json_scratch scratch;
	uint64_t seed;
	bool good = false;

	l->mcp->arena = malloc(l->source->len + 1);
	if (problem == NULL || memory == NULL || l->mcp->arena == NULL) {
		(void)out_of_memory(l);
		goto out;
	}
	if (sup_sys_random(&seed, sizeof(seed)) < 0) {
		l->fault = WEIR_FAULT_OTHER;
		sup_explain(l->error, "getrandom: no random numbers to be had");
		goto out;
	}
	wire_json_scratch_init(&scratch, memory, SUP_PROFILE_KEYS, seed);
	good = sup_mcp_read((struct wire_span){(const uint8_t *)l->source->text,
				l->source->len},
		   &scratch, l->mcp->arena, l->file, problem) == WIRE_OK ||
	    refuse(l, problem->offset, "%s", problem->text);
out:
	free(memory);
	free(problem);
	return good;
}

static bool
load(struct loader *l)
{
	if (l->mcp == NULL || l->file == NULL || l->expansion == NULL)
		return out_of_memory(l);
	if (!read_file(l))
		return false;
	for (size_t i = 0; i < l->file->count; i++) {
		if (!l->file->servers[i].disabled &&
		    !add_server(l, &l->file->servers[i]))
			return false;
	}
	l->mcp->config = (struct bind_mcp_config){l->mcp->entries, l->at};
	return true;
}

struct sup_mcp *
sup_mcp_load(const struct weir_source *source, const char *guardian,
    const char *const *environment, enum weir_fault *ret_fault,
    char error[WEIR_ERROR_MAX])
{
	struct loader l = {
	    .mcp = calloc(1, sizeof(struct sup_mcp)),
	    .source = source,
	    .guardian = guardian,
	    .environment = environment,
	    .file = calloc(1, sizeof(struct sup_mcp_file)),
	    .expansion = malloc(sizeof(struct sup_mcp_expansion)),
	    .fault = WEIR_FAULT_REQUEST,
	    .error = error,
	};
	bool good = load(&l);

	free(l.file);
	if (l.expansion != NULL)
		explicit_bzero(l.expansion, sizeof(*l.expansion));
	free(l.expansion);
	*ret_fault = good ? WEIR_FAULT_NONE : l.fault;
	if (good)
		return l.mcp;
	sup_mcp_free(l.mcp);
	return NULL;
}

void
sup_mcp_free(struct sup_mcp *mcp)
{
	if (mcp == NULL)
		return;
	for (size_t i = 0; i < mcp->count; i++) {
		for (size_t j = 0; j < mcp->entries[i].hidden.count; j++)
			free((void *)(uintptr_t)mcp->hidden[i][j].p);
		free(mcp->hidden[i]);
		free(mcp->names[i]);
		bind_command_free(mcp->commands[i]);
	}
	free(mcp->arena);
	free(mcp);
}

const struct bind_mcp_config *
sup_mcp_config(const struct sup_mcp *mcp)
{
	return &mcp->config;
}
