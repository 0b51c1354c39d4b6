#include "bindings/search.h"

#include <stdlib.h>

#include "wire/utf8.h"

#define CALL_STEPS 4 /* what the matcher takes to begin */

/* Goes to the line that begins at `begin`. */
static void
enter_line(struct bind_search *search, size_t line, size_t begin)
{
	search->line = line;
	search->line_begin = begin;
	search->line_end = bind_lines_end(search->text, begin);
}

enum wire_err
bind_search_init(struct bind_search *search, struct wire_span text,
    const struct bind_lines *lines, uint64_t offset, uint64_t length,
    size_t limit)
{
	size_t line;

	WIRE_BUG_IF(limit == 0 || limit > BIND_SEARCH_MATCHES_MAX);
	*search = (struct bind_search){
	    .text = text, .lines = lines, .stop = text.len + 1};
	search->at = text.len;
	if (offset < text.len)
		search->at = wire_utf8_floor(text, (size_t)offset);
	/* A match may be empty, and stand at the very end. */
	if (length < text.len - search->at)
		search->stop = search->at + (size_t)length;
	if (offset > text.len)
		search->stop = 0;
	search->limit = limit;
	search->found = calloc(limit, sizeof(search->found[0]));
	if (search->found == NULL)
		return WIRE_ERR_NO_MEMORY;
	line = bind_lines_of(lines, text, search->at);
	enter_line(search, line, bind_lines_begin(lines, text, line));
	return WIRE_OK;
}

void
bind_search_release(struct bind_search *search)
{
	free(search->found);
	search->found = NULL;
}

/* What the matcher is shown: a line, or of a long one a piece. */
struct piece {
	size_t begin, end;
	size_t next; /* matches from here on are the next piece's */
};

static struct piece
choose_piece(const struct bind_search *search)
{
	struct piece piece = {search->line_begin, search->line_end, SIZE_MAX};

	if (piece.end - piece.begin <= BIND_SEARCH_PIECE)
		return piece;
	if (search->at - piece.begin > BIND_SEARCH_BEHIND)
		piece.begin = wire_utf8_floor(
		    search->text, search->at - BIND_SEARCH_BEHIND);
	if (piece.end - search->at > BIND_SEARCH_PIECE) {
		piece.end = wire_utf8_floor(
		    search->text, search->at + BIND_SEARCH_PIECE);
		piece.next = wire_utf8_floor(
		    search->text, search->at + BIND_SEARCH_PIECE / 2);
	}
	return piece;
}

static void
go_on_after(struct bind_search *search, const struct piece *piece)
{
	if (piece->next != SIZE_MAX) {
		search->at = piece->next;
		return;
	}
	search->at = search->line_end + 1;
	if (search->at <= search->text.len)
		enter_line(search, search->line + 1, search->at);
}

static void
note(struct bind_search *search, size_t begin, size_t end)
{
	search->found[search->count++] = (struct bind_place){
	    begin, end, search->line, search->line_begin, search->line_end};
	if (search->count == search->limit)
		search->state = BIND_SEARCH_LIMIT;
	search->at = end;
	/* After an empty one the next character, so that there is an end. */
	if (begin == end)
		search->at = end < search->line_end
		    ? wire_utf8_ceil(search->text, end + 1)
		    : end + 1;
	if (search->at > search->line_end && search->at <= search->text.len)
		enter_line(search, search->line + 1, search->at);
}

static void
take_match(struct bind_search *search, const struct piece *piece,
    const struct bind_match_at *at)
{
	size_t begin = piece->begin + at->begin;

	if (begin >= search->stop)
		search->state = BIND_SEARCH_WHOLE;
	else if (begin >= piece->next)
		search->at = piece->next;
	else
		note(search, begin, piece->begin + at->end);
}

/* One call of the matcher. */
static void
look(struct bind_search *search)
{
	struct piece piece = choose_piece(search);
	struct bind_subject subject = {
	    .text = {search->text.p + piece.begin, piece.end - piece.begin},
	    .start = search->at - piece.begin,
	    .begins_line = piece.begin == search->line_begin,
	    .ends_line = piece.end == search->line_end,
	};
	struct bind_match_at at = {0, 0};

	if (bind_effort_begin_match(&search->effort, CALL_STEPS) !=
	    BIND_EFFORT_ON) {
		search->state = BIND_SEARCH_SPENT;
		return;
	}
	switch (search->match(search->regex, &subject, &search->effort, &at)) {
	case BIND_MATCH_FOUND:
		take_match(search, &piece, &at);
		break;
	case BIND_MATCH_NONE:
		go_on_after(search, &piece);
		break;
	case BIND_MATCH_YIELD:
		search->at = piece.begin + at.begin;
		break;
	case BIND_MATCH_STUCK:
		search->at = piece.begin + at.begin;
		search->state = BIND_SEARCH_STUCK;
		break;
	case BIND_MATCH_SPENT:
		search->at = piece.begin + at.begin;
		search->state = BIND_SEARCH_SPENT;
		break;
	case BIND_MATCH_FAILED:
		search->state = BIND_SEARCH_FAILED;
		break;
	}
}

enum bind_search_state
bind_search_turn(struct bind_search *search)
{
	bind_effort_begin_turn(&search->effort);
	while (search->state == BIND_SEARCH_ON) {
		if (search->at >= search->stop)
			search->state = BIND_SEARCH_WHOLE;
		else if (bind_effort_turn_is_over(&search->effort))
			break;
		else
			look(search);
	}
	bind_effort_end_turn(&search->effort);
	return search->state;
}
