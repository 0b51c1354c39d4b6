#include "fuzz/child_rig.h"

#include <string.h>

#include "supervisor/exec_trace.h"
#include "supervisor/result.h"

/* A fuzzer is to explore the host, not what holds it to its word. */
#ifdef __clang__
#pragma clang attribute push(                                                  \
    __attribute__((no_sanitize("coverage"))), apply_to = function)
#endif

/* Beside what depends on limits: the execution, its plans, its record, the
 * result, and what a sanitizer counts. */
#define FIXED_BYTES (1024UL * WIRE_KIB)
/* The most that the table for duplicates takes of a byte of a frame. */
#define SCRATCH_FACTOR 32
#define PENDING_CALL   512

size_t __sanitizer_get_current_allocated_bytes(void) __attribute__((weak));

/*
 * What waits for a child that does not read is bounded by the mark and one
 * result for each call in flight; what it writes by the ceiling of a frame;
 * calls that wait by what they sent.
 */
void
rig_check_memory(void)
{
	const uint64_t *limits = rig.limits;
	uint64_t most = FIXED_BYTES + SUP_CHAN_QUEUE_HIGH +
	    (limits[SUP_LIMIT_IN_FLIGHT] + 2) *
		(limits[SUP_LIMIT_RESULT_BYTES] + 2 * WIRE_KIB) +
	    child_world.limits.frame_max * SCRATCH_FACTOR +
	    rig.model.argument_bytes + rig.model.call_count * PENDING_CALL +
	    8 * limits[SUP_LIMIT_VALUE] + 4 * limits[SUP_LIMIT_STDOUT];

	if (rig.live_before == 0)
		return;
	RIG_REQUIRE(
	    __sanitizer_get_current_allocated_bytes() < rig.live_before + most);
}

bool
rig_is_json(struct wire_span text)
{
	static _Alignas(16) uint8_t mem[1 << 15];
	static struct wire_json_scratch scratch;
	enum wire_json_type type;

	if (scratch.keys == NULL) {
		RIG_REQUIRE(wire_json_scratch_size(1024) <= sizeof(mem));
		wire_json_scratch_init(&scratch, mem, 1024, 1);
	}
	return wire_json_scan(text, WIRE_MAX_DEPTH, &scratch, &type, NULL) ==
	    WIRE_OK;
}

/* --- while it runs -------------------------------------------------------- */

static bool
is_open(const struct weir_execution *e)
{
	return e->state == SUP_EXEC_STARTING || e->state == SUP_EXEC_RUNNING;
}

static void
check_time(const struct weir_execution *e)
{
	uint64_t now = child_world.now_ns;

	if (e->state == SUP_EXEC_STARTING)
		RIG_REQUIRE(
		    now < e->started_ns + e->terms.limits[SUP_LIMIT_READY]);
	if (e->state == SUP_EXEC_RUNNING)
		RIG_REQUIRE(now < e->run_ns + rig.limits[SUP_LIMIT_WALL]);
	for (size_t id = 0; id < rig.last_dispatched; id++) {
		const struct rig_call *call = &rig.calls[id];

		if (call->job != NULL && !call->cancelled && is_open(e))
			RIG_REQUIRE(now <
			    call->started_ns + rig.limits[SUP_LIMIT_TOOL_TIME]);
	}
}

/* Every byte has been taken, and everything was made of it. */
static void
check_taken(const struct weir_execution *e)
{
	const struct model *m = &rig.model;
	const struct bind_record_totals *totals = &e->record.totals;

	RIG_REQUIRE(m->end == MODEL_OPEN && !m->stalled);
	RIG_REQUIRE(e->chan.session.next_id == m->call_count);
	RIG_REQUIRE(e->facts.violation == WIRE_OK);
	if (!m->eof)
		RIG_REQUIRE(e->chan.fds_closed == rig.fds_sent);
	/* Nobody waits while there is room. */
	if (rig.held < rig.limits[SUP_LIMIT_IN_FLIGHT])
		RIG_REQUIRE(totals->refused + rig.dispatched == m->call_count);
}

void
rig_check_idle(void)
{
	const struct weir_execution *e = rig.execution;

	rig_check_memory();
	if (rig.finished != 0)
		return;
	rig_sync();
	check_time(e);
	/* Nobody who asks waits, whatever the state, while there is who can
	 * answer. */
	if (e->trace != NULL && e->trace->watch.fd >= 0)
		RIG_REQUIRE(child_world.asked == 0);
	if (child_world.gone)
		RIG_REQUIRE(!is_open(e));
	if (is_open(e) && !e->chan.is_full && !rig.model.unsure)
		check_taken(e);
}

void
rig_check_replies(void)
{
	const struct weir_execution *e = rig.execution;
	size_t due = 0;

	if (rig.finished != 0 || e->state != SUP_EXEC_RUNNING ||
	    rig_is_deaf() || rig.model.unsure)
		return;
	/* All of it was read, so nothing holds the host up. */
	RIG_REQUIRE(!e->chan.is_full && rig.line_len == 0);
	for (size_t id = 0; id < rig.model.call_count; id++)
		due += rig.calls[id].answered && rig.calls[id].reply_due;
	RIG_REQUIRE(due + e->record.totals.refused == rig.replies);
}

/* --- what it came to ------------------------------------------------------ */

static const char *const result_keys[] = {"schema", "execution", "ok", "value",
    "returned", "stdout", "stderr", "streams", "error", "limit_hit", "calls",
    "budget", "usage", "isolation", "granted", "warnings", "exit"};

#define KEYS (sizeof(result_keys) / sizeof(result_keys[0]))

enum {
	KEY_OK = 2,
	KEY_VALUE = 3,
	KEY_ERROR = 8,
	KEY_CALLS = 10,
	KEY_BUDGET = 11
};

/* The document, and its members in the order of the manual. */
static void
read_result(struct wire_span values[KEYS])
{
	struct wire_span text, key, value;
	size_t at = 0, count = 0;

	text.p = (const uint8_t *)weir_text(
	    rig.execution, WEIR_TEXT_RESULT, &text.len);
	RIG_REQUIRE(text.p != NULL);
	RIG_REQUIRE(rig_is_json(text));
	RIG_REQUIRE(text.p[0] == '{');
	RIG_REQUIRE(memchr(text.p, '\n', text.len) == NULL);
	while (naive_next(text, &at, &key, &value)) {
		RIG_REQUIRE(count < KEYS);
		RIG_REQUIRE(naive_is(key, result_keys[count]));
		values[count++] = value;
	}
	RIG_REQUIRE(count == KEYS);
	RIG_REQUIRE(naive_is(values[0], SUP_RESULT_SCHEMA));
}

static uint64_t
count_of(struct wire_span object, const char *name)
{
	struct wire_span text;
	uint64_t value;

	RIG_REQUIRE(naive_find(object, name, &text) &&
	    naive_uint(text, UINT64_MAX, &value));
	return value;
}

static const char *
state_of(size_t id)
{
	const struct rig_call *call = &rig.calls[id];

	if (!call->dispatched)
		return "refused";
	if (!call->answered)
		return "unknown";
	if (call->may_be_spent)
		return NULL;
	if (call->kind == WIRE_TOOL_NONE)
		return "completed";
	return call->end_seen ? "failed" : "unknown";
}

/* Ids without a gap: the first fifty and the last fifty. */
static void
check_list(struct wire_span calls, uint64_t total)
{
	uint64_t next = 0, id, shown = total < 100 ? total : 100;
	struct wire_span list, key, entry, text;
	size_t at = 0;

	RIG_REQUIRE(naive_find(calls, "list", &list) && list.p[0] == '[');
	RIG_REQUIRE(naive_count(list) == shown);
	while (naive_next(list, &at, &key, &entry)) {
		if (next == 50 && total > 100)
			next = total - 50;
		id = count_of(entry, "id");
		RIG_REQUIRE(id == next);
		next++;
		RIG_REQUIRE(naive_find(entry, "state", &text));
		if (id < MODEL_CALLS && state_of(id) != NULL)
			RIG_REQUIRE(naive_is(text, state_of(id)));
	}
	RIG_REQUIRE(next == total);
}

static void
check_calls(struct wire_span calls)
{
	uint64_t total = count_of(calls, "total");
	uint64_t refused = count_of(calls, "refused");

	RIG_REQUIRE(total ==
	    count_of(calls, "completed") + count_of(calls, "failed") +
		count_of(calls, "unknown") + refused);
	RIG_REQUIRE(rig.execution->record.totals.started == 0);
	RIG_REQUIRE(total == rig.dispatched + refused);
	check_list(calls, total);
	if (rig.model.unsure)
		return;
	RIG_REQUIRE(total <= rig.model.call_count);
	if (rig.execution->facts.cause == SUP_EVENT_DONE ||
	    rig.execution->facts.cause == SUP_EVENT_VIOLATION)
		RIG_REQUIRE(total == rig.model.call_count);
}

/* No meter is beyond its limit, and what was dispatched is paid for. */
static void
check_budget(struct wire_span budget)
{
	static const char *const names[] = {
	    "calls", "total_bytes", "produced_bytes", "kept_bytes"};
	struct wire_span meter;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		RIG_REQUIRE(naive_find(budget, names[i], &meter));
		RIG_REQUIRE(
		    count_of(meter, "used") <= count_of(meter, "limit"));
		if (i == 0)
			RIG_REQUIRE(count_of(meter, "used") >= rig.dispatched);
		if (i == 1)
			RIG_REQUIRE(count_of(meter, "used") >=
			    rig.arguments_dispatched);
	}
	RIG_REQUIRE(naive_find(budget, "produced_bytes", &meter) &&
	    count_of(meter, "used") == rig.produced);
	RIG_REQUIRE(naive_find(budget, "run_calls", &meter) &&
	    wire_span_equal(meter, WIRE_LIT("null")));
}

/* What the host says of the child's bytes against what they were. */
static void
check_cause(const struct sup_facts *f)
{
	const struct model *m = &rig.model;

	RIG_REQUIRE(
	    (f->violation != WIRE_OK) == (f->cause == SUP_EVENT_VIOLATION));
	RIG_REQUIRE((f->done != NULL) == (f->cause == SUP_EVENT_DONE));
	if (m->unsure)
		return;
	if (f->cause == SUP_EVENT_VIOLATION) {
		RIG_REQUIRE(m->end == MODEL_VIOLATION);
		RIG_REQUIRE((m->words >> f->violation & 1) != 0);
		RIG_REQUIRE(f->violation_offset >= m->offset_min &&
		    f->violation_offset <= m->offset_max);
	}
	if (f->cause == SUP_EVENT_DONE)
		RIG_REQUIRE(m->end == MODEL_DONE);
	if (f->cause == SUP_EVENT_CANCEL)
		RIG_REQUIRE(rig.cancelled);
	if (f->cause == SUP_EVENT_EXHAUSTED)
		RIG_REQUIRE(rig.halts);
	if (f->ran)
		RIG_REQUIRE(m->running);
}

/* The value is the child's, byte for byte, or none. */
static void
check_answer(const struct weir_execution *e, struct wire_span values[KEYS])
{
	const struct model *m = &rig.model;
	bool ok = values[KEY_OK].p[0] == 't';
	bool broken = e->facts.evidence_broken;
	struct wire_span kind;

	RIG_REQUIRE(ok == (values[KEY_ERROR].p[0] == 'n'));
	RIG_REQUIRE(ok == (weir_exit_code(e) == 0));
	if (!ok)
		RIG_REQUIRE(
		    wire_span_equal(values[KEY_VALUE], WIRE_LIT("null")) &&
		    naive_find(values[KEY_ERROR], "kind", &kind));
	if (broken)
		RIG_REQUIRE(!ok && naive_is(kind, "isolation_unavailable"));
	else if (e->facts.cause == SUP_EVENT_VIOLATION)
		RIG_REQUIRE(!ok && naive_is(kind, "protocol_violation"));
	else if (e->facts.cause == SUP_EVENT_EXHAUSTED)
		RIG_REQUIRE(!ok && naive_is(kind, "budget_exhausted"));
	if (ok)
		RIG_REQUIRE(e->facts.cause == SUP_EVENT_DONE);
	if (e->facts.cause != SUP_EVENT_DONE || broken || m->unsure)
		return;
	RIG_REQUIRE(ok ==
	    (m->done_value && m->value.len <= rig.limits[SUP_LIMIT_VALUE]));
	if (ok)
		RIG_REQUIRE(wire_span_equal(values[KEY_VALUE], m->value));
}

/* A program that ran has a trace, of no more calls than were refused. */
static void
check_trace(const struct weir_execution *e)
{
	struct wire_span text, line;
	uint64_t refused = 0, rows = 0;

	text.p = (const uint8_t *)weir_text(e, WEIR_TEXT_TRACE, &text.len);
	RIG_REQUIRE((text.p != NULL) == (rig.traced && e->facts.ran));
	while (text.p != NULL && text.len > 0) {
		const uint8_t *end = memchr(text.p, '\n', text.len);

		RIG_REQUIRE(end != NULL);
		line = (struct wire_span){text.p, (size_t)(end - text.p)};
		RIG_REQUIRE(rig_is_json(line));
		text.len -= line.len + 1;
		text.p = end + 1;
		if (text.len > 0) {
			refused += count_of(line, "count");
			rows++;
			continue;
		}
		RIG_REQUIRE(count_of(line, "rows") == rows);
		refused += count_of(line, "left_out");
		RIG_REQUIRE(count_of(line, "refused") == refused);
		RIG_REQUIRE(refused <= child_world.refused);
	}
}

void
rig_check_end(void)
{
	const struct weir_execution *e = rig.execution;
	struct wire_span values[KEYS];

	RIG_REQUIRE(rig.finished == 1 && weir_is_finished(e));
	RIG_REQUIRE(rig.held == 0);
	rig_sync();
	read_result(values);
	check_calls(values[KEY_CALLS]);
	check_budget(values[KEY_BUDGET]);
	check_cause(&e->facts);
	check_answer(e, values);
	check_trace(e);
}

#ifdef __clang__
#pragma clang attribute pop
#endif
