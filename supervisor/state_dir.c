#include "supervisor/state_dir.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bindings/sys.h"
#include "supervisor/explain.h"
#include "supervisor/sys.h"
#include "supervisor/sys_files.h"

#define OPEN_DIR (O_RDONLY | O_DIRECTORY)
/* Not blocking: what stands there may be a FIFO. */
#define OPEN_FILE (O_NONBLOCK | O_NOCTTY)
/* How long another start may take to write the key. */
#define KEY_WAIT_NS  2000000000
#define KEY_SLEEP_NS 1000000

bool
sup_run_name_is_good(struct wire_span name)
{
	static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "abcdefghijklmnopqrstuvwxyz"
				      "0123456789._-";

	if (name.len == 0 || name.len > SUP_RUN_NAME_MAX || name.p[0] == '.')
		return false;
	for (size_t i = 0; i < name.len; i++)
		if (memchr(allowed, name.p[i], sizeof(allowed) - 1) == NULL)
			return false;
	return true;
}

static int
fail(char error[WEIR_ERROR_MAX], const char *what, const char *name, int r)
{
	sup_explain(error, "%s%s%s: %s", what, name[0] == '\0' ? "" : "/", name,
	    bind_sys_error_text(-r));
	return -1;
}

/* Whether nobody else can write to it. what/name is for the sentence. */
static bool
is_ours(int fd, const char *what, const char *name, mode_t type, mode_t mask,
    char error[WEIR_ERROR_MAX])
{
	const char *slash = name[0] == '\0' ? "" : "/";
	struct stat st;
	int r = sup_sys_fstat(fd, &st);

	if (r < 0) {
		(void)fail(error, what, name, r);
		return false;
	}
	if ((st.st_mode & S_IFMT) != type)
		sup_explain(error, "%s%s%s: it is not a %s", what, slash, name,
		    type == S_IFDIR ? "directory" : "regular file");
	else if (st.st_uid != geteuid())
		sup_explain(error,
		    "%s%s%s: it belongs to somebody else (uid %u); use a "
		    "directory of your own",
		    what, slash, name, (unsigned)st.st_uid);
	else if ((st.st_mode & mask) != 0)
		sup_explain(error,
		    "%s%s%s: its mode is %03o, so others can get at it; take "
		    "that away with chmod go-w%s",
		    what, slash, name, (unsigned)st.st_mode & 0777,
		    (mask & S_IRGRP) != 0 ? "r" : "");
	else if (type == S_IFREG && st.st_nlink != 1)
		sup_explain(error,
		    "%s%s%s: it has %lu names; a file of weir's has one", what,
		    slash, name, (unsigned long)st.st_nlink);
	else
		return true;
	return false;
}

/*
 * KERNEL: fsync(2): a name that was made is on the disk when its directory is.
 * Otherwise what is written there could be gone with the machine, whatever is
 * done about the file itself. Who may not read the directory above his own
 * cannot see to it, and some file systems cannot.
 */
static int
sync_name(int dir_fd, const char *path)
{
	char above[PATH_MAX];
	int r, fd = -1;

	if (dir_fd == AT_FDCWD) {
		(void)snprintf(
		    above, sizeof(above), "%.*s/..", PATH_MAX - 8, path);
		fd = sup_sys_open(above, OPEN_DIR);
		if (fd < 0)
			return 0;
	}
	r = sup_sys_sync(fd >= 0 ? fd : dir_fd);
	sup_sys_close(&fd);
	return r == -EINVAL ? 0 : r;
}

/* The directory `name` in dir_fd, or at a path where that is AT_FDCWD. */
static int
open_dir(
    int dir_fd, const char *path, const char *name, char error[WEIR_ERROR_MAX])
{
	const char *at = dir_fd == AT_FDCWD ? path : name;
	int fd, r = sup_sys_mkdir(dir_fd, at);

	if (r == 0)
		r = sync_name(dir_fd, path);
	if (r < 0 && r != -EEXIST)
		return fail(error, path, name, r);
	fd = dir_fd == AT_FDCWD ? sup_sys_open(at, OPEN_DIR)
				: sup_sys_open_beneath(dir_fd, at, OPEN_DIR);
	if (fd < 0)
		return fail(error, path, name, fd);
	if (!is_ours(fd, path, name, S_IFDIR, S_IWGRP | S_IWOTH, error))
		sup_sys_close(&fd);
	return fd;
}

/* --- the key -------------------------------------------------------------- */

/* Whether it is one: what a machine that stopped left may be zeros. */
static bool
is_key(const uint8_t *key, ssize_t len)
{
	static const uint8_t zeros[SUP_STATE_KEY_LEN];

	return len == SUP_STATE_KEY_LEN &&
	    memcmp(key, zeros, sizeof(zeros)) != 0;
}

/* Ledgers come after the key. */
static bool
was_used(int dir_fd)
{
	int fd = sup_sys_open_beneath(dir_fd, "runs", OPEN_DIR);
	bool was = fd != -ENOENT;

	sup_sys_close(&fd);
	return was;
}

/* With the lock held. The first start fills the file; one that was stopped
 * meanwhile has used nothing of it. */
static int
fill_key(int fd, int dir_fd, uint8_t key[SUP_STATE_KEY_LEN])
{
	uint8_t found[SUP_STATE_KEY_LEN + 1];
	ssize_t n = bind_sys_read_at(fd, found, sizeof(found), 0);
	int r = 0;

	if (n < 0)
		return (int)n;
	if (is_key(found, n)) {
		memcpy(key, found, SUP_STATE_KEY_LEN);
		explicit_bzero(found, sizeof(found));
		return 0;
	}
	if (n != 0)
		r = was_used(dir_fd) ? -EBADMSG : bind_sys_truncate(fd, 0);
	if (r < 0)
		return r;
	r = sup_sys_random(key, SUP_STATE_KEY_LEN);
	if (r < 0)
		return r;
	r = bind_sys_append(fd, key, SUP_STATE_KEY_LEN, 0);
	if (r == 0)
		r = sup_sys_sync(fd);
	if (r == 0)
		r = sync_name(dir_fd, "");
	if (r < 0)
		(void)bind_sys_truncate(fd, 0);
	return r;
}

static int
lock_key(int fd)
{
	const uint64_t end = bind_sys_monotonic() + KEY_WAIT_NS;
	int r;

	while ((r = bind_sys_lock(fd, BIND_SYS_EXCLUSIVE)) == -EAGAIN &&
	    bind_sys_monotonic() < end)
		bind_sys_sleep(KEY_SLEEP_NS);
	return r;
}

/* 0, or -1. */
static int
read_key(int dir_fd, const char *path, uint8_t key[SUP_STATE_KEY_LEN],
    char error[WEIR_ERROR_MAX])
{
	int r,
	    fd = sup_sys_open_beneath(
		dir_fd, "key", O_RDWR | O_CREAT | O_APPEND | OPEN_FILE);

	if (fd < 0)
		return fail(error, path, "key", fd);
	r = -1;
	if (is_ours(fd, path, "key", S_IFREG,
		S_IRGRP | S_IWGRP | S_IROTH | S_IWOTH, error)) {
		r = lock_key(fd);
		if (r == 0)
			r = fill_key(fd, dir_fd, key);
		if (r == -EBADMSG)
			sup_explain(error,
			    "%s/key: it is not a key of %d bytes; with another "
			    "key the hashes of the ledgers here mean nothing: "
			    "use another directory",
			    path, SUP_STATE_KEY_LEN);
		else if (r < 0)
			(void)fail(error, path, "key", r);
	}
	sup_sys_close(&fd); /* and with it the lock */
	return r < 0 ? -1 : 0;
}

int
sup_state_open(const char *path, uint8_t ret_key[SUP_STATE_KEY_LEN],
    char error[WEIR_ERROR_MAX])
{
	int dir_fd = open_dir(AT_FDCWD, path, "", error);
	int runs_fd = -1;

	if (dir_fd < 0)
		return -1;
	if (read_key(dir_fd, path, ret_key, error) == 0)
		runs_fd = open_dir(dir_fd, path, "runs", error);
	sup_sys_close(&dir_fd);
	return runs_fd;
}

/* --- ledgers -------------------------------------------------------------- */

int
sup_state_open_run(
    int runs_fd, const char *name, bool disk, char error[WEIR_ERROR_MAX])
{
	int r = 0,
	    fd = sup_sys_open_beneath(
		runs_fd, name, O_RDWR | O_CREAT | O_APPEND | OPEN_FILE);

	if (fd < 0)
		return fail(error, "run", name, fd);
	if (!is_ours(fd, "run", name, S_IFREG,
		S_IRGRP | S_IWGRP | S_IROTH | S_IWOTH, error)) {
		sup_sys_close(&fd);
		return -1;
	}
	if (disk)
		r = sync_name(runs_fd, "");
	if (r < 0) {
		(void)fail(error, "run", name, r);
		sup_sys_close(&fd);
	}
	return fd;
}

static int
must_be_regular(
    int fd, const char *what, const char *name, char error[WEIR_ERROR_MAX])
{
	struct stat st;
	int r;

	if (fd < 0)
		return fail(error, what, name, fd);
	r = sup_sys_fstat(fd, &st);
	if (r == 0 && !S_ISREG(st.st_mode)) {
		sup_explain(error, "%s%s%s: it is not a regular file", what,
		    name[0] == '\0' ? "" : "/", name);
		r = -1;
	} else if (r < 0) {
		r = fail(error, what, name, r);
	}
	if (r < 0)
		sup_sys_close(&fd);
	return fd;
}

int
sup_state_read_run(
    const char *path, const char *name, char error[WEIR_ERROR_MAX])
{
	int dir_fd = sup_sys_open(path, OPEN_DIR);
	int runs_fd, fd;

	if (dir_fd < 0)
		return fail(error, path, "", dir_fd);
	runs_fd = sup_sys_open_beneath(dir_fd, "runs", OPEN_DIR);
	sup_sys_close(&dir_fd);
	if (runs_fd < 0)
		return fail(error, path, "runs", runs_fd);
	fd = sup_sys_open_beneath(runs_fd, name, O_RDONLY | OPEN_FILE);
	sup_sys_close(&runs_fd);
	return must_be_regular(fd, path, name, error);
}

int
sup_state_read_file(const char *path, char error[WEIR_ERROR_MAX])
{
	return must_be_regular(
	    sup_sys_open(path, O_RDONLY | OPEN_FILE), path, "", error);
}
