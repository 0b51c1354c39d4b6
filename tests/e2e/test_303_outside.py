#!/usr/bin/env python3
"""What the confinement does that no program notices: looked at from outside,
while a program runs, or by the marks that the kernel keeps."""
import os
import resource
import pty
import select
import shutil
import signal
import socket
import subprocess
import unittest

import test_310_process
from claims import stages
from weir_test import (BASES, HANG, IS_ROOT, LAYERS, WEIR, Watched, command,
                       finish, main, own_bases, rows, run, survivors,
                       wait_for_orphans)


def children_of(pid):
    with open("/proc/%d/task/%d/children" % (pid, pid)) as file:
        return [int(word) for word in file.read().split()]


def stat_fields(pid):
    """Of /proc/PID/stat, what follows the name: state, parent, group,
    session."""
    with open("/proc/%d/stat" % pid) as file:
        return file.read().rsplit(")", 1)[1].split()


def is_guardian(pid):
    with open("/proc/%d/cmdline" % pid, "rb") as file:
        return b"\0guard\0" in file.read()


class Running(Watched):
    def running(self, level, text="wait()", **more):
        """A program that waits in a tool: (command, process 1, process 2,
        the tool's guardian, the meeting)."""
        meeting = self.meeting()
        process = self.start(text, level=level,
                             tools={"wait": meeting.tool()}, **more)
        self.assertTrue(meeting.wait(1, process))
        guardian = [pid for pid in children_of(process.pid)
                    if is_guardian(pid)]
        first = [pid for pid in children_of(process.pid)
                 if pid not in guardian]
        self.assertEqual((len(first), len(guardian)), (1, 1))
        second = children_of(first[0])
        self.assertEqual(len(second), 1)
        return process, first[0], second[0], guardian[0], meeting


class Processes(Running):
    def check(self, level):
        process, first, second, guardian, meeting = self.running(level)
        # KERNEL: the files of a process that is not dumpable belong to root
        # (proc(5), PR_SET_DUMPABLE).
        for pid in (first, second):
            self.assertEqual(os.stat("/proc/%d/environ" % pid).st_uid, 0)
        if IS_ROOT:
            self.assertNotEqual(stat_uid(second), 0)
            # A fresh image, with nothing of the supervisor's in it.
            with open("/proc/%d/environ" % first, "rb") as file:
                self.assertEqual(file.read().strip(b"\0"), b"")
        # Of the caller's terminal neither hears anything.
        sessions = {int(stat_fields(pid)[3])
                    for pid in (first, second, guardian)}
        self.assertNotIn(os.getsid(0), sessions)
        self.assertEqual(int(stat_fields(guardian)[3]), guardian)
        meeting.release(1)
        self.assertEqual(finish(process).code, 0)


def stat_uid(pid):
    with open("/proc/%d/status" % pid) as file:
        for line in file:
            if line.startswith("Uid:"):
                return int(line.split()[1])
    return None


rows(Processes, {level: (level,)
                 for level in ("isolated", "process", "spaces")})


class Guardian(Watched):
    def test_has_a_session_of_its_own(self):
        """Whoever starts it: this one does not."""
        near, far = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.addCleanup(near.close)
        guardian = subprocess.Popen(
            [str(WEIR.parent.parent / "libexec/weir/weir-child"), "guard",
             str(far.fileno()), "/bin/sh", "-c", "echo x; exec sleep 98765"],
            pass_fds=[far.fileno()], stdout=subprocess.PIPE)
        far.close()
        self.addCleanup(guardian.stdout.close)
        self.assertEqual(guardian.stdout.readline(), b"x\n")
        session = int(stat_fields(guardian.pid)[3])
        near.close()
        self.assertEqual(guardian.wait(HANG), 0)
        self.assertEqual(session, guardian.pid)


class Ends(Running):
    def check(self, level, at_once):
        """A program that does not look at its channel, when the command is
        killed; at_once: and its process 1 before, which the command cannot
        see."""
        process, first, second, _, meeting = self.running(
            level, "wait()\nprint('on', flush=True)\nwhile True: pass",
            json=False)
        meeting.release(1)
        self.assertEqual(process.stdout.readline(), b"on\n")
        end = os.pidfd_open(second)
        self.addCleanup(os.close, end)
        if at_once:
            process.send_signal(signal.SIGSTOP)
            os.waitid(os.P_PID, process.pid, os.WSTOPPED)
            os.kill(first, signal.SIGKILL)
        process.kill()
        process.wait(HANG)
        # Not only at its CPU limit.
        self.assertTrue(select.select([end], [], [], HANG / 10)[0])
        self.assertTrue(wait_for_orphans())
        self.assertEqual(survivors(), [])


rows(Ends, {"%s_%s" % (name, level): (level, at_once)
            for name, at_once in (("killed", False), ("all_killed", True))
            for level in ("isolated", "process", "spaces")})


class Everybody(Watched):
    """Who may signal everybody does so only where that is its own tree: in a
    PID namespace, since it would be the end of the host otherwise."""

    def test_ids_that_were_not_changed(self):
        if not IS_ROOT:
            return  # others reach only themselves
        words = command("--test-skip", "ids", "--test-skip", "capabilities",
                        "--test-run-anyway", weir=LAYERS, level="process",
                        limits={"processes": 1})
        done = subprocess.run(
            ["unshare", "-p", "-f", "-m", "--mount-proc", "--kill-child",
             "sh", "-c", 'sleep 300 & "$@" -c "print(1)" >/dev/null;'
             # One that was killed may not have been waited for yet.
             ' grep -q "^State:.[^Z]" /proc/$!/status && echo lives; kill $!',
             "sh", *words],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, timeout=HANG)
        self.assertEqual(done.stdout, b"lives\n")


class Changed(Running):
    def check(self, change):
        """Evidence at the end that is not what was promised: nothing of the
        program counts (S10)."""
        if not IS_ROOT:
            return  # others may not change a limit of this process
        process, _, second, _, meeting = self.running(
            "isolated", "print('out')\nawait wait()\nwait()\n5")
        if change:
            resource.prlimit(second, resource.RLIMIT_FSIZE, (1, 1))
        meeting.release(1)
        got = finish(process)
        result = got.result
        if change:
            self.assertEqual((got.code, got.kind),
                             (125, "isolation_unavailable"))
            self.assertIn("contradicts", result["error"]["message"])
            self.assertEqual((result["stdout"], result["value"],
                              result["warnings"]), ("", None, []))
        else:
            self.assertEqual((got.code, result["stdout"], result["value"]),
                             (0, "out\n", 5))
            # Of the call that was not awaited.
            self.assertEqual(len(result["warnings"]), 1)


rows(Changed, {"limit_that_somebody_changes": (True,),
               "limit_that_nobody_changes": (False,)})


class Blanks(Watched):
    """The loader splits what is preloaded at blanks and colons (ld.so(8))."""

    def test_installed_beneath_a_blank(self):
        place = self.path("a b:c")
        shutil.copytree(WEIR.parent.parent / "libexec", place + "/libexec")
        shutil.copytree(WEIR.parent, place + "/bin")
        subprocess.run(["chmod", "-R", "a+rX", self.directory], check=True)
        for level in ("isolated", "process"):
            result = self.succeeds("print(1)", level=level,
                                   weir=place + "/bin/weir")
            self.assertEqual((result["stdout"], result["stderr"]),
                             ("1\n", ""))


class Doctor(Watched):
    def test_paths_do_not_drive_a_terminal(self):
        """Nor does anything else in its text."""
        path = self.path("\x1b[31mmissing")
        shown = self.on_terminal([str(WEIR), "doctor", "--python", path])
        self.assertIn(b"doctor_end", shown)
        self.assertNotIn(b"\x1b", shown)

    def on_terminal(self, words):
        master, slave = pty.openpty()
        process = subprocess.Popen(
            ["sh", "-c", '"$@"; echo doctor_end', "sh", *words], stdin=slave,
            stdout=slave, stderr=subprocess.DEVNULL, cwd="/")
        os.close(slave)
        shown = b""
        while True:
            try:
                got = os.read(master, 65536)
            except OSError:
                break  # EIO: everybody has closed it
            if not got:
                break
            shown += got
        process.wait(HANG)
        os.close(master)
        return shown


class Grants(Watched):
    def test_what_configures_weir(self):
        """Neither the directory of a file of terms nor that of the command.
        """
        os.mkdir(self.path("policy"))
        policy = self.write("policy/p.json",
                            '{"schema": "weir.policy/1"}')
        for path, words in (
                (os.path.dirname(policy), ["--policy-file", policy]),
                (str(WEIR.parent), [])):
            got = run("1", "--read", os.path.realpath(path), *words)
            self.assertEqual((got.code, got.stdout), (2, b""))
            self.assertIn(b"weir's own", got.stderr)


    def test_where_workspaces_stand(self):
        base = own_bases()[0] if own_bases() else BASES[3]
        if not os.path.isdir(base):
            os.mkdir(base, 0o700)
        beneath = os.path.join(base, "e2e-%d" % os.getpid())
        os.mkdir(beneath)
        self.addCleanup(os.rmdir, beneath)
        for path in (base, beneath):
            got = run("1", "--read", path)
            self.assertEqual((got.code, got.stdout), (2, b""))
            self.assertIn(b"weir's own", got.stderr)


class Stages(unittest.TestCase):
    """None is forgotten in the other file's table."""

    # The same code as at `isolated`, or none at all; where the workspace
    # cannot be watched the execution ends when that is seen.
    SAME = {"plan", "descriptors", "maps", "root", "fork", "exec", "probe",
            "ids", "workspace"}

    def test_at_process(self):
        # test_210_memory.py, Skipped, leaves that out at every level.
        tried = set(test_310_process.STAGES) | {"no_new_privs", "memory"}
        self.assertEqual(set(stages()), self.SAME | tried)


class Mounts(Watched):
    READ_ONLY, NO_SUID, NO_DEV = 1, 2, 4

    def test_flags(self):
        flags = self.value(
            "import os, sys\n"
            "return {path: os.statvfs(path).f_flag for path in"
            " ('/', '/usr/lib', os.path.dirname(os.__file__), '/weir',"
            "  sys.executable, '/etc/ld.so.cache', '/dev/null',"
            "  '/workspace', '/dev/shm')}", level="isolated")
        for path, flag in flags.items():
            self.assertTrue(flag & self.NO_SUID, path)
            self.assertEqual(bool(flag & self.NO_DEV),
                             path != "/dev/null", path)
            self.assertEqual(bool(flag & self.READ_ONLY),
                             path not in ("/workspace", "/dev/shm"), path)


if __name__ == "__main__":
    main()
