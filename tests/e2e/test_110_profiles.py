#!/usr/bin/env python3
"""Deployment profiles, tenant policies and requests: terms only get narrower,
what is clamped is said, what cannot be granted is refused as a result, and
what is wrong in a file is a usage error that names the place."""
import json
import os
import re
import subprocess

from weir_test import (ECHO, IS_ROOT, LAYERS, PLAIN_UID, PYTHON, ROOT, Case,
                       Outcome, main, rows, run)


def profiles(**by_name):
    return json.dumps({"schema": "weir.profiles/1", "profiles": by_name})


def policy(**members):
    return json.dumps(dict(schema="weir.policy/1", **members))


def request(**members):
    return json.dumps(dict(schema="weir.request/1", **members))


# What a program finds of three limits, which the kernel enforces.
SEEN = """import resource as r
[r.getrlimit(x)[0] for x in (r.RLIMIT_CPU, r.RLIMIT_NOFILE, r.RLIMIT_FSIZE)]"""


class Texts(Case):
    def setUp(self):
        super().setUp()
        os.chmod(self.directory, 0o755)

    def options(self, profile_text=None, policy_text=None, request_text=None,
                profile=None):
        words = []
        for name, text in (("profile", profile_text), ("policy", policy_text),
                           ("request", request_text)):
            if text is not None:
                path = self.write(name + ".json", text)
                os.chmod(path, 0o644)
                words += ["--%s-file" % name, path]
        return words + (["--profile", profile] if profile else [])

    def under(self, program, *texts, profile=None, **more):
        return run(program, *self.options(*texts, profile=profile), **more)

    def refuses(self, *texts, says, **more):
        """A usage error: one line, nothing on standard output, status 2."""
        got = self.under("print('ran')", *texts, **more)
        self.assertEqual((got.code, got.stdout), (2, b""), got.stderr)
        line = got.stderr.decode()
        self.assertEqual(line.count("\n"), 1)
        self.assertIn(says.replace("DIR", self.directory), line)


class Narrowing(Texts):
    def seen(self, *texts, **more):
        got = self.under(SEEN, *texts, **more).result
        self.assertIsNone(got["error"], got["error"])
        return got["value"], [w for w in got["warnings"] if "clamped" in w]

    def test_without_files_the_defaults(self):
        self.assertEqual(self.seen(), ([30, 256, 16 << 20], []))

    def test_a_profile_may_set_up_to_the_ceiling(self):
        self.assertEqual(
            self.seen(profiles(default={"limits": {
                "cpu": "2m", "open_files": 300}})),
            ([120, 300, 16 << 20], []))

    def test_the_profile_is_the_named_one(self):
        text = profiles(default={"limits": {"cpu": 7}},
                        batch={"limits": {"cpu": 77}})
        self.assertEqual(self.seen(text)[0][0], 7)
        self.assertEqual(self.seen(text, profile="batch")[0][0], 77)
        self.assertEqual(
            self.seen(text, None, request(profile="batch"))[0][0], 77)
        self.assertEqual(self.seen(text, None, request(profile="batch"),
                                   profile="batch")[0][0], 77)

    def test_the_command_line_speaks_for_the_deployment(self):
        text = profiles(default={"limits": {"cpu": 7, "open_files": 100}})
        self.assertEqual(self.seen(text, limits={"cpu": 70}),
                         ([70, 100, 16 << 20], []))
        # and is narrowed like a profile
        value, warnings = self.seen(text, policy(limits={"cpu": "50s"}),
                                    limits={"cpu": 70})
        self.assertEqual(value[0], 50)
        self.assertEqual(warnings, [
            "limit cpu: clamped from 70s (deployment) to 50s (tenant "
            "policy)"])

    def test_every_stage_narrows(self):
        value, warnings = self.seen(
            profiles(default={"limits": {"cpu": 60, "open_files": 100}}),
            policy(limits={"cpu": 40, "open_files": 200, "file_size": "1M"}),
            request(limits={"cpu": 50, "open_files": 90,
                            "file_size": "8M"}))
        self.assertEqual(value, [40, 90, 1 << 20])
        self.assertEqual(warnings, [
            "limit cpu: clamped from 50s (request) to 40s (tenant policy)",
            "limit file_size: clamped from 8M (request) to 1M (tenant "
            "policy)"])

    def test_a_request_cannot_widen(self):
        value, warnings = self.seen(None, None, request(limits={
            "cpu": "48h", "open_files": 1000, "file_size": "32M"}))
        self.assertEqual(value, [30, 256, 16 << 20])
        self.assertEqual(warnings, [
            "limit cpu: clamped from 48h (request) to 30s (deployment)",
            "limit file_size: clamped from 32M (request) to 16M "
            "(deployment)",
            "limit open_files: clamped from 1000 (request) to 256 "
            "(deployment)"])

    def test_all_limits_clamped_at_once_are_all_said(self):
        with open(ROOT / "supervisor/limits_table.c") as file:
            found = re.findall(r'(TIME|SIZE|NUMBER)\(\s*"(\w+)"', file.read())
        # It has none before one is asked for.
        found.remove(("SIZE", "memory"))
        names = [name for _, name in found]
        self.assertGreater(len(names), 15)
        wishes = {name: "1023G" if unit == "SIZE" else "999999999"
                  for unit, name in found}
        got = self.under("1", None, None, request(limits=wishes)).result
        self.assertIsNone(got["error"])
        for name in names:
            found = [w for w in got["warnings"]
                     if w.startswith("limit %s: clamped from " % name)]
            self.assertEqual(len(found), 1, (name, got["warnings"]))

    def test_budgets_of_calls(self):
        got = self.under(
            "import json\nout = []\n"
            "for n in range(4):\n"
            "    try: out.append(echo(n=n)['n'])\n"
            "    except ToolError as e: out.append(e.kind)\n"
            "out", None, policy(limits={"calls": 2}), tools={"echo": ECHO})
        self.assertEqual(got.result["value"],
                         [0, 1, "budget_spent", "budget_spent"])


class Tools(Texts):
    PROGRAM = ("out = [TOOLS]\n"
               "for name in ('a', 'b', 'none'):\n"
               "    try: out.append(call_tool(name, {'n': 1})['n'])\n"
               "    except ToolError as e: out.append([e.kind, e.hard])\n"
               "out")

    def check(self, allowed, value):
        members = {} if allowed is None else {"tools": allowed}
        got = self.under(self.PROGRAM, None, policy(**members),
                         tools={"a": ECHO, "b": ECHO}).result
        self.assertIsNone(got["error"], got["error"])
        self.assertEqual(got["value"], value)
        self.assertEqual(got["calls"]["total"], 3)

    def test_a_hidden_tool_has_no_alias(self):
        got = self.under("a(n=1), 'b' in globals()", None, policy(tools=["a"]),
                         tools={"a": ECHO, "b": ECHO})
        self.assertEqual(got.result["value"], [{"n": 1}, False])


NO = ["not_offered", False]
rows(Tools, {
    "all": (None, [["a", "b"], 1, 1, NO]),
    "one": (["b", "elsewhere"], [["b"], NO, 1, NO]),
    "both": (["b", "a"], [["a", "b"], 1, 1, NO]),
    "none": ([], [[], NO, NO, NO]),
})


class Refused(Texts):
    """Wishes that are not granted: a result, and nothing has run."""

    def check(self, kind, says, *texts, **more):
        mark = self.meeting()
        got = self.under("print('ran')\nmark()", *texts,
                         tools={"mark": mark.announcer()}, **more)
        self.assertEqual((got.code, got.kind), (125, kind), got.stderr)
        result = got.result
        self.assertEqual(result["error"]["message"], says)
        self.assertEqual(
            (result["value"], result["stdout"], result["calls"]["total"]),
            (None, "", 0))
        self.assertEqual(result["isolation"]["level"], "none")
        self.assertEqual(mark.pending(), 0)
        plain = self.under("print('ran')", *texts, json=False, **more)
        self.assertEqual((plain.code, plain.stdout), (125, b""))
        self.assertEqual(plain.stderr.decode(),
                         "weir: %s: %s\n" % (kind, says))


rows(Refused, {
    "network": ("network_not_allowed",
                "the request asks for the network, and the deployment does "
                "not grant it", None, None, request(network=True)),
    "network_that_the_policy_denies": (
        "network_not_allowed",
        "the request asks for the network, and the tenant policy does not "
        "grant it", None, policy(network=False), request(network=True)),
    "network_and_level": (
        "network_not_allowed",
        "the request asks for the network, and the deployment does not "
        "grant it", None, None, request(network=True, level="isolated")),
})


class Levels(Texts):
    PROCESS = ("--level", "process", "--backend", "process")

    def level(self, *texts, options=()):
        got = run("print('ran')", *self.options(*texts), *options)
        return got.kind, got.result["isolation"]["level"], \
            got.result["error"] and got.result["error"]["message"]

    def test_a_profile_may_do_with_less(self):
        text = profiles(default={"level": "process"})
        kind, level, _ = self.level(text, options=("--backend", "process"))
        self.assertEqual((kind, level), (None, "process"))
        # and still has the most that the host can give
        self.assertEqual(self.level(text)[:2], (None, "isolated"))

    def test_a_policy_or_a_request_may_insist_on_more(self):
        says = "the %s asks for level isolated, and process is the most " \
            "that can be had"
        self.assertEqual(
            self.level(None, policy(level="isolated"), options=self.PROCESS),
            ("policy_refused", "none", says % "tenant policy"))
        self.assertEqual(
            self.level(None, None, request(level="isolated"),
                       options=self.PROCESS),
            ("policy_refused", "none", says % "request"))
        self.assertEqual(
            self.level(None, policy(level="process"),
                       request(level="process"), options=self.PROCESS)[:2],
            (None, "process"))

    def test_the_deployment_must_agree_with_itself(self):
        got = run("1", *self.options(profiles(default={"level": "isolated"})),
                  "--backend", "process")
        self.assertEqual(got.code, 2)
        self.assertIn(b"backend process reaches level process at most",
                      got.stderr)

    def test_nothing_less_than_an_option_does_without(self):
        self.assertEqual(
            self.level(None, policy(level="process"),
                       options=("--unconfined",))[:2],
            ("policy_refused", "none"))
        self.assertEqual(
            self.level(profiles(default={"level": "isolated"}),
                       options=("--unconfined",))[:2], (None, "none"))


class OtherProfile(Texts):
    def test_a_profile_that_the_deployment_does_not_give(self):
        text = profiles(a={}, b={})
        got = self.under("1", text, None, request(profile="b"), profile="a")
        self.assertEqual((got.code, got.kind), (125, "policy_refused"))
        self.assertEqual(
            got.result["error"]["message"],
            'the request asks for profile "b", and the deployment gives '
            'profile "a"')

    def test_less_than_what_is_there_is_fine(self):
        got = self.under("1", None, policy(level="process"),
                         request(network=False, level="isolated"))
        self.assertIsNone(got.kind)
        self.assertEqual(got.result["isolation"]["level"], "isolated")


class Wrong(Texts):
    """Errors that name file, line, column and member."""

    def check(self, says, *texts, **more):
        self.refuses(*texts, says=says, **more)


rows(Wrong, {
    "profile_unknown": (
        'weir: DIR/profile.json:1:43: profiles: no profile "c" in it; the '
        'profiles are a b', profiles(a={}, b={}), None,
        request(profile="c")),
    "profile_default_missing": (
        'no profile "default" in it; the profiles are a', profiles(a={})),
    "profile_unknown_though_another_is_given": (
        'no profile "c" in it', profiles(default={}), None,
        request(profile="c")),
    "no_profiles_at_all": (
        'profile "c": no profiles are configured', None, None,
        request(profile="c")),
    "unknown_member": (
        "weir: DIR/policy.json:3:3: limit: no such member here", None,
        '{\n  "schema": "weir.policy/1",\n  "limit": {}\n}'),
    "duplicate_member": (
        "weir: DIR/request.json:2:13: limits.cpu: an object names one member "
        "twice", None, None,
        '{"schema": "weir.request/1", "limits": {\n  "cpu": 1, "cpu": 2}}'),
    "not_json": ("weir: DIR/policy.json:1:1: ", None, "x"),
    "empty": ("weir: DIR/policy.json:1:1: ", None, ""),
    "not_utf8": ("limits: the bytes are not UTF-8", None,
                 b'{"schema":"weir.policy/1","limits":"\xff"}'),
    "byte_order_mark": ("weir: DIR/policy.json:1:1: ", None,
                        b'\xef\xbb\xbf{"schema":"weir.policy/1"}'),
    "another_format": (
        'schema: is another format; a file that is used so has '
        '"weir.policy/1"', None, request()),
    "widening": ("network: a policy only narrows and grants no network",
                 None, policy(network=True)),
    "over_the_ceiling": (
        "limits.cpu: over the ceiling; use a value from 1ms to 24h", None,
        policy(limits={"cpu": "25h"})),
    "impossible": (
        'profiles.default.network: with the network the level is "process" '
        'at most', profiles(default={"network": True})),
    "said_twice": (
        "profiles.default.limits.processes: is said as a member and among",
        profiles(default={"processes": 2, "limits": {"processes": 2}})),
    "a_path_that_is_not_there": (
        "read: /nowhere/at/all cannot be granted: No such file",
        profiles(default={"read": ["/nowhere/at/all"]})),
    "a_variable_of_the_loader": (
        "profiles.x.env.LD_PRELOAD: is read by the loader",
        profiles(x={"env": {"LD_PRELOAD": "/x.so"}}, default={})),
    "a_path_in_a_request": (
        "python: no such member here", None, None,
        request(python="/usr/bin/python3")),
    "too_long": ("policy.json: longer than 1048576 bytes", None,
                 policy() + " " * (1 << 20)),
})


class Python(Texts):
    def test_of_the_profile(self):
        got = self.under("1", profiles(default={"python": "/nowhere/python3"}),
                         python=None)
        self.assertEqual((got.code, got.stdout), (127, b""))
        self.assertIn(b"/nowhere/python3", got.stderr)
        got = self.under(
            "1", profiles(default={"python": os.path.realpath(PYTHON)}),
            python=None)
        self.assertIsNone(got.kind)

    def test_of_the_command_line_comes_first(self):
        got = self.under("1", profiles(default={"python": "/nowhere/python3"}))
        self.assertIsNone(got.kind)


class Required(Texts):
    TEXT = profiles(default={"require": ["landlock"]}, free={})

    def test_landlock_is_there(self):
        got = self.under("1", self.TEXT)
        if got.kind == "isolation_unavailable" and "errno" in \
                got.result["error"]["message"]:
            self.skipTest("no Landlock on this host")
        self.assertIsNone(got.kind, got.result["error"])
        self.assertIn("Landlock ABI", got.result["isolation"]["guarantees"][
            "filesystem"]["evidence"])

    def test_landlock_is_not_there(self):
        if not os.access(LAYERS, os.X_OK):
            self.skipTest("no test build")
        got = self.under("print('ran')", self.TEXT,
                         profile="free", weir=LAYERS)
        self.assertIsNone(got.kind)
        words = ["--test-skip", "landlock"]
        got = run("print('ran')", *self.options(self.TEXT), *words,
                  weir=LAYERS)
        self.assertEqual((got.code, got.kind),
                         (125, "isolation_unavailable"))
        self.assertIn("the profile requires Landlock",
                      got.result["error"]["message"])
        self.assertEqual(got.result["stdout"], "")
        got = run("1", *self.options(self.TEXT, profile="free"), *words,
                  weir=LAYERS)
        self.assertIsNone(got.kind, got.result["error"])


class Files(Texts):
    """Whose file it is, and who may write to it and to what leads there."""

    def setUp(self):
        super().setUp()
        os.mkdir(self.path("d"), 0o755)
        self.file = self.write("d/policy.json", policy(limits={"cpu": 5}))
        os.chmod(self.file, 0o644)

    def reads(self, path, cwd="/"):
        got = run("import resource as r\nr.getrlimit(r.RLIMIT_CPU)[0]",
                  "--policy-file", path, cwd=cwd)
        self.assertEqual(got.code, 0, got.stderr)
        self.assertEqual(got.result["value"], 5)

    def refuses_file(self, path, says, cwd="/"):
        got = run("print('ran')", "--policy-file", path, cwd=cwd)
        self.assertEqual((got.code, got.stdout), (2, b""), got.stderr)
        self.assertIn(says.encode(), got.stderr)
        self.assertIn(os.fsencode(path)[-100:] + b": ", got.stderr)
        self.assertEqual(got.stderr.count(b"\n"), 1)

    def test_modes_of_the_file(self):
        for mode in (0o400, 0o444, 0o600, 0o644, 0o755, 0o640):
            os.chmod(self.file, mode)
            self.reads(self.file)
        for mode in (0o620, 0o664, 0o602, 0o646, 0o666, 0o777):
            os.chmod(self.file, mode)
            self.refuses_file(
                self.file, "can be written by others (mode %04o); take that "
                "away with chmod go-w" % mode)

    def test_modes_of_directories(self):
        for mode in (0o700, 0o755, 0o1777, 0o1775):
            os.chmod(self.path("d"), mode)
            self.reads(self.file)
        for mode in (0o775, 0o757, 0o777):
            os.chmod(self.path("d"), mode)
            self.refuses_file(
                self.file, "the directory 'd' can be written by others "
                "(mode %04o)" % mode)
        os.chmod(self.path("d"), 0o755)
        os.chmod(self.directory, 0o777)
        self.refuses_file(self.file, "can be written by others")
        # the same from inside, by a name without that directory
        self.refuses_file("policy.json", "can be written by others",
                          cwd=self.path("d"))
        os.chmod(self.directory, 0o755)
        self.reads("policy.json", cwd=self.path("d"))
        self.reads("../d//./policy.json", cwd=self.path("d"))

    def test_links(self):
        os.symlink("d/policy.json", self.path("relative"))
        os.symlink(self.file, self.path("absolute"))
        os.symlink(self.path("d"), self.path("directory"))
        os.symlink("loop", self.path("loop"))
        os.symlink("nowhere", self.path("dangling"))
        for name in ("relative", "absolute", "directory/policy.json"):
            self.reads(self.path(name))
        self.refuses_file(self.path("loop"), "Too many levels")
        self.refuses_file(self.path("dangling"), "No such file")
        # what a link leads through counts as well
        os.chmod(self.path("d"), 0o777)
        for name in ("relative", "absolute", "directory/policy.json"):
            self.refuses_file(self.path(name), "can be written by others")

    def test_what_is_no_file(self):
        os.mkfifo(self.path("fifo"))
        self.refuses_file(self.path("fifo"), "not a regular file")
        self.refuses_file(self.directory, "not a regular file")
        self.refuses_file("/dev/null", "not a regular file")
        self.refuses_file("/", "names no file")
        self.refuses_file(self.path("none"), "No such file")
        self.refuses_file(self.file + "/x", "Not a directory")
        self.refuses_file(self.path("x" * 300), "File name too long")
        self.refuses_file("/" + "x/" * 3000, "File name too long")

    def test_every_option_checks(self):
        os.chmod(self.file, 0o666)
        for option in ("--profile-file", "--request-file", "--policy-file"):
            got = run("1", option, self.file)
            self.assertEqual(got.code, 2)
            self.assertIn(b"can be written by others", got.stderr)

    def test_owners(self):
        if not IS_ROOT:
            return  # only root can make it so
        def as_user(path):
            words = ["setpriv", "--reuid=%d" % PLAIN_UID,
                     "--regid=%d" % PLAIN_UID, "--clear-groups",
                     str(os.environ.get("WEIR") or ROOT / "build/bin/weir"),
                     "run", "--json", "--python", PYTHON, "--policy-file",
                     path, "-c", "1"]
            done = subprocess.run(words, cwd="/", stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, check=False)
            return Outcome(done.returncode, done.stdout, done.stderr)

        # root's is good for everybody
        self.assertEqual(as_user(self.file).code, 0)
        # somebody's own is good for them, and not for root
        os.chown(self.file, PLAIN_UID, PLAIN_UID)
        self.assertEqual(as_user(self.file).code, 0)
        self.refuses_file(self.file, "belongs to user %d" % PLAIN_UID)
        os.chown(self.file, 1234, 1234)
        self.assertIn(b"belongs to user 1234", as_user(self.file).stderr)
        self.refuses_file(self.file, "belongs to user 1234")
        os.chown(self.file, 0, 0)
        # and so with directories and links
        os.chown(self.path("d"), 1234, 1234)
        self.refuses_file(self.file, "the directory 'd' belongs to user 1234")
        os.chown(self.path("d"), 0, 0)
        os.symlink(self.file, self.path("link"))
        self.reads(self.path("link"))
        os.lchown(self.path("link"), 1234, 1234)
        self.refuses_file(self.path("link"),
                          "the link 'link' belongs to user 1234")


class Manual(Texts):
    """The examples of README.md and of the manual are good texts."""

    def test_examples(self):
        with open(ROOT / "README.md", encoding="utf-8") as file:
            text = file.read()
        begin = text.index("## Profiles")
        blocks = text[begin:].split("```")[1:6:2]
        profile_text, policy_text = (b.split("\n", 1)[1] for b in blocks[:2])
        words = self.options(profile_text, policy_text)
        got = run("import resource as r\n"
                  "print(r.getrlimit(r.RLIMIT_CPU)[0])\nTOOLS",
                  *words, "--profile", "batch",
                  tools={"search": ECHO, "delete": ECHO})
        self.assertIsNone(got.kind, got.result)
        self.assertEqual(got.result["stdout"], "120\n")
        self.assertEqual(got.result["value"], ["search"])
        # The session below them is what comes out.
        for warning in got.result["warnings"]:
            self.assertIn(warning, blocks[2])


if __name__ == "__main__":
    main()
