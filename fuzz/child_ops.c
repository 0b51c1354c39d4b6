/*
 * What can happen in an execution: what the child writes, reads and shuts, how
 * time passes, how the host's tools answer, how everything ends.
 */
#include "fuzz/child_rig.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* --- the child writes ----------------------------------------------------- */

static void
write_once(const uint8_t *bytes, size_t len, unsigned fds, int flags)
{
	while (len > 0 && len <= RIG_SENT_MAX - rig.sent) {
		size_t n;

		n = child_world_write(bytes, len, fds, flags);
		if (n == 0) {
			rig_pump(0);
			n = child_world_write(bytes, len, fds, flags);
		}
		if (n == 0)
			return; /* the host does not read it */
		memcpy(rig_sent + rig.sent, bytes, n);
		rig.fds_sent += fds;
		rig.sent += n;
		fds = 0;
		bytes += n;
		len -= n;
	}
}

/* A frame, with what was said of the next one. */
static void
write_frame(uint8_t *line, size_t len)
{
	size_t cut = rig.cut < len ? rig.cut : 0;
	unsigned fds = rig.fds;

	if (rig.edit && len > 0)
		line[rig.edit_at % len] = rig.edit_byte;
	rig.edit = false;
	rig.cut = rig.fds = 0;
	if (cut > 0) {
		write_once(line, cut, fds, 0);
		rig_settle();
		fds = 0;
	}
	write_once(line + cut, len - cut, fds, 0);
}

static uint8_t frame[RIG_FRAME_MAX];

void
rig_write_line(const char *line)
{
	size_t len = strlen(line);

	memcpy(frame, line, len);
	frame[len] = '\n';
	write_frame(frame, len + 1);
}

static void
do_raw(void)
{
	size_t len = rig_byte(), left = (size_t)(rig.end - rig.data);

	if (len > left)
		len = left;
	if (len == 0)
		return;
	memcpy(frame, rig.data, len);
	rig.data += len;
	write_frame(frame, len);
}

static void
do_burst(void)
{
	unsigned count = rig_byte() % 100, tool = rig_byte();

	while (count-- > 0) {
		rig_sync();
		write_frame(frame,
		    rig_frame_good_call(frame, rig.model.call_count, tool));
	}
}

static void
do_blanks(void)
{
	static const char kinds[] = "\n\n \n\t\r\n   \n";
	unsigned count = rig_byte(), kind = rig_byte();
	size_t len = 0;

	count *= (kind & 0x80) != 0 ? 64 : 1;
	for (unsigned i = 0; i < count; i++)
		frame[len++] = (kind & 0x40) != 0
		    ? (uint8_t)kinds[i % (sizeof(kinds) - 1)]
		    : '\n';
	write_frame(frame, len);
}

/* Bytes of a line that may never end. */
static void
do_fill(void)
{
	size_t len = (size_t)rig_byte() * 256 + rig_byte();
	uint8_t byte = rig_byte();

	memset(frame, byte == '\n' ? ' ' : byte, len);
	write_frame(frame, len);
}

/* Around the ceiling of a frame: a good `done` of exactly that length. */
static void
do_ceiling(void)
{
	static const char head[] = "{\"type\":\"done\",\"value\":1";
	size_t ceiling = child_world.limits.frame_max, len;

	len = ceiling + rig_byte() % 3 - 1;
	if (len >= RIG_FRAME_MAX || len < sizeof(head) + 1)
		return;
	memset(frame, ' ', len);
	memcpy(frame, head, sizeof(head) - 1);
	frame[len - 1] = '}';
	frame[len] = '\n';
	write_frame(frame, len + 1);
}

static void
do_edit(void)
{
	rig.edit = true;
	rig.edit_at = rig_byte();
	rig.edit_byte = rig_byte();
}

/* What arrives then depends on the kernel's age: nothing is compared. */
static void
do_out_of_band(void)
{
	rig.model.unsure = true;
	write_once((const uint8_t *)"\n", 1, 0, MSG_OOB);
}

static void
do_blocking(void)
{
	int flags = fcntl(child_world.channel, F_GETFL);

	if (flags >= 0)
		(void)fcntl(child_world.channel, F_SETFL, flags ^ O_NONBLOCK);
}

static void
do_shut(void)
{
	unsigned how = rig_byte() % 3;

	if (child_world.channel < 0)
		return;
	if (how == 0) {
		rig.shut = true;
		(void)shutdown(child_world.channel, SHUT_WR);
	} else if (how == 1) {
		rig.deaf = true;
		(void)shutdown(child_world.channel, SHUT_RD);
	} else {
		rig.deaf = true;
		(void)close(child_world.channel);
		child_world.channel = -1;
	}
}

static void
do_read(void)
{
	unsigned choice = rig_byte();
	size_t before;

	if (choice != 0) {
		rig_read(choice < 0x80 ? choice : (choice - 0x7ful) * 1024);
		return;
	}
	do {
		before = rig.bytes_read;
		rig_settle();
		rig_read(0);
	} while (rig.bytes_read != before);
	rig_check_replies();
}

static void
do_output(void)
{
	size_t len = (size_t)rig_byte() * 16;
	uint8_t byte = rig_byte();
	int fd = (byte & 1) != 0 ? child_world.err : child_world.out;

	memset(frame, byte, len);
	if (fd >= 0)
		(void)!write(fd, frame, len);
}

/* --- the world ------------------------------------------------------------ */

static void
do_time(void)
{
	static const uint64_t steps[] = {1, 1000000, 10000000, 100000000,
	    SUP_NS_PER_S, 60 * SUP_NS_PER_S, SUP_NS_PER_H, 0};
	unsigned choice = rig_byte();
	struct child_world *w = &child_world;

	if (choice >= 0x80 && w->timer_ns > w->now_ns)
		w->now_ns = w->timer_ns - (choice & 1);
	else
		w->now_ns += steps[choice % 8];
	if ((choice & 0x40) != 0)
		child_world_settle(true);
	rig_settle();
}

static void
do_exit(void)
{
	static const int statuses[] = {0, 0x100, 0x300, 125 << 8, SIGKILL,
	    SIGXCPU, SIGSEGV | 0x80, 0xff00};
	unsigned choice = rig_byte();

	child_world_exit(
	    statuses[choice % 8], (choice & 0x40) == 0, (choice & 0x80) == 0);
}

static void
do_report(void)
{
	struct wire_report report = {
	    .magic = WIRE_REPORT_MAGIC, .code = WIRE_REPORT_FAILED};
	unsigned choice = rig_byte();

	report.stage = (uint16_t)(choice % (WIRE_STAGE_COUNT + 1));
	report.sys = rig_byte() % 40;
	if (choice >= 0xf0)
		report.code = (uint16_t)(choice & 0xf);
	child_world_report(
	    &report, choice >= 0xe0 ? choice % 15 * 4 : sizeof(report));
}

static void
do_answer(void)
{
	size_t id = rig_held(rig_byte());
	unsigned how = rig_byte() % RIG_HOWS;

	if (id < MODEL_CALLS)
		rig_answer(id, (enum rig_how)how);
}

/* Answers whatever is there, until nothing is, at most so often. */
static void
do_answer_all(void)
{
	unsigned how = rig_byte() % RIG_HOWS, count = rig_byte();
	size_t id;

	do {
		while (count-- > 0 && (id = rig_held(0)) < MODEL_CALLS)
			rig_answer(id, (enum rig_how)how);
		rig_pump(0);
	} while (rig.held > 0 && count-- < 256);
}

static void
do_cancel(void)
{
	rig.cancelled = true;
	weir_cancel(rig.execution);
}

static void
do_resume(void)
{
	rig.pause_output = !rig.pause_output;
	weir_resume_output(rig.execution, WEIR_STDOUT);
	weir_resume_output(rig.execution, WEIR_STDERR);
}

static void
do_tool(void)
{
	rig.auto_how = (enum rig_how)(rig_byte() % RIG_HOWS);
	rig.cancel_how = rig_byte() % 3;
}

/* --- the table of what can happen ----------------------------------------- */

static void
do_ready(void)
{
	write_frame(frame, rig_frame_ready(frame));
}

static void
do_call(void)
{
	write_frame(frame, rig_frame_call(frame));
}

static void
do_done(void)
{
	write_frame(frame, rig_frame_done(frame));
}

static void
do_other(void)
{
	write_frame(frame, rig_frame_other(frame));
}

static void
do_cut(void)
{
	rig.cut = (size_t)rig_byte() + 1;
}

static void
do_fds(void)
{
	rig.fds = rig_byte() % 8 + 1;
}

static void
do_pump(void)
{
	unsigned turns = rig_byte();

	rig_pump(turns);
	if (turns == 0)
		rig_check_idle();
}

/* Refused calls of a traced program, which wait for their answers. */
static void
do_ask(void)
{
	unsigned choice = rig_byte();

	child_world.ask_vanishes = (choice & 0xc0) == 0x40;
	child_world.ask_fails = (choice & 0xc0) == 0xc0;
	child_world_ask(choice & 0x3f);
}

/* In the order of fuzz/child_seeds.py; only ever added to, or seeds change. */
static void (*const operations[])(void) = {do_pump, do_call, do_done, do_ready,
    do_other, do_burst, do_raw, do_cut, do_fds, do_edit, do_answer,
    do_answer_all, do_read, do_time, do_exit, do_cancel, do_shut, do_blanks,
    do_fill, do_ceiling, do_output, do_report, do_tool, do_resume, do_blocking,
    do_out_of_band, do_ask};

#define OPERATIONS (sizeof(operations) / sizeof(operations[0]))

void
rig_operate(void)
{
	operations[rig_byte() % OPERATIONS]();
}
