#!/usr/bin/env python3
"""A program that writes to the channel itself: what it may forge, and how
everything else ends."""
import os
import resource
import time

from weir_test import ECHO, HANG, Case, finish, main, rows, run, shell

WRITE = """
import os, threading
def write(data, times=1):
    for _ in range(times):
        left = memoryview(data)
        while left:
            left = left[os.write(3, left):]
forever = threading.Event().wait
"""
CALL = b'{"type":"call","id":%d,"name":"%s","arguments":%s}\n'


def call(number, name=b"mark", arguments=b"{}"):
    return CALL % (number, name, arguments)


class Abuse(Case):
    """Runs programs that are offered `mark`, which leaves a trace."""

    def outcome(self, program, **more):
        self.marks = self.path("marks")
        tools = {"mark": shell('echo x >>"$1"; echo 1', self.marks),
                 "echo": ECHO, **more.pop("more_tools", {})}
        limits = dict({"wall": 60, "grace": 0}, **more.pop("limits", {}))
        return run(WRITE + program, tools=tools, limits=limits, **more)

    def effects(self):
        try:
            with open(self.marks) as file:
                return len(file.read().split())
        except FileNotFoundError:
            return 0


class Violations(Abuse):
    """bytes: the word for them; nothing after them is acted upon"""

    def check(self, data, word):
        got = self.outcome(
            "print('begun', flush=True)\nwrite(%r)\nwrite(%r)\nforever()" % (
                data, call(0)))
        self.assertEqual(got.kind, "protocol_violation",
                         got.result["error"])
        self.assertEqual(got.code, 1)
        message = got.result["error"]["message"]
        self.assertTrue(message.startswith(word + ":"), message)
        self.assertRegex(message, r"at byte \d+")
        self.assertEqual(self.effects(), 0)
        self.assertEqual(got.result["calls"]["total"], 0)
        self.assertEqual(got.result["stdout"], "begun\n")
        self.assertFalse(got.result["returned"])


rows(Violations, {
    "text": (b"hello\n", "bad_syntax"),
    "array": (b"[1]\n", "not_object"),
    "broken": (b'{"type":"done","value":}\n', "bad_syntax"),
    "utf8": (b'{"type":"done","value":"\xc0\xaf"}\n', "bad_utf8"),
    "nul": (b'{"type":"done","value":1}\0\n', "nul_byte"),
    "bom": (b'\xef\xbb\xbf{"type":"done","value":1}\n',
            "bad_syntax"),
    "unknown_type": (b'{"type":"log","text":"x"}\n', "unknown_type"),
    "type_missing": (b'{"value":1}\n', "missing_field"),
    "second_member": (b'{"type":"done","value":1,"value":2}\n',
                      "duplicate_member"),
    "escaped_second_member": (
        b'{"type":"done","value":1,"\\u0074ype":"call"}\n',
        "duplicate_member"),
    "surrogate": (b'{"type":"done","value":"\\ud800"}\n', "lone_surrogate"),
    "deep": (b'{"type":"done","value":' + b"[" * 300 + b"]" * 300 + b"}\n",
             "too_deep"),
    "million_brackets": (b"[" * 200000 + b"\n", "not_object"),
    "million_brackets_as_value": (
        b'{"type":"done","value":' + b"[" * 200000 + b"\n", "too_deep"),
    "id_1_first": (call(1), "wrong_id"),
    "id_again": (b"", "wrong_id"),
    "id_negative": (b'{"type":"call","id":-1,"name":"mark","arguments":{}}\n',
                    "bad_id"),
    "id_fraction": (
        b'{"type":"call","id":0.0,"name":"mark","arguments":{}}\n', "bad_id"),
    "id_exponent": (
        b'{"type":"call","id":0e0,"name":"mark","arguments":{}}\n', "bad_id"),
    "id_text": (b'{"type":"call","id":"0","name":"mark","arguments":{}}\n',
                "bad_id"),
    "id_wraps": (b'{"type":"call","id":18446744073709551616,"name":"mark",'
                 b'"arguments":{}}\n', "bad_id"),
    "id_leading_zero": (
        b'{"type":"call","id":00,"name":"mark","arguments":{}}\n',
        "bad_number"),
    "name_empty": (call(0, b""), "bad_field"),
    "name_long": (call(0, b"n" * 129), "bad_field"),
    "arguments_no_object": (call(0, arguments=b"[]"), "bad_field"),
    "ready_again": (b'{"type":"ready"}\n', ""),
    "frame_of_the_host_run": (
        b'{"type":"run","program":"1","tools":[],"limits":{"frame":1,'
        b'"value":1,"arguments":1}}\n', "out_of_turn"),
    "frame_of_the_host_reply": (b'{"type":"reply","id":0,"value":1}\n',
                                "out_of_turn"),
    "frame_of_the_host_abort": (b'{"type":"abort","reason":"x"}\n',
                                "out_of_turn"),
    "done_of_a_host_kind": (
        b'{"type":"done","error":{"kind":"timeout","message":"x"}}\n',
        "bad_field"),
    "done_with_both": (
        b'{"type":"done","value":1,"error":{"kind":"exception",'
        b'"message":"x"}}\n', "bad_field"),
    "done_with_neither": (b'{"type":"done"}\n', "missing_field"),
    "line_without_an_end": (b"x" * 5000000, ""),
})
# Two calls of one id: the first one is a call as any other.
del Violations.test_id_again
# Any of the rules it breaks may be named.
del Violations.test_ready_again, Violations.test_line_without_an_end


class More(Abuse):
    def test_id_again(self):
        got = self.outcome("write(%r)\nforever()" % (call(0) + call(0)))
        self.assertEqual(got.kind, "protocol_violation")
        self.assertTrue(got.result["error"]["message"].startswith(
            "wrong_id:"))
        self.assertEqual(got.result["calls"]["total"], 1)
        self.assertLessEqual(self.effects(), 1)

    def test_ready_again(self):
        got = self.outcome('write(b\'{"type":"ready","protocol":1}\\n\')\n'
                           "forever()")
        self.assertEqual(got.kind, "protocol_violation")

    def test_line_without_an_end(self):
        """The ceiling of a frame: the arguments' limit plus 64 KiB."""
        got = self.outcome("write(b'x' * 1114112)\nforever()",
                           limits={"wall": "700ms"})
        self.assertIn(got.kind, ("timeout", "protocol_violation"))
        got = self.outcome(
            "write(b'{\"x\":\"' + b'x' * 1114112)\nforever()")
        self.assertEqual(got.kind, "protocol_violation")
        self.assertTrue(got.result["error"]["message"].startswith(
            "frame_too_long:"), got.result["error"])

    def test_blank_lines(self):
        got = self.outcome("write(b'\\n' * 10001)\nforever()")
        self.assertTrue(got.result["error"]["message"].startswith(
            "stream_blank_lines:"), got.result["error"])
        got = self.outcome("write(b'\\n' * 10000)\nreturn 1")
        self.assertEqual(got.result["value"], 1)

    def test_bytes_of_the_stream(self):
        got = self.outcome(
            "line = b'{\"type\":\"call\",\"id\":%d,\"name\":\"none\","
            "\"arguments\":{\"a\":\"' + b'x' * 900000 + b'\"}}\\n'\n"
            "def drain():\n    while os.read(3, 65536): pass\n"
            "threading.Thread(target=drain, daemon=True).start()\n"
            "for n in range(1000): write(line % n)\nforever()",
            limits={"total_bytes": "1M"})
        self.assertEqual(got.kind, "protocol_violation")
        self.assertTrue(got.result["error"]["message"].startswith(
            "stream_bytes:"), got.result["error"])

    def test_half_a_frame_and_the_end(self):
        """A partial frame is never acted upon, and is no success."""
        for half in (b'{"type":"done","value":"ok', b'{"type":"done","va',
                     b'{"type":"done","value":"ok"}', call(0)[:-1],
                     b'{"type":"done","value":"\\u00', b'{"type":"done"\xc3'):
            got = self.outcome("write(%r)\nos._exit(0)" % half)
            self.assertIn(got.kind, ("worker_exit", "protocol_violation"))
            self.assertIsNone(got.result["value"])
            self.assertEqual(got.result["calls"]["total"], 0)
            self.assertEqual(self.effects(), 0)

    def test_half_a_frame_then_the_child_s_own(self):
        got = self.outcome("write(b'{\"type\":\"done\",\"value\":\"')\n"
                           "return 'x'")
        self.assertEqual(got.kind, "protocol_violation")

    def test_closed_channel(self):
        for how in ("os.close(3)", "os.dup2(0, 3)",
                    "import socket\nsocket.socket(fileno=3).shutdown(%d)"):
            for direction in ((0, 1, 2) if "%d" in how else (0,)):
                text = how.replace("%d", str(direction))
                got = self.outcome(text + "\nreturn 5")
                # The answer is out where that direction is left.
                if got.kind is None:
                    self.assertEqual((direction, got.result["value"]),
                                     (0, 5), text)
                self.assertIn(got.kind, (None, "worker_exit",
                                         "protocol_violation", "exception"))

    def test_channel_closed_while_it_goes_on(self):
        """Nobody waits for more than the wall limit."""
        got = self.outcome("os.close(3)\nforever()",
                           limits={"wall": "500ms"})
        self.assertIn(got.kind, ("timeout", "protocol_violation"))

    def test_first_answer_is_the_answer(self):
        got = self.outcome(
            "write(b'{\"type\":\"done\",\"value\":\"first\"}\\n'\n"
            "      b'{\"type\":\"done\",\"value\":\"second\"}\\n' + %r)\n"
            "forever()" % call(0))
        self.assertEqual((got.code, got.result["value"]), (0, "first"))
        self.assertEqual(got.result["calls"]["total"], 0)
        self.assertEqual(self.effects(), 0)

    def test_answer_and_then_nonsense(self):
        got = self.outcome(
            "write(b'{\"type\":\"done\",\"value\":7}\\n{nonsense\\n')\n"
            "forever()")
        self.assertEqual((got.code, got.result["value"]), (0, 7))

    def test_answer_does_not_speak_for_the_host(self):
        """What a `done` says beside its answer is dropped."""
        got = self.outcome(
            "write(b'{\"type\":\"done\",\"value\":1,\"isolation\":"
            "{\"level\":\"none\"},\"calls\":99,\"ok\":false,\"usage\":0}\\n')"
            "\nforever()")
        result = got.result
        self.assertEqual((got.code, result["ok"]), (0, True))
        self.assertEqual(result["isolation"]["level"], "isolated")
        self.assertEqual(result["calls"]["total"], 0)

    def test_error_that_is_forged(self):
        got = self.outcome(
            "write(b'{\"type\":\"done\",\"error\":{\"kind\":\"exception\","
            "\"message\":\"\\\\u001b[2J\",\"line\":3}}\\n')\nforever()")
        self.assertEqual((got.code, got.kind), (1, "exception"))
        self.assertEqual(got.result["error"]["line"], 3)

    def test_oversize_that_is_none(self):
        got = self.outcome("write(b'{\"type\":\"done\",\"oversize\":1}"
                           "\\n')\nforever()")
        self.assertEqual(got.kind, "protocol_violation")
        self.assertTrue(got.result["error"]["message"].startswith(
            "bad_field:"))

    def test_value_over_its_limit_by_hand(self):
        got = self.outcome(
            "write(b'{\"type\":\"done\",\"value\":\"' + b'x' * 300000 +"
            " b'\"}\\n')\nforever()")
        self.assertEqual(got.kind, "output_limit")

    def test_printing_cannot_forge(self):
        got = self.outcome(
            "import sys\n"
            "for stream in (sys.stdout, sys.stderr):\n"
            "    print('\\n{\"type\":\"done\",\"value\":\"forged\"}',"
            " file=stream, flush=True)\n"
            "    print(%r, file=stream)\n"
            "return 'own'" % call(0).decode())
        self.assertEqual(got.result["value"], "own")
        self.assertEqual(self.effects(), 0)


class Calls(Abuse):
    """Calls by hand are calls: each passes the gate as any other."""

    READ = """
def read_lines(count):
    data = b''
    while data.count(b'\\n') < count:
        data += os.read(3, 65536)
    return data.decode().splitlines()
"""

    def test_by_hand(self):
        got = self.outcome(
            self.READ + "write(%r)\nlines = read_lines(1)\nwrite(b'"
            "{\"type\":\"done\",\"value\":1}\\n')\nforever()" % call(0))
        self.assertEqual(got.result["value"], 1)
        self.assertEqual(self.effects(), 1)

    def test_names_that_are_not_offered(self):
        names = ["../mark", "mark/", "MARK", "mark\\u0000", "ma\\u0072k ",
                 "/bin/sh", "*", "\\ud83d\\ude00", "n" * 128]
        frames = b"".join(
            call(n, name.encode()) for n, name in enumerate(names))
        got = self.outcome(
            self.READ + "import json\nwrite(%r)\n"
            "kinds = [json.loads(line)['error']['kind']"
            " for line in read_lines(%d)]\n"
            "print(*kinds)\nwrite(b'{\"type\":\"done\",\"value\":1}\\n')\n"
            "forever()" % (frames, len(names)))
        self.assertEqual(got.result["stdout"].split(),
                         ["not_offered"] * len(names))
        self.assertEqual(self.effects(), 0)
        self.assertEqual(got.result["calls"]["refused"], len(names))

    def test_extra_members_do_not_ride_along(self):
        got = self.outcome(
            self.READ + "write(b'{\"level\":\"none\",\"type\":\"call\","
            "\"id\":0,\"name\":\"echo\",\"arguments\":{\"a\":1},"
            "\"budget\":1e9}\\n')\n"
            "lines = read_lines(1)\nprint(lines[0])\n"
            "write(b'{\"type\":\"done\",\"value\":1}\\n')\nforever()")
        self.assertRegex(got.result["stdout"],
                         r'^{"type":"reply","id":0,"value":{"a":1},'
                         r'"left":\[999,(\d+,){3}\d+\]}\n$')

    def test_flood(self):
        """Very many calls: the budget is met exactly, and memory stays."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        got = self.outcome(
            "def drain():\n    while os.read(3, 65536): pass\n"
            "threading.Thread(target=drain, daemon=True).start()\n"
            "write(b''.join(b'{\"type\":\"call\",\"id\":%d,\"name\":\"mark\","
            "\"arguments\":{}}\\n' % n for n in range(200000)))\n"
            "write(b'{\"type\":\"done\",\"value\":1}\\n')\nforever()",
            limits={"calls": 20, "cpu": 60})
        self.assertEqual(got.kind, None, got.result["error"])
        calls = got.result["calls"]
        self.assertLessEqual(calls["total"], 200000)
        self.assertLessEqual(calls["completed"], 20)
        self.assertLessEqual(self.effects(), 20)
        self.assertEqual(calls["total"] - calls["refused"] -
                         calls["completed"] - calls["unknown"] -
                         calls["failed"], 0)
        after = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        self.assertLess(after - before, 256 << 10, "KiB more")

    def test_replies_that_nobody_reads(self):
        """The host neither blocks nor keeps them all in memory."""
        got = self.outcome(
            "import socket\n"
            "s = socket.socket(fileno=3)\n"
            "for n in range(200):\n"
            "    write(b'{\"type\":\"call\",\"id\":%d,\"name\":\"echo\","
            "\"arguments\":{\"a\":\"' % n + b'x' * 500000 + b'\"}}\\n')\n"
            "forever()", limits={"wall": 3, "total_bytes": "1G"})
        self.assertEqual((got.code, got.kind), (124, "timeout"))

    def full(self, then):
        """More waits for the program than the host reads behind."""
        return self.outcome(
            "import socket, time\n"
            "s = socket.socket(fileno=3)\n"
            "write(%r)\n"
            "time.sleep(1.5)\n" % call(0, b"big") + then,
            more_tools={"big": shell("printf '\"'; head -c 3000000 /dev/zero"
                                     " | tr '\\0' x; printf '\"'")})

    def test_reading_half_closed_while_much_waits(self):
        got = self.full("s.shutdown(socket.SHUT_RD)\n"
                        "write(b'{\"type\":\"done\",\"value\":1}\\n')\n"
                        "forever()")
        self.assertEqual((got.code, got.result["value"]), (0, 1))

    def test_answer_before_the_end_while_much_waits(self):
        """Its own end of the channel is on its way in a message, so that
        the exit does not close it."""
        for extra in ("", "s.sendmsg([b'\\n'], [(socket.SOL_SOCKET,\n"
                          "    socket.SCM_RIGHTS, (3).to_bytes(4, 'little'))"
                          "])\n"):
            with self.subTest(extra):
                got = self.full(
                    extra +
                    "write(b'{\"type\":\"done\",\"value\":1}\\n')\n"
                    "os._exit(7)")
                self.assertEqual((got.code, got.result["value"]), (0, 1))

    def test_byte_by_byte(self):
        """Slow, but never idle: the deadline is absolute."""
        got = self.outcome(
            "import time\n"
            "frame = b' ' * 10000\n"
            "for n in range(10000):\n"
            "    write(frame[n:n + 1]); time.sleep(0.01)\n",
            limits={"wall": 1})
        self.assertEqual(got.kind, "timeout")

    def test_frame_in_single_bytes(self):
        got = self.outcome(
            "for byte in b'{\"type\":\"done\",\"value\":[1,\"\\xc3\\xa9\"]}"
            "\\n': write(bytes([byte]))\nforever()")
        self.assertEqual(got.result["value"], [1, "é"])

    def test_nonblocking_channel(self):
        got = self.outcome(
            "os.set_blocking(3, False)\n"
            "got = [call_tool('echo', {'n': n, 'pad': 'x' * 300000})['n']"
            " for n in range(5)]\nreturn got")
        self.assertIn(got.kind, (None, "exception", "protocol_violation",
                                 "worker_exit"))
        if got.kind is None:
            self.assertEqual(got.result["value"], [0, 1, 2, 3, 4])

    def test_descriptors_that_come_along(self):
        """Descriptors sent beside the bytes do not stay with the host."""
        meeting = self.meeting()
        process = self.start(
            WRITE + "import array, socket\n"
            "s = socket.socket(fileno=os.dup(3))\n"
            "meet()\n"
            "sent = 0\n"
            "for n in range(200):\n"
            "    fds = array.array('i', [0] * 10)\n"
            "    try: s.sendmsg([b' '], [(socket.SOL_SOCKET,"
            " socket.SCM_RIGHTS, fds)])\n"
            "    except OSError: break\n"  # too many that nobody has read
            "    sent += 10\n"
            "meet()\nsent", tools={"meet": meeting.tool()},
            limits={"wall": 100})
        counts = []
        for _ in range(2):
            self.assertTrue(meeting.wait(1, process))
            # The guardian before may take a moment to be reaped.
            fds = "/proc/%d/fd" % process.pid
            until = time.monotonic() + HANG
            while (counts and len(os.listdir(fds)) != counts[0] and
                   time.monotonic() < until):
                time.sleep(0.01)
            counts.append(len(os.listdir(fds)))
            meeting.release(1)
        got = finish(process)
        self.assertEqual(got.kind, None, got.result["error"])
        self.assertGreater(got.result["value"], 0)
        self.assertEqual(counts[0], counts[1])

    def test_out_of_band(self):
        got = self.outcome(
            "import socket\n"
            "s = socket.socket(fileno=os.dup(3))\n"
            "try: s.send(b'!', socket.MSG_OOB)\n"
            "except OSError: pass\n"
            "return echo(a=1)")
        self.assertIn(got.kind, (None, "protocol_violation"))


if __name__ == "__main__":
    main()
