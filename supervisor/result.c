#include "supervisor/result.h"

#include <stdlib.h>
#include <string.h>

#include "supervisor/launch_root.h"
#include "supervisor/sys.h"

/* Everything beside the value, the streams and the child's texts (calls,
 * grades, grants, warnings): what is common, and the most it can be. */
#define FIXED_COMMON (32UL * 1024)
#define FIXED_MAX    (4096UL * 1024)

static struct wire_span
span_of(const char *text)
{
	return (struct wire_span){(const uint8_t *)text, strlen(text)};
}

static void
put_text(struct wire_out *out, const char *key, const char *text)
{
	wire_out_key(out, key);
	wire_out_lossy_string(out, span_of(text));
}

static void
put_uint(struct wire_out *out, const char *key, uint64_t value)
{
	wire_out_key(out, key);
	wire_out_uint(out, value);
}

/* A decoded JSON string of the child, or the fallback. */
static char *
decode_text(struct wire_span raw, size_t *ret_len)
{
	char *text = malloc(raw.len + 1);

	if (text == NULL ||
	    wire_json_unescape(raw, (uint8_t *)text, raw.len, ret_len) !=
		WIRE_OK) {
		free(text);
		return NULL;
	}
	text[*ret_len] = '\0';
	return text;
}

/* The texts of the error, as text: for weir_text and for the result. */
static void
take_texts(struct weir_execution *e)
{
	const struct sup_verdict *v = &e->verdict;

	if (v->kind == SUP_KIND_NONE)
		return;
	if (v->message[0] != '\0') {
		e->message = strdup(v->message);
		e->message_len = e->message != NULL ? strlen(v->message) : 0;
		return;
	}
	e->message = decode_text(e->done.message, &e->message_len);
	if (e->done.traceback.len > 0)
		e->traceback =
		    decode_text(e->done.traceback, &e->traceback_len);
}

static void
put_error(struct wire_out *out, const struct weir_execution *e)
{
	const struct sup_verdict *v = &e->verdict;
	bool theirs = v->message[0] == '\0';

	wire_out_key(out, "error");
	if (v->kind == SUP_KIND_NONE) {
		wire_out_null(out);
		return;
	}
	wire_out_begin_object(out);
	put_text(out, "kind", sup_kind_word(v->kind));
	wire_out_key(out, "message");
	/* The host's own words need no memory. */
	if (theirs)
		wire_out_lossy_string(out,
		    (struct wire_span){
			(const uint8_t *)e->message, e->message_len});
	else
		wire_out_lossy_string(out, span_of(v->message));
	wire_out_key(out, "traceback");
	if (e->traceback != NULL)
		wire_out_lossy_string(out,
		    (struct wire_span){
			(const uint8_t *)e->traceback, e->traceback_len});
	else
		wire_out_null(out);
	wire_out_key(out, "line");
	if (theirs && e->done.line > 0)
		wire_out_uint(out, e->done.line);
	else
		wire_out_null(out);
	put_text(out, "guidance", sup_kind_guidance(v->kind));
	/* SECURITY: a MemoryError, for one, is the program's word; whether
	 * memory was short is the host's (C15, S10). */
	wire_out_key(out, "claim");
	wire_out_bool(out, theirs);
	wire_out_end_object(out);
}

static void
put_stream(
    struct wire_out *out, const char *key, const struct sup_output *output)
{
	wire_out_key(out, key);
	wire_out_begin_object(out);
	put_uint(out, "bytes", output->bytes);
	put_uint(out, "captured", output->captured_len);
	put_uint(out, "omitted", sup_output_omitted(output));
	wire_out_end_object(out);
}

static void
put_call(struct wire_out *out, const struct bind_record_entry *entry)
{
	wire_out_begin_object(out);
	put_uint(out, "id", entry->id);
	wire_out_key(out, "tool");
	wire_out_lossy_string(out, entry->tool);
	put_text(out, "state", bind_call_state_word(entry->state));
	wire_out_key(out, "kind");
	if (entry->kind == WIRE_TOOL_NONE)
		wire_out_null(out);
	else
		wire_out_text(out, wire_tool_kind_word(entry->kind));
	put_uint(out, "argument_bytes", entry->argument_bytes);
	put_uint(out, "result_bytes", entry->result_bytes);
	put_uint(out, "ms", entry->ns / SUP_NS_PER_MS);
	wire_out_end_object(out);
}

static void
put_calls(struct wire_out *out, const struct bind_record_list *record)
{
	const struct bind_record_entry *entry;
	size_t cursor = 0;

	wire_out_key(out, "calls");
	wire_out_begin_object(out);
	put_uint(out, "total", bind_record_total(&record->totals));
	put_uint(out, "completed", record->totals.completed);
	put_uint(out, "failed", record->totals.failed);
	put_uint(out, "refused", record->totals.refused);
	put_uint(out, "unknown", record->totals.unknown);
	wire_out_key(out, "list");
	wire_out_begin_array(out);
	while ((entry = bind_record_list_next(record, &cursor)) != NULL)
		put_call(out, entry);
	wire_out_end_array(out);
	wire_out_end_object(out);
}

static void
put_meter(struct wire_out *out, const char *key, uint64_t used, uint64_t limit)
{
	wire_out_key(out, key);
	wire_out_begin_object(out);
	put_uint(out, "used", used);
	put_uint(out, "limit", limit);
	wire_out_end_object(out);
}

/* A Run's; null where the execution is a Run of its own. */
static void
put_run_meter(struct wire_out *out, const char *key,
    const struct bind_budget *budget, uint64_t used, uint64_t limit)
{
	if (budget->has_run) {
		put_meter(out, key, used, limit);
		return;
	}
	wire_out_key(out, key);
	wire_out_null(out);
}

/* The host's own counts, whatever the program says (S10). */
static void
put_budget(struct wire_out *out, const struct weir_execution *e)
{
	const struct bind_budget *b = &e->budget;
	const uint64_t *limits = e->terms.limits;

	wire_out_key(out, "budget");
	wire_out_begin_object(out);
	put_meter(out, "calls", b->calls, limits[SUP_LIMIT_CALLS]);
	put_meter(out, "total_bytes", b->bytes, limits[SUP_LIMIT_TOTAL_BYTES]);
	put_meter(out, "produced_bytes", b->produced,
	    limits[SUP_LIMIT_PRODUCED_BYTES]);
	put_meter(out, "kept_bytes", b->kept, limits[SUP_LIMIT_KEPT_BYTES]);
	put_meter(out, "total_tool_time_ms", b->time_ns / SUP_NS_PER_MS,
	    limits[SUP_LIMIT_TOTAL_TOOL_TIME] / SUP_NS_PER_MS);
	put_run_meter(
	    out, "run_calls", b, b->run.calls, limits[SUP_LIMIT_RUN_CALLS]);
	put_run_meter(
	    out, "run_bytes", b, b->run.bytes, limits[SUP_LIMIT_RUN_BYTES]);
	wire_out_key(out, "spent");
	if (b->spent != BIND_METER_NONE)
		wire_out_text(out, bind_meter_word(b->spent));
	else
		wire_out_null(out);
	wire_out_end_object(out);
}

/* How the limit was held; null where none was asked for. */
static void
put_memory(struct wire_out *out, const struct sup_memory_end *memory)
{
	static const char *const words[] = {
	    [SUP_MEMORY_CGROUP2] = "cgroup v2",
	    [SUP_MEMORY_CGROUP1] = "cgroup v1",
	    [SUP_MEMORY_WATCHDOG] = "watchdog",
	};

	wire_out_key(out, "memory");
	if (memory->by == SUP_MEMORY_NONE) {
		wire_out_null(out);
		return;
	}
	wire_out_begin_object(out);
	put_text(out, "by", words[memory->by]);
	put_uint(out, "limit_kb", memory->limit / 1024);
	put_uint(out, "peak_kb", memory->peak / 1024);
	wire_out_end_object(out);
}

static void
put_usage(struct wire_out *out, const struct weir_execution *e)
{
	uint64_t from = e->run_ns != 0 ? e->run_ns : e->started_ns;

	wire_out_key(out, "usage");
	wire_out_begin_object(out);
	put_uint(out, "wall_ms", (e->ended_ns - from) / SUP_NS_PER_MS);
	put_uint(out, "cpu_ms", e->facts.cpu_ns / SUP_NS_PER_MS);
	put_uint(out, "max_rss_kb", e->peak_kb);
	put_memory(out, &e->facts.memory);
	wire_out_end_object(out);
}

static void
put_isolation(struct wire_out *out, const struct weir_execution *e)
{
	const struct sup_grades *g = &e->grades;

	wire_out_key(out, "isolation");
	wire_out_begin_object(out);
	put_text(out, "level", sup_level_word(g->level));
	wire_out_key(out, "guarantees");
	wire_out_begin_object(out);
	for (size_t i = 0; i < SUP_GUARANTEE_COUNT; i++) {
		wire_out_key(out, sup_guarantee_word((enum sup_guarantee)i));
		wire_out_begin_object(out);
		put_text(out, "grade", sup_grade_word(g->grade[i]));
		put_text(out, "evidence", g->evidence[i]);
		wire_out_end_object(out);
	}
	wire_out_end_object(out);
	wire_out_end_object(out);
}

static void
put_paths(struct wire_out *out, const struct weir_execution *e, bool write)
{
	const struct wire_plan *plan = &e->launch->stub;

	wire_out_begin_array(out);
	/* Unconfined: whatever the caller may. */
	if (plan->backend == WIRE_BACKEND_NONE)
		wire_out_text(out, "/");
	for (size_t i = 0;
	     plan->backend != WIRE_BACKEND_NONE && i < e->launch->grants_from;
	     i++) {
		const struct wire_plan_mount *m = &plan->mounts[i];

		if (((m->flags & (WIRE_MOUNT_WRITE | WIRE_MOUNT_DEVICE)) !=
			0) == write)
			wire_out_lossy_string(out, span_of(m->target));
	}
	for (size_t i = 0; e->grants != NULL && i < e->grants->path_count; i++)
		if (write ? e->grants->paths[i].write
			  : e->grants->paths[i].read ||
			    (e->grants->paths[i].execute &&
				plan->processes > 0))
			wire_out_lossy_string(
			    out, span_of(e->grants->paths[i].path));
	/* Without a plan nothing was given. */
	if (write && plan->workspace != NULL) {
		wire_out_lossy_string(out, span_of(plan->workspace));
		if (plan->backend == WIRE_BACKEND_ISOLATED)
			wire_out_text(out, "/dev/shm");
	}
	wire_out_end_array(out);
}

/* Where what is written counts for no limit: the host's own places. */
static void
put_unmetered(struct wire_out *out, const struct weir_execution *e)
{
	size_t count = e->grants != NULL ? e->grants->path_count : 0;

	wire_out_begin_array(out);
	if (e->launch->stub.backend == WIRE_BACKEND_NONE)
		wire_out_text(out, "/");
	for (size_t i = 0; i < count; i++)
		if (e->grants->paths[i].write)
			wire_out_lossy_string(
			    out, span_of(e->grants->paths[i].path));
	wire_out_end_array(out);
}

/* What may be executed is what the rules say. */
static void
put_programs(struct wire_out *out, const struct weir_execution *e)
{
	const struct wire_plan *seal = &e->launch->seal;

	wire_out_begin_array(out);
	if (e->launch->stub.backend == WIRE_BACKEND_NONE)
		wire_out_text(out, "/");
	for (size_t i = 0; i < seal->rule_count; i++)
		if ((seal->rules[i].access & SUP_LANDLOCK_EXECUTE) != 0)
			wire_out_lossy_string(
			    out, span_of(seal->rules[i].path));
	wire_out_end_array(out);
}

/* All that the program was given, also what nobody asked for (C12). */
static void
put_granted(struct wire_out *out, const struct weir_execution *e)
{
	const struct wire_plan *plan = &e->launch->stub;
	bool unconfined = plan->backend == WIRE_BACKEND_NONE;

	wire_out_key(out, "granted");
	wire_out_begin_object(out);
	wire_out_key(out, "read");
	put_paths(out, e, false);
	wire_out_key(out, "mounted_below");
	wire_out_begin_array(out);
	for (size_t i = 0; i < e->launch->below_count; i++)
		wire_out_lossy_string(out, span_of(e->launch->below[i]));
	wire_out_end_array(out);
	wire_out_key(out, "write");
	put_paths(out, e, true);
	wire_out_key(out, "unmetered");
	put_unmetered(out, e);
	wire_out_key(out, "exec");
	put_programs(out, e);
	wire_out_key(out, "environment");
	wire_out_begin_array(out);
	for (size_t i = 0; i < plan->env_count; i++) {
		struct wire_span text = span_of(plan->env[i]);

		/* SECURITY: a value that was granted may be a secret. */
		if (i >= e->launch->variables_from)
			text.len = strcspn(plan->env[i], "=");
		if (plan->env[i] != e->launch->preload)
			wire_out_lossy_string(out, text);
	}
	wire_out_end_array(out);
	wire_out_key(out, "network");
	wire_out_bool(out, unconfined || e->launch->network);
	wire_out_key(out, "processes");
	/* Null: as many as the caller may have. */
	if (unconfined)
		wire_out_null(out);
	else
		wire_out_uint(out, plan->processes);
	wire_out_end_object(out);
}

static void
put_warnings(struct wire_out *out, const struct weir_execution *e)
{
	wire_out_key(out, "warnings");
	wire_out_begin_array(out);
	for (size_t i = 0; i < e->warning_count; i++)
		wire_out_lossy_string(out, span_of(e->warnings[i]));
	/* SECURITY: the program's own text, withheld like its output. */
	for (size_t i = 0;
	     i < e->done.warning_count && !e->facts.evidence_broken; i++) {
		size_t len = 0;
		char *text = decode_text(e->done.warnings[i], &len);

		if (text != NULL)
			wire_out_lossy_string(out,
			    (struct wire_span){(const uint8_t *)text, len});
		free(text);
	}
	wire_out_end_array(out);
}

static void
put_exit(struct wire_out *out, const struct sup_verdict *v)
{
	wire_out_key(out, "exit");
	wire_out_begin_object(out);
	put_text(out, "by", v->by_program ? "program" : "host");
	wire_out_key(out, "code");
	if (v->code >= 0)
		wire_out_uint(out, (uint64_t)v->code);
	else
		wire_out_null(out);
	wire_out_key(out, "signal");
	if (v->signal > 0)
		wire_out_uint(out, (uint64_t)v->signal);
	else
		wire_out_null(out);
	wire_out_end_object(out);
}

/* SECURITY: what ran under weaker terms than promised is withheld (S10). */
static void
put_preview(struct wire_out *out, const char *key,
    const struct sup_output *output, const struct weir_execution *e)
{
	wire_out_key(out, key);
	if (e->facts.evidence_broken)
		wire_out_text(out, "");
	else
		sup_output_preview(output, out);
}

static void
put_all(struct wire_out *out, const struct weir_execution *e)
{
	const struct sup_verdict *v = &e->verdict;

	wire_out_begin_object(out);
	put_text(out, "schema", SUP_RESULT_SCHEMA);
	put_text(out, "execution", e->id);
	wire_out_key(out, "ok");
	wire_out_bool(out, v->kind == SUP_KIND_NONE);
	wire_out_key(out, "value");
	if (v->has_value)
		wire_out_raw(out, e->done.value);
	else
		wire_out_null(out);
	wire_out_key(out, "returned");
	wire_out_bool(out, v->returned);
	put_preview(out, "stdout", &e->out, e);
	put_preview(out, "stderr", &e->err, e);
	wire_out_key(out, "streams");
	wire_out_begin_object(out);
	put_stream(out, "stdout", &e->out);
	put_stream(out, "stderr", &e->err);
	wire_out_end_object(out);
	put_error(out, e);
	wire_out_key(out, "limit_hit");
	if (v->limit_hit < SUP_LIMITS)
		wire_out_text(out, sup_limit_spec(v->limit_hit)->word);
	else
		wire_out_null(out);
	put_calls(out, &e->record);
	put_budget(out, e);
	put_usage(out, e);
	put_isolation(out, e);
	put_granted(out, e);
	put_warnings(out, e);
	put_exit(out, v);
	wire_out_end_object(out);
}

void
sup_result_build(struct weir_execution *e)
{
	static const char minimal[] =
	    "{\"schema\":\"" SUP_RESULT_SCHEMA "\",\"ok\":false,\"error\":"
	    "{\"kind\":\"setup\",\"message\":\"out of memory while the result "
	    "was written\"}}";
	size_t rest = sup_output_preview_max(&e->out) +
	    sup_output_preview_max(&e->err) + e->done.value.len +
	    (e->done_text_len - e->done.value.len) * 6;
	enum wire_err err = WIRE_ERR_NO_SPACE;
	uint8_t *buf = NULL;

	take_texts(e);
	for (size_t fixed = FIXED_COMMON;
	     err == WIRE_ERR_NO_SPACE && fixed <= FIXED_MAX; fixed *= 4) {
		struct wire_out out;

		free(buf);
		buf = malloc(rest + fixed);
		if (buf == NULL)
			break;
		/* A NUL ends it, for who does not ask for the length. */
		wire_out_init(&out, buf, rest + fixed - 1);
		put_all(&out, e);
		err = wire_out_finish(&out, &e->result_len);
	}
	if (buf != NULL && err == WIRE_OK) {
		buf[e->result_len] = '\0';
		e->result = (char *)buf;
		return;
	}
	free(buf);
	/* What the command exits with says the same. */
	e->verdict.kind = SUP_KIND_SETUP;
	e->verdict.detail = SUP_EXIT_PLAIN;
	e->verdict.has_value = false;
	e->result = strdup(minimal);
	e->result_len = e->result != NULL ? sizeof(minimal) - 1 : 0;
}
