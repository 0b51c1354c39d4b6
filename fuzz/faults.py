#!/usr/bin/env python3
"""Plants each fault of fault_table.py and looks whether fuzzing finds it.

usage: faults.py --build DIR [--time S] [--sane S] [--jobs N] [--few]
           [NAME...]

DIR is a build with SAN=fuzz; what of it is missing is made. Nothing is
changed in the tree and nothing of a fault stays in DIR: one object is
compiled from a changed copy of its source and linked before the archives.

With --few only every other fault is looked for, and of those targets alone that
do not link the supervisor, which takes a minute to compile for a fuzzer.
A target without a fault must not fail within S seconds (--sane); with one it
must fail within S (--time), by a property that the table names. Prints a line
for each and then `Ran N tests`, OK or FAILED, as unittest does. Where clang
or its fuzzer is not installed everything is skipped.
"""
import argparse
import concurrent.futures
import functools
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

from fault_table import FAULTS

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
SEED = 1
RSS_MB = 2048
EXECUTIONS = re.compile(r"^stat::number_of_executed_units: (\d+)", re.M)


class Broken(Exception):
    """Not a fault that was missed: this test itself cannot work."""


def quiet(command, **more):
    """Runs to the end; its output, or Broken with it."""
    done = subprocess.run(command, cwd=ROOT, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          **more)
    text = done.stdout.decode("utf-8", "replace")
    if done.returncode != 0:
        raise Broken("%s:\n%s" % (" ".join(map(str, command)), text))
    return text


def make(build, *arguments):
    """With a make above this one, its flags are not meant for here."""
    environment = {name: value for name, value in os.environ.items()
                   if name not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")}
    return quiet(["make", "--no-print-directory", "SAN=fuzz", "CC=clang",
                  "O=%s" % build, *arguments], env=environment)


def fuzzer(build, target):
    return "%s/fuzz/fuzz_%s-fuzz" % (build, target)


def main_object(build, target):
    return "%s/obj/fuzz/fuzz_%s.o" % (build, target)


@functools.lru_cache(maxsize=None)
def command_for(build, source, made):
    """How make would make it from this source; nothing is run."""
    said = make(build, "-n", "-W", source, made).replace("\\\n", " ")
    lines = said.splitlines()
    wanted = [line for line in lines if line.endswith("-o " + made)]
    if len(wanted) != 1:
        raise Broken("make does not say how it makes " + made)
    return tuple(shlex.split(wanted[0]))


def change(file, text, replacement):
    """The source with its fault."""
    source = (ROOT / file).read_text(encoding="utf-8")
    count = source.count(text)
    if count != 1:
        raise Broken("the text of the fault stands %d times in %s, and not "
                     "once:\n%s" % (count, file, text))
    return source.replace(text, replacement)


def plant(build, place, file, text, replacement, target):
    """A fuzzer with the fault in it; its path."""
    changed = place / pathlib.Path(file).name
    made = "%s/obj/%s.o" % (build, file[:-len(".c")])
    program = str(place / "fuzzer")
    changed.write_text(change(file, text, replacement), encoding="utf-8")
    compile_it = list(command_for(build, file, made))
    compile_it[compile_it.index(file)] = str(changed)
    compile_it[-1] = str(place / "fault.o")
    quiet(compile_it)
    link_it = list(command_for(
        build, "fuzz/fuzz_%s.c" % target, fuzzer(build, target)))
    link_it.insert(link_it.index(main_object(build, target)) + 1,
                   str(place / "fault.o"))
    link_it[-1] = program
    quiet(link_it)
    return program


def fuzz(program, target, place, seconds):
    """Runs it over the seeds and on; whether it failed, and what it said."""
    corpus = place / "corpus"
    corpus.mkdir()
    command = [program, "-seed=%d" % SEED, "-max_total_time=%d" % seconds,
               "-timeout=25", "-rss_limit_mb=%d" % RSS_MB, "-max_len=1024",
               "-print_final_stats=1", "-artifact_prefix=%s/" % place,
               str(corpus)]
    for kind in ("seeds", "regress"):
        if (HERE / kind / target).is_dir():
            command.append(str(HERE / kind / target))
    if (HERE / "dict" / (target + ".dict")).is_file():
        command.insert(1, "-dict=%s" % (HERE / "dict" / (target + ".dict")))
    environment = dict(os.environ)
    environment["ASAN_OPTIONS"] = "abort_on_error=1:symbolize=0"
    try:
        done = subprocess.run(
            command, cwd=place, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            timeout=seconds + 120, env=environment)
    except subprocess.TimeoutExpired:
        raise Broken("%s does not end" % program) from None
    return done.returncode != 0, done.stdout.decode("utf-8", "replace")


def executions(text):
    found = EXECUTIONS.search(text)
    return int(found.group(1)) if found else 0


def look_for(build, name, seconds):
    """The line for one fault, and whether it is a good one."""
    file, text, replacement, target, properties = FAULTS[name]
    with tempfile.TemporaryDirectory(prefix="weir-fault-") as temporary:
        place = pathlib.Path(temporary)
        program = plant(build, place, file, text, replacement, target)
        begun = time.monotonic()
        failed, said = fuzz(program, target, place, seconds)
        took = time.monotonic() - begun
    if not failed:
        return "%s: not found within %d s, %d executions" % (
            name, seconds, executions(said)), False
    if not any(part in said for part in properties):
        return "%s: found, but by none of the properties meant for it\n%s" % (
            name, said), False
    return "%s: found after %.1f s, %d executions" % (
        name, took, executions(said)), True


def look_at_sane(build, target, seconds):
    with tempfile.TemporaryDirectory(prefix="weir-fault-") as temporary:
        failed, said = fuzz(fuzzer(build, target), target,
                            pathlib.Path(temporary), seconds)
    if failed:
        return "%s without a fault: fails\n%s" % (target, said), False
    return "%s without a fault: nothing within %d s, %d executions" % (
        target, seconds, executions(said)), True


def guarded(task, *arguments):
    try:
        return task(*arguments)
    except Broken as broken:
        return "%s: %s" % (arguments[1], broken), False


def reason_to_skip():
    """None when a fuzzer can be built here."""
    if shutil.which("clang") is None:
        return "clang is not installed"
    with tempfile.TemporaryDirectory(prefix="weir-fault-") as place:
        done = subprocess.run(
            ["clang", "-fsanitize=fuzzer,address,undefined", "-x", "c", "-",
             "-o", place + "/try"], stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            input=b"int LLVMFuzzerTestOneInput(const unsigned char *p,"
                  b" unsigned long n){return p && n == 0;}\n")
    return None if done.returncode == 0 else (
        "clang cannot link a fuzzer here; libclang-rt-dev is missing")


def run_all(args):
    targets = sorted({FAULTS[name][3] for name in args.names})
    # The objects are asked for, or make would remove them in the end.
    make(args.build, *(made for target in targets
                       for made in (fuzzer(args.build, target),
                                    main_object(args.build, target))))
    line, good = look_at_texts()
    print(line, flush=True)
    results = [good]
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        waiting = [pool.submit(guarded, look_at_sane, args.build, target,
                               args.sane) for target in targets]
        waiting += [pool.submit(guarded, look_for, args.build, name,
                                args.time) for name in args.names]
        for done in concurrent.futures.as_completed(waiting):
            line, good = done.result()
            print(line, flush=True)
            results.append(good)
    return results


def look_at_texts():
    """That each fault could be planted, also those that are not today."""
    for name, (file, text, replacement, *_) in FAULTS.items():
        try:
            change(file, text, replacement)
        except Broken as broken:
            return "%s: %s" % (name, broken), False
    return "the texts of %d faults: each stands where it says" % len(
        FAULTS), True


HEAVY = ("child", "profile")


def few():
    return [name for name, fault in FAULTS.items()
            if fault[3] not in HEAVY][::2]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("--time", type=int, default=60)
    parser.add_argument("--sane", type=int, default=4)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--few", action="store_true")
    parser.add_argument("names", nargs="*", metavar="NAME")
    args = parser.parse_args()
    args.names = args.names or (few() if args.few else list(FAULTS))
    reason = reason_to_skip()
    if reason is not None:
        print("faults skipped %r" % reason)
        print("Ran %d tests\nOK (skipped=%d)" % (
            len(FAULTS), len(FAULTS)))
        return 0
    try:
        results = run_all(args)
    except Broken as broken:
        print(broken)
        results = [False]
    failures = results.count(False)
    print("Ran %d tests" % len(results))
    print("FAILED (failures=%d)" % failures if failures else "OK")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
