# kind: processes
# inside: ok
# outside: not run, since it leaves a process behind
# Every way to a process that lives on; each would carry a name that the
# host looks for afterwards.
libc.prctl(15, b"{MARK}", 0, 0, 0)


def stay():
    os.setsid()
    for number in range(3):
        os.close(number)
    while True:
        libc.pause()


def by_fork(fork):
    if fork() == 0:
        stay()


attempt("fork", by_fork, os.fork)
attempt("spawn", os.posix_spawn, sys.executable,
        ["{MARK}", "-c", "import signal; signal.pause()"], {})
syscall("clone", 56, 17, 0, 0, 0, 0)
syscall("clone with a new session", 56, 0x8000 | 17, 0, 0, 0, 0)
attempt("setsid", os.setsid)
attempt("setpgid", os.setpgid, 0, 0)
attempt("double fork by the library", __import__("pty").fork)
