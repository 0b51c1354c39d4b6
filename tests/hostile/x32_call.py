# kind: system calls
# inside: ok | signal 31
# outside: not run, since it shows nothing there
# getpid by the x32 table.
syscall("x32 getpid", 39 | 0x40000000)
