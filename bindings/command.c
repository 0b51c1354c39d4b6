#include "bindings/command.h"

#include <stdlib.h>
#include <string.h>

#include "bindings/shell_words.h"
#include "bindings/spawn.h"
#include "bindings/sys.h"
#include "bindings/text.h"

/* The guardian's own arguments, of which the report descriptor is one. */
#define ROLE	   "guard\0" NUMBER(BIND_SPAWN_REPORT_FD)
#define NUMBER(n)  NUMBER_(n)
#define NUMBER_(n) #n
#define FIRST_WORD 3

#define DEFAULT_PATH "/usr/bin:/bin"

/* SECURITY: all that a provider process gets of the caller's environment. */
static const char *const inherited[] = {
    "HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER", "LANG"};

#define INHERITED (sizeof(inherited) / sizeof(inherited[0]))

static char *
copy_span(struct wire_span span)
{
	char *copy;
	size_t size;

	if (!wire_add(span.len, 1, &size))
		return NULL;
	copy = malloc(size);
	if (copy == NULL)
		return NULL;
	if (span.len > 0)
		memcpy(copy, span.p, span.len);
	copy[span.len] = '\0';
	return copy;
}

static struct wire_span
span_of(const char *text)
{
	return (struct wire_span){(const uint8_t *)text, strlen(text)};
}

/* The value of a name, or NULL. */
static const char *
look_up(const char *const *environment, const char *name)
{
	size_t len = strlen(name);

	for (; *environment != NULL; environment++) {
		if (strncmp(*environment, name, len) == 0 &&
		    (*environment)[len] == '=')
			return *environment + len + 1;
	}
	return NULL;
}

static enum wire_err
take_environment(struct bind_command *command, const char *const *given)
{
	size_t count = 0;

	command->environment = calloc(INHERITED + 1, sizeof(char *));
	if (command->environment == NULL)
		return WIRE_ERR_NO_MEMORY;
	for (size_t i = 0; i < INHERITED; i++) {
		const char *value = look_up(given, inherited[i]);
		size_t before = strlen(inherited[i]) + 1;
		char *entry;

		if (value == NULL)
			continue;
		entry = copy_span(span_of(value - before));
		if (entry == NULL)
			return WIRE_ERR_NO_MEMORY;
		command->environment[count++] = entry;
	}
	return WIRE_OK;
}

/* DIRECTORY/NAME at path; whether it fits and can be executed. */
static int
try_path(
    struct wire_span directory, const char *name, char path[BIND_COMMAND_PATH])
{
	struct bind_text text;

	bind_text_init(&text, (uint8_t *)path, BIND_COMMAND_PATH - 1);
	bind_text_add_span(&text, directory);
	bind_text_add(&text, "/");
	bind_text_add(&text, name);
	if (text.full)
		return -ENAMETOOLONG;
	path[text.len] = '\0';
	return bind_sys_is_executable(path);
}

/* Along PATH. A file that is there but may not be run is remembered: it
 * explains more than "no such file". */
static int
search(const char *list, const char *name, char path[BIND_COMMAND_PATH])
{
	int found = -ENOENT;

	for (;;) {
		size_t len = strcspn(list, ":");
		int r;

		/* SECURITY: an empty or relative entry would make the tool
		 * depend on where weir was started. */
		if (len > 0 && list[0] == '/') {
			r = try_path(
			    (struct wire_span){(const uint8_t *)list, len},
			    name, path);
			if (r == 0)
				return 0;
			if (r != -ENOENT && r != -ENOTDIR)
				found = r;
		}
		if (list[len] == '\0')
			return found;
		list += len + 1;
	}
}

static int
resolve(const char *name, const char *const *environment,
    char path[BIND_COMMAND_PATH])
{
	char cwd[BIND_COMMAND_PATH];
	const char *list;
	int r;

	if (name[0] == '\0')
		return -ENOENT;
	if (name[0] == '/')
		return try_path(WIRE_LIT(""), name + 1, path);
	if (strchr(name, '/') != NULL) {
		r = bind_sys_getcwd(cwd, sizeof(cwd));
		return r < 0 ? r : try_path(span_of(cwd), name, path);
	}
	list = look_up(environment, "PATH");
	return search(list == NULL ? DEFAULT_PATH : list, name, path);
}

/* argv = {guardian, "guard", FD, path, argument...}; path is filled later. */
static enum wire_err
take_words(struct bind_command *command, struct wire_span line,
    struct wire_errinfo *info)
{
	size_t count;
	enum wire_err err;
	char **argv;

	if (line.len > BIND_COMMAND_LINE)
		return wire_fail(info, WIRE_ERR_BAD_ARGUMENT, "length", 0);
	command->text = malloc(sizeof(ROLE) + line.len + 1);
	command->argv =
	    calloc(FIRST_WORD + BIND_COMMAND_WORDS + 1, sizeof(char *));
	if (command->text == NULL || command->argv == NULL)
		return wire_fail(info, WIRE_ERR_NO_MEMORY, "command", 0);
	memcpy(command->text, ROLE, sizeof(ROLE));
	command->argv[0] = command->guardian;
	command->argv[1] = command->text;
	command->argv[2] = command->text + strlen(ROLE) + 1;
	err = bind_shell_split(line, command->text + sizeof(ROLE), line.len + 1,
	    command->argv + FIRST_WORD, BIND_COMMAND_WORDS + 1, &count, info);
	if (err == WIRE_OK && count == 0)
		return wire_fail(info, WIRE_ERR_BAD_ARGUMENT, "empty", 0);
	if (err != WIRE_OK)
		return err;
	/* There may be thousands of tools, and few have many words. */
	argv =
	    realloc(command->argv, (FIRST_WORD + count + 1) * sizeof(char *));
	if (argv != NULL)
		command->argv = argv;
	return WIRE_OK;
}

static enum wire_err
take_path(struct bind_command *command, const char *const *environment,
    struct wire_errinfo *info)
{
	char path[BIND_COMMAND_PATH];
	int r = resolve(command->argv[FIRST_WORD], environment, path);

	if (r < 0) {
		(void)wire_fail(info, WIRE_ERR_SYSTEM, "command", 0);
		if (info != NULL)
			info->sys = -r;
		return WIRE_ERR_SYSTEM;
	}
	command->path = copy_span(span_of(path));
	if (command->path == NULL)
		return wire_fail(info, WIRE_ERR_NO_MEMORY, "command", 0);
	command->argv[FIRST_WORD] = command->path;
	return WIRE_OK;
}

enum wire_err
bind_command_new(struct wire_span line, const char *guardian,
    const char *const *environment, struct bind_command **ret_command,
    struct wire_errinfo *info)
{
	struct bind_command *command;
	enum wire_err err = WIRE_ERR_NO_MEMORY;

	if (guardian[0] != '/')
		return wire_fail(info, WIRE_ERR_BAD_ARGUMENT, "guardian", 0);
	command = calloc(1, sizeof(*command));
	if (command == NULL)
		return wire_fail(info, err, "command", 0);
	command->guardian = copy_span(span_of(guardian));
	if (command->guardian != NULL)
		err = take_environment(command, environment);
	if (err != WIRE_OK) {
		(void)wire_fail(info, err, "command", 0);
		goto out;
	}
	err = take_words(command, line, info);
	if (err != WIRE_OK)
		goto out;
	err = take_path(command, environment, info);
	if (err != WIRE_OK)
		goto out;
	*ret_command = command;
	command = NULL;
out:
	bind_command_free(command);
	return err;
}

/* --- from words ----------------------------------------------------------- */

/* SECURITY: LANG is not among them: what other programs that start such
 * servers leave out, they do not count on. */
static bool
is_passed_on(
    const char *name, const char *value, const struct bind_command_words *given)
{
	return value != NULL && strcmp(name, "LANG") != 0 &&
	    strncmp(value, "()", 2) != 0 && look_up(given->own, name) == NULL;
}

static enum wire_err
join_environment(
    struct bind_command *command, const struct bind_command_words *given)
{
	size_t own = 0, count = 0;

	while (given->own[own] != NULL)
		own++;
	command->environment = calloc(own + INHERITED + 1, sizeof(char *));
	if (command->environment == NULL)
		return WIRE_ERR_NO_MEMORY;
	for (size_t i = 0; i < own + INHERITED; i++) {
		const char *text = i < own ? given->own[i] : NULL;

		if (text == NULL) {
			const char *name = inherited[i - own];

			text = look_up(given->environment, name);
			if (!is_passed_on(name, text, given))
				continue;
			text -= strlen(name) + 1;
		}
		command->environment[count] = copy_span(span_of(text));
		if (command->environment[count++] == NULL)
			return WIRE_ERR_NO_MEMORY;
	}
	return WIRE_OK;
}

static enum wire_err
copy_words(struct bind_command *command, const struct bind_command_words *given,
    struct wire_errinfo *info)
{
	size_t total = sizeof(ROLE);
	char *at;

	if (given->count == 0 || given->words[0][0] == '\0')
		return wire_fail(info, WIRE_ERR_BAD_ARGUMENT, "empty", 0);
	for (size_t i = 0; i < given->count; i++)
		total += strlen(given->words[i]) + 1;
	if (given->count > BIND_COMMAND_WORDS || total > BIND_COMMAND_LINE)
		return wire_fail(info, WIRE_ERR_BAD_ARGUMENT, "length", 0);
	command->text = malloc(total);
	command->argv = calloc(FIRST_WORD + given->count + 1, sizeof(char *));
	if (command->text == NULL || command->argv == NULL)
		return wire_fail(info, WIRE_ERR_NO_MEMORY, "command", 0);
	memcpy(command->text, ROLE, sizeof(ROLE));
	command->argv[0] = command->guardian;
	command->argv[1] = command->text;
	command->argv[2] = command->text + strlen(ROLE) + 1;
	at = command->text + sizeof(ROLE);
	for (size_t i = 0; i < given->count; i++) {
		size_t size = strlen(given->words[i]) + 1;

		memcpy(at, given->words[i], size);
		command->argv[FIRST_WORD + i] = at;
		at += size;
	}
	return WIRE_OK;
}

enum wire_err
bind_command_from_words(const struct bind_command_words *given,
    struct bind_command **ret_command, struct wire_errinfo *info)
{
	struct bind_command *command;
	enum wire_err err = WIRE_ERR_NO_MEMORY;

	if (given->guardian[0] != '/')
		return wire_fail(info, WIRE_ERR_BAD_ARGUMENT, "guardian", 0);
	command = calloc(1, sizeof(*command));
	if (command == NULL)
		return wire_fail(info, err, "command", 0);
	command->guardian = copy_span(span_of(given->guardian));
	if (given->directory != NULL)
		command->directory = copy_span(span_of(given->directory));
	if (command->guardian != NULL &&
	    (given->directory == NULL || command->directory != NULL))
		err = join_environment(command, given);
	if (err != WIRE_OK) {
		(void)wire_fail(info, err, "command", 0);
		goto out;
	}
	err = copy_words(command, given, info);
	if (err == WIRE_OK)
		err = take_path(
		    command, (const char *const *)command->environment, info);
	if (err != WIRE_OK)
		goto out;
	*ret_command = command;
	command = NULL;
out:
	bind_command_free(command);
	return err;
}

void
bind_command_free(struct bind_command *command)
{
	if (command == NULL)
		return;
	if (command->environment != NULL) {
		for (char **p = command->environment; *p != NULL; p++)
			free(*p);
	}
	free(command->environment);
	free(command->argv);
	free(command->path);
	free(command->text);
	free(command->guardian);
	free(command->directory);
	free(command);
}
