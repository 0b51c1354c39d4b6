#!/usr/bin/env python3
"""Runs every test and counts.

usage: run.py --build DIR --layers DIR --sanitized DIR [--only GROUP,...]

Groups, in this order: unit programs (plain and with AddressSanitizer), fuzz
targets replaying their seeds, the Python module, end to end as the caller and,
for root, once more as a plain user; beside the last of those planted faults
that fuzzing must find, and style. The last line is the count.

A test that cannot run on this host is skipped with its reason; with
MUST_SANDBOX=1 a skip is a failure.
"""
import argparse
import concurrent.futures
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
MUST = os.environ.get("MUST_SANDBOX") == "1"
PLAIN = {"user": 65534, "group": 65534, "extra_groups": []}


class Count:
    def __init__(self):
        self.passed = self.failed = self.skipped = 0
        self.lock = threading.Lock()

    def add(self, passed, failed, skipped=0):
        with self.lock:
            self.passed += passed
            self.failed += failed
            self.skipped += skipped


def say(text):
    # In one piece, since others may be saying something as well.
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def run(command, timeout=600, **more):
    try:
        done = subprocess.run(
            [str(part) for part in command], stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=timeout,
            cwd=ROOT, **more)
        return done.returncode, done.stdout.decode("utf-8", "replace")
    except subprocess.TimeoutExpired as late:
        text = (late.stdout or b"").decode("utf-8", "replace")
        return -1, text + "\nrun.py: no end within %d s\n" % timeout


def report(name, passed, failed, output, code, more=""):
    line = "%s %s: %d passed, %d failed%s%s" % (
        "not ok" if failed else "ok", name, passed, failed,
        "" if code in (0, None) else " (exit %d)" % code, more)
    say(output.rstrip() + "\n" + line if failed else line)


def unit_program(path, label):
    """A cmocka program: its own closing lines count the tests."""
    code, output = run([path])
    found = re.search(r"\[  PASSED  \] (\d+) test", output)
    passed = int(found.group(1)) if found else 0
    found = re.search(r"\[  FAILED  \] .*?(\d+) test", output)
    failed = int(found.group(1)) if found else 0
    if code != 0 and failed == 0:
        failed = 1
    if code == 0 and passed == 0:
        output += "\nrun.py: the program ran no test\n"
        failed = 1
    skipped = len(re.findall(r"^\[  SKIPPED \] \w", output, re.M))
    return label + " " + path.name, passed, failed, skipped, output, code


def unit(count, build, label):
    programs = sorted(p for p in (build / "tests").glob("test_*")
                      if os.access(p, os.X_OK) and p.suffix == "")
    if not programs:
        say("not ok %s: no unit programs in %s" % (label, build))
        count.add(0, 1)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for name, passed, failed, skipped, output, code in pool.map(
                lambda p: unit_program(p, label), programs):
            if skipped and MUST:
                failed, skipped = failed + skipped, 0
            report(name, passed, failed, output, code)
            count.add(passed, failed, skipped)


def replay(count, build, label):
    """Each fuzz target over its seeds and its regressions."""
    for program in sorted((build / "fuzz").glob("*-replay")):
        target = program.name[:-len("-replay")]
        short = target[len("fuzz_"):]
        places = [ROOT / "fuzz/seeds" / short, ROOT / "fuzz/regress" / short]
        if short == "json":
            places.append(HERE / "data/json")
        inputs = [d for d in places if d.is_dir()]
        code, output = run([program] + inputs)
        failed = 0 if code == 0 and inputs else 1
        report("%s %s" % (label, target), 1 - failed, failed,
               output or "no seeds", code)
        count.add(1 - failed, failed)


def script(count, name, command, show=False, **more):
    """A unittest program, run and judged."""
    began = time.monotonic()
    code, output = run(command, timeout=1200, **more)
    judge(count, name, code, output, show,
          ", %.0f s" % (time.monotonic() - began))


def judge(count, name, code, output, show=False, took=""):
    """Of a unittest program 'Ran N tests' and its exit status count."""
    found = re.search(r"^Ran (\d+) tests?", output, re.M)
    total = int(found.group(1)) if found else 0
    skipped = 0
    failed = 0
    for key in ("failures", "errors", "unexpected successes"):
        found = re.search(key + r"=(\d+)", output)
        failed += int(found.group(1)) if found else 0
    found = re.search(r"skipped=(\d+)", output)
    skipped = int(found.group(1)) if found else 0
    if (code != 0 or total == 0) and failed == 0:
        failed = 1
    if skipped and MUST:
        output += "\nrun.py: a skip is a failure with MUST_SANDBOX=1\n"
        failed, skipped = failed + skipped, 0
    passed = max(total - failed - skipped, 0)
    if show and not failed:
        say(output.rstrip())
    reasons = re.findall(r"skipped [\"'](.*)[\"']$", output, re.M)
    report(name, passed, failed, output, code, took + "".join(
        "\n  skipped: " + line for line in reasons if skipped))
    count.add(passed, failed, skipped)


# What is run once more, as on a host that refuses namespaces, or mounts: by who
# shares a uid with the program, and by who can hold a tree without them.
AT_LEVELS = (("test_501_hostile", "plain user", "process"),
             ("test_140_processes", "plain user", "spaces"),
             ("test_140_processes", "root", "process"))
# The same whoever runs it: the protocol, the gate and what answers calls. Where
# there are both users one of them runs it, or both with --every.
ONCE = {"test_108_last_value": "plain user", "test_325_code_mode": "root",
        "test_400_frames": "plain user", "test_401_spoofs": "plain user",
        "test_812_budgets": "plain user", "test_820_handles": "plain user",
        "test_821_patterns": "root", "test_830_mcp": "root",
        "test_850_cancel": "root"}
# What changes, or looks at, something that the whole host has one of: no
# program runs under weir beside it.
ALONE = ("test_302_alone", "test_311_base", "test_503_cores")


def users():
    """(what they are called, whether run() has to become one)"""
    if os.geteuid() != 0:
        return [("plain user", False)]
    return [("root", False), ("plain user", True)]


def in_lanes(count, python, place, environment, beside, every):
    """Each user's files one after the other, both users at a time: what one
    of them leaves is seen by the next one of that user and by no other. One
    begins with the first and one with the last, so that those that wait most
    do not meet."""
    files = sorted((place / "tests/e2e").glob("test_*.py"))

    def one(path, who, become, level="isolated"):
        script(count, "e2e %s%s as %s" % (
            path.stem, "" if level == "isolated" else " at level " + level,
            who), [python, "-B", path],
            env=dict(environment, WEIR_LEVEL=level, **(dict(
                HOME="/", USER="nobody", LOGNAME="nobody") if become else {})),
            **(PLAIN if become else {}))

    def lane(user):
        for path in files[::-1] if user[1] else files:
            if path.stem in ALONE or (
                    len(users()) > 1 and not every and
                    ONCE.get(path.stem, user[0]) != user[0]):
                continue
            one(path, *user)
        for path in files:
            for stem, who, level in AT_LEVELS:
                if (path.stem, user[0]) == (stem, who):
                    one(path, *user, level=level)

    with concurrent.futures.ThreadPoolExecutor(len(users())) as pool:
        list(pool.map(lane, users()))
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        done = pool.submit(lambda: [group() for group in beside])
        for path in files:
            for user in users() if path.stem in ALONE else []:
                one(path, *user)
        done.result()


def end_to_end(count, build, layers, beside, every):
    """The installed tree, in a place that a plain user can read. The groups
    beside take one processor, and the last files the other one."""
    place = pathlib.Path(tempfile.mkdtemp(prefix="weir-check-"))
    try:
        place.chmod(0o755)
        code, output = run(["make", "--no-print-directory", "O=%s" % build,
                            "install", "PREFIX=%s" % (place / "weir")])
        report("install", int(code == 0), int(code != 0), output, code)
        count.add(int(code == 0), int(code != 0))
        shutil.copytree(layers / "bin", place / "layers/bin")
        shutil.copytree(layers / "libexec", place / "layers/libexec")
        shutil.copytree(build / "tests/tools", place / "tools")
        shutil.copytree(HERE, place / "tests",
                        ignore=shutil.ignore_patterns("__pycache__"))
        # What tests hold the command against.
        for name in ("README.md", "supervisor/limits_table.c",
                     "supervisor/filter_numbers.h"):
            (place / name).parent.mkdir(exist_ok=True)
            shutil.copy(ROOT / name, place / name)
        shared = ROOT.parent / "shared"
        environment = dict(
            os.environ, WEIR=str(place / "weir/bin/weir"),
            WEIR_LAYERS=str(place / "layers/bin/weir"),
            WEIR_TOOLS=str(place / "tools"), PYTHONDONTWRITEBYTECODE="1",
            WEIR_BUILD=str(build), WEIR_LAYERS_BUILD=str(layers),
            WEIR_SOURCES=str(ROOT),
            WEIR_SHARED=str(shared) if shared.is_dir() else "")
        subprocess.run(["chmod", "-R", "a+rX", str(place)], check=True)
        python = shutil.which("python3", path="/usr/bin:/bin") or sys.executable
        in_lanes(count, python, place, environment, beside, every)
    finally:
        shutil.rmtree(place, ignore_errors=True)


# More than there are interpreters.
PYTHONS = 16


def module(count, build, layers, every):
    """The interpreters that there are, as many at a time as processors."""
    def part(k):
        command = [sys.executable, "-B", "tests/module/run_module_tests.py",
                   "--part", "%d/%d" % (k, PYTHONS), layers / "libexec/weir"]
        began = time.monotonic()
        code, output = run(
            command + ([] if every else ["--few"]), timeout=1200,
            env=dict(os.environ, WEIR_TOOLS=str(build / "tests/tools")))
        # There are fewer interpreters, but never none.
        found = re.search(r"with Python (\S+),", output)
        if found or k == 0 or code != 0:
            judge(count, "module with Python %s" % (
                found.group(1) if found else "?"), code, output,
                took=", %.0f s" % (time.monotonic() - began))

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        list(pool.map(part, range(PYTHONS)))


def lint(count, build):
    code, output = run(["sh", "tests/lint/lint.sh", build])
    report("lint", int(code == 0), int(code != 0), output, code)
    count.add(int(code == 0), int(code != 0))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("--layers", required=True)
    parser.add_argument("--sanitized", required=True)
    parser.add_argument("--only", default="")
    parser.add_argument("--every", action="store_true",
                        help="all of what is run in part otherwise")
    args = parser.parse_args()
    build, layers, sanitized = (
        pathlib.Path(d).resolve()
        for d in (args.build, args.layers, args.sanitized))
    # A shell ignores it for what it starts in the background, and so would
    # every program that a test interrupts.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    count = Count()
    groups = {
        "unit": lambda: unit(count, build, "unit"),
        "asan": lambda: unit(count, sanitized, "unit with ASan"),
        "replay": lambda: replay(count, build, "replay"),
        "replay-asan": lambda: replay(count, sanitized, "replay with ASan"),
        "faults": lambda: script(
            count, "planted faults",
            [sys.executable, "-B", "fuzz/faults.py", "--build",
             build.with_name(build.name + "-fuzz"),
             *([] if args.every else
               ["--few", "--jobs", "1", "--sane", "1"])], show=True),
        "module": lambda: module(count, build, layers, args.every),
        "lint": lambda: lint(count, build),
        "e2e": lambda: end_to_end(count, build, layers, beside, args.every),
    }
    only = args.only.split(",") if args.only else []
    unknown = set(only) - set(groups)
    if unknown:
        parser.error("--only: no group %s; there are %s" % (
            ", ".join(sorted(unknown)), ", ".join(groups)))
    chosen = [name for name in groups if not only or name in only]
    late = [name for name in ("faults", "lint")
            if name in chosen and "e2e" in chosen]
    beside = [groups[name] for name in late]
    for name in chosen:
        if name not in late:
            groups[name]()
    say("%d passed, %d failed%s" % (
        count.passed, count.failed,
        ", %d skipped" % count.skipped if count.skipped else ""))
    return 1 if count.failed or not count.passed else 0


if __name__ == "__main__":
    sys.exit(main())
