#!/usr/bin/env python3
"""The programs of tests/hostile, judged from outside: by how they end, by
what is left of them, and by what their host has lost. What a program says
about itself counts only against weir.

The head of a program says how it may end (`inside`), and whether it gets
anywhere without confinement (`outside: breaks`): there it has to, or else
its failing inside would prove nothing.
"""
import os
import re
import subprocess

from weir_test import (ECHO, HANG, HERE, IS_ROOT, LEVEL_WORD, OWN_ROOT,
                       PYTHON, Watched, ending, kernel_names, main, survivors)

PROGRAMS = HERE.parent / "hostile"
PRELUDE = (PROGRAMS / "prelude.py").read_text()

# On the host's root: what is only watched there, and modes of files that a
# shared uid may not change. The sum of what is written is watched as well.
ELSEWHERE = {"many_threads": ["policy_refused"],
             "over_limits": ["policy_refused"],
             "memory_files": ["exception"]}


def head(text, name):
    found = re.search(r"^# %s: (.*)$" % name, text, re.M)
    if not found:
        raise AssertionError("no line '# %s:'" % name)
    return found.group(1)


class Hostile(Watched):
    def text(self, program, inside):
        values = {"MARK": self.mark, "SECRET": self.host.secret,
                  "FILE": self.host.file, "PORT": str(self.host.port),
                  "NAME": self.host.name, "INSIDE": "01"[inside]}
        # The secret itself is for the control; inside it would be given
        # away by the text.
        if inside:
            values["SECRET"] = "E2E_" + "SECRET="
        return re.sub(r"\{([A-Z]+)\}",
                      lambda found: values[found.group(1)],
                      PRELUDE + program)

    def check(self, path):
        program = path.read_text()
        allowed = head(program, "inside").split(" | ")
        if not OWN_ROOT:
            allowed += ELSEWHERE.get(path.stem, [])
            if head(program, "kind") == "disk":
                allowed.append("disk")
        limits = dict(self.LIMITS, address_space="1G")
        if "timeout" not in allowed:
            limits["wall"] = self.BOUND // 2
        got = self.watch(self.text(program, True), tools={"echo": ECHO},
                         limits=limits)
        shown = got.result["stdout"] + got.result["stderr"]
        self.assertIn(ending(got), allowed, (got.result["error"], shown))
        self.assertEqual(re.findall("^BROKE.*", shown, re.M), [])
        self.assertEqual(got.result["isolation"]["level"], LEVEL_WORD)
        self.check_outside(program)

    def check_outside(self, program):
        """The same without weir, in a directory of its own."""
        outside = head(program, "outside")
        if outside.startswith("not run, since ") or (
                outside == "breaks for root" and not IS_ROOT):
            return
        self.assertIn(outside, ("breaks", "breaks for root"))
        with open(self.host.file) as extra:
            done = subprocess.run(
                [PYTHON, "-I", "-S", "-c", self.text(program, False)],
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT, cwd=self.home, timeout=HANG,
                env=self.environment, pass_fds=[extra.fileno()])
        self.assertRegex(done.stdout.decode("utf-8", "replace"),
                         r"(?m)^BROKE", "it gets nowhere outside either")
        survivors()


def add(path):
    def test(self):
        self.check(path)
    test.__name__ = "test_" + path.stem
    setattr(Hostile, test.__name__, test)


for _path in sorted(PROGRAMS.glob("*.py")):
    if _path.stem != "prelude":
        add(_path)


class Watcher(Watched):
    """The watch itself can fail."""

    def test_sees_a_process_that_lives_on(self):
        subprocess.run(["sh", "-c", "sleep 1000 & :"])
        self.assertEqual(len(survivors()), 1)
        self.assertEqual(survivors(), [])

    def test_sees_a_visitor(self):
        import socket
        socket.create_connection(("127.0.0.1", self.host.port)).close()
        self.assertTrue(self.host.visited())
        self.assertFalse(self.host.visited())

    def test_sees_names_in_the_kernel(self):
        import ctypes
        import socket
        before = kernel_names()
        with socket.socket(socket.AF_UNIX) as one:
            one.bind("\0wh%d" % os.getpid())
            self.assertEqual(set(kernel_names()) - set(before),
                             {"@wh%d" % os.getpid()})
        libc = ctypes.CDLL(None, use_errno=True)
        # On the process's own ring (add_key(2)); KEYCTL_INVALIDATE is 21.
        numbers = {"x86_64": (248, 250), "aarch64": (217, 219)}
        add, control = numbers[os.uname().machine]
        key = libc.syscall(add, b"user", b"hst_key", b"x", 1, -2)
        self.assertGreater(key, 0, os.strerror(ctypes.get_errno()))
        found = set(kernel_names()) - set(before)
        libc.syscall(control, 21, key, 0, 0, 0)
        self.assertEqual(len(found), 1)
        self.assertIn("hst_key", found.pop())

    def test_programs_are_there(self):
        self.assertGreater(len([n for n in dir(Hostile)
                                if n.startswith("test_")]), 40)


if __name__ == "__main__":
    main()
