#include "bindings/budget.h"

#define NS_PER_MS 1000000

const struct bind_limits bind_limits_default = {
    .calls = 1000,
    .argument_bytes = 1 * WIRE_MIB,
    .result_bytes = 8 * WIRE_MIB,
    .total_bytes = 64 * WIRE_MIB,
    .produced_bytes = 128 * WIRE_MIB,
    .kept_bytes = 64 * WIRE_MIB,
    .tool_time_ns = 60ULL * 1000000000,
    .total_time_ns = 24ULL * 3600 * 1000000000,
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
	if (limits->produced_bytes > BIND_MAX_PRODUCED)
		return wire_fail(
		    info, WIRE_ERR_BAD_ARGUMENT, "produced_bytes", 0);
	if (limits->kept_bytes > BIND_MAX_KEPT)
		return wire_fail(info, WIRE_ERR_BAD_ARGUMENT, "kept_bytes", 0);
	if (limits->tool_time_ns == 0 ||
	    limits->tool_time_ns > BIND_MAX_TOOL_TIME)
		return wire_fail(info, WIRE_ERR_BAD_ARGUMENT, "tool_time", 0);
	if (limits->total_time_ns == 0 ||
	    limits->total_time_ns > BIND_MAX_TOTAL_TIME)
		return wire_fail(
		    info, WIRE_ERR_BAD_ARGUMENT, "total_tool_time", 0);
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
	    [BIND_METER_PRODUCED] = "produced_bytes",
	    [BIND_METER_TIME] = "total_tool_time",
	    [BIND_METER_RUN_CALLS] = "run_calls",
	    [BIND_METER_RUN_BYTES] = "run_bytes",
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
	/* What is accepted already is paid for as a call, and by nothing else.
	 */
	if (meter == BIND_METER_BYTES || meter == BIND_METER_PRODUCED ||
	    meter == BIND_METER_TIME)
		budget->is_dry = true;
	return WIRE_TOOL_BUDGET_SPENT;
}

enum wire_tool_kind
bind_budget_charge_call(struct bind_budget *budget, uint64_t argument_bytes)
{
	if (bind_budget_calls_left(budget) == 0)
		return spend(budget, BIND_METER_CALLS);
	if (argument_bytes > bind_budget_bytes_left(budget))
		return spend(budget, BIND_METER_BYTES);
	if (bind_budget_time_left(budget) == 0)
		return spend(budget, BIND_METER_TIME);
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

static uint64_t
less(uint64_t max, uint64_t used)
{
	return used < max ? max - used : 0;
}

enum wire_tool_kind
bind_budget_charge_produced(struct bind_budget *budget, uint64_t bytes)
{
	if (bytes > budget->limits.produced_bytes - budget->produced)
		return spend(budget, BIND_METER_PRODUCED);
	budget->produced += bytes;
	if (budget->has_run &&
	    bytes > less(budget->run.bytes_max, budget->run.bytes))
		return spend(budget, BIND_METER_RUN_BYTES);
	return WIRE_TOOL_NONE;
}

void
bind_budget_charge_time(struct bind_budget *budget, uint64_t ns)
{
	if (__builtin_add_overflow(budget->time_ns, ns, &budget->time_ns))
		budget->time_ns = UINT64_MAX;
}

void
bind_budget_spend_time(struct bind_budget *budget)
{
	(void)spend(budget, BIND_METER_TIME);
}

void
bind_budget_spend_run(struct bind_budget *budget)
{
	(void)spend(budget,
	    budget->has_run && budget->run.calls < budget->run.calls_max
		? BIND_METER_RUN_BYTES
		: BIND_METER_RUN_CALLS);
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

uint64_t
bind_budget_time_left(const struct bind_budget *budget)
{
	return less(budget->limits.total_time_ns, budget->time_ns);
}

static uint64_t
smaller(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

void
bind_budget_left(
    const struct bind_budget *budget, uint64_t ret_left[WIRE_LEFTS])
{
	const struct bind_limits *limits = &budget->limits;
	const struct bind_run *run = &budget->run;
	uint64_t *left = ret_left;

	left[WIRE_LEFT_CALLS] = bind_budget_calls_left(budget);
	left[WIRE_LEFT_BYTES] = bind_budget_bytes_left(budget);
	left[WIRE_LEFT_PRODUCED] = limits->produced_bytes - budget->produced;
	left[WIRE_LEFT_KEPT] = limits->kept_bytes - budget->kept;
	left[WIRE_LEFT_TIME] = bind_budget_time_left(budget) / NS_PER_MS;
	if (budget->has_run) {
		uint64_t bytes = less(run->bytes_max, run->bytes);

		left[WIRE_LEFT_CALLS] = smaller(
		    left[WIRE_LEFT_CALLS], less(run->calls_max, run->calls));
		left[WIRE_LEFT_BYTES] = smaller(left[WIRE_LEFT_BYTES], bytes);
		left[WIRE_LEFT_PRODUCED] =
		    smaller(left[WIRE_LEFT_PRODUCED], bytes);
		left[WIRE_LEFT_KEPT] = smaller(left[WIRE_LEFT_KEPT], bytes);
	}
	/* The latch is the gate's; what it latched upon stands here. */
	if (budget->spent != BIND_METER_NONE)
		left[WIRE_LEFT_CALLS] = 0;
}
