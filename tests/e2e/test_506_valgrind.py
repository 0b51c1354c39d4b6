#!/usr/bin/env python3
"""The supervisor under valgrind: no bad access, no memory lost, no descriptor
left open, whatever the end."""
import json
import re
import shutil
import signal
import subprocess
import sys
import unittest

from weir_test import (ECHO, HANG, HERE, IS_ROOT, Watched, command, main, rows,
                       shell, stop)

VALGRIND = ["valgrind", "--error-exitcode=99", "--leak-check=full",
            "--show-leak-kinds=definite,indirect,possible",
            "--errors-for-leak-kinds=definite,indirect,possible",
            "--track-fds=yes", "--child-silent-after-fork=yes"]
# System calls newer than valgrind are answered with ENOSYS, which it says.
NEWS = re.compile(r"^--\d+-- ", re.M)

CALLS = ("import asyncio\n"
         "print('x' * 100000)\n"
         "rows = await asyncio.gather(*[echo(n=i) for i in range(40)])\n"
         "try: await fails()\n"
         "except ToolError as e: print(e)\n"
         "return rows")

ENDS = {
    "value": ("return [1, 'ä', {'a': None}]", {}, 0),
    "calls": (CALLS, {"tools": {"echo": ECHO, "fails": shell("exit 3")}}, 0),
    "large_value": ("return 'x' * 3000000", {"limits": {"value": "4M"}}, 0),
    "exception": ("def f(): 1/0\nf()", {}, 1),
    "syntax": ("if", {}, 1),
    "too_large": ("return 'x' * 3000000", {}, 1),
    "exit": ("import os\nos._exit(4)", {}, 1),
    "signal": ("import os\nos.abort()", {}, 134),
    "wall": ("while True: pass", {"limits": {"wall": "1s"}}, 124),
    "wall_in_a_tool": ("slow()", {"tools": {"slow": shell("sleep 98765")},
                                  "limits": {"wall": "2s"}}, 124),
    "violation": ("import os\nos.write(3, b'x\\n')\nwhile True: pass", {}, 1),
    "flood": ("import sys\nfor i in range(300):\n"
              " print('o' * 10000)\n print('e' * 10000, file=sys.stderr)",
              {"limits": {"stdout": "64K"}}, 0),
    "budget": ("return [echo(n=i) for i in range(9)]",
               {"tools": {"echo": ECHO}, "limits": {"calls": 3}}, 1),
    "no_interpreter": ("1", {"python": "/nowhere/python3"}, 127),
    "no_tool": ("1", {"tools": {"a": "/nowhere/command"}}, 2),
    "usage": ("1", {"limits": {"wall": "nonsense"}}, 2),
}


@unittest.skipUnless(shutil.which("valgrind"), "valgrind is not installed")
class Valgrind(Watched):
    def judge(self, stderr):
        text = NEWS.sub("", stderr.decode())
        self.assertIn("ERROR SUMMARY: 0 errors", text)
        opened = re.findall(r"Open (?:file descriptor|AF_UNIX socket) .*\n"
                            r"==\d+==    (.*)", text)
        self.assertEqual([at for at in opened if "inherited" not in at], [],
                         text)

    def check(self, program, more, code, *options):
        done = subprocess.run(
            VALGRIND + command(*options, **dict({"limits": {"grace": "100ms"}}, **more))
            + ["-c", program], stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=HANG)
        self.assertEqual(done.returncode, code, done.stderr.decode()[-4000:])
        self.judge(done.stderr)

    def test_servers(self):
        path = self.write("mcp.json", json.dumps({"mcpServers": {
            name: {"command": sys.executable,
                   "args": ["-B", str(HERE / "mcp_server.py"), word]}
            for name, word in (("s", ""), ("bad", "exits"),
                               ("loud", "banner"))}}))
        self.check("got = [s.echo(a=1), loud.echo(a=2)]\n"
                   "for call in s.fail, s.ask, s.big, s.die, s.echo:\n"
                   "    try:\n        call({'size': 3000000})\n"
                   "    except ToolError as error:\n"
                   "        got.append(error.kind)\n"
                   "return got", {}, 0, "--mcp-config", path)

    def test_signal_to_the_command(self):
        meeting = self.meeting()
        process = subprocess.Popen(
            VALGRIND + command(tools={"meet": meeting.tool()}) +
            ["-c", "meet()"], stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(stop, process)
        self.assertTrue(meeting.wait(1, process))
        process.send_signal(signal.SIGTERM)
        _, stderr = process.communicate(timeout=HANG)
        self.assertEqual(process.returncode, 130)
        self.judge(stderr)


# A plain user's supervisor differs in how it starts a child, and only there.
rows(Valgrind, ENDS if IS_ROOT else
     {name: ENDS[name] for name in ("value", "calls", "wall")})

if __name__ == "__main__":
    main()
