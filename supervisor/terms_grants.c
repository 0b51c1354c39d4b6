/*
 * The grants of terms: those of the profile, then those of who loads it.
 */
#include <string.h>

#include "supervisor/explain.h"
#include "supervisor/grant_check.h"
#include "supervisor/terms_load.h"

struct taker {
	struct sup_grants *grants;
	enum weir_fault *fault;
	char *error;
};

static bool
take_grant(struct taker *taker, enum weir_grant_kind kind, const char *text,
    const char *value)
{
	static const struct {
		const char *word;
		enum sup_grant_kind kind;
	} rows[] = {
	    [WEIR_GRANT_READ] = {"read", SUP_GRANT_READ},
	    [WEIR_GRANT_WRITE] = {"write", SUP_GRANT_WRITE},
	    [WEIR_GRANT_PACKAGES] = {"packages", SUP_GRANT_PACKAGES},
	    [WEIR_GRANT_ENV] = {"env", SUP_GRANT_KINDS},
	    [WEIR_GRANT_EXEC] = {"exec", SUP_GRANT_EXEC},
	};
	char problem[SUP_GRANT_TEXT];
	enum wire_err err;

	err = kind == WEIR_GRANT_ENV
	    ? sup_grants_add_variable(taker->grants, text, value, problem)
	    : sup_grants_add_path(
		  taker->grants, rows[kind].kind, text, problem);
	if (err == WIRE_ERR_NO_MEMORY) {
		*taker->fault = WEIR_FAULT_OTHER;
		sup_explain(taker->error, "out of memory");
	} else if (err != WIRE_OK) {
		sup_explain(taker->error, "%s: %s", rows[kind].word, problem);
	}
	return err == WIRE_OK;
}

/* NAME=VALUE. */
static bool
take_variable(struct taker *taker, const char *text)
{
	const char *equals = strchr(text, '=');
	char name[SUP_GRANT_NAME_MAX + 2];
	size_t len = equals != NULL ? (size_t)(equals - text) : 0;

	if (len == 0 || len >= sizeof(name)) {
		sup_explain(taker->error,
		    "env: a variable is granted as NAME=VALUE, its name of 1 "
		    "to 128 bytes");
		return false;
	}
	memcpy(name, text, len);
	name[len] = '\0';
	return take_grant(taker, WEIR_GRANT_ENV, name, equals + 1);
}

static bool
take_list(struct taker *taker, enum weir_grant_kind kind,
    const struct sup_profile_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		if (!take_grant(taker, kind, list->text[i], NULL))
			return false;
	return true;
}

static bool
take_profile(struct taker *taker, const struct sup_profile *p)
{
	if (!take_list(taker, WEIR_GRANT_READ, &p->read) ||
	    !take_list(taker, WEIR_GRANT_WRITE, &p->write) ||
	    !take_list(taker, WEIR_GRANT_PACKAGES, &p->packages) ||
	    !take_list(taker, WEIR_GRANT_EXEC, &p->exec))
		return false;
	for (size_t i = 0; i < p->env_count; i++)
		if (!take_grant(taker, WEIR_GRANT_ENV, p->env_names[i],
			p->env_values[i]))
			return false;
	return true;
}

/*
 * SECURITY: executables count only with processes, which are budgets of a tree
 * (C14). A deployment that grants them without is told so; what a policy takes
 * away is gone.
 */
static bool
settle_exec(struct weir_terms *terms, char error[WEIR_ERROR_MAX])
{
	const struct sup_bounds *said = &terms->said[SUP_VOICE_DEPLOYMENT];
	const struct sup_profile *policy = terms->texts[SUP_FORMAT_POLICY];
	char shown[SUP_EXPLAIN_NAME];

	for (size_t i = 0; i < terms->grants.path_count; i++) {
		const struct sup_grant *g = &terms->grants.paths[i];

		if (!g->execute || said->limits[SUP_LIMIT_PROCESSES] > 0)
			continue;
		sup_explain(error,
		    "exec: %s can be executed only where processes are "
		    "granted; add --limit processes=N, or leave it out",
		    sup_explain_name(g->path, shown));
		return false;
	}
	if (policy != NULL && policy->exec_given)
		sup_grants_keep_exec(
		    &terms->grants, policy->exec.text, policy->exec.count);
	return true;
}

bool
sup_terms_grants(struct weir_terms *terms,
    const struct weir_terms_config *config, enum weir_fault *fault,
    char error[WEIR_ERROR_MAX])
{
	struct taker taker = {&terms->grants, fault, error};
	const struct sup_profile *p = terms->texts[SUP_FORMAT_PROFILES];
	char text[SUP_GRANT_TEXT];

	if (p != NULL && !take_profile(&taker, p))
		return false;
	for (size_t i = 0; i < config->grant_count; i++) {
		const struct weir_grant *g = &config->grants[i];

		if (g->kind == WEIR_GRANT_ENV
			? !take_variable(&taker, g->text)
			: !take_grant(&taker, g->kind, g->text, NULL))
			return false;
	}
	for (size_t i = 0;
	     config->keep_off != NULL && config->keep_off[i] != NULL; i++)
		if (!sup_grants_keep_off(
			&terms->grants, config->keep_off[i], text)) {
			sup_explain(error, "grant: %s", text);
			return false;
		}
	return settle_exec(terms, error);
}
