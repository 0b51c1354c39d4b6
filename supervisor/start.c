/*
 * Starting an execution: terms, program, plans, then the child (weir.h).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "supervisor/exec.h"
#include "supervisor/exec_begin.h"
#include "supervisor/exec_io.h"
#include "supervisor/exec_ledger.h"
#include "supervisor/exec_mcp.h"
#include "supervisor/exec_trace.h"
#include "supervisor/explain.h"
#include "supervisor/grant_exec.h"
#include "supervisor/own.h"
#include "supervisor/sys.h"
#include "supervisor/terms_load.h"
#include "supervisor/weir.h"
#include "wire/utf8.h"

static bool
out_of_memory(struct weir *weir, char error[WEIR_ERROR_MAX])
{
	weir->fault = WEIR_FAULT_OTHER;
	sup_explain(error, "out of memory");
	return false;
}

/* The least level, and the way to it, as far as they agree. */
static bool
take_level(struct weir_execution *e, const struct weir_request *request,
    char error[WEIR_ERROR_MAX])
{
	const struct weir_terms *terms = request->terms;
	struct sup_terms *t = &e->terms;
	enum weir_backend backend =
	    terms != NULL ? terms->backend : request->backend;
	const char *problem;

	t->unconfined = terms != NULL ? terms->unconfined : request->unconfined;
	t->only_isolated = backend == WEIR_BACKEND_ISOLATED;
	t->only_process = backend >= WEIR_BACKEND_PROCESS;
	t->only_spaces = backend == WEIR_BACKEND_NAMESPACES;
	t->only_plain = backend == WEIR_BACKEND_PLAIN;
	/* Of terms all of it was checked when they were made. */
	if (terms != NULL) {
		t->level = terms->bounds.level;
		t->network = terms->bounds.network;
		return true;
	}
	t->level = request->level == WEIR_LEVEL_PROCESS ? SUP_LEVEL_PROCESS
							: SUP_LEVEL_ISOLATED;
	problem = sup_terms_way_problem(t->level, backend, t->unconfined);
	if (t->unconfined)
		t->level = SUP_LEVEL_NONE;
	if (problem != NULL)
		sup_explain(error, "%s", problem);
	return problem == NULL;
}

static bool
keep_off(const struct weir_execution *e, char error[WEIR_ERROR_MAX])
{
	char text[SUP_GRANT_TEXT];

	if (sup_own_keep_off(e->weir, e->grants, text))
		return true;
	sup_explain(error, "grant: %s", text);
	return false;
}

static bool
make_terms(struct weir_execution *e, const struct weir_request *request,
    char error[WEIR_ERROR_MAX])
{
	uint64_t limits[SUP_LIMITS];
	struct wire_errinfo info = {"", 0, 0};

	if (!sup_terms_limits(request, limits, error))
		return false;
	if (sup_terms_make(limits, e->weir->layers, &e->terms, &info) !=
	    WIRE_OK) {
		sup_explain(error, "limit %s", info.site);
		return false;
	}
	e->terms.core_is_pipe = e->weir->core_is_pipe;
	e->terms.halt_on_exhaust = request->halt_on_exhaust;
	if (request->terms != NULL) {
		if (request->terms->bounds.halt_on_exhaust)
			e->terms.halt_on_exhaust = true;
		e->terms.require = request->terms->bounds.require;
		if (!request->terms->bounds.tools.all)
			e->only = &request->terms->bounds.tools;
		e->grants = &request->terms->grants;
		e->owner = request->terms->owner;
		if (!keep_off(e, error))
			return false;
	}
	return take_level(e, request, error);
}

static bool
check_programs(const struct weir_execution *e, char error[WEIR_ERROR_MAX])
{
	char text[SUP_GRANT_TEXT];

	if (e->grants == NULL || e->terms.unconfined ||
	    e->terms.limits[SUP_LIMIT_PROCESSES] == 0 ||
	    sup_exec_check(e->grants, e->weir->interp.path,
		e->weir->idmap.own && e->weir->can_change_ids, text))
		return true;
	sup_explain(error, "exec: %s", text);
	return false;
}

static bool
take_trace(struct weir_execution *e, const struct weir_request *request,
    char error[WEIR_ERROR_MAX])
{
	if (!request->trace)
		return true;
	if (e->terms.unconfined) {
		sup_explain(error,
		    "without confinement no system call is refused, and there "
		    "is nothing to trace; leave one of the two out");
		return false;
	}
	return sup_exec_trace_new(e) || out_of_memory(e->weir, error);
}

static bool
take_program(struct weir_execution *e, const struct weir_request *request,
    char error[WEIR_ERROR_MAX])
{
	struct wire_span text = {
	    (const uint8_t *)request->program, request->program_len};
	size_t valid;

	if (text.len > e->terms.limits[SUP_LIMIT_PROGRAM]) {
		sup_explain(error,
		    "the program is %zu bytes; at most %zu are taken: move "
		    "data out of it and behind a tool",
		    text.len, (size_t)e->terms.limits[SUP_LIMIT_PROGRAM]);
		return false;
	}
	valid = wire_utf8_valid_prefix(text);
	if (valid != text.len) {
		sup_explain(error,
		    "the program is not UTF-8: byte %zu; convert it to UTF-8",
		    valid);
		return false;
	}
	e->program = malloc(text.len + 1);
	if (e->program == NULL)
		return out_of_memory(e->weir, error);
	memcpy(e->program, text.p, text.len);
	e->program[text.len] = '\0';
	e->program_len = text.len;
	return true;
}

static bool
name_execution(struct weir_execution *e)
{
	uint8_t random[(SUP_EXECUTION_ID - 1) / 2];

	if (sup_sys_random(random, sizeof(random)) < 0)
		return false;
	for (size_t i = 0; i < sizeof(random); i++)
		(void)snprintf(e->id + 2 * i, 3, "%02x", random[i]);
	return true;
}

/* Whether the request itself could work. */
static bool
accept_request(struct weir_execution *e, const struct weir_request *request,
    char error[WEIR_ERROR_MAX])
{
	if (!make_terms(e, request, error) || !check_programs(e, error) ||
	    !take_trace(e, request, error) || !take_program(e, request, error))
		return false;
	/* W13: what could not work fails before anything is started. */
	if (sup_exec_run_max(e) > WIRE_MAX_FRAME) {
		sup_explain(error,
		    "the names of %zu tools do not fit the frame that offers "
		    "them; offer fewer",
		    bind_catalogue_count(e->weir->catalogue));
		return false;
	}
	e->launch = calloc(1, sizeof(*e->launch));
	if (e->launch == NULL)
		return out_of_memory(e->weir, error);
	e->launch->stub_plan_fd = e->launch->seal_plan_fd = -1;
	if (!name_execution(e)) {
		e->weir->fault = WEIR_FAULT_OTHER;
		sup_explain(error, "getrandom: no random numbers to be had");
		return false;
	}
	return true;
}

/* Which ways to make the child the terms allow, the strongest first; those
 * that the host has refused before are not tried again. */
static void
choose_attempts(struct weir_execution *e)
{
	const struct sup_terms *t = &e->terms;

	e->first_attempt = e->last_attempt = SUP_ATTEMPT_ISOLATED;
	if (t->unconfined) {
		e->first_attempt = e->last_attempt = SUP_ATTEMPT_PLAIN;
	} else if (t->level == SUP_LEVEL_PROCESS && !t->only_isolated) {
		e->last_attempt = SUP_ATTEMPT_PLAIN;
		if (t->only_process)
			e->first_attempt = SUP_ATTEMPT_SPACES;
		if (t->only_spaces)
			e->last_attempt = SUP_ATTEMPT_SPACES;
		if (t->only_plain)
			e->first_attempt = SUP_ATTEMPT_PLAIN;
	}
	e->attempt = e->first_attempt;
	while (
	    e->attempt < e->weir->first_attempt && e->attempt < e->last_attempt)
		e->attempt++;
}

static void
first_warnings(struct weir_execution *e)
{
	if (e->terms.unconfined)
		sup_exec_warn(e,
		    "unconfined: no namespaces, no Landlock, no seccomp; the "
		    "program had the caller's rights");
	if (e->terms.network && !e->terms.unconfined)
		sup_exec_warn(e,
		    "network: granted; the program could reach all that the "
		    "host can, its loopback and internal services included");
	if (e->weir->interp.warning[0] != '\0')
		sup_exec_warn(e, "%s", e->weir->interp.warning);
	if (e->terms.cpu_rounded)
		sup_exec_warn(e,
		    "limit cpu: the kernel counts whole seconds; rounded up "
		    "to %llu s",
		    (unsigned long long)e->terms.cpu_seconds);
}

struct weir_execution *
weir_start(struct weir *weir, const struct weir_request *request,
    const struct weir_events *events, char error[WEIR_ERROR_MAX])
{
	struct weir_execution *e = calloc(1, sizeof(*e));
	struct wire_errinfo info = {"", 0, 0};
	enum wire_err err;

	weir->fault = WEIR_FAULT_REQUEST;
	if (e == NULL) {
		(void)out_of_memory(weir, error);
		return NULL;
	}
	e->weir = weir;
	e->events = *events;
	e->wake.ready = sup_exec_woken;
	sup_exec_reset(e);
	if (!accept_request(e, request, error)) {
		sup_exec_destroy(e);
		return NULL;
	}
	if (!sup_exec_ledger_open(e, request->run, error)) {
		sup_exec_destroy(e);
		return NULL;
	}
	choose_attempts(e);
	if (request->terms != NULL &&
	    request->terms->refused != SUP_KIND_NONE) {
		sup_terms_warn(e, request);
		e->last_attempt = e->attempt;
		e->next = weir->executions;
		weir->executions = e;
		sup_exec_refuse(
		    e, request->terms->refused, request->terms->refusal);
		return e;
	}
	if (weir->mcp != NULL) {
		first_warnings(e);
		sup_terms_warn(e, request);
		e->next = weir->executions;
		weir->executions = e;
		sup_exec_mcp_begin(e);
		return e;
	}
	/* Where the host cannot give what is needed, the execution ends before
	 * it began, as a result like any other. */
	err = sup_exec_prepare(e, &info);
	if (err == WIRE_ERR_BAD_ARGUMENT) {
		sup_explain(error, "%s", info.site);
		sup_exec_destroy(e);
		return NULL;
	}
	first_warnings(e);
	sup_terms_warn(e, request);
	e->next = weir->executions;
	weir->executions = e;
	if (err == WIRE_OK)
		sup_exec_begin(e);
	else
		sup_exec_fail(e, &info);
	return e;
}
