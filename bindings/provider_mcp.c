#include "bindings/provider_mcp.h"

#include <stdlib.h>
#include <string.h>

#include "bindings/mcp_server.h"
#include "bindings/sys.h"

/* How long the trees of servers may take to be killed. */
#define ABANDON_NS UINT64_C(1000000000)

struct bind_mcp_pool {
	const struct bind_mcp_config *config;
	const struct bind_loop *loop;
	struct bind_json_check check;
	struct bind_watch timer;
	bool watched;
	uint64_t armed_ns; /* UINT64_MAX: not set */
	struct bind_mcp_server servers[];
};

/* --- time ------------------------------------------------------------------
 */

static void
arm(struct bind_mcp_pool *pool)
{
	uint64_t next = UINT64_MAX;

	for (size_t i = 0; i < pool->config->count; i++) {
		uint64_t at = bind_mcp_server_next(&pool->servers[i]);

		if (at < next)
			next = at;
	}
	if (next == pool->armed_ns)
		return;
	pool->armed_ns = next;
	if (next == UINT64_MAX)
		next = 0;
	else if (next == 0)
		next = 1; /* at once; 0 would be never */
	(void)bind_sys_timer_set(pool->timer.fd, next);
}

static void
again(void *arg)
{
	arm(arg);
}

static void
timer_ready(void *arg, unsigned events)
{
	struct bind_mcp_pool *pool = arg;
	uint64_t count;

	(void)events;
	(void)bind_sys_read(pool->timer.fd, &count, sizeof(count));
	pool->armed_ns = UINT64_MAX;
	for (size_t i = 0; i < pool->config->count; i++)
		bind_mcp_server_tick(&pool->servers[i]);
	arm(pool);
}

/* --- its life --------------------------------------------------------------
 */

enum wire_err
bind_mcp_pool_new(const struct bind_mcp_config *config,
    const struct bind_loop *loop, uint64_t seed,
    struct bind_mcp_pool **ret_pool, struct wire_errinfo *info)
{
	struct bind_mcp_pool *pool;
	enum wire_err err;

	pool =
	    calloc(1, sizeof(*pool) + config->count * sizeof(pool->servers[0]));
	if (pool == NULL)
		return wire_fail(info, WIRE_ERR_NO_MEMORY, "mcp", 0);
	pool->config = config;
	pool->loop = loop;
	pool->armed_ns = UINT64_MAX;
	bind_json_check_init(&pool->check, seed);
	pool->timer.fd = bind_sys_timer();
	pool->timer.ready = timer_ready;
	pool->timer.arg = pool;
	for (size_t i = 0; i < config->count; i++)
		bind_mcp_server_init(&pool->servers[i], &config->entries[i],
		    loop, &pool->check, again, pool);
	if (pool->timer.fd < 0) {
		(void)wire_fail(info, WIRE_ERR_SYSTEM, "timerfd_create", 0);
		if (info != NULL)
			info->sys = -pool->timer.fd;
		bind_mcp_pool_free(pool, 0);
		return WIRE_ERR_SYSTEM;
	}
	err = loop->watch(loop->arg, &pool->timer, BIND_EVENT_READ);
	if (err != WIRE_OK) {
		bind_mcp_pool_free(pool, 0);
		return wire_fail(info, err, "watching a timer", 0);
	}
	pool->watched = true;
	*ret_pool = pool;
	return WIRE_OK;
}

static uint64_t
ms_left(const struct bind_mcp_pool *pool, uint64_t until_ns)
{
	uint64_t now = pool->loop->now_ns(pool->loop->arg);

	return now < until_ns ? (until_ns - now) / 1000000 : 0;
}

void
bind_mcp_pool_hang_up(struct bind_mcp_pool *pool)
{
	for (size_t i = 0; i < pool->config->count; i++)
		bind_mcp_process_hang_up(&pool->servers[i].process);
}

/* All at the same time: each hears at once that nothing more comes. */
static void
end_all(struct bind_mcp_pool *pool, uint64_t until)
{
	uint64_t abandon;

	bind_mcp_pool_hang_up(pool);
	for (size_t i = 0; i < pool->config->count; i++)
		(void)bind_mcp_process_wait(
		    &pool->servers[i].process, (int)ms_left(pool, until));
	for (size_t i = 0; i < pool->config->count; i++)
		bind_mcp_process_end(&pool->servers[i].process);
	abandon = pool->loop->now_ns(pool->loop->arg) + ABANDON_NS;
	for (size_t i = 0; i < pool->config->count; i++)
		bind_mcp_process_abandon(
		    &pool->servers[i].process, (int)ms_left(pool, abandon));
}

void
bind_mcp_pool_free(struct bind_mcp_pool *pool, uint64_t until_ns)
{
	if (pool == NULL)
		return;
	end_all(pool, until_ns);
	for (size_t i = 0; i < pool->config->count; i++)
		bind_mcp_server_release(&pool->servers[i]);
	if (pool->watched)
		pool->loop->unwatch(pool->loop->arg, &pool->timer);
	bind_sys_close(&pool->timer.fd);
	bind_json_check_release(&pool->check);
	free(pool);
}

void
bind_mcp_pool_stop(struct bind_mcp_pool *pool)
{
	for (size_t i = 0; i < pool->config->count; i++)
		bind_mcp_server_event(&pool->servers[i], BIND_MCP_STOP);
}

bool
bind_mcp_pool_is_down(const struct bind_mcp_pool *pool)
{
	for (size_t i = 0; i < pool->config->count; i++) {
		if (pool->servers[i].state != BIND_MCP_DOWN)
			return false;
	}
	return true;
}

/* --- before an execution ---------------------------------------------------
 */

static bool
is_of(const struct bind_mcp_server *server, struct wire_span tool)
{
	struct wire_span name = server->entry->name;

	return tool.len > name.len + 1 && tool.p[name.len] == '.' &&
	    memcmp(tool.p, name.p, name.len) == 0;
}

static bool
is_wanted(
    const struct bind_mcp_server *server, const struct bind_mcp_wish *wish)
{
	if (wish->only == NULL)
		return true;
	for (size_t i = 0; i < wish->only_count; i++) {
		if (is_of(server, wish->only[i]))
			return true;
	}
	return false;
}

void
bind_mcp_pool_prepare(
    struct bind_mcp_pool *pool, const struct bind_mcp_wish *wish)
{
	for (size_t i = 0; i < pool->config->count; i++) {
		if (is_wanted(&pool->servers[i], wish))
			bind_mcp_server_prepare(&pool->servers[i]);
	}
	arm(pool);
}

bool
bind_mcp_pool_is_settled(
    const struct bind_mcp_pool *pool, const struct bind_mcp_wish *wish)
{
	for (size_t i = 0; i < pool->config->count; i++) {
		if (pool->servers[i].busy && is_wanted(&pool->servers[i], wish))
			return false;
	}
	return true;
}

/* --- the offer -------------------------------------------------------------
 */

static bool
has_name(const struct bind_mcp_names *names, const struct bind_mcp_tool *tool)
{
	for (size_t i = 0; i < names->count; i++) {
		if (wire_span_equal(names->names[i],
			(struct wire_span){tool->name, tool->name_len}))
			return true;
	}
	return false;
}

static bool
is_let_in(const struct bind_mcp_entry *entry, const struct bind_mcp_tool *tool)
{
	return (!entry->has_include || has_name(&entry->include, tool)) &&
	    !has_name(&entry->exclude, tool);
}

/* What was left out, by reason. */
struct left_out {
	unsigned long long names, repeated, over;
};

static enum wire_err
offer_tool(struct bind_mcp_server *server, struct bind_mcp_tool *tool,
    struct bind_catalogue *catalogue, struct left_out *left)
{
	struct wire_span prefix = server->entry->name;
	uint8_t name[BIND_MCP_SERVER_NAME + 1 + WIRE_MAX_TOOL_NAME];
	struct wire_span whole = {name, prefix.len + 1 + tool->name_len};
	struct wire_errinfo info = {"", 0, 0};
	enum wire_err err;

	memcpy(name, prefix.p, prefix.len);
	name[prefix.len] = '.';
	memcpy(name + prefix.len + 1, tool->name, tool->name_len);
	/* SECURITY: what may wait for a person is refused before it runs. */
	err = bind_catalogue_add(catalogue, whole, &bind_provider_mcp, tool,
	    tool->suspends ? BIND_TOOL_NEEDS_INPUT : 0, &info);
	if (err == WIRE_OK) {
		tool->references++;
		bind_catalogue_describe(catalogue, whole, &tool->about);
		return WIRE_OK;
	}
	if (err != WIRE_ERR_BAD_ARGUMENT)
		return err;
	if (strcmp(info.site, "duplicate") == 0)
		left->repeated++;
	else if (strcmp(info.site, "count") == 0)
		left->over++;
	else
		left->names++;
	return WIRE_OK;
}

static void
add_count(struct bind_text *text, unsigned long long count, const char *words)
{
	if (count == 0)
		return;
	bind_text_add(text, "; ");
	bind_text_add_uint(text, count);
	bind_text_add(text, words);
}

static void
begin_warning(const struct bind_mcp_server *server, struct bind_text *text,
    uint8_t *buf, size_t size)
{
	bind_text_init(text, buf, size);
	bind_text_add(text, "MCP server ");
	bind_text_add_escaped(text, server->entry->name);
}

static void
warn_left_out(struct bind_mcp_server *server, const struct left_out *left,
    const struct bind_mcp_offer *offer)
{
	const struct bind_mcp_list *list = &server->list;
	uint8_t buf[512];
	struct bind_text text;
	size_t len;

	begin_warning(server, &text, buf, sizeof(buf));
	len = text.len;
	add_count(&text, left->names + list->unusable,
	    " tools without a usable name are not offered");
	add_count(&text, left->repeated + list->repeated,
	    " tools have a name that stands before, and are not offered");
	add_count(&text, left->over + list->over,
	    " tools are more than can be offered");
	if (list->is_cut)
		bind_text_add(
		    &text, "; its list has no end that could be reached");
	add_count(&text, server->noise_total,
	    " lines of its standard output were no messages");
	server->noise_total = 0;
	if (text.len > len)
		offer->warn(offer->arg, bind_text_span(&text));
}

static enum wire_err
offer_all(struct bind_mcp_server *server, const struct bind_mcp_offer *offer,
    size_t *count)
{
	struct left_out left = {0, 0, 0};
	enum wire_err err = WIRE_OK;

	for (size_t i = 0; err == WIRE_OK && i < server->list.count; i++) {
		struct bind_mcp_tool *tool = server->list.tools[i];

		if (!is_let_in(server->entry, tool))
			continue;
		if (*count >= BIND_MCP_OFFERED) {
			left.over++;
			continue;
		}
		err = offer_tool(server, tool, offer->catalogue, &left);
		++*count;
	}
	if (err == WIRE_OK)
		warn_left_out(server, &left, offer);
	return err;
}

static void
warn_missing(struct bind_mcp_server *server, struct bind_text *text)
{
	bind_text_add(text, ": ");
	bind_text_add_span(text, bind_text_span(&server->why));
	if (bind_mcp_server_rest_ns(server) == 0)
		return;
	bind_text_add(text, "; it is started again after ");
	bind_text_add_uint(
	    text, (bind_mcp_server_rest_ns(server) + 999999999) / 1000000000);
	bind_text_add(text, " s at the earliest");
}

enum wire_err
bind_mcp_pool_offer(struct bind_mcp_pool *pool,
    const struct bind_mcp_wish *wish, const struct bind_mcp_offer *offer,
    struct bind_text *why)
{
	enum wire_err err = WIRE_OK;
	size_t count = 0;

	for (size_t i = 0; err == WIRE_OK && i < pool->config->count; i++) {
		struct bind_mcp_server *server = &pool->servers[i];
		uint8_t buf[BIND_MCP_WHY + 256];
		struct bind_text text;

		if (!is_wanted(server, wish))
			continue;
		if (bind_mcp_server_is_ready(server)) {
			err = offer_all(server, offer, &count);
			continue;
		}
		begin_warning(server, &text, buf, sizeof(buf));
		if (server->entry->required) {
			bind_text_add(&text, " is required, and not there");
			warn_missing(server, &text);
			bind_text_add_span(why, bind_text_span(&text));
			return WIRE_ERR_BAD_FIELD;
		}
		bind_text_add(&text, ": its tools are not offered");
		warn_missing(server, &text);
		offer->warn(offer->arg, bind_text_span(&text));
	}
	return err;
}

/* --- the provider ----------------------------------------------------------
 */

/* SECURITY: what its server does not list any more is refused to those who
 * were offered it as well, before anything of it happens (B10). */
static enum wire_tool_kind
admit(void *tool_data, struct wire_span arguments, const char **ret_words)
{
	const struct bind_mcp_tool *tool = tool_data;

	(void)arguments;
	if (!bind_mcp_server_is_ready(tool->server) ||
	    bind_mcp_list_has(&tool->server->list,
		(struct wire_span){tool->name, tool->name_len}))
		return WIRE_TOOL_NONE;
	*ret_words = "its server does not list it any more";
	return WIRE_TOOL_NOT_OFFERED;
}

static void
start(void *tool_data, struct bind_job *job)
{
	bind_mcp_call_start(tool_data, job);
}

static void
cancel(struct bind_job *job, enum wire_tool_kind kind)
{
	bind_mcp_call_cancel(job->state, kind);
}

static void
abandon(struct bind_job *job)
{
	if (job->state != NULL)
		bind_mcp_call_abandon(job->state);
}

static void
release(void *tool_data)
{
	bind_mcp_tool_drop(tool_data);
}

const struct bind_provider bind_provider_mcp = {
    .name = "mcp",
    .admit = admit,
    .start = start,
    .cancel = cancel,
    .abandon = abandon,
    .release = release,
};
