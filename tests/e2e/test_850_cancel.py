#!/usr/bin/env python3
"""Cancellation (S5): before the start, during it, inside a tool call and while
its result arrives, by a signal to the command, by the library and by a spent
budget. Whenever it comes, every call that was accepted has one end, and the
ledger is whole and closed."""
import json
import os
import signal
import subprocess

from weir_test import (ECHO, HANG, PYTHON, TOOLS, WEIR, Case,
                       become_subreaper, end_survivors, finish, main, rows,
                       shell, survivors)

# A tool that no signal but SIGKILL ends, nor the end of its input.
DEAF = [PYTHON, "-ISc",
        "import signal, sys\n"
        "for number in range(1, 65):\n"
        "    try: signal.signal(number, signal.SIG_IGN)\n"
        "    except (OSError, ValueError): pass\n"
        "open(sys.argv[1], 'a').write('x')\n"
        "while True: signal.pause()"]

ENDS = ("refused", "completed", "failed", "unknown")


class Cancelled(Case):
    def setUp(self):
        super().setUp()
        become_subreaper()
        self.addCleanup(end_survivors)
        self.state = self.path("state")

    def records(self, run="r"):
        done = subprocess.run(
            [str(WEIR), "log", "--state", self.state, run, "--json"],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=HANG)
        self.assertEqual(done.returncode, 0, done.stderr)
        verified = subprocess.run(
            [str(WEIR), "log", "--state", self.state, run, "--verify"],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=HANG)
        self.assertEqual(verified.returncode, 0, verified.stderr)
        return [json.loads(line) for line in done.stdout.splitlines()]

    def check_coherent(self, result, run="r"):
        """The ledger of one execution against itself and its result; its
        records."""
        records = [r for r in self.records(run)
                   if r["execution"] == result["execution"]]
        calls = {}
        for record in records[1:-1]:
            calls.setdefault(record["call"], []).append(record["event"])
        if records:
            self.assertEqual(records[0]["event"], "opened")
            self.assertEqual(records[-1]["event"], "closed")
            self.assertEqual(records[-1]["outcome"],
                             (result["error"] or {"kind": "ok"})["kind"])
        for events in calls.values():
            end = events.pop()
            self.assertIn(end, ENDS)
            self.assertEqual(events,
                             [] if end == "refused" else ["started"])
        self.assertEqual(sorted(calls), list(range(len(calls))))
        total = result["calls"]
        self.assertEqual(total["total"], len(calls))
        self.assertEqual(sum(total[end] for end in ENDS), len(calls))
        self.assertEqual(survivors(), [])
        return records

    def ends_of(self, records):
        return [(r["event"], r.get("kind")) for r in records
                if r["event"] in ENDS]


class Signals(Cancelled):
    """To the command, at a point that the row names."""

    def options(self):
        return ("--state", self.state, "--run", "r")

    def check(self, point, number):
        process = getattr(self, "at_" + point)()
        process.send_signal(number)
        got = finish(process)
        self.assertEqual(got.code, 130, got.stderr)
        self.assertEqual(got.kind, "cancelled")
        getattr(self, "after_" + point)(
            self.check_coherent(got.result), got.result)

    def at_running(self):
        meeting = self.meeting()
        process = self.start(
            "import time\nhere()\nwhile True: time.sleep(1)",
            *self.options(), tools={"here": meeting.announcer()},
            limits={"grace": 0})
        self.assertTrue(meeting.wait(1, process))
        return process

    def after_running(self, records, result):
        self.assertIn(self.ends_of(records), (
            [("completed", None)], [("failed", "cancelled")],
            [("unknown", "cancelled")]))

    def at_inside(self):
        meeting = self.meeting()
        process = self.start("wait()", *self.options(),
                             tools={"wait": meeting.tool()})
        self.assertTrue(meeting.wait(1, process))
        return process

    def after_inside(self, records, result):
        self.assertEqual(len(records), 4)
        self.assertIn(records[2]["event"], ("failed", "unknown"))
        self.assertEqual(records[2]["kind"], "cancelled")

    def at_deaf(self):
        """The tool heeds no signal; nor does the program."""
        meeting = self.meeting()
        process = self.start(
            "import signal\n"
            "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
            "while True:\n"
            "    try: wait()\n"
            "    except ToolError: pass",
            *self.options(), tools={"wait": DEAF + [meeting.arrived]},
            limits={"grace": "100ms"})
        self.assertTrue(meeting.wait(1, process))
        return process

    def after_deaf(self, records, result):
        self.after_inside([r for r in records if r.get("call") in (0, None)],
                          result)

    def at_waiting(self):
        """64 run, and 64 wait for their turn."""
        meeting = self.meeting()
        process = self.start(
            "import asyncio\n"
            "calls = [asyncio.ensure_future(wait(n=n)) for n in range(128)]\n"
            "await asyncio.gather(*calls)", *self.options(),
            tools={"wait": meeting.tool()}, limits={"grace": 0})
        self.assertTrue(meeting.wait(64, process))
        return process

    def after_waiting(self, records, result):
        ends = self.ends_of(records)
        started = [r["call"] for r in records if r["event"] == "started"]
        self.assertEqual(started, list(range(64)))
        # Those that wait may still be on their way when the end is decided;
        # what was accepted is refused, and nothing of it was started.
        self.assertEqual(set(ends[:len(ends) - 64]) - {
            ("refused", "cancelled")}, set())
        self.assertLessEqual(set(ends[-64:]), {
            ("failed", "cancelled"), ("unknown", "cancelled")})

    def at_results(self):
        """The results of 64 arrive, one after the other, as it comes."""
        meeting = self.meeting()
        process = self.start(
            "import asyncio\n"
            "await asyncio.gather(*[wait(n=n) for n in range(64)])\n"
            "while True: await asyncio.sleep(1)",
            *self.options(), tools={"wait": meeting.tool()},
            limits={"grace": 0})
        self.assertTrue(meeting.wait(64, process))
        meeting.release(64)
        return process

    def after_results(self, records, result):
        self.assertEqual(result["calls"]["total"], 64)
        self.assertLessEqual(set(self.ends_of(records)), {
            ("completed", None), ("failed", "cancelled"),
            ("unknown", "cancelled")})

    def at_files(self):
        """A file that is being written is the old one or the new one."""
        os.mkdir(self.path("d"))
        self.write("d/f", "old")
        meeting = self.meeting()
        process = self.start(
            "import asyncio\n"
            "async def write():\n"
            "    await call_tool('fs.write', {'path': 'f',"
            " 'text': 'new' * 2000000})\n"
            "await asyncio.gather(call_tool('here'), *[write()"
            " for n in range(32)])\n"
            "while True: await asyncio.sleep(1)",
            *self.options(),
            tools={"here": meeting.announcer(),
                   "fs": "files:%s:read=/:write=/" % self.path("d")},
            limits={"argument_bytes": "8M", "total_bytes": "1G",
                    "grace": 0})
        self.assertTrue(meeting.wait(1, process))
        return process

    def after_files(self, records, result):
        self.assertEqual(os.listdir(self.path("d")), ["f"])
        with open(self.path("d/f")) as file:
            text = file.read()
        self.assertIn(text, ("old", "new" * 2000000))
        completed = [r for r in records if r["event"] == "completed"
                     and r["tool"] == "fs.write"]
        self.assertEqual(text != "old", bool(completed))


rows(Signals, {
    "%s_%s" % (point, number.name): (point, number)
    for point in ("running", "inside", "deaf", "waiting", "results", "files")
    for number in (signal.SIGINT, signal.SIGTERM)})


class Early(Cancelled):
    def test_as_the_command_starts(self):
        """Whatever it has come to: there is a result or nothing at all, and
        the ledger is whole."""
        ended = 0
        for _ in range(20):
            process = self.start("echo()", "--state", self.state, "--run",
                                 "r", tools={"echo": ECHO})
            process.send_signal(signal.SIGTERM)
            stdout, stderr = process.communicate(timeout=HANG)
            if process.returncode == -signal.SIGTERM:
                # Before it took the signals for itself.
                self.assertEqual(stdout, b"")
                continue
            ended += 1
            result = json.loads(stdout)
            self.assertIn(process.returncode, (0, 130), stderr)
            if os.path.exists(os.path.join(self.state, "runs/r")):
                self.check_coherent(result)


class Library(Cancelled):
    """weir_cancel, after any number of turns of the loop."""

    def obey(self, turns, program, *words, run="r"):
        libexec = os.path.join(os.path.dirname(WEIR), "../libexec/weir")
        done = subprocess.run(
            [str(TOOLS / "obey"), libexec, PYTHON, self.state, run,
             str(turns), program, *words], stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, timeout=HANG)
        self.assertIn(done.returncode, (0, 3), done.stderr)
        return json.loads(done.stdout), done.returncode == 3

    def sweep(self, program, *words, step=1, ends=("cancelled",)):
        """Until the program ends before its turn comes."""
        turns, seen = 0, set()
        while True:
            result, early = self.obey(turns, program, *words)
            records = self.check_coherent(result)
            seen.update(self.ends_of(records))
            if early:
                break
            self.assertIn(result["error"] and result["error"]["kind"], ends)
            turns += step
        # Which of the others came depends on how fast all of it was.
        self.assertIsNone(result["error"])
        self.assertIn(("completed", None), seen)
        self.assertLessEqual(seen, {
            ("completed", None), ("refused", "cancelled"),
            ("failed", "cancelled"), ("unknown", "cancelled")})
        return turns

    def test_before_the_first_turn(self):
        result, _ = self.obey(0, "echo()", "tool:echo=/bin/cat")
        self.assertEqual(result["error"]["kind"], "cancelled")
        self.assertEqual(result["calls"]["total"], 0)
        self.assertEqual(self.records(), [])

    def test_at_every_turn(self):
        self.assertGreater(self.sweep(
            "for n in range(3): echo(n=n)", "tool:echo=/bin/cat",
            "limit:grace=0", ends=("cancelled", None)), 3)

    def test_at_every_turn_with_many_calls(self):
        """As they come, run, wait and end."""
        self.sweep(
            "import asyncio\n"
            "await asyncio.gather(*[echo(n=n) for n in range(12)])",
            "tool:echo=/bin/cat", "limit:grace=0", "limit:in_flight=3",
            step=5, ends=("cancelled", None))

    def test_at_every_turn_of_files(self):
        os.mkdir(self.path("d"))
        self.write("d/f", "x" * 1000000)
        self.sweep(
            "import asyncio\n"
            "await asyncio.gather(*[call_tool('fs.read', {'path': 'f'})"
            " for n in range(4)])\nreturn 1",
            "files:fs=" + self.path("d"), "limit:grace=0", step=7,
            ends=("cancelled", None))

    def test_by_its_own_word(self):
        """Asked for by the program itself, inside a call."""
        result, _ = self.obey(
            -1, "print('cancel', flush=True)\nwait()",
            "tool:wait=/bin/sleep 1000", "limit:grace=0")
        self.assertEqual(result["error"]["kind"], "cancelled")
        self.check_coherent(result)

    def test_a_tool_that_heeds_no_signal(self):
        self.write("mark", "")
        tool = self.write("deaf.py", DEAF[2])
        result, _ = self.obey(
            -1, "print('cancel', flush=True)\nwait()",
            "tool:wait=%s -IS %s %s" % (PYTHON, tool, self.path("mark")),
            "limit:grace=0")
        self.assertEqual(result["error"]["kind"], "cancelled")
        self.check_coherent(result)

    # --- the catalogue, as it changes (B9, B10) --------------------------

    def test_a_tool_that_is_taken_back(self):
        result, _ = self.obey(
            -1,
            "def kind_of(name):\n"
            "    try: return call_tool(name, {})\n"
            "    except ToolError as e:\n"
            "        return [e.kind, e.hard, e.message.split(': ', 1)[1]]\n"
            "first = kind_of('echo')\n"
            "print('withdraw echo', flush=True)\n"
            "while 'echo' in call_tool('list_tools'): pass\n"
            "try: call_tool('get_tool_info', {'name': 'echo'})\n"
            "except ToolError as e: info = e.kind\n"
            "return [first, kind_of('echo'), kind_of('never'), info,"
            " list(TOOLS)]",
            "tool:echo=/bin/cat", "tool:other=/bin/cat")
        first, withdrawn, never, info, tools = result["value"]
        self.assertEqual(first, {})
        self.assertEqual(withdrawn[:2], ["not_offered", False])
        self.assertEqual(withdrawn, never)
        self.assertEqual(info, "not_found")
        # What it was told at its start stays what it was told.
        self.assertEqual(tools, ["echo", "other"])
        records = self.check_coherent(result)
        mine = [r for r in records if r.get("tool") == "echo"]
        self.assertEqual([r["event"] for r in mine],
                         ["started", "completed", "refused"])
        self.assertEqual(mine[2]["kind"], "not_offered")

    def test_a_tool_that_came_later(self):
        """Offered are the tools that were there at the start; the next
        execution has it."""
        result, _ = self.obey(
            -1,
            "print('offer late', flush=True)\n"
            "import time\n"
            "for n in range(3): echo()\n"
            "try: call_tool('late')\n"
            "except ToolError as e: kind = e.kind\n"
            "return [kind, list(TOOLS), call_tool('list_tools')]",
            "tool:echo=/bin/cat")
        self.assertEqual(result["value"], [
            "not_offered", ["echo"], ["echo"]])
        self.check_coherent(result)

    def test_a_tool_that_is_marked_meanwhile(self):
        result, _ = self.obey(
            -1,
            "def kind_of(name):\n"
            "    try: return call_tool(name, {})\n"
            "    except ToolError as e: return e.kind\n"
            "got = [kind_of('a'), kind_of('b')]\n"
            "print('approve a\\nsuspend b', flush=True)\n"
            "while len(call_tool('get_tool_info', {'name': 'b'})) < 3: pass\n"
            "return got + [kind_of('a'), kind_of('b')]",
            "tool:a=/bin/cat", "tool:b=/bin/cat")
        self.assertEqual(result["value"], [
            {}, {}, "approval_required", "input_required"])
        self.check_coherent(result)


class Budgets(Cancelled):
    def test_spent_with_calls_under_way(self):
        """What was paid for before goes on; what came after is refused, and
        nothing is left without an end."""
        meeting = self.meeting()
        process = self.start(
            "import asyncio\n"
            "async def one(n):\n"
            "    try: return await wait(n=n)\n"
            "    except ToolError as error: return error.kind\n"
            "return await asyncio.gather(*[one(n) for n in range(12)])",
            "--state", self.state, "--run", "r",
            tools={"wait": meeting.tool()},
            limits={"calls": 8, "in_flight": 4})
        self.assertTrue(meeting.wait(4, process))
        meeting.release(8)
        got = finish(process)
        self.assertEqual(got.result["value"],
                         [1] * 8 + ["budget_spent"] * 4)
        records = self.check_coherent(got.result)
        self.assertEqual(sorted(self.ends_of(records), key=str), sorted(
            [("completed", None)] * 8 + [("refused", "budget_spent")] * 4,
            key=str))

    def test_spent_and_then_cancelled(self):
        meeting = self.meeting()
        process = self.start(
            "import asyncio\n"
            "await asyncio.gather(*[wait(n=n) for n in range(12)],"
            " return_exceptions=True)",
            "--state", self.state, "--run", "r",
            tools={"wait": meeting.tool()},
            limits={"calls": 8, "in_flight": 4, "grace": 0})
        self.assertTrue(meeting.wait(4, process))
        process.send_signal(signal.SIGTERM)
        got = finish(process)
        self.assertEqual(got.kind, "cancelled")
        records = self.check_coherent(got.result)
        self.assertLessEqual(set(self.ends_of(records)), {
            ("refused", "budget_spent"), ("refused", "cancelled"),
            ("failed", "cancelled"), ("unknown", "cancelled")})


if __name__ == "__main__":
    main()
