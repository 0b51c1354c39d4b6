# kind: programs
# inside: ok
# outside: breaks
# A program of the host in the place of this one, and beside it. What runs
# says so itself.
import struct
import subprocess
words = [sys.executable, "-I", "-S", "-c", "print('BROKE ran', flush=True)"]
for name, start in (
        ("spawn", lambda: os.posix_spawn(words[0], words, {})),
        ("subprocess", lambda: subprocess.Popen(words).wait())):
    attempt(name, start)


def replaced():
    pid = libc.fork()
    if pid < 0:
        raise OSError(ctypes.get_errno(), "fork")
    if pid == 0:
        try:
            os.execv(words[0], words)
        finally:
            libc._exit(1)
    os.waitpid(pid, 0)


attempt("fork", replaced)

# A program of its own: static, for x86_64, says that it ran.
TEXT = b"BROKE own file\n"
CODE = bytes.fromhex("b801000000bf01000000488d3510000000ba0f0000000f05"
                     "b83c00000031ff0f05")
SIZE = 120 + len(CODE) + len(TEXT)
fd = os.open("own-{MARK}", os.O_WRONLY | os.O_CREAT, 0o700)
with open(fd, "wb") as file:
    file.write(b"\x7fELF\2\1\1".ljust(16, b"\0") + struct.pack(
        "<HHIQQQIHHHHHH", 2, 62, 1, 0x400078, 64, 0, 0, 64, 56, 1, 0, 0, 0))
    file.write(struct.pack("<IIQQQQQQ", 1, 5, 0, 0x400000, 0x400000, SIZE,
                           SIZE, 0x1000) + CODE + TEXT)
attempt("spawn own file", lambda: os.waitpid(os.posix_spawn(
    "own-{MARK}", ["own"], {}), 0))
os.unlink("own-{MARK}")
try:
    os.execv(words[0], words)
except OSError as error:
    held("exec", errno.errorcode[error.errno])
