#!/usr/bin/env python3
"""Hosts that are made up (hosts.py): in each, what `weir run` has at the
default level, with --level process and by each way alone, and what doctor
says. Nothing runs below the level that was asked for, and each refusal is
named with its errno and the setting behind it."""
import json
import os
import subprocess

from hosts import HOSTS
from weir_test import (GUARANTEES, HANG, IS_ROOT, PYTHON, TOOLS, WEIR, Case,
                       Outcome, command, end_survivors, become_subreaper,
                       main, mounts, rows, shell, survivors)

PROCESS = ["--level", "process"]


def words_of(host):
    return [word.replace("TOOLS", str(TOOLS), 1) for word in host.words]


class Hosts(Case):
    def setUp(self):
        super().setUp()
        become_subreaper()
        self.addCleanup(end_survivors)
        self.mark = self.path("ran")

    def words(self, host, words):
        before = mounts()
        done = subprocess.run(
            words_of(host) + words, stdin=subprocess.DEVNULL, cwd="/",
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=HANG)
        self.assertEqual(survivors(), [])
        self.assertEqual(mounts(), before)
        return done

    def run_in(self, host, *options):
        """The outcome of a program with an effect, and whether it had it."""
        done = self.words(host, command(
            *options, level="isolated", tools={
                "effect": shell('echo >"$1"; echo 1', self.mark)}) +
            ["-c", "effect()\nprint('ran')"])
        ran = os.path.exists(self.mark)
        if ran:
            os.unlink(self.mark)
        return Outcome(done.returncode, done.stdout, done.stderr), ran

    def has_run(self, got, ran, level, lost):
        self.assertEqual((got.code, ran), (0, True), (got.stdout, got.stderr))
        isolation = got.result["isolation"]
        self.assertEqual(isolation["level"], level)
        proofs = isolation["guarantees"]
        self.assertEqual({name: proofs[name]["grade"] for name in GUARANTEES
                          if proofs[name]["grade"] != "enforced"}, lost)

    def is_refused(self, got, ran, refused):
        """Nothing ran; the stage is named, with its errno and more."""
        self.assertEqual((got.code, ran), (125, False), got.stdout)
        stage, number = refused
        if stage.startswith("/"):
            # Not as far as to have a result.
            self.assertEqual(got.stdout, b"")
            text = got.stderr.decode()
            self.assertRegex(text, r"\Aweir: .*\n\Z")
        else:
            self.assertEqual(got.kind, "isolation_unavailable")
            self.assertEqual(got.result["stdout"], "")
            text = got.result["error"]["message"]
        self.assertIn(stage, text)
        self.assertIn(number if isinstance(number, str)
                      else os.strerror(number), text)
        # More than the errno: what to do about it.
        self.assertRegex(text, r"; .{10,}|Linux 6\.2")

    def check(self, host):
        self.check_default(host)
        self.check_process(host)
        self.check_ways(host)
        self.check_doctor(host)

    def check_default(self, host):
        """At level isolated it is all or nothing."""
        least = () if host.graded else (*PROCESS, "--backend", "isolated")
        for options in {(), least}:
            got, ran = self.run_in(host, *options)
            if "I" in host.ways:
                self.has_run(got, ran, "isolated", {})
                warnings = got.result["warnings"]
                self.assertEqual([w[:len(host.warning or "")]
                                  for w in warnings],
                                 [host.warning] if host.warning else [])
            else:
                self.is_refused(got, ran, host.refused)

    def check_process(self, host):
        """The strongest that is there, and what was not is a warning."""
        got, ran = self.run_in(host, *PROCESS)
        lost = host.lost[0 if IS_ROOT else 1]
        if not host.ways:
            self.is_refused(got, ran, host.without)
        elif "I" in host.ways:
            self.has_run(got, ran, "isolated", {})
        else:
            self.has_run(got, ran, "process", lost)
            if host.graded:
                return
            said = [w for w in got.result["warnings"]
                    if w.startswith("backend isolated was not to be had: ")]
            self.assertEqual(len(said), 1, got.result["warnings"])
            self.assertIn(host.refused[0], said[0])

    def check_ways(self, host):
        """Also where more could be had."""
        got, ran = self.run_in(host, *PROCESS, "--backend", "process")
        if "N" in host.ways or "P" in host.ways:
            self.has_run(got, ran, "process", host.lost[0 if IS_ROOT else 1])
        else:
            self.is_refused(got, ran, host.without)

    def check_doctor(self, host):
        done = self.words(host, [str(WEIR), "doctor", "--json", "--python",
                                 str(PYTHON)])
        report = json.loads(done.stdout)
        self.assertEqual(done.returncode, 0 if "I" in host.ways else 1)
        had = "".join(w["way"][0].upper() for w in report["ways"]
                      if w["available"])
        self.assertEqual(had, host.ways)
        failed = [s for s in report["steps"]
                  if not s["ok"] and s["name"] not in (
                      "unlinked_file", "memory_cgroup")]
        if host.step is None:
            self.assertLessEqual({s["name"] for s in failed}, {"pidfd"})
            return
        name, number = host.step
        self.assertEqual((failed[0]["name"], failed[0]["errno"]),
                         (name, number))
        self.assertIn(host.cure, failed[0]["cure"])
        if number is not None:
            self.assertIn(os.strerror(number), failed[0]["error"])
        for way in report["ways"]:
            if not way["available"]:
                self.assertTrue(way["missing"] or
                                "signal 31" in way["error"], way)
        if host.said is None:
            return
        # The status speaks of the level that is asked for.
        done = self.words(host, [str(WEIR), "doctor", "--json", "--python",
                                 str(PYTHON), *PROCESS])
        self.assertEqual(done.returncode, 0 if host.ways else 1)


rows(Hosts, {name: host for name, host in HOSTS.items()
             if IS_ROOT or host.only != "root"})


class Abi(Case):
    """The tool that makes the hosts with another Landlock."""

    def check(self, code, *words):
        done = subprocess.run([str(TOOLS / "abi"), *words],
                              stdin=subprocess.DEVNULL, timeout=HANG,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertEqual(done.returncode, code, done)
        return done

    def test_what_each_version_knows(self):
        """Rights, attributes and flags: the first that is unknown is
        refused, and those before it are not."""
        program = (
            "import ctypes, os, struct, sys\n"
            "libc = ctypes.CDLL(None, use_errno=True)\n"
            "def ruleset(flags, *words):\n"
            "    data = struct.pack('=%dQ' % len(words), *words)\n"
            "    fd = libc.syscall(444, data if words else None,\n"
            "                      ctypes.c_size_t(len(data)), flags)\n"
            "    if fd < 0: return -ctypes.get_errno()\n"
            "    if words: os.close(fd)\n"
            "    return 0 if words else fd\n"
            "print(ruleset(1), [ruleset(0, 1 << n) for n in (12, 13, 14, 15)],"
            "\n  ruleset(0, 1, 2), ruleset(0, 1, 0, 2), ruleset(2))\n")
        want = {
            1: (1, [0, -22, -22, -22], -7, -7, -22),
            2: (2, [0, 0, -22, -22], -7, -7, -22),
            3: (3, [0, 0, 0, -22], -7, -7, -22),
            4: (4, [0, 0, 0, -22], 0, -7, -22),
            5: (5, [0, 0, 0, 0], 0, -7, -22),
            6: (6, [0, 0, 0, 0], 0, 0, -22),
        }
        for number, answers in want.items():
            done = self.check(0, str(number), "--", PYTHON, "-c", program)
            self.assertEqual(done.stdout.decode(),
                             "%d %s %d %d %d\n" % answers)


rows(Abi, {
    "status": (7, "3", "--", "sh", "-c", "exit 7"),
    "signal": (-9, "3", "--", "sh", "-c", "kill -9 $$"),
    "no_command": (127, "3", "--", "/nowhere"),
    "no_number": (2, "x", "--", "true"),
    "version_0": (2, "0", "--", "true"),
    "no_dashes": (2, "3", "true", "true"),
})


if __name__ == "__main__":
    main()
