/*
 * Terms as a host of the library makes them: from texts, once, for many
 * executions.
 */
#include "supervisor/terms_load.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* cmocka wants the headers above it first */
#include <cmocka.h>

#define TEXT(name, text)                                                       \
	{                                                                      \
		name, text, sizeof(text) - 1                                   \
	}

static const struct weir_source profiles = TEXT("deployment",
    "{\"schema\":\"weir.profiles/1\",\"profiles\":{"
    "\"default\":{\"limits\":{\"wall\":60}},"
    "\"batch\":{\"limits\":{\"wall\":\"1h\"},\"python\":\"/p\","
    "\"require\":[\"landlock\"]}}}");
static const struct weir_source policy = TEXT("tenant 7",
    "{\"schema\":\"weir.policy/1\",\"limits\":{\"wall\":\"10m\"},"
    "\"tools\":[\"a\"]}");

static struct weir_terms *
make(const struct weir_terms_config *config)
{
	char error[WEIR_ERROR_MAX] = "";
	enum weir_fault fault = WEIR_FAULT_OTHER;
	struct weir_terms *terms = weir_terms_new(config, &fault, error);

	if (terms == NULL)
		fail_msg("refused: %s", error);
	assert_int_equal(fault, WEIR_FAULT_NONE);
	return terms;
}

static void
refuse(const struct weir_terms_config *config, const char *text)
{
	char error[WEIR_ERROR_MAX] = "";
	enum weir_fault fault = WEIR_FAULT_NONE;

	assert_null(weir_terms_new(config, &fault, error));
	assert_int_equal(fault, WEIR_FAULT_REQUEST);
	assert_string_equal(error, text);
}

/* The limits of an execution under terms, and what it warns of. */
static void
start(const struct weir_terms *terms, const struct weir_limit *limits,
    size_t count, uint64_t ret_limits[SUP_LIMITS], struct weir_execution *e)
{
	const struct weir_request request = {
	    .limits = limits, .limit_count = count, .terms = terms};
	char error[WEIR_ERROR_MAX];

	memset(e, 0, sizeof(*e));
	assert_true(sup_terms_limits(&request, ret_limits, error));
	sup_terms_warn(e, &request);
}

static struct weir_execution execution;

static void
t_nothing_configured_is_the_built_in_profile(void **state)
{
	const struct weir_terms_config config = {.profile = NULL};
	struct weir_terms *terms = make(&config);
	uint64_t limits[SUP_LIMITS];

	(void)state;
	start(terms, NULL, 0, limits, &execution);
	for (size_t i = 0; i < SUP_LIMITS; i++)
		assert_true(
		    limits[i] == sup_limit_spec((enum sup_limit)i)->initial);
	assert_int_equal(execution.warning_count, 0);
	assert_null(weir_terms_python(terms));
	assert_int_equal(terms->refused, SUP_KIND_NONE);
	assert_true(terms->bounds.tools.all);
	weir_terms_free(terms);
	weir_terms_free(NULL);
	/* and so is having none */
	start(NULL, NULL, 0, limits, &execution);
	assert_true(limits[SUP_LIMIT_WALL] == 120 * SUP_NS_PER_S);
}

static void
t_texts_are_not_kept(void **state)
{
	char *copy = malloc(policy.len);
	struct weir_terms_config config = {
	    .profiles = profiles, .profile = "batch", .policy = policy};
	struct weir_terms *terms;

	(void)state;
	assert_non_null(copy);
	memcpy(copy, policy.text, policy.len);
	config.policy.text = copy;
	terms = make(&config);
	memset(copy, 'x', policy.len);
	free(copy);
	assert_string_equal(weir_terms_python(terms), "/p");
	assert_int_equal(terms->bounds.require, SUP_REQUIRE_LANDLOCK);
	assert_true(sup_names_has(&terms->bounds.tools, WIRE_LIT("a")));
	assert_false(sup_names_has(&terms->bounds.tools, WIRE_LIT("b")));
	assert_true(terms->bounds.limits[SUP_LIMIT_WALL] == 600 * SUP_NS_PER_S);
	weir_terms_free(terms);
}

static void
t_an_execution_only_narrows_its_terms(void **state)
{
	const struct weir_terms_config config = {
	    .profiles = profiles, .policy = policy};
	struct weir_terms *terms = make(&config);
	const struct weir_limit less[] = {{"wall", 5 * SUP_NS_PER_S}};
	const struct weir_limit more[] = {
	    {"wall", 61 * SUP_NS_PER_S}, {"calls", 1000}};
	const struct weir_limit wrong[] = {{"ready", 1}};
	struct weir_request request = {
	    .limits = wrong, .limit_count = 1, .terms = terms};
	uint64_t limits[SUP_LIMITS];
	char error[WEIR_ERROR_MAX];

	(void)state;
	start(terms, less, 1, limits, &execution);
	assert_true(limits[SUP_LIMIT_WALL] == 5 * SUP_NS_PER_S);
	assert_int_equal(execution.warning_count, 0);
	start(terms, more, 2, limits, &execution);
	assert_true(limits[SUP_LIMIT_WALL] == 60 * SUP_NS_PER_S);
	assert_true(limits[SUP_LIMIT_CALLS] == 1000);
	assert_int_equal(execution.warning_count, 1);
	assert_string_equal(execution.warnings[0],
	    "limit wall: clamped from 61s (execution) to 60s (deployment)");
	/* the terms are as they were */
	start(terms, NULL, 0, limits, &execution);
	assert_true(limits[SUP_LIMIT_WALL] == 60 * SUP_NS_PER_S);
	assert_false(sup_terms_limits(&request, limits, error));
	assert_string_equal(error, "limit ready: there is no such limit");
	weir_terms_free(terms);
}

static void
t_limits_of_the_host_speak_for_the_deployment(void **state)
{
	const struct weir_limit limits[] = {
	    {"wall", 90 * SUP_NS_PER_S}, {"cpu", 25 * SUP_NS_PER_H}};
	struct weir_terms_config config = {
	    .profiles = profiles, .limits = limits, .limit_count = 2};
	struct weir_terms *terms = make(&config);
	uint64_t got[SUP_LIMITS];

	(void)state;
	start(terms, NULL, 0, got, &execution);
	assert_true(got[SUP_LIMIT_WALL] == 90 * SUP_NS_PER_S);
	assert_true(got[SUP_LIMIT_CPU] == 24 * SUP_NS_PER_H);
	assert_int_equal(execution.warning_count, 1);
	assert_string_equal(execution.warnings[0],
	    "limit cpu: clamped from 25h (deployment) to 24h (built-in "
	    "profile)");
	weir_terms_free(terms);
}

/* A wish is no error of the text; the result says so. */
static void
t_wishes_are_refused_as_data(void **state)
{
	struct weir_terms_config config = {.profiles = profiles,
	    .request = TEXT(
		"wish", "{\"schema\":\"weir.request/1\",\"network\":true}")};
	struct weir_terms *terms = make(&config);

	(void)state;
	assert_int_equal(terms->refused, SUP_KIND_NETWORK_NOT_ALLOWED);
	weir_terms_free(terms);
	config.request = (struct weir_source)TEXT(
	    "wish", "{\"schema\":\"weir.request/1\",\"profile\":\"batch\"}");
	terms = make(&config);
	assert_int_equal(terms->refused, SUP_KIND_NONE);
	assert_string_equal(weir_terms_python(terms), "/p");
	weir_terms_free(terms);
	config.profile = "default";
	terms = make(&config);
	assert_int_equal(terms->refused, SUP_KIND_POLICY_REFUSED);
	/* it is the deployment's profile that counts */
	assert_null(weir_terms_python(terms));
	weir_terms_free(terms);
}

/* The way of confining bounds the level, and whoever names it has to agree. */
static void
t_levels_and_ways(void **state)
{
	struct weir_terms_config config = {.level_given = true,
	    .level = WEIR_LEVEL_PROCESS,
	    .backend = WEIR_BACKEND_PROCESS};
	const struct weir_source wish = TEXT(
	    "wish", "{\"schema\":\"weir.request/1\",\"level\":\"isolated\"}");
	struct weir_terms *terms = make(&config);

	(void)state;
	assert_int_equal(terms->bounds.level, SUP_LEVEL_PROCESS);
	assert_int_equal(terms->refused, SUP_KIND_NONE);
	weir_terms_free(terms);
	config.request = wish;
	terms = make(&config);
	assert_int_equal(terms->refused, SUP_KIND_POLICY_REFUSED);
	assert_string_equal(terms->refusal,
	    "the request asks for level isolated, and process is the most "
	    "that can be had");
	weir_terms_free(terms);
	/* with every way open it is only a higher least */
	config.backend = WEIR_BACKEND_ANY;
	terms = make(&config);
	assert_int_equal(terms->bounds.level, SUP_LEVEL_ISOLATED);
	assert_int_equal(terms->refused, SUP_KIND_NONE);
	weir_terms_free(terms);
	refuse(&(struct weir_terms_config){.backend = WEIR_BACKEND_PROCESS},
	    "backend process reaches level process at most; ask for --level "
	    "process too");
	refuse(&(struct weir_terms_config){.unconfined = true,
		   .level_given = true,
		   .level = WEIR_LEVEL_PROCESS},
	    "unconfined contradicts a level or a backend; ask for one of "
	    "them");
	terms = make(&(struct weir_terms_config){.unconfined = true});
	assert_int_equal(terms->bounds.level, SUP_LEVEL_NONE);
	assert_true(terms->unconfined);
	assert_int_equal(terms->refused, SUP_KIND_NONE);
	weir_terms_free(terms);
	terms = make(
	    &(struct weir_terms_config){.unconfined = true, .request = wish});
	assert_int_equal(terms->refused, SUP_KIND_POLICY_REFUSED);
	weir_terms_free(terms);
}

/* Granted by the deployment, taken away by a policy or a request. */
static void
t_the_network(void **state)
{
	static const struct weir_source asks =
	    TEXT("wish", "{\"schema\":\"weir.request/1\",\"network\":true}");
	static const struct weir_source higher = TEXT(
	    "wish", "{\"schema\":\"weir.request/1\",\"level\":\"isolated\"}");
	static const struct weir_source without = TEXT("wish",
	    "{\"schema\":\"weir.request/1\",\"level\":\"isolated\","
	    "\"network\":false}");
	static const struct weir_source closed =
	    TEXT("tenant", "{\"schema\":\"weir.policy/1\",\"network\":false}");
	static const struct weir_source open = TEXT("deployment",
	    "{\"schema\":\"weir.profiles/1\",\"profiles\":{\"default\":"
	    "{\"level\":\"process\",\"network\":true}}}");
	struct weir_terms_config config = {.network = true};
	struct weir_terms *terms;

	(void)state;
	refuse(&config,
	    "network: level process is the most with it; ask for --level "
	    "process too");
	config.level_given = true;
	refuse(&config,
	    "network: level process is the most with it; ask for --level "
	    "process too");
	/* a profile's grant and a level that the command line asks for */
	refuse(
	    &(struct weir_terms_config){.profiles = open, .level_given = true},
	    "network: level process is the most with it; ask for --level "
	    "process too");
	terms = make(
	    &(struct weir_terms_config){.network = true, .unconfined = true});
	assert_int_equal(terms->refused, SUP_KIND_NONE);
	weir_terms_free(terms);
	for (size_t i = 0; i < 2; i++) {
		config = (struct weir_terms_config){.network = i == 0,
		    .level_given = i == 0,
		    .level = WEIR_LEVEL_PROCESS};
		if (i == 1)
			config.profiles = open;
		terms = make(&config);
		assert_true(terms->bounds.network);
		assert_int_equal(terms->bounds.level, SUP_LEVEL_PROCESS);
		weir_terms_free(terms);
		config.request = asks;
		terms = make(&config);
		assert_true(terms->bounds.network);
		assert_int_equal(terms->refused, SUP_KIND_NONE);
		weir_terms_free(terms);
		config.request = higher;
		terms = make(&config);
		assert_int_equal(terms->refused, SUP_KIND_POLICY_REFUSED);
		assert_string_equal(terms->refusal,
		    "the request asks for level isolated, and process is the "
		    "most with the network");
		weir_terms_free(terms);
		config.request = without;
		terms = make(&config);
		assert_int_equal(terms->refused, SUP_KIND_NONE);
		assert_false(terms->bounds.network);
		assert_int_equal(terms->bounds.level, SUP_LEVEL_ISOLATED);
		weir_terms_free(terms);
		config.request = asks;
		config.policy = closed;
		terms = make(&config);
		assert_false(terms->bounds.network);
		assert_int_equal(terms->refused, SUP_KIND_NETWORK_NOT_ALLOWED);
		assert_string_equal(terms->refusal,
		    "the request asks for the network, and the tenant policy "
		    "does not grant it");
		weir_terms_free(terms);
	}
}

static void
t_errors_name_the_text(void **state)
{
	const struct weir_limit fixed[] = {{"program", 1}};
	char name[301];

	(void)state;
	refuse(&(struct weir_terms_config){.policy = TEXT("tenant 7", "{")},
	    "tenant 7:1:2: the text ends before its value does (truncated)");
	refuse(&(struct weir_terms_config){.policy = TEXT(NULL, "[]")},
	    "text:1:1: is an array; write an object");
	refuse(
	    &(struct weir_terms_config){.profiles = profiles, .profile = "a/b"},
	    "profile: not the name of one; use 1 to 64 letters, digits, '_', "
	    "'.' and '-'");
	refuse(&(struct weir_terms_config){.profile = "a"},
	    "profile \"a\": no profiles are configured; give a file of "
	    "profiles, or name none");
	refuse(&(struct weir_terms_config){.limits = fixed, .limit_count = 1},
	    "limit program: there is no such limit");
	/* of a long name the end */
	memset(name, 'n', sizeof(name) - 1);
	name[300] = '\0';
	name[99] = 'X';
	name[100] = 'Y';
	{
		struct weir_terms_config config = {.policy = TEXT(name, "[]")};
		char error[WEIR_ERROR_MAX];
		enum weir_fault fault;

		assert_null(weir_terms_new(&config, &fault, error));
		assert_memory_equal(error, "...Yn", 5);
		assert_non_null(strstr(error, "n:1:1: is an array"));
	}
}

/* Terms are of one owner when tenant, policy and profile are the same, and
 * of two when any of them is another. */
static void
t_owners(void **state)
{
	static const struct weir_source other = TEXT("tenant 8",
	    "{\"schema\":\"weir.policy/1\",\"limits\":{\"wall\":\"10m\"},"
	    "\"tools\":[\"a\"]}");
	static const struct weir_source wish =
	    TEXT("r", "{\"schema\":\"weir.request/1\",\"profile\":\"batch\"}");
	struct weir_terms_config configs[] = {
	    {.profiles = profiles},
	    {.profiles = profiles, .tenant = ""},
	    {.profiles = profiles, .tenant = "a"},
	    {.profiles = profiles, .tenant = "ab"},
	    {.profiles = profiles, .tenant = "a", .profile = "batch"},
	    {.profiles = profiles, .policy = policy},
	    {.profiles = profiles, .policy = other},
	};
	const size_t count = sizeof(configs) / sizeof(configs[0]);
	struct weir_terms *terms[sizeof(configs) / sizeof(configs[0])];
	struct weir_terms *same;

	(void)state;
	for (size_t i = 0; i < count; i++)
		terms[i] = make(&configs[i]);
	for (size_t i = 0; i < count; i++) {
		for (size_t j = 0; j < i; j++)
			assert_memory_not_equal(terms[i]->owner,
			    terms[j]->owner, sizeof(terms[i]->owner));
		same = make(&configs[i]);
		assert_memory_equal(
		    terms[i]->owner, same->owner, sizeof(same->owner));
		weir_terms_free(same);
	}
	/* By whoever's word. */
	configs[2].request = wish;
	same = make(&configs[2]);
	assert_memory_equal(terms[4]->owner, same->owner, sizeof(same->owner));
	weir_terms_free(same);
	for (size_t i = 0; i < count; i++)
		weir_terms_free(terms[i]);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(t_nothing_configured_is_the_built_in_profile),
	    cmocka_unit_test(t_texts_are_not_kept),
	    cmocka_unit_test(t_an_execution_only_narrows_its_terms),
	    cmocka_unit_test(t_limits_of_the_host_speak_for_the_deployment),
	    cmocka_unit_test(t_wishes_are_refused_as_data),
	    cmocka_unit_test(t_levels_and_ways),
	    cmocka_unit_test(t_the_network),
	    cmocka_unit_test(t_owners),
	    cmocka_unit_test(t_errors_name_the_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
