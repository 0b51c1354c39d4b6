#!/usr/bin/env python3
"""The ledger of a Run: what stands in it, that its budget holds whoever dies,
and what `weir log` says of a file that is whole, torn or altered."""
import fcntl
import json
import os
import re
import resource
import shutil
import signal
import stat
import struct
import subprocess

from weir_test import (ECHO, GUARANTEES, HANG, IS_ROOT, WEIR, Case, command,
                       end_survivors, become_subreaper, main, run, shell,
                       survivors, without_repeats)

EVENTS = ("opened", "started", "refused", "completed", "failed", "unknown",
          "closed", "repaired")
F_OFD_SETLK = 37
# Calls `echo` as often as it may, and says how each call ended.
SPEND = """
ends = []
for i in range(%d):
    try:
        echo(i=i)
        ends.append("ok")
    except ToolError as error:
        ends.append(error.kind)
return ends
"""


class Ledger(Case):
    def setUp(self):
        super().setUp()
        become_subreaper()
        self.addCleanup(end_survivors)
        self.state = self.path("state")

    def options(self, run="r", *more):
        return ["--state", self.state, "--run", run, *more]

    def ledger(self, run="r"):
        return os.path.join(self.state, "runs", run)

    def log(self, *words):
        return subprocess.run(
            [str(WEIR), "log", *map(str, words)], stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=HANG)

    def records(self, run="r", code=0):
        done = self.log("--state", self.state, run, "--json")
        self.assertEqual(done.returncode, code, done.stderr)
        return self.parse(done.stdout)

    def parse(self, text):
        records = [json.loads(line, object_pairs_hook=without_repeats)
                   for line in text.decode("utf-8").splitlines()]
        for record in records:
            self.assertIn(record["event"], EVENTS)
            self.assertRegex(record["hash"], "^[0-9a-f]{64}$")
            self.assertRegex(
                record["time"],
                r"^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z$")
        return records

    def events(self, run="r"):
        return [record["event"] for record in self.records(run)]

    def spend(self, calls, *options, **more):
        return self.value(SPEND % calls, *self.options(), *options,
                          tools={"echo": ECHO}, **more)


class Records(Ledger):
    def test_an_execution(self):
        program = """
echo(secret="S3cr3t")
for name in ("fail", "nope"):
    try:
        call_tool(name, {})
    except ToolError:
        pass
return 1
"""
        result = self.succeeds(program, *self.options(),
                               tools={"echo": ECHO, "fail": "false"})
        records = self.records()
        self.assertEqual([r["event"] for r in records], [
            "opened", "started", "completed", "started", "failed", "refused",
            "closed"])
        opened, started, completed, _, failed, refused, closed = records
        for record in records:
            self.assertEqual(record["execution"], result["execution"])
        self.assertEqual(opened["run"], "r")
        self.assertEqual(opened["level"], result["isolation"]["level"])
        self.assertEqual(tuple(opened["grades"]), GUARANTEES)
        for name, grade in opened["grades"].items():
            self.assertEqual(
                grade, result["isolation"]["guarantees"][name]["grade"])
        self.assertEqual(opened["kernel"], os.uname().release)
        self.assertIsInstance(opened["landlock_abi"], int)
        self.assertTrue(opened["interpreter"].startswith("/"))
        self.assertRegex(opened["interpreter_version"], r"^3\.\d+\.")
        self.assertEqual(opened["program_bytes"], len(program))
        self.assertEqual(opened["terms"]["calls"], 1000)
        self.assertEqual(started["call"], 0)
        self.assertEqual(started["tool"], "echo")
        self.assertEqual(started["argument_bytes"], 19)
        self.assertEqual(completed["result_bytes"], 19)
        self.assertEqual(completed["result_hash"], started["argument_hash"])
        self.assertGreater(completed["tool_ns"], 0)
        self.assertEqual((failed["call"], failed["kind"]), (1, "failed"))
        self.assertEqual((refused["call"], refused["kind"]),
                         (2, "not_offered"))
        self.assertEqual(closed["outcome"], "ok")
        self.assertEqual(closed["exit_status"], 0)
        self.assertEqual(closed["usage"]["calls"], 3)
        self.assertEqual(closed["usage"]["total_bytes"], 2 * 19 + 2 * 2)
        self.assertEqual(closed["usage"]["produced_bytes"], 19)
        with open(self.ledger(), "rb") as file:
            self.assertNotIn(b"S3cr3t", file.read())

    def test_values_on_request(self):
        """As JSON, in full up to their limit; never a part of one."""
        program = ("echo(secret='S3cr3t\\u00e9')\n"
                   "echo(long='x' * 60000)\nreturn 1")
        self.value(program, *self.options("r", "--record-values"),
                   tools={"echo": ECHO})
        _, started, completed, long, longer, _ = self.records()
        self.assertEqual(started["arguments"], {"secret": "S3cr3t\u00e9"})
        self.assertEqual(completed["result"], {"secret": "S3cr3t\u00e9"})
        self.assertEqual(long["argument_bytes"], 60011)
        for record in long, longer:
            self.assertNotIn("arguments", record)
            self.assertNotIn("result", record)
        done = self.log("--state", self.state, "r", "--verify")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_outcomes(self):
        for program, outcome, limits in (
                ("1/0", "exception", None), ("import os; os._exit(3)",
                                             "worker_exit", None),
                ("while True: pass", "timeout", {"wall": "300ms"})):
            with self.subTest(outcome):
                self.fails(outcome, program, *self.options(outcome),
                           limits=limits)
                records = self.records(outcome)
                self.assertEqual(records[-1]["event"], "closed")
                self.assertEqual(records[-1]["outcome"], outcome)
        self.assertEqual(self.records("worker_exit")[-1]["exit_status"], 3)

    def test_what_cannot_start_opens_nothing(self):
        self.fails("exception", "return (", *self.options())
        got = run("1", *self.options("other"), python="/dev/null")
        self.assertIn(got.code, (126, 127))
        self.assertFalse(os.path.exists(self.ledger("other")))

    def test_started_stands_before_the_tool_runs(self):
        line = "'%s' log --state '%s' --json r | tail -n 1" % (
            WEIR, self.state)
        seen = self.value("return look()", *self.options(),
                          tools={"look": shell(line)})
        self.assertEqual(seen["event"], "started")
        self.assertEqual(seen["tool"], "look")

    def test_without_run_each_execution_is_its_own(self):
        results = [self.succeeds("return echo()", "--state", self.state,
                                 tools={"echo": ECHO}) for _ in range(2)]
        self.assertEqual(sorted(os.listdir(self.path("state/runs"))),
                         sorted(r["execution"] for r in results))
        # It has the execution's budget, not that of Runs.
        got = self.value(SPEND % 3, "--state", self.state,
                         tools={"echo": ECHO}, limits={"run_calls": 1})
        self.assertEqual(got, ["ok"] * 3)

    def test_without_state_nothing_is_kept(self):
        self.value("return echo()", tools={"echo": ECHO})
        self.assertEqual(os.listdir(self.directory), [])

    def test_modes(self):
        self.spend(1)
        for path, mode in ((self.state, 0o700),
                           (self.path("state/runs"), 0o700),
                           (self.path("state/key"), 0o600),
                           (self.ledger(), 0o600)):
            self.assertEqual(stat.S_IMODE(os.stat(path).st_mode), mode)
        self.assertEqual(os.stat(self.path("state/key")).st_size, 32)

    def test_hashes_are_keyed(self):
        other = self.path("other")
        for state in (self.state, self.state, other):
            self.value("return echo(a=1)", "--state", state, "--run", "r",
                       tools={"echo": ECHO})
        mine = [r["argument_hash"] for r in self.records()
                if r["event"] == "started"]
        done = self.log("--state", other, "r", "--json")
        theirs = [r["argument_hash"] for r in self.parse(done.stdout)
                  if r["event"] == "started"]
        self.assertEqual(mine[0], mine[1])
        self.assertNotEqual(mine[0], theirs[0])

    def test_durability(self):
        got = self.value(SPEND % 3, *self.options("r", "--durability",
                                                  "disk"),
                         tools={"echo": ECHO})
        self.assertEqual(got, ["ok"] * 3)
        self.assertEqual(len(self.records()), 8)

    def test_cancel_inside_a_call(self):
        meeting = self.meeting()
        process = self.start("wait()", *self.options(),
                             tools={"wait": meeting.tool()})
        self.assertTrue(meeting.wait(1, process))
        process.send_signal(signal.SIGINT)
        stdout, stderr = process.communicate(timeout=HANG)
        self.assertEqual(json.loads(stdout)["error"]["kind"], "cancelled",
                         stderr)
        records = self.records()
        self.assertEqual(records[0]["event"], "opened")
        self.assertEqual(records[1]["event"], "started")
        self.assertIn(records[2]["event"], ("failed", "unknown"))
        self.assertEqual(records[2]["kind"], "cancelled")
        self.assertEqual(records[3]["outcome"], "cancelled")
        self.assertEqual(len(records), 4)


class Budget(Ledger):
    def test_over_executions(self):
        limits = {"run_calls": 5}
        self.assertEqual(self.spend(3, limits=limits), ["ok"] * 3)
        self.assertEqual(self.spend(4, limits=limits),
                         ["ok", "ok", "budget_spent", "budget_spent"])
        self.assertEqual(self.spend(1, limits=limits), ["budget_spent"])
        # Another Run has its own, and a larger one goes on here.
        self.assertEqual(
            self.value(SPEND % 1, *self.options("s"), tools={"echo": ECHO},
                       limits=limits), ["ok"])
        self.assertEqual(self.spend(1, limits={"run_calls": 6}), ["ok"])

    def test_refused_calls_count(self):
        program = "call_tool('nope', {})"
        for _ in range(2):
            self.fails("exception", program, *self.options())
        self.assertEqual(self.spend(3, limits={"run_calls": 4}),
                         ["ok", "ok", "budget_spent"])

    def test_many_at_once(self):
        processes = [self.start(SPEND % 10, *self.options(),
                                tools={"echo": ECHO},
                                limits={"run_calls": 20})
                     for _ in range(4)]
        ends = []
        for process in processes:
            stdout, _ = process.communicate(timeout=HANG)
            ends += json.loads(stdout)["value"]
        self.assertEqual(ends.count("ok"), 20)
        self.assertEqual(ends.count("budget_spent"), 20)
        events = self.events()
        self.assertEqual(events.count("started"), 20)
        self.assertEqual(events.count("completed"), 20)
        self.assertEqual(events.count("closed"), 4)

    def test_killed_ten_times(self):
        """Each supervisor dies with a call begun: its effect is there, and
        its budget is spent."""
        meeting = self.meeting()
        tools = {"effect": shell(
            "echo x >>'%s'; echo x >'%s'; exec sleep 1000" % (
                self.path("effects"), meeting.arrived))}
        for _ in range(10):
            process = self.start("effect()", *self.options(), tools=tools,
                                 limits={"run_calls": 10})
            self.assertTrue(meeting.wait(1, process))
            process.kill()
            process.communicate(timeout=HANG)
            end_survivors()
        with open(self.path("effects")) as effects:
            self.assertEqual(len(effects.readlines()), 10)
        self.assertEqual(self.spend(1, limits={"run_calls": 10}),
                         ["budget_spent"])
        done = self.log("--state", self.state, "r", "--verify")
        self.assertEqual(done.returncode, 0)
        self.assertIn(b"11 executions, 1 closed; 11 calls: 0 completed, "
                      b"0 failed, 1 refused, 10 unknown", done.stdout)
        self.assertEqual(done.stdout.count(b"unknown: call 0 of "), 10)


class Failing(Ledger):
    def limited(self, size, program, tools):
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
        done = subprocess.run(
            command(*self.options(), "-c", program, tools=tools,
                    limits={"file_size": 0}),
            preexec_fn=limit, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=HANG)
        self.assertEqual(survivors(), [])
        return done

    def test_what_cannot_be_recorded_is_not_done(self):
        """A limit on files that the ledger reaches at some call: from there
        on nothing has an effect."""
        self.spend(1)
        self.spend(400)
        tools = {"echo": shell("echo x >&2; cat")}
        size = os.stat(self.ledger()).st_size
        self.assertGreater(size, 66000)  # more than a start itself needs
        done = self.limited(size + 2000, SPEND % 20, tools)
        result = json.loads(done.stdout)
        self.assertIsNone(result["error"], result)
        ends = result["value"]
        good = ends.index("not_recorded")
        self.assertGreater(good, 0)
        self.assertEqual(ends, ["ok"] * good + ["not_recorded"] * (20 - good))
        self.assertTrue(any("could not be written" in text
                            for text in result["warnings"]), result)
        self.assertLessEqual(os.stat(self.ledger()).st_size, size + 2000)
        records = self.records()
        mine = [r for r in records if r["execution"] == result["execution"]]
        started = [r for r in mine if r["event"] == "started"]
        self.assertIn(len(started), (good, good + 1))

    def test_what_cannot_be_opened_is_not_run(self):
        self.spend(400)
        size = os.stat(self.ledger()).st_size
        self.assertGreater(size, 66000)
        done = self.limited(size + 100, "print('ran')", {})
        result = json.loads(done.stdout)
        self.assertEqual(result["error"]["kind"], "setup")
        self.assertIn("ledger", result["error"]["message"])
        self.assertEqual(result["stdout"], "")
        self.assertEqual(os.stat(self.ledger()).st_size, size)

    def test_an_altered_ledger_is_not_written_to(self):
        self.spend(2)
        with open(self.ledger(), "r+b") as file:
            file.seek(900)
            byte = file.read(1)[0]
            file.seek(900)
            file.write(bytes([byte ^ 1]))
        size = os.stat(self.ledger()).st_size
        got = run("echo()", *self.options(), json=False,
                  tools={"echo": shell("touch '%s'" % self.path("effect"))})
        self.assertEqual(got.code, 125)
        self.assertRegex(got.stderr, b"weir: run r: its ledger was altered "
                         b"at offset [0-9]+: ")
        self.assertFalse(os.path.exists(self.path("effect")))
        self.assertEqual(os.stat(self.ledger()).st_size, size)

    def test_a_lock_that_is_kept(self):
        """By whoever may open the file, and has stopped: no start, no call,
        and no end that would be waited for."""
        self.spend(1)
        file = open(self.ledger(), "r+b")
        self.addCleanup(file.close)

        def lock(kind):
            fcntl.fcntl(file, F_OFD_SETLK, struct.pack(
                "hhqqi", kind, os.SEEK_SET, 0, 0, 0))

        lock(fcntl.F_RDLCK)
        got = run("1", *self.options(), json=False)
        self.assertEqual(got.code, 125)
        self.assertIn(b"weir: run r: another process keeps its ledger locked",
                      got.stderr)
        lock(fcntl.F_UNLCK)
        meeting = self.meeting()
        process = self.start(
            "ends = []\n"
            "for tool in (wait,) + 20 * (echo,):\n"
            "    try:\n"
            "        tool()\n"
            "    except ToolError as error:\n"
            "        ends.append(error.kind)\n"
            "return ends", *self.options(),
            tools={"wait": meeting.tool(),
                   "echo": shell("touch '%s'" % self.path("effect"))})
        self.assertTrue(meeting.wait(1, process))
        lock(fcntl.F_WRLCK)
        meeting.release(1)
        stdout, stderr = process.communicate(timeout=HANG)
        result = json.loads(stdout)
        self.assertEqual(result["value"], ["not_recorded"] * 21, stderr)
        self.assertFalse(os.path.exists(self.path("effect")))
        lock(fcntl.F_UNLCK)
        self.assertEqual(self.events()[-2:], ["opened", "started"])
        self.assertEqual(self.spend(1), ["ok"])

    def test_a_ledger_that_is_removed(self):
        """What would be written there, nobody could ever read."""
        ends = self.value(
            "ends = []\n"
            "for tool in (echo, remove, echo):\n"
            "    try:\n"
            "        tool()\n"
            "        ends.append('ok')\n"
            "    except ToolError as error:\n"
            "        ends.append(error.kind)\n"
            "return ends", *self.options(),
            tools={"remove": shell("rm '%s'; echo 1" % self.ledger()),
                   "echo": shell("echo x >>'%s'; echo 1" % self.path("e"))})
        self.assertEqual(ends, ["ok", "not_recorded", "not_recorded"])
        with open(self.path("e")) as file:
            self.assertEqual(len(file.readlines()), 1)

    def test_places_that_are_not_ours(self):
        self.spend(1)
        runs = self.path("state/runs")
        os.symlink(self.ledger(), os.path.join(runs, "link"))
        os.mkfifo(os.path.join(runs, "fifo"))
        os.mkdir(os.path.join(runs, "dir"))
        os.link(self.ledger(), os.path.join(runs, "second"))
        with open(os.path.join(runs, "open"), "w") as file:
            os.fchmod(file.fileno(), 0o644)
        for name in ("link", "fifo", "dir", "second", "open"):
            with self.subTest(name):
                got = run("1", *self.options(name), json=False)
                self.assertEqual(got.code, 125, got.stderr)
                self.assertIn(b"weir: run/" + name.encode(), got.stderr)
                if name in ("link", "fifo", "dir"):
                    done = self.log("--state", self.state, name)
                    self.assertEqual(done.returncode, 2)

    def test_directories_that_others_can_write_to(self):
        os.mkdir(self.state)
        os.chmod(self.state, 0o777)
        got = run("1", *self.options(), json=False)
        self.assertEqual(got.code, 125)
        self.assertIn(b"its mode is 777", got.stderr)
        os.chmod(self.state, 0o755)
        self.assertEqual(run("1", *self.options()).code, 0)
        os.chmod(self.path("state/key"), 0o644)
        self.assertEqual(run("1", *self.options()).code, 125)
        os.chmod(self.path("state/key"), 0o600)
        with open(self.path("state/key"), "ab") as key:
            key.truncate(31)
        got = run("1", *self.options(), json=False)
        self.assertEqual(got.code, 125)
        self.assertIn(b"it is not a key of 32 bytes", got.stderr)
        for key in (bytes(32), bytes(range(33))):
            with open(self.path("state/key"), "wb") as file:
                file.write(key)
            self.assertEqual(run("1", *self.options()).code, 125)
        # One that nobody can have used is made anew.
        shutil.rmtree(self.path("state/runs"))
        self.assertEqual(run("1", *self.options()).code, 0)
        with open(self.path("state/key"), "rb") as file:
            self.assertNotEqual(file.read(), bytes(range(33)))
        self.assertEqual(os.stat(self.path("state/key")).st_size, 32)

    def test_a_directory_of_somebody_else(self):
        if not IS_ROOT:
            return  # only root can make it so
        os.mkdir(self.state)
        os.chown(self.state, 12345, 12345)
        got = run("1", *self.options(), json=False)
        self.assertEqual(got.code, 125)
        self.assertIn(b"it belongs to somebody else", got.stderr)

    def test_no_place_for_it(self):
        got = run("1", "--state", self.path("no/such"), json=False)
        self.assertEqual(got.code, 125)
        self.assertIn(b"No such file or directory", got.stderr)


class Log(Ledger):
    def test_a_torn_tail(self):
        self.spend(2)
        whole = self.records()
        size = os.stat(self.ledger()).st_size
        last = whole[-1]["at"]
        for cut in (1, size - last - 1):
            with self.subTest(cut):
                os.truncate(self.ledger(), size - cut)
                done = self.log("--state", self.state, "r", "--json")
                self.assertEqual(done.returncode, 0)
                self.assertEqual(self.parse(done.stdout), whole[:-1])
                self.assertIn(
                    b"torn tail: the last %d bytes, from offset %d on" % (
                        size - cut - last, last), done.stderr)
        # The next one closes it, and names it.
        self.spend(1)
        records = self.records()
        self.assertEqual(records[:len(whole) - 1], whole[:-1])
        repaired = records[len(whole) - 1]
        self.assertEqual(repaired["event"], "repaired")
        self.assertEqual((repaired["offset"], repaired["length"]), (last, 1))
        self.assertEqual(records[-1]["event"], "closed")

    def test_changed_bytes(self):
        self.spend(1)
        with open(self.ledger(), "rb") as file:
            good = file.read()
        places = [r["at"] for r in self.records()]
        for at in range(0, len(good), 17):
            bad = bytearray(good)
            bad[at] ^= 0x20
            path = self.write("copy", bytes(bad))
            done = self.log(path, "--verify")
            self.assertEqual(done.returncode, 1, at)
            found = re.search(rb"altered: record (\d+) at offset (\d+): ",
                              done.stderr)
            expected = max([p for p in places if p <= at], default=0)
            self.assertEqual(int(found.group(2)), expected)

    def test_lost_and_swapped_records(self):
        self.spend(2)
        with open(self.ledger(), "rb") as file:
            good = file.read()
        places = [r["at"] for r in self.records()] + [len(good)]
        parts = [good[a:b] for a, b in zip(places, places[1:])]
        for number in range(len(parts) - 1):
            lost = parts[:number] + parts[number + 1:]
            swapped = list(parts)
            swapped[number:number + 2] = reversed(parts[number:number + 2])
            for some in (lost, swapped):
                path = self.write("copy", good[:16] + b"".join(some))
                done = self.log(path)
                self.assertEqual(done.returncode, 1)
                self.assertIn(b"record %d at offset %d: " % (
                    number, places[number]), done.stderr)

    def test_head(self):
        self.spend(1)
        head = self.records()[-1]["hash"]
        self.spend(1)
        size = os.stat(self.ledger()).st_size
        good = self.log("--state", self.state, "r", "--head", head)
        self.assertEqual(good.returncode, 0, good.stderr)
        last = self.records()[-1]
        head = last["hash"]
        self.assertEqual(
            self.log(self.ledger(), "--head", head.upper()).returncode, 0)
        # Whole records cut off: the chain cannot show it, the hash does.
        os.truncate(self.ledger(), last["at"])
        self.assertEqual(self.log(self.ledger()).returncode, 0)
        bad = self.log(self.ledger(), "--head", head, "--verify")
        self.assertEqual(bad.returncode, 1)
        self.assertIn(b"no record has the hash of --head", bad.stderr)
        self.assertGreater(size, last["at"])

    def test_for_people(self):
        self.spend(1)
        done = self.log("--state", self.state, "r")
        lines = done.stdout.decode().splitlines()
        self.assertEqual(len(lines), 6)
        for line, event in zip(lines, self.events()):
            self.assertRegex(line, r"^20\d\d-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}"
                             r"  [0-9a-f]{8}  " + event)
        self.assertIn("4 records in", lines[4])
        self.assertRegex(lines[5], "^head: [0-9a-f]{64}$")
        verified = self.log("--state", self.state, "r", "--verify")
        self.assertEqual(verified.stdout.decode().splitlines(), lines[4:])
        as_json = self.log("--state", self.state, "r", "--verify", "--json")
        self.assertEqual(len(self.parse(as_json.stdout)), 4)

    def test_nothing_there(self):
        empty = self.write("empty", b"")
        self.assertEqual(self.log(empty).returncode, 0)
        text = self.write("text", b"weir ledger? no\n")
        self.assertEqual(self.log(text).returncode, 1)
        for words in ((), (self.path("none"),), (self.directory,),
                      ("--state", self.state, "none"),
                      ("--state", self.state, "../x"), ("--nonsense", empty),
                      (empty, "--head", "00")):
            done = self.log(*words)
            self.assertEqual(done.returncode, 2, words)
            self.assertTrue(done.stderr.startswith(b"weir: "))
            self.assertEqual(done.stdout, b"")

    def test_an_output_that_is_gone(self):
        self.spend(1)
        with open("/dev/full", "w") as full:
            done = subprocess.run(
                [str(WEIR), "log", self.ledger()], stdout=full,
                stderr=subprocess.PIPE, timeout=HANG)
        self.assertEqual(done.returncode, 125)

    def test_follow(self):
        self.spend(1)
        process = subprocess.Popen(
            [str(WEIR), "log", "--state", self.state, "r", "--json",
             "--follow"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        seen = [json.loads(process.stdout.readline())["event"]
                for _ in range(4)]
        self.spend(2)
        seen += [json.loads(process.stdout.readline())["event"]
                 for _ in range(6)]
        self.assertEqual(seen, self.events())
        # It ends with who reads.
        process.stdout.close()
        self.spend(1)
        process.wait(HANG)

    def test_follow_until_it_is_removed(self):
        self.spend(1)
        process = subprocess.Popen(
            [str(WEIR), "log", self.ledger(), "--follow"],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(process.kill)
        for _ in range(4):
            process.stdout.readline()
        os.unlink(self.ledger())
        _, stderr = process.communicate(timeout=HANG)
        self.assertIn(b"the ledger was removed", stderr)
        self.assertEqual(process.returncode, 125)


if __name__ == "__main__":
    main()
