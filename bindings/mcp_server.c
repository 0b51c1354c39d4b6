#include "bindings/mcp_server.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "bindings/redact.h"
#include "bindings/sys.h"

#define SECOND_NS UINT64_C(1000000000)
/* How long a process that only tells its era may take for it. */
#define PROBE_NS (3 * SECOND_NS)
/* How long a server may take for a new list while the old one stands. */
#define REFRESH_NS (5 * SECOND_NS)
/* A start that failed is repeated after that at the earliest, and after twice
 * as long each time that it fails again, so many times. */
#define AGAIN_NS    SECOND_NS
#define AGAIN_TWICE 6

/* Bytes of standard error that are shown (B14). */
#define STDERR_SHOWN 1024

static uint64_t
now_ns(const struct bind_mcp_server *s)
{
	return s->loop->now_ns(s->loop->arg);
}

bool
bind_mcp_server_is_ready(const struct bind_mcp_server *s)
{
	return s->state == BIND_MCP_READY || s->state == BIND_MCP_REFRESHING;
}

/* --- words -----------------------------------------------------------------
 */

void
bind_mcp_server_quote(const struct bind_mcp_server *s, struct bind_text *text,
    struct wire_span said, bool is_tail, size_t max)
{
	struct bind_redact redact = {
	    s->entry->hidden.names, s->entry->hidden.count};
	uint8_t buf[2 * BIND_TAIL_MAX];
	struct bind_text shown;

	bind_text_init(&shown, buf, sizeof(buf));
	/* SECURITY: what was configured for the server's eyes only is not told
	 * to the program because the server printed it (B14). */
	bind_redact_add(&shown, &redact, said, is_tail);
	bind_text_add_escaped_tail(text, bind_text_span(&shown), max);
}

void
bind_mcp_server_add_stderr(struct bind_mcp_server *s)
{
	struct wire_span tail = {s->process.tail.bytes, s->process.tail.len};

	while (tail.len > 0 && tail.p[tail.len - 1] == '\n')
		tail.len--;
	if (tail.len == 0)
		return;
	bind_text_add(&s->why, "; stderr: ");
	bind_mcp_server_quote(
	    s, &s->why, tail, s->process.is_tail, STDERR_SHOWN);
}

static void
add_status(struct bind_mcp_server *s)
{
	const struct bind_mcp_process *p = &s->process;
	int status = p->record.wait_status;

	if (!p->reported) {
		bind_text_add(&s->why, "its guardian ended without a report");
	} else if (p->record.code == WIRE_REPORT_FAILED) {
		bind_text_add(&s->why, "its command cannot be run: ");
		bind_text_add(&s->why, bind_sys_error_text(p->record.sys));
	} else if (WIFEXITED(status)) {
		bind_text_add(&s->why, "it ended with exit status ");
		bind_text_add_uint(&s->why, (uint64_t)WEXITSTATUS(status));
	} else {
		bind_text_add(&s->why, "it was ended by signal ");
		bind_text_add_uint(&s->why, (uint64_t)WTERMSIG(status));
	}
}

/* A new reason; what is added later belongs to it. */
void
bind_mcp_server_say_why(struct bind_mcp_server *s, const char *words)
{
	bind_text_init(&s->why, s->why_buf, sizeof(s->why_buf));
	bind_text_add(&s->why, words);
}

/* --- what the table says ---------------------------------------------------
 */

static void
await_until(struct bind_mcp_server *s, uint64_t deadline_ns)
{
	s->deadline_ns = deadline_ns;
	s->again(s->again_arg);
}

static bool
ask(struct bind_mcp_server *s, struct bind_mcp_line *line, uint64_t id)
{
	s->awaited = id;
	return bind_mcp_process_say(&s->process, line);
}

static bool
do_spawn(struct bind_mcp_server *s)
{
	bool probing = s->state == BIND_MCP_PROBING;
	enum bind_mcp_era era = probing ? BIND_MCP_ERA_MODERN : s->era;
	struct wire_errinfo info = {"", 0, 0};
	uint64_t id = s->next_id++, now = now_ns(s);

	bind_mcp_server_say_why(s, "");
	s->noise = 0;
	s->stale = s->asked_anew = false;
	if (probing)
		await_until(s, now + PROBE_NS);
	else
		await_until(s, now + s->entry->start_ns);
	if (bind_mcp_process_start(&s->process, s->entry->command, &info) !=
	    WIRE_OK) {
		bind_mcp_server_say_why(s, "the host cannot start a process");
		if (info.sys != 0) {
			bind_text_add(&s->why, ": ");
			bind_text_add(&s->why, bind_sys_error_text(info.sys));
		}
		return false;
	}
	return ask(s, bind_mcp_write_hello(era, id), id);
}

static bool
do_greet(struct bind_mcp_server *s)
{
	return s->era == BIND_MCP_ERA_MODERN ||
	    bind_mcp_process_say(&s->process, bind_mcp_write_initialized());
}

static bool
do_ask(struct bind_mcp_server *s)
{
	struct bind_mcp_list *list = &s->coming;
	uint64_t id = s->next_id++;

	if (list->page_count == 0) {
		s->asked_anew |= s->stale;
		s->stale = false;
		s->lists++;
	}
	return ask(s,
	    bind_mcp_write_list(
		s->era, id, (struct wire_span){list->cursor, list->cursor_len}),
	    id);
}

static void
do_adopt(struct bind_mcp_server *s)
{
	bind_mcp_list_release(&s->list);
	s->list = s->coming;
	bind_mcp_list_init(&s->coming);
	s->listed_ns = now_ns(s);
	s->failures = 0;
	s->asked_anew = false;
}

static void
do_settle(struct bind_mcp_server *s)
{
	s->busy = s->restart = false;
	/* The next execution asks again for a list that did not come. */
	s->stale |= s->asked_anew;
	s->asked_anew = false;
	s->awaited = 0;
	s->deadline_ns = UINT64_MAX;
	bind_mcp_list_release(&s->coming);
}

static void
do_kill(struct bind_mcp_server *s)
{
	s->awaited = 0;
	bind_mcp_process_end(&s->process);
	bind_mcp_list_release(&s->list);
	bind_mcp_list_release(&s->coming);
	bind_mcp_call_lose_all(s);
}

static bool
perform(struct bind_mcp_server *s, unsigned actions)
{
	bool good = true;

	if ((actions & BIND_MCP_DO_SPAWN) != 0)
		good = do_spawn(s);
	if (good && (actions & BIND_MCP_DO_GREET) != 0)
		good = do_greet(s);
	if (good && (actions & BIND_MCP_DO_ASK) != 0)
		good = do_ask(s);
	if ((actions & BIND_MCP_DO_ADOPT) != 0)
		do_adopt(s);
	if ((actions & BIND_MCP_DO_SETTLE) != 0)
		do_settle(s);
	if ((actions & BIND_MCP_DO_KILL) != 0)
		do_kill(s);
	return good;
}

static void
begin(struct bind_mcp_server *s)
{
	bind_mcp_server_event(
	    s, s->era == BIND_MCP_ERA_AUTO ? BIND_MCP_PROBE : BIND_MCP_START);
}

/* A probe that fails is none: another start follows at once. */
static bool
is_failed_start(const struct bind_mcp_server *s, enum bind_mcp_event event,
    unsigned actions)
{
	return (s->state == BIND_MCP_HELLO || s->state == BIND_MCP_LISTING) &&
	    (actions & BIND_MCP_DO_KILL) != 0 && event != BIND_MCP_STOP;
}

void
bind_mcp_server_event(struct bind_mcp_server *s, enum bind_mcp_event event)
{
	bool probed = s->state == BIND_MCP_PROBING && event != BIND_MCP_STOP;
	struct bind_mcp_step step = bind_mcp_next(s->state, event);

	WIRE_BUG_IF(step.actions == 0);
	if (is_failed_start(s, event, step.actions)) {
		s->failed_ns = now_ns(s);
		s->failures += s->failures <= AGAIN_TWICE;
	}
	s->state = step.next;
	if (probed) {
		s->restart = true;
		await_until(s, now_ns(s) + s->entry->start_ns);
		if (s->era == BIND_MCP_ERA_AUTO)
			s->era = BIND_MCP_ERA_LEGACY;
	}
	if (!perform(s, step.actions)) {
		if (s->why.len == 0)
			bind_mcp_server_say_why(
			    s, "it does not read what it is sent");
		bind_mcp_server_event(s, BIND_MCP_FAIL);
		if (!bind_mcp_process_is_there(&s->process))
			bind_mcp_server_event(s, BIND_MCP_REAPED);
		return;
	}
	if ((step.actions & BIND_MCP_DO_FORGET) != 0 && s->restart) {
		s->restart = false;
		begin(s);
	}
}

/* --- what the process tells ------------------------------------------------
 */

static void
on_ended(void *arg, const char *how)
{
	struct bind_mcp_server *s = arg;

	bind_mcp_server_say_why(s, how != NULL ? how : "");
	if (how == NULL)
		add_status(s);
	bind_mcp_server_add_stderr(s);
	bind_mcp_server_event(s, BIND_MCP_ENDED);
}

static void
on_gone(void *arg)
{
	bind_mcp_server_event(arg, BIND_MCP_REAPED);
}

static void
on_again(void *arg)
{
	struct bind_mcp_server *s = arg;

	s->again(s->again_arg);
}

/* --- for the pool ----------------------------------------------------------
 */

void
bind_mcp_server_init(struct bind_mcp_server *s,
    const struct bind_mcp_entry *entry, const struct bind_loop *loop,
    struct bind_json_check *check, void (*again)(void *arg), void *again_arg)
{
	memset(s, 0, sizeof(*s));
	s->entry = entry;
	s->loop = loop;
	s->check = check;
	s->again = again;
	s->again_arg = again_arg;
	s->era = entry->era;
	s->state = BIND_MCP_DOWN;
	s->next_id = 1;
	s->deadline_ns = UINT64_MAX;
	s->handler = (struct bind_mcp_handler){
	    .arg = s,
	    .line = bind_mcp_hear_line,
	    .more = bind_mcp_hear_more,
	    .dropped = bind_mcp_hear_dropped,
	    .ended = on_ended,
	    .gone = on_gone,
	    .again = on_again,
	};
	bind_mcp_process_init(&s->process, loop, &s->handler);
	bind_mcp_list_init(&s->list);
	bind_mcp_list_init(&s->coming);
	bind_text_init(&s->why, s->why_buf, sizeof(s->why_buf));
	TAILQ_INIT(&s->calls);
}

void
bind_mcp_server_release(struct bind_mcp_server *s)
{
	bind_mcp_list_release(&s->list);
	bind_mcp_list_release(&s->coming);
}

/* Of the modern era nobody says that a list has changed; it has a time. */
static bool
is_stale(const struct bind_mcp_server *s)
{
	return s->stale ||
	    (s->era == BIND_MCP_ERA_MODERN &&
		now_ns(s) - s->listed_ns >= s->list.ttl_ms * 1000000);
}

uint64_t
bind_mcp_server_rest_ns(const struct bind_mcp_server *s)
{
	uint64_t gone = now_ns(s) - s->failed_ns, rest;

	if (s->failures == 0)
		return 0;
	rest = AGAIN_NS << (s->failures - 1);
	return gone < rest ? rest - gone : 0;
}

void
bind_mcp_server_prepare(struct bind_mcp_server *s)
{
	uint64_t now = now_ns(s);

	if (s->busy)
		return;
	s->lists = 0;
	/* Also while the process that failed is still ending. */
	if (!bind_mcp_server_is_ready(s) && bind_mcp_server_rest_ns(s) > 0)
		return;
	if (s->state == BIND_MCP_DOWN) {
		s->busy = true;
		begin(s);
	} else if (s->state == BIND_MCP_READY && is_stale(s)) {
		s->busy = true;
		await_until(s,
		    now +
			(s->entry->start_ns < REFRESH_NS ? s->entry->start_ns
							 : REFRESH_NS));
		bind_mcp_server_event(s, BIND_MCP_STALE);
	} else if (s->state == BIND_MCP_ENDING) {
		s->busy = s->restart = true;
		await_until(s, now + s->entry->start_ns);
	}
}

uint64_t
bind_mcp_server_next(const struct bind_mcp_server *s)
{
	const struct bind_mcp_call *call = TAILQ_FIRST(&s->calls);
	uint64_t next = bind_mcp_process_next(&s->process);

	if (s->deadline_ns < next)
		next = s->deadline_ns;
	if (call != NULL && call->deadline_ns < next)
		next = call->deadline_ns;
	return next;
}

void
bind_mcp_server_tick(struct bind_mcp_server *s)
{
	uint64_t now = now_ns(s);

	if (bind_mcp_process_next(&s->process) <= now)
		bind_mcp_process_turn(&s->process);
	bind_mcp_call_tick(s, now);
	if (s->deadline_ns > now)
		return;
	s->deadline_ns = UINT64_MAX;
	if (s->state != BIND_MCP_REFRESHING && s->state != BIND_MCP_PROBING) {
		bind_mcp_server_say_why(s,
		    s->state == BIND_MCP_ENDING
			? "its last process has not ended yet"
			: "it did not list its tools in time "
			  "(startupTimeout)");
		bind_mcp_server_add_stderr(s);
	}
	bind_mcp_server_event(s, BIND_MCP_LATE);
}
