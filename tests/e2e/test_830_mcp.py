#!/usr/bin/env python3
"""Tools of MCP servers: what a program gets of them, and what servers that
break every rule can do to it, to each other, and to the host."""
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile

from test_103_tools import call_from_threads
from weir_test import (ECHO, HANG, HERE, PYTHON, TOOLS, WEIR, Case, Watched,
                       become_subreaper, finish, main, processes_named, rows,
                       run, stop, survivors, wait_for_orphans)

SERVER = [sys.executable, "-B", str(HERE / "mcp_server.py")]


def entry(*words, **more):
    return dict({"command": SERVER[0], "args": SERVER[1:] + list(words)},
                **more)


class Servers(Case):
    """Cases with a configuration."""

    def config(self, servers, name="mcp.json"):
        text = servers if isinstance(servers, (str, bytes)) else json.dumps(
            {"mcpServers": servers})
        return "--mcp-config=" + self.write(name, text)

    def with_servers(self, servers, program, **more):
        return self.succeeds(program, self.config(servers), **more)

    def ask(self, program, *words, **more):
        """The value of a program that has one server, called s."""
        return self.with_servers({"s": entry(*words)}, program,
                                 **more)["value"]

    def error_of(self, call, *words, limits=None):
        """Kind and message of the ToolError that a call raises."""
        return self.ask("try:\n    %s\nexcept ToolError as error:\n"
                        "    return [error.kind, error.message]" % call,
                        *words, limits=limits)


class Calls(Servers):
    def test_every_spelling_of_a_call(self):
        value = self.ask(
            "return [s.echo(a=1), s.echo({'a': 1}), s.echo(),"
            " call_tool('s.echo', {'a': 1}), call_tool_sync('s.echo'),"
            " call_tool('s.get-sum', {'a': 20, 'b': 22}),"
            " call_tool('s.add.two'), 's.get-sum' in TOOLS]")
        self.assertEqual(value, [{"a": 1}, {"a": 1}, {}, {"a": 1}, {},
                                 {"sum": 42}, "two", True])

    def test_threads(self):
        call_from_threads(self, "s.echo", 100, self.config({"s": entry()}))

    def test_awaited(self):
        value = self.ask(
            "import asyncio\n"
            "async def one(n):\n"
            "    return (await s.hold(n=n, until=5))['n']\n"
            "return await asyncio.gather(*map(one, range(5)))")
        self.assertEqual(value, [0, 1, 2, 3, 4])

    def test_a_call_that_is_not_awaited_says_how_to_spell_it(self):
        result = self.fails(
            "exception", "import asyncio\ns.echo(a=1)['a']",
            self.config({"s": entry()})).result
        self.assertIn("await s.echo(...)", result["error"]["message"])

    def test_names_that_are_no_identifiers(self):
        servers = {"my-server": entry(), "list": entry(), "class": entry(),
                   "echo": entry()}
        result = self.succeeds(
            "import sys\n"
            "return [call_tool('my-server.echo', {'a': 1}),"
            " call_tool('list.echo', {'a': 2}),"
            " call_tool('class.echo', {'a': 3}),"
            " call_tool('echo.echo', {'a': 4}), echo(b=5),"
            " list('ab'), hasattr(s, 'get_sum') if 's' in dir() else None]",
            self.config(servers), tools={"echo": ECHO})
        self.assertEqual(result["value"], [
            {"a": 1}, {"a": 2}, {"a": 3}, {"a": 4}, {"b": 5}, ["a", "b"],
            None])

    def test_a_tool_that_is_not_there_is_named(self):
        message = self.ask(
            "try:\n    s.get_sum\nexcept AttributeError as error:\n"
            "    return str(error)")
        self.assertIn("no tool is called s.get_sum", message)
        self.assertIn("TOOLS", message)

    def test_no_object_is_made_for_what_has_none(self):
        self.assertEqual(self.value("return [ToolError.__module__, "
                                    "'ToolServer' in globals()]"),
                         ["__main__", False])

    def test_values_cross_unchanged(self):
        result = self.ask(
            "import json\n"
            "sent = {'text': 'é \\u2028 \\x00 \\x7f', 'int': 10 ** 40,"
            " 'float': [0.1, 5e-324, -0.0], 'none': None}\n"
            "got = s.say(result={'content': [], 'structuredContent': sent})\n"
            "return [got == sent, repr(got) == repr(sent), got['int']]")
        self.assertEqual(result, [True, True, 10 ** 40])

    def test_numbers_keep_their_spelling(self):
        self.assertEqual(self.ask(
            "return s.raw(line='{\"id\":ID,\"result\":{\"structuredContent\":"
            "123456789012345678901234567890}}')"),
            123456789012345678901234567890)

    def test_what_is_known_of_a_tool(self):
        info = self.ask("return get_tool_info(name='s.echo')")
        self.assertEqual(info, {
            "name": "s.echo", "provider": "mcp",
            "description": "The tool echo.", "inputSchema": {
                "type": "object",
                "properties": {"text": {"type": "string"}}}})
        listed = self.ask("return [list_tools() == list(TOOLS), len(TOOLS) > 20]")
        self.assertEqual(listed, [True, True])

    def test_ledger_and_budget_count_them(self):
        result = self.succeeds(
            "for n in range(3):\n    s.echo(n=n)\n"
            "try:\n    s.echo()\n"
            "except ToolError as error:\n"
            "    return [error.kind, error.hard]",
            self.config({"s": entry()}), limits={"calls": 3})
        self.assertEqual(result["value"], ["budget_spent", True])
        self.assertEqual(result["calls"]["completed"], 3)

    def test_a_result_that_is_too_large_becomes_a_handle(self):
        self.assertEqual(self.ask(
            "got = s.big(size=5000000)\n"
            "return [type(got).__name__, got.size, got.read(4999990, 10)]",
            limits={"result_bytes": "1M", "kept_bytes": "16M"}),
            ["ToolResultHandle", 5000000, "x" * 10])

    def test_lines_of_megabytes(self):
        self.assertEqual(self.ask(
            "return [len(s.big(size=5 << 20)), len(s.big(size=20 << 20))]",
            limits={"result_bytes": "64M", "total_bytes": "256M",
                    "kept_bytes": "64M"}), [5 << 20, 20 << 20])

    def test_a_line_that_nobody_can_hold(self):
        """And the calls beside it, and after it, are not affected."""
        self.assertEqual(self.ask(
            "import asyncio\n"
            "async def large():\n"
            "    try:\n"
            "        return len(await s.big(size=40 << 20))\n"
            "    except ToolError as error:\n"
            "        return error.kind\n"
            "got = await asyncio.gather(large(), s.echo(a=1))\n"
            "return [*got, await s.echo(a=2)]",
            limits={"kept_bytes": "4M"}),
            ["binding_result_not_paged", {"a": 1}, {"a": 2}])

    def test_nothing_is_kept_at_all(self):
        self.assertEqual(self.error_of(
            "s.big(size=17 << 20)", limits={"kept_bytes": 0})[0],
            "result_too_large")


class Results(Servers):
    """What becomes of a result: see bindings/mcp_result.h."""

    def check(self, result, expected):
        self.assertEqual(self.ask("return s.say(result=%r)" % result),
                         expected)


def texts(*parts):
    return [{"type": "text", "text": part} for part in parts]


IMAGE = {"type": "image", "data": "aGk=", "mimeType": "image/png"}

rows(Results, {
    "structured": ({"content": texts("{}"), "structuredContent": {"a": 1}},
                   {"a": 1}),
    "structured_alone": ({"structuredContent": [1, 2]}, [1, 2]),
    "structured_null": ({"content": texts("t"), "structuredContent": None},
                        "t"),
    "structured_and_image": (
        {"content": texts("t") + [IMAGE], "structuredContent": {"a": 1}},
        {"structuredContent": {"a": 1}, "content": texts("t") + [IMAGE]}),
    "text": ({"content": texts("plain")}, "plain"),
    "text_of_json": ({"content": texts(' {"a": [1, 2.50]}\n')},
                     {"a": [1, 2.5]}),
    "text_like_json": ({"content": texts("[not json]")}, "[not json]"),
    "text_of_a_number": ({"content": texts("42")}, "42"),
    "texts": ({"content": texts("a", "[1]", "")}, ["a", [1], ""]),
    "nothing": ({"content": []}, None),
    "no_content": ({}, None),
    "blocks": ({"content": texts("t") + [
        dict(IMAGE, _meta={}, annotations={"priority": 1}, icons=[])]},
        texts("t") + [IMAGE]),
    "link": ({"content": [{"type": "resource_link", "uri": "file:///x"}]},
             [{"type": "resource_link", "uri": "file:///x"}]),
    "odd_blocks": ({"content": [7, {"type": "text"}, {"a": {"b": "\n"}}]},
                   [7, {"type": "text"}, {"a": {"b": "\n"}}]),
    "complete": ({"resultType": "complete", "content": texts("t")}, "t"),
})


class Errors(Servers):
    def test_is_error(self):
        kind, message = self.error_of("s.fail(text='kaput\\nbecause')")
        self.assertEqual(kind, "failed")
        self.assertIn("kaput\nbecause", message)

    def test_is_error_without_a_text(self):
        kind, message = self.error_of("s.say(result={'isError': True})")
        self.assertEqual(kind, "failed")
        self.assertIn("not why", message)

    def test_error_of_the_protocol(self):
        kind, message = self.error_of("s.error(code=-32602, message='bad')")
        self.assertEqual(kind, "failed")
        self.assertIn("MCP error -32602: bad", message)

    def test_errors_cost_what_arrived(self):
        for call in ("s.fail(text='x' * 100000)",
                     "s.error(message='x' * 100000)",
                     "s.raw(line='{\"id\":ID,\"result\":' + 'x' * 100000)"):
            result = self.with_servers(
                {"s": entry()}, "try:\n    %s\nexcept ToolError as error:\n"
                "    return error.kind" % call)
            self.assertEqual(result["value"], "failed", call)
            self.assertIn(result["budget"]["produced_bytes"]["used"],
                          range(100000, 101000), call)

    def test_result_of_an_unknown_type(self):
        kind, message = self.error_of("s.say(result={'resultType': 'later'})")
        self.assertEqual(kind, "failed")
        self.assertIn("unknown type: later", message)

    def test_result_that_is_no_object(self):
        for line in ('{"id":ID,"result":7}', '{"result":[],"id":ID}'):
            kind, message = self.error_of("s.raw(line=%r)" % line)
            self.assertEqual(kind, "failed")
            self.assertIn("no object", message)

    def test_a_tool_that_the_server_does_not_offer(self):
        self.assertEqual(self.error_of("call_tool('s.nothing')")[0],
                         "not_offered")
        self.assertEqual(self.error_of("call_tool('other.echo')")[0],
                         "not_offered")


class Input(Servers):
    """Nothing that a server asks reaches anybody (B9)."""

    def test_requests_for_input(self):
        for method in ("elicitation/create", "sampling/createMessage",
                       "roots/list"):
            kind, message = self.error_of("s.ask(method=%r)" % method)
            self.assertEqual(kind, "input_required", method)
            self.assertIn(method, message)
            self.assertIn("refused: -32601", message)

    def test_a_tool_that_runs_only_as_a_task(self):
        """It is refused before it runs."""
        self.assertEqual(self.error_of("s.task()")[0], "input_required")

    def test_input_required_as_a_result(self):
        self.assertEqual(self.error_of(
            "s.say(result={'resultType': 'input_required',"
            " 'inputRequests': {}})")[0], "input_required")

    def test_errors_that_ask_for_input(self):
        for code in (-32042, -32021):
            self.assertEqual(self.error_of("s.error(code=%d)" % code)[0],
                             "input_required")

    def test_a_call_that_succeeds_all_the_same(self):
        self.assertEqual(self.ask("return s.ping()"), {})
        kind, message = self.error_of("s.ask(method='made/up')")
        self.assertEqual(kind, "failed")
        self.assertIn("-32601", message)


class Disorder(Servers):
    """Servers that do what real ones have been seen to do, and worse."""

    def test_replies_out_of_order(self):
        value = self.ask(
            "import threading\n"
            "got = [None] * 20\n"
            "def call(n):\n"
            "    got[n] = s.hold(n=n, until=20)['n']\n"
            "threads = [threading.Thread(target=call, args=(n,))"
            " for n in range(20)]\n"
            "for thread in threads:\n    thread.start()\n"
            "for thread in threads:\n    thread.join()\n"
            "return got")
        self.assertEqual(value, list(range(20)))

    def test_notifications_and_a_reply_twice(self):
        self.assertEqual(self.ask("return [s.progress(), s.echo(a=1)]"),
                         ["done", {"a": 1}])

    def test_noise(self):
        result = self.with_servers(
            {"s": entry("banner")},
            "return [s.echo(n=n) for n in range(50)]")
        self.assertEqual(result["value"], [{"n": n} for n in range(50)])
        warnings = [w for w in result["warnings"] if "MCP server s" in w]
        self.assertEqual(len(warnings), 1, result["warnings"])
        self.assertIn("lines of its standard output were no messages",
                      warnings[0])

    def test_noise_up_to_its_bound(self):
        self.assertEqual(self.ask("return s.noise(line='x\\n', count=99)"),
                         "heard")
        kind, message = self.error_of("s.noise(line='x\\n', count=100)")
        self.assertEqual(kind, "failed")
        self.assertIn("no messages", message)

    def test_blank_lines_are_no_noise(self):
        self.assertEqual(self.ask(
            "return s.noise(line=' \\r\\n\\n', count=1000)"), "heard")

    def test_replies_that_are_no_json(self):
        for line, why in (
                ('{"id":ID,"result":{"content":"\\ud800"}}',
                 "half of a surrogate pair"),
                ('{"result":{"a":1,"a":2},"id":ID}', "twice"),
                ('{"result":' + "[" * 300 + "]" * 300 + ',"id":ID}',
                 "deeper"),
                ('{"result":{"content":nope},"id":ID}', "JSON")):
            kind, message = self.error_of("s.raw(line=%r)" % line)
            self.assertEqual(kind, "failed")
            self.assertIn(why, message)

    def test_replies_to_nobody(self):
        for line in ('{"id":99999,"result":{}}', '{"id":"ID","result":{}}',
                     '{"id":null,"error":{"code":1,"message":""}}',
                     '{"jsonrpc":"2.0"}', '{"id":1.5,"result":{}}',
                     '[{"id":ID,"result":{}}]'):
            self.assertEqual(self.ask(
                "import asyncio\n"
                "lost = asyncio.ensure_future(s.raw(line=%r))\n"
                "await asyncio.sleep(0)\n"
                "got = await s.echo(a=1)\n"
                "lost.cancel()\n"
                "return got" % line), {"a": 1}, line)

    def test_standard_error_is_drained(self):
        self.assertEqual(self.ask(
            "return [s.stderr(size=5000000), s.echo(a=1)]"),
            ["said", {"a": 1}])

    def test_questions_without_end(self):
        """Answers are not kept for a server that does not read them."""
        kind, message = self.error_of("s.questions(count=3000)")
        self.assertEqual(kind, "failed")
        self.assertIn("does not read the answers", message)

    def test_a_question_before_it_reads_the_calls(self):
        """They are no answers that it leaves lying."""
        fifo = self.path("fifo")
        os.mkfifo(fifo)
        self.assertEqual(self.with_servers(
            {"s": entry(), "other": entry()},
            "import asyncio\n"
            "got = await asyncio.gather(s.plug(fifo=%r),"
            " *[s.echo(t='x' * 100000) for _ in range(20)],"
            " other.unplug(fifo=%r))\n"
            "return [got[0], len(got), got[-1]]" % (fifo, fifo))["value"],
            [{}, 22, "unplugged"])

    def test_some_questions(self):
        self.assertEqual(self.ask("return s.questions(count=100)"), "asked")


class Time(Servers):
    # Long for those that answer, too.
    LIMITS = {"tool_time": "2s"}

    def test_timed_out(self):
        path = self.path("log")
        result = self.with_servers(
            {"s": entry("log=" + path)},
            "try:\n    s.never()\n"
            "except ToolError as error:\n"
            "    return [error.kind, error.message, s.echo(a=1)]",
            limits=self.LIMITS)
        kind, message, after = result["value"]
        self.assertEqual((kind, after), ("timed_out", {"a": 1}))
        self.assertIn("tool_time", message)
        self.assertEqual([c["state"] for c in result["calls"]["list"]],
                         ["unknown", "completed"])
        with open(path) as file:
            self.assertIn("cancelled 3\n", file.read())

    def test_timeout_of_the_server(self):
        result = self.with_servers(
            {"s": entry(timeout=2000)},
            "try:\n    s.never()\n"
            "except ToolError as error:\n"
            "    return [error.kind, error.message, s.echo(a=1)]")
        kind, message, after = result["value"]
        self.assertEqual((kind, after), ("timed_out", {"a": 1}))
        self.assertIn("the server's timeout", message)

    def test_a_late_reply_is_for_nobody(self):
        self.assertEqual(self.ask(
            "try:\n    s.hold(n=1)\n"
            "except ToolError as error:\n"
            "    return [error.kind, s.go(), s.echo(a=1)]",
            limits=self.LIMITS), ["timed_out", "gone", {"a": 1}])

    def test_one_slow_server_holds_up_nobody(self):
        self.assertEqual(self.with_servers(
            {"slow": entry(), "quick": entry()},
            "import asyncio\n"
            "waits = asyncio.ensure_future(slow.hold(n=1))\n"
            "await asyncio.sleep(0)\n"
            "got = [(await quick.echo(n=n))['n'] for n in range(100)]\n"
            "await slow.go()\n"
            "return [len(got), await waits]")["value"], [100, {"n": 1}])

    def test_the_end_of_the_execution(self):
        result = self.fails("timeout", "s.never()",
                            self.config({"s": entry()}),
                            limits={"wall": "500ms"}).result
        self.assertEqual(result["calls"]["unknown"], 1)


class Deaths(Servers):
    def test_in_the_middle_of_calls(self):
        result = self.with_servers(
            {"s": entry()},
            "import asyncio\n"
            "got = await asyncio.gather(s.never(), s.never(),"
            " s.die(stderr='oh no'), return_exceptions=True)\n"
            "try:\n    await s.echo()\n"
            "except ToolError as error:\n    got.append(error)\n"
            "return [[e.kind, e.message] for e in got]")
        kinds = [kind for kind, _ in result["value"]]
        self.assertEqual(kinds, ["failed"] * 3 + ["unreachable"])
        for _, message in result["value"]:
            self.assertIn("exit status 3", message)
            self.assertIn("oh no", message)
        self.assertIn("next execution", result["value"][3][1])
        self.assertEqual(
            [c["state"] for c in result["calls"]["list"]],
            ["unknown"] * 3 + ["failed"])

    def test_by_a_signal(self):
        kind, message = self.error_of("s.die(signal=9)")
        self.assertEqual(kind, "failed")
        self.assertIn("signal 9", message)

    def test_others_live_on(self):
        self.assertEqual(self.with_servers(
            {"a": entry(), "b": entry()},
            "try:\n    a.die()\nexcept ToolError:\n"
            "    return b.echo(x=1)")["value"], {"x": 1})

    def test_what_it_said_before_is_heard(self):
        self.assertEqual(self.ask(
            "import asyncio\n"
            "got = await asyncio.gather(s.big(size=3000000), s.die(),"
            " return_exceptions=True)\n"
            "return [len(got[0]), got[1].kind]"), [3000000, "failed"])

    def test_stderr_is_escaped_and_cut(self):
        kind, message = self.error_of(
            r"s.die(stderr='begin' + '\x1b[31m' * 1000)")
        self.assertNotIn("\x1b", message)
        self.assertIn("\\x1b[31m", message)
        self.assertNotIn("begin", message)
        self.assertLess(len(message), 1500)


class Starts(Servers):
    """Servers that are not to be had: their tools are not offered, and the
    result says why."""

    def check(self, words, why, **more):
        result = self.with_servers(
            {"bad": entry(*words, **more), "good": entry()},
            "return [[t for t in TOOLS if t.startswith('bad.')],"
            " good.echo(a=1)]")
        self.assertEqual(result["value"], [[], {"a": 1}])
        found = [w for w in result["warnings"] if "MCP server bad" in w]
        self.assertEqual(len(found), 1, result["warnings"])
        self.assertIn("its tools are not offered", found[0])
        self.assertIn(why, found[0])
        got = self.fails("provider_error", "1", self.config(
            {"bad": entry(*words, required=True, **more)}))
        self.assertIn(why, got.result["error"]["message"])
        self.assertEqual(got.code, 125)

    def test_no_tools_at_all(self):
        self.assertEqual(self.ask("return list(TOOLS)", "no-tools"), [])

    def test_the_wall_clock_waits_for_the_start(self):
        self.assertEqual(self.ask("return s.echo(a=1)",
                                  limits={"wall": "2s"}), {"a": 1})

    def test_cancelled_while_it_waits(self):
        become_subreaper()
        log = self.path("log")
        os.mkfifo(log)
        process = self.start("1", self.config(
            {"s": entry("silent", "log=" + log)}))
        with open(log) as file:
            self.assertEqual(file.readline(), "initialize\n")
        process.send_signal(signal.SIGTERM)
        got = finish(process)
        self.assertEqual(got.kind, "cancelled")
        # Nothing of the program has run.
        self.assertEqual(got.result["usage"]["wall_ms"], 0)
        self.assertEqual(survivors(), [])

    def test_a_required_server_that_is_there(self):
        self.assertEqual(self.with_servers(
            {"s": entry(required=True)}, "s.echo(a=1)")["value"], {"a": 1})

    def test_only_what_may_be_used_is_started(self):
        log = self.path("log")
        policy = self.write("policy.json", json.dumps(
            {"schema": "weir.policy/1", "tools": ["a.echo"]}))
        self.assertEqual(self.succeeds(
            "return [list(TOOLS), a.echo(x=1)]", "--policy-file", policy,
            self.config({"a": entry(), "b": entry("log=" + log)}))["value"],
            [["a.echo"], {"x": 1}])
        self.assertFalse(os.path.exists(log))

    def test_disabled(self):
        log = self.path("log")
        self.assertEqual(self.with_servers(
            {"s": entry("log=" + log, disabled=True)},
            "return list(TOOLS)")["value"], [])
        self.assertFalse(os.path.exists(log))


rows(Starts, {
    "exits": (["exits"], "exit status 3; stderr: cannot: "),
    "wrong_version": (["version=1900-01-01"], "1900-01-01"),
    "closes": (["closes", "bad-list"], "its list of tools is none"),
    "bad_list": (["bad-list"], "its list of tools is none"),
    "babbles": (["babble"], "no messages"),
    "modern_only": (["modern"], "refused the handshake: -32022 too old"),
})


class SlowStarts(Servers):
    def test_silent(self):
        result = self.with_servers(
            {"bad": entry("silent", startupTimeout=300), "good": entry()},
            "good.echo(a=1)")
        self.assertEqual(result["value"], {"a": 1})
        self.assertTrue([w for w in result["warnings"]
                         if "startupTimeout" in w], result["warnings"])

    def test_it_closes_its_output_and_lives_on(self):
        kind, message = self.error_of("s.never()", "closes")
        self.assertIn(kind, ("failed", "unreachable"))
        self.assertIn("closed its standard output", message)


class Lists(Servers):
    def names(self, *words, **more):
        result = self.with_servers({"s": entry(*words, **more)},
                                   "return list(TOOLS)")
        return ([name[2:] for name in result["value"]],
                [w for w in result["warnings"] if "MCP server s" in w])

    def test_pages(self):
        names, warnings = self.names("pages=100")
        self.assertEqual((names, warnings), (
            ["t%d" % n for n in range(100)], []))

    def test_too_many_pages(self):
        for words in ("pages=101", "endless"):
            names, warnings = self.names(words)
            self.assertEqual(len(names), 100)
            self.assertIn("no end", warnings[0])

    def test_pages_that_lead_back(self):
        names, warnings = self.names("loop")
        self.assertIn("echo", names)
        self.assertIn("no end", warnings[0])

    def test_too_many_tools(self):
        names, warnings = self.names("many=2000")
        self.assertEqual((len(names), warnings), (2000, []))
        names, warnings = self.names("many=2001")
        self.assertEqual(len(names), 2000)
        self.assertIn("1 tools are more than can be offered", warnings[0])

    def test_names_twice_and_unusable(self):
        names, warnings = self.names("twice")
        self.assertEqual(names, ["a", "n" * 125, "b"])
        self.assertIn("6 tools without a usable name", warnings[0])
        self.assertIn("1 tools have a name that stands before", warnings[0])
        self.assertEqual(self.ask("get_tool_info(name='s.a')['description']",
                                  "twice"), "first")

    def test_a_name_that_is_too_long_with_the_servers(self):
        result = self.with_servers({"server": entry("twice")},
                                   "return list(TOOLS)")
        self.assertEqual(result["value"], ["server.a", "server.b"])

    def test_a_name_that_a_command_has(self):
        result = self.succeeds(
            "return [call_tool('s.echo', {'a': 1}), len(set(TOOLS)) =="
            " len(TOOLS)]", self.config({"s": entry()}),
            tools={"s.echo": "echo 7"})
        self.assertEqual(result["value"], [7, True])
        self.assertTrue([w for w in result["warnings"]
                         if "a name that stands before" in w])

    def test_descriptions_and_schemas_that_are_too_large(self):
        self.assertEqual(self.ask(
            "return [get_tool_info(name='s.wide'),"
            " get_tool_info(name='s.narrow')['description']]", "wide"),
            [{"name": "s.wide", "provider": "mcp"}, "fine"])

    def test_a_list_that_never_rests(self):
        names, warnings = self.names("restless")
        self.assertIn("echo", names)
        self.assertEqual(warnings, [])

    def test_some_of_its_tools(self):
        names, _ = self.names(includeTools=["echo", "get-sum", "nothing"],
                              excludeTools=["echo"])
        self.assertEqual(names, ["get-sum"])
        names, _ = self.names(includeTools=[])
        self.assertEqual(names, [])
        names, _ = self.names(excludeTools=["echo"])
        self.assertNotIn("echo", names)
        self.assertIn("get-sum", names)


class Eras(Servers):
    def check(self, words, era):
        got = self.with_servers(
            {"s": entry(*words, protocolEra=era)},
            "return [s.echo(a=1), call_tool('s.get-sum', {'a': 1, 'b': 2})]")
        self.assertEqual(got["value"], [{"a": 1}, {"sum": 3}])

    def test_probing_is_done_on_another_process(self):
        self.check(["strict"], "auto")

    def test_a_server_that_is_not_modern(self):
        result = self.with_servers({"s": entry(protocolEra="modern")}, "1")
        self.assertTrue([w for w in result["warnings"]
                         if "refused the handshake: -32601" in w],
                        result["warnings"])


rows(Eras, {
    "legacy": ([], "legacy"),
    "legacy_strict": (["strict"], "legacy"),
    "old": (["version=2024-11-05"], "legacy"),
    "modern": (["modern"], "modern"),
    "auto_legacy": ([], "auto"),
    "auto_modern": (["modern"], "auto"),
})


class Secrets(Servers):
    """Values of `env` and of variables are shown to nobody (B14)."""

    SECRET = "hunter2-" + "5" * 8

    def run_with(self, program, *words, env=None, **more):
        got = run(program, self.config({"s": entry(
            *words, env=env or {"TOKEN": "${SECRET}"}, **more)}),
            env=dict(os.environ, SECRET=self.SECRET, OTHER="x"))
        return got

    def test_the_environment_of_a_server(self):
        got = self.run_with("return s.env()").result["value"]
        self.assertEqual(got["TOKEN"], self.SECRET)
        self.assertLessEqual(set(got), {
            "TOKEN", "HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER",
            "LC_CTYPE"})

    def test_in_standard_error_at_the_start(self):
        got = self.run_with("1", "exits")
        self.assertNotIn(self.SECRET.encode(), got.stdout + got.stderr)
        self.assertIn(b"cannot: [hidden]", got.stdout)

    def test_in_errors(self):
        for program in (
                "s.die(stderr=s.env()['TOKEN'])",
                "s.die(stderr=s.env()['TOKEN'] * 100)",
                "s.fail(text='no ' + s.env()['TOKEN'] + ' here')",
                "s.error(message=s.env()['TOKEN'])"):
            got = self.run_with("try:\n    %s\nexcept ToolError as error:\n"
                                "    return error.message" % program)
            self.assertIn("[hidden]", got.result["value"])
            self.assertNotIn(self.SECRET, got.result["value"])

    def test_cut_in_the_middle(self):
        """What is hidden is long, so that much is left out before the cut."""
        secret = "".join("%04d" % n for n in range(500))
        got = run("try:\n    s.fail(text=s.env()['TOKEN'] * 3)\n"
                  "except ToolError as error:\n    return error.message",
                  self.config({"s": entry(env={"TOKEN": secret})}))
        self.assertIn("[hidden][hidden][hidden]", got.result["value"])
        self.assertNotIn("0000", got.result["value"])

    def test_escaped_in_what_is_structured(self):
        secret = 'quo"te\n\u00e9 - back\\slash'
        for text in ("{'structuredContent': {'t': s.env()['TOKEN']}",
                     "{'content': [{'type': 'text', 'text':"
                     " json.dumps([s.env()['TOKEN']])}]"):
            got = run("import json\n"
                      "try:\n    s.say(result=%s, 'isError': True})\n"
                      "except ToolError as error:\n    return error.message"
                      % text, self.config({"s": entry(
                          env={"TOKEN": secret})}))
            self.assertIn("[hidden]", got.result["value"])
            self.assertNotIn("slash", got.result["value"])

    def test_a_part_of_an_argument(self):
        got = self.run_with(
            "try:\n    s.fail(text=s.who())\n"
            "except ToolError as error:\n    return error.message",
            "name=key:${SECRET}")
        self.assertIn("key:[hidden]", got.result["value"])

    def test_in_the_ledger(self):
        state = self.path("state")
        got = run("s.echo(t=s.env()['TOKEN'])", "--state", state, "--run",
                  "r", self.config({"s": entry(
                      env={"TOKEN": self.SECRET})}))
        self.assertIsNone(got.kind)
        for directory, _, files in os.walk(state):
            for name in files:
                with open(os.path.join(directory, name), "rb") as file:
                    self.assertNotIn(self.SECRET.encode(), file.read())


class Host(Servers):
    def test_where_a_server_runs(self):
        got = self.ask("return s.where()")
        self.assertEqual(got["cwd"], "/")
        self.assertEqual(got["session"], got["pid"])
        # The last one is of the listing itself.
        self.assertEqual(got["fds"], ["0", "1", "2", "3"])

    def test_another_directory(self):
        where = os.path.realpath(self.directory)
        self.assertEqual(self.with_servers(
            {"s": entry(cwd=where)}, "s.where()")["value"]["cwd"], where)

    def test_a_directory_that_is_gone_is_refused(self):
        got = run("1", self.config({"s": entry(cwd=self.path("gone"))}))
        self.assertEqual(got.code, 2)
        self.assertIn(b"mcpServers.s.cwd: the directory: No such file",
                      got.stderr)

    def test_an_interpreter_that_cannot_be_used_is_said(self):
        """As without servers, though they are started first."""
        where = tempfile.mkdtemp(dir="/dev/shm")
        self.addCleanup(shutil.rmtree, where)
        os.chmod(where, 0o755)
        os.mkdir(where + "/bin")
        prefix = sys.base_prefix
        shutil.copy(os.path.realpath(prefix + "/bin/python3"),
                    where + "/bin/python3")
        os.symlink(prefix + "/lib", where + "/lib")
        got = run("1", self.config({"s": entry()}),
                  python=where + "/bin/python3")
        # Only where there is a /dev of the sandbox's own.
        if got.kind is not None:
            self.assertEqual(got.kind, "setup")
            self.assertIn("stands where the sandbox",
                          got.result["error"]["message"])

    def test_variables_of_its_own_win(self):
        got = self.with_servers(
            {"s": entry(env={"HOME": "/nowhere", "PATH": "/usr/bin"})},
            "s.env()")["value"]
        self.assertEqual((got["HOME"], got["PATH"]),
                         ("/nowhere", "/usr/bin"))


class Leftovers(Watched, Servers):
    """Nothing of a server outlives the command."""

    def check(self, program, *words, kind=None, limits=None):
        config = self.write("mcp.json", json.dumps({"mcpServers": {
            "s": entry(*words, "name=" + self.mark)}}))
        got = run(program, "--mcp-config", config, limits=limits)
        self.assertEqual(got.kind, kind, got.result)
        self.assertEqual(survivors(), [])
        self.assertEqual(processes_named(self.mark), [])


def leftover(*arguments, **more):
    def test(self):
        self.check(*arguments, **more)
    return test


for name, test in {
        "plain": leftover("s.echo()"),
        "idle": leftover("1"),
        "deaf": leftover("s.echo()", "deaf"),
        "forks": leftover("s.fork(mark='x')"),
        "waits": leftover("s.never()", kind="timeout",
                          limits={"wall": "500ms"}),
        "talks": leftover(
            "import asyncio\n"
            "first = asyncio.ensure_future(s.echo())\n"
            "more = asyncio.ensure_future(s.big(size=5000000))\n"
            "await first\n"),
        "dead": leftover("s.die()", kind="exception"),
}.items():
    setattr(Leftovers, "test_" + name, test)


class Killed(Servers):
    def test_the_command_is_killed(self):
        become_subreaper()
        log, mark = self.path("log"), "mcpk%d" % os.getpid()
        os.mkfifo(log)
        process = self.start("s.never()", self.config(
            {"s": entry("deaf", "log=" + log, "name=" + mark)}))
        with open(log) as file:
            while "tools/call" not in file.readline():
                pass
            process.kill()
            process.wait()
            # The last one that holds it is gone.
            self.assertEqual(file.read(), "")
        self.assertTrue(wait_for_orphans())
        self.assertEqual(processes_named(mark), [])


class Config(Servers):
    """Files that are wrong, each named with its place."""

    def check(self, text, *said, **environment):
        got = run("1", self.config(text),
                  env=dict(os.environ, PATH="/usr/bin:/bin", **environment))
        self.assertEqual(got.code, 2, got.stdout + got.stderr)
        self.assertEqual(got.stdout, b"")
        for words in said:
            self.assertIn(words, got.stderr.decode())
        self.assertIn("mcp.json:", got.stderr.decode())


def server(text):
    return '{"mcpServers": {"s": {"command": "cat", %s}}}' % text


rows(Config, {
    "no_json": ("{", ":1:2:", "truncated"),
    "twice": ('{"mcpServers": {}, "mcpServers": {}}', "duplicate_member"),
    "comment": ("// servers\n{}", ":1:1:"),
    "empty": ("{}", '"mcpServers" is missing'),
    "unknown": ('{"mcpServers": {}, "more": 1}', "more: no such member"),
    "both": ('{"mcpServers": {}, "servers": {}}', "given before"),
    "no_object": ('{"mcpServers": []}', "mcpServers: is an array"),
    "no_command": ('{"mcpServers": {"s": {}}}', "mcpServers.s",
                   '"command" is missing'),
    "empty_command": ('{"mcpServers": {"s": {"command": ""}}}',
                      "mcpServers.s.command: is empty"),
    "lost_command": ('{"mcpServers": {"s": {"command": "not-there-e2e"}}}',
                     "mcpServers.s.command: the command: No such file"),
    "name": ('{"mcpServers": {"a\\n": {"command": "cat"}}}',
             "cannot be the name of a server"),
    "name_with_a_dot": ('{"mcpServers": {"git": {"command": "cat"},'
                        ' "git.internal": {"command": "cat"}}}', ":1:44:",
                        "a dot ends that name"),
    "long_name": ('{"mcpServers": {"%s": {"command": "cat"}}}' % ("n" * 65),
                  "cannot be the name of a server"),
    "member": (server('"comand": 1'), "mcpServers.s.comand: no such member",
               "command args env cwd"),
    "args": (server('"args": "x"'), "mcpServers.s.args: is a string"),
    "arg": (server('"args": ["a", 7]'), "mcpServers.s.args[1]: is a number"),
    "env": (server('"env": {"A": 1}'), "mcpServers.s.env.A: is a number"),
    "env_name": (server('"env": {"A=B": "1"}'), "name of a variable"),
    "cwd": (server('"cwd": "here"'), "mcpServers.s.cwd: is no absolute"),
    "type": (server('"type": "http"'), "mcpServers.s.type: only servers on"),
    "url": ('{"mcpServers": {"s": {"type": "stdio", "url": "https://x"}}}',
            "mcpServers.s.url: belongs to a server", "over the network"),
    "timeout": (server('"timeout": 0'), "mcpServers.s.timeout: not a time"),
    "long_timeout": (server('"timeout": 86400001'), "not a time"),
    "start": (server('"startupTimeout": 1.5'), "not a time"),
    "era": (server('"protocolEra": "new"'), "no such era"),
    "required": (server('"required": "yes"'), "write true or false"),
    "nul": (server('"args": ["a\\u0000"]'), "holds a NUL"),
    "include": (server('"includeTools": {}'), "an array of strings"),
})


class Good(Servers):
    def test_members_of_other_programs(self):
        self.assertEqual(self.succeeds("s.echo(a=1)", self.config({
            "s": entry(type="stdio", autoApprove=["x", {"y": [1]}],
                       alwaysAllow=[], trust=True, description="d")}))[
                           "value"], {"a": 1})

    def test_servers_of_another_program(self):
        text = json.dumps({"servers": {"s": entry()}})
        self.assertEqual(self.succeeds("s.echo(a=1)", self.config(text))[
            "value"], {"a": 1})

    def test_variables(self):
        config = self.config({"s": entry(
            "name=${A}|${A:-x}|${B:-y z}|${EMPTY:-e}|${env:A}|$A|${|${1}|"
            "${A-b}|${B:-}|$$")})
        got = run("s.who()", config, env=dict(
            os.environ, A="${B}", EMPTY=""))
        self.assertEqual(got.result["value"],
                         "${B}|${B}|y z|e|${B}|$A|${|${1}|${A-b}||$$")

    def test_a_variable_that_is_unset(self):
        for text in ("${NOT_SET}", "a ${env:NOT_SET} b"):
            got = run("1", self.config({"s": entry("x", text)}))
            self.assertEqual(got.code, 2)
            self.assertIn(b"mcpServers.s.args[3]: the variable NOT_SET is "
                          b"unset", got.stderr)

    def test_values_are_not_told_when_it_is_wrong(self):
        got = run("1", self.config(
            {"s": {"command": "/not-there/${SECRET}"}}),
            env=dict(os.environ, SECRET="hunter2"))
        self.assertEqual(got.code, 2)
        self.assertNotIn(b"hunter2", got.stderr)

    def test_a_file_that_others_can_write(self):
        config = self.config({"s": entry()})
        os.chmod(self.path("mcp.json"), 0o666)
        got = run("1", config)
        self.assertEqual(got.code, 2)
        self.assertIn(b"can be written by others", got.stderr)

    def test_a_file_that_is_not_there(self):
        got = run("1", "--mcp-config", self.path("nothing"))
        self.assertEqual(got.code, 2)
        self.assertIn(b"No such file", got.stderr)

    def test_no_servers(self):
        self.assertEqual(self.with_servers({}, "list(TOOLS)")["value"], [])

    def test_as_many_as_there_can_be(self):
        """And one more."""
        servers = {"s%d" % n: entry(disabled=True) for n in range(64)}
        self.with_servers(servers, "1")
        servers["more"] = entry()
        self.assertIn(b"more than 64 servers",
                      run("1", self.config(servers)).stderr)

    def test_a_grant_cannot_hold_it(self):
        config = self.config({"s": entry()})
        got = run("1", "--read", self.directory, config)
        self.assertEqual(got.code, 2)
        self.assertIn(b"grant", got.stderr)


class Marked(Servers):
    """Tools that are not there yet when they are marked (B9)."""

    def run_marked(self, program, *marks):
        log = self.path("log")
        result = self.succeeds(
            program, self.config({"s": entry("log=" + log)}),
            *(word for mark in marks for word in ("--mark", mark)))
        with open(log) as file:
            return result, file.read().split()

    def test_refused_before_the_server_is_asked(self):
        result, log = self.run_marked(
            "got = [call_tool('s.get-sum', {'a': 1, 'b': 2})]\n"
            "try: s.echo(a=1)\n"
            "except ToolError as error: got.append(error.kind)\n"
            "got.append(call_tool('get_tool_info', {'name': 's.echo'})"
            "['requires_approval'])\n"
            "return got", "s.echo=requires_approval")
        self.assertEqual(result["value"], [
            {"sum": 3}, "approval_required", True])
        self.assertEqual(result["warnings"], [])
        self.assertEqual(log.count("tools/call"), 1)
        self.assertEqual([call["state"] for call in result["calls"]["list"]],
                         ["completed", "refused", "completed"])

    def test_both_marks(self):
        """The one that is told first is the approval's, as elsewhere."""
        result, log = self.run_marked(
            "try: s.echo(a=1)\nexcept ToolError as error: return error.kind",
            "s.echo=may_suspend", "s.echo=requires_approval")
        self.assertEqual(result["value"], "approval_required")
        self.assertNotIn("tools/call", log)

    def test_a_name_that_the_server_has_not(self):
        result, _ = self.run_marked("s.echo(a=1)", "s.eco=may_suspend")
        self.assertEqual(result["value"], {"a": 1})
        self.assertEqual(len(result["warnings"]), 1)
        self.assertIn("s.eco is marked", result["warnings"][0])

    def test_a_server_that_is_not_configured(self):
        for name in ("t.echo", "s", "s.", "sx.echo", ".echo"):
            got = run("1", self.config({"s": entry()}), "--mark",
                      name + "=may_suspend", json=False)
            self.assertEqual(got.code, 2, name)
            self.assertIn(b"there is no tool of this name", got.stderr)


class Across(Servers):
    """Several executions of one supervisor, through the library."""

    def setUp(self):
        super().setUp()
        self.log = self.path("log")
        self.tools = self.write("tools", "")
        self.config({"s": entry("log=" + self.log, "tools=" + self.tools)})
        # A host has other descriptors and children than a command.
        self.process = subprocess.Popen(
            [TOOLS / "mcpdrive", WEIR.parent.parent / "libexec/weir", PYTHON,
             self.path("mcp.json")], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True, bufsize=1)
        self.addCleanup(stop, self.process)

    def send(self, program, tenant):
        self.process.stdin.write("%s %s\n" % (
            tenant, program.replace("\n", "\\n")))

    def ask(self, program, tenant="a"):
        self.send(program, tenant)
        return self.answer()

    def answer(self):
        result = json.loads(self.process.stdout.readline())
        self.assertIsNone(result["error"])
        return result["value"]

    def end(self):
        self.process.stdin.close()
        self.assertEqual(self.process.stdout.read(), "descriptors +0\n")
        self.assertEqual(self.process.wait(HANG), 0)

    def test_a_server_lives_on(self):
        first = self.ask("s.count()")
        self.assertEqual(self.ask("s.count()"), [2, first[1]])
        with open(self.log) as file:
            self.assertEqual(file.read().split(), [
                "initialize", "notifications/initialized", "tools/list",
                "tools/call", "tools/call"])
        self.end()
        self.assertFalse(os.path.exists("/proc/%d" % first[1]))

    def test_withdrawn_while_an_execution_runs(self):
        """From then on, in that one and in later ones; the words are those
        for a name that never was (B10)."""
        self.send("got = [s.echo(a=1)]\n"
                  "print('running')\n"
                  "while True:\n"
                  "    try: s.echo(a=2)\n"
                  "    except ToolError as error:\n"
                  "        return got + [error.kind]", "&a")
        self.send("s.echo", "!")
        self.send("try: call_tool('s.echo', {'a': 3})\n"
                  "except ToolError as error:\n"
                  "    return ['s.echo' in TOOLS, error.kind]", "a")
        self.assertEqual(self.answer(), [False, "not_offered"])
        self.assertEqual(self.answer(), [{"a": 1}, "not_offered"])
        self.end()

    def test_two_tenants_never_share_one(self):
        first, second, none = (self.ask("s.count()", who)
                               for who in ("a", "b", "-"))
        self.assertEqual([first[0], second[0], none[0]], [1, 1, 1])
        self.assertEqual(len({first[1], second[1], none[1]}), 3)
        self.assertEqual(self.ask("s.count()", "b"), [2, second[1]])
        self.end()

    def test_many_tenants(self):
        """Those that nobody uses are ended, the oldest first."""
        pids = [self.ask("s.count()", "t%d" % n)[1] for n in range(20)]
        self.assertEqual(self.ask("s.count()", "t19"), [2, pids[19]])
        self.assertEqual(self.ask("s.count()", "t0")[0], 1)
        self.end()
        self.assertEqual([pid for pid in pids
                          if os.path.exists("/proc/%d" % pid)], [])

    def test_a_server_that_died_is_started_for_the_next_execution(self):
        first = self.ask("s.count()")
        self.assertEqual(self.ask(
            "try:\n    s.die()\nexcept ToolError as error:\n"
            "    try:\n        s.echo()\n    except ToolError as other:\n"
            "        return [error.kind, other.kind]"),
            ["failed", "unreachable"])
        second = self.ask("s.count()")
        self.assertEqual(second[0], 1)
        self.assertNotEqual(first[1], second[1])
        self.end()

    def test_a_list_that_changes(self):
        """What is there counts for an execution from its beginning to its
        end."""
        self.assertEqual(self.ask("'s.more' in TOOLS"), False)
        changed = ("s.noise(line='{\"method\":"
                   "\"notifications/tools/list_changed\"}\\x0a')")
        self.write("tools", "more\n")
        self.assertEqual(self.ask(
            changed + "\nreturn ['s.more' in TOOLS,"
            " 's.more' in list_tools()]"), [False, False])
        self.assertEqual(self.ask(
            "['s.more' in TOOLS, 's.more' in list_tools()]"), [True, True])
        self.write("tools", "")
        self.assertEqual(self.ask(changed + "\nreturn 's.more' in TOOLS"),
                         True)
        self.assertEqual(self.ask("'s.more' in TOOLS"), False)
        self.end()

    def drive(self, servers):
        """In place of the server that the others have."""
        stop(self.process)
        self.config(servers, "other.json")
        self.process = subprocess.Popen(
            [TOOLS / "mcpdrive", WEIR.parent.parent / "libexec/weir", PYTHON,
             self.path("other.json")], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True, bufsize=1)
        self.addCleanup(stop, self.process)

    def result_of(self, program):
        self.send(program, "a")
        return json.loads(self.process.stdout.readline())

    def test_a_server_that_does_not_start_is_not_tried_each_time(self):
        """But after a second, two, four; the reason stays. The second one is
        still ending when the next execution comes."""
        starts = [self.write(name, "") for name in ("starts1", "starts2")]
        line = "date +%%s.%%N >>%s; echo not now >&2; %s"
        self.drive({
            "s": {"command": "/bin/sh", "args": [
                "-c", line % (starts[0], "exit 3")]},
            "t": {"command": "/bin/sh", "startupTimeout": 200, "args": [
                "-c", line % (starts[1], "trap '' TERM; exec sleep 100")]}})
        times, said = [[], []], set()
        while min(map(len, times)) < 3:
            warnings = self.result_of("1")["warnings"]
            self.assertEqual(len(warnings), 2, warnings)
            self.assertIn("exit status 3; stderr: not now", warnings[0])
            self.assertIn("startupTimeout", warnings[1])
            # Nothing of it when that time is over by then.
            said.update(re.findall(
                r"; it is started again after (\d) s at the earliest$",
                "\n".join(warnings), re.M))
            for path, one in zip(starts, times):
                with open(path) as file:
                    one[:] = [float(text) for text in file.read().split()]
        for one in times:
            # By another clock.
            self.assertGreaterEqual(one[1] - one[0], 0.99)
            self.assertGreaterEqual(one[2] - one[1], 1.99)
        self.assertTrue(said)
        # Rounded up, and one may have come further than the other.
        self.assertLessEqual(max(map(int, said)),
                             2 ** (max(map(len, times)) - 1))
        self.end()

    def test_a_server_that_is_well_again_is_there_again(self):
        self.write("tools", "!\n")
        self.drive({"s": entry("tools=" + self.tools)})
        self.assertEqual(len(self.result_of("1")["warnings"]), 1)
        self.write("tools", "more\n")
        while not self.result_of("'s.more' in TOOLS")["value"]:
            pass
        self.assertEqual(self.result_of("1")["warnings"], [])
        self.end()

    def test_a_list_that_could_not_be_had_is_asked_for_again(self):
        self.ask("s.noise(line='{\"method\":"
                 "\"notifications/tools/list_changed\"}\\x0a')")
        self.write("tools", "!\n")
        self.assertEqual(self.ask("s.echo(a=1)"), {"a": 1})
        self.write("tools", "more\n")
        self.assertEqual(self.ask("'s.more' in TOOLS"), True)
        self.end()

    def test_a_tool_that_goes_while_others_run(self):
        """It is refused to who was offered it; what stayed is not."""
        self.write("tools", "more\n")
        self.assertEqual(self.ask("'s.more' in TOOLS"), True)
        self.write("tools", "")
        self.send(
            "s.noise(line='{\"method\":"
            "\"notifications/tools/list_changed\"}\\x0a')\n"
            "print(1, flush=True)\n"
            "s.hold(until=2)\n"
            "try:\n    s.more()\nexcept ToolError as error:\n"
            "    return ['s.more' in TOOLS, error.kind, s.echo(a=1)]", "&a")
        # Both are told to go on at once.
        self.assertEqual(self.ask(
            "return ['s.more' in TOOLS, s.hold(until=2)]"),
            [False, {"until": 2}])
        self.assertEqual(self.answer(), [True, "not_offered", {"a": 1}])
        self.end()


if __name__ == "__main__":
    main()
