#!/usr/bin/env python3
"""The limit `memory`: of everything that the program uses, its processes, its
files and what the kernel keeps for it. Held by a cgroup where one can be had
beneath the one that weir was started in, else by a watchdog; which of them it
was is said, and out of memory is an outcome of its own."""
import os
import signal
import subprocess
import tempfile

from weir_test import (HANG, IS_ROOT, LAYERS, LEVEL_WORD, OWN_ROOT, PLAIN_UID,
                       Case, become_subreaper, command, end_survivors, finish,
                       main, rows, run, shell, stop, survivors,
                       wait_for_orphans)

MIB = 1 << 20


# --- cgroups of the tests -------------------------------------------------

def own_group(controller):
    """The directory of this process's cgroup, version 2 for ""; None when it
    is not mounted."""
    with open("/proc/self/cgroup") as file:
        paths = [line.rstrip("\n").split(":", 2) for line in file]
    for _, names, path in paths:
        if controller not in names.split(","):
            continue
        with open("/proc/self/mountinfo") as file:
            for line in file:
                fields, behind = line.split(" - ")
                root, point = fields.split()[3:5]
                kind, _, options = behind.split()[:3]
                if kind != ("cgroup" if controller else "cgroup2"):
                    continue
                if controller and controller not in options.split(","):
                    continue
                if root in ("/", path):
                    return (point + ("" if root == path else path)).rstrip("/")
    return None


def read(path):
    try:
        with open(path) as file:
            return file.read()
    except OSError:
        return ""


def find_base():
    """(version, directory) in which this test may make cgroups that hold
    memory; None where the host gives none."""
    if not IS_ROOT:
        return None
    v2 = own_group("")
    if v2 and "memory" in read(v2 + "/cgroup.controllers").split():
        if "memory" not in read(v2 + "/cgroup.subtree_control").split():
            try:
                with open(v2 + "/cgroup.subtree_control", "w") as file:
                    file.write("+memory +pids")
            except OSError:
                return None
        return 2, v2
    v1 = own_group("memory")
    if v1 and os.access(v1, os.W_OK):
        return 1, v1
    return None


BASE = find_base()
CGROUP = "cgroup v%d" % BASE[0] if BASE else None


class Group:
    """A cgroup for the supervisor to be started in, given to uid."""

    def __init__(self, uid=0):
        self.uid = uid
        self.path = tempfile.mkdtemp(prefix="weir-e2e-", dir=BASE[1])
        os.chmod(self.path, 0o755)
        if uid:
            os.chown(self.path, uid, uid)
            for name in ("cgroup.procs", "cgroup.subtree_control"):
                if os.path.exists(self.path + "/" + name):
                    os.chown(self.path + "/" + name, uid, uid)

    def words(self):
        """What starts a command in it, as its user."""
        script = 'echo $$ >"$0"/cgroup.procs && exec "$@"'
        user = ["setpriv", "--reuid", str(self.uid), "--regid", str(self.uid),
                "--clear-groups"] if self.uid else []
        return ["sh", "-c", script, self.path] + user

    def inside(self):
        """Groups beneath it."""
        return sorted(name for name in os.listdir(self.path)
                      if os.path.isdir(os.path.join(self.path, name)))

    def close(self):
        for name in self.inside():
            os.rmdir(os.path.join(self.path, name))
        os.rmdir(self.path)


class Memory(Case):
    """By a watchdog, unless a group is given."""

    def setUp(self):
        super().setUp()
        become_subreaper()
        self.addCleanup(end_survivors)
        os.chmod(self.directory, 0o755)

    def group(self, uid=0):
        group = Group(uid)
        self.addCleanup(group.close)
        return group

    def start_in(self, group, program, *options, **more):
        # Some hosts are slow in giving memory.
        more["limits"] = dict({"cpu": 300, "wall": 300}, **more["limits"])
        words = command(*options, **more) + ["-c", program]
        # Where nobody may make a cgroup.
        around = group.words() if group else watchdog_words()
        process = subprocess.Popen(
            around + words, stdin=subprocess.DEVNULL, cwd="/",
            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(stop, process)
        return process

    def run_in(self, group, program, *options, **more):
        got = finish(self.start_in(group, program, *options, **more))
        # The kernel may have killed process 1 with the others, and they are
        # ours to wait for then.
        self.assertTrue(wait_for_orphans())
        self.assertEqual(survivors(), [])
        if group:
            self.assertEqual(group.inside(), [])
        return got

    def check_over(self, got, by, limit):
        result = got.result
        self.assertEqual((got.kind, got.code, result["limit_hit"]),
                         ("memory", 137, "memory"), result["error"])
        self.assertIs(result["error"]["claim"], False)
        memory = result["usage"]["memory"]
        self.assertEqual((memory["by"], memory["limit_kb"] * 1024),
                         (by, limit))
        message = result["error"]["message"]
        self.assertIn("%d KiB" % memory["limit_kb"], message)
        self.assertIn("%d KiB" % memory["peak_kb"], message)
        self.assertEqual(result["exit"]["by"], "host")
        if by == "watchdog":
            self.assertGreater(memory["peak_kb"] * 1024, limit)
        else:
            self.assertLessEqual(memory["peak_kb"] * 1024, limit)
            self.assertGreater(memory["peak_kb"] * 1024, limit * 9 // 10)

    def grade(self, got):
        return got.result["isolation"]["guarantees"]["memory"]


def watchdog_words():
    """Root may make cgroups where nobody else does: away with the view of
    them. A plain user has none that is his."""
    if not IS_ROOT:
        return []
    return ["unshare", "-m", "sh", "-c",
            'umount -a -t cgroup,cgroup2 2>/dev/null; exec "$@"', "sh"]


def places():
    """name: (how to make the group, what the result calls it)"""
    found = {"watchdog": (lambda case: None, "watchdog")}
    if BASE:
        found["cgroup"] = (lambda case: case.group(), CGROUP)
        found["cgroup_of_a_plain_user"] = (lambda case: case.group(PLAIN_UID),
                                           CGROUP)
    return found


PLACES = places()
HOG = "x = bytearray(%d)\nreturn len(x)"
# Each in a way of its own that is not the heap.
SHARED = ("import mmap\nm = mmap.mmap(-1, %d)\n"
          "for i in range(0, len(m), 4096): m[i] = 1\nreturn 1")
FILES = ("data = bytes(1 << 20)\n"
         "for n in range(%d):\n"
         "    with open('%s%%d' %% n, 'wb', 0) as file:\n"
         "        for _ in range(8): file.write(data)\nreturn 1")
NAMES = ("import os\n"
         "for n in range(150000):\n"
         "    os.close(os.open('f%d' % n, os.O_CREAT | os.O_WRONLY))\n"
         "return 1")


class Over(Memory):
    """More than the limit, in one way or another."""

    def check(self, place, program, **more):
        make, by = PLACES[place]
        limits = dict({"memory": 48 * MIB}, **more)
        got = self.run_in(make(self), program, limits=limits)
        self.check_over(got, by, 48 * MIB)


ways = {
    "heap": (HOG % (400 * MIB), {}),
    "shared_map": (SHARED % (400 * MIB), {}),
}
if OWN_ROOT:
    # On the host's root these are on its disk.
    ways["workspace"] = (FILES % (40, "f"), {"workspace": "1G"})
    ways["dev_shm"] = (FILES % (40, "/dev/shm/f"), {"workspace": "1G"})
    ways["inodes"] = (NAMES, {"inodes": 200000})


class OverBy(Over):
    def check(self, place, program, limits):
        super().check(place, program, **limits)


rows(OverBy, {"%s_%s" % (way, place): (place, program, limits)
              for way, (program, limits) in ways.items()
              for place in PLACES})


class Within(Memory):
    """Less than the limit: nothing happens, and what was used is said."""

    def check(self, place):
        make, by = PLACES[place]
        got = self.run_in(make(self), HOG % (100 * MIB),
                          limits={"memory": 160 * MIB})
        result = got.result
        self.assertEqual((got.code, result["value"]), (0, 100 * MIB),
                         result["error"])
        memory = result["usage"]["memory"]
        self.assertEqual((memory["by"], memory["limit_kb"]),
                         (by, 160 * 1024))
        if by != "watchdog":
            self.assertGreater(memory["peak_kb"], 100 * 1024)
        self.assertLessEqual(memory["peak_kb"], 160 * 1024)
        self.assertEqual(result["isolation"]["level"], LEVEL_WORD)
        proof = self.grade(got)
        self.assertEqual(proof["grade"], "unverified" if by == "watchdog"
                         else "enforced", proof)
        self.assertIn(by, proof["evidence"])
        self.assertIn(str(160 * MIB), proof["evidence"])
        watched = [w for w in result["warnings"]
                   if w.startswith("limit memory: watched")]
        self.assertEqual(len(watched), 1 if by == "watchdog" else 0)


rows(Within, {place: (place,) for place in PLACES})


class Claims(Memory):
    """What the program says is never evidence of the host's."""

    def check(self, place, program, kind):
        make, _ = PLACES[place]
        got = self.run_in(make(self), program, limits={"memory": "1G"})
        self.assertEqual((got.kind, got.result["limit_hit"]), (kind, None))
        return got


rows(Claims, {"%s_%s" % (name, place): (place, *row) for name, row in {
    "MemoryError": ("raise MemoryError('the host is out of it')",
                    "exception"),
    "kill": ("import os\nos.kill(os.getpid(), 9)", "worker_exit"),
    "status": ("import os\nos._exit(137)", "worker_exit"),
}.items() for place in PLACES})


class Unasked(Case):
    """Without the limit there is neither."""

    def test_nothing_is_said(self):
        result = self.succeeds("1")
        self.assertIsNone(result["usage"]["memory"])
        proof = result["isolation"]["guarantees"]["memory"]["evidence"]
        self.assertIn("RLIMIT_AS", proof)
        self.assertNotIn("watchdog", proof)

    def test_ceiling_is_none(self):
        result = self.succeeds("1", limits={"memory": "1024G"})
        self.assertIsNone(result["usage"]["memory"])

    def test_out_of_address_space_is_a_claim(self):
        got = self.fails("exception", "bytearray(1 << 30)",
                         limits={"address_space": "300M"})
        self.assertIn("MemoryError", got.result["error"]["message"])
        self.assertIs(got.result["error"]["claim"], True)
        self.assertIsNone(got.result["limit_hit"])
        self.assertEqual(got.code, 1)

    def test_smallest(self):
        """The interpreter starts with the least that can be asked for."""
        self.succeeds("1", limits={"memory": "16M"})
        got = run("1", limits={"memory": 16 * MIB - 1})
        self.assertEqual((got.code, got.stdout), (2, b""))


# --- what the kernel keeps for a program ----------------------------------

PIPES = """
import fcntl, os
kept = []
while True:
    try:
        kept.append(os.pipe())
    except OSError:
        break
for _, end in kept:
    os.set_blocking(end, False)
    try:
        fcntl.fcntl(end, 1031, 1 << 20)
    except OSError:
        pass
    try:
        while True: os.write(end, bytes(65536))
    except BlockingIOError:
        pass
return len(kept)
"""
SOCKETS = """
import os, socket
kept = []
while True:
    try:
        a, b = socket.socketpair()
    except OSError:
        break
    kept.append((a, b))
    a.setblocking(False)
    try:
        a.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 24)
    except OSError:
        pass
    try:
        while True: a.send(bytes(65536))
    except BlockingIOError:
        pass
return len(kept)
"""
# Pipes that only messages under way hold open.
IN_FLIGHT = """
import array, os, socket
a, b = socket.socketpair()
a.setblocking(False)
sent = 0
while sent < 20000:
    try:
        ends = os.pipe()
        os.set_blocking(ends[1], False)
        try:
            while True: os.write(ends[1], bytes(65536))
        except BlockingIOError:
            pass
        a.sendmsg([b'x'], [(socket.SOL_SOCKET, socket.SCM_RIGHTS,
                            array.array('i', ends))])
        os.close(ends[0]); os.close(ends[1])
        sent += 1
    except OSError:
        break
return sent
"""
MEMFD = """
import os
kept = []
try:
    while True:
        kept.append(os.memfd_create('x'))
        for _ in range(64): os.write(kept[-1], bytes(1 << 20))
except OSError:
    pass
return len(kept)
"""
# No page of them is used.
SPARSE = """
import os
try:
    for n in range(64):
        fd = os.open('f%d' % n, os.O_CREAT | os.O_RDWR)
        os.ftruncate(fd, 16 << 20)
        os.pwrite(fd, b'x', (16 << 20) - 1)
except OSError:
    pass
return 1
"""
KERNEL = {"pipes": PIPES, "sockets": SOCKETS, "in_flight": IN_FLIGHT,
          "memfd": MEMFD, "sparse": SPARSE}


class Kernel(Memory):
    """Memory that is in no process: inside the bound all the same."""

    def check(self, place, program):
        make, by = PLACES[place]
        got = self.run_in(make(self), program, limits={
            "memory": "32M", "open_files": 4096})
        result = got.result
        self.assertIn(got.kind, (None, "exception", "memory"),
                      result["error"])
        memory = result["usage"]["memory"]
        self.assertEqual(memory["by"], by)
        self.assertGreater(memory["peak_kb"], 0)
        self.assertLessEqual(memory["peak_kb"], memory["limit_kb"])
        if got.kind == "memory":
            self.check_over(got, by, 32 * MIB)


if BASE:
    rows(Kernel, {"%s_%s" % (name, place): (place, program)
                  for name, program in KERNEL.items()
                  for place in PLACES if place != "watchdog"})


# --- a tree, and what is left of it ---------------------------------------

FORKS = """
import os, time
for n in range(4):
    if os.fork() == 0:
        os.setsid()
        x = bytearray(%d)
        time.sleep(1000)
time.sleep(1000)
"""


class Tree(Memory):
    """Unconfined programs may fork: the limit is of all together."""

    def check(self, place):
        make, by = PLACES[place]
        got = self.run_in(make(self), FORKS % (40 * MIB),
                          limits={"memory": 100 * MIB}, level="none")
        self.check_over(got, by, 100 * MIB)


rows(Tree, {place: (place,) for place in PLACES if place != "cgroup"})


class Left(Memory):
    def test_daemons_go_with_the_group(self):
        if not BASE:
            return
        program = ("import os, time\n"
                   "if os.fork() == 0:\n"
                   "    os.setsid()\n"
                   "    if os.fork() == 0: time.sleep(1000)\n"
                   "    os._exit(0)\n"
                   "return 1")
        got = self.run_in(self.group(), program, limits={"memory": "64M"},
                          level="none")
        self.assertEqual(got.code, 0, got.result["error"])

    def place_of(self, group, process, meeting):
        self.assertTrue(meeting.wait(1, process))
        found = group.inside()
        names = [n for n in found if not n.endswith(".self")]
        self.assertEqual(len(names), 1, found)
        return os.path.join(group.path, names[0])


GROUPED = {}


class Grouped(Left):
    """With a group, looked at while the program runs."""

    def waiting(self, group, **more):
        """A started one whose program waits in a tool; its group."""
        self.met = self.meeting()
        for path in (self.met.arrived, self.met.go):
            os.chmod(path, 0o666)
        process = self.start_in(
            group, "return wait()", tools={"wait": self.met.tool()},
            limits={"memory": "64M"}, **more)
        return process, self.place_of(group, process, self.met)

    def test_only_beneath_the_own(self):
        group = self.group()
        process, place = self.waiting(group)
        everywhere = subprocess.run(
            ["find", "/sys/fs/cgroup", "-type", "d", "-name", "weir.*"],
            stdout=subprocess.PIPE, timeout=HANG, check=False).stdout
        mine = [path for path in everywhere.decode().split()
                if path.startswith(group.path)]
        others = [path for path in everywhere.decode().split()
                  if ".%d." % process.pid in path and path not in mine]
        self.assertIn(place, mine)
        self.assertEqual(others, [])
        self.met.release(1)
        got = finish(process)
        self.assertEqual(got.code, 0, got.result["error"])
        self.assertEqual(group.inside(), [])

    def limit_file(self, place):
        return os.path.join(place, "memory.max" if BASE[0] == 2
                            else "memory.limit_in_bytes")

    def test_limit_raised_behind_its_back(self):
        group = self.group()
        process, place = self.waiting(group)
        for name in ("memory.memsw.limit_in_bytes",
                     os.path.basename(self.limit_file(place))):
            if os.path.exists(os.path.join(place, name)):
                with open(os.path.join(place, name), "w") as file:
                    file.write("1073741824")
        self.met.release(1)
        self.check_withheld(finish(process), group)

    def test_moved_out_behind_its_back(self):
        group = self.group()
        process, place = self.waiting(group)
        other = os.path.join(group.path, "other")
        os.mkdir(other)
        for pid in read(place + "/cgroup.procs").split():
            with open(other + "/cgroup.procs", "w") as file:
                file.write(pid)
        os.rmdir(place)
        self.met.release(1)
        got = finish(process)
        os.rmdir(other)
        self.check_withheld(got, group)

    def check_withheld(self, got, group):
        self.assertEqual(got.kind, "isolation_unavailable", got.result)
        self.assertIsNone(got.result["value"])
        self.assertIn("stage memory", got.result["error"]["message"])
        self.assertEqual(group.inside(), [])

    def test_killed_supervisor_is_swept_by_the_next(self):
        for uid in (0, PLAIN_UID):
            group = self.group(uid)
            process, place = self.waiting(group)
            process.kill()
            process.wait()
            self.met.release(1)
            self.assertTrue(wait_for_orphans())
            if BASE[0] == 2:
                # Nobody can start in a group that has handed its controllers
                # on; whoever manages it takes them back, or makes another.
                with open(group.path + "/cgroup.subtree_control",
                          "w") as file:
                    file.write("-memory -pids")
            self.assertTrue(os.path.isdir(place))
            again = self.run_in(group, "1", limits={"memory": "64M"})
            self.assertEqual(again.code, 0, again.result["error"])
            self.assertFalse(os.path.exists(place))
            self.met.close()
            for path in (self.met.arrived, self.met.go):
                os.unlink(path)
            self.met.fds.clear()

    def test_others_are_left_alone(self):
        """Another host's, another PID namespace's, a living one's, and what
        only looks like ours."""
        group = self.group()
        process, place = self.waiting(group)
        parts = os.path.basename(place).split(".")
        kept = []
        for at, value in ((1, "%016x" % 1), (3, "1"), (5, "x"), (4, "0")):
            other = list(parts)
            other[at] = value
            kept.append(".".join(other))
        kept.append("weir.mine")
        for name in kept:
            os.mkdir(os.path.join(group.path, name))
        # A second supervisor cannot be started in a group of version 2 that
        # has handed its controllers on.
        if BASE[0] == 1:
            got = finish(self.start_in(group, "1", limits={"memory": "64M"}))
            self.assertEqual(got.code, 0, got.result["error"])
        for name in kept:
            os.rmdir(os.path.join(group.path, name))
        self.assertTrue(os.path.isdir(place))
        self.met.release(1)
        self.assertEqual(finish(process).code, 0)
        self.assertEqual(group.inside(), [])

    def test_cancelled(self):
        group = self.group()
        process, _ = self.waiting(group)
        process.send_signal(signal.SIGTERM)
        self.assertEqual(finish(process).kind, "cancelled")
        self.assertEqual(group.inside(), [])


if not BASE:
    del Grouped


class Skipped(Memory):
    """A build that leaves the stage out: the grade falls, nothing runs."""

    def check(self, place, level):
        make, _ = PLACES[place]
        mark = self.path("ran")
        os.chmod(self.directory, 0o777)
        got = self.run_in(
            make(self), "effect()", "--test-skip", "memory", weir=LAYERS,
            tools={"effect": shell('echo >"$1"; echo 1', mark)},
            limits={"memory": "64M"}, level=level)
        self.assertFalse(os.path.exists(mark))
        proof = self.grade(got)
        self.assertEqual(proof["grade"], "unavailable")
        self.assertIn("stage memory", proof["evidence"])
        self.assertEqual((got.code, got.kind),
                         (125, "isolation_unavailable"))
        self.assertIn("stage memory", got.result["error"]["message"])


rows(Skipped, {"%s_%s" % (place, level): (place, level)
               for place in PLACES
               for level in ("isolated", "spaces", "process", "none")})

if __name__ == "__main__":
    main()
