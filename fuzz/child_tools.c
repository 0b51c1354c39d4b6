#include "fuzz/child_rig.h"

#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "bindings/provider_callback.h"

/* What the socket itself may hold beside the host's queue. */
#define SOCKET_HOLDS (512UL * WIRE_KIB)

static uint8_t payload[RIG_FRAME_MAX], other_payload[RIG_FRAME_MAX];

/* --- what tools answer ---------------------------------------------------- */

static size_t
fill(uint8_t *buf, size_t len, int open, int middle, int close)
{
	memset(buf, open, len);
	buf[len] = (uint8_t)middle;
	memset(buf + len + 1, close, len);
	return 2 * len + 1;
}

/* A text of exactly this size that carries the id where there is room. */
static size_t
sized(uint8_t *buf, size_t id, size_t size)
{
	char head[32];
	size_t len = (size_t)snprintf(head, sizeof(head), "\"%zu:", id);

	if (size <= len) {
		memset(buf, '1', size);
		return size;
	}
	memset(buf, 'x', size);
	memcpy(buf, head, len);
	buf[size - 1] = '"';
	return size;
}

/* The answer of a call, the same each time. */
static struct wire_span
answer_of(uint8_t *buf, size_t id, enum rig_how how)
{
	size_t limit = (size_t)rig.limits[SUP_LIMIT_RESULT_BYTES];
	char *text = (char *)buf;
	int len = 0;

	switch (how) {
	case RIG_SMALL:
		len = snprintf(text, 64, "\"%zu\"", id);
		break;
	case RIG_BELOW:
		len = (int)sized(buf, id, limit > 1 ? limit - 1 : 1);
		break;
	case RIG_AT:
		len = (int)sized(buf, id, limit);
		break;
	case RIG_OVER:
		len = (int)sized(buf, id, limit + 1);
		break;
	case RIG_SPACED:
		len = snprintf(text, 64, " \n\t{\"id\": %zu}\r\n", id);
		break;
	case RIG_LINES:
		len = snprintf(text, 64, "[%zu,\n1]", id);
		break;
	case RIG_DEEP:
		len = (int)fill(buf, 255, '[', ' ', ']');
		break;
	case RIG_TOO_DEEP:
		len = (int)fill(buf, 256, '[', ' ', ']');
		break;
	case RIG_CUT:
		len = snprintf(text, 64, "{\"id\":%zu", id);
		break;
	case RIG_TWICE:
		len = snprintf(text, 64, "{\"a\":%zu,\"\\u0061\":1}", id);
		break;
	case RIG_NOT_UTF8:
		len = snprintf(text, 64, "\"%zu\xc0\xaf\"", id);
		break;
	case RIG_EMPTY:
	case RIG_FAILED:
	case RIG_LOST:
	case RIG_HOWS:
		break;
	}
	return (struct wire_span){buf, (size_t)len};
}

/* What the reply must be, by the promises alone. */
static void
expect(struct rig_call *call, struct wire_span text)
{
	size_t len = naive_trim(text).len;
	uint64_t total = rig.limits[SUP_LIMIT_TOTAL_BYTES];

	call->may_be_spent = false;
	if (call->how >= RIG_FAILED)
		return;
	call->kind = WIRE_TOOL_NONE;
	call->end_seen = true;
	if (rig.produced + len > rig.limits[SUP_LIMIT_PRODUCED_BYTES]) {
		call->kind = WIRE_TOOL_BUDGET_SPENT;
		rig.may_be_spent = true;
		return;
	}
	rig.produced += len;
	if (len > rig.limits[SUP_LIMIT_RESULT_BYTES]) {
		call->kind = WIRE_TOOL_RESULT_TOO_LARGE;
		return;
	}
	if (rig.arguments_dispatched + rig.results_least + len > total) {
		call->kind = WIRE_TOOL_BUDGET_SPENT;
		rig.may_be_spent = true;
		return;
	}
	rig_sync();
	call->may_be_spent =
	    rig.model.argument_bytes + rig.results_most + len > total;
	rig.may_be_spent = rig.may_be_spent || call->may_be_spent;
	rig.results_most += len;
	if (call->how >= RIG_TOO_DEEP)
		call->kind = WIRE_TOOL_FAILED;
	if (!call->may_be_spent)
		rig.results_least += len;
}

static void
give(size_t id, const struct bind_outcome *outcome)
{
	struct rig_call *call = &rig.calls[id];
	struct bind_job *job = call->job;

	RIG_REQUIRE(job != NULL && !call->answered);
	call->job = NULL;
	call->answered = true;
	call->reply_due =
	    !rig.freeing && rig.execution->state == SUP_EXEC_RUNNING;
	if (call->reply_due && call->kind == WIRE_TOOL_NONE)
		rig.bytes_due += naive_trim(outcome->value).len;
	rig.held--;
	/* Others may be dispatched before this returns. */
	bind_callback_answer(job, outcome);
}

void
rig_answer(size_t id, enum rig_how how)
{
	struct rig_call *call = &rig.calls[id];
	struct bind_outcome outcome = {
	    .kind = WIRE_TOOL_NONE,
	    .message = WIRE_LIT("no \xff\n luck"),
	    .end_seen = how != RIG_LOST,
	};

	call->how = how;
	if (how >= RIG_FAILED)
		outcome.kind = WIRE_TOOL_FAILED;
	else
		outcome.value = answer_of(payload, id, how);
	call->kind = outcome.kind;
	call->end_seen = outcome.end_seen;
	expect(call, outcome.value);
	give(id, &outcome);
}

size_t
rig_held(size_t number)
{
	if (rig.held == 0)
		return MODEL_CALLS;
	number %= rig.held;
	for (size_t id = 0; id < rig.last_dispatched; id++)
		if (rig.calls[id].job != NULL && number-- == 0)
			return id;
	return MODEL_CALLS;
}

/* --- the tools ------------------------------------------------------------ */

enum tool_mark { TOOL_PLAIN, TOOL_AT_ONCE, TOOL_ASKS, TOOL_WITHDRAWN };

static const struct tool {
	const char *name;
	enum tool_mark mark;
} tools[] = {
    {"alpha", TOOL_PLAIN},
    {"beta", TOOL_PLAIN},
    {"now", TOOL_AT_ONCE},
    {"caf\xc3\xa9 \"\\", TOOL_PLAIN},
    {"ask", TOOL_ASKS},
    {"late", TOOL_WITHDRAWN},
};

#define TOOLS (sizeof(tools) / sizeof(tools[0]))

static const struct tool *
tool_of(const struct model_call *call)
{
	for (size_t i = 0; i < TOOLS; i++)
		if (strlen(tools[i].name) == call->name_len &&
		    memcmp(tools[i].name, call->name, call->name_len) == 0)
			return &tools[i];
	return NULL;
}

enum wire_tool_kind
rig_admission(const struct model_call *call)
{
	const struct tool *tool = tool_of(call);

	if (call->arguments.len > rig.limits[SUP_LIMIT_ARGUMENT_BYTES])
		return WIRE_TOOL_ARGUMENTS_TOO_LARGE;
	if (tool == NULL || tool->mark == TOOL_WITHDRAWN)
		return WIRE_TOOL_NOT_OFFERED;
	if (tool->mark == TOOL_ASKS)
		return WIRE_TOOL_APPROVAL_REQUIRED;
	return WIRE_TOOL_NONE;
}

/* The call that the child made is the one that is run, as it was made. */
static void
check_dispatch(const struct tool *tool, const struct bind_job *job)
{
	const struct model_call *made;

	rig_sync();
	RIG_REQUIRE(job->id < rig.model.call_count || rig.model.unsure);
	RIG_REQUIRE(job->id < MODEL_CALLS);
	if (rig.model.unsure)
		return;
	made = &rig.model.calls[job->id];
	RIG_REQUIRE(rig_admission(made) == WIRE_TOOL_NONE);
	RIG_REQUIRE(wire_span_equal(
	    job->tool, (struct wire_span){made->name, made->name_len}));
	RIG_REQUIRE(wire_span_equal(job->arguments, made->arguments));
	RIG_REQUIRE(tool_of(made) == tool);
}

/* A tool is run. */
static void
run(void *arg, struct bind_job *job)
{
	const struct tool *tool = arg;
	struct rig_call *call;
	uint64_t waiting = rig.bytes_due - rig.bytes_read;

	RIG_REQUIRE(rig.execution != NULL);
	RIG_REQUIRE(rig.execution->state == SUP_EXEC_RUNNING);
	RIG_REQUIRE(!child_world.killed && !child_world.termed);
	check_dispatch(tool, job);
	RIG_REQUIRE(job->id < rig.limits[SUP_LIMIT_CALLS]);
	RIG_REQUIRE(job->id >= rig.last_dispatched);
	RIG_REQUIRE(rig.held < rig.limits[SUP_LIMIT_IN_FLIGHT]);
	/* Who does not read its replies gets no further tool run. */
	RIG_REQUIRE(rig_is_deaf() || rig.bytes_due < rig.bytes_read ||
	    waiting <= SUP_CHAN_QUEUE_HIGH + SOCKET_HOLDS +
		    rig.limits[SUP_LIMIT_RESULT_BYTES]);
	call = rig_call(job->id);
	RIG_REQUIRE(!call->dispatched);
	call->dispatched = true;
	call->job = job;
	call->started_ns = child_world.now_ns;
	rig.last_dispatched = job->id + 1;
	rig.dispatched++;
	rig.held++;
	rig.arguments_dispatched += job->arguments.len;
	RIG_REQUIRE(
	    rig.arguments_dispatched <= rig.limits[SUP_LIMIT_TOTAL_BYTES]);
	if (tool->mark == TOOL_AT_ONCE)
		rig_answer(job->id, rig.auto_how);
}

static void
cancel(void *arg, struct bind_job *job, enum wire_tool_kind kind)
{
	struct rig_call *call = rig_call(job->id);
	bool over = child_world.now_ns >=
	    call->started_ns + rig.limits[SUP_LIMIT_TOOL_TIME];

	(void)arg;
	RIG_REQUIRE(call->job == job && !call->cancelled && !call->answered);
	if (kind == WIRE_TOOL_TIMED_OUT)
		RIG_REQUIRE(over);
	else
		RIG_REQUIRE(kind == WIRE_TOOL_CANCELLED &&
		    (rig.freeing || rig.execution->state != SUP_EXEC_RUNNING));
	call->cancelled = true;
	if (rig.cancel_how == 0)
		return; /* answered later, or never */
	call->how = RIG_LOST;
	call->kind = kind;
	call->end_seen = rig.cancel_how == 1;
	give(job->id,
	    &(struct bind_outcome){.kind = kind,
		.message = WIRE_LIT("ended"),
		.end_seen = call->end_seen});
}

static void
abandon(void *arg, struct bind_job *job)
{
	struct rig_call *call = rig_call(job->id);

	(void)arg;
	RIG_REQUIRE(call->job == job);
	call->job = NULL;
	call->abandoned = true;
	rig.held--;
}

void
rig_add_tools(struct bind_catalogue *catalogue)
{
	static struct bind_callback callbacks[TOOLS];

	for (size_t i = 0; i < TOOLS; i++) {
		struct wire_span name = {
		    (const uint8_t *)tools[i].name, strlen(tools[i].name)};

		callbacks[i] = (struct bind_callback){
		    .arg = (void *)(uintptr_t)&tools[i],
		    .call = run,
		    .cancel = cancel,
		    .abandon = abandon,
		};
		RIG_REQUIRE(
		    bind_catalogue_add(catalogue, name, &bind_provider_callback,
			&callbacks[i],
			tools[i].mark == TOOL_ASKS ? BIND_TOOL_NEEDS_APPROVAL
						   : 0,
			NULL) == WIRE_OK);
		if (tools[i].mark == TOOL_WITHDRAWN)
			RIG_REQUIRE(bind_catalogue_withdraw(catalogue, name));
	}
}

/* --- the host's lines ----------------------------------------------------- */

/* What is left is told with every frame, and never grows. */
static void
take_left(struct wire_span frame, bool first)
{
	struct wire_span list, key, text;
	size_t at = 0, i = 0;
	uint64_t left;

	RIG_REQUIRE(naive_find(frame, "left", &list) && list.p[0] == '[');
	for (; naive_next(list, &at, &key, &text); i++) {
		RIG_REQUIRE(i < WIRE_LEFTS);
		RIG_REQUIRE(naive_uint(text, WIRE_MAX_ID, &left));
		RIG_REQUIRE(first || left <= rig.left[i]);
		rig.left[i] = left;
	}
	RIG_REQUIRE(i == WIRE_LEFTS);
	if (!first)
		return;
	RIG_REQUIRE(rig.left[WIRE_LEFT_CALLS] == rig.limits[SUP_LIMIT_CALLS]);
	RIG_REQUIRE(
	    rig.left[WIRE_LEFT_BYTES] == rig.limits[SUP_LIMIT_TOTAL_BYTES]);
	RIG_REQUIRE(rig.left[WIRE_LEFT_PRODUCED] ==
	    rig.limits[SUP_LIMIT_PRODUCED_BYTES]);
	RIG_REQUIRE(rig.left[WIRE_LEFT_KEPT] == 0);
}

static void
take_run(struct wire_span frame)
{
	struct wire_span list, key, name;
	size_t at = 0, count = 0;

	RIG_REQUIRE(!rig.saw_run && !rig.saw_abort);
	rig.saw_run = true;
	take_left(frame, true);
	RIG_REQUIRE(naive_find(frame, "tools", &list) && list.p[0] == '[');
	while (naive_next(list, &at, &key, &name)) {
		struct model_call as_call = {.name_len = 0};

		RIG_REQUIRE(naive_text(name, as_call.name, sizeof(as_call.name),
		    &as_call.name_len));
		RIG_REQUIRE(rig_admission(&as_call) != WIRE_TOOL_NOT_OFFERED);
		count++;
	}
	RIG_REQUIRE(count == TOOLS - 1);
}

static bool
is_value_of(size_t id, struct wire_span value)
{
	struct wire_span want =
	    naive_trim(answer_of(other_payload, id, rig.calls[id].how));

	for (size_t i = 0; i < want.len; i++)
		if (other_payload[i] == '\n')
			other_payload[i] = ' ';
	return wire_span_equal(want, value);
}

/* Of a call that was not run, or whose answer was none. */
static void
check_error(size_t id, struct wire_span error)
{
	const struct rig_call *call = &rig.calls[id];
	uint64_t most = rig.model.argument_bytes + rig.results_most;
	struct wire_span kind, text;

	RIG_REQUIRE(naive_count(error) == 3 &&
	    naive_find(error, "kind", &kind) &&
	    naive_find(error, "message", &text) && text.p[0] == '"' &&
	    naive_find(error, "hard", &text));
	RIG_REQUIRE(naive_is(kind, "budget_spent") == (text.p[0] == 't'));
	/* Where that is the end nobody hears of it. */
	RIG_REQUIRE(!rig.halts || text.p[0] == 'f');
	if (call->dispatched) {
		RIG_REQUIRE(naive_is(kind, wire_tool_kind_word(call->kind)) ||
		    (call->may_be_spent && naive_is(kind, "budget_spent")));
	} else if (naive_is(kind, "budget_spent")) {
		RIG_REQUIRE(id >= rig.limits[SUP_LIMIT_CALLS] ||
		    most > rig.limits[SUP_LIMIT_TOTAL_BYTES] ||
		    rig.may_be_spent || rig.model.unsure);
	} else if (!rig.model.unsure) {
		const struct model_call *made = &rig.model.calls[id];

		RIG_REQUIRE(
		    naive_is(kind, wire_tool_kind_word(rig_admission(made))));
		RIG_REQUIRE(rig_admission(made) != WIRE_TOOL_NONE);
	}
}

static void
take_reply(struct wire_span frame)
{
	struct wire_span id_text, value;
	struct rig_call *call;
	uint64_t id;

	rig_sync();
	RIG_REQUIRE(rig.saw_run && naive_count(frame) == 4);
	take_left(frame, false);
	RIG_REQUIRE(naive_find(frame, "id", &id_text) &&
	    naive_uint(id_text, MODEL_CALLS - 1, &id));
	RIG_REQUIRE(id < rig.model.call_count || rig.model.unsure);
	call = rig_call(id);
	RIG_REQUIRE(!call->replied);
	RIG_REQUIRE(!call->dispatched || (call->answered && call->reply_due));
	call->replied = true;
	rig.replies++;
	/* It is one of those that are spent. */
	RIG_REQUIRE(id >= rig.limits[SUP_LIMIT_CALLS] ||
	    rig.left[WIRE_LEFT_CALLS] < rig.limits[SUP_LIMIT_CALLS]);
	if (naive_find(frame, "value", &value)) {
		RIG_REQUIRE(call->dispatched && call->kind == WIRE_TOOL_NONE);
		RIG_REQUIRE(is_value_of(id, value));
		if (call->may_be_spent)
			rig.results_least += value.len;
		RIG_REQUIRE(rig.arguments_dispatched + rig.results_least <=
		    rig.limits[SUP_LIMIT_TOTAL_BYTES]);
		return;
	}
	RIG_REQUIRE(naive_find(frame, "error", &value));
	check_error(id, value);
}

static void
take_line(struct wire_span line)
{
	struct wire_span type;

	RIG_REQUIRE(rig_is_json(line));
	RIG_REQUIRE(line.p[0] == '{' && naive_find(line, "type", &type));
	if (naive_is(type, "run")) {
		take_run(line);
	} else if (naive_is(type, "abort")) {
		RIG_REQUIRE(!rig.saw_run && !rig.saw_abort);
		rig.saw_abort = true;
	} else {
		RIG_REQUIRE(naive_is(type, "reply"));
		take_reply(line);
	}
}

bool
rig_is_deaf(void)
{
	return rig.deaf || child_world.channel < 0;
}

void
rig_read(size_t max)
{
	static uint8_t lines[RIG_LINE_MAX];
	size_t left = max == 0 ? SIZE_MAX : max;

	while (!rig_is_deaf() && left > 0) {
		size_t room = RIG_LINE_MAX - rig.line_len, at = 0;
		uint8_t *newline;
		ssize_t n = recv(child_world.channel, lines + rig.line_len,
		    left < room ? left : room, MSG_DONTWAIT);

		if (n <= 0)
			return;
		left -= (size_t)n;
		rig.bytes_read += (size_t)n;
		rig.line_len += (size_t)n;
		while ((newline = memchr(
			    lines + at, '\n', rig.line_len - at)) != NULL) {
			take_line((struct wire_span){
			    lines + at, (size_t)(newline - lines) - at});
			at = (size_t)(newline - lines) + 1;
		}
		memmove(lines, lines + at, rig.line_len - at);
		rig.line_len -= at;
		RIG_REQUIRE(rig.line_len < RIG_LINE_MAX);
	}
}
