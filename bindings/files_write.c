/*
 * write: a regular file, whole or appended to.
 *
 * A whole file is written beside its name and then takes it, in one step of the
 * kernel's: whoever reads sees the old one or the new one, a call that does not
 * get to its end has changed nothing, and another name of the old file (a hard
 * link) keeps what it had. The new file has the permissions of the one before.
 * It has no name until its bytes are there, so that a supervisor that is killed
 * leaves nothing behind; where the file system has no such files, it has one of
 * its own from the beginning.
 * Directories that are missing are made where they could be written to.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bindings/base64.h"
#include "bindings/files_job.h"
#include "bindings/loop.h"
#include "bindings/sys.h"

/* --- what is written ------------------------------------------------------ */

/* False: it is over. */
static bool
decode(struct bind_files_job *j)
{
	const struct bind_files_request *r = &j->request;
	uint8_t *text = malloc(r->content.len + 1);
	size_t len = 0;

	if (text == NULL)
		return !bind_files_fail_by(j, -ENOMEM);
	/* The frame's scan has accepted it, and it never grows. */
	if (wire_json_unescape(r->content, text, r->content.len, &len) !=
	    WIRE_OK)
		len = 0;
	/* In place: it shrinks. */
	if (r->is_base64 &&
	    !bind_base64_decode((struct wire_span){text, len}, text, &len)) {
		free(text);
		return !bind_files_fail(
		    j, WIRE_TOOL_FAILED, "base64 is not base64, with padding");
	}
	j->bytes = text;
	j->len = len;
	return true;
}

/* --- the directory -------------------------------------------------------- */

/* No errno. */
#define TOO_MANY_MISSING INT_MIN

/* Makes the directory `name` of `up`: its path, and what of the whole path is
 * below it, so missing too. 0, also where somebody else has made it. */
static int
make_directory(struct bind_files_job *j, int up, const char *name,
    struct wire_span path, const char *below)
{
	size_t count = 1 + (*below != '\0');
	int r;

	if (!bind_files_may_write(j->files, path))
		return -ENOENT;
	for (; *below != '\0'; below++)
		count += *below == '/';
	/* SECURITY: before the first one is made: what one call costs the
	 * host, in inodes and in one turn's time, is bounded. */
	if (count > BIND_FILES_MAKE_MAX)
		return TOO_MANY_MISSING;
	r = bind_sys_mkdir_at(up, name);
	j->directories += r == 0;
	return r == -EEXIST ? 0 : r;
}

/* Opens the path's first len bytes, and makes what is missing and may be
 * written to. A descriptor, -errno or TOO_MANY_MISSING. */
static int
open_parent(struct bind_files_job *j, size_t len)
{
	int root_fd = bind_files_root(j->files);
	char path[BIND_FILES_PATH_MAX + 1];
	size_t at = 0, name = 0;
	int fd, up;

	memcpy(path, j->request.path.text, len);
	path[len] = '\0';
	fd = bind_sys_open_beneath(root_fd, path, BIND_SYS_OPEN_DIRECTORY);
	if (fd != -ENOENT)
		return fd;
	/* From the top down; `up` is the directory that holds path + name. */
	up = bind_sys_open_beneath(root_fd, "", BIND_SYS_OPEN_DIRECTORY);
	while (up >= 0 && at < len) {
		bool is_last;

		at += strcspn(path + at, "/");
		is_last = at == len;
		path[at] = '\0';
		fd = bind_sys_open_beneath(
		    up, path + name, BIND_SYS_OPEN_DIRECTORY);
		if (fd == -ENOENT) {
			fd = make_directory(j, up, path + name,
			    (struct wire_span){(const uint8_t *)path, at},
			    is_last ? "" : path + at + 1);
			if (fd == 0)
				fd = bind_sys_open_beneath(
				    up, path + name, BIND_SYS_OPEN_DIRECTORY);
		}
		bind_sys_close(&up);
		up = fd;
		if (at < len)
			path[at++] = '/';
		name = at;
	}
	return up;
}

/* --- beginning ------------------------------------------------------------ */

/* The name that is written to, as it is now. False: it is over. */
static bool
look(struct bind_files_job *j, const char *name, bool *ret_is_there,
    struct bind_sys_info *info)
{
	int r = bind_sys_info_at(j->parent_fd, name, info);

	*ret_is_there = r == 0;
	if (r == -ENOENT)
		return true;
	if (r < 0)
		return !bind_files_fail_by(j, r);
	if (info->type == BIND_SYS_LINK)
		return !bind_files_fail_by(j, -ELOOP);
	if (j->request.create)
		return !bind_files_fail(j, WIRE_TOOL_FAILED,
		    "something of this name is there already");
	if (info->type != BIND_SYS_FILE)
		return !bind_files_fail(j, WIRE_TOOL_FAILED,
		    info->type == BIND_SYS_DIRECTORY
			? "this is a directory"
			: "this is no regular file");
	/* Its place could be taken whatever its mode is; a mode that forbids
	 * to write is meant for us, too. */
	r = bind_sys_may_write_at(j->parent_fd, name);
	return r == 0 || !bind_files_fail_by(j, r);
}

static int
open_to_append(struct bind_files_job *j, const char *name, bool is_there)
{
	int fd, path_fd;

	if (!is_there) {
		fd = bind_sys_open_beneath(
		    j->parent_fd, name, BIND_SYS_OPEN_NEW);
		if (fd != -EEXIST)
			return fd;
	}
	path_fd = bind_sys_open_beneath(j->parent_fd, name, BIND_SYS_OPEN_PATH);
	if (path_fd < 0)
		return path_fd;
	fd = bind_sys_reopen(path_fd, true);
	bind_sys_close(&path_fd);
	return fd;
}

static int
choose_temporary(struct bind_files_job *j)
{
	uint64_t random;
	int r = bind_sys_random(&random, sizeof(random));

	if (r < 0)
		return r;
	(void)snprintf(j->temporary, sizeof(j->temporary), ".weir-%016llx",
	    (unsigned long long)random);
	return 0;
}

static int
open_named(struct bind_files_job *j)
{
	int r = choose_temporary(j);

	if (r < 0)
		return r;
	r = bind_sys_open_beneath(
	    j->parent_fd, j->temporary, BIND_SYS_OPEN_NEW);
	j->is_made = r >= 0;
	return r;
}

static int
open_temporary(struct bind_files_job *j)
{
	int fd = bind_sys_open_beneath(j->parent_fd, "", BIND_SYS_OPEN_UNNAMED);

	/* Why it is not to be had has no word that all file systems use. */
	j->is_unnamed = fd >= 0;
	return fd >= 0 ? fd : open_named(j);
}

/* False: it is over. */
static bool
begin(struct bind_files_job *j)
{
	const struct bind_files_request *r = &j->request;
	struct bind_sys_info info;
	size_t parent_len;
	const char *name = bind_files_path_name(&r->path, &parent_len);
	bool is_there;

	if (r->path.directory)
		return !bind_files_fail(j, WIRE_TOOL_FAILED,
		    "the path is that of a directory; name a file");
	if (!decode(j))
		return false;
	j->parent_fd = open_parent(j, parent_len);
	if (j->parent_fd == TOO_MANY_MISSING)
		return !bind_files_fail(j, WIRE_TOOL_FAILED,
		    "more than 32 directories of the path are missing; "
		    "write to fewer first");
	if (j->parent_fd < 0)
		return !bind_files_fail_by(j, j->parent_fd);
	if (!look(j, name, &is_there, &info))
		return false;
	j->fd =
	    r->append ? open_to_append(j, name, is_there) : open_temporary(j);
	if (j->fd < 0)
		return !bind_files_fail_by(j, j->fd);
	if (!r->append && is_there) {
		int error = bind_sys_chmod(j->fd, info.mode);

		if (error < 0)
			return !bind_files_fail_by(j, error);
	}
	j->is_begun = true;
	return true;
}

/* --- the bytes ------------------------------------------------------------ */

static void
fill_written(struct wire_out *out, const void *arg)
{
	const uint64_t *numbers = arg;

	wire_out_begin_object(out);
	wire_out_key(out, "written");
	wire_out_uint(out, numbers[0]);
	wire_out_key(out, "size");
	wire_out_uint(out, numbers[1]);
	wire_out_end_object(out);
}

/* The file has no name and cannot get one, as without /proc: all of it once
 * more, in one that has. False: there is more to do. */
static bool
begin_again(struct bind_files_job *j, unsigned mode)
{
	int error;

	bind_sys_close(&j->fd);
	j->is_unnamed = false;
	j->done = 0;
	j->fd = open_named(j);
	if (j->fd < 0)
		return bind_files_fail_by(j, j->fd);
	error = bind_sys_chmod(j->fd, mode);
	return error < 0 && bind_files_fail_by(j, error);
}

/* Gives the file its name. 0 or -errno. */
static int
take_place(struct bind_files_job *j, const char *name)
{
	int error;

	if (j->is_unnamed && j->request.create)
		return bind_sys_link_at(j->fd, j->parent_fd, name);
	if (j->is_unnamed) {
		error = choose_temporary(j);
		if (error == 0)
			error =
			    bind_sys_link_at(j->fd, j->parent_fd, j->temporary);
		if (error < 0)
			return error;
		j->is_made = true;
		j->is_unnamed = false;
	}
	error = bind_sys_rename_at(
	    j->parent_fd, j->temporary, name, !j->request.create);
	j->is_made = error != 0;
	return error;
}

static bool
end(struct bind_files_job *j)
{
	const struct bind_files_request *r = &j->request;
	struct bind_sys_info info;
	uint64_t numbers[2] = {j->len, 0};
	size_t parent_len;
	int error = bind_sys_info(j->fd, &info);

	if (error == 0 && !r->append) {
		error =
		    take_place(j, bind_files_path_name(&r->path, &parent_len));
		if (error < 0 && j->is_unnamed &&
		    !(r->create && error == -EEXIST))
			return begin_again(j, info.mode);
	}
	if (error == -EEXIST)
		return bind_files_fail(j, WIRE_TOOL_FAILED,
		    "something of this name is there already");
	if (error < 0)
		return bind_files_fail_by(j, error);
	numbers[1] = info.size;
	return bind_files_answer(j, fill_written, numbers);
}

/* What had been appended before it could not go on is said. */
static bool
fail_write(struct bind_files_job *j, int error)
{
	if (j->request.append && j->done > 0) {
		bind_text_add(&j->why, "after ");
		bind_text_add_uint(&j->why, j->done);
		bind_text_add(&j->why, " of ");
		bind_text_add_uint(&j->why, j->len);
		bind_text_add(&j->why, " bytes had been appended: ");
	}
	return bind_files_fail_by(j, error);
}

bool
bind_files_write(struct bind_files_job *j)
{
	struct bind_sys_info info;
	size_t chunk;
	int r;

	if (!j->is_begun && !begin(j))
		return true;
	chunk = j->len - j->done;
	if (chunk > BIND_TURN_MAX)
		chunk = BIND_TURN_MAX;
	r = bind_sys_info(j->fd, &info);
	if (r == 0)
		r = bind_sys_append(
		    j->fd, j->bytes + j->done, chunk, info.size);
	if (r < 0)
		return fail_write(j, r);
	j->done += chunk;
	return j->done == j->len && end(j);
}

void
bind_files_write_undo(struct bind_files_job *j)
{
	/* What cannot be removed stays; nothing refers to it. */
	if (j->is_made)
		(void)bind_sys_unlink_at(j->parent_fd, j->temporary);
	j->is_made = false;
}
