#!/usr/bin/env python3
"""Programs that crash: the signal is told, and nothing of their memory comes
to be a file or another program's input, whatever core_pattern says (core(5)).

The pattern is the whole host's, so only root can set one; it is put back
whatever ends this. It hands cores to a helper that notes whose they were, so
that another crash at the same time is not taken for one of these.
"""
import atexit
import json
import os
import resource
import select
import signal
import subprocess
import sys

from weir_test import (HANG, IS_ROOT, PYTHON, Watched, command, finish, main,
                       rows)

PATTERN = "/proc/sys/kernel/core_pattern"


def read_pattern():
    with open(PATTERN) as file:
        return file.read().rstrip("\n")


def set_pattern(text):
    with open(PATTERN, "w") as file:
        file.write(text)


def can_set():
    """Some containers give root a /proc that it cannot change."""
    try:
        set_pattern(read_pattern())
    except OSError:
        return False
    return True


def put_back_and_end(before):
    """Not by an exception: a test would take it for a failure of its own."""
    set_pattern(before)
    os._exit(1)


if IS_ROOT:
    BEFORE = read_pattern()
    atexit.register(set_pattern, BEFORE)
    signal.signal(signal.SIGTERM, lambda *_: put_back_and_end(BEFORE))

# What a program may try before it crashes; each is refused.
INSISTING = ("import ctypes, resource\n"
             "ctypes.CDLL(None).prctl(4, 1, 0, 0, 0)\n"
             "try: resource.setrlimit(resource.RLIMIT_CORE, (-1, -1))\n"
             "except (OSError, ValueError): pass\n"
             "held = bytearray(64 << 20)\n")

# program, signal
CRASHES = {
    "null": ("import ctypes\nctypes.string_at(0)", signal.SIGSEGV),
    "faulthandler": ("import faulthandler\nfaulthandler._sigsegv()",
                     signal.SIGSEGV),
    "in_a_thread": ("import ctypes, threading\n"
                    "threading.Thread(target=ctypes.string_at, args=(1,)"
                    ").start()\nthreading.Event().wait()", signal.SIGSEGV),
    "abort": ("import os\nos.abort()", signal.SIGABRT),
    "beyond_a_file": ("import mmap, os\nfd = os.open('f', os.O_RDWR |"
                      " os.O_CREAT)\nos.ftruncate(fd, 4096)\n"
                      "m = mmap.mmap(fd, 4096)\nos.ftruncate(fd, 0)\nm[0]",
                      signal.SIGBUS),
    "quit": ("import os\nos.kill(os.getpid(), 3)", signal.SIGQUIT),
    "insisting_null": (INSISTING + "ctypes.string_at(0)", signal.SIGSEGV),
    "insisting_abort": (INSISTING + "import os\nos.abort()", signal.SIGABRT),
}


# None of these waits for its time.
PATIENT = dict(Watched.LIMITS, wall=60)


class Crashes(Watched):
    """With the pattern that the host has."""

    def named(self, program):
        """The helper notes the name of the process."""
        return ("import ctypes\nctypes.CDLL(None).prctl(15, b'%s')\n"
                "print('so far', flush=True)\n" % self.mark) + program

    def check(self, program, number):
        self.judge(self.watch(self.named(program), limits=PATIENT), number)

    def judge(self, got, number):
        result = got.result
        self.assertEqual((got.code, got.kind), (128 + number, "worker_exit"),
                         result["error"])
        self.assertEqual(result["exit"], {"by": "program", "code": None,
                                          "signal": int(number)})
        self.assertEqual((result["stdout"], result["value"]),
                         ("so far\n", None))
        self.assertIsNone(result["limit_hit"])


rows(Crashes, CRASHES)


class Patterns(Watched):
    """With each kind of pattern, when what crashes outside is dumped."""

    def setUp(self):
        super().setUp()
        self.log = self.path("log")
        self.fifo = self.path("fifo")
        os.mkfifo(self.fifo)
        self.fd = os.open(self.fifo, os.O_RDWR)
        self.addCleanup(os.close, self.fd)
        # The kernel runs it as root, with no environment.
        self.helper = self.write(
            "helper", '#!/bin/sh\necho "$1" >>%s\n/bin/cat >/dev/null\n'
            'echo x >%s\n' % (self.log, self.fifo))
        os.chmod(self.helper, 0o755)
        self.addCleanup(set_pattern, read_pattern())

    def set(self, kind):
        set_pattern({"pipe": "|%s %%e" % self.helper,
                     "file": self.path("core.%e"),
                     "relative": "core.%e"}[kind])

    def dumped(self):
        """Names of what was dumped, as a file or to the helper."""
        found = [name[5:] for name in os.listdir(self.directory) +
                 os.listdir(self.home) if name.startswith("core.")]
        if os.path.exists(self.log):
            with open(self.log) as file:
                found += file.read().split()
        return found

    def control(self, kind):
        """The same crash outside is dumped, or else nothing is shown here.
        The helper was started before the process that crashed had ended, so
        one that was started earlier has written as well."""
        name = "ctl%d" % os.getpid()
        done = subprocess.run(
            [PYTHON, "-I", "-S", "-c", "import ctypes, os, resource\n"
             "ctypes.CDLL(None).prctl(15, b'%s')\n"
             "hard = resource.getrlimit(resource.RLIMIT_CORE)[1]\n"
             "resource.setrlimit(resource.RLIMIT_CORE, (hard, hard))\n"
             "os.abort()" % name], cwd=self.home, timeout=HANG)
        self.assertEqual(done.returncode, -signal.SIGABRT)
        if kind == "pipe":
            # Never, where the first mount namespace, which the kernel runs
            # it in, has another /tmp.
            self.assertTrue(select.select([self.fd], [], [], HANG)[0],
                            "the kernel has run no helper")
            self.assertEqual(os.read(self.fd, 2), b"x\n")
        self.assertIn(name, self.dumped())
        for place in (self.directory, self.home):
            if "core." + name in os.listdir(place):
                os.unlink(os.path.join(place, "core." + name))

    def check(self, kind, program, number):
        self.set(kind)
        named = Crashes.named(self, program)
        got = self.watch(named, limits=PATIENT)
        Crashes.judge(self, got, number)
        self.control(kind)
        self.assertNotIn(self.mark, self.dumped())

    def check_limit(self, kind, inherited, limit):
        def lower():
            resource.setrlimit(resource.RLIMIT_CORE, inherited)

        self.set(kind)
        done = subprocess.run(
            command("-c", "import ctypes, resource\n"
                    "[resource.getrlimit(resource.RLIMIT_CORE),"
                    " ctypes.CDLL(None).prctl(3, 0, 0, 0, 0)]"),
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, cwd="/",
            timeout=HANG, preexec_fn=lower)
        self.assertEqual(json.loads(done.stdout)["value"], [limit, 0])

    def test_limit_of_a_file(self):
        hard = resource.getrlimit(resource.RLIMIT_CORE)[1]
        self.check_limit("file", (hard, hard), [0, 0])
        self.check_limit("file", (0, hard), [0, 0])

    def test_limit_of_a_pipe(self):
        """It heeds a limit of 1 and no other: not even 0, which a caller
        often has."""
        hard = resource.getrlimit(resource.RLIMIT_CORE)[1]
        if hard != 0:
            self.check_limit("pipe", (hard, hard), [1, 1])
            self.check_limit("pipe", (0, hard), [1, 1])
        # What nobody may raise stays, and the process cannot be dumped.
        self.check_limit("pipe", (0, 0), [0, 0])

    def test_pipe_that_comes_while_the_program_runs(self):
        """The limit is that of a file then, which a pipe does not heed: the
        process cannot be dumped at all."""
        self.set("file")
        meeting = self.meeting()
        process = self.start(
            Crashes.named(self, "wait()\nimport os\nos.abort()"),
            tools={"wait": meeting.tool()})
        self.assertTrue(meeting.wait(1, process))
        self.set("pipe")
        meeting.release(1)
        Crashes.judge(self, finish(process), signal.SIGABRT)
        self.control("pipe")
        self.assertNotIn(self.mark, self.dumped())

    def test_pattern_is_put_back(self):
        """Also when this file is ended in the middle."""
        before = read_pattern()
        ready, end = os.pipe()
        process = subprocess.Popen(
            [sys.executable, "-B", "-c",
             "import sys; sys.path.insert(0, %r); sys.argv = ['-']\n"
             "import test_503_cores as t, os, signal\n"
             "t.set_pattern('core.changed'); os.write(%d, b'x')\n"
             "signal.pause()" % (os.path.dirname(os.path.abspath(__file__)),
                                 end)], pass_fds=[end])
        os.close(end)
        self.assertEqual(os.read(ready, 1), b"x")
        os.close(ready)
        self.assertEqual(read_pattern(), "core.changed")
        process.terminate()
        self.assertEqual(process.wait(HANG), 1)
        self.assertEqual(read_pattern(), before)


rows(Patterns, {
    "%s_%s" % (kind, name): (kind, *CRASHES[name])
    for kind in ("pipe", "file", "relative")
    for name in ("null", "faulthandler", "abort", "insisting_abort")})

if not (IS_ROOT and can_set()):
    del Patterns

if __name__ == "__main__":
    main()
