#!/usr/bin/env python3
"""The directory that workspaces of level `process` stand in: whose it may be,
and what is swept from it. It is taken away and others are put in its place, so
nobody else uses it at the same time."""
import errno
import os
import shutil
import signal
import subprocess
import time

from weir_test import (BASES, HANG, IS_ROOT, PLAIN_UID, PYTHON, WEIR, Case,
                       finish, main, run, start, stop)

BASE = BASES[0]


class Base(Case):
    """The directory that workspaces stand in."""

    def setUp(self):
        super().setUp()
        self.clean()
        self.addCleanup(self.clean)

    def clean(self):
        """rm(1) goes as deep as it takes."""
        for base in BASES:
            subprocess.run(["chmod", "-R", "-f", "u+rwx", base])
            subprocess.run(["rm", "-rf", base], check=True)

    def passed_over(self, make):
        """What make(path) puts in the place of a base is left alone. The
        next one serves, and the workspaces in it are swept as well; where
        all are taken there is none."""
        for count in range(1, len(BASES) + 1):
            make(BASES[count - 1])
            got = run("import os\nreturn os.getcwd()", level="process")
            if count == len(BASES):
                break
            self.assertEqual(got.kind, None)
            self.assertTrue(
                got.result["value"].startswith(BASES[count] + "/"), got.result)
        self.assertEqual((got.code, got.kind), (125, "setup"))
        self.assertIn("not a private directory of the caller's",
                      got.result["error"]["message"])
        # Who needs none is not disturbed.
        self.succeeds("1", level="isolated")

    def test_link(self):
        self.passed_over(lambda base: os.symlink(self.directory, base))
        self.assertEqual(os.listdir(self.directory), [])
        # What a link leads to is not weir's own.
        os.chmod(self.directory, 0o755)
        self.write("file", "x")
        self.assertEqual(self.value("open(%r).read()" % self.path("file"),
                                    "--read", self.directory), "x")

    def test_file(self):
        self.passed_over(lambda base: open(base, "w").close())

    def test_open_to_others(self):
        def make(base):
            os.mkdir(base)
            os.chmod(base, 0o777)

        self.passed_over(make)

    def test_of_somebody_else(self):
        def make(base):
            os.mkdir(base, 0o700)
            os.chown(base, PLAIN_UID, PLAIN_UID)

        if IS_ROOT:
            self.passed_over(make)

    def writer_of(self, fifo, reader):
        """Opened when there is a reader."""
        while reader.poll() is None:
            try:
                return os.open(fifo, os.O_WRONLY | os.O_NONBLOCK)
            except OSError as error:
                self.assertEqual(error.errno, errno.ENXIO)
                time.sleep(0.01)
        self.fail(reader.communicate())

    def test_root_of_a_user_namespace(self):
        """Real root's name for it may be taken by who is root there; each
        has a workspace, whoever came first."""
        uid = PLAIN_UID if IS_ROOT else os.geteuid()
        become = ["setpriv", "--reuid=%d" % uid, "--regid=%d" % uid,
                  "--clear-groups"] if IS_ROOT else []
        words = become + [
            "unshare", "-U", "--map-root-user", str(WEIR), "run", "--json",
            "--python", PYTHON, "--unconfined", "-c",
            "import os\nopen(%r).read()\nreturn os.getcwd()" %
            self.path("fifo")]
        os.chmod(self.directory, 0o755)
        os.mkfifo(self.path("fifo"))
        os.chmod(self.path("fifo"), 0o666)
        inside = subprocess.Popen(words, cwd="/", stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE)
        self.addCleanup(stop, inside)
        # It runs, and has a base, until this is closed.
        writer = self.writer_of(self.path("fifo"), inside)
        self.succeeds("1", level="process")
        os.close(writer)
        got = finish(inside)
        self.assertIsNone(got.result["error"])
        self.assertRegex(got.result["value"], r"\A/tmp/weir-0(\.[123])?/")
        self.succeeds("1", level="process")

    def test_umask_does_not_matter(self):
        before = os.umask(0o777)
        try:
            self.succeeds("open('f', 'w').close()", level="process")
        finally:
            os.umask(before)

    def test_sweeps_what_is_nobodys(self):
        """Those whose owner is gone, deep and locked as they may be; those
        of others stay."""
        holder = start("import time\ntime.sleep(600)", level="process",
                       limits={"wall": 600})
        self.addCleanup(holder.kill)
        deadline = time.monotonic() + HANG
        while not os.path.isdir(BASE) or not os.listdir(BASE):
            self.assertLess(time.monotonic(), deadline)
        name = os.listdir(BASE)[0]
        host, boot, space, pid, started, ident = name.split(".")
        there = {
            "dead": (host, boot, space, "4194304", "77"),
            "reused": (host, boot, space, pid, str(int(started) + 1)),
            "before": (host, "0" * 16, space, pid, started),
            "other_host": ("0" * 16, boot, space, "4194304", "77"),
            "other_space": (host, boot, "1", "4194304", "77"),
        }
        for ident, parts in there.items():
            deep = os.path.join(BASE, ".".join(parts + (ident,)), "work")
            os.makedirs(deep)
            fd = os.open(deep, os.O_RDONLY)
            for _ in range(2000):
                os.mkdir("d", dir_fd=fd)
                below = os.open("d", os.O_RDONLY, dir_fd=fd)
                open("/proc/self/fd/%d/f" % fd, "w").close()
                os.close(fd)
                fd = below
            os.mkdir("locked", dir_fd=fd)
            os.mkdir("locked/in", dir_fd=fd)
            os.chmod("locked", 0, dir_fd=fd)
            os.close(fd)
            os.symlink(self.directory, os.path.join(deep, "link"))
        self.write("kept", "x")
        os.mkdir(os.path.join(BASE, "unknown"))
        self.succeeds("1", level="isolated")
        self.assertEqual(sorted(n.split(".")[-1] for n in os.listdir(BASE)),
                         sorted(["other_host", "other_space", "unknown",
                                 name.split(".")[-1]]))
        self.assertEqual(os.listdir(self.directory), ["kept"])
        holder.send_signal(signal.SIGTERM)
        holder.wait(HANG)

    def test_closed_interpreter_is_named(self):
        """Root's child has ids of its own and must get through."""
        if not IS_ROOT:
            return
        closed = self.path("closed")
        os.makedirs(closed + "/bin", 0o700)
        os.chmod(closed, 0o700)
        shutil.copy(os.path.realpath(PYTHON), closed + "/bin/python3")
        os.chmod(self.directory, 0o755)
        shutil.copytree("/usr/lib/python3.11", closed + "/lib/python3.11",
                        symlinks=True, ignore=shutil.ignore_patterns(
                            "test", "dist-packages", "__pycache__"))
        got = run("1", level="process", python=closed + "/bin/python3")
        self.assertEqual((got.code, got.kind), (125, "setup"), got.result)
        self.assertIn(closed + " is closed to the ids",
                      got.result["error"]["message"])
        self.succeeds("1", level="isolated", python=closed + "/bin/python3")


if __name__ == "__main__":
    main()
