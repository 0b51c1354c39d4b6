#include "bindings/regex.h"

#include <dlfcn.h>
#include <stdlib.h>
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#define LIBRARY "libpcre2-8.so.0"

#define FUNCTIONS(X)                                                           \
	X(general_context_create)                                              \
	X(general_context_free)                                                \
	X(compile_context_create)                                              \
	X(compile_context_free)                                                \
	X(set_max_pattern_length)                                              \
	X(set_newline)                                                         \
	X(set_parens_nest_limit)                                               \
	X(compile)                                                             \
	X(code_free)                                                           \
	X(match_context_create)                                                \
	X(match_context_free)                                                  \
	X(set_match_limit)                                                     \
	X(set_depth_limit)                                                     \
	X(set_heap_limit)                                                      \
	X(set_callout)                                                         \
	X(match_data_create)                                                   \
	X(match_data_free)                                                     \
	X(get_ovector_pointer)                                                 \
	X(match)                                                               \
	X(get_error_message)

struct library {
	void *handle;
#define X(name) __typeof__(&pcre2_##name) name;
	FUNCTIONS(X)
#undef X
};

struct bind_regex {
	struct library pcre2;
	size_t used;  /* of BIND_REGEX_MEMORY */
	bool is_full; /* more of it was asked for */
	pcre2_general_context *general;
	pcre2_code *code;
	pcre2_match_context *context;
	pcre2_match_data *data;
	struct bind_effort *effort; /* while it matches */
	enum bind_effort_verdict verdict;
	size_t place; /* where the match that is tried begins */
};

/* --- memory --------------------------------------------------------------- */

/* In front of every piece: its size, and room to keep it aligned. */
#define HEAD 16

/* What a pattern makes the library take has a maximum, whatever the library's
 * own limits count. */
static void *
take_memory(size_t size, void *arg)
{
	struct bind_regex *regex = arg;
	uint8_t *p;

	if (size > BIND_REGEX_MEMORY - regex->used) {
		regex->is_full = true;
		return NULL;
	}
	p = malloc(size + HEAD);
	if (p == NULL)
		return NULL;
	*(size_t *)(void *)p = size;
	regex->used += size;
	return p + HEAD;
}

static void
give_memory(void *memory, void *arg)
{
	struct bind_regex *regex = arg;
	uint8_t *p = memory;

	if (p == NULL)
		return;
	p -= HEAD;
	regex->used -= *(size_t *)(void *)p;
	free(p);
}

/* --- the library ---------------------------------------------------------- */

/* KERNEL: POSIX allows what C does not, to make a function's pointer of an
 * object's (dlsym(3)). */
static bool
find(void *handle, const char *name, void *to)
{
	void *symbol = dlsym(handle, name);

	*(void **)to = symbol;
	return symbol != NULL;
}

static bool
load(struct library *library)
{
	bool all = true;

	/* It stays: the next search need not load it again. */
	library->handle =
	    dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
	if (library->handle == NULL)
		return false;
#define X(name)                                                                \
	all = all && find(library->handle, "pcre2_" #name "_8", &library->name);
	FUNCTIONS(X)
#undef X
	return all;
}

/* --- compiling ------------------------------------------------------------ */

static void
explain(const struct bind_regex *regex, int code, size_t offset,
    struct bind_text *why)
{
	PCRE2_UCHAR message[160];

	bind_text_add(why, "the pattern is not one: ");
	if (regex->pcre2.get_error_message(code, message, sizeof(message)) >= 0)
		bind_text_add(why, (const char *)message);
	bind_text_add(why, " at byte ");
	bind_text_add_uint(why, offset);
}

static enum wire_err
compile(struct bind_regex *regex, struct wire_span pattern, bool ignore_case,
    struct bind_text *why)
{
	uint32_t options = PCRE2_UTF | PCRE2_UCP | PCRE2_NEVER_BACKSLASH_C |
	    PCRE2_AUTO_CALLOUT | (ignore_case ? PCRE2_CASELESS : 0);
	pcre2_compile_context *context;
	PCRE2_SIZE offset = 0;
	int code = 0;

	context = regex->pcre2.compile_context_create(regex->general);
	if (context == NULL)
		return WIRE_ERR_NO_MEMORY;
	(void)regex->pcre2.set_max_pattern_length(
	    context, BIND_REGEX_PATTERN_MAX);
	(void)regex->pcre2.set_newline(context, PCRE2_NEWLINE_LF);
	(void)regex->pcre2.set_parens_nest_limit(context, BIND_REGEX_NESTING);
	regex->code = regex->pcre2.compile(
	    pattern.p, pattern.len, options, &code, &offset, context);
	regex->pcre2.compile_context_free(context);
	if (regex->code != NULL)
		return WIRE_OK;
	if (code == PCRE2_ERROR_HEAP_FAILED)
		return WIRE_ERR_NO_MEMORY;
	explain(regex, code, offset, why);
	return WIRE_ERR_BAD_ARGUMENT;
}

static int
count(pcre2_callout_block *block, void *arg)
{
	struct bind_regex *regex = arg;

	regex->place = block->start_match;
	regex->verdict = bind_effort_step(
	    regex->effort, block->start_match, block->current_position);
	return regex->verdict == BIND_EFFORT_ON ? 0 : PCRE2_ERROR_CALLOUT;
}

static enum wire_err
prepare(struct bind_regex *regex)
{
	struct library *pcre2 = &regex->pcre2;

	regex->context = pcre2->match_context_create(regex->general);
	regex->data = pcre2->match_data_create(1, regex->general);
	if (regex->context == NULL || regex->data == NULL)
		return WIRE_ERR_NO_MEMORY;
	(void)pcre2->set_match_limit(regex->context, BIND_REGEX_BACKTRACKS);
	(void)pcre2->set_depth_limit(regex->context, BIND_REGEX_DEPTH);
	(void)pcre2->set_heap_limit(regex->context, BIND_REGEX_HEAP_KIB);
	(void)pcre2->set_callout(regex->context, count, regex);
	return WIRE_OK;
}

void
bind_regex_free(struct bind_regex *regex)
{
	if (regex == NULL)
		return;
	if (regex->data != NULL)
		regex->pcre2.match_data_free(regex->data);
	if (regex->context != NULL)
		regex->pcre2.match_context_free(regex->context);
	if (regex->code != NULL)
		regex->pcre2.code_free(regex->code);
	if (regex->general != NULL)
		regex->pcre2.general_context_free(regex->general);
	if (regex->pcre2.handle != NULL)
		(void)dlclose(regex->pcre2.handle);
	free(regex);
}

enum wire_err
bind_regex_new(struct wire_span pattern, bool ignore_case,
    struct bind_regex **ret_regex, struct bind_text *why)
{
	struct bind_regex *regex;
	enum wire_err err = WIRE_ERR_NO_MEMORY;

	if (pattern.len > BIND_REGEX_PATTERN_MAX) {
		bind_text_add(why, "the pattern is over the limit of ");
		bind_text_add_uint(why, BIND_REGEX_PATTERN_MAX);
		bind_text_add(why, " bytes");
		return WIRE_ERR_BAD_ARGUMENT;
	}
	regex = calloc(1, sizeof(*regex));
	if (regex == NULL)
		return WIRE_ERR_NO_MEMORY;
	if (!load(&regex->pcre2)) {
		err = WIRE_ERR_SYSTEM;
		goto out;
	}
	regex->general = regex->pcre2.general_context_create(
	    take_memory, give_memory, regex);
	if (regex->general == NULL)
		goto out;
	err = compile(regex, pattern, ignore_case, why);
	if (err == WIRE_OK)
		err = prepare(regex);
out:
	if (err == WIRE_OK)
		*ret_regex = regex;
	else
		bind_regex_free(regex);
	return err;
}

/* --- matching ------------------------------------------------------------- */

static enum bind_match
stopped(const struct bind_regex *regex)
{
	if (regex->verdict == BIND_EFFORT_SPENT)
		return BIND_MATCH_SPENT;
	if (regex->verdict == BIND_EFFORT_YIELD)
		return BIND_MATCH_YIELD;
	return BIND_MATCH_STUCK;
}

enum bind_match
bind_regex_match(void *arg, const struct bind_subject *subject,
    struct bind_effort *effort, struct bind_match_at *ret_at)
{
	struct bind_regex *regex = arg;
	/* A text is checked once, by the scan of the result that it was. */
	uint32_t options = PCRE2_NO_UTF_CHECK |
	    (subject->begins_line ? 0 : PCRE2_NOTBOL) |
	    (subject->ends_line ? 0 : PCRE2_NOTEOL);
	const PCRE2_SIZE *at;
	int r;

	regex->effort = effort;
	regex->is_full = false;
	regex->place = subject->start;
	r = regex->pcre2.match(regex->code, subject->text.p, subject->text.len,
	    subject->start, options, regex->data, regex->context);
	if (r == PCRE2_ERROR_NOMATCH)
		return BIND_MATCH_NONE;
	ret_at->begin = ret_at->end = regex->place;
	if (r == PCRE2_ERROR_CALLOUT)
		return stopped(regex);
	if (r == PCRE2_ERROR_NOMEMORY && !regex->is_full)
		return BIND_MATCH_FAILED;
	if (r < 0)
		return BIND_MATCH_STUCK;
	at = regex->pcre2.get_ovector_pointer(regex->data);
	/* \K may move the beginning, at most to the end. */
	ret_at->end = at[1];
	ret_at->begin = at[0] < at[1] ? at[0] : at[1];
	return BIND_MATCH_FOUND;
}
