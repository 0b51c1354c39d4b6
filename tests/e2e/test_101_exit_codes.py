#!/usr/bin/env python3
"""The exit codes of the manual, each reached by a real end."""
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile

from weir_test import (HANG, IS_ROOT, PYTHON, SOURCES, TOOLS, Case, command,
                       finish, main, rows, run, stop)

FORGED = ("import os\nos.write(3, b'{\"type\":\"done\",%s}\\n')\n"
          "while True: pass")


class Codes(Case):
    """kind, detail, code, then how: see EXAMPLES"""

    def check(self, kind, code, program, limits=None, rules=None, python=None,
              level="isolated", request=None, servers=None):
        more = {"limits": limits or {}, "level": level}
        around, options = [], []
        if servers:
            path = self.write("mcp.json", json.dumps({"mcpServers": servers}))
            os.chmod(path, 0o644)
            options = ["--mcp-config", path]
        if request:
            path = self.write("request", json.dumps(
                dict(request, schema="weir.request/1")))
            options += ["--request-file", path]
        if python:
            more["python"] = self.false_python(python)
        if rules:
            around = [str(TOOLS / "meddle"), *rules, "--"]
        both = [self.started(around, *options, "-c", program, json=as_json,
                             **more) for as_json in (True, False)]
        got, plain = [finish(process) for process in both]
        self.assertEqual((got.code, got.kind), (code, kind),
                         got.result["error"])
        self.assertEqual(got.result["ok"], kind is None)
        # Without --json the code is the same, and the last line names the
        # kind.
        self.assertEqual(plain.code, code)
        last = plain.stderr.decode().splitlines()[-1:]
        if kind is None:
            self.assertEqual(last, [])
        else:
            self.assertRegex(last[0], "^weir: %s: ." % kind)

    def started(self, around, *words, **more):
        process = subprocess.Popen(
            around + command(*words, **more), cwd="/",
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE)
        self.addCleanup(stop, process)
        return process

    def false_python(self, program):
        """An installation whose interpreter is another program."""
        home = tempfile.mkdtemp(prefix="weir-e2e-", dir="/var/tmp")
        self.addCleanup(shutil.rmtree, home)
        os.chmod(home, 0o755)
        os.makedirs(home + "/lib/python3.11")
        os.mkdir(home + "/bin")
        with open(home + "/lib/python3.11/os.py", "w"):
            pass
        shutil.copy(program, home + "/bin/python3")
        return home + "/bin/python3"

    def table(self):
        """(kind, detail): code, of supervisor/exitcodes.c"""
        found = re.findall(r"^    ROW\((\w+), (\w+), (\w+),",
                           (SOURCES / "supervisor/exitcodes.c").read_text(),
                           re.M)
        self.assertGreater(len(found), 20)
        return {(kind, detail): 125 if code == "SUP_EXIT_OTHER" else int(code)
                for kind, detail, code in found}

    def test_every_row_has_an_example(self):
        """Or a reason why none can be had; and no reason is out of date."""
        table = self.table()
        # A signal to the command: see Cancelled.
        self.assertEqual(table.pop(("CANCELLED", "PLAIN")), 130)
        self.assertEqual(set(EXAMPLES) | set(NONE_YET), set(table))
        self.assertEqual(set(EXAMPLES) & set(NONE_YET), set())
        for row, examples in EXAMPLES.items():
            for kind, code, *_ in examples.values():
                self.assertEqual((kind or "none").upper(), row[0])
                if row[1] == "BY_SIGNAL":
                    self.assertIn(code - table[row], range(1, 65))
                else:
                    self.assertEqual(code, table[row])

    def test_no_reason_is_out_of_date(self):
        for path in (SOURCES / "supervisor").glob("*.c"):
            if path.stem in ("exitcodes", "kinds"):
                continue
            text = path.read_text()
            for kind, _ in NONE_YET:
                self.assertFalse("SUP_KIND_" + kind in text,
                                 "%s: it can be had: write an example" % path)


EXEC = "execve in=weir-child"

# A row of the table: name: (kind, code, program, then what is needed)
EXAMPLES = {
    ("NONE", "PLAIN"): {"ok": (None, 0, "1")},
    ("EXCEPTION", "PLAIN"): {
        "exception": ("exception", 1, "1 / 0"),
        "syntax_error": ("exception", 1, "def"),
        "forged_exception": ("exception", 1, FORGED % (
            '"error":{"kind":"exception","message":"x"}')),
    },
    ("INVALID_VALUE", "PLAIN"): {
        "invalid_value": ("invalid_value", 1, "return {1, 2}")},
    ("OUTPUT_LIMIT", "PLAIN"): {
        "output_limit": ("output_limit", 1, "return 'x' * 9", {"value": 10})},
    ("PROTOCOL_VIOLATION", "PLAIN"): {
        "protocol_violation": (
            "protocol_violation", 1,
            "import os\nos.write(3, b'[]\\n')\nwhile 1: pass")},
    # Nothing counts steps yet, but a program may claim that it was so.
    ("STEP_BUDGET", "PLAIN"): {
        "forged_step_budget": ("step_budget", 1, FORGED % (
            '"error":{"kind":"step_budget","message":"x"}'))},
    ("WORKER_EXIT", "PLAIN"): {
        "exit_124": ("worker_exit", 1, "import sys\nsys.exit(124)"),
        "exit_137": ("worker_exit", 1, "import os\nos._exit(137)"),
        "exit_0": ("worker_exit", 1, "import os\nos._exit(0)"),
    },
    ("WORKER_EXIT", "BY_SIGNAL"): {
        "signal_9": ("worker_exit", 137, "import os\nos.kill(os.getpid(), 9)"),
        "signal_11": ("worker_exit", 139,
                      "import ctypes\nctypes.string_at(1)"),
        "signal_6": ("worker_exit", 134, "import os\nos.abort()"),
        "signal_64": ("worker_exit", 192,
                      "import os\nos.kill(os.getpid(), 64)"),
    },
    ("TIMEOUT", "PLAIN"): {
        "wall": ("timeout", 124, "while 1: pass",
                 {"wall": "200ms", "grace": 0}),
        "cpu": ("timeout", 124, "while 1: pass", {"cpu": 1}),
    },
    # Whoever holds the limit, and against what the program says itself.
    ("MEMORY", "PLAIN"): {
        "memory": ("memory", 137, "x = bytearray(300 << 20)",
                   {"memory": "64M", "address_space": "1G"}),
    },
    ("SETUP", "PLAIN"): {
        "no_python": ("setup", 125, "1", {}, None, "/bin/true")},
    # Of what cannot be executed before there is an execution, see
    # Interpreter.
    ("SETUP", "NOT_EXECUTABLE"): {
        "exec_refused": ("setup", 126, "1", {}, ["fail=13 " + EXEC])},
    ("SETUP", "NOT_FOUND"): {
        "exec_of_nothing": ("setup", 127, "1", {}, ["fail=2 " + EXEC])},
    ("ISOLATION_UNAVAILABLE", "PLAIN"): {
        "refused_step": ("isolation_unavailable", 125, "1", {},
                         ["fail=1 pivot_root"])},
    ("BACKEND_NOT_READY", "PLAIN"): {
        "stopped_start": ("backend_not_ready", 125, "1", {}, [
            "hold " + EXEC])},
}

EXAMPLES["DISK", "PLAIN"] = {
    "disk": ("disk", 1, "for n in range(300): open(str(n), 'w')\n"
             "import time\ntime.sleep(60)", {"inodes": 100, "wall": 90}, None,
             None, "process")}
EXAMPLES["POLICY_REFUSED", "PLAIN"] = {
    "level_beyond_the_backend": (
        "policy_refused", 125, "1", {}, None, None, "spaces",
        {"level": "isolated"})}
# Root's program has ids of its own there, and so a limit of the kernel's.
if not IS_ROOT:
    EXAMPLES["POLICY_REFUSED", "PLAIN"]["threads"] = (
        "policy_refused", 125, "import threading, time\n"
        "for _ in range(50): threading.Thread(target=time.sleep,"
        " args=(60,), daemon=True).start()\ntime.sleep(60)",
        {"threads": 10, "wall": 90}, None, None, "process")
EXAMPLES["NETWORK_NOT_ALLOWED", "PLAIN"] = {
    "network_wanted": ("network_not_allowed", 125, "1", {}, None, None,
                       "isolated", {"network": True})}

EXAMPLES["BUDGET_EXHAUSTED", "PLAIN"] = {
    "no_call_is_left": ("budget_exhausted", 1, "list_tools()", {"calls": 0},
                        None, None, "isolated", {"halt_on_exhaust": True})}
EXAMPLES["PROVIDER_ERROR", "PLAIN"] = {
    "server_that_ends": ("provider_error", 125, "1", {}, None, None,
                         "isolated", None, {"s": {
                             "command": "/bin/false", "required": True}})}

NONE_YET = {
    ("ARTIFACTS_UNAVAILABLE", "PLAIN"): "artifacts are not collected yet",
}

rows(Codes, {name: example for examples in EXAMPLES.values()
             for name, example in examples.items()})


class Interpreter(Case):
    def test_that_is_not_there(self):
        got = run("1", python=self.path("none"))
        self.assertEqual(got.code, 127)
        self.assertEqual(got.stdout, b"")
        self.assertIn(b"none", got.stderr)

    def test_name_that_is_not_on_path(self):
        got = run("1", python="python-that-is-not-there")
        self.assertEqual(got.code, 127)

    def test_script_in_its_place(self):
        path = self.write("python3", "#!/bin/sh\nexec /usr/bin/python3 $@\n")
        os.chmod(path, 0o755)
        got = run("1", python=path)
        self.assertEqual(got.code, 126)
        self.assertIn(b"ELF", got.stderr)

    def test_script_on_path_is_passed_over(self):
        path = self.write("python3", "#!/bin/sh\necho shim\n")
        os.chmod(path, 0o755)
        got = run("'ran'", python=None, env={
            "PATH": self.directory + ":/usr/bin:/bin"})
        self.assertEqual((got.code, got.result["value"]), (0, "ran"))
        self.assertIn(path, got.result["warnings"][0])

    def test_directory_in_its_place(self):
        self.assertEqual(run("1", python=self.directory).code, 126)

    def test_not_executable(self):
        with open("/bin/true", "rb") as file:
            path = self.write("python3", file.read())
        os.chmod(path, 0o644)
        self.assertEqual(run("1", python=path).code, 126)


class Elsewhere(Case):
    """An interpreter's prefix may stand in any directory of the host."""

    def check(self, place):
        """A virtual environment, which leads to its base."""
        home = tempfile.mkdtemp(prefix="weir-e2e-", dir=place)
        self.addCleanup(shutil.rmtree, home)
        os.chmod(home, 0o755)
        os.mkdir(home + "/bin")
        os.symlink(PYTHON, home + "/bin/python3")
        with open(home + "/pyvenv.cfg", "w") as file:
            file.write("home = %s\n" % os.path.dirname(PYTHON))
        self.assertEqual(self.value("5", python=home + "/bin/python3"), 5)

    def check_copy(self, place):
        """A whole installation of its own, as small as one can be."""
        home = tempfile.mkdtemp(prefix="weir-e2e-", dir=place)
        self.addCleanup(shutil.rmtree, home)
        os.chmod(home, 0o755)
        base = subprocess.run(
            [PYTHON, "-I", "-S", "-c", "import os, sys; print(os.path."
             "dirname(os.__file__)); print(sys.executable)"], timeout=HANG,
            stdout=subprocess.PIPE).stdout.decode().splitlines()
        os.mkdir(home + "/bin")
        library = home + "/lib/" + os.path.basename(base[0])
        shutil.copytree(
            base[0], library, symlinks=True,
            ignore=shutil.ignore_patterns(
                "__pycache__", "test", "*-packages", "config-*", "idlelib",
                "ensurepip", "lib2to3", "tkinter", "pydoc*"))
        shutil.copy(os.path.realpath(base[1]), home + "/bin/python3")
        got = run("import os\nos.__file__", python=home + "/bin/python3")
        self.assertIsNone(got.kind, got.result["error"])
        self.assertEqual(got.result["value"], library + "/os.py")

    def test_copy_beneath_tmp(self):
        self.check_copy("/tmp")

    def test_copy_beneath_var(self):
        self.check_copy("/var/tmp")


rows(Elsewhere, {"venv_beneath_tmp": "/tmp", "venv_beneath_var": "/var/tmp"})


class Cancelled(Case):
    def check(self, sig):
        meeting = self.meeting()
        process = self.start("print('x', flush=True)\nwait()", json=True,
                        tools={"wait": meeting.tool()})
        self.assertTrue(meeting.wait(1, process))
        process.send_signal(sig)
        got = finish(process)
        self.assertEqual((got.code, got.kind), (130, "cancelled"))
        self.assertEqual(got.result["stdout"], "x\n")


rows(Cancelled, {
    "SIGINT": signal.SIGINT,
    "SIGTERM": signal.SIGTERM,
    "SIGHUP": signal.SIGHUP,
})


if __name__ == "__main__":
    main()
