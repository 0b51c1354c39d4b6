#!/usr/bin/env python3
"""Every end is the same end: nothing is left, whoever dies, and when."""
import fcntl
import os
import select
import signal
import subprocess

from weir_test import (ECHO, HANG, IS_ROOT, Watched, command, finish, main,
                       mounts, processes_named, rows, shell, stop, survivors,
                       wait_for_orphans)

# Seconds, and a mark that no other user's run of this file has.
LONG = "98765%d" % os.getpid()
# Shell words of a tool that leaves processes behind in every way it knows.
STRAYS = """
(exec sleep LONG &)
setsid sleep LONG </dev/null >/dev/null 2>&1 &
(trap '' TERM HUP INT; setsid sh -c 'trap "" TERM; while :; do sleep LONG;
 done' >/dev/null 2>&1 &) &
nohup sleep LONG >/dev/null 2>&1 &
""".replace("LONG", LONG)


def children_of(pid):
    with open("/proc/%d/task/%d/children" % (pid, pid)) as file:
        return [int(word) for word in file.read().split()]


class Ends(Watched):
    """watch() looks for leftovers of each of these."""

    def check(self, kind, program, limits=None):
        got = self.watch(
            "open('{0}', 'w').close(); open('/dev/shm/{0}', 'w').close()\n"
            .format(self.mark) + program,
            limits=dict({"wall": 60, "grace": "100ms"}, **(limits or {})),
            tools={"echo": ECHO, "strays": shell(STRAYS + "echo 1"),
                   "stuck": shell(STRAYS + "sleep " + LONG),
                   "fails": shell(STRAYS + "exit 1"),
                   "dies": shell(STRAYS + "kill -9 $$")})
        self.assertEqual(got.kind, kind, got.result["error"])
        self.assertEqual(processes_named(LONG), [])


rows(Ends, {
    "value": (None, "5"),
    "exception": ("exception", "1 / 0"),
    "exit": ("worker_exit", "import os\nos._exit(3)"),
    "signal": ("worker_exit", "import os\nos.kill(os.getpid(), 9)"),
    "violation": ("protocol_violation", "import os\nos.write(3, b'{x\\n')\n"
                  "while True: pass"),
    "tool_with_strays": (None, "strays()"),
    "failing_tool_with_strays": (
        None, "try: fails()\nexcept ToolError: pass"),
    "dying_tool_with_strays": (None, "try: dies()\nexcept ToolError: pass"),
    "exit_during_a_call": (
        "worker_exit",
        "import threading, os\n"
        "threading.Thread(target=stuck, daemon=True).start()\n"
        "echo()\nos._exit(3)"),
    "value_during_a_call": (
        None, "import threading\n"
        "threading.Thread(target=stuck, daemon=True).start()\necho(); 5"),
    "wall": ("timeout", "while True: pass", {"wall": "500ms"}),
    "wall_in_a_tool": ("timeout", "stuck()", {"wall": "500ms"}),
    "wall_stopped": ("timeout", "import os\nos.kill(os.getpid(), 19)",
                     {"wall": "500ms"}),
    "cpu": ("timeout", "while True: pass", {"cpu": 1}),
})


class Killed(Watched):
    """SIGKILL to the command, which can clean up nothing any more."""

    def tools(self, meeting):
        return {"echo": ECHO, "meet": meeting.announcer(),
                "stuck": shell(STRAYS + 'echo x >"$1"; sleep ' + LONG,
                               meeting.arrived)}

    def killed(self, process):
        process.kill()
        process.wait()
        self.assertTrue(wait_for_orphans(), survivors())
        self.assertEqual(processes_named(LONG), [])

    def test_while_the_program_runs(self):
        before = mounts()
        meeting = self.meeting()
        process = self.start(
            "meet()\nimport signal\n"
            "signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))\n"
            "while True: pass", tools=self.tools(meeting))
        self.assertTrue(meeting.wait(1, process))
        self.assertNotEqual(children_of(process.pid), [])
        self.killed(process)
        self.assertEqual(mounts(), before)

    def test_while_a_tool_runs(self):
        meeting = self.meeting()
        process = self.start("stuck()", tools=self.tools(meeting))
        self.assertTrue(meeting.wait(1, process))
        self.killed(process)

    def test_while_many_tools_run(self):
        meeting = self.meeting()
        process = self.start(
            "import asyncio\n"
            "await asyncio.gather(*[stuck() for _ in range(8)])",
            tools=self.tools(meeting))
        self.assertTrue(meeting.wait(8, process))
        self.killed(process)

    def test_at_any_moment(self):
        """From the first instructions of the command to its last; every
        second time a tool with strays is running, if it got so far."""
        meeting = self.meeting()
        programs = ["echo(n=1)\nmeet()\necho(n=2)", "stuck()"]
        before = mounts()
        for turn in range(500 if IS_ROOT else 100):
            process = self.start(programs[turn % 2],
                                 tools=self.tools(meeting))
            end = os.pidfd_open(process.pid)
            # Not waiting for anything: a moment that comes as it comes.
            select.select([end], [], [], turn // 2 % 50 * 0.0015)
            os.close(end)
            self.killed(process)
            stop(process)
        self.assertEqual(mounts(), before)


class Process1(Watched):
    """Somebody ends parts of the tree from outside."""

    def test_killed(self):
        meeting = self.meeting()
        process = self.start("wait()", tools={"wait": meeting.tool()})
        self.assertTrue(meeting.wait(1, process))
        victims = [pid for pid in children_of(process.pid)
                   if self.is_child(pid)]
        self.assertEqual(len(victims), 1)
        os.kill(victims[0], signal.SIGKILL)
        got = finish(process)
        self.assertIn(got.kind, ("setup", "worker_exit"))
        self.assertFalse(got.result["ok"])
        self.assertEqual(survivors(), [])

    def is_child(self, pid):
        """Whether it is in another user namespace, so no guardian."""
        with open("/proc/%d/status" % pid) as file:
            ns = [line for line in file if line.startswith("NSpid:")]
        return len(ns[0].split()) > 2

    def test_interpreter_killed(self):
        meeting = self.meeting()
        process = self.start("wait()", tools={"wait": meeting.tool()})
        self.assertTrue(meeting.wait(1, process))
        first = [pid for pid in children_of(process.pid)
                 if self.is_child(pid)][0]
        os.kill(children_of(first)[0], signal.SIGKILL)
        got = finish(process)
        self.assertEqual((got.code, got.kind), (137, "worker_exit"))
        self.assertEqual(got.result["exit"]["signal"], 9)
        self.assertEqual(survivors(), [])

    def test_guardian_killed(self):
        """The tool goes with its guardian, and the program goes on."""
        meeting = self.meeting()
        process = self.start(
            "try: wait()\nexcept ToolError as error: return error.kind",
            tools={"wait": meeting.tool()})
        self.assertTrue(meeting.wait(1, process))
        guardians = [pid for pid in children_of(process.pid)
                     if not self.is_child(pid)]
        self.assertEqual(len(guardians), 1)
        os.kill(guardians[0], signal.SIGKILL)
        got = finish(process)
        self.assertEqual(got.result["value"], "failed")
        # What a guardian leaves that was killed by force is not promised.
        survivors()

    def test_guardian_that_is_late(self):
        """A host under load: its guardian gets no time until weir is gone.
        """
        meeting = self.meeting()
        process = self.start("stuck()", tools={"stuck": shell(
            STRAYS + 'echo x >"$1"; sleep ' + LONG, meeting.arrived)})
        self.assertTrue(meeting.wait(1, process))
        guardian = [pid for pid in children_of(process.pid)
                    if not self.is_child(pid)][0]
        os.kill(guardian, signal.SIGSTOP)
        process.send_signal(signal.SIGTERM)
        self.assertEqual(finish(process).code, 130)
        try:
            os.kill(guardian, signal.SIGCONT)
        except ProcessLookupError:
            pass
        late = processes_named(LONG) if not os.path.exists(
            "/proc/%d" % guardian) else []
        if late:
            survivors()
        self.assertEqual(late, [], "its guardian is gone, and they are not")
        self.assertTrue(wait_for_orphans())
        self.assertEqual(processes_named(LONG), [])


class Signals(Watched):
    def test_while_it_starts(self):
        for turn in range(20):
            process = self.start("while True: pass", limits={"wall": 60})
            end = os.pidfd_open(process.pid)
            select.select([end], [], [], turn * 0.003)
            os.close(end)
            process.send_signal(signal.SIGTERM)
            got = finish(process)
            # Before it looks at signals it dies of them.
            self.assertIn(got.code, (130, -signal.SIGTERM))
            if got.code == 130:
                self.assertEqual(got.kind, "cancelled")
            self.assertEqual(survivors(), [])

    def test_twice_in_a_row(self):
        meeting = self.meeting()
        process = self.start("wait()", tools={"wait": meeting.tool()})
        self.assertTrue(meeting.wait(1, process))
        for _ in range(5):
            process.send_signal(signal.SIGINT)
        got = finish(process)
        self.assertEqual((got.code, got.kind), (130, "cancelled"))
        self.assertEqual(survivors(), [])

    def test_that_the_caller_ignores(self):
        """A caller that reaps by itself or ignores SIGCHLD changes nothing.
        """
        got = subprocess.run(
            ["sh", "-c", "trap '' CHLD HUP PIPE; exec \"$@\"", "sh"] +
            command(tools={"echo": ECHO}) + ["-c", "echo(n=7)['n']"],
            stdout=subprocess.PIPE, timeout=HANG)
        self.assertIn(b'"value":7', got.stdout)

    def test_blocked_by_the_caller(self):
        mask = signal.pthread_sigmask(signal.SIG_BLOCK,
                                      signal.valid_signals())
        try:
            process = self.start("import signal\n"
                                 "return len(signal.pthread_sigmask("
                                 "signal.SIG_BLOCK, []))")
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        self.assertEqual(finish(process).result["value"], 0)


class Callers(Watched):
    """What the caller's own descriptors look like afterwards."""

    def test_flags_of_the_streams(self):
        for streams in (self.pipes, self.files):
            fds = streams()
            before = [fcntl.fcntl(fd, fcntl.F_GETFL) for fd in fds]
            for as_json in (True, False):
                process = self.start(
                    "import os\nos.write(1, b'o'); os.write(2, b'e')",
                    stdin=fds[0], stdout=fds[1], stderr=fds[2], json=as_json)
                self.assertEqual(process.wait(HANG), 0)
            self.assertEqual(
                [fcntl.fcntl(fd, fcntl.F_GETFL) for fd in fds], before)

    def pipes(self):
        fds = []
        for _ in range(3):
            pair = os.pipe()
            for fd in pair:
                self.addCleanup(os.close, fd)
            fds.append(pair[len(fds) > 0])
        return fds

    def files(self):
        fds = []
        for n in range(3):
            fd = os.open(self.path("stream%d" % n), os.O_RDWR | os.O_CREAT)
            self.addCleanup(os.close, fd)
            fds.append(fd)
        return fds

    def test_append(self):
        """Output goes behind what is there."""
        with open(self.path("log"), "ab") as log:
            log.write(b"before\n")
            log.flush()
            process = self.start("print('after')", stdout=log, json=False)
            self.assertEqual(process.wait(HANG), 0)
        with open(self.path("log"), "rb") as log:
            self.assertEqual(log.read(), b"before\nafter\n")


class AtOnce(Watched):
    def test_many_executions(self):
        before = mounts()
        processes = [self.start("echo(n=%d)['n']" % n, tools={"echo": ECHO})
                     for n in range(16)]
        values = [finish(process).result["value"] for process in processes]
        self.assertEqual(values, list(range(16)))
        self.assertEqual(survivors(), [])
        self.assertEqual(mounts(), before)

    def test_workspaces_are_private(self):
        meeting = self.meeting()
        program = ("import os\nopen('mine-%d', 'w').close()\n"
                   "open('/dev/shm/mine-%d', 'w').close()\nwait()\n"
                   "return os.listdir('.') + os.listdir('/dev/shm')")
        processes = [self.start(program % (n, n),
                                tools={"wait": meeting.tool()})
                     for n in range(3)]
        self.assertTrue(meeting.wait(3, processes[0]))
        meeting.release(3)
        for n, process in enumerate(processes):
            self.assertEqual(finish(process).result["value"],
                             ["mine-%d" % n] * 2)


if __name__ == "__main__":
    main()
