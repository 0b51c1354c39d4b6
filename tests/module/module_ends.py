"""How programs end (P9, S3): one documented outcome each."""
import os
import tempfile
import unittest

import host


def run(program, **options):
    return host.current.run(program, **options)


WORKER_EXIT = "the program exited with status %d"

# (program, what the done frame holds, what stderr holds)
EXITS = [
    ("import sys\nsys.exit()", {"value": None, "returned": False}, ""),
    ("import sys\nsys.exit(0)", {"value": None, "returned": False}, ""),
    ("import sys\nsys.exit(None)", {"value": None, "returned": False}, ""),
    ("import sys\nsys.exit(False)", {"value": None, "returned": False}, ""),
    ("import sys\nsys.exit(256)", {"value": None, "returned": False}, ""),
    ("raise SystemExit", {"value": None, "returned": False}, ""),
    ("import sys\nsys.exit(1)", 1, ""),
    ("import sys\nsys.exit(124)", 124, ""),
    ("import sys\nsys.exit(True)", 1, ""),
    ("import sys\nsys.exit(257)", 1, ""),
    ("import sys\nsys.exit(-1)", 255, ""),
    ("import sys\nsys.exit(10**30)", 255, ""),
    ("import sys\nsys.exit('no ä \\n')", 1, "no ä \n\n"),
    ("import sys\nsys.exit(('a', 1))", 1, "('a', 1)\n"),
    ("import sys\nsys.exit(2.5)", 1, "2.5\n"),
    ("import sys\nclass C:\n  def __str__(s): 1/0\nsys.exit(C())", 1, ""),
    ("async def f():\n  raise SystemExit(4)\nawait f()", 4, ""),
    ("import asyncio, sys\nasync def f(): sys.exit(5)\n"
     "await asyncio.gather(f())", 5, ""),
    ("import sys\ntry: sys.exit(6)\nfinally: print('x')", 6, ""),
    ("import sys\nsys.exit(7)\nreturn 1", 7, ""),
]


class Ends(unittest.TestCase):
    def test_exits(self):
        for program, expected, stderr in EXITS:
            with self.subTest(program):
                result = run(program)
                if isinstance(expected, int):
                    expected = {"error": {
                        "kind": "worker_exit", "status": expected,
                        "message": WORKER_EXIT % expected}}
                self.assertEqual(result.done, expected)
                self.assertEqual(result.stderr, stderr)

    def test_ends_without_a_last_frame(self):
        cases = [
            ("import os\nos._exit(9)", 9 << 8),
            ("import os\nos._exit(0)", 0),
            ("import os\nos.kill(os.getpid(), 9)", 9),
            ("import os\nos.abort()", 6),
            ("import ctypes\nctypes.string_at(0)", 11),
        ]
        for program, status in cases:
            with self.subTest(program):
                result = run(program)
                self.assertIsNone(result.done)
                self.assertEqual(result.status & ~128, status)

    def test_order_of_the_end(self):
        result = run("""
import atexit, sys, threading, time
atexit.register(lambda: sys.stdout.write('atexit 1 '))
atexit.register(lambda: print('atexit 2', call_tool_sync('t', {}), end=' '))
def work():
    time.sleep(0.2)
    print('thread', call_tool_sync('t', {}), end=' ')
threading.Thread(target=work).start()
threading.Thread(target=time.sleep, args=(99,), daemon=True).start()
print('main', end=' ')
'value'
""", tools={"t": lambda a: "tool"})
        self.assertEqual(result.done, {"value": "value"})
        self.assertEqual(result.stdout,
                         "main thread tool atexit 2 tool atexit 1 ")

    def test_the_end_after_an_error_and_an_exit(self):
        for end in ("1/0", "import sys; sys.exit(3)"):
            result = run("import atexit, threading, time\n"
                         "atexit.register(print, 'atexit')\n"
                         "threading.Thread(target=lambda: (time.sleep(0.1), "
                         "print('thread'))).start()\n" + end)
            self.assertEqual(result.stdout, "thread\natexit\n")
            self.assertIn("error", result.done)

    def test_exit_handlers_cannot_change_the_end(self):
        for handler in ("1/0", "raise SystemExit(9)",
                        "raise KeyboardInterrupt"):
            result = run("import atexit\n@atexit.register\ndef f():\n  %s\n5"
                         % handler)
            self.assertEqual(result.done, {"value": 5})

    def test_errors_in_threads_are_not_the_programs_end(self):
        result = run("import threading, sys\n"
                     "for f in (lambda: 1/0, sys.exit):\n"
                     "  t = threading.Thread(target=f); t.start(); t.join()\n"
                     "'fine'")
        self.assertEqual(result.done, {"value": "fine"})
        self.assertIn("ZeroDivisionError", result.stderr)

    def test_no_python_runs_after_the_last_frame(self):
        child = host.current.start()
        child.receive()
        child.send({"type": "run", "program": """
import threading, time
def work():
    while True:
        print('x', end='')
threading.Thread(target=work, daemon=True).start()
time.sleep(0.1)
1
""", "tools": [], "limits": {"frame": 99999, "value": 999,
                                   "arguments": 999}})
        self.assertEqual(child.receive(), {"type": "done", "value": 1})
        # A thread that was inside a write may end that one.
        sizes = []
        child.channel.settimeout(0.1)
        for _ in range(3):
            sizes.append(os.fstat(child.out.fileno()).st_size)
            self.assertRaises(OSError, child.channel.recv, 1)
        self.assertLessEqual(sizes[-1] - sizes[0], 1)
        child.end()

    def test_streams_and_files_are_flushed(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "f")
            result = run("""
import sys, io
kept = [open(%r + str(i), 'w') for i in range(3)]
for f in kept: f.write('text ä')
kept[2].close()
raw = open(%r + '3', 'wb'); raw.write(b'bytes')
sys.stdout = io.TextIOWrapper(open(1, 'wb', closefd=False), encoding='utf-8')
print('late')
""" % (path, path))
            self.assertEqual(result.done, {"value": None})
            self.assertEqual(result.stdout, "late\n")
            for i, text in enumerate(("text ä",) * 3 + ("bytes",)):
                with open(path + str(i), encoding="utf-8") as file:
                    self.assertEqual(file.read(), text)

    def test_broken_streams_do_not_matter(self):
        for program in ("import sys\nsys.stdout = None\n5",
                        "import os\nos.close(1)\n5",
                        "import sys\nsys.stdout.close()\n5",
                        "import sys\ndel sys.stdout, sys.stderr\n5",
                        "import sys\nsys.stderr = 3\n5",
                        "import threading\nthreading._shutdown = None\n5",
                        "import sys\nsys.modules.clear()\n5"):
            with self.subTest(program):
                self.assertEqual(run(program).done, {"value": 5})

    def test_interrupts(self):
        error = run("import os, signal, time\n"
                    "os.kill(os.getpid(), signal.SIGINT)\n"
                    "time.sleep(5)").error
        self.assertEqual((error["message"], error["kind"]),
                         ("KeyboardInterrupt", "exception"))

    def test_no_memory_is_still_an_answer(self):
        program = """
import resource
resource.setrlimit(resource.RLIMIT_AS, (300 << 20, 300 << 20))
kept = []
while True:
    kept.append(bytearray(1 << 20))
"""
        error = run(program).error
        self.assertEqual(error["message"], "MemoryError")
        self.assertEqual(error["line"], 6)
        result = run(program.replace("while True:", "try:\n  while True:")
                     .replace("    kept", "      kept") +
                     "except MemoryError: pass\n'x' * 20000000",
                     value=40 << 20)
        self.assertIn("error", result.done)
        self.assertIn("MemoryError", result.error["message"])
