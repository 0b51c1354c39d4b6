/*
 * What each option does, and the tables of them.
 */
#include "supervisor/options_table.h"

#include <stddef.h>
#include <string.h>

#include "bindings/marks.h"
#include "supervisor/limit_option.h"
#include "supervisor/profile_read.h"
#include "supervisor/terms.h"
#include "supervisor/usage.h"
#include "wire/limits.h"
#include "wire/report.h"
#include "wire/utf8.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* --- one function for each option ---------------------------------------- */

static enum wire_err
apply_json(struct sup_parser *parser, const char *value)
{
	(void)value;
	parser->options->json = true;
	return WIRE_OK;
}

static enum wire_err
apply_value(struct sup_parser *parser, const char *value)
{
	(void)value;
	parser->options->value = true;
	return WIRE_OK;
}

static enum wire_err
apply_raw(struct sup_parser *parser, const char *value)
{
	(void)value;
	parser->options->raw = true;
	return WIRE_OK;
}

static enum wire_err
apply_python(struct sup_parser *parser, const char *value)
{
	if (value[0] == '\0')
		return sup_usage_refuse(&parser->usage,
		    "%s: the path is empty; name an interpreter or leave the "
		    "option out",
		    parser->usage.option);
	if (parser->options->python_given)
		return sup_usage_value(&parser->usage, value,
		    "an interpreter was named before; name one");
	parser->options->python_given = true;
	parser->options->python = value;
	return WIRE_OK;
}

/*
 * Names are the program's strings: whatever the protocol carries is a name,
 * also one that the program has to reach through call_tool.
 */
static enum wire_err
apply_tool(struct sup_parser *parser, const char *value)
{
	struct sup_options *options = parser->options;
	const char *equals = strchr(value, '=');
	struct wire_span name;
	size_t i;

	if (equals == NULL)
		return sup_usage_value(&parser->usage, value,
		    "no '=' in it; write --tool NAME=COMMAND");
	name = (struct wire_span){
	    (const uint8_t *)value, (size_t)(equals - value)};
	if (name.len == 0)
		return sup_usage_value(&parser->usage, value,
		    "the name before '=' is empty; write --tool NAME=COMMAND");
	if (name.len > WIRE_MAX_TOOL_NAME)
		return sup_usage_value(&parser->usage, value,
		    "the name is longer than 128 bytes; shorten it");
	if (wire_utf8_valid_prefix(name) != name.len)
		return sup_usage_value(&parser->usage, value,
		    "the name is not UTF-8; choose another");
	if (equals[1] == '\0')
		return sup_usage_value(&parser->usage, value,
		    "the command after '=' is empty; write --tool "
		    "NAME=COMMAND");
	for (i = 0; i < options->tool_count; i++) {
		if (wire_span_equal(options->tools[i].name, name))
			return sup_usage_value(&parser->usage, value,
			    "a tool of this name was given before; rename one");
	}
	if (options->tool_count == SUP_OPTIONS_TOOLS)
		return sup_usage_value(
		    &parser->usage, value, "more than 1024 tools; offer fewer");
	options->tools[options->tool_count++] =
	    (struct sup_option_tool){name, equals + 1};
	return WIRE_OK;
}

static enum wire_err
apply_mark(struct sup_parser *parser, const char *value)
{
	struct sup_options *options = parser->options;
	const char *equals = strchr(value, '=');
	size_t len = equals != NULL ? (size_t)(equals - value) : 0;
	enum bind_tool_mark mark;

	if (len == 0 || len > WIRE_MAX_TOOL_NAME)
		return sup_usage_value(&parser->usage, value,
		    "no name of a tool before '='; write --mark "
		    "NAME=requires_approval or NAME=may_suspend");
	if (!bind_mark_from((struct wire_span){(const uint8_t *)equals + 1,
				strlen(equals + 1)},
		&mark))
		return sup_usage_value(&parser->usage, value,
		    "no such mark; use requires_approval or may_suspend");
	if (options->mark_count == SUP_OPTIONS_MARKS)
		return sup_usage_value(&parser->usage, value,
		    "more than 128 marks; leave out the tools instead");
	options->marks[options->mark_count++] =
	    (struct sup_option_mark){{(const uint8_t *)value, len},
		mark == BIND_TOOL_NEEDS_APPROVAL ? WEIR_TOOL_REQUIRES_APPROVAL
						 : WEIR_TOOL_MAY_SUSPEND};
	return WIRE_OK;
}

static enum wire_err
apply_limit(struct sup_parser *parser, const char *value)
{
	return sup_limit_option_apply(&parser->usage, value,
	    parser->options->limits, &parser->options->limits_given);
}

static enum wire_err
apply_level(struct sup_parser *parser, const char *value)
{
	bool process = strcmp(value, "process") == 0;

	if (strcmp(value, "none") == 0)
		return sup_usage_value(&parser->usage, value,
		    "without confinement a program runs only with "
		    "--unconfined");
	if (!process && strcmp(value, "isolated") != 0)
		return sup_usage_value(&parser->usage, value,
		    "no such level; use isolated or process");
	if (parser->options->level_given)
		return sup_usage_value(&parser->usage, value,
		    "a level was given before; give one");
	parser->options->level_given = true;
	parser->options->level =
	    process ? WEIR_LEVEL_PROCESS : WEIR_LEVEL_ISOLATED;
	return WIRE_OK;
}

static enum wire_err
apply_backend(struct sup_parser *parser, const char *value)
{
	bool process = strcmp(value, "process") == 0;

	if (!process && strcmp(value, "isolated") != 0)
		return sup_usage_value(&parser->usage, value,
		    "no such backend; use isolated or process");
	if (parser->options->backend != WEIR_BACKEND_ANY)
		return sup_usage_value(&parser->usage, value,
		    "a backend was given before; give one");
	parser->options->backend =
	    process ? WEIR_BACKEND_PROCESS : WEIR_BACKEND_ISOLATED;
	return WIRE_OK;
}

static enum wire_err
apply_unconfined(struct sup_parser *parser, const char *value)
{
	(void)value;
	parser->options->unconfined = true;
	return WIRE_OK;
}

/* An option whose value is a name and may stand once. */
static enum wire_err
take_name(struct sup_parser *parser, const char *value, const char **name)
{
	if (value[0] == '\0')
		return sup_usage_refuse(&parser->usage,
		    "%s: the name is empty; give one or leave the option out",
		    parser->usage.option);
	if (*name != NULL)
		return sup_usage_value(&parser->usage, value,
		    "the option was given before; give it once");
	*name = value;
	return WIRE_OK;
}

static enum wire_err
apply_profile_file(struct sup_parser *parser, const char *value)
{
	return take_name(parser, value, &parser->options->profile_file);
}

static enum wire_err
apply_profile(struct sup_parser *parser, const char *value)
{
	if (value[0] != '\0' && !sup_profile_is_name(value))
		return sup_usage_value(&parser->usage, value,
		    "not the name of a profile; it has 1 to 64 letters, "
		    "digits, '_', '.' and '-'");
	return take_name(parser, value, &parser->options->profile);
}

static enum wire_err
apply_policy_file(struct sup_parser *parser, const char *value)
{
	return take_name(parser, value, &parser->options->policy_file);
}

static enum wire_err
apply_request_file(struct sup_parser *parser, const char *value)
{
	return take_name(parser, value, &parser->options->request_file);
}

static enum wire_err
take_grant(
    struct sup_parser *parser, enum weir_grant_kind kind, const char *value)
{
	struct sup_options *options = parser->options;

	if (options->grant_count == SUP_OPTIONS_GRANTS)
		return sup_usage_value(&parser->usage, value,
		    "more than 128 grants; give fewer, or wider ones");
	options->grants[options->grant_count++] =
	    (struct weir_grant){kind, value};
	return WIRE_OK;
}

static enum wire_err
apply_read(struct sup_parser *parser, const char *value)
{
	return take_grant(parser, WEIR_GRANT_READ, value);
}

static enum wire_err
apply_write(struct sup_parser *parser, const char *value)
{
	return take_grant(parser, WEIR_GRANT_WRITE, value);
}

static enum wire_err
apply_packages(struct sup_parser *parser, const char *value)
{
	return take_grant(parser, WEIR_GRANT_PACKAGES, value);
}

static enum wire_err
apply_exec(struct sup_parser *parser, const char *value)
{
	return take_grant(parser, WEIR_GRANT_EXEC, value);
}

static enum wire_err
apply_env(struct sup_parser *parser, const char *value)
{
	return take_grant(parser, WEIR_GRANT_ENV, value);
}

static enum wire_err
apply_network(struct sup_parser *parser, const char *value)
{
	(void)value;
	parser->options->network = true;
	return WIRE_OK;
}

static enum wire_err
apply_halt(struct sup_parser *parser, const char *value)
{
	(void)value;
	parser->options->halt_on_exhaust = true;
	return WIRE_OK;
}

static enum wire_err
apply_mcp_config(struct sup_parser *parser, const char *value)
{
	return take_name(parser, value, &parser->options->mcp_config);
}

static enum wire_err
apply_http_tools(struct sup_parser *parser, const char *value)
{
	return take_name(parser, value, &parser->options->http_tools);
}

static enum wire_err
apply_trace(struct sup_parser *parser, const char *value)
{
	return take_name(parser, value, &parser->options->trace);
}

static enum wire_err
apply_state(struct sup_parser *parser, const char *value)
{
	return sup_state_option_apply(&parser->usage, parser->usage.option,
	    value, &parser->options->state);
}

enum wire_err
sup_option_set_program(
    struct sup_parser *parser, enum sup_source source, const char *program)
{
	static const char *const words[] = {[SUP_SOURCE_NONE] = "",
	    [SUP_SOURCE_FILE] = "FILE",
	    [SUP_SOURCE_TEXT] = "-c TEXT",
	    [SUP_SOURCE_STDIN] = "-"};
	struct sup_options *options = parser->options;
	char quoted[SUP_USAGE_QUOTED];

	if (options->source != SUP_SOURCE_NONE)
		return sup_usage_refuse(&parser->usage,
		    "%s %s: a program was given before (%s); give one of FILE, "
		    "-c TEXT and -",
		    words[source], sup_usage_quote(program, quoted),
		    words[options->source]);
	options->source = source;
	options->program = source == SUP_SOURCE_STDIN ? NULL : program;
	return WIRE_OK;
}

static enum wire_err
apply_text(struct sup_parser *parser, const char *value)
{
	return sup_option_set_program(parser, SUP_SOURCE_TEXT, value);
}

static enum wire_err
apply_help(struct sup_parser *parser, const char *value)
{
	(void)value;
	parser->options->action = SUP_ACTION_HELP;
	return WIRE_OK;
}

static enum wire_err
apply_version(struct sup_parser *parser, const char *value)
{
	(void)value;
	parser->options->action = SUP_ACTION_VERSION;
	return WIRE_OK;
}

static enum wire_err
apply_doctor_help(struct sup_parser *parser, const char *value)
{
	(void)value;
	parser->options->action = SUP_ACTION_DOCTOR_HELP;
	return WIRE_OK;
}

#ifdef WEIR_TEST_LAYERS
static enum wire_err
apply_test_skip(struct sup_parser *parser, const char *value)
{
	const enum wire_stage stage = wire_stage_from(
	    (struct wire_span){(const uint8_t *)value, strlen(value)});

	if (stage == WIRE_STAGE_COUNT)
		return sup_usage_value(&parser->usage, value,
		    "no such stage; wire/report.h lists the stages");
	/* Without these nothing would start, so there is nothing to test. */
	if (stage == WIRE_STAGE_PLAN || stage == WIRE_STAGE_FORK ||
	    stage == WIRE_STAGE_EXEC || stage == WIRE_STAGE_PROBE)
		return sup_usage_value(
		    &parser->usage, value, "this stage cannot be left out");
	parser->options->layers &= ~(UINT32_C(1) << stage);
	return WIRE_OK;
}

static enum wire_err
apply_test_run_anyway(struct sup_parser *parser, const char *value)
{
	(void)value;
	parser->options->layers &= ~SUP_LAYERS_STRICT;
	return WIRE_OK;
}
#endif

/* --- the table ----------------------------------------------------------- */

static const struct sup_option_spec specs[] = {
    {{"-c", "TEXT", "the program itself, instead of FILE"}, apply_text},
    {{"--json", NULL, "print the result as one JSON object on one line"},
	apply_json},
    {{"--value", NULL, "print the program's value after its output"},
	apply_value},
    {{"--raw", NULL, "do not escape what goes to a terminal"}, apply_raw},
    {{"--python", "PATH", "the interpreter (default: python3)"}, apply_python},
    {{"--tool", "NAME=COMMAND",
	 "offer a command, or files:DIR, as a tool; repeatable"},
	apply_tool},
    {{"--mark", "NAME=MARK", "refuse a tool: requires_approval or may_suspend"},
	apply_mark},
    {{"--mcp-config", "FILE", "offer the tools of MCP servers, as mcpServers"},
	apply_mcp_config},
    {{"--http-tools", "FILE", "offer HTTP endpoints as tools, as JSON"},
	apply_http_tools},
    {{"--level", "LEVEL",
	 "the least confinement: isolated (default) or process"},
	apply_level},
    {{"--backend", "BACKEND", "try this way alone: isolated or process"},
	apply_backend},
    {{"--state", "DIR", "keep a ledger of the Run in this directory"},
	apply_state},
    {{"--run", "ID", "the Run that this execution belongs to"}, apply_state},
    {{"--durability", "HOW", "the ledger survives its process, or disk"},
	apply_state},
    {{"--record-values", NULL, "keep what calls were given and gave there too"},
	apply_state},
    {{"--unconfined", NULL, "no confinement: the program has your rights"},
	apply_unconfined},
    {{"--read", "PATH", "let the program read it; repeatable"}, apply_read},
    {{"--write", "PATH", "let the program write there; repeatable"},
	apply_write},
    {{"--packages", "PATH", "a directory to import from; repeatable"},
	apply_packages},
    {{"--exec", "PATH", "a program that it may execute; repeatable"},
	apply_exec},
    {{"--env", "NAME=VALUE", "a variable for the program; repeatable"},
	apply_env},
    {{"--network", NULL, "let the program use the host's network"},
	apply_network},
    {{"--limit", "NAME=VALUE", "set a limit from the list below; repeatable"},
	apply_limit},
    {{"--halt-on-exhaust", NULL, "a spent budget of calls ends the program"},
	apply_halt},
    {{"--profile-file", "FILE", "deployment profiles, as JSON"},
	apply_profile_file},
    {{"--profile", "NAME", "the profile to take (default: default)"},
	apply_profile},
    {{"--policy-file", "FILE", "a tenant's policy, which narrows, as JSON"},
	apply_policy_file},
    {{"--request-file", "FILE", "wishes that nobody trusts, as JSON"},
	apply_request_file},
    {{"--trace", "FILE", "name refused system calls in a new file; slow"},
	apply_trace},
    {{"--help", NULL, "print this text"}, apply_help},
    {{"--version", NULL, "print the version"}, apply_version},
};

static const struct sup_option_spec doctor_specs[] = {
    {{"--json", NULL, "print one JSON object on one line"}, apply_json},
    {{"--python", "PATH", "the interpreter (default: python3)"}, apply_python},
    {{"--level", "LEVEL", "whose being had is the status: isolated or process"},
	apply_level},
    {{"--trace", "FILE", "a program to run, to name its refused system calls"},
	apply_trace},
    {{"--help", NULL, "print this text"}, apply_doctor_help},
};

#ifdef WEIR_TEST_LAYERS
static const struct sup_option_spec test_specs[] = {
    {{"--test-skip", "STAGE", "leave out one stage of the confinement"},
	apply_test_skip},
    {{"--test-run-anyway", NULL, "run, whatever is left of the confinement"},
	apply_test_run_anyway},
};
#endif

static const struct sup_option_spec *
find_in(const struct sup_option_spec *table, size_t count, const char *word,
    size_t len)
{
	size_t i;

	for (i = 0; i < count; i++) {
		if (strlen(table[i].text.word) == len &&
		    memcmp(table[i].text.word, word, len) == 0)
			return &table[i];
	}
	return NULL;
}

const struct sup_option_spec *
sup_option_find(const struct sup_parser *parser, const char *word, size_t len)
{
	const struct sup_option_spec *spec;

	if (parser->doctor)
		return find_in(doctor_specs, COUNT(doctor_specs), word, len);
	spec = find_in(specs, COUNT(specs), word, len);
#ifdef WEIR_TEST_LAYERS
	if (spec == NULL)
		spec = find_in(test_specs, COUNT(test_specs), word, len);
#endif
	return spec;
}

const struct sup_option_text *
sup_options_text(size_t index)
{
	if (index < COUNT(specs))
		return &specs[index].text;
#ifdef WEIR_TEST_LAYERS
	index -= COUNT(specs);
	if (index < COUNT(test_specs))
		return &test_specs[index].text;
#endif
	return NULL;
}

const struct sup_option_text *
sup_options_doctor_text(size_t index)
{
	return index < COUNT(doctor_specs) ? &doctor_specs[index].text : NULL;
}
