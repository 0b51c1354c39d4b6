#!/usr/bin/env python3
"""`weir run --trace FILE`: what a program was refused is named, counted and
bounded, and nothing else is different: the same calls are refused with the
same errors, the listener is out of the program's reach, and the result says
what it says without."""
import json
import os
import re
import signal
import stat
import subprocess
import unittest

from weir_test import (HANG, LAYERS, LEVEL, ROOT, TOOLS, WEIR, Case,
                       become_subreaper, command, end_survivors, main, run,
                       survivors)

ROWS = 256

# A system call by its number: the errno, or minus the result.
CALL = """
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
def call(number, *args):
    words = [ctypes.c_long(word) for word in (number,) + args]
    result = libc.syscall(*words)
    return ctypes.get_errno() if result == -1 else -result
"""
# Of anything that may fail: the errno.
TRY = """
def errno_of(function, *args):
    try:
        function(*args)
    except OSError as error:
        return error.errno
    return 0
"""


class Traced(Case):
    """Runs programs with a trace. Without confinement there is none."""

    level = LEVEL

    def setUp(self):
        super().setUp()
        if LEVEL == "none":
            self.skipTest("without confinement nothing is refused")
        if os.uname().machine != "x86_64":
            self.skipTest("the programs have x86_64's numbers")
        self.trace = self.path("trace")

    def run_one(self, program, *options, **more):
        return run(program, *options, level=self.level, **more)

    def rows(self):
        """What was traced: the rows, and the line at their end."""
        with open(self.trace) as file:
            lines = file.read().split("\n")
        self.assertEqual(lines.pop(), "")
        lines = [json.loads(line) for line in lines]
        end = lines.pop()
        self.assertEqual(end["event"], "end")
        self.assertEqual(end["rows"], len(lines))
        self.assertEqual(end["refused"], end["left_out"] + sum(
            line["count"] for line in lines))
        for line in lines:
            self.assertEqual(line.pop("event"), "refused")
        return lines, end

    def traced(self, program, *options, **more):
        """The outcome of a run that has to leave a trace, and its rows."""
        got = self.run_one(program, "--trace", self.trace, *options, **more)
        self.assertEqual(stat.S_IMODE(os.stat(self.trace).st_mode), 0o600)
        return got, self.rows()[0]

    def counts(self, rows):
        return [(row["call"], row["count"]) for row in rows]


class Names(Traced):
    def test_a_quiet_program(self):
        got, rows = self.traced("return sum(range(10))")
        self.assertEqual(got.result["value"], 45)
        self.assertEqual(rows, [])
        with open(self.trace) as file:
            self.assertEqual(file.read(), '{"event":"end","refused":0,'
                             '"rows":0,"left_out":0}\n')

    def test_what_python_tries(self):
        got, rows = self.traced(TRY + """
import os, socket, signal
done = [errno_of(socket.socket), errno_of(os.fork),
        errno_of(os.kill, 1, 9), errno_of(os.kill, 1, signal.SIGTERM),
        errno_of(socket.socket, socket.AF_INET6), errno_of(os.setsid)]
return done
""")
        self.assertEqual(got.result["value"], [1] * 6)
        self.assertEqual(
            [(row["count"], row["call"], row["arguments"], row["error"],
              row["group"]) for row in rows],
            [(2, "socket", {}, "EPERM", "network"),
             (1, "clone", {"0": 17}, "EPERM", "threads"),
             (2, "kill", {"0": 1}, "EPERM", "own signals"),
             (1, "setsid", {}, "EPERM", "processes")])
        self.assertIn("signals to itself", rows[2]["reason"])
        self.assertIn("only where it is granted", rows[0]["reason"])

    def test_what_c_tries(self):
        got, rows = self.traced(CALL + """
return [call(n, *a) for n, *a in [
    (435, 0, 0), (101, 0, 0, 0, 0), (165, 0, 0, 0, 0, 0), (437, -1, 0, 0, 0),
    (302, 0, 7, 4096, 0), (72, 1, 8, 5), (999,), (435, 1, 1)]]
""")
        self.assertEqual(got.result["value"], [38, 1, 1, 38, 1, 1, 38, 38])
        self.assertEqual(
            [(row["count"], row["call"], row["number"], row["arguments"],
              row["error"]) for row in rows],
            [(2, "clone3", 435, {}, "ENOSYS"),
             (1, "ptrace", 101, {}, "EPERM"),
             (1, "mount", 165, {}, "EPERM"),
             (1, "openat2", 437, {}, "ENOSYS"),
             (1, "prlimit64", 302, {"0": 0, "2": "not 0"}, "EPERM"),
             (1, "fcntl", 72, {"1": 8}, "EPERM"),
             (1, None, 999, {}, "ENOSYS")])

    def test_modes_of_files(self):
        """Refused where the program's uid is the caller's, and there only."""
        got, rows = self.traced(TRY + """
import os
open("mine", "w").close()
return [errno_of(os.chmod, "mine", 0o600), errno_of(os.utime, "mine")]
""")
        refused = [row for row in rows
                   if row["group"] in ("attributes", "modes")]
        self.assertEqual(sum(row["count"] for row in refused),
                         got.result["value"].count(1))
        self.assertEqual(len(rows), len(refused))
        if self.level == "isolated":
            self.assertEqual(got.result["value"], [0, 0])

    def test_a_thread_that_c_starts(self):
        """The library asks for clone3 first, and falls back."""
        got, rows = self.traced("""
import threading
done = []
thread = threading.Thread(target=done.append, args=(1,))
thread.start()
thread.join()
return done
""")
        self.assertEqual(got.result["value"], [1])
        self.assertEqual([name for name, _ in self.counts(rows)
                          if name != "clone3"], [])


class Same(Traced):
    """All but the trace is as it is without."""

    def both(self, program, *options, **more):
        plain = self.run_one(program, *options, **more).result
        got, _ = self.traced(program, *options, **more)
        return plain, got.result

    def test_the_result(self):
        plain, traced = self.both(TRY + """
import os, socket, sys
print("out")
print("err", file=sys.stderr)
return [errno_of(socket.socket), errno_of(os.kill, 1, 9)]
""")
        for result in plain, traced:
            del result["execution"], result["usage"]
        # Ids are each child's own; so is a directory of the host.
        def text(result):
            found = re.sub(r"uid \d+ gid \d+", "uid", json.dumps(result))
            return re.sub(r"/weir-\d+(\.\d)?/[^\"/]*", "/weir", found)
        self.assertEqual(text(traced), text(plain))
        self.assertEqual(traced["value"], [1, 1])

    def test_every_answer(self):
        """Each call that the policy does not allow, with arguments that the
        kernel would answer otherwise; and that no other call is refused."""
        source = (ROOT / "supervisor/filter_numbers.h").read_text()
        allowed = {int(number) for number in re.findall(
            r"^\tX\(\w+, (\d+),", source, re.M)}
        self.assertGreater(len(allowed), 150)
        # Two are the kernel's own and pass every filter (uretprobe, uprobe).
        allowed |= {335, 336}
        program = CALL + """
return [(n, call(n, -1, -1, -1, -1, -1, -1)) for n in %r]
""" % [number for number in range(520) if number not in allowed]
        plain, traced = self.both(program)
        self.assertEqual(traced["value"], plain["value"])
        self.assertEqual({answer for _, answer in traced["value"]}, {1, 38})

    def test_a_foreign_call_is_killed(self):
        for result in self.both(CALL + "call(0x40000000 + 39)"):
            self.assertEqual(result["exit"]["signal"], signal.SIGSYS)

    def test_the_output_that_is_not_json(self):
        words = ["print('out')\nimport socket\nsocket.socket()"]
        plain = self.run_one(*words, json=False)
        got = self.run_one(*words, "--trace", self.trace, json=False)
        self.assertEqual((got.code, got.stdout, got.stderr),
                         (plain.code, plain.stdout, plain.stderr))


class Reach(Traced):
    """The listener is the host's alone."""

    def test_no_descriptor_of_it_is_inside(self):
        got, rows = self.traced("""
import os
def is_open(fd):
    try:
        return os.fstat(fd) is not None
    except OSError:
        return False
return [fd for fd in range(4096) if is_open(fd)]
""")
        self.assertEqual(got.result["value"], [0, 1, 2, 3])
        self.assertEqual(rows, [])

    def test_nor_can_another_one_be_had(self):
        """Asking, answering and adding descriptors are refused on all that
        there is, and so is making a filter."""
        got, rows = self.traced(CALL + """
RECV, SEND, VALID, ADDFD = 0xc0502100, 0xc0182101, 0x40082102, 0x40182103
room = ctypes.addressof(ctypes.create_string_buffer(4096))
answers = {call(16, fd, what, room) for fd in range(64)
           for what in (RECV, SEND, VALID, ADDFD)}
answers |= {call(317, 1, flags, room) for flags in (0, 8)}
return sorted(answers)
""")
        self.assertEqual(got.result["value"], [1])
        self.assertEqual(self.counts(rows), [
            ("ioctl", 64)] * 4 + [("seccomp", 2)])

    def test_it_does_not_come_back_along_the_channel(self):
        """What was sent to the host can be received by the host."""
        got, _ = self.traced("""
import array, os, socket
channel = socket.socket(fileno=os.dup(3))
try:
    data, control, flags, _ = channel.recvmsg(
        1, 4096, socket.MSG_PEEK | socket.MSG_DONTWAIT)
    return [len(control), flags]
except BlockingIOError:
    return "nothing"
""")
        self.assertEqual(got.result["value"], "nothing")

    def test_descriptors_that_a_program_sends_are_closed(self):
        got, _ = self.traced("""
import array, os, socket
channel = socket.socket(fileno=os.dup(3))
for _ in range(10):
    channel.sendmsg([b"\\n"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS,
                               array.array("i", [0, 1, 2]))])
return 1
""")
        self.assertEqual(got.result["value"], 1)
        self.assertIn("the program sent 30 descriptors", " ".join(
            got.result["warnings"]))


# The same at the other levels, where this is not said from outside.
if LEVEL == "isolated":
    for case in (Names, Same, Reach):
        for other in ("spaces", "process"):
            name = case.__name__ + other.capitalize()
            globals()[name] = type(name, (case,), {"level": other})
    del case


class Floods(Traced):
    def test_many_threads_at_once(self):
        got, rows = self.traced(CALL + """
import threading
def work():
    for _ in range(500):
        answers.add(call(101, 0, 0, 0, 0))
        answers.add(call(62, 1, 0))
answers = set()
threads = [threading.Thread(target=work) for _ in range(16)]
for thread in threads: thread.start()
for thread in threads: thread.join()
return sorted(answers)
""")
        self.assertEqual(got.result["value"], [1])
        counts = dict(self.counts(rows))
        self.assertEqual((counts["ptrace"], counts["kill"]), (8000, 8000))

    def test_the_wall_clock_runs(self):
        got, rows = self.traced(
            CALL + "while True: call(101, 0, 0, 0, 0)",
            limits={"wall": "1s", "grace": "200ms"})
        self.assertEqual(got.kind, "timeout")
        self.assertEqual([row["call"] for row in rows], ["ptrace"])
        self.assertGreater(rows[0]["count"], 100)

    def test_all_of_them_different(self):
        """More than there are rows, in several threads, for ever."""
        got, rows = self.traced(CALL + """
import itertools, threading
def work(n):
    for pid in itertools.count(n, 4):
        call(62, 1000 + pid, 0)
for n in range(4):
    threading.Thread(target=work, args=(n,), daemon=True).start()
threading.Event().wait()
""", limits={"wall": "1s", "grace": "200ms"})
        self.assertEqual(got.kind, "timeout")
        end = self.rows()[1]
        self.assertEqual(len(rows), ROWS)
        self.assertGreater(end["left_out"], 0)
        self.assertLess(os.stat(self.trace).st_size, ROWS * 640)

    def test_a_tool_answers_meanwhile(self):
        got, _ = self.traced(CALL + """
import threading
def flood():
    while True: call(101, 0, 0, 0, 0)
for _ in range(4):
    threading.Thread(target=flood, daemon=True).start()
return [echo(n=n) for n in range(20)]
""", tools={"echo": "cat"})
        self.assertEqual(got.result["value"], [{"n": n} for n in range(20)])

    def test_signals_meanwhile(self):
        """A call that a signal interrupts asks again, or says EINTR; none is
        lost, and none is answered otherwise."""
        got, rows = self.traced(CALL + """
import signal
hits = []
signal.signal(signal.SIGALRM, lambda *_: hits.append(1))
signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
answers = set()
while len(hits) < 50:
    answers.add(call(101, 0, 0, 0, 0))
signal.setitimer(signal.ITIMER_REAL, 0)
return sorted(answers - {4})
""")
        self.assertEqual(got.result["value"], [1])
        self.assertEqual([row["call"] for row in rows], ["ptrace"])


class Ends(Traced):
    def setUp(self):
        super().setUp()
        become_subreaper()
        self.addCleanup(end_survivors)

    FLOOD = CALL + """
import os, threading
def flood():
    while True: call(101, 0, 0, 0, 0)
for _ in range(4):
    threading.Thread(target=flood, daemon=True).start()
"""

    def test_killed_while_it_waits(self):
        got, rows = self.traced(self.FLOOD + """
call(62, 1, 0)
os.kill(os.getpid(), 9)
""")
        self.assertEqual(got.result["exit"]["signal"], 9)
        self.assertIn(("kill", 1), self.counts(rows))
        self.assertEqual(survivors(), [])

    def test_cancelled(self):
        meeting = self.meeting()
        process = self.start(
            self.FLOOD + "go()\nthreading.Event().wait()", "--trace",
            self.trace, tools={"go": meeting.announcer()})
        self.assertTrue(meeting.wait(1, process))
        process.terminate()
        stdout, _ = process.communicate(timeout=HANG)
        self.assertEqual(json.loads(stdout)["error"]["kind"], "cancelled")
        self.assertEqual(survivors(), [])
        # A thread may not have come to its first call yet.
        self.assertIn(self.rows()[1]["rows"], (0, 1, 2))

    def test_killed_supervisor(self):
        """Then the kernel refuses, and all of it ends."""
        meeting = self.meeting()
        process = self.start(
            self.FLOOD + "go()\nthreading.Event().wait()", "--trace",
            self.trace, tools={"go": meeting.announcer()})
        self.assertTrue(meeting.wait(1, process))
        process.kill()
        process.communicate(timeout=HANG)
        # Whatever it started is ours now, and ends by itself.
        while True:
            try:
                os.waitpid(-1, 0)
            except ChildProcessError:
                break
        self.assertEqual(survivors(), [])

    def test_exits(self):
        got, rows = self.traced(self.FLOOD + "call(62, 1, 0)\nos._exit(7)")
        self.assertEqual(got.result["exit"]["code"], 7)
        self.assertIn(("kill", 1), self.counts(rows))


class Files(Traced):
    def refused(self, path, *words, program="1 / 0", **more):
        got = run(program, "--trace", path, json=False, **more)
        self.assertEqual((got.code, got.stdout), (2, b""), got.stderr)
        for word in words:
            self.assertIn(word.encode(), got.stderr)
        self.assertEqual(got.stderr.count(b"\n"), 1)

    def test_one_that_is_there(self):
        self.write("trace", "precious")
        self.refused(self.trace, "File exists", "not there yet")
        with open(self.trace) as file:
            self.assertEqual(file.read(), "precious")

    def test_a_link(self):
        os.symlink(self.path("elsewhere"), self.trace)
        self.refused(self.trace, "File exists")
        self.assertFalse(os.path.lexists(self.path("elsewhere")))

    def test_no_place_for_it(self):
        self.refused(self.path("no/such/place"), "No such file")
        self.refused(self.directory, "exists")
        self.refused(self.path("line\nbreak/x"), "No such file")

    def test_nothing_ran(self):
        """No file is left by what was refused before a program ran."""
        got = run("1", "--trace", self.trace, python="/no/such/python")
        self.assertEqual(got.code, 127)
        got = run("1", "--trace", self.trace, "--tool", "a='", json=False)
        self.assertEqual(got.code, 2)
        self.assertEqual(os.listdir(self.directory), [])

    def test_a_program_that_fails_has_one(self):
        got, rows = self.traced("import socket\nsocket.socket()")
        self.assertEqual(got.kind, "exception")
        self.assertEqual(self.counts(rows), [("socket", 1)])

    def test_it_is_no_wish(self):
        """What a request, a policy or a profile asks for is data."""
        for name, schema in (("request", "request"), ("policy", "policy"),
                             ("profile", "profiles")):
            path = self.write(name, json.dumps(
                {"schema": "weir.%s/1" % schema, "trace": self.trace}))
            os.chmod(path, 0o644)
            got = run("1", "--%s-file" % name, path, json=False)
            self.assertEqual(got.code, 2, got.stderr)
            self.assertIn(b"trace", got.stderr)
        self.assertFalse(os.path.exists(self.trace))


class Hosts(Traced):
    """Where there is no listener to be had, nothing runs."""

    def under(self, *words, kind="isolation_unavailable"):
        done = subprocess.run(
            [str(word) for word in words] + command("--trace", self.trace) +
            ["-c", "1"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, timeout=HANG, cwd="/")
        self.assertEqual(done.returncode, 125, done.stderr)
        error = json.loads(done.stdout)["error"]
        self.assertEqual(error["kind"], kind)
        self.assertFalse(os.path.exists(self.trace))
        return error["message"]

    def deny(self, *rules, **more):
        return self.under(TOOLS / "deny", *rules, "--", **more)

    def test_another_listener(self):
        message = self.under(TOOLS / "abi", 7, "--")
        self.assertIn("stage seccomp", message)
        self.assertIn("--trace", message)
        self.assertIn("Device or resource busy", message)

    def test_no_listeners(self):
        message = self.deny("seccomp:1&8=EINVAL")
        self.assertIn("stage seccomp", message)
        self.assertIn("--trace", message)

    def test_no_way_around_it(self):
        """A weaker way to make the child is not tried for it."""
        done = subprocess.run(
            [str(TOOLS / "deny"), "seccomp:1&8=EINVAL", "--", str(WEIR),
             "run", "--level", "process", "--json", "--trace", self.trace,
             "-c", "1"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            timeout=HANG, cwd="/")
        result = json.loads(done.stdout)
        self.assertEqual(result["error"]["kind"], "isolation_unavailable")
        self.assertEqual([line for line in result["warnings"]
                          if "was not to be had" in line], [])

    @unittest.skipUnless(os.access(LAYERS, os.X_OK), "no test build")
    def test_no_filter(self):
        """A test build may leave it out, and then run whatever is left; but
        nothing without the trace that was asked for."""
        got = run("1", "--test-skip", "seccomp", "--test-run-anyway",
                  "--trace", self.trace, weir=LAYERS)
        self.assertEqual(got.kind, "isolation_unavailable")
        self.assertIn("no listener", got.result["error"]["message"])
        self.assertFalse(os.path.exists(self.trace))

    def test_no_sizes(self):
        message = self.deny("seccomp:0==3=ENOSYS", kind="setup")
        self.assertIn("listening to refused system calls", message)

    def test_no_answers(self):
        """NOTIF_RECV, then NOTIF_SEND."""
        for what in (0xc0502100, 0xc0182101):
            message = self.deny("ioctl:1==%d=EIO" % what, kind="setup")
            self.assertIn("answering a refused system call", message)


class Unconfined(Case):
    @unittest.skipUnless(LEVEL == "isolated", "once is enough")
    def test_is_a_contradiction(self):
        got = run("1", "--trace", self.path("trace"), level="none",
                  json=False)
        self.assertEqual((got.code, got.stdout), (2, b""))
        self.assertIn(b"--unconfined", got.stderr)
        self.assertEqual(os.listdir(self.directory), [])


if __name__ == "__main__":
    main()
