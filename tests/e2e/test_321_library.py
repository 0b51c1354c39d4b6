#!/usr/bin/env python3
"""The standard library under the confinement (P6): every module imports that
imports outside, and what is used most works, at both levels and with each
interpreter that is named."""
import json
import os
import pathlib
import subprocess

from weir_test import HANG, IS_ROOT, PYTHON, Case, main, rows, run

LEVELS = ("isolated", "process")
PYTHONS = sorted({"/usr/bin/python3", PYTHON})

# Not imported, and why. Names of packages stand for what is in them as well.
LEFT_OUT = {
    "antigravity": "opens a browser",
    "this": "prints a poem",
    "test": "tests of the interpreter, which run when they are imported",
    "idlelib": "an application",
    "turtledemo": "an application",
    "ensurepip": "installs something",
    "lib2to3.tests": "as test", "ctypes.test": "as test",
    "distutils.tests": "as test", "sqlite3.test": "as test",
    "tkinter.test": "as test", "unittest.test": "as test",
    "_ios_support": "of another system",
    "_pyrepl._minimal_curses": "asks programs for a library's name",
    "lib2to3.pgen2.conv": "reads its command line",
}

IMPORTS = """
import importlib, json, os, pkgutil, sys
left_out = set(%s)

def is_wanted(name):
    parts = name.split(".")
    return parts[-1] != "__main__" and not any(
        ".".join(parts[:n]) in left_out for n in range(1, len(parts) + 1))

library = [os.path.dirname(os.__file__)]
library += [path for path in sys.path if path.endswith("lib-dynload")]
names = set(sys.builtin_module_names) | {
    found.name for found in pkgutil.iter_modules(library)}
names |= set(getattr(sys, "stdlib_module_names", ()))
names &= set(getattr(sys, "stdlib_module_names", names))
failed = {}
count = 0
todo = sorted(filter(is_wanted, names), reverse=True)
while todo:
    name = todo.pop()
    count += 1
    try:
        module = importlib.import_module(name)
    except BaseException as error:
        failed[name] = "%%s: %%s" %% (type(error).__name__, error)
        continue
    below = getattr(module, "__path__", None)
    if below:
        todo += sorted(filter(is_wanted, (
            found.name for found in pkgutil.iter_modules(
                below, name + "."))), reverse=True)
""" % json.dumps(sorted(LEFT_OUT))


class Imports(Case):
    def check(self, python, level):
        outside = subprocess.run(
            [python, "-I", "-S", "-X", "utf8", "-c",
             IMPORTS + "print()\nprint(json.dumps([count, failed]))"],
            cwd=self.directory, stdin=subprocess.DEVNULL, check=True,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=HANG)
        count, failed = json.loads(outside.stdout.splitlines()[-1])
        result = self.succeeds(IMPORTS + "return [count, failed]",
                               python=python, level=level)
        self.assertGreater(count, 400)
        self.assertEqual(
            {name: why for name, why in result["value"][1].items()
             if name not in failed}, {})
        self.assertEqual(result["value"][0], count)


def is_open(path):
    """Whether others may enter all of it: at level process a child of root
    has ids of its own, and weir says so where that cannot work."""
    return not IS_ROOT or all(
        os.stat(place).st_mode & 0o1 for place in pathlib.Path(path).parents)


def by_python_and_level(table):
    return {"_".join((name, python.strip("/").replace("/", "_"), level)):
            (*row, python, level) for name, row in table.items()
            for python in PYTHONS for level in LEVELS
            if level == "isolated" or is_open(python)}


rows(Imports, by_python_and_level({"all": ()}))


class Uses(Case):
    def check(self, program, value, python, level):
        self.assertEqual(self.value(program, python=python, level=level),
                         value)


rows(Uses, by_python_and_level({
    "threads": ("import threading\nsum_ = []\nlock = threading.Lock()\n"
                "def work(n):\n    with lock: sum_.append(n)\n"
                "t = [threading.Thread(target=work, args=(n,))"
                " for n in range(20)]\n"
                "[x.start() for x in t]; [x.join() for x in t]\nsum(sum_)",
                190),
    "asyncio": ("import asyncio, sys\n"
                "async def both():\n"
                "    reader = asyncio.create_task(asyncio.to_thread(len, 'ab')"
                " if sys.version_info >= (3, 9) else asyncio.sleep(0, 2))\n"
                "    await asyncio.sleep(0.01)\n"
                "    return await asyncio.wait_for(reader, 30)\n"
                "return await both()", 2),
    "asyncio_subprocess": (
        "import asyncio\ntry:\n"
        "    await asyncio.create_subprocess_exec('/bin/true')\n"
        "except OSError as error:\n    return error.errno", 1),
    "sqlite": ("import sqlite3\nc = sqlite3.connect('d')\n"
               "mode = c.execute('pragma journal_mode=wal').fetchone()[0]\n"
               "c.execute('create table t (n)')\n"
               "c.executemany('insert into t values (?)',"
               " [(n,) for n in range(1000)])\n"
               "c.commit(); c.execute('delete from t where n < 990')\n"
               "c.commit(); c.execute('vacuum')\n"
               "[mode, c.execute('select count(*) from t').fetchone()[0]]",
               ["wal", 10]),
    "ssl": ("import ssl\nc = ssl.create_default_context()\n"
            "p = ssl.get_default_verify_paths()\n"
            "[c.check_hostname, bool(p.openssl_cafile),"
            " len(ssl.RAND_bytes(8))]", [True, True, 8]),
    "hashlib": ("import hashlib\nhashlib.scrypt(b'a', salt=b'b', n=2, r=1,"
                " p=1, dklen=4).hex()[:0] + hashlib.sha256(b'').hexdigest()"
                "[:8]", "e3b0c442"),
    "locale": ("import locale\nlocale.setlocale(locale.LC_ALL, 'C.UTF-8')\n"
               "locale.getpreferredencoding().lower()", "utf-8"),
    "tempfile": ("import os, tempfile\n"
                 "with tempfile.TemporaryDirectory() as d:\n"
                 "    with tempfile.NamedTemporaryFile(dir=d) as f:\n"
                 "        f.write(b'x'); f.flush()\n"
                 "        n = os.stat(f.name).st_size\n"
                 "with tempfile.TemporaryFile() as f: f.write(b'x')\n"
                 "with tempfile.SpooledTemporaryFile(1) as f:"
                 " f.write(b'xx')\n"
                 "[n, os.path.exists(d), os.listdir('.')]", [1, False, []]),
    "thread_pool": ("from multiprocessing.pool import ThreadPool\n"
                    "with ThreadPool(4) as p: r = p.map(abs, [-1, 2, -3])\n"
                    "r", [1, 2, 3]),
    "multiprocessing_lock": (
        "import multiprocessing\nl = multiprocessing.Lock()\n"
        "s = multiprocessing.Semaphore(2)\n"
        "with l: inside = l.acquire(False)\n"
        "[inside, s.acquire(False), s.acquire(False), s.acquire(False)]",
        [False, True, True, False]),
    "futures": ("from concurrent.futures import ThreadPoolExecutor\n"
                "with ThreadPoolExecutor(4) as p:"
                " r = list(p.map(len, ['a', 'bb']))\nr", [1, 2]),
    "ctypes": ("import ctypes\n"
               "kind = ctypes.CFUNCTYPE(ctypes.c_int,"
               " ctypes.POINTER(ctypes.c_int), ctypes.POINTER(ctypes.c_int))\n"
               "def compare(a, b): return a[0] - b[0]\n"
               "array = (ctypes.c_int * 4)(3, 1, 4, 2)\n"
               "ctypes.CDLL(None).qsort(array, 4, 4, kind(compare))\n"
               "list(array)", [1, 2, 3, 4]),
    "mmap": ("import mmap\nwith open('f', 'w+b') as f:\n"
             "    f.write(b'abc'); f.flush()\n"
             "    with mmap.mmap(f.fileno(), 0) as m:\n"
             "        m[0:1] = b'x'; m.flush()\n"
             "open('f').read()", "xbc"),
    "zipfile": ("import io, zipfile, tarfile\n"
                "with zipfile.ZipFile('z', 'w', zipfile.ZIP_DEFLATED) as z:\n"
                "    z.writestr('a', 'b' * 1000)\n"
                "zipfile.ZipFile('z').extractall('d')\n"
                "len(open('d/a').read())", 1000),
    "decimal": ("import decimal\ndecimal.getcontext().prec = 40\n"
                "str(decimal.Decimal(2) ** 100)", str(2 ** 100)),
    "shutil": ("import os, shutil\nos.makedirs('a/b')\n"
               "open('a/b/c', 'w').write('x')\n"
               "shutil.copyfile('a/b/c', 'd'); shutil.move('d', 'e')\n"
               "shutil.rmtree('a')\nos.listdir('.')", ["e"]),
    "signal": ("import signal\ngot = []\n"
               "signal.signal(signal.SIGALRM, lambda *_: got.append(1))\n"
               "signal.setitimer(signal.ITIMER_REAL, 0.01)\n"
               "while not got: signal.pause()\ngot", [1]),
    "select": ("import os, select, selectors\nr, w = os.pipe()\n"
               "os.write(w, b'x')\ns = selectors.DefaultSelector()\n"
               "s.register(r, selectors.EVENT_READ)\nlen(s.select(0))", 1),
}))


class Zones(Case):
    def check(self, python, level):
        got = run("import datetime, zoneinfo\nz = zoneinfo.ZoneInfo("
                  "'Europe/Berlin')\nreturn datetime.datetime(2024, 7, 1,"
                  " tzinfo=z).utcoffset().seconds", python=python,
                  level=level)
        if got.kind == "exception" and "No module named 'zoneinfo'" in (
                got.result["error"]["message"]):
            return  # before 3.9
        self.assertEqual(got.result["value"], 7200)


rows(Zones, by_python_and_level({"berlin": ()}))


class Twice(Case):
    def check(self, python, level):
        """Nothing random is the same in two executions."""
        program = ("import os, random, secrets, uuid\n"
                   "return [os.urandom(8).hex(), random.random(),"
                   " random.Random().random(), str(uuid.uuid4()),"
                   " str(uuid.uuid1()), secrets.token_hex(8),"
                   " hash('a string')]")
        one, two = (self.value(program, python=python, level=level)
                    for _ in range(2))
        for first, second in zip(one, two):
            self.assertNotEqual(first, second)


rows(Twice, by_python_and_level({"random": ()}))

if __name__ == "__main__":
    main()
