#!/usr/bin/env python3
"""A build that can leave out one stage of the confinement: the same command
then runs no program, or loses exactly the grade that the stage earns; it
exits with 125 when the level falls, and names the stage."""
import os
import subprocess

from claims import stages
from weir_test import (ECHO, GUARANTEES, HANG, IS_ROOT, LAYERS, Case, Outcome,
                       command, main, rows, run, shell)


class Skipped(Case):
    """stage: (whether the program runs, the grades that are lost)

    None for the grades: the child never came as far as to be graded.
    """

    def outcome(self, *options, **more):
        """Runs a program whose effect stays on the host's disk."""
        self.mark = self.path("ran")
        return run("effect()\nprint('ran')", *options,
                   tools={"effect": shell('echo >"$1"; echo 1', self.mark)},
                   weir=LAYERS, **more)

    def check(self, stage, runs, lost):
        whole = self.outcome()
        self.assertEqual(whole.code, 0, whole.result["error"])
        self.assertTrue(os.path.exists(self.mark))
        os.unlink(self.mark)

        got = self.outcome("--test-skip", stage)
        result = got.result
        self.assertEqual(os.path.exists(self.mark), runs, result["error"])
        self.assertEqual(result["stdout"], "ran\n" if runs else "")
        self.assertEqual(result["calls"]["total"], int(runs))
        if runs:
            self.assertEqual((got.code, got.kind), (0, None))
            self.assertEqual(result["isolation"]["level"], "isolated")
        else:
            self.assertEqual((got.code, got.kind),
                             (125, "isolation_unavailable"))
        proofs = result["isolation"]["guarantees"]
        if lost is not None:
            self.assertEqual({name: proofs[name]["grade"]
                              for name in GUARANTEES
                              if proofs[name]["grade"] != "enforced"}, lost)
        if lost is not None or not runs:
            self.check_named(stage, result)

    def check_named(self, stage, result):
        """The stage is named where a reader looks: in the message when
        nothing ran, else in the evidence."""
        if result["error"] is not None:
            self.assertRegex(result["error"]["message"],
                             r"\bstage %s\b" % stage)
            return
        evidence = " ".join(
            proof["evidence"]
            for proof in result["isolation"]["guarantees"].values())
        self.assertRegex(evidence, r"\bstages? %s\b" % stage)


STAGES = {
    "maps": (False, None),
    # A plain user's one id is mapped to itself: there is nothing to change.
    "ids": (False, None) if IS_ROOT else (True, None),
    "root": (False, None),
    "workspace": (False, {"filesystem": "unverified"}),
    "capabilities": (False, {"identity": "unavailable"}),
    "no_new_privs": (False, None),
    "dumpable": (False, {}),
    "core": (False, {}),
    "cpu": (False, {"cpu": "unavailable"}),
    "address_space": (False, {"memory": "unavailable"}),
    "file_size": (False, {"file_size": "unavailable"}),
    "processes": (True, {"process_count": "unverified"}),
    "open_files": (False, {}),
    "landlock": (True, {}),
    "seccomp": (False, {"network": "unverified", "cpu": "unverified",
                        "memory": "unverified",
                        "process_count": "unverified"}),
}
# Each with where it is left out, or why it cannot be.
ELSEWHERE = {
    "plan": "without it nothing starts: test_stage_that_cannot_be_left_out",
    "descriptors": "Descriptors, below",
    "memory": "test_210_memory.py, Skipped",
    "subreaper": "test_310_process.py",
    "fork": "as the plan", "exec": "as the plan", "probe": "as the plan",
}
rows(Skipped, {stage: (stage, *row) for stage, row in STAGES.items()})


class More(Case):
    def test_every_stage_is_left_out_once(self):
        self.assertGreater(len(stages()), 15)
        self.assertEqual(set(stages()), set(STAGES) | set(ELSEWHERE))

    def test_landlock_warns(self):
        got = run("1", "--test-skip", "landlock", weir=LAYERS)
        self.assertEqual(got.code, 0)
        self.assertTrue([w for w in got.result["warnings"]
                         if "Landlock" in w], got.result["warnings"])

    def test_two_at_once(self):
        got = run("1", "--test-skip", "seccomp", "--test-skip", "processes",
                  weir=LAYERS)
        self.assertEqual(got.code, 125)
        proof = got.result["isolation"]["guarantees"]["process_count"]
        self.assertEqual(proof["grade"], "unavailable")

    def test_unknown_stage(self):
        got = run("1", "--test-skip", "walls", weir=LAYERS)
        self.assertEqual((got.code, got.stdout), (2, b""))

    def test_stage_that_cannot_be_left_out(self):
        """Nothing is accepted and then ignored."""
        for stage in ("plan", "fork", "exec", "probe"):
            got = run("1", "--test-skip", stage, weir=LAYERS)
            self.assertNotEqual(got.code, 0, stage)

    def test_same_without_the_option(self):
        got = run("echo(a=1)", weir=LAYERS, tools={"echo": ECHO})
        self.assertEqual((got.code, got.result["value"]), (0, {"a": 1}))


class Hosts(Case):
    """Hosts that refuse a step: nothing runs, and the step is named."""

    def check(self, script, *words):
        mark = self.path("ran")
        program = ["-c", "effect()"]
        options = command(tools={"effect": shell('echo >"$1"; echo 1', mark)})
        done = subprocess.run(
            ["unshare", *script[:-1], script[-1] + 'exec "$@"', "sh",
             *options, *program],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, cwd="/", timeout=HANG)
        got = Outcome(done.returncode, done.stdout, done.stderr)
        self.assertEqual((got.code, got.kind), (125, "isolation_unavailable"),
                         done)
        self.assertFalse(os.path.exists(mark))
        for word in words:
            self.assertIn(word, got.result["error"]["message"])


def inside(option, setting):
    """Words for unshare(1): a shell that changes a host of its own."""
    return [option, "--fork", "sh", "-c", setting + " && "]


hosts = {
    "without_user_namespaces": (
        inside("-Ur", "echo 0 >/proc/sys/user/max_user_namespaces"),
        "stage namespaces", "max_user_namespaces"),
    "without_pid_namespaces": (
        inside("-Ur", "echo 0 >/proc/sys/user/max_pid_namespaces"),
        "stage namespaces", "max_"),
    "only_root_to_map": (inside("-Ur", "true"), "stage ids"),
}
if IS_ROOT:
    hosts["read_only_proc"] = (
        inside("-m", "mount --bind /proc /proc && mount -o remount,bind,"
               "ro /proc"), "stage maps", "_map")
rows(Hosts, hosts)


OPEN = ("import os\n"
        "def is_open(n):\n"
        "    try: os.fstat(n)\n"
        "    except OSError: return False\n"
        "    return True\n"
        "return [n for n in range(1024) if is_open(n)]")


class Descriptors(Case):
    """Descriptors that the caller has forgotten to close."""

    def leak(self):
        """A file, a directory and a socket at odd numbers."""
        import socket
        near, far = socket.socketpair()
        self.addCleanup(near.close)
        self.addCleanup(far.close)
        fds = []
        for number, fd in ((40, os.open(__file__, os.O_RDONLY)),
                           (41, os.open("/", os.O_RDONLY)),
                           (300, near.detach())):
            os.dup2(fd, number)
            os.close(fd)
            self.addCleanup(os.close, number)
            fds.append(number)
        return fds

    def test_are_closed(self):
        got = run(OPEN, pass_fds=self.leak())
        self.assertEqual(got.result["value"], [0, 1, 2, 3])

    def test_low_numbers(self):
        """Also where the child wants to have its own."""
        fds = []
        for number in (3, 4, 5, 6, 7):
            if number in fds:
                continue
            fd = os.open("/", os.O_RDONLY)
            fds.append(fd)
            self.addCleanup(os.close, fd)
        got = run(OPEN, pass_fds=fds)
        self.assertEqual(got.result["value"], [0, 1, 2, 3])

    def test_are_noticed_when_the_stage_is_left_out(self):
        got = run(OPEN, "--test-skip", "descriptors", weir=LAYERS,
                  pass_fds=self.leak())
        self.assertEqual((got.code, got.kind), (125, "isolation_unavailable"))
        self.assertRegex(got.result["error"]["message"],
                         r"stage descriptors: descriptor \d+ ")

    def test_many(self):
        fds = []
        for _ in range(100):
            fds.append(os.open("/", os.O_RDONLY))
            self.addCleanup(os.close, fds[-1])
        self.assertEqual(run(OPEN, pass_fds=fds).result["value"],
                         [0, 1, 2, 3])
        got = run(OPEN, "--test-skip", "descriptors", weir=LAYERS,
                  pass_fds=fds)
        self.assertEqual(got.code, 125)
        self.assertIn("stage descriptors", got.result["error"]["message"])

    def test_are_not_given_to_tools(self):
        """Nor to what the caller lets a program call."""
        value = run("fds()", pass_fds=self.leak(), tools={"fds": shell(
            "for n in 3 4 5 6 7 8 9 40 41 300; do "
            "[ -e /proc/self/fd/$n ] && echo $n; done | "
            "awk 'BEGIN {printf \"[\"} {printf \"%s%s\", (NR>1?\",\":\"\"), "
            "$0} END {print \"]\"}'")}).result["value"]
        self.assertEqual(value, [])


class Identity(Case):
    def test_who_the_program_is(self):
        ids = run("import os\nreturn [os.getresuid(), os.getresgid(),"
                  " os.getgroups(), os.getpid(), os.getppid(), os.getsid(0)]"
                  ).result["value"]
        for number in ids[0] + ids[1]:
            self.assertNotEqual(number, 0)
        self.assertEqual(len(set(ids[0] + ids[1])) <= 2, True)
        self.assertEqual(ids[3:5], [2, 1])

    def test_evidence_names_who_it_is_outside(self):
        evidence = run("1").result["isolation"]["guarantees"]["identity"][
            "evidence"]
        if IS_ROOT:
            self.assertNotRegex(evidence, r"\buid 0\b")
        else:
            self.assertIn("uid %d " % os.getuid(), evidence)


if __name__ == "__main__":
    main()
