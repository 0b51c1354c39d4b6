#!/usr/bin/env python3
"""What a confined program is refused. Each probe is made outside as well,
where it has to work or to get another answer: else it would prove nothing."""
import os
import socket
import subprocess
import threading

from weir_test import HANG, PYTHON, TOOLS, Case, main, rows, run


class Filter(Case):
    """Calls whose arguments the kernel itself would complain about."""

    PROBE = TOOLS / "probe_syscall"

    def probe(self, *words):
        return subprocess.run([str(self.PROBE), *words], timeout=HANG,
                              stdout=subprocess.PIPE, check=True,
                              ).stdout.decode()

    def answers(self, text):
        return dict(line.split() for line in text.splitlines())

    def test_refused_by_the_filter_and_not_by_the_kernel(self):
        outside = self.answers(self.probe())
        result = self.succeeds(self.probe("--python"),
                               limits={"preview": "64K"})
        inside = self.answers(result["stdout"])
        self.assertEqual(list(inside), list(outside))
        self.assertGreater(len(inside), 80)
        wrong = {}
        for name, answer in inside.items():
            if outside[name] in ("EPERM", "ENOSYS"):
                wrong[name] = "the probe proves nothing: " + outside[name]
            elif answer not in ("EPERM", "ENOSYS"):
                wrong[name] = answer
        self.assertEqual(wrong, {})

    def test_clone3_says_enosys(self):
        """Anything else breaks threads."""
        inside = self.answers(self.succeeds(self.probe("--python"), limits={
            "preview": "64K"})["stdout"])
        self.assertEqual(inside["clone3"], "ENOSYS")


TRY = """
import os
def attempt(function, *arguments):
    try:
        function(*arguments)
    except OSError as error:
        return error.errno
    except Exception as error:
        return type(error).__name__
    return 0
"""


def outside(program):
    """What the same program says without confinement."""
    lines = program.rstrip().splitlines()
    lines[-1] = "print(%s)" % lines[-1]
    done = subprocess.run([PYTHON, "-I", "-S", "-c", "\n".join(lines)],
                          stdout=subprocess.PIPE, timeout=HANG, cwd="/",
                          check=True)
    return eval(done.stdout)


class Refused(Case):
    """expression: 0 when the attempt worked, else an errno or a name"""

    def check(self, expression):
        program = TRY + expression
        self.assertEqual(outside(program), 0, "it does not work outside")
        self.assertNotIn(self.value(program), (0, None))


rows(Refused, {
    # files
    "etc_passwd": "attempt(open, '/etc/passwd')",
    "opt": "attempt(os.listdir, '/opt')",
    "home": "attempt(os.listdir, '/home')",
    "var": "attempt(os.listdir, '/var')",
    "bin": "attempt(os.listdir, '/usr/bin')",
    "proc": "attempt(open, '/proc/self/status')",
    "proc_1": "attempt(open, '/proc/1/stat')",
    "sys": "attempt(os.listdir, '/sys/kernel')",
    "dev_tty": "attempt(os.stat, '/dev/tty')",
    "dev_ptmx": "attempt(open, '/dev/ptmx', 'rb')",
    "mountinfo": "attempt(open, '/proc/self/mountinfo')",
    # processes
    "fork": "attempt(lambda: os.fork() or os._exit(0))",
    "forkpty": "attempt(lambda: os.forkpty()[0] or os._exit(0))",
    "system": "attempt(lambda: os.system('exit 0') and 1 / 0)",
    "spawn": "attempt(os.posix_spawn, '/bin/true', ['true'], {})",
    "subprocess": "import subprocess\n"
                  "attempt(subprocess.run, ['/bin/true'])",
    "multiprocessing": "import multiprocessing\n"
                       "attempt(multiprocessing.get_context('fork').Process("
                       "target=int).start)",
    "parent": "attempt(os.kill, os.getppid(), 0)",
    "pidfd_of_itself": "attempt(os.pidfd_open, os.getpid())",
    # network
    "socket": "import socket\nattempt(socket.socket)",
    "unix_socket": "import socket\nattempt(socket.socket, socket.AF_UNIX)",
    "socketpair_datagram": "import socket\nattempt(socket.socketpair,"
                           " socket.AF_UNIX, socket.SOCK_DGRAM)",
    # itself
    "setrlimit": "import resource as r\nattempt(r.setrlimit, r.RLIMIT_CORE,"
                 " r.getrlimit(r.RLIMIT_CORE))",
    "affinity": "attempt(os.sched_setaffinity, 0, {0})",
    "memfd": "attempt(os.memfd_create, 'x')",
})


class Works(Case):
    """The other half: what stays allowed, so that a refusal of everything
    would show."""

    def check(self, program, value):
        self.assertEqual(self.value(program), value)


rows(Works, {
    "workspace": ("open('x', 'w').write('abc')\nopen('x').read()", "abc"),
    "directories": ("import os\nos.makedirs('a/b'); os.rename('a/b', 'c')\n"
                    "sorted(os.listdir())", ["a", "c"]),
    "tempfile": ("import tempfile\nwith tempfile.NamedTemporaryFile() as f:\n"
                 "    f.write(b'x'); f.flush(); n = f.name\n"
                 "n.startswith('/workspace/')", True),
    "shm": ("open('/dev/shm/x', 'w').write('abc')", 3),
    "devices": ("[len(open(p, 'rb').read(4)) for p in ('/dev/null',"
                "'/dev/zero', '/dev/random', '/dev/urandom')]", [0, 4, 4, 4]),
    "dev_full": ("import errno\ntry:\n    f = open('/dev/full', 'wb', 0)\n"
                 "    f.write(b'x')\nexcept OSError as e:\n"
                 "    return errno.errorcode[e.errno]", "ENOSPC"),
    "threads": ("import threading\nt = [threading.Thread(target=print,"
                " args=('x',)) for _ in range(8)]\n"
                "[x.start() for x in t]; [x.join() for x in t]\nlen(t)", 8),
    "thread_pool": ("from multiprocessing.pool import ThreadPool\n"
                    "ThreadPool(4).map(abs, [-1, 2])", [1, 2]),
    "asyncio": ("import asyncio\nawait asyncio.sleep(0)\n"
                "return await asyncio.to_thread(len, 'abc')", 3),
    "sqlite": ("import sqlite3\nc = sqlite3.connect('d')\n"
               "c.execute('pragma journal_mode=wal')\n"
               "c.execute('create table t (n)')\n"
               "c.execute('insert into t values (5)'); c.commit()\n"
               "c.execute('vacuum')\n"
               "c.execute('select n from t').fetchone()[0]", 5),
    "ssl": ("import ssl\nssl.create_default_context().check_hostname",
            True),
    "zoneinfo": ("import datetime, zoneinfo\nz = zoneinfo.ZoneInfo("
                 "'Europe/Berlin')\ndatetime.datetime(2024, 7, 1,"
                 " tzinfo=z).utcoffset().seconds", 7200),
    "ctypes": ("import ctypes\nctypes.CDLL(None).abs(-3)", 3),
    "signals_to_itself": ("import os, signal\ngot = []\n"
                          "signal.signal(signal.SIGUSR1,"
                          " lambda *_: got.append(1))\n"
                          "os.kill(os.getpid(), signal.SIGUSR1)\ngot", [1]),
    "alarm": ("import signal\ngot = []\nsignal.signal(signal.SIGALRM,"
              " lambda *_: got.append(1))\n"
              "signal.setitimer(signal.ITIMER_REAL, 0.01)\n"
              "while not got: signal.pause()\ngot", [1]),
    "random": ("import os, random, uuid\nlen({os.urandom(8),"
               " random.random(), uuid.uuid4(), uuid.uuid4()})", 4),
    "locale": ("import locale\nlocale.getpreferredencoding().lower()",
               "utf-8"),
})


class Canary(Case):
    """What stands beside weir on the host."""

    def test_secret_file(self):
        path = self.write("secret", "the secret")
        os.chmod(path, 0o644)
        os.chmod(self.directory, 0o755)
        program = TRY + "attempt(open, %r)" % path
        self.assertEqual(outside(program), 0)
        self.assertEqual(self.value(program), 2)

    def test_secret_in_the_environment(self):
        got = run("import ctypes, os\n"
                  "return [os.environ.get('SECRET'),"
                  " ctypes.CDLL(None).getenv(b'SECRET')]",
                  env=dict(os.environ, SECRET="s"))
        self.assertEqual(got.result["value"], [None, 0])

    def test_listening_port(self):
        server = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(server.close)
        came = []

        def serve():
            while True:
                try:
                    came.append(server.accept()[0].close())
                except OSError:
                    return

        threading.Thread(target=serve, daemon=True).start()
        program = TRY + ("import socket\nattempt(lambda: "
                         "socket.create_connection(('127.0.0.1', %d)).close()"
                         ")" % server.getsockname()[1])
        self.assertEqual(outside(program), 0)
        self.assertEqual(self.value(program), 1)
        self.assertEqual(len(came), 1)

    def test_abstract_socket(self):
        server = socket.socket(socket.AF_UNIX)
        self.addCleanup(server.close)
        name = "\0weir-e2e-%d" % os.getpid()
        server.bind(name)
        server.listen()
        program = TRY + ("import socket\nattempt(lambda: socket.socket("
                         "socket.AF_UNIX).connect(%r))" % name)
        self.assertEqual(outside(program), 0)
        self.assertNotEqual(self.value(program), 0)


class Twice(Case):
    """Nothing of one execution is there in the next (S1)."""

    def test_files(self):
        program = ("import os\n"
                   "places = ('/workspace', '/dev/shm', '/tmp')\n"
                   "found = sum(map(os.listdir, places), [])\n"
                   "for place in places:\n"
                   "    open(place + '/left', 'w').close()\n"
                   "found")
        for _ in range(2):
            self.assertEqual(self.value(program), [])
        self.assertFalse(os.path.exists("/dev/shm/left"))
        self.assertFalse(os.path.exists("/tmp/left"))

    def test_interpreter_is_read_only(self):
        changed = self.value(
            "import os, sys, sysconfig\nworked = []\n"
            "for top in sys.path + ['/', '/usr/lib', '/weir', '/dev',"
            " os.path.dirname(sys.executable)]:\n"
            "    try:\n"
            "        open(top + '/x', 'w'); worked.append(top)\n"
            "    except OSError: pass\n"
            "for path in (os.__file__, '/weir/bootstrap.py',"
            " '/weir/prefault.so',"
            " sys.executable, '/etc/ld.so.cache'):\n"
            "    try:\n"
            "        open(path, 'ab'); worked.append(path)\n"
            "    except OSError: pass\n"
            "    try:\n"
            "        os.chmod(path, 0o777); worked.append(path)\n"
            "    except OSError: pass\n"
            "worked")
        self.assertEqual(changed, [])


if __name__ == "__main__":
    main()
