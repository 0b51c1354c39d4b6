#!/usr/bin/env python3
"""What is refused before anything runs, and what a program finds loaded."""
import os
import subprocess

from weir_test import ECHO, HANG, PYTHON, WEIR, Case, command, main, rows, run


class Usage(Case):
    """Wrong command lines: exit code 2, one line that says what to do,
    nothing on stdout, and no program run."""

    def check(self, words, *parts):
        got = subprocess.run(
            [str(WEIR)] + [w.replace("@", self.directory) for w in words],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, timeout=HANG, cwd="/")
        self.assertEqual(got.returncode, 2, got)
        self.assertEqual(got.stdout, b"")
        text = got.stderr.decode()
        self.assertRegex(text, r"\Aweir: [^\n]+\n\Z")
        for part in parts:
            self.assertIn(part, text)


RUN = ["run", "--python", "/usr/bin/python3"]
usage = {
    "no_command": ([], "command"),
    "unknown_command": (["walk"], "walk"),
    "absent_command": (["serve"], "not available"),
    "no_program": (["run"], "program"),
    "two_programs": (RUN + ["-c", "1", "file"], "before"),
    "unknown_option": (RUN + ["--jsonn", "-c", "1"], "--jsonn"),
    "abbreviated_option": (RUN + ["--js", "-c", "1"], "--js"),
    "absent_option": (RUN + ["--package", "-c", "1"], "not available"),
    "unconfined_and_a_level": (
        RUN + ["--unconfined", "--level", "process", "-c", "1"],
        "contradicts"),
    "test_skip_outside_of_a_test_build": (
        RUN + ["--test-skip", "seccomp", "-c", "1"], "--test-skip"),
    "run_anyway_outside_of_a_test_build": (
        RUN + ["--test-run-anyway", "-c", "1"], "--test-run-anyway"),
    "option_without_value": (RUN + ["-c"], "-c"),
    "value_for_a_flag": (RUN + ["--json=yes", "-c", "1"], "--json"),
    "level_none": (RUN + ["--level", "none", "-c", "1"], "--unconfined"),
    "level_unknown": (RUN + ["--level", "mostly", "-c", "1"], "mostly"),
    "limit_unknown": (RUN + ["--limit", "disk=1G", "-c", "1"], "disk"),
    "limit_without_value": (RUN + ["--limit", "cpu", "-c", "1"], "cpu"),
    "limit_no_number": (RUN + ["--limit", "cpu=fast", "-c", "1"], "fast"),
    "limit_negative": (RUN + ["--limit", "cpu=-1", "-c", "1"], "-1"),
    "limit_wrong_unit": (RUN + ["--limit", "cpu=1M", "-c", "1"], "1M"),
    "limit_size_with_a_time": (RUN + ["--limit", "value=1s", "-c", "1"],
                               "1s"),
    "limit_over_its_ceiling": (RUN + ["--limit", "value=17M", "-c", "1"],
                               "16M"),
    "limit_under_its_minimum": (
        RUN + ["--limit", "open_files=15", "-c", "1"], "open_files"),
    "limit_overflow": (
        RUN + ["--limit", "value=99999999999999999999999", "-c", "1"],
        "value"),
    "limit_twice": (RUN + ["--limit", "cpu=1", "--limit", "cpu=2", "-c",
                           "1"], "cpu"),
    "tool_without_command": (RUN + ["--tool", "a=", "-c", "1"], "command"),
    "tool_without_equals": (RUN + ["--tool", "a", "-c", "1"], "="),
    "tool_without_name": (RUN + ["--tool", "=cat", "-c", "1"], "name"),
    "tool_twice": (RUN + ["--tool", "a=cat", "--tool", "a=cat", "-c", "1"],
                   "before"),
    "tool_name_too_long": (RUN + ["--tool", "n" * 129 + "=cat", "-c", "1"],
                           "128"),
    "tool_quoting": (RUN + ["--tool", "a=cat 'open", "-c", "1"], "quot"),
    "tool_that_is_not_there": (
        RUN + ["--tool", "a=no-such-command-here", "-c", "1"],
        "tool a"),
    "tool_path_that_is_not_there": (
        RUN + ["--tool", "a=@/none", "-c", "1"], "tool a"),
    "tool_only_blanks": (RUN + ["--tool", "a=  ", "-c", "1"], "a"),
    "file_that_is_not_there": (RUN + ["@/none.py"], "none.py"),
    "file_that_is_a_directory": (RUN + ["@"],),
    "empty_file_name": (RUN + [""], "path is empty"),
    "empty_python": (["run", "--python", "", "-c", "1"], "--python"),
}
rows(Usage, usage)


class File(Case):
    def outcome(self, content, **more):
        return run(None, self.write("program.py", content), **more)

    def test_file(self):
        got = self.outcome("return 'é'")
        self.assertEqual((got.code, got.result["value"]), (0, "é"))

    def test_neither_file_nor_directory_is_visible(self):
        path = self.write("program.py", "import os\n[os.path.exists(p) for p "
                          "in (%r, %r)]" % (self.path("program.py"),
                                            self.directory))
        self.assertTrue(os.path.exists(path))
        self.assertEqual(run(None, path).result["value"], [False, False])

    def test_file_whose_name_begins_with_a_dash(self):
        self.write("-c", "'from the file'")
        got = run(None, "--", "-c", cwd=self.directory)
        self.assertEqual(got.result["value"], "from the file")

    def test_standard_input(self):
        with open(self.write("program", "2 + 2"), "rb") as file:
            got = run(None, "-", stdin=file)
        self.assertEqual(got.result["value"], 4)

    def test_options_after_the_file(self):
        path = self.write("program", "5")
        got = subprocess.run([str(WEIR), "run", path, "--json", "--python",
                              "/usr/bin/python3"], stdout=subprocess.PIPE,
                             stdin=subprocess.DEVNULL, timeout=HANG)
        self.assertIn(b'"value":5', got.stdout)

    def test_windows_lines(self):
        self.assertEqual(self.outcome("x = 1\r\nx + 1\r\n").result["value"],
                         2)

    def check_refused(self, content, *words):
        """Refused, in words, before anything ran."""
        got = self.outcome(content)
        self.assertEqual(got.code, 2, got.stdout + got.stderr)
        self.assertEqual(got.stdout, b"")
        for word in words:
            self.assertIn(word, got.stderr.decode())

    def test_not_utf8(self):
        self.check_refused(b"x = '\xff'", "UTF-8")

    def test_nul(self):
        """Python's to refuse: it is text."""
        got = self.outcome(b"print(1)\nx = '\0'\n")
        self.assertEqual((got.kind, got.result["stdout"]), ("exception", ""))

    def test_size(self):
        """1 MiB is the limit, and one byte more is over it."""
        head = b"return 1\n#"
        got = self.outcome(head + b"x" * (1048576 - len(head)))
        self.assertEqual((got.code, got.kind), (0, None))
        self.check_refused(head + b"x" * (1048577 - len(head)), "1048576")

    def test_no_end(self):
        with open("/dev/zero", "rb") as zero:
            got = run(None, "-", stdin=zero)
        self.assertEqual(got.code, 2)


class Information(Case):
    def test_help_and_version(self):
        for words, part in ((["--help"], b"--limit"),
                            (["run", "--help"], b"--tool"),
                            (["--version"], b"weir")):
            got = subprocess.run([str(WEIR)] + words, timeout=HANG,
                                 stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE)
            self.assertEqual((got.returncode, got.stderr), (0, b""))
            self.assertIn(part, got.stdout)


class Imports(Case):
    """Nothing is imported that the program did not cause."""

    # In two parts, since a program that has the word asyncio in it may mean
    # the event loop.
    NAMES = ["json", "asyn" "cio", "ast", "traceback", "linecache", "inspect",
             "re", "threading", "typing", "collections", "enum", "tempfile",
             "subprocess", "bootstrap", "_weir"]
    PROGRAM = ("import sys\n%s[n for n in " + repr(NAMES).replace(
        "asyncio", "asyn' 'cio") + " if n in sys.modules]")

    @classmethod
    def setUpClass(cls):
        """What a bare interpreter has loaded by itself."""
        done = subprocess.run(
            [PYTHON, "-I", "-S", "-c", "import sys; print(*sys.modules)"],
            stdout=subprocess.PIPE, timeout=HANG, check=True)
        cls.bare = done.stdout.decode().split()

    def check(self, program, **more):
        self.assertEqual([name for name in self.value(program, **more)
                          if name not in self.bare], [])

    def test_of_an_ordinary_program(self):
        self.check(self.PROGRAM % "")

    def test_of_a_program_with_tools(self):
        self.check(self.PROGRAM % "echo(a=1)\n", tools={"echo": ECHO})

    def test_of_a_program_that_returns(self):
        self.check(self.PROGRAM % "return ")

    def test_of_a_program_that_awaits_tools_only(self):
        self.check(self.PROGRAM % "await echo(a=1)\n",
                   tools={"echo": ECHO})

    def test_can_fail(self):
        with self.assertRaises(AssertionError):
            self.check(self.PROGRAM % "import json\n")


class Finds(Case):
    """What a program finds (C9, C10, C11)."""

    def test_interpreter_flags(self):
        flags = self.value(
            "import sys\nf = sys.flags\n"
            "return [f.isolated, f.no_site, f.utf8_mode, f.no_user_site,"
            " sys.stdout.encoding]")
        self.assertEqual(flags, [1, 1, 1, 1, "utf-8"])

    def test_directory_and_umask(self):
        self.assertEqual(
            self.value("import os\nreturn [os.getcwd(), os.listdir('.'),"
                       " os.environ['HOME'], os.environ['TMPDIR'],"
                       " os.umask(0)]"),
            ["/workspace", [], "/workspace", "/workspace", 0o077])

    def test_caller_shows_in_nothing(self):
        text = self.value(
            "import os, sys\n"
            "return repr([dict(os.environ), sys.argv, sys.path, os.getcwd(),"
            " os.uname(), getattr(sys, 'orig_argv', 0)])",
            env=dict(os.environ, SECRET="do-not-tell",
                     PYTHONPATH="/do-not-tell", LD_LIBRARY_PATH="/do-not"))
        self.assertNotIn("do-not", text)

    def test_no_variable_of_the_caller_widens_anything(self):
        """C19: only options and files do."""
        environment = dict(
            os.environ, WEIR_LEVEL="none", WEIR_LIBEXEC="/nowhere",
            WEIR_TEST_SKIP="seccomp", WEIR_UNCONFINED="1",
            WEIR_PYTHON="/nowhere", PYTHONHOME="/nowhere",
            LD_PRELOAD="/nowhere.so")
        result = self.succeeds("1", env=environment)
        self.assertEqual(result["isolation"]["level"], "isolated")
        self.assertEqual(
            {p["grade"] for p in result["isolation"]["guarantees"].values()},
            {"enforced"})

    def test_default_interpreter(self):
        got = subprocess.run(
            command(python=None) + ["-c", "import sys; sys.executable"],
            stdout=subprocess.PIPE, timeout=HANG, cwd="/",
            env={"PATH": "/usr/bin:/bin"})
        self.assertIn(b'"level":"isolated"', got.stdout)


if __name__ == "__main__":
    main()
