"""prefault.so: what it is for, and that it leaves no trace."""
import os
import subprocess
import unittest

import host

KERNEL = tuple(int(n) for n in os.uname().release.split("-")[0].split(".")[:2])


def run(command, preload, **environment):
    if preload:
        environment["LD_PRELOAD"] = os.path.join(
            host.current.libexec, "prefault.so")
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, check=True)
    assert done.stderr == b"", done.stderr
    return done.stdout.decode().splitlines()


def python(preload, program, **environment):
    return run([host.current.python, "-I", "-S", "-c", program], preload,
               **environment)


class Preload(unittest.TestCase):
    tool = property(lambda self: os.path.join(
        os.path.dirname(host.current.mkplan), "preloaded"))

    def test_without(self):
        self.assertEqual(run([self.tool], False, A="1"), ["data 0/256", "A=1"])

    def test_memory_is_there_at_once(self):
        # madvise(2) knows MADV_POPULATE_WRITE since 5.14.
        data = "data 256/256" if KERNEL >= (5, 14) else "data 0/256"
        self.assertEqual(run([self.tool], True),
                         [data, "first 256/256", "second 0/256"])

    def test_variable_is_gone(self):
        names = dict(A="1", LD_PRELOADED="2", Z="3")
        self.assertEqual(run([self.tool], True, **names)[3:],
                         ["A=1", "LD_PRELOADED=2", "Z=3"])
        got = python(True, "import os\nos.system('/usr/bin/env')", **names)
        self.assertIn("LD_PRELOADED=2", got)
        self.assertEqual([v for v in got if v.startswith("LD_PRELOAD=")], [])

    def test_interpreters_take_the_arenas(self):
        """The first arena is there at once, and no start goes wrong."""
        # What of files is mapped varies with what is cached.
        program = ("for line in open('/proc/self/smaps_rollup'):\n"
                   "    if line.startswith('Anonymous:'):\n"
                   "        print(line.split()[1])")
        more = int(python(True, program)[0]) - int(python(False, program)[0])
        # Arenas are of 1 MiB since 3.10 and never full; before that, of
        # 256 KiB, and what is asked for is used.
        self.assertGreater(
            more, 100 if host.current.version >= (3, 10) else -100)

    def test_memory_comes_and_goes(self):
        program = ("for i in range(3):\n"
                   "    a = [str(n) * 3 for n in range(300000)]\n"
                   "    del a\n"
                   "print(open('/proc/self/statm').read().split()[1])")
        self.assertLess(int(python(True, program)[0]) -
                        int(python(False, program)[0]), 1024)


if __name__ == "__main__":
    unittest.main()
