#!/usr/bin/env python3
"""Directories of the host as tools (B12), and marks (B9): the command's
options, what programs get, what is denied, and what is left on the host. The
unit programs test_files and test_files_path have the small cases."""
import json
import os
import resource
import shutil
import subprocess

from web import Server, answer, tools_file
from weir_test import (ECHO, HANG, IS_ROOT, TOOLS, WEIR, Case,
                       command, main, rows, run, shell)

# Calls in turn; of each what came, or its kind and message.
CALLS = """
got = []
for name, arguments in %r:
    try:
        got.append(call_tool(name, arguments))
    except ToolError as error:
        got.append([error.kind, error.hard, error.message])
return got
"""


def calls(*rows):
    return CALLS % (list(rows),)


class Files(Case):
    """A tree of its own: data.txt and, to be written to, out."""

    def setUp(self):
        super().setUp()
        self.root = self.path("root")
        os.mkdir(self.root)
        os.mkdir(os.path.join(self.root, "out"))
        self.write("root/data.txt", "the data\n")

    def files(self, more=""):
        return {"fs": "files:%s%s" % (self.root, more)}

    def tree(self, top=None):
        top = top or self.root
        return sorted(os.path.relpath(os.path.join(place, name), top)
                      for place, dirs, names in os.walk(top)
                      for name in dirs + names)

    def program(self, *rows):
        """A file, for what is too long for a command line."""
        return self.write("program.py", calls(*rows))

    def kinds(self, value):
        return [one[0] if isinstance(one, list) else "ok" for one in value]


class Programs(Files):
    def test_the_four(self):
        value = self.value(calls(
            ("fs.list", {}),
            ("fs.stat", {"path": "/data.txt"}),
            ("fs.read", {"path": "data.txt"}),
            ("fs.read", {"path": "data.txt", "offset": 4, "length": 3}),
            ("fs.write", {"path": "out/new/f", "text": "é"}),
            ("fs.write", {"path": "out/new/f", "text": "!",
                          "append": True}),
            ("fs.write", {"path": "out/new/f", "text": "!",
                          "create": True}),
            ("fs.read", {"path": "out/new/f"}),
        ), tools=self.files(":read=/:write=/out"))
        self.assertEqual(value[0], {"entries": [
            {"name": "data.txt", "type": "file"},
            {"name": "out", "type": "directory"}], "next": None})
        self.assertEqual(value[1], {
            "type": "file", "size": 9, "mtime": int(os.stat(
                os.path.join(self.root, "data.txt")).st_mtime)})
        self.assertEqual(value[2], {"text": "the data\n", "offset": 0,
                                    "next": None, "size": 9})
        self.assertEqual(value[3], {"text": "dat", "offset": 4, "next": 7,
                                    "size": 9})
        self.assertEqual(value[4:6], [{"written": 2, "size": 2},
                                      {"written": 1, "size": 3}])
        self.assertEqual(value[6][0], "failed")
        self.assertEqual(value[7]["text"], "é!")
        self.assertEqual(self.tree(), [
            "data.txt", "out", "out/new", "out/new/f"])

    def test_they_are_tools_like_others(self):
        result = self.succeeds(
            "return [sorted(TOOLS), call_tool('list_tools'),"
            " call_tool('get_tool_info', {'name': 'fs.read'})]",
            tools=self.files())
        names = ["fs.list", "fs.read", "fs.stat", "fs.write"]
        self.assertEqual(result["value"][0], names)
        self.assertEqual(sorted(result["value"][1]), names)
        self.assertEqual(result["value"][2], {
            "name": "fs.read", "provider": "files"})

    def test_bytes_cross_unchanged(self):
        """Whatever they are: written as base64, they are read as they were,
        in windows of any size."""
        data = bytes(range(256)) * 40 + "é€😀".encode() * 50
        value = self.value(
            "import base64\n"
            "data = bytes(range(256)) * 40 + 'é€😀'.encode() * 50\n"
            "call_tool('fs.write', {'path': 'out/f', 'base64':"
            " base64.b64encode(data).decode()})\n"
            "def window(**more):\n"
            "    got = call_tool('fs.read', dict(more, path='out/f'))\n"
            "    part = (got['text'].encode() if 'text' in got else"
            " base64.b64decode(got['base64']))\n"
            "    return part, got['next']\n"
            "wrong = []\n"
            "for more in ({}, {'length': 1000}, {'length': 997},"
            " {'length': 97, 'base64': True}, {'length': 70000}):\n"
            "    parts, at = [], 0\n"
            "    while at is not None:\n"
            "        part, at = window(offset=at, **more)\n"
            "        parts.append(part)\n"
            "    if b''.join(parts) != data: wrong.append(more)\n"
            "return wrong", tools=self.files(":read=/:write=/out"),
            limits={"calls": 10000})
        self.assertEqual(value, [])
        with open(os.path.join(self.root, "out/f"), "rb") as file:
            self.assertEqual(file.read(), data)

    def test_large_files(self):
        """In one piece up to the limit of a result, and past it in parts;
        and a write of megabytes."""
        self.write("root/big", "x" * 9000000)
        value = self.value(
            "import asyncio\n"
            "text = 'line\\n' * 1000000\n"
            "one = await asyncio.gather(*[call_tool('fs.write',"
            " {'path': 'out/f%d' % n, 'text': text}) for n in range(3)])\n"
            "got = await asyncio.gather(*[call_tool('fs.read',"
            " {'path': 'out/f%d' % n}) for n in range(3)])\n"
            "try:\n"
            "    await call_tool('fs.read', {'path': 'big'})\n"
            "except ToolError as error: kind = error.kind\n"
            "at, size = 0, 0\n"
            "while at is not None:\n"
            "    part = await call_tool('fs.read', {'path': 'big',"
            " 'offset': at, 'length': 1000000})\n"
            "    size += len(part['text']); at = part['next']\n"
            "return [[n['size'] for n in one],"
            " [g['text'] == text for g in got], kind, size]",
            tools=self.files(":read=/:write=/out"),
            limits={"argument_bytes": "8M"})
        self.assertEqual(value, [[5000000] * 3, [True] * 3,
                                "result_too_large", 9000000])

    def test_a_hundred_thousand_names(self):
        if not IS_ROOT:
            return  # once is enough
        os.mkdir(os.path.join(self.root, "many"))
        directory = os.open(os.path.join(self.root, "many"), os.O_RDONLY)
        for n in range(100000):
            os.close(os.open("name-%06d" % n, os.O_CREAT | os.O_WRONLY,
                             dir_fd=directory))
        os.close(directory)
        value = self.value(
            "names, more, pages = [], {}, 0\n"
            "while True:\n"
            "    page = call_tool('fs.list', dict(more, path='many',"
            " limit=4096))\n"
            "    names += [e['name'] for e in page['entries']]\n"
            "    pages += 1\n"
            "    if page['next'] is None: break\n"
            "    more = {'after': page['next']}\n"
            "return [names == ['name-%06d' % n for n in range(100000)],"
            " pages]", tools=self.files())
        self.assertEqual(value, [True, 25])

    def test_a_file_that_cannot_be_read_or_written(self):
        """What the host itself forbids is failed, with its words."""
        if IS_ROOT:
            return  # nothing is forbidden
        os.chmod(os.path.join(self.root, "data.txt"), 0o400)
        self.write("root/out/shut", "s")
        os.chmod(os.path.join(self.root, "out/shut"), 0)
        value = self.value(calls(
            ("fs.write", {"path": "data.txt", "text": "x"}),
            ("fs.write", {"path": "data.txt", "text": "x", "append": True}),
            ("fs.read", {"path": "out/shut"}),
        ), tools=self.files(":read=/:write=/"))
        self.assertEqual(self.kinds(value), ["failed"] * 3)
        for one in value:
            self.assertIn("Permission denied", one[2])

    def test_a_file_that_is_immutable(self):
        """Also root's writes are refused, and leave nothing beside it."""
        path = os.path.join(self.root, "data.txt")
        if not IS_ROOT or subprocess.run(
                ["chattr", "+i", path], stderr=subprocess.DEVNULL
        ).returncode != 0:
            return  # not everywhere
        self.addCleanup(subprocess.run, ["chattr", "-i", path])
        value = self.value(calls(
            ("fs.write", {"path": "data.txt", "text": "x"}),
            ("fs.write", {"path": "data.txt", "text": "x", "append": True}),
        ), tools=self.files(":read=/:write=/"))
        subprocess.run(["chattr", "-i", path], check=True)
        self.assertEqual(self.kinds(value), ["failed"] * 2)
        self.assertIn("Operation not permitted", value[0][2])
        self.assertEqual(self.tree(), ["data.txt", "out"])

    def test_a_full_disk(self):
        """Nothing of a file that does not fit is left, and the old one
        stands."""
        if not IS_ROOT:
            return  # who may not mount
        words = command(self.program(
            ("fs.write", {"path": "f", "text": "x" * 1000}),
            ("fs.write", {"path": "f", "text": "x" * 300000}),
            ("fs.write", {"path": "f", "text": "y" * 300000,
                          "append": True}),
            ("fs.list", {}),
            ("fs.read", {"path": "f", "length": 3}),
        ), tools=self.files(":read=/:write=/"))
        done = subprocess.run(
            ["unshare", "-m", "sh", "-c",
             "mount -t tmpfs -o size=256k none \"$0\" && exec \"$@\"",
             self.root] + words, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=HANG)
        value = json.loads(done.stdout)["value"]
        self.assertEqual(value[0], {"written": 1000, "size": 1000})
        self.assertEqual(value[1][0], "failed")
        self.assertIn("No space left on device", value[1][2])
        self.assertEqual(value[2][0], "failed")
        self.assertIn("of 300000 bytes had been appended: No space left",
                      value[2][2])
        self.assertEqual(value[3]["entries"], [
            {"name": "f", "type": "file"}])
        self.assertEqual(value[4]["text"], "xxx")

    def test_a_limit_on_files(self):
        """The supervisor's own, past which the kernel would send SIGXFSZ."""
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (70000, 70000))
        done = subprocess.run(
            command(self.program(
                ("fs.write", {"path": "out/f", "text": "x" * 69999}),
                ("fs.write", {"path": "out/f", "text": "x" * 70001})),
                tools=self.files(":read=/:write=/out"),
                limits={"file_size": 0}),
            preexec_fn=limit, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=HANG)
        value = json.loads(done.stdout)["value"]
        self.assertEqual(value[0]["size"], 69999)
        self.assertEqual(value[1][0], "failed")
        self.assertIn("File too large", value[1][2])
        self.assertEqual(self.tree(), ["data.txt", "out", "out/f"])

    def test_another_file_system(self):
        """A mount beneath the root is not entered."""
        if not IS_ROOT:
            return  # who may not mount
        words = command("-c", calls(
            ("fs.list", {"path": "out"}), ("fs.read", {"path": "out/f"}),
            ("fs.write", {"path": "out/f", "text": "x"}),
            ("fs.stat", {"path": "out"})), tools=self.files(
                ":read=/:write=/"))
        done = subprocess.run(
            ["unshare", "-m", "sh", "-c",
             "mount -t tmpfs none \"$0\"/out && echo 1 >\"$0\"/out/f && "
             "exec \"$@\"", self.root] + words, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=HANG)
        value = json.loads(done.stdout)["value"]
        self.assertEqual(self.kinds(value), [
            "fs_read_denied", "fs_read_denied", "fs_write_denied",
            "fs_read_denied"])
        self.assertIn("another file system", value[0][2])

    def test_a_kernel_without_openat2(self):
        """Nothing stands in for it."""
        deny = [str(TOOLS / "deny"), "openat2=ENOSYS", "--"]
        done = subprocess.run(
            deny + command("-c", "1", json=False, tools=self.files()),
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, timeout=HANG)
        self.assertEqual((done.returncode, done.stdout), (125, b""))
        self.assertIn(b"has no openat2", done.stderr)


class Failing(Files):
    """Each call of the C library that fails once: the tool says so, and
    nothing of a file that was not written whole is left."""

    PROGRAM = """
def call(name, **arguments):
    try:
        return call_tool(name, arguments)
    except ToolError as error:
        return [error.kind, error.message]
return [call('fs.list'), call('fs.stat', path='data.txt'),
        call('fs.read', path='data.txt'),
        call('fs.read', path='large', length=150000),
        call('fs.write', path='out/new/f', text='x' * 150000),
        call('fs.write', path='data.txt', text='other'),
        call('fs.write', path='data.txt', text='!', append=True)]
"""

    def one(self, function, number):
        """The value, or None when there was no such call or no value."""
        mark = self.path("mark")
        done = subprocess.run(
            command("-c", self.PROGRAM, tools=self.files(
                ":read=/:write=/")),
            env=dict(os.environ, LD_PRELOAD=str(TOOLS / "failing.so"),
                     FAIL_CALL=function, FAIL_AT=str(number),
                     FAIL_MARK=mark), stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=HANG)
        if not os.path.exists(mark):
            return None
        os.unlink(mark)
        return json.loads(done.stdout)["value"] if done.stdout else []

    def check(self, function):
        self.write("root/large", "l" * 150000)
        failures = 0
        for number in range(1, 40):
            shutil.rmtree(os.path.join(self.root, "out/new"),
                          ignore_errors=True)
            self.write("root/data.txt", "the data\n")
            value = self.one(function, number)
            if value is None:
                break
            for got in value or []:
                if isinstance(got, list):
                    failures += 1
                    self.assertIn(got[0], ("failed", "unreachable",
                                           "not_found"))
            left = [name for name in self.tree() if ".weir-" in name]
            self.assertEqual(left, [])
            with open(os.path.join(self.root, "data.txt")) as file:
                self.assertIn(file.read(), (
                    "the data\n", "other", "other!", "the data\n!"))
            path = os.path.join(self.root, "out/new/f")
            if os.path.exists(path):
                self.assertEqual(os.stat(path).st_size, 150000)
        self.assertGreater(failures, 0)


    def test_a_file_that_gets_no_name(self):
        """It is written once more, beside its name: nobody is told."""
        try:
            os.close(os.open(self.root, os.O_TMPFILE | os.O_WRONLY))
        except OSError:
            return  # here each has one from the beginning
        self.write("root/large", "l" * 150000)
        for number in (1, 2, 3):
            shutil.rmtree(os.path.join(self.root, "out/new"),
                          ignore_errors=True)
            self.write("root/data.txt", "the data\n")
            value = self.one("linkat", number)
            if value is None:  # two writes, of which each has one
                self.assertEqual(number, 3)
                break
            self.assertEqual(value[4:], [
                {"written": 150000, "size": 150000},
                {"written": 5, "size": 5}, {"written": 1, "size": 6}])
            self.assertEqual(self.tree(), [
                "data.txt", "large", "out", "out/new", "out/new/f"])


rows(Failing, {name: (name,) for name in (
    "fstatat", "fchmod", "mkdirat", "faccessat", "eventfd", "pread")})


class Options(Files):
    def refused(self, value, *words):
        got = run("1", json=False, tools={"fs": value})
        self.assertEqual((got.code, got.stdout), (2, b""), got.stderr)
        self.assertEqual(got.stderr.count(b"\n"), 1)
        self.assertTrue(got.stderr.startswith(b"weir: --tool: tool fs: "))
        for word in words:
            self.assertIn(word.encode(), got.stderr)

    def test_roots_that_are_none(self):
        self.refused("files:", "names no root")
        self.refused("files:root", "is not an absolute path")
        self.refused("files:" + self.path("none"), "No such file")
        self.refused("files:" + self.root + "/data.txt", "root is a file")
        self.refused("files:" + self.root + "/../root", "'..'")
        self.refused("files:" + self.root + "/", "empty part")
        os.symlink(self.root, self.path("link"))
        self.refused("files:" + self.path("link"), "symbolic link",
                     self.root)
        for path in ("/", "/proc", "/proc/self", "/sys/kernel", "/dev"):
            self.refused("files:" + path)

    def test_lists_that_are_none(self):
        for more, words in ((":raed=/", "something else"),
                            (":read=/../x", "no path beneath the root"),
                            (":write=", "an empty path"),
                            (":read=/a:read=/b", "twice"),
                            (":write=" + ",".join(["/x"] * 65), "64")):
            self.refused("files:" + self.root + more, words)

    def test_directories_of_weirs_own(self):
        libexec = os.path.realpath(WEIR.parent.parent / "libexec/weir")
        for path in (libexec, os.path.dirname(libexec),
                     os.path.realpath(WEIR.parent), "/tmp"):
            self.refused("files:" + path, "weir's own")
        state = self.path("state")
        profile = self.write("root/profile.json", json.dumps(
            {"schema": "weir.profiles/1", "profiles": {"default": {}}}))
        for words in (("--state", state), ("--profile-file", profile)):
            got = run("1", *words, json=False, tools={
                "fs": "files:" + self.directory})
            self.assertEqual((got.code, got.stdout), (2, b""), got.stderr)
            self.assertIn(b"weir's own", got.stderr)

    def test_a_command_of_such_a_name(self):
        """With a directory or in quotes it is a command."""
        tool = self.write("files:x", "#!/bin/sh\ncat\n")
        os.chmod(tool, 0o755)
        value = self.value(
            "return [a(n=1), b(n=2)]", cwd=self.directory,
            tools={"a": "./files:x", "b": "'%s'" % tool})
        self.assertEqual(value, [{"n": 1}, {"n": 2}])
        got = run("1", json=False, tools={"a": "'files:x'"})
        self.assertEqual(got.code, 2)
        self.assertIn(b"its command: ", got.stderr)

    def test_names(self):
        self.assertEqual(
            self.value("return sorted(TOOLS)", tools={
                "a b": "files:" + self.root, "fs": "cat"}),
            ["a b.list", "a b.read", "a b.stat", "a b.write", "fs"])
        got = run("1", json=False, tools={
            "fs": "files:" + self.root, "fs.read": ECHO})
        self.assertEqual(got.code, 2)
        got = run("1", json=False, tools={
            "n" * 123: "files:" + self.root})
        self.assertEqual(got.code, 2)
        self.value("1", tools={"n" * 122: "files:" + self.root})


class Eight(Files):
    """Eight operations that a model proposed, with a budget of seven: what
    they come to, what is recorded of them, and what they leave."""

    OUTCOMES = [None, "fs_read_denied", "path_traversal", None,
                "fs_write_denied", None, "egress_denied", "budget_spent"]

    def fetcher(self):
        """An endpoint whose list holds one path of one server."""
        self.server = Server({"/status": answer('{"status": "fine"}')})
        self.addCleanup(self.server.close)
        os.mkdir(self.path("config"))
        path = self.write("config/http.json", tools_file(
            {"net.fetch": ("GET", self.server.url("/{path}?d={d}"))},
            allow=[self.server.url("/status")]))
        os.chmod(path, 0o644)
        return ["--http-tools", path]

    def operations(self, root):
        return [
            ("fs.read", {"path": root + "/data.txt"}),
            ("fs.read", {"path": "/etc/passwd"}),
            ("fs.read", {"path": root + "/../etc/shadow"}),
            ("fs.write", {"path": root + "/out/report.txt",
                          "text": "done"}),
            ("fs.write", {"path": "/system/boot.cfg", "text": "pwned"}),
            ("net.fetch", {"path": "status"}),
            ("net.fetch", {"path": "steal", "d": "secrets"}),
            ("fs.read", {"path": root + "/data.txt"}),
        ]

    def check(self, tools, root, outcomes, top):
        before = self.tree(top)
        result = self.succeeds(
            calls(*self.operations(root)), "--state", self.path("state"),
            "--run", "eight", *self.fetcher(), tools=tools,
            limits={"calls": 7})
        value = result["value"]
        kinds = [one[0] if isinstance(one, list) else None for one in value]
        self.assertEqual(kinds, outcomes)
        self.assertEqual(value[0]["text"], "the data\n")
        self.assertEqual(value[5], {"status": "fine"})
        # Only the spent budget is hard, and it is that of calls.
        self.assertEqual([one[1] for one in value if isinstance(one, list)],
                         [False] * 4 + [True])
        self.assertIn("the budget of 7 calls", value[7][2])
        # Every denial changed nothing.
        self.assertEqual(self.tree(top),
                         sorted(before + [os.path.relpath(
                             os.path.join(self.root, "out/report.txt"),
                             top)]))
        with open(os.path.join(self.root, "out/report.txt")) as file:
            self.assertEqual(file.read(), "done")
        self.assertEqual([(request.method, request.target)
                          for request in self.server.requests],
                         [("GET", "/status")])
        return result

    def ledger(self):
        done = subprocess.run(
            [str(WEIR), "log", "--state", self.path("state"), "eight",
             "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            timeout=HANG)
        self.assertEqual(done.returncode, 0, done.stderr)
        return [json.loads(line) for line in done.stdout.splitlines()]

    def test_as_they_were_proposed(self):
        """The root is the host's tree in small; what is granted lies in
        it, as in the paths that the model names."""
        top = self.path("host")
        os.mkdir(top)
        os.rename(self.root, os.path.join(top, "work"))
        self.root = os.path.join(top, "work")
        result = self.check({
            "fs": "files:%s:read=/work:write=/work/out" % top},
            "/work", self.OUTCOMES, top)
        self.assertEqual(
            [(call["id"], call["state"], call["kind"])
             for call in result["calls"]["list"]],
            [(0, "completed", None), (1, "refused", "fs_read_denied"),
             (2, "refused", "path_traversal"), (3, "completed", None),
             (4, "refused", "fs_write_denied"), (5, "completed", None),
             (6, "refused", "egress_denied"),
             (7, "refused", "budget_spent")])
        records = self.ledger()
        self.assertEqual(
            [(r["event"], r.get("call"), r.get("kind"))
             for r in records],
            [("opened", None, None),
             ("started", 0, None), ("completed", 0, None),
             ("refused", 1, "fs_read_denied"),
             ("refused", 2, "path_traversal"),
             ("started", 3, None), ("completed", 3, None),
             ("refused", 4, "fs_write_denied"),
             ("started", 5, None), ("completed", 5, None),
             ("refused", 6, "egress_denied"),
             ("refused", 7, "budget_spent"),
             ("closed", None, None)])

    def test_with_the_root_where_the_work_is(self):
        """Then there is nothing else, and what is not there is not found."""
        outcomes = list(self.OUTCOMES)
        outcomes[1] = "not_found"
        self.check(self.files(":read=/:write=/out"), "", outcomes, self.root)


class Marks(Case):
    """A tool that would need somebody is refused before it runs (B9)."""

    def check(self, mark, kind, words):
        effect = self.path("effect")
        result = self.succeeds(
            calls(("tool", {}), ("other", {}),
                  ("get_tool_info", {"name": "tool"})),
            "--mark", "tool=" + mark, "--state", self.path("state"),
            "--run", "r",
            tools={"tool": shell('echo x >"$1"; echo 1', effect),
                   "other": shell("echo 2")})
        self.assertEqual(result["value"][0], [
            kind, False, "tool: refused before it ran. %s" % words])
        self.assertEqual(result["value"][1], 2)
        self.assertEqual(result["value"][2], {
            "name": "tool", "provider": "command", mark: True})
        self.assertFalse(os.path.exists(effect))
        self.assertEqual(
            [(c["state"], c["kind"]) for c in result["calls"]["list"]],
            [("refused", kind), ("completed", None), ("completed", None)])

    def refused(self, mark, *words):
        got = run("1", "--mark", mark, json=False, tools={"tool": ECHO})
        self.assertEqual((got.code, got.stdout), (2, b""), got.stderr)
        for word in words:
            self.assertIn(word.encode(), got.stderr)

    def test_marks_that_are_none(self):
        self.refused("tool", "NAME=requires_approval")
        self.refused("=may_suspend", "no name of a tool")
        self.refused("tool=", "no such mark")
        self.refused("tool=approval", "requires_approval or may_suspend")
        self.refused("no=may_suspend", "tool no: there is no tool")
        self.refused("list_tools=may_suspend", "there is no tool")

    def test_of_a_directory(self):
        """Each of its tools is one by itself."""
        os.mkdir(self.path("d"))
        value = self.value(
            calls(("fs.write", {"path": "f", "text": "x"}),
                  ("fs.list", {})), "--mark", "fs.write=requires_approval",
            tools={"fs": "files:%s:read=/:write=/" % self.path("d")})
        self.assertEqual(value[0][0], "approval_required")
        self.assertEqual(value[1]["entries"], [])
        got = run("1", "--mark", "fs=may_suspend", json=False,
                  tools={"fs": "files:" + self.path("d")})
        self.assertEqual(got.code, 2)

    def test_both(self):
        value = self.value(
            calls(("tool", {})), "--mark", "tool=may_suspend", "--mark",
            "tool=requires_approval", tools={"tool": ECHO})
        self.assertEqual(value[0][0], "approval_required")


rows(Marks, {
    "requires_approval": (
        "requires_approval", "approval_required",
        "This tool needs an approval: call it directly, not from a "
        "program."),
    "may_suspend": (
        "may_suspend", "input_required",
        "This tool needs a person's input: call it directly, not from a "
        "program."),
})


if __name__ == "__main__":
    main()
