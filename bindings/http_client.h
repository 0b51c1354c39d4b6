/*
 * Transfers of libcurl in the event loop: its sockets and its timer as
 * watches.
 *
 * Owns: one curl multi handle for all transfers of the client, made when the
 * first is added; its watches, while there are transfers. A connection serves
 * one transfer. Shared by the tools of one file, each of which holds it.
 *
 * libcurl's own pairs of sockets are not close-on-exec; every child of weir
 * closes what it was not given (bindings/spawn.h).
 *
 * One thread, the loop's. Not to be called from a callback of libcurl's.
 */
#ifndef BIND_HTTP_CLIENT_H
#define BIND_HTTP_CLIENT_H

#include <bsd/sys/queue.h>

#include "bindings/address.h"
#include "bindings/curl.h"
#include "bindings/http_allow.h"
#include "bindings/loop.h"

#define BIND_HTTP_ENTRIES_MAX 64
#define BIND_HTTP_RANGES_MAX  64

/* Calls that ended while a name was looked up, and how long each is taken to
 * keep a thread: libcurl does not tell when it is gone. */
#define BIND_HTTP_LOOKUPS_MAX 32
#define BIND_HTTP_LOOKUP_NS   ((uint64_t)60 * 1000000000)

/* What the tools of one file have in common. */
struct bind_http_policy {
	size_t entry_count;
	struct bind_http_entry entries[BIND_HTTP_ENTRIES_MAX];
	size_t range_count; /* not public, and may be reached */
	struct bind_address_range ranges[BIND_HTTP_RANGES_MAX];
	struct wire_span ca; /* certificates as PEM; p NULL: the system's */
};

struct bind_http_transfer {
	TAILQ_ENTRY(bind_http_transfer) link;
	CURL *easy;
	bool is_lame; /* the loop cannot watch its socket */
	/* A name is looked up, and no address of it was tried; its owner's. */
	bool is_looking;
	/* It has been removed. Called from the loop, once. */
	void (*finished)(struct bind_http_transfer *transfer, CURLcode code);
};

struct bind_http_client;

/* Copies all of the policy. One reference is the caller's. */
WIRE_MUST_USE enum wire_err bind_http_client_new(
    const struct bind_http_policy *policy,
    struct bind_http_client **ret_client);
struct bind_http_client *bind_http_client_hold(struct bind_http_client *client);
/* Gives a reference back; NULL is fine. */
void bind_http_client_free(struct bind_http_client *client);

const struct bind_http_policy *bind_http_client_policy(
    const struct bind_http_client *client);

/* Loads libcurl when it was not. NULL: it cannot be had. */
const struct bind_curl *bind_http_client_curl(struct bind_http_client *client);

/* Sets the transfer going; nothing of it is called from inside. All transfers
 * at one time are of one loop. NO_MEMORY or SYSTEM, nothing kept. */
WIRE_MUST_USE enum wire_err bind_http_client_add(
    struct bind_http_client *client, const struct bind_loop *loop,
    struct bind_http_transfer *transfer);
/* Whether another name may be looked up: false when too many are that
 * nobody waits for. For a transfer that is under way; may be called from
 * a callback of libcurl's. */
bool bind_http_client_may_look(const struct bind_http_client *client);
/* Ends it without a word. */
void bind_http_client_remove(
    struct bind_http_client *client, struct bind_http_transfer *transfer);

#endif
