# kind: files
# inside: ok
# outside: not run, since it may stall others
import fcntl
for path in (os.__file__, sys.executable, "/etc/ld.so.cache"):
    try:
        fd = os.open(path, os.O_RDONLY)
        fcntl.lockf(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        pass
attempt("lease", fcntl.fcntl, fd, 1024, fcntl.F_RDLCK)
attempt("notify", fcntl.fcntl, fd, 1026, 1)
