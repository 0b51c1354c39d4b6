#!/usr/bin/env python3
"""Very many executions: in one supervisor process, and each in its own.
Nothing adds up: no child, descriptor, mount, file, memory."""
import os
import re
import subprocess

from weir_test import (HANG, IS_ROOT, PYTHON, TOOLS, WEIR, Watched, finish,
                       ipc_objects, leftovers, main, mounts, start, survivors)

# A plain user's executions differ in how they start, and only there: a thousand
# of each kind for one of the two.
MANY, FEW = 1000, 100


class Many(Watched):
    def state(self):
        return mounts(), ipc_objects(), leftovers(self.mark), survivors()

    def soak(self, count, at_once):
        libexec = os.path.join(os.path.dirname(WEIR), "../libexec/weir")
        done = subprocess.run(
            [os.path.join(TOOLS, "soak"), libexec, PYTHON, str(count),
             str(at_once)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            # What is freed is overwritten: mallopt(3).
            env=dict(os.environ, MALLOC_PERTURB_="170"),
            timeout=5 * HANG)
        self.assertEqual(done.returncode, 0, done.stderr.decode()[-2000:])
        found = re.fullmatch(
            r"executions (\d+) kinds (\d+) descriptors ([+-]\d+) "
            r"children (\d+) memory ([+-]\d+)\n", done.stdout.decode())
        self.assertIsNotNone(found, done.stdout)
        executions, _, descriptors, children, memory = map(
            int, found.groups())
        self.assertEqual((executions, descriptors, children), (count, 0, 0))
        # KiB after the first tenth: what the allocator rounds up, and slots
        # that were not in use yet.
        self.assertLess(memory, 1024 + 64 * at_once)

    def test_in_one_process(self):
        before = self.state()
        self.soak(MANY if IS_ROOT else FEW, 16)
        self.assertEqual(self.state(), before)

    def test_as_many_at_once_as_there_may_be(self):
        self.soak(256, 64)

    def test_in_as_many_processes(self):
        before = self.state()
        left = FEW if IS_ROOT else MANY
        while left > 0:
            some = [start("print(%d)" % n) for n in range(min(4, left))]
            left -= len(some)
            for process in some:
                self.assertIsNone(finish(process).result["error"])
        self.assertEqual(self.state(), before)


if __name__ == "__main__":
    main()
