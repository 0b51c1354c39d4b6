#include "supervisor/weir.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "bindings/provider_command.h"
#include "supervisor/bind_adapter.h"
#include "supervisor/exec.h"
#include "supervisor/exec_mcp.h"
#include "supervisor/exec_trace.h"
#include "supervisor/explain.h"
#include "supervisor/state_dir.h"
#include "supervisor/sys.h"
#include "supervisor/tool_marks.h"

/* --- the context ---------------------------------------------------------- */

static bool
copy_environment(struct weir *weir, const char *const *environment)
{
	size_t count = 0;

	while (environment != NULL && environment[count] != NULL)
		count++;
	weir->environment = calloc(count + 1, sizeof(char *));
	if (weir->environment == NULL)
		return false;
	for (size_t i = 0; i < count; i++) {
		weir->environment[i] = strdup(environment[i]);
		if (weir->environment[i] == NULL)
			return false;
	}
	return true;
}

/* A root that was stripped of its capabilities keeps its ids; see
 * capabilities(7). */
static bool
can_change_ids(void)
{
	const uint64_t needed = 1u << CAP_CHOWN | 1u << CAP_SETUID |
	    1u << CAP_SETGID | 1u << CAP_KILL;
	struct sup_status status;
	char text[4096];
	size_t len = sup_sys_read_text("/proc/self/status", text, sizeof(text));

	sup_evidence_parse_status(
	    (struct wire_span){(const uint8_t *)text, len}, &status);
	return geteuid() == 0 && (status.caps[2] & needed) == needed;
}

/* What this host and this caller are like; looked at once. */
static void
look_around(struct weir *weir)
{
	char uid_map[4096], gid_map[4096], core[256];

	(void)sup_sys_read_text("/proc/self/uid_map", uid_map, sizeof(uid_map));
	(void)sup_sys_read_text("/proc/self/gid_map", gid_map, sizeof(gid_map));
	sup_idmap_choose(geteuid(), getegid(), uid_map, gid_map, &weir->idmap);
	(void)sup_sys_read_text(
	    "/proc/sys/kernel/core_pattern", core, sizeof(core));
	/* Where it cannot be read, the value that both kinds heed. */
	weir->core_is_pipe = core[0] == '|' || core[0] == '\0';
	sup_evidence_namespaces(getpid(), &weir->namespaces);
	weir->can_change_ids = can_change_ids();
}

/* Whether the supervisor may clone mounts itself, as root may. */
static bool
can_open_mounts(const char *path)
{
	int fd = geteuid() == 0 ? sup_sys_open_tree(path) : -1;
	bool can = fd >= 0;

	sup_sys_close(&fd);
	return can;
}

static void
explain_file(char error[WEIR_ERROR_MAX], const char *path, int errnum)
{
	sup_explain(error, "%s: %s%s", path, strerror(errnum),
	    errnum == ENOENT ? "; install weir completely" : "");
}

/* Opens what every start needs. */
static bool
open_files(struct weir *weir, const char *libexec, char error[WEIR_ERROR_MAX])
{
	char path[PATH_MAX], real[PATH_MAX];
	int r = sup_sys_realpath(libexec, real, sizeof(real));

	if (r < 0) {
		explain_file(error, libexec, -r);
		return false;
	}
	weir->libexec = strdup(real);
	if (weir->libexec == NULL) {
		sup_explain(error, "out of memory");
		return false;
	}
	r = snprintf(path, sizeof(path), "%s/weir-child", real);
	if (r < 0 || (size_t)r >= sizeof(path)) {
		sup_explain(error, "%s: path too long", libexec);
		return false;
	}
	weir->stub_fd = sup_sys_open(path, O_RDONLY);
	if (weir->stub_fd < 0) {
		explain_file(error, path, -weir->stub_fd);
		return false;
	}
	weir->null_fd = sup_sys_open("/dev/null", O_RDWR);
	if (weir->null_fd < 0) {
		sup_explain(error, "/dev/null: %s", strerror(-weir->null_fd));
		return false;
	}
	return true;
}

/* What supervisors that were killed have left (S4). */
static void
sweep(struct weir *weir)
{
	char stub[PATH_MAX];

	(void)snprintf(stub, sizeof(stub), "%.*s/weir-child", PATH_MAX - 16,
	    weir->libexec);
	sup_scratch_sweep(stub);
}

/* Where the state directory is, so that it is granted to nobody. */
static bool
keep_path(struct weir *weir, const char *path)
{
	char real[PATH_MAX];

	weir->state = strdup(
	    sup_sys_realpath(path, real, sizeof(real)) == 0 ? real : path);
	return weir->state != NULL;
}

static bool
load(struct weir *weir, const struct weir_config *config,
    enum weir_fault *ret_fault, char error[WEIR_ERROR_MAX])
{
	static const enum weir_fault faults[] = {
	    [SUP_INTERP_FOUND] = WEIR_FAULT_OTHER,
	    [SUP_INTERP_MISSING] = WEIR_FAULT_NO_INTERPRETER,
	    [SUP_INTERP_NOT_EXECUTABLE] = WEIR_FAULT_BAD_INTERPRETER,
	};
	struct wire_errinfo info = {"", 0, 0};

	if (sup_interp_resolve(
		config->python != NULL ? config->python : "python3",
		config->path, &weir->interp) != WIRE_OK) {
		*ret_fault = faults[weir->interp.fault];
		sup_explain(error, "%s", weir->interp.text);
		return false;
	}
	if (sup_loop_init(&weir->loop, &info) != WIRE_OK) {
		weir->loop.epoll_fd = -1;
		sup_explain(error, "%s: %s", info.site, strerror(info.sys));
		return false;
	}
	if (!copy_environment(weir, config->environment) ||
	    bind_catalogue_new(&weir->catalogue) != WIRE_OK) {
		sup_explain(error, "out of memory");
		return false;
	}
	sup_bind_adapter(&weir->loop, &weir->bind_loop);
	look_around(weir);
	if (!open_files(weir, config->libexec, error))
		return false;
	weir->disk = config->disk;
	weir->record_values = config->record_values;
	if (config->state != NULL)
		weir->runs_fd = sup_state_open(config->state, weir->key, error);
	if (config->state != NULL && weir->runs_fd < 0)
		return false;
	if (config->state != NULL && !keep_path(weir, config->state)) {
		sup_explain(error, "out of memory");
		return false;
	}
	weir->open_mounts = can_open_mounts(weir->libexec);
	sweep(weir);
	return true;
}

struct weir *
weir_new(const struct weir_config *config, enum weir_fault *ret_fault,
    char error[WEIR_ERROR_MAX])
{
	struct weir *weir = calloc(1, sizeof(*weir));

	*ret_fault = WEIR_FAULT_OTHER;
	if (weir == NULL) {
		sup_explain(error, "out of memory");
		return NULL;
	}
	weir->loop.epoll_fd = weir->loop.waker.fd = -1;
	weir->stub_fd = weir->null_fd = weir->runs_fd = -1;
	weir->scratch = SUP_SCRATCH_NONE;
	weir->cgroups = SUP_CGROUPS_NONE;
	weir->layers = config->layers;
	if (!load(weir, config, ret_fault, error)) {
		weir_free(weir);
		return NULL;
	}
	*ret_fault = WEIR_FAULT_NONE;
	return weir;
}

void
weir_free(struct weir *weir)
{
	if (weir == NULL)
		return;
	while (weir->executions != NULL)
		weir_execution_free(weir->executions);
	sup_exec_mcp_free(weir);
	sup_tool_marks_free(weir);
	bind_catalogue_free(weir->catalogue);
	sup_loop_release(&weir->loop);
	sup_sys_close(&weir->stub_fd);
	sup_sys_close(&weir->null_fd);
	sup_sys_close(&weir->runs_fd);
	explicit_bzero(weir->key, sizeof(weir->key));
	sup_scratch_close(&weir->scratch);
	sup_cgroups_close(&weir->cgroups);
	for (size_t i = 0;
	     weir->environment != NULL && weir->environment[i] != NULL; i++)
		free(weir->environment[i]);
	free(weir->environment);
	free(weir->libexec);
	free(weir->state);
	free(weir);
}

enum weir_fault
weir_last_fault(const struct weir *weir)
{
	return weir->fault;
}

int
weir_fd(const struct weir *weir)
{
	return weir->loop.epoll_fd;
}

/* Executions whose tools have ended, or had their time, are finished here and
 * not in a callback, since `finished` may free them, and others too. */
static void
settle(struct weir *weir)
{
	struct weir_execution *e;

	for (e = weir->executions; e != NULL; e = weir->settled_next) {
		weir->settled_next = e->next;
		if (e->state == SUP_EXEC_SETTLING) {
			if (e->tools == NULL || bind_session_is_empty(e->tools))
				sup_exec_event(e, SUP_EVENT_SETTLED);
			else if (sup_sys_now() >= e->deadline_ns)
				sup_exec_event(e, SUP_EVENT_SETTLE_OVER);
			else
				sup_exec_arm(e);
		} else if (e->state == SUP_EXEC_GATHERING) {
			sup_exec_mcp_look(e);
		}
	}
	sup_exec_mcp_sweep(weir);
}

bool
weir_dispatch(struct weir *weir, int timeout_ms)
{
	if (sup_loop_step(&weir->loop, timeout_ms) != WIRE_OK)
		return false;
	settle(weir);
	return true;
}

/* --- tools ---------------------------------------------------------------- */

static void
explain_tool(struct weir *weir, char error[WEIR_ERROR_MAX], const char *name,
    enum wire_err err, const struct wire_errinfo *info)
{
	weir->fault =
	    err == WIRE_ERR_NO_MEMORY ? WEIR_FAULT_OTHER : WEIR_FAULT_REQUEST;
	if (err == WIRE_ERR_NO_MEMORY)
		sup_explain(error, "tool %s: out of memory", name);
	else if (info->sys != 0)
		sup_explain(error,
		    "tool %s: its command: %s; name an executable file, with "
		    "a path or on PATH",
		    name, strerror(info->sys));
	else
		sup_explain(error, "tool %s: %s at byte %zu", name, info->site,
		    info->offset);
}

bool
weir_tool_command(struct weir *weir, const char *name, const char *line,
    char error[WEIR_ERROR_MAX])
{
	struct wire_errinfo info = {"", 0, 0};
	struct wire_span text = {(const uint8_t *)line, strlen(line)};
	char guardian[PATH_MAX];
	struct bind_command *data = NULL;
	enum wire_err err;

	(void)snprintf(guardian, sizeof(guardian), "%.*s/weir-child",
	    PATH_MAX - 16, weir->libexec);
	err = bind_command_new(text, guardian,
	    (const char *const *)weir->environment, &data, &info);
	if (err == WIRE_OK) {
		err = bind_catalogue_add(weir->catalogue,
		    (struct wire_span){(const uint8_t *)name, strlen(name)},
		    &bind_provider_command, data, 0, &info);
		if (err != WIRE_OK)
			bind_command_free(data);
	}
	if (err != WIRE_OK)
		explain_tool(weir, error, name, err, &info);
	return err == WIRE_OK;
}

/* --- a finished execution ------------------------------------------------- */

void
weir_resume_output(struct weir_execution *e, enum weir_stream stream)
{
	sup_output_resume(stream == WEIR_STDOUT ? &e->out : &e->err);
}

void
weir_cancel(struct weir_execution *e)
{
	sup_exec_event(e, SUP_EVENT_CANCEL);
}

bool
weir_is_finished(const struct weir_execution *e)
{
	return e->state == SUP_EXEC_FINISHED;
}

const char *
weir_text(const struct weir_execution *e, enum weir_text text, size_t *ret_len)
{
	const char *p = NULL;
	size_t len = 0;

	if (e->state != SUP_EXEC_FINISHED)
		return NULL;
	switch (text) {
	case WEIR_TEXT_RESULT:
		p = e->result;
		len = e->result_len;
		break;
	case WEIR_TEXT_KIND:
		if (e->verdict.kind != SUP_KIND_NONE)
			p = sup_kind_word(e->verdict.kind);
		len = p != NULL ? strlen(p) : 0;
		break;
	case WEIR_TEXT_MESSAGE:
		p = e->message;
		len = e->message_len;
		break;
	case WEIR_TEXT_TRACEBACK:
		p = e->traceback;
		len = e->traceback_len;
		break;
	case WEIR_TEXT_VALUE:
		if (e->verdict.has_value)
			p = (const char *)e->done.value.p;
		len = p != NULL ? e->done.value.len : 0;
		break;
	case WEIR_TEXT_TRACE:
		if (e->trace != NULL && e->trace->text_len > 0)
			p = (const char *)e->trace->text;
		len = p != NULL ? e->trace->text_len : 0;
		break;
	}
	if (ret_len != NULL)
		*ret_len = len;
	return p;
}

int
weir_exit_code(const struct weir_execution *e)
{
	return sup_exit_code(
	    e->verdict.kind, e->verdict.detail, e->verdict.signal);
}

void
weir_execution_free(struct weir_execution *execution)
{
	struct weir_execution **at;

	if (execution == NULL)
		return;
	at = &execution->weir->executions;
	while (*at != NULL && *at != execution)
		at = &(*at)->next;
	if (*at != NULL)
		*at = execution->next;
	if (execution->weir->settled_next == execution)
		execution->weir->settled_next = execution->next;
	sup_exec_destroy(execution);
}
