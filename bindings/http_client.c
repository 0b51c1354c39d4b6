#include "bindings/http_client.h"

#include <stdlib.h>
#include <string.h>

#include "bindings/sys.h"

struct http_socket {
	LIST_ENTRY(http_socket) link;
	struct bind_http_client *client;
	struct bind_watch watch;
	bool is_watched;
};

struct bind_http_client {
	size_t references;
	struct bind_http_policy policy;
	char *text; /* what the policy's spans point into */
	struct bind_curl curl;
	CURLM *multi;
	const struct bind_loop *loop; /* while there are transfers */
	struct bind_watch timer;      /* likewise */
	TAILQ_HEAD(, bind_http_transfer) transfers;
	LIST_HEAD(, http_socket) sockets;
	/* When lookups that were left are taken to be over: a ring, of which
	 * the next is the oldest. 0: none. */
	uint64_t lookups[BIND_HTTP_LOOKUPS_MAX];
	size_t next_lookup;
};

/* --- calls into libcurl --------------------------------------------------- */

/* What has ended is told when libcurl is left, since `finished` may do
 * anything, start another transfer for one. */
static void
tell(struct bind_http_client *client)
{
	struct bind_http_transfer *t, *next;
	CURLMsg *message;
	int left;

	(void)bind_http_client_hold(client);
	while (client->multi != NULL &&
	    (message = client->curl.curl_multi_info_read(
		 client->multi, &left)) != NULL) {
		CURL *easy = message->easy_handle;
		CURLcode code = message->data.result;
		void *transfer = NULL;

		if (message->msg != CURLMSG_DONE)
			continue;
		(void)client->curl.curl_easy_getinfo(
		    easy, CURLINFO_PRIVATE, &transfer);
		t = transfer;
		if (code == CURLE_COULDNT_RESOLVE_HOST)
			t->is_looking = false;
		bind_http_client_remove(client, t);
		t->finished(t, code);
	}
	for (t = TAILQ_FIRST(&client->transfers); t != NULL; t = next) {
		next = TAILQ_NEXT(t, link);
		if (!t->is_lame)
			continue;
		bind_http_client_remove(client, t);
		t->finished(t, CURLE_OUT_OF_MEMORY);
		next = TAILQ_FIRST(&client->transfers);
	}
	bind_http_client_free(client);
}

static void
act(struct bind_http_client *client, curl_socket_t fd, int events)
{
	struct bind_sys_signals held;
	int running;

	bind_sys_hold_signals(&held);
	(void)client->curl.curl_multi_socket_action(
	    client->multi, fd, events, &running);
	bind_sys_release_signals(&held);
	tell(client);
}

/* --- sockets -------------------------------------------------------------- */

static void
socket_ready(void *arg, unsigned events)
{
	struct http_socket *s = arg;

	act(s->client, s->watch.fd,
	    ((events & BIND_EVENT_READ) != 0 ? CURL_CSELECT_IN : 0) |
		((events & BIND_EVENT_WRITE) != 0 ? CURL_CSELECT_OUT : 0));
}

static void
free_socket(struct http_socket *s)
{
	const struct bind_loop *loop = s->client->loop;

	if (s->is_watched)
		loop->unwatch(loop->arg, &s->watch);
	LIST_REMOVE(s, link);
	free(s);
}

static struct http_socket *
new_socket(struct bind_http_client *client, curl_socket_t fd)
{
	struct http_socket *s = calloc(1, sizeof(*s));

	if (s == NULL)
		return NULL;
	s->client = client;
	s->watch.fd = fd;
	s->watch.ready = socket_ready;
	s->watch.arg = s;
	LIST_INSERT_HEAD(&client->sockets, s, link);
	(void)client->curl.curl_multi_assign(client->multi, fd, s);
	return s;
}

/* Waits for these events, or for none. */
static bool
watch_socket(struct http_socket *s, unsigned events)
{
	const struct bind_loop *loop = s->client->loop;

	if (events == 0) {
		if (s->is_watched)
			loop->unwatch(loop->arg, &s->watch);
		s->is_watched = false;
		return true;
	}
	if (s->is_watched) {
		loop->modify(loop->arg, &s->watch, events);
		return true;
	}
	s->is_watched = loop->watch(loop->arg, &s->watch, events) == WIRE_OK;
	return s->is_watched;
}

static int
on_socket(CURL *easy, curl_socket_t fd, int what, void *arg, void *known)
{
	static const unsigned events[] = {
	    [CURL_POLL_NONE] = 0,
	    [CURL_POLL_IN] = BIND_EVENT_READ,
	    [CURL_POLL_OUT] = BIND_EVENT_WRITE,
	    [CURL_POLL_INOUT] = BIND_EVENT_READ | BIND_EVENT_WRITE,
	};
	struct bind_http_client *client = arg;
	struct http_socket *s = known;
	void *transfer = NULL;

	if (what == CURL_POLL_REMOVE) {
		if (s != NULL)
			free_socket(s);
		return 0;
	}
	if (s == NULL)
		s = new_socket(client, fd);
	if (s != NULL && watch_socket(s, events[what & 3]))
		return 0;
	/* An error here would end all transfers of the multi handle. */
	(void)client->curl.curl_easy_getinfo(easy, CURLINFO_PRIVATE, &transfer);
	if (transfer != NULL)
		((struct bind_http_transfer *)transfer)->is_lame = true;
	return 0;
}

/* --- the timer ------------------------------------------------------------ */

static void
timer_ready(void *arg, unsigned events)
{
	struct bind_http_client *client = arg;
	uint64_t count;

	(void)events;
	if (bind_sys_read(client->timer.fd, &count, sizeof(count)) > 0)
		act(client, CURL_SOCKET_TIMEOUT, 0);
}

static int
on_timer(CURLM *multi, long ms, void *arg)
{
	struct bind_http_client *client = arg;
	uint64_t ns = 0;

	(void)multi;
	if (ms >= 0)
		ns = ms > 0 ? (uint64_t)ms * 1000000 : 1;
	/* Cannot fail for a timer; without one nothing runs. */
	if (client->timer.fd >= 0)
		(void)!bind_sys_timer_after(client->timer.fd, ns);
	return 0;
}

static enum wire_err
begin(struct bind_http_client *client, const struct bind_loop *loop)
{
	enum wire_err err;
	int fd;

	WIRE_BUG_IF(client->loop != NULL && client->loop != loop);
	if (client->loop != NULL)
		return WIRE_OK;
	fd = bind_sys_timer();
	if (fd < 0)
		return WIRE_ERR_SYSTEM;
	client->timer =
	    (struct bind_watch){.fd = fd, .ready = timer_ready, .arg = client};
	err = loop->watch(loop->arg, &client->timer, BIND_EVENT_READ);
	if (err != WIRE_OK)
		bind_sys_close(&client->timer.fd);
	else
		client->loop = loop;
	return err;
}

/* When nothing is under way, the loop has nothing of ours. */
static void
settle(struct bind_http_client *client)
{
	struct http_socket *s, *next;

	if (client->loop == NULL || !TAILQ_EMPTY(&client->transfers))
		return;
	client->loop->unwatch(client->loop->arg, &client->timer);
	bind_sys_close(&client->timer.fd);
	for (s = LIST_FIRST(&client->sockets); s != NULL; s = next) {
		next = LIST_NEXT(s, link);
		(void)watch_socket(s, 0);
	}
	client->loop = NULL;
}

/* --- transfers ------------------------------------------------------------ */

static bool
make_multi(struct bind_http_client *client)
{
	const struct bind_curl *curl = &client->curl;
	CURLM *multi;

	if (client->multi != NULL)
		return true;
	multi = curl->curl_multi_init();
	if (multi == NULL)
		return false;
	if (curl->curl_multi_setopt(
		multi, CURLMOPT_SOCKETFUNCTION, on_socket) != CURLM_OK ||
	    curl->curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, client) !=
		CURLM_OK ||
	    curl->curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, on_timer) !=
		CURLM_OK ||
	    curl->curl_multi_setopt(multi, CURLMOPT_TIMERDATA, client) !=
		CURLM_OK) {
		(void)curl->curl_multi_cleanup(multi);
		return false;
	}
	client->multi = multi;
	return true;
}

enum wire_err
bind_http_client_add(struct bind_http_client *client,
    const struct bind_loop *loop, struct bind_http_transfer *transfer)
{
	struct bind_sys_signals held;
	enum wire_err err;
	CURLMcode code = CURLM_OUT_OF_MEMORY;

	transfer->is_lame = false;
	transfer->is_looking = false;
	if (client->curl.curl_easy_setopt(
		transfer->easy, CURLOPT_PRIVATE, transfer) != CURLE_OK)
		return WIRE_ERR_NO_MEMORY;
	err = begin(client, loop);
	if (err != WIRE_OK)
		return err;
	bind_sys_hold_signals(&held);
	if (make_multi(client))
		code = client->curl.curl_multi_add_handle(
		    client->multi, transfer->easy);
	bind_sys_release_signals(&held);
	if (code == CURLM_OK)
		TAILQ_INSERT_TAIL(&client->transfers, transfer, link);
	else
		settle(client);
	return code == CURLM_OK ? WIRE_OK : WIRE_ERR_NO_MEMORY;
}

/* SECURITY: a lookup that its call does not wait for keeps a thread and a
 * descriptor until the resolver gives up; calls could leave any number of
 * them behind. */
bool
bind_http_client_may_look(const struct bind_http_client *client)
{
	return client->lookups[client->next_lookup] <=
	    client->loop->now_ns(client->loop->arg);
}

static void
leave_lookup(struct bind_http_client *client)
{
	client->lookups[client->next_lookup] =
	    client->loop->now_ns(client->loop->arg) + BIND_HTTP_LOOKUP_NS;
	client->next_lookup = (client->next_lookup + 1) % BIND_HTTP_LOOKUPS_MAX;
}

void
bind_http_client_remove(
    struct bind_http_client *client, struct bind_http_transfer *transfer)
{
	struct bind_sys_signals held;

	bind_sys_hold_signals(&held);
	(void)client->curl.curl_multi_remove_handle(
	    client->multi, transfer->easy);
	bind_sys_release_signals(&held);
	TAILQ_REMOVE(&client->transfers, transfer, link);
	if (transfer->is_looking)
		leave_lookup(client);
	settle(client);
}

/* --- the client ----------------------------------------------------------- */

/* Copies what a span points to behind *at. */
static void
move_span(struct wire_span *span, char **at)
{
	if (span->p == NULL)
		return;
	memcpy(*at, span->p, span->len);
	span->p = (const uint8_t *)*at;
	*at += span->len;
}

static bool
copy_texts(struct bind_http_client *client)
{
	struct bind_http_policy *policy = &client->policy;
	size_t size = policy->ca.len + 1;
	char *at;

	for (size_t i = 0; i < policy->entry_count; i++)
		size += policy->entries[i].origin.host.len +
		    policy->entries[i].prefix.len;
	at = client->text = malloc(size);
	if (at == NULL)
		return false;
	move_span(&policy->ca, &at);
	for (size_t i = 0; i < policy->entry_count; i++) {
		move_span(&policy->entries[i].origin.host, &at);
		move_span(&policy->entries[i].prefix, &at);
	}
	return true;
}

enum wire_err
bind_http_client_new(
    const struct bind_http_policy *policy, struct bind_http_client **ret_client)
{
	struct bind_http_client *client = calloc(1, sizeof(*client));

	if (client == NULL)
		return WIRE_ERR_NO_MEMORY;
	client->references = 1;
	client->timer.fd = -1;
	TAILQ_INIT(&client->transfers);
	LIST_INIT(&client->sockets);
	client->policy = *policy;
	if (!copy_texts(client)) {
		free(client);
		return WIRE_ERR_NO_MEMORY;
	}
	*ret_client = client;
	return WIRE_OK;
}

struct bind_http_client *
bind_http_client_hold(struct bind_http_client *client)
{
	client->references++;
	return client;
}

void
bind_http_client_free(struct bind_http_client *client)
{
	struct bind_sys_signals held;

	if (client == NULL || --client->references > 0)
		return;
	WIRE_BUG_IF(!TAILQ_EMPTY(&client->transfers));
	if (client->multi != NULL) {
		bind_sys_hold_signals(&held);
		(void)client->curl.curl_multi_cleanup(client->multi);
		bind_sys_release_signals(&held);
	}
	while (!LIST_EMPTY(&client->sockets))
		free_socket(LIST_FIRST(&client->sockets));
	if (client->curl.handle != NULL)
		bind_curl_unload(&client->curl);
	free(client->text);
	free(client);
}

const struct bind_http_policy *
bind_http_client_policy(const struct bind_http_client *client)
{
	return &client->policy;
}

const struct bind_curl *
bind_http_client_curl(struct bind_http_client *client)
{
	if (client->curl.handle == NULL &&
	    bind_curl_load(&client->curl) != WIRE_OK)
		return NULL;
	return &client->curl;
}
