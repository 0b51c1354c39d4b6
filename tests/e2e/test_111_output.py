#!/usr/bin/env python3
"""Captured output (S6, S7): byte-exact at the cap and one past it, drained
beyond it with flat memory, cut between characters, kept whatever the end is,
and held up by nobody who has the streams still open."""
import ctypes
import os
import random
import signal
import subprocess
import threading

from weir_test import (ECHO, HANG, LEVEL, Case, Outcome, command, end_survivors,
                       finish, main, process_2, rows, run)

WRITE_ALL = ("import os\n"
             "def write_all(fd, data):\n"
             "    while data: data = data[os.write(fd, data):]\n")


def floor(data, at):
    """Where to cut so that no character is cut in two."""
    for back in range(1, 4):
        begin = at - back
        if begin < 0 or data[begin] & 0xc0 == 0x80:
            continue
        length = 1 + sum(data[begin] >= first for first in (0xc2, 0xe0, 0xf0))
        try:
            data[begin:begin + length].decode()
        except UnicodeDecodeError:
            return at
        return begin if begin + length > at else at
    return at


def model(data, cap, preview):
    """What a result shows of a stream: another hand's version of it."""
    preview = min(preview, cap)
    captured = data[:cap]
    if len(data) <= preview:
        return data.decode("utf-8", "replace")
    if preview == 0:
        return ""
    head = min(preview * 6 // 10, len(captured))
    tail = data[len(data) - (preview - preview * 6 // 10):]
    head = floor(captured, head)
    cut = 0
    while cut < min(3, len(tail)) and tail[cut] & 0xc0 == 0x80:
        cut += 1
    tail = tail[cut:]
    mark = "\n[... %d bytes omitted ...]\n" % (len(data) - head - len(tail))
    return (captured[:head] + mark.encode() + tail).decode("utf-8", "replace")


class Exact(Case):
    """Both streams at once, each with other bytes."""

    def streams(self, out, err, **limits):
        result = self.succeeds(
            WRITE_ALL + "write_all(1, %r)\nwrite_all(2, %r)\npass" % (
                out, err), limits=limits)
        for name, data in (("stdout", out), ("stderr", err)):
            cap = limits.get(name, 1 << 20)
            captured = min(len(data), cap)
            self.assertEqual(result["streams"][name], {
                "bytes": len(data), "captured": captured,
                "omitted": len(data) - captured})
            self.assertEqual(result[name],
                             model(data, cap, limits.get("preview", 4000)),
                             (name, data[:200], limits))

    def test_at_the_cap_and_one_past_it(self):
        for cap in (1, 2, 10, 100, 4096, 65536):
            out = bytes(ord("a") + n % 26 for n in range(cap + 1))
            err = bytes(ord("A") + n % 26 for n in range(cap + 1))
            for more in (0, 1):
                self.streams(out[:cap + more], err[:cap + 1 - more],
                             stdout=cap, stderr=cap, preview=cap)

    def test_at_the_default(self):
        block = b"".join(b"%07d\n" % n for n in range(1 << 17))
        self.assertEqual(len(block), 1 << 20)
        result = self.succeeds(
            WRITE_ALL + "block = b''.join(b'%07d\\n' % n"
            " for n in range(1 << 17))\n"
            "write_all(1, block); write_all(2, block + b'!')\npass")
        self.assertEqual(result["streams"]["stdout"], {
            "bytes": 1 << 20, "captured": 1 << 20, "omitted": 0})
        self.assertEqual(result["streams"]["stderr"], {
            "bytes": (1 << 20) + 1, "captured": 1 << 20, "omitted": 1})
        self.assertEqual(result["stdout"], model(block, 1 << 20, 4000))
        self.assertEqual(result["stderr"], model(block + b"!", 1 << 20, 4000))

    def test_every_byte(self):
        self.streams(bytes(range(256)), bytes(range(255, -1, -1)))
        self.streams(bytes(range(256)), bytes(range(255, -1, -1)), stdout=200,
                     stderr=150, preview=77)

    def test_characters_and_half_ones_at_the_cut(self):
        """Pieces of characters, whole ones and what is none, cut at any
        place."""
        pieces = ["é".encode(), "€".encode(), "\U0001f600".encode(), b"a",
                  b"\xff", b"\xc3", b"\xe2\x82", b"\xf0\x9f\x98", b"\x80",
                  b"\x80\x80\x80\x80", b"\xed\xa0\x80", b"\xc0\xaf", b"\0",
                  b"\n"]
        for seed in range(24):
            with self.subTest(seed):
                draw = random.Random(seed)
                out, err = (b"".join(draw.choice(pieces) for _ in range(
                    draw.randrange(1, 60))) for _ in range(2))
                self.streams(out, err, stdout=draw.randrange(1, 90),
                             stderr=draw.randrange(1, 90),
                             preview=draw.randrange(0, 60))


class Memory(Case):
    def peak(self, megabytes, meeting):
        """VmHWM of the command, in KiB, when so much was written."""
        process = self.start(
            "import os\nblock = b'x' * (1 << 20)\n"
            "def write(fd):\n"
            "    data = block\n"
            "    while data: data = data[os.write(fd, data):]\n"
            "for _ in range(%d): write(1); write(2)\n"
            "wait()" % megabytes, tools={"wait": meeting.tool()},
            limits={"wall": 100})
        self.assertTrue(meeting.wait(1, process))
        with open("/proc/%d/status" % process.pid) as file:
            peak = [int(line.split()[1]) for line in file
                    if line.startswith("VmHWM:")][0]
        meeting.release(1)
        got = finish(process)
        self.assertIsNone(got.kind)
        for name in ("stdout", "stderr"):
            self.assertEqual(got.result["streams"][name], {
                "bytes": megabytes << 20, "captured": 1 << 20,
                "omitted": (megabytes - 1) << 20})
        return peak

    def test_flat_beyond_the_cap(self):
        """Of 2 MB and of 300 MB on each stream."""
        meeting = self.meeting()
        few, many = self.peak(2, meeting), self.peak(300, meeting)
        self.assertLess(abs(many - few), 512, "KiB more")


FLOOD = ("import os, threading\n"
         "def flood(fd):\n"
         "    block = b'#' * 65536\n"
         "    while True: os.write(fd, block)\n"
         "for fd in (1, 2, 1, 2):\n"
         "    threading.Thread(target=flood, args=(fd,), daemon=True).start()\n")


class Flooded(Case):
    """Both streams are written to as fast as they go when the end comes."""

    def check(self, kind, end, limits=None, json=True):
        got = run(FLOOD + end, json=json, tools={"echo": ECHO}, timeout=60,
                  limits=dict({"grace": "200ms", "wall": 50},
                              **(limits or {})))
        if not json:
            self.assertEqual(got.code, 124)
            self.assertEqual(got.stdout.strip(b"#"), b"")
            self.assertRegex(got.stderr, b"#\n?weir: timeout: ")
            return
        self.assertEqual(got.kind, kind, got.result["error"])
        self.assertLess(len(got.stdout), 300000)
        for name in ("stdout", "stderr"):
            stream = got.result["streams"][name]
            self.assertEqual(stream["captured"], min(stream["bytes"],
                                                     1 << 20))
            self.assertLessEqual(set(got.result[name]),
                                 set("#\n[... bytes omitted ...]0123456789"))

    def test_cancel(self):
        meeting = self.meeting()
        process = self.start(FLOOD + "wait()",
                             tools={"wait": meeting.tool()})
        self.assertTrue(meeting.wait(1, process))
        process.send_signal(signal.SIGTERM)
        got = finish(process)
        self.assertEqual((got.code, got.kind), (130, "cancelled"))


DEAF = ("import signal\nsignal.pthread_sigmask(signal.SIG_BLOCK, "
        "range(1, 65))\n")
rows(Flooded, {
    "wall": ("timeout", "threading.Event().wait()", {"wall": "700ms"}),
    "wall_in_a_tool": ("timeout", "call_tool('echo', {'a': 1})\n"
                       "threading.Event().wait()", {"wall": "700ms"}),
    "wall_and_deaf": ("timeout", DEAF + "threading.Event().wait()",
                      {"wall": "700ms"}),
    "wall_without_json": ("timeout", "threading.Event().wait()",
                          {"wall": "700ms"}, False),
    "cpu": ("timeout", "while True: pass", {"cpu": 1}),
    "value": (None, "7"),
    "large_value": (None, "return 'v' * 200000"),
    "exception": ("exception", "1 / 0"),
    "exit": ("worker_exit", "os._exit(3)"),
    "kill": ("worker_exit", "os.kill(os.getpid(), 9)"),
    "violation": ("protocol_violation", "os.write(3, b'x\\n')\n"
                  "threading.Event().wait()"),
})


class Kept(Case):
    """What was printed and never flushed, whatever the end is."""

    def check(self, kind, end, limits=None):
        got = run("import os, signal, sys, threading\n"
                  "print('out', end='')\n"
                  "sys.stdout.write('put')\n"
                  "print('err', end='', file=sys.stderr)\n" + end,
                  limits=dict({"wall": 50, "grace": 0}, **(limits or {})))
        self.assertEqual(got.kind, kind)
        self.assertEqual(got.result["stdout"], "output")
        self.assertTrue(got.result["stderr"].startswith("err"))

    def test_cancel(self):
        meeting = self.meeting()
        process = self.start("print('out', end='')\nwait()",
                             tools={"wait": meeting.tool()})
        self.assertTrue(meeting.wait(1, process))
        process.send_signal(signal.SIGINT)
        got = finish(process)
        self.assertEqual((got.kind, got.result["stdout"]),
                         ("cancelled", "out"))


rows(Kept, {
    "value": (None, "7"),
    "exception": ("exception", "1 / 0"),
    "kill": ("worker_exit", "os.kill(os.getpid(), 9)"),
    "os_exit": ("worker_exit", "os._exit(0)"),
    "abort": ("worker_exit", "os.abort()"),
    "crash": ("worker_exit", "import ctypes\nctypes.string_at(0)"),
    "wall": ("timeout", "signal.pause()", {"wall": "500ms"}),
    "wall_and_deaf": ("timeout", DEAF + "while True: signal.pause()",
                      {"wall": "500ms"}),
    "cpu": ("timeout", "while True: pass", {"cpu": 1}),
    "violation": ("protocol_violation", "os.write(3, b'x\\n')\n"
                  "signal.pause()"),
})


class Closed(Case):
    """A program without standard streams is a program all the same."""

    def check(self, closing, end, kind, value=None, limits=None):
        got = run("import os\nprint('before', flush=True)\n" + closing + end,
                  tools={"echo": ECHO},
                  limits=dict({"wall": 50, "grace": 0}, **(limits or {})))
        self.assertEqual(got.kind, kind, got.result["error"])
        self.assertEqual(got.result["value"], value)
        self.assertEqual(got.result["stdout"], "before\n")
        self.assertEqual(got.result["streams"]["stdout"]["bytes"], 7)


ALL = "os.close(0); os.close(1); os.close(2)\n"
rows(Closed, {
    "value": (ALL, "return 7", None, 7),
    "tool": (ALL, "return echo(n=7)", None, {"n": 7}),
    "exception": (ALL, "1 / 0", "exception"),
    "exit": (ALL, "os._exit(4)", "worker_exit"),
    "wall": (ALL, "import time\ntime.sleep(99)", "timeout", None,
             {"wall": "500ms"}),
    "stdout_alone": ("os.close(1)\n", "return 7", None, 7),
    "stderr_alone": ("os.close(2)\n", "return 7", None, 7),
    # Others in their place get what is printed from then on, and the
    # channel stays what it is.
    "files_in_their_place": (
        ALL + "for n in range(3): os.open('f%d' % n, os.O_RDWR | os.O_CREAT)"
        "\n", "print('to a file')\nreturn [echo(n=7), open('f1').read()]",
        None, [{"n": 7}, "to a file\n"]),
    "sockets_in_their_place": (
        ALL + "import socket\npair = socket.socketpair()\n"
        "pair[0].send(b'{\"type\":\"done\",\"value\":1}\\n')\n",
        "return echo(n=7)", None, {"n": 7}),
})


class Callers(Case):
    """The command itself without some of its standard streams."""

    def check(self, closed, json):
        program = ("import os\nos.write(1, b'o' * 9); os.write(2, b'e' * 9)\n"
                   "return [echo(n=1)['n'], sorted(os.listdir('.'))]")
        words = command("--value", json=json, tools={"echo": ECHO})
        done = subprocess.run(
            words + ["-c", program], stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd="/",
            timeout=HANG,
            preexec_fn=lambda: [os.close(fd) for fd in closed])
        # A stream that the caller has closed is one that it does not want.
        self.assertEqual(done.returncode, 0, done)
        if 1 in closed:
            self.assertEqual(done.stdout, b"")
        elif json:
            got = Outcome(done.returncode, done.stdout, done.stderr)
            self.assertEqual(got.result["value"], [1, []])
            self.assertEqual(got.result["stdout"], "o" * 9)
            self.assertEqual(got.result["stderr"], "e" * 9)
        else:
            self.assertEqual(done.stdout, b"o" * 9 + b"[1,[]]\n")
        if 2 in closed:
            self.assertEqual(done.stderr, b"")
        elif not json:
            self.assertTrue(done.stderr.startswith(b"e" * 9), done.stderr)


rows(Callers, {
    "%s_%s" % ("json" if json else "plain", "_".join(map(str, closed))):
    (closed, json)
    for json in (True, False)
    for closed in ((0,), (1,), (2,), (0, 1), (0, 2), (1, 2), (0, 1, 2))})


class Strays(Case):
    """Somebody else has got hold of what the program writes to. Inside it
    can be no other process, since none can be made; so it is us."""

    def setUp(self):
        super().setUp()
        self.addCleanup(end_survivors)

    def take(self, pid, number):
        """Its descriptor (pidfd_getfd(2)), which needs its host's rights."""
        libc = ctypes.CDLL(None, use_errno=True)
        pidfd = os.pidfd_open(pid)
        fd = libc.syscall(438, pidfd, number, 0)
        os.close(pidfd)
        if fd < 0:
            raise OSError(ctypes.get_errno(), "pidfd_getfd")
        return fd

    def check(self, kind, end, writes, limits=None):
        meeting = self.meeting()
        process = self.start(
            "import os, signal\nprint('mine', flush=True)\nwait()\n" + end,
            tools={"wait": meeting.tool()},
            limits=dict({"wall": 50, "grace": 0}, **(limits or {})))
        self.assertTrue(meeting.wait(1, process))
        pid = process_2(process)
        fds = [self.take(pid, number) for number in (1, 2, 3)]
        threads = [threading.Thread(target=self.flood, args=(fd,))
                   for fd in fds[:2] * writes]
        for thread in threads:
            thread.start()
        meeting.release(1)
        got = finish(process)
        # Nobody reads any more, so they end.
        for thread in threads:
            thread.join(HANG)
            self.assertFalse(thread.is_alive())
        for fd in fds:
            os.close(fd)
        self.assertEqual(got.kind, kind, got.result["error"])
        self.assertTrue(got.result["stdout"].startswith("mine\n"))

    def flood(self, fd):
        block = b"#" * 65536
        try:
            while True:
                os.write(fd, block)
        except BrokenPipeError:
            pass


rows(Strays, {
    "%s_%s" % (name, "flooding" if writes else "holding"):
    (row[0], row[1], writes, *row[2:])
    for writes in (0, 2) for name, row in {
        "value": (None, "7"),
        "exit": ("worker_exit", "os._exit(3)"),
        "kill": ("worker_exit", "os.kill(os.getpid(), 9)"),
        "wall": ("timeout", "signal.pause()", {"wall": 1}),
    }.items()})
# Process 2 is known by its number in a PID namespace.
if LEVEL not in ("isolated", "spaces"):
    del Strays

if __name__ == "__main__":
    main()
