#!/usr/bin/env python3
"""Holds the table of hosts in README.md against the data that the tests hold
weir against (tests/e2e/hosts.py).

Prints the difference and exits with 1 when there is one.
"""
import difflib
import subprocess
import sys

BEGIN = "<!-- hosts: tests/e2e/hosts.py table -->\n"
END = "<!-- end of hosts -->\n"


def main():
    wanted = subprocess.run(
        [sys.executable, "-B", "tests/e2e/hosts.py", "table"],
        stdout=subprocess.PIPE, check=True, text=True).stdout
    with open("README.md", encoding="utf-8") as file:
        text = file.read()
    if text.count(BEGIN) != 1 or text.count(END) != 1:
        print("README.md: the table of hosts has no marks")
        return 1
    found = text.split(BEGIN)[1].split(END)[0]
    lines = list(difflib.unified_diff(
        found.splitlines(True), wanted.splitlines(True), "README.md",
        "tests/e2e/hosts.py table"))
    sys.stdout.writelines(lines)
    return 1 if lines else 0


sys.exit(main())
