/*
 * Target: the command line (supervisor/options.h, limit_option.h, units.h).
 *
 * The first byte chooses: a number with its unit, a value to print, a limit
 * near the ends of its range, or an argument vector, whose parts stand between
 * NUL bytes. Properties:
 *  - a time, size or count is taken exactly when its grammar and the range of
 *    64 bits allow it and each of its decimals is a whole number of
 *    nanoseconds, and has the value that arithmetic on decimal text gives;
 *  - every value is printed in a form that reads back as the same value;
 *  - a limit is taken exactly when it is settable and inside its range;
 *  - an argument vector that is refused leaves one line of printable ASCII
 *    that names one of its arguments, or says what is missing;
 *  - one that is accepted gives a program, limits inside the table's ranges,
 *    which are the table's own where none was given, distinct tools with good
 *    names; put into one form and parsed again, it gives the same options.
 */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "supervisor/options.h"
#include "supervisor/terms.h"
#include "supervisor/units.h"
#include "wire/limits.h"
#include "wire/report.h"
#include "wire/utf8.h"

/* --- arithmetic on decimal text ------------------------------------------- */

#define DIGITS_MAX 700 /* of an input and a factor */

struct decimal {
	uint8_t digit[DIGITS_MAX]; /* the lowest first */
	size_t len;
};

static void
times(struct decimal *d, uint64_t factor)
{
	unsigned __int128 carry = 0;
	size_t i;

	for (i = 0; i < d->len || carry != 0; i++) {
		FUZZ_REQUIRE(i < DIGITS_MAX);
		if (i == d->len)
			d->digit[d->len++] = 0;
		carry += (unsigned __int128)d->digit[i] * factor;
		d->digit[i] = (uint8_t)(carry % 10);
		carry /= 10;
	}
}

/* The value without its lowest `less` digits; false over 64 bits. */
static bool
shifted(const struct decimal *d, size_t less, uint64_t *ret_value)
{
	static const char most[] = "18446744073709551615";
	char text[DIGITS_MAX + 1];
	size_t i, len = 0;

	for (i = d->len; i-- > less;)
		if (len != 0 || d->digit[i] != 0)
			text[len++] = (char)('0' + d->digit[i]);
	text[len] = '\0';
	if (len > 20 || (len == 20 && strcmp(text, most) > 0))
		return false;
	*ret_value = strtoull(text, NULL, 10);
	return true;
}

/* --- units ---------------------------------------------------------------- */

struct factor {
	const char *suffix;
	uint64_t factor;
};

static const struct factor factors[3][6] = {
    [SUP_UNIT_TIME] = {{"ms", 1000000}, {"s", 1000000000}, {"", 1000000000},
	{"m", 60000000000}, {"h", 3600000000000}},
    [SUP_UNIT_SIZE] = {{"", 1}, {"K", 1024}, {"M", 1048576}, {"G", 1073741824}},
    [SUP_UNIT_COUNT] = {{"", 1}},
};

/* A decimal at place i, from 1: whole nanoseconds, as long as all are. */
static bool
is_whole(uint64_t factor, size_t place)
{
	for (; place > 0; place--, factor /= 10)
		if (factor % 10 != 0)
			return false;
	return true;
}

static bool
model_units(enum sup_unit unit, const char *text, uint64_t *ret_value)
{
	size_t whole = strspn(text, "0123456789"), places = 0, i;
	const char *rest = text + whole, *decimals = "";
	const struct factor *f;
	struct decimal d = {.len = 0};

	if (whole == 0)
		return false;
	if (unit == SUP_UNIT_TIME && *rest == '.') {
		decimals = rest + 1;
		places = strspn(decimals, "0123456789");
		rest = decimals + places;
		if (places == 0)
			return false;
	}
	for (f = factors[unit]; f->suffix != NULL; f++)
		if (strcmp(f->suffix, rest) == 0)
			break;
	if (f->suffix == NULL)
		return false;
	for (i = 0; i < places; i++)
		if (decimals[i] != '0' && !is_whole(f->factor, i + 1))
			return false;
	for (i = places; i-- > 0;)
		d.digit[d.len++] = (uint8_t)(decimals[i] - '0');
	for (i = whole; i-- > 0;)
		d.digit[d.len++] = (uint8_t)(text[i] - '0');
	times(&d, f->factor);
	return shifted(&d, places, ret_value);
}

static void
check_units(enum sup_unit unit, struct wire_span in)
{
	struct wire_errinfo info = {NULL, 0, SIZE_MAX};
	uint64_t want = 0, got = 7;
	char *text = malloc(in.len + 1);
	bool good;

	FUZZ_REQUIRE(text != NULL);
	if (in.len != 0)
		memcpy(text, in.p, in.len);
	text[in.len] = '\0';
	good = strlen(text) == in.len && model_units(unit, text, &want);
	if (sup_units_parse(unit, in, &got, &info) == WIRE_OK) {
		FUZZ_REQUIRE(good && got == want);
	} else {
		FUZZ_REQUIRE(!good && got == 7);
		FUZZ_REQUIRE(info.site != NULL && info.site[0] != '\0');
		FUZZ_REQUIRE(info.offset <= in.len);
	}
	free(text);
}

static void
check_printing(enum sup_unit unit, uint64_t value)
{
	char text[SUP_UNITS_TEXT];
	uint64_t again;

	(void)sup_units_format(unit, value, text);
	FUZZ_REQUIRE(memchr(text, 0, sizeof(text)) != NULL);
	FUZZ_REQUIRE(sup_units_parse(unit,
			 (struct wire_span){(uint8_t *)text, strlen(text)},
			 &again, NULL) == WIRE_OK);
	FUZZ_REQUIRE(again == value);
	FUZZ_REQUIRE(sup_units_example(unit)[0] != '\0');
}

/* --- argument vectors ----------------------------------------------------- */

#define ARGS_MAX 64

/* Names an argument: as it is quoted, or as it stands if it is an option. */
static bool
names_one(const char *usage, int argc, char *const *argv)
{
	char quoted[SUP_USAGE_QUOTED];
	int i;

	for (i = 1; i < argc; i++) {
		const char *value = strchr(argv[i], '=');

		if (strstr(usage, sup_usage_quote(argv[i], quoted)) != NULL)
			return true;
		/* The value of --option=value stands by itself. */
		if (value != NULL &&
		    strstr(usage, sup_usage_quote(value + 1, quoted)) != NULL)
			return true;
		if (argv[i][0] == '-' && strlen(argv[i]) > 2 &&
		    strstr(usage, sup_usage_quote(argv[i] + 2, quoted)) != NULL)
			return true;
	}
	return false;
}

static void
check_refusal(const char *usage, int argc, char *const *argv)
{
	size_t i;

	FUZZ_REQUIRE(memchr(usage, 0, SUP_USAGE_TEXT) != NULL);
	FUZZ_REQUIRE(strncmp(usage, "weir: ", 6) == 0);
	FUZZ_REQUIRE(strlen(usage) > 20);
	for (i = 0; usage[i] != '\0'; i++)
		FUZZ_REQUIRE(usage[i] >= ' ' && usage[i] < 0x7f);
	FUZZ_REQUIRE(names_one(usage, argc, argv) ||
	    strstr(usage, "is missing; ") != NULL ||
	    strstr(usage, "the path is empty; ") != NULL ||
	    strstr(usage, "the name is empty; ") != NULL ||
	    /* Words of a closed list, which need no quotes. */
	    strncmp(usage + 6, argv[1], strlen(argv[1])) == 0);
}

static void
check_tools(const struct sup_options *options)
{
	size_t i, k;

	FUZZ_REQUIRE(options->tool_count <= SUP_OPTIONS_TOOLS);
	for (i = 0; i < options->tool_count; i++) {
		const struct sup_option_tool *tool = &options->tools[i];

		FUZZ_REQUIRE(tool->name.len >= 1);
		FUZZ_REQUIRE(tool->name.len <= WIRE_MAX_TOOL_NAME);
		FUZZ_REQUIRE(
		    wire_utf8_valid_prefix(tool->name) == tool->name.len);
		FUZZ_REQUIRE(memchr(tool->name.p, '=', tool->name.len) == NULL);
		FUZZ_REQUIRE(tool->command[0] != '\0');
		for (k = 0; k < i; k++)
			FUZZ_REQUIRE(!wire_span_equal(
			    tool->name, options->tools[k].name));
	}
	FUZZ_REQUIRE(options->mark_count <= SUP_OPTIONS_MARKS);
	for (i = 0; i < options->mark_count; i++) {
		FUZZ_REQUIRE(options->marks[i].name.len >= 1);
		FUZZ_REQUIRE(options->marks[i].name.len <= WIRE_MAX_TOOL_NAME);
		FUZZ_REQUIRE(options->marks[i].mark <= WEIR_TOOL_MAY_SUSPEND);
	}
}

static void
check_options(const struct sup_options *options)
{
	unsigned i;

	FUZZ_REQUIRE(options->source != SUP_SOURCE_NONE);
	FUZZ_REQUIRE((options->program == NULL) ==
	    (options->source == SUP_SOURCE_STDIN));
	FUZZ_REQUIRE(
	    options->source != SUP_SOURCE_FILE || options->program[0] != '\0');
	FUZZ_REQUIRE(options->python[0] != '\0');
	FUZZ_REQUIRE(options->profile == NULL || options->profile_file != NULL);
	FUZZ_REQUIRE(options->trace == NULL || !options->unconfined);
	FUZZ_REQUIRE(options->layers ==
	    (((1u << WIRE_STAGE_COUNT) - 1) | SUP_LAYERS_STRICT));
	FUZZ_REQUIRE(options->limits_given >> SUP_LIMITS == 0);
	for (i = 0; i < SUP_LIMITS; i++) {
		const struct sup_limit_spec *spec =
		    sup_limit_spec((enum sup_limit)i);
		bool given = options->limits_given >> i & 1;

		FUZZ_REQUIRE(options->limits[i] >= spec->minimum);
		FUZZ_REQUIRE(options->limits[i] <= spec->ceiling);
		FUZZ_REQUIRE(given || options->limits[i] == spec->initial);
		FUZZ_REQUIRE(!given || spec->settable);
	}
	check_tools(options);
}

/* --- options to an argument vector ---------------------------------------- */

struct vector {
	char *argv[2 * (ARGS_MAX + SUP_LIMITS) + 24];
	int argc;
};

static void
push(struct vector *v, const char *text)
{
	v->argv[v->argc] = strdup(text);
	FUZZ_REQUIRE(v->argv[v->argc++] != NULL);
}

static void
push_two(struct vector *v, const char *option, const char *a, const char *b)
{
	char *text;

	FUZZ_REQUIRE(asprintf(&text, "%s=%s", a, b) >= 0);
	push(v, option);
	push(v, text);
	free(text);
}

static void
push_file(struct vector *v, const char *option, const char *value)
{
	if (value == NULL)
		return;
	push(v, option);
	push(v, value);
}

static bool
same_name(const char *a, const char *b)
{
	return a == NULL ? b == NULL : b != NULL && strcmp(a, b) == 0;
}

static void
spell(const struct sup_options *options, struct vector *v)
{
	char text[SUP_UNITS_TEXT], name[WIRE_MAX_TOOL_NAME + 1];
	size_t i;

	push(v, "weir");
	push(v, "run");
	if (options->json)
		push(v, "--json");
	if (options->value)
		push(v, "--value");
	if (options->raw)
		push(v, "--raw");
	if (options->halt_on_exhaust)
		push(v, "--halt-on-exhaust");
	push(v, "--python");
	push(v, options->python);
	push_file(v, "--profile-file", options->profile_file);
	push_file(v, "--profile", options->profile);
	push_file(v, "--policy-file", options->policy_file);
	push_file(v, "--request-file", options->request_file);
	push_file(v, "--trace", options->trace);
	for (i = 0; i < SUP_LIMITS; i++) {
		const struct sup_limit_spec *spec =
		    sup_limit_spec((enum sup_limit)i);

		if ((options->limits_given >> i & 1) != 0)
			push_two(v, "--limit", spec->word,
			    sup_units_format(
				spec->unit, options->limits[i], text));
	}
	for (i = 0; i < options->tool_count; i++) {
		const struct sup_option_tool *tool = &options->tools[i];

		memcpy(name, tool->name.p, tool->name.len);
		name[tool->name.len] = '\0';
		push_two(v, "--tool", name, tool->command);
	}
	for (i = 0; i < options->mark_count; i++) {
		const struct sup_option_mark *mark = &options->marks[i];

		memcpy(name, mark->name.p, mark->name.len);
		name[mark->name.len] = '\0';
		push_two(v, "--mark", name,
		    mark->mark == WEIR_TOOL_MAY_SUSPEND ? "may_suspend"
							: "requires_approval");
	}
	if (options->source == SUP_SOURCE_TEXT) {
		push(v, "-c");
		push(v, options->program);
	} else if (options->source == SUP_SOURCE_FILE) {
		push(v, "--");
		push(v, options->program);
	} else {
		push(v, "-");
	}
}

static void
check_same(const struct sup_options *a, const struct sup_options *b)
{
	size_t i;

	FUZZ_REQUIRE(a->action == b->action && a->json == b->json);
	FUZZ_REQUIRE(a->value == b->value && a->raw == b->raw);
	FUZZ_REQUIRE(strcmp(a->python, b->python) == 0);
	FUZZ_REQUIRE(same_name(a->profile_file, b->profile_file));
	FUZZ_REQUIRE(same_name(a->profile, b->profile));
	FUZZ_REQUIRE(same_name(a->policy_file, b->policy_file));
	FUZZ_REQUIRE(same_name(a->request_file, b->request_file));
	FUZZ_REQUIRE(same_name(a->trace, b->trace));
	FUZZ_REQUIRE(a->source == b->source);
	if (a->program != NULL)
		FUZZ_REQUIRE(strcmp(a->program, b->program) == 0);
	FUZZ_REQUIRE(memcmp(a->limits, b->limits, sizeof(a->limits)) == 0);
	FUZZ_REQUIRE(a->limits_given == b->limits_given);
	FUZZ_REQUIRE(a->tool_count == b->tool_count);
	for (i = 0; i < a->tool_count; i++) {
		FUZZ_REQUIRE(
		    wire_span_equal(a->tools[i].name, b->tools[i].name));
		FUZZ_REQUIRE(
		    strcmp(a->tools[i].command, b->tools[i].command) == 0);
	}
	FUZZ_REQUIRE(a->mark_count == b->mark_count);
	for (i = 0; i < a->mark_count; i++) {
		FUZZ_REQUIRE(
		    wire_span_equal(a->marks[i].name, b->marks[i].name));
		FUZZ_REQUIRE(a->marks[i].mark == b->marks[i].mark);
	}
}

static void
check_again(const struct sup_options *options)
{
	struct sup_options *again = malloc(sizeof(*again));
	struct vector v = {.argc = 0};
	char usage[SUP_USAGE_TEXT];

	FUZZ_REQUIRE(again != NULL);
	spell(options, &v);
	FUZZ_REQUIRE(
	    sup_options_parse(v.argc, v.argv, again, usage) == WIRE_OK);
	check_same(options, again);
	while (v.argc > 0)
		free(v.argv[--v.argc]);
	free(again);
}

static void
check_vector(struct wire_span in)
{
	struct sup_options *options = malloc(sizeof(*options));
	/* A text of its own for each, so that a read past its end shows. */
	char *argv[ARGS_MAX + 1] = {strdup("weir"), NULL};
	char usage[SUP_USAGE_TEXT];
	int argc = 1;

	FUZZ_REQUIRE(options != NULL);
	while (in.len != 0 && argc < ARGS_MAX) {
		const uint8_t *end = memchr(in.p, 0, in.len);
		size_t len = end == NULL ? in.len : (size_t)(end - in.p);

		argv[argc++] = strndup((const char *)in.p, len);
		(void)fuzz_bytes(&in, len + 1);
	}
	if (sup_options_parse(argc, argv, options, usage) != WIRE_OK) {
		check_refusal(usage, argc, argv);
	} else if (options->action == SUP_ACTION_RUN) {
		check_options(options);
		check_again(options);
	}
	while (argc > 0)
		free(argv[--argc]);
	free(options);
}

static void
check_limit(struct wire_span in)
{
	const struct sup_limit_spec *spec =
	    sup_limit_spec((enum sup_limit)(fuzz_byte(&in) % SUP_LIMITS));
	struct sup_options *options = malloc(sizeof(*options));
	uint64_t ends[] = {spec->minimum - 1, spec->minimum, spec->ceiling,
	    spec->ceiling + 1, spec->initial};
	uint8_t which = fuzz_byte(&in) % 6;
	uint64_t value = which < 5 ? ends[which] : fuzz_uint(&in, 8);
	char text[SUP_UNITS_TEXT], usage[SUP_USAGE_TEXT];
	struct vector v = {.argc = 0};
	enum wire_err err;

	FUZZ_REQUIRE(options != NULL);
	push(&v, "weir");
	push(&v, "run");
	push(&v, "-");
	push_two(&v, "--limit", spec->word,
	    sup_units_format(spec->unit, value, text));
	err = sup_options_parse(v.argc, v.argv, options, usage);
	FUZZ_REQUIRE((err == WIRE_OK) ==
	    (spec->settable && value >= spec->minimum &&
		value <= spec->ceiling));
	if (err == WIRE_OK)
		check_options(options);
	else
		check_refusal(usage, v.argc, v.argv);
	while (v.argc > 0)
		free(v.argv[--v.argc]);
	free(options);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wire_span in = {data, size};
	uint8_t choice = fuzz_byte(&in);

	/* Letters, so that a seed can be read. */
	if (choice == 'a')
		check_vector(in);
	else if (choice == 'l')
		check_limit(in);
	else if (choice == 'p')
		check_printing(
		    (enum sup_unit)(fuzz_byte(&in) % 3), fuzz_uint(&in, 8));
	else if (in.len <= DIGITS_MAX - 64)
		check_units((enum sup_unit)(choice % 3), in);
	return 0;
}
