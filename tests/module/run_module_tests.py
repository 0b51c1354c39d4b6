#!/usr/bin/env python3
"""Tests of _weir and bootstrap.py through the protocol, with every Python
there is: run_module_tests.py LIBEXEC_DIR [--few] [-k PATTERN] [PYTHON...]

LIBEXEC_DIR holds _weir.abi3.so and bootstrap.py. The tool mkplan stands in
../../tests/tools from there, or in the directory that WEIR_TOOLS names.
Nothing is confined here: the plan's layers are empty.
"""
import argparse
import glob
import os
import subprocess
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import host  # noqa: E402

# What is tried besides the interpreter that runs this.
ELSEWHERE = ["/usr/bin/python3",
             os.path.expanduser("~/.pyenv/versions/*/bin/python3")]


def version_of(python):
    """(major, minor) of an interpreter that can be tested, or None."""
    run = subprocess.run(
        [python, "-I", "-S", "-c",
         "import sys; print(sys.implementation.name, *sys.version_info[:3])"],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    words = run.stdout.decode().split()
    if run.returncode != 0 or not words or words[0] != "cpython":
        return None
    version = tuple(int(w) for w in words[1:])
    return version if version >= (3, 8) else None


def find_pythons():
    """One interpreter for each version."""
    found = {}
    candidates = [sys.executable]
    for pattern in ELSEWHERE:
        candidates += sorted(glob.glob(pattern))
    for python in candidates:
        version = version_of(python)
        if version is not None:
            found.setdefault(version, python)
    return sorted(found.items())


def tests_for(loader, pythons, version, few):
    """All of them; or where there are many interpreters what depends on the
    version most, for those between the oldest and the newest."""
    patterns = ["module_*.py"]
    versions = [v for v, _ in pythons]
    if few and version not in (versions[0], versions[-1],
                               sys.version_info[:3]):
        patterns = ["module_programs.py", "module_styles.py"]
    return [loader.discover(HERE, pattern) for pattern in patterns]


class WithPython(unittest.TestSuite):
    """All tests with one interpreter."""

    def __init__(self, tests, version, a_host):
        super().__init__(tests)
        self.version = version
        self.host = a_host

    def run(self, result, debug=False):
        print("with Python %s, %s" % (
            ".".join(map(str, self.version)), self.host.python), flush=True)
        host.current = self.host
        host.current.version = self.version
        return super().run(result, debug)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("libexec")
    parser.add_argument("pythons", nargs="*")
    parser.add_argument("-k", action="append", default=None)
    parser.add_argument("-v", action="store_true")
    parser.add_argument("--few", action="store_true",
                        help="with most interpreters only a part")
    parser.add_argument("--part", default="0/1", metavar="K/N",
                        help="of the interpreters, each N-th from the K-th")
    options = parser.parse_args()
    libexec = os.path.abspath(options.libexec)
    tools = os.environ.get("WEIR_TOOLS") or os.path.join(
        libexec, "../../tests/tools")
    pythons = find_pythons()
    if options.pythons:
        pythons = [(version_of(p), p) for p in options.pythons]
    part, parts = map(int, options.part.split("/"))
    suite = unittest.TestSuite()
    for version, python in pythons[part::parts]:
        loader = unittest.TestLoader()
        loader.testNamePatterns = options.k and [
            "*%s*" % k for k in options.k]
        suite.addTest(WithPython(
            tests_for(loader, pythons, version, options.few), version,
            host.Host(python, libexec, os.path.join(tools, "mkplan"))))
    runner = unittest.TextTestRunner(verbosity=2 if options.v else 1)
    return 0 if runner.run(suite).wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
