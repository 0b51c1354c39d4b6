#include "bindings/message.h"

#include "bindings/kinds.h"
#include "wire/utf8.h"

void
bind_message_whole(struct bind_text *text, struct wire_span name,
    enum wire_tool_kind kind, struct wire_span what)
{
	if (what.len > BIND_MESSAGE_MAX)
		what.len = wire_utf8_floor(what, BIND_MESSAGE_MAX);
	bind_text_add_escaped(text, name);
	bind_text_add(text, ": ");
	if (what.len > 0) {
		bind_text_add_span(text, what);
		bind_text_add(text, what.p[what.len - 1] == '.' ? " " : ". ");
	}
	bind_text_add(text, bind_kind_guidance(kind));
}

static void
add_limit(struct bind_text *text, const char *before, uint64_t limit,
    const char *after)
{
	bind_text_add(text, before);
	bind_text_add_uint(text, limit);
	bind_text_add(text, after);
}

static void
add_spent(struct bind_text *text, const struct bind_budget *budget)
{
	const struct bind_limits *limits = &budget->limits;
	const struct {
		uint64_t limit;
		const char *of;
	} words[BIND_METERS] = {
	    [BIND_METER_NONE] = {limits->total_bytes, " bytes ("},
	    [BIND_METER_CALLS] = {limits->calls, " calls ("},
	    [BIND_METER_BYTES] = {limits->total_bytes, " bytes ("},
	    [BIND_METER_PRODUCED] = {limits->produced_bytes,
		" bytes of results ("},
	    [BIND_METER_TIME] = {limits->total_time_ns / 1000000,
		" ms of tool time ("},
	    [BIND_METER_RUN_CALLS] = {budget->run.calls_max,
		" calls of the Run ("},
	    [BIND_METER_RUN_BYTES] = {budget->run.bytes_max,
		" bytes of the Run ("},
	};

	add_limit(text, "the budget of ", words[budget->spent].limit,
	    words[budget->spent].of);
	bind_text_add(text, bind_meter_word(budget->spent));
	bind_text_add(text, ") is spent");
}

void
bind_message_refused(struct bind_text *text, enum wire_tool_kind kind,
    const struct bind_budget *budget, uint64_t argument_bytes)
{
	if (kind == WIRE_TOOL_NOT_OFFERED) {
		bind_text_add(text, "no such tool is offered");
	} else if (kind == WIRE_TOOL_BUDGET_SPENT) {
		add_spent(text, budget);
	} else if (kind == WIRE_TOOL_ARGUMENTS_TOO_LARGE) {
		add_limit(text, "the arguments are ", argument_bytes, " bytes");
		add_limit(text, ", over the limit of ",
		    budget->limits.argument_bytes, " (argument_bytes)");
	} else if (kind == WIRE_TOOL_RESULT_TOO_LARGE) {
		add_limit(text, "the result is over the limit of ",
		    budget->limits.result_bytes, " bytes (result_bytes)");
	} else if (kind == WIRE_TOOL_NOT_RECORDED) {
		bind_text_add(text, "the record of calls cannot be written");
	} else if (kind == WIRE_TOOL_UNREACHABLE) {
		bind_text_add(text, "the host has no memory for this call");
	} else if (kind == WIRE_TOOL_CANCELLED) {
		bind_text_add(text, "the execution is ending");
	} else {
		bind_text_add(text, "refused before it ran");
	}
}

void
bind_message_not_kept(
    struct bind_text *text, enum wire_err err, uint64_t size, uint64_t max)
{
	if (err == WIRE_ERR_NO_MEMORY) {
		bind_text_add(
		    text, "the host has no memory to keep the result");
		return;
	}
	if (err == WIRE_ERR_SYSTEM) {
		bind_text_add(text, "the host has no handle for the result");
		return;
	}
	add_limit(text, "the result is ", size, " bytes");
	add_limit(text, ", and there is no room for it beside what is kept of ",
	    max, " (kept_bytes)");
}

void
bind_message_not_json(struct bind_text *text, enum wire_err err, size_t offset)
{
	if (err == WIRE_ERR_NO_MEMORY) {
		bind_text_add(text, "the host has no memory for the result");
		return;
	}
	bind_text_add(text, "the result is not acceptable JSON (");
	bind_text_add(text, wire_err_word(err));
	add_limit(text, " at byte ", offset, ")");
}
