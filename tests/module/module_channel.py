"""The channel: ids, threads, signals, and hosts and programs that misbehave
(W5 to W7, C2, C11)."""
import os
import tempfile
import unittest

import host


def run(program, **options):
    return host.current.run(program, **options)


LIMITS = {"frame": 1 << 20, "value": 1 << 16, "arguments": 1 << 16}


def started(program, tools=("t",)):
    """A child that runs a program."""
    child = host.current.start()
    child.receive()
    child.send({"type": "run", "program": program, "tools": list(tools),
                "limits": LIMITS})
    return child


class Boot(unittest.TestCase):
    def test_ready(self):
        ready = run("0").ready
        version = ".".join(map(str, host.current.version))
        self.assertTrue(ready["python"].startswith(version))
        self.assertEqual(ready["protocol"], 1)
        self.assertEqual(ready["dumpable"], 0)
        self.assertIn(3, ready["descriptors"])
        # The plan's descriptor is closed before the program can see it.
        self.assertNotIn(6, ready["descriptors"])
        self.assertIn("TMPDIR=" + tempfile.gettempdir(),
                      ready["environment"])

    def test_canaries(self):
        canary_host = host.Host(host.current.python, host.current.libexec,
                                host.current.mkplan,
                                ["/dev/null", "/no/such/file"])
        ready = canary_host.run("0").ready
        self.assertEqual(ready["canaries"], {"before": [0, 2],
                                             "after": [0, 2]})

    def test_environment_that_is_no_text(self):
        child = host.current.start({b"A\xff": b'"\n', b"B": b"\xc3\xa4"})
        environment = child.receive()["environment"]
        child.end()
        self.assertIn('A\ufffd="\n', environment)
        self.assertIn("B=ä", environment)

    def test_abort_and_a_vanished_host(self):
        for message in ({"type": "abort", "reason": "no"}, None):
            child = host.current.start()
            child.receive()
            if message is None:
                child.channel.shutdown(1)
            else:
                child.send(message)
            self.assertEqual(child.wait(), 0)
            self.assertEqual(child.end(), ["", ""])

    def test_frames_that_are_none(self):
        cases = [
            (b"x", "bad_syntax (0)"),
            (b'{"type":"run"}', "missing_field"),
            (b'{"type":"nope"}', "unknown_type"),
            (b'{"type":"reply","id":0,"value":1}', "out_of_turn"),
            (b'{"type":"run","program":"\xff","tools":[]}', "bad_utf8"),
        ]
        for line, words in cases:
            with self.subTest(line):
                child = host.current.start()
                child.receive()
                child.send(line)
                self.assertEqual(child.wait(), 125 << 8)
                self.assertIn("weir: channel: " + words, child.end()[1])

    def test_plan_that_is_none(self):
        for plan in (b"", b"x" * 64, bytes(64), bytes(300 << 10)):
            child = host.Child(host.current.python, host.current.libexec, plan)
            self.assertIsNone(child.receive())
            self.assertEqual(child.wait(), 125 << 8)
            self.assertEqual(child.end()[1],
                             "weir: stage plan failed: errno 22\n")

    def test_unknown_members_and_parts(self):
        child = host.current.start()
        child.receive()
        line = (b'{"x":[{"y":1}],"type":"run","program":"t()","tools":["t"],'
                b'"limits":{"frame":99999,"value":999,"arguments":999}}\n')
        for byte in line:
            child.channel.send(bytes([byte]))
        self.assertEqual(child.receive()["name"], "t")
        child.send(b'\n  \n{"later":{"a":[]},"value":7,"id":0,"type":"reply"}')
        self.assertEqual(child.receive(), {"type": "done", "value": 7})
        child.end()


class Calls(unittest.TestCase):
    def test_many_threads(self):
        result = run("""
import threading
wrong = []
def work(n):
    for i in range(100):
        r = call_tool_sync('t', {'n': n, 'i': i})
        if r != [n, i]: wrong.append((n, i, r))
threads = [threading.Thread(target=work, args=(n,)) for n in range(64)]
for t in threads: t.start()
for t in threads: t.join()
wrong
""", tools={"t": lambda a: [a["n"], a["i"]]})
        self.assertEqual(result.value, [])
        self.assertEqual(result.ids, list(range(6400)))
        self.assertEqual(len({(a["n"], a["i"]) for _, a in result.calls}),
                         6400)

    def test_threads_with_replies_in_reverse(self):
        result = run("""
import threading
wrong = []
def work(n):
    for i in range(20):
        r = t(n=n, i=i)
        if r != [n, i]: wrong.append((n, i, r))
threads = [threading.Thread(target=work, args=(n,)) for n in range(16)]
for t_ in threads: t_.start()
for t_ in threads: t_.join()
wrong
""", tools={"t": lambda a: [a["n"], a["i"]]}, hold=16)
        self.assertEqual(result.value, [])

    def test_large_calls_both_ways_at_once(self):
        # The host answers only when it has read all calls, and each side's
        # socket buffer is much smaller than what is under way.
        result = run("""
import threading
out = {}
def work(n):
    out[n] = t(x=str(n) * 500000)
threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
for t_ in threads: t_.start()
for t_ in threads: t_.join()
[out[n] == str(n) * 500000 for n in range(8)]
""", tools={"t": lambda a: a["x"]}, hold=8)
        self.assertEqual(result.value, [True] * 8)

    def test_a_host_that_writes_before_it_reads(self):
        child = started("""
import threading
got = []
def first():
    got.append(len(t(x=0)))
threads = [threading.Thread(target=first) for _ in range(2)]
for t_ in threads: t_.start()
for i in range(40): t(x='y' * 60000)
for t_ in threads: t_.join()
got
""")
        waiting, later = [], []
        while len(waiting) < 2:
            message = child.receive()
            if message["arguments"]["x"] == 0:
                waiting.append(message["id"])
            else:
                later.append(message["id"])
                if len(waiting) < 2:
                    child.send({"type": "reply", "id": later.pop(),
                                "value": None})
        # Without reading what the child has to say: all of it is taken.
        for number in waiting:
            child.send({"type": "reply", "id": number, "value": "z" * 5000000})
        while True:
            message = child.receive()
            if message["type"] == "done":
                break
            child.send({"type": "reply", "id": message["id"], "value": None})
        self.assertEqual(message["value"], [5000000] * 2)
        child.end()

    def test_non_blocking_description(self):
        result = run("""
import os, threading
os.set_blocking(3, False)
out = [t(x='a' * 60000, n=i) for i in range(50)]
out == [['a' * 60000, i] for i in range(50)]
""", tools={"t": lambda a: [a["x"], a["n"]]})
        self.assertIs(result.value, True)

    def test_signal_handlers_run_while_a_call_waits(self):
        child = started("""
import signal
seen = []
signal.signal(signal.SIGALRM, lambda *a: seen.append(t(n='handler')))
signal.setitimer(signal.ITIMER_REAL, 0.05)
r = [t(n='waits')]
signal.signal(signal.SIGALRM, lambda *a: 1/0)
signal.setitimer(signal.ITIMER_REAL, 0.05)
try:
    t(n='given up')
except ZeroDivisionError:
    r.append(t(n='last'))
r + seen
""")
        ids = {}
        for names in (("waits", "handler"), ("given up", "last")):
            for name in names:
                message = child.receive()
                ids[message["arguments"]["n"]] = message["id"]
            self.assertEqual(set(names) - set(ids), set())
            # The reply to the call that was given up comes late.
            for name in reversed(names):
                child.send({"type": "reply", "id": ids[name], "value": name})
        self.assertEqual(child.receive()["value"],
                         ["waits", "last", "handler"])
        child.end()

    def test_interrupted_while_another_thread_reads(self):
        child = started("""
import signal, threading
def handler(*a): raise TimeoutError
signal.signal(signal.SIGALRM, handler)
results = []
def work():
    results.append(t(n=0))
threads = [threading.Thread(target=work) for _ in range(3)]
for t_ in threads: t_.start()
for _ in range(3):
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    try:
        t(n=1)
    except TimeoutError:
        results.append('gave up')
results.append(t(n=2))
for t_ in threads: t_.join()
results
""")
        waiting = []
        while True:
            message = child.receive()
            if message["arguments"]["n"] != 1:
                waiting.append(message["id"])
            if message["arguments"]["n"] == 2:
                break
        while len(waiting) < 4:
            waiting.append(child.receive()["id"])
        for number in waiting:
            child.send({"type": "reply", "id": number, "value": "late"})
        self.assertEqual(child.receive()["value"],
                         ["gave up"] * 3 + ["late"] * 4)
        child.end()

    def test_replies_that_fit_no_call(self):
        for line in ({"type": "reply", "id": 5, "value": 1},
                     {"type": "run", "program": "", "tools": [],
                      "limits": LIMITS}):
            child = started("t()")
            child.receive()
            child.send(line)
            self.assertEqual(child.wait(), 125 << 8)
            self.assertIn("weir: channel: ", child.end()[1])
        child = started("t(); t()")
        child.receive()
        child.send({"type": "reply", "id": 0, "value": 1})
        child.receive()
        child.send({"type": "reply", "id": 0, "value": 1})
        self.assertEqual(child.wait(), 125 << 8)
        self.assertIn("bad_field", child.end()[1])

    def test_host_that_goes_away(self):
        child = started("t()")
        child.receive()
        child.channel.close()
        self.assertEqual(child.wait(), 125 << 8)
        child.end()


class Hostile(unittest.TestCase):
    """The program has the module's functions in its hands."""

    FIND = """
import sys
def weir():
    f = sys._getframe()
    while f:
        if '_weir' in f.f_globals: return f.f_globals['_weir']
        f = f.f_back
w = weir()
"""

    def test_odd_calls_of_the_module(self):
        result = run(self.FIND + """
r = []
odd = [None, 0, -1, 2**64, 'x', b'y', (), {}, {'a': {1}}, object(), 10**400]
for name in ('boot', 'call', 'start', 'take', 'drop'):
    for a in [()] + [(x,) for x in odd] + [(x, y) for x in odd for y in odd]:
        try:
            getattr(w, name)(*a)
        except Exception as e:
            r.append(type(e).__name__)
for a in ('x', 'exception'):
    try:
        w.fail(a, 'm')
    except Exception as e:
        r.append(type(e).__name__)
try:
    w.fail('nope', 'm', 't', 1, 1, [])
except ValueError as e:
    r.append(str(e))
w.pump(); w.descriptor(); w.open_files()
[len(r) > 500, r[-1], t(x=1)]
""", tools={"t": lambda a: a, "x": lambda a: 0})
        self.assertEqual(result.value, [True, "no such kind", {"x": 1}])

    def test_taking_and_dropping_at_odd_times(self):
        result = run(self.FIND + """
import threading, time
told = []
a = w.start('t', {'n': 1}, told.append)
b = w.start('t', {'n': 2}, lambda i: 1/0)
c = w.start('t', {'n': 3}, told.append)
w.drop(c); w.drop(c)
try: w.take(c)
except ValueError: told.append('dropped')
d = w.start('t', {'n': 4}, told.append)
raised = 0
while a not in told:
    try: w.pump()
    except ZeroDivisionError: raised += 1
told += [w.take(a), w.take(b), w.take(d)]
for i in (a, b, c, d):
    w.drop(i)
    try: w.take(i)
    except ValueError: pass
[told, raised]
""", tools={"t": lambda a: a["n"]}, hold=4)
        self.assertEqual(result.value, [
            ["dropped", 3, 0, [0, 1], [0, 2], [0, 4]], 1])
        self.assertIn("ZeroDivisionError", result.stderr)

    def test_last_frames_of_the_programs_own(self):
        cases = [
            ("w.finish({'x': 1}, False, [])",
             {"value": {"x": 1}, "returned": False}),
            ("w.finish(1, True, 'no list')", {"value": 1}),
            ("w.finish(1, True, ['a', 5, 'x' * 9999])", None),
            ("w.fail('step_budget', 'm', 5, 0, 0, None)",
             {"error": {"kind": "step_budget", "message": "m"}}),
            ("import threading\nfor i in range(4): threading.Thread("
             "target=w.finish, args=(7, True, [])).start()\n7", {"value": 7}),
        ]
        for program, done in cases:
            with self.subTest(program):
                result = run(self.FIND + program)
                self.assertIsNotNone(result.done)
                if done is not None:
                    self.assertEqual(result.done, done)

    def test_closed_and_replaced_descriptors(self):
        for program in ("import os\nos.close(3)\nt()",
                        "import os\nos.dup2(0, 3)\nt()",
                        "import os\nos.close(3)\n5"):
            result = run(program, tools={"t": lambda a: 1})
            self.assertIsNone(result.done)
            self.assertEqual(result.status, 125 << 8)
            self.assertIn("weir: channel: cannot write", result.stderr)

    def test_module_again(self):
        result = run(self.FIND + """
import importlib.machinery, importlib.util
loader = importlib.machinery.ExtensionFileLoader('_weir', w.__file__)
spec = importlib.util.spec_from_loader('_weir', loader)
again = importlib.util.module_from_spec(spec)
try:
    again.boot(6)
except RuntimeError as e:
    r = str(e)
[r, again.call('t', {})]
""", tools={"t": lambda a: 1})
        self.assertEqual(result.value, ["booted already", [0, 1]])
