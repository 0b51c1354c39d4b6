#include "supervisor/doctor_trial.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bsd/string.h>

#include "supervisor/kinds.h"
#include "supervisor/place.h"
#include "wire/json.h"

/* What is run: it says which Python it runs in. */
static const char program[] = "import sys\n"
			      "return '%d.%d.%d' % sys.version_info[:3]\n";

/* A result of that program takes far less. */
#define RESULT_MEMBERS 32
#define RESULT_KEYS    1024

static const enum weir_backend backends[SUP_WAY_COUNT] = {
    [SUP_WAY_ISOLATED] = WEIR_BACKEND_ISOLATED,
    [SUP_WAY_NAMESPACES] = WEIR_BACKEND_NAMESPACES,
    [SUP_WAY_PLAIN] = WEIR_BACKEND_PLAIN,
};

static void
on_finished(void *arg, struct weir_execution *execution)
{
	(void)arg;
	(void)execution;
}

static bool
open_context(struct sup_doctor_trial *trial, const char *python,
    const char *path, char error[WEIR_ERROR_MAX])
{
	char libexec[PATH_MAX];
	const struct weir_config config = {
	    .python = python,
	    .path = path,
	    .libexec = libexec,
	    .layers = ~UINT32_C(0),
	};
	enum weir_fault fault;
	int r = sup_place_libexec(libexec);

	if (r < 0) {
		(void)snprintf(
		    error, WEIR_ERROR_MAX, "/proc/self/exe: %s", strerror(-r));
		return false;
	}
	trial->weir = weir_new(&config, &fault, error);
	return trial->weir != NULL;
}

void
sup_doctor_way_request(enum sup_doctor_way way, struct weir_request *request)
{
	request->level =
	    way == SUP_WAY_ISOLATED ? WEIR_LEVEL_ISOLATED : WEIR_LEVEL_PROCESS;
	request->backend = backends[way];
}

struct weir_execution *
sup_doctor_execute(struct weir *weir, const struct weir_request *request,
    char error[WEIR_ERROR_MAX])
{
	const struct weir_events events = {.finished = on_finished};
	struct weir_execution *e = weir_start(weir, request, &events, error);

	while (e != NULL && !weir_is_finished(e)) {
		if (weir_dispatch(weir, -1))
			continue;
		(void)strlcpy(
		    error, "the event loop is broken", WEIR_ERROR_MAX);
		weir_execution_free(e);
		e = NULL;
	}
	return e;
}

/* False with a sentence in error: it could not be started. */
static bool
execute(struct sup_doctor_trial *trial, enum sup_doctor_way way,
    char error[WEIR_ERROR_MAX])
{
	/* Enough for any host on which it ends at all. */
	const struct weir_limit limits[] = {{"wall", 30ULL * 1000000000}};
	struct weir_request request = {
	    .program = program,
	    .program_len = sizeof(program) - 1,
	    .limits = limits,
	    .limit_count = 1,
	};

	sup_doctor_way_request(way, &request);
	trial->executions[way] =
	    sup_doctor_execute(trial->weir, &request, error);
	return trial->executions[way] != NULL;
}

/* The members of an object that is our own; 0 when it is none. */
static size_t
scan(struct wire_span object, struct wire_json_member members[RESULT_MEMBERS])
{
	struct wire_json_scratch scratch;
	void *memory = malloc(wire_json_scratch_size(RESULT_KEYS));
	size_t count = 0;

	if (memory == NULL)
		return 0;
	/* Any seed will do. */
	wire_json_scratch_init(&scratch, memory, RESULT_KEYS, 0);
	if (object.p == NULL ||
	    wire_json_scan_object(object, WIRE_MAX_DEPTH, &scratch, members,
		RESULT_MEMBERS, &count, NULL) != WIRE_OK)
		count = 0;
	free(memory);
	return count;
}

static struct wire_span
member(struct wire_span object, const char *name, enum wire_json_type type)
{
	struct wire_json_member members[RESULT_MEMBERS];
	size_t count = scan(object, members);

	for (size_t i = 0; i < count; i++)
		if (members[i].type == type &&
		    wire_json_text_equal(members[i].key,
			(struct wire_span){
			    (const uint8_t *)name, strlen(name)}))
			return members[i].value;
	return (struct wire_span){NULL, 0};
}

static void
take_result(struct sup_doctor_trial *trial, enum sup_doctor_way way,
    struct sup_doctor_way_is *is)
{
	struct weir_execution *e = trial->executions[way];
	const char *kind = weir_text(e, WEIR_TEXT_KIND, NULL);
	struct wire_span result, isolation, python;

	result.p = (const uint8_t *)weir_text(e, WEIR_TEXT_RESULT, &result.len);
	isolation = member(result, "isolation", WIRE_JSON_OBJECT);
	python = member(result, "value", WIRE_JSON_STRING);
	is->guarantees = member(isolation, "guarantees", WIRE_JSON_OBJECT);
	is->tried = isolation.len > 0;
	is->available = is->tried && kind == NULL;
	if (way == SUP_WAY_ISOLATED)
		trial->isolation = isolation;
	if (is->available && python.len < 32)
		trial->python = python;
	if (kind != NULL) {
		(void)strlcpy(is->error, weir_text(e, WEIR_TEXT_MESSAGE, NULL),
		    sizeof(is->error));
		(void)strlcpy(is->cure,
		    sup_kind_guidance(sup_kind_from((struct wire_span){
			(const uint8_t *)kind, strlen(kind)})),
		    sizeof(is->cure));
	} else if (!is->tried) {
		(void)strlcpy(
		    is->error, "its result cannot be read", sizeof(is->error));
	}
}

void
sup_doctor_trial_run(struct sup_doctor_trial *trial, const char *python,
    const char *path, struct sup_doctor_way_is ret_ways[SUP_WAY_COUNT])
{
	char error[WEIR_ERROR_MAX] = "";
	bool open = open_context(trial, python, path, error);

	for (int i = 0; i < SUP_WAY_COUNT; i++) {
		struct sup_doctor_way_is *is = &ret_ways[i];

		memset(is, 0, sizeof(*is));
		if (open && execute(trial, (enum sup_doctor_way)i, error)) {
			take_result(trial, (enum sup_doctor_way)i, is);
			continue;
		}
		(void)strlcpy(is->error, error, sizeof(is->error));
		(void)strlcpy(
		    is->cure, "see what weir run says", sizeof(is->cure));
	}
}

void
sup_doctor_trial_release(struct sup_doctor_trial *trial)
{
	for (int i = 0; i < SUP_WAY_COUNT; i++)
		weir_execution_free(trial->executions[i]);
	weir_free(trial->weir);
}
