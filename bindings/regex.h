/*
 * Patterns of untrusted programs, by PCRE2.
 *
 * Owns: what is compiled, and the memory for matching, both taken from an
 * allocator with a maximum. The library is loaded when the first pattern is
 * compiled, because loading it would be a part of every start.
 *
 * SECURITY: no just-in-time compiler, which would make memory of this process
 * executable; no \C, which splits characters; nesting, pattern, memory, depth
 * and backtracking are bounded; and what a search may do besides is counted
 * (bindings/effort.h).
 *
 * Syntax: PCRE2's for UTF-8, with \w, \d, \s and \b by Unicode; a newline is
 * \n. Threads: one at a time.
 */
#ifndef BIND_REGEX_H
#define BIND_REGEX_H

#include "bindings/effort.h"
#include "bindings/text.h"
#include "wire/err.h"
#include "wire/limits.h"

#define BIND_REGEX_PATTERN_MAX 1000 /* bytes */
#define BIND_REGEX_NESTING     50   /* parentheses */
#define BIND_REGEX_MEMORY      (32 * WIRE_MIB)
#define BIND_REGEX_HEAP_KIB    (16 * WIRE_KIB)
#define BIND_REGEX_BACKTRACKS  1000000
#define BIND_REGEX_DEPTH       100000

struct bind_regex;

/*
 * Takes UTF-8. BAD_ARGUMENT when it is no pattern, or too much of one, with
 * the reason in *why; NO_MEMORY; SYSTEM when the library is not there.
 */
WIRE_MUST_USE enum wire_err bind_regex_new(struct wire_span pattern,
    bool ignore_case, struct bind_regex **ret_regex, struct bind_text *why);
/* NULL is fine. */
void bind_regex_free(struct bind_regex *regex);

struct bind_subject {
	struct wire_span text; /* UTF-8 */
	size_t start;	       /* a match begins there or later */
	bool begins_line;      /* else ^ does not match at its beginning */
	bool ends_line;	       /* likewise $ */
};

enum bind_match {
	BIND_MATCH_FOUND, /* [begin, end) */
	BIND_MATCH_NONE,
	/* The next three with the place where they stopped as `begin`. */
	BIND_MATCH_YIELD, /* to go on there */
	BIND_MATCH_STUCK, /* as BIND_EFFORT_STUCK; or a bound above */
	BIND_MATCH_SPENT,
	BIND_MATCH_FAILED, /* memory is short */
};

struct bind_match_at {
	size_t begin, end;
};

/* regex: a struct bind_regex; it is what a search calls (bindings/search.h). */
enum bind_match bind_regex_match(void *regex,
    const struct bind_subject *subject, struct bind_effort *effort,
    struct bind_match_at *ret_at);

#endif
