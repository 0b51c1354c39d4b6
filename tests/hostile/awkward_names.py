# kind: disk
# inside: ok
# outside: not run, since it makes a mess
for name in (b"\xff\xfe", b"new\nline", b"-rf", b"\x1b[2J", b" ", b"$(id)",
             b"a" * 255, "\u202e".encode(), b"..."):
    os.close(os.open(name, os.O_CREAT | os.O_WRONLY))
for name in ("pipe", "pipe2"):
    os.mkfifo(name)
attempt("device", os.mknod, "device", 0o020600, os.makedev(1, 3))
attempt("socket", os.mknod, "socket", 0o140600)
