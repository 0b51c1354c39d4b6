/*
 * Terms as an intersection: properties over random bounds, and what each
 * stage's words become.
 */
#include "supervisor/narrow.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* cmocka wants the headers above it first */
#include <cmocka.h>

#define COUNT(a)  (sizeof(a) / sizeof((a)[0]))
#define ROUNDS	  1000000
#define TOOLS_MAX 6

/* splitmix64: the same numbers each time. */
static uint64_t
next_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

struct made {
	struct sup_bounds bounds;
	struct wire_span tools[TOOLS_MAX];
};

/* Bounds near each other, so that all relations between two of them occur;
 * some lists of tools name one twice, some none. */
static void
make(uint64_t *random, struct made *made)
{
	static const char names[] = "abcdefgh";
	uint64_t bits = next_random(random);
	struct sup_bounds *b = &made->bounds;

	memset(b, 0, sizeof(*b));
	for (size_t i = 0; i < SUP_LIMITS; i++) {
		b->limits[i] = bits >> i & 7;
		if (b->limits[i] == 7)
			b->limits[i] = UINT64_MAX;
	}
	bits = next_random(random);
	b->network = bits >> 2 & 1;
	b->network_wanted = bits >> 3 & 1;
	b->halt_on_exhaust = bits & 1;
	b->level = (enum sup_level)((bits >> 4 & 0xff) % 3);
	b->level_most = (enum sup_level)((bits >> 12 & 0xff) % 3);
	b->require = bits >> 20 & 3;
	b->tools.all = (bits >> 22 & 3) == 0;
	if (b->tools.all)
		return;
	b->tools.names = made->tools;
	b->tools.count = (bits >> 24 & 0xff) % (TOOLS_MAX + 1);
	for (size_t i = 0; i < b->tools.count; i++)
		made->tools[i] = (struct wire_span){
		    (const uint8_t *)&names[bits >> (32 + 3 * i) & 7], 1};
}

/* Each within the other is the same, by another route than narrowing. */
static bool
is_same(const struct sup_bounds *a, const struct sup_bounds *b)
{
	return sup_bounds_within(a, b) && sup_bounds_within(b, a);
}

static void
t_any_order_and_any_grouping_comes_to_the_same(void **state)
{
	uint64_t random = 1;
	struct wire_span room[5][TOOLS_MAX];
	struct sup_bounds ab, ba, bc, ab_c, a_bc;
	struct made a, b, c;

	(void)state;
	for (size_t i = 0; i < ROUNDS; i++) {
		make(&random, &a);
		make(&random, &b);
		make(&random, &c);
		sup_narrow(&a.bounds, &b.bounds, room[0], &ab);
		sup_narrow(&b.bounds, &a.bounds, room[1], &ba);
		assert_true(is_same(&ab, &ba));
		sup_narrow(&b.bounds, &c.bounds, room[2], &bc);
		sup_narrow(&ab, &c.bounds, room[3], &ab_c);
		sup_narrow(&a.bounds, &bc, room[4], &a_bc);
		assert_true(is_same(&ab_c, &a_bc));
	}
}

static void
t_nothing_widens_and_saying_it_twice_changes_nothing(void **state)
{
	uint64_t random = 2;
	struct wire_span room[3][TOOLS_MAX];
	struct sup_bounds ab, again, aa, widest, same;
	struct made a, b;

	(void)state;
	sup_bounds_widest(&widest);
	for (size_t i = 0; i < ROUNDS; i++) {
		make(&random, &a);
		make(&random, &b);
		sup_narrow(&a.bounds, &b.bounds, room[0], &ab);
		assert_true(sup_bounds_within(&ab, &a.bounds));
		assert_true(sup_bounds_within(&ab, &b.bounds));
		sup_narrow(&ab, &b.bounds, room[1], &again);
		assert_true(is_same(&ab, &again));
		sup_narrow(&a.bounds, &a.bounds, room[2], &aa);
		assert_true(is_same(&aa, &a.bounds));
		/* the widest has no say; the narrower of two is the result */
		sup_narrow(&widest, &a.bounds, NULL, &same);
		assert_true(is_same(&same, &a.bounds));
		if (sup_bounds_within(&a.bounds, &b.bounds))
			assert_true(is_same(&ab, &a.bounds));
	}
}

/* What is refused stays refused, whatever else is said. */
static void
t_a_refusal_is_never_taken_back(void **state)
{
	uint64_t random = 3;
	struct wire_span room[TOOLS_MAX];
	struct sup_bounds ab;
	struct made a, b;
	size_t refused = 0;

	(void)state;
	for (size_t i = 0; i < ROUNDS; i++) {
		make(&random, &a);
		make(&random, &b);
		/* One who gives the network up asks for less. */
		if (!b.bounds.network)
			continue;
		sup_narrow(&a.bounds, &b.bounds, room, &ab);
		if (sup_narrow_refusal(&a.bounds) == SUP_KIND_NONE)
			continue;
		refused++;
		assert_int_not_equal(sup_narrow_refusal(&ab), SUP_KIND_NONE);
	}
	assert_true(refused > ROUNDS / 100);
}

/* A member at a time: `within` is no friend of narrowing's. */
static void
t_within_sees_every_member(void **state)
{
	static const uint8_t name[] = "ab";
	struct wire_span one = {name, 1}, other = {name + 1, 1};
	struct sup_bounds base, less;

	(void)state;
	sup_bounds_backend(SUP_LEVEL_ISOLATED, &base);
	base.network = true;
	base.level = SUP_LEVEL_PROCESS;
	assert_true(sup_bounds_within(&base, &base));
#define NARROWER(change)                                                       \
	do {                                                                   \
		less = base;                                                   \
		change;                                                        \
		assert_true(sup_bounds_within(&less, &base));                  \
		assert_false(sup_bounds_within(&base, &less));                 \
	} while (0)
	for (size_t i = 0; i < SUP_LIMITS; i++)
		NARROWER(less.limits[i]--);
	NARROWER(less.network = false);
	NARROWER(less.network_wanted = true);
	NARROWER(less.halt_on_exhaust = true);
	NARROWER(less.level = SUP_LEVEL_ISOLATED);
	NARROWER(less.level_most = SUP_LEVEL_PROCESS);
	NARROWER(less.require = SUP_REQUIRE_LANDLOCK);
	NARROWER(less.tools = ((struct sup_names){false, &one, 1}));
	base.tools = (struct sup_names){false, &one, 1};
	NARROWER(less.tools.count = 0);
	less.tools = (struct sup_names){false, &other, 1};
	assert_false(sup_bounds_within(&less, &base));
	assert_false(sup_bounds_within(&base, &less));
}

/* --- what stages say ------------------------------------------------------ */

static void
t_the_deployment(void **state)
{
	struct sup_profile profile;
	const enum sup_level isolated = SUP_LEVEL_ISOLATED;
	uint64_t limits[SUP_LIMITS];
	struct sup_bounds bounds, backend;

	(void)state;
	sup_bounds_backend(SUP_LEVEL_ISOLATED, &backend);
	memset(limits, 0x11, sizeof(limits));
	/* nothing said: the defaults */
	sup_bounds_deployment(NULL, limits, 0, NULL, false, &bounds);
	for (size_t i = 0; i < SUP_LIMITS; i++)
		assert_true(bounds.limits[i] ==
		    sup_limit_spec((enum sup_limit)i)->initial);
	assert_int_equal(bounds.level, SUP_LEVEL_ISOLATED);
	assert_false(bounds.network);
	assert_true(bounds.limits[SUP_LIMIT_PROCESSES] == 0);
	assert_int_equal(sup_narrow_refusal(&bounds), SUP_KIND_NONE);
	/* a profile, and the command line before it */
	memset(&profile, 0, sizeof(profile));
	profile.limits_given = 1u << SUP_LIMIT_WALL | 1u << SUP_LIMIT_CALLS |
	    1u << SUP_LIMIT_PROCESSES;
	profile.limits[SUP_LIMIT_WALL] = 300 * SUP_NS_PER_S;
	profile.limits[SUP_LIMIT_CALLS] = 5;
	profile.require = SUP_REQUIRE_LANDLOCK;
	profile.limits[SUP_LIMIT_PROCESSES] = 9;
	profile.network = SUP_SAY_YES;
	limits[SUP_LIMIT_CALLS] = 6;
	sup_bounds_deployment(
	    &profile, limits, 1u << SUP_LIMIT_CALLS, NULL, false, &bounds);
	assert_true(bounds.limits[SUP_LIMIT_WALL] == 300 * SUP_NS_PER_S);
	assert_true(bounds.limits[SUP_LIMIT_CALLS] == 6);
	assert_true(bounds.limits[SUP_LIMIT_CPU] == 30 * SUP_NS_PER_S);
	assert_int_equal(bounds.require, SUP_REQUIRE_LANDLOCK);
	assert_true(bounds.limits[SUP_LIMIT_PROCESSES] == 9);
	assert_true(bounds.network);
	/* and so with the level */
	profile.level_given = true;
	profile.level = SUP_LEVEL_PROCESS;
	sup_bounds_deployment(&profile, limits, 0, NULL, false, &bounds);
	assert_int_equal(bounds.level, SUP_LEVEL_PROCESS);
	sup_bounds_deployment(&profile, limits, 0, &isolated, false, &bounds);
	assert_int_equal(bounds.level, SUP_LEVEL_ISOLATED);
	/* the version can do both */
	sup_narrow(&backend, &bounds, NULL, &bounds);
	assert_true(bounds.network);
	assert_true(bounds.limits[SUP_LIMIT_PROCESSES] == 9);
}

static void
t_a_policy_and_a_request_only_narrow(void **state)
{
	static struct sup_profile profile;
	struct sup_bounds bounds, widest;

	(void)state;
	sup_bounds_widest(&widest);
	memset(&profile, 0, sizeof(profile));
	sup_bounds_narrower(&profile, &bounds);
	assert_true(is_same(&bounds, &widest));
	profile.limits_given = 1u << SUP_LIMIT_WALL;
	profile.limits[SUP_LIMIT_WALL] = UINT64_MAX - 1;
	profile.level_given = true;
	profile.level = SUP_LEVEL_PROCESS;
	profile.network = SUP_SAY_YES;
	profile.tools_given = true;
	sup_bounds_narrower(&profile, &bounds);
	assert_true(sup_bounds_within(&bounds, &widest));
	assert_true(bounds.network && bounds.network_wanted);
	assert_false(bounds.halt_on_exhaust);
	assert_int_equal(bounds.level, SUP_LEVEL_PROCESS);
	assert_false(sup_names_has(&bounds.tools, WIRE_LIT("a")));
	profile.network = SUP_SAY_NO;
	profile.halt_on_exhaust = true;
	sup_bounds_narrower(&profile, &bounds);
	assert_true(bounds.halt_on_exhaust);
	sup_narrow(&bounds, &widest, NULL, &widest);
	assert_true(widest.halt_on_exhaust);
	assert_false(bounds.network || bounds.network_wanted);
}

/* By the profile, or by the command line; and it wants nothing by itself. */
static void
t_the_deployment_grants_the_network(void **state)
{
	const uint64_t limits[SUP_LIMITS] = {0};
	const enum sup_level process = SUP_LEVEL_PROCESS;
	struct sup_profile profile;
	struct sup_bounds bounds, backend;

	(void)state;
	memset(&profile, 0, sizeof(profile));
	sup_bounds_backend(SUP_LEVEL_ISOLATED, &backend);
	for (unsigned i = 0; i < 8; i++) {
		bool by_profile = (i & 1) != 0, by_option = (i & 2) != 0;

		profile.network = by_profile ? SUP_SAY_YES : SUP_SAY_NO;
		sup_bounds_deployment(i < 4 ? &profile : NULL, limits, 0,
		    &process, by_option, &bounds);
		sup_narrow(&bounds, &backend, NULL, &bounds);
		assert_int_equal(
		    bounds.network, by_option || (i < 4 && by_profile));
		assert_false(bounds.network_wanted);
		assert_int_equal(sup_narrow_refusal(&bounds), SUP_KIND_NONE);
		assert_int_equal(sup_narrow_level_most(&bounds),
		    bounds.network ? SUP_LEVEL_PROCESS : SUP_LEVEL_ISOLATED);
	}
}

static void
t_wishes_that_are_not_granted(void **state)
{
	static const struct {
		bool network, wanted;
		enum sup_level level, most;
		enum sup_kind kind;
	} rows[] = {
	    {false, false, SUP_LEVEL_ISOLATED, SUP_LEVEL_ISOLATED,
		SUP_KIND_NONE},
	    {false, true, SUP_LEVEL_PROCESS, SUP_LEVEL_ISOLATED,
		SUP_KIND_NETWORK_NOT_ALLOWED},
	    {false, true, SUP_LEVEL_ISOLATED, SUP_LEVEL_PROCESS,
		SUP_KIND_NETWORK_NOT_ALLOWED},
	    {true, true, SUP_LEVEL_PROCESS, SUP_LEVEL_ISOLATED, SUP_KIND_NONE},
	    {true, true, SUP_LEVEL_ISOLATED, SUP_LEVEL_ISOLATED,
		SUP_KIND_POLICY_REFUSED},
	    {true, false, SUP_LEVEL_ISOLATED, SUP_LEVEL_ISOLATED,
		SUP_KIND_POLICY_REFUSED},
	    {false, false, SUP_LEVEL_ISOLATED, SUP_LEVEL_PROCESS,
		SUP_KIND_POLICY_REFUSED},
	    {false, false, SUP_LEVEL_PROCESS, SUP_LEVEL_PROCESS, SUP_KIND_NONE},
	    {true, false, SUP_LEVEL_NONE, SUP_LEVEL_NONE, SUP_KIND_NONE},
	    {true, false, SUP_LEVEL_PROCESS, SUP_LEVEL_NONE,
		SUP_KIND_POLICY_REFUSED},
	};
	struct sup_bounds bounds;

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		sup_bounds_widest(&bounds);
		bounds.network = rows[i].network;
		bounds.network_wanted = rows[i].wanted;
		bounds.level = rows[i].level;
		bounds.level_most = rows[i].most;
		assert_int_equal(sup_narrow_refusal(&bounds), rows[i].kind);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(t_any_order_and_any_grouping_comes_to_the_same),
	    cmocka_unit_test(
		t_nothing_widens_and_saying_it_twice_changes_nothing),
	    cmocka_unit_test(t_a_refusal_is_never_taken_back),
	    cmocka_unit_test(t_the_deployment_grants_the_network),
	    cmocka_unit_test(t_within_sees_every_member),
	    cmocka_unit_test(t_the_deployment),
	    cmocka_unit_test(t_a_policy_and_a_request_only_narrow),
	    cmocka_unit_test(t_wishes_that_are_not_granted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
