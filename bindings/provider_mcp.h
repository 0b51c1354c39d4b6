/*
 * The provider `mcp`: the tools of other programs, by the Model Context
 * Protocol over standard input and output (B8).
 *
 * A pool is the servers of one configuration for one owner, a tenant with its
 * profile: two of these never share a process. Servers live across the
 * executions of a pool. They run with the caller's rights, under a guardian
 * each, and nothing of one reaches another.
 *
 * Before an execution, prepare() starts in parallel what it may need and lists
 * its tools; is_settled() says when there is nothing more to wait for, and
 * offer() puts the tools into the execution's catalogue, as SERVER.TOOL. That
 * list stands for the execution; what a server adds or withdraws meanwhile
 * counts from the next one on (B10).
 *
 * Ends of a call: what the server answered (bindings/mcp_result.h); FAILED,
 * with its words; INPUT_REQUIRED when it asked for a person, for a model, or
 * for the client's files, which is refused at once (B9); what cancel() said,
 * and the call is unknown then, unless the server had not heard of it;
 * UNREACHABLE when the server is not there. When a server ends, its calls have
 * FAILED, and are unknown (B5): nothing is ever sent twice.
 *
 * Threads: the loop's.
 */
#ifndef BIND_PROVIDER_MCP_H
#define BIND_PROVIDER_MCP_H

#include "bindings/catalogue.h"
#include "bindings/loop.h"
#include "bindings/mcp_config.h"
#include "bindings/text.h"

/* Tools that one execution is offered at most. */
#define BIND_MCP_OFFERED 10000

struct bind_mcp_pool;

/* The tool's data is a struct bind_mcp_tool, counted. */
extern const struct bind_provider bind_provider_mcp;

/* No process yet. config and loop outlive it. seed: see
 * bindings/json_check.h. NO_MEMORY, or SYSTEM with info->sys. */
WIRE_MUST_USE enum wire_err bind_mcp_pool_new(
    const struct bind_mcp_config *config, const struct bind_loop *loop,
    uint64_t seed, struct bind_mcp_pool **ret_pool, struct wire_errinfo *info);

/* Closes the standard input of all servers, so that they may end. */
void bind_mcp_pool_hang_up(struct bind_mcp_pool *pool);

/* How long servers are given for that. */
#define BIND_MCP_HANG_UP_NS UINT64_C(1000000000)

/* NULL is fine. Ends all servers: they may end by themselves until then, and
 * what is left is killed. No catalogue that it offered to is left. */
void bind_mcp_pool_free(struct bind_mcp_pool *pool, uint64_t until_ns);

/* Ends them without waiting; is_down() says when free() has nothing to wait
 * for. Nothing may be prepared any more. */
void bind_mcp_pool_stop(struct bind_mcp_pool *pool);
bool bind_mcp_pool_is_down(const struct bind_mcp_pool *pool);

/* The names that an execution may be offered; NULL: any. A server none of
 * whose tools can be among them is left alone. */
struct bind_mcp_wish {
	const struct wire_span *only;
	size_t only_count;
};

void bind_mcp_pool_prepare(
    struct bind_mcp_pool *pool, const struct bind_mcp_wish *wish);
bool bind_mcp_pool_is_settled(
    const struct bind_mcp_pool *pool, const struct bind_mcp_wish *wish);

struct bind_mcp_offer {
	struct bind_catalogue *catalogue;
	/* What the caller is to know: a server that is not there, tools that
	 * are left out. Good until it returns. */
	void (*warn)(void *arg, struct wire_span text);
	void *arg;
};

/*
 * BAD_FIELD: a server that is required is not there, and *why, which has room
 * for WIRE_KIB, says why. NO_MEMORY.
 */
WIRE_MUST_USE enum wire_err bind_mcp_pool_offer(struct bind_mcp_pool *pool,
    const struct bind_mcp_wish *wish, const struct bind_mcp_offer *offer,
    struct bind_text *why);

#endif
