#!/usr/bin/env python3
"""A supervisor that has little itself: few descriptors, no processes, no
files. It says so, and nothing is left."""
import resource
import subprocess

from weir_test import ECHO, IS_ROOT, Watched, command, main, mounts, survivors

PROGRAM = "return echo(n=1)"


class Little(Watched):
    def run_with(self, limits, program=PROGRAM):
        def set_limits():
            for which, value in limits.items():
                resource.setrlimit(which, (value, value))

        before = mounts()
        done = subprocess.run(
            command(tools={"echo": ECHO}, json=False) + ["--value", "-c",
                                                         program],
            preexec_fn=set_limits, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            timeout=self.BOUND)
        self.assertEqual(survivors(), [])
        self.assertEqual(mounts(), before)
        return done

    def check_either(self, done):
        """It works, or it says what does not."""
        self.assertIn(done.returncode, (0, 1, 125, 126, 127), done.stderr)
        if done.returncode == 0:
            self.assertEqual(done.stdout, b'{"n":1}\n')
        else:
            self.assertIn(b"weir: ", done.stderr)

    def test_descriptors(self):
        worked = []
        for number in range(4, 80, 2):
            with self.subTest(number):
                done = self.run_with({resource.RLIMIT_NOFILE: number})
                # With fewer, the loader finds no C library.
                if number > 4:
                    self.check_either(done)
                worked.append(done.returncode == 0)
        self.assertFalse(worked[0])
        self.assertTrue(worked[-1])

    def test_files(self):
        for size in (0, 100, 4096, 65536):
            with self.subTest(size):
                done = self.run_with({resource.RLIMIT_FSIZE: size})
                self.check_either(done)
                self.assertEqual(done.returncode == 0, size == 65536)
                if done.returncode != 0:
                    self.assertIn(b"File too large", done.stderr)

    def test_a_result_that_its_file_cannot_hold(self):
        with open(self.path("out"), "wb") as out:
            done = subprocess.run(
                command(json=False) + ["--value", "-c", "return 'x' * 9999"],
                preexec_fn=lambda: resource.setrlimit(
                    resource.RLIMIT_FSIZE, (8192, 8192)),
                stdout=out, stderr=subprocess.PIPE, timeout=self.BOUND)
        self.assertEqual(done.returncode, 125)
        self.assertEqual(done.stderr,
                         b"weir: standard output: File too large\n")

    def test_processes(self):
        # The kernel counts them for anybody but root.
        for number in () if IS_ROOT else (1, 2, 3, 4):
            with self.subTest(number):
                self.check_either(self.run_with(
                    {resource.RLIMIT_NPROC: number}))

    def test_address_space(self):
        for size in range(10, 200, 20):
            with self.subTest(size):
                self.check_either(self.run_with(
                    {resource.RLIMIT_AS: size << 20}))


if __name__ == "__main__":
    main()
