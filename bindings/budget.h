/*
 * The budgets of one execution (B2, B3), as arithmetic.
 *
 * Charging order: a call and its argument bytes are charged by wire bytes when
 * the call is accepted, before any check, so that refused attempts burn budget
 * too; result bytes when they have arrived, before anything is delivered: first
 * as produced, whatever becomes of them, then as transferred or preserved. What
 * would exceed a meter is not charged to it and not delivered. Time is charged
 * when a call has ended, as it was measured.
 *
 * Owns: the meters, and which of them ran out first. The latch RUNNING ->
 * HALTED is the gate's (bindings/gate.h): after a charge has answered
 * BUDGET_SPENT no further call is to be charged here. Pure.
 */
#ifndef BIND_BUDGET_H
#define BIND_BUDGET_H

#include "wire/err.h"
#include "wire/kinds.h"
#include "wire/limits.h"
#include "wire/msg.h"

/* Ceilings (S13); nothing raises a limit beyond them. */
#define BIND_MAX_CALLS	   1000000ULL
#define BIND_MAX_ARGUMENTS (8ULL * WIRE_MIB)
#define BIND_MAX_RESULT	   (64ULL * WIRE_MIB)
#define BIND_MAX_TOTAL	   (4096ULL * WIRE_MIB)
#define BIND_MAX_PRODUCED  (8192ULL * WIRE_MIB)
#define BIND_MAX_KEPT	   (1024ULL * WIRE_MIB)
#define BIND_MAX_IN_FLIGHT 1024U
#define BIND_MAX_TOOL_TIME (24ULL * 3600 * 1000000000) /* ns */
/* As much as the longest execution can use with the widest window. */
#define BIND_MAX_TOTAL_TIME (256 * BIND_MAX_TOOL_TIME)

struct bind_limits {
	uint64_t calls;		 /* accepted calls; one more is refused */
	uint64_t argument_bytes; /* of one call */
	uint64_t result_bytes;	 /* of one call */
	uint64_t total_bytes;	 /* arguments and results together */
	uint64_t produced_bytes; /* what tools gave, delivered or not */
	uint64_t kept_bytes;	 /* results that are kept; 0: none is */
	uint64_t tool_time_ns;	 /* of one call, from its dispatch */
	uint64_t total_time_ns;	 /* of all calls together */
	uint32_t in_flight;	 /* a window: calls beyond it wait */
};

/* The defaults of S13. */
extern const struct bind_limits bind_limits_default;

/* WIRE_ERR_BAD_ARGUMENT, info->site naming the field, for a limit over its
 * ceiling and for a window or time of 0, with which no call could run. */
WIRE_MUST_USE enum wire_err bind_limits_check(
    const struct bind_limits *limits, struct wire_errinfo *info);

enum bind_meter {
	BIND_METER_NONE,
	BIND_METER_CALLS,
	BIND_METER_BYTES,
	BIND_METER_PRODUCED,
	BIND_METER_TIME,
	BIND_METER_RUN_CALLS, /* of the Run, of which this is a part */
	BIND_METER_RUN_BYTES,
	BIND_METERS
};

/* "calls", "total_bytes", ...; "" for NONE: the names of the limits. */
const char *bind_meter_word(enum bind_meter meter);

/* What a Run has spent of what it may, in all its executions. */
struct bind_run {
	uint64_t calls, calls_max;
	uint64_t bytes, bytes_max; /* arguments and results, kept ones too */
};

struct bind_budget {
	struct bind_limits limits;
	uint64_t calls;	       /* charged; never over limits.calls */
	uint64_t bytes;	       /* charged; never over limits.total_bytes */
	uint64_t produced;     /* charged; never over limits.produced_bytes */
	uint64_t kept;	       /* the store's; never over limits.kept_bytes */
	uint64_t time_ns;      /* of calls that have ended, as measured */
	bool has_run;	       /* it is a part of a Run, which stood at: */
	struct bind_run run;   /* when it was last looked at */
	enum bind_meter spent; /* the meter that was first found spent */
	bool is_dry; /* no call could be answered any more, first or not */
};

void bind_budget_init(
    struct bind_budget *budget, const struct bind_limits *limits);

/*
 * Charges a call. BUDGET_SPENT when a meter cannot take it, and then nothing is
 * charged; ARGUMENTS_TOO_LARGE when it was charged and its arguments are over
 * the per-call limit; NONE otherwise.
 */
WIRE_MUST_USE enum wire_tool_kind bind_budget_charge_call(
    struct bind_budget *budget, uint64_t argument_bytes);

/*
 * Charges a result that has arrived. RESULT_TOO_LARGE over the per-call limit,
 * BUDGET_SPENT over what is left of the total; both leave the meter as it was.
 */
WIRE_MUST_USE enum wire_tool_kind bind_budget_charge_result(
    struct bind_budget *budget, uint64_t result_bytes);

/*
 * Charges what a tool gave, whether or not it can be delivered: BUDGET_SPENT,
 * and the meter as it was, when there is more of it than is left, here or in
 * the Run.
 */
WIRE_MUST_USE enum wire_tool_kind bind_budget_charge_produced(
    struct bind_budget *budget, uint64_t bytes);

/* Charges the time of a call that has ended. */
void bind_budget_charge_time(struct bind_budget *budget, uint64_t ns);

/* The time of all calls is over, with those that still run. */
void bind_budget_spend_time(struct bind_budget *budget);

/* The Run could not take another call, as `run` says. */
void bind_budget_spend_run(struct bind_budget *budget);

uint64_t bind_budget_calls_left(const struct bind_budget *budget);
uint64_t bind_budget_bytes_left(const struct bind_budget *budget);
uint64_t bind_budget_time_left(const struct bind_budget *budget);

/*
 * What a program may still spend, here and in the Run, in the order of enum
 * wire_left. Where calls are not accepted any more none is left.
 */
void bind_budget_left(
    const struct bind_budget *budget, uint64_t ret_left[WIRE_LEFTS]);

#endif
