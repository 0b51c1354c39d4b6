# kind: privileges
# inside: ok
# outside: not run, since it would gag the one that tests
# A filter of its own could lie to whoever shares the process.
program = ctypes.create_string_buffer(b"\x06\0\0\0\0\0\xff\x7f", 8)
filters = (ctypes.c_uint64 * 2)(1, ctypes.addressof(program))
syscall("seccomp", 317, 1, 0, filters)
syscall("prctl seccomp", 157, 22, 2, filters, 0, 0)
syscall("landlock_create_ruleset", 444, ctypes.create_string_buffer(8), 8, 0)
