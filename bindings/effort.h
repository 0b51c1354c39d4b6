/*
 * How much a search may do (B7): steps of the whole, of one place where a
 * match may begin, and of one turn of the event loop.
 *
 * A step is one item of the pattern tried at one place, and one more for
 * every 32 bytes that an item ran over; so the same search takes the same
 * steps everywhere. One item may run over a whole piece of a line before it
 * is counted, and that cannot be known from the steps; so the processor's
 * time is bounded as well: for a turn, after which others have theirs, and as
 * a last resort for the search.
 *
 * Pure; the clock is the caller's and need not be read often.
 */
#ifndef BIND_EFFORT_H
#define BIND_EFFORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BIND_EFFORT_STEPS   8000000 /* of a search */
#define BIND_EFFORT_PLACE   100000  /* of one place */
#define BIND_EFFORT_NS	    400000000
#define BIND_EFFORT_TURN_NS 4000000 /* then others have their turn */
/* ... and a place that is not done then never will be. */
#define BIND_EFFORT_PLACE_NS 15000000
#define BIND_EFFORT_LOOK     64 /* counts between two looks at the clock */

enum bind_effort_verdict {
	BIND_EFFORT_ON,
	BIND_EFFORT_YIELD, /* the turn is over; this place was not begun */
	BIND_EFFORT_STUCK, /* this one place takes too much */
	BIND_EFFORT_SPENT, /* the search does */
};

struct bind_effort {
	uint64_t (*now_ns)(void *arg); /* of the processor's time */
	void *arg;
	uint64_t steps;	      /* so far */
	uint64_t ns;	      /* of the turns before this one */
	uint64_t turn_ns;     /* when this one began */
	uint64_t looked_ns;   /* the last look at the clock */
	uint64_t place_steps; /* when this place was begun */
	uint64_t place_ns;
	unsigned until_look;
	bool is_first; /* place of a match call, which a turn always finishes */
	size_t place, position;
};

void bind_effort_init(
    struct bind_effort *effort, uint64_t (*now_ns)(void *arg), void *arg);

void bind_effort_begin_turn(struct bind_effort *effort);
void bind_effort_end_turn(struct bind_effort *effort);
bool bind_effort_turn_is_over(const struct bind_effort *effort);

/* One call of the matcher, for which `steps` are charged. */
enum bind_effort_verdict bind_effort_begin_match(
    struct bind_effort *effort, uint64_t steps);

/* The matcher tries an item at `position`, for a match from `place` on. */
enum bind_effort_verdict bind_effort_step(
    struct bind_effort *effort, size_t place, size_t position);

#endif
