#include "supervisor/profile_file.h"

#include <bsd/string.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "supervisor/explain.h"
#include "supervisor/sys.h"
#include "supervisor/usage.h"

/* As many links as the kernel follows (path_resolution(7)). */
#define LINKS_MAX 40

struct walk {
	const char *path; /* as it was given */
	char *error;
	int dir_fd;	     /* where the rest begins */
	char rest[PATH_MAX]; /* what is still to be gone */
	unsigned links;
};

__attribute__((format(printf, 2, 3))) static bool
refuse(const struct walk *walk, const char *format, ...)
{
	char reason[WEIR_ERROR_MAX / 2], shown[SUP_EXPLAIN_NAME];
	va_list args;

	va_start(args, format);
	(void)vsnprintf(reason, sizeof(reason), format, args);
	va_end(args);
	sup_explain(
	    walk->error, "%s: %s", sup_explain_name(walk->path, shown), reason);
	return false;
}

/*
 * SECURITY: whoever can write to a file, or replace it or what leads to it,
 * decides what programs may do. `what` and `name` say which it is.
 */
static bool
check_owner(const struct walk *walk, const struct stat *st, const char *what,
    const char *name)
{
	char quoted[SUP_USAGE_QUOTED];

	if (st->st_uid != 0 && st->st_uid != geteuid())
		return refuse(walk,
		    "%s %s belongs to user %u; it has to be root's or your "
		    "own",
		    what, sup_usage_quote(name, quoted), (unsigned)st->st_uid);
	/* Of a link the mode means nothing (symlink(7)). */
	if (S_ISLNK(st->st_mode) || (st->st_mode & (S_IWGRP | S_IWOTH)) == 0)
		return true;
	if (S_ISDIR(st->st_mode) && (st->st_mode & S_ISVTX) != 0)
		return true;
	return refuse(walk,
	    "%s %s can be written by others (mode %04o); take that away with "
	    "chmod go-w",
	    what, sup_usage_quote(name, quoted),
	    (unsigned)(st->st_mode & 07777));
}

/* Begins at the root of the tree: an absolute path, or an absolute link. */
static bool
begin_at_root(struct walk *walk)
{
	struct stat st;
	int r;

	sup_sys_close(&walk->dir_fd);
	walk->dir_fd = sup_sys_open("/", O_PATH | O_DIRECTORY);
	r = walk->dir_fd < 0 ? walk->dir_fd : sup_sys_fstat(walk->dir_fd, &st);
	if (r < 0)
		return refuse(walk, "/: %s", strerror(-r));
	return check_owner(walk, &st, "the directory", "/");
}

/* Puts a link's text in front of the rest. */
static bool
follow(struct walk *walk, int link_fd)
{
	char text[PATH_MAX];
	size_t len;
	int r = sup_sys_readlinkat(link_fd, "", text, sizeof(text));

	if (r < 0)
		return refuse(walk, "reading a link: %s", strerror(-r));
	if (++walk->links > LINKS_MAX)
		return refuse(walk, "%s", strerror(ELOOP));
	len = (size_t)r;
	if (strlcat(text, "/", sizeof(text)) >= sizeof(text) ||
	    strlcat(text, walk->rest, sizeof(text)) >= sizeof(text))
		return refuse(walk, "%s", strerror(ENAMETOOLONG));
	/* A file has no slash behind it. */
	if (walk->rest[0] == '\0')
		text[len] = '\0';
	(void)strlcpy(walk->rest, text, sizeof(walk->rest));
	return text[0] != '/' || begin_at_root(walk);
}

/* Cuts the next part off the rest; "" at the end. */
static void
take_part(struct walk *walk, char part[NAME_MAX + 2])
{
	char *rest = walk->rest + strspn(walk->rest, "/");
	size_t len = strcspn(rest, "/"), more = strspn(rest + len, "/");

	/* A longer one is refused by the kernel. */
	(void)snprintf(part, NAME_MAX + 2, "%.*s",
	    len > NAME_MAX ? NAME_MAX + 1 : (int)len, rest);
	memmove(walk->rest, rest + len + more, strlen(rest + len + more) + 1);
}

/* Goes to the file; its descriptor in *ret_fd. */
static bool
go(struct walk *walk, int *ret_fd, struct stat *ret_stat)
{
	char part[NAME_MAX + 2];

	for (;;) {
		struct stat st;
		bool good;
		int fd, r;

		take_part(walk, part);
		if (part[0] == '\0')
			return refuse(walk, "names no file");
		fd = sup_sys_openat(walk->dir_fd, part, O_PATH | O_NOFOLLOW);
		r = fd < 0 ? fd : sup_sys_fstat(fd, &st);
		if (r < 0) {
			sup_sys_close(&fd);
			return refuse(walk, "%s", strerror(-r));
		}
		if (S_ISLNK(st.st_mode)) {
			good = check_owner(walk, &st, "the link", part) &&
			    follow(walk, fd);
			sup_sys_close(&fd);
			if (!good)
				return false;
			continue;
		}
		if (walk->rest[0] == '\0') {
			*ret_fd = fd;
			*ret_stat = st;
			return true;
		}
		if (!S_ISDIR(st.st_mode)) {
			sup_sys_close(&fd);
			return refuse(walk, "%s", strerror(ENOTDIR));
		}
		sup_sys_close(&walk->dir_fd);
		walk->dir_fd = fd;
		if (!check_owner(walk, &st, "the directory", part))
			return false;
	}
}

static bool
read_text(const struct walk *walk, int path_fd, size_t max, char **ret_text,
    size_t *ret_len, bool *ret_memory)
{
	char self[64], *text;
	ssize_t n;
	int fd;

	/* The file that was checked, whatever its name leads to now. */
	(void)snprintf(self, sizeof(self), "/proc/self/fd/%d", path_fd);
	fd = sup_sys_open(self, O_RDONLY | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return refuse(walk, "%s", strerror(-fd));
	text = malloc(max + 1);
	*ret_memory = text == NULL;
	/* One byte more than the maximum, so that too much shows. */
	n = text == NULL ? -ENOMEM : sup_sys_read_whole(fd, text, max + 1);
	sup_sys_close(&fd);
	if (n < 0 || (size_t)n > max) {
		free(text);
		if (n < 0)
			return refuse(walk, "%s", strerror((int)-n));
		return refuse(
		    walk, "longer than %zu bytes; make it shorter", max);
	}
	*ret_text = text;
	*ret_len = (size_t)n;
	return true;
}

bool
sup_profile_file_read(const char *path, size_t max, char **ret_text,
    size_t *ret_len, bool *ret_memory, char error[WEIR_ERROR_MAX])
{
	struct walk walk = {.path = path, .error = error, .dir_fd = -1};
	struct stat st;
	int fd = -1, r = 0;
	bool good;

	*ret_memory = false;
	walk.rest[0] = '\0';
	/* A relative path is as good as what leads to the directory. */
	if (path[0] != '/')
		r = sup_sys_getcwd(walk.rest, sizeof(walk.rest));
	if (r < 0)
		return refuse(&walk, "the directory: %s", strerror(-r));
	if (strlcat(walk.rest, path[0] != '/' ? "/" : "", sizeof(walk.rest)) >=
		sizeof(walk.rest) ||
	    strlcat(walk.rest, path, sizeof(walk.rest)) >= sizeof(walk.rest))
		return refuse(&walk, "%s", strerror(ENAMETOOLONG));
	good = begin_at_root(&walk) && go(&walk, &fd, &st);
	if (good && !S_ISREG(st.st_mode))
		good = refuse(&walk, "not a regular file; name one");
	good = good && check_owner(&walk, &st, "the file", path) &&
	    read_text(&walk, fd, max, ret_text, ret_len, ret_memory);
	sup_sys_close(&fd);
	sup_sys_close(&walk.dir_fd);
	return good;
}
