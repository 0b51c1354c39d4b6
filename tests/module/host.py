"""A host for tests: starts an interpreter with bootstrap.py and _weir, with
no supervisor and no confinement, and speaks the protocol's other side."""
import fcntl
import functools
import json
import os
import socket
import subprocess
import sys
import tempfile

if hasattr(sys, "set_int_max_str_digits"):
    sys.set_int_max_str_digits(0)

KIB = 1024


class Failed(Exception):
    """Raised by a tool of a test: an error reply."""

    def __init__(self, kind="failed", message="it failed", hard=False):
        super().__init__(kind)
        self.reply = {"kind": kind, "message": message, "hard": hard}


class Raw(str):
    """A value of a tool that is JSON text already."""


class Handle:
    def __init__(self, token, size, **more):
        self.reply = dict(more, token=token, size=size)


class Child:
    """One interpreter that has been started."""

    def __init__(self, python, libexec, plan, environment=None):
        ours, theirs = socket.socketpair()
        plan_fd = os.memfd_create("plan")
        os.write(plan_fd, plan)
        high = [fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 20)
                for fd in (theirs.fileno(), plan_fd)]
        theirs.close()
        os.close(plan_fd)
        self.out = tempfile.TemporaryFile()
        self.err = tempfile.TemporaryFile()
        null = os.open("/dev/null", os.O_RDONLY | os.O_CLOEXEC)
        code = ("import sys; sys.path.insert(0, %r); import bootstrap; "
                "bootstrap.main()" % libexec)
        dup = os.POSIX_SPAWN_DUP2
        self.pid = os.posix_spawn(
            python, ["python3", "-I", "-S", "-X", "utf8", "-u", "-c", code],
            environment or {"TMPDIR": tempfile.gettempdir()},
            file_actions=[(dup, null, 0), (dup, self.out.fileno(), 1),
                          (dup, self.err.fileno(), 2), (dup, high[0], 3),
                          (dup, high[1], 6)])
        for fd in high + [null]:
            os.close(fd)
        self.channel = ours
        self.channel.settimeout(60)
        self.pending = b""
        self.next_id = 0
        self.status = None
        self.texts = None

    def send(self, message):
        if isinstance(message, dict):
            message = json.dumps(message).encode()
        self.channel.sendall(message + b"\n")

    def receive_line(self):
        """The next line; None at the end."""
        while b"\n" not in self.pending:
            try:
                data = self.channel.recv(256 * KIB)
            except ConnectionResetError:
                data = b""
            if not data:
                return None
            self.pending += data
        line, _, self.pending = self.pending.partition(b"\n")
        return line

    def receive(self):
        """The next frame. Ids have no gaps, whatever happens."""
        line = self.receive_line()
        if line is None:
            return None
        message = json.loads(line)
        if message["type"] == "call":
            assert message["id"] == self.next_id, (message, self.next_id)
            self.next_id += 1
        return message

    def is_silent(self, seconds=0.2):
        """Whether it writes nothing more for a while."""
        self.channel.settimeout(seconds)
        try:
            return self.pending == b"" and self.channel.recv(1) == b""
        except OSError:
            return self.pending == b""
        finally:
            self.channel.settimeout(60)

    def end(self):
        """Ends it and collects what it wrote."""
        if self.texts is None:
            if self.status is None:
                os.kill(self.pid, 9)
                self.status = os.waitpid(self.pid, 0)[1]
            self.channel.close()
            self.texts = []
            for stream in (self.out, self.err):
                stream.seek(0)
                self.texts.append(
                    stream.read().decode("utf-8", "backslashreplace"))
                stream.close()
        return self.texts

    def wait(self):
        """Waits for it to end by itself."""
        if self.status is None:
            self.status = os.waitpid(self.pid, 0)[1]
        return self.status


class Result:
    def __init__(self):
        self.done = None     # the last frame, without its type
        self.calls = []      # (name, arguments)
        self.ids = []
        self.stdout = self.stderr = ""
        self.status = None   # wait status, when it ended without done

    @property
    def value(self):
        assert "value" in self.done, (self.done, self.stderr)
        return self.done["value"]

    @property
    def error(self):
        assert "error" in self.done, self.done
        return self.done["error"]


def reply_line(number, answer):
    """The reply to one call: answer is called for the value."""
    try:
        value = answer()
    except Failed as error:
        return json.dumps({"type": "reply", "id": number,
                           "error": error.reply}).encode()
    if isinstance(value, Handle):
        return json.dumps({"type": "reply", "id": number,
                           "handle": value.reply}).encode()
    text = value if isinstance(value, Raw) else json.dumps(value)
    return ('{"type":"reply","id":%d,"value":%s}' % (number, text)).encode()


class Host:
    def __init__(self, python, libexec, mkplan, canaries=()):
        self.python = python
        self.libexec = libexec
        self.mkplan = mkplan
        self.plan = subprocess.run([mkplan, "3", *canaries], check=True,
                                   stdout=subprocess.PIPE).stdout

    def start(self, environment=None):
        return Child(self.python, self.libexec, self.plan, environment)

    def run(self, program, tools=None, value=256 * KIB, arguments=KIB * KIB,
            hold=0, frame=None, own=None):
        """Runs a program. tools: name to function of the arguments; own: the
        same of those that are not offered. hold: that many calls are
        collected, then answered last first."""
        tools = tools or {}
        child = self.start()
        result = Result()
        held = []
        try:
            ready = child.receive()
            if ready is None:
                raise AssertionError("not ready: %r" % child.end())
            result.ready = ready
            child.send({"type": "run", "program": program,
                        "tools": list(tools), "limits": {
                            "frame": frame or max(value, arguments) + 64 * KIB,
                            "value": value, "arguments": arguments}})
            while True:
                message = child.receive()
                if message is None:
                    result.status = child.wait()
                    break
                if message.pop("type") == "done":
                    result.done = message
                    break
                name, given = message["name"], message["arguments"]
                result.calls.append((name, given))
                result.ids.append(message["id"])

                def answer(name=name, given=given):
                    function = tools.get(name) or (own or {}).get(name)
                    if function is None:
                        raise Failed("not_offered", "no such tool")
                    return function(given)

                held.append(reply_line(message["id"], answer))
                if len(held) >= hold:
                    while held:
                        child.send(held.pop())
        finally:
            result.stdout, result.stderr = child.end()
        return result


current = None  # the Host that the tests use


def since(*version):
    """A test of something that came with that version of Python; with older
    ones there is nothing to test."""
    def decorate(test):
        @functools.wraps(test)
        def run(self):
            if current.version >= version:
                test(self)
        return run
    return decorate
