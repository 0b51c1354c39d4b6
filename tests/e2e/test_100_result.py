#!/usr/bin/env python3
"""The result object weir.result/1: every field, for every kind of end."""
import os
import shutil
import signal
import tempfile

from weir_test import (ECHO, GUARANTEES, LAYERS, PYTHON, Case, finish, main,
                       run, shell)

FIELDS = ["schema", "execution", "ok", "value", "returned", "stdout",
          "stderr", "streams", "error", "limit_hit", "calls", "budget",
          "usage", "isolation", "granted", "warnings", "exit"]
INNER = {
    "calls": ["total", "completed", "failed", "refused", "unknown", "list"],
    "budget": ["calls", "total_bytes", "produced_bytes", "kept_bytes",
               "total_tool_time_ms", "run_calls", "run_bytes", "spent"],
    "usage": ["wall_ms", "cpu_ms", "max_rss_kb", "memory"],
    "isolation": ["level", "guarantees"],
    "granted": ["read", "mounted_below", "write", "unmetered", "exec",
                "environment", "network", "processes"],
    "exit": ["by", "code", "signal"],
    "streams": ["stdout", "stderr"],
}
ERROR = ["kind", "message", "traceback", "line", "guidance", "claim"]
CALL = ["id", "tool", "state", "kind", "argument_bytes", "result_bytes", "ms"]
GRADES = ("enforced", "unverified", "unavailable")


class Schema(Case):
    def check_schema(self, result):
        self.assertEqual(list(result), FIELDS)
        for name, fields in INNER.items():
            self.assertEqual(list(result[name]), fields, name)
        self.assertEqual(result["schema"], "weir.result/1")
        self.assertRegex(result["execution"], "^[0-9a-f]{32}$")
        self.assertIs(type(result["ok"]), bool)
        self.assertEqual(result["ok"], result["error"] is None)
        self.assertIs(type(result["returned"]), bool)
        if not result["returned"]:
            self.assertIsNone(result["value"])
        self.check_streams(result)
        self.check_calls(result["calls"])
        self.check_budget(result["budget"])
        self.check_isolation(result["isolation"])
        if result["error"] is not None:
            self.assertEqual(list(result["error"]), ERROR)
            self.assertTrue(result["error"]["message"])
            self.assertTrue(result["error"]["guidance"])
        usage = dict(result["usage"])
        self.check_memory(usage.pop("memory"))
        for number in usage.values():
            self.assertIs(type(number), int)
            self.assertGreaterEqual(number, 0)
        self.assertIn(result["exit"]["by"], ("program", "host"))
        self.assertIs(result["granted"]["network"], False)
        self.assertEqual(result["granted"]["processes"], 0)
        for text in result["warnings"]:
            self.assertIs(type(text), str)

    def check_memory(self, memory):
        if memory is None:
            return
        self.assertEqual(list(memory), ["by", "limit_kb", "peak_kb"])
        self.assertIn(memory["by"], ("cgroup v2", "cgroup v1", "watchdog"))
        for name in ("limit_kb", "peak_kb"):
            self.assertIs(type(memory[name]), int)

    def check_streams(self, result):
        for name in ("stdout", "stderr"):
            self.assertIs(type(result[name]), str)
            stream = result["streams"][name]
            self.assertEqual(list(stream), ["bytes", "captured", "omitted"])
            self.assertEqual(stream["bytes"],
                             stream["captured"] + stream["omitted"])

    def check_calls(self, calls):
        self.assertEqual(calls["total"], sum(
            calls[state]
            for state in ("completed", "failed", "refused", "unknown")))
        for call in calls["list"]:
            self.assertEqual(list(call), CALL)
            self.assertIn(call["state"],
                          ("completed", "failed", "refused", "unknown"))
            if call["state"] == "completed":
                self.assertIsNone(call["kind"])

    def check_budget(self, budget):
        for name in INNER["budget"][:5]:
            self.assertEqual(list(budget[name]), ["used", "limit"])
            self.assertLessEqual(budget[name]["used"], budget[name]["limit"])
        self.assertIsNone(budget["run_calls"])
        self.assertIsNone(budget["run_bytes"])

    def check_isolation(self, isolation):
        self.assertEqual(list(isolation["guarantees"]), list(GUARANTEES))
        for proof in isolation["guarantees"].values():
            self.assertEqual(list(proof), ["grade", "evidence"])
            self.assertIn(proof["grade"], GRADES)
            self.assertTrue(proof["evidence"])

    def test_end_without_error(self):
        result = self.succeeds(
            "import sys\nprint('out')\nprint('err', file=sys.stderr)\n"
            "return {'a': [1, 2.5, None, True, 'é']}")
        self.check_schema(result)
        self.assertEqual(result["value"], {"a": [1, 2.5, None, True, "é"]})
        self.assertIs(result["returned"], True)
        self.assertEqual(result["stdout"], "out\n")
        self.assertEqual(result["stderr"], "err\n")
        self.assertEqual(result["streams"]["stdout"]["bytes"], 4)
        self.assertIsNone(result["limit_hit"])
        self.assertEqual(result["exit"],
                         {"by": "program", "code": 0, "signal": None})

    def test_isolation_of_an_ordinary_run(self):
        isolation = self.succeeds("1")["isolation"]
        self.assertEqual(isolation["level"], "isolated")
        self.assertEqual(
            {name: proof["grade"]
             for name, proof in isolation["guarantees"].items()},
            dict.fromkeys(GUARANTEES, "enforced"))

    def test_executions_have_different_names(self):
        self.assertNotEqual(self.succeeds("1")["execution"],
                            self.succeeds("1")["execution"])

    def test_exception(self):
        got = self.fails("exception",
                         "def f():\n    return {}['gone']\n\nf()\n")
        result = got.result
        self.check_schema(result)
        error = result["error"]
        self.assertEqual(error["line"], 2)
        self.assertEqual(error["message"], "KeyError: 'gone'")
        self.assertEqual(error["traceback"].splitlines()[0],
                         "Traceback (most recent call last):")
        self.assertIn('File "<program>", line 4, in <module>',
                      error["traceback"])
        self.assertIn("return {}['gone']", error["traceback"])
        self.assertNotIn("bootstrap", error["traceback"])
        self.assertFalse(result["returned"])

    def test_timeout(self):
        got = self.fails("timeout", "print('x')\nwhile True: pass",
                         limits={"wall": 1, "grace": 0})
        self.check_schema(got.result)
        self.assertEqual(got.result["limit_hit"], "wall")
        self.assertEqual(got.result["stdout"], "x\n")
        self.assertEqual(got.result["exit"]["by"], "host")

    def test_worker_exit(self):
        got = self.fails("worker_exit", "import os\nos._exit(9)")
        self.check_schema(got.result)
        self.assertEqual(got.result["exit"],
                         {"by": "program", "code": 9, "signal": None})

    def test_worker_exit_by_signal(self):
        got = self.fails("worker_exit",
                         "import os\nos.kill(os.getpid(), 9)")
        self.check_schema(got.result)
        self.assertEqual(got.result["exit"],
                         {"by": "program", "code": None, "signal": 9})

    def cancelled_call(self):
        meeting = self.meeting()
        process = self.start("print('so far')\nwait()",
                             tools={"wait": meeting.tool()})
        self.assertTrue(meeting.wait(1, process))
        process.send_signal(signal.SIGTERM)
        got = finish(process)
        self.check_schema(got.result)
        self.assertEqual(got.kind, "cancelled")
        self.assertEqual(got.code, 130)
        self.assertEqual(got.result["stdout"], "so far\n")
        self.assertEqual(got.result["calls"]["total"], 1)
        (call,) = got.result["calls"]["list"]
        return call["state"], call["kind"]

    def test_cancelled(self):
        """Unknown only where its guardian had no time to say how it ended,
        which is not so again and again."""
        for _ in range(3):
            ended = self.cancelled_call()
            if ended != ("unknown", "cancelled"):
                break
        self.assertEqual(ended, ("failed", "cancelled"))

    def test_protocol_violation(self):
        got = self.fails("protocol_violation",
                         "import os\nos.write(3, b'{nonsense\\n')\n"
                         "while True: pass", limits={"wall": 60})
        self.check_schema(got.result)
        self.assertIn("bad_syntax", got.result["error"]["message"])
        self.assertEqual(got.result["exit"]["by"], "host")

    def test_invalid_value(self):
        got = self.fails("invalid_value", "return {'x': [1, {2}]}")
        self.check_schema(got.result)
        self.assertIn("value['x'][1]", got.result["error"]["message"])

    def test_output_limit(self):
        got = self.fails("output_limit", "return 'x' * 100",
                         limits={"value": 50})
        self.check_schema(got.result)
        self.assertEqual(got.result["limit_hit"], "value")

    def test_setup(self):
        # An installation whose interpreter is none: it exits at once.
        got = run("1", python=self.false_python("/bin/true"))
        self.check_schema(got.result)
        self.assertEqual((got.kind, got.code), ("setup", 125))
        self.assertEqual(got.result["isolation"]["level"], "none")

    def false_python(self, program):
        """The path of a program in the place of an interpreter."""
        home = tempfile.mkdtemp(prefix="weir-e2e-", dir="/var/tmp")
        self.addCleanup(shutil.rmtree, home)
        os.chmod(home, 0o755)
        os.mkdir(home + "/bin")
        os.makedirs(home + "/lib/python3.11")
        with open(home + "/lib/python3.11/os.py", "w"):
            pass
        shutil.copy(program, home + "/bin/python3")
        return home + "/bin/python3"

    def test_refused(self):
        """The confinement cannot be had: a whole result all the same."""
        got = run("print(1)", "--test-skip", "seccomp", weir=LAYERS)
        self.check_schema(got.result)
        self.assertEqual((got.kind, got.code),
                         ("isolation_unavailable", 125))
        self.assertEqual(got.result["stdout"], "")
        self.assertEqual(got.result["exit"]["by"], "host")

    def test_calls(self):
        result = self.succeeds(
            "good(a=1)\n"
            "for tool, arguments in (('bad', {}), ('unknown', {})):\n"
            "    try:\n"
            "        call_tool(tool, arguments)\n"
            "    except ToolError as error:\n"
            "        print(error.kind)",
            tools={"good": ECHO, "bad": shell("echo why >&2; exit 3")})
        self.check_schema(result)
        calls = result["calls"]
        self.assertEqual(
            [calls[n] for n in ("total", "completed", "failed", "refused")],
            [3, 1, 1, 1])
        self.assertEqual(
            [(c["id"], c["tool"], c["state"], c["kind"], c["argument_bytes"],
              c["result_bytes"]) for c in calls["list"]],
            [(0, "good", "completed", None, 7, 7),
             (1, "bad", "failed", "failed", 2, 0),
             (2, "unknown", "refused", "not_offered", 2, 0)])
        self.assertEqual(result["stdout"], "failed\nnot_offered\n")

    def test_list_of_calls_holds_the_first_and_last_fifty(self):
        for count, ids in ((100, list(range(100))),
                           (101, list(range(50)) + list(range(51, 101)))):
            result = self.succeeds(
                "for n in range(%d):\n    try: call_tool('none')\n"
                "    except ToolError: pass" % count)
            self.check_schema(result)
            self.assertEqual(result["calls"]["total"], count)
            self.assertEqual([c["id"] for c in result["calls"]["list"]], ids)

    def test_granted(self):
        granted = self.succeeds(
            "import os\nreturn {k: v for k, v in os.environ.items()}")
        self.assertEqual(
            dict(word.split("=", 1)
                 for word in granted["granted"]["environment"]),
            granted["value"])
        self.assertIn("/workspace", granted["granted"]["write"])
        home = os.path.realpath(PYTHON)
        self.assertTrue([path for path in granted["granted"]["read"]
                         if home.startswith(path)])

    def test_warnings(self):
        result = self.succeeds("import asyncio\ncall = tool()\n",
                               tools={"tool": ECHO})
        self.check_schema(result)
        self.assertEqual(len(result["warnings"]), 1)
        self.assertIn("never awaited", result["warnings"][0])
        self.assertEqual(result["calls"]["total"], 0)


if __name__ == "__main__":
    main()
