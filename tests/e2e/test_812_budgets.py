#!/usr/bin/env python3
"""The meters of tool calls: each at its limit and one past it, what a program
sees of them (BUDGET), what a spent one ends, and what a Run has spent when its
supervisors die."""
import json
import subprocess

from weir_test import (ECHO, HANG, PYTHON, WEIR, Case, become_subreaper,
                       end_survivors, finish, main, run, shell)

# Calls a tool and says how it ended: the value, or the kind and whether every
# later call will fail as well.
CAUGHT = """
def caught(tool, **arguments):
    try:
        return call_tool_sync(tool, arguments)
    except ToolError as error:
        return [error.kind, error.hard]
"""
LEFT = ("[BUDGET.calls, BUDGET.total_bytes, BUDGET.produced_bytes, "
        "BUDGET.kept_bytes, BUDGET.total_tool_time]")
SPENT = ["budget_spent", True]

# A JSON string of n bytes, quotes included.
GIVE = [PYTHON, "-ISc",
        "import json, sys\n"
        "n = json.load(sys.stdin)['n']\n"
        "sys.stdout.write('\"' + 'x' * (n - 2) + '\"')"]
ARGUMENTS = len('{"n":10}')


class Metered(Case):
    def effect(self, answer="1"):
        """A tool that leaves a line for each time it has run."""
        return shell('echo x >>"$1"; echo "$2"', self.path("effects"), answer)

    def effects(self):
        try:
            with open(self.path("effects")) as effects:
                return len(effects.readlines())
        except FileNotFoundError:
            return 0

    def check(self, result, spent, **used):
        budget = dict(result["budget"])
        self.assertEqual(budget.pop("spent"), spent)
        for name, number in used.items():
            self.assertEqual(budget[name]["used"], number, name)
        return budget


class Meters(Metered):
    def test_calls(self):
        result = self.succeeds(
            CAUGHT + "return [caught('up') for n in range(5)]",
            tools={"up": self.effect()}, limits={"calls": 3})
        self.assertEqual(result["value"], [1, 1, 1, SPENT, SPENT])
        self.check(result, "calls", calls=3)
        self.assertEqual(self.effects(), 3)

    def test_no_calls(self):
        result = self.succeeds(
            CAUGHT + "return [caught('up'), BUDGET.calls]",
            tools={"up": self.effect()}, limits={"calls": 0})
        self.assertEqual(result["value"], [SPENT, 0])
        self.assertEqual(self.effects(), 0)

    def transfer(self, total):
        return self.succeeds(
            CAUGHT + "return [len(caught('give', n=10)), caught('give', n=10),"
            " BUDGET.total_bytes]",
            tools={"give": GIVE}, limits={"total_bytes": total})

    def test_transferred(self):
        twice = 2 * (ARGUMENTS + 10)
        result = self.transfer(twice)
        self.assertEqual(result["value"], [8, "x" * 8, 0])
        self.check(result, None, total_bytes=twice)
        # Its arguments fit and its result does not: it has run, and nothing
        # of what it gave is delivered.
        result = self.transfer(twice - 1)
        self.assertEqual(result["value"], [8, SPENT, 9])
        self.check(result, "total_bytes", total_bytes=twice - 10,
                   produced_bytes=20)
        self.assertEqual(result["calls"]["list"][1]["state"], "failed")
        # Its arguments do not.
        result = self.transfer(ARGUMENTS + 10 + ARGUMENTS - 1)
        self.assertEqual(result["value"], [8, SPENT, ARGUMENTS - 1])
        self.check(result, "total_bytes", total_bytes=ARGUMENTS + 10,
                   produced_bytes=10, calls=1)
        self.assertEqual(result["calls"]["list"][1]["state"], "refused")

    def test_produced(self):
        program = CAUGHT + (
            "ends = [caught('give', n=n) for n in (%s)]\n"
            "return [ends, BUDGET.produced_bytes]")
        result = self.succeeds(program % "10, 10", tools={"give": GIVE},
                               limits={"produced_bytes": 20})
        self.assertEqual(result["value"], [["x" * 8] * 2, 0])
        self.check(result, None, produced_bytes=20)
        result = self.succeeds(program % "10, 11, 2", tools={"give": GIVE},
                               limits={"produced_bytes": 20})
        self.assertEqual(result["value"], [["x" * 8, SPENT, SPENT], 10])
        self.check(result, "produced_bytes", produced_bytes=10, calls=2,
                   total_bytes=2 * ARGUMENTS + 10)

    def test_produced_and_not_delivered(self):
        """Too large, no JSON, a failure, and one that is kept."""
        result = self.succeeds(
            CAUGHT + "ends = [caught('give', n=101), caught('bad')]\n"
            "return [ends, (1 << 20) - BUDGET.produced_bytes]",
            tools={"give": GIVE, "bad": shell("printf '{{{'; exit 1")},
            limits={"produced_bytes": "1M", "result_bytes": 100,
                    "kept_bytes": 0})
        self.assertEqual(result["value"], [
            [["result_too_large", False], ["failed", False]], 104])
        self.check(result, None, produced_bytes=104)
        result = self.succeeds(
            CAUGHT + "return caught('give', n=101).size",
            tools={"give": GIVE}, limits={"result_bytes": 100})
        self.assertEqual(result["value"], 99)
        self.check(result, None, produced_bytes=101, kept_bytes=99,
                   total_bytes=len('{"n":101}'))

    def test_what_is_read_of_a_handle_was_produced_before(self):
        result = self.succeeds(
            "h = give(n=101)\nreturn h.read(0, 10)",
            tools={"give": GIVE},
            limits={"result_bytes": 100, "produced_bytes": 101})
        self.assertEqual(result["value"], "x" * 10)
        self.check(result, None, produced_bytes=101)

    def test_preserved(self):
        """At its limit and one past it; soft, since nothing else is over."""
        program = CAUGHT + ("first = caught('give', n=102).size\n"
                            "left = BUDGET.kept_bytes\n"
                            "second = caught('give', n=%d)\n"
                            "return [first, left, second if type(second) is "
                            "list else second.size, BUDGET.kept_bytes]")
        limits = {"result_bytes": 100, "kept_bytes": 100 + 102}
        result = self.succeeds(program % 102, tools={"give": GIVE},
                               limits=limits)
        self.assertEqual(result["value"], [100, 102, 100, 2])
        self.check(result, None, kept_bytes=200)
        result = self.succeeds(program % 103, tools={"give": GIVE},
                               limits=limits)
        self.assertEqual(result["value"], [
            100, 102, ["binding_result_not_paged", False], 102])
        self.check(result, None, kept_bytes=100, produced_bytes=205)

    def test_tool_time_of_all(self):
        """Two at a time use it twice as fast; both are cancelled then."""
        result = self.succeeds(
            "import asyncio\n"
            "async def one():\n"
            "    try:\n"
            "        return await slow()\n"
            "    except ToolError as error:\n"
            "        return [error.kind, error.hard, 'total_tool_time' in"
            " error.message]\n"
            "ends = await asyncio.gather(one(), one())\n"
            "return [ends, await one(), BUDGET.total_tool_time, BUDGET.calls]",
            tools={"slow": shell('echo x >>"$1"; exec sleep 1000',
                                 self.path("effects"))},
            limits={"total_tool_time": "3s", "wall": HANG // 2})
        self.assertEqual(result["value"], [[SPENT + [True]] * 2,
                                           SPENT + [True], 0, 0])
        budget = self.check(result, "total_tool_time", calls=2)
        self.assertEqual(budget["total_tool_time_ms"]["limit"], 3000)
        self.assertGreaterEqual(budget["total_tool_time_ms"]["used"], 2998)
        self.assertEqual([call["kind"] for call in result["calls"]["list"]],
                         ["budget_spent"] * 3)
        self.assertEqual(result["calls"]["refused"], 1)
        self.assertEqual(self.effects(), 2)

    def test_tool_time_is_added_up(self):
        """What earlier calls have used is missing later."""
        result = self.succeeds(
            CAUGHT + "return [caught('nap'), caught('slow')]",
            tools={"nap": shell("sleep 0.2; echo 1"),
                   "slow": shell("exec sleep 1000")},
            limits={"total_tool_time": "2s", "wall": HANG // 2})
        self.assertEqual(result["value"], [1, SPENT])
        nap, slow = result["calls"]["list"]
        self.assertGreaterEqual(nap["ms"], 199)
        self.assertGreaterEqual(nap["ms"] + slow["ms"], 1998)

    def test_in_flight_is_a_window(self):
        """One more than fits waits, and is no error."""
        meeting = self.meeting()
        process = self.start(
            "import asyncio\n"
            "return await asyncio.gather(*[wait(n=n) for n in range(3)])",
            tools={"wait": meeting.tool()},
            limits={"in_flight": 2, "wall": 100})
        self.assertTrue(meeting.wait(2, process))
        self.assertEqual(meeting.pending(), 0)
        meeting.release(1)
        self.assertTrue(meeting.wait(1, process))
        meeting.release(2)
        stdout, _ = process.communicate(timeout=HANG)
        self.assertEqual(json.loads(stdout)["value"], [1, 1, 1])

    def test_denied_calls_are_charged(self):
        """Before their names are looked at."""
        result = self.succeeds(
            CAUGHT + "for n in range(3): caught('nobody', n=10)\n"
            "return [BUDGET.calls, BUDGET.total_bytes, caught('nobody')]",
            limits={"calls": 3, "total_bytes": 100})
        self.assertEqual(result["value"], [0, 100 - 3 * ARGUMENTS, SPENT])
        self.check(result, "calls", calls=3, total_bytes=3 * ARGUMENTS)

    def test_what_was_not_asked_for(self):
        result = self.succeeds("return " + LEFT)
        self.assertEqual(result["value"], [
            1000, 64 << 20, 128 << 20, 64 << 20, 86400.0])
        self.assertEqual(result["budget"], {
            "calls": {"used": 0, "limit": 1000},
            "total_bytes": {"used": 0, "limit": 64 << 20},
            "produced_bytes": {"used": 0, "limit": 128 << 20},
            "kept_bytes": {"used": 0, "limit": 64 << 20},
            "total_tool_time_ms": {"used": 0, "limit": 86400000},
            "run_calls": None, "run_bytes": None, "spent": None})


class Visible(Metered):
    """BUDGET: what the host has said last, and decides nothing by."""

    def test_after_each_call(self):
        value = self.value(
            "seen = [%s]\n"
            "for n in range(2):\n"
            "    give(n=10)\n"
            "    seen.append(%s)\n"
            "return seen" % (LEFT, LEFT), tools={"give": GIVE},
            limits={"calls": 5, "total_bytes": 1000, "produced_bytes": 2000,
                    "kept_bytes": 3000, "total_tool_time": "1h"})
        self.assertEqual([left[:4] for left in value], [
            [5 - n, 1000 - 18 * n, 2000 - 10 * n, 3000] for n in range(3)])
        times = [left[4] for left in value]
        self.assertEqual(times[0], 3600)
        self.assertTrue(3600 > times[1] > times[2] > 0, times)

    def test_calls_on_their_way_are_spent(self):
        """Also before any of them is answered."""
        meeting = self.meeting()
        process = self.start(
            "import asyncio\n"
            "calls = [asyncio.create_task(wait(n=n)) for n in range(3)]\n"
            "await asyncio.sleep(0)\n"
            "seen = [BUDGET.calls]\n"
            "await asyncio.gather(*calls)\n"
            "return seen + [BUDGET.calls]",
            tools={"wait": meeting.tool()}, limits={"calls": 9, "wall": 100})
        self.assertTrue(meeting.wait(3, process))
        meeting.release(3)
        stdout, _ = process.communicate(timeout=HANG)
        self.assertEqual(json.loads(stdout)["value"], [6, 6])

    def test_in_threads(self):
        value = self.value(
            "from multiprocessing.pool import ThreadPool\n"
            "def one(n):\n"
            "    echo(n=n)\n"
            "    return BUDGET.calls\n"
            "seen = ThreadPool(8).map(one, range(40))\n"
            "return [max(seen) < 50, min(seen) >= 10, BUDGET.calls]",
            tools={"echo": ECHO}, limits={"calls": 50})
        self.assertEqual(value, [True, True, 10])

    def test_of_handles_and_errors(self):
        """Every kind of reply tells."""
        value = self.value(
            CAUGHT + "h = give(n=101)\n"
            "seen = [BUDGET.kept_bytes]\n"
            "caught('nobody')\n"
            "return seen + [BUDGET.calls]", tools={"give": GIVE},
            limits={"result_bytes": 100, "kept_bytes": 1000, "calls": 7})
        self.assertEqual(value, [1000 - 99, 5])

    def test_nothing_is_decided_by_it(self):
        """Whatever the program makes of it."""
        result = self.succeeds(
            CAUGHT + "ends = []\n"
            "try: BUDGET.calls = 100\n"
            "except AttributeError: ends.append('fixed')\n"
            "class BUDGET: calls = 100\n"
            "return ends + [caught('up'), caught('up'), BUDGET.calls]",
            tools={"up": self.effect()}, limits={"calls": 1})
        self.assertEqual(result["value"], ["fixed", 1, SPENT, 100])

    def test_it_can_be_printed(self):
        value = self.value("return repr(BUDGET)", limits={"calls": 5})
        self.assertIn("calls 5", value)
        self.assertIn("total_tool_time 86400.0 s", value)

    def test_the_name_is_reserved(self):
        value = self.value(
            "return [BUDGET.calls, call_tool('BUDGET', {'a': 1}), TOOLS]",
            tools={"BUDGET": ECHO}, limits={"calls": 5})
        self.assertEqual(value, [5, {"a": 1}, ["BUDGET"]])

    def test_in_a_program_that_awaits(self):
        value = self.value(
            "seen = [BUDGET.calls]\nawait echo()\nreturn seen + [BUDGET.calls]",
            tools={"echo": ECHO}, limits={"calls": 5})
        self.assertEqual(value, [5, 4])


class Halting(Metered):
    """--halt-on-exhaust: the end instead of an error."""

    PROGRAM = ("print('before', flush=True)\n"
               "for n in range(9):\n"
               "    try: up()\n"
               "    except ToolError: print('learnt', flush=True)\n")

    def check_halted(self, got, limit):
        result = got.result
        self.assertEqual(got.kind, "budget_exhausted", result)
        self.assertEqual(got.code, 1)
        self.assertEqual(result["limit_hit"], limit)
        self.assertEqual(result["budget"]["spent"], limit)
        self.assertIn(limit, result["error"]["message"])
        self.assertIs(result["error"]["claim"], False)
        self.assertEqual(result["stdout"], "before\n")
        self.assertEqual(result["exit"]["by"], "host")
        return result

    def halted(self, limit, amount, *options, **more):
        got = run(self.PROGRAM, "--halt-on-exhaust", *options,
                  tools={"up": self.effect()}, limits={limit: amount}, **more)
        return self.check_halted(got, limit)

    def test_calls(self):
        result = self.halted("calls", 3)
        self.assertEqual(self.effects(), 3)
        self.assertEqual([call["state"] for call in result["calls"]["list"]],
                         ["completed"] * 3 + ["refused"])

    def test_transferred(self):
        self.halted("total_bytes", 3 * 2 + 2 + 1)
        self.assertEqual(self.effects(), 3)

    def test_produced(self):
        result = self.halted("produced_bytes", 3)
        self.assertEqual(self.effects(), 4)
        last = result["calls"]["list"][-1]
        self.assertEqual((last["state"], last["kind"]),
                         ("failed", "budget_spent"))

    def test_time(self):
        got = run("print('before', flush=True)\nslow()\nprint('learnt')",
                  "--halt-on-exhaust",
                  tools={"slow": shell("exec sleep 1000")},
                  limits={"total_tool_time": "200ms", "wall": HANG // 2})
        self.check_halted(got, "total_tool_time")

    def test_of_a_run(self):
        options = ["--state", self.path("state"), "--run", "r"]
        self.succeeds("up()", *options, tools={"up": self.effect()})
        self.halted("run_calls", 3, *options)
        self.assertEqual(self.effects(), 3)

    def test_what_waits_is_refused(self):
        """A fan-out that is over ends with what had begun."""
        result = run(
            "import asyncio\n"
            "await asyncio.gather(*[up() for n in range(23)])",
            "--halt-on-exhaust", tools={"up": self.effect()},
            limits={"calls": 16, "in_flight": 4}).result
        self.assertEqual(result["error"]["kind"], "budget_exhausted")
        calls = result["calls"]
        # 16 was one too many; nobody read on then.
        self.assertEqual(calls["total"], 17)
        self.assertGreaterEqual(calls["refused"], 1)
        self.assertLessEqual(self.effects(), 17 - calls["refused"])

    def test_a_program_that_ignores_the_signal(self):
        got = run("import signal\n"
                  "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
                  "print('before', flush=True)\n"
                  "up()\n"
                  "while True:\n"
                  "    try: up()\n"
                  "    except ToolError: print('learnt', flush=True)\n",
                  "--halt-on-exhaust", tools={"up": self.effect()},
                  limits={"calls": 1, "grace": "100ms", "wall": HANG // 2})
        self.check_halted(got, "calls")

    def test_a_program_that_does_not_meet_it(self):
        result = self.succeeds("return up()", "--halt-on-exhaust",
                               tools={"up": self.effect()},
                               limits={"calls": 1})
        self.assertEqual(result["value"], 1)
        self.assertIsNone(result["budget"]["spent"])

    def test_it_takes_no_value(self):
        got = run("1", "--halt-on-exhaust=yes")
        self.assertEqual(got.code, 2)


class Texts(Metered):
    """Profiles, policies and requests."""

    def text(self, schema, **members):
        if schema == "profiles":
            members = {"profiles": {"default": members}}
        return self.write(schema + ".json", json.dumps(
            dict(members, schema="weir.%s/1" % schema)))

    OPTIONS = {"profiles": "--profile-file", "policy": "--policy-file",
               "request": "--request-file"}

    def test_halt_on_exhaust(self):
        for schema, option in self.OPTIONS.items():
            with self.subTest(schema):
                self.fails("budget_exhausted", "while True: up()", option,
                           self.text(schema, halt_on_exhaust=True),
                           tools={"up": self.effect()}, limits={"calls": 2})

    def test_nobody_takes_it_back(self):
        """False is what saying nothing is."""
        self.fails("budget_exhausted", "while True: up()",
                   "--profile-file", self.text("profiles",
                                               halt_on_exhaust=True),
                   "--policy-file", self.text("policy", halt_on_exhaust=False),
                   "--request-file", self.text("request",
                                               halt_on_exhaust=False),
                   tools={"up": self.effect()}, limits={"calls": 2})

    def test_limits(self):
        """Each narrows, and nobody widens."""
        names = {"produced_bytes": 1000, "total_tool_time": 60,
                 "run_bytes": 5000}
        result = self.succeeds(
            "return " + LEFT,
            "--state", self.path("state"), "--run", "r",
            "--profile-file", self.text("profiles", limits=names),
            "--policy-file", self.text("policy", limits={
                "produced_bytes": 500, "run_bytes": "1M"}),
            "--request-file", self.text("request", limits={
                "total_tool_time": "2h", "produced_bytes": 900}))
        budget = result["budget"]
        self.assertEqual(budget["produced_bytes"]["limit"], 500)
        self.assertEqual(budget["total_tool_time_ms"]["limit"], 60000)
        self.assertEqual(budget["run_bytes"]["limit"], 5000)
        self.assertEqual(result["value"][2:],
                         [500, 5000, 60])
        self.assertIn("limit total_tool_time: clamped from 2h (request) to "
                      "60s (deployment)", result["warnings"])


class Runs(Metered):
    """What a Run has spent is what its ledger says."""

    def setUp(self):
        super().setUp()
        become_subreaper()
        self.addCleanup(end_survivors)

    def options(self, run="r"):
        return ["--state", self.path("state"), "--run", run]

    def test_what_is_left_of_it(self):
        """Beside that of the execution: the less of the two."""
        limits = {"run_calls": 5, "run_bytes": 1000, "calls": 4}
        program = ("seen = [[BUDGET.calls, BUDGET.total_bytes]]\n"
                   "give(n=10)\n"
                   "return seen + [[BUDGET.calls, BUDGET.total_bytes]]")
        first = self.succeeds(program, *self.options(),
                              tools={"give": GIVE}, limits=limits)
        self.assertEqual(first["value"], [[4, 1000], [3, 982]])
        second = self.succeeds(program, *self.options(),
                               tools={"give": GIVE}, limits=limits)
        self.assertEqual(second["value"], [[4, 982], [3, 964]])
        third = self.succeeds(program, *self.options(),
                              tools={"give": GIVE}, limits=limits)
        self.assertEqual(third["value"], [[3, 964], [2, 946]])
        self.check(third, None, run_calls=3, run_bytes=54, calls=1)

    def test_bytes_that_others_spend_while_a_tool_runs(self):
        limits = {"run_bytes": 100, "wall": HANG // 2}
        meeting = self.meeting()
        first = self.start(CAUGHT + "return caught('wait')", *self.options(),
                           tools={"wait": meeting.tool('"%s"' % ("x" * 38))},
                           limits=limits)
        self.assertTrue(meeting.wait(1, first))
        self.succeeds("give(n=70)", *self.options(), tools={"give": GIVE},
                      limits=limits)
        meeting.release(1)
        result = finish(first).result
        self.assertEqual(result["value"], SPENT, result["error"])
        self.check(result, "run_bytes")

    def test_bytes_at_the_limit_and_one_past_it(self):
        program = CAUGHT + "return caught('give', n=10)"
        limits = {"run_bytes": 2 * (ARGUMENTS + 10)}
        for _ in range(2):
            self.assertEqual(
                self.value(program, *self.options(), tools={"give": GIVE},
                           limits=limits), "x" * 8)
        result = self.succeeds(program, *self.options(), tools={"give": GIVE},
                               limits=limits)
        self.assertEqual(result["value"], SPENT)
        self.assertEqual(result["calls"]["refused"], 1)
        self.check(result, "run_bytes", run_bytes=36, run_calls=2)
        # Room for its arguments and not for its result.
        limits = {"run_bytes": 36 + ARGUMENTS + 9}
        result = self.succeeds(program, *self.options(), tools={"give": GIVE},
                               limits=limits)
        self.assertEqual(result["value"], SPENT)
        self.assertEqual(result["calls"]["failed"], 1)

    def test_killed_ten_times_between_started_and_finished(self):
        """Calls and bytes of each are spent, and its effect is there."""
        meeting = self.meeting()
        tools = {"effect": shell(
            'echo x >>"$1"; echo x >"$2"; exec sleep 1000',
            self.path("effects"), meeting.arrived), "give": GIVE}
        limits = {"run_calls": 20, "run_bytes": 1000}
        for _ in range(10):
            process = self.start("give(n=10)\neffect(n=10)", *self.options(),
                                 tools=tools, limits=limits)
            self.assertTrue(meeting.wait(1, process))
            process.kill()
            process.communicate(timeout=HANG)
            end_survivors()
        self.assertEqual(self.effects(), 10)
        result = self.succeeds(
            CAUGHT + "return [BUDGET.calls, BUDGET.total_bytes,"
            " caught('give', n=10)]", *self.options(), tools=tools,
            limits=limits)
        spent = 10 * (2 * ARGUMENTS + 10)
        self.assertEqual(result["value"], [0, 1000 - spent, SPENT])
        self.check(result, "run_calls", run_calls=20, run_bytes=spent,
                   calls=1)

    def test_two_executions_at_the_same_time(self):
        """What the other one spends is seen with the next record."""
        meeting = self.meeting()
        limits = {"run_calls": 4, "wall": 100}
        process = self.start(
            CAUGHT + "wait()\nreturn [BUDGET.calls, caught('wait')]",
            *self.options(), tools={"wait": meeting.tool()}, limits=limits)
        self.assertTrue(meeting.wait(1, process))
        self.assertEqual(
            self.value(CAUGHT + "return [caught('up') for n in range(3)]",
                       *self.options(), tools={"up": self.effect()},
                       limits=limits), [1, 1, 1])
        meeting.release(1)
        stdout, _ = process.communicate(timeout=HANG)
        self.assertEqual(json.loads(stdout)["value"], [0, SPENT])


class FanOut(Metered):
    """More calls at the same time than the budget has room for."""

    STATES = {"completed": 16, "refused": 7}

    def events(self):
        done = subprocess.run(
            [str(WEIR), "log", "--state", self.path("state"), "r", "--json"],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, timeout=HANG)
        return [json.loads(line) for line in done.stdout.splitlines()]

    def check_fan_out(self, program):
        result = self.succeeds(
            program, "--state", self.path("state"), "--run", "r",
            tools={"write": shell('read -r line; echo "$line" >>"$1"; echo 1',
                                  self.path("effects"))},
            limits={"calls": 16, "in_flight": 4})
        self.assertEqual(result["value"],
                         [1] * 16 + [["budget_spent", True]] * 7)
        # The first ones, each once, and no other has an effect.
        with open(self.path("effects")) as effects:
            self.assertEqual(sorted(json.loads(line)["n"]
                                    for line in effects), list(range(16)))
        calls = result["calls"]
        self.assertEqual(calls["total"], 23)
        for state, count in self.STATES.items():
            self.assertEqual(calls[state], count)
        self.assertEqual(
            [(call["id"], call["state"]) for call in calls["list"]],
            [(n, "completed") for n in range(16)] +
            [(n, "refused") for n in range(16, 23)])
        events = self.events()
        of = {}
        for event in events:
            if "call" in event:
                of.setdefault(event["call"], []).append(event["event"])
        self.assertEqual(of, {
            n: ["started", "completed"] if n < 16 else ["refused"]
            for n in range(23)})

    def test_gather_of_23_with_a_cap_of_16(self):
        self.check_fan_out(
            "import asyncio\n"
            "async def one(n):\n"
            "    try:\n"
            "        return await write(n=n)\n"
            "    except ToolError as error:\n"
            "        return [error.kind, error.hard]\n"
            "return await asyncio.gather(*map(one, range(23)))")

    def test_without_handlers(self):
        """gather itself collects them."""
        self.check_fan_out(
            "import asyncio\n"
            "got = await asyncio.gather(*[write(n=n) for n in range(23)],"
            " return_exceptions=True)\n"
            "return [[g.kind, g.hard] if isinstance(g, ToolError) else g"
            " for g in got]")

    def test_one_after_the_other(self):
        self.check_fan_out(
            CAUGHT + "return [caught('write', n=n) for n in range(23)]")


if __name__ == "__main__":
    main()
