#!/usr/bin/env python3
"""Runs fuzz targets and measures what they reach; see fuzz/README.md.

usage: run.py run   --build DIR --corpus DIR [--engine E] [--time S]
                    [--jobs N] [TARGET|all]
       run.py cover --build DIR --corpus DIR [TARGET]

DIR of --build holds fuzz/fuzz_TARGET-fuzz, or -replay for cover. What is
learnt goes to CORPUS/corpus/TARGET, what is found to CORPUS/artifacts/TARGET.
Without TARGET, `run` lists the targets. Exit status: 0; 1 when something was
found or a program failed; 2 for wrong arguments.
"""
import argparse
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent

# Bytes of the longest input worth trying: where the limits that a target can
# reach lie, and little more, since short inputs run and mutate faster.
MAX_LEN = {
    "frame": 2048, "json": 2048, "msg": 2048, "plan": 4096, "session": 512,
    "options": 512, "files": 2048, "module": 1024, "text": 1024,
    "child": 4096, "profile": 1024, "ledger": 2048, "read": 1024,
    "paths": 1024,
    "mcp": 2048,
    "http": 1024,
}
MAX_LEN_ELSE = 4096
RSS_MB = 1024       # of a process, its sanitizer included
TIMEOUT_S = 25      # of one input: far more than any may take


def sources():
    return sorted(HERE.glob("fuzz_*.c"))


def names():
    return [source.stem[len("fuzz_"):] for source in sources()]


def places(target):
    """The inputs that the tree itself has for a target."""
    found = [HERE / "seeds" / target, HERE / "regress" / target]
    if target == "json":
        found.append(ROOT / "tests/data/json")
    return [place for place in found if place.is_dir()]


def files_of(places_):
    return [path for place in places_ for path in sorted(place.rglob("*"))
            if path.is_file()]


def list_targets():
    """Each target with the comment at the head of its file."""
    for source in sources():
        text = source.read_text(encoding="utf-8")
        match = re.match(r"/\*\n(.*?)\*/", text, re.S)
        print(source.stem[len("fuzz_"):])
        for line in match.group(1).splitlines() if match else []:
            print("   " + line.lstrip(" *").rstrip())
    print("make fuzz-run T=TARGET [TIME=60] [ENGINE=libfuzzer|afl] [JOBS=1]")


def environment(engine):
    """Sanitizers end the process where they find something."""
    symbolize = int(engine != "afl")
    common = "abort_on_error=1:symbolize=%d" % symbolize
    added = {
        "ASAN_OPTIONS": common + ":detect_stack_use_after_return=1" +
                        (":detect_leaks=0" if engine == "afl" else ""),
        "UBSAN_OPTIONS": common + ":print_stacktrace=%d" % symbolize,
    }
    symbolizer = shutil.which("llvm-symbolizer")
    if symbolizer and symbolize:
        added["ASAN_SYMBOLIZER_PATH"] = symbolizer
    if engine == "afl":
        # Nothing of the machine is changed for it: crashes are seen also
        # where core files go to a program.
        for word in ("AFL_SKIP_CPUFREQ", "AFL_NO_AFFINITY", "AFL_NO_UI",
                     "AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES"):
            added[word] = "1"
    return dict(os.environ, **added)


class Run:
    """One target, one engine."""

    def __init__(self, args, target):
        self.target = target
        self.engine, self.time, self.jobs = args.engine, args.time, args.jobs
        self.program = args.build / "fuzz" / ("fuzz_%s-fuzz" % target)
        self.corpus = args.corpus / "corpus" / target
        self.artifacts = args.corpus / "artifacts" / target
        self.logs = args.corpus / "logs" / target
        self.max_len = MAX_LEN.get(target, MAX_LEN_ELSE)
        dictionary = HERE / "dict" / (target + ".dict")
        self.dictionary = dictionary if dictionary.exists() else None
        self.executions = 0
        self.rate = 0.0
        self.failed = False
        for place in (self.corpus, self.artifacts, self.logs):
            place.mkdir(parents=True, exist_ok=True)

    def start(self, commands):
        """Runs the commands side by side; gives their exit statuses."""
        running = []
        for number, command in enumerate(commands):
            log = open(self.logs / ("%s-%d.log" % (self.engine, number)), "wb")
            running.append((subprocess.Popen(
                [str(word) for word in command], stdin=subprocess.DEVNULL,
                stdout=log, stderr=subprocess.STDOUT, cwd=self.logs,
                env=environment(self.engine)), log))
        codes = []
        for process, log in running:
            codes.append(process.wait())
            log.close()
        return codes

    def log(self, number):
        path = self.logs / ("%s-%d.log" % (self.engine, number))
        return path.read_text(encoding="utf-8", errors="replace")

    def libfuzzer(self):
        command = [
            self.program, "-max_total_time=%d" % self.time,
            "-max_len=%d" % self.max_len, "-rss_limit_mb=%d" % RSS_MB,
            "-timeout=%d" % TIMEOUT_S,
            # A loaded machine makes units slow; only a timeout is a finding.
            "-report_slow_units=%d" % TIMEOUT_S,
            "-use_value_profile=1", "-reload=1",
            "-print_final_stats=1",
            "-artifact_prefix=%s/" % self.artifacts]
        if self.dictionary:
            command.append("-dict=%s" % self.dictionary)
        command += [self.corpus] + places(self.target)
        codes = self.start([command] * self.jobs)
        for number, code in enumerate(codes):
            text = self.log(number)
            # After a crash they may be printed twice.
            stats = dict(re.findall(r"^stat::(\w+): +(\d+)", text, re.M))
            self.executions += int(stats.get("number_of_executed_units", 0))
            self.rate += int(stats.get("average_exec_per_sec", 0))
            if code != 0:
                self.failed = True
                # From the report on, without what fills the screen.
                begin = re.search(
                    r"^(.*: broken: |.*: runtime error: |==\d+==)", text, re.M)
                text = text[begin.start() if begin else 0:]
                print("\n".join(text.splitlines()[:40]))

    def afl(self):
        given = self.logs / "afl-in"
        out = self.logs / "afl-out"
        for place in (given, out):
            shutil.rmtree(place, ignore_errors=True)
        given.mkdir()
        for path in files_of(places(self.target) + [self.corpus]):
            if path.stat().st_size <= self.max_len:
                self.keep(path, given)
        command = ["afl-fuzz", "-i", given, "-o", out, "-V", self.time,
                   "-m", "none", "-t", "%d" % (1000 * TIMEOUT_S),
                   "-G", self.max_len]
        if self.dictionary:
            command += ["-x", self.dictionary]
        codes = self.start([
            command + ["-M" if n == 0 else "-S", "job%d" % n, "--",
                       self.program] for n in range(self.jobs)])
        for number, code in enumerate(codes):
            place = out / ("job%d" % number)
            stats = place / "fuzzer_stats"
            if code != 0 or not stats.exists():
                self.failed = True
                print("\n".join(self.log(number).splitlines()[-20:]))
                continue
            text = stats.read_text()
            for key, value in re.findall(r"^(\w+) +: ([\d.]+)", text, re.M):
                if key == "execs_done":
                    self.executions += int(value)
                elif key == "execs_per_sec":
                    self.rate += float(value)
            for path in files_of([place / "queue"]):
                if ".state" not in path.parts:
                    self.keep(path, self.corpus)
            for word, prefix in (("crashes", "crash-"), ("hangs", "hang-")):
                for path in files_of([place / word]):
                    if path.name != "README.txt":
                        self.keep(path, self.artifacts, prefix)

    @staticmethod
    def keep(path, place, prefix=""):
        data = path.read_bytes()
        name = prefix + hashlib.sha1(data).hexdigest()
        if not (place / name).exists():
            (place / name).write_bytes(data)

    def __call__(self):
        before = set(self.artifacts.iterdir())
        print("%s: %s, %d s, %d job%s" % (
            self.target, self.engine, self.time, self.jobs,
            "" if self.jobs == 1 else "s"), flush=True)
        getattr(self, self.engine)()
        found = sorted(set(self.artifacts.iterdir()) - before)
        print("%s: %d executions, %d/s, corpus %d, found %d" % (
            self.target, self.executions, round(self.rate),
            len(files_of([self.corpus])), len(found)), flush=True)
        for path in found:
            print("  %s\n  again: %s %s" % (path, self.program, path))
        if self.failed and not found:
            print("  the log: %s" % self.logs)
        return not found and not self.failed


def run(args):
    if args.target == "":
        list_targets()
        return 0
    if args.engine == "afl" and shutil.which("afl-fuzz") is None:
        print("fuzz: afl-fuzz is not installed; `make deps` does that",
              file=sys.stderr)
        return 1
    good = True
    for target in names() if args.target == "all" else [args.target]:
        good &= Run(args, target)()
    return 0 if good else 1


# --- coverage ---------------------------------------------------------------

def cover(args):
    chosen = [args.target] if args.target not in ("", "all") else names()
    work = args.build / "profile"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    programs, failed = [], False
    for target in chosen:
        program = args.build / "fuzz" / ("fuzz_%s-replay" % target)
        inputs = places(target)
        corpus = args.corpus / "corpus" / target
        if corpus.is_dir():
            inputs.append(corpus)
        if not inputs:
            continue
        done = subprocess.run(
            [str(program)] + [str(place) for place in inputs],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
            env=dict(os.environ, LLVM_PROFILE_FILE=str(
                work / (target + ".%p.profraw"))))
        print("%s: %s" % (target, done.stdout.decode(errors="replace").strip()
                          .rsplit("\n", 1)[-1]))
        failed |= done.returncode != 0
        programs.append(program)
    merged = work / "all.profdata"
    subprocess.run(["llvm-profdata", "merge", "-sparse", "-o", str(merged)] +
                   [str(raw) for raw in sorted(work.glob("*.profraw"))],
                   check=True)
    command = ["llvm-cov", "export", "-summary-only",
               "-instr-profile=%s" % merged, str(programs[0])]
    for program in programs[1:]:
        command += ["-object", str(program)]
    report = json.loads(subprocess.run(
        command, stdout=subprocess.PIPE, check=True).stdout)
    table(report["data"][0]["files"])
    return 1 if failed else 0


def table(files):
    """Lines and branches of wire/."""
    rows, total = [], {"lines": [0, 0], "branches": [0, 0]}
    for entry in files:
        name = re.search(r"(?:^|/)(wire/[^/]+)$", entry["filename"])
        if not name:
            continue
        cells = []
        for what, sums in total.items():
            count = entry["summary"][what]["count"]
            covered = entry["summary"][what]["covered"]
            sums[0] += covered
            sums[1] += count
            cells.append((covered, count))
        rows.append((name.group(1), cells))
    rows.sort()
    rows.append(("total", [tuple(sums) for sums in total.values()]))
    print("%-22s %20s %20s" % ("", "lines", "branches"))
    for name, cells in rows:
        print("%-22s" % name + "".join(
            " %5d of %5d %6s" % (covered, count, "-" if count == 0 else
                                 "%.1f%%" % (100 * covered / count))
            for covered, count in cells))


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1].split("\n\n")[0])
    parser.add_argument("what", choices=("run", "cover"))
    parser.add_argument("--build", required=True, type=pathlib.Path)
    parser.add_argument("--corpus", required=True, type=pathlib.Path)
    parser.add_argument("--engine", default="libfuzzer",
                        choices=("libfuzzer", "afl"))
    parser.add_argument("--time", type=int, default=60)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("target", nargs="?", default="")
    args = parser.parse_intermixed_args()
    if args.target not in names() + ["", "all"]:
        parser.error("no target %r; there are: %s" % (
            args.target, " ".join(names())))
    args.build, args.corpus = args.build.resolve(), args.corpus.resolve()
    return {"run": run, "cover": cover}[args.what](args)


if __name__ == "__main__":
    sys.exit(main())
