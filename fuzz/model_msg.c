#include "fuzz/model_msg.h"

#include <stdlib.h>
#include <string.h>

#include "fuzz/fuzz.h"
#include "fuzz/model_json.h"

#define NO_TOKEN SIZE_MAX
#define U32	 4294967295ULL
#define U53	 9007199254740991ULL
#define MEMBERS	 64

enum kind {
	UINT, /* at most max */
	ONE,  /* the uint 1 */
	LINE, /* a uint32 from 1 */
	ID,   /* at most 2 ** 53 - 1, with a word of its own */
	BOOL,
	STRING,	 /* at most max wire bytes */
	FILLED,	 /* likewise, and not empty */
	NAME,	 /* 1 to 128 bytes, unescaped */
	WORD,	 /* one of `words`, between blanks */
	VALUE,	 /* anything */
	SCANNED, /* any object */
	OBJECT,	 /* with the fields of `inner` */
	UINTS,	 /* at most max uint32 */
	COUNTS,	 /* exactly max IDs */
	RISING,	 /* likewise, ascending */
	STRINGS, /* at most max of at most `each` wire bytes */
	NAMES,	 /* distinct NAMEs */
	PAIR,	 /* two uint64 below 2 ** 64 - 1, or null */
	ANSWER,	 /* exactly one of the fields of `inner` */
	EQUAL,	 /* the two lists in it are equally long */
};

struct field {
	const char *name; /* NULL ends a table */
	enum kind kind;
	unsigned long long max;
	bool optional;
	const struct field *inner;
	const char *words;
	size_t each;
};

/* --- the tables ----------------------------------------------------------- */

/* A field and what is special about it. */
#define ROW(text, rule, ...)                                                   \
	{                                                                      \
		.name = (text), .kind = (rule), ##__VA_ARGS__                  \
	}
#define END                                                                    \
	{                                                                      \
		.name = NULL                                                   \
	}
#define UPTO(limit) .max = (limit)
#define IN(table)   .inner = (table)
#define MAYBE	    .optional = true

static const struct field landlock[] = {
    ROW("abi", UINT, UPTO(U32)), ROW("errno", UINT, UPTO(U32)), END};
static const struct field network[] = {
    ROW("inet", UINT, UPTO(U32)), ROW("inet6", UINT, UPTO(U32)), END};
static const struct field canaries[] = {
    ROW("before", UINTS, UPTO(16)), ROW("after", UINTS, UPTO(16)), END};
static const struct field rlimits[] = {ROW("core", PAIR), ROW("cpu", PAIR),
    ROW("address_space", PAIR), ROW("file_size", PAIR), ROW("processes", PAIR),
    ROW("open_files", PAIR), END};
static const struct field ready[] = {
    ROW("protocol", ONE),
    ROW("python", STRING, UPTO(128)),
    ROW("pid", UINT, UPTO(U32)),
    ROW("uid", UINT, UPTO(U32)),
    ROW("gid", UINT, UPTO(U32)),
    ROW("no_new_privs", UINT, UPTO(U32)),
    ROW("dumpable", UINT, UPTO(U32)),
    ROW("seccomp", UINT, UPTO(U32)),
    ROW("landlock", OBJECT, IN(landlock)),
    ROW("network", OBJECT, IN(network)),
    ROW("fork", UINT, UPTO(U32)),
    ROW("descriptors", RISING, UPTO(32)),
    ROW("canaries", EQUAL, IN(canaries)),
    ROW("environment", STRINGS, UPTO(64), .each = 16384),
    ROW("limits", OBJECT, IN(rlimits)),
    END,
};

static const struct field call[] = {
    ROW("id", ID),
    ROW("name", NAME),
    ROW("arguments", SCANNED),
    END,
};

static const struct field done_error[] = {
    ROW("kind", WORD,
	.words = " exception invalid_value worker_exit step_budget "),
    ROW("message", STRING, UPTO(16384)),
    ROW("traceback", STRING, UPTO(32768), MAYBE),
    ROW("line", LINE, MAYBE),
    ROW("status", UINT, UPTO(U32), MAYBE),
    END,
};
static const struct field done_answers[] = {
    ROW("value", VALUE),
    ROW("oversize", UINT, UPTO(U53)),
    ROW("error", OBJECT, IN(done_error)),
    END,
};
static const struct field done[] = {
    ROW("", ANSWER, IN(done_answers)),
    ROW("returned", BOOL, MAYBE),
    ROW("warnings", STRINGS, UPTO(16), MAYBE, .each = 512),
    END,
};

static const struct field run_limits[] = {
    ROW("frame", UINT, UPTO(75497472)),
    ROW("value", UINT, UPTO(75497472)),
    ROW("arguments", UINT, UPTO(75497472)),
    END,
};
static const struct field run[] = {
    ROW("program", STRING, UPTO(75497472)),
    ROW("tools", NAMES),
    ROW("limits", OBJECT, IN(run_limits)),
    ROW("left", COUNTS, UPTO(5), MAYBE),
    END,
};

static const struct field abort_[] = {
    ROW("reason", STRING, UPTO(16384)),
    END,
};

static const struct field handle[] = {
    ROW("token", FILLED, UPTO(128)),
    ROW("size", UINT, UPTO(U53)),
    ROW("preview", STRING, UPTO(8192), MAYBE),
    END,
};
static const struct field reply_error[] = {
    ROW("kind", WORD,
	.words = " policy_refused not_offered failed unreachable timed_out "
		 "cancelled budget_spent not_recorded approval_required "
		 "input_required arguments_too_large result_too_large "
		 "binding_result_not_paged handle_not_yours path_traversal "
		 "fs_read_denied fs_write_denied not_found egress_denied "),
    ROW("message", STRING, UPTO(16384)),
    ROW("hard", BOOL),
    END,
};
static const struct field reply_answers[] = {
    ROW("value", VALUE),
    ROW("handle", OBJECT, IN(handle)),
    ROW("error", OBJECT, IN(reply_error)),
    END,
};
static const struct field reply[] = {
    ROW("id", ID),
    ROW("", ANSWER, IN(reply_answers)),
    ROW("left", COUNTS, UPTO(5), MAYBE),
    END,
};

static const struct {
	const char *type;
	const struct field *fields;
} frames[] = {{"ready", ready}, {"call", call}, {"done", done}, {"run", run},
    {"abort", abort_}, {"reply", reply}};

/* --- what stands there ---------------------------------------------------- */

struct checker {
	struct wire_span line;
	const struct model_token *tokens;
	size_t count;
	enum wire_err err;
	size_t offset;
};

static bool
fail(struct checker *c, enum wire_err err, size_t offset)
{
	c->err = err;
	c->offset = offset;
	return false;
}

/* A string's bytes and a NUL behind them; free() it. */
static char *
spelled(const struct checker *c, size_t token, size_t *ret_len)
{
	const struct model_token *t = &c->tokens[token];
	char *text = malloc(t->len + 1);

	FUZZ_REQUIRE(text != NULL);
	*ret_len = model_unescape(
	    (struct wire_span){c->line.p + t->begin, t->len}, (uint8_t *)text);
	text[*ret_len] = '\0';
	return text;
}

static bool
spells(const struct checker *c, size_t token, const char *word)
{
	size_t len;
	char *text = spelled(c, token, &len);
	bool same = len == strlen(word) && memcmp(text, word, len) == 0;

	free(text);
	return same;
}

/* The next token on the level inside `container`, after `before`. */
static size_t
next_inside(const struct checker *c, size_t container, size_t before)
{
	unsigned depth = c->tokens[container].depth;
	size_t i;

	for (i = before + 1; i < c->count && c->tokens[i].depth > depth; i++)
		if (c->tokens[i].depth == depth + 1 &&
		    c->tokens[i].token != WIRE_TOK_ARRAY_END &&
		    c->tokens[i].token != WIRE_TOK_OBJECT_END)
			return i;
	return NO_TOKEN;
}

/* The token of the value of a member. */
static size_t
member(const struct checker *c, size_t object, const char *name)
{
	size_t i = object;

	while ((i = next_inside(c, object, i)) != NO_TOKEN)
		if (c->tokens[i].token == WIRE_TOK_KEY && spells(c, i, name))
			return i + 1;
	return NO_TOKEN;
}

static bool
is_uint(const struct checker *c, size_t token, unsigned long long max)
{
	const struct model_token *t = &c->tokens[token];
	const char *p = (const char *)c->line.p + t->begin;
	unsigned __int128 value = 0;
	size_t i;

	if (t->token != WIRE_TOK_NUMBER || (*p == '0' && t->len > 1))
		return false;
	for (i = 0; i < t->len; i++) {
		if (p[i] < '0' || p[i] > '9')
			return false;
		value = value * 10 + (unsigned)(p[i] - '0');
		if (value > max)
			return false;
	}
	return true;
}

static bool
is_name(const struct checker *c, size_t token)
{
	size_t len;

	if (c->tokens[token].token != WIRE_TOK_STRING)
		return false;
	free(spelled(c, token, &len));
	return len >= 1 && len <= 128;
}

static bool
is_word(const struct checker *c, size_t token, const char *words)
{
	size_t len;
	char *text, *between;
	bool found;

	if (c->tokens[token].token != WIRE_TOK_STRING)
		return false;
	text = spelled(c, token, &len);
	FUZZ_REQUIRE(asprintf(&between, " %s ", text) >= 0);
	found = strlen(text) == len && strchr(text, ' ') == NULL && len != 0 &&
	    strstr(words, between) != NULL;
	free(text);
	free(between);
	return found;
}

/* The elements of a list, each by its own rule; max of them. */
static bool
is_list(const struct checker *c, size_t token, const struct field *f)
{
	size_t i = token, before = NO_TOKEN, count = 0, k;

	if (c->tokens[token].token != WIRE_TOK_ARRAY_BEGIN)
		return false;
	while ((i = next_inside(c, token, i)) != NO_TOKEN) {
		const struct model_token *t = &c->tokens[i];

		if (f->kind == NAMES) {
			if (!is_name(c, i))
				return false;
			for (k = token; (k = next_inside(c, token, k)) < i;) {
				size_t len, other_len;
				char *text = spelled(c, k, &len);
				char *other = spelled(c, i, &other_len);
				bool same = len == other_len &&
				    memcmp(text, other, len) == 0;

				free(text);
				free(other);
				if (same)
					return false;
			}
			continue;
		}
		if (++count > f->max)
			return false;
		if (f->kind == STRINGS &&
		    (t->token != WIRE_TOK_STRING || t->len > f->each))
			return false;
		if (f->kind != STRINGS &&
		    !is_uint(c, i, f->kind == COUNTS ? U53 : U32))
			return false;
		if (f->kind == RISING && before != NO_TOKEN &&
		    strtoull((const char *)c->line.p + c->tokens[before].begin,
			NULL, 10) >=
			strtoull((const char *)c->line.p + t->begin, NULL, 10))
			return false;
		before = i;
	}
	return f->kind != COUNTS || count == f->max;
}

static bool
is_pair(const struct checker *c, size_t token)
{
	size_t i = token, count = 0;

	if (c->tokens[token].token != WIRE_TOK_ARRAY_BEGIN)
		return false;
	while ((i = next_inside(c, token, i)) != NO_TOKEN) {
		if (c->tokens[i].token != WIRE_TOK_NULL &&
		    !is_uint(c, i, UINT64_MAX - 1))
			return false;
		count++;
	}
	return count == 2;
}

static size_t
length_of(const struct checker *c, size_t list)
{
	size_t i = list, count = 0;

	while ((i = next_inside(c, list, i)) != NO_TOKEN)
		count++;
	return count;
}

/* --- fields --------------------------------------------------------------- */

static bool check_object(
    struct checker *c, size_t token, size_t begin, const struct field *fields);

/* A value that needs no look inside an object. */
static bool
is_good(const struct checker *c, size_t token, const struct field *f)
{
	const struct model_token *t = &c->tokens[token];

	switch (f->kind) {
	case UINT:
		return is_uint(c, token, f->max);
	case ONE:
		return is_uint(c, token, 1) && c->line.p[t->begin] == '1';
	case LINE:
		return is_uint(c, token, U32) && c->line.p[t->begin] != '0';
	case ID:
		return is_uint(c, token, U53);
	case BOOL:
		return t->token == WIRE_TOK_TRUE || t->token == WIRE_TOK_FALSE;
	case STRING:
		return t->token == WIRE_TOK_STRING && t->len <= f->max;
	case FILLED:
		return t->token == WIRE_TOK_STRING && t->len <= f->max &&
		    t->len != 0;
	case NAME:
		return is_name(c, token);
	case WORD:
		return is_word(c, token, f->words);
	case UINTS:
	case COUNTS:
	case RISING:
	case STRINGS:
	case NAMES:
		return is_list(c, token, f);
	case PAIR:
		return is_pair(c, token);
	case SCANNED:
	case OBJECT:
	case EQUAL:
		return t->token == WIRE_TOK_OBJECT_BEGIN;
	case VALUE:
	case ANSWER:
		break;
	}
	return true;
}

static bool
check_value(struct checker *c, size_t token, const struct field *f)
{
	size_t at = c->tokens[token].whole_begin;

	if (!is_good(c, token, f))
		return fail(c,
		    f->kind == ID ? WIRE_ERR_BAD_ID : WIRE_ERR_BAD_FIELD, at);
	if (f->kind != OBJECT && f->kind != EQUAL)
		return true;
	if (!check_object(c, token, at, f->inner))
		return false;
	if (f->kind == EQUAL &&
	    length_of(c, member(c, token, "before")) !=
		length_of(c, member(c, token, "after")))
		return fail(c, WIRE_ERR_BAD_FIELD, at);
	return true;
}

/* Exactly one of them; the second one is wrong where it stands. */
static bool
check_answer(
    struct checker *c, size_t object, size_t begin, const struct field *list)
{
	const struct field *f, *which = NULL;
	size_t first = NO_TOKEN, token;

	for (f = list; f->name != NULL; f++) {
		token = member(c, object, f->name);
		if (token == NO_TOKEN)
			continue;
		if (which != NULL)
			return fail(c, WIRE_ERR_BAD_FIELD,
			    c->tokens[token > first ? token : first]
				.whole_begin);
		first = token;
		which = f;
	}
	if (which == NULL)
		return fail(c, WIRE_ERR_MISSING_FIELD, begin);
	return check_value(c, first, which);
}

/* begin: the offset that a missing member has. */
static bool
check_object(
    struct checker *c, size_t object, size_t begin, const struct field *fields)
{
	size_t i = object, members = 0, token;
	const struct field *f;

	while ((i = next_inside(c, object, i)) != NO_TOKEN)
		if (c->tokens[i].token == WIRE_TOK_KEY && ++members > MEMBERS)
			return fail(c, WIRE_ERR_TOO_MANY_MEMBERS,
			    c->tokens[i].whole_begin);
	for (f = fields; f->name != NULL; f++) {
		if (f->kind == ANSWER) {
			if (!check_answer(c, object, begin, f->inner))
				return false;
			continue;
		}
		token = member(c, object, f->name);
		if (token == NO_TOKEN && f->optional)
			continue;
		if (token == NO_TOKEN)
			return fail(c, WIRE_ERR_MISSING_FIELD, begin);
		if (!check_value(c, token, f))
			return false;
	}
	return true;
}

static void
check_frame(struct checker *c)
{
	size_t type = member(c, 0, "type"), i;

	if (type == NO_TOKEN) {
		(void)fail(c, WIRE_ERR_MISSING_FIELD, 0);
		return;
	}
	if (c->tokens[type].token != WIRE_TOK_STRING) {
		(void)fail(c, WIRE_ERR_BAD_FIELD, c->tokens[type].whole_begin);
		return;
	}
	for (i = 0; i < sizeof(frames) / sizeof(frames[0]); i++) {
		if (!spells(c, type, frames[i].type))
			continue;
		/* The frame's own offset is that of its line. */
		(void)check_object(c, 0, 0, frames[i].fields);
		return;
	}
	(void)fail(c, WIRE_ERR_UNKNOWN_TYPE, c->tokens[type].whole_begin);
}

enum wire_err
model_msg(struct wire_span line, size_t *ret_offset)
{
	struct model_json model;
	struct checker c = {.line = line};

	model_json(line, WIRE_MAX_DEPTH, true, MEMBERS, &model);
	c.err = model.err;
	c.offset = model.err_offset;
	c.tokens = model.tokens;
	c.count = model.count;
	if (model.err == WIRE_OK)
		check_frame(&c);
	model_json_release(&model);
	*ret_offset = c.offset;
	return c.err;
}
