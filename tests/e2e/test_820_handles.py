#!/usr/bin/env python3
"""Results that are too large to deliver: kept by the host, whole, and read by
a handle. And the tools that every execution has."""
import hashlib
import json
import os

from weir_test import ECHO, Case, Watched, finish, main, run, shell


# A tool whose result is the JSON text in a file.
def tool_of(path):
    return ["cat", path]


CAUGHT = """
def caught(function, *args, **more):
    try:
        return function(*args, **more)
    except ToolError as error:
        return [error.kind, error.hard, error.message]
"""

TEXT = "".join("line %d: caf\u00e9 \U0001f600\n" % n for n in range(5000))


class Handles(Case):
    """Each program has the tool `big`, whose result is over the limit."""

    LIMITS = {"result_bytes": "64K"}

    def setUp(self):
        super().setUp()
        self.text = TEXT
        self.tools = {"big": tool_of(self.json("big", TEXT)), "echo": ECHO}

    def json(self, name, value):
        path = self.write(name, json.dumps(value))
        os.chmod(self.directory, 0o755)
        return path

    def kept(self, program, *options, limits=None, tools=None, **more):
        return self.succeeds(
            CAUGHT + program, *options, tools=tools or self.tools,
            limits=dict(self.LIMITS, **(limits or {})), **more)

    def read(self, program, **more):
        return self.kept("h = big()\n" + program, **more)["value"]

    def test_what_a_handle_is(self):
        value = self.read(
            "again = big()\n"
            "return [isinstance(h, ToolResultHandle), h.size, h.tool,"
            " h.preview, h.token, again.token, repr(h)]")
        size = len(TEXT.encode())
        self.assertEqual(value[:3], [True, size, "big"])
        self.assertLessEqual(len(value[3].encode()), 1000)
        self.assertGreater(len(value[3].encode()), 996)
        self.assertTrue(TEXT.startswith(value[3]))
        for token in value[4:6]:
            self.assertRegex(token, "^h-[0-9a-f]{32}$")
        self.assertNotEqual(value[4], value[5])
        self.assertIn(str(size), value[6])
        self.assertNotIn(value[4], value[6])

    def test_at_the_limit_and_one_past_it(self):
        paths = {"at": self.json("at", "x" * 98),
                 "past": self.json("past", "x" * 99)}
        value = self.kept(
            "return [type(at()).__name__, type(past()).__name__,"
            " past().size, caught(past().read)[0]]",
            tools={name: tool_of(path) for name, path in paths.items()},
            limits={"result_bytes": 100})["value"]
        self.assertEqual(value, ["str", "ToolResultHandle", 99,
                                 "result_too_large"])

    def test_the_whole_text_comes_back_by_bytes(self):
        value = self.read(
            "import hashlib\n"
            "digest, at = hashlib.sha256(), 0\n"
            "while at < h.size:\n"
            "    part = h.read(at, 10007).encode()\n"
            "    assert part and len(part) <= 10007\n"
            "    digest.update(part)\n"
            "    at += len(part)\n"
            "return [at, digest.hexdigest()]")
        text = TEXT.encode()
        self.assertEqual(value, [len(text), hashlib.sha256(text).hexdigest()])

    def test_the_whole_text_comes_back_by_lines(self):
        value = self.read(
            "lines, at = [], 0\n"
            "while True:\n"
            "    part = call_tool('read_tool_output', {'handle': h.token,"
            " 'start': at, 'count': 777})\n"
            "    assert part['start'] == at and part['cut'] == []\n"
            "    lines += part['lines']\n"
            "    at = part['next']\n"
            "    if at is None: break\n"
            "import hashlib\n"
            "return [len(lines), part['total'],"
            " '\\n'.join(lines) == ''.join('line %d: caf\\u00e9"
            " \\U0001f600\\n' % n for n in range(5000))]")
        self.assertEqual(value, [5001, 5001, True])

    def test_windows_never_cut_a_character(self):
        at = TEXT.encode().index("\U0001f600".encode())
        value = self.read(
            "at = %d\n"
            "return [[h.read(at + n, length) for n in range(5)]"
            " for length in (1, 3, 4, 5)]" % at)
        face = "\U0001f600"
        self.assertEqual(value, [
            [face] * 4 + ["\n"], [face] * 4 + ["\nli"],
            [face] * 4 + ["\nlin"], [face + "\n"] * 4 + ["\nline"]])

    def test_windows_at_the_end(self):
        value = self.read(
            "return [h.read(h.size - 2), h.read(h.size), h.read(h.size + 9),"
            " h.read(2 ** 53 - 1), h.lines(5000), h.lines(5001),"
            " h.lines(2 ** 53 - 1), h.lines(4998)]")
        self.assertEqual(value, [
            "\U0001f600\n", "", "", "", [""], [], [],
            TEXT.split("\n")[4998:]])

    def test_numbers_at_their_limits(self):
        value = self.read(
            "r = lambda **more: caught(read_tool_output, handle=h.token,"
            " **more)\n"
            "return [len(h.lines()), len(h.lines(0, 1000)),"
            " r(count=1001)[2], r(count=0)[2], r(start=-1)[2],"
            " r(offset=0, length=1048577)[2], r(length=1)['next'],"
            " r(length=0)[2], r(start=1.0)[2], r(start='1')[2],"
            " r(pattern='x', limit=1000)['matches'],"
            " r(pattern='x', limit=1001)[2], r(offset=2**53)[2]]")
        self.assertEqual(value[:2], [200, 1000])
        for n, words in ((2, "count is an integer from 1 to 1000"),
                         (3, "count is an integer from 1 to 1000"),
                         (4, "start is an integer from 0 to "),
                         (5, "length is an integer from 1 to 1048576"),
                         (7, "length is an integer from 1 to 1048576"),
                         (8, "start is an integer from 0 to "),
                         (9, "start is an integer"),
                         (11, "limit is an integer from 1 to 1000"),
                         (12, "offset is an integer from 0 to ")):
            self.assertIn(words, value[n])
        self.assertEqual(value[6], 1)
        self.assertEqual(value[10], [])

    def test_arguments_that_are_none(self):
        value = self.read(
            "r = lambda **more: caught(read_tool_output, **more)[2]\n"
            "t = h.token\n"
            "return [r(), r(handle=1), r(handle=None), r(handle=t, where=1),"
            " r(handle=t, start=0, offset=0), r(handle=t, count=1,"
            " pattern='x'), r(handle=t, limit=1), r(handle=t, pattern='x',"
            " ignore_case=1), r(handle=t, pattern='a' * 1001),"
            " r(handle=t, pattern='('), r(handle=t, pattern='(' * 51 +"
            " ')' * 51), r(handle=t, pattern='\\\\C')]")
        for got, words in zip(value, (
                "handle is missing", "handle is a string",
                "handle is missing", "there is no argument where",
                "start does not go with offset",
                "count does not go with pattern",
                "limit does not go with lines",
                "ignore_case is true or false",
                "pattern is over the limit of 1000 bytes",
                "the pattern is not one", "the pattern is not one",
                "the pattern is not one")):
            self.assertIn(words, got)

    def test_long_lines_are_cut_and_said_to_be(self):
        text = "\n".join("\u00e9" * n for n in (1999, 2000, 2001, 0)) + "\n" * 2
        self.tools["big"] = tool_of(self.json("long", text))
        value = self.read(
            "part = read_tool_output(handle=h.token)\n"
            "return [[len(s) for s in part['lines']], part['cut'],"
            " part['total']]", limits={"result_bytes": 17000})
        self.assertEqual(value, [[1999, 2000, 2000, 0, 0, 0], [2], 6])

    def test_what_is_no_string_is_its_json(self):
        text = '{ "a" : [1.50, "caf\\u00e9"],\r\n"b": "%s" }' % ("x" * 70000)
        self.tools["big"] = tool_of(self.write("raw", "\n " + text + " \n"))
        os.chmod(self.directory, 0o755)
        value = self.read(
            "return [h.size, h.read(0, 40), h.lines(0, 1),"
            " [m['offset'] for m in h.search('\"b\"')]]")
        self.assertEqual(value, [len(text), text[:40], [text.split("\n")[0]],
                                 [text.index('"b"')]])

    def test_a_handle_is_no_data(self):
        value = self.read(
            "said = []\n"
            "for use in (len, iter, lambda h: h[0], lambda h: h.get('x'),"
            " lambda h: h + '', lambda h: 'x' in h, lambda h: h.split()):\n"
            "    try: use(h)\n"
            "    except TypeError as error: said.append(str(error))\n"
            "return said")
        self.assertEqual(len(value), 7)
        for said in value:
            self.assertRegex(said, r"\.read\(.*\.lines\(.*\.search\(")

    def test_programs_that_await(self):
        value = self.kept(
            "import asyncio, threading\n"
            "h = await big()\n"
            "a, b, c = await asyncio.gather(h.read(5, 1), h.lines(1, 1),"
            " h.search('line 4999'))\n"
            "try: len(h.read())\n"
            "except TypeError as error: said = str(error)\n"
            "got = []\n"
            "t = threading.Thread(target=lambda: got.append(call_tool_sync("
            "'read_tool_output', {'handle': h.token, 'count': 1})['lines']))\n"
            "t.start(); t.join()\n"
            "return [a, b, c[0]['line'], said, got]")["value"]
        first = TEXT.split("\n")[0]
        self.assertEqual(value[:3], ["0", [TEXT.split("\n")[1]], 4999])
        self.assertIn("await handle.read(...)", value[3])
        self.assertEqual(value[4], [[first]])

    def test_searches(self):
        value = self.read(
            "found = h.search(r'line 49\\d+(?=:)', limit=3)\n"
            "more = read_tool_output(handle=h.token, pattern='LINE 49[0-9]+',"
            " ignore_case=True, offset=found[2]['offset'] + 1, limit=500)\n"
            "return [found, more['matches'][0]['match'], more['next'],"
            " len(more['matches']), h.search('no such'),"
            " h.search('\\\\w+ (?=\\U0001f600)', limit=1)[0]['match'],"
            " len(h.search('^', limit=1000)), h.search('$', offset=h.size),"
            " h.search('line', offset=1, length=20)]",
            limits={"result_bytes": "160K"})
        lines = TEXT.split("\n")
        found = value[0]
        self.assertEqual([m["line"] for m in found], [490, 491, 492])
        for match in found:
            self.assertEqual(match["text"], lines[match["line"]])
            at = match["offset"]
            self.assertEqual(
                TEXT.encode()[at:at + match["length"]].decode(),
                match["match"])
        self.assertEqual(value[1:4], ["line 493", None, 107])
        self.assertEqual(value[4:7], [[], "caf\u00e9 ", 1000])
        self.assertEqual([m["line"] for m in value[7]], [5000])
        self.assertEqual([m["line"] for m in value[8]], [1])

    def test_every_match_once_whatever_the_limit(self):
        value = self.read(
            "def every(limit):\n"
            "    found, at = [], 0\n"
            "    while at is not None:\n"
            "        part = read_tool_output(handle=h.token,"
            " pattern='9:|$', offset=at, limit=limit)\n"
            "        found += [(m['offset'], m['length'])"
            " for m in part['matches']]\n"
            "        at = part['next']\n"
            "    return found\n"
            "a = every(1000)\n"
            "return [a == every(97), len(a), len(set(a))]",
            limits={"result_bytes": "160K"})
        self.assertEqual(value, [True, 5501, 5501])

    def test_a_search_that_is_too_much_is_stopped(self):
        self.tools["big"] = tool_of(
            self.json("aaa", "needle\n" + "a" * 100000 + "!"))
        value = self.read(
            "return [caught(h.search, '^(a+)+$'), caught(h.search, "
            "'x*x*x*y|(a|b|aa)+$'), h.search('needle')[0]['line']]")
        for said in value[:2]:
            self.assertEqual(said[:2], ["failed", False])
            self.assertRegex(said[2], "too many steps .*at byte [0-9]+")
        self.assertEqual(value[2], 0)

    def test_room_for_what_is_kept(self):
        sizes = {"fits": 70000, "too": 70001}
        tools = {name: tool_of(self.json(name, "x" * (size - 2)))
                 for name, size in sizes.items()}
        value = self.kept(
            "a = fits().size\n"
            "return [a, caught(fits)]", tools=tools,
            limits={"kept_bytes": 70000})["value"]
        self.assertEqual(value[0], 69998)
        self.assertEqual(value[1][:2], ["binding_result_not_paged", False])
        self.assertIn("kept_bytes", value[1][2])
        value = self.kept(
            "return [caught(too)[0], caught(fits).size]", tools=tools,
            limits={"kept_bytes": 70000})["value"]
        self.assertEqual(value, ["binding_result_not_paged", 69998])

    def test_nothing_is_kept_where_that_is_off(self):
        result = self.kept("return caught(big)", limits={"kept_bytes": 0})
        self.assertEqual(result["value"][:2], ["result_too_large", False])

    def test_a_result_without_an_end(self):
        value = self.kept(
            "return [caught(endless), caught(big).size]",
            tools=dict(self.tools, endless=["cat", "/dev/zero"]),
            limits={"kept_bytes": "2M"})["value"]
        self.assertEqual(value[0][:2], ["binding_result_not_paged", False])
        self.assertIn("can be kept", value[0][2])
        self.assertEqual(value[1], len(TEXT.encode()))

    def test_results_that_arrive_at_once_share_the_room(self):
        """What calls hold on their way counts, so one of two that would fit
        alone is stopped; and afterwards there is room again."""
        meeting = self.meeting()
        path = self.json("half", "x" * 1500000)
        waits = shell('echo x >"$1"; read line <"$2"; cat "$3"',
                      meeting.arrived, meeting.go, path)
        process = self.start(
            CAUGHT + "import asyncio\n"
            "async def one():\n"
            "    try: return (await waits()).size\n"
            "    except ToolError as error: return error.kind\n"
            "return await asyncio.gather(one(), one())",
            tools={"waits": waits},
            limits=dict(self.LIMITS, kept_bytes="2M"))
        self.assertTrue(meeting.wait(2, process))
        meeting.release(2)
        value = finish(process).result["value"]
        self.assertIn("binding_result_not_paged", value)

    def test_answers_over_the_limit_are_refused(self):
        value = self.read(
            "return [caught(h.read, 0, 65536)[0], len(h.read(0, 60000)) > 0,"
            " caught(h.lines, 0, 1000)]", limits={"result_bytes": 65000})
        self.assertEqual(value[0], "result_too_large")
        self.assertIs(value[1], True)

    def test_a_result_that_is_not_json_is_not_kept(self):
        self.tools["big"] = tool_of(self.write("bad", "x" * 70000))
        os.chmod(self.directory, 0o755)
        value = self.kept("return caught(big)")["value"]
        self.assertEqual(value[0], "failed")

    def test_reading_spends_the_same_budgets(self):
        result = self.kept(
            "h = big()\n"
            "return [len(h.lines(0, 1)), caught(h.lines)[:2],"
            " caught(h.lines)[:2]]", limits={"calls": 2})
        self.assertEqual(result["value"], [
            1, ["budget_spent", True], ["budget_spent", True]])
        self.assertEqual(result["calls"]["completed"], 2)
        result = self.kept(
            "h = big()\n"
            "return [len(h.read(0, 3000)) > 0, caught(h.read, 0, 3000)[:2]]",
            limits={"total_bytes": 6000})
        self.assertEqual(result["value"], [True, ["budget_spent", True]])

    def test_the_list_of_calls(self):
        calls = self.kept(
            "h = big()\n"
            "h.lines(0, 1), h.search('x'), caught(h.lines, -1)\n"
            "return list_tools()")["calls"]["list"]
        self.assertEqual(
            [(c["tool"], c["state"], c["kind"]) for c in calls],
            [("big", "completed", None)] +
            [("read_tool_output", "completed", None)] * 2 +
            [("read_tool_output", "failed", "failed"),
             ("list_tools", "completed", None)])
        self.assertEqual(calls[0]["result_bytes"],
                         len(json.dumps(TEXT)))


class Foreign(Handles):
    """Handles that are not of this execution: one answer for all."""

    # Not once more.
    for name in list(vars(Handles)):
        if name.startswith("test_"):
            locals()[name] = None
    del name

    def test_all_are_refused_in_the_same_words(self):
        state = self.path("state")
        earlier = [
            self.read("return h.token"),
            self.kept("return big().token", "--state", state,
                      "--run", "r")["value"],
            self.kept("return big().token", "--state", state,
                      "--run", "other")["value"]]
        never = "h-" + "0" * 32
        told = self.kept(
            "h = big()\n"
            "own = h.token\n"
            "said = [caught(read_tool_output, handle=t) for t in %r + ["
            "own[:-1], own + '0', own.upper(), own[:-1] + ('0' if own[-1] !="
            " '0' else '1'), '', 'x', own + '\\0', 'x' * 1000]]\n"
            "return [said, len(h.lines(0, 1))]" % (earlier + [never],),
            "--state", state, "--run", "r")["value"]
        self.assertEqual(len(told[0]), 12)
        for said in told[0]:
            self.assertEqual(said, told[0][3])
        self.assertEqual(told[0][3][:2], ["handle_not_yours", False])
        self.assertEqual(told[1], 1)

    def test_so_is_one_of_an_execution_that_runs(self):
        meeting = self.meeting()
        path = self.path("token")
        holder = self.start(
            CAUGHT + "h = big()\nleave(token=h.token)\nwait()\n"
            "return len(h.lines(0, 1))",
            tools=dict(self.tools, wait=meeting.tool(),
                       leave=shell('cat >"$1"; echo 1', path)),
            limits=self.LIMITS)
        self.assertTrue(meeting.wait(1, holder))
        with open(path) as file:
            token = json.load(file)["token"]
        told = self.read(
            "return [caught(read_tool_output, handle=%r),"
            " caught(read_tool_output, handle='x')]" % token)
        self.assertEqual(told[0], told[1])
        meeting.release(1)
        self.assertEqual(finish(holder).result["value"], 1)


class OwnTools(Case):
    def test_list_and_info(self):
        value = self.value(
            CAUGHT +
            "return [list_tools(), call_tool('list_tools'), TOOLS,"
            " get_tool_info(name='echo'),"
            " get_tool_info(name='read_tool_output')['name'],"
            " caught(get_tool_info, name='none')[0],"
            " caught(get_tool_info)[0], caught(list_tools, x=1)[0]]",
            tools={"echo": ECHO, "odd name/\u00e9": ECHO})
        names = ["echo", "odd name/\u00e9"]
        self.assertEqual(value, [
            names, names, names, {"name": "echo", "provider": "command"},
            "read_tool_output", "not_found", "failed", "failed"])

    def test_without_any_other_tool(self):
        value = self.value(
            CAUGHT + "return [list_tools(), TOOLS,"
            " caught(read_tool_output, handle='x')[0]]")
        self.assertEqual(value, [[], [], "handle_not_yours"])

    def test_what_a_policy_leaves_out(self):
        policy = self.write("policy.json", json.dumps(
            {"schema": "weir.policy/1", "tools": ["a"]}))
        os.chmod(policy, 0o644)
        os.chmod(self.directory, 0o755)
        value = self.value(
            CAUGHT + "return [list_tools(), caught(get_tool_info,"
            " name='b')[0]]", "--policy-file", policy,
            tools={"a": ECHO, "b": ECHO})
        self.assertEqual(value, [["a"], "not_found"])

    def test_their_names_are_reserved(self):
        for name in ("read_tool_output", "list_tools", "get_tool_info"):
            got = run("1", tools={name: ECHO})
            self.assertEqual(got.code, 2)
            self.assertRegex(got.stderr.decode(),
                             "^weir: .*%s.*reserved" % name)


class Ends(Watched):
    """A search is work of the host: it ends with the execution, and others
    have their turn meanwhile."""

    def big(self, text):
        path = self.path("big")
        with open(path, "w") as file:
            json.dump(text, file)
        return {"big": tool_of(path)}

    def test_the_program_ends_while_it_searches(self):
        got = run(
            "import threading, os\n"
            "h = big()\n"
            "for n in range(8):\n"
            "    threading.Thread(target=lambda: h.search('[ab]*+c|[ab]*+d'),"
            " daemon=True).start()\n"
            "while True:\n"
            "    if len(TOOLS) == 1: os._exit(3)\n",
            tools=self.big("ab" * 500000), limits={"result_bytes": "64K"})
        self.assertEqual(got.kind, "worker_exit")
        calls = got.result["calls"]
        self.assertEqual(calls["total"], calls["completed"] +
                         calls["failed"] + calls["refused"])

    def test_searches_take_turns_with_other_calls(self):
        """The quick call is made after the searches have been sent, and
        answered before they are."""
        value = run(
            "import asyncio\n"
            "h = await big()\n"
            "order = []\n"
            "async def search():\n"
            "    try: await h.search('(?:a?){3}a*+[bc]')\n"
            "    except ToolError: pass\n"
            "    order.append('search')\n"
            "async def quick():\n"
            "    await h.read(0, 1)\n"
            "    order.append('read')\n"
            "await asyncio.gather(*[search() for n in range(3)], quick())\n"
            "return order", tools=self.big("a" * 4000000),
            limits={"result_bytes": "64K"}).result["value"]
        self.assertEqual(value, ["read"] + ["search"] * 3)


if __name__ == "__main__":
    main()
