#include "supervisor/log_options.h"

#include <string.h>

#include "supervisor/state_dir.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const struct sup_option_text texts[] = {
    {"--state", "DIR", "the state directory in which RUN is looked for"},
    {"--json", NULL, "print one JSON object for each record"},
    {"--verify", NULL, "print no records, only what they add up to"},
    {"--follow", NULL, "go on with what is appended, until a signal ends it"},
    {"--head", "HASH", "the ledger must contain the record with this hash"},
    {"--help", NULL, "print this text"},
};

static int
hex_digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0'
	    : c >= 'a' && c <= 'f'  ? c - 'a' + 10
	    : c >= 'A' && c <= 'F'  ? c - 'A' + 10
				    : -1;
}

static enum wire_err
take_head(
    struct sup_log_options *options, struct sup_usage *usage, const char *value)
{
	if (strlen(value) != 2 * sizeof(options->head))
		return sup_usage_value(usage, value,
		    "it is not 64 hexadecimal digits; give a hash that weir "
		    "log has printed");
	for (size_t i = 0; i < sizeof(options->head); i++) {
		int high = hex_digit(value[2 * i]);
		int low = hex_digit(value[2 * i + 1]);

		if (high < 0 || low < 0)
			return sup_usage_value(usage, value,
			    "it is not 64 hexadecimal digits; give a hash that "
			    "weir log has printed");
		options->head[i] = (uint8_t)(16 * high + low);
	}
	options->head_given = true;
	return WIRE_OK;
}

static enum wire_err
apply(struct sup_log_options *options, struct sup_usage *usage,
    const char *word, const char *value)
{
	if (strcmp(word, "--state") == 0) {
		if (value[0] == '\0')
			return sup_usage_value(usage, value,
			    "the path is empty; name a directory");
		options->state = value;
	} else if (strcmp(word, "--head") == 0) {
		return take_head(options, usage, value);
	} else if (strcmp(word, "--json") == 0) {
		options->json = true;
	} else if (strcmp(word, "--verify") == 0) {
		options->verify = true;
	} else if (strcmp(word, "--follow") == 0) {
		options->follow = true;
	} else {
		options->help = true;
	}
	return WIRE_OK;
}

static const struct sup_option_text *
find(const char *word, size_t len)
{
	for (size_t i = 0; i < COUNT(texts); i++)
		if (strlen(texts[i].word) == len &&
		    memcmp(texts[i].word, word, len) == 0)
			return &texts[i];
	return NULL;
}

/* argv[*next] is an option. */
static enum wire_err
take_option(struct sup_log_options *options, struct sup_usage *usage, int argc,
    char *const argv[], int *next)
{
	const char *word = argv[(*next)++];
	const size_t len = strcspn(word, "=");
	const struct sup_option_text *text = find(word, len);
	const char *value = word[len] == '=' ? word + len + 1 : NULL;
	char quoted[SUP_USAGE_QUOTED];

	if (text == NULL)
		return sup_usage_refuse(usage,
		    "%s: no such option; 'weir log --help' lists the options, "
		    "and './' stands before a FILE that begins with '-'",
		    sup_usage_quote(word, quoted));
	usage->option = text->word;
	if (text->operand == NULL && value != NULL)
		return sup_usage_value(
		    usage, value, "the option takes no value; leave it out");
	if (text->operand != NULL && value == NULL) {
		if (*next == argc)
			return sup_usage_refuse(usage,
			    "%s: its value is missing; write %s %s", text->word,
			    text->word, text->operand);
		value = argv[(*next)++];
	}
	return apply(options, usage, text->word, value);
}

/* A name that could be a Run's is one where there is a state directory; what
 * has a '/' in it is a path always. */
static enum wire_err
judge_operand(struct sup_log_options *options, struct sup_usage *usage)
{
	char quoted[SUP_USAGE_QUOTED];
	struct wire_span name;

	if (options->operand == NULL)
		return sup_usage_refuse(usage,
		    "log: the ledger is missing; give --state DIR RUN, or a "
		    "FILE");
	if (options->state == NULL || strchr(options->operand, '/') != NULL)
		return WIRE_OK;
	name = (struct wire_span){
	    (const uint8_t *)options->operand, strlen(options->operand)};
	if (!sup_run_name_is_good(name))
		return sup_usage_refuse(usage,
		    "log %s: not the name of a Run, which is 1 to 64 of "
		    "A-Z a-z 0-9 . _ - and does not begin with a dot; write "
		    "a FILE with a '/'",
		    sup_usage_quote(options->operand, quoted));
	options->is_run = true;
	return WIRE_OK;
}

enum wire_err
sup_log_options_parse(int argc, char *const argv[],
    struct sup_log_options *ret_options, char usage_text[SUP_USAGE_TEXT])
{
	struct sup_usage usage = {usage_text, ""};
	enum wire_err err = WIRE_OK;
	char quoted[SUP_USAGE_QUOTED];
	int next = 0;

	memset(ret_options, 0, sizeof(*ret_options));
	usage_text[0] = '\0';
	while (err == WIRE_OK && next < argc && !ret_options->help) {
		const char *word = argv[next];

		if (word[0] == '-') {
			err =
			    take_option(ret_options, &usage, argc, argv, &next);
			continue;
		}
		if (ret_options->operand != NULL || word[0] == '\0')
			return sup_usage_refuse(&usage, "log %s: %s",
			    sup_usage_quote(word, quoted),
			    word[0] == '\0'
				? "the name is empty; name a Run or a file"
				: "a ledger was given before; give one");
		ret_options->operand = word;
		next++;
	}
	if (err == WIRE_OK && !ret_options->help)
		err = judge_operand(ret_options, &usage);
	return err;
}

const struct sup_option_text *
sup_log_options_text(size_t index)
{
	return index < COUNT(texts) ? &texts[index] : NULL;
}
