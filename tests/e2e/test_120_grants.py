#!/usr/bin/env python3
"""Grants: what is given, what is not given along with it, and what cannot be
granted. At every level, as far as the level can keep it."""
import json
import os
import subprocess

from weir_test import (IS_ROOT, PYTHON, WEIR, Case, main, rows, run)

LEVELS = ("isolated", "spaces", "process")

PRELUDE = """
import errno, os
def tried(call, *arguments):
    try: call(*arguments)
    except OSError as error: return errno.errorcode[error.errno]
    return 'ok'
"""


class Granted(Case):
    """A tree of which parts are granted; the child may have an own uid, so
    everybody may do everything with it."""

    def setUp(self):
        super().setUp()
        os.chmod(self.directory, 0o755)
        before = os.umask(0)
        self.addCleanup(os.umask, before)
        for name in ("read/in", "read/out", "write", "packages/pack", "rest"):
            os.makedirs(self.path(name), 0o777)
        for name in ("read/file", "read/in/file", "read/out/file",
                     "write/file", "rest/file", "alone"):
            self.write(name, "text")
        self.write("packages/single.py", "value = 41\n")
        self.write("packages/pack/__init__.py", "from . import part\n")
        self.write("packages/pack/part.py", "value = 43\n")

    def grants(self, *pairs):
        words = []
        for kind, name in pairs:
            words += ["--" + kind, self.path(name)]
        return words

    def tried(self, level, words, *calls):
        text = PRELUDE + "at = %r\nreturn [%s]" % (
            self.directory, ", ".join("tried(%s)" % call for call in calls))
        return self.value(text, *words, level=level)

    def check(self, level):
        self.check_read(level)
        self.check_write(level)
        self.check_set_ids(level)
        self.check_modes_of_the_workspace(level)
        self.check_nested(level)
        self.check_files(level)
        self.check_packages(level)
        self.check_variables(level)

    def closed(self, level):
        return ("ENOENT",) if level == "isolated" else ("EACCES",)

    def check_read(self, level):
        got = self.tried(
            level, self.grants(("read", "read")),
            "open, at + '/read/file'", "os.listdir, at + '/read/in'",
            "open, at + '/read/file', 'w'", "os.remove, at + '/read/file'",
            "os.mkdir, at + '/read/new'", "os.chmod, at + '/read/file', 0",
            "open, at + '/rest/file'", "os.listdir, at")
        self.assertEqual(got[:2], ["ok", "ok"])
        for answer in got[2:6]:
            self.assertIn(answer, ("EROFS", "EACCES", "EPERM"))
        self.assertIn(got[6], self.closed(level))
        self.assertEqual(got[7], "EACCES")
        self.assertEqual(os.stat(self.path("read/file")).st_mode & 0o777,
                         0o666)

    def check_write(self, level):
        got = self.tried(
            level, self.grants(("write", "write")),
            "open, at + '/write/%s', 'w'" % level,
            "open, at + '/write/%s'" % level, "os.listdir, at + '/write'",
            "os.mkdir, at + '/write/d-%s'" % level,
            "os.rename, at + '/write/%s', at + '/write/d-%s/x'" % (
                level, level),
            "os.symlink, '/etc/passwd', at + '/write/l-%s'" % level,
            "open, at + '/write/l-%s'" % level,
            "os.remove, at + '/write/d-%s/x'" % level,
            "open, at + '/write/../rest/file', 'w'")
        self.assertEqual([got[n] for n in (0, 3, 4, 5, 7)], ["ok"] * 5, got)
        # To write does not imply to read.
        self.assertEqual(got[1:3], ["EACCES", "EACCES"])
        for answer in (got[6], got[8]):
            self.assertIn(answer, self.closed(level))

    def check_set_ids(self, level):
        """On the host they would run with the caller's ids."""
        got = self.tried(
            level, self.grants(("read", "write"), ("write", "write")),
            "os.close, os.open(at + '/write/s0', os.O_CREAT, 0o1755)",
            "os.open, at + '/write/s1', os.O_CREAT, 0o4755",
            "os.open, at + '/write/s2', os.O_CREAT | os.O_RDWR, 0o2755",
            "os.open, at + '/write', os.O_TMPFILE | os.O_RDWR, 0o4755",
            "os.mknod, at + '/write/s3', 0o104755",
            "os.mknod, at + '/write/s4', 0o102755",
            "os.chmod, at + '/write/s0', 0o4755",
            "os.chmod, at + '/write/s0', 0o2755",
            "os.fchmod, 1, 0o4755",
            "lambda: os.chmod('s0', 0o4755,\n"
            "                 dir_fd=os.open(at + '/write', 0))",
            "os.mkdir, at + '/write/s5', 0o6755")
        self.assertEqual(got[0], "ok")
        self.assertEqual(got[1:10], ["EPERM"] * 9)
        for name in os.listdir(self.path("write")):
            mode = os.stat(self.path("write/" + name)).st_mode
            self.assertEqual(mode & 0o6000, 0, name)

    def check_modes_of_the_workspace(self, level):
        """Archives bring such modes; nothing of the host is concerned."""
        got = self.tried(
            level, self.grants(("read", "read")),
            "os.close, os.open('s1', os.O_CREAT, 0o4755)",
            "os.chmod, 's1', 0o6777")
        shared = level != "isolated" and not IS_ROOT
        self.assertEqual(got, ["ok", "EPERM" if shared else "ok"])

    def check_nested(self, level):
        """Either in the other: each right where it was granted."""
        got = self.tried(
            level, self.grants(("write", "read/out"), ("read", "read")),
            "open, at + '/read/file'", "open, at + '/read/file', 'w'",
            "open, at + '/read/out/%s', 'w'" % level,
            "open, at + '/read/out/file'",
            "open, at + '/read/in/file', 'w'")
        self.assertEqual([got[0], got[2], got[3]], ["ok"] * 3, got)
        for answer in (got[1], got[4]):
            self.assertIn(answer, ("EROFS", "EACCES"))
        got = self.tried(
            level, self.grants(("read", "write"), ("write", "write")),
            "open, at + '/write/file'",
            "open, at + '/write/both-%s', 'w'" % level)
        self.assertEqual(got, ["ok", "ok"])

    def check_files(self, level):
        got = self.tried(
            level, self.grants(("read", "alone"), ("write", "rest/file")),
            "open, at + '/alone'", "open, at + '/alone', 'a'",
            "open, at + '/rest/file', 'a'", "open, at + '/rest/file'",
            "os.listdir, at + '/rest'", "os.remove, at + '/rest/file'")
        self.assertEqual([got[0], got[2]], ["ok", "ok"], got)
        for answer in got[1:2] + got[3:]:
            self.assertIn(answer, ("EROFS", "EACCES", "EBUSY", "EPERM"))

    def check_packages(self, level):
        value = self.value(
            "import single, pack, sys\n"
            "return [single.value, pack.part.value, sys.path[-1],\n"
            "        sys.argv]",
            *self.grants(("packages", "packages")), level=level)
        self.assertEqual(value, [41, 43, self.path("packages"),
                                 ["<program>"]])

    def check_variables(self, level):
        got = run("import os\nreturn [os.environ['NAME'], os.environ['B']]",
                  "--env", "NAME=one", "--env", "B=se=cret\u00e9",
                  "--env", "NAME=two", level=level)
        self.assertEqual(got.result["value"], ["two", "se=cret\u00e9"])
        self.assertEqual(got.result["granted"]["environment"][-2:],
                         ["NAME", "B"])

    def test_result_lists_them(self):
        for level in LEVELS:
            granted = self.succeeds("1", *self.grants(
                ("read", "read"), ("write", "read/out"), ("write", "write"),
                ("packages", "packages")), level=level)["granted"]
            for name in ("read", "packages"):
                self.assertIn(self.path(name), granted["read"])
                self.assertNotIn(self.path(name), granted["write"])
            for name in ("read/out", "write"):
                self.assertIn(self.path(name), granted["write"])
                self.assertNotIn(self.path(name), granted["read"])

    def test_values_are_not_told(self):
        got = run("1 / 0", "--env", "KEY=hunter2")
        self.assertNotIn(b"hunter2", got.stdout + got.stderr)

    def test_the_module_is_sealed_before_packages(self):
        """What stands there under the names of the interpreter's own."""
        for name in ("encodings", "_weir", "bootstrap", "io"):
            self.write("packages/%s.py" % name, "raise SystemExit(9)\n")
        for level in LEVELS:
            self.assertEqual(self.value(
                "return 7", *self.grants(("packages", "packages")),
                level=level), 7)

    def test_profile(self):
        self.write("profiles.json", json.dumps({
            "schema": "weir.profiles/1", "profiles": {"default": {
                "read": [self.path("read")], "env": {"A": "b"},
                "packages": [self.path("packages")]}}}))
        os.mkdir(self.path("own"), 0o700)
        os.rename(self.path("profiles.json"), self.path("own/profiles.json"))
        os.chmod(self.path("own/profiles.json"), 0o600)
        value = self.value(
            "import os, single\n"
            "return [open(%r).read(), os.environ['A'], single.value]"
            % self.path("read/file"),
            "--profile-file", self.path("own/profiles.json"))
        self.assertEqual(value, ["text", "b", 41])
        got = run("1", "--profile-file", self.path("own/profiles.json"),
                  *self.grants(("read", "own")))
        self.assertEqual((got.code, got.stdout), (2, b""))
        self.assertIn(b"weir's own", got.stderr)

    def test_numpy(self):
        """Debian's, with its BLAS behind alternatives."""
        for level in LEVELS:
            value = self.value(
                "import numpy\n"
                "a = numpy.eye(50) * 2\n"
                "return [float((a @ a).sum()), numpy.random.rand() < 1]",
                "--packages", "/usr/lib/python3/dist-packages", level=level,
                python="/usr/bin/python3")
            self.assertEqual(value, [200.0, True])


rows(Granted, {"level_" + level: (level,) for level in LEVELS})


class Refused(Case):
    """Usage: one line that names the path and the next step."""

    def check(self, words, said):
        got = run("1", *[word.replace("@", self.directory)
                         for word in words])
        self.assertEqual((got.code, got.stdout), (2, b""), got.stderr)
        self.assertRegex(got.stderr.decode(), r"\Aweir: [^\n]+\n\Z")
        self.assertIn(said, got.stderr.decode())

    def setUp(self):
        super().setUp()
        self.write("file", "x")
        os.symlink("/etc", self.path("link"))
        os.mkfifo(self.path("fifo"))


rows(Refused, {
    "missing": (["--read", "@/missing"], "No such file"),
    "relative": (["--read", "file"], "absolute"),
    "link": (["--read", "@/link"], "symbolic link to /etc"),
    "through_a_link": (["--write", "@/link/passwd"], "/etc/passwd"),
    "dots": (["--read", "@/../x"], "'..'"),
    "fifo": (["--read", "@/fifo"], "neither a file nor a directory"),
    "everything": (["--read", "/"], "everything"),
    "proc": (["--read", "/proc/self"], "kernel"),
    "dev": (["--write", "/dev/null"], "kernel"),
    "sys": (["--read", "/sys"], "kernel"),
    "packages_that_are_a_file": (["--packages", "@/file"], "directory"),
    "empty": (["--read", ""], "absolute"),
    "no_value": (["--env", "NAME"], "NAME=VALUE"),
    "no_name": (["--env", "=x"], "NAME=VALUE"),
    "loader": (["--env", "LD_PRELOAD=/x"], "never granted"),
    "interpreter": (["--env", "PYTHONPATH=/x"], "never granted"),
    "libc": (["--env", "GLIBC_TUNABLES=x"], "never granted"),
    "fixed": (["--env", "HOME=/x"], "each execution"),
})


class Unmetered(Case):
    """What is written there counts for no limit, and the result says so."""

    def test_write_grants_alone(self):
        os.chmod(self.directory, 0o755)
        for name in ("read", "write"):
            os.mkdir(self.path(name))
        for level in LEVELS:
            result = self.succeeds(
                "1", "--read", self.path("read"), "--write",
                self.path("write"), level=level)
            self.assertEqual(result["granted"]["unmetered"],
                             [self.path("write")])


class Own(Case):
    """Directories that are weir's own, and what holds them."""

    def refused(self, *words):
        got = run("1", *words)
        self.assertEqual((got.code, got.stdout), (2, b""), got.stderr)
        self.assertIn(b"weir's own", got.stderr)

    def test_install(self):
        libexec = os.path.realpath(WEIR.parent.parent / "libexec/weir")
        for path in (libexec, os.path.dirname(libexec),
                     os.path.join(libexec, "bootstrap.py"),
                     os.path.realpath(WEIR.parent)):
            for kind in ("--read", "--write"):
                self.refused(kind, path)

    def test_base(self):
        self.refused("--read", "/tmp")
        self.refused("--write", "/tmp")

    def test_state(self):
        """The ledgers, and the key of their hashes."""
        state = self.path("state")
        self.assertEqual(run("1", "--state", state).code, 0)
        for path in (state, self.directory, os.path.join(state, "key"),
                     os.path.join(state, "runs")):
            for kind in ("--read", "--write"):
                self.refused("--state", state, kind, path)

    def test_too_many(self):
        words = []
        for n in range(41):
            words += ["--read", self.write("f%d" % n, "")]
        got = run("1", *words)
        self.assertEqual(got.code, 2)
        self.assertIn(b"at most 40", got.stderr)
        self.succeeds("1", *words[:80])

    def test_tmp_holds_what_is_granted_there(self):
        """Elsewhere it is the workspace."""
        if not self.directory.startswith("/tmp/"):
            return
        os.chmod(self.directory, 0o755)
        os.chmod(self.write("file", "text"), 0o644)
        text = "import os\nreturn os.path.islink('/tmp')"
        self.assertIs(self.value(text), True)
        self.assertIs(self.value(text, "--read", self.path("file")), False)


if __name__ == "__main__":
    main()
