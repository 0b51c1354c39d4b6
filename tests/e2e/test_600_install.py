#!/usr/bin/env python3
"""The installed tree: it may be moved, it needs nothing beside itself, and a
build that can leave layers out is never installed."""
import os
import pathlib
import shutil
import subprocess
import sys

from weir_test import ECHO, HANG, LAYERS, WEIR, Case, main, run

def build_of(name, command):
    """The build directory that make install can take a command from: named
    in the environment, or the one the command stands in. None where make
    would have to build it first, or may not write there."""
    build = pathlib.Path(os.environ.get(name) or command.parent.parent)
    usable = (build / "flags").exists() and os.access(build / "flags",
                                                      os.W_OK)
    return build.resolve() if usable else None


BUILD = build_of("WEIR_BUILD", WEIR)
LAYERS_BUILD = build_of("WEIR_LAYERS_BUILD", LAYERS)


class Moved(Case):
    def copy(self):
        """The command and what it needs, in another place."""
        tree = pathlib.Path(self.path("else where"))
        (tree / "bin").mkdir(parents=True)
        os.chmod(self.directory, 0o755)
        shutil.copy(WEIR, tree / "bin/weir")
        shutil.copytree(WEIR.parent.parent / "libexec/weir",
                        tree / "libexec/weir")
        return tree

    def test_tree(self):
        weir = self.copy() / "bin/weir"
        got = run("echo(a=1)", weir=weir, tools={"echo": ECHO})
        self.assertEqual((got.code, got.result["value"]), (0, {"a": 1}))
        self.assertEqual(got.result["isolation"]["level"], "isolated")

    def test_link_to_the_command(self):
        link = self.path("weir")
        os.symlink(self.copy() / "bin/weir", link)
        self.assertEqual(run("5", weir=link).result["value"], 5)

    def test_found_on_path(self):
        tree = self.copy()
        got = subprocess.run(
            ["weir", "run", "--json", "--python", "/usr/bin/python3", "-c",
             "5"], stdout=subprocess.PIPE, timeout=HANG, cwd="/",
            env={"PATH": "%s/bin:/usr/bin" % tree})
        self.assertIn(b'"value":5', got.stdout)

    def test_read_only(self):
        """Nothing is written beside the command."""
        tree = self.copy()
        before = self.listing(tree)
        self.assertEqual(run("5", weir=tree / "bin/weir").code, 0)
        self.assertEqual(self.listing(tree), before)

    def listing(self, tree):
        return sorted((str(path), path.lstat().st_mtime_ns)
                      for path in tree.rglob("*"))

    def test_what_is_missing_is_named(self):
        for name in ("weir-child", "_weir.abi3.so", "bootstrap.py"):
            tree = self.copy()
            os.unlink(tree / "libexec/weir" / name)
            got = run("print('ran')", weir=tree / "bin/weir")
            self.assertEqual(got.code, 125, name)
            said = got.stderr.decode() + got.stdout.decode()
            self.assertIn(name.split(".")[0], said)
            self.assertNotIn("ran\\n", said)
            shutil.rmtree(tree)

    def test_without_prepared_byte_code(self):
        tree = self.copy()
        shutil.rmtree(tree / "libexec/weir/__pycache__", ignore_errors=True)
        self.assertEqual(run("5", weir=tree / "bin/weir").result["value"], 5)

    def test_without_what_is_preloaded(self):
        """It only makes a start faster."""
        tree = self.copy()
        os.unlink(tree / "libexec/weir/prefault.so")
        got = run("5", weir=tree / "bin/weir")
        self.assertEqual((got.code, got.result["value"]), (0, 5))
        self.assertEqual(got.result["stderr"], "")
        self.assertEqual(got.result["isolation"]["guarantees"]["environment"]
                         ["grade"], "enforced")

    def test_install_directory_is_not_granted(self):
        tree = self.copy()
        got = run("import os\nos.path.exists(%r)" % str(tree),
                  weir=tree / "bin/weir")
        self.assertIs(got.result["value"], False)


class Make(Case):
    """make install, where there are sources and a finished build."""

    def install(self, build, *words):
        sources = os.environ.get("WEIR_SOURCES") or build.parent
        return subprocess.run(
            ["make", "--no-print-directory", "-C", str(sources),
             "O=%s" % build, "install", *words],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, timeout=600)

    def test_of_a_test_build_is_refused(self):
        done = self.install(LAYERS_BUILD, "TEST_LAYERS=1",
                            "PREFIX=" + self.path("stage"))
        self.assertNotEqual(done.returncode, 0)
        self.assertIn(b"not installed", done.stdout)
        self.assertFalse(os.path.exists(self.path("stage")))

    def test_with_destdir(self):
        done = self.install(BUILD, "PREFIX=/usr",
                            "DESTDIR=" + self.path("root"))
        self.assertEqual(done.returncode, 0, done.stdout)
        weir = self.path("root/usr/bin/weir")
        self.assertEqual(run("5", weir=weir).result["value"], 5)
        self.assertTrue(os.path.exists(
            self.path("root/usr/share/man/man1/weir.1")))
        for top, _, names in os.walk(self.path("root")):
            for name in names:
                mode = os.stat(os.path.join(top, name)).st_mode
                self.assertEqual(mode & 0o7022, 0, name)


if __name__ == "__main__":
    if BUILD is None or LAYERS_BUILD is None:
        print("make install is tried where WEIR_BUILD and WEIR_LAYERS_BUILD "
              "can be written: not here", file=sys.stderr)
        del Make
    main()
