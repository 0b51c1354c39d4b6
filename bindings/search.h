/*
 * A search through a kept text, some at a time (B7).
 *
 * A match lies within one line. A line of more than BIND_SEARCH_PIECE bytes is
 * looked at in pieces that overlap by half, so a match that is longer than half
 * a piece may be missed or found shorter.
 *
 * Owns: the places of the matches found. The text, its lines and the matcher
 * are the caller's and outlive it. Pure but for the allocation.
 */
#ifndef BIND_SEARCH_H
#define BIND_SEARCH_H

#include "bindings/lines.h"
#include "bindings/regex.h"

#define BIND_SEARCH_PIECE	(32 * WIRE_KIB)
#define BIND_SEARCH_BEHIND	256 /* bytes before a piece that \b and ? see */
#define BIND_SEARCH_MATCHES	100 /* by default */
#define BIND_SEARCH_MATCHES_MAX 1000

enum bind_search_state {
	BIND_SEARCH_ON,	   /* another turn is due */
	BIND_SEARCH_WHOLE, /* to its end */
	BIND_SEARCH_LIMIT, /* as many matches as were asked for; goes on at */
	BIND_SEARCH_STUCK, /* too much work at one place: at */
	BIND_SEARCH_SPENT, /* too much work in all: up to at */
	BIND_SEARCH_FAILED,
};

struct bind_place {
	size_t begin, end, line, line_begin, line_end;
};

struct bind_search {
	struct wire_span text;
	const struct bind_lines *lines;
	/* bind_regex_match and its regex, or a test's. */
	enum bind_match (*match)(void *regex,
	    const struct bind_subject *subject, struct bind_effort *effort,
	    struct bind_match_at *ret_at);
	void *regex;
	enum bind_search_state state;
	size_t at;   /* where the next match may begin */
	size_t stop; /* matches begin before it */
	size_t line, line_begin, line_end;
	struct bind_effort effort;
	struct bind_place *found;
	size_t count, limit;
};

/*
 * Matches that begin in `length` bytes from `offset` on, at most `limit`,
 * which is 1 to BIND_SEARCH_MATCHES_MAX. effort: initialised. NO_MEMORY.
 */
WIRE_MUST_USE enum wire_err bind_search_init(struct bind_search *search,
    struct wire_span text, const struct bind_lines *lines, uint64_t offset,
    uint64_t length, size_t limit);
void bind_search_release(struct bind_search *search);

/* One turn; the state it leaves. */
enum bind_search_state bind_search_turn(struct bind_search *search);

#endif
