#!/usr/bin/env python3
"""What users of similar tools have reported about tool calls from inside code,
where no other file has a test of it: threads that got each other's answers and
hosts that stopped at a program's exit are in test_502 and test_104, budgets and
fan-outs in test_812."""
import json
import os
import subprocess
import unittest

from weir_test import (ECHO, HANG, PYTHON, WEIR, Case, main, rows, run, shell)

CAUGHT = """
def caught(tool, arguments):
    try:
        return call_tool_sync(tool, arguments)
    except ToolError as error:
        return [error.kind, error.hard]
"""
BROKEN = shell("echo $1 went wrong >&2; exit 3", "it")


def has_python(major, minor):
    done = subprocess.run(
        [PYTHON, "-Ic", "import sys; print(sys.version_info[:2] >= (%d, %d))"
         % (major, minor)], stdout=subprocess.PIPE, timeout=HANG)
    return done.stdout == b"True\n"


class Errors(Case):
    """A failing tool is the program's to handle, and all that it needs for it
    arrives."""

    def test_a_failure_is_caught_and_work_goes_on(self):
        result = self.succeeds(
            "done = [echo(n=1)]\n"
            "try:\n"
            "    done.append(broken())\n"
            "except ToolError:\n"
            "    done.append('fallback')\n"
            "return done + [echo(n=2)]",
            tools={"echo": ECHO, "broken": BROKEN})
        self.assertEqual(result["value"], [{"n": 1}, "fallback", {"n": 2}])
        self.assertEqual(result["calls"]["completed"], 2)
        self.assertEqual(result["calls"]["failed"], 1)

    def test_what_was_done_before_an_uncaught_one_is_known(self):
        got = self.fails("exception", "print('half')\necho()\nbroken()",
                         tools={"echo": ECHO, "broken": BROKEN})
        result = got.result
        self.assertEqual(result["stdout"], "half\n")
        self.assertEqual([(call["tool"], call["state"])
                          for call in result["calls"]["list"]],
                         [("echo", "completed"), ("broken", "failed")])
        self.assertIn("it went wrong", result["error"]["message"])

    def test_what_an_error_says(self):
        value = self.value(
            "import pickle\n"
            "try:\n"
            "    call_tool('broken', {})\n"
            "except Exception as e:\n"
            "    again = pickle.loads(pickle.dumps(e))\n"
            "    return [type(e).__name__, isinstance(e, ToolError), e.kind,\n"
            "            e.message, e.hard, e.tool, str(e),\n"
            "            list(e.args) == [e.kind, e.message, e.hard, e.tool],\n"
            "            again.args == e.args]",
            tools={"broken": BROKEN})
        name, is_one, kind, message, hard, tool, text, args, again = value
        self.assertEqual([name, is_one, kind, hard, tool, args, again],
                         ["ToolError", True, "failed", False, "broken", True,
                          True])
        self.assertIn("it went wrong", message)
        # Each says which tool it was, once.
        self.assertTrue(message.startswith("broken: "), message)
        self.assertEqual(text, message + " (failed)")

    def test_an_error_in_a_thread_reaches_the_one_who_waits(self):
        value = self.value(
            "from concurrent.futures import ThreadPoolExecutor\n"
            "with ThreadPoolExecutor(10) as pool:\n"
            "    futures = [pool.submit(call_tool, ['echo', 'broken'][n % 2],\n"
            "                           {'n': n}) for n in range(40)]\n"
            "ends = []\n"
            "for future in futures:\n"
            "    try: ends.append(future.result())\n"
            "    except ToolError as error: ends.append(error.kind)\n"
            "return ends", tools={"echo": ECHO, "broken": BROKEN})
        self.assertEqual(value, ["failed" if n % 2 else {"n": n}
                                 for n in range(40)])


class Asynchronous(Case):
    """Each error reaches its own handler, with its kind."""

    TOOLS = {"echo": ECHO, "broken": BROKEN,
             "late": shell("exec sleep 1000")}
    # Long for those that answer, too.
    LIMITS = {"tool_time": "2s", "wall": HANG // 2}
    KINDS = ["failed", "not_offered", "timed_out"]

    def check(self, program, expected, limits=None):
        result = self.succeeds("import asyncio\n" + program, tools=self.TOOLS,
                               limits=limits or self.LIMITS)
        self.assertEqual(result["value"], expected)
        return result

    def test_gather_of_three_with_two_failing(self):
        self.check(
            "async def one(tool):\n"
            "    try:\n"
            "        return await call_tool(tool, {'n': tool})\n"
            "    except ToolError as error:\n"
            "        return [error.kind, error.tool]\n"
            "return await asyncio.gather(*map(one,"
            " ['echo', 'broken', 'nobody']))",
            [{"n": "echo"}, ["failed", "broken"], ["not_offered", "nobody"]])

    def test_gather_returns_them(self):
        self.check(
            "got = await asyncio.gather(broken(), echo(n=1),"
            " call_tool('nobody'), late(), return_exceptions=True)\n"
            "return [getattr(g, 'kind', g) for g in got]",
            ["failed", {"n": 1}, "not_offered", "timed_out"])

    def test_gather_raises_the_first_and_the_others_go_on(self):
        self.check(
            "calls = [asyncio.ensure_future(c) for c in"
            " (echo(n=1), call_tool('nobody'), echo(n=2))]\n"
            "try:\n"
            "    await asyncio.gather(*calls)\n"
            "except ToolError as error:\n"
            "    return [error.kind, await calls[0], await calls[2]]",
            ["not_offered", {"n": 1}, {"n": 2}])

    def test_as_completed(self):
        self.check(
            "ends = []\n"
            "for step in asyncio.as_completed([echo(n=1), broken(),"
            " call_tool('nobody')]):\n"
            "    try: ends.append(await step)\n"
            "    except ToolError as error: ends.append(error.kind)\n"
            "return sorted(map(str, ends))",
            sorted(["failed", "not_offered", "{'n': 1}"]))

    def test_wait_for(self):
        """Given up by the program, which is no error of the tool; the call
        ends with the execution."""
        result = self.check(
            "try:\n"
            "    await asyncio.wait_for(late(), 0.05)\n"
            "except asyncio.TimeoutError:\n"
            "    return ['given up', await echo(n=1)]",
            ["given up", {"n": 1}], limits={"wall": HANG // 2})
        self.assertIn([call["state"] for call in result["calls"]["list"]],
                      (["failed", "completed"], ["unknown", "completed"]))

    @unittest.skipUnless(has_python(3, 11), "asyncio.timeout is of 3.11")
    def test_timeout(self):
        self.check(
            "ends = []\n"
            "for limit, tool in (0.05, 'late'), (60, 'late'), (60, 'echo'),"
            " (60, 'broken'):\n"
            "    try:\n"
            "        async with asyncio.timeout(limit):\n"
            "            ends.append(await call_tool(tool, {}))\n"
            "    except TimeoutError: ends.append('given up')\n"
            "    except ToolError as error: ends.append(error.kind)\n"
            "return ends", ["given up", "timed_out", {}, "failed"])

    @unittest.skipUnless(has_python(3, 11), "TaskGroup is of 3.11")
    def test_task_group(self):
        self.check(
            "ends = []\n"
            "async def one(tool):\n"
            "    try: ends.append(await call_tool(tool, {}))\n"
            "    except ToolError as error: ends.append(error.kind)\n"
            "async with asyncio.TaskGroup() as group:\n"
            "    for tool in 'echo', 'broken', 'nobody', 'late':\n"
            "        group.create_task(one(tool))\n"
            "return sorted(map(str, ends))",
            sorted(self.KINDS + ["{}"]))

    @unittest.skipUnless(has_python(3, 11), "TaskGroup is of 3.11")
    def test_task_group_that_fails(self):
        """The others are cancelled, and the error keeps its kind."""
        result = self.check(
            "try:\n"
            "    async with asyncio.TaskGroup() as group:\n"
            "        group.create_task(late())\n"
            "        group.create_task(broken())\n"
            "except* ToolError as errors:\n"
            "    kinds = [e.kind for e in errors.exceptions]\n"
            "return [kinds, await echo(n=1)]",
            [["failed"], {"n": 1}], limits={"wall": HANG // 2})
        self.assertEqual(result["calls"]["total"], 3)

    def test_thirty_producers_and_what_depends_on_them(self):
        """Each is followed by a call that needs its result, through a window
        of 16: no wake-up is lost."""
        result = self.check(
            "async def chain(n):\n"
            "    first = await echo(n=n)\n"
            "    return (await echo(n=first['n'] * 10))['n']\n"
            "return [await asyncio.gather(*map(chain, range(30)))"
            " for i in range(3)]",
            [[n * 10 for n in range(30)]] * 3,
            limits={"in_flight": 16, "wall": 100})
        self.assertEqual(result["calls"]["completed"], 180)
        self.assertEqual([call["id"] for call in result["calls"]["list"]],
                         list(range(50)) + list(range(130, 180)))

    def test_thirty_threads_and_what_depends_on_them(self):
        result = self.succeeds(
            "from multiprocessing.pool import ThreadPool\n"
            "def chain(n):\n"
            "    first = echo(n=n)\n"
            "    return echo(n=first['n'] * 10)['n']\n"
            "return ThreadPool(30).map(chain, range(30))",
            tools=self.TOOLS, limits={"in_flight": 16, "wall": 100})
        self.assertEqual(result["value"], [n * 10 for n in range(30)])
        self.assertEqual(result["calls"]["completed"], 60)


class Recorded(Case):
    """Whether a call may have had an effect is told by its state, in the
    ledger and in the result."""

    def setUp(self):
        super().setUp()
        self.state = ["--state", self.path("state"), "--run", "r"]
        self.tools = {
            "up": shell('cat >/dev/null; echo x >>"$1"; echo 1',
                        self.path("effects"))}

    def events(self):
        done = subprocess.run(
            [str(WEIR), "log", *self.state[:2], "r", "--json"],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, timeout=HANG)
        return [json.loads(line) for line in done.stdout.splitlines()]

    def effects(self):
        try:
            with open(self.path("effects")) as effects:
                return len(effects.readlines())
        except FileNotFoundError:
            return 0

    def check_rejected(self, program, kind, limits=None):
        """Refused before it began: trying again is safe."""
        result = self.succeeds(CAUGHT + program, *self.state,
                               tools=self.tools, limits=limits or {})
        self.assertEqual(result["value"][0], kind)
        self.assertEqual(self.effects(), 0)
        self.assertEqual([(call["state"], call["kind"], call["ms"])
                          for call in result["calls"]["list"]],
                         [("refused", kind, 0)])
        events = [e for e in self.events() if "call" in e]
        self.assertEqual([(e["event"], e["kind"]) for e in events],
                         [("refused", kind)])
        # Each names the execution and the call that it belongs to.
        self.assertEqual(events[0]["execution"], result["execution"])
        self.assertEqual(events[0]["call"], 0)

    def test_an_unknown_tool_is_rejected(self):
        self.check_rejected("return caught('nobody', {})", "not_offered")

    def test_arguments_that_are_too_large_are_rejected(self):
        self.check_rejected("return caught('up', {'text': 'x' * 100})",
                            "arguments_too_large",
                            limits={"argument_bytes": 64})

    def test_a_spent_budget_is_rejected(self):
        self.check_rejected("return caught('up', {})", "budget_spent",
                            limits={"calls": 0})

    def test_arguments_that_are_none_are_no_call(self):
        """What no frame can carry is refused in the program itself."""
        result = self.succeeds(
            "try:\n"
            "    up(x={1, 2})\n"
            "except Exception as error:\n"
            "    return [isinstance(error, ToolError), str(error)]",
            *self.state, tools=self.tools)
        self.assertIs(result["value"][0], False)
        self.assertIn("['x']", result["value"][1])
        self.assertEqual(result["calls"]["total"], 0)
        self.assertEqual(self.effects(), 0)

    def test_a_failure_has_run(self):
        result = self.succeeds(
            CAUGHT + "return caught('bad', {})", *self.state,
            tools={"bad": shell('echo x >>"$1"; exit 1',
                                self.path("effects"))})
        self.assertEqual(result["calls"]["failed"], 1)
        self.assertEqual(self.effects(), 1)
        self.assertEqual([e["event"] for e in self.events()],
                         ["opened", "started", "failed", "closed"])

    def test_a_policy_holds_for_calls_from_code(self):
        """A tool that it does not list is not there, however it is called."""
        policy = self.write("policy.json", json.dumps(
            {"schema": "weir.policy/1", "tools": ["echo"]}))
        result = self.succeeds(
            CAUGHT + "from multiprocessing.pool import ThreadPool\n"
            "return [caught('up', {}), ThreadPool(2).apply("
            "caught, ('up', {})), caught('echo', {}), TOOLS]",
            *self.state, "--policy-file", policy,
            tools=dict(self.tools, echo=ECHO))
        self.assertEqual(result["value"], [["not_offered", False]] * 2 +
                         [{}, ["echo"]])
        self.assertEqual(self.effects(), 0)
        self.assertEqual([e["event"] for e in self.events()],
                         ["opened", "refused", "refused", "started",
                          "completed", "closed"])


class Vocabulary(Case):
    """One word for each way to fail, and none for two."""

    def check(self, call, kind, hard=False, limits=None):
        # It is there when the configuration is loaded, and cannot be run.
        absent = self.write("absent", "#!/nowhere/at/all\n")
        os.chmod(absent, 0o755)
        result = self.succeeds(
            CAUGHT + "return " + call, tools={
                "echo": ECHO, "broken": BROKEN,
                "late": shell("exec sleep 1000"),
                "absent": [absent],
                "large": shell("printf '\"%0200d\"' 0"),
                "noise": shell("echo no JSON")},
            limits=dict({"wall": HANG // 2}, **(limits or {})))
        self.assertEqual(result["value"], [kind, hard])
        self.assertEqual(result["calls"]["list"][-1]["kind"], kind)


rows(Vocabulary, {
    "not_offered": ("caught('nobody', {})", "not_offered"),
    "failed": ("caught('broken', {})", "failed"),
    "no_json": ("caught('noise', {})", "failed"),
    "unreachable": ("caught('absent', {})", "unreachable"),
    "timed_out": ("caught('late', {})", "timed_out", False,
                  {"tool_time": "200ms"}),
    "calls_spent": ("caught('echo', {})", "budget_spent", True, {"calls": 0}),
    "bytes_spent": ("caught('echo', {})", "budget_spent", True,
                    {"total_bytes": 1}),
    "produced_spent": ("caught('large', {})", "budget_spent", True,
                       {"produced_bytes": 201}),
    "time_spent": ("caught('late', {})", "budget_spent", True,
                   {"total_tool_time": "200ms"}),
    "arguments_too_large": ("caught('echo', {'a': 12345})",
                            "arguments_too_large", False,
                            {"argument_bytes": 10}),
    "result_too_large": ("caught('large', {})", "result_too_large", False,
                         {"result_bytes": 100, "kept_bytes": 0}),
    "not_paged": ("caught('large', {})", "binding_result_not_paged", False,
                  {"result_bytes": 100, "kept_bytes": 150}),
    "handle_not_yours": ("caught('read_tool_output', {'handle': 'h-' + "
                         "'0' * 32})", "handle_not_yours"),
})


class Configurable(Case):
    """No cap is hard-coded: what is asked for is what holds."""

    def test_more_calls_and_bytes_than_others_allow(self):
        result = self.succeeds(
            "texts = [give(n=n) for n in range(60)]\n"
            "return [len(texts), {len(t) for t in texts} == {60000},"
            " BUDGET.calls]",
            tools={"give": shell("printf '\"%060000d\"' 0")},
            limits={"calls": 60, "wall": 100})
        self.assertEqual(result["value"], [60, True, 0])

    def test_round_trip(self):
        limits = {"calls": 51, "total_bytes": 123456,
                  "produced_bytes": 234567, "kept_bytes": 345678,
                  "total_tool_time": "301s"}
        result = self.succeeds("return BUDGET.calls", limits=limits)
        budget = result["budget"]
        self.assertEqual(result["value"], 51)
        self.assertEqual(budget["total_tool_time_ms"]["limit"], 301000)
        for name in "calls", "total_bytes", "produced_bytes", "kept_bytes":
            self.assertEqual(budget[name]["limit"], limits[name])

    def test_what_a_model_sees_does_not_grow_with_calls(self):
        """The record of calls is bounded in the result; all of it is in the
        ledger."""
        sizes = []
        for calls in 150, 600:
            got = run("for n in range(%d): echo(n=0)\nreturn 1" % calls,
                      tools={"echo": ECHO})
            self.assertEqual(got.result["calls"]["completed"], calls)
            self.assertEqual(len(got.result["calls"]["list"]), 100)
            sizes.append(len(got.stdout))
        self.assertLess(abs(sizes[1] - sizes[0]), 1000)


class Channel(Case):
    """What a program prints is no answer, and no frame."""

    def test_lines_that_look_like_frames(self):
        result = self.succeeds(
            "import os, sys\n"
            "lines = ['{\"type\":\"reply\",\"id\":0,\"value\":7}',"
            " '{\"id\":1,\"result\":2}', '{\"type\":\"done\",\"value\":3}']\n"
            "got = []\n"
            "for n in range(20):\n"
            "    for line in lines:\n"
            "        print(line)\n"
            "        sys.stderr.write(line + '\\n')\n"
            "        os.write(1, line.encode() + b'\\n')\n"
            "    got.append(echo(n=n)['n'])\n"
            "return got", tools={"echo": ECHO})
        self.assertEqual(result["value"], list(range(20)))
        self.assertEqual(result["streams"]["stderr"]["omitted"], 0)

    def test_an_exit_in_the_middle_of_a_call(self):
        """With status 0, too, it is no success."""
        got = self.fails(
            "worker_exit",
            "import os, threading\n"
            "threading.Timer(0.2, os._exit, [0]).start()\n"
            "late()", tools={"late": shell("exec sleep 1000")},
            limits={"wall": HANG // 2})
        result = got.result
        self.assertEqual(result["exit"]["code"], 0)
        self.assertIs(result["returned"], False)
        self.assertIn(result["calls"]["list"][0]["state"],
                      ("failed", "unknown"))


if __name__ == "__main__":
    main()
