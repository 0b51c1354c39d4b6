#include "bindings/budget.h"

const struct bind_limits bind_limits_default = {
    .calls = 1000,
    .argument_bytes = 1 * WIRE_MIB,
    .result_bytes = 8 * WIRE_MIB,
    .total_bytes = 64 * WIRE_MIB,
    .kept_bytes = 64 * WIRE_MIB,
    .tool_time_ns = 60ULL * 1000000000,
    .in_flight = 64,
};

enum wire_err
bind_limits_check(const struct bind_limits *limits, struct wire_errinfo *info)
{
	if (limits->calls > BIND_MAX_CALLS)
		return wire_fail(info, WIRE_ERR_BAD_ARGUMENT, "calls", 0);
	if (limits->argument_bytes > BIND_MAX_ARGUMENTS)
		return wire_fail(
		    info, WIRE_ERR_BAD_ARGUMENT, "argument_bytes", 0);
	if (limits->result_bytes > BIND_MAX_RESULT)
		return wire_fail(
		    info, WIRE_ERR_BAD_ARGUMENT, "result_bytes", 0);
	if (limits->total_bytes > BIND_MAX_TOTAL)
		return wire_fail(info, WIRE_ERR_BAD_ARGUMENT, "total_bytes", 0);
	if (limits->kept_bytes > BIND_MAX_KEPT)
		return wire_fail(info, WIRE_ERR_BAD_ARGUMENT, "kept_bytes", 0);
	if (limits->tool_time_ns == 0 ||
	    limits->tool_time_ns > BIND_MAX_TOOL_TIME)
		return wire_fail(info, WIRE_ERR_BAD_ARGUMENT, "tool_time", 0);
	if (limits->in_flight == 0 || limits->in_flight > BIND_MAX_IN_FLIGHT)
		return wire_fail(info, WIRE_ERR_BAD_ARGUMENT, "in_flight", 0);
	return WIRE_OK;
}

const char *
bind_meter_word(enum bind_meter meter)
{
	static const char *const words[BIND_METERS] = {
	    [BIND_METER_NONE] = "",
	    [BIND_METER_CALLS] = "calls",
	    [BIND_METER_BYTES] = "total_bytes",
	    [BIND_METER_RUN] = "run",
	};

	WIRE_BUG_IF((unsigned)meter >= BIND_METERS);
	return words[meter];
}

void
bind_budget_init(struct bind_budget *budget, const struct bind_limits *limits)
{
	*budget = (struct bind_budget){.limits = *limits};
}

static enum wire_tool_kind
spend(struct bind_budget *budget, enum bind_meter meter)
{
	if (budget->spent == BIND_METER_NONE)
		budget->spent = meter;
	if (meter == BIND_METER_BYTES)
		budget->bytes_spent = true;
	return WIRE_TOOL_BUDGET_SPENT;
}

enum wire_tool_kind
bind_budget_charge_call(struct bind_budget *budget, uint64_t argument_bytes)
{
	if (bind_budget_calls_left(budget) == 0)
		return spend(budget, BIND_METER_CALLS);
	if (argument_bytes > bind_budget_bytes_left(budget))
		return spend(budget, BIND_METER_BYTES);
	budget->calls++;
	budget->bytes += argument_bytes;
	if (argument_bytes > budget->limits.argument_bytes)
		return WIRE_TOOL_ARGUMENTS_TOO_LARGE;
	return WIRE_TOOL_NONE;
}

enum wire_tool_kind
bind_budget_charge_result(struct bind_budget *budget, uint64_t result_bytes)
{
	if (result_bytes > budget->limits.result_bytes)
		return WIRE_TOOL_RESULT_TOO_LARGE;
	if (result_bytes > bind_budget_bytes_left(budget))
		return spend(budget, BIND_METER_BYTES);
	budget->bytes += result_bytes;
	return WIRE_TOOL_NONE;
}

void
bind_budget_spend_run(struct bind_budget *budget)
{
	(void)spend(budget, BIND_METER_RUN);
}

uint64_t
bind_budget_calls_left(const struct bind_budget *budget)
{
	return budget->limits.calls - budget->calls;
}

uint64_t
bind_budget_bytes_left(const struct bind_budget *budget)
{
	return budget->limits.total_bytes - budget->bytes;
}
