# kind: limits
# inside: ok
# outside: breaks
# A little past each limit of the process, with what costs a host nothing.
import mmap
import resource
import threading
import time

attempt("address space", lambda: mmap.mmap(-1, 2 << 30).close())


def large_file():
    fd = os.open("large-{MARK}", os.O_WRONLY | os.O_CREAT)
    try:
        os.ftruncate(fd, 32 << 20)
    finally:
        os.close(fd)
        os.unlink("large-{MARK}")


attempt("file size", large_file)


def many_tasks():
    gate = threading.Event()
    try:
        for _ in range(400):
            threading.Thread(target=gate.wait, daemon=True).start()
        # Where they are only counted: time to see them.
        time.sleep(4 if "{INSIDE}" == "1" else 0)
    finally:
        gate.set()


kept = []
attempt("descriptors", lambda: [kept.append(os.dup(0)) for _ in range(400)])
for fd in kept:
    os.close(fd)
if resource.getrlimit(resource.RLIMIT_CORE)[1] > 1:
    broke("core files")
threading.stack_size(1 << 16)
attempt("tasks", many_tasks)
