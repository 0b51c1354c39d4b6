#!/usr/bin/env python3
"""kill -9 at every write of a ledger, and every write that fails.

The supervisor has tests/tools/faulty.so preloaded, which counts what it does to
its ledger and kills it before, in the middle of, or after the n-th, or makes
that one fail. The tools keep a list of their own of what they did: what the
ledger says afterwards is held against that.

By default some of the n are tried; with WEIR_EVERY=1 all of them.
"""
import collections
import json
import os
import re
import subprocess

from test_800_ledger import SPEND, Ledger
from weir_test import (ECHO, HANG, PYTHON, TOOLS, WEIR, command, main, run,
                       shell, survivors, wait_for_orphans)

SHIM = os.path.join(TOOLS, "faulty.so")
EVERY = os.environ.get("WEIR_EVERY") == "1"
# Of the calls: one alone, three at a time, one that fails, one that is not
# offered, one more. What the program knows of, it prints.
PROGRAM = """
import asyncio

async def one(name):
    try:
        await call_tool(name, {})
        print("saw %s\\n" % name, end="", flush=True)
    except ToolError as error:
        print("saw %s %s\\n" % (name, error.kind), end="", flush=True)

async def main():
    await one("t0")
    await asyncio.gather(one("t1"), one("t2"), one("t3"))
    await one("bad")
    await one("nope")
    await one("t4")

await main()
"""
NAMES = ("t0", "t1", "t2", "t3", "t4")
# opened, two records for each of six calls, refused, closed.
WRITES = 15
# With durability `disk` there are as many syncs, or less where some share one.
SYNCS, STEPS = 9, 22
LOOP = """
i = 0
while tick(n=i):
    i += 1
"""


class Faulty(Ledger):
    def setUp(self):
        super().setUp()
        self.effects = self.path("effects")
        self.steps = self.path("steps")
        self.again()

    def again(self):
        """A new state directory, and nothing was done yet."""
        self.state = self.path("state%d" % getattr(self, "turn", 0))
        self.turn = getattr(self, "turn", 0) + 1
        for path in (self.effects, self.steps):
            with open(path, "w"):
                pass

    def tool(self, name, result="1", code=0):
        """Says in the list when it begins and when its effect is done; one
        write each, at the end of the file."""
        return shell('echo "$1 begin" >>"$2"; echo "$1 end" >>"$2"; '
                     'echo "$3"; exit "$4"', name, self.effects, result,
                     str(code))

    def tools(self):
        tools = {name: self.tool(name) for name in NAMES}
        tools["bad"] = self.tool("bad", code=1)
        return tools

    def make_ledger(self):
        """The file has to be there to be known."""
        os.makedirs(os.path.dirname(self.ledger()), 0o700, exist_ok=True)
        os.chmod(self.state, 0o700)
        with open(self.ledger(), "ab") as file:
            os.fchmod(file.fileno(), 0o600)

    def victim(self, at, how, *options, program=PROGRAM, tools=None,
               **more):
        """Its exit status and what the program had printed by then. Without
        --json that leaves at once."""
        self.make_ledger()
        done = subprocess.run(
            command(*self.options(), *options, json=False,
                    tools=tools or self.tools()) + ["-c", program],
            env=dict(os.environ, LD_PRELOAD=SHIM, FAULT_FILE=self.ledger(),
                     FAULT_AT=str(at), FAULT_HOW=how, FAULT_LOG=self.steps,
                     **more),
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, timeout=HANG, cwd="/")
        return done

    def killed(self, *words, **more):
        done = self.victim(*words, **more)
        self.assertEqual(done.returncode, -9, done.stderr)
        # S4: its tools, and the tree, are gone within a second.
        self.assertTrue(wait_for_orphans())
        # It may have been ended in the middle of a line.
        return done.stdout.decode().split("\n")[:-1]

    def lines(self, path):
        with open(path) as file:
            return file.read().splitlines()

    def did(self):
        """How often each tool began, and how often it came to its end."""
        begun, ended = collections.Counter(), collections.Counter()
        for line in self.lines(self.effects):
            name, what = line.rsplit(" ", 1)
            (begun if what == "begin" else ended)[name] += 1
        return begun, ended

    def compare(self, records, key):
        """What the tools did beside what stands in the ledger. key names a
        call as the tools name it."""
        begun, ended = self.did()
        called = collections.defaultdict(list)
        for record in records:
            if "call" in record:
                called[key(record)].append(record["event"])
        for name, count in begun.items():
            # Never two effects for one call, nor one without `started`.
            self.assertEqual(count, 1, name)
            self.assertEqual(called[name][0], "started", name)
        for name, events in called.items():
            if events[0] == "refused":
                self.assertEqual(events, ["refused"])
                self.assertNotIn(name, begun)
                continue
            self.assertEqual(events[0], "started")
            self.assertLessEqual(len(events), 2, name)
            # What is proved to have ended has had its effect, once.
            if events[1:] in (["completed"], ["failed"]):
                self.assertEqual((begun[name], ended[name]), (1, 1), name)
            else:
                self.assertIn(events[1:], ([], ["unknown"]), name)
        return called

    def is_intact(self, torn=None):
        done = self.log("--state", self.state, "r", "--verify")
        self.assertEqual(done.returncode, 0, done.stderr)
        found = re.search(rb"torn tail: the last (\d+) bytes, from offset "
                          rb"(\d+) on", done.stderr)
        if torn is not None:
            self.assertEqual(found is not None, torn, done.stderr)
        return found and (int(found.group(2)), int(found.group(1)))

    def next_one(self):
        """What is left of the Run's budget counts everything."""
        records = self.records()
        spent = [r for r in records if r["event"] in ("started", "refused")
                 and r.get("kind") != "budget_spent"]
        self.assertEqual(
            self.value(SPEND % 2, *self.options(), tools={"echo": ECHO},
                       limits={"run_calls": len(spent) + 1}),
            ["ok", "budget_spent"])
        after = self.records()
        self.assertEqual(after[:len(records)], records)
        self.is_intact(torn=False)
        return after[len(records):]

    def points(self, count, first=0):
        every = range(1, count + 1)
        return every if EVERY else every[first % 5::5]


class Killed(Faulty):
    def test_how_often_it_writes(self):
        """Or what follows would miss some of them."""
        done = self.victim(0, "none")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([s.split()[0] for s in self.lines(self.steps)],
                         ["write"] * WRITES)
        self.assertEqual(len(self.records()), WRITES)
        begun, ended = self.did()
        self.assertEqual(sorted(begun), sorted((*NAMES, "bad")))
        self.compare(self.records(), lambda r: r["tool"])

    def test_alone(self):
        for k, how in enumerate(("before", "middle", "after")):
            for at in self.points(WRITES, k):
                with self.subTest(how=how, at=at):
                    self.again()
                    saw = self.killed(at, how)
                    torn = self.is_intact(torn=how == "middle")
                    records = self.records()
                    self.assertEqual(len(records), at - (how != "after"))
                    called = self.compare(records, lambda r: r["tool"])
                    for line in saw:
                        # Nobody was told of an end that is not known.
                        self.assertIn(called[line.split()[1]][-1],
                                      ("completed", "failed", "refused"))
                    more = self.next_one()
                    if torn is None:
                        self.assertEqual(more[0]["event"], "opened")
                        continue
                    self.assertEqual(more[0]["event"], "repaired")
                    self.assertEqual(
                        (more[0]["offset"], more[0]["length"]), torn)

    def test_beside_another(self):
        """Another execution, another process, appends to the Run all the
        time: what it does is whole, whatever became of the one beside."""
        for k, how in enumerate(("before", "middle", "after")):
            for at in self.points(WRITES, k + 1):
                with self.subTest(how=how, at=at):
                    self.again()
                    self.beside(at, how)

    def beside(self, at, how):
        name = "go%d" % self.turn
        os.mkdir(self.path(name))
        go, stop = os.path.join(self.path(name), "go"), self.path(name + "x")
        os.mkfifo(go)
        fd = os.open(go, os.O_RDWR | os.O_CLOEXEC)
        try:
            tick = shell(
                'read line; echo "$line begin" >>"$1"; '
                'echo "$line end" >>"$1"; echo x >"$2"; '
                'if test -e "$3"; then echo 0; else echo 1; fi',
                self.effects, go, stop)
            # Only its own: the Run has room enough for both.
            other = self.start(LOOP, *self.options(), tools={"tick": tick},
                               limits={"calls": 100000, "run_calls": 200000})
            self.assertEqual(os.read(fd, 1), b"x")
            done = self.victim(at, how)
            with open(stop, "w"):
                pass
            stdout, stderr = other.communicate(timeout=HANG)
        finally:
            os.close(fd)
        self.assertEqual(done.returncode, -9, done.stderr)
        self.assertTrue(wait_for_orphans())
        result = json.loads(stdout)
        self.assertIsNone(result["error"], result)
        self.is_intact(torn=False)
        records = self.records()
        mine = [r for r in records
                if r.get("execution") != result["execution"] and
                r["event"] != "repaired"]
        self.assertEqual(len(mine), at - (how != "after"))
        self.assertEqual([r["event"] for r in records].count("repaired"),
                         int(how == "middle"))
        called = self.compare(
            records, lambda r: '{"n":%d}' % r["call"]
            if r["execution"] == result["execution"] else r["tool"])
        for line, events in called.items():
            if line.startswith("{"):
                self.assertEqual(events, ["started", "completed"])
        self.next_one()

    def test_while_it_makes_the_key(self):
        for how in ("before", "middle", "after"):
            with self.subTest(how):
                self.again()
                done = subprocess.run(
                    command(*self.options(), tools={"echo": ECHO}) + [
                        "-c", "echo()"],
                    env=dict(os.environ, LD_PRELOAD=SHIM, FAULT_AT="1",
                             FAULT_FILE=os.path.join(self.state, "key"),
                             FAULT_HOW=how),
                    stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE, timeout=HANG, cwd="/")
                self.assertEqual(done.returncode, -9, done.stderr)
                self.assertEqual(self.spend(1), ["ok"])

    def test_while_repairing(self):
        """It is killed while it takes away what another one left: what was
        whole stays whole, and the third one goes on."""
        for how in ("before", "middle", "after"):
            for at in range(1, 6 if EVERY else 4):
                with self.subTest(how=how, at=at):
                    self.again()
                    self.killed(5, "middle")
                    first = self.records()
                    self.killed(at, how, program="t4()",
                                tools={"t4": self.tool("more")})
                    self.is_intact()
                    records = self.records()
                    self.assertEqual(records[:len(first)], first)
                    self.compare(records, lambda r: "more"
                                 if r["tool"] == "t4" else r["tool"])
                    if at > 2 or (at, how) == (2, "after"):
                        self.assertEqual(records[len(first)]["event"],
                                         "repaired")
                    self.next_one()


class Disk(Faulty):
    """Durability `disk`."""
    OPTIONS = ("--durability", "disk")

    def steps_of(self):
        return "".join({"write": "w", "sync": "s", "truncate": "t"}[
            step.split()[0]] for step in self.lines(self.steps))

    def test_when_it_syncs(self):
        done = self.victim(0, "none", *self.OPTIONS)
        self.assertEqual(done.returncode, 0, done.stderr)
        steps = self.steps_of()
        # Each is followed by one; what falls due together goes together,
        # and how much that is, is for the loop's turns to say.
        self.assertRegex(steps, "^wswsws(w{1,6}s)+$")
        self.assertEqual(steps.count("w"), WRITES)
        self.assertTrue(steps.endswith("ws"))

    def test_many_at_once_share_one(self):
        program = ("import asyncio\n"
                   "await asyncio.gather(*(call_tool('t0', {})"
                   " for _ in range(32)))")
        done = self.victim(0, "none", *self.OPTIONS, program=program,
                           tools={"t0": "cat"})
        self.assertEqual(done.returncode, 0, done.stderr)
        steps = self.steps_of()
        self.assertEqual(steps.count("w"), 66)
        # How many frames arrive in one turn is not ours to say; each sync
        # has at least one record, and some of them many.
        self.assertLess(steps.count("s"), 60, steps)
        self.assertIn("wwww", steps)

    def test_the_machine_stops(self):
        """What no sync has made safe is gone, at each step: still there is
        a `started` for each effect, and an end for all that was seen."""
        for at in self.points(STEPS, 2):
            with self.subTest(at=at):
                self.again()
                saw = self.killed(at, "power", *self.OPTIONS)
                self.is_intact(torn=False)
                called = self.compare(self.records(), lambda r: r["tool"])
                for line in saw:
                    self.assertIn(called[line.split()[1]][-1],
                                  ("completed", "failed", "refused"), line)
                self.next_one()

    def test_killed(self):
        for k, how in enumerate(("before", "middle", "after")):
            for at in self.points(STEPS, k):
                with self.subTest(how=how, at=at):
                    self.again()
                    self.killed(at, how, *self.OPTIONS)
                    self.is_intact()
                    self.compare(self.records(), lambda r: r["tool"])
                    self.next_one()

    def test_a_disk_that_fails(self):
        """A sync that failed once is never relied on again: nothing more is
        done, and no end that may be lost is told."""
        for at in range(1, SYNCS + 1):
            with self.subTest(at=at):
                self.again()
                done = self.victim(at, "EIO", *self.OPTIONS,
                                   FAULT_WHAT="sync")
                self.assertEqual(survivors(), [])
                self.is_intact(torn=False)
                # Nothing is written after it.
                steps = self.steps_of()
                self.assertEqual((steps.count("s"), steps[-1]), (at, "s"))
                begun, _ = self.did()
                written = safe = 0
                for step in self.lines(self.steps)[:-1]:
                    what, size = step.split()
                    written += int(size)
                    safe = written if what == "sync" else safe
                called = [r["tool"] for r in self.records() if r["at"] < safe
                          and r["event"] in ("completed", "failed")]
                saw = [line.split() for line in
                       done.stdout.decode().splitlines()]
                # Either it was told so, or it was ended with it.
                if b"Input/output error" not in done.stderr:
                    self.assertEqual(saw[-1], ["saw", "t4", "not_recorded"])
                for words in saw:
                    # What has no effect is refused in its own words.
                    if words[2:] not in (["not_recorded"], ["not_offered"]):
                        self.assertIn(words[1], called)
                started = {r["tool"] for r in self.records()
                           if r["event"] == "started"}
                self.assertLessEqual(set(begun), started)


class OneSupervisor(Faulty):
    """A host that goes on after its disk has failed."""

    def twice(self, **fault):
        libexec = os.path.join(os.path.dirname(WEIR), "../libexec/weir")
        self.make_ledger()
        done = subprocess.run(
            [os.path.join(TOOLS, "obey"), libexec, PYTHON, self.state, "r",
             "-1", "try: return echo()\nexcept ToolError as e: return e.kind",
             "tool:echo=/bin/cat", "disk", "again"],
            env=dict(os.environ, LD_PRELOAD=SHIM, FAULT_WHAT="sync",
                     FAULT_HOW="EIO", FAULT_FILE=self.ledger(), **fault),
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=HANG)
        self.assertEqual(survivors(), [])
        return done.stdout.decode().splitlines()

    def test_nothing_more_is_recorded(self):
        """Whichever sync it was: the next one, through another descriptor,
        may say that all is well."""
        for at in (1, 2, 3, 4):
            with self.subTest(at=at):
                self.again()
                lines = self.twice(FAULT_AT=str(at))
                self.assertRegex(lines[-1], "^run r: a ledger could not be "
                                 "written to the disk before, .* start weir "
                                 "anew$")
                self.assertLessEqual(
                    [r["event"] for r in self.records()].count("opened"), 1)

    def test_without_a_fault(self):
        lines = self.twice()
        self.assertEqual([json.loads(line)["error"] for line in lines],
                         [None, None])
        self.assertEqual(
            [r["event"] for r in self.records()].count("opened"), 2)


class Failing(Faulty):
    def test_no_room(self):
        """A disk, or a quota, that is full at the n-th write, or that cannot
        be written: that one is not done, and the file stays whole."""
        for k, how in enumerate(("ENOSPC", "EDQUOT", "EIO")):
            for at in self.points(WRITES, k):
                with self.subTest(how=how, at=at):
                    self.again()
                    done = self.victim(at, how)
                    self.assertEqual(survivors(), [])
                    # What was written of it is taken back.
                    self.assertIn("truncate",
                                  [s.split()[0] for s in
                                   self.lines(self.steps)][at:at + 1])
                    self.is_intact(torn=False)
                    begun, ended = self.did()
                    saw = [line.split() for line in
                           done.stdout.decode().splitlines()]
                    refused = [w[1] for w in saw if w[2:] == ["not_recorded"]]
                    self.assertLessEqual(len(refused), 1)
                    if at == 1:
                        self.assertEqual((saw, begun), ([], {}))
                    else:
                        self.assertEqual(done.returncode, 0, done.stderr)
                        self.assertEqual(len(self.records()), WRITES - 1)
                    for name, count in begun.items():
                        self.assertEqual(count, 1)
                    started = {r["tool"] for r in self.records()
                               if r["event"] == "started"}
                    self.assertLessEqual(set(begun), started)
                    self.next_one()

    def test_short_writes(self):
        """As many as it takes: the record is whole."""
        for at in self.points(WRITES):
            with self.subTest(at=at):
                self.again()
                done = self.victim(at, "short")
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(len(self.records()), WRITES)
                self.is_intact(torn=False)


if __name__ == "__main__":
    main()
