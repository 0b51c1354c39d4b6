#!/usr/bin/env python3
"""Tools: called one by one and many at once, and what fails in them."""
import json
import os
import signal
import time

from weir_test import (ECHO, HANG, PYTHON, Case, Meeting, finish, main, rows,
                       run, shell)

# Every call says its own name to the tool, and every reply is compared.
# Each call is two processes: 6,400 of them with WEIR_EVERY=1, and always in
# test_830_mcp, where one serves all.
TURNS = 100 if os.environ.get("WEIR_EVERY") == "1" else 20
THREADS = """
import threading

crossed = []

def work(thread):
    for turn in range(TURNS):
        sent = {'thread': thread, 'turn': turn, 'pad': 'x' * (thread * 7)}
        got = call_tool_sync('NAME', sent)
        if got != sent:
            crossed.append([sent, got])

threads = [threading.Thread(target=work, args=(n,)) for n in range(64)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
return crossed
"""


def call_from_threads(case, name, turns, *words, **more):
    """64 threads: nobody gets the reply of another, no id is left out."""
    count = 64 * turns
    result = case.succeeds(
        THREADS.replace("TURNS", str(turns)).replace("NAME", name), *words,
        limits={"calls": count, "wall": 600, "cpu": 300}, timeout=600, **more)
    case.assertEqual(result["value"], [])
    calls = result["calls"]
    case.assertEqual((calls["total"], calls["completed"]), (count, count))
    case.assertEqual([c["id"] for c in calls["list"]],
                     list(range(50)) + list(range(count - 50, count)))


class Calls(Case):
    def test_threads(self):
        call_from_threads(self, "echo", TURNS, tools={"echo": ECHO})

    def test_values_cross_unchanged(self):
        value = {"text": "é \u2028 \U0001f600 \x00 \x7f", "int": 10 ** 4299,
                 "float": [0.1, 5e-324, 1.7976931348623157e308, -0.0],
                 "deep": [[[[{}]]]], "none": None, "bools": [True, False]}
        result = self.succeeds(
            "sent = eval(%r)\n"
            "got = echo(sent)\n"
            "assert got == sent and repr(got) == repr(sent)\n"
            "return got" % repr(value).replace(repr(10 ** 4299),
                                               "10 ** 4299"),
            tools={"echo": ECHO})
        self.assertEqual(
            json.dumps({k: v for k, v in result["value"].items()
                        if k != "int"}),
            json.dumps({k: v for k, v in value.items() if k != "int"}))

    def test_every_spelling_of_a_call(self):
        value = self.value(
            "return [echo(a=1), echo({'a': 1}), call_tool('echo', {'a': 1}),"
            " call_tool_sync('echo', {'a': 1}), call_tool('echo'),"
            " call_tool('odd name/é', {'b': 2}), sorted(TOOLS)]",
            tools={"echo": ECHO, "odd name/é": ECHO})
        self.assertEqual(value, [{"a": 1}] * 4 + [
            {}, {"b": 2}, ["echo", "odd name/é"]])

    def test_very_many_tools(self):
        tools = {"tool-%04d-%s" % (n, "n" * 100): ECHO for n in range(1024)}
        value = self.value(
            "return [len(TOOLS), call_tool(TOOLS[-1], {'a': 1}),"
            " list(TOOLS) == sorted(TOOLS)]", tools=tools)
        self.assertEqual(value, [1024, {"a": 1}, True])
        tools["one-more"] = ECHO
        self.assertEqual(run("1", tools=tools).code, 2)

    def test_gather_of_three_with_one_failing(self):
        result = self.succeeds(
            "import asyncio\n"
            "async def one(tool):\n"
            "    try:\n"
            "        return await call_tool(tool, {'from': tool})\n"
            "    except ToolError as error:\n"
            "        return [error.kind, error.hard, error.tool,\n"
            "                'went wrong' in error.message]\n"
            "return await asyncio.gather(*map(one, ['a', 'b', 'c']))",
            tools={"a": ECHO, "c": ECHO,
                   "b": shell("echo it went wrong >&2; exit 7")})
        self.assertEqual(result["value"], [
            {"from": "a"}, ["failed", False, "b", True], {"from": "c"}])
        self.assertEqual(
            sorted((c["tool"], c["state"]) for c in result["calls"]["list"]),
            [("a", "completed"), ("b", "failed"), ("c", "completed")])

    def test_the_same_without_await(self):
        result = self.succeeds(
            "def one(tool):\n"
            "    try:\n"
            "        return call_tool(tool, {'from': tool})\n"
            "    except ToolError as error:\n"
            "        return error.kind\n"
            "return [one(tool) for tool in ['a', 'b', 'c']]",
            tools={"a": ECHO, "b": shell("exit 7"), "c": ECHO})
        self.assertEqual(result["value"],
                         [{"from": "a"}, "failed", {"from": "c"}])

    def test_tool_error_that_nobody_handles(self):
        result = self.fails("exception", "echo()", tools={
            "echo": shell("echo because >&2; exit 2")}).result
        self.assertEqual(result["error"]["line"], 1)
        self.assertIn("ToolError", result["error"]["message"])
        self.assertIn("because", result["error"]["message"])

    def test_six_tools_run_at_once(self):
        """Each waits for all six: one after the other, none would end."""
        meeting = self.meeting()
        process = self.start(
            "import asyncio\n"
            "return await asyncio.gather(*[wait(n=n) for n in range(6)])",
            tools={"wait": meeting.tool("7")}, limits={"wall": 100})
        together = meeting.wait(6, process)
        meeting.release(6)
        result = finish(process).result
        self.assertTrue(together)
        self.assertEqual(result["value"], [7] * 6)

    def test_six_threads_call_at_once(self):
        meeting = self.meeting()
        process = self.start(
            "from multiprocessing.pool import ThreadPool\n"
            "return ThreadPool(6).map(lambda n: wait(n=n), range(6))",
            tools={"wait": meeting.tool("7")}, limits={"wall": 100})
        together = meeting.wait(6, process)
        meeting.release(6)
        result = finish(process).result
        self.assertTrue(together)
        self.assertEqual(result["value"], [7] * 6)

    def test_slow_tool_does_not_hold_up_a_fast_one(self):
        """The slow one ends only after calls made later have ended."""
        meeting = self.meeting()
        value = self.value(
            "import asyncio\n"
            "order = []\n"
            "async def one(name, **more):\n"
            "    order.append((name, await call_tool(name, more)))\n"
            "async def rest():\n"
            "    for n in range(5): await one('echo', n=n)\n"
            "    await one('release')\n"
            "await asyncio.gather(one('slow'), rest())\n"
            "return [name for name, _ in order]",
            tools={"slow": meeting.tool(), "release": meeting.releaser(),
                   "echo": ECHO}, limits={"wall": 100})
        self.assertEqual(sorted(value), ["echo"] * 5 + ["release", "slow"])
        self.assertEqual(value[:5], ["echo"] * 5)

    def test_replies_in_another_order_than_calls(self):
        """Each reply makes the program let the call before it go, so they
        end backwards."""
        meetings = []
        for n in range(3):
            os.mkdir(self.path(str(n)))
            meetings.append(Meeting(self.path(str(n))))
            self.addCleanup(meetings[n].close)
        tools = {"step%d" % n: meetings[n].tool(n) for n in range(3)}
        tools.update(("free%d" % n, meetings[n].releaser())
                     for n in range(3))
        value = self.value(
            "import asyncio\n"
            "done = []\n"
            "async def one(n):\n"
            "    got = await call_tool('step%d' % n)\n"
            "    done.append(n)\n"
            "    if n > 0: await call_tool('free%d' % (n - 1))\n"
            "    return got\n"
            "calls = [asyncio.create_task(one(n)) for n in range(3)]\n"
            "await call_tool('free2')\n"
            "got = await asyncio.gather(*calls)\n"
            "return [got, done]", tools=tools, limits={"wall": 100})
        self.assertEqual(value, [[0, 1, 2], [2, 1, 0]])


class Failing(Case):
    """What a command does, the kind of error, and a part of the message."""

    def check(self, tool, kind, *words, program="echo(a=1)", limits=None):
        result = self.succeeds(
            "try:\n    got = %s\n"
            "except ToolError as error:\n"
            "    return [error.kind, error.hard, error.message]\n"
            "return ['no error', got]" % program,
            tools={"echo": tool}, limits=limits or {})
        self.assertEqual(result["value"][:2], [kind, False])
        for word in words:
            self.assertIn(word, result["value"][2])
        call = result["calls"]["list"][0]
        self.assertEqual((call["state"], call["kind"]), ("failed", kind))


rows(Failing, {
    "exit_status": (shell("exit 3"), "failed", "exit status 3"),
    "stderr_tail": (shell("echo the reason >&2; exit 1"), "failed",
                    "the reason"),
    "stderr_is_escaped": (shell("printf 'a\\033[2Jb' >&2; exit 1"),
                          "failed", "a", "[2Jb"),
    "signal": (shell("kill -9 $$"), "failed", "signal 9"),
    "no_output": (shell("true"), "failed", "nothing on stdout"),
    "no_json": (shell("echo hello"), "failed", "bad_syntax"),
    "two_values": (shell("echo 1 2"), "failed", "trailing_bytes"),
    "invalid_utf8": (shell("printf '\"\\377\"'"), "failed", "bad_utf8"),
    "repeated_member": (shell("echo '{\"a\":1,\"a\":2}'"), "failed",
                        "duplicate_member"),
    "half_a_surrogate": (shell("echo '\"\\ud800\"'"), "failed",
                         "lone_surrogate"),
    "bare_nan": (shell("echo NaN"), "failed", "bad_syntax"),
})


class Waiting(Case):
    def test_replies_that_are_not_read_yet(self):
        """16 MB of them wait, in order and whole, while the program does
        something else."""
        value = self.value(
            "import asyncio, time\n"
            "tasks = [asyncio.create_task(call_tool('big', {'n': i}))\n"
            "         for i in range(32)]\n"
            "await asyncio.sleep(0.1)\n"
            "time.sleep(2)\n"
            "texts = await asyncio.gather(*tasks)\n"
            "return [t == 'x%d ' % i * 125000 for i, t in enumerate(texts)]",
            tools={"big": [
                PYTHON, "-ISc",
                "import json, sys\n"
                "print(json.dumps('x%d ' % json.load(sys.stdin)['n']"
                " * 125000))"]})
        self.assertEqual(value, [True] * 32)


    def wait_for_lines(self, name, count):
        deadline = time.monotonic() + HANG
        path, lines = self.path(name), 0
        while lines < count:
            self.assertLess(time.monotonic(), deadline)
            if os.path.exists(path):
                with open(path) as file:
                    lines = len(file.readlines())
            time.sleep(0.02)

    def test_replies_that_are_never_read(self):
        """128 MB of them, and the host's memory shows nothing of it (S12)."""
        process = self.start(
            "import os, time\n"
            "for i in range(64):\n"
            "    os.write(3, b'{\"type\":\"call\",\"id\":%d,\"name\":\"big\","
            "\"arguments\":{}}\\n' % i)\n"
            "time.sleep(600)",
            # One at a time, so that no more than one is under way.
            tools={"big": shell(
                "exec 9>%s/lock; flock 9; printf '\"'; "
                "head -c 2000000 /dev/zero | tr '\\0' x; printf '\"'; "
                "echo x >>%s/count" % (self.directory, self.directory))},
            limits={"wall": HANG, "total_bytes": "256M"})
        self.wait_for_lines("count", 64)
        # Only the program itself is left then.
        deadline = time.monotonic() + HANG
        while len(children(process.pid)) > 1:
            self.assertLess(time.monotonic(), deadline)
        process.send_signal(signal.SIGINT)
        text = process.stdout.read()
        _, _, usage = os.wait4(process.pid, 0)
        result = json.loads(text)
        self.assertEqual(result["error"]["kind"], "cancelled")
        self.assertEqual(result["calls"]["completed"], 64)
        self.assertLess(usage.ru_maxrss, 48 * 1024)


    def test_reply_that_nobody_waits_for_any_more(self):
        """More of it waits than the host keeps reading behind, and the
        answer comes all the same."""
        result = self.succeeds(
            "import asyncio, time\n"
            "try:\n"
            "    await asyncio.wait_for(big(), 0.01)\n"
            "except asyncio.TimeoutError:\n"
            "    pass\n"
            "time.sleep(1)\n"
            "return 'answer'",
            tools={"big": shell("sleep 0.3; printf '\"'; head -c 3000000 "
                                "/dev/zero | tr '\\0' x; printf '\"'")},
            limits={"wall": HANG // 2})
        self.assertEqual(result["value"], "answer")


def children(pid):
    with open("/proc/%d/task/%d/children" % (pid, pid)) as file:
        return file.read().split()


class Environment(Case):
    def test_of_a_tool(self):
        value = self.value(
            "return [where(), sorted(names())]",
            tools={"where": shell('printf \'"%s"\' "$(pwd)"'),
                   "names": [
                       "/usr/bin/python3", "-ISc",
                       "import json, os; print(json.dumps(list(os.environ)))"
                   ]},
            env=dict(os.environ, SECRET="s", HOME="/", LANG="C.UTF-8"))
        self.assertEqual(value[0], "/")
        self.assertLessEqual(set(value[1]), {
            "HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER", "LANG",
            "LC_CTYPE"})
        self.assertIn("HOME", value[1])

    def test_descriptors_of_a_tool(self):
        value = self.value("fds()", tools={"fds": [
            "/usr/bin/python3", "-ISc",
            "import json, os\n"
            "print(json.dumps([n for n in range(256)\n"
            "    if not os.system('') and os.path.exists('/dev/fd/%d' % n)]))"
        ]})
        self.assertEqual(value, [0, 1, 2])

    def test_nothing_is_expanded(self):
        value = self.value("words()", tools={
            "words": "/usr/bin/python3 -ISc "
                     "'import json, sys; print(json.dumps(sys.argv[1:]))' "
                     "$HOME * ~ 'a b' \"c\\\"d\" e\\ f '' `x` ;"})
        self.assertEqual(value, ["$HOME", "*", "~", "a b", 'c"d', "e f", "",
                                 "`x`", ";"])


if __name__ == "__main__":
    main()
