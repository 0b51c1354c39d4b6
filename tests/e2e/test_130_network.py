#!/usr/bin/env python3
"""The grant of the network: what a program can do with it, what the result
says then, and what stays refused. At every level, with servers of the test."""
import http.server
import ipaddress
import json
import os
import random
import select
import socket
import struct
import subprocess
import threading

from weir_test import (GUARANTEES, HANG, IS_ROOT, LAYERS, PYTHON, Case,
                       become_subreaper, command, finish, main, rows,
                       run, survivors, wait_for_orphans)

LEVELS = ("isolated", "spaces", "process")
# The names that libraries ask for an address or a certificate; where there is
# one it is granted.
GIVEN = ("/etc/resolv.conf", "/etc/hosts", "/etc/nsswitch.conf",
         "/etc/gai.conf", "/etc/host.conf", "/etc/services", "/etc/protocols",
         "/etc/ssl/certs", "/etc/ssl/cert.pem", "/etc/pki/tls/certs",
         "/etc/pki/tls/cert.pem", "/etc/pki/ca-trust/extracted",
         "/etc/ca-certificates/extracted", "/usr/share/ca-certificates",
         "/usr/local/share/ca-certificates", "/var/lib/ca-certificates")


def granted(level):
    """The options of the grant; HOSTS has the level for all but one."""
    return ["--network"] + (["--level", "process"] if level == "isolated"
                            else [])


def has_ipv6():
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError:
        return False
    return True


IPV6 = has_ipv6()
FAMILIES = [("127.0.0.1", socket.AF_INET)] + (
    [("::1", socket.AF_INET6)] if IPV6 else [])


class Servers:
    """Echoes by TCP and UDP on the loopback of each family, and HTTP. What a
    connection has said stands in `heard` when it is closed."""

    def __init__(self):
        self.heard = []
        self.event = threading.Condition()
        self.sockets = []
        self.tcp, self.udp = {}, {}
        for host, family in FAMILIES:
            server = socket.create_server((host, 0), family=family)
            self.tcp[host] = server.getsockname()[1]
            self.serve(self.accept, server)
            server = socket.socket(family, socket.SOCK_DGRAM)
            server.bind((host, 0))
            self.udp[host] = server.getsockname()[1]
            self.serve(self.answer, server)
        self.http = http.server.ThreadingHTTPServer(
            ("127.0.0.1", 0), Page)
        self.http.daemon_threads = True
        self.serve(lambda _: self.http.serve_forever(0.05), self.http.socket)

    def serve(self, work, server):
        self.sockets.append(server)
        threading.Thread(target=work, args=(server,), daemon=True).start()

    def accept(self, server):
        while True:
            try:
                peer = server.accept()[0]
            except OSError:
                return
            threading.Thread(target=self.echo, args=(peer,),
                             daemon=True).start()

    def echo(self, peer):
        said = b""
        with peer:
            try:
                while True:
                    part = peer.recv(65536)
                    if not part:
                        break
                    said += part
                    peer.sendall(part)
            except OSError:
                pass
        with self.event:
            self.heard.append(said)
            self.event.notify_all()

    def answer(self, server):
        while True:
            try:
                part, peer = server.recvfrom(65536)
            except OSError:
                return
            if peer is None:  # it was shut down
                return
            server.sendto(part, peer)

    def wait_for(self, said):
        """Whether a connection that said it has ended."""
        with self.event:
            return self.event.wait_for(lambda: said in self.heard, HANG)

    def close(self):
        self.http.shutdown()
        for server in self.sockets:
            try:
                server.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            server.close()


class Page(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"page " + self.path.encode())

    def log_message(self, *_):
        pass


class Works(Case):
    """Each at each level: a program and its value. Names in it: TCP and UDP,
    lists of (host, port)."""

    def setUp(self):
        super().setUp()
        self.servers = Servers()
        self.addCleanup(self.servers.close)

    def check(self, program, value):
        names = "TCP, UDP, HTTP, IPV6 = %r, %r, %r, %r\n" % (
            list(self.servers.tcp.items()), list(self.servers.udp.items()),
            self.servers.http.server_address[1], IPV6)
        for level in LEVELS:
            with self.subTest(level=level):
                self.assertEqual(
                    self.value(names + program, *granted(level),
                               level=level),
                    value() if callable(value) else value)


rows(Works, {
    "tcp": ("""
import socket
got = []
for address in TCP:
    with socket.create_connection(address, timeout=20) as s:
        s.sendall(b'hello')
        got.append(s.recv(5).decode())
        assert s.getpeername()[:2] == address
        assert s.getsockname()[0] == address[0]
return got""", ["hello"] * len(FAMILIES)),
    "udp": ("""
import socket
got = []
for host, port in UDP:
    family = socket.AF_INET6 if ':' in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_DGRAM) as s:
        s.settimeout(20)
        s.sendto(b'one', (host, port))
        got.append(s.recvfrom(9)[0].decode())
        s.sendmsg([b'tw', b'o'], [], 0, (host, port))
        got.append(s.recvmsg(9)[0].decode())
        s.connect((host, port))
        s.send(b'three')
        got.append(s.recv(9).decode())
return got""", ["one", "two", "three"] * len(FAMILIES)),
    "asyncio": ("""
import asyncio
async def talk(address):
    reader, writer = await asyncio.open_connection(*address)
    writer.write(b'line\\n')
    line = await reader.readline()
    writer.close()
    return line.decode()
class Datagrams(asyncio.DatagramProtocol):
    def datagram_received(self, data, peer):
        if not got.done():
            got.set_result(data.decode())
got = asyncio.get_running_loop().create_future()
lines = await asyncio.gather(*[talk(a) for a in TCP])
transport, _ = await asyncio.get_running_loop().create_datagram_endpoint(
    Datagrams, remote_addr=UDP[0])
transport.sendto(b'datagram')
lines.append(await got)
transport.close()
return lines""", ["line\n"] * len(FAMILIES) + ["datagram"]),
    "http": ("""
import http.client, urllib.request
c = http.client.HTTPConnection('127.0.0.1', HTTP, timeout=20)
c.request('GET', '/a')
first = c.getresponse().read().decode()
c.close()
with urllib.request.urlopen('http://localhost:%d/b' % HTTP) as page:
    return [first, page.status, page.read().decode()]""",
             ["page /a", 200, "page /b"]),
    "servers_of_its_own": ("""
import asyncio, socket, threading
got = []
for host, _ in TCP:
    family = socket.AF_INET6 if ':' in host else socket.AF_INET
    server = socket.create_server((host, 0), family=family)
    def serve():
        peer, _ = server.accept()
        peer.sendall(peer.recv(9).upper())
        peer.close()
    thread = threading.Thread(target=serve)
    thread.start()
    with socket.create_connection(server.getsockname()[:2]) as s:
        s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        s.sendall(b'up')
        got.append(s.recv(9).decode())
    thread.join()
    server.close()
async def answer(reader, writer):
    writer.write(await reader.readline())
    writer.close()
server = await asyncio.start_server(answer, '127.0.0.1', 0)
reader, writer = await asyncio.open_connection(
    *server.sockets[0].getsockname())
writer.write(b'again\\n')
got.append((await reader.read()).decode())
writer.close()
server.close()
if IPV6:
    socket.create_server(('', 0), family=socket.AF_INET6,
                         dualstack_ipv6=True).close()
return got""", ["UP"] * len(FAMILIES) + ["again\n"]),
    "names": ("""
import socket
addresses = {r[4][0] for r in socket.getaddrinfo('localhost', 80)}
return [bool(addresses) and addresses <= {'127.0.0.1', '::1'},
        socket.gethostbyname('localhost'), socket.getservbyname('https'),
        socket.getprotobyname('udp'),
        socket.getaddrinfo('127.0.0.1', 'http', 0, 1)[0][4][1]]""",
              [True, "127.0.0.1", 443, 17, 80]),
    "options_that_libraries_set": ("""
import socket
T = socket.IPPROTO_TCP
with socket.create_connection(TCP[0]) as s:
    for level, option, value in (
            (socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1),
            (T, socket.TCP_NODELAY, 1), (T, socket.TCP_KEEPIDLE, 30),
            (T, socket.TCP_KEEPINTVL, 5), (T, socket.TCP_KEEPCNT, 3),
            (T, socket.TCP_USER_TIMEOUT, 1000)):
        s.setsockopt(level, option, value)
        assert s.getsockopt(level, option) == value
    return s.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)""", 0),
    "what_asyncio_waits_with": ("""
import asyncio, socket
a, b = socket.socketpair()
a.send(b'x')
return [b.recv(1).decode(), await asyncio.get_running_loop().run_in_executor(
            None, len, 'abc')]""",
                                ["x", 3]),
})


# expression -> 0 where it worked, else the errno or the error's name
TRY = """
import array, ctypes, errno, fcntl, os, socket, struct
def attempt(call, *arguments):
    try: call(*arguments)
    except OSError as error:
        return errno.errorcode.get(error.errno, type(error).__name__)
    return 0
def tcp(): return socket.socket(socket.AF_INET)
def pair(name): return socket.socketpair()[0].bind(name)
"""

# What fails with EPERM: the filter, and not the kernel, says no.
REFUSED = [
    "socket.socket, socket.AF_UNIX",
    "socket.socket, socket.AF_UNIX, socket.SOCK_DGRAM",
    "socket.socket, socket.AF_NETLINK, socket.SOCK_RAW",
    "socket.socket, socket.AF_NETLINK, socket.SOCK_DGRAM",
    "socket.socket, socket.AF_PACKET, socket.SOCK_RAW",
    "socket.socket, socket.AF_PACKET, socket.SOCK_DGRAM",
    "socket.socket, socket.AF_VSOCK",
    "socket.socket, socket.AF_ALG, socket.SOCK_SEQPACKET",
    "socket.socket, socket.AF_CAN, socket.SOCK_RAW",
    "socket.socket, socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP",
    "socket.socket, socket.AF_INET, socket.SOCK_DGRAM, socket.IPPROTO_ICMP",
    "socket.socket, socket.AF_INET6, socket.SOCK_RAW, socket.IPPROTO_RAW",
    "socket.socket, socket.AF_INET, socket.SOCK_STREAM, 132",
    "socket.socket, socket.AF_INET, socket.SOCK_STREAM, 262",
    "socket.socket, socket.AF_INET, socket.SOCK_SEQPACKET, 132",
    "socket.socketpair, socket.AF_UNIX, socket.SOCK_DGRAM",
    "socket.socketpair, socket.AF_INET",
    "pair, b'\\0other name'",
    "pair, b'\\0' + bytes(14)",
    "pair, b''",
    "tcp().setsockopt, socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20",
    "tcp().setsockopt, socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 20",
    "tcp().setsockopt, socket.SOL_SOCKET, socket.SO_REUSEPORT, 1",
    "tcp().setsockopt, socket.SOL_SOCKET, socket.SO_BINDTODEVICE, b'lo'",
    "tcp().setsockopt, socket.SOL_SOCKET, socket.SO_MARK, 1",
    "tcp().setsockopt, socket.IPPROTO_TCP, 31, b'tls'",
    "tcp().setsockopt, socket.IPPROTO_TCP, socket.TCP_CONGESTION, b'reno'",
    "tcp().setsockopt, socket.IPPROTO_IP, socket.IP_OPTIONS, b''",
    "tcp().setsockopt, socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, bytes(8)",
    "socket.socketpair()[0].getsockopt, socket.SOL_SOCKET,"
    " socket.SO_PEERCRED, 12",
    "fcntl.ioctl, tcp(), 0x8912, bytes(16)",  # SIOCGIFCONF
    "fcntl.fcntl, tcp(), 8, os.getpid()",     # F_SETOWN
    "socket.if_nameindex",
    "os.fork", "os.execv, '/bin/true', ['true']",
    "os.kill, os.getppid(), 0",
]

# Files beside those that are given, and what may not be done with these.
CLOSED = [
    "open, '/etc/passwd'", "open, '/etc/shadow'", "open, '/etc/hostname'",
    "open, '/etc/ssl/openssl.cnf'", "os.listdir, '/etc'",
    "os.listdir, '/etc/ssl'", "os.listdir, '/etc/ssl/private'",
    "open, '/proc/net/tcp'", "open, '/proc/self/environ'",
    "os.listdir, '/run'", "open, '/etc/hosts', 'a'",
    "open, '/etc/resolv.conf', 'a'", "os.remove, '/etc/hosts'",
    "os.rename, '/etc/hosts', '/etc/hosts2'",
    "os.mkdir, '/etc/ssl/certs/new'",
]


class Denied(Case):
    def check(self, level):
        self.check_calls(level)
        self.check_files(level)
        self.check_unix(level)
        self.check_result(level)

    def attempts(self, level, calls):
        text = TRY + "return [%s]" % ", ".join(
            "attempt(%s)" % call for call in calls)
        return dict(zip(calls, self.value(text, *granted(level),
                                          level=level)))

    def check_calls(self, level):
        self.assertEqual(self.attempts(level, REFUSED),
                         dict.fromkeys(REFUSED, "EPERM"))
        works = ["tcp", "socket.socket, socket.AF_INET, socket.SOCK_DGRAM",
                 "socket.socketpair"]
        self.assertEqual(self.attempts(level, works), dict.fromkeys(works, 0))

    def check_files(self, level):
        for call, answer in self.attempts(level, CLOSED).items():
            self.assertIn(answer, ("ENOENT", "EACCES", "EPERM", "EROFS"),
                          call)
        there = ["open, %r" % path if os.path.isfile(path) else
                 "os.listdir, %r" % path
                 for path in GIVEN if os.path.exists(path)]
        self.assertIn("open, '/etc/hosts'", there)
        self.assertEqual(self.attempts(level, there), dict.fromkeys(there, 0))

    def check_unix(self, level):
        """A Unix stream with an address as long as one of IPv4: it cannot
        get out, and makes no file."""
        name = b"\0" + os.urandom(7).hex()[:13].encode()
        listener = socket.socket(socket.AF_UNIX)
        self.addCleanup(listener.close)
        listener.bind(name)
        listener.listen()
        program = TRY + """
a, b = socket.socketpair()
answers = [attempt(a.connect, NAME), attempt(a.sendto, b'x', NAME),
           attempt(a.sendmsg, [b'x'], [], 0, NAME), attempt(a.listen),
           attempt(a.bind, b'thirteen char')]
return [answers, os.listdir()]""".replace("NAME", repr(name))
        answers, files = self.value(program, *granted(level), level=level)
        self.assertNotIn(0, answers)
        self.assertEqual(files, [])
        self.assertEqual(select.select([listener], [], [], 0)[0], [])

    def check_result(self, level):
        """The level, the grade and what was granted; and nothing else is
        different from a run without the grant."""
        result = self.succeeds("1", *granted(level), level=level)
        plain = self.succeeds("1", level=level)
        self.assertEqual(result["isolation"]["level"], "process")
        proofs = result["isolation"]["guarantees"]
        self.assertEqual(proofs["network"]["grade"], "unavailable")
        self.assertRegex(proofs["network"]["evidence"], r"\Agranted: ")
        for name in GUARANTEES:
            if name != "network":
                self.assertEqual(
                    proofs[name]["grade"],
                    plain["isolation"]["guarantees"][name]["grade"], name)
        self.assertIs(result["granted"]["network"], True)
        self.assertIs(plain["granted"]["network"], False)
        self.assertEqual(
            sorted(set(result["granted"]["read"]) -
                   set(plain["granted"]["read"])),
            sorted(path for path in GIVEN if os.path.exists(path)))
        self.assertEqual([w for w in result["warnings"]
                          if w.startswith("network: granted")],
                         ["network: granted; the program could reach all "
                          "that the host can, its loopback and internal "
                          "services included"])
        self.assertFalse([w for w in plain["warnings"]
                          if w.startswith("network")])


rows(Denied, {"level_" + level: (level,) for level in LEVELS})


class Default(Case):
    """Off unless it is granted."""

    def test_is_enforced(self):
        result = self.succeeds(TRY + "return [attempt(tcp), attempt("
                               "open, '/etc/hosts')]", level="isolated")
        self.assertEqual(result["value"], ["EPERM", "ENOENT"])
        self.assertEqual(result["isolation"]["level"], "isolated")
        self.assertEqual(
            result["isolation"]["guarantees"]["network"]["grade"],
            "enforced")

    def test_is_refused_at_process(self):
        for level, grade in (("spaces", "enforced"),
                             ("process", "unverified")):
            result = self.succeeds(
                TRY + "return [attempt(tcp), attempt(open, '/etc/hosts')]",
                level=level)
            self.assertEqual(result["value"], ["EPERM", "EACCES"])
            self.assertEqual(
                result["isolation"]["guarantees"]["network"]["grade"],
                grade)


class Certificates(Case):
    """The host's own, as a program outside of the sandbox finds them."""

    COUNT = ("import ssl\n"
             "context = ssl.create_default_context()\n"
             "paths = ssl.get_default_verify_paths()\n"
             "%s([len(context.get_ca_certs()), paths.cafile is not None,\n"
             "    paths.capath is not None])")

    def test_are_loaded(self):
        done = subprocess.run(
            [PYTHON, "-I", "-S", "-c", self.COUNT % "print"],
            stdout=subprocess.PIPE, timeout=HANG, check=True)
        outside = json.loads(done.stdout.decode().lower())
        for level in LEVELS:
            self.assertEqual(
                self.value(self.COUNT % "", *granted(level), level=level),
                outside)
        # What stands there behind links can be read too.
        self.assertEqual(self.value(
            "import os\n"
            "names = ['/etc/ssl/certs/' + n for n in os.listdir("
            "'/etc/ssl/certs')]\n"
            "return [n for n in names if not os.path.exists(n)]"
            if os.path.isdir("/etc/ssl/certs") else "[]",
            *granted("isolated"), level="isolated"),
            [name for name in links_into_nothing("/etc/ssl/certs")])


def links_into_nothing(directory):
    if not os.path.isdir(directory):
        return []
    return [name for name in (directory + "/" + n
                              for n in os.listdir(directory))
            if not os.path.exists(name)]


class Hosts(Case):
    def test_name_of_the_file(self):
        """The host's own name, or another that /etc/hosts has."""
        found = None
        with open("/etc/hosts") as file:
            for line in file:
                words = line.split("#")[0].split()
                for name in words[1:]:
                    if "localhost" not in name and "ip6" not in name:
                        found = found or (name, words[0])
        for level in LEVELS if found else ():
            self.assertIn(found[1], self.value(
                "import socket\n"
                "return [r[4][0] for r in socket.getaddrinfo(%r, None)]"
                % found[0], *granted(level), level=level))


class Resolver(threading.Thread):
    """Answers each question for name.weir.test, of both kinds."""

    A, AAAA = "192.0.2.77", "2001:db8::77"

    def __init__(self):
        super().__init__(daemon=True)
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.asked = set()
        while True:
            self.address = "127.%d.%d.%d" % tuple(
                random.randint(1, 250) for _ in range(3))
            try:
                self.socket.bind((self.address, 53))
                return
            except OSError as error:
                if error.errno != 98:  # EADDRINUSE
                    raise

    def run(self):
        while True:
            try:
                question, peer = self.socket.recvfrom(512)
            except OSError:
                return
            if len(question) > 12:
                self.socket.sendto(self.answer(question), peer)

    def answer(self, question):
        end = question.index(b"\0", 12) + 1
        kind = struct.unpack(">H", question[end:end + 2])[0]
        self.asked.add((question[12:end], kind))
        address = {1: self.A, 28: self.AAAA}.get(kind)
        known = question[12:end] == b"\4name\4weir\4test\0" and address
        text = question[:2] + struct.pack(
            ">HHHHH", 0x8180 if known else 0x8183, 1, 1 if known else 0, 0, 0)
        text += question[12:end + 4]
        if known:
            packed = ipaddress.ip_address(address).packed
            text += b"\xc0\x0c" + struct.pack(
                ">HHIH", kind, 1, 60, len(packed)) + packed
        return text


class Names(Case):
    """Names that a server knows, with a resolv.conf that is a link to
    elsewhere, as systemd's is, in an /etc that the test has made. For root: it
    takes a mount and port 53."""

    def setUp(self):
        super().setUp()
        os.chmod(self.directory, 0o755)
        self.resolver = Resolver()
        self.addCleanup(self.resolver.socket.close)
        self.resolver.start()
        os.mkdir(self.path("etc"), 0o755)
        self.write("stub.conf", "nameserver %s\noptions timeout:5\n"
                   % self.resolver.address)
        os.symlink(os.path.relpath(self.path("stub.conf"), "/etc"),
                   self.path("etc/resolv.conf"))
        self.write("etc/hosts", "127.0.0.1 localhost\n127.7.7.7 here\n")
        self.write("etc/nsswitch.conf", "hosts: files resolve "
                   "[!UNAVAIL=return] mdns4_minimal dns\n")
        for name in ("ld.so.cache", "localtime"):
            if os.path.exists("/etc/" + name):
                with open("/etc/" + name, "rb") as file:
                    self.write("etc/" + name, file.read())
        for place, _, names in os.walk(self.directory):
            for name in names:
                if not os.path.islink(os.path.join(place, name)):
                    os.chmod(os.path.join(place, name), 0o644)

    def within(self, program, level):
        words = ["unshare", "-m", "--propagation", "private", "sh", "-c",
                 'mount --bind "$0" /etc && exec "$@"', self.path("etc")]
        words += command(*granted(level), level=level)
        return finish(subprocess.Popen(
            words + ["-c", program], stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd="/"))

    def check(self, level):
        got = self.within(TRY + """
names = sorted({r[4][0] for r in socket.getaddrinfo('name.weir.test', 80)})
try: socket.getaddrinfo('other.weir.test', 80)
except socket.gaierror as error: names.append(error.errno)
names.append(socket.gethostbyname('here'))
return [names, attempt(os.listdir, '/etc'),
        attempt(open, '/etc/resolv.conf', 'a')]""", level)
        self.assertEqual(got.stderr, b"")
        self.assertIsNone(got.result["error"], got.result["error"])
        names, listed, written = got.result["value"]
        self.assertEqual(names, [self.resolver.A, self.resolver.AAAA,
                                 socket.EAI_NONAME, "127.7.7.7"])
        self.assertEqual(listed, "EACCES")
        self.assertIn(written, ("EROFS", "EACCES"))
        self.assertEqual({kind for _, kind in self.resolver.asked}, {1, 28})
        self.assertIn("/etc/resolv.conf", got.result["granted"]["read"])


if IS_ROOT:
    rows(Names, {"level_" + level: (level,) for level in LEVELS})


class Ends(Case):
    """Connections that a program leaves open end with it."""

    def check(self, level, program, kind):
        become_subreaper()
        servers = Servers()
        self.addCleanup(servers.close)
        text = "said %s" % os.urandom(8).hex()
        got = run("import socket\n"
                  "s = socket.create_connection(('127.0.0.1', %d))\n"
                  "s.sendall(%r.encode())\n"
                  "got = s.recv(100)\n" % (servers.tcp["127.0.0.1"], text) +
                  program, *granted(level), level=level,
                  limits={"wall": 3 if kind == "timeout" else 60,
                          "grace": "200ms", "cpu": 20})
        self.assertEqual(got.kind, kind)
        self.assertTrue(servers.wait_for(text.encode()))
        self.assertTrue(wait_for_orphans(), survivors())


rows(Ends, {"%s_%s" % (name, level): (level, program, kind)
            for level in LEVELS
            for name, program, kind in (
                ("answer", "got.decode()[:4]", None),
                ("exit", "import os\nos._exit(0)", "worker_exit"),
                ("wall", "s.recv(1)", "timeout"),
                ("cut", "import signal, os\n"
                 "os.kill(os.getpid(), 9)", "worker_exit"))})


class Terms(Case):
    """Who may grant it, and who may ask for it or take it away."""

    OPEN = {"level": "process", "network": True}

    def setUp(self):
        super().setUp()
        os.chmod(self.directory, 0o755)

    def text(self, name, **members):
        """A file that nobody else may write; its path."""
        schema = {"profile": "weir.profiles/1", "policy": "weir.policy/1",
                  "request": "weir.request/1"}[name]
        path = self.write(name + ".json",
                          json.dumps(dict(members, schema=schema)))
        os.chmod(path, 0o644)
        return ["--%s-file" % name, path]

    def profile(self, **members):
        return self.text("profile", profiles={"default": members})

    def ends(self, *words):
        got = run(TRY + "attempt(tcp)", *words, level="isolated")
        result = got.result
        return got.kind, result["value"], result["isolation"]["level"]

    def test_a_profile(self):
        self.assertEqual(self.ends(*self.profile(**self.OPEN)),
                         (None, 0, "process"))

    def test_a_request_may_have_what_is_granted(self):
        words = self.text("request", network=True)
        self.assertEqual(self.ends(*self.profile(**self.OPEN), *words),
                         (None, 0, "process"))
        self.assertEqual(self.ends(*granted("isolated"), *words),
                         (None, 0, "process"))

    def test_a_request_may_do_without(self):
        words = self.profile(**self.OPEN)
        self.assertEqual(
            self.ends(*words, *self.text("request", network=False)),
            (None, "EPERM", "isolated"))
        self.assertEqual(
            self.ends(*words, *self.text("request", network=False,
                                         level="isolated")),
            (None, "EPERM", "isolated"))

    def test_a_policy_takes_it_away(self):
        words = self.profile(**self.OPEN) + self.text(
            "policy", network=False)
        self.assertEqual(self.ends(*words), (None, "EPERM", "isolated"))
        self.assertEqual(
            self.ends(*words, *self.text("request", network=True)),
            ("network_not_allowed", None, "none"))

    def test_not_granted(self):
        self.assertEqual(self.ends(*self.text("request", network=True)),
                         ("network_not_allowed", None, "none"))

    def test_isolated_with_it(self):
        for name in ("policy", "request"):
            got = run("1", *granted("isolated"),
                      *self.text(name, level="isolated"), level="isolated")
            self.assertEqual((got.code, got.kind), (125, "policy_refused"))
            self.assertIn("process is the most with the network",
                          got.result["error"]["message"])

    def test_without_a_level_it_is_a_mistake(self):
        for words in (["--network"], ["--network", "--level", "isolated"]):
            got = run("1", *words, level="isolated")
            self.assertEqual((got.code, got.stdout), (2, b""))
            self.assertIn(b"network: level process is the most with it",
                          got.stderr)

    def test_beside_unconfined(self):
        got = run(TRY + "attempt(tcp)", "--network", level="none")
        self.assertEqual((got.kind, got.result["value"]), (None, 0))
        self.assertEqual(got.result["isolation"]["level"], "none")

    def test_beside_as_many_grants_as_can_be(self):
        words = []
        for n in range(40):
            words += ["--read", self.write("f%d" % n, "")]
        for level in LEVELS:
            self.succeeds("1", *words, *granted(level), level=level)


class Filter(Case):
    """The grant needs the filter that keeps the other families away."""

    def test_without_it_nothing_runs(self):
        for level in LEVELS:
            got = run("print('ran')", *granted(level), "--test-skip",
                      "seccomp", weir=LAYERS, level=level)
            self.assertEqual((got.code, got.kind),
                             (125, "isolation_unavailable"))
            self.assertIn("stage seccomp", got.result["error"]["message"])


if __name__ == "__main__":
    main()
