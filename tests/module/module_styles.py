"""Awaiting and blocking programs, and the names they get (P2 to P5)."""
import unittest

import host


def run(program, tools=None, **options):
    return host.current.run(program, tools=tools or TOOLS, **options)


def fail(arguments):
    raise host.Failed("failed", "broken: %s" % arguments.get("why"))


def fail_hard(arguments):
    raise host.Failed("budget_spent", "all gone", hard=True)


TOOLS = {
    "add": lambda a: a["a"] + a["b"],
    "echo": lambda a: a,
    "fail": fail,
    "fail_hard": fail_hard,
    "print": lambda a: "tool print",
    "class": lambda a: "tool class",
    "TOOLS": lambda a: "tool TOOLS",
    "get-user": lambda a: "hyphen",
    "größe": lambda a: "umlaut",
    "__name__": lambda a: "tool __name__",
    "big": lambda a: host.Handle("tok", 123456),
}


def READ(arguments):
    """Answers as the host's tool does, whatever is asked."""
    return {"text": "text", "lines": ["lines"], "matches": [{"line": 1}]}


class Blocking(unittest.TestCase):
    def test_names(self):
        result = run("[TOOLS, 'class' in globals(), print is "
                     "__builtins__.print, __name__, größe(), "
                     "call_tool('get-user', {}), call_tool('print', {}), "
                     "call_tool('class'), call_tool('TOOLS', {}), "
                     "call_tool('__name__', {}), add.__name__]")
        self.assertEqual(result.value, [
            list(TOOLS), False, True, "__main__", "umlaut", "hyphen",
            "tool print", "tool class", "tool TOOLS", "tool __name__", "add"])

    def test_ways_to_pass_arguments(self):
        result = run("[add(a=1, b=2), add({'a': 3, 'b': 4}), echo(), "
                     "echo(name=1, arguments=2, tool=3, self=4),"
                     "call_tool(name='add', arguments={'a': 1, 'b': 1}),"
                     "call_tool_sync('echo', {'x': 1})]")
        self.assertEqual(result.value, [
            3, 7, {}, {"name": 1, "arguments": 2, "tool": 3, "self": 4}, 2,
            {"x": 1}])

    def test_wrong_arguments_are_a_type_error(self):
        for call in ("add(1, 2)", "add({'a': 1}, b=2)", "call_tool('add', 1)",
                     "add([1])", "call_tool(1, {})",
                     "call_tool_sync('add', [])"):
            with self.subTest(call):
                result = run("try:\n  %s\nexcept TypeError as e:\n  r = str(e)"
                             "\nr" % call)
                self.assertTrue(result.value)
                self.assertEqual(result.calls, [])

    def test_tool_error(self):
        result = run("""
r = []
for t in (fail, fail_hard):
    try:
        t(why='no')
    except ToolError as e:
        r.append([e.kind, e.message, e.hard, e.tool, str(e)])
try:
    call_tool('nope', {})
except ToolError as e:
    r.append([e.kind, e.hard, e.tool])
r
""")
        self.assertEqual(result.value, [
            ["failed", "broken: no", False, "fail",
             "fail: broken: no (failed)"],
            ["budget_spent", "all gone", True, "fail_hard",
             "fail_hard: all gone (budget_spent)"],
            ["not_offered", False, "nope"]])

    def test_names_that_no_tool_can_have(self):
        result = run("""
r = []
for name in ('', 'x' * 129, '\\ud800'):
    try:
        call_tool(name, {})
    except ToolError as e:
        r.append(e.kind)
r
""")
        self.assertEqual(result.value, ["not_offered"] * 3)
        self.assertEqual(result.calls, [])
        self.assertEqual(run("try: call_tool('x' * 128)\n"
                             "except ToolError: pass").ids, [0])

    def test_uncaught_tool_error(self):
        error = run("def f():\n  fail(why=1)\nf()").error
        self.assertEqual(error["message"],
                         "ToolError: fail: broken: 1 (failed)")
        self.assertEqual(error["line"], 2)
        self.assertNotIn("bootstrap", error["traceback"])
        self.assertTrue(error["traceback"].endswith(
            "ToolError: fail: broken: 1 (failed)\n"))

    def test_handle_says_what_to_do(self):
        result = run("""
h = big()
r = [type(h) is ToolResultHandle, h.size, repr(h)]
for use in (lambda: h[0], lambda: list(h), lambda: len(h), lambda: h.get('x'),
            lambda: 'x' in h, lambda: h + 1, lambda: int(h)):
    try:
        use()
    except TypeError as e:
        r.append(str(e))
r
""")
        self.assertEqual(result.value[:2], [True, 123456])
        self.assertEqual(len(result.value), 10)
        self.assertEqual(len(set(result.value[3:])), 1)
        self.assertIn("123456 bytes", result.value[3])
        for word in (".read(", ".lines(", ".search("):
            self.assertIn(word, result.value[3])

    def test_what_a_handle_has(self):
        result = run("h, i = big(), shown()\n"
                     "[h.token, h.size, h.preview, h.tool, i.preview]",
                     tools=dict(TOOLS, shown=lambda a: host.Handle(
                         "t\u00e9", 7, preview="caf\u00e9\n\0")))
        self.assertEqual(result.value, [
            "tok", 123456, "", "big", "caf\u00e9\n\0"])

    def test_handles_are_read_by_a_tool(self):
        result = run("h = big()\n"
                     "[h.read(), h.read(7, 9), h.lines(), h.lines(3, count=2),"
                     " h.search('x+'), h.search('x', 5, 6, 7, True),"
                     " read_tool_output(handle='tok', count=1)]",
                     own={"read_tool_output": READ})
        self.assertEqual(result.value, [
            "text", "text", ["lines"], ["lines"], [{"line": 1}],
            [{"line": 1}],
            {"text": "text", "lines": ["lines"], "matches": [{"line": 1}]}])
        given = [arguments for name, arguments in result.calls
                 if name == "read_tool_output"]
        self.assertEqual(given, [
            {"handle": "tok", "offset": 0, "length": None},
            {"handle": "tok", "offset": 7, "length": 9},
            {"handle": "tok", "start": 0, "count": None},
            {"handle": "tok", "start": 3, "count": 2},
            {"handle": "tok", "pattern": "x+", "offset": 0, "length": None,
             "limit": None, "ignore_case": False},
            {"handle": "tok", "pattern": "x", "offset": 5, "length": 6,
             "limit": 7, "ignore_case": True},
            {"handle": "tok", "count": 1}])

    def test_a_handle_that_is_refused(self):
        def refuse(arguments):
            raise host.Failed("handle_not_yours", "no such handle")
        result = run("try: big().lines()\n"
                     "except ToolError as e: r = [e.kind, e.tool]\nr",
                     own={"read_tool_output": refuse})
        self.assertEqual(result.value,
                         ["handle_not_yours", "read_tool_output"])

    def test_tools_that_every_program_has(self):
        result = run("[TOOLS, list_tools(), get_tool_info(name='x')]",
                     tools={"t": len}, own={"list_tools": lambda a: ["a"],
                                    "get_tool_info": lambda a: a})
        self.assertEqual(result.value, [["t"], ["a"], {"name": "x"}])

    def test_many_tools(self):
        tools = {"tool_%d" % i: TOOLS["echo"] for i in range(5000)}
        result = run("[len(TOOLS), tool_4999(x=1)]", tools=tools)
        self.assertEqual(result.value, [5000, {"x": 1}])


class Awaiting(unittest.TestCase):
    def test_handles_are_awaited(self):
        result = run("import asyncio\n"
                     "h = await big()\n"
                     "r = await asyncio.gather(h.read(1, 2), h.lines(),"
                     " h.search('x'))\n"
                     "said = []\n"
                     "for call in h.read(), h.lines(), h.search('x'):\n"
                     "    try: len(call)\n"
                     "    except TypeError as e: said.append(str(e))\n"
                     "[r, said, call_tool_sync('read_tool_output',"
                     " {'handle': h.token})['text']]",
                     own={"read_tool_output": READ})
        self.assertEqual(result.value[0],
                         ["text", ["lines"], [{"line": 1}]])
        for said, name in zip(result.value[1], ("read", "lines", "search")):
            self.assertIn("write: await handle.%s(...)" % name, said)
        self.assertEqual(result.value[2], "text")
        self.assertIn("read_tool_output", result.done["warnings"][0])

    def test_handles_are_awaited_without_asyncio(self):
        result = run("h = await big()\n[await h.lines(), await h.read()]",
                     own={"read_tool_output": READ})
        self.assertEqual(result.value, [["lines"], "text"])

    def test_awaiting_without_asyncio(self):
        result = run("import sys\nx = await add(a=1, b=2)\n"
                     "async def f():\n  return await add(a=x, b=10)\n"
                     "[x, await f(), await call_tool('add', {'a': 1, 'b': 1}),"
                     " call_tool_sync('add', {'a': 2, 'b': 2}),"
                     " 'async' 'io' in sys.modules]")
        self.assertEqual(result.value, [3, 13, 2, 4, False])

    def test_what_makes_a_program_awaiting(self):
        for program in ("async def f(): pass", "import asyncio",
                        "import asyncio.subprocess as s",
                        "from asyncio import gather",
                        "from asyncio.events import get_event_loop",
                        "def f():\n  async def g(): pass",
                        "async def f():\n  async for x in y: pass",
                        "async def f():\n  async with y: pass",
                        "if 0:\n  async def f(): await x"):
            with self.subTest(program):
                result = run(program + "\nt = add(a=1, b=2)\nr = repr(t)\n"
                             "t.close()\nr")
                self.assertEqual(result.value,
                                 "<tool call, write: await add(...)>")
                self.assertEqual(result.calls, [])
        for program in ("x = 'await async'", "import concurrent.futures",
                        "# async def\n", "from os import path"):
            with self.subTest(program):
                self.assertEqual(run(program + "\nadd(a=1, b=2)").value, 3)

    def test_gather_of_three_with_one_failure(self):
        result = run("""
import asyncio
r = await asyncio.gather(add(a=1, b=1), fail(why='x'), add(a=2, b=2),
                         return_exceptions=True)
[r[0], type(r[1]).__name__, r[1].kind, r[2]]
""", hold=3)
        self.assertEqual(result.value, [2, "ToolError", "failed", 4])
        self.assertEqual(result.ids, [0, 1, 2])
        error = run("import asyncio\nawait asyncio.gather(add(a=1, b=1),\n"
                    "  fail(why='x'))").error
        self.assertEqual(error["line"], 2)
        self.assertIn("broken: x", error["message"])

    def test_gather_of_many_out_of_order(self):
        result = run("import asyncio\n"
                     "await asyncio.gather(*[add(a=i, b=i * i) "
                     "for i in range(500)])", hold=500)
        self.assertEqual(result.value, [i + i * i for i in range(500)])
        self.assertEqual(result.ids, list(range(500)))

    def test_tasks(self):
        result = run("""
import asyncio
t = asyncio.create_task(add(a=1, b=2))
u = asyncio.ensure_future(echo(x=1))
done, _ = await asyncio.wait([t, u])
first = await asyncio.shield(add(a=5, b=5))
c = [await c for c in asyncio.as_completed([add(a=1, b=1)])]
repr(t)
[t.result(), u.result(), len(done), first, c, asyncio.iscoroutine(t)]
""", hold=0)
        self.assertEqual(result.value, [3, {"x": 1}, 2, 10, [2], False])

    @host.since(3, 11)
    def test_task_group(self):
        result = run("""
import asyncio
async with asyncio.TaskGroup() as group:
    tasks = [group.create_task(add(a=i, b=0)) for i in range(3)]
async with asyncio.timeout(60):
    tasks.append(asyncio.create_task(add(a=9, b=9)))
    await tasks[3]
try:
    async with asyncio.TaskGroup() as group:
        group.create_task(fail(why=1))
except* ToolError as e:
    kinds = [x.kind for x in e.exceptions]
[[t.result() for t in tasks], kinds]
""")
        self.assertEqual(result.value, [[0, 1, 2, 18], ["failed"]])

    def test_wait_for_abandons_the_reply(self):
        # The first call is answered after the second one was made.
        result = run("""
import asyncio
r = []
try:
    await asyncio.wait_for(add(a=1, b=1), 0.05)
except asyncio.TimeoutError:
    r.append('timeout')
r.append(await add(a=2, b=2))
r
""", hold=2)
        self.assertEqual(result.value, ["timeout", 4])
        self.assertNotIn("warnings", result.done)

    def test_cancelled_before_it_was_sent(self):
        result = run("""
import asyncio
t = asyncio.create_task(add(a=1, b=1))
t.cancel()
try:
    await t
except asyncio.CancelledError:
    r = 'cancelled'
r
""")
        self.assertEqual((result.value, result.calls), ("cancelled", []))

    def test_asyncio_run_inside_a_program_that_does_not_await(self):
        result = run("""
import asyncio
async def main():
    return sum(await asyncio.gather(*[add(a=i, b=1) for i in range(4)]))
first = asyncio.run(main())
loop = asyncio.new_event_loop()
second = loop.run_until_complete(main())
loop.close()
[first, second]
""")
        self.assertEqual(result.value, [10, 10])

    def test_loops_in_threads(self):
        result = run("""
import asyncio, threading
r = {}
async def main(n):
    r[n] = [await add(a=n, b=i) for i in range(20)]
    r[n] += await asyncio.gather(*[add(a=n, b=i) for i in range(20)])
    r[n].append(call_tool_sync('add', {'a': n, 'b': 0}))
threads = [threading.Thread(target=asyncio.run, args=(main(n),))
           for n in range(8)]
for t in threads: t.start()
for t in threads: t.join()
all(r[n] == [n + i for i in range(20)] * 2 + [n] for n in range(8)), len(r)
""")
        self.assertEqual(result.value, [True, 8])

    def test_sync_calls_beside_a_loop(self):
        result = run("""
import asyncio
def work(n):
    return [call_tool_sync('add', {'a': n, 'b': i}) for i in range(30)]
loop = asyncio.get_running_loop()
jobs = [loop.run_in_executor(None, work, n) for n in range(4)]
mine = [await add(a=100, b=i) for i in range(30)]
theirs = await asyncio.gather(*jobs)
mine == [100 + i for i in range(30)] and theirs == [
    [n + i for i in range(30)] for n in range(4)]
""")
        self.assertIs(result.value, True)

    def test_never_awaited(self):
        result = run("async def f(): pass\nadd(a=1, b=1)\nadd(a=1, b=2)\n"
                     "t = add(a=1, b=3)\nx = await add(a=2, b=2)\nx")
        self.assertEqual(result.value, 4)
        self.assertEqual(result.calls, [("add", {"a": 2, "b": 2})])
        self.assertEqual(result.done["warnings"], [
            "tool call add was created but never awaited (3 times): write "
            "await before it"])
        many = "".join("call_tool('%s%d')\n" % ("n" * 600, i)
                       for i in range(20))
        result = run("async def f(): pass\n" + many)
        self.assertEqual(len(result.done["warnings"]), 16)
        self.assertLessEqual(max(map(len, result.done["warnings"])), 512)

    def test_use_before_await(self):
        result = run("""
async def f(): pass
t = add(a=1, b=2)
r = []
for use in (lambda: t['x'], lambda: list(t), lambda: len(t), lambda: t.get,
            lambda: t + 1, lambda: 1 + t, lambda: -t, lambda: 'x' in t,
            lambda: t < 3, lambda: int(t), lambda: t.items()):
    try:
        use()
    except TypeError as e:
        r.append(str(e))
assert t and hasattr(t, '__len__') and not hasattr(t, 'cr_frame')
u = call_tool('get-user', {})
try:
    u[0]
except TypeError as e:
    r.append(str(e))
await t
await u
r
""")
        advice = ("a tool call has no value until it is awaited; write: "
                  "await %s")
        self.assertEqual(result.value, [advice % "add(...)"] * 11 + [
            advice % "call_tool('get-user', ...)"])

    def test_awaiting_twice(self):
        error = run("t = add(a=1, b=2)\nawait t\nawait t").error
        self.assertEqual(error["message"], "RuntimeError: this tool call was "
                         "awaited already")
        self.assertEqual(error["line"], 3)

    def test_something_else_than_a_tool_without_a_loop(self):
        error = run("""
class Foreign:
    def __await__(self):
        yield 'something'
await Foreign()
""").error
        self.assertIn("needs an event loop", error["message"])
        self.assertEqual(error["line"], 4)
        self.assertEqual(run("""
import types
@types.coroutine
def pause():
    yield
await pause()
await add(a=1, b=1)
""").value, 2)

    def test_coroutine_driven_by_hand(self):
        result = run("""
async def f():
    return await add(a=1, b=1) + await add(a=2, b=2)
c = f()
try:
    c.send(None)
except StopIteration as stop:
    r = stop.value
r
""")
        self.assertEqual(result.value, 6)

    def test_loop_closed_with_calls_in_flight(self):
        result = run("""
import asyncio
async def main():
    asyncio.create_task(add(a=1, b=1))
    await asyncio.sleep(0)
asyncio.run(main())
async def other():
    return await add(a=2, b=2)
asyncio.run(other())
""", hold=2)
        self.assertEqual(result.value, 4)
        self.assertEqual(len(result.calls), 2)

    @host.since(3, 12)
    def test_eager_tasks(self):
        result = run("""
import asyncio
asyncio.get_running_loop().set_task_factory(asyncio.eager_task_factory)
await asyncio.gather(*[asyncio.create_task(add(a=i, b=1)) for i in range(4)])
""")
        self.assertEqual(result.value, [1, 2, 3, 4])
