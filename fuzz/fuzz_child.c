/*
 * Target: a hostile child against the real host, in one process.
 *
 * The input is a header that chooses limits and ceilings, then a program for
 * the child and the world around it: one byte for what happens next, a few
 * for how; child_seeds.py says which. Real are the supervisor's execution,
 * loop, channel, verdict and result, and the whole of bindings/ with the
 * provider `callback`; child_world.c stands for processes, /proc and time.
 *
 * Properties: child_tools.c (which tool may run, which reply must come),
 * child_check.c (what the host says in the end, time, memory), and here: it
 * comes to an end, once, with no descriptor left.
 */
#include "fuzz/child_rig.h"
#include "fuzz/fuzz.h"

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TURNS_MAX     8192 /* for what one child has written */
#define FDS_LOOKED_AT 128

struct rig rig;
uint8_t rig_sent[RIG_SENT_MAX];

size_t __sanitizer_get_current_allocated_bytes(void) __attribute__((weak));

/* What is freed each time is soon used again: a long quarantine would only
 * make pages that have to be touched. */
const char *__asan_default_options(void);

const char *
__asan_default_options(void)
{
	return "quarantine_size_mb=8";
}

uint8_t
rig_byte(void)
{
	return rig.data < rig.end ? *rig.data++ : 0;
}

struct rig_call *
rig_call(size_t id)
{
	if (id >= rig.calls_used)
		rig.calls_used = id + 1;
	return &rig.calls[id];
}

void
rig_sync(void)
{
	rig.model.len = rig.sent;
	rig.model.eof = child_world.started && child_world.channel < 0;
	if (rig.shut)
		rig.model.eof = true;
	model_step(&rig.model);
}

void
rig_pump(unsigned turns)
{
	unsigned turn = 0;

	while (rig.finished == 0 && (turns == 0 || turn < turns)) {
		struct pollfd polled = {weir_fd(rig.weir), POLLIN, 0};

		child_world_settle(false);
		if (poll(&polled, 1, 0) <= 0)
			break;
		RIG_REQUIRE(weir_dispatch(rig.weir, 0));
		RIG_REQUIRE(++turn < TURNS_MAX);
		rig_check_memory();
	}
}

void
rig_settle(void)
{
	rig_pump(0);
	rig_check_idle();
}

/* --- one execution -------------------------------------------------------- */

static bool
on_output(void *arg, enum weir_stream stream, const void *bytes, size_t len)
{
	(void)arg;
	(void)stream;
	(void)bytes;
	(void)len;
	return !rig.pause_output;
}

static void
on_finished(void *arg, struct weir_execution *execution)
{
	(void)arg;
	RIG_REQUIRE(execution == rig.execution);
	rig.finished++;
}

/* One context serves all inputs, as one host serves many executions. */
static struct weir *
context(void)
{
	static struct weir *weir;
	struct weir_config config = {.layers = ~0u};
	char error[WEIR_ERROR_MAX], place[] = "/tmp/weir-fuzz-XXXXXX";
	char stub[sizeof(place) + 16];
	enum weir_fault fault;
	int fd;

	if (weir != NULL)
		return weir;
	/* The stub is opened when the context is made, and never run. */
	RIG_REQUIRE(mkdtemp(place) != NULL);
	(void)snprintf(stub, sizeof(stub), "%s/weir-child", place);
	fd = open(stub, O_CREAT | O_WRONLY | O_CLOEXEC, 0700);
	RIG_REQUIRE(fd >= 0);
	(void)close(fd);
	config.libexec = place;
	weir = weir_new(&config, &fault, error);
	(void)unlink(stub);
	(void)rmdir(place);
	RIG_REQUIRE(weir != NULL);
	rig_add_tools(weir->catalogue);
	return weir;
}

#define OF(table, byte) (table)[(byte) % (sizeof(table) / sizeof((table)[0]))]

/* The limits of an execution, small so that they are met. */
static void
choose_limits(void)
{
	static const uint32_t calls[] = {
	    1000, 0, 1, 2, 3, 4, 8, 49, 50, 51, 99, 100, 101, 150, 250, 16};
	static const uint32_t arguments[] = {
	    65536, 2, 3, 7, 16, 64, 1024, 4096};
	static const uint32_t results[] = {65536, 1, 4, 8, 64, 1000, 4096, 600};
	static const uint32_t totals[] = {
	    1 << 24, 0, 64, 256, 1000, 4096, 1 << 16, 1 << 20};
	static const uint32_t produced[] = {
	    1 << 26, 0, 1, 16, 64, 256, 1000, 4096};
	static const uint32_t values[] = {65536, 4, 5, 16, 64, 256, 1024, 4096};
	static const uint32_t milliseconds[] = {120000, 1, 10, 50, 1000, 60000};
	static const uint32_t captured[] = {4096, 0, 1, 64};
	uint64_t *limits = rig.limits;
	unsigned byte;

	limits[SUP_LIMIT_CALLS] = OF(calls, rig_byte());
	limits[SUP_LIMIT_IN_FLIGHT] = 1 + rig_byte() % 8;
	limits[SUP_LIMIT_ARGUMENT_BYTES] = OF(arguments, rig_byte());
	limits[SUP_LIMIT_RESULT_BYTES] = OF(results, rig_byte());
	byte = rig_byte();
	limits[SUP_LIMIT_TOTAL_BYTES] = OF(totals, byte);
	limits[SUP_LIMIT_PRODUCED_BYTES] = OF(produced, byte / 8);
	/* What is kept has a target of its own (fuzz_read.c). */
	limits[SUP_LIMIT_KEPT_BYTES] = 0;
	limits[SUP_LIMIT_VALUE] = OF(values, rig_byte());
	byte = rig_byte();
	limits[SUP_LIMIT_WALL] = OF(milliseconds, byte) * SUP_NS_PER_MS;
	limits[SUP_LIMIT_TOOL_TIME] =
	    OF(milliseconds, byte / 6) * SUP_NS_PER_MS;
	limits[SUP_LIMIT_GRACE] = byte / 36 * 10 * SUP_NS_PER_MS;
	byte = rig_byte();
	limits[SUP_LIMIT_STDOUT] = limits[SUP_LIMIT_STDERR] =
	    OF(captured, byte);
	limits[SUP_LIMIT_PREVIEW] = OF(captured, byte / 4);
	rig.traced = (byte & 0x80) != 0;
	rig.unheard = rig.traced && (byte & 0x40) != 0;
	rig.halts = (byte & 0x20) != 0;
}

static void
choose_world(void)
{
	struct child_world *w = &child_world;
	unsigned byte = rig_byte();

	if (byte != 0)
		w->frame_max = 600 + 8 * byte;
	byte = rig_byte();
	if (byte != 0)
		w->bytes_max = 512 + 32 * byte;
	w->lines_max = rig_byte();
	w->blanks_max = rig_byte();
	byte = rig_byte();
	w->send_buffer = byte == 0 ? 0 : (int)byte * 64;
	byte = rig_byte();
	w->silent = (byte & 1) != 0;
	w->ends_on_term = (byte & 2) != 0;
	w->dies_late = (byte & 4) != 0;
	w->evidence_breaks = (byte & 0x30) == 0x30;
	rig.pause_output = (byte & 8) != 0;
	rig.free_early = (byte & 0xc0) == 0xc0;
	byte = rig_byte();
	rig.start_unready = (byte & 1) != 0;
	rig.cancel_how = byte / 2 % 3;
	rig.auto_how = (enum rig_how)(byte / 8 % RIG_HOWS);
}

static enum model_fate
on_ready(void *arg, struct wire_span line)
{
	const struct weir_execution *e = rig.execution;
	const char *good = child_world_ready();

	(void)arg;
	if (!child_world.silent && !rig.unheard && line.len == strlen(good) &&
	    memcmp(line.p, good, line.len) == 0)
		return MODEL_ACCEPTED;
	/* The stub has not told of its process 2. */
	if (child_world.silent && e->evidence.ready &&
	    e->facts.cause != SUP_EVENT_REFUSED)
		return MODEL_TAKEN;
	/* Any other report: the host's grades decide, and other tests. */
	if (e->facts.ran)
		return MODEL_ACCEPTED;
	if (e->facts.cause == SUP_EVENT_VIOLATION)
		return MODEL_WRONG;
	return e->facts.cause == SUP_EVENT_NONE ? MODEL_LATER : MODEL_DENIED;
}

static void
start(void)
{
	static const enum sup_limit chosen[] = {SUP_LIMIT_CALLS,
	    SUP_LIMIT_IN_FLIGHT, SUP_LIMIT_ARGUMENT_BYTES,
	    SUP_LIMIT_RESULT_BYTES, SUP_LIMIT_TOTAL_BYTES,
	    SUP_LIMIT_PRODUCED_BYTES, SUP_LIMIT_KEPT_BYTES, SUP_LIMIT_VALUE,
	    SUP_LIMIT_WALL, SUP_LIMIT_TOOL_TIME, SUP_LIMIT_GRACE,
	    SUP_LIMIT_STDOUT, SUP_LIMIT_STDERR, SUP_LIMIT_PREVIEW};
	struct weir_limit limits[sizeof(chosen) / sizeof(chosen[0])];
	const struct weir_request request = {
	    .program = "1",
	    .program_len = 1,
	    .limits = limits,
	    .limit_count = sizeof(chosen) / sizeof(chosen[0]),
	    .trace = rig.traced,
	    .halt_on_exhaust = rig.halts,
	};
	const struct weir_events events = {NULL, on_output, on_finished};
	char error[WEIR_ERROR_MAX];

	for (size_t i = 0; i < request.limit_count; i++)
		limits[i] = (struct weir_limit){
		    sup_limit_spec(chosen[i])->word, rig.limits[chosen[i]]};
	model_init(
	    &rig.model, &child_world.limits, rig_sent, child_world_ready());
	rig.execution = weir_start(rig.weir, &request, &events, error);
	RIG_REQUIRE(rig.execution != NULL);
	/* Now the ceilings are known. */
	model_init(
	    &rig.model, &child_world.limits, rig_sent, child_world_ready());
	rig.model.ready = on_ready;
	if (rig.traced && !rig.unheard && child_world_listen())
		rig_sent[rig.sent++] = '\n';
	if (!rig.start_unready) {
		rig_write_line(child_world_ready());
		rig_settle();
	}
}

/* The child does nothing more, and time goes on from one deadline to the
 * next: it must come to an end. */
static void
wait_for_the_end(void)
{
	struct child_world *w = &child_world;
	size_t rounds = 64 + 2 * rig.model.call_count;

	rig_settle();
	while (rig.finished == 0) {
		RIG_REQUIRE(rounds-- > 0);
		if (w->timer_ns > w->now_ns)
			w->now_ns = w->timer_ns;
		else
			w->now_ns += SUP_NS_PER_S;
		child_world_settle(true);
		rig_settle();
	}
}

/* Number of open descriptors. */
static unsigned
count_fds(void)
{
	struct pollfd polled[FDS_LOOKED_AT];
	unsigned count = 0;

	for (int i = 0; i < FDS_LOOKED_AT; i++)
		polled[i] = (struct pollfd){i, 0, 0};
	RIG_REQUIRE(poll(polled, FDS_LOOKED_AT, 0) >= 0);
	for (int i = 0; i < FDS_LOOKED_AT; i++)
		count += (polled[i].revents & POLLNVAL) == 0;
	return count;
}

static void
run_input(void)
{
	choose_limits();
	choose_world();
	start();
	while (rig.data < rig.end && rig.finished == 0)
		rig_operate();
	if (rig.free_early && rig.finished == 0) {
		rig.freeing = true;
	} else {
		wait_for_the_end();
		rig_check_end();
	}
	weir_execution_free(rig.execution);
	RIG_REQUIRE(rig.held == 0);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct weir *weir = context();
	unsigned fds;

	memset(rig.calls, 0, rig.calls_used * sizeof(rig.calls[0]));
	memset(&rig, 0, offsetof(struct rig, calls));
	rig.weir = weir;
	rig.data = data;
	rig.end = data + size;
	child_world_begin();
	fds = count_fds();
	if (__sanitizer_get_current_allocated_bytes != NULL)
		rig.live_before = __sanitizer_get_current_allocated_bytes();
	run_input();
	child_world_end();
	RIG_REQUIRE(count_fds() == fds);
	return 0;
}
