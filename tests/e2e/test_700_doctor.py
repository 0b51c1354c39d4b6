#!/usr/bin/env python3
"""`weir doctor`: on this host every step is ok; on hosts that refuse one, that
step is named with errno, reason and cure, and nothing is left behind."""
import errno
import json
import os
import re
import select
import subprocess

from weir_test import (GUARANTEES, HANG, IS_ROOT, PYTHON, TOOLS, WEIR, Case,
                       become_subreaper, command, end_survivors, ipc_objects,
                       leftovers, main, mounts, rows, run, survivors,
                       wait_for_orphans, without_repeats)

STEPS = ("proc", "interpreter", "user_namespace", "id_maps", "pid_namespace",
         "mount_namespace", "network_namespace", "network_links",
         "ipc_namespace",
         "uts_namespace", "cgroup_namespace", "propagation", "tmpfs",
         "bind_mount", "pivot_root", "capabilities", "no_new_privs",
         "seccomp", "landlock", "landlock_abi", "subreaper",
         "workspace_base", "pidfd", "close_range", "memfd", "rlimits",
         "timerfd", "epoll", "socketpair", "unlinked_file",
         "memory_cgroup", "memory_watch", "execution")
OPTIONAL = ("landlock", "landlock_abi", "subreaper", "workspace_base",
            "unlinked_file", "memory_cgroup", "memory_watch")
# What a host gives to whom it likes.
DELEGATED = ("memory_cgroup",)
WAYS = {"isolated": "isolated", "namespaces": "process", "plain": "process"}
DOCTOR = [str(WEIR), "doctor", "--python", str(PYTHON)]
DENY = str(TOOLS / "deny")


def files():
    """What a step could have left: only a file that got no name is made where
    everybody may write, and where that cannot be it has this one."""
    return [path for path in leftovers("weir-")
            if re.search(r"/weir-[0-9a-f]{16}$", path)]


class Doctor(Case):
    def setUp(self):
        super().setUp()
        become_subreaper()
        self.addCleanup(end_survivors)

    def words(self, words, **more):
        """Runs words as they are, and looks at what is left."""
        before = mounts(), ipc_objects(), files()
        done = subprocess.run(
            words, **dict(dict(stdin=subprocess.DEVNULL, cwd="/",
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               timeout=HANG), **more))
        self.assertEqual(survivors(), [], "processes beneath the command")
        self.assertEqual((mounts(), ipc_objects(), files()), before)
        return done

    def report(self, around=(), *options, python=PYTHON):
        """(exit code, the object) of doctor --json, run by `around`."""
        done = self.words([*around, str(WEIR), "doctor", "--json", "--python",
                           str(python), *options])
        text = done.stdout.decode("utf-8")
        self.assertEqual(text.count("\n"), 1, done)
        self.assertEqual(text[-1], "\n")
        report = json.loads(text, object_pairs_hook=without_repeats)
        self.check_shape(report)
        self.assertEqual(done.returncode, 0 if report["ok"] else 1)
        return report

    def check_shape(self, report):
        self.assertEqual(list(report), [
            "schema", "ok", "level", "host", "steps", "isolation", "ways",
            "workspace", "trace", "verdict"])
        self.assertEqual(report["schema"], "weir.doctor/1")
        self.assertEqual(list(report["host"]), [
            "kernel", "machine", "uid", "seccomp_inherited", "no_new_privs",
            "capabilities", "python"])
        self.assertEqual(tuple(s["name"] for s in report["steps"]), STEPS)
        self.assertEqual(report["ok"], report["level"] == "isolated")
        for step in report["steps"]:
            self.assertEqual(list(step), [
                "name", "ok", "errno", "error", "reason", "cure",
                "needed_for", "detail"])
            for key in ("error", "reason", "cure"):
                self.assertEqual(step[key] is None, step["ok"], step)
            self.assertLessEqual(
                set(step["needed_for"]),
                {"isolated", "process", "tools"} | set(GUARANTEES))
            self.assertEqual(step["needed_for"][0] == "isolated",
                             step["name"] not in OPTIONAL)
        if report["isolation"] is not None:
            self.assertEqual(report["isolation"]["level"], report["level"])
            self.assertEqual(tuple(report["isolation"]["guarantees"]),
                             GUARANTEES)
        self.assertEqual(
            report["verdict"].startswith("isolated: available"), report["ok"])
        self.assertEqual(report["ways"][0]["available"], report["ok"])
        self.assertEqual({w["way"]: w["level"] for w in report["ways"]}, WAYS)
        for way in report["ways"]:
            self.check_way(report, way)
        space = report["workspace"]
        self.assertEqual(list(space), [
            "base", "bytes", "deleted_files", "deleted_bytes", "interval_ms"])
        self.assertEqual(space["base"] is not None,
                         step_of(report, "workspace_base")["ok"])

    def check_way(self, report, way):
        self.assertEqual(list(way), [
            "way", "level", "available", "missing", "error", "reason", "cure",
            "guarantees"])
        for key in ("error", "reason", "cure"):
            self.assertEqual(way[key] is None, way["available"], way)
        self.assertEqual(way["guarantees"] is not None, way["available"])
        if way["guarantees"] is not None:
            self.assertEqual(tuple(way["guarantees"]), GUARANTEES)
        for name in way["missing"]:
            self.assertFalse(step_of(report, name)["ok"])
        if way["missing"] and not way["available"]:
            step = step_of(report, way["missing"][0])
            self.assertEqual((way["reason"], way["cure"]),
                             (step["reason"], step["cure"]))


def step_of(report, name):
    return report["steps"][STEPS.index(name)]


def available(report, *missing):
    """The verdict where that is missing, and at most what not everybody is
    given."""
    missing += tuple(n for n in DELEGATED if not step_of(report, n)["ok"])
    return "isolated: available" + (
        "; without " + ", ".join(missing) if missing else "")


class Here(Doctor):
    def test_every_step_is_ok(self):
        report = self.report()
        self.assertEqual([s for s in report["steps"] if not s["ok"] and
                          s["name"] not in DELEGATED], [])
        self.assertTrue(report["ok"])
        self.assertEqual(report["verdict"], available(report))
        for proof in report["isolation"]["guarantees"].values():
            self.assertEqual(proof["grade"], "enforced")
        self.assertEqual([w["available"] for w in report["ways"]], [True] * 3)

    def test_overshoot_of_the_workspace(self):
        """What a program can have beyond the limit of its workspace at level
        process: as many deleted files as it may have open, and that is
        what is said."""
        space = self.report()["workspace"]
        self.assertEqual(
            (space["bytes"], space["deleted_files"], space["deleted_bytes"],
             space["interval_ms"]), (64 << 20, 256, 256 * (16 << 20), 100))
        text = self.words(DOCTOR).stdout.decode()
        self.assertIn("beyond its limit (64M) a program can have 4G in 256 "
                      "deleted files", text)
        got = run("import os, time\n"
                  "held = []\n"
                  "try:\n"
                  "    while True:\n"
                  "        file = open('f', 'wb', buffering=0)\n"
                  "        os.unlink('f')\n"
                  "        file.write(bytes(1 << 18))\n"
                  "        held.append(file)\n"
                  "except OSError as error: problem = error.errno\n"
                  "time.sleep(0.5)\n"
                  "return [problem, len(held)]", level="process",
                  limits={"workspace": "1M", "file_size": "256K",
                          "open_files": 40})
        self.assertEqual(got.kind, None, got.result["error"])
        problem, count = got.result["value"]
        self.assertEqual(problem, errno.EMFILE)
        self.assertGreater(count << 18, 4 << 20)
        self.assertLess(count, 40)

    def test_host(self):
        host = self.report()["host"]
        self.assertEqual(host["kernel"], os.uname().release)
        self.assertEqual(host["machine"], os.uname().machine)
        self.assertEqual(host["uid"], os.geteuid())
        version = subprocess.run(
            [PYTHON, "-c", "import platform as p; print(p.python_version())"],
            stdout=subprocess.PIPE, check=True).stdout.decode().strip()
        self.assertEqual(host["python"], version)
        with open("/proc/self/status", encoding="ascii") as file:
            status = dict(line.split(":\t", 1) for line in file)
        self.assertEqual(host["capabilities"], status["CapEff"].strip())
        self.assertEqual(host["seccomp_inherited"],
                         int(status["Seccomp"]) != 0)
        self.assertEqual(host["no_new_privs"], status["NoNewPrivs"] == "1\n")

    def test_text(self):
        done = self.words(DOCTOR)
        lines = done.stdout.decode().split("\n")
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        self.assertEqual(lines[-2:], [available(self.report()), ""])
        for name in STEPS:
            self.assertEqual(
                len([x for x in lines
                     if x.split()[:2] == ["ok", name] or
                     name in DELEGATED and x.split()[:2] == ["no", name]]), 1)
        for name in GUARANTEES:
            self.assertEqual(
                len([x for x in lines
                     if x.split()[:2] == [name, "enforced"]]), 1)
        for way in ("isolated ", "process, in namespaces ",
                    "process, without any "):
            self.assertEqual(len([x for x in lines if x.startswith(way) and
                                  "available" in x]), 1, lines)

    def test_same_isolation_as_a_run(self):
        done = self.words(command("-c", "1"))
        run = json.loads(done.stdout)["isolation"]["guarantees"]
        mine = self.report()["isolation"]["guarantees"]
        self.assertEqual({k: v["grade"] for k, v in run.items()},
                         {k: v["grade"] for k, v in mine.items()})

    def test_caller_that_ignores_its_children(self):
        """SIGCHLD ignored, and 0 to 2 closed but for the output."""
        done = self.words(["sh", "-c", "trap '' CHLD; exec \"$@\" <&- 2>&-",
                           "sh", *DOCTOR])
        self.assertEqual(done.returncode, 0, done)

    def test_is_killed(self):
        """At any moment, in whatever step: that ends with the command."""
        for turn in range(40):
            process = subprocess.Popen(
                [str(WEIR), "doctor"], stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE)
            end = os.pidfd_open(process.pid)
            select.select([end], [], [], turn * 0.004)
            os.close(end)
            process.kill()
            # Until nobody has the output any more.
            process.communicate(timeout=HANG)
            self.assertIn(process.returncode, (-9, 0))
            self.assertTrue(wait_for_orphans(), survivors())

    def test_a_fifo_in_the_place_of_a_file(self):
        """Nobody opens its other end."""
        os.mkdir(self.path("bin"))
        os.symlink(PYTHON, self.path("bin/python3"))
        os.mkfifo(self.path("pyvenv.cfg"))
        report = self.report(python=self.path("bin/python3"))
        self.assertTrue(step_of(report, "interpreter")["ok"])


CLONE_NEWUSER = "clone:0&0x10000000=EPERM"


class Refused(Doctor):
    """name: (what runs doctor, step, errno, word of the reason, word of the
    cure, whether the level stands all the same)"""

    def check(self, around, name, number, reason, cure, stands=False):
        report = self.report(around)
        step = step_of(report, name)
        self.assertFalse(step["ok"])
        self.assertEqual(step["errno"], number, step)
        if number is not None:
            self.assertTrue(step["error"].startswith(
                errno.errorcode[number] + ": "), step)
        self.assertIn(reason, step["reason"])
        self.assertIn(cure, step["cure"])
        self.assertEqual(report["ok"], stands)
        if stands:
            more = ["landlock_abi"] if name == "landlock" else []
            self.assertEqual(report["verdict"],
                             available(report, name, *more))
        else:
            first = next(s for s in report["steps"]
                         if not s["ok"] and s["name"] not in OPTIONAL)
            self.assertEqual(
                report["verdict"], "isolated: not available: %s: %s; %s" % (
                    first["name"], first["reason"], first["cure"]))
        # The same for people.
        done = self.words([*around, *DOCTOR])
        text = done.stdout.decode()
        self.assertRegex(text, r"(?m)^no  %s " % name)
        self.assertIn("      reason: %s\n" % step["reason"], text)
        self.assertIn("      cure: %s\n" % step["cure"], text)
        self.assertTrue(text.endswith("\n%s\n" % report["verdict"]))
        self.assertEqual(done.returncode, 0 if stands else 1)


def inside(setting, *options):
    """A host of one's own, in a user namespace, for which no privilege is
    needed. Its one id is root's."""
    return ["unshare", "-U", "--map-root-user", *options, "sh", "-c",
            setting + ' && exec "$@"', "sh"]


def denied(rules):
    return [DENY, rules, "--"]


refused = {
    "without_user_namespaces": (
        inside("echo 0 >/proc/sys/user/max_user_namespaces"),
        "user_namespace", errno.ENOSPC, "(user.max_user_namespaces is 0)",
        "user.max_user_namespaces="),
    "only_root_to_map": (
        inside("true"), "id_maps", errno.EPERM, "root is the only id",
        "map a second uid"),
    "without_proc": (
        inside("mount -t tmpfs none /proc", "-m"), "proc", errno.ENOENT,
        "/proc is not mounted", "mount -t proc"),
    "filter_denies_user_namespaces": (
        denied("unshare=EPERM,clone3=ENOSYS," + CLONE_NEWUSER),
        "user_namespace", errno.EPERM, "filter", "seccomp profile"),
    "filter_hides_landlock": (
        denied("landlock_create_ruleset=ENOSYS"), "landlock", errno.ENOSYS,
        "filter", "seccomp profile", True),
    "filter_hides_filters": (
        denied("seccomp=EINVAL"), "seccomp", errno.EINVAL, "filter",
        "seccomp profile"),
    "filter_denies_pivot_root": (
        denied("pivot_root=EPERM"), "pivot_root", errno.EPERM, "filter",
        "pivot_root"),
    "filter_denies_new_mounts": (
        denied("mount_setattr=ENOSYS"), "bind_mount", errno.ENOSYS, "filter",
        "seccomp profile"),
    "filter_kills": (
        denied("pivot_root=KILL"), "pivot_root", None, "filter",
        "seccomp profile"),
    "filter_denies_limits": (
        denied("prlimit64:1==9=EPERM"), "rlimits", errno.EPERM, "filter",
        "filter"),
}
for kind in ("pid", "mnt", "net", "ipc", "uts", "cgroup"):
    refused["without_%s_namespaces" % kind] = (
        inside("echo 0 >/proc/sys/user/max_%s_namespaces" % kind),
        {"mnt": "mount", "net": "network"}.get(kind, kind) + "_namespace",
        errno.ENOSPC, "(user.max_%s_namespaces is 0)" % kind,
        "user.max_%s_namespaces=" % kind)
if IS_ROOT:
    refused["read_only_proc"] = (
        ["unshare", "-m", "sh", "-c",
         'mount --bind /proc /proc && mount -o remount,bind,ro /proc && '
         'exec "$@"', "sh"],
        "id_maps", errno.EROFS, "read-only", "read-write")
    refused["chroot"] = (
        ["unshare", "-m", "sh", "-c",
         'mount -t tmpfs none /mnt && mkdir /mnt/root && mount --rbind / '
         '/mnt/root && exec chroot /mnt/root "$@"', "sh"],
        "user_namespace", errno.EPERM, "chroot", "outside")
rows(Refused, refused)


class More(Doctor):
    def test_steps_that_need_a_refused_one(self):
        """They are not tried, and say which one they need."""
        report = self.report(refused["without_user_namespaces"][0])
        for name in ("pid_namespace", "tmpfs", "capabilities"):
            step = step_of(report, name)
            self.assertEqual((step["ok"], step["errno"], step["error"]),
                             (False, None, "not tried"))
            self.assertIn("user_namespace", step["reason"])
        for name in ("seccomp", "landlock", "pidfd", "rlimits"):
            self.assertTrue(step_of(report, name)["ok"], name)

    def test_execution_says_the_same(self):
        """What was tried step by step and what happens are one."""
        report = self.report(
            refused["filter_denies_user_namespaces"][0])
        step = step_of(report, "execution")
        self.assertFalse(step["ok"])
        self.assertIn("clone", step["reason"])
        self.assertEqual(report["isolation"]["level"], "none")
        self.assertTrue(report["host"]["seccomp_inherited"])
        self.assertTrue(report["host"]["no_new_privs"])

    def test_no_such_interpreter(self):
        report = self.report(python="/nowhere/python3")
        step = step_of(report, "interpreter")
        self.assertEqual(step["errno"], errno.ENOENT)
        self.assertIn("/nowhere/python3", step["detail"])
        self.assertIn("--python", step["cure"])
        self.assertIsNone(report["isolation"])
        self.assertIsNone(report["host"]["python"])

    def test_name_that_is_no_text(self):
        """Bytes of a path that are not UTF-8 do not spoil the report."""
        done = self.words([str(WEIR), "doctor", "--json", "--python",
                           b"/nowhere/\xff\x1b[2J"])
        report = json.loads(done.stdout.decode("utf-8"))
        self.assertIn("\ufffd", step_of(report, "interpreter")["detail"])
        self.assertNotIn(b"\x1b", done.stdout)


class Codes(Doctor):
    """Exit codes as the manual has them."""

    def check(self, code, words, **more):
        done = self.words(words, **more)
        self.assertEqual(done.returncode, code, done)
        if code in (2, 125):
            self.assertRegex(done.stderr.decode(), r"\Aweir: .+\n\Z")

    def test_output_that_is_full(self):
        with open("/dev/full", "wb") as full:
            for words in (DOCTOR, [*DOCTOR, "--json"]):
                self.check(125, words, stdout=full)

    def test_output_that_nobody_reads(self):
        near, far = os.pipe()
        os.close(near)
        try:
            self.check(125, DOCTOR, stdout=far)
        finally:
            os.close(far)


rows(Codes, {
    "available": (0, DOCTOR),
    "available_without_landlock": (
        0, [*refused["filter_hides_landlock"][0], *DOCTOR]),
    "process_where_isolated_is": (0, [*DOCTOR, "--level", "process"]),
    "process_available": (
        0, [*denied(CLONE_NEWUSER), *DOCTOR, "--level", "process"]),
    "isolated_asked_for": (
        1, [*denied(CLONE_NEWUSER), *DOCTOR, "--level", "isolated"]),
    "neither_available": (
        1, [*denied(CLONE_NEWUSER + ",landlock_create_ruleset=ENOSYS"),
            *DOCTOR, "--level", "process"]),
    "level_none": (2, [*DOCTOR, "--level", "none"]),
    "not_available": (1, [*refused["without_user_namespaces"][0], *DOCTOR]),
    "operand": (2, [*DOCTOR, "program.py"]),
    "option_of_run": (2, [*DOCTOR, "--tool", "a=b"]),
    "help": (0, [str(WEIR), "doctor", "--help"]),
    # Nobody to try a step in.
    "no_child": (125, [*denied("clone=EAGAIN,clone3=EAGAIN,fork=EAGAIN"
                               if os.uname().machine == "x86_64"
                               else "clone=EAGAIN,clone3=EAGAIN"), *DOCTOR]),
})


class Deny(Case):
    """The tool with which hosts are made up."""

    def check(self, code, rules, *words):
        done = subprocess.run([DENY, *rules, "--", *words],
                              stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              timeout=HANG)
        self.assertEqual(done.returncode, code, done)
        return done


rows(Deny, {
    "nothing_else": (0, ["sethostname=EPERM"], "true"),
    "by_number": (1, ["mkdir=28,mkdirat=28"], "mkdir", "/tmp/denied"),
    "by_argument": (0, ["socket:0==10=EPERM"], "true"),
    "kills": (-31, ["getcwd=KILL"], PYTHON, "-c", "import os; os.getcwd()"),
    "unknown_call": (2, ["nonsense=EPERM"], "true"),
    "unknown_errno": (2, ["getcwd=ENONSENSE"], "true"),
    "no_answer": (2, ["getcwd"], "true"),
    "argument_6": (2, ["getcwd:6==1=EPERM"], "true"),
    "no_operator": (2, ["getcwd:1=EPERM"], "true"),
    "no_rule": (2, [], "true"),
    "no_command": (127, ["getcwd=EPERM"], "/nowhere"),
})


if __name__ == "__main__":
    main()
