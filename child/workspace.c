/*
 * A workspace that is a directory of the host: entering, measuring and
 * clearing it. Where there is a root of its own the workspace is a tmpfs, and
 * none of this is needed (child/root.c).
 *
 * Nothing here follows a symbolic link or recurses: what stands in the
 * directory is the program's work.
 */
#include <asm/fcntl.h>
#include <asm/poll.h>
#include <asm/stat.h>
#include <linux/errno.h>
#include <linux/fcntl.h>
#include <linux/fs.h>
#include <linux/stat.h>
#include <linux/time_types.h>

#include "child/stub.h"
#include "child/sys.h"

/* Directories inside each other that are measured. */
#define DEPTH_MAX 64
#define DIR_FLAGS (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

/* getdents64(2) */
struct entry {
	uint64_t ino;
	int64_t next; /* where the directory goes on after this one */
	uint16_t len;
	uint8_t type;
	char name[];
};

static char entries[8192] __attribute__((aligned(8)));

int
stub_workspace_enter(const struct wire_plan *plan)
{
	long fd = STUB_SYS(__NR_openat, AT_FDCWD, plan->workspace, DIR_FLAGS);
	long r;

	if (fd < 0)
		return (int)-fd;
	r = STUB_SYS(__NR_fchdir, fd);
	/* Kept under a number that is free since the plan was read. */
	if (r >= 0 && fd != STUB_FD_WORKSPACE) {
		r = STUB_SYS(__NR_dup3, fd, STUB_FD_WORKSPACE, O_CLOEXEC);
		STUB_SYS(__NR_close, fd);
	}
	return r < 0 ? (int)-r : 0;
}

static bool
is_dots(const char *name)
{
	return name[0] == '.' &&
	    (name[1] == '\0' || (name[1] == '.' && name[2] == '\0'));
}

/* --- measuring ----------------------------------------------------------- */

/* Adds one entry; a descriptor when it is a directory to go into. */
static long
add_entry(long dir_fd, const char *name, struct stub_usage *usage)
{
	struct stat st;
	long fd;

	if (STUB_SYS(__NR_newfstatat, dir_fd, name, &st, AT_SYMLINK_NOFOLLOW) <
	    0)
		return -1; /* gone */
	usage->inodes++;
	usage->bytes += (uint64_t)st.st_blocks * 512 /
	    (st.st_nlink > 0 && (st.st_mode & S_IFMT) != S_IFDIR
		    ? (uint64_t)st.st_nlink
		    : 1);
	if ((st.st_mode & S_IFMT) != S_IFDIR)
		return -1;
	fd = STUB_SYS(__NR_openat, dir_fd, name, DIR_FLAGS);
	/* SECURITY: what cannot be looked into could hold anything. */
	if (fd < 0 && fd != -ENOENT && fd != -ENOTDIR && fd != -ELOOP)
		usage->hidden = true;
	return fd;
}

/* Beside descriptors. */
#define AT_END	 (-1)
#define NONE_YET (-2)

/* Goes on with the directory at fd by a chunk of entries at most: a descriptor
 * of one to go into, or one of the above. */
static long
next_below(long fd, struct stub_usage *usage)
{
	long n = STUB_SYS(__NR_getdents64, fd, entries, sizeof(entries));

	for (long at = 0; at < n;) {
		const struct entry *e = (const struct entry *)(entries + at);
		int64_t next = e->next;
		long below;

		at += e->len;
		if (is_dots(e->name))
			continue;
		below = add_entry(fd, e->name, usage);
		if (below < 0)
			continue;
		(void)STUB_SYS(__NR_lseek, fd, next, 0);
		return below;
	}
	return n > 0 ? NONE_YET : AT_END;
}

/* Whether more of it would change nothing, or nobody waits for it: process 1
 * is told of its end by its report socket alone. */
static bool
is_enough(
    const struct wire_plan *plan, int report_fd, const struct stub_usage *usage)
{
	struct pollfd polled = {report_fd, POLLIN, 0};
	struct __kernel_timespec none = {0, 0};

	return usage->bytes > plan->workspace_bytes ||
	    usage->inodes > plan->workspace_inodes || usage->hidden ||
	    STUB_SYS(__NR_ppoll, &polled, 1, &none, 0, 8) > 0;
}

void
stub_workspace_measure(
    const struct wire_plan *plan, int report_fd, struct stub_usage *ret_usage)
{
	struct stub_usage usage = {0, 0, false};
	long fds[DEPTH_MAX];
	int depth = 0;

	fds[0] = STUB_SYS(__NR_openat, STUB_FD_WORKSPACE, ".", DIR_FLAGS);
	if (fds[0] < 0) {
		usage.hidden = true;
		depth = -1;
	}
	while (depth >= 0) {
		long below = next_below(fds[depth], &usage);

		/* The lifeline is heard while it is measured, and a
		 * walk over more than is allowed ends where it is. */
		if (is_enough(plan, report_fd, &usage)) {
			if (below >= 0)
				STUB_SYS(__NR_close, below);
			while (depth >= 0)
				STUB_SYS(__NR_close, fds[depth--]);
		} else if (below == AT_END) {
			STUB_SYS(__NR_close, fds[depth--]);
		} else if (below >= 0 && depth + 1 < DEPTH_MAX) {
			fds[++depth] = below;
		} else if (below >= 0) {
			usage.hidden = true;
			STUB_SYS(__NR_close, below);
		}
	}
	*ret_usage = usage;
}

/* --- clearing ------------------------------------------------------------ */

/* Moves a directory up to the top, under a name that nothing has there. */
static bool
lift(long from_fd, const char *name, long top_fd, uint64_t *counter)
{
	char unique[32];
	long r;

	do {
		unique[0] = 'w';
		stub_put_decimal(unique + 1, (*counter)++);
		r = STUB_SYS(__NR_renameat2, from_fd, name, top_fd, unique,
		    RENAME_NOREPLACE);
	} while (r == -EEXIST);
	return r >= 0;
}

static long
open_own(long dir_fd, const char *name)
{
	long fd = STUB_SYS(__NR_openat, dir_fd, name, DIR_FLAGS);

	/* Nobody else is left that could put a link in its place. */
	if (fd == -EACCES && STUB_SYS(__NR_fchmodat, dir_fd, name, 0700) >= 0)
		fd = STUB_SYS(__NR_openat, dir_fd, name, DIR_FLAGS);
	if (fd >= 0)
		(void)STUB_SYS(__NR_fchmod, fd, 0700);
	return fd;
}

/*
 * Removes the files in a directory, and lifts the directories in it to the
 * top, where a later pass meets them: so no depth costs a descriptor. Whether
 * anything was removed or lifted. `below` is a directory beneath the top, or
 * the top itself.
 */
static bool
empty_one(long below, long top_fd, uint64_t *counter)
{
	/* The other one is in use: one pass at the top empties others. */
	static char inner[4096] __attribute__((aligned(8)));
	bool any = false;
	long n;

	while (
	    (n = STUB_SYS(__NR_getdents64, below, inner, sizeof(inner))) > 0) {
		for (long at = 0; at < n;) {
			const struct entry *e =
			    (const struct entry *)(inner + at);
			long fd;

			at += e->len;
			if (is_dots(e->name))
				continue;
			if (STUB_SYS(__NR_unlinkat, below, e->name, 0) >= 0 ||
			    STUB_SYS(__NR_unlinkat, below, e->name,
				AT_REMOVEDIR) >= 0) {
				any = true;
				continue;
			}
			/* To be moved it must be writable itself. */
			fd = open_own(below, e->name);
			if (fd < 0)
				continue;
			STUB_SYS(__NR_close, fd);
			any |= lift(below, e->name, top_fd, counter);
		}
	}
	return any;
}

/* One pass over the top; whether it changed anything. */
static bool
pass(long top_fd, uint64_t *counter)
{
	bool any = false;
	long n;

	(void)STUB_SYS(__NR_lseek, top_fd, 0, 0);
	while ((n = STUB_SYS(
		    __NR_getdents64, top_fd, entries, sizeof(entries))) > 0) {
		for (long at = 0; at < n;) {
			const struct entry *e =
			    (const struct entry *)(entries + at);
			long fd;

			at += e->len;
			if (is_dots(e->name))
				continue;
			if (STUB_SYS(__NR_unlinkat, top_fd, e->name, 0) >= 0) {
				any = true;
				continue;
			}
			fd = open_own(top_fd, e->name);
			if (fd >= 0) {
				any |= empty_one(fd, top_fd, counter);
				STUB_SYS(__NR_close, fd);
			}
			any |= STUB_SYS(__NR_unlinkat, top_fd, e->name,
				   AT_REMOVEDIR) >= 0;
		}
	}
	return any;
}

void
stub_workspace_clear(int top_fd)
{
	uint64_t counter = 0;

	(void)STUB_SYS(__NR_fchmod, top_fd, 0700);
	/* A pass without effect has nothing left, or nothing it can remove. */
	while (pass(top_fd, &counter))
		;
}

void
stub_workspace_remove(const struct wire_plan *plan)
{
	char parent[4096];
	size_t len = stub_strlen(plan->workspace);

	(void)STUB_SYS(__NR_unlinkat, AT_FDCWD, plan->workspace, AT_REMOVEDIR);
	if (len >= sizeof(parent))
		return;
	__builtin_memcpy(parent, plan->workspace, len);
	while (len > 1 && parent[len - 1] != '/')
		len--;
	parent[len - 1] = '\0';
	(void)STUB_SYS(__NR_unlinkat, AT_FDCWD, parent, AT_REMOVEDIR);
}

void
stub_sweep(void)
{
	stub_workspace_clear(0);
	stub_exit(0);
}
