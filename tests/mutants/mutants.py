#!/usr/bin/env python3
"""Takes one mechanism away at a time and looks whether the tests notice.

usage: mutants.py --build DIR --layers DIR [--jobs N] [NAME...]
       mutants.py --list

mutant_table.py says what is changed and which test must fail then. Nothing is
changed here: each job works in a copy of the tree and of the two builds. Every
test is run without a change first, and has to pass. Prints a line for each and
then `Ran N tests`, OK or FAILED, as unittest does.
"""
import argparse
import collections
import concurrent.futures
import os
import pathlib
import queue
import shutil
import subprocess
import sys
import tempfile

from mutant_table import MUTANTS

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
# A test that does not come to an end has noticed, too.
HANG = 60
# One that a plain user may run, too.
PYTHON = shutil.which("python3", path="/usr/bin:/bin") or sys.executable
COPIED = ("GNUmakefile", "wire", "child", "bindings", "supervisor", "tests",
          "fuzz")


class Broken(Exception):
    """Not a mutant that nobody noticed: this program cannot work."""


class Tree:
    """A copy in which a mutant is built and tried."""

    def __init__(self, builds, place):
        self.place = place
        for name in COPIED:
            copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy2
            copy(ROOT / name, place / name)
        for name, build in zip(("build", "build-layers"), builds):
            shutil.copytree(build, place / name, symlinks=True)
        for path in (place, *place.rglob("*")):
            if path.is_dir():
                path.chmod(0o755)

    def make(self, name, *targets):
        # The objects were compiled for the tree that this is a copy of.
        done = subprocess.run(
            ["make", "--no-print-directory", "CURDIR=%s" % ROOT, "O=" + name,
             *(["TEST_LAYERS=1"] if name == "build-layers" else []),
             *targets], cwd=self.place, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            env={name: value for name, value in os.environ.items()
                 if name not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")})
        if done.returncode != 0:
            raise Broken("it cannot be built:\n" +
                         done.stdout.decode("utf-8", "replace"))

    def programs(self, name):
        libexec = name + "/libexec/weir/"
        self.make(name, name + "/bin/weir", libexec + "weir-child",
                  libexec + "_weir.abi3.so")

    def run(self, test):
        """Whether it passes, and what it said."""
        kind, *words = test
        if kind == "unit":
            self.make("build", "build/tests/" + words[0])
            command = ["build/tests/" + words[0]]
        elif kind == "replay":
            self.make("build", "build/fuzz/fuzz_%s-replay" % words[0])
            command = ["build/fuzz/fuzz_%s-replay" % words[0],
                       "fuzz/seeds/" + words[0]]
        else:
            self.programs("build-layers" if kind == "layers" else "build")
            if kind == "library":
                self.make("build", "build/tests/tools/mcpdrive",
                          "build/tests/tools/obey")
            command = [PYTHON, "-B", "tests/e2e/" + words[0], *words[1:]]
        if kind == "plain":
            command = ["setpriv", "--reuid=65534", "--regid=65534",
                       "--clear-groups", *command]
        environment = dict(
            os.environ, WEIR=str(self.place / "build/bin/weir"),
            WEIR_TOOLS=str(self.place / "build/tests/tools"),
            WEIR_LAYERS=str(self.place / "build-layers/bin/weir"),
            WEIR_LEVEL="process" if kind == "plain" else "isolated",
            WEIR_SHARED="")
        try:
            done = subprocess.run(
                command, cwd=self.place, stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                env=environment, timeout=HANG)
        except subprocess.TimeoutExpired:
            return False, "no end within %d s" % HANG
        said = done.stdout.decode("utf-8", "replace")
        if "\nRan 0 tests" in said:
            raise Broken("%s has no such test" % " ".join(words))
        return done.returncode == 0, said

    def change(self, edits):
        """Makes the edits; what takes them back."""
        before = {}
        for file, text, replacement in edits:
            path = self.place / file
            source = path.read_text(encoding="utf-8")
            before.setdefault(path, source)
            count = source.count(text)
            if count != 1:
                self.undo(before)
                raise Broken("the text stands %d times in %s, and not once:"
                             "\n%s" % (count, file, text))
            path.write_text(source.replace(text, replacement),
                            encoding="utf-8")
        return before

    def undo(self, before):
        for path, source in before.items():
            path.write_text(source, encoding="utf-8")


def try_mutant(tree, name):
    mutant = MUTANTS[name]
    before = tree.change(mutant.edits)
    try:
        passed, said = tree.run(mutant.test)
    finally:
        tree.undo(before)
    if passed:
        return "%s: %s does not notice\n%s" % (
            name, " ".join(mutant.test), said), False
    return "%s: noticed by %s" % (name, " ".join(mutant.test)), True


def try_sane(tree, test):
    passed, said = tree.run(test)
    if passed:
        return "%s without a change: passes" % " ".join(test), True
    return "%s without a change: fails\n%s" % (" ".join(test), said), False


def run_all(builds, jobs, names, place):
    trees = queue.SimpleQueue()
    for number in range(jobs):
        (place / str(number)).mkdir(mode=0o755)
        trees.put(Tree(builds, place / str(number)))

    def guarded(task, argument):
        tree = trees.get()
        try:
            return task(tree, argument)
        except Broken as broken:
            return "%s: %s" % (argument, broken), False
        finally:
            trees.put(tree)

    results = []
    # Of one file together: less is compiled again.
    names = sorted(names, key=lambda name: MUTANTS[name].edits[0][0])
    tests = collections.OrderedDict.fromkeys(
        MUTANTS[name].test for name in names)
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        waiting = [pool.submit(guarded, try_sane, test) for test in tests]
        waiting += [pool.submit(guarded, try_mutant, name) for name in names]
        for done in concurrent.futures.as_completed(waiting):
            line, good = done.result()
            print(line, flush=True)
            results.append(good)
    return results


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=pathlib.Path)
    parser.add_argument("--layers", type=pathlib.Path)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("names", nargs="*", metavar="NAME")
    args = parser.parse_args()
    if args.list or args.build is None or args.layers is None:
        for name, mutant in MUTANTS.items():
            print("%-28s %s" % (name, " ".join(mutant.test)))
        return 0 if args.list else 2
    names = args.names or list(MUTANTS)
    skipped = [name for name in names
               if MUTANTS[name].root and os.geteuid() != 0]
    for name in skipped:
        print("%s skipped 'it shows for root alone'" % name)
    place = pathlib.Path(tempfile.mkdtemp(prefix="weir-mutants-"))
    place.chmod(0o755)
    try:
        results = run_all([args.build.resolve(), args.layers.resolve()], args.jobs,
                          [n for n in names if n not in skipped], place)
    finally:
        shutil.rmtree(place, ignore_errors=True)
    failures = results.count(False)
    print("Ran %d tests" % (len(results) + len(skipped)))
    print("FAILED (failures=%d)" % failures if failures else
          "OK (skipped=%d)" % len(skipped) if skipped else "OK")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
