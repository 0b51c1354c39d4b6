#!/usr/bin/env python3
"""Holds tests/mutants/mutant_table.py against the sources: each comment of
child/ and supervisor/ that begins with `SECURITY:` has a mutant, and each
mutant a comment, there or in bindings/, and texts that stand once in their
files.

Prints FILE: TEXT for each complaint and exits with 1 when there was one.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "tests/mutants"))
from mutant_table import MUTANTS  # noqa: E402


def comments(*tops):
    """(file, what a SECURITY comment says) of all."""
    for top in tops:
        for path in sorted((ROOT / top).rglob("*.[ch]")):
            text = path.read_text(encoding="utf-8")
            for found in re.finditer(r"(?<![\w])SECURITY:\s", text):
                rest = text[found.end():found.end() + 300]
                words = re.sub(r"\s*\n[ \t]*\*?[ \t]*", " ", rest)
                yield str(path.relative_to(ROOT)), words.lstrip("* \t")


def main():
    complaints = []
    there = list(comments("child", "supervisor"))
    for file, words in there:
        if not any(mutant.file == file and words.startswith(mutant.words)
                   for mutant in MUTANTS.values()):
            complaints.append("%s: no mutant for the comment 'SECURITY: "
                              "%s...'" % (file, words[:50]))
    there += comments("bindings")
    for name, mutant in MUTANTS.items():
        if not any(mutant.file == file and words.startswith(mutant.words)
                   for file, words in there):
            complaints.append("%s: %s: no comment begins with '%s'" % (
                mutant.file, name, mutant.words))
        for file, text, _ in mutant.edits:
            count = (ROOT / file).read_text(encoding="utf-8").count(text)
            if count != 1:
                complaints.append("%s: %s: its text stands there %d times" % (
                    file, name, count))
    if not there:
        complaints.append("child, supervisor: no comment was found")
    print("".join(line + "\n" for line in complaints), end="")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
