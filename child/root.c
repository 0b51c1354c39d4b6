/*
 * ROOT and WORKSPACE: a new root that holds only what the plan lists.
 *
 * The root is a small tmpfs. Sources are cloned as detached mounts first
 * (open_tree(2)), by the host for paths that only the host may enter, else
 * here, still with the host's ids; then the ids change, because a tmpfs
 * cannot hold files of an id that the namespace does not map (EOVERFLOW);
 * then the clones are attached and the old root is let go.
 */
#include <asm/fcntl.h>
#include <linux/errno.h>
#include <linux/fcntl.h>
#include <linux/mount.h>

#include "child/mountinfo.h"
#include "child/stub.h"
#include "child/sys.h"

#define MNT_DETACH    2
#define AT_RECURSIVE_ 0x8000
#define MS_PRIVATE_   (1UL << 18)

/* The root's own tmpfs: directories and mount points only. */
#define ROOT_SIZE   "256k"
#define ROOT_INODES "512"

/*
 * SECURITY: read-only unless granted, never set-user-id, no device nodes
 * unless it is one; and private, so that what the host mounts later does not
 * appear inside. mount_setattr(2) only adds restrictions, so a source that
 * has more keeps them.
 */
static long
restrict_tree(const struct wire_plan *plan, int fd, unsigned flags)
{
	struct mount_attr attr = {
	    .attr_set = MOUNT_ATTR_NOSUID,
	    .propagation = MS_PRIVATE_,
	};

	if ((flags & WIRE_MOUNT_WRITE) == 0)
		attr.attr_set |= MOUNT_ATTR_RDONLY;
	else if (plan->processes > 0)
		attr.attr_set |= MOUNT_ATTR_NOEXEC;
	if ((flags & WIRE_MOUNT_DEVICE) == 0)
		attr.attr_set |= MOUNT_ATTR_NODEV;
	return STUB_SYS(__NR_mount_setattr, fd, "",
	    AT_EMPTY_PATH | AT_RECURSIVE_, &attr, sizeof(attr));
}

int
stub_root_sources(const struct wire_plan *plan, struct stub_root *root)
{
	long r;

	r = STUB_SYS(__NR_openat, AT_FDCWD, "/", O_PATH | O_CLOEXEC, 0);
	if (r < 0)
		return (int)-r;
	root->old_fd = (int)r;
	for (size_t i = 0; i < plan->mount_count; i++) {
		const struct wire_plan_mount *m = &plan->mounts[i];

		root->detail = (unsigned)i;
		r = m->fd;
		if (r < 0)
			r = STUB_SYS(__NR_open_tree, AT_FDCWD, m->source,
			    OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC |
				AT_RECURSIVE_);
		if (r < 0)
			return (int)-r;
		root->sources[i] = (int)r;
		r = restrict_tree(plan, root->sources[i], m->flags);
		if (r < 0)
			return (int)-r;
	}
	return 0;
}

/*
 * A detached tmpfs with the given options; a descriptor or -errno.
 * SECURITY: with processes there is nothing in it to be executed or mapped as
 * a program, also by a loader that may be executed itself (C14).
 */
static long
new_tmpfs(const struct wire_plan *plan, const char *size, const char *inodes,
    const char *mode)
{
	unsigned attributes = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV |
	    (plan->processes > 0 ? MOUNT_ATTR_NOEXEC : 0);
	const char *options[][2] = {
	    {"size", size}, {"nr_inodes", inodes}, {"mode", mode}};
	long fs, r;

	fs = STUB_SYS(__NR_fsopen, "tmpfs", FSOPEN_CLOEXEC);
	if (fs < 0)
		return fs;
	for (size_t i = 0; i < 3; i++) {
		r = STUB_SYS(__NR_fsconfig, fs, FSCONFIG_SET_STRING,
		    options[i][0], options[i][1], 0);
		if (r < 0)
			goto out;
	}
	r = STUB_SYS(__NR_fsconfig, fs, FSCONFIG_CMD_CREATE, 0, 0, 0);
	if (r < 0)
		goto out;
	r = STUB_SYS(__NR_fsmount, fs, FSMOUNT_CLOEXEC, attributes);
out:
	STUB_SYS(__NR_close, fs);
	return r;
}

/* Makes the directories above path, and path itself as a directory or as an
 * empty file. Existing directories are fine. */
static long
make_point(int root_fd, const char *path, bool directory)
{
	char part[4096];
	size_t len = stub_strlen(path);
	long r;

	if (len < 2 || len >= sizeof(part) || path[0] != '/')
		return -EINVAL;
	for (size_t i = 1; i < len; i++) {
		if (path[i] == '/' && i > 1) {
			part[i - 1] = '\0';
			r = STUB_SYS(__NR_mkdirat, root_fd, part, 0755);
			if (r < 0 && r != -EEXIST)
				return r;
		}
		part[i - 1] = path[i];
	}
	part[len - 1] = '\0';
	if (directory) {
		r = STUB_SYS(__NR_mkdirat, root_fd, part, 0755);
		return r == -EEXIST ? 0 : r;
	}
	r = STUB_SYS(__NR_openat, root_fd, part,
	    O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC | O_NOFOLLOW, 0644);
	if (r >= 0)
		STUB_SYS(__NR_close, r);
	return r == -EEXIST ? 0 : r < 0 ? r : 0;
}

static long
attach(int mount_fd, int root_fd, const char *path)
{
	return STUB_SYS(__NR_move_mount, mount_fd, "", root_fd, path,
	    MOVE_MOUNT_F_EMPTY_PATH);
}

static int
fill(const struct wire_plan *plan, struct stub_root *root, int root_fd)
{
	long r;

	for (size_t i = 0; i < plan->mount_count; i++) {
		const struct wire_plan_mount *m = &plan->mounts[i];

		root->detail = (unsigned)i;
		r = make_point(root_fd, m->target, m->kind == WIRE_MOUNT_DIR);
		if (r < 0)
			return (int)-r;
		r = attach(root->sources[i], root_fd, m->target + 1);
		if (r < 0)
			return (int)-r;
		STUB_SYS(__NR_close, root->sources[i]);
	}
	for (size_t i = 0; i < plan->link_count; i++) {
		const struct wire_plan_link *l = &plan->links[i];

		root->detail = (unsigned)(plan->mount_count + i);
		r = make_point(root_fd, l->path, true);
		if (r < 0)
			return (int)-r;
		/* make_point left a directory in the link's place. */
		r = STUB_SYS(__NR_unlinkat, root_fd, l->path + 1,
		    0x200 /* AT_REMOVEDIR */);
		if (r >= 0)
			r = STUB_SYS(
			    __NR_symlinkat, l->target, root_fd, l->path + 1);
		if (r < 0)
			return (int)-r;
	}
	root->detail = 0;
	return 0;
}

/*
 * SECURITY: pivot_root and not chroot: the old root is unmounted, so there is
 * nothing of the host left to climb to. pivot_root(2), "pivot_root(".", ".")"
 */
int
stub_root_build(const struct wire_plan *plan, struct stub_root *root)
{
	int root_fd, error;
	long r;

	r = new_tmpfs(plan, ROOT_SIZE, ROOT_INODES, "0755");
	if (r < 0)
		return (int)-r;
	root_fd = (int)r;
	r = STUB_SYS(__NR_move_mount, root_fd, "", AT_FDCWD, "/",
	    MOVE_MOUNT_F_EMPTY_PATH);
	if (r < 0)
		return (int)-r;
	error = fill(plan, root, root_fd);
	if (error != 0)
		return error;
	r = make_point(root_fd, plan->workspace, true);
	if (r >= 0)
		r = make_point(root_fd, "/dev/shm", true);
	if (r >= 0)
		r = STUB_SYS(__NR_fchdir, root_fd);
	if (r >= 0)
		r = STUB_SYS(__NR_pivot_root, ".", ".");
	STUB_SYS(__NR_close, root_fd);
	root->stands = r >= 0;
	return r < 0 ? (int)-r : 0;
}

/* Attaches the directory `name` of the quota filesystem at path. */
static long
attach_part(int quota_fd, const char *name, const char *path)
{
	long fd, r;

	r = STUB_SYS(__NR_mkdirat, quota_fd, name, 0700);
	if (r < 0)
		return r;
	fd = STUB_SYS(__NR_open_tree, quota_fd, name,
	    OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
	if (fd < 0)
		return fd;
	r = attach((int)fd, AT_FDCWD, path);
	STUB_SYS(__NR_close, fd);
	return r;
}

/*
 * One filesystem, so one quota, behind everything that can be written: the
 * workspace and /dev/shm are two of its directories. The filesystem itself is
 * attached beneath the workspace and so out of reach.
 */
static int
mount_quota(const struct wire_plan *plan)
{
	char size[24], inodes[24];
	long r;
	int quota_fd;

	/* Its own root and the two directories are three inodes more. */
	stub_put_decimal(size, plan->workspace_bytes);
	stub_put_decimal(inodes, plan->workspace_inodes + 3);
	r = new_tmpfs(plan, size, inodes, "0700");
	if (r < 0)
		return (int)-r;
	quota_fd = (int)r;
	r = attach(quota_fd, AT_FDCWD, plan->workspace);
	if (r >= 0)
		r = attach_part(quota_fd, "shm", "/dev/shm");
	if (r >= 0)
		r = attach_part(quota_fd, "work", plan->workspace);
	STUB_SYS(__NR_close, quota_fd);
	return r < 0 ? (int)-r : 0;
}

/* Lets the host's root go, and counts what is mounted then. */
static int
leave_host(const struct wire_plan *plan, struct stub_root *root)
{
	long info_fd, r;
	int error;

	/*
	 * KERNEL: the list is bound to the mount namespace and root of the
	 * opener, so it is opened after the pivot through the host's /proc,
	 * and read when that is gone. Without a /proc there is no such proof.
	 */
	info_fd = STUB_SYS(__NR_openat, root->old_fd, "proc/self/mountinfo",
	    O_RDONLY | O_CLOEXEC, 0);
	r = STUB_SYS(__NR_umount2, ".", MNT_DETACH);
	if (r < 0)
		return (int)-r;
	r = STUB_SYS(__NR_chdir, "/");
	if (r < 0)
		return (int)-r;
	STUB_SYS(__NR_close, root->old_fd);
	root->old_fd = -1;
	error = mount_quota(plan);
	if (error == 0 && info_fd >= 0)
		error = stub_mountinfo_check(plan, (int)info_fd, &root->mounts);
	if (info_fd >= 0)
		STUB_SYS(__NR_close, info_fd);
	return error;
}

int
stub_root_workspace(const struct wire_plan *plan, struct stub_root *root)
{
	struct mount_attr attr = {.attr_set = MOUNT_ATTR_RDONLY};
	int error;
	long r;

	error = leave_host(plan, root);
	if (error != 0)
		return error;
	r = STUB_SYS(__NR_mount_setattr, AT_FDCWD, "/", 0, &attr, sizeof(attr));
	if (r < 0)
		return (int)-r;
	/* Not the host's name, and not the host's inode as standard input,
	 * whose times could be changed through it. */
	r = STUB_SYS(__NR_sethostname, "weir", 4);
	if (r < 0)
		return (int)-r;
	r = STUB_SYS(__NR_openat, AT_FDCWD, "/dev/null", O_RDONLY, 0);
	if (r > 0) {
		(void)STUB_SYS(__NR_dup3, r, 0, 0);
		STUB_SYS(__NR_close, r);
	}
	if (r < 0)
		return (int)-r;
	r = STUB_SYS(__NR_chdir, plan->workspace);
	return r < 0 ? (int)-r : 0;
}
