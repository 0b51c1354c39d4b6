#include "supervisor/exec_mcp.h"

#include <stdlib.h>
#include <string.h>

#include "bindings/provider_mcp.h"
#include "bindings/sha256.h"
#include "supervisor/exec_begin.h"
#include "supervisor/mcp_load.h"
#include "supervisor/narrow.h"
#include "supervisor/sys.h"
#include "supervisor/tool_marks.h"

/* What a warning may take of the room for all of them. */
#define WARNING_SHOWN 1024

struct sup_mcp_pool {
	struct sup_mcp_pool *next; /* the one used last comes first */
	uint8_t owner[BIND_SHA256_LEN];
	struct bind_mcp_pool *pool;
	size_t users;
	bool stopping;
};

/* --- pools -----------------------------------------------------------------
 */

static const uint8_t nobody[BIND_SHA256_LEN];

/* SECURITY: two tenants never share a server, which may remember what it was
 * asked; nor do two profiles of one. */
static struct sup_mcp_pool **
find_pool(struct weir *weir, const uint8_t *owner)
{
	struct sup_mcp_pool **at = &weir->pools;

	while (*at != NULL &&
	    ((*at)->stopping ||
		memcmp((*at)->owner, owner, BIND_SHA256_LEN) != 0))
		at = &(*at)->next;
	return at;
}

static struct sup_mcp_pool *
new_pool(struct weir *weir, const uint8_t *owner, struct wire_errinfo *info)
{
	struct sup_mcp_pool *pool = calloc(1, sizeof(*pool));
	uint64_t seed;
	int r = sup_sys_random(&seed, sizeof(seed));

	*info = (struct wire_errinfo){"getrandom", r < 0 ? -r : 0, 0};
	if (pool == NULL || r < 0 ||
	    bind_mcp_pool_new(sup_mcp_config(weir->mcp), &weir->bind_loop, seed,
		&pool->pool, info) != WIRE_OK) {
		free(pool);
		return NULL;
	}
	memcpy(pool->owner, owner, BIND_SHA256_LEN);
	return pool;
}

static struct sup_mcp_pool *
take_pool(struct weir *weir, const uint8_t *owner, struct wire_errinfo *info)
{
	struct sup_mcp_pool **at = find_pool(weir, owner);
	struct sup_mcp_pool *pool = *at;

	if (pool != NULL)
		*at = pool->next;
	else
		pool = new_pool(weir, owner, info);
	if (pool == NULL)
		return NULL;
	pool->next = weir->pools;
	weir->pools = pool;
	pool->users++;
	return pool;
}

/* Owners that come and go do not leave ever more processes behind. */
static void
stop_idle(struct weir *weir)
{
	size_t idle = 0;

	for (struct sup_mcp_pool *p = weir->pools; p != NULL; p = p->next) {
		if (p->users > 0 || p->stopping || ++idle <= SUP_MCP_IDLE)
			continue;
		p->stopping = true;
		bind_mcp_pool_stop(p->pool);
	}
}

void
sup_exec_mcp_sweep(struct weir *weir)
{
	struct sup_mcp_pool **at = &weir->pools;

	while (*at != NULL) {
		struct sup_mcp_pool *pool = *at;

		if (!pool->stopping || !bind_mcp_pool_is_down(pool->pool)) {
			at = &pool->next;
			continue;
		}
		*at = pool->next;
		bind_mcp_pool_free(pool->pool, 0);
		free(pool);
	}
}

void
sup_exec_mcp_free(struct weir *weir)
{
	uint64_t until = sup_sys_now() + BIND_MCP_HANG_UP_NS;

	for (struct sup_mcp_pool *p = weir->pools; p != NULL; p = p->next)
		bind_mcp_pool_hang_up(p->pool);
	while (weir->pools != NULL) {
		struct sup_mcp_pool *pool = weir->pools;

		weir->pools = pool->next;
		bind_mcp_pool_free(pool->pool, until);
		free(pool);
	}
	sup_mcp_free(weir->mcp);
	weir->mcp = NULL;
}

/* --- an execution ----------------------------------------------------------
 */

static struct bind_mcp_wish
wish_of(const struct weir_execution *e)
{
	struct bind_mcp_wish wish = {NULL, 0};

	if (e->only != NULL) {
		/* An empty list, too, is a list. */
		static const struct wire_span none = {NULL, 0};

		wish.only = e->only->count > 0 ? e->only->names : &none;
		wish.only_count = e->only->count;
	}
	return wish;
}

void
sup_exec_mcp_begin(struct weir_execution *e)
{
	struct weir *weir = e->weir;
	struct wire_errinfo info = {"", 0, 0};
	struct bind_mcp_wish wish = wish_of(e);

	e->pool = take_pool(weir, e->owner != NULL ? e->owner : nobody, &info);
	if (e->pool == NULL) {
		sup_exec_fail(e, &info);
		return;
	}
	e->state = SUP_EXEC_GATHERING;
	bind_mcp_pool_prepare(e->pool->pool, &wish);
	sup_exec_mcp_look(e);
}

void
sup_exec_mcp_look(struct weir_execution *e)
{
	struct bind_mcp_wish wish = wish_of(e);

	if (bind_mcp_pool_is_settled(e->pool->pool, &wish))
		sup_exec_event(e, SUP_EVENT_GATHERED);
}

static void
warn(void *arg, struct wire_span text)
{
	size_t len = text.len < WARNING_SHOWN ? text.len : WARNING_SHOWN;

	/* Of a character that is cut the result makes a replacement. */
	sup_exec_warn_of(arg, "%.*s", (int)len, (const char *)text.p);
}

/* False: the execution has been refused. */
static bool
offer(struct weir_execution *e)
{
	struct bind_mcp_wish wish = wish_of(e);
	struct bind_mcp_offer to = {.warn = warn, .arg = e};
	uint8_t buf[WIRE_KIB];
	struct bind_text why;
	enum wire_err err;

	bind_text_init(&why, buf, sizeof(buf) - 1);
	err = bind_catalogue_extend(e->weir->catalogue, &e->catalogue);
	to.catalogue = e->catalogue;
	if (err == WIRE_OK)
		err = bind_mcp_pool_offer(e->pool->pool, &wish, &to, &why);
	if (err == WIRE_OK)
		sup_tool_marks_apply(e);
	if (err == WIRE_OK && sup_exec_run_max(e) > WIRE_MAX_FRAME) {
		bind_text_add(&why,
		    "the names of all tools do not fit the frame that offers "
		    "them; offer fewer, with includeTools");
		err = WIRE_ERR_BAD_FIELD;
	}
	buf[why.len] = '\0';
	if (err == WIRE_ERR_BAD_FIELD)
		sup_exec_refuse(e, SUP_KIND_PROVIDER_ERROR, (const char *)buf);
	else if (err != WIRE_OK)
		sup_exec_fail(e, &(struct wire_errinfo){"tools", 0, 0});
	return err == WIRE_OK;
}

void
sup_exec_mcp_go(struct weir_execution *e)
{
	struct wire_errinfo info = {"", 0, 0};
	enum wire_err err;

	if (!offer(e))
		return;
	err = sup_exec_prepare(e, &info);
	if (err == WIRE_OK)
		sup_exec_begin(e);
	else if (err == WIRE_ERR_BAD_ARGUMENT)
		sup_exec_refuse(e, SUP_KIND_SETUP, info.site);
	else
		sup_exec_fail(e, &info);
}

void
sup_exec_mcp_end(struct weir_execution *e)
{
	bind_catalogue_free(e->catalogue);
	e->catalogue = NULL;
	if (e->pool == NULL)
		return;
	e->pool->users--;
	e->pool = NULL;
	stop_idle(e->weir);
}
