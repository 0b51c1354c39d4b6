#!/usr/bin/env python3
"""HTTP endpoints as tools: against nginx, and against a server that does
whatever a hostile one could."""
import contextlib
import json
import os
import signal
import socket
import subprocess
import threading
import unittest

from weir_test import (HANG, IS_ROOT, LEVEL, TOOLS, WEIR, Case, become_subreaper,
                       end_survivors, leftovers, main, mounts, run, shell,
                       survivors)
from web import (NGINX, OPENSSL, Nginx, Server, answer, cut, endless, held,
                 slowly, tools_file, until_closed)

CANARY = "canary-7f3a91c2"
# What a call came to, with what a program sees of it.
CALL = """
try:
    return call_tool(%r, %r)
except ToolError as error:
    return [error.kind, error.message]
"""


class Http(Case):
    def serve(self, answers=None, **more):
        server = Server(answers, **more)
        self.addCleanup(server.close)
        return server

    def file(self, tools, **more):
        path = self.write("http.json", tools_file(tools, **more))
        os.chmod(path, 0o644)
        return ["--http-tools", path]

    def call(self, tool, arguments=None, *options, name="tool", file=None,
             **more):
        """What one call of one tool gives."""
        return self.value(CALL % (name, arguments or {}),
                          *self.file({name: tool}, **(file or {})), *options,
                          **more)

    def states(self, program, tools, *options, env=None, **more):
        """The program's value, and what the ledger has of its calls."""
        state = self.path("state")
        value = self.value(program, *self.file(tools, **more), "--state",
                           state, "--run", "r", *options, env=env)
        return value, self.ledger(state)

    def ledger(self, state):
        done = subprocess.run(
            [str(WEIR), "log", "--state", state, "r", "--json"], check=True,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=HANG)
        records = [json.loads(line) for line in done.stdout.splitlines()]
        return [r["event"] for r in records
                if r["event"] not in ("opened", "started", "closed")]


@unittest.skipUnless(NGINX and OPENSSL,
                     "no nginx or no openssl: install nginx-light, openssl")
class Real(Http):
    """Against a server that others have written."""

    FILES = {
        "a.json": b' {"a": [1, 2.50, "\\u00e9"], "big": ' + b"9" * 60 + b"} ",
        "text.txt": "plain \"text\"\n\u00e9\x00\x1f".encode(),
        "latin.txt": b"\xe9",
        "empty.json": b"",
        "broken.json": b'{"a": ',
        "large.json": json.dumps(["x" * 100] * 30000).encode(),
        "picture.png": b"\x89PNG",
    }

    def setUp(self):
        super().setUp()
        self.nginx = Nginx(self.directory, self.FILES)
        self.addCleanup(self.nginx.close)

    def get(self, path, *options, **more):
        return self.call(("GET", self.nginx.url(path)), {}, *options, **more)

    def test_json_is_the_value(self):
        value = self.get("/a.json")
        self.assertEqual(value, {"a": [1, 2.5, "é"], "big": int("9" * 60)})

    def test_text_is_a_string_with_every_byte(self):
        self.assertEqual(self.get("/text.txt"),
                         self.FILES["text.txt"].decode())

    def test_what_is_no_value(self):
        for path, words in (("/latin.txt", "not UTF-8"),
                            ("/broken.json", "not acceptable JSON"),
                            ("/picture.png", "type image/png"),
                            ("/none", "HTTP status 404; body: <html>"),
                            ("/moved", "HTTP status 302; redirects")):
            with self.subTest(path):
                kind, message = self.get(path)
                self.assertEqual(kind, "failed")
                self.assertIn(words, message)

    def test_nothing_is_null(self):
        self.assertIsNone(self.get("/empty.json"))

    def test_methods_and_bodies(self):
        tools = {m.lower(): (m, self.nginx.url("/echo/{id}?q={q}"))
                 for m in ("GET", "POST", "PUT", "PATCH", "DELETE")}
        got = self.value("""
return [get(id="a b/c", q="&x=1"), post(id=1, text="\\u00e9"), put(id=1),
        patch(id=True, n=None), delete(id="x")]
""", *self.file(tools))
        self.assertEqual(
            [[g["method"], g["uri"], g["type"], g["length"]] for g in got],
            [["GET", "/echo/a%20b%2Fc?q=%26x%3D1", "", ""],
             ["POST", "/echo/1", "application/json", "13"],
             ["PUT", "/echo/1", "application/json", "2"],
             ["PATCH", "/echo/true", "application/json", "10"],
             ["DELETE", "/echo/x", "", ""]])

    def test_a_result_that_is_too_large_is_kept(self):
        got = self.value("""
h = tool()
return [h.size, h.search("x{100}", limit=1)[0]["offset"]]
""", *self.file({"tool": ("GET", self.nginx.url("/large.json"))}), "--limit",
                         "result_bytes=64K")
        self.assertEqual(got, [len(self.FILES["large.json"]), 2])

    def test_a_result_that_is_too_large_for_all(self):
        for limits, kind in (
                ({"result_bytes": "64K", "kept_bytes": "0"},
                 "result_too_large"),
                ({"result_bytes": "64K", "kept_bytes": "128K"},
                 "binding_result_not_paged")):
            with self.subTest(kind):
                self.assertEqual(
                    self.get("/large.json", limits=limits)[0], kind)

    def test_many_at_a_time(self):
        got = self.value("""
import asyncio
all = await asyncio.gather(*(tool(id=i) for i in range(200)))
return [one["uri"] for one in all]
""", *self.file({"tool": ("POST", self.nginx.url("/echo/{id}"))}))
        self.assertEqual(got, ["/echo/%d" % i for i in range(200)])

    def test_tls(self):
        tool = ("GET", self.nginx.tls_url("/a.json"))
        self.assertEqual(
            self.call(tool, file={"ca_file": self.nginx.ca})["a"][0], 1)

    def test_who_does_not_listen_ends_nobody(self):
        """A body that is not read, in the clear and under TLS: the write
        fails, and that is no signal to the process."""
        tools = {name: ("POST", url("/echo/a")) for name, url in (
            ("plain", self.nginx.url), ("tls", self.nginx.tls_url))}
        got = self.value("""
said = []
for tool in (plain, tls) * 3:
    try:
        said.append(tool(text="x" * 5000000)["uri"])
    except ToolError as error:
        said.append(error.kind)
return said
""", *self.file(tools, ca_file=self.nginx.ca), "--limit",
                         "argument_bytes=6M", "--limit", "total_bytes=1G")
        self.assertEqual(len(got), 6)
        self.assertLessEqual(set(got), {"/echo/a", "failed"})

    def test_tls_of_somebody_else(self):
        """Nothing is asked of a server that cannot say who it is."""
        for name, tool, more in (
                ("another CA", self.nginx.tls_url("/echo/a"), {}),
                ("another name", self.nginx.tls_url("/echo/b", "127.0.0.1"),
                 {"ca_file": self.nginx.ca}),
                ("no TLS", "https://localhost:%d/echo/c" % self.nginx.port,
                 {"ca_file": self.nginx.ca})):
            with self.subTest(name):
                kind, message = self.call(("GET", tool), file=more)
                self.assertEqual(kind, "unreachable", message)
        self.assertNotIn("/echo", self.nginx.seen())

    def test_a_secret_goes_there_and_nowhere_else(self):
        env = dict(os.environ, API_KEY=CANARY)
        header = {"X-Key": "${API_KEY}"}
        tools = {path: {"method": "GET", "url": self.nginx.url("/" + path),
                        "headers": header} for path in ("echo", "auth")}
        state = self.path("state")
        got = run("""
said = []
for name in ("echo", "auth"):
    try:
        said.append(call_tool(name, {}))
    except ToolError as error:
        said.append(error.message)
        print(error)
return said
""", *self.file(tools), "--state", state, "--run", "r", env=env)
        self.assertIn("its response holds a secret", got.result["value"][0])
        self.assertIn("HTTP status 401; its body holds a secret",
                      got.result["value"][1])
        everything = got.stdout + got.stderr
        for place, _, names in os.walk(state):
            for name in names:
                with open(os.path.join(place, name), "rb") as file:
                    everything += file.read()
        self.assertNotIn(CANARY.encode(), everything)
        self.assertEqual(self.ledger(state), ["failed", "failed"])
        # It was there.
        self.assertEqual(self.nginx.seen().count("GET /"), 2)


OK = b"HTTP/1.1 200 OK\r\n"
JSON = OK + b"Content-Type: application/json\r\n"

# path: (what is answered, kind, words, event). Event: of the ledger.
HOSTILE = {
    "closes at once": (cut(b""), "failed", "without a response", "unknown"),
    "closes in the status": (cut(b"HTTP/1.1 2"), "failed", "", "unknown"),
    "closes in a header": (cut(OK + b"X: "), "failed", "", "unknown"),
    "closes in the body": (cut(JSON + b"Content-Length: 9\r\n\r\n[1"),
                           "failed", "before the response did", "unknown"),
    "closes in a chunk": (cut(
        JSON + b"Transfer-Encoding: chunked\r\n\r\n5\r\n[1"), "failed", "",
        "unknown"),
    "closes before the last chunk": (cut(
        JSON + b"Transfer-Encoding: chunked\r\n\r\n1\r\n1\r\n"), "failed", "",
        "unknown"),
    "HTTP/0.9": (cut(b"[1]"), "failed", "not HTTP/1", "unknown"),
    "another protocol": (cut(b"SSH-2.0-x\r\n\r\n"), "failed", "not HTTP/1",
                         "unknown"),
    "no number of a status": (cut(b"HTTP/1.1 xyz\r\n\r\n"), "failed", "",
                              "unknown"),
    "chunks that are none": (cut(
        JSON + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n[1]\r\n0\r\n\r\n"),
        "failed", "", "unknown"),
    "a chunk beyond numbers": (cut(
        JSON + b"Transfer-Encoding: chunked\r\n\r\n" + b"f" * 40 +
        b"\r\n[1]\r\n"), "failed", "", "unknown"),
    "two lengths": (cut(
        JSON + b"Content-Length: 3\r\nContent-Length: 4\r\n\r\n[1]"),
        "failed", "", "unknown"),
    "a negative length": (cut(JSON + b"Content-Length: -1\r\n\r\n[1]"),
                          "failed", "", "unknown"),
    "a coding": (cut(JSON + b"Content-Encoding: gzip\r\n\r\n\x1f\x8b"),
                 "failed", "is compressed", "unknown"),
    "a transfer coding": (cut(
        JSON + b"Transfer-Encoding: gzip, chunked\r\n\r\n"), "failed",
        "transfer coding", "unknown"),
    "a flood of headers": (endless(OK, b"X: y\r\n" * 100), "failed",
                           "headers are over", "unknown"),
    "a header without end": (endless(OK + b"X: ", b"y" * 4096), "failed", "",
                             "unknown"),
    "1xx for ever": (endless(b"", b"HTTP/1.1 100 C\r\n\r\n" * 100), "failed",
                     "headers are over", "unknown"),
    "a body without end": (endless(JSON + b"\r\n", b"[" * 4096),
                           "result_too_large", "result_bytes", "unknown"),
    "chunks without end": (endless(
        JSON + b"Transfer-Encoding: chunked\r\n\r\n",
        b"1000\r\n" + b"[" * 4096 + b"\r\n"), "result_too_large",
        "result_bytes", "unknown"),
    "trailers without end": (endless(
        JSON + b"Transfer-Encoding: chunked\r\n\r\n1\r\n1\r\n0\r\n",
        b"X: y\r\n" * 100), "failed", "headers are over", "unknown"),
    "an error without end": (endless(
        b"HTTP/1.1 500 E\r\n\r\n", b"x" * 4096), "failed", "while an error",
        "unknown"),
    "an error that speaks to terminals": (
        answer("\033[2J\u009b\n", "500 \033[2J"), "failed",
        "HTTP status 500; body: \\x1b[2J\\xc2\\x9b", "failed"),
    "another type": (answer("x", kind="image/\033png"), "failed",
                     "type image/\\x1bpng", "failed"),
    "no JSON": (answer("[1,]"), "failed", "not acceptable JSON", "failed"),
    "two values": (answer("1 2"), "failed", "not acceptable JSON", "failed"),
    "a name twice": (answer('{"a":1,"a":2}'), "failed", "duplicate_member",
                     "failed"),
    "too deep": (answer("[" * 300 + "]" * 300), "failed", "too_deep",
                 "failed"),
}
# What is answered, and the value.
HONEST = {
    "without a length": (cut(JSON + b"\r\n[1]"), [1]),
    "without a type": (cut(OK + b"\r\n[1]"), [1]),
    "in chunks": (answer(b"").split(b"Content-Length")[0] +
                  b"Transfer-Encoding: chunked\r\n\r\n1;x=y\r\n[\r\n2\r\n1]"
                  b"\r\n0\r\nContent-Type: image/png\r\n\r\n", [1]),
    "byte by byte": (slowly(answer('{"a":"\u00e9"}')), {"a": "é"}),
    "after 1xx": (b"HTTP/1.1 102 P\r\n\r\n" * 9 + answer("[1]"), [1]),
    "more than its length": (cut(answer("[1]") + b"GARBAGE"), [1]),
    "nothing": (b"HTTP/1.1 204 N\r\n\r\n", None),
    "text": (answer("<\u2028\u0000>", kind="text/html; charset=utf-8"),
             "<\u2028\u0000>"),
    "a cookie": (answer("1", more="Set-Cookie: a=b\r\n"), 1),
    "of HTTP/1.0": (cut(b"HTTP/1.0 200 OK\r\n\r\n[1]"), [1]),
}


class Hostile(Http):
    def test_each_ends_in_its_kind(self):
        paths = {name: "/%d" % i for i, name in enumerate(HOSTILE)}
        server = self.serve(
            {paths[name]: row[0] for name, row in HOSTILE.items()})
        tools = {name: ("GET", server.url(path))
                 for name, path in paths.items()}
        said, events = self.states("""
said = {}
for name in TOOLS:
    try:
        said[name] = [call_tool(name, {}), ""]
    except ToolError as error:
        said[name] = [error.kind, error.message]
return said
""", tools, "--limit", "result_bytes=64K", "--limit", "kept_bytes=0")
        for (name, row), event in zip(HOSTILE.items(), events):
            with self.subTest(name):
                _, kind, words, want = row
                self.assertEqual(said[name][0], kind, said[name])
                self.assertIn(words, said[name][1])
                self.assertNotRegex(said[name][1], "[\x00-\x1f\x7f-\x9f]")
                self.assertLess(len(said[name][1]), 2500)
                self.assertEqual(event, want)
        self.assertEqual(len(events), len(HOSTILE))

    def test_each_is_understood(self):
        paths = {name: "/%d" % i for i, name in enumerate(HONEST)}
        server = self.serve(
            {paths[name]: row[0] for name, row in HONEST.items()})
        tools = {name: ("GET", server.url(path))
                 for name, path in paths.items()}
        said = self.value(
            "return {name: call_tool(name, {}) for name in TOOLS}",
            *self.file(tools))
        self.assertEqual(
            said, {name: row[1] for name, row in HONEST.items()})
        # One call, one connection; and nothing of one stays for the next.
        self.assertEqual(server.connections, len(HONEST))
        for request in server.requests:
            self.assertIsNone(request.header("Cookie"))
            self.assertIsNone(request.header("Accept-Encoding"))
            self.assertIsNone(request.header("Expect"))

    def test_the_others_do_not_wait(self):
        """The first is answered when the last one has been."""
        last = threading.Event()

        def first(connection, _):
            last.wait(HANG)
            connection.sendall(answer("1"))

        def then(connection, _):
            connection.sendall(answer("2"))
            last.set()

        server = self.serve({"/first": first, "/last": then,
                             "/slow": held})
        got = self.value("""
import asyncio
done = []
async def note(call):
    done.append(await call)
slow = asyncio.ensure_future(slow())
await asyncio.gather(note(first()), note(last()))
slow.cancel()
return done
""", *self.file({name: ("GET", server.url("/" + name))
                 for name in ("first", "last", "slow")}), "--limit",
                         "tool_time=20s")
        self.assertEqual(got, [2, 1])

    # The times here are long enough for the request to have gone out.

    def test_timeouts(self):
        server = self.serve({"/held": held})
        tool = {"method": "GET", "url": server.url("/held"),
                "timeout": "3s"}
        said, events = self.states(CALL % ("tool", {}), {"tool": tool})
        self.assertEqual(said[0], "timed_out")
        self.assertIn("longer than its timeout", said[1])
        self.assertEqual(events, ["unknown"])

    def test_tool_time(self):
        server = self.serve({"/held": held})
        said, events = self.states(
            CALL % ("tool", {}), {"tool": ("POST", server.url("/held"))},
            "--limit", "tool_time=3s")
        self.assertEqual(said[0], "timed_out")
        self.assertEqual(events, ["unknown"])

    def test_what_is_refused_is_metered(self):
        """All that came, whatever becomes of it (B2)."""
        def half(connection, _):
            connection.sendall(JSON + b"Content-Length: 99\r\n\r\n[1, 2,")
            until_closed(connection)

        answers = {"error": answer("x" * 100, "404 N"),
                   "long error": answer("x" * 90000, "500 E"),
                   "another type": answer("x" * 200, kind="image/png"),
                   "no JSON": answer("[1,]"),
                   "a secret": answer('["%s"]' % CANARY),
                   "too large": answer("[" + "1," * 40000 + "1]"),
                   "half": half, "half of all": half}
        server = self.serve({"/%d" % i: a
                             for i, a in enumerate(answers.values())})
        tools = {name: {"method": "GET", "url": server.url("/%d" % i),
                        "headers": {"X": "${KEY}"}}
                 for i, name in enumerate(answers)}
        tools["half"]["timeout"] = "2s"
        said = self.value("""
said = {}
for name in TOOLS:
    before = BUDGET.produced_bytes
    try:
        said[name] = call_tool(name, {})
    except ToolError as error:
        said[name] = [error.kind, before - BUDGET.produced_bytes]
return said
""", *self.file(tools), "--limit", "result_bytes=64K", "--limit",
                          "kept_bytes=0", "--limit", "tool_time=4s",
                          env=dict(os.environ, KEY=CANARY))
        kind, came = said.pop("too large")
        self.assertEqual(kind, "result_too_large")
        self.assertGreater(came, 1 << 16)
        self.assertLessEqual(came, 80003)
        self.assertEqual(said, {
            "error": ["failed", 100], "long error": ["failed", 90000],
            "another type": ["failed", 200], "no JSON": ["failed", 4],
            "a secret": ["failed", 19], "half": ["timed_out", 6],
            "half of all": ["timed_out", 6]})

    def test_a_connection_that_does_not_come(self):
        """Nothing was sent, so nothing can have happened."""
        server = self.serve()
        port = server.port
        server.close()
        said, events = self.states(
            CALL % ("tool", {}),
            {"tool": ("GET", "http://127.0.0.1:%d/" % port)})
        self.assertEqual(said[0], "unreachable")
        self.assertEqual(events, ["failed"])

    def test_the_end_comes_while_it_waits(self):
        arrived = threading.Event()

        def arrive(connection, _):
            arrived.set()
            until_closed(connection)

        server = self.serve({"/held": arrive})
        state = self.path("state")
        process = self.start(
            "tool()", *self.file({"tool": ("GET", server.url("/held"))}),
            "--state", state, "--run", "r")
        self.assertTrue(arrived.wait(HANG))
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=HANG)
        self.assertEqual(process.returncode, 130)
        self.assertEqual(self.ledger(state), ["unknown"])

    def test_who_closes_while_it_is_written(self):
        server = self.serve()
        server.read = lambda connection: connection.recv(1) and None
        self.assertEqual(self.call(
            ("POST", server.url("/")), {"text": "x" * 900000})[0], "failed")

    def test_arguments_stay_where_they_belong(self):
        server = self.serve()
        tools = {"get": ("GET", server.url("/v1/{id}/x?q={q}")),
                 "post": ("POST", server.url("/v1/{id}"))}
        got = self.value("""
def said(tool, **arguments):
    try:
        return tool(**arguments)["target"]
    except ToolError as error:
        return error.kind
return [said(get, id="a/../../admin"), said(get, id=".."),
        said(get, id="%2e%2e"), said(get, id="@evil.example/"),
        said(get, id="x?y#z"), said(get, id="x\\r\\nX-Evil: 1"),
        said(get, id="x", q="1&admin=1\\r\\nX-Evil: 1"),
        said(post, id="x" * 9000), said(get, id="x", other=1),
        post(id="x", **{"Host": "evil", "X-Evil": [1]})["body"]]
""", *self.file(tools))
        self.assertEqual(got, [
            "path_traversal", "path_traversal", "path_traversal", "failed",
            "/v1/x%3Fy%23z/x", "failed",
            "/v1/x/x?q=1%26admin%3D1%0D%0AX-Evil%3A%201",
            "arguments_too_large", "failed",
            '{"Host":"evil","X-Evil":[1]}'])
        for request in server.requests:
            self.assertIsNone(request.header("X-Evil"))
            self.assertEqual(request.header("Host"),
                             "127.0.0.1:%d" % server.port)

    def test_the_list_holds_for_what_arguments_make(self):
        server = self.serve()
        got = self.value("""
said = []
for x in ("v1", "v10", "v2", "v1/x"):
    try:
        said.append(tool(x=x)["target"])
    except ToolError as error:
        said.append(error.kind)
return said
""", *self.file({"tool": ("GET", server.url("/{x}/y"))},
                allow=[server.url("/v1")]))
        self.assertEqual(got, ["/v1/y"] + 3 * ["egress_denied"])
        self.assertEqual(len(server.requests), 1)

    def test_what_the_list_refuses_was_never_started(self):
        """With a body that is beside the point."""
        server = self.serve()
        kinds, events = self.states("""
kinds = []
for x in ("v1", "v2", ".."):
    try:
        tool(x=x, more=1)
        kinds.append(None)
    except ToolError as error:
        kinds.append(error.kind)
return kinds
""", {"tool": ("POST", server.url("/{x}/y"))}, allow=[server.url("/v1")])
        self.assertEqual(kinds, [None, "egress_denied", "path_traversal"])
        self.assertEqual(events, ["completed", "refused", "refused"])
        self.assertEqual(len(server.requests), 1)


# Of loopback and of other places that are nobody's business, as a host.
PLACES = ["127.0.0.1", "localhost", "127.1", "2130706433", "0x7f000001",
          "0x7f.1", "0177.0.0.1", "127.0.0.2", "0.0.0.0", "0", "[::1]",
          "[::]", "[::ffff:127.0.0.1]", "[::127.0.0.1]",
          "[64:ff9b::127.0.0.1]", "[64:ff9b:1::7f00:1]", "[2002:7f00:1::]",
          "10.0.0.1", "172.16.0.1", "192.168.1.1", "100.64.0.1",
          "169.254.169.254", "198.18.0.1", "224.0.0.1", "255.255.255.255",
          "[fe80::1]", "[fd00::1]", "[ff02::1]", "[2001:db8::1]"]


class Egress(Http):
    def test_addresses_that_are_not_public(self):
        server = self.serve()
        tools = {host: ("GET", server.url("/", host)) for host in PLACES}
        said, events = self.states("""
said = {}
for name in TOOLS:
    try:
        said[name] = [call_tool(name, {}), ""]
    except ToolError as error:
        said[name] = [error.kind, error.message]
return said
""", tools, private=())
        for host in PLACES:
            with self.subTest(host):
                self.assertEqual(said[host][0], "egress_denied", said[host])
        self.assertEqual(set(events), {"failed"})
        self.assertEqual(server.connections, 0)

    def test_those_that_are_listed(self):
        server = self.serve()
        for host, private in (("127.1", "127.0.0.1"),
                              ("2130706433", "127.0.0.0/8"),
                              ("localhost", "127.0.0.1"),
                              ("[::ffff:127.0.0.1]", "127.0.0.1/32")):
            with self.subTest(host):
                got = self.call(("GET", server.url("/", host)),
                                file={"private": [private]})
                self.assertEqual(got["target"], "/")
        if os.path.exists("/proc/net/if_inet6"):
            server6 = self.serve(host="::1")
            tool = ("GET", server6.url("/", "[::1]"))
            self.assertEqual(self.call(
                tool, file={"private": ["::/127"]})["target"], "/")
            self.assertEqual(self.call(
                tool, file={"private": ["127.0.0.0/8"]})[0],
                "egress_denied")
            self.assertEqual(len(server6.requests), 1)
        self.assertEqual(self.call(
            ("GET", server.url("/", "127.0.0.1")),
            file={"private": ["127.0.0.2/31", "10.0.0.0/8", "::1"]})[0],
            "egress_denied")

    def test_redirects_lead_nowhere(self):
        other = self.serve()
        for status in ("301", "302", "303", "307", "308"):
            for place in (other.url("/"), "/there", "file:///etc/passwd",
                          "//127.0.0.1:%d/" % other.port):
                with self.subTest(status + " " + place):
                    server = self.serve({"/": answer(
                        "", status + " X", more="Location: %s\r\n" % place)})
                    kind, message = self.call(("POST", server.url("/")))
                    self.assertEqual(kind, "failed")
                    self.assertIn("redirects are not followed", message)
                    self.assertEqual(len(server.requests), 1)
        self.assertEqual(other.connections, 0)

    def test_what_the_environment_says_is_not_heard(self):
        """Proxies, passwords and options of curl's."""
        proxy, server = self.serve(), self.serve()
        home = self.path("home")
        os.mkdir(home)
        for name, text in ((".netrc", "machine 127.0.0.1 login a password b\n"
                            "default login a password b\n"),
                           (".curlrc", "proxy = %s\n" % proxy.url())):
            with open(os.path.join(home, name), "w") as file:
                file.write(text)
            os.chmod(os.path.join(home, name), 0o600)
        env = dict(os.environ, HOME=home, CURL_HOME=home,
                   NETRC=os.path.join(home, ".netrc"))
        for name in ("http_proxy", "HTTP_PROXY", "https_proxy", "all_proxy",
                     "ALL_PROXY"):
            env[name] = proxy.url()
        self.assertEqual(self.call(("GET", server.url("/x")),
                                   env=env)["target"], "/x")
        self.assertEqual(proxy.connections, 0)
        self.assertIsNone(server.requests[0].header("Authorization"))
        self.assertEqual(
            sorted(name.lower() for name, _ in server.requests[0].headers),
            ["accept", "host", "user-agent"])
        self.assertEqual(sorted(os.listdir(home)), [".curlrc", ".netrc"])


WITH_RESOLVER = """#!/bin/sh
exec unshare -m sh -c 'mount --bind "$1" /etc/resolv.conf && shift &&
exec "$@"' sh %s %s "$@"
"""


class Names(Http):
    """A name server that never answers, and one that answers twice."""

    def setUp(self):
        super().setUp()
        self.server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.addCleanup(self.server.close)
        try:
            self.server.bind(("127.0.0.97", 53))
        except OSError as error:
            self.skipTest("no port for a name server: %s" % error)
        resolv = self.write("resolv.conf", "nameserver 127.0.0.97\n"
                            "options attempts:2 timeout:20\n")
        self.weir = self.write("weir", WITH_RESOLVER % (resolv, WEIR))
        os.chmod(self.weir, 0o755)
        os.chmod(self.directory, 0o755)
        trial = subprocess.run([self.weir, "--version"], check=False,
                               stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE, timeout=HANG)
        if trial.returncode != 0:
            self.skipTest("no mount of its own: %r" % trial.stderr)

    def answer(self, addresses):
        """Answers questions for A with the next address, others with none,
        until the test is over."""
        def loop():
            while True:
                try:
                    question, who = self.server.recvfrom(512)
                except OSError:
                    return
                if not question:
                    return
                kind = question.find(b"\0", 12) + 1
                known = addresses and question[kind:kind + 2] == b"\0\1"
                data = b""
                if known:
                    address = addresses.pop(0) if len(
                        addresses) > 1 else addresses[0]
                    data = b"\xc0\x0c\0\1\0\1\0\0\0\0\0\4" + \
                        socket.inet_aton(address)
                self.server.sendto(
                    question[:2] + b"\x81\x80\0\1\0" + bytes([bool(known)]) +
                    b"\0\0\0\0" + question[12:kind + 4] + data, who)

        threading.Thread(target=loop, daemon=True).start()
        self.addCleanup(self.wake)

    def wake(self):
        """Ends who waits for a question."""
        with contextlib.suppress(OSError):
            self.server.shutdown(socket.SHUT_RDWR)

    def test_who_waits_for_a_name_waits_alone(self):
        """The call ends in its time, and nothing else waits for it: what is
        called after it comes before the resolver asks for a second time."""
        asked = []

        def after(connection, _):
            self.server.setblocking(False)
            with contextlib.suppress(BlockingIOError):
                while True:
                    asked.append(self.server.recv(512)[12:])
            connection.sendall(answer("1"))

        server = self.serve({"/after": after})
        state = self.path("state")
        got = self.value("""
import asyncio
async def kind(call):
    try:
        await call
    except ToolError as error:
        return error.kind
kinds = await asyncio.gather(kind(slow()), *(kind(quick()) for i in range(9)))
return kinds + [await after()]
""", *self.file({
    "slow": {"method": "POST", "url": "http://slow.test/",
             "timeout": "500ms"},
    "quick": ("GET", server.url("/")), "after": ("GET", server.url("/after"))
}), "--state", state, "--run", "r", weir=self.weir)
        self.assertEqual(got, ["timed_out"] + 9 * [None] + [1])
        self.assertGreater(len(asked), 0)
        self.assertEqual(len(asked), len(set(asked)))
        # Nothing was sent.
        self.assertEqual(self.ledger(state).count("unknown"), 0)

    def test_lookups_that_hang_have_a_limit(self):
        """Each keeps a thread; who needs none is not refused."""
        server = self.serve()
        said = self.value("""
said = []
while len(said) < 200:
    try:
        slow()
    except ToolError as error:
        said.append([error.kind, error.message])
        if error.kind != "timed_out":
            break
return [len(said), said[0], said[-1], quick()["target"]]
""", *self.file({
    "slow": {"method": "GET", "url": "http://slow.test/", "timeout": "50ms"},
    "quick": ("GET", server.url("/"))}), "--limit", "calls=1000",
                          weir=self.weir)
        self.assertGreaterEqual(said[0], 33)
        self.assertEqual(said[1][0], "timed_out")
        self.assertEqual(said[2][0], "unreachable")
        self.assertIn("too many lookups", said[2][1])
        self.assertEqual(said[3], "/")

    def test_a_name_that_is_none(self):
        self.answer([])
        kind, message = self.call(("GET", "http://none.test/"),
                                  weir=self.weir)
        self.assertEqual(kind, "unreachable")
        self.assertIn("has no address", message)

    def test_a_name_of_a_private_address(self):
        server = self.serve()
        self.answer(["127.0.0.1"])
        tool = ("GET", "http://inside.test:%d/" % server.port)
        self.assertEqual(self.call(tool, file={"private": []},
                                   weir=self.weir)[0], "egress_denied")
        self.assertEqual(server.connections, 0)
        self.assertEqual(self.call(tool, weir=self.weir)["target"], "/")

    def test_a_name_that_changes_its_mind(self):
        """What was allowed the first time is asked about each time."""
        server = self.serve()
        self.answer(["127.0.0.1", "127.0.0.2"])
        kinds = self.value("""
said = []
for name in TOOLS:
    try:
        said.append(call_tool(name, {})["target"])
    except ToolError as error:
        said.append(error.kind)
return said
""", *self.file({name: ("GET", "http://%s.test:%d/" % (name, server.port))
                 for name in ("a", "b")}, private=["127.0.0.1"]),
                           weir=self.weir)
        self.assertEqual(kinds, ["/", "egress_denied"])


# Only root may have a resolver of its own.
if not IS_ROOT:
    del Names


class Secrets(Http):
    """The server sends back what it was sent, in whatever way."""

    def test_a_secret_is_withheld(self):
        spelled = {
            "as it is": answer('["%s"]' % CANARY),
            "escaped": answer('["%s"]' % "".join(
                "\\u%04x" % ord(c) for c in CANARY)),
            "in a URL": answer('["?k=%s"]' % CANARY.replace("-", "%2d")),
            "as a name": answer('{"%s":1}' % CANARY),
            "as text": answer("x" + CANARY, kind="text/plain"),
            "in an error": answer("bad key " + CANARY, "401 U"),
            "where an error is cut": answer(
                "x" * (1024 - 8) + CANARY, "401 U"),
            "layered in an error": answer(CANARY.replace(
                "-", "%252d") + "&amp;", "401 U"),
            "as the reason": answer("", "401 " + CANARY),
            "as the type": answer("x", kind="image/" + CANARY),
            "as the status": cut(b"HTTP/1.1 " + CANARY.encode() +
                                 b"\r\n\r\n"),
            "as the coding": cut(OK + b"Content-Encoding: " +
                                 CANARY.encode() + b"\r\n\r\n"),
            "as HTTP/0.9": cut(CANARY.encode() + b"\r\n"),
            "as a place": answer("", "302 F", more="Location: /%s\r\n" %
                                 CANARY),
            "in what is no JSON": answer('{"a":' + CANARY),
        }
        paths = {name: "/%d" % i for i, name in enumerate(spelled)}
        server = self.serve({paths[n]: found for n, found in spelled.items()})
        tools = {name: {"method": "POST", "url": server.url(path),
                        "headers": {"Authorization": "Bearer ${KEY}"}}
                 for name, path in paths.items()}
        state = self.path("state")
        got = run("""
said = {}
for name in TOOLS:
    try:
        said[name] = [call_tool(name, {}), ""]
    except ToolError as error:
        said[name] = [error.kind, error.message]
return said
""", *self.file(tools), "--state", state, "--run", "r",
                  env=dict(os.environ, KEY=CANARY))
        for name, said in got.result["value"].items():
            with self.subTest(name):
                self.assertEqual(said[0], "failed")
                # Not the beginning of it, either.
                self.assertNotIn(CANARY[:8], said[1])
        everything = got.stdout + got.stderr
        for place, _, names in os.walk(state):
            for name in names:
                with open(os.path.join(place, name), "rb") as file:
                    everything += file.read()
        self.assertNotIn(CANARY.encode(), everything)
        self.assertEqual({r.header("Authorization") for r in server.requests},
                         {"Bearer " + CANARY})

    def test_the_program_cannot_see_it(self):
        server = self.serve({"/": answer("1")})
        tool = {"method": "GET", "url": server.url("/"),
                "headers": {"X": "${KEY}"}}
        got = run("""
import glob, os
tool()
found = repr(os.environ) + repr(globals())
for name in glob.glob("/proc/*/environ"):
    try:
        found += repr(open(name, "rb").read())
    except OSError:
        pass
return found
""" if LEVEL != "none" else "tool(); return ''", *self.file({"tool": tool}),
                  env=dict(os.environ, KEY=CANARY))
        self.assertNotIn(CANARY, got.result["value"])


GOOD = {"schema": "weir.http-tools/1", "allow": ["https://a.example"],
        "tools": {"t": {"method": "GET", "url": "https://a.example/{x}"}}}


def changed(**more):
    return {**GOOD, **more}


def tool(**more):
    return changed(tools={"t": {**GOOD["tools"]["t"], **more}})


# (the file, what stands behind its name)
BAD = [
    ("{", "1:2: the text ends before its value does (truncated)"),
    ("[]", "1:1: is an array; write an object"),
    ('{"a":1,"a":2}', "an object names one member twice"),
    ({"schema": "weir.http-tools/1"}, 'the member "allow" is missing'),
    ({k: v for k, v in GOOD.items() if k != "schema"},
     'the member "schema" is missing'),
    (changed(schema="weir.profiles/1"), "schema: is another format"),
    (changed(more=1), "more: no such member here; the members are schema "
     "allow private ca_file tools"),
    (changed(allow="x"), "allow: is a string; write an array"),
    (changed(allow=[1]), "allow[0]: is a number; write a string"),
    (changed(allow=["a.example"]), "allow[0]: begins with another scheme"),
    (changed(allow=["https://a.example/../b"]), "allow[0]: has a segment"),
    (changed(allow=["https://a.example:0"]), "allow[0]: no port"),
    (changed(allow=["https://u@a.example"]), "allow[0]: holds a user"),
    (changed(allow=[]), "tools.t.url: is not allowed"),
    (changed(allow=["http://a.example"]), "tools.t.url: is not allowed"),
    (changed(allow=["https://a.example"] * 65), "allow[64]: more than 64"),
    (changed(private=["10.0.0.1/8"]), "private[0]: bits behind the prefix"),
    (changed(private=["10.0.0.0/33"]), "private[0]: no length of a prefix"),
    (changed(private=["localhost"]), "private[0]: no address"),
    (changed(private=["::1"] * 65), "private[64]: more than 64"),
    (changed(ca_file="ca.pem"), "ca_file: is no absolute path"),
    (changed(ca_file="/weir/none.pem"), "No such file"),
    (changed(ca_file="/etc/passwd"), "ca_file: holds no certificates"),
    (changed(tools={}), "tools: no tool in it"),
    (changed(tools={"": GOOD["tools"]["t"]}), "cannot be the name of a tool"),
    (changed(tools={"x" * 129: GOOD["tools"]["t"]}),
     "cannot be the name of a tool"),
    (changed(tools={"list_tools": GOOD["tools"]["t"]}),
     "tools.list_tools: is the name of a tool that every program has"),
    (changed(tools={"t": {"url": "https://a.example"}}),
     'tools.t: the member "method" is missing'),
    (tool(method="get"), "tools.t.method: no such method"),
    (tool(method="HEAD"), "tools.t.method: no such method"),
    (tool(method=1), "tools.t.method: is a number"),
    (tool(url="https://{x}/"), "tools.t.url: no host"),
    (tool(url="https://a.example/{x"), "tools.t.url: has a '{'"),
    (tool(url="file:///etc/passwd"), "tools.t.url: begins with another"),
    (tool(url="https://b.example/"), "tools.t.url: is not allowed"),
    (tool(headers=[]), "tools.t.headers: is an array"),
    (tool(headers={"Host": "x"}), "tools.t.headers.Host: is a header that"),
    (tool(headers={"A b": "x"}), 'tools.t.headers."A b": no name of'),
    (tool(headers={"A": 1}), "tools.t.headers.A: is a number"),
    (tool(headers={"A": "${WEIR_NONE}"}),
     "tools.t.headers.A: the variable WEIR_NONE is not set"),
    (tool(headers={"A": "${WEIR_SHORT}"}),
     "tools.t.headers.A: the variable WEIR_SHORT is shorter than 8"),
    (tool(headers={"A": "${WEIR_LINES}"}),
     "tools.t.headers.A: the variable WEIR_LINES holds a character"),
    (tool(headers={"A": "$x"}), "tools.t.headers.A: holds a '$'"),
    (tool(headers={"A": ""}), "tools.t.headers.A: is empty"),
    (tool(headers={"A%d" % i: "x" for i in range(33)}), "more than 32 head"),
    (tool(timeout="0"), "tools.t.timeout: under the minimum; use a value "
     "from 1ms to 24h"),
    (tool(timeout="25h"), "tools.t.timeout: over the ceiling"),
    (tool(timeout="1x"), "tools.t.timeout: "),
    (tool(timeout=None), "tools.t.timeout: is null"),
    (tool(description=1), "tools.t.description: is a number"),
    (tool(input_schema="x"), "tools.t.input_schema: is a string"),
    (tool(more=1), "tools.t.more: no such member here; the members are "
     "method url headers timeout description input_schema"),
]


class Files(Http):
    def start_with(self, text, *options, **more):
        path = self.write("http.json", text if isinstance(text, str)
                          else json.dumps(text))
        return path, run("print('ran')", "--http-tools", path, *options,
                         env=dict(os.environ, WEIR_SHORT="1234567",
                                  WEIR_LINES="12345678\r\nX: y"),
                         json=False, **more)

    def test_what_is_wrong_is_named(self):
        for text, words in BAD:
            with self.subTest(words):
                path, got = self.start_with(text)
                self.assertEqual((got.code, got.stdout), (2, b""))
                line = got.stderr.decode()
                self.assertIn(words, line)
                self.assertIn(path, line)
                self.assertRegex(line, r"^weir: [^\n]+\n$")
                self.assertNotIn("1234567\"", line)

    def test_what_is_right_is_taken(self):
        for text in (
                GOOD, changed(private=["10.0.0.0/8", "fd00::/8", "::1"]),
                changed(allow=["https://a.example"] * 64),
                tool(timeout="1ms"), tool(timeout=86400), tool(timeout="1.5"),
                tool(headers={"A%d" % i: "x" for i in range(32)}),
                tool(description="d", input_schema={
                    "type": "object", "properties": {"x": {"a": [[{}]]}}})):
            with self.subTest(text):
                self.assertEqual(
                    self.start_with(text)[1].stdout, b"ran\n")

    def test_keys_are_not_written_down(self):
        path = self.write("http.json", json.dumps(GOOD))
        keys = self.path("keys")
        for file, code in ((keys, 2), ("", 0)):
            got = run("1", "--http-tools", path, json=False,
                      env=dict(os.environ, SSLKEYLOGFILE=file))
            self.assertEqual(got.code, code, got.stderr)
            self.assertEqual(b"SSLKEYLOGFILE is set" in got.stderr, code == 2)
        self.assertFalse(os.path.exists(keys))

    def test_one_that_others_can_write(self):
        path = self.write("http.json", json.dumps(GOOD))
        os.chmod(path, 0o666)
        got = run("1", "--http-tools", path, json=False)
        self.assertEqual(got.code, 2)
        self.assertIn(b"can be written by others", got.stderr)

    def test_certificates_that_others_can_write(self):
        path = self.write("ca.pem", "-----BEGIN CERTIFICATE-----\n")
        os.chmod(path, 0o666)
        got = self.start_with(changed(ca_file=path))[1]
        self.assertEqual(got.code, 2)
        self.assertIn(b"ca_file: ", got.stderr)
        self.assertIn(b"can be written by others", got.stderr)

    def test_how_many_and_how_long(self):
        """Each limit, and one more."""
        one = GOOD["tools"]["t"]
        for count, code in ((256, 0), (257, 2)):
            got = self.start_with(changed(
                tools={"t%d" % i: one for i in range(count)}))[1]
            self.assertEqual(got.code, code, got.stderr)
        self.assertIn(b"more than 256 tools", got.stderr)
        path = self.write("http.json", json.dumps(tool(
            headers={"A": "${LONG}"})))
        for length, code in ((8000, 0), (8001, 2)):
            got = run("1", "--http-tools", path, json=False,
                      env=dict(os.environ, LONG="x" * length))
            self.assertEqual(got.code, code, got.stderr)
        self.assertIn(b"LONG is longer than 8000 bytes", got.stderr)

    def test_a_name_that_is_taken(self):
        got = self.start_with(GOOD, tools={"t": "cat"})[1]
        self.assertEqual(got.code, 2)
        self.assertIn(b"tools.t: a tool of this name is there", got.stderr)

    def test_the_option_is_given_once(self):
        path = self.write("http.json", json.dumps(GOOD))
        got = run("1", "--http-tools", path, "--http-tools", path, json=False)
        self.assertEqual(got.code, 2)

    def test_no_grant_holds_it(self):
        """It names where the secrets are (C12)."""
        path = self.write("http.json", json.dumps(GOOD))
        got = run("1", "--http-tools", path, "--read", self.directory,
                  json=False)
        self.assertEqual(got.code, 2, got.stderr)

    def test_what_a_program_is_told(self):
        path = self.write("http.json", json.dumps(GOOD))
        info = self.value("return [TOOLS, call_tool('get_tool_info', "
                          "{'name': 't'})]", "--http-tools", path)
        self.assertEqual(info[0], ["t"])
        self.assertEqual((info[1]["name"], info[1]["provider"]),
                         ("t", "http"))
        self.assertNotIn("description", info[1])

    def test_what_it_says_of_itself(self):
        file = json.loads(json.dumps(GOOD))
        schema = {"type": "object", "properties": {"ü": {"enum": [1, None]}}}
        file["tools"]["t"].update(
            description='Says "ü"\n\u2028', input_schema=schema)
        info = self.value("call_tool('get_tool_info', {'name': 't'})",
                          "--http-tools",
                          self.write("http.json", json.dumps(file, indent=2)))
        self.assertEqual(info["description"], 'Says "ü"\n\u2028')
        self.assertEqual(info["inputSchema"], schema)

    def test_marks_hold_for_it(self):
        path = self.write("http.json", json.dumps(GOOD))
        kind = self.value("try: t()\nexcept ToolError as e: return e.kind",
                          "--mark", "t=requires_approval",
                          "--http-tools", path)
        self.assertEqual(kind, "approval_required")


class Library(Http):
    def loads(self, program, file):
        """Whether the loader was asked for libcurl."""
        got = run(program, *file, env=dict(os.environ, LD_DEBUG="files"))
        self.assertIsNone(got.result["error"])
        return b"libcurl" in got.stderr

    def test_it_is_loaded_when_it_is_used(self):
        server = self.serve()
        file = self.file({"tool": ("GET", server.url("/"))})
        self.assertFalse(self.loads("1", []))
        self.assertFalse(self.loads("1", file))
        self.assertTrue(self.loads("tool()", file))

    def test_without_it(self):
        server = self.serve()
        env = dict(os.environ, LD_PRELOAD=str(TOOLS / "failing.so"),
                   FAIL_CALL="dlopen", FAIL_AT="1")
        kind, message = self.call(("GET", server.url("/")), env=env)
        self.assertEqual(kind, "unreachable")
        self.assertIn("libcurl.so.4", message)
        self.assertEqual(server.connections, 0)

    def test_without_what_the_host_gives(self):
        """A socket, a timer, memory: a kind, and the next call is well."""
        server = self.serve()
        for function, most in (("socket", 1), ("timerfd_create", 2)):
            for at in range(1, most + 1):
                with self.subTest("%s %d" % (function, at)):
                    got = run("""
said = []
for i in range(2):
    try:
        said.append(tool()["method"])
    except ToolError as error:
        said.append(error.kind)
return said
""", *self.file({"tool": ("GET", server.url("/"))}),
                              env=dict(os.environ, FAIL_CALL=function,
                                       FAIL_AT=str(at),
                                       LD_PRELOAD=str(
                                           TOOLS / "failing.so")))
                    value = got.result["value"]
                    if value is not None:
                        self.assertEqual(value[1], "GET")
                        self.assertIn(value[0], ("GET", "unreachable"))


# Descriptors of the supervisor, which is the guardian's parent.
COUNT = shell("ls /proc/$(sed 's/.*) . \\([0-9]*\\) .*/\\1/' "
              "/proc/$PPID/stat)/fd | wc -l")


class Nothing(Http):
    def setUp(self):
        super().setUp()
        become_subreaper()
        self.addCleanup(end_survivors)

    def test_is_left_behind(self):
        server = self.serve({"/held": held})
        before = mounts(), leftovers("weir-http")
        result = self.succeeds("""
import threading
for i in range(5):
    threading.Thread(target=held, daemon=True).start()
return [quick(x=i)["target"] for i in range(50)]
""", *self.file({"held": ("GET", server.url("/held")),
                 "quick": ("POST", server.url("/{x}"))}))
        self.assertEqual(result["value"], ["/%d" % i for i in range(50)])
        self.assertEqual(survivors(), [])
        self.assertEqual((mounts(), leftovers("weir-http")), before)

    def test_no_descriptor_stays(self):
        server = self.serve({"/cut": cut(b""), "/slow": held})
        counts = self.value("""
def fail():
    for tool in (bad, slow):
        try:
            tool()
        except ToolError:
            pass
good(), fail()
first = count()
for i in range(20):
    good(), fail()
return [first, count()]
""", *self.file({"good": ("GET", server.url("/")),
                 "bad": ("GET", server.url("/cut")),
                 "slow": {"method": "GET", "url": server.url("/slow"),
                          "timeout": "20ms"}}), tools={"count": COUNT})
        self.assertEqual(counts[0], counts[1])


if __name__ == "__main__":
    main()
