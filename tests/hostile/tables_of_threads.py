# kind: limits
# inside: ok
# outside: breaks
# Each thread with a table of descriptors, and so a limit, of its own:
# close_range with CLOSE_RANGE_UNSHARE.
import threading
opened = []
refused = []
gate = threading.Barrier(2)


def fill():
    if libc.syscall(436, 1 << 20, 1 << 21, 2) != 0:
        refused.append(errno.errorcode[ctypes.get_errno()])
    gate.wait()
    fd = os.open(".", os.O_RDONLY)
    gate.wait()
    opened.append(fd)
    gate.wait()


threads = [threading.Thread(target=fill) for _ in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
for why in refused:
    held("table of its own", why)
if opened[0] == opened[1]:
    broke("table of its own", opened)
