#include "supervisor/doctor_reason.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdio.h>
#include <string.h>

#define BIT(name) SUP_DOCTOR_BIT(SUP_DOCTOR_##name)
#define ALL	  (SUP_DOCTOR_BIT(SUP_DOCTOR_COUNT) - 1)
#define SPACES                                                                 \
	(BIT(USER_NAMESPACE) | BIT(PID_NAMESPACE) | BIT(MOUNT_NAMESPACE) |     \
	    BIT(NETWORK_NAMESPACE) | BIT(IPC_NAMESPACE) | BIT(UTS_NAMESPACE) | \
	    BIT(CGROUP_NAMESPACE))
#define MOUNTS                                                                 \
	(BIT(PROPAGATION) | BIT(TMPFS) | BIT(BIND_MOUNT) | BIT(PIVOT_ROOT))
#define IN_USER                                                                \
	(SPACES | BIT(ID_MAPS) | MOUNTS | BIT(CAPABILITIES) |                  \
	    BIT(NETWORK_LINKS))
/* The calls of which a kernel may be too old; the others are older. */
#define NEWER                                                                  \
	(MOUNTS | BIT(PIDFD) | BIT(CLOSE_RANGE) | BIT(SECCOMP) | BIT(MEMFD))
/* Landlock in whole or in part. */
#define LANDLOCKS (BIT(LANDLOCK) | BIT(LANDLOCK_ABI))

/* --- what is known of the host -------------------------------------------- */

#define CHANGE_IDS (UINT64_C(1) << CAP_SETUID | UINT64_C(1) << CAP_SETGID)

enum condition {
	ALWAYS,
	FILTERED,
	ZERO_SETTING, /* that the row names */
	ONE_SETTING,
	CHROOT,
	ONLY_ROOT,
	STRIPPED_ROOT, /* without the capabilities to change ids */
	LSM_WITHOUT_LANDLOCK,
	OLD_KERNEL, /* before 5.14 */
};

struct row {
	uint64_t steps;
	int error; /* 0: any */
	enum condition condition;
	enum sup_doctor_setting setting; /* shown with its value */
	const char *reason, *cure;
};

static bool
holds(const struct row *row, const struct sup_doctor_host *host)
{
	long value = host->setting[row->setting];

	switch (row->condition) {
	case ALWAYS:
		break;
	case FILTERED:
		return host->filtered;
	case ZERO_SETTING:
		return value == 0;
	case ONE_SETTING:
		return value == 1;
	case CHROOT:
		return host->chroot;
	case ONLY_ROOT:
		return host->only_root;
	case STRIPPED_ROOT:
		return host->uid == 0 && host->status.read &&
		    (host->status.caps[2] & CHANGE_IDS) != CHANGE_IDS;
	case LSM_WITHOUT_LANDLOCK:
		return host->lsm[0] != '\0' &&
		    strstr(host->lsm, "landlock") == NULL;
	case OLD_KERNEL:
		return host->major != 0 &&
		    (host->major < 5 || (host->major == 5 && host->minor < 14));
	}
	return true;
}

/* --- the table: the first row that fits ----------------------------------- */

#define MAXIMUM(step, name, text)                                              \
	{BIT(step), ENOSPC, ZERO_SETTING, SUP_SETTING_##name,                  \
	    "the host allows no " text " namespaces",                          \
	    "as root: sysctl -w user.max_" text                                \
	    "_namespaces=15000, in the outermost user namespace too"},         \
	{                                                                      \
		BIT(step), ENOSPC, ALWAYS, SUP_SETTING_##name,                 \
		    "the limit of " text                                       \
		    " namespaces, here or further out, is reached, or user "   \
		    "namespaces are nested too deep",                          \
		    "raise user.max_" text                                     \
		    "_namespaces (sysctl), here and in every user namespace "  \
		    "further out"                                              \
	}

static const struct row rows[] = {
    {ALL, SUP_DOCTOR_KILLED, FILTERED, SUP_SETTING_NONE,
	"probably a system-call filter that this process has inherited",
	"start weir with a filter that allows the call (of a container: its "
	"seccomp profile)"},
    {ALL, SUP_DOCTOR_KILLED, ALWAYS, SUP_SETTING_NONE,
	"the process that tried it was ended",
	"look into the log of the kernel (dmesg) for who ended it"},
    {ALL, SUP_DOCTOR_LATE, ALWAYS, SUP_SETTING_NONE,
	"it had not come to an end after 10 s and was ended",
	"look for what hangs, such as a network filesystem, or for a host "
	"with no CPU time left"},
    {BIT(SECCOMP), SUP_DOCTOR_NO_EFFECT, ALWAYS, SUP_SETTING_NONE,
	"the kernel accepts filters and does not heed them",
	"run weir on a Linux kernel and not on what imitates one"},
    {ALL, EMFILE, ALWAYS, SUP_SETTING_NONE,
	"this process may open no more descriptors",
	"raise its limit of open files (ulimit -n)"},
    {ALL, ENFILE, ALWAYS, SUP_SETTING_NONE, "the host has no descriptors left",
	"raise fs.file-max (sysctl)"},
    {ALL, ENOMEM, ALWAYS, SUP_SETTING_NONE,
	"the host, or the control group of this process, is out of memory",
	"give it more memory, or end other processes"},
    {ALL, EAGAIN, ALWAYS, SUP_SETTING_NONE,
	"the user, the control group or the host has as many processes as "
	"it may",
	"raise the limit of processes (ulimit -u, pids.max), or end some"},

    {BIT(PROC), ENOENT, ALWAYS, SUP_SETTING_NONE,
	"/proc is not mounted, or not a whole one",
	"mount it: mount -t proc proc /proc"},
    {BIT(INTERPRETER), ENOENT, ALWAYS, SUP_SETTING_NONE,
	"no interpreter was found",
	"install python3, or name another with --python"},
    {BIT(INTERPRETER), EACCES, ALWAYS, SUP_SETTING_NONE,
	"what was found cannot be used as an interpreter",
	"name an installed CPython 3.8 to 3.13 with --python"},

    MAXIMUM(USER_NAMESPACE, MAX_USER, "user"),
    MAXIMUM(PID_NAMESPACE, MAX_PID, "pid"),
    MAXIMUM(MOUNT_NAMESPACE, MAX_MNT, "mnt"),
    MAXIMUM(NETWORK_NAMESPACE, MAX_NET, "net"),
    MAXIMUM(IPC_NAMESPACE, MAX_IPC, "ipc"),
    MAXIMUM(UTS_NAMESPACE, MAX_UTS, "uts"),
    MAXIMUM(CGROUP_NAMESPACE, MAX_CGROUP, "cgroup"),
    {BIT(USER_NAMESPACE), EUSERS, ALWAYS, SUP_SETTING_NONE,
	"user namespaces are nested too deep",
	"start weir further out; 32 levels are the most"},
    {SPACES, EPERM, ZERO_SETTING, SUP_SETTING_USERNS_CLONE,
	"only root may make user namespaces on this host",
	"as root: sysctl -w kernel.unprivileged_userns_clone=1"},
    {SPACES, EPERM, CHROOT, SUP_SETTING_NONE,
	"this process is in a chroot, where the kernel makes no user "
	"namespaces",
	"start weir outside of the chroot, or enter it with pivot_root"},
    {BIT(ID_MAPS), EPERM, ONLY_ROOT, SUP_SETTING_NONE,
	"root is the only id in this user namespace, and a program is never "
	"run as root",
	"map a second uid and gid into it, or start weir as another user"},
    {BIT(ID_MAPS), EPERM, STRIPPED_ROOT, SUP_SETTING_NONE,
	"root has no right here to map an id that is not root's",
	"give weir CAP_SETUID and CAP_SETGID (of a container: add them), or "
	"start it as another user"},
    {BIT(NETWORK_LINKS), EPERM, FILTERED, SUP_SETTING_NONE,
	"probably a system-call filter that this process has inherited",
	"allow socket(AF_INET, SOCK_DGRAM) in that filter (of a container: "
	"its seccomp profile); it is a socket in an empty network"},
    {IN_USER, EPERM, FILTERED, SUP_SETTING_NONE,
	"probably a system-call filter that this process has inherited, as "
	"containers have them",
	"allow clone, unshare, mount, fsopen, fsconfig, fsmount, open_tree, "
	"move_mount, mount_setattr, umount2 and pivot_root in the "
	"container's seccomp profile (docker, podman: --security-opt "
	"seccomp=FILE)"},
    {IN_USER, EPERM, ONE_SETTING, SUP_SETTING_APPARMOR,
	"AppArmor gives no capabilities to the user namespaces of who is "
	"not root",
	"as root: sysctl -w kernel.apparmor_restrict_unprivileged_userns=0, "
	"or give weir an AppArmor profile that has 'userns'"},
    {IN_USER, EACCES, ONE_SETTING, SUP_SETTING_APPARMOR,
	"AppArmor gives no capabilities to the user namespaces of who is "
	"not root",
	"as root: sysctl -w kernel.apparmor_restrict_unprivileged_userns=0, "
	"or give weir an AppArmor profile that has 'userns'"},
    {BIT(WORKSPACE_BASE), EPERM, ALWAYS, SUP_SETTING_NONE,
	"what stands there is not a private directory of the caller's",
	"remove it; weir makes its own"},
    {ALL & ~LANDLOCKS, EPERM, FILTERED, SUP_SETTING_NONE,
	"probably a system-call filter that this process has inherited",
	"allow the call in that filter (of a container: its seccomp "
	"profile)"},
    {ALL, ENOSYS, FILTERED, SUP_SETTING_NONE,
	"probably a system-call filter that this process has inherited, or "
	"the kernel does not have the call",
	"allow the call in that filter (of a container: its seccomp profile "
	"or a newer runtime)"},
    {LANDLOCKS, EOPNOTSUPP, LSM_WITHOUT_LANDLOCK, SUP_SETTING_NONE,
	"Landlock is not among the security modules of this boot "
	"(/sys/kernel/security/lsm)",
	"add landlock to lsm= on the kernel's command line"},
    {LANDLOCKS, EOPNOTSUPP, ALWAYS, SUP_SETTING_NONE,
	"Landlock was switched off at boot",
	"add landlock to lsm= on the kernel's command line"},
    {LANDLOCKS, SUP_DOCTOR_TOO_OLD, ALWAYS, SUP_SETTING_NONE,
	"this Landlock cannot refuse to empty a file (truncate)",
	"use Linux 6.2 or newer, which has Landlock ABI 3"},
    {LANDLOCKS, E2BIG, ALWAYS, SUP_SETTING_NONE,
	"this process is inside as many Landlock domains as there can be (16)",
	"start weir outside of some of them"},
    {BIT(SECCOMP) | LANDLOCKS, 0, FILTERED, SUP_SETTING_NONE,
	"probably a system-call filter that this process has inherited",
	"allow the call in that filter (of a container: its seccomp "
	"profile)"},
    {SPACES, EPERM, ALWAYS, SUP_SETTING_NONE,
	"a security module forbids user namespaces, or this process is in a "
	"chroot, or its own id is not mapped",
	"look for a refusal in the log of the kernel (dmesg, ausearch), and "
	"start weir outside of a chroot"},
    {SPACES, EINVAL, ALWAYS, SUP_SETTING_NONE,
	"the kernel was built without namespaces of this kind",
	"use a kernel with CONFIG_NAMESPACES and all that is beneath it"},
    {BIT(ID_MAPS), EROFS, ALWAYS, SUP_SETTING_NONE,
	"/proc is mounted read-only, so that no map can be written",
	"mount /proc read-write for weir (of a container: unmask it)"},
    {BIT(ID_MAPS), ENOENT, ALWAYS, SUP_SETTING_NONE,
	"/proc does not show new processes", "mount a whole /proc"},
    {MOUNTS, EPERM, ALWAYS, SUP_SETTING_NONE,
	"a security module forbids mounts inside user namespaces",
	"look for a refusal in the log of the kernel (dmesg, ausearch) and "
	"allow it there"},
    {BIT(WORKSPACE_BASE), EROFS, ALWAYS, SUP_SETTING_NONE,
	"the filesystem is read-only",
	"mount a writable /tmp (a tmpfs will do) for weir"},
    {LANDLOCKS, ENOSYS, ALWAYS, SUP_SETTING_NONE,
	"the kernel was built without Landlock, or is older than 5.13",
	"use a kernel with CONFIG_SECURITY_LANDLOCK, 6.2 or newer for all of "
	"it"},
    {BIT(SECCOMP), EINVAL, ALWAYS, SUP_SETTING_NONE,
	"the kernel was built without system-call filters",
	"use a kernel with CONFIG_SECCOMP_FILTER"},
    {NEWER, 0, OLD_KERNEL, SUP_SETTING_NONE, "the kernel is too old",
	"use Linux 5.14 or newer"},
    {ALL, ENOSYS, ALWAYS, SUP_SETTING_NONE, "the kernel does not have the call",
	"use Linux 5.14 or newer, with its usual options"},

    /* For whatever else: one row for each step. */
    {BIT(PROC), 0, ALWAYS, SUP_SETTING_NONE,
	"/proc does not show this process its own files",
	"mount a whole /proc, without masks and hidepid"},
    {BIT(INTERPRETER), 0, ALWAYS, SUP_SETTING_NONE,
	"no interpreter can be used", "name another with --python"},
    {SPACES, 0, ALWAYS, SUP_SETTING_NONE,
	"the kernel does not make the namespace",
	"look into the log of the kernel (dmesg) for why"},
    {BIT(ID_MAPS), 0, ALWAYS, SUP_SETTING_NONE,
	"the kernel does not take the map of ids",
	"start weir as a user whose id is mapped in its own user namespace, "
	"with a whole /proc"},
    {MOUNTS, 0, ALWAYS, SUP_SETTING_NONE,
	"the kernel does not allow this mount inside a user namespace",
	"look into the log of the kernel (dmesg) for why"},
    {BIT(CAPABILITIES) | BIT(NO_NEW_PRIVS), 0, ALWAYS, SUP_SETTING_NONE,
	"this process may not give up its privileges",
	"look for a security module or a filter that forbids prctl or "
	"capset"},
    {BIT(SECCOMP), 0, ALWAYS, SUP_SETTING_NONE,
	"the kernel does not take a filter",
	"use a kernel with CONFIG_SECCOMP_FILTER"},
    {LANDLOCKS, 0, ALWAYS, SUP_SETTING_NONE,
	"the kernel does not take Landlock's rules",
	"use a kernel with CONFIG_SECURITY_LANDLOCK, 6.2 or newer"},
    {BIT(RLIMITS), 0, ALWAYS, SUP_SETTING_NONE,
	"this process may not lower its own limits",
	"look for a security module or a filter that forbids prlimit64"},
    {BIT(PIDFD) | BIT(CLOSE_RANGE) | BIT(MEMFD) | BIT(TIMERFD) | BIT(EPOLL) |
	    BIT(SOCKETPAIR),
	0, ALWAYS, SUP_SETTING_NONE, "the kernel refuses the call",
	"look for a security module or a filter that forbids it"},
    {BIT(NETWORK_LINKS), 0, ALWAYS, SUP_SETTING_NONE,
	"process 1 cannot ask what the network namespace holds",
	"use a kernel with CONFIG_INET, and look for a security module that "
	"forbids sockets"},
    {BIT(SUBREAPER), 0, ALWAYS, SUP_SETTING_NONE, "the kernel refuses the call",
	"look for a security module or a filter that forbids prctl"},
    {BIT(WORKSPACE_BASE), 0, ALWAYS, SUP_SETTING_NONE,
	"no directory for workspaces can be made there",
	"make /tmp writable for who runs weir, with room on it"},
    {BIT(UNLINKED_FILE), 0, ALWAYS, SUP_SETTING_NONE,
	"no file can be made in /var/tmp or in /tmp, so tool results of more "
	"than 1 MiB that a program leaves unread end its execution",
	"make /var/tmp writable for who runs weir, with room on it"},
    {BIT(MEMORY_CGROUP), 0, ALWAYS, SUP_SETTING_NONE,
	"no cgroup can be made beneath the one that weir was started in, so "
	"limit memory is watched and not enforced",
	"start weir in a cgroup of its own: systemd-run --user --scope -p "
	"Delegate=yes weir ...; with version 1, let who runs weir write to "
	"its memory cgroup"},
    {BIT(MEMORY_WATCH), 0, ALWAYS, SUP_SETTING_NONE,
	"the memory of another process cannot be read, so without a cgroup "
	"there is no limit memory",
	"mount /proc without subset=pid or hidepid"},
    {BIT(EXECUTION), 0, ALWAYS, SUP_SETTING_NONE,
	"a whole execution was less than isolated",
	"see what weir run --json -c 1 says"},
};

/* --- words ---------------------------------------------------------------- */

#ifdef __GLIBC__
static const char *
error_name(int error)
{
	const char *name = strerrorname_np(error);

	return name != NULL ? name : "unknown";
}
#else
/* musl has no such function: the names that the steps are known to meet. */
static const char *
error_name(int error)
{
	static const struct {
		int error;
		const char *name;
	} names[] = {
#define NAME(error)                                                            \
	{                                                                      \
		error, #error                                                  \
	}
	    NAME(EPERM),
	    NAME(ENOENT),
	    NAME(E2BIG),
	    NAME(EIO),
	    NAME(EBADF),
	    NAME(EAGAIN),
	    NAME(ENOMEM),
	    NAME(EACCES),
	    NAME(EBUSY),
	    NAME(EEXIST),
	    NAME(EXDEV),
	    NAME(ENODEV),
	    NAME(ENOTDIR),
	    NAME(EISDIR),
	    NAME(EINVAL),
	    NAME(ENFILE),
	    NAME(EMFILE),
	    NAME(EFBIG),
	    NAME(ENOSPC),
	    NAME(EROFS),
	    NAME(ENOSYS),
	    NAME(ELOOP),
	    NAME(EOVERFLOW),
	    NAME(EUSERS),
	    NAME(EOPNOTSUPP),
	    NAME(EAFNOSUPPORT),
	    NAME(ECANCELED),
#undef NAME
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (names[i].error == error)
			return names[i].name;
	return "unknown";
}
#endif

static void
name_error(const struct sup_doctor_answer *answer, char text[SUP_DOCTOR_TEXT])
{
	switch (answer->error) {
	case SUP_DOCTOR_KILLED:
		if (answer->signal > 0)
			(void)snprintf(text, SUP_DOCTOR_TEXT,
			    "ended by signal %d (%s)", answer->signal,
			    strsignal(answer->signal));
		else
			(void)snprintf(
			    text, SUP_DOCTOR_TEXT, "ended without an answer");
		break;
	case SUP_DOCTOR_LATE:
		(void)snprintf(text, SUP_DOCTOR_TEXT, "no answer in time");
		break;
	case SUP_DOCTOR_NOT_TRIED:
		(void)snprintf(text, SUP_DOCTOR_TEXT, "not tried");
		break;
	case SUP_DOCTOR_NO_EFFECT:
		(void)snprintf(
		    text, SUP_DOCTOR_TEXT, "accepted, but without effect");
		break;
	case SUP_DOCTOR_TOO_OLD:
		(void)snprintf(text, SUP_DOCTOR_TEXT, "too old");
		break;
	case SUP_DOCTOR_NOT_ISOLATED:
		(void)snprintf(text, SUP_DOCTOR_TEXT, "not isolated");
		break;
	default:
		(void)snprintf(text, SUP_DOCTOR_TEXT, "%s: %s",
		    error_name(answer->error), strerror(answer->error));
	}
}

static const struct row *
find(enum sup_doctor_step step, int error, const struct sup_doctor_host *host)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if ((rows[i].steps & SUP_DOCTOR_BIT(step)) != 0 &&
		    (rows[i].error == 0 || rows[i].error == error) &&
		    holds(&rows[i], host))
			return &rows[i];
	return NULL;
}

bool
sup_doctor_has_fallback(enum sup_doctor_step step)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if ((rows[i].steps & SUP_DOCTOR_BIT(step)) != 0 &&
		    rows[i].error == 0 && rows[i].condition == ALWAYS)
			return true;
	return false;
}

static void
explain_not_tried(enum sup_doctor_step step, uint64_t failed,
    struct sup_doctor_reason *reason)
{
	enum sup_doctor_step missing = sup_doctor_missing(step, failed);
	const char *word = missing < SUP_DOCTOR_COUNT ? sup_doctor_word(missing)
						      : "what it needs";

	(void)snprintf(reason->reason, sizeof(reason->reason),
	    "it needs %s, which was refused", word);
	(void)snprintf(reason->cure, sizeof(reason->cure), "see %s", word);
}

void
sup_doctor_explain(enum sup_doctor_step step,
    const struct sup_doctor_answer *answer, const struct sup_doctor_host *host,
    uint64_t failed, struct sup_doctor_reason *ret_reason)
{
	const struct row *row;

	name_error(answer, ret_reason->error);
	if (answer->error == SUP_DOCTOR_NOT_TRIED) {
		explain_not_tried(step, failed, ret_reason);
		return;
	}
	row = find(step, answer->error, host);
	WIRE_BUG_IF(row == NULL);
	if (host->setting[row->setting] != SUP_SETTING_UNKNOWN)
		(void)snprintf(ret_reason->reason, sizeof(ret_reason->reason),
		    "%s (%s is %ld)", row->reason,
		    sup_doctor_setting_name(row->setting),
		    host->setting[row->setting]);
	else
		(void)snprintf(ret_reason->reason, sizeof(ret_reason->reason),
		    "%s", row->reason);
	(void)snprintf(
	    ret_reason->cure, sizeof(ret_reason->cure), "%s", row->cure);
}
