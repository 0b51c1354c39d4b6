# kind: files
# inside: ok
# outside: not run, since it may stall others
import fcntl
for path in (os.__file__, sys.executable, "/etc/ld.so.cache"):
    fd = os.open(path, os.O_RDONLY)
    attempt("flock " + path, fcntl.flock, fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    attempt("shared flock " + path, fcntl.flock, fd,
            fcntl.LOCK_SH | fcntl.LOCK_NB)
    attempt("lease " + path, fcntl.fcntl, fd, 1024, fcntl.F_RDLCK)
attempt("notify", fcntl.fcntl, os.open(".", os.O_RDONLY), 1026, 1)
