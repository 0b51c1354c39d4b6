#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>

#include "bindings/http_job.h"
#include "bindings/sys.h"

/* How long a connection may take that nobody gave a time. */
#define CONNECT_MS 30000

/* --- what libcurl asks on the way ----------------------------------------- */

void
bind_http_job_stop(
    struct bind_http_job *j, enum wire_tool_kind kind, const char *words)
{
	if (j->facts.stop != WIRE_TOOL_NONE)
		return;
	j->facts.stop = kind;
	j->facts.stop_words = words;
}

static bool
may_connect(struct bind_http_job *j, const struct bind_address *address)
{
	const struct bind_http_policy *policy =
	    bind_http_client_policy(j->tool->client);

	if (bind_address_is_allowed(
		address, policy->ranges, policy->range_count))
		return true;
	j->facts.denied = true;
	j->facts.denied_class = bind_address_class(address);
	return false;
}

/* Asked before a host is looked up that is not known from before: an address
 * in its text takes no thread. */
static int
look_up(void *state, void *reserved, void *arg)
{
	struct bind_http_job *j = arg;
	struct bind_address address;

	(void)state;
	(void)reserved;
	if (bind_address_parse(j->tool->template.origin.host, &address))
		return 0;
	if (!bind_http_client_may_look(j->tool->client)) {
		bind_http_job_stop(j, WIRE_TOOL_UNREACHABLE,
		    "too many lookups of names hang; call again in a minute");
		return 1;
	}
	j->transfer.is_looking = true;
	return 0;
}

/* SECURITY: here, and not where a name is resolved, the address is the one
 * that will be connected to. */
static curl_socket_t
open_socket(void *arg, curlsocktype purpose, struct curl_sockaddr *sockaddr)
{
	struct bind_http_job *j = arg;
	struct bind_address address;
	int fd;

	j->transfer.is_looking = false;
	if (purpose != CURLSOCKTYPE_IPCXN ||
	    sockaddr->socktype != SOCK_STREAM ||
	    !bind_address_from_socket(
		&sockaddr->addr, sockaddr->addrlen, &address) ||
	    !may_connect(j, &address))
		return CURL_SOCKET_BAD;
	fd = bind_sys_stream_socket(sockaddr->family);
	if (fd < 0)
		return CURL_SOCKET_BAD;
	j->facts.tried = true;
	return fd;
}

/* The connection stands, and nothing has gone over it but TLS's own words. */
static int
before_request(
    void *arg, char *remote, char *local, int remote_port, int local_port)
{
	struct bind_http_job *j = arg;
	struct bind_address address;

	(void)local;
	(void)remote_port;
	(void)local_port;
	/* Asked once more, of whom it is connected to. */
	if (!bind_address_parse(
		(struct wire_span){(const uint8_t *)remote, strlen(remote)},
		&address) ||
	    !may_connect(j, &address)) {
		bind_http_job_stop(j, WIRE_TOOL_EGRESS_DENIED,
		    "its host has another address than it was connected to");
		return CURL_PREREQFUNC_ABORT;
	}
	j->facts.sent = true;
	return CURL_PREREQFUNC_OK;
}

static size_t
take_header(char *bytes, size_t size, size_t count, void *arg)
{
	struct bind_http_job *j = arg;
	struct wire_span line = {(const uint8_t *)bytes, size * count};

	if (bind_http_response_line(&j->response, line))
		return line.len;
	bind_http_job_stop(j, WIRE_TOOL_FAILED, j->response.problem);
	return line.len == 0;
}

bool
bind_http_job_may_hold(struct bind_http_job *j, size_t needed)
{
	while (needed > j->value.max) {
		size_t more = 0;

		if (j->job->more != NULL)
			more = j->job->more(j->job, j->value.max);
		if (more <= j->value.max)
			break;
		j->value.max = more;
	}
	if (needed <= j->value.max)
		return true;
	bind_http_job_stop(j, j->job->over,
	    j->job->over == WIRE_TOOL_RESULT_TOO_LARGE
		? "stopped while more than result_bytes came"
		: "stopped while more came than can be kept (kept_bytes)");
	return false;
}

/* Of an error's body only the beginning is kept, and so much more that a
 * secret that begins there ends in it. */
static size_t
error_room(const struct bind_http_job *j)
{
	size_t most = BIND_HTTP_EXCERPT + 2 * BIND_HTTP_EXCERPT;

	/* Six bytes for one of JSON's, and that twice over. */
	if (j->tool->secrets.count > 0)
		most += 36 * BIND_HTTP_SECRET_MAX;
	return j->value.len < most ? most - j->value.len : 0;
}

static size_t
take_body(char *bytes, size_t size, size_t count, void *arg)
{
	struct bind_http_job *j = arg;
	struct wire_span more = {(const uint8_t *)bytes, size * count};
	size_t len = more.len;

	if (!bind_http_is_success(&j->response)) {
		if (more.len > error_room(j))
			more.len = error_room(j);
		j->dropped += len - more.len;
		if (j->dropped > j->job->result_max) {
			bind_http_job_stop(j, WIRE_TOOL_FAILED,
			    "stopped while an error came that is over "
			    "result_bytes");
			return 0;
		}
	} else if (more.len > SIZE_MAX - j->value.len ||
	    !bind_http_job_may_hold(j, j->value.len + more.len)) {
		j->dropped += len;
		return 0;
	}
	if (bind_intake_add(&j->value, more) == BIND_INTAKE_MORE)
		return len;
	bind_http_job_stop(j, WIRE_TOOL_FAILED, "the host has no memory");
	return 0;
}

/* --- the request ---------------------------------------------------------- */

static bool
add_line(struct bind_http_job *j, const char *line)
{
	struct curl_slist *list = j->curl->curl_slist_append(j->headers, line);

	if (list == NULL)
		return false;
	j->headers = list;
	return true;
}

static bool
has_line(const struct bind_http_tool *tool, const char *name)
{
	size_t len = strlen(name);

	for (size_t i = 0; i < tool->line_count; i++)
		if (strncasecmp(tool->lines[i], name, len) == 0)
			return true;
	return false;
}

static bool
add_lines(struct bind_http_job *j)
{
	const struct bind_http_tool *tool = j->tool;
	bool good = true;

	if (!has_line(tool, "accept:"))
		good = add_line(j, "Accept: application/json, text/*;q=0.5");
	if (!has_line(tool, "user-agent:"))
		good = good && add_line(j, "User-Agent: weir/" WEIR_VERSION);
	/* No asking whether the body may come. */
	good = good && add_line(j, "Expect:");
	if (tool->has_body)
		good = good && add_line(j, "Content-Type: application/json");
	for (size_t i = 0; i < tool->line_count; i++)
		good = good && add_line(j, tool->lines[i]);
	return good;
}

#define SET(option, value)                                                     \
	(good = good &&                                                        \
		j->curl->curl_easy_setopt(easy, option, value) == CURLE_OK)

/* SECURITY: what the environment, files and the server would otherwise change
 * about where a request goes and what goes with it. */
static bool
close_doors(struct bind_http_job *j)
{
	CURL *easy = j->transfer.easy;
	bool good = true;

	SET(CURLOPT_PROTOCOLS_STR, "http,https");
	SET(CURLOPT_REDIR_PROTOCOLS_STR, "https");
	SET(CURLOPT_FOLLOWLOCATION, 0L);
	SET(CURLOPT_PROXY, "");
	SET(CURLOPT_NOPROXY, "*");
	SET(CURLOPT_NETRC, (long)CURL_NETRC_IGNORED);
	SET(CURLOPT_DISALLOW_USERNAME_IN_URL, 1L);
	SET(CURLOPT_PATH_AS_IS, 1L);
	SET(CURLOPT_HTTP09_ALLOWED, 0L);
	SET(CURLOPT_HTTP_CONTENT_DECODING, 0L);
	SET(CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
	/* SECURITY: who cannot say who he is is told no secret. */
	SET(CURLOPT_SSL_VERIFYPEER, 1L);
	SET(CURLOPT_SSL_VERIFYHOST, 2L);
	SET(CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
	/* SECURITY: a connection, and what TLS remembers, is one call's: the
	 * next one may be another tenant's. */
	SET(CURLOPT_SSL_SESSIONID_CACHE, 0L);
	SET(CURLOPT_FRESH_CONNECT, 1L);
	SET(CURLOPT_FORBID_REUSE, 1L);
	/* The signals are the process's. */
	SET(CURLOPT_NOSIGNAL, 1L);
	/* SECURITY: a call that ends while its host's name is looked up does
	 * not wait for the resolver, and nothing else does. */
	SET(CURLOPT_QUICK_EXIT, 1L);
	return good;
}

static bool
set_certificates(struct bind_http_job *j)
{
	const struct bind_http_policy *policy =
	    bind_http_client_policy(j->tool->client);
	CURL *easy = j->transfer.easy;
	struct curl_blob blob = {
	    .data = (void *)(uintptr_t)policy->ca.p,
	    .len = policy->ca.len,
	    .flags = CURL_BLOB_NOCOPY,
	};
	bool good = true;

	if (policy->ca.p == NULL) {
		/* Read once: libcurl remembers the file of a client's
		 * transfers, but not where a directory stands beside it. */
		if (j->curl->has_bundle)
			SET(CURLOPT_CAPATH, NULL);
		return good;
	}
	/* These and no others. */
	SET(CURLOPT_CAINFO_BLOB, &blob);
	SET(CURLOPT_CAINFO, NULL);
	SET(CURLOPT_CAPATH, NULL);
	return good;
}

static bool
set_request(struct bind_http_job *j)
{
	const struct bind_http_tool *tool = j->tool;
	CURL *easy = j->transfer.easy;
	long ms = (long)(tool->timeout_ns / 1000000);
	bool good = true;

	SET(CURLOPT_URL, j->built.url);
	SET(CURLOPT_HTTPHEADER, j->headers);
	if (tool->has_body) {
		SET(CURLOPT_POST, 1L);
		SET(CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)j->built.body_len);
		SET(CURLOPT_POSTFIELDS, j->built.body);
	} else {
		SET(CURLOPT_HTTPGET, 1L);
	}
	SET(CURLOPT_CUSTOMREQUEST, tool->method);
	SET(CURLOPT_TIMEOUT_MS, ms);
	SET(CURLOPT_CONNECTTIMEOUT_MS,
	    ms > 0 && ms < CONNECT_MS ? ms : (long)CONNECT_MS);
	SET(CURLOPT_RESOLVER_START_FUNCTION, look_up);
	SET(CURLOPT_RESOLVER_START_DATA, j);
	SET(CURLOPT_OPENSOCKETFUNCTION, open_socket);
	SET(CURLOPT_OPENSOCKETDATA, j);
	SET(CURLOPT_PREREQFUNCTION, before_request);
	SET(CURLOPT_PREREQDATA, j);
	SET(CURLOPT_HEADERFUNCTION, take_header);
	SET(CURLOPT_HEADERDATA, j);
	SET(CURLOPT_WRITEFUNCTION, take_body);
	SET(CURLOPT_WRITEDATA, j);
	return good;
}

bool
bind_http_job_request(struct bind_http_job *j)
{
	j->transfer.easy = j->curl->curl_easy_init();
	return j->transfer.easy != NULL && add_lines(j) && close_doors(j) &&
	    set_certificates(j) && set_request(j);
}

void
bind_http_job_free(struct bind_http_job *j)
{
	if (j->transfer.easy != NULL)
		j->curl->curl_easy_cleanup(j->transfer.easy);
	if (j->headers != NULL)
		j->curl->curl_slist_free_all(j->headers);
	bind_intake_release(&j->value);
	free(j->built.body);
	free(j);
}
