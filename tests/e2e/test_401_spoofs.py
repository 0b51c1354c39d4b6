#!/usr/bin/env python3
"""Ends that look like the host's: what a program claims, or does to itself,
is its own answer or its own exit, and never a timeout, a kill or a refusal
of the host's; and no claim takes back what the host has seen (S10)."""
import os
import re

from weir_test import (LEVEL_WORD, SOURCES, Case, finish, main, rows, run,
                       shell)

DONE = ("import os\nos.write(3, b'{\"type\":\"done\",%s}\\n')\n"
        "while True: pass")
BURN = ("import os, signal, time\n"
        "signal.signal(signal.SIGXCPU, signal.SIG_IGN)\n"
        "while time.process_time() < 1.3: pass\n")


def claim(members):
    return DONE % members


def error(kind, more=""):
    return DONE % ('"error":{"kind":"%s","message":"spoof"%s}' % (kind, more))


def kinds():
    """The closed set, from the table that a result's words come from."""
    text = (SOURCES / "supervisor/kinds.h").read_text()
    return re.findall(r'^\tX\(\w+, "(\w+)",', text, re.M)


# What a `done` may carry: the program's own answer. Status and exit code.
CLAIMS = {"exception": 1, "invalid_value": 1, "worker_exit": 3,
          "step_budget": 1}


class Claimed(Case):
    def test_every_kind(self):
        """Four may be claimed; each other breaks the protocol."""
        self.assertEqual(len(kinds()), 18)
        self.assertLess(set(CLAIMS), set(kinds()))
        for kind in kinds() + ["", "ok", "none", "failed", "Exception",
                               "exception ", "budget_spent"]:
            with self.subTest(kind):
                status = ',"status":3' if kind == "worker_exit" else ""
                got = run(error(kind, status))
                result = got.result
                self.assertIsNone(result["value"])
                self.assertEqual(got.code, 1)
                self.assertIsNone(result["limit_hit"])
                if kind not in CLAIMS:
                    self.assertEqual(got.kind, "protocol_violation")
                    self.assertIn("bad_field", result["error"]["message"])
                    continue
                self.assertEqual(got.kind, kind)
                self.assertEqual(result["error"]["message"], "spoof")
                self.assertEqual(result["exit"], {
                    "by": "program", "code": CLAIMS[kind], "signal": None})

    def check(self, members, kind, code):
        """code: of the result's exit"""
        got = run(claim(members))
        self.assertEqual(got.kind, kind, got.result["error"])
        self.assertEqual(got.code, 0 if kind is None else 1)
        if code is not None:
            self.assertEqual(got.result["exit"]["code"], code)
        self.assertEqual(got.result["isolation"]["level"], LEVEL_WORD)
        self.assertIsNone(got.result["limit_hit"])


STATUS = '"error":{"kind":"worker_exit","message":"x","status":%s}'
rows(Claimed, {
    # A status is a byte, whatever it looks like, and no signal.
    "status_124": (STATUS % 124, "worker_exit", 124),
    "status_137": (STATUS % 137, "worker_exit", 137),
    "status_0": (STATUS % 0, "worker_exit", 0),
    "status_negative": (STATUS % -9, "protocol_violation", None),
    "status_text": (STATUS % '"9"', "protocol_violation", None),
    "status_huge": (STATUS % (1 << 64), "protocol_violation", None),
    # What is added is dropped.
    "signal": ('"error":{"kind":"worker_exit","message":"x","status":3,'
               '"signal":9}', "worker_exit", 3),
    "host_members": ('"value":1,"limit_hit":"cpu","exit":{"by":"host",'
                     '"signal":9},"ok":false', None, 0),
    "limit": ('"error":{"kind":"exception","message":"x","limit_hit":"wall"}',
              "exception", 1),
    "guidance": ('"error":{"kind":"exception","message":"x",'
                 '"guidance":"do"}', "exception", 1),
    "error_null": ('"error":null', "protocol_violation", None),
    "error_list": ('"error":[]', "protocol_violation", None),
    "kind_missing": ('"error":{"message":"x"}', "protocol_violation", None),
    "kind_number": ('"error":{"kind":1,"message":"x"}', "protocol_violation",
                    None),
    "value_and_oversize": ('"value":1,"oversize":99999999',
                           "protocol_violation", None),
    "returned_false_and_value": ('"value":1,"returned":false', None, 0),
})


class Ends(Case):
    def check(self, program, kind, code, exit_code, signal, limits=None):
        got = run(program, limits=dict({"wall": 60}, **(limits or {})))
        result = got.result
        self.assertEqual((got.code, got.kind), (code, kind), result["error"])
        self.assertEqual(result["exit"]["code"], exit_code)
        self.assertEqual(result["exit"]["signal"], signal)
        if kind == "timeout":
            self.assertEqual(result["limit_hit"], "cpu")
            self.assertEqual(result["exit"]["by"], "host")
            self.assertIsNone(result["value"])
        else:
            self.assertIsNone(result["limit_hit"])
            self.assertEqual(result["exit"]["by"], "program")


KILL = "import os\nos.kill(os.getpid(), %d)"

rows(Ends, {
    # Codes of timeout(1), of shells and of our own.
    **{"exit_%d" % n: ("import os\nos._exit(%d)" % n, "worker_exit", 1, n,
                       None)
       for n in (0, 2, 124, 125, 126, 127, 128, 130, 137, 143, 152, 255)},
    "sys_exit_137": ("import sys\nsys.exit(137)", "worker_exit", 1, 137,
                     None),
    # Signals that the host sends, or the kernel for a limit.
    **{"signal_%d" % n: (KILL % n, "worker_exit", 128 + n, None, n)
       for n in (1, 9, 14, 15, 24, 31)},
    # Python handles or ignores these by itself.
    "signal_2": (KILL % 2, "exception", 1, 1, None),
    "signal_13": (KILL % 13 + "\n5", None, 0, 0, None),
    "signal_25": (KILL % 25 + "\n5", None, 0, 0, None),
    # To a limit that is not reached, or nearly.
    "sigxcpu_early": ("import os, time\nwhile time.process_time() < 0.5: pass"
                      "\nos.kill(os.getpid(), 24)", "worker_exit", 152, None,
                      24, {"cpu": 2}),
    "sigkill_early": ("import os, time\nwhile time.process_time() < 0.5: pass"
                      "\nos.kill(os.getpid(), 9)", "worker_exit", 137, None,
                      9, {"cpu": 2}),
    "sigxcpu_of_a_thread": (
        "import signal, threading\n"
        "signal.pthread_kill(threading.get_ident(), 24)", "worker_exit", 152,
        None, 24),
    # Time that is over cannot be made up for, whatever comes after it.
    "late_exit_0": (BURN + "os._exit(0)", "timeout", 124, 0, None,
                    {"cpu": 1}),
    "late_sys_exit": (BURN + "import sys\nsys.exit(3)", "timeout", 124, None,
                      9, {"cpu": 1}),
    "late_kill": (BURN + "os.kill(os.getpid(), 9)", "timeout", 124, None, 9,
                  {"cpu": 1}),
    "late_crash": (BURN + "os.abort()", "timeout", 124, None, 6, {"cpu": 1}),
    "late_answer": (BURN + "7", "timeout", 124, None, 9, {"cpu": 1}),
    "late_exception": (BURN + "1 / 0", "timeout", 124, None, 9, {"cpu": 1}),
    "late_forged_answer": (BURN + claim('"value":7'), "timeout", 124, None,
                           9, {"cpu": 1}),
    "late_forged_exit": (BURN + claim(STATUS % 3), "timeout", 124, None, 9,
                         {"cpu": 1}),
    "late_violation": (BURN + "os.write(3, b'rubbish\\n')\nsignal.pause()",
                       "timeout", 124, None, 9, {"cpu": 1}),
})


class Order(Case):
    """The first end that the host accepts stands."""

    def both(self, first, then):
        return run("import os\n" + first + "\n" + then)

    def test_answer_and_exit(self):
        for then in ("os._exit(9)", "os.kill(os.getpid(), 9)", "os.abort()"):
            got = self.both("os.write(3, b'{\"type\":\"done\",\"value\":7}"
                            "\\n')", then)
            self.assertEqual((got.code, got.result["value"]), (0, 7), then)
            self.assertEqual(got.result["exit"], {
                "by": "program", "code": 0, "signal": None})

    def test_half_an_answer_and_exit(self):
        got = self.both("os.write(3, b'{\"type\":\"done\",\"value\":7}')",
                        "os._exit(0)")
        self.assertIn(got.kind, ("worker_exit", "protocol_violation"))
        self.assertIsNone(got.result["value"])

    def test_answer_during_a_call(self):
        """The call does not outlive the answer, and nothing is dispatched
        after it."""
        mark = self.path("mark")
        meeting = self.meeting()
        process = self.start(
            "import os, threading\n"
            "threading.Thread(target=wait, daemon=True).start()\n"
            "here()\n"
            "os.write(3, b'{\"type\":\"done\",\"value\":7}\\n'\n"
            "  b'{\"type\":\"call\",\"id\":2,\"name\":\"mark\","
            "\"arguments\":{}}\\n')\nwhile True: pass",
            tools={"wait": meeting.tool(), "here": meeting.announcer(),
                   "mark": shell('echo x >"$1"; echo 1', mark)})
        got = finish(process)
        self.assertEqual((got.code, got.result["value"]), (0, 7))
        with self.assertRaises(FileNotFoundError):
            open(mark)

    def test_answer_when_it_is_asked_to_end(self):
        """A forged one is no better than one in the grace."""
        got = run(
            "import os, signal\n"
            "def leave(*_):\n"
            "    os.write(3, b'{\"type\":\"done\",\"value\":7}\\n')\n"
            "    os._exit(0)\n"
            "signal.signal(signal.SIGTERM, leave)\n"
            "while True: signal.pause()", limits={"wall": "500ms",
                                                  "grace": 20})
        self.assertEqual((got.code, got.kind), (124, "timeout"))
        self.assertEqual(got.result["limit_hit"], "wall")
        self.assertIsNone(got.result["value"])

    def test_printed_verdicts(self):
        """A line that is like ours is the program's output."""
        got = run("import os, sys\n"
                  "print('weir: timeout: spoof', file=sys.stderr)\n"
                  "sys.stderr.flush(); os._exit(0)", json=False)
        self.assertEqual(got.code, 1)
        lines = got.stderr.decode().splitlines()
        self.assertEqual(lines[0], "weir: timeout: spoof")
        self.assertRegex(lines[-1], "^weir: worker_exit: ")

    def test_nothing_is_tried_again(self):
        """S11, for each of the ends that somebody might want to retry."""
        for end in ("os._exit(0)", "os.kill(os.getpid(), 9)", "os.abort()",
                    "os.write(3, b'x\\n')\nwhile True: pass"):
            log = self.path("log")
            got = run("import os\nnote()\n" + end,
                      tools={"note": shell('echo x >>"$1"; echo 1', log)})
            self.assertIsNotNone(got.kind)
            with open(log) as file:
                self.assertEqual(file.read(), "x\n", end)
            os.unlink(log)


if __name__ == "__main__":
    main()
