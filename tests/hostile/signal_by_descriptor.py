# kind: processes
# inside: ok
# outside: breaks
# A signal without kill(2): the kernel sends it for a pipe's owner. Owner and
# O_ASYNC are never set at one time, so that nothing is sent outside.
import fcntl
near, far = os.pipe()
attempt("F_SETOWN", fcntl.fcntl, near, fcntl.F_SETOWN, os.getppid())
try:
    fcntl.fcntl(near, fcntl.F_SETOWN, 0)
except OSError:
    pass
attempt("F_SETSIG", fcntl.fcntl, near, 10, 0)
attempt("O_ASYNC", fcntl.fcntl, near, fcntl.F_SETFL, os.O_ASYNC)
