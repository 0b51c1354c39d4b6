#!/usr/bin/env python3
"""More hostile programs, written elsewhere: WEIR_SHARED names a directory
with hostile/, tools/adapt.py and tools/mapping.weir.json. Where it is empty
there is nothing to run, and this file says so.

ENDINGS says how each may end. What nobody may do holds for all of them: no
line that begins with ESCAPED or REACHED, no process, mount, file, object or
secret of the host gone or left (see Watched), an answer in time, and a
program run afterwards works.
"""
import os
import pathlib
import pty
import re
import subprocess
import sys
import tempfile
import unittest

from weir_test import (ECHO, HANG, SHARED, Watched, command, ending, finish,
                       main, rows, start)

OK, EXCEPTION, TIMEOUT = "ok", "exception", "timeout"
VIOLATION, INVALID = "protocol_violation", "invalid_value"
EXIT, TOO_LARGE = "worker_exit", "output_limit"
# A refused fork, /proc or mkfifo that a program does not expect is its
# uncaught OSError.
REFUSED = (OK, EXCEPTION)

ENDINGS = {
    1: OK, 2: REFUSED, 3: OK, 4: OK, 5: REFUSED, 6: OK, 7: OK, 8: OK,
    9: (TIMEOUT, EXIT), 10: TIMEOUT, 11: OK, 12: REFUSED, 13: OK,
    14: TIMEOUT, 15: (EXCEPTION, TIMEOUT), 16: TIMEOUT, 17: TIMEOUT,
    18: REFUSED, 19: OK, 20: OK, 21: ("signal 11", EXCEPTION), 22: OK, 23: OK,
    24: TIMEOUT, 25: REFUSED, 26: OK, 27: OK, 28: OK, 29: REFUSED, 30: OK,
    31: (OK, "signal 31"), 32: REFUSED, 33: REFUSED, 34: OK, 35: OK, 36: OK,
    37: OK, 38: OK, 39: OK, 40: OK, 41: OK, 42: OK, 43: OK, 44: OK,
    45: REFUSED, 46: OK, 47: OK, 48: REFUSED, 49: OK, 50: OK, 51: OK,
    52: TIMEOUT, 53: OK, 54: OK, 55: EXCEPTION, 56: VIOLATION,
    57: (VIOLATION, EXIT), 58: TIMEOUT, 59: VIOLATION, 60: OK,
    61: VIOLATION, 62: TIMEOUT, 63: TIMEOUT, 64: EXIT, 65: OK,
    66: (EXCEPTION, TIMEOUT), 67: OK, 68: INVALID, 69: INVALID,
    70: TOO_LARGE, 71: INVALID, 72: "signal 6", 73: "signal 9",
}

# What this version cannot be judged by yet, and why. Shown with the tests.
NOT_YET = {
    44: "artifacts are not collected yet: what a collector does with links "
        "is not tested",
    45: "likewise with FIFOs", 46: "likewise with modes and devices",
    47: "likewise with names", 48: "likewise with files that change",
    49: "likewise with sizes",
    18: "without a memory cgroup the end is MemoryError in the program, not "
        "an outcome of the kind memory",
    19: "likewise",
}

# Other texts of a program that draws lots, which it does by its pid, and
# that is 2 each time.
VARIANTS = {
    70: [("os.getpid() % 3", str(n)) for n in range(3)],
    66: [(r"random.choice([Big(), Frame(), Again(), Lie(), e, g])", word)
         for word in ("Big()", "Frame()", "Again()", "Lie()", "e", "g")],
}


def adapt():
    """number: program, with its tokens filled in"""
    if not SHARED:
        return {}
    shared = pathlib.Path(SHARED)
    with tempfile.TemporaryDirectory(prefix="weir-e2e-") as place:
        subprocess.run(
            [sys.executable, shared / "tools/adapt.py",
             shared / "tools/mapping.weir.json", place], check=True,
            stdout=subprocess.DEVNULL, timeout=HANG)
        return {int(path.name[:3]): path.read_text()
                for path in pathlib.Path(place, "hostile").glob("*.py")}


PROGRAMS = adapt()


class Adapted(Watched):
    MARKS = ("hst_", ".hst")

    def text(self, number):
        program = PROGRAMS[number]
        if "submit(" in program:
            program += "\n_submitted[-1] if _submitted else None\n"
        return program

    def limits(self, number):
        ends = ENDINGS[number]
        times_out = TIMEOUT in (ends if type(ends) is tuple else (ends,))
        limits = {"wall": "2s" if times_out else self.BOUND - 10,
                  "grace": "500ms", "cpu": 40, "preview": "64K"}
        if number in (18, 19):
            limits["address_space"] = "1G"
        return limits

    def more(self, number):
        return {"tools": {"echo": ECHO}, "limits": self.limits(number)}

    def judge(self, number, got, aliases=0):
        ends = ENDINGS[number]
        self.assertIn(ending(got), ends if type(ends) is tuple else (ends,),
                      got.result["error"])
        shown = got.result["stdout"] + got.result["stderr"]
        self.assertEqual(
            len(re.findall("^(?:ESCAPED|REACHED)", shown, re.M)), aliases,
            shown)
        self.assertEqual(got.result["isolation"]["level"], "isolated")
        for call in got.result["calls"]["list"]:
            if call["tool"] != "echo":
                self.assertEqual(call["state"], "refused")
        return shown


class MoreHostile(Adapted):
    def check(self, number):
        text = self.text(number)
        for old, new in VARIANTS.get(number, [("", "")]):
            if old:
                self.assertIn(old, text)
            got = self.watch(text.replace(old, new), *self.MARKS,
                             **self.more(number))
            self.judge(number, got)
        if number in NOT_YET:
            print("not yet: %03d: %s" % (number, NOT_YET[number]),
                  file=sys.stderr)


class Special(Adapted):
    """Those that are to be run in another way."""

    def test_terminal(self):
        """001 and 002 with a terminal on all three."""
        for number in (1, 2):
            master, slave = pty.openpty()
            process = subprocess.Popen(
                command(json=False, limits=self.limits(number)) +
                ["-c", self.text(number)],
                stdin=slave, stdout=slave, stderr=slave,
                start_new_session=True)
            os.close(slave)
            shown = b""
            try:
                while True:
                    shown += os.read(master, 65536)
            except OSError:
                pass  # EIO: everybody has closed it
            process.wait(HANG)
            os.close(master)
            self.assertNotIn(b"ESCAPED", shown)
            self.assertIn(b"BLOCKED", shown)

    def test_twice(self):
        """The second time is the test. 023 looks for its marker in one
        directory by three names, so two of them find it."""
        for number, aliases in ((23, 2), (39, 0), (67, 0)):
            for _ in range(2):
                got = self.watch(self.text(number), *self.MARKS,
                                 **self.more(number))
                shown = self.judge(number, got, aliases)
                self.assertFalse(shown.startswith("ESCAPED"), shown)

    def test_two_at_once(self):
        """Neither sees anything of the other."""
        for number in (36, 40):
            both = [start(self.text(number), **self.more(number))
                    for _ in range(2)]
            for got in [finish(process) for process in both]:
                self.judge(number, got)


class Table(unittest.TestCase):
    def test_every_program_is_judged(self):
        if not PROGRAMS:
            print("WEIR_SHARED is empty: no more programs here",
                  file=sys.stderr)
        self.assertLessEqual(set(PROGRAMS), set(ENDINGS))


# 023 is run twice, or it shows nothing.
rows(MoreHostile, {"%03d" % number: (number,)
                   for number in sorted(set(ENDINGS) & set(PROGRAMS) - {23})})

if __name__ == "__main__":
    if not PROGRAMS:
        del Special
    main()
