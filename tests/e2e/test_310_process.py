#!/usr/bin/env python3
"""On the host's root: level `process` where the host refuses namespaces, and
`--unconfined`. What is had, what is not, and that nothing stays behind."""
import os
import signal
import subprocess
import time

from weir_test import (GUARANTEES, HANG, IS_ROOT, LAYERS, TOOLS, Case, Outcome,
                       Watched, command, main, own_bases, processes_named, rows,
                       run, shell, survivors, wait_for_orphans)

# Both ways to the level: no namespaces at all, and none for mounts.
WAYS = ("process", "spaces")


def workspaces():
    """Directories of executions that are there and have no owner any more:
    somebody else may be running weir."""
    names = [name for base in own_bases() for name in os.listdir(base)]
    return [name for name in names if name.count(".") != 5 or
            not os.path.exists("/proc/" + name.split(".")[3])]


class Level(Case):
    def grades(self, result):
        proofs = result["isolation"]["guarantees"]
        return {name: proofs[name]["grade"] for name in GUARANTEES
                if proofs[name]["grade"] != "enforced"}

    def test_grades_without_namespaces(self):
        result = self.succeeds("print(1)", level="process")
        self.assertEqual(result["isolation"]["level"], "process")
        lost = {"network": "unverified", "process_tree": "unverified"}
        if not IS_ROOT:
            lost.update(identity="unverified", process_count="unverified")
        self.assertEqual(self.grades(result), lost)

    def test_grades_without_mounts(self):
        """All ten, and still not isolated: names of files are seen."""
        result = self.succeeds("print(1)", level="spaces")
        self.assertEqual(result["isolation"]["level"], "process")
        self.assertEqual(self.grades(result), {})

    def test_warnings_name_what_was_refused(self):
        warnings = self.succeeds("1", level="process")["warnings"]
        for way in ("isolated", "process in namespaces of its own"):
            said = [w for w in warnings if w.startswith(
                "backend %s was not to be had: stage namespaces: clone: "
                "Operation not permitted" % way)]
            self.assertEqual(len(said), 1, warnings)
            self.assertIn("kernel.unprivileged_userns_clone", said[0])

    def test_isolated_where_it_can_be_had(self):
        """The level is the least, not a wish."""
        result = self.succeeds("1", "--level", "process", level="isolated")
        self.assertEqual(result["isolation"]["level"], "isolated")

    def test_less_than_asked_for_does_not_run(self):
        before = [str(TOOLS / "deny"), "clone:0&0x10000000=EPERM", "--"]
        mark = self.path("ran")
        for asked in ([], ["--level", "isolated"],
                      ["--level", "process", "--backend", "isolated"]):
            done = subprocess.run(
                before + command(*asked, level="isolated", tools={
                    "effect": shell('echo >"$1"; echo 1', mark)}) +
                ["-c", "effect()"], stdin=subprocess.DEVNULL, cwd="/",
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=HANG)
            got = Outcome(done.returncode, done.stdout, done.stderr)
            self.assertEqual((got.code, got.kind),
                             (125, "isolation_unavailable"))
            self.assertIn("stage namespaces", got.result["error"]["message"])
            self.assertFalse(os.path.exists(mark))
        self.assertEqual(workspaces(), [])

    def test_contradictions(self):
        for words in (["--backend", "process"],
                      ["--unconfined", "--level", "process"],
                      ["--unconfined", "--backend", "isolated"]):
            got = run("1", *words, level="isolated")
            self.assertEqual((got.code, got.stdout), (2, b""), words)
            self.assertRegex(got.stderr, rb"(?m)^weir: .*\bbackend\b")

    def test_without_landlock_nothing_runs(self):
        """It is the boundary there, and only the second layer elsewhere."""
        deny = [str(TOOLS / "deny"), "landlock_create_ruleset=ENOSYS"]
        for level, code in (("process", 125), ("spaces", 125),
                            ("isolated", 0)):
            words = command(level=level)
            if level == "process":
                words = words[words.index("--") + 1:]
                more = ["clone:0&0x10000000=EPERM"]
            else:
                more = []
            done = subprocess.run(
                deny + more + ["--"] + words + ["-c", "print('ran')"],
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, cwd="/",
                timeout=HANG)
            got = Outcome(done.returncode, done.stdout, b"")
            self.assertEqual(got.code, code, got.result)
            if code:
                self.assertEqual(got.result["stdout"], "")
                self.assertIn("stage landlock",
                              got.result["error"]["message"])
            else:
                self.assertTrue([w for w in got.result["warnings"]
                                 if "second layer: none" in w])


class Inside(Case):
    """What a program finds there."""

    def check(self, level):
        os.chmod(self.directory, 0o755)
        result = self.succeeds(
            "import os, signal\n"
            "found = {'cwd': os.getcwd(), 'home': os.environ['HOME'],\n"
            "  'tmp': os.environ['TMPDIR'], 'umask': os.umask(0),\n"
            "  'list': os.listdir('.'), 'mode': os.stat('.').st_mode & 0o777,\n"
            "  'zero': [n for n in os.getresuid() + os.getresgid()\n"
            "           if n == 0]}\n"
            "def attempt(call, *arguments):\n"
            "    try: call(*arguments)\n"
            "    except OSError as error: return error.errno\n"
            "    return 0\n"
            "found['errnos'] = [attempt(os.listdir, '/'),\n"
            "  attempt(open, '/etc/passwd'), attempt(open, '/proc/version'),\n"
            "  attempt(os.mkdir, '../x'), attempt(open, '/tmp/x', 'w'),\n"
            "  attempt(os.kill, os.getppid(), 0), attempt(os.fork),\n"
            "  attempt(os.kill, os.getpid(), 0)]\n"
            "found['attributes'] = [attempt(os.chmod, %r, 0o777),\n"
            "  attempt(os.utime, %r, (0, 0)), attempt(os.chmod, '.', 0o700)]\n"
            "open('f', 'w').write('x'); os.rename('f', 'g')\n"
            "os.mkdir('d'); os.rename('g', 'd/f')\n"
            "return found" % (self.write("mine", "x"), self.path("mine")),
            level=level)
        found = result["value"]
        self.assertEqual(found["home"], found["cwd"])
        self.assertEqual(found["tmp"], found["cwd"])
        self.assertEqual((found["umask"], found["list"], found["mode"]),
                         (0o077, [], 0o700))
        self.assertEqual(found["zero"], [])
        self.assertEqual(found["errnos"], [13, 13, 13, 13, 13, 1, 1, 0])
        # Modes and times of what the caller owns: no right of Landlock's.
        self.assertEqual(found["attributes"],
                         [1, 1, 0] if IS_ROOT else [1, 1, 1])
        self.assertIn(found["cwd"], result["granted"]["write"])
        self.assertNotIn("/dev/shm", result["granted"]["write"])
        self.assertFalse(os.path.exists(os.path.dirname(found["cwd"])))
        self.assertEqual(workspaces(), [])

    def test_semaphores_without_dev_shm(self):
        """multiprocessing makes its locks of named ones."""
        for level in WAYS + ("isolated",):
            value = self.value(
                "import multiprocessing\n"
                "from multiprocessing.pool import ThreadPool\n"
                "count = multiprocessing.Semaphore(3)\n"
                "count.acquire()\n"
                "for n in range(500): multiprocessing.Lock().acquire()\n"
                "event = multiprocessing.Event(); event.set()\n"
                "return [count.get_value(), event.is_set(),\n"
                "        ThreadPool(4).map(abs, [-1, -2])]", level=level)
            self.assertEqual(value, [2, True, [1, 2]])

    def test_names_of_semaphores_are_not_made_up(self):
        """Only what was made without a name has none to be removed."""
        value = self.value(
            "import ctypes\n"
            "libc = ctypes.CDLL(None, use_errno=True)\n"
            "return libc.sem_unlink(b'/nobody-has-made-this')",
            level="process")
        self.assertEqual(value, -1)

    def test_disk_is_watched(self):
        for level in WAYS:
            got = self.fails(
                "disk", "for n in range(100):\n"
                "    open(str(n), 'wb').write(bytes(1 << 20))\n"
                "while True: pass", level=level,
                limits={"workspace": "20M", "wall": 60})
            self.assertEqual(got.code, 1)
            self.assertEqual(got.result["limit_hit"], "workspace")

    def test_inodes_are_watched(self):
        got = self.fails(
            "disk", "for n in range(300): open(str(n), 'w')\n"
            "while True: pass", level="process",
            limits={"inodes": 200, "wall": 60})
        self.assertEqual(got.result["limit_hit"], "inodes")

    def test_just_enough(self):
        """The same with room: the watch itself ends nothing."""
        for level in WAYS:
            self.succeeds(
                "import time\n"
                "for n in range(150): open(str(n), 'wb').write(bytes(4096))\n"
                "time.sleep(0.5)", level=level,
                limits={"inodes": 200, "workspace": "1M", "wall": 60})

    def test_what_hides_ends(self):
        for text in ("os.mkdir('d', 0)",
                     "for n in range(100): os.mkdir('d'); os.chdir('d')"):
            self.fails("disk", "import os\n%s\nwhile True: pass" % text,
                       level="process", limits={"wall": 60})

    def test_threads(self):
        """By the kernel where a uid is the child's own, else watched."""
        program = ("import threading, time\n"
                   "for n in range(20):\n"
                   "    threading.Thread(target=time.sleep, args=(60,),\n"
                   "                     daemon=True).start()\n"
                   "time.sleep(60)")
        got = run(program, level="process",
                  limits={"threads": 10, "wall": 90})
        if IS_ROOT:
            self.assertEqual(got.kind, "exception")
        else:
            self.assertEqual((got.code, got.kind), (125, "policy_refused"))
            self.assertEqual(got.result["limit_hit"], "threads")

    def test_cpu_wall_and_signals(self):
        for level in WAYS:
            got = self.fails("timeout", "while True: pass", level=level,
                             limits={"cpu": 1, "wall": 60})
            self.assertEqual((got.code, got.result["limit_hit"]),
                             (124, "cpu"))
            self.fails("timeout", "import signal\n"
                       "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
                       "while True: pass", level=level,
                       limits={"wall": "500ms", "grace": "100ms"})
            got = run("import os\nos.kill(os.getpid(), 9)", level=level)
            self.assertEqual((got.code, got.kind), (137, "worker_exit"))
        self.assertEqual(workspaces(), [])


rows(Inside, {"finds_" + level: (level,) for level in WAYS})


class Sabotage(Case):
    """stage: (whether the program runs, the grades that are lost then)"""

    def check(self, stage, runs, lost):
        mark = self.path("ran")
        got = run("effect()\nprint('ran')", "--test-skip", stage,
                  weir=LAYERS, level="process",
                  tools={"effect": shell('echo >"$1"; echo 1', mark)})
        result = got.result
        self.assertEqual(os.path.exists(mark), runs, result["error"])
        self.assertEqual(result["stdout"], "ran\n" if runs else "")
        if not runs:
            self.assertEqual((got.code, got.kind),
                             (125, "isolation_unavailable"))
            self.assertRegex(result["error"]["message"],
                             r"\bstages? %s\b" % stage)
        whole = self.succeeds("1", weir=LAYERS, level="process")
        before = whole["isolation"]["guarantees"]
        proofs = result["isolation"]["guarantees"]
        if lost is not None:
            self.assertEqual({name: proofs[name]["grade"]
                              for name in GUARANTEES if proofs[name]["grade"]
                              != before[name]["grade"]}, lost)
        self.assertEqual(workspaces(), [])


STAGES = {
    "capabilities": (True, {"identity": "unavailable"} if IS_ROOT else {}),
    "dumpable": (False, {}),
    "subreaper": (False, {"process_tree": "unavailable"}),
    "core": (False, {}),
    "cpu": (True, {"cpu": "unavailable"}),
    "address_space": (True, {"memory": "unavailable"}),
    "file_size": (True, {"file_size": "unavailable"}),
    # A plain user's has no such limit.
    "processes": (True, {"process_count": "unverified"} if IS_ROOT else {}),
    "open_files": (False, {}),
    "landlock": (False, {"filesystem": "unavailable"}),
    "seccomp": (False, None),
}
rows(Sabotage, {stage: (stage, *row) for stage, row in STAGES.items()})


class MoreSabotage(Case):
    def test_no_new_privs(self):
        """The host that `process` is tried on has it set already."""
        got = run("print('ran')", "--test-skip", "no_new_privs", weir=LAYERS,
                  level="spaces")
        self.assertEqual((got.code, got.kind), (125, "isolation_unavailable"))
        self.assertIn("stage no_new_privs", got.result["error"]["message"])


class Unconfined(Watched):
    STRAY = "weirstray%d" % os.getpid()

    def test_is_loud(self):
        got = run("print(1)", level="none")
        self.assertEqual(got.code, 0)
        self.assertIn(b"weir: warning: --unconfined", got.stderr)
        result = got.result
        self.assertEqual(result["isolation"]["level"], "none")
        self.assertTrue([w for w in result["warnings"]
                         if w.startswith("unconfined: ")])
        self.assertEqual(result["granted"]["read"], ["/"])
        self.assertIn("/", result["granted"]["write"])
        self.assertIs(result["granted"]["network"], True)
        self.assertIsNone(result["granted"]["processes"])
        plain = run("print(1)", level="none", json=False)
        self.assertEqual((plain.code, plain.stdout), (0, b"1\n"))
        self.assertIn(b"--unconfined", plain.stderr)

    def test_has_the_callers_rights(self):
        value = self.value(
            "import os, socket, subprocess\n"
            "return [os.getuid(), open(%r).read(),\n"
            "  subprocess.run(['echo', 'a'], capture_output=True,\n"
            "                 text=True).stdout,\n"
            "  bool(socket.create_connection(('127.0.0.1', %d)))]"
            % (self.host.file, self.host.port), level="none")
        self.assertEqual(value, [os.geteuid(), self.host.secret, "a\n", True])

    def test_limits_environment_and_workspace_stay(self):
        value = self.value(
            "import os, resource\n"
            "open('f', 'w').write('x')\n"
            "return [os.getcwd(), dict(os.environ),\n"
            "  resource.getrlimit(resource.RLIMIT_FSIZE)[0],\n"
            "  resource.getrlimit(resource.RLIMIT_NOFILE)[0]]",
            level="none", limits={"file_size": 12345, "open_files": 77},
            env=self.environment)
        place, environment, size, files = value
        self.assertEqual((size, files), (12345, 77))
        self.assertEqual(environment["HOME"], place)
        self.assertNotIn("E2E_SECRET", environment)
        self.assertFalse(os.path.exists(place))
        got = self.fails("timeout", "while True: pass", level="none",
                         limits={"cpu": 1, "wall": 60})
        self.assertEqual(got.result["limit_hit"], "cpu")

    def test_what_is_written_beside_the_workspace_goes_too(self):
        for rest in ("", "os.kill(os.getpid(), 9)"):
            self.watch(
                "import os\nos.makedirs('../beside/a', 0o700)\n"
                "open('../beside/a/f', 'w').write('x')\n"
                "open('../f', 'w').write('x')\nos.chmod('..', 0)\n" + rest,
                level="none")
            self.assertEqual(workspaces(), [])

    def test_calls_tools(self):
        self.assertEqual(self.value("echo(a=1)", level="none",
                                    tools={"echo": "cat"}), {"a": 1})

    def test_strays_go(self):
        """Also those with a session of their own and ignored signals."""
        for rest in ("", "import time; time.sleep(600)",
                     "os._exit(3)", "os.kill(os.getpid(), 9)"):
            self.watch(
                "import os, subprocess\n"
                "for n in range(5):\n"
                "    subprocess.Popen(['sh', '-c', 'trap \"\" TERM HUP; "
                "exec -a %s sleep 98765 || sleep 98765'],\n"
                "        start_new_session=n %% 2 == 0,\n"
                "        stdin=0, stdout=subprocess.DEVNULL,\n"
                "        stderr=subprocess.DEVNULL)\n%s"
                % (self.STRAY, rest), self.STRAY, level="none")
            self.assertEqual(workspaces(), [])

    def test_who_stops_process_1_is_ended(self):
        got = run("import os, signal, time\n"
                  "os.kill(os.getppid(), signal.SIGSTOP)\n"
                  "time.sleep(600)", level="none",
                  limits={"wall": 1, "grace": "100ms"})
        self.assertEqual((got.code, got.kind), (124, "timeout"))
        self.assertEqual(survivors(), [])
        self.assertEqual(workspaces(), [])


class Busy(Watched):
    """Process 1 is told of every stop of the program, and looks at what it
    watches all the same."""

    PROGRAM = """
import ctypes, os, signal
libc = ctypes.CDLL(None, use_errno=True)
# A timer goes on when its signal is delivered.
signal.signal(signal.SIGCONT, lambda *_: None)
# timer_create(2): CLOCK_MONOTONIC, SIGEV_SIGNAL
event = (ctypes.c_byte * 64)()
ctypes.c_int.from_buffer(event, 8).value = signal.SIGCONT
timer = ctypes.c_void_p()
assert libc.timer_create(1, event, ctypes.byref(timer)) == 0
each = (ctypes.c_long * 4)(0, 20000000, 0, 20000000)
assert libc.timer_settime(timer, 0, each, None) == 0
for n in range(300):
    with open("f%d" % n, "wb") as file:
        file.write(bytes(65536))
    os.kill(os.getpid(), signal.SIGSTOP)
return "never seen"
"""

    def check(self, level):
        got = self.watch(self.PROGRAM, level=level, limits=dict(
            self.LIMITS, wall=30, workspace="1M", file_size="64K"))
        self.assertEqual(got.kind, "disk", got.result["error"])


rows(Busy, {way: (way,) for way in WAYS})


class Killed(Watched):
    """SIGKILL of the supervisor at any moment, and what the next one does."""

    def check(self, level):
        for n in range(40):
            process = self.start(
                "import os\nopen('f', 'w').write('x')\n"
                "os.makedirs('a/b/c')\nwhile True: pass", level=level,
                limits={"wall": 60})
            # A spread of moments, not a time that is asserted.
            time.sleep(n / 40 * 0.06)
            process.kill()
            process.wait(HANG)
        deadline = time.monotonic() + HANG
        while processes_named("bootstrap.main()"):
            self.assertLess(time.monotonic(), deadline)
        self.succeeds("1", level=level)
        self.assertEqual(workspaces(), [])
        self.assertTrue(wait_for_orphans())
        self.assertEqual(survivors(), [])


rows(Killed, {level: (level,) for level in ("process", "spaces", "none")})


if __name__ == "__main__":
    main()
