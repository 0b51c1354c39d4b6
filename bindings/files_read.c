/*
 * stat and read: what a name is, and what a regular file holds.
 */
#include <stdlib.h>
#include <string.h>

#include "bindings/base64.h"
#include "bindings/files_job.h"
#include "bindings/loop.h"
#include "bindings/sys.h"
#include "wire/utf8.h"

/* --- stat ----------------------------------------------------------------- */

static const char *const type_words[] = {
    [BIND_SYS_FILE] = "file",
    [BIND_SYS_DIRECTORY] = "directory",
    [BIND_SYS_LINK] = "link",
    [BIND_SYS_OTHER] = "other",
    [BIND_SYS_UNKNOWN] = "other",
};

const char *
bind_files_type_word(enum bind_sys_type type)
{
	return type_words[type];
}

static void
fill_stat(struct wire_out *out, const void *arg)
{
	const struct bind_sys_info *info = arg;

	wire_out_begin_object(out);
	wire_out_key(out, "type");
	wire_out_text(out, type_words[info->type]);
	wire_out_key(out, "size");
	wire_out_uint(out, info->size);
	wire_out_key(out, "mtime");
	wire_out_int(out, info->mtime);
	wire_out_end_object(out);
}

/* Opens what the path names without touching it. */
static int
look(struct bind_files_job *j, struct bind_sys_info *info)
{
	int fd = bind_sys_open_beneath(bind_files_root(j->files),
	    j->request.path.text, BIND_SYS_OPEN_PATH);
	int r = fd < 0 ? fd : bind_sys_info(fd, info);

	if (r == 0 && j->request.path.directory &&
	    info->type != BIND_SYS_DIRECTORY)
		r = info->type == BIND_SYS_LINK ? -ELOOP : -ENOTDIR;
	if (r < 0)
		bind_sys_close(&fd);
	return r < 0 ? r : fd;
}

bool
bind_files_stat(struct bind_files_job *j)
{
	struct bind_sys_info info;
	int fd = look(j, &info);

	if (fd < 0)
		return bind_files_fail_by(j, fd);
	bind_sys_close(&fd);
	return bind_files_answer(j, fill_stat, &info);
}

/* --- read ----------------------------------------------------------------- */

struct window {
	struct wire_span bytes;
	bool is_text;
	uint64_t offset, next, size;
	bool is_end;
};

static void
fill_window(struct wire_out *out, const void *arg)
{
	const struct window *w = arg;

	wire_out_begin_object(out);
	wire_out_key(out, w->is_text ? "text" : "base64");
	wire_out_string(out, w->bytes);
	wire_out_key(out, "offset");
	wire_out_uint(out, w->offset);
	wire_out_key(out, "next");
	if (w->is_end)
		wire_out_null(out);
	else
		wire_out_uint(out, w->next);
	wire_out_key(out, "size");
	wire_out_uint(out, w->size);
	wire_out_end_object(out);
}

static bool
refuse_size(struct bind_files_job *j, uint64_t size)
{
	bind_text_add(&j->why, "the file has ");
	bind_text_add_uint(&j->why, size);
	bind_text_add(&j->why,
	    " bytes, more than a result may have (result_bytes): read it in "
	    "parts, with offset and length");
	return bind_files_fail(j, WIRE_TOOL_RESULT_TOO_LARGE, "");
}

/* False: it is over. */
static bool
begin_read(struct bind_files_job *j)
{
	const struct bind_files_request *r = &j->request;
	struct bind_sys_info info;
	int path_fd = look(j, &info);

	if (path_fd < 0)
		return !bind_files_fail_by(j, path_fd);
	if (info.type == BIND_SYS_FILE)
		j->fd = bind_sys_reopen(path_fd, false);
	bind_sys_close(&path_fd);
	if (info.type == BIND_SYS_LINK)
		return !bind_files_fail_by(j, -ELOOP);
	if (info.type != BIND_SYS_FILE)
		return !bind_files_fail(j, WIRE_TOOL_FAILED,
		    info.type == BIND_SYS_DIRECTORY
			? "this is a directory; list it"
			: "this is no regular file");
	if (j->fd < 0)
		return !bind_files_fail_by(j, j->fd);
	if (r->length == UINT64_MAX && info.size > r->offset &&
	    info.size - r->offset > j->job->result_max)
		return !refuse_size(j, info.size);
	j->is_begun = true;
	return true;
}

/* Room for `more` bytes. */
static bool
make_room(struct bind_files_job *j, size_t more)
{
	size_t room = j->room;
	uint8_t *bytes;

	while (room - j->len < more)
		room = room == 0 ? 4096 : 2 * room;
	if (room == j->room)
		return true;
	bytes = realloc(j->bytes, room);
	if (bytes == NULL)
		return false;
	j->bytes = bytes;
	j->room = room;
	return true;
}

/*
 * The window as text where it is text. A character that only its end cuts off
 * is left for the next one, unless it is all that there is.
 */
static void
judge_text(struct window *w)
{
	size_t valid = wire_utf8_valid_prefix(w->bytes);
	struct wire_span rest = {w->bytes.p + valid, w->bytes.len - valid};
	bool ok = true;

	w->is_text = valid == w->bytes.len;
	if (w->is_text || w->is_end || valid == 0 ||
	    wire_utf8_step(rest, &ok) != rest.len || ok)
		return;
	w->is_text = true;
	w->bytes.len = valid;
	w->next = w->offset + valid;
}

static bool
answer_window(struct bind_files_job *j, struct window *w)
{
	size_t len = 0;
	uint8_t *encoded = NULL;
	bool over;

	if (!j->request.as_bytes)
		judge_text(w);
	if (!w->is_text) {
		if (bind_base64_len(w->bytes.len, &len))
			encoded = malloc(len + 1);
		if (encoded == NULL)
			return bind_files_fail_by(j, -ENOMEM);
		w->bytes.len = bind_base64_encode(w->bytes, encoded);
		w->bytes.p = encoded;
	}
	over = bind_files_answer(j, fill_window, w);
	free(encoded);
	return over;
}

/* All that was asked for is there, or the end of the file was met. */
static bool
end_read(struct bind_files_job *j, bool is_end)
{
	struct window w = {
	    .bytes = {j->bytes, j->len},
	    .offset = j->request.offset,
	    .next = j->request.offset + j->len,
	    .is_end = is_end,
	};
	struct bind_sys_info info;
	uint8_t one;
	int r = bind_sys_info(j->fd, &info);

	if (r < 0)
		return bind_files_fail_by(j, r);
	w.size = info.size;
	/* A file that the kernel makes as it is read has no size. */
	if (!is_end && w.next >= w.size) {
		ssize_t n = bind_sys_read_at(j->fd, &one, 1, w.next);

		if (n < 0)
			return bind_files_fail_by(j, (int)n);
		w.is_end = n == 0;
	}
	return answer_window(j, &w);
}

/* What a turn came to. Not an errno: a file that the kernel makes up may give
 * each of them. */
enum { WINDOW_FULL, FILE_ENDED, THERE_IS_MORE };

/* One turn's worth. One of these, or -errno. */
static int
read_some(struct bind_files_job *j, size_t most)
{
	size_t left = BIND_TURN_MAX;

	while (left > 0) {
		size_t chunk = most - j->len < left ? most - j->len : left;
		ssize_t n;

		if (chunk == 0)
			return WINDOW_FULL;
		if (!make_room(j, chunk))
			return -ENOMEM;
		n = bind_sys_read_at(j->fd, j->bytes + j->len, chunk,
		    j->request.offset + j->len);
		if (n <= 0)
			return n < 0 ? (int)n : FILE_ENDED;
		j->len += (size_t)n;
		left -= (size_t)n;
	}
	return THERE_IS_MORE;
}

bool
bind_files_read(struct bind_files_job *j)
{
	const struct bind_files_request *request = &j->request;
	size_t max = j->job->result_max;
	int r;

	if (!j->is_begun && !begin_read(j))
		return true;
	/* One byte more than fits, so that too much shows. */
	r = read_some(
	    j, request->length <= max ? (size_t)request->length : max + 1);
	if (r == THERE_IS_MORE)
		return false;
	if (r < 0)
		return bind_files_fail_by(j, r);
	if (j->len > max)
		return refuse_size(j, request->offset + j->len);
	return end_read(j, r == FILE_ENDED);
}
