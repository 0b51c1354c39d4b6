#!/usr/bin/env python3
"""Hosts and callers that are not as one expects: refused namespaces, few
descriptors, inherited signals and limits, homes as prefixes, mounts beneath
what is granted, outputs that take nothing."""
import os
import pathlib
import pty
import resource
import select
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

import weir_test
from weir_test import Outcome, command


def run(words, **more):
    """weir with whatever a caller does before it; its Outcome."""
    done = subprocess.run([str(word) for word in words],
                          stdin=subprocess.DEVNULL, capture_output=True,
                          cwd="/", timeout=weir_test.HANG, **more)
    return Outcome(done.returncode, done.stdout, done.stderr)


def with_limits(number, soft, hard=None):
    return lambda: resource.setrlimit(number, (soft, hard or soft))


class Host(unittest.TestCase):
    def test_no_network_namespaces(self):
        """A clone that fails is a result that names the setting."""
        inner = "echo 0 >/proc/sys/user/max_net_namespaces && exec \"$@\""
        control = run(["unshare", "-Ur", "sh", "-c", "exec \"$@\"", "sh"]
                      + command("-c", "1"))
        self.assertIn(control.code, (0, 125), control.stderr)
        got = run(["unshare", "-Ur", "sh", "-c", inner, "sh"]
                  + command("-c", "1"))
        self.assertEqual((got.code, got.kind), (125, "isolation_unavailable"))
        self.assertIn("clone", got.result["error"]["message"])
        self.assertIn("user.max_", got.result["error"]["message"])

    def test_few_descriptors(self):
        """From none to spare: a clear error or a run, never a crash."""
        codes = set()
        for count in range(4, 100, 3):
            got = run(command("-c", "1", json=False),
                      preexec_fn=with_limits(resource.RLIMIT_NOFILE, count))
            codes.add(got.code)
            self.assertIn(got.code, (0, 125, 127), (count, got.stderr))
            if got.code:
                self.assertIn(b"weir", got.stderr or b"weir (loader)", count)
        self.assertIn(0, codes)
        self.assertIn(125, codes)

    def test_ignored_sigchld(self):
        got = run(command("-c", "import os; os._exit(3)",
                          limits={"wall": 30}),
                  preexec_fn=lambda: signal.signal(signal.SIGCHLD,
                                                   signal.SIG_IGN))
        self.assertEqual((got.kind, got.result["exit"]["code"]),
                         ("worker_exit", 3))

    def test_inherited_cpu_limit(self):
        got = run(command("-c", "while True: pass"),
                  preexec_fn=with_limits(resource.RLIMIT_CPU, 2))
        self.assertEqual((got.code, got.kind), (124, "timeout"))
        self.assertEqual(got.result["limit_hit"], "cpu")

    def test_deleted_directory(self):
        place = tempfile.mkdtemp()

        def leave():
            os.chdir(place)
            os.rmdir(place)

        words = command("-c", "import os\nos.getcwd()")
        done = subprocess.run(words, stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=weir_test.HANG,
                              preexec_fn=leave)
        got = Outcome(done.returncode, done.stdout, done.stderr)
        self.assertEqual(got.result["value"], "/workspace")

    def test_closed_standard_descriptors(self):
        for fd in (0, 1, 2):
            got = run(command("-c", "print(1)", json=False),
                      preexec_fn=lambda fd=fd: os.close(fd))
            self.assertEqual(got.stdout, b"" if fd == 1 else b"1\n", fd)


class Grants(unittest.TestCase):
    def make_prefix(self, home):
        """An installation whose prefix is a home with a secret."""
        for name in ("bin", "lib"):
            (home / name).mkdir()
        real = pathlib.Path(weir_test.PYTHON).resolve()
        shutil.copy(real, home / "bin" / real.name)
        os.symlink("/usr/lib/%s" % real.name, home / "lib" / real.name)
        (home / "secret").write_text("secret")
        return home / "bin" / real.name

    def test_a_home_is_not_granted_with_its_interpreter(self):
        place = pathlib.Path(tempfile.mkdtemp(dir="/var/tmp"))
        try:
            place.chmod(0o755)
            python = self.make_prefix(place)
            got = run(command("-c", "import os\nos.listdir(%r)" % str(place),
                              python=python))
            self.assertNotIn("secret", got.result["value"] or [],
                             got.result["error"])
            got = run(command("-c", "open(%r)" % str(place / "secret"),
                              python=python))
            self.assertEqual(got.kind, "exception", got.result["error"])
        finally:
            shutil.rmtree(place)

    def test_mounts_below_are_listed(self):
        """What comes along with a bind is counted and granted by name."""
        below = next(str(path) for path in sorted(
            pathlib.Path("/usr/lib").iterdir())
            if path.is_dir() and not path.is_symlink()
            and not path.name.startswith("python") and "-" not in path.name)
        inner = "mount -t tmpfs none %s && exec \"$@\"" % below
        got = run(["unshare", "-Urm", "sh", "-c", inner, "sh"]
                  + command("-c", "1"))
        result = got.result
        if result["isolation"]["guarantees"]["identity"]["grade"] == \
                "unavailable":
            # A namespace with root alone maps nothing else; the mounts are
            # told all the same.
            self.assertEqual(got.code, 125)
        self.assertIn(below, result["granted"]["mounted_below"])
        self.assertEqual(
            result["isolation"]["guarantees"]["filesystem"]["grade"],
            "enforced")

    def test_not_the_hosts_name_and_inodes(self):
        got = run(command("-c", """
import os
before = os.stat("/dev/zero").st_mtime_ns
denied = []
for what in ("/dev/zero", 0):
    try:
        os.utime(what)
    except OSError:
        denied.append(what)
return [os.uname().nodename, denied, open("/dev/null", "w").write("x")]
"""))
        self.assertEqual(got.result["value"], ["weir", ["/dev/zero", 0], 1])

    def test_no_locks_on_the_hosts_files(self):
        got = run(command("-c", """
import fcntl
with open("/etc/ld.so.cache") as f:
    try:
        fcntl.flock(f, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return "locked"
    except PermissionError:
        return "refused"
"""))
        self.assertEqual(got.result["value"], "refused")

    def test_no_large_socket_buffers(self):
        got = run(command("-c", """
import socket
a, b = socket.socketpair()
refused = []
for option in (socket.SO_SNDBUF, socket.SO_RCVBUF):
    try:
        a.setsockopt(socket.SOL_SOCKET, option, 1 << 22)
    except PermissionError:
        refused.append(option)
return len(refused)
"""))
        self.assertEqual(got.result["value"], 2)


class Ends(unittest.TestCase):
    def test_usage_of_what_is_killed(self):
        got = run(command("-c", "import signal\nsignal.signal(signal.SIGTERM,"
                          " signal.SIG_IGN)\nx = bytearray(30 << 20)\n"
                          "while True: pass",
                          limits={"wall": 1, "grace": "100ms"}))
        usage = got.result["usage"]
        self.assertEqual(got.kind, "timeout")
        self.assertGreater(usage["cpu_ms"], 100)
        self.assertGreater(usage["max_rss_kb"], 30 << 10)

    def test_cpu_limit_cannot_be_talked_out_of(self):
        """Trapped or ignored, left by an exit or with an answer."""
        burn = ("import os, signal, time\n"
                "signal.signal(signal.SIGXCPU, signal.SIG_IGN)\n"
                "while time.process_time() < 1.5: pass\n")
        for end in ("os._exit(0)", "os.abort()", "7"):
            got = run(command("-c", burn + end, limits={"cpu": 1}))
            self.assertEqual((got.code, got.kind), (124, "timeout"), end)
            self.assertIsNone(got.result["value"])

    def test_result_that_cannot_be_written(self):
        with open("/dev/full", "wb") as full:
            done = subprocess.run(command("-c", "1"), stdout=full,
                                  stdin=subprocess.DEVNULL,
                                  stderr=subprocess.PIPE, cwd="/",
                                  timeout=weir_test.HANG)
        self.assertEqual(done.returncode, 125)
        self.assertIn(b"standard output", done.stderr)

    def test_terminal_that_takes_nothing(self):
        """The program is ended in time although nobody reads."""
        ours, theirs = pty.openpty()
        try:
            weir = subprocess.Popen(
                command("-c", "import os\nwhile True: "
                        "os.write(1, b'\\x01' * 65536)", json=False,
                        limits={"wall": 1, "grace": "100ms"}),
                stdout=theirs, stderr=subprocess.DEVNULL,
                stdin=subprocess.DEVNULL, cwd="/")
            child = os.pidfd_open(first_child(weir))
            self.assertTrue(select.select([child], [], [],
                                          weir_test.HANG)[0])
            os.close(child)
            # All that is left is to write; that, a signal ends, whether it
            # comes while signals are still taken or after.
            weir.terminate()
            self.assertIn(weir.wait(weir_test.HANG), (-signal.SIGTERM, 124))
        finally:
            os.close(ours)
            os.close(theirs)

    def test_signal_while_the_program_is_read(self):
        place = tempfile.mkdtemp()
        fifo = os.path.join(place, "fifo")
        os.mkfifo(fifo)
        weir = subprocess.Popen(command(fifo), stdin=subprocess.DEVNULL,
                                stdout=subprocess.DEVNULL,
                                stderr=subprocess.DEVNULL, cwd="/")
        with open(fifo, "wb"):  # it has opened the other end
            weir.terminate()
            self.assertEqual(weir.wait(weir_test.HANG), -signal.SIGTERM)
        shutil.rmtree(place)

    def test_replies_that_are_not_read_are_bounded(self):
        """Refused calls are answered at once; the answers do not pile up."""
        flood = """
import os, socket
channel = socket.socket(fileno=3)
channel.setblocking(True)
n = 0
while True:
    frames = b""
    for _ in range(200):
        frames += (b'{"type":"call","id":%d,"name":"none",'
                   b'"arguments":{}}\\n' % n)
        n += 1
    channel.sendall(frames)
"""
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        got = run(command("-c", flood, limits={"wall": 3, "calls": 1,
                                               "grace": "100ms"}))
        after = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        self.assertEqual(got.kind, "timeout")
        self.assertLess(after - before, 64 << 10, "KiB more")


def first_child(process):
    """The id of the first child that a running process makes."""
    path = "/proc/%d/task/%d/children" % (process.pid, process.pid)
    until = time.monotonic() + weir_test.HANG
    while process.poll() is None and time.monotonic() < until:
        with open(path) as f:
            words = f.read().split()
        if words:
            return int(words[0])
        os.sched_yield()
    raise AssertionError("it ended and made none")


if __name__ == "__main__":
    weir_test.main()
