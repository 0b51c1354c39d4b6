#include "supervisor/scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bindings/spawn.h"
#include "bindings/sys.h"
#include "supervisor/sys.h"
#include "supervisor/sys_dir.h"

/* The workspace inside of an execution's directory. */
#define WORK "work"

/* How often somebody else may be faster. */
#define TRIES 16

/* What was left is cleared at a start, and that is worth a wait. */
#define SWEEP_MS 60000

#define DIR_FLAGS (O_RDONLY | O_DIRECTORY | O_NOFOLLOW)

/* --- the base ------------------------------------------------------------- */

/*
 * SECURITY: /tmp is everybody's: a directory of this name that somebody else
 * made, or can write to, or a link, would let them swap a workspace. Opened
 * without following a link, and then judged by what was opened.
 */
static bool
is_own_dir(int fd, unsigned refused_bits)
{
	struct stat st;

	return sup_sys_fstat(fd, &st) == 0 && S_ISDIR(st.st_mode) &&
	    st.st_uid == geteuid() && (st.st_mode & refused_bits) == 0;
}

/* Whether /run/user/UID is the caller's alone, as pam_systemd(8) makes it. */
static bool
has_runtime_dir(unsigned uid, char base[SUP_SCRATCH_BASE])
{
	int fd;
	bool own;

	(void)snprintf(base, SUP_SCRATCH_BASE, "/run/user/%u", uid);
	fd = sup_sys_open(base, DIR_FLAGS);
	own = fd >= 0 && is_own_dir(fd, 077);
	sup_sys_close(&fd);
	return own;
}

void
sup_scratch_place(unsigned which, char base[SUP_SCRATCH_BASE])
{
	unsigned uid = (unsigned)geteuid();

	if (which > 0)
		(void)snprintf(
		    base, SUP_SCRATCH_BASE, "/tmp/weir-%u.%u", uid, which);
	else if (uid != 0 && has_runtime_dir(uid, base))
		(void)snprintf(
		    base, SUP_SCRATCH_BASE, "/run/user/%u/weir", uid);
	else
		(void)snprintf(base, SUP_SCRATCH_BASE, "/tmp/weir-%u", uid);
}

/* Root's children have ids of their own and must get through; the names are
 * random. */
static unsigned
dir_mode(void)
{
	return geteuid() == 0 ? 0711 : 0700;
}

/* Whatever the caller's umask is. */
static int
make_dir(int dir_fd, const char *name, unsigned mode)
{
	int r = sup_sys_mkdirat(dir_fd, name, mode);

	return r < 0 ? r : sup_sys_chmodat(dir_fd, name, mode);
}

/* A base for the caller alone; -errno, -EPERM for what is another's. */
static int
open_base(const char *base, bool make)
{
	int fd = -ENOENT;

	/* Another supervisor of the caller may remove it, being empty, before
	 * it is open here. */
	for (int again = 0; again < TRIES; again++) {
		if (make)
			(void)make_dir(AT_FDCWD, base, dir_mode());
		fd = sup_sys_open(base, DIR_FLAGS);
		if (fd != -ENOENT || !make)
			break;
	}
	if (fd >= 0 && !is_own_dir(fd, geteuid() == 0 ? 066 : 077)) {
		sup_sys_close(&fd);
		fd = -EPERM;
	}
	return fd;
}

/*
 * SECURITY: what another has put in the place of the first one does not keep
 * the caller from having a workspace: there are further names. The root of a
 * user namespace that shares /tmp takes real root's without meaning to.
 */
enum wire_err
sup_scratch_open(struct sup_scratch *scratch, struct wire_errinfo *info)
{
	struct sup_owner owner;
	int fd = -ENOENT, first = 0;

	if (scratch->base_fd >= 0)
		return WIRE_OK;
	for (unsigned i = 0; i < SUP_SCRATCH_PLACES && fd < 0; i++) {
		sup_scratch_place(i, scratch->base);
		fd = open_base(scratch->base, true);
		if (i == 0)
			first = fd;
	}
	if (fd < 0) {
		sup_scratch_place(0, scratch->base);
		if (info != NULL)
			*info = (struct wire_errinfo){
			    "the base directory for workspaces "
			    "(/run/user/UID/weir, or /tmp/weir-UID) is not a "
			    "private directory of the caller's, nor is one of "
			    "/tmp/weir-UID.1 to .3; remove what stands there",
			    -first, 0};
		return WIRE_ERR_SYSTEM;
	}
	sup_owner_find(&owner);
	sup_owner_write(&owner, scratch->owner);
	scratch->base_fd = fd;
	return WIRE_OK;
}

void
sup_scratch_close(struct sup_scratch *scratch)
{
	/* Only when it is empty; whoever has it open makes it anew. */
	if (scratch->base_fd >= 0)
		(void)sup_sys_rmdirat(AT_FDCWD, scratch->base);
	sup_sys_close(&scratch->base_fd);
}

/* --- one execution's directory -------------------------------------------- */

static int
make_in(int base_fd, const char *name)
{
	int fd, r;

	fd = sup_sys_openat(base_fd, name, DIR_FLAGS);
	if (fd < 0)
		return fd;
	r = make_dir(fd, WORK, 0700);
	sup_sys_close(&fd);
	return r;
}

enum wire_err
sup_scratch_make(struct sup_scratch *scratch, const char *id,
    char ret_name[SUP_SCRATCH_NAME], char ret_path[PATH_MAX],
    struct wire_errinfo *info)
{
	char name[SUP_SCRATCH_NAME];
	int r;
	int n = snprintf(name, sizeof(name), "%s.%s", scratch->owner, id);

	if (n < 0 || (size_t)n >= sizeof(name))
		return wire_fail(info, WIRE_ERR_NO_SPACE, "workspace", 0);
	(void)snprintf(ret_path, PATH_MAX, "%s/%s/" WORK, scratch->base, name);
	r = make_dir(scratch->base_fd, name, dir_mode());
	/* Another supervisor of the caller found the base empty and removed
	 * it, as sup_scratch_close does. */
	for (int again = 0; r == -ENOENT && again < TRIES; again++) {
		sup_sys_close(&scratch->base_fd);
		if (sup_scratch_open(scratch, info) != WIRE_OK)
			return WIRE_ERR_SYSTEM;
		r = make_dir(scratch->base_fd, name, dir_mode());
	}
	if (r == 0) {
		/* From here on there is something to remove. */
		memcpy(ret_name, name, (size_t)n + 1);
		r = make_in(scratch->base_fd, name);
	}
	if (r == 0)
		return WIRE_OK;
	if (info != NULL)
		*info = (struct wire_errinfo){
		    "making the workspace (/run/user/UID/weir, or "
		    "/tmp/weir-UID)",
		    -r, 0};
	return WIRE_ERR_SYSTEM;
}

int
sup_scratch_give(const struct sup_scratch *scratch, const char *name,
    uint32_t uid, uint32_t gid)
{
	int fd = sup_sys_openat(scratch->base_fd, name, DIR_FLAGS);
	int r = fd < 0 ? fd : sup_sys_chownat(fd, WORK, uid, gid);

	sup_sys_close(&fd);
	return r;
}

/* Has `weir-child sweep` clear the directory at fd, and waits for it so long;
 * what it has not done then is for the next start. */
static void
clear(int fd, const char *stub_path, int timeout_ms)
{
	static char program[] = "weir-child", role[] = "sweep";
	static char *const argv[] = {program, role, NULL};
	static char *const environment[] = {NULL};
	int null_fd = sup_sys_open("/dev/null", O_RDWR);
	struct bind_spawn spawn = {
	    .path = stub_path,
	    .argv = argv,
	    .environment = environment,
	    .fds = {fd, null_fd, null_fd, null_fd},
	};
	bool clean;
	pid_t pid;
	int pidfd = -1;

	if (null_fd >= 0 &&
	    bind_spawn_start(&spawn, &pid, &pidfd, NULL) == WIRE_OK) {
		bind_sys_wait_end(pidfd, timeout_ms);
		bind_sys_kill(pidfd, pid);
		(void)bind_sys_reap(pidfd, true, &clean);
	}
	sup_sys_close(&pidfd);
	sup_sys_close(&null_fd);
}

bool
sup_scratch_remove(const struct sup_scratch *scratch, const char *name,
    const char *stub_path, int timeout_ms)
{
	int fd = sup_sys_openat(scratch->base_fd, name, DIR_FLAGS);
	int r;

	/* With no confinement a program may have closed it. */
	if (fd == -EACCES && sup_sys_chmodat(scratch->base_fd, name, 0700) == 0)
		fd = sup_sys_openat(scratch->base_fd, name, DIR_FLAGS);
	if (fd < 0)
		return fd == -ENOENT;
	/* Mostly it is gone, or was never used. */
	(void)sup_sys_rmdirat(fd, WORK);
	r = sup_sys_rmdirat(scratch->base_fd, name);
	/* A workspace; and, with no confinement, what a program wrote beside
	 * it. */
	if (r < 0 && r != -ENOENT) {
		clear(fd, stub_path, timeout_ms);
		r = sup_sys_rmdirat(scratch->base_fd, name);
	}
	sup_sys_close(&fd);
	return r == 0 || r == -ENOENT;
}

struct sweep {
	struct sup_scratch base;
	const char *stub_path;
	struct sup_owner self;
};

static void
sweep_one(void *arg, const char *name)
{
	const struct sweep *s = arg;
	struct sup_owner owner;

	if (sup_owner_read(name, &owner) && sup_owner_is_gone(&owner, &s->self))
		(void)sup_scratch_remove(
		    &s->base, name, s->stub_path, SWEEP_MS);
}

void
sup_scratch_sweep(const char *stub_path)
{
	struct sweep s = {.base = SUP_SCRATCH_NONE, .stub_path = stub_path};

	sup_owner_find(&s.self);
	for (unsigned i = 0; i < SUP_SCRATCH_PLACES; i++) {
		sup_scratch_place(i, s.base.base);
		s.base.base_fd = open_base(s.base.base, false);
		if (s.base.base_fd < 0)
			continue;
		sup_sys_list(s.base.base_fd, sweep_one, &s);
		sup_scratch_close(&s.base);
	}
}
