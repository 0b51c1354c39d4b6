/*
 * Steps inside namespaces. A child clones one of its own into them, and that
 * one answers; the child only writes its maps and waits.
 */
#include "supervisor/doctor_steps.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/mount.h>
#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "supervisor/doctor_host.h"
#include "supervisor/doctor_try.h"
#include "supervisor/idmap.h"
#include "supervisor/sys.h"
#include "supervisor/sys_doctor.h"
#include "supervisor/sys_files.h"

/* --- making the namespaces ------------------------------------------------ */

/* As the stub's stages `maps` and `ids`. */
static int
become(struct sup_doctor_try *attempt, int go_fd)
{
	const long id = SUP_IDMAP_INSIDE;
	char go;

	/* End of file: the maps were refused, and that was answered. */
	if (sup_sys_read(go_fd, &go, 1) != 1)
		_exit(0);
	/* Denied for good where a plain user wrote the map. */
	(void)RAW(SYS_setgroups, 0, 0, 0, 0, 0);
	TRY(attempt, "setresgid", RAW(SYS_setresgid, id, id, id, 0, 0));
	TRY(attempt, "setresuid", RAW(SYS_setresuid, id, id, id, 0, 0));
	return getuid() == (uid_t)id ? 0 : SUP_DOCTOR_NO_EFFECT;
}

static int
write_maps(struct sup_doctor_try *attempt, pid_t pid)
{
	struct wire_errinfo info = {"", 0, 0};
	struct sup_idmap map;

	sup_doctor_choose_ids(&map);
	/* SECURITY: never to root: see sup_idmap.h and the grade `identity`. */
	if (!map.own && (map.uid == 0 || map.gid == 0)) {
		sup_doctor_note(attempt, "no id to map to but root's");
		return -EPERM;
	}
	if (sup_idmap_write(&map, pid, &info) == WIRE_OK)
		return 0;
	sup_doctor_note(attempt, "%s", info.site);
	return -info.sys;
}

__attribute__((noreturn)) static void
inner(struct sup_doctor_try *attempt, int go_fd,
    int (*inside)(struct sup_doctor_try *))
{
	int r = go_fd >= 0 ? become(attempt, go_fd) : 0;

	/* Not before: a change of ids takes it back (prctl(2)). */
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	if (r == 0 && inside != NULL)
		r = inside(attempt);
	sup_doctor_reply(attempt, r);
}

/*
 * Runs inside() in a process with an own user namespace and those of flags,
 * with an id mapped or without. Returns only what went wrong before that; what
 * it answers itself is the answer.
 */
static int
in_namespaces(struct sup_doctor_try *attempt, unsigned flags, bool mapped,
    int (*inside)(struct sup_doctor_try *))
{
	int go[2] = {-1, -1}, status = 0, r = 0;
	long pid;

	TRY(attempt, "pipe", sup_sys_pipe(go));
	sup_doctor_note(attempt, "clone");
	pid = RAW(
	    SYS_clone, CLONE_NEWUSER | flags | (unsigned)SIGCHLD, 0, 0, 0, 0);
	if (pid < 0)
		return (int)pid;
	if (pid == 0) {
		sup_sys_close(&go[1]);
		inner(attempt, mapped ? go[0] : -1, inside);
	}
	sup_sys_close(&go[0]);
	if (mapped)
		r = write_maps(attempt, (pid_t)pid);
	if (mapped && r == 0)
		(void)sup_sys_write(go[1], "g", 1);
	sup_sys_close(&go[1]);
	(void)sup_sys_wait((pid_t)pid, &status, __WALL);
	if (r < 0)
		return r;
	if (!WIFSIGNALED(status))
		_exit(0);
	attempt->answer.signal = WTERMSIG(status);
	sup_doctor_note(attempt, "in the namespaces");
	return SUP_DOCTOR_KILLED;
}

int
sup_step_user_namespace(struct sup_doctor_try *attempt)
{
	return in_namespaces(attempt, 0, false, NULL);
}

int
sup_step_id_maps(struct sup_doctor_try *attempt)
{
	return in_namespaces(attempt, 0, true, NULL);
}

int
sup_step_pid_namespace(struct sup_doctor_try *attempt)
{
	return in_namespaces(attempt, CLONE_NEWPID, false, NULL);
}

int
sup_step_mount_namespace(struct sup_doctor_try *attempt)
{
	return in_namespaces(attempt, CLONE_NEWNS, false, NULL);
}

int
sup_step_network_namespace(struct sup_doctor_try *attempt)
{
	return in_namespaces(attempt, CLONE_NEWNET, false, NULL);
}

/* As process 1 does (child/links.c): the loopback is the first. */
static int
count_links(struct sup_doctor_try *attempt)
{
	struct ifreq link = {.ifr_ifindex = 1};
	long fd;

	sup_doctor_note(attempt, "socket(AF_INET)");
	fd = RAW(SYS_socket, AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0, 0, 0);
	if (fd < 0)
		return (int)fd;
	TRY(attempt, "ioctl(SIOCGIFNAME)",
	    RAW(SYS_ioctl, fd, SIOCGIFNAME, &link, 0, 0));
	return 0;
}

int
sup_step_network_links(struct sup_doctor_try *attempt)
{
	return in_namespaces(attempt, CLONE_NEWNET, false, count_links);
}

int
sup_step_ipc_namespace(struct sup_doctor_try *attempt)
{
	return in_namespaces(attempt, CLONE_NEWIPC, false, NULL);
}

int
sup_step_uts_namespace(struct sup_doctor_try *attempt)
{
	return in_namespaces(attempt, CLONE_NEWUTS, false, NULL);
}

int
sup_step_cgroup_namespace(struct sup_doctor_try *attempt)
{
	return in_namespaces(attempt, CLONE_NEWCGROUP, false, NULL);
}

/* --- mounts --------------------------------------------------------------- */

static int
cut_propagation(struct sup_doctor_try *attempt)
{
	TRY(attempt, "mount",
	    RAW(SYS_mount, 0, "/", 0, MS_REC | MS_PRIVATE, 0));
	return 0;
}

int
sup_step_propagation(struct sup_doctor_try *attempt)
{
	return in_namespaces(attempt, CLONE_NEWNS, true, cut_propagation);
}

/* A detached, sized tmpfs; then attached on top of everything. */
static int
cover_root(struct sup_doctor_try *attempt, int *ret_fd)
{
	const char *options[][2] = {
	    {"size", "256k"}, {"nr_inodes", "16"}, {"mode", "0755"}};
	long fs, fd;

	sup_doctor_note(attempt, "fsopen");
	fs = RAW(SYS_fsopen, "tmpfs", FSOPEN_CLOEXEC, 0, 0, 0);
	if (fs < 0)
		return (int)fs;
	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		TRY(attempt, "fsconfig",
		    RAW(SYS_fsconfig, fs, FSCONFIG_SET_STRING, options[i][0],
			options[i][1], 0));
	TRY(attempt, "fsconfig",
	    RAW(SYS_fsconfig, fs, FSCONFIG_CMD_CREATE, 0, 0, 0));
	sup_doctor_note(attempt, "fsmount");
	fd = RAW(SYS_fsmount, fs, FSMOUNT_CLOEXEC,
	    MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV, 0, 0);
	if (fd < 0)
		return (int)fd;
	TRY(attempt, "move_mount",
	    RAW(SYS_move_mount, fd, "", AT_FDCWD, "/",
		MOVE_MOUNT_F_EMPTY_PATH));
	*ret_fd = (int)fd;
	return 0;
}

static int
mount_tmpfs(struct sup_doctor_try *attempt)
{
	int root_fd;
	long file_fd;
	int r = cover_root(attempt, &root_fd);

	if (r != 0)
		return r;
	sup_doctor_note(attempt, "a file in it");
	file_fd = RAW(SYS_openat, root_fd, ".", O_TMPFILE | O_WRONLY, 0600, 0);
	return file_fd < 0 ? (int)file_fd : 0;
}

int
sup_step_tmpfs(struct sup_doctor_try *attempt)
{
	return in_namespaces(attempt, CLONE_NEWNS, true, mount_tmpfs);
}

static int
bind_usr(struct sup_doctor_try *attempt)
{
	struct mount_attr attr = {
	    .attr_set =
		MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV,
	    .propagation = MS_PRIVATE,
	};
	const int wanted = ST_RDONLY | ST_NOSUID;
	int tree_fd, root_fd, flags, r;

	sup_doctor_note(attempt, "open_tree");
	tree_fd = sup_sys_open_tree("/usr");
	if (tree_fd < 0)
		return tree_fd;
	TRY(attempt, "mount_setattr",
	    RAW(SYS_mount_setattr, tree_fd, "", AT_EMPTY_PATH | AT_RECURSIVE,
		&attr, sizeof(attr)));
	r = cover_root(attempt, &root_fd);
	if (r != 0)
		return r;
	TRY(attempt, "mkdir", RAW(SYS_mkdirat, root_fd, "usr", 0755, 0, 0));
	TRY(attempt, "move_mount",
	    RAW(SYS_move_mount, tree_fd, "", root_fd, "usr",
		MOVE_MOUNT_F_EMPTY_PATH));
	sup_doctor_note(attempt, "read-only");
	flags = sup_sys_mount_flags(tree_fd);
	if (flags < 0)
		return flags;
	return (flags & wanted) == wanted ? 0 : SUP_DOCTOR_NO_EFFECT;
}

int
sup_step_bind_mount(struct sup_doctor_try *attempt)
{
	return in_namespaces(attempt, CLONE_NEWNS, true, bind_usr);
}

static int
leave_root(struct sup_doctor_try *attempt)
{
	struct stat st;
	int root_fd;
	int r = cover_root(attempt, &root_fd);

	if (r != 0)
		return r;
	TRY(attempt, "fchdir", RAW(SYS_fchdir, root_fd, 0, 0, 0, 0));
	TRY(attempt, "pivot_root", RAW(SYS_pivot_root, ".", ".", 0, 0, 0));
	TRY(attempt, "umount", RAW(SYS_umount2, ".", MNT_DETACH, 0, 0, 0));
	TRY(attempt, "chdir", RAW(SYS_chdir, "/", 0, 0, 0, 0));
	sup_doctor_note(attempt, "/usr is still there");
	return sup_sys_stat("/usr", &st) == -ENOENT ? 0 : SUP_DOCTOR_NO_EFFECT;
}

int
sup_step_pivot_root(struct sup_doctor_try *attempt)
{
	return in_namespaces(attempt, CLONE_NEWNS, true, leave_root);
}

/* --- privileges ----------------------------------------------------------- */

static int
drop_capabilities(struct sup_doctor_try *attempt)
{
	struct __user_cap_header_struct head = {_LINUX_CAPABILITY_VERSION_3, 0};
	struct __user_cap_data_struct data[2] = {{0, 0, 0}, {0, 0, 0}};
	long r = 0;

	sup_doctor_note(attempt, "prctl(PR_CAPBSET_DROP)");
	for (int cap = 0; cap < 64 && r == 0; cap++)
		r = RAW(SYS_prctl, PR_CAPBSET_DROP, cap, 0, 0, 0);
	if (r < 0 && r != -EINVAL) /* EINVAL: beyond the newest */
		return (int)r;
	TRY(attempt, "prctl(PR_CAP_AMBIENT)",
	    RAW(SYS_prctl, PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0));
	TRY(attempt, "capset", RAW(SYS_capset, &head, data, 0, 0, 0));
	TRY(attempt, "capget", RAW(SYS_capget, &head, data, 0, 0, 0));
	for (size_t i = 0; i < 2; i++)
		if (data[i].effective != 0 || data[i].permitted != 0 ||
		    data[i].inheritable != 0)
			return SUP_DOCTOR_NO_EFFECT;
	return 0;
}

int
sup_step_capabilities(struct sup_doctor_try *attempt)
{
	return in_namespaces(attempt, 0, true, drop_capabilities);
}
