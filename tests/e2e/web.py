"""Servers for HTTP tools, on loopback: a made-up one, whose answers are bytes
or functions, and Debian's nginx. And the file that offers them as tools.

Neither waits for a time: what has to be in order waits for what it follows.
"""
import contextlib
import json
import os
import shutil
import socket
import subprocess
import threading

HANG = 120
NGINX = shutil.which("nginx", path="/usr/sbin:/usr/bin:/sbin:/bin")
OPENSSL = shutil.which("openssl")


def answer(body=b"", status="200 OK", kind="application/json", more=""):
    """A whole response."""
    if not isinstance(body, bytes):
        body = body.encode()
    head = "HTTP/1.1 %s\r\nContent-Length: %d\r\n" % (status, len(body))
    if kind:
        head += "Content-Type: %s\r\n" % kind
    return (head + more + "\r\n").encode("latin-1") + body


class Request:
    def __init__(self, head, body):
        first, *lines = head.decode("latin-1").split("\r\n")
        self.method, self.target, self.version = first.split(" ")
        self.headers = [line.split(": ", 1) for line in lines if line]
        self.body = body

    def header(self, name):
        found = [value for key, value in self.headers
                 if key.lower() == name.lower()]
        return found[0] if len(found) == 1 else found or None


class Server:
    """answers: {path: bytes, or a function of (connection, request)}. A path
    without an answer says what was asked."""

    def __init__(self, answers=None, host="127.0.0.1"):
        self.answers = answers or {}
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self.listener = socket.create_server((host, 0), family=family)
        self.port = self.listener.getsockname()[1]
        self.requests = []
        self.connections = 0
        self.over = threading.Event()
        self.threads = []
        self.lock = threading.Lock()
        self.begin(self.accept)

    def begin(self, function, *arguments):
        thread = threading.Thread(target=function, args=arguments, daemon=True)
        self.threads.append(thread)
        thread.start()

    def url(self, path="", host="127.0.0.1"):
        return "http://%s:%d%s" % (host, self.port, path)

    def accept(self):
        while True:
            try:
                connection = self.listener.accept()[0]
            except OSError:
                return
            if self.over.is_set():
                connection.close()
                return
            with self.lock:
                self.connections += 1
            self.begin(self.serve, connection)

    def read(self, connection):
        data = b""
        while b"\r\n\r\n" not in data:
            more = connection.recv(65536)
            if not more:
                return None
            data += more
        head, body = data.split(b"\r\n\r\n", 1)
        request = Request(head, body)
        length = int(request.header("Content-Length") or 0)
        while len(request.body) < length:
            more = connection.recv(65536)
            if not more:
                return None
            request.body += more
        return request

    def serve(self, connection):
        connection.settimeout(HANG)
        with contextlib.suppress(OSError), connection:
            # As long as the client keeps the connection.
            while (request := self.read(connection)) is not None:
                with self.lock:
                    self.requests.append(request)
                found = self.answers.get(request.target.split("?")[0])
                if found is None:
                    found = answer(json.dumps({
                        "method": request.method, "target": request.target,
                        "body": request.body.decode("latin-1")}))
                if callable(found):
                    found(connection, request)
                    return
                connection.sendall(found)

    def close(self):
        self.over.set()
        # Whoever waits in accept(2) is woken by a visit.
        with contextlib.suppress(OSError):
            socket.create_connection(self.listener.getsockname()[:2]).close()
        self.listener.close()
        for thread in self.threads[1:]:
            thread.join(HANG)


def until_closed(connection):
    """Waits until the other end is gone."""
    with contextlib.suppress(OSError):
        while connection.recv(65536):
            pass


def held(connection, _):
    until_closed(connection)


def endless(before, piece):
    """Writes a beginning, and then a piece for ever."""
    def write(connection, _):
        connection.sendall(before)
        while True:
            connection.sendall(piece)
    return write


def cut(data):
    """Writes this and closes."""
    def write(connection, _):
        connection.sendall(data)
        connection.shutdown(socket.SHUT_WR)
        until_closed(connection)
    return write


def slowly(data):
    """One byte in a packet."""
    def write(connection, _):
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for i in range(len(data)):
            connection.sendall(data[i:i + 1])
        until_closed(connection)
    return write


# --- nginx ---------------------------------------------------------------

NGINX_CONF = """
daemon off;
master_process off;
pid %(dir)s/nginx.pid;
error_log %(dir)s/nginx.log;
events {}
http {
  access_log %(dir)s/access.log;
  client_body_temp_path %(dir)s/t1;
  proxy_temp_path %(dir)s/t2;
  fastcgi_temp_path %(dir)s/t3;
  uwsgi_temp_path %(dir)s/t4;
  scgi_temp_path %(dir)s/t5;
  types { application/json json; text/plain txt; image/png png; }
  gzip on;
  gzip_types application/json;
  server {
    listen 127.0.0.1:%(port)d;
    listen 127.0.0.1:%(tls)d ssl;
    ssl_certificate %(dir)s/cert.pem;
    ssl_certificate_key %(dir)s/key.pem;
    root %(dir)s/files;
    location /echo {
      default_type application/json;
      return 200 '{"method":"$request_method","uri":"$request_uri","type":"$content_type","length":"$content_length","key":"$http_x_key"}';
    }
    location = /moved { return 302 /echo; }
    location = /auth {
      default_type text/plain;
      return 401 'bad key: $http_x_key';
    }
  }
}
"""


def free_ports(count):
    with contextlib.ExitStack() as stack:
        held_ports = [stack.enter_context(
            socket.create_server(("127.0.0.1", 0))) for _ in range(count)]
        return [s.getsockname()[1] for s in held_ports]


def make_certificate(directory, name):
    """Signs itself, so it is its own CA."""
    subprocess.run(
        [OPENSSL, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days",
         "2", "-subj", "/CN=weir test", "-addext", "subjectAltName=" + name,
         "-keyout", os.path.join(directory, "key.pem"), "-out",
         os.path.join(directory, "cert.pem")], check=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL)
    return os.path.join(directory, "cert.pem")


class Nginx:
    def __init__(self, directory, files, name="DNS:localhost"):
        self.directory = os.path.join(directory, "nginx")
        os.makedirs(os.path.join(self.directory, "files"))
        for path, content in files.items():
            with open(os.path.join(self.directory, "files", path),
                      "wb") as file:
                file.write(content)
        self.ca = make_certificate(self.directory, name)
        self.port, self.tls = free_ports(2)
        with open(os.path.join(self.directory, "conf"), "w") as file:
            file.write(NGINX_CONF % {"dir": self.directory, "tls": self.tls,
                                     "port": self.port})
        if os.geteuid() == 0:
            # Its worker is nobody's otherwise.
            with open(os.path.join(self.directory, "conf"), "r+") as file:
                text = file.read()
                file.seek(0)
                file.write("user root;\n" + text)
        self.process = subprocess.Popen(
            [NGINX, "-p", self.directory, "-e",
             os.path.join(self.directory, "nginx.log"), "-c",
             os.path.join(self.directory, "conf")],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        self.wait()

    def wait(self):
        """Until it listens: its file of the pid is written after that."""
        path = os.path.join(self.directory, "nginx.pid")
        while not os.path.exists(path) or not os.path.getsize(path):
            if self.process.poll() is not None:
                with open(os.path.join(self.directory, "nginx.log")) as file:
                    raise AssertionError("nginx: " + file.read())
            os.sched_yield()

    def url(self, path="", host="127.0.0.1"):
        return "http://%s:%d%s" % (host, self.port, path)

    def tls_url(self, path="", host="localhost"):
        return "https://%s:%d%s" % (host, self.tls, path)

    def seen(self):
        with open(os.path.join(self.directory, "access.log")) as file:
            return file.read()

    def close(self):
        self.process.terminate()
        self.process.wait()


# --- the file ------------------------------------------------------------

def tools_file(tools, allow=(), private=("127.0.0.1", "::1"), **more):
    """Its text. A tool is (method, url) or a dict; what the URLs name is
    allowed."""
    spelled = {}
    origins = set(allow)
    for name, tool in tools.items():
        if not isinstance(tool, dict):
            tool = {"method": tool[0], "url": tool[1]}
        spelled[name] = tool
        if not allow:
            origins.add("/".join(tool["url"].split("?")[0].split("/")[:3]))
    return json.dumps({"schema": "weir.http-tools/1",
                       "allow": sorted(origins), "private": list(private),
                       "tools": spelled, **more})
