#include "supervisor/terms_load.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "supervisor/explain.h"
#include "supervisor/profile_where.h"
#include "supervisor/sys.h"

static const char *const voice_words[SUP_VOICES] = {
    [SUP_VOICE_BACKEND] = "built-in profile",
    [SUP_VOICE_DEPLOYMENT] = "deployment",
    [SUP_VOICE_POLICY] = "tenant policy",
    [SUP_VOICE_REQUEST] = "request",
};

/* --- reading -------------------------------------------------------------- */

struct loader {
	struct weir_terms *terms;
	const struct weir_terms_config *config;
	struct wire_json_scratch scratch;
	void *scratch_mem;
	struct sup_profile *spare; /* two */
	char *error;
	enum weir_fault fault;
};

static bool
out_of_memory(struct loader *loader)
{
	loader->fault = WEIR_FAULT_OTHER;
	sup_explain(loader->error, "out of memory");
	return false;
}

static bool
open_loader(struct loader *loader)
{
	uint64_t seed;

	if (loader->config->profiles.text == NULL &&
	    loader->config->policy.text == NULL &&
	    loader->config->request.text == NULL)
		return true;
	loader->scratch_mem = malloc(wire_json_scratch_size(SUP_PROFILE_KEYS));
	loader->spare = calloc(2, sizeof(*loader->spare));
	if (loader->scratch_mem == NULL || loader->spare == NULL)
		return out_of_memory(loader);
	if (sup_sys_random(&seed, sizeof(seed)) < 0) {
		loader->fault = WEIR_FAULT_OTHER;
		sup_explain(
		    loader->error, "getrandom: no random numbers to be had");
		return false;
	}
	wire_json_scratch_init(
	    &loader->scratch, loader->scratch_mem, SUP_PROFILE_KEYS, seed);
	return true;
}

/* The text of one format, if there is one, into terms->texts. */
static bool
load(struct loader *loader, enum sup_format format,
    const struct weir_source *source, const char *name)
{
	struct weir_terms *terms = loader->terms;
	struct sup_profile_memory memory = {
	    .scratch = &loader->scratch, .spare = loader->spare};
	struct sup_profile_problem problem;

	if (source->text == NULL)
		return true;
	free(terms->texts[format]);
	free(terms->arenas[format]);
	terms->texts[format] = calloc(1, sizeof(*terms->texts[format]));
	terms->arenas[format] = malloc(source->len + 1);
	if (terms->texts[format] == NULL || terms->arenas[format] == NULL)
		return out_of_memory(loader);
	memory.arena = terms->arenas[format];
	if (sup_profile_read(format,
		(struct wire_span){(const uint8_t *)source->text, source->len},
		name, &memory, terms->texts[format], &problem) == WIRE_OK)
		return true;
	sup_explain_place(loader->error, source, problem.offset, problem.text);
	return false;
}

/* Whose profile it is, the configuration's or the request's. */
static bool
load_profile(struct loader *loader)
{
	const struct weir_terms_config *config = loader->config;
	const struct sup_profile *request =
	    loader->terms->texts[SUP_FORMAT_REQUEST];
	const char *wished = request != NULL ? request->profile : NULL;
	const char *chosen = config->profile;

	if (chosen != NULL && !sup_profile_is_name(chosen)) {
		sup_explain(loader->error,
		    "profile: not the name of one; use 1 to 64 letters, "
		    "digits, '_', '.' and '-'");
		return false;
	}
	if (config->profiles.text == NULL &&
	    (chosen != NULL || wished != NULL)) {
		sup_explain(loader->error,
		    "profile \"%s\": no profiles are configured; give a file "
		    "of profiles, or name none",
		    chosen != NULL ? chosen : wished);
		return false;
	}
	/* One that does not exist is an error, also where another is taken. */
	if (wished != NULL &&
	    !load(loader, SUP_FORMAT_PROFILES, &config->profiles, wished))
		return false;
	if (wished != NULL && chosen != NULL && strcmp(wished, chosen) != 0) {
		loader->terms->refused = SUP_KIND_POLICY_REFUSED;
		(void)snprintf(loader->terms->refusal,
		    sizeof(loader->terms->refusal),
		    "the request asks for profile \"%s\", and the deployment "
		    "gives profile \"%s\"",
		    wished, chosen);
	}
	return (wished != NULL && chosen == NULL) ||
	    load(loader, SUP_FORMAT_PROFILES, &config->profiles, chosen);
}

/* --- narrowing ------------------------------------------------------------ */

static bool
take_limits(const struct weir_limit *given, size_t count,
    uint64_t limits[SUP_LIMITS], uint32_t *ret_given,
    char error[WEIR_ERROR_MAX])
{
	for (size_t i = 0; i < count; i++) {
		const char *name = given[i].name;
		enum sup_limit limit = sup_limit_from(
		    (struct wire_span){(const uint8_t *)name, strlen(name)});

		if (limit == SUP_LIMITS || !sup_limit_spec(limit)->settable) {
			sup_explain(
			    error, "limit %s: there is no such limit", name);
			return false;
		}
		limits[limit] = given[i].value;
		*ret_given |= UINT32_C(1) << limit;
	}
	return true;
}

/* Who stands in the way of the network, or of the level. */
static void
explain_refusal(struct weir_terms *terms)
{
	const struct sup_bounds *bounds = &terms->bounds;
	enum sup_voice voice;

	if (terms->refused == SUP_KIND_NETWORK_NOT_ALLOWED) {
		/* The policy's word is the nearest one to the tenant. */
		for (voice = SUP_VOICE_POLICY; voice > SUP_VOICE_BACKEND;
		     voice--)
			if (!terms->said[voice].network)
				break;
		(void)snprintf(terms->refusal, sizeof(terms->refusal),
		    "the request asks for the network, and the %s does not "
		    "grant it",
		    voice_words[voice]);
		return;
	}
	for (voice = SUP_VOICE_DEPLOYMENT; voice < SUP_VOICE_REQUEST; voice++)
		if (terms->said[voice].level == bounds->level)
			break;
	(void)snprintf(terms->refusal, sizeof(terms->refusal),
	    "the %s asks for level %s, and %s is the most %s",
	    voice_words[voice], sup_level_word(bounds->level),
	    sup_level_word(sup_narrow_level_most(bounds)),
	    bounds->network && bounds->level_most > SUP_LEVEL_PROCESS
		? "with the network"
		: "that can be had");
}

const char *
sup_terms_way_problem(
    enum sup_level level, enum weir_backend backend, bool unconfined)
{
	if (unconfined &&
	    (level == SUP_LEVEL_PROCESS || backend != WEIR_BACKEND_ANY))
		return "unconfined contradicts a level or a backend; ask for "
		       "one of them";
	if (!unconfined && backend >= WEIR_BACKEND_PROCESS &&
	    level > SUP_LEVEL_PROCESS)
		return "backend process reaches level process at most; ask "
		       "for --level process too";
	return NULL;
}

/* What the deployment says; of the level the configuration's word first. */
static bool
bound_deployment(struct loader *loader)
{
	const struct weir_terms_config *config = loader->config;
	const struct sup_profile *profile =
	    loader->terms->texts[SUP_FORMAT_PROFILES];
	struct sup_bounds *bounds = &loader->terms->said[SUP_VOICE_DEPLOYMENT];
	enum sup_level level = config->level == WEIR_LEVEL_PROCESS
	    ? SUP_LEVEL_PROCESS
	    : SUP_LEVEL_ISOLATED;
	uint64_t limits[SUP_LIMITS] = {0};
	const char *problem;
	uint32_t given = 0;

	if (!take_limits(config->limits, config->limit_count, limits, &given,
		loader->error))
		return false;
	sup_bounds_deployment(profile, limits, given,
	    config->level_given ? &level : NULL, config->network, bounds);
	/* A profile's level is no contradiction to the one explicit option
	 * that does without (C1); an explicit level is. */
	problem =
	    sup_terms_way_problem(config->unconfined ? level : bounds->level,
		config->backend, config->unconfined);
	if (problem == NULL && !config->unconfined && bounds->network &&
	    bounds->level > SUP_LEVEL_PROCESS)
		problem = "network: level process is the most with it; ask "
			  "for --level process too";
	if (config->unconfined)
		bounds->level = SUP_LEVEL_NONE;
	if (config->halt_on_exhaust)
		bounds->halt_on_exhaust = true;
	if (problem != NULL)
		sup_explain(loader->error, "%s", problem);
	return problem == NULL;
}

static bool
narrow(struct loader *loader)
{
	const struct weir_terms_config *config = loader->config;
	struct weir_terms *terms = loader->terms;
	struct sup_profile *const *texts = terms->texts;
	enum sup_level most = SUP_LEVEL_ISOLATED;

	terms->backend = config->backend;
	terms->unconfined = config->unconfined;
	if (config->unconfined)
		most = SUP_LEVEL_NONE;
	else if (config->backend >= WEIR_BACKEND_PROCESS)
		most = SUP_LEVEL_PROCESS;
	for (size_t i = 0; i < SUP_VOICES; i++)
		sup_bounds_widest(&terms->said[i]);
	sup_bounds_backend(most, &terms->said[SUP_VOICE_BACKEND]);
	if (!bound_deployment(loader))
		return false;
	if (texts[SUP_FORMAT_POLICY] != NULL)
		sup_bounds_narrower(
		    texts[SUP_FORMAT_POLICY], &terms->said[SUP_VOICE_POLICY]);
	if (texts[SUP_FORMAT_REQUEST] != NULL) {
		sup_bounds_narrower(
		    texts[SUP_FORMAT_REQUEST], &terms->said[SUP_VOICE_REQUEST]);
		terms->requested = texts[SUP_FORMAT_REQUEST]->limits_given;
	}
	sup_bounds_widest(&terms->bounds);
	/* Only one of them lists tools: no room is needed for common ones. */
	for (size_t i = 0; i < SUP_VOICES; i++)
		sup_narrow(
		    &terms->bounds, &terms->said[i], NULL, &terms->bounds);
	if (terms->refused == SUP_KIND_NONE) {
		terms->refused = sup_narrow_refusal(&terms->bounds);
		if (terms->refused != SUP_KIND_NONE)
			explain_refusal(terms);
	}
	if (texts[SUP_FORMAT_PROFILES] != NULL)
		terms->python = texts[SUP_FORMAT_PROFILES]->python;
	return true;
}

/* Each text with its length, so that no two owners spell the same. */
static void
add_text(struct bind_sha256 *sha, const char *text, size_t len)
{
	/* What is not there is longer than anything. */
	size_t size = text != NULL ? len : SIZE_MAX;

	bind_sha256_add(
	    sha, (struct wire_span){(const uint8_t *)&size, sizeof(size)});
	if (text != NULL)
		bind_sha256_add(
		    sha, (struct wire_span){(const uint8_t *)text, len});
}

/* Whose terms these are, and by which profile. */
static void
sum_owner(struct loader *loader)
{
	const struct weir_terms_config *config = loader->config;
	const struct sup_profile *request =
	    loader->terms->texts[SUP_FORMAT_REQUEST];
	const char *profile = config->profile;
	const char *words[3];
	struct bind_sha256 sha;

	if (profile == NULL && request != NULL)
		profile = request->profile;
	words[0] = config->tenant;
	words[1] = config->policy.name;
	words[2] = profile;
	bind_sha256_init(&sha);
	for (size_t i = 0; i < 3; i++)
		add_text(
		    &sha, words[i], words[i] != NULL ? strlen(words[i]) : 0);
	add_text(&sha, config->policy.text, config->policy.len);
	bind_sha256_finish(&sha, loader->terms->owner);
}

struct weir_terms *
weir_terms_new(const struct weir_terms_config *config,
    enum weir_fault *ret_fault, char error[WEIR_ERROR_MAX])
{
	struct weir_terms *terms = calloc(1, sizeof(*terms));
	struct loader loader = {
	    .terms = terms,
	    .config = config,
	    .error = error,
	    .fault = WEIR_FAULT_REQUEST,
	};
	bool good =
	    terms != NULL ? open_loader(&loader) : out_of_memory(&loader);

	good = good &&
	    load(&loader, SUP_FORMAT_REQUEST, &config->request, NULL) &&
	    load(&loader, SUP_FORMAT_POLICY, &config->policy, NULL) &&
	    load_profile(&loader) && narrow(&loader) &&
	    sup_terms_grants(terms, config, &loader.fault, error);
	if (good)
		sum_owner(&loader);
	free(loader.scratch_mem);
	free(loader.spare);
	*ret_fault = good ? WEIR_FAULT_NONE : loader.fault;
	if (good)
		return terms;
	weir_terms_free(terms);
	return NULL;
}

const char *
weir_terms_python(const struct weir_terms *terms)
{
	return terms->python;
}

void
weir_terms_free(struct weir_terms *terms)
{
	if (terms == NULL)
		return;
	for (size_t i = 0; i < SUP_FORMATS; i++) {
		free(terms->texts[i]);
		free(terms->arenas[i]);
	}
	sup_grants_release(&terms->grants);
	free(terms);
}

/* --- an execution under terms --------------------------------------------- */

bool
sup_terms_limits(const struct weir_request *request,
    uint64_t limits[SUP_LIMITS], char error[WEIR_ERROR_MAX])
{
	const struct weir_terms *terms = request->terms;
	uint64_t wished[SUP_LIMITS];
	uint32_t given = 0;

	if (!take_limits(
		request->limits, request->limit_count, wished, &given, error))
		return false;
	for (size_t i = 0; i < SUP_LIMITS; i++) {
		limits[i] = terms != NULL
		    ? terms->bounds.limits[i]
		    : sup_limit_spec((enum sup_limit)i)->initial;
		if ((given >> i & 1) != 0 &&
		    (terms == NULL || wished[i] < limits[i]))
			limits[i] = wished[i];
	}
	return true;
}

/* Whose limit it is that stands. */
static enum sup_voice
clamped_by(const struct weir_terms *terms, size_t limit)
{
	enum sup_voice voice = SUP_VOICE_BACKEND;

	while (voice < SUP_VOICE_REQUEST &&
	    terms->said[voice].limits[limit] != terms->bounds.limits[limit])
		voice++;
	return voice;
}

static void
warn_clamped(struct weir_execution *e, const struct weir_terms *terms,
    size_t limit, uint64_t wished, const char *wisher)
{
	const struct sup_limit_spec *spec =
	    sup_limit_spec((enum sup_limit)limit);
	char from[SUP_UNITS_TEXT], to[SUP_UNITS_TEXT];

	if (wished <= terms->bounds.limits[limit])
		return;
	sup_exec_warn(e, "limit %s: clamped from %s (%s) to %s (%s)",
	    spec->word, sup_units_format(spec->unit, wished, from), wisher,
	    sup_units_format(spec->unit, terms->bounds.limits[limit], to),
	    voice_words[clamped_by(terms, limit)]);
}

void
sup_terms_warn(struct weir_execution *e, const struct weir_request *request)
{
	const struct weir_terms *terms = request->terms;
	uint64_t wished[SUP_LIMITS];
	uint32_t given = 0;
	char error[WEIR_ERROR_MAX];

	if (terms == NULL)
		return;
	for (size_t i = 0; i < SUP_LIMITS; i++) {
		enum sup_voice voice = (terms->requested >> i & 1) != 0
		    ? SUP_VOICE_REQUEST
		    : SUP_VOICE_DEPLOYMENT;

		warn_clamped(e, terms, i, terms->said[voice].limits[i],
		    voice_words[voice]);
	}
	if (!take_limits(
		request->limits, request->limit_count, wished, &given, error))
		return;
	for (size_t i = 0; i < SUP_LIMITS; i++)
		if ((given >> i & 1) != 0)
			warn_clamped(e, terms, i, wished[i], "execution");
}
