#!/usr/bin/env python3
"""What the confinement does that no program notices: looked at from outside,
while a program runs, or by the marks that the kernel keeps."""
import os
import resource
import select
import signal
import unittest

import test_310_process
from claims import stages
from weir_test import (HANG, IS_ROOT, Watched, finish, main,
                       rows, survivors, wait_for_orphans)


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
    def running(self, level, text="wait()"):
        """A program that waits in a tool: (command, process 1, process 2,
        the tool's guardian, the meeting)."""
        meeting = self.meeting()
        process = self.start(text, level=level,
                             tools={"wait": meeting.tool()})
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


class Ends(Running):
    def check(self, level):
        """The command cannot act, its process 1 is killed, then it is."""
        process, first, second, _, _ = self.running(
            level, "try: wait()\nfinally:\n    while True: pass")
        end = os.pidfd_open(second)
        self.addCleanup(os.close, end)
        process.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, process.pid, os.WSTOPPED)
        os.kill(first, signal.SIGKILL)
        process.kill()
        process.wait(HANG)
        self.assertTrue(wait_for_orphans())
        self.assertTrue(select.select([end], [], [], 0)[0])
        self.assertEqual(survivors(), [])


rows(Ends, {"all_killed_" + level: (level,)
            for level in ("isolated", "process", "spaces")})


class Changed(Running):
    def check(self, change):
        """Evidence at the end that is not what was promised: nothing of the
        program counts (S10)."""
        if not IS_ROOT:
            return  # others may not change a limit of this process
        process, _, second, _, meeting = self.running(
            "isolated", "print('out'); wait(); 5")
        if change:
            resource.prlimit(second, resource.RLIMIT_FSIZE, (1, 1))
        meeting.release(1)
        got = finish(process)
        result = got.result
        if change:
            self.assertEqual((got.code, got.kind),
                             (125, "isolation_unavailable"))
            self.assertIn("contradicts", result["error"]["message"])
            self.assertEqual((result["stdout"], result["value"]), ("", None))
        else:
            self.assertEqual((got.code, result["stdout"], result["value"]),
                             (0, "out\n", 5))


rows(Changed, {"limit_that_somebody_changes": (True,),
               "limit_that_nobody_changes": (False,)})


class Stages(unittest.TestCase):
    """None is forgotten in the other file's table."""

    # The same code as at `isolated`, or none at all; where the workspace
    # cannot be watched the execution ends when that is seen.
    SAME = {"plan", "descriptors", "maps", "root", "fork", "exec", "probe",
            "ids", "workspace"}

    def test_at_process(self):
        tried = set(test_310_process.STAGES) | {"no_new_privs"}
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
