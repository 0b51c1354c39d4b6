#include "supervisor/narrow.h"

#include <string.h>

void
sup_bounds_widest(struct sup_bounds *ret_bounds)
{
	*ret_bounds = (struct sup_bounds){
	    .network = true,
	    .level = SUP_LEVEL_NONE,
	    .level_most = SUP_LEVEL_ISOLATED,
	    .tools = {.all = true},
	};
	for (size_t i = 0; i < SUP_LIMITS; i++)
		ret_bounds->limits[i] = UINT64_MAX;
}

void
sup_bounds_backend(enum sup_level most, struct sup_bounds *ret_bounds)
{
	sup_bounds_widest(ret_bounds);
	ret_bounds->level_most = most;
	for (size_t i = 0; i < SUP_LIMITS; i++)
		ret_bounds->limits[i] =
		    sup_limit_spec((enum sup_limit)i)->ceiling;
}

/* What a text says beside its limits. */
static void
add_rest(const struct sup_profile *profile, struct sup_bounds *bounds)
{
	if (profile->level_given)
		bounds->level = profile->level;
	bounds->halt_on_exhaust = profile->halt_on_exhaust;
	bounds->require = profile->require;
	if (profile->tools_given)
		bounds->tools = (struct sup_names){
		    false, profile->tools, profile->tool_count};
}

void
sup_bounds_deployment(const struct sup_profile *profile,
    const uint64_t limits[SUP_LIMITS], uint32_t given,
    const enum sup_level *level, bool network, struct sup_bounds *ret_bounds)
{
	sup_bounds_widest(ret_bounds);
	ret_bounds->level = SUP_LEVEL_ISOLATED;
	ret_bounds->network =
	    network || (profile != NULL && profile->network == SUP_SAY_YES);
	if (profile != NULL)
		add_rest(profile, ret_bounds);
	if (level != NULL)
		ret_bounds->level = *level;
	for (size_t i = 0; i < SUP_LIMITS; i++) {
		if ((given >> i & 1) != 0)
			ret_bounds->limits[i] = limits[i];
		else if (profile != NULL &&
		    (profile->limits_given >> i & 1) != 0)
			ret_bounds->limits[i] = profile->limits[i];
		else
			ret_bounds->limits[i] =
			    sup_limit_spec((enum sup_limit)i)->initial;
	}
}

void
sup_bounds_narrower(
    const struct sup_profile *profile, struct sup_bounds *ret_bounds)
{
	sup_bounds_widest(ret_bounds);
	add_rest(profile, ret_bounds);
	ret_bounds->network = profile->network != SUP_SAY_NO;
	ret_bounds->network_wanted = profile->network == SUP_SAY_YES;
	for (size_t i = 0; i < SUP_LIMITS; i++)
		if ((profile->limits_given >> i & 1) != 0)
			ret_bounds->limits[i] = profile->limits[i];
}

bool
sup_names_has(const struct sup_names *names, struct wire_span name)
{
	for (size_t i = 0; !names->all && i < names->count; i++)
		if (wire_span_equal(names->names[i], name))
			return true;
	return names->all;
}

static struct sup_names
meet_names(const struct sup_names *a, const struct sup_names *b,
    struct wire_span *room)
{
	const struct sup_names *shorter = a->count <= b->count ? a : b;
	const struct sup_names *longer = shorter == a ? b : a;
	struct sup_names met = {false, room, 0};

	if (a->all)
		return *b;
	if (b->all)
		return *a;
	for (size_t i = 0; i < shorter->count; i++)
		if (sup_names_has(longer, shorter->names[i]))
			room[met.count++] = shorter->names[i];
	return met;
}

static uint64_t
smaller(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

void
sup_narrow(const struct sup_bounds *a, const struct sup_bounds *b,
    struct wire_span *room, struct sup_bounds *ret_bounds)
{
	struct sup_bounds met = {
	    /* SECURITY: an end that anybody asks for nobody takes back. */
	    .halt_on_exhaust = a->halt_on_exhaust || b->halt_on_exhaust,
	    .network = a->network && b->network,
	    .network_wanted = a->network_wanted || b->network_wanted,
	    .level = a->level > b->level ? a->level : b->level,
	    .level_most =
		a->level_most < b->level_most ? a->level_most : b->level_most,
	    .require = a->require | b->require,
	    .tools = meet_names(&a->tools, &b->tools, room),
	};

	for (size_t i = 0; i < SUP_LIMITS; i++)
		met.limits[i] = smaller(a->limits[i], b->limits[i]);
	*ret_bounds = met;
}

enum sup_level
sup_narrow_level_most(const struct sup_bounds *bounds)
{
	/* C13: the host's network reaches what is inside of the host. */
	if (bounds->network && bounds->level_most > SUP_LEVEL_PROCESS)
		return SUP_LEVEL_PROCESS;
	return bounds->level_most;
}

enum sup_kind
sup_narrow_refusal(const struct sup_bounds *bounds)
{
	if (bounds->network_wanted && !bounds->network)
		return SUP_KIND_NETWORK_NOT_ALLOWED;
	if (bounds->level > sup_narrow_level_most(bounds))
		return SUP_KIND_POLICY_REFUSED;
	return SUP_KIND_NONE;
}

bool
sup_bounds_within(const struct sup_bounds *a, const struct sup_bounds *b)
{
	if ((a->network && !b->network) || a->level < b->level ||
	    a->level_most > b->level_most ||
	    (b->halt_on_exhaust && !a->halt_on_exhaust) ||
	    (b->require & ~a->require) != 0 ||
	    (b->network_wanted && !a->network_wanted) ||
	    (a->tools.all && !b->tools.all))
		return false;
	for (size_t i = 0; !a->tools.all && i < a->tools.count; i++)
		if (!sup_names_has(&b->tools, a->tools.names[i]))
			return false;
	for (size_t i = 0; i < SUP_LIMITS; i++)
		if (a->limits[i] > b->limits[i])
			return false;
	return true;
}
