# kind: programs
# inside: ok
# outside: breaks
# A program that stands in no file of the host.
fd = attempt("memfd", os.memfd_create, "x")
if fd is None:
    fd = os.open("program", os.O_RDWR | os.O_CREAT, 0o700)
with open(sys.executable, "rb") as file:
    os.write(fd, file.read(4096))
try:
    os.fchmod(fd, 0o700)
except OSError:
    pass  # on the host's root, with the caller's ids
if "{INSIDE}" == "1":
    for path in ("program", "/dev/shm/program", sys.executable, "/bin/sh"):
        attempt("exec " + path, os.execv, path, ["x"])
    argv = (ctypes.c_char_p * 2)(b"x", None)
    syscall("execveat", 322, fd, b"", argv, argv, 0x1000)
