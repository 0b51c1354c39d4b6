#include "bindings/provider_http.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>

#include "bindings/http_response.h"
#include "bindings/http_verdict.h"
#include "bindings/intake.h"
#include "bindings/sys.h"

/* How long a connection may take that nobody gave a time. */
#define CONNECT_MS 30000

struct job {
	struct bind_http_transfer transfer;
	struct bind_job *job;
	struct bind_http_tool *tool;
	const struct bind_curl *curl;
	struct curl_slist *headers;
	struct bind_http_built built;
	struct bind_http_response response;
	struct bind_http_facts facts;
	struct bind_intake value;
	size_t dropped; /* bytes of the body that came and are not in it */
};

static void
free_job(struct job *j)
{
	if (j->transfer.easy != NULL)
		j->curl->curl_easy_cleanup(j->transfer.easy);
	if (j->headers != NULL)
		j->curl->curl_slist_free_all(j->headers);
	bind_intake_release(&j->value);
	free(j->built.body);
	free(j);
}

/* --- what libcurl asks on the way ----------------------------------------- */

static void
stop(struct job *j, enum wire_tool_kind kind, const char *words)
{
	if (j->facts.stop != WIRE_TOOL_NONE)
		return;
	j->facts.stop = kind;
	j->facts.stop_words = words;
}

static bool
may_connect(struct job *j, const struct bind_address *address)
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
	struct job *j = arg;
	struct bind_address address;

	(void)state;
	(void)reserved;
	if (bind_address_parse(j->tool->template.origin.host, &address))
		return 0;
	if (!bind_http_client_may_look(j->tool->client)) {
		stop(j, WIRE_TOOL_UNREACHABLE,
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
	struct job *j = arg;
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
	struct job *j = arg;
	struct bind_address address;

	(void)local;
	(void)remote_port;
	(void)local_port;
	/* Asked once more, of whom it is connected to. */
	if (!bind_address_parse(
		(struct wire_span){(const uint8_t *)remote, strlen(remote)},
		&address) ||
	    !may_connect(j, &address)) {
		stop(j, WIRE_TOOL_EGRESS_DENIED,
		    "its host has another address than it was connected to");
		return CURL_PREREQFUNC_ABORT;
	}
	j->facts.sent = true;
	return CURL_PREREQFUNC_OK;
}

static size_t
take_header(char *bytes, size_t size, size_t count, void *arg)
{
	struct job *j = arg;
	struct wire_span line = {(const uint8_t *)bytes, size * count};

	if (bind_http_response_line(&j->response, line))
		return line.len;
	stop(j, WIRE_TOOL_FAILED, j->response.problem);
	return line.len == 0;
}

static bool
may_hold(struct job *j, size_t needed)
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
	stop(j, j->job->over,
	    j->job->over == WIRE_TOOL_RESULT_TOO_LARGE
		? "stopped while more than result_bytes came"
		: "stopped while more came than can be kept (kept_bytes)");
	return false;
}

/* Of an error's body only the beginning is kept, and so much more that a
 * secret that begins there ends in it. */
static size_t
error_room(const struct job *j)
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
	struct job *j = arg;
	struct wire_span more = {(const uint8_t *)bytes, size * count};
	size_t len = more.len;

	if (!bind_http_is_success(&j->response)) {
		if (more.len > error_room(j))
			more.len = error_room(j);
		j->dropped += len - more.len;
		if (j->dropped > j->job->result_max) {
			stop(j, WIRE_TOOL_FAILED,
			    "stopped while an error came that is over "
			    "result_bytes");
			return 0;
		}
	} else if (more.len > SIZE_MAX - j->value.len ||
	    !may_hold(j, j->value.len + more.len)) {
		j->dropped += len;
		return 0;
	}
	if (bind_intake_add(&j->value, more) == BIND_INTAKE_MORE)
		return len;
	stop(j, WIRE_TOOL_FAILED, "the host has no memory");
	return 0;
}

/* --- the answer ----------------------------------------------------------- */

/* SECURITY: what came of a call that has no value is metered too (B2), or a
 * server could send without end what is refused. */
static void
end(struct job *j, struct bind_outcome *outcome)
{
	struct bind_job *job = j->job;

	if (outcome->kind != WIRE_TOOL_NONE) {
		outcome->value = (struct wire_span){j->value.p, j->value.len};
		outcome->dropped = j->dropped;
	}
	job->done(job, outcome);
	free_job(j);
	job->gone(job);
}

/* A text as a JSON string, in a new buffer; NULL where there is none. */
static uint8_t *
spell_text(struct job *j, struct wire_span body, struct bind_outcome *outcome,
    struct bind_text *text)
{
	size_t size = bind_http_text_size(body);
	uint8_t *string = NULL;

	if (may_hold(j, size)) {
		string = malloc(size);
		if (string == NULL)
			stop(j, WIRE_TOOL_FAILED, "the host has no memory");
	}
	if (string == NULL) {
		outcome->kind = bind_http_verdict(&j->facts, text);
		return NULL;
	}
	bind_http_text_write(body, string);
	outcome->value = (struct wire_span){string, size};
	return string;
}

static void
finished(struct bind_http_transfer *transfer, CURLcode code)
{
	struct job *j = (struct job *)(void *)transfer;
	struct wire_span body = {j->value.p, j->value.len};
	uint8_t buf[BIND_HTTP_WORDS_LEN], *string = NULL;
	struct bind_outcome outcome = {0};
	struct bind_text text;

	/* libcurl takes the end of a connection for that of the headers. */
	if (code == CURLE_OK && !j->response.head_done)
		code = CURLE_PARTIAL_FILE;
	/* SECURITY: a type is told as it came, and cut; so not where it could
	 * be what was sent. */
	if (j->tool->secrets.count > 0)
		j->response.type_len = 0;
	j->facts.code = code;
	bind_text_init(&text, buf, sizeof(buf));
	outcome.kind = bind_http_verdict(&j->facts, &text);
	outcome.end_seen = bind_http_end_seen(&j->facts);
	if (outcome.kind == WIRE_TOOL_NONE)
		outcome.kind = bind_http_response_judge(&j->response, body,
		    bind_http_secrets_in(&j->tool->secrets, body), &text);
	if (outcome.kind == WIRE_TOOL_NONE) {
		outcome.value = body.len > 0 ? body : WIRE_LIT("null");
		if (body.len > 0 && j->response.type == BIND_HTTP_TYPE_TEXT)
			string = spell_text(j, body, &outcome, &text);
	}
	outcome.message = bind_text_span(&text);
	end(j, &outcome);
	free(string);
}

static void
cancel(struct bind_job *job, enum wire_tool_kind kind)
{
	struct job *j = job->state;
	struct bind_outcome outcome = {
	    .kind = kind,
	    .message = kind == WIRE_TOOL_TIMED_OUT
		? WIRE_LIT("it ran for longer than tool_time")
		: WIRE_LIT("cancelled while it ran"),
	};

	bind_http_client_remove(j->tool->client, &j->transfer);
	outcome.end_seen = !j->facts.sent;
	end(j, &outcome);
}

static void
abandon(struct bind_job *job)
{
	struct job *j = job->state;

	bind_http_client_remove(j->tool->client, &j->transfer);
	free_job(j);
}

/* --- the request ---------------------------------------------------------- */

static bool
add_line(struct job *j, const char *line)
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
add_lines(struct job *j)
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
close_doors(struct job *j)
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
set_certificates(struct job *j)
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
set_request(struct job *j)
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

/* Why the request cannot be made, as a kind with *why; NONE: it can. */
static enum wire_tool_kind
build(struct job *j, struct bind_text *why)
{
	const struct bind_http_policy *policy =
	    bind_http_client_policy(j->tool->client);
	enum wire_tool_kind kind;

	if (j->tool->has_body) {
		j->built.body = malloc(j->job->arguments.len);
		if (j->built.body == NULL) {
			bind_text_add(why, "the host has no memory");
			return WIRE_TOOL_UNREACHABLE;
		}
	}
	kind = bind_http_build(&j->tool->template, policy->entries,
	    policy->entry_count, j->job->arguments, &j->built, why);
	if (kind != WIRE_TOOL_NONE)
		return kind;
	/* SECURITY: whoever can read the file can read what is sent. It is
	 * asked each time, since a library's caller may change it. */
	if (bind_curl_logs_keys()) {
		bind_text_add(why,
		    "the variable SSLKEYLOGFILE is set in weir's environment");
		return WIRE_TOOL_UNREACHABLE;
	}
	j->curl = bind_http_client_curl(j->tool->client);
	if (j->curl == NULL) {
		bind_text_add(why,
		    "the host has no libcurl.so.4 of version 7.87.0 or newer, "
		    "with TLS and threads");
		return WIRE_TOOL_UNREACHABLE;
	}
	j->transfer.easy = j->curl->curl_easy_init();
	if (j->transfer.easy == NULL || !add_lines(j) || !close_doors(j) ||
	    !set_certificates(j) || !set_request(j) ||
	    bind_http_client_add(j->tool->client, j->job->loop, &j->transfer) !=
		WIRE_OK) {
		bind_text_add(why, "the host cannot make the request");
		return WIRE_TOOL_UNREACHABLE;
	}
	return WIRE_TOOL_NONE;
}

/*
 * Before it is recorded as started: what the list refuses has no effect, and
 * the record says so. Where a name leads to is known later, and what else is
 * wrong is for start() to say.
 */
static enum wire_tool_kind
admit(void *tool_data, struct wire_span arguments, const char **ret_words)
{
	const struct bind_http_tool *tool = tool_data;
	const struct bind_http_policy *policy =
	    bind_http_client_policy(tool->client);
	enum wire_tool_kind kind = bind_http_check(
	    &tool->template, policy->entries, policy->entry_count, arguments);

	if (kind == WIRE_TOOL_PATH_TRAVERSAL)
		*ret_words = "its path would have a segment '.' or '..'";
	else if (kind == WIRE_TOOL_EGRESS_DENIED)
		*ret_words = "its path would not be one of those allowed";
	return kind;
}

static void
start(void *tool_data, struct bind_job *job)
{
	struct job *j = calloc(1, sizeof(*j));
	struct bind_outcome outcome = {
	    .kind = WIRE_TOOL_UNREACHABLE,
	    .message = WIRE_LIT("the host has no memory"),
	    .end_seen = true,
	};
	uint8_t buf[256];
	struct bind_text why;

	if (j == NULL) {
		job->done(job, &outcome);
		job->gone(job);
		return;
	}
	job->state = j;
	j->job = job;
	j->tool = tool_data;
	j->transfer.finished = finished;
	bind_intake_init(&j->value, job->result_max + BIND_RESULT_SLACK);
	bind_text_init(&why, buf, sizeof(buf));
	outcome.kind = build(j, &why);
	if (outcome.kind == WIRE_TOOL_NONE)
		return;
	outcome.message = bind_text_span(&why);
	end(j, &outcome);
}

static void
release(void *tool_data)
{
	bind_http_tool_free(tool_data);
}

const struct bind_provider bind_provider_http = {
    .name = "http",
    .admit = admit,
    .start = start,
    .cancel = cancel,
    .abandon = abandon,
    .release = release,
};
