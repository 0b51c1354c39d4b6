#!/usr/bin/env python3
"""The limit `processes`: a grant of processes of the interpreter, and of no
other program. CPU time, memory and number are budgets of the tree, which is
contained and killed as one process is."""
import json
import os
import signal
import subprocess

import test_501_hostile
from weir_test import (IS_ROOT, LEVEL, LEVEL_WORD, OWN_ROOT, PYTHON, TOOLS,
                       WEIR, Case, Watched, become_subreaper, end_survivors,
                       finish, main, processes_named, rows, run, start,
                       survivors, wait_for_orphans)

# On the host's root and outside of every namespace a plain user's tree cannot
# be held: there nothing is run (Refused, below).
HELD = LEVEL != "process" or IS_ROOT

# Children that wait until their parent lets them go, or for ever.
CHILDREN = """
import os
def start(count):
    came, ready = os.pipe()
    gate, key = os.pipe()
    pids = []
    for _ in range(count):
        pid = os.fork()
        if pid == 0:
            os.close(key)
            os.write(ready, b"x")
            os.read(gate, 1)
            os._exit(7)
        pids.append(pid)
    for _ in range(count):
        os.read(came, 1)
    return pids, key
def end(pids, key):
    os.close(key)
    return [os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in pids]
def for_ever():
    here, there = os.pipe()
    os.read(here, 1)
"""

def living():
    """Beneath this process. On the host's root, of many that are killed at
    once some may be dead and not reaped when the result is out."""
    return [one for one in survivors() if "(Z)" not in one]


BURN = """
import time
def burn(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass
"""


class Tree(Case):
    """Programs that may have some processes."""

    LIMITS = {"processes": 4}

    def setUp(self):
        super().setUp()
        become_subreaper()
        self.addCleanup(end_survivors)

    def limits(self, **more):
        return dict(self.LIMITS, **more)

    def value(self, program, *options, **limits):
        return super().value(program, *options, limits=self.limits(**limits))

    def ends(self, kind, limit, program, **limits):
        """It ends as kind, at that limit, and nothing of it is left."""
        got = self.fails(kind, program, limits=self.limits(**limits))
        self.assertEqual(got.result["limit_hit"], limit, got.result["error"])
        self.assertEqual(living(), [])
        return got.result


class Default(Case):
    """Without the grant there is nothing of it."""

    def test_nothing_is_granted(self):
        result = self.succeeds(
            "import os, subprocess, sys\n"
            "found = []\n"
            "for what in (os.fork, lambda: os.execv(sys.executable, ['x']),\n"
            "             lambda: subprocess.run([sys.executable]),\n"
            "             lambda: os.waitpid(-1, 0), os.setsid,\n"
            "             lambda: os.kill(os.getppid(), 0)):\n"
            "    try: found.append(what())\n"
            "    except OSError as error: found.append(error.errno)\n"
            "found\n")
        self.assertEqual(result["value"], [1, 1, 1, 1, 1, 1])
        self.assertEqual(result["granted"]["processes"], 0)
        self.assertIsNone(result["usage"]["memory"])

    def test_zero_is_the_default(self):
        result = self.succeeds("1", limits={"processes": 0})
        self.assertEqual(result["granted"]["processes"], 0)
        self.assertIsNone(result["usage"]["memory"])

    def test_unconfined_has_no_number(self):
        result = self.succeeds("1", level="none", limits={"processes": 2})
        self.assertIsNone(result["granted"]["processes"])


class Honest(Tree):
    """What honest programs do with processes."""

    def test_the_interpreter(self):
        self.assertEqual(self.value(
            "import subprocess, sys\n"
            "got = subprocess.run([sys.executable, '-c',\n"
            "    'import sys; print(input().upper()); sys.exit(3)'],\n"
            "    input='abc', capture_output=True, text=True)\n"
            "[got.stdout, got.stderr, got.returncode]"),
            ["ABC\n", "", 3])

    def test_its_isolated_kind(self):
        self.assertEqual(self.value(
            "import subprocess, sys\n"
            "subprocess.check_output([sys.executable, '-ISc',\n"
            "    'print(6 * 7)'], close_fds=False).decode()"), "42\n")

    def test_a_pipeline(self):
        self.assertEqual(self.value(
            "import sys\n"
            "from subprocess import PIPE, Popen\n"
            "one = Popen([sys.executable, '-c',\n"
            "    'print(*\"cab\", sep=chr(10))'], stdout=PIPE)\n"
            "two = Popen([sys.executable, '-c',\n"
            "    'import sys; print(*sorted(sys.stdin), sep=\"\", end=\"\")'],"
            "\n"
            "    stdin=one.stdout, stdout=PIPE, start_new_session=True)\n"
            "one.stdout.close()\n"
            "[two.communicate()[0].decode(), one.wait(), two.wait()]"),
            ["a\nb\nc\n", 0, 0])

    def test_fork(self):
        self.assertEqual(self.value(
            CHILDREN + "end(*start(4))"), [7, 7, 7, 7])

    def test_many_one_after_the_other(self):
        self.assertEqual(self.value(
            CHILDREN + "[end(*start(2)) for _ in range(30)][-1]"), [7, 7])

    def test_signals_to_children(self):
        self.assertEqual(self.value(
            "import os, signal, subprocess, sys\n"
            + CHILDREN +
            "pids, key = start(3)\n"
            "os.kill(pids[0], signal.SIGTERM)\n"
            "os.setpgid(pids[1], pids[1])\n"
            "os.killpg(pids[1], signal.SIGKILL)\n"
            "child = subprocess.Popen([sys.executable, '-c', 'input()'],\n"
            "                         stdin=subprocess.PIPE)\n"
            "child.terminate()\n"
            "end(pids, key) + [child.wait()]"), [-15, -9, 7, -15])

    def test_a_pool_of_forks(self):
        self.assertEqual(self.value(
            "import multiprocessing\n"
            "def square(n): return n * n\n"
            "with multiprocessing.get_context('fork').Pool(2) as pool:\n"
            "    found = pool.map(square, range(5))\n"
            "found"), [0, 1, 4, 9, 16])

    def test_an_executor(self):
        self.assertEqual(self.value(
            "import multiprocessing\n"
            "from concurrent.futures import ProcessPoolExecutor\n"
            "def square(n): return n * n\n"
            "with ProcessPoolExecutor(\n"
            "        2, multiprocessing.get_context('fork')) as pool:\n"
            "    found = list(pool.map(square, range(5)))\n"
            "found"), [0, 1, 4, 9, 16])

    def test_spawn(self):
        """As with `python -c`: what runs stands in a module."""
        self.assertEqual(self.value(
            "import multiprocessing, sys\n"
            "open('work.py', 'w').write('''\n"
            "def put(end, n):\n"
            "    end.send(n * n)\n"
            "''')\n"
            "sys.path.insert(0, '')\n"
            "import work\n"
            "context = multiprocessing.get_context('spawn')\n"
            "here, there = context.Pipe()\n"
            "child = context.Process(target=work.put, args=(there, 9))\n"
            "child.start()\n"
            "found = here.recv()\n"
            "child.join()\n"
            "[found, child.exitcode]"), [81, 0])

    def test_asyncio(self):
        self.assertEqual(self.value(
            "import asyncio, sys\n"
            "child = await asyncio.create_subprocess_exec(\n"
            "    sys.executable, '-c', 'print(5)', stdout=-1)\n"
            "out, _ = await child.communicate()\n"
            "[out.decode(), child.returncode]"), ["5\n", 0])

    def test_a_forked_end_is_no_answer(self):
        """A child that falls out of the program's end is not the program."""
        result = self.succeeds(
            "import os\n"
            "pid = os.fork()\n"
            "if pid: status = os.waitpid(pid, 0)[1]\n"
            "'parent' if pid else 'child'", limits=self.LIMITS)
        self.assertEqual(result["value"], "parent")

    def test_what_is_granted_and_what_it_is_worth(self):
        result = self.succeeds("1", limits=self.LIMITS)
        self.assertEqual(result["granted"]["processes"], 4)
        proofs = result["isolation"]["guarantees"]
        self.assertEqual(result["isolation"]["level"], LEVEL_WORD)
        for name, text in (("cpu", "the sum of all processes against 30 s"),
                           ("process_count", "4 processes are granted and "
                            "watched; RLIMIT_NPROC 262 tasks")):
            self.assertEqual(proofs[name]["grade"], "unverified")
            self.assertIn(text, proofs[name]["evidence"])
        # Memory is one budget, of the size that one process may have.
        self.assertEqual(result["usage"]["memory"]["limit_kb"], 4 << 20)

    def test_sockets_stay_refused(self):
        """And with them forkserver, and managers."""
        self.assertEqual(self.value(
            "import multiprocessing\n"
            "try:\n"
            "    multiprocessing.get_context('forkserver').Process().start()\n"
            "except PermissionError: found = 'refused'\n"
            "found"), "refused")


class Number(Tree):
    def test_one_more_than_granted(self):
        self.ends("policy_refused", "processes",
                  CHILDREN + "start(5)\nfor_ever()")

    def test_one_more_below_a_child(self):
        self.ends("policy_refused", "processes", CHILDREN +
                  "if os.fork() == 0:\n    os.setsid()\n    start(4)\n"
                  "for_ever()")

    def test_without_a_first_thread(self):
        """Whose first thread has ended looks like a zombie, and lives."""
        self.ends("policy_refused", "processes", CHILDREN +
                  "import ctypes, threading\n"
                  "for _ in range(5):\n"
                  "    if os.fork() == 0:\n"
                  "        threading.Thread(target=for_ever).start()\n"
                  # The call is made without the interpreter's lock.
                  "        ctypes.CDLL(None).syscall(%d, 0)\n"
                  "for_ever()\n" % {"x86_64": 60}.get(os.uname().machine, 93))

    def test_tasks_are_the_kernels(self):
        """Without threads to spare there is no look to wait for."""
        self.assertEqual(self.value(
            CHILDREN +
            "children = start(4)\n"
            "try: os.fork()\n"
            "except BlockingIOError as error: found = error.errno\n"
            "[found] + end(*children)", threads=0), [11, 7, 7, 7, 7])

    def test_a_bomb(self):
        """Whichever limit it meets first, all of it ends."""
        got = run("import os, threading\n"
                  "while True:\n"
                  "    try: os.fork()\n"
                  "    except OSError: pass\n",
                  limits={"processes": 20, "threads": 40, "wall": 20,
                          "cpu": 60, "grace": 0})
        self.assertEqual(got.kind, "policy_refused", got.result["error"])
        self.assertEqual(got.result["limit_hit"], "processes")
        self.assertEqual(living(), [])
        self.assertTrue(wait_for_orphans())

    def test_a_bomb_in_sessions_of_its_own(self):
        got = run("import os, signal\n"
                  "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
                  "while True:\n"
                  "    try:\n"
                  "        if os.fork() == 0:\n"
                  "            os.setsid()\n"
                  "            if os.fork(): os._exit(0)\n"
                  "    except OSError: pass\n",
                  limits={"processes": 20, "threads": 40, "wall": 20,
                          "cpu": 60, "grace": 0})
        self.assertIn(got.kind, ("policy_refused", "worker_exit"))
        self.assertEqual(living(), [])
        self.assertTrue(wait_for_orphans())


class Bomb(Tree):
    """On the host's root, where no namespace ends with its process 1: what
    forks faster than its processes could be found one by one."""

    PROGRAM = ("import os\n"
               "while True:\n"
               "    try: os.fork() or os.setsid()\n"
               "    except OSError: pass\n")

    def test_all_at_once(self):
        if not IS_ROOT:
            return
        got = run(self.PROGRAM, level="process",
                  limits={"processes": 60, "threads": 100, "wall": 20,
                          "cpu": 60, "grace": 0})
        self.assertEqual(got.kind, "policy_refused", got.result["error"])
        self.assertEqual(got.result["limit_hit"], "processes")
        self.assertEqual(living(), [])
        self.assertTrue(wait_for_orphans())


class Budgets(Tree):
    """One for all of them together."""

    def test_cpu_side_by_side(self):
        result = self.ends("timeout", "cpu", CHILDREN + BURN +
                           "for _ in range(4):\n"
                           "    if os.fork() == 0:\n"
                           "        burn(0.6)\n"
                           "        os._exit(0)\n"
                           "for _ in range(4): os.wait()\n", cpu=1)
        self.assertGreaterEqual(result["usage"]["cpu_ms"], 1000)

    def test_cpu_one_after_the_other(self):
        """What was waited for is somebody's, and an orphan's is process
        1's."""
        for then in ("os.wait()", "pass"):
            with self.subTest(then):
                self.ends("timeout", "cpu", CHILDREN + BURN +
                          "for _ in range(6):\n"
                          "    came, ready = os.pipe()\n"
                          "    if os.fork() == 0:\n"
                          "        if os.fork(): os._exit(0)\n"
                          "        burn(0.3)\n"
                          "        os._exit(0)\n"
                          "    os.close(ready)\n"
                          "    os.read(came, 1)\n"
                          "    %s\n" % then, cpu=1)

    def test_cpu_is_told(self):
        result = self.succeeds(
            CHILDREN + BURN + "if os.fork() == 0:\n"
            "    burn(0.5)\n    os._exit(0)\nos.wait()\nNone",
            limits=self.LIMITS)
        self.assertGreaterEqual(result["usage"]["cpu_ms"], 500)

    def test_nobody_ignores_its_children(self):
        """Theirs would be in no sum."""
        self.assertEqual(self.value(
            "import signal\n"
            "found = []\n"
            "for what in (signal.SIG_IGN, print):\n"
            "    try: signal.signal(signal.SIGCHLD, what)\n"
            "    except PermissionError: found.append('refused')\n"
            "signal.signal(signal.SIGTERM, print)\n"
            "found + [int(signal.getsignal(signal.SIGCHLD))]"),
            ["refused", "refused", 0])

    MEMORY = CHILDREN + (
        "for _ in range(4):\n"
        "    if os.fork() == 0:\n"
        "        kept = bytearray(b'x') * (80 << 20)\n"
        "        for_ever()\n"
        "for_ever()\n")

    def test_memory(self):
        self.ends("memory", "memory", self.MEMORY, memory="200M")

    def test_memory_where_none_was_named(self):
        result = self.ends("memory", "memory", self.MEMORY,
                           address_space="200M")
        self.assertEqual(result["usage"]["memory"]["limit_kb"], 200 << 10)

    def test_memory_that_suffices(self):
        self.assertEqual(self.value(
            CHILDREN + "kept = bytearray(b'x') * (80 << 20)\n"
            "end(*start(4))", memory="600M"), [7, 7, 7, 7])

    def test_no_budget_at_all(self):
        got = run("1", json=False,
                  limits={"processes": 1, "address_space": "1024G"})
        self.assertEqual(got.code, 2)
        self.assertIn(b"processes: what they use together needs a limit",
                      got.stderr)


# Starts what `path` names and says how that went.
EXECUTE = """
import os, subprocess, sys
def write(name, text):
    with open(os.open(name, os.O_CREAT | os.O_WRONLY, 0o700), 'wb') as file:
        file.write(text)
def execute(*words, **more):
    try:
        got = subprocess.run(words, capture_output=True, **more)
        return got.stdout.decode() + got.stderr.decode()
    except OSError as error:
        return error.errno
"""


class Programs(Tree):
    """Nothing but the interpreter."""

    def test_of_the_system(self):
        found = self.value(
            EXECUTE +
            "found, tried = set(), 0\n"
            "for top in ('/usr/bin', '/usr/lib', '/lib64', '/bin'):\n"
            "    for place, _, names in os.walk(top):\n"
            "        for name in names:\n"
            "            path = os.path.join(place, name)\n"
            "            if tried < 40 and 'ld' not in name and (\n"
            "                    os.access(path, os.X_OK)) and not (\n"
            "                    os.path.samefile(path, sys.executable)):\n"
            "                tried += 1\n"
            "                found.add(execute(path))\n"
            "[execute('/bin/true'), execute('/bin/sh', '-c', ':'),\n"
            " tried > 0, sorted(found)]")
        self.assertEqual(found[:2], [2, 2] if OWN_ROOT else [13, 13])
        self.assertTrue(found[2])
        self.assertEqual(found[3], [13])

    COPY = ("text = open(sys.executable, 'rb').read()\n"
            "write('copy', text)\n")

    def test_written_by_the_program(self):
        self.assertEqual(self.value(
            EXECUTE + self.COPY +
            "line = '#!%s\\nprint(5)\\n' % sys.executable\n"
            "write('script', line.encode())\n"
            "os.symlink(os.path.realpath('copy'), 'link')\n"
            "[execute('./' + name) for name in ('copy', 'script', 'link')]"),
            [13, 13, 13])

    def test_linked_by_the_program(self):
        """A link to the interpreter is the interpreter."""
        self.assertEqual(self.value(
            EXECUTE + "os.symlink(sys.executable, 'link')\n"
            "execute('./link', '-ISc', 'print(5)')"), "5\n")

    def test_without_a_name(self):
        self.assertEqual(self.value(
            EXECUTE + self.COPY +
            "import ctypes\n"
            "libc = ctypes.CDLL(None, use_errno=True)\n"
            "found = []\n"
            "for what in (lambda: os.memfd_create('x'),\n"
            "             lambda: os.execve(os.open('copy', 0), ['x'], {}),\n"
            "             lambda: os.execve(os.open(sys.executable, 0),\n"
            "                               ['x'], {})):\n"
            "    try: found.append(what())\n"
            "    except OSError as error: found.append(error.errno)\n"
            "found"), [1, 1, 1])

    def test_of_the_process_itself(self):
        """On the host's root it is there, and is the interpreter."""
        self.assertEqual(self.value(
            EXECUTE + "execute('/proc/self/exe', '-ISc', 'print(5)')"),
            2 if OWN_ROOT else "5\n")

    def test_by_the_loader(self):
        """It may be executed, and what the program wrote cannot be mapped as
        code. On the host's root there are no mounts to see to that: there it
        is more of the same process."""
        found = self.value(
            EXECUTE + self.COPY +
            "import glob\n"
            "loader = glob.glob('/lib64/ld-linux-*.so.*') + glob.glob(\n"
            "    '/lib/ld-*.so.*')\n"
            "if %r: write('/dev/shm/copy', text)\n"
            "[execute(loader[0], sys.executable, '-ISc', 'print(5)'),\n"
            " execute(loader[0], './copy', '-ISc', 'print(5)'),\n"
            " execute(loader[0], '/dev/shm/copy', '-ISc', 'print(5)')]"
            % OWN_ROOT)
        self.assertEqual(found[0], "5\n")
        if OWN_ROOT:
            for text in found[1:]:
                self.assertIn("failed to map", text)

    def test_in_a_place_that_is_granted(self):
        os.chmod(self.directory, 0o777)
        os.mkdir(self.path("read"), 0o755)
        for name in ("read/true", "true"):
            with open("/bin/true", "rb") as file:
                self.write(name, file.read())
            os.chmod(self.path(name), 0o755)
        os.mkdir(self.path("write"))
        os.chmod(self.path("write"), 0o777)
        self.assertEqual(self.value(
            EXECUTE + "[execute(%r), execute(%r)]" % (
                self.path("read/true"), self.path("true")),
            "--read", self.path("read"), "--packages", self.directory),
            [13, 13])
        found = self.value(
            EXECUTE + self.COPY.replace("'copy'", repr(
                self.path("write/copy"))) +
            "execute(%r)" % self.path("write/copy"),
            "--write", self.path("write"))
        self.assertEqual(found, 13)

    def test_a_child_is_as_confined(self):
        """What is executed begins with nothing new."""
        inside = (
            "import ctypes, os, socket\n"
            "libc = ctypes.CDLL(None, use_errno=True)\n"
            "def call(number, *words):\n"
            "    libc.syscall(number, *words)\n"
            "    return ctypes.get_errno()\n"
            "found = []\n"
            "for what in (lambda: open('/etc/passwd'), socket.socket,\n"
            "             lambda: os.listdir('/'),\n"
            "             lambda: os.unshare(0x10000000),\n"
            "             lambda: os.kill(os.getpid() * 0 + %d, 9)):\n"
            "    try: found.append(str(what()))\n"
            "    except AttributeError: found.append(1)\n"
            "    except OSError as error: found.append(error.errno)\n"
            "    except OverflowError: found.append(3)\n"
            "print(found)\n" % (1 << 22))
        found = self.value(
            EXECUTE + "execute(sys.executable, '-c', %r)" % inside)
        self.assertEqual(json.loads(found),
                         [2 if OWN_ROOT else 13, 1, 13, 1, 3])

    def test_process_1(self):
        """It is not to be ended by what it holds."""
        result = self.succeeds(
            CHILDREN + "import signal\n"
            "found = []\n"
            "for sig in (0, signal.SIGTERM, signal.SIGSTOP, signal.SIGKILL):\n"
            "    try: found.append(os.kill(os.getppid(), sig))\n"
            "    except OSError as error: found.append(error.errno)\n"
            "children = start(2)\n"
            "[found, end(*children)]", limits=self.LIMITS)
        # In a PID namespace its first process takes none of them; nor do they
        # leave Landlock's domain, where there are such.
        found, ends = result["value"]
        self.assertIn(found, ([1] * 4,) if LEVEL == "process" else
                      ([1] * 4, [None] * 4))
        self.assertEqual(ends, [7, 7])


class Channel(Tree):
    """Children are not the program: they have no tools."""

    def test_calls(self):
        self.assertEqual(self.succeeds(
            "import os\n"
            "came, ready = os.pipe()\n"
            "if os.fork() == 0:\n"
            "    try: found = str(echo(n=1))\n"
            "    except Exception as error:\n"
            "        found = '%s: %s' % (type(error).__name__, error)\n"
            "    os.write(ready, found.encode())\n"
            "    os._exit(0)\n"
            "os.wait()\n"
            "[os.read(came, 1000).decode(), echo(n=2)]",
            limits=self.LIMITS, tools={"echo": "cat"})["value"],
            ["RuntimeError: a process that was forked cannot call tools",
             {"n": 2}])

    def test_calls_of_a_loop(self):
        self.assertEqual(self.succeeds(
            "import asyncio, os\n"
            "came, ready = os.pipe()\n"
            "found = [await echo(n=1)]\n"
            "if os.fork() == 0:\n"
            "    async def inside():\n"
            "        return await echo(n=2)\n"
            "    asyncio._set_running_loop(None)\n"
            "    try: found = str(asyncio.run(inside()))\n"
            "    except Exception as error: found = str(error)\n"
            "    os.write(ready, found.encode())\n"
            "    os._exit(0)\n"
            "os.wait()\n"
            "found + [os.read(came, 1000).decode()]",
            limits=self.LIMITS, tools={"echo": "cat"})["value"],
            [{"n": 1}, "a process that was forked cannot call tools"])

    def test_its_descriptor(self):
        """Neither what is forked nor what is executed has it."""
        look = "import os\ntry: print(os.fstat(3))\nexcept OSError: print(0)\n"
        self.assertEqual(self.value(
            EXECUTE +
            "came, ready = os.pipe()\n"
            "if os.fork() == 0:\n"
            "    try: os.write(3, b'{\"type\":\"done\",\"value\":1}\\n')\n"
            "    except OSError as error:\n"
            "        os.write(ready, b'%%d' %% error.errno)\n"
            "    os._exit(0)\n"
            "os.wait()\n"
            "[os.read(came, 100).decode(),\n"
            " execute(sys.executable, '-c', %r, close_fds=False)]" % look),
            ["9", "0\n"])


class Ends(Watched):
    """Every end is the end of all of them."""

    LIMITS = dict(Watched.LIMITS, processes=6)

    # In a session of its own, stopped, deaf to SIGTERM, holding stdout.
    STRAYS = (
        "import os, signal, subprocess, sys\n"
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "came, ready = os.pipe()\n"
        "if os.fork() == 0:\n"
        "    os.setsid()\n"
        "    if os.fork(): os._exit(0)\n"
        "    if os.fork() == 0:\n"
        "        os.write(ready, b'x')\n"
        "        os.kill(os.getpid(), signal.SIGSTOP)\n"
        "    child = subprocess.Popen([sys.executable, '-c',\n"
        "        'import time; time.sleep(86399)', 'MARK'],\n"
        "        start_new_session=True)\n"
        "    os.write(ready, b'x')\n"
        "    child.wait()\n"
        "os.read(came, 1)\n"
        "os.read(came, 1)\n"
        "os.wait()\n")

    def check(self, kind, then):
        got = self.watch(self.STRAYS.replace("MARK", self.mark) + then,
                         limits=dict(self.LIMITS,
                                     wall=4 if kind == "timeout" else 60))
        self.assertEqual(got.kind, kind, got.result["error"])

    def test_by_a_signal(self):
        process = start(
            self.STRAYS.replace("MARK", self.mark) + "print(1, flush=True)\n"
            "os.waitid(os.P_ALL, 0, os.WEXITED)\n" + CHILDREN +
            "for_ever()", json=False, limits=dict(self.LIMITS, wall=60))
        self.assertEqual(process.stdout.readline(), b"1\n")
        process.send_signal(signal.SIGTERM)
        self.assertEqual(finish(process).code, 130)
        self.assertEqual(processes_named(self.mark), [])
        self.assertEqual(survivors(), [])

    def test_with_the_supervisor(self):
        process = start(
            self.STRAYS.replace("MARK", self.mark) + "print(1, flush=True)\n"
            + CHILDREN + "for_ever()", json=False,
            limits=dict(self.LIMITS, wall=60))
        self.assertEqual(process.stdout.readline(), b"1\n")
        process.kill()
        process.communicate()
        self.assertTrue(wait_for_orphans())
        self.assertEqual(processes_named(self.mark), [])


rows(Ends, {
    "an_answer": (None, "'answer'"),
    "an_error": ("exception", "raise ValueError"),
    "an_exit": ("worker_exit", "os._exit(3)"),
    "a_signal": ("worker_exit", "os.kill(os.getpid(), signal.SIGKILL)"),
    "the_time": ("timeout", CHILDREN + "for_ever()"),
    "a_violation": ("protocol_violation", "os.write(3, b'x\\n')\n" + CHILDREN +
                    "for_ever()"),
})


class Hostile(test_501_hostile.Hostile):
    """Programs of tests/hostile that fail at one of the other walls fail
    there all the same."""

    LIMITS = dict(Watched.LIMITS, processes=4)

    def check_outside(self, program):
        """test_501_hostile.py does."""


# Each that speaks of processes, signals, limits or what is executed; but not
# those to which a second process is a hole.
HOSTILE = ("descriptors environment filters forged_success "
           "half_closed_channel host_files inside_c io_uring kernel_files "
           "kill_itself limits locks many_threads namespaces old_ipc "
           "other_processes over_limits privileges rare_calls "
           "signal_by_descriptor sockets spend_cpu stop_itself "
           "tables_of_threads x32_call").split()
for name in dir(Hostile):
    if name.startswith("test_") and name[5:] not in HOSTILE:
        setattr(Hostile, name, None)
for name in HOSTILE:
    assert getattr(Hostile, "test_" + name)


class Refused(Case):
    """Where it cannot be held, nothing runs, and the result says why."""

    def check(self, before, level, text):
        words = before + ["run", "--json", "--python", str(PYTHON),
                          "--limit", "processes=2", "-c", "print(1)"] + level
        got = subprocess.run(words, stdout=subprocess.PIPE, timeout=60)
        result = json.loads(got.stdout)
        self.assertEqual(result["error"]["kind"], "isolation_unavailable")
        self.assertEqual(result["stdout"], "")
        self.assertIn(text, result["error"]["message"])


class Granted(Case):
    """By files: a profile grants, a policy and a request narrow."""

    def run_with(self, **texts):
        options = []
        for name, text in texts.items():
            path = self.write(name + ".json", json.dumps(text))
            options += ["--%s-file" % name, path]
        os.chmod(self.directory, 0o755)
        result = self.succeeds("1", *options)
        return result["granted"]["processes"], result["warnings"]

    def profile(self, **members):
        return {"schema": "weir.profiles/1", "profiles": {"default": members}}

    def test_as_a_member_and_as_a_limit(self):
        for members in ({"processes": 3}, {"limits": {"processes": 3}}):
            self.assertEqual(
                self.run_with(profile=self.profile(**members))[0], 3)

    def test_narrowed(self):
        granted, warnings = self.run_with(
            profile=self.profile(processes=8),
            policy={"schema": "weir.policy/1", "limits": {"processes": 5}},
            request={"schema": "weir.request/1", "limits": {"processes": 2}})
        self.assertEqual(granted, 2)

    def test_never_widened(self):
        granted, warnings = self.run_with(
            request={"schema": "weir.request/1", "limits": {"processes": 2}})
        self.assertEqual(granted, 0)
        self.assertIn("limit processes: clamped from 2 (request) to 0 "
                      "(deployment)", warnings)


DENY = str(TOOLS / "deny")
ABI = str(TOOLS / "abi")
NO_SPACES = [DENY, "clone:0&0x10000000=EPERM", "--"]
rows(Refused, {
    "no_landlock": (
        [DENY, "landlock_create_ruleset=ENOSYS", "--", str(WEIR)], [],
        "stage landlock: processes are granted, and without Landlock"),
    **({"older_landlock": (
        NO_SPACES[:-1] + ["--", ABI, "5", "--", str(WEIR)],
        ["--level", "process"],
        "processes are granted, and there is no PID namespace")}
       if IS_ROOT else {"a_plain_user": (
           NO_SPACES + [str(WEIR)], ["--level", "process"],
           "processes are granted, and there is no PID namespace")}),
})

if not OWN_ROOT:
    del Hostile

if not HELD:
    for case in (Honest, Number, Bomb, Budgets, Programs, Channel, Ends,
                 Granted):
        del globals()[case.__name__]
    del case


if __name__ == "__main__":
    main()
