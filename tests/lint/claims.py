#!/usr/bin/env python3
"""Holds the table of README.md, "The layers, and what each stops alone",
against tests/e2e/claims.py. Usage: tests/lint/claims.py [--print]

--print writes the table as it has to be. Exits with 1 for a difference.
"""
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "tests/e2e"))
import claims  # noqa: E402


def main():
    wanted = claims.table()
    if sys.argv[1:] == ["--print"]:
        print("\n".join(wanted))
        return 0
    lines = (ROOT / "README.md").read_text(encoding="utf-8").split("\n")
    if wanted[0] not in lines:
        print("README.md: the table of what layers stop alone is missing, or "
              "its head is not: " + wanted[0])
        return 1
    first = lines.index(wanted[0])
    found = []
    for line in lines[first:]:
        if not line.startswith("|"):
            break
        found.append(line)
    wrong = [(n, line) for n, line in enumerate(found, first + 1)
             if line not in wanted]
    for number, line in wrong:
        print("README.md:%d: tests/e2e/claims.py does not say so: %s" % (
            number, line))
    for line in wanted:
        if line not in found:
            print("README.md: missing: " + line)
            wrong.append((0, line))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
