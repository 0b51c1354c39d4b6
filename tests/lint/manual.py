#!/usr/bin/env python3
"""Holds supervisor/weir.1 and bindings/LEDGER.md against the command and the
tables that they repeat. Usage: tests/lint/manual.py BUILD_DIR

Prints FILE:LINE: TEXT or FILE: TEXT for each difference and exits with 1 when
there was one.
"""

import os
import re
import subprocess
import sys

MANUAL = "supervisor/weir.1"
complaints = 0


def complain(text, number=None):
    global complaints
    complaints += 1
    print(f"{MANUAL}:{number}: {text}" if number else f"{MANUAL}: {text}")


def compare(what, manual, truth):
    """Both are dicts; the manual's values are (line number, value)."""
    for key, (number, value) in manual.items():
        if key not in truth:
            complain(f"{what} {key} does not exist", number)
        elif truth[key] != value:
            complain(f"{what} {key} is {truth[key]}, not {value}", number)
    for key in truth:
        if key not in manual:
            complain(f"{what} {key} is missing")
    if not truth:
        complain(f"nothing to compare the {what}s with")


def section(lines, title):
    """The numbered lines below .Sh or .Ss TITLE."""
    inside = False
    for number, line in enumerate(lines, 1):
        if re.match(r"\.S[hs] ", line):
            inside = line[4:] == title
        elif inside:
            yield number, line


def rows(lines, title):
    """Cells of the .It lines of column lists, without their macros."""
    for number, line in section(lines, title):
        if line.startswith(".It ") and " Ta " in line and ".It Sy" not in line:
            cells = [cell.strip() for cell in line[4:].split(" Ta ")]
            yield number, [re.sub(r"^(Cm|Va) ", "", cell) for cell in cells]


def usage_error(weir, limit):
    """Minimum and ceiling, from what is said about a value beyond it."""
    for value in ("9999999999", "9999999999G"):
        done = subprocess.run(
            [weir, "run", "-", "--limit", f"{limit}={value}"],
            stdin=subprocess.DEVNULL, capture_output=True, text=True,
            timeout=60, check=False)
        match = re.search(r"use a value from (\S+) to (\S+)$",
                          done.stderr.strip())
        if match:
            return match.groups()
    return "?", "?"


def truth_of(weir):
    text = subprocess.run([weir, "run", "--help"], capture_output=True,
                          text=True, timeout=10, check=True).stdout
    options, limits = {}, {}
    for line in text.split("\n"):
        option = re.match(r"  (-{1,2}[a-z][a-z-]*) ", line)
        limit = re.match(r"  ([a-z_]+) +(\S+) +(\S+)  (.+)$", line)
        if option and not option.group(1).startswith("--test-"):
            options[option.group(1)] = True
        elif limit:
            word, initial, ceiling, meaning = limit.groups()
            minimum, most = usage_error(weir, word)
            if most != ceiling:
                complain(f"--help and a usage error differ about {word}")
            limits[word] = (initial, ceiling, minimum, meaning)
    return options, limits


def source(name):
    with open(name, encoding="utf-8") as stream:
        return stream.read()


def exit_rows():
    """(code, outcome) of supervisor/exitcodes.c, in a dict by outcome."""
    found = re.findall(
        r'ROW\(\s*\w+,\s*(\w+),\s*(\w+),\s*"([^"]+)"\)',
        source("supervisor/exitcodes.c"))
    codes = {"SUP_EXIT_OTHER": "125"}
    table = {}
    for detail, code, outcome in found:
        code = codes.get(code, code)
        table[outcome] = code + "+n" if detail == "BY_SIGNAL" else code
    table["the command line or a configuration is wrong"] = "2"
    return table


def members_of_texts():
    """{member: (in a profile, in a policy, in a request)}, yes or -."""
    found = re.findall(
        r'\[SUP_MEMBER_\w+\] = \{"(\w+)",\s*([A-Z_| ]+),',
        source("supervisor/profile_member.c"))
    return {member: tuple("yes" if "IN_" + text in formats else "-"
                          for text in ("PROFILE", "POLICY", "REQUEST"))
            for member, formats in found if member != "schema"}


def names_in_result():
    keys = re.findall(r'(?:wire_out_key|put_\w+)\(\s*out,\s*"(\w+)"',
                      source("supervisor/result.c"))
    return set(keys) | set(guarantees())


def names_in_report():
    return set(re.findall(r'(?:wire_out_key|put_\w+)\(\s*out,\s*"(\w+)"',
                          source("supervisor/doctor_report.c") +
                          source("supervisor/doctor_trace.c") +
                          source("supervisor/doctor_ways.c")))


def doctor_steps():
    return re.findall(r'X\([A-Z_]+, "(\w+)"\)', source("supervisor/doctor.h"))


def log_options(weir):
    text = subprocess.run([weir, "log", "--help"], capture_output=True,
                          text=True, timeout=10, check=True).stdout
    return dict.fromkeys(re.findall(r"^  (--[a-z-]+) ", text, re.M), True)


# What the limits in the table of fields are called there.
LEDGER_LIMITS = {"0": "", "BIND_LEDGER_EXECUTION": "16",
                 "BIND_SHA256_LEN": "32", "WIRE_MAX_TOOL_NAME": "128",
                 "WIRE_MAX_VERSION": "128", "BIND_LEDGER_VALUE_MAX": "49152"}


def ledger_tables():
    """Events and fields of bindings/ledger_format.h, by number."""
    header = source("bindings/ledger_format.h")
    events = re.findall(r'X\([A-Z]+, "(\w+)"\)', header)
    fields = re.findall(
        r'X\([A-Z_]+, "(\w+)", ([A-Z]+),\s*(\w+)\)', header)
    return ({str(n): (word,) for n, word in enumerate(events, 1)},
            {str(n): (word, kind, LEDGER_LIMITS.get(most, most))
             for n, (word, kind, most) in enumerate(fields)})


def ledger_page():
    """The same of bindings/LEDGER.md."""
    events, fields = {}, {}
    for number, line in enumerate(
            source("bindings/LEDGER.md").split("\n"), 1):
        cells = [cell.strip().strip("`") for cell in line.split("|")[1:-1]]
        if len(cells) == 3 and cells[0].isdigit():
            events[cells[0]] = (number, (cells[1],))
        elif len(cells) == 4 and cells[0].isdigit():
            fields[cells[0]] = (number, tuple(cells[1:]))
    return events, fields


def check_ledger(lines, weir):
    global MANUAL
    told = {}
    for number, line in section(lines, "Looking at a ledger"):
        match = re.match(r"\.It Fl (\S+)", line)
        if match:
            told["-" + match.group(1)] = (number, True)
    compare("option of log", told, log_options(weir))

    events, fields = ledger_tables()
    told = {}
    for number, line in section(lines, "Records"):
        match = re.match(r"\.It Va (.+)", line)
        for word in re.findall(r"\w+", match.group(1)) if match else ():
            told[word] = (number, True)
    compare("field", told, {row[0]: True for row in fields.values()})

    MANUAL = "bindings/LEDGER.md"
    for what, page, truth in zip(
            ("event", "field"), ledger_page(), (events, fields)):
        compare(what, page, truth)


def guarantees():
    return re.findall(r'X\([A-Z_]+, "(\w+)"\)', source("supervisor/grades.h"))


def main():
    weir = sys.argv[1] + "/bin/weir"
    if not os.access(weir, os.X_OK):
        print(f"{weir}: not built")
        return 1
    lines = source(MANUAL).split("\n")
    options, limits = truth_of(weir)

    told = {}
    for number, line in section(lines, "Options"):
        match = re.match(r"\.It Fl (\S+)", line)
        if match:
            told["-" + match.group(1)] = (number, True)
    compare("option", told, options)

    told = {}
    for number, cells in rows(lines, "LIMITS"):
        told[cells[0]] = (number, tuple(cells[1:]))
    compare("limit", told, limits)

    told = {}
    for number, cells in rows(lines, "PROFILES"):
        if len(cells) == 5:
            told[cells[0]] = (number, tuple(cells[1:4]))
    compare("member", told, members_of_texts())

    told = {}
    for number, cells in rows(lines, "EXIT STATUS"):
        told[cells[1]] = (number, cells[0])
    compare("exit status of", told, exit_rows())

    told = {}
    for number, cells in rows(lines, "Guarantees"):
        told[cells[0]] = (number, True)
    compare("guarantee", told, dict.fromkeys(guarantees(), True))

    told = {}
    for number, line in section(lines, "RESULT"):
        match = re.match(r"\.(?:It )?Va (.+)", line)
        for word in re.findall(r"\w+", match.group(1)) if match else ():
            told[word] = (number, True)
    compare("result field", told, dict.fromkeys(names_in_result(), True))

    told = {}
    for number, cells in rows(lines, "Steps"):
        told[cells[0]] = (number, True)
    compare("step", told, dict.fromkeys(doctor_steps(), True))

    told = {}
    for number, line in section(lines, "Report"):
        match = re.match(r"\.(?:It )?Va (\w+)", line)
        if match:
            told[match.group(1)] = (number, True)
    compare("report field", told, dict.fromkeys(names_in_report(), True))
    check_ledger(lines, weir)
    return 1 if complaints else 0


if len(sys.argv) != 2:
    sys.exit("usage: tests/lint/manual.py BUILD_DIR")
sys.exit(main())
