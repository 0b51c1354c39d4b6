#!/usr/bin/env python3
"""Measures what weir costs. Nothing is asserted: the numbers are for people.

usage: bench.py --build DIR [--json FILE] [--quick] [--only WORD]

Two commands that are compared run in turns (A, B, A, B, ...), so that a
machine that slows down slows both; values are medians, and what counts is the
ratio. A growth exponent is the slope of log(cost) over log(size), where the
cost is what the fastest of some runs took beyond a run of size zero: 1 is
linear, 2 is quadratic.

FILE gets {"rows": [{"name", "value", "unit", "baseline", "ratio", "n"}]}.
baseline and ratio are null where nothing is compared; of an exponent the
baseline is 1.
"""
import argparse
import json
import math
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PYTHON = "/usr/bin/python3"
HELLO = "print(1)"
DRAIN = """
import os
left, piece = %d, b"x" * 65536
while left > 0:
    left -= os.write(1, piece[:left])
"""
CALLS = """
import time
def median(times):
    return sorted(times)[len(times) // 2]
times = []
for i in range(%d):
    start = time.perf_counter()
    same(number=i)
    times.append(time.perf_counter() - start)
return median(times)
"""
# What a tool call cannot do without: the same command started, fed and read.
SPAWNS = """
import os, time
def median(times):
    return sorted(times)[len(times) // 2]
times = []
for i in range(%d):
    start = time.perf_counter()
    to_r, to_w = os.pipe()
    from_r, from_w = os.pipe()
    pid = os.posix_spawn("/bin/cat", ["cat"], {}, file_actions=[
        (os.POSIX_SPAWN_DUP2, to_r, 0), (os.POSIX_SPAWN_DUP2, from_w, 1),
        (os.POSIX_SPAWN_CLOSE, to_r), (os.POSIX_SPAWN_CLOSE, from_w)])
    os.close(to_r)
    os.close(from_w)
    os.write(to_w, b'{"number":%%d}' %% i)
    os.close(to_w)
    while os.read(from_r, 65536):
        pass
    os.close(from_r)
    os.waitpid(pid, 0)
    times.append(time.perf_counter() - start)
print(median(times))
"""


# --- running -----------------------------------------------------------------

def timed(command):
    """Seconds from before the start until the command's end is known."""
    start = time.perf_counter()
    done = subprocess.run(command, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    seconds = time.perf_counter() - start
    if done.returncode != 0:
        raise RuntimeError("%s... exited with %d: %s" % (
            " ".join(map(str, command))[:200], done.returncode,
            (done.stderr or done.stdout).decode("utf-8", "replace")[-500:]))
    return seconds, done.stdout


def in_turns(commands, rounds):
    """The times of each command, after one unmeasured run of each."""
    times = [[] for _ in commands]
    for command in commands:
        timed(command)
    for _ in range(rounds):
        for at, command in enumerate(commands):
            times[at].append(timed(command)[0])
    return times


class Bench:
    def __init__(self, build, quick):
        self.build, self.quick = build, quick
        self.weir = build / "bin" / "weir"
        self.rows = []

    def times(self, usual):
        return max(usual // 10, 3) if self.quick else usual

    def row(self, name, value, unit, baseline=None, n=1):
        ratio = value / baseline if baseline else None
        self.rows.append({"name": name, "value": value, "unit": unit,
                          "baseline": baseline, "ratio": ratio, "n": n})
        print("%-40s %11s %-5s %11s %8s %6d" % (
            name, shown(value), unit, shown(baseline), shown(ratio), n),
            flush=True)

    def command(self, program, *options):
        return [self.weir, "run", "--json", "--python", PYTHON, *options,
                "-c", program]

    def value(self, program, *options):
        return json.loads(timed(self.command(program, *options))[1])["value"]

    def growth(self, name, sizes, make, rounds):
        """One row: how the cost of make(size) grows. make(0) is the floor."""
        floor, *costs = [min(times) for times in in_turns(
            [make(size) for size in (0, *sizes)], rounds)]
        # A cost below the noise of the floor says nothing; leave it out.
        points = [(math.log(size), math.log(cost - floor))
                  for size, cost in zip(sizes, costs) if cost > 1.02 * floor]
        if len(points) < 2:
            print("%-40s too small to see beside the start" % name)
            return
        self.row(name, slope(points), "exp", 1.0, rounds)


def shown(number):
    return "-" if number is None else "%.4g" % number


def slope(points):
    x_mean = statistics.fmean(x for x, _ in points)
    y_mean = statistics.fmean(y for _, y in points)
    return (sum((x - x_mean) * (y - y_mean) for x, y in points)
            / sum((x - x_mean) ** 2 for x, _ in points))


# --- the measurements --------------------------------------------------------

def bench_start(bench):
    """Whole commands against the bare interpreter."""
    bare = [PYTHON, "-I", "-S", "-c", HELLO]
    names, commands = ["weir run"], [bare, bench.command(HELLO)]
    if shutil.which("bwrap"):
        wrapped = ["bwrap", "--unshare-all", "--die-with-parent", "--ro-bind",
                   "/", "/", "--dev", "/dev", "--tmpfs", "/tmp", *bare]
        try:
            timed(wrapped)
            names.append("bubblewrap")
            commands.append(wrapped)
        except RuntimeError as error:
            print("bubblewrap is left out: %s" % error)
    rounds = bench.times(50)
    floor, *others = in_turns(commands, rounds)
    for name, times in zip(names, others):
        bench.row("start: %s / bare python, median" % name,
                  1e3 * statistics.median(times), "ms",
                  1e3 * statistics.median(floor), rounds)
        bench.row("start: %s / bare python, fastest" % name,
                  1e3 * min(times), "ms", 1e3 * min(floor), rounds)


def bench_calls(bench):
    """A command tool: one round trip, and many."""
    tool = ("--tool", "same=/bin/cat", "--limit", "calls=100000")
    calls = bench.times(300)
    rounds = 3 if bench.quick else 5
    ours, bare = [], []
    for _ in range(rounds):
        ours.append(bench.value(CALLS % calls, *tool))
        alone = [PYTHON, "-I", "-S", "-c", SPAWNS % calls]
        bare.append(float(timed(alone)[1]))
    bench.row("tool call: weir / the command alone",
              1e6 * statistics.median(ours), "us",
              1e6 * statistics.median(bare), rounds * calls)
    # Not offered: the whole way to the gate and back, and no process.
    bench.growth("growth: calls, refused", [1000, 4000, 16000],
                 lambda n: bench.command(REFUSED % n, *tool), rounds)
    sizes = [50, 200, 800] if bench.quick else [100, 1000, 4000]
    bench.growth("growth: calls, command", sizes,
                 lambda n: bench.command(CALLED % n, *tool), 1)


REFUSED = """
for i in range(%d):
    try:
        call_tool("absent")
    except ToolError:
        pass
"""
CALLED = """
for i in range(%d):
    same(number=i)
"""


def compiled(bench, name):
    """A program of this directory, with wire/ behind it."""
    program = bench.build / "tests" / name
    program.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run(
        [*os.environ.get("CC", "cc").split(), "-O2", "-std=gnu11",
         "-D_GNU_SOURCE", "-I", ROOT, HERE / (name + ".c"),
         bench.build / "libwire.a", "-o", program], check=True)
    return program


def bench_json(bench):
    """The scanner, beside json.loads of the interpreter."""
    program = compiled(bench, "bench_json")
    output = timed([program, "2" if bench.quick else "8"])[1].decode()
    python = python_json_speed()
    for line in output.splitlines():
        found = re.match(r"(.*?)\s+(\d+) bytes\s+best \S+ GB/s\s+"
                         r"median (\S+) GB/s\s+\(ok\)", line)
        if found:
            name = found.group(1)
            bench.row("json: " + name, float(found.group(3)), "GB/s",
                      python if name == "compact records" else None, 15)


def python_json_speed():
    record = {"id": 7, "name": "amber harbour", "score": 12.5, "active": True,
              "parent": None, "description": "quiet signal meadow lantern.",
              "tags": ["copper", "winter"], "position": {"x": -9, "y": 14}}
    text = json.dumps([record] * 2000)
    times = []
    for _ in range(15):
        start = time.perf_counter()
        json.loads(text)
        times.append(time.perf_counter() - start)
    return len(text) / statistics.median(times) / 1e9


def bench_drain(bench):
    """Output beyond the capture, beside a pipe into cat."""
    size = (64 if bench.quick else 256) << 20
    rounds = bench.times(10)

    def piped(n):
        return ["/bin/sh", "-c", '"$0" -I -S -c "$1" | cat >/dev/null',
                PYTHON, DRAIN % n]

    ours_0, ours, cat_0, cat = in_turns(
        [bench.command(DRAIN % 0), bench.command(DRAIN % size),
         piped(0), piped(size)], rounds)

    def speed(whole, floor):
        return size / (statistics.median(whole) - statistics.median(floor))

    bench.row("stdout drained: weir / cat", speed(ours, ours_0) / 1e9, "GB/s",
              speed(cat, cat_0) / 1e9, rounds)


def bench_growth(bench):
    rounds = bench.times(30)
    most = 16 if bench.quick else 32
    bench.growth("growth: bytes of stdout",
                 [(most << 20) * 4 ** i for i in range(3)],
                 lambda n: bench.command(DRAIN % n), rounds)
    bench.growth("growth: size of the value",
                 [(1 << 20) * 4 ** i for i in range(3)],
                 lambda n: bench.command("return 'x' * %d" % max(n - 2, 0),
                                         "--limit", "value=16M"), rounds)
    # 1,024 is the most that --tool offers.
    bench.growth("growth: offered tools", [64, 256, 1024],
                 lambda n: bench.command(HELLO, *(
                     word for i in range(n)
                     for word in ("--tool", "tool_%d=/bin/cat" % i))), rounds)


# Values that the program makes and hands over, about n bytes each.
VALUES = [
    ("many small members", "return {str(i): i for i in range(%d // 14)}"),
    ("many small lists", "return [[i] for i in range(%d // 9)]"),
    ("integers of 4,300 digits", "return [10**4299 + 7] * (%d // 4301)"),
    ("escapes", "return '\\n\\u20ac' * (%d // 5)"),
]
# Results that a tool hands over, likewise: what stands between the brackets.
RESULTS = [
    ("many small members", lambda n: "{%s}" % ",".join(
        '"%d":%d' % (i, i) for i in range(n // 14))),
    ("many small lists", lambda n: "[%s]" % ",".join(
        "[%d]" % i for i in range(n // 9))),
    ("integers of 4,300 digits", lambda n: "[%s]" % ",".join(
        ["7" * 4300] * (n // 4301))),
    ("escapes", lambda n: '["%s"]' % ("\\n\\u20ac" * (n // 8))),
]
LINES = """
text = %r * 64
for _ in range(%d // len(text.encode())):
    print(text)
"""


def bench_growth_wire(bench):
    """The scanner and the splitter alone."""
    program = compiled(bench, "bench_growth")
    sizes = [(1 << 20) * 2 ** i for i in range(4)]
    for kind in timed([program])[1].decode().split():
        points = [(math.log(n), math.log(float(
            timed([program, kind, str(n)])[1]))) for n in sizes]
        bench.row("growth: " + kind, slope(points), "exp", 1.0, 9)


def bench_growth_values(bench):
    """The module's codec, both ways, in whole runs."""
    rounds = bench.times(30)
    sizes = [(1 << 18) * 4 ** i for i in range(3)]
    for name, program in VALUES:
        bench.growth("growth: value of " + name, sizes,
                     lambda n, program=program: bench.command(
                         program % n, "--limit", "value=16M"), rounds)
    with tempfile.TemporaryDirectory() as folder:
        for name, make in RESULTS:
            for n in (0, *sizes):
                pathlib.Path(folder, str(n)).write_text(make(n))
            bench.growth("growth: result of " + name, sizes,
                         lambda n: bench.command(
                             "big(); return 0", "--limit", "result_bytes=16M",
                             "--tool", "big=/bin/cat %s/%d" % (folder, n)),
                         rounds)


def bench_growth_text(bench):
    """Lines of text on stdout, which the program encodes."""
    rounds = bench.times(30)
    for name, text in (("plain text", "a line of words "),
                       ("wide text", "\u65e5\u672c\u8a9e \U0001f30d ")):
        bench.growth("growth: %s on stdout" % name,
                     [(1 << 22) * 4 ** i for i in range(3)],
                     lambda n, text=text: bench.command(LINES % (text, n)),
                     rounds)


def bench_ledger(bench):
    """A ledger of calls, two records each. Reading it may take as long as
    sha256sum takes for the file, and 1 us a record."""
    calls = 100000 if bench.quick else 1000000
    rounds = bench.times(30) // 3
    tool = bench.build / "tests/tools/mkledger"
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "ledger")

        def append(how, count):
            path.unlink(missing_ok=True)
            return float(timed([tool, path, str(count), how])[1].split()[0])

        floor = None
        for how, count, name in (
                ("append", calls // 5, "process"), ("disk", 256, "disk, alone"),
                ("group", 2048, "disk, 64 at once")):
            times = [append(how, count) / count for _ in range(3)]
            value = 1e6 * statistics.median(times)
            bench.row("ledger: a call recorded, %s" % name, value, "us",
                      floor, 3)
            floor = floor or value
        costs = []
        for part in (4, 2, 1):
            append("write", calls // part)
            fold, verify, plain = in_turns(
                [[tool, path, "0", "fold"],
                 [bench.weir, "log", path, "--verify"],
                 ["sha256sum", path]], rounds)
            costs.append((calls // part, min(verify)))
        allowed = statistics.median(plain) + 2e-6 * calls
        for name, times in (("folded", fold), ("verified", verify)):
            bench.row("ledger: %d calls %s" % (calls, name),
                      statistics.median(times), "s", allowed, rounds)
        bench.row("growth: ledger verified", slope(
            [(math.log(size), math.log(cost)) for size, cost in costs]),
            "exp", 1.0, rounds)
        bench_ledger_start(bench, tool, calls, rounds)


def bench_ledger_start(bench, tool, calls, rounds):
    """An execution of a Run that has a long ledger already, beside the first
    one of a Run."""
    with tempfile.TemporaryDirectory() as folder:
        def command(run):
            return bench.command("1", "--state", folder, "--run", run)

        timed(command("none"))
        counts = (calls // 100, calls)
        for count in counts:
            timed([tool, pathlib.Path(folder, "runs", str(count)), str(count),
                   "write"])
        plain, *others = in_turns(
            [command("none")] + [command(str(n)) for n in counts], rounds)
        for count, times in zip(counts, others):
            bench.row("start: a Run of %d calls / of none" % count,
                      1e3 * statistics.median(times), "ms",
                      1e3 * statistics.median(plain), rounds)


def bench_offered(bench):
    """Ten thousand tools through the library: what they cost before the start
    and with it. What the program knows of them is their names."""
    rounds = bench.times(30)
    sizes = (0, 10000, 20000, 40000)
    times = [([], []) for _ in sizes]
    for _ in range(rounds):
        for at, size in enumerate(sizes):
            out = timed([bench.build / "tests/tools/offer",
                         bench.build / "libexec/weir", PYTHON, str(size)])[1]
            for part, word in zip(times[at], out.split()):
                part.append(float(word))
    for part, name in enumerate(("offered", "start with them")):
        floor, *costs = [min(of[part]) for of in times]
        bench.row("offered tools: %d %s / none" % (sizes[1], name),
                  1e3 * costs[0], "ms",
                  1e3 * floor if part == 1 else None, rounds)
        bench.row("growth: offered tools, %s" % name, slope(
            [(math.log(size), math.log(cost - floor))
             for size, cost in zip(sizes[1:], costs) if cost > floor]),
            "exp", 1.0, rounds)


MEASUREMENTS = {"start": bench_start, "calls": bench_calls,
                "ledger": bench_ledger, "offered": bench_offered,
                "json": bench_json,
                "drain": bench_drain,
                "growth": bench_growth, "growth-wire": bench_growth_wire,
                "growth-values": bench_growth_values,
                "growth-text": bench_growth_text}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", required=True, type=pathlib.Path)
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", choices=MEASUREMENTS)
    options = parser.parse_args()
    bench = Bench(options.build.resolve(), options.quick)
    print("%-40s %11s %-5s %11s %8s %6s" % (
        "what", "value", "unit", "baseline", "ratio", "n"))
    failed = False
    for name, measure in MEASUREMENTS.items():
        if options.only in (None, name):
            # One measurement that cannot be taken does not take the others.
            try:
                measure(bench)
            except (RuntimeError, OSError, ValueError,
                    subprocess.CalledProcessError) as error:
                print("%s: %s" % (name, error), file=sys.stderr)
                failed = True
    if options.json:
        options.json.write_text(json.dumps({"rows": bench.rows}, indent=1)
                                + "\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
