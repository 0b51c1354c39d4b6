#include "bindings/builtin.h"

#include <stdlib.h>
#include <string.h>

#include "bindings/pending.h"
#include "bindings/read_reply.h"
#include "bindings/read_request.h"
#include "bindings/search.h"
#include "bindings/sys.h"

struct bind_builtin_search {
	TAILQ_ENTRY(bind_builtin_search) link;
	struct bind_builtin *builtin;
	struct bind_job *job;
	const struct bind_kept *kept;
	struct bind_regex *regex; /* NULL before the first turn */
	struct bind_search search;
	struct bind_read_request request;
};

static const struct {
	const char *name, *info;
} about[BIND_BUILTINS] = {
    [BIND_BUILTIN_READ] = {"read_tool_output",
	"Reads a result that the host keeps. Arguments: handle, and start and "
	"count (lines), or offset and length (bytes), or pattern with offset, "
	"length, limit and ignore_case (search)."},
    [BIND_BUILTIN_LIST] = {"list_tools",
	"The names of the tools that can be called. No arguments."},
    [BIND_BUILTIN_INFO] = {"get_tool_info",
	"What is known of a tool. Arguments: name."},
};

static struct wire_span
span_of(const char *text)
{
	return (struct wire_span){(const uint8_t *)text, strlen(text)};
}

/* --- answers -------------------------------------------------------------- */

static void
end(struct bind_job *job, const struct bind_outcome *outcome)
{
	job->done(job, outcome);
	job->gone(job);
}

static void
fail_span(
    struct bind_job *job, enum wire_tool_kind kind, struct wire_span words)
{
	end(job,
	    &(struct bind_outcome){
		.kind = kind, .message = words, .end_seen = true});
}

static void
fail(struct bind_job *job, enum wire_tool_kind kind, const char *words)
{
	fail_span(job, kind, span_of(words));
}

static void
fail_memory(struct bind_job *job)
{
	fail(job, WIRE_TOOL_UNREACHABLE, "the host has no memory for this");
}

/* Writes the answer and gives it, held to the limit of any result. */
static void
answer(struct bind_job *job,
    void (*fill)(struct wire_out *out, const void *arg), const void *arg)
{
	size_t len = 0;
	uint8_t *buf = malloc(job->result_max);
	struct wire_out out;
	enum wire_err err;

	if (buf == NULL) {
		fail_memory(job);
		return;
	}
	wire_out_init(&out, buf, job->result_max);
	fill(&out, arg);
	err = wire_out_finish(&out, &len);
	WIRE_BUG_IF(err != WIRE_OK && err != WIRE_ERR_NO_SPACE);
	if (err == WIRE_OK)
		end(job,
		    &(struct bind_outcome){
			.value = {buf, len}, .end_seen = true});
	else
		fail(job, WIRE_TOOL_RESULT_TOO_LARGE,
		    "what was asked for is over the limit of a result "
		    "(result_bytes)");
	free(buf);
}

/* --- searches ------------------------------------------------------------- */

static void
free_search(struct bind_builtin_search *search)
{
	bind_search_release(&search->search);
	bind_regex_free(search->regex);
	free(search);
}

static void
stop_watching(struct bind_builtin *builtin)
{
	const struct bind_loop *loop = builtin->session->config.loop;

	if (builtin->watch.fd < 0)
		return;
	loop->unwatch(loop->arg, &builtin->watch);
	bind_sys_close(&builtin->watch.fd);
}

/* Takes it off the list; the caller answers. */
static void
leave(struct bind_builtin_search *search)
{
	struct bind_builtin *builtin = search->builtin;

	TAILQ_REMOVE(&builtin->searches, search, link);
	if (TAILQ_EMPTY(&builtin->searches))
		stop_watching(builtin);
}

static void
fail_search(struct bind_builtin_search *search, enum wire_tool_kind kind,
    struct wire_span words)
{
	struct bind_job *job = search->job;

	leave(search);
	free_search(search);
	fail_span(job, kind, words);
}

static uint64_t
cpu_time(void *arg)
{
	(void)arg;
	return bind_sys_cpu_time();
}

/* The first turn's work. False: it is over. */
static bool
begin_search(struct bind_builtin_search *search)
{
	const struct bind_read_request *request = &search->request;
	uint8_t buf[512];
	struct bind_text why;
	enum wire_err err;

	bind_text_init(&why, buf, sizeof(buf));
	err = bind_regex_new(
	    (struct wire_span){request->pattern, request->pattern_len},
	    request->ignore_case, &search->regex, &why);
	if (err == WIRE_OK)
		err = bind_search_init(&search->search,
		    bind_kept_text(search->kept), &search->kept->lines,
		    request->offset, request->length, (size_t)request->limit);
	if (err == WIRE_OK) {
		search->search.match = bind_regex_match;
		search->search.regex = search->regex;
		bind_effort_init(&search->search.effort, cpu_time, NULL);
		return true;
	}
	if (err == WIRE_ERR_BAD_ARGUMENT)
		fail_search(search, WIRE_TOOL_FAILED, bind_text_span(&why));
	else if (err == WIRE_ERR_SYSTEM)
		fail_search(search, WIRE_TOOL_UNREACHABLE,
		    WIRE_LIT("the host has no libpcre2-8 to search with"));
	else
		fail_search(search, WIRE_TOOL_UNREACHABLE,
		    WIRE_LIT("the host has no memory for this"));
	return false;
}

static void
end_search(struct bind_builtin_search *search, enum bind_search_state state)
{
	struct bind_job *job = search->job;
	uint8_t buf[256];
	struct bind_text text;

	leave(search);
	if (state == BIND_SEARCH_WHOLE || state == BIND_SEARCH_LIMIT) {
		answer(job, bind_read_fill_search, &search->search);
	} else if (state == BIND_SEARCH_FAILED) {
		fail_memory(job);
	} else {
		bind_text_init(&text, buf, sizeof(buf));
		bind_read_explain(&text, &search->search);
		fail_span(job, WIRE_TOOL_FAILED, bind_text_span(&text));
	}
	free_search(search);
}

static void
take_turn(struct bind_builtin_search *search)
{
	enum bind_search_state state;

	if (search->regex == NULL && !begin_search(search))
		return;
	state = bind_search_turn(&search->search);
	if (state != BIND_SEARCH_ON)
		end_search(search, state);
}

/* SECURITY: however many searches a program has under way, together they take
 * no more than one turn between two looks at everything else. */
static void
turn(void *arg, unsigned events)
{
	struct bind_builtin *builtin = arg;
	uint64_t began = bind_sys_cpu_time();

	(void)events;
	do {
		struct bind_builtin_search *search =
		    TAILQ_FIRST(&builtin->searches);

		if (search == NULL)
			return;
		take_turn(search);
	} while (bind_sys_cpu_time() - began < BIND_EFFORT_TURN_NS);
}

static bool
watch(struct bind_builtin *builtin)
{
	const struct bind_loop *loop = builtin->session->config.loop;
	int fd;

	if (builtin->watch.fd >= 0)
		return true;
	fd = bind_sys_ready_fd();
	if (fd < 0)
		return false;
	builtin->watch =
	    (struct bind_watch){.fd = fd, .ready = turn, .arg = builtin};
	if (loop->watch(loop->arg, &builtin->watch, BIND_EVENT_READ) == WIRE_OK)
		return true;
	bind_sys_close(&builtin->watch.fd);
	return false;
}

static void
start_search(struct bind_builtin *builtin, struct bind_job *job,
    const struct bind_kept *kept, const struct bind_read_request *request)
{
	struct bind_builtin_search *search = calloc(1, sizeof(*search));

	if (search == NULL || !watch(builtin)) {
		free(search);
		fail_memory(job);
		return;
	}
	search->builtin = builtin;
	search->job = job;
	search->kept = kept;
	search->request = *request;
	job->state = search;
	TAILQ_INSERT_TAIL(&builtin->searches, search, link);
}

static void
cancel(struct bind_job *job, enum wire_tool_kind kind)
{
	fail_search(job->state, kind, WIRE_LIT("the search was stopped"));
}

static void
abandon(struct bind_job *job)
{
	leave(job->state);
	free_search(job->state);
}

/* --- the three ------------------------------------------------------------ */

#define ARGUMENTS_MAX 16

/* The members of the arguments. False: it has been answered. */
static bool
take_members(struct bind_builtin *builtin, struct bind_job *job,
    struct wire_json_member members[ARGUMENTS_MAX], size_t *ret_count)
{
	enum wire_err err = bind_json_check_object(&builtin->session->check,
	    job->arguments, members, ARGUMENTS_MAX, ret_count, NULL);

	if (err == WIRE_OK)
		return true;
	if (err == WIRE_ERR_NO_MEMORY)
		fail_memory(job);
	else
		fail(job, WIRE_TOOL_FAILED, "these are too many arguments");
	return false;
}

static void
start_read(void *tool_data, struct bind_job *job)
{
	struct bind_builtin *builtin = tool_data;
	struct wire_json_member members[ARGUMENTS_MAX];
	struct bind_read_request request;
	struct bind_read_window window;
	uint8_t buf[256];
	struct bind_text why;
	size_t count;

	if (!take_members(builtin, job, members, &count))
		return;
	bind_text_init(&why, buf, sizeof(buf));
	if (!bind_read_request_take(members, count, &request, &why)) {
		fail_span(job, WIRE_TOOL_FAILED, bind_text_span(&why));
		return;
	}
	window = (struct bind_read_window){
	    .kept = bind_store_find(&builtin->session->store,
		(struct wire_span){request.token, request.token_len}),
	    .request = &request,
	};
	/* SECURITY: one refusal for every handle that is not of this
	 * execution, whatever it is or was. */
	if (window.kept == NULL)
		fail(
		    job, WIRE_TOOL_HANDLE_NOT_YOURS, "there is no such handle");
	else if (request.kind == BIND_READ_SEARCH)
		start_search(builtin, job, window.kept, &request);
	else if (request.kind == BIND_READ_BYTES)
		answer(job, bind_read_fill_bytes, &window);
	else
		answer(job, bind_read_fill_lines, &window);
}

static void
fill_list(struct wire_out *out, const void *arg)
{
	const struct bind_session *session = arg;

	wire_out_begin_array(out);
	for (size_t i = 0; i < session->offered; i++) {
		const struct bind_tool *tool =
		    bind_catalogue_at(session->config.catalogue, i);

		if (bind_session_offers(session, tool))
			wire_out_string(out,
			    (struct wire_span){tool->name, tool->name_len});
	}
	wire_out_end_array(out);
}

static void
start_list(void *tool_data, struct bind_job *job)
{
	struct bind_builtin *builtin = tool_data;
	struct wire_json_member members[ARGUMENTS_MAX];
	size_t count;

	if (!take_members(builtin, job, members, &count))
		return;
	if (count > 0)
		fail(job, WIRE_TOOL_FAILED, "it takes no arguments");
	else
		answer(job, fill_list, builtin->session);
}

static void
fill_about(struct wire_out *out, const struct bind_tool_about *said)
{
	if (said->description.p != NULL) {
		wire_out_key(out, "description");
		wire_out_raw(out, said->description);
	}
	if (said->schema.p != NULL) {
		wire_out_key(out, "inputSchema");
		wire_out_raw(out, said->schema);
	}
}

static void
fill_info(struct wire_out *out, const void *arg)
{
	const struct bind_tool *tool = arg;

	wire_out_begin_object(out);
	wire_out_key(out, "name");
	wire_out_string(out, (struct wire_span){tool->name, tool->name_len});
	wire_out_key(out, "provider");
	wire_out_text(out, tool->provider->name);
	/* Refused to programs, and why (bindings/marks.h). */
	if ((tool->marks & BIND_TOOL_NEEDS_APPROVAL) != 0) {
		wire_out_key(out, "requires_approval");
		wire_out_bool(out, true);
	}
	if ((tool->marks & BIND_TOOL_NEEDS_INPUT) != 0) {
		wire_out_key(out, "may_suspend");
		wire_out_bool(out, true);
	}
	if (bind_builtin_is(tool)) {
		wire_out_key(out, "description");
		wire_out_text(out, about[tool->index].info);
	} else if (tool->about != NULL) {
		fill_about(out, tool->about);
	}
	wire_out_end_object(out);
}

static const struct bind_tool *
find_offered(const struct bind_builtin *builtin, struct wire_span name)
{
	const struct bind_session *session = builtin->session;
	const struct bind_tool *tool = bind_builtin_find(builtin, name);

	if (tool != NULL)
		return tool;
	tool = bind_catalogue_find(session->config.catalogue, name);
	return tool != NULL && bind_session_offers(session, tool) ? tool : NULL;
}

static void
start_info(void *tool_data, struct bind_job *job)
{
	struct bind_builtin *builtin = tool_data;
	struct wire_json_member members[ARGUMENTS_MAX];
	const struct bind_tool *tool;
	uint8_t name[WIRE_MAX_TOOL_NAME];
	size_t count, len = 0;

	if (!take_members(builtin, job, members, &count))
		return;
	if (count != 1 || members[0].type != WIRE_JSON_STRING ||
	    !wire_json_text_equal(members[0].key, WIRE_LIT("name"))) {
		fail(job, WIRE_TOOL_FAILED, "it takes one argument: name");
		return;
	}
	if (wire_json_unescape((struct wire_span){members[0].value.p + 1,
				   members[0].value.len - 2},
		name, sizeof(name), &len) != WIRE_OK)
		len = 0;
	tool = find_offered(builtin, (struct wire_span){name, len});
	if (tool == NULL)
		fail(job, WIRE_TOOL_NOT_FOUND, "no such tool is offered");
	else
		answer(job, fill_info, tool);
}

#define PROVIDER(start_call)                                                   \
	{                                                                      \
		.name = "weir", .start = (start_call), .cancel = cancel,       \
		.abandon = abandon,                                            \
	}

static const struct bind_provider providers[BIND_BUILTINS] = {
    [BIND_BUILTIN_READ] = PROVIDER(start_read),
    [BIND_BUILTIN_LIST] = PROVIDER(start_list),
    [BIND_BUILTIN_INFO] = PROVIDER(start_info),
};

void
bind_builtin_init(struct bind_builtin *builtin, struct bind_session *session)
{
	builtin->session = session;
	builtin->watch.fd = -1;
	TAILQ_INIT(&builtin->searches);
	for (size_t i = 0; i < BIND_BUILTINS; i++) {
		struct bind_tool *tool = &builtin->tools[i];

		*tool = (struct bind_tool){.provider = &providers[i],
		    .data = builtin,
		    .index = i,
		    .name_len = strlen(about[i].name)};
		memcpy(tool->name, about[i].name, tool->name_len);
	}
}

const struct bind_tool *
bind_builtin_find(const struct bind_builtin *builtin, struct wire_span name)
{
	for (size_t i = 0; i < BIND_BUILTINS; i++) {
		if (wire_span_equal(span_of(about[i].name), name))
			return &builtin->tools[i];
	}
	return NULL;
}

bool
bind_builtin_is(const struct bind_tool *tool)
{
	return tool->provider >= providers &&
	    tool->provider < providers + BIND_BUILTINS;
}

bool
bind_builtin_has_name(struct wire_span name)
{
	for (size_t i = 0; i < BIND_BUILTINS; i++) {
		if (wire_span_equal(span_of(about[i].name), name))
			return true;
	}
	return false;
}
