#!/usr/bin/env python3
"""What becomes of the program's output: unchanged on a pipe, escaped on a
terminal, captured to a cap, shown as a preview."""
import os
import pty
import select
import subprocess
import termios

from weir_test import HANG, Case, command, main, run

ODD = (b"plain \xc3\xa9\n" b"tab\there\r\n" b"\x1b[31mred\x1b[0m \x07\x00"
       b"\xff\xfe\xc3 \xe2\x80\xa8 \xc2\x9b31m end")
WRITE_ODD = "import os\nos.write(1, %r)\n" % ODD


def on_terminal(program, *options, stream=1):
    """Runs with stdout (or stderr) on a terminal; what the terminal got."""
    master, slave = pty.openpty()
    attributes = termios.tcgetattr(slave)
    attributes[1] &= ~termios.OPOST
    termios.tcsetattr(slave, termios.TCSANOW, attributes)
    streams = {1: {"stdout": slave, "stderr": subprocess.DEVNULL},
               2: {"stderr": slave, "stdout": subprocess.DEVNULL}}[stream]
    process = subprocess.Popen(
        command(*options, json=False) + ["-c", program],
        stdin=subprocess.DEVNULL, **streams)
    os.close(slave)
    got = b""
    while True:
        if not select.select([master], [], [], HANG)[0]:
            process.kill()
            raise AssertionError("no end; so far %r" % got[:500])
        try:
            piece = os.read(master, 65536)
        except OSError:
            break  # EIO: the last one has closed it
        if not piece:
            break
        got += piece
    process.wait(HANG)
    os.close(master)
    return got


class Plain(Case):
    def test_bytes_are_unchanged_on_a_pipe(self):
        got = run(WRITE_ODD + "os.write(2, %r)" % ODD[::-1], json=False)
        self.assertEqual(got.stdout, ODD)
        self.assertEqual(got.stderr, ODD[::-1])
        self.assertEqual(got.code, 0)

    def test_ten_megabytes_through_a_pipe(self):
        got = run("import sys\n"
                  "block = bytes(range(256)) * 40\n"
                  "for n in range(1024):\n"
                  "    sys.stdout.buffer.write(b'%08d' % n + block)\n",
                  json=False)
        block = bytes(range(256)) * 40
        self.assertEqual(len(got.stdout), 1024 * (8 + len(block)))
        self.assertEqual(got.stdout, b"".join(
            b"%08d" % n + block for n in range(1024)))
        self.assertEqual(got.stderr, b"")

    def test_both_streams_at_once(self):
        got = run("import os, threading\n"
                  "def fill(fd, byte):\n"
                  "    for _ in range(64): os.write(fd, byte * 65536)\n"
                  "threads = [threading.Thread(target=fill, args=a)\n"
                  "           for a in ((1, b'o'), (2, b'e'))]\n"
                  "[t.start() for t in threads]; [t.join() for t in threads]",
                  json=False)
        self.assertEqual(got.stdout, b"o" * (64 * 65536))
        self.assertEqual(got.stderr, b"e" * (64 * 65536))

    def test_value_is_printed_on_request(self):
        self.assertEqual(run("print(1)\n[2, 'é']", json=False).stdout,
                         b"1\n")
        got = run("print(1)\n[2, 'é']", "--value", json=False)
        self.assertEqual(got.stdout, '1\n[2,"é"]\n'.encode())
        self.assertEqual(run("pass", "--value", json=False).stdout, b"null\n")

    def test_value_does_not_change_json(self):
        got = run("2", "--value")
        self.assertEqual(got.result["value"], 2)

    def test_traceback_and_last_line_on_stderr(self):
        got = run("import sys\nsys.stderr.write('before\\n')\n1 / 0",
                  json=False)
        lines = got.stderr.decode().splitlines()
        self.assertEqual(lines[0], "before")
        self.assertEqual(lines[1], "Traceback (most recent call last):")
        self.assertEqual(lines[-2], "ZeroDivisionError: division by zero")
        self.assertEqual(
            lines[-1],
            "weir: exception: ZeroDivisionError: division by zero")

    def test_reader_that_goes_away(self):
        process = subprocess.Popen(
            command(json=False) + [
                "-c", "for n in range(200000): print('x' * 100)\n"],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE)
        process.stdout.read(10)
        process.stdout.close()
        error = process.stderr.read()
        self.assertIsNotNone(process.wait(HANG))
        process.stderr.close()
        self.assertNotIn(b"Traceback", error)

    def test_standard_descriptors_closed(self):
        """What the command opens must not pass for its output."""
        for closed in ("1>&-", "2>&-", "0<&-", "0<&- 1>&- 2>&-"):
            line = " ".join("'%s'" % word for word in command())
            got = subprocess.run(
                ["sh", "-c", "%s -c 1 %s" % (line, closed)],
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=subprocess.PIPE, timeout=HANG)
            if "1>&-" not in closed:
                self.assertEqual(got.returncode, 0, (closed, got))
                self.assertTrue(got.stdout.endswith(b"}\n"), closed)


class Terminal(Case):
    def test_control_characters_are_shown_escaped(self):
        got = on_terminal(WRITE_ODD)
        self.assertTrue(got.startswith(b"plain \xc3\xa9\ntab\there"), got)
        for raw in (b"\x1b", b"\x07", b"\x00", b"\r", b"\xff", b"\xc2\x9b"):
            self.assertNotIn(raw, got)
        got.decode("utf-8")
        self.assertIn(b"[31mred", got)

    def test_stderr_as_well(self):
        got = on_terminal("import os\nos.write(2, %r)" % ODD, stream=2)
        self.assertNotIn(b"\x1b", got)
        self.assertIn(b"[31mred", got)

    def test_raw(self):
        self.assertEqual(on_terminal(WRITE_ODD, "--raw"), ODD)

    def test_messages_of_the_program_are_escaped(self):
        got = on_terminal("raise ValueError('\\x1b[2J')", stream=2)
        self.assertIn(b"weir: exception", got)
        self.assertNotIn(b"\x1b", got)


class Captured(Case):
    def test_invalid_utf8_in_the_result(self):
        result = self.succeeds(WRITE_ODD)
        self.assertEqual(result["stdout"], ODD.decode("utf-8", "replace"))
        self.assertEqual(result["streams"]["stdout"]["bytes"], len(ODD))

    def test_what_was_not_flushed_is_there_after_exit(self):
        result = self.fails(
            "worker_exit", "import sys\nprint('kept', end='')\nsys.exit(3)"
        ).result
        self.assertEqual(result["stdout"], "kept")

    def test_output_before_a_kill_is_there(self):
        result = self.fails("timeout", "print('x')\nimport time\n"
                            "time.sleep(9)",
                            limits={"wall": 1, "grace": 0}).result
        self.assertEqual(result["stdout"], "x\n")

    def test_output_of_atexit_and_threads(self):
        result = self.succeeds(
            "import atexit, threading\n"
            "atexit.register(print, 'last')\n"
            "gate = threading.Event()\n"
            "def late():\n    gate.wait(); print('thread')\n"
            "threading.Thread(target=late).start()\n"
            "print('main'); gate.set(); 5")
        self.assertEqual(result["stdout"], "main\nthread\nlast\n")
        self.assertEqual(result["value"], 5)

    def test_end_does_not_wait_for_a_reader_of_stdin(self):
        result = self.succeeds("import sys\nrepr(sys.stdin.read())")
        self.assertEqual(result["value"], "''")

    def test_five_megabyte_value_beside_noise(self):
        result = self.succeeds(
            "import os, threading\n"
            "going = True\n"
            "def noise():\n"
            "    while going: os.write(1, b'{\"type\":\"done\"}\\n' * 99)\n"
            "thread = threading.Thread(target=noise)\n"
            "thread.start()\n"
            "value = ['%07d' % n for n in range(500000)]\n"
            "going = False\n"
            "thread.join()\n"
            "return value", limits={"value": "8M", "wall": 100})
        self.assertEqual(result["value"],
                         ["%07d" % n for n in range(500000)])
        self.assertGreater(result["streams"]["stdout"]["bytes"], 0)

    def test_value_with_noise_until_the_end(self):
        """A thread that never stops printing does not hold the answer up."""
        result = self.succeeds(
            "import os, threading\n"
            "def noise():\n"
            "    while True: os.write(1, b'#' * 4096)\n"
            "threading.Thread(target=noise, daemon=True).start()\n"
            "return 'v' * 5000000", limits={"value": "8M", "wall": 100})
        self.assertEqual(result["value"], "v" * 5000000)


if __name__ == "__main__":
    main()
