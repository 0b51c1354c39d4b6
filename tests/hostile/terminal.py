# kind: terminal
# inside: ok
# outside: not run, since it types into the terminal of whoever tests
import fcntl
for number in range(4):
    for request, name in ((0x5412, "TIOCSTI"), (0x541c, "TIOCLINUX"),
                          (0x540e, "TIOCSCTTY"), (0x5414, "TIOCSWINSZ"),
                          (0x5412 | 1 << 32, "TIOCSTI with a high bit")):
        buffer = ctypes.create_string_buffer(b"x", 64)
        syscall("%s on %d" % (name, number), 16, number, request, buffer)
for path in ("/dev/tty", "/dev/console", "/dev/tty0", "/dev/vcs",
             "/dev/ptmx", "/dev/pts/0"):
    attempt(path, os.open, path, os.O_RDWR | os.O_NOCTTY)
