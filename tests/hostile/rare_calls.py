# kind: system calls
# inside: ok
# outside: not run, since root would be let in
# What changes the kernel or the ground that the filter stands on.
syscall("personality", 135, 0x0400000)
syscall("modify_ldt", 154, 1, ctypes.create_string_buffer(16), 16)
syscall("kexec_load", 246, 0, 0, 0, 0)
syscall("init_module", 175, 0, 0, b"")
syscall("bpf", 321, 0, 0, 0)
syscall("userfaultfd", 323, 0)
syscall("perf_event_open", 298, ctypes.create_string_buffer(128), 0, -1, -1,
        0)
