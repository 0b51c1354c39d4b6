/*
 * Target: profiles, policies and requests (supervisor/profile_read.h,
 * profile_where.h, grant_check.h).
 *
 * The first byte chooses the format; the rest is the text, or, after the word
 * `make`, a recipe for one that is good but for at most one member. Properties:
 *  - a text that is refused is so at a byte of it, in a sentence of printable
 *    ASCII on one line, and nothing is returned; its place is a line and a
 *    column that count to that byte;
 *  - a text that is accepted is JSON by a second reader, has the schema, and
 *    says nothing outside of the table: limits in their ranges, paths in their
 *    shortest spelling, no grant, every string inside of the arena;
 *  - spelled anew from what was read, with the members in another order, it
 *    reads as the same;
 *  - blanks around and inside change nothing;
 *  - a recipe is accepted exactly when no member of it is bad, gives the
 *    values that it was made from, and is refused at the bad member.
 */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "fuzz/model_json.h"
#include "supervisor/profile_read.h"
#include "supervisor/profile_where.h"
#include "wire/limits.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

struct reading {
	enum wire_err err;
	struct sup_profile got;
	struct sup_profile_problem problem;
	char *arena;
	size_t arena_size;
};

static struct reading *
read_text(enum sup_format format, struct wire_span text, const char *name)
{
	struct reading *r = calloc(1, sizeof(*r));
	struct sup_profile *spare = calloc(2, sizeof(*spare));
	void *mem = malloc(wire_json_scratch_size(SUP_PROFILE_KEYS));
	struct wire_json_scratch scratch;
	struct sup_profile_memory memory = {&scratch, NULL, spare};

	FUZZ_REQUIRE(r != NULL && spare != NULL && mem != NULL);
	r->arena_size = text.len;
	r->arena = memory.arena = malloc(text.len);
	memset(&r->got, 0x55, sizeof(r->got));
	wire_json_scratch_init(&scratch, mem, SUP_PROFILE_KEYS, 99);
	r->err =
	    sup_profile_read(format, text, name, &memory, &r->got, &r->problem);
	free(mem);
	free(spare);
	return r;
}

static void
free_reading(struct reading *r)
{
	free(r->arena);
	free(r);
}

/* --- what was refused ----------------------------------------------------- */

static void
check_printable(const char *text)
{
	for (; *text != '\0'; text++)
		FUZZ_REQUIRE(*text >= ' ' && *text < 0x7f);
}

static void
check_refusal(struct wire_span text, const struct reading *r)
{
	const uint8_t *got = (const uint8_t *)&r->got;
	size_t line = 1, column = 1;
	struct sup_where where;

	FUZZ_REQUIRE(r->err == WIRE_ERR_BAD_ARGUMENT);
	FUZZ_REQUIRE(
	    got[0] == 0x55 && memcmp(got, got + 1, sizeof(r->got) - 1) == 0);
	FUZZ_REQUIRE(r->problem.offset <= text.len);
	FUZZ_REQUIRE(memchr(r->problem.text, 0, sizeof(r->problem.text)));
	FUZZ_REQUIRE(strlen(r->problem.text) > 5);
	check_printable(r->problem.text);
	sup_where_find(text, r->problem.offset, &where);
	FUZZ_REQUIRE(memchr(where.path, 0, sizeof(where.path)) != NULL);
	check_printable(where.path);
	for (size_t i = 0; i < r->problem.offset; i++) {
		column += (text.p[i] & 0xc0) != 0x80;
		if (text.p[i] == '\n') {
			line++;
			column = 1;
		}
	}
	FUZZ_REQUIRE(where.line == line && where.column == column);
}

/* --- what was accepted ---------------------------------------------------- */

static void
check_string(const struct reading *r, const char *text)
{
	size_t at = (size_t)(text - r->arena);

	FUZZ_REQUIRE(text >= r->arena && at < r->arena_size);
	FUZZ_REQUIRE(memchr(text, 0, r->arena_size - at) != NULL);
}

static void
check_accepted(
    enum sup_format format, struct wire_span text, const struct reading *r)
{
	const struct sup_profile *p = &r->got;
	struct model_json model;

	model_json(text, 8, false, SIZE_MAX, &model);
	FUZZ_REQUIRE(model.err == WIRE_OK);
	FUZZ_REQUIRE(model.count > 2);
	FUZZ_REQUIRE(model.tokens[0].token == WIRE_TOK_OBJECT_BEGIN);
	model_json_release(&model);
	FUZZ_REQUIRE(p->limits_given >> SUP_LIMITS == 0);
	for (unsigned i = 0; i < SUP_LIMITS; i++) {
		const struct sup_limit_spec *spec =
		    sup_limit_spec((enum sup_limit)i);

		if ((p->limits_given >> i & 1) == 0)
			continue;
		FUZZ_REQUIRE(spec->settable && p->limits[i] >= spec->minimum);
		FUZZ_REQUIRE(format == SUP_FORMAT_REQUEST ||
		    p->limits[i] <= spec->ceiling);
	}
	FUZZ_REQUIRE(format != SUP_FORMAT_REQUEST || !p->exec_given);
	FUZZ_REQUIRE(p->exec_given || p->exec.count == 0);
	if (format != SUP_FORMAT_PROFILES)
		FUZZ_REQUIRE(p->env_count + p->read.count + p->write.count +
			p->packages.count ==
		    0);
	for (size_t i = 0; i < p->env_count; i++) {
		check_string(r, p->env_names[i]);
		check_string(r, p->env_values[i]);
		FUZZ_REQUIRE(strncmp(p->env_names[i], "LD_", 3) != 0);
	}
	for (size_t i = 0; i < p->read.count; i++) {
		check_string(r, p->read.text[i]);
		FUZZ_REQUIRE(p->read.text[i][0] == '/');
	}
	if (format != SUP_FORMAT_REQUEST)
		FUZZ_REQUIRE(p->profile == NULL);
	/* A policy grants none; a profile does with the level that it leaves.
	 */
	FUZZ_REQUIRE(format != SUP_FORMAT_POLICY || p->network != SUP_SAY_YES);
	if (format == SUP_FORMAT_PROFILES && p->network == SUP_SAY_YES)
		FUZZ_REQUIRE(p->level_given && p->level == SUP_LEVEL_PROCESS);
	if (format != SUP_FORMAT_PROFILES)
		FUZZ_REQUIRE(p->python == NULL && p->require == 0);
	FUZZ_REQUIRE(!p->level_given || p->level != SUP_LEVEL_NONE);
	FUZZ_REQUIRE(
	    p->tools_given ? format == SUP_FORMAT_POLICY : p->tool_count == 0);
	FUZZ_REQUIRE(p->tool_count <= SUP_PROFILE_TOOLS);
	for (size_t i = 0; i < p->tool_count; i++) {
		check_string(r, (const char *)p->tools[i].p);
		FUZZ_REQUIRE(p->tools[i].len >= 1 &&
		    p->tools[i].len <= WIRE_MAX_TOOL_NAME);
	}
	if (p->profile != NULL) {
		check_string(r, p->profile);
		FUZZ_REQUIRE(sup_profile_is_name(p->profile));
	}
	if (p->python != NULL) {
		check_string(r, p->python);
		FUZZ_REQUIRE(p->python[0] == '/');
		FUZZ_REQUIRE(strstr(p->python, "//") == NULL);
		FUZZ_REQUIRE(strstr(p->python, "/../") == NULL);
	}
}

/* --- spelled anew --------------------------------------------------------- */

static void
spell_text(FILE *out, struct wire_span text)
{
	fputc('"', out);
	for (size_t i = 0; i < text.len; i++) {
		if (text.p[i] < 0x20 || text.p[i] == '"' || text.p[i] == '\\')
			fprintf(out, "\\u%04x", text.p[i]);
		else
			fputc(text.p[i], out);
	}
	fputc('"', out);
}

static struct wire_span
span_of(const char *text)
{
	return (struct wire_span){(const uint8_t *)text, strlen(text)};
}

static void
spell_members(FILE *out, const struct sup_profile *p)
{
	char number[SUP_UNITS_TEXT];
	const char *comma = "";

	if (p->tools_given) {
		fprintf(out, ", \"tools\": [");
		for (size_t i = 0; i < p->tool_count; i++) {
			fputs(i > 0 ? "," : "", out);
			spell_text(out, p->tools[i]);
		}
		fputc(']', out);
	}
	if (p->network != SUP_SAY_NOTHING)
		fprintf(out, ", \"network\": %s",
		    p->network == SUP_SAY_YES ? "true" : "false");
	if (p->halt_on_exhaust)
		fprintf(out, ", \"halt_on_exhaust\": true");
	if (p->level_given)
		fprintf(out, ", \"level\": \"%s\"", sup_level_word(p->level));
	if (p->require != 0)
		fprintf(out, ", \"require\": [\"landlock\"]");
	if (p->python != NULL) {
		fprintf(out, ", \"python\": ");
		spell_text(out, span_of(p->python));
	}
	if (p->profile != NULL)
		fprintf(out, ", \"profile\": \"%s\"", p->profile);
	fprintf(out, ", \"limits\": {");
	for (unsigned i = SUP_LIMITS; i-- > 0;) {
		const struct sup_limit_spec *spec =
		    sup_limit_spec((enum sup_limit)i);

		if ((p->limits_given >> i & 1) == 0)
			continue;
		fprintf(out, "%s\"%s\":\"%s\"", comma, spec->word,
		    sup_units_format(spec->unit, p->limits[i], number));
		comma = ",";
	}
	fputc('}', out);
}

static void
check_same(const struct sup_profile *a, const struct sup_profile *b)
{
	FUZZ_REQUIRE(a->limits_given == b->limits_given);
	FUZZ_REQUIRE(memcmp(a->limits, b->limits, sizeof(a->limits)) == 0);
	FUZZ_REQUIRE(a->level_given == b->level_given && a->level == b->level);
	FUZZ_REQUIRE(a->halt_on_exhaust == b->halt_on_exhaust);
	FUZZ_REQUIRE(a->network == b->network && a->require == b->require);
	FUZZ_REQUIRE((a->python == NULL) == (b->python == NULL));
	FUZZ_REQUIRE(a->python == NULL || strcmp(a->python, b->python) == 0);
	FUZZ_REQUIRE((a->profile == NULL) == (b->profile == NULL));
	FUZZ_REQUIRE(a->profile == NULL || strcmp(a->profile, b->profile) == 0);
	FUZZ_REQUIRE(a->tools_given == b->tools_given);
	FUZZ_REQUIRE(a->tool_count == b->tool_count);
	for (size_t i = 0; i < a->tool_count; i++)
		FUZZ_REQUIRE(wire_span_equal(a->tools[i], b->tools[i]));
}

static void
check_again(enum sup_format format, const struct reading *r)
{
	struct reading *again;
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	FUZZ_REQUIRE(out != NULL);
	if (format == SUP_FORMAT_PROFILES)
		fputs("{\"profiles\": {\"default\": {\"env\":{}", out);
	else
		fprintf(out, "{\"schema\": \"%s\"", sup_format_schema(format));
	spell_members(out, &r->got);
	fputs(format == SUP_FORMAT_PROFILES
		? "}}, \"schema\": \"weir.profiles/1\"}"
		: "}",
	    out);
	FUZZ_REQUIRE(fclose(out) == 0);
	again = read_text(format, span_of(text), NULL);
	FUZZ_REQUIRE(again->err == WIRE_OK);
	check_same(&r->got, &again->got);
	free_reading(again);
	free(text);
}

/* The text with blanks wherever there may be some. */
static void
check_blanks(
    enum sup_format format, struct wire_span text, const struct reading *r)
{
	struct reading *again;
	uint8_t *wide = malloc(3 * text.len + 1);
	bool in_string = false;
	size_t len = 0;

	FUZZ_REQUIRE(wide != NULL);
	for (size_t i = 0; i < text.len; i++) {
		uint8_t c = text.p[i];
		bool mark = !in_string && strchr("{}[],:", c) != NULL && c != 0;

		if (in_string && c == '\\')
			wide[len++] = text.p[i++];
		else if (c == '"')
			in_string = !in_string;
		if (mark)
			wide[len++] = '\n';
		wide[len++] = text.p[i];
		if (mark)
			wide[len++] = '\t';
	}
	again = read_text(format, (struct wire_span){wide, len}, NULL);
	FUZZ_REQUIRE(again->err == WIRE_OK);
	check_same(&r->got, &again->got);
	free_reading(again);
	free(wide);
}

static void
check_text(enum sup_format format, struct wire_span text)
{
	struct reading *r = read_text(format, text, NULL);

	if (r->err != WIRE_OK) {
		check_refusal(text, r);
	} else {
		check_accepted(format, text, r);
		check_again(format, r);
		check_blanks(format, text, r);
	}
	free_reading(r);
}

/* --- recipes -------------------------------------------------------------- */

#define P (1 << SUP_FORMAT_PROFILES)
#define T (1 << SUP_FORMAT_POLICY)
#define R (1 << SUP_FORMAT_REQUEST)

/* A member, the formats in which it is good as it stands, and its name. */
static const struct {
	const char *text;
	int good;
	const char *name;
} stock[] = {
    {"\"limits\":{\"cpu\":\"2m\"}", P | T | R, "limits"},
    {"\"limits\":{\"cpu\":\"25h\"}", R, "limits"},
    {"\"limits\":{\"cpu\":0}", 0, "limits"},
    {"\"limits\":{\"ready\":1}", 0, "limits"},
    {"\"limits\":{\"memory\":1}", 0, "limits"},
    {"\"limits\":[]", 0, "limits"},
    {"\"level\":\"isolated\"", P | T | R, "level"},
    {"\"level\":\"process\"", P | T | R, "level"},
    {"\"level\":\"none\"", 0, "level"},
    {"\"network\":false", P | T | R, "network"},
    {"\"network\":true", R, "network"},
    {"\"network\":0", 0, "network"},
    {"\"tools\":[\"a\",\"b\"]", T, "tools"},
    {"\"tools\":[\"\"]", 0, "tools"},
    {"\"profile\":\"x\"", R, "profile"},
    {"\"profile\":\"/x\"", 0, "profile"},
    {"\"require\":[\"landlock\"]", P, "require"},
    {"\"require\":[\"x\"]", 0, "require"},
    {"\"python\":\"/p\"", P, "python"},
    {"\"python\":\"p\"", 0, "python"},
    {"\"processes\":0", P, "processes"},
    {"\"processes\":1", P, "processes"},
    {"\"processes\":1025", 0, "processes"},
    {"\"read\":[]", P, "read"},
    {"\"read\":[\"/\"]", P, "read"},
    {"\"write\":[\"/a\"]", P, "write"},
    {"\"packages\":[\"/..\"]", 0, "packages"},
    {"\"exec\":[\"/x\"]", P | T, "exec"},
    {"\"exec\":[\"x\"]", 0, "exec"},
    {"\"env\":{}", P, "env"},
    {"\"env\":{\"LD_X\":\"\"}", 0, "env"},
    {"\"other\":1", 0, "other"},
};

/* Which of the stock an input takes, no name of it twice. */
static void
check_recipe(enum sup_format format, struct wire_span in)
{
	const char *bad = NULL, *seen[16];
	char text[2048] = "", path[64];
	size_t len, count = 0;
	struct sup_where where;
	struct reading *r;

	len = (size_t)snprintf(text, sizeof(text), "{\"schema\":\"%s\"%s",
	    sup_format_schema(format),
	    format == SUP_FORMAT_PROFILES ? ",\"profiles\":{\"default\":{"
					  : "");
	while (in.len != 0 && count < COUNT(seen)) {
		size_t which = fuzz_byte(&in) % COUNT(stock), i;
		bool good = (stock[which].good >> format & 1) != 0;

		for (i = 0; i < count; i++)
			if (strcmp(seen[i], stock[which].name) == 0)
				break;
		if (i < count || (!good && bad != NULL))
			continue;
		seen[count++] = stock[which].name;
		if (!good)
			bad = stock[which].name;
		len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%s",
		    text[len - 1] == '{' ? "" : ",", stock[which].text);
	}
	(void)snprintf(text + len, sizeof(text) - len,
	    format == SUP_FORMAT_PROFILES ? "}}}" : "}");
	if (format == SUP_FORMAT_PROFILES && bad != NULL &&
	    strstr(text, "\"network\":true") != NULL &&
	    strstr(text, "\"level\":\"process\"") != NULL)
		bad = NULL; /* it is the level that makes it good */
	r = read_text(format, span_of(text), NULL);
	FUZZ_REQUIRE((r->err == WIRE_OK) == (bad == NULL));
	if (bad != NULL) {
		sup_where_find(span_of(text), r->problem.offset, &where);
		(void)snprintf(path, sizeof(path), "%s%s",
		    format == SUP_FORMAT_PROFILES ? "profiles.default." : "",
		    bad);
		FUZZ_REQUIRE(strncmp(where.path, path, strlen(path)) == 0);
	}
	free_reading(r);
	check_text(format, span_of(text));
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wire_span in = {data, size};
	enum sup_format format =
	    (enum sup_format)(fuzz_byte(&in) % SUP_FORMATS);

	if (in.len >= 4 && memcmp(in.p, "make", 4) == 0) {
		(void)fuzz_bytes(&in, 4);
		check_recipe(format, in);
	} else {
		check_text(format, in);
	}
	return 0;
}
