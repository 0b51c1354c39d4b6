/*
 * libcurl, as a table of functions.
 *
 * It is loaded when the first HTTP call is made, because loading it and its
 * own libraries would be a part of every start, and stays then. It is used as
 * it is: SIGPIPE, close-on-exec and what it looks for in the environment and
 * in files is the caller's work (bindings/http_client.h, http_request.c).
 *
 * Threads: any, since it was built so; older ones are refused.
 */
#ifndef BIND_CURL_H
#define BIND_CURL_H

#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>
#include <stdbool.h>

#include "wire/err.h"

#define BIND_CURL_FUNCTIONS(X)                                                 \
	X(curl_global_init)                                                    \
	X(curl_global_cleanup)                                                 \
	X(curl_version_info)                                                   \
	X(curl_slist_append)                                                   \
	X(curl_slist_free_all)                                                 \
	X(curl_easy_init)                                                      \
	X(curl_easy_cleanup)                                                   \
	X(curl_easy_setopt)                                                    \
	X(curl_easy_getinfo)                                                   \
	X(curl_multi_init)                                                     \
	X(curl_multi_cleanup)                                                  \
	X(curl_multi_setopt)                                                   \
	X(curl_multi_assign)                                                   \
	X(curl_multi_add_handle)                                               \
	X(curl_multi_remove_handle)                                            \
	X(curl_multi_socket_action)                                            \
	X(curl_multi_info_read)

struct bind_curl {
	void *handle; /* NULL: not loaded */
	/* The certificates that it trusts by itself are all in one file. */
	bool has_bundle;
#define X(name) __typeof__(&name) name;
	BIND_CURL_FUNCTIONS(X)
#undef X
};

/* Whether the process's environment makes libcurl write the keys of TLS to
 * a file (SSLKEYLOGFILE), which no option of its own turns off. */
bool bind_curl_logs_keys(void);

/* SYSTEM when it is not there, too old (before 7.87.0), or built without TLS,
 * threads or names that are looked up beside the caller's thread. */
WIRE_MUST_USE enum wire_err bind_curl_load(struct bind_curl *ret_curl);
/* Nothing that it gave may be left. */
void bind_curl_unload(struct bind_curl *curl);

#endif
