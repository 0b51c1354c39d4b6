# kind: system calls
# inside: ok
# outside: not run, since many hosts switch it off
# A second table of system calls that no filter sees.
parameters = ctypes.create_string_buffer(120)
for turn in range(2):
    syscall("io_uring_setup", 425, 8, parameters)
syscall("io_uring_enter", 426, 0, 0, 0, 0, 0, 0)
syscall("io_uring_register", 427, -1, 16, parameters, 1)
syscall("io_setup", 206, 8, ctypes.byref(ctypes.c_long(0)))
