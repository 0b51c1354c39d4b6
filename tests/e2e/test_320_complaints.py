#!/usr/bin/env python3
"""What users of similar tools have reported about confinement, limits and the
program's surroundings, where no other file has a test of it."""
import os
import pty
import subprocess
import threading

from weir_test import (HANG, TOOLS, Outcome, Watched, command, main, rows,
                       run, stop, survivors, wait_for_orphans)

LEVELS = ("isolated", "process", "spaces")


def finished(words):
    """A command line that is not only weir's, to its end."""
    done = subprocess.run(words, stdin=subprocess.DEVNULL, cwd="/",
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          timeout=HANG)
    return Outcome(done.returncode, done.stdout, done.stderr)


class Writing(Watched):
    def check(self, level):
        """By its effect, whatever the namespaces are called: what is written
        elsewhere is not on the host. Outside the same program writes."""
        os.chmod(self.home, 0o777)
        names = [self.home + "/canary", "/tmp/canary-" + self.mark,
                 "/var/tmp/canary-" + self.mark]
        program = ("import os\n"
                   "for name in %r + ['../canary', os.path.expanduser('~')"
                   " + '/../canary']:\n"
                   "    try: open(name, 'w').write('x')\n"
                   "    except OSError: pass\n" % names)
        self.watch(program, level=level)
        self.assertEqual([n for n in names if os.path.exists(n)], [])
        self.assertFalse(os.path.exists(os.path.dirname(self.home) +
                                        "/canary"))
        self.watch_outside(program, names)

    def watch_outside(self, program, names):
        run(program, level="none", cwd=self.home, env=self.environment)
        written = [name for name in names if os.path.exists(name)]
        for name in written:
            os.unlink(name)
        self.assertNotEqual(written, [])


rows(Writing, {level: (level,) for level in LEVELS})


class Hosts(Watched):
    """Hosts that refuse what others take for granted."""

    def test_many_threads_that_start_weir_without_clone3(self):
        """A server under a container's filter: each thread has a program."""
        words = [str(TOOLS / "deny"), "clone3=ENOSYS", "--",
                 *command(level="isolated"), "-c", "6 * 7"]
        values = []

        def one():
            values.append(finished(words).result["value"])

        threads = [threading.Thread(target=one) for _ in range(32)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(values, [42] * 32)
        self.assertEqual(survivors(), [])

    def check(self, rule):
        """Namespaces can be made, and the step after that is refused: the
        step is named, and less is had where less is enough."""
        deny = [str(TOOLS / "deny"), rule, "--"]
        got = finished(deny + command(level="isolated") +
                       ["-c", "print('ran')"])
        self.assertEqual((got.code, got.kind, got.result["stdout"]),
                         (125, "isolation_unavailable", ""))
        self.assertRegex(got.result["error"]["message"], "stage (root|maps)")
        got = finished(deny + command("--level", "process",
                                      level="isolated") +
                       ["-c", "print('ran')"])
        self.assertEqual((got.code, got.result["stdout"]), (0, "ran\n"),
                         got.result["error"])
        self.assertEqual(got.result["isolation"]["level"], "process")
        self.assertTrue([w for w in got.result["warnings"]
                         if w.startswith("backend isolated was not to be "
                                         "had: stage ")])


rows(Hosts, {rule.split("=")[0]: (rule,) for rule in (
    "fsopen=EPERM", "move_mount=EPERM", "pivot_root=EPERM",
    "mount_setattr=EPERM")})


class Surroundings(Watched):
    def check(self, level):
        """Where libraries write to and read from without asking."""
        found = self.value(
            "import os, tempfile, pathlib\n"
            "home = pathlib.Path.home()\n"
            "(home / '.config/matplotlib').mkdir(parents=True)\n"
            "(home / '.config/matplotlib/rc').write_text('x')\n"
            "written = {}\n"
            "for name in ('null', 'zero', 'full'):\n"
            "    try:\n"
            "        with open('/dev/' + name, 'r+b', 0) as file:\n"
            "            written[name] = file.write(b'x')\n"
            "    except OSError as error: written[name] = error.errno\n"
            "read = [len(open('/dev/' + name, 'rb', 0).read(3))\n"
            "        for name in ('zero', 'full', 'random', 'urandom')]\n"
            "return [str(home) == os.getcwd() == tempfile.gettempdir(),"
            " written, read]", level=level)
        self.assertEqual(found, [True, {"null": 1, "zero": 1, "full": 28},
                                 [3, 3, 3, 3]])

    def test_time_zone_is_the_hosts(self):
        program = ("import time\nreturn [time.localtime(n).tm_gmtoff"
                   " for n in (0, 1720000000)]")
        outside = {name: value for name, value in os.environ.items()
                   if name != "TZ"}
        plain = run(program, level="none", env=outside).result["value"]
        for level in LEVELS:
            self.assertEqual(self.value(program, level=level, env=dict(
                outside, TZ="Asia/Tokyo")), plain)

    def test_nothing_is_read_from_the_callers_input(self):
        """A program that asks gets an end, at once."""
        read, write = os.pipe()
        self.addCleanup(os.close, write)
        self.addCleanup(os.close, read)
        os.write(write, b"secret\n")
        got = run("try: input()\nexcept EOFError: return 'end'",
                  stdin=read)
        self.assertEqual(got.result["value"], "end")
        self.assertEqual(os.read(read, 100), b"secret\n")

    def test_what_one_program_changes_the_next_does_not_see(self):
        program = ("import json, os, builtins\n"
                   "seen = [json.dumps(1), hasattr(builtins, 'mark'),"
                   " os.listdir('.')]\n"
                   "json.dumps = lambda *_: 'changed'\n"
                   "builtins.mark = 1\n"
                   "open('left', 'w').close()\nseen")
        for level in LEVELS:
            for _ in range(2):
                self.assertEqual(self.value(program, level=level),
                                 ["1", False, []])


rows(Surroundings, {"home_and_devices_" + level: (level,)
                    for level in LEVELS})


class Forks(Watched):
    def check(self, level):
        """As many as it likes to try: none comes to be."""
        got = self.watch(
            "import ctypes, os\nlibc = ctypes.CDLL(None)\n"
            "made = 0\n"
            "for _ in range(10000):\n"
            "    if libc.fork() >= 0: made += 1\n"
            "    try: os.fork(); made += 1\n"
            "    except OSError: pass\n"
            "return made", level=level, limits={"wall": 60})
        self.assertEqual(got.result["value"], 0)


rows(Forks, {level: (level,) for level in LEVELS})


class Directory(Watched):
    def check(self, level):
        """The caller's own directory is as it was, also when the command is
        killed."""
        meeting = self.meeting()
        process = self.start("open('x', 'w').write('y'); wait()",
                             level=level, cwd=self.home,
                             tools={"wait": meeting.tool()})
        self.assertTrue(meeting.wait(1, process))
        process.kill()
        process.wait(HANG)
        stop(process)
        self.assertTrue(wait_for_orphans())
        self.assertEqual(os.listdir(self.home), [])


rows(Directory, {level: (level,) for level in LEVELS})


class Terminal(Watched):
    def check(self, level):
        """The caller's session keeps its terminal and its foreground group.
        """
        script = ("import os, subprocess, sys\n"
                  "before = os.tcgetpgrp(0), os.getpgrp(), os.getsid(0)\n"
                  "code = subprocess.call(sys.argv[1:])\n"
                  "after = os.tcgetpgrp(0), os.getpgrp(), os.getsid(0)\n"
                  "print('same' if before == after else 'taken', code)\n")
        pid, master = pty.fork()
        if pid == 0:
            words = command(level=level, json=False) + [
                "-c", "import os\n"
                "for fd in range(3):\n"
                "    try: os.tcsetpgrp(fd, os.getpid())\n"
                "    except OSError: pass\n"]
            os.execv("/usr/bin/env", ["env", "python3", "-c", script, *words])
        shown = b""
        while True:
            try:
                got = os.read(master, 65536)
            except OSError:
                break  # EIO: everybody has closed it
            if not got:
                break
            shown += got
        os.close(master)
        self.assertEqual(os.waitpid(pid, 0)[1], 0, shown)
        self.assertIn(b"same 0", shown)


rows(Terminal, {level: (level,) for level in LEVELS})


class Signals(Watched):
    def test_a_program_that_catches_everything_ends(self):
        """Not asked twice, and not by an exception that it could catch."""
        got = self.watch("while True:\n    try:\n        while True: pass\n"
                         "    except BaseException: pass")
        self.assertEqual((got.code, got.kind), (124, "timeout"))


if __name__ == "__main__":
    main()
