#!/usr/bin/env python3
"""Hosts that are made up: ordinary Linux with one thing missing, in which a
command is executed. For whoever runs it: root, or a plain user by means of
user namespaces.

    hosts.py made [user] SCRIPT -- COMMAND [ARGUMENT...]

executes the command in a mount namespace (and, with `user`, a user namespace
whose ids are all mapped) that the shell script has changed as its root. For a
plain user, who can be root in a namespace only, the command is one level
further in, with the user's own id.
"""
import ctypes
import os
import signal
import sys

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


if __name__ == "__main__":
    if sys.argv[1:2] != ["made"]:
        sys.exit(__doc__)
    run_made(sys.argv[2:])
