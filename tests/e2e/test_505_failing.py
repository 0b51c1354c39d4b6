#!/usr/bin/env python3
"""Failures of our own: each call that the command makes of the C library
fails once, by preloading tests/tools/failing.so. Whatever it is, the command
says what it was, the exit code is that of the outcome, nothing is reported as
better than it was, and nothing is left.
"""
import json
import os
import re
import shutil
import subprocess
import sys

from weir_test import (ECHO, HERE, IS_ROOT, ROOT, TOOLS, WEIR, Watched,
                       command, main, mounts, own_bases, survivors)

SHIM = os.path.join(TOOLS, "failing.so")
SOURCE = (ROOT / "tests/tools/failing.c").read_text()
FAILS = re.findall(r"FAILS\((\w+), ", SOURCE)
NEVER = re.search(r"NEVER: (.*?)\*/", SOURCE, re.S).group(1).replace(
    "*", " ").split()
# Of the linker, the start-up code and the compiler's own checks.
NO_CALLS = r"_ITM_\w+|__\w+_start__|__libc_start_main|__cxa_finalize|" \
    r"__errno_location|__stack_chk_fail|__environ"

PROGRAM = ("import sys\n"
           "print('out')\n"
           "print('err', file=sys.stderr)\n"
           "return [echo(n=1), echo(n=2)]")
VALUE = [{"n": 1}, {"n": 2}]

# What a run may end as when something of the host's fails. The tool's failure
# reaches the program as ToolError, which this one does not handle.
KINDS = {None: 0, "setup": 125, "isolation_unavailable": 125,
         "backend_not_ready": 125, "exception": 1}
# Of one function's calls, from the first. Root's command makes the same ones
# but for a few, and has more to do beside this. Each of them with WEIR_EVERY=1.
EVERY = os.environ.get("WEIR_EVERY") == "1"
MOST = 1 << 20 if EVERY else 12 if IS_ROOT else 24


def imported():
    """What the command takes from the C library, without the prefixes and
    endings of the checked variants."""
    out = subprocess.run(["nm", "-D", "--undefined-only", WEIR], check=True,
                         stdout=subprocess.PIPE).stdout.decode()
    names = {line.split()[-1].split("@")[0] for line in out.splitlines()}
    return {re.sub(r"^__(?:isoc99_(\w+)|(\w+)_chk)$", r"\1\2", name)
            for name in names if not re.fullmatch(NO_CALLS, name)}


class Failing(Watched):
    LEVEL = "isolated"
    OPTIONS = ()
    PROGRAM, VALUE = PROGRAM, VALUE
    MOST = MOST

    def setUp(self):
        super().setUp()
        # Through a link, by a relative path: all that finding it can take.
        self.policy = self.path("policy")
        os.chmod(self.write("policy.json", '{"schema": "weir.policy/1"}'),
                 0o644)
        os.symlink("policy.json", self.policy)

    def failing(self, function, number):
        """The outcome, or None when there was no such call."""
        mark = self.path("mark")
        process = subprocess.Popen(
            command("--policy-file", os.path.relpath(self.policy, "/"),
                    *self.OPTIONS, tools={"echo": ECHO}, level=self.LEVEL) + [
                        "-c", self.PROGRAM],
            env=dict(os.environ, LD_PRELOAD=SHIM, FAIL_CALL=function,
                     FAIL_AT=str(number), FAIL_MARK=mark),
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, cwd="/")
        self.pid = process.pid
        try:
            out, err = process.communicate(timeout=self.BOUND)
        finally:
            process.kill()
            process.wait()
        done = subprocess.CompletedProcess(
            process.args, process.returncode, out, err)
        if not os.path.exists(mark):
            return None
        os.unlink(mark)
        return done

    def judge(self, done):
        if not done.stdout:
            # Before there was an execution, or with the output broken.
            self.assertIn(done.returncode, (2, 125, 126, 127))
            self.assertRegex(done.stderr.decode(), r"^weir: .{10,}\n$")
            return
        result = json.loads(done.stdout)
        kind = (result["error"] or {}).get("kind")
        self.assertIn(kind, KINDS)
        if kind is None:
            self.assertEqual(result["value"], self.VALUE)
            short = [w for w in result["warnings"] if "memory is short" in w]
            if not short:
                self.assertEqual((result["stdout"], result["stderr"]),
                                 ("out\n", "err\n"))
            # Unless the end of the output could not be written.
            if done.returncode != 0:
                self.assertRegex(done.stderr, b"^weir: standard output: ")
            return
        self.assertIn(done.returncode, (KINDS[kind], 126, 127))
        self.assertGreater(len(result["error"]["message"]), 10)
        if kind == "exception":
            # The tool's call has failed, and says why.
            failed = [call for call in result["calls"]["list"]
                      if call["state"] != "completed"]
            self.assertEqual(len(failed), 1)
            self.assertRegex(
                result["error"]["message"],
                "the host|cannot be run|ended without a report")

    def check(self, function):
        before = mounts()
        for number in range(1, self.MOST + 1):
            done = self.failing(function, number)
            if done is None:
                break
            with self.subTest("call %d" % number):
                self.judge(done)
                left = survivors()
                # Who cannot wait leaves that to whoever comes next.
                if function == "waitid":
                    left = [name for name in left if "(Z)" not in name]
                self.assertEqual(left, [])
        self.assertEqual(mounts(), before)

    def test_every_function_is_in_a_list(self):
        known = set(FAILS) | set(NEVER)
        self.assertEqual(imported() - known, set(),
                         "put it into one of the lists of failing.c")
        self.assertEqual(set(FAILS) & set(NEVER), set())

    def test_the_shim_bites(self):
        done = self.failing("pipe2", 1)
        self.assertEqual(json.loads(done.stdout)["error"]["message"],
                         "pipes and sockets: Too many open files")
        self.assertIsNone(self.failing("pipe2", 1000))


class OnTheHostsRoot(Failing):
    """What is called only where a workspace is a directory of the host. What
    could not be removed then is swept by the next start."""
    LEVEL = "spaces"

    def judge(self, done):
        super().judge(done)
        control = subprocess.run(
            command(level=self.LEVEL) + ["-c", "1"], cwd="/",
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            timeout=self.BOUND)
        self.assertEqual(control.returncode, 0, control.stdout)
        self.assertEqual(own_bases(), [])


class WithMemory(Failing):
    """What is called only for a limit of memory: a cgroup, or the watchdog.
    A group that could not be removed then is swept by the next start."""
    OPTIONS = ("--limit", "memory=64M")

    def judge(self, done):
        super().judge(done)
        control = subprocess.run(
            command(*self.OPTIONS) + ["-c", "1"], cwd="/",
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            timeout=self.BOUND)
        self.assertEqual(control.returncode, 0, control.stdout)
        # Others are at work on this host, and leave theirs to be swept.
        found = subprocess.run(
            ["find", "/sys/fs/cgroup", "-type", "d",
             "-name", "weir.*.%d.*" % self.pid],
            stdout=subprocess.PIPE, check=False, timeout=self.BOUND)
        self.assertEqual(found.stdout.decode().split(), [])


class WithTrace(Failing):
    """What is called only for --trace, by whose probes the filter asks."""

    def failing(self, function, number):
        trace = self.path("trace")
        self.OPTIONS = ("--trace", trace)
        if os.path.exists(trace):
            os.unlink(trace)
        return super().failing(function, number)

    def judge(self, done):
        if b"the trace is incomplete" in done.stderr:
            self.assertEqual(done.returncode, 125)
            self.assertEqual(json.loads(done.stdout)["value"], VALUE)
            return
        super().judge(done)
        # One is left where a program ran, and says all of it.
        if not os.path.exists(self.OPTIONS[1]):
            self.assertNotEqual(done.returncode, 0)
        elif done.returncode == 0:
            with open(self.OPTIONS[1]) as file:
                self.assertEqual(json.loads(file.read()), {
                    "event": "end", "refused": 0, "rows": 0, "left_out": 0})


class WithAHandle(Failing):
    """What is called only to keep a result and to search in it."""
    OPTIONS = ("--limit", "result_bytes=4000")
    PROGRAM = ("import sys\n"
               "print('out')\n"
               "print('err', file=sys.stderr)\n"
               "h = echo(text='x' * 5000)\n"
               "return [h.read(0, 10), h.search('\\}')[0]['offset']]")
    VALUE = ['{"text":"x', 5010]


class WithPrograms(Failing):
    """What is called only to look at a file that may be executed."""
    OPTIONS = ("--limit", "processes=1", "--exec",
               os.path.realpath(shutil.which("sort")))


class WithServers(Failing):
    """What is called only for MCP servers, which start with the first
    execution. One that cannot be had is not offered, and the result says
    why."""
    PROGRAM = ("import sys\n"
               "print('out')\n"
               "print('err', file=sys.stderr)\n"
               "return [call_tool('s.echo', {'n': n}) for n in (1, 2)]")
    MOST = MOST if EVERY else 12

    def setUp(self):
        super().setUp()
        path = self.write("mcp.json", json.dumps({"mcpServers": {"s": {
            "command": sys.executable,
            "args": ["-IB", str(HERE / "mcp_server.py")]}}}))
        self.OPTIONS = ("--mcp-config", path)

    def judge(self, done):
        result = json.loads(done.stdout) if done.stdout else {}
        error = result.get("error") or {}
        if "(not_offered)" not in error.get("message", ""):
            return super().judge(done)
        self.assertEqual(done.returncode, 1)
        self.assertTrue([w for w in result["warnings"] if re.search(
            "MCP server s: its tools are not offered: .{10,}", w)],
            result["warnings"])
        return None


def add(case, function):
    def test(self):
        self.check(function)
    test.__name__ = "test_" + function.strip("_")
    setattr(case, test.__name__, test)


for name in FAILS:
    add(Failing, name)
# The other functions are called for the same there, but for a few calls: they
# fail there as well with WEIR_EVERY=1.
HOSTS_ROOT = ("mkdirat", "fchmodat", "fchownat", "unlinkat", "shutdown",
              "clone", "open", "openat", "syscall", "write", "fdopendir",
              "readdir", "stat", "malloc")
for name in FAILS:
    if name not in HOSTS_ROOT and not EVERY:
        setattr(OnTheHostsRoot, "test_" + name.strip("_"), None)
for name in HOSTS_ROOT:
    add(OnTheHostsRoot, name)
MEMORY = ("mkdirat", "unlinkat", "openat", "fopen", "readdir", "fdopendir",
          "write", "fstatvfs", "poll", "syscall")
for name in FAILS:
    if name not in MEMORY:
        setattr(WithMemory, "test_" + name.strip("_"), None)
TRACE = ("poll", "syscall", "open", "write", "calloc", "epoll_ctl", "recvmsg")
for name in FAILS:
    if name not in TRACE:
        setattr(WithTrace, "test_" + name.strip("_"), None)
# One class's tests of the lists and of the shim are enough.
HANDLE = ("dlopen", "eventfd", "getrandom", "malloc", "calloc", "realloc")
for name in FAILS:
    if name not in HANDLE:
        setattr(WithAHandle, "test_" + name.strip("_"), None)
PROGRAMS = ("fgetxattr", "fstatvfs", "fstat", "open", "read", "realpath",
            "stat", "malloc")
for name in FAILS:
    if name not in PROGRAMS:
        setattr(WithPrograms, "test_" + name.strip("_"), None)
SERVERS = ("malloc", "calloc", "realloc", "strdup", "pipe2", "socketpair",
           "clone", "fcntl", "timerfd_create", "timerfd_settime", "epoll_ctl",
           "recv", "aligned_alloc", "open", "getrandom")
for name in FAILS:
    if name not in SERVERS:
        setattr(WithServers, "test_" + name.strip("_"), None)
for case in (OnTheHostsRoot, WithMemory, WithTrace, WithAHandle,
             WithPrograms, WithServers):
    case.test_every_function_is_in_a_list = None
    case.test_the_shim_bites = None


class InTheHostsWords(Failing):
    """The host decides, and has no memory to say so twice."""

    def test_timeout(self):
        tried = 0
        for number in range(1, 100):
            done = self.failing("strdup", number)
            if done is None:
                break
            tried += 1
            if done.stdout:
                error = json.loads(done.stdout)["error"]
                self.assertIn(error["kind"], ("setup", "timeout"))
                self.assertGreater(len(error["message"]), 10)
            else:
                self.assertRegex(done.stderr, b"^weir: ")
            self.assertEqual(survivors(), [])
        self.assertGreater(tried, 3)


InTheHostsWords.PROGRAM = "while True: pass"
InTheHostsWords.OPTIONS = ("--limit", "wall=300ms", "--limit", "grace=100ms")
for name in dir(InTheHostsWords):
    if name.startswith("test_") and name != "test_timeout":
        setattr(InTheHostsWords, name, None)


if __name__ == "__main__":
    main()
