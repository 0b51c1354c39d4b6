#include "bindings/curl.h"

#include <dlfcn.h>
#include <stdlib.h>

#define LIBRARY "libcurl.so.4"

/* CURLOPT_QUICK_EXIT: without it, the end of a call would wait for the
 * resolver's thread. */
#define OLDEST 0x075700

#define FEATURES                                                               \
	(CURL_VERSION_SSL | CURL_VERSION_ASYNCHDNS | CURL_VERSION_THREADSAFE)

/* KERNEL: POSIX allows what C does not, to make a function's pointer of an
 * object's (dlsym(3)). */
static bool
find(void *handle, const char *name, void *to)
{
	void *symbol = dlsym(handle, name);

	*(void **)to = symbol;
	return symbol != NULL;
}

static bool
is_usable(struct bind_curl *curl)
{
	const curl_version_info_data *data =
	    curl->curl_version_info(CURLVERSION_NOW);

	curl->has_bundle =
	    data->age >= CURLVERSION_SEVENTH && data->cainfo != NULL;
	return data->version_num >= OLDEST &&
	    (data->features & FEATURES) == FEATURES;
}

bool
bind_curl_logs_keys(void)
{
	const char *file = getenv("SSLKEYLOGFILE");

	return file != NULL && *file != '\0';
}

enum wire_err
bind_curl_load(struct bind_curl *ret_curl)
{
	struct bind_curl curl;
	bool all = true;

	curl.handle = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
	if (curl.handle == NULL)
		return WIRE_ERR_SYSTEM;
#define X(name) all = all && find(curl.handle, #name, &curl.name);
	BIND_CURL_FUNCTIONS(X)
#undef X
	if (!all || !is_usable(&curl) ||
	    curl.curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
		(void)dlclose(curl.handle);
		return WIRE_ERR_SYSTEM;
	}
	*ret_curl = curl;
	return WIRE_OK;
}

void
bind_curl_unload(struct bind_curl *curl)
{
	curl->curl_global_cleanup();
	(void)dlclose(curl->handle);
	curl->handle = NULL;
}
