# kind: network
# inside: ok
# outside: breaks
import socket
for family in ("AF_INET", "AF_INET6", "AF_UNIX", "AF_NETLINK", "AF_PACKET",
               "AF_VSOCK", "AF_ALG", "AF_BLUETOOTH", "AF_CAN", "AF_TIPC"):
    number = getattr(socket, family, None)
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW):
        if number is not None:
            attempt("%s %d" % (family, kind), socket.socket, number, kind)
attempt("port of the host", socket.create_connection,
        ("127.0.0.1", int(PORT)), 5)
attempt("name server", socket.getaddrinfo, "localhost", 80)


def to_abstract(pair):
    pair.connect("\0" + NAME)


attempt("abstract socket", lambda: to_abstract(socket.socket(
    socket.AF_UNIX)))
for kind in (socket.SOCK_DGRAM, socket.SOCK_SEQPACKET):
    attempt("pair %d" % kind, socket.socketpair, socket.AF_UNIX, kind)
near, far = socket.socketpair()
attempt("bind a pair", near.bind, "\0{MARK}")
attempt("bind a path", far.bind, "{MARK}")
attempt("listen", far.listen)
if "{INSIDE}" == "1":
    attempt("redirect a pair", to_abstract, near)
    attempt("send elsewhere", near.sendto, b"x", "\0" + NAME)
