#!/usr/bin/env python3
"""Every limit, at its value and one past it."""
import json
import resource
import subprocess

from weir_test import (ECHO, HANG, Case, command, finish, main, rows, run,
                       shell)

# A tool whose result has as many bytes as it is asked for: "xxx…".
SIZED = shell('n=$(sed "s/[^0-9]//g"); '
              'printf \'"%s"\' "$(head -c $((n - 2)) /dev/zero | tr "\\0" x)"')

CAUGHT = """
def caught(function, *arguments):
    try:
        function(*arguments)
        return 0
    except ToolError as error:
        return [error.kind, error.hard]
"""


class Value(Case):
    def check(self, program, size):
        """size: of the value as JSON."""
        result = self.succeeds(program, limits={"value": size})
        self.assertEqual(result["returned"], True)
        result = self.fails("output_limit", program,
                            limits={"value": size - 1}).result
        self.assertEqual(result["limit_hit"], "value")
        self.assertIsNone(result["value"])
        self.assertIn(str(size), result["error"]["message"])


rows(Value, {
    "text": ("'x' * 98", 100),
    "escapes": ("'\\n' * 49", 100),
    "control_characters": ("'\\x01' * 10", 62),
    "unicode": ("'é' * 49", 100),
    "numbers": ("list(range(10))", 21),
    "nested": ("{'a': [1, {'b': None}]}", 20),
    "default": ("'x' * (262144 - 2)", 262144),
    "large": ("'x' * (9 << 20)", (9 << 20) + 2),
})


class Calls(Case):
    def test_calls(self):
        program = CAUGHT + ("return [caught(echo, {'n': n})"
                            " for n in range(4)]")
        result = self.succeeds(program, tools={"echo": ECHO},
                               limits={"calls": 3})
        self.assertEqual(result["value"],
                         [0, 0, 0, ["budget_spent", True]])
        self.assertEqual(result["calls"]["completed"], 3)
        self.assertEqual(result["calls"]["refused"], 1)

    def test_no_calls_at_all(self):
        result = self.succeeds(CAUGHT + "return caught(echo)",
                               tools={"echo": ECHO}, limits={"calls": 0})
        self.assertEqual(result["value"], ["budget_spent", True])

    def test_denied_calls_burn_the_budget(self):
        result = self.succeeds(
            CAUGHT + "return [caught(call_tool, 'none'),"
            " caught(call_tool, 'none'), caught(echo)]",
            tools={"echo": ECHO}, limits={"calls": 2})
        self.assertEqual(result["value"], [
            ["not_offered", False], ["not_offered", False],
            ["budget_spent", True]])

    def test_a_spent_budget_stays_spent(self):
        """And what was never dispatched has no effect."""
        mark = self.path("marks")
        result = self.succeeds(
            CAUGHT + "return [caught(mark) for _ in range(50)]",
            tools={"mark": shell('echo x >>"$1"; echo 1', mark)},
            limits={"calls": 5})
        self.assertEqual(result["value"],
                         [0] * 5 + [["budget_spent", True]] * 45)
        with open(mark) as file:
            self.assertEqual(file.read(), "x\n" * 5)

    def test_argument_bytes(self):
        program = CAUGHT + ("return [caught(echo, {'a': 'x' * n})"
                            " for n in (92, 93, 92)]")
        result = self.succeeds(program, tools={"echo": ECHO},
                               limits={"argument_bytes": 100})
        self.assertEqual(result["value"],
                         [0, ["arguments_too_large", False], 0])
        self.assertEqual([c["argument_bytes"]
                          for c in result["calls"]["list"]], [100, 101, 100])

    def test_argument_bytes_beyond_a_frame(self):
        """Far too large to be sent at all: the same error."""
        result = self.succeeds(
            CAUGHT + "return [caught(echo, {'a': 'x' * 9000000}),"
            " caught(echo)]", tools={"echo": ECHO})
        self.assertEqual(result["value"],
                         [["arguments_too_large", False], 0])

    def test_result_bytes(self):
        program = CAUGHT + ("return [caught(sized, {'n': n})"
                            " for n in (100, 101, 100)]")
        result = self.succeeds(program, tools={"sized": SIZED},
                               limits={"result_bytes": 100,
                                       "kept_bytes": 0})
        self.assertEqual(result["value"],
                         [0, ["result_too_large", False], 0])

    def test_result_without_an_end(self):
        result = self.succeeds(
            CAUGHT + "return [caught(endless), caught(echo)]",
            tools={"endless": ["cat", "/dev/zero"], "echo": ECHO},
            limits={"result_bytes": "1M"})
        self.assertEqual(result["value"][0],
                         ["binding_result_not_paged", False])
        self.assertEqual(result["value"][1], 0)

    def test_total_bytes(self):
        """Arguments and results count together: 50 + 50 a call."""
        program = CAUGHT + ("return [caught(echo, {'a': 'x' * 42})"
                            " for n in range(3)]")
        for total, value in ((200, [0, 0, ["budget_spent", True]]),
                             (300, [0, 0, 0]),
                             (299, [0, 0, ["budget_spent", True]])):
            result = self.succeeds(program, tools={"echo": ECHO},
                                   limits={"total_bytes": total})
            self.assertEqual(result["value"], value, total)

    def test_tool_time_of_a_call_that_waited(self):
        """It runs from the moment that the call has its turn."""
        result = self.succeeds(
            "import asyncio\n"
            "async def kind(call):\n"
            "    try: return await call\n"
            "    except ToolError as error: return error.kind\n"
            "return await asyncio.gather(kind(echo(n=1)), kind(stuck()))",
            tools={"echo": ECHO, "stuck": shell("sleep 98765")},
            limits={"tool_time": "1500ms", "in_flight": 1,
                    "wall": HANG // 2})
        self.assertEqual(result["value"], [{"n": 1}, "timed_out"])

    def test_tool_time(self):
        meeting = self.meeting()
        result = self.succeeds(
            CAUGHT + "return [caught(wait), caught(echo)]",
            tools={"wait": meeting.tool(), "echo": ECHO},
            limits={"tool_time": 2})
        self.assertEqual(result["value"], [["timed_out", False], 0])
        call = result["calls"]["list"][0]
        self.assertEqual((call["state"], call["kind"]),
                         ("failed", "timed_out"))

    def test_in_flight(self):
        """A window: two at once and never three."""
        meeting = self.meeting()
        process = self.start(
            "import asyncio\n"
            "return await asyncio.gather(*[wait(n=n) for n in range(5)])",
            tools={"wait": meeting.tool()}, limits={"in_flight": 2})
        for batch in (2, 2, 1):
            self.assertTrue(meeting.wait(batch, process))
            self.assertEqual(meeting.pending(), 0)
            meeting.release(batch)
        got = finish(process)
        self.assertEqual(got.result["value"], [1] * 5)

    def test_in_flight_of_one(self):
        value = self.value(
            "import asyncio\n"
            "return await asyncio.gather(*[echo(n=n) for n in range(20)])",
            tools={"echo": ECHO}, limits={"in_flight": 1})
        self.assertEqual(value, [{"n": n} for n in range(20)])


class Streams(Case):
    def test_capture(self):
        for size, captured in ((99, 99), (100, 100), (101, 100),
                               (1000000, 100)):
            result = self.succeeds(
                "import os\nfor _ in range(%d): os.write(1, b'x')" % size
                if size < 1000 else
                "import os\nos.write(1, b'x' * %d)" % size,
                limits={"stdout": 100})
            self.assertEqual(result["streams"]["stdout"], {
                "bytes": size, "captured": captured,
                "omitted": size - captured})

    def test_nothing_captured(self):
        result = self.succeeds("print('x' * 50)", limits={"stdout": 0})
        self.assertEqual(result["streams"]["stdout"]["omitted"], 51)
        self.assertNotIn("x", result["stdout"])

    def test_streams_have_caps_of_their_own(self):
        result = self.succeeds(
            "import os\nos.write(1, b'o' * 50); os.write(2, b'e' * 50)",
            limits={"stdout": 10, "stderr": 20})
        self.assertEqual(result["streams"]["stdout"]["captured"], 10)
        self.assertEqual(result["streams"]["stderr"]["captured"], 20)

    def preview(self, text, size, **limits):
        return self.succeeds(
            "import os\ndata = %r.encode()\n"
            "while data: data = data[os.write(1, data):]" % text,
            limits=dict(limits, preview=size))["stdout"]

    def parts(self, preview):
        """(head, the number of omitted bytes, tail)"""
        head, middle, tail = preview.split("\n", 1)[0], preview, ""
        lines = preview.split("\n")
        self.assertEqual(len(lines), 3, preview)
        head, middle, tail = lines
        numbers = [int(word) for word in middle.replace(",", "").split()
                   if word.strip("[.…]").isdigit()]
        self.assertEqual(len(numbers), 1, middle)
        return head, numbers[0], tail

    def test_preview_of_what_fits(self):
        self.assertEqual(self.preview("x" * 100, 100), "x" * 100)

    def test_preview_is_cut_to_a_head_and_a_tail(self):
        text = "".join(chr(ord("a") + n % 26) for n in range(101))
        head, omitted, tail = self.parts(self.preview(text, 100))
        self.assertEqual((head, tail), (text[:60], text[-40:]))
        self.assertEqual(omitted, 1)

    def test_preview_is_deterministic(self):
        text = "y" * 5000
        self.assertEqual(self.preview(text, 1000), self.preview(text, 1000))

    def test_preview_cuts_between_characters(self):
        for letter in ("é", "€", "\U0001f600"):
            for shift in range(4):
                text = "a" * shift + letter * 100
                head, omitted, tail = self.parts(self.preview(text, 100))
                self.assertTrue(text.startswith(head))
                self.assertTrue(text.endswith(tail))
                self.assertLessEqual(len(head.encode()), 60)
                self.assertLessEqual(len(tail.encode()), 40)
                self.assertGreater(len(head.encode()), 60 - 4)
                self.assertGreater(len(tail.encode()), 40 - 4)
                self.assertEqual(
                    len(head.encode()) + omitted + len(tail.encode()),
                    len(text.encode()))

    def test_preview_of_a_stream_beyond_its_cap(self):
        """The head is the beginning, and the count is of all bytes."""
        result = self.succeeds(
            "import os\nos.write(1, b'h' * 500 + b't' * 500)",
            limits={"stdout": 500, "preview": 100})
        self.assertEqual(result["streams"]["stdout"]["omitted"], 500)
        self.assertTrue(result["stdout"].startswith("h" * 60))

    def test_default_preview(self):
        result = self.succeeds("print('x' * 5000)")
        self.assertEqual(result["streams"]["stdout"],
                         {"bytes": 5001, "captured": 5001, "omitted": 0})
        self.assertLess(len(result["stdout"]), 4200)


FILL = """
import errno, os
def fill(path, size):
    with open(path, 'wb', 0) as file:
        done = 0
        while done < size:
            done += file.write(b'x' * min(65536, size - done))
    return done
def error(function, *arguments):
    try:
        return function(*arguments)
    except OSError as error:
        return errno.errorcode[error.errno]
    except MemoryError:
        return 'MemoryError'
    except RuntimeError:
        return 'RuntimeError'
"""


class Resources(Case):
    """program, limit at which it fits, value then, one less, value then"""

    def check(self, program, name, fits, value, tight, error, **others):
        self.assertEqual(
            self.value(FILL + program, limits=dict(others, **{name: fits})),
            value)
        self.assertEqual(
            self.value(FILL + program, limits=dict(others, **{name: tight})),
            error)


rows(Resources, {
    "file_size": ("error(fill, 'f', 100000)", "file_size", 100000, 100000,
                  99999, "EFBIG"),
    "file_size_of_nothing": ("error(fill, 'f', 1)", "file_size", 1, 1, 0,
                             "EFBIG"),
    # The workspace counts whole pages, and its own directory is free.
    "workspace": ("error(fill, 'f', 1 << 20)", "workspace", 1 << 20,
                  1 << 20, (1 << 20) - 4096, "ENOSPC"),
    "workspace_in_many_files": (
        "sum(n if type(n) is int else 0 for n in (error(fill, 'f%d' % n,"
        " 4096) for n in range(100)))", "workspace", 409600, 409600,
        409600 - 4096, 409600 - 4096),
    "inodes": ("[error(fill, 'f%d' % n, 0) for n in range(31)].count(0)",
               "inodes", 31, 31, 30, 30),
    "open_files": ("[type(error(os.open, '.', 0)) for _ in range(20)]"
                   ".count(int)", "open_files", 24, 20, 23, 19),
    "address_space": (
        "type(error(bytearray, 100 << 20)).__name__", "address_space",
        "300M", "bytearray", "100M", "str"),
    # Beside the first one.
    "threads": (
        "import threading\n"
        "stop = threading.Event()\n"
        "def more():\n"
        "    threading.Thread(target=stop.wait).start(); return 1\n"
        "got = [error(more) for _ in range(7)].count(1)\n"
        "stop.set()\ngot", "threads", 7, 7, 6, 6),
})


class Shm(Case):
    def test_shared_memory_is_bounded(self):
        got = self.value(
            FILL + "[error(fill, '/dev/shm/f%d' % n, 8 << 20)"
            " for n in range(40)][-1]")
        self.assertEqual(got, "ENOSPC")


class Cpu(Case):
    def check(self, program, **limits):
        got = run(program, limits=dict(limits, cpu=1, wall=100))
        self.assertEqual((got.code, got.kind), (124, "timeout"))
        self.assertEqual(got.result["limit_hit"], "cpu")
        self.assertEqual(got.result["stdout"], "begun\n")


rows(Cpu, {
    "loop": "print('begun')\nwhile True: pass",
    "trapped_signal": "import signal\n"
                      "signal.signal(signal.SIGXCPU, print)\n"
                      "signal.signal(signal.SIGXCPU, lambda *_: None)\n"
                      "print('begun')\nwhile True: pass",
    "ignored_signal": "import signal\n"
                      "signal.signal(signal.SIGXCPU, signal.SIG_IGN)\n"
                      "print('begun')\nwhile True: pass",
    "blocked_signal": "import signal\n"
                      "signal.pthread_sigmask(signal.SIG_BLOCK,"
                      " range(1, 65))\n"
                      "print('begun')\nwhile True: pass",
    "threads": "import threading\nprint('begun')\n"
               "def spin():\n    while True: pass\n"
               "[threading.Thread(target=spin).start() for _ in range(4)]",
    "in_c": "import itertools\nprint('begun')\n"
            "sum(itertools.repeat(0))",
    "answer_after_the_limit": (
        "import signal, time\n"
        "signal.signal(signal.SIGXCPU, signal.SIG_IGN)\n"
        "print('begun')\n"
        "while time.process_time() < 1.3: pass\n"
        "return 'late'"),
})


class CpuUnder(Case):
    def test_answer_before_the_limit(self):
        result = self.succeeds(
            "import time\nwhile time.process_time() < 0.3: pass\n5",
            limits={"cpu": 2})
        self.assertGreaterEqual(result["usage"]["cpu_ms"], 300)


class Wall(Case):
    def test_sleep(self):
        got = self.fails("timeout", "print('x'); import time; time.sleep(9)",
                         limits={"wall": 1})
        self.assertEqual(got.result["stdout"], "x\n")
        self.assertEqual(got.result["limit_hit"], "wall")
        self.assertEqual(got.code, 124)
        # Its own clock: the limit was reached, and no 9 seconds were slept.
        self.assertGreaterEqual(got.result["usage"]["wall_ms"], 1000)
        self.assertLess(got.result["usage"]["wall_ms"], 9000)

    def test_within_a_tool(self):
        meeting = self.meeting()
        got = self.fails("timeout", "wait()", limits={"wall": "500ms"},
                         tools={"wait": meeting.tool()})
        self.assertEqual(got.result["calls"]["total"], 1)

    def test_within_atexit(self):
        got = self.fails(
            "timeout", "import atexit, threading\n"
            "atexit.register(threading.Event().wait)\n'value'",
            limits={"wall": "500ms", "grace": 0})
        self.assertIsNone(got.result["value"])

    def test_sigterm_comes_first(self):
        """A program may tidy up, as long as the grace lasts."""
        got = self.fails(
            "timeout",
            "import os, signal\n"
            "def tidy(*_):\n"
            "    print('tidied', flush=True)\n"
            "    os._exit(0)\n"
            "signal.signal(signal.SIGTERM, tidy)\n"
            "while True: signal.pause()",
            limits={"wall": 1, "grace": 20})
        self.assertEqual(got.result["stdout"], "tidied\n")

    def test_answer_in_the_grace_is_no_answer(self):
        got = self.fails(
            "timeout",
            "import signal\n"
            "def leave(*_): raise KeyboardInterrupt\n"
            "signal.signal(signal.SIGTERM, leave)\n"
            "try:\n    while True: signal.pause()\n"
            "except KeyboardInterrupt: pass\n"
            "return 'late'", limits={"wall": "500ms", "grace": 2})
        self.assertIsNone(got.result["value"])


class Units(Case):
    def test_spellings(self):
        for spelling in ("300ms", "0.3", "0.3s", "0.005m"):
            result = self.fails("timeout", "while True: pass",
                                limits={"wall": spelling, "grace": 0}).result
            self.assertLess(result["usage"]["wall_ms"], 60000, spelling)
        for spelling in ("1024", "1K"):
            self.assertEqual(len(self.value("'x' * 1022", limits={
                "value": spelling})), 1022)
            self.fails("output_limit", "'x' * 1023",
                       limits={"value": spelling})


class Inherited(Case):
    """Limits of the caller are never raised (C3)."""

    def test_clamped(self):
        def lower():
            resource.setrlimit(resource.RLIMIT_NOFILE, (210, 210))
            resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))

        got = subprocess.run(
            command(limits={"open_files": 250, "file_size": "8M"}) + [
                "-c", "import resource as r\n[r.getrlimit(r.RLIMIT_NOFILE),"
                " r.getrlimit(r.RLIMIT_FSIZE)]"],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, cwd="/",
            preexec_fn=lower, timeout=HANG)
        result = json.loads(got.stdout)
        self.assertIsNone(result["error"], result["error"])
        self.assertEqual(result["value"], [[210, 210], [1 << 20, 1 << 20]])


if __name__ == "__main__":
    main()
