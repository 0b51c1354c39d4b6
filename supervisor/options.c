/*
 * The walk over the arguments; options_table.h says what each option does.
 *
 * Not getopt_long: it keeps its place in globals, prints by itself, accepts
 * abbreviations (which a later option would break) and looks at the
 * environment.
 */
#include "supervisor/options.h"

#include <stddef.h>
#include <string.h>

#include "supervisor/options_table.h"
#include "supervisor/terms.h"
#include "wire/report.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* Options whose mechanism later versions have: refused by name, so that
 * nobody takes a misspelling for a missing feature, or the reverse. */
static const char *const absent_options[] = {"--package", "--memory",
    "--tenant", "--preserve", "--artifacts", "--steps"};

static const char *const absent_commands[] = {"mcp", "serve"};

static bool
is_listed(const char *const *list, size_t count, const char *word, size_t len)
{
	size_t i;

	for (i = 0; i < count; i++) {
		if (strlen(list[i]) == len && memcmp(list[i], word, len) == 0)
			return true;
	}
	return false;
}

/* --- parsing ------------------------------------------------------------- */

/* word is an option and starts with '-'; len ends before any '='. */
static enum wire_err
refuse_option(struct sup_parser *parser, const char *word, size_t len)
{
	char quoted[SUP_USAGE_QUOTED];

	if (parser->doctor)
		return sup_usage_refuse(&parser->usage,
		    "%s: no such option; 'weir doctor --help' lists the "
		    "options",
		    sup_usage_quote(word, quoted));
	if (is_listed(absent_options, COUNT(absent_options), word, len))
		return sup_usage_refuse(&parser->usage,
		    "%s: this option is not available in this version; leave "
		    "it out",
		    sup_usage_quote(word, quoted));
	return sup_usage_refuse(&parser->usage,
	    "%s: no such option; 'weir run --help' lists the options, and "
	    "'--' stands before a FILE that begins with '-'",
	    sup_usage_quote(word, quoted));
}

static enum wire_err
parse_option(struct sup_parser *parser, const char *word)
{
	const bool is_long = word[1] == '-';
	const size_t len = is_long ? strcspn(word, "=") : 2;
	const struct sup_option_spec *spec = sup_option_find(parser, word, len);
	const char *value = NULL;

	if (spec == NULL)
		return refuse_option(parser, word, len);
	parser->usage.option = spec->text.word;
	if (word[len] != '\0')
		value = word + len + (is_long ? 1 : 0);
	if (spec->text.operand == NULL && value != NULL)
		return sup_usage_value(&parser->usage, value,
		    "the option takes no value; leave it out");
	if (spec->text.operand != NULL && value == NULL) {
		if (parser->next == parser->argc)
			return sup_usage_refuse(&parser->usage,
			    "%s: its value is missing; write %s %s",
			    spec->text.word, spec->text.word,
			    spec->text.operand);
		value = parser->argv[parser->next++];
	}
	return spec->apply(parser, value);
}

static enum wire_err
parse_run(struct sup_parser *parser)
{
	struct sup_options *options = parser->options;
	bool options_ended = false;
	enum wire_err err = WIRE_OK;
	const char *word;

	while (err == WIRE_OK && parser->next < parser->argc &&
	    options->action == SUP_ACTION_RUN) {
		word = parser->argv[parser->next++];
		if (!options_ended && strcmp(word, "--") == 0)
			options_ended = true;
		else if (!options_ended && word[0] == '-' && word[1] != '\0')
			err = parse_option(parser, word);
		else if (!options_ended && strcmp(word, "-") == 0)
			err = sup_option_set_program(
			    parser, SUP_SOURCE_STDIN, word);
		else if (word[0] == '\0')
			err = sup_usage_refuse(&parser->usage,
			    "FILE: the path is empty; name a file");
		else
			err = sup_option_set_program(
			    parser, SUP_SOURCE_FILE, word);
	}
	if (err == WIRE_OK && options->action == SUP_ACTION_RUN &&
	    options->source == SUP_SOURCE_NONE)
		return sup_usage_refuse(&parser->usage,
		    "run: the program is missing; give one of FILE, -c TEXT "
		    "and - (standard input)");
	if (err == WIRE_OK && options->action == SUP_ACTION_RUN &&
	    options->profile != NULL && options->profile_file == NULL)
		return sup_usage_refuse(&parser->usage,
		    "--profile: there are no profiles; say where they are "
		    "with --profile-file FILE, which is missing; or leave it "
		    "out");
	if (err == WIRE_OK && options->action == SUP_ACTION_RUN &&
	    options->trace != NULL && options->unconfined)
		return sup_usage_refuse(&parser->usage,
		    "--trace: with --unconfined no system call is refused, and "
		    "there is nothing to trace; leave one of the two out");
	if (err == WIRE_OK && options->action == SUP_ACTION_RUN)
		err = sup_state_option_check(&parser->usage, &options->state);
	return err;
}

static enum wire_err
parse_doctor(struct sup_parser *parser)
{
	struct sup_options *options = parser->options;
	enum wire_err err = WIRE_OK;
	char quoted[SUP_USAGE_QUOTED];
	const char *word;

	parser->doctor = true;
	options->action = SUP_ACTION_DOCTOR;
	while (err == WIRE_OK && parser->next < parser->argc &&
	    options->action == SUP_ACTION_DOCTOR) {
		word = parser->argv[parser->next++];
		if (word[0] == '-' && word[1] != '\0')
			err = parse_option(parser, word);
		else
			err = sup_usage_refuse(&parser->usage,
			    "doctor %s: it takes no operand; leave it out",
			    sup_usage_quote(word, quoted));
	}
	return err;
}

static enum wire_err
parse_command(struct sup_parser *parser)
{
	char quoted[SUP_USAGE_QUOTED];
	const char *word;

	if (parser->argc < 2)
		return sup_usage_refuse(&parser->usage,
		    "the command is missing; 'weir run --help' shows how to "
		    "start");
	word = parser->argv[1];
	parser->next = 2;
	if (strcmp(word, "run") == 0)
		return parse_run(parser);
	if (strcmp(word, "doctor") == 0)
		return parse_doctor(parser);
	if (strcmp(word, "log") == 0) {
		/* Its own line: log_options.h. */
		parser->options->action = SUP_ACTION_LOG;
		return WIRE_OK;
	}
	if (strcmp(word, "--help") == 0)
		return parse_option(parser, word);
	if (strcmp(word, "--version") == 0)
		return parse_option(parser, word);
	if (is_listed(
		absent_commands, COUNT(absent_commands), word, strlen(word)))
		return sup_usage_refuse(&parser->usage,
		    "%s: this command is not available in this version; there "
		    "are 'weir run', 'weir doctor' and 'weir log'",
		    word);
	return sup_usage_refuse(&parser->usage,
	    "%s: no such command; there are 'weir run', 'weir doctor' and "
	    "'weir log'",
	    sup_usage_quote(word, quoted));
}

enum wire_err
sup_options_parse(int argc, char *const argv[], struct sup_options *ret_options,
    char usage[SUP_USAGE_TEXT])
{
	struct sup_parser parser = {.argc = argc,
	    .argv = argv,
	    .options = ret_options,
	    .usage = {usage, ""}};
	unsigned limit;

	memset(ret_options, 0, offsetof(struct sup_options, tools));
	ret_options->python = "python3";
	ret_options->layers =
	    ((UINT32_C(1) << WIRE_STAGE_COUNT) - 1) | SUP_LAYERS_STRICT;
	for (limit = 0; limit < SUP_LIMITS; limit++)
		ret_options->limits[limit] = sup_limit_spec(limit)->initial;
	usage[0] = '\0';
	return parse_command(&parser);
}
