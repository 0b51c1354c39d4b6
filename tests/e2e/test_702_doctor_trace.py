#!/usr/bin/env python3
"""`weir doctor --trace FILE`: one program is run, the strongest way that the
host has, and what it was refused stands in the report."""
import json
import re

import test_700_doctor
from weir_test import PYTHON, WEIR, main

DENY = test_700_doctor.DENY
ROW = ["event", "count", "call", "number", "arguments", "error", "group",
       "reason"]

PROGRAM = """
import os, socket
print('out')
for what in (socket.socket, socket.socket, os.fork, os.setsid):
    try: what()
    except OSError: pass
return 1
"""


class Traced(test_700_doctor.Doctor):
    def traced(self, text, *options, around=()):
        """(the report, its member `trace`) of doctor --json."""
        path = self.write("program.py", text)
        report = self.report(around, "--trace", path, *options)
        trace = report["trace"]
        self.assertEqual(list(trace), ["way", "ran", "kind", "message",
                                       "refused", "left_out", "rows"])
        for row in trace["rows"]:
            self.assertEqual(list(row), ROW)
        self.assertEqual(trace["refused"], trace["left_out"] + sum(
            row["count"] for row in trace["rows"]))
        return report, trace

    def text(self, program, *options):
        path = self.write("program.py", program)
        done = self.words(test_700_doctor.DOCTOR + ["--trace", path, *options])
        self.assertIn(done.returncode, (0, 1), done.stderr)
        return done.stdout.decode()


class Report(Traced):
    def test_none_was_asked_for(self):
        self.assertIsNone(self.report()["trace"])

    def test_names_counts_and_reasons(self):
        report, trace = self.traced(PROGRAM)
        self.assertTrue(trace["ran"])
        self.assertIsNone(trace["kind"])
        self.assertIsNone(trace["message"])
        self.assertEqual(trace["way"], next(
            way["way"] for way in report["ways"] if way["available"]))
        found = {(row["call"], row["group"]): row for row in trace["rows"]}
        self.assertEqual(found["socket", "network"]["count"], 2)
        self.assertIn("only where it is granted",
                      found["socket", "network"]["reason"])
        for call, group in (("clone", "threads"), ("setsid", "processes")):
            self.assertEqual(found[call, group]["count"], 1)
            self.assertEqual(found[call, group]["error"], "EPERM")

    def test_what_run_says(self):
        """The rows are those of run's own file."""
        _, trace = self.traced(PROGRAM)
        path = self.path("trace")
        done = self.words([str(WEIR), "run", "--python", str(PYTHON),
                           "--trace", path, "-c", PROGRAM])
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(path) as file:
            lines = [json.loads(line) for line in file]
        if trace["way"] == "isolated":
            self.assertEqual(lines[:-1], trace["rows"])
            self.assertEqual(lines[-1]["refused"], trace["refused"])

    def test_a_quiet_program(self):
        _, trace = self.traced("return 1")
        self.assertEqual((trace["ran"], trace["refused"], trace["rows"]),
                         (True, 0, []))

    def test_a_program_that_fails(self):
        """Its end is no news of the host's; the status is the level's."""
        report, trace = self.traced("import socket\nsocket.socket()")
        self.assertEqual(trace["kind"], "exception")
        self.assertIn("Operation not permitted", trace["message"])
        self.assertEqual([row["call"] for row in trace["rows"]], ["socket"])
        plain = self.report()
        self.assertEqual(report["ok"], plain["ok"])
        self.assertEqual(report["verdict"], plain["verdict"])

    def test_one_that_is_ended(self):
        _, trace = self.traced("import os\nos.kill(os.getpid(), 9)")
        self.assertEqual((trace["kind"], trace["ran"]), ("worker_exit", True))

    def test_no_text(self):
        """Whose words they are not."""
        for text, said in ((b"x = '\xff'", "not UTF-8"),
                           (b"#" * ((2 << 20) + 1), "at most")):
            _, trace = self.traced(text)
            self.assertEqual((trace["kind"], trace["way"], trace["ran"]),
                             ("setup", None, False))
            self.assertIn(said, trace["message"])

    def test_no_such_file(self):
        for path, said in ((self.path("missing"), "No such file"),
                           (self.directory, "directory")):
            done = self.words(test_700_doctor.DOCTOR + ["--trace", path])
            self.assertEqual((done.returncode, done.stdout), (2, b""))
            self.assertRegex(done.stderr.decode(),
                             r"\Aweir: --trace '%s': [^\n]*%s[^\n]*; name a "
                             r"Python program[^\n]*\n\Z" % (path, said))


class Hosts(Traced):
    def test_where_namespaces_are_refused(self):
        """The next way is taken."""
        report, trace = self.traced(
            PROGRAM, around=(DENY, "clone:0&0x10000000=EPERM",
                             "unshare=EPERM", "--"))
        self.assertFalse(report["ok"])
        self.assertEqual(trace["way"], "plain")
        self.assertTrue(trace["ran"])
        self.assertIn("socket", [row["call"] for row in trace["rows"]])

    def test_where_nothing_runs(self):
        _, trace = self.traced(
            PROGRAM, around=(DENY, "seccomp=EPERM", "prctl:0==22=EPERM",
                             "--"))
        self.assertEqual((trace["way"], trace["ran"], trace["kind"]),
                         (None, False, "setup"))
        self.assertIn("no program can be run on this host", trace["message"])

    def test_no_listeners(self):
        _, trace = self.traced(
            PROGRAM, around=(DENY, "seccomp:1&8=EINVAL", "--"))
        self.assertEqual((trace["ran"], trace["kind"], trace["rows"]),
                         (False, "isolation_unavailable", []))
        self.assertIn("seccomp", trace["message"])


class Text(Traced):
    def test_a_line_for_each(self):
        lines = self.text(PROGRAM).split("\n")
        at = [i for i, line in enumerate(lines)
              if line.startswith("trace of ")][0]
        self.assertRegex(lines[at], r"program\.py \(\w+\): it ended well\Z")
        self.assertRegex(lines[at + 1], r"\A +\d+  system calls were refused:")
        rows = [re.match(r" +(\d+)  (\w+) +(E\w+) +([a-z ]+): ", line)
                for line in lines[at + 2:]]
        self.assertIn(("2", "socket", "EPERM", "network"),
                      [row.groups() for row in rows if row])
        # The program's own output is no part of it.
        self.assertNotIn("out", lines)
        self.assertRegex(lines[-2], r"\Aisolated: ")
        self.assertEqual(lines[-1], "")

    def test_a_line_for_whatever_arguments(self):
        """And no more of it than the object has rows."""
        program = ("import os\n"
                   "for pid in range(300):\n"
                   "    for _ in range(2):\n"
                   "        try: os.kill(1000000 + pid, 0)\n"
                   "        except OSError: pass\n")
        lines = [line for line in self.text(program).split("\n")
                 if " kill " in line or line.endswith("  others")]
        self.assertEqual([line.split()[0] for line in lines], ["512", "88"])
        _, trace = self.traced(program)
        self.assertEqual((len(trace["rows"]), trace["left_out"]), (256, 88))

    def test_the_longest_message(self):
        _, trace = self.traced("raise ValueError('\\x00' * 100000)")
        self.assertGreater(len(trace["message"]), 1000)
        self.assertIn("\0\0", trace["message"])
        self.assertTrue(trace["ran"])

    def test_none_was_asked_for(self):
        done = self.words(test_700_doctor.DOCTOR)
        self.assertNotIn(b"trace of", done.stdout)

    def test_one_line_for_what_it_says(self):
        text = self.text("raise ValueError('a\\nisolated: available\\x1b[2J"
                         "\\rb\\x7f')")
        lines = [line for line in text.split("\n") if "ValueError" in line]
        self.assertEqual(len(lines), 1)
        self.assertIn(": exception: ValueError: a isolated: available [2J b ",
                      lines[0])
        self.assertNotRegex(text, r"[\x00-\x09\x0b-\x1f\x7f]")
        self.assertEqual(sum(line.startswith("isolated: ")
                             for line in text.split("\n")), 1)


if __name__ == "__main__":
    main()
