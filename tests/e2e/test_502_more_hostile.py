#!/usr/bin/env python3
"""More hostile programs, written elsewhere: WEIR_SHARED names a directory
with hostile/, tools/adapt.py and tools/mapping.weir.json. Where it is empty
there is nothing to run, and this file says so.

ENDINGS says how each may end. What nobody may do holds for all of them: no
line that begins with ESCAPED or REACHED, no process, mount, file, object or
secret of the host gone or left (see Watched), an answer in time, and a
program run afterwards works.
"""
import fcntl
import os
import pathlib
import pty
import re
import select
import subprocess
import sys
import tempfile
import termios
import unittest

from weir_test import (HANG, IS_ROOT, LEVEL_WORD, OWN_ROOT, SHARED, Watched,
                       command, ending, finish, main, rows, run, shell, stop)

OK, EXCEPTION, TIMEOUT = "ok", "exception", "timeout"
VIOLATION, INVALID = "protocol_violation", "invalid_value"
EXIT, TOO_LARGE, MEMORY = "worker_exit", "output_limit", "memory"
# A refused fork, /proc or mkfifo that a program does not expect is its
# uncaught OSError, with these words. What such a program would have done next
# is in FURTHER.
REFUSED = "refused"
REFUSAL = {5: r"(FileNotFoundError|PermissionError): .*'/proc'"}
# On the host's root its /proc is there, and closed.
ANY_REFUSAL = r"PermissionError: \[Errno 1\]" + (
    "" if OWN_ROOT else r"|PermissionError: \[Errno 13\] .*: '/proc")

ENDINGS = {
    1: OK, 2: REFUSED, 3: OK, 4: OK, 5: REFUSED, 6: OK, 7: OK, 8: OK,
    9: TIMEOUT, 10: TIMEOUT, 11: OK, 12: REFUSED, 13: OK, 14: TIMEOUT,
    15: REFUSED, 16: TIMEOUT, 17: TIMEOUT, 18: MEMORY, 19: MEMORY, 20: OK,
    # At the guard below each stack, or by a check of the interpreter.
    21: ("signal 11", EXCEPTION), 22: OK, 23: OK, 24: TIMEOUT, 25: OK, 26: OK,
    27: OK, 28: OK, 29: REFUSED, 30: OK,
    # By the filter; a kernel without x32 says ENOSYS.
    31: (OK, "signal 31"), 32: REFUSED, 33: REFUSED,
    34: OK, 35: OK, 36: OK,
    37: OK, 38: OK, 39: OK, 40: OK, 41: OK, 42: OK, 43: OK, 44: OK,
    45: REFUSED, 46: OK, 47: OK, 48: REFUSED, 49: OK, 50: OK, 51: OK,
    52: TIMEOUT, 53: OK, 54: OK, 55: EXCEPTION, 56: VIOLATION,
    57: VIOLATION, 58: TIMEOUT, 59: VIOLATION, 60: OK,
    61: VIOLATION, 62: TIMEOUT, 63: TIMEOUT, 64: EXIT, 65: OK,
    66: (EXCEPTION, TIMEOUT), 67: OK, 68: INVALID, 69: INVALID,
    70: TOO_LARGE, 71: INVALID, 72: "signal 6", 73: "signal 9",
}

if not OWN_ROOT:
    # These read /proc as the last thing that they do; and who closes a
    # directory of a workspace that is watched, and not limited, is ended.
    ENDINGS.update({20: REFUSED, 34: REFUSED, 42: REFUSED, 50: "disk"})
    if not IS_ROOT:
        # Nor may it change a mode where its files are the caller's.
        ENDINGS.update({46: REFUSED, 50: REFUSED})

# What a program has to have shown, or else it has tried nothing; with the
# number of lines that begin so.
SHOWN = {
    1: ("BLOCKED", 3), 2: ("BLOCKED TIOCLINUX", 3), 3: ("PROTO. 3 ", 1),
    4: ("BLOCKED", 3), 6: ("BLOCKED", 10), 7: ("BLOCKED", 1),
    8: (r"pidfd_open 1 -1 EPERM", 1), 9: ("BLOCKED", 1), 10: ("BLOCKED", 1),
    11: ("BLOCKED", 2), 13: ("back -1", 1), 14: ("deaf", 1),
    15: ("about to stop", 1), 16: ("main code done", 1), 17: ("in$", 1),
    19: ("BLOCKED|LIMIT", 2), 20: ("LIMIT", 1), 21: ("built", 1),
    22: ("BLOCKED|LIMIT", 5), 23: ("BLOCKED", 5), 24: ("LIMIT", 1),
    25: ("LIMIT", 5), 26: ("BLOCKED", 3), 27: ("BLOCKED", 30),
    28: ("BLOCKED", 5), 29: ("BLOCKED clone3", 2), 30: ("BLOCKED", 8),
    34: (r"\{\}$", 1 if OWN_ROOT else 0), 35: ("BLOCKED", 8), 36: ("BLOCKED bind", 1),
    37: ("BLOCKED", 2), 38: ("BLOCKED", 6), 39: ("BLOCKED", 4),
    40: ("BLOCKED", 1), 41: ("BLOCKED", 15), 42: ("BLOCKED", 4),
    43: ("BLOCKED", 4), 46: ("BLOCKED", 1), 54: ("before", 1),
    55: ("last words", 1), 57: ("exiting mid-frame", 1),
    61: ("SHUT_RD done", 1), 67: ("checked", 1), 72: ("BLOCKED", 1),
    73: ("goodbye", 1),
}

# Programs that end at a fork, a new session or a list of /proc that is
# refused, before what they are for: with that part left out, or done by the
# process itself. number: (ending, lines to be shown, replacements)
ALONE = [("os.fork()", "0"), ("os.setsid()", "None")]
LEAVE = [("os._exit(0)", "raise SystemExit")]
FURTHER = {
    2: (OK, ("BLOCKED /dev/", 5), ALONE + LEAVE),
    5: (OK, ("BLOCKED self environ|BLOCKED 1 environ", 2),
        [('os.listdir("/proc")', '["2", "3"]')]),
    # Deaf, without any descriptor, and not to be told from others by name.
    12: (TIMEOUT, None, ALONE),
    15: (TIMEOUT, ("about to stop", 1), [("os.fork()", "1")]),
    29: (OK, ("BLOCKED unshare", 8),
         [("p = os.fork()", "p = 0"),
          ('272, fl); os._exit(0)', '272, fl); continue')]),
    32: (OK, ("BLOCKED (execveat|procfd)", 2),
         [("pid = os.fork()", "pid = 0"), ("os._exit(99)", "continue"),
          ('os.memfd_create("hst_exec", 0)',
           'os.open("hst_exec", os.O_CREAT | os.O_RDWR, 0o700)'),
          ("open(src", "open(__import__('sys').executable")]),
    33: (OK, ("BLOCKED unshare", 1), ALONE + LEAVE),
    # It writes until its file or the workspace is full.
    48: (EXIT, None, ALONE),
}

# What this version cannot be judged by yet, and why. Shown with the tests.
NOT_YET = {
    44: "artifacts are not collected yet: what a collector does with links "
        "is not tested",
    45: "likewise with FIFOs", 46: "likewise with modes and devices",
    47: "likewise with names", 48: "likewise with files that change",
    49: "likewise with sizes",
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
        if "HOSTILE_OK" in program and not OWN_ROOT:
            # They would take a process id for a host without a sandbox.
            program = "open('HOSTILE_OK', 'w').close()\n" + program
        if number == 50 and not OWN_ROOT:
            # Or it may come to its end before anybody has looked.
            program += "\nimport time\ntime.sleep(5)\n"
        if "submit(" in program:
            program += "\n_submitted[-1] if _submitted else None\n"
        return program

    def limits(self, number, ends=None):
        ends = ends or ENDINGS[number]
        times_out = TIMEOUT in (ends if type(ends) is tuple else (ends,))
        limits = {"wall": "2s" if times_out else self.BOUND - 10,
                  "grace": "500ms", "cpu": 40, "preview": "64K"}
        if number in (18, 19):
            limits["memory"] = "256M"
        return limits

    def more(self, number, ends=None):
        """The tool keeps a log of its own."""
        self.log = self.path("log")
        return {"limits": self.limits(number, ends),
                "tools": {"echo": shell('echo x >>"$1"; exec cat',
                                        self.log)}}

    def dispatched(self):
        """How many calls the host's tool has seen since it was asked last."""
        try:
            with open(self.log) as file:
                count = len(file.readlines())
        except FileNotFoundError:
            return 0
        os.unlink(self.log)
        return count

    def judge(self, number, got, aliases=0, ends=None, wanted=None):
        result = got.result
        ends = ends or ENDINGS[number]
        wanted = wanted or SHOWN.get(number)
        error = result["error"]
        if ends is REFUSED:
            self.assertEqual(got.kind, EXCEPTION, error)
            self.assertRegex(error["message"], REFUSAL.get(
                number, ANY_REFUSAL))
        else:
            self.assertIn(ending(got),
                          ends if type(ends) is tuple else (ends,), error)
        shown = result["stdout"] + result["stderr"]
        self.assertEqual(
            len(re.findall("^(?:ESCAPED|REACHED)", shown, re.M)), aliases,
            shown)
        self.assertEqual(re.findall("^SKIP.*", shown, re.M), [])
        if wanted:
            self.assertGreaterEqual(
                len(re.findall("^(?:%s)" % wanted[0], shown, re.M)),
                wanted[1], shown)
        self.assertEqual(result["isolation"]["level"], LEVEL_WORD)
        for call in result["calls"]["list"]:
            if call["tool"] != "echo":
                self.assertEqual(call["state"], "refused")
        # The tool's own log against the record: all that was done, and
        # nothing that was refused.
        calls, seen = result["calls"], self.dispatched()
        self.assertLessEqual(calls["completed"], seen)
        self.assertLessEqual(seen, calls["total"] - calls["refused"])
        self.assertLessEqual(seen, 1000, "the budget of calls")
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
        if number in FURTHER:
            self.check_further(number, *FURTHER[number])
        if number in NOT_YET:
            print("not yet: %03d: %s" % (number, NOT_YET[number]),
                  file=sys.stderr)


    def check_further(self, number, ends, wanted, changes):
        text = self.text(number)
        for old, new in changes:
            if (old, new) not in ALONE + LEAVE:
                self.assertIn(old, text)
            text = text.replace(old, new)
        got = self.watch(text, *self.MARKS, **self.more(number, ends))
        self.judge(number, got, ends=ends, wanted=wanted or (".*", 0))


class Special(Adapted):
    """Those that are to be run in another way."""

    def test_terminal(self):
        """001 and 002 with a terminal on all three."""
        for number in (1, 2):
            master, slave = pty.openpty()
            kept = os.dup(slave)
            before = termios.tcgetattr(kept), fcntl.fcntl(kept, fcntl.F_GETFL)
            process = subprocess.Popen(
                command(json=False, limits=self.limits(number)) +
                ["-c", self.text(number)],
                stdin=slave, stdout=slave, stderr=slave,
                start_new_session=True)
            os.close(slave)
            # What it says is little, and stays in the terminal.
            self.addCleanup(stop, process)
            process.wait(HANG)
            shown = b""
            while select.select([master], [], [], 0)[0]:
                shown += os.read(master, 65536)
            self.assertNotIn(b"ESCAPED", shown)
            self.assertGreaterEqual(shown.count(b"BLOCKED"), 3)
            # Nothing was typed for the one who sits there, and the terminal
            # is as it was.
            self.assertEqual(select.select([kept], [], [], 0)[0], [])
            self.assertEqual((termios.tcgetattr(kept),
                              fcntl.fcntl(kept, fcntl.F_GETFL)), before)
            os.close(kept)
            os.close(master)

    def test_twice(self):
        """The second time is the test. 023 looks for its marker in one
        directory by three names, so two of them find it."""
        for number, aliases in ((23, 2 if OWN_ROOT else 1), (39, 0),
                                (67, 0)):
            for _ in range(2):
                got = self.watch(self.text(number), *self.MARKS,
                                 **self.more(number))
                shown = self.judge(number, got, aliases)
                self.assertFalse(shown.startswith("ESCAPED"), shown)

    def test_two_at_once(self):
        """Neither sees anything of the other: one has done it all, and has
        it still, while the other does the same from its start to its end."""
        meeting = self.meeting()
        for number in (36, 40):
            more = self.more(number)
            more["tools"]["meet"] = meeting.tool()
            first = self.start(self.text(number) + "\ncall_tool('meet')\n",
                               **more)
            self.assertTrue(meeting.wait(1, first))
            second = run(self.text(number), **self.more(number))
            self.judge(number, second)
            meeting.release(1)
            got = finish(first)
            self.assertEqual(*(re.sub(r"/\S+/work\b", "WORKSPACE", text)
                               for text in (got.result["stdout"],
                                            second.result["stdout"])))
            self.assertIsNone(got.kind)


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
