#!/usr/bin/env python3
"""`--exec PATH`: files that a program may execute beside the interpreter, where
processes are granted. These files alone, by whatever name, and nothing that the
program could have written; and what they start is of the same tree."""
import json
import os
import shutil
import stat
import struct
import subprocess

import test_140_processes as processes
from weir_test import (IS_ROOT, OWN_ROOT, PYTHON, WEIR, Case, command, main,
                       processes_named, rows, run)

EXECUTE = processes.EXECUTE
CHILDREN = processes.CHILDREN


def real(name):
    return os.path.realpath(shutil.which(name))


# Of the system: all of coreutils and a shell.
SORT, SLEEP, ENV, SHELL = (real(name)
                           for name in ("sort", "sleep", "env", "dash"))


class Tree(processes.Tree):
    """With executables of its own: `bin` has two, of which the first is
    granted where a test says no other."""

    def setUp(self):
        super().setUp()
        os.chmod(self.directory, 0o755)
        os.mkdir(self.path("bin"), 0o755)
        self.granted = self.copy(ENV, "bin/one")
        self.other = self.copy(ENV, "bin/two")

    def copy(self, source, name, mode=0o755):
        shutil.copyfile(source, self.path(name))
        os.chmod(self.path(name), mode)
        return self.path(name)

    def script(self, name, text):
        self.write(name, text)
        os.chmod(self.path(name), 0o755)
        return self.path(name)

    def value(self, program, *options, grant=None, **limits):
        words = []
        for path in [self.granted] if grant is None else grant:
            words += ["--exec", path]
        return super().value(program, *words, *options, **limits)


class Honest(Tree):
    def test_output_and_status(self):
        found = self.value(
            "import subprocess\n"
            "got = subprocess.run([%r, '--version'], capture_output=True,\n"
            "                     text=True)\n"
            "bad = subprocess.run([%r, '--no-such-option'],\n"
            "                     capture_output=True)\n"
            "[got.stdout.split()[0], got.stderr, got.returncode,\n"
            " bad.returncode != 0, bad.stderr != b'']" % (SORT, SORT),
            grant=[SORT])
        self.assertEqual(found, ["sort", "", 0, True, True])

    def test_by_its_name(self):
        """Where PATH is not set, Python looks in these two."""
        if os.path.dirname(SORT) not in ("/usr/bin", "/bin"):
            self.skipTest("it is installed elsewhere")
        self.assertEqual(self.value(
            "import subprocess\n"
            "subprocess.run(['sort', '-r'], input='a\\nb\\n', text=True,\n"
            "               capture_output=True).stdout", grant=[SORT]),
            "b\na\n")

    def test_in_a_pipeline(self):
        self.assertEqual(self.value(
            "import sys\n"
            "from subprocess import PIPE, Popen\n"
            "one = Popen([sys.executable, '-ISc', 'print(3, 1, 2, sep=chr(10))"
            "'],\n            stdout=PIPE)\n"
            "two = Popen([%r], stdin=one.stdout, stdout=PIPE)\n"
            "one.stdout.close()\n"
            "[two.communicate()[0].decode(), one.wait(), two.wait()]" % SORT,
            grant=[SORT]), ["1\n2\n3\n", 0, 0])

    def test_one_starts_another(self):
        self.assertEqual(self.value(
            EXECUTE + "execute(%r, '-c', '%s A=b %s --version | %s -r')" % (
                SHELL, ENV, SORT, SORT),
            grant=[SHELL, ENV, SORT])[:7], self.value(
                EXECUTE + "execute(%r, '-c', '%s --version | %s -r')" % (
                    SHELL, SORT, SORT), grant=[SHELL, SORT])[:7])

    def test_of_its_own_directory(self):
        self.assertEqual(self.value(
            EXECUTE + "execute(%r, '-i', 'A=b')" % self.granted), "A=b\n")

    def test_a_static_one(self):
        """The child of weir's own is one; it finds no plan and says so."""
        source = WEIR.parent.parent / "libexec/weir/weir-child"
        path = self.copy(source, "bin/static")
        self.assertNotIsInstance(self.value(
            EXECUTE + "execute(%r)" % path, grant=[path]), int)

    def test_a_script(self):
        """Its interpreter is granted as well, by the name of its own file;
        the script may call it by another."""
        os.symlink(SHELL, self.path("bin/sh"))
        path = self.script("bin/script", "#! %s -e\necho $1 $0\n" %
                           self.path("bin/sh"))
        self.assertEqual(self.value(
            EXECUTE + "execute(%r, 'a')" % path, grant=[path, SHELL]),
            "a %s\n" % path)

    def test_a_script_of_the_interpreter(self):
        os.symlink(os.path.realpath(PYTHON), self.path("bin/python"))
        path = self.script("bin/script", "#!%s -IS\nprint(6 * 7)\n" %
                           self.path("bin/python"))
        self.assertEqual(self.value(
            EXECUTE + "execute(%r)" % path, grant=[path]), "42\n")

    def test_git(self):
        git = shutil.which("git")
        if git is None or os.path.islink(git):
            self.skipTest("there is none, or it is elsewhere")
        self.assertRegex(self.value(
            EXECUTE + "execute('git', '--version')", grant=[git]),
            r"\Agit version [0-9.]+\n")

    def test_reading_it(self):
        """To execute implies to read, and nothing else of the directory."""
        self.assertEqual(self.value(
            "import os\n"
            "found = [open(%r, 'rb').read(4)[1:].decode()]\n"
            "for path in (%r, %r):\n"
            "    try: found.append(len(open(path, 'rb').read()))\n"
            "    except OSError as error: found.append(error.errno)\n"
            "found" % (self.granted, self.other, self.path("bin"))),
            ["ELF"] + ([2, 13] if OWN_ROOT else [13, 13]))

    def test_in_a_place_that_can_be_read(self):
        self.assertEqual(self.value(
            EXECUTE + "[execute(%r, '-i', 'A=b'), execute(%r)]" % (
                self.granted, self.other), "--read", self.path("bin")),
            ["A=b\n", 13])


class Result(Tree):
    def granted_of(self, *words, **limits):
        result = self.succeeds("1", *words, limits=self.limits(**limits))
        return result["granted"]

    def test_lists_it(self):
        granted = self.granted_of("--exec", self.granted)
        found = granted["exec"]
        self.assertIn(self.granted, found)
        self.assertIn(os.path.realpath(PYTHON), found)
        self.assertIn(self.granted, granted["read"])
        self.assertNotIn(self.granted, granted["write"])
        # Beside these it is the loader that each of them names.
        self.assertLessEqual(len(found), 4)
        for path in found:
            self.assertTrue(os.access(path, os.X_OK), path)

    def test_lists_the_interpreter(self):
        found = self.granted_of()["exec"]
        self.assertIn(os.path.realpath(PYTHON), found)
        self.assertLessEqual(len(found), 2)

    def test_nothing_without_processes(self):
        self.assertEqual(self.succeeds("1")["granted"]["exec"], [])

    def files(self, **texts):
        words = []
        os.makedirs(self.path("own"), exist_ok=True)
        for name, text in texts.items():
            path = self.write("own/%s.json" % name, json.dumps(text))
            words += ["--%s-file" % name, path]
        return words

    def profile(self, **members):
        return {"schema": "weir.profiles/1", "profiles": {"default": dict(
            {"processes": 4, "exec": [self.granted, self.other]}, **members)}}

    def narrowed(self, program, **texts):
        result = self.succeeds(
            EXECUTE + program, *self.files(profile=self.profile(), **texts))
        found = result["granted"]
        return result["value"], [
            path for path in (self.granted, self.other)
            if path in found["exec"]], [
                path for path in (self.granted, self.other)
                if path in found["read"]]

    def test_a_profile(self):
        both = [self.granted, self.other]
        self.assertEqual(self.narrowed(
            "[execute(path, '-i', 'A=b') for path in %r]" % both),
            (["A=b\n", "A=b\n"], both, both))

    def test_a_policy(self):
        """It keeps what it names; what nobody granted is not granted by it."""
        both = [self.granted, self.other]
        hidden = 2 if OWN_ROOT else 13
        program = "[execute(path, '-i', 'A=b') for path in %r]" % (
            both + [SORT])
        for kept, values in (([self.other, SORT], [hidden, "A=b\n"]),
                             ([], [hidden, hidden])):
            self.assertEqual(self.narrowed(
                program,
                policy={"schema": "weir.policy/1", "exec": kept}),
                (values + [hidden], kept[:1], kept[:1]))

    def test_no_processes_are_left(self):
        for name in ("policy", "request"):
            self.assertEqual(self.narrowed(
                "[execute(%r), os.path.exists('/tmp')]" % self.granted,
                **{name: {"schema": "weir.%s/1" % name,
                          "limits": {"processes": 0}}}),
                ([1, True], [], []))

    def test_it_is_no_wish(self):
        got = run("1", *self.files(request={
            "schema": "weir.request/1", "exec": [self.granted]}), json=False)
        self.assertEqual((got.code, got.stdout), (2, b""))
        self.assertIn(b"exec: no such member here", got.stderr)


class Denied(Tree):
    """What was not granted stays denied, whatever is done with what was."""

    COPY = "text = open(%r, 'rb').read()\nwrite('copy', text)\n"

    def test_its_neighbours(self):
        os.symlink(self.other, self.path("bin/link"))
        hidden = 2 if OWN_ROOT else 13
        paths = [self.other, self.path("bin/link"), SORT, SHELL, "/bin/sh"]
        self.assertEqual(self.value(
            EXECUTE + "[execute(path) for path in %r]" % paths),
            [hidden] * len(paths))

    def test_copies(self):
        found = self.value(
            EXECUTE + self.COPY % self.granted +
            "if %r: write('/dev/shm/copy', text)\n"
            "os.symlink(os.path.realpath('copy'), 'link')\n"
            "[execute('./copy'), execute('./link'),\n"
            " execute('/dev/shm/copy')]" % OWN_ROOT)
        self.assertEqual(found[:2], [13, 13])
        self.assertIn(found[2], (13,) if OWN_ROOT else (2, 13))

    def test_copies_where_it_may_write(self):
        os.mkdir(self.path("write"))
        os.chmod(self.path("write"), 0o777)
        self.assertEqual(self.value(
            EXECUTE + (self.COPY % self.granted).replace(
                "'copy'", repr(self.path("write/copy"))) +
            "execute(%r)" % self.path("write/copy"),
            "--write", self.path("write")), 13)

    def test_scripts_of_its_own(self):
        """Of what was granted, and of the interpreter."""
        self.assertEqual(self.value(
            EXECUTE +
            "write('one', b'#!%s\\n')\n"
            "write('two', b'#!' + sys.executable.encode() + b'\\n')\n"
            "write('three', b'x')\n"
            "[execute('./one'), execute('./two'), execute('./three')]"
            % self.granted), [13, 13, 13])

    def test_what_it_starts(self):
        """Is as little allowed to execute."""
        self.assertEqual(self.value(
            EXECUTE + self.COPY % self.granted +
            "[subprocess.run([%r, path], capture_output=True).returncode\n"
            " for path in (%r, './copy', %r)]" % (
                self.granted, self.other, SORT)),
            [127 if OWN_ROOT else 126, 126, 127 if OWN_ROOT else 126])

    def test_links(self):
        """Another name of the granted file is not made; one that leads to it
        is the file itself."""
        os.mkdir(self.path("write"))
        os.chmod(self.path("write"), 0o777)
        self.assertEqual(self.value(
            EXECUTE +
            "found = []\n"
            "for name in ('hard', %r):\n"
            "    try: os.link(%r, name)\n"
            "    except OSError as error: found.append(error.errno in\n"
            "                                          (1, 13, 18))\n"
            "os.symlink(%r, 'soft')\n"
            "found + [execute('./soft', '-i', 'A=b')]" % (
                self.path("write/hard"), self.granted, self.granted),
            "--write", self.path("write")), [True, True, "A=b\n"])

    def test_changes_of_it(self):
        """Also for somebody who owns it."""
        self.copy(ENV, "bin/one", 0o777)
        found = self.value(
            "import os\n"
            "found, path, top = [], %r, %r\n"
            "for what in (lambda: open(path, 'r+b'), lambda: open(path, 'ab'),"
            "\n             lambda: os.truncate(path, 0),\n"
            "             lambda: os.unlink(path),\n"
            "             lambda: os.chmod(path, 0o4755),\n"
            "             lambda: os.rename(path, 'here'),\n"
            "             lambda: os.rename(path, top + '/new'),\n"
            "             lambda: os.symlink('x', top + '/new'),\n"
            "             lambda: os.rename(top, 'here')):\n"
            "    try: found.append(what() or 'done')\n"
            "    except OSError as error: found.append('refused')\n"
            "found" % (self.granted, self.path("bin")))
        self.assertEqual(found, ["refused"] * 9)
        with open(ENV, "rb") as one, open(self.granted, "rb") as two:
            self.assertEqual(one.read(), two.read())
        self.assertEqual(stat.S_IMODE(os.stat(self.granted).st_mode), 0o777)

    def test_without_a_name(self):
        """Neither files in memory nor descriptors are executed."""
        self.assertEqual(self.value(
            EXECUTE + "found = []\n"
            "for what in (lambda: os.memfd_create('x'),\n"
            "             lambda: os.execve(os.open(%r, 0), ['x'], {})):\n"
            "    try: found.append(what())\n"
            "    except OSError as error: found.append(error.errno)\n"
            "found" % self.granted), [1, 1])

    def test_by_proc(self):
        """A descriptor's link is what it leads to, where there is one."""
        self.assertEqual(self.value(
            EXECUTE + self.COPY % self.granted +
            "fd = os.open('copy', 0)\n"
            "execute('/proc/self/fd/%d' % fd, pass_fds=(fd,))"),
            2 if OWN_ROOT else 13)

    def test_by_the_loader(self):
        """It may be executed, since the kernel does. What the program wrote
        it cannot map; on the host's root there are no mounts to see to that:
        there it is more of the same process, as the manual says."""
        found = self.value(
            EXECUTE + self.COPY % self.granted +
            "import glob\n"
            "loader = glob.glob('/lib64/ld-linux-*.so.*') + glob.glob(\n"
            "    '/lib/ld-*.so.*')\n"
            "[execute(loader[0], %r, '-i', 'A=b'),\n"
            " execute(loader[0], './copy', '-i', 'A=b'),\n"
            " execute(loader[0], %r, '-i', 'A=b')]" % (
                self.granted, self.other))
        self.assertEqual(found[0], "A=b\n")
        self.assertRegex(found[2], "cannot open|Permission denied")
        if OWN_ROOT:
            self.assertIn("failed to map", found[1])

    def test_by_preloading(self):
        """What the program wrote is no library of it."""
        found = self.value(
            EXECUTE + "import glob\n"
            "library = (glob.glob('/lib/*/libm.so.6') +\n"
            "           glob.glob('/lib64/libm.so.6'))[0]\n"
            "write('library', open(library, 'rb').read())\n"
            "execute(%r, '-i', 'A=b',\n"
            "        env={'LD_PRELOAD': os.path.realpath('library')})"
            % self.granted)
        if OWN_ROOT:
            self.assertIn("failed to map", found)
        self.assertTrue(found.startswith("A=b\n"), found)

    def test_in_confinement(self):
        """What is executed is as confined as who executes it."""
        found = self.value(
            EXECUTE + "execute(%r, '-c', 'exec 2>/dev/null; '\n"
            "        'read x </etc/passwd || echo 1; '\n"
            "        'echo x >%s/new || echo 2; '\n"
            "        'kill -9 %d || echo 3; echo x >own && echo 4')" % (
                SHELL, self.directory, os.getpid()), grant=[SHELL])
        self.assertEqual(found, "1\n2\n3\n4\n")
        self.assertFalse(os.path.exists(self.path("new")))


class Budgets(Tree):
    """What is executed counts as what executes it."""

    def ends(self, kind, limit, program, *paths, **limits):
        words = []
        for path in paths:
            words += ["--exec", path]
        got = self.fails(kind, EXECUTE + program, *words,
                         limits=self.limits(**limits))
        self.assertEqual(got.result["limit_hit"], limit, got.result["error"])
        self.assertEqual(processes.living(), [])
        return got.result

    def test_cpu(self):
        result = self.ends(
            "timeout", "cpu",
            "one = [subprocess.Popen([%r, '-c', 'while :; do :; done'])\n"
            "       for _ in range(3)]\n"
            "for child in one: child.wait()\n"
            "while True: pass" % SHELL, SHELL, cpu=1)
        self.assertGreaterEqual(result["usage"]["cpu_ms"], 1000)

    def test_number(self):
        self.ends("policy_refused", "processes",
                  "execute(%r, '-c', '%s')" % (
                      SHELL, "%s 99 & " % SLEEP * 6 + "wait"), SHELL, SLEEP)

    def test_wall(self):
        self.ends("timeout", "wall", "execute(%r, '86399')" % SLEEP, SLEEP,
                  wall="1500ms", grace="100ms")

    def test_memory(self):
        """Of a shell that doubles a text."""
        self.ends("memory", "memory",
                  "execute(%r, '-c', 'a=0123456789abcdef; while :; do '\n"
                  "        'a=$a$a; done')" % SHELL, SHELL,
                  memory="150M", address_space="4G")

    def test_file_size(self):
        """The kernel's limit of one process is that of the next one."""
        self.assertEqual(self.value(
            EXECUTE + "subprocess.run([%r, '-c', 'yes() { while :; do echo '\n"
            "    '0123456789abcdef; done; }; yes >file'],\n"
            "    capture_output=True).returncode != 0\n"
            "os.path.getsize('file')" % SHELL, grant=[SHELL],
            file_size="64K"), 65536)


class Ends(Tree):
    """Of whatever kind the end is, nothing that was executed is left."""

    LIMITS = {"processes": 6, "wall": "5s", "grace": "200ms"}

    def check(self, kind, then, *options):
        path = self.copy(SLEEP, "bin/wx%d" % os.getpid())
        got = run(
            "import os, subprocess\n"
            "here, there = os.pipe()\n"
            "child = subprocess.Popen([%r, '86399'], start_new_session=True)\n"
            "if os.fork() == 0:\n"
            "    os.setsid()\n"
            "    if os.fork(): os._exit(0)\n"
            # It holds the pipe until it is executed.
            "    os.execv(%r, ['sleep', '86399'])\n"
            "os.close(there)\n"
            "os.read(here, 1)\n" % (path, path) + then,
            "--exec", path, *options,
            limits=dict(self.LIMITS, wall=5 if kind == "timeout" else 60))
        self.assertEqual(got.kind, kind, got.result["error"])
        self.assertEqual(processes_named("wx%d" % os.getpid()), [])
        self.assertEqual(processes.living(), [])


rows(Ends, {
    "an_answer": (None, "'answer'"),
    "an_exit": ("worker_exit", "os._exit(3)"),
    "the_time": ("timeout", CHILDREN + "for_ever()"),
    "a_violation": ("protocol_violation", "os.write(3, b'x\\n')\n" + CHILDREN +
                    "for_ever()"),
    # The program itself becomes what it executes, and so has no answer.
    "itself": ("worker_exit", "os.execv(%r, ['env', '--version'])" % ENV,
               "--exec", ENV),
})


class Refused(Case):
    """Usage: one line that names the file, what is wrong and what to do."""

    def setUp(self):
        super().setUp()
        os.chmod(self.directory, 0o755)
        os.mkdir(self.path("bin"), 0o755)
        self.good = self.copy("bin/good")

    def copy(self, name, mode=0o755, change=None):
        with open(ENV, "rb") as file:
            text = file.read()
        self.write(name, change(text) if change else text)
        os.chmod(self.path(name), mode)
        return self.path(name)

    def script(self, name, text):
        self.write(name, text)
        os.chmod(self.path(name), 0o755)
        return self.path(name)

    def refused(self, path, said, *options, before=(), limits=None):
        words = list(before) + command(
            "--exec", path, *options, json=False,
            limits={"processes": 2} if limits is None else limits)
        got = subprocess.run(words + ["-c", "1"], stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                             cwd="/", timeout=120)
        self.assertEqual((got.returncode, got.stdout), (2, b""), got.stderr)
        self.assertRegex(got.stderr.decode(), r"\Aweir: [^\n]+\n\Z")
        self.assertIn(said, got.stderr.decode())

    def accepted(self, *words):
        got = run("1", *words, limits={"processes": 2})
        self.assertEqual(got.kind, None if processes.HELD else
                         "isolation_unavailable")

    def test_without_processes(self):
        text = "can be executed only where processes are granted"
        self.refused(self.good, text, limits={})
        self.refused(self.good, text, limits={"processes": 0})
        os.mkdir(self.path("own"))
        path = self.write("own/profiles.json", json.dumps({
            "schema": "weir.profiles/1",
            "profiles": {"default": {"exec": [self.good]}}}))
        self.refused(self.good, text, "--profile-file", path, limits={})

    def test_what_can_be_no_grant_at_all(self):
        os.symlink(self.good, self.path("link"))
        for path, said in ((self.path("missing"), "No such file"),
                           ("env", "absolute"), ("", "absolute"),
                           (self.path("link"), "symbolic link to"),
                           (self.path("bin/../bin/good"), "'..'"),
                           ("/proc/self/exe", "kernel"),
                           ("/dev/null", "kernel"),
                           ("/", "everything")):
            self.refused(path, said)

    def test_directories(self):
        self.refused(self.path("bin"), "is not a file; name each file")

    def test_no_programs(self):
        text = "is neither a program of this machine nor a script"

        def put(at, what):
            return lambda text: text[:at] + what + text[at + len(what):]

        for name, change in (
                ("foreign", put(18, struct.pack("<H", 8))),
                ("of_32_bits", put(4, b"\1")),
                ("an_object", put(16, struct.pack("<H", 1))),
                ("a_core", put(16, struct.pack("<H", 4))),
                ("empty", lambda text: b""),
                ("text", lambda text: b"echo 1\n"),
                ("relative", lambda text: b"#!env\n"),
                ("nothing", lambda text: b"#!\n"),
                ("long", lambda text: b"#!/" + 300 * b"a")):
            self.refused(self.copy("bin/" + name, change=change), text)
        self.refused(self.copy("bin/plain", mode=0o644), "is not executable")

    def test_privileges(self):
        text = "is set-user-id or set-group-id"
        self.refused(self.copy("bin/uid", mode=0o4755), text)
        self.refused(self.copy("bin/gid", mode=0o2755), text)

    def test_capabilities(self):
        try:
            # A version 2 set with CAP_NET_RAW (capability.h).
            os.setxattr(self.good, "security.capability", struct.pack(
                "<5I", 0x02000001, 1 << 13, 0, 0, 0))
        except OSError:
            self.skipTest("no such attributes can be set here")
        self.refused(self.good, "has capabilities of its own")

    def test_scripts(self):
        script = self.script("bin/script", "#!%s\n" % SHELL)
        said = "is a script of %s, which may not be executed" % SHELL
        self.refused(script, said)
        self.refused(script, said, "--read", SHELL)
        # One step further.
        self.refused(self.script("bin/next", "#!%s\n" % script), said,
                     "--exec", script)
        self.refused(self.script("bin/gone", "#!/no/such/sh\n"),
                     "an interpreter that is not there")
        self.refused(self.script("bin/dos", "#!%s\r\n" % SHELL),
                     "an interpreter that is not there")

    WRITE = "another grant lets the program write it"

    def test_what_it_may_write(self):
        self.refused(self.good, self.WRITE, "--write", self.good)
        self.refused(self.good, self.WRITE, "--write", self.path("bin"))
        os.mkdir(self.path("bin/deep"), 0o755)
        self.refused(self.copy("bin/deep/x"), self.WRITE, "--write",
                     self.path("bin"))

    def test_the_interpreter_that_it_may_write(self):
        """And its loader, also with nothing else to execute."""
        place = os.path.dirname(os.path.realpath(PYTHON))
        got = run("1", "--write", place, limits={"processes": 2}, json=False)
        self.assertEqual((got.code, got.stdout), (2, b""))
        self.assertIn(self.WRITE.encode(), got.stderr)
        self.accepted("--write", self.path("bin"))

    def test_hard_links(self):
        """To a place where the program may write."""
        os.mkdir(self.path("out"), 0o777)
        os.link(self.good, self.path("out/same"))
        os.chmod(self.good, 0o777)
        self.refused(self.good, "has more names than one", "--write",
                     self.path("out"))
        self.accepted("--exec", self.good)
        os.unlink(self.path("out/same"))
        self.accepted("--exec", self.good, "--write", self.path("out"))

    def in_mounts(self, script):
        """Words that make mounts first, in a namespace of their own."""
        if not IS_ROOT or subprocess.run(
                ["unshare", "-m", "true"], stderr=subprocess.DEVNULL,
                check=False).returncode != 0:
            self.skipTest("no mounts can be made here")
        return ["unshare", "-m", "sh", "-ec",
                "cd '%s'; %s; exec \"$@\"" % (self.directory, script), "sh"]

    def test_mounted_twice(self):
        os.mkdir(self.path("again"))
        self.refused(self.good, self.WRITE, "--write", self.path("again"),
                     before=self.in_mounts("mount --bind bin again"))

    def test_noexec(self):
        os.mkdir(self.path("none"))
        words = self.in_mounts(
            "mount -t tmpfs -o noexec none none; cp bin/good none")
        self.refused(self.path("none/good"), "(noexec)", before=words)

    def test_weirs_own(self):
        libexec = WEIR.parent.parent / "libexec/weir"
        self.refused(os.path.realpath(libexec / "weir-child"), "weir's own")
        self.refused(os.path.realpath(WEIR), "weir's own")

    def test_closed_to_its_ids(self):
        """On a host where a program has ids of its own."""
        os.chmod(self.good, 0o750)
        got = run("1", "--exec", self.good, limits={"processes": 1})
        if not IS_ROOT:
            return
        self.assertEqual(got.kind, "setup")
        self.assertIn("%s is closed to the ids" % self.good,
                      got.result["error"]["message"])


if not processes.HELD:
    for case in (Honest, Result, Denied, Budgets, Ends):
        del globals()[case.__name__]
    del case


# What takes a capability of the host, or a mount.
if not IS_ROOT:
    del (Refused.test_capabilities, Refused.test_mounted_twice,
         Refused.test_noexec)

if __name__ == "__main__":
    main()
