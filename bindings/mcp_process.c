#include "bindings/mcp_process.h"

#include <stdlib.h>
#include <string.h>

#include "bindings/spawn.h"
#include "bindings/sys.h"

/* More than any pipe holds: what is left of one whose writers are gone. */
#define DRAIN_TURNS 32
/* How long a server may live on that has closed its output. */
#define CLOSED_NS UINT64_C(1000000000)

/* --- descriptors and watches ----------------------------------------------
 */

static void
close_end(struct bind_mcp_process *p, struct bind_mcp_end *end)
{
	if (end->watched)
		p->loop->unwatch(p->loop->arg, &end->watch);
	end->watched = false;
	bind_sys_close(&end->watch.fd);
}

static enum wire_err
watch_end(struct bind_mcp_process *p, struct bind_mcp_end *end, unsigned events)
{
	enum wire_err err = p->loop->watch(p->loop->arg, &end->watch, events);

	end->watched = err == WIRE_OK;
	return err;
}

/* All but the guardian's pidfd. */
static void
close_streams(struct bind_mcp_process *p)
{
	close_end(p, &p->in);
	close_end(p, &p->out);
	close_end(p, &p->err);
	close_end(p, &p->report);
	bind_mcp_queue_empty(&p->queue);
	bind_mcp_lines_release(&p->lines);
	p->behind = false;
}

void
bind_mcp_process_end(struct bind_mcp_process *p)
{
	p->stopped = true;
	p->broken = NULL;
	close_streams(p);
}

static void
tell_end(struct bind_mcp_process *p, const char *how)
{
	if (p->stopped)
		return;
	p->stopped = true;
	p->handler->ended(p->handler->arg, how);
}

/* --- writing ---------------------------------------------------------------
 */

/* Watched only while something waits: an end that nobody reads would be
 * ready all the time. */
static const char *
watch_queue(struct bind_mcp_process *p)
{
	bool wanted = !bind_mcp_queue_is_empty(&p->queue);

	if (p->in.watched && !wanted) {
		p->loop->unwatch(p->loop->arg, &p->in.watch);
		p->in.watched = false;
	} else if (!p->in.watched && wanted) {
		if (watch_end(p, &p->in, BIND_EVENT_WRITE) != WIRE_OK)
			return "the host cannot wait for it";
	}
	return NULL;
}

/* NULL, or how it failed. */
static const char *
flush(struct bind_mcp_process *p)
{
	return bind_mcp_queue_write(&p->queue, p->in.watch.fd) < 0
	    ? "it reads nothing more"
	    : watch_queue(p);
}

static void
in_ready(void *arg, unsigned events)
{
	struct bind_mcp_process *p = arg;
	const char *how = flush(p);

	(void)events;
	if (how != NULL)
		tell_end(p, how);
}

bool
bind_mcp_process_say(struct bind_mcp_process *p, struct bind_mcp_line *line)
{
	bool idle = bind_mcp_queue_is_empty(&p->queue);

	if (p->in.watch.fd < 0 || p->broken != NULL) {
		free(line);
		return false;
	}
	if (!bind_mcp_queue_add(&p->queue, line))
		return false;
	if (!idle)
		return true;
	p->broken = flush(p);
	/* Not from in here: who says something is in the middle of more. */
	if (p->broken != NULL)
		p->handler->again(p->handler->arg);
	return true;
}

bool
bind_mcp_process_unsay(struct bind_mcp_process *p, uint64_t id)
{
	return bind_mcp_queue_remove(&p->queue, id);
}

/* --- lines -----------------------------------------------------------------
 */

/* A line is over what it may have. */
static void
ask_for_more(struct bind_mcp_process *p)
{
	struct bind_mcp_lines *lines = &p->lines;
	struct bind_mcp_sight sight;
	size_t more;

	bind_mcp_sight_init(&sight);
	bind_mcp_sight_feed(&sight,
	    (struct wire_span){
		lines->p + lines->begin, lines->end - lines->begin});
	more = p->handler->more(p->handler->arg, &sight, lines->max);
	if (more > lines->max)
		lines->max = more;
	else
		bind_mcp_lines_drop(lines);
}

/* Hands out what is there. */
static void
hand_out(struct bind_mcp_process *p)
{
	struct bind_mcp_lines *lines = &p->lines;
	struct wire_span line;

	p->behind = false;
	for (unsigned count = 0; !p->stopped; count++) {
		if (count == BIND_MCP_TURN_LINES) {
			p->behind = true;
			p->handler->again(p->handler->arg);
			return;
		}
		switch (bind_mcp_lines_next(lines, &line)) {
		case BIND_MCP_LINES_MORE:
			return;
		case BIND_MCP_LINES_FULL:
			ask_for_more(p);
			break;
		case BIND_MCP_LINES_LINE:
			lines->max = BIND_MCP_LINE_FREE;
			p->handler->line(p->handler->arg, line);
			break;
		case BIND_MCP_LINES_DROPPED:
			lines->max = BIND_MCP_LINE_FREE;
			p->handler->dropped(p->handler->arg, &lines->sight);
			break;
		}
	}
}

/* False: there is nothing more for now, or ever. */
static bool
read_some(struct bind_mcp_process *p)
{
	uint8_t *room = NULL;
	size_t len = bind_mcp_lines_room(&p->lines, &room);
	ssize_t n;

	if (len == 0) {
		tell_end(p, "the host has no memory for what it says");
		return false;
	}
	n = bind_sys_read(
	    p->out.watch.fd, room, len < BIND_TURN_MAX ? len : BIND_TURN_MAX);
	if (n == -EAGAIN)
		return false;
	if (n < 0) {
		tell_end(p, "the host cannot read what it says");
		return false;
	}
	/* Its end normally follows, and tells more than this. */
	if (n == 0) {
		close_end(p, &p->out);
		p->closed_ns = p->loop->now_ns(p->loop->arg) + CLOSED_NS;
		p->handler->again(p->handler->arg);
		return false;
	}
	bind_mcp_lines_filled(&p->lines, (size_t)n);
	return true;
}

static void
out_ready(void *arg, unsigned events)
{
	struct bind_mcp_process *p = arg;

	(void)events;
	if (p->behind || read_some(p))
		hand_out(p);
}

static void
err_ready(void *arg, unsigned events)
{
	struct bind_mcp_process *p = arg;

	(void)events;
	if (p->tail.len == BIND_TAIL_MAX)
		p->is_tail = true;
	if (bind_tail_read(&p->tail, p->err.watch.fd) == BIND_INTAKE_END)
		close_end(p, &p->err);
	if (p->tail.len == BIND_TAIL_MAX)
		p->is_tail = true;
}

void
bind_mcp_process_turn(struct bind_mcp_process *p)
{
	const char *how = p->broken;

	if (p->stopped)
		return;
	p->broken = NULL;
	if (how != NULL)
		tell_end(p, how);
	else if (p->behind)
		hand_out(p);
	else if (p->closed_ns != 0 &&
	    p->closed_ns <= p->loop->now_ns(p->loop->arg))
		tell_end(p, "it closed its standard output");
}

uint64_t
bind_mcp_process_next(const struct bind_mcp_process *p)
{
	if (p->stopped)
		return UINT64_MAX;
	if (p->broken != NULL || p->behind)
		return 0;
	return p->closed_ns != 0 ? p->closed_ns : UINT64_MAX;
}

/* --- the guardian ----------------------------------------------------------
 */

/* What it wrote before its end, and why it came to it. */
static void
drain(struct bind_mcp_process *p)
{
	for (unsigned i = 0; i < DRAIN_TURNS && p->err.watch.fd >= 0; i++) {
		size_t before = p->tail.len;

		err_ready(p, BIND_EVENT_READ);
		if (p->tail.len == before)
			break;
	}
	for (unsigned i = 0; i < DRAIN_TURNS && !p->stopped; i++) {
		while (p->behind && !p->stopped)
			hand_out(p);
		if (p->stopped || p->out.watch.fd < 0 || !read_some(p))
			break;
		hand_out(p);
	}
}

static void
report_ready(void *arg, unsigned events)
{
	struct bind_mcp_process *p = arg;
	uint8_t buf[sizeof(struct wire_report) + 1];
	ssize_t n = bind_sys_recv(p->report.watch.fd, buf, sizeof(buf));

	(void)events;
	if (n == -EAGAIN)
		return;
	close_end(p, &p->report);
	if (n > 0 && (size_t)n <= sizeof(buf) &&
	    wire_report_check((struct wire_span){buf, (size_t)n}, &p->record) ==
		WIRE_OK &&
	    (p->record.code == WIRE_REPORT_EXITED ||
		p->record.code == WIRE_REPORT_FAILED))
		p->reported = true;
	drain(p);
	tell_end(p, NULL);
}

static void
guardian_ready(void *arg, unsigned events)
{
	struct bind_mcp_process *p = arg;

	(void)events;
	if (p->report.watch.fd >= 0)
		report_ready(p, BIND_EVENT_READ);
	if (p->guardian.watch.fd < 0 ||
	    bind_sys_reap(p->guardian.watch.fd, false, &p->clean) == 0)
		return;
	close_end(p, &p->guardian);
	close_streams(p);
	p->handler->gone(p->handler->arg);
}

/* --- starting --------------------------------------------------------------
 */

static int
open_streams(struct bind_mcp_process *p, int theirs[BIND_SPAWN_FDS])
{
	int report[2];
	int r;

	r = bind_sys_pipe(&theirs[0], &p->in.watch.fd);
	if (r == 0)
		r = bind_sys_pipe(&p->out.watch.fd, &theirs[1]);
	if (r == 0)
		r = bind_sys_pipe(&p->err.watch.fd, &theirs[2]);
	if (r == 0)
		r = bind_sys_seqpacket_pair(report);
	if (r < 0)
		return r;
	p->report.watch.fd = report[0];
	theirs[3] = report[1];
	r = bind_sys_set_nonblock(p->in.watch.fd);
	if (r == 0)
		r = bind_sys_set_nonblock(p->out.watch.fd);
	if (r == 0)
		r = bind_sys_set_nonblock(p->err.watch.fd);
	return r;
}

static enum wire_err
watch_streams(struct bind_mcp_process *p)
{
	enum wire_err err = watch_end(p, &p->out, BIND_EVENT_READ);

	if (err == WIRE_OK)
		err = watch_end(p, &p->err, BIND_EVENT_READ);
	if (err == WIRE_OK)
		err = watch_end(p, &p->report, BIND_EVENT_READ);
	return err;
}

static void
init_end(struct bind_mcp_end *end, struct bind_mcp_process *p,
    void (*ready)(void *, unsigned))
{
	end->watch.fd = -1;
	end->watch.ready = ready;
	end->watch.arg = p;
}

void
bind_mcp_process_init(struct bind_mcp_process *p, const struct bind_loop *loop,
    const struct bind_mcp_handler *handler)
{
	memset(p, 0, sizeof(*p));
	p->loop = loop;
	p->handler = handler;
	p->stopped = true;
	bind_mcp_lines_init(&p->lines, BIND_MCP_LINE_FREE);
	bind_mcp_queue_init(&p->queue);
	init_end(&p->in, p, in_ready);
	init_end(&p->out, p, out_ready);
	init_end(&p->err, p, err_ready);
	init_end(&p->report, p, report_ready);
	init_end(&p->guardian, p, guardian_ready);
}

static enum wire_err
spawn(struct bind_mcp_process *p, const struct bind_command *command,
    const int theirs[BIND_SPAWN_FDS], struct wire_errinfo *info)
{
	struct bind_spawn spawn = {
	    .path = command->guardian,
	    .argv = command->argv,
	    .environment = command->environment,
	    .directory = command->directory,
	};
	enum wire_err err;

	memcpy(spawn.fds, theirs, sizeof(spawn.fds));
	err = bind_spawn_start(&spawn, &p->pid, &p->guardian.watch.fd, info);
	if (err != WIRE_OK)
		return err;
	err = watch_end(p, &p->guardian, BIND_EVENT_READ);
	if (err == WIRE_OK)
		return err;
	/* Not to be followed, so not to be: the closed lifeline ends it. */
	close_streams(p);
	(void)bind_sys_reap(p->guardian.watch.fd, true, &p->clean);
	close_end(p, &p->guardian);
	return wire_fail(info, err, "following the process", 0);
}

enum wire_err
bind_mcp_process_start(struct bind_mcp_process *p,
    const struct bind_command *command, struct wire_errinfo *info)
{
	int theirs[BIND_SPAWN_FDS] = {-1, -1, -1, -1};
	enum wire_err err;

	WIRE_BUG_IF(bind_mcp_process_is_there(p));
	p->reported = p->clean = p->is_tail = false;
	p->broken = NULL;
	p->closed_ns = 0;
	p->tail.len = 0;
	*info = (struct wire_errinfo){"pipes", 0, 0};
	info->sys = -open_streams(p, theirs);
	err = info->sys != 0 ? WIRE_ERR_SYSTEM : watch_streams(p);
	if (err == WIRE_OK)
		err = spawn(p, command, theirs, info);
	for (int i = 0; i < BIND_SPAWN_FDS; i++)
		bind_sys_close(&theirs[i]);
	if (err != WIRE_OK)
		close_streams(p);
	p->stopped = err != WIRE_OK;
	return err;
}

/* --- the end ---------------------------------------------------------------
 */

bool
bind_mcp_process_is_there(const struct bind_mcp_process *p)
{
	return p->guardian.watch.fd >= 0;
}

void
bind_mcp_process_hang_up(struct bind_mcp_process *p)
{
	p->stopped = true;
	bind_mcp_queue_empty(&p->queue);
	close_end(p, &p->in);
}

bool
bind_mcp_process_wait(struct bind_mcp_process *p, int timeout_ms)
{
	if (!bind_mcp_process_is_there(p))
		return true;
	bind_sys_wait_end(p->guardian.watch.fd, timeout_ms);
	if (bind_sys_reap(p->guardian.watch.fd, false, &p->clean) == 0)
		return false;
	close_end(p, &p->guardian);
	close_streams(p);
	return true;
}

void
bind_mcp_process_abandon(struct bind_mcp_process *p, int timeout_ms)
{
	bind_mcp_process_end(p);
	(void)bind_mcp_process_wait(p, timeout_ms);
	/* One that takes longer is left to its guardian. */
	close_end(p, &p->guardian);
}
