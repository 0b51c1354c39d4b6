#!/usr/bin/env python3
"""Every way in which a program can end (P9), as a table."""
from weir_test import Case, main, run

DAEMON = "import threading\nthreading.Thread(target=%s, daemon=True).start()\n"


class Ends(Case):
    """program: (kind, exit.code, exit.signal, more of the result)"""

    def check(self, program, kind, code, signal, **more):
        got = run(program, limits={"wall": 60})
        result = got.result
        self.assertEqual(got.kind, kind, result["error"])
        self.assertEqual(
            result["exit"],
            {"by": "program", "code": code, "signal": signal})
        for name, wanted in more.items():
            self.assertEqual(result[name], wanted, name)

    def check_row(self, *arguments):
        *arguments, more = arguments
        self.check(*arguments, **more)


OK = {"ok": True, "value": None}

ENDS = {
    # falling off the end, and values
    "nothing": ("", None, 0, None, dict(OK, returned=False)),
    "comment": ("# no statement", None, 0, None, dict(OK, returned=False)),
    "statement": ("x = 1", None, 0, None, dict(OK, returned=False)),
    "expression": ("x = 1\nx + 1", None, 0, None,
                   {"value": 2, "returned": True}),
    "none_expression": ("print(end='')", None, 0, None,
                        dict(OK, returned=True)),
    "return": ("return 3\n1 / 0", None, 0, None,
               {"value": 3, "returned": True}),
    "bare_return": ("return", None, 0, None, dict(OK, returned=True)),
    "return_in_a_block": ("for n in range(9):\n    if n == 4: return n",
                          None, 0, None, {"value": 4}),
    "return_after_await": ("import asyncio\nawait asyncio.sleep(0)\n"
                           "return 5", None, 0, None, {"value": 5}),
    # leaving
    "exit": ("import sys\nsys.exit()", None, 0, None,
             dict(OK, returned=False)),
    "exit_0": ("import sys\nsys.exit(0)", None, 0, None,
               dict(OK, returned=False)),
    "exit_none": ("import sys\nsys.exit(None)", None, 0, None,
                  dict(OK, returned=False)),
    "exit_false": ("import sys\nsys.exit(False)", None, 0, None,
                   dict(OK, returned=False)),
    "exit_3": ("import sys\nsys.exit(3)", "worker_exit", 3, None, {}),
    "exit_256": ("import sys\nsys.exit(256)", None, 0, None, OK),
    "exit_minus_1": ("import sys\nsys.exit(-1)", "worker_exit", 255, None,
                     {}),
    "exit_text": ("import sys\nsys.exit('why é')", "worker_exit", 1, None,
                  {"stderr": "why é\n"}),
    "exit_object": ("import sys\nsys.exit([1])", "worker_exit", 1, None,
                    {"stderr": "[1]\n"}),
    "raise_system_exit": ("raise SystemExit(4)", "worker_exit", 4, None, {}),
    "exit_in_async": ("import asyncio, sys\nawait asyncio.sleep(0)\n"
                      "sys.exit(6)", "worker_exit", 6, None, {}),
    "os_exit_0": ("import os\nprint('x', flush=True)\nos._exit(0)",
                  "worker_exit", 0, None, {"stdout": "x\n"}),
    "os_exit_5": ("import os\nos._exit(5)", "worker_exit", 5, None, {}),
    # raising
    "exception": ("raise ValueError('v')", "exception", 1, None,
                  {"returned": False}),
    "keyboard_interrupt": ("raise KeyboardInterrupt", "exception", 1, None,
                           {}),
    "generator_exit": ("raise GeneratorExit", "exception", 1, None, {}),
    "base_exception": ("class E(BaseException): pass\nraise E", "exception",
                       1, None, {}),
    "syntax_error": ("x = = 1", "exception", 1, None, {}),
    "indentation": ("  x\n y", "exception", 1, None, {}),
    "nul_in_text": ("x = '\\0'\nlen(x)", None, 0, None, {"value": 1}),
    "recursion": ("def f(): f()\nf()", "exception", 1, None, {}),
    "memory_error": ("x = bytearray(1 << 50)", "exception", 1, None, {}),
    "yield": ("yield 1", "exception", 1, None, {}),
    "await_something_wrong": ("await 1", "exception", 1, None, {}),
    "cancelled_error": ("import asyncio\nraise asyncio.CancelledError",
                        "exception", 1, None, {}),
    # crashes
    "segfault": ("import ctypes\nctypes.string_at(0)", "worker_exit", None,
                 11, {}),
    "abort": ("import os\nos.abort()", "worker_exit", None, 6, {}),
    "sigkill": ("import os\nos.kill(os.getpid(), 9)", "worker_exit", None, 9,
                {}),
    "sigterm": ("import os\nos.kill(os.getpid(), 15)", "worker_exit", None,
                15, {}),
    "sigsys_itself": ("import os, signal\nos.kill(os.getpid(), 31)",
                      "worker_exit", None, 31, {}),
    # threads
    "daemon_thread": (DAEMON % "threading.Event().wait" + "7", None, 0, None,
                      {"value": 7}),
    "non_daemon_thread_is_joined": (
        "import threading, time\n"
        "def work():\n    time.sleep(0.1); print('late')\n"
        "threading.Thread(target=work).start()\n7", None, 0, None,
        {"value": 7, "stdout": "late\n"}),
    "thread_that_raises": (
        "import threading\n"
        "thread = threading.Thread(target=lambda: 1 / 0)\n"
        "thread.start(); thread.join()\n7", None, 0, None, {"value": 7}),
    "thread_that_exits": (
        "import sys, threading\n"
        "thread = threading.Thread(target=sys.exit, args=(3,))\n"
        "thread.start(); thread.join()\n7", None, 0, None, {"value": 7}),
    "thread_that_kills_the_process": (
        "import os, threading\n"
        "threading.Thread(target=os._exit, args=(8,)).start()\n"
        "threading.Event().wait()", "worker_exit", 8, None, {}),
    # exit handlers
    "atexit": ("import atexit\natexit.register(print, 'bye')\n7", None, 0,
               None, {"value": 7, "stdout": "bye\n"}),
    "atexit_that_raises": (
        "import atexit\natexit.register(lambda: 1 / 0)\n7", None, 0, None,
        {"value": 7}),
    "atexit_that_exits": (
        "import atexit, os\natexit.register(os._exit, 9)\n7", "worker_exit",
        9, None, {"value": None}),
    "atexit_after_an_exception": (
        "import atexit\natexit.register(print, 'bye')\n1 / 0", "exception",
        1, None, {"stdout": "bye\n"}),
    # more ways to leave
    "exit_true": ("import sys\nsys.exit(True)", "worker_exit", 1, None,
                  {"stderr": ""}),
    "exit_empty_text": ("import sys\nsys.exit('')", "worker_exit", 1, None,
                        {"stderr": "\n"}),
    "exit_float": ("import sys\nsys.exit(3.5)", "worker_exit", 1, None,
                   {"stderr": "3.5\n"}),
    "exit_huge": ("import sys\nsys.exit(1 << 70)", "worker_exit", 255, None,
                  {}),
    "exit_two": ("raise SystemExit(1, 2)", "worker_exit", 1, None,
                 {"stderr": "(1, 2)\n"}),
    "exit_surrogate": ("import sys\nsys.exit('\\ud800')", "worker_exit", 1,
                       None, {"stderr": "\\ud800\n"}),
    "exit_without_a_text": (
        "class E:\n    def __str__(self): raise ValueError\n"
        "raise SystemExit(E())", "worker_exit", 1, None, {}),
    "exit_keeps_what_was_written": (
        "import sys\nsys.stdout.write('kept'); sys.exit(3)", "worker_exit",
        3, None, {"stdout": "kept"}),
    "exit_that_is_caught": (
        "import sys\ntry: sys.exit(5)\nexcept SystemExit: pass\n7", None,
        0, None, {"value": 7}),
    "exit_in_a_task": (
        "import asyncio, sys\nasync def f(): sys.exit(5)\n"
        "await asyncio.gather(f())", "worker_exit", 5, None, {}),
    "exit_in_asyncio_run": (
        "import asyncio, sys\nasync def f(): sys.exit(5)\n"
        "asyncio.run(f())", "worker_exit", 5, None, {}),
    "exit_in_a_signal_handler": (
        "import os, signal, sys\n"
        "signal.signal(signal.SIGTERM, lambda *_: sys.exit(6))\n"
        "os.kill(os.getpid(), 15)\nsignal.pause()", "worker_exit", 6, None,
        {}),
    "quit": ("quit()", "exception", 1, None, {}),
    "exit_of_the_main_thread_alone": (
        "import ctypes\nctypes.CDLL(None).pthread_exit(0)", "worker_exit",
        0, None, {}),
    # more ways to raise
    "sigint": ("import os, signal\nos.kill(os.getpid(), 2)\n"
               "signal.pause()", "exception", 1, None, {}),
    "interrupt_main": ("import _thread, signal\n_thread.interrupt_main()\n"
                       "while True: pass", "exception", 1, None, {}),
    "keyboard_interrupt_in_async": (
        "import asyncio\nawait asyncio.sleep(0)\nraise KeyboardInterrupt",
        "exception", 1, None, {}),
    "keyboard_interrupt_in_a_thread": (
        "import threading\ndef f(): raise KeyboardInterrupt\n"
        "t = threading.Thread(target=f); t.start(); t.join(); 7", None, 0,
        None, {"value": 7}),
    "stop_iteration": ("raise StopIteration(3)", "exception", 1, None, {}),
    "task_that_cancels_itself": (
        "import asyncio\nasyncio.current_task().cancel()\n"
        "await asyncio.sleep(0)", "exception", 1, None, {}),
    "without_a_traceback": (
        "e = ValueError('x')\ne.__traceback__ = None\nraise e from e",
        "exception", 1, None, {}),
    "own_excepthook": (
        "import sys\nsys.excepthook = lambda *_: print('hook')\n1 / 0",
        "exception", 1, None, {}),
    "unterminated": ("x = '''", "exception", 1, None, {}),
    "return_in_a_class": ("class A:\n    return 1", "exception", 1, None,
                          {}),
    "in_a_finalizer": (
        "class A:\n    def __del__(self): 1 / 0\nA()\n7", None, 0, None,
        {"value": 7}),
    "fork": ("import os\nos.fork()", "exception", 1, None, {}),
    "exec": ("import os, sys\nos.execv(sys.executable, ['x'])", "exception",
             1, None, {}),
    # more crashes
    "crash_in_a_thread": (
        "import ctypes, threading\n"
        "threading.Thread(target=ctypes.string_at, args=(1,)).start()\n"
        "threading.Event().wait()", "worker_exit", None, 11, {}),
    "crash_in_atexit": (
        "import atexit, ctypes\natexit.register(ctypes.string_at, 1)\n7",
        "worker_exit", None, 11, {"value": None}),
    "crash_after_output": (
        "import ctypes\nprint('so far')\nctypes.string_at(1)",
        "worker_exit", None, 11, {"stdout": "so far\n"}),
    # more threads
    "daemon_thread_that_prints": (
        "import threading\ndef f():\n    while True: print('x')\n"
        "threading.Thread(target=f, daemon=True).start()\n7", None, 0, None,
        {"value": 7}),
    "thread_that_raises_late": (
        "import threading\n"
        "def f():\n    threading.main_thread().join(0.1); 1 / 0\n"
        "threading.Thread(target=f).start()\n7", None, 0, None,
        {"value": 7}),
    "thread_that_leaves_late": (
        "import os, threading\n"
        "def f():\n    threading.main_thread().join(0.1); os._exit(4)\n"
        "threading.Thread(target=f).start()\n7", "worker_exit", 4, None,
        {"value": None}),
    "thread_is_joined_after_an_exception": (
        "import threading\n"
        "def f():\n    threading.main_thread().join(0.1); print('late')\n"
        "threading.Thread(target=f).start()\n1 / 0", "exception", 1, None,
        {"stdout": "late\n"}),
    "thread_is_joined_after_exit": (
        "import sys, threading\n"
        "def f():\n    threading.main_thread().join(0.1); print('late')\n"
        "threading.Thread(target=f).start()\nsys.exit(3)", "worker_exit", 3,
        None, {"stdout": "late\n"}),
    "pool_is_emptied": (
        "from concurrent.futures import ThreadPoolExecutor\n"
        "ThreadPoolExecutor(2).submit(print, 'in')\n7", None, 0, None,
        {"value": 7, "stdout": "in\n"}),
    # more exit handlers
    "atexit_last_first": (
        "import atexit\natexit.register(print, 1)\n"
        "atexit.register(print, 2)\npass", None, 0, None,
        {"stdout": "2\n1\n"}),
    "atexit_after_exit": (
        "import atexit, sys\natexit.register(print, 'bye')\nsys.exit(3)",
        "worker_exit", 3, None, {"stdout": "bye\n"}),
    "atexit_not_after_os_exit": (
        "import atexit, os\natexit.register(print, 'bye')\nos._exit(3)",
        "worker_exit", 3, None, {"stdout": ""}),
    "atexit_with_sys_exit": (
        "import atexit, sys\natexit.register(sys.exit, 5)\n7", None, 0,
        None, {"value": 7}),
    "atexit_with_a_thread": (
        "import atexit, threading\n"
        "def f():\n"
        "    t = threading.Thread(target=print, args=('t',))\n"
        "    t.start(); t.join()\n"
        "atexit.register(f)\n7", None, 0, None,
        {"value": 7, "stdout": "t\n"}),
    # streams and loops that are left
    "stdout_closed": ("import sys\nsys.stdout.close()\n7", None, 0, None,
                      {"value": 7}),
    "stdout_gone": ("import sys\nsys.stdout = sys.stderr = None\n7", None,
                    0, None, {"value": 7}),
    "task_left": (
        "import asyncio\ntask = asyncio.create_task(asyncio.sleep(99))\n"
        "await asyncio.sleep(0)\n7", None, 0, None, {"value": 7}),
    "generator_left": (
        "async def g():\n    try: yield 1\n    finally: print('closed')\n"
        "async for _ in g(): break\n7", None, 0, None,
        {"value": 7, "stdout": "closed\n"}),
}
for _name, _row in ENDS.items():
    setattr(Ends, "test_" + _name,
            lambda self, row=_row: self.check_row(*row))


class Errors(Case):
    def test_line_and_traceback_of_a_syntax_error(self):
        error = self.fails("exception", "ok = 1\nx = (1,\ny = = 2\n"
                           ).result["error"]
        self.assertIn(error["line"], (2, 3))
        self.assertIn("SyntaxError", error["message"])
        self.assertIn('File "<program>", line', error["traceback"])

    def test_chained(self):
        error = self.fails(
            "exception",
            "try:\n    1 / 0\nexcept ZeroDivisionError as e:\n"
            "    raise RuntimeError('second') from e").result["error"]
        self.assertEqual(error["line"], 4)
        self.assertIn("ZeroDivisionError: division by zero",
                      error["traceback"])
        self.assertIn("direct cause", error["traceback"])

    def test_line_numbers_with_return(self):
        for text in ("1 / 0", "return 1 / 0"):
            error = self.fails("exception", "\n\n\n" + text).result["error"]
            self.assertEqual(error["line"], 4, text)

    def test_line_within_gather(self):
        error = self.fails(
            "exception",
            "import asyncio\n"
            "async def f():\n"
            "    await asyncio.sleep(0)\n"
            "    raise ValueError('deep')\n"
            "await asyncio.gather(f(), f())").result["error"]
        self.assertEqual(error["line"], 4)
        self.assertNotIn("bootstrap", error["traceback"])

    def test_huge_message_is_cut(self):
        got = self.fails("exception", "raise ValueError('m' * 10_000_000)")
        self.assertLess(len(got.stdout), 200000)
        self.assertIn("ValueError", got.result["error"]["message"])


class Namespace(Case):
    def test_names_of_a_module(self):
        self.assertEqual(
            self.value("return [__name__, sorted(n for n in globals()"
                       " if not n.startswith('__'))]"),
            ["__main__", ["BUDGET", "TOOLS", "ToolError", "ToolResultHandle",
                          "call_tool", "call_tool_sync", "get_tool_info",
                          "list_tools", "read_tool_output"]])

    def test_classes_pickle_and_dataclasses(self):
        self.assertEqual(self.value(
            "import dataclasses, pickle\n"
            "@dataclasses.dataclass\nclass A:\n    x: int = 1\n"
            "return pickle.loads(pickle.dumps(A(2))).x"), 2)

    def test_future_import(self):
        self.assertEqual(self.value(
            "from __future__ import annotations\n"
            "def f(x: undefined): pass\nreturn f.__annotations__"),
            {"x": "undefined"})

    def test_flags_of_the_bootstrap_do_not_leak(self):
        self.assertEqual(self.value(
            "def f(x: int): pass\nreturn f.__annotations__['x'] is int"),
            True)


if __name__ == "__main__":
    main()
