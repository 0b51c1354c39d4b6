#include "bindings/provider_files.h"

#include <stdlib.h>
#include <string.h>

#include "bindings/files_job.h"
#include "bindings/json_check.h"
#include "bindings/sys.h"

#define ARGUMENTS_MAX 16

/* --- what is allowed ------------------------------------------------------ */

static bool
is_allowed(const struct bind_files_paths *allowed, struct wire_span path)
{
	for (size_t i = 0; i < allowed->count; i++)
		if (bind_files_path_is_beneath(path, allowed->paths[i]))
			return true;
	return false;
}

bool
bind_files_may_write(const struct bind_files *files, struct wire_span path)
{
	return is_allowed(&files->write, path);
}

int
bind_files_root(const struct bind_files *files)
{
	return files->root_fd;
}

/* By the lists, before anything is looked at. */
static enum wire_tool_kind
judge(const struct bind_files *files, const struct bind_files_request *request)
{
	struct wire_span path = bind_files_path_span(&request->path);

	if (request->op == BIND_FILES_WRITE)
		return is_allowed(&files->write, path)
		    ? WIRE_TOOL_NONE
		    : WIRE_TOOL_FS_WRITE_DENIED;
	return is_allowed(&files->read, path) ? WIRE_TOOL_NONE
					      : WIRE_TOOL_FS_READ_DENIED;
}

static enum wire_tool_kind
take_request(const struct bind_files_tool *tool, struct wire_span arguments,
    struct bind_files_request *request, struct bind_text *why)
{
	struct wire_json_member members[ARGUMENTS_MAX];
	size_t count = 0;
	enum wire_err err = bind_json_check_object(&tool->files->check,
	    arguments, members, ARGUMENTS_MAX, &count, NULL);
	enum wire_tool_kind kind;

	if (err != WIRE_OK) {
		bind_text_add(why,
		    err == WIRE_ERR_NO_MEMORY
			? "the host has no memory for this"
			: "these are too many arguments");
		return err == WIRE_ERR_NO_MEMORY ? WIRE_TOOL_UNREACHABLE
						 : WIRE_TOOL_FAILED;
	}
	kind = bind_files_request_take(tool->op, members, count, request, why);
	if (kind == WIRE_TOOL_NONE)
		kind = judge(tool->files, request);
	return kind;
}

/* --- ends ----------------------------------------------------------------- */

bool
bind_files_fail(
    struct bind_files_job *j, enum wire_tool_kind kind, const char *words)
{
	bind_text_add(&j->why, words);
	/* They stay, whatever became of the file. */
	if (j->directories > 0) {
		bind_text_add(&j->why, "; directories made before: ");
		bind_text_add_uint(&j->why, j->directories);
	}
	j->outcome.kind = kind;
	return true;
}

bool
bind_files_fail_by(struct bind_files_job *j, int error)
{
	bool is_write = j->request.op == BIND_FILES_WRITE;
	enum wire_tool_kind denied =
	    is_write ? WIRE_TOOL_FS_WRITE_DENIED : WIRE_TOOL_FS_READ_DENIED;

	switch (-error) {
	case ENOENT:
	case ENOTDIR:
		return bind_files_fail(j, WIRE_TOOL_NOT_FOUND,
		    is_write ? "there is no such directory to write in"
			     : "there is no such file");
	case ELOOP:
		return bind_files_fail(j, denied,
		    "the path leads through a symbolic link, and none is "
		    "followed");
	case EXDEV:
		return bind_files_fail(
		    j, denied, "the path leads to another file system");
	case EAGAIN:
		return bind_files_fail(j, WIRE_TOOL_FAILED,
		    "another process holds the file (a lease), or it has "
		    "nothing to give now");
	case ENOSYS:
		return bind_files_fail(j, WIRE_TOOL_UNREACHABLE,
		    "the host's kernel has no openat2, and without it no "
		    "path is opened");
	case ENOMEM:
		return bind_files_fail(j, WIRE_TOOL_UNREACHABLE,
		    "the host has no memory for this");
	case EMFILE:
	case ENFILE:
		return bind_files_fail(j, WIRE_TOOL_UNREACHABLE,
		    "the host has no file descriptor for this");
	default:
		return bind_files_fail(
		    j, WIRE_TOOL_FAILED, bind_sys_error_text(-error));
	}
}

bool
bind_files_answer(struct bind_files_job *j,
    void (*fill)(struct wire_out *out, const void *arg), const void *arg)
{
	size_t max = j->job->result_max, len = 0;
	struct wire_out out;
	enum wire_err err;

	j->answer = malloc(max);
	if (j->answer == NULL)
		return bind_files_fail_by(j, -ENOMEM);
	wire_out_init(&out, j->answer, max);
	fill(&out, arg);
	err = wire_out_finish(&out, &len);
	WIRE_BUG_IF(err != WIRE_OK && err != WIRE_ERR_NO_SPACE);
	if (err == WIRE_ERR_NO_SPACE)
		return bind_files_fail(j, WIRE_TOOL_RESULT_TOO_LARGE,
		    "the answer is over the limit of a result "
		    "(result_bytes): ask for a smaller part");
	j->outcome.value = (struct wire_span){j->answer, len};
	return true;
}

/* --- turns ---------------------------------------------------------------- */

static bool (*const steps[BIND_FILES_OPS])(struct bind_files_job *) = {
    [BIND_FILES_LIST] = bind_files_list,
    [BIND_FILES_STAT] = bind_files_stat,
    [BIND_FILES_READ] = bind_files_read,
    [BIND_FILES_WRITE] = bind_files_write,
};

static void
leave(struct bind_files_job *j)
{
	struct bind_files *files = j->files;

	if (!j->is_waiting)
		return;
	TAILQ_REMOVE(&files->waiting, j, link);
	j->is_waiting = false;
	if (!TAILQ_EMPTY(&files->waiting))
		return;
	files->loop->unwatch(files->loop->arg, &files->watch);
	bind_sys_close(&files->watch.fd);
}

static void
free_job(struct bind_files_job *j)
{
	leave(j);
	bind_files_write_undo(j);
	bind_sys_close(&j->fd);
	bind_sys_close(&j->parent_fd);
	free(j->list.names);
	free(j->list.order);
	free(j->list.chunk);
	free(j->bytes);
	free(j->answer);
	free(j);
}

/* Says how it ended. The call may be gone when this returns. */
static void
finish(struct bind_files_job *j)
{
	struct bind_job *job = j->job;

	leave(j);
	bind_files_write_undo(j);
	j->outcome.end_seen = true;
	j->outcome.message = bind_text_span(&j->why);
	job->done(job, &j->outcome);
	free_job(j);
	job->gone(job);
}

static void
turn(void *arg, unsigned events)
{
	struct bind_files *files = arg;
	struct bind_files_job *j = TAILQ_FIRST(&files->waiting);

	(void)events;
	/* SECURITY: one call's worth of work, and that call goes to the end:
	 * however much a program asks for, others have their turn. */
	if (steps[j->request.op](j)) {
		finish(j);
		return;
	}
	TAILQ_REMOVE(&files->waiting, j, link);
	TAILQ_INSERT_TAIL(&files->waiting, j, link);
}

/* False when there is no way to come back to it. */
static bool
wait_for_turn(struct bind_files_job *j)
{
	struct bind_files *files = j->files;

	if (TAILQ_EMPTY(&files->waiting)) {
		int fd = bind_sys_ready_fd();

		if (fd < 0)
			return false;
		files->loop = j->job->loop;
		files->watch =
		    (struct bind_watch){.fd = fd, .ready = turn, .arg = files};
		if (files->loop->watch(files->loop->arg, &files->watch,
			BIND_EVENT_READ) != WIRE_OK) {
			bind_sys_close(&files->watch.fd);
			return false;
		}
	}
	TAILQ_INSERT_TAIL(&files->waiting, j, link);
	j->is_waiting = true;
	return true;
}

/* --- the provider --------------------------------------------------------- */

static void
end_at_once(
    struct bind_job *job, enum wire_tool_kind kind, struct wire_span words)
{
	job->done(job,
	    &(struct bind_outcome){
		.kind = kind, .message = words, .end_seen = true});
	job->gone(job);
}

static void
start(void *tool_data, struct bind_job *job)
{
	const struct bind_files_tool *tool = tool_data;
	struct bind_files_job *j = calloc(1, sizeof(*j));
	enum wire_tool_kind kind;

	if (j == NULL) {
		end_at_once(job, WIRE_TOOL_UNREACHABLE,
		    WIRE_LIT("the host has no memory for this"));
		return;
	}
	j->files = tool->files;
	j->job = job;
	j->fd = j->parent_fd = -1;
	job->state = j;
	bind_text_init(&j->why, j->why_text, sizeof(j->why_text));
	kind = take_request(tool, job->arguments, &j->request, &j->why);
	if (kind != WIRE_TOOL_NONE) {
		(void)bind_files_fail(j, kind, "");
		finish(j);
		return;
	}
	/* SECURITY: not even its first step is taken here: calls that end at
	 * once hold no place in the window, and many of them would be one
	 * turn of the loop. */
	if (!wait_for_turn(j)) {
		(void)bind_files_fail_by(j, -ENOMEM);
		finish(j);
	}
}

/* Before it is recorded as started: what the lists refuse has no effect, and
 * the record says so. What else is wrong is for start() to say. */
static enum wire_tool_kind
admit(void *tool_data, struct wire_span arguments, const char **ret_words)
{
	static const char *const words[WIRE_TOOL_KIND_COUNT] = {
	    [WIRE_TOOL_PATH_TRAVERSAL] = "the path has a part that is '..'",
	    [WIRE_TOOL_FS_READ_DENIED] =
		"the path is beneath none that can be read",
	    [WIRE_TOOL_FS_WRITE_DENIED] =
		"the path is beneath none that can be written to",
	};
	struct bind_files_request request;
	uint8_t buf[256];
	struct bind_text why;
	enum wire_tool_kind kind;

	bind_text_init(&why, buf, sizeof(buf));
	kind = take_request(tool_data, arguments, &request, &why);
	if (words[kind] == NULL)
		return WIRE_TOOL_NONE;
	*ret_words = words[kind];
	return kind;
}

static void
cancel(struct bind_job *job, enum wire_tool_kind kind)
{
	struct bind_files_job *j = job->state;

	if (j->request.op != BIND_FILES_WRITE) {
		bind_text_add(&j->why, "stopped");
	} else if (j->request.append) {
		bind_text_add(&j->why, "stopped after ");
		bind_text_add_uint(&j->why, j->done);
		bind_text_add(&j->why, " of ");
		bind_text_add_uint(&j->why, j->len);
		bind_text_add(&j->why, " bytes had been appended");
	} else {
		bind_text_add(&j->why,
		    j->directories > 0 ? "stopped before the file was changed"
				       : "stopped before anything was changed");
	}
	(void)bind_files_fail(j, kind, "");
	finish(j);
}

static void
abandon(struct bind_job *job)
{
	free_job(job->state);
}

static void
release(void *tool_data)
{
	struct bind_files_tool *tool = tool_data;

	if (--tool->files->users == 0)
		bind_files_free(tool->files);
	free(tool);
}

const struct bind_provider bind_provider_files = {
    .name = "files",
    .admit = admit,
    .start = start,
    .cancel = cancel,
    .abandon = abandon,
    .release = release,
};
