"""What the end-to-end tests share: running `weir run` as a user does, reading
its one JSON object, and looking from outside at what it left behind.

Environment, all of it optional:
  WEIR         the command             (build/bin/weir of this tree)
  WEIR_LAYERS  the same, built with TEST_LAYERS=1      (build-layers/bin/weir)
  WEIR_SOURCES the sources, for tables that tests walk           (this tree)
  WEIR_TOOLS   directory of the programs of tests/tools    (build/tests/tools)
  WEIR_SHARED  directory with more hostile programs, or empty
  WEIR_PYTHON  the interpreter that programs run in      (/usr/bin/python3)
  WEIR_LEVEL   `process`: as on a host that refuses namespaces; `spaces`: as on
               one that refuses mounts; otherwise isolated

Nothing here sleeps or measures time. HANG only bounds a test that would
otherwise never end.
"""
import contextlib
import ctypes
import faulthandler
import fcntl
import json
import os
import pathlib
import re
import select
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import traceback
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
HANG = 120


def from_environment(name, default):
    value = os.environ.get(name)
    return pathlib.Path(value if value else default)


WEIR = from_environment("WEIR", ROOT / "build/bin/weir")
LAYERS = from_environment("WEIR_LAYERS", ROOT / "build-layers/bin/weir")
SOURCES = from_environment("WEIR_SOURCES", ROOT)
TOOLS = from_environment("WEIR_TOOLS", ROOT / "build/tests/tools")
SHARED = os.environ.get("WEIR_SHARED") or ""
PYTHON = os.environ.get("WEIR_PYTHON") or "/usr/bin/python3"
IS_ROOT = os.geteuid() == 0
LEVEL = os.environ.get("WEIR_LEVEL") or "isolated"
# Whether programs have a root of their own.
OWN_ROOT = LEVEL == "isolated"
# What the result calls it.
LEVEL_WORD = {"spaces": "process"}.get(LEVEL, LEVEL)

# What stands before the command, and which options it gets, for each level.
HOSTS = {
    "isolated": ([], []),
    "spaces": ([], ["--level", "process", "--backend", "process"]),
    "process": ([str(TOOLS / "deny"), "clone:0&0x10000000=EPERM", "--"],
                ["--level", "process"]),
    "none": ([], ["--unconfined"]),
}

# The bases of workspaces that stand on the host's disk: the first that can be
# had is it.
BASES = ["/tmp/weir-%d" % os.geteuid()] + [
    "/tmp/weir-%d.%d" % (os.geteuid(), i) for i in (1, 2, 3)]
if not IS_ROOT and os.path.isdir("/run/user/%d" % os.geteuid()):
    BASES[0] = "/run/user/%d/weir" % os.geteuid()


def own_bases():
    """Those that are there and the caller's: root of a user namespace may
    have taken one of root's names."""
    return [base for base in BASES
            if os.path.isdir(base) and os.stat(base).st_uid == os.geteuid()]


GUARANTEES = ("filesystem", "network", "process_tree", "identity", "cpu",
              "memory", "file_size", "process_count", "wall_clock",
              "environment")


class Outcome:
    """How one `weir run` ended: code, stdout and stderr as bytes and, with
    --json, the result object."""

    def __init__(self, code, stdout, stderr):
        self.code = code
        self.stdout = stdout
        self.stderr = stderr

    @property
    def result(self):
        """The object, which has to be alone on one line of UTF-8 without
        control characters."""
        text = self.stdout.decode("utf-8")
        if not text.endswith("\n") or text.count("\n") != 1:
            raise AssertionError("not one line: %r; stderr: %r" % (
                text[:2000], self.stderr[:2000]))
        raw = [c for c in text[:-1] if ord(c) < 32]
        if raw:
            raise AssertionError("raw control characters: %r" % raw)
        return json.loads(text, object_pairs_hook=without_repeats)

    @property
    def kind(self):
        error = self.result["error"]
        return error["kind"] if error else None


def without_repeats(pairs):
    names = [name for name, _ in pairs]
    if len(set(names)) != len(names):
        raise AssertionError("a member is named twice: %r" % names)
    return dict(pairs)


def command(*options, json=True, limits=None, tools=None, weir=None,
            python=PYTHON, level=LEVEL):
    """The words of a command line, but for the program."""
    before, asked = HOSTS[level]
    words = before + [str(weir or WEIR), "run"] + asked
    if json:
        words.append("--json")
    if python:
        words += ["--python", str(python)]
    for name, value in (limits or {}).items():
        words += ["--limit", "%s=%s" % (name, value)]
    for name, line in (tools or {}).items():
        if not isinstance(line, str):
            line = " ".join(shlex.quote(str(word)) for word in line)
        words += ["--tool", "%s=%s" % (name, line)]
    return words + list(options)


def start(program, *options, stdin=None, stdout=subprocess.PIPE,
          stderr=subprocess.PIPE, cwd="/", env=None, pass_fds=(), **more):
    """A running `weir run`. A short program goes on the command line, a long
    one through standard input; None leaves it to the options."""
    words = command(*options, **more)
    text = None
    if program is not None and len(program.encode()) < 100000:
        words += ["-c", program]
    elif program is not None:
        words.append("-")
        text = tempfile.TemporaryFile()
        text.write(program.encode())
        text.seek(0)
        stdin = text
    try:
        return subprocess.Popen(
            words, stdin=subprocess.DEVNULL if stdin is None else stdin,
            stdout=stdout, stderr=stderr, cwd=cwd, env=env,
            pass_fds=pass_fds)
    finally:
        if text is not None:
            text.close()


def finish(process, timeout=HANG):
    """Waits for the end of a started one."""
    try:
        stdout, stderr = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        stop(process)
        raise AssertionError("no end within %d s" % timeout)
    return Outcome(process.returncode, stdout, stderr)


def stop(process):
    if process.poll() is None:
        process.kill()
        process.wait()
    for pipe in (process.stdout, process.stderr):
        if pipe is not None:
            pipe.close()


def run(program, *options, timeout=HANG, **more):
    return finish(start(program, *options, **more), timeout)


# --- tools for programs to call ------------------------------------------

def shell(script, *words):
    """The command line of a tool written in shell."""
    return ["sh", "-c", script, "tool"] + [str(word) for word in words]


# The arguments come back as the result.
ECHO = "cat"
# Who a test of root's becomes. Not 65534, who runs all of this at the same time
# and looks at what is left in that user's base directory.
PLAIN_UID = 65533


class Meeting:
    """A place where tools announce themselves and wait to be let go, made of
    two FIFOs in a directory: `arrived` and `go`. Both are held open here, so
    that nobody blocks in open(2)."""

    def __init__(self, directory):
        self.arrived = os.path.join(directory, "arrived")
        self.go = os.path.join(directory, "go")
        self.fds = []
        for path in (self.arrived, self.go):
            os.mkfifo(path)
            self.fds.append(os.open(path, os.O_RDWR | os.O_CLOEXEC))

    def tool(self, result="1"):
        """Says that it is there, waits for a line, answers result."""
        return shell('echo x >"$1"; read line <"$2"; echo "$3"',
                     self.arrived, self.go, result)

    def announcer(self, result="1"):
        """Says that it is there and answers at once."""
        return shell('echo x >"$1"; echo "$2"', self.arrived, result)

    def releaser(self, result="1"):
        """Lets one waiting tool go."""
        return shell('echo x >"$1"; echo "$2"', self.go, result)

    def wait(self, count, process, timeout=HANG):
        """Returns when count tools have arrived; False when they do not, or
        when the process has ended."""
        end = os.pidfd_open(process.pid)
        try:
            while count > 0:
                ready = select.select([self.fds[0], end], [], [], timeout)[0]
                if self.fds[0] not in ready:
                    return False
                count -= os.read(self.fds[0], 2 * count).count(b"x")
            return True
        finally:
            os.close(end)

    def pending(self):
        """How many have arrived that nobody waited for."""
        if not select.select([self.fds[0]], [], [], 0)[0]:
            return 0
        return os.read(self.fds[0], 65536).count(b"x")

    def release(self, count):
        os.write(self.fds[1], b"x\n" * count)

    def close(self):
        for fd in self.fds:
            os.close(fd)


# --- looking from outside -------------------------------------------------

PR_SET_CHILD_SUBREAPER = 36


def become_subreaper():
    """From here on whatever outlives its parent becomes our child, so that
    survivors() sees it."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "PR_SET_CHILD_SUBREAPER")


def wait_for_orphans():
    """Waits for the end of everything that has become our child; whether it
    came."""
    while True:
        try:
            first = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG |
                              os.WNOWAIT)
        except ChildProcessError:
            return True
        if first is not None:
            os.waitpid(first.si_pid, 0)
            continue
        fds = []
        with open("/proc/self/task/%d/children" % os.getpid()) as file:
            for word in file.read().split():
                try:
                    fds.append(os.pidfd_open(int(word)))
                except ProcessLookupError:
                    pass
        try:
            if fds and not select.select(fds, [], [], HANG)[0]:
                return False
        finally:
            for fd in fds:
                os.close(fd)


def wait_for_guardians():
    """One that is late is let go, with its work: it ends when that is
    done."""
    with open("/proc/self/task/%d/children" % os.getpid()) as file:
        children = file.read().split()
    for pid in children:
        try:
            fd = os.pidfd_open(int(pid))
        except ProcessLookupError:
            continue
        try:
            with open("/proc/%s/cmdline" % pid, "rb") as file:
                if b"\0guard\0" in file.read():
                    select.select([fd], [], [], 10)
        except OSError:
            pass
        os.close(fd)


def survivors():
    """What runs still beneath this process, as text; ended and reaped. An
    interpreter that has ended does not run: where process 1 got no time to
    reap it, init does."""
    found = []
    wait_for_guardians()
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            with open("/proc/%s/stat" % entry) as file:
                name, rest = file.read().split("(", 1)[1].rsplit(")", 1)
            if int(rest.split()[1]) == os.getpid():
                found.append((int(entry), name, rest.split()[0]))
        except (FileNotFoundError, ProcessLookupError):
            continue
    for pid, _, _ in found:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    return ["%s (%s)" % (name, state) for _, name, state in found
            if state != "Z" or not name.startswith("python")]


def end_survivors():
    """Leaves nothing of a failed test for the next one."""
    while survivors():
        pass


def parent_of(pid):
    """0 where there is none, or no such process any more."""
    try:
        with open("/proc/%s/stat" % pid) as file:
            return int(file.read().rsplit(")", 1)[1].split()[1])
    except (FileNotFoundError, ProcessLookupError):
        return 0


def of_another_test(pid):
    """Whether it runs beneath another test file: the plain user's and
    root's are run at a time. Whom somebody left behind is beneath none."""
    while pid := parent_of(pid):
        try:
            with open("/proc/%d/cmdline" % pid, "rb") as file:
                command = file.read()
        except (FileNotFoundError, ProcessLookupError):
            return False
        if pid != os.getpid() and re.search(rb"/e2e/test_\w+\.py\0", command):
            return True
    return False


def processes_named(marker):
    """Every process of the host whose name or command line has the marker,
    but for this one and those of other tests."""
    found = []
    for entry in os.listdir("/proc"):
        if not entry.isdigit() or int(entry) == os.getpid():
            continue
        for what in ("comm", "cmdline"):
            try:
                with open("/proc/%s/%s" % (entry, what), "rb") as file:
                    text = file.read()
            except OSError:
                continue
            if marker.encode() in text:
                # One that is gone by now had no time to have a parent.
                if not of_another_test(entry) and parent_of(entry):
                    found.append("%s %s" % (entry, text[:100]))
                break
    return found


def process_2(process):
    """Its id on the host: the second one of the only other PID namespace."""
    waiting = [process.pid]
    while waiting:
        pid = waiting.pop()
        with open("/proc/%d/status" % pid) as file:
            ids = [line.split()[1:] for line in file
                   if line.startswith("NSpid:")][0]
        if len(ids) > 1 and ids[-1] == "2":
            return pid
        with open("/proc/%d/task/%d/children" % (pid, pid)) as file:
            waiting += [int(word) for word in file.read().split()]
    raise AssertionError("there is no process 2")


def mounts():
    with open("/proc/self/mountinfo") as file:
        return sorted(line.split(" ", 5)[4] for line in file)


def ipc_objects():
    found = []
    for name in ("shm", "sem", "msg"):
        with open("/proc/sysvipc/" + name) as file:
            found += [(name, line.split()[1]) for line in file.readlines()[1:]]
    return sorted(found)


def kernel_names():
    """Keys, and sockets with a name of their own: what is in neither a
    directory nor a process. Of those that the kernel and logins make
    themselves, and of other tests, nothing is told."""
    found = set()
    with open("/proc/keys") as file:
        for line in file:
            words = line.split(None, 8)
            if not re.match(r"[._]", words[8]):
                found.add("%s %s" % (words[7], words[8].strip()))
    with open("/proc/net/unix") as file:
        for line in file:
            name = line.split(None, 7)[7:]
            if name and name[0].startswith("@") and (
                    not re.match(r"@(weir-e2e-|wh(?!%d\b)\d)" % os.getpid(),
                                 name[0])):
                found.add(name[0].strip())
    return sorted(found)


def leftovers(*words):
    """What has one of the words in its name where everybody may write."""
    found = []
    for place in ("/tmp", "/var/tmp", "/dev/shm", "/dev/mqueue", "/run/lock"):
        try:
            found += [place + "/" + name for name in os.listdir(place)
                      if any(word in name for word in words)]
        except OSError:
            continue
    return sorted(found)


class Case(unittest.TestCase):
    """A test with a directory of its own, which a plain user may use."""

    maxDiff = None

    def setUp(self):
        self.directory = tempfile.mkdtemp(prefix="weir-e2e-")
        self.addCleanup(shutil.rmtree, self.directory, ignore_errors=True)

    def path(self, name):
        return os.path.join(self.directory, name)

    def write(self, name, content):
        with open(self.path(name), "wb") as file:
            file.write(content if isinstance(content, bytes)
                       else content.encode())
        return self.path(name)

    def start(self, program, *options, **more):
        """A running one, which is ended with the test at the latest."""
        process = start(program, *options, **more)
        self.addCleanup(stop, process)
        return process

    def meeting(self):
        meeting = Meeting(self.directory)
        self.addCleanup(meeting.close)
        return meeting

    def succeeds(self, program, *options, **more):
        """Runs a program that has to end well; its result."""
        got = run(program, *options, **more)
        result = got.result
        self.assertIsNone(result["error"], result["error"])
        self.assertEqual(got.code, 0)
        return result

    def value(self, program, *options, **more):
        return self.succeeds(program, *options, **more)["value"]

    def fails(self, kind, program, *options, **more):
        """Runs a program that has to end as kind; the outcome."""
        got = run(program, *options, **more)
        self.assertEqual(got.kind, kind, got.result["error"])
        return got


def ending(got):
    """How it ended, in a word: ok, signal N, or a kind."""
    result = got.result
    if result["error"] is None:
        return "ok"
    if result["exit"]["signal"] and result["exit"]["by"] == "program":
        return "signal %d" % result["exit"]["signal"]
    return got.kind


class Host:
    """What a host has and wants to keep: a secret in its environment and in
    a file, a listener on a port and one on an abstract socket. Counts who
    has come."""

    def __init__(self, directory):
        self.secret = "secret-%s" % os.urandom(8).hex()
        self.file = os.path.join(directory, "secret")
        with open(self.file, "w") as file:
            file.write(self.secret)
        self.visits = 0
        self.name = "weir-e2e-" + os.urandom(8).hex()
        self.listeners = [socket.create_server(("127.0.0.1", 0)),
                          socket.socket(socket.AF_UNIX)]
        self.listeners[1].bind("\0" + self.name)
        self.listeners[1].listen()
        self.port = self.listeners[0].getsockname()[1]

    def visited(self):
        """Whether anybody has come since it was asked last."""
        found = False
        for listener in self.listeners:
            while select.select([listener], [], [], 0)[0]:
                listener.accept()[0].close()
                found = True
        return found

    def close(self):
        for listener in self.listeners:
            listener.close()


class Watched(Case):
    """Runs programs with an eye on everything that they must not leave
    behind or get at."""

    # An end by a limit takes these; the rest is a bound for a hang.
    LIMITS = {"wall": "1500ms", "grace": "200ms", "cpu": 20,
              "preview": "64K"}
    BOUND = 60
    LARGEST = 1 << 20

    def setUp(self):
        super().setUp()
        become_subreaper()
        self.addCleanup(end_survivors)
        os.chmod(self.directory, 0o755)
        self.host = Host(self.directory)
        self.addCleanup(self.host.close)
        self.home = self.path("home")
        os.mkdir(self.home, 0o777)
        self.mark = "wh%d" % os.getpid()
        self.environment = dict(
            os.environ, E2E_SECRET=self.host.secret, HOME=self.home,
            TMPDIR=self.home)

    @contextlib.contextmanager
    def streams(self):
        """Standard input and error of the command, which have to be the same
        afterwards: nothing read of the one, nothing written to the other,
        and no flag changed."""
        with open(self.write("input", "untouched"), "rb") as stdin, open(
                self.path("error"), "ab") as stderr:
            before = [fcntl.fcntl(file, fcntl.F_GETFL)
                      for file in (stdin, stderr)]
            yield stdin, stderr
            self.assertEqual([fcntl.fcntl(file, fcntl.F_GETFL)
                              for file in (stdin, stderr)], before)
            self.assertEqual(os.lseek(stdin.fileno(), 0, os.SEEK_CUR), 0)
            with open(self.path("error")) as file:
                said = [line for line in file
                        if not line.startswith("weir: warning: --unconfined")]
            self.assertEqual(said, [])

    def watch(self, program, *words, **more):
        """Runs it and checks what has to hold whatever it does; the
        outcome. words: further marks by which leftovers are known."""
        marks = (self.mark, *words)
        before = (mounts(), ipc_objects(), kernel_names(),
                  leftovers(*marks))
        with self.streams() as (stdin, stderr):
            got = run(program, timeout=self.BOUND, cwd=self.home,
                      env=self.environment, stdin=stdin, stderr=stderr,
                      **dict({"limits": self.LIMITS}, **more))
        self.assertEqual(survivors(), [], "processes beneath the command")
        for word in marks:
            self.assertEqual(processes_named(word), [])
        self.assertEqual((mounts(), ipc_objects(), kernel_names(),
                          leftovers(*marks)), before)
        self.assertEqual(os.listdir(self.home), [])
        self.assertFalse(self.host.visited(), "somebody came to a listener")
        self.assertLess(len(got.stdout), self.LARGEST)
        self.assertNotIn(self.host.secret.encode(), got.stdout)
        got.result  # one line of JSON
        control = run("6 * 7", env=self.environment)
        self.assertEqual(control.result["value"], 42)
        return got


def rows(case, table):
    """Makes a test of each row of a table: name: arguments of case.check."""
    def add(name, arguments):
        def test(self):
            self.check(*arguments)
        test.__name__ = "test_" + name
        setattr(case, test.__name__, test)

    for name, arguments in table.items():
        add(name, arguments if isinstance(arguments, tuple) else (arguments,))


# In a result that may be no object.
ERROR = re.compile(rb'"error":(\{.*?\}|null)')


class Telling(unittest.TextTestResult):
    """Says of a failure what each of its functions had at hand: a test that
    fails once in a thousand runs has to tell all it knows that time."""

    LONGEST = 1500  # characters of one value

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self.tell(self.failures, err)

    def addError(self, test, err):
        super().addError(test, err)
        self.tell(self.errors, err)

    def addSubTest(self, test, subtest, err):
        super().addSubTest(test, subtest, err)
        if err is not None:
            failed = issubclass(err[0], test.failureException)
            self.tell(self.failures if failed else self.errors, err)

    def tell(self, reports, err):
        test, text = reports[-1]
        for frame, line in traceback.walk_tb(err[2]):
            place = pathlib.Path(frame.f_code.co_filename).resolve()
            if HERE not in place.parents:
                continue
            text += "\n%s, line %d:\n" % (frame.f_code.co_name, line)
            for name, value in sorted(frame.f_locals.items()):
                if name != "self":
                    text += "    %s = %s\n" % (name, self.shown(value))
        reports[-1] = (test, text)

    def shown(self, value):
        if isinstance(value, Outcome):
            return "code %r, error %s, stderr %s, stdout %s" % (
                value.code, ERROR.findall(value.stdout or b""),
                self.short(value.stderr), self.short(value.stdout))
        if isinstance(value, dict) and value.get("error"):
            return "error %r in %s" % (value["error"], self.short(value))
        return self.short(value)

    def short(self, value):
        try:
            shown = repr(value)
        except Exception as error:  # what is shown is never the failure
            shown = "(%s)" % type(error).__name__
        if len(shown) <= self.LONGEST:
            return shown
        half = self.LONGEST // 2
        return "%s ... %s" % (shown[:half], shown[-half:])


def main():
    if not os.access(WEIR, os.X_OK):
        sys.exit("%s is not there; build it, or set WEIR" % WEIR)
    # Says where, before run.py gives the file up.
    faulthandler.dump_traceback_later(1000, exit=True)
    unittest.main(testRunner=unittest.TextTestRunner(resultclass=Telling))
