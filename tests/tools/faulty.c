/*
 * faulty.so: what is done to one file goes wrong at one point, or the process
 * is killed there.
 *
 * Preloaded into the command (LD_PRELOAD), so that what is tested is what is
 * installed. FAULT_FILE names the file. Each write, fdatasync and ftruncate of
 * it (or only each `write`, `sync` or `truncate`, with FAULT_WHAT) is counted,
 * from 1; FAULT_AT is the one that FAULT_HOW happens to:
 *
 *	before after	SIGKILL
 *	middle		half of the bytes are written, then SIGKILL; of the two
 *			others like `before`
 *	power		what no fdatasync has made safe is gone, then SIGKILL:
 *			as when the machine stops. One process at a time
 *	short		half of the bytes are written, and that is the result
 *	ENOSPC EDQUOT EIO	the same, and then nothing, with this error; of
 *			the two others at once, with this error
 *
 * FAULT_LOG gets a line for each, before it is done. Children do not get this
 * library: the stub is static, and tools have an environment of their own.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define EXPORTED __attribute__((visibility("default")))

static const char *file, *how, *wanted, *log_path;
static long at, count;
static off_t safe = -1; /* what a machine that stops leaves of the file */
static int error_next;	/* of the next write, after a short one */

static void
note(const char *what, size_t len)
{
	char line[64];
	int fd, n;

	if (log_path == NULL)
		return;
	n = snprintf(line, sizeof(line), "%s %zu\n", what, len);
	fd = open(log_path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
	if (fd >= 0) {
		(void)syscall(SYS_write, fd, line, (size_t)n);
		(void)syscall(SYS_close, fd);
	}
}

static void
die(void)
{
	for (;;)
		(void)syscall(SYS_kill, getpid(), SIGKILL);
}

/* Whether it is the file; what is safe of it at first is what is there. */
static bool
is_file(int fd)
{
	struct stat named, opened;
	int old = errno;
	bool is = file != NULL && stat(file, &named) == 0 &&
	    fstat(fd, &opened) == 0 && named.st_dev == opened.st_dev &&
	    named.st_ino == opened.st_ino;

	if (is && safe < 0)
		safe = opened.st_size;
	errno = old;
	return is;
}

static bool
is_how(const char *word)
{
	return how != NULL && strcmp(how, word) == 0;
}

static int
error_of(void)
{
	return is_how("ENOSPC") ? ENOSPC
	    : is_how("EDQUOT")	? EDQUOT
	    : is_how("EIO")	? EIO
				: 0;
}

/* Whether this is the one; it may not come back. */
static bool
meets(int fd, const char *what, size_t len)
{
	note(what, len);
	if ((wanted != NULL && strcmp(wanted, what) != 0) || ++count != at)
		return false;
	if (is_how("power"))
		(void)syscall(SYS_ftruncate, fd, safe);
	if (is_how("before") || is_how("power"))
		die();
	return true;
}

EXPORTED ssize_t
write(int fd, const void *buf, size_t len)
{
	ssize_t n;

	if (!is_file(fd))
		return syscall(SYS_write, fd, buf, len);
	if (error_next != 0) {
		errno = error_next;
		error_next = 0;
		return -1;
	}
	if (!meets(fd, "write", len))
		return syscall(SYS_write, fd, buf, len);
	if (!is_how("after"))
		len /= 2;
	n = syscall(SYS_write, fd, buf, len);
	if (is_how("middle") || is_how("after"))
		die();
	error_next = error_of();
	return n;
}

EXPORTED int
ftruncate(int fd, off_t size)
{
	int r;

	if (!is_file(fd) || !meets(fd, "truncate", (size_t)size))
		return (int)syscall(SYS_ftruncate, fd, size);
	if (is_how("middle"))
		die();
	if (error_of() != 0) {
		errno = error_of();
		return -1;
	}
	r = (int)syscall(SYS_ftruncate, fd, size);
	if (r == 0 && size < safe)
		safe = size;
	if (is_how("after"))
		die();
	return r;
}

EXPORTED int
fdatasync(int fd)
{
	struct stat st;
	bool is = is_file(fd), met = is && meets(fd, "sync", 0);
	int r;

	if (met && is_how("middle"))
		die();
	if (met && error_of() != 0) {
		errno = error_of();
		return -1;
	}
	r = (int)syscall(SYS_fdatasync, fd);
	if (is && r == 0 && fstat(fd, &st) == 0)
		safe = st.st_size;
	if (met && is_how("after"))
		die();
	return r;
}

__attribute__((constructor)) static void
prepare(void)
{
	const char *number = getenv("FAULT_AT");

	at = number != NULL ? strtol(number, NULL, 10) : 0;
	file = getenv("FAULT_FILE");
	how = getenv("FAULT_HOW");
	wanted = getenv("FAULT_WHAT");
	log_path = getenv("FAULT_LOG");
}
