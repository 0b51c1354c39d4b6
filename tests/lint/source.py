#!/usr/bin/env python3
"""Rules on the text of the sources; see `rules` at the end.

Prints FILE:LINE: TEXT for each breach and exits with 1 when there was one.
"""

import os
import re
import sys

PARTS = ("wire", "child", "bindings", "supervisor")

# Who may include whom.
INCLUDES = {
    "wire": ("wire",),
    "child": ("child", "wire"),
    "bindings": ("bindings", "wire"),
    "supervisor": ("supervisor", "bindings", "wire"),
    "tests": PARTS + ("tests",),
    "fuzz": PARTS + ("fuzz",),
}

# What to use in its place.
BANNED = {
    "strcpy": "strlcpy",
    "strcat": "strlcat",
    "sprintf": "snprintf",
    "vsprintf": "vsnprintf",
    "gets": "getline",
    "strtok": "strtok_r",
    "atoi": "strtonum",
    "atol": "strtonum",
    "alloca": "a buffer of the caller's",
    "system": "a spawn with an argument vector",
    "popen": "a spawn with an argument vector",
}

# The only places where errno is an expression.
ERRNO_FILES = ("supervisor/sys.c", "supervisor/sys_dir.c",
               "supervisor/sys_cgroup.c", "supervisor/sys_doctor.c",
               "supervisor/sys_call.h", "supervisor/sys_events.c",
               "supervisor/sys_files.c", "supervisor/sys_notify.c",
               "bindings/sys.c", "bindings/sys_files.c")

TOKEN = re.compile(
    r"""(?P<comment>/\*.*?\*/|//[^\n]*)"""
    r"""|(?P<string>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')""",
    re.S,
)


def blank(text):
    """The same lines, with everything but newlines as blanks."""
    return re.sub(r"[^\n]", " ", text)


def code_of(text):
    """The text without comments, strings and character constants."""
    return TOKEN.sub(lambda match: blank(match.group()), text)


def uncommented(text):
    """The text without comments."""
    return TOKEN.sub(
        lambda match: blank(match.group()) if match.group("comment") else match.group(),
        text,
    )


def numbered(text):
    return enumerate(text.split("\n"), 1)


def includes(path, text, code):
    part = path.split("/")[0]
    own = os.path.splitext(path)[0] + ".h"
    first = True
    for number, line in numbered(uncommented(text)):
        match = re.match(r'\s*#\s*include\s+(["<])([^">]+)[">]', line)
        if not match:
            continue
        kind, name = match.groups()
        if kind == "<":
            first = False
            if name.split("/")[0] in PARTS:
                yield number, "own headers are included in quotes"
            continue
        if part in PARTS:
            if "/" not in name:
                yield number, f'"{name}" is included without its directory'
            elif name.split("/")[0] not in INCLUDES[part]:
                yield number, f'{part}/ may not include "{name}"'
            elif not os.path.exists(name):
                yield number, f'"{name}" does not exist'
            if first and path.endswith(".c") and os.path.exists(own) and name != own:
                yield number, f'"{own}" comes first'
        first = False


def banned_calls(path, text, code):
    pattern = re.compile(r"(?<![\w.>])(%s)\s*\(" % "|".join(BANNED))
    for number, line in numbered(code):
        for match in pattern.finditer(line):
            word = match.group(1)
            yield number, f"{word} is banned; use {BANNED[word]}"


def bare_errno(path, text, code):
    if path.split("/")[0] not in PARTS or path in ERRNO_FILES:
        return
    for number, line in numbered(code):
        if re.search(r"(?<![\w.>])errno\b", line) and "#include" not in line.replace(" ", ""):
            yield number, "errno is looked at only in " + " and ".join(ERRNO_FILES)


def typedef_structs(path, text, code):
    for number, line in numbered(code):
        if re.match(r"\s*typedef\s+(struct|union|enum)\b", line):
            yield number, "structures have no typedef"


def markers(path, text, code):
    word = re.compile(r"\b(TODO|FIXME|XXX)\b")
    for number, line in numbered(text):
        if word.search(line):
            yield number, "open questions go to the tracker"


def header_guards(path, text, code):
    if not path.endswith(".h"):
        return
    if not re.search(r"#ifndef (\w+_H)\n#define \1\n", text):
        yield 1, "no include guard"
    if not text.lstrip().startswith("/*"):
        yield 1, "a header begins with its contract"


def lines(path, text, code):
    if "\r" in text:
        yield 1, "carriage returns"
    if text and not text.endswith("\n"):
        yield text.count("\n") + 1, "no newline at the end"
    for number, line in numbered(text):
        if line != line.rstrip():
            yield number, "blanks at the end of the line"


C_RULES = (
    includes,
    banned_calls,
    bare_errno,
    typedef_structs,
    header_guards,
)
TEXT_RULES = (markers, lines)
TEXT_ENDS = (".c", ".h", ".py", ".sh", ".md", ".1")
HERE = "tests/lint/source.py"


def files():
    for top in PARTS + ("tests", "fuzz", ".ci"):
        for root, directories, names in os.walk(top):
            # What fuzzers and interpreters leave is data.
            directories[:] = [
                d for d in directories if d not in ("seeds", "regress", "data", "__pycache__")
            ]
            for name in sorted(names):
                yield os.path.join(root, name)
    for name in ("README.md", "GNUmakefile"):
        if os.path.exists(name):
            yield name


def main():
    count = 0
    for path in files():
        is_c = path.endswith((".c", ".h"))
        if not is_c and not path.endswith(TEXT_ENDS) or path == HERE:
            continue
        with open(path, encoding="utf-8", newline="") as stream:
            text = stream.read()
        code = code_of(text) if is_c else ""
        for rule in (C_RULES if is_c else ()) + TEXT_RULES:
            for number, complaint in rule(path, text, code):
                print(f"{path}:{number}: {complaint}")
                count += 1
    return 1 if count else 0


sys.exit(main())
