"""What each layer of the confinement stops when it stands alone (C18), as
data: test_302_alone.py tries every row, and tests/lint/claims.py holds the
table of README.md against it.

A program of tests/hostile prints `held PROBE ...` or `BROKE PROBE ...`; the
probes of a row are those whose names its pattern matches.
"""
import os
import pathlib
import re
import typing

HERE = pathlib.Path(__file__).resolve().parent

# The stages of wire/report.h that make up a layer. No stage leaves `root` out,
# since nothing runs in the host's root by accident: without it means level
# `process`, where there are no namespaces at all.
LAYERS = {
    "root": ("maps", "root", "workspace"),
    "landlock": ("landlock", "no_new_privs"),
    "seccomp": ("seccomp", "no_new_privs"),
    "limits": ("core", "cpu", "address_space", "file_size", "processes",
               "open_files"),
    "ids": ("ids", "capabilities", "no_new_privs", "dumpable"),
    "tree": ("subreaper",),
    "memory": ("memory",),
}
# What is part of every start, and no layer: what a program cannot see, or
# what has a test of its own.
NO_LAYER = {
    "plan": "without it nothing starts",
    "descriptors": "test_300_layers.py, Descriptors",
    "fork": "without it nothing starts",
    "exec": "without it nothing starts",
    "probe": "it only looks",
}

# The columns of the table in README.md.
COLUMNS = {
    "root": "namespaces, own root",
    "landlock": "Landlock",
    "seccomp": "seccomp",
    "limits": "rlimits",
    "ids": "own id, no capability",
    "tree": "process 1",
    "memory": "cgroup or watchdog",
    "clock": "clock, meters",
}

I, P = ("isolated",), ("process",)
BOTH = I + P


class Claim(typing.NamedTuple):
    attack: str          # the row of the table
    layers: tuple        # that stand alone: one, where one is enough
    where: tuple         # levels at which it is tried
    program: str         # of tests/hostile
    probes: str = ""     # a pattern for the beginnings of names
    needs: str = ""      # "root", "plain", or a Landlock ABI such as "abi 6"
    limits: dict = {}


FILES = r"/|link[0134]|hard link|rename"
CLAIMS = (
    Claim("files of the host", ("root",), I, "host_files", FILES),
    Claim("files of the host", ("landlock",), P, "host_files", FILES),
    Claim("modes and times of files", ("root",), I, "metadata",
          r"(mode|time) of a"),
    Claim("modes and times of files", ("seccomp",), P, "metadata",
          r"(mode|time) of", "plain"),
    Claim("modes and times of files", ("ids",), P, "metadata",
          r"(mode|time) of", "root"),
    Claim("kernel knobs, as root", ("root",), I, "kernel_files", "",
          "root"),
    Claim("kernel knobs, as root", ("landlock",), P, "kernel_files", "",
          "root"),
    Claim("kernel knobs, as root", ("ids",), P, "kernel_files", "", "root"),
    # Process 1 can be traced there, and nobody else is there.
    Claim("memory and descriptors of other processes", ("root",), I,
          "other_processes", r"memory of|list"),
    Claim("memory and descriptors of other processes", ("landlock",), P,
          "other_processes", r"memory of|seize|process_vm|list"),
    Claim("memory and descriptors of other processes", ("seccomp",), BOTH,
          "other_processes", r"pidfd|seize|process_vm"),
    Claim("signals to other processes", ("root",), I, "other_processes",
          r"kill all"),
    Claim("signals to other processes", ("landlock",), P, "other_processes",
          r"kill \d", "abi 6"),
    Claim("signals to other processes", ("seccomp",), BOTH,
          "other_processes", r"kill"),
    Claim("signals to other processes", ("seccomp",), BOTH,
          "signal_by_descriptor"),
    Claim("ports of the host", ("root",), I, "sockets", r"port of"),
    Claim("ports of the host", ("landlock",), P, "sockets", r"port of",
          "abi 4"),
    Claim("ports of the host", ("seccomp",), P, "sockets", r"port of"),
    Claim("abstract sockets of the host", ("root",), I, "sockets",
          r"abstract"),
    Claim("abstract sockets of the host", ("landlock",), P, "sockets",
          r"abstract", "abi 6"),
    Claim("abstract sockets of the host", ("seccomp",), P, "sockets",
          r"abstract"),
    # A name of /etc/hosts needs no socket to be found.
    Claim("sockets of any kind", ("seccomp",), BOTH, "sockets",
          r"(?!name server)"),
    Claim("other programs", ("landlock",), BOTH, "run_programs",
          r"spawn|subprocess|exec|ran|own"),
    Claim("other programs", ("seccomp",), BOTH, "run_programs"),
    Claim("new processes", ("seccomp",), BOTH, "run_programs",
          r"spawn|subprocess|fork"),
    Claim("programs in memory", ("seccomp",), BOTH, "memory_files"),
    Claim("mounts", ("landlock",), BOTH, "namespaces", r"mount"),
    Claim("mounts", ("seccomp",), BOTH, "namespaces", r"mount|fsopen"),
    Claim("new namespaces", ("seccomp",), BOTH, "namespaces"),
    Claim("System V and POSIX IPC, keys", ("seccomp",), BOTH, "old_ipc"),
    Claim("locks that stall others", ("seccomp",), BOTH, "locks"),
    Claim("filters of its own", ("seccomp",), BOTH, "filters"),
    Claim("io_uring, native AIO", ("seccomp",), BOTH, "io_uring"),
    Claim("ids and capabilities, as root", ("ids",), P, "privileges",
          r"set(e?[ug]id|groups)|PR_CAPBSET|capabilities|root", "root"),
    Claim("ids and capabilities, as root", ("seccomp",), P, "privileges",
          r"set(e?[ug]id|groups)|PR_CAPBSET", "root"),
    Claim("prctl that undoes a stage", ("seccomp",), P, "privileges",
          r"PR_"),
    Claim("real time, priorities, locked memory, as root", ("ids",), P,
          "limits", r"nice|real time|mlockall", "root"),
    Claim("real time, priorities, locked memory, as root", ("seccomp",), P,
          "limits", r"nice|real time|mlockall", "root"),
    Claim("raising a limit", ("seccomp",), BOTH, "limits", r"RLIMIT_"),
    Claim("address space", ("limits",), BOTH, "over_limits", r"address"),
    Claim("file size", ("limits",), BOTH, "over_limits", r"file size"),
    Claim("open files", ("limits",), BOTH, "over_limits", r"descriptors"),
    Claim("open files of each thread", ("seccomp",), BOTH,
          "tables_of_threads"),
    Claim("tasks", ("limits",), I, "over_limits", r"tasks"),
    # The kernel does not count those of real root.
    Claim("tasks", ("limits", "ids"), P, "over_limits", r"tasks", "root"),
    Claim("CPU time", ("limits",), BOTH, "spend_cpu", "", "",
          {"cpu": 1, "wall": 60}),
)

# Judged by who is left and not by what is printed: Strays in
# test_302_alone.py. (attack, layer, levels)
STRAYS = (
    ("processes that stay behind", "root", I),
    ("processes that stay behind", "tree", P),
)

# Judged by the result: Memory in test_302_alone.py.
TAKING_MEMORY = (
    ("memory, with `--limit memory=`", "memory", BOTH),
)

# Judged by how they end, with nothing of the above: what the supervisor sees
# to itself.
METERED = {
    "no end": ("deaf", "inside_c", "stop_itself", "never_ends"),
    "floods": ("flood_stdout", "flood_stderr", "endless_message",
               "too_large"),
    "forged frames and answers": ("half_a_frame", "own_answer",
                                  "half_closed_channel", "forged_success"),
}


def stages():
    """Those of a start, from the table that the child is compiled from."""
    sources = os.environ.get("WEIR_SOURCES") or HERE.parent.parent
    with open(os.path.join(sources, "wire/report.h")) as file:
        found = re.findall(r'X\([A-Z_]+, "(\w+)",', file.read())
    if len(found) < 15:
        raise AssertionError("the table of stages was not found")
    return found


def table():
    """The table of README.md, as its lines."""
    cells = {}

    def add(attack, layer, word):
        cells.setdefault(attack, {}).setdefault(layer, set()).add(word)

    for claim in CLAIMS:
        for layer in claim.layers:
            for level in claim.where:
                add(claim.attack, layer, level if len(claim.layers) == 1
                    else level + "*")
    for attack, layer, levels in STRAYS + TAKING_MEMORY:
        for level in levels:
            add(attack, layer, level)
    for attack in METERED:
        for level in BOTH:
            add(attack, "clock", level)

    def cell(words):
        return "both" if words == set(BOTH) else ", ".join(sorted(words))

    lines = ["| attack | " + " | ".join(COLUMNS.values()) + " |",
             "| --- |" + " --- |" * len(COLUMNS)]
    for attack, row in cells.items():
        lines.append("| %s | %s |" % (attack, " | ".join(
            cell(row.get(layer, ())) for layer in COLUMNS)))
    return [line.replace("|  |", "| |").replace("|  |", "| |")
            for line in lines]
