#!/usr/bin/env python3
"""Hosts that are made up: ordinary Linux with one thing missing, in which a
command is executed. For whoever runs it: root, or a plain user by means of
user namespaces.

    hosts.py table
    hosts.py made [user] SCRIPT -- COMMAND [ARGUMENT...]

The first prints the table of README.md; HOSTS, below, is what is expected in
each, and test_701_hosts.py holds it against weir. The second executes the
command in a mount namespace (and, with `user`, a user namespace
whose ids are all mapped) that the shell script has changed as its root. For a
plain user, who can be root in a namespace only, the command is one level
further in, with the user's own id.
"""
import ctypes
import errno
import os
import signal
import sys

HERE = os.path.abspath(__file__)
CLONE_NEWNS = 0x00020000
CLONE_NEWUSER = 0x10000000
LIBC = ctypes.CDLL(None, use_errno=True)


def unshare(flags):
    if LIBC.unshare(flags) != 0:
        raise OSError(ctypes.get_errno(), "unshare")


def put(pid, name, text):
    with open("/proc/%s/%s" % (pid, name), "w", encoding="ascii") as file:
        file.write(text)


def map_one(inside_uid, inside_gid, uid, gid):
    """As somebody without privilege may: one id."""
    put("self", "setgroups", "deny")
    put("self", "uid_map", "%d %d 1" % (inside_uid, uid))
    put("self", "gid_map", "%d %d 1" % (inside_gid, gid))


def in_child(function):
    """Runs function in a child; its pid, once it has returned there, and
    what lets the child go on."""
    said, hear = os.pipe(), os.pipe()
    pid = os.fork()
    if pid == 0:
        LIBC.prctl(1, signal.SIGKILL, 0, 0, 0)  # PR_SET_PDEATHSIG
        os.close(said[0])
        os.close(hear[1])
        function()
        os.write(said[1], b"1")
        os.close(said[1])
        if os.read(hear[0], 1) != b"1":
            os._exit(126)
        os.close(hear[0])
        return 0, None
    os.close(said[1])
    os.close(hear[0])
    if os.read(said[0], 1) != b"1":
        sys.exit(126)
    os.close(said[0])
    return pid, lambda: (os.write(hear[1], b"1"), os.close(hear[1]))


def end_as(pid):
    status = os.waitpid(pid, 0)[1]
    if os.WIFSIGNALED(status):
        signal.signal(os.WTERMSIG(status), signal.SIG_DFL)
        os.kill(os.getpid(), os.WTERMSIG(status))
    sys.exit(os.WEXITSTATUS(status))


def change(script):
    if os.spawnlp(os.P_WAIT, "sh", "sh", "-ec", script) != 0:
        sys.exit("hosts.py: the host cannot be made: " + script)


def made_by_root(own_ids, script, words):
    if own_ids:
        pid, go = in_child(lambda: unshare(CLONE_NEWUSER | CLONE_NEWNS))
        if pid != 0:
            put(pid, "uid_map", "0 0 4294967295")
            put(pid, "gid_map", "0 0 4294967295")
            go()
            end_as(pid)
    else:
        unshare(CLONE_NEWNS)
    change("mount --make-rprivate / && " + script)
    os.execvp(words[0], words)


def made_by_user(script, words):
    uid, gid = os.getuid(), os.getgid()
    unshare(CLONE_NEWUSER | CLONE_NEWNS)
    map_one(0, 0, uid, gid)

    def become_oneself():
        unshare(CLONE_NEWUSER)
        map_one(uid, gid, 0, 0)

    pid, go = in_child(become_oneself)
    if pid == 0:
        os.execvp(words[0], words)
    change(script)
    go()
    end_as(pid)


def run_made(arguments):
    own_ids = arguments[0] == "user"
    script, dashes, *words = arguments[1:] if own_ids else arguments
    if dashes != "--" or not words:
        sys.exit("usage: hosts.py made [user] SCRIPT -- COMMAND")
    if os.geteuid() == 0:
        made_by_root(own_ids, script, words)
    made_by_user(script, words)


# --- the hosts ------------------------------------------------------------

def made(script, *options):
    return ["/usr/bin/python3", "-B", HERE, "made", *options, script, "--"]


def denied(*rules):
    return ["TOOLS/deny", *rules, "--"]


def abi(number):
    return ["TOOLS/abi", str(number), "--"]


def with_setting(name, value):
    """A file of /proc/sys/kernel that this kernel may not have."""
    return made("mount -t tmpfs none /proc/sys/kernel; echo %s "
                ">/proc/sys/kernel/%s" % (value, name))


class Host:
    """What is expected of one.

    ways     which can be had, of I (isolated), N (process, in namespaces) and
             P (process, without any)
    refused  what a run at the default level says: stage, errno; or a text
    without  the same with --level process, where it does not run either
    step     the step that doctor names first, and its errno
    cure     a word of doctor's cure for it
    lost     grades that are not enforced with --level process, when they are
             other than the way's; for root and for a plain user
    only     "root", when only root can make it
    said     what the README calls it; None: not in its table
    setting  what the README says changes it
    warning  of a run that has all that was asked for
    graded   the way `isolated` works there, and earns no more than `process`
    """

    def __init__(self, words, ways, said=None, setting=None, refused=None,
                 without=None, step=None, cure=None, lost=None, only=None,
                 warning=None, graded=False):
        self.words = words
        self.ways = ways
        self.said = said
        self.setting = setting
        self.refused = refused
        self.without = without or refused
        self.step = step
        self.cure = cure
        self.only = only
        self.warning = warning
        self.graded = graded
        self.lost = lost or self.lost_by_way()

    def lost_by_way(self):
        if self.ways == "P":
            return PLAIN, dict(PLAIN, identity="unverified",
                               process_count="unverified")
        return {}, {}


PLAIN = {"network": "unverified", "process_tree": "unverified"}
NAMESPACES = "clone:0&0x10000000=%s,unshare=%s"
EPERM_NAMESPACES = NAMESPACES % ("EPERM", "EPERM")
MOUNT_CALLS = ("fsopen", "fsmount", "open_tree", "move_mount",
               "mount_setattr", "pivot_root")
CHROOT = "mount -t tmpfs none /mnt; mkdir /mnt/root; mount --rbind / /mnt/root"
PROFILE = "the container's seccomp profile"

HOSTS = {
    "ordinary": Host([], "INP", "an ordinary one", "-"),
    "namespaces_denied": Host(
        denied(EPERM_NAMESPACES, "clone3=ENOSYS"), "P",
        "a container: `clone` and `unshare` of namespaces answer EPERM",
        PROFILE + ": allow `clone`, `unshare` and the mount calls",
        ("namespaces", errno.EPERM), step=("user_namespace", errno.EPERM),
        cure="allow clone, unshare, mount"),
    "mounts_denied": Host(
        denied("mount=EPERM", *(call + "=EPERM" for call in MOUNT_CALLS)),
        "NP", "a container: namespaces yes, mounts answer EPERM",
        PROFILE + ": allow `mount`, `fsopen`, `open_tree`, `move_mount`, "
        "`pivot_root`", ("root", errno.EPERM),
        step=("propagation", errno.EPERM), cure="fsopen"),
    "socket_denied": Host(
        denied("socket:0==2=EPERM,socket:0==16=EPERM"), "NP",
        "a container: no `socket` of AF_INET or AF_NETLINK",
        PROFILE + ": allow `socket(AF_INET, SOCK_DGRAM)`",
        ("network is unverified", "seccomp profile"),
        step=("network_links", errno.EPERM), cure="socket(AF_INET",
        graded=True, lost=({"network": "unverified"},) * 2),
    "user_namespaces_0": Host(
        made("echo 0 >/proc/sys/user/max_user_namespaces", "user"), "P",
        "`user.max_user_namespaces` is 0 (ENOSPC)",
        "`user.max_user_namespaces` (sysctl)",
        ("namespaces", errno.ENOSPC), step=("user_namespace", errno.ENOSPC),
        cure="user.max_user_namespaces"),
    "unprivileged_only": Host(
        with_setting("unprivileged_userns_clone", "0") +
        denied(EPERM_NAMESPACES), "P",
        "`kernel.unprivileged_userns_clone` is 0 (EPERM)",
        "`kernel.unprivileged_userns_clone` (sysctl)",
        ("namespaces", errno.EPERM), step=("user_namespace", errno.EPERM),
        cure="kernel.unprivileged_userns_clone=1"),
    "apparmor": Host(
        with_setting("apparmor_restrict_unprivileged_userns", "1") +
        denied("mount=EACCES", *(c + "=EACCES" for c in MOUNT_CALLS)), "NP",
        "AppArmor takes the rights of user namespaces (EACCES)",
        "`kernel.apparmor_restrict_unprivileged_userns` (sysctl), or a "
        "profile with `userns`", ("root", errno.EACCES),
        step=("propagation", errno.EACCES),
        cure="kernel.apparmor_restrict_unprivileged_userns=0"),
    "no_capabilities": Host(
        ["setpriv", "--bounding-set", "-all", "--inh-caps", "-all"], "P",
        "root without capabilities (EPERM)",
        "CAP_SETUID and CAP_SETGID, or start weir as another user",
        ("maps", errno.EPERM), step=("id_maps", errno.EPERM),
        cure="CAP_SETUID", only="root",
        lost=(dict(PLAIN, identity="unavailable",
                   process_count="unverified"),) * 2),
    "chroot": Host(
        made("mount -t tmpfs none /mnt; mkdir -p /mnt/a/root; mount --rbind "
             "/ /mnt/a/root; mount --rbind /mnt/a /media") +
        ["chroot", "/media/root"], "P",
        "a chroot (EPERM)", "start weir outside of it",
        ("namespaces", errno.EPERM), step=("user_namespace", errno.EPERM),
        cure="outside of the chroot", only="root"),
    "chroot_on_a_mount": Host(
        made(CHROOT) + ["chroot", "/mnt/root"], "P", None, None,
        ("namespaces", errno.EPERM), step=("user_namespace", errno.EPERM),
        cure="outside of the chroot", only="root"),
    "proc_read_only": Host(
        made("mount --bind /proc /proc; mount -o remount,bind,ro /proc"), "P",
        "`/proc` is read-only (EROFS)", "mount `/proc` read-write",
        ("maps", errno.EROFS), step=("id_maps", errno.EROFS),
        cure="read-write"),
    "proc_masked": Host(
        made("mount --bind /proc/sys /proc/sys; mount -o remount,bind,ro "
             "/proc/sys; mount -t tmpfs none /proc/irq; "
             "mount --bind /dev/null /proc/keys"), "INP",
        "`/proc` is masked as container runtimes do it", "-"),
    "no_proc": Host(
        made("mount -t tmpfs none /proc"), "", "no `/proc` (ENOENT)",
        "`mount -t proc proc /proc`",
        ("/proc/self/exe", errno.ENOENT), step=("proc", errno.ENOENT),
        cure="mount -t proc"),
    "landlock_hidden": Host(
        denied("landlock_create_ruleset=ENOSYS,landlock_add_rule=ENOSYS,"
               "landlock_restrict_self=ENOSYS"), "I",
        "no Landlock: the calls answer ENOSYS",
        "a kernel with CONFIG_SECURITY_LANDLOCK; " + PROFILE,
        without=("landlock", errno.ENOSYS), step=("landlock", errno.ENOSYS),
        cure="allow the call", warning="second layer: none"),
    "landlock_off": Host(
        denied("landlock_create_ruleset=EOPNOTSUPP"), "I",
        "Landlock is not among `lsm=` (EOPNOTSUPP)",
        "`lsm=` of the kernel's command line",
        without=("landlock", errno.EOPNOTSUPP),
        step=("landlock", errno.EOPNOTSUPP), cure="lsm=",
        warning="second layer: none"),
    "landlock_refused": Host(
        denied("landlock_restrict_self=EPERM"), "I", None, None,
        without=("landlock", errno.EPERM), step=("landlock", errno.EPERM),
        cure="allow the call", warning="second layer: none"),
    "landlock_full": Host(
        denied("landlock_restrict_self=E2BIG"), "I", None, None,
        without=("landlock", errno.E2BIG), step=("landlock", errno.E2BIG),
        cure="outside", warning="second layer: none"),
    "landlock_and_namespaces": Host(
        denied(EPERM_NAMESPACES, "landlock_create_ruleset=ENOSYS"), "",
        "neither namespaces nor Landlock", "one of the two",
        ("namespaces", errno.EPERM), ("landlock", errno.ENOSYS),
        step=("user_namespace", errno.EPERM), cure="seccomp profile"),
    "old_calls": Host(
        denied("clone3=ENOSYS,pidfd_open=ENOSYS,pidfd_send_signal=ENOSYS,"
               "pidfd_getfd=ENOSYS"), "INP",
        "`clone3` and `pidfd_*` answer ENOSYS", "-"),
    "filters_denied": Host(
        denied("seccomp=EPERM"), "", "no system-call filters (EPERM)",
        PROFILE + ": allow `seccomp`", ("seccomp", errno.EPERM),
        step=("seccomp", errno.EPERM), cure="seccomp profile"),
    "filter_kills": Host(
        denied("pivot_root=KILL"), "NP",
        "a container whose filter kills (SIGSYS)",
        PROFILE + ": allow the call that doctor names",
        ("signal 31", "seccomp profile"), step=("pivot_root", None),
        cure="seccomp profile"),
    "filter_kills_the_seal": Host(
        denied("landlock_restrict_self=KILL"), "", None, None,
        ("signal 31", "seccomp profile"), step=("landlock", None),
        cure="seccomp profile"),
    "out_of_processes": Host(
        denied(NAMESPACES % ("EAGAIN", "EAGAIN")), "P", None, None,
        ("namespaces", errno.EAGAIN), step=("user_namespace", errno.EAGAIN),
        cure="limit of processes"),
}
for call in MOUNT_CALLS:
    HOSTS["%s_denied" % call] = Host(
        denied(call + "=EPERM"), "NP", None, None, ("root", errno.EPERM),
        step=("tmpfs" if call in ("fsopen", "fsmount", "move_mount") else
              "pivot_root" if call == "pivot_root" else "bind_mount",
              errno.EPERM), cure=call)
# What weir does without.
for rule in ("mount=EPERM", "socket:0==16=EPERM", "setgroups=EPERM"):
    HOSTS[rule.split("=")[0].replace(":", "_") + "_denied"] = Host(
        denied(rule), "INP", step=("propagation", errno.EPERM)
        if rule == "mount=EPERM" else None, cure="mount")
for kind, step in (("pid", "pid_namespace"), ("net", "network_namespace"),
                   ("ipc", "ipc_namespace"), ("uts", "uts_namespace"),
                   ("cgroup", "cgroup_namespace"),
                   ("mnt", "mount_namespace")):
    HOSTS["%s_namespaces_0" % kind] = Host(
        made("echo 0 >/proc/sys/user/max_%s_namespaces" % kind, "user"),
        "NP" if kind == "mnt" else "P", None, None,
        ("namespaces", errno.ENOSPC), step=(step, errno.ENOSPC),
        cure="user.max_%s_namespaces" % kind)
for number in (1, 2, 3, 4, 5, 6, 7, 8, 99):
    enough = number >= 3
    HOSTS["landlock_abi_%d" % number] = Host(
        abi(number), "INP" if enough else "I",
        "Landlock of ABI %d (Linux %s)" % (
            number, {1: "5.13", 2: "5.19", 3: "6.2"}[number])
        if number <= 3 else None,
        "-" if enough else "Linux 6.2 or newer, for level `process`",
        without=None if enough else ("landlock", "ABI %d" % number),
        step=None if enough else ("landlock_abi", None), cure="Linux 6.2")


# --- the table of the README ----------------------------------------------

def not_had(host):
    if "I" in host.ways:
        return host.warning or "-"
    if not host.ways:
        return "anything"
    texts = []
    for lost in host.lost:
        text = ", ".join(
            name.replace("_", " ") + (" (unavailable)"
                                      if grade == "unavailable" else "")
            for name, grade in sorted(lost.items()))
        if text not in texts:
            texts.append(text)
    if len(texts) == 1:
        return texts[0] or "a root of its own"
    more = sorted(set(host.lost[1]) - set(host.lost[0]))
    return texts[0] + "; as a plain user also " + ", ".join(
        name.replace("_", " ") for name in more)


def table():
    lines = ["| host | `isolated` | `--level process` | not enforced then | "
             "what changes it |", "| --- | --- | --- | --- | --- |"]
    for host in HOSTS.values():
        if host.said is None:
            continue
        process = ("isolated" if "I" in host.ways else
                   "process, in a root of its own" if host.graded else
                   "process, in namespaces" if "N" in host.ways else
                   "process, without namespaces" if "P" in host.ways else
                   "nothing runs")
        if host.ways == "I":
            process = "isolated; `--backend process`: nothing runs"
        lines.append("| %s | %s | %s | %s | %s |" % (
            host.said, "yes" if "I" in host.ways else "no", process,
            not_had(host), host.setting))
    return "".join(line + "\n" for line in lines)


if __name__ == "__main__":
    if sys.argv[1:] == ["table"]:
        sys.stdout.write(table())
    elif sys.argv[1:2] == ["made"]:
        run_made(sys.argv[2:])
    else:
        sys.exit(__doc__)
