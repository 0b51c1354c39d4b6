"""Calls that are disturbed: by signals, forks, the collector, the end of the
program, and all of it at once. None breaks the ids, which the host of these
tests checks with every call, or leaves anybody waiting."""
import time
import unittest

import host

ECHO = {"t": lambda a: a.get("n")}


def run(program, tools=ECHO, **options):
    return host.current.run(program, tools=tools, **options)


def started(program, tools=("t",)):
    child = host.current.start()
    child.receive()
    child.send({"type": "run", "program": program, "tools": list(tools),
                "limits": {"frame": 1 << 20, "value": 1 << 16,
                           "arguments": 1 << 16}})
    return child


def answer(child, message, value=None):
    child.send({"type": "reply", "id": message["id"], "value": value})


# A handler that raises while `inside` is set, again and again.
TICKS = """
import signal, threading
class Tick(Exception): pass
inside = False
ticks = 0
def handler(*unused):
    global inside, ticks
    ticks += 1
    if inside:
        inside = False
        raise Tick
def start_ticks():
    signal.signal(signal.SIGALRM, handler)
    signal.setitimer(signal.ITIMER_REAL, 0.0007, 0.0013)
def stop_ticks():
    signal.setitimer(signal.ITIMER_REAL, 0)
"""


class Signals(unittest.TestCase):
    def test_handlers_that_raise_at_any_point(self):
        result = run(TICKS + """
start_ticks()
wrong, given_up, n = [], 0, 0
while n < 400 or ticks < 100:
    n += 1
    try:
        inside = True
        r = t(n=n, pad='x' * (n % 7 * 9000))
        inside = False
        if r != n: wrong.append([n, r])
    except Tick:
        given_up += 1
stop_ticks()
[wrong, given_up > 0]
""")
        self.assertEqual(result.value, [[], True])

    def test_handlers_that_call_at_any_point(self):
        result = run("""
import signal
wrong, calls, depth = [], 0, 0
def handler(*unused):
    global calls, depth
    calls += 1
    mine, depth = calls, depth + 1
    if depth < 4:  # handlers of handlers, but not without end
        signal.setitimer(signal.ITIMER_REAL, 0.0005)
    r = t(n=-mine)
    if r != -mine: wrong.append([mine, r])
    depth -= 1
    if depth == 0:
        signal.setitimer(signal.ITIMER_REAL, 0.001)
signal.signal(signal.SIGALRM, handler)
signal.setitimer(signal.ITIMER_REAL, 0.001)
n = 0
while n < 300 or calls < 50:
    n += 1
    r = t(n=n)
    if r != n: wrong.append([n, r])
signal.signal(signal.SIGALRM, signal.SIG_IGN)
wrong
""")
        self.assertEqual(result.value, [])

    def test_handlers_and_threads(self):
        result = run(TICKS + """
wrong = []
def work(k):
    for i in range(100):
        r = t(n=k * 1000 + i)
        if r != k * 1000 + i: wrong.append([k, i, r])
threads = [threading.Thread(target=work, args=(k,)) for k in range(1, 7)]
for x in threads: x.start()
start_ticks()
n = 0
while n < 200 or ticks < 50:
    n += 1
    try:
        inside = True
        r = t(n=-n)
        inside = False
        if r != -n: wrong.append([n, r])
    except Tick: pass
stop_ticks()
for x in threads: x.join()
wrong
""")
        self.assertEqual(result.value, [])

    def test_handlers_and_a_loop_in_another_thread(self):
        # The main thread reads for the loop, and its handler raises while
        # it does, in Python code of ours too: no reply is lost.
        result = run(TICKS + """
import asyncio
async def many():
    return [await t(n=i) for i in range(300)]
got = []
thread = threading.Thread(target=lambda: got.append(asyncio.run(many())))
thread.start()
start_ticks()
wrong, n = [], 0
while thread.is_alive():
    n += 1
    try:
        inside = True
        r = call_tool_sync('t', {'n': -n})
        inside = False
        if r != -n: wrong.append([n, r])
    except Tick: pass
stop_ticks()
thread.join()
[wrong, got == [list(range(300))]]
""")
        self.assertEqual(result.value, [[], True])

    def test_a_handler_that_calls_beside_a_loop(self):
        result = run("""
import asyncio, signal
seen = []
def handler(*unused):
    seen.append(call_tool_sync('t', {'n': -1}))
    signal.setitimer(signal.ITIMER_REAL, 0.001)
signal.signal(signal.SIGALRM, handler)
signal.setitimer(signal.ITIMER_REAL, 0.001)
n, wrong = 0, []
while n < 50 or len(seen) < 20:
    got = await asyncio.gather(*[t(n=n + i) for i in range(5)])
    if got != list(range(n, n + 5)): wrong.append([n, got])
    n += 5
signal.signal(signal.SIGALRM, signal.SIG_IGN)
[wrong, set(seen) == {-1}]
""")
        self.assertEqual(result.value, [[], True])

    def test_keyboard_interrupt_in_a_call(self):
        child = started("""
import os, signal, threading
def soon():
    threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()
soon()
try: t()
except KeyboardInterrupt: pass
r = t(n=1)
soon()
t(n=2)
""")
        calls = [child.receive(), child.receive()]
        for message in reversed(calls):
            answer(child, message)
        child.receive()
        error = child.receive()["error"]
        self.assertEqual((error["message"], error["line"]),
                         ("KeyboardInterrupt", 10))
        child.end()

    def test_a_blocked_write_is_whole_whatever_comes(self):
        # The host does not read; a call is half written when signals come.
        child = started(TICKS + """
signal.signal(signal.SIGALRM, handler)
signal.setitimer(signal.ITIMER_REAL, 0.1, 0.01)
try:
    inside = True
    t(n='x' * 900000)
except Tick: pass
stop_ticks()
t(n=1)
""")
        time.sleep(0.3)
        self.assertEqual(len(child.receive()["arguments"]["n"]), 900000)
        message = child.receive()
        answer(child, message, 5)
        self.assertEqual(child.receive()["value"], 5)
        child.end()


class Telling(unittest.TestCase):
    FIND = """
import sys
f = sys._getframe()
while '_weir' not in f.f_globals: f = f.f_back
w = f.f_globals['_weir']
"""

    def test_an_owner_that_raises_is_told_again(self):
        result = run(self.FIND + """
told, raised = [], 0
def owner(i):
    told.append(i)
    if len(told) == 1: raise ZeroDivisionError
a = w.start('t', {'n': 1}, owner)
while len(told) < 2:
    try: w.pump()
    except ZeroDivisionError: raised += 1
w.pump()
[told, raised, w.take(a)]
""")
        self.assertEqual(result.value, [[0, 0], 1, [0, 1]])
        self.assertEqual(result.stderr, "")

    def test_an_owner_that_raises_in_anothers_call(self):
        result = run(self.FIND + """
told = []
def owner(i):
    told.append(i)
    raise OSError
a = w.start('t', {'n': 1}, owner)
r = []
while not told:
    try: r.append(t(n=2))
    except OSError: r.append('raised')
r.append(t(n=3))
[told, r.count('raised'), r[-1], w.take(a)]
""")
        # The first failure is the call's, the last one is printed.
        self.assertEqual(result.value, [[0] * 8, 1, 3, [0, 1]])
        self.assertEqual(result.stderr.count("OSError"), 1)

    def test_an_owner_that_drops_and_raises(self):
        result = run(self.FIND + """
told = []
def owner(i):
    told.append(i)
    w.drop(i)
    raise OSError
w.start('t', {'n': 1}, owner)
while not told: w.pump()
w.pump()
[told, t(n=2)]
""")
        self.assertEqual(result.value, [[0], 2])


class Forks(unittest.TestCase):
    def test_a_forked_process_cannot_call(self):
        result = run("""
import os
a = t(n=1)
r, w = os.pipe()
pid = os.fork()
if pid == 0:
    try: t(n=2)
    except RuntimeError as e: os.write(w, str(e).encode())
    os._exit(0)
os.close(w)
said = os.read(r, 999).decode()
os.waitpid(pid, 0)
[a, said, t(n=3)]
""")
        self.assertEqual(result.value, [
            1, "a process that was forked cannot call tools", 3])

    def test_the_end_of_a_forked_process(self):
        cases = [("5", 0, ""), ("sys.exit(7)", 7, ""),
                 ("sys.exit('why')", 1, "why\n"),
                 ("1/0", 1, "ZeroDivisionError: division by zero\n"),
                 ("t()", 1, "RuntimeError: a process that was forked cannot "
                  "call tools\n"),
                 ("sys.stderr = None; 1/0", 1, "")]
        for end, status, last in cases:
            with self.subTest(end):
                result = run("import os, sys\n"
                             "def end():\n  %s\n"
                             "pid = os.fork()\n"
                             "if pid == 0: end()\n"
                             "else: s = os.waitpid(pid, 0)[1]\n"
                             "[s >> 8, t(n=1)] if pid else 0" % end)
                self.assertEqual(result.value, [status, 1])
                self.assertTrue(result.stderr.endswith(last), result.stderr)

    def test_a_forked_process_winds_down_like_any(self):
        result = run("""
import atexit, os, threading
@atexit.register
def at_exit():
    try: t(n=9)
    except RuntimeError: print('refused')
pid = os.fork()
if pid == 0:
    threading.Thread(target=print, args=('thread',)).start()
else:
    os.waitpid(pid, 0)
pid != 0
""")
        self.assertEqual(result.done, {"value": True})
        self.assertEqual(result.stdout, "thread\nrefused\n")
        self.assertEqual(result.ids, [0])

    def test_forks_while_threads_call(self):
        result = run("""
import os, threading, warnings
warnings.simplefilter('ignore')
wrong = []
def work(k):
    for i in range(60):
        r = t(n=[k, i])
        if r != [k, i]: wrong.append([k, i, r])
threads = [threading.Thread(target=work, args=(k,)) for k in range(6)]
for x in threads: x.start()
refused = 0
for _ in range(10):
    pid = os.fork()
    if pid == 0:
        try: t(n=0)
        except RuntimeError: os._exit(3)
        os._exit(4)
    refused += os.waitpid(pid, 0)[1] == 3 << 8
    t(n=-1)
for x in threads: x.join()
[wrong, refused]
""")
        self.assertEqual(result.value, [[], 10])

    def test_a_fork_with_calls_in_flight(self):
        result = run("""
import asyncio, gc, os, warnings
warnings.simplefilter('ignore')
tasks = [asyncio.ensure_future(t(n=i)) for i in range(3)]
await asyncio.sleep(0)
pid = os.fork()
if pid == 0:
    try: call_tool_sync('t')
    except RuntimeError: pass
    del tasks
    gc.collect()
    os._exit(0)
s = os.waitpid(pid, 0)[1]
[s, await asyncio.gather(*tasks)]
""", hold=3)
        self.assertEqual(result.value, [0, [0, 1, 2]])
        self.assertEqual(result.stderr, "")

    def test_processes_that_libraries_start(self):
        result = run("""
import multiprocessing, subprocess, warnings
warnings.simplefilter('ignore')
context = multiprocessing.get_context('fork')
p = context.Process(target=t, kwargs={'n': 1})
p.start(); p.join()
done = subprocess.run([%r, '-I', '-S', '-c', 'print(5)'],
                      stdout=subprocess.PIPE)
[p.exitcode, done.stdout.decode(), t(n=2)]
""" % host.current.python)
        self.assertEqual(result.value, [1, "5\n", 2])
        self.assertIn("cannot call tools", result.stderr)
        self.assertEqual(result.ids, [0])


class Shutdown(unittest.TestCase):
    def test_daemon_threads_in_calls_that_are_never_answered(self):
        child = started("""
import threading
for i in range(5):
    threading.Thread(target=t, kwargs={'n': i}, daemon=True).start()
import time
while threading.active_count() < 6: pass
t(n='last')
'value'
""")
        while True:
            message = child.receive()
            if message["type"] == "done":
                break
            if message["arguments"]["n"] == "last":
                answer(child, message)  # the others get none
        self.assertEqual(message, {"type": "done", "value": "value"})
        # Threads are still reading, but what comes changes nothing.
        for line in (b'{"type":"reply","id":0,"value":1}', b"x", b"\xff"):
            child.send(line)
        child.channel.shutdown(1)
        self.assertTrue(child.is_silent())
        self.assertEqual(child.end(), ["", ""])

    def test_daemon_threads_that_call_on_and_on(self):
        result = run("""
import threading
def work():
    while True: t(n='d' * 5000)
for i in range(8):
    threading.Thread(target=work, daemon=True).start()
for i in range(50): t(n=i)
'value'
""")
        self.assertEqual(result.done, {"value": "value"})

    def test_a_daemon_thread_in_the_middle_of_a_write(self):
        child = started("""
import threading
threading.Thread(target=t, kwargs={'n': 'x' * 900000}, daemon=True).start()
import time
time.sleep(0.2)
'value'
""")
        time.sleep(0.4)
        # The call that is half written is written whole, then the answer.
        self.assertEqual(len(child.receive()["arguments"]["n"]), 900000)
        self.assertEqual(child.receive()["value"], "value")
        self.assertTrue(child.is_silent())
        child.end()

    def test_threads_that_wait_are_waited_for(self):
        child = started("""
import threading
r = []
threading.Thread(target=lambda: r.append(t(n=1))).start()
r
""")
        message = child.receive()
        self.assertTrue(child.is_silent())
        answer(child, message, 5)
        self.assertEqual(child.receive()["value"], [5])
        child.end()

    def test_exits_in_threads_and_handlers_that_start_threads(self):
        result = run("""
import atexit, sys, threading
def work():
    t(n=1)
    sys.exit(9)
def late():
    try:
        x = threading.Thread(target=t, kwargs={'n': 2})
        x.start(); x.join()
    except RuntimeError: t(n=2)  # no new threads this late
atexit.register(late)
threading.Thread(target=work).start()
'value'
""")
        self.assertEqual(result.done, {"value": "value"})
        self.assertEqual([a["n"] for _, a in result.calls], [1, 2])

    def test_a_sudden_end_beside_calls(self):
        for how, status in (("os._exit(9)", 9 << 8),
                            ("os.kill(os.getpid(), 9)", 9)):
            with self.subTest(how):
                child = started("import os, threading\n"
                                "for _ in range(4): threading.Thread("
                                "target=t, daemon=True).start()\n"
                                "t(n='now')\n" + how)
                while True:
                    message = child.receive()
                    if message["arguments"].get("n") == "now":
                        break
                answer(child, message)
                while child.receive() is not None:
                    pass
                self.assertEqual(child.wait(), status)
                child.end()

    def test_the_end_while_handlers_raise(self):
        result = run(TICKS + """
import atexit
start_ticks()
inside = True
@atexit.register
def f():
    global inside
    for i in range(30):
        try:
            inside = True
            t(n=i)
        except Tick: pass
    stop_ticks()
try:
    for i in range(30): t(n=i)
except Tick: pass
'value'
""")
        # A tick may come where nothing catches it.
        self.assertTrue(result.done.get("value") == "value"
                        or "Tick" in result.error["message"], result.done)


class Collected(unittest.TestCase):
    def test_generators_and_coroutines_closed_in_the_middle(self):
        result = run("""
import asyncio, gc
async def f(n):
    return await t(n=n)
c = f(1); c.send(None); c.close()
d = f(2); d.send(None); del d; gc.collect()
e = f(3); e.send(None)
try: e.throw(KeyError('k'))
except KeyError: pass
u = t(n=4); u.send(None); u.close()
async def agen():
    yield await t(n=5)
g = agen()
step = asyncio.ensure_future(g.__anext__())
await asyncio.sleep(0)
step.cancel()
try: await step
except asyncio.CancelledError: pass
await g.aclose()
x = asyncio.ensure_future(t(n=6))
await asyncio.sleep(0)
del x, step, g, c, e, u
gc.collect()
[await t(n=7), await f(8)]
""", hold=0)
        self.assertEqual(result.value, [7, 8])
        self.assertEqual([a["n"] for _, a in result.calls],
                         [1, 2, 3, 4, 5, 6, 7, 8])

    def test_calls_that_nobody_waits_for_any_more(self):
        # Never answered at all; what is left at the end is no matter.
        child = started("""
import asyncio, gc
async def f():
    for i in range(50):
        task = asyncio.ensure_future(t(n=i))
        await asyncio.sleep(0)
        task.cancel()
        del task
    gc.collect()
await f()
await t(n='last')
""")
        messages = []
        while not messages or messages[-1]["arguments"]["n"] != "last":
            messages.append(child.receive())
        for message in reversed(messages):
            answer(child, message, message["id"])
        self.assertEqual(child.receive()["value"], 50)
        child.end()

    def test_finalizers_that_call(self):
        result = run("""
import gc
gc.set_threshold(5)
seen = []
class Calls:
    def __init__(self, n): self.n, self.me = n, self
    def __del__(self): seen.append(t(n=self.n))
for i in range(40):
    Calls(-i)
    assert t(n=[i, {'a': [i]}]) == [i, {'a': [i]}]
gc.collect()
sorted(seen) == sorted(-i for i in range(40))
""")
        self.assertIs(result.value, True)


class Interpreters(unittest.TestCase):
    def test_other_interpreters_of_the_process(self):
        # Whether they can load the module is up to the version of Python;
        # what they do with it does not disturb the calls of the first.
        result = run(Telling.FIND + """
path, note = w.__file__, []
try: import _interpreters as interpreters
except ImportError:
    try: import _xxsubinterpreters as interpreters
    except ImportError: interpreters = None
code = '''
import importlib.machinery, importlib.util
loader = importlib.machinery.ExtensionFileLoader('_weir', %r)
spec = importlib.util.spec_from_loader('_weir', loader)
try:
    again = importlib.util.module_from_spec(spec)
except ImportError:
    again = None
if again is not None:
    r = again.call('t', {'n': 5})
    assert r == (0, 5), r
''' % path
for config in ((), ('legacy',), ('isolated',)):
    if interpreters is None: break
    try: one = interpreters.create(*config)
    except (TypeError, ValueError): continue
    run_code = getattr(interpreters, 'exec', None) or interpreters.run_string
    for _ in range(3):
        r = run_code(one, code)
        if r is not None: note.append(str(r))
    interpreters.destroy(one)
[note, t(n=1), t(n=2)]
""")
        self.assertEqual(result.value, [[], 1, 2])


class Storm(unittest.TestCase):
    def test_all_at_once(self):
        result = run(TICKS + """
import asyncio, gc, os, random, warnings
warnings.simplefilter('ignore')
gc.set_threshold(50)
wrong, stop = [], False
def blocking(k):
    for i in range(40):
        r = call_tool_sync('t', {'n': [k, i, 'p' * (i * 500)]})
        if r[:2] != [k, i]: wrong.append(r[:2])
async def looping(k):
    for i in range(15):
        got = await asyncio.gather(*[t(n=[k, i, j]) for j in range(4)])
        if got != [[k, i, j] for j in range(4)]: wrong.append(got)
        task = asyncio.ensure_future(t(n=[k, i, 'cancelled']))
        await asyncio.sleep(0)
        task.cancel()
threads = [threading.Thread(target=blocking, args=(k,)) for k in range(5)]
threads += [threading.Thread(target=asyncio.run, args=(looping(k),))
            for k in range(10, 13)]
for x in threads: x.start()
start_ticks()
n = 0
while any(x.is_alive() for x in threads):
    n += 1
    try:
        inside = True
        r = call_tool_sync('t', {'n': -n})
        inside = False
        if r != -n: wrong.append([n, r])
    except Tick: pass
    if n % 40 == 0:
        pid = os.fork()
        if pid == 0: os._exit(0)
        os.waitpid(pid, 0)
stop_ticks()
wrong
""")
        self.assertEqual(result.value, [])
