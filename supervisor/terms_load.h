/*
 * Behind weir.h's struct weir_terms: from texts to bounds, and the sentences
 * that say what was narrowed and what is refused (C19).
 *
 * The texts are parsed once; an execution only reads what is here.
 */
#ifndef SUP_TERMS_LOAD_H
#define SUP_TERMS_LOAD_H

#include "bindings/sha256.h"
#include "supervisor/exec.h"
#include "supervisor/narrow.h"

enum sup_voice {
	SUP_VOICE_BACKEND,
	SUP_VOICE_DEPLOYMENT,
	SUP_VOICE_POLICY,
	SUP_VOICE_REQUEST,
	SUP_VOICES
};

struct weir_terms {
	struct sup_bounds bounds; /* what all of them leave */
	struct sup_bounds said[SUP_VOICES];
	uint32_t requested;    /* limits that the request names, as bits */
	enum sup_kind refused; /* NONE: executions can run */
	char refusal[SUP_MESSAGE_MAX]; /* and why */
	enum weir_backend backend;
	bool unconfined;
	const char *python; /* or NULL */
	/* A sum of the tenant, its policy and the profile. */
	uint8_t owner[BIND_SHA256_LEN];
	struct sup_grants grants;
	/* What the above points into, by format; NULL where there was no
	 * text. */
	struct sup_profile *texts[SUP_FORMATS];
	char *arenas[SUP_FORMATS];
};

/*
 * The limits of an execution: those of the terms, narrowed by the request's
 * own; without terms the defaults, with the request's in their place. False
 * with a sentence.
 */
bool sup_terms_limits(const struct weir_request *request,
    uint64_t limits[SUP_LIMITS], char error[WEIR_ERROR_MAX]);

/* Why the ways contradict each other, as a sentence; NULL: they do not. level
 * is the least that whoever names the way asks for. */
const char *sup_terms_way_problem(
    enum sup_level level, enum weir_backend backend, bool unconfined);

/* Resolves the grants of the profile and the configuration. False with a
 * sentence, and *fault where it is not the caller's. */
bool sup_terms_grants(struct weir_terms *terms,
    const struct weir_terms_config *config, enum weir_fault *fault,
    char error[WEIR_ERROR_MAX]);

/* Adds a warning for each limit that was clamped. */
void sup_terms_warn(
    struct weir_execution *execution, const struct weir_request *request);

#endif
