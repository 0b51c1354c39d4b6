#!/usr/bin/env python3
"""Patterns that are published for exhausting an engine: tests/regex holds
them. Each exhausts Python's, in a process that is ended for it; and a search
for each in 4 MiB of the same text ends, while the program goes on.

The steps that such a search takes are counted in tests/unit/test_search.c."""
import concurrent.futures
import json
import os
import resource
import signal
import subprocess

from weir_test import IS_ROOT, PYTHON, SOURCES, Case, main, run

with open(SOURCES / "tests/regex/patterns.json") as file:
    PATTERNS = json.load(file)
# Each costs a second of a processor.
EVERY = os.environ.get("WEIR_EVERY") == "1"
CHOSEN = PATTERNS if EVERY else PATTERNS[IS_ROOT::6]
SIZE = 4 << 20

ENGINE = """
import json, re, sys
p = json.load(sys.stdin)
re.search(p["pattern"], p["prefix"] + p["pump"] * p["count"] + p["suffix"])
"""

# Makes the text of a pattern, which is its argument.
MAKER = """
import json, sys
p = json.load(sys.stdin)
print(json.dumps(p["prefix"] + p["pump"] * (%d // len(p["pump"])) +
                 p["suffix"]))
""" % SIZE

PROGRAM = """
pattern = %r
h = big(pattern)
try:
    said = len(h.search(pattern["pattern"], limit=1000))
except ToolError as error:
    said = [error.kind, "too many steps" in error.message]
return [h.size, said, len(h.read(0, 10)), quick(n=1)]
"""


def bound():
    resource.setrlimit(resource.RLIMIT_CPU, (1, 2))


class Patterns(Case):
    def test_there_are_forty(self):
        self.assertGreaterEqual(
            len({p["pattern"] for p in PATTERNS}), 40)
        self.assertEqual(len({p["name"] for p in PATTERNS}), len(PATTERNS))
        for pattern in PATTERNS:
            self.assertTrue(pattern["source"])

    def exhausts(self, pattern):
        return subprocess.run(
            [PYTHON, "-I", "-S", "-c", ENGINE], preexec_fn=bound,
            input=json.dumps(pattern).encode(), stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, check=False).returncode

    def test_each_exhausts_pythons_engine(self):
        """It is ended by the processor's time, which is a second."""
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            ended = list(pool.map(self.exhausts, CHOSEN))
        for pattern, code in zip(CHOSEN, ended):
            with self.subTest(pattern["name"]):
                self.assertIn(code, (-signal.SIGXCPU, -signal.SIGKILL))

    def test_each_search_ends_and_the_program_goes_on(self):
        maker = self.write("maker.py", MAKER)
        os.chmod(self.directory, 0o755)
        os.chmod(maker, 0o644)
        for pattern in PATTERNS[::12]:
            with self.subTest(pattern["name"]):
                result = run(
                    PROGRAM % pattern, limits={"result_bytes": "3M"},
                    tools={"big": [PYTHON, "-I", maker], "quick": "cat"},
                ).result
                self.assertIsNone(result["error"], result["error"])
                size, said, head, quick = result["value"]
                self.assertGreater(size, SIZE - 100)
                self.assertTrue(isinstance(said, int) or
                                said == ["failed", True], said)
                self.assertEqual((head > 0, quick), (True, {"n": 1}))


if __name__ == "__main__":
    main()
