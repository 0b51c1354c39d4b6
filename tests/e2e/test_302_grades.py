#!/usr/bin/env python3
"""Each guarantee without its mechanism, in a real execution: after the
supervisor has planned it, tests/tools/meddle or somebody on the host takes it
away behind its back. The grade falls and says why; where the level falls, no
program runs. And once it runs: what changes until the end is noticed then.
"""
import fcntl
import os
import resource
import subprocess

from weir_test import (GUARANTEES, HANG, IS_ROOT, PYTHON, TOOLS, Case,
                       become_subreaper, command, end_survivors, finish, main,
                       process_2, rows, run, shell, survivors, wait_for_orphans)

MEDDLE = str(TOOLS / "meddle")

# What a helper on the host begins with: it is called with the id of the
# process that is about to make a system call, and may do what its user may.
HELPER = """#!%s -IB
import ctypes, fcntl, os, resource, socket, struct, sys
libc = ctypes.CDLL(None, use_errno=True)
pid = int(sys.argv[1])
def check(result):
    if result < 0:
        raise OSError(ctypes.get_errno(), "refused")
def enter(*names):
    # The user namespace first: it is what gives the right to the others.
    fds = [os.open("/proc/%%d/ns/%%s" %% (pid, name), os.O_RDONLY)
           for name in ("user",) + names]
    for fd in fds:
        check(libc.setns(fd, 0))
    check(libc.setresgid(1000, 1000, 1000))
    check(libc.setresuid(1000, 1000, 1000))
def mount_over(path):
    check(libc.mount(b"none", path, b"tmpfs", 0, None))
""" % PYTHON

HELPERS = {
    # A file of that name in the program's root.
    "open_canary": "enter('mnt')\nmount_over(b'/etc')\n"
                   "open('/etc/passwd', 'w').close()\n",
    "another_mount": "enter('mnt')\nmount_over(b'/etc')\n",
    "link_up": "enter('net')\n"
               "link = struct.pack('16sH14x', b'lo', 1)\n"
               "with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:\n"
               "    fcntl.ioctl(s, 0x8914, link)\n",
    # Of the child of the caller, which is the supervisor; once.
    "map_root": "child = open('/proc/%d/task/%d/children' % (pid, pid)"
                ").read().split()[0]\n"
                "try:\n"
                "    for name in ('gid_map', 'uid_map'):\n"
                "        with open('/proc/%s/%s' % (child, name), 'w') as f:\n"
                "            f.write('1000 0 1')\n"
                "except PermissionError:\n    pass\n",
}



def may_raise():
    """Whether this user may raise hard limits: CAP_SYS_RESOURCE, which root
    has on most hosts."""
    with open("/proc/self/status") as file:
        effective = [line for line in file if line.startswith("CapEff:")][0]
    return bool(int(effective.split()[1], 16) >> 24 & 1)


# How somebody on the host may change a limit of the program's.
WAYS = {"lowered": "(soft - 1, soft - 1)"}
if may_raise():
    WAYS["raised"] = "(-1, -1)"
LIMITS = ("CPU", "AS", "FSIZE", "NPROC", "NOFILE", "CORE")
for _way, _text in WAYS.items():
    for _limit in LIMITS:
        HELPERS["%s_%s" % (_way, _limit)] = (
            "number = resource.RLIMIT_%s\n"
            "soft, hard = resource.prlimit(pid, number)\n"
            "resource.prlimit(pid, number, %s)\n" % (_limit, _text))


def ways(limit):
    """Those that there are; a limit of nothing cannot be lowered."""
    return [way for way in WAYS if (way, limit) != ("lowered", "CORE")]


# Where process 2 has its limits and is not sealed yet.
BEFORE_THE_SEAL = "seccomp 0==1 2!=0"
STUB = "in=weir-child"


def limit(number):
    """The limit is never set, and whoever sets it is told that it is."""
    return ["skip prlimit64 1==%d 2!=0 %s" % (number, STUB)]


def helper(name, where=BEFORE_THE_SEAL):
    return "run={%s} %s" % (name, where)


FALLEN = "unverified"
GONE = "unavailable"

# guarantee: {name: (rules, grade, evidence, other grades that fall)}
#
# grade None: the start does not come so far as to be graded; the evidence is
# that of the message then.
SABOTAGE = {
    "filesystem": {
        "canary": (["skip landlock_restrict_self",
                    helper("open_canary")],
                   GONE, "stage root: /etc/passwd can be read", {}),
        "mounts_not_listed": (
            ["fail=2 openat 1~proc/self/mountinfo " + STUB], FALLEN,
            r"stage root and stage workspace: .* \(0 of \d+\)", {}),
        "mount_namespace": (["clear=0,0x20000 clone 0&0x20000"], None,
                            "stage root", {}),
        "old_root_kept": (["skip umount2 " + STUB], None, "stage workspace",
                          {}),
        "another_mount": (["pass umount2 " + STUB,
                           helper("another_mount", "fsopen after=0 " + STUB)],
                          None, "stage workspace", {}),
    },
    "network": {
        "namespace": (["clear=0,0x40000000 clone 0&0x40000000"], FALLEN,
                      r"socket\(\) is refused, but the network namespace is "
                      r"not shown to be empty \(", {}),
        "link_up": ([helper("link_up", "socket " + STUB)], FALLEN,
                    r"not shown to be empty \(1 of \d+ links up\)", {}),
        "filter": (["skip seccomp 0==1 2!=0"], FALLEN, "stage seccomp",
                   {"cpu": FALLEN, "memory": FALLEN,
                    "process_count": FALLEN}),
        "both": (["skip seccomp 0==1 2!=0",
                  "clear=0,0x40000000 clone 0&0x40000000"], GONE,
                 "stage seccomp", {"cpu": FALLEN, "memory": FALLEN,
                                   "process_count": FALLEN}),
    },
    "process_tree": {
        "namespace": (["clear=0,0x20000000 clone 0&0x20000000"], GONE,
                      "no PID namespace", {}),
    },
    "identity": {
        "bounding": (["skip prctl 0==24 " + STUB], GONE,
                     "stage capabilities: .*bounding [0-9a-f]*f", {}),
        # Those of the namespace's start stay inheritable.
        "inheritable": (["skip capset " + STUB], GONE, "stage capabilities",
                        {}),
        "all_sets": (["skip capset " + STUB, "skip prctl 0==47 1==4 " + STUB,
                      "skip prctl 0==24 " + STUB], GONE,
                     "stage capabilities", {}),
        "no_new_privs": (["skip prctl 0==38 " + STUB], None,
                         "stage no_new_privs", {}),
        "user_namespace": (["clear=0,0x10000000 clone 0&0x10000000"], None,
                           "stage maps" if IS_ROOT else "stage namespaces",
                           {}),
    },
    "cpu": {
        "limit": (limit(resource.RLIMIT_CPU), GONE, "stage cpu", {}),
    },
    "memory": {
        "limit": (limit(resource.RLIMIT_AS), GONE, "stage address_space", {}),
    },
    "file_size": {
        "limit": (limit(resource.RLIMIT_FSIZE), GONE, "stage file_size", {}),
    },
    "process_count": {
        "limit": (limit(resource.RLIMIT_NPROC), FALLEN, "stage processes",
                  {}),
        "both": (["skip seccomp 0==1 2!=0"] + limit(resource.RLIMIT_NPROC),
                 GONE, "stages seccomp and processes",
                 {"network": FALLEN, "cpu": FALLEN, "memory": FALLEN}),
    },
    "wall_clock": {
        "timer": (["skip timerfd_settime"], GONE, "timer is not armed", {}),
    },
    "environment": {
        "another_variable": (["put=LD_PRELOAD=/nothing execve 1!=0 " + STUB],
                             GONE, "differs from the plan", {}),
    },
}
for _guarantee, _limit, _grade, _stage in (
        ("cpu", "CPU", GONE, "stage cpu"),
        ("memory", "AS", GONE, "stage address_space"),
        ("file_size", "FSIZE", GONE, "stage file_size"),
        ("process_count", "NPROC", FALLEN, "stage processes")):
    for _way in ways(_limit):
        SABOTAGE[_guarantee][_way] = (
            [helper("%s_%s" % (_way, _limit))], _grade, _stage, {})
if IS_ROOT:
    SABOTAGE["identity"]["mapped_to_root"] = (
        ["skip=2 write 1~1000 in=weir", helper("map_root", "sendto in=weir")],
        GONE, "stage ids: an id outside is that of real root", {})

# What no grade covers, and yet nothing runs: rules, message.
BESIDE = {
    "dumpable": (["skip prctl 0==4"], "stage dumpable"),
    "descriptors": (["skip close_range " + STUB],
                    r"stage descriptors: descriptor \d+"),
    "open_files": (limit(resource.RLIMIT_NOFILE), "stage open_files"),
}
for _limit, _stage in (("NOFILE", "stage open_files"),
                       ("CORE", "stage core")):
    for _way in ways(_limit):
        BESIDE["%s_%s" % (_limit, _way)] = (
            [helper("%s_%s" % (_way, _limit))], _stage)
# A caller that may have none anyhow leaves nothing to take away.
if resource.getrlimit(resource.RLIMIT_CORE)[1] != 0:
    BESIDE["core"] = (limit(resource.RLIMIT_CORE), "stage core")

# As long as these stand, and no other is unavailable, the level does.
LEVEL_WANTS = ("filesystem", "network", "process_tree", "identity",
               "file_size", "wall_clock", "environment")


class Meddling(Case):
    def setUp(self):
        super().setUp()
        become_subreaper()
        self.addCleanup(end_survivors)

    def fill_in(self, rule):
        """Puts the path of a helper into its place."""
        for name, text in HELPERS.items():
            if "{%s}" % name in rule:
                path = self.write(name, HELPER + text)
                os.chmod(path, 0o700)
                rule = rule.replace("{%s}" % name, path)
        return rule

    def outcome(self, rules, program="effect()\nprint('ran')\n7", **more):
        """Of a program with an effect on the host's disk."""
        self.mark = self.path("ran")
        words = [MEDDLE] + [self.fill_in(rule) for rule in rules] + ["--"]
        words += command(tools={"effect": shell('echo >"$1"; echo 1',
                                                self.mark)})
        got = finish(subprocess.Popen(
            words + ["-c", program], stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd="/", **more))
        self.assertEqual(got.stderr, b"")
        # Without a PID namespace some die a little later.
        self.assertTrue(wait_for_orphans(), survivors())
        return got

    def check_nothing_ran(self, got, message):
        result = got.result
        self.assertEqual((got.code, got.kind), (125, "isolation_unavailable"),
                         result["error"])
        self.assertRegex(result["error"]["message"], message)
        self.assertFalse(os.path.exists(self.mark))
        self.assertEqual(result["calls"]["total"], 0)
        self.assertEqual((result["stdout"], result["value"]), ("", None))


class Sabotage(Meddling):
    def check(self, guarantee, rules, grade, evidence, others):
        got = self.outcome(rules)
        proofs = got.result["isolation"]["guarantees"]
        if grade is None:
            self.check_nothing_ran(got, evidence)
            self.assertEqual(got.result["isolation"]["level"], "none")
            return
        self.assertRegex(proofs[guarantee]["evidence"], evidence)
        fallen = dict(others, **{guarantee: grade})
        self.assertEqual(
            {name: proof["grade"] for name, proof in proofs.items()
             if proof["grade"] != "enforced"}, fallen)
        if GONE in fallen.values() or set(fallen) & set(LEVEL_WANTS):
            self.check_nothing_ran(got, "level isolated was asked for")
            self.assertNotEqual(got.result["isolation"]["level"], "isolated")
            return
        self.assertEqual((got.code, got.result["value"]), (0, 7))
        self.assertEqual(got.result["isolation"]["level"], "isolated")
        self.assertTrue(os.path.exists(self.mark))

    def test_every_guarantee_has_one(self):
        """The list is that of a result, which is made of the same table as
        the grades; and each can be taken away."""
        got = run("1").result["isolation"]["guarantees"]
        self.assertEqual(set(SABOTAGE), set(got))
        self.assertEqual(tuple(got), GUARANTEES)
        for guarantee, ways in SABOTAGE.items():
            self.assertTrue([way for way in ways.values()
                             if way[1] is not None], guarantee)

    def test_nothing_falls_without_a_rule_that_bites(self):
        got = self.outcome(["pass execve"])
        self.assertEqual((got.code, got.result["value"]), (0, 7))
        self.assertTrue(os.path.exists(self.mark))

    def test_a_rule_that_does_not_bite_is_told(self):
        done = subprocess.run(
            [MEDDLE, "skip reboot", "--", *command("-c", "1")],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, timeout=HANG)
        self.assertEqual(done.returncode, 99)

    def test_second_layer(self):
        """Landlock that says it is in force and is not: the level stands,
        the evidence says so, and a warning repeats it."""
        got = self.outcome(["skip landlock_restrict_self"])
        self.assertEqual((got.code, got.result["value"]), (0, 7))
        isolation = got.result["isolation"]
        self.assertEqual(isolation["level"], "isolated")
        self.assertIn("second layer: none",
                      isolation["guarantees"]["filesystem"]["evidence"])
        self.assertEqual(len([w for w in got.result["warnings"]
                              if "second layer: none" in w]), 1)


rows(Sabotage, {
    "%s_%s" % (guarantee, name): (guarantee, *way)
    for guarantee, ways in SABOTAGE.items() for name, way in ways.items()})


class Beside(Meddling):
    def check(self, rules, message):
        near = os.open("/", os.O_RDONLY)
        self.addCleanup(os.close, near)
        # A number that nobody else wants to have.
        fd = fcntl.fcntl(near, fcntl.F_DUPFD, 300)
        self.addCleanup(os.close, fd)
        self.check_nothing_ran(
            self.outcome(rules, pass_fds=[fd],
                         preexec_fn=self.raise_core), message)

    def raise_core(self):
        hard = resource.getrlimit(resource.RLIMIT_CORE)[1]
        resource.setrlimit(resource.RLIMIT_CORE, (hard, hard))


rows(Beside, BESIDE)


class Late(Meddling):
    def test_record_of_process_1_after_the_report(self):
        """A host under load, where process 1 gets no time until the program
        waits: it says so late, and the start goes on then."""
        got = self.outcome(["hold sendmsg once " + STUB, "pass recvmsg in=weir",
                            "release poll in=weir after=1"])
        self.assertEqual((got.code, got.result["value"]), (0, 7))

    def test_process_1_dies_in_its_place(self):
        """Never told, and the start ends all the same."""
        path = self.write("kill", "#!/bin/sh\nkill -9 \"$1\"\n")
        os.chmod(path, 0o700)
        got = self.outcome(["run=%s sendmsg %s" % (path, STUB)])
        self.assertEqual((got.code, got.kind), (125, "setup"))
        self.assertFalse(os.path.exists(self.mark))


class Changed(Meddling):
    """What was promised at the start does not hold at the end (S10)."""

    PROGRAM = ("import sys\nprint('before', flush=True)\nwait()\n"
               "print('after')\nprint('after', file=sys.stderr)\n")

    def outcome_of(self, change, program):
        meeting = self.meeting()
        process = self.start(program, tools={"wait": meeting.tool()})
        self.assertTrue(meeting.wait(1, process))
        change(process_2(process))
        meeting.release(1)
        got = finish(process)
        self.assertEqual(survivors(), [])
        return got

    def check(self, way, limit, word, end="return 'value'"):
        def change(pid):
            path = self.write("change", HELPER + HELPERS[
                "%s_%s" % (way, limit)])
            os.chmod(path, 0o700)
            subprocess.run([path, str(pid)], check=True, timeout=HANG)

        got = self.outcome_of(change, self.PROGRAM + end)
        result = got.result
        self.assertEqual((got.code, got.kind), (125, "isolation_unavailable"))
        self.assertRegex(result["error"]["message"],
                         "contradicts what was promised.*" + word)
        self.assertIsNone(result["value"])
        self.assertIs(result["returned"], False)
        self.assertEqual((result["stdout"], result["stderr"]), ("", ""))
        self.assertIsNone(result["error"]["traceback"])
        self.assertEqual(result["warnings"], [])
        self.assertNotIn("secret", got.stdout.decode())

    def test_unchanged(self):
        got = self.outcome_of(lambda pid: None, self.PROGRAM + "'value'")
        self.assertEqual((got.code, got.result["value"]), (0, "value"))
        self.assertEqual(got.result["stdout"], "before\nafter\n")


rows(Changed, dict({
    "%s_%s" % (way, limit): (way, limit, word)
    for limit, word in (("CPU", "stage cpu"), ("AS", "stage address_space"),
                        ("FSIZE", "stage file_size"),
                        ("NPROC", "stage processes"),
                        ("NOFILE", "stage open_files"),
                        ("CORE", "stage core")) for way in ways(limit)
}, **{
    "and_an_exception": ("lowered", "FSIZE", "stage file_size",
                         "raise ValueError('secret')"),
    "and_a_warning": ("lowered", "FSIZE", "stage file_size",
                      "import os\nos.write(3, b'{\"type\":\"done\",'\n"
                      "b'\"value\":1,\"warnings\":[\"secret\"]}\\n')\n"
                      "while True: pass\n"),
    "and_a_refused_value": ("lowered", "FSIZE", "stage file_size",
                            "return {'secret'}"),
}))


if __name__ == "__main__":
    main()
