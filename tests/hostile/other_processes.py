# kind: processes
# inside: ok
# outside: breaks
# Reads, controls and signals the parent and process 1.
for pid in {1, os.getppid()} - {0}:
    attempt("kill %d" % pid, os.kill, pid, 0)
    attempt("memory of %d" % pid, open, "/proc/%d/mem" % pid, "rb")
    attempt("pidfd of %d" % pid, os.pidfd_open, pid)
    syscall("seize %d" % pid, 101, 0x4206, pid, 0, 0)
    word = ctypes.create_string_buffer(8)
    vector = (ctypes.c_void_p * 2)(ctypes.addressof(word), 8)
    syscall("process_vm_readv %d" % pid, 310, pid, ctypes.byref(vector), 1,
            ctypes.byref(vector), 1, 0)
attempt("list of processes", os.listdir, "/proc")
attempt("kill all", os.kill, -1, 0)
