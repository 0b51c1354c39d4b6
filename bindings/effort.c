#include "bindings/effort.h"

#define BYTES_A_STEP 32

void
bind_effort_init(
    struct bind_effort *effort, uint64_t (*now_ns)(void *arg), void *arg)
{
	*effort = (struct bind_effort){
	    .now_ns = now_ns, .arg = arg, .until_look = BIND_EFFORT_LOOK};
}

void
bind_effort_begin_turn(struct bind_effort *effort)
{
	effort->turn_ns = effort->now_ns(effort->arg);
	effort->looked_ns = effort->place_ns = effort->turn_ns;
}

void
bind_effort_end_turn(struct bind_effort *effort)
{
	effort->looked_ns = effort->now_ns(effort->arg);
	effort->ns += effort->looked_ns - effort->turn_ns;
}

bool
bind_effort_turn_is_over(const struct bind_effort *effort)
{
	return effort->looked_ns - effort->turn_ns >= BIND_EFFORT_TURN_NS;
}

/* SECURITY: the clock is looked at again and again while a pattern is tried,
 * so that none keeps the supervisor from its other work. */
static void
look(struct bind_effort *effort)
{
	if (--effort->until_look > 0)
		return;
	effort->until_look = BIND_EFFORT_LOOK;
	effort->looked_ns = effort->now_ns(effort->arg);
}

static bool
is_spent(const struct bind_effort *effort)
{
	return effort->steps > BIND_EFFORT_STEPS ||
	    effort->ns + (effort->looked_ns - effort->turn_ns) >=
	    BIND_EFFORT_NS;
}

enum bind_effort_verdict
bind_effort_begin_match(struct bind_effort *effort, uint64_t steps)
{
	effort->is_first = true;
	effort->place = SIZE_MAX;
	effort->steps += steps;
	look(effort);
	return is_spent(effort) ? BIND_EFFORT_SPENT : BIND_EFFORT_ON;
}

enum bind_effort_verdict
bind_effort_step(struct bind_effort *effort, size_t place, size_t position)
{
	size_t ran = position > effort->position ? position - effort->position
						 : effort->position - position;

	if (place != effort->place) {
		effort->is_first = effort->place == SIZE_MAX;
		effort->place = place;
		effort->place_steps = effort->steps;
		effort->place_ns = effort->looked_ns;
		ran = 0;
	}
	effort->position = position;
	effort->steps += 1 + ran / BYTES_A_STEP;
	look(effort);
	if (is_spent(effort))
		return BIND_EFFORT_SPENT;
	if (effort->steps - effort->place_steps > BIND_EFFORT_PLACE ||
	    effort->looked_ns - effort->place_ns > BIND_EFFORT_PLACE_NS)
		return BIND_EFFORT_STUCK;
	if (bind_effort_turn_is_over(effort) && !effort->is_first)
		return BIND_EFFORT_YIELD;
	return BIND_EFFORT_ON;
}
