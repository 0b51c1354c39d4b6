#!/usr/bin/env python3
"""The exit codes of the manual, each reached by a real end."""
import os
import shutil
import signal
import subprocess
import tempfile

from weir_test import HANG, PYTHON, Case, finish, main, rows, run


class Codes(Case):
    def check(self, code, kind, program, limits=None):
        got = run(program, limits=limits or {})
        self.assertEqual((got.code, got.kind), (code, kind),
                         got.result["error"])
        # Without --json the code is the same, and the last line names the
        # kind.
        plain = run(program, limits=limits or {}, json=False)
        self.assertEqual(plain.code, code)
        last = plain.stderr.decode().splitlines()[-1:]
        if kind is None:
            self.assertEqual(last, [])
        else:
            self.assertRegex(last[0], "^weir: %s: ." % kind)


rows(Codes, {
    "ok": (0, None, "1"),
    "exception": (1, "exception", "1 / 0"),
    "syntax_error": (1, "exception", "def"),
    "invalid_value": (1, "invalid_value", "return {1, 2}"),
    "output_limit": (1, "output_limit", "return 'x' * 9", {"value": 10}),
    "protocol_violation": (1, "protocol_violation",
                           "import os\nos.write(3, b'[]\\n')\n"
                           "while 1: pass"),
    "worker_exit": (1, "worker_exit", "import sys\nsys.exit(124)"),
    "worker_exit_137": (1, "worker_exit", "import os\nos._exit(137)"),
    "signal_9": (137, "worker_exit", "import os\nos.kill(os.getpid(), 9)"),
    "signal_11": (139, "worker_exit",
                  "import ctypes\nctypes.string_at(1)"),
    "signal_6": (134, "worker_exit", "import os\nos.abort()"),
    "wall": (124, "timeout", "while 1: pass",
             {"wall": "200ms", "grace": 0}),
    "cpu": (124, "timeout", "while 1: pass", {"cpu": 1}),
})


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
